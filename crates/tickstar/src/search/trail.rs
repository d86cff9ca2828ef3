//! Paths traced back from their tips along parent pointers, a few steps at a time.

use super::pool::Pool;
use super::table::Paged;
use crate::NodeId;

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
/// Whether a node is on a trail, and which node comes next, is determined in constant time: each trail is a list that
/// starts at its tip, and each node stores its index in either list. An index is valid only if the list has the node at
/// that index, so nothing is ever erased.
///
/// If parents change during a trace (only when closed nodes are reopened), the trace may reach a node that is already
/// in the list. The list is then truncated to that node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trails {
    places: Paged<[u32; 2]>,
    lists: [Vec<NodeId>; 2],
    /// The tables have been swapped an odd number of times.
    swapped: bool,
}

impl Trails {
    /// Drops both trails.
    pub fn reset(&mut self) {
        self.lists.iter_mut().for_each(Vec::clear);
    }

    /// Allocates from this pool from now on.
    pub fn set_pool(&mut self, pool: &Pool) {
        self.places.set_pool(pool);
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
        self.places.release();
        self.lists = Default::default();
    }

    /// Whether released memory has yet to be returned to the allocator.
    #[inline]
    pub fn has_released(&self) -> bool {
        self.places.has_released()
    }

    /// Returns released memory to the allocator: see [`Paged::reclaim`].
    pub fn reclaim(&mut self, blocks: u64) -> u64 {
        self.places.reclaim(blocks)
    }

    /// Starts the fresh trail again, with its tip alone.
    pub fn begin(&mut self, tip: NodeId) {
        let slot = self.slot(Which::Fresh);
        self.lists[slot].clear();
        self.extend(tip);
    }

    /// Extends the fresh trail by the parent of its front.
    pub fn extend(&mut self, parent: NodeId) {
        let slot = self.slot(Which::Fresh);
        let list = &mut self.lists[slot];
        let places = self.places.slot(parent);
        let known = places[slot] as usize;
        if list.get(known) == Some(&parent) {
            list.truncate(known + 1);
            return;
        }
        places[slot] = list.len() as u32;
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
    }

    /// The node a trail leads to.
    pub fn tip(&self, which: Which) -> Option<NodeId> {
        self.at(which, 0)
    }

    /// The number of steps from a node to the tip, if the node is on the trail.
    pub fn place(&self, which: Which, node: NodeId) -> Option<usize> {
        let slot = self.slot(which);
        let place = self.places.find(node)?[slot] as usize;
        (self.lists[slot].get(place) == Some(&node)).then_some(place)
    }

    /// The node that is `place` steps from the tip.
    pub fn at(&self, which: Which, place: usize) -> Option<NodeId> {
        self.lists[self.slot(which)].get(place).copied()
    }

    /// The next node toward the tip, if the node is on the trail and not its tip.
    pub fn next(&self, which: Which, node: NodeId) -> Option<NodeId> {
        let place = self.place(which, node)?.checked_sub(1)?;
        self.at(which, place)
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        let entries: usize = self.lists.iter().map(Vec::capacity).sum();
        self.places.bytes() + entries * size_of::<NodeId>()
    }

    fn slot(&self, which: Which) -> usize {
        (which as usize) ^ usize::from(self.swapped)
    }
}

#[cfg(test)]
mod tests {
    use super::Which::{Follow, Fresh};
    use super::*;

    fn trails() -> Trails {
        let mut trails = Trails::default();
        trails.reset();
        trails
    }

    #[test]
    fn a_trail_is_walked_from_front_to_tip() {
        let mut trails = trails();
        assert_eq!((trails.tip(Follow), trails.next(Follow, NodeId(0))), (None, None));
        trails.begin(NodeId(5));
        trails.extend(NodeId(4));
        trails.extend(NodeId(2));
        trails.adopt();
        assert_eq!(trails.place(Follow, NodeId(2)), Some(2));
        assert_eq!(trails.next(Follow, NodeId(2)), Some(NodeId(4)));
        assert_eq!(trails.next(Follow, NodeId(4)), Some(NodeId(5)));
        assert_eq!(trails.next(Follow, NodeId(5)), None);
        assert_eq!(trails.place(Follow, NodeId(3)), None);
        // A fresh trail over the same nodes does not disturb the one being followed.
        trails.begin(NodeId(3));
        trails.extend(NodeId(2));
        assert_eq!(trails.place(Fresh, NodeId(2)), Some(1));
        assert_eq!(trails.next(Follow, NodeId(2)), Some(NodeId(4)));
        trails.adopt();
        assert_eq!(trails.place(Follow, NodeId(5)), None, "indices of a dropped trail are invalid");
        assert_eq!(trails.next(Follow, NodeId(2)), Some(NodeId(3)));
        trails.reset();
        assert_eq!(trails.place(Follow, NodeId(3)), None);
    }

    #[test]
    fn reaching_a_node_of_the_trail_truncates_it_there() {
        let mut trails = trails();
        trails.begin(NodeId(5));
        trails.extend(NodeId(4));
        trails.extend(NodeId(3));
        trails.extend(NodeId(4)); // the parent of 3 is now 4, which is already on the trail
        trails.extend(NodeId(1));
        assert_eq!(trails.next(Fresh, NodeId(1)), Some(NodeId(4)));
        assert_eq!(trails.place(Fresh, NodeId(1)), Some(2));
        assert_eq!(trails.place(Fresh, NodeId(3)), None);
    }
}
