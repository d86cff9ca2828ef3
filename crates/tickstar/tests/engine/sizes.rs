//! Units larger than a cell: their maps, kept in step with edits, and their walks.

use crate::kit::{LayeredGrid, Problem, Random, tick};
use tickstar::catalog;
use tickstar::space::{Clearance, Corners, GridError, Neighbors, Terrain};
use tickstar::{Cell, Grid, Hierarchy, NodeId, Seen, Space, Step};

/// A random map, with terrain or without.
fn random_grid(random: &mut Random) -> Grid {
    let problem = Problem::<LayeredGrid>::random(random);
    let problem = if random.chance(50) { problem.on_terrain(random) } else { problem };
    problem.space.into_space()
}

/// The cells under a unit, by the definition.
fn square(size: u32, at: Cell) -> Vec<Cell> {
    (0..size).flat_map(|y| (0..size).map(move |x| Cell::new(at.x + x, at.y + y))).collect()
}

/// Compares every cell with the definition.
fn check(clearance: &Clearance, grid: &Grid) {
    let (map, size) = (clearance.map(), clearance.size());
    assert_eq!((map.width(), map.height()), (grid.width(), grid.height()));
    assert_eq!((map.neighbors(), map.corners()), (grid.neighbors(), grid.corners()));
    for y in 0..grid.height() {
        for x in 0..grid.width() {
            let anchor = Cell::new(x, y);
            let under = square(size, anchor);
            assert!(clearance.covered(anchor).eq(under.iter().copied()));
            let free = under.iter().all(|&cell| grid.is_free(cell));
            assert_eq!(map.is_free(anchor), free, "{anchor} for {size} on {grid:?}");
            if free {
                let multipliers = under.iter().map(|&cell| grid.multiplier(cell));
                let worst = multipliers.reduce(f64::max).unwrap();
                assert!((map.multiplier(anchor) - worst).abs() < 1e-9, "{anchor} on {grid:?}");
            }
        }
    }
}

#[test]
fn maps_for_larger_units_are_those_of_the_definition() {
    let mut random = Random::new(1);
    for _ in 0..300 {
        let grid = random_grid(&mut random);
        for size in [1, 2, 3, 5, 30] {
            check(&grid.for_size(size).unwrap(), &grid);
        }
        let own = grid.for_size(1).unwrap();
        assert_eq!(own.map().to_map(), grid.to_map());
    }
    // More rows than are computed at a time.
    let tall = Grid::from_fn(9, 300, |cell| (cell.x * 7 + cell.y * 13) % 61 > 0).unwrap();
    for size in [2, 4, 9, 70] {
        check(&tall.for_size(size).unwrap(), &tall);
    }
    assert_eq!(tall.for_size(u32::MAX).unwrap().map().free_cells().count(), 0);
}

/// Random edits of the grid, one or several at a time: the derived map equals one made from scratch, exactly the changed
/// anchors are returned, and the hierarchy stays in step.
#[test]
fn updates_keep_maps_in_step() {
    let mut random = Random::new(2);
    for _ in 0..300 {
        let mut grid = random_grid(&mut random);
        let mut clearance = grid.for_size(1 + random.below(4) as u32).unwrap();
        if random.chance(50) {
            clearance.build_hierarchy().unwrap();
        }
        for _ in 0..20 {
            let mut changed = Vec::new();
            for _ in 0..=random.below(4) {
                let [x, y] =
                    [grid.width(), grid.height()].map(|side| random.below(side.into()) as u32);
                let cell = Cell::new(x, y);
                changed.push(cell);
                grid.set_free(cell, random.chance(60)).unwrap();
                if let Some(classes) = grid.terrain().map(Terrain::classes) {
                    grid.set_class(cell, random.below(classes as u64) as u8).unwrap();
                }
            }
            let before = clearance.map().clone();
            let mut reported = clearance.update(&grid, &changed).unwrap();
            check(&clearance, &grid);
            let state = |map: &Grid, cell| map.is_free(cell).then(|| map.class(cell));
            let map = clearance.map();
            let all = (0..map.height()).flat_map(|y| (0..map.width()).map(move |x| (x, y)));
            let all = all.map(|(x, y)| Cell::new(x, y));
            let mut expected: Vec<NodeId> = all
                .filter(|&cell| state(map, cell) != state(&before, cell))
                .map(|cell| map.node(cell).unwrap())
                .collect();
            reported.sort_unstable();
            expected.sort_unstable();
            assert_eq!(reported, expected);
            if let Some(levels) = map.hierarchy() {
                let fresh = Hierarchy::new(map.space()).unwrap();
                for a in map.free_cells().map(|cell| map.node(cell).unwrap()) {
                    let b = map.free_cells().next().map(|cell| map.node(cell).unwrap()).unwrap();
                    assert_eq!(levels.reachable(a, b), fresh.reachable(a, b));
                }
            }
        }
    }
}

/// No edge takes a unit over a blocked cell: the cells that its square sweeps, sampled along the way, are free, except
/// the two corners that may be cut.
#[test]
fn steps_of_larger_units_sweep_only_free_cells() {
    let mut random = Random::new(3);
    let mut cuts = 0;
    for _ in 0..200 {
        let grid = random_grid(&mut random);
        let size = 1 + random.below(4) as u32;
        let clearance = grid.for_size(size).unwrap();
        let map = clearance.map();
        for from in map.free_cells() {
            let mut targets = Vec::new();
            map.for_each_edge(map.node(from).unwrap(), |to, _| targets.push(map.cell(to)));
            for to in targets {
                let (x, y) = (from.x.min(to.x), from.y.min(to.y));
                let (wide, high) = (size + from.x.abs_diff(to.x), size + from.y.abs_diff(to.y));
                let swept = (0..high).flat_map(|dy| (0..wide).map(move |dx| (dx, dy)));
                let blocked: Vec<_> =
                    swept.filter(|&(dx, dy)| !grid.is_free(Cell::new(x + dx, y + dy))).collect();
                if grid.corners() == Corners::Never || wide == size || high == size {
                    assert_eq!(blocked, [], "{from} to {to} for {size} on {grid:?}");
                }
                // The corners beside the diagonal.
                let falls = (from.x < to.x) == (from.y < to.y);
                let beside = if falls { [(size, 0), (0, size)] } else { [(0, 0), (size, size)] };
                assert!(blocked.iter().all(|cell| beside.contains(cell)));
                cuts += blocked.len();
            }
        }
    }
    assert!(cuts > 100, "{cuts}");
}

/// Agents of several algorithms walk as large units while the grid changes, and never stand on a blocked cell.
#[test]
fn larger_units_never_overlap_a_wall() {
    let mut random = Random::new(4);
    let names = ["tba", "tb-wastar", "rtba", "tbaa", "rtb-wastar", "dstar-lite", "pra", "astar"];
    let mut arrived = 0;
    for round in 0..600 {
        let side = 6 + random.below(24) as u32;
        let mut grid = Grid::from_fn(side, side, |_| !random.chance(8)).unwrap();
        if random.chance(30) {
            grid = grid.with_neighbors(Neighbors::Four);
        }
        if random.chance(30) {
            grid = grid.with_corners(Corners::Allowed);
        }
        let mut clearance = grid.for_size(2 + random.below(2) as u32).unwrap();
        clearance.build_hierarchy().unwrap();
        let places: Vec<Cell> = clearance.map().free_cells().collect();
        if places.is_empty() {
            continue;
        }
        let [start, goal] = [(); 2].map(|()| clearance.map().node(random.pick(&places)).unwrap());
        let entry = catalog::find(names[round % names.len()]).unwrap();
        let config = entry.configure::<&str, &str>(&[]).unwrap();
        let mut agent = config.agent(clearance.map(), start, goal).unwrap();
        let mut changed = Vec::new();
        for _ in 0..300 {
            let at = agent.position();
            let step =
                tick(agent.as_mut(), clearance.map(), Seen { changed: &changed }, 20, u64::MAX)
                    .step;
            let here = clearance.map().cell(if let Step::Move(to) = step { to } else { at });
            assert!(clearance.covered(here).all(|cell| grid.is_free(cell)), "{here} {grid:?}");
            changed.clear();
            match step {
                Step::Arrived => {
                    arrived += 1;
                    break;
                }
                Step::Unreachable => break,
                Step::Move(_) | Step::Wait => {}
            }
            // Somebody builds and breaks walls, but not under the unit.
            let [x, y] = [(); 2].map(|()| random.below(side.into()) as u32);
            let cell = Cell::new(x, y);
            if random.chance(20) && !clearance.covered(here).any(|under| under == cell) {
                grid.set_free(cell, random.chance(70)).unwrap();
                changed = clearance.update(&grid, &[cell]).unwrap();
            }
        }
    }
    assert!(arrived > 200, "{arrived}");
}

#[test]
fn wrong_sizes_and_grids_are_named() {
    let grid = Grid::new(4, 3).unwrap();
    let error = grid.for_size(0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a unit of 0 by 0 cells has no place on a map: its size must be 1 or more"
    );
    let mut clearance = grid.for_size(2).unwrap();
    let outside = Cell::new(4, 0);
    assert!(matches!(clearance.update(&grid, &[outside]), Err(GridError::Outside { .. })));
    let other = Grid::new(3, 4).unwrap();
    assert_eq!(clearance.update(&other, &[]), Err(GridError::OtherGrid));
    let terrain = Terrain::new(&[1.0, 2.0]).unwrap();
    let weighted = grid.clone().with_terrain(terrain, |_| 0).unwrap();
    assert_eq!(clearance.update(&weighted, &[]), Err(GridError::OtherGrid));
    assert_eq!(clearance.update(&grid, &[]), Ok(Vec::new()));
}

/// The levels above a map for larger units know of terrain that has changed, even where no anchor is blocked or freed.
#[test]
fn levels_are_kept_in_step_with_terrain() {
    let mut random = Random::new(9);
    let terrain = Terrain::new(&[1.0, 3.0, 20.0]).unwrap();
    let grid = Grid::new(24, 24).unwrap();
    let mut grid = grid.with_terrain(terrain, |_| random.below(3) as u8).unwrap();
    let built = |grid: &Grid| {
        let mut clearance = grid.for_size(2).unwrap();
        clearance.build_hierarchy().unwrap();
        clearance
    };
    let edges = |clearance: &Clearance| {
        let hierarchy = clearance.map().hierarchy().unwrap();
        let mut edges = Vec::new();
        for level in 1..=hierarchy.height() {
            let level = hierarchy.level(level);
            for node in (0..level.size() as u32).map(NodeId) {
                level.for_each_edge(node, |to, cost| edges.push((node, to, cost)));
            }
        }
        edges
    };
    let mut clearance = built(&grid);
    let mut before = edges(&clearance);
    for _ in 0..20 {
        let cell = Cell::new(random.below(24) as u32, random.below(24) as u32);
        let class = (grid.class(cell).unwrap() + 1) % 3;
        grid.set_class(cell, class).unwrap();
        let changed = clearance.update(&grid, &[cell]).unwrap();
        let after = edges(&clearance);
        assert!(after == edges(&built(&grid)), "{cell}");
        assert!(changed.is_empty() || after != before, "{cell}");
        before = after;
    }
}
