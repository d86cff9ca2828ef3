//! Time-bounded search: act at once, search on, and walk the best path known so far.
//!
//! # Sources
//! * Y. Björnsson, V. Bulitko, N. Sturtevant, "TBA*: Time-Bounded A*", IJCAI 2009: the algorithm,
//!   its budgets, the sliced trace, both enhancements, and the late-acting A* of its table 1.
//! * C. Hernández, J. Baier, T. Uras, S. Koenig, "Time-Bounded Adaptive A*", AAMAS 2012: the form
//!   with k expansions per interval and tracing free of charge ([`Tracing::Free`]), and beginning again
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
//! # When the agent is not where its step led
//! A step that was refused is taken again. An agent that was pushed aside goes on from there if the search knows
//! the place: along the path if that is there, else back to it. If not, it steps to a neighbor that the search
//! knows, or the path leads over, if there is one; else the search begins again.
//!
//! # Memory
//! When the path to the goal is being followed and nothing can make the agent leave it ([`Restart::Stopped`]), it
//! keeps the path alone and returns the memory of the search. The same goes for all that do not learn once they
//! have arrived.
//!
//! # Real-time bound
//! At most `N_E` expansions and `N_T` trace steps per tick (see [`Policy::limits`]), whatever the map's
//! size; beside them a constant number of look-ups, one look at the agent's own edges, and a few
//! look-ups per reported change. Beginning again takes constant time (amortized, where a
//! search with weights is learned from).

mod restart;

pub use restart::Restart;

use self::restart::Back;
use super::route::Route;
use super::shortcut::Shortcut;
use super::{AgentError, Cx, Decision, Keep, Needs, Policy, Walker};
use crate::search::Trails;
use crate::search::Which::{Follow, Fresh};
use crate::{
    BestFirst, Cost, Event, Limits, Map, NodeId, Pool, Ratio, SearchConfig, Slice, Status,
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
/// let [start, goal] = [(0, 0), (7, 3)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
/// let mut unit = TimeBounded::new(&grid, TimeBoundedConfig::default(), start, goal)?;
/// let mut at = start;
/// loop {
///     match unit.tick(&grid, at, Seen::default(), &mut Slice::new(10)) {
///         Step::Move(to) => at = to,
///         Step::Wait => {}
///         Step::Arrived => break,
///         Step::Unreachable => panic!("no way"),
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type TimeBounded = Walker<TimeBoundedPolicy>;

/// The policy of [`TimeBounded`].
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent facts about the state of a run
pub struct TimeBoundedPolicy {
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
    /// The path to the goal, once it is all that is left of the search.
    route: Option<Route>,
    /// The search has no root yet.
    fresh: bool,
    /// The first tick of this search has not been yet.
    first: bool,
    /// Something was seen to change since this search began.
    changed: bool,
    /// A change since this search began may have made something cheaper.
    fell: bool,
    /// Which neighbor late acting steps to next.
    bounces: usize,
    shortcut: Option<Box<Shortcut>>,
}

impl TimeBounded {
    /// An agent at `start`, to go to `goal`.
    ///
    /// # Errors
    /// When the start or goal cannot be stood on, or the settings need reversible edges and the
    /// map does not have them.
    pub fn new(
        map: &impl Map,
        mut config: TimeBoundedConfig,
        start: NodeId,
        goal: NodeId,
    ) -> Result<TimeBounded, AgentError> {
        config.search.blocking |= matches!(config.restart, Restart::Path | Restart::Lazy);
        let policy = TimeBoundedPolicy {
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
            route: None,
            fresh: true,
            first: true,
            changed: false,
            fell: false,
            bounces: 0,
            shortcut: config.shortcut.then(|| Box::new(Shortcut::new(config.search.open))),
        };
        Walker::with_policy(policy, map, start, goal)
    }

    /// The search underneath, to look at.
    pub fn search(&self) -> &BestFirst {
        &self.policy.search
    }
}

impl TimeBoundedPolicy {
    /// Begins a search from where the agent stands. It takes memory when its root is added, in the next tick
    /// that needs it: agents are made by the thousand.
    fn begin_search(&mut self, map: &impl Map) {
        self.root = self.at;
        self.came_from = None;
        self.fresh = true;
        self.search.begin(map, self.goal, map.estimate(self.root, self.goal));
        self.trails.reset();
        (self.tracing, self.solved, self.route) = (false, false, None);
        (self.first, self.changed, self.fell) = (true, false, false);
        if let Some(shortcut) = &mut self.shortcut {
            shortcut.reset();
        }
    }

    /// Adds the root of the search, if that has not been done.
    fn add_root(&mut self, map: &impl Map) {
        if std::mem::take(&mut self.fresh) {
            self.search.add_root(map, self.root, Cost::ZERO);
        }
    }

    /// Whether a node is on the part of the path followed that lies ahead.
    fn is_ahead(&self, node: NodeId) -> bool {
        self.trails.place(Follow, node).is_some_and(|place| place <= self.ahead)
    }

    /// The trace steps that a tick of this budget may still do while it searches.
    fn traces_left(&self, slice: &Slice<'_>) -> u64 {
        self.config.tracing.split(slice.budget()).1.saturating_sub(slice.traces())
    }

    /// Step 1: the tick's expansions. Returns the trace steps that may follow.
    fn think(&mut self, map: &impl Map, slice: &mut Slice<'_>) -> u64 {
        let budget = slice.budget();
        if self.search.status() == Status::Reached {
            return self.config.tracing.after_search(budget).saturating_sub(slice.traces());
        }
        let traces = self.traces_left(slice);
        let (mut expansions, _) = self.config.tracing.split(budget);
        if self.first {
            expansions = expansions.min(traces);
        }
        let limits = Limits { expansions, ..Limits::NONE };
        if slice.within(limits, |slice| self.search.run(map, slice)) == Status::Reached {
            slice.note(Event::Found);
        }
        self.first &= slice.expansions() == 0;
        traces
    }

    /// Step 2: the tick's tracing. Returns whether the path, and the way back to it, is as the search
    /// found it, as far as it has been checked.
    fn trace(&mut self, map: &impl Map, slice: &mut Slice<'_>) -> bool {
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
            if check && !self.holds(map, parent, node) {
                return false;
            }
            self.trails.extend(parent);
            front = Some(parent);
            done = parent == self.at;
        }
        self.tracing = false;
        self.adopt(slice);
        !(check && self.back(map, slice) == Back::Cut)
    }

    /// Makes the freshly traced path the one to follow, unless the switching rule keeps the old one.
    fn adopt(&mut self, slice: &mut Slice<'_>) {
        let Some(tip) = self.trails.tip(Fresh) else { return };
        let reach = self.search.cost_to(tip).unwrap_or_default();
        let following = self.follow_step().is_some();
        if self.config.switch && following && tip != self.goal && reach < self.follow_reach {
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
    fn choose(&mut self, map: &impl Map, slice: &mut Slice<'_>) -> Option<NodeId> {
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
        let back = self.search.parent(self.at).or_else(|| self.way_onto_tree(map));
        if back.is_some() {
            slice.note(Event::Backtrack);
            return back;
        }
        let away = match self.config.acting {
            Acting::Early => self.came_from,
            Acting::Late => self.neighbor_in_turn(map),
            Acting::Wait => None,
        };
        if away.is_some() {
            slice.note(Event::Bounce);
        }
        away
    }

    /// Where to go from a place the search does not know: onto the path as far ahead as possible, else to the
    /// neighbor that is nearest to the root.
    fn way_onto_tree(&self, map: &impl Map) -> Option<NodeId> {
        if self.search.cost_to(self.at).is_some() {
            return None;
        }
        let mut best = None;
        map.for_each_edge(self.at, |to, _| {
            let Some(g) = self.search.cost_to(to) else { return };
            let place = self.trails.place(Follow, to).filter(|&place| place <= self.ahead);
            let rank = (place.unwrap_or(usize::MAX), g);
            if best.is_none_or(|(least, _)| rank < least) {
                best = Some((rank, to));
            }
        });
        best.map(|(_, to)| to)
    }

    /// The neighbors of the root one after another, of those the search knows the way back from.
    fn neighbor_in_turn(&mut self, map: &impl Map) -> Option<NodeId> {
        let mut neighbors = 0;
        map.for_each_edge(self.root, |to, _| {
            neighbors += usize::from(self.search.parent(to) == Some(self.root));
        });
        let turn = self.bounces.checked_rem(neighbors)?;
        self.bounces += 1;
        let (mut chosen, mut i) = (None, 0);
        map.for_each_edge(self.root, |to, _| {
            if self.search.parent(to) == Some(self.root) {
                chosen = if i == turn { Some(to) } else { chosen };
                i += 1;
            }
        });
        chosen
    }

    /// Keeps the path alone, and returns the memory of the search, as soon as the agent is on the path to the goal,
    /// if nothing but a blocked step can make it leave that.
    fn keep_the_path_alone(&mut self, slice: &mut Slice<'_>) {
        let settled = self.config.restart == Restart::Stopped && !self.config.search.learn;
        let place = self.trails.place(Follow, self.at).filter(|&place| place <= self.ahead);
        if let Some(place) = place.filter(|_| settled) {
            let path = self.trails.take_path();
            slice.charge_entries(path.len() as u64 / 8);
            let walked = path.len() - 1 - place;
            self.route = Some(Route::new(path, walked));
            self.search.release();
            if let Some(shortcut) = &mut self.shortcut {
                shortcut.release();
            }
        }
    }

    /// Gives memory that was released back to the allocator, at most so many blocks of each table.
    fn reclaim(&mut self, blocks: u64) {
        self.search.reclaim(blocks);
        self.trails.reclaim(blocks);
        if let Some(shortcut) = &mut self.shortcut {
            shortcut.reclaim(blocks);
        }
    }
}

impl Policy for TimeBoundedPolicy {
    fn needs(&self) -> Needs {
        Needs { reversible_edges: self.config.acting != Acting::Wait, ..Needs::default() }
    }

    fn limits(&self, budget: u64) -> Limits {
        let (expansions, traces) = self.config.tracing.split(budget);
        let traces = traces.max(self.config.tracing.after_search(budget));
        Limits { expansions, traces, updates: 0 }
    }

    fn begin<M: Map>(&mut self, map: &M, start: NodeId, goal: NodeId, keep: Keep) {
        if keep == Keep::Nothing {
            self.search.forget();
        }
        (self.at, self.goal, self.bounces) = (start, goal, 0);
        self.begin_search(map);
    }

    fn moved(&mut self, from: NodeId, to: NodeId) {
        self.came_from = Some(from);
        self.at = to;
        if let Some(route) = &mut self.route {
            route.moved(to);
        } else if let Some(place) = self.trails.place(Follow, to).filter(|&at| at <= self.ahead) {
            self.ahead = place;
        }
    }

    fn displaced<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) {
        self.moved(cx.at, cx.at);
        self.came_from = None;
        // It may have been pushed back along the path.
        if let Some(place) = self.trails.place(Follow, cx.at) {
            self.ahead = place;
        }
        // A search that has no root yet begins here; and one that was given up at the goal does so again.
        if self.fresh || self.route.is_some() && self.config.restart != Restart::Stopped {
            self.begin_search(cx.map);
        }
    }

    fn heed<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, changed: &[NodeId]) {
        let fell = self.note(cx.map, changed);
        if cx.at == cx.goal || self.route.is_some() {
            return;
        }
        let limits = Limits { expansions: 0, traces: self.traces_left(cx.slice), updates: 0 };
        let again =
            cx.slice.within(limits, |slice| self.must_restart(cx.map, changed, fell, slice));
        if again {
            cx.slice.note(Event::Restart);
            self.begin_search(cx.map);
        }
    }

    fn decide<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) -> Decision {
        let Cx { map, slice, .. } = cx;
        self.add_root(*map);
        if self.solved && self.route.is_none() {
            self.keep_the_path_alone(slice);
        }
        if self.route.is_some() {
            self.reclaim(1 + slice.remaining() / 8);
        }
        if let Some(route) = &mut self.route {
            return route.step(*map, cx.at).map_or(Decision::Stale, Decision::Go);
        }
        if self.solved {
            if let Some(shortcut) = &mut self.shortcut {
                let off_path = self.trails.place(Follow, self.at).is_none();
                if off_path && shortcut.step(self.at).is_none() {
                    let (expansions, traces) = self.config.tracing.split(slice.budget());
                    let traces = traces.saturating_sub(slice.traces());
                    slice.within(Limits { expansions, traces, updates: 0 }, |slice| {
                        shortcut.seek(*map, &self.search, &self.trails, self.at, slice);
                    });
                }
            }
        } else {
            let traces = self.think(*map, slice);
            if self.search.status() == Status::Exhausted {
                // Where nodes were only blocked, a search that expects it has missed no way.
                let missed = self.fell || self.changed && !self.config.search.blocking;
                return if missed { Decision::Stale } else { Decision::NoWay };
            }
            let limits = Limits { expansions: 0, traces, updates: 0 };
            if !slice.within(limits, |slice| self.trace(*map, slice)) {
                return Decision::Stale;
            }
        }
        match self.choose(*map, slice) {
            Some(to) => Decision::Go(to),
            // Pushed to where nothing is known of.
            None if self.search.cost_to(self.at).is_none() => Decision::Stale,
            None => Decision::Wait,
        }
    }

    fn replan<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) {
        self.begin_search(cx.map);
    }

    fn rest(&mut self) {
        if !self.config.search.learn && self.route.is_none() && !self.fresh {
            let path = self.trails.take_path();
            let walked = path.len().saturating_sub(1);
            self.route = Some(Route::new(path, walked));
            self.search.release();
        }
        self.reclaim(8);
    }

    fn target(&self, _: NodeId) -> Option<NodeId> {
        let walking = self.route.as_ref().and_then(Route::end);
        walking.or_else(|| self.trails.tip(Follow))
    }

    fn plan(&self, _: NodeId) -> Option<Vec<NodeId>> {
        if let Some(route) = &self.route {
            return Some(route.nodes().to_vec());
        }
        let found = self.search.status() == Status::Reached;
        let path = self.search.path_to(self.goal).filter(|_| found);
        path.or_else(|| (self.root == self.goal).then(|| vec![self.goal]))
    }

    fn set_pool(&mut self, pool: &Pool) {
        self.search.set_pool(pool);
        self.trails.set_pool(pool);
        if let Some(shortcut) = &mut self.shortcut {
            shortcut.set_pool(pool);
        }
    }

    fn bytes(&self) -> usize {
        let shortcut = self.shortcut.as_ref().map_or(0, |shortcut| shortcut.bytes());
        let route = self.route.as_ref().map_or(0, Route::bytes);
        self.search.bytes() + self.trails.bytes() + shortcut + route
    }
}
