//! Many agents with one budget per frame.
//!
//! A [`Crowd`] plans for all its agents with the memory of one. In each frame, every agent that knows where to go takes a
//! step; then what is left of the frame's budget is spent on one agent after the other. No search is interleaved with
//! another: each of these tasks is small, and is completed before the next one begins, if need be in the next frame.
//!
//! # How an agent gets its path
//! 1. A *ray*: until its turn comes, a new agent walks straight toward its goal, as far as that is free.
//! 2. A *chain*: a search over the map's [regions](crate::regions), from the goal to the agent, finds where a path to the
//!    goal leaves each region.
//! 3. *Legs*: the next few exits of the chain become steps, by a straight line if it is free, else by a search over cells
//!    (by jump points where the map offers them). A leg is planned shortly before the agent has walked the last one.
//! 4. *Refinement*: when nothing else is left to do, the rest of an agent's path is replaced by a shortest one.
//!
//! # Whose turn it is
//! An agent whose steps run out in the next frame comes first, provided that those without a chain have had a quarter of
//! the work. Then come agents without a chain: first those that cannot even walk a ray, then by the frame in which they
//! were spawned plus the moves to their goal on an empty map. So an agent is overtaken only by agents that were spawned
//! fewer frames after it than the map is long. Then come legs that are needed within 16 frames.
//!
//! # When the map changes
//! The regions of the map have a log of what has changed, so nothing has to be reported. Every step is checked when it is
//! taken. An agent whose next step is cut plans its next leg again, and its chain only if that is cut too. Agents whose
//! goal cannot be reached are told so, and are asked again after each change of the map.

mod islands;
mod planner;
mod runs;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use thiserror::Error;

use crate::regions::{RegionId, Regions};
use crate::{Cell, Grid, Ratio, Slice};
use planner::{Planner, Progress};
use runs::{Run, Spot};

/// The most steps of a ray.
const RAY: u32 = 24;
/// The number of frames before its steps run out in which the path of an agent is extended.
const LEAD: u64 = 16;
/// Entries of a list that take as long as a step of an agent, with the check whether it is legal.
const ENTRIES_PER_STEP: u64 = 4;
/// Not a direction.
const NOWHERE: u8 = 8;

/// An agent of a [`Crowd`]. The id of an agent that has been removed is not used again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AgentId {
    slot: u32,
    generation: u32,
}

impl AgentId {
    /// A small number that no other agent of the crowd has at the same time, for tables of the caller. It is used again
    /// when the agent has been removed.
    pub fn index(self) -> usize {
        self.slot as usize
    }
}

/// Why an agent could not be spawned, displaced or given another goal.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum CrowdError {
    /// The map has no regions.
    #[error("a crowd plans on regions, but the map has none: make it with `Grid::with_regions`")]
    NeedsRegions,
    /// The map has another size than the one that the crowd was made for.
    #[error("the map is not of the size of the one that the crowd was made for")]
    OtherMap,
    /// A cell is blocked or outside the map.
    #[error("{role} {cell} is blocked or outside the map")]
    Cell {
        /// What the cell was meant for.
        role: &'static str,
        /// The cell.
        cell: Cell,
    },
    /// There is no such agent (any more).
    #[error("the crowd has no such agent: it may have been removed")]
    NoAgent,
}

/// What an agent of a [`Crowd`] is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Activity {
    /// It waits for its turn to plan; it may walk straight toward its goal meanwhile.
    Waiting,
    /// It has a plan.
    Walking,
    /// It stands on its goal.
    Arrived,
    /// No path leads to its goal, on the map as it was when that was found out.
    Unreachable,
}

/// What happened in a frame: see [`Crowd::frame`].
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The steps: who, and to where. They count as taken unless [`Crowd::refuse`] or [`Crowd::displace`] is called.
    pub steps: &'a [(AgentId, Cell)],
    /// The agents that arrived with these steps, or were spawned at their goal.
    pub arrived: &'a [AgentId],
    /// The agents that were found to have no path to their goal.
    pub unreachable: &'a [AgentId],
    /// Figures.
    pub stats: FrameStats,
}

/// Figures of one frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct FrameStats {
    /// The units spent, rounded up: see [`Slice::units`].
    pub units: u64,
    /// The agents that took a step.
    pub moved: usize,
    /// The agents that have neither arrived nor been told that their goal cannot be reached, and took no step.
    pub stood: usize,
    /// The number of tasks that were completed: chains, legs and refined paths.
    pub planned: usize,
    /// The agents that wait for a chain.
    pub waiting: usize,
    /// The number of frames for which the agent that has stood longest has not moved.
    pub longest_stand: u64,
}

/// Many agents on one map, with one budget per frame: see the [module](crate::crowd).
///
/// ```
/// use tickstar::crowd::Crowd;
/// use tickstar::{Cell, Grid, Slice};
/// let mut grid = Grid::new(64, 64)?.with_regions();
/// let mut crowd = Crowd::new(&grid)?;
/// for n in 0..60 {
///     crowd.spawn(&grid, Cell::new(n, 0), Cell::new(63 - n, 63))?;
/// }
/// let mut arrived = 0;
/// while arrived < crowd.len() {
///     grid.set_free(Cell::new(20, 30), arrived > 30)?; // the map may change at any time
///     let frame = crowd.frame(&grid, &mut Slice::metered(500));
///     arrived += frame.arrived.len();
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Crowd {
    size: (u32, u32),
    // What a step needs is apart from the rest, in lists that are read in order.
    at: Vec<Spot>,
    /// The steps ahead in one direction; none if the agent stands.
    run: Vec<Run>,
    /// The direction of the step taken in the last frame.
    last: Vec<u8>,
    agents: Vec<Agent>,
    spare: Vec<u32>,
    /// The number of agents, and of those that have not arrived and not been told that they cannot.
    len: usize,
    active: usize,
    planner: Planner,
    task: Option<Task>,
    /// Agents without a chain, and agents whose steps run out.
    waiting: BinaryHeap<Reverse<Entry>>,
    due: BinaryHeap<Reverse<Entry>>,
    waiting_count: usize,
    /// Agents that wait and stand.
    standing: VecDeque<Ticket>,
    /// Agents without a path, and those of them that have yet to be asked again.
    unreachable: Vec<Ticket>,
    again: Vec<Ticket>,
    /// Who comes next when paths are refined.
    cursor: usize,
    now: u64,
    /// The edits of the map that have been noticed.
    edits: u64,
    /// What has been spent lately on agents without a chain, and on legs that are needed at once.
    spent: [u64; 2],
    spawned_at_goal: Vec<AgentId>,
    blocked: Vec<u32>,
    steps: Vec<(AgentId, Cell)>,
    arrived: Vec<AgentId>,
    told: Vec<AgentId>,
}

/// What is seldom needed of an agent.
#[derive(Clone, Debug, Default)]
struct Agent {
    generation: u32,
    /// Changes whenever what is planned for the agent is no longer true.
    ticket: u32,
    activity: Option<Activity>,
    /// Its steps are a ray.
    is_ray: bool,
    /// Its steps lead to the goal.
    is_complete: bool,
    /// It may have left its chain.
    is_lost: bool,
    goal: Spot,
    /// Where its steps end.
    end: Spot,
    /// When it moved last, or was spawned.
    moved: u64,
    /// Steps after those of the current run.
    runs: VecDeque<Run>,
    /// Where regions are left, and the first of these exits that is ahead of the end of the steps.
    chain: Box<[Spot]>,
    next_exit: u32,
    /// The length of the regions' log when the chain was known to be connected.
    logged: u64,
}

impl Agent {
    /// The region of an exit; of the goal, if there are fewer exits.
    fn region(&self, regions: &Regions, exit: usize) -> Option<RegionId> {
        regions.at(self.chain.get(exit).copied().unwrap_or(self.goal).cell())
    }

    /// Whether the end of the steps is still connected with the exit of this number, over the regions of the chain.
    fn is_connected(&self, regions: &Regions, target: usize) -> bool {
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

/// An agent in a queue: the slot, and the ticket with which it was queued.
type Ticket = (u32, u32);
/// The same with a key, the smallest first.
type Entry = (u64, u32, u32);

#[derive(Clone, Copy, Debug)]
struct Task {
    kind: Kind,
    who: Ticket,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Chain,
    /// A leg to the exit with this number, or to the goal if there are fewer.
    Leg(usize),
    Refine,
}

impl Crowd {
    /// A crowd without agents.
    ///
    /// # Errors
    /// If the map has no regions.
    pub fn new(grid: &Grid) -> Result<Crowd, CrowdError> {
        let regions = grid.regions().ok_or(CrowdError::NeedsRegions)?;
        let weight = Ratio::new(11, 10).unwrap_or(Ratio::ONE);
        Ok(Crowd {
            size: (grid.width(), grid.height()),
            at: Vec::new(),
            run: Vec::new(),
            last: Vec::new(),
            agents: Vec::new(),
            spare: Vec::new(),
            len: 0,
            active: 0,
            planner: Planner::new(weight),
            task: None,
            waiting: BinaryHeap::new(),
            due: BinaryHeap::new(),
            waiting_count: 0,
            standing: VecDeque::new(),
            unreachable: Vec::new(),
            again: Vec::new(),
            cursor: 0,
            now: 0,
            edits: regions.edits(),
            spent: [0; 2],
            spawned_at_goal: Vec::new(),
            blocked: Vec::new(),
            steps: Vec::new(),
            arrived: Vec::new(),
            told: Vec::new(),
        })
    }

    /// The number of agents.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds an agent. It takes its first step in the next frame, if there is time for a ray and one is free.
    ///
    /// # Errors
    /// If either cell is blocked or outside the map, or the map is not that of the crowd.
    pub fn spawn(&mut self, grid: &Grid, at: Cell, goal: Cell) -> Result<AgentId, CrowdError> {
        self.check(grid, "the start", at)?;
        self.check(grid, "the goal", goal)?;
        let slot = self.spare.pop().unwrap_or_else(|| {
            self.at.push(Spot::default());
            self.run.push(Run::NONE);
            self.last.push(NOWHERE);
            self.agents.push(Agent::default());
            self.agents.len() as u32 - 1
        });
        let index = slot as usize;
        let old = &self.agents[index];
        let at = Spot::of(at);
        self.at[index] = at;
        (self.run[index], self.last[index]) = (Run::NONE, NOWHERE);
        self.agents[index] = Agent {
            generation: old.generation,
            ticket: old.ticket.wrapping_add(1),
            goal: Spot::of(goal),
            end: at,
            moved: self.now,
            ..Agent::default()
        };
        self.len += 1;
        self.active += 1;
        self.wait(slot);
        if at == Spot::of(goal) {
            self.spawned_at_goal.push(self.id(slot));
        }
        Ok(self.id(slot))
    }

    /// Removes an agent. Returns whether there was one.
    pub fn remove(&mut self, id: AgentId) -> bool {
        let Some(slot) = self.slot(id) else { return false };
        self.leave(slot);
        let agent = &mut self.agents[slot as usize];
        agent.generation = agent.generation.wrapping_add(1);
        agent.ticket = agent.ticket.wrapping_add(1);
        (agent.runs, agent.chain) = (VecDeque::new(), Box::default());
        agent.activity = None;
        self.run[slot as usize] = Run::NONE;
        self.spare.push(slot);
        self.len -= 1;
        true
    }

    /// Gives an agent another goal. It walks on toward the old one until its turn comes.
    ///
    /// # Errors
    /// If there is no such agent, or the goal is blocked or outside the map.
    pub fn retarget(&mut self, grid: &Grid, id: AgentId, goal: Cell) -> Result<(), CrowdError> {
        self.check(grid, "the goal", goal)?;
        let slot = self.slot(id).ok_or(CrowdError::NoAgent)?;
        self.leave(slot);
        self.active += 1;
        self.drop_steps(slot);
        self.agents[slot as usize].goal = Spot::of(goal);
        self.wait(slot);
        if self.at[slot as usize] == Spot::of(goal) {
            self.spawned_at_goal.push(id);
        }
        Ok(())
    }

    /// The caller has not let an agent take its step of the last frame: it is where it was before, and will try again.
    /// Returns whether it had taken a step.
    pub fn refuse(&mut self, id: AgentId) -> bool {
        let Some(slot) = self.slot(id) else { return false };
        let index = slot as usize;
        let direction = usize::from(std::mem::replace(&mut self.last[index], NOWHERE));
        if direction >= usize::from(NOWHERE) {
            return false;
        }
        let opposite = [2, 3, 0, 1, 6, 7, 4, 5][direction];
        self.at[index] = self.at[index].after(opposite, 1);
        let run = self.run[index];
        if run.direction() == direction && run.steps() < Run::MOST || run.is_empty() {
            self.run[index] = Run::new(direction, run.steps() + 1);
        } else {
            self.agents[index].runs.push_front(run);
            self.run[index] = Run::new(direction, 1);
        }
        if self.agents[index].activity == Some(Activity::Arrived) {
            self.agents[index].activity = Some(Activity::Walking);
            self.active += 1;
        }
        true
    }

    /// The caller has moved an agent somewhere else.
    ///
    /// # Errors
    /// If there is no such agent, or the cell is blocked or outside the map.
    pub fn displace(&mut self, grid: &Grid, id: AgentId, to: Cell) -> Result<(), CrowdError> {
        self.check(grid, "the new position", to)?;
        let slot = self.slot(id).ok_or(CrowdError::NoAgent)?;
        let index = slot as usize;
        self.at[index] = Spot::of(to);
        self.last[index] = NOWHERE;
        let goal = self.agents[index].goal;
        match self.agents[index].activity {
            Some(Activity::Walking) if !self.agents[index].is_complete => self.replan_leg(slot),
            _ => {
                self.leave(slot);
                self.active += 1;
                self.drop_steps(slot);
                self.wait(slot);
            }
        }
        if Spot::of(to) == goal {
            self.spawned_at_goal.push(id);
        }
        Ok(())
    }

    /// Where an agent is.
    pub fn position(&self, id: AgentId) -> Option<Cell> {
        self.slot(id).map(|slot| self.at[slot as usize].cell())
    }

    /// Where an agent goes.
    pub fn goal(&self, id: AgentId) -> Option<Cell> {
        self.slot(id).map(|slot| self.agents[slot as usize].goal.cell())
    }

    /// What an agent is doing.
    pub fn activity(&self, id: AgentId) -> Option<Activity> {
        self.slot(id).and_then(|slot| self.agents[slot as usize].activity)
    }

    /// All agents.
    pub fn ids(&self) -> impl Iterator<Item = AgentId> + '_ {
        let exists = |&slot: &u32| self.agents[slot as usize].activity.is_some();
        (0..self.agents.len() as u32).filter(exists).map(|slot| self.id(slot))
    }

    /// Memory in bytes, excluding the map. Takes time proportional to the number of agents.
    pub fn bytes(&self) -> usize {
        let own = |agent: &Agent| {
            agent.runs.capacity() * size_of::<Run>() + agent.chain.len() * size_of::<Spot>()
        };
        size_of::<Crowd>()
            + self.agents.iter().map(own).sum::<usize>()
            + self.agents.capacity() * size_of::<Agent>()
            + self.at.capacity() * (size_of::<Spot>() + size_of::<Run>() + 1)
            + (self.waiting.capacity() + self.due.capacity()) * size_of::<Entry>()
            + self.steps.capacity() * size_of::<(AgentId, Cell)>()
            + self.planner.bytes()
    }

    fn id(&self, slot: u32) -> AgentId {
        AgentId { slot, generation: self.agents[slot as usize].generation }
    }

    /// The slot of an agent that exists.
    fn slot(&self, id: AgentId) -> Option<u32> {
        let agent = self.agents.get(id.slot as usize)?;
        (agent.generation == id.generation && agent.activity.is_some()).then_some(id.slot)
    }

    fn check(&self, grid: &Grid, role: &'static str, cell: Cell) -> Result<(), CrowdError> {
        if grid.regions().is_none() {
            return Err(CrowdError::NeedsRegions);
        }
        if (grid.width(), grid.height()) != self.size {
            return Err(CrowdError::OtherMap);
        }
        if grid.is_free(cell) { Ok(()) } else { Err(CrowdError::Cell { role, cell }) }
    }

    /// Whether a queue entry is still true.
    fn is_current(&self, (slot, ticket): Ticket) -> bool {
        let agent = &self.agents[slot as usize];
        agent.ticket == ticket && agent.activity.is_some()
    }

    /// Makes all queue entries of an agent untrue, and returns a new ticket.
    fn new_ticket(&mut self, slot: u32) -> u32 {
        let agent = &mut self.agents[slot as usize];
        agent.ticket = agent.ticket.wrapping_add(1);
        agent.ticket
    }

    /// The agent is no longer what it was, in the totals.
    fn leave(&mut self, slot: u32) {
        match self.agents[slot as usize].activity {
            Some(Activity::Waiting) => {
                self.waiting_count -= 1;
                self.active -= 1;
            }
            Some(Activity::Walking) => self.active -= 1,
            _ => {}
        }
        self.agents[slot as usize].activity = None;
    }

    /// Lets an active agent wait for a chain. It keeps its steps.
    fn wait(&mut self, slot: u32) {
        let ticket = self.new_ticket(slot);
        let index = slot as usize;
        let agent = &mut self.agents[index];
        if agent.activity != Some(Activity::Waiting) {
            agent.activity = Some(Activity::Waiting);
            self.waiting_count += 1;
        }
        (agent.is_complete, agent.is_lost) = (false, false);
        (agent.chain, agent.next_exit) = (Box::default(), 0);
        let far = agent.end.moves_to(agent.goal, crate::space::Neighbors::Eight);
        self.waiting.push(Reverse((self.now + u64::from(far), slot, ticket)));
        if self.run[index].is_empty() {
            self.standing.push_back((slot, ticket));
        }
    }

    /// Drops the steps ahead of an agent.
    fn drop_steps(&mut self, slot: u32) {
        let index = slot as usize;
        self.run[index] = Run::NONE;
        let agent = &mut self.agents[index];
        agent.runs.clear();
        agent.is_ray = false;
        agent.end = self.at[index];
    }

    /// The agent, which has a chain, is not where its steps begin, or they are cut: plans a leg from where it is.
    fn replan_leg(&mut self, slot: u32) {
        self.drop_steps(slot);
        let ticket = self.new_ticket(slot);
        self.agents[slot as usize].is_lost = true;
        self.due.push(Reverse((self.now, slot, ticket)));
    }

    /// Lets every agent take a step that has one, and plans as far as the slice allows.
    ///
    /// The map must be that of the crowd, at any time of its life: with a map of another size, or without regions,
    /// nobody moves. Where the slice counts as the papers do, all work is paid for all the same; for a budget in
    /// milliseconds, use [`Slice::deadline`].
    pub fn frame(&mut self, grid: &Grid, slice: &mut Slice<'_>) -> Frame<'_> {
        self.now += 1;
        self.steps.clear();
        self.arrived.clear();
        self.told.clear();
        self.spent = self.spent.map(|spent| spent / 2);
        let mut stats = FrameStats::default();
        let fits = (grid.width(), grid.height()) == self.size;
        if let Some(regions) = grid.regions().filter(|_| fits) {
            slice.metering_tick(|slice| {
                self.arrive_at_once();
                self.walk(grid);
                let unpaid = slice.settle_entries(self.steps.len() as u64 * ENTRIES_PER_STEP);
                let _ = unpaid; // every agent moves, however small the budget
                self.notice_changes(grid, regions, slice);
                self.walk_rays(grid, slice);
                stats.planned = self.think(grid, regions, slice);
            });
        }
        stats.units = slice.units();
        stats.moved = self.steps.len();
        stats.stood = (self.active + self.arrived.len()).saturating_sub(stats.moved);
        stats.waiting = self.waiting_count;
        stats.longest_stand = self.longest_stand();
        Frame { steps: &self.steps, arrived: &self.arrived, unreachable: &self.told, stats }
    }

    fn longest_stand(&self) -> u64 {
        let oldest = self.waiting.peek().map(|&Reverse((_, slot, _))| slot);
        let due = self.due.peek().map(|&Reverse((_, slot, _))| slot);
        let stood = |slot: u32| self.now.saturating_sub(self.agents[slot as usize].moved);
        oldest.into_iter().chain(due).map(stood).max().unwrap_or(0)
    }

    /// Agents that were spawned on their goal have arrived.
    fn arrive_at_once(&mut self) {
        for id in std::mem::take(&mut self.spawned_at_goal) {
            if let Some(slot) = self.slot(id) {
                let agent = &self.agents[id.index()];
                if agent.goal == self.at[id.index()]
                    && agent.activity != Some(Activity::Arrived)
                {
                    self.drop_steps(slot);
                    self.arrive(slot);
                }
            }
        }
    }

    /// Lets all agents that have steps take one.
    fn walk(&mut self, grid: &Grid) {
        let mut blocked = std::mem::take(&mut self.blocked);
        for slot in 0..self.run.len() {
            let run = self.run[slot];
            if run.is_empty() {
                self.last[slot] = NOWHERE;
                continue;
            }
            if grid.steps_from(self.at[slot].cell()) >> run.direction() & 1 == 0 {
                self.last[slot] = NOWHERE;
                blocked.push(slot as u32);
                continue;
            }
            self.step(slot, run);
        }
        for slot in blocked.drain(..) {
            let agent = &self.agents[slot as usize];
            if agent.activity == Some(Activity::Walking) && !agent.is_complete {
                self.replan_leg(slot);
            } else {
                self.drop_steps(slot);
                self.wait(slot);
            }
        }
        self.blocked = blocked;
    }

    /// Takes a step, which is legal.
    #[inline]
    fn step(&mut self, slot: usize, run: Run) {
        let at = self.at[slot].after(run.direction(), 1);
        self.at[slot] = at;
        self.last[slot] = run.direction() as u8;
        let rest = run.shorter();
        self.run[slot] = rest;
        let agent = &mut self.agents[slot];
        agent.moved = self.now;
        let id = AgentId { slot: slot as u32, generation: agent.generation };
        self.steps.push((id, at.cell()));
        if rest.is_empty() {
            self.next_run(slot as u32);
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
        if self.at[index] == agent.goal {
            self.arrive(slot);
        } else if agent.activity == Some(Activity::Waiting) {
            let ticket = agent.ticket;
            self.standing.push_back((slot, ticket));
        } else if agent.is_complete {
            // It was refused a step and pushed, and its path no longer leads there.
            agent.end = self.at[index];
            self.wait(slot);
        }
    }

    fn arrive(&mut self, slot: u32) {
        self.leave(slot);
        self.new_ticket(slot);
        let agent = &mut self.agents[slot as usize];
        agent.activity = Some(Activity::Arrived);
        (agent.runs, agent.chain) = (VecDeque::new(), Box::default());
        agent.is_complete = true;
        let id = self.id(slot);
        self.arrived.push(id);
    }

    /// After a change of the map, agents without a path are asked again.
    fn notice_changes(&mut self, grid: &Grid, regions: &Regions, slice: &mut Slice<'_>) {
        if regions.edits() != self.edits {
            self.edits = regions.edits();
            self.recheck_task(grid, regions);
            self.again.append(&mut self.unreachable);
        }
        while let Some(&who) = self.again.last() {
            if !slice.scan() {
                return;
            }
            self.again.pop();
            let slot = who.0 as usize;
            if self.is_current(who) && self.agents[slot].activity == Some(Activity::Unreachable) {
                self.active += 1;
                self.wait(who.0);
            }
        }
    }

    /// Agents that wait and stand walk straight toward their goals.
    fn walk_rays(&mut self, grid: &Grid, slice: &mut Slice<'_>) {
        for _ in 0..self.standing.len() {
            let Some(&who) = self.standing.front() else { return };
            let (slot, index) = (who.0, who.0 as usize);
            let stands = self.is_current(who)
                && self.agents[index].activity == Some(Activity::Waiting)
                && self.run[index].is_empty();
            let node = crate::NodeId(slot);
            if !(if stands { slice.update(node) } else { slice.scan() }) {
                return;
            }
            self.standing.pop_front();
            if !stands {
                continue;
            }
            let (at, goal) = (self.at[index], self.agents[index].goal);
            let ray = |flipped| {
                let line = runs::line(at, goal, grid.neighbors(), flipped);
                (runs::legal_steps(grid, at, line, RAY), line)
            };
            let (first, second) = (ray(false), ray(true));
            let (mut steps, line) = if second.0 > first.0 { second } else { first };
            if steps == 0 {
                // It has no other way to move than to get its turn.
                let ticket = self.new_ticket(slot);
                self.waiting.push(Reverse((0, slot, ticket)));
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
            let run = agent.runs.pop_front().unwrap_or(Run::NONE);
            self.step(index, run);
        }
    }

    /// Plans for one agent after the other. Returns how many tasks were completed.
    fn think(&mut self, grid: &Grid, regions: &Regions, slice: &mut Slice<'_>) -> usize {
        let mut planned = 0;
        if self.task.is_some_and(|task| task.kind == Kind::Refine) && self.next_due(LEAD).is_some() {
            self.task = None;
        }
        loop {
            let before = slice.spent();
            let Some(task) = self.task.or_else(|| self.next_task(grid, regions, slice)) else {
                return planned;
            };
            self.task = Some(task);
            let is_done = !self.is_current(task.who) || self.run_task(grid, regions, task, slice);
            let share = usize::from(task.kind != Kind::Chain);
            self.spent[share] += slice.spent() - before;
            if !is_done {
                return planned;
            }
            planned += 1;
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
        regions: &Regions,
        slice: &mut Slice<'_>,
    ) -> Option<Task> {
        loop {
            let waiting = self.front(true).map(|(_, slot, ticket)| (slot, ticket));
            let is_fair = self.spent[0] >= self.spent[1] / 3;
            let urgent = self.next_due(1).filter(|_| waiting.is_none() || is_fair);
            if urgent.is_none()
                && let Some(who) = waiting
            {
                if !slice.update(crate::NodeId(who.0)) {
                    return None;
                }
                self.waiting.pop();
                return Some(self.begin_chain(who));
            }
            let Some(who) = urgent.or_else(|| self.next_due(LEAD)) else { break };
            if !slice.update(crate::NodeId(who.0)) {
                return None;
            }
            self.due.pop();
            if let Some(task) = self.begin_leg(grid, regions, who) {
                return Some(task);
            }
        }
        self.next_to_refine(grid, slice)
    }

    fn begin_chain(&mut self, who: Ticket) -> Task {
        let index = who.0 as usize;
        if self.agents[index].is_ray {
            self.drop_steps(who.0);
        }
        let agent = &self.agents[index];
        self.planner.begin_chain(agent.end, agent.goal);
        Task { kind: Kind::Chain, who }
    }

    /// Begins a leg, if the chain of the agent is still connected; else the agent waits for another one.
    fn begin_leg(&mut self, grid: &Grid, regions: &Regions, who: Ticket) -> Option<Task> {
        let agent = &mut self.agents[who.0 as usize];
        let own = regions.at(agent.end.cell());
        let (end, goal, len) = (agent.end, agent.goal, agent.chain.len());
        if std::mem::take(&mut agent.is_lost) {
            let near = agent.next_exit as usize;
            let around = near.saturating_sub(4)..=(near + 4).min(len);
            let found = around.rev().find(|&nth| agent.region(regions, nth) == own);
            match found {
                Some(nth) => agent.next_exit = nth as u32,
                None => agent.logged = u64::MAX,
            }
        }
        let target = Planner::target(agent.next_exit as usize).min(len);
        if agent.logged != regions.logged() && !agent.is_connected(regions, target) {
            self.wait_for_chain(grid, who.0);
            return None;
        }
        let agent = &self.agents[who.0 as usize];
        let to = agent.chain.get(target).copied().unwrap_or(goal);
        self.planner.begin_leg(end, to);
        Some(Task { kind: Kind::Leg(target), who })
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
    fn recheck_task(&mut self, grid: &Grid, regions: &Regions) {
        let Some(Task { kind, who }) = self.task.filter(|task| self.is_current(task.who)) else {
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
        for _ in 0..self.agents.len() {
            if !slice.scan() {
                return None;
            }
            self.cursor = (self.cursor + 1) % self.agents.len();
            let agent = &self.agents[self.cursor];
            let is_partial = agent.activity == Some(Activity::Walking) && !agent.is_complete;
            if is_partial && grid.is_free(agent.end.cell()) {
                let who = (self.cursor as u32, agent.ticket);
                self.planner.begin_path(agent.end, agent.goal);
                return Some(Task { kind: Kind::Refine, who });
            }
        }
        None
    }

    /// Goes on with a task. Returns whether it is complete; another one may have taken its place.
    fn run_task(
        &mut self,
        grid: &Grid,
        regions: &Regions,
        task: Task,
        slice: &mut Slice<'_>,
    ) -> bool {
        let slot = task.who.0;
        let index = slot as usize;
        match task.kind {
            Kind::Chain => match self.planner.run_chain(regions, slice) {
                Progress::Working => false,
                Progress::NoWay => {
                    self.leave(slot);
                    self.drop_steps(slot);
                    let ticket = self.new_ticket(slot);
                    self.agents[index].activity = Some(Activity::Unreachable);
                    self.unreachable.push((slot, ticket));
                    let id = self.id(slot);
                    self.told.push(id);
                    true
                }
                Progress::Done => {
                    self.waiting_count -= 1;
                    let ticket = self.new_ticket(slot);
                    let agent = &mut self.agents[index];
                    agent.activity = Some(Activity::Walking);
                    agent.chain = self.planner.chain.as_slice().into();
                    (agent.next_exit, agent.logged) = (0, regions.logged());
                    self.task = self.begin_leg(grid, regions, (slot, ticket));
                    true
                }
            },
            Kind::Leg(target) => match self.planner.run_leg(grid, slice) {
                Progress::Working => false,
                Progress::NoWay => {
                    // The map has changed meanwhile.
                    self.agents[index].logged = u64::MAX;
                    self.wait(slot);
                    true
                }
                Progress::Done => {
                    self.append_leg(regions, slot, target);
                    true
                }
            },
            Kind::Refine => match self.planner.run_leg(grid, slice) {
                Progress::Working => false,
                Progress::NoWay => true,
                Progress::Done => {
                    let len = self.agents[index].chain.len();
                    self.append_leg(regions, slot, len);
                    true
                }
            },
        }
    }

    /// Appends the leg that has been planned to the steps of an agent. It leads to the exit with this number.
    fn append_leg(&mut self, regions: &Regions, slot: u32, target: usize) {
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
        } else if self.run[index].is_empty() && self.at[index] == agent.goal {
            self.arrive(slot);
        }
    }
}
