//! Early steps: before it has planned a path, the agent walks toward where its search leads.
//!
//! The first step is taken in the first tick. Then, as long as the front of the search over regions is far away, it is
//! unlikely that a step toward it will be on the path, so the agent waits until the front has covered two thirds of the
//! distance. From then on, and toward the end of a leg that is being planned, it goes where that brings it nearer.

use crate::{Cost, Map, NodeId, Slice};

/// Nodes that are compared for the price of one visit to a list.
const COMPARED: usize = 8;

/// What is known of the early steps of one task.
#[derive(Clone, Debug, Default)]
pub(super) struct Wander {
    /// A third of the distance between start and goal on an empty map.
    near: Cost,
    has_moved: bool,
    /// The way that the agent has come since a leg began at its position: from there to where it is now.
    trail: Vec<NodeId>,
    /// How many nodes of the trail, from its end, a leg does not meet, and how many nodes of the leg, from its end, have
    /// been compared with the next one.
    compared: (usize, usize),
}

impl Wander {
    /// A new task begins, at this distance from its goal on an empty map.
    pub fn begin(&mut self, distance: Cost) {
        (self.near, self.has_moved) = (Cost(distance.0 / 3), false);
        self.forget_trail();
    }

    pub fn forget_trail(&mut self) {
        self.trail.clear();
        self.compared = (0, 0);
    }

    /// The agent has moved; `early` if not along its path.
    pub fn moved(&mut self, from: NodeId, to: NodeId, early: bool) {
        (self.has_moved, self.compared) = (true, (0, 0));
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

    /// The next early step, if one should be taken: toward the end of a leg, or toward the front of the search. The first
    /// step is always taken, toward the goal if nothing else is known.
    pub fn step<M: Map>(
        &self,
        map: &M,
        at: NodeId,
        leg: Option<NodeId>,
        front: Option<NodeId>,
        goal: NodeId,
    ) -> Option<NodeId> {
        let target = leg.or(front).or((!self.has_moved).then_some(goal))?;
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
    /// agent meets it, or back along the trail. Returns whether that is done, or the slice is spent; until then the agent
    /// must stay where it is.
    pub fn lead<M: Map>(
        &mut self,
        map: &M,
        at: NodeId,
        path: &mut Vec<NodeId>,
        slice: &mut Slice<'_>,
    ) -> bool {
        if path.first() == Some(&at) {
            self.forget_trail();
            return true;
        }
        // First a step onto the path, as far along it as possible; then back along the trail.
        let (mut back, mut compared) = self.compared;
        let place = loop {
            let Some(&from) = self.trail.iter().rev().nth(back).or((back == 0).then_some(&at))
            else {
                break None;
            };
            let meets = |&node: &NodeId| node == from || back == 0 && map.edge(at, node).is_some();
            let batch = if back == 0 { COMPARED / 4 } else { COMPARED };
            let end = path.len().saturating_sub(compared);
            if end == 0 {
                (back, compared) = (back + 1, 0);
                continue;
            }
            if !slice.scan() {
                self.compared = (back, compared);
                return false;
            }
            let first = end.saturating_sub(batch);
            if let Some(place) = path[first..end].iter().rposition(meets) {
                break Some(first + place);
            }
            compared += batch;
        };
        if let Some(place) = place {
            path.drain(..place);
            if path.first() == Some(&at) {
                self.forget_trail();
                return true;
            }
            // The way back begins at the agent, and ends before the node where it meets the path.
            let way = self.trail.iter().rev().take(back).skip(1).copied();
            path.splice(..0, [at].into_iter().chain(way));
        }
        self.forget_trail();
        true
    }

    pub fn bytes(&self) -> usize {
        self.trail.capacity() * size_of::<NodeId>()
    }
}
