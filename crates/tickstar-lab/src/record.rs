//! One line of data for each problem solved, and what many of them say together.

use serde::Serialize;
use thiserror::Error;
use tickstar::catalog::Config;
use tickstar::{AgentError, Cell, Cost, Grid, NodeId, SearchConfig, find_path};

use crate::{
    Clock, Clocked, Journey, Observer, Problem, Reference, Sim, Terrain, Truth, Undefined,
};

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The agent is at its goal.
    Reached,
    /// There is no way, and the agent found out.
    Unreachable,
    /// The agent was stopped after the most intervals it was given.
    GaveUp,
}

/// Everything worth knowing about one run. Lengths are in cells.
#[derive(Clone, PartialEq, Debug, Serialize)]
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
    /// The number of the run, from one, if the agent is put back to its start again and again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<u64>,
    /// How it ended.
    pub outcome: Outcome,
    /// The length walked.
    pub cost: f64,
    /// The length of a shortest path on the true map as it was at first, if there is one.
    pub optimal: Option<f64>,
    /// The length walked over the shortest.
    pub suboptimality: Option<f64>,
    /// Moves made.
    pub moves: u64,
    /// Intervals it took.
    pub intervals: u64,
    /// The first interval with a move.
    pub first_move_interval: Option<u64>,
    /// Nodes expanded in all.
    pub expansions: u64,
    /// The most in one interval.
    pub max_expansions_per_interval: u64,
    /// Parent pointers followed in all.
    pub trace_steps: u64,
    /// The most in one interval.
    pub max_trace_steps_per_interval: u64,
    /// Updates in all: nodes that were learned about, or put right, after the search.
    pub updates: u64,
    /// The most in one interval.
    pub max_updates_per_interval: u64,
    /// Moves back along the branch the agent came by.
    pub back_moves: u64,
    /// Moves that lie on no shortest path from where they begin, on the true map at that moment; none:
    /// not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub non_optimal_moves: Option<u64>,
    /// Searches begun anew.
    pub restarts: u64,
    /// Intervals in which the estimate of where the agent stood was raised.
    pub lessons: u64,
    /// The most heap memory the agent had, in bytes, the map not counted.
    pub peak_bytes: usize,
    /// The frames of a clocked game, if asked for and the goal was reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clocked>,
    /// Every position in order, start first, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Vec<[u32; 2]>>,
    /// The path planned by the last search of a run that needed no other, if runs were repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
}

/// A path that was planned.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Plan {
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

/// An algorithm with its settings in a world, to be run on problems.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The map's name, for records.
    pub map: &'a str,
    /// The map as the world sees it.
    pub terrain: &'a Terrain,
    /// The algorithm and its parameters.
    pub config: &'a Config,
    /// The budget of each interval; none: no limit.
    pub budget: Option<u64>,
    /// The most intervals of a run; none: until it ends.
    pub max_intervals: Option<u64>,
    /// The clock by which frames are counted where that is defined (see [`Clock::admit`]); none: not at
    /// all.
    pub clock: Option<Clock>,
}

/// The most runs of one problem, if none of them is the last.
const MOST_RUNS: u64 = 10_000;
/// The usual limit of intervals, times the sum of the map's sides, where the map changes.
const HASTY: u64 = 20;
/// And for an algorithm that is slow to give up: more than it needs to arrive on all but the worst of
/// mazes, and often less than it needs to find out that there is no way. Those that think little in an interval need more of them, and take less time for each.
fn patience(budget: Option<u64>) -> u64 {
    budget.map_or(2000, |budget| (50_000 / budget.max(1)).max(200))
}

impl<'a> Job<'a> {
    /// A job with the usual limit of intervals: none, but where the map changes, as an agent may then
    /// chase its goal for ever, and for an algorithm that is slow to give up.
    pub fn new(
        map: &'a str,
        terrain: &'a Terrain,
        config: &'a Config,
        budget: Option<u64>,
    ) -> Job<'a> {
        let grid = terrain.map();
        let sides = u64::from(grid.width()) + u64::from(grid.height());
        // By learning, the way may be long; that there is none, some know at once.
        let facts = &config.entry().facts;
        let patient = facts.slow_to_give_up() || terrain.changes() && facts.no_openings.is_some();
        let max_intervals = match (patient, terrain.changes()) {
            (true, _) => Some(patience(budget) * sides),
            (false, true) => Some(HASTY * sides),
            (false, false) => None,
        };
        Job { map, terrain, config, budget, max_intervals, clock: None }
    }

    /// The map.
    pub fn grid(&self) -> &'a Grid {
        self.terrain.map()
    }

    /// An agent at the start of a problem.
    ///
    /// # Errors
    /// When the problem cannot be run.
    pub fn sim(&self, problem: &Problem) -> Result<Sim, ProblemError> {
        let budget = self.budget.unwrap_or(u64::MAX);
        self.terrain.admit(self.config.entry())?;
        let sim = Sim::new(self.terrain, self.config, budget, self.terrain.ends(problem)?)?;
        let timed = self.clock.is_some() && Clock::admit(self.terrain, self.config.entry()).is_ok();
        Ok(if timed { sim.with_stages() } else { sim })
    }

    /// The cost of a shortest path of a problem on the true map as it is at first, if there is one: all
    /// that [`judge_length`](Job::judge_length) needs.
    ///
    /// # Errors
    /// When the problem cannot be run.
    pub fn optimal(&self, problem: &Problem) -> Result<Option<Cost>, ProblemError> {
        let (start, goal) = self.terrain.ends(problem)?;
        let world = self.terrain.world(start, goal);
        let path = find_path(world.truth().grid(), start, goal, SearchConfig::default());
        Ok(path.map_err(AgentError::from)?.map(|path| path.cost))
    }

    /// The true distances to the goal of a problem, as they are at first.
    ///
    /// # Errors
    /// When the problem cannot be run.
    pub fn reference(&self, problem: &Problem) -> Result<Reference, ProblemError> {
        let (start, goal) = self.terrain.ends(problem)?;
        Ok(Reference::new(self.terrain.world(start, goal).truth(), goal))
    }

    /// Runs one problem and judges the walk.
    ///
    /// # Errors
    /// When the problem cannot be run.
    pub fn record(&self, problem: &Problem) -> Result<Record, ProblemError> {
        let journey = self.sim(problem)?.run(self.max_intervals, None);
        Ok(self.judge(problem, &journey, &mut self.reference(problem)?))
    }

    /// Runs one problem again and again, the agent put back to the start with all it knows and has
    /// learned, until a run needs no new search: algorithm 4 of the 2012 paper. The last record has the
    /// path of that run's search; with RTBA* and TBAA* as they are it is a shortest one. With shortcuts or
    /// reopening the agent may leave out a part of the path; if there is a wall that it has never
    /// seen, the record has no path.
    ///
    /// # Errors
    /// When the problem cannot be run.
    ///
    /// # Panics
    /// When the agent cannot be put back to a start it has stood on, which would be a bug.
    pub fn repeat(
        &self,
        problem: &Problem,
        mut observe: Observer<'_>,
    ) -> Result<Vec<(Record, Journey)>, ProblemError> {
        let mut sim = self.sim(problem)?;
        let mut reference = self.reference(problem)?;
        let mut runs = Vec::new();
        for run in 1..=MOST_RUNS {
            // Written out, as a mutable reference in an option cannot simply be lent again.
            let journey = match &mut observe {
                Some(observe) => sim.run(self.max_intervals, Some(&mut **observe)),
                None => sim.run(self.max_intervals, None),
            };
            let mut record =
                Record { run: Some(run), ..self.judge(problem, &journey, &mut reference) };
            let settled = journey.restarts == 0 && journey.lessons == 0;
            let done = settled || journey.outcome != Outcome::Reached;
            if done && journey.outcome == Outcome::Reached {
                // Not what is left of one that began on the way.
                let whole = sim.plan().filter(|plan| plan.first() == journey.path.first());
                record.plan = whole.and_then(|plan| self.plan(&plan, sim.world().truth()));
            }
            runs.push((record, journey));
            if done {
                break;
            }
            sim.put_back().expect("bug: the start is not free any more");
        }
        Ok(runs)
    }

    /// A planned path, if it can truly be walked.
    fn plan(&self, nodes: &[NodeId], truth: &Truth) -> Option<Plan> {
        Some(Plan { cost: truth.cost(nodes)?.in_cells(), path: self.cells(nodes) })
    }

    /// Columns and rows of nodes.
    pub fn cells(&self, nodes: &[NodeId]) -> Vec<[u32; 2]> {
        let cells = nodes.iter().map(|&node| self.grid().cell(node));
        cells.map(|cell| [cell.x, cell.y]).collect()
    }

    /// The record of a journey on this problem, judged by the true distances to its goal.
    pub fn judge(&self, problem: &Problem, journey: &Journey, reference: &mut Reference) -> Record {
        let optimal = reference.distance(journey.path[0]);
        let detours = || reference.non_optimal_moves(&journey.path);
        let non_optimal_moves = Some(journey.non_optimal_moves.unwrap_or_else(detours));
        Record { non_optimal_moves, ..self.judge_length(problem, journey, optimal) }
    }

    /// The same by the cost of a shortest path alone, which is found much sooner than the distances from
    /// all cells: moves on no shortest path are not counted, unless the map changed on the way.
    pub fn judge_length(
        &self,
        problem: &Problem,
        journey: &Journey,
        optimal: Option<Cost>,
    ) -> Record {
        let cost = journey.cost.in_cells();
        let optimal = optimal.map(Cost::in_cells);
        let suboptimality = match (journey.outcome, optimal) {
            (Outcome::Unreachable | Outcome::GaveUp, _) | (_, None) => None,
            // Start and goal are the same, and nothing was walked.
            (Outcome::Reached, Some(0.0)) => Some(1.0),
            (Outcome::Reached, Some(optimal)) => Some(cost / optimal),
        };
        Record {
            map: self.map.to_string(),
            start: [problem.start.x, problem.start.y],
            goal: [problem.goal.x, problem.goal.y],
            algorithm: self.config.entry().name,
            budget: self.budget,
            params: params(self.config),
            world: self.terrain.kind().to_string(),
            seed: self.terrain.seed(),
            run: None,
            outcome: journey.outcome,
            cost,
            optimal,
            suboptimality,
            moves: journey.back.len() as u64,
            intervals: journey.intervals,
            first_move_interval: journey.first_move_interval,
            expansions: journey.expansions,
            max_expansions_per_interval: journey.max_expansions_per_interval,
            trace_steps: journey.trace_steps,
            max_trace_steps_per_interval: journey.max_trace_steps_per_interval,
            updates: journey.updates,
            max_updates_per_interval: journey.max_updates_per_interval,
            back_moves: journey.back.iter().filter(|&&back| back).count() as u64,
            non_optimal_moves: journey.non_optimal_moves,
            restarts: journey.restarts,
            lessons: journey.lessons,
            peak_bytes: journey.peak_bytes,
            clock: self.clock.and_then(|clock| clock.time(journey, optimal)),
            path: None,
            plan: None,
        }
    }
}

/// The parameters as JSON: numbers and truth values as such.
fn params(config: &Config) -> serde_json::Map<String, serde_json::Value> {
    let value = |text: &str| match text.parse::<tickstar::Ratio>() {
        Ok(ratio) => serde_json::json!(ratio.as_f64()),
        Err(_) => match text {
            "true" | "false" => serde_json::json!(text == "true"),
            text => serde_json::json!(text),
        },
    };
    config.parameters().iter().map(|(name, text)| ((*name).to_string(), value(text))).collect()
}

/// Means over many records of one algorithm with one budget.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Summary {
    /// Problems in all.
    pub problems: usize,
    /// Those whose goal was reached; the means below are over these.
    pub reached: usize,
    /// Length walked over the shortest, of those that had a way at first.
    pub suboptimality: f64,
    /// Length walked, in cells.
    pub cost: f64,
    /// Moves made.
    pub moves: f64,
    /// Intervals taken.
    pub intervals: f64,
    /// The first interval with a move.
    pub first_move_interval: f64,
    /// Nodes expanded.
    pub expansions: f64,
    /// Nodes expanded for each move, over all moves of all problems.
    pub expansions_per_move: f64,
    /// Updates.
    pub updates: f64,
    /// Moves back along the branch the agent came by.
    pub back_moves: f64,
    /// Moves that lie on no shortest path.
    pub non_optimal_moves: f64,
    /// Searches begun anew.
    pub restarts: f64,
    /// The most expansions in any interval of any problem.
    pub max_expansions_per_interval: u64,
    /// The most trace steps in any interval of any problem.
    pub max_trace_steps_per_interval: u64,
    /// The most updates in any interval of any problem.
    pub max_updates_per_interval: u64,
    /// The most memory any agent had, in bytes.
    pub peak_bytes: usize,
    /// The frames of a clocked game over the least, if they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slowdown: Option<f64>,
}

impl Summary {
    /// What these records say together.
    pub fn of<'r>(records: impl IntoIterator<Item = &'r Record>) -> Summary {
        let records: Vec<_> = records.into_iter().collect();
        let reached: Vec<_> =
            records.iter().filter(|record| record.outcome == Outcome::Reached).collect();
        let mean_of_some = |value: &dyn Fn(&Record) -> Option<f64>| {
            let values: Vec<f64> = reached.iter().filter_map(|record| value(record)).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let mean = |value: &dyn Fn(&Record) -> f64| {
            mean_of_some(&|record| Some(value(record))).unwrap_or(0.0)
        };
        let most = |value: &dyn Fn(&Record) -> u64| {
            records.iter().map(|record| value(record)).max().unwrap_or(0)
        };
        Summary {
            problems: records.len(),
            reached: reached.len(),
            suboptimality: mean_of_some(&|r| r.suboptimality).unwrap_or(0.0),
            cost: mean(&|r| r.cost),
            moves: mean(&|r| r.moves as f64),
            intervals: mean(&|r| r.intervals as f64),
            first_move_interval: mean(&|r| r.first_move_interval.unwrap_or(0) as f64),
            expansions: mean(&|r| r.expansions as f64),
            expansions_per_move: {
                let moves = mean(&|r| r.moves as f64);
                if moves > 0.0 { mean(&|r| r.expansions as f64) / moves } else { 0.0 }
            },
            updates: mean(&|r| r.updates as f64),
            back_moves: mean(&|r| r.back_moves as f64),
            non_optimal_moves: mean(&|r| r.non_optimal_moves.unwrap_or(0) as f64),
            restarts: mean(&|r| r.restarts as f64),
            max_expansions_per_interval: most(&|r| r.max_expansions_per_interval),
            max_trace_steps_per_interval: most(&|r| r.max_trace_steps_per_interval),
            max_updates_per_interval: most(&|r| r.max_updates_per_interval),
            peak_bytes: most(&|r| r.peak_bytes as u64) as usize,
            slowdown: mean_of_some(&|r| r.clock.map(|clock| clock.slowdown)),
        }
    }
}
