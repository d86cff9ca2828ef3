//! Searchable spaces: grids, graphs, and any other type that implements [`Map`].

mod bits;
mod clearance;
mod graph;
mod grid;
mod layered;
mod map_text;
mod sealed;
mod squares;
#[cfg(feature = "serde")]
mod stored;
mod terrain;

pub(crate) use bits::{Bits, Scan};
pub use clearance::Clearance;
pub use graph::{Graph, GraphError};
pub use grid::{Cell, Corners, Grid, GridError, Neighbors};
pub(crate) use grid::{DIRECTIONS, Geometry, Ids, leads, octile};
pub use layered::Layered;
pub use map_text::MapError;
pub(crate) use sealed::{Sealed, Skip};
pub use terrain::{Terrain, TerrainError};

pub use crate::find::EndpointError;

use crate::regions::Regions;
use crate::{Cost, Hierarchy, NodeId, Subgoals};

/// A weighted graph, as the searches see it.
///
/// Searches and agents borrow it for one call at a time and never own it, so it can be edited between ticks. An
/// implementation must guarantee that
///
/// * every edge cost is above zero, below 2^32, and at most [`Space::max_edge_cost`];
/// * edges are visited in the same order every time;
/// * its size never changes: nodes are blocked and opened, but ids are neither added nor removed.
pub trait Space {
    /// The maximum number of edges per node, if it is known. If it is at most eight, the search needs no overflow list.
    const MAX_EDGES: usize = usize::MAX;

    /// All node ids are below this.
    fn size(&self) -> usize;

    /// Whether the node exists and is passable.
    fn contains(&self, node: NodeId) -> bool;

    /// Calls `visit` with every neighbor of `from` and the cost of the edge to it.
    ///
    /// Internal iteration, so that the whole loop is compiled into the search. A node that is not contained has no
    /// edges.
    fn for_each_edge(&self, from: NodeId, visit: impl FnMut(NodeId, Cost));

    /// The cost of the edge between two nodes, if there is one.
    fn edge(&self, from: NodeId, to: NodeId) -> Option<Cost> {
        let mut found = None;
        self.for_each_edge(from, |node, cost| {
            if node == to && found.is_none_or(|best| cost < best) {
                found = Some(cost);
            }
        });
        found
    }

    /// No edge costs more than this, even after edits.
    fn max_edge_cost(&self) -> Cost;

    /// Whether every edge can be traversed in reverse at the same cost.
    fn is_reversible(&self) -> bool;
}

/// A [`Space`] that agents walk on: it adds a heuristic, and the effect of a changed node on edges.
///
/// Everything has a default, which is correct for a graph without positions whose nodes are never blocked. A better
/// heuristic makes searches faster:
///
/// ```
/// use tickstar::{Cost, Map, NodeId, Space, find_path};
///
/// /// A hundred places on a line.
/// struct Line;
///
/// impl Space for Line {
///     fn size(&self) -> usize {
///         100
///     }
///     fn contains(&self, node: NodeId) -> bool {
///         node.0 < 100
///     }
///     fn for_each_edge(&self, from: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
///         let near = [from.0.checked_sub(1), from.0.checked_add(1)];
///         for to in near.into_iter().flatten().map(NodeId).filter(|&to| self.contains(to)) {
///             visit(to, Cost(5));
///         }
///     }
///     fn max_edge_cost(&self) -> Cost {
///         Cost(5)
///     }
///     fn is_reversible(&self) -> bool {
///         true
///     }
/// }
///
/// impl Map for Line {
///     fn estimate(&self, from: NodeId, to: NodeId) -> Cost {
///         Cost(5 * u64::from(from.0.abs_diff(to.0)))
///     }
/// }
///
/// let path = find_path(&Line, NodeId(3), NodeId(90), Default::default())?.unwrap();
/// assert_eq!((path.nodes.len(), path.expansions), (88, 87));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Map: Space {
    /// The heuristic: a lower bound on the cost from one node to another.
    ///
    /// It must be *consistent*: `estimate(t, t)` is zero, and `estimate(a, t) <= cost(a, b) +
    /// estimate(b, t)` for every edge from `a` to `b`.
    fn estimate(&self, from: NodeId, to: NodeId) -> Cost {
        let _ = (from, to);
        Cost::ZERO
    }

    /// Calls `visit` with the nodes at which an edge may have disappeared or become more expensive, if this node was
    /// blocked or changed: the node itself, and others if their edges depend on it. The nodes at the far ends of its
    /// own edges may be omitted.
    fn for_each_affected(&self, changed: NodeId, mut visit: impl FnMut(NodeId)) {
        visit(changed);
    }

    /// Calls `visit` with the nodes from which edges may have appeared, disappeared or changed their cost, if this
    /// node was blocked, opened or changed: the node itself, all nodes with an edge to it now or before the change,
    /// and others if their edges depend on it. The default is correct if every edge is reversible and nodes are
    /// never blocked; a map whose nodes can be blocked must visit the old neighbors too.
    fn for_each_dependent(&self, changed: NodeId, mut visit: impl FnMut(NodeId)) {
        visit(changed);
        self.for_each_edge(changed, |to, _| visit(to));
    }

    /// A lower bound on the cost of a path that uses an edge which may have appeared or become cheaper when this
    /// node was opened or changed.
    fn estimate_through(&self, from: NodeId, changed: NodeId, to: NodeId) -> Cost {
        self.estimate(from, changed) + self.estimate(changed, to)
    }

    /// The column and row of a node, if nodes have positions.
    fn position(&self, node: NodeId) -> Option<(i32, i32)> {
        let _ = node;
        None
    }

    /// A node in the caller's terms, for messages: `node 6`, or `(2, 1)` on a grid.
    fn describe(&self, node: NodeId) -> String {
        node.to_string()
    }

    /// The hierarchy of levels above the map, for agents that plan on one, if the map has an up-to-date one.
    fn hierarchy(&self) -> Option<&Hierarchy> {
        None
    }

    /// The subgoal tables for the current hierarchy, for D LRTA*, if there are any.
    fn subgoals(&self) -> Option<&Subgoals> {
        None
    }

    /// The regions of the map, for agents that plan on them, if it is a grid that has any.
    fn regions(&self) -> Option<&Regions> {
        None
    }

    /// The grid of this map, if jump point search is possible: it has eight neighbors and no terrain.
    #[doc(hidden)]
    fn jump_grid(&self, sealed: Sealed) -> Option<&Grid> {
        let _ = sealed;
        None
    }

    /// The multiplier of a node, in quarters, on a map with terrain. The hierarchy weighs its edges by the mean over the
    /// nodes below.
    #[doc(hidden)]
    fn quarters(&self, node: NodeId, sealed: Sealed) -> u16 {
        let _ = (node, sealed);
        0
    }

    /// The smallest and the largest multiplier, in quarters, if the map has terrain.
    #[doc(hidden)]
    fn quarters_range(&self, sealed: Sealed) -> Option<(u16, u16)> {
        let _ = sealed;
        None
    }

    /// The edges from a node with the heuristic from each neighbor to the goal, omitting neighbors that cannot
    /// improve a search.
    ///
    /// The search reached `from` by an edge from `parent`, or started there if the two are the same.
    /// `skip` defines what may be omitted; on a grid that is more than half of the neighbors. Only the maps of this
    /// crate can override the default, as the omission rules are easy to get wrong.
    #[doc(hidden)]
    fn for_each_successor(
        &self,
        from: NodeId,
        parent: NodeId,
        goal: NodeId,
        skip: Skip,
        mut visit: impl FnMut(NodeId, Cost, Cost),
        sealed: Sealed,
    ) {
        let _ = (parent, skip, sealed);
        self.for_each_edge(from, |to, cost| visit(to, cost, self.estimate(to, goal)));
    }
}
