//! Agents: one step per tick, within the tick's budget.
//!
//! [`Walker`] is the only driver: it tracks where the agent is and whether it has arrived, and ensures that every step
//! is legal. A [`Policy`], one per family of algorithms, decides what to do next.

pub mod d_lrta;
pub mod dstar_lite;
pub mod local;
pub mod pr_lrta;
pub mod pra;
pub mod quickpath;
pub mod tick;
pub mod time_bounded;

pub use crate::walker::{Cx, Decision, Keep, Needs, Policy, Walker};

use thiserror::Error;

use crate::regions::Regions;
use crate::{Cell, EndpointError, Limits, Map, NodeId, Slice};

/// What an agent wants to do in one tick.
///
/// A step is an intent: the caller moves the agent or not, and passes its actual position to the next tick.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Go to this adjacent node.
    Move(NodeId),
    /// Stay for now.
    Wait,
    /// Nothing to do: the agent is at its goal.
    Arrived,
    /// Nothing to do: no path to the goal exists on the map as it is known.
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
    /// The nodes that were blocked or opened, or whose edges changed; their new state is read from the map. If such a
    /// node is now passable, edges there may have appeared or become cheaper.
    pub changed: &'a [NodeId],
}

/// The queries on an agent that do not need its map.
pub trait AgentState: Send + Sync {
    /// The position expected in the next tick, which is where the last step leads.
    fn position(&self) -> NodeId;

    /// The goal.
    fn goal(&self) -> NodeId;

    /// The node it is currently heading for: the goal, or the end of the path it follows.
    fn target(&self) -> Option<NodeId>;

    /// The path to the goal that was found or, for agents that refine one segment at a time, the last segment. It
    /// starts where the search started, or at the first node that was kept.
    fn plan(&self) -> Option<Vec<NodeId>>;

    /// The tree of its search over [regions](crate::regions), for pictures: for each region from which it knows a way,
    /// the cell where the way leaves it, and the cell where it leaves the next one. Empty for agents that do not plan on
    /// regions, and when it has arrived. Takes time proportional to the regions of the map.
    fn region_tree(&self, regions: &Regions) -> Vec<(Cell, Cell)> {
        let _ = regions;
        Vec::new()
    }

    /// The maximum work per tick with this budget, counted as the papers do.
    fn limits(&self, budget: u64) -> Limits;

    /// Heap memory in bytes, excluding the map.
    fn bytes(&self) -> usize;
}

/// An agent that walks to a goal, one step per tick.
///
/// The agent does not own the map: each tick borrows it, as the agent knows it. Nor does it own its position: the
/// caller passes it to each tick. If the agent is not where its last step leads, because the step was refused or the
/// agent was pushed aside, it adapts as cheaply as its algorithm can.
pub trait Agent<M: Map>: AgentState {
    /// Searches within the slice, with the agent at node `at`, and returns what to do.
    fn tick(&mut self, map: &M, at: NodeId, seen: Seen<'_>, slice: &mut Slice<'_>) -> Step;

    /// Assigns a new task, reusing the allocated memory. The agent then behaves like a new one.
    ///
    /// # Errors
    /// If the start or goal is not passable, or the map does not meet the agent's requirements.
    fn assign(&mut self, map: &M, start: NodeId, goal: NodeId) -> Result<(), AgentError>;

    /// Moves the goal, and keeps what stays true of the agent's search and of what it has learned. Use it for a target
    /// that moves: an agent that is assigned a new task at each of the target's moves may never catch it.
    ///
    /// Most agents keep walking toward where the target was, and from there along its trail, as long as the goal moves
    /// along edges of the map. What each of them does is described with its algorithm, under "When the goal moves".
    ///
    /// # Errors
    /// If the goal is not passable. The agent then keeps its previous goal.
    fn retarget(&mut self, map: &M, goal: NodeId) -> Result<(), AgentError>;

    /// Starts to walk to the same goal from a new start, as if just assigned, but keeps what was learned about the map.
    ///
    /// # Errors
    /// If the start or the goal is not passable.
    fn restart(&mut self, map: &M, start: NodeId) -> Result<(), AgentError>;
}

/// Why an agent cannot accept a task.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum AgentError {
    /// The start or goal cannot be used.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The agent moves or searches backward along edges, and the map does not guarantee that this is possible.
    #[error(
        "the agent moves or searches backward along edges, but the map has edges that cannot be traversed \
         backward at the same cost"
    )]
    NeedsReversibleEdges,
    /// The agent plans on a hierarchy, and the map has none.
    #[error("the agent plans on a hierarchy, but the map has none")]
    NeedsHierarchy,
    /// The agent plans on regions, and the map has none.
    #[error(
        "the agent plans on regions, but the map has none: only a grid has them, made by `Grid::with_regions`"
    )]
    NeedsRegions,
    /// A setting has an invalid value.
    #[error("the setting `{name}` must be {expected}")]
    Setting {
        /// The setting's name.
        name: &'static str,
        /// The values that it accepts.
        expected: &'static str,
    },
}
