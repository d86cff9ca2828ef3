//! `tickstar algorithms`: every algorithm of the catalog with its facts.

use serde_json::Value;
use tickstar::catalog;

use crate::support::{Folder, NO_OPENINGS, is_learning, map, raises};

const FIELDS: [&str; 8] =
    ["name", "title", "summary", "paper", "default_budget", "parameters", "facts", "worlds"];

const FACTS: [&str; 12] = [
    "complete",
    "acts_at_once",
    "bounded_tick",
    "same_walk_at_every_budget",
    "needs_reversible_edges",
    "needs_hierarchy",
    "needs_regions",
    "slow_to_give_up",
    "no_openings",
    "cost",
    "changes",
    "retargets",
];

const WORLDS: [&str; 5] = ["known", "unknown", "partial", "dynamic", "script"];

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    let text = value[name].as_str().unwrap_or_else(|| panic!("{name} is no text: {value}"));
    assert!(!text.trim().is_empty(), "{name} is empty: {value}");
    text
}

#[test]
fn all_are_described_as_json() {
    let folder = Folder::new("catalog-json");
    let entries = folder.run("algorithms --json").json();
    assert_eq!(entries.len(), catalog::all().len());
    for (entry, row) in entries.iter().zip(catalog::all()) {
        assert_eq!(keys(entry), FIELDS);
        for name in ["title", "summary", "paper"] {
            text(entry, name);
        }
        let name = text(entry, "name");
        assert_eq!(name, row.name);
        let facts = &entry["facts"];
        assert_eq!(keys(facts), FACTS);
        for (key, fact) in [
            ("complete", row.facts.complete),
            ("acts_at_once", row.facts.acts_at_once()),
            ("bounded_tick", row.facts.bounded_tick()),
            ("same_walk_at_every_budget", row.facts.same_walk),
            ("needs_reversible_edges", row.facts.needs_reversible_edges),
            ("needs_hierarchy", row.facts.needs_hierarchy),
            ("needs_regions", row.facts.needs_regions),
            ("slow_to_give_up", row.facts.slow_to_give_up()),
        ] {
            assert_eq!(facts[key], fact, "{key}: {entry}");
        }
        assert_eq!(text(facts, "cost"), row.facts.cost);
        assert_eq!(text(facts, "changes"), row.facts.changes);
        assert_eq!(facts["slow_to_give_up"], is_learning(name), "{entry}");
        let reason = facts["no_openings"].as_str();
        assert_eq!(reason.is_some_and(|r| r.starts_with(NO_OPENINGS)), raises(name), "{entry}");
        assert_eq!(reason.is_some(), raises(name), "{entry}");
        let worlds: Vec<_> =
            entry["worlds"].as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect();
        let expected = WORLDS.into_iter().filter(|world| !raises(name) || *world != "dynamic");
        assert_eq!(worlds, expected.collect::<Vec<_>>(), "{entry}");
        for parameter in entry["parameters"].as_array().unwrap() {
            assert_eq!(keys(parameter), ["name", "default", "meaning"]);
            for name in ["name", "default", "meaning"] {
                text(parameter, name);
            }
        }
        let one = folder.run(&format!("algorithms {name} --json")).json();
        assert_eq!(one, std::slice::from_ref(entry));
    }
}

#[test]
fn the_text_says_the_same() {
    let folder = Folder::new("catalog-text");
    let entries = folder.run("algorithms --json").json();
    for entry in &entries {
        let (name, facts) = (text(entry, "name"), &entry["facts"]);
        let block = folder.run(&format!("algorithms {name}")).good();
        assert!(block.lines().all(|line| line.chars().count() <= 80), "{block}");
        // What is left of a line is indented more.
        let block = block.replace("\n        ", " ");
        assert!(block.starts_with(&format!("{name}  —  {}\n", text(entry, "title"))), "{block}");
        let has = |what: &str| assert!(block.contains(what), "{what} is missing: {block}");
        has(text(entry, "summary"));
        has(&format!("\n    paper: {}\n", text(entry, "paper")));
        let budget = entry["default_budget"].as_u64();
        let budget = budget.map_or("no limit".to_string(), |budget| budget.to_string());
        has(&format!("\n    budget per tick: {budget} unless --budget says otherwise\n"));
        for (name, words) in [
            ("complete", "complete"),
            ("acts_at_once", "acts at once"),
            ("bounded_tick", "all work bounded"),
            ("needs_reversible_edges", "needs reversible edges"),
        ] {
            has(&format!("{words}: {}", if facts[name] == true { "yes" } else { "no" }));
        }
        has(&format!("\n    cost of the walk: {}\n", text(facts, "cost")));
        has(&format!("\n    when the map changes: {}\n", text(facts, "changes")));
        has(&format!("\n    when the goal moves: {}\n", text(facts, "retargets")));
        let slow = "detects that there is no path: slowly";
        assert_eq!(block.contains(slow), is_learning(name), "{block}");
        if raises(name) {
            has("\n    worlds: known, unknown, partial, script (if it frees no cell)\n");
            has(&format!("\n    not in worlds where blocked cells become free: {NO_OPENINGS}"));
        } else {
            has("\n    worlds: known, unknown, partial, dynamic, script");
            assert!(!block.contains("not in worlds where"), "{block}");
        }
        for parameter in entry["parameters"].as_array().unwrap() {
            has(&format!("\n      {}={}", text(parameter, "name"), text(parameter, "default")));
            has(text(parameter, "meaning"));
        }
        let command = format!("    try: tickstar {}", "run --algorithm ".to_string() + name);
        assert!(block.ends_with(&(command + "\n")), "{block}");
    }
}

#[test]
fn the_table_has_a_short_line_for_each() {
    let folder = Folder::new("catalog-table");
    let table = folder.run("algorithms").good();
    let lines: Vec<_> = table.lines().collect();
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{table}");
    assert!(lines.last().unwrap().ends_with("tickstar algorithms NAME"), "{table}");
    for (line, entry) in lines[1..].iter().zip(catalog::all()) {
        let words: Vec<_> = line.split_whitespace().collect();
        assert_eq!(words[0], entry.name, "{line}");
        let title = entry.title.split(" (").next().unwrap();
        assert!(line.contains(title), "{line}");
        let acts = ["at once", "back and forth", "first segment", "whole path"];
        assert_eq!(acts.iter().filter(|acts| line.contains(*acts)).count(), 1, "{line}");
        assert_eq!(line.contains("at once"), entry.facts.acts_at_once(), "{line}");
        assert_eq!(line.contains("all work"), entry.facts.bounded_tick(), "{line}");
        let opens = if raises(entry.name) { "no" } else { "yes" };
        assert_eq!(words.last(), Some(&opens), "{line}");
    }
    assert_eq!(lines[catalog::all().len() + 1], "");
}

#[test]
fn the_defaults_listed_are_those_used() {
    let folder = Folder::new("catalog-defaults");
    folder.write("a.map", map(&["........", ".@@@@@..", "......@.", ".@@@@.@.", "......@."]));
    for entry in folder.run("algorithms --json").json() {
        let name = text(&entry, "name");
        let run = format!("run --map a.map --from 0,3 --to 7,4 --json --path --algorithm {name}");
        let setting = |p: &Value| format!("--set {}={}", text(p, "name"), text(p, "default"));
        let settings: Vec<_> =
            entry["parameters"].as_array().unwrap().iter().map(setting).collect();
        let settings = settings.join(" ");
        let budget = entry["default_budget"].as_u64();
        let budget = budget.map_or(String::new(), |budget| format!(" --budget {budget}"));
        let record = folder.run(&run).json().remove(0);
        assert_eq!(record["outcome"], "reached", "{record}");
        assert_eq!(record["budget"], entry["default_budget"], "{record}");
        let parameters: Vec<_> = keys(&record["params"]);
        let named: Vec<_> =
            entry["parameters"].as_array().unwrap().iter().map(|p| text(p, "name")).collect();
        assert_eq!(parameters, named);
        assert_eq!(folder.run(&format!("{run} {settings}{budget}")).json()[0], record, "{name}");
    }
}
