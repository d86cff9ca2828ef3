//! Estimates that earlier searches towards the same goal have raised.
//!
//! # Sources
//! * C. Hernández, J. Baier, T. Uras, S. Koenig, "Time-Bounded Adaptive A*", AAMAS 2012, algorithm 3:
//!   each search leaves behind `F`, its smallest `g + h` on the open list, and a node it expanded is
//!   at least `F − g` from the goal. Nothing is written when a search ends: the lesson is drawn for a
//!   node when a later search meets it.
//!
//! # Deviations
//! * Priorities other than that of A* are not in the paper. `F` is then still the smallest
//!   *unweighted* `g + h`, kept by a second open list, and takes in every cheaper way that was found
//!   and not followed (to a closed node without reopening): with the smaller g of that way.
//! * Costs that fall are not in the paper. Every lesson drawn before may then be wrong, so all are
//!   dropped, in constant time, and the search under way teaches nothing.
//!
//! # Invariants
//! * The estimates are consistent for the map as it is, if the space's are, and never exceed the true
//!   distance. Proof for `h' = max(h, F − g)` on the expanded nodes: let `(s, t)` be an edge and `s`
//!   expanded. Then `g'(t) ≤ g(s) + c` for the smallest g' of a way found to `t`. If `t` is expanded
//!   and no cheaper way was passed over, `F − g(s) ≤ c + F − g(t) ≤ c + h'(t)`. Else `F ≤ g'(t) + h(t)`
//!   by the choice of `F`, so `F − g(s) ≤ c + h(t)`. Edges that have gone ask for nothing.
//! * A node to which a cheaper way was passed over is not raised: `F − g < h`.
//! * A node that was never expanded is never raised. So the estimate of a node is at most the cost of a
//!   way to one that was never expanded, if any can be reached, and the space's estimate from there:
//!   at most [`Learned::bound`]. One that exceeds it shows that there is no way to the goal.

use std::collections::VecDeque;

use super::open::{Entry, Heap, Open};
use super::pool::Pool;
use super::table::{Paged, Record};
use crate::{Cost, NodeId};

/// A raised estimate, and the number of the search that drew the lesson.
#[derive(Clone, Copy, Debug, Default)]
struct Raised {
    h: Cost,
    search: u32,
}

/// What searches towards one goal have taught, searches being numbered from one.
#[derive(Clone, Debug)]
pub(crate) struct Learned {
    raised: Paged<Raised>,
    /// `F` of the searches from `base` on.
    lessons: VecDeque<Cost>,
    base: u32,
    /// Searches before this one teach nothing any more.
    first: u32,
    /// Where in the table of nodes the sweep is, and the search it began at.
    swept: usize,
    sweep_began: u32,
    /// Of the search under way: the smallest `g + h` among the cheaper ways passed over.
    passed_over: u64,
    /// Of the search under way: the open nodes by `g + h`, if the search itself orders them otherwise.
    frontier: Heap,
    /// How many nodes were met since all was last forgotten (a few may be counted twice), and the
    /// greatest of the space's own estimates among them.
    met: u64,
    farthest: Cost,
}

impl Default for Learned {
    fn default() -> Learned {
        Learned {
            raised: Paged::default(),
            lessons: VecDeque::new(),
            base: 1,
            first: 1,
            swept: 0,
            sweep_began: 1,
            passed_over: u64::MAX,
            frontier: Heap::default(),
            met: 0,
            farthest: Cost::ZERO,
        }
    }
}

impl Learned {
    /// Takes memory from this pool from now on; all that was learned is dropped.
    pub fn set_pool(&mut self, pool: &Pool) {
        self.raised.set_pool(pool);
    }

    /// Ends a search that leaves this `F` behind, and begins the next.
    pub fn conclude(&mut self, search: u32, f: Option<Cost>) {
        if search >= self.first {
            let f = f.map_or(0, |f| f.0.min(self.passed_over));
            if self.lessons.is_empty() {
                self.base = search;
            }
            self.lessons.push_back(Cost(f));
        }
        self.passed_over = u64::MAX;
        self.frontier.clear(0);
    }

    /// Draws the lessons about the nodes of the next page of a table, which says of each node in which search
    /// it was generated last and with which g. When all pages have had their turn, the lessons of the searches
    /// before the sweep are not needed any more. So there are never more of them than about twice as many as
    /// pages, however many searches there are.
    pub fn sweep<R: Record>(
        &mut self,
        table: &Paged<R>,
        now: u32,
        met: impl Fn(&R) -> (u32, Cost),
    ) {
        let Some((page, next)) = table.page_from(self.swept) else {
            let done = self.sweep_began.saturating_sub(self.base) as usize;
            self.lessons.drain(..done.min(self.lessons.len()));
            self.base = self.base.max(self.sweep_began);
            (self.swept, self.sweep_began) = (0, now);
            return;
        };
        self.swept = next;
        let Some((first, page)) = page else { return };
        for (node, record) in (first.0..).map(NodeId).zip(page.iter()) {
            let lesson = self.lesson(met(record), now);
            let known = self.raised.find(node).filter(|raised| raised.search >= self.first);
            if lesson > known.map_or(Cost::ZERO, |raised| raised.h) {
                *self.raised.slot(node) = Raised { h: lesson, search: now };
            }
        }
    }

    /// Drops everything learned; the search under way will teach nothing either.
    pub fn forget(&mut self, search: u32) {
        self.first = search + 1;
        self.lessons.clear();
        (self.base, self.swept, self.sweep_began) = (self.first, 0, self.first);
        (self.met, self.farthest) = (0, Cost::ZERO);
    }

    /// As [`Learned::forget`], for estimates that are not raised by searches but by hand.
    pub fn forget_all(&mut self) {
        if self.first == u32::MAX {
            self.clear();
        } else {
            self.forget(self.first);
        }
    }

    /// The estimate of a node, given that of the space, where estimates are raised by hand; the node is
    /// met by that.
    #[inline]
    pub fn meet(&mut self, node: NodeId, plain: impl FnOnce() -> Cost) -> Cost {
        let raised = self.raised.slot(node);
        if raised.search >= self.first {
            return raised.h;
        }
        let plain = plain();
        *raised = Raised { h: plain, search: self.first };
        self.count(plain);
        plain
    }

    /// As [`Learned::meet`], without meeting it.
    pub fn known(&self, node: NodeId, plain: Cost) -> Cost {
        self.estimate(node, plain, (0, Cost::ZERO), 0)
    }

    /// Raises the estimate of a node.
    pub fn raise(&mut self, node: NodeId, h: Cost) {
        *self.raised.slot(node) = Raised { h, search: self.first };
    }

    /// No estimate of a node from which there is a way exceeds this, for this dearest edge.
    pub fn bound(&self, max_edge: Cost) -> Cost {
        Cost(self.met.saturating_mul(max_edge.0)) + self.farthest
    }

    fn count(&mut self, plain: Cost) {
        self.met += 1;
        self.farthest = self.farthest.max(plain);
    }

    /// Drops everything, as the numbers of searches begin anew.
    pub fn clear(&mut self) {
        self.raised.release();
        self.forget(0);
    }

    /// The estimate of a node, given that of the space, and what the search that met the node last
    /// knows of it: its number and the node's g.
    pub fn estimate(&self, node: NodeId, plain: Cost, met: (u32, Cost), now: u32) -> Cost {
        let raised = self.raised.get(node);
        let known = if raised.search >= self.first { raised.h.max(plain) } else { plain };
        known.max(self.lesson(met, now))
    }

    /// As [`Learned::estimate`], and remembers it, as the node's g is about to be overwritten.
    #[inline(never)]
    pub fn recall(&mut self, node: NodeId, plain: Cost, met: (u32, Cost), now: u32) -> Cost {
        if met.0 < self.first {
            self.count(plain);
        }
        let lesson = self.lesson(met, now);
        let known = match self.raised.find(node) {
            Some(raised) if raised.search >= self.first => raised.h,
            _ => Cost::ZERO,
        };
        if lesson > known.max(plain) {
            *self.raised.slot(node) = Raised { h: lesson, search: now };
        }
        plain.max(known).max(lesson)
    }

    /// What the search that met a node last has taught about it.
    #[inline]
    fn lesson(&self, (search, g): (u32, Cost), now: u32) -> Cost {
        match search.checked_sub(self.base.max(self.first)) {
            Some(_) if search < now => {
                let lesson = self.lessons.get((search - self.base) as usize);
                lesson.map_or(Cost::ZERO, |&f| f - g)
            }
            _ => Cost::ZERO,
        }
    }

    /// A cheaper way to a node was found and is not followed.
    pub fn pass_over(&mut self, g: Cost, h: Cost) {
        self.passed_over = self.passed_over.min((g + h).0);
    }

    /// A node is open now, in a search that orders its nodes in another way than by `g + h`.
    pub fn opened(&mut self, node: NodeId, g: Cost, h: Cost, live: impl Fn(&Entry) -> bool) {
        self.least(live);
        self.frontier.push((g + h).0, g, node);
    }

    /// The smallest `g + h` of the nodes opened that are still so.
    pub fn least(&mut self, live: impl Fn(&Entry) -> bool) -> Option<Cost> {
        self.frontier.best(live).map(|top| Cost(top.key))
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        self.raised.bytes() + self.lessons.capacity() * size_of::<Cost>() + self.frontier.bytes()
    }
}
