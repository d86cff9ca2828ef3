//! Experiments: contestants on the problems of courses, in parallel, with the same records on every machine.
//! Those that take long are stored as they run, so that a stopped one continues where it was.

mod course;
mod results;
mod run;
mod store;
mod table;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use thiserror::Error;
use tickstar::Cost;
use tickstar::catalog::{self, Config};

pub use course::{CoursePlan, MapSource, OpenError, ProblemSource, hash};
pub use results::{Results, ResultsError};
pub use run::{RunError, Shard};
pub use store::{Store, StoreError, remove_halves, write_whole};
pub use table::{RecordTable, TableError};

use crate::PrepareError;
use crate::text::quoted;
use crate::{
    Arena, Clock, FailedProblem, Job, Journey, Problem, ProblemError, Record, Reference, SimAgent,
    Timing, Undefined, Untimed, text,
};

/// A map as a world presents it, and the problems to solve there.
#[derive(Debug)]
pub struct Course {
    /// The map's name, for records.
    pub name: String,
    /// The SHA-256 of the map's file, or of the file it would have.
    pub map_hash: String,
    /// The map in its world.
    pub arena: Arena,
    /// The problems.
    pub problems: Vec<Problem>,
}

/// An algorithm with its parameters and its budget.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// What it is called in results.
    pub name: String,
    /// The algorithm and its parameters.
    pub config: Config,
    /// The budget of each interval; none: no limit.
    pub budget: Option<u64>,
}

/// The algorithm that a text names, `NAME[:KEY=VALUE…]`, as on the command line.
///
/// # Errors
/// When it names none, or a setting cannot have that value: a sentence that says so.
pub fn configured(text: &str) -> Result<Config, String> {
    let mut parts = text.split(':');
    let entry =
        catalog::find(parts.next().unwrap_or_default()).map_err(|error| error.to_string())?;
    let mut settings: Vec<(&str, &str)> = Vec::new();
    for part in parts {
        let (key, value) = part
            .split_once('=')
            .ok_or_else(|| format!("`{}`: expected key=value, such as r=0.9", quoted(part)))?;
        if settings.iter().any(|(other, _)| *other == key.trim()) {
            return Err(format!("`{}` is set twice", quoted(key)));
        }
        settings.push((key.trim(), value.trim()));
    }
    entry.configure(&settings).map_err(|error| error.to_string())
}

impl Contestant {
    /// Its name and budget in short: `tba:switch=true@10`, or `astar@none` without a limit.
    pub fn key(&self) -> String {
        let budget = self.budget.map_or("none".to_string(), |budget| budget.to_string());
        format!("{}@{budget}", self.name)
    }

    /// Its name and budget.
    pub fn title(&self) -> String {
        let budget = self.budget.map_or("none".to_string(), |budget| budget.to_string());
        format!("{} (budget {budget})", self.name)
    }
}

/// Returns the agent that is run in the place of a contestant's.
pub type Instead = fn(&Contestant, SimAgent) -> SimAgent;

/// By what walks are judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Judging {
    /// By the true distances from every cell walked: records have all metrics.
    #[default]
    Moves,
    /// By the length of a shortest path alone, which takes much less time: moves on no shortest path are
    /// not counted.
    Length,
}

/// Contestants to be run on courses.
///
/// ```
/// use tickstar::catalog;
/// use tickstar_lab::{Contestant, Course, Experiment, Summary, Arena, builtin};
/// let map = builtin::find("rooms-64").unwrap();
/// let grid = map.grid();
/// let problems = map.problems(&grid, 5, 1);
/// let arena = Arena::new(&"known".parse()?, &grid, 1)?;
/// let courses = &mut [Course { name: map.name.into(), map_hash: String::new(), arena, problems }];
/// let contestant = |name: &str| {
///     let config = catalog::find(name).unwrap().configure::<&str, &str>(&[]).unwrap();
///     Contestant { name: name.into(), config, budget: Some(50) }
/// };
/// let mut experiment = Experiment::new(vec![contestant("tba"), contestant("late-astar")]);
/// let records = experiment.run(courses, &|_| ())?;
/// let [tba, late] = [0, 1].map(|nth| Summary::of(&records[nth]).value("intervals"));
/// assert!(tba <= late, "acting early saves time");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Experiment {
    /// What it is called.
    pub name: String,
    /// Courses that are opened one at a time, for [`run_missing`](Experiment::run_missing).
    pub courses: Vec<CoursePlan>,
    /// How many problems of a course are stored together.
    pub block: usize,
    /// About how many milliseconds of one processor a problem takes with all contestants, to tell the time left.
    pub millis: f64,
    pub(crate) contestants: Vec<Contestant>,
    /// Those that exceeded the cut-off.
    pub(crate) excluded: Vec<bool>,
    /// Excludes a contestant that expands more nodes than this in any interval of any problem.
    pub cutoff: Option<u64>,
    /// The most intervals of a run; none: the default of [`Job::new`].
    pub max_intervals: Option<u64>,
    /// The clock by which frames are counted.
    pub clock: Option<Clock>,
    /// By what walks are judged.
    pub judging: Judging,
    /// How time is measured. If it is by the clock, one problem is run at a time.
    pub timing: Timing,
    /// Puts another agent in the place of a contestant's, if any: one of your own, or one that is broken on purpose.
    pub instead: Option<Instead>,
    /// Ends the experiment early once it is set, if any.
    pub stop: Option<Arc<AtomicBool>>,
}

/// Why an experiment cannot be run.
#[derive(Clone, PartialEq, Debug, Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// An algorithm is not defined in a world.
    #[error(transparent)]
    Undefined(#[from] Undefined),
    /// Frames cannot be counted.
    #[error(transparent)]
    Untimed(#[from] Untimed),
    /// What an algorithm needs beside the map cannot be made.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// A problem of a course cannot be run.
    #[error("{}: {failed}", text::path(course.as_ref()))]
    Problem {
        /// The course's name.
        course: String,
        /// The problem.
        failed: FailedProblem,
    },
}

/// The records of one problem, one per contestant; none for those that were excluded before.
pub type ProblemRecords = Vec<Option<Record>>;

impl Experiment {
    /// An experiment with these contestants: no cut-off, no clock, and the default limit of intervals.
    pub fn new(contestants: Vec<Contestant>) -> Experiment {
        let excluded = vec![false; contestants.len()];
        let judging = Judging::default();
        Experiment {
            name: "experiment".into(),
            courses: Vec::new(),
            block: 16,
            millis: 100.0,
            contestants,
            excluded,
            cutoff: None,
            max_intervals: None,
            clock: None,
            judging,
            timing: Timing::Counted,
            instead: None,
            stop: None,
        }
    }

    /// The contestants.
    pub fn contestants(&self) -> &[Contestant] {
        &self.contestants
    }

    /// Puts another algorithm, with the same budgets and under the same names, in the place of each contestant that
    /// `is_meant` selects: what would the results be if that one were like this one?
    pub fn replace(&mut self, is_meant: impl Fn(&Contestant) -> bool, with: &Config) {
        for contestant in self.contestants.iter_mut().filter(|other| is_meant(other)) {
            contestant.config = with.clone();
        }
    }

    /// Whether the contestant of this number has exceeded the cut-off.
    pub fn is_excluded(&self, nth: usize) -> bool {
        self.excluded[nth]
    }

    /// Whether every contestant can be run on a course.
    ///
    /// # Errors
    /// When an algorithm is not defined in the course's world, or its frames cannot be counted.
    pub fn admit(&self, course: &Course) -> Result<(), ExperimentError> {
        for Contestant { config, .. } in &self.contestants {
            course.arena.admit(config.entry())?;
            if self.clock.is_some() {
                Clock::admit(&course.arena, config.entry())?;
            }
        }
        Ok(())
    }

    /// Runs all contestants on all problems of all courses. Returns the records of each contestant in the
    /// order of courses and problems; those of an excluded one are empty. `progress` is called with the
    /// number of runs done since the last call, from any thread.
    ///
    /// What algorithms need beside a map is made for one course at a time and released after it.
    ///
    /// # Errors
    /// When a contestant cannot be run on a course, before any is run; or when a problem cannot be run.
    pub fn run(
        &mut self,
        courses: &mut [Course],
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Vec<Record>>, ExperimentError> {
        for course in courses.iter() {
            self.admit(course)?;
        }
        let mut records: Vec<Vec<Record>> = self.contestants.iter().map(|_| Vec::new()).collect();
        for course in courses {
            for Contestant { config, .. } in &self.contestants {
                course.arena.prepare(config, |_| ())?;
            }
            let problems = self.run_course(course, progress).map_err(|failed| {
                ExperimentError::Problem { course: course.name.clone(), failed }
            })?;
            for problem in problems {
                records.iter_mut().zip(problem).for_each(|(list, record)| list.extend(record));
            }
            course.arena.release();
        }
        for (list, _) in records.iter_mut().zip(&self.excluded).filter(|(_, excluded)| **excluded) {
            list.clear();
        }
        Ok(records)
    }

    /// Runs all contestants on all problems of one course that has been prepared for them (see
    /// [`Arena::prepare`]), in parallel. Returns the records in the order of the problems; if it was
    /// stopped, of those that were done. `progress` is called as in [`run`](Experiment::run).
    ///
    /// Some problems have records of a contestant that another problem excludes: which ones depends on
    /// chance, so none of its records should be used.
    ///
    /// # Errors
    /// When a problem cannot be run.
    pub fn run_course(
        &mut self,
        course: &Course,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<ProblemRecords>, FailedProblem> {
        let excluded: Vec<_> = self.excluded.iter().map(|&out| AtomicBool::new(out)).collect();
        let solved: Result<Vec<_>, _> = course
            .problems
            .par_iter()
            .enumerate()
            .map(|(index, problem)| {
                let records = self.solve(course, problem, &excluded);
                progress(self.contestants.len());
                records.map_err(|reason| FailedProblem { index, reason })
            })
            .collect();
        self.excluded = excluded.into_iter().map(AtomicBool::into_inner).collect();
        Ok(solved?.into_iter().flatten().collect())
    }

    /// One problem with every contestant, judged by the same distances; none if it was stopped before the end.
    /// Without flags of who is excluded, nobody is.
    fn solve(
        &self,
        course: &Course,
        problem: &Problem,
        excluded: &[AtomicBool],
    ) -> Result<Option<ProblemRecords>, ProblemError> {
        let mut judge = None;
        let mut records = Vec::new();
        for (nth, contestant) in self.contestants.iter().enumerate() {
            let Contestant { config, budget, .. } = contestant;
            let out = excluded.get(nth);
            if out.is_some_and(|out| out.load(Ordering::Relaxed)) {
                records.push(None);
                continue;
            }
            let job = Job::new(&course.name, &course.arena, config, *budget);
            let max_intervals = self.max_intervals.or(job.max_intervals);
            let job = Job { max_intervals, clock: self.clock, stop: self.stop.as_ref(), ..job };
            if job.is_stopped() {
                return Ok(None);
            }
            let sim = job.sim(problem)?;
            let mut sim = if self.judging == Judging::Length { sim.without_detours() } else { sim };
            sim = sim.with_timing(self.timing);
            if let Some(instead) = self.instead {
                sim = sim.with_agent(|agent| instead(contestant, agent));
            }
            let journey = sim.run(max_intervals, None);
            if job.is_stopped() {
                return Ok(None);
            }
            let most = journey.tally.max_expansions_per_interval;
            if let Some(out) = out {
                out.fetch_or(self.cutoff.is_some_and(|cutoff| most > cutoff), Ordering::Relaxed);
            }
            let judge = match &mut judge {
                Some(judge) => judge,
                none => none.insert(Judge::new(self.judging, &job, problem)?),
            };
            records.push(Some(judge.record(&job, problem, &journey)));
        }
        Ok(Some(records))
    }
}

/// What walks of one problem are judged by.
enum Judge {
    Moves(Box<Reference>),
    Length(Option<Cost>),
}

impl Judge {
    fn new(judging: Judging, job: &Job<'_>, problem: &Problem) -> Result<Judge, ProblemError> {
        Ok(match judging {
            Judging::Moves => Judge::Moves(Box::new(job.reference(problem)?)),
            Judging::Length => Judge::Length(job.optimal(problem)?),
        })
    }

    fn record(&mut self, job: &Job<'_>, problem: &Problem, journey: &Journey) -> Record {
        match self {
            Judge::Moves(reference) => job.judge(problem, journey, reference),
            Judge::Length(optimal) => job.judge_length(problem, journey, *optimal),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use tickstar::{Cell, catalog};

    use super::*;
    use crate::{Pace, builtin};

    fn course(name: &str, world: &str, problems: usize) -> Course {
        let map = builtin::find(name).unwrap();
        let grid = map.grid();
        let arena = Arena::new(&world.parse().unwrap(), &grid, 1).unwrap();
        Course {
            name: name.into(),
            map_hash: String::new(),
            arena,
            problems: map.problems(&grid, problems, 1),
        }
    }

    fn contestant(name: &str, budget: Option<u64>) -> Contestant {
        let config = catalog::find(name).unwrap().configure::<&str, &str>(&[]).unwrap();
        Contestant { name: name.into(), config, budget }
    }

    #[test]
    fn records_are_those_of_single_jobs_in_order() {
        let mut courses = [course("rooms-64", "known", 4), course("random-64", "known", 3)];
        let contestants = vec![contestant("tba", Some(20)), contestant("pra", Some(50))];
        let mut experiment = Experiment::new(contestants);
        let done = AtomicUsize::new(0);
        let count = |runs| {
            done.fetch_add(runs, Ordering::Relaxed);
        };
        let records = experiment.run(&mut courses, &count).unwrap();
        assert_eq!(done.into_inner(), 2 * (4 + 3));
        for (contestant, records) in experiment.contestants().iter().zip(&records) {
            let mut expected = Vec::new();
            for course in &mut courses {
                course.arena.prepare(&contestant.config, |_| ()).unwrap();
                let Contestant { config, budget, .. } = contestant;
                let job = Job::new(&course.name, &course.arena, config, *budget);
                expected.extend(course.problems.iter().map(|problem| job.record(problem).unwrap()));
            }
            assert_eq!(records, &expected, "{}", contestant.title());
        }
        experiment.judging = Judging::Length;
        let quick = experiment.run(&mut courses, &|_| ()).unwrap();
        for (quick, full) in quick.iter().flatten().zip(records.iter().flatten()) {
            let (mut full, tally) = (full.clone(), &quick.tally);
            assert_eq!(tally.non_optimal_moves, None);
            full.tally.non_optimal_moves = None;
            assert_eq!(quick, &full);
        }
    }

    #[test]
    fn a_contestant_beyond_the_cutoff_has_no_records() {
        let mut courses = [course("rooms-64", "known", 6)];
        let contestants = vec![contestant("tba", Some(20)), contestant("astar", None)];
        let mut experiment = Experiment { cutoff: Some(20), ..Experiment::new(contestants) };
        let records = experiment.run(&mut courses, &|_| ()).unwrap();
        assert_eq!((records[0].len(), records[1].len()), (6, 0));
        assert_eq!([0, 1].map(|nth| experiment.is_excluded(nth)), [false, true]);
    }

    #[test]
    fn what_cannot_be_run_is_refused_before_anything_is() {
        let mut courses = [course("rooms-64", "known", 1), course("rooms-64", "dynamic:5", 1)];
        let refused = |experiment: &mut Experiment, courses: &mut [Course]| {
            experiment.run(courses, &|_| panic!("nothing is run")).unwrap_err()
        };
        let mut adaptive = Experiment::new(vec![contestant("rtaa", Some(20))]);
        let error = refused(&mut adaptive, &mut courses);
        assert!(matches!(error, ExperimentError::Undefined(_)), "{error}");
        let clock = Some(Clock::new(Pace::default()).unwrap());
        let mut timed = Experiment { clock, ..Experiment::new(vec![contestant("tba", Some(20))]) };
        let error = refused(&mut timed, &mut courses);
        assert!(matches!(error, ExperimentError::Untimed(_)), "{error}");
    }

    #[test]
    fn a_problem_that_cannot_be_run_is_named() {
        let mut courses = [course("rooms-64", "known", 2)];
        courses[0].problems[1].goal = Cell::new(64, 0);
        let mut experiment = Experiment::new(vec![contestant("tba", Some(20))]);
        let error = experiment.run(&mut courses, &|_| ()).unwrap_err().to_string();
        let expected = "rooms-64: problem 2: the goal (64, 0) is outside the map";
        assert!(error.starts_with(expected), "{error}");
    }
}
