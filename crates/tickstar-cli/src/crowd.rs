//! `tickstar crowd`: many agents on one map with one budget per frame.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use tickstar::Cell;
use tickstar::crowd::CrowdConfig;
use tickstar_lab::Problem;
use tickstar_lab::crowd::{
    self, Budget, Figures, PlacesError, Planner, Run, Setup, State, Walker, optima, prepare,
};
use tickstar_lab::draw::{self, CrowdFilm, CrowdScene};
use tickstar_lab::text::{self, counted};

use crate::draw::Format;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::layout::wrapped;
use crate::number::{from_one, from_zero, whole};
use crate::output::{self, check_writable, refuse_overwriting, refuse_twice};
use crate::source::{Map, Movement, map_file, progress};

/// The most agents.
pub const MOST_AGENTS: u64 = 1_000_000;

/// Send a crowd across a map: many agents with one budget per frame
///
/// Starts and goals are random cells of the largest connected part of the map. In each frame, every agent that knows
/// where to go takes a step, and what is left of the budget is spent on planning. Every step is checked. With a
/// budget in units, all figures but times are the same in every run.
///
/// On a terminal, a line shows how far they are: the frame, agents on their way, arrived, standing, and milliseconds
/// per frame.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar crowd\n  \
    tickstar crowd --agents 10000 --budget 60000 --json\n  \
    tickstar crowd --map builtin:islands-128 --agents 500 --avoid-collisions --picture crowd.png\n  \
    tickstar crowd --map builtin:rooms-64 --agents 200 --animate crowd.svg\n  \
    tickstar crowd --map a.map --agents 2000 --goals 4 --picture crowd.svg --at 100\n  \
    tickstar crowd --map builtin:islands-512 --stream 50 --edits 10")]
pub struct CrowdCommand {
    /// The map: a file in the benchmark's format, rows of # and . in a .txt, or builtin:NAME (see `tickstar
    /// maps list`)
    #[arg(
        long,
        value_name = "FILE|builtin:NAME",
        default_value = "builtin:caves-512",
        help_heading = "Map"
    )]
    map: PathBuf,
    #[command(flatten)]
    movement: Movement,
    /// Cells that are blocked or freed before each frame, at random, but never under an agent or at a goal; at most
    /// two percent of the free cells are blocked at a time
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<usize>(0..=10_000),
        allow_negative_numbers = true, help_heading = "Map")]
    edits: usize,
    /// How many agents
    #[arg(long, value_name = "N", default_value_t = 1000,
        value_parser = whole::<usize>(1..=MOST_AGENTS), allow_negative_numbers = true,
        help_heading = "Agents")]
    agents: usize,
    #[command(flatten)]
    behavior: Behavior,
    /// The budget of each frame: milliseconds, such as 2ms, or units, such as 60000
    #[arg(
        long,
        value_name = "MS|UNITS",
        default_value = "2ms",
        allow_hyphen_values = true,
        help_heading = "Agents"
    )]
    budget: Budget,
    /// The run ends after so many frames
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = from_one,
        allow_negative_numbers = true, help_heading = "Agents")]
    frames: u64,
    /// All figures as one JSON object
    #[arg(long, help_heading = "Output")]
    json: bool,
    /// Draw the map, how often each cell was walked over, and the agents; the name ends in .svg or .png
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    picture: Option<PathBuf>,
    /// After which frame the picture is drawn [default: the mean number of moves of the shortest paths]
    #[arg(long, value_name = "FRAME", value_parser = from_zero, allow_negative_numbers = true,
        requires = "picture", help_heading = "Output")]
    at: Option<u64>,
    /// Draw an animation of the first 300 agents in the first 1000 frames; the name ends in .svg
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    animate: Option<PathBuf>,
}

/// Where agents are from and go, and what they do on the way.
#[derive(Args)]
#[command(next_help_heading = "Agents")]
pub struct Behavior {
    /// The seed of starts, goals and edits
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = from_zero,
        allow_negative_numbers = true)]
    pub seed: u64,
    /// Agents that are spawned per frame [default: all in the first frame]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(1..=MOST_AGENTS),
        allow_negative_numbers = true)]
    pub stream: Option<usize>,
    /// How many different goals there are [default: one per agent]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(1..=MOST_AGENTS),
        allow_negative_numbers = true)]
    pub goals: Option<usize>,
    /// No two agents may be on the same cell, or pass through each other
    #[arg(long)]
    avoid_collisions: bool,
    /// The number of threads that plan. With a budget in units, the same steps are taken on any number
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<usize>(1..=256),
        allow_negative_numbers = true)]
    pub threads: usize,
    /// Agents with the same goal do not share searches
    #[arg(long)]
    no_share: bool,
    /// Paths are not replaced by shortest ones when there is time
    #[arg(long)]
    no_refine: bool,
    /// The memory that the crowd may take, in bytes; further agents wait [default: no limit]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(1..=u64::MAX),
        allow_negative_numbers = true)]
    max_bytes: Option<usize>,
}

impl Behavior {
    /// The settings of the crowd.
    pub fn config(&self) -> CrowdConfig {
        CrowdConfig {
            share: !self.no_share,
            refine: !self.no_refine,
            avoid_collisions: self.avoid_collisions,
            max_bytes: self.max_bytes,
        }
    }

    /// Refuses what would never end: where collisions are avoided, agents would wait for starts that are goals of
    /// others.
    pub fn check_room(&self, cells: usize, agents: usize) -> Result<(), Failure> {
        if self.avoid_collisions && self.stream.is_some() && 2 * agents > cells {
            return Err(Failure::usage(format!(
                "with --stream and --avoid-collisions, starts and goals need two cells per agent: the map has {}",
                counted(cells, "free cell")
            )));
        }
        Ok(())
    }
}

/// A reason why there are no problems, as a failure.
pub fn refused(error: PlacesError) -> Failure {
    match error {
        PlacesError::TooFew { .. } => Failure::usage(error),
        error => Failure::input(error),
    }
}

/// The most agents and frames of an animation, and how many frames it shows per second.
const FILMED_AGENTS: usize = 300;
const FILMED_FRAMES: usize = 1000;
const FILM_SPEED: u32 = 20;

impl CrowdCommand {
    pub fn execute(&self) -> Result<(), Failure> {
        self.check_files()?;
        let interrupt = Interrupt::watch();
        let map = Map::load(&self.map, self.movement)?;
        self.behavior.check_room(map.grid.free_cells().count(), self.agents)?;
        let Behavior { seed, goals, avoid_collisions, .. } = self.behavior;
        let problems = crowd::problems(&map.grid, self.agents, seed, goals, avoid_collisions);
        let problems = problems.map_err(|error| refused(error).on_map(&self.map))?;
        let title = map.title();
        let map = prepare(map.grid, [&Planner::Crowd]).map_err(Failure::input)?;
        let bar = progress(problems.len() as u64, "shortest paths");
        let optima = optima(&map, &problems, || {
            bar.inc(1);
            true
        });
        bar.finish_and_clear();
        let moves: u64 = optima.iter().map(|optimum| optimum.moves).sum();
        let at = self.at.unwrap_or((moves as f64 / problems.len() as f64).round() as u64);
        let setup = Setup {
            config: self.behavior.config(),
            stream: self.behavior.stream,
            edits: self.edits,
            seed,
            most_frames: self.frames,
            threads: self.behavior.threads,
            ..Setup::new(self.budget)
        };
        let mut run = Run::new(map, &problems, setup);
        let mut recorder = Recorder::new(self, &run, &problems, at);
        let stop = interrupt.begin();
        watch(&mut run, &mut recorder, stop)?;
        let figures = run.figures(&optima);
        if self.json {
            let mut object = json!({
                "map": self.map.to_string_lossy(),
                "seed": seed,
                "budget": self.budget.to_string(),
            });
            let figures = serde_json::to_value(&figures).expect("figures are plain data");
            if let (Value::Object(object), Value::Object(figures)) = (&mut object, figures) {
                object.extend(figures);
            }
            writeln!(io::stdout(), "{object}")?;
        } else {
            writeln!(io::stdout(), "{}", self.summary(&title, &figures))?;
        }
        let drawn = self.draw(&title, &run, recorder)?;
        if !self.json {
            for line in drawn {
                writeln!(io::stdout(), "{line}")?;
            }
        }
        if stop.load(Ordering::Relaxed) && !run.is_over() {
            return Err(Failure::Stopped(format!(
                "stopped after {}: {} of {} had arrived",
                counted(run.frames(), "frame"),
                run.arrived(),
                counted(problems.len(), "agent")
            )));
        }
        Ok(())
    }

    /// Refuses pictures that cannot be written before anything is run.
    fn check_files(&self) -> Result<(), Failure> {
        if let Some(path) = &self.picture {
            Format::of(path)?;
        }
        if let Some(path) = &self.animate
            && !matches!(Format::of(path), Ok(Format::Svg))
        {
            return Err(Failure::usage(format!(
                "{}: the name of an animation must end in .svg",
                text::path(path)
            )));
        }
        refuse_twice(self.picture.as_deref(), self.animate.as_deref())?;
        for path in self.files() {
            refuse_overwriting(path, map_file(&self.map))?;
            check_writable(path)?;
        }
        Ok(())
    }

    fn files(&self) -> impl Iterator<Item = &Path> {
        self.picture.iter().chain(&self.animate).map(PathBuf::as_path)
    }

    fn summary(&self, title: &str, figures: &Figures) -> String {
        let times = &figures.times;
        let mut lines = vec![format!(
            "{title}: {} of {} arrived in {} of {} (shortest paths: {:.1} moves on average)",
            figures.arrived,
            counted(figures.agents, "agent"),
            counted(figures.frames, "frame"),
            self.budget(),
            figures.optimal_moves
        )];
        if figures.unreachable > 0 {
            let count = counted(figures.unreachable, "agent");
            lines.push(format!("unreachable: no path leads to the goal of {count}"));
        }
        if !figures.complete {
            let left = figures.agents - figures.arrived - figures.unreachable;
            lines.push(format!(
                "not complete: {} not arrived when the run ended, {} of which never moved",
                if left == 1 { "1 agent had".into() } else { format!("{left} agents had") },
                figures.never_moved
            ));
        }
        let least = if figures.complete { "" } else { "at least " };
        let length = figures.suboptimality.map_or(String::new(), |suboptimality| {
            format!("; walks {suboptimality:.4} times its length")
        });
        lines.push(format!(
            "arrival: {least}{:.4} times the moves of the shortest path{length}",
            figures.arrival_over_moves
        ));
        lines.push(format!(
            "standing: {:.2} % of the time on the way; the last agent first moved in its frame {}, and none stood for \
             more than {}",
            figures.standing * 100.0,
            figures.last_first_move,
            counted(figures.longest_wait, "frame")
        ));
        let over = times.over_budget.map_or(String::new(), |over| {
            format!("; {:.2} % took over 5 % longer than the budget", over * 100.0)
        });
        lines.push(format!(
            "frames: median {:.2} ms, 99 % within {:.2} ms, longest {:.2} ms{over}",
            times.frame_p50_ms, times.frame_p99_ms, times.frame_max_ms
        ));
        if let Some(own) = times.undisturbed {
            let over = own.over_budget.map_or(String::new(), |over| {
                format!(", {:.2} % took over 5 % longer than the budget", over * 100.0)
            });
            let count = counted(own.frames, "frame");
            lines.push(format!(
                "undisturbed by other programs: {count}, 99 % within {:.2} ms, longest {:.2} ms{over}",
                own.frame_p99_ms, own.frame_max_ms
            ));
        }
        if let Some(ms) = times.walking_ms_per_10000 {
            lines.push(format!("walking: {ms:.3} ms per 10000 steps, where nothing was planned"));
        }
        lines.push(format!(
            "work: {:.0} units per agent, {:.0} of them for planning",
            figures.units_per_agent, figures.planning_units_per_agent
        ));
        let process = times.peak_resident_bytes.map_or(String::new(), |bytes| {
            format!(", {:.1} MB for the whole process", megabytes(bytes as usize))
        });
        let crowd = megabytes(figures.crowd_bytes);
        lines.push(format!("memory: at most {crowd:.1} MB for the crowd{process}"));
        lines.iter().map(|line| crate::layout::hanging(line, 2)).collect::<Vec<_>>().join("\n")
    }

    fn budget(&self) -> String {
        match self.budget {
            Budget::Time(_) => format!("{} each", self.budget.to_string().replace("ms", " ms")),
            Budget::Units(units) => format!("{} each", counted(units, "unit")),
        }
    }

    /// Draws what was recorded; returns what was written.
    fn draw(&self, title: &str, run: &Run<'_>, recorder: Recorder) -> Result<Vec<String>, Failure> {
        let mut written = Vec::new();
        let cell_px = draw::default_cell_px(run.map(), 1);
        let agents = counted(self.agents, "agent");
        if let Some(path) = &self.picture {
            let (scene, frame) = match recorder.scene {
                Some(scene) => (scene, recorder.at),
                // The run has ended before.
                None => (recorder.steps.scene(run), run.frames()),
            };
            let caption = format!(
                "{title} · {agents} · {} · frame {frame}: {} on their way, {} arrived",
                self.budget(),
                scene.underway.len(),
                scene.arrived.len()
            );
            let svg = draw::crowd_svg(&scene, &caption, cell_px);
            Format::of(path)?.write(svg, path)?;
            written.push(wrapped(&format!("{}: {caption}", text::path(path))));
        }
        if let Some(path) = &self.animate {
            let walks = recorder.walks;
            let frames = walks.first().map_or(0, |walk| walk.len() - 1);
            let caption = format!(
                "{title} · {} of {agents}, {} of {}, {FILM_SPEED} per second",
                walks.len(),
                frames,
                counted(run.frames(), "frame")
            );
            let film = CrowdFilm { grid: run.map().space().clone(), walks, speed: FILM_SPEED };
            output::write(path, draw::film_svg(&film, &caption, cell_px))?;
            written.push(wrapped(&format!("{}: {caption}", text::path(path))));
        }
        Ok(written)
    }
}

/// Bytes as megabytes.
pub fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

/// How often the line on the terminal is refreshed.
const REFRESH: Duration = Duration::from_millis(50);

/// Runs the crowd to its end, or until it is stopped, with a line that shows how far it is.
fn watch(run: &mut Run<'_>, recorder: &mut Recorder, stop: &AtomicBool) -> Result<(), Failure> {
    let style = ProgressStyle::with_template("{spinner} {msg}").expect("a constant template");
    let line = ProgressBar::new_spinner().with_style(style);
    let (mut shown, mut since, mut time) = (Instant::now(), 0, Duration::ZERO);
    while !run.is_over() && !stop.load(Ordering::Relaxed) {
        run.frame().map_err(Failure::input)?;
        recorder.record(run);
        since += 1;
        time += run.last_time();
        if shown.elapsed() >= REFRESH {
            line.set_message(format!(
                "frame {} · {} on their way, {} arrived, {} standing · {:.2} ms per frame",
                run.frames(),
                run.underway(),
                run.arrived(),
                run.stats().stood,
                time.as_secs_f64() * 1e3 / f64::from(since)
            ));
            line.tick();
            (shown, since, time) = (Instant::now(), 0, Duration::ZERO);
        }
    }
    line.finish_and_clear();
    Ok(())
}

/// What pictures need of a run.
struct Recorder {
    picture: bool,
    /// The frame after which the picture is drawn.
    at: u64,
    steps: Steps,
    scene: Option<CrowdScene>,
    /// Of the agents that are filmed, where they were.
    walks: Vec<Vec<Cell>>,
}

impl Recorder {
    fn new(command: &CrowdCommand, run: &Run<'_>, problems: &[Problem], at: u64) -> Recorder {
        let filmed = if command.animate.is_some() { FILMED_AGENTS } else { 0 };
        let mut recorder = Recorder {
            picture: command.picture.is_some(),
            at,
            steps: Steps::new(run, command.picture.is_some()),
            scene: None,
            walks: problems.iter().take(filmed).map(|problem| vec![problem.start]).collect(),
        };
        recorder.catch(run);
        recorder
    }

    /// Records a frame.
    fn record(&mut self, run: &Run<'_>) {
        for (walk, walker) in self.walks.iter_mut().zip(run.walkers()) {
            if walk.len() <= FILMED_FRAMES {
                walk.push(walker.at);
            }
        }
        if self.picture && self.scene.is_none() {
            self.steps.add(run.walkers());
            self.catch(run);
        }
    }

    fn catch(&mut self, run: &Run<'_>) {
        if self.picture && run.frames() == self.at {
            self.scene = Some(self.steps.scene(run));
        }
    }
}

/// How often each cell was walked over.
struct Steps {
    width: usize,
    counts: Vec<u64>,
    last: Vec<Cell>,
}

impl Steps {
    fn new(run: &Run<'_>, needed: bool) -> Steps {
        let (width, height) = (run.map().width() as usize, run.map().height() as usize);
        let counts = if needed { vec![0; width * height] } else { Vec::new() };
        Steps { width, counts, last: run.walkers().iter().map(|walker| walker.at).collect() }
    }

    fn add(&mut self, walkers: &[Walker]) {
        for (last, walker) in self.last.iter_mut().zip(walkers) {
            if *last != walker.at {
                *last = walker.at;
                self.counts[walker.at.y as usize * self.width + walker.at.x as usize] += 1;
            }
        }
    }

    fn scene(&self, run: &Run<'_>) -> CrowdScene {
        let cell =
            |index: usize| Cell::new((index % self.width) as u32, (index / self.width) as u32);
        let steps = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let of = |arrived: bool| {
            let walkers = run.walkers().iter().filter(|walker| walker.state != State::Absent);
            let all = walkers.filter(|walker| (walker.state == State::Arrived) == arrived);
            all.map(|walker| walker.at).collect::<Vec<Cell>>()
        };
        CrowdScene {
            grid: run.map().space().clone(),
            steps: steps.map(|(index, &count)| (cell(index), count)).collect(),
            blocked: run.blocked().to_vec(),
            underway: of(false),
            arrived: of(true),
        }
    }
}
