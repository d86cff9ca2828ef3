//! The resumable best-first search: A*, weighted A*, greedy search and Dijkstra's are settings of
//! this one loop.
//!
//! It may stop after any expansion and go on later with the same result, and it borrows the space
//! for one call at a time. The goal counts as found as soon as nothing on the open list has a
//! smaller key, so no expansion is spent on it.
//!
//! A search is of the map as it was when it began. If a node is blocked or opened meanwhile, what it
//! expands later is seen as it is then, but the search may miss ways; a caller that changes the map
//! begins anew, at the latest when the search is exhausted. With [`SearchConfig::blocking`] no way is
//! missed if nodes are only blocked.
//!
//! # Invariants
//! * A parent pointer is set only together with a g-value derived from it, and g-values only fall,
//!   so g falls strictly along parent pointers: they form a tree that ends in a root, at all times.
//! * Without reopening, the parent of a closed node never changes.
//!
//! # Real-time bound
//! An expansion costs a constant number of look-ups and at most one insertion an edge. Stale
//! entries that come to the top are dropped without a charge; each was inserted by an expansion
//! that was charged, so this is constant time amortised. A single expansion can be dearer: when
//! the open list turns to its next bucket, it looks at every entry in it, and on an open map of
//! millions of cells one bucket can hold more than a hundred thousand.

use super::learned::Learned;
use super::open::{Entry, List, Open, OpenList};
use super::pool::Pool;
use super::priority::Priority;
use super::problem::{Problem, Toward};
use super::table::{Paged, Stamp, Stamped, Taken};
use crate::{Cost, Map, NodeId, Skip, Slice};

/// Where a search stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// There are nodes left to expand.
    Working,
    /// The goal is the best of the open list: its path is known.
    Reached,
    /// No node is left and the goal was not met: it cannot be reached.
    Exhausted,
}

/// How a [`BestFirst`] search works.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchConfig {
    /// Which node is expanded next.
    pub priority: Priority,
    /// Which open list keeps them.
    pub open: OpenList,
    /// Whether a closed node to which a cheaper way is found is opened again.
    ///
    /// Off by default. A* never meets such a node. Weighted A* does, and its bound of `w` times the
    /// optimum holds without reopening too, as the estimate is consistent; with reopening it may
    /// expand more nodes than A*, which undoes what the weight is for.
    pub reopen: bool,
    /// Whether nodes may be blocked while the search goes on.
    ///
    /// Off by default: A* then looks at fewer neighbours. With it on, a search that is exhausted has
    /// shown that there is no way on the map as it is now, if no node was opened meanwhile.
    pub blocking: bool,
    /// Whether each search teaches those after it, towards the same goal, better estimates.
    ///
    /// They stay consistent, and never exceed the true distance, as long as nodes are only blocked; a
    /// caller that opens one must say so by [`BestFirst::note_opening`].
    pub learn: bool,
}

/// Neighbours that are taken in together.
const BATCH: usize = 8;

/// What the search knows of a node.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    g: Cost,
    /// The node itself for a root.
    parent: NodeId,
    /// The epoch of the search that touched it last, plus one if it is closed.
    stamp: u32,
}

impl Stamp for Record {
    #[inline]
    fn stamp(&self) -> u32 {
        self.stamp & !1
    }
}

/// A best-first search that can be stopped and resumed, and reused without giving up its memory.
///
/// ```
/// use tickstar::search::{BestFirst, SearchConfig, Status};
/// use tickstar::{Cell, Grid, Slice};
/// let grid = Grid::from_rows(["....", ".##.", "...."])?;
/// let [from, to] = [(0, 1), (3, 1)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
/// let mut search = BestFirst::new(SearchConfig::default());
/// search.start(&grid, from, to);
/// while search.run(&grid, &mut Slice::new(2)) == Status::Working {
///     // do something else in between
/// }
/// assert_eq!(search.path_to(to).unwrap().len(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BestFirst {
    nodes: Stamped<Record>,
    open: List,
    /// Room for the neighbors of a node that has more of them than a batch holds.
    more: Vec<Candidate>,
    learned: Option<Box<Learned>>,
    core: Core,
}

/// The part of the search that does not depend on the kind of open list.
#[derive(Clone, Copy, Debug)]
struct Core {
    config: SearchConfig,
    goal: NodeId,
    /// The goal's key once it has been generated; until then the largest number, which a saturated key can
    /// be too.
    goal_key: u64,
    /// The node that would be expanded next, when the search last stopped.
    best: Option<NodeId>,
    status: Status,
    /// An edge has come since the search began, so no neighbor may be taken for seen.
    opened: bool,
    /// The search does not end at the goal.
    endless: bool,
}

impl BestFirst {
    /// A search with nothing to do yet.
    pub fn new(config: SearchConfig) -> BestFirst {
        let open = List::new(config.open);
        let core = Core {
            config,
            goal: NodeId::default(),
            goal_key: u64::MAX,
            best: None,
            status: Status::Exhausted,
            opened: false,
            endless: false,
        };
        let learned = config.learn.then(Box::default);
        BestFirst { nodes: Stamped::default(), open, more: Vec::new(), learned, core }
    }

    /// Takes memory from this pool from now on.
    pub fn set_pool(&mut self, pool: &Pool) {
        self.nodes.pages_mut().set_pool(pool);
        if let Some(learned) = &mut self.learned {
            learned.set_pool(pool);
        }
    }

    /// Returns the memory of the search, and with it all it has found. What was learned is kept.
    pub(crate) fn release(&mut self) {
        if self.learned.is_none() {
            self.nodes.pages_mut().release();
        }
        self.open.release();
        self.more = Vec::new();
        self.core.status = Status::Exhausted;
        self.core.best = None;
    }

    /// Gives memory that was released back to the allocator, at most so many blocks of it.
    pub(crate) fn reclaim(&mut self, blocks: u64) {
        self.nodes.pages_mut().reclaim(blocks);
    }

    /// Begins a new search from one node to another.
    pub fn start(&mut self, map: &impl Map, root: NodeId, goal: NodeId) {
        self.begin(map, goal, map.estimate(root, goal));
        self.add_root(map, root, Cost::ZERO);
    }

    /// Begins a new search that does not end at a goal, but goes on until no node is left. The nodes on the way to
    /// `toward` are expanded first.
    pub fn explore(&mut self, map: &impl Map, root: NodeId, toward: NodeId) {
        self.begin(map, toward, map.estimate(root, toward));
        self.core.endless = true;
        self.add_root(map, root, Cost::ZERO);
    }

    /// Begins a new search towards a goal, with no root yet, of which the farthest will be about
    /// `from_root` away. Constant time: nothing of the search before is touched.
    ///
    /// If it learns, the heuristic is updated from the search before; all is forgotten if the goal is
    /// another. With a priority other than that of A* this takes constant time amortized: entries of its
    /// second open list that have gone stale may have to be dropped first.
    pub fn begin(&mut self, map: &impl Map, goal: NodeId, from_root: Cost) {
        self.begin_problem(&Toward { map, goal }, goal, from_root);
    }

    /// Adds a node the search begins from, with a cost it has already. A node that is not in the
    /// map, or has a cost beyond 2^63, is no beginning and is left out.
    pub fn add_root(&mut self, map: &impl Map, root: NodeId, g: Cost) {
        self.add_root_of(&Toward { map, goal: self.core.goal }, root, g);
    }

    /// Expands nodes until the goal is the best of the open list, no node is left, or the slice is
    /// spent. Going on where it stopped gives the same as never having stopped.
    pub fn run(&mut self, map: &impl Map, slice: &mut Slice<'_>) -> Status {
        self.run_problem(&Toward { map, goal: self.core.goal }, slice)
    }

    /// As [`BestFirst::start`], for any search problem.
    pub(crate) fn start_problem(&mut self, problem: &impl Problem, root: NodeId, goal: NodeId) {
        self.begin_problem(problem, goal, problem.estimate(root));
        self.add_root_of(problem, root, Cost::ZERO);
    }

    fn begin_problem(&mut self, problem: &impl Problem, goal: NodeId, from_root: Cost) {
        let f = self.least_f();
        let number = self.number();
        if let Some(learned) = &mut self.learned {
            if goal != self.core.goal {
                learned.forget(number);
            }
            learned.conclude(number, f);
            learned.sweep(self.nodes.pages(), number + 1, |record| (record.stamp >> 1, record.g));
        }
        self.nodes.begin();
        if self.number() < number {
            // The numbers of searches begin anew.
            self.learned.iter_mut().for_each(|learned| learned.clear());
        }
        let range = self.core.config.priority.key_range(problem.max_edge_cost(), from_root);
        self.open.clear(range);
        self.core.goal = goal;
        self.core.goal_key = u64::MAX;
        self.core.best = None;
        self.core.status = Status::Working;
        (self.core.opened, self.core.endless) = (false, false);
    }

    fn add_root_of(&mut self, problem: &impl Problem, root: NodeId, g: Cost) {
        let (nodes, learned) = (&mut self.nodes, self.learned.as_deref_mut());
        match &mut self.open {
            List::Heap(open) => self.core.add_root(nodes, open, learned, problem, root, g),
            List::Buckets(open) => self.core.add_root(nodes, open, learned, problem, root, g),
        }
    }

    /// As [`BestFirst::run`], for any search problem.
    pub(crate) fn run_problem(&mut self, problem: &impl Problem, slice: &mut Slice<'_>) -> Status {
        let (nodes, more) = (&mut self.nodes, &mut self.more);
        let learned = self.learned.as_deref_mut();
        match &mut self.open {
            List::Heap(open) => self.core.go_on(nodes, open, learned, more, problem, slice),
            List::Buckets(open) => self.core.go_on(nodes, open, learned, more, problem, slice),
        }
        slice.charge_entries(self.open.take_visited());
        self.core.status
    }

    /// The number of the current search.
    fn number(&self) -> u32 {
        self.nodes.now() >> 1
    }

    /// Reports that an edge has come or grown cheaper. The learned heuristic may then be wrong and is
    /// dropped; and from here on the search under way, which may miss ways over what it has expanded
    /// already, at least generates every neighbor of what it expands. Constant time.
    pub fn note_opening(&mut self) {
        self.core.opened = true;
        self.forget();
    }

    /// Drops what was learned; the search under way will teach nothing either. Constant time.
    pub(crate) fn forget(&mut self) {
        let number = self.number();
        if let Some(learned) = &mut self.learned {
            learned.forget(number);
        }
    }

    /// Raises the heuristic of a node for the searches to come, if this one learns.
    pub(crate) fn raise(&mut self, node: NodeId, h: Cost) {
        if let Some(learned) = &mut self.learned {
            learned.raise(node, h);
        }
    }

    /// The estimate of a node that the current search has met, given that of the space: as
    /// [`BestFirst::estimate`], in less time.
    pub(crate) fn known(&self, node: NodeId, plain: Cost) -> Cost {
        self.learned.as_ref().map_or(plain, |learned| learned.known(node, plain))
    }

    /// No estimate of a node from which there is a way exceeds this, if this search learns.
    pub(crate) fn bound(&self, max_edge: Cost) -> Cost {
        self.learned.as_ref().map_or(Cost::INFINITE, |learned| learned.bound(max_edge))
    }

    /// The open node with the smallest rank, given its estimate; of several the one that would be
    /// expanded first. For A*, whose key tells the estimate. Looks at the whole open list.
    pub(crate) fn best_by(
        &self,
        rank: impl Fn(NodeId, Cost) -> Cost,
        slice: &mut Slice<'_>,
    ) -> Option<NodeId> {
        let mut visited = 0;
        let mut best: Option<(Cost, Entry)> = None;
        let visit = |entry: &Entry| {
            visited += 1;
            if !is_live(self.nodes.pages().get(entry.node()), self.nodes.now(), entry) {
                return;
            }
            let rank = rank(entry.node(), Cost(entry.key) - entry.g);
            let better = |(least, other): (Cost, Entry)| {
                rank < least || rank == least && entry.before(&other)
            };
            if best.is_none_or(better) {
                best = Some((rank, *entry));
            }
        };
        match &self.open {
            List::Heap(open) => open.for_each(visit),
            List::Buckets(open) => open.for_each(visit),
        }
        slice.charge_entries(visited);
        best.map(|(_, entry)| entry.node())
    }

    /// The estimate from a node to the goal of the current search: the space's own, or a greater one
    /// that was learned.
    pub fn estimate(&self, map: &impl Map, node: NodeId) -> Cost {
        let plain = map.estimate(node, self.core.goal);
        match &self.learned {
            Some(learned) => {
                let Record { g, stamp, .. } = self.nodes.pages().get(node);
                learned.estimate(node, plain, (stamp >> 1, g), self.number())
            }
            None => plain,
        }
    }

    /// Where the search stood when it last stopped.
    pub fn status(&self) -> Status {
        self.core.status
    }

    /// The goal of the current search.
    pub fn goal(&self) -> NodeId {
        self.core.goal
    }

    /// The most promising node when the search last stopped: the goal once it is reached, else the
    /// node that would be expanded next.
    pub fn best(&self) -> Option<NodeId> {
        match self.core.status {
            Status::Reached => Some(self.core.goal),
            Status::Working => self.core.best,
            Status::Exhausted => None,
        }
    }

    /// The cost of the way found to a node, if the current search has met it.
    pub fn cost_to(&self, node: NodeId) -> Option<Cost> {
        self.record(node).map(|record| record.g)
    }

    /// The node before this one on the way found to it; none for a root or a node not met.
    #[inline]
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.record(node).map(|record| record.parent).filter(|&parent| parent != node)
    }

    /// Whether the current search has expanded the node.
    pub fn is_closed(&self, node: NodeId) -> bool {
        self.record(node).is_some_and(|record| record.stamp & 1 == 1)
    }

    /// The way found to a node, root first, if the current search has met it.
    pub fn path_to(&self, node: NodeId) -> Option<Vec<NodeId>> {
        self.record(node)?;
        let mut path: Vec<_> =
            std::iter::successors(Some(node), |&node| self.parent(node)).collect();
        path.reverse();
        Some(path)
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        let learned = self.learned.as_ref().map_or(0, |learned| learned.bytes());
        self.nodes.bytes() + self.open.bytes() + learned
    }

    /// The smallest `g + h` on the open list, as far as it is needed for learning. The goal stays on
    /// the list when it is found, so it takes part.
    fn least_f(&mut self) -> Option<Cost> {
        let learned = self.learned.as_deref_mut()?;
        let (nodes, stamp) = (self.nodes.pages(), self.nodes.now());
        let live = |entry: &Entry| is_live(nodes.get(entry.node()), stamp, entry);
        if self.core.config.priority != Priority::ASTAR {
            return learned.least(live);
        }
        let best = match &mut self.open {
            List::Heap(open) => open.best(live),
            List::Buckets(open) => open.best(live),
        };
        best.map(|entry| Cost(entry.key))
    }

    #[inline]
    fn record(&self, node: NodeId) -> Option<&Record> {
        self.nodes.find(node)
    }
}

impl Core {
    fn inserter(&self, stamp: u32) -> Inserter {
        Inserter {
            priority: self.config.priority,
            plain: self.config.priority == Priority::ASTAR,
            reopen: self.config.reopen,
            goal: if self.endless { NodeId::NONE } else { self.goal },
            stamp,
        }
    }

    fn add_root<O: Open>(
        &mut self,
        nodes: &mut Stamped<Record>,
        open: &mut O,
        learned: Option<&mut Learned>,
        problem: &impl Problem,
        root: NodeId,
        g: Cost,
    ) {
        // Costs further on are summed without a check; see the hot loop.
        if !problem.contains(root) || g.0 > 1 << 63 {
            return;
        }
        let candidate = Candidate { to: root, g, h: problem.estimate(root) };
        let (stamp, nodes) = (nodes.now(), nodes.pages_mut());
        self.inserter(stamp).insert(nodes, open, learned, root, &[candidate], &mut self.goal_key);
    }

    /// Expands nodes, with or without learning: two copies of the hot loop, so that a search that does
    /// not learn pays nothing for it.
    fn go_on<O: Open>(
        &mut self,
        nodes: &mut Stamped<Record>,
        open: &mut O,
        learned: Option<&mut Learned>,
        more: &mut Vec<Candidate>,
        problem: &impl Problem,
        slice: &mut Slice<'_>,
    ) {
        let (stamp, nodes) = (nodes.now(), nodes.pages_mut());
        if learned.is_some() {
            self.run::<O, _, true>(nodes, stamp, open, learned, more, problem, slice);
        } else {
            self.run::<O, _, false>(nodes, stamp, open, None, more, problem, slice);
        }
    }

    /// Expands nodes; the hot loop.
    ///
    /// Most neighbors are known already at no greater cost. Finding that out needs one look at a record
    /// and no change, so it is done first, for all neighbors; what is left, two of them on average,
    /// is inserted after. Together in one pass the code for inserting would stand eight times in
    /// the loop, once for each direction, and be too large to be inlined. For the same reason the
    /// settings are copied out of `self`: what does not change in the loop stays in registers. The block of
    /// the node is taken out of the table for as long as it is expanded: nearly all neighbors are in it, and
    /// are found without going down from the root of the table.
    #[inline(never)]
    #[allow(clippy::too_many_arguments)] // the parts of `BestFirst`, which are borrowed apart
    fn run<O: Open, P: Problem, const LEARN: bool>(
        &mut self,
        nodes: &mut Paged<Record>,
        stamp: u32,
        open: &mut O,
        mut learned: Option<&mut Learned>,
        more: &mut Vec<Candidate>,
        problem: &P,
        slice: &mut Slice<'_>,
    ) {
        if self.status != Status::Working {
            return;
        }
        let inserter = self.inserter(stamp);
        // A node that is learned from must have given every neighbor its g.
        let steady = !self.config.blocking && !self.config.learn;
        let skip = if inserter.plain && steady { Skip::Beaten } else { Skip::Seen };
        let opened = self.opened;
        let mut goal_key = self.goal_key;
        let mut candidates = [Candidate::default(); BATCH];
        loop {
            let Some(top) = open.peek(|entry| is_live(nodes.get(entry.node()), stamp, entry))
            else {
                self.best = None;
                self.status = Status::Exhausted;
                break;
            };
            let record = nodes.find_mut(top.node()).expect("an open node has a record");
            if !is_live(*record, stamp, &top) {
                open.pop();
                continue;
            }
            // The goal wins every tie, or a space with a zero estimate could expand for ever
            // without acting on a goal that is already as good as anything else.
            if goal_key <= top.key && is_generated(nodes, stamp, self.goal) {
                self.status = Status::Reached;
                break;
            }
            if !slice.expand(top.node()) {
                self.best = Some(top.node());
                break;
            }
            open.pop();
            let mut taken = nodes.take_block(top.node());
            let record = taken.find_mut(top.node()).expect("an open node has a record");
            record.stamp = stamp | 1;
            // As if the search had begun here: nothing is left out.
            let came_from = if opened { top.node() } else { record.parent };
            let mut count = 0;
            problem.for_each_successor(top.node(), came_from, skip, |to, cost, h| {
                // Cannot overflow: an edge costs less than 2^32, a path has fewer than 2^31 of them
                // (more would not fit into memory), and a root has at most 2^63.
                let g = Cost(top.g.0.wrapping_add(cost.0));
                let record = taken.find(nodes, to);
                if record.is_none_or(|record| record.stamp | 1 != stamp | 1 || g < record.g) {
                    if P::MAX_EDGES > BATCH && count == BATCH {
                        spill(more, Candidate { to, g, h });
                    } else {
                        candidates[count % BATCH] = Candidate { to, g, h };
                        count += 1;
                    }
                }
            });
            let candidates = &candidates[..count.min(BATCH)];
            if LEARN || inserter.reopen {
                nodes.put_block(taken);
                let lessons = if LEARN { learned.as_deref_mut() } else { None };
                inserter.insert(nodes, open, lessons, top.node(), candidates, &mut goal_key);
            } else {
                inserter.insert_near(
                    nodes,
                    &mut taken,
                    open,
                    top.node(),
                    candidates,
                    &mut goal_key,
                );
                nodes.put_block(taken);
            }
            if P::MAX_EDGES > BATCH && !more.is_empty() {
                let lessons = learned.as_deref_mut();
                inserter.insert_more(nodes, open, lessons, top.node(), more, &mut goal_key);
            }
        }
        self.goal_key = goal_key;
    }
}

/// A new or cheaper way to a node: its cost, and the estimate from there.
#[derive(Clone, Copy, Debug, Default)]
struct Candidate {
    to: NodeId,
    g: Cost,
    h: Cost,
}

/// Puts nodes on the open list.
#[derive(Clone, Copy)]
struct Inserter {
    priority: Priority,
    /// The priority is that of A*.
    plain: bool,
    reopen: bool,
    goal: NodeId,
    stamp: u32,
}

impl Inserter {
    /// Takes the new or cheaper ways from a parent to these nodes, as far as the settings let it.
    #[inline(always)]
    fn insert<O: Open>(
        self,
        nodes: &mut Paged<Record>,
        open: &mut O,
        mut learned: Option<&mut Learned>,
        parent: NodeId,
        candidates: &[Candidate],
        goal_key: &mut u64,
    ) {
        for &Candidate { to, g, mut h } in candidates {
            let record = nodes.slot(to);
            if let Some(learned) = learned.as_deref_mut() {
                h = learned.recall(to, h, (record.stamp >> 1, record.g), self.stamp >> 1);
            }
            let Some(key) = self.improve(record, parent, g, h) else {
                if let Some(learned) = learned.as_deref_mut().filter(|_| g < record.g) {
                    learned.pass_over(g, h);
                }
                continue;
            };
            open.push(key, g, to);
            if let Some(learned) = learned.as_deref_mut().filter(|_| !self.plain) {
                let live = |entry: &Entry| is_live(nodes.get(entry.node()), self.stamp, entry);
                learned.opened(to, g, h, live);
            }
            if to == self.goal {
                *goal_key = key;
            }
        }
    }

    /// The same for a search that does not learn, with the block of the parent at hand.
    #[inline(always)]
    fn insert_near<O: Open>(
        self,
        nodes: &mut Paged<Record>,
        near: &mut Taken<Record>,
        open: &mut O,
        parent: NodeId,
        candidates: &[Candidate],
        goal_key: &mut u64,
    ) {
        for &Candidate { to, g, h } in candidates {
            let record = near.slot(nodes, to);
            if let Some(key) = self.improve(record, parent, g, h) {
                open.push(key, g, to);
                if to == self.goal {
                    *goal_key = key;
                }
            }
        }
    }

    /// Writes a way into the record of a node, if it is new or cheaper and the settings allow it. Returns the
    /// key to put the node on the open list with.
    #[inline(always)]
    fn improve(self, record: &mut Record, parent: NodeId, g: Cost, h: Cost) -> Option<u64> {
        let Inserter { priority, plain, reopen, stamp, .. } = self;
        if record.stamp | 1 == stamp | 1 {
            let frozen = record.stamp != stamp && !reopen;
            // A greater cost is found here only where two edges lead to the same node.
            if frozen || !priority.counts_cost() || g >= record.g {
                return None;
            }
        }
        *record = Record { g, parent, stamp };
        // A* is what nearly every search is, and needs no multiplication.
        Some(if plain { (g + h).0 } else { priority.key(g, h) })
    }

    /// Takes in the neighbors that one batch did not hold; no node of a grid has that many.
    #[cold]
    #[inline(never)]
    fn insert_more<O: Open>(
        self,
        nodes: &mut Paged<Record>,
        open: &mut O,
        learned: Option<&mut Learned>,
        parent: NodeId,
        more: &mut Vec<Candidate>,
        goal_key: &mut u64,
    ) {
        self.insert(nodes, open, learned, parent, more, goal_key);
        more.clear();
    }
}

#[cold]
#[inline(never)]
fn spill(more: &mut Vec<Candidate>, candidate: Candidate) {
    more.push(candidate);
}

/// Whether the search has generated the node. Asked when the goal seems to be the best of the open list,
/// which it also seems while it is not there and all keys are saturated.
#[cold]
#[inline(never)]
fn is_generated(nodes: &Paged<Record>, stamp: u32, node: NodeId) -> bool {
    nodes.get(node).stamp() == stamp
}

/// Whether the entry is still what the record says: it is stale when its node has been closed or
/// given a cheaper way since.
#[inline]
fn is_live(record: Record, stamp: u32, entry: &Entry) -> bool {
    record.stamp == stamp && record.g == entry.g
}
