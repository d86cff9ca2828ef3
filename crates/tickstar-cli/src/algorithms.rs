//! `tickstar algorithms`: the catalog.

use std::fmt::{self, Write as _};
use std::io::{self, Write as _};

use clap::Args;
use comfy_table::{Table, presets};
use serde_json::json;
use tickstar::catalog::{self, Entry, FirstMove, GivesUp};
use tickstar_lab::WorldKind;

use crate::failure::Failure;
use crate::layout::{hanging, lines};
use crate::source::find_algorithm;

/// List the algorithms, or show one in full: paper, settings with defaults, what it guarantees and needs
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar algorithms\n  \
    tickstar algorithms tba\n  \
    tickstar algorithms pra --json")]
pub struct Algorithms {
    /// Show this algorithm in full
    name: Option<String>,
    /// All there is to know, one JSON object per line
    #[arg(long)]
    json: bool,
}

impl Algorithms {
    pub fn execute(&self) -> Result<(), Failure> {
        let named = self.name.as_deref().map(find_algorithm).transpose()?;
        let mut out = io::stdout().lock();
        match named {
            _ if self.json => {
                let all = catalog::all().iter();
                for entry in all.filter(|entry| named.is_none_or(|named| named.name == entry.name))
                {
                    writeln!(out, "{}", describe(entry))?;
                }
            }
            Some(entry) => {
                let text = in_full(entry).expect("a string takes any text");
                writeln!(out, "{}", hanging(&text, 8))?;
            }
            None => writeln!(out, "{}\n\n{LEGEND}", lines(&table()).join("\n"))?,
        }
        Ok(())
    }
}

/// What the columns mean, and where there is more.
const LEGEND: &str = "\
first move: when it begins to walk · bounded: what the budget limits per tick
openings: whether it is defined where blocked cells become free
settings, guarantees and papers: tickstar algorithms NAME";

/// The algorithms, one line each.
fn table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header([
        "name",
        "algorithm",
        "first move",
        "bounded",
        "openings",
    ]);
    for Entry { name, title, facts, .. } in catalog::all() {
        let first_move = match facts.first_move {
            _ if facts.acts_at_once() => "at once",
            FirstMove::BackAndForth => "back and forth",
            FirstMove::AfterSegment => "first segment",
            _ => "whole path",
        };
        let work = if facts.bounded_tick() { "all work" } else { "expansions" };
        let opens = if facts.no_openings.is_none() { "yes" } else { "no" };
        // What the letters stand for is told with the rest.
        let title = title.split(" (").next().unwrap_or(title);
        table.add_row([name, title, first_move, work, opens]);
    }
    table
}

/// Everything about one algorithm.
fn in_full(entry: &Entry) -> Result<String, fmt::Error> {
    let mut text = String::new();
    let out = &mut text;
    let facts = &entry.facts;
    writeln!(out, "{}  —  {}", entry.name, entry.title)?;
    writeln!(out, "    {}", entry.summary)?;
    writeln!(out, "    paper: {}", entry.paper)?;
    let budget = entry.default_budget.map_or("no limit".to_string(), |budget| budget.to_string());
    writeln!(out, "    budget per tick: {budget} unless --budget says otherwise")?;
    let yes = |fact| if fact { "yes" } else { "no" };
    writeln!(
        out,
        "    complete: {}   acts at once: {}   all work bounded: {}   needs reversible edges: {}",
        yes(facts.complete),
        yes(facts.acts_at_once()),
        yes(facts.bounded_tick()),
        yes(facts.needs_reversible_edges),
    )?;
    if facts.needs_hierarchy {
        writeln!(
            out,
            "    needs a hierarchy of the map, which is built first; see `tickstar abstraction`"
        )?;
    }
    if facts.needs_regions {
        writeln!(out, "    needs the regions of the map, which are built first, in milliseconds")?;
    }
    let detects = match facts.gives_up {
        GivesUp::Slowly => Some("slowly, when its estimates exceed any possible cost"),
        GivesUp::Never => Some("never"),
        _ => None,
    };
    if let Some(detects) = detects {
        writeln!(out, "    detects that there is no path: {detects}; see --max-intervals")?;
    }
    writeln!(out, "    cost of the walk: {}", facts.cost)?;
    writeln!(out, "    when the map changes: {}", facts.changes)?;
    writeln!(out, "    when the goal moves: {}", facts.retargets)?;
    let worlds = WorldKind::names_for(entry).join(", ");
    match facts.no_openings {
        Some(reason) => {
            writeln!(out, "    worlds: {worlds} (if it frees no cell)")?;
            writeln!(out, "    not in worlds where blocked cells become free: {reason}")?;
        }
        None => writeln!(out, "    worlds: {worlds}")?,
    }
    let parameters = entry.parameters();
    if !parameters.is_empty() {
        writeln!(out, "    settings, with their defaults (--set NAME=VALUE):")?;
    }
    for parameter in &parameters {
        let setting = format!("{}={}", parameter.name, parameter.default);
        writeln!(out, "      {setting:<16} {}", parameter.meaning)?;
    }
    let name = entry.name;
    writeln!(out, "    try: tickstar run --algorithm {name}")?;
    Ok(text)
}

fn describe(entry: &Entry) -> serde_json::Value {
    let facts = &entry.facts;
    let parameters: Vec<_> = entry
        .parameters()
        .iter()
        .map(|parameter| {
            json!({
                "name": parameter.name,
                "default": parameter.default,
                "meaning": parameter.meaning,
            })
        })
        .collect();
    json!({
        "name": entry.name,
        "title": entry.title,
        "summary": entry.summary,
        "paper": entry.paper,
        "default_budget": entry.default_budget,
        "parameters": parameters,
        "facts": {
            "complete": facts.complete,
            "acts_at_once": facts.acts_at_once(),
            "bounded_tick": facts.bounded_tick(),
            "same_walk_at_every_budget": facts.same_walk,
            "needs_reversible_edges": facts.needs_reversible_edges,
            "needs_hierarchy": facts.needs_hierarchy,
            "needs_regions": facts.needs_regions,
            "slow_to_give_up": facts.slow_to_give_up(),
            "no_openings": facts.no_openings,
            "cost": facts.cost,
            "changes": facts.changes,
            "retargets": facts.retargets,
        },
        "worlds": WorldKind::names_for(entry),
    })
}
