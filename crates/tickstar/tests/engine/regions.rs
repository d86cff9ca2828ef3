//! The regions of a map: against flood fills, on new maps and after any number of edits.

mod maps;

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::{OnPanic, Oracle, Random, with_terrain};
use maps::{all_cells, edit, maze, random_edit, random_grid};
use tickstar::regions::{RegionId, Regions};
use tickstar::space::{Corners, Neighbors, Terrain};
use tickstar::{Cell, Grid, Layered};

/// The tile of a cell.
fn tile(cell: Cell) -> (u32, u32) {
    (cell.x / 16, cell.y / 16)
}

/// The same cells and rules, with new regions.
fn rebuilt(grid: &Grid) -> Grid {
    let map = Grid::from_fn(grid.width(), grid.height(), |cell| grid.is_free(cell)).unwrap();
    map.with_neighbors(grid.neighbors()).with_corners(grid.corners()).with_regions()
}

/// The smallest cell of a region: a name that does not depend on ids.
fn first(regions: &Regions, region: RegionId) -> Cell {
    regions.cells(region).min().expect("a region has cells")
}

/// The region of each free cell by its smallest cell.
fn partition(grid: &Grid) -> BTreeMap<Cell, Cell> {
    let regions = grid.regions().unwrap();
    let firsts: BTreeMap<_, _> = regions.ids().map(|id| (id, first(regions, id))).collect();
    let named = |cell| Some((cell, firsts[&regions.at(cell)?]));
    all_cells(grid).filter_map(named).collect()
}

/// The smallest cells of two regions in contact, and the step that represents it, in order.
fn contacts(grid: &Grid) -> Vec<[Cell; 4]> {
    let regions = grid.regions().unwrap();
    let firsts: BTreeMap<_, _> = regions.ids().map(|id| (id, first(regions, id))).collect();
    let of = |id| {
        let near = regions.neighbors(id);
        near.map(|(to, from, into)| [firsts[&id], firsts[&to], from, into]).collect::<Vec<_>>()
    };
    let mut contacts: Vec<_> = regions.ids().flat_map(of).collect();
    contacts.sort_unstable();
    contacts
}

/// A flood fill over the steps for which `joins` holds: each free cell with the smallest cell of its part.
fn fill(grid: &Grid, oracle: &Oracle, joins: impl Fn(Cell, Cell) -> bool) -> BTreeMap<Cell, Cell> {
    let mut parts = BTreeMap::new();
    let mut free: Vec<Cell> = grid.free_cells().collect();
    free.sort_unstable();
    for first in free {
        let mut stack = vec![first];
        while let Some(cell) = stack.pop() {
            if parts.contains_key(&cell) {
                continue;
            }
            parts.insert(cell, first);
            let steps = oracle.edges_of(grid.node(cell).unwrap()).iter();
            let near = steps.map(|&(to, _)| grid.cell(to));
            stack.extend(near.filter(|&to| joins(cell, to)));
        }
    }
    parts
}

/// Checks that regions and contacts are those of the definition.
///
/// Where corners are not cut, a diagonal step from tile to tile over a corner makes no contact: the two cells beside it
/// are free, and in the tiles between.
fn check_definition(grid: &Grid) {
    let regions = grid.regions().unwrap();
    let oracle = Oracle::of_grid(grid);
    let parts = fill(grid, &oracle, |from, to| tile(from) == tile(to));
    assert_eq!(partition(grid), parts);
    let firsts: BTreeSet<Cell> = parts.values().copied().collect();
    assert_eq!((regions.len(), regions.is_empty()), (firsts.len(), firsts.is_empty()));
    assert_eq!(regions.ids().count(), firsts.len());
    for id in regions.ids() {
        assert!(regions.cells(id).all(|cell| regions.at(cell) == Some(id)));
    }
    let cuts = grid.corners() == Corners::Allowed;
    let mut expected = BTreeSet::new();
    for (&from, &own) in &parts {
        for &(to, _) in oracle.edges_of(grid.node(from).unwrap()) {
            let to = grid.cell(to);
            let (a, b) = (tile(from), tile(to));
            if a != b && (cuts || a.0 == b.0 || a.1 == b.1) {
                expected.insert((own, parts[&to]));
            }
        }
    }
    let mut found = BTreeSet::new();
    for [own, other, from, to] in contacts(grid) {
        assert!(found.insert((own, other)), "two contacts of {own} and {other}");
        assert_eq!((parts.get(&from), parts.get(&to)), (Some(&own), Some(&other)));
        let [a, b] = [from, to].map(|cell| grid.node(cell).unwrap());
        assert!(oracle.edge(a, b).is_some(), "no step leads from {from} to {to}");
    }
    assert_eq!(found, expected, "contacts of regions");
}

/// Checks reachability between random cells: free, blocked or outside the map.
fn check_reachable(grid: &Grid, random: &mut Random) -> usize {
    let regions = grid.regions().unwrap();
    let islands = fill(grid, &Oracle::of_grid(grid), |_, _| true);
    let mut cell = || {
        let beyond = random.pick(&[0, 0, 0, 0, 0, 0, 0, 20]);
        let [x, y] = [grid.width(), grid.height()].map(|side| side + beyond);
        let cell = Cell::new(random.below(x.into()) as u32, random.below(y.into()) as u32);
        random.pick(&[cell, cell, cell, cell, cell, Cell::new(cell.x, u32::MAX)])
    };
    let mut apart = 0;
    for _ in 0..300 {
        let (from, to) = (cell(), cell());
        let (a, b) = (islands.get(&from), islands.get(&to));
        assert_eq!(regions.at(from).is_some(), a.is_some(), "{from}");
        assert_eq!(regions.reachable(from, to), a.is_some() && a == b, "{from} and {to}");
        apart += usize::from(a.is_some() && b.is_some() && a != b);
    }
    apart
}

/// A region, and those that its way out leads through as long as they are dead ends, and the one after them.
fn way_out(regions: &Regions, region: RegionId) -> Vec<RegionId> {
    let way = std::iter::successors(Some(region), |&region| regions.dead_end(region));
    let way: Vec<_> = way.take(regions.len() + 1).collect();
    assert!(way.len() <= regions.len(), "the way out of {region:?} is a cycle");
    way
}

/// Checks that each dead end and what lies behind it are cut off if the region that it leads to is removed. Returns how
/// many there are.
fn check_dead_ends(regions: &Regions) -> usize {
    let ends = regions.ids().filter_map(|id| Some((id, regions.dead_end(id)?)));
    let mut count = 0;
    for (end, out) in ends {
        count += 1;
        assert!(regions.neighbors(end).any(|(near, ..)| near == out), "{end:?} to {out:?}");
        let mut seen = BTreeSet::from([end, out]);
        let mut stack = vec![end];
        while let Some(region) = stack.pop() {
            let is_behind = way_out(regions, region).contains(&end);
            assert!(is_behind, "{end:?} leads to {region:?}, not only to {out:?}");
            let near = regions.neighbors(region).map(|(near, ..)| near);
            stack.extend(near.filter(|&near| seen.insert(near)));
        }
    }
    count
}

/// Checks that every region that leads to one neighbor, except for the dead ends behind it, is known to be a dead end.
fn check_leaves(regions: &Regions) {
    for id in regions.ids().filter(|&id| regions.dead_end(id).is_none()) {
        let near = regions.neighbors(id).map(|(near, ..)| near);
        let out: Vec<_> = near.filter(|&near| regions.dead_end(near) != Some(id)).collect();
        assert_ne!(out.len(), 1, "{id:?} is a dead end: it leads to {out:?} only");
    }
}

/// Edits by [`Grid`] and by [`Layered`] with and without a hierarchy: regions and contacts are those of a new map.
#[test]
fn after_edits_regions_are_those_of_a_new_map() {
    let mut random = Random::new(1);
    for case in 0..120 {
        let mut grid = random_grid(&mut random);
        let mut layered = [Layered::flat(grid.clone()), Layered::new(grid.clone()).unwrap()];
        for step in 0..40 {
            let cells = random_edit(&mut random, &grid);
            let classes = grid.terrain().map_or(1, Terrain::classes) as u64;
            let class = random.below(classes) as u8;
            let _context = OnPanic((case, step, grid.clone(), cells.clone()));
            match cells[..] {
                [(cell, free)] => assert!(grid.set_free(cell, free).is_ok()),
                _ => assert!(grid.edit(&cells).is_ok()),
            }
            let classes: Vec<_> = cells.iter().map(|&(cell, _)| (cell, class)).collect();
            for map in &mut layered {
                match cells[..] {
                    [(cell, free)] => assert!(map.set_free(cell, free).is_ok()),
                    _ => assert!(map.edit(&cells).is_ok()),
                }
                assert_eq!(map.edit_classes(&classes).is_ok(), map.terrain().is_some());
            }
            for &(cell, class) in &classes {
                assert_eq!(grid.set_class(cell, class).is_ok(), grid.terrain().is_some());
            }
            if step % 5 == 0 {
                let new = rebuilt(&grid);
                let (regions, steps) = (partition(&new), contacts(&new));
                for map in [&grid, layered[0].space(), layered[1].space()] {
                    assert_eq!((partition(map), contacts(map)), (regions.clone(), steps.clone()));
                }
            }
        }
    }
}

#[test]
fn regions_and_contacts_are_those_of_a_flood_fill() {
    let mut random = Random::new(2);
    for case in 0..400 {
        let mut grid = random_grid(&mut random);
        let _context = OnPanic((case, grid.clone()));
        check_definition(&grid);
        (0..10).for_each(|_| edit(&mut grid, &mut random));
        let _context = OnPanic((case, grid.clone()));
        check_definition(&grid);
    }
}

#[test]
fn reachable_is_what_a_flood_fill_reaches() {
    let mut random = Random::new(3);
    let mut apart = 0;
    for case in 0..300 {
        let mut grid = random_grid(&mut random);
        for _ in 0..3 {
            let _context = OnPanic((case, grid.clone()));
            apart += check_reachable(&grid, &mut random);
            (0..3).for_each(|_| edit(&mut grid, &mut random));
        }
    }
    assert!(apart > 10_000, "only {apart} pairs were not connected");
}

#[test]
fn all_ways_out_of_a_dead_end_lead_through_one_neighbor() {
    let mut random = Random::new(4);
    let (mut ends, mut gone) = (0, 0);
    for case in 0..250 {
        let mut grid = random_grid(&mut random);
        let _context = OnPanic((case, grid.clone()));
        check_leaves(grid.regions().unwrap());
        ends += check_dead_ends(grid.regions().unwrap());
        for step in 0..40 {
            let before = grid.clone();
            edit(&mut grid, &mut random);
            let _context = OnPanic((case, step, &before, grid.clone()));
            let (before, after) = (before.regions().unwrap(), grid.regions().unwrap());
            ends += check_dead_ends(after);
            check_leaves(after);
            let ids: BTreeSet<_> = after.ids().collect();
            for id in before.ids().filter(|id| !ids.contains(id)) {
                assert!(after.dead_end(id).is_none() && after.cells(id).next().is_none());
                assert!(after.neighbors(id).next().is_none());
                gone += 1;
            }
        }
    }
    assert!(ends > 10_000 && gone > 1000, "{ends} dead ends, {gone} regions removed");
}

/// A region keeps its id if it is still there, or if it and a new part have more cells in common with each other than
/// with any other.
#[test]
fn regions_keep_their_ids() {
    let mut random = Random::new(5);
    let (mut kept, mut changed, mut new) = (0, 0, 0);
    for case in 0..150 {
        let mut grid = random_grid(&mut random);
        for step in 0..30 {
            let before = grid.clone();
            edit(&mut grid, &mut random);
            let _context = OnPanic((case, step, before.clone(), grid.clone()));
            let (old, now) = (before.regions().unwrap(), grid.regions().unwrap());
            let mut common: BTreeMap<(RegionId, RegionId), usize> = BTreeMap::new();
            for cell in grid.free_cells() {
                if let (Some(old), Some(now)) = (old.at(cell), now.at(cell)) {
                    *common.entry((old, now)).or_default() += 1;
                }
            }
            for (&(was, is), &count) in &common {
                let others = |other: &(RegionId, RegionId)| {
                    *other != (was, is) && (other.0 == was || other.1 == is)
                };
                let other = common.iter().filter(|(pair, _)| others(pair)).map(|(_, &n)| n).max();
                if was == is {
                    assert!(other.unwrap_or(0) <= count, "{was:?} is not where it was");
                    let same = old.cells(was).eq(now.cells(is));
                    (kept, changed) = (kept + usize::from(same), changed + usize::from(!same));
                } else {
                    assert!(other.unwrap_or(0) >= count, "{was:?} has become {is:?}");
                }
            }
            assert!(now.edits() > old.edits() || grid.to_bits() == before.to_bits());
            let ids: BTreeSet<_> = old.ids().collect();
            new += now.ids().filter(|id| !ids.contains(id)).count();
        }
    }
    assert!(
        kept > 1000 && changed > 1000 && new > 1000,
        "{kept} kept, {changed} changed, {new} new"
    );
}

#[test]
fn other_rules_rebuild_the_regions() {
    let mut random = Random::new(6);
    for case in 0..100 {
        let grid = random_grid(&mut random);
        let _context = OnPanic((case, grid.clone()));
        let neighbors = random.pick(&[Neighbors::Four, Neighbors::Eight]);
        let corners = random.pick(&[Corners::Never, Corners::Allowed]);
        check_definition(&grid.clone().with_neighbors(neighbors));
        check_definition(&grid.clone().with_corners(corners));
        check_definition(&with_terrain(grid.clone(), &mut random, 9));
        check_definition(&grid.clone().without_terrain());
        let mut without = grid.clone().without_regions();
        assert!(without.regions().is_none());
        edit(&mut without, &mut random);
        let without = without.with_neighbors(neighbors).with_corners(corners).without_terrain();
        assert!(without.regions().is_none(), "regions that nobody asked for");
        assert!(without.bytes() < grid.without_terrain().bytes());
        check_definition(&without.with_regions());
    }
}

/// A map for larger units has regions of its own.
#[test]
fn maps_for_larger_units_have_regions() {
    let mut random = Random::new(7);
    for case in 0..60 {
        let mut grid = random_grid(&mut random);
        let mut clearance = grid.for_size(1 + random.below(3) as u32).unwrap();
        for step in 0..5 {
            let _context = OnPanic((case, step, grid.clone(), clearance.clone()));
            check_definition(clearance.map().space());
            let cells = random_edit(&mut random, &grid);
            grid.edit(&cells).unwrap();
            let changed: Vec<Cell> = cells.iter().map(|&(cell, _)| cell).collect();
            clearance.update(&grid, &changed).unwrap();
        }
    }
}

/// What `Regions::bytes` says per cell, in its documentation.
#[test]
fn regions_take_little_memory() {
    let mut random = Random::new(8);
    let open = Grid::new(512, 512).unwrap();
    let scattered = |random: &mut Random, percent| {
        Grid::from_fn(512, 512, |_| !random.chance(percent)).unwrap()
    };
    let maps = [
        ("open", open.clone(), 1.0),
        ("10 % blocked", scattered(&mut random, 10), 1.1),
        ("25 % blocked", scattered(&mut random, 25), 3.0),
        ("40 % blocked", scattered(&mut random, 40), 12.0),
        ("maze", maze(&mut random, 512), 6.0),
    ];
    for (name, grid, most) in maps {
        for (rule, corners) in [("no corners", Corners::Never), ("corners", Corners::Allowed)] {
            let grid = grid.clone().with_corners(corners);
            let plain = grid.bytes();
            let grid = grid.with_regions();
            let regions = grid.regions().unwrap();
            assert_eq!(grid.bytes(), plain + regions.bytes());
            let each = regions.bytes() as f64 / f64::from(512 * 512);
            println!("{name}, {rule}: {} regions, {each:.2} bytes per cell", regions.len());
            assert!(each < most, "{name}: {each} bytes per cell");
        }
    }
}
