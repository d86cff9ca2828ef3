//! Crowds: many agents on one map with one budget per frame, every step of which is checked.
//!
//! ```
//! use tickstar_lab::builtin;
//! use tickstar_lab::crowd::{self, Planner, Run, Setup};
//! let map = crowd::prepare(builtin::find("rooms-64").unwrap().grid(), [&Planner::Crowd])?;
//! let problems = crowd::problems(&map, 100, 1, None, false)?;
//! let optima = crowd::optima(&map, &problems, || true);
//! let mut run = Run::new(map, &problems, Setup::new("5000".parse()?));
//! while !run.is_over() {
//!     run.frame()?;
//! }
//! assert_eq!(run.figures(&optima).arrived, 100);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod figures;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use thiserror::Error;
use tickstar::catalog::Config;
use tickstar::crowd::{AgentId, Crowd, CrowdConfig, CrowdError, Frame, FrameStats};
use tickstar::{AgentError, Cell, Cost, Grid, Layered, PathFinder, Pool, Slice, Space};

use crate::files::Problem;
use crate::generate::{self, Dice};
use crate::{PrepareError, levels};
use check::Places;
pub(crate) use figures::median;
pub use figures::{Figures, Times, Undisturbed, resident_bytes};

/// The budget of each frame.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Budget {
    /// By the clock.
    Time(Duration),
    /// In units, from which all work is paid.
    Units(u64),
}

/// The milliseconds that a budget may have.
const MILLISECONDS: std::ops::RangeInclusive<f64> = 0.001..=60_000.0;

/// A text is not a budget.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error(
    "expected milliseconds from 0.001 to 60000, such as 2ms, or a whole number of units from 1, such as 60000"
)]
pub struct BudgetError;

impl FromStr for Budget {
    type Err = BudgetError;

    fn from_str(text: &str) -> Result<Budget, BudgetError> {
        let budget = if let Some(ms) = text.strip_suffix("ms") {
            let ms = ms.parse().ok().filter(|ms| MILLISECONDS.contains(ms));
            ms.map(|ms: f64| Budget::Time(Duration::from_secs_f64(ms / 1e3)))
        } else {
            text.parse().ok().filter(|&units| units > 0).map(Budget::Units)
        };
        budget.ok_or(BudgetError)
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Budget::Time(time) => write!(f, "{}ms", time.as_secs_f64() * 1e3),
            Budget::Units(units) => write!(f, "{units}"),
        }
    }
}

/// Who plans for the agents.
#[derive(Clone, Debug)]
pub enum Planner {
    /// The crowd.
    Crowd,
    /// An algorithm of the catalog: each agent has a search of its own, and they take turns.
    Agents {
        /// What it is called in results.
        name: String,
        /// The algorithm and its parameters.
        config: Config,
        /// What an agent may spend per tick.
        units: u64,
    },
}

impl Planner {
    /// What it is called in results.
    pub fn name(&self) -> &str {
        match self {
            Planner::Crowd => "crowd",
            Planner::Agents { name, .. } => name,
        }
    }
}

/// A map with what these planners need.
///
/// # Errors
/// When that cannot be built.
pub fn prepare<'p>(
    grid: Grid,
    planners: impl IntoIterator<Item = &'p Planner>,
) -> Result<Layered<Grid>, PrepareError> {
    let mut map = Layered::flat(grid.with_crowd_regions());
    for planner in planners {
        let Planner::Agents { config, .. } = planner else { continue };
        let facts = &config.entry().facts;
        if facts.needs_hierarchy && map.hierarchy().is_none() {
            map.build()?;
        }
        if facts.needs_regions && map.regions().is_none() {
            map.build_regions();
        }
        if let Some(level) = config.subgoal_level()
            && let Some(tables) = levels::subgoals(&map, level, |_| ())?
        {
            map.set_subgoals(tables);
        }
    }
    Ok(map)
}

/// Why there are no problems for a crowd.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum PlacesError {
    /// No two free cells are connected.
    #[error("no two free cells of the map are connected")]
    NoPath,
    /// Agents have cells of their own, and there are too few.
    #[error(
        "{agents} agents that avoid collisions need as many cells, but the largest connected part of the map has {cells}"
    )]
    TooFew {
        /// The number of agents.
        agents: usize,
        /// The cells of the largest component.
        cells: usize,
    },
}

/// Random problems in the largest component of a map, with only so many different goals if that is limited. If agents
/// are to be apart, no two have the same start or, unless goals are limited, the same goal, and as far as there is room
/// no start is the goal of another one.
///
/// # Errors
/// When there is no path on the map, or not enough room.
pub fn problems(
    grid: &Grid,
    agents: usize,
    seed: u64,
    goals: Option<usize>,
    apart: bool,
) -> Result<Vec<Problem>, PlacesError> {
    let mut problems = if apart {
        let cells = generate::largest_component(grid);
        if cells.len() < 2 {
            return Err(PlacesError::NoPath);
        }
        if cells.len() < agents {
            return Err(PlacesError::TooFew { agents, cells: cells.len() });
        }
        let all = cells.len();
        let mixed = Dice::keyed(seed, [CROWD, 0, 0, 0, 0, 0]).choose(cells, all);
        let ends = mixed.iter().zip(mixed.iter().rev()).take(agents);
        ends.map(|(&start, &goal)| Problem { start, goal, optimal: None }).collect()
    } else {
        generate::random_problems(grid, agents, seed)
    };
    if problems.is_empty() {
        return Err(PlacesError::NoPath);
    }
    for nth in goals.unwrap_or(agents).max(1)..problems.len() {
        problems[nth].goal = problems[nth % goals.unwrap_or(agents).max(1)].goal;
    }
    Ok(problems)
}

/// Keys of streams of random numbers.
const CROWD: u32 = 0x63_72_6f_77;
const EDITS: u32 = 0x65_64_69_74;

/// The cost and the moves of a shortest path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Optimum {
    /// Its cost.
    pub cost: Cost,
    /// Its moves.
    pub moves: u64,
}

/// The shortest paths of these problems, in parallel; zeros where there is none. `go_on` is called before each, and those
/// for which it returns `false` are left out.
///
/// # Panics
/// When a problem is not on the map.
pub fn optima(
    map: &Layered<Grid>,
    problems: &[Problem],
    go_on: impl Fn() -> bool + Sync,
) -> Vec<Optimum> {
    let node = |cell| map.node(cell).expect("a problem on its map");
    let find = |finder: &mut PathFinder, problem: &Problem| {
        if !go_on() {
            return Optimum::default();
        }
        let path = finder.find(map, node(problem.start), node(problem.goal));
        let path = path.expect("a problem on its map");
        path.map_or(Optimum::default(), |path| Optimum {
            cost: path.cost,
            moves: path.nodes.len().saturating_sub(1) as u64,
        })
    };
    problems.par_iter().map_init(PathFinder::default, find).collect()
}

/// How a crowd is run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Who plans.
    pub planner: Planner,
    /// The budget of each frame.
    pub budget: Budget,
    /// The settings of the crowd.
    pub config: CrowdConfig,
    /// How many agents are spawned per frame; all in the first one, if there is no limit.
    pub stream: Option<usize>,
    /// How many cells are blocked or freed before each frame.
    pub edits: usize,
    /// Which ones.
    pub seed: u64,
    /// The run ends after so many frames.
    pub most_frames: u64,
    /// The number of threads that plan.
    pub threads: usize,
}

impl Setup {
    /// All agents at once, planned by the crowd with its default settings.
    pub fn new(budget: Budget) -> Setup {
        Setup {
            planner: Planner::Crowd,
            budget,
            config: CrowdConfig::default(),
            stream: None,
            edits: 0,
            seed: 1,
            most_frames: 100_000,
            threads: 1,
        }
    }
}

/// Why a run ended early. All but the first two are errors of the engine.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// An agent cannot be spawned.
    #[error(transparent)]
    Crowd(#[from] CrowdError),
    /// An agent of the catalog cannot accept its task.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// A step is illegal.
    #[error("frame {frame}: the step of agent {agent} from {from} to {to} is illegal")]
    Illegal {
        /// The frame, from 1.
        frame: u64,
        /// The agent, from 1.
        agent: usize,
        /// Where it was.
        from: Cell,
        /// Where it went.
        to: Cell,
    },
    /// Two agents collide.
    #[error("frame {frame}: agents {} and {} collide at {at}", .agents.0, .agents.1)]
    Collision {
        /// The frame, from 1.
        frame: u64,
        /// The agents, from 1.
        agents: (usize, usize),
        /// Where.
        at: Cell,
    },
    /// An agent is said to have arrived, but is somewhere else.
    #[error("frame {frame}: agent {agent} is reported to have arrived, but is at {at}")]
    Elsewhere {
        /// The frame, from 1.
        frame: u64,
        /// The agent, from 1.
        agent: usize,
        /// Where it is.
        at: Cell,
    },
}

/// Runs one frame of a crowd, which begins now.
fn run_frame<'c>(
    crowd: &'c mut Crowd,
    map: &Layered<Grid>,
    setup: &Setup,
    begin: Instant,
) -> Frame<'c> {
    let time = if let Budget::Time(time) = setup.budget { time } else { Duration::MAX };
    let mut clock = || begin.elapsed() < time;
    let mut slice = match setup.budget {
        Budget::Units(units) => Slice::metered(units),
        Budget::Time(_) => Slice::deadline(&mut clock),
    };
    if setup.threads > 1 { crowd.par_frame(map, &mut slice) } else { crowd.frame(map, &mut slice) }
}

/// What an agent is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It has not been spawned.
    Absent,
    /// It is on its way.
    Underway,
    /// It has arrived.
    Arrived,
    /// It was told that there is no path to its goal.
    Unreachable,
}

/// An agent of a run.
#[derive(Clone, Copy, Debug)]
pub struct Walker {
    /// Where it is.
    pub at: Cell,
    /// What it is doing.
    pub state: State,
    /// Frames that had passed when it was spawned.
    spawned: u64,
    /// The frame of its first step, counted from that; zero if it has not moved.
    first: u64,
    /// The frame of its arrival, counted likewise.
    arrived: u64,
    /// What it has walked until it arrived.
    cost: Cost,
}

/// A crowd on its way.
#[derive(Debug)]
pub struct Run<'p> {
    map: Layered<Grid>,
    problems: Cow<'p, [Problem]>,
    setup: Setup,
    crowd: Crowd,
    /// The threads that plan, if there are several.
    threads: Option<ThreadPool>,
    pool: Pool,
    walkers: Vec<Walker>,
    /// The agent of each [`AgentId::index`].
    of_index: Vec<usize>,
    /// How many have been spawned.
    spawned: usize,
    underway: usize,
    arrived: usize,
    places: Option<Places>,
    dice: Dice,
    /// Cells that edits have blocked, and the most there may be.
    blocked: Vec<Cell>,
    most_blocked: usize,
    frames: u64,
    /// Whether nobody is on their way, and none of those that are left could be spawned.
    stuck: bool,
    stats: FrameStats,
    tally: Tally,
}

/// Sums over the frames.
#[derive(Debug, Default)]
struct Tally {
    /// Agents on their way, and those of them that took a step, summed over frames.
    underway: u64,
    moved: u64,
    units: u64,
    planning_units: u64,
    longest_wait: u64,
    bytes: usize,
    /// The time of each frame in nanoseconds.
    times: Vec<u64>,
    /// The times of frames during which the system ran nothing else in place of them, if it tells.
    undisturbed: Option<Vec<u64>>,
    /// The time of all frames that did not plan, and their steps.
    walking: (u64, usize),
}

impl<'p> Run<'p> {
    /// A run that has not begun. The map is one that [`prepare`] has made for the planner.
    ///
    /// # Panics
    /// If the map was not prepared.
    pub fn new(
        map: Layered<Grid>,
        problems: impl Into<Cow<'p, [Problem]>>,
        setup: Setup,
    ) -> Run<'p> {
        let problems = problems.into();
        let crowd = Crowd::new(&map, setup.config).expect("a map that was prepared");
        let absent = |problem: &Problem| Walker {
            at: problem.start,
            state: State::Absent,
            spawned: 0,
            first: 0,
            arrived: 0,
            cost: Cost::default(),
        };
        let places = setup.config.avoid_collisions.then(|| Places::new(&map));
        let edited = setup.edits > 0;
        let several =
            (setup.threads > 1).then(|| ThreadPoolBuilder::new().num_threads(setup.threads));
        Run {
            crowd,
            threads: several.and_then(|threads| threads.build().ok()),
            pool: Pool::new(),
            walkers: problems.iter().map(absent).collect(),
            problems,
            of_index: Vec::new(),
            spawned: 0,
            underway: 0,
            arrived: 0,
            places,
            dice: Dice::keyed(setup.seed, [EDITS, 0, 0, 0, 0, 0]),
            blocked: Vec::new(),
            most_blocked: if edited { (map.free_cells().count() / 50).max(1) } else { 0 },
            frames: 0,
            stuck: false,
            stats: FrameStats::default(),
            tally: Tally::default(),
            setup,
            map,
        }
    }

    /// Whether nobody is on their way any more, nor can be spawned, or the most frames have passed.
    pub fn is_over(&self) -> bool {
        let idle = self.spawned == self.problems.len() && self.underway == 0;
        idle || self.stuck || self.frames >= self.setup.most_frames
    }

    /// The map as it is now.
    pub fn map(&self) -> &Layered<Grid> {
        &self.map
    }

    /// The cells that edits have blocked.
    pub fn blocked(&self) -> &[Cell] {
        &self.blocked
    }

    /// Changes the budget of the frames that follow.
    pub fn set_budget(&mut self, budget: Budget) {
        self.setup.budget = budget;
    }

    /// The agents in the order of their problems.
    pub fn walkers(&self) -> &[Walker] {
        &self.walkers
    }

    /// The number of frames so far.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The number of agents on their way.
    pub fn underway(&self) -> usize {
        self.underway
    }

    /// The number of agents that have arrived.
    pub fn arrived(&self) -> usize {
        self.arrived
    }

    /// Figures of the last frame.
    pub fn stats(&self) -> &FrameStats {
        &self.stats
    }

    /// How long the last frame took.
    pub fn last_time(&self) -> Duration {
        Duration::from_nanos(self.tally.times.last().copied().unwrap_or(0))
    }

    /// Edits the map, spawns the agents whose turn it is, and runs a frame. Only the frame is inside the clock.
    ///
    /// # Errors
    /// When an agent cannot be spawned, or something is wrong with a step.
    pub fn frame(&mut self) -> Result<(), RunError> {
        self.edit();
        self.frames += 1;
        let spawned = self.spawned;
        self.spawn()?;
        self.stuck = self.underway == 0 && self.spawned == spawned;
        let underway = self.underway as u64;
        let before = figures::disturbances();
        let begin = Instant::now();
        let Run { crowd, map, setup, threads, .. } = self;
        let frame = match threads {
            Some(threads) => threads.install(|| run_frame(crowd, map, setup, begin)),
            None => run_frame(crowd, map, setup, begin),
        };
        let time = begin.elapsed();
        let same = figures::disturbances().zip(before).map(|(after, before)| after == before);
        let number = self.frames;
        let mut moved = 0;
        if let Some(places) = &mut self.places {
            places.begin(number);
            for &(id, _) in frame.steps {
                let agent = self.of_index[id.index()];
                places.leave(self.walkers[agent].at);
            }
        }
        for &(id, to) in frame.steps {
            let agent = self.of_index[id.index()];
            let walker = &mut self.walkers[agent];
            let from = walker.at;
            let ends = self.map.node(from).zip(self.map.node(to));
            let cost = ends.and_then(|(from, to)| self.map.edge(from, to));
            let illegal = RunError::Illegal { frame: number, agent: agent + 1, from, to };
            let cost = cost.ok_or(illegal)?;
            if let Some(places) = &mut self.places {
                places.enter(agent, from, to).map_err(|(other, at)| RunError::Collision {
                    frame: number,
                    agents: (other + 1, agent + 1),
                    at,
                })?;
            }
            walker.at = to;
            if walker.first == 0 {
                walker.first = number - walker.spawned;
            }
            if walker.state == State::Unreachable {
                // Its goal can be reached again.
                walker.state = State::Underway;
                self.underway += 1;
            }
            if walker.state == State::Underway {
                walker.cost = walker.cost + cost;
                moved += 1;
            }
        }
        for &id in frame.arrived {
            let agent = self.of_index[id.index()];
            let walker = &mut self.walkers[agent];
            if walker.at != self.problems[agent].goal {
                let at = walker.at;
                return Err(RunError::Elsewhere { frame: number, agent: agent + 1, at });
            }
            if walker.state != State::Arrived {
                self.underway -= usize::from(walker.state == State::Underway);
                self.arrived += 1;
                walker.state = State::Arrived;
                walker.arrived = number - walker.spawned;
            }
        }
        for &id in frame.unreachable {
            let walker = &mut self.walkers[self.of_index[id.index()]];
            if walker.state == State::Underway {
                walker.state = State::Unreachable;
                self.underway -= 1;
            }
        }
        self.stats = frame.stats;
        let tally = &mut self.tally;
        tally.underway += underway;
        tally.moved += moved;
        tally.units += self.stats.units;
        tally.planning_units += self.stats.planning_units;
        tally.longest_wait = tally.longest_wait.max(self.stats.longest_wait);
        tally.bytes = tally.bytes.max(self.stats.bytes);
        tally.times.push(time.as_nanos() as u64);
        match same {
            Some(true) => tally.undisturbed.get_or_insert_default().push(time.as_nanos() as u64),
            Some(false) => _ = tally.undisturbed.get_or_insert_default(),
            None => {}
        }
        // Where collisions are avoided, agents that stand take time too.
        if self.stats.thought == 0 && self.stats.walked > 0 && self.places.is_none() {
            tally.walking.0 += time.as_nanos() as u64;
            tally.walking.1 += self.stats.walked;
        }
        Ok(())
    }

    /// Spawns the agents of the next frame. Where collisions are avoided and a start is taken, they wait for it.
    fn spawn(&mut self) -> Result<(), RunError> {
        let waiting = self.problems.len() - self.spawned;
        for _ in 0..self.setup.stream.unwrap_or(waiting).min(waiting) {
            let nth = self.spawned;
            let Problem { start, goal, .. } = self.problems[nth];
            let spawned = match &self.setup.planner {
                Planner::Crowd => self.crowd.spawn(&self.map, start, goal),
                Planner::Agents { config, units, .. } => {
                    let node = |cell| self.map.node(cell).expect("a problem on its map");
                    let (from, to) = (node(start), node(goal));
                    let agent = config.agent_with_pool(&self.map, from, to, &self.pool)?;
                    self.crowd.spawn_agent(&self.map, agent, *units)
                }
            };
            let id: AgentId = match spawned {
                Ok(id) => id,
                Err(CrowdError::Occupied { .. }) if self.frames > 1 => return Ok(()),
                Err(CrowdError::Full { .. }) if self.spawned > 0 => return Ok(()),
                Err(error) => return Err(error.into()),
            };
            if self.of_index.len() <= id.index() {
                self.of_index.resize(id.index() + 1, 0);
            }
            self.of_index[id.index()] = nth;
            let walker = &mut self.walkers[nth];
            walker.state = State::Underway;
            walker.spawned = self.frames - 1;
            if let Some(places) = &mut self.places {
                places.add(nth, start);
            }
            self.spawned += 1;
            self.underway += 1;
        }
        Ok(())
    }

    /// Blocks random cells, never under an agent, at a start that is still needed or at a goal; once two percent of the
    /// free cells are blocked, frees others instead.
    fn edit(&mut self) {
        if self.setup.edits == 0 {
            return;
        }
        let mut taken: std::collections::HashSet<Cell> =
            self.problems.iter().map(|problem| problem.goal).collect();
        taken.extend(self.walkers.iter().map(|walker| walker.at));
        let (width, height) = (self.map.width() as usize, self.map.height() as usize);
        let edits = self.setup.edits;
        let freed = (self.blocked.len() + edits).saturating_sub(self.most_blocked);
        let freed = freed.min(edits).min(self.blocked.len());
        let mut changed = Vec::new();
        for _ in 0..freed {
            let nth = self.dice.below(self.blocked.len());
            changed.push((self.blocked.swap_remove(nth), true));
        }
        for _ in freed..edits {
            // On a map with little room there may be no cell left.
            for _ in 0..100 {
                let (x, y) = (self.dice.below(width) as u32, self.dice.below(height) as u32);
                let cell = Cell::new(x, y);
                if self.map.is_free(cell) && taken.insert(cell) {
                    changed.push((cell, false));
                    self.blocked.push(cell);
                    break;
                }
            }
        }
        self.change(&changed);
    }

    /// Blocks (`false`) or frees cells of the map.
    ///
    /// # Panics
    /// If a cell is outside the map.
    pub fn change(&mut self, changed: &[(Cell, bool)]) {
        self.map.edit(changed).expect("cells of the map");
        let cells: Vec<Cell> = changed.iter().map(|&(cell, _)| cell).collect();
        self.crowd.report(&self.map, &cells);
        self.stuck = false;
    }
}

#[cfg(test)]
mod tests;
