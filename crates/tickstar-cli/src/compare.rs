//! `tickstar compare`: several algorithms with several budgets, side by side.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use rayon::prelude::*;
use tickstar::catalog::Config;
use tickstar_lab::{Problem, Record, Summary, Terrain};

use crate::failure::Failure;
use crate::source::{Map, Problems, Rules, Setting, Worlds, configure, progress};

/// Compare algorithms with several budgets on the same problems
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar compare\n  \
    tickstar compare --map a.map --scen a.map.scen --take 100 --algorithms tba,late-astar \
    --budgets 10,100\n  \
    tickstar compare --algorithms tba,tba:switch=true,wastar:weight=3 --csv out.csv\n  \
    tickstar compare --world unknown --algorithms rtba,tbaa")]
pub struct Compare {
    /// A map; may be given several times [default: four that come with the program]
    #[arg(long, value_name = "FILE|builtin:NAME")]
    map: Vec<String>,
    #[command(flatten)]
    problems: Problems,
    /// Algorithms, with parameters behind a colon
    #[arg(
        long,
        value_name = "NAME[:KEY=VALUE…],…",
        value_delimiter = ',',
        default_value = "astar,late-astar,tba,tba:switch=true"
    )]
    algorithms: Vec<String>,
    /// Budgets
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "10,25,100,1000")]
    budgets: Vec<u64>,
    #[command(flatten)]
    rules: Rules,
    #[command(flatten)]
    worlds: Worlds,
    /// Write the table as CSV to a file, or to standard output instead of the table
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    csv: Option<PathBuf>,
}

/// The maps compared on if none is named: one of each kind, small enough to be done in seconds.
const MAPS: [&str; 4] =
    ["builtin:rooms-64", "builtin:caves-128", "builtin:islands-128", "builtin:random-64"];

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
}

impl Compare {
    pub fn execute(&self) -> Result<(), Failure> {
        let contestants = self.contestants()?;
        let courses = self.courses()?;
        let total: usize = courses.iter().map(|course| course.problems.len()).sum();
        let bar = progress((total * contestants.len()) as u64, "runs");
        let mut records: Vec<Vec<Record>> = contestants.iter().map(|_| Vec::new()).collect();
        for course in &courses {
            let solved: Result<Vec<Vec<Record>>, Failure> = course
                .problems
                .par_iter()
                .enumerate()
                .map(|(index, problem)| {
                    let all = self.solve(course, index, problem, &contestants);
                    bar.inc(contestants.len() as u64);
                    all
                })
                .collect();
            for row in solved? {
                for (list, record) in records.iter_mut().zip(row) {
                    list.push(record);
                }
            }
        }
        bar.finish_and_clear();
        let rows: Vec<_> =
            contestants.iter().zip(&records).map(|(who, list)| (who, Summary::of(list))).collect();
        self.show(&courses, &rows)
    }

    fn contestants(&self) -> Result<Vec<Contestant>, Failure> {
        let mut contestants = Vec::new();
        for text in &self.algorithms {
            let mut parts = text.split(':');
            let name = parts.next().unwrap_or_default();
            let settings: Result<Vec<Setting>, String> = parts.map(str::parse).collect();
            let settings = settings.map_err(|error| Failure::usage(format!("{text}: {error}")))?;
            for &budget in &self.budgets {
                let (config, budget) = configure(name, &settings, Some(budget))?;
                contestants.push(Contestant { name: text.clone(), config, budget });
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
        let mut courses = Vec::new();
        for name in names {
            let map = Map::load(name, self.rules)?;
            let problems = self.problems.load(&map, self.worlds.seed)?;
            let terrain = self.worlds.terrain(&map)?;
            self.problems.check(&terrain, &problems)?;
            courses.push(Course { map, terrain, problems });
        }
        Ok(courses)
    }

    /// One problem with every contestant, judged by the same distances.
    fn solve(
        &self,
        course: &Course,
        index: usize,
        problem: &Problem,
        contestants: &[Contestant],
    ) -> Result<Vec<Record>, Failure> {
        let named = |error| Failure::input(format!("{}{error}", self.problems.place(index)));
        let mut reference = None;
        let mut records = Vec::new();
        for Contestant { config, budget, .. } in contestants {
            let job = self.worlds.job(&course.map, &course.terrain, config, *budget);
            let journey = job.sim(problem).map_err(named)?.run(job.max_intervals, None);
            let reference = match &mut reference {
                Some(reference) => reference,
                none => none.insert(job.reference(problem).map_err(named)?),
            };
            records.push(job.judge(problem, &journey, reference));
        }
        Ok(records)
    }

    fn show(&self, courses: &[Course], rows: &[(&Contestant, Summary)]) -> Result<(), Failure> {
        match &self.csv {
            Some(path) if path.as_os_str() != "-" => {
                let csv = csv(rows);
                std::fs::write(path, csv).map_err(|error| Failure::writing(path, &error))?;
            }
            Some(_) => {
                return Ok(io::stdout().lock().write_all(csv(rows).as_bytes())?);
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
        writeln!(out, "\n{}\n", table(rows))?;
        writeln!(
            out,
            "length: walked, over the shortest · intervals to restarts: means · back-moves: back along \
             the way it came · non-optimal: on no shortest path\n\
             most expansions, most tracing: in any interval of any problem · memory: of one agent at \
             most"
        )?;
        Ok(out.flush()?)
    }
}

fn table(rows: &[(&Contestant, Summary)]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header([
        "algorithm",
        "budget",
        "reached",
        "length",
        "intervals",
        "first move",
        "expansions",
        "back-moves",
        "non-optimal",
        "restarts",
        "most expansions",
        "most tracing",
        "memory",
    ]);
    for (who, summary) in rows {
        table.add_row([
            who.name.clone(),
            who.budget.map_or("none".into(), |budget| budget.to_string()),
            format!("{}/{}", summary.reached, summary.problems),
            format!("{:.3}", summary.suboptimality),
            format!("{:.1}", summary.intervals),
            format!("{:.1}", summary.first_move_interval),
            format!("{:.0}", summary.expansions),
            format!("{:.1}", summary.back_moves),
            format!("{:.1}", summary.non_optimal_moves),
            format!("{:.1}", summary.restarts),
            summary.max_expansions_per_interval.to_string(),
            summary.max_trace_steps_per_interval.to_string(),
            format!("{} KB", summary.peak_bytes.div_ceil(1024)),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn csv(rows: &[(&Contestant, Summary)]) -> String {
    let mut text = String::from(
        "algorithm,budget,problems,reached,suboptimality,cost,moves,intervals,first_move_interval,\
         expansions,back_moves,non_optimal_moves,restarts,max_expansions_per_interval,\
         max_trace_steps_per_interval,peak_bytes\n",
    );
    for (who, s) in rows {
        let budget = who.budget.map_or(String::new(), |budget| budget.to_string());
        let values = [
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
            s.back_moves.to_string(),
            s.non_optimal_moves.to_string(),
            s.restarts.to_string(),
            s.max_expansions_per_interval.to_string(),
            s.max_trace_steps_per_interval.to_string(),
            s.peak_bytes.to_string(),
        ];
        text.push_str(&values.join(","));
        text.push('\n');
    }
    text
}
