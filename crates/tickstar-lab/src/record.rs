//! One record per run, and the jobs that make them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use thiserror::Error;
use tickstar::catalog::Config;
use tickstar::search::SearchConfig;
use tickstar::{AgentError, Cell, Cost, Grid, NodeId, find_path};

use crate::{
    Arena, Clock, Clocked, Journey, Observer, Problem, Reference, Sim, Tally, Truth, Undefined,
    metric,
};

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The agent is at its goal.
    Reached,
    /// There is no path, and the agent found out.
    Unreachable,
    /// The agent was stopped after the most intervals allowed.
    GaveUp,
}

/// One run: what was run, how it ended, and what was measured. Lengths are in cells. As JSON it is one
/// object with a key per metric of [`METRICS`](crate::METRICS).
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// The map's name.
    pub map: String,
    /// Column and row of the start.
    pub start: [u32; 2],
    /// Column and row of the goal.
    pub goal: [u32; 2],
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// The budget of each interval; none: no limit.
    pub budget: Option<u64>,
    /// Every parameter of the algorithm with its value.
    pub params: serde_json::Map<String, serde_json::Value>,
    /// What the agent knows of the map, and how the map changes.
    pub world: String,
    /// The seed of whatever is random.
    pub seed: u64,
    /// The number of the run, from one, if the problem is run repeatedly.
    pub run: Option<u64>,
    /// How it ended.
    pub outcome: Outcome,
    /// The length of a shortest path on the true map as it was at first, if there is one.
    pub optimal: Option<f64>,
    /// What was counted on the way.
    pub tally: Tally,
    /// The frames of a clocked game, if requested and the goal was reached.
    pub clock: Option<Clocked>,
    /// Every position in order, start first, if requested.
    pub path: Option<Vec<[u32; 2]>>,
    /// The path planned by the last search of a run that needed no other, if runs were repeated.
    pub plan: Option<PlannedPath>,
}

impl Record {
    /// The length walked over the shortest, if the goal was reached and there was a path at first.
    pub fn suboptimality(&self) -> Option<f64> {
        match (self.outcome, self.optimal?) {
            (Outcome::Unreachable | Outcome::GaveUp, _) => None,
            // Start and goal are the same, and nothing was walked.
            (Outcome::Reached, 0.0) => Some(1.0),
            (Outcome::Reached, optimal) => Some(self.tally.cost.in_cells() / optimal),
        }
    }
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("map", &self.map)?;
        map.serialize_entry("start", &self.start)?;
        map.serialize_entry("goal", &self.goal)?;
        map.serialize_entry("algorithm", self.algorithm)?;
        map.serialize_entry("budget", &self.budget)?;
        map.serialize_entry("params", &self.params)?;
        map.serialize_entry("world", &self.world)?;
        map.serialize_entry("seed", &self.seed)?;
        if let Some(run) = self.run {
            map.serialize_entry("run", &run)?;
        }
        map.serialize_entry("outcome", &self.outcome)?;
        metric::serialize_metrics(self, &mut map)?;
        if let Some(clock) = &self.clock {
            map.serialize_entry("clock", clock)?;
        }
        if let Some(path) = &self.path {
            map.serialize_entry("path", path)?;
        }
        if let Some(plan) = &self.plan {
            map.serialize_entry("plan", plan)?;
        }
        map.end()
    }
}

/// A path that was planned.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlannedPath {
    /// Its length in cells.
    pub cost: f64,
    /// Every position in order, start first.
    pub path: Vec<[u32; 2]>,
}

/// Why a problem cannot be run.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum ProblemError {
    /// An end is not on the map.
    #[error("the {end} {cell} is outside the map, which is {width} wide and {height} high")]
    Outside {
        /// Which end: start or goal.
        end: &'static str,
        /// The cell.
        cell: Cell,
        /// The map's width.
        width: u32,
        /// The map's height.
        height: u32,
    },
    /// An end is in a wall.
    #[error("the {end} {cell} is blocked")]
    Blocked {
        /// Which end: start or goal.
        end: &'static str,
        /// The cell.
        cell: Cell,
    },
    /// The algorithm is not defined in this world.
    #[error(transparent)]
    Undefined(#[from] Undefined),
    /// The agent refused the task.
    #[error(transparent)]
    Agent(#[from] AgentError),
}

/// A problem that cannot be run.
#[derive(Clone, PartialEq, Debug, Error)]
#[error("problem {}: {reason}", index + 1)]
pub struct FailedProblem {
    /// Which of the problems, from zero.
    pub index: usize,
    /// Why.
    pub reason: ProblemError,
}

/// An algorithm with its settings in a world, to be run on problems.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The map's name, for records.
    pub map: &'a str,
    /// The map as the world sees it.
    pub arena: &'a Arena,
    /// The algorithm and its parameters.
    pub config: &'a Config,
    /// The budget of each interval; none: no limit.
    pub budget: Option<u64>,
    /// The most intervals of a run; none: until it ends.
    pub max_intervals: Option<u64>,
    /// The clock by which frames are counted where that is defined (see [`Clock::admit`]), if any.
    pub clock: Option<Clock>,
    /// Ends runs early once it is set, if any. What they leave are no results.
    pub stop: Option<&'a Arc<AtomicBool>>,
}

/// The most runs of one problem, if none of them is the last.
const MAX_RUNS: u64 = 10_000;
/// The default limit of intervals, per column and row of the map, where the map changes.
const INTERVALS_PER_SIDE: u64 = 20;

/// The same for an algorithm that is slow to give up: more than it needs to arrive on all but the worst
/// mazes, and often less than it needs to find out that there is no path. With a small budget it needs more
/// intervals, and less time for each.
fn intervals_per_side_if_slow(budget: Option<u64>) -> u64 {
    budget.map_or(2000, |budget| (50_000 / budget.max(1)).max(200))
}

impl<'a> Job<'a> {
    /// A job with the default limit of intervals: none, except where the map changes, as an agent may then
    /// never arrive, and for an algorithm that is slow to give up.
    pub fn new(map: &'a str, arena: &'a Arena, config: &'a Config, budget: Option<u64>) -> Job<'a> {
        let grid = arena.map();
        let sides = u64::from(grid.width()) + u64::from(grid.height());
        // Learning may take long; that there is no path, some algorithms detect at once.
        let facts = &config.entry().facts;
        let slow = facts.slow_to_give_up() || arena.changes() && facts.no_openings.is_some();
        let max_intervals = match (slow, arena.changes()) {
            (true, _) => Some(intervals_per_side_if_slow(budget) * sides),
            (false, true) => Some(INTERVALS_PER_SIDE * sides),
            (false, false) => None,
        };
        Job { map, arena, config, budget, max_intervals, clock: None, stop: None }
    }

    /// The map.
    pub fn grid(&self) -> &'a Grid {
        self.arena.map()
    }

    /// An agent at the start of a problem.
    ///
    /// # Errors
    /// When the problem cannot be run.
    pub fn sim(&self, problem: &Problem) -> Result<Sim, ProblemError> {
        let budget = self.budget.unwrap_or(u64::MAX);
        self.arena.admit(self.config.entry())?;
        let sim = Sim::new(self.arena, self.config, budget, self.arena.ends(problem)?)?;
        let timed = self.clock.is_some() && Clock::admit(self.arena, self.config.entry()).is_ok();
        let sim = if timed { sim.with_segments() } else { sim };
        Ok(match self.stop {
            Some(stop) => sim.with_stop(stop.clone()),
            None => sim,
        })
    }

    /// The cost of a shortest path of a problem on the true map as it is at first, if there is one: all
    /// that [`judge_length`](Job::judge_length) needs.
    ///
    /// # Errors
    /// When the problem cannot be run.
    pub fn optimal(&self, problem: &Problem) -> Result<Option<Cost>, ProblemError> {
        let (start, goal) = self.arena.ends(problem)?;
        let world = self.arena.world(start, goal);
        let path = find_path(world.truth().grid(), start, goal, SearchConfig::default());
        Ok(path.map_err(AgentError::from)?.map(|path| path.cost))
    }

    /// The true distances to the goal of a problem, as they are at first.
    ///
    /// # Errors
    /// When the problem cannot be run.
    pub fn reference(&self, problem: &Problem) -> Result<Reference, ProblemError> {
        let (start, goal) = self.arena.ends(problem)?;
        Ok(Reference::new(self.arena.world(start, goal).truth(), goal))
    }

    /// Runs one problem and evaluates the walk.
    ///
    /// # Errors
    /// When the problem cannot be run.
    pub fn record(&self, problem: &Problem) -> Result<Record, ProblemError> {
        let journey = self.sim(problem)?.run(self.max_intervals, None);
        Ok(self.judge(problem, &journey, &mut self.reference(problem)?))
    }

    /// Whether it is to end early.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Runs problems in parallel. `solve` runs one of them and may return several records; `progress` is
    /// called after each, from any thread. Returns the records of each problem, in order; none of those
    /// that were not done when it was stopped.
    ///
    /// # Errors
    /// When a problem cannot be run.
    pub fn run_all(
        &self,
        problems: &[Problem],
        solve: impl Fn(&Job<'a>, &Problem) -> Result<Vec<Record>, ProblemError> + Sync,
        progress: impl Fn() + Sync,
    ) -> Result<Vec<Vec<Record>>, FailedProblem> {
        let solve = |(index, problem)| {
            if self.is_stopped() {
                return Ok(Vec::new());
            }
            let records = solve(self, problem).map_err(|reason| FailedProblem { index, reason })?;
            progress();
            Ok(if self.is_stopped() { Vec::new() } else { records })
        };
        problems.par_iter().enumerate().map(solve).collect()
    }

    /// Runs one problem repeatedly, the agent put back to the start with all it knows and has learned,
    /// until a run needs no new search: algorithm 4 of the 2012 paper. The last record has the path of that
    /// run's search; with RTBA* and TBAA* with their defaults it is a shortest one. With shortcuts or
    /// reopening the agent may skip a part of the path; if that has a wall it has never seen, the record
    /// has no path.
    ///
    /// # Errors
    /// When the problem cannot be run.
    ///
    /// # Panics
    /// When the agent cannot be put back to its start, which would be a bug.
    pub fn repeat(
        &self,
        problem: &Problem,
        mut observe: Observer<'_>,
    ) -> Result<Vec<(Record, Journey)>, ProblemError> {
        let mut sim = self.sim(problem)?;
        let mut reference = self.reference(problem)?;
        let mut runs = Vec::new();
        for run in 1..=MAX_RUNS {
            // A mutable reference in an option cannot be reborrowed implicitly.
            let journey = match &mut observe {
                Some(observe) => sim.run(self.max_intervals, Some(&mut **observe)),
                None => sim.run(self.max_intervals, None),
            };
            let mut record =
                Record { run: Some(run), ..self.judge(problem, &journey, &mut reference) };
            let settled = journey.tally.restarts == 0 && journey.tally.raising_intervals == 0;
            let done = settled || journey.outcome != Outcome::Reached;
            if done && journey.outcome == Outcome::Reached {
                // Not the remainder of a path that began on the way.
                let whole = sim.plan().filter(|plan| plan.first() == journey.path.first());
                record.plan = whole.and_then(|plan| self.planned(&plan, sim.world().truth()));
            }
            runs.push((record, journey));
            if done || self.is_stopped() {
                break;
            }
            sim.put_back().expect("bug: the start is not free any more");
        }
        Ok(runs)
    }

    /// A planned path, if it can truly be walked.
    fn planned(&self, nodes: &[NodeId], truth: &Truth) -> Option<PlannedPath> {
        Some(PlannedPath { cost: truth.cost(nodes)?.in_cells(), path: self.cells(nodes) })
    }

    /// Columns and rows of nodes.
    pub fn cells(&self, nodes: &[NodeId]) -> Vec<[u32; 2]> {
        let cells = nodes.iter().map(|&node| self.grid().cell(node));
        cells.map(|cell| [cell.x, cell.y]).collect()
    }

    /// The record of a journey on this problem, judged by the true distances to its goal.
    pub fn judge(&self, problem: &Problem, journey: &Journey, reference: &mut Reference) -> Record {
        let optimal = reference.distance(journey.path[0]);
        let mut record = self.judge_length(problem, journey, optimal);
        let count = || reference.non_optimal_moves(&journey.path);
        record.tally.non_optimal_moves.get_or_insert_with(count);
        record
    }

    /// The same by the cost of a shortest path alone, which is found much faster than the distances from
    /// all cells: moves on no shortest path are not counted, unless the journey has them.
    pub fn judge_length(
        &self,
        problem: &Problem,
        journey: &Journey,
        optimal: Option<Cost>,
    ) -> Record {
        let optimal = optimal.map(Cost::in_cells);
        Record {
            map: self.map.to_string(),
            start: [problem.start.x, problem.start.y],
            goal: [problem.goal.x, problem.goal.y],
            algorithm: self.config.entry().name,
            budget: self.budget,
            params: params(self.config),
            world: self.arena.kind().to_string(),
            seed: self.arena.seed(),
            run: None,
            outcome: journey.outcome,
            optimal,
            tally: journey.tally,
            clock: self.clock.and_then(|clock| clock.time(journey, optimal)),
            path: None,
            plan: None,
        }
    }
}

/// The parameters as JSON, with numbers and booleans as such.
fn params(config: &Config) -> serde_json::Map<String, serde_json::Value> {
    let value = |text: &str| match text.parse::<tickstar::search::Ratio>() {
        Ok(ratio) => serde_json::json!(ratio.as_f64()),
        Err(_) => match text {
            "true" | "false" => serde_json::json!(text == "true"),
            text => serde_json::json!(text),
        },
    };
    config.parameters().iter().map(|(name, text)| ((*name).to_string(), value(text))).collect()
}
