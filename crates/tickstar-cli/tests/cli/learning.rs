//! Learning real-time searches and those that search again: lookahead, updates, when they give up, and where
//! they are refused.

use serde_json::Value;

use crate::support::{
    Folder, MOVEMENTS, NO_OPENINGS, TestMap, USAGE, cells, learning, length, map, number, refused,
    same,
};

/// Open ground.
fn open(side: usize) -> String {
    map(&vec![".".repeat(side).as_str(); side])
}

/// Open ground with a walled cell in its middle.
fn sealed(side: usize) -> String {
    let mut rows = vec![vec![b'.'; side]; side];
    let middle = side / 2;
    for row in &mut rows[middle - 1..=middle + 1] {
        row[middle - 1..=middle + 1].fill(b'@');
    }
    rows[middle][middle] = b'.';
    map(&rows.iter().map(|row| std::str::from_utf8(row).unwrap()).collect::<Vec<_>>())
}

/// The greatest value of a field.
fn most(records: &[Value], name: &str) -> u64 {
    records.iter().map(|record| number(record, name)).max().unwrap()
}

#[test]
fn lrta_expands_a_square_of_nodes() {
    let folder = Folder::new("lrta-ball");
    folder.write("open.map", open(41));
    for depth in [1, 2, 3, 4, 6, 8, 10] {
        let square = (2 * depth - 1) * (2 * depth - 1);
        let lrta = format!("--algorithm lrta --set depth={depth} --json");
        let run = format!("run --map open.map --from 20,20 --to 40,20 {lrta}");
        let record = folder.run(&run).json().remove(0);
        assert_eq!(number(&record, "max_expansions_per_interval"), square, "{record}");
        assert!(same(length(&record, "suboptimality"), 1.0), "{record}");
        let records = folder.run(&format!("run --map builtin:rooms-64 --take 3 {lrta}")).json();
        assert!(records.iter().all(|record| record["outcome"] == "reached"));
        assert!(most(&records, "max_expansions_per_interval") <= square, "{records:?}");
    }
}

#[test]
fn p_lrta_updates_no_more_than_its_queue_holds() {
    let folder = Folder::new("p-lrta-queue");
    for queue in [0, 1, 5, 40, 250] {
        let run = format!(
            "run --map builtin:rooms-64 --take 3 --algorithm p-lrta --set queue={queue} --json"
        );
        let records = folder.run(&run).json();
        assert!(records.iter().all(|record| record["outcome"] == "reached"));
        let worst = most(&records, "max_expansions_per_interval");
        assert!(worst <= 1 + queue, "{worst} with {queue}");
        // Not all of a long queue is ever filled.
        assert!(worst == 1 + queue || queue > 40, "{worst} with {queue}");
    }
}

#[test]
fn lss_lrta_pays_two_updates_for_each_expansion_and_rtaa_none() {
    let folder = Folder::new("learning-updates");
    for map in ["builtin:rooms-64", "builtin:random-64"] {
        for budget in [1, 7, 40, 300] {
            let run = format!("run --map {map} --take 3 --budget {budget} --json --algorithm");
            for record in folder.run(&format!("{run} lss-lrta")).json() {
                let (updates, expansions) =
                    (number(&record, "updates"), number(&record, "expansions"));
                assert_eq!(updates, 2 * expansions, "{record}");
                let most = number(&record, "max_updates_per_interval");
                assert!(0 < most && most <= 10 * budget, "{record}");
            }
            for algorithm in ["rtaa", "a-rtaa", "da-rtaa", "p-lrta"] {
                for record in folder.run(&format!("{run} {algorithm}")).json() {
                    assert_eq!(record["updates"], 0, "{record}");
                    assert_eq!(record["max_updates_per_interval"], 0, "{record}");
                }
            }
        }
    }
}

#[test]
fn in_a_small_pocket_they_find_out_that_there_is_no_path() {
    let folder = Folder::new("learning-pocket");
    folder.write(
        "a.map",
        map(&["@@@@@@.....", "@....@.....", "@..@.@.....", "@....@@@@..", "@@@@@@....."]),
    );
    for algorithm in learning() {
        for budget in [1, 10, 100, 1000] {
            for world in ["known", "unknown"] {
                let run = format!(
                    "run --map a.map --from 1,1 --to 10,4 --algorithm {algorithm} --budget {budget} \
                     --world {world}"
                );
                let record = &folder.run(&format!("{run} --json")).json()[0];
                assert_eq!(record["outcome"], "unreachable", "{record}");
                assert!(record["suboptimality"].is_null() && record["optimal"].is_null());
                let text = folder.run(&run).good();
                let start = "(1, 1) to (10, 4): unreachable, detected after ";
                assert!(text.starts_with(start), "{text}");
            }
        }
    }
}

#[test]
fn with_a_limit_of_intervals_they_give_up() {
    let folder = Folder::new("learning-limit");
    folder.write("a.map", sealed(121));
    for algorithm in learning() {
        let run = format!(
            "run --map a.map --from 5,5 --to 60,60 --max-intervals 50 --algorithm {algorithm}"
        );
        let record = &folder.run(&format!("{run} --json --path")).json()[0];
        assert_eq!(record["outcome"], "gave_up", "{record}");
        assert_eq!(number(record, "intervals"), 50, "{record}");
        // These act at once, in every interval.
        assert_eq!(number(record, "moves"), 50, "{record}");
        assert_eq!(cells(&record["path"]).len(), 51, "{record}");
        let text = folder.run(&run).good();
        assert!(text.contains(": gave up after 50 ticks, 50 moves and "), "{text}");
    }
}

#[test]
fn without_a_limit_they_end_all_the_same() {
    let folder = Folder::new("learning-ends");
    let rows = sealed(40);
    folder.write("a.map", &rows);
    let test_map = TestMap::new(&rows, MOVEMENTS[0]);
    for algorithm in learning() {
        let run = format!("run --map a.map --from 3,3 --to 20,20 --algorithm {algorithm}");
        let record = &folder.run(&format!("{run} --json --path")).json()[0];
        let intervals = number(record, "intervals");
        let most = if ["lrta", "p-lrta"].contains(&algorithm) { 2000 } else { 500 };
        match record["outcome"].as_str().unwrap() {
            "unreachable" => assert!(intervals <= most * 80, "{intervals}"),
            "gave_up" => assert_eq!(intervals, most * 80),
            other => panic!("{algorithm}: {other}"),
        }
        assert!(
            same(test_map.walk(&cells(&record["path"])), length(record, "cost")),
            "{algorithm}"
        );
    }
    // The smaller the budget, the more intervals.
    folder.write("b.map", sealed(16));
    for algorithm in learning() {
        for (budget, most) in [(1, 50_000), (10, 5000), (100, 500), (1000, 200)] {
            let run = format!("run --map b.map --from 1,1 --to 8,8 --algorithm {algorithm}");
            let record = &folder.run(&format!("{run} --budget {budget} --json")).json()[0];
            let intervals = number(record, "intervals");
            let given_up = record["outcome"] == "gave_up" && intervals == most * 32;
            assert!(given_up || record["outcome"] == "unreachable", "{record}");
        }
    }
}

/// A pocket that opens away from the goal, and a way around.
const POCKET: [&str; 7] = [
    "..............",
    "....@@@@@@....",
    ".........@....",
    ".........@....",
    ".........@....",
    "....@@@@@@....",
    "..............",
];

#[test]
fn repeated_runs_end_on_a_shortest_walk() {
    let folder = Folder::new("learning-repeat");
    folder.write("a.map", map(&POCKET));
    folder.write("p.txt", "5 3 12 3\n0 3 13 3\n0 0 8 4\n");
    for algorithm in [
        "rtaa",
        "rtaa --budget 3",
        "lss-lrta",
        "lss-lrta --budget 3",
        "lrta --set depth=1",
        "p-lrta",
        "p-lrta --set queue=3",
    ] {
        let run = format!("run --map a.map --problems p.txt --repeat --algorithm {algorithm}");
        let records = folder.run(&format!("{run} --json")).json();
        let again = |_: &Value, next: &Value| next["run"] != 1;
        let problems: Vec<_> = records.chunk_by(again).collect();
        assert_eq!(problems.len(), 3, "{run}");
        for runs in problems {
            for (index, record) in runs.iter().enumerate() {
                assert_eq!(record["run"], index + 1, "{record}");
                assert_eq!(record["outcome"], "reached", "{record}");
                let is_last = index + 1 == runs.len();
                assert_eq!(number(record, "lessons") == 0, is_last, "{record}");
            }
            let last = runs.last().unwrap();
            assert!(same(length(last, "suboptimality"), 1.0), "{last}");
            assert!(same(length(last, "cost"), length(last, "optimal")), "{last}");
        }
        let first = &records[0];
        // With little lookahead the pocket is walked into at first.
        let is_short = algorithm.contains("--");
        assert!(!is_short || length(first, "suboptimality") > 1.1, "{first}");
        let text = folder.run(&run).good();
        let lines: Vec<_> = text.lines().filter(|line| line.starts_with('(')).collect();
        assert_eq!(lines.len(), records.len(), "{text}");
        for (line, record) in lines.iter().zip(&records) {
            let run = format!(": run {}: reached in ", number(record, "run"));
            let cost = format!(" of length {:.2} (", length(record, "cost"));
            assert!(line.contains(&run) && line.contains(&cost), "{line}");
        }
    }
}

#[test]
fn complete_searches_agree_on_a_known_map_and_arrive_on_an_unknown_one() {
    let folder = Folder::new("replanning");
    let names = ["astar", "repeated-astar", "adaptive-astar", "dstar-lite"];
    for map in ["builtin:rooms-64", "builtin:random-64"] {
        for flags in ["--budget 20", "--budget 20 --corners allowed", "--neighbors 4"] {
            let run = format!("run --map {map} --take 6 {flags} --json --algorithm");
            let all = names.map(|name| folder.run(&format!("{run} {name}")).json());
            for (name, records) in names.iter().zip(&all) {
                assert_eq!(records.len(), 6, "{name}");
                for (record, first) in records.iter().zip(&all[0]) {
                    assert_eq!(record["start"], first["start"], "{record}");
                    assert!(same(length(record, "cost"), length(first, "cost")), "{record}");
                    assert!(same(length(record, "suboptimality"), 1.0), "{record}");
                    assert_eq!(number(record, "non_optimal_moves"), 0, "{record}");
                }
            }
            let run = run.replace("--json", "--world unknown --json");
            let found =
                names[1..].iter().flat_map(|name| folder.run(&format!("{run} {name}")).json());
            for record in found {
                assert_eq!(record["outcome"], "reached", "{record}");
            }
        }
    }
}

#[test]
fn they_are_refused_with_a_reason_where_something_opens() {
    let folder = Folder::new("learning-refused");
    folder.write("a.map", map(&["......", ".@@@@.", "......"]));
    folder.write("both.script", "3 2 0 blocked\n9 2 0 free\nend\n");
    folder.write("free.script", "9 2 1 free\nend\n");
    folder.write("shut.script", "1 4 0 blocked\n9 2 0 blocked\nend\n");
    folder.write("none.script", "end\n");
    let flags = "--map a.map --from 0,0 --to 5,2";
    for algorithm in learning() {
        let refusals = ["dynamic:30", "dynamic:100", "script:both.script", "script:free.script"];
        for world in refusals {
            let named = format!("error: `{algorithm}` cannot be run in the world {world}, where");
            let named = [named.as_str(), "blocked cells become free", NO_OPENINGS];
            let flags = format!("{flags} --world {world}");
            for (command, file) in [
                ("run", "none"),
                ("run --json --trace t.jsonl", "t.jsonl"),
                ("run --max-intervals 5", "none"),
                ("draw --out a.svg", "a.svg"),
            ] {
                let command = format!("{command} {flags} --algorithm {algorithm}");
                refused(&folder, &command, USAGE, &named);
                assert!(!folder.path(file).exists(), "{command}");
            }
            for command in ["compare", "compare --csv c.csv", "compare --csv"] {
                let command = format!("{command} {flags} --algorithms tba,{algorithm}");
                refused(&folder, &command, USAGE, &named);
                assert!(!folder.path("c.csv").exists(), "{command}");
            }
        }
        // A rate of zero opens nothing.
        let kinds = ["known", "unknown", "partial:10", "dynamic:0", "script:none.script"];
        for world in kinds.into_iter().chain(["script:shut.script"]) {
            let run = format!("run {flags} --world {world} --algorithm {algorithm} --json");
            let record = &folder.run(&run).json()[0];
            assert_eq!(record["outcome"], "reached", "{record}");
            let compare = format!("compare {flags} --world {world} --algorithms {algorithm}");
            assert_eq!(folder.run(&compare).good().matches(" 1/1 ").count(), 4, "{compare}");
        }
    }
    for algorithm in ["repeated-astar", "adaptive-astar", "dstar-lite"] {
        for world in ["dynamic:30", "script:both.script", "script:free.script"] {
            let run = format!("run {flags} --world {world} --algorithm {algorithm} --json");
            assert_eq!(folder.run(&run).json()[0]["outcome"], "reached", "{run}");
        }
    }
}
