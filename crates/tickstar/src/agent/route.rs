//! A path that is being walked.

use crate::{Map, NodeId, Slice};

/// An agent that was pushed off its path looks for it so many steps ahead of where it was, and behind.
const NEAR: usize = 8;

/// A path, and how much of it has been walked.
#[derive(Clone, Debug, Default)]
pub(super) struct Route {
    nodes: Vec<NodeId>,
    /// Where on it the agent was last.
    walked: usize,
    /// Its steps up to here are known to be edges still.
    checked: usize,
}

impl Route {
    /// A path that was just found, of which so many steps have been walked.
    pub fn new(nodes: Vec<NodeId>, walked: usize) -> Route {
        let checked = nodes.len();
        Route { nodes, walked, checked }
    }

    /// Every node of it, also those behind the agent.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Where it leads to.
    pub fn end(&self) -> Option<NodeId> {
        self.nodes.last().copied()
    }

    /// Takes up a path that was just found; what is left of the old one is for its memory.
    pub fn swap(&mut self, path: &mut Vec<NodeId>) {
        std::mem::swap(&mut self.nodes, path);
        path.clear();
        (self.walked, self.checked) = (0, self.nodes.len());
    }

    /// Drops the path, but not its memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
        (self.walked, self.checked) = (0, 0);
    }

    /// Whether an agent that stands here has walked all of it.
    pub fn is_done(&self, at: NodeId) -> bool {
        self.end().is_none_or(|end| end == at)
    }

    /// The agent has moved.
    pub fn moved(&mut self, to: NodeId) {
        self.walked += usize::from(self.nodes.get(self.walked + 1) == Some(&to));
    }

    /// The next step of an agent that stands here: along the path if it is on it, and onto it, as far ahead as
    /// possible, if it is beside it.
    pub fn step(&mut self, map: &impl Map, at: NodeId) -> Option<NodeId> {
        if self.nodes.get(self.walked) != Some(&at) {
            let last = self.nodes.len().min(self.walked + NEAR + 1);
            let near = self.walked.saturating_sub(NEAR)..last;
            let Some(place) = near.clone().rev().find(|&place| self.nodes[place] == at) else {
                let mut places = near.rev().map(|place| self.nodes[place]);
                return places.find(|&node| map.edge(at, node).is_some());
            };
            self.walked = place;
        }
        self.nodes.get(self.walked + 1).copied()
    }

    /// Something has changed: the steps ahead are not known to be edges any more.
    pub fn recheck(&mut self) {
        self.checked = self.walked;
    }

    /// Checks the steps ahead, as far as the slice goes. Returns whether they all are still there.
    pub fn check(&mut self, map: &impl Map, slice: &mut Slice<'_>) -> bool {
        self.checked = self.checked.max(self.walked);
        while let Some(&[from, to]) = self.nodes.get(self.checked..self.checked + 2) {
            if !slice.trace(to) {
                break;
            }
            if map.edge(from, to).is_none() {
                return false;
            }
            self.checked += 1;
        }
        true
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<NodeId>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cell, Grid};

    #[test]
    fn a_route_is_found_again_from_beside_it() {
        let grid = Grid::new(30, 3).unwrap();
        let node = |x, y| grid.node(Cell::new(x, y)).unwrap();
        let mut route = Route::new((0..30).map(|x| node(x, 0)).collect(), 0);
        assert_eq!(route.step(&grid, node(0, 0)), Some(node(1, 0)));
        assert_eq!(route.step(&grid, node(0, 0)), Some(node(1, 0)), "a step that was refused");
        assert_eq!(route.step(&grid, node(1, 0)), Some(node(2, 0)));
        assert_eq!(route.step(&grid, node(1, 1)), Some(node(2, 0)), "pushed aside: on, not back");
        assert_eq!(route.step(&grid, node(2, 0)), Some(node(3, 0)));
        assert_eq!(route.step(&grid, node(7, 0)), Some(node(8, 0)), "pushed on");
        assert_eq!(route.step(&grid, node(4, 0)), Some(node(5, 0)), "and back");
        assert_eq!(route.step(&grid, node(4, 2)), None, "too far");
        assert_eq!(route.step(&grid, node(25, 0)), None, "too far along");
    }
}
