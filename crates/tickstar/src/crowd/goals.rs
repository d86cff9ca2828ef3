//! Who goes where, and what agents with the same goal share: one search over regions from the goal, and the legs of those
//! who came first.
//!
//! The search goes by cost alone, as far as the farthest agent. Where a leg ends first in a region, there is a *waypoint*.
//! The legs of later agents lead to the waypoints that there are, and a leg that begins at a waypoint is planned once: all
//! that come there take it.

use std::collections::BTreeMap;

use super::planner::{SHARED_LOOK, STEPS_PER_UNIT};
use super::runs::{self, Run, Spot};
use crate::regions::{CrowdRegions, RegionId};
use crate::search::{Coarse, Found};
use crate::{Cost, Grid, NodeId, Slice};

/// So many agents must go to a goal before a search is shared. A shared search is not aimed at anyone, so it takes as
/// long as some searches for one agent.
const SHARED_FROM: u32 = 8;
/// Entries of a list that take as long as it takes to choose a target.
const ENTRIES_PER_TARGET: u64 = 26;
/// How much longer, in cells, the way over a waypoint may seem than that of the agent alone.
const DETOUR: u64 = 10;

/// The goals of all agents.
#[derive(Clone, Debug, Default)]
pub(super) struct Goals {
    all: BTreeMap<Spot, Goal>,
    /// Groups that nobody needs any more, to be freed little by little.
    old: Vec<Group>,
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
    waypoints: BTreeMap<RegionId, Spot>,
    /// By the waypoint where each begins.
    legs: BTreeMap<Spot, SharedLeg>,
    bytes: usize,
}

#[derive(Clone, Debug)]
struct SharedLeg {
    end: Spot,
    runs: Box<[Run]>,
    /// The number of edits of the map when its steps were known to be legal, and to lead to the goal.
    edits: u64,
    /// What has been paid for checking it again, which may take more than one frame.
    paid: u32,
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
            self.old.extend(entry.group.take().map(|group| *group));
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
        if entry.active == 0 {
            self.old.extend(entry.group.take().map(|group| *group));
        }
    }

    /// Frees groups that nobody needs any more, as far as the slice allows.
    pub fn tidy(&mut self, slice: &mut Slice<'_>) {
        while let Some(group) = self.old.last_mut() {
            if !slice.trace(NodeId::NONE) {
                return;
            }
            if group.legs.pop_first().is_none() && group.waypoints.pop_first().is_none() {
                self.bytes -= group.bytes;
                self.old.pop();
            }
        }
    }

    /// The number of agents that have this goal.
    pub fn agents(&self, goal: Spot) -> u32 {
        self.all.get(&goal).map_or(0, |entry| entry.agents)
    }

    /// Whether agents with this goal share a search.
    pub fn is_shared(&self, goal: Spot) -> bool {
        let entry = self.all.get(&goal);
        entry.is_some_and(|entry| entry.group.is_some() || entry.active >= SHARED_FROM)
    }

    /// Whether an agent that needs a chain should join a group instead. If so, there is a group.
    pub fn join(&mut self, goal: Spot) -> bool {
        let Some(entry) = self.all.get_mut(&goal) else { return false };
        if entry.group.is_none() && entry.active >= SHARED_FROM {
            entry.group = Some(Box::new(Group {
                tree: Coarse::shared(),
                waypoints: BTreeMap::new(),
                legs: BTreeMap::new(),
                bytes: 0,
            }));
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

    /// Finds what an agent that is at a cell has to do next. A leg is copied to `runs`; targets of a new one, one for each
    /// of the next regions, to `targets`.
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
        let edits = regions.edits();
        let mut leg = group.legs.get_mut(&from);
        if let Some(leg) = &leg
            && leg.edits == edits
        {
            runs.clear();
            runs.extend_from_slice(&leg.runs);
            return Advance::Take(leg.end);
        }
        if !group.tree.knows(regions, own) {
            return Advance::Search;
        }
        if let Some(leg) = &mut leg {
            while leg.paid <= runs::length(&leg.runs) / STEPS_PER_UNIT {
                if !slice.update(NodeId(own.0)) {
                    return Advance::Spent;
                }
                leg.paid += 1;
            }
            leg.paid = 0;
            let is_nearer = regions
                .at(leg.end.cell())
                .is_some_and(|end| group.tree.cost(end) < group.tree.cost(own) || leg.end == goal);
            if is_nearer && runs::is_legal(grid, from, &leg.runs) {
                leg.edits = edits;
                runs.clear();
                runs.extend_from_slice(&leg.runs);
                return Advance::Take(leg.end);
            }
            group.legs.remove(&from);
        }
        targets.clear();
        let root = regions.at(goal.cell());
        let first = group.tree.best_way(regions, own, from.cell());
        let best = first.map_or(Cost::INFINITE, |way| way.2);
        let most = best + Cost(Cost::STRAIGHT.0 * DETOUR);
        let mut way = first.map(|(next, exit, _)| (next, exit)).filter(|_| Some(own) != root);
        while let Some((next, entry)) = way.filter(|_| targets.len() < SHARED_LOOK) {
            if Some(next) == root {
                targets.push(goal);
                break;
            }
            let waypoint = group.waypoints.get(&next).copied();
            let waypoint = waypoint.filter(|spot| {
                let cell = spot.cell();
                let way = group.tree.best_way(regions, next, cell);
                let way = way.map_or(Cost::INFINITE, |way| way.2);
                regions.at(cell) == Some(next) && regions.apart(from.cell(), cell) + way <= most
            });
            // The exit of that region, unless there is something better.
            way = group.tree.best_exit(regions, next, entry);
            match waypoint.or(way.map(|(_, exit)| Spot::of(exit))) {
                Some(target) => targets.push(target),
                None => break,
            }
        }
        if Some(own) == root {
            targets.push(goal);
        }
        // Some look-ups in the tree for each of them.
        let _ = slice.settle_entries(ENTRIES_PER_TARGET * targets.len() as u64);
        if targets.is_empty() { Advance::Search } else { Advance::Plan }
    }

    /// Whether a leg should lead to a cell as a whole, and not be cut.
    pub fn is_waypoint(&mut self, regions: &CrowdRegions, goal: Spot, end: Spot) -> bool {
        let region = regions.at(end.cell());
        let group = self.group(goal);
        let known = group.zip(region).and_then(|(group, region)| group.waypoints.get(&region));
        end == goal || known == Some(&end)
    }

    /// Keeps a leg that has been planned, for the agents that come after.
    pub fn keep(
        &mut self,
        regions: &CrowdRegions,
        goal: Spot,
        (from, end): (Spot, Spot),
        runs: &[Run],
    ) {
        let (own, last) = (regions.at(from.cell()), regions.at(end.cell()));
        let Some(group) = self.group(goal) else { return };
        if let Some(last) = last.filter(|_| end != goal) {
            let waypoint = group.waypoints.entry(last).or_insert(end);
            if regions.at(waypoint.cell()) != Some(last) {
                *waypoint = end;
            }
        }
        if own.is_some_and(|own| group.waypoints.get(&own) == Some(&from)) && from != end {
            let edits = regions.edits();
            group.legs.insert(from, SharedLeg { end, runs: runs.into(), edits, paid: 0 });
        }
        self.measure(goal);
    }

    /// Adapts the memory count to that of a group.
    fn measure(&mut self, goal: Spot) {
        let Some(group) = self.group(goal) else { return };
        let per_leg = size_of::<(Spot, SharedLeg)>() + 8 * size_of::<Run>();
        let bytes = size_of::<Group>()
            + group.tree.bytes()
            + group.legs.len() * per_leg
            + group.waypoints.len() * 2 * size_of::<(RegionId, Spot)>();
        let before = std::mem::replace(&mut group.bytes, bytes);
        self.bytes = self.bytes + bytes - before;
    }

    /// Heap memory in bytes, approximately.
    pub fn bytes(&self) -> usize {
        self.bytes + self.all.len() * 2 * size_of::<(Spot, Goal)>()
    }
}
