//! The agents of a crowd: what is kept of each, and how they change from one activity to another.

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::runs::{Ahead, Run, Spot};
use super::schedule::{AFTER_STUCK, Ticket};
use super::{Activity, AgentId, Crowd, CrowdError, NEVER, NOWHERE};
use crate::Grid;
use crate::regions::{CrowdRegions, RegionId};

/// Memory of an agent without a path.
pub(super) const BYTES: usize = size_of::<Record>()
    + size_of::<Spot>()
    + size_of::<Run>()
    + size_of::<Ahead>()
    + size_of::<u8>()
    + size_of::<u32>()
    + size_of::<u64>();

/// What is seldom needed of an agent.
#[allow(clippy::struct_excessive_bools)] // each tells something else
#[derive(Debug, Default)]
pub(super) struct Record {
    /// Changes whenever what is queued for the agent is no longer true.
    pub ticket: u32,
    pub activity: Option<Activity>,
    /// It has an algorithm of its own.
    pub is_guest: bool,
    /// Its steps are a ray.
    pub is_ray: bool,
    /// Its steps lead to the goal.
    pub is_complete: bool,
    /// It may have left its chain.
    pub is_lost: bool,
    /// It walks with others to a shared goal, without a chain of its own.
    pub is_shared: bool,
    /// It has been told that its goal cannot be reached.
    pub is_told: bool,
    /// Its arrival has been reported.
    pub is_reported: bool,
    /// It is in the list of paths to be refined.
    pub is_partial: bool,
    /// Where collisions are avoided: the list that it is in.
    pub is_listed: bool,
    pub goal: Spot,
    /// Where its steps end.
    pub end: Spot,
    /// Steps after those of the current run and of the next few.
    pub runs: VecDeque<Run>,
    /// Where regions are left, and the first of these exits that is ahead of the end of the steps.
    pub chain: Box<[Spot]>,
    pub next_exit: u32,
    /// What is counted of its heap memory.
    pub stored: u32,
    /// The length of the regions' log when the chain was known to be connected.
    pub logged: u64,
}

impl Record {
    /// Whether it is on its way.
    pub fn is_active(&self) -> bool {
        matches!(self.activity, Some(Activity::Waiting | Activity::Walking))
    }

    /// Whether it is on its way for the first time, and not on its way back to a goal off which others have pushed it.
    pub fn is_first(&self) -> bool {
        self.is_active() && !self.is_reported
    }

    /// The region of an exit; of the goal, if there are fewer exits.
    pub fn region(&self, regions: &CrowdRegions, exit: usize) -> Option<RegionId> {
        regions.at(self.chain.get(exit).copied().unwrap_or(self.goal).cell())
    }

    /// Whether the end of the steps is still connected with the exit of this number, over the regions of the chain.
    pub fn is_connected(&self, regions: &CrowdRegions, target: usize) -> bool {
        let first = self.next_exit as usize;
        let own = regions.at(self.end.cell());
        let is_joined = |exit: usize| {
            let pair = self.region(regions, exit).zip(self.region(regions, exit + 1));
            pair.is_some_and(|(a, b)| a == b || regions.border(a, b).is_some())
        };
        own.is_some()
            && self.region(regions, first) == own
            && (first..target.min(self.chain.len())).all(is_joined)
    }
}

impl Crowd {
    /// A slot for a new agent, which is not on its way yet.
    pub(super) fn new_slot(&mut self, at: Spot, goal: Spot) -> Result<u32, CrowdError> {
        if let Some(max_bytes) = self.config.max_bytes {
            // Lists grow by half of their length at the most.
            let grows = self.spare.is_empty() && self.agents.len() == self.agents.capacity();
            let more = if grows { (self.agents.len() / 2 + 64) * (BYTES + 64) } else { 0 };
            let bytes = self.bytes();
            if bytes + more > max_bytes {
                return Err(CrowdError::Full { bytes, max_bytes });
            }
        }
        if let Some(collisions) = &self.collisions
            && collisions.occupant(at).is_some()
        {
            return Err(CrowdError::Occupied { role: "the start", cell: at.cell() });
        }
        let slot = self.spare.pop().unwrap_or_else(|| self.add_slot());
        let index = slot as usize;
        (self.at[index], self.run[index], self.last[index]) = (at, Run::NONE, NOWHERE);
        self.ahead[index] = Ahead::default();
        let Record { ticket, is_partial, is_listed, .. } = self.agents[index];
        self.agents[index] =
            Record { ticket, is_partial, is_listed, goal, end: at, ..Record::default() };
        self.len += 1;
        self.goals.enter(goal);
        if let Some(collisions) = &mut self.collisions {
            collisions.enter(slot, at);
        }
        if at == goal {
            let id = self.id(slot);
            self.put.push(id);
        }
        Ok(slot)
    }

    fn add_slot(&mut self) -> u32 {
        if self.agents.len() == self.agents.capacity() {
            // Here and not in a frame.
            let more = self.agents.len() / 2 + 64;
            self.at.reserve_exact(more);
            self.run.reserve_exact(more);
            self.ahead.reserve_exact(more);
            self.last.reserve_exact(more);
            self.generation.reserve_exact(more);
            self.stopped.reserve_exact(more);
            self.agents.reserve_exact(more);
            let all = self.agents.capacity();
            self.steps.reserve_exact(all);
            self.waiting.reserve_exact(all.saturating_sub(self.waiting.len()));
            self.due.reserve_exact(all.saturating_sub(self.due.len()));
            self.standing.reserve_exact(all.saturating_sub(self.standing.len()));
        }
        self.at.push(Spot::default());
        self.run.push(Run::NONE);
        self.ahead.push(Ahead::default());
        self.last.push(NOWHERE);
        self.generation.push(0);
        self.stopped.push(NEVER);
        self.agents.push(Record::default());
        self.agents.len() as u32 - 1
    }

    /// Removes the agent of a slot.
    pub(super) fn free_slot(&mut self, slot: u32) {
        let index = slot as usize;
        self.set_activity(slot, None);
        self.new_ticket(slot);
        self.goals.leave(self.agents[index].goal);
        if let Some(collisions) = &mut self.collisions {
            collisions.leave(self.at[index]);
        }
        if self.agents[index].is_guest {
            self.guests.remove(slot);
        }
        self.generation[index] = self.generation[index].wrapping_add(1);
        (self.run[index], self.last[index]) = (Run::NONE, NOWHERE);
        self.drop_path(slot);
        self.spare.push(slot);
        self.len -= 1;
    }

    /// Gives an agent another goal.
    pub(super) fn set_goal(&mut self, slot: u32, goal: Spot) {
        let index = slot as usize;
        self.drop_steps(slot);
        let Record { goal: old, activity, is_guest, .. } = self.agents[index];
        self.agents[index].is_reported = false;
        if goal != old {
            // It counts as on its way to one of them at any time.
            if self.agents[index].is_active() {
                self.goals.stop(old);
            }
            self.goals.leave(old);
            self.goals.enter(goal);
            self.agents[index].goal = goal;
            if self.agents[index].is_active() {
                self.goals.set_out(goal);
            }
        }
        self.agents[index].is_told = false;
        if is_guest {
            self.set_activity(slot, Some(Activity::Walking));
        } else {
            debug_assert!(activity.is_some(), "the slot of an agent");
            self.wait(slot);
        }
        let id = self.id(slot);
        self.put.push(id);
    }

    /// An agent is somewhere else.
    pub(super) fn put_at(&mut self, slot: u32, at: Spot) {
        let index = slot as usize;
        (self.at[index], self.last[index]) = (at, NOWHERE);
        self.drop_steps(slot);
        self.agents[index].is_told = false;
        if self.agents[index].is_guest {
            self.set_activity(slot, Some(Activity::Walking));
        } else {
            self.replan(slot);
        }
        let id = self.id(slot);
        self.put.push(id);
    }

    /// Whether the last step of an agent can be taken back, if need be with those of others.
    pub(super) fn can_take_back(&self, slot: u32) -> bool {
        let Some(collisions) = &self.collisions else { return true };
        let mut next = slot;
        loop {
            let (at, last) = (self.at[next as usize], self.last[next as usize]);
            if last == NOWHERE {
                return false;
            }
            match collisions.occupant(at.before(last.into())) {
                Some(other) if other != slot => next = other,
                _ => return true,
            }
        }
    }

    /// Takes the last step of an agent back. Returns the agent that is on the cell to which it returns, if collisions are
    /// avoided and there is one.
    pub(super) fn take_back(&mut self, slot: u32) -> Option<u32> {
        let index = slot as usize;
        let direction = usize::from(std::mem::replace(&mut self.last[index], NOWHERE));
        if direction >= usize::from(NOWHERE) {
            return None;
        }
        let from = self.at[index];
        self.at[index] = from.before(direction);
        let id = self.id(slot);
        self.refused.push(id);
        if self.agents[index].is_guest || self.agents[index].activity == Some(Activity::Unreachable)
        {
            self.run[index] = Run::NONE;
            self.agents[index].end = self.at[index];
        } else {
            self.prepend(slot, direction);
        }
        if self.agents[index].activity == Some(Activity::Arrived) {
            self.set_activity(slot, Some(Activity::Walking));
            // Unless it was on its way back to a goal off which others have pushed it.
            self.agents[index].is_reported &= !self.arrived.contains(&id);
        }
        let collisions = self.collisions.as_mut()?;
        let other = collisions.occupant(self.at[index]).filter(|&other| other != slot);
        if collisions.occupant(from) == Some(slot) {
            collisions.leave(from);
        }
        // The other one is taken back next.
        collisions.leave(self.at[index]);
        collisions.enter(slot, self.at[index]);
        other
    }

    /// The runs of an agent after the current one.
    pub(super) fn runs_ahead(&self, slot: u32) -> impl Iterator<Item = Run> + '_ {
        let index = slot as usize;
        self.ahead[index].iter().chain(self.agents[index].runs.iter().copied())
    }

    /// Puts a run after those of an agent.
    pub(super) fn push_run(&mut self, slot: u32, run: Run) {
        let index = slot as usize;
        if run.is_empty() {
            return;
        }
        let runs = &mut self.agents[index].runs;
        if self.run[index].is_empty() {
            self.run[index] = run;
        } else if runs.is_empty() && self.ahead[index].len() < Ahead::MOST {
            self.ahead[index].push_back(run);
        } else {
            runs.push_back(run);
        }
    }

    /// Makes the next run of an agent the current one. Returns whether there is one.
    #[inline]
    pub(super) fn take_next_run(&mut self, index: usize) -> bool {
        let mut next = self.ahead[index].pop_front();
        if next.is_none() {
            let runs = &mut self.agents[index].runs;
            next = runs.pop_front();
            for run in runs.drain(..runs.len().min(Ahead::MOST)) {
                self.ahead[index].push_back(run);
            }
        }
        self.run[index] = next.unwrap_or(Run::NONE);
        next.is_some()
    }

    /// Puts a step before the steps of an agent.
    pub(super) fn prepend(&mut self, slot: u32, direction: usize) {
        let index = slot as usize;
        let run = self.run[index];
        let is_same = run.direction() == direction && run.steps() < Run::MOST;
        if run.is_empty() || is_same {
            let steps = if run.is_empty() { 0 } else { run.steps() };
            self.run[index] = Run::new(direction, steps + 1);
        } else {
            if let Some(last) = self.ahead[index].push_front(run) {
                self.agents[index].runs.push_front(last);
                self.count_memory(slot);
            }
            self.run[index] = Run::new(direction, 1);
        }
    }

    /// Whether a queue entry is still true.
    pub(super) fn is_current(&self, (slot, ticket): Ticket) -> bool {
        let agent = &self.agents[slot as usize];
        agent.ticket == ticket && agent.activity.is_some()
    }

    /// Makes all queue entries of an agent untrue, and returns a new ticket.
    pub(super) fn new_ticket(&mut self, slot: u32) -> u32 {
        let agent = &mut self.agents[slot as usize];
        agent.ticket = agent.ticket.wrapping_add(1);
        agent.ticket
    }

    pub(super) fn set_activity(&mut self, slot: u32, activity: Option<Activity>) {
        let index = slot as usize;
        let agent = &mut self.agents[index];
        let was_active = agent.is_active();
        let old = std::mem::replace(&mut agent.activity, activity);
        let (is_active, goal, is_guest) = (agent.is_active(), agent.goal, agent.is_guest);
        let counts = |activity, kind| usize::from(activity == Some(kind) && !is_guest);
        self.waiting_count = self.waiting_count + counts(activity, Activity::Waiting)
            - counts(old, Activity::Waiting);
        self.walking_count = self.walking_count + counts(activity, Activity::Walking)
            - counts(old, Activity::Walking);
        if is_active && !was_active {
            self.stopped[index] = self.now;
            self.goals.set_out(goal);
        } else if !is_active && was_active {
            self.stopped[index] = NEVER;
            self.goals.stop(goal);
        }
        if self.collisions.is_some() && activity.is_some() {
            self.list(slot, is_active != was_active || old.is_none());
        }
    }

    /// Lets an agent wait for a chain. It keeps its steps.
    pub(super) fn wait(&mut self, slot: u32) {
        self.set_activity(slot, Some(Activity::Waiting));
        let ticket = self.new_ticket(slot);
        let agent = &mut self.agents[slot as usize];
        (agent.is_complete, agent.is_lost, agent.is_shared) = (false, false, false);
        (agent.chain, agent.next_exit) = (Box::default(), 0);
        let far = u64::from(agent.end.distance(agent.goal));
        self.count_memory(slot);
        self.waiting.push(Reverse((AFTER_STUCK + self.now + far, slot, ticket)));
        if self.run[slot as usize].is_empty() {
            self.standing.push_back((slot, ticket));
        }
    }

    /// Drops the steps ahead of an agent.
    pub(super) fn drop_steps(&mut self, slot: u32) {
        let index = slot as usize;
        if !std::mem::replace(&mut self.run[index], Run::NONE).is_empty() {
            self.stopped[index] = self.now;
        }
        let agent = &mut self.agents[index];
        agent.runs.clear();
        self.ahead[index] = Ahead::default();
        agent.is_ray = false;
        agent.end = self.at[index];
    }

    /// Drops the path of an agent with its memory.
    pub(super) fn drop_path(&mut self, slot: u32) {
        let agent = &mut self.agents[slot as usize];
        (agent.runs, agent.chain) = (VecDeque::new(), Box::default());
        self.ahead[slot as usize] = Ahead::default();
        self.count_memory(slot);
    }

    /// Counts the memory of the path of an agent again.
    pub(super) fn count_memory(&mut self, slot: u32) {
        let agent = &mut self.agents[slot as usize];
        let bytes =
            agent.runs.capacity() * size_of::<Run>() + agent.chain.len() * size_of::<Spot>();
        let before = std::mem::replace(&mut agent.stored, bytes as u32);
        self.stored = self.stored + bytes - before as usize;
    }

    /// An agent without steps is not where they began, or they were blocked: it plans a leg from where it is, if it has
    /// a chain.
    pub(super) fn replan(&mut self, slot: u32) {
        let agent = &mut self.agents[slot as usize];
        if agent.activity != Some(Activity::Walking) || agent.is_complete {
            return self.wait(slot);
        }
        agent.is_lost = true;
        let ticket = self.new_ticket(slot);
        self.due.push(Reverse((self.now, slot, ticket)));
    }

    /// An agent stands on its goal.
    pub(super) fn arrive(&mut self, slot: u32) {
        self.count_out(slot);
        self.set_activity(slot, Some(Activity::Arrived));
        self.new_ticket(slot);
        self.drop_path(slot);
        let agent = &mut self.agents[slot as usize];
        agent.is_complete = true;
        if !std::mem::replace(&mut agent.is_reported, true) {
            let id = self.id(slot);
            self.arrived.push(id);
        }
    }

    /// An agent has no way to its goal.
    pub(super) fn tell(&mut self, slot: u32) {
        self.count_out(slot);
        self.drop_steps(slot);
        self.set_activity(slot, Some(Activity::Unreachable));
        self.new_ticket(slot);
        self.drop_path(slot);
        let agent = &mut self.agents[slot as usize];
        if !std::mem::replace(&mut agent.is_told, true) {
            let id: AgentId = self.id(slot);
            self.told.push(id);
        }
    }

    /// An agent that is not on its way any more is not one of those that stand.
    fn count_out(&mut self, slot: u32) {
        if self.agents[slot as usize].is_active() && self.last[slot as usize] == NOWHERE {
            self.stats.stood = self.stats.stood.saturating_sub(1);
        }
    }

    /// Whether a cell can be stood on: a path may have ended on a cell that has been blocked.
    pub(super) fn ends_free(&self, grid: &Grid, slot: u32) -> bool {
        grid.is_free(self.agents[slot as usize].end.cell())
    }
}
