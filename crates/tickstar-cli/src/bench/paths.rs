//! `tickstar bench paths`: whole paths beside other crates.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use tickstar_lab::bench::paths::{BASELINE, Extent, Report, Row, files, measure, solvers};
use tickstar_lab::draw::bars_svg;
use tickstar_lab::text::counted;

use super::{Shown, folder, optional, table, watched};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::layout::wrapped;

/// Whole paths: `find_path`, the plain searches and other crates on the same problems
///
/// Each solver finds the path of each problem in one call; the least of several times counts, and the solvers take
/// turns. Every path is checked: it must be legal, and cost what an exact A* search says, or at most what the solver
/// promises. Otherwise the command fails.
///
/// The other crates are used as their documentation shows. `pathfinding` gets our costs, moves and estimate.
/// `grid_pathfinding` and `hierarchical_pathfinding` always let diagonal steps pass the corners of blocked cells, so
/// compare them with `find_path` in the rows where corners are allowed; the second counts a diagonal step as one straight
/// step, so its paths are longer. Both prepare a map before, on one thread, which is timed apart. The array A* is
/// written by hand for this one purpose, and shows what the plain loop could cost at best.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar bench paths\n  \
    tickstar bench paths --quick --plot paths.svg\n  \
    tickstar bench paths --maps ../shared/maps --json")]
pub struct Paths {
    /// A folder with maps of the public benchmark and their scenario files: wc3-512/battleground.map,
    /// wc3-512/battleground.map.scen, duskwood; bg-512/AR0300SR, AR0700SR; `rooms/16room_000`. The problems
    /// are spread evenly over each file [default: generated maps of the same kinds]
    #[arg(long, value_name = "DIR", help_heading = "Map")]
    maps: Option<PathBuf>,
    /// 10 problems per map instead of 100, on small maps if they are generated, and two rounds instead of nine
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    shown: Shown,
}

impl Paths {
    pub fn execute(&self) -> Result<(), Failure> {
        self.shown.check(self.maps.iter().flat_map(|maps| files(maps)))?;
        let extent = if self.quick { Extent::QUICK } else { Extent::FULL };
        let maps = folder(self.maps.as_deref())?;
        let sets = extent.problem_sets(maps).map_err(Failure::input)?;
        let mut solvers = solvers();
        let steps = sets.len() * extent.rounds * solvers.len();
        let interrupt = Interrupt::watch();
        let report = watched(steps, "rounds", interrupt.begin(), |control| {
            measure(&sets, &mut solvers, extent.rounds, control)
        });
        let report = report.map_err(Failure::input)?;
        if !report.rows.is_empty() {
            let Report { maps, problems, rounds, rows } = &report;
            let common = json!({ "maps": maps, "problems": problems, "rounds": rounds });
            self.shown.print(rows, &common, || text(&report))?;
            self.shown.draw(|| plot(&report))?;
        }
        if report.maps.len() < sets.len() {
            return Err(Failure::stopped_at(report.maps.len(), sets.len(), "map"));
        }
        Ok(())
    }
}

fn name(row: &Row) -> String {
    format!("{}{}", row.solver, if row.corners { " (corners)" } else { "" })
}

fn text(report: &Report) -> Vec<String> {
    let header = ["solver", "ms", "ns/expansion", "times as fast", "length", "worst", "ms before"];
    let rows = report.rows.iter().map(|row| {
        vec![
            name(row),
            format!("{:.4}", row.ms_per_problem),
            optional(row.ns_per_expansion, 1),
            optional(row.times_as_fast, 2),
            format!("{:.4}", row.suboptimality),
            format!("{:.3}", row.worst_suboptimality),
            format!("{:.1}", row.ms_to_prepare),
        ]
    });
    let maps = report.maps.join(", ");
    let about = format!(
        "{} on {maps}; each solved {}, the least time counts",
        counted(report.problems, "problem"),
        counted(report.rounds, "time")
    );
    let meanings = format!(
        "ms: per problem, mean · times as fast: as {BASELINE} · length: over the shortest, mean; worst: the same, \
         maximum · ms before: to prepare a map, mean · (corners): diagonal steps may pass corners of blocked cells; \
         otherwise never"
    );
    let mut all = vec![wrapped(&about), table(&header, 1, rows), wrapped(&meanings)];
    all.extend(finding(report).map(|finding| wrapped(&finding)));
    all
}

/// How `find_path` compares, each time with the same corner rule.
fn finding(report: &Report) -> Option<String> {
    let times = |peer: &Row| {
        let ours = report.row("find_path", peer.corners)?;
        let name = peer.solver.split(' ').next()?;
        Some(format!("{:.1} times as fast as {name}", peer.ms_per_problem / ours.ms_per_problem))
    };
    let peers = report.rows.iter().filter(|row| row.solver.contains("pathfinding"));
    let found: Vec<_> = peers.filter_map(times).collect();
    (!found.is_empty()).then(|| format!("find_path is {}.", found.join(", ")))
}

fn plot(report: &Report) -> String {
    let bars: Vec<_> = report.rows.iter().map(|row| (name(row), row.ms_per_problem)).collect();
    let title = format!("Whole paths: {}", counted(report.problems, "problem"));
    bars_svg(
        &title,
        "milliseconds per problem, mean, on a logarithmic scale; less is better",
        &bars,
    )
}
