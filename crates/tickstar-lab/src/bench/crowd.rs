//! Crowds: how soon all arrive, on what paths, and what a frame takes.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use serde::Serialize;
use thiserror::Error;
use tickstar::crowd::{Crowd, CrowdConfig, CrowdError};
use tickstar::{Grid, Layered, Slice};

use super::{Control, files_of};
use crate::crowd::{
    self, Budget, Figures, Optimum, PlacesError, Planner, Run, RunError, Setup, median,
};
use crate::files::{self, FileError, Problem};
use crate::generate::{self, Kind};
use crate::{PrepareError, text};

/// The maps of the public benchmark that are used, by their set and name, each with numbers of agents.
const MAPS: [(&str, &str, &[usize]); 9] = [
    ("starcraft", "Expedition", &[10_000, 1_000]),
    ("starcraft", "Octopus", &[5_000]),
    ("starcraft", "Cauldron", &[5_000]),
    ("wc3-512", "duskwood", &[5_000]),
    ("bg-512", "AR0300SR", &[5_000]),
    ("dao", "orz103d", &[5_000]),
    ("rooms", "16room_000", &[5_000]),
    ("maze", "maze512-8-0", &[5_000]),
    ("random", "random512-25-1", &[5_000]),
];

/// The generated maps in their place: kind, side and numbers of agents.
const GENERATED: [(Kind, u32, &[usize]); 5] = [
    (Kind::Islands, 1024, &[10_000, 1_000]),
    (Kind::Caves, 512, &[5_000]),
    (Kind::Rooms, 512, &[5_000]),
    (Kind::Maze, 512, &[5_000]),
    (Kind::Random, 512, &[5_000]),
];

/// How much less is done for a first impression: the sides of generated maps, and the numbers of agents, are divided by
/// this.
const QUICK_SIDE: u32 = 4;
const QUICK_AGENTS: usize = 10;

/// The map files that are read from a folder.
pub fn files(maps: &Path) -> impl Iterator<Item = PathBuf> {
    MAPS.iter().map(move |&(set, name, _)| {
        let [map, _] = files_of(maps, (set, name));
        map
    })
}

/// A map, with numbers of agents.
#[derive(Clone, Debug)]
pub struct Site {
    /// The map's name.
    pub name: String,
    /// The map.
    pub grid: Grid,
    /// How many agents there are, in each run.
    pub agents: Vec<usize>,
}

/// The usual maps: those of the benchmark in this folder, or generated ones.
///
/// # Errors
/// When a map cannot be read.
///
/// # Panics
/// Never: the sides are within the limits.
pub fn sites(maps: Option<&Path>, quick: bool) -> Result<Vec<Site>, FileError> {
    let fewer = |agents: &[usize]| {
        let divisor = if quick { QUICK_AGENTS } else { 1 };
        agents.iter().map(|agents| agents / divisor).collect()
    };
    if let Some(folder) = maps {
        let site = |(&(_, name, agents), file): (&(&str, &str, &[usize]), PathBuf)| {
            let grid = files::read_map(&file)?;
            Ok(Site { name: name.into(), grid, agents: fewer(agents) })
        };
        return MAPS.iter().zip(files(folder)).map(site).collect();
    }
    let site = |&(kind, side, agents): &(Kind, u32, &[usize])| {
        let side = if quick { side / QUICK_SIDE } else { side };
        let grid = generate::generate(kind, side, side, 1).expect("a side within the limits");
        Site { name: format!("{kind}-{side}"), grid, agents: fewer(agents) }
    };
    Ok(GENERATED.iter().map(site).collect())
}

/// What is run on each map.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Who plans.
    pub planners: Vec<Planner>,
    /// The budgets of a frame.
    pub budgets: Vec<Budget>,
    /// The settings of the crowd.
    pub config: CrowdConfig,
    /// The seed of the agents' starts and goals.
    pub seed: u64,
    /// How many agents are spawned per frame; all in the first one, if there is no limit.
    pub stream: Option<usize>,
    /// How many different goals there are; one per agent, if there is no limit.
    pub goals: Option<usize>,
    /// The most frames of the crowd, and of agents of the catalog.
    pub most_frames: [u64; 2],
    /// The number of threads that plan.
    pub threads: usize,
}

/// A run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Row {
    /// The map.
    pub map: String,
    /// Who plans.
    pub planner: String,
    /// The budget of a frame: milliseconds or units.
    pub budget: String,
    /// What was measured.
    #[serde(flatten)]
    pub figures: Figures,
}

/// What walking alone takes: every agent has its whole path.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WalkingRow {
    /// The map.
    pub map: String,
    /// Agents.
    pub agents: usize,
    /// Frames that were measured, half of them cold.
    pub frames: usize,
    /// The median time of a frame, in milliseconds per 10,000 agents that take a step.
    pub warm_ms_per_10000: Option<f64>,
    /// The same where 64 MiB of other memory were written before each frame.
    pub cold_ms_per_10000: Option<f64>,
}

/// What was measured, as far as it is complete.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Report {
    /// A row per map, number of agents, planner and budget.
    pub rows: Vec<Row>,
    /// A row per map and number of agents.
    pub walking: Vec<WalkingRow>,
}

impl Report {
    /// The number of rows of both kinds.
    pub fn len(&self) -> usize {
        self.rows.len() + self.walking.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Why a crowd cannot be run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CrowdBenchError {
    /// There are no problems.
    #[error("{map}: {reason}")]
    Places {
        /// The map.
        map: String,
        /// Why.
        reason: PlacesError,
    },
    /// What a planner needs cannot be built.
    #[error("{map}: {reason}")]
    Prepare {
        /// The map.
        map: String,
        /// Why.
        reason: PrepareError,
    },
    /// A run failed.
    #[error("{planner} on {map}, {}: {reason}", text::counted(*.agents, "agent"))]
    Run {
        /// The planner.
        planner: String,
        /// The map.
        map: String,
        /// The number of agents.
        agents: usize,
        /// Why.
        reason: RunError,
    },
}

/// The number of steps that [`measure`] reports: one for each row.
pub fn steps(sites: &[Site], plan: &Plan) -> usize {
    let counts: usize = sites.iter().map(|site| site.agents.len()).sum();
    counts * (plan.planners.len() * plan.budgets.len() + 1)
}

/// Runs every planner with every budget on every map, one after the other, and measures what walking alone takes.
///
/// # Errors
/// When a planner cannot be run on a map, or takes a step that is illegal.
pub fn measure(
    sites: &[Site],
    plan: &Plan,
    control: Control<'_>,
) -> Result<Report, CrowdBenchError> {
    let mut report = Report::default();
    for site in sites {
        for &agents in &site.agents {
            let apart = plan.config.avoid_collisions;
            let problems = crowd::problems(&site.grid, agents, plan.seed, plan.goals, apart);
            let problems = problems
                .map_err(|reason| CrowdBenchError::Places { map: site.name.clone(), reason })?;
            let flat = prepared(site, &Planner::Crowd)?;
            let stop = control.stop;
            let go_on = || !stop.load(Ordering::Relaxed);
            let optima = crowd::optima(&flat, &problems, go_on);
            let case = Case { site, plan, problems: &problems, optima: &optima, control };
            for planner in &plan.planners {
                for &budget in &plan.budgets {
                    match case.run(planner, budget)? {
                        Some(row) => report.rows.push(row),
                        None => return Ok(report),
                    }
                    (control.step)();
                }
            }
            match case.walking()? {
                Some(row) => report.walking.push(row),
                None => return Ok(report),
            }
            (control.step)();
        }
    }
    Ok(report)
}

fn prepared(site: &Site, planner: &Planner) -> Result<Layered<Grid>, CrowdBenchError> {
    crowd::prepare(site.grid.clone(), [planner])
        .map_err(|reason| CrowdBenchError::Prepare { map: site.name.clone(), reason })
}

/// A crowd to be run.
struct Case<'c> {
    site: &'c Site,
    plan: &'c Plan,
    problems: &'c [Problem],
    optima: &'c [Optimum],
    control: Control<'c>,
}

/// The memory that is written to empty the caches.
const OTHER_BYTES: usize = 64 << 20;
/// The frames that are measured, of walking alone.
const WALKING_FRAMES: usize = 200;

impl Case<'_> {
    /// The row of a planner; none if it was stopped.
    fn run(&self, planner: &Planner, budget: Budget) -> Result<Option<Row>, CrowdBenchError> {
        let map = prepared(self.site, planner)?;
        let [crowd, others] = self.plan.most_frames;
        let setup = Setup {
            planner: planner.clone(),
            config: self.plan.config,
            stream: self.plan.stream,
            threads: self.plan.threads,
            most_frames: if matches!(planner, Planner::Crowd) { crowd } else { others },
            ..Setup::new(budget)
        };
        let mut run = Run::new(map, self.problems, setup);
        while !run.is_over() {
            if self.control.stopped() {
                return Ok(None);
            }
            run.frame().map_err(|reason| self.failed(planner, reason))?;
        }
        Ok(Some(Row {
            map: self.site.name.clone(),
            planner: planner.name().to_string(),
            budget: budget.to_string(),
            figures: run.figures(self.optima),
        }))
    }

    /// What walking alone takes; none if it was stopped.
    fn walking(&self) -> Result<Option<WalkingRow>, CrowdBenchError> {
        let map = prepared(self.site, &Planner::Crowd)?;
        let failed = |error: CrowdError| self.failed(&Planner::Crowd, error.into());
        let config = CrowdConfig { max_bytes: None, ..self.plan.config };
        let mut crowd = Crowd::new(&map, config).map_err(failed)?;
        for problem in self.problems {
            crowd.spawn(&map, problem.start, problem.goal).map_err(failed)?;
        }
        crowd.frame(&map, &mut Slice::unlimited());
        let mut other = vec![0_u8; OTHER_BYTES];
        let (mut warm, mut cold) = (Vec::new(), Vec::new());
        for nth in 0..WALKING_FRAMES {
            if self.control.stopped() {
                return Ok(None);
            }
            let is_cold = nth % 2 == 1;
            if is_cold {
                for byte in other.iter_mut().step_by(64) {
                    *byte = byte.wrapping_add(1);
                }
                std::hint::black_box(&mut other);
            }
            let begin = Instant::now();
            let steps = crowd.frame(&map, &mut Slice::unlimited()).steps.len();
            let time = begin.elapsed();
            // A few stragglers say little about thousands.
            if steps * 4 < self.problems.len() {
                break;
            }
            let times = if is_cold { &mut cold } else { &mut warm };
            times.push(time.as_secs_f64() * 1e3 * 1e4 / steps as f64);
        }
        Ok(Some(WalkingRow {
            map: self.site.name.clone(),
            agents: self.problems.len(),
            frames: warm.len() + cold.len(),
            warm_ms_per_10000: median(warm),
            cold_ms_per_10000: median(cold),
        }))
    }

    fn failed(&self, planner: &Planner, reason: RunError) -> CrowdBenchError {
        CrowdBenchError::Run {
            planner: planner.name().to_string(),
            map: self.site.name.clone(),
            agents: self.problems.len(),
            reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_map_planner_and_budget_has_a_row() {
        let sites: Vec<Site> = sites(None, true).unwrap().into_iter().skip(2).take(2).collect();
        let plan = Plan {
            threads: 1,
            planners: vec![Planner::Crowd],
            budgets: vec![Budget::Units(3000), Budget::Units(9000)],
            config: CrowdConfig::default(),
            seed: 1,
            stream: None,
            goals: Some(4),
            most_frames: [10_000, 100],
        };
        let report = measure(&sites, &plan, Control::none()).unwrap();
        assert_eq!((report.rows.len(), report.walking.len()), (4, 2));
        assert_eq!(report.len(), steps(&sites, &plan));
        assert!(report.rows.iter().all(|row| row.figures.complete), "{report:?}");
        assert!(report.walking.iter().all(|row| row.warm_ms_per_10000 > Some(0.0)), "{report:?}");
    }
}
