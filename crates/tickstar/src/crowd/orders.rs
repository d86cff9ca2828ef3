//! Orders to a group: goals around a point, one for each agent.

use std::collections::{BTreeMap, VecDeque};

use super::runs::Spot;
use super::{AgentId, Crowd, CrowdError};
use crate::{Cell, Grid, Layered, Space};

impl Crowd {
    /// Sends agents to a point together. Each gets a goal of its own: cells around the point, the nearest ones by way of
    /// steps, that no other agent of the crowd has as its goal. Agents that are nearer to the point get nearer cells.
    ///
    /// Agents for which there is no cell left, on a map with very few free cells, are sent to the point itself. Takes time
    /// proportional to the number of agents, and should be called between frames.
    ///
    /// # Errors
    /// If one of the agents does not exist, or the point is blocked or outside the map; then nobody gets another goal. An
    /// agent of the [catalog](Crowd::spawn_agent) may refuse; those before it have their new goals then.
    pub fn order(
        &mut self,
        map: &Layered<Grid>,
        agents: &[AgentId],
        point: Cell,
    ) -> Result<(), CrowdError> {
        self.check(map, "the point", point)?;
        let mut group = Vec::with_capacity(agents.len());
        for &id in agents {
            let slot = self.slot(id).ok_or(CrowdError::NoAgent)?;
            let far = self.at[slot as usize].distance(Spot::of(point));
            group.push((far, slot));
        }
        group.sort_unstable();
        group.dedup();
        // The goals that the group has now are free for it again.
        let mut own: BTreeMap<Spot, u32> = BTreeMap::new();
        for &(_, slot) in &group {
            *own.entry(self.agents[slot as usize].goal).or_default() += 1;
        }
        let is_taken = |goal: Spot| self.goals.agents(goal) > own.get(&goal).copied().unwrap_or(0);
        let goals = cells_around(map, point, group.len(), is_taken);
        let goals = goals.into_iter().chain(std::iter::repeat(Spot::of(point)));
        for (&(_, slot), goal) in group.iter().zip(goals) {
            let id = self.id(slot);
            self.retarget(map, id, goal.cell())?;
        }
        Ok(())
    }
}

/// The cells nearest to a point by the number of steps, at most this many, without those that are taken.
fn cells_around(
    grid: &Grid,
    point: Cell,
    count: usize,
    is_taken: impl Fn(Spot) -> bool,
) -> Vec<Spot> {
    let Some(first) = grid.node(point) else { return Vec::new() };
    let mut cells = Vec::with_capacity(count);
    let mut known = std::collections::BTreeSet::from([first]);
    let mut queue = VecDeque::from([first]);
    while let Some(node) = queue.pop_front().filter(|_| cells.len() < count) {
        let spot = Spot::of(grid.cell(node));
        if !is_taken(spot) {
            cells.push(spot);
        }
        grid.for_each_edge(node, |to, _| {
            if known.insert(to) {
                queue.push_back(to);
            }
        });
    }
    cells
}
