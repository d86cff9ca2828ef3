//! Enhancement 1 of the 2009 paper: a shortcut to the known path while backtracking.
//!
//! When the path to the goal is known and the agent is off it, walking back to the junction can be needlessly long: in
//! the paper's figure 2 the agent would leave a corridor by its far end although there is an opening beside it. So on
//! each step back a bounded A* runs from the nodes of the known path, each with its true cost to the goal as initial g,
//! toward the agent. If it reaches the agent, the agent walks the path found to the known path and continues along it.
//!
//! # Deviations
//! * Seeding the whole path does not take constant time. Each seed is charged as a trace step, from a node near the
//!   agent outward; that node is found by following the path from the junction as long as it comes nearer, and is then
//!   updated as the agent moves.
//! * The shortcut must be strictly cheaper than walking back, which requires the junction of the agent's branch with
//!   the path: it is found by climbing the branch, charged as trace steps, over several ticks if necessary.

use super::MainSearch;
use super::trail::Trails;
use super::trail::Which::Follow;
use crate::{BestFirst, Cost, Event, Map, NodeId, OpenList, Pool, SearchConfig, Slice, Status};

#[derive(Clone, Debug)]
pub(crate) struct Shortcut {
    search: BestFirst,
    /// A node of the path near the agent: starting at the junction, it is moved along the path as long as that brings
    /// it nearer.
    near: Option<NodeId>,
    /// How far the agent's branch has been climbed to find the junction.
    climbed: Option<NodeId>,
    /// A shortcut was found and is being walked.
    found: bool,
}

impl Shortcut {
    pub fn new(open: OpenList) -> Shortcut {
        let config = SearchConfig { open, ..SearchConfig::default() };
        Shortcut { search: BestFirst::new(config), near: None, climbed: None, found: false }
    }

    pub fn reset(&mut self) {
        self.near = None;
        self.climbed = None;
        self.found = false;
    }

    /// The next node of the shortcut, while one is being walked. The search ran from the path to the agent, so its
    /// parent pointers lead from the agent to the path.
    pub fn step(&self, at: NodeId) -> Option<NodeId> {
        if self.found { self.search.parent(at) } else { None }
    }

    /// Searches for a shortcut from the path to the agent, within the slice.
    pub fn seek(
        &mut self,
        map: &impl Map,
        main: &MainSearch,
        trails: &Trails,
        agent: NodeId,
        slice: &mut Slice<'_>,
    ) {
        let Some(junction) = self.junction(main, trails, agent, slice) else { return };
        let g = |node| main.cost_to(node).unwrap_or(Cost::INFINITE);
        let goal = main.goal();
        let walking_back = (g(agent) - g(junction)) + (g(goal) - g(junction));
        let near = self.follow_agent(map, main, trails, agent, junction, slice);

        // Adds seeds outward from the nearest node, alternating between both sides.
        self.search.begin(map, agent, map.estimate(goal, agent));
        let mut ahead = std::iter::successors(Some(near), |&node| {
            trails.next(Follow, node, main.cost_to(node))
        });
        let mut behind = std::iter::successors(Some(near), |&node| {
            main.parent(node).filter(|_| node != junction)
        });
        behind.next();
        loop {
            let pair = [ahead.next(), behind.next()];
            let seeds = pair.into_iter().flatten();
            let placed = seeds.take_while(|&seed| slice.trace(seed)).map(|seed| {
                self.search.add_root(map, seed, g(goal) - g(seed));
            });
            if placed.count() < pair.iter().flatten().count().max(1) {
                break;
            }
        }
        if self.search.run(map, slice) == Status::Reached
            && self.search.cost_to(agent).is_some_and(|cost| cost < walking_back)
        {
            self.found = true;
            slice.note(Event::Shortcut);
        }
    }

    /// Climbs from the agent to the first node on the path; the agent itself walks the same nodes.
    fn junction(
        &mut self,
        main: &MainSearch,
        trails: &Trails,
        agent: NodeId,
        slice: &mut Slice<'_>,
    ) -> Option<NodeId> {
        let mut node = self.climbed.unwrap_or(agent);
        while trails.place(Follow, node, main.cost_to(node)).is_none() {
            let parent = main.parent(node)?;
            if !slice.trace(parent) {
                self.climbed = Some(node);
                return None;
            }
            node = parent;
        }
        self.climbed = Some(node);
        Some(node)
    }

    /// Moves the near node along the path as long as that brings it nearer to the agent.
    fn follow_agent(
        &mut self,
        map: &impl Map,
        main: &MainSearch,
        trails: &Trails,
        agent: NodeId,
        junction: NodeId,
        slice: &mut Slice<'_>,
    ) -> NodeId {
        let mut near = self.near.unwrap_or(junction);
        let mut distance = map.estimate(near, agent);
        let next = |node| trails.next(Follow, node, main.cost_to(node));
        while let Some((closer, node)) = [next(near), main.parent(near)]
            .into_iter()
            .flatten()
            .map(|node| (map.estimate(node, agent), node))
            .min_by_key(|&(closer, _)| closer)
            .filter(|&(closer, _)| closer < distance)
        {
            if !slice.trace(node) {
                break;
            }
            (distance, near) = (closer, node);
        }
        self.near = Some(near);
        near
    }

    pub fn set_pool(&mut self, pool: &Pool) {
        self.search.set_pool(pool);
    }

    /// Returns the memory of the search.
    pub fn release(&mut self) {
        self.reset();
        self.search.release();
    }

    /// Whether released memory has yet to be returned to the allocator.
    #[inline]
    pub fn has_released(&self) -> bool {
        self.search.has_released()
    }

    pub fn reclaim(&mut self, blocks: u64) -> u64 {
        self.search.reclaim(blocks)
    }

    pub fn bytes(&self) -> usize {
        size_of::<Shortcut>() + self.search.bytes()
    }
}
