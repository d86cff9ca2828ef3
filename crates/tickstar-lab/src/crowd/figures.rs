//! What is measured of a crowd.

use serde::Serialize;

use super::{Budget, Optimum, Run, State};

/// Figures of a run. With a budget in units, all but the times are the same in every run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Figures {
    /// Agents.
    pub agents: usize,
    /// Those that have arrived.
    pub arrived: usize,
    /// Those that have last been told that their goal cannot be reached.
    pub unreachable: usize,
    /// Those that have never moved, and have not arrived.
    pub never_moved: usize,
    /// Frames.
    pub frames: u64,
    /// Whether nobody was on their way at the end.
    pub complete: bool,
    /// The mean number of moves of a shortest path.
    pub optimal_moves: f64,
    /// Frames from being spawned to arriving over the moves of shortest paths, sums over all agents. For agents that have
    /// not arrived, the frames until the end count, so that it is a lower bound if there are any.
    pub arrival_over_moves: f64,
    /// The mean of walked length over shortest length, of those that have arrived.
    pub suboptimality: Option<f64>,
    /// The share of time that agents on their way spent standing.
    pub standing: f64,
    /// The frame, from being spawned, in which the last agent moved for the first time.
    pub last_first_move: u64,
    /// The longest time, in frames, for which an agent stood.
    pub longest_wait: u64,
    /// Units per agent.
    pub units_per_agent: f64,
    /// Units for planning, per agent; agents of the catalog not included.
    pub planning_units_per_agent: f64,
    /// The most memory of the crowd in bytes, excluding the map.
    pub crowd_bytes: usize,
    /// What differs from run to run.
    pub times: Times,
}

/// Times, and the memory of the process.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Times {
    /// The median time of a frame, in milliseconds.
    pub frame_p50_ms: f64,
    /// The 99th percentile.
    pub frame_p99_ms: f64,
    /// The maximum.
    pub frame_max_ms: f64,
    /// All frames.
    pub total_ms: f64,
    /// The share of frames that took over five percent longer than a budget in milliseconds.
    pub over_budget: Option<f64>,
    /// The same of the frames in which the system gave the processor to nobody else, where it tells.
    pub undisturbed: Option<Undisturbed>,
    /// The time per 10,000 steps in frames in which nothing was planned, if there were any.
    pub walking_ms_per_10000: Option<f64>,
    /// The memory of the whole process now, if the system tells.
    pub resident_bytes: Option<u64>,
    /// The most it has been.
    pub peak_resident_bytes: Option<u64>,
}

/// Frames in which the system gave the processor to nobody else.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Undisturbed {
    /// Their number.
    pub frames: usize,
    /// The 99th percentile of their times, in milliseconds.
    pub frame_p99_ms: f64,
    /// The maximum.
    pub frame_max_ms: f64,
    /// The share that took over five percent longer than a budget in milliseconds.
    pub over_budget: Option<f64>,
}

/// How much longer than its budget a frame may take without being counted.
const TOLERANCE: f64 = 1.05;

impl Run<'_> {
    /// The figures so far. The optima are those of the problems.
    pub fn figures(&self, optima: &[Optimum]) -> Figures {
        let agents = self.walkers.len();
        let each = |sum: f64| sum / agents.max(1) as f64;
        let moves: u64 = optima.iter().map(|optimum| optimum.moves).sum();
        let (mut frames, mut ratios, mut unreachable, mut never) = (0, Vec::new(), 0, 0);
        let mut last_first_move = 0;
        for (walker, optimum) in self.walkers.iter().zip(optima) {
            frames += match walker.state {
                State::Arrived => walker.arrived,
                State::Underway | State::Unreachable => self.frames - walker.spawned,
                State::Absent => 0,
            };
            if walker.state == State::Arrived && optimum.moves > 0 {
                ratios.push(walker.cost.in_cells() / optimum.cost.in_cells());
            }
            unreachable += usize::from(walker.state == State::Unreachable);
            never += usize::from(walker.state != State::Arrived && walker.first == 0);
            last_first_move = last_first_move.max(walker.first);
        }
        let tally = &self.tally;
        let standing = tally.underway.saturating_sub(tally.moved) as f64;
        Figures {
            agents,
            arrived: self.arrived,
            unreachable,
            never_moved: never,
            frames: self.frames,
            complete: self.spawned == agents && self.underway == 0,
            optimal_moves: each(moves as f64),
            arrival_over_moves: frames as f64 / moves.max(1) as f64,
            suboptimality: mean(&ratios),
            standing: standing / tally.underway.max(1) as f64,
            last_first_move,
            longest_wait: tally.longest_wait,
            units_per_agent: each(tally.units as f64),
            planning_units_per_agent: each(tally.planning_units as f64),
            crowd_bytes: tally.bytes,
            times: self.times(),
        }
    }

    fn times(&self) -> Times {
        let mut times = self.tally.times.clone();
        times.sort_unstable();
        let ms = |ns: u64| ns as f64 / 1e6;
        let over_budget = |times: &[u64]| match self.setup.budget {
            Budget::Time(budget) if !times.is_empty() => {
                let limit = budget.as_nanos() as f64 * TOLERANCE;
                let over = times.iter().filter(|&&ns| ns as f64 > limit).count();
                Some(over as f64 / times.len() as f64)
            }
            _ => None,
        };
        let undisturbed = |mut times: Vec<u64>| {
            times.sort_unstable();
            Undisturbed {
                frames: times.len(),
                frame_p99_ms: ms(percentile(&times, 99)),
                frame_max_ms: ms(percentile(&times, 100)),
                over_budget: over_budget(&times),
            }
        };
        let walking = self.tally.walking;
        let [resident_bytes, peak_resident_bytes] = resident_bytes();
        Times {
            frame_p50_ms: ms(percentile(&times, 50)),
            frame_p99_ms: ms(percentile(&times, 99)),
            frame_max_ms: ms(percentile(&times, 100)),
            total_ms: ms(times.iter().sum()),
            over_budget: over_budget(&times),
            undisturbed: self.tally.undisturbed.clone().map(undisturbed),
            walking_ms_per_10000: (walking.1 > 0).then(|| ms(walking.0) * 1e4 / walking.1 as f64),
            resident_bytes,
            peak_resident_bytes,
        }
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The nearest rank of a sorted list; zero if it is empty.
fn percentile(sorted: &[u64], percent: usize) -> u64 {
    let rank = (percent * sorted.len()).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(0)
}

/// The median of some values, if there are any.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied()
}

/// The memory of this process, and the most it has been, if the system tells.
pub fn resident_bytes() -> [Option<u64>; 2] {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    ["VmRSS:", "VmHWM:"].map(|name| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kilobytes * 1024)
    })
}

/// How often the system has taken the processor from this thread, if it tells.
pub(super) fn disturbances() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/thread-self/status").ok()?;
    let count = status.lines().find_map(|line| line.strip_prefix("nonvoluntary_ctxt_switches:"));
    count?.trim().parse().ok()
}
