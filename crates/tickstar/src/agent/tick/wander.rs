//! Early steps: before it has planned a path, the agent walks toward where its search leads.
//!
//! The first step is taken in the first tick. Then, as long as the front of the search over regions is far away, it is
//! unlikely that a step toward it will be on the path, so the agent waits until the front has covered two thirds of the
//! distance. From then on, until the search is complete, it goes where that brings it nearer to the front. (Steps toward
//! the end of a leg that is being planned were tried as well: with ten units per tick the agent walked up to twice as far
//! in rooms and in unknown terrain, and arrived no sooner.) With many units per tick only the first step is taken early.

use crate::{Cost, Map, NodeId};

/// What is known of the early steps of one task.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wander {
    /// A third of the distance between start and goal on an empty map.
    near: Cost,
    has_moved: bool,
}

impl Wander {
    /// A new task begins, at this distance from its goal on an empty map.
    pub fn begin(distance: Cost) -> Wander {
        Wander { near: Cost(distance.0 / 3), has_moved: false }
    }

    /// Whether the agent has taken a step.
    pub fn has_moved(&self) -> bool {
        self.has_moved
    }

    /// The agent has moved.
    pub fn moved(&mut self) {
        self.has_moved = true;
    }

    /// The next early step, if one should be taken: toward the front of the search. The first step is always taken,
    /// toward the goal or the end of the first leg if the search is complete.
    pub fn step<M: Map>(
        &self,
        map: &M,
        at: NodeId,
        front: Option<NodeId>,
        end: NodeId,
    ) -> Option<NodeId> {
        let target = front.or((!self.has_moved).then_some(end))?;
        let distance = map.estimate(at, target);
        if self.has_moved && distance > self.near {
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
}
