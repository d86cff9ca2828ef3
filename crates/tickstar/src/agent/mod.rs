//! Agents: one step a tick, within the tick's budget.

mod d_lrta;
mod dstar_lite;
mod local;
mod pr_lrta;
mod pra;
mod quickpath;
mod shortcut;
mod time_bounded;

pub use d_lrta::{DLrta, DLrtaConfig, SubgoalColumn, SubgoalPlan, SubgoalSearch};
pub use dstar_lite::{DStarLite, DStarLiteConfig, Ties};
pub use local::{Avoid, Commitment, Lesson, Local, LocalConfig, Lookahead};
pub(crate) use local::{Ball, Thought};
pub use pr_lrta::{PrLrta, PrLrtaConfig};
pub use pra::{Pra, PraConfig, StartLevel};
pub use quickpath::QuickPath;
pub use time_bounded::{Acting, Restart, TimeBounded, TimeBoundedConfig, Tracing};

use thiserror::Error;

use crate::{EndpointError, Limits, NodeId, Slice, Space};

/// What an agent does in one tick.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// It goes to this node, which an edge leads to.
    Move(NodeId),
    /// It stays where it is for now.
    Wait,
    /// It is at its goal; there is nothing left to do.
    Arrived,
    /// There is no way to the goal on the map as it is known.
    Unreachable,
}

/// What changed on the known map since the agent's last tick.
///
/// ```
/// use tickstar::{NodeId, Seen};
/// let nothing_new = Seen::default();
/// let a_door_closed = Seen { changed: &[NodeId(17)] };
/// # let _ = (nothing_new, a_door_closed);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen<'a> {
    /// The nodes that were blocked or opened, or whose edges changed; the space says which. One that
    /// can be stood on now is taken for one where edges may have come or grown cheaper.
    pub changed: &'a [NodeId],
}

/// What can be asked of an agent without its map.
pub trait AgentState: Send + Sync {
    /// Where the agent stands.
    fn position(&self) -> NodeId;

    /// The node it is heading for at present: the goal, or the end of the path it follows.
    fn target(&self) -> Option<NodeId>;

    /// The whole path its last search has found, from where that search began to the goal.
    fn plan(&self) -> Option<Vec<NodeId>>;

    /// What one tick of this budget may do at most.
    fn limits(&self, budget: u64) -> Limits;

    /// Heap memory of the search state in bytes, the map not counted.
    fn bytes(&self) -> usize;
}

/// Something that walks to a goal, one step a tick.
///
/// Before each tick the agent stands where its last [`Step::Move`] led. It never owns the map: each
/// tick borrows the space as the agent knows it.
pub trait Agent<S: Space>: AgentState {
    /// Thinks within the slice and takes a step.
    fn tick(&mut self, space: &S, at: NodeId, seen: Seen<'_>, slice: &mut Slice<'_>) -> Step;

    /// Gives the agent a new task, keeping its memory for reuse. It then behaves as a fresh one.
    ///
    /// # Errors
    /// When the start or goal cannot be stood on, or the space is not fit for the agent.
    fn assign(&mut self, space: &S, start: NodeId, goal: NodeId) -> Result<(), AgentError>;

    /// Puts the agent somewhere else, with the same goal: it was thrown back, or is to walk again. It
    /// keeps what it has learned about the map.
    ///
    /// # Errors
    /// When it cannot stand there, or at its goal.
    fn place(&mut self, space: &S, at: NodeId) -> Result<(), AgentError>;
}

/// Why an agent cannot take a task.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum AgentError {
    /// The start or goal is of no use.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The agent walks or searches back along edges, which the space does not promise.
    #[error(
        "this algorithm walks or searches back along edges, and the map has edges that cannot be walked \
         back at the same cost: use `astar`, `wastar` or `gbfs`, which never turn round"
    )]
    NeedsReversibleEdges,
    /// The agent plans on levels above the map, and the map has none.
    #[error(
        "this algorithm plans on a hierarchy of the map, and the map has none: use `Layered::new`"
    )]
    NeedsHierarchy,
}

/// The updates a tick may do for each unit of its budget. LSS-LRTA* needs two, to learn all it can in the
/// tick in which it has looked; and with ten, the smallest budget takes in a changed cell of a grid, which
/// concerns nine nodes, in one tick of D* Lite. Updates take up to as long as expansions, so a tick that does
/// all it may can take several times as long as its expansions alone.
const UPDATES: u64 = 10;

/// Asks to update a node, if the tick may still do so.
fn may_update(slice: &mut Slice<'_>, node: NodeId) -> bool {
    slice.updates() < most_updates(slice.budget()) && slice.update(node)
}

/// Refuses a space that has no hierarchy to plan on.
fn check_hierarchy(space: &impl Space) -> Result<(), AgentError> {
    match space.hierarchy() {
        _ if !space.is_reversible() => Err(AgentError::NeedsReversibleEdges),
        None => Err(AgentError::NeedsHierarchy),
        Some(_) => Ok(()),
    }
}

/// Whether the hierarchy knows of a way to the goal, which may have been blocked: a few look-ups.
fn has_way(space: &impl Space, at: NodeId, goal: NodeId) -> bool {
    let levels = space.hierarchy();
    space.contains(goal) && levels.is_some_and(|levels| levels.reachable(at, goal))
}

/// The trace steps a tick of this budget may do, where they are cheap beside expansions.
fn most_traces(budget: u64) -> u64 {
    budget.saturating_mul(UPDATES)
}

/// The updates a tick of this budget may do.
fn most_updates(budget: u64) -> u64 {
    budget.saturating_mul(UPDATES)
}
