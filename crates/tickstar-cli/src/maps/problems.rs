//! `tickstar maps problems`: lists of random problems.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use tickstar_lab::files;
use tickstar_lab::generate::{choose_problems, problems_of_length};
use tickstar_lab::text::{self, counted};

use crate::failure::Failure;
use crate::number::{from_zero, whole};
use crate::output::{self, check_writable, refuse_overwriting};
use crate::source::{Map, Movement, map_file};

/// Draw random problems on a map, as a list for --problems
///
/// Each is a line `sx sy gx gy`: start and goal, as columns and rows from the top left. Both lie in the largest
/// connected part of the map, each pair as likely as any other of the length requested; or they are drawn from a
/// scenario file. The same seed draws the same problems on every machine.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar maps problems builtin:rooms-64\n  \
    tickstar maps problems a.map --count 100 --length 230..320 --seed 7 --out a.txt")]
pub struct Problems {
    /// The map: a file in the benchmark's format, rows of # and . in a .txt, or builtin:NAME
    map: PathBuf,
    /// How many
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole::<usize>(1..=1_000_000),
        allow_negative_numbers = true)]
    count: usize,
    /// The lengths of their shortest paths in cells, such as 230..320 or 50..
    #[arg(
        long,
        value_name = "MIN..MAX",
        default_value = "0..",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    length: Lengths,
    /// Draw from the problems of this scenario file of the map instead, none of them twice
    #[arg(long, value_name = "FILE")]
    scen: Option<PathBuf>,
    /// The seed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = from_zero,
        allow_negative_numbers = true)]
    seed: u64,
    /// Where to write them [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    movement: Movement,
}

#[derive(Clone)]
struct Lengths(RangeInclusive<f64>);

impl FromStr for Lengths {
    type Err = String;

    fn from_str(text: &str) -> Result<Lengths, String> {
        let number = |text: &str, default: f64| match text.trim() {
            "" => Some(default),
            text => text.parse().ok().filter(|length: &f64| length.is_finite() && *length >= 0.0),
        };
        let ends = text.split_once("..");
        let ends =
            ends.and_then(|(min, max)| Some((number(min, 0.0)?, number(max, f64::INFINITY)?)));
        ends.filter(|(min, max)| min <= max).map(|(min, max)| Lengths(min..=max)).ok_or_else(|| {
            "expected two lengths from 0 with dots between, such as 230..320 or 50..".to_string()
        })
    }
}

impl Problems {
    pub fn execute(&self) -> Result<(), Failure> {
        if let Some(path) = &self.out {
            let inputs = map_file(&self.map).into_iter().chain(self.scen.as_deref());
            refuse_overwriting(path, inputs)?;
            check_writable(path)?;
        }
        let map = Map::load(&self.map, self.movement)?;
        let Lengths(lengths) = &self.length;
        let problems = if let Some(scen) = &self.scen {
            let all = files::read_scen(scen, &map.name, &map.grid).map_err(Failure::input)?;
            choose_problems(&map.grid, all, self.count, lengths, self.seed)
        } else {
            problems_of_length(&map.grid, self.count, lengths, self.seed)
        };
        if problems.len() < self.count {
            let (found, wanted) = (problems.len(), counted(self.count, "problem"));
            let source = text::path(self.scen.as_ref().unwrap_or(&self.map));
            return Err(Failure::input(format!(
                "{source}: only {found} of {wanted} found: those of such lengths are too rare there"
            )));
        }
        let mut list = String::new();
        for problem in &problems {
            let (start, goal) = (problem.start, problem.goal);
            let _ = writeln!(list, "{} {} {} {}", start.x, start.y, goal.x, goal.y);
        }
        match &self.out {
            Some(path) => output::write(path, list),
            None => Ok(io::stdout().lock().write_all(list.as_bytes())?),
        }
    }
}
