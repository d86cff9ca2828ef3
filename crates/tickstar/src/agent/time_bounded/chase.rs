//! How an agent follows a goal that moves: the head of `time_bounded.rs` describes when its search is kept.

use super::TimeBoundedPolicy;
use crate::search::Route;
use crate::{Map, NodeId, Slice, Status};

/// A goal that jumps by at most this fraction of its distance from the agent is first followed to where it was.
const NEAR: u64 = 8;

impl TimeBoundedPolicy {
    /// Whether the search has found a path to where it leads.
    pub(super) fn is_reached(&self) -> bool {
        self.met || self.search.status() == Status::Reached
    }

    /// The most promising node of the search.
    pub(super) fn tip(&self) -> Option<NodeId> {
        if self.met { Some(self.goal) } else { self.search.best() }
    }

    /// Keeps the search, if it serves a goal that has moved from one node to another.
    pub(super) fn serves<M: Map>(
        &mut self,
        map: &M,
        (from, to): (NodeId, NodeId),
        slice: &mut Slice<'_>,
    ) -> bool {
        if self.fresh {
            return false;
        }
        if self.route.is_none() && self.search.status() == Status::Exhausted {
            // Where no path leads, no path leads to a neighbor either.
            let joined = map.is_reversible() && map.edge(from, to).is_some();
            self.goal = if joined { to } else { self.goal };
            return joined;
        }
        let end = if let Some(route) = &mut self.route {
            if route.nodes().is_empty() {
                return false;
            }
            if route.lead_to(map, to, slice) {
                return true;
            }
            route.end()
        } else {
            let generated = self.search.cost_to(to).is_some();
            if generated && (!self.is_reached() || self.place_ahead(to).is_some()) {
                self.end_at(to);
                return true;
            }
            if self.trail.nodes().is_empty() {
                self.trail = Route::new(vec![self.goal], 0);
            }
            if self.trail.lead_to(map, to, slice) {
                return true;
            }
            self.trail.end()
        };
        let jump = end.map_or(u64::MAX, |end| map.estimate(end, to).0);
        jump > 0 && jump <= map.estimate(self.at, to).0 / NEAR
    }

    /// Whether there may be a path to the goal although there is none to where the search leads: the goal has jumped, or
    /// the place that it left may have been cut off since.
    pub(super) fn may_be_apart(&self, map: &impl Map) -> bool {
        self.changed || self.trail.end() != Some(self.target) || !map.is_reversible()
    }

    /// Ends the search at a node that it has generated.
    fn end_at(&mut self, node: NodeId) {
        (self.goal, self.met) = (node, true);
        self.trail.clear();
        self.trails.drop_fresh();
        (self.tracing, self.solved) = (false, false);
    }

    /// The agent is where the search leads, but its goal has moved on: walks along the trail of the goal.
    pub(super) fn follow_trail(&mut self) {
        self.route = Some(std::mem::take(&mut self.trail));
        if !self.config.search.learn {
            self.release();
        }
    }

    /// Keeps only the agent's position.
    pub(super) fn stay_here(&mut self) {
        self.route = Some(Route::new(vec![self.at], 0));
        if !self.config.search.learn {
            self.release();
        }
    }
}
