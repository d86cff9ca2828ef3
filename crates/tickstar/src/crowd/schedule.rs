//! Who plans when, in a frame: one task after the other, until the budget is spent.

use std::cmp::Reverse;

use super::agents::Record;
use super::goals::Advance;
use super::method::Attempt;
use super::parallel::Job;
use super::planner::{Planner, Progress};
use super::runs::{Run, Spot};
use super::{Activity, Crowd, NOWHERE};
use crate::regions::CrowdRegions;
use crate::search::Found;
use crate::space::Sealed;
use crate::{Grid, Map, NodeId, Slice};

/// The number of frames before its steps run out in which the path of an agent is extended.
const LEAD: u64 = 16;
/// Added to the keys of agents that can walk a ray: those that cannot come first.
pub(super) const AFTER_STUCK: u64 = 1 << 48;
/// Where memory is limited, paths are refined in parts of so many units, after which the limit is checked.
const REFINE_UNITS: u64 = 256;

/// An agent in a queue: the slot, and the ticket with which it was queued.
pub(super) type Ticket = (u32, u32);
/// The same with a key, the smallest first.
pub(super) type Entry = (u64, u32, u32);

/// What is being planned, for whom.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    kind: Kind,
    pub who: Ticket,
    /// Which share of the work it counts for: chains, or legs.
    share: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Chain,
    /// The search that is shared by all with the same goal.
    Tree,
    /// A leg to the exit with this number, or to the goal if there are fewer.
    Leg(usize),
    /// A leg to one of the exits of a shared search.
    SharedLeg,
    Refine,
}

const CHAINS: usize = 0;
const LEGS: usize = 1;

impl Crowd {
    /// After a change of the regions, finds out which goals can be reached, with at most a quarter of the budget.
    pub(super) fn notice_changes(
        &mut self,
        grid: &Grid,
        regions: &CrowdRegions,
        slice: &mut Slice<'_>,
    ) {
        if self.components.are_exact(regions) && self.components.compared >= self.agents.len() {
            if self.components.edits == regions.edits() {
                return;
            }
            // A goal may have been blocked or opened, which changes no region if other cells around it are free.
            self.components.compared = 0;
        }
        self.recheck_task(grid, regions);
        let quarter = slice.remaining() / 4 + 1;
        slice.part(quarter, |slice| {
            if !self.components.is_under_way(regions, self.agents.len()) {
                self.components.begin(regions);
            }
            if !self.components.run(regions, slice) {
                return;
            }
            if self.components.compared == 0 {
                self.components.edits = regions.edits();
            }
            while self.components.compared < self.agents.len() {
                let slot = self.components.compared as u32;
                if !slice.trace(NodeId(slot)) {
                    return;
                }
                self.compare(regions, slot);
                self.components.compared += 1;
            }
        });
    }

    /// Compares the component of an agent with that of its goal.
    fn compare(&mut self, regions: &CrowdRegions, slot: u32) {
        let (at, agent) = (self.at[slot as usize], &self.agents[slot as usize]);
        if agent.is_guest {
            return;
        }
        let is_joined = || self.components.are_joined(regions, at.cell(), agent.goal.cell());
        match agent.activity {
            Some(Activity::Unreachable) if is_joined() => {
                self.agents[slot as usize].is_told = false;
                self.wait(slot);
                self.stats.stood += usize::from(self.last[slot as usize] == NOWHERE);
            }
            Some(Activity::Waiting | Activity::Walking)
                if self.components.are_exact(regions) && !is_joined() =>
            {
                self.tell(slot);
            }
            _ => {}
        }
    }

    /// Plans for one agent after the other.
    pub(super) fn think(&mut self, grid: &Grid, regions: &CrowdRegions, slice: &mut Slice<'_>) {
        let is_refining = self.task.is_some_and(|task| task.kind == Kind::Refine);
        if is_refining
            && (self.next_due(LEAD, slice).is_some() || self.front(true, slice).is_some())
        {
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
            self.stats.thought += 1;
            if self.task.is_some_and(|now| now.who == task.who && now.kind == task.kind) {
                self.task = None;
            }
            if self.config.max_bytes.is_some_and(|most| self.bytes() > most) && self.task.is_none()
            {
                self.planner.release();
            }
        }
    }

    /// Lets an agent that waits for a chain, and cannot walk meanwhile, have the next turn.
    pub(super) fn wait_urgently(&mut self, slot: u32) {
        let ticket = self.new_ticket(slot);
        self.waiting.push(Reverse((self.now, slot, ticket)));
    }

    /// The next entry of a queue that is still true. The others are dropped, as far as the slice allows: thousands can
    /// become untrue at once.
    fn front(&mut self, is_waiting: bool, slice: &mut Slice<'_>) -> Option<Entry> {
        loop {
            let queue = if is_waiting { &self.waiting } else { &self.due };
            let &Reverse(entry) = queue.peek()?;
            if self.is_current((entry.1, entry.2)) {
                return Some(entry);
            }
            if !slice.trace(NodeId(entry.1)) {
                return None;
            }
            let queue = if is_waiting { &mut self.waiting } else { &mut self.due };
            queue.pop();
        }
    }

    /// The agent whose steps run out first, if that is within so many frames.
    fn next_due(&mut self, frames: u64, slice: &mut Slice<'_>) -> Option<Ticket> {
        let (due, slot, ticket) = self.front(false, slice)?;
        (due <= self.now + frames).then_some((slot, ticket))
    }

    /// The first of the agents that wait for a chain, unless there is no memory for one: then those that have a chain must
    /// arrive first.
    fn next_waiting(&mut self, slice: &mut Slice<'_>) -> Option<Entry> {
        let waiting = self.front(true, slice)?;
        let is_full = self.config.max_bytes.is_some_and(|most| self.bytes() >= most);
        if is_full && self.walking_count > 0 {
            self.stats.held_back = self.waiting_count;
            return None;
        }
        Some(waiting)
    }

    /// Decides who is next.
    fn next_task(
        &mut self,
        grid: &Grid,
        regions: &CrowdRegions,
        slice: &mut Slice<'_>,
    ) -> Option<Task> {
        loop {
            self.plan_ahead(grid, regions, slice);
            let before = slice.spent();
            let waiting = self.next_waiting(slice);
            let urgent = self.next_due(1, slice);
            let [chains, legs] = self.spent;
            // Either kind of work gets at least a quarter of it, if there is any.
            let chain_first = match (waiting, urgent) {
                (Some((key, ..)), Some(_)) if key < AFTER_STUCK => chains / 3 <= legs,
                (Some(_), Some(_)) => chains < legs / 3,
                (waiting, None) => waiting.is_some(),
                (None, Some(_)) => false,
            };
            let share = if chain_first { CHAINS } else { LEGS };
            let who = match waiting.filter(|_| chain_first) {
                Some((_, slot, ticket)) => (slot, ticket),
                None => match urgent.or_else(|| self.next_due(LEAD, slice)) {
                    Some(who) => who,
                    None => break,
                },
            };
            if !slice.update(NodeId(who.0)) {
                return None;
            }
            let queue = if chain_first { &mut self.waiting } else { &mut self.due };
            queue.pop();
            self.ready.begin();
            let task = if chain_first {
                self.begin_chain(grid, regions, who, slice)
            } else {
                self.begin_leg(grid, regions, who, share, slice)
            };
            self.spent[share] += slice.spent() - before;
            if task.is_some() {
                return task;
            }
        }
        self.next_to_refine(grid, slice)
    }

    /// Plans what is probably next, on several threads if there are some.
    fn plan_ahead(&mut self, grid: &Grid, regions: &CrowdRegions, slice: &Slice<'_>) {
        let wanted = self.ready.wanted(slice, false);
        if wanted == 0 {
            return;
        }
        let attempt = Attempt { most: None, ..self.choice.next(grid.jump_grid(Sealed).is_some()) };
        let chains = self.first_in_queue(true, wanted, u64::MAX);
        let lead = if chains.is_empty() { LEAD } else { 1 };
        let legs = self.first_in_queue(false, wanted, self.now + lead);
        let each = if chains.is_empty() || legs.is_empty() { wanted } else { wanted.div_ceil(2) };
        let mut jobs: Vec<Job> = Vec::with_capacity(wanted + 1);
        for &(_, slot, _) in chains.iter().take(each) {
            let Record { goal, end, is_ray, .. } = self.agents[slot as usize];
            if !(self.config.share && self.goals.is_shared(goal)) {
                let from = if is_ray { self.at[slot as usize] } else { end };
                jobs.push(Job::Chain(from, goal, attempt));
            }
        }
        for &(_, slot, _) in legs.iter().take(each) {
            let agent = &self.agents[slot as usize];
            if !agent.is_shared && !agent.is_lost {
                let targets = Planner::targets(&agent.chain, agent.next_exit as usize, agent.goal);
                jobs.push(Job::Leg(agent.end, targets.collect(), attempt));
            }
        }
        if chains.is_empty() && legs.is_empty() && self.config.refine {
            let partial = self.partial.iter().map(|&slot| &self.agents[slot as usize]);
            let is_partial = |agent: &&Record| {
                agent.activity == Some(Activity::Walking) && !agent.is_complete && !agent.is_shared
            };
            let paths = partial.filter(is_partial).take(self.ready.wanted(slice, true));
            jobs.extend(paths.map(|agent| Job::Path(agent.end, agent.goal)));
        }
        if jobs.len() > 1 {
            self.ready.run((grid, regions), &jobs, slice);
        }
    }

    /// The first entries of a queue that are still true, at most this many, and with keys up to the given one. The queue
    /// stays as it is.
    fn first_in_queue(&mut self, is_waiting: bool, most: usize, key: u64) -> Vec<Entry> {
        let queue = if is_waiting { &mut self.waiting } else { &mut self.due };
        let mut entries = Vec::with_capacity(2 * most);
        while entries.len() < 2 * most {
            match queue.peek() {
                Some(&Reverse(entry)) if entry.0 <= key => entries.push(entry),
                _ => break,
            }
            queue.pop();
        }
        queue.extend(entries.iter().copied().map(Reverse));
        entries.retain(|&(_, slot, ticket)| self.is_current((slot, ticket)));
        entries.truncate(most);
        entries
    }

    fn begin_chain(
        &mut self,
        grid: &Grid,
        regions: &CrowdRegions,
        who: Ticket,
        slice: &mut Slice<'_>,
    ) -> Option<Task> {
        let (slot, index) = (who.0, who.0 as usize);
        if self.agents[index].is_ray {
            self.drop_steps(slot);
        }
        let goal = self.agents[index].goal;
        if self.config.share && self.goals.join(goal) {
            self.set_activity(slot, Some(Activity::Walking));
            let ticket = self.new_ticket(slot);
            self.agents[index].is_shared = true;
            return self.begin_leg(grid, regions, (slot, ticket), CHAINS, slice);
        }
        Some(self.begin_own_chain(who))
    }

    fn begin_own_chain(&mut self, who: Ticket) -> Task {
        let agent = &mut self.agents[who.0 as usize];
        agent.is_shared = false;
        let (end, goal) = (agent.end, agent.goal);
        self.planner.begin_chain(end, goal);
        self.chain_ready = self.ready.chain(end, goal);
        Task { kind: Kind::Chain, who, share: CHAINS }
    }

    /// Begins a leg, if the chain of the agent is still connected; else the agent waits for another one.
    fn begin_leg(
        &mut self,
        grid: &Grid,
        regions: &CrowdRegions,
        who: Ticket,
        share: usize,
        slice: &mut Slice<'_>,
    ) -> Option<Task> {
        if self.agents[who.0 as usize].is_shared {
            return self.begin_shared_leg(grid, regions, who, share, slice);
        }
        let attempt = self.choice.next(grid.jump_grid(Sealed).is_some());
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
        let target = Planner::last_target(first).min(len);
        if agent.logged != regions.logged() && !agent.is_connected(regions, target) {
            self.wait_for_chain(grid, who.0);
            return None;
        }
        let agent = &self.agents[who.0 as usize];
        self.targets.clear();
        self.targets.extend(Planner::targets(&agent.chain, first, goal));
        self.planner.begin_leg(end, self.targets.iter().copied(), attempt);
        self.leg_ready = self.ready.leg(end, &self.targets, attempt);
        Some(Task { kind: Kind::Leg(target), who, share })
    }

    /// Takes the next leg to a shared goal, if another agent has had it planned, or begins one.
    fn begin_shared_leg(
        &mut self,
        grid: &Grid,
        regions: &CrowdRegions,
        who: Ticket,
        share: usize,
        slice: &mut Slice<'_>,
    ) -> Option<Task> {
        let Record { end, goal, .. } = self.agents[who.0 as usize];
        if !grid.is_free(end.cell()) {
            if end == self.at[who.0 as usize] {
                self.tell(who.0);
            } else {
                self.wait_for_chain(grid, who.0);
            }
            return None;
        }
        let lists = (&mut self.path, &mut self.targets);
        match self.goals.advance((grid, regions), goal, end, lists, slice) {
            Advance::Take(end) => {
                let path = std::mem::take(&mut self.path);
                self.append(grid, who.0, &path, end);
                self.path = path;
                None
            }
            Advance::Plan => {
                let attempt = self.choice.next(grid.jump_grid(Sealed).is_some());
                self.planner.begin_leg(end, self.targets.iter().copied(), attempt);
                self.leg_ready = None;
                Some(Task { kind: Kind::SharedLeg, who, share })
            }
            Advance::Search => Some(Task { kind: Kind::Tree, who, share }),
            Advance::Spent => {
                self.due.push(Reverse((self.now, who.0, who.1)));
                None
            }
        }
    }

    /// The chain of an agent is cut: it waits for another one.
    fn wait_for_chain(&mut self, grid: &Grid, slot: u32) {
        if !self.ends_free(grid, slot) {
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
            Kind::Leg(_) | Kind::SharedLeg | Kind::Chain | Kind::Tree => {}
        }
    }

    /// Looks for an agent whose path is not complete.
    fn next_to_refine(&mut self, grid: &Grid, slice: &mut Slice<'_>) -> Option<Task> {
        let is_full = self.config.max_bytes.is_some_and(|most| self.bytes() >= most);
        while let Some(&slot) = self.partial.front().filter(|_| self.config.refine && !is_full) {
            if !slice.scan() {
                return None;
            }
            self.partial.pop_front();
            self.ready.begin();
            let agent = &mut self.agents[slot as usize];
            agent.is_partial = false;
            let is_partial =
                agent.activity == Some(Activity::Walking) && !agent.is_complete && !agent.is_shared;
            if is_partial && grid.is_free(agent.end.cell()) {
                self.planner.begin_path(agent.end, agent.goal);
                self.leg_ready = self.ready.path(agent.end, agent.goal);
                return Some(Task { kind: Kind::Refine, who: (slot, agent.ticket), share: LEGS });
            }
        }
        None
    }

    /// Continues with a task. Returns whether it is complete; another one may have taken its place.
    fn run_task(
        &mut self,
        grid: &Grid,
        regions: &CrowdRegions,
        task: Task,
        slice: &mut Slice<'_>,
    ) -> bool {
        let slot = task.who.0;
        let progress = match task.kind {
            Kind::Chain => match self.chain_ready.take() {
                Some(done) if slice.take(&done.spending) => {
                    self.planner.chain = done.result;
                    done.progress
                }
                _ => self.planner.run_chain(regions, slice),
            },
            Kind::Tree => {
                let Record { end, goal, .. } = self.agents[slot as usize];
                match self.goals.search(regions, goal, end, slice) {
                    Found::Working => Progress::Working,
                    Found::Way => Progress::Done,
                    Found::NoWay => Progress::NoWay,
                }
            }
            Kind::Leg(_) | Kind::SharedLeg | Kind::Refine => match self.leg_ready.take() {
                Some(done) if slice.take(&done.spending) => {
                    self.planner.adopt_leg(done.result);
                    done.progress
                }
                _ if task.kind == Kind::Refine => self.refine(grid, slice),
                _ => self.planner.run_leg(grid, slice),
            },
        };
        if progress == Progress::Working {
            return false;
        }
        if matches!(task.kind, Kind::Leg(_) | Kind::SharedLeg)
            && let Some((attempt, spent)) = self.planner.search_spent()
        {
            self.choice.note(attempt, spent, self.planner.has_failed());
        }
        match (task.kind, progress) {
            (Kind::Refine, Progress::NoWay) => {}
            (Kind::Chain | Kind::Tree, Progress::NoWay) => {
                let index = slot as usize;
                if self.agents[index].end == self.at[index] {
                    self.tell(slot);
                } else {
                    // From the end of its steps, which the map may have cut: there may be a way from where it is.
                    self.drop_steps(slot);
                    self.wait(slot);
                }
            }
            // The map has changed meanwhile.
            (_, Progress::NoWay) => self.wait_for_chain(grid, slot),
            (Kind::Chain, _) => {
                self.set_activity(slot, Some(Activity::Walking));
                let ticket = self.new_ticket(slot);
                let agent = &mut self.agents[slot as usize];
                agent.chain = self.planner.chain.as_slice().into();
                (agent.next_exit, agent.logged) = (0, regions.logged());
                self.count_memory(slot);
                self.task = self.begin_leg(grid, regions, (slot, ticket), CHAINS, slice);
            }
            (Kind::Tree, _) => {
                let next = self.begin_shared_leg(grid, regions, task.who, task.share, slice);
                self.task = next.map(|next| match next.kind {
                    Kind::Tree => self.begin_own_chain(task.who),
                    _ => next,
                });
            }
            (Kind::Leg(target), _) => {
                let first = self.agents[slot as usize].next_exit as usize;
                let is_far = target > first;
                let target = if is_far { first + 1 + self.planner.target() } else { target };
                self.append_leg(grid, regions, slot, target, slice);
            }
            (Kind::SharedLeg, _) => {
                let Record { end: from, goal, .. } = self.agents[slot as usize];
                let mut end = self.planner.end();
                if !self.goals.is_waypoint(regions, goal, end) {
                    let targets = &self.targets[..=self.planner.target()];
                    end = self.planner.cut(regions, targets, slice).1;
                }
                let path = std::mem::take(&mut self.planner.runs);
                self.goals.keep(regions, goal, (from, end), &path);
                self.append(grid, slot, &path, end);
                self.planner.runs = path;
            }
            (Kind::Refine, _) => {
                let goal = self.agents[slot as usize].chain.len();
                self.append_leg(grid, regions, slot, goal, slice);
            }
        }
        true
    }

    /// Continues to refine a path; where memory is limited, only up to the limit.
    fn refine(&mut self, grid: &Grid, slice: &mut Slice<'_>) -> Progress {
        let Some(most) = self.config.max_bytes else { return self.planner.run_leg(grid, slice) };
        loop {
            let left = slice.remaining();
            let progress =
                slice.part(REFINE_UNITS.min(left), |slice| self.planner.run_leg(grid, slice));
            if progress != Progress::Working || left <= REFINE_UNITS {
                return progress;
            }
            if self.bytes() > most {
                return Progress::NoWay;
            }
        }
    }

    /// Appends the leg that has been planned to the steps of an agent. It leads to the exit with this number.
    fn append_leg(
        &mut self,
        grid: &Grid,
        regions: &CrowdRegions,
        slot: u32,
        target: usize,
        slice: &mut Slice<'_>,
    ) {
        let agent = &mut self.agents[slot as usize];
        agent.logged = regions.logged();
        let mut end = agent.goal;
        if target < agent.chain.len() {
            let exits = &agent.chain[agent.next_exit as usize + 1..=target];
            let (exit, cut) = self.planner.cut(regions, exits, slice);
            agent.next_exit += 1 + exit as u32;
            end = cut;
        }
        let path = std::mem::take(&mut self.planner.runs);
        self.append(grid, slot, &path, end);
        self.planner.runs = path;
    }

    /// Appends steps to those of an agent, which end here or, if they pass it, at its goal.
    fn append(&mut self, grid: &Grid, slot: u32, path: &[Run], end: Spot) {
        let index = slot as usize;
        let ticket = self.new_ticket(slot);
        let agent = &mut self.agents[index];
        let (mut at, goal) = (agent.end, agent.goal);
        let past_goal = path.iter().position(|run| {
            let far = at.distance(goal);
            let is_passed = far <= run.steps() && at.after(run.direction(), far) == goal;
            at = at.after(run.direction(), if is_passed { 0 } else { run.steps() });
            is_passed
        });
        let end = if past_goal.is_some() { goal } else { end };
        agent.end = end;
        if end == agent.goal {
            agent.is_complete = true;
            agent.chain = Box::default();
        }
        for &run in &path[..past_goal.unwrap_or(path.len())] {
            self.push_run(slot, run);
        }
        if let Some(last) = past_goal {
            self.push_run(slot, Run::new(path[last].direction(), at.distance(goal)));
        }
        let agent = &mut self.agents[index];
        if !agent.is_complete {
            let own = self.ahead[index].iter().chain(agent.runs.iter().copied());
            let ahead: u32 = own.map(Run::steps).sum();
            let due = self.now + u64::from(ahead + self.run[index].steps());
            self.due.push(Reverse((due, slot, ticket)));
            if !agent.is_shared && !std::mem::replace(&mut agent.is_partial, true) {
                self.partial.push_back(slot);
            }
        } else if self.run[index].is_empty() && self.at[index] == agent.goal {
            return self.arrive(slot);
        }
        self.count_memory(slot);
        self.step_at_once(grid, slot);
    }
}
