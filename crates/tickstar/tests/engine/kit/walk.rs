//! A recorder of searches and walks.

use tickstar::budget::Work;
use tickstar::search::{BestFirst, Status};
use tickstar::{Agent, Cost, Event, Map, NodeId, Seen, Slice, Step};

use super::{Member, Oracle, Problem};

/// Everything that a search did and found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explored {
    /// The expanded nodes, in order.
    pub order: Vec<NodeId>,
    pub status: Status,
    pub path: Option<Vec<NodeId>>,
    /// The cost and parent of every node.
    pub tree: Vec<(Option<Cost>, Option<NodeId>)>,
}

/// Runs a search to its end, the given number of expansions at a time, with a callback at every pause.
pub fn explore_with<S: Map>(
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
            let Work::Expand { node, .. } = work else { panic!("a search only expands") };
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

/// Like [`explore_with`], without pauses.
pub fn explore<S: Map>(search: &mut BestFirst, space: &S, ends: (NodeId, NodeId)) -> Explored {
    explore_with(search, space, ends, u64::MAX, |_| ())
}

/// What an agent did in one tick.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tick {
    pub step: Step,
    /// The expanded nodes, in order.
    pub expanded: Vec<NodeId>,
    /// The expanded nodes of levels above the map, in order.
    pub above: Vec<(usize, NodeId)>,
    pub traces: u64,
    pub updates: u64,
    pub events: Vec<Event>,
    /// Its target after the tick.
    pub target: Option<NodeId>,
}

impl Tick {
    pub fn has(&self, event: Event) -> bool {
        self.events.contains(&event)
    }
}

/// One tick, of which only the first `patience` units of work are allowed.
pub fn tick<S: Map>(
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
            Work::Expand { level: 0, node } if allowed => expanded.push(node),
            Work::Expand { level, node } if allowed => above.push((level, node)),
            _ => {}
        }
        allowed
    };
    let mut slice = Slice::watched(budget, &mut watch);
    let step = agent.tick(space, agent.position(), seen, &mut slice);
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
    /// The cost walked so far, after each tick.
    pub cost_after: Vec<Cost>,
}

impl Walk {
    pub fn arrived(&self) -> bool {
        self.ticks.last().is_some_and(|tick| tick.step == Step::Arrived)
    }

    /// The nodes it moved to, in order.
    pub fn moves(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.ticks.iter().filter_map(|tick| match tick.step {
            Step::Move(to) => Some(to),
            _ => None,
        })
    }

    pub fn expanded(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.ticks.iter().flat_map(|tick| tick.expanded.iter().copied())
    }

    /// The cost walked from this tick's step on.
    pub fn cost_from(&self, tick: usize) -> Cost {
        let before = tick.checked_sub(1).map_or(Cost::ZERO, |before| self.cost_after[before]);
        self.cost - before
    }
}

/// More ticks than any correct agent needs, except those that are slow to give up.
pub fn too_many_ticks(size: usize, budget: u64) -> usize {
    50 * (size + 10) * (1 + 100 / budget as usize)
}

/// Whether an algorithm arrives by raising its heuristic.
pub fn is_slow(member: &dyn Member) -> bool {
    member.facts().no_openings.is_some()
}

/// The maximum number of moves of an agent that arrives and gives up by raising its heuristic.
///
/// With `n` reachable nodes, and `D` as the cost of the most expensive edge among them, it gives up when a heuristic
/// exceeds `n·D` plus the largest initial heuristic `H` among them. Until then each of them can be raised to that
/// value, and once beyond it by one edge. A step of cost `c` leads to a heuristic that is lower by `c`, so all steps
/// together cost no more than the sum of all increases, plus the first heuristic. No step is cheaper than the cheapest
/// edge.
pub fn max_moves<S: Map>(
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

/// The limits that no correct agent exceeds: on all ticks not spent waiting, and on consecutive waits.
#[derive(Clone, Copy, Debug)]
pub struct TickLimit {
    pub moves: usize,
    pub waits: usize,
    /// An agent that exceeds them has stopped permanently, which is not an error.
    pub may_stop: bool,
}

impl TickLimit {
    /// For an agent that is quick to give up: this many ticks.
    pub fn ticks(ticks: usize) -> TickLimit {
        TickLimit { moves: ticks, waits: ticks, may_stop: false }
    }

    /// For an agent of this algorithm. One that is slow to give up may need many moves. Those that avoid depressions
    /// have been observed to exceed the bound above slightly: their steps do not always lower the heuristic by their
    /// cost. If ticks are cut short to one unit of work, a step may take three times as many ticks as there are nodes,
    /// and more if some are cut short to nothing. An agent that is not complete may stop anywhere; it has stopped when
    /// it waits as often as there are nodes.
    pub fn of<S: Map>(member: &dyn Member, problem: &Problem<S>, budget: u64) -> TickLimit {
        let size = problem.oracle.size();
        if !member.facts().complete {
            return TickLimit { moves: 50 * (size + 10), waits: size + 10, may_stop: true };
        }
        if !is_slow(member) {
            // Where costs have little to do with positions, plans can undo each other: PRA* notices that after 64 steps,
            // and 16 for each node of the level it starts on, and may do so for each of a dozen highest paths.
            let undone = if member.facts().refines { 5_000 } else { 0 };
            return TickLimit::ticks(too_many_ticks(size, budget) + undone);
        }
        let ends = (problem.start, problem.goal);
        let moves = max_moves(&problem.space, &problem.oracle, ends).unwrap_or(usize::MAX);
        TickLimit { moves: moves.saturating_mul(20), waits: 50 * (size + 10), may_stop: false }
    }

    /// Counts a step. Returns whether the agent has stopped permanently. Panics if it must not.
    pub fn count(self, step: Step, so_far: &mut TickLimit) -> bool {
        if step == Step::Wait {
            so_far.waits += 1;
        } else {
            *so_far = TickLimit { moves: so_far.moves + 1, waits: 0, ..*so_far };
        }
        let within = so_far.moves <= self.moves && so_far.waits <= self.waits;
        assert!(within || self.may_stop, "the agent walks forever");
        !within
    }
}

/// Lets an agent walk until it arrives, gives up or stops. Every step must be an edge, and the walk must end.
pub fn walk_within<S: Map>(
    most: TickLimit,
    agent: &mut (impl Agent<S> + ?Sized),
    problem: &Problem<S>,
    budget: u64,
    mut patience: impl FnMut() -> u64,
) -> Walk {
    let mut walk = Walk { ticks: Vec::new(), cost: Cost::ZERO, cost_after: Vec::new() };
    let mut so_far = TickLimit::ticks(0);
    loop {
        let from = agent.position();
        let tick = tick(agent, &problem.space, Seen::default(), budget, patience());
        let step = tick.step;
        let stopped = most.count(step, &mut so_far);
        let to = if let Step::Move(to) = step { to } else { from };
        if to != from {
            walk.cost = walk.cost + problem.oracle.path_cost(&[from, to]);
        }
        assert_eq!(agent.position(), to, "the agent expects to be where its step leads");
        assert_ne!(step, Step::Move(from), "a move changes the position");
        walk.ticks.push(tick);
        walk.cost_after.push(walk.cost);
        match step {
            Step::Arrived => assert_eq!(agent.position(), problem.goal),
            Step::Unreachable => {
                assert_eq!(problem.optimum, None, "it gave up although a path exists");
            }
            Step::Move(_) | Step::Wait if stopped => {}
            Step::Move(_) | Step::Wait => continue,
        }
        return walk;
    }
}

/// Like [`walk_within`], for an agent that is quick to give up.
pub fn walk_with<S: Map>(
    agent: &mut (impl Agent<S> + ?Sized),
    problem: &Problem<S>,
    budget: u64,
    patience: impl FnMut() -> u64,
) -> Walk {
    let most = TickLimit::ticks(too_many_ticks(problem.oracle.size(), budget));
    walk_within(most, agent, problem, budget, patience)
}

pub fn walk<S: Map>(
    agent: &mut (impl Agent<S> + ?Sized),
    problem: &Problem<S>,
    budget: u64,
) -> Walk {
    walk_with(agent, problem, budget, || u64::MAX)
}

/// Like [`walk`], for an agent of this algorithm.
pub fn walk_of<S: Map>(
    member: &dyn Member,
    agent: &mut (impl Agent<S> + ?Sized),
    problem: &Problem<S>,
    budget: u64,
) -> Walk {
    walk_within(TickLimit::of(member, problem, budget), agent, problem, budget, || u64::MAX)
}
