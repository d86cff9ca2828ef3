//! Planning on several threads: tasks that are probably next are done beforehand, each by a planner of its own.
//!
//! Nothing else changes. The schedule takes one task after the other, as on one thread; where the result of a task is
//! known already, it is paid for and taken, if the budget suffices for all of it. As a result depends on nothing but the
//! map and the arguments of the task, so do all steps and units: the number of threads makes no difference. What was
//! done in vain is neither used nor paid for.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::method::Attempt;
use super::planner::{Leg, Planner, Progress};
use super::runs::Spot;
use crate::budget::{Spending, UNIT};
use crate::regions::CrowdRegions;
use crate::{Grid, Slice};

/// Jobs per thread that are done at a time.
const JOBS: usize = 8;
/// The same with a deadline, and the units of each: about 25 µs, in which the clock is not asked.
const HURRIED_JOBS: usize = 2;
const HURRIED_UNITS: u64 = 256;

/// What may have to be planned next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Job {
    /// A chain from a cell to a goal, and the first leg along it.
    Chain(Spot, Spot, Attempt),
    /// A leg from a cell to one of others.
    Leg(Spot, Vec<Spot>, Attempt),
    /// A shortest path.
    Path(Spot, Spot),
}

/// A chain or a leg that has been planned, and what it took.
#[derive(Clone, Debug)]
pub(super) struct Done<T> {
    pub progress: Progress,
    pub spending: Spending,
    pub result: T,
}

/// From where, and to where.
type ChainKey = (Spot, Spot);
/// From where, to where, and how.
type LegKey = (Spot, Vec<Spot>, Attempt);

/// Results, each with the arguments for which it holds.
#[derive(Debug, Default)]
pub(super) struct Ready {
    /// The number of threads; nothing is done beforehand if there is only one.
    pub threads: usize,
    workers: Vec<Mutex<Planner>>,
    chains: Vec<(ChainKey, Done<Vec<Spot>>)>,
    legs: Vec<(LegKey, Done<Leg>)>,
    paths: Vec<(ChainKey, Done<Leg>)>,
    /// The tasks that have begun since results were made, and the number of results.
    begun: usize,
    made: usize,
    /// What a refined path takes on average, in units.
    mean_path: u64,
}

impl Ready {
    /// How many tasks should be done beforehand now; zero if enough results are left.
    pub fn wanted(&self, slice: &Slice<'_>, of_paths: bool) -> usize {
        if self.threads < 2 || self.begun < self.made || slice.is_watched() {
            return 0;
        }
        let most = if slice.has_deadline() { HURRIED_JOBS } else { JOBS } * self.threads;
        let affordable = slice.remaining() / if of_paths { self.mean_path.max(64) } else { 64 };
        if affordable < 2 { 0 } else { most.min(affordable as usize + 1) }
    }

    /// Forgets all results: they hold for the present map only.
    pub fn clear(&mut self) {
        self.chains.clear();
        self.legs.clear();
        self.paths.clear();
        (self.begun, self.made) = (0, 0);
    }

    /// Does jobs on all threads.
    pub fn run(
        &mut self,
        (grid, regions): (&Grid, &CrowdRegions),
        jobs: &[Job],
        slice: &Slice<'_>,
    ) {
        self.clear();
        self.made = jobs.len();
        self.workers.resize_with(self.threads, || Mutex::new(Planner::new()));
        let hurried = HURRIED_UNITS.min(slice.remaining());
        let units = if slice.has_deadline() { hurried } else { slice.remaining() };
        let next = AtomicUsize::new(0);
        let work = |planner: &Mutex<Planner>| {
            // A planner that panicked has been begun anew with each job.
            let mut planner = planner.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let mut done = Vec::new();
            while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.push(perform(&mut planner, job, (grid, regions), units));
            }
            done
        };
        for outcome in for_each(&self.workers, work).into_iter().flatten() {
            self.chains.extend(outcome.chain);
            self.legs.extend(outcome.leg);
            if let Some((_, path)) = &outcome.path {
                let units = path.spending.total() / UNIT;
                self.mean_path = (3 * self.mean_path + units) / 4;
            }
            self.paths.extend(outcome.path);
        }
    }

    /// A task begins.
    pub fn begin(&mut self) {
        self.begun += 1;
    }

    pub fn chain(&mut self, from: Spot, goal: Spot) -> Option<Done<Vec<Spot>>> {
        let nth = self.chains.iter().position(|(key, _)| *key == (from, goal))?;
        Some(self.chains.swap_remove(nth).1)
    }

    pub fn leg(&mut self, from: Spot, targets: &[Spot], attempt: Attempt) -> Option<Done<Leg>> {
        let is_it = |(own, list, how): &LegKey| (*own, *how) == (from, attempt) && list == targets;
        let nth = self.legs.iter().position(|(key, _)| is_it(key))?;
        Some(self.legs.swap_remove(nth).1)
    }

    pub fn path(&mut self, from: Spot, goal: Spot) -> Option<Done<Leg>> {
        let nth = self.paths.iter().position(|(key, _)| *key == (from, goal))?;
        Some(self.paths.swap_remove(nth).1)
    }

    pub fn bytes(&self) -> usize {
        let planner = |worker: &Mutex<Planner>| worker.lock().map_or(0, |planner| planner.bytes());
        self.workers.iter().map(planner).sum()
    }
}

/// Calls a function for each planner, on a thread of its own if there are threads.
#[cfg(feature = "rayon")]
fn for_each<T: Send>(
    workers: &[Mutex<Planner>],
    work: impl Fn(&Mutex<Planner>) -> T + Sync,
) -> Vec<T> {
    use rayon::prelude::*;
    workers.par_iter().with_max_len(1).map(&work).collect()
}

/// Calls a function for each planner.
#[cfg(not(feature = "rayon"))]
fn for_each<T>(workers: &[Mutex<Planner>], work: impl Fn(&Mutex<Planner>) -> T) -> Vec<T> {
    workers.iter().map(work).collect()
}

/// What a job has led to.
#[derive(Default)]
struct Outcome {
    chain: Option<(ChainKey, Done<Vec<Spot>>)>,
    leg: Option<(LegKey, Done<Leg>)>,
    path: Option<(ChainKey, Done<Leg>)>,
}

/// Does a job, if so many units suffice.
fn perform(
    planner: &mut Planner,
    job: &Job,
    (grid, regions): (&Grid, &CrowdRegions),
    units: u64,
) -> Outcome {
    let mut outcome = Outcome::default();
    let paid = |work: &mut dyn FnMut(&mut Slice<'_>) -> Progress| {
        let mut slice = Slice::metered(units);
        let progress = slice.metering_tick(work);
        (progress != Progress::Working).then(|| (progress, slice.spending()))
    };
    match job {
        Job::Chain(from, goal, attempt) => {
            planner.begin_chain(*from, *goal);
            let Some((progress, spending)) = paid(&mut |slice| planner.run_chain(regions, slice))
            else {
                return outcome;
            };
            let chain = planner.chain.clone();
            if progress == Progress::Done {
                let targets = Planner::targets(&chain, 0, *goal);
                outcome.leg = leg(planner, (*from, targets.collect(), *attempt), grid, &paid);
            }
            outcome.chain = Some(((*from, *goal), Done { progress, spending, result: chain }));
        }
        Job::Leg(from, targets, attempt) => {
            outcome.leg = leg(planner, (*from, targets.clone(), *attempt), grid, &paid);
        }
        Job::Path(from, goal) => {
            planner.begin_path(*from, *goal);
            if let Some((progress, spending)) = paid(&mut |slice| planner.run_leg(grid, slice)) {
                let result = planner.leg();
                outcome.path = Some(((*from, *goal), Done { progress, spending, result }));
            }
        }
    }
    outcome
}

type Paid<'p> =
    &'p dyn Fn(&mut dyn FnMut(&mut Slice<'_>) -> Progress) -> Option<(Progress, Spending)>;

fn leg(
    planner: &mut Planner,
    key: LegKey,
    grid: &Grid,
    paid: Paid<'_>,
) -> Option<(LegKey, Done<Leg>)> {
    planner.begin_leg(key.0, key.1.iter().copied(), key.2);
    let (progress, spending) = paid(&mut |slice| planner.run_leg(grid, slice))?;
    let result = planner.leg();
    Some((key, Done { progress, spending, result }))
}
