//! Time-bounded search: act at once, search on, and walk the best path known so far.
//!
//! # Sources
//! * Y. Björnsson, V. Bulitko, N. Sturtevant, "TBA*: Time-Bounded A*", IJCAI 2009: the algorithm,
//!   its budgets, the sliced trace, both enhancements, and the late-acting A* of its table 1.
//! * C. Hernández, J. Baier, T. Uras, S. Koenig, "Time-Bounded Adaptive A*", AAMAS 2012: the form
//!   with k expansions an interval and tracing free of charge ([`Tracing::Free`]), and beginning again
//!   when the path is cut ([`Restart::Path`]): RTBA*, and with [`SearchConfig::learn`] TBAA*.
//! * C. Hernández, R. Asín, J. Baier, "Time-Bounded Best-First Search", 2014: other priorities
//!   (TB-WA*, TB-GBFS), and maps that change ([`Restart::Eager`], [`Restart::Lazy`]).
//!
//! # One tick (numbers are lines of the 2009 listing)
//! 0. Heed what was seen to change; the search may begin again from where the agent stands.
//! 1. Expand up to `N_E` nodes, away from the root, until the goal is the best open node (6–8).
//! 2. Trace the path to the most promising node back along parents, up to `N_T` steps; a trace may
//!    take several ticks. It is done where it meets the agent or the root (9–13). A finished path
//!    becomes the one to follow (14–18).
//! 3. Step: along the path if the agent is on it (21–22), else back to the parent (25), else, at the
//!    root with nothing to follow, to where the agent came from (27).
//!
//! `N_E = floor(R·r)` and `N_T = floor((R − N_E)·c)`; in the first tick at most `min(N_E, N_T)`
//! nodes are expanded, so that the first path is traced in the same tick; once the solution is
//! found all of `R` goes to tracing, `N_T = floor(R·c)`. Each is at least one.
//!
//! # Deviations
//! * A budget of 1 would leave no expansion; here every tick may do one, and one trace step.
//! * Line 22 pops the front of the path. The front is the agent's place only if the trace ended
//!   there; an agent that meets the path further on must step to the node after its own. So does this
//!   code.
//! * A node counts as on the path only if it lies ahead of what the agent has walked of it. Otherwise
//!   an agent at the path's end would step back, find itself "on the path", and turn round for ever.
//! * Line 30 stores the last place after the place was changed, so line 27 would leave the agent
//!   where it is. The text says it goes back to where it came from; this code does.
//! * The goal counts as found when it is the best open node, not when it is expanded: one expansion
//!   less.
//! * Late acting moves to each neighbour of the start in turn instead of a random one: the same on
//!   average, without random numbers.
//! * A step that is no longer legal is never taken, whatever the settings: the search begins again from
//!   where the agent stands, and the agent waits for one tick. The same happens instead of giving up
//!   if the open list runs empty and a way may have been missed: after a node was opened, or, for A*
//!   that does not expect it ([`SearchConfig::blocking`]), after any change.
//! * The papers check the path from the root; here, for an agent that is on the path, only what lies
//!   ahead. If it is off the path, the way back to it is checked too, which the 2014 paper overlooks:
//!   its lazy agent could walk back into a new wall. A path is also checked while it is traced (line
//!   22 of RTBA*), as it may lead through a wall that was not on the path when it was seen; the 2014
//!   paper overlooks that too.
//! * With bounded tracing a path is checked as it is traced, over several ticks, and the way back as far
//!   as the tick's trace steps reach; what is not reached is checked before each step.
//! * When a cost falls, the 2014 paper compares with the cost of the rest of the path. While the goal is
//!   not found, the path ends before it; here the estimate from there is added. A greedy search, which
//!   promises nothing about cost, takes no notice of costs that fall.
//! * When a cost falls, everything learned is forgotten, as it may be wrong: the 2012 paper has no
//!   such case.
//!
//! # Invariants
//! * Every step is an edge of the space at that moment.
//! * While nothing changes, the nodes expanded are those of the plain search with the same settings, in
//!   the same order.
//! * The path to the goal, once followed, is never left, but for a shortcut that is strictly cheaper.
//!
//! # Real-time bound
//! At most `N_E` expansions and `N_T` trace steps a tick (see [`Agent::limits`]), whatever the map's
//! size; beside them a constant number of look-ups, one look at the agent's own edges, and a few
//! look-ups for each change it is told of. Beginning again takes constant time (amortised, where a
//! search with weights is learned from).

mod restart;

pub use restart::Restart;

use self::restart::Back;
use super::shortcut::Shortcut;
use super::{Agent, AgentError, AgentState, Seen, Step};
use crate::search::Trails;
use crate::search::Which::{Follow, Fresh};
use crate::{
    BestFirst, Cost, EndpointError, Event, Limits, NodeId, Ratio, SearchConfig, Slice, Space,
    Status,
};

/// What the agent does before it knows a whole path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Acting {
    /// Walk towards the most promising node: the time-bounded idea.
    #[default]
    Early,
    /// Step to and fro between the start and its neighbours: the "late acting" A* of the 2009 paper.
    Late,
    /// Stand and wait: what a complete search under a budget does.
    Wait,
}

/// How the tick's budget pays for tracing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tracing {
    /// The budget is shared: `r` of it goes to expansions, and one unit of the rest buys `c` trace
    /// steps. The 2009 form, with a bound on all work.
    Bounded {
        /// The share for expansions, between 0 and 1.
        r: Ratio,
        /// Trace steps for the price of one expansion.
        c: Ratio,
    },
    /// All of the budget goes to expansions and a path is traced whole each tick, free of charge. The
    /// 2012 form.
    Free,
}

impl Tracing {
    /// The expansions and trace steps a tick of this budget may do while it searches.
    pub fn split(self, budget: u64) -> (u64, u64) {
        match self {
            Tracing::Bounded { r, c } => {
                let expansions = r.times(budget).clamp(budget.min(1), budget);
                (expansions, c.times(budget - expansions).max(budget.min(1)))
            }
            Tracing::Free => (budget, u64::MAX),
        }
    }

    /// The trace steps a tick of this budget may do once no more expansions are needed.
    pub fn after_search(self, budget: u64) -> u64 {
        match self {
            Tracing::Bounded { c, .. } => c.times(budget).max(budget.min(1)),
            Tracing::Free => u64::MAX,
        }
    }
}

impl Default for Tracing {
    /// The values of the 2009 paper: `r` = 0.9, `c` = 10.
    fn default() -> Tracing {
        let ratio = |num, den| Ratio::new(num, den).expect("a constant in range");
        Tracing::Bounded { r: ratio(9, 10), c: ratio(10, 1) }
    }
}

/// A member of the time-bounded family.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimeBoundedConfig {
    /// The search underneath.
    pub search: SearchConfig,
    /// What to do until a whole path is known.
    pub acting: Acting,
    /// How tracing is paid for.
    pub tracing: Tracing,
    /// When the search begins again.
    pub restart: Restart,
    /// Enhancement 1: when the path to the goal is known and the agent is off it, look for a
    /// shortcut on each step back.
    pub shortcut: bool,
    /// Enhancement 2: do not leave a path for one that reaches less far, in cost from the root.
    pub switch: bool,
}

/// An agent that searches a slice each tick and walks the best path known so far.
///
/// ```
/// use tickstar::{Agent, Cell, Grid, Seen, Slice, Step, TimeBounded, TimeBoundedConfig};
/// let grid = Grid::from_rows(["....#...", "..#...#.", "..#.#.#.", "....#..."])?;
/// let start = grid.node(Cell::new(0, 0)).unwrap();
/// let goal = grid.node(Cell::new(7, 3)).unwrap();
/// let mut unit = TimeBounded::new(&grid, TimeBoundedConfig::default(), start, goal)?;
/// loop {
///     match unit.tick(&grid, unit.position(), Seen::default(), &mut Slice::new(10)) {
///         Step::Move(to) => println!("walk to {}", grid.cell(to)),
///         Step::Wait => {}
///         Step::Arrived => break,
///         Step::Unreachable => panic!("no way"),
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent facts about the state of a run
pub struct TimeBounded {
    config: TimeBoundedConfig,
    search: BestFirst,
    root: NodeId,
    goal: NodeId,
    at: NodeId,
    /// Where the agent was before its last move.
    came_from: Option<NodeId>,
    /// The path being followed, and the one being traced when `tracing`.
    trails: Trails,
    tracing: bool,
    /// The cost from the root to the tip of the path being followed.
    follow_reach: Cost,
    /// How much of it lies ahead: nodes further from the tip have been walked or passed by.
    ahead: usize,
    /// The path followed leads to the goal.
    solved: bool,
    /// The first tick of this search has not been yet.
    first: bool,
    /// Something was seen to change since this search began.
    changed: bool,
    /// A change since this search began may have made something cheaper.
    fell: bool,
    /// Which neighbour late acting steps to next.
    bounces: usize,
    shortcut: Option<Box<Shortcut>>,
}

impl TimeBounded {
    /// An agent at `start`, to go to `goal`.
    ///
    /// # Errors
    /// When the start or goal cannot be stood on, or the settings need reversible edges and the
    /// space does not have them.
    pub fn new(
        space: &impl Space,
        mut config: TimeBoundedConfig,
        start: NodeId,
        goal: NodeId,
    ) -> Result<TimeBounded, AgentError> {
        config.search.blocking |= matches!(config.restart, Restart::Path | Restart::Lazy);
        let shortcut = config.shortcut.then(|| Box::new(Shortcut::new(config.search.open)));
        let mut agent = TimeBounded {
            config,
            search: BestFirst::new(config.search),
            root: start,
            goal,
            at: start,
            came_from: None,
            trails: Trails::default(),
            tracing: false,
            follow_reach: Cost::ZERO,
            ahead: 0,
            solved: false,
            first: true,
            changed: false,
            fell: false,
            bounces: 0,
            shortcut,
        };
        agent.take(space, start, goal)?;
        Ok(agent)
    }

    /// The search underneath, to look at.
    pub fn search(&self) -> &BestFirst {
        &self.search
    }

    fn take(&mut self, space: &impl Space, start: NodeId, goal: NodeId) -> Result<(), AgentError> {
        EndpointError::check(space, start, goal)?;
        if self.config.acting != Acting::Wait && !space.is_reversible() {
            return Err(AgentError::NeedsReversibleEdges);
        }
        self.goal = goal;
        self.search.forget();
        self.put(space, start);
        Ok(())
    }

    fn put(&mut self, space: &impl Space, at: NodeId) {
        self.at = at;
        self.bounces = 0;
        self.begin(space);
    }

    /// Begins a search from where the agent stands.
    fn begin(&mut self, space: &impl Space) {
        self.root = self.at;
        self.came_from = None;
        self.search.start(space, self.root, self.goal);
        self.trails.reset(space.size());
        self.tracing = false;
        self.solved = false;
        self.first = true;
        self.changed = false;
        self.fell = false;
        if let Some(shortcut) = &mut self.shortcut {
            shortcut.reset();
        }
    }

    fn restart(&mut self, space: &impl Space, slice: &mut Slice<'_>) -> Step {
        slice.note(Event::Restart);
        self.begin(space);
        Step::Wait
    }

    /// Whether a node is on the part of the path followed that lies ahead.
    fn is_ahead(&self, node: NodeId) -> bool {
        self.trails.place(Follow, node).is_some_and(|place| place <= self.ahead)
    }

    /// Step 1: the tick's expansions.
    fn think(&mut self, space: &impl Space, slice: &mut Slice<'_>) {
        let budget = slice.budget();
        let (mut expansions, traces) = self.config.tracing.split(budget);
        if self.search.status() == Status::Reached {
            let traces = self.config.tracing.after_search(budget);
            slice.share(0, traces.saturating_sub(slice.traces()));
            return;
        }
        let traces = traces.saturating_sub(slice.traces());
        if self.first {
            expansions = expansions.min(traces);
        }
        slice.share(expansions, traces);
        if self.search.run(space, slice) == Status::Reached {
            slice.note(Event::Found);
        }
        self.first &= slice.expansions() == 0;
    }

    /// Step 2: the tick's tracing. Answers whether the path, and the way back to it, is as the search
    /// found it, as far as it has been looked at.
    fn trace(&mut self, space: &impl Space, slice: &mut Slice<'_>) -> bool {
        if !self.tracing {
            let Some(tip) = self.search.best() else { return true };
            if self.config.acting != Acting::Early && tip != self.goal {
                return true;
            }
            self.trails.begin(tip);
            self.tracing = true;
        }
        let check = self.changed && matches!(self.config.restart, Restart::Path | Restart::Lazy);
        // The agent may have walked onto a part that was traced before it came there.
        let mut done = self.trails.place(Fresh, self.at).is_some();
        let mut front = self.trails.front();
        while !done {
            let Some((node, parent)) =
                front.and_then(|node| Some((node, self.search.parent(node)?)))
            else {
                break;
            };
            if !slice.trace(parent) {
                return true;
            }
            if check && !self.holds(space, parent, node) {
                return false;
            }
            self.trails.extend(parent);
            front = Some(parent);
            done = parent == self.at;
        }
        self.tracing = false;
        self.adopt(slice);
        !(check && self.back(space, slice) == Back::Cut)
    }

    /// Makes the freshly traced path the one to follow, unless the switching rule keeps the old one.
    fn adopt(&mut self, slice: &mut Slice<'_>) {
        let Some(tip) = self.trails.tip(Fresh) else { return };
        let reach = self.search.cost_to(tip).unwrap_or_default();
        let walking = self.follow_step().is_some();
        if self.config.switch && walking && tip != self.goal && reach < self.follow_reach {
            slice.note(Event::Kept);
            self.trails.drop_fresh();
            return;
        }
        slice.note(Event::Adopted);
        self.trails.adopt();
        self.follow_reach = reach;
        self.ahead = usize::MAX;
        self.solved = tip == self.goal;
    }

    /// The next node on the path being followed, if the agent stands on the part that lies ahead.
    fn follow_step(&self) -> Option<NodeId> {
        if !self.is_ahead(self.at) {
            return None;
        }
        self.trails.next(Follow, self.at)
    }

    /// Step 3: where to go, and what kind of step it is.
    fn choose(&mut self, space: &impl Space, slice: &mut Slice<'_>) -> Option<NodeId> {
        if let Some(next) = self.follow_step() {
            return Some(next);
        }
        if let Some(next) = self.shortcut.as_ref().and_then(|shortcut| shortcut.step(self.at)) {
            return Some(next);
        }
        // The agent may stand on the most promising node itself if the tick was cut short.
        if self.config.acting == Acting::Early && self.search.best() == Some(self.at) {
            return None;
        }
        if let Some(parent) = self.search.parent(self.at) {
            slice.note(Event::Backtrack);
            return Some(parent);
        }
        let away = match self.config.acting {
            Acting::Early => self.came_from,
            Acting::Late => self.neighbour_in_turn(space),
            Acting::Wait => None,
        };
        if away.is_some() {
            slice.note(Event::Bounce);
        }
        away
    }

    /// The neighbours of the root one after another, of those the search knows the way back from.
    fn neighbour_in_turn(&mut self, space: &impl Space) -> Option<NodeId> {
        let mut neighbours = 0;
        space.for_each_edge(self.root, |to, _| {
            neighbours += usize::from(self.search.parent(to) == Some(self.root));
        });
        let turn = self.bounces.checked_rem(neighbours)?;
        self.bounces += 1;
        let (mut chosen, mut i) = (None, 0);
        space.for_each_edge(self.root, |to, _| {
            if self.search.parent(to) == Some(self.root) {
                chosen = if i == turn { Some(to) } else { chosen };
                i += 1;
            }
        });
        chosen
    }

    fn go(&mut self, to: NodeId) -> Step {
        self.came_from = Some(self.at);
        self.at = to;
        if let Some(place) = self.trails.place(Follow, to).filter(|&place| place <= self.ahead) {
            self.ahead = place;
        }
        Step::Move(to)
    }
}

impl<S: Space> Agent<S> for TimeBounded {
    fn tick(&mut self, space: &S, at: NodeId, seen: Seen<'_>, slice: &mut Slice<'_>) -> Step {
        if at != self.position() && Agent::<S>::place(self, space, at).is_err() {
            return Step::Wait;
        }
        if self.at == self.goal {
            self.note(space, seen); // it may be sent elsewhere, and then needs to know
            return Step::Arrived;
        }
        let (expansions, traces) = self.config.tracing.split(slice.budget());
        slice.share(0, traces);
        self.heed(space, seen, slice);
        if self.solved {
            if let Some(shortcut) = &mut self.shortcut {
                let off_path = self.trails.place(Follow, self.at).is_none();
                if off_path && shortcut.step(self.at).is_none() {
                    slice.share(expansions, traces.saturating_sub(slice.traces()));
                    shortcut.seek(space, &self.search, &self.trails, self.at, slice);
                }
            }
        } else {
            self.think(space, slice);
            if self.search.status() == Status::Exhausted {
                // Where nodes were only blocked, a search that expects it has missed no way.
                let missed = self.fell || self.changed && !self.config.search.blocking;
                return if missed { self.restart(space, slice) } else { Step::Unreachable };
            }
            if !self.trace(space, slice) {
                return self.restart(space, slice);
            }
        }
        match self.choose(space, slice) {
            Some(to) if space.edge(self.at, to).is_none() => self.restart(space, slice),
            Some(to) => self.go(to),
            None => Step::Wait,
        }
    }

    fn assign(&mut self, space: &S, start: NodeId, goal: NodeId) -> Result<(), AgentError> {
        self.take(space, start, goal)
    }

    fn place(&mut self, space: &S, at: NodeId) -> Result<(), AgentError> {
        EndpointError::check(space, at, self.goal)?;
        self.put(space, at);
        Ok(())
    }
}

impl AgentState for TimeBounded {
    fn position(&self) -> NodeId {
        self.at
    }

    fn target(&self) -> Option<NodeId> {
        self.trails.tip(Follow)
    }

    fn plan(&self) -> Option<Vec<NodeId>> {
        let found = self.search.status() == Status::Reached || self.root == self.goal;
        self.search.path_to(self.goal).filter(|_| found)
    }

    fn limits(&self, budget: u64) -> Limits {
        let (expansions, traces) = self.config.tracing.split(budget);
        let traces = traces.max(self.config.tracing.after_search(budget));
        Limits { expansions, traces, updates: 0 }
    }

    fn bytes(&self) -> usize {
        let shortcut = self.shortcut.as_ref().map_or(0, |shortcut| shortcut.bytes());
        size_of::<TimeBounded>() + self.search.bytes() + self.trails.bytes() + shortcut
    }
}
