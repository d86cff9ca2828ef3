//! `tickstar compare`: several algorithms with several budgets, side by side.

mod by_length;

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use rayon::prelude::*;
use tickstar::catalog::Config;
use tickstar::{Hierarchy, Space, Subgoals};
use tickstar_lab::{Clock, Job, Problem, Record, Sample, Summary, Terrain};

use crate::failure::Failure;
use crate::source::{Map, Problems, Rules, Setting, Tables, Timing, Worlds, configure, progress};

/// Compare algorithms with several budgets on the same problems
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar compare\n  \
    tickstar compare --map a.map --scen a.map.scen --take 100 --algorithms tba,late-astar \
    --budgets 10,100\n  \
    tickstar compare --algorithms tba,tba:switch=true,wastar:weight=3 --csv out.csv\n  \
    tickstar compare --world unknown --algorithms rtba,tbaa\n  \
    tickstar compare --cutoff 1000 --algorithms lrta:depth=4+8+16+32:budget=none,tba:budget=10+100\n  \
    tickstar compare --map a.map --scen a.map.scen --by-length 64 --clock 1 --algorithms astar,gbfs")]
pub struct Compare {
    /// A map; may be given several times [default: four that come with the program]
    #[arg(long, value_name = "FILE|builtin:NAME")]
    map: Vec<String>,
    #[command(flatten)]
    problems: Problems,
    /// Algorithms, with parameters behind a colon; several values with + between are tried one by one;
    /// `budget` can be given like a parameter and goes before --budgets (none: no limit)
    #[arg(
        long,
        value_name = "NAME[:KEY=VALUE[+VALUE…]…],…",
        value_delimiter = ',',
        default_value = "astar,late-astar,tba,tba:switch=true"
    )]
    algorithms: Vec<String>,
    /// Budgets [default: 10,25,100,1000; with --clock, what can be expanded in a frame]
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    budgets: Vec<u64>,
    /// Leave out a setting that expands more than N nodes in any interval of any problem, as the 2009
    /// paper does with 1000
    #[arg(long, value_name = "N")]
    cutoff: Option<u64>,
    /// A row for each N cells of the shortest path's length, of the problems whose goal was reached, and
    /// percentiles instead of means. A percentile is the nearest rank: the least value that so many
    /// percent of all do not exceed. A gain is the expansions of the first setting over those of
    /// this one on the same problem
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "cutoff",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000)
    )]
    by_length: Option<u64>,
    #[command(flatten)]
    rules: Rules,
    #[command(flatten)]
    worlds: Worlds,
    #[command(flatten)]
    tables: Tables,
    #[command(flatten)]
    timing: Timing,
    /// Write the table as CSV to a file, or to standard output instead of the table
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    csv: Option<PathBuf>,
}

/// The maps compared on if none is named: one of each kind, small enough to be done in seconds.
const MAPS: [&str; 4] =
    ["builtin:rooms-64", "builtin:caves-128", "builtin:islands-128", "builtin:random-64"];

/// The budgets compared if none is given, and no clock either.
const BUDGETS: [u64; 4] = [10, 25, 100, 1000];

/// A map as the world sees it, and its problems.
struct Course {
    map: Map,
    terrain: Terrain,
    problems: Vec<Problem>,
}

/// An algorithm as configured, with a budget, and the name it was asked for by.
struct Contestant {
    name: String,
    config: Config,
    budget: Option<u64>,
    /// It has gone beyond the cut-off.
    out: AtomicBool,
}

impl Contestant {
    fn title(&self) -> String {
        format!("{} (budget {})", self.name, budget_name(self.budget))
    }
}

/// What was made for all maps before anything was run.
#[derive(Clone, Copy, Default)]
struct Beforehand {
    maps: u32,
    levels: Duration,
    level_bytes: usize,
    subgoals: Duration,
    subgoal_bytes: usize,
}

impl Beforehand {
    /// What one algorithm needed of it: seconds and bytes a map.
    fn of(&self, config: &Config) -> Option<(f64, f64)> {
        let subgoals = config.subgoal_level().is_some();
        let seconds = self.levels + if subgoals { self.subgoals } else { Duration::ZERO };
        let bytes = self.level_bytes + if subgoals { self.subgoal_bytes } else { 0 };
        let maps = f64::from(self.maps.max(1));
        let needs = config.entry().facts.needs_hierarchy;
        needs.then(|| (seconds.as_secs_f64() / maps, bytes as f64 / maps))
    }
}

/// What is to be shown: a table, also as CSV, what its columns are, and what is not in it.
struct Report {
    csv: String,
    table: Table,
    legend: String,
    missing: Option<String>,
}

/// A budget, or `none`.
fn budget(text: &str) -> Result<Option<u64>, String> {
    match text.trim() {
        "none" => Ok(None),
        number => number.parse().map(Some).map_err(|_| {
            format!("budget `{number}` is not a whole number below 2^64, and not `none`")
        }),
    }
}

impl Compare {
    pub fn execute(&self) -> Result<(), Failure> {
        let clock = self.timing.clock()?;
        let contestants = self.contestants(clock)?;
        let mut levels: Vec<_> =
            contestants.iter().filter_map(|who| who.config.subgoal_level()).collect();
        levels.dedup();
        if levels.len() > 1 {
            return Err(Failure::usage(
                "d-lrta with several levels: its tables are of one level at a time, so compare one by one",
            ));
        }
        let mut courses = self.courses()?;
        for Contestant { config, .. } in &contestants {
            for course in &courses {
                course.terrain.admit(config.entry()).map_err(Failure::usage)?;
                if clock.is_some() {
                    Clock::admit(&course.terrain, config.entry())
                        .map_err(|error| Failure::usage(error).about("--clock"))?;
                }
            }
        }
        let report = match self.by_length {
            None => {
                let mut records: Vec<Vec<Record>> = contestants.iter().map(|_| vec![]).collect();
                let before = self.run(&mut courses, &contestants, clock, |row| {
                    for (list, record) in records.iter_mut().zip(row) {
                        list.extend(record);
                    }
                })?;
                let summaries = records.iter().map(Summary::of);
                self.report(contestants.iter().zip(summaries).collect(), before, clock.is_some())
            }
            Some(width) => {
                // Samples are kept, and not the records, as there may be very many.
                let mut samples: Vec<Vec<Sample>> = contestants.iter().map(|_| vec![]).collect();
                self.run(&mut courses, &contestants, clock, |row| {
                    let first = row.first().and_then(Option::as_ref);
                    for (nth, record) in row.iter().enumerate() {
                        let beside = first.filter(|_| nth > 0);
                        samples[nth]
                            .extend(record.as_ref().and_then(|record| Sample::of(record, beside)));
                    }
                })?;
                let rows: Vec<_> = contestants.iter().zip(samples).collect();
                let problems = courses.iter().map(|course| course.problems.len()).sum();
                by_length::report(&rows, problems, width, clock.is_some())
            }
        };
        self.show(&courses, &report)
    }

    /// All contestants on all problems, in order; `take` is given what each problem led to.
    fn run(
        &self,
        courses: &mut [Course],
        contestants: &[Contestant],
        clock: Option<Clock>,
        mut take: impl FnMut(Vec<Option<Record>>),
    ) -> Result<Beforehand, Failure> {
        let mut before = Beforehand::default();
        let total: usize = courses.iter().map(|course| course.problems.len()).sum();
        let bar = progress((total * contestants.len()) as u64, "runs");
        for (nth, course) in courses.iter_mut().enumerate() {
            // One abstraction at a time: those of many maps would fill the memory.
            for who in contestants {
                let made = self.tables.prepare(nth, &mut course.terrain, &who.config)?;
                before.levels += made.levels;
                before.subgoals += made.subgoals;
            }
            let hierarchy = course.terrain.map().hierarchy();
            before.level_bytes += hierarchy.map_or(0, Hierarchy::bytes);
            before.subgoal_bytes += course.terrain.subgoals().map_or(0, Subgoals::bytes);
            before.maps += 1;
            let solved: Result<Vec<Vec<Option<Record>>>, Failure> = course
                .problems
                .par_iter()
                .enumerate()
                .map(|(index, problem)| {
                    let place = self.problems.place(nth, index);
                    let all = self.solve(course, &place, problem, contestants, clock);
                    bar.inc(contestants.len() as u64);
                    all
                })
                .collect();
            solved?.into_iter().for_each(&mut take);
            course.terrain.release();
        }
        bar.finish_and_clear();
        Ok(before)
    }

    fn contestants(&self, clock: Option<Clock>) -> Result<Vec<Contestant>, Failure> {
        let usual = match (self.budgets.as_slice(), clock) {
            ([], Some(clock)) => vec![clock.expansions_per_frame()],
            ([], None) => BUDGETS.to_vec(),
            (given, _) => given.to_vec(),
        };
        let mut contestants = Vec::new();
        for text in &self.algorithms {
            let wrong = |error: String| Failure::usage(error).about(text);
            let mut parts = text.split(':');
            let name = parts.next().unwrap_or_default();
            let mut budgets: Vec<Option<u64>> = usual.iter().copied().map(Some).collect();
            let mut settings: Vec<Vec<Setting>> = vec![Vec::new()];
            let mut keys = Vec::new();
            for part in parts {
                let Setting(key, values) = part.parse().map_err(wrong)?;
                if keys.contains(&key) {
                    return Err(wrong(format!(
                        "`{key}` is given twice; several values go with a +"
                    )));
                }
                keys.push(key.clone());
                if key == "budget" {
                    budgets =
                        values.split('+').map(budget).collect::<Result<_, _>>().map_err(wrong)?;
                    continue;
                }
                // Every setting so far with every value.
                let with = |value: &str| Setting(key.clone(), value.trim().to_string());
                let values: Vec<Setting> = values.split('+').map(with).collect();
                let each = |set: &Vec<Setting>| {
                    let set = set.clone();
                    values.clone().into_iter().map(move |value| [&set[..], &[value]].concat())
                };
                settings = settings.iter().flat_map(each).collect();
            }
            for set in &settings {
                let named = set.iter().map(|Setting(key, value)| format!(":{key}={value}"));
                let full = format!("{name}{}", named.collect::<String>());
                for &budget in &budgets {
                    let named = |failure: Failure| {
                        if text == name { failure } else { failure.about(text) }
                    };
                    let (config, _) = configure(name, set, budget).map_err(named)?;
                    let name = full.clone();
                    contestants.push(Contestant {
                        name,
                        config,
                        budget,
                        out: AtomicBool::default(),
                    });
                }
            }
        }
        Ok(contestants)
    }

    /// The maps with their problems, all of which can be run.
    fn courses(&self) -> Result<Vec<Course>, Failure> {
        let names: Vec<&str> = match self.map.as_slice() {
            [] => MAPS.to_vec(),
            named => named.iter().map(String::as_str).collect(),
        };
        self.problems.check_count(names.len())?;
        self.tables.check_count(names.len())?;
        let mut courses = Vec::new();
        for (nth, name) in names.into_iter().enumerate() {
            let map = Map::load(name, self.rules)?;
            let problems = self.problems.load(&map, nth, self.worlds.seed)?;
            let terrain = self.worlds.terrain(&map)?;
            self.problems.check(nth, &terrain, &problems)?;
            courses.push(Course { map, terrain, problems });
        }
        Ok(courses)
    }

    /// One problem with every contestant, judged by the same distances; none for those that are out. By
    /// length they are judged by the shortest path alone, as there may be very many problems.
    fn solve(
        &self,
        course: &Course,
        place: &str,
        problem: &Problem,
        contestants: &[Contestant],
        clock: Option<Clock>,
    ) -> Result<Vec<Option<Record>>, Failure> {
        let named = |error| Failure::input(format!("{place}{error}"));
        let (mut reference, mut optimal) = (None, None);
        let mut records = Vec::new();
        for Contestant { config, budget, out, .. } in contestants {
            if out.load(Ordering::Relaxed) {
                records.push(None);
                continue;
            }
            let job = self.worlds.job(&course.map, &course.terrain, config, *budget)?;
            let job = Job { clock, ..job };
            let journey = job.sim(problem).map_err(named)?.run(job.max_intervals, None);
            let most = journey.max_expansions_per_interval;
            out.fetch_or(self.cutoff.is_some_and(|cutoff| most > cutoff), Ordering::Relaxed);
            let record = if self.by_length.is_some() {
                let optimal = match optimal {
                    Some(optimal) => optimal,
                    None => *optimal.insert(job.optimal(problem).map_err(named)?),
                };
                job.judge_length(problem, &journey, optimal)
            } else {
                let reference = match &mut reference {
                    Some(reference) => reference,
                    none => none.insert(job.reference(problem).map_err(named)?),
                };
                job.judge(problem, &journey, reference)
            };
            records.push(Some(record));
        }
        Ok(records)
    }

    /// The means of each contestant that is not out.
    fn report(&self, rows: Vec<(&Contestant, Summary)>, before: Beforehand, timed: bool) -> Report {
        let (left_out, rows): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|(who, _)| who.out.load(Ordering::Relaxed));
        let missing = self.cutoff.filter(|_| !left_out.is_empty()).map(|cutoff| {
            let names: Vec<_> = left_out.iter().map(|(who, _)| who.title()).collect();
            format!(
                "left out, with more than {cutoff} expansions in an interval: {}",
                names.join(", ")
            )
        });
        let extra = Extra {
            before: Some(before)
                .filter(|_| rows.iter().any(|(who, _)| before.of(&who.config).is_some())),
            timed,
        };
        let made = match extra.before {
            Some(_) => " · made before: for each map, on average",
            None => "",
        };
        let frames = if timed { " · slowdown: frames over the least, mean" } else { "" };
        let legend = format!(
            "length: walked, over the shortest · intervals to restarts: means · a move: expansions for \
             each move · updates: nodes learned about after the search · back-moves: back along the \
             way it came · non-optimal: on no shortest path\n\
             most expansions, most tracing: in any interval of any problem · memory: of one agent at \
             most{made}{frames}"
        );
        Report { csv: csv(&rows, extra), table: table(&rows, extra), legend, missing }
    }

    fn show(&self, courses: &[Course], report: &Report) -> Result<(), Failure> {
        let Report { csv, table, legend, missing } = report;
        match &self.csv {
            Some(path) if path.as_os_str() != "-" => {
                std::fs::write(path, csv).map_err(|error| Failure::writing(path, &error))?;
            }
            Some(_) => {
                if let Some(missing) = missing {
                    eprintln!("{missing}");
                }
                return Ok(io::stdout().lock().write_all(csv.as_bytes())?);
            }
            None => {}
        }
        let mut out = BufWriter::new(io::stdout().lock());
        for Course { map, terrain, problems } in courses {
            let (width, height) = (map.grid.width(), map.grid.height());
            let (world, count) = (terrain.kind(), problems.len());
            let noun = if count == 1 { "problem" } else { "problems" };
            writeln!(out, "{} ({width}x{height}, {world}): {count} {noun}", map.name)?;
        }
        writeln!(out, "\n{table}\n\n{legend}")?;
        if let Some(missing) = missing {
            writeln!(out, "{missing}")?;
        }
        Ok(out.flush()?)
    }
}

fn budget_name(budget: Option<u64>) -> String {
    budget.map_or("none".into(), |budget| budget.to_string())
}

/// Columns that are there only if they were asked for, or mean something.
#[derive(Clone, Copy)]
struct Extra {
    before: Option<Beforehand>,
    timed: bool,
}

/// A time with a unit that suits it.
fn time(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.0} ms", 1e3 * seconds) } else { format!("{seconds:.1} s") }
}

fn table(rows: &[(&Contestant, Summary)], Extra { before, timed }: Extra) -> Table {
    let mut header = vec![
        "algorithm",
        "budget",
        "reached",
        "length",
        "intervals",
        "first move",
        "expansions",
        "a move",
        "updates",
        "back-moves",
        "non-optimal",
        "restarts",
        "most expansions",
        "most tracing",
        "memory",
    ];
    header.extend(before.map(|_| "made before"));
    header.extend(timed.then_some("slowdown"));
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    for (who, summary) in rows {
        let slowdown = summary.slowdown.map_or(String::new(), |mean| format!("{mean:.3}"));
        let mut row = vec![
            who.name.clone(),
            budget_name(who.budget),
            format!("{}/{}", summary.reached, summary.problems),
            format!("{:.3}", summary.suboptimality),
            format!("{:.1}", summary.intervals),
            format!("{:.1}", summary.first_move_interval),
            format!("{:.0}", summary.expansions),
            format!("{:.1}", summary.expansions_per_move),
            format!("{:.0}", summary.updates),
            format!("{:.1}", summary.back_moves),
            format!("{:.1}", summary.non_optimal_moves),
            format!("{:.1}", summary.restarts),
            summary.max_expansions_per_interval.to_string(),
            summary.max_trace_steps_per_interval.to_string(),
            format!("{} KB", summary.peak_bytes.div_ceil(1024)),
        ];
        row.extend(before.map(|before| match before.of(&who.config) {
            Some((seconds, bytes)) => format!("{}, {:.1} MB", time(seconds), bytes / 1e6),
            None => "nothing".into(),
        }));
        row.extend(timed.then_some(slowdown));
        table.add_row(row);
    }
    align(&mut table);
    table
}

/// Puts all but the first column to the right.
fn align(table: &mut Table) {
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

fn csv(rows: &[(&Contestant, Summary)], Extra { before, timed }: Extra) -> String {
    let mut text = String::from(
        "algorithm,budget,problems,reached,suboptimality,cost,moves,intervals,first_move_interval,\
         expansions,expansions_per_move,updates,back_moves,non_optimal_moves,restarts,\
         max_expansions_per_interval,max_trace_steps_per_interval,max_updates_per_interval,\
         peak_bytes",
    );
    text.push_str(if before.is_some() { ",seconds_before,bytes_before" } else { "" });
    text.push_str(if timed { ",slowdown\n" } else { "\n" });
    for (who, s) in rows {
        let budget = who.budget.map_or(String::new(), |budget| budget.to_string());
        let mut values = vec![
            who.name.clone(),
            budget,
            s.problems.to_string(),
            s.reached.to_string(),
            s.suboptimality.to_string(),
            s.cost.to_string(),
            s.moves.to_string(),
            s.intervals.to_string(),
            s.first_move_interval.to_string(),
            s.expansions.to_string(),
            s.expansions_per_move.to_string(),
            s.updates.to_string(),
            s.back_moves.to_string(),
            s.non_optimal_moves.to_string(),
            s.restarts.to_string(),
            s.max_expansions_per_interval.to_string(),
            s.max_trace_steps_per_interval.to_string(),
            s.max_updates_per_interval.to_string(),
            s.peak_bytes.to_string(),
        ];
        if let Some(before) = before {
            let (seconds, bytes) = before.of(&who.config).unwrap_or_default();
            values.extend([seconds.to_string(), bytes.to_string()]);
        }
        values.extend(timed.then(|| s.slowdown.map_or(String::new(), |mean| mean.to_string())));
        text.push_str(&values.join(","));
        text.push('\n');
    }
    text
}
