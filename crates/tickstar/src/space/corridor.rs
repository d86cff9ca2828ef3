//! A level of a map, cut down to what lies under some nodes of a level above it.

use super::Skip;
use crate::search::{Problem, Stamp, Stamped, Toward};
use crate::{Cost, Hierarchy, Map, NodeId};

/// Marked nodes of one level. All marks are dropped in constant time.
pub(crate) type Marks = Stamped<Mark>;

/// The epoch in which a node was marked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark(u32);

impl Stamp for Mark {
    #[inline]
    fn stamp(&self) -> u32 {
        self.0
    }
}

impl Marks {
    /// Marks a node.
    pub fn add(&mut self, node: NodeId) {
        self.set(node, Mark(self.now()));
    }

    #[inline]
    pub fn has(&self, node: NodeId) -> bool {
        self.find(node).is_some()
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
pub(crate) struct Corridor<'a, M> {
    pub inner: &'a M,
    pub hierarchy: &'a Hierarchy,
    /// The level of `inner`, and how far above it the marked nodes are.
    pub level: usize,
    pub over: usize,
    pub marks: &'a Marks,
    pub end: End,
}

/// Where a search in a corridor ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    /// At a node.
    Node(NodeId),
    /// At the first node of a region.
    Region {
        /// A node of the level of the marked ones.
        region: NodeId,
        /// Where to go on to from there: a node of the level that is searched.
        aim: NodeId,
        /// No node of the region is estimated to be closer to it, or only a little.
        floor: Cost,
        /// The id of the gate: above all nodes.
        gate: NodeId,
    },
}

impl End {
    /// The goal of the search: the node, or the gate.
    pub fn goal(self) -> NodeId {
        match self {
            End::Node(node) => node,
            End::Region { gate, .. } => gate,
        }
    }

    /// Whether the path found ends in the gate, which is no node.
    pub fn has_gate(self) -> bool {
        matches!(self, End::Region { .. })
    }
}

impl<M: Map> Corridor<'_, M> {
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

    /// The level towards what estimates lead to.
    #[inline]
    fn toward(&self) -> Toward<'_, M> {
        let goal = match self.end {
            End::Node(node) => node,
            End::Region { aim, .. } => aim,
        };
        Toward { map: self.inner, goal }
    }

    /// The estimate to the goal of the search, given that to the aim. The gate is one unit further than that,
    /// so that no edge to it is free.
    #[inline]
    fn onward(&self, estimate: Cost) -> Cost {
        match self.end {
            End::Node(_) => estimate,
            End::Region { floor, .. } => (estimate - floor) + Cost(1),
        }
    }
}

impl<M: Map> Problem for Corridor<'_, M> {
    const MAX_EDGES: usize = M::MAX_EDGES.saturating_add(1);

    fn contains(&self, node: NodeId) -> bool {
        self.inner.contains(node)
    }

    /// Whatever two steps away from a parent is beaten by a third node need not be so here, where that
    /// node may be outside.
    #[inline]
    fn for_each_successor(
        &self,
        from: NodeId,
        parent: NodeId,
        _: Skip,
        mut visit: impl FnMut(NodeId, Cost, Cost),
    ) {
        self.toward().for_each_successor(from, parent, Skip::Seen, |to, cost, estimate| {
            if self.allows(to) {
                visit(to, cost, self.onward(estimate));
            }
        });
        if let End::Region { region, gate, .. } = self.end
            && self.above(from) == Some(region)
        {
            visit(gate, self.estimate(from), Cost::ZERO);
        }
    }

    fn estimate(&self, node: NodeId) -> Cost {
        self.onward(self.toward().estimate(node))
    }

    fn max_edge_cost(&self) -> Cost {
        self.inner.max_edge_cost()
    }
}
