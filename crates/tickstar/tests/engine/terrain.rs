//! Maps with terrain: costs, paths, edits, and the hierarchy above them. The conformance suite and the suites about
//! edits and unknown maps also walk on terrain.

use crate::kit::{
    LayeredGrid, OnPanic, Oracle, Problem, Random, check_estimates, weighted, with_terrain,
};
use tickstar::agent::dstar_lite::{DStarLite, DStarLiteConfig};
use tickstar::agent::time_bounded::Restart;
use tickstar::search::{BestFirst, OpenList, SearchConfig};
use tickstar::space::{GridError, Neighbors, Terrain, TerrainError};
use tickstar::{
    Agent, Cell, Cost, Grid, Hierarchy, Layered, Map, NodeId, Seen, Slice, Space, Step,
    TimeBounded, TimeBoundedConfig, find_path,
};

/// A small random map with terrain, either corner rule, and four or eight neighbors.
fn random_problem(random: &mut Random) -> Problem<LayeredGrid> {
    Problem::<LayeredGrid>::random(random).on_terrain(random)
}

fn nodes(grid: &Grid) -> Vec<NodeId> {
    grid.free_cells().map(|cell| grid.node(cell).unwrap()).collect()
}

#[test]
fn edges_cost_the_mean_of_both_cells() {
    let mut random = Random::new(1);
    for _ in 0..500 {
        let Problem { space: grid, oracle, .. } = random_problem(&mut random);
        for from in nodes(&grid) {
            let mut edges = Vec::new();
            grid.for_each_edge(from, |to, cost| edges.push((to, cost)));
            assert_eq!(edges, oracle.edges_of(from));
            for &(to, cost) in &edges {
                assert_eq!(grid.edge(from, to), Some(cost));
                assert_eq!(grid.edge(to, from), Some(cost), "reversible");
                assert!(cost <= grid.max_edge_cost());
                // The same in floating point, by the definition.
                let length = if cost.0 % 470_832 == 0 { 1.0 } else { std::f64::consts::SQRT_2 };
                let [a, b] = [from, to].map(|node| grid.multiplier(grid.cell(node)));
                assert!((cost.in_cells() - length * (a + b) / 2.0).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn the_heuristic_is_consistent() {
    let mut random = Random::new(2);
    for _ in 0..300 {
        let Problem { space: grid, oracle, goal, .. } = random_problem(&mut random);
        assert_eq!(grid.estimate(goal, goal), Cost::ZERO);
        for from in nodes(&grid) {
            for &(to, cost) in oracle.edges_of(from) {
                assert!(grid.estimate(from, goal) <= cost + grid.estimate(to, goal));
            }
        }
    }
}

/// A* with both open lists, with and without blocking and learning, against Dijkstra's algorithm; and weighted A* within
/// its bound. After some edits, again.
#[test]
fn paths_are_optimal() {
    let mut random = Random::new(3);
    let mut detours = 0;
    for _ in 0..4_000 {
        let mut problem = random_problem(&mut random);
        for _ in 0..3 {
            let context = OnPanic(&problem);
            let Problem { space: grid, oracle, start, goal, optimum } = &problem;
            for (open, blocking, learn) in [
                (OpenList::Buckets, false, false),
                (OpenList::Heap, false, false),
                (OpenList::Buckets, true, false),
                (OpenList::Buckets, false, true),
            ] {
                let options = SearchConfig { open, blocking, learn, ..SearchConfig::default() };
                let path = find_path(grid, *start, *goal, options).unwrap();
                assert_eq!(path.as_ref().map(|path| path.cost), *optimum);
                if let Some(path) = path {
                    assert_eq!(oracle.path_cost(&path.nodes), path.cost);
                }
            }
            let options = SearchConfig { priority: weighted(3, 2), ..SearchConfig::default() };
            let path = find_path(grid, *start, *goal, options).unwrap();
            assert_eq!(path.is_some(), optimum.is_some());
            if let (Some(path), Some(optimum)) = (path, *optimum) {
                assert!(path.cost.0 * 2 <= optimum.0 * 3);
                detours += usize::from(path.cost != optimum);
            }
            drop(context);
            change(&mut problem, &mut random);
        }
    }
    assert!(detours > 100, "weighted searches are hardly ever misled: {detours}");
}

/// Changes some cells and their terrain.
fn change(problem: &mut Problem<LayeredGrid>, random: &mut Random) {
    let grid = &mut problem.space;
    let classes = grid.terrain().unwrap().classes() as u64;
    let spared = [problem.start, problem.goal];
    for _ in 0..=random.below(6) {
        let [x, y] = [grid.width(), grid.height()].map(|side| random.below(side.into()) as u32);
        let cell = Cell::new(x, y);
        let before = (grid.class(cell), grid.version());
        let class = random.below(classes) as u8;
        assert_eq!(grid.set_class(cell, class).unwrap(), before.0 != Some(class));
        assert_eq!(grid.version() > before.1, before.0 != Some(class));
        assert_eq!(grid.class(cell), Some(class));
        if random.chance(30) && !spared.contains(&grid.node(cell).unwrap()) {
            grid.set_free(cell, random.chance(50)).unwrap();
        }
    }
    let oracle = Oracle::of_grid(grid);
    *problem = Problem::new(problem.space.clone(), oracle, problem.start, problem.goal);
}

/// Uniform ground of any class is a map without terrain, at another scale: the same search, step by step.
#[test]
fn terrain_of_one_class_changes_only_the_scale() {
    let mut random = Random::new(4);
    for _ in 0..300 {
        let Problem { space, start, goal, .. } = Problem::<LayeredGrid>::random(&mut random);
        let plain = space.into_space();
        for multiplier in [1.0, 2.5, 100.0] {
            let terrain = Terrain::new(&[multiplier]).unwrap();
            let same = plain.clone().with_terrain(terrain, |_| 0).unwrap();
            let [a, b] = [&plain, &same].map(|grid| {
                let blocking = true; // so that plain ground, too, is searched without shortcuts
                let options = SearchConfig { blocking, ..SearchConfig::default() };
                let mut search = BestFirst::new(options);
                search.start(grid, start, goal);
                search.run(grid, &mut Slice::unlimited());
                search
            });
            let scale = |cost: Cost| Cost((cost.0 as f64 * multiplier) as u64);
            assert_eq!(a.cost_to(goal).map(scale), b.cost_to(goal));
            assert_eq!(a.path_to(goal), b.path_to(goal));
            assert_eq!(same.clone().without_terrain().to_map(), plain.to_map());
        }
    }
}

/// Every node that a pruned search expands is expanded at its true distance: no cheaper path was omitted.
#[test]
fn omitted_neighbors_never_matter() {
    let mut random = Random::new(5);
    for _ in 0..1_000 {
        let Problem { space, oracle, start, goal, .. } = random_problem(&mut random);
        let mut search = BestFirst::new(SearchConfig::default());
        search.explore(&space, start, goal);
        search.run(&space, &mut Slice::unlimited());
        for (node, distance) in (0..).map(NodeId).zip(oracle.distances(start)) {
            assert_eq!(search.cost_to(node), distance, "{node}");
        }
    }
}

/// The edges of a level cost at least as much as the estimate says, and the same whether it was repaired or rebuilt.
#[test]
fn levels_stay_consistent_and_in_step() {
    let mut random = Random::new(6);
    let mut heavier = 0;
    for _ in 0..300 {
        let mut problem = random_problem(&mut random);
        for _ in 0..4 {
            change(&mut problem, &mut random);
            let grid = &problem.space;
            let levels = grid.hierarchy().unwrap();
            for level in 1..=levels.height() {
                let space = levels.level(level);
                for node in (0..space.size() as u32).map(NodeId).filter(|&n| space.contains(n)) {
                    let mean = |node| {
                        let cells = levels.cells(level, node);
                        let sum: f64 = cells.iter().map(|&n| grid.multiplier(grid.cell(n))).sum();
                        sum / cells.len() as f64
                    };
                    let multipliers = grid.terrain().unwrap().multipliers();
                    let cheapest = multipliers.reduce(f64::min).unwrap();
                    space.for_each_edge(node, |to, cost| {
                        let length = space.estimate(node, to).0;
                        assert!(cost.0 >= length && cost <= space.max_edge_cost());
                        let expected = length as f64 * (mean(node) + mean(to)) / 2.0 / cheapest;
                        assert!((cost.0 as f64 - expected).abs() <= 2.0 + expected / 50.0);
                        heavier += usize::from(cost.0 > length);
                    });
                }
            }
        }
    }
    assert!(heavier > 1000, "{heavier}");
}

/// A class edit leaves all groups as they are, and a general change of a whole grid is noticed.
#[test]
fn class_edits_regroup_nothing() {
    let terrain = Terrain::new(&[1.0, 5.0]).unwrap();
    let grid = Grid::new(40, 40).unwrap().with_terrain(terrain, |_| 0).unwrap();
    let mut map = Layered::new(grid.clone()).unwrap();
    let visited = map.hierarchy().unwrap().nodes_visited();
    let parents = |map: &LayeredGrid| -> Vec<_> {
        let levels = map.hierarchy().unwrap();
        nodes(map)
            .into_iter()
            .map(|node| (1..9).map(|l| levels.ancestor(node, l)).collect::<Vec<_>>())
            .collect()
    };
    let before = parents(&map);
    let edits: Vec<_> = (0..40).map(|x| (Cell::new(x, 7), 1)).collect();
    assert_eq!(map.edit_classes(&edits), Ok(40));
    assert_eq!(map.edit_classes(&edits), Ok(0));
    assert_eq!(parents(&map), before);
    assert!(map.hierarchy().unwrap().nodes_visited() - visited < 300);
    assert_eq!(map.hierarchy().unwrap().worn_regions(), 0);
    // Without terrain, the levels have the costs of plain ground again.
    map.change(&[], |space| *space = grid.clone().without_terrain());
    let fresh = Hierarchy::new(map.space()).unwrap();
    let cost = |levels: &Hierarchy| {
        let mut sum = 0;
        levels.level(1).for_each_edge(NodeId(0), |_, cost| sum += cost.0);
        sum
    };
    assert_eq!(cost(map.hierarchy().unwrap()), cost(&fresh));
}

/// Cells become cheaper and more expensive while agents walk: D* Lite always knows the cheapest path, and what TBAA* has
/// learned never exceeds a true distance. Both arrive, as the endpoints stay connected.
#[test]
fn agents_keep_up_with_changing_terrain() {
    let mut random = Random::new(7);
    let (mut moves, mut raised) = (0, 0);
    for round in 0..400 {
        let mut problem = random_problem(&mut random);
        if problem.optimum.is_none() {
            continue;
        }
        let (start, goal) = (problem.start, problem.goal);
        let config = DStarLiteConfig::default();
        let mut dstar = DStarLite::new(&problem.space, config, start, goal).unwrap();
        let search = SearchConfig { learn: true, ..SearchConfig::default() };
        let restart = random.pick(&[Restart::Path, Restart::Lazy, Restart::Eager]);
        let config = TimeBoundedConfig { search, restart, ..TimeBoundedConfig::default() };
        let mut tbaa = TimeBounded::new(&problem.space, config, start, goal).unwrap();
        let budget = random.pick(&[1, 5, 20, 1000]);
        let often = random.pick(&[0, 10, 60]);
        let mut changed = Vec::new();
        for tick in 0.. {
            let context = OnPanic((round, tick, &problem));
            assert!(tick < 20_000, "it does not arrive");
            let (map, seen) = (&problem.space, Seen { changed: &changed });
            let to_goal = problem.oracle.distances(goal);
            let at = dstar.position();
            let first = dstar.tick(map, at, seen, &mut Slice::new(budget));
            if let Step::Move(to) = first {
                moves += 1;
                let cost = problem.oracle.path_cost(&[at, to]);
                assert_eq!(dstar.cost_to_go(), to_goal[to.index()]);
                assert_eq!(dstar.cost_to_go().map(|left| cost + left), to_goal[at.index()]);
            }
            let at = tbaa.position();
            let second = tbaa.tick(map, at, seen, &mut Slice::new(budget));
            if let Step::Move(to) = second {
                problem.oracle.path_cost(&[at, to]);
            }
            raised += check_estimates(tbaa.search(), map, &problem.oracle, &to_goal);
            let verdicts = [first, second];
            assert!(!verdicts.contains(&Step::Unreachable));
            if verdicts == [Step::Arrived; 2] {
                break;
            }
            drop(context);
            changed.clear();
            // After a while the map rests, so that even a small budget suffices.
            if tick < 300 && random.chance(often) {
                let grid = &mut problem.space;
                let classes = grid.terrain().unwrap().classes() as u64;
                for _ in 0..=random.below(5) {
                    let side = [grid.width(), grid.height()];
                    let [x, y] = side.map(|side| random.below(side.into()) as u32);
                    let cell = Cell::new(x, y);
                    if grid.set_class(cell, random.below(classes) as u8).unwrap() {
                        changed.extend(grid.node(cell));
                    }
                }
                problem.oracle = Oracle::of_grid(&problem.space);
            }
        }
    }
    assert!(moves > 2000 && raised > 2000, "{moves}, {raised}");
}

#[test]
fn bad_tables_and_classes_are_named() {
    let message = |multipliers: &[f64]| Terrain::new(multipliers).unwrap_err().to_string();
    assert_eq!(message(&[]), "terrain has 1 to 64 classes, not 0");
    assert_eq!(message(&[1.0; 65]), "terrain has 1 to 64 classes, not 65");
    for bad in [0.0, 0.75, -1.0, 1.1, 100.25, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = Terrain::new(&[1.0, bad]).unwrap_err();
        assert!(matches!(error, TerrainError::Multiplier { class: 1, .. }), "{bad}");
    }
    assert_eq!(
        message(&[1.0, 0.5]),
        "class 1 of the terrain has the multiplier 0.5: multipliers are from 1 to 100, in steps of 0.25"
    );
    let terrain = Terrain::new(&[1.0, 100.0]).unwrap();
    assert_eq!(terrain.multipliers().collect::<Vec<_>>(), [1.0, 100.0]);
    assert_eq!((terrain.multiplier(1), terrain.multiplier(2)), (Some(100.0), None));
    let plain = Grid::new(3, 2).unwrap();
    let error = plain.clone().with_terrain(terrain.clone(), |cell| cell.x as u8).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cell (2, 0) cannot have class 2: the terrain has 2 classes, counted from 0"
    );
    let cell = Cell::new(1, 1);
    assert_eq!(plain.clone().set_class(cell, 0), Err(GridError::NoTerrain { cell }));
    assert_eq!((plain.class(cell), plain.multiplier(cell)), (None, 1.0));
    let mut map = Layered::new(plain.with_terrain(terrain, |_| 1).unwrap()).unwrap();
    let outside = Cell::new(3, 0);
    assert!(matches!(map.set_class(outside, 0), Err(GridError::Outside { .. })));
    let mixed = [(cell, 0), (Cell::new(0, 0), 2)];
    assert!(matches!(map.edit_classes(&mixed), Err(GridError::Class { .. })));
    assert_eq!(map.class(cell), Some(1), "nothing is changed by a bad edit");
    assert_eq!((map.class(outside), map.multiplier(outside)), (None, 1.0));
}

/// The longest and most expensive paths stay far below the limits of costs.
#[test]
fn the_dearest_ground_does_not_overflow() {
    let terrain = Terrain::new(&[100.0, 1.0]).unwrap();
    let grid = Grid::new(65_528, 2).unwrap().with_terrain(terrain, |_| 0).unwrap();
    assert!(grid.max_edge_cost().0 < 1 << 32);
    let [from, to] = [0, 65_527].map(|x| grid.node(Cell::new(x, 0)).unwrap());
    let path = find_path(&grid, from, to, SearchConfig::default()).unwrap().unwrap();
    assert_eq!(path.cost, Cost(65_527 * 100 * Cost::STRAIGHT.0));
    let levels = Hierarchy::new(&grid).unwrap();
    for level in 1..=levels.height() {
        let space = levels.level(level);
        assert!(space.max_edge_cost().0 < 1 << 32, "level {level}");
    }
    let four = with_terrain(Grid::new(9, 9).unwrap(), &mut Random::new(1), 9);
    assert!(four.clone().with_neighbors(Neighbors::Four).max_edge_cost() < four.max_edge_cost());
}
