//! The learned heuristic: values raised by earlier searches toward the same goal.
//!
//! # Sources
//! * C. Hernández, J. Baier, T. Uras, S. Koenig, "Time-Bounded Adaptive A*", AAMAS 2012, algorithm 3: each search
//!   leaves behind `F`, its smallest `g + h` on the open list, and the distance from a node it expanded to the goal is
//!   at least `F − g`. Nothing is stored when a search ends: the update of a node is applied when a later search
//!   generates it.
//!
//! # Deviations
//! * Priorities other than that of A* are not in the paper. `F` is then still the smallest *unweighted* `g + h`,
//!   maintained by a second open list, and it includes every cheaper path that was found but not followed (to a closed
//!   node, without reopening), with the smaller g of that path.
//! * A goal that moves is not in the paper. If it moves from `g` to `g'`, the heuristic becomes
//!   `max(h₀(s, g'), h(s) − h(g'))`, where `h₀` is that of the space: Koenig, Likhachev, Sun, "Speeding up Moving-Target
//!   Search", AAMAS 2007. Only the sum of all `h(g')` is stored, and subtracted when a value is read. That is the same,
//!   if the space's heuristic obeys the triangle inequality: `h₀(s, g) − h(g') ≤ h₀(s, g')`.
//! * Decreasing costs are not in the paper. Every earlier update may then be wrong, so all of them are discarded, in
//!   constant time, and the search in progress contributes no update.
//!
//! # Invariants
//! * The heuristic is consistent for the current map, if that of the space is, and never exceeds the true distance.
//!   Proof for `h' = max(h, F − g)` on the expanded nodes: let `(s, t)` be an edge and `s` expanded. Then
//!   `g'(t) ≤ g(s) + c` for the smallest g' of a path found to `t`. If `t` is expanded and no cheaper path was
//!   passed over, `F − g(s) ≤ c + F − g(t) ≤ c + h'(t)`. Otherwise `F ≤ g'(t) + h(t)` by the choice of `F`, so
//!   `F − g(s) ≤ c + h(t)`. Removed edges impose no condition.
//! * A node to which a cheaper path was passed over is not raised: `F − g < h`.
//! * A node that was never expanded is never raised. So the heuristic of a node is at most the cost of a path to a node
//!   that was never expanded, if one is reachable, plus the space's heuristic there: at most [`Learned::bound`]. A
//!   value that exceeds it proves that no path to the goal exists.

use std::collections::VecDeque;

use super::open::{Heap, Open, OpenEntry};
use super::pool::Pool;
use super::table::{Item, Paged, Visit};
use crate::{Cost, Map, NodeId};

/// A raised heuristic, and the number of the search that raised it.
#[derive(Clone, Copy, Debug, Default)]
struct Raised {
    /// Including the shift at that time.
    h: Cost,
    search: u32,
}

/// The learned heuristic of searches toward one goal, which are numbered from one.
#[derive(Clone, Debug)]
pub(crate) struct Learned {
    raised: Paged<Raised>,
    /// Stored values are larger than the heuristic by this amount, because the goal has moved.
    shift: Cost,
    /// `F` of the searches from `base` on, including the shift at that time.
    bounds: VecDeque<Cost>,
    base: u32,
    /// Searches before this one contribute no update any more.
    first: u32,
    /// The sweep's position in the node table, and the search at which it started.
    swept: usize,
    sweep_began: u32,
    /// In the current search: the smallest `g + h` among the cheaper paths passed over.
    passed_over: u64,
    /// In the current search: the open nodes by `g + h`, if the search itself uses a different order.
    frontier: Heap,
    /// The number of nodes generated since the last reset (a few may be counted twice), and the largest of the space's
    /// own heuristics from them to the goal at that time, or more.
    generated: u64,
    farthest: Cost,
    /// The goal at the last reset, if it has moved, and the space's heuristics from the goal to it and back.
    home: Option<NodeId>,
    away: (Cost, Cost),
}

impl Default for Learned {
    fn default() -> Learned {
        Learned {
            raised: Paged::default(),
            shift: Cost::ZERO,
            bounds: VecDeque::new(),
            base: 1,
            first: 1,
            swept: 0,
            sweep_began: 1,
            passed_over: u64::MAX,
            frontier: Heap::default(),
            generated: 0,
            farthest: Cost::ZERO,
            home: None,
            away: (Cost::ZERO, Cost::ZERO),
        }
    }
}

impl Learned {
    /// Allocates from this pool from now on; the learned heuristic is discarded.
    pub fn set_pool(&mut self, pool: &Pool) {
        self.raised.set_pool(pool);
    }

    /// Ends a search that leaves this `F` behind, and starts the next one.
    pub fn conclude(&mut self, search: u32, f: Option<Cost>) {
        if search >= self.first {
            let f = f.map_or(0, |f| f.0.min(self.passed_over));
            if self.bounds.is_empty() {
                self.base = search;
            }
            self.bounds.push_back(Cost(f) + self.shift);
        }
        self.passed_over = u64::MAX;
        self.frontier.clear(0);
    }

    /// Applies the updates for the nodes of the next page of a table; `last` returns the search that generated a node
    /// last and its g in that search. When all pages have been swept, the bounds of the searches before the sweep are
    /// no longer needed. So the number of stored bounds never exceeds about twice the number of pages, however many
    /// searches there are.
    pub fn sweep<R: Item>(&mut self, table: &Paged<R>, now: u32, last: impl Fn(&R) -> (u32, Cost)) {
        let Some(Visit { page, next }) = table.page_from(self.swept) else {
            let done = self.sweep_began.saturating_sub(self.base) as usize;
            self.bounds.drain(..done.min(self.bounds.len()));
            self.base = self.base.max(self.sweep_began);
            (self.swept, self.sweep_began) = (0, now);
            return;
        };
        self.swept = next;
        let Some((first, page)) = page else { return };
        for (node, record) in (first.0..).map(NodeId).zip(page.iter()) {
            let value = self.implied(last(record), now);
            let known = self.raised.find(node).filter(|raised| raised.search >= self.first);
            if value > known.map_or(Cost::ZERO, |raised| raised.h - self.shift) {
                *self.raised.slot(node) = Raised { h: value + self.shift, search: now };
            }
        }
    }

    /// Whether anything may have been learned, up to this search.
    pub fn has_lessons(&self, search: u32) -> bool {
        self.first <= search
    }

    /// The goal has moved. `from_new` is a lower bound on the cost from the new goal to the old one that is consistent
    /// with the learned heuristic, or any upper bound.
    pub fn move_goal(&mut self, map: &impl Map, old: NodeId, new: NodeId, from_new: Cost) {
        self.shift = self.shift + from_new;
        let home = *self.home.get_or_insert(old);
        self.away = (map.estimate(new, home), map.estimate(home, new));
    }

    /// Discards the learned heuristic; the search in progress will contribute no update either.
    pub fn forget(&mut self, search: u32) {
        self.first = search + 1;
        self.bounds.clear();
        (self.base, self.swept, self.sweep_began) = (self.first, 0, self.first);
        (self.generated, self.farthest, self.shift) = (0, Cost::ZERO, Cost::ZERO);
        (self.home, self.away) = (None, (Cost::ZERO, Cost::ZERO));
    }

    /// Like [`Learned::forget`], for heuristics that are raised explicitly rather than by searches.
    pub fn forget_all(&mut self) {
        if self.first == u32::MAX {
            self.clear();
        } else {
            self.forget(self.first);
        }
    }

    /// The heuristic of a node, given that of the space, where heuristics are raised explicitly; the node is recorded
    /// as generated.
    #[inline]
    pub fn meet(&mut self, node: NodeId, plain: impl FnOnce() -> Cost) -> Cost {
        let raised = self.raised.slot(node);
        if raised.search >= self.first {
            if self.shift == Cost::ZERO {
                return raised.h;
            }
            return plain().max(raised.h - self.shift);
        }
        let plain = plain();
        *raised = Raised { h: plain + self.shift, search: self.first };
        self.count(plain);
        plain
    }

    /// Like [`Learned::meet`], but does not record the node.
    pub fn known(&self, node: NodeId, plain: Cost) -> Cost {
        self.estimate(node, plain, (0, Cost::ZERO), 0)
    }

    /// Raises the heuristic of a node.
    pub fn raise(&mut self, node: NodeId, h: Cost) {
        *self.raised.slot(node) = Raised { h: h + self.shift, search: self.first };
    }

    /// No heuristic of a node with a path to the goal exceeds this, given the cost of the most expensive edge.
    pub fn bound(&self, max_edge: Cost) -> Cost {
        Cost(self.generated.saturating_mul(max_edge.0)) + self.farthest + self.away.1
    }

    fn count(&mut self, plain: Cost) {
        self.generated += 1;
        self.farthest = self.farthest.max(plain + self.away.0);
    }

    /// Discards everything, because the numbering of searches restarts.
    pub fn clear(&mut self) {
        self.raised.release();
        self.forget(0);
    }

    /// The heuristic of a node, given that of the space, and the number of the search that generated the node last and
    /// its g in that search.
    pub fn estimate(&self, node: NodeId, plain: Cost, last: (u32, Cost), now: u32) -> Cost {
        let raised = self.raised.get(node);
        let known =
            if raised.search >= self.first { plain.max(raised.h - self.shift) } else { plain };
        known.max(self.implied(last, now))
    }

    /// Like [`Learned::estimate`], but also stores the value, as the node's g is about to be overwritten.
    #[inline(never)]
    pub fn recall(&mut self, node: NodeId, plain: Cost, last: (u32, Cost), now: u32) -> Cost {
        if last.0 < self.first {
            self.count(plain);
        }
        let value = self.implied(last, now);
        let known = match self.raised.find(node) {
            Some(raised) if raised.search >= self.first => raised.h - self.shift,
            _ => Cost::ZERO,
        };
        if value > known.max(plain) {
            *self.raised.slot(node) = Raised { h: value + self.shift, search: now };
        }
        plain.max(known).max(value)
    }

    /// The lower bound that the search which generated a node last implies for it.
    #[inline]
    fn implied(&self, (search, g): (u32, Cost), now: u32) -> Cost {
        match search.checked_sub(self.base.max(self.first)) {
            Some(_) if search < now => {
                let bound = self.bounds.get((search - self.base) as usize);
                bound.map_or(Cost::ZERO, |&f| f - self.shift - g)
            }
            _ => Cost::ZERO,
        }
    }

    /// A cheaper path to a node was found and is not followed.
    pub fn pass_over(&mut self, g: Cost, h: Cost) {
        self.passed_over = self.passed_over.min((g + h).0);
    }

    /// A node is now open, in a search with an order other than `g + h`.
    pub fn opened(&mut self, node: NodeId, g: Cost, h: Cost, live: impl Fn(&OpenEntry) -> bool) {
        self.least(live);
        self.frontier.push((g + h).0, g, node);
    }

    /// The smallest `g + h` of the nodes that are still open.
    pub fn least(&mut self, live: impl Fn(&OpenEntry) -> bool) -> Option<Cost> {
        self.frontier.best(live).map(|top| Cost(top.key))
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        self.raised.bytes() + self.bounds.capacity() * size_of::<Cost>() + self.frontier.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cell, Grid};

    #[test]
    fn the_bound_follows_a_goal_that_moves() {
        let grid = Grid::new(100, 1).unwrap();
        let node = |x| grid.node(Cell::new(x, 0)).unwrap();
        let mut learned = Learned::default();
        let mut generated = Vec::new();
        let mut goal = 50;
        for (at, to) in [(45, 60), (99, 99), (98, 0), (3, 50), (50, 1)].repeat(100) {
            learned.meet(node(at), || grid.estimate(node(at), node(goal)));
            generated.push(at);
            learned.move_goal(&grid, node(goal), node(to), Cost::ZERO);
            goal = to;
            let bound = learned.bound(Cost::ZERO);
            let plain = |&at: &u32| grid.estimate(node(at), node(goal));
            assert!(generated.iter().map(plain).max() <= Some(bound));
            assert!(bound <= Cost::of_steps(200, 0), "however often it moves");
        }
    }
}
