//! The times of ticks, with noise taken out: an episode repeats bit for bit, so it is run several times, and each tick
//! takes its least time.

use std::path::{Path, PathBuf};
use std::time::Instant;

use hdrhistogram::Histogram;
use serde::Serialize;
use thiserror::Error;
use tickstar::catalog::{self, Config};
use tickstar::{Agent, AgentError, Grid, Layered, NodeId, Pool, Seen, Slice, Step};

use super::{Control, ProblemSet, files_of};
use crate::files::FileError;
use crate::generate::Kind;
use crate::{Arena, PrepareError, World, WorldKind};

/// The maps of the public benchmark that are used, by their set and name.
const MAPS: [(&str, &str); 2] = [("wc3-512", "duskwood"), ("bg-512", "AR0300SR")];

/// The algorithms, with the world each is run in.
const ALGORITHMS: [(&str, WorldKind); 5] = [
    ("tba", WorldKind::Known),
    ("tba-jps", WorldKind::Known),
    ("tb-wastar", WorldKind::Known),
    ("tbaa", WorldKind::Unknown),
    ("pra", WorldKind::Known),
];

/// The files that are read from a folder of maps.
pub fn files(maps: &Path) -> impl Iterator<Item = PathBuf> {
    MAPS.iter().flat_map(move |&map| files_of(maps, map))
}

/// How much is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Problems per map.
    pub problems: usize,
    /// How often each episode is repeated; the least time of each tick counts.
    pub repeats: usize,
    /// Episodes that take more ticks are cut off.
    pub most_ticks: usize,
    /// The side of small generated maps, in place of those of the benchmark.
    pub small: u32,
    /// The side of large generated maps.
    pub large: u32,
}

impl Extent {
    /// What a published number should come from.
    pub const FULL: Extent =
        Extent { problems: 10, repeats: 5, most_ticks: 100_000, small: 512, large: 2048 };
    /// A first impression, in seconds.
    pub const QUICK: Extent =
        Extent { problems: 2, repeats: 3, most_ticks: 2_000, small: 128, large: 256 };

    /// The problems: on two maps of the benchmark in this folder, or two generated ones of their size, and on two large
    /// generated ones.
    ///
    /// # Errors
    /// When a map or its problems cannot be read.
    pub fn problem_sets(&self, maps: Option<&Path>) -> Result<Vec<ProblemSet>, FileError> {
        let kinds = [Kind::Islands, Kind::Caves];
        let generated = |side, kind| ProblemSet::generated(kind, side, 1, self.problems);
        let mut sets = match maps {
            Some(folder) => MAPS
                .iter()
                .map(|&map| ProblemSet::read(folder, map, self.problems))
                .collect::<Result<Vec<_>, _>>()?,
            None => kinds.map(|kind| generated(self.small, kind)).into(),
        };
        sets.extend(kinds.map(|kind| generated(self.large, kind)));
        Ok(sets)
    }
}

/// An algorithm with its parameters, and the world it is run in.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// What it is called in results.
    pub name: String,
    /// The algorithm and its parameters.
    pub config: Config,
    /// What the agent knows.
    pub world: WorldKind,
}

/// The usual contestants: with each value of the parameter `successors` where there is one.
///
/// # Panics
/// Never: the names and values are those of the catalog.
pub fn contestants() -> Vec<Contestant> {
    let mut all = Vec::new();
    for (name, world) in ALGORITHMS {
        let entry = catalog::find(name).expect("a name of the catalog");
        let parameters = entry.parameters();
        let values = parameters
            .iter()
            .find(|parameter| parameter.name == SUCCESSORS)
            .map_or(&[][..], |parameter| parameter.values);
        let config = |settings: &[(&str, &str)]| entry.configure(settings).expect("its values");
        if values.is_empty() {
            let config = config(&[]);
            all.push(Contestant { name: name.into(), config, world: world.clone() });
        }
        for value in values {
            let name = format!("{name}:{SUCCESSORS}={value}");
            let config = config(&[(SUCCESSORS, value)]);
            all.push(Contestant { name, config, world: world.clone() });
        }
    }
    all
}

const SUCCESSORS: &str = "successors";

/// Calls a function, and returns how many times it allocated.
pub type Counter<'c> = &'c dyn Fn(&mut dyn FnMut()) -> u64;

/// The most allocations in one tick.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Allocations {
    /// Of new agents.
    pub new: u64,
    /// Of agents in a later episode.
    pub warm: u64,
}

/// The slowest tick.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Slowest {
    /// The problem, from one.
    pub problem: usize,
    /// The tick of its episode, from one.
    pub tick: usize,
    /// The nodes it expanded.
    pub expansions: u64,
}

/// The times of one algorithm with one budget on one map, in nanoseconds.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Row {
    /// The algorithm with its parameters.
    pub algorithm: String,
    /// The world.
    pub world: String,
    /// The map.
    pub map: String,
    /// The budget of each tick.
    pub budget: u64,
    /// Ticks, in all episodes.
    pub ticks: u64,
    /// Ticks that expanded at least one node.
    pub searching_ticks: u64,
    /// The median of ticks that searched; none if none did.
    pub median_ns: Option<u64>,
    /// The 99th percentile of ticks that searched.
    pub p99_ns: Option<u64>,
    /// The 99.9th percentile of ticks that searched.
    pub p999_ns: Option<u64>,
    /// The maximum of all ticks.
    pub max_ns: u64,
    /// Ticks that spent at least half of their budget on expansions.
    pub full_ticks: u64,
    /// The median of these; of those that searched, if there are none.
    pub full_ns: Option<u64>,
    /// The 99.9th percentile over that.
    pub p999_over_full: Option<f64>,
    /// The maximum over that.
    pub max_over_full: Option<f64>,
    /// Which tick that was.
    pub slowest: Slowest,
    /// Allocations, if they were counted.
    pub allocations: Option<Allocations>,
    /// Percentages of the ticks that searched, each with the time they do not exceed.
    pub curve: Vec<(f64, u64)>,
}

/// The percentages of [`Row::curve`].
pub const PERCENTAGES: [f64; 9] = [10.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 100.0];

/// What was measured.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// How often each episode was repeated.
    pub repeats: usize,
    /// A row per map, algorithm and budget, as far as they are complete.
    pub rows: Vec<Row>,
}

/// Why ticks cannot be measured.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LatencyError {
    /// An agent cannot take a task.
    #[error("`{algorithm}` on {map}: {reason}")]
    Agent {
        /// The algorithm.
        algorithm: String,
        /// The map.
        map: String,
        /// Why.
        reason: AgentError,
    },
    /// What an algorithm needs cannot be built.
    #[error("`{algorithm}` on {map}: {reason}")]
    Prepare {
        /// The algorithm.
        algorithm: String,
        /// The map.
        map: String,
        /// Why.
        reason: PrepareError,
    },
    /// Two runs of an episode differ, so that the times of their ticks cannot be compared.
    #[error("`{algorithm}` on {map}, problem {problem}, budget {budget}: two runs differ")]
    NotRepeated {
        /// The algorithm.
        algorithm: String,
        /// The map.
        map: String,
        /// The problem, from one.
        problem: usize,
        /// The budget.
        budget: u64,
    },
}

/// The number of steps that [`measure`] reports.
pub fn steps(sets: &[ProblemSet], contestants: &[Contestant], budgets: &[u64]) -> usize {
    let problems: usize = sets.iter().map(|set| set.ends.len()).sum();
    problems * contestants.len() * budgets.len()
}

/// Runs every contestant with every budget on every problem. An agent first runs its episode once unmeasured, with an
/// empty pool, which fills the pool; it is then assigned the same task again `extent.repeats` times, where the map is
/// unknown at first, in a new world each time. Only the call of [`Agent::tick`] is inside the clock.
///
/// # Errors
/// When an algorithm cannot be run on a map, or an episode does not repeat.
///
/// # Panics
/// Never: the worlds are read from no file.
pub fn measure(
    sets: &[ProblemSet],
    contestants: &[Contestant],
    budgets: &[u64],
    extent: Extent,
    count: Option<Counter<'_>>,
    control: Control<'_>,
) -> Result<Report, LatencyError> {
    let mut report = Report { repeats: extent.repeats, rows: Vec::new() };
    for set in sets {
        let arena = |kind| Arena::new(kind, &set.grid, 1).expect("a world without files");
        let (mut known, mut unknown) = (arena(&WorldKind::Known), arena(&WorldKind::Unknown));
        for contestant in contestants {
            let arena =
                if contestant.world == WorldKind::Unknown { &mut unknown } else { &mut known };
            arena.prepare(&contestant.config, |_| ()).map_err(|reason| LatencyError::Prepare {
                algorithm: contestant.name.clone(),
                map: set.name.clone(),
                reason,
            })?;
            for &budget in budgets {
                let case = Case { set, arena, contestant, budget, extent, count };
                match case.measure(control)? {
                    Some(row) => report.rows.push(row),
                    None => return Ok(report),
                }
            }
        }
    }
    Ok(report)
}

/// One row to be measured.
struct Case<'c> {
    set: &'c ProblemSet,
    arena: &'c Arena,
    contestant: &'c Contestant,
    budget: u64,
    extent: Extent,
    count: Option<Counter<'c>>,
}

/// What each tick did, and its least time in nanoseconds.
type Episode = (Vec<Deed>, Vec<u64>);

/// What a tick did: the same in every run.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Deed {
    step: Step,
    expansions: u64,
}

impl Case<'_> {
    /// The row; none if it was stopped.
    fn measure(&self, control: Control<'_>) -> Result<Option<Row>, LatencyError> {
        let new = || Histogram::<u64>::new(3).expect("three digits");
        let (mut searching, mut full) = (new(), new());
        let mut allocations = Allocations::default();
        let (mut ticks, mut max, mut slowest) = (0, 0, Slowest::default());
        for (nth, ends) in self.set.nodes().enumerate() {
            let Some((deeds, times)) = self.episode(nth, ends, &mut allocations, control)? else {
                return Ok(None);
            };
            ticks += deeds.len() as u64;
            for (tick, (deed, time)) in deeds.iter().zip(times).enumerate() {
                if deed.expansions > 0 {
                    searching.record(time).expect("it grows with its values");
                }
                if deed.expansions > 0 && deed.expansions >= self.budget / 2 {
                    full.record(time).expect("it grows with its values");
                }
                if time > max {
                    max = time;
                    let (problem, tick) = (nth + 1, tick + 1);
                    slowest = Slowest { problem, tick, expansions: deed.expansions };
                }
            }
            (control.step)();
        }
        // Values are rounded up to three digits, but not above the maximum.
        let value = |of: &Histogram<u64>, percent| {
            (!of.is_empty()).then(|| of.value_at_percentile(percent).min(max))
        };
        let at = |percent| value(&searching, percent);
        let full_ns = value(&full, 50.0).or(at(50.0));
        let over = |time: Option<u64>| Some(time? as f64 / full_ns?.max(1) as f64);
        Ok(Some(Row {
            algorithm: self.contestant.name.clone(),
            world: self.contestant.world.to_string(),
            map: self.set.name.clone(),
            budget: self.budget,
            ticks,
            searching_ticks: searching.len(),
            median_ns: at(50.0),
            p99_ns: at(99.0),
            p999_ns: at(99.9),
            max_ns: max,
            full_ticks: full.len(),
            full_ns,
            p999_over_full: over(at(99.9)),
            max_over_full: over(Some(max)),
            slowest,
            allocations: self.count.map(|_| allocations),
            curve: PERCENTAGES
                .iter()
                .filter_map(|&percent| Some((percent, at(percent)?)))
                .collect(),
        }))
    }

    /// What each tick of an episode did, and its least time; none if it was stopped.
    fn episode(
        &self,
        nth: usize,
        (start, goal): (NodeId, NodeId),
        allocations: &mut Allocations,
        control: Control<'_>,
    ) -> Result<Option<Episode>, LatencyError> {
        let algorithm = || self.contestant.name.clone();
        let map = || self.set.name.clone();
        let failed = |reason| LatencyError::Agent { algorithm: algorithm(), map: map(), reason };
        let pool = Pool::new();
        let world = self.arena.world(start, goal);
        let config = &self.contestant.config;
        let agent = config.agent_with_pool(world.known(), start, goal, &pool).map_err(failed)?;
        let mut walk = Walk { case: self, agent, world, at: start };
        let probe = match self.count {
            Some(count) => Probe::Allocations(count, &mut allocations.new),
            None => Probe::Nothing,
        };
        let deeds = walk.run(probe, control);
        let mut times = vec![u64::MAX; deeds.len()];
        for repeat in 0..self.extent.repeats + usize::from(self.count.is_some()) {
            let probe = match self.count {
                Some(count) if repeat == self.extent.repeats => {
                    Probe::Allocations(count, &mut allocations.warm)
                }
                _ => Probe::Time(&mut times),
            };
            walk.begin_again(start, goal).map_err(failed)?;
            let again = walk.run(probe, control);
            if control.stopped() {
                return Ok(None);
            }
            if again != deeds {
                let (problem, budget) = (nth + 1, self.budget);
                let (algorithm, map) = (algorithm(), map());
                return Err(LatencyError::NotRepeated { algorithm, map, problem, budget });
            }
        }
        Ok(Some((deeds, times)))
    }
}

/// What is measured in each tick.
enum Probe<'p> {
    Nothing,
    /// The times, of which the least are kept.
    Time(&'p mut [u64]),
    /// The allocations, of which the most are kept.
    Allocations(Counter<'p>, &'p mut u64),
}

/// An agent on its way.
struct Walk<'c> {
    case: &'c Case<'c>,
    agent: Box<dyn Agent<Layered<Grid>>>,
    world: World,
    at: NodeId,
}

impl Walk<'_> {
    fn begin_again(&mut self, start: NodeId, goal: NodeId) -> Result<(), AgentError> {
        // Nothing happens in a known world, so it is used again: a new one has a new copy of the map, and the first tick
        // would wait for memory that is in no cache. Where agents are given tasks, the map is there already.
        if self.case.contestant.world != WorldKind::Known {
            self.world = self.case.arena.world(start, goal);
        }
        self.at = start;
        self.agent.assign(self.world.known(), start, goal)
    }

    /// Walks to the goal, as far as the ticks last. Returns what each tick did.
    fn run(&mut self, mut probe: Probe<'_>, control: Control<'_>) -> Vec<Deed> {
        let mut deeds = Vec::new();
        while deeds.len() < self.case.extent.most_ticks && !control.stopped() {
            self.world.begin(deeds.len() as u64 + 1);
            let mut slice = Slice::new(self.case.budget);
            let seen = Seen { changed: self.world.changed() };
            let (agent, known, at) = (&mut self.agent, self.world.known(), self.at);
            let step = match &mut probe {
                Probe::Nothing => agent.tick(known, at, seen, &mut slice),
                Probe::Time(times) => {
                    let begin = Instant::now();
                    let step = agent.tick(known, at, seen, &mut slice);
                    let time = begin.elapsed().as_nanos() as u64;
                    if let Some(least) = times.get_mut(deeds.len()) {
                        *least = time.min(*least);
                    }
                    step
                }
                Probe::Allocations(count, most) => {
                    let mut step = Step::Wait;
                    let allocations = count(&mut || step = agent.tick(known, at, seen, &mut slice));
                    **most = allocations.max(**most);
                    step
                }
            };
            deeds.push(Deed { step, expansions: slice.expansions() });
            self.world.reported();
            match step {
                Step::Move(to) => {
                    self.at = to;
                    self.world.moved(to);
                }
                Step::Wait => {}
                Step::Arrived | Step::Unreachable => break,
            }
        }
        deeds
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // exact ratios
mod tests {
    use std::cell::Cell;

    use super::*;

    const EXTENT: Extent = Extent { repeats: 2, most_ticks: 500, ..Extent::QUICK };

    fn sets() -> Vec<ProblemSet> {
        [Kind::Caves, Kind::Rooms].map(|kind| ProblemSet::generated(kind, 64, 2, 2)).into()
    }

    #[test]
    fn rows_are_of_every_map_algorithm_and_budget() {
        let (sets, contestants) = (sets(), contestants());
        assert!(contestants.len() > ALGORITHMS.len(), "both settings of successors");
        let budgets = [10, 100];
        let done = Cell::new(0);
        let step = || done.set(done.get() + 1);
        let control = Control { step: &step, ..Control::none() };
        let report = measure(&sets, &contestants, &budgets, EXTENT, None, control).unwrap();
        assert_eq!(done.get(), steps(&sets, &contestants, &budgets));
        assert_eq!(report.rows.len(), 2 * contestants.len() * 2);
        for row in &report.rows {
            assert!(0 < row.searching_ticks && row.searching_ticks <= row.ticks, "{row:?}");
            let times = [Some(1), row.median_ns, row.p99_ns, row.p999_ns, Some(row.max_ns)];
            assert!(times.is_sorted(), "{row:?}");
            assert!(row.full_ticks <= row.searching_ticks && row.full_ns <= Some(row.max_ns));
            assert!(row.curve.is_sorted_by_key(|&(_, time)| time));
            assert!(row.slowest.tick > 0 && row.slowest.expansions <= row.budget);
            let longest = row.curve.last().unwrap().1 as f64 / row.max_ns as f64;
            assert!(row.slowest.expansions == 0 || (longest - 1.0).abs() < 0.01, "{row:?}");
            assert_eq!(row.allocations, None);
        }
        // The same algorithm needs fewer ticks with a larger budget.
        for pair in report.rows.chunks(2) {
            assert_eq!(pair[0].algorithm, pair[1].algorithm);
            assert!(pair[0].searching_ticks > pair[1].searching_ticks, "{pair:?}");
        }
        let unknown = report.rows.iter().filter(|row| row.world == "unknown");
        assert!(
            unknown.clone().count() > 0 && unknown.clone().all(|r| r.algorithm.contains("tbaa"))
        );
    }

    #[test]
    fn allocations_are_those_that_the_counter_returns() {
        let calls = Cell::new(0);
        let count = |tick: &mut dyn FnMut()| {
            tick();
            calls.set(calls.get() + 1);
            calls.get()
        };
        let (sets, contestants) = (&sets()[..1], &contestants()[..1]);
        let report = measure(sets, contestants, &[50], EXTENT, Some(&count), Control::none());
        let row = &report.unwrap().rows[0];
        // Each tick is counted twice: new, and warm.
        let Allocations { new, warm } = row.allocations.unwrap();
        assert_eq!((warm, calls.get()), (2 * row.ticks, 2 * row.ticks));
        assert!(new < warm);
    }

    #[test]
    fn an_algorithm_that_does_not_search_has_no_median() {
        let config = catalog::find("quickpath").unwrap().configure::<&str, &str>(&[]).unwrap();
        let quickpath = Contestant { name: "quickpath".into(), config, world: WorldKind::Known };
        let report = measure(&sets()[..1], &[quickpath], &[10], EXTENT, None, Control::none());
        let row = &report.unwrap().rows[0];
        assert!(row.ticks > 0 && row.max_ns > 0 && row.curve.is_empty(), "{row:?}");
        assert_eq!((row.searching_ticks, row.median_ns, row.max_over_full), (0, None, None));
    }

    #[test]
    fn long_episodes_are_cut_off() {
        let extent = Extent { most_ticks: 5, ..EXTENT };
        let (sets, contestants) = (&sets()[..1], &contestants()[..1]);
        let report = measure(sets, contestants, &[10], extent, None, Control::none()).unwrap();
        assert_eq!(report.rows[0].ticks, 10);
    }

    #[test]
    fn a_stopped_measurement_keeps_complete_rows() {
        let flag = std::sync::atomic::AtomicBool::new(false);
        let done = Cell::new(0);
        let step = || {
            done.set(done.get() + 1);
            flag.store(done.get() == 3, std::sync::atomic::Ordering::Relaxed);
        };
        let control = Control { stop: &flag, step: &step };
        let report = measure(&sets(), &contestants(), &[10, 50], EXTENT, None, control).unwrap();
        assert_eq!(report.rows.len(), 1);
    }
}
