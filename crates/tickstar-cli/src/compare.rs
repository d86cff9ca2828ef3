//! `tickstar compare`: several algorithms with several budgets, side by side.

mod by_length;
mod finding;
mod next;
mod spread;
mod table;

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use comfy_table::{CellAlignment, Table};
use tickstar::Hierarchy;
use tickstar::agent::d_lrta::Subgoals;
use tickstar::catalog::Config;
use tickstar::regions::Regions;
use tickstar_lab::experiment::RecordTable;
use tickstar_lab::text;
use tickstar_lab::{
    ByLength, Clock, Comparison, Contestant, Course, Experiment, ExperimentError, Job, Judging,
    Metric, Problem, Record, Row, Sample, Spread, Summary,
};

use self::finding::{Contrast, Entrant, Finding, finding};
use self::table::{Choice, table};
use crate::contestants::{check_one_level, contestants};
use crate::draw::{Format, Picture};
use crate::failure::{Failure, say};
use crate::interrupt::Interrupt;
use crate::layout::{lines, wrapped};
use crate::number::{from_one, whole};
use crate::output::{self, check_writable, refuse_overwriting};
use crate::source::{
    Map, Movement, PreparationTime, Problems, Tables, Timing, Worlds, map_file, progress, title,
};

/// Compare algorithms with several budgets on the same problems
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar compare\n  \
    tickstar compare --picture walks.png\n  \
    tickstar compare --spread --plot plot.svg --records records.parquet\n  \
    tickstar compare --map a.map --scen a.map.scen --take 100 --algorithms tba,late-astar\n  \
    tickstar compare --algorithms tba,tba:switch=true,wastar:weight=3 --csv out.csv\n  \
    tickstar compare --world unknown --algorithms rtba,tbaa\n  \
    tickstar compare --cutoff 1000 --algorithms lrta:depth=4+8+16+32:budget=none,tba:budget=10+100\n  \
    tickstar compare --map a.map --scen a.map.scen --by-length 64 --clock 1 --algorithms astar,gbfs")]
pub struct Compare {
    /// A map: a file, or builtin:NAME (see `tickstar maps list`); may be given several times [default: four
    /// that are built in]
    #[arg(long, value_name = "FILE|builtin:NAME", help_heading = "Map")]
    map: Vec<PathBuf>,
    #[command(flatten)]
    problems: Problems,
    /// Algorithms, with parameters after a colon; several values separated by + are tried one by one;
    /// `budget` can be given like a parameter and overrides --budgets (none: no limit)
    #[arg(
        long,
        value_name = "NAME[:KEY=VALUE[+VALUE…]…],…",
        value_delimiter = ',',
        default_value = "astar,late-astar,tba,tba:switch=true",
        help_heading = "Algorithm"
    )]
    algorithms: Vec<String>,
    /// Budgets [default: 10,25,100,1000; with --clock, what can be expanded in a frame]
    #[arg(
        long,
        value_name = "N,…",
        value_delimiter = ',',
        value_parser = from_one,
        allow_negative_numbers = true,
        help_heading = "Algorithm"
    )]
    budgets: Vec<u64>,
    /// Leave out a setting that expands more than N nodes in any tick of any problem, as the 2009
    /// paper does with 1000
    #[arg(
        long,
        value_name = "N",
        value_parser = from_one,
        allow_negative_numbers = true,
        help_heading = "Algorithm"
    )]
    cutoff: Option<u64>,
    /// One row per N cells of the shortest path's length, over the problems whose goal was reached, and
    /// percentiles instead of means. A percentile is the nearest rank: the least value that at
    /// least this percentage of the values do not exceed. A gain is the expansions of the first setting over those of
    /// this one on the same problem
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "cutoff",
        value_parser = whole::<u64>(1..=1_000_000_000),
        allow_negative_numbers = true,
        help_heading = "Output"
    )]
    by_length: Option<u64>,
    #[command(flatten)]
    movement: Movement,
    #[command(flatten)]
    worlds: Worlds,
    #[command(flatten)]
    tables: Tables,
    #[command(flatten)]
    timing: Timing,
    /// The columns of the table: `all`, or some by name, as in CSV (`first_move_interval`, …)
    /// [default: those that matter most and fit into 80 characters]
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        conflicts_with = "by_length",
        help_heading = "Output"
    )]
    columns: Vec<String>,
    /// How much a metric differs between problems: the 95 % confidence interval of its mean (by bootstrap, with a fixed
    /// seed) and its median, in columns of their own; `suboptimality` if no NAME is given
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        num_args = 0..=1,
        default_missing_value = "suboptimality",
        conflicts_with = "by_length",
        help_heading = "Output"
    )]
    spread: Vec<String>,
    /// Plot the first metric of --spread, or the suboptimality, against the budget, with 95 % bands; the name ends in .png
    /// or .svg
    #[arg(long, value_name = "FILE", conflicts_with = "by_length", help_heading = "Output")]
    plot: Option<PathBuf>,
    /// Write all records, one per problem and setting: as Parquet, or as CSV if the name ends in .csv
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    records: Option<PathBuf>,
    /// Write the table as CSV to a file, or to standard output instead of the table. Where no goal was reached
    /// there are no means, and the fields are empty. After Ctrl-C it has the problems done until then
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        default_missing_value = "-",
        help_heading = "Output"
    )]
    csv: Option<PathBuf>,
    /// Draw the two that differ most, side by side on one of the problems; the name ends in .png or .svg
    #[arg(long, value_name = "FILE", conflicts_with = "by_length", help_heading = "Output")]
    picture: Option<PathBuf>,
}

/// The maps compared on if none is named: one of each kind, small enough to be done in seconds.
const MAPS: [&str; 4] =
    ["builtin:rooms-64", "builtin:caves-128", "builtin:islands-128", "builtin:random-64"];

/// The budgets compared if none is given, and no clock either.
const BUDGETS: [u64; 4] = [10, 25, 100, 1000];

/// What was made for all maps before anything was run.
#[derive(Clone, Copy, Default)]
struct Prepared {
    maps: u32,
    time: PreparationTime,
    hierarchy_bytes: usize,
    region_bytes: usize,
    subgoal_bytes: usize,
}

impl Prepared {
    /// What one algorithm needed of it: seconds and bytes per map.
    fn of(&self, config: &Config) -> Option<(f64, f64)> {
        let PreparationTime { hierarchy, subgoals } = self.time;
        let (mut seconds, mut bytes) = (hierarchy, 0);
        let facts = &config.entry().facts;
        bytes += if facts.needs_hierarchy { self.hierarchy_bytes } else { 0 };
        bytes += if facts.needs_regions { self.region_bytes } else { 0 };
        if config.subgoal_level().is_some() {
            seconds += subgoals;
            bytes += self.subgoal_bytes;
        }
        let maps = f64::from(self.maps.max(1));
        let needs = facts.needs_hierarchy || facts.needs_regions;
        needs.then(|| (seconds.as_secs_f64() / maps, bytes as f64 / maps))
    }
}

/// What is to be shown: a table, also as CSV, what its columns are, what is not in it, and what is seen.
struct Report {
    csv: String,
    table: Table,
    legend: String,
    missing: Option<String>,
    finding: Option<Finding>,
}

impl Compare {
    pub fn execute(&self) -> Result<(), Failure> {
        let clock = self.timing.clock()?;
        let columns = Choice::of(&self.columns, clock.is_some())?;
        let contestants = self.contestants(clock)?;
        check_one_level(&contestants)?;
        let spread = spread::metrics(&self.spread, clock.is_some())?;
        let format = self.picture.as_deref().map(Format::of).transpose()?;
        let plot_format = self.plot.as_deref().map(Format::of).transpose()?;
        self.check_outputs()?;
        let mut courses = self.courses(&contestants)?;
        let judging = if self.by_length.is_some() { Judging::Length } else { Judging::Moves };
        let mut experiment = Experiment::new(contestants);
        experiment.cutoff = self.cutoff;
        experiment.max_intervals = self.worlds.max_intervals();
        experiment.clock = clock;
        experiment.judging = judging;
        for course in &courses {
            experiment.admit(course).map_err(|error| match error {
                ExperimentError::Untimed(_) => Failure::usage(error).about("--clock"),
                _ => Failure::usage(error),
            })?;
        }
        for path in self.outputs() {
            check_writable(path)?;
        }
        let interrupt = Interrupt::watch();
        let count = experiment.contestants().len();
        let problems = courses.iter().map(|course| course.problems.len()).sum();
        let mut done = 0;
        let mut all = RecordTable::default();
        let who = experiment.contestants().to_vec();
        let mut keep = |course: (usize, &Course), problem: usize, row: &[Option<Record>]| {
            if self.records.is_some() {
                for (contestant, record) in who.iter().enumerate().zip(row) {
                    if let Some(record) = record {
                        all.push("compare", course, problem, contestant, record.clone());
                    }
                }
            }
        };
        let mut plot = None;
        let report = match self.by_length {
            None => {
                let mut records: Vec<Vec<Record>> = vec![Vec::new(); count];
                let take = |course: (usize, &Course), problem, row: Vec<Option<Record>>| {
                    done += 1;
                    keep(course, problem, &row);
                    records.iter_mut().zip(row).for_each(|(list, record)| list.extend(record));
                };
                let prepared = self.run(&mut courses, &mut experiment, &interrupt, take)?;
                plot = self.plot.is_some().then(|| spread::plot(&spread, &experiment, &records));
                self.report(&experiment, &records, prepared, (&columns, &spread))
            }
            Some(width) => {
                // Samples are kept, and not the records, as there may be very many.
                let mut samples: Vec<Vec<Sample>> = vec![Vec::new(); count];
                let take = |course: (usize, &Course), problem, row: Vec<Option<Record>>| {
                    done += 1;
                    keep(course, problem, &row);
                    let first = row.first().and_then(Option::as_ref);
                    for (nth, record) in row.iter().enumerate() {
                        let baseline = first.filter(|_| nth > 0);
                        let sample = record.as_ref().and_then(|r| Sample::of(r, baseline));
                        samples[nth].extend(sample);
                    }
                };
                self.run(&mut courses, &mut experiment, &interrupt, take)?;
                let rows: Vec<_> = experiment.contestants().iter().zip(samples).collect();
                by_length::report(&rows, done, &ByLength::new(&rows, width, clock.is_some()))
            }
        };
        if done > 0 {
            self.show(&courses, &report)?;
            if let Some(path) = &self.records {
                let bytes = all.bytes_for(path).map_err(Failure::input)?;
                output::write(path, bytes)?;
            }
            if let (Some(path), Some(format), Some(chart)) = (&self.plot, plot_format, plot) {
                // Letters as strokes, for a picture; real text in both themes, for a page.
                match format {
                    Format::Png => output::write(path, chart.png().map_err(Failure::input)?)?,
                    Format::Svg => output::write(path, chart.svg())?,
                }
            }
        }
        if done < problems {
            return Err(Failure::stopped(done, problems));
        }
        let contrast = report.finding.as_ref().map(|finding| &finding.contrast);
        let drawn = match (&self.picture, format) {
            (Some(path), Some(format)) => {
                let who = experiment.contestants();
                Some(self.draw(&mut courses, who, contrast, path, format)?)
            }
            _ => None,
        };
        if self.csv.is_none() || self.csv_file().is_some() {
            self.conclude(&courses, experiment.contestants(), contrast, drawn.as_deref())?;
        }
        Ok(())
    }

    /// Refuses to overwrite what is read, and to write two things to one file.
    fn check_outputs(&self) -> Result<(), Failure> {
        let outputs: Vec<&Path> = self.outputs().collect();
        for (nth, path) in outputs.iter().enumerate() {
            let maps = self.map.iter().filter_map(|map| map_file(map));
            let files = self.problems.files().chain(self.tables.files()).chain(self.worlds.file());
            refuse_overwriting(path, maps.chain(files))?;
            for other in &outputs[..nth] {
                output::refuse_twice(Some(other), Some(path))?;
            }
        }
        Ok(())
    }

    /// Draws what was found; returns what the picture shows.
    fn draw(
        &self,
        courses: &mut [Course],
        contestants: &[Contestant],
        contrast: Option<&Contrast>,
        path: &Path,
        format: Format,
    ) -> Result<String, Failure> {
        let Some(Contrast { places, problem }) = contrast else {
            return Err(Failure::usage(format!(
                "{}: there is nothing to draw, as --cutoff has left out all that were compared",
                text::path(path)
            )));
        };
        let (nth, problem) = find_problem(courses, *problem);
        let Course { name, arena, problems, .. } = &mut courses[nth];
        for &place in places {
            self.tables.prepare(nth, arena, &contestants[place].config)?;
        }
        let job = |&place: &usize| {
            let Contestant { config, budget, .. } = &contestants[place];
            let job = Job::new(name, arena, config, *budget);
            Job { max_intervals: self.worlds.max_intervals().or(job.max_intervals), ..job }
        };
        let jobs: Vec<_> = places.iter().map(job).collect();
        let runs: Vec<_> =
            jobs.iter().zip(places).map(|(job, &place)| (job, &contestants[place])).collect();
        let named =
            |error| Failure::input(format!("{}{error}", self.problems.origin(nth, problem)));
        let picture =
            Picture::new(&title(name), &runs, &problems[problem], None, None).map_err(named)?;
        format.write(picture.svg, path)?;
        Ok(format!("{}: {}", text::path(path), picture.text))
    }

    /// What was drawn, and what to try next.
    fn conclude(
        &self,
        courses: &[Course],
        contestants: &[Contestant],
        contrast: Option<&Contrast>,
        drawn: Option<&str>,
    ) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        if let Some(drawn) = drawn {
            let lines: Vec<_> = drawn.lines().map(text::escaped).collect();
            writeln!(out, "\n{}", lines.join("\n"))?;
        }
        if self.by_length.is_some() {
            return Ok(());
        }
        let contrast = contrast.map(|contrast| {
            let (nth, problem) = find_problem(courses, contrast.problem);
            let Course { name, problems, .. } = &courses[nth];
            let Problem { start, goal, .. } = problems[problem];
            let ends = [start, goal].map(|cell| format!("{},{}", cell.x, cell.y));
            (contrast, name.as_str(), ends)
        });
        let contrast = contrast.filter(|_| drawn.is_none());
        let Some(course) = courses.first() else { return Ok(()) };
        let commands = self.next(contestants, contrast, course.arena.kind());
        Ok(writeln!(out, "\nTry next:\n  {}", commands.join("\n  "))?)
    }

    /// The files to write.
    fn outputs(&self) -> impl Iterator<Item = &Path> {
        let others = [&self.picture, &self.plot, &self.records];
        self.csv_file().into_iter().chain(others.into_iter().flatten().map(PathBuf::as_path))
    }

    /// The file to write CSV to, if it is not standard output.
    fn csv_file(&self) -> Option<&Path> {
        self.csv.as_deref().filter(|path| path.as_os_str() != "-")
    }

    /// All contestants on all problems; `take` is given each problem that is done, in order: its course with its
    /// number, its number there, and its records.
    fn run(
        &self,
        courses: &mut [Course],
        experiment: &mut Experiment,
        interrupt: &Interrupt,
        mut take: impl FnMut((usize, &Course), usize, Vec<Option<Record>>),
    ) -> Result<Prepared, Failure> {
        let mut prepared = Prepared::default();
        let problems: usize = courses.iter().map(|course| course.problems.len()).sum();
        let bar = progress((problems * experiment.contestants().len()) as u64, "runs");
        for (nth, course) in courses.iter_mut().enumerate() {
            // One hierarchy at a time: those of many maps would fill the memory.
            for contestant in experiment.contestants() {
                let made = self.tables.prepare(nth, &mut course.arena, &contestant.config)?;
                prepared.time.hierarchy += made.hierarchy;
                prepared.time.subgoals += made.subgoals;
            }
            let hierarchy = course.arena.map().hierarchy();
            prepared.hierarchy_bytes += hierarchy.map_or(0, Hierarchy::bytes);
            let regions = course.arena.map().space().regions();
            prepared.region_bytes += regions.map_or(0, Regions::bytes);
            prepared.subgoal_bytes += course.arena.subgoals().map_or(0, Subgoals::bytes);
            prepared.maps += 1;
            experiment.stop = Some(interrupt.begin().clone());
            let rows = experiment
                .run_course(course, &|runs| bar.inc(runs as u64))
                .map_err(|failed| self.problems.failure(nth, &failed))?;
            let stopped = rows.len() < course.problems.len();
            for (problem, row) in rows.into_iter().enumerate() {
                take((nth, course), problem, row);
            }
            course.arena.release();
            if stopped {
                break;
            }
        }
        bar.finish_and_clear();
        Ok(prepared)
    }

    fn contestants(&self, clock: Option<Clock>) -> Result<Vec<Contestant>, Failure> {
        let usual = match (self.budgets.as_slice(), clock) {
            ([], Some(clock)) => vec![clock.expansions_per_frame()],
            ([], None) => BUDGETS.to_vec(),
            (given, _) => given.to_vec(),
        };
        let usual: Vec<_> = usual.into_iter().map(Some).collect();
        let each = self.algorithms.iter().map(|text| contestants(text, &[], &usual));
        Ok(each.collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// The maps with their problems, all of which can be run.
    fn courses(&self, contestants: &[Contestant]) -> Result<Vec<Course>, Failure> {
        let names: Vec<&Path> = match self.map.as_slice() {
            [] => MAPS.iter().map(Path::new).collect(),
            named => named.iter().map(PathBuf::as_path).collect(),
        };
        self.problems.check_count(names.len())?;
        self.tables.check(names.len(), &self.worlds, contestants.iter().map(|who| &who.config))?;
        let mut courses = Vec::new();
        for (nth, name) in names.into_iter().enumerate() {
            let map = Map::load(name, self.movement)?;
            // With several maps it matters on which of them something is wrong.
            let with_map = |failure: Failure| {
                if self.map.len() > 1 { failure.on_map(name) } else { failure }
            };
            let problems = self.problems.load(&map, nth, self.worlds.seed).map_err(with_map)?;
            let arena = self.worlds.arena(&map).map_err(with_map)?;
            self.problems.check(nth, &arena, &problems).map_err(with_map)?;
            let map_hash = map.hash();
            courses.push(Course { name: map.name, map_hash, arena, problems });
        }
        Ok(courses)
    }

    /// The means of each contestant that is not excluded.
    fn report(
        &self,
        experiment: &Experiment,
        records: &[Vec<Record>],
        prepared: Prepared,
        (columns, spread): (&Choice, &[&'static Metric]),
    ) -> Report {
        let mut excluded = Vec::new();
        let mut comparison = Comparison { rows: Vec::new(), timed: experiment.clock.is_some() };
        let mut needs = Vec::new();
        for (nth, contestant) in experiment.contestants().iter().enumerate() {
            if experiment.is_excluded(nth) {
                excluded.push(contestant.title());
                continue;
            }
            let needed = prepared.of(&contestant.config);
            comparison.rows.push(Row {
                name: contestant.name.clone(),
                budget: contestant.budget,
                summary: Summary::of(&records[nth]),
                prepared_bytes: needed.map(|(_, bytes)| bytes),
                spread: spread.iter().map(|metric| Spread::of(metric, &records[nth])).collect(),
            });
            needs.push(needed);
        }
        let missing = self.cutoff.filter(|_| !excluded.is_empty()).map(|cutoff| {
            format!(
                "left out, with more than {} in a tick: {}",
                text::counted(cutoff, "expansion"),
                excluded.join(", ")
            )
        });
        let (table, legend) = table(&comparison, &needs, columns);
        let entrants: Vec<_> = experiment
            .contestants()
            .iter()
            .enumerate()
            .filter(|&(nth, _)| !experiment.is_excluded(nth))
            .map(|(nth, contestant)| Entrant::new(nth, contestant, &records[nth]))
            .collect();
        Report { csv: comparison.csv(), table, legend, missing, finding: finding(&entrants) }
    }

    fn show(&self, courses: &[Course], report: &Report) -> Result<(), Failure> {
        let Report { csv, table, legend, missing, finding } = report;
        match (&self.csv, self.csv_file()) {
            (_, Some(path)) => output::write(path, csv)?,
            (Some(_), None) => {
                if let Some(missing) = missing {
                    say(missing);
                }
                return Ok(io::stdout().lock().write_all(csv.as_bytes())?);
            }
            (None, None) => {}
        }
        let mut out = BufWriter::new(io::stdout().lock());
        for Course { name, arena, problems, .. } in courses {
            let (width, height) = (arena.map().width(), arena.map().height());
            let (world, count) = (arena.kind(), problems.len());
            let (name, world) = (text::escaped(name), text::escaped(&world.to_string()));
            let count = text::counted(count, "problem");
            writeln!(out, "{name} ({width}x{height}, {world}): {count}")?;
        }
        writeln!(out, "\n{}\n\n{}", lines(table).join("\n"), wrapped(legend))?;
        if let Some(missing) = missing {
            writeln!(out, "{}", wrapped(missing))?;
        }
        if let Some(finding) = finding.as_ref().filter(|finding| !finding.sentence.is_empty()) {
            writeln!(out, "\n{}", wrapped(&text::escaped(&finding.sentence)))?;
        }
        Ok(out.flush()?)
    }
}

/// The course of a problem, and its place there, by its place among those of all courses.
fn find_problem(courses: &[Course], mut problem: usize) -> (usize, usize) {
    let mut nth = 0;
    while problem >= courses[nth].problems.len() {
        problem -= courses[nth].problems.len();
        nth += 1;
    }
    (nth, problem)
}

fn budget_name(budget: Option<u64>) -> String {
    budget.map_or("none".into(), |budget| budget.to_string())
}

/// Right-aligns all but the first column.
fn align(table: &mut Table) {
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}
