//! `tickstar bench crowd`: how soon crowds arrive, on what paths, and what a frame takes.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use serde_json::json;
use tickstar::catalog;
use tickstar_lab::bench::crowd::{
    CrowdBenchError, Plan, Report, Row, Site, WalkingRow, files, measure, sites, steps,
};
use tickstar_lab::crowd::{Budget, Planner};
use tickstar_lab::draw::bars_svg;
use tickstar_lab::text::{counted, quoted};

use super::{Shown, folder, optional, table, watched};
use crate::contestants::contestants;
use crate::crowd::{Behavior, MOST_AGENTS, megabytes, refused};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::layout::wrapped;
use crate::number::{from_one, whole};
use crate::source::{Map, Movement, map_file};

/// Crowds: how soon all arrive, on what paths, and what a frame takes
///
/// All agents share the budget of a frame. The planner `crowd` plans for all of them; an algorithm of the catalog gives
/// each agent a search of its own, and the agents take turns, each with up to its budget per tick (100 units, unless
/// the algorithm says otherwise or `budget=N` is given). The default has one as a baseline, PRA*, which is cut off
/// after 2000 frames: its agents walk only when it is their turn.
///
/// Every step is checked. With budgets in units, all figures but times and memory are the same in every run.
///
/// The last table says what walking alone takes: all agents have their whole paths, and a frame only takes their steps.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar bench crowd --quick\n  \
    tickstar bench crowd --maps ../shared/maps --plot crowd.svg\n  \
    tickstar bench crowd --map builtin:islands-512 --agents 1000,10000 --planners crowd --json\n  \
    tickstar bench crowd --quick --planners crowd,tba:budget=50 --budgets 1ms,20000\n  \
    tickstar bench crowd --quick --goals 4 --avoid-collisions")]
pub struct CrowdBench {
    /// A folder with maps of the public benchmark, such as starcraft/Expedition.map [default: generated maps]
    #[arg(long, value_name = "DIR", help_heading = "Map", conflicts_with = "map")]
    maps: Option<PathBuf>,
    /// A map: a file in the benchmark's format, rows of # and . in a .txt, or builtin:NAME; may be given several
    /// times
    #[arg(long, value_name = "FILE|builtin:NAME", help_heading = "Map")]
    map: Vec<PathBuf>,
    #[command(flatten)]
    movement: Movement,
    /// Numbers of agents [default: 5000, and on the first map 10000 and 1000; with --map, 5000]
    #[arg(long, value_name = "N,…", value_delimiter = ',',
        value_parser = whole::<usize>(1..=MOST_AGENTS), allow_negative_numbers = true,
        help_heading = "Agents")]
    agents: Vec<usize>,
    #[command(flatten)]
    behavior: Behavior,
    /// Who plans: crowd, or algorithms with parameters after colons
    #[arg(
        long,
        value_name = "crowd|NAME[:KEY=VALUE[+VALUE…]…],…",
        value_delimiter = ',',
        default_values = ["crowd", "pra:k=16"],
        help_heading = "Agents"
    )]
    planners: Vec<String>,
    /// The budgets of a frame: milliseconds or units
    #[arg(
        long,
        value_name = "MS|UNITS,…",
        value_delimiter = ',',
        default_value = "2ms",
        allow_hyphen_values = true,
        help_heading = "Agents"
    )]
    budgets: Vec<Budget>,
    /// A run ends after so many frames [default: 100000; with an algorithm of the catalog 2000]
    #[arg(long, value_name = "N", value_parser = from_one, allow_negative_numbers = true,
        help_heading = "Agents")]
    frames: Option<u64>,
    /// A tenth of the agents, on small maps if they are generated
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    shown: Shown,
}

/// The agents on a map that is given.
const AGENTS: usize = 5000;
/// The most frames, of the crowd and of agents of the catalog.
const MOST_FRAMES: [u64; 2] = [100_000, 2_000];

/// A row of either kind.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Line<'r> {
    Run(&'r Row),
    Walking(&'r WalkingRow),
}

impl CrowdBench {
    pub fn execute(&self) -> Result<(), Failure> {
        let inputs = self.maps.iter().flat_map(|maps| files(maps));
        let given = self.map.iter().filter_map(|map| map_file(map)).map(PathBuf::from);
        self.shown.check(inputs.chain(given))?;
        let plan = self.plan()?;
        let sites = self.sites()?;
        let all = steps(&sites, &plan);
        let interrupt = Interrupt::watch();
        let report =
            watched(all, "rows", interrupt.begin(), |control| measure(&sites, &plan, control));
        let report = report.map_err(|error| match error {
            CrowdBenchError::Places { map, reason } => refused(reason).on_map(map.as_ref()),
            error => Failure::input(error),
        })?;
        if !report.is_empty() {
            let rows: Vec<Line<'_>> = report
                .rows
                .iter()
                .map(Line::Run)
                .chain(report.walking.iter().map(Line::Walking))
                .collect();
            self.shown.print(&rows, &json!({ "seed": plan.seed }), || text(&report))?;
            self.shown.draw(|| plot(&report))?;
        }
        if report.len() < all {
            return Err(Failure::stopped_at(report.len(), all, "row"));
        }
        Ok(())
    }

    fn plan(&self) -> Result<Plan, Failure> {
        let mut planners = Vec::new();
        for text in &self.planners {
            if text == "crowd" {
                planners.push(Planner::Crowd);
                continue;
            }
            let name = text.split(':').next().unwrap_or_default();
            catalog::find(name).map_err(|error| {
                let name = quoted(name);
                Failure::usage(format!("`{name}` is neither `crowd` nor an algorithm: {error}"))
            })?;
            for who in contestants(text, &[], &[])? {
                let default = who.config.entry().default_budget;
                let name = match who.budget {
                    budget if budget == default => who.name,
                    Some(budget) => format!("{}:budget={budget}", who.name),
                    None => format!("{}:budget=none", who.name),
                };
                let units = who.budget.unwrap_or(u64::MAX);
                planners.push(Planner::Agents { name, config: who.config, units });
            }
        }
        Ok(Plan {
            planners,
            budgets: self.budgets.clone(),
            config: self.behavior.config(),
            seed: self.behavior.seed,
            stream: self.behavior.stream,
            goals: self.behavior.goals,
            threads: self.behavior.threads,
            most_frames: self.frames.map_or(MOST_FRAMES, |frames| [frames; 2]),
        })
    }

    fn sites(&self) -> Result<Vec<Site>, Failure> {
        let mut all = Vec::new();
        if self.map.is_empty() {
            all = sites(folder(self.maps.as_deref())?, self.quick).map_err(Failure::input)?;
            for site in &mut all {
                site.grid = Map::from_grid(&site.name, site.grid.clone(), self.movement).grid;
            }
        }
        for source in &self.map {
            let map = Map::load(source, self.movement)?;
            let agents = vec![if self.quick { AGENTS / 10 } else { AGENTS }];
            all.push(Site { name: map.title(), grid: map.grid, agents });
        }
        for site in &mut all {
            if !self.agents.is_empty() {
                site.agents.clone_from(&self.agents);
            }
            for &agents in &site.agents {
                self.behavior
                    .check_room(site.grid.free_cells().count(), agents)
                    .map_err(|failure| failure.on_map(site.name.as_ref()))?;
            }
        }
        Ok(all)
    }
}

fn percent(share: Option<f64>, digits: usize) -> String {
    optional(share.map(|share| share * 100.0), digits)
}

fn text(report: &Report) -> Vec<String> {
    let header = [
        "planner", "budget", "arrived", "frames", "arrival", "length", "standing", "first", "wait",
        "p50", "p99", "max", "over", "own max", "own over", "units", "planning", "MB",
    ];
    let mut all = Vec::new();
    let same = |a: &Row, b: &Row| (&a.map, a.figures.agents) == (&b.map, b.figures.agents);
    for rows in report.rows.chunk_by(same) {
        let lines = rows.iter().map(|row| {
            let (figures, times) = (&row.figures, &row.figures.times);
            let least = if figures.complete { "" } else { "≥ " };
            vec![
                row.planner.clone(),
                row.budget.clone(),
                figures.arrived.to_string(),
                figures.frames.to_string(),
                format!("{least}{:.4}", figures.arrival_over_moves),
                optional(figures.suboptimality, 4),
                percent(Some(figures.standing), 2),
                figures.last_first_move.to_string(),
                figures.longest_wait.to_string(),
                format!("{:.2}", times.frame_p50_ms),
                format!("{:.2}", times.frame_p99_ms),
                format!("{:.2}", times.frame_max_ms),
                percent(times.over_budget, 2),
                optional(times.undisturbed.map(|own| own.frame_max_ms), 2),
                percent(times.undisturbed.and_then(|own| own.over_budget), 2),
                format!("{:.0}", figures.units_per_agent),
                format!("{:.0}", figures.planning_units_per_agent),
                format!("{:.1}", megabytes(figures.crowd_bytes)),
            ]
        });
        let figures = &rows[0].figures;
        all.push(format!(
            "{}: {}, shortest paths of {:.1} moves on average\n\n{}",
            rows[0].map,
            counted(figures.agents, "agent"),
            figures.optimal_moves,
            table(&header, 1, lines)
        ));
    }
    if !report.rows.is_empty() {
        all.push(wrapped(
            "arrival: frames until arrival over the moves of shortest paths (≥: the run was cut off) · length: of \
             walks over that of shortest paths · standing: percent of the time on the way · first: the frame in \
             which the last agent first moved · wait: the most frames for which an agent stood · p50, p99, max: \
             milliseconds per frame · over: percent of frames over 5 % longer than the budget · own: \
             the same without frames in which the system gave the processor to another program · units, planning: \
             all units, and those for planning, per agent · MB: the most memory of the crowd",
        ));
    }
    if !report.walking.is_empty() {
        let lines = report.walking.iter().map(|row| {
            vec![
                row.map.clone(),
                row.agents.to_string(),
                row.frames.to_string(),
                optional(row.warm_ms_per_10000, 3),
                optional(row.cold_ms_per_10000, 3),
            ]
        });
        let header = ["walking", "agents", "frames", "warm", "cold"];
        all.push(table(&header, 1, lines));
        all.push(wrapped(
            "walking: all agents have their whole paths · warm, cold: the median of milliseconds per frame and 10000 \
             agents that take a step, each step checked by the crowd; cold: after writing 64 MiB of other memory",
        ));
    }
    all
}

fn plot(report: &Report) -> String {
    let bar = |row: &Row| {
        let Row { map, planner, budget, figures } = row;
        let end = if figures.complete { "" } else { ", cut off" };
        let name = format!("{map}, {}, {planner}, {budget}{end}", figures.agents);
        (name, figures.arrival_over_moves)
    };
    let bars: Vec<_> = report.rows.iter().map(bar).collect();
    bars_svg("Crowds", "frames until arrival over moves of shortest paths", &bars)
}
