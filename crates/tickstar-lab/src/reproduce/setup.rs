//! What is common to the experiments: how much is run, on which maps, and short ways to write them down.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use thiserror::Error;
use tickstar::space::Corners;

use super::Paper;
use crate::benchmark;
use crate::buckets::Buckets;
use crate::experiment::{
    Contestant, CoursePlan, Experiment, MapSource, ProblemSource, configured, hash,
};
use crate::files::{self, FileError};
use crate::generate::Kind;
use crate::{Judging, WorldKind, text};

/// What to reproduce, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The papers, oldest first.
    pub papers: Vec<Paper>,
    /// How much is run.
    pub size: Size,
    /// On which maps.
    pub maps: Maps,
}

/// How many problems are run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// A minute or two: a few problems on a few maps.
    Quick,
    /// About an hour: a sample where the paper's set is larger.
    Sample,
    /// All of the papers' sets, as far as their maps are public.
    Full,
}

impl Size {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Size::Quick => "quick",
            Size::Sample => "sample",
            Size::Full => "full",
        }
    }

    /// One of three values.
    pub(super) fn of<T>(self, quick: T, sample: T, full: T) -> T {
        match self {
            Size::Quick => quick,
            Size::Sample => sample,
            Size::Full => full,
        }
    }
}

/// Where maps come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Maps {
    /// The folder with the public benchmark's maps, by kind: `bg-512`, `dao`, `rooms`, `starcraft`, `wc3-512`.
    Benchmark(PathBuf),
    /// Generated maps of the same kinds, made from seeds.
    Generated,
}

impl Maps {
    /// Its name in files: the folder is left out, as it differs between machines.
    pub fn name(&self) -> &'static str {
        match self {
            Maps::Benchmark(_) => "benchmark",
            Maps::Generated => "generated",
        }
    }
}

impl Settings {
    /// Whether the maps are those of the papers.
    pub fn papers_maps(&self) -> bool {
        matches!(self.maps, Maps::Benchmark(_))
    }

    /// What is run, in sentences.
    pub(super) fn about(&self) -> Vec<String> {
        let size = match self.size {
            Size::Quick => {
                "A quick run: few problems, so that many comparisons cannot be told from chance."
            }
            Size::Sample => {
                "The usual run: a sample of problems where a paper's set is larger, as stated for each paper."
            }
            Size::Full => "The full run: as many problems as the papers have.",
        };
        let maps = match self.maps {
            Maps::Benchmark(_) => {
                "Maps of the public benchmark (N. Sturtevant, Benchmarks for Grid-Based Pathfinding, 2012), from which \
                 the papers took theirs."
            }
            Maps::Generated => {
                "Generated maps of the same kinds as the papers': only shapes can be compared, not numbers."
            }
        };
        let counted = "All work is counted in expansions, so this report is the same on every machine. Running times, \
            which are not, are in times.html.";
        let version = format!("tickstar {}.", env!("CARGO_PKG_VERSION"));
        [size, maps, counted, super::claim::VERDICTS]
            .map(String::from)
            .into_iter()
            .chain([version])
            .collect()
    }

    /// The width and height of generated maps.
    fn side(&self) -> u32 {
        self.size.of(256, 512, 512)
    }

    /// A map of the benchmark; or, with the number of its kind, a generated one.
    pub(super) fn map(&self, folder: &str, name: &str, kind: Kind, seed: u64) -> MapSource {
        match &self.maps {
            Maps::Benchmark(maps) => {
                MapSource::File(maps.join(folder).join(name).with_extension("map"))
            }
            Maps::Generated => MapSource::Generated { kind, side: self.side(), seed },
        }
    }

    /// At most so many maps of a folder of the benchmark, evenly spread; or as many generated ones.
    pub(super) fn maps(&self, folder: &str, kind: Kind, most: usize) -> Vec<MapSource> {
        let names = benchmark::names(folder);
        let count = most.min(names.len());
        let nth = |nth: usize| (nth * names.len() / count, nth as u64 + 1);
        let all = (0..count).map(nth);
        all.map(|(place, seed)| self.map(folder, names[place], kind, seed)).collect()
    }
}

/// Why the maps of the benchmark cannot be used.
#[derive(Debug, Error)]
pub enum MapsError {
    /// Some are not there.
    #[error("{}{}: there is no such file", text::path(first), more(*others))]
    Missing {
        /// The first one.
        first: PathBuf,
        /// How many others.
        others: usize,
    },
    /// Some are other maps than those that the papers took, by their SHA-256.
    #[error("{}{}: this is not the benchmark's map, by its SHA-256", text::path(first), more(*others))]
    Differ {
        /// The first one.
        first: PathBuf,
        /// How many others.
        others: usize,
    },
    /// One cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
}

fn more(others: usize) -> String {
    if others > 0 { format!(" and {others} more") } else { String::new() }
}

/// Checks that the maps of experiments are there, and those that they should be.
///
/// # Errors
/// When one is missing, differs, or cannot be read.
pub fn check_maps(experiments: &[Experiment]) -> Result<(), MapsError> {
    let courses = experiments.iter().flat_map(|experiment| &experiment.courses);
    let files = courses.filter_map(|course| match &course.map {
        MapSource::File(path) => Some(path.as_path()),
        _ => None,
    });
    // Each map once, in the order in which they are run.
    let mut seen = BTreeSet::new();
    let all: Vec<&Path> = files.filter(|path| seen.insert(*path)).collect();
    let missing: Vec<&Path> = all.iter().copied().filter(|path| !path.is_file()).collect();
    if let [first, others @ ..] = &missing[..] {
        return Err(MapsError::Missing { first: first.to_path_buf(), others: others.len() });
    }
    let mut differing = Vec::new();
    for path in all {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let expected = benchmark::hash_of(&name);
        if expected.is_some_and(|expected| expected != "-") {
            let found = hash(&files::read(path)?);
            if expected != Some(found.as_str()) {
                differing.push(path);
            }
        }
    }
    match &differing[..] {
        [first, others @ ..] => {
            Err(MapsError::Differ { first: first.to_path_buf(), others: others.len() })
        }
        [] => Ok(()),
    }
}

/// A course in a world.
pub(super) fn course(
    map: MapSource,
    problems: ProblemSource,
    world: &WorldKind,
    corners: Corners,
) -> CoursePlan {
    CoursePlan { map, corners, problems, world: world.clone(), seed: 1 }
}

/// Problems drawn at random, so many on each map.
pub(super) fn drawn(count: usize) -> ProblemSource {
    ProblemSource::Random { count, seed: 1 }
}

/// Problems whose shortest path has a length in this range.
pub(super) fn of_length(from: u32, to: u32, count: usize) -> ProblemSource {
    ProblemSource::ByLength(Buckets { from, width: to - from, count: 1, each: count, seed: 1 })
}

/// An algorithm as it is named on the command line, such as `tba:switch=true`, with each of these budgets; 0 means no
/// limit.
pub(super) fn with_budgets(text: &str, budgets: &[u64]) -> Vec<Contestant> {
    let config = configured(text).unwrap_or_else(|error| panic!("bug: {error}"));
    let each = |&budget: &u64| Contestant {
        name: text.to_string(),
        config: config.clone(),
        budget: (budget > 0).then_some(budget),
    };
    budgets.iter().map(each).collect()
}

/// The name that a contestant's records have: the algorithm as on the command line, and its budget; 0 means no limit.
pub(super) fn at(text: &str, budget: u64) -> String {
    if budget == 0 { format!("{text}@none") } else { format!("{text}@{budget}") }
}

/// About how many milliseconds of one processor a problem takes, by the beginning of the experiment's name: measured
/// once, to tell the time left.
const MILLIS: [(&str, f64); 14] = [
    ("pra-paths", 4.0),
    ("pra-clock", 3.0),
    ("tba-acting", 10.0),
    ("tba-figure-3", 1500.0),
    ("tba-figure-4", 250.0),
    ("tbaa-known", 2500.0),
    ("tbaa-unknown", 5500.0),
    ("tbaa-partial", 2000.0),
    ("tbbfs-bg", 25.0),
    ("tbbfs-wc3", 25.0),
    ("tbbfs-rooms", 100.0),
    ("tbbfs-starcraft", 200.0),
    ("tbbfs-moving", 2000.0),
    ("tbbfs-restarts", 2000.0),
];

/// An experiment, with walks judged by their lengths alone.
pub(super) fn experiment(
    name: &str,
    courses: Vec<CoursePlan>,
    contestants: Vec<Contestant>,
    block: usize,
) -> Experiment {
    let experiment = Experiment::new(contestants);
    let known = MILLIS.iter().find(|(begin, _)| name.starts_with(begin));
    let millis = known.map_or(experiment.millis, |(_, millis)| *millis);
    let (name, judging) = (name.into(), Judging::Length);
    Experiment { name, courses, block, millis, judging, ..experiment }
}
