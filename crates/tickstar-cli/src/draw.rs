//! `tickstar draw`: a picture of one run, or of several side by side.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use tickstar_lab::draw::{self, Scene};
use tickstar_lab::{Contestant, Job, Outcome, Problem, ProblemError, Record, WorldKind, text};

use crate::contestants::{check_one_level, contestants};
use crate::failure::Failure;
use crate::number::whole;
use crate::output::{self, check_writable, refuse_overwriting};
use crate::source::{Map, Movement, Parameters, Problems, Tables, Worlds, map_file};

/// Draw a run: the map, the expanded cells by time, the walk, and the unknown cells
///
/// With several algorithms their runs on one problem are drawn side by side. Without any flags it draws a run
/// worth looking at: an agent in a dead end.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar draw\n  \
    tickstar draw --algorithm astar --algorithm tba --out both.png\n  \
    tickstar draw --map builtin:two-corridors --budget 30 --set shortcut=true --out shortcut.svg\n  \
    tickstar draw --map a.map --from 3,4 --to 60,12 --algorithm astar --out a.png\n  \
    tickstar draw --map builtin:rooms-64 --world unknown --algorithm tbaa --out fog.png\n  \
    tickstar draw --map builtin:caves-128 --world dynamic:5 --algorithm rtba --out changes.png\n  \
    tickstar draw --animate --algorithm tba --algorithm rtaa --out race.svg")]
pub struct Draw {
    /// The map: a file in the benchmark's format, rows of # and . in a .txt, or builtin:NAME (see `tickstar
    /// maps list`) [default: builtin:islands-128, with its second problem and a budget of 25]
    #[arg(long, value_name = "FILE|builtin:NAME", help_heading = "Map")]
    map: Option<PathBuf>,
    #[command(flatten)]
    problems: Problems,
    /// Which of the problems, from 1 [default: the first]
    #[arg(long, value_name = "N", value_parser = whole::<usize>(1..=u64::MAX),
        allow_negative_numbers = true, help_heading = "Problems")]
    problem: Option<usize>,
    /// The algorithm, with parameters after colons (see `tickstar algorithms`); several are drawn side by
    /// side, at most nine
    #[arg(
        long,
        value_name = "NAME[:KEY=VALUE…]",
        default_value = "tba",
        help_heading = "Algorithm"
    )]
    algorithm: Vec<String>,
    #[command(flatten)]
    parameters: Parameters,
    #[command(flatten)]
    movement: Movement,
    #[command(flatten)]
    worlds: Worlds,
    #[command(flatten)]
    tables: Tables,
    /// Where to write the picture; its name ends in .png or .svg [default: tickstar.png, or tickstar.svg with
    /// --animate]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    out: Option<PathBuf>,
    /// A moving picture, as an SVG that browsers play: the search as it spreads, and the agent as it walks
    #[arg(long, help_heading = "Output")]
    animate: bool,
    /// Ticks per second of a moving picture, 1 to 1000
    #[arg(long, value_name = "N", default_value = "20", value_parser = whole::<u32>(1..=1000),
        allow_negative_numbers = true, requires = "animate", help_heading = "Output")]
    speed: u32,
    /// Pixels per cell, 1 to 64 [default: depends on the map]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=64), allow_negative_numbers = true,
        help_heading = "Output")]
    cell_px: Option<u32>,
}

/// A run worth looking at: an agent that starts in a dead end, walks into it, and turns back.
const STORY: (&str, usize, u64) = ("builtin:islands-128", 2, 25);

/// The most runs in one picture.
const MAX_RUNS: usize = 9;

/// How a picture is written.
#[derive(Clone, Copy)]
pub enum Format {
    Png,
    Svg,
}

impl Format {
    /// What the name of a file asks for.
    pub fn of(path: &Path) -> Result<Format, Failure> {
        let kind = path.extension().map(|kind| kind.to_string_lossy().to_lowercase());
        match kind.as_deref() {
            Some("png") => Ok(Format::Png),
            Some("svg") => Ok(Format::Svg),
            _ => Err(Failure::usage(format!(
                "{}: the picture's name must end in .png or .svg",
                text::path(path)
            ))),
        }
    }

    /// Writes the picture.
    pub fn write(self, svg: String, path: &Path) -> Result<(), Failure> {
        let bytes = match self {
            Format::Png => draw::png(&svg).map_err(Failure::usage)?,
            Format::Svg => svg.into_bytes(),
        };
        output::write(path, bytes)
    }
}

impl Draw {
    pub fn execute(&self) -> Result<(), Failure> {
        let out = self.out();
        let format = Format::of(out)?;
        if self.animate && matches!(format, Format::Png) {
            return Err(Failure::usage(format!(
                "{}: a moving picture is an SVG: its name must end in .svg",
                text::path(out)
            )));
        }
        let (name, story) = match &self.map {
            Some(name) => (name.as_path(), None),
            None => (Path::new(STORY.0), Some(STORY)),
        };
        let files = self.problems.files().chain(self.tables.files()).chain(self.worlds.file());
        refuse_overwriting(out, map_file(name).into_iter().chain(files))?;
        let contestants = self.contestants(story.map(|(.., budget)| budget))?;
        check_one_level(&contestants)?;
        let map = Map::load(name, self.movement)?;
        self.problems.check_count(1)?;
        let problems = self.problems.load(&map, 0, self.worlds.seed)?;
        let first = story.map_or(1, |(_, nth, _)| nth.min(problems.len()));
        let nth = self.problem.unwrap_or(first);
        let problem = problems.get(nth.wrapping_sub(1)).ok_or_else(|| {
            let count = problems.len();
            let have = if count == 1 { "is 1 problem" } else { &format!("are {count} problems") };
            Failure::usage(format!("--problem {nth}: there {have}"))
        })?;
        self.tables.check(1, &self.worlds, contestants.iter().map(|who| &who.config))?;
        let mut arena = self.worlds.arena(&map)?;
        self.problems.check(0, &arena, &problems)?;
        check_writable(out)?;
        for contestant in &contestants {
            self.tables.prepare(0, &mut arena, &contestant.config)?;
        }
        let mut jobs = Vec::new();
        for Contestant { config, budget, .. } in &contestants {
            jobs.push(self.worlds.job(&map, &arena, config, *budget)?);
        }
        let named = |error| Failure::input(format!("{}{error}", self.problems.origin(0, nth - 1)));
        let runs = jobs.iter().zip(&contestants).collect::<Vec<_>>();
        let Picture { svg, text } = Picture::new(
            &map.title(),
            &runs,
            problem,
            self.cell_px,
            self.animate.then_some(self.speed),
        )
        .map_err(named)?;
        format.write(svg, out)?;
        let lines: Vec<_> = text.lines().map(text::escaped).collect();
        Ok(writeln!(io::stdout(), "{}: {}", text::path(out), lines.join("\n"))?)
    }

    fn out(&self) -> &Path {
        let usual = if self.animate { "tickstar.svg" } else { "tickstar.png" };
        self.out.as_deref().unwrap_or(Path::new(usual))
    }

    /// The algorithms to be drawn.
    fn contestants(&self, usual: Option<u64>) -> Result<Vec<Contestant>, Failure> {
        let settings = self.parameters.settings()?;
        let budgets: Vec<_> = self.parameters.budget.or(usual).map(Some).into_iter().collect();
        let each = self.algorithm.iter().map(|text| contestants(text, &settings, &budgets));
        let all = each.collect::<Result<Vec<_>, _>>()?.concat();
        if all.len() > MAX_RUNS {
            let count = all.len();
            return Err(Failure::usage(format!(
                "--algorithm: {count} runs, but a picture has at most {MAX_RUNS}"
            )));
        }
        Ok(all)
    }
}

/// A picture of runs on one problem, and what it shows in words.
pub struct Picture {
    pub svg: String,
    pub text: String,
}

impl Picture {
    /// Runs a problem with each contestant, and draws what happens; moving, if a number of ticks per second is given.
    pub fn new(
        map: &str,
        runs: &[(&Job<'_>, &Contestant)],
        problem: &Problem,
        cell_px: Option<u32>,
        speed: Option<u32>,
    ) -> Result<Picture, ProblemError> {
        let mut scenes = Vec::new();
        let mut ends = Vec::new();
        for (job, contestant) in runs {
            let (scene, record) = Scene::watch(job, problem)?;
            ends.push((named(contestant), described(&scene, &record)));
            scenes.push(scene);
        }
        let world = match runs.first().map(|(job, _)| job.arena.kind()) {
            None | Some(WorldKind::Known) => String::new(),
            Some(other) => format!(" · {other}"),
        };
        let (caption, text) = match ends.as_slice() {
            [(name, end)] => {
                let caption = format!("{map}{world} · {name} · {end}");
                (caption.clone(), caption)
            }
            several => {
                let caption = format!("{map}{world} · from {} to {}", problem.start, problem.goal);
                let mut text = caption.clone();
                for (scene, (name, end)) in scenes.iter_mut().zip(several) {
                    scene.title = format!("{name}\n{end}");
                    text = format!("{text}\n  {name} · {end}");
                }
                (caption, text)
            }
        };
        let usual = |scene: &Scene| draw::default_cell_px(&scene.grid, scenes.len());
        let cell_px = cell_px.or(scenes.first().map(usual)).unwrap_or(1);
        let svg = match speed {
            Some(speed) => draw::runs_film_svg(&scenes, &caption, cell_px, speed),
            None => draw::svg(&scenes, &caption, cell_px),
        };
        Ok(Picture { svg, text })
    }
}

fn named(Contestant { name, budget, .. }: &Contestant) -> String {
    let budget = budget.map_or("no limit".to_string(), |budget| format!("budget {budget}"));
    format!("{name} · {budget}")
}

/// How a run went, in a line.
fn described(scene: &Scene, record: &Record) -> String {
    let count = text::counted(record.tally.intervals, "tick");
    let waited = match record.tally.first_move_interval {
        Some(first) if first > 1 => format!(" · moves from tick {first}"),
        _ => String::new(),
    };
    let found = match scene.found.as_slice() {
        [] => String::new(),
        [(_, tick)] => format!(" · path found in tick {tick}"),
        [.., (_, last)] => format!(" · {} paths found, the last in tick {last}", scene.found.len()),
    };
    let end = match (record.outcome, record.optimal) {
        (Outcome::Reached, Some(optimal)) => {
            let length = record.tally.cost.in_cells();
            format!("length {length:.1} (optimal {optimal:.1}) in {count}")
        }
        (Outcome::Reached, None) => {
            format!("length {:.1} in {count}", record.tally.cost.in_cells())
        }
        (Outcome::Unreachable, _) => format!("unreachable, after {count}"),
        (Outcome::GaveUp, _) => format!("gave up after {count}"),
    };
    format!("{end}{waited}{found}")
}
