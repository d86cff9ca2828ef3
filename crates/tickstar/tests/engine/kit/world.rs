//! Maps that are discovered on the way.

use std::fmt;

use tickstar::catalog::Config;
use tickstar::search::BestFirst;
use tickstar::space::Neighbors;
use tickstar::{Agent, Cost, Grid, Map, NodeId, Seen, Step, TimeBounded, TimeBoundedConfig};

use super::layered;
use super::oracle::{DIRECTIONS, around, distance_on_empty_map};
use super::{
    LayeredGrid, Oracle, Problem, Random, Tick, TickLimit, Walk, is_slow, tick, too_many_ticks,
};

/// A map that an agent discovers on its way: it sees the cells around it.
#[derive(Clone)]
pub struct World {
    /// The true map, and the task.
    pub truth: Problem<LayeredGrid>,
    /// The map as the agent knows it. Cells that it has not seen are assumed to be free.
    pub known: LayeredGrid,
    /// The edges of the known map.
    pub belief: Oracle,
    /// The cells seen to be blocked that have not been reported to the agent yet.
    pub unreported: Vec<NodeId>,
    /// The number of blocked cells that are still assumed to be free.
    pub hidden: usize,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, known as {:?}", self.truth, self.known)
    }
}

impl World {
    /// The agent is at the start and has seen the cells around it.
    fn new(truth: Problem<LayeredGrid>, known: Grid) -> World {
        let known = layered(known);
        let belief = Oracle::of_grid(&known);
        let hidden = known.free_cells().count() - truth.space.free_cells().count();
        let start = truth.start;
        let mut world = World { truth, known, belief, unreported: Vec::new(), hidden };
        world.look(start);
        world.unreported.clear();
        world
    }

    /// Only the size of the map and its terrain are known.
    pub fn unknown(truth: Problem<LayeredGrid>) -> World {
        let grid = &truth.space;
        let known = Grid::new(grid.width(), grid.height()).unwrap();
        let mut known = known.with_neighbors(grid.neighbors()).with_corners(grid.corners());
        if let Some(terrain) = grid.terrain() {
            let class = |cell| grid.class(cell).unwrap_or(0);
            known = known.with_terrain(terrain.clone(), class).unwrap();
        }
        World::new(truth, known)
    }

    /// The map is known, except for these cells, which are blocked as well.
    pub fn partial(map: &Problem<LayeredGrid>, blocked: &[NodeId]) -> World {
        let mut truth = map.space.clone();
        for &node in blocked {
            truth.set_free(map.space.cell(node), false).unwrap();
        }
        let oracle = Oracle::of_grid(&truth);
        World::new(Problem::new(truth, oracle, map.start, map.goal), map.space.space().clone())
    }

    /// Easy or hard, unknown or partly known, at most `side` wide and high; one in four has terrain.
    pub fn random(random: &mut Random, side: u64) -> World {
        let map = if random.chance(50) {
            let [width, height] = [(); 2].map(|()| 1 + random.below(side) as u32);
            Problem::random_of_size(random, width, height)
        } else {
            Problem::hard(random, side)
        };
        let map = if random.chance(25) { map.on_terrain_up_to(random, 8) } else { map };
        if random.chance(60) {
            return World::unknown(map);
        }
        let percent = random.pick(&[3, 15, 30]);
        let free = map.space.free_cells().map(|cell| map.space.node(cell).unwrap());
        let others = free.filter(|&node| node != map.start && node != map.goal);
        let blocked: Vec<_> = others.filter(|_| random.chance(percent)).collect();
        World::partial(&map, &blocked)
    }

    /// An agent at the start with the known map.
    pub fn agent(&self, config: &Config) -> Box<dyn Agent<LayeredGrid> + Send> {
        config.agent(&self.known, self.truth.start, self.truth.goal).unwrap()
    }

    /// Like [`TickLimit::of`]. Each cell that is seen may require a whole search and walk; but the learned heuristic is
    /// kept.
    pub fn tick_limit(&self, config: &Config, budget: u64) -> TickLimit {
        let Problem { start, goal, .. } = self.truth;
        let known = Problem::new(self.known.clone(), self.belief.clone(), start, goal);
        let most = TickLimit::of(config, &known, budget);
        let again = if is_slow(config) { 1 } else { self.hidden + 1 };
        TickLimit {
            moves: most.moves.saturating_mul(again),
            waits: most.waits.saturating_mul(again),
            ..most
        }
    }

    /// Like [`World::agent`], with access to the search.
    pub fn time_bounded(&self, config: TimeBoundedConfig) -> TimeBounded {
        TimeBounded::new(&self.known, config, self.truth.start, self.truth.goal).unwrap()
    }

    /// Sees the cells around a node.
    pub fn look(&mut self, at: NodeId) {
        let sides = if self.known.neighbors() == Neighbors::Four { 4 } else { 8 };
        let mut unreported = around(&self.known, at, &DIRECTIONS[..sides]);
        unreported.retain(|&node| {
            let cell = self.known.cell(node);
            !self.truth.space.is_free(cell) && self.known.set_free(cell, false).unwrap()
        });
        self.belief.update(&self.known, &unreported);
        self.hidden -= unreported.len();
        self.unreported.extend(unreported);
    }
}

/// Lets an agent walk in a world until it arrives or gives up, with a callback after each tick, before it sees new
/// cells. Every step must be an edge of the true map.
pub fn discover<A: Agent<LayeredGrid> + ?Sized>(
    agent: &mut A,
    world: &mut World,
    budget: u64,
    pause: impl FnMut(&A, &World, &Tick),
) -> Walk {
    // Each cell that is seen may require a whole search and walk.
    let most = too_many_ticks(world.known.free_cells().count(), budget) * (world.hidden + 1);
    discover_within(TickLimit::ticks(most), agent, world, budget, pause)
}

/// Like [`discover`], with the given limit.
pub fn discover_within<A: Agent<LayeredGrid> + ?Sized>(
    most: TickLimit,
    agent: &mut A,
    world: &mut World,
    budget: u64,
    mut pause: impl FnMut(&A, &World, &Tick),
) -> Walk {
    let mut walk = Walk { ticks: Vec::new(), cost: Cost::ZERO, cost_after: Vec::new() };
    let mut so_far = TickLimit::ticks(0);
    loop {
        let from = agent.position();
        let unreported = std::mem::take(&mut world.unreported);
        let tick = tick(agent, &world.known, Seen { changed: &unreported }, budget, u64::MAX);
        pause(agent, world, &tick);
        let step = tick.step;
        let stopped = most.count(step, &mut so_far);
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
                assert_eq!(way, None, "it gave up although a path may exist");
            }
        }
        if stopped || matches!(step, Step::Arrived | Step::Unreachable) {
            return walk;
        }
    }
}

/// Checks that parent pointers lead from a node, if the search has generated it, to a root, with decreasing costs.
pub fn check_branch(search: &BestFirst, space: &impl Map, from: NodeId) {
    let Some(mut cost) = search.cost_to(from) else { return };
    let mut node = from;
    for _ in 0..=space.size() {
        let Some(parent) = search.parent(node) else {
            assert_eq!(cost, Cost::ZERO, "{node} has no parent and is no root");
            return;
        };
        let before = search.cost_to(parent).expect("a parent was generated");
        assert!(before < cost, "from {node} at {cost:?} back to {parent} at {before:?}");
        (node, cost) = (parent, before);
    }
    panic!("the parent pointers from {from} form a cycle");
}

/// Checks that the heuristic of a search is consistent on this map, zero at the goal, not below that of the space, and
/// never above the true distance to the goal. Returns how many values are above the space's.
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
