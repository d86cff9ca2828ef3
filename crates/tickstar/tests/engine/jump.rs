//! Whole paths by jump points, against Dijkstra's search.

use tickstar::search::{BestFirst, SearchConfig, Status};
use tickstar::space::{Corners, Neighbors};
use tickstar::{
    Agent, Cell, Cost, Event, Graph, Grid, Layered, Map, NodeId, PathFinder, Seen, Slice, Space,
    Step, TimeBounded, TimeBoundedConfig, find_path,
};

use crate::kit::{OnPanic, Oracle, Random, with_terrain};

/// A map of one of several kinds: noise of any density, rooms with doors, or an open map with a few bars.
fn random_grid(random: &mut Random, width: u32, height: u32) -> Grid {
    let percent = random.pick(&[0, 3, 10, 25, 40, 55]);
    let room = 2 + random.below(9) as u32;
    let kind = random.below(3);
    let bar = 1 + random.below(40) as u32;
    Grid::from_fn(width, height, |cell| match kind {
        0 => !random.chance(percent),
        1 => !cell.x.is_multiple_of(room) && !cell.y.is_multiple_of(room) || random.chance(15),
        _ => (cell.x + cell.y * 7) % 50 < bar || random.chance(90),
    })
    .unwrap()
}

fn random_size(random: &mut Random) -> (u32, u32) {
    let mut side = |most: u64| 1 + random.below(most) as u32;
    match side(6) {
        1 => (side(200), side(8)),
        2 => (side(8), side(200)),
        3 => (side(70), side(70)),
        _ => (side(20), side(20)),
    }
}

/// Checks paths from one free cell to others, in both directions, on the map as it is.
fn check(finder: &mut PathFinder, grid: &Grid, random: &mut Random) {
    let free: Vec<NodeId> = grid.free_cells().map(|cell| grid.node(cell).unwrap()).collect();
    if free.is_empty() {
        return;
    }
    let oracle = Oracle::of_grid(grid);
    let start = random.pick(&free);
    let distances = oracle.distances(start);
    let goals = (0..6).map(|_| random.pick(&free)).chain([free[0], free[free.len() - 1], start]);
    for goal in goals {
        let _context = OnPanic((grid, grid.cell(start), grid.cell(goal)));
        let distance = distances[goal.index()];
        for (from, to) in [(start, goal), (goal, start)] {
            let path = finder.find(grid, from, to).unwrap();
            assert_eq!(path.as_ref().map(|path| path.cost), distance);
            let Some(path) = path else { continue };
            assert_eq!((path.nodes[0], path.nodes[path.nodes.len() - 1]), (from, to));
            let steps = path.nodes.windows(2);
            let sum: Cost = steps.map(|step| oracle.edge(step[0], step[1]).unwrap()).sum();
            assert_eq!(sum, path.cost, "the cells lead along edges, at the stated cost");
        }
    }
}

#[test]
fn paths_are_optimal_on_random_maps_also_after_edits() {
    let mut random = Random::new(1301);
    // One finder for maps of all sizes, kinds and rules.
    let mut finder = PathFinder::default();
    for round in 0..1500 {
        let (width, height) = random_size(&mut random);
        let mut grid = random_grid(&mut random, width, height);
        if round % 2 == 0 {
            grid = grid.with_corners(Corners::Allowed);
        }
        check(&mut finder, &grid, &mut random);
        for _ in 0..=random.below(5) {
            let cell = |random: &mut Random| {
                let x = random.below(width.into()) as u32;
                Cell::new(x, random.below(height.into()) as u32)
            };
            let at = cell(&mut random);
            grid.set_free(at, !grid.is_free(at)).unwrap();
            let many: Vec<_> = (0..4).map(|_| (cell(&mut random), random.chance(50))).collect();
            grid.edit(&many).unwrap();
        }
        check(&mut finder, &grid, &mut random);
    }
}

/// On larger maps, against A* one cell at a time.
#[test]
fn long_scans_find_the_same_costs_as_plain_search() {
    let mut random = Random::new(1302);
    let (mut finder, mut plain) = (PathFinder::default(), BestFirst::new(SearchConfig::default()));
    let (mut jumps, mut cells) = (0, 0);
    for round in 0..60 {
        let corners = if round % 2 == 0 { Corners::Never } else { Corners::Allowed };
        let (width, height) = (150 + random.below(350) as u32, 150 + random.below(350) as u32);
        let blocks: Vec<_> = (0..random.below(120))
            .map(|_| {
                let [x, y] = [width, height].map(|side| random.below(side.into()) as u32);
                (x, y, x + random.below(40) as u32, y + random.below(40) as u32)
            })
            .collect();
        let inside = |cell: Cell, &(left, top, right, bottom): &(u32, u32, u32, u32)| {
            (left..=right).contains(&cell.x) && (top..=bottom).contains(&cell.y)
        };
        let free = |cell| !blocks.iter().any(|block| inside(cell, block));
        let grid = Grid::from_fn(width, height, free).unwrap().with_corners(corners);
        let free: Vec<_> = grid.free_cells().map(|cell| grid.node(cell).unwrap()).collect();
        for _ in 0..5 {
            let (from, to) = (random.pick(&free), random.pick(&free));
            let path = finder.find(&grid, from, to).unwrap();
            plain.start(&grid, from, to);
            let mut slice = Slice::unlimited();
            let reached = plain.run(&grid, &mut slice) == Status::Reached;
            assert_eq!(reached, path.is_some());
            let Some(path) = path else { continue };
            assert_eq!(Some(path.cost), plain.cost_to(to));
            assert!(path.nodes.windows(2).all(|step| grid.edge(step[0], step[1]).is_some()));
            (jumps, cells) = (jumps + path.expansions, cells + slice.expansions());
        }
    }
    assert!(jumps * 20 < cells, "{jumps} jump points, {cells} cells");
}

#[test]
fn the_map_behind_a_hierarchy_or_for_large_units_is_searched_by_jump_points_too() {
    let grid = Grid::new(80, 80).unwrap();
    let carts = grid.for_size(2).unwrap();
    let layered = Layered::flat(grid.clone());
    let four = grid.clone().with_neighbors(Neighbors::Four);
    let terrain = with_terrain(grid.clone(), &mut Random::new(5), 4);
    let [from, to] = [(1, 2), (70, 40)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
    let on = |map: &Layered<Grid>| find(map, from, to).expansions;
    assert!(on(&layered) < 5 && on(carts.map()) < 5);
    for plain in [&four, &terrain] {
        assert!(find(plain, from, to).expansions > 60);
    }
}

/// A large map with bars across it, each open at one end or in the middle.
fn barred_grid(random: &mut Random, side: u32, corners: Corners) -> Grid {
    let bars: Vec<_> =
        (0..side / 30).map(|bar| (20 + 30 * bar, random.below(side.into()) as u32)).collect();
    let is_bar =
        |cell: Cell| bars.iter().any(|&(row, gap)| cell.y == row && cell.x.abs_diff(gap) > 2);
    Grid::from_fn(side, side, |cell| !is_bar(cell) && !random.chance(1))
        .unwrap()
        .with_corners(corners)
}

fn jumping(grid: &Grid, start: NodeId, goal: NodeId) -> TimeBounded {
    let config = TimeBoundedConfig { jump: true, ..TimeBoundedConfig::default() };
    TimeBounded::new(grid, config, start, goal).unwrap()
}

#[test]
fn an_agent_that_jumps_moves_in_every_tick_and_is_on_its_path_at_once() {
    let mut random = Random::new(1303);
    let mut finder = PathFinder::default();
    let mut long = 0;
    for round in 0..24 {
        let corners = if round % 2 == 0 { Corners::Never } else { Corners::Allowed };
        let grid = barred_grid(&mut random, 300, corners);
        let free: Vec<_> = grid.free_cells().map(|cell| grid.node(cell).unwrap()).collect();
        let (start, goal) = (random.pick(&free[..9000]), random.pick(&free[80_000..]));
        let Some(path) = finder.find(&grid, start, goal).unwrap() else { continue };
        let budget = random.pick(&[1, 2, 5, 20, 60]);
        let _context = OnPanic((grid.cell(start), grid.cell(goal), round, budget));
        let mut agent = jumping(&grid, start, goal);
        let limits = agent.limits(budget);
        let (mut at, mut cost, mut to_come) = (start, Cost::ZERO, None);
        loop {
            let mut slice = Slice::new(budget);
            let step = agent.tick(&grid, at, Seen::default(), &mut slice);
            assert!(slice.expansions() <= limits.expansions && slice.traces() <= limits.traces);
            let Step::Move(to) = step else {
                assert_eq!((step, at), (Step::Arrived, goal));
                break;
            };
            let step = grid.edge(at, to).expect("a legal step");
            (at, cost) = (to, cost + step);
            if slice.has(Event::Found) {
                assert_eq!(agent.plan().map(|plan| plan.len()), Some(path.nodes.len()));
                // It has far fewer jump points than cells.
                let is_short = path.nodes.len() as u64 <= limits.traces;
                long += u64::from(!is_short && slice.has(Event::Adopted));
                to_come = Some(Cost(0));
            }
            to_come = to_come.map(|sum| sum + step);
        }
        assert!(cost >= path.cost);
        assert!(to_come.is_some_and(|cost| cost.0 <= 2 * path.cost.0), "back, and along the path");
    }
    assert!(long > 8, "{long} paths were adopted in the tick in which they were found");
}

#[test]
fn an_agent_that_is_pushed_off_a_jump_keeps_its_search() {
    let mut random = Random::new(1304);
    let mut pushes = 0;
    for round in 0..20 {
        let grid = barred_grid(&mut random, 150, Corners::Never);
        let free: Vec<_> = grid.free_cells().map(|cell| grid.node(cell).unwrap()).collect();
        let (start, goal) = (random.pick(&free[..2000]), random.pick(&free[20_000..]));
        if PathFinder::default().find(&grid, start, goal).unwrap().is_none() {
            continue;
        }
        let _context = OnPanic((grid.cell(start), grid.cell(goal), round));
        let mut agent = jumping(&grid, start, goal);
        let mut at = start;
        for tick in 1..20_000 {
            let mut slice = Slice::new(4);
            let step = agent.tick(&grid, at, Seen::default(), &mut slice);
            assert!(!slice.has(Event::Restart), "in tick {tick}");
            let Step::Move(to) = step else {
                assert_eq!((step, at), (Step::Arrived, goal));
                break;
            };
            assert!(grid.edge(at, to).is_some(), "an illegal step");
            at = to;
            if tick % 7 == 0 && at != goal {
                let mut neighbors = vec![];
                grid.for_each_edge(at, |to, _| neighbors.push(to));
                at = random.pick(&neighbors);
                pushes += 1;
            }
        }
        assert_eq!(at, goal);
    }
    assert!(pushes > 200);
}

fn find(map: &impl Map, from: NodeId, to: NodeId) -> tickstar::Path {
    find_path(map, from, to, SearchConfig::default()).unwrap().unwrap()
}

/// A map whose edges are computed by searching another map.
struct Nested(Grid);

impl Space for Nested {
    fn size(&self) -> usize {
        2
    }
    fn contains(&self, node: NodeId) -> bool {
        node.0 < 2
    }
    fn for_each_edge(&self, from: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        let [a, b] = [(0, 0), (5, 5)].map(|(x, y)| self.0.node(Cell::new(x, y)).unwrap());
        visit(NodeId(1 - from.0), find(&self.0, a, b).cost);
    }
    fn max_edge_cost(&self) -> Cost {
        Cost(1 << 31)
    }
    fn is_reversible(&self) -> bool {
        true
    }
}

impl Map for Nested {}

#[test]
fn a_map_may_search_while_it_is_being_searched() {
    let path = find(&Nested(Grid::new(6, 6).unwrap()), NodeId(0), NodeId(1));
    assert_eq!(path.cost, Cost::of_steps(0, 5));
}

#[test]
fn a_finder_with_other_settings_keeps_nothing_about_a_map() {
    let config = SearchConfig { learn: true, ..SearchConfig::default() };
    let mut finder = PathFinder::new(config);
    let edges = |cost| vec![(NodeId(0), NodeId(1), Cost(cost)), (NodeId(1), NodeId(2), Cost(7))];
    for cost in [1000, 1, 50] {
        let graph = Graph::undirected(3, edges(cost)).unwrap();
        let path = finder.find(&graph, NodeId(0), NodeId(2)).unwrap().unwrap();
        assert_eq!(path.cost, Cost(cost + 7));
    }
    assert!(finder.find(&Grid::new(2, 2).unwrap(), NodeId(0), NodeId(900)).is_err());
}
