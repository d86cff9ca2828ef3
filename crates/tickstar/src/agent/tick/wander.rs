//! Early steps: the agent walks toward where its search leads, before it has planned a path.
//!
//! Each step leads to the neighbor nearest to that place; cells where the agent was lately count as farther away, the more
//! so the more often it was there, so it leaves a dead end of its own accord and never stands still.

use crate::{Cost, Map, NodeId, Slice};

/// The number of positions that are remembered.
const RECENT: usize = 16;
/// A position lately visited counts as so many straight steps farther away.
const PENALTY: u64 = 4;

/// The agent's recent positions.
#[derive(Clone, Debug)]
pub(super) struct Wander {
    recent: [NodeId; RECENT],
    next: usize,
    /// The way that the agent has come since a leg began at its position: from there to where it is now.
    trail: Vec<NodeId>,
}

impl Default for Wander {
    fn default() -> Wander {
        Wander { recent: [NodeId::NONE; RECENT], next: 0, trail: Vec::new() }
    }
}

impl Wander {
    /// A new task begins at a node.
    pub fn begin(&mut self, start: NodeId) {
        self.recent = [NodeId::NONE; RECENT];
        self.next = 0;
        self.remember(start);
        self.forget_trail();
    }

    fn remember(&mut self, node: NodeId) {
        self.recent[self.next % RECENT] = node;
        self.next += 1;
    }

    /// A leg begins at the agent's position.
    pub fn begin_trail(&mut self, at: NodeId) {
        self.trail.clear();
        self.trail.push(at);
    }

    pub fn forget_trail(&mut self) {
        self.trail.clear();
    }

    /// The agent has moved; `early` if not along its path.
    pub fn moved(&mut self, from: NodeId, to: NodeId, early: bool) {
        if !early {
            return;
        }
        self.remember(to);
        if self.trail.is_empty() {
            self.trail.push(from);
        }
        // Without loops.
        match self.trail.iter().position(|&node| node == to) {
            Some(known) => self.trail.truncate(known + 1),
            None => self.trail.push(to),
        }
    }

    /// The next early step toward a node.
    pub fn step<M: Map>(&self, map: &M, at: NodeId, target: NodeId) -> Option<NodeId> {
        let mut best = (Cost::INFINITE, None);
        map.for_each_edge(at, |to, cost| {
            let visits = self.recent.iter().filter(|&&node| node == to).count() as u64;
            let score = map.estimate(to, target) + cost + Cost(visits * PENALTY * Cost::STRAIGHT.0);
            if score < best.0 {
                best = (score, Some(to));
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
