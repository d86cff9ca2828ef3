//! `tickstar bench latency`: the times of ticks.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;
use tickstar_lab::WorldKind;
use tickstar_lab::bench::latency::{
    self, Contestant, Extent, Report, Row, contestants, files, measure, steps,
};
use tickstar_lab::draw::{Chart, ChartAxis, ChartPanel, ChartPoint, ChartSeries};
use tickstar_lab::text::counted;

use super::{Shown, folder, optional, table, watched};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::layout::wrapped;
use crate::number::from_one;

/// The times of ticks, with noise taken out
///
/// An episode, which is an agent in its world with a problem and a budget, repeats bit for bit. It is run five times,
/// and each tick takes its least time: what is left is what the tick itself costs.
///
/// Only the call of `Agent::tick` is timed; what the world does in between is not. The agent is warm: it takes its
/// memory from a pool which an earlier episode of the same agent, with the same problem, has filled, and it is then
/// assigned the problem again. Times include reading the clock, some 20 to 50 ns.
///
/// Median and percentiles are over the ticks that searched, which means that they expanded a node; the maximum is over
/// all ticks. With a large budget, most ticks may find what they need long before it is spent. What slow ticks are
/// compared with is therefore a full tick: the median of those that spent at least half of their budget. Episodes end
/// after 100000 ticks.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar bench latency --quick\n  \
    tickstar bench latency --maps ../shared/maps --plot latency.svg\n  \
    tickstar bench latency --algorithms tba,rtaa --budgets 25,250 --quick\n  \
    tickstar bench latency --algorithms tbaa --world unknown --json --quick")]
pub struct Latency {
    /// A folder with maps of the public benchmark and their scenario files: wc3-512/duskwood.map,
    /// wc3-512/duskwood.map.scen, bg-512/AR0300SR [default: generated maps of their size]. Two large generated
    /// maps are always used as well
    #[arg(long, value_name = "DIR", help_heading = "Map")]
    maps: Option<PathBuf>,
    /// Algorithms, with parameters after a colon [default: tba, tba-jps, tb-wastar and pra in the world known, tbaa in
    /// the world unknown]
    #[arg(
        long,
        value_name = "NAME[:KEY=VALUE[+VALUE…]…],…",
        value_delimiter = ',',
        help_heading = "Algorithm"
    )]
    algorithms: Vec<String>,
    /// What the agents know of the map, with --algorithms
    #[arg(long, value_enum, requires = "algorithms", default_value_t = Knowledge::Known,
        help_heading = "Algorithm")]
    world: Knowledge,
    /// Budgets
    #[arg(
        long,
        value_name = "N,…",
        value_delimiter = ',',
        value_parser = from_one,
        default_values_t = [10, 100, 1000],
        allow_negative_numbers = true,
        help_heading = "Algorithm"
    )]
    budgets: Vec<u64>,
    /// 2 problems per map instead of 10, on small maps if they are generated, at most 2000 ticks, and three repeats
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    shown: Shown,
}

#[derive(ValueEnum, Clone, Copy)]
enum Knowledge {
    /// They know it
    Known,
    /// They assume that every cell is free until they have been next to it
    Unknown,
}

impl Latency {
    pub fn execute(&self) -> Result<(), Failure> {
        self.shown.check(self.maps.iter().flat_map(|maps| files(maps)))?;
        let extent = if self.quick { Extent::QUICK } else { Extent::FULL };
        let contestants = self.contestants()?;
        let maps = folder(self.maps.as_deref())?;
        let sets = extent.problem_sets(maps).map_err(Failure::input)?;
        let steps = steps(&sets, &contestants, &self.budgets);
        let interrupt = Interrupt::watch();
        let report = watched(steps, "episodes", interrupt.begin(), |control| {
            measure(&sets, &contestants, &self.budgets, extent, None, control)
        });
        let report = report.map_err(Failure::input)?;
        if !report.rows.is_empty() {
            let common = json!({ "repeats": report.repeats });
            self.shown.print(&report.rows, &common, || text(&report))?;
            self.shown.draw(|| plot(&report))?;
        }
        let rows = sets.len() * contestants.len() * self.budgets.len();
        if report.rows.len() < rows {
            return Err(Failure::stopped_at(report.rows.len(), rows, "row"));
        }
        Ok(())
    }

    fn contestants(&self) -> Result<Vec<Contestant>, Failure> {
        if self.algorithms.is_empty() {
            return Ok(contestants());
        }
        let mut all = Vec::new();
        for text in &self.algorithms {
            for named in crate::contestants::contestants(text, &[], &[None])? {
                if named.budget.is_some() {
                    return Err(Failure::usage("budgets are given by --budgets").about(text));
                }
                let world = match self.world {
                    Knowledge::Known => WorldKind::Known,
                    Knowledge::Unknown => WorldKind::Unknown,
                };
                all.push(Contestant { name: named.name, config: named.config, world });
            }
        }
        Ok(all)
    }
}

/// Microseconds.
fn micros(ns: Option<u64>) -> String {
    optional(ns.map(|ns| ns as f64 / 1e3), 2)
}

/// The rows of each map, in order.
fn by_map(report: &Report) -> impl Iterator<Item = &[Row]> {
    report.rows.chunk_by(|a, b| a.map == b.map)
}

fn text(report: &Report) -> Vec<String> {
    let header = [
        "algorithm",
        "budget",
        "ticks",
        "median",
        "p99",
        "p99.9",
        "max",
        "full",
        "p99.9/full",
        "max/full",
    ];
    let mut all = Vec::new();
    for rows in by_map(report) {
        let lines = rows.iter().map(|row| {
            vec![
                row.algorithm.clone(),
                row.budget.to_string(),
                row.ticks.to_string(),
                micros(row.median_ns),
                micros(row.p99_ns),
                micros(row.p999_ns),
                micros(Some(row.max_ns)),
                micros(row.full_ns),
                optional(row.p999_over_full, 1),
                optional(row.max_over_full, 1),
            ]
        });
        all.push(format!("{}\n\n{}", rows[0].map, table(&header, 1, lines)));
    }
    all.push(wrapped(&format!(
        "times in microseconds, each tick the least of {} · median, p99 and p99.9: of the ticks that searched; \
         max: of all ticks · full: the median of ticks that spent half of their budget or more",
        counted(report.repeats, "run")
    )));
    all
}

fn plot(report: &Report) -> String {
    let mut panels: Vec<ChartPanel> = Vec::new();
    for rows in by_map(report) {
        let mut budgets: Vec<_> = rows.iter().map(|row| row.budget).collect();
        budgets.sort_unstable();
        budgets.dedup();
        for budget in budgets {
            let series = rows.iter().filter(|row| row.budget == budget).map(series).collect();
            panels.push(ChartPanel { title: format!("{}, budget {budget}", rows[0].map), series });
        }
    }
    let mut places: Vec<String> =
        latency::PERCENTAGES[1..].iter().map(ToString::to_string).collect();
    places.push("max".into());
    let chart = Chart {
        title: "The times of ticks".into(),
        x: ChartAxis::places("percentile of the ticks that searched; max: of all ticks", places),
        y: ChartAxis::log("time over that of a full tick"),
        panels,
        columns: 3,
        ..Chart::default()
    };
    chart.plain_svg()
}

/// The percentiles of a row from the median on, over the time of a full tick.
fn series(row: &Row) -> ChartSeries {
    let over = |time: u64| row.full_ns.map_or(f64::NAN, |full| time as f64 / full.max(1) as f64);
    let from_median = row.curve.iter().filter(|(percent, _)| *percent >= 50.0);
    let values = from_median.map(|&(_, time)| over(time)).chain([over(row.max_ns)]);
    let point = |(nth, value)| ChartPoint::new(nth as f64, value);
    let points = values.enumerate().map(point).collect();
    ChartSeries { name: row.algorithm.clone(), points, ..ChartSeries::default() }
}
