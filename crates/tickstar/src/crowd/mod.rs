//! Many agents with one budget per frame.
//!
//! A [`Crowd`] plans for all its agents with the memory of one. In each frame, every agent that knows where to go takes a
//! step; then what is left of the frame's budget is spent on one agent after the other. No search is interleaved with
//! another: each of these tasks is small, and is completed before the next one begins, if need be in the next frame.
//!
//! # How an agent gets its path
//! 1. A *ray*: until its turn comes, a new agent walks straight toward its goal, as far as that is free.
//! 2. A *chain*: a search over [regions](crate::regions::CrowdRegions), from the goal to the agent, finds where a path to
//!    the goal leaves each region.
//! 3. *Legs*: the next few exits of the chain become steps, by a straight line if it is free, else by a search over cells
//!    (by jump points where the map offers them). A leg is planned shortly before the agent has walked the last one.
//! 4. *Refinement*: when nothing else is left to do, the rest of an agent's path is replaced by a shortest one.
//!
//! # Whose turn it is
//! First agents that stand and cannot even walk a ray, in the order in which they stopped. Then agents whose steps run
//! out in the next frame. Then other agents without a chain, by the frame in which they were spawned plus the moves to
//! their goal on an empty map. Then legs that are needed within 16 frames. While there is work of both kinds, chains and
//! legs get at least a quarter of it each. So an agent that stands waits only for those that stopped before it, and for
//! three times as much work on legs.
//!
//! # When the map changes
//! The regions of the map have a log of what has changed, so nothing has to be reported. Every step is checked when it is
//! taken. An agent whose next step is cut plans its next leg again, and its chain only if that is cut too. When regions
//! have changed, the crowd finds out which of them are connected, and tells all agents whose goal is now out of reach;
//! those whose goal can be reached again set out by themselves.

mod components;
mod frame;
mod planner;
mod runs;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use thiserror::Error;

use crate::regions::{CrowdRegions, RegionId};
use crate::{Cell, Grid};
use components::Components;
use planner::Planner;
use runs::{Run, Spot};

/// Not a direction.
const NOWHERE: u8 = 8;
/// When an agent stopped that is not on its way.
const NEVER: u64 = u64::MAX;

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
    #[error("a crowd plans on regions, but the map has none: make it with `Grid::with_crowd_regions`")]
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
    /// The number of frames for which the agent that has stood longest had not moved when the frame began.
    pub longest_stand: u64,
}

/// Many agents on one map, with one budget per frame: see the [module](crate::crowd).
///
/// ```
/// use tickstar::crowd::Crowd;
/// use tickstar::{Cell, Grid, Slice};
/// let mut grid = Grid::new(64, 64)?.with_crowd_regions();
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
    generation: Vec<u32>,
    /// The last frame in which an agent moved that stands now.
    stopped: Vec<u64>,
    agents: Vec<Agent>,
    spare: Vec<u32>,
    len: usize,
    planner: Planner,
    components: Components,
    task: Option<Task>,
    /// Agents without a chain, and agents whose steps run out.
    waiting: BinaryHeap<Reverse<Entry>>,
    due: BinaryHeap<Reverse<Entry>>,
    waiting_count: usize,
    /// Agents that wait and stand.
    standing: VecDeque<Ticket>,
    /// Agents whose paths may be refined.
    partial: VecDeque<u32>,
    now: u64,
    /// What has been spent lately on chains, and on legs.
    spent: [u64; 2],
    /// Agents that may have been put on their goals.
    put: Vec<AgentId>,
    /// Agents whose next step is blocked.
    blocked: Vec<u32>,
    steps: Vec<(AgentId, Cell)>,
    arrived: Vec<AgentId>,
    told: Vec<AgentId>,
    stats: FrameStats,
}

/// What is seldom needed of an agent.
#[allow(clippy::struct_excessive_bools)] // each tells something else
#[derive(Clone, Debug, Default)]
struct Agent {
    /// Changes whenever what is queued for the agent is no longer true.
    ticket: u32,
    activity: Option<Activity>,
    /// Its steps are a ray.
    is_ray: bool,
    /// Its steps lead to the goal.
    is_complete: bool,
    /// It may have left its chain.
    is_lost: bool,
    /// It has been told that its goal cannot be reached.
    is_told: bool,
    /// It is in the list of paths to be refined.
    is_partial: bool,
    goal: Spot,
    /// Where its steps end.
    end: Spot,
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
    fn region(&self, regions: &CrowdRegions, exit: usize) -> Option<RegionId> {
        regions.at(self.chain.get(exit).copied().unwrap_or(self.goal).cell())
    }

    /// Whether the end of the steps is still connected with the exit of this number, over the regions of the chain.
    fn is_connected(&self, regions: &CrowdRegions, target: usize) -> bool {
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

/// What is being planned, for whom.
#[derive(Clone, Copy, Debug)]
struct Task {
    kind: Kind,
    who: Ticket,
    /// Which share of the work it counts for.
    share: usize,
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
    /// If the map has no regions for crowds.
    pub fn new(grid: &Grid) -> Result<Crowd, CrowdError> {
        grid.crowd_regions().ok_or(CrowdError::NeedsRegions)?;
        Ok(Crowd {
            size: (grid.width(), grid.height()),
            at: Vec::new(),
            run: Vec::new(),
            last: Vec::new(),
            generation: Vec::new(),
            stopped: Vec::new(),
            agents: Vec::new(),
            spare: Vec::new(),
            len: 0,
            planner: Planner::new(),
            components: Components::default(),
            task: None,
            waiting: BinaryHeap::new(),
            due: BinaryHeap::new(),
            waiting_count: 0,
            standing: VecDeque::new(),
            partial: VecDeque::new(),
            now: 0,
            spent: [0; 2],
            put: Vec::new(),
            blocked: Vec::new(),
            steps: Vec::new(),
            arrived: Vec::new(),
            told: Vec::new(),
            stats: FrameStats::default(),
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

    /// Adds an agent. It takes its first step in the next frame, if a step straight toward its goal is free and the
    /// budget suffices to look.
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
            self.generation.push(0);
            self.stopped.push(NEVER);
            self.agents.push(Agent::default());
            self.agents.len() as u32 - 1
        });
        let index = slot as usize;
        let (at, goal) = (Spot::of(at), Spot::of(goal));
        (self.at[index], self.run[index], self.last[index]) = (at, Run::NONE, NOWHERE);
        let Agent { ticket, is_partial, .. } = self.agents[index];
        self.agents[index] = Agent { ticket, is_partial, goal, end: at, ..Agent::default() };
        self.len += 1;
        self.wait(slot);
        let id = self.id(slot);
        if at == goal {
            self.put.push(id);
        }
        Ok(id)
    }

    /// Removes an agent. Returns whether there was one.
    pub fn remove(&mut self, id: AgentId) -> bool {
        let Some(slot) = self.slot(id) else { return false };
        let index = slot as usize;
        self.set_activity(slot, None);
        self.new_ticket(slot);
        self.generation[index] = self.generation[index].wrapping_add(1);
        self.run[index] = Run::NONE;
        let agent = &mut self.agents[index];
        (agent.runs, agent.chain) = (VecDeque::new(), Box::default());
        self.spare.push(slot);
        self.len -= 1;
        true
    }

    /// Gives an agent another goal. Until its turn comes, it walks straight toward that, as far as it can.
    ///
    /// # Errors
    /// If there is no such agent, or the goal is blocked or outside the map.
    pub fn retarget(&mut self, grid: &Grid, id: AgentId, goal: Cell) -> Result<(), CrowdError> {
        let slot = self.slot(id).ok_or(CrowdError::NoAgent)?;
        self.check(grid, "the goal", goal)?;
        self.drop_steps(slot);
        let agent = &mut self.agents[slot as usize];
        (agent.goal, agent.is_told) = (Spot::of(goal), false);
        self.wait(slot);
        self.put.push(id);
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
        self.at[index] = self.at[index].before(direction);
        let run = self.run[index];
        let is_same = run.direction() == direction && run.steps() < Run::MOST;
        if run.is_empty() || is_same {
            self.run[index] = Run::new(direction, run.steps() + 1);
        } else {
            self.agents[index].runs.push_front(run);
            self.run[index] = Run::new(direction, 1);
        }
        if self.agents[index].activity == Some(Activity::Arrived) {
            self.set_activity(slot, Some(Activity::Walking));
        }
        true
    }

    /// The caller has moved an agent somewhere else.
    ///
    /// # Errors
    /// If there is no such agent, or the cell is blocked or outside the map.
    pub fn displace(&mut self, grid: &Grid, id: AgentId, to: Cell) -> Result<(), CrowdError> {
        let slot = self.slot(id).ok_or(CrowdError::NoAgent)?;
        self.check(grid, "the new position", to)?;
        let index = slot as usize;
        self.at[index] = Spot::of(to);
        self.last[index] = NOWHERE;
        self.drop_steps(slot);
        self.agents[index].is_told = false;
        self.replan(slot);
        self.put.push(id);
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
        let hot = size_of::<Spot>() + size_of::<Run>() + 1 + size_of::<u32>() + size_of::<u64>();
        let ids = [&self.put, &self.arrived, &self.told].map(Vec::capacity).iter().sum::<usize>();
        size_of::<Crowd>()
            + self.agents.iter().map(own).sum::<usize>()
            + self.agents.capacity() * size_of::<Agent>()
            + self.at.capacity() * hot
            + (self.waiting.capacity() + self.due.capacity()) * size_of::<Entry>()
            + self.standing.capacity() * size_of::<Ticket>()
            + (self.partial.capacity() + self.spare.capacity() + self.blocked.capacity()) * 4
            + ids * size_of::<AgentId>()
            + self.steps.capacity() * size_of::<(AgentId, Cell)>()
            + self.planner.bytes()
            + self.components.bytes()
    }

    fn id(&self, slot: u32) -> AgentId {
        AgentId { slot, generation: self.generation[slot as usize] }
    }

    /// The slot of an agent that exists.
    fn slot(&self, id: AgentId) -> Option<u32> {
        let generation = self.generation.get(id.slot as usize)?;
        let exists = self.agents[id.slot as usize].activity.is_some();
        (*generation == id.generation && exists).then_some(id.slot)
    }

    fn check(&self, grid: &Grid, role: &'static str, cell: Cell) -> Result<(), CrowdError> {
        if grid.crowd_regions().is_none() {
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

    fn set_activity(&mut self, slot: u32, activity: Option<Activity>) {
        let index = slot as usize;
        let old = std::mem::replace(&mut self.agents[index].activity, activity);
        let waits = |activity| usize::from(activity == Some(Activity::Waiting));
        self.waiting_count = self.waiting_count + waits(activity) - waits(old);
        let is_active = |activity: Option<Activity>| {
            matches!(activity, Some(Activity::Waiting | Activity::Walking))
        };
        if !is_active(activity) {
            self.stopped[index] = NEVER;
        } else if !is_active(old) {
            self.stopped[index] = self.now;
        }
    }

    /// Lets an agent wait for a chain. It keeps its steps.
    fn wait(&mut self, slot: u32) {
        self.set_activity(slot, Some(Activity::Waiting));
        let ticket = self.new_ticket(slot);
        let agent = &mut self.agents[slot as usize];
        (agent.is_complete, agent.is_lost) = (false, false);
        (agent.chain, agent.next_exit) = (Box::default(), 0);
        let far = u64::from(agent.end.distance(agent.goal));
        self.waiting.push(Reverse((frame::AFTER_STUCK + self.now + far, slot, ticket)));
        if self.run[slot as usize].is_empty() {
            self.standing.push_back((slot, ticket));
        }
    }

    /// Drops the steps ahead of an agent.
    fn drop_steps(&mut self, slot: u32) {
        let index = slot as usize;
        if !std::mem::replace(&mut self.run[index], Run::NONE).is_empty() {
            self.stopped[index] = self.now;
        }
        let agent = &mut self.agents[index];
        agent.runs.clear();
        agent.is_ray = false;
        agent.end = self.at[index];
    }

    /// An agent without steps is not where they began, or they were blocked: it plans a leg from where it is, if it has
    /// a chain.
    fn replan(&mut self, slot: u32) {
        let agent = &mut self.agents[slot as usize];
        if agent.activity != Some(Activity::Walking) || agent.is_complete {
            return self.wait(slot);
        }
        agent.is_lost = true;
        let ticket = self.new_ticket(slot);
        self.due.push(Reverse((self.now, slot, ticket)));
    }
}
