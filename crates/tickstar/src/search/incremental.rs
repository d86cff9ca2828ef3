//! The incremental search of D* Lite: it runs from the goal, keeps two values per node, and is repaired where the map
//! changes. What it does, and why, is described with the agent: [`DStarLite`](crate::agent::dstar_lite::DStarLite).

use super::open::{List, Open, OpenEntry, OpenList};
use super::pool::Pool;
use super::priority::Priority;
use super::problem::{Problem, Toward};
use super::table::{Stamp, Stamped};
use crate::{Cost, Event, Map, NodeId, Skip, Slice};

/// The number of insertions after which removing stale entries from a short open list is worthwhile.
const TIDY: usize = 1024;

/// The number of neighbors collected before they are processed.
const BATCH: usize = 8;

/// The search's data for a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    g: Cost,
    pub(crate) rhs: Cost,
    /// Its key on the open list, if it is there.
    key: u64,
    /// The neighbor that determined `rhs`; the node itself for the goal, and if `rhs` is infinite.
    pub(crate) next: NodeId,
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

/// The part of the agent that does not depend on the kind of open list.
#[derive(Clone, Debug)]
pub(crate) struct Core {
    pub(crate) ties: Ties,
    pub(crate) nodes: Stamped<Record>,
    pub(crate) goal: NodeId,
    pub(crate) at: NodeId,
    /// The search has not been started yet.
    pub(crate) fresh: bool,
    /// The agent's position when `km` last increased.
    pub(crate) last: NodeId,
    pub(crate) km: Cost,
    /// Nodes whose edges may have changed since their `rhs` was computed. Some may occur twice; `distinct` counts each
    /// of them once.
    pub(crate) pending: Vec<NodeId>,
    pub(crate) waiting: Stamped<Waiting>,
    pub(crate) distinct: usize,
    /// Scratch for the nodes that one tick's changes affect.
    pub(crate) affected: Vec<NodeId>,
    /// The search is complete for the map as reported.
    pub(crate) done: bool,
    /// The search was complete, and changes have been reported since for which no expansion has been done yet.
    pub(crate) disturbed: bool,
    /// Scratch for the neighbors of a node that has more of them than a batch holds.
    pub(crate) more: Vec<Candidate>,
    /// Neighbors whose `rhs` must be recomputed after the expansion of a node.
    pub(crate) invalidated: Vec<NodeId>,
    /// Insertions into the open list since the last removal of stale entries, and after how many the next one is due.
    pub(crate) pushes: usize,
    pub(crate) tidy_after: usize,
}

/// A cheaper path from a node: its new `rhs`, and the heuristic from there to the agent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Candidate {
    to: NodeId,
    rhs: Cost,
    h: Cost,
}

/// A pending node: how many times it occurs in the list.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Waiting {
    stamp: u32,
    times: u32,
}

impl Stamp for Waiting {
    fn stamp(&self) -> u32 {
        self.stamp
    }
}

/// The search with its open list.
#[derive(Clone, Debug)]
pub(crate) struct Incremental {
    pub(crate) open: List,
    pub(crate) core: Core,
}

impl Incremental {
    pub(crate) fn new(open: OpenList, ties: Ties, start: NodeId, goal: NodeId) -> Incremental {
        let core = Core {
            ties,
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
        Incremental { open: List::new(open), core }
    }

    /// Starts the search if that has not been done yet.
    pub(crate) fn ensure_started(&mut self, map: &impl Map) {
        if !std::mem::take(&mut self.core.fresh) {
            return;
        }
        self.open.clear(key_range(map));
        match &mut self.open {
            List::Heap(open) => self.core.begin(open, map),
            List::Buckets(open) => self.core.begin(open, map),
        }
    }

    /// Allocates from this pool from now on. The search starts again.
    pub(crate) fn set_pool(&mut self, pool: &Pool) {
        self.core.fresh = true;
        self.core.nodes.pages_mut().set_pool(pool);
        self.core.waiting.pages_mut().set_pool(pool);
        self.open.set_pool(pool);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.core.bytes() + self.open.bytes()
    }

    /// Steps 1 and 2, as far as the slice allows. Returns whether both are done.
    pub(crate) fn think(&mut self, map: &impl Map, slice: &mut Slice<'_>) -> bool {
        match &mut self.open {
            List::Heap(open) => self.core.think(open, map, slice),
            List::Buckets(open) => self.core.think(open, map, slice),
        }
    }

    /// Removes stale entries from the open list. Most are dropped when they reach the top, but if the map changes
    /// forever, more and more would accumulate further down.
    pub(crate) fn tidy(&mut self, map: &impl Map, slice: &mut Slice<'_>) {
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
    pub(crate) fn record(&self, node: NodeId) -> Record {
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
    pub(crate) fn note(&mut self, map: &impl Map, changed: &[NodeId]) {
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
    pub(crate) fn grow_km(&mut self, map: &impl Map) {
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
    pub(crate) fn choose(&self, map: &impl Map) -> Option<NodeId> {
        let mut best = (Cost::INFINITE, Cost::ZERO, self.at);
        map.for_each_edge(self.at, |to, cost| {
            let way = cost + self.record(to).g;
            if way < best.0 || way == best.0 && cost >= best.1 {
                best = (way, cost, to);
            }
        });
        (best.0 == self.record(self.at).rhs).then_some(best.2)
    }

    /// The next node of a path from any node whose cost the search knows. Among equally good neighbors, the one with the
    /// smallest estimate to the goal is taken, then the first.
    pub(crate) fn nearest_step(&self, map: &impl Map, from: NodeId) -> Option<NodeId> {
        let worst = (Cost::INFINITE, Cost::INFINITE);
        let mut best = (worst, from);
        map.for_each_edge(from, |to, cost| {
            let way = cost + self.record(to).g;
            if way <= best.0.0 {
                let rank = (way, map.estimate(to, self.goal));
                best = if rank < best.0 { (rank, to) } else { best };
            }
        });
        (best.1 != from && best.0.0 == self.record(from).rhs).then_some(best.1)
    }

    pub(crate) fn cost_to_go(&self, from: NodeId) -> Option<Cost> {
        if from == self.goal {
            return Some(Cost::ZERO);
        }
        // Not `g`: the search is done as soon as the agent's node is the best one left to expand.
        let rhs = self.record(from).rhs;
        (self.done && rhs != Cost::INFINITE).then_some(rhs)
    }

    /// The path along the stored neighbors, each of which is nearer to the goal than the previous one.
    pub(crate) fn plan(&self, from: NodeId) -> Option<Vec<NodeId>> {
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

    pub(crate) fn bytes(&self) -> usize {
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
