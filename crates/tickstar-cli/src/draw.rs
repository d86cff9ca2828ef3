//! `tickstar draw`: a picture of one run.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use tickstar_lab::draw::{self, Picture};
use tickstar_lab::{Interval, Outcome, WorldKind, text};

use crate::failure::Failure;
use crate::number::whole;
use crate::source::{Algorithm, Map, Movement, Problems, Tables, Worlds};

/// Draw one run: the map, the expanded cells by time, the walk, back-moves, and the unknown cells
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar draw\n  \
    tickstar draw --map builtin:two-corridors --budget 30 --set shortcut=true --out shortcut.svg\n  \
    tickstar draw --map a.map --from 3,4 --to 60,12 --algorithm astar --out a.png\n  \
    tickstar draw --map builtin:rooms-64 --world unknown --algorithm tbaa --out fog.png")]
pub struct Draw {
    /// The map: a file in the benchmark's format, or builtin:NAME (see `tickstar maps list`)
    #[arg(
        long,
        value_name = "FILE|builtin:NAME",
        default_value = "builtin:caves-128",
        help_heading = "Map"
    )]
    map: OsString,
    #[command(flatten)]
    problems: Problems,
    /// Which of the problems, from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<usize>(0..=u64::MAX),
        allow_negative_numbers = true, help_heading = "Problems")]
    problem: usize,
    #[command(flatten)]
    algorithm: Algorithm,
    #[command(flatten)]
    movement: Movement,
    #[command(flatten)]
    worlds: Worlds,
    #[command(flatten)]
    tables: Tables,
    /// Where to write the picture; its name ends in .png or .svg
    #[arg(long, value_name = "FILE", default_value = "tickstar.png", help_heading = "Output")]
    out: PathBuf,
    /// Pixels per cell, 1 to 64 [default: depends on the map]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=64), allow_negative_numbers = true,
        help_heading = "Output")]
    cell_px: Option<u32>,
}

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
        std::fs::write(path, bytes).map_err(|error| Failure::writing(path, &error))
    }
}

impl Draw {
    pub fn execute(&self) -> Result<(), Failure> {
        let format = Format::of(&self.out)?;
        let (config, budget) = self.algorithm.configure(None)?;
        let map = Map::load(&self.map, self.movement)?;
        self.problems.check_count(1)?;
        let problems = self.problems.load(&map, 0, self.worlds.seed)?;
        let index = self.problem.wrapping_sub(1);
        let problem = problems.get(index).ok_or_else(|| {
            Failure::usage(format!("--problem {}: there are 1 to {}", self.problem, problems.len()))
        })?;
        self.tables.check(1, &self.worlds, [&config])?;
        let mut terrain = self.worlds.terrain(&map)?;
        self.tables.prepare(0, &mut terrain, &config)?;
        self.problems.check(0, &terrain, &problems)?;
        let job = self.worlds.job(&map, &terrain, &config, budget)?;
        let named = |error| Failure::input(format!("{}{error}", self.problems.origin(0, index)));
        let mut sim = job.sim(problem).map_err(named)?;
        let mut expanded = Vec::new();
        let mut observe = |interval: &Interval<'_>| {
            let cells = interval.expanded.iter().map(|&node| interval.known.cell(node));
            expanded.extend(cells.map(|cell| (cell, interval.number)));
        };
        let journey = sim.run(job.max_intervals, Some(&mut observe));
        let mut reference = job.reference(problem).map_err(named)?;
        let record = job.judge(problem, &journey, &mut reference);
        let grid = sim.world().truth().picture();
        let walk: Vec<_> = journey.path.iter().map(|&node| grid.cell(node)).collect();
        let budget = budget.map_or("no limit".to_string(), |budget| format!("budget {budget}"));
        let end = match (record.outcome, record.optimal) {
            (Outcome::Reached, Some(optimal)) => format!(
                "length {:.1} (optimal {optimal:.1}) in {} intervals, {} expansions",
                record.tally.cost.in_cells(),
                record.tally.intervals,
                record.tally.expansions
            ),
            (Outcome::Reached, None) => {
                format!(
                    "length {:.1} in {} intervals",
                    record.tally.cost.in_cells(),
                    record.tally.intervals
                )
            }
            (Outcome::Unreachable, _) => {
                format!("unreachable, after {} intervals", record.tally.intervals)
            }
            (Outcome::GaveUp, _) => format!("gave up after {} intervals", record.tally.intervals),
        };
        let world = match terrain.kind() {
            WorldKind::Known => String::new(),
            other => format!(" · {other}"),
        };
        let caption = format!("{}{world} · {} · {budget} · {end}", map.name, record.algorithm);
        let fog = sim.world().fog();
        let picture = Picture {
            grid: &grid,
            expanded: &expanded,
            walk: &walk,
            back: &journey.back,
            start: problem.start,
            goal: problem.goal,
            fog: &fog,
            caption: &caption,
        };
        let svg = draw::svg(&picture, self.cell_px.unwrap_or_else(|| draw::default_cell_px(&grid)));
        format.write(svg, &self.out)?;
        Ok(writeln!(io::stdout(), "{}: {}", text::path(&self.out), text::escaped(&caption))?)
    }
}
