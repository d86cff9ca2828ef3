//! `--clock`: the frames of a clocked game, by equation (1) of the 2005 paper.

use serde_json::{Value, json};
use tickstar::catalog;

use crate::support::{Folder, USAGE, algorithms, length, map, number, refused, same};

/// Those that walk what they have planned.
fn timed() -> impl Iterator<Item = &'static str> {
    catalog::all().iter().filter(|entry| entry.facts.walks_its_plan()).map(|entry| entry.name)
}

/// With settings that make them plan all at once.
fn at_once() -> impl Iterator<Item = &'static str> {
    timed().map(|name| if name == "pra" { "pra --set k=inf" } else { name })
}

/// The frames of a walk that was planned at once, with these expansions and cells per frame.
fn judge(record: &Value, expansions: u64, cells: f64) {
    let frames = |length: f64| (length / cells - 1e-9).ceil() as u64;
    let (walk, shortest) = (frames(length(record, "cost")), frames(length(record, "optimal")));
    let all = number(record, "expansions").div_ceil(expansions) + walk;
    let clock = &record["clock"];
    let fields: Vec<_> = clock.as_object().unwrap().keys().collect();
    let expected = [
        "expansions_per_frame",
        "cells_per_frame",
        "stages",
        "frames",
        "least_frames",
        "slowdown",
        "over_optimal",
    ];
    assert_eq!(fields, expected);
    assert_eq!((number(clock, "stages"), number(clock, "frames")), (1, all), "{record}");
    assert_eq!(number(clock, "least_frames"), walk, "{record}");
    assert_eq!(number(clock, "expansions_per_frame"), expansions);
    assert!(same(length(clock, "cells_per_frame"), cells));
    assert!(same(length(clock, "slowdown"), all as f64 / walk as f64), "{record}");
    assert!(same(length(clock, "over_optimal"), all as f64 / shortest as f64), "{record}");
}

#[test]
fn frames_are_counted_for_those_that_walk_what_they_have_planned() {
    let folder = Folder::new("clock-frames");
    let paces = [
        ("--clock 1", 2200, 1.0),
        ("--clock 0.02", 44, 1.0),
        ("--clock 0.02 --rate 0.5", 10, 1.0),
        ("--clock 0.02 --frame 50", 44, 0.5),
        ("--clock 0.02 --frame 70 --speed 3 --rate 1.1", 22, 0.21),
    ];
    for algorithm in at_once() {
        let run = format!("run --map builtin:caves-128 --take 6 --algorithm {algorithm} --json");
        for (flags, expansions, cells) in paces {
            let records = folder.run(&format!("{run} {flags}")).json();
            for record in &records {
                assert_eq!(record["budget"], expansions, "what can be expanded in a frame");
                judge(record, expansions, cells);
            }
            // The frames are those of the clock, whatever the budget.
            let others = folder.run(&format!("{run} {flags} --budget 7")).json();
            for (other, record) in others.iter().zip(&records) {
                assert_eq!(other["budget"], 7);
                assert_eq!(other["clock"], record["clock"]);
            }
        }
        // Everything else is the same without a clock.
        let plain = folder.run(&format!("{run} --budget 44")).json();
        let mut clocked = folder.run(&format!("{run} --clock 0.02")).json();
        for (plain, clocked) in plain.iter().zip(&mut clocked) {
            assert!(plain.get("clock").is_none(), "{plain}");
            assert!(clocked.as_object_mut().unwrap().shift_remove("clock").is_some());
            assert_eq!(plain, clocked);
        }
    }
}

#[test]
fn no_path_and_no_walk() {
    let folder = Folder::new("clock-ends");
    folder.write("a.map", map(&[".....@.", ".....@."]));
    folder.write("p.txt", "0 0 6 0\n1 1 1 1\n0 0 4 0\n");
    let run = "run --map a.map --problems p.txt --algorithm astar --clock 1";
    let records = folder.run(&format!("{run} --json")).json();
    assert_eq!(records[0]["outcome"], "unreachable");
    assert!(records[0].get("clock").is_none(), "{}", records[0]);
    let clock = &records[1]["clock"];
    assert_eq!((&clock["stages"], &clock["frames"]), (&json!(0), &json!(0)));
    assert!(same(length(clock, "slowdown"), 1.0), "{clock}");
    let text = folder.run(run).good();
    let lines: Vec<_> = text.lines().filter(|line| line.starts_with("  planned")).collect();
    let expected = [
        "  planned in 0 stages: 0 frames, 1.000 times the least, which is 0",
        "  planned in 1 stage: 5 frames, 1.250 times the least, which is 4",
    ];
    assert_eq!(lines, expected, "{text}");
    assert!(text.ends_with("\nframes: 1.125 times the least on average\n"), "{text}");
}

#[test]
fn compare_has_a_column_if_requested() {
    let folder = Folder::new("clock-compare");
    let compare = "compare --map builtin:caves-128 --take 6 --algorithms astar,gbfs";
    let csv = folder.run(&format!("{compare} --clock 0.02 --csv")).good();
    let rows: Vec<Vec<_>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0].last(), Some(&"slowdown"));
    assert_eq!(rows.len(), 3, "one budget: what can be expanded in a frame");
    for row in &rows[1..] {
        assert_eq!((row[1], row.len()), ("44", rows[0].len()));
        let run = "run --map builtin:caves-128 --take 6 --clock 0.02 --json --algorithm";
        let records = folder.run(&format!("{run} {}", row[0])).json();
        let sum: f64 = records.iter().map(|record| length(&record["clock"], "slowdown")).sum();
        assert!(same(row.last().unwrap().parse().unwrap(), sum / 6.0), "{row:?}");
    }
    // Budgets that are given take precedence.
    for (flags, budgets) in [
        ("--budgets 5,9", ["5", "9", "5", "9"].as_slice()),
        ("--algorithms astar:budget=3,gbfs:budget=none,wastar", &["3", "", "44"]),
    ] {
        let compare = "compare --map builtin:caves-128 --take 2 --clock 0.02 --csv";
        let algorithms = if flags.contains("astar") { "" } else { "--algorithms astar,gbfs" };
        let csv = folder.run(&format!("{compare} {flags} {algorithms}")).good();
        let found: Vec<_> =
            csv.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
        assert_eq!(found, budgets);
    }
    let table = |flags| folder.run(&format!("{compare} {flags}")).good();
    assert!(table("--clock 1").lines().any(|line| line.contains("ticks  slowdown")));
    assert!(table("--clock 1").contains("slowdown: frames over the least"));
    assert!(!table("").contains("slowdown"));
    assert!(!folder.run(&format!("{compare} --csv")).good().contains("slowdown"));
}

#[test]
fn where_frames_cannot_be_counted_the_message_names_where_they_can() {
    let folder = Folder::new("clock-refused");
    let mut refusals = 0;
    let those = timed().collect::<Vec<_>>().join(", ");
    for algorithm in algorithms(&folder) {
        if timed().any(|name| name == algorithm) {
            continue;
        }
        refusals += 1;
        let named = format!("frames cannot be counted for `{algorithm}`");
        let run = format!("run --map builtin:rooms-64 --clock 1 --algorithm {algorithm}");
        refused(&folder, &run, USAGE, &["--clock", &named, &those]);
        let compare = format!("compare --clock 1 --csv c.csv --algorithms astar,{algorithm}");
        refused(&folder, &compare, USAGE, &["--clock", &named, &those]);
        assert!(!folder.path("c.csv").exists());
    }
    assert_eq!(refusals + timed().count(), algorithms(&folder).len());
    folder.write("empty.txt", "end\n");
    for world in ["unknown", "partial:10", "dynamic:5", "script:empty.txt"] {
        let named = format!("frames cannot be counted in the world {world}");
        for command in ["run --algorithm astar", "compare --algorithms astar"] {
            let flags = format!("{command} --map builtin:rooms-64 --clock 1 --world {world}");
            refused(&folder, &flags, USAGE, &["--clock", &named, "they can be in the world known"]);
        }
    }
}

#[test]
fn invalid_values_are_refused() {
    let folder = Folder::new("clock-values");
    let run = "run --map builtin:rooms-64 --algorithm astar";
    for command in [run, "compare --algorithms astar"] {
        for (flag, what) in [
            ("--clock", "--clock <MS>"),
            ("--clock 1 --frame", "--frame <MS>"),
            ("--clock 1 --speed", "--speed <CELLS>"),
            ("--clock 1 --rate", "--rate <N>"),
        ] {
            for value in ["0", "-1", "-0.5", "NaN", "inf", "-inf", "1e-9", "1e9"] {
                let equals = format!("{command} {flag}={value}");
                refused(
                    &folder,
                    &equals,
                    USAGE,
                    &[what, "expected a number from 0.001 to 1000000"],
                );
            }
            refused(&folder, &format!("{command} {flag} -1"), USAGE, &[what, "invalid value '-1'"]);
            let name = flag.split_whitespace().last().unwrap();
            refused(&folder, &format!("{command} {flag} x"), USAGE, &["invalid", name]);
        }
        let little = format!("{command} --clock 0.001 --rate 0.4");
        refused(&folder, &little, USAGE, &["less than one expansion per frame"]);
        for flag in ["--frame 100", "--speed 10", "--rate 2.2"] {
            refused(&folder, &format!("{command} {flag}"), USAGE, &["--clock"]);
        }
    }
    refused(&folder, &format!("{run} --clock 1 --repeat"), USAGE, &["--repeat", "--clock"]);
}
