//! Many agents with one budget per frame.
//!
//! A [`Crowd`] plans for all its agents with the memory of one. In each frame, every agent that knows where to go takes a
//! step; then what is left of the frame's budget is spent on one agent after the other. No search is interleaved with
//! another: each of these tasks is small, and is completed before the next one begins, if need be in the next frame.
//!
//! # How an agent gets its path
//! 1. A *ray*: until its turn comes, a new agent walks straight toward its goal, as far as that is free.
//! 2. A *chain*: a search over [regions](crate::regions::CrowdRegions), from the goal to the agent, finds where a path to
//!    the goal leaves each region. Agents with the same goal share that search, and the legs between its exits.
//! 3. *Legs*: the next few exits of the chain become steps, by a straight line if it is free, else by a search over cells.
//!    A leg is planned shortly before the agent has walked the last one.
//! 4. *Refinement*: when nothing else is left to do, the rest of an agent's path is replaced by a shortest one.
//!
//! # Whose turn it is
//! First agents that stand and cannot even walk a ray, in the order in which they stopped. Then agents whose steps run
//! out in the next frame. Then other agents without a chain, by the frame in which they were spawned plus the moves to
//! their goal on an empty map. Then legs that are needed within 16 frames. While there is work of both kinds, chains and
//! legs get at least a quarter of it each.
//!
//! So nobody starves: an agent that stands waits only for those that stopped before it, and for three times as much work
//! on legs. Until it has a path, or is told that there is none, all agents together spend at most `4 · (n + 1) · c`
//! units, where `n` is the number of agents and `c` what the most expensive chain with its leg takes (on any map less
//! than three units per cell). That holds for an agent that nobody disturbs meanwhile, by another goal, by displacing
//! it or by changes of the map, where neither collisions are avoided nor memory is limited.
//!
//! # When the map changes
//! The regions of the map have a log of what has changed, so nothing has to be reported for agents that plan on them.
//! Every step is checked when it is taken. An agent whose next step is cut plans its next leg again, and its chain only
//! if that is cut too. When regions have changed, the crowd finds out which of them are connected, and tells all agents
//! whose goal is now out of reach; those whose goal can be reached again set out by themselves.
//!
//! # Agents of the catalog
//! Any other [`Agent`] can be [added](Crowd::spawn_agent). It is ticked with a part of the frame's budget when it is its
//! turn, and learns of changes that are [reported](Crowd::report).
//!
//! # Units of several sizes, and terrain
//! A crowd walks on one map. For larger units, make another crowd on the map of a
//! [`Clearance`](crate::space::Clearance), which has regions of its own, and let both take their part of one budget
//! ([`Slice::part`]). On terrain, regions are weighed by their mean multiplier, and legs are searched node by node.

mod agents;
mod collisions;
mod components;
mod goals;
mod guests;
mod method;
mod orders;
mod parallel;
mod planner;
mod runs;
mod schedule;
mod walk;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use thiserror::Error;

use crate::{Agent, AgentError, Cell, Grid, Layered, Slice};
use agents::Record;
use collisions::Collisions;
use components::Components;
use goals::Goals;
use guests::{Guest, Guests};
use method::Choice;
use parallel::{Done, Ready};
use planner::{Leg, Planner};
use runs::{Ahead, Run, Spot};
use schedule::{Entry, Task, Ticket};

/// Not a direction.
const NOWHERE: u8 = 8;
/// When an agent stopped that is not on its way.
const NEVER: u64 = u64::MAX;

/// The settings of a [`Crowd`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CrowdConfig {
    /// Whether agents with the same goal share a search and legs, if there are eight or more of them. Their paths are some
    /// percent longer than without sharing, and planning takes less work: a small part of it if there are thousands, about half if there
    /// are some hundreds on a small map. On by default.
    pub share: bool,
    /// Whether the rest of an agent's path is replaced by a shortest one when nothing else is left to do. On by default.
    pub refine: bool,
    /// Whether no two agents may be on the same cell, swap their cells, or cross each other's diagonal steps. Off by
    /// default.
    ///
    /// Agents then push each other aside, by priority inheritance with backtracking; the one that has been on its way for
    /// the longest time goes first, and agents that have arrived give way and return.
    pub avoid_collisions: bool,
    /// The memory that the crowd may take, in bytes, excluding the map; none for no limit.
    ///
    /// At the limit, no agent can be spawned, paths are not refined, and agents that have no plan wait until others have
    /// arrived. What a single task needs may exceed the limit for a moment, and the paths of those who walk by a few
    /// kilobytes.
    pub max_bytes: Option<usize>,
}

impl Default for CrowdConfig {
    fn default() -> CrowdConfig {
        CrowdConfig { share: true, refine: true, avoid_collisions: false, max_bytes: None }
    }
}

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
    #[error(
        "a crowd plans on regions, but the map has none: make it with `Grid::with_crowd_regions`"
    )]
    NeedsRegions,
    /// The map has another size than the one that the crowd was made for.
    #[error(
        "the map has {} by {} cells, but the crowd was made for one of {} by {}", .map.0, .map.1, .crowd.0, .crowd.1
    )]
    OtherMap {
        /// The width and height of the map.
        map: (u32, u32),
        /// The width and height of the map that the crowd was made for.
        crowd: (u32, u32),
    },
    /// A cell is blocked or outside the map.
    #[error("{role}, {cell}, is blocked or outside the map")]
    Cell {
        /// What the cell was meant for.
        role: &'static str,
        /// The cell.
        cell: Cell,
    },
    /// Another agent is on the cell, and collisions are avoided.
    #[error("{role}, {cell}, is taken by another agent")]
    Occupied {
        /// What the cell was meant for.
        role: &'static str,
        /// The cell.
        cell: Cell,
    },
    /// There is no such agent (any more).
    #[error("the crowd has no such agent: it may have been removed")]
    NoAgent,
    /// No more memory may be used.
    #[error(
        "the crowd takes {bytes} bytes, and may take {max_bytes}: wait until agents have been removed"
    )]
    Full {
        /// The memory in use.
        bytes: usize,
        /// The limit.
        max_bytes: usize,
    },
    /// An agent of the catalog cannot accept its task.
    #[error(transparent)]
    Agent(#[from] AgentError),
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
#[non_exhaustive]
pub struct Frame<'a> {
    /// The steps: who, and to where. They count as taken unless [`Crowd::refuse`] or [`Crowd::displace`] is called.
    pub steps: &'a [(AgentId, Cell)],
    /// The agents that arrived with these steps, or were put on their goal. An agent that is pushed off its goal and
    /// returns is not listed again.
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
    /// Those of them that were spent on planning, rounded up: not on walking, and not by agents of the catalog.
    pub planning_units: u64,
    /// The number of tasks that were completed: chains, legs and refined paths, and ticks of agents of the catalog.
    pub thought: usize,
    /// The agents that took a step.
    pub walked: usize,
    /// The agents that have neither arrived nor been told that their goal cannot be reached, and took no step.
    pub stood: usize,
    /// The agents that have no plan yet, agents of the catalog excluded.
    pub waiting: usize,
    /// The number of frames for which the agent that has stood longest had not moved when the frame began.
    pub longest_wait: u64,
    /// The agents that have to wait because of the [limit of memory](CrowdConfig::max_bytes).
    pub held_back: usize,
    /// The memory of the crowd in bytes, excluding the map.
    pub bytes: usize,
}

/// Many agents on one map, with one budget per frame: see the [module](crate::crowd).
///
/// ```
/// use tickstar::crowd::{Crowd, CrowdConfig};
/// use tickstar::{Cell, Grid, Layered, Slice};
/// let mut map = Layered::flat(Grid::new(64, 64)?.with_crowd_regions());
/// let mut crowd = Crowd::new(&map, CrowdConfig::default())?;
/// for n in 0..60 {
///     crowd.spawn(&map, Cell::new(n, 0), Cell::new(63 - n, 63))?;
/// }
/// let mut arrived = 0;
/// while arrived < crowd.len() {
///     map.set_free(Cell::new(20, 30), arrived > 30)?; // the map may change at any time
///     let frame = crowd.frame(&map, &mut Slice::metered(500));
///     arrived += frame.arrived.len();
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Crowd {
    config: CrowdConfig,
    size: (u32, u32),
    // What a step needs is apart from the rest, in lists that are read in order.
    at: Vec<Spot>,
    /// The steps ahead in one direction; none if the agent stands.
    run: Vec<Run>,
    /// The next few runs.
    ahead: Vec<Ahead>,
    /// The direction of the step taken in the last frame.
    last: Vec<u8>,
    generation: Vec<u32>,
    /// The last frame in which an agent moved that stands now.
    stopped: Vec<u64>,
    agents: Vec<Record>,
    spare: Vec<u32>,
    len: usize,
    /// Heap memory of paths and chains.
    stored: usize,
    goals: Goals,
    guests: Guests,
    collisions: Option<Box<Collisions>>,
    /// Where collisions are avoided: the agents on their way, those that set out first in front, and all others.
    active: Vec<u32>,
    settled: Vec<u32>,
    order: Vec<u32>,
    relisted: Vec<u32>,
    planner: Planner,
    /// What has been planned beforehand: all of it, and that of the present task.
    ready: Ready,
    chain_ready: Option<Done<Vec<Spot>>>,
    leg_ready: Option<Done<Leg>>,
    choice: Choice,
    components: Components,
    task: Option<Task>,
    /// Agents without a chain, and agents whose steps run out.
    waiting: BinaryHeap<Reverse<Entry>>,
    due: BinaryHeap<Reverse<Entry>>,
    waiting_count: usize,
    walking_count: usize,
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
    /// Scratch.
    targets: Vec<Spot>,
    path: Vec<Run>,
    nodes: Vec<crate::NodeId>,
    steps: Vec<(AgentId, Cell)>,
    arrived: Vec<AgentId>,
    told: Vec<AgentId>,
    refused: Vec<AgentId>,
    stats: FrameStats,
}

impl Crowd {
    /// A crowd without agents.
    ///
    /// # Errors
    /// If the map has no regions for crowds.
    pub fn new(map: &Layered<Grid>, config: CrowdConfig) -> Result<Crowd, CrowdError> {
        map.crowd_regions().ok_or(CrowdError::NeedsRegions)?;
        let size = (map.width(), map.height());
        let collisions = config.avoid_collisions.then(|| Box::new(Collisions::new(size.0, size.1)));
        Ok(Crowd {
            config,
            size,
            at: Vec::new(),
            run: Vec::new(),
            ahead: Vec::new(),
            last: Vec::new(),
            generation: Vec::new(),
            stopped: Vec::new(),
            agents: Vec::new(),
            spare: Vec::new(),
            len: 0,
            stored: 0,
            goals: Goals::default(),
            guests: Guests::default(),
            collisions,
            active: Vec::new(),
            settled: Vec::new(),
            order: Vec::new(),
            relisted: Vec::new(),
            planner: Planner::new(),
            ready: Ready::default(),
            chain_ready: None,
            leg_ready: None,
            choice: Choice::new(),
            components: Components::default(),
            task: None,
            waiting: BinaryHeap::new(),
            due: BinaryHeap::new(),
            waiting_count: 0,
            walking_count: 0,
            standing: VecDeque::new(),
            partial: VecDeque::new(),
            now: 0,
            spent: [0; 2],
            put: Vec::new(),
            blocked: Vec::new(),
            targets: Vec::new(),
            path: Vec::new(),
            nodes: Vec::new(),
            steps: Vec::new(),
            arrived: Vec::new(),
            told: Vec::new(),
            refused: Vec::new(),
            stats: FrameStats::default(),
        })
    }

    /// The settings.
    pub fn config(&self) -> CrowdConfig {
        self.config
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
    /// If either cell is blocked or outside the map, the map is not that of the crowd, the start is taken and collisions
    /// are avoided, or the limit of memory is reached.
    pub fn spawn(
        &mut self,
        map: &Layered<Grid>,
        at: Cell,
        goal: Cell,
    ) -> Result<AgentId, CrowdError> {
        self.check(map, "the start", at)?;
        self.check(map, "the goal", goal)?;
        let slot = self.new_slot(Spot::of(at), Spot::of(goal))?;
        self.wait(slot);
        Ok(self.id(slot))
    }

    /// Adds an agent with an algorithm of its own, at its position. It may spend at most this many units per frame (at
    /// least one); if the budget does not suffice for all such agents, they take turns. What an algorithm cannot refuse,
    /// such as the changes that are reported to it, it may spend in addition, also beyond the budget of the frame.
    ///
    /// ```
    /// use tickstar::crowd::{Crowd, CrowdConfig};
    /// use tickstar::{Cell, Grid, Layered, Slice, catalog};
    /// let map = Layered::new(Grid::new(32, 32)?.with_crowd_regions())?;
    /// let mut crowd = Crowd::new(&map, CrowdConfig::default())?;
    /// let [start, goal] = [(3, 4), (25, 20)].map(|(x, y)| map.node(Cell::new(x, y)).unwrap());
    /// let agent = catalog::find("pra")?.configure(&[("k", "16")])?.agent(&map, start, goal)?;
    /// let id = crowd.spawn_agent(&map, agent, 100)?;
    /// while !crowd.frame(&map, &mut Slice::metered(500)).arrived.contains(&id) {}
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`spawn`](Crowd::spawn).
    pub fn spawn_agent(
        &mut self,
        map: &Layered<Grid>,
        agent: Box<dyn Agent<Layered<Grid>>>,
        units: u64,
    ) -> Result<AgentId, CrowdError> {
        let [at, goal] = [agent.position(), agent.goal()].map(|node| map.cell(node));
        self.check(map, "the start", at)?;
        self.check(map, "the goal", goal)?;
        let slot = self.new_slot(Spot::of(at), Spot::of(goal))?;
        let bytes = agent.bytes();
        let seen = self.guests.reported();
        self.guests.add(slot, Guest { agent, units: units.max(1), seen, bytes });
        self.agents[slot as usize].is_guest = true;
        self.set_activity(slot, Some(Activity::Walking));
        Ok(self.id(slot))
    }

    /// Removes an agent. Returns whether there was one.
    pub fn remove(&mut self, id: AgentId) -> bool {
        let Some(slot) = self.slot(id) else { return false };
        self.free_slot(slot);
        true
    }

    /// Gives an agent another goal. Until its turn comes, it walks straight toward that, as far as it can.
    ///
    /// # Errors
    /// If there is no such agent, or the goal is blocked or outside the map. The agent then keeps its goal.
    pub fn retarget(
        &mut self,
        map: &Layered<Grid>,
        id: AgentId,
        goal: Cell,
    ) -> Result<(), CrowdError> {
        let slot = self.slot(id).ok_or(CrowdError::NoAgent)?;
        self.check(map, "the goal", goal)?;
        if let Some(guest) = self.guests.all.get_mut(&slot) {
            let node = guests::node(map, Spot::of(goal));
            guest.agent.retarget(map, node)?;
        }
        self.set_goal(slot, Spot::of(goal));
        Ok(())
    }

    /// Tells the crowd, once for all agents, which cells of the map have changed. Only agents of the
    /// [catalog](Crowd::spawn_agent) need it: all others learn of changes from the map.
    pub fn report(&mut self, map: &Layered<Grid>, changed: &[Cell]) {
        self.guests.report(changed.iter().filter_map(|&cell| map.node(cell)));
    }

    /// The caller has not let an agent take its step of the last frame: it is where it was before, and will try again.
    ///
    /// Returns the agents whose steps are taken back: this one, none if it had not taken a step and, where collisions are
    /// avoided, those that would otherwise be on the cell to which another one returns. (If another agent has been spawned
    /// or displaced there since the frame, nothing is taken back.)
    pub fn refuse(&mut self, id: AgentId) -> &[AgentId] {
        self.refused.clear();
        let mut next = self.slot(id).filter(|&slot| self.can_take_back(slot));
        while let Some(slot) = next {
            next = self.take_back(slot);
        }
        &self.refused
    }

    /// The caller has moved an agent somewhere else.
    ///
    /// # Errors
    /// If there is no such agent, the cell is blocked or outside the map, or it is taken and collisions are avoided. The
    /// agent then stays where it is.
    pub fn displace(
        &mut self,
        map: &Layered<Grid>,
        id: AgentId,
        to: Cell,
    ) -> Result<(), CrowdError> {
        let slot = self.slot(id).ok_or(CrowdError::NoAgent)?;
        self.check(map, "the new position", to)?;
        let target = Spot::of(to);
        if let Some(collisions) = &mut self.collisions {
            let other = collisions.occupant(target).filter(|&other| other != slot);
            if other.is_some() {
                return Err(CrowdError::Occupied { role: "the new position", cell: to });
            }
            collisions.leave(self.at[slot as usize]);
            collisions.enter(slot, target);
        }
        self.put_at(slot, target);
        Ok(())
    }

    /// Lets every agent take a step that has one, and plans as far as the slice allows.
    ///
    /// The map must be that of the crowd, at any time of its life: with a map of another size, or without regions,
    /// nobody moves. All work is paid for, also where the slice counts as the papers do, except that every agent with a
    /// plan takes its step however small the budget is: at most three quarters of it are charged for that. For a budget in milliseconds, use [`Slice::deadline`].
    pub fn frame(&mut self, map: &Layered<Grid>, slice: &mut Slice<'_>) -> Frame<'_> {
        self.next_frame(map, slice);
        self.report_frame()
    }

    fn next_frame(&mut self, map: &Layered<Grid>, slice: &mut Slice<'_>) {
        self.now += 1;
        self.steps.clear();
        self.arrived.clear();
        self.told.clear();
        self.spent = self.spent.map(|spent| spent / 2);
        self.stats = FrameStats::default();
        let fits = (map.width(), map.height()) == self.size;
        if let Some(regions) = map.crowd_regions().filter(|_| fits) {
            let grid = map.space();
            slice.metering_tick(|slice| {
                self.arrive_at_once();
                self.tick_guests(map, slice);
                self.walk(grid, slice);
                let before = slice.spent();
                self.notice_changes(grid, regions, slice);
                self.walk_rays(grid, regions, slice);
                self.goals.tidy(slice);
                self.think(grid, regions, slice);
                let planning = slice.spent() - before;
                self.stats.planning_units = planning.div_ceil(crate::budget::UNIT);
            });
            self.ready.clear();
        } else {
            self.last.fill(NOWHERE);
        }
        self.stats.units = slice.units();
        self.stats.walked = self.steps.len();
        self.stats.waiting = self.waiting_count;
        self.stats.bytes = self.bytes();
    }

    fn report_frame(&self) -> Frame<'_> {
        Frame {
            steps: &self.steps,
            arrived: &self.arrived,
            unreachable: &self.told,
            stats: self.stats,
        }
    }

    /// The same as [`frame`](Crowd::frame), planned on the threads of the current [`rayon`] pool.
    ///
    /// With a counted budget, steps and units are the same bit for bit, on any number of threads. Tasks are short, so what is
    /// gained depends on how fast the threads of the pool wake up: measure it. Where [memory is limited](CrowdConfig::max_bytes), and where a
    /// slice has a watcher, one thread does everything.
    #[cfg(feature = "rayon")]
    pub fn par_frame(&mut self, map: &Layered<Grid>, slice: &mut Slice<'_>) -> Frame<'_> {
        let is_limited = self.config.max_bytes.is_some();
        self.ready.threads = if is_limited { 1 } else { rayon::current_num_threads() };
        self.next_frame(map, slice);
        self.ready.threads = 1;
        self.report_frame()
    }

    /// Where an agent is.
    pub fn position(&self, id: AgentId) -> Option<Cell> {
        self.slot(id).map(|slot| self.at[slot as usize].cell())
    }

    /// The agent on a cell; known only if [collisions are avoided](CrowdConfig::avoid_collisions).
    pub fn occupant(&self, cell: Cell) -> Option<AgentId> {
        let is_inside = cell.x < self.size.0 && cell.y < self.size.1;
        let collisions = self.collisions.as_ref().filter(|_| is_inside)?;
        collisions.occupant(Spot::of(cell)).map(|slot| self.id(slot))
    }

    /// Where an agent goes.
    pub fn goal(&self, id: AgentId) -> Option<Cell> {
        self.slot(id).map(|slot| self.agents[slot as usize].goal.cell())
    }

    /// What an agent is doing.
    pub fn activity(&self, id: AgentId) -> Option<Activity> {
        self.slot(id).and_then(|slot| self.agents[slot as usize].activity)
    }

    /// The cells that an agent will walk over next, as far as they are planned; for an agent of the catalog, its plan.
    pub fn path(&self, map: &Layered<Grid>, id: AgentId) -> Vec<Cell> {
        let Some(slot) = self.slot(id) else { return Vec::new() };
        if let Some(guest) = self.guests.all.get(&slot) {
            let plan = guest.agent.plan().unwrap_or_default();
            return plan.into_iter().map(|node| map.cell(node)).collect();
        }
        let mut at = self.at[slot as usize];
        let mut cells = Vec::new();
        for run in std::iter::once(self.run[slot as usize]).chain(self.runs_ahead(slot)) {
            for _ in 0..run.steps() {
                at = at.after(run.direction(), 1);
                cells.push(at.cell());
            }
        }
        cells
    }

    /// All agents.
    pub fn ids(&self) -> impl Iterator<Item = AgentId> + '_ {
        let exists = |&slot: &u32| self.agents[slot as usize].activity.is_some();
        (0..self.agents.len() as u32).filter(exists).map(|slot| self.id(slot))
    }

    /// Memory in bytes, excluding the map.
    pub fn bytes(&self) -> usize {
        let ids = [&self.put, &self.arrived, &self.told, &self.refused];
        let slots =
            [&self.spare, &self.blocked, &self.active, &self.settled, &self.order, &self.relisted];
        size_of::<Crowd>()
            + self.stored
            + self.agents.capacity() * agents::BYTES
            + (self.waiting.capacity() + self.due.capacity()) * size_of::<Entry>()
            + self.standing.capacity() * size_of::<Ticket>()
            + self.partial.capacity() * size_of::<u32>()
            + slots.map(Vec::capacity).iter().sum::<usize>() * size_of::<u32>()
            + ids.map(Vec::capacity).iter().sum::<usize>() * size_of::<AgentId>()
            + self.steps.capacity() * size_of::<(AgentId, Cell)>()
            + self.goals.bytes()
            + self.guests.bytes()
            + self.collisions.as_ref().map_or(0, |collisions| collisions.bytes())
            + self.planner.bytes()
            + self.ready.bytes()
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
        let map = (grid.width(), grid.height());
        if map != self.size {
            return Err(CrowdError::OtherMap { map, crowd: self.size });
        }
        if grid.is_free(cell) { Ok(()) } else { Err(CrowdError::Cell { role, cell }) }
    }
}
