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
//! # Real-time bound
//! At most as many expansions per tick as the budget, and ten times as many updates: nodes recomputed in step 1 or
//! reinserted in step 2. (On an open grid of 512 by 512, an expansion took about 130 ns, recomputing a node 30, and
//! reinserting one into the open list 110.) In addition, a constant number of lookups, one pass over the edges of the
//! agent's node, and per reported change one pass over the nodes that depend on it. An expansion takes amortized
//! constant time, as in [`BestFirst`](crate::BestFirst); one that makes `g` infinite also visits the neighbors of
//! neighbors. Stale entries are occasionally removed from the open list in one pass: amortized constant time.

use super::{AgentError, Cx, Decision, Keep, Needs, Policy, Walker};
use crate::search::{List, Open, OpenEntry, Problem, Stamp, Stamped, Toward};
use crate::{Cost, Event, Limits, Map, NodeId, OpenList, Pool, Priority, Skip, Slice};

/// The number of insertions after which removing stale entries from a short open list is worthwhile.
const TIDY: usize = 1024;

/// The number of neighbors collected before they are processed.
const BATCH: usize = 8;

/// The search's data for a node.
#[derive(Clone, Copy, Debug)]
struct Record {
    g: Cost,
    rhs: Cost,
    /// Its key on the open list, if it is there.
    key: u64,
    /// The neighbor that determined `rhs`; the node itself for the goal, and if `rhs` is infinite.
    next: NodeId,
    /// The epoch of the search that generated it.
    stamp: u32,
}

impl Stamp for Record {
    #[inline]
    fn stamp(&self) -> u32 {
        self.stamp
    }
}

impl Default for Record {
    /// A node that no search has generated.
    fn default() -> Record {
        let next = NodeId::default();
        Record { g: Cost::INFINITE, rhs: Cost::INFINITE, key: 0, next, stamp: 0 }
    }
}

impl Record {
    #[inline]
    fn least(&self) -> Cost {
        self.g.min(self.rhs)
    }

    #[inline]
    fn is_open(&self) -> bool {
        self.g != self.rhs
    }

    /// Whether the entry is the latest one of this node on the open list. The rank follows from the values, which never
    /// change without a new entry.
    #[inline]
    fn is_entry(&self, entry: &OpenEntry, ties: Ties) -> bool {
        self.is_open() && self.key == entry.key && ties.rank(self) == entry.g
    }
}

/// Which of several nodes with the same key is expanded first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ties {
    /// The one farthest from the goal, but nodes with `g < rhs` before all others: as the 2012 paper breaks ties.
    #[default]
    Far,
    /// The one nearest to the goal: as in the paper on D* Lite.
    Near,
}

/// Greater than all path costs.
const RANK_FIRST: u64 = 1 << 63;

impl Ties {
    /// The rank of an open node; the larger goes first.
    #[inline]
    fn rank(self, record: &Record) -> Cost {
        match self {
            Ties::Far if record.g < record.rhs => Cost(record.g.0 | RANK_FIRST),
            Ties::Far => record.rhs,
            Ties::Near => Cost(!record.least().0),
        }
    }

    /// A node with the same key as the agent's node must be expanded if its rank exceeds this.
    #[inline]
    fn final_rank(self, agent: &Record) -> Cost {
        match self {
            Ties::Far => Cost(RANK_FIRST - 1),
            Ties::Near => Cost(!agent.least().0),
        }
    }
}

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
    open: List,
    core: Core,
}

/// The part of the agent that does not depend on the kind of open list.
#[derive(Clone, Debug)]
struct Core {
    ties: Ties,
    nodes: Stamped<Record>,
    goal: NodeId,
    at: NodeId,
    /// The search has not been started yet.
    fresh: bool,
    /// The agent's position when `km` last increased.
    last: NodeId,
    km: Cost,
    /// Nodes whose edges may have changed since their `rhs` was computed. Some may occur twice; `distinct` counts each
    /// of them once.
    pending: Vec<NodeId>,
    waiting: Stamped<Waiting>,
    distinct: usize,
    /// Scratch for the nodes that one tick's changes affect.
    affected: Vec<NodeId>,
    /// The search is complete for the map as reported.
    done: bool,
    /// The search was complete, and changes have been reported since for which no expansion has been done yet.
    disturbed: bool,
    /// Scratch for the neighbors of a node that has more of them than a batch holds.
    more: Vec<Candidate>,
    /// Neighbors whose `rhs` must be recomputed after the expansion of a node.
    invalidated: Vec<NodeId>,
    /// Insertions into the open list since the last removal of stale entries, and after how many the next one is due.
    pushes: usize,
    tidy_after: usize,
}

/// A cheaper path from a node: its new `rhs`, and the heuristic from there to the agent.
#[derive(Clone, Copy, Debug, Default)]
struct Candidate {
    to: NodeId,
    rhs: Cost,
    h: Cost,
}

/// A pending node: how many times it occurs in the list.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    stamp: u32,
    times: u32,
}

impl Stamp for Waiting {
    fn stamp(&self) -> u32 {
        self.stamp
    }
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
        let core = Core {
            ties: config.ties,
            nodes: Stamped::default(),
            goal,
            at: start,
            fresh: true,
            last: start,
            km: Cost::ZERO,
            pending: Vec::new(),
            waiting: Stamped::default(),
            distinct: 0,
            affected: Vec::new(),
            done: false,
            disturbed: false,
            more: Vec::new(),
            invalidated: Vec::new(),
            pushes: 0,
            tidy_after: TIDY,
        };
        let policy = DStarLitePolicy { open: List::new(config.open), core };
        Walker::with_policy(policy, map, start, goal)
    }

    /// The cost of a cheapest path from the agent's position to the goal, once it is known; `None` if no path exists.
    pub fn cost_to_go(&self) -> Option<Cost> {
        self.policy.core.cost_to_go(self.position())
    }
}

impl DStarLitePolicy {
    /// Starts the search if that has not been done yet.
    fn ensure_started(&mut self, map: &impl Map) {
        if !std::mem::take(&mut self.core.fresh) {
            return;
        }
        self.open.clear(key_range(map));
        match &mut self.open {
            List::Heap(open) => self.core.begin(open, map),
            List::Buckets(open) => self.core.begin(open, map),
        }
    }

    /// Steps 1 and 2, as far as the slice allows. Returns whether both are done.
    fn think(&mut self, map: &impl Map, slice: &mut Slice<'_>) -> bool {
        let done = match &mut self.open {
            List::Heap(open) => self.core.think(open, map, slice),
            List::Buckets(open) => self.core.think(open, map, slice),
        };
        slice.charge_entries(self.open.take_visited());
        done
    }

    /// Removes stale entries from the open list. Most are dropped when they reach the top, but if the map changes
    /// forever, more and more would accumulate further down.
    fn tidy(&mut self, map: &impl Map, slice: &mut Slice<'_>) {
        let core = &mut self.core;
        if core.pushes < core.tidy_after {
            return;
        }
        let live = |entry: &OpenEntry| core.record(entry.node()).is_entry(entry, core.ties);
        // After several times as many insertions as entries remained.
        let left = self.open.tidy(key_range(map), live);
        // Each entry is visited, and those that remain are sorted twice.
        slice.charge_entries((core.pushes + 8 * left) as u64);
        (core.tidy_after, core.pushes) = (TIDY + 4 * left, 0);
    }
}

/// The range of the keys of open nodes: that of A*, while the agent does not move. When it moves, the range grows,
/// which costs the buckets some of their speed.
fn key_range(map: &impl Map) -> u64 {
    Priority::ASTAR.key_range(map.max_edge_cost(), Cost::ZERO)
}

impl Core {
    /// Starts a search from the goal. Constant time: the data of the previous search are not touched.
    fn begin(&mut self, open: &mut impl Open, map: &impl Map) {
        self.nodes.begin();
        self.waiting.begin();
        self.pending.clear();
        self.distinct = 0;
        self.last = self.at;
        self.km = Cost::ZERO;
        self.done = false;
        self.disturbed = false;
        let unmet = Record::default();
        let first = Record { rhs: Cost::ZERO, next: self.goal, ..unmet };
        self.put(open, self.goal, unmet, first, map.estimate(self.goal, self.at));
    }

    /// The data of a node; the default if the current search has not generated it.
    #[inline]
    fn record(&self, node: NodeId) -> Record {
        self.generated(node).unwrap_or_default()
    }

    #[inline]
    fn generated(&self, node: NodeId) -> Option<Record> {
        self.nodes.find(node).copied()
    }

    /// Replaces the data of a node, and puts it on the open list if it belongs there and is not already there with the
    /// same key.
    ///
    /// Sums saturate, and none can make an infinite value finite.
    #[inline(always)]
    fn put(&mut self, open: &mut impl Open, node: NodeId, old: Record, new: Record, h: Cost) {
        let key = (new.least() + h + self.km).0;
        let (before, rank) = (self.ties.rank(&old), self.ties.rank(&new));
        let same = old.is_open() && old.key == key && before == rank;
        if new.is_open() && !same {
            open.push(key, rank, node);
            self.pushes += 1;
        }
        self.nodes.set(node, Record { key, stamp: self.nodes.now(), ..new });
    }

    /// Records which nodes have changed. Nothing is computed yet.
    fn note(&mut self, map: &impl Map, changed: &[NodeId]) {
        let size = map.size();
        let affected = &mut self.affected;
        affected.clear();
        for &node in changed {
            let inside = |node: &NodeId| node.index() < size;
            map.for_each_dependent(node, |node| affected.extend(Some(node).filter(inside)));
        }
        // Changes come in clusters, and most of the nodes around them occur several times.
        affected.sort_unstable();
        affected.dedup();
        for &node in &self.affected {
            let times = self.waiting.find(node).map_or(0, |waiting| waiting.times);
            self.distinct += usize::from(times == 0);
            self.waiting.set(node, Waiting { stamp: self.waiting.now(), times: times + 1 });
            self.pending.push(node);
        }
        if self.pending.len() > 2 * self.distinct + TIDY {
            self.drop_older();
        }
        self.disturbed |= self.done;
        self.done = false;
    }

    /// Of pending nodes that occur several times, keeps the last occurrence, which is processed first.
    fn drop_older(&mut self) {
        let waiting = &mut self.waiting;
        self.pending.retain(|&node| {
            let Some(known) = waiting.find_mut(node) else { return false };
            known.times -= 1;
            known.times == 0
        });
        for &node in &self.pending {
            if let Some(known) = self.waiting.find_mut(node) {
                known.times = 1;
            }
        }
    }

    fn think(&mut self, open: &mut impl Open, map: &impl Map, slice: &mut Slice<'_>) -> bool {
        if !self.repair(open, map, slice) {
            return false;
        }
        self.compute(open, map, slice)
    }

    /// Step 1: updates every node whose edges may have changed. Returns whether all are up to date.
    fn repair(&mut self, open: &mut impl Open, map: &impl Map, slice: &mut Slice<'_>) -> bool {
        while let Some(&node) = self.pending.last() {
            if !slice.update(node) {
                return false;
            }
            self.pending.pop();
            if let Some(known) = self.waiting.find_mut(node) {
                known.times -= 1;
                self.distinct -= usize::from(known.times == 0);
            }
            if node != self.goal {
                self.recompute(open, map, node);
            }
        }
        true
    }

    /// Computes a node's `rhs` from all its edges.
    fn recompute(&mut self, open: &mut impl Open, map: &impl Map, node: NodeId) {
        let (mut rhs, mut next) = (Cost::INFINITE, node);
        map.for_each_edge(node, |to, cost| {
            let way = cost + self.record(to).g;
            if way < rhs {
                (rhs, next) = (way, to);
            }
        });
        let old = self.record(node);
        if rhs != old.rhs {
            self.grow_km(map);
            let h = map.estimate(node, self.at);
            self.put(open, node, old, Record { rhs, next, ..old }, h);
        } else if rhs != Cost::INFINITE
            && let Some(record) = self.nodes.find_mut(node)
        {
            record.next = next;
        }
    }

    /// Accounts for the agent's movement since keys were last computed. The heuristic from any node to the agent has
    /// decreased by no more than this.
    fn grow_km(&mut self, map: &impl Map) {
        if self.at != self.last {
            self.km = self.km + map.estimate(self.at, self.last);
            self.last = self.at;
        }
    }

    /// Step 2: expands nodes until the agent's cost to the goal is known. Returns whether it is.
    #[inline(never)]
    fn compute(&mut self, open: &mut impl Open, map: &impl Map, slice: &mut Slice<'_>) -> bool {
        while let Some(top) = self.top(open) {
            // If a step was taken after the search was done, `km` and the keys are those of the previous position; they
            // all exceed the key of the new position, which is nearer to the goal.
            let agent = self.record(self.at);
            let key = (agent.least() + self.km).0;
            let before = top.key < key || top.key == key && top.g > self.ties.final_rank(&agent);
            if !before && agent.rhs <= agent.g {
                break;
            }
            self.grow_km(map);
            let node = top.node();
            let record = self.record(node);
            let h = map.estimate(node, self.at);
            if top.key < (record.least() + h + self.km).0 {
                if !slice.update(node) {
                    return false;
                }
                open.pop();
                self.put(open, node, record, record, h);
                continue;
            }
            if !slice.expand(node) {
                return false;
            }
            if std::mem::take(&mut self.disturbed) {
                slice.note(Event::Restart);
            }
            open.pop();
            if record.g > record.rhs {
                self.lower(open, map, node, record);
            } else {
                self.raise(open, map, node, record, h);
            }
        }
        self.disturbed = false;
        if !self.done {
            self.done = true;
            if self.record(self.at).rhs != Cost::INFINITE {
                slice.note(Event::Found);
            }
        }
        true
    }

    /// The best entry of the open list.
    #[inline]
    fn top(&self, open: &mut impl Open) -> Option<OpenEntry> {
        open.best(|entry| self.record(entry.node()).is_entry(entry, self.ties))
    }

    /// Expands a node with `g > rhs`: neighbors may now route through it.
    ///
    /// As in [`BestFirst`](crate::BestFirst), those that improve are collected first, in an array if that suffices: the
    /// code in the loop is inlined once per direction and must be small.
    #[inline(always)]
    fn lower<M: Map>(&mut self, open: &mut impl Open, map: &M, node: NodeId, record: Record) {
        let g = record.rhs;
        if let Some(slot) = self.nodes.find_mut(node) {
            slot.g = g;
        }
        let mut candidates = [Candidate::default(); BATCH];
        let mut count = 0;
        let (nodes, more) = (&self.nodes, &mut self.more);
        let toward = Toward { map, goal: self.at };
        toward.for_each_successor(node, record.next, Skip::Seen, |to, cost, h| {
            let rhs = g + cost;
            if nodes.find(to).is_none_or(|known| rhs < known.rhs) {
                if M::MAX_EDGES > BATCH && count == BATCH {
                    spill(more, Candidate { to, rhs, h });
                } else {
                    candidates[count % BATCH] = Candidate { to, rhs, h };
                    count += 1;
                }
            }
        });
        for &candidate in &candidates[..count.min(BATCH)] {
            self.offer(open, node, candidate);
        }
        while let Some(candidate) = self.more.pop() {
            self.offer(open, node, candidate);
        }
    }

    /// Applies a path over a neighbor. It may no longer be an improvement if two edges lead there.
    #[inline(always)]
    fn offer(&mut self, open: &mut impl Open, next: NodeId, Candidate { to, rhs, h }: Candidate) {
        let old = self.record(to);
        if rhs < old.rhs {
            self.put(open, to, old, Record { rhs, next, ..old }, h);
        }
    }

    /// Expands a node with `g < rhs`: neighbors that depend on it are recomputed, and the node itself may be expanded
    /// again, with its current cost.
    fn raise(
        &mut self,
        open: &mut impl Open,
        map: &impl Map,
        node: NodeId,
        record: Record,
        h: Cost,
    ) {
        self.put(open, node, record, Record { g: Cost::INFINITE, ..record }, h);
        let mut invalidated = std::mem::take(&mut self.invalidated);
        map.for_each_edge(node, |to, _| {
            if to != self.goal && self.generated(to).is_some_and(|known| known.next == node) {
                invalidated.push(to);
            }
        });
        for to in invalidated.drain(..) {
            self.recompute(open, map, to);
        }
        self.invalidated = invalidated;
    }

    /// Step 3: the neighbor to step to; `None` if the edges here differ from those the search knows.
    ///
    /// Among equally good neighbors the one with the most expensive edge is taken, then the last. Any fixed rule is
    /// correct; this one goes diagonally while it can, and where walls are discovered on the way, on random grids, that
    /// was up to 8 % cheaper than following the stored neighbors.
    fn choose(&self, map: &impl Map) -> Option<NodeId> {
        let mut best = (Cost::INFINITE, Cost::ZERO, self.at);
        map.for_each_edge(self.at, |to, cost| {
            let way = cost + self.record(to).g;
            if way < best.0 || way == best.0 && cost >= best.1 {
                best = (way, cost, to);
            }
        });
        (best.0 == self.record(self.at).rhs).then_some(best.2)
    }

    fn cost_to_go(&self, from: NodeId) -> Option<Cost> {
        if from == self.goal {
            return Some(Cost::ZERO);
        }
        // Not `g`: the search is done as soon as the agent's node is the best one left to expand.
        let rhs = self.record(from).rhs;
        (self.done && rhs != Cost::INFINITE).then_some(rhs)
    }

    /// The path along the stored neighbors, each of which is nearer to the goal than the previous one.
    fn plan(&self, from: NodeId) -> Option<Vec<NodeId>> {
        let mut left = self.cost_to_go(from)?;
        let mut path = vec![from];
        let mut node = from;
        while node != self.goal {
            node = self.record(node).next;
            let g = self.record(node).g;
            // Only unreported changes can have created a cycle.
            if g >= left {
                return None;
            }
            left = g;
            path.push(node);
        }
        Some(path)
    }

    fn bytes(&self) -> usize {
        self.nodes.bytes()
            + self.waiting.bytes()
            + (self.pending.capacity() + self.affected.capacity()) * size_of::<NodeId>()
            + self.more.capacity() * size_of::<Candidate>()
            + self.invalidated.capacity() * size_of::<NodeId>()
    }
}

#[cold]
#[inline(never)]
fn spill(more: &mut Vec<Candidate>, candidate: Candidate) {
    more.push(candidate);
}

impl Policy for DStarLitePolicy {
    fn needs(&self) -> Needs {
        Needs { reversible_edges: true, ..Needs::default() }
    }

    fn limits(&self, budget: u64) -> Limits {
        Limits { traces: 0, ..Limits::per_unit(budget) }
    }

    fn begin<M: Map>(&mut self, map: &M, start: NodeId, goal: NodeId, keep: Keep) {
        self.core.at = start;
        if keep == Keep::Nothing {
            (self.core.goal, self.core.fresh) = (goal, true);
        } else if !self.core.fresh {
            self.core.grow_km(map);
            self.core.done = false;
        }
    }

    fn moved(&mut self, _: NodeId, to: NodeId) {
        self.core.at = to;
    }

    fn heed<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, changed: &[NodeId]) {
        // An agent at rest starts again when it gets a new task.
        if cx.at != cx.goal {
            self.ensure_started(cx.map);
            self.core.note(cx.map, changed);
            cx.slice.charge_entries(4 * self.core.affected.len() as u64);
        }
    }

    fn decide<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) -> Decision {
        self.ensure_started(cx.map);
        self.tidy(cx.map, cx.slice);
        if !self.think(cx.map, cx.slice) {
            return Decision::Wait;
        }
        if self.core.record(cx.at).rhs == Cost::INFINITE {
            return Decision::NoWay;
        }
        self.core.choose(cx.map).map_or(Decision::Stale, Decision::Go)
    }

    /// The edge to the chosen node was most likely blocked, which affects other nodes too.
    fn replan<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) {
        let next = self.core.record(cx.at).next;
        self.core.note(cx.map, &[cx.at, next]);
    }

    fn rest(&mut self, slice: &mut Slice<'_>) {
        let core = &mut self.core;
        if !std::mem::replace(&mut core.fresh, true) {
            core.nodes.pages_mut().release();
            core.waiting.pages_mut().release();
            self.open.release();
            (core.pending, core.affected) = (Vec::new(), Vec::new());
        }
        let pages = slice.pages_to_free();
        let freed = core.nodes.pages_mut().reclaim(pages) + core.waiting.pages_mut().reclaim(pages);
        slice.charge_freed_pages(freed);
    }

    fn target(&self, goal: NodeId) -> Option<NodeId> {
        self.core.cost_to_go(self.core.at).map(|_| goal)
    }

    fn plan(&self, at: NodeId) -> Option<Vec<NodeId>> {
        self.core.plan(at)
    }

    fn set_pool(&mut self, pool: &Pool) {
        self.core.fresh = true;
        self.core.nodes.pages_mut().set_pool(pool);
        self.core.waiting.pages_mut().set_pool(pool);
    }

    fn bytes(&self) -> usize {
        self.core.bytes() + self.open.bytes()
    }
}
