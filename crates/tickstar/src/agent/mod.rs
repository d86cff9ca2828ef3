//! Agents: one step per tick, within the tick's budget.
//!
//! [`Walker`] is the one driver: it knows where the agent stands and whether it has arrived, and takes care that
//! every step is legal. What to do next is decided by a [`Policy`], one per family of algorithms.

pub mod d_lrta;
pub mod dstar_lite;
pub mod local;
pub mod pr_lrta;
pub mod pra;
pub mod quickpath;
mod refine;
mod route;
mod shortcut;
pub mod time_bounded;
mod walker;

pub(crate) use local::Ball;
pub use walker::{Cx, Decision, Keep, Needs, Policy, Walker};

use thiserror::Error;

use crate::{EndpointError, Limits, NodeId, Slice, Space};

/// What an agent wants to do in one tick.
///
/// A step is an intent: the caller moves the agent, or does not, and says in the next tick where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Go to this node, which an edge leads to.
    Move(NodeId),
    /// Stay for now.
    Wait,
    /// Nothing: it is at its goal.
    Arrived,
    /// Nothing: there is no way to the goal on the map as it is known.
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
    /// The nodes that were blocked or opened, or whose edges changed; the map says which. One that
    /// can be stood on now is taken for one where edges may have come or grown cheaper.
    pub changed: &'a [NodeId],
}

/// What can be asked of an agent without its map.
pub trait AgentState: Send + Sync {
    /// Where the agent expects to stand in its next tick: where its last step led.
    fn position(&self) -> NodeId;

    /// Where it is to go.
    fn goal(&self) -> NodeId;

    /// The node it is heading for at present: the goal, or the end of the path it follows.
    fn target(&self) -> Option<NodeId>;

    /// The path to the goal (or, for agents that refine one segment at a time, the last segment) that it has
    /// found: from where its search began, or what it has kept of that.
    fn plan(&self) -> Option<Vec<NodeId>>;

    /// What one tick of this budget may do at most, counted as the papers do.
    fn limits(&self, budget: u64) -> Limits;

    /// Heap memory in bytes, the map not counted.
    fn bytes(&self) -> usize;
}

/// Something that walks to a goal, one step per tick.
///
/// It never owns the map: each tick borrows it as the agent knows it. And it does not own its position: each
/// tick is told where the agent stands. If that is not where the last step led, because the step was refused or
/// the agent was pushed aside, it adapts, as cheaply as its algorithm can.
pub trait Agent<S: Space>: AgentState {
    /// Thinks within the slice, as an agent that stands at this node, and says what to do.
    fn tick(&mut self, map: &S, at: NodeId, seen: Seen<'_>, slice: &mut Slice<'_>) -> Step;

    /// Gives the agent a new task, keeping its memory for reuse. It then behaves as a fresh one.
    ///
    /// # Errors
    /// When the start or goal cannot be stood on, or the map is not fit for the agent.
    fn assign(&mut self, map: &S, start: NodeId, goal: NodeId) -> Result<(), AgentError>;

    /// Begins to walk to the same goal from a new start, as if it had just been assigned, but with what it has
    /// learned about the map.
    ///
    /// # Errors
    /// When it cannot stand there, or at its goal.
    fn restart(&mut self, map: &S, start: NodeId) -> Result<(), AgentError>;
}

/// Why an agent cannot take a task.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum AgentError {
    /// The start or goal is of no use.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The agent walks or searches back along edges, which the map does not promise.
    #[error(
        "the agent walks or searches back along edges, and the map has edges that cannot be walked back at the \
         same cost"
    )]
    NeedsReversibleEdges,
    /// The agent plans on levels above the map, and the map has none.
    #[error("the agent plans on a hierarchy, and the map has none")]
    NeedsHierarchy,
    /// A setting has a value that it cannot have.
    #[error("the setting `{name}` must be {expected}")]
    Setting {
        /// The setting's name.
        name: &'static str,
        /// What it may be.
        expected: &'static str,
    },
}
