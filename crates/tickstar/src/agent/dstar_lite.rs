//! D* Lite: a search that is repaired where the map changes, instead of restarted.
//!
//! # Sources
//! * S. Koenig, M. Likhachev, "D* Lite", AAAI 2002: the algorithm, in its second and optimized form with the key
//!   modifier `km`; and their "Fast Replanning for Navigation in Unknown Terrain", IEEE Transactions on Robotics 21(3),
//!   2005, which proves it.
//!
//! # One tick
//! The search runs from the goal to the agent. For each node it keeps `g`, the cost to the goal when the node was last
//! expanded, and `rhs`, the cost that its neighbors now imply: the minimum of `c + g` over its edges. A node is on the
//! open list exactly while the two differ, with the key `min(g, rhs) + h + km`, where `h` is the heuristic between the
//! node and the agent. Ties are broken by [`Ties`].
//!
//! 1. The `rhs` of every node whose edges may have changed is recomputed. If that changes any, `km` first increases by
//!    the heuristic distance between the agent's position and its position at the last increase: so the keys on the
//!    list remain lower bounds, and none has to be updated because the agent has moved.
//! 2. Nodes are taken from the open list until no key is below that of the agent's node, and `rhs` there does not
//!    exceed `g`. A node whose key on the list has become too small is reinserted with its current key. Otherwise, if
//!    `g > rhs`, `g` becomes `rhs`, which may lower the costs of neighbors; if `g < rhs`, `g` becomes infinite, and the
//!    neighbors whose `rhs` depended on it are recomputed.
//! 3. If all that is done within the tick, the agent steps to the neighbor with the smallest `c + g`. It waits if the
//!    work is not done, and reports that no path exists if `rhs` is infinite.
//!
//! # Deviations
//! * Steps 1 and 2 are divided over ticks. Changes reported while they are in progress are processed before they
//!   continue; the agent waits until both are done.
//! * The paper recomputes every neighbor whose `rhs` equals `c + g` of a node that has become infinite. Here each node
//!   stores the neighbor that determined its `rhs`, and only nodes that depend on the infinite node are recomputed. The
//!   values are the same. The stored neighbors also give [`AgentState::plan`](crate::AgentState::plan); if there are
//!   several cheapest paths, the agent may walk a different one than planned.
//! * When a node's `g` decreases, it is not offered to neighbors that can reach the node's stored neighbor as cheaply
//!   without it: their own `rhs` is already no greater.
//! * The paper recomputes the key of a neighbor even if its `rhs` stays the same. Here its key is left unchanged, and
//!   checked like all others when the node is taken from the list.
//! * `km` does not increase if the changes alter no `rhs`.
//! * In the paper the key has a second component, `min(g, rhs)`, and the smaller goes first: [`Ties::Near`]. On open
//!   ground, where many paths are equally good, all of them are then explored: a first search on an empty map of 512 by
//!   512 may expand 40,000 nodes where A* expands 500. The 2012 paper breaks all ties in favor of larger costs, and
//!   says that D* Lite often finds its first path in unknown terrain within one interval, so it cannot have used the
//!   smaller-first rule. [`Ties::Far`], the default, prefers the nodes with `g < rhs`, and then those farthest from the
//!   goal. That is equally sound: the costs of nodes with `g > rhs` are final when they have the smallest key, as in
//!   A*, if all nodes with `g < rhs` and a key that is no greater have been expanded; and expanding such a node affects
//!   only nodes with keys that are no smaller. For the same reason the search may end when only nodes with `g > rhs`
//!   have the key of the agent's node.
//! * A step that is no longer legal is never taken. If the smallest `c + g` of the agent's edges differs from its
//!   `rhs`, a change was not reported in `Seen`: the edges around the agent are then treated as changed, and the agent
//!   waits for one tick.
//!
//! # Requirements on the space
//! Reversible edges, as the search runs against the agent's direction. And beyond what [`Space`](crate::Space)
//! requires, the heuristic must obey the triangle inequality, as those of [`Grid`](crate::Grid) and
//! [`Graph`](crate::Graph) do, and stay consistent whatever is opened; otherwise paths may be longer than necessary.
//!
//! # Invariants
//! * Every step is an edge of the space at that moment.
//! * While no change is pending, every `rhs` except the goal's is the minimum of `c + g` over the node's edges as
//!   reported to the agent, attained by the stored neighbor.
//! * A node is on the open list, ranked among equal keys by its current values, if and only if `g` and `rhs` differ.
//! * When step 2 is done, the agent's `rhs` is the cost of a cheapest path on the map as reported to it, and the stored
//!   neighbors lead along such a path to the goal.
//! * However the work is sliced, the same nodes are expanded in the same order.
//!
//! # When the goal moves
//! The search is rooted at the goal, so that a new root changes nearly all of its values: shifting the root by one step
//! and repairing the search took about 1.45 times as many expansions as a new search, on empty grids of 256 by 256, with
//! random obstacles and with rooms alike. So the root is not shifted. It is kept as long as that is cheaper than a new
//! search: the agent walks to where the goal was, and from there along the trail of the goal, without its loops.
//! The search restarts from the new goal when the goal jumps, or when the trail is longer than the last search took in
//! ticks. Each restart doubles the length of the next trail, so that an agent that moves more often than its goal arrives.
//!
//! # Real-time bound
//! At most as many expansions per tick as the budget, and ten times as many updates: nodes recomputed in step 1 or
//! reinserted in step 2. (On an open grid of 512 by 512, an expansion took about 130 ns, recomputing a node 30, and
//! reinserting one into the open list 110.) In addition, a constant number of lookups, one pass over the edges of the
//! agent's node, and per reported change one pass over the nodes that depend on it. An expansion takes amortized
//! constant time, as in [`BestFirst`](crate::BestFirst); one that makes `g` infinite also visits the neighbors of
//! neighbors. Stale entries are occasionally removed from the open list in one pass: amortized constant time.

pub use crate::search::incremental::Ties;

use super::{AgentError, Cx, Decision, Keep, Needs, Policy, Walker};
use crate::search::{Incremental, Route};
use crate::{Cost, Event, Limits, Map, NodeId, OpenList, Pool, Slice};

/// The settings of [`DStarLite`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DStarLiteConfig {
    /// Which open list it uses.
    pub open: OpenList,
    /// Which of several nodes with the same key is expanded first.
    pub ties: Ties,
}

/// An agent that waits until it knows a cheapest path, walks it, and repairs it where the map changes.
///
/// ```
/// use tickstar::agent::dstar_lite::{DStarLite, DStarLiteConfig};
/// use tickstar::{Agent, Cell, Grid, Seen, Slice, Step};
/// let mut grid = Grid::from_rows(["....#...", "..#...#.", "..#.#.#.", "....#..."])?;
/// let [start, goal] = [(0, 0), (7, 3)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
/// let mut unit = DStarLite::new(&grid, DStarLiteConfig::default(), start, goal)?;
/// // The whole search in one tick. Then a door closes, and the rest of the path is repaired.
/// let Step::Move(at) = unit.tick(&grid, start, Seen::default(), &mut Slice::unlimited()) else {
///     panic!("a path exists");
/// };
/// let door = Cell::new(5, 1);
/// grid.set_free(door, false)?;
/// let seen = Seen { changed: &[grid.node(door).unwrap()] };
/// assert_eq!(unit.tick(&grid, at, seen, &mut Slice::unlimited()), Step::Unreachable);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type DStarLite = Walker<DStarLitePolicy>;

/// The policy of [`DStarLite`].
#[derive(Clone, Debug)]
pub struct DStarLitePolicy {
    search: Incremental,
    /// Where the goal went from the root of the search; empty if it is still there.
    trail: Route,
    /// The map has changed since the goal left, so the trail may be cut.
    changed: bool,
    /// The ticks that the current search has taken until it was complete for the first time.
    ticks: u64,
    searching: bool,
    /// How many times longer than the search a trail may be.
    patience: u64,
}

impl DStarLite {
    /// An agent at `start` that walks to `goal`.
    ///
    /// # Errors
    /// If the start or goal is not passable, or the map has edges that are not reversible.
    pub fn new(
        map: &impl Map,
        config: DStarLiteConfig,
        start: NodeId,
        goal: NodeId,
    ) -> Result<DStarLite, AgentError> {
        let search = Incremental::new(config.open, config.ties, start, goal);
        let trail = Route::default();
        let (changed, searching) = (false, true);
        let policy = DStarLitePolicy { search, trail, changed, ticks: 0, searching, patience: 1 };
        Walker::with_policy(policy, map, start, goal)
    }

    /// The cost of a cheapest path from the agent's position to the goal, once it is known; `None` if no path exists, or
    /// the goal has moved.
    pub fn cost_to_go(&self) -> Option<Cost> {
        if !self.policy.trail.nodes().is_empty() {
            return None;
        }
        self.policy.search.core.cost_to_go(self.position())
    }
}

impl DStarLitePolicy {
    /// Starts a new search from this goal, in the next tick.
    fn restart(&mut self, goal: NodeId) {
        (self.search.core.goal, self.search.core.fresh) = (goal, true);
        (self.ticks, self.searching) = (0, true);
        self.drop_trail();
    }

    fn drop_trail(&mut self) {
        self.trail.clear();
        self.changed = false;
    }

    /// Whether the search is complete, and has found a path.
    fn has_path(&self) -> bool {
        self.is_on_trail() || self.search.core.cost_to_go(self.search.core.at).is_some()
    }

    /// Whether the agent has reached the root of the search, from where the goal has moved on.
    fn is_on_trail(&self) -> bool {
        let on_it = self.trail.is_begun() || self.search.core.at == self.search.core.goal;
        on_it && !self.trail.nodes().is_empty()
    }
}

impl Policy for DStarLitePolicy {
    fn needs(&self) -> Needs {
        Needs { reversible_edges: true, ..Needs::default() }
    }

    fn limits(&self, budget: u64) -> Limits {
        Limits { traces: 0, ..Limits::per_unit(budget) }
    }

    fn begin<M: Map>(&mut self, map: &M, start: NodeId, goal: NodeId, keep: Keep) {
        self.search.core.at = start;
        if keep == Keep::Nothing {
            self.patience = 1;
            self.restart(goal);
        } else if !self.search.core.fresh {
            self.search.core.grow_km(map);
            self.search.core.done = false;
        }
    }

    fn moved(&mut self, _: NodeId, to: NodeId) {
        self.search.core.at = to;
        self.trail.moved(to);
    }

    fn displaced<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) {
        self.begin(cx.map, cx.at, cx.goal, Keep::Learned);
        if self.is_on_trail() {
            self.restart(cx.goal);
        }
    }

    fn retarget<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, from: NodeId) {
        if self.trail.nodes().is_empty() {
            self.trail = Route::new(vec![from], 0);
        }
        let known = self.trail.lead_to(cx.map, cx.goal, cx.slice);
        let len = self.trail.nodes().len() as u64;
        if self.search.core.fresh || !known {
            cx.slice.note(Event::Restart);
            self.restart(cx.goal);
        } else if cx.goal == self.search.core.goal {
            self.drop_trail();
        } else if self.has_path() && len > self.ticks.saturating_mul(self.patience) {
            self.patience = self.patience.saturating_mul(2);
            cx.slice.note(Event::Restart);
            self.restart(cx.goal);
        }
    }

    fn heed<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, changed: &[NodeId]) {
        self.changed |= !self.trail.nodes().is_empty();
        // An agent at rest starts again when it gets a new task.
        if cx.at != cx.goal {
            self.search.ensure_started(cx.map);
            self.search.core.note(cx.map, changed);
            cx.slice.charge_entries(4 * self.search.core.affected.len() as u64);
        }
    }

    fn decide<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) -> Decision {
        if self.is_on_trail() {
            return self.trail.step(cx.map, cx.at).map_or(Decision::Stale, Decision::Go);
        }
        self.search.ensure_started(cx.map);
        self.search.tidy(cx.map, cx.slice);
        let done = self.search.think(cx.map, cx.slice);
        if self.searching {
            self.ticks += 1;
            self.searching = !done;
        }
        if !done {
            return Decision::Wait;
        }
        if self.search.core.record(cx.at).rhs == Cost::INFINITE {
            if !self.changed {
                return Decision::NoWay;
            }
            // The goal may have left the root of the search before that was cut off.
            cx.slice.note(Event::Restart);
            self.restart(cx.goal);
            return Decision::Wait;
        }
        self.search.core.choose(cx.map).map_or(Decision::Stale, Decision::Go)
    }

    /// The edge to the chosen node was most likely blocked, which affects other nodes too.
    fn replan<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) {
        if self.is_on_trail() {
            return self.restart(cx.goal);
        }
        let next = self.search.core.record(cx.at).next;
        self.search.core.note(cx.map, &[cx.at, next]);
    }

    fn rest(&mut self, slice: &mut Slice<'_>) {
        let core = &mut self.search.core;
        if !std::mem::replace(&mut core.fresh, true) {
            core.nodes.pages_mut().release();
            core.waiting.pages_mut().release();
            self.search.open.release();
            (core.pending, core.affected) = (Vec::new(), Vec::new());
        }
        let blocks = slice.blocks_to_free();
        let freed = core.nodes.pages_mut().reclaim(blocks)
            + core.waiting.pages_mut().reclaim(blocks)
            + self.search.open.reclaim(blocks);
        slice.charge_freed_blocks(freed);
    }

    fn target(&self, goal: NodeId) -> Option<NodeId> {
        self.has_path().then_some(goal)
    }

    fn plan(&self, at: NodeId) -> Option<Vec<NodeId>> {
        if self.is_on_trail() {
            return Some(self.trail.nodes().to_vec());
        }
        self.search.core.plan(at)
    }

    fn set_pool(&mut self, pool: &Pool) {
        self.search.set_pool(pool);
    }

    fn bytes(&self) -> usize {
        self.search.bytes() + self.trail.bytes()
    }
}
