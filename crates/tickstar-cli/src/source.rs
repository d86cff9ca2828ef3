//! Where maps, problems and algorithms come from: the flags that several commands share.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use tickstar::agent::d_lrta::Subgoals;
use tickstar::catalog::{self, Config, Entry};
use tickstar::space::{Corners, Neighbors};
use tickstar::{Cell, Grid, Hierarchy};
use tickstar_lab::builtin::{self, Builtin};
use tickstar_lab::text::{self, quoted};
use tickstar_lab::{Arena, Clock, FailedProblem, Job, Pace, Problem, WorldKind, files};

use crate::failure::{Failure, say};
use crate::number::{from_one, from_zero, pace, whole};

/// How the map is walked.
#[derive(Args, Clone, Copy, Default)]
#[command(next_help_heading = "Map")]
pub struct Movement {
    /// Whether a diagonal step may pass the corner of a blocked cell
    #[arg(long, value_enum, default_value_t = CornerRule::Never)]
    corners: CornerRule,
    /// How many neighbors a cell has
    #[arg(long, value_enum, default_value_t = Neighborhood::Eight)]
    neighbors: Neighborhood,
}

impl Movement {
    /// The flags that ask for it, as far as it differs from the default.
    pub fn flags(self) -> Vec<String> {
        let corners = match self.corners {
            CornerRule::Never => None,
            CornerRule::Allowed => Some(["--corners", "allowed"]),
        };
        let neighbors = match self.neighbors {
            Neighborhood::Four => Some(["--neighbors", "4"]),
            Neighborhood::Eight => None,
        };
        corners.into_iter().chain(neighbors).flatten().map(str::to_string).collect()
    }
}

#[derive(ValueEnum, Clone, Copy, Default)]
enum CornerRule {
    /// Both cells beside the step must be free (the benchmark's rule)
    #[default]
    Never,
    /// Only the target must be free
    Allowed,
}

#[derive(ValueEnum, Clone, Copy, Default)]
enum Neighborhood {
    /// Those that share a side
    #[value(name = "4")]
    Four,
    /// Diagonal ones too
    #[value(name = "8")]
    #[default]
    Eight,
}

/// A map with its name.
pub struct Map {
    pub name: String,
    pub grid: Grid,
    builtin: Option<&'static Builtin>,
}

impl Map {
    /// Reads a file (`.map`, or rows of # and . in a `.txt`), or finds the built-in map `builtin:NAME`.
    pub fn load(source: &Path, movement: Movement) -> Result<Map, Failure> {
        let name = source.to_string_lossy();
        let (grid, builtin) = if let Some(path) = map_file(source) {
            (files::read_map(path).map_err(Failure::input)?, None)
        } else {
            let name = name.strip_prefix(BUILTIN).unwrap_or(&name);
            let found = builtin::find(name).ok_or_else(|| {
                let names = builtin::all().iter().map(|map| map.name);
                let hint = text::hint(name, names);
                Failure::usage(format!("there is no map `builtin:{}`; {hint}", quoted(name)))
            })?;
            (found.grid(), Some(found))
        };
        Ok(Map { builtin, ..Map::from_grid(&name, grid, movement) })
    }

    /// A map with these movement rules.
    pub fn from_grid(name: &str, grid: Grid, movement: Movement) -> Map {
        let corners = match movement.corners {
            CornerRule::Never => Corners::Never,
            CornerRule::Allowed => Corners::Allowed,
        };
        let neighbors = match movement.neighbors {
            Neighborhood::Four => Neighbors::Four,
            Neighborhood::Eight => Neighbors::Eight,
        };
        let grid = grid.with_corners(corners).with_neighbors(neighbors);
        Map { name: name.to_string(), grid, builtin: None }
    }

    /// The SHA-256 of the map as a file, however it is written.
    pub fn hash(&self) -> String {
        tickstar_lab::experiment::hash(self.grid.to_map().as_bytes())
    }

    /// What the map is called in pictures: neither its folder nor its kind of file.
    pub fn title(&self) -> String {
        title(&self.name)
    }

    /// The first problem of a built-in map.
    pub fn first_problem(&self) -> Option<Problem> {
        self.builtin?.problems(&self.grid, 1, 1).first().copied()
    }
}

/// What a map of this source is called: neither its folder nor its kind of file.
pub fn title(source: &str) -> String {
    if let Some(name) = source.strip_prefix(BUILTIN) {
        return name.to_string();
    }
    let stem = Path::new(source).file_stem();
    text::escaped(&stem.map_or(source.into(), |stem| stem.to_string_lossy()))
}

/// What the name of a map that is built in begins with.
const BUILTIN: &str = "builtin:";

/// The file of a map; none if it is built in.
pub fn map_file(source: &Path) -> Option<&Path> {
    let builtin = source.to_str().is_some_and(|name| name.starts_with(BUILTIN));
    (!builtin).then_some(source)
}

/// What the agent knows, and how the map changes.
#[derive(Args)]
#[command(next_help_heading = "World")]
pub struct Worlds {
    /// What the agent knows of the map, and how the map changes
    #[arg(
        long,
        value_name = "WORLD",
        default_value = "known",
        long_help = "What the agent knows of the map, and how the map changes:\n  \
            known              the agent knows the map\n  \
            unknown            it assumes every cell is free until it has been next to it\n  \
            partial[:PERCENT]  it knows the map's walls, but a share of the free cells\n                     \
            is blocked too; 15 percent if PERCENT is left out\n  \
            dynamic:RATE       after every 10 moves, RATE/2 % of the map's free cells are\n                     \
            blocked, and RATE/2 % of the blocked ones are free\n  \
            script:FILE        changes from a file: lines `12 30 7 blocked` or `40 30 7 free`\n                     \
            (tick, column, row), in order; `end` is the last line\n\n\
            In the last two every change is reported to the agent."
    )]
    world: WorldKind,
    /// The most ticks of a run [default: no limit; where the map changes, 20 times its width plus height; for
    /// learning real-time searches, which are slow to detect that there is no path, 50000 divided by the budget
    /// times that sum (at least 200 times, and 2000 times without a budget)]
    #[arg(long, value_name = "N", value_parser = from_one, allow_negative_numbers = true)]
    max_intervals: Option<u64>,
    /// The seed of everything random: the problems of a built-in map, and the world
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = from_zero,
        allow_negative_numbers = true
    )]
    pub seed: u64,
}

impl Worlds {
    /// The map as the world sees it.
    pub fn arena(&self, map: &Map) -> Result<Arena, Failure> {
        Arena::new(&self.world, &map.grid, self.seed).map_err(Failure::input)
    }

    /// The flags that ask for the same world, where it is not the usual one.
    pub fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        if self.world != WorldKind::Known {
            flags.extend(["--world".to_string(), self.world.to_string()]);
            flags.extend(["--seed".to_string(), self.seed.to_string()]);
        }
        if let Some(most) = self.max_intervals {
            flags.extend(["--max-intervals".to_string(), most.to_string()]);
        }
        flags
    }

    /// The script, if there is one.
    pub fn file(&self) -> Option<&Path> {
        match &self.world {
            WorldKind::Script(path) => Some(path),
            _ => None,
        }
    }

    /// The most ticks of a run, if given.
    pub fn max_intervals(&self) -> Option<u64> {
        self.max_intervals
    }

    /// An algorithm to be run there.
    pub fn job<'a>(
        &self,
        map: &'a Map,
        arena: &'a Arena,
        config: &'a Config,
        budget: Option<u64>,
    ) -> Result<Job<'a>, Failure> {
        arena.admit(config.entry()).map_err(Failure::usage)?;
        let job = Job::new(&map.name, arena, config, budget);
        Ok(Job { max_intervals: self.max_intervals.or(job.max_intervals), ..job })
    }
}

/// A clock by which frames are counted.
#[derive(Args)]
#[command(next_help_heading = "Frames of a clocked game")]
pub struct Timing {
    /// Count the frames of a game with MS milliseconds of planning in each, as the 2005 paper does with
    /// 1, 2 and 10: a unit walks what it has planned and continues to plan while it walks. For algorithms
    /// that walk what they have planned, in the world known (the paper's s-A* is astar, its s-PRA* is pra
    /// with k=inf). The default budget is then what can be expanded in a frame
    #[arg(long, value_name = "MS", value_parser = pace, allow_negative_numbers = true)]
    clock: Option<f64>,
    /// Milliseconds per frame, with --clock
    #[arg(
        long,
        value_name = "MS",
        default_value_t = Pace::default().frame_ms,
        value_parser = pace,
        requires = "clock",
        allow_negative_numbers = true
    )]
    frame: f64,
    /// Cells a unit walks per second, with --clock
    #[arg(
        long,
        value_name = "CELLS",
        default_value_t = Pace::default().speed,
        value_parser = pace,
        requires = "clock",
        allow_negative_numbers = true
    )]
    speed: f64,
    /// Expansions per microsecond, with --clock
    #[arg(
        long,
        value_name = "N",
        default_value_t = Pace::default().rate,
        value_parser = pace,
        requires = "clock",
        allow_negative_numbers = true
    )]
    rate: f64,
}

impl Timing {
    /// The clock, if there is to be one.
    pub fn clock(&self) -> Result<Option<Clock>, Failure> {
        let &Timing { clock, frame: frame_ms, speed, rate } = self;
        let pace = clock.map(|think_ms| Pace { frame_ms, think_ms, speed, rate });
        pace.map(Clock::new).transpose().map_err(Failure::usage)
    }
}

/// Tables that were built before.
#[derive(Args)]
#[command(next_help_heading = "Algorithm")]
pub struct Tables {
    /// Tables of subgoals for d-lrta, written by `tickstar abstraction build --tables FILE`; with several maps,
    /// one for each [default: they are built first]
    #[arg(long, value_name = "FILE")]
    tables: Vec<PathBuf>,
    /// Whether it was said that there are none.
    #[arg(skip)]
    noted: AtomicBool,
}

impl Tables {
    /// Refuses more or fewer files than maps, and any if nothing uses tables.
    pub fn check<'c>(
        &self,
        maps: usize,
        worlds: &Worlds,
        configs: impl IntoIterator<Item = &'c Config>,
    ) -> Result<(), Failure> {
        let files = self.tables.len();
        if files == 0 {
            return Ok(());
        }
        let configs: Vec<_> = configs.into_iter().collect();
        if configs.iter().all(|config| config.subgoal_level().is_none()) {
            let mut names: Vec<_> = configs.iter().map(|config| config.entry().name).collect();
            names.dedup();
            return Err(Failure::usage(format!(
                "--tables is for d-lrta; no tables are used by {}",
                names.join(", ")
            )));
        }
        if worlds.world != WorldKind::Known {
            return Err(Failure::usage(
                "--tables is for the world known: elsewhere they are not valid",
            ));
        }
        if files == maps {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "{files} times --tables for {}: give one for each map, in the same order",
            text::counted(maps, "map")
        )))
    }

    /// The files.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.tables.iter().map(PathBuf::as_path)
    }

    /// Says so, once, if an algorithm that uses tables has none.
    fn note_absence(&self, arena: &Arena, config: &Config) {
        let Some(level) = config.subgoal_level() else { return };
        let top = arena.map().hierarchy().map_or(0, Hierarchy::height);
        let reason = if *arena.kind() != WorldKind::Known {
            let world = quoted(&arena.kind().to_string());
            format!("tables of subgoals are for the world known, not for {world}")
        } else if level > top {
            format!("the map has levels 0 to {top}, so there are no tables of level {level}")
        } else {
            return;
        };
        if !self.noted.swap(true, Ordering::Relaxed) {
            say(&format!("note: {reason}: d-lrta walks as LRTA* does"));
        }
    }

    /// Builds what an algorithm needs on the `nth` map, or reads its tables, if it is defined there. Returns how
    /// long building it took.
    pub fn prepare(
        &self,
        nth: usize,
        arena: &mut Arena,
        config: &Config,
    ) -> Result<PreparationTime, Failure> {
        arena.admit(config.entry()).map_err(Failure::usage)?;
        let mut begin = Instant::now();
        arena.prepare_hierarchy(config).map_err(Failure::input)?;
        let hierarchy = begin.elapsed();
        if let Some(path) = self.tables.get(nth).filter(|_| config.subgoal_level().is_some()) {
            let map = arena.map();
            let hierarchy = map.hierarchy().expect("prepared above");
            let tables = read_subgoals(path, map, hierarchy)?;
            let (level, asked) = (tables.level(), config.subgoal_level().unwrap_or(0));
            if level != asked {
                return Err(Failure::usage(format!(
                    "{}: subgoals of level {level}, but level={asked} was requested",
                    text::path(path)
                )));
            }
            arena.set_subgoals(tables);
        }
        let bar = progress(0, "searches for subgoals");
        let tick = |all: usize| {
            bar.set_length(all as u64);
            bar.inc(1);
        };
        begin = Instant::now();
        let made = arena.prepare_subgoals(config, tick).map_err(Failure::usage);
        bar.finish_and_clear();
        made?;
        self.note_absence(arena, config);
        Ok(PreparationTime { hierarchy, subgoals: begin.elapsed() })
    }
}

/// How long it took to build what an algorithm needs besides the map.
#[derive(Clone, Copy, Default)]
pub struct PreparationTime {
    pub hierarchy: Duration,
    pub subgoals: Duration,
}

/// Reads tables of subgoals for a map.
pub fn read_subgoals(path: &Path, grid: &Grid, hierarchy: &Hierarchy) -> Result<Subgoals, Failure> {
    let bytes = files::read(path).map_err(Failure::input)?;
    Subgoals::from_bytes(&bytes, grid, hierarchy).map_err(|error| {
        let path = text::path(path);
        Failure::input(format!(
            "{path}: {error}; make them by `tickstar abstraction build --tables`"
        ))
    })
}

/// The most random problems that are made at once.
const MAX_RANDOM: usize = 1_000_000;

/// The problems to solve.
#[derive(Args)]
#[command(next_help_heading = "Problems")]
pub struct Problems {
    /// A scenario file of the benchmark, made for this map; with several maps, one for each
    #[arg(long, value_name = "FILE", conflicts_with_all = ["problems", "from", "to"])]
    scen: Vec<PathBuf>,
    /// A file with a problem `sx sy gx gy` on each line; with several maps, one for each, or one for all
    #[arg(long, value_name = "FILE", conflicts_with_all = ["from", "to"])]
    problems: Vec<PathBuf>,
    /// The start, as column and row from the top left
    #[arg(long, value_name = "X,Y", requires = "to", allow_hyphen_values = true)]
    from: Option<CellArgument>,
    /// The goal, as column and row from the top left
    #[arg(long, value_name = "X,Y", requires = "from", allow_hyphen_values = true)]
    to: Option<CellArgument>,
    /// Only the first N problems of the file; for a built-in map, how many random ones
    #[arg(long, value_name = "N", value_parser = whole::<usize>(1..=u64::MAX), allow_negative_numbers = true)]
    take: Option<usize>,
}

impl Problems {
    /// Refuses more or fewer files than maps, except one file for all.
    pub fn check_count(&self, maps: usize) -> Result<(), Failure> {
        for (flag, files) in [("--scen", &self.scen), ("--problems", &self.problems)] {
            if files.len() > 1 && files.len() != maps {
                return Err(Failure::usage(format!(
                    "{} times {flag} for {}: give one for each map, in the same order, or one for all",
                    files.len(),
                    text::counted(maps, "map")
                )));
            }
        }
        Ok(())
    }

    /// The files.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.scen.iter().chain(&self.problems).map(PathBuf::as_path)
    }

    /// The problems requested on this map, the `nth` of those given; random ones if none were and the map
    /// is built in.
    pub fn load(&self, map: &Map, nth: usize, seed: u64) -> Result<Vec<Problem>, Failure> {
        let mut problems = if let Some(path) = nth_or_only(&self.scen, nth) {
            files::read_scen(path, &map.name, &map.grid).map_err(Failure::input)?
        } else if let Some(path) = nth_or_only(&self.problems, nth) {
            files::read_problems(path, &map.grid).map_err(Failure::input)?
        } else if let (Some(from), Some(to)) = (self.from, self.to) {
            vec![Problem { start: from.0, goal: to.0, optimal: None }]
        } else if let Some(builtin) = map.builtin {
            if self.take.is_some_and(|count| count > MAX_RANDOM) {
                return Err(Failure::usage(format!(
                    "--take: at most {MAX_RANDOM} random problems"
                )));
            }
            builtin.problems(&map.grid, self.take.unwrap_or(10), seed)
        } else {
            return Err(Failure::usage(
                "which problems? give --scen FILE, --problems FILE, or --from X,Y --to X,Y",
            ));
        };
        problems.truncate(self.take.unwrap_or(usize::MAX));
        Ok(problems)
    }

    /// Where a problem of the `nth` map comes from, to name it in a message.
    pub fn origin(&self, nth: usize, index: usize) -> String {
        match nth_or_only(&self.scen, nth).or(nth_or_only(&self.problems, nth)) {
            Some(path) => format!("{}: problem {}: ", text::path(path), index + 1),
            None => String::new(),
        }
    }

    /// A problem of the `nth` map that cannot be run.
    pub fn failure(&self, nth: usize, failed: &FailedProblem) -> Failure {
        Failure::input(format!("{}{}", self.origin(nth, failed.index), failed.reason))
    }

    /// Refuses problems of the `nth` map that cannot be run before any is.
    pub fn check(&self, nth: usize, arena: &Arena, problems: &[Problem]) -> Result<(), Failure> {
        for (index, problem) in problems.iter().enumerate() {
            let named = |error: &dyn std::error::Error| {
                Failure::input(format!("{}{error}", self.origin(nth, index)))
            };
            arena.ends(problem).map_err(|error| named(&error))?;
            arena.check(problem.goal).map_err(|error| named(&error))?;
        }
        Ok(())
    }
}

/// The file for the `nth` map.
fn nth_or_only(files: &[PathBuf], nth: usize) -> Option<&Path> {
    let file = if files.len() == 1 { files.first() } else { files.get(nth) };
    file.map(PathBuf::as_path)
}

/// A cell, written `X,Y`.
#[derive(Clone, Copy)]
pub struct CellArgument(pub Cell);

impl FromStr for CellArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<CellArgument, String> {
        let number = |part: &str| part.trim().parse::<u32>().ok();
        let pair = text.split_once(',').and_then(|(x, y)| Some((number(x)?, number(y)?)));
        let (x, y) = pair.ok_or_else(|| {
            "expected two numbers from 0 with a comma between, such as 12,34".to_string()
        })?;
        Ok(CellArgument(Cell::new(x, y)))
    }
}

/// `key=value`, for a parameter of the algorithm.
#[derive(Clone)]
pub struct Setting(pub String, pub String);

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Setting, String> {
        match text.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => {
                Ok(Setting(key.trim().to_string(), value.trim().to_string()))
            }
            _ => Err("expected key=value, such as r=0.9".to_string()),
        }
    }
}

/// The parameters of an algorithm.
#[derive(Args)]
#[command(next_help_heading = "Algorithm")]
pub struct Parameters {
    /// The budget of each tick: expansions, a part of which some algorithms use for tracing [default: the
    /// algorithm's own, see `tickstar algorithms NAME`]
    #[arg(long, value_name = "N", value_parser = from_one, allow_negative_numbers = true)]
    pub budget: Option<u64>,
    /// The weight of the estimate, for weighted searches
    #[arg(long, value_name = "W", allow_hyphen_values = true)]
    weight: Option<String>,
    /// Sets a parameter of the algorithm; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE,…", value_delimiter = ',')]
    settings: Vec<Setting>,
}

impl Parameters {
    /// All that are given, each once.
    pub fn settings(&self) -> Result<Vec<Setting>, Failure> {
        let mut settings = self.settings.clone();
        if let Some(weight) = &self.weight {
            if let Some(Setting(_, other)) = settings.iter().find(|Setting(key, _)| key == "weight")
            {
                let (weight, other) = (quoted(weight), quoted(other));
                return Err(Failure::usage(format!(
                    "--weight {weight} and --set weight={other} are the same parameter: give one of them"
                )));
            }
            settings.push(Setting("weight".into(), weight.clone()));
        }
        Ok(settings)
    }
}

/// The algorithm of this name.
pub fn find_algorithm(name: &str) -> Result<&'static Entry, Failure> {
    catalog::find(name).map_err(Failure::usage)
}

/// The algorithm of this name with these settings, and the budget it is to be run with.
pub fn configure(
    name: &str,
    settings: &[Setting],
    budget: Option<u64>,
) -> Result<(Config, Option<u64>), Failure> {
    let entry = find_algorithm(name)?;
    for (nth, Setting(key, _)) in settings.iter().enumerate() {
        if settings[..nth].iter().any(|Setting(other, _)| other == key) {
            return Err(Failure::usage(format!("`{}` is set twice", quoted(key))));
        }
    }
    let pairs: Vec<_> = settings.iter().map(|Setting(key, value)| (key, value)).collect();
    let config = entry.configure(&pairs).map_err(Failure::usage)?;
    let budget = budget.or(entry.default_budget);
    if let Some(budget) = budget {
        config.check_budget(budget).map_err(Failure::usage)?;
    }
    Ok((config, budget))
}

/// A progress bar, if standard error is a terminal.
pub fn progress(length: u64, what: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} {elapsed} (left {eta})")
        .expect("a constant template");
    ProgressBar::new(length).with_style(style).with_message(what)
}
