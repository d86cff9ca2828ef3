//! An explicit weighted graph, for everything that is not a grid.

use std::collections::BTreeMap;

use thiserror::Error;

use super::{Map, Space, grid::octile};
use crate::{Cost, NodeId};

/// A node with more edges than this has a sorted copy of them for fast lookup.
const HUB: usize = 64;

/// A weighted graph, directed or undirected, with an optional octile heuristic from positions.
///
/// ```
/// use tickstar::{Cost, Graph, NodeId, find_path};
/// let edges = [(0, 1, 4), (1, 2, 3), (0, 2, 9)].map(|(a, b, c)| (NodeId(a), NodeId(b), Cost(c)));
/// let graph = Graph::undirected(3, edges)?;
/// let path = find_path(&graph, NodeId(0), NodeId(2), Default::default())?.unwrap();
/// assert_eq!(path.nodes, [NodeId(0), NodeId(1), NodeId(2)]);
/// assert_eq!(path.cost, Cost(7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Graph {
    /// The index of the first edge of each node, plus one entry for the end.
    first: Vec<u32>,
    edges: Vec<(NodeId, Cost)>,
    /// The edges of nodes that have many, sorted by their ends, each end once with its smallest cost.
    hubs: BTreeMap<NodeId, Vec<(NodeId, Cost)>>,
    positions: Vec<(i32, i32)>,
    max_edge_cost: Cost,
    reversible: bool,
}

/// Why a graph could not be created.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum GraphError {
    /// More nodes or edges than 32-bit ids can represent.
    #[error("{nodes} nodes and {edges} edges are more than 32-bit ids can represent")]
    TooLarge {
        /// The requested number of nodes.
        nodes: usize,
        /// The requested number of directed edges.
        edges: usize,
    },
    /// An edge ends outside the graph.
    #[error("the edge from {from} to {to} leaves the graph, which has {nodes} nodes")]
    NoSuchNode {
        /// The start of the edge.
        from: NodeId,
        /// The end of the edge.
        to: NodeId,
        /// The number of nodes.
        nodes: usize,
    },
    /// A cost of zero, or one that is too large for exact sums.
    #[error("the edge from {from} to {to} costs {cost:?}: costs must be above 0 and below 2^32")]
    BadCost {
        /// The start of the edge.
        from: NodeId,
        /// The end of the edge.
        to: NodeId,
        /// Its cost.
        cost: Cost,
    },
    /// The number of positions differs from the number of nodes.
    #[error("{positions} positions for {nodes} nodes")]
    PositionCount {
        /// The number of positions.
        positions: usize,
        /// The number of nodes.
        nodes: usize,
    },
    /// An edge is cheaper than the distance between its ends, so the heuristic would be inadmissible.
    #[error(
        "the edge from {from} to {to} costs {cost:?}, less than the octile distance {distance:?} \
         between its ends: no path may be cheaper than the heuristic"
    )]
    ShorterThanEstimate {
        /// The start of the edge.
        from: NodeId,
        /// The end of the edge.
        to: NodeId,
        /// Its cost.
        cost: Cost,
        /// The distance between its ends.
        distance: Cost,
    },
}

impl Graph {
    /// A graph whose edges can be traversed in both directions.
    ///
    /// # Errors
    /// If an edge leaves the graph or has an invalid cost.
    pub fn undirected(
        nodes: usize,
        edges: impl IntoIterator<Item = (NodeId, NodeId, Cost)>,
    ) -> Result<Graph, GraphError> {
        let both = edges.into_iter().flat_map(|(a, b, cost)| [(a, b, cost), (b, a, cost)]);
        Graph::directed(nodes, both)
    }

    /// A graph whose edges can be traversed in one direction.
    ///
    /// # Errors
    /// If an edge leaves the graph or has an invalid cost.
    pub fn directed(
        nodes: usize,
        edges: impl IntoIterator<Item = (NodeId, NodeId, Cost)>,
    ) -> Result<Graph, GraphError> {
        let list: Vec<_> = edges.into_iter().collect();
        if nodes >= u32::MAX as usize || list.len() >= u32::MAX as usize {
            return Err(GraphError::TooLarge { nodes, edges: list.len() });
        }
        let mut first = vec![0_u32; nodes + 1];
        for &(from, to, cost) in &list {
            if from.index() >= nodes || to.index() >= nodes {
                return Err(GraphError::NoSuchNode { from, to, nodes });
            }
            if cost == Cost::ZERO || cost.0 > u64::from(u32::MAX) {
                return Err(GraphError::BadCost { from, to, cost });
            }
            first[from.index() + 1] += 1;
        }
        for i in 0..nodes {
            first[i + 1] += first[i];
        }
        let mut next = first.clone();
        let mut sorted = vec![(NodeId(0), Cost::ZERO); list.len()];
        for &(from, to, cost) in &list {
            let slot = &mut next[from.index()];
            sorted[*slot as usize] = (to, cost);
            *slot += 1;
        }
        let mut graph = Graph {
            first,
            edges: sorted,
            hubs: BTreeMap::new(),
            positions: Vec::new(),
            max_edge_cost: list.iter().map(|&(_, _, cost)| cost).max().unwrap_or_default(),
            reversible: false,
        };
        graph.index_hubs();
        graph.reversible =
            list.iter().all(|&(from, to, _)| graph.edge(from, to) == graph.edge(to, from));
        Ok(graph)
    }

    /// The same graph with a position for each node: the octile distance between positions becomes the heuristic.
    /// Positions are in cells; costs are then in the unit of [`Cost::STRAIGHT`].
    ///
    /// # Errors
    /// If the number of positions differs from the number of nodes, or an edge costs less than the distance between its
    /// ends.
    pub fn with_positions(mut self, positions: Vec<(i32, i32)>) -> Result<Graph, GraphError> {
        let nodes = self.size();
        if positions.len() != nodes {
            return Err(GraphError::PositionCount { positions: positions.len(), nodes });
        }
        self.positions = positions;
        for from in (0..nodes as u32).map(NodeId) {
            for &(to, cost) in self.edges_of(from) {
                let distance = self.estimate(from, to);
                if cost < distance {
                    return Err(GraphError::ShorterThanEstimate { from, to, cost, distance });
                }
            }
        }
        Ok(self)
    }

    fn index_hubs(&mut self) {
        for node in (0..self.size() as u32).map(NodeId) {
            let edges = self.edges_of(node);
            if edges.len() > HUB {
                let mut edges = edges.to_vec();
                edges.sort_unstable();
                edges.dedup_by_key(|&mut (to, _)| to);
                self.hubs.insert(node, edges);
            }
        }
    }

    fn edges_of(&self, from: NodeId) -> &[(NodeId, Cost)] {
        if from.index() >= self.size() {
            return &[];
        }
        let range = self.first[from.index()] as usize..self.first[from.index() + 1] as usize;
        &self.edges[range]
    }
}

impl Space for Graph {
    fn size(&self) -> usize {
        self.first.len() - 1
    }

    fn contains(&self, node: NodeId) -> bool {
        node.index() < self.size()
    }

    fn for_each_edge(&self, from: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        for &(to, cost) in self.edges_of(from) {
            visit(to, cost);
        }
    }

    fn max_edge_cost(&self) -> Cost {
        self.max_edge_cost
    }

    fn is_reversible(&self) -> bool {
        self.reversible
    }

    /// Searches the node with fewer edges if both directions are equal; takes logarithmic time at a hub.
    fn edge(&self, from: NodeId, to: NodeId) -> Option<Cost> {
        let turn = self.reversible && self.edges_of(to).len() < self.edges_of(from).len();
        let (from, to) = if turn { (to, from) } else { (from, to) };
        let edges = self.edges_of(from);
        if edges.len() <= HUB {
            return edges.iter().filter(|&&(end, _)| end == to).map(|&(_, cost)| cost).min();
        }
        let edges = self.hubs.get(&from)?;
        let at = edges.binary_search_by_key(&to, |&(end, _)| end).ok()?;
        Some(edges[at].1)
    }
}

impl Map for Graph {
    fn estimate(&self, from: NodeId, to: NodeId) -> Cost {
        match (self.positions.get(from.index()), self.positions.get(to.index())) {
            (Some(a), Some(b)) => octile(a.0.abs_diff(b.0).into(), a.1.abs_diff(b.1).into()),
            _ => Cost::ZERO,
        }
    }
    fn position(&self, node: NodeId) -> Option<(i32, i32)> {
        self.positions.get(node.index()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: u32, to: u32, cost: u64) -> (NodeId, NodeId, Cost) {
        (NodeId(from), NodeId(to), Cost(cost))
    }

    #[test]
    fn reversibility_is_detected() {
        assert!(Graph::undirected(3, [edge(0, 1, 2), edge(1, 2, 5)]).unwrap().is_reversible());
        assert!(!Graph::directed(2, [edge(0, 1, 2)]).unwrap().is_reversible());
        let uneven = [edge(0, 1, 2), edge(1, 0, 3)];
        assert!(!Graph::directed(2, uneven).unwrap().is_reversible());
        assert!(Graph::directed(2, [edge(0, 1, 2), edge(1, 0, 2)]).unwrap().is_reversible());
    }

    #[test]
    fn edges_of_hubs_are_found() {
        // Two edges to each leaf, the more expensive one first or last, and one-way edges in the other graph.
        let twice = |leaf: u32| [edge(0, leaf, 5 + u64::from(leaf % 2)), edge(leaf, 0, 5)];
        let edges: Vec<_> = (1..300).flat_map(twice).collect();
        let both = Graph::undirected(300, edges.clone()).unwrap();
        let one_way = Graph::directed(300, edges).unwrap();
        assert!(both.is_reversible() && !one_way.is_reversible());
        for leaf in 1..300 {
            let there = Cost(5 + u64::from(leaf % 2));
            assert_eq!(both.edge(NodeId(0), NodeId(leaf)), Some(Cost(5)));
            assert_eq!(both.edge(NodeId(leaf), NodeId(0)), Some(Cost(5)));
            assert_eq!(one_way.edge(NodeId(0), NodeId(leaf)), Some(there));
            assert_eq!(one_way.edge(NodeId(leaf), NodeId(0)), Some(Cost(5)));
        }
        assert_eq!(both.edge(NodeId(0), NodeId(0)), None);
        assert_eq!(both.edge(NodeId(0), NodeId(300)), None);
    }

    /// Takes hours if each edge is compared with all edges of a hub.
    #[test]
    fn a_star_of_a_million_leaves_is_created_quickly() {
        let star = Graph::undirected(1_000_001, (1..=1_000_000).map(|leaf| edge(0, leaf, 3)));
        let star = star.unwrap();
        assert!(star.is_reversible());
        assert_eq!(star.edge(NodeId(0), NodeId(777_777)), Some(Cost(3)));
    }

    #[test]
    fn errors_identify_the_bad_edge() {
        let error = Graph::directed(2, [edge(0, 2, 1)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the edge from node 0 to node 2 leaves the graph, which has 2 nodes"
        );
        for cost in [0, 1 << 32, u64::MAX] {
            let bad = Graph::directed(2, [edge(0, 1, cost)]);
            assert!(matches!(bad, Err(GraphError::BadCost { .. })), "{cost}");
        }
        let far = Graph::directed(2, [edge(0, 1, 5)]).unwrap();
        let far = far.with_positions(vec![(0, 0), (0, 1)]);
        assert!(matches!(far, Err(GraphError::ShorterThanEstimate { .. })));
        let few = Graph::directed(2, []).unwrap().with_positions(vec![]);
        assert!(matches!(few, Err(GraphError::PositionCount { .. })));
    }
}
