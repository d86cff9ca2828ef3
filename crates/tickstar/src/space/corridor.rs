//! A space cut down to what lies under some nodes of a level above it.

use super::{Skip, Space};
use crate::search::Paged;
use crate::{Cost, Hierarchy, NodeId};

/// Marked nodes of one level. All marks are dropped in constant time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    stamps: Paged<u32>,
    now: u32,
    size: usize,
}

impl Marks {
    /// Drops all marks, and makes room for nodes below `size`.
    pub fn reset(&mut self, size: usize) {
        self.stamps.cover(size);
        self.size = size;
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.stamps.clear();
            self.now = 1;
        }
    }

    /// Marks a node, if there is room for it: an id above may be one that came since.
    pub fn add(&mut self, node: NodeId) {
        if node.index() >= self.size {
            return;
        }
        match self.stamps.find_mut(node) {
            Some(stamp) => *stamp = self.now,
            None => *self.stamps.touch(node) = self.now,
        }
    }

    #[inline]
    pub fn has(&self, node: NodeId) -> bool {
        self.stamps.find(node).is_some_and(|&stamp| stamp == self.now)
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        self.stamps.bytes()
    }
}

/// A level of a map, cut down to the nodes below some marked ones of a level above: where a search that
/// refines a coarse path may go.
///
/// The way may end at one node, or at any node of a region. In the latter case there is one node more, the
/// *gate*, to which an edge leads from each of these, and to which all estimates lead: by way of the nodes of
/// the region, on to an aim beyond it. Its edges cost as much as the estimate to the aim from there, less
/// what all of them have in common, so that the first node of the region a search expands ends it.
#[derive(Debug)]
pub(crate) struct Corridor<'a, S> {
    pub inner: &'a S,
    pub hierarchy: &'a Hierarchy,
    /// The level of `inner`, and how far above it the marked nodes are.
    pub level: usize,
    pub over: usize,
    pub marks: &'a Marks,
    pub exit: Option<Exit>,
}

/// A region to end in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exit {
    /// A node of the level of the marked ones.
    pub region: NodeId,
    /// Where to go on to from there: a node of the level that is searched.
    pub aim: NodeId,
    /// No node of the region is estimated to be closer to it, or only a little.
    pub floor: Cost,
    /// The id of the gate: above all nodes.
    pub gate: NodeId,
}

impl<S: Space> Corridor<'_, S> {
    /// The node above that a node belongs to.
    #[inline]
    fn above(&self, node: NodeId) -> Option<NodeId> {
        (self.level..self.level + self.over)
            .try_fold(node, |node, level| self.hierarchy.parent(level, node))
    }

    #[inline]
    fn allows(&self, node: NodeId) -> bool {
        self.above(node).is_some_and(|above| self.marks.has(above))
    }

    /// Where estimates lead to, given the goal of the search.
    #[inline]
    fn aim(&self, goal: NodeId) -> NodeId {
        self.exit.map_or(goal, |exit| exit.aim)
    }

    /// The estimate to the goal of the search, given that to the aim. The gate is one unit further than that,
    /// so that no edge to it is free.
    #[inline]
    fn onward(&self, estimate: Cost) -> Cost {
        self.exit.map_or(estimate, |exit| (estimate - exit.floor) + Cost(1))
    }

    /// The edge to the gate.
    #[inline]
    fn exit_edge(&self, from: NodeId) -> Option<(NodeId, Cost)> {
        let exit = self.exit.filter(|exit| self.above(from) == Some(exit.region))?;
        Some((exit.gate, self.onward(self.inner.estimate(from, exit.aim))))
    }

    fn is_gate(&self, node: NodeId) -> bool {
        self.exit.is_some_and(|exit| exit.gate == node)
    }
}

impl<S: Space> Space for Corridor<'_, S> {
    const MAX_EDGES: usize = S::MAX_EDGES.saturating_add(1);

    fn size(&self) -> usize {
        self.exit.map_or(self.inner.size(), |exit| exit.gate.index() + 1)
    }

    fn contains(&self, node: NodeId) -> bool {
        self.is_gate(node) || self.inner.contains(node)
    }

    fn for_each_edge(&self, from: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        self.for_each_edge_onward(from, from, from, Skip::Seen, |to, cost, _| visit(to, cost));
    }

    /// Whatever two steps away from a parent is beaten by a third node need not be so here, where that
    /// node may be outside.
    #[inline]
    fn for_each_edge_onward(
        &self,
        from: NodeId,
        parent: NodeId,
        goal: NodeId,
        _: Skip,
        mut visit: impl FnMut(NodeId, Cost, Cost),
    ) {
        if self.is_gate(from) {
            return;
        }
        let aim = self.aim(goal);
        self.inner.for_each_edge_onward(from, parent, aim, Skip::Seen, |to, cost, estimate| {
            if self.allows(to) {
                visit(to, cost, self.onward(estimate));
            }
        });
        if let Some((gate, cost)) = self.exit_edge(from) {
            visit(gate, cost, Cost::ZERO);
        }
    }

    fn estimate(&self, from: NodeId, to: NodeId) -> Cost {
        if self.is_gate(from) {
            return Cost::ZERO;
        }
        self.onward(self.inner.estimate(from, self.aim(to)))
    }

    fn max_edge_cost(&self) -> Cost {
        self.inner.max_edge_cost()
    }

    fn is_reversible(&self) -> bool {
        self.exit.is_none() && self.inner.is_reversible()
    }
}
