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
use super::paged::Paged;
use super::priority::Priority;
use crate::{Cost, NodeId, Skip, Slice, Space};

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
    /// Twice the number of the search that touched it last, plus one if it is closed. A new search
    /// makes all older records void by counting up.
    stamp: u32,
}

/// A best-first search that can be stopped and resumed, and reused without giving up its memory.
///
/// ```
/// use tickstar::{BestFirst, Cell, Grid, SearchConfig, Slice, Status};
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
    nodes: Paged<Record>,
    open: List,
    /// Room for the neighbours of a node that has more of them than a batch holds.
    more: Vec<News>,
    learned: Option<Box<Learned>>,
    core: Core,
}

/// The part of the search that does not depend on the kind of open list.
#[derive(Clone, Copy, Debug)]
struct Core {
    config: SearchConfig,
    goal: NodeId,
    /// The goal's key; the largest number until it has been met.
    goal_key: u64,
    /// The stamp of an open node in the current search; always even.
    stamp: u32,
    /// The node that would be expanded next, when the search last stopped.
    best: Option<NodeId>,
    status: Status,
    /// An edge has come since the search began, so no neighbour may be taken for seen.
    opened: bool,
}

impl BestFirst {
    /// A search with nothing to do yet.
    pub fn new(config: SearchConfig) -> BestFirst {
        let open = List::new(config.open);
        let core = Core {
            config,
            goal: NodeId::default(),
            goal_key: u64::MAX,
            stamp: 0,
            best: None,
            status: Status::Exhausted,
            opened: false,
        };
        let learned = config.learn.then(Box::default);
        BestFirst { nodes: Paged::default(), open, more: Vec::new(), learned, core }
    }

    /// Begins a new search from one node to another.
    pub fn start(&mut self, space: &impl Space, root: NodeId, goal: NodeId) {
        self.begin(space, goal, space.estimate(root, goal));
        self.add_root(space, root, Cost::ZERO);
    }

    /// Begins a new search towards a goal, with no root yet, of which the farthest will be about
    /// `from_root` away. Constant time: nothing of the search before is touched.
    ///
    /// If it learns, the search before has taught what it can; all is forgotten if the goal is another.
    /// With a priority other than that of A* this takes constant time amortised: entries of its second
    /// open list that have gone stale may have to be dropped first.
    pub fn begin(&mut self, space: &impl Space, goal: NodeId, from_root: Cost) {
        self.nodes.cover(space.size());
        let f = self.least_f();
        if let Some(learned) = &mut self.learned {
            learned.cover(space.size());
            if goal != self.core.goal {
                learned.forget(self.core.number());
            }
            learned.conclude(self.core.number(), f);
        }
        self.core.stamp = self.core.stamp.wrapping_add(2);
        if self.core.stamp == 0 {
            self.nodes.clear();
            self.learned.iter_mut().for_each(|learned| learned.clear());
            self.core.stamp = 2;
        }
        let range = self.core.config.priority.key_range(space.max_edge_cost(), from_root);
        self.open.clear(range);
        self.core.goal = goal;
        self.core.goal_key = u64::MAX;
        self.core.best = None;
        self.core.status = Status::Exhausted;
        self.core.opened = false;
    }

    /// Adds a node the search begins from, with a cost it has already. A node that is not in the
    /// space, or has a cost beyond 2^63, is no beginning and is left out.
    pub fn add_root(&mut self, space: &impl Space, root: NodeId, g: Cost) {
        let (nodes, learned) = (&mut self.nodes, self.learned.as_deref_mut());
        match &mut self.open {
            List::Heap(open) => self.core.add_root(nodes, open, learned, space, root, g),
            List::Buckets(open) => self.core.add_root(nodes, open, learned, space, root, g),
        }
    }

    /// Expands nodes until the goal is the best of the open list, no node is left, or the slice is
    /// spent. Going on where it stopped gives the same as never having stopped.
    pub fn run(&mut self, space: &impl Space, slice: &mut Slice<'_>) -> Status {
        let (nodes, more) = (&mut self.nodes, &mut self.more);
        let learned = self.learned.as_deref_mut();
        match &mut self.open {
            List::Heap(open) => self.core.go_on(nodes, open, learned, more, space, slice),
            List::Buckets(open) => self.core.go_on(nodes, open, learned, more, space, slice),
        }
        self.core.status
    }

    /// Tells the search that an edge has come or grown cheaper. All lessons may then be wrong and are
    /// dropped; and from here on the search under way, which may miss ways over what it has expanded
    /// already, at least looks at every edge of what it expands. Constant time.
    pub fn note_opening(&mut self) {
        self.core.opened = true;
        self.forget();
    }

    /// Drops what was learned; the search under way will teach nothing either. Constant time.
    pub(crate) fn forget(&mut self) {
        if let Some(learned) = &mut self.learned {
            learned.forget(self.core.number());
        }
    }

    /// Raises the estimate of a node for the searches to come, if this one learns.
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
    pub(crate) fn bound(&self, space: &impl Space) -> Cost {
        let learned = self.learned.as_ref();
        learned.map_or(Cost::INFINITE, |learned| learned.bound(space.max_edge_cost()))
    }

    /// The open node with the smallest rank, given its estimate; of several the one that would be
    /// expanded first. For A*, whose key tells the estimate. Looks at the whole open list.
    pub(crate) fn best_by(&self, rank: impl Fn(NodeId, Cost) -> Cost) -> Option<NodeId> {
        let mut best: Option<(Cost, Entry)> = None;
        let visit = |entry: &Entry| {
            if !is_live(self.nodes.get(entry.node()), self.core.stamp, entry) {
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
        best.map(|(_, entry)| entry.node())
    }

    /// The estimate from a node to the goal of the current search: the space's own, or a greater one
    /// that was learned.
    pub fn estimate(&self, space: &impl Space, node: NodeId) -> Cost {
        let plain = space.estimate(node, self.core.goal);
        match &self.learned {
            Some(learned) => {
                let Record { g, stamp, .. } = self.nodes.get(node);
                learned.estimate(node, plain, (stamp >> 1, g), self.core.number())
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
        self.record(node).is_some_and(|record| record.stamp == self.core.stamp | 1)
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
        let (nodes, stamp) = (&self.nodes, self.core.stamp);
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
    fn record(&self, node: NodeId) -> Option<Record> {
        let record = self.nodes.get(node);
        (record.stamp & !1 == self.core.stamp && record.stamp != 0).then_some(record)
    }
}

impl Core {
    /// The number of the current search, from one.
    fn number(&self) -> u32 {
        self.stamp >> 1
    }

    fn inserter(&self) -> Inserter {
        Inserter {
            priority: self.config.priority,
            plain: self.config.priority == Priority::ASTAR,
            reopen: self.config.reopen,
            goal: self.goal,
            stamp: self.stamp,
        }
    }

    fn add_root<O: Open>(
        &mut self,
        nodes: &mut Paged<Record>,
        open: &mut O,
        learned: Option<&mut Learned>,
        space: &impl Space,
        root: NodeId,
        g: Cost,
    ) {
        // Costs further on are summed without a check; see the hot loop.
        if !space.contains(root) || g.0 > 1 << 63 {
            return;
        }
        self.status = Status::Working;
        let news = News { to: root, g, h: space.estimate(root, self.goal) };
        self.inserter().insert(nodes, open, learned, root, &[news], &mut self.goal_key);
    }

    /// Expands nodes, with or without learning: two copies of the hot loop, so that a search that does
    /// not learn pays nothing for it.
    fn go_on<O: Open>(
        &mut self,
        nodes: &mut Paged<Record>,
        open: &mut O,
        learned: Option<&mut Learned>,
        more: &mut Vec<News>,
        space: &impl Space,
        slice: &mut Slice<'_>,
    ) {
        if learned.is_some() {
            self.run::<O, _, true>(nodes, open, learned, more, space, slice);
        } else {
            self.run::<O, _, false>(nodes, open, None, more, space, slice);
        }
    }

    /// Expands nodes; the hot loop.
    ///
    /// Most neighbours are known already at no greater cost. Telling so needs one look at a record
    /// and no change, so it is done first, for all neighbours; what is left, two of them on average,
    /// is inserted after. Together in one pass the code for inserting would stand eight times in
    /// the loop, once for each direction, and be too large to be inlined. For the same reason the
    /// settings are copied out of `self`: what does not change in the loop stays in registers.
    #[inline(never)]
    fn run<O: Open, S: Space, const LEARN: bool>(
        &mut self,
        nodes: &mut Paged<Record>,
        open: &mut O,
        mut learned: Option<&mut Learned>,
        more: &mut Vec<News>,
        space: &S,
        slice: &mut Slice<'_>,
    ) {
        if self.status != Status::Working {
            return;
        }
        let inserter = self.inserter();
        let (stamp, goal) = (self.stamp, self.goal);
        // A node that is learned from must have given every neighbour its g.
        let steady = !self.config.blocking && !self.config.learn;
        let skip = if inserter.plain && steady { Skip::Beaten } else { Skip::Seen };
        let opened = self.opened;
        let mut goal_key = self.goal_key;
        let mut news = [News::default(); BATCH];
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
            if goal_key <= top.key {
                self.status = Status::Reached;
                break;
            }
            if !slice.expand(top.node()) {
                self.best = Some(top.node());
                break;
            }
            open.pop();
            record.stamp = stamp | 1;
            // As if the search had begun here: nothing is left out.
            let came_from = if opened { top.node() } else { record.parent };
            let mut count = 0;
            let near = nodes.near(top.node());
            space.for_each_edge_onward(top.node(), came_from, goal, skip, |to, cost, h| {
                // Cannot overflow: an edge costs less than 2^32, a path has fewer than 2^31 of them
                // (more would not fit into memory), and a root has at most 2^63.
                let g = Cost(top.g.0.wrapping_add(cost.0));
                let record = near.find(to);
                if record.is_none_or(|record| record.stamp | 1 != stamp | 1 || g < record.g) {
                    if S::MAX_EDGES > BATCH && count == BATCH {
                        spill(more, News { to, g, h });
                    } else {
                        news[count % BATCH] = News { to, g, h };
                        count += 1;
                    }
                }
            });
            let news = &news[..count.min(BATCH)];
            let lessons = if LEARN { learned.as_deref_mut() } else { None };
            inserter.insert(nodes, open, lessons, top.node(), news, &mut goal_key);
            if S::MAX_EDGES > BATCH && !more.is_empty() {
                let lessons = learned.as_deref_mut();
                inserter.insert_more(nodes, open, lessons, top.node(), more, &mut goal_key);
            }
        }
        self.goal_key = goal_key;
    }
}

/// A new or cheaper way to a node: its cost, and the estimate from there.
#[derive(Clone, Copy, Debug, Default)]
struct News {
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
        news: &[News],
        goal_key: &mut u64,
    ) {
        let Inserter { priority, plain, reopen, goal, stamp } = self;
        for &News { to, g, mut h } in news {
            let record = match nodes.find_mut(to) {
                Some(record) => record,
                None => nodes.touch(to),
            };
            if let Some(learned) = learned.as_deref_mut() {
                h = learned.recall(to, h, (record.stamp >> 1, record.g), stamp >> 1);
            }
            if record.stamp | 1 == stamp | 1 {
                let frozen = record.stamp != stamp && !reopen;
                // A greater cost is met here only where two edges lead to the same node.
                if frozen || !priority.counts_cost() || g >= record.g {
                    if let Some(learned) = learned.as_deref_mut().filter(|_| g < record.g) {
                        learned.pass_over(g, h);
                    }
                    continue;
                }
            }
            *record = Record { g, parent, stamp };
            // A* is what nearly every search is, and needs no multiplication.
            let key = if plain { (g + h).0 } else { priority.key(g, h) };
            open.push(key, g, to);
            if let Some(learned) = learned.as_deref_mut().filter(|_| !plain) {
                let live = |entry: &Entry| is_live(nodes.get(entry.node()), stamp, entry);
                learned.opened(to, g, h, live);
            }
            if to == goal {
                *goal_key = key;
            }
        }
    }

    /// Takes in the neighbours that one batch did not hold; no node of a grid has that many.
    #[cold]
    #[inline(never)]
    fn insert_more<O: Open>(
        self,
        nodes: &mut Paged<Record>,
        open: &mut O,
        learned: Option<&mut Learned>,
        parent: NodeId,
        more: &mut Vec<News>,
        goal_key: &mut u64,
    ) {
        self.insert(nodes, open, learned, parent, more, goal_key);
        more.clear();
    }
}

#[cold]
#[inline(never)]
fn spill(more: &mut Vec<News>, news: News) {
    more.push(news);
}

/// Whether the entry is still what the record says: it is stale when its node has been closed or
/// given a cheaper way since.
#[inline]
fn is_live(record: Record, stamp: u32, entry: &Entry) -> bool {
    record.stamp == stamp && record.g == entry.g
}
