//! One frame of a crowd: who walks, and who plans.

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::planner::{Planner, Progress};
use super::runs::{self, Run};
use super::{Activity, AgentId, Crowd, Entry, Frame, FrameStats, Kind, NOWHERE, Task, Ticket};
use crate::regions::CrowdRegions;
use crate::{Grid, NodeId, Slice};

/// The most steps of a ray.
const RAY: u32 = 24;
/// The number of frames before its steps run out in which the path of an agent is extended.
const LEAD: u64 = 16;
/// Entries of a list that take as long as a step of an agent, with the check whether it is legal.
const ENTRIES_PER_STEP: u64 = 4;
/// Added to the keys of agents that can walk a ray: those that cannot come first.
pub(super) const AFTER_STUCK: u64 = 1 << 48;

impl Crowd {
    /// Lets every agent take a step that has one, and plans as far as the slice allows.
    ///
    /// The map must be that of the crowd, at any time of its life: with a map of another size, or without regions,
    /// nobody moves. All work is paid for, also where the slice counts as the papers do, except that every agent with a
    /// plan takes its step however small the budget is. For a budget in milliseconds, use [`Slice::deadline`].
    pub fn frame(&mut self, grid: &Grid, slice: &mut Slice<'_>) -> Frame<'_> {
        self.now += 1;
        self.steps.clear();
        self.arrived.clear();
        self.told.clear();
        self.spent = self.spent.map(|spent| spent / 2);
        self.stats = FrameStats::default();
        let fits = (grid.width(), grid.height()) == self.size;
        if let Some(regions) = grid.crowd_regions().filter(|_| fits) {
            slice.metering_tick(|slice| {
                self.arrive_at_once();
                self.walk(grid);
                let unpaid = slice.settle_entries(self.steps.len() as u64 * ENTRIES_PER_STEP);
                let _ = unpaid; // every agent with a plan moves, however small the budget
                self.notice_changes(grid, regions, slice);
                self.walk_rays(grid, regions, slice);
                self.think(grid, regions, slice);
            });
        }
        self.stats.units = slice.units();
        self.stats.moved = self.steps.len();
        self.stats.waiting = self.waiting_count;
        Frame {
            steps: &self.steps,
            arrived: &self.arrived,
            unreachable: &self.told,
            stats: self.stats,
        }
    }

    /// Agents that were put on their goals have arrived.
    fn arrive_at_once(&mut self) {
        for id in std::mem::take(&mut self.put) {
            let Some(slot) = self.slot(id) else { continue };
            let agent = &self.agents[id.index()];
            if agent.goal == self.at[id.index()] && agent.activity != Some(Activity::Arrived) {
                self.drop_steps(slot);
                self.arrive(slot);
            }
        }
    }

    /// Lets all agents that have steps take one.
    fn walk(&mut self, grid: &Grid) {
        let mut blocked = std::mem::take(&mut self.blocked);
        for slot in 0..self.run.len() {
            let run = self.run[slot];
            self.last[slot] = NOWHERE;
            if run.is_empty() {
                // Also true if it is not on its way.
                let stood = self.now.saturating_sub(self.stopped[slot].saturating_add(1));
                self.stats.stood += usize::from(self.stopped[slot] < self.now);
                self.stats.longest_stand = self.stats.longest_stand.max(stood);
            } else if grid.steps_from(self.at[slot].cell()) >> run.direction() & 1 == 1 {
                self.step(slot, run);
            } else {
                blocked.push(slot as u32);
            }
        }
        self.stats.stood += blocked.len();
        for slot in blocked.drain(..) {
            self.drop_steps(slot);
            self.stopped[slot as usize] = self.now - 1;
            self.replan(slot);
        }
        self.blocked = blocked;
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
    fn step_at_once(&mut self, grid: &Grid, slot: u32) {
        let index = slot as usize;
        let run = self.run[index];
        let is_legal = || grid.steps_from(self.at[index].cell()) >> run.direction() & 1 == 1;
        if !run.is_empty() && self.last[index] == NOWHERE && is_legal() {
            self.step(index, run);
            self.stats.stood = self.stats.stood.saturating_sub(1);
        }
    }

    /// The last step of a run has been taken.
    fn next_run(&mut self, slot: u32) {
        let index = slot as usize;
        let agent = &mut self.agents[index];
        if let Some(run) = agent.runs.pop_front() {
            self.run[index] = run;
            return;
        }
        self.stopped[index] = self.now;
        if self.at[index] == agent.goal {
            self.arrive(slot);
        } else if agent.activity == Some(Activity::Waiting) {
            let ticket = agent.ticket;
            self.standing.push_back((slot, ticket));
        }
    }

    fn arrive(&mut self, slot: u32) {
        self.set_activity(slot, Some(Activity::Arrived));
        self.new_ticket(slot);
        let agent = &mut self.agents[slot as usize];
        (agent.runs, agent.chain) = (VecDeque::new(), Box::default());
        agent.is_complete = true;
        let id = self.id(slot);
        self.arrived.push(id);
    }

    /// An agent has no way to its goal.
    fn tell(&mut self, slot: u32) {
        self.drop_steps(slot);
        self.set_activity(slot, Some(Activity::Unreachable));
        self.new_ticket(slot);
        let agent = &mut self.agents[slot as usize];
        agent.chain = Box::default();
        if !std::mem::replace(&mut agent.is_told, true) {
            let id = self.id(slot);
            self.told.push(id);
        }
    }

    /// After a change of the regions, finds out which goals can be reached, with at most a quarter of the budget.
    fn notice_changes(&mut self, grid: &Grid, regions: &CrowdRegions, slice: &mut Slice<'_>) {
        if self.components.are_exact(regions) && self.components.compared >= self.agents.len() {
            return;
        }
        self.recheck_task(grid, regions);
        let quarter = slice.remaining() / 4 + 1;
        slice.part(quarter, |slice| {
            if !self.components.is_begun() {
                self.components.begin(regions);
            }
            if !self.components.run(regions, slice) {
                return;
            }
            while self.components.compared < self.agents.len() {
                if !slice.scan() {
                    return;
                }
                self.compare(regions, self.components.compared as u32);
                self.components.compared += 1;
            }
            if !self.components.are_exact(regions) {
                self.components.begin(regions);
            }
        });
    }

    /// Compares the component of an agent with that of its goal.
    fn compare(&mut self, regions: &CrowdRegions, slot: u32) {
        let (at, agent) = (self.at[slot as usize], &self.agents[slot as usize]);
        let is_joined = || self.components.are_joined(regions, at.cell(), agent.goal.cell());
        match agent.activity {
            Some(Activity::Unreachable) if is_joined() => {
                self.agents[slot as usize].is_told = false;
                self.wait(slot);
            }
            Some(Activity::Waiting | Activity::Walking)
                if self.components.are_exact(regions) && !is_joined() =>
            {
                self.tell(slot);
            }
            _ => {}
        }
    }

    /// Agents that wait and stand walk straight toward their goals.
    fn walk_rays(&mut self, grid: &Grid, regions: &CrowdRegions, slice: &mut Slice<'_>) {
        for _ in 0..self.standing.len() {
            let Some(&who) = self.standing.front() else { return };
            let (slot, index) = (who.0, who.0 as usize);
            let stands = self.is_current(who)
                && self.agents[index].activity == Some(Activity::Waiting)
                && self.run[index].is_empty();
            if !(if stands { slice.update(NodeId(slot)) } else { slice.scan() }) {
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
                let ticket = self.new_ticket(slot);
                self.waiting.push(Reverse((self.now, slot, ticket)));
                continue;
            }
            self.drop_steps(slot);
            let agent = &mut self.agents[index];
            agent.is_ray = true;
            for (direction, most) in line {
                let part = steps.min(most);
                if part > 0 {
                    agent.runs.push_back(Run::new(direction, part));
                    agent.end = agent.end.after(direction, part);
                }
                steps -= part;
            }
            self.run[index] = agent.runs.pop_front().unwrap_or(Run::NONE);
            self.step_at_once(grid, slot);
        }
    }

    /// Plans for one agent after the other.
    fn think(&mut self, grid: &Grid, regions: &CrowdRegions, slice: &mut Slice<'_>) {
        let is_refining = self.task.is_some_and(|task| task.kind == Kind::Refine);
        if is_refining && (self.next_due(LEAD).is_some() || self.front(true).is_some()) {
            self.task = None;
        }
        loop {
            let before = slice.spent();
            let Some(task) = self.task.or_else(|| self.next_task(grid, regions, slice)) else {
                return;
            };
            self.task = Some(task);
            let is_done = !self.is_current(task.who) || self.run_task(grid, regions, task, slice);
            self.spent[task.share] += slice.spent() - before;
            if !is_done {
                return;
            }
            self.stats.planned += 1;
            if self.task.is_some_and(|now| now.who == task.who && now.kind == task.kind) {
                self.task = None;
            }
        }
    }

    /// The next agent of a queue that is still true.
    fn front(&mut self, is_waiting: bool) -> Option<Entry> {
        loop {
            let queue = if is_waiting { &self.waiting } else { &self.due };
            let &Reverse(entry) = queue.peek()?;
            if self.is_current((entry.1, entry.2)) {
                return Some(entry);
            }
            let queue = if is_waiting { &mut self.waiting } else { &mut self.due };
            queue.pop();
        }
    }

    /// The agent whose steps run out first, if that is within so many frames.
    fn next_due(&mut self, frames: u64) -> Option<Ticket> {
        let (due, slot, ticket) = self.front(false)?;
        (due <= self.now + frames).then_some((slot, ticket))
    }

    /// Decides who is next.
    fn next_task(
        &mut self,
        grid: &Grid,
        regions: &CrowdRegions,
        slice: &mut Slice<'_>,
    ) -> Option<Task> {
        loop {
            let waiting = self.front(true);
            let urgent = self.next_due(1);
            let [chains, legs] = self.spent;
            // Either kind of work gets at least a quarter of it, if there is any.
            let chain_first = match (waiting, urgent) {
                (Some((key, ..)), Some(_)) if key < AFTER_STUCK => chains / 3 <= legs,
                (Some(_), Some(_)) => chains < legs / 3,
                (waiting, None) => waiting.is_some(),
                (None, Some(_)) => false,
            };
            if let Some((_, slot, ticket)) = waiting.filter(|_| chain_first) {
                if !slice.update(NodeId(slot)) {
                    return None;
                }
                self.waiting.pop();
                return Some(self.begin_chain((slot, ticket)));
            }
            let Some(who) = urgent.or_else(|| self.next_due(LEAD)) else { break };
            if !slice.update(NodeId(who.0)) {
                return None;
            }
            self.due.pop();
            if let Some(task) = self.begin_leg(grid, regions, who, 1) {
                return Some(task);
            }
        }
        self.next_to_refine(grid, slice)
    }

    fn begin_chain(&mut self, who: Ticket) -> Task {
        if self.agents[who.0 as usize].is_ray {
            self.drop_steps(who.0);
        }
        let agent = &self.agents[who.0 as usize];
        self.planner.begin_chain(agent.end, agent.goal);
        Task { kind: Kind::Chain, who, share: 0 }
    }

    /// Begins a leg, if the chain of the agent is still connected; else the agent waits for another one.
    fn begin_leg(
        &mut self,
        grid: &Grid,
        regions: &CrowdRegions,
        who: Ticket,
        share: usize,
    ) -> Option<Task> {
        let agent = &mut self.agents[who.0 as usize];
        let own = regions.at(agent.end.cell());
        let (end, goal, len) = (agent.end, agent.goal, agent.chain.len());
        if std::mem::take(&mut agent.is_lost) {
            let near = agent.next_exit as usize;
            let mut around = (near.saturating_sub(4)..=(near + 4).min(len)).rev();
            match around.find(|&nth| agent.region(regions, nth) == own) {
                Some(nth) => agent.next_exit = nth as u32,
                None => agent.logged = u64::MAX,
            }
        }
        let first = agent.next_exit as usize;
        let target = Planner::target(first).min(len);
        if agent.logged != regions.logged() && !agent.is_connected(regions, target) {
            self.wait_for_chain(grid, who.0);
            return None;
        }
        let agent = &self.agents[who.0 as usize];
        let targets = (first..=target).map(|nth| agent.chain.get(nth).copied().unwrap_or(goal));
        self.planner.begin_leg(end, targets.skip(usize::from(target > first)));
        Some(Task { kind: Kind::Leg(target), who, share })
    }

    /// The chain of an agent is cut: it waits for another one.
    fn wait_for_chain(&mut self, grid: &Grid, slot: u32) {
        if !grid.is_free(self.agents[slot as usize].end.cell()) {
            self.drop_steps(slot);
        }
        self.wait(slot);
    }

    /// Gives up a task that the map has made useless. Other changes do not stop it, or a map that changes all the time
    /// would.
    fn recheck_task(&mut self, grid: &Grid, regions: &CrowdRegions) {
        let Some(Task { kind, who, .. }) = self.task.filter(|task| self.is_current(task.who))
        else {
            return;
        };
        match kind {
            Kind::Leg(target) if !self.agents[who.0 as usize].is_connected(regions, target) => {
                self.wait_for_chain(grid, who.0);
                self.task = None;
            }
            Kind::Refine => self.task = None,
            Kind::Leg(_) | Kind::Chain => {}
        }
    }

    /// Looks for an agent whose path is not complete.
    fn next_to_refine(&mut self, grid: &Grid, slice: &mut Slice<'_>) -> Option<Task> {
        while let Some(&slot) = self.partial.front() {
            if !slice.scan() {
                return None;
            }
            self.partial.pop_front();
            let agent = &mut self.agents[slot as usize];
            agent.is_partial = false;
            let is_partial = agent.activity == Some(Activity::Walking) && !agent.is_complete;
            if is_partial && grid.is_free(agent.end.cell()) {
                self.planner.begin_path(agent.end, agent.goal);
                return Some(Task { kind: Kind::Refine, who: (slot, agent.ticket), share: 1 });
            }
        }
        None
    }

    /// Goes on with a task. Returns whether it is complete; another one may have taken its place.
    fn run_task(
        &mut self,
        grid: &Grid,
        regions: &CrowdRegions,
        task: Task,
        slice: &mut Slice<'_>,
    ) -> bool {
        let slot = task.who.0;
        let index = slot as usize;
        let progress = match task.kind {
            Kind::Chain => self.planner.run_chain(regions, slice),
            Kind::Leg(_) | Kind::Refine => self.planner.run_leg(grid, slice),
        };
        match (task.kind, progress) {
            (_, Progress::Working) => return false,
            (Kind::Chain, Progress::NoWay) => self.tell(slot),
            (Kind::Chain, Progress::Done) => {
                self.set_activity(slot, Some(Activity::Walking));
                let ticket = self.new_ticket(slot);
                let agent = &mut self.agents[index];
                agent.chain = self.planner.chain.as_slice().into();
                (agent.next_exit, agent.logged) = (0, regions.logged());
                self.task = self.begin_leg(grid, regions, (slot, ticket), 0);
            }
            // The map has changed meanwhile.
            (Kind::Leg(_), Progress::NoWay) => self.wait_for_chain(grid, slot),
            (Kind::Leg(target), Progress::Done) => {
                let first = self.agents[index].next_exit as usize;
                let target = if target > first { first + 1 + self.planner.target } else { target };
                self.append_leg(grid, regions, slot, target);
            }
            (Kind::Refine, Progress::NoWay) => {}
            (Kind::Refine, Progress::Done) => {
                let goal = self.agents[index].chain.len();
                self.append_leg(grid, regions, slot, goal);
            }
        }
        true
    }

    /// Appends the leg that has been planned to the steps of an agent. It leads to the exit with this number.
    fn append_leg(&mut self, grid: &Grid, regions: &CrowdRegions, slot: u32, target: usize) {
        let index = slot as usize;
        let ticket = self.new_ticket(slot);
        let agent = &mut self.agents[index];
        agent.logged = regions.logged();
        if target < agent.chain.len() {
            let exits = &agent.chain[agent.next_exit as usize + 1..=target];
            let (exit, end) = self.planner.cut(regions, exits);
            agent.next_exit += 1 + exit as u32;
            agent.end = end;
        } else {
            (agent.is_complete, agent.end) = (true, agent.goal);
            agent.chain = Box::default();
        }
        agent.runs.extend(self.planner.runs.iter().copied());
        if self.run[index].is_empty()
            && let Some(run) = agent.runs.pop_front()
        {
            self.run[index] = run;
        }
        if !agent.is_complete {
            let ahead: u32 = agent.runs.iter().map(|run| run.steps()).sum();
            let due = self.now + u64::from(ahead + self.run[index].steps());
            self.due.push(Reverse((due, slot, ticket)));
            if !std::mem::replace(&mut agent.is_partial, true) {
                self.partial.push_back(slot);
            }
        } else if self.run[index].is_empty() && self.at[index] == agent.goal {
            return self.arrive(slot);
        }
        self.step_at_once(grid, slot);
    }
}
