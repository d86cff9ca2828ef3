//! `tickstar compare --by-length`: percentiles by the length of the shortest path.

use serde_json::Value;

use crate::support::{Folder, USAGE, length, map, number, refused, same};

const COLUMNS: [&str; 18] = [
    "algorithm",
    "budget",
    "from",
    "to",
    "problems",
    "suboptimality_p50",
    "suboptimality_p95",
    "suboptimality_p98",
    "suboptimality_max",
    "within_half_percent",
    "within_1_percent",
    "within_10_percent",
    "expansions_p5",
    "expansions_p50",
    "expansions_p95",
    "gain_p5",
    "gain_p50",
    "gain_p95",
];

const TIMED: [&str; 4] = ["slowdown_p50", "slowdown_p98", "over_optimal_p50", "over_optimal_p98"];

/// The nearest rank: the least value that this percentage of all does not exceed.
fn percentile(values: &[f64], percent: usize) -> f64 {
    let enough = |limit: f64| {
        100 * values.iter().filter(|&&value| value <= limit).count() >= percent * values.len()
    };
    let good = values.iter().copied().filter(|&value| enough(value));
    good.min_by(f64::total_cmp).unwrap()
}

fn share(values: &[f64], limit: f64) -> f64 {
    values.iter().filter(|&&value| value <= limit + 1e-9).count() as f64 / values.len() as f64
}

/// The numbers of a row, from the records of an algorithm and those of the first one.
fn row(records: &[(&Value, &Value)], is_first: bool) -> Vec<Option<f64>> {
    let all = |value: &dyn Fn(&Value) -> f64| -> Vec<f64> {
        records.iter().map(|(record, _)| value(record)).collect()
    };
    let lengths = all(&|record| length(record, "suboptimality"));
    let expansions = all(&|record| number(record, "expansions") as f64);
    let gains: Vec<_> = records
        .iter()
        .map(|(r, first)| number(first, "expansions") as f64 / number(r, "expansions") as f64)
        .collect();
    let mut row = vec![records.len() as f64];
    row.extend([50, 95, 98, 100].map(|percent| percentile(&lengths, percent)));
    row.extend([1.005, 1.01, 1.1].map(|limit| share(&lengths, limit)));
    row.extend([5, 50, 95].map(|percent| percentile(&expansions, percent)));
    let mut row: Vec<_> = row.into_iter().map(Some).collect();
    row.extend([5, 50, 95].map(|percent| (!is_first).then(|| percentile(&gains, percent))));
    for name in ["slowdown", "over_optimal"] {
        let values = all(&|record| length(&record["clock"], name));
        row.extend([50, 98].map(|percent| Some(percentile(&values, percent))));
    }
    row
}

/// The records of one algorithm on both maps, in the order of the maps.
fn records(folder: &Folder, algorithm: &str) -> Vec<Value> {
    let flags = "--take 70 --clock 0.05 --json";
    let run = |map| folder.run(&format!("run --map {map} --algorithm {algorithm} {flags}")).json();
    MAPS.into_iter().flat_map(run).collect()
}

const MAPS: [&str; 2] = ["builtin:caves-128", "builtin:rooms-64"];

#[test]
fn rows_agree_with_the_records() {
    let folder = Folder::new("by-length");
    let names = ["astar", "wastar:weight=2", "gbfs"];
    let all = ["astar", "wastar --weight 2", "gbfs"].map(|name| records(&folder, name));
    let compare = format!(
        "compare --map {} --map {} --take 70 --clock 0.05 --algorithms {}",
        MAPS[0],
        MAPS[1],
        names.join(",")
    );
    for width in [25, 64, 10_000] {
        let mut expected = Vec::new();
        for (name, records) in names.iter().zip(&all) {
            let pairs: Vec<_> = records.iter().zip(&all[0]).collect();
            let bucket = |record: &Value| (length(record, "optimal") / width as f64).floor() as u64;
            for nth in 0..10_000 / width {
                let inside = pairs.iter().copied().filter(|(record, _)| bucket(record) == nth);
                let inside: Vec<_> = inside.collect();
                if !inside.is_empty() {
                    let ends = [nth * width, (nth + 1) * width].map(|end| end.to_string());
                    expected.push((*name, ends, row(&inside, *name == "astar")));
                }
            }
            let ends = ["all", "all"].map(String::from);
            expected.push((*name, ends, row(&pairs, *name == "astar")));
        }
        assert!(width > 100 || expected.len() > 3 * 3, "several buckets");
        let flags = format!("{compare} --by-length {width}");
        let csv = folder.run(&format!("{flags} --csv")).good();
        let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
        assert_eq!(lines.next().unwrap(), [&COLUMNS[..], &TIMED].concat());
        for (name, ends, values) in &expected {
            let line = lines.next().unwrap();
            assert_eq!(line[..4], [*name, "110", &ends[0], &ends[1]]);
            assert_eq!(line.len() - 4, values.len(), "{line:?}");
            for ((text, value), title) in line[4..].iter().zip(values).zip(&COLUMNS[4..]) {
                let found = text.parse::<f64>().ok();
                let agree = match (found, value) {
                    (Some(a), &Some(b)) => same(a, b),
                    (None, None) => text.is_empty(),
                    _ => false,
                };
                assert!(agree, "{title} is {value:?}: {line:?}");
            }
        }
        assert_eq!(lines.next(), None);
        for threads in [1, 2] {
            let again = folder.run_with_threads(&format!("{flags} --csv"), threads);
            assert_eq!(again.good(), csv);
        }
        let table = folder.run(&format!("{flags} --csv out.csv")).good();
        assert_eq!(folder.text("out.csv"), csv);
        let rows = table.lines().skip_while(|line| !line.trim().starts_with("algorithm")).skip(1);
        assert_eq!(rows.take_while(|line| !line.trim().is_empty()).count(), expected.len());
        assert!(table.contains("gain: the expansions of astar (budget 110)"), "{table}");
        assert!(!table.contains("not reached"), "{table}");
    }
}

#[test]
fn the_table_has_the_same_numbers_rounded() {
    let folder = Folder::new("by-length-table");
    let compare =
        "compare --map builtin:caves-128 --take 40 --by-length 64 --algorithms astar,gbfs";
    for (clock, widest) in [("--budgets 30", COLUMNS.len()), ("--clock 1", COLUMNS.len() + 4)] {
        let text = folder.run(&format!("{compare} {clock} --csv out.csv")).good();
        assert_eq!(text.contains("slowdown"), clock.starts_with("--clock"), "{text}");
        let csv = folder.text("out.csv");
        let shown = text.lines().skip_while(|line| !line.trim().starts_with("algorithm")).skip(1);
        for (line, shown) in csv.lines().skip(1).zip(shown) {
            let fields: Vec<_> = line.split(',').collect();
            assert_eq!(fields.len(), widest);
            let lengths = match fields[2] {
                "all" => "all".to_string(),
                from => format!("{from} to {}", fields[3]),
            };
            let mut cells =
                vec![fields[0].to_string(), fields[1].into(), lengths, fields[4].into()];
            for (column, field) in fields.iter().enumerate().skip(5) {
                let Ok(value) = field.parse::<f64>() else { continue };
                cells.push(match column {
                    5..9 => format!("{value:.4}"),
                    9..12 => format!("{:.1} %", 100.0 * value),
                    12..15 => format!("{value:.0}"),
                    15..18 => format!("{value:.2}"),
                    _ => format!("{value:.3}"),
                });
            }
            let words: Vec<_> = shown.split_whitespace().collect();
            assert_eq!(words.join(" "), cells.join(" "), "{line}");
        }
    }
}

#[test]
fn problems_not_reached_are_counted() {
    let folder = Folder::new("by-length-missing");
    folder.write("a.map", map(&[".....@.", ".....@."]));
    folder.write("p.txt", "0 0 6 0\n1 1 1 1\n0 0 4 0\n");
    let compare =
        "compare --map a.map --problems p.txt --by-length 4 --budgets 9 --algorithms astar,tba";
    let missing =
        "not reached, and in no row: 1 of 3 by astar (budget 9), 1 of 3 by tba (budget 9)\n";
    let table = folder.run(compare).good();
    assert!(table.ends_with(missing), "{table}");
    let ran = folder.run(&format!("{compare} --csv"));
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), missing));
    let rows: Vec<Vec<_>> = ran.out.lines().map(|line| line.split(',').collect()).collect();
    let found: Vec<_> = rows[1..].iter().map(|row| (row[0], row[2], row[4], row[16])).collect();
    // Where start and goal are the same there is nothing to gain.
    let expected = [
        ("astar", "0", "1", ""),
        ("astar", "4", "1", ""),
        ("astar", "all", "2", ""),
        ("tba", "0", "1", ""),
        ("tba", "4", "1", "1"),
        ("tba", "all", "2", "1"),
    ];
    assert_eq!(found, expected);
    // With none at all there is only the row of all, without values.
    folder.write("none.txt", "0 0 6 0\n");
    let none = "compare --map a.map --problems none.txt --by-length 4 --budgets 9 --algorithms astar --csv";
    let ran = folder.run(none);
    assert_eq!(ran.out.lines().nth(1), Some("astar,9,all,all,0,,,,,,,,,,,,,"), "{}", ran.out);
}

#[test]
fn invalid_widths_are_refused() {
    let folder = Folder::new("by-length-bad");
    for width in ["0", "-1", "1.5", "x", "", "99999999999"] {
        refused(&folder, &format!("compare --by-length={width}"), USAGE, &["--by-length"]);
    }
    let both = "compare --by-length 4 --cutoff 1000";
    refused(&folder, both, USAGE, &["--by-length", "--cutoff"]);
}
