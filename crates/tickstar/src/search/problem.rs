//! What a best-first search sees of a map: the search problem for one goal.

use crate::space::Sealed;
use crate::{Cost, Map, NodeId, Skip};

/// A map with one goal, or a part of one: see [`Corridor`](super::corridor::Corridor).
pub(crate) trait Problem: Copy {
    /// The maximum number of edges per node.
    const MAX_EDGES: usize;
    /// Whether the processor can predict which neighbors improve a search. On a grid it can, as neighbors come in the
    /// order of directions.
    const PREDICTABLE: bool = true;

    /// Whether the goal of the search may move: see [`Problem::revise`].
    const MOVING: bool = false;

    /// Whether the node exists and is passable.
    fn contains(&self, node: NodeId) -> bool;

    /// The current heuristic of a node that is about to be expanded, given the cost of the path to it; nothing if it is
    /// no longer to be expanded. If the goal has moved, the heuristic may only have grown since the node was generated.
    #[inline(always)]
    fn revise(&self, node: NodeId, g: Cost) -> Option<Cost> {
        let _ = g;
        Some(self.estimate(node))
    }

    /// Calls `visit` with the neighbors of a node, the cost of the edge to each, and the heuristic from each to the
    /// goal, omitting neighbors that cannot improve the search: see [`Skip`].
    fn for_each_successor(
        &self,
        from: NodeId,
        parent: NodeId,
        skip: Skip,
        visit: impl FnMut(NodeId, Cost, Cost),
    );

    /// Called for a neighbor that improves the search, with the cost of the path to it and the heuristic that
    /// `for_each_successor` passed: returns the one to use, or nothing if the neighbor is not to be generated. What need not be known of all neighbors is found
    /// out here: most of them do not improve anything.
    #[inline(always)]
    fn admit(&self, node: NodeId, g: Cost, estimate: Cost) -> Option<Cost> {
        let _ = (node, g);
        Some(estimate)
    }

    /// The heuristic: a lower bound on the cost from a node to the goal. For optimal paths it must be consistent.
    fn estimate(&self, node: NodeId) -> Cost;

    /// No edge costs more than this.
    fn max_edge_cost(&self) -> Cost;
}

/// A whole map with one of its nodes as the goal.
#[derive(Debug)]
pub(crate) struct Toward<'m, M> {
    pub map: &'m M,
    pub goal: NodeId,
}

// Not derived: a map need not be `Copy`.
impl<M> Clone for Toward<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Toward<'_, M> {}

impl<M: Map> Problem for Toward<'_, M> {
    const MAX_EDGES: usize = M::MAX_EDGES;

    #[inline]
    fn contains(&self, node: NodeId) -> bool {
        self.map.contains(node)
    }

    #[inline]
    fn for_each_successor(
        &self,
        from: NodeId,
        parent: NodeId,
        skip: Skip,
        visit: impl FnMut(NodeId, Cost, Cost),
    ) {
        self.map.for_each_successor(from, parent, self.goal, skip, visit, Sealed);
    }

    #[inline]
    fn estimate(&self, node: NodeId) -> Cost {
        self.map.estimate(node, self.goal)
    }

    #[inline]
    fn max_edge_cost(&self) -> Cost {
        self.map.max_edge_cost()
    }
}
