//! A path that is being walked.

use crate::{Cost, Map, NodeId, Slice};

/// How many steps ahead of and behind its last place an agent that was pushed off its path searches for it.
const NEAR: usize = 8;

/// A path, and how much of it has been walked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Route {
    nodes: Vec<NodeId>,
    /// The index of the agent's last position on it.
    walked: usize,
    /// The steps up to this index have been checked to be edges still.
    checked: usize,
}

impl Route {
    /// A newly found path, of which `walked` steps have been walked.
    pub fn new(nodes: Vec<NodeId>, walked: usize) -> Route {
        let checked = nodes.len();
        Route { nodes, walked, checked }
    }

    /// All of its nodes, including those behind the agent.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The index of the agent's last position.
    pub fn walked(&self) -> usize {
        self.walked
    }

    /// Replaces the nodes from one index to another by a path between the same two nodes.
    pub fn replace(&mut self, first: usize, last: usize, path: &[NodeId]) {
        let checked = self.checked >= self.nodes.len();
        self.nodes.splice(first..=last, path.iter().copied());
        self.checked = if checked { self.nodes.len() } else { self.checked.min(first) };
    }

    /// Drops the nodes from this index on.
    pub fn truncate(&mut self, len: usize) {
        self.nodes.truncate(len);
        self.checked = self.checked.min(len);
    }

    /// The last node.
    pub fn end(&self) -> Option<NodeId> {
        self.nodes.last().copied()
    }

    /// Replaces the path by a newly found one; the old vector is returned for reuse of its memory.
    pub fn swap(&mut self, path: &mut Vec<NodeId>) {
        std::mem::swap(&mut self.nodes, path);
        path.clear();
        (self.walked, self.checked) = (0, self.nodes.len());
    }

    /// Drops the path, but keeps its memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
        (self.walked, self.checked) = (0, 0);
    }

    /// Whether a step of it has been walked.
    pub fn is_begun(&self) -> bool {
        self.walked > 0
    }

    /// Whether an agent at this node has walked all of it.
    pub fn is_done(&self, at: NodeId) -> bool {
        self.end().is_none_or(|end| end == at)
    }

    /// The agent has moved.
    pub fn moved(&mut self, to: NodeId) {
        self.walked += usize::from(self.nodes.get(self.walked + 1) == Some(&to));
    }

    /// The next step of an agent at this node: along the path if it is on it, and onto it, as far ahead as possible, if
    /// it is beside it.
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

    /// Continues with a path that starts where this one ends, and is emptied.
    pub fn join(&mut self, path: &mut Vec<NodeId>) {
        if self.nodes.is_empty() {
            return self.swap(path);
        }
        let checked = self.checked >= self.nodes.len();
        self.nodes.extend(path.drain(..).skip(1));
        self.checked = if checked { self.nodes.len() } else { self.checked };
    }

    /// Extends the path to a goal that has moved on from its end along an edge, or truncates it if the goal has come
    /// back onto it. Returns whether the path leads there now.
    pub fn lead_to(&mut self, map: &impl Map, goal: NodeId, slice: &mut Slice<'_>) -> bool {
        let Some(end) = self.end() else { return false };
        let ahead = &self.nodes[self.walked.min(self.nodes.len())..];
        slice.charge_entries(ahead.len() as u64 / 8);
        if let Some(place) = ahead.iter().rposition(|&node| node == goal) {
            self.nodes.truncate(self.walked + place + 1);
            return true;
        }
        if map.edge(end, goal).is_none() {
            return false;
        }
        // What has been walked is dropped, now and then: a chase may be long.
        if self.walked > 64 && self.walked > self.nodes.len() / 2 {
            let dropped = self.walked - 1;
            self.nodes.drain(..dropped);
            self.checked = self.checked.saturating_sub(dropped);
            self.walked = 1;
        }
        self.nodes.push(goal);
        true
    }

    /// Adds the costs of the steps between two indices to a sum, as far as the slice allows. Returns the index that was
    /// reached.
    pub fn add_costs(
        &self,
        map: &impl Map,
        from: usize,
        to: usize,
        sum: &mut Cost,
        slice: &mut Slice<'_>,
    ) -> usize {
        for at in from..to {
            // Two steps for the price of one: they are looked up in a list.
            if at % 2 == 0 && !slice.trace(self.nodes[at]) {
                return at;
            }
            let step = map.edge(self.nodes[at], self.nodes[at + 1]);
            *sum = *sum + step.unwrap_or(Cost::INFINITE);
        }
        to
    }

    /// Something changed: the steps ahead must be checked again.
    pub fn recheck(&mut self) {
        self.checked = self.walked;
    }

    /// Checks the steps ahead, as far as the slice allows. Returns whether all of them are still edges.
    pub fn check(&mut self, map: &impl Map, slice: &mut Slice<'_>) -> bool {
        self.first_cut(map, usize::MAX, slice).is_none()
    }

    /// Checks at most so many steps ahead, as far as the slice allows. Returns the index of the first node from which
    /// no edge leads to the next one any more.
    pub fn first_cut(
        &mut self,
        map: &impl Map,
        steps: usize,
        slice: &mut Slice<'_>,
    ) -> Option<usize> {
        self.checked = self.checked.max(self.walked);
        let last = self.walked.saturating_add(steps);
        while let Some(&[from, to]) = self.nodes.get(self.checked..self.checked + 2) {
            if self.checked >= last || !slice.trace(to) {
                break;
            }
            if map.edge(from, to).is_none() {
                return Some(self.checked);
            }
            self.checked += 1;
        }
        None
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
    fn an_agent_beside_its_route_rejoins_it() {
        let grid = Grid::new(30, 3).unwrap();
        let node = |x, y| grid.node(Cell::new(x, y)).unwrap();
        let mut route = Route::new((0..30).map(|x| node(x, 0)).collect(), 0);
        assert_eq!(route.step(&grid, node(0, 0)), Some(node(1, 0)));
        assert_eq!(route.step(&grid, node(0, 0)), Some(node(1, 0)), "a step that was refused");
        assert_eq!(route.step(&grid, node(1, 0)), Some(node(2, 0)));
        assert_eq!(
            route.step(&grid, node(1, 1)),
            Some(node(2, 0)),
            "pushed aside: forward, not back"
        );
        assert_eq!(route.step(&grid, node(2, 0)), Some(node(3, 0)));
        assert_eq!(route.step(&grid, node(7, 0)), Some(node(8, 0)), "pushed ahead");
        assert_eq!(route.step(&grid, node(4, 0)), Some(node(5, 0)), "pushed back");
        assert_eq!(route.step(&grid, node(4, 2)), None, "too far");
        assert_eq!(route.step(&grid, node(25, 0)), None, "too far along");
    }

    #[test]
    fn a_route_leads_to_a_goal_that_moves() {
        let grid = Grid::new(300, 3).unwrap();
        let node = |x, y| grid.node(Cell::new(x, y)).unwrap();
        let mut route = Route::new((0..5).map(|x| node(x, 0)).collect(), 0);
        let slice = &mut Slice::unlimited();
        let end = |route: &Route| route.end().unwrap();
        assert!(route.lead_to(&grid, node(5, 1), slice) && end(&route) == node(5, 1));
        assert!(!route.lead_to(&grid, node(9, 1), slice), "a jump");
        assert_eq!(end(&route), node(5, 1));
        assert!(route.lead_to(&grid, node(3, 0), slice) && end(&route) == node(3, 0), "a loop");
        route.moved(node(1, 0));
        assert!(!route.lead_to(&grid, node(0, 0), slice), "already passed, and not a neighbor");
        assert!(route.lead_to(&grid, node(1, 0), slice) && route.is_done(node(1, 0)));
        // What has been walked is dropped, but for the last step.
        for x in 2..300 {
            assert!(route.lead_to(&grid, node(x, 0), slice));
            assert_eq!(route.step(&grid, node(x - 1, 0)), Some(node(x, 0)));
            route.moved(node(x, 0));
        }
        assert!(route.is_begun() && route.nodes().len() < 70);
        assert!(!Route::default().lead_to(&grid, node(0, 0), slice));
    }
}
