//! `tickstar bench growth`: what a unit of work costs on larger and larger maps.

use clap::Args;
use serde_json::json;
use tickstar_lab::bench::growth::{Extent, Report, Row, Subject, measure};
use tickstar_lab::draw::{Chart, ChartAxis, ChartPanel, ChartPoint, ChartSeries};

use super::{Shown, table, watched};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::layout::wrapped;
use crate::number::whole;

/// What a unit of work costs on larger and larger maps: ideally the same
///
/// Maps of two kinds, each with twice the side of the one before, are generated. The subjects: A* alone and the ticks
/// of a TBA* agent until it has found its path (budget 100, bounded tracing), per expansion; and building the hierarchy,
/// per free cell. The least of several times counts. The largest map takes about two gigabytes of memory.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar bench growth --quick\n  \
    tickstar bench growth --largest 2048 --json\n  \
    tickstar bench growth --plot growth.svg")]
pub struct Growth {
    /// No map is larger than this: sides are 256, 512, 1024, 2048 and 4096 [default: 4096, with --quick 512]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(256..=4096), allow_negative_numbers = true,
        help_heading = "Map")]
    largest: Option<u32>,
    /// Maps up to 512 by 512, and fewer rounds
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    shown: Shown,
}

impl Growth {
    pub fn execute(&self) -> Result<(), Failure> {
        self.shown.check([])?;
        let extent = if self.quick { Extent::QUICK } else { Extent::FULL };
        let extent = Extent { largest: self.largest.unwrap_or(extent.largest), ..extent };
        let interrupt = Interrupt::watch();
        let report = watched(extent.steps(), "rounds", interrupt.begin(), |control| {
            measure(extent, control)
        });
        if !report.rows.is_empty() {
            let common = json!({});
            self.shown.print(&report.rows, &common, || text(&report))?;
            self.shown.draw(|| plot(&report, extent))?;
        }
        if report.maps < extent.maps() {
            return Err(Failure::stopped_at(report.maps, extent.maps(), "map"));
        }
        Ok(())
    }
}

fn text(report: &Report) -> Vec<String> {
    let header = ["subject", "maps", "side", "units", "ns/unit", "times the smallest"];
    let rows = report.rows.iter().map(|row| {
        vec![
            row.subject.name().into(),
            row.kind.clone(),
            row.side.to_string(),
            row.units.to_string(),
            format!("{:.1}", row.ns_per_unit),
            format!("{:.2}", row.over_smallest),
        ]
    });
    let subjects = [Subject::Astar, Subject::Tba, Subject::Hierarchy];
    let units = subjects.map(|subject| format!("{}: {}s", subject.name(), subject.unit()));
    vec![
        table(&header, 2, rows),
        wrapped(&format!(
            "units — {} · times the smallest: ns/unit over that of the smallest map of its kind",
            units.join(", ")
        )),
    ]
}

fn plot(report: &Report, extent: Extent) -> String {
    let mut panels = Vec::new();
    for rows in report.rows.chunk_by(|a, b| a.subject == b.subject) {
        let subject = rows[0].subject;
        let series = rows.chunk_by(|a, b| a.kind == b.kind).map(|rows| {
            let point = |row: &Row| ChartPoint::new(row.side.into(), row.ns_per_unit);
            let points = rows.iter().map(point).collect();
            ChartSeries { name: rows[0].kind.clone(), points, ..ChartSeries::default() }
        });
        let title = format!("{}: ns per {}", subject.name(), subject.unit());
        panels.push(ChartPanel { title, series: series.collect() });
    }
    let sides = extent.sides().into_iter().map(|side| (side.into(), side.to_string()));
    let chart = Chart {
        title: "The cost of work on larger maps".into(),
        x: ChartAxis { ticks: sides.collect(), ..ChartAxis::log("side of the map, in cells") },
        y: ChartAxis { shared: false, ..ChartAxis::from_zero("nanoseconds per unit of work") },
        panels,
        columns: 3,
        ..Chart::default()
    };
    chart.plain_svg()
}
