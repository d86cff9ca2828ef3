//! Time-bounded search: act immediately, continue the search, and walk the best path known so far.
//!
//! # Sources
//! * Y. Björnsson, V. Bulitko, N. Sturtevant, "TBA*: Time-Bounded A*", IJCAI 2009: the algorithm,
//!   its budgets, the sliced trace, both enhancements, and the late-acting A* of its table 1.
//! * C. Hernández, J. Baier, T. Uras, S. Koenig, "Time-Bounded Adaptive A*", AAMAS 2012: the form with k expansions per
//!   interval and tracing free of charge ([`Tracing::Free`]), and the restart when the path is blocked
//!   ([`Restart::Path`]): RTBA*, and with [`SearchConfig::learn`] TBAA*.
//! * C. Hernández, R. Asín, J. Baier, "Time-Bounded Best-First Search", 2014: other priorities
//!   (TB-WA*, TB-GBFS), and maps that change ([`Restart::Eager`], [`Restart::Lazy`]).
//!
//! # One tick (numbers are lines of the 2009 listing)
//! 0. Process the reported changes; the search may restart from the agent's position.
//! 1. Expand up to `N_E` nodes, away from the root, until the goal is the best open node (6–8).
//! 2. Trace the path to the most promising node back along parent pointers, up to `N_T` steps; a trace may take several
//!    ticks. It is complete when it reaches the agent or the root (9–13). A complete path becomes the path to follow
//!    (14–18).
//! 3. Step: along the path if the agent is on it (21–22), else back to the parent (25), else, at the root with nothing
//!    to follow, to where the agent came from (27).
//!
//! `N_E = floor(R·r)` and `N_T = floor((R − N_E)·c)`; in the first tick at most `min(N_E, N_T)` nodes are expanded, so
//! that the first path is traced in the same tick; once the solution is found, all of `R` goes to tracing, `N_T =
//! floor(R·c)`. Each is at least one.
//!
//! # Deviations
//! * A budget of 1 would allow no expansion; here every tick may do one expansion and one trace step.
//! * Line 22 pops the front of the path. The front is the agent's position only if the trace ended there; an agent that
//!   joins the path further along must step to the successor of its own node. This code does so.
//! * A node counts as on the path only if it lies ahead of the part that the agent has walked. Otherwise an agent at
//!   the path's end would step back, find itself "on the path", and oscillate forever.
//! * Line 30 stores the previous position after the position was changed, so line 27 would leave the agent where it is.
//!   The text says that it goes back to where it came from; this code does so.
//! * The goal counts as found when it is the best open node, not when it is expanded, which saves one expansion.
//! * Late acting moves to each neighbor of the start in turn instead of a random one: the same on average, without
//!   random numbers.
//! * A step that is no longer legal is never taken, whatever the settings: the search restarts from the agent's
//!   position, and the agent waits for one tick. The search also restarts, instead of giving up, if the open list runs
//!   empty and a path may have been missed: after a node was opened or, for an A* search that does not expect blocking
//!   ([`SearchConfig::blocking`]), after any change.
//! * The papers check the path from the root; here, if the agent is on the path, only the part ahead is checked. If it
//!   is off the path, the way back to it is checked too, which the 2014 paper overlooks: its lazy agent could walk back
//!   into a new wall. A path is also checked while it is traced (line 22 of RTBA*), as it may lead through a wall that
//!   was not on the path when it was seen; the 2014 paper overlooks that too.
//! * With bounded tracing, a path is checked as it is traced, over several ticks, and the way back is checked as far as
//!   the tick's trace steps reach; the rest is checked before each step.
//! * When a cost decreases, the 2014 paper compares with the cost of the rest of the path. While the goal has not been
//!   found, the path ends before it; here the heuristic at that end is added. A greedy search, which guarantees nothing
//!   about cost, ignores cost decreases.
//! * When a cost decreases, the learned heuristic is discarded, as it may be inadmissible: the 2012 paper has no such
//!   case.
//!
//! # Invariants
//! * Every step is an edge of the space at that moment.
//! * While nothing changes, the nodes expanded are those of the plain search with the same settings, in the same order.
//! * The path to the goal, once followed, is never left, except for a shortcut that is strictly cheaper.
//!
//! # Jump points
//! With [`TimeBoundedConfig::jump`], the search is a jump point search. What it expands is far apart, so a path is traced
//! from jump point to jump point, one trace step each, and the agent is on the path wherever it stands between them. In the
//! first tick, a path has no more jumps than there were units, so it is traced in the same tick, as above.
//!
//! An expansion may take several ticks. Meanwhile the most promising node is a cell beyond the node being expanded: on the
//! way toward the goal, diagonally and then straight, as far as it is known to be free (a *probe*), which is where A* would
//! go too. A probe that reaches the goal completes a path whose cost is the smallest key of the search, so it is
//! optimal. Where the way toward the goal is blocked, the agent walks back and forth until the expansion is complete.
//!
//! The search knows the cells between jump points where the agent has been. An agent that is pushed aside steps to a known
//! neighbor, or to the path if it is near; else it restarts its search. A goal that moves to an unknown cell leaves a
//! trail. When the map changes, jumps found before may be blocked, but steps are checked, and a search that ends without
//! a path after a change starts again. There is no shortcut (enhancement 1).
//!
//! # When the agent is not where its step leads
//! A step that was refused is decided again. An agent that was pushed aside continues from there if the search has
//! generated that node: along the path if the node is on it, else back to the path. Otherwise it steps to a neighbor
//! that is on the path or was generated by the search, if there is one; else the search restarts.
//!
//! # When the goal moves
//! The search is kept as long as it serves the new goal:
//! * If the search has generated the new goal, it ends there, and the path to that node is traced.
//! * If the goal moves along an edge, the agent continues toward where it was, and from there along the trail of the
//!   goal, without its loops. An agent that moves more often than its goal therefore arrives once its first search is
//!   complete, and needs no other.
//! * If no path leads to the goal, and it moves along an edge, no path leads there either.
//! * If it jumps, but not far compared with the agent's distance, the agent first walks to the end of that trail.
//!
//! Otherwise, and at the end of the trail, the search restarts from the agent's position. The learned heuristic is
//! corrected as in Moving Target Adaptive A* (Koenig, Likhachev, Sun, "Speeding up Moving-Target Search", AAMAS 2007):
//! see [`BestFirst::begin`].
//!
//! # Memory
//! While the path to the goal is being followed and nothing can make the agent leave it ([`Restart::Stopped`]), it
//! keeps only the path and returns the memory of the search. (A path of jump points is first written out cell by cell,
//! charged as trace steps, while the agent walks along it.) On arrival, every variant that does not learn does the
//! same.
//!
//! # Real-time bound
//! At most `N_E` expansions and `N_T` trace steps per tick (see [`Policy::limits`]), whatever the map's size; in
//! addition, a constant number of lookups, one pass over the edges of the agent's node, and a few lookups per reported
//! change. A restart takes constant time (amortized, if a weighted search learns).

mod chase;
mod restart;

pub use restart::Restart;

use self::restart::Back;
use super::{AgentError, Cx, Decision, Keep, Needs, Policy, Walker};
use crate::search::Which::{self, Follow, Fresh};
use crate::search::{MainSearch, Route, Shortcut, Trails};
use crate::{
    BestFirst, Cost, Event, Limits, Map, NodeId, Pool, Ratio, SearchConfig, Slice, Status,
};

/// How many steps ahead and behind the path of an agent that was pushed aside is made known to a search by jump points.
const NEAR: usize = 8;

/// What the agent does before it knows a complete path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Acting {
    /// Walk toward the most promising node: the idea of time-bounded search.
    #[default]
    Early,
    /// Step back and forth between the start and its neighbors: the "late acting" A* of the 2009 paper.
    Late,
    /// Wait: the behavior of a complete search under a budget.
    Wait,
}

/// How the tick's budget pays for tracing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tracing {
    /// The budget is shared: the fraction `r` goes to expansions, and each unit of the rest buys `c` trace steps. The
    /// 2009 form, which bounds all work.
    Bounded {
        /// The share for expansions, between 0 and 1.
        r: Ratio,
        /// The number of trace steps for the price of one expansion.
        c: Ratio,
    },
    /// The whole budget goes to expansions, and a complete path is traced in each tick, free of charge. The 2012 form.
    Free,
}

impl Tracing {
    /// The expansions and trace steps allowed per tick with this budget during the search.
    pub fn split(self, budget: u64) -> (u64, u64) {
        match self {
            Tracing::Bounded { r, c } => {
                let expansions = r.times(budget).clamp(budget.min(1), budget);
                (expansions, c.times(budget - expansions).max(budget.min(1)))
            }
            Tracing::Free => (budget, u64::MAX),
        }
    }

    /// The trace steps allowed per tick with this budget once no more expansions are needed.
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

/// The settings of a member of the time-bounded family.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimeBoundedConfig {
    /// The underlying search.
    pub search: SearchConfig,
    /// Search by jump points, if the map is a [`Grid`](crate::Grid) with eight neighbors and without terrain.
    ///
    /// It applies to A* that neither learns nor expects nodes to be blocked; otherwise it is ignored. An expansion then
    /// leads to the next possible turns, at a distance, and is charged one unit, plus one for every two
    /// successors, and one for every 8 words of 64 cells that it reads. A trace step leads from one turn to the one before.
    /// A shortcut is not searched for.
    pub jump: bool,
    /// What to do until a complete path is known.
    pub acting: Acting,
    /// How tracing is paid for.
    pub tracing: Tracing,
    /// When the search restarts.
    pub restart: Restart,
    /// Enhancement 1: when the path to the goal is known and the agent is off it, search for a shortcut on each step
    /// back.
    pub shortcut: bool,
    /// Enhancement 2: do not leave a path for one whose tip has a smaller cost from the root.
    pub switch: bool,
}

/// An agent that searches for one slice per tick and walks the best path known so far.
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
///         Step::Unreachable => panic!("no path"),
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type TimeBounded = Walker<TimeBoundedPolicy>;

/// The policy of [`TimeBounded`].
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent properties of the state of a run
pub struct TimeBoundedPolicy {
    config: TimeBoundedConfig,
    search: MainSearch,
    root: NodeId,
    /// The agent's goal.
    target: NodeId,
    /// Where the search leads: the agent's goal, unless that has moved.
    goal: NodeId,
    /// Where the goal went from there.
    trail: Route,
    /// The goal has moved to a node that the search had generated, so the search ends without having reached it.
    met: bool,
    at: NodeId,
    /// Where the agent was before its last move.
    came_from: Option<NodeId>,
    /// The path being followed, and the one being traced when `tracing`.
    trails: Trails,
    tracing: bool,
    /// The cost from the root to the tip of the path being followed.
    follow_reach: Cost,
    /// How much of it lies ahead: nodes further from the tip have been walked or passed.
    ahead: usize,
    /// The path being followed leads to the goal.
    solved: bool,
    /// The path to the goal, once the search itself has been released.
    route: Option<Route>,
    /// The search has no root yet.
    fresh: bool,
    /// This search has not had its first tick yet.
    first: bool,
    /// A change was reported since this search started.
    changed: bool,
    /// A change since this search started may have decreased a cost.
    fell: bool,
    /// The search has shown that there is no path from its root.
    given_up: bool,
    /// Which neighbor late acting steps to next.
    bounces: usize,
    shortcut: Option<Box<Shortcut>>,
}

impl TimeBounded {
    /// An agent at `start` that walks to `goal`.
    ///
    /// # Errors
    /// If the start or goal is not passable, or if the settings need reversible edges and the map does not have them.
    pub fn new(
        map: &impl Map,
        mut config: TimeBoundedConfig,
        start: NodeId,
        goal: NodeId,
    ) -> Result<TimeBounded, AgentError> {
        config.search.blocking |= matches!(config.restart, Restart::Path | Restart::Lazy);
        let policy = TimeBoundedPolicy {
            config,
            search: MainSearch::new(config.search, config.jump),
            root: start,
            target: goal,
            goal,
            trail: Route::default(),
            met: false,
            at: start,
            came_from: None,
            trails: Trails::new(!config.search.reopen),
            tracing: false,
            follow_reach: Cost::ZERO,
            ahead: 0,
            solved: false,
            route: None,
            fresh: true,
            first: true,
            changed: false,
            fell: false,
            given_up: false,
            bounces: 0,
            shortcut: config.shortcut.then(|| Box::new(Shortcut::new(config.search.open))),
        };
        Walker::with_policy(policy, map, start, goal)
    }

    /// The underlying search, for inspection; it is idle where jump points are used.
    pub fn search(&self) -> &BestFirst {
        self.policy.search.plain()
    }
}

impl TimeBoundedPolicy {
    /// Starts a search from the agent's position. It allocates only when its root is added, in the next tick that needs
    /// it, because agents are created by the thousand.
    fn begin_search(&mut self, map: &impl Map) {
        (self.root, self.goal) = (self.at, self.target);
        (self.came_from, self.fresh, self.met) = (None, true, false);
        self.trail.clear();
        self.search.begin(map, self.goal, map.estimate(self.root, self.goal));
        self.trails.reset(self.search.jumps());
        (self.tracing, self.solved, self.route) = (false, false, None);
        (self.first, self.changed, self.fell) = (true, false, false);
        self.given_up = false;
        if let Some(shortcut) = &mut self.shortcut {
            shortcut.reset();
        }
    }

    /// Adds the root of the search, if that has not been done yet.
    fn add_root(&mut self, map: &impl Map) {
        if std::mem::take(&mut self.fresh) {
            self.search.add_root(map, self.root);
        }
    }

    /// The number of steps from a node to the tip of a trail, if the node is on it.
    fn place(&self, which: Which, node: NodeId) -> Option<usize> {
        self.trails.place(which, node, self.search.cost_to(node))
    }

    /// The same for the path being followed, if the node is on the part that lies ahead.
    fn place_ahead(&self, node: NodeId) -> Option<usize> {
        if self.trails.at(Follow, self.ahead) == Some(node) {
            return Some(self.ahead);
        }
        self.place(Follow, node).filter(|&place| place <= self.ahead)
    }

    /// The trace steps that a tick with this budget may still do during the search.
    fn traces_left(&self, slice: &Slice<'_>) -> u64 {
        self.config.tracing.split(slice.budget()).1.saturating_sub(slice.traces())
    }

    /// Step 1: the tick's expansions. Returns the number of trace steps that may follow.
    fn think(&mut self, map: &impl Map, slice: &mut Slice<'_>) -> u64 {
        let budget = slice.budget();
        if self.is_reached() {
            return self.config.tracing.after_search(budget).saturating_sub(slice.traces());
        }
        let traces = self.traces_left(slice);
        let (expansions, _) = self.config.tracing.split(budget);
        // Where tracing is charged for, enough must be left for it.
        let mut expansions = expansions.min(slice.remaining_with(0, 2));
        if self.first {
            expansions = expansions.min(traces);
        }
        let limits = Limits { expansions, ..Limits::NONE };
        slice.within(limits, |slice| self.search.run(map, slice));
        if self.search.best() == Some(self.goal) {
            slice.note(Event::Found);
            self.met = true;
        }
        self.first &= slice.expansions() == 0;
        traces
    }

    /// Step 2: the tick's tracing. Returns whether the path and the way back to it are still as the search found them,
    /// as far as they have been checked.
    fn trace(&mut self, map: &impl Map, slice: &mut Slice<'_>) -> bool {
        if !self.tracing {
            let Some(tip) = self.tip() else { return true };
            if self.config.acting != Acting::Early && tip != self.goal {
                return true;
            }
            self.trails.begin(tip, self.search.cost_to(tip).unwrap_or_default());
            self.tracing = true;
        }
        let check = self.changed && matches!(self.config.restart, Restart::Path | Restart::Lazy);
        // The agent may have walked onto a part that was traced before it arrived there.
        let mut met = self.place(Fresh, self.at);
        let mut front = self.trails.front();
        while met.is_none() {
            let Some((node, parent)) =
                front.and_then(|node| Some((node, self.search.behind(node)?)))
            else {
                break;
            };
            if !slice.trace(parent) {
                return true;
            }
            if check && !self.holds(map, parent, node) {
                return false;
            }
            self.trails.extend(parent, self.search.cost_to(parent).unwrap_or_default());
            front = Some(parent);
            met = self.trails.reached(self.at);
        }
        self.tracing = false;
        self.adopt(met, slice);
        !(check && self.back(map, slice) == Back::Cut)
    }

    /// Makes the newly traced path the one to follow, unless the switching rule keeps the old one. The agent is at this
    /// place on it, if it is on it.
    fn adopt(&mut self, place: Option<usize>, slice: &mut Slice<'_>) {
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
        self.ahead = place.unwrap_or(usize::MAX);
        self.solved = tip == self.goal;
    }

    /// The next node on the path being followed, if the agent is on the part that lies ahead.
    fn follow_step(&self) -> Option<NodeId> {
        let place = self.place_ahead(self.at)?;
        self.trails.at(Follow, place.checked_sub(1)?)
    }

    /// Step 3: where to go, and which kind of step it is.
    fn choose(&mut self, map: &impl Map, slice: &mut Slice<'_>) -> Option<NodeId> {
        if let Some(next) = self.follow_step() {
            return Some(next);
        }
        if let Some(next) = self.shortcut.as_ref().and_then(|shortcut| shortcut.step(self.at)) {
            return Some(next);
        }
        // The agent may be at the most promising node itself if the tick was cut short or, with jump points, if its
        // expansion takes several ticks.
        let is_expanding = self.search.jumps().is_some() && slice.expansions() > 0;
        if self.config.acting == Acting::Early && self.tip() == Some(self.at) && !is_expanding {
            return None;
        }
        let back = self.search.parent(self.at).or_else(|| self.way_onto_tree(map));
        if back.is_some() {
            slice.note(Event::Backtrack);
            return back;
        }
        self.search.cost_to(self.at)?;
        let away = match self.config.acting {
            Acting::Early if is_expanding => self.came_from.or_else(|| self.nearest_neighbor(map)),
            Acting::Early => self.came_from,
            Acting::Late => self.neighbor_in_turn(map),
            Acting::Wait => None,
        };
        if away.is_some() {
            slice.note(Event::Bounce);
        }
        away
    }

    /// Where to go from a node that the search has not generated: onto the path as far ahead as possible, else to the
    /// neighbor nearest to the root.
    fn way_onto_tree(&self, map: &impl Map) -> Option<NodeId> {
        if self.search.cost_to(self.at).is_some() {
            return None;
        }
        let mut best = None;
        map.for_each_edge(self.at, |to, _| {
            let Some(g) = self.search.cost_to(to) else { return };
            let place = self.place_ahead(to);
            let rank = (place.unwrap_or(usize::MAX), g);
            if best.is_none_or(|(least, _)| rank < least) {
                best = Some((rank, to));
            }
        });
        best.map(|(_, to)| to)
    }

    /// The neighbor over which the goal seems nearest.
    fn nearest_neighbor(&self, map: &impl Map) -> Option<NodeId> {
        let mut best = None;
        map.for_each_edge(self.at, |to, cost| {
            let through = cost + map.estimate(to, self.goal);
            if best.is_none_or(|(least, _)| through < least) {
                best = Some((through, to));
            }
        });
        best.map(|(_, to)| to)
    }

    /// The neighbors of the root in turn, restricted to those whose parent is the root.
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

    /// Prepares keeping only the path: see [`Trails::unroll`].
    fn unroll(&mut self, place: usize, slice: &mut Slice<'_>) -> bool {
        let traces = self.config.tracing.after_search(slice.budget());
        let limits =
            Limits { expansions: 0, traces: traces.saturating_sub(slice.traces()), updates: 0 };
        slice.within(limits, |slice| self.trails.unroll(place, slice))
    }

    /// Keeps only the path to the goal, if it is known, and returns all other memory. `place` is the number of steps from
    /// the agent to its end.
    fn keep_only_the_path(&mut self, place: usize, slice: &mut Slice<'_>) {
        let known = self.trails.tip(Follow) == Some(self.goal);
        let mut path = if known { self.trails.take_path() } else { Vec::new() };
        let walked = path.len().saturating_sub(1 + place);
        path.extend(self.trail.nodes().iter().skip(1).filter(|_| known));
        slice.charge_entries(path.len() as u64 / 8);
        self.route = Some(Route::new(path, walked));
        self.release();
    }

    fn release(&mut self) {
        self.trails.release();
        self.search.release();
        if let Some(shortcut) = &mut self.shortcut {
            shortcut.release();
        }
    }

    /// Returns released memory to the allocator, little by little.
    fn reclaim(&mut self, slice: &mut Slice<'_>) {
        let shortcut = self.shortcut.as_ref().is_some_and(|shortcut| shortcut.has_released());
        if !shortcut && !self.search.has_released() && !self.trails.has_released() {
            return;
        }
        let blocks = slice.blocks_to_free();
        let shortcut = self.shortcut.as_mut().map_or(0, |shortcut| shortcut.reclaim(blocks));
        let freed = self.search.reclaim(blocks) + self.trails.reclaim(blocks) + shortcut;
        slice.charge_freed_blocks(freed);
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
        (self.at, self.target, self.bounces) = (start, goal, 0);
        self.begin_search(map);
    }

    fn moved(&mut self, from: NodeId, to: NodeId) {
        self.came_from = Some(from);
        self.at = to;
        if self.fresh {
            self.root = to;
        }
        if let Some(route) = &mut self.route {
            return route.moved(to);
        }
        let next =
            self.ahead.checked_sub(1).filter(|&next| self.trails.at(Follow, next) == Some(to));
        let place = next.or_else(|| self.place_ahead(to));
        self.ahead = place.unwrap_or(self.ahead);
        self.search.note_cell(to, place.and_then(|place| self.trails.behind(place)));
        self.search.note_step(from, to);
    }

    fn displaced<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) {
        // It has most likely been pushed along its way, or beside it.
        if let Some(back) = self.search.parent(self.at) {
            self.search.note_step(self.at, back);
        }
        for place in self.ahead.saturating_sub(NEAR)..=self.ahead.saturating_add(NEAR) {
            let Some(cell) = self.trails.at(Follow, place) else { break };
            self.search.note_cell(cell, self.trails.behind(place));
        }
        (self.at, self.came_from) = (cx.at, None);
        self.ahead = self.place(Follow, cx.at).unwrap_or(usize::MAX);
        if self.solved && self.route.is_none() {
            // The path was traced only back to where the agent was; from here, the way back may join it earlier.
            (self.solved, self.tracing) = (false, false);
            if let Some(shortcut) = &mut self.shortcut {
                shortcut.reset();
            }
        }
        // A search without a root starts here; one that ended, or whose memory was released, starts again.
        let lost = self.route.as_ref().is_some_and(|route| {
            route.nodes().is_empty() || self.config.restart != Restart::Stopped
        });
        let ended = self.route.is_none() && self.search.status() == Status::Exhausted;
        if self.fresh || lost || ended {
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
        if self.fresh && slice.remaining() == 0 {
            // Nothing can be done, so nothing is allocated: in a frame that is over, many agents may be in this state.
            return Decision::Wait;
        }
        if self.route.is_none() && !self.search.fits(*map) {
            return Decision::Stale;
        }
        self.add_root(*map);
        self.reclaim(slice);
        // Once the agent is on the path to the goal, only a blocked step can make it leave that path, unless it restarts.
        let settled = self.config.restart == Restart::Stopped && !self.config.search.learn;
        if self.solved
            && settled
            && self.route.is_none()
            && let Some(place) = self.place_ahead(self.at)
            && self.unroll(place, slice)
        {
            self.keep_only_the_path(place, slice);
        }
        if self.at == self.goal && self.route.is_none() {
            self.follow_trail();
        }
        if let Some(route) = &mut self.route {
            return route.step(*map, cx.at).map_or(Decision::Stale, Decision::Go);
        }
        if self.solved {
            let off_path = self.place(Follow, self.at).is_none();
            if let Some(shortcut) = &mut self.shortcut
                && off_path
                && self.search.jumps().is_none()
                && shortcut.step(self.at).is_none()
            {
                let (expansions, traces) = self.config.tracing.split(slice.budget());
                let traces = traces.saturating_sub(slice.traces());
                slice.within(Limits { expansions, traces, updates: 0 }, |slice| {
                    shortcut.seek(*map, &self.search, &self.trails, self.at, slice);
                });
            }
        } else {
            let traces = self.think(*map, slice);
            if self.search.status() == Status::Exhausted {
                // If nodes were only blocked, a search that expects blocking has missed no path.
                let missed = self.fell || self.changed && !self.config.search.blocking;
                // And the goal may be reachable from where the agent was pushed to, if not from the root.
                let missed = missed || !self.given_up && self.search.cost_to(self.at).is_none();
                let missed = missed || self.goal != self.target && self.may_be_apart(*map);
                return if missed { Decision::Stale } else { Decision::NoWay };
            }
            let limits = Limits { expansions: 0, traces, updates: 0 };
            if !slice.within(limits, |slice| self.trace(*map, slice)) {
                return Decision::Stale;
            }
        }
        match self.choose(*map, slice) {
            Some(to) => Decision::Go(to),
            // Pushed to a node about which the search knows nothing.
            None if self.search.cost_to(self.at).is_none() => Decision::Stale,
            None => Decision::Wait,
        }
    }

    fn replan<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) {
        self.begin_search(cx.map);
    }

    fn retarget<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, from: NodeId) {
        self.target = cx.goal;
        if !self.serves(cx.map, (from, cx.goal), cx.slice) {
            cx.slice.note(Event::Restart);
            self.begin_search(cx.map);
        }
    }

    fn can_improve(&self) -> bool {
        self.route.is_none() && !self.solved
    }

    fn no_way(&mut self) {
        if !self.given_up && !self.config.search.learn {
            self.release();
        }
        self.given_up = true;
    }

    fn rest(&mut self, slice: &mut Slice<'_>) {
        if self.at != self.goal && self.route.is_none() {
            // The agent has met its goal on the way.
            self.stay_here();
        } else if !self.config.search.learn && self.route.is_none() && self.unroll(0, slice) {
            self.keep_only_the_path(0, slice);
        }
        self.reclaim(slice);
    }

    fn target(&self, _: NodeId) -> Option<NodeId> {
        let walking = self.route.as_ref().and_then(Route::end);
        walking.or_else(|| self.trails.tip(Follow))
    }

    fn plan(&self, _: NodeId) -> Option<Vec<NodeId>> {
        if let Some(route) = self.route.as_ref().filter(|route| !route.nodes().is_empty()) {
            return Some(route.nodes().to_vec());
        }
        let found = self.is_reached();
        let path = self.search.path_to(self.goal).filter(|_| found).map(|mut path| {
            path.extend(self.trail.nodes().iter().skip(1));
            path
        });
        path.or_else(|| (self.at == self.goal).then(|| vec![self.goal]))
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
        self.search.bytes() + self.trails.bytes() + self.trail.bytes() + shortcut + route
    }
}
