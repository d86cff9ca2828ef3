//! Step 0 of a tick: how an agent reacts when the map changes or differs from what was assumed. The head of
//! `time_bounded.rs` lists the deviations from the papers.

use super::TimeBoundedPolicy;
use crate::search::Which::{self, Follow, Fresh};
use crate::{Cost, Map, NodeId, Slice, Status};

/// When the search restarts from the agent's position after changes of the known map.
///
/// Whatever the setting, it restarts when the next step is no longer legal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Restart {
    /// Only in that case: for known maps that seldom change.
    #[default]
    Stopped,
    /// When the path to the most promising node, or the way back to it, is blocked or has become more expensive: RTBA*
    /// and TBAA*, for maps that are discovered on the way.
    Path,
    /// Also when a cost has decreased and a path through that place may be better by more than the weight of the
    /// search: the lazy restart of the 2014 paper, for maps that change.
    Lazy,
    /// After any change.
    Eager,
}

/// The way back to the path from the agent's position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Back {
    /// It is blocked.
    Cut,
    /// It joins the path at this node.
    Joins(NodeId),
    /// It is longer than the tick may trace, or there is no path.
    Far,
}

impl TimeBoundedPolicy {
    /// Records changes. Returns whether any of them may have decreased a cost.
    pub(super) fn note(&mut self, map: &impl Map, changed: &[NodeId]) -> bool {
        self.changed = true;
        self.search.note_blocking();
        let fell = changed.iter().any(|&node| map.contains(node));
        if fell {
            self.fell = true;
            self.search.note_opening();
        }
        fell
    }

    /// Step 0: whether these changes require a restart.
    pub(super) fn must_restart(
        &self,
        map: &impl Map,
        changed: &[NodeId],
        fell: bool,
        slice: &mut Slice<'_>,
    ) -> bool {
        match self.config.restart {
            Restart::Stopped => false,
            Restart::Eager => true,
            Restart::Path => {
                let back = self.back(map, slice);
                self.is_cut(map, changed, back)
            }
            Restart::Lazy => {
                let back = self.back(map, slice);
                self.is_cut(map, changed, back) || fell && self.is_undercut(map, changed, back)
            }
        }
    }

    /// Checks the way back to the path, as far as the tick's trace steps reach.
    pub(super) fn back(&self, map: &impl Map, slice: &mut Slice<'_>) -> Back {
        let mut node = self.at;
        while self.place_ahead(node).is_none() {
            let Some(back) = self.way_back(node) else { return Back::Far };
            if map.edge(node, back).is_none() {
                return Back::Cut;
            }
            if !slice.trace(back) {
                return Back::Far;
            }
            node = back;
        }
        Back::Joins(node)
    }

    /// Whether the way back is blocked, or a change has blocked a path or made it more expensive.
    fn is_cut(&self, map: &impl Map, changed: &[NodeId], back: Back) -> bool {
        if back == Back::Cut {
            return true;
        }
        let last = self.place(Follow, self.at).unwrap_or(usize::MAX).min(self.ahead);
        // Where much of the map changes at once, a look at each edge of the paths takes far less time than nine for
        // each change: with 100,000 changes at a time (the 2014 paper's worlds) an agent takes a tenth of the time.
        let edges = self.trails.len(Follow).min(last) + self.trails.len(Fresh);
        if edges < 4 * changed.len() {
            return self.has_cut(map, Follow, last) || self.has_cut(map, Fresh, usize::MAX);
        }
        let mut cut = false;
        for &node in changed {
            map.for_each_affected(node, |node| {
                cut |= self.is_cut_at(map, node, Follow, last);
                cut |= self.is_cut_at(map, node, Fresh, usize::MAX);
            });
        }
        cut
    }

    /// Whether a path is blocked anywhere up to `last` steps from its tip.
    fn has_cut(&self, map: &impl Map, which: Which, last: usize) -> bool {
        let nodes = (0..=last).map_while(|place| self.trails.at(which, place));
        let parents = nodes.clone().skip(1);
        nodes.zip(parents).any(|(child, parent)| !self.holds(map, parent, child))
    }

    /// Whether a path is blocked next to this node, if the node is on the path and at most `last` steps from its tip.
    fn is_cut_at(&self, map: &impl Map, node: NodeId, which: Which, last: usize) -> bool {
        let Some(place) = self.place(which, node) else { return false };
        let cut = |parent: usize, child: usize| {
            let ends = (self.trails.at(which, parent), self.trails.at(which, child));
            let (Some(parent), Some(child)) = ends else { return false };
            !self.holds(map, parent, child)
        };
        let before = place < last && cut(place + 1, place);
        before || place <= last && place > 0 && cut(place, place - 1)
    }

    /// Whether an edge of a path exists and is no more expensive than when the search generated it.
    pub(super) fn holds(&self, map: &impl Map, parent: NodeId, child: NodeId) -> bool {
        let g = |node| self.search.cost_to(node).unwrap_or_default();
        // With reopening, the child may have a different parent by now, and a smaller g.
        let costlier =
            |cost: Cost| cost > g(child) - g(parent) && self.search.parent(child) == Some(parent);
        map.edge(parent, child).is_some_and(|cost| !costlier(cost))
    }

    /// Whether a path over an edge that is new or has become cheaper may be better than the rest of the path, by more
    /// than the weight of the search.
    fn is_undercut(&self, map: &impl Map, changed: &[NodeId], back: Back) -> bool {
        let Some(rest) = self.remaining_cost(map, back) else { return false };
        let priority = self.config.search.priority;
        changed.iter().any(|&node| {
            let through = || map.estimate_through(self.at, node, self.goal);
            map.contains(node) && priority.prefers(through(), rest)
        })
    }

    /// The remaining cost: back to the path, along it, and the heuristic from its tip to the goal. An upper bound on
    /// that if the way back is far.
    fn remaining_cost(&self, map: &impl Map, back: Back) -> Option<Cost> {
        if self.search.status() == Status::Exhausted {
            return Some(Cost::INFINITE);
        }
        let tip = self.trails.tip(Follow)?;
        let junction = if let Back::Joins(node) = back { node } else { self.root };
        let g = |node| self.search.cost_to(node).unwrap_or(Cost::INFINITE);
        let walk = (g(self.at) - g(junction)) + (g(tip) - g(junction));
        Some(walk + self.search.estimate(map, tip))
    }

    /// The next node from here for an agent that is off the path.
    fn way_back(&self, node: NodeId) -> Option<NodeId> {
        let shortcut = self.shortcut.as_ref().and_then(|shortcut| shortcut.step(node));
        shortcut.or_else(|| self.search.parent(node))
    }
}
