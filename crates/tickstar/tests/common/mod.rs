//! What the integration tests share: random maps, oracles that are written without the engine's own
//! code, and a recorder of searches and walks.
#![allow(dead_code)] // each test file is a crate of its own and uses a part of this

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

use tickstar::catalog::{self, Config, Entry, Parameter};
use tickstar::{
    Agent, BestFirst, Cell, Corners, Cost, Event, Graph, Grid, Neighbors, NodeId, Priority, Ratio,
    Seen, Slice, Space, Status, Step, TimeBounded, TimeBoundedConfig, Work,
};

/// A small deterministic generator (splitmix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// Prints what it holds if the test panics while it lives.
pub struct Telling<T: fmt::Debug>(pub T);

impl<T: fmt::Debug> Drop for Telling<T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("in the case of {:?}", self.0);
        }
    }
}

/// The edges of a map as the tests understand them.
#[derive(Clone)]
pub struct Oracle {
    edges: Vec<Vec<(NodeId, Cost)>>,
}

/// N, E, S, W, NE, SE, SW, NW.
const DIRECTIONS: [(i64, i64); 8] =
    [(0, -1), (1, 0), (0, 1), (-1, 0), (1, -1), (1, 1), (-1, 1), (-1, -1)];

impl Oracle {
    /// From the free cells and the rules of the grid, not from its edges.
    pub fn of_grid(grid: &Grid) -> Oracle {
        let mut edges = vec![Vec::new(); grid.size()];
        for (x, y) in (0..grid.height()).flat_map(|y| (0..grid.width()).map(move |x| (x, y))) {
            let cell = Cell::new(x, y);
            edges[grid.node(cell).expect("a cell of the map").index()] = edges_from(grid, cell);
        }
        Oracle { edges }
    }

    /// Takes in that these cells of the grid were blocked or opened.
    pub fn update(&mut self, grid: &Grid, changed: &[NodeId]) {
        for &node in changed {
            for near in [node].into_iter().chain(around(grid, node, &DIRECTIONS)) {
                self.edges[near.index()] = edges_from(grid, grid.cell(near));
            }
        }
    }

    pub fn of_edges(nodes: usize, list: &[(NodeId, NodeId, Cost)], directed: bool) -> Oracle {
        let mut edges = vec![Vec::new(); nodes];
        for &(from, to, cost) in list {
            edges[from.index()].push((to, cost));
            if !directed {
                edges[to.index()].push((from, cost));
            }
        }
        Oracle { edges }
    }

    /// The edges of a space in the order in which it tells them, for what is listed by that order.
    pub fn as_told(space: &impl Space) -> Oracle {
        let mut edges = vec![Vec::new(); space.size()];
        for (from, edges) in (0..).map(NodeId).zip(&mut edges) {
            space.for_each_edge(from, |to, cost| edges.push((to, cost)));
        }
        Oracle { edges }
    }

    /// How many nodes there are, blocked ones included.
    pub fn size(&self) -> usize {
        self.edges.len()
    }

    pub fn edges_of(&self, from: NodeId) -> &[(NodeId, Cost)] {
        &self.edges[from.index()]
    }

    pub fn edge(&self, from: NodeId, to: NodeId) -> Option<Cost> {
        let between = self.edges_of(from).iter().filter(|&&(node, _)| node == to);
        between.map(|&(_, cost)| cost).min()
    }

    /// Dijkstra's search from one node to all.
    pub fn distances(&self, from: NodeId) -> Vec<Option<Cost>> {
        let mut distances = vec![None; self.size()];
        let mut open = BinaryHeap::from([Reverse((0, from))]);
        while let Some(Reverse((distance, node))) = open.pop() {
            if distances[node.index()].is_none() {
                distances[node.index()] = Some(Cost(distance));
                let ways = self.edges_of(node).iter().map(|&(to, cost)| (distance + cost.0, to));
                open.extend(ways.map(Reverse));
            }
        }
        distances
    }

    pub fn distance(&self, from: NodeId, to: NodeId) -> Option<Cost> {
        self.distances(from)[to.index()]
    }

    /// The cost of a path, every step of which must be an edge.
    pub fn path_cost(&self, path: &[NodeId]) -> Cost {
        let cost = |step: &[NodeId]| {
            let edge = self.edge(step[0], step[1]);
            edge.unwrap_or_else(|| panic!("there is no edge from {} to {}", step[0], step[1]))
        };
        path.windows(2).map(cost).sum()
    }
}

/// The edges from a cell: to the free cells around it that the rules of the grid let it go to.
fn edges_from(grid: &Grid, cell: Cell) -> Vec<(NodeId, Cost)> {
    let (x, y) = (i64::from(cell.x), i64::from(cell.y));
    let (width, height) = (i64::from(grid.width()), i64::from(grid.height()));
    let inside = |x: i64, y: i64| (0..width).contains(&x) && (0..height).contains(&y);
    let free = |x: i64, y: i64| inside(x, y) && grid.is_free(Cell::new(x as u32, y as u32));
    let mut edges = Vec::new();
    for (dx, dy) in DIRECTIONS {
        let diagonal = dx != 0 && dy != 0;
        let turn = grid.neighbors() == Neighbors::Eight
            && (grid.corners() == Corners::Allowed || free(x + dx, y) && free(x, y + dy));
        if free(x, y) && free(x + dx, y + dy) && (!diagonal || turn) {
            let to = Cell::new((x + dx) as u32, (y + dy) as u32);
            let cost = if diagonal { Cost(665_857) } else { Cost(470_832) };
            edges.push((grid.node(to).expect("a cell of the map"), cost));
        }
    }
    edges
}

/// The cells in these directions, free or not, as far as they are on the map.
fn around(grid: &Grid, node: NodeId, directions: &[(i64, i64)]) -> Vec<NodeId> {
    let Cell { x, y } = grid.cell(node);
    let beside = directions.iter().filter_map(|&(dx, dy)| {
        let x = u32::try_from(i64::from(x) + dx).ok()?;
        let y = u32::try_from(i64::from(y) + dy).ok()?;
        grid.node(Cell::new(x, y))
    });
    beside.collect()
}

/// The distance between two cells on an empty map: octile, or Manhattan with four neighbours.
pub fn distance_on_empty_map(grid: &Grid, from: NodeId, to: NodeId) -> Cost {
    let [from, to] = [from, to].map(|node| grid.cell(node));
    match grid.neighbors() {
        Neighbors::Four => Cost(470_832 * u64::from(from.x.abs_diff(to.x) + from.y.abs_diff(to.y))),
        Neighbors::Eight => {
            let place = |cell: Cell| (cell.x as i32, cell.y as i32);
            Cost(octile(place(from), place(to)))
        }
    }
}

/// A map that can draw itself with a task on it.
pub trait Draw {
    fn draw(&self, start: NodeId, goal: NodeId) -> String;
}

impl Draw for Grid {
    fn draw(&self, start: NodeId, goal: NodeId) -> String {
        let [start, goal] = [start, goal].map(|node| self.cell(node));
        format!("{self:?}from {start} to {goal}")
    }
}

impl Draw for Graph {
    fn draw(&self, start: NodeId, goal: NodeId) -> String {
        format!("{self:?} from {start} to {goal}")
    }
}

/// A map, a task on it, and what the oracle says about it.
#[derive(Clone)]
pub struct Problem<S> {
    pub space: S,
    pub oracle: Oracle,
    pub start: NodeId,
    pub goal: NodeId,
    /// The cost of a cheapest path, if there is any.
    pub optimum: Option<Cost>,
}

impl<S> Problem<S> {
    fn new(space: S, oracle: Oracle, start: NodeId, goal: NodeId) -> Problem<S> {
        let optimum = oracle.distance(start, goal);
        Problem { space, oracle, start, goal, optimum }
    }
}

impl<S: Draw> fmt::Debug for Problem<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let task = self.space.draw(self.start, self.goal);
        write!(f, "{task}, cheapest {:?}", self.optimum)
    }
}

impl Problem<Grid> {
    /// A problem on a hand-drawn map.
    pub fn on(grid: &Grid, start: (u32, u32), goal: (u32, u32)) -> Problem<Grid> {
        let [start, goal] = [start, goal].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
        let mut space = grid.clone();
        if space.hierarchy().is_none() {
            space.abstracted();
        }
        Problem::new(space, Oracle::of_grid(grid), start, goal)
    }

    pub fn random(random: &mut Random) -> Problem<Grid> {
        let [width, height] = [(); 2].map(|()| 1 + random.below(24) as u32);
        Problem::random_of_size(random, width, height)
    }

    /// Noise, an empty map, a maze or a comb, with either corner rule, four or eight neighbours, and
    /// ends that are not always connected.
    pub fn random_of_size(random: &mut Random, width: u32, height: u32) -> Problem<Grid> {
        let mut grid = match random.below(8) {
            0 => Grid::new(width, height).unwrap(),
            1 => maze(random, width, height),
            2 => comb(random, width, height),
            _ => noise(random, width, height),
        };
        if random.chance(30) {
            grid = grid.with_neighbors(Neighbors::Four);
        }
        if random.chance(50) {
            grid = grid.with_corners(Corners::Allowed);
        }
        let mut free: Vec<Cell> = grid.free_cells().collect();
        if free.is_empty() {
            free.push(Cell::new(random.below(width.into()) as u32, 0));
            grid.set_free(free[0], true).unwrap();
        }
        let [start, goal] = [(); 2].map(|()| grid.node(random.pick(&free)).unwrap());
        let oracle = Oracle::of_grid(&grid);
        grid.abstracted();
        Problem::new(grid, oracle, start, goal)
    }
}

impl Problem<Grid> {
    /// A long way on a map full of dead ends, up to so wide and high.
    pub fn hard(random: &mut Random, side: u64) -> Problem<Grid> {
        let [width, height] = [(); 2].map(|()| (side - random.below(side / 2)) as u32);
        let mut grid = match random.below(4) {
            0 => maze(random, width, height),
            1 => comb(random, width, height),
            2 => pockets(random, width, height),
            _ => noise_of(random, width, height, 25, 45),
        };
        if random.chance(30) {
            grid = grid.with_neighbors(Neighbors::Four);
        }
        if random.chance(50) {
            grid = grid.with_corners(Corners::Allowed);
        }
        let free: Vec<Cell> = grid.free_cells().collect();
        let mut pair = || [(); 2].map(|()| grid.node(random.pick(&free)).unwrap());
        let pairs = [(); 4].map(|()| pair());
        let apart = |&[start, goal]: &[NodeId; 2]| distance_on_empty_map(&grid, start, goal);
        let [start, goal] = pairs.into_iter().max_by_key(apart).expect("four of them");
        let oracle = Oracle::of_grid(&grid);
        grid.abstracted();
        Problem::new(grid, oracle, start, goal)
    }
}

/// Ids that are no free cell of the grid: blocked, beyond its end, or whatever else it may hold.
pub fn useless_nodes(grid: &Grid) -> Vec<NodeId> {
    let free: Vec<_> = grid.free_cells().map(|cell| grid.node(cell).unwrap()).collect();
    let ids = (0..grid.size() as u32 + 40).chain([u32::MAX - 1, u32::MAX]).map(NodeId);
    ids.filter(|node| !free.contains(node)).collect()
}

fn noise(random: &mut Random, width: u32, height: u32) -> Grid {
    noise_of(random, width, height, 0, 61)
}

/// At least so many percent of the cells are blocked, and fewer than so many.
fn noise_of(random: &mut Random, width: u32, height: u32, least: u64, most: u64) -> Grid {
    let density = least + random.below(most - least);
    let mut grid = Grid::new(width, height).unwrap();
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        grid.set_free(Cell::new(x, y), !random.chance(density)).unwrap();
    }
    grid
}

/// Corridors dug from the top left, with a few walls broken.
fn maze(random: &mut Random, width: u32, height: u32) -> Grid {
    let mut grid = Grid::new_blocked(width, height).unwrap();
    let mut dig = |x, y| grid.set_free(Cell::new(x, y), true).unwrap();
    dig(0, 0);
    let mut branch = vec![(0, 0)];
    while let Some(&(x, y)) = branch.last() {
        let (dx, dy) = random.pick(&DIRECTIONS[..4]);
        let (to_x, to_y) = (i64::from(x) + 2 * dx, i64::from(y) + 2 * dy);
        let inside =
            (0..i64::from(width)).contains(&to_x) && (0..i64::from(height)).contains(&to_y);
        if inside && dig(to_x as u32, to_y as u32) {
            dig((i64::from(x) + dx) as u32, (i64::from(y) + dy) as u32);
            branch.push((to_x as u32, to_y as u32));
        } else if random.chance(20) {
            branch.pop();
        }
    }
    for _ in 0..random.below(6) {
        dig(random.below(width.into()) as u32, random.below(height.into()) as u32);
    }
    grid
}

/// Walls with one gap each, mostly at the far end: the estimate leads astray.
fn comb(random: &mut Random, width: u32, height: u32) -> Grid {
    let mut grid = Grid::new(width, height).unwrap();
    for y in (1..height).step_by(2) {
        let end = if y % 4 == 1 { width - 1 } else { 0 };
        let gap = if random.chance(80) { end } else { random.below(width.into()) as u32 };
        for x in (0..width).filter(|&x| x != gap) {
            grid.set_free(Cell::new(x, y), false).unwrap();
        }
    }
    grid
}

/// Rooms of three walls, open to any side, over each other.
fn pockets(random: &mut Random, width: u32, height: u32) -> Grid {
    let mut grid = Grid::new(width, height).unwrap();
    for _ in 0..=random.below(6) {
        let [x, y] = [width, height].map(|side| random.below(side.into()) as u32);
        let [wide, high] = [width, height].map(|side| 2 + random.below(side.into()) as u32 / 2);
        let open = random.below(4);
        let (right, bottom) = (x + wide, y + high);
        for along in 0..=wide.max(high) {
            let (across, down) = ((x + along).min(right), (y + along).min(bottom));
            let walls = [(across, y), (right, down), (across, bottom), (x, down)];
            for (_, (x, y)) in (0..).zip(walls).filter(|&(side, _)| side != open) {
                let _ = grid.set_free(Cell::new(x, y), false); // or it is outside
            }
        }
    }
    // A free cell at least.
    grid.set_free(Cell::new(width / 2, height / 2), true).unwrap();
    grid
}

/// What a random graph is like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Undirected,
    /// Undirected, with an estimate from positions.
    Positioned,
    Directed,
}

impl Problem<Graph> {
    pub fn random(random: &mut Random, kind: Kind) -> Problem<Graph> {
        let nodes = 1 + random.below(40);
        Problem::random_of(random, kind, nodes, 20)
    }

    /// A graph with so many nodes; positions are in a square with such a side.
    pub fn random_of(random: &mut Random, kind: Kind, nodes: u64, side: u64) -> Problem<Graph> {
        let positions: Vec<_> =
            (0..nodes).map(|_| [(); 2].map(|()| random.below(side) as i32 - 10).into()).collect();
        // Small costs make ties; a hub has more neighbours than any cell.
        let dearest = random.pick(&[1, 3, 1000, 4_000_000_000]);
        let hub = random.chance(30).then(|| random.below(nodes));
        let count = random.below(3 * nodes + 1);
        let directed = kind == Kind::Directed;
        let list: Vec<_> = (0..count)
            .map(|_| {
                let [from, to] = [(); 2].map(|()| random.below(nodes) as usize);
                let from = hub.filter(|_| random.chance(40)).map_or(from, |hub| hub as usize);
                let least = match kind {
                    Kind::Positioned => octile(positions[from], positions[to]),
                    _ => 0,
                };
                let cost = Cost((least + random.below(dearest)).max(1));
                (NodeId(from as u32), NodeId(to as u32), cost)
            })
            .collect();
        let oracle = Oracle::of_edges(nodes as usize, &list, directed);
        let mut graph = if directed {
            Graph::directed(nodes as usize, list).unwrap()
        } else {
            Graph::undirected(nodes as usize, list).unwrap()
        };
        if kind == Kind::Positioned {
            graph = graph.with_positions(positions).unwrap();
        }
        let [start, goal] = [(); 2].map(|()| NodeId(random.below(nodes) as u32));
        let graph = graph.clone().with_hierarchy().unwrap_or(graph);
        Problem::new(graph, oracle, start, goal)
    }
}

fn octile(a: (i32, i32), b: (i32, i32)) -> u64 {
    let (dx, dy) = (u64::from(a.0.abs_diff(b.0)), u64::from(a.1.abs_diff(b.1)));
    665_857 * dx.min(dy) + 470_832 * dx.abs_diff(dy)
}

pub fn ratio(num: u64, den: u64) -> Ratio {
    Ratio::new(num, den).unwrap()
}

pub fn weighted(num: u64, den: u64) -> Priority {
    Priority::weighted(ratio(num, den)).unwrap()
}

/// Everything a search did and knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explored {
    /// The nodes expanded, in order.
    pub order: Vec<NodeId>,
    pub status: Status,
    pub path: Option<Vec<NodeId>>,
    /// Cost and parent of every node.
    pub tree: Vec<(Option<Cost>, Option<NodeId>)>,
}

/// Runs a search to its end, so many expansions at a time, with a look at it at every pause.
pub fn explore_with<S: Space>(
    search: &mut BestFirst,
    space: &S,
    (start, goal): (NodeId, NodeId),
    slice: u64,
    mut pause: impl FnMut(&BestFirst),
) -> Explored {
    search.start(space, start, goal);
    let mut order = Vec::new();
    loop {
        let mut watch = |work| {
            let Work::Expand(node) = work else { panic!("a search does nothing but expand") };
            order.push(node);
            true
        };
        let status = search.run(space, &mut Slice::watched(slice, &mut watch));
        pause(search);
        if status != Status::Working {
            break;
        }
    }
    let nodes = (0..space.size() as u32).map(NodeId);
    Explored {
        order,
        status: search.status(),
        path: search.path_to(goal),
        tree: nodes.map(|node| (search.cost_to(node), search.parent(node))).collect(),
    }
}

/// As [`explore_with`], in one go.
pub fn explore<S: Space>(search: &mut BestFirst, space: &S, ends: (NodeId, NodeId)) -> Explored {
    explore_with(search, space, ends, u64::MAX, |_| ())
}

/// What an agent did in one tick.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tick {
    pub step: Step,
    /// The nodes expanded, in order.
    pub expanded: Vec<NodeId>,
    /// The nodes of levels above the map that were expanded, in order.
    pub above: Vec<(usize, NodeId)>,
    pub traces: u64,
    pub updates: u64,
    pub events: Vec<Event>,
    /// Where it was heading after the tick.
    pub target: Option<NodeId>,
}

impl Tick {
    pub fn has(&self, event: Event) -> bool {
        self.events.contains(&event)
    }
}

/// One tick, of which only the first `patience` units of work are allowed.
pub fn tick<S: Space>(
    agent: &mut (impl Agent<S> + ?Sized),
    space: &S,
    seen: Seen<'_>,
    budget: u64,
    mut patience: u64,
) -> Tick {
    let (mut expanded, mut above) = (Vec::new(), Vec::new());
    let mut watch = |work| {
        let allowed = patience > 0;
        patience = patience.saturating_sub(1);
        match work {
            Work::Expand(node) if allowed => expanded.push(node),
            Work::ExpandAbove { level, node } if allowed => above.push((level, node)),
            _ => {}
        }
        allowed
    };
    let mut slice = Slice::watched(budget, &mut watch);
    let step = agent.tick(space, seen, &mut slice);
    let (expansions, traces, updates) = (slice.expansions(), slice.traces(), slice.updates());
    let events = slice.events().collect();
    let seen = expanded.len() + above.len();
    assert_eq!(expansions, seen as u64, "the watcher sees every expansion");
    Tick { step, expanded, above, traces, updates, events, target: agent.target() }
}

/// A whole walk, tick by tick.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walk {
    pub ticks: Vec<Tick>,
    pub cost: Cost,
    /// The cost of what was walked after each tick.
    pub cost_after: Vec<Cost>,
}

impl Walk {
    pub fn arrived(&self) -> bool {
        self.ticks.last().is_some_and(|tick| tick.step == Step::Arrived)
    }

    pub fn expanded(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.ticks.iter().flat_map(|tick| tick.expanded.iter().copied())
    }

    /// The cost of what was walked from this tick's step on.
    pub fn cost_from(&self, tick: usize) -> Cost {
        let before = tick.checked_sub(1).map_or(Cost::ZERO, |before| self.cost_after[before]);
        self.cost - before
    }
}

/// A number of ticks no sound agent needs, but for those that are slow to give up.
pub fn too_many_ticks(size: usize, budget: u64) -> usize {
    50 * (size + 10) * (1 + 100 / budget as usize)
}

/// Whether an algorithm arrives by raising its estimates.
pub fn is_slow(config: &Config) -> bool {
    config.entry().guarantees.no_openings.is_some()
}

/// As many moves as one that arrives and gives up by raising its estimates may need.
///
/// With `n` nodes within reach, of which the dearest edge costs `D`, it gives up when an estimate exceeds
/// `n·D` and the largest plain estimate `H` among them. Until then each of them can be raised to that, and
/// once by an edge beyond it. A step of cost `c` leads to an estimate that is lower by `c`, so
/// all steps together cost no more than all that was raised, and the first estimate. No step
/// is cheaper than the cheapest edge.
pub fn most_moves<S: Space>(
    space: &S,
    oracle: &Oracle,
    (from, goal): (NodeId, NodeId),
) -> Option<usize> {
    let distances = oracle.distances(from);
    let nodes = (0..).map(NodeId).zip(&distances).filter(|(_, distance)| distance.is_some());
    let reach: Vec<NodeId> = nodes.map(|(node, _)| node).collect();
    let edges = reach.iter().flat_map(|&node| oracle.edges_of(node)).map(|&(_, cost)| cost.0);
    let (cheapest, n) = (edges.min().unwrap_or(1), reach.len() as u64 + 1);
    let farthest = reach.iter().map(|&node| space.estimate(node, goal).0).max()?;
    let highest = space.max_edge_cost().0.checked_mul(n)?.checked_add(farthest)?;
    usize::try_from(highest.checked_mul(n)? / cheapest + n).ok()
}

/// What no sound agent exceeds: so many ticks in all that are not spent waiting, and so many in a row that are.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    pub moves: usize,
    pub waits: usize,
}

impl Most {
    /// For an agent that is quick to give up: so many ticks.
    pub fn ticks(ticks: usize) -> Most {
        Most { moves: ticks, waits: ticks }
    }

    /// For an agent of this algorithm. One that is slow to give up may need many moves. Those that avoid
    /// depressions have been seen to take a little more than is said above: their steps do not always lower
    /// the estimate by what they cost. Where ticks are cut short to a unit of work, one may spend as many
    /// on a step as thrice the nodes there are, and more if some are cut short to nothing.
    pub fn of<S: Space>(config: &Config, problem: &Problem<S>, budget: u64) -> Most {
        let size = problem.oracle.size();
        if !is_slow(config) {
            return Most::ticks(too_many_ticks(size, budget));
        }
        let ends = (problem.start, problem.goal);
        let moves = most_moves(&problem.space, &problem.oracle, ends).unwrap_or(usize::MAX);
        Most { moves: moves.saturating_mul(20), waits: 50 * (size + 10) }
    }

    /// Counts a step. Panics when it is one too many.
    pub fn count(self, step: Step, so_far: &mut Most) {
        if step == Step::Wait {
            so_far.waits += 1;
        } else {
            *so_far = Most { moves: so_far.moves + 1, waits: 0 };
        }
        let within = so_far.moves <= self.moves && so_far.waits <= self.waits;
        assert!(within, "the agent walks for ever");
    }
}

/// Lets an agent walk until it arrives or gives up. Every step must be an edge, and it must end.
pub fn walk_within<S: Space>(
    most: Most,
    agent: &mut (impl Agent<S> + ?Sized),
    problem: &Problem<S>,
    budget: u64,
    mut patience: impl FnMut() -> u64,
) -> Walk {
    let mut walk = Walk { ticks: Vec::new(), cost: Cost::ZERO, cost_after: Vec::new() };
    let mut so_far = Most::ticks(0);
    loop {
        let from = agent.position();
        let tick = tick(agent, &problem.space, Seen::default(), budget, patience());
        let step = tick.step;
        most.count(step, &mut so_far);
        let to = if let Step::Move(to) = step { to } else { from };
        if to != from {
            walk.cost = walk.cost + problem.oracle.path_cost(&[from, to]);
        }
        assert_eq!(agent.position(), to, "the agent stands where its step led");
        assert_ne!(step, Step::Move(from), "a move leads elsewhere");
        walk.ticks.push(tick);
        walk.cost_after.push(walk.cost);
        match step {
            Step::Arrived => assert_eq!(agent.position(), problem.goal),
            Step::Unreachable => {}
            Step::Move(_) | Step::Wait => continue,
        }
        return walk;
    }
}

/// As [`walk_within`], for an agent that is quick to give up.
pub fn walk_with<S: Space>(
    agent: &mut (impl Agent<S> + ?Sized),
    problem: &Problem<S>,
    budget: u64,
    patience: impl FnMut() -> u64,
) -> Walk {
    let most = Most::ticks(too_many_ticks(problem.oracle.size(), budget));
    walk_within(most, agent, problem, budget, patience)
}

pub fn walk<S: Space>(
    agent: &mut (impl Agent<S> + ?Sized),
    problem: &Problem<S>,
    budget: u64,
) -> Walk {
    walk_with(agent, problem, budget, || u64::MAX)
}

/// As [`walk`], for an agent of this algorithm.
pub fn walk_of<S: Space>(
    config: &Config,
    agent: &mut (impl Agent<S> + ?Sized),
    problem: &Problem<S>,
    budget: u64,
) -> Walk {
    walk_within(Most::of(config, problem, budget), agent, problem, budget, || u64::MAX)
}

/// A map that an agent discovers on its way: it sees the cells around it.
#[derive(Clone)]
pub struct World {
    /// The map as it is, and the task.
    pub truth: Problem<Grid>,
    /// The map as the agent knows it. What it has not seen it takes for free.
    pub known: Grid,
    /// The edges of the known map.
    pub belief: Oracle,
    /// What was seen to be blocked since the agent was last told.
    pub news: Vec<NodeId>,
    /// How many cells are blocked and still taken for free.
    pub hidden: usize,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, known as {:?}", self.truth, self.known)
    }
}

impl World {
    /// The agent stands at the start and has had a look round.
    fn new(truth: Problem<Grid>, mut known: Grid) -> World {
        known.abstracted();
        let belief = Oracle::of_grid(&known);
        let hidden = known.free_cells().count() - truth.space.free_cells().count();
        let start = truth.start;
        let mut world = World { truth, known, belief, news: Vec::new(), hidden };
        world.look(start);
        world.news.clear();
        world
    }

    /// Nothing but the size of the map is known.
    pub fn unknown(truth: Problem<Grid>) -> World {
        let grid = &truth.space;
        let known = Grid::new(grid.width(), grid.height()).unwrap();
        let known = known.with_neighbors(grid.neighbors()).with_corners(grid.corners());
        World::new(truth, known)
    }

    /// The map is known, but for these cells which are blocked as well.
    pub fn partial(map: &Problem<Grid>, blocked: &[NodeId]) -> World {
        let mut truth = map.space.clone();
        for &node in blocked {
            truth.set_free(map.space.cell(node), false).unwrap();
        }
        let oracle = Oracle::of_grid(&truth);
        World::new(Problem::new(truth, oracle, map.start, map.goal), map.space.clone())
    }

    /// Easy or hard, unknown or known in part, up to so wide and high.
    pub fn random(random: &mut Random, side: u64) -> World {
        let map = if random.chance(50) {
            let [width, height] = [(); 2].map(|()| 1 + random.below(side) as u32);
            Problem::random_of_size(random, width, height)
        } else {
            Problem::hard(random, side)
        };
        if random.chance(60) {
            return World::unknown(map);
        }
        let percent = random.pick(&[3, 15, 30]);
        let free = map.space.free_cells().map(|cell| map.space.node(cell).unwrap());
        let others = free.filter(|&node| node != map.start && node != map.goal);
        let blocked: Vec<_> = others.filter(|_| random.chance(percent)).collect();
        World::partial(&map, &blocked)
    }

    /// An agent at the start that knows what is known.
    pub fn agent(&self, config: &Config) -> Box<dyn Agent<Grid> + Send> {
        config.agent(&self.known, self.truth.start, self.truth.goal).unwrap()
    }

    /// As [`Most::of`]. Each cell that is seen may cost a whole search and walk; but what was learned stays.
    pub fn most(&self, config: &Config, budget: u64) -> Most {
        let Problem { start, goal, .. } = self.truth;
        let known = Problem::new(self.known.clone(), self.belief.clone(), start, goal);
        let most = Most::of(config, &known, budget);
        if is_slow(config) { most } else { Most::ticks(most.moves * (self.hidden + 1)) }
    }

    /// As [`World::agent`], with the search to look at.
    pub fn time_bounded(&self, config: TimeBoundedConfig) -> TimeBounded {
        TimeBounded::new(&self.known, config, self.truth.start, self.truth.goal).unwrap()
    }

    /// Sees the cells around a place.
    pub fn look(&mut self, at: NodeId) {
        let sides = if self.known.neighbors() == Neighbors::Four { 4 } else { 8 };
        let mut news = around(&self.known, at, &DIRECTIONS[..sides]);
        news.retain(|&node| {
            let cell = self.known.cell(node);
            !self.truth.space.is_free(cell) && self.known.set_free(cell, false).unwrap()
        });
        self.belief.update(&self.known, &news);
        self.hidden -= news.len();
        self.news.extend(news);
    }
}

/// Lets an agent walk in a world until it arrives or gives up, with a look at it after each tick, before
/// it looks round. Every step must be an edge of the true map.
pub fn discover<A: Agent<Grid> + ?Sized>(
    agent: &mut A,
    world: &mut World,
    budget: u64,
    pause: impl FnMut(&A, &World, &Tick),
) -> Walk {
    // Each cell that is seen may cost a whole search and walk.
    let most = too_many_ticks(world.known.free_cells().count(), budget) * (world.hidden + 1);
    discover_within(Most::ticks(most), agent, world, budget, pause)
}

/// As [`discover`], for an agent that may take so long.
pub fn discover_within<A: Agent<Grid> + ?Sized>(
    most: Most,
    agent: &mut A,
    world: &mut World,
    budget: u64,
    mut pause: impl FnMut(&A, &World, &Tick),
) -> Walk {
    let mut walk = Walk { ticks: Vec::new(), cost: Cost::ZERO, cost_after: Vec::new() };
    let mut so_far = Most::ticks(0);
    loop {
        let from = agent.position();
        let news = std::mem::take(&mut world.news);
        let tick = tick(agent, &world.known, Seen { changed: &news }, budget, u64::MAX);
        pause(agent, world, &tick);
        let step = tick.step;
        most.count(step, &mut so_far);
        walk.ticks.push(tick);
        if let Step::Move(to) = step {
            walk.cost = walk.cost + world.truth.oracle.path_cost(&[from, to]);
            world.look(to);
        }
        walk.cost_after.push(walk.cost);
        match step {
            Step::Move(to) => assert_eq!(agent.position(), to),
            Step::Wait => assert_eq!(agent.position(), from),
            Step::Arrived => assert_eq!(from, world.truth.goal),
            Step::Unreachable => {
                let way = world.belief.distance(from, world.truth.goal);
                assert_eq!(way, None, "it gave up where there may be a way");
            }
        }
        if matches!(step, Step::Arrived | Step::Unreachable) {
            return walk;
        }
    }
}

/// Checks that parents lead from a node, if the search has met it, to a root, at ever smaller costs.
pub fn check_branch(search: &BestFirst, space: &impl Space, from: NodeId) {
    let Some(mut cost) = search.cost_to(from) else { return };
    let mut node = from;
    for _ in 0..=space.size() {
        let Some(parent) = search.parent(node) else {
            assert_eq!(cost, Cost::ZERO, "{node} has no parent and is no root");
            return;
        };
        let before = search.cost_to(parent).expect("a parent was met");
        assert!(before < cost, "from {node} at {cost:?} back to {parent} at {before:?}");
        (node, cost) = (parent, before);
    }
    panic!("the way back from {from} has no end");
}

/// Checks that the estimates of a search are consistent on this map, zero at the goal, not below those
/// of the space, and never above the true distance to the goal. Answers how many are above the space's.
pub fn check_estimates(
    search: &BestFirst,
    grid: &Grid,
    map: &Oracle,
    to_goal: &[Option<Cost>],
) -> usize {
    let goal = search.goal();
    assert_eq!(search.estimate(grid, goal), Cost::ZERO);
    let nodes = grid.free_cells().map(|cell| grid.node(cell).unwrap());
    let mut raised = 0;
    for from in nodes {
        let estimate = search.estimate(grid, from);
        let plain = distance_on_empty_map(grid, from, goal);
        assert!(estimate >= plain, "{from}: {estimate:?} is below {plain:?}");
        raised += usize::from(estimate > plain);
        if let Some(distance) = to_goal[from.index()] {
            assert!(estimate <= distance, "{from}: {estimate:?} exceeds {distance:?}");
        }
        for &(to, cost) in map.edges_of(from) {
            let there = search.estimate(grid, to);
            assert!(estimate <= cost + there, "{from} {estimate:?}, {to} {there:?}: {cost:?}");
        }
    }
    raised
}

/// The values of a parameter the suites try.
fn values(parameter: &Parameter) -> &'static [&'static str] {
    match parameter.name {
        "trace" => &["bounded", "free"],
        "r" => &["0.1", "0.5", "0.9"],
        "c" => &["0.5", "1", "10"],
        "shortcut" | "switch" | "reopen" => &["false", "true"],
        "weight" => &["1", "1.4", "3"],
        "open" => &["buckets", "heap"],
        "restart" => &["lazy", "eager"],
        "depth" => &["1", "2", "4", "7"],
        "queue" => &["0", "1", "10", "60"],
        "moves" => &["one", "all"],
        "ties" => &["far", "near"],
        "k" => &["1", "2", "5", "16", "inf"],
        "level" if parameter.default == "auto" => &["auto", "half", "top", "0", "1", "2"],
        "level" => &["1", "2", "3", "9"],
        "gamma" => &["0.2", "0.6", "1"],
        "corridor" => &["0", "1"],
        "keep" => &["true", "false"],
        other => panic!("tell the tests which values to try for `{other}`"),
    }
}

pub fn default_of(entry: &'static Entry) -> Config {
    entry.configure::<&str, &str>(&[]).unwrap()
}

/// The most combinations of values tried of one algorithm.
const MOST: usize = 48;

/// Every algorithm of the catalogue: as it is, and with combinations of its parameters' values: all of
/// them, or if they are too many a sample.
pub fn configs() -> Vec<Config> {
    let defaults = catalog::all().iter().map(default_of);
    defaults.chain(catalog::all().iter().flat_map(combinations)).collect()
}

fn combinations(entry: &'static Entry) -> Vec<Config> {
    let mut settings: Vec<Vec<(&str, &str)>> = vec![Vec::new()];
    for parameter in entry.parameters {
        let with = |value| {
            let set = |set: &Vec<_>| [&set[..], &[(parameter.name, value)]].concat();
            settings.iter().map(set).collect::<Vec<_>>()
        };
        settings = values(parameter).iter().flat_map(|&value| with(value)).collect();
    }
    // Where tracing is free the budget is not shared, and one of the shares stands for all.
    settings.retain(|set| {
        let shared = set.contains(&("r", "0.9")) && set.contains(&("c", "10"));
        shared || !set.contains(&("trace", "free"))
    });
    let mut random = Random::new(settings.len() as u64);
    while settings.len() > MOST {
        settings.swap_remove(random.below(settings.len() as u64) as usize);
    }
    settings.iter().map(|set| entry.configure(set).unwrap()).collect()
}
