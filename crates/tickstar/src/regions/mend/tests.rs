//! What agents are told: the log against all that an edit changes.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{RegionId, Regions};
use crate::space::{Corners, Neighbors, Terrain};
use crate::{Cell, Grid, Space};

/// A small deterministic generator (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as u32 % n
    }

    fn cell(&mut self, grid: &Grid) -> Cell {
        Cell { x: self.below(grid.width()), y: self.below(grid.height()) }
    }
}

/// A map with regions and terrain of three classes: noise, or corridors with a few doors.
fn random_grid(random: &mut Random, side: u32) -> Grid {
    let density = random.below(60);
    let corridors = random.below(2) == 0;
    let free = |Cell { x, y }| {
        let wall = if corridors { (x + 1) * (y % 7) % 5 == 0 } else { false };
        !wall && random.below(100) >= density || random.below(20) == 0
    };
    let grid = Grid::from_fn(side, side, free).unwrap();
    let neighbors = [Neighbors::Four, Neighbors::Eight][random.below(2) as usize];
    let corners = [Corners::Never, Corners::Allowed][random.below(2) as usize];
    let terrain = Terrain::new(&[1.0, 1.25, 7.0]).unwrap();
    let grid = grid.with_terrain(terrain, |Cell { x, y }| ((x / 5 + y / 3) % 3) as u8).unwrap();
    grid.with_neighbors(neighbors).with_corners(corners).with_regions()
}

/// One cell, its class, or many cells at once.
fn random_edit(random: &mut Random, grid: &mut Grid) {
    let cell = random.cell(grid);
    match random.below(8) {
        0 => assert!(grid.set_class(cell, random.below(3) as u8).is_ok()),
        1 => {
            let free = random.below(100);
            let many = (0..random.below(60)).map(|_| (random.cell(grid), random.below(100) < free));
            let many: Vec<_> = many.collect();
            assert!(grid.edit(&many).is_ok());
        }
        _ => assert!(grid.set_free(cell, random.below(2) == 0).is_ok()),
    }
}

/// What an agent may know of a region: its neighbors with the steps to them, whether it is a dead end, its weight.
type Known = (BTreeSet<(RegionId, Cell, Cell)>, Option<RegionId>, u16);

fn known(regions: &Regions) -> BTreeMap<RegionId, Known> {
    let of = |id: RegionId| {
        let weight = regions.regions[id.0 as usize].weight;
        (id, (regions.neighbors(id).collect(), regions.dead_end(id), weight))
    };
    regions.ids().map(of).collect()
}

/// The changes of the log from this number on.
fn changes(regions: &Regions, since: u64) -> Option<Vec<RegionId>> {
    let new = regions.changes_since(since)?;
    Some((since..since + new).map(|number| regions.change(number)).collect())
}

#[test]
fn the_log_names_every_region_that_changes() {
    let mut random = Random(1);
    let mut changed = 0;
    for case in 0..60 {
        let mut grid = random_grid(&mut random, 16 + case);
        for _ in 0..100 {
            let (before, since) = (known(grid.regions().unwrap()), grid.regions().unwrap().logged);
            random_edit(&mut random, &mut grid);
            let regions = grid.regions().unwrap();
            let after = known(regions);
            let log = changes(regions, since).expect("these are few");
            for id in before.keys().chain(after.keys()) {
                let (was, is) = (before.get(id), after.get(id));
                assert!(was == is || log.contains(id), "{was:?} became {is:?} on {grid:?}");
                changed += usize::from(was != is);
            }
        }
    }
    assert!(changed > 10_000, "{changed}");
}

/// The mean multipliers of regions, after edits of cells and classes.
#[test]
fn weights_are_those_of_a_new_map() {
    let mut random = Random(2);
    for case in 0..60 {
        let mut grid = random_grid(&mut random, 10 + case);
        (0..20).for_each(|_| random_edit(&mut random, &mut grid));
        let new = grid.clone().with_regions();
        let weight = |grid: &Grid, cell| {
            let regions = grid.regions().unwrap();
            let region = &regions.regions[regions.at(cell).unwrap().0 as usize];
            let multipliers = regions.cells(regions.at(cell).unwrap());
            let (sum, count) = multipliers
                .fold((0.0, 0.0), |(sum, n), cell| (sum + grid.multiplier(cell), n + 1.0));
            assert!((f64::from(region.weight) / 64.0 - sum / count).abs() < 0.02, "the mean");
            region.weight
        };
        for cell in grid.free_cells() {
            assert_eq!(weight(&grid, cell), weight(&new, cell), "{cell} on {grid:?}");
        }
    }
}

/// The log says what it said before, or that it does not know; also after it has become longer. An id is not used again
/// while the removal of the region that had it is in the log.
#[test]
fn the_log_forgets_but_never_errs() {
    let mut random = Random(3);
    let (mut reused, mut longer) = (0, 0);
    for case in 0..3 {
        let free = case != 1;
        let mut grid = Grid::from_fn(70, 70, |_| free).unwrap();
        grid = grid.with_neighbors(Neighbors::Four).with_regions();
        let mut said: Vec<RegionId> = Vec::new();
        let mut removed: BTreeMap<RegionId, u64> = BTreeMap::new();
        let mut ids: BTreeSet<RegionId> = grid.regions().unwrap().ids().collect();
        let size = grid.regions().unwrap().log.len();
        for step in 0..16_000 {
            let cell = random.cell(&grid);
            // Noise, then toward a checkerboard, where every second cell is a region, and so on.
            let is_checkered = step % 8000 > 4000 && case < 2;
            let free = if is_checkered { cell.x % 2 == cell.y % 2 } else { random.below(2) == 0 };
            grid.set_free(cell, free).unwrap();
            let regions = grid.regions().unwrap();
            let since = said.len() as u64;
            said.extend(changes(regions, since).expect("one edit is not too much"));
            assert_eq!(said.len() as u64, regions.logged());
            let now: BTreeSet<RegionId> = regions.ids().collect();
            for id in ids.difference(&now) {
                let number = (since..).zip(&said[since as usize..]).find(|(_, said)| *said == id);
                removed.insert(*id, number.expect("a removal is in the log").0);
            }
            for id in now.difference(&ids) {
                if let Some(number) = removed.remove(id) {
                    assert_eq!(regions.changes_since(number), None, "{id:?} is used again");
                    reused += 1;
                }
            }
            ids = now;
            if step % 100 == 0 {
                for since in (0..=regions.logged()).step_by(7) {
                    let Some(changes) = changes(regions, since) else { continue };
                    assert_eq!(changes, said[since as usize..], "since {since}");
                }
            }
        }
        longer += usize::from(grid.regions().unwrap().log.len() > size);
    }
    assert!(reused > 1000 && longer > 0, "{reused} ids used again, {longer} logs became longer");
}

/// One edit that is more than the log can hold: no id is used twice within it.
#[test]
fn an_id_does_not_move_to_another_tile_in_one_edit() {
    let mut random = Random(4);
    let mut too_many = 0;
    for density in 34..44 {
        let grid = Grid::new(128, 128).unwrap().with_neighbors(Neighbors::Four);
        let terrain = Terrain::new(&[1.0, 3.0]).unwrap();
        let mut grid =
            grid.with_terrain(terrain, |cell| (cell.x % 2) as u8).unwrap().with_regions();
        for _ in 0..4 {
            let since = grid.regions().unwrap().logged();
            let tiles = |grid: &Grid| -> BTreeMap<RegionId, u32> {
                let regions = grid.regions().unwrap();
                regions.ids().map(|id| (id, regions.regions[id.0 as usize].tile)).collect()
            };
            let before = tiles(&grid);
            let all = (0..128).flat_map(|y| (0..128).map(move |x| Cell { x, y }));
            let all: Vec<_> = all.map(|cell| (cell, random.below(100) >= density)).collect();
            grid.edit(&all).unwrap();
            too_many += usize::from(grid.regions().unwrap().changes_since(since).is_none());
            for (id, tile) in tiles(&grid) {
                assert!(before.get(&id).is_none_or(|&before| before == tile), "{id:?}");
            }
        }
    }
    assert!(too_many > 0, "no edit was more than the log can hold");
}

/// The cells from which a step leads to a neighbor: the first and the last along the border.
#[test]
fn the_border_to_a_neighbor_is_where_steps_lead_to_it() {
    let mut random = Random(5);
    let mut long = 0;
    for case in 0..60 {
        let grid = random_grid(&mut random, 17 + case);
        let regions = grid.regions().unwrap();
        for id in regions.ids() {
            for (to, ..) in regions.neighbors(id) {
                let leads = |&from: &Cell| {
                    let node = |cell| grid.node(cell).unwrap();
                    regions.cells(to).any(|into| grid.edge(node(from), node(into)).is_some())
                };
                let cells: Vec<Cell> = regions.cells(id).filter(leads).collect();
                let ends = cells.first().copied().zip(cells.last().copied());
                assert_eq!(regions.border(id, to), ends, "{id:?} to {to:?} on {grid:?}");
                long += usize::from(cells.len() > 1);
            }
        }
    }
    assert!(long > 1000, "{long}");
}
