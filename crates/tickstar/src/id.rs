//! The identifier of a node in a search space.

use std::fmt;

/// A node of a [`Space`](crate::Space): a cell of a grid or a vertex of a graph.
///
/// Ids are small dense integers, so the search can use them as indices instead of hashing them. Get one from the space
/// it belongs to, for example with [`Grid::node`](crate::Grid::node).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NodeId(pub u32);

impl NodeId {
    /// An id that no node has.
    pub(crate) const NONE: NodeId = NodeId(u32::MAX);

    /// The id as an index into a table.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}", self.0)
    }
}
