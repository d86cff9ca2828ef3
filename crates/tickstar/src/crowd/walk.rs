//! The steps of a frame: along paths, along rays, around others, and those of agents with an algorithm of their own.

use super::collisions::{Collisions, Wish};
use super::runs::{self, Run, Spot};
use super::{Activity, AgentId, Crowd, NEVER, NOWHERE, guests};
use crate::regions::CrowdRegions;
use crate::{Grid, Layered, NodeId, Seen, Slice, Step};

/// The most steps of a ray.
const RAY: u32 = 24;
/// Entries of a list that take as long as a step of an agent, with the check whether it is legal.
const ENTRIES_PER_STEP: u64 = 3;
/// The same where collisions are avoided.
const ENTRIES_PER_CAREFUL_STEP: u64 = 60;
/// Entries of a list for the price of a unit.
const ENTRIES_PER_UNIT: u64 = 20;
/// How far ahead on its path an agent looks that has to step aside.
const AHEAD: u32 = 8;
/// After so many changes of direction that others have forced upon it, an agent plans its next leg again.
const WORN: usize = 12;

impl Crowd {
    /// Agents that were put on their goals have arrived.
    pub(super) fn arrive_at_once(&mut self) {
        let mut put = std::mem::take(&mut self.put);
        for id in put.drain(..) {
            let Some(slot) = self.slot(id) else { continue };
            let agent = &self.agents[id.index()];
            if agent.goal == self.at[id.index()] && agent.activity != Some(Activity::Arrived) {
                self.drop_steps(slot);
                self.arrive(slot);
            }
        }
        self.put = put;
    }

    /// Lets all agents that have steps take one.
    pub(super) fn walk(&mut self, grid: &Grid, slice: &mut Slice<'_>) {
        let price = if let Some(mut collisions) = self.collisions.take() {
            self.walk_around_others(grid, &mut collisions);
            self.collisions = Some(collisions);
            ENTRIES_PER_CAREFUL_STEP * self.order.len() as u64
        } else {
            self.walk_freely(grid);
            ENTRIES_PER_STEP * self.steps.len() as u64
        };
        // Every agent with a plan moves, however small the budget is; and a part of it is left for those without a plan.
        let most = slice.remaining().saturating_mul(ENTRIES_PER_UNIT) / 4 * 3;
        let _ = slice.settle_entries(price.min(most));
        let mut blocked = std::mem::take(&mut self.blocked);
        for slot in blocked.drain(..) {
            if !self.agents[slot as usize].is_active() {
                continue; // others have pushed it onto its goal
            }
            self.drop_steps(slot);
            if self.last[slot as usize] == NOWHERE {
                self.stopped[slot as usize] = self.now - 1;
            }
            if !self.agents[slot as usize].is_guest {
                self.replan(slot);
            }
        }
        self.blocked = blocked;
    }

    fn walk_freely(&mut self, grid: &Grid) {
        for slot in 0..self.run.len() {
            let run = self.run[slot];
            self.last[slot] = NOWHERE;
            if run.is_empty() {
                self.stand(slot);
            } else if grid.steps_from(self.at[slot].cell()) >> run.direction() & 1 == 1 {
                self.step(slot, run);
            } else {
                self.blocked.push(slot as u32);
            }
        }
        self.stats.stood += self.blocked.len();
    }

    /// An agent has no steps: it stands, if it is on its way.
    #[inline]
    fn stand(&mut self, slot: usize) {
        let stood = self.now.saturating_sub(self.stopped[slot].saturating_add(1));
        self.stats.stood += usize::from(self.stopped[slot] != NEVER);
        self.stats.longest_wait = self.stats.longest_wait.max(stood);
    }

    /// Takes a step, which is legal.
    #[inline]
    fn step(&mut self, slot: usize, run: Run) {
        let at = self.at[slot].after(run.direction(), 1);
        self.at[slot] = at;
        self.last[slot] = run.direction() as u8;
        self.run[slot] = run.shorter();
        let id = AgentId { slot: slot as u32, generation: self.generation[slot] };
        self.steps.push((id, at.cell()));
        if run.steps() == 1 {
            self.next_run(slot as u32);
        }
    }

    /// Takes the first step of a new plan, if the agent has not moved in this frame.
    pub(super) fn step_at_once(&mut self, grid: &Grid, slot: u32) {
        let index = slot as usize;
        let run = self.run[index];
        let is_legal = || grid.steps_from(self.at[index].cell()) >> run.direction() & 1 == 1;
        let is_free = self.collisions.is_none();
        if is_free && !run.is_empty() && self.last[index] == NOWHERE && is_legal() {
            self.step(index, run);
            self.stats.stood = self.stats.stood.saturating_sub(1);
        }
    }

    /// The last step of a run has been taken.
    fn next_run(&mut self, slot: u32) {
        let index = slot as usize;
        if self.take_next_run(index) {
            return;
        }
        self.stopped[index] = self.now;
        let agent = &mut self.agents[index];
        if self.at[index] == agent.goal {
            self.arrive(slot);
        } else if agent.activity == Some(Activity::Waiting) {
            let ticket = agent.ticket;
            self.standing.push_back((slot, ticket));
        } else if agent.is_complete && !agent.is_guest {
            // Its path was to end at the goal: others have pushed it aside meanwhile.
            self.wait(slot);
        }
    }

    /// Agents that wait and stand walk straight toward their goals.
    pub(super) fn walk_rays(&mut self, grid: &Grid, regions: &CrowdRegions, slice: &mut Slice<'_>) {
        for _ in 0..self.standing.len() {
            let Some(&who) = self.standing.front() else { return };
            let (slot, index) = (who.0, who.0 as usize);
            let stands = self.is_current(who)
                && self.agents[index].activity == Some(Activity::Waiting)
                && self.run[index].is_empty();
            if !(if stands { slice.update(NodeId(slot)) } else { slice.trace(NodeId(slot)) }) {
                return;
            }
            self.standing.pop_front();
            if !stands {
                continue;
            }
            let (at, goal) = (self.at[index], self.agents[index].goal);
            if self.components.are_exact(regions)
                && !self.components.are_joined(regions, at.cell(), goal.cell())
            {
                self.tell(slot);
                continue;
            }
            let ray = |flipped| {
                let line = runs::line(at, goal, grid.neighbors(), flipped);
                (runs::legal_steps(grid, at, line, RAY), line)
            };
            let (first, second) = (ray(false), ray(true));
            let (mut steps, line) = if second.0 > first.0 { second } else { first };
            if steps == 0 {
                // It has no other way to move than to get its turn.
                self.wait_urgently(slot);
                continue;
            }
            self.drop_steps(slot);
            self.agents[index].is_ray = true;
            for (direction, most) in line {
                let part = steps.min(most);
                if part > 0 {
                    let agent = &mut self.agents[index];
                    agent.end = agent.end.after(direction, part);
                    self.push_run(slot, Run::new(direction, part));
                }
                steps -= part;
            }
            self.step_at_once(grid, slot);
        }
    }

    /// Ticks agents with an algorithm of their own, as far as half of the budget goes; all of it if there are no others.
    pub(super) fn tick_guests(&mut self, map: &Layered<Grid>, slice: &mut Slice<'_>) {
        let count = self.guests.all.len();
        if count == 0 {
            return;
        }
        let is_alone = self.waiting_count + self.walking_count == 0;
        let units = if is_alone { u64::MAX } else { slice.remaining() / 2 };
        slice.part(units, |slice| {
            let mut slot = self.guests.next;
            for _ in 0..count {
                if slice.remaining() == 0 {
                    break;
                }
                match self
                    .guests
                    .all
                    .contains_key(&slot)
                    .then_some(slot)
                    .or_else(|| self.guests.after(slot))
                {
                    Some(next) => slot = next,
                    None => break,
                }
                self.tick_guest(map, slot, slice);
                slot += 1;
            }
            self.guests.next = slot;
        });
    }

    fn tick_guest(&mut self, map: &Layered<Grid>, slot: u32, slice: &mut Slice<'_>) {
        let index = slot as usize;
        let reported = self.guests.reported();
        let mut changed = std::mem::take(&mut self.nodes);
        let at = guests::node(map, self.at[index]);
        let mut step = None;
        let is_known = match self.guests.all.get(&slot) {
            Some(guest) => self.guests.changes_since(guest.seen, &mut changed).is_some(),
            None => false,
        };
        let activity = self.agents[index].activity;
        if let Some(guest) = self.guests.all.get_mut(&slot) {
            let is_idle = activity == Some(Activity::Arrived)
                || activity == Some(Activity::Unreachable) && guest.seen == reported;
            // An agent that stands on a blocked cell cannot start anew, and waits.
            let is_ready = !is_idle && (is_known || guest.agent.restart(map, at).is_ok());
            if is_ready {
                let seen = Seen { changed: if is_known { &changed } else { &[] } };
                let units = guest.units;
                step = Some(slice.metering(|slice| {
                    slice.part(units, |slice| guest.agent.tick(map, at, seen, slice))
                }));
                guest.seen = reported;
                let bytes = guest.agent.bytes();
                self.guests.bytes = self.guests.bytes + bytes - guest.bytes;
                guest.bytes = bytes;
                self.stats.thought += 1;
            }
        }
        self.nodes = changed;
        self.run[index] = Run::NONE;
        match step {
            Some(Step::Move(to)) => {
                if activity == Some(Activity::Unreachable) {
                    self.agents[index].is_told = false;
                    self.set_activity(slot, Some(Activity::Walking));
                }
                let direction = self.at[index].direction_to(guests::spot(map, to));
                self.run[index] = direction.map_or(Run::NONE, |direction| Run::new(direction, 1));
            }
            // It is not sure any more, and needs more ticks to find out.
            Some(Step::Wait) if activity == Some(Activity::Unreachable) => {
                self.set_activity(slot, Some(Activity::Walking));
            }
            Some(Step::Arrived) if activity != Some(Activity::Arrived) => self.arrive(slot),
            Some(Step::Unreachable) if activity != Some(Activity::Unreachable) => self.tell(slot),
            _ => {}
        }
    }

    /// Where collisions are avoided: notes that an agent has set out, or is not on its way any more.
    pub(super) fn list(&mut self, slot: u32, has_changed: bool) {
        let agent = &mut self.agents[slot as usize];
        if has_changed && !agent.is_listed {
            agent.is_listed = true;
            let list = if agent.is_first() { &mut self.active } else { &mut self.settled };
            list.push(slot);
        }
    }

    /// Puts all agents into the order in which they may choose their steps: those on their way first, in the order in
    /// which they set out, then those that have arrived, then those on their way back to their goals.
    fn sort_by_priority(&mut self) {
        let mut changed = std::mem::take(&mut self.relisted);
        changed.clear();
        for is_active in [true, false] {
            let list = if is_active { &mut self.active } else { &mut self.settled };
            list.retain(|&slot| {
                let agent = &mut self.agents[slot as usize];
                let stays = agent.activity.is_some() && agent.is_first() == is_active;
                if !stays {
                    changed.push(slot);
                }
                stays
            });
        }
        for &slot in &changed {
            let agent = &mut self.agents[slot as usize];
            agent.is_listed = agent.activity.is_some();
            if agent.is_listed {
                let list = if agent.is_first() { &mut self.active } else { &mut self.settled };
                list.push(slot);
            }
        }
        self.relisted = changed;
        self.order.clear();
        self.order.extend_from_slice(&self.active);
        let stands = |slot: &&u32| !self.agents[**slot as usize].is_active();
        self.order.extend(self.settled.iter().filter(stands));
        self.order.extend(self.settled.iter().filter(|slot| !stands(slot)));
    }

    /// Lets all agents take a step such that no two of them are on the same cell, or cross each other's way.
    fn walk_around_others(&mut self, grid: &Grid, collisions: &mut Collisions) {
        self.sort_by_priority();
        for nth in 0..self.order.len() {
            let slot = self.order[nth];
            let (at, run) = (self.at[slot as usize], self.run[slot as usize]);
            if !run.is_empty() && grid.steps_from(at.cell()) >> run.direction() & 1 == 0 {
                // Its path is cut. If others push it now, it must not return there.
                self.drop_steps(slot);
                self.blocked.push(slot);
            }
        }
        let wish = |slot: u32| {
            let index = slot as usize;
            let (run, agent) = (self.run[index], &self.agents[index]);
            if run.is_empty() {
                return Wish { next: NOWHERE, toward: agent.goal };
            }
            let mut toward = self.at[index];
            let mut left = AHEAD;
            for run in std::iter::once(run).chain(self.runs_ahead(slot)) {
                let steps = run.steps().min(left);
                (toward, left) = (toward.after(run.direction(), steps), left - steps);
                if left == 0 {
                    break;
                }
            }
            Wish { next: run.direction() as u8, toward }
        };
        collisions.resolve(grid, &self.order, wish);
        for nth in 0..self.order.len() {
            let slot = self.order[nth];
            let index = slot as usize;
            let (run, step) = (self.run[index], collisions.step(slot));
            let has_moved = std::mem::replace(&mut self.last[index], NOWHERE) != NOWHERE;
            if step == NOWHERE {
                if has_moved && !run.is_empty() {
                    self.stopped[index] = self.now - 1;
                }
                self.stand(index);
            } else if !run.is_empty() && usize::from(step) == run.direction() {
                self.step(index, run);
            } else {
                self.step_aside(grid, slot, step.into());
            }
        }
    }

    /// Moves an agent off its path, and lets it return.
    fn step_aside(&mut self, grid: &Grid, slot: u32, direction: usize) {
        let index = slot as usize;
        let before = self.at[index];
        let at = before.after(direction, 1);
        (self.at[index], self.last[index]) = (at, direction as u8);
        let id = self.id(slot);
        self.steps.push((id, at.cell()));
        if self.agents[index].is_active() {
            self.stopped[index] = self.now;
        }
        let agent = &mut self.agents[index];
        if agent.is_guest {
            self.run[index] = Run::NONE;
            if agent.activity == Some(Activity::Arrived) {
                self.set_activity(slot, Some(Activity::Walking));
            }
            return;
        }
        match agent.activity {
            Some(Activity::Arrived) => {
                self.set_activity(slot, Some(Activity::Walking));
                self.agents[index].end = before;
            }
            Some(Activity::Waiting | Activity::Walking) if !self.run[index].is_empty() => {}
            _ => {
                // It has no path to return to, but it may be planning one from where it was.
                agent.end = at;
                if self.task.is_some_and(|task| task.who.0 == slot) {
                    self.task = None;
                    self.replan(slot);
                } else if agent.activity == Some(Activity::Walking) {
                    agent.is_lost = true;
                }
                if at == self.agents[index].goal {
                    self.put.push(id);
                }
                return;
            }
        }
        if at == self.agents[index].goal {
            self.drop_steps(slot);
            return self.arrive(slot);
        }
        self.rejoin(grid, slot, before);
    }

    /// Leads an agent that has stepped aside back to its path, which begins at a cell beside it: to the third step of the
    /// path if that is near, else to an earlier one.
    fn rejoin(&mut self, grid: &Grid, slot: u32, before: Spot) {
        let index = slot as usize;
        let at = self.at[index];
        let mut path = before;
        let mut best = (0, before);
        let runs = std::iter::once(self.run[index]).chain(self.runs_ahead(slot));
        let steps = runs.flat_map(|run| (0..run.steps()).map(move |_| run.direction()));
        for (nth, direction) in steps.take(3).enumerate() {
            path = path.after(direction, 1);
            let is_step = at
                .direction_to(path)
                .is_some_and(|toward| grid.steps_from(at.cell()) >> toward & 1 == 1);
            if path == at || is_step {
                best = (nth + 1, path);
            }
        }
        for _ in 0..best.0 {
            self.run[index] = self.run[index].shorter();
            if self.run[index].is_empty() {
                self.take_next_run(index);
            }
        }
        if let Some(direction) = at.direction_to(best.1) {
            self.prepend(slot, direction);
        } else if self.run[index].is_empty() {
            // It has been pushed to the end of its steps.
            self.next_run(slot);
        }
        let agent = &self.agents[index];
        let count = self.ahead[index].len() + agent.runs.len();
        if count > WORN && agent.activity == Some(Activity::Walking) && !agent.is_ray {
            self.drop_steps(slot);
            self.replan(slot);
        }
    }
}
