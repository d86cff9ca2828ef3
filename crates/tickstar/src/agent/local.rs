//! Learning real-time search: look a little way ahead, learn, take a step, and begin again.
//!
//! # Sources
//! * R. Korf, "Real-Time Heuristic Search", 1990: LRTA*; with a breadth-first lookahead of `d` steps as
//!   Björnsson, Bulitko and Sturtevant run it in "TBA*: Time-Bounded A*", IJCAI 2009.
//! * D. C. Rayner et al., "Real-Time Heuristic Search with a Priority Queue", 2007: P LRTA*, after the
//!   outline in the 2009 paper.
//! * S. Koenig, "A Comparison of Fast Search Methods for Real-Time Situated Agents", 2004; S. Koenig,
//!   X. Sun, "Comparing Real-Time and Incremental Heuristic Search for Real-Time Situated Agents", 2009:
//!   LSS-LRTA*, which the 2009 paper calls K LRTA*.
//! * S. Koenig, M. Likhachev, "Real-Time Adaptive A*", AAMAS 2006: RTAA*; with the lazy update and one
//!   move a search as in Hernández, Baier, Uras, Koenig, "Time-Bounded Adaptive A*", AAMAS 2012.
//! * C. Hernández, J. Baier, "Real-Time Heuristic Search with Depression Avoidance", IJCAI 2011, and
//!   "Real-Time Adaptive A* with Depression Avoidance", AIIDE 2011: aRTAA* and daRTAA*.
//!
//! The 2009 and 2012 papers were at hand; the others are followed as these and later papers tell of them.
//!
//! # One tick
//! 1. Look ahead from where the agent stands: A* for as many expansions as the tick has
//!    ([`Lookahead::Astar`]); all nodes within `d` steps ([`Lookahead::Ball`]); or the neighbours alone
//!    ([`Lookahead::Queue`]).
//! 2. Learn.
//!    * RTAA* ([`Lesson::Uniform`]): every expanded node is at least `F − g` from the goal, `F` being the
//!      smallest `g + h` left open. Written down when a later search meets the node.
//!    * LSS-LRTA* ([`Lesson::Region`]): every expanded node is as far as the cheapest way out to the open
//!      list, and the estimate from there.
//!    * LRTA*: the same for the agent's own place alone.
//!    * P LRTA*: the agent's place, and then others, each from its neighbours' estimates; the neighbours of
//!      one that was raised are queued by how much it was.
//! 3. Take one step towards the best node of the rim (or all of them: [`Commitment::Target`]). With
//!    depression avoidance ([`Avoid`]) towards the best of those that were not raised, or were raised
//!    least.
//!
//! # Deviations
//! * LRTA* with `d` above 1 that writes down only the agent's own estimate can walk in circles for ever:
//!   the estimates of neighbours fall behind what the lookahead says. Here no node inside the ball is taken
//!   for nearer to the goal than its stored estimate, both for the choice and for the lesson. Then,
//!   where nothing is learned any more, the estimate falls along every step, so there is no circle; and as
//!   estimates never exceed the true distance, learning comes to an end. It would be enough to do so for
//!   the neighbours alone, but then a deeper lookahead hardly helps (see `papers/2009-tba-star.md`).
//! * The breadth-first ball says how far to look; costs inside it are those of cheapest ways, which
//!   may have more steps than needed. Costs along the breadth-first tree could exceed the true ones.
//! * P LRTA* has one parameter, the length of the queue, which also is the most updates a tick. Of several
//!   with the same priority the one queued last is taken first.
//! * The target of daRTAA* is not the node with the smallest `g + h`, but what is learned still is by that
//!   one's, or estimates could exceed the true distance.
//! * The papers let the agent walk on for ever if there is no way. Here it stops when an estimate
//!   exceeds what it could be if anything were left to explore: so many dearest edges as nodes were
//!   met, and the largest plain estimate among them. That may take as many steps as the square of what
//!   can be reached, more where some edges are much dearer than others. (And at once if the lookahead has
//!   seen everything.)
//! * When something opens, all is forgotten: what was learned may exceed the true distance now.
//!
//! # Invariants
//! * Estimates never exceed the true distance on the known map, and never fall while nothing opens. They
//!   are consistent, but for those of LRTA* with `d` above 1.
//! * With one move a search and depression avoidance the agent still arrives. Let `Δ` be how much a node
//!   was raised, and suppose nothing is learned any more. The target has no larger `Δ` than the best open
//!   node, and that none larger than the agent's place, as the space's estimate is consistent. A step
//!   to an expanded node lowers the estimate by its cost, and does not increase `Δ`. A step to an open node
//!   lowers `Δ`, or else goes to the best open node and lowers the estimate. So no place is seen twice.
//!
//! # Real-time bound
//! At most as many expansions and trace steps as the budget. LSS-LRTA* and LRTA* also do two updates for each
//! node expanded: one to look at its edges, and one when it is known how far it is. For LSS-LRTA* and RTAA*
//! the budget is the lookahead. If it is too small for the ball of LRTA*, the agent waits for some ticks, each
//! with at most ten times as many updates as the budget; P LRTA* does fewer updates of its queue. Beside that:
//! to avoid depressions a look at every open node, of which there are at most so many for each expansion as
//! it has neighbours; and one store for each node expanded, when LSS-LRTA* is done. RTAA* and LSS-LRTA* keep
//! one number for each search they have done, until they have a new task.

mod astar_shaped;
mod backup;
mod ball;
mod prioritized;

use self::astar_shaped::AstarShaped;
pub(crate) use self::ball::Ball;
use self::prioritized::Prioritized;
use super::{AgentError, Cx, Decision, Keep, Needs, Policy, Walker};
use crate::search::{Learned, Toward};
use crate::{Cost, Limits, Map, NodeId, OpenList, Pool};

/// How an agent looks ahead, and what it makes of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookahead {
    /// By A*, as many expansions as the tick has: LSS-LRTA*, RTAA*, aRTAA*, daRTAA*.
    Astar {
        /// What is learned from it.
        lesson: Lesson,
        /// Where not to go.
        avoid: Avoid,
        /// How far to walk on it.
        commitment: Commitment,
    },
    /// All nodes within so many steps, one at least: LRTA*.
    Ball {
        /// The steps.
        depth: u32,
    },
    /// The neighbours, and up to so many updates of queued nodes: P LRTA*.
    Queue {
        /// The longest the queue can be.
        length: u32,
    },
}

/// What is learned from an A* lookahead.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Lesson {
    /// One number for all nodes expanded, less what it cost to get there: RTAA*.
    #[default]
    Uniform,
    /// For each node expanded the most that can be known: LSS-LRTA*.
    Region,
}

/// Which open nodes are not walked to, as long as there are others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Avoid {
    /// None: the one with the smallest `g + h` it is.
    #[default]
    Nothing,
    /// Those whose estimate was raised: aRTAA*, "mark and avoid".
    Raised,
    /// Those whose estimate was raised more than others': daRTAA*, "move to the border".
    MostRaised,
}

/// How far the agent walks before it looks ahead again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Commitment {
    /// One step.
    #[default]
    Step,
    /// To the target, as long as the path can be walked.
    Target,
}

/// A member of the learning family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalConfig {
    /// How it looks ahead.
    pub lookahead: Lookahead,
    /// Which open list A* uses for that.
    pub open: OpenList,
}

impl Default for LocalConfig {
    /// RTAA*.
    fn default() -> LocalConfig {
        let (lesson, avoid, commitment) = Default::default();
        let lookahead = Lookahead::Astar { lesson, avoid, commitment };
        LocalConfig { lookahead, open: OpenList::default() }
    }
}

/// An agent that looks a little way ahead each tick, learns a better heuristic, and takes a step.
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

/// Does the same with whatever mind it is.
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
    /// An agent at `start`, to go to `goal`.
    ///
    /// # Errors
    /// When the start or goal cannot be stood on, edges cannot be walked back, or the depth is zero.
    pub fn new(
        map: &impl Map,
        config: LocalConfig,
        start: NodeId,
        goal: NodeId,
    ) -> Result<Local, AgentError> {
        let mind = match config.lookahead {
            Lookahead::Astar { lesson, avoid, commitment } => {
                Mind::Astar(AstarShaped::new(config.open, lesson, avoid, commitment))
            }
            Lookahead::Ball { depth: 0 } => {
                return Err(AgentError::Setting { name: "depth", expected: "1 or more" });
            }
            Lookahead::Ball { depth } => Mind::Ball(Ball::new(depth)),
            Lookahead::Queue { length } => Mind::Queue(Prioritized::new(length)),
        };
        Walker::with_policy(LocalPolicy(mind), map, start, goal)
    }

    /// The estimate from a node to the goal: the map's own, or a greater one that was learned.
    pub fn estimate(&self, map: &impl Map, node: NodeId) -> Cost {
        let plain = map.estimate(node, self.goal());
        match &self.policy.0 {
            // What its last search has taught is written down when the next begins.
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

    fn moved(&mut self, _: NodeId, _: NodeId) {
        if let Mind::Astar(mind) = &mut self.0 {
            mind.moved();
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

/// A step the agent may take, and what is estimated to be ahead of it then.
#[derive(Clone, Copy, Debug)]
struct Neighbor {
    to: NodeId,
    cost: Cost,
    ahead: Cost,
    is_goal: bool,
}

impl Neighbor {
    fn total(&self) -> Cost {
        self.cost + self.ahead
    }

    /// Takes the new one if it is better. Ties go as on an open list (where no two edges lead to the same
    /// node): to the goal, to the dearer step, to the one that comes last. A step must lead away from where
    /// the agent stands.
    fn prefer(best: &mut Option<Neighbor>, new: Neighbor, at: NodeId) {
        let rank = |n: &Neighbor| (n.total(), !n.is_goal, std::cmp::Reverse(n.cost));
        if new.to != at && best.as_ref().is_none_or(|best| rank(&new) <= rank(best)) {
            *best = Some(new);
        }
    }
}

/// Whether an estimate is so large that there can be no way.
fn is_hopeless(learned: &Learned, max_edge: Cost, estimate: Cost) -> bool {
    estimate > learned.bound(max_edge)
}
