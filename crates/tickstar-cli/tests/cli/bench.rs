//! `tickstar bench`: what is measured and how it is shown. No time is asserted, as times differ.

use serde_json::Value;

use crate::support::{Folder, INPUT, USAGE, refused, same};

fn keys(row: &Value) -> Vec<&str> {
    row.as_object().unwrap().keys().map(String::as_str).collect()
}

fn number(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or_else(|| panic!("{key} is not a number: {row}"))
}

#[test]
fn paths_are_measured_beside_other_crates() {
    let folder = Folder::new("bench-paths");
    let rows = folder.run("bench paths --quick --json --plot p.svg").json();
    let solvers: Vec<_> = rows.iter().map(|row| row["solver"].as_str().unwrap()).collect();
    let expected = [
        "find_path",
        "A*",
        "greedy search",
        "hand-made array A*",
        "pathfinding 4.16",
        "grid_pathfinding 0.3",
        "hierarchical_pathfinding 0.5",
    ];
    for solver in expected {
        assert!(solvers.contains(&solver), "{solver}: {solvers:?}");
    }
    for row in &rows {
        let names = [
            "solver",
            "corners",
            "ms_per_problem",
            "expansions_per_problem",
            "ns_per_expansion",
            "times_as_fast",
            "suboptimality",
            "worst_suboptimality",
            "ms_to_prepare",
            "maps",
            "problems",
            "rounds",
        ];
        assert_eq!(keys(row), names);
        assert_eq!((&row["problems"], &row["rounds"]), (&50.into(), &2.into()));
        assert_eq!(row["maps"].as_array().unwrap().len(), 5);
        assert!(number(row, "ms_per_problem") > 0.0);
        let exact = ["find_path", "A*", "hand-made array A*", "pathfinding 4.16"];
        let worst = number(row, "worst_suboptimality");
        let solver = row["solver"].as_str().unwrap();
        assert!(if exact.contains(&solver) { same(worst, 1.0) } else { worst >= 1.0 }, "{row}");
    }
    let row = |name: &str| rows.iter().find(|row| row["solver"] == name).unwrap();
    assert_eq!(row("pathfinding 4.16")["times_as_fast"], 1.0);
    // Both are the same search.
    let expansions = |name| number(row(name), "expansions_per_problem");
    let ratio = expansions("hand-made array A*") / expansions("A*");
    assert!((0.8..1.25).contains(&ratio), "{ratio}");
    let plot = folder.text("p.svg");
    assert!(plot.starts_with("<svg ") && plot.contains("<rect x="), "{plot:.200}");
}

#[test]
fn ticks_are_measured_for_each_algorithm_map_and_budget() {
    let folder = Folder::new("bench-latency");
    let latency = "bench latency --quick --algorithms tba,pra --budgets 20,200";
    let rows = folder.run(&format!("{latency} --json --plot l.png")).json();
    assert_eq!(rows.len(), 4 * 2 * 2);
    for row in &rows {
        let names = [
            "algorithm",
            "world",
            "map",
            "budget",
            "ticks",
            "searching_ticks",
            "median_ns",
            "p99_ns",
            "p999_ns",
            "max_ns",
            "full_ticks",
            "full_ns",
            "p999_over_full",
            "max_over_full",
            "slowest",
            "allocations",
            "curve",
            "repeats",
        ];
        assert_eq!(keys(row), names);
        assert_eq!((&row["world"], &row["repeats"]), (&"known".into(), &3.into()));
        assert!(number(row, "median_ns") > 0.0);
        assert!(number(row, "searching_ticks") <= number(row, "ticks"));
        let ratio = number(row, "max_ns") / number(row, "full_ns");
        assert!(same(number(row, "max_over_full"), ratio), "{row}");
    }
    assert_eq!(&folder.read("l.png")[..4], b"\x89PNG");
    // What repeats does so from run to run: all but times.
    let text = folder.run(latency).good();
    for row in &rows {
        let cells = ["algorithm", "budget", "ticks"].map(|key| match &row[key] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        let shown =
            |line: &str| line.split_whitespace().take(3).eq(cells.iter().map(String::as_str));
        assert!(text.lines().any(shown), "{cells:?}: {text}");
    }
    assert!(text.contains("caves-256-1") && text.contains("max/full"), "{text}");
}

#[test]
fn an_unknown_world_takes_more_ticks() {
    let folder = Folder::new("bench-unknown");
    let ticks = |world: &str| {
        let flags = format!("--algorithms tbaa --budgets 200 --world {world} --json");
        let rows = folder.run(&format!("bench latency --quick {flags}")).json();
        assert!(rows.iter().all(|row| row["world"] == world));
        rows.iter().map(|row| number(row, "ticks")).sum::<f64>()
    };
    let (known, unknown) = (ticks("known"), ticks("unknown"));
    assert!(unknown > known, "{unknown} against {known}");
}

#[test]
fn growth_is_measured_for_each_side() {
    let folder = Folder::new("bench-growth");
    let rows = folder.run("bench growth --quick --largest 512 --json --plot g.svg").json();
    assert_eq!(rows.len(), 2 * (2 + 2 + 1));
    for row in &rows {
        let names = ["subject", "kind", "side", "units", "ns_per_unit", "over_smallest"];
        assert_eq!(keys(row), names);
        assert!(number(row, "ns_per_unit") > 0.0 && number(row, "units") > 0.0);
        let first = row["side"] == 256 || row["subject"] == "hierarchy";
        assert!(!first || row["over_smallest"] == 1.0, "{row}");
    }
    assert!(folder.text("g.svg").contains("<circle"));
    let table = folder.run("bench growth --largest 256").good();
    assert!(table.lines().any(|line| line.starts_with("TBA*")), "{table}");
}

#[test]
fn mistakes_are_answered_before_anything_is_measured() {
    let folder = Folder::new("bench-mistakes");
    let cases = [
        ("bench speed", USAGE, "speed"),
        ("bench paths --maps none", INPUT, "none: there is no such folder"),
        ("bench latency --maps none", INPUT, "none: there is no such folder"),
        ("bench paths --plot a.txt", USAGE, "a.txt: the picture's name must end in .png or .svg"),
        ("bench growth --plot no/a.svg", INPUT, "no/a.svg: cannot be written"),
        ("bench growth --largest 100", USAGE, "256 to 4096"),
        ("bench latency --budgets 0", USAGE, "expected a whole number from 1"),
        ("bench latency --algorithms tbb", USAGE, "did you mean `tba`?"),
        ("bench latency --algorithms tba:r=x", USAGE, "tba:r=x"),
        ("bench latency --algorithms tba:budget=5", USAGE, "budgets are given by --budgets"),
        ("bench latency --world unknown", USAGE, "--algorithms"),
    ];
    for (arguments, code, named) in cases {
        refused(&folder, arguments, code, &[named]);
    }
    // A folder without the maps, and one with a map that is not one.
    folder.write("maps/wc3-512/battleground.map", "type octile\n");
    refused(&folder, "bench paths --maps maps", INPUT, &["battleground.map", "line 2"]);
    let file = "bench paths --maps maps/wc3-512/battleground.map";
    refused(&folder, file, INPUT, &["battleground.map: this is not a folder"]);
    refused(&folder, "bench latency --maps maps", INPUT, &["duskwood.map: there is no such file"]);
}
