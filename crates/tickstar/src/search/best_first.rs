//! The resumable best-first search: A*, weighted A*, greedy search and Dijkstra's algorithm are settings of this one
//! loop.
//!
//! It may stop after any expansion and continue later with the same result, and it borrows the space for one call at a
//! time. The goal counts as found as soon as nothing on the open list has a smaller key, so no expansion is spent on
//! it.
//!
//! A search is valid for the map as it was at the start. If a node is blocked or opened later, subsequent expansions
//! see the current map, but the search may miss paths; a caller that changes the map must start a new search, at the
//! latest when this one is exhausted. With [`SearchConfig::blocking`], no path is missed if nodes are only blocked.
//!
//! # Invariants
//! * A parent pointer is set only together with a g-value derived from it, and g-values only decrease, so g decreases
//!   strictly along parent pointers: they form a tree that ends in a root, at all times.
//! * Without reopening, the parent of a closed node never changes.
//!
//! # Real-time bound
//! An expansion takes a constant number of lookups and at most one insertion per edge. Stale entries that reach the top
//! are dropped without a charge; each was inserted by an expansion that was charged, so this takes amortized constant
//! time. While they wait, large buckets of the open list are swept, so that few are met at once; if there are many, a
//! slice that pays for all work pays for them, and may end there.

use super::learned::Learned;
use super::open::{List, Open, OpenEntry, OpenList};
use super::pool::Pool;
use super::priority::Priority;
use super::problem::{Problem, Toward};
use super::table::{Paged, Stamp, Stamped};
use crate::{Cost, Map, NodeId, Skip, Slice};

/// The state of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// There are nodes left to expand.
    Working,
    /// The goal is the best node of the open list: its path is known.
    Reached,
    /// No node is left and the goal was not generated: it is unreachable.
    Exhausted,
}

/// Which neighbors of an expanded node a search generates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Successors {
    /// All that can matter to the order of expansions.
    #[default]
    All,
    /// Of the optimal paths that differ only in the order of straight and diagonal steps, only the one with its
    /// diagonal steps first. The open list is shorter and the search faster, and paths are as cheap, but among equally
    /// cheap ones a different one may be found.
    ///
    /// It applies to A* on a [`Grid`](crate::Grid) without terrain, on a map that does not change during a search;
    /// everything else generates all successors. In particular, it is ignored with other priorities, with
    /// [`SearchConfig::blocking`] and with [`SearchConfig::learn`].
    Canonical,
}

/// The settings of a [`BestFirst`] search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchConfig {
    /// Which node is expanded next.
    pub priority: Priority,
    /// Which open list is used.
    pub open: OpenList,
    /// Whether a closed node is reopened when a cheaper path to it is found.
    ///
    /// Off by default. This never happens in A*. It does in weighted A*, whose bound of `w` times the optimum holds
    /// without reopening too, as the heuristic is consistent; with reopening it may expand more nodes than A*, which
    /// defeats the purpose of the weight.
    pub reopen: bool,
    /// Whether nodes may be blocked while the search is in progress.
    ///
    /// Off by default: A* then generates fewer neighbors. If it is on, an exhausted search proves that no path exists
    /// on the current map, provided that no node was opened in the meantime.
    pub blocking: bool,
    /// Which neighbors are generated.
    pub successors: Successors,
    /// Whether each search improves the heuristic for later searches toward the same goal.
    ///
    /// The learned heuristic stays consistent, and never exceeds the true distance, as long as nodes are only blocked;
    /// a caller that opens one must report it with [`BestFirst::note_opening`].
    pub learn: bool,
}

/// The number of neighbors collected before they are processed.
const BATCH: usize = 8;

/// The key of a goal that has not been generated. Keys saturate at the same value, so that of a generated goal is kept
/// below it.
const NOT_GENERATED: u64 = u64::MAX;

/// The search's data for a node.
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

/// A best-first search that can be stopped and resumed, and reused without releasing its memory.
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
    /// Scratch for the neighbors of a node that has more of them than a batch holds.
    more: Vec<Candidate>,
    learned: Option<Box<Learned>>,
    core: Core,
}

/// The part of the search that does not depend on the kind of open list.
#[derive(Clone, Copy, Debug)]
struct Core {
    config: SearchConfig,
    goal: NodeId,
    /// The goal's key, or [`NOT_GENERATED`].
    goal_key: u64,
    /// The node that would have been expanded next when the search last stopped.
    best: Option<NodeId>,
    status: Status,
    /// The map has changed since the search started in a way that does not allow any neighbor to be omitted.
    thorough: bool,
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
            goal_key: NOT_GENERATED,
            best: None,
            status: Status::Exhausted,
            thorough: false,
            endless: false,
        };
        let learned = config.learn.then(Box::default);
        BestFirst { nodes: Stamped::default(), open, more: Vec::new(), learned, core }
    }

    /// Allocates from this pool from now on. A search in progress ends, and what was learned is discarded.
    pub fn set_pool(&mut self, pool: &Pool) {
        self.nodes.pages_mut().set_pool(pool);
        self.forget();
        if let Some(learned) = &mut self.learned {
            learned.set_pool(pool);
        }
        self.open.set_pool(pool);
        (self.core.status, self.core.best) = (Status::Exhausted, None);
    }

    /// Returns the memory of the search, which discards its result. The learned heuristic is kept.
    pub(crate) fn release(&mut self) {
        if self.learned.is_none() {
            self.nodes.pages_mut().release();
        }
        self.open.release();
        self.more = Vec::new();
        self.core.status = Status::Exhausted;
        self.core.best = None;
    }

    /// Whether released memory has yet to be returned to the allocator.
    #[inline]
    pub(crate) fn has_released(&self) -> bool {
        self.nodes.pages().has_released() || self.open.has_released()
    }

    /// Returns released blocks to the allocator, at most this many. Returns how many.
    pub(crate) fn reclaim(&mut self, blocks: u64) -> u64 {
        match self.nodes.pages_mut().reclaim(blocks) {
            0 => self.open.reclaim(blocks),
            freed => freed,
        }
    }

    /// Starts a new search from one node to another.
    pub fn start(&mut self, map: &impl Map, root: NodeId, goal: NodeId) {
        self.begin(map, goal, map.estimate(root, goal));
        self.add_root(map, root, Cost::ZERO);
    }

    /// Starts a new search that does not end at a goal, but continues until no node is left. Nodes on the way to
    /// `toward` are expanded first.
    pub fn explore(&mut self, map: &impl Map, root: NodeId, toward: NodeId) {
        self.begin(map, toward, map.estimate(root, toward));
        self.core.endless = true;
        self.add_root(map, root, Cost::ZERO);
    }

    /// Starts a new search toward a goal, without a root yet; the heuristic of the farthest root will be about
    /// `from_root`. Constant time: the data of the previous search are not touched.
    ///
    /// If the search learns, the heuristic is updated from the previous search. If the goal differs, the learned
    /// heuristic `h` is corrected, for a goal `g'`, to `max(h₀(s, g'), h(s) − h(g'))`, where `h₀` is that of the map:
    /// Moving Target Adaptive A*. For maps whose heuristic obeys the triangle inequality, as those of
    /// [`Grid`](crate::Grid) and [`Graph`](crate::Graph) do, it stays consistent. With a priority other than that of A*
    /// this takes amortized constant time: stale entries of its second open list may have to be dropped first.
    pub fn begin(&mut self, map: &impl Map, goal: NodeId, from_root: Cost) {
        let old = self.core.goal;
        let number = self.number();
        let has_lessons = self.learned.as_ref().is_some_and(|learned| learned.has_lessons(number));
        let keep = has_lessons && old.index() < map.size();
        self.begin_problem(&Toward { map, goal }, goal, from_root, keep);
        let now = self.number();
        if let Some(learned) = self.learned.as_mut().filter(|_| keep && old != goal) {
            let Record { g, stamp, .. } = self.nodes.pages().get(goal);
            let h = learned.estimate(goal, map.estimate(goal, old), (stamp >> 1, g), now);
            learned.move_goal(map, old, goal, h);
        }
    }

    /// Adds a root with an initial cost. A node that is not in the map, or has a cost beyond 2^63, is ignored.
    pub fn add_root(&mut self, map: &impl Map, root: NodeId, g: Cost) {
        self.add_root_of(&Toward { map, goal: self.core.goal }, root, g);
    }

    /// Expands nodes until the goal is the best node of the open list, no node is left, or the slice is spent. The
    /// result does not depend on where the search was stopped and resumed.
    pub fn run(&mut self, map: &impl Map, slice: &mut Slice<'_>) -> Status {
        self.run_problem(&Toward { map, goal: self.core.goal }, slice)
    }

    /// Like [`BestFirst::start`], for any search problem.
    pub(crate) fn start_problem(&mut self, problem: &impl Problem, root: NodeId, goal: NodeId) {
        self.begin_problem(problem, goal, problem.estimate(root), false);
        self.add_root_of(problem, root, Cost::ZERO);
    }

    /// `keep` keeps what was learned although the goal has moved; it must then be corrected.
    fn begin_problem(&mut self, problem: &impl Problem, goal: NodeId, from_root: Cost, keep: bool) {
        let f = self.least_f();
        let number = self.number();
        if let Some(learned) = &mut self.learned {
            if goal != self.core.goal && !keep {
                learned.forget(number);
            }
            learned.conclude(number, f);
            learned.sweep(self.nodes.pages(), number + 1, |record| (record.stamp >> 1, record.g));
        }
        self.nodes.begin();
        if self.number() < number {
            // The numbering of searches restarts.
            self.learned.iter_mut().for_each(|learned| learned.clear());
        }
        let range = self.core.config.priority.key_range(problem.max_edge_cost(), from_root);
        self.open.clear(range);
        self.core.goal = goal;
        self.core.goal_key = NOT_GENERATED;
        self.core.best = None;
        self.core.status = Status::Working;
        (self.core.thorough, self.core.endless) = (false, false);
    }

    fn add_root_of(&mut self, problem: &impl Problem, root: NodeId, g: Cost) {
        let (nodes, learned) = (&mut self.nodes, self.learned.as_deref_mut());
        match &mut self.open {
            List::Heap(open) => self.core.add_root(nodes, open, learned, problem, root, g),
            List::Buckets(open) => self.core.add_root(nodes, open, learned, problem, root, g),
        }
    }

    /// Lets the search in progress end at a different goal: see [`Problem::revise`].
    pub(crate) fn set_goal(&mut self, problem: &impl Problem, goal: NodeId) {
        self.core.goal = goal;
        self.core.goal_key = NOT_GENERATED;
        let Some(&Record { g, stamp, .. }) = self.record(goal) else { return };
        if stamp & 1 == 1 {
            self.core.status = Status::Reached;
        } else {
            let key = self.core.config.priority.key(g, problem.estimate(goal));
            self.core.goal_key = key.min(NOT_GENERATED - 1);
        }
    }

    /// Like [`BestFirst::run`], for any search problem.
    pub(crate) fn run_problem(&mut self, problem: &impl Problem, slice: &mut Slice<'_>) -> Status {
        let (nodes, more) = (&mut self.nodes, &mut self.more);
        let learned = self.learned.as_deref_mut();
        match &mut self.open {
            List::Heap(open) => self.core.go_on(nodes, open, learned, more, problem, slice),
            List::Buckets(open) => self.core.go_on(nodes, open, learned, more, problem, slice),
        }
        self.core.status
    }

    /// The number of the current search.
    fn number(&self) -> u32 {
        self.nodes.now() >> 1
    }

    /// Reports that an edge has appeared or become cheaper. The learned heuristic may then be wrong and is discarded.
    /// The search in progress may miss paths over nodes that it has already expanded, but from now on it generates
    /// every neighbor of the nodes it expands. Constant time.
    pub fn note_opening(&mut self) {
        self.core.thorough = true;
        self.forget();
    }

    /// Reports that an edge has disappeared or become more expensive. A search for canonical paths generates every
    /// neighbor from now on.
    pub(crate) fn note_blocking(&mut self) {
        self.core.thorough |= self.core.config.successors == Successors::Canonical;
    }

    /// Discards the learned heuristic; the search in progress will contribute no update either. Constant time.
    pub(crate) fn forget(&mut self) {
        let number = self.number();
        if let Some(learned) = &mut self.learned {
            learned.forget(number);
        }
    }

    /// Raises the heuristic of a node for later searches, if this one learns.
    pub(crate) fn raise(&mut self, node: NodeId, h: Cost) {
        if let Some(learned) = &mut self.learned {
            learned.raise(node, h);
        }
    }

    /// The heuristic of a node that the current search has generated, given that of the space: like
    /// [`BestFirst::estimate`], but faster.
    pub(crate) fn known(&self, node: NodeId, plain: Cost) -> Cost {
        self.learned.as_ref().map_or(plain, |learned| learned.known(node, plain))
    }

    /// No heuristic of a node with a path to the goal exceeds this, if this search learns.
    pub(crate) fn bound(&self, max_edge: Cost) -> Cost {
        self.learned.as_ref().map_or(Cost::INFINITE, |learned| learned.bound(max_edge))
    }

    /// The open node with the smallest rank, given its heuristic; among several, the one that would be expanded first.
    /// For A* only, whose key determines the heuristic. Visits the whole open list.
    pub(crate) fn best_by(
        &self,
        rank: impl Fn(NodeId, Cost) -> Cost,
        slice: &mut Slice<'_>,
    ) -> Option<NodeId> {
        let mut visited = 0;
        let mut best: Option<(Cost, OpenEntry)> = None;
        let visit = |entry: &OpenEntry| {
            visited += 1;
            if !is_live(self.nodes.pages().get(entry.node()), self.nodes.now(), entry) {
                return;
            }
            let rank = rank(entry.node(), Cost(entry.key) - entry.g);
            let better = |(least, other): (Cost, OpenEntry)| {
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

    /// The heuristic from a node to the goal of the current search: that of the space, or a larger learned one.
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

    /// The state of the search when it last stopped.
    pub fn status(&self) -> Status {
        self.core.status
    }

    /// The goal of the current search.
    pub fn goal(&self) -> NodeId {
        self.core.goal
    }

    /// The most promising node when the search last stopped: the goal once it is reached, else the node that would be
    /// expanded next. (If the budget ended among many stale entries of the open list, that is not known yet, and it is
    /// a node that was generated lately.)
    pub fn best(&self) -> Option<NodeId> {
        match self.core.status {
            Status::Reached => Some(self.core.goal),
            Status::Working => self.core.best,
            Status::Exhausted => None,
        }
    }

    /// The cost of the path found to a node, if the current search has generated it.
    pub fn cost_to(&self, node: NodeId) -> Option<Cost> {
        self.record(node).map(|record| record.g)
    }

    /// The predecessor of a node on the path found to it; `None` for a root or a node that was not generated.
    #[inline]
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.record(node).map(|record| record.parent).filter(|&parent| parent != node)
    }

    /// Whether the current search has expanded the node.
    pub fn is_closed(&self, node: NodeId) -> bool {
        self.record(node).is_some_and(|record| record.stamp & 1 == 1)
    }

    /// The path found to a node, root first, if the current search has generated it.
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

    /// The smallest `g + h` on the open list, as needed for learning. The goal stays on the list when it is found, so
    /// it is included.
    fn least_f(&mut self) -> Option<Cost> {
        let learned = self.learned.as_deref_mut()?;
        let (nodes, stamp) = (self.nodes.pages(), self.nodes.now());
        let live = |entry: &OpenEntry| is_live(nodes.get(entry.node()), stamp, entry);
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
        // Later sums of costs are not checked for overflow; see the hot loop.
        if !problem.contains(root) || g.0 > 1 << 63 {
            return;
        }
        let candidate = Candidate { to: root, g, h: problem.estimate(root) };
        let (stamp, nodes) = (nodes.now(), nodes.pages_mut());
        let (inserter, admit) = (self.inserter(stamp), |_, _, h| Some(h));
        inserter.insert(nodes, open, learned, root, &[candidate], admit, &mut self.goal_key);
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
            self.run::<O, _, true>(nodes, stamp, open, learned, more, *problem, slice);
        } else {
            self.run::<O, _, false>(nodes, stamp, open, None, more, *problem, slice);
        }
    }

    /// Expands nodes; the hot loop.
    ///
    /// Most neighbors have already been generated at no greater cost. Detecting that needs one read of a record and no
    /// write, so it is done first, for all neighbors; the rest, two of them on average, are inserted afterwards. In a
    /// single pass, the insertion code would occur eight times in the loop, once per direction, and be too large to be
    /// inlined. For the same reason the settings are copied out of `self`: loop invariants stay in registers. The problem
    /// is passed by value: behind a reference, the compiler would have to load the map's fields again for each node.
    #[inline(never)]
    #[allow(clippy::too_many_arguments)] // the fields of `BestFirst`, borrowed separately
    fn run<O: Open, P: Problem, const LEARN: bool>(
        &mut self,
        nodes: &mut Paged<Record>,
        stamp: u32,
        open: &mut O,
        mut learned: Option<&mut Learned>,
        more: &mut Vec<Candidate>,
        problem: P,
        slice: &mut Slice<'_>,
    ) {
        if self.status != Status::Working {
            return;
        }
        let inserter = self.inserter(stamp);
        // If the search learns, every neighbor of an expanded node must have been offered its g.
        let steady = !self.config.blocking && !self.config.learn;
        let skip = match self.config.successors {
            _ if !inserter.plain || !steady => Skip::Seen,
            Successors::All => Skip::Beaten,
            Successors::Canonical => Skip::Canonical,
        };
        let thorough = self.thorough;
        let mut goal_key = self.goal_key;
        let mut candidates = [Candidate { to: NodeId::NONE, ..Candidate::default() }; BATCH];
        loop {
            let Some(top) = open.peek(|entry| is_live(nodes.get(entry.node()), stamp, entry))
            else {
                if open.is_empty() {
                    self.best = None;
                    self.status = Status::Exhausted;
                    break;
                }
                // Many entries in a row have been stale.
                if !slice.drop_stale(open.dropped()) {
                    let is_generated = |node: &NodeId| nodes.get(*node).stamp | 1 == stamp | 1;
                    self.best = Some(candidates[0].to).filter(is_generated).or(self.best);
                    break;
                }
                continue;
            };
            let record = nodes.find_mut(top.node()).expect("an open node has a record");
            if !is_live(*record, stamp, &top) {
                open.pop();
                continue;
            }
            if P::MOVING {
                let h = problem.revise(top.node(), top.g);
                let key = h.map(|h| inserter.priority.key(top.g, h));
                if key != Some(top.key) {
                    if !slice.update(top.node()) {
                        self.best = Some(top.node());
                        break;
                    }
                    open.pop();
                    if let Some(key) = key {
                        open.push(key, top.g, top.node());
                    }
                    continue;
                }
            }
            // The goal wins every tie; otherwise, with a zero heuristic, the search could keep expanding nodes although
            // the goal is already as good as any of them.
            if goal_key <= top.key && goal_key != NOT_GENERATED {
                self.status = Status::Reached;
                break;
            }
            if !slice.expand(top.node()) {
                self.best = Some(top.node());
                break;
            }
            open.pop();
            record.stamp = stamp | 1;
            // As if the search had started here: no neighbor is omitted.
            let came_from = if thorough { top.node() } else { record.parent };
            let mut count = 0;
            let near = nodes.near(top.node());
            problem.for_each_successor(top.node(), came_from, skip, |to, cost, h| {
                // Cannot overflow: an edge costs less than 2^32, a path has fewer than 2^31 of them
                // (more would not fit into memory), and a root has at most 2^63.
                let g = Cost(top.g.0.wrapping_add(cost.0));
                let improves = near.find(to).is_none_or(|record| {
                    let is_new = record.stamp | 1 != stamp | 1;
                    if P::PREDICTABLE { is_new || g < record.g } else { is_new | (g < record.g) }
                });
                if P::MAX_EDGES > BATCH && count == BATCH {
                    if improves {
                        spill(more, Candidate { to, g, h });
                    }
                } else if !P::PREDICTABLE {
                    // Without a branch.
                    candidates[count % BATCH] = Candidate { to, g, h };
                    count += usize::from(improves);
                } else if improves {
                    candidates[count % BATCH] = Candidate { to, g, h };
                    count += 1;
                }
            });
            let candidates = &candidates[..count.min(BATCH)];
            let admit = |to, g, h| problem.admit(to, g, h); // not the closure below, so that each is inlined
            let learning = if LEARN { learned.as_deref_mut() } else { None };
            inserter.insert(nodes, open, learning, top.node(), candidates, admit, &mut goal_key);
            if P::MAX_EDGES > BATCH && !more.is_empty() {
                let lessons = learned.as_deref_mut();
                let admit = |to, g, h| problem.admit(to, g, h);
                inserter.insert_more(nodes, open, lessons, top.node(), more, admit, &mut goal_key);
            }
        }
        self.goal_key = goal_key;
    }
}

/// A new or cheaper path to a node: its cost, and the heuristic there.
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
    /// Takes the new or cheaper paths from a parent to these nodes, as far as the settings and `admit` permit: see
    /// [`Problem::admit`].
    #[inline(always)]
    #[allow(clippy::too_many_arguments)] // as for `run`
    fn insert<O: Open>(
        self,
        nodes: &mut Paged<Record>,
        open: &mut O,
        mut learned: Option<&mut Learned>,
        parent: NodeId,
        candidates: &[Candidate],
        admit: impl Fn(NodeId, Cost, Cost) -> Option<Cost>,
        goal_key: &mut u64,
    ) {
        let Inserter { priority, plain, reopen, goal, stamp } = self;
        for &Candidate { to, g, h } in candidates {
            let Some(mut h) = admit(to, g, h) else { continue };
            // Written out: `slot` looks twice.
            let record = match nodes.find_mut(to) {
                Some(record) => record,
                None => nodes.touched(to),
            };
            if let Some(learned) = learned.as_deref_mut() {
                h = learned.recall(to, h, (record.stamp >> 1, record.g), stamp >> 1);
            }
            let mut compact = false;
            if record.stamp | 1 == stamp | 1 {
                let frozen = record.stamp != stamp && !reopen;
                // A greater cost occurs here only if two edges lead to the same node.
                if frozen || !priority.counts_cost() || g >= record.g {
                    if let Some(learned) = learned.as_deref_mut().filter(|_| g < record.g) {
                        learned.pass_over(g, h);
                    }
                    continue;
                }
                // The entry with the greater cost is stale now.
                let g = record.g;
                compact = open.note_stale(if plain { (g + h).0 } else { priority.key(g, h) });
            }
            *record = Record { g, parent, stamp };
            // Nearly every search is A*, which needs no multiplication.
            let key = if plain { (g + h).0 } else { priority.key(g, h) };
            let live = |entry: &OpenEntry| is_live(nodes.get(entry.node()), stamp, entry);
            if open.insert(key, g, to) | compact {
                open.compact(live);
            }
            if let Some(learned) = learned.as_deref_mut().filter(|_| !plain) {
                learned.opened(to, g, h, live);
            }
            if to == goal {
                *goal_key = key.min(NOT_GENERATED - 1);
            }
        }
    }

    /// Processes the neighbors that do not fit into one batch; no node of a grid has that many.
    #[cold]
    #[inline(never)]
    #[allow(clippy::too_many_arguments)] // as for `run`
    fn insert_more<O: Open>(
        self,
        nodes: &mut Paged<Record>,
        open: &mut O,
        learned: Option<&mut Learned>,
        parent: NodeId,
        more: &mut Vec<Candidate>,
        admit: impl Fn(NodeId, Cost, Cost) -> Option<Cost>,
        goal_key: &mut u64,
    ) {
        self.insert(nodes, open, learned, parent, more, admit, goal_key);
        more.clear();
    }
}

#[cold]
#[inline(never)]
fn spill(more: &mut Vec<Candidate>, candidate: Candidate) {
    more.push(candidate);
}

/// Whether the entry is still current: it is stale if its node has been closed since, or a cheaper path to it was
/// found.
#[inline]
fn is_live(record: Record, stamp: u32, entry: &OpenEntry) -> bool {
    record.stamp == stamp && record.g == entry.g
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::UNIT;
    use crate::{Cell, Grid};

    /// In unit tests, few entries are dropped at a time.
    #[test]
    fn stale_entries_are_dropped_within_the_budget() {
        let mut interrupted = 0;
        for seed in 1_u64..9 {
            let blocked = |x: u64, y: u64| {
                (seed * 9_770_001 + y * 256 + x).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60 == 0
            };
            let row = |y| (0..256).map(|x| if blocked(x, y) { '#' } else { '.' }).collect();
            let rows: Vec<String> = (0..256).map(row).collect();
            let mut grid = Grid::from_rows(&rows).unwrap();
            for end in [Cell::new(1, 1), Cell::new(250, 130)] {
                grid.set_free(end, true).unwrap();
            }
            let [from, to] = [(1, 1), (250, 130)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
            let mut whole = BestFirst::new(SearchConfig::default());
            whole.start(&grid, from, to);
            let mut slice = Slice::unlimited();
            whole.run(&grid, &mut slice);
            let expansions = slice.expansions();
            let mut search = BestFirst::new(SearchConfig::default());
            search.start(&grid, from, to);
            let mut total = 0;
            loop {
                let mut slice = Slice::metered(1);
                let status = search.run(&grid, &mut slice);
                total += slice.expansions();
                if status != Status::Working {
                    break;
                }
                interrupted += u32::from(slice.expansions() == 0);
                assert!(slice.spent() <= UNIT, "{} spent", slice.spent());
                assert!(search.best().is_some_and(|node| search.path_to(node).is_some()));
            }
            assert_eq!((total, search.path_to(to)), (expansions, whole.path_to(to)));
        }
        assert!(interrupted > 0);
    }
}
