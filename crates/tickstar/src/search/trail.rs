//! Paths traced back from their tips along parent pointers, a few steps at a time.

use super::pool::Pool;
use super::table::Paged;
use crate::{Cost, NodeId};

/// Which of the two trails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Which {
    /// The one being followed.
    Follow = 0,
    /// The one being traced.
    Fresh = 1,
}

/// Two paths, each leading to a tip: the one an agent follows, and the one being traced meanwhile.
///
/// Each trail is a list that starts at its tip, with the cost from the root to each node. To find a node in it, its cost
/// is looked up, as costs fall from node to node: that takes logarithmic time, and a trace step touches no memory but
/// the end of the list. (With a table of the nodes' places instead, a trace step took twice as long on large maps, where
/// each is a cache miss.)
///
/// If closed nodes are reopened, costs and parents change after they were traced. Then there is a table, in which each
/// node stores its index in either list. An index is valid only if the list has the node at that index, so nothing is
/// ever erased. The trace may then also reach a node that is already in the list, which is truncated to that node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trails {
    lists: [Vec<NodeId>; 2],
    /// The costs of the nodes in the lists, if there is no table.
    costs: [Vec<Cost>; 2],
    places: Option<Paged<[u32; 2]>>,
    /// The tables have been swapped an odd number of times.
    swapped: bool,
}

impl Trails {
    /// Two empty trails, of a search in which the costs and parents of closed nodes are `fixed`, or not.
    pub fn new(fixed: bool) -> Trails {
        Trails { places: (!fixed).then(Paged::default), ..Trails::default() }
    }

    /// Drops both trails.
    pub fn reset(&mut self) {
        self.lists.iter_mut().for_each(Vec::clear);
        self.costs.iter_mut().for_each(Vec::clear);
    }

    /// Allocates from this pool from now on.
    pub fn set_pool(&mut self, pool: &Pool) {
        if let Some(places) = &mut self.places {
            places.set_pool(pool);
        }
    }

    /// Takes out the trail being followed, in walking order, and returns all other memory.
    pub fn take_path(&mut self) -> Vec<NodeId> {
        let slot = self.slot(Which::Follow);
        let mut path = std::mem::take(&mut self.lists[slot]);
        path.reverse();
        path.shrink_to_fit(); // an earlier path may have been longer
        self.release();
        path
    }

    /// Returns all memory.
    pub fn release(&mut self) {
        if let Some(places) = &mut self.places {
            places.release();
        }
        (self.lists, self.costs) = Default::default();
    }

    /// Whether released memory has yet to be returned to the allocator.
    #[inline]
    pub fn has_released(&self) -> bool {
        self.places.as_ref().is_some_and(Paged::has_released)
    }

    /// Returns released memory to the allocator: see [`Paged::reclaim`].
    pub fn reclaim(&mut self, blocks: u64) -> u64 {
        self.places.as_mut().map_or(0, |places| places.reclaim(blocks))
    }

    /// Starts the fresh trail again, with its tip alone; `g` is the cost from the root to it.
    pub fn begin(&mut self, tip: NodeId, g: Cost) {
        self.drop_fresh();
        self.extend(tip, g);
    }

    /// Extends the fresh trail by the parent of its front.
    pub fn extend(&mut self, parent: NodeId, g: Cost) {
        let slot = self.slot(Which::Fresh);
        let list = &mut self.lists[slot];
        match &mut self.places {
            None => self.costs[slot].push(g),
            Some(places) => {
                let places = places.slot(parent);
                let known = places[slot] as usize;
                if list.get(known) == Some(&parent) {
                    list.truncate(known + 1);
                    return;
                }
                places[slot] = list.len() as u32;
            }
        }
        list.push(parent);
    }

    /// The node to which the fresh trail has been traced back so far.
    pub fn front(&self) -> Option<NodeId> {
        self.lists[self.slot(Which::Fresh)].last().copied()
    }

    /// Makes the fresh trail the one to follow, and drops the old one.
    pub fn adopt(&mut self) {
        self.swapped = !self.swapped;
        self.drop_fresh();
    }

    /// Drops the fresh trail.
    pub fn drop_fresh(&mut self) {
        let slot = self.slot(Which::Fresh);
        self.lists[slot].clear();
        self.costs[slot].clear();
    }

    /// The node a trail leads to.
    pub fn tip(&self, which: Which) -> Option<NodeId> {
        self.at(which, 0)
    }

    /// The number of steps from a node to the tip, if the node is on the trail. `g` is the cost from the root to it, if
    /// the search has generated it.
    pub fn place(&self, which: Which, node: NodeId, g: Option<Cost>) -> Option<usize> {
        let slot = self.slot(which);
        let list = &self.lists[slot];
        let place = match &self.places {
            Some(places) => places.find(node)?[slot] as usize,
            // The tip need not be closed, so its cost may have fallen.
            None if list.first() == Some(&node) => 0,
            None => {
                let g = g?;
                self.costs[slot].partition_point(|&cost| cost > g)
            }
        };
        (list.get(place) == Some(&node)).then_some(place)
    }

    /// The node that is `place` steps from the tip.
    pub fn at(&self, which: Which, place: usize) -> Option<NodeId> {
        self.lists[self.slot(which)].get(place).copied()
    }

    /// The next node toward the tip, if the node is on the trail and not its tip; `g` as in [`Trails::place`].
    pub fn next(&self, which: Which, node: NodeId, g: Option<Cost>) -> Option<NodeId> {
        let place = self.place(which, node, g)?.checked_sub(1)?;
        self.at(which, place)
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        let nodes: usize = self.lists.iter().map(Vec::capacity).sum();
        let costs: usize = self.costs.iter().map(Vec::capacity).sum();
        let places = self.places.as_ref().map_or(0, Paged::bytes);
        places + nodes * size_of::<NodeId>() + costs * size_of::<Cost>()
    }

    fn slot(&self, which: Which) -> usize {
        (which as usize) ^ usize::from(self.swapped)
    }
}

#[cfg(test)]
mod tests {
    use super::Which::{Follow, Fresh};
    use super::*;

    /// In the tests, the cost to a node is ten times its number.
    fn g(node: u32) -> Cost {
        Cost(u64::from(10 * node))
    }

    fn extend(trails: &mut Trails, node: u32) {
        trails.extend(NodeId(node), g(node));
    }

    fn place(trails: &Trails, which: Which, node: u32) -> Option<usize> {
        trails.place(which, NodeId(node), Some(g(node)))
    }

    fn next(trails: &Trails, which: Which, node: u32) -> Option<NodeId> {
        trails.next(which, NodeId(node), Some(g(node)))
    }

    #[test]
    fn a_trail_is_walked_from_front_to_tip() {
        for fixed in [false, true] {
            let mut trails = Trails::new(fixed);
            assert_eq!((trails.tip(Follow), next(&trails, Follow, 0)), (None, None));
            trails.begin(NodeId(5), Cost(50));
            extend(&mut trails, 4);
            extend(&mut trails, 2);
            trails.adopt();
            assert_eq!(place(&trails, Follow, 2), Some(2));
            assert_eq!(next(&trails, Follow, 2), Some(NodeId(4)));
            assert_eq!(next(&trails, Follow, 4), Some(NodeId(5)));
            assert_eq!(next(&trails, Follow, 5), None);
            assert_eq!(place(&trails, Follow, 3), None);
            assert_eq!(
                trails.place(Follow, NodeId(3), Some(g(2))),
                None,
                "another node of equal cost"
            );
            assert_eq!(
                trails.place(Follow, NodeId(5), Some(g(3))),
                Some(0),
                "a tip that became cheaper"
            );
            // A fresh trail over the same nodes does not disturb the one being followed.
            trails.begin(NodeId(3), Cost(30));
            extend(&mut trails, 2);
            assert_eq!(place(&trails, Fresh, 2), Some(1));
            assert_eq!(next(&trails, Follow, 2), Some(NodeId(4)));
            trails.adopt();
            assert_eq!(place(&trails, Follow, 5), None, "indices of a dropped trail are invalid");
            assert_eq!(next(&trails, Follow, 2), Some(NodeId(3)));
            trails.reset();
            assert_eq!(place(&trails, Follow, 3), None);
        }
    }

    #[test]
    fn reaching_a_node_of_the_trail_truncates_it_there() {
        let mut trails = Trails::new(false);
        trails.begin(NodeId(5), Cost(50));
        extend(&mut trails, 4);
        extend(&mut trails, 3);
        extend(&mut trails, 4); // the parent of 3 is now 4, which is already on the trail
        extend(&mut trails, 1);
        assert_eq!(next(&trails, Fresh, 1), Some(NodeId(4)));
        assert_eq!(place(&trails, Fresh, 1), Some(2));
        assert_eq!(place(&trails, Fresh, 3), None);
    }
}
