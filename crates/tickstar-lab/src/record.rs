//! One line of data for each problem solved, and what many of them say together.

use serde::Serialize;
use thiserror::Error;
use tickstar::catalog::Config;
use tickstar::{AgentError, Cell, Grid, NodeId};

use crate::{Interval, Journey, Problem, Reference, simulate};

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The agent is at its goal.
    Reached,
    /// There is no way, and the agent found out.
    Unreachable,
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
    /// What the agent knows of the map.
    pub world: &'static str,
    /// The seed of whatever is random.
    pub seed: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// The length walked.
    pub cost: f64,
    /// The length of a shortest path, if there is one.
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
    /// Moves back along the branch the agent came by.
    pub back_moves: u64,
    /// Moves that lie on no shortest path from where they begin.
    pub non_optimal_moves: u64,
    /// Searches begun anew.
    pub restarts: u64,
    /// The most heap memory the agent had, in bytes, the map not counted.
    pub peak_bytes: usize,
    /// Every position in order, start first, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Vec<[u32; 2]>>,
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
    /// The agent refused the task.
    #[error(transparent)]
    Agent(#[from] AgentError),
}

/// An algorithm with its settings on a map, to be run on problems.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The map's name, for records.
    pub map: &'a str,
    /// The map.
    pub grid: &'a Grid,
    /// The algorithm and its parameters.
    pub config: &'a Config,
    /// The budget of each interval; none: no limit.
    pub budget: Option<u64>,
    /// The seed, for records.
    pub seed: u64,
}

impl Job<'_> {
    /// Both ends of a problem as nodes.
    ///
    /// # Errors
    /// When one is blocked or outside the map.
    pub fn ends(&self, problem: &Problem) -> Result<(NodeId, NodeId), ProblemError> {
        let node = |end, cell| {
            let (width, height) = (self.grid.width(), self.grid.height());
            let outside = ProblemError::Outside { end, cell, width, height };
            let node = self.grid.node(cell).ok_or(outside)?;
            if !self.grid.is_free(cell) {
                return Err(ProblemError::Blocked { end, cell });
            }
            Ok(node)
        };
        Ok((node("start", problem.start)?, node("goal", problem.goal)?))
    }

    /// Runs one problem and keeps the whole journey.
    ///
    /// # Errors
    /// When the problem cannot be run.
    pub fn journey(
        &self,
        problem: &Problem,
        observe: Option<&mut dyn FnMut(&Interval<'_>)>,
    ) -> Result<Journey, ProblemError> {
        let (start, goal) = self.ends(problem)?;
        let budget = self.budget.unwrap_or(u64::MAX);
        Ok(simulate(self.grid, self.config, budget, start, goal, observe)?)
    }

    /// Runs one problem and judges the walk.
    ///
    /// # Errors
    /// When the problem cannot be run.
    pub fn record(&self, problem: &Problem) -> Result<Record, ProblemError> {
        let (_, goal) = self.ends(problem)?;
        let mut reference = Reference::new(self.grid, goal);
        let journey = self.journey(problem, None)?;
        Ok(self.judge(problem, &journey, &mut reference))
    }

    /// The record of a journey on this problem, judged by the true distances to its goal.
    pub fn judge(&self, problem: &Problem, journey: &Journey, reference: &mut Reference) -> Record {
        let cost = journey.cost.in_cells();
        let start = journey.path[0];
        let optimal = reference.distance(self.grid, start).map(tickstar::Cost::in_cells);
        let suboptimality = match (journey.outcome, optimal) {
            (Outcome::Unreachable, _) | (_, None) => None,
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
            world: "known",
            seed: self.seed,
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
            back_moves: journey.back.iter().filter(|&&back| back).count() as u64,
            non_optimal_moves: reference.non_optimal_moves(self.grid, &journey.path),
            restarts: journey.restarts,
            peak_bytes: journey.peak_bytes,
            path: None,
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
    /// Length walked over the shortest.
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
    /// Moves back along the branch the agent came by.
    pub back_moves: f64,
    /// Moves that lie on no shortest path.
    pub non_optimal_moves: f64,
    /// The most expansions in any interval of any problem.
    pub max_expansions_per_interval: u64,
    /// The most trace steps in any interval of any problem.
    pub max_trace_steps_per_interval: u64,
    /// The most memory any agent had, in bytes.
    pub peak_bytes: usize,
}

impl Summary {
    /// What these records say together.
    pub fn of<'r>(records: impl IntoIterator<Item = &'r Record>) -> Summary {
        let records: Vec<_> = records.into_iter().collect();
        let reached: Vec<_> =
            records.iter().filter(|record| record.outcome == Outcome::Reached).collect();
        let mean = |value: &dyn Fn(&Record) -> f64| {
            let sum: f64 = reached.iter().map(|record| value(record)).sum();
            if reached.is_empty() { 0.0 } else { sum / reached.len() as f64 }
        };
        let most = |value: &dyn Fn(&Record) -> u64| {
            records.iter().map(|record| value(record)).max().unwrap_or(0)
        };
        Summary {
            problems: records.len(),
            reached: reached.len(),
            suboptimality: mean(&|r| r.suboptimality.unwrap_or(1.0)),
            cost: mean(&|r| r.cost),
            moves: mean(&|r| r.moves as f64),
            intervals: mean(&|r| r.intervals as f64),
            first_move_interval: mean(&|r| r.first_move_interval.unwrap_or(0) as f64),
            expansions: mean(&|r| r.expansions as f64),
            back_moves: mean(&|r| r.back_moves as f64),
            non_optimal_moves: mean(&|r| r.non_optimal_moves as f64),
            max_expansions_per_interval: most(&|r| r.max_expansions_per_interval),
            max_trace_steps_per_interval: most(&|r| r.max_trace_steps_per_interval),
            peak_bytes: most(&|r| r.peak_bytes as u64) as usize,
        }
    }
}
