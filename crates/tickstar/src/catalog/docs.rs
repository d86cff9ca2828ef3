//! The tables of the docs against the list, and how examples print errors.

use super::family::Family;
use super::{Facts, all, find};

const README: &str = include_str!("../../../../README.md");
const FRONT_PAGE: &str = include_str!("../lib.rs");

/// The cells of the rows of a table, below its head.
fn table<'t>(text: &'t str, head: &str) -> Vec<Vec<&'t str>> {
    let lines = text.lines().map(|line| line.trim_start_matches("//!").trim());
    let rows = lines.skip_while(|line| *line != head).skip(2);
    let rows: Vec<_> = rows
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert!(!rows.is_empty(), "there is no table `{head}`");
    rows
}

#[test]
fn the_table_of_the_readme_has_every_algorithm_and_its_facts() {
    let head = "| name | algorithm | acts at once | work bounded per tick |";
    let mut names = Vec::new();
    for row in table(README, head) {
        let [these, _, acts, bounded] = row[..] else { panic!("four columns: {row:?}") };
        for name in these.split(", ").map(|name| name.trim_matches('`')) {
            let facts = &find(name).unwrap().facts;
            assert_eq!(acts, facts.first_move.in_tables(), "{name}");
            assert_eq!(bounded, if facts.bounded_tick() { "yes" } else { "expansions" }, "{name}");
            names.push(name);
        }
    }
    names.sort_unstable();
    let mut known: Vec<_> = all().iter().map(|entry| entry.name).collect();
    known.sort_unstable();
    assert_eq!(names, known, "each once");
}

#[test]
fn the_table_of_the_front_page_has_every_family_and_promises_what_it_keeps() {
    let rows = table(FRONT_PAGE, "| you want | use | what it promises |");
    for family in Family::NAMES {
        let link = format!("[`{family}`]");
        let rows: Vec<_> = rows.iter().filter(|row| row[1].contains(&link)).collect();
        assert!(!rows.is_empty(), "{family} is missing");
        let members = || all().iter().filter(|entry| entry.family.name() == *family);
        assert!(members().next().is_some(), "no algorithm is of the family {family}");
        for row in rows {
            // The time-bounded family has members that wait, and the row is about its defaults.
            let kept = |fact: fn(&Facts) -> bool| match *family {
                "TimeBounded" => fact(&find("tba").unwrap().facts),
                _ => members().all(|entry| fact(&entry.facts)),
            };
            let says = |what: &str| row[2].contains(what);
            assert!(!says("bounded work per tick") || kept(Facts::bounded_tick), "{row:?}");
            assert!(!says("acts at once") || kept(Facts::acts_at_once), "{row:?}");
            let arrives = says("arrives if") || says("arrives exactly");
            assert!(!arrives || kept(|facts| facts.complete), "{row:?}");
        }
    }
}

/// A `main` that returns an error prints it as Rust's debug output, which is not for readers.
#[test]
fn examples_print_errors_in_words() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut texts: Vec<_> = files.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    assert!(!texts.is_empty());
    texts.push(README.to_string());
    for text in texts {
        let title = text.lines().next().unwrap_or_default();
        assert!(!text.contains("fn main() -> Result"), "{title}");
        assert!(text.contains("eprintln!(\"error: {error}\")"), "{title}");
    }
}
