//! The best-first search compared with Dijkstra's algorithm, and with itself under different settings.

use crate::kit::{
    Draw, Explored, Kind, LayeredGraph, LayeredGrid, OnPanic, Problem, Random, explore,
    explore_with, invalid_nodes, ratio, weighted,
};
use tickstar::search::{BestFirst, OpenList, Priority, SearchConfig, Status, Successors};
use tickstar::space::EndpointError;
use tickstar::space::{Corners, Neighbors};
use tickstar::{Cell, Cost, Graph, Grid, Layered, Map, NodeId, Slice, Space, find_path};

const LISTS: [OpenList; 2] = [OpenList::Buckets, OpenList::Heap];
const GRAPHS: [Kind; 3] = [Kind::Undirected, Kind::Positioned, Kind::Directed];

/// Every priority, with and without reopening.
fn settings(open: OpenList) -> impl Iterator<Item = SearchConfig> {
    let priorities =
        [Priority::ASTAR, weighted(7, 5), weighted(3, 1), Priority::GREEDY, Priority::UNIFORM];
    priorities.into_iter().flat_map(move |priority| {
        [false, true].map(|reopen| SearchConfig {
            priority,
            open,
            reopen,
            ..SearchConfig::default()
        })
    })
}

fn grids(seed: u64, count: usize) -> impl Iterator<Item = Problem<LayeredGrid>> {
    let mut random = Random::new(seed);
    (0..count).map(move |_| Problem::<LayeredGrid>::random(&mut random))
}

fn graphs(seed: u64, count: usize) -> impl Iterator<Item = Problem<LayeredGraph>> {
    let mut random = Random::new(seed);
    (0..count).map(move |i| Problem::<LayeredGraph>::random(&mut random, GRAPHS[i % GRAPHS.len()]))
}

/// Runs a check on many random problems of every kind.
macro_rules! on_random_problems {
    ($seed:expr, $grids:expr, $graphs:expr, $check:ident) => {
        for problem in grids($seed, $grids) {
            $check(&problem);
        }
        for problem in graphs($seed, $graphs) {
            $check(&problem);
        }
    };
}

fn explored<S: Map>(problem: &Problem<S>, config: SearchConfig) -> Explored {
    explore(&mut BestFirst::new(config), &problem.space, (problem.start, problem.goal))
}

#[test]
fn paths_are_as_cheap_as_those_of_dijkstra() {
    fn check<S: Map + Draw>(problem: &Problem<S>) {
        let _context = OnPanic(problem);
        for open in LISTS {
            let config = SearchConfig { open, ..SearchConfig::default() };
            let path = find_path(&problem.space, problem.start, problem.goal, config).unwrap();
            assert_eq!(path.as_ref().map(|path| path.cost), problem.optimum);
            let Some(path) = path else { continue };
            assert_eq!(path.nodes.first(), Some(&problem.start));
            assert_eq!(path.nodes.last(), Some(&problem.goal));
            assert_eq!(problem.oracle.path_cost(&path.nodes), path.cost);
        }
    }
    on_random_problems!(1, 4000, 1000, check);
}

#[test]
fn both_open_lists_expand_in_the_same_order() {
    fn check<S: Map + Draw>(problem: &Problem<S>) {
        for config in settings(OpenList::Buckets) {
            let _context = OnPanic((problem, config));
            let heap = SearchConfig { open: OpenList::Heap, ..config };
            assert_eq!(explored(problem, config), explored(problem, heap));
        }
    }
    on_random_problems!(2, 600, 300, check);
    // Large enough for buckets to be split and refilled many times, and crowded: only a few heuristic values among
    // thousands of nodes.
    let mut random = Random::new(2);
    for _ in 0..12 {
        check(&Problem::random_of_size(&mut random, 150, 150));
        let mut crowd = Problem::random_of(&mut random, Kind::Positioned, 5000, 4);
        let alone = |&node: &NodeId| crowd.oracle.edges_of(node).is_empty();
        // If the goal is unreachable, everything else is expanded.
        crowd.goal = (0..5000).map(NodeId).find(alone).unwrap_or(crowd.goal);
        check(&crowd);
    }
}

#[test]
fn pausing_does_not_change_a_search() {
    fn check<S: Map + Draw>(problem: &Problem<S>) {
        for (i, config) in settings(OpenList::Buckets).enumerate() {
            let config = SearchConfig { open: LISTS[i / 2 % 2], ..config };
            let _context = OnPanic((problem, config));
            let whole = explored(problem, config);
            for slice in [1, 7] {
                let mut search = BestFirst::new(config);
                let ends = (problem.start, problem.goal);
                let mut told = Vec::new();
                let sliced = explore_with(&mut search, &problem.space, ends, slice, |search| {
                    told.extend(search.best());
                });
                assert_eq!(sliced, whole);
                // The most promising node at each pause is the one expanded next.
                let after_pauses = whole.order.iter().skip(slice as usize).step_by(slice as usize);
                assert!(told.iter().filter(|&&node| node != problem.goal).eq(after_pauses));
            }
        }
    }
    on_random_problems!(3, 400, 200, check);
}

#[test]
fn a_weighted_path_costs_at_most_the_weight_times_the_optimum() {
    fn check<S: Map + Draw>(problem: &Problem<S>) {
        for (num, den) in [(1, 1), (7, 5), (3, 1), (10, 1)] {
            for reopen in [false, true] {
                let _context = OnPanic((problem, num, den, reopen));
                let priority = weighted(num, den);
                let config = SearchConfig { priority, reopen, ..SearchConfig::default() };
                let path = find_path(&problem.space, problem.start, problem.goal, config).unwrap();
                assert_eq!(path.is_some(), problem.optimum.is_some());
                let Some((path, optimum)) = path.zip(problem.optimum) else { continue };
                assert!(path.cost.0 * den <= optimum.0 * num, "{:?} is too expensive", path.cost);
            }
        }
    }
    on_random_problems!(4, 800, 400, check);
}

/// A grid that omits no neighbor.
struct Thorough<'a>(&'a Grid);

impl Space for Thorough<'_> {
    fn size(&self) -> usize {
        self.0.size()
    }

    fn contains(&self, node: NodeId) -> bool {
        self.0.contains(node)
    }

    fn for_each_edge(&self, from: NodeId, visit: impl FnMut(NodeId, Cost)) {
        self.0.for_each_edge(from, visit);
    }

    fn max_edge_cost(&self) -> Cost {
        self.0.max_edge_cost()
    }

    fn is_reversible(&self) -> bool {
        self.0.is_reversible()
    }
}

impl Map for Thorough<'_> {
    fn estimate(&self, from: NodeId, to: NodeId) -> Cost {
        self.0.estimate(from, to)
    }
}

#[test]
fn omitted_neighbors_change_no_expansion() {
    for problem in grids(5, 800) {
        for config in settings(OpenList::Buckets) {
            let _context = OnPanic((&problem, config));
            let mut search = BestFirst::new(config);
            let ends = (problem.start, problem.goal);
            let thorough = explore(&mut search, &Thorough(&problem.space), ends);
            let skipping = explored(&problem, config);
            assert_eq!(skipping.order, thorough.order);
            assert_eq!(skipping.status, thorough.status);
            assert_eq!(skipping.path, thorough.path);
            for (node, (a, b)) in (0..).map(NodeId).zip(skipping.tree.iter().zip(&thorough.tree)) {
                // A* need not know expensive paths to nodes that it has not expanded.
                let matters = config.priority != Priority::ASTAR || thorough.order.contains(&node);
                assert!(!matters || a == b, "{node}: {a:?}, and with all neighbors {b:?}");
            }
        }
    }
}

/// A* for canonical paths only.
fn canonical() -> SearchConfig {
    SearchConfig { successors: Successors::Canonical, ..SearchConfig::default() }
}

#[test]
fn canonical_searches_reach_every_node_at_its_true_distance() {
    for problem in grids(21, 2_000) {
        let _context = OnPanic(&problem);
        let Problem { space, oracle, start, goal, .. } = &problem;
        let distances = oracle.distances(*start);
        let mut search = BestFirst::new(canonical());
        search.explore(space, *start, *goal);
        search.run(space, &mut Slice::unlimited());
        for (node, &distance) in (0..).map(NodeId).zip(&distances) {
            assert_eq!(search.cost_to(node), distance, "{node}");
        }
        let found = explored(&problem, canonical());
        assert_eq!(found.path.map(|path| oracle.path_cost(&path)), distances[goal.index()]);
        for node in found.order {
            assert_eq!(found.tree[node.index()].0, distances[node.index()], "{node}");
        }
    }
}

#[test]
fn canonical_paths_on_an_empty_map_have_their_diagonal_steps_first() {
    for (neighbors, corners) in [
        (Neighbors::Eight, Corners::Never),
        (Neighbors::Eight, Corners::Allowed),
        (Neighbors::Four, Corners::Never),
    ] {
        let grid = Grid::new(19, 23).unwrap().with_neighbors(neighbors).with_corners(corners);
        let [start, goal] = [(9, 11), (0, 3)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
        let mut search = BestFirst::new(canonical());
        search.explore(&grid, start, goal);
        search.run(&grid, &mut Slice::unlimited());
        for cell in grid.free_cells() {
            let path = search.path_to(grid.node(cell).unwrap()).unwrap();
            let steps: Vec<bool> = path
                .windows(2)
                .map(|step| {
                    let [a, b] = [step[0], step[1]].map(|node| grid.cell(node));
                    a.x != b.x && (a.y != b.y || neighbors == Neighbors::Four)
                })
                .collect();
            assert!(steps.is_sorted_by(|a, b| a >= b), "{cell}: {steps:?}");
        }
    }
}

#[test]
fn canonical_successors_are_ignored_where_they_would_be_wrong() {
    for problem in grids(22, 300) {
        for config in settings(OpenList::Buckets) {
            let others = [
                SearchConfig { blocking: true, ..config },
                SearchConfig { learn: true, ..config },
                SearchConfig { priority: weighted(3, 2), ..config },
                SearchConfig { priority: Priority::GREEDY, ..config },
            ];
            for all in others {
                let _context = OnPanic((&problem, all));
                let canonical = SearchConfig { successors: Successors::Canonical, ..all };
                let (a, b) = (explored(&problem, all), explored(&problem, canonical));
                assert_eq!((a.order, a.tree), (b.order, b.tree));
            }
        }
    }
    let mut random = Random::new(23);
    for problem in grids(23, 300) {
        let problem = problem.on_terrain(&mut random);
        let _context = OnPanic(&problem);
        let (a, b) = (explored(&problem, SearchConfig::default()), explored(&problem, canonical()));
        assert_eq!((a.order, a.tree), (b.order, b.tree));
    }
}

#[test]
fn edges_match_the_oracle_in_the_documented_order() {
    fn check<S: Map + Draw>(problem: &Problem<S>) {
        let _context = OnPanic(problem);
        for node in (0..problem.oracle.size() as u32).map(NodeId) {
            let mut edges = Vec::new();
            problem.space.for_each_edge(node, |to, cost| edges.push((to, cost)));
            assert_eq!(edges, problem.oracle.edges_of(node));
        }
    }
    on_random_problems!(6, 300, 0, check);
}

#[test]
fn parents_lead_to_the_root_at_every_pause() {
    fn check<S: Map + Draw>(problem: &Problem<S>) {
        for config in settings(OpenList::Buckets) {
            let _context = OnPanic((problem, config));
            let mut search = BestFirst::new(config);
            let ends = (problem.start, problem.goal);
            explore_with(&mut search, &problem.space, ends, 20, |search| {
                for node in (0..problem.oracle.size() as u32).map(NodeId) {
                    let Some(cost) = search.cost_to(node) else {
                        assert_eq!(search.parent(node), None);
                        continue;
                    };
                    match search.parent(node) {
                        None => assert_eq!((node, cost), (problem.start, Cost::ZERO)),
                        Some(parent) => {
                            let edge = problem.oracle.edge(parent, node).expect("an edge");
                            assert!(search.is_closed(parent) || config.reopen);
                            assert!(search.cost_to(parent).unwrap() + edge <= cost);
                        }
                    }
                }
            });
        }
    }
    on_random_problems!(7, 60, 120, check);
}

#[test]
fn a_reused_search_behaves_like_a_new_one() {
    let configs: Vec<_> = LISTS.into_iter().flat_map(settings).collect();
    let mut searches: Vec<_> = configs.iter().map(|&config| BestFirst::new(config)).collect();
    let mut random = Random::new(8);
    for (grid, graph) in grids(8, 150).zip(graphs(8, 150)) {
        for (search, &config) in searches.iter_mut().zip(&configs) {
            let _context = OnPanic((&grid, &graph, config));
            if random.chance(30) {
                // A search that is abandoned midway.
                search.start(&grid.space, grid.goal, grid.start);
                search.run(&grid.space, &mut Slice::new(random.below(100)));
            }
            let ends = (grid.start, grid.goal);
            assert_eq!(explore(search, &grid.space, ends), explored(&grid, config));
            let ends = (graph.start, graph.goal);
            assert_eq!(explore(search, &graph.space, ends), explored(&graph, config));
        }
    }
}

#[test]
fn the_heuristic_is_consistent() {
    fn check<S: Map + Draw>(problem: &Problem<S>) {
        let _context = OnPanic(problem);
        let (space, goal) = (&problem.space, problem.goal);
        assert_eq!(space.estimate(goal, goal), Cost::ZERO);
        for from in (0..problem.oracle.size() as u32).map(NodeId) {
            for &(to, cost) in problem.oracle.edges_of(from) {
                assert!(space.estimate(from, goal) <= cost + space.estimate(to, goal));
                assert!(cost <= space.max_edge_cost());
            }
        }
    }
    on_random_problems!(9, 1000, 600, check);
}

#[test]
fn the_goal_is_found_without_being_expanded() {
    fn check<S: Map + Draw>(problem: &Problem<S>) {
        for config in settings(OpenList::Buckets) {
            let _context = OnPanic((problem, config));
            let explored = explored(problem, config);
            assert!(!explored.order.contains(&problem.goal));
            let reachable = problem.optimum.is_some();
            let status = if reachable { Status::Reached } else { Status::Exhausted };
            assert_eq!((explored.status, explored.path.is_some()), (status, reachable));
            if !config.reopen {
                let mut once = explored.order.clone();
                once.sort_unstable();
                once.dedup();
                assert_eq!(once.len(), explored.order.len(), "a node is expanded once");
            }
        }
    }
    on_random_problems!(10, 500, 500, check);
}

#[test]
fn the_goal_wins_ties_without_a_heuristic() {
    // Nodes 1 to 5 and the goal are all one step away; the goal was inserted first, so that without its own rule it
    // would be expanded last.
    let edges = [6, 1, 2, 3, 4, 5].map(|to| (NodeId(0), NodeId(to), Cost(1)));
    let graph = Graph::undirected(7, edges).unwrap();
    for open in LISTS {
        let config = SearchConfig { open, ..SearchConfig::default() };
        let path = find_path(&graph, NodeId(0), NodeId(6), config).unwrap().unwrap();
        assert_eq!((path.cost, path.expansions), (Cost(1), 1));
    }
}

#[test]
fn blocked_or_outside_endpoints_are_errors() {
    let grid = Grid::from_rows(["..#", "..."]).unwrap();
    let good = grid.node(Cell::new(0, 0)).unwrap();
    for bad in invalid_nodes(&grid) {
        let find = |from, to| find_path(&grid, from, to, SearchConfig::default());
        let (node, place) = (bad, grid.describe(bad));
        let start = EndpointError::Start { node, place: place.clone() };
        assert_eq!(find(bad, good), Err(start.clone()));
        assert_eq!(find(good, bad), Err(EndpointError::Goal { node, place }));
        assert_eq!(find(bad, bad), Err(start));
    }
    let wall = grid.node(Cell::new(2, 0)).unwrap();
    let message = |from, to, map: &Layered<Grid>| {
        find_path(map, from, to, SearchConfig::default()).unwrap_err().to_string()
    };
    let layered = Layered::flat(grid);
    let expected = "the start, (2, 0), is blocked or outside the map";
    assert_eq!(message(wall, good, &layered), expected);
    assert_eq!(message(good, wall, &layered), expected.replace("start", "goal"));
    // The ids of a grid fill whole squares: this one is no cell of the map.
    let expected = "the goal, node 3, is blocked or outside the map";
    assert_eq!(message(good, NodeId(3), &layered), expected);
    let graph = Graph::undirected(3, [(NodeId(0), NodeId(1), Cost(1))]).unwrap();
    for bad in [NodeId(3), NodeId(u32::MAX)] {
        let find = |from, to| find_path(&graph, from, to, SearchConfig::default());
        let (node, place) = (bad, bad.to_string());
        let start = EndpointError::Start { node, place: place.clone() };
        assert_eq!(find(bad, NodeId(0)), Err(start));
        assert_eq!(find(NodeId(0), bad), Err(EndpointError::Goal { node, place }));
    }
}

#[test]
fn a_path_from_a_node_to_itself_is_that_node() {
    fn check<S: Map + Draw>(problem: &Problem<S>) {
        for config in settings(OpenList::Buckets) {
            let _context = OnPanic((problem, config));
            let start = problem.start;
            let path = find_path(&problem.space, start, start, config).unwrap().unwrap();
            assert_eq!((path.nodes, path.cost, path.expansions), (vec![start], Cost::ZERO, 0));
        }
    }
    on_random_problems!(11, 50, 50, check);
}

#[test]
fn several_roots_give_the_cheapest_path() {
    fn check<S: Map + Draw>(problem: &Problem<S>) {
        let _context = OnPanic(problem);
        let (space, goal) = (&problem.space, problem.goal);
        let mut random = Random::new(problem.oracle.size() as u64);
        for open in LISTS {
            let mut search = BestFirst::new(SearchConfig { open, ..SearchConfig::default() });
            // Arbitrary nodes, some of them repeated, blocked or outside.
            let roots: Vec<_> = (0..=random.below(6))
                .map(|_| {
                    let node = NodeId(random.below(problem.oracle.size() as u64 + 2) as u32);
                    (node, Cost(random.below(5_000_000)))
                })
                .collect();
            let usable = roots.iter().filter(|(root, _)| space.contains(*root));
            let cheapest = usable
                .filter_map(|&(root, g)| Some(g + problem.oracle.distance(root, goal)?))
                .min();
            search.begin(space, goal, space.estimate(problem.start, goal));
            for &(root, g) in &roots {
                search.add_root(space, root, g);
            }
            let status = search.run(space, &mut Slice::unlimited());
            assert_eq!(status == Status::Reached, cheapest.is_some());
            assert_eq!(search.cost_to(goal).filter(|_| cheapest.is_some()), cheapest);
        }
    }
    on_random_problems!(12, 600, 400, check);
}

#[test]
fn weights_below_one_are_rejected() {
    assert!(Priority::weighted(ratio(9, 10)).is_err());
    assert_eq!(Priority::weighted(ratio(1, 1)), Ok(Priority::ASTAR));
}
