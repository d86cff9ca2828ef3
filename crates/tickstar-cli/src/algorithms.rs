//! `tickstar algorithms`: the catalog.

use std::io::{self, Write};

use clap::Args;
use serde_json::json;
use tickstar::catalog::{self, Entry, GivesUp};
use tickstar_lab::WorldKind;

use crate::failure::Failure;
use crate::source::find_algorithm;

/// List the algorithms: paper, parameters with defaults, what each guarantees and needs
#[derive(Args)]
pub struct Algorithms {
    /// Only this algorithm
    name: Option<String>,
    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

impl Algorithms {
    pub fn execute(&self) -> Result<(), Failure> {
        let entries: Vec<&Entry> = match &self.name {
            Some(name) => vec![find_algorithm(name)?],
            None => catalog::all().iter().collect(),
        };
        let mut out = io::stdout().lock();
        for entry in entries {
            if self.json {
                writeln!(out, "{}", describe(entry))?;
            } else {
                print(&mut out, entry)?;
            }
        }
        Ok(())
    }
}

fn print(out: &mut impl Write, entry: &Entry) -> Result<(), Failure> {
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
    let worlds = WorldKind::names_for(entry).join(", ");
    match facts.no_openings {
        Some(reason) => {
            writeln!(out, "    worlds: {worlds} (if it frees no cell)")?;
            writeln!(out, "    not in worlds where blocked cells become free: {reason}")?;
        }
        None => writeln!(out, "    worlds: {worlds}")?,
    }
    for parameter in entry.parameters() {
        let setting = format!("{}={}", parameter.name, parameter.default);
        writeln!(out, "      {setting:<16} {}", parameter.meaning)?;
    }
    writeln!(out)?;
    Ok(())
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
            "slow_to_give_up": facts.slow_to_give_up(),
            "no_openings": facts.no_openings,
            "cost": facts.cost,
            "changes": facts.changes,
        },
        "worlds": WorldKind::names_for(entry),
    })
}
