//! Early steps: before it has planned a path, the agent walks toward where its search leads.
//!
//! The first step is taken in the first tick. Then, as long as the front of the search over regions is far away, it is
//! unlikely that a step toward it will be on the path, so the agent waits until the front has covered two thirds of the
//! distance. From then on, and toward the end of a leg that is being planned, it goes where that brings it nearer.

use crate::{Cost, Map, NodeId, Slice};

/// What is known of the early steps of one task.
#[derive(Clone, Debug, Default)]
pub(super) struct Wander {
    /// A third of the distance between start and goal on an empty map.
    near: Cost,
    has_moved: bool,
    /// The way that the agent has come since a leg began at its position: from there to where it is now.
    trail: Vec<NodeId>,
}

impl Wander {
    /// A new task begins, at this distance from its goal on an empty map.
    pub fn begin(&mut self, distance: Cost) {
        (self.near, self.has_moved) = (Cost(distance.0 / 3), false);
        self.forget_trail();
    }

    pub fn forget_trail(&mut self) {
        self.trail.clear();
    }

    /// The agent has moved; `early` if not along its path.
    pub fn moved(&mut self, from: NodeId, to: NodeId, early: bool) {
        self.has_moved = true;
        if !early {
            return;
        }
        if self.trail.is_empty() {
            self.trail.push(from);
        }
        // Without loops.
        match self.trail.iter().position(|&node| node == to) {
            Some(known) => self.trail.truncate(known + 1),
            None => self.trail.push(to),
        }
    }

    /// The next early step, if one should be taken: toward the end of a leg, or toward the front of the search.
    pub fn step<M: Map>(
        &self,
        map: &M,
        at: NodeId,
        leg: Option<NodeId>,
        front: NodeId,
    ) -> Option<NodeId> {
        let target = leg.unwrap_or(front);
        let distance = map.estimate(at, target);
        if self.has_moved && leg.is_none() && distance > self.near {
            return None;
        }
        let mut best = (if self.has_moved { distance } else { Cost::INFINITE }, None);
        map.for_each_edge(at, |to, _| {
            let estimate = map.estimate(to, target);
            if estimate < best.0 {
                best = (estimate, Some(to));
            }
        });
        best.1
    }

    /// Lets a path that begins where the trail began start at the agent's position: where the trail or a step from the
    /// agent meets it, or back along the trail.
    pub fn lead<M: Map>(
        &mut self,
        map: &M,
        at: NodeId,
        path: &mut Vec<NodeId>,
        slice: &mut Slice<'_>,
    ) {
        if path.first() == Some(&at) {
            return self.forget_trail();
        }
        slice.charge_entries(path.len() as u64);
        // A step onto the path, as far along it as possible.
        let direct = path.iter().rposition(|&node| node == at || map.edge(at, node).is_some());
        if let Some(place) = direct {
            path.drain(..place);
            if path.first() != Some(&at) {
                path.insert(0, at);
            }
            return self.forget_trail();
        }
        let back = self.trail.iter().rev().enumerate().find_map(|(steps, node)| {
            path.iter().rposition(|known| known == node).map(|place| (steps, place))
        });
        slice.charge_entries((self.trail.len() * path.len()) as u64 / 8);
        if let Some((steps, place)) = back {
            let way: Vec<NodeId> = self.trail.iter().rev().take(steps).copied().collect();
            path.splice(..place, way);
        }
        self.forget_trail();
    }

    pub fn bytes(&self) -> usize {
        self.trail.capacity() * size_of::<NodeId>()
    }
}
