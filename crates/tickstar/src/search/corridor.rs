//! A level of a map, restricted to the nodes below some nodes of a level above it.

use super::pool::Pool;
use super::problem::Problem;
use super::table::{Stamp, Stamped};
use crate::hierarchy::Parents;
use crate::{Cost, Hierarchy, Level, NodeId, Skip, Space};

/// Marked nodes of one level. All marks are dropped in constant time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks(Stamped<Word>);

/// The marks of as many nodes with consecutive ids as it has bits, and the epoch they were set in.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    stamp: u32,
    bits: u32,
}

impl Stamp for Word {
    #[inline]
    fn stamp(&self) -> u32 {
        self.stamp
    }
}

/// The number of the word that holds the mark of a node, as an id of the table, and the bit.
#[inline]
fn place(node: NodeId) -> (NodeId, u32) {
    (NodeId(node.0 / u32::BITS), 1 << (node.0 % u32::BITS))
}

impl Marks {
    /// Drops all marks.
    pub fn clear(&mut self) {
        self.0.begin();
    }

    /// Marks a node.
    pub fn add(&mut self, node: NodeId) {
        let (word, bit) = place(node);
        if let Some(word) = self.0.find_mut(word) {
            word.bits |= bit;
        } else {
            self.0.set(word, Word { stamp: self.0.now(), bits: bit });
        }
    }

    #[inline]
    pub fn has(&self, node: NodeId) -> bool {
        let (word, bit) = place(node);
        self.0.find(word).is_some_and(|word| word.bits & bit != 0)
    }

    pub fn set_pool(&mut self, pool: &Pool) {
        self.0.pages_mut().set_pool(pool);
    }

    /// Returns all memory.
    pub fn release(&mut self) {
        self.0.pages_mut().release();
    }

    /// Returns released blocks to the allocator, at most this many. Returns how many.
    pub fn reclaim(&mut self, blocks: u64) -> u64 {
        self.0.pages_mut().reclaim(blocks)
    }

    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

/// A level of a map, restricted to the nodes below some marked nodes of a level above: the corridor in which a coarse
/// path is refined.
///
/// The path may end at one node, or at any node of a region. In the latter case there is one additional node, the
/// *gate*, with an edge from each node of the region, and it is the goal of the heuristic: through the nodes of the
/// region, on to an aim beyond it. Its edges cost as much as the heuristic from there to the aim, minus what all of
/// them have in common, so that the first node of the region that a search expands ends it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corridor<'a, P> {
    /// The whole level, toward the end of the corridor, or the aim beyond it.
    pub inner: P,
    /// The parents of its nodes.
    pub parents: Parents<'a>,
    pub hierarchy: &'a Hierarchy,
    /// The level of `inner`, and how many levels above it the marked nodes are: one at least.
    pub level: usize,
    pub over: usize,
    pub marks: &'a Marks,
    pub end: End,
}

/// A whole level above the map with one of its nodes as the goal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OnLevel<'h> {
    level: Level<'h>,
    /// The position of the goal, if nodes have positions.
    goal: Option<(i32, i32)>,
}

impl<'h> OnLevel<'h> {
    pub fn new(level: Level<'h>, goal: NodeId) -> OnLevel<'h> {
        OnLevel { level, goal: level.mean_position(goal) }
    }
}

impl Problem for OnLevel<'_> {
    const MAX_EDGES: usize = usize::MAX;
    const PREDICTABLE: bool = false;

    fn contains(&self, node: NodeId) -> bool {
        self.level.contains(node)
    }

    #[inline]
    fn for_each_successor(
        &self,
        from: NodeId,
        _: NodeId,
        _: Skip,
        mut visit: impl FnMut(NodeId, Cost, Cost),
    ) {
        self.level.for_each_edge(from, |to, cost| visit(to, cost, Cost::ZERO));
    }

    #[inline(always)]
    fn admit(&self, node: NodeId, _: Cost, _: Cost) -> Option<Cost> {
        Some(self.estimate(node))
    }

    #[inline]
    fn estimate(&self, node: NodeId) -> Cost {
        self.goal.map_or(Cost::ZERO, |goal| self.level.estimate_to(node, goal))
    }

    fn max_edge_cost(&self) -> Cost {
        self.level.max_edge_cost()
    }
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

    /// The node of the level that the heuristic leads to.
    pub fn aim(self) -> NodeId {
        match self {
            End::Node(node) => node,
            End::Region { aim, .. } => aim,
        }
    }

    /// Whether the path found ends in the gate, which is not a real node.
    pub fn has_gate(self) -> bool {
        matches!(self, End::Region { .. })
    }
}

impl<P: Problem> Corridor<'_, P> {
    /// The ancestor of a node on the marked level.
    #[inline(always)]
    fn above(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.parents.of(node)?;
        if self.over == 1 {
            return Some(parent);
        }
        (self.level + 1..self.level + self.over)
            .try_fold(parent, |node, level| self.hierarchy.parent(level, node))
    }

    #[inline(always)]
    fn allows(&self, node: NodeId) -> bool {
        self.above(node).is_some_and(|above| self.marks.has(above))
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

impl<P: Problem> Problem for Corridor<'_, P> {
    const MAX_EDGES: usize = P::MAX_EDGES.saturating_add(1);
    const PREDICTABLE: bool = P::PREDICTABLE;

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
        let visit_inner = |to, cost, estimate| visit(to, cost, estimate);
        self.inner.for_each_successor(from, parent, Skip::Seen, visit_inner);
        if let End::Region { region, gate, .. } = self.end
            && self.above(from) == Some(region)
        {
            visit(gate, self.estimate(from), Cost::ZERO);
        }
    }

    /// Only nodes of the corridor, and the gate.
    #[inline(always)]
    fn admit(&self, node: NodeId, g: Cost, estimate: Cost) -> Option<Cost> {
        if self.allows(node) {
            return Some(self.onward(self.inner.admit(node, g, estimate)?));
        }
        (self.end.goal() == node && self.end.has_gate()).then_some(Cost::ZERO)
    }

    fn estimate(&self, node: NodeId) -> Cost {
        self.onward(self.inner.estimate(node))
    }

    fn max_edge_cost(&self) -> Cost {
        self.inner.max_edge_cost()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each node has a mark of its own, also where others share its word or its block, until all are dropped.
    #[test]
    fn marks_are_those_of_the_last_epoch() {
        let mut marks = Marks::default();
        let has = |marks: &Marks| -> Vec<u32> {
            (0..200_000).filter(|&node| marks.has(NodeId(node))).collect()
        };
        for nodes in [&[0, 31, 32, 4095, 4096, 131_071, 131_072][..], &[1, 33, 150_000], &[]] {
            marks.clear();
            for &node in nodes.iter().chain(nodes) {
                marks.add(NodeId(node));
            }
            assert_eq!(has(&marks), nodes);
        }
    }
}
