//! `tickstar run`: one algorithm on one map, over any number of problems.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use rayon::prelude::*;
use serde_json::json;
use tickstar::NodeId;
use tickstar_lab::{Interval, Job, Outcome, Problem, ProblemError, Record, Reference, Summary};

use crate::failure::Failure;
use crate::source::{Algorithm, Map, Problems, Rules, progress};

/// Run an algorithm on the problems of a map
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar run --map builtin:rooms-64 --budget 20\n  \
    tickstar run --map a.map --scen a.map.scen --take 50 --algorithm astar --json\n  \
    tickstar run --map a.map --from 3,4 --to 60,12 --budget 50 --set switch=true --json --path")]
pub struct Run {
    /// The map: a file in the benchmark's format, or builtin:NAME (see `tickstar maps list`)
    #[arg(long, value_name = "FILE|builtin:NAME")]
    map: String,
    #[command(flatten)]
    problems: Problems,
    #[command(flatten)]
    algorithm: Algorithm,
    #[command(flatten)]
    rules: Rules,
    /// The seed of whatever is random: the problems of a built-in map
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// One JSON object a problem, in the order of the input
    #[arg(long)]
    json: bool,
    /// Also every position of the walk, start first
    #[arg(long)]
    path: bool,
    /// Write what happened in each interval to a file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
}

impl Run {
    pub fn execute(&self) -> Result<(), Failure> {
        let (config, budget) = self.algorithm.configure()?;
        let map = Map::load(&self.map, self.rules)?;
        let problems = self.problems.load(&map, self.seed)?;
        let grid = &map.grid;
        let job = Job { map: &map.name, grid, config: &config, budget, seed: self.seed };
        self.problems.check(&job, &problems)?;
        let records = match &self.trace {
            Some(file) => self.run_traced(&job, &problems, file)?,
            None => self.run_all(&job, &problems)?,
        };
        let mut out = BufWriter::new(io::stdout().lock());
        if self.json {
            for record in &records {
                let line = serde_json::to_string(record).expect("a record is plain data");
                writeln!(out, "{line}")?;
            }
        } else {
            for record in &records {
                print(&mut out, record)?;
            }
            if records.len() > 1 {
                print_summary(&mut out, &Summary::of(&records))?;
            }
        }
        Ok(out.flush()?)
    }

    /// On all processors, with a progress bar.
    fn run_all(&self, job: &Job<'_>, problems: &[Problem]) -> Result<Vec<Record>, Failure> {
        let bar = progress(problems.len() as u64, "problems");
        let records: Result<Vec<_>, _> = problems
            .par_iter()
            .enumerate()
            .map(|(index, problem)| {
                let record = self.solve(job, problem, None);
                bar.inc(1);
                record.map_err(|error| self.named(index, &error))
            })
            .collect();
        bar.finish_and_clear();
        records
    }

    /// One after another, so that the file is in order.
    fn run_traced(
        &self,
        job: &Job<'_>,
        problems: &[Problem],
        path: &Path,
    ) -> Result<Vec<Record>, Failure> {
        let failed = |error: io::Error| Failure::writing(path, &error);
        let mut file = BufWriter::new(File::create(path).map_err(failed)?);
        let mut written = Ok(());
        let mut records = Vec::new();
        for (index, problem) in problems.iter().enumerate() {
            let mut observe = |interval: &Interval<'_>| {
                if written.is_ok() {
                    written = writeln!(file, "{}", line(job, index, interval));
                }
            };
            let record = self.solve(job, problem, Some(&mut observe));
            records.push(record.map_err(|error| self.named(index, &error))?);
        }
        written.and_then(|()| file.flush()).map_err(failed)?;
        Ok(records)
    }

    fn solve(
        &self,
        job: &Job<'_>,
        problem: &Problem,
        observe: Option<&mut dyn FnMut(&Interval<'_>)>,
    ) -> Result<Record, ProblemError> {
        let (_, goal) = job.ends(problem)?;
        let journey = job.journey(problem, observe)?;
        let mut record = job.judge(problem, &journey, &mut Reference::new(job.grid, goal));
        if self.path {
            record.path = Some(journey.path.iter().map(|&node| cell(job, node)).collect());
        }
        Ok(record)
    }

    fn named(&self, index: usize, error: &ProblemError) -> Failure {
        Failure::input(format!("{}{error}", self.problems.place(index)))
    }
}

fn cell(job: &Job<'_>, node: NodeId) -> [u32; 2] {
    let cell = job.grid.cell(node);
    [cell.x, cell.y]
}

fn line(job: &Job<'_>, problem: usize, interval: &Interval<'_>) -> serde_json::Value {
    let cell = |node| cell(job, node);
    json!({
        "problem": problem,
        "interval": interval.number,
        "position": cell(interval.position),
        "expanded": interval.expanded.iter().map(|&node| cell(node)).collect::<Vec<_>>(),
        "target": interval.target.map(cell),
        "events": interval.events,
    })
}

fn print(out: &mut impl Write, record: &Record) -> Result<(), Failure> {
    let ([sx, sy], [gx, gy]) = (record.start, record.goal);
    write!(out, "({sx}, {sy}) to ({gx}, {gy}): ")?;
    match (record.outcome, record.optimal) {
        (Outcome::Unreachable, _) | (_, None) => writeln!(
            out,
            "unreachable, found out after {} intervals and {} expansions",
            record.intervals, record.expansions
        )?,
        (Outcome::Reached, Some(optimal)) => writeln!(
            out,
            "reached in {} intervals, {} moves of length {:.2} ({:.3} times the optimal {optimal:.2}), \
             {} expansions, at most {} in an interval",
            record.intervals,
            record.moves,
            record.cost,
            record.suboptimality.unwrap_or(1.0),
            record.expansions,
            record.max_expansions_per_interval,
        )?,
    }
    if let Some(path) = &record.path {
        let cells: Vec<_> = path.iter().map(|[x, y]| format!("{x},{y}")).collect();
        writeln!(out, "  path: {}", cells.join(" "))?;
    }
    Ok(())
}

fn print_summary(out: &mut impl Write, summary: &Summary) -> Result<(), Failure> {
    writeln!(
        out,
        "\n{} of {} reached; on average {:.3} times the optimal length, {:.1} intervals, first move \
         in interval {:.1}, {:.0} expansions, {:.1} back-moves",
        summary.reached,
        summary.problems,
        summary.suboptimality,
        summary.intervals,
        summary.first_move_interval,
        summary.expansions,
        summary.back_moves,
    )?;
    Ok(())
}
