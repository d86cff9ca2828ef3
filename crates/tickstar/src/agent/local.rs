//! Learning real-time search: look ahead locally, update the heuristic, take a step, and repeat.
//!
//! # Sources
//! * R. Korf, "Real-Time Heuristic Search", 1990: LRTA*; with a breadth-first lookahead of `d` steps as
//!   Björnsson, Bulitko and Sturtevant run it in "TBA*: Time-Bounded A*", IJCAI 2009.
//! * D. C. Rayner et al., "Real-Time Heuristic Search with a Priority Queue", 2007: P LRTA*, after the
//!   outline in the 2009 paper.
//! * S. Koenig, "A Comparison of Fast Search Methods for Real-Time Situated Agents", 2004; S. Koenig,
//!   X. Sun, "Comparing Real-Time and Incremental Heuristic Search for Real-Time Situated Agents", 2009:
//!   LSS-LRTA*, which the 2009 paper calls K LRTA*.
//! * S. Koenig, M. Likhachev, "Real-Time Adaptive A*", AAMAS 2006: RTAA*; with the lazy update and one move per search
//!   as in Hernández, Baier, Uras, Koenig, "Time-Bounded Adaptive A*", AAMAS 2012.
//! * C. Hernández, J. Baier, "Real-Time Heuristic Search with Depression Avoidance", IJCAI 2011, and
//!   "Real-Time Adaptive A* with Depression Avoidance", AIIDE 2011: aRTAA* and daRTAA*.
//!
//! The 2009 and 2012 papers were available; the others are followed as these and later papers describe them.
//!
//! # One tick
//! 1. Look ahead from the agent's position: A* for as many expansions as the tick allows ([`Lookahead::Astar`]); all
//!    nodes within `d` steps ([`Lookahead::Ball`]); or only the neighbors ([`Lookahead::Queue`]).
//! 2. Update the learned heuristic.
//!    * RTAA* ([`Update::Uniform`]): the distance from every expanded node to the goal is at least `F − g`, where `F`
//!      is the smallest `g + h` on the open list. The value is stored when a later search generates the node.
//!    * LSS-LRTA* ([`Update::Region`]): each expanded node gets the minimum, over the open nodes, of the cost to that
//!      node plus its heuristic.
//!    * LRTA*: the same for the agent's node only.
//!    * P LRTA*: the agent's node, and then others, each from its neighbors' heuristics; the neighbors of a raised node
//!      are queued, with the size of the increase as priority.
//! 3. Take one step toward the best node of the frontier (or all steps: [`Commitment::Target`]). With depression
//!    avoidance ([`Avoid`]), walk toward the best of the nodes that were not raised, or were raised least.
//!
//! # Deviations
//! * LRTA* with `d` above 1 that stores only the heuristic of the agent's node can walk in cycles forever: the
//!   heuristics of its neighbors fall behind the values from the lookahead. Here no node inside the ball is assumed to
//!   be nearer to the goal than its stored heuristic, both for the choice of the step and for the update. Then, once
//!   nothing more is learned, the heuristic decreases along every step, so there is no cycle; and as heuristics never
//!   exceed the true distance, learning terminates. Doing so for the neighbors alone would suffice, but then a deeper
//!   lookahead hardly helps (see `papers/2009-tba-star.md`).
//! * The breadth-first ball determines how far to look; costs inside it are those of cheapest paths, which may have
//!   more steps than necessary. Costs along the breadth-first tree could exceed the true ones.
//! * P LRTA* has one parameter, the length of the queue, which is also the maximum number of updates per tick. Among
//!   equal priorities, the node queued last is taken first.
//! * The target of daRTAA* is not the node with the smallest `g + h`, but the update still uses the value of that node;
//!   otherwise heuristics could exceed the true distance.
//! * In the papers the agent walks forever if no path exists. Here it stops when a heuristic exceeds the largest value
//!   possible while anything is left to explore: the cost of the most expensive edge times the number of generated
//!   nodes, plus the largest initial heuristic among them. That may take a number of steps quadratic in the number of
//!   reachable nodes, more where some edges are much more expensive than others. (It stops immediately if the lookahead
//!   has covered everything.)
//! * When a node is opened, the learned heuristic is discarded, because it may now exceed the true distance.
//!
//! # Invariants
//! * Heuristics never exceed the true distance on the known map, and never decrease while nothing is opened. They are
//!   consistent, except for those of LRTA* with `d` above 1.
//! * With one move per search and depression avoidance the agent still arrives. Let `Δ` be how much a node was raised,
//!   and suppose that nothing more is learned. The target's `Δ` is no larger than that of the best open node, which is
//!   no larger than that of the agent's node, as the space's heuristic is consistent. A step to an expanded node
//!   decreases the heuristic by its cost and does not increase `Δ`. A step to an open node decreases `Δ`, or else goes
//!   to the best open node and decreases the heuristic. So no node is visited twice.
//!
//! # When the goal moves
//! The lookahead in progress is dropped, and what was learned is corrected: by `h(g')`, the heuristic of the new goal
//! ([`BestFirst::begin`](crate::search::BestFirst::begin)). LRTA*'s heuristic is not consistent, so that its values are
//! lowered by the cost of the goal's step instead, or discarded if the goal jumps. No arrival is guaranteed while the
//! goal keeps moving.
//!
//! # Real-time bound
//! At most as many expansions and trace steps as the budget. LSS-LRTA* and LRTA* also do two updates per expanded node:
//! one to read its edges, and one when its value is final. For LSS-LRTA* and RTAA* the budget is the lookahead. If it
//! is too small for the ball of LRTA*, the agent waits for some ticks, each with at most ten times as many updates as
//! the budget; P LRTA* does fewer updates of its queue. In addition: to avoid depressions, one visit to every open
//! node, of which there are at most as many per expansion as a node has neighbors; and one store per expanded node when
//! LSS-LRTA* completes. RTAA* and LSS-LRTA* keep one number per search done, until they get a new task.

mod astar_shaped;
mod prioritized;

use self::astar_shaped::AstarShaped;
use self::prioritized::Prioritized;
use super::{AgentError, Cx, Decision, Keep, Needs, Policy, Walker};
use crate::search::{Ball, Toward};
use crate::{Cost, Limits, Map, NodeId, OpenList, Pool, Slice};

/// How an agent looks ahead, and how it uses the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookahead {
    /// A*, with as many expansions as the tick allows: LSS-LRTA*, RTAA*, aRTAA*, daRTAA*.
    Astar {
        /// How the heuristic is updated.
        update: Update,
        /// Which open nodes to avoid.
        avoid: Avoid,
        /// How far to walk before the next lookahead.
        commitment: Commitment,
    },
    /// All nodes within `depth` steps, at least one: LRTA*.
    Ball {
        /// The number of steps.
        depth: u32,
    },
    /// The neighbors, and at most `length` updates of queued nodes: P LRTA*.
    Queue {
        /// The maximum length of the queue.
        length: u32,
    },
}

/// How the heuristic is updated after an A* lookahead.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Update {
    /// `F − g` for every expanded node, with the same `F`: RTAA*.
    #[default]
    Uniform,
    /// The largest value that the lookahead justifies for each expanded node: LSS-LRTA*.
    Region,
}

/// Which open nodes the agent avoids, as long as there are others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Avoid {
    /// None: the target is the node with the smallest `g + h`.
    #[default]
    Nothing,
    /// Those whose heuristic was raised: aRTAA*, "mark and avoid".
    Raised,
    /// Those whose heuristic was raised more than that of others: daRTAA*, "move to the border".
    MostRaised,
}

/// How far the agent walks before it looks ahead again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Commitment {
    /// One step.
    #[default]
    Step,
    /// All the way to the target, as long as the path is passable.
    Target,
}

/// The settings of a member of the learning family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalConfig {
    /// How it looks ahead.
    pub lookahead: Lookahead,
    /// Which open list the A* lookahead uses.
    pub open: OpenList,
}

impl Default for LocalConfig {
    /// RTAA*.
    fn default() -> LocalConfig {
        let (update, avoid, commitment) = Default::default();
        let lookahead = Lookahead::Astar { update, avoid, commitment };
        LocalConfig { lookahead, open: OpenList::default() }
    }
}

/// An agent that looks ahead locally in each tick, updates its learned heuristic, and takes a step.
///
/// ```
/// use tickstar::agent::local::{Local, LocalConfig};
/// use tickstar::{Agent, Cell, Grid, Seen, Slice, Step};
/// let grid = Grid::from_rows(["....#...", "..#...#.", "..#.#.#.", "....#..."])?;
/// let [start, goal] = [(0, 0), (7, 3)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
/// let mut unit = Local::new(&grid, LocalConfig::default(), start, goal)?;
/// let mut at = start;
/// while let Step::Move(to) = unit.tick(&grid, at, Seen::default(), &mut Slice::new(4)) {
///     at = to;
/// }
/// assert_eq!(at, goal);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Local = Walker<LocalPolicy>;

/// The policy of [`Local`].
#[derive(Clone, Debug)]
pub struct LocalPolicy(Mind);

#[derive(Clone, Debug)]
enum Mind {
    Astar(AstarShaped),
    Ball(Ball),
    Queue(Prioritized),
}

/// Applies the same expression to every variant.
macro_rules! each {
    ($mind:expr, $this:ident => $act:expr) => {
        match $mind {
            Mind::Astar($this) => $act,
            Mind::Ball($this) => $act,
            Mind::Queue($this) => $act,
        }
    };
}

impl Local {
    /// An agent at `start` that walks to `goal`.
    ///
    /// # Errors
    /// If the start or goal is not passable, the edges are not reversible, or the depth is zero.
    pub fn new(
        map: &impl Map,
        config: LocalConfig,
        start: NodeId,
        goal: NodeId,
    ) -> Result<Local, AgentError> {
        let mind = match config.lookahead {
            Lookahead::Astar { update, avoid, commitment } => {
                Mind::Astar(AstarShaped::new(config.open, update, avoid, commitment))
            }
            Lookahead::Ball { depth: 0 } => {
                return Err(AgentError::Setting { name: "depth", expected: "1 or more" });
            }
            Lookahead::Ball { depth } => Mind::Ball(Ball::new(depth)),
            Lookahead::Queue { length } => Mind::Queue(Prioritized::new(length)),
        };
        Walker::with_policy(LocalPolicy(mind), map, start, goal)
    }

    /// The heuristic from a node to the goal: that of the map, or a larger learned one.
    pub fn estimate(&self, map: &impl Map, node: NodeId) -> Cost {
        let plain = map.estimate(node, self.goal());
        match &self.policy.0 {
            // The update from the last search is stored when the next one starts.
            Mind::Astar(mind) => mind.estimate(map, node, self.goal()),
            Mind::Ball(mind) => mind.estimate(node, plain),
            Mind::Queue(mind) => mind.estimate(node, plain),
        }
    }
}

impl LocalPolicy {
    fn drop_plan(&mut self) {
        match &mut self.0 {
            Mind::Astar(mind) => mind.drop_plan(),
            Mind::Ball(mind) => mind.drop_plan(),
            Mind::Queue(_) => {}
        }
    }
}

impl Policy for LocalPolicy {
    fn needs(&self) -> Needs {
        Needs { reversible_edges: true, ..Needs::default() }
    }

    fn limits(&self, budget: u64) -> Limits {
        Limits { traces: budget, ..Limits::per_unit(budget) }
    }

    fn begin<M: Map>(&mut self, _: &M, _: NodeId, _: NodeId, keep: Keep) {
        if keep == Keep::Nothing {
            each!(&mut self.0, mind => mind.forget());
        }
        self.drop_plan();
    }

    fn moved(&mut self, _: NodeId, to: NodeId) {
        if let Mind::Astar(mind) = &mut self.0 {
            mind.moved(to);
        }
    }

    fn heed<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, changed: &[NodeId]) {
        if changed.iter().any(|&node| cx.map.contains(node)) {
            each!(&mut self.0, mind => mind.forget());
        }
        match &mut self.0 {
            Mind::Astar(mind) => mind.heed(cx, changed),
            Mind::Ball(mind) => mind.heed(cx.map, changed),
            Mind::Queue(_) => {}
        }
    }

    fn decide<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) -> Decision {
        let problem = Toward { map: cx.map, goal: cx.goal };
        match &mut self.0 {
            Mind::Astar(mind) => mind.think(cx),
            Mind::Ball(mind) => mind.think(&problem, cx.at, cx.goal, cx.slice),
            Mind::Queue(mind) => mind.think(cx),
        }
    }

    fn retarget<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, from: NodeId) {
        match &mut self.0 {
            Mind::Astar(mind) => mind.drop_plan(),
            Mind::Ball(mind) => mind.retarget(cx.map, from, cx.goal),
            Mind::Queue(mind) => mind.retarget(cx.map, from, cx.goal),
        }
    }

    fn can_improve(&self) -> bool {
        if let Mind::Astar(mind) = &self.0 { mind.can_improve() } else { false }
    }

    /// Only what was learned is kept; the search of an A* lookahead is a part of that.
    fn rest(&mut self, _: &mut Slice<'_>) {
        if let Mind::Ball(mind) = &mut self.0 {
            mind.rest();
        }
    }

    fn target(&self, _: NodeId) -> Option<NodeId> {
        if let Mind::Astar(mind) = &self.0 { mind.target() } else { None }
    }

    fn plan(&self, _: NodeId) -> Option<Vec<NodeId>> {
        if let Mind::Astar(mind) = &self.0 { mind.plan() } else { None }
    }

    fn set_pool(&mut self, pool: &Pool) {
        each!(&mut self.0, mind => mind.set_pool(pool));
    }

    fn bytes(&self) -> usize {
        each!(&self.0, mind => mind.bytes())
    }
}
