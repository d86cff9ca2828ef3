//! A level of a map, restricted to the nodes below some nodes of a level above it.

use super::problem::{Problem, Toward};
use super::table::{Stamp, Stamped};
use crate::{Cost, Hierarchy, Map, NodeId, Skip};

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

/// A level of a map, restricted to the nodes below some marked nodes of a level above: the corridor in which a coarse
/// path is refined.
///
/// The path may end at one node, or at any node of a region. In the latter case there is one additional node, the
/// *gate*, with an edge from each node of the region, and it is the goal of the heuristic: through the nodes of the
/// region, on to an aim beyond it. Its edges cost as much as the heuristic from there to the aim, minus what all of
/// them have in common, so that the first node of the region that a search expands ends it.
#[derive(Debug)]
pub(crate) struct Corridor<'a, M> {
    pub inner: &'a M,
    pub hierarchy: &'a Hierarchy,
    /// The level of `inner`, and how many levels above it the marked nodes are.
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
        /// A node of the level of the marked nodes.
        region: NodeId,
        /// The next aim from there: a node of the level that is searched.
        aim: NodeId,
        /// A lower bound on the heuristic from the nodes of the region to the aim, possibly exceeded slightly.
        floor: Cost,
        /// The id of the gate: above those of all nodes.
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

    /// Whether the path found ends in the gate, which is not a real node.
    pub fn has_gate(self) -> bool {
        matches!(self, End::Region { .. })
    }
}

impl<M: Map> Corridor<'_, M> {
    /// The ancestor of a node on the marked level.
    #[inline]
    fn above(&self, node: NodeId) -> Option<NodeId> {
        (self.level..self.level + self.over)
            .try_fold(node, |node, level| self.hierarchy.parent(level, node))
    }

    #[inline]
    fn allows(&self, node: NodeId) -> bool {
        self.above(node).is_some_and(|above| self.marks.has(above))
    }

    /// The level with the target of the heuristic as its goal.
    #[inline]
    fn toward(&self) -> Toward<'_, M> {
        let goal = match self.end {
            End::Node(node) => node,
            End::Region { aim, .. } => aim,
        };
        Toward { map: self.inner, goal }
    }

    /// The heuristic to the goal of the search, given that to the aim. The gate is one unit further, so that no edge to
    /// it is free.
    #[inline]
    fn onward(&self, estimate: Cost) -> Cost {
        match self.end {
            End::Node(_) => estimate,
            End::Region { floor, .. } => (estimate - floor) + Cost(1),
        }
    }
}

// Not derived: a map need not be `Copy`.
impl<M> Clone for Corridor<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Corridor<'_, M> {}

impl<M: Map> Problem for Corridor<'_, M> {
    const MAX_EDGES: usize = M::MAX_EDGES.saturating_add(1);

    fn contains(&self, node: NodeId) -> bool {
        self.inner.contains(node)
    }

    /// `Skip::Beaten` is not sound here: the third node that makes a neighbor redundant may be outside the corridor.
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
