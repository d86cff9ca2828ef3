//! `tickstar algorithms`: the catalogue.

use std::io::{self, Write};

use clap::Args;
use serde_json::json;
use tickstar::catalog::{self, Entry};
use tickstar_lab::WorldKind;

use crate::failure::Failure;
use crate::source::find_algorithm;

/// List the algorithms: paper, parameters with defaults, what each promises and needs
#[derive(Args)]
pub struct Algorithms {
    /// Only this one
    name: Option<String>,
    /// One JSON object a line
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
    let guarantees = &entry.guarantees;
    writeln!(out, "{}  —  {}", entry.name, entry.title)?;
    writeln!(out, "    {}", entry.summary)?;
    writeln!(out, "    paper: {}", entry.paper)?;
    let budget = entry.default_budget.map_or("no limit".to_string(), |budget| budget.to_string());
    writeln!(out, "    budget a tick: {budget} unless --budget says otherwise")?;
    let yes = |answer| if answer { "yes" } else { "no" };
    writeln!(
        out,
        "    complete: {}   acts at once: {}   all work bounded: {}   needs reversible edges: {}",
        yes(guarantees.complete),
        yes(guarantees.acts_at_once),
        yes(guarantees.bounded_tick),
        yes(guarantees.needs_reversible_edges),
    )?;
    if guarantees.needs_hierarchy {
        writeln!(
            out,
            "    needs an abstraction of the map: made first where it is needed; see `tickstar abstraction`"
        )?;
    }
    if guarantees.slow_to_give_up {
        let slow =
            "slowly, when estimates have outgrown all that can be reached; see --max-intervals";
        writeln!(out, "    notices that there is no way: {slow}")?;
    }
    writeln!(out, "    cost of the walk: {}", guarantees.cost)?;
    writeln!(out, "    when the map changes: {}", guarantees.changes)?;
    let worlds = WorldKind::names_for(entry).join(", ");
    match guarantees.no_openings {
        Some(reason) => {
            writeln!(out, "    worlds: {worlds} (that frees nothing)")?;
            writeln!(out, "    not where blocked cells become free: {reason}")?;
        }
        None => writeln!(out, "    worlds: {worlds}")?,
    }
    for parameter in entry.parameters {
        let setting = format!("{}={}", parameter.name, parameter.default);
        writeln!(out, "      {setting:<16} {}", parameter.meaning)?;
    }
    writeln!(out)?;
    Ok(())
}

fn describe(entry: &Entry) -> serde_json::Value {
    let guarantees = &entry.guarantees;
    let parameters: Vec<_> = entry
        .parameters
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
        "guarantees": {
            "complete": guarantees.complete,
            "acts_at_once": guarantees.acts_at_once,
            "bounded_tick": guarantees.bounded_tick,
            "needs_reversible_edges": guarantees.needs_reversible_edges,
            "needs_hierarchy": guarantees.needs_hierarchy,
            "slow_to_give_up": guarantees.slow_to_give_up,
            "no_openings": guarantees.no_openings,
            "cost": guarantees.cost,
            "changes": guarantees.changes,
        },
        "worlds": WorldKind::names_for(entry),
    })
}
