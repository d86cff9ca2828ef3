//! `tickstar run`: records, walks, budgets and traces.

use serde_json::{Value, json};
use tickstar::catalog::WorkBound;

use crate::support::{
    Cell, Folder, MOVEMENTS, Movement, TestMap, algorithms, cell, facts, has_in_order, json_lines,
    length, map, most_updates, number, same,
};

/// The published fields of a record, in the order in which they are written.
const FIELDS: [&str; 26] = [
    "map",
    "start",
    "goal",
    "algorithm",
    "budget",
    "params",
    "world",
    "seed",
    "outcome",
    "cost",
    "optimal",
    "suboptimality",
    "moves",
    "intervals",
    "first_move_interval",
    "expansions",
    "max_expansions_per_interval",
    "trace_steps",
    "max_trace_steps_per_interval",
    "updates",
    "max_updates_per_interval",
    "back_moves",
    "non_optimal_moves",
    "restarts",
    "lessons",
    "peak_bytes",
];

/// Corners that may be cut, a closed cell, and a way around.
const ROWS: [&str; 6] =
    ["......T...", ".@@@..T.@.", ".@..@.T@.@", "...@....@.", ".O.@.WWWW.", "....S....G"];
/// The cell that is closed in unless corners are cut.
const CLOSED: Cell = (8, 2);

fn walk(record: &Value) -> Vec<Cell> {
    let path = record["path"].as_array().unwrap_or_else(|| panic!("no path: {record}"));
    path.iter().map(cell).collect()
}

/// Checks a record with a path against the map.
fn judge(test_map: &TestMap, record: &Value) {
    let (start, goal) = (cell(&record["start"]), cell(&record["goal"]));
    let walk = walk(record);
    assert_eq!(walk[0], start, "{record}");
    assert!(same(test_map.walk(&walk), length(record, "cost")), "{record}");
    assert_eq!(walk.len() as u64 - 1, number(record, "moves"), "{record}");
    assert!(number(record, "moves") <= number(record, "intervals"), "{record}");
    assert!(number(record, "back_moves") <= number(record, "moves"), "{record}");
    assert!(number(record, "non_optimal_moves") <= number(record, "moves"), "{record}");
    if let Some(optimal) = test_map.shortest(start, goal) {
        assert_eq!(record["outcome"], "reached", "{record}");
        assert_eq!(*walk.last().unwrap(), goal, "{record}");
        assert!(same(optimal, length(record, "optimal")), "{optimal}: {record}");
        let ratio = if start == goal { 1.0 } else { length(record, "cost") / optimal };
        assert!(same(ratio, length(record, "suboptimality")), "{ratio}: {record}");
    } else {
        assert_eq!(record["outcome"], "unreachable", "{record}");
        assert!(record["optimal"].is_null() && record["suboptimality"].is_null(), "{record}");
    }
}

#[test]
fn each_problem_has_a_record_with_every_field_in_the_order_of_the_input() {
    let folder = Folder::new("records");
    folder.write("a.map", map(&ROWS));
    folder.write("p.txt", "# there and back\n0 0 9 5\n9 5 0 0\n\n5 0 2 3\n0 0 8 2\n2 3 2 3\n");
    let run = "run --map a.map --problems p.txt --json --budget 20 --seed 7";
    let records = folder.run(run).json();
    let ends: Vec<_> = records.iter().map(|r| (cell(&r["start"]), cell(&r["goal"]))).collect();
    let expected =
        [((0, 0), (9, 5)), ((9, 5), (0, 0)), ((5, 0), (2, 3)), ((0, 0), CLOSED), ((2, 3), (2, 3))];
    assert_eq!(ends, expected);
    for record in &records {
        let fields: Vec<_> = record.as_object().unwrap().keys().map(String::as_str).collect();
        has_in_order(&fields, &FIELDS);
        assert_eq!(record["map"], "a.map");
        assert_eq!(record["algorithm"], "tba");
        assert_eq!(record["budget"], 20);
        assert_eq!(record["world"], "known");
        assert_eq!(record["seed"], 7);
        for name in ["restarts", "lessons", "updates", "max_updates_per_interval"] {
            assert_eq!(record[name], 0, "{name}");
        }
        assert!(number(record, "peak_bytes") > 0);
        let params = json!({
            "r": 0.9, "c": 10.0, "trace": "bounded",
            "shortcut": false, "switch": false, "successors": "all", "open": "buckets"
        });
        assert_eq!(record["params"], params);
    }
    let outcomes: Vec<_> = records.iter().map(|record| record["outcome"].clone()).collect();
    assert_eq!(outcomes, ["reached", "reached", "reached", "unreachable", "reached"]);
    assert_eq!(folder.run(&format!("{run} --take 2")).json(), records[..2]);
}

#[test]
fn a_budget_without_limit_is_null() {
    let folder = Folder::new("no-limit");
    let record =
        &folder.run("run --map builtin:rooms-64 --algorithm astar --take 1 --json").json()[0];
    assert!(record["budget"].is_null());
    assert_eq!(record["params"], json!({"successors": "all", "open": "buckets"}));
    assert_eq!(record["expansions"], record["max_expansions_per_interval"]);
    let huge = "run --map builtin:rooms-64 --take 1 --json --budget 18446744073709551615";
    assert_eq!(folder.run(huge).json()[0]["outcome"], "reached");
}

#[test]
fn every_walk_is_legal_under_every_movement_rule() {
    let folder = Folder::new("rules");
    let rows = map(&ROWS);
    folder.write("a.map", &rows);
    folder.write("p.txt", "0 0 9 5\n9 5 0 0\n5 0 2 3\n0 0 8 2\n8 2 9 0\n2 2 0 0\n4 3 4 3\n");
    folder.run("maps convert builtin:random-64 random.map").good();
    let random = folder.text("random.map");
    let (mut lengths, mut outcomes) = (Vec::new(), Vec::new());
    for movement in MOVEMENTS {
        for algorithm in ["tba", "late-astar", "gbfs", "tba --set shortcut=true", "astar"] {
            let run =
                format!("run --json --path --algorithm {algorithm} --budget 3 {}", movement.flags);
            let records = folder.run(&format!("{run} --map a.map --problems p.txt")).json();
            let test_map = TestMap::new(&rows, movement);
            assert_eq!(records.len(), 7);
            for record in &records {
                judge(&test_map, record);
            }
            let test_map = TestMap::new(&random, movement);
            let others = folder.run(&format!("{run} --map builtin:random-64 --take 5")).json();
            for record in &others {
                judge(&test_map, record);
            }
            if algorithm == "astar" {
                lengths.push(others.iter().map(|record| length(record, "cost")).sum::<f64>());
                outcomes.push(records[3]["outcome"].clone());
            }
        }
    }
    let [usual, never, allowed, four] = lengths.try_into().unwrap();
    assert!(same(usual, never), "corners are not cut unless asked for");
    assert!(allowed < never && never < four, "{allowed} {never} {four}");
    assert_eq!(outcomes, ["unreachable", "unreachable", "reached", "unreachable"]);
}

#[test]
fn a_path_is_printed_without_json_too() {
    let folder = Folder::new("plain-path");
    folder.write("a.map", map(&["...", ".@.", "..."]));
    let text = folder.run("run --map a.map --from 0,0 --to 2,2 --path").good();
    assert!(text.starts_with("(0, 0) to (2, 2): reached in "), "{text}");
    assert!(text.contains("  path: 0,0 "), "{text}");
    assert!(text.trim_end().ends_with(" 2,2"), "{text}");
}

#[test]
fn start_and_goal_may_be_the_same() {
    let folder = Folder::new("same-cell");
    folder.write("a.map", map(&ROWS));
    for algorithm in algorithms(&folder) {
        let run =
            format!("run --map a.map --from 2,3 --to 2,3 --algorithm {algorithm} --json --path");
        let record = &folder.run(&run).json()[0];
        assert_eq!(record["outcome"], "reached");
        for name in ["moves", "intervals", "expansions", "trace_steps", "updates", "back_moves"] {
            assert_eq!(number(record, name), 0, "{name}: {record}");
        }
        for (name, expected) in [("cost", 0.0), ("optimal", 0.0), ("suboptimality", 1.0)] {
            assert!(same(length(record, name), expected), "{name}: {record}");
        }
        assert!(record["first_move_interval"].is_null());
        assert_eq!(record["path"], json!([[2, 3]]));
    }
}

/// The most expansions an interval may have, the most trace steps before the goal is found, and
/// the most in all; where the budget is shared, with r = 0.9 and c = 10.
fn limits(algorithm: &str, budget: u64) -> (u64, u64, u64) {
    match facts(algorithm).work {
        WorkBound::Shared => {
            let expansions = (budget * 9 / 10).max(1);
            (expansions, ((budget - expansions) * 10).max(1), budget * 10)
        }
        WorkBound::PerUnit { expansions, traces, .. } => {
            (budget * expansions, budget * traces, budget * traces)
        }
        _ => (budget, u64::MAX, u64::MAX),
    }
}

#[test]
fn every_algorithm_keeps_its_budget_and_ends_correctly() {
    let folder = Folder::new("budgets");
    let closed = map(&ROWS);
    folder.write("closed.map", &closed);
    folder.run("maps convert builtin:rooms-64 rooms.map").good();
    folder.run("maps convert builtin:caves-128 caves.map").good();
    let maps = [
        ("builtin:rooms-64 --take 5", folder.text("rooms.map")),
        ("builtin:caves-128 --take 5", folder.text("caves.map")),
        ("closed.map --from 0,0 --to 8,2", closed),
    ];
    for algorithm in algorithms(&folder) {
        for (flags, rows) in &maps {
            let test_map = TestMap::new(rows, MOVEMENTS[0]);
            for budget in [2, 10, 100, 1000] {
                let run = format!("run --map {flags} --algorithm {algorithm} --budget {budget}");
                let (expansions, searching, tracing) = limits(&algorithm, budget);
                for record in &folder.run(&format!("{run} --json --path")).json() {
                    judge(&test_map, record);
                    let worst = number(record, "max_expansions_per_interval");
                    assert!(worst <= expansions, "{record}");
                    let found = record["outcome"] == "reached";
                    let most = if found { tracing } else { searching };
                    assert!(number(record, "max_trace_steps_per_interval") <= most, "{record}");
                    let total = number(record, "expansions");
                    assert!(total <= expansions * number(record, "intervals"), "{record}");
                    let updates = number(record, "max_updates_per_interval");
                    assert!(updates <= most_updates(&algorithm, Some(budget)), "{record}");
                    assert_eq!(found, !flags.starts_with("closed"), "{record}");
                }
            }
        }
    }
}

const EVENTS: [&str; 9] = [
    "found",
    "adopted",
    "kept",
    "backtrack",
    "bounce",
    "shortcut",
    "restart",
    "learned",
    "refined",
];

/// Checks the lines of one problem against its record.
fn judge_trace(test_map: &TestMap, record: &Value, lines: &[Value]) {
    assert_eq!(lines.len() as u64, number(record, "intervals"), "{record}");
    let walk = walk(record);
    let (mut at, mut expansions, mut back) = (0, 0, 0);
    for (index, line) in lines.iter().enumerate() {
        assert_eq!(number(line, "interval"), index as u64 + 1);
        let position = cell(&line["position"]);
        let moved = position != walk[at];
        at += usize::from(moved);
        assert_eq!(Some(&position), walk.get(at), "{line}");
        let expanded = line["expanded"].as_array().unwrap();
        assert!(expanded.iter().all(|node| test_map.free(cell(node))), "{line}");
        expansions += expanded.len() as u64;
        assert!(expanded.len() as u64 <= number(record, "max_expansions_per_interval"), "{line}");
        assert!(line["target"].is_null() || test_map.free(cell(&line["target"])), "{line}");
        let events: Vec<_> = line["events"].as_array().unwrap().iter().collect();
        assert!(events.iter().all(|event| EVENTS.contains(&event.as_str().unwrap())), "{line}");
        let has = |name: &str| events.iter().any(|event| **event == name);
        back += u64::from(moved && has("backtrack"));
        let first = at == 1 && moved;
        let first_move = record["first_move_interval"].as_u64();
        assert!(!first || first_move == Some(index as u64 + 1), "{line}");
    }
    assert_eq!(at + 1, walk.len(), "{record}");
    assert_eq!(expansions, number(record, "expansions"), "{record}");
    assert_eq!(back, number(record, "back_moves"), "{record}");
    let found = |line: &&Value| line["events"].as_array().unwrap().contains(&json!("found"));
    let reached = record["outcome"] == "reached" && !lines.is_empty();
    assert_eq!(lines.iter().filter(found).count(), usize::from(reached), "{record}");
}

#[test]
fn a_trace_has_every_interval() {
    let folder = Folder::new("trace");
    let rows = map(&ROWS);
    folder.write("a.map", &rows);
    folder.write("p.txt", "0 0 9 5\n5 0 2 3\n0 0 8 2\n4 3 4 3\n9 5 0 0\n");
    let settings = ["tba", "tba --set switch=true --set shortcut=true", "late-astar", "astar"];
    for (algorithm, movement) in
        settings.iter().flat_map(|a| MOVEMENTS.map(|movement: Movement| (a, movement)))
    {
        let run = format!(
            "run --map a.map --problems p.txt --algorithm {algorithm} --budget 4 --json --path {}",
            movement.flags
        );
        let records = folder.run(&format!("{run} --trace t.jsonl")).json();
        assert_eq!(records, folder.run(&run).json(), "watching changes nothing");
        let lines = json_lines(&folder.text("t.jsonl"));
        let test_map = TestMap::new(&rows, movement);
        let mut rest = lines.as_slice();
        for (index, record) in records.iter().enumerate() {
            let (own, others) = rest.split_at(number(record, "intervals") as usize);
            assert!(own.iter().all(|line| number(line, "problem") == index as u64 + 1), "{own:?}");
            judge_trace(&test_map, record, own);
            rest = others;
        }
        assert!(rest.is_empty(), "{rest:?}");
    }
    let long = "run --map builtin:caves-128 --budget 10 --json --path --trace t.jsonl --take 1";
    let record = &folder.run(long).json()[0];
    folder.run("maps convert builtin:caves-128 caves.map").good();
    let test_map = TestMap::new(&folder.text("caves.map"), MOVEMENTS[0]);
    judge_trace(&test_map, record, &json_lines(&folder.text("t.jsonl")));
}

#[test]
fn a_scenario_is_run() {
    let folder = Folder::new("scen");
    folder.write("maps/a.map", map(&ROWS));
    folder.write("a.scen", "version 1\n0 x/a.map 10 6 0 0 5 0 5\n1 a.map 10 6 0 0 8 2 0\n");
    let records = folder.run("run --map maps/a.map --scen a.scen --json").json();
    assert_eq!(records.len(), 2);
    assert!(same(length(&records[0], "optimal"), 5.0));
    assert_eq!(records[1]["outcome"], "unreachable");
    let text = folder.run("run --map maps/a.map --scen a.scen").good();
    assert!(text.contains("(0, 0) to (8, 2): unreachable"), "{text}");
    assert!(text.contains("1 of 2 reached"), "{text}");
}
