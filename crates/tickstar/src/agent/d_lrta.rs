//! D LRTA*: LRTA* towards subgoals that were worked out beforehand, looking as far ahead as was found best.
//!
//! # Source
//! V. Bulitko, M. Luštrek, J. Schaeffer, Y. Björnsson, S. Sigmundarson, "Dynamic Control in Real-Time Heuristic
//! Search", JAIR 2008, as outlined in Björnsson, Bulitko, Sturtevant, "TBA*: Time-Bounded A*", IJCAI 2009. Only
//! the outline was at hand: this is our reconstruction.
//!
//! # Beforehand
//! For every two nodes of a level of the map's [`Hierarchy`] a subgoal and a depth: see [`Subgoals`]. They are
//! given to the map by [`Layered::set_subgoals`](crate::Layered::set_subgoals).
//!
//! # One tick
//! 1. When the agent has entered another node of the level, or has no subgoal, look up the pair of its node
//!    and the goal's: where to go next, and how far to look ahead. In the goal's own node, and where
//!    nothing is known, it is the goal itself, with the depth that was given.
//! 2. LRTA* towards that: look, learn, take a step. What is learned on the way to a subgoal is about
//!    this one, and is forgotten when there is another. What is learned on the way to the goal is kept.
//!
//! # Deviations
//! * The outline says no more than that depths and subgoals were worked out for a level. What they are, when
//!   they are looked up and what is learned are our choices.
//! * The subgoals of two nodes may lead the agent to and fro between them. A node that it has come back to
//!   twice is crossed towards the goal itself from then on ([`DLrtaConfig::crossings`]).
//! * LRTA* is the one of [`Local`](crate::Local), with estimates that count inside the ball too.
//! * That there is no way is read from the hierarchy, at once.
//!
//! # Invariants
//! * A subgoal is believed only if it is in another node than the agent, and can be reached. So whatever the
//!   tables say, LRTA* towards it leaves the node in the end.
//! * The agent arrives, as long as the map stays as it is. Each node is crossed towards a subgoal a few times
//!   at most, and each of these stays ends. So in nodes that are visited without end, from some time on, only
//!   LRTA* towards the goal acts, with estimates that are never forgotten: and that arrives.
//! * The walk does not depend on the budget.
//!
//! # When the map changes
//! The map drops its subgoals, and the agent goes on as LRTA* to the goal. What was learned is kept when
//! something is blocked, and forgotten when something opens.
//!
//! # Real-time bound
//! At most as many expansions as the budget, a trace step for looking up, and ten times as many updates as the
//! budget, two for each node expanded. If that is too little for the ball, the agent waits for some ticks.
//! Tables ask for a depth of 15 at most: 841 expansions on a grid.

mod tables;

pub use tables::{SubgoalColumn, SubgoalPlan, SubgoalSearch};

use super::{
    Agent, AgentError, AgentState, Ball, Seen, Step, Thought, check_hierarchy, has_way,
    most_traces, most_updates,
};
use crate::search::Paged;
use crate::{EndpointError, Hierarchy, Limits, NodeId, Slice, Space, Subgoal};

#[cfg(doc)]
use crate::Subgoals;

/// How a [`DLrta`] works.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DLrtaConfig {
    /// The level of the subgoals. Tables for another level are not used.
    pub level: u32,
    /// The steps it looks ahead where there is no subgoal, one at least.
    pub depth: u32,
    /// How often a node of the level is crossed towards a subgoal. When the agent enters it once more, it goes
    /// towards the goal itself in there.
    pub crossings: u32,
}

impl Default for DLrtaConfig {
    fn default() -> DLrtaConfig {
        DLrtaConfig { level: 3, depth: 4, crossings: 3 }
    }
}

/// An agent that walks from subgoal to subgoal: D LRTA*, our reconstruction.
///
/// ```
/// use tickstar::{Agent, Cell, DLrta, DLrtaConfig, Grid, Layered, Seen, Slice, Step, Subgoals};
/// let grid = Grid::from_rows(["....#...", "..#...#.", "..#.#.#.", "....#..."])?;
/// let mut grid = Layered::new(grid)?;
/// let tables = Subgoals::build(&grid, grid.hierarchy().unwrap(), 1);
/// grid.set_subgoals(tables);
/// let start = grid.node(Cell::new(0, 0)).unwrap();
/// let goal = grid.node(Cell::new(7, 3)).unwrap();
/// let config = DLrtaConfig { level: 1, ..DLrtaConfig::default() };
/// let mut unit = DLrta::new(&grid, config, start, goal)?;
/// while unit.tick(&grid, unit.position(), Seen::default(), &mut Slice::new(10)) != Step::Arrived {}
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DLrta {
    config: DLrtaConfig,
    at: NodeId,
    goal: NodeId,
    /// LRTA* to the goal.
    home: Ball,
    /// LRTA* to a subgoal, and the one its estimates are about.
    stage: Ball,
    learned_for: Option<NodeId>,
    /// Where it is going; none: to the goal.
    subgoal: Option<NodeId>,
    /// The node of the level it was in when it last looked.
    here: Option<NodeId>,
    /// It has not looked since its last step.
    lost: bool,
    visits: Visits,
    /// Whether there is a way has not been asked since something changed.
    unsure: bool,
    hopeless: bool,
}

/// How often each node of the level was entered. All counts are dropped in constant time.
#[derive(Clone, Debug, Default)]
struct Visits {
    counts: Paged<(u32, u32)>,
    now: u32,
}

impl Visits {
    fn reset(&mut self) {
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.counts.clear();
            self.now = 1;
        }
    }

    /// Counts a visit to a node of a level of this size.
    fn add(&mut self, size: usize, node: NodeId) {
        self.counts.cover(size);
        let (stamp, count) = match self.counts.find_mut(node) {
            Some(visits) => visits,
            None => self.counts.touch(node),
        };
        *count = if *stamp == self.now { count.saturating_add(1) } else { 1 };
        *stamp = self.now;
    }

    fn of(&self, node: NodeId) -> u32 {
        let (stamp, count) = self.counts.get(node);
        if stamp == self.now { count } else { 0 }
    }
}

impl DLrta {
    /// An agent at `start`, to go to `goal`.
    ///
    /// # Errors
    /// When the start or goal cannot be stood on, or the space has no hierarchy.
    pub fn new(
        space: &impl Space,
        config: DLrtaConfig,
        start: NodeId,
        goal: NodeId,
    ) -> Result<DLrta, AgentError> {
        let (level, depth) = (config.level.max(1), config.depth.max(1));
        let mut agent = DLrta {
            config: DLrtaConfig { level, depth, ..config },
            at: start,
            goal,
            home: Ball::new(depth),
            stage: Ball::passing(1),
            learned_for: None,
            subgoal: None,
            here: None,
            lost: true,
            visits: Visits::default(),
            unsure: true,
            hopeless: false,
        };
        agent.take(space, start, goal)?;
        Ok(agent)
    }

    /// The subgoal it is going to; none if it is going to the goal itself.
    pub fn subgoal(&self) -> Option<NodeId> {
        self.subgoal
    }

    fn take(&mut self, space: &impl Space, start: NodeId, goal: NodeId) -> Result<(), AgentError> {
        EndpointError::check(space, start, goal)?;
        check_hierarchy(space)?;
        (self.at, self.goal) = (start, goal);
        self.forget();
        self.visits.reset();
        self.drop_plan();
        Ok(())
    }

    /// Drops all that was learned.
    fn forget(&mut self) {
        self.home.forget();
        self.stage.forget();
    }

    /// Begins anew from where the agent stands. What was learned is kept.
    fn drop_plan(&mut self) {
        self.home.drop_plan();
        self.stage.drop_plan();
        (self.subgoal, self.here) = (None, None);
        (self.lost, self.unsure) = (true, true);
    }

    /// Takes in what was seen to change.
    fn heed(&mut self, space: &impl Space, seen: Seen<'_>) {
        if seen.changed.is_empty() {
            return;
        }
        if seen.changed.iter().any(|&node| space.contains(node)) {
            self.forget();
        }
        // Nodes may have other ids now, and subgoals are gone.
        self.visits.reset();
        self.drop_plan();
    }

    /// Finds out where the agent is, and where to go.
    fn orient(&mut self, space: &impl Space, hierarchy: &Hierarchy) {
        self.lost = false;
        let level = self.config.level as usize;
        let here = hierarchy.ancestor(self.at, level);
        if here == self.here && self.subgoal.is_some() {
            return;
        }
        if let Some(node) = here.filter(|_| here != self.here) {
            self.visits.add(hierarchy.level(level).size(), node);
        }
        self.here = here;
        let subgoal = here.and_then(|here| self.look_up(space, hierarchy, here));
        self.subgoal = subgoal.map(|subgoal| subgoal.cell);
        if let Some(Subgoal { cell, depth }) = subgoal {
            if self.learned_for != Some(cell) {
                self.learned_for = Some(cell);
                self.stage.forget();
            }
            self.stage.set_depth(depth);
        }
    }

    /// The subgoal from this node of the level, if there is one to go to.
    fn look_up(&self, space: &impl Space, hierarchy: &Hierarchy, here: NodeId) -> Option<Subgoal> {
        let level = self.config.level as usize;
        if self.visits.of(here) > self.config.crossings {
            return None;
        }
        let tables = space.subgoals().filter(|tables| tables.level() == level)?;
        let subgoal = tables.get(here, hierarchy.ancestor(self.goal, level)?)?;
        let leads_away = space.contains(subgoal.cell)
            && hierarchy.ancestor(subgoal.cell, level) != Some(here)
            && hierarchy.reachable(self.at, subgoal.cell);
        leads_away.then_some(subgoal)
    }
}

impl<S: Space> Agent<S> for DLrta {
    fn tick(&mut self, space: &S, at: NodeId, seen: Seen<'_>, slice: &mut Slice<'_>) -> Step {
        if at != self.position() && Agent::<S>::place(self, space, at).is_err() {
            return Step::Wait;
        }
        self.heed(space, seen);
        if self.at == self.goal {
            return Step::Arrived;
        }
        let Some(hierarchy) = space.hierarchy() else { return Step::Unreachable };
        slice.share(slice.budget(), most_traces(slice.budget()));
        if self.unsure || self.hopeless {
            (self.unsure, self.hopeless) = (false, !has_way(space, self.at, self.goal));
        }
        if self.hopeless {
            return Step::Unreachable;
        }
        if self.subgoal.is_some() && space.subgoals().is_none() {
            self.drop_plan();
        }
        if self.lost {
            // Looking up takes a few look-ups a level.
            if !slice.trace(self.at) {
                return Step::Wait;
            }
            self.orient(space, hierarchy);
        }
        let thought = match self.subgoal {
            Some(subgoal) => self.stage.think(space, self.at, subgoal, slice),
            None => self.home.think(space, self.at, self.goal, slice),
        };
        match thought {
            Thought::Go(to) if space.edge(self.at, to).is_some() => {
                self.at = to;
                self.lost = true;
                Step::Move(to)
            }
            Thought::Wait => Step::Wait,
            Thought::Go(_) | Thought::Unreachable => {
                // The map has changed, and nobody told.
                self.forget();
                self.drop_plan();
                Step::Wait
            }
        }
    }

    fn assign(&mut self, space: &S, start: NodeId, goal: NodeId) -> Result<(), AgentError> {
        self.take(space, start, goal)
    }

    fn place(&mut self, space: &S, at: NodeId) -> Result<(), AgentError> {
        EndpointError::check(space, at, self.goal)?;
        self.at = at;
        self.visits.reset();
        self.drop_plan();
        Ok(())
    }
}

impl AgentState for DLrta {
    fn position(&self) -> NodeId {
        self.at
    }

    fn target(&self) -> Option<NodeId> {
        Some(self.subgoal.unwrap_or(self.goal))
    }

    fn plan(&self) -> Option<Vec<NodeId>> {
        None
    }

    fn limits(&self, budget: u64) -> Limits {
        let (traces, updates) = (most_traces(budget), most_updates(budget));
        Limits { expansions: budget, traces, updates }
    }

    fn bytes(&self) -> usize {
        let visits = self.visits.counts.bytes();
        size_of::<DLrta>() + self.home.bytes() + self.stage.bytes() + visits
    }
}
