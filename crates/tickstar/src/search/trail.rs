//! Paths traced back from their tips along parent pointers, a few steps at a time.

use super::jump::Segment;
use super::pool::Pool;
use super::table::Paged;
use crate::space::Ids;
use crate::{Cost, NodeId, Slice};

/// The number of nodes for which a trail allocates memory at first.
const SHORT: usize = 64;

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
///
/// In a search by jump points, the lists contain the jump points only. The cells between them are computed when they are
/// asked for, and count like nodes: a place is a number of steps, and a cell is found by its cost, which leads to the
/// jump, and its position. A cell that the search has also reached at another cost may not be found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trails {
    lists: [Vec<NodeId>; 2],
    /// The costs of the nodes in the lists, if there is no table.
    costs: [Vec<Cost>; 2],
    places: Option<Paged<[u32; 2]>>,
    /// If the lists contain jump points: the numbering of their cells,
    jumps: Option<Ids>,
    /// and the number of steps from the tip to each.
    steps: [Vec<usize>; 2],
    /// The path being followed, cell by cell, as far as it has been unrolled; the first is this number of steps from the
    /// tip.
    unrolled: (usize, Vec<NodeId>),
    /// The tables have been swapped an odd number of times.
    swapped: bool,
}

impl Trails {
    /// Two empty trails, of a search in which the costs and parents of closed nodes are `fixed`, or not.
    pub fn new(fixed: bool) -> Trails {
        Trails { places: (!fixed).then(Paged::default), ..Trails::default() }
    }

    /// Drops both trails. The new ones consist of jump points, if the numbering of their cells is given.
    pub fn reset(&mut self, jumps: Option<Ids>) {
        self.jumps = jumps;
        self.lists.iter_mut().for_each(Vec::clear);
        self.costs.iter_mut().for_each(Vec::clear);
        self.steps.iter_mut().for_each(Vec::clear);
        self.unrolled = (0, Vec::new());
    }

    /// Allocates from this pool from now on.
    pub fn set_pool(&mut self, pool: &Pool) {
        if let Some(places) = &mut self.places {
            places.set_pool(pool);
        }
    }

    /// Prepares taking out the trail being followed, from this place on, as far as the slice allows. Returns whether that
    /// is done. It takes several ticks only if the trail consists of jump points, and a place that was given before is
    /// kept.
    pub fn unroll(&mut self, place: usize, slice: &mut Slice<'_>) -> bool {
        if self.jumps.is_none() {
            return true;
        }
        let (first, mut cells) = std::mem::take(&mut self.unrolled);
        let first = if cells.is_empty() { place } else { first };
        cells.reserve_exact((first + 1).saturating_sub(cells.len()));
        let mut done = true;
        while cells.len() <= first
            && let Some(cell) = self.at(Which::Follow, first - cells.len())
        {
            done = slice.trace(cell);
            if !done {
                break;
            }
            cells.push(cell);
        }
        self.unrolled = (first, cells);
        done
    }

    /// Takes out the trail being followed, in walking order, and returns all other memory. Of jump points, it takes what
    /// has been [unrolled](Trails::unroll).
    pub fn take_path(&mut self) -> Vec<NodeId> {
        if self.jumps.is_some() {
            let (_, path) = std::mem::take(&mut self.unrolled);
            self.release();
            return path;
        }
        let slot = self.slot(Which::Follow);
        let mut path = std::mem::take(&mut self.lists[slot]);
        path.reverse();
        if path.capacity() > 2 * path.len() {
            path.shrink_to_fit(); // an earlier path was longer
        }
        self.release();
        path
    }

    /// Returns all memory.
    pub fn release(&mut self) {
        if let Some(places) = &mut self.places {
            places.release();
        }
        (self.lists, self.costs, self.steps, self.unrolled) = Default::default();
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
        if list.capacity() == 0 {
            // A tick that allocates should do so a few times only.
            list.reserve(SHORT);
            if self.places.is_none() {
                self.costs[slot].reserve(SHORT);
            }
        }
        if let Some(ids) = self.jumps {
            let front = list.last().zip(self.steps[slot].last());
            let steps =
                front.map_or(0, |(&end, steps)| steps + Segment::new(ids, parent, end).steps());
            self.steps[slot].push(steps);
        }
        match &mut self.places {
            Some(places) if self.jumps.is_none() => {
                let places = places.slot(parent);
                let known = places[slot] as usize;
                if list.get(known) == Some(&parent) {
                    list.truncate(known + 1);
                    return;
                }
                places[slot] = list.len() as u32;
            }
            _ => self.costs[slot].push(g),
        }
        list.push(parent);
    }

    /// The number of steps from a node to the tip of the fresh trail, if the last extension has reached the node.
    pub fn reached(&self, node: NodeId) -> Option<usize> {
        let slot = self.slot(Which::Fresh);
        let list = &self.lists[slot];
        let front = list.len().checked_sub(1)?;
        if self.jumps.is_some() {
            return self.place_on_jump(slot, front, node);
        }
        (list[front] == node).then_some(front)
    }

    /// The number of steps from a node to the tip, if the node is on the jump from this jump point of the list to the
    /// next.
    fn place_on_jump(&self, slot: usize, from: usize, node: NodeId) -> Option<usize> {
        let (list, ids) = (&self.lists[slot], self.jumps?);
        let begin = *list.get(from)?;
        let Some(to) = from.checked_sub(1) else { return (begin == node).then_some(0) };
        let steps = Segment::new(ids, begin, list[to]).steps_from(node)?;
        Some(self.steps[slot][to] + steps)
    }

    /// The node to which the fresh trail has been traced back so far.
    pub fn front(&self) -> Option<NodeId> {
        self.lists[self.slot(Which::Fresh)].last().copied()
    }

    /// Makes the fresh trail the one to follow, and drops the old one.
    pub fn adopt(&mut self) {
        self.swapped = !self.swapped;
        self.unrolled = (0, Vec::new());
        self.drop_fresh();
    }

    /// Drops the fresh trail.
    pub fn drop_fresh(&mut self) {
        let slot = self.slot(Which::Fresh);
        self.lists[slot].clear();
        self.costs[slot].clear();
        self.steps[slot].clear();
    }

    /// The node a trail leads to.
    pub fn tip(&self, which: Which) -> Option<NodeId> {
        self.at(which, 0)
    }

    /// The number of nodes of a trail.
    pub fn len(&self, which: Which) -> usize {
        let slot = self.slot(which);
        self.steps[slot].last().map_or(self.lists[slot].len(), |&steps| steps + 1)
    }

    /// The number of steps from a node to the tip, if the node is on the trail. `g` is the cost from the root to it, if
    /// the search has generated it.
    pub fn place(&self, which: Which, node: NodeId, g: Option<Cost>) -> Option<usize> {
        let slot = self.slot(which);
        let list = &self.lists[slot];
        if self.jumps.is_some() {
            if list.first() == Some(&node) {
                return Some(0);
            }
            let from = self.costs[slot].partition_point(|&cost| Some(cost) > g);
            return self.place_on_jump(slot, from, node);
        }
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
        let slot = self.slot(which);
        let list = &self.lists[slot];
        let Some(ids) = self.jumps else { return list.get(place).copied() };
        let from = self.steps[slot].partition_point(|&steps| steps < place);
        let begin = *list.get(from)?;
        let Some(to) = from.checked_sub(1) else { return Some(begin) };
        Some(Segment::new(ids, begin, list[to]).before_end(place - self.steps[slot][to]))
    }

    /// The jump point behind a place on the trail being followed, and the cost from the root to that place; none if the
    /// trail does not consist of jump points.
    pub fn behind(&self, place: usize) -> Option<(NodeId, Cost)> {
        let (slot, ids) = (self.slot(Which::Follow), self.jumps?);
        let from = self.steps[slot].partition_point(|&steps| steps <= place);
        let begin = *self.lists[slot].get(from)?;
        let cell = self.at(Which::Follow, place)?;
        Some((begin, self.costs[slot][from] + Segment::new(ids, begin, cell).cost()))
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
        let steps: usize = self.steps.iter().map(Vec::capacity).sum();
        let nodes = nodes + self.unrolled.1.capacity();
        places
            + nodes * size_of::<NodeId>()
            + costs * size_of::<Cost>()
            + steps * size_of::<usize>()
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
            trails.reset(None);
            assert_eq!(place(&trails, Follow, 3), None);
        }
    }

    #[test]
    fn the_cells_between_jump_points_are_on_the_trail() {
        let grid = crate::Grid::new(40, 40).unwrap();
        let node = |x, y| grid.node(crate::Cell::new(x, y)).unwrap();
        let g = |straight, diagonal| Cost::of_steps(straight, diagonal);
        let mut trails = Trails::new(true);
        trails.reset(Some(grid.ids()));
        // From (2, 3) diagonally to (7, 8) and straight to (11, 8); from there straight to (11, 20).
        trails.begin(node(11, 20), g(16, 5));
        assert_eq!(trails.reached(node(11, 20)), Some(0));
        trails.extend(node(11, 8), g(4, 5));
        assert_eq!(trails.reached(node(11, 14)), Some(6), "within the last jump");
        trails.extend(node(2, 3), Cost::ZERO);
        assert_eq!(trails.reached(node(11, 14)), None, "within an earlier jump");
        let place = |trails: &Trails, which, (x, y), g| trails.place(which, node(x, y), Some(g));
        assert_eq!(place(&trails, Fresh, (11, 14), g(10, 5)), Some(6));
        assert_eq!(place(&trails, Follow, (11, 14), g(10, 5)), None);
        trails.adopt();
        assert_eq!(place(&trails, Follow, (11, 20), g(1, 1)), Some(0), "a tip that became cheaper");
        assert_eq!(place(&trails, Follow, (11, 8), g(4, 5)), Some(12));
        assert_eq!(place(&trails, Follow, (9, 8), g(2, 5)), Some(14));
        assert_eq!(place(&trails, Follow, (4, 5), g(0, 2)), Some(19));
        assert_eq!(place(&trails, Follow, (2, 3), Cost::ZERO), Some(21));
        assert_eq!(place(&trails, Follow, (4, 6), g(0, 2)), None, "beside it");
        assert_eq!(trails.place(Follow, node(4, 5), None), None);
        for (at, (x, y)) in
            [(0, (11, 20)), (1, (11, 19)), (12, (11, 8)), (17, (6, 7)), (21, (2, 3))]
        {
            assert_eq!(trails.at(Follow, at), Some(node(x, y)));
        }
        assert_eq!((trails.at(Follow, 22), trails.at(Follow, usize::MAX)), (None, None));
        assert_eq!(trails.behind(6), Some((node(11, 8), g(10, 5))));
        assert_eq!(trails.behind(12), Some((node(2, 3), g(4, 5))));
        assert_eq!(trails.behind(19), Some((node(2, 3), g(0, 2))));
        assert_eq!(trails.behind(21), None, "the root");
        // It is written out over several ticks, while the agent walks on.
        let slices = [(15, false), (13, false), (2, true)];
        for (place, done) in slices {
            let limits = crate::Limits { traces: 7, ..crate::Limits::NONE };
            let unrolled = Slice::new(0).within(limits, |slice| trails.unroll(place, slice));
            assert_eq!(unrolled, done);
        }
        let path = trails.take_path();
        assert_eq!(path.len(), 16);
        assert_eq!((path[0], path[3], path[15]), (node(8, 8), node(11, 8), node(11, 20)));
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
