//! Idle improvement: the planned path is made cheaper, window by window, until it is known to be optimal.
//!
//! First comes the rest of the path at once (`whole.rs`). What that leaves is done in windows.
//!
//! A window is a part of the path ahead, from a cell `c` to a cell `t`. A* from `t` toward `c` looks for a cheaper path
//! between the two, and drops every cell through which none can lead: whose cost from `t` plus the heuristic to `c` is no
//! less than the cost of the part. If it reaches `c`, the part is replaced; if no cell is left, the part is optimal.
//!
//! The agent may pass `c` meanwhile. Then `c` moves ahead along the path, and the search continues: what was dropped stays
//! useless, by the triangle inequality. Keys are kept as lower bounds by adding to all later ones what the heuristic may
//! have lost, and are corrected when their turn comes, as in D* Lite.
//!
//! Windows sweep over the path, each beginning at three quarters of the one before. At the goal their length doubles, and
//! the sweep begins again at the agent. A window from the agent to the goal proves that the rest of the path is optimal.

use super::whole::Whole;
use crate::search::{Problem, Route, Toward};
use crate::{
    BestFirst, Cost, Event, Map, NodeId, OpenList, Pool, SearchConfig, Skip, Slice, Status,
};

/// The length of the first windows, in steps.
const FIRST: usize = 24;

/// While windows are shorter than this, they grow at the agent, if there is time for that.
const LONG: usize = 256;
/// How far ahead of the agent the path is improved before it is planned as far as the goal.
const NEAR: usize = 48;

/// The units that are paid before a search begins: the first nodes of a search are in memory that is in no cache.
pub(super) const START: u32 = 6;

/// The state of the improvement of one path.
#[derive(Clone, Debug)]
pub(super) struct Polish {
    /// What is tried before windows.
    whole: Whole,
    search: BestFirst,
    /// Where the next window begins, and how long it is, as indices of the path.
    sweep: usize,
    length: usize,
    window: Option<Window>,
    /// The cells of a cheaper part, while they are traced.
    part: Vec<NodeId>,
    /// The path leads to the goal.
    is_whole: bool,
    /// The rest of it is known to be optimal.
    is_optimal: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Window {
    /// The indices of both ends on the path.
    c: usize,
    t: usize,
    /// What the heuristic may have lost as `c` moved.
    shift: Cost,
    /// Expansions so far.
    work: u64,
    /// The cost of the path between them.
    bound: Cost,
    phase: Phase,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// The cost of the path is being added up, as far as this index.
    Adding(usize),
    /// The cost is known, and the search has yet to begin; so many units have been paid for that.
    Starting(u32),
    Searching,
    /// The cheaper part is being traced.
    Tracing,
}

/// What became of a window that the agent has entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Moved {
    /// It begins ahead of the agent again.
    Ahead,
    /// The slice was spent before that.
    Partly,
    /// Nothing of it is left.
    Gone,
}

impl Window {
    fn problem<'a, M>(&self, map: &'a M, path: &Route) -> Bounded<'a, M> {
        let toward = Toward { map, goal: path.nodes()[self.c] };
        Bounded { toward, shift: self.shift, bound: self.bound }
    }
}

impl Polish {
    pub fn new(open: OpenList) -> Polish {
        let config = SearchConfig { open, ..SearchConfig::default() };
        Polish {
            whole: Whole::new(open),
            search: BestFirst::new(config),
            sweep: 0,
            length: FIRST,
            window: None,
            part: Vec::new(),
            is_whole: false,
            is_optimal: false,
        }
    }

    /// The path or the map has changed.
    pub fn reset(&mut self) {
        self.whole.reset();
        self.restart();
    }

    /// Cells have been blocked, none of them on the path: no other path has become cheaper.
    pub fn disturb(&mut self) {
        self.whole.disturb();
    }

    /// The path has changed: begins again with short windows.
    fn restart(&mut self) {
        (self.sweep, self.length, self.window, self.is_optimal) = (0, FIRST, None, false);
    }

    /// Whether nothing is left to improve.
    pub fn is_optimal(&self) -> bool {
        self.is_optimal
    }

    /// Improves a path that leads to the goal, as far as the slice allows.
    pub fn run<M: Map>(&mut self, map: &M, path: &mut Route, slice: &mut Slice<'_>) {
        self.is_whole = true;
        if self.whole.run(map, path, slice) {
            self.restart();
        }
        self.is_optimal |= self.whole.is_optimal(path);
        if !self.whole.is_done() {
            return;
        }
        while !self.is_optimal {
            if self.window.is_none() && !self.open(path) {
                return;
            }
            if !self.go_on(map, path, slice) {
                return;
            }
        }
    }

    /// Improves the first steps of a path that does not lead to the goal yet.
    pub fn run_near<M: Map>(&mut self, map: &M, path: &mut Route, slice: &mut Slice<'_>) {
        self.is_whole = false;
        loop {
            let first = path.walked();
            let is_near = self.sweep.max(first) < first + NEAR;
            let fits = self.sweep.max(first) + self.length < path.nodes().len();
            if self.window.is_none() && !(is_near && fits && self.open(path)) {
                return;
            }
            if !self.go_on(map, path, slice) {
                return;
            }
        }
    }

    /// Opens the next window. Returns whether there is one.
    fn open(&mut self, path: &Route) -> bool {
        let end = path.nodes().len().saturating_sub(1);
        let first = path.walked();
        let mut c = self.sweep.max(first);
        if c + 1 >= end {
            if first + 1 >= end {
                self.is_optimal = true;
                return false;
            }
            (c, self.length) = (first, self.length.saturating_mul(2));
        }
        let t = c.saturating_add(self.length).min(end);
        let (shift, bound) = (Cost::ZERO, Cost::ZERO);
        self.window = Some(Window { c, t, shift, bound, work: 0, phase: Phase::Adding(c) });
        true
    }

    /// Continues with the window. Returns whether it is done.
    fn go_on<M: Map>(&mut self, map: &M, path: &mut Route, slice: &mut Slice<'_>) -> bool {
        let Some(mut window) = self.window else { return true };
        if window.c < path.walked() {
            let moved = self.move_on(map, path, &mut window, slice);
            self.window = Some(window).filter(|_| moved != Moved::Gone);
            match moved {
                Moved::Ahead => {}
                Moved::Gone => return slice.scan(),
                Moved::Partly => return false,
            }
        }
        let before = slice.expansions();
        let done = self.work(map, path, &mut window, slice);
        window.work += slice.expansions() - before;
        let steps = window.t.saturating_sub(window.c) as u64;
        let is_near = window.c <= path.walked() + 2;
        if done
            && is_near
            && self.length < LONG
            && window.work.saturating_mul(4) <= slice.budget().saturating_mul(steps)
        {
            (self.sweep, self.length) = (0, self.length.saturating_mul(2));
        }
        self.window = (!done).then_some(window);
        done
    }

    /// The agent has passed the beginning of the window, which moves ahead.
    fn move_on<M: Map>(
        &mut self,
        map: &M,
        path: &Route,
        window: &mut Window,
        slice: &mut Slice<'_>,
    ) -> Moved {
        let nodes = path.nodes();
        let wanted = path.walked() + 2;
        if window.phase == Phase::Tracing || wanted + 2 > window.t {
            return Moved::Gone;
        }
        let added = match window.phase {
            Phase::Adding(added) => added,
            _ => window.t,
        };
        let mut c = window.c;
        while c < wanted && slice.trace(nodes[c]) {
            if c < added {
                let step = map.edge(nodes[c], nodes[c + 1]).unwrap_or(Cost::ZERO);
                window.bound = window.bound - step;
            }
            c += 1;
        }
        let old = std::mem::replace(&mut window.c, c);
        match window.phase {
            Phase::Adding(added) => window.phase = Phase::Adding(added.max(c)),
            Phase::Searching => {
                window.shift = window.shift + map.estimate(nodes[old], nodes[c]);
                self.search.set_goal(&window.problem(map, path), nodes[c]);
            }
            Phase::Starting(_) | Phase::Tracing => {}
        }
        if c < wanted { Moved::Partly } else { Moved::Ahead }
    }

    fn work<M: Map>(
        &mut self,
        map: &M,
        path: &mut Route,
        window: &mut Window,
        slice: &mut Slice<'_>,
    ) -> bool {
        let nodes = path.nodes();
        let (from, to) = (nodes[window.t], nodes[window.c]);
        if let Phase::Adding(added) = window.phase {
            let added = path.add_costs(map, added, window.t, &mut window.bound, slice);
            if added < window.t {
                window.phase = Phase::Adding(added);
                return false;
            }
            if map.estimate(from, to) >= window.bound {
                return self.prove(path, window);
            }
            window.phase = Phase::Starting(0);
        }
        while let Phase::Starting(paid) = window.phase {
            if !slice.update(from) {
                return false;
            }
            window.phase = Phase::Starting(paid + 1);
            if paid + 1 == START {
                window.phase = Phase::Searching;
                self.search.start_problem(&window.problem(map, path), from, to);
            }
        }
        if window.phase == Phase::Searching {
            match self.search.run_problem(&window.problem(map, path), slice) {
                Status::Working => return false,
                Status::Exhausted => return self.prove(path, window),
                Status::Reached => {}
            }
            if self.search.cost_to(to).is_none_or(|cost| cost >= window.bound) {
                return self.prove(path, window);
            }
            self.part.clear();
            self.part.push(to);
            window.phase = Phase::Tracing;
        }
        while let Some(parent) = self.part.last().and_then(|&node| self.search.parent(node)) {
            if !slice.trace(parent) {
                return false;
            }
            if map.edge(self.part[self.part.len() - 1], parent).is_none() {
                // A cell was blocked since.
                self.sweep = window.c;
                return true;
            }
            self.part.push(parent);
        }
        let t = window.c + self.part.len() - 1;
        path.replace(window.c, window.t, &self.part);
        self.whole.forget_proof();
        slice.note(Event::Adopted);
        window.t = t;
        self.prove(path, window)
    }

    /// The window is optimal.
    fn prove(&mut self, path: &Route, window: &Window) -> bool {
        let end = path.nodes().len() - 1;
        self.is_optimal = self.is_whole && window.c <= path.walked() + 1 && window.t == end;
        self.sweep = window.c + ((window.t - window.c) * 3 / 4).max(1);
        true
    }

    pub fn set_pool(&mut self, pool: &Pool) {
        self.reset();
        self.whole.set_pool(pool);
        self.search.set_pool(pool);
    }

    /// Returns all memory.
    pub fn release(&mut self) {
        self.reset();
        self.whole.release();
        self.search.release();
        self.part = Vec::new();
    }

    /// Returns released blocks to the allocator, at most this many. Returns how many.
    pub fn reclaim(&mut self, blocks: u64) -> u64 {
        self.whole.reclaim(blocks) + self.search.reclaim(blocks)
    }

    pub fn bytes(&self) -> usize {
        self.whole.bytes() + self.search.bytes() + self.part.capacity() * size_of::<NodeId>()
    }
}

/// A map without the cells that cannot be on a path to a node that is cheaper than a bound.
#[derive(Debug)]
struct Bounded<'a, M> {
    toward: Toward<'a, M>,
    /// Added to the heuristic.
    shift: Cost,
    bound: Cost,
}

// Not derived: a map need not be `Copy`.
impl<M> Clone for Bounded<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Bounded<'_, M> {}

impl<M: Map> Problem for Bounded<'_, M> {
    const MAX_EDGES: usize = M::MAX_EDGES;
    const MOVING: bool = true;

    fn contains(&self, node: NodeId) -> bool {
        self.toward.contains(node)
    }

    #[inline]
    fn for_each_successor(
        &self,
        from: NodeId,
        parent: NodeId,
        _: Skip,
        visit: impl FnMut(NodeId, Cost, Cost),
    ) {
        // As the bound drops nodes, others must not be omitted for their sake.
        self.toward.for_each_successor(from, parent, Skip::Seen, visit);
    }

    #[inline(always)]
    fn admit(&self, _: NodeId, g: Cost, estimate: Cost) -> Option<Cost> {
        (g + estimate < self.bound).then_some(estimate + self.shift)
    }

    #[inline]
    fn revise(&self, node: NodeId, g: Cost) -> Option<Cost> {
        self.admit(node, g, self.toward.estimate(node))
    }

    fn estimate(&self, node: NodeId) -> Cost {
        self.toward.estimate(node) + self.shift
    }

    fn max_edge_cost(&self) -> Cost {
        self.toward.max_edge_cost()
    }
}
