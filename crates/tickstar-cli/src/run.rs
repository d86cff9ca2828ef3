//! `tickstar run`: one algorithm on one map, for any number of problems.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use tickstar::catalog::Config;
use tickstar::{NodeId, Space};
use tickstar_lab::files;
use tickstar_lab::stage::{Refusal, Replay, Stage};
use tickstar_lab::text::{self, counted, quoted};
use tickstar_lab::{
    Clock, Contestant, FailedProblem, Interval, Job, Journey, Observer, Outcome, Problem,
    ProblemError, Record, Summary, WorldKind,
};

use crate::contestants::contestants;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{Lines, refuse_overwriting};
use crate::source::{
    Map, Movement, Parameters, Problems, Tables, Timing, Worlds, map_file, progress,
};

/// Run an algorithm on the problems of a map
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar run\n  \
    tickstar run --map builtin:rooms-64 --budget 20\n  \
    tickstar run --map a.map --scen a.map.scen --take 50 --algorithm astar --json\n  \
    tickstar run --map a.map --from 3,4 --to 60,12 --budget 50 --set switch=true --json --path\n  \
    tickstar run --map builtin:caves-128 --world unknown --algorithm tbaa --repeat\n  \
    tickstar run --map builtin:random-64 --world dynamic:5 --algorithm rtb-wastar\n  \
    tickstar run --map builtin:caves-128 --algorithm astar --clock 1\n  \
    tickstar run --replay walk.json --json")]
pub struct Run {
    /// The map: a file in the benchmark's format, rows of # and . in a .txt, or builtin:NAME (see `tickstar
    /// maps list`)
    #[arg(
        long,
        value_name = "FILE|builtin:NAME",
        default_value = "builtin:caves-128",
        help_heading = "Map"
    )]
    map: PathBuf,
    #[command(flatten)]
    problems: Problems,
    /// The algorithm, with parameters after colons: see `tickstar algorithms`
    #[arg(
        long,
        value_name = "NAME[:KEY=VALUE…]",
        default_value = "tba",
        help_heading = "Algorithm"
    )]
    algorithm: String,
    #[command(flatten)]
    parameters: Parameters,
    #[command(flatten)]
    movement: Movement,
    #[command(flatten)]
    worlds: Worlds,
    #[command(flatten)]
    tables: Tables,
    #[command(flatten)]
    timing: Timing,
    /// Put the agent back at the start again and again, until a run needs no new search and raises no
    /// heuristic value, and print the path that was found, if there is one. With their defaults, rtba and tbaa
    /// end with a shortest path, and lrta, p-lrta, lss-lrta and rtaa with a shortest walk
    #[arg(long, conflicts_with = "clock", help_heading = "Algorithm")]
    repeat: bool,
    /// Play a session once more that the page of `tickstar play` has saved, and show the records of its contestants
    #[arg(long, value_name = "FILE", conflicts_with_all = ["map", "scen", "problems", "from", "take", "algorithm", "settings",
        "weight", "budget", "corners", "world", "seed", "repeat", "clock", "path", "trace"], help_heading = "Map")]
    replay: Option<PathBuf>,
    /// One JSON object per run, in the order of the input
    #[arg(long, help_heading = "Output")]
    json: bool,
    /// Also every position of the walk, start first
    #[arg(long, help_heading = "Output")]
    path: bool,
    /// Write what happened in each tick (`interval`) to a file, one JSON object per line. Problems, runs and
    /// ticks count from 1
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    trace: Option<PathBuf>,
}

impl Run {
    pub fn execute(&self) -> Result<(), Failure> {
        if let Some(path) = &self.replay {
            return self.play_again(path);
        }
        let clock = self.timing.clock()?;
        let (config, budget) = self.configure(clock)?;
        self.problems.check_count(1)?;
        self.tables.check(1, &self.worlds, [&config])?;
        if let Some(trace) = &self.trace {
            let files = self.problems.files().chain(self.tables.files()).chain(self.worlds.file());
            refuse_overwriting(trace, map_file(&self.map).into_iter().chain(files))?;
        }
        let interrupt = Interrupt::watch();
        let map = Map::load(&self.map, self.movement)?;
        let problems = self.problems.load(&map, 0, self.worlds.seed)?;
        let mut arena = self.worlds.arena(&map)?;
        self.tables.prepare(0, &mut arena, &config)?;
        if self.repeat && arena.changes() {
            return Err(Failure::usage(format!(
                "--repeat needs a map that does not change: in the world {} no run is like the last",
                quoted(&arena.kind().to_string())
            )));
        }
        if clock.is_some() {
            Clock::admit(&arena, config.entry())
                .map_err(|error| Failure::usage(error).about("--clock"))?;
        }
        self.problems.check(0, &arena, &problems)?;
        let stop = Some(interrupt.begin());
        let job = Job { clock, stop, ..self.worlds.job(&map, &arena, &config, budget)? };
        let records = match &self.trace {
            Some(file) => self.run_traced(&job, &problems, file)?,
            None => self.run_all(&job, &problems)?,
        };
        let done = records.iter().filter(|records| !records.is_empty()).count();
        let records = records.concat();
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
            if problems.len() > 1 && !self.repeat {
                print_summary(&mut out, &Summary::of(&records))?;
            }
        }
        out.flush()?;
        if done < problems.len() { Err(Failure::stopped(done, problems.len())) } else { Ok(()) }
    }

    /// Plays a session, and prints the records.
    fn play_again(&self, path: &Path) -> Result<(), Failure> {
        let replay = read_replay(path)?;
        let mut stage = Stage::new();
        let failed =
            |refusal: Refusal| Failure::input(format!("{}: {}", text::path(path), refusal.message));
        stage.replay(&replay).map_err(failed)?;
        let mut out = BufWriter::new(io::stdout().lock());
        for record in stage.records().map_err(failed)? {
            if self.json {
                writeln!(out, "{record}")?;
            } else {
                writeln!(out, "{}", in_words(&record))?;
            }
        }
        Ok(out.flush()?)
    }

    /// The algorithm as configured, and its budget; with a clock, the default is what can be expanded in a
    /// frame.
    fn configure(&self, clock: Option<Clock>) -> Result<(Config, Option<u64>), Failure> {
        let frame = clock.map(|clock| clock.expansions_per_frame());
        let budgets: Vec<_> = self.parameters.budget.or(frame).map(Some).into_iter().collect();
        let mut all = contestants(&self.algorithm, &self.parameters.settings()?, &budgets)?;
        match (all.pop(), all.as_slice()) {
            (Some(Contestant { config, budget, .. }), []) => Ok((config, budget)),
            _ => Err(Failure::usage("several values are for `tickstar compare`: give one here")
                .about(&self.algorithm)),
        }
    }

    /// In parallel, with a progress bar. Returns the records of each problem; none if it was not done.
    fn run_all(&self, job: &Job<'_>, problems: &[Problem]) -> Result<Vec<Vec<Record>>, Failure> {
        let bar = progress(problems.len() as u64, "problems");
        let solve = |job: &Job<'_>, problem: &Problem| self.solve(job, problem, None);
        let records = job.run_all(problems, solve, || bar.inc(1));
        bar.finish_and_clear();
        records.map_err(|failed| self.problems.failure(0, &failed))
    }

    /// One after another, so that the file is in order.
    fn run_traced(
        &self,
        job: &Job<'_>,
        problems: &[Problem],
        path: &Path,
    ) -> Result<Vec<Vec<Record>>, Failure> {
        let mut file = Lines::create(path)?;
        let mut written = Ok(());
        let mut records = Vec::new();
        for (index, problem) in problems.iter().enumerate() {
            if let WorldKind::Partial(_) = job.arena.kind() {
                let hidden = hidden(job, problem).map_err(|error| self.failure(index, error))?;
                let line = json!({ "problem": index + 1, "hidden": hidden });
                written = written.and_then(|()| file.push(line));
            }
            let mut run = 0;
            let mut observe = |interval: &Interval<'_>| {
                run += u64::from(interval.number == 1);
                let mut line = line(job, index, interval);
                if self.repeat {
                    line["run"] = run.into();
                }
                if written.is_ok() {
                    written = file.push(line);
                }
            };
            let runs = self.solve(job, problem, Some(&mut observe));
            let runs = runs.map_err(|error| self.failure(index, error))?;
            if written.is_err() || job.is_stopped() {
                break;
            }
            records.push(runs);
        }
        file.finish(written)?;
        Ok(records)
    }

    /// One run, or with `--repeat` as many as needed.
    fn solve(
        &self,
        job: &Job<'_>,
        problem: &Problem,
        observe: Observer<'_>,
    ) -> Result<Vec<Record>, ProblemError> {
        let runs = if self.repeat {
            job.repeat(problem, observe)?
        } else {
            let journey = job.sim(problem)?.run(job.max_intervals, observe);
            vec![(job.judge(problem, &journey, &mut job.reference(problem)?), journey)]
        };
        let with_path = |(record, journey): (Record, Journey)| {
            let path = self.path.then(|| job.cells(&journey.path));
            Record { path, ..record }
        };
        Ok(runs.into_iter().map(with_path).collect())
    }

    fn failure(&self, index: usize, reason: ProblemError) -> Failure {
        self.problems.failure(0, &FailedProblem { index, reason })
    }
}

/// A session that was saved.
pub fn read_replay(path: &Path) -> Result<Replay, Failure> {
    let bytes = files::read(path).map_err(Failure::input)?;
    serde_json::from_slice::<Replay>(&bytes).map_err(|error| {
        let reason = text::escaped(&error.to_string());
        Failure::input(format!(
            "{}: this is not a session that the page has saved: {reason}",
            text::path(path)
        ))
    })
}

/// The record of a contestant, or of a crowd, in a line.
fn in_words(record: &serde_json::Value) -> String {
    let number = |name: &str| record[name].as_u64().unwrap_or_default();
    if record["algorithm"].is_null() {
        return format!(
            "{}: {} of {} arrived in {}",
            record["map"].as_str().unwrap_or_default(),
            number("arrived"),
            counted(number("agents"), "agent"),
            counted(number("frames"), "frame")
        );
    }
    let length = record["cost"].as_f64().unwrap_or_default();
    format!(
        "{}: {} after {}, {} of length {length:.2}, {}",
        record["algorithm"].as_str().unwrap_or_default(),
        record["outcome"].as_str().unwrap_or_default().replace('_', " "),
        counted(number("intervals"), "tick"),
        counted(number("moves"), "move"),
        counted(number("expansions"), "expansion")
    )
}

/// The cells that are truly blocked but free on the map, by which the walk can be checked.
fn hidden(job: &Job<'_>, problem: &Problem) -> Result<Vec<[u32; 2]>, ProblemError> {
    let sim = job.sim(problem)?;
    let truth = sim.world().truth();
    let unmarked = job.grid().free_cells().filter(|&cell| !truth.is_free(cell));
    Ok(unmarked.map(|cell| [cell.x, cell.y]).collect())
}

fn line(job: &Job<'_>, problem: usize, interval: &Interval<'_>) -> serde_json::Value {
    let cell = |node| job.cells(&[node])[0];
    let (blocked, freed): (Vec<NodeId>, Vec<NodeId>) =
        interval.changed.iter().partition(|&&node| !interval.known.contains(node));
    let above: Vec<_> =
        interval.expanded_above.iter().map(|&(level, node)| (level, node.0)).collect();
    json!({
        "problem": problem + 1,
        "interval": interval.number,
        "position": cell(interval.position),
        "expanded": job.cells(interval.expanded),
        "expanded_above": above,
        "target": interval.target.map(cell),
        "events": interval.events,
        "blocked": job.cells(&blocked),
        "freed": job.cells(&freed),
    })
}

fn print(out: &mut impl Write, record: &Record) -> Result<(), Failure> {
    let ([sx, sy], [gx, gy]) = (record.start, record.goal);
    write!(out, "({sx}, {sy}) to ({gx}, {gy}): ")?;
    if let Some(run) = record.run {
        write!(out, "run {run}: ")?;
    }
    let tally = &record.tally;
    let ticks = counted(tally.intervals, "tick");
    let (moves, expansions) =
        (counted(tally.moves, "move"), counted(tally.expansions, "expansion"));
    match (record.outcome, record.optimal) {
        (Outcome::Unreachable, _) => {
            writeln!(out, "unreachable, detected after {ticks} and {expansions}")?;
        }
        (Outcome::GaveUp, _) => {
            writeln!(out, "gave up after {ticks}, {moves} and {expansions}")?;
        }
        // A path has opened since.
        (Outcome::Reached, None) => writeln!(
            out,
            "reached in {ticks}, {moves} of length {:.2} (there was no path at first), {expansions}",
            record.tally.cost.in_cells(),
        )?,
        (Outcome::Reached, Some(optimal)) => writeln!(
            out,
            "reached in {ticks}, {moves} of length {:.2} ({:.3} times the optimal {optimal:.2}), \
             {expansions}, at most {} in a tick",
            record.tally.cost.in_cells(),
            record.suboptimality().unwrap_or(1.0),
            record.tally.max_expansions_per_interval,
        )?,
    }
    if let Some(clock) = record.clock {
        writeln!(
            out,
            "  planned in {}: {}, {:.3} times the least, which is {}",
            counted(clock.segments, "stage"),
            counted(clock.frames, "frame"),
            clock.slowdown,
            clock.least_frames
        )?;
    }
    if let Some(path) = &record.path {
        let cells: Vec<_> = path.iter().map(|[x, y]| format!("{x},{y}")).collect();
        writeln!(out, "  path: {}", cells.join(" "))?;
    }
    if let Some(plan) = &record.plan {
        let cells: Vec<_> = plan.path.iter().map(|[x, y]| format!("{x},{y}")).collect();
        writeln!(
            out,
            "  this run needed no new search; it planned a path of length {:.2}: {}",
            plan.cost,
            cells.join(" ")
        )?;
    }
    Ok(())
}

fn print_summary(out: &mut impl Write, summary: &Summary) -> Result<(), Failure> {
    write!(out, "\n{} of {} reached", summary.reached, summary.problems)?;
    let mean = |name: &str, digits: usize, text: &str| {
        let value = summary.get(name)?;
        Some(text.replace("{}", &format!("{value:.digits$}")))
    };
    let means: Vec<_> = [
        mean("suboptimality", 3, "{} times the optimal length"),
        mean("intervals", 1, "{} ticks"),
        mean("first_move_interval", 1, "first move in tick {}"),
        mean("expansions", 0, "{} expansions"),
        mean("back_moves", 1, "{} back-moves"),
        mean("non_optimal_moves", 1, "{} non-optimal moves"),
        mean("restarts", 1, "{} restarts"),
    ]
    .into_iter()
    .flatten()
    .collect();
    match means.as_slice() {
        [] => writeln!(out)?,
        means => writeln!(out, "; on average {}", means.join(", "))?,
    }
    if let Some(slowdown) = summary.get("slowdown") {
        writeln!(out, "frames: {slowdown:.3} times the least on average")?;
    }
    Ok(())
}
