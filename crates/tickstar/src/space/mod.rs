//! What can be searched: grids, graphs, and whatever else implements [`Space`].

mod corridor;
mod graph;
mod grid;
mod layered;
mod map_text;
#[cfg(feature = "serde")]
mod stored;

pub(crate) use corridor::{Corridor, Exit, Marks};
pub use graph::{Graph, GraphError};
pub use grid::{Cell, Corners, Grid, GridError, Neighbors};
pub use layered::Layered;
pub use map_text::MapError;

use crate::{Cost, Hierarchy, NodeId, Subgoals};

/// Which neighbours of a node a search need not be shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Skip {
    /// The parent, and any node that an edge leads to straight from the parent at no greater cost
    /// than over this node: the search has been there.
    Seen,
    /// Also any node to which two edges lead from the parent, over a third node, at a cost strictly
    /// lower than over this node. That is sound for A* alone, and on a map that does not change
    /// during the search: the third node is on the open list with a smaller key, and will be
    /// expanded before the dearer way could ever come to its turn.
    Beaten,
}

/// A weighted graph with a distance estimate, as the searches see it.
///
/// The searches borrow a space for one call at a time and never own it, so it can be edited
/// between ticks. An implementation must promise three things:
///
/// * every edge cost is above zero, below 2^32, and at most [`Space::max_edge_cost`];
/// * the estimate is *consistent*: `estimate(t, t)` is zero, and
///   `estimate(a, t) <= cost(a, b) + estimate(b, t)` for every edge from `a` to `b`;
/// * edges are visited in the same order every time.
pub trait Space {
    /// The most edges a node can have, where that is known. Up to eight, the search needs no room
    /// for more.
    const MAX_EDGES: usize = usize::MAX;

    /// All node ids are below this.
    fn size(&self) -> usize;

    /// Whether the node exists and can be stood on.
    fn contains(&self, node: NodeId) -> bool;

    /// Calls `visit` with every neighbour of `from` and the cost of the edge to it.
    ///
    /// Internal iteration, so that the whole loop is compiled into the search. A node that is not
    /// contained has no edges.
    fn for_each_edge(&self, from: NodeId, visit: impl FnMut(NodeId, Cost));

    /// The edges from a node as a search towards a goal wants them: with the estimate from each
    /// neighbour to the goal, and without those that cannot be news.
    ///
    /// The search came to `from` by an edge from `parent`, or began there if the two are the same.
    /// What may be left out is said by `skip`; for most spaces there is nothing to leave out, on a
    /// grid it is more than half of the neighbours.
    fn for_each_edge_onward(
        &self,
        from: NodeId,
        parent: NodeId,
        goal: NodeId,
        skip: Skip,
        mut visit: impl FnMut(NodeId, Cost, Cost),
    ) {
        let _ = (parent, skip);
        self.for_each_edge(from, |to, cost| visit(to, cost, self.estimate(to, goal)));
    }

    /// A consistent lower bound on the cost from one node to another.
    fn estimate(&self, from: NodeId, to: NodeId) -> Cost;

    /// No edge costs more than this, also after edits.
    fn max_edge_cost(&self) -> Cost;

    /// Whether every edge can be walked back at the same cost.
    fn is_reversible(&self) -> bool;

    /// Calls `visit` with the nodes at which an edge may have gone or grown dearer, if this node was
    /// blocked or changed: itself, and others if their edges depend on it. Those at the far end of
    /// its own edges need not be named.
    fn for_each_affected(&self, changed: NodeId, mut visit: impl FnMut(NodeId)) {
        visit(changed);
    }

    /// Calls `visit` with the nodes from which edges may have come, gone or changed their cost, if this
    /// node was blocked, opened or changed: itself, all from which an edge leads to it or did before,
    /// and others if their edges depend on it. What is given here is right where every edge can be walked
    /// back and nodes are never blocked; a space whose nodes can be must name the old neighbours too.
    fn for_each_dependent(&self, changed: NodeId, mut visit: impl FnMut(NodeId)) {
        visit(changed);
        self.for_each_edge(changed, |to, _| visit(to));
    }

    /// A lower bound on the cost of a way that uses an edge which may have come or grown cheaper when
    /// this node was opened or changed.
    fn estimate_through(&self, from: NodeId, changed: NodeId, to: NodeId) -> Cost {
        self.estimate(from, changed) + self.estimate(changed, to)
    }

    /// Column and row of a node, if nodes have positions.
    fn position(&self, node: NodeId) -> Option<(i32, i32)> {
        let _ = node;
        None
    }

    /// The same map at many scales, for the searches that plan on it, if the space keeps one in step with
    /// itself.
    fn hierarchy(&self) -> Option<&Hierarchy> {
        None
    }

    /// The tables of subgoals that were made for the hierarchy as it is, for D LRTA*, if there are any.
    fn subgoals(&self) -> Option<&Subgoals> {
        None
    }

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
}
