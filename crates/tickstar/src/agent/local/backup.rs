//! Values that spread from the border of a region into it: for each node inside, the cheapest way out
//! and what is estimated from there.
//!
//! This is Dijkstra's search from the border, run by the one best-first loop on the region alone. The
//! value of a node can be given a floor: what is known of it already.

use crate::{
    BestFirst, Cost, NodeId, OpenList, Priority, SearchConfig, Skip, Slice, Space, Status, Work,
};

#[derive(Clone, Debug)]
pub(super) struct Backup {
    search: BestFirst,
    /// The nodes whose values are final.
    settled: Vec<NodeId>,
}

impl Backup {
    pub fn new(open: OpenList) -> Backup {
        let priority = Priority::FLOORED;
        let config = SearchConfig { priority, open, ..SearchConfig::default() };
        Backup { search: BestFirst::new(config), settled: Vec::new() }
    }

    /// Begins anew, with values that are about so far apart. The goal must not be in the region.
    pub fn begin(&mut self, space: &impl Space, goal: NodeId, range: Cost) {
        self.search.begin_in(space, goal, (range + space.max_edge_cost()).0);
        self.settled.clear();
    }

    /// A node inside from which such a way leads out, not below its floor.
    pub fn seed(&mut self, space: &impl Space, node: NodeId, value: Cost) {
        self.search.add_root(space, node, value);
    }

    /// Spreads the values, each node charged as an update, of which the tick may do twice its budget in
    /// all. What is inside is told by its floor. Answers whether every node inside has its value.
    pub fn spread(
        &mut self,
        space: &impl Space,
        floor: impl Fn(NodeId) -> Option<Cost>,
        slice: &mut Slice<'_>,
    ) -> bool {
        let settled = &mut self.settled;
        let mut charge = |work| {
            let Work::Expand(node) = work else { return true };
            let go_on = may_update(slice, node);
            if go_on {
                settled.push(node);
            }
            go_on
        };
        let region = Region { space, floor };
        self.search.run(&region, &mut Slice::watched(u64::MAX, &mut charge)) != Status::Working
    }

    /// The nodes that have their values, with these.
    pub fn values(&self) -> impl Iterator<Item = (NodeId, Cost)> + '_ {
        self.settled.iter().map(|&node| (node, self.value(node)))
    }

    /// The value of a node inside; without a limit if no way leads out.
    pub fn value(&self, node: NodeId) -> Cost {
        self.search.cost_to(node).unwrap_or(Cost::INFINITE)
    }

    pub fn bytes(&self) -> usize {
        self.search.bytes() + self.settled.capacity() * size_of::<NodeId>()
    }
}

/// Asks to update a node, of which a tick may do twice its budget.
pub(super) fn may_update(slice: &mut Slice<'_>, node: NodeId) -> bool {
    slice.updates() < slice.budget().saturating_mul(2) && slice.update(node)
}

/// A part of a space: the nodes inside, which have a floor, and the edges between them. Estimates are the
/// floors.
struct Region<'s, S, F> {
    space: &'s S,
    floor: F,
}

impl<S: Space, F: Fn(NodeId) -> Option<Cost>> Space for Region<'_, S, F> {
    const MAX_EDGES: usize = S::MAX_EDGES;

    fn size(&self) -> usize {
        self.space.size()
    }

    fn contains(&self, node: NodeId) -> bool {
        self.space.contains(node) && (self.floor)(node).is_some()
    }

    fn for_each_edge(&self, from: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        self.space.for_each_edge(from, |to, cost| {
            if (self.floor)(to).is_some() {
                visit(to, cost);
            }
        });
    }

    /// What the parent leads to itself is in the region if this node leads to it there.
    #[inline]
    fn for_each_edge_onward(
        &self,
        from: NodeId,
        parent: NodeId,
        goal: NodeId,
        skip: Skip,
        mut visit: impl FnMut(NodeId, Cost, Cost),
    ) {
        debug_assert!(skip == Skip::Seen, "a third node may be outside");
        self.space.for_each_edge_onward(from, parent, goal, skip, |to, cost, _| {
            if let Some(floor) = (self.floor)(to) {
                visit(to, cost, floor);
            }
        });
    }

    fn estimate(&self, from: NodeId, _to: NodeId) -> Cost {
        (self.floor)(from).unwrap_or_default()
    }

    fn max_edge_cost(&self) -> Cost {
        self.space.max_edge_cost()
    }

    fn is_reversible(&self) -> bool {
        self.space.is_reversible()
    }
}
