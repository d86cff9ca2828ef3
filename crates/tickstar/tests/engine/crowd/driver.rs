//! A crowd, every frame of which is checked by one who keeps the positions of all agents itself.
//!
//! The fuzzer of the lab uses this file as well, so it knows nothing but the public interface of the engine.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tickstar::crowd::{Activity, AgentId, Crowd, CrowdConfig, CrowdError, Frame, FrameStats};
use tickstar::space::{Clearance, Corners, Neighbors};
use tickstar::{Agent, Cell, Grid, Layered, NodeId, Slice};

/// N, E, S, W, NE, SE, SW, NW.
const AROUND: [(i64, i64); 8] =
    [(0, -1), (1, 0), (0, 1), (-1, 0), (1, -1), (1, 1), (-1, 1), (-1, -1)];

/// What agents walk on.
pub enum Ground {
    Plain(Layered<Grid>),
    /// The map for units of several cells, and the one it is derived from.
    Large(Grid, Box<Clearance>),
}

impl Ground {
    /// For units of this size.
    pub fn new(grid: Grid, size: u32) -> Ground {
        let grid = grid.with_crowd_regions();
        if size == 1 {
            return Ground::Plain(Layered::flat(grid));
        }
        let clearance = grid.for_size(size).unwrap();
        Ground::Large(grid, Box::new(clearance))
    }

    /// With all that agents of the catalog plan on: a hierarchy, and regions.
    pub fn complete(grid: Grid) -> Ground {
        Ground::Plain(Layered::new(grid.with_regions().with_crowd_regions()).unwrap())
    }

    pub fn map(&self) -> &Layered<Grid> {
        match self {
            Ground::Plain(map) => map,
            Ground::Large(_, clearance) => clearance.map(),
        }
    }

    /// Blocks or opens cells. Returns those of the agents' map that have changed.
    fn edit(&mut self, cells: &[(Cell, bool)]) -> Vec<Cell> {
        match self {
            Ground::Plain(map) => {
                let differs = |&&(cell, free): &&(Cell, bool)| map.is_free(cell) != free;
                let changed: Vec<Cell> =
                    cells.iter().filter(differs).map(|&(cell, _)| cell).collect();
                map.edit(cells).unwrap();
                changed
            }
            Ground::Large(grid, clearance) => {
                grid.edit(cells).unwrap();
                let cells: Vec<Cell> = cells.iter().map(|&(cell, _)| cell).collect();
                let nodes = clearance.update(grid, &cells).unwrap();
                nodes.into_iter().map(|node| clearance.map().cell(node)).collect()
            }
        }
    }
}

/// How a frame is paid for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pay {
    Metered(u64),
    Papers(u64),
    /// A clock that says stop when it is asked for this time.
    Deadline(u64),
}

/// What the driver knows of an agent.
#[derive(Clone, Debug)]
pub struct Unit {
    pub at: Cell,
    /// Where it was before its step of the last frame; none if it stood, or the step was refused.
    pub before: Option<Cell>,
    pub goal: Cell,
    /// Its arrival has been reported, and in which frame.
    pub arrived: bool,
    reported: u64,
    pub told: bool,
    pub is_guest: bool,
    /// The steps that counted.
    pub steps: u64,
    /// The units that were offered to all since it stands undisturbed.
    waited: u64,
}

/// What happened in a frame.
#[derive(Clone, Debug)]
pub struct Happened {
    pub steps: Vec<(AgentId, Cell)>,
    pub arrived: Vec<AgentId>,
    pub unreachable: Vec<AgentId>,
    pub stats: FrameStats,
}

pub struct Driver {
    pub ground: Ground,
    pub crowd: Crowd,
    pub units: BTreeMap<AgentId, Unit>,
    pub removed: BTreeSet<AgentId>,
    /// The connected part of each cell; none if it is blocked.
    parts: Option<Vec<Option<u32>>>,
    /// Whether agents that stand must get their turn within the bound.
    pub is_fair: bool,
    pub frames: u64,
    pub arrivals: u64,
    pub planning: u64,
    pub hash: u64,
    /// How a frame is run: on one thread, or on several.
    pub run_frame: RunFrame,
}

pub type RunFrame = for<'c> fn(&'c mut Crowd, &Layered<Grid>, &mut Slice<'_>) -> Frame<'c>;

impl Driver {
    pub fn new(ground: Ground, config: CrowdConfig) -> Driver {
        let crowd = Crowd::new(ground.map(), config).unwrap();
        Driver {
            ground,
            crowd,
            units: BTreeMap::new(),
            removed: BTreeSet::new(),
            parts: None,
            is_fair: !config.avoid_collisions && config.max_bytes.is_none(),
            frames: 0,
            arrivals: 0,
            planning: 0,
            hash: 0xcbf2_9ce4_8422_2325,
            run_frame: Crowd::frame,
        }
    }

    pub fn map(&self) -> &Layered<Grid> {
        self.ground.map()
    }

    /// Whether a step is legal, by the rules of the map and not by its edges.
    fn is_legal(&self, from: Cell, to: Cell) -> bool {
        is_legal(self.map(), from, to)
    }

    /// Whether two cells are connected.
    pub fn is_joined(&mut self, a: Cell, b: Cell) -> bool {
        let map = self.ground.map();
        let parts = self.parts.get_or_insert_with(|| flood(map));
        let part = |cell: Cell| parts[cell.y as usize * map.width() as usize + cell.x as usize];
        part(a).is_some() && part(a) == part(b)
    }

    pub fn spawn(&mut self, at: Cell, goal: Cell) -> Result<AgentId, CrowdError> {
        let id = self.crowd.spawn(self.ground.map(), at, goal)?;
        self.add(id, at, goal, false);
        Ok(id)
    }

    pub fn spawn_agent(
        &mut self,
        agent: Box<dyn Agent<Layered<Grid>>>,
        units: u64,
    ) -> Result<AgentId, CrowdError> {
        let map = self.ground.map();
        let (at, goal) = (map.cell(agent.position()), map.cell(agent.goal()));
        let id = self.crowd.spawn_agent(map, agent, units)?;
        self.add(id, at, goal, true);
        Ok(id)
    }

    fn add(&mut self, id: AgentId, at: Cell, goal: Cell, is_guest: bool) {
        assert!(!self.removed.contains(&id), "{id:?} is used again");
        let unit = Unit {
            at,
            before: None,
            goal,
            arrived: false,
            reported: 0,
            told: false,
            is_guest,
            steps: 0,
            waited: 0,
        };
        assert!(self.units.insert(id, unit).is_none(), "{id:?} is used twice");
    }

    pub fn remove(&mut self, id: AgentId) {
        assert!(self.crowd.remove(id) && !self.crowd.remove(id));
        self.units.remove(&id);
        self.removed.insert(id);
        self.check_removed(id);
    }

    /// An agent that has been removed is gone.
    fn check_removed(&mut self, id: AgentId) {
        let map = self.ground.map();
        let somewhere = Cell::new(0, 0);
        assert!(self.crowd.position(id).is_none() && self.crowd.goal(id).is_none());
        assert!(self.crowd.activity(id).is_none() && self.crowd.path(map, id).is_empty());
        assert!(self.crowd.refuse(id).is_empty());
        assert_eq!(self.crowd.retarget(map, id, somewhere), Err(CrowdError::NoAgent));
        assert_eq!(self.crowd.displace(map, id, somewhere), Err(CrowdError::NoAgent));
        if map.is_free(somewhere) {
            assert_eq!(self.crowd.order(map, &[id], somewhere), Err(CrowdError::NoAgent));
        }
    }

    pub fn retarget(&mut self, id: AgentId, goal: Cell) -> Result<(), CrowdError> {
        let is_free = self.map().is_free(goal);
        let result = self.crowd.retarget(self.ground.map(), id, goal);
        assert_eq!(result.is_ok(), is_free, "{result:?}");
        if is_free {
            let unit = self.units.get_mut(&id).unwrap();
            (unit.goal, unit.arrived, unit.told, unit.waited) = (goal, false, false, 0);
        }
        assert_eq!(self.crowd.goal(id), Some(self.units[&id].goal));
        result
    }

    /// Sends agents to a point, and checks that the goals are different ones around it.
    pub fn order(&mut self, ids: &[AgentId], point: Cell) {
        let taken: Vec<Cell> = self
            .units
            .iter()
            .filter(|(id, _)| !ids.contains(id))
            .map(|(_, unit)| unit.goal)
            .collect();
        self.crowd.order(self.ground.map(), ids, point).unwrap();
        let mut goals = Vec::new();
        for &id in ids {
            let goal = self.crowd.goal(id).unwrap();
            let unit = self.units.get_mut(&id).unwrap();
            (unit.goal, unit.arrived, unit.told, unit.waited) = (goal, false, false, 0);
            goals.push(goal);
        }
        // The nearest cells by steps, without those that are taken.
        let near = nearest(self.map(), point);
        let mut open: Vec<(u32, Cell)> =
            near.into_iter().filter(|(_, cell)| !taken.contains(cell)).collect();
        let mut distinct = ids.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        open.truncate(distinct.len());
        let farthest = open.last().map_or(0, |&(far, _)| far);
        let mut given: Vec<Cell> = distinct.iter().map(|&id| self.units[&id].goal).collect();
        given.sort_unstable();
        if open.len() == distinct.len() {
            given.dedup();
            assert_eq!(given.len(), distinct.len(), "goals are given twice");
            let near: HashMap<Cell, u32> =
                nearest(self.map(), point).into_iter().map(|(far, cell)| (cell, far)).collect();
            assert!(goals.iter().all(|goal| near[goal] <= farthest && !taken.contains(goal)));
        }
    }

    pub fn displace(&mut self, id: AgentId, to: Cell) -> Result<(), CrowdError> {
        let result = self.crowd.displace(self.ground.map(), id, to);
        if result.is_ok() {
            let unit = self.units.get_mut(&id).unwrap();
            (unit.at, unit.before, unit.told, unit.waited) = (to, None, false, 0);
        }
        assert_eq!(self.crowd.position(id), Some(self.units[&id].at));
        result
    }

    /// Refuses the last step of an agent, and takes back what has to be taken back with it. Returns those.
    pub fn refuse(&mut self, id: AgentId) -> Vec<AgentId> {
        let back = self.crowd.refuse(id).to_vec();
        let has_moved = self.units[&id].before.is_some();
        assert!(has_moved || back.is_empty(), "nothing to refuse");
        if !self.crowd.config().avoid_collisions {
            assert_eq!(back, if has_moved { vec![id] } else { vec![] });
        }
        for &id in &back {
            let unit = self.units.get_mut(&id).unwrap();
            let before = unit.before.take().expect("it has taken a step");
            // It has not arrived then, and will be listed again.
            unit.arrived &= unit.reported < self.frames || unit.at != unit.goal;
            (unit.at, unit.waited, unit.steps) = (before, 0, unit.steps - 1);
            assert_eq!(self.crowd.position(id), Some(before), "it is where it was");
        }
        self.check_cells();
        back
    }

    /// Blocks or opens cells, and reports that.
    pub fn edit(&mut self, cells: &[(Cell, bool)]) {
        let changed = self.ground.edit(cells);
        self.crowd.report(self.ground.map(), &changed);
        if !changed.is_empty() {
            self.parts = None;
            self.units.values_mut().for_each(|unit| unit.waited = 0);
        }
    }

    /// One frame, with all that must hold in it.
    pub fn frame(&mut self, pay: Pay) -> Happened {
        let mut asked = 0;
        let mut clock = || {
            asked += 1;
            !matches!(pay, Pay::Deadline(times) if asked >= times)
        };
        let mut slice = match pay {
            Pay::Metered(units) => Slice::metered(units),
            Pay::Papers(units) => Slice::new(units),
            Pay::Deadline(_) => Slice::deadline(&mut clock),
        };
        let idle = self.idle(pay);
        let frame = (self.run_frame)(&mut self.crowd, self.ground.map(), &mut slice);
        let happened = Happened {
            steps: frame.steps.to_vec(),
            arrived: frame.arrived.to_vec(),
            unreachable: frame.unreachable.to_vec(),
            stats: frame.stats,
        };
        self.frames += 1;
        self.planning += happened.stats.planning_units;
        self.remember(&happened);
        self.check_units(pay, &happened.stats);
        self.check_steps(&happened.steps);
        let stands = |id: &AgentId| self.units[id].before.is_none();
        assert!(idle.iter().all(stands), "an agent planned its step with nothing");
        self.check_results(&happened);
        self.check_agents(&happened.stats);
        self.check_cells();
        self.check_turns(pay, &happened.stats);
        happened
    }

    /// With a budget of nothing, the agents that cannot take a step, as they have no plan.
    fn idle(&self, pay: Pay) -> Vec<AgentId> {
        let is_nothing = matches!(pay, Pay::Metered(0) | Pay::Papers(0));
        let can_plan = !is_nothing || self.crowd.config().avoid_collisions;
        let ids = self.units.keys().copied().filter(|_| !can_plan);
        let map = self.ground.map();
        ids.filter(|&id| !self.units[&id].is_guest && self.crowd.path(map, id).is_empty()).collect()
    }

    fn remember(&mut self, happened: &Happened) {
        let mut add = |number: u64| {
            self.hash = (self.hash ^ number).wrapping_mul(0x100_0000_01b3).rotate_left(7);
        };
        add(happened.stats.units);
        for &(id, to) in &happened.steps {
            add((id.index() as u64) << 32 | u64::from(to.x) << 16 | u64::from(to.y));
        }
        for &id in happened.arrived.iter().chain(&happened.unreachable) {
            add(id.index() as u64);
        }
    }

    fn check_units(&mut self, pay: Pay, stats: &FrameStats) {
        let agents = self.units.len() as u64;
        let most = match pay {
            Pay::Metered(units) | Pay::Papers(units) => units,
            // The steps are paid for in any case.
            Pay::Deadline(asked) => 32 * (asked + 1) + 80 + 4 * agents,
        };
        // Agents of the catalog do work that cannot be refused: reported changes, and entries of open lists.
        let has_guests = self.units.values().any(|unit| unit.is_guest);
        assert!(stats.units <= most || has_guests, "{} units of {most}, {pay:?}", stats.units);
        assert!(stats.planning_units <= stats.units + 1);
    }

    fn check_steps(&mut self, steps: &[(AgentId, Cell)]) {
        self.units.values_mut().for_each(|unit| unit.before = None);
        for &(id, to) in steps {
            let from = self.units.get(&id).expect("an agent").at;
            assert!(self.is_legal(from, to), "{id:?} from {from} to {to} on {:?}", self.map());
            let unit = self.units.get_mut(&id).unwrap();
            assert!(unit.before.is_none(), "two steps in one frame");
            (unit.before, unit.at, unit.waited) = (Some(from), to, 0);
            unit.steps += 1;
        }
        if self.crowd.config().avoid_collisions {
            self.check_collisions(steps);
        }
    }

    /// No two agents swap their cells or cross each other's diagonals.
    fn check_collisions(&self, steps: &[(AgentId, Cell)]) {
        let mut taken = BTreeSet::new();
        for (id, to) in steps {
            let from = self.units[id].before.unwrap();
            assert!(!taken.contains(&(*to, from)), "two agents swap {from} and {to}");
            // The other diagonal of the square.
            let [a, b] = [Cell::new(from.x, to.y), Cell::new(to.x, from.y)];
            if from.x != to.x && from.y != to.y {
                let crosses = taken.contains(&(a, b)) || taken.contains(&(b, a));
                assert!(!crosses, "two diagonals cross between {from} and {to}");
            }
            taken.insert((from, *to));
        }
    }

    /// With collisions avoided, no two agents are on one cell.
    fn check_cells(&self) {
        if self.crowd.config().avoid_collisions {
            let cells: BTreeSet<Cell> = self.units.values().map(|unit| unit.at).collect();
            assert_eq!(cells.len(), self.units.len(), "two agents are on one cell");
        }
    }

    fn check_results(&mut self, happened: &Happened) {
        for id in &happened.arrived {
            let unit = self.units.get_mut(id).expect("an agent");
            assert!(!unit.arrived, "{id:?} arrived at {} twice", unit.goal);
            // Others may have pushed it off its goal at once.
            assert!(unit.at == unit.goal || unit.before == Some(unit.goal), "not at its goal");
            (unit.arrived, unit.reported) = (true, self.frames);
            self.arrivals += 1;
        }
        for &id in &happened.unreachable {
            let Unit { at, goal, .. } = self.units[&id];
            assert!(!self.is_joined(at, goal), "{id:?}: {at} to {goal} on {:?}", self.map());
            let unit = self.units.get_mut(&id).unwrap();
            unit.told = true;
        }
    }

    fn check_agents(&mut self, stats: &FrameStats) {
        let (mut stood, mut waiting) = (0, 0);
        assert_eq!(self.crowd.len(), self.units.len());
        assert!(self.crowd.ids().eq(self.ids_by_index()), "the list of agents");
        for (&id, unit) in &self.units {
            assert_eq!(self.crowd.position(id), Some(unit.at));
            assert_eq!(self.crowd.goal(id), Some(unit.goal));
            let activity = self.crowd.activity(id).expect("it exists");
            match activity {
                Activity::Arrived => assert!(unit.at == unit.goal, "{id:?} has not arrived"),
                Activity::Unreachable => {}
                _ => {
                    stood += usize::from(unit.before.is_none());
                    waiting += usize::from(activity == Activity::Waiting && !unit.is_guest);
                }
            }
            let has_arrived = unit.arrived || unit.at != unit.goal || unit.is_guest;
            assert!(
                has_arrived || unit.before.is_some(),
                "{id:?} stands on its goal: {activity:?} {:?} {:?}",
                unit.at,
                self.crowd.path(self.ground.map(), id)
            );
        }
        assert_eq!(stats.waiting, waiting);
        assert_eq!(stats.stood, stood, "{stats:?}");
        assert_eq!(stats.walked, self.units.values().filter(|u| u.before.is_some()).count());
        assert_eq!(stats.bytes, self.crowd.bytes());
        if let Some(&id) = self.units.keys().nth(self.frames as usize % self.units.len().max(1)) {
            let path = self.crowd.path(self.ground.map(), id);
            let gap = |a: Cell, b: Cell| a.x.abs_diff(b.x).max(a.y.abs_diff(b.y)) > 1;
            assert!(!path.windows(2).any(|pair| gap(pair[0], pair[1])), "a path with a gap");
        }
    }

    fn ids_by_index(&self) -> impl Iterator<Item = AgentId> + use<> {
        let mut ids: Vec<AgentId> = self.units.keys().copied().collect();
        ids.sort_by_key(|id| id.index());
        ids.into_iter()
    }

    /// No agent that can walk stands for longer than promised.
    fn check_turns(&mut self, pay: Pay, stats: &FrameStats) {
        let offered = match pay {
            Pay::Metered(units) | Pay::Papers(units) => units,
            Pay::Deadline(_) => stats.units,
        };
        let offered = offered.saturating_sub(stats.units.saturating_sub(stats.planning_units));
        let size = u64::from(self.map().width()) * u64::from(self.map().height());
        let bound = 4 * (self.units.len() as u64 + 1) * (3 * size + 200);
        for (id, unit) in &mut self.units {
            let is_settled =
                matches!(self.crowd.activity(*id), Some(Activity::Arrived | Activity::Unreachable));
            if is_settled || unit.is_guest || unit.before.is_some() {
                unit.waited = 0;
                continue;
            }
            unit.waited += offered;
            let is_too_long = self.is_fair && unit.waited > bound;
            assert!(
                !is_too_long,
                "{id:?} at {} stands for {} units, {stats:?}",
                unit.at, unit.waited
            );
        }
    }

    /// Whether every agent has arrived if it can, and else has been told that it cannot.
    pub fn is_settled(&mut self) -> bool {
        let ids: Vec<AgentId> = self.units.keys().copied().collect();
        ids.into_iter().all(|id| {
            let Unit { at, goal, is_guest, .. } = self.units[&id];
            match self.crowd.activity(id) {
                Some(Activity::Arrived) => true,
                Some(Activity::Unreachable) => !self.is_joined(at, goal),
                // Some algorithms of the catalog take long to give up.
                _ => is_guest && !self.is_joined(at, goal),
            }
        })
    }

    /// Goes on until all is settled. Panics if it takes more frames than this.
    pub fn settle(&mut self, pay: Pay, most: u64) {
        for _ in 0..most {
            if self.is_settled() {
                return;
            }
            self.frame(pay);
        }
        let mut late = Vec::new();
        for (id, unit) in self.units.clone() {
            let (activity, is_joined) =
                (self.crowd.activity(id), self.is_joined(unit.at, unit.goal));
            if activity != Some(Activity::Arrived)
                && (is_joined || activity != Some(Activity::Unreachable))
            {
                late.push(format!("{id:?} {activity:?}, connected: {is_joined}, {unit:?}"));
            }
        }
        panic!("after {most} frames with {pay:?}:\n{late:#?}\n{:?}", self.map());
    }

    /// Removes everybody. What is left must be about what an empty crowd takes.
    pub fn clear(&mut self, most_agents: usize) {
        let ids: Vec<AgentId> = self.units.keys().copied().collect();
        for id in ids {
            self.remove(id);
        }
        assert!(self.crowd.is_empty() && self.crowd.ids().next().is_none());
        let frame = self.frame(Pay::Metered(10_000));
        assert!(frame.steps.is_empty() && frame.arrived.is_empty());
        let empty = Crowd::new(self.map(), self.crowd.config()).unwrap().bytes();
        let size = self.map().width() as usize * self.map().height() as usize;
        // The slots of agents and of queues, and the tables of the searches, are kept for the next ones.
        let most = empty + 600 * (most_agents + 128) + 160 * (size + 4096);
        let bytes = self.crowd.bytes();
        assert!(bytes <= most, "{bytes} bytes are left, and {most} are expected");
    }
}

/// Whether a step is legal, by the definition.
pub fn is_legal(map: &Grid, from: Cell, to: Cell) -> bool {
    let (dx, dy) = (from.x.abs_diff(to.x), from.y.abs_diff(to.y));
    let is_free = |x, y| map.is_free(Cell::new(x, y));
    if !is_free(from.x, from.y) || !is_free(to.x, to.y) || dx.max(dy) != 1 {
        return false;
    }
    dx + dy == 1
        || map.neighbors() == Neighbors::Eight
            && (map.corners() == Corners::Allowed || is_free(from.x, to.y) && is_free(to.x, from.y))
}

fn neighbors(map: &Grid, from: Cell) -> impl Iterator<Item = Cell> + '_ {
    AROUND.into_iter().filter_map(move |(dx, dy)| {
        let x = u32::try_from(i64::from(from.x) + dx).ok()?;
        let y = u32::try_from(i64::from(from.y) + dy).ok()?;
        Some(Cell::new(x, y)).filter(|&to| is_legal(map, from, to))
    })
}

/// The connected part of each cell.
fn flood(map: &Grid) -> Vec<Option<u32>> {
    let index = |cell: Cell| cell.y as usize * map.width() as usize + cell.x as usize;
    let mut parts = vec![None; map.width() as usize * map.height() as usize];
    for (part, first) in (0..).zip(map.free_cells()) {
        let mut open = vec![first];
        while let Some(cell) = open.pop() {
            if parts[index(cell)].is_none() {
                parts[index(cell)] = Some(part);
                open.extend(neighbors(map, cell));
            }
        }
    }
    parts
}

/// The cells that can be reached from a point with the number of steps, nearest first.
fn nearest(map: &Grid, point: Cell) -> Vec<(u32, Cell)> {
    let mut known = BTreeSet::from([point]);
    let mut cells = vec![(0, point)];
    let mut next = 0;
    while next < cells.len() {
        let (far, cell) = cells[next];
        next += 1;
        for to in neighbors(map, cell) {
            if known.insert(to) {
                cells.push((far + 1, to));
            }
        }
    }
    cells
}

/// The node of a cell.
pub fn node(map: &Grid, cell: Cell) -> NodeId {
    map.node(cell).unwrap()
}
