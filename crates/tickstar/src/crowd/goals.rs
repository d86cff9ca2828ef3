//! Who goes where, and what agents with the same goal share: one search over regions from the goal, and legs between the
//! cells where regions are left.
//!
//! The search goes by cost alone, as far as the farthest agent. It tells for each region where a way to the goal leaves
//! it: a tree of exits. An agent gets a leg of its own to an exit of the tree. From there on it takes the legs that other
//! agents have taken before, each from one exit to a later one.

use std::collections::BTreeMap;

use super::planner::{LOOK, STEPS_PER_UNIT};
use super::runs::{self, Run, Spot};
use crate::regions::{CrowdRegions, RegionId};
use crate::search::{Coarse, Found};
use crate::{Grid, NodeId, Slice};

/// So many agents must go to a goal before a search is shared. A shared search is not aimed at anyone, so it takes as
/// long as some searches for one agent.
const SHARED_FROM: u32 = 8;

/// The goals of all agents.
#[derive(Clone, Debug, Default)]
pub(super) struct Goals {
    all: BTreeMap<Spot, Goal>,
    /// Heap memory of all groups, as of when each was used last.
    bytes: usize,
}

#[derive(Clone, Debug, Default)]
struct Goal {
    /// The agents that have it, and those of them that are on their way.
    agents: u32,
    active: u32,
    group: Option<Box<Group>>,
}

/// What agents with the same goal share.
#[derive(Clone, Debug)]
pub(super) struct Group {
    tree: Coarse,
    /// By the exit where each begins.
    legs: BTreeMap<Spot, SharedLeg>,
    bytes: usize,
}

#[derive(Clone, Debug)]
struct SharedLeg {
    end: Spot,
    runs: Box<[Run]>,
    /// The number of edits of the map when its steps were known to be legal.
    edits: u64,
}

/// What an agent should do next to get to a shared goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Advance {
    /// Take the leg that has been copied, which ends here.
    Take(Spot),
    /// Plan a leg to one of the cells that have been listed.
    Plan,
    /// Wait for the search over regions.
    Search,
    /// The slice is spent.
    Spent,
}

impl Goals {
    /// An agent has this goal now.
    pub fn enter(&mut self, goal: Spot) {
        self.all.entry(goal).or_default().agents += 1;
    }

    /// An agent does not have this goal any more. It is not on its way.
    pub fn leave(&mut self, goal: Spot) {
        let Some(entry) = self.all.get_mut(&goal) else { return };
        entry.agents = entry.agents.saturating_sub(1);
        if entry.agents == 0 {
            let group = entry.group.take();
            self.bytes -= group.map_or(0, |group| group.bytes);
            self.all.remove(&goal);
        }
    }

    /// An agent with this goal has set out.
    pub fn set_out(&mut self, goal: Spot) {
        if let Some(entry) = self.all.get_mut(&goal) {
            entry.active += 1;
        }
    }

    /// An agent with this goal is not on its way any more.
    pub fn stop(&mut self, goal: Spot) {
        let Some(entry) = self.all.get_mut(&goal) else { return };
        entry.active = entry.active.saturating_sub(1);
        if entry.active == 0
            && let Some(group) = entry.group.take()
        {
            self.bytes -= group.bytes;
        }
    }

    /// The number of agents that have this goal.
    pub fn agents(&self, goal: Spot) -> u32 {
        self.all.get(&goal).map_or(0, |entry| entry.agents)
    }

    /// Whether an agent that needs a chain should join a group instead. If so, there is a group.
    pub fn join(&mut self, goal: Spot) -> bool {
        let Some(entry) = self.all.get_mut(&goal) else { return false };
        if entry.group.is_none() && entry.active >= SHARED_FROM {
            let group = Group { tree: Coarse::shared(), legs: BTreeMap::new(), bytes: 0 };
            entry.group = Some(Box::new(group));
        }
        entry.group.is_some()
    }

    fn group(&mut self, goal: Spot) -> Option<&mut Group> {
        self.all.get_mut(&goal)?.group.as_deref_mut()
    }

    /// Continues the search over regions until it knows a way from a cell.
    pub fn search(
        &mut self,
        regions: &CrowdRegions,
        goal: Spot,
        from: Spot,
        slice: &mut Slice<'_>,
    ) -> Found {
        let Some(group) = self.group(goal) else { return Found::NoWay };
        let found = group.tree.run(regions, from.cell(), goal.cell(), slice);
        self.measure(goal);
        found
    }

    /// Finds what an agent that is at a cell has to do next. A leg is copied to `runs`, targets of a new one to `targets`.
    pub fn advance(
        &mut self,
        (grid, regions): (&Grid, &CrowdRegions),
        goal: Spot,
        from: Spot,
        (runs, targets): (&mut Vec<Run>, &mut Vec<Spot>),
        slice: &mut Slice<'_>,
    ) -> Advance {
        let Some(own) = regions.at(from.cell()) else { return Advance::Search };
        let Some(group) = self.group(goal) else { return Advance::Search };
        if let Some(leg) = group.legs.get_mut(&from) {
            let is_checked = leg.edits == regions.edits();
            let steps = if is_checked { 0 } else { runs::length(&leg.runs) / STEPS_PER_UNIT + 1 };
            for _ in 0..steps {
                if !slice.update(NodeId(own.0)) {
                    return Advance::Spent;
                }
            }
            if is_checked || runs::is_legal(grid, from, &leg.runs) {
                leg.edits = regions.edits();
                runs.clear();
                runs.extend_from_slice(&leg.runs);
                return Advance::Take(leg.end);
            }
            group.legs.remove(&from);
        }
        if !group.tree.knows(regions, own) {
            return Advance::Search;
        }
        targets.clear();
        let mut next = match group.tree.exit(own) {
            Some((exit, next)) if exit == from.cell() => Some(next),
            _ => group.tree.best_exit(regions, own, from.cell()).map(|(next, _)| next),
        };
        let root = regions.at(goal.cell());
        while let Some(region) = next.filter(|_| targets.len() < LOOK) {
            let Some((exit, after)) = group.tree.exit(region) else { break };
            targets.push(Spot::of(exit));
            next = Some(after).filter(|_| Some(region) != root);
        }
        if Some(own) == root {
            targets.clear();
            targets.push(goal);
        }
        if targets.is_empty() { Advance::Search } else { Advance::Plan }
    }

    /// Keeps a leg that has been planned from an exit, for the agents that come after.
    pub fn keep(
        &mut self,
        regions: &CrowdRegions,
        goal: Spot,
        (from, end): (Spot, Spot),
        runs: &[Run],
    ) {
        let Some(group) = self.group(goal) else { return };
        let own = regions.at(from.cell());
        let exit = own.and_then(|own: RegionId| group.tree.exit(own));
        if exit.is_some_and(|(exit, _)| exit == from.cell()) && from != end {
            let edits = regions.edits();
            group.legs.insert(from, SharedLeg { end, runs: runs.into(), edits });
        }
        self.measure(goal);
    }

    /// Adapts the memory count to that of a group.
    fn measure(&mut self, goal: Spot) {
        let Some(group) = self.group(goal) else { return };
        let per_leg = size_of::<(Spot, SharedLeg)>() + 8 * size_of::<Run>();
        let bytes = size_of::<Group>() + group.tree.bytes() + group.legs.len() * per_leg;
        let before = std::mem::replace(&mut group.bytes, bytes);
        self.bytes = self.bytes + bytes - before;
    }

    /// Heap memory in bytes, approximately.
    pub fn bytes(&self) -> usize {
        self.bytes + self.all.len() * 2 * size_of::<(Spot, Goal)>()
    }
}
