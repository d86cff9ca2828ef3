//! A crowd on its way.

use serde_json::{Value, json};
use tickstar::crowd::CrowdConfig;
use tickstar::{Cell, Grid};

use super::limits;
use super::message::{CrowdSpec, Payload, Refusal, configured};
use crate::WorldKind;
use crate::crowd::{Budget, Planner, Run, Setup, State, prepare, problems};

/// Many agents on one map.
#[derive(Debug)]
pub(super) struct CrowdPlayer {
    run: Run<'static>,
    goals: Vec<Cell>,
    /// Where everybody was before the last frame.
    before: Vec<Cell>,
    agents: usize,
    work: u64,
}

impl CrowdPlayer {
    /// Refuses what is not possible on any map.
    pub fn check(spec: &CrowdSpec, world: &WorldKind) -> Result<(), Refusal> {
        if *world != WorldKind::Known {
            return Err(Refusal::about("world", "a crowd knows its map: the world must be known"));
        }
        let planner = planner(spec)?;
        let most = match planner {
            Planner::Crowd => limits::AGENTS,
            Planner::Agents { .. } => limits::SEARCHES,
        };
        if !(1..=most).contains(&spec.agents) {
            let message = format!("a crowd has 1 to {most} agents here, not {}", spec.agents);
            return Err(Refusal::about("agents", message));
        }
        Ok(())
    }

    pub fn new(
        map: &Grid,
        spec: &CrowdSpec,
        seed: u64,
        budget: u64,
    ) -> Result<CrowdPlayer, Refusal> {
        let planner = planner(spec)?;
        let found = problems(map, spec.agents, seed, spec.one_goal.then_some(1), spec.apart);
        let found = found.map_err(|error| Refusal::about("agents", error))?;
        let map = prepare(map.clone(), [&planner]).map_err(Refusal::new)?;
        let config = CrowdConfig { avoid_collisions: spec.apart, ..CrowdConfig::default() };
        let goals = found.iter().map(|problem| problem.goal).collect();
        let before = found.iter().map(|problem| problem.start).collect();
        let agents = found.len();
        let most_frames = u64::MAX;
        let setup = Setup { planner, config, most_frames, ..Setup::new(Budget::Units(budget)) };
        Ok(CrowdPlayer { run: Run::new(map, found, setup), goals, before, agents, work: 0 })
    }

    pub fn bytes(&self) -> usize {
        self.run.stats().bytes + 2 * self.run.map().space().bytes() + 120 * self.agents
    }

    pub fn work(&self) -> u64 {
        self.work
    }

    pub fn is_over(&self) -> bool {
        self.run.is_over()
    }

    pub fn set_budget(&mut self, budget: u64) {
        self.run.set_budget(Budget::Units(budget));
    }

    /// Whether this cell must stay free: somebody stands on it, or is on the way to it.
    pub fn needs(&self, cell: Cell) -> bool {
        self.goals.contains(&cell) || self.run.walkers().iter().any(|walker| walker.at == cell)
    }

    pub fn edit(&mut self, cells: &[Cell], free: bool) {
        let changed: Vec<(Cell, bool)> = cells.iter().map(|&cell| (cell, free)).collect();
        self.run.change(&changed);
    }

    pub fn describe(&self, payload: &mut Payload) -> Value {
        let width = self.run.map().width();
        let number = |cell: &Cell| cell.y * width + cell.x;
        json!({
            "agents": self.agents,
            "starts": payload.list(self.before.iter().map(number)),
            "goals": payload.list(self.goals.iter().map(number)),
        })
    }

    /// One frame, and what it did.
    pub fn frame(&mut self, payload: &mut Payload) -> Result<Value, Refusal> {
        self.run.frame().map_err(Refusal::new)?;
        let width = self.run.map().width();
        let stats = *self.run.stats();
        self.work += stats.units;
        let walkers = self.run.walkers();
        let at = payload.list(walkers.iter().map(|walker| walker.at.y * width + walker.at.x));
        let mut counts = [0usize; 4];
        let mut activities = Vec::with_capacity(walkers.len());
        for (walker, before) in walkers.iter().zip(&mut self.before) {
            let activity: u32 = match walker.state {
                State::Underway | State::Absent if walker.at == *before => 1,
                State::Underway | State::Absent => 0,
                State::Arrived => 2,
                State::Unreachable => 3,
            };
            counts[activity as usize] += 1;
            activities.push(activity);
            *before = walker.at;
        }
        let [walking, waiting, arrived, no_way] = counts;
        Ok(json!({
            "at": at,
            "states": payload.list(activities),
            "changed": payload.list([]),
            "units": stats.units,
            "walking": walking, "waiting": waiting, "arrived": arrived, "no_way": no_way,
            "bytes": stats.bytes,
            "measured": { "nanos": self.run.last_time().as_nanos() as u64 },
        }))
    }

    /// What became of the crowd.
    pub fn record(&self, map: &str) -> Value {
        let unreachable = |walker: &&crate::crowd::Walker| walker.state == State::Unreachable;
        json!({
            "map": map,
            "agents": self.agents,
            "frames": self.run.frames(),
            "arrived": self.run.arrived(),
            "unreachable": self.run.walkers().iter().filter(unreachable).count(),
            "units": self.work,
        })
    }
}

fn planner(spec: &CrowdSpec) -> Result<Planner, Refusal> {
    if spec.planner == "crowd" {
        return Ok(Planner::Crowd);
    }
    let config = configured("planner", &spec.planner)?;
    if config.subgoal_level().is_some() {
        let message = "D LRTA* makes tables for the whole map, which a crowd does without here";
        return Err(Refusal::about("planner", message));
    }
    Ok(Planner::Agents { name: spec.planner.clone(), config, units: 100 })
}
