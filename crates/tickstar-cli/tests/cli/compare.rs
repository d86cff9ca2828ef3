//! `tickstar compare`: the table, and the same as CSV.

use crate::support::Folder;

const DEFAULTS: [&str; 4] = ["astar", "late-astar", "tba", "tba:switch=true"];
const BUDGETS: [&str; 4] = ["10", "25", "100", "1000"];

/// The rows of a table without quotes, each as wide as the first.
fn rows(csv: &str) -> Vec<Vec<&str>> {
    assert!(!csv.contains('"'), "{csv}");
    let rows: Vec<Vec<_>> = csv.lines().map(|line| line.split(',').collect()).collect();
    for row in &rows {
        assert_eq!(row.len(), rows[0].len(), "{row:?}");
        assert!(row.iter().all(|field| !field.is_empty()), "{row:?}");
    }
    rows
}

#[test]
fn without_flags_it_compares_what_there_is() {
    let folder = Folder::new("compare-plain");
    let text = folder.run("compare").good();
    let names =
        ["builtin:rooms-64", "builtin:caves-128", "builtin:islands-128", "builtin:random-64"];
    for name in names {
        assert!(text.contains(&format!("{name} (")), "{text}");
    }
    let header = text.lines().find(|line| line.trim().starts_with("algorithm")).unwrap();
    for column in ["budget", "reached", "length", "first move", "expansions", "memory"] {
        assert!(header.contains(column), "{header}");
    }
    for algorithm in DEFAULTS {
        for budget in BUDGETS {
            let row = |line: &&str| {
                let mut words = line.split_whitespace();
                words.next() == Some(algorithm) && words.next() == Some(budget)
            };
            let row = text.lines().find(row).unwrap_or_else(|| panic!("{algorithm}: {text}"));
            assert!(row.contains("40/40"), "{row}");
        }
    }
}

#[test]
fn csv_goes_to_standard_output_or_to_a_file() {
    let folder = Folder::new("compare-csv");
    let compare = "compare --map builtin:rooms-64 --map builtin:random-64 --take 3 --csv";
    let text = folder.run(compare).good();
    let rows = rows(&text);
    assert_eq!(rows[0][..2], ["algorithm", "budget"]);
    let who: Vec<_> = rows[1..].iter().map(|row| (row[0], row[1])).collect();
    let pairs: Vec<_> = DEFAULTS.iter().flat_map(|&a| BUDGETS.map(|budget| (a, budget))).collect();
    assert_eq!(who, pairs);
    let column = |name: &str| rows[0].iter().position(|&column| column == name).unwrap();
    let (expansions, tracing) =
        (column("max_expansions_per_interval"), column("max_trace_steps_per_interval"));
    for row in &rows[1..] {
        assert_eq!((row[column("problems")], row[column("reached")]), ("6", "6"));
        let suboptimality: f64 = row[column("suboptimality")].parse().unwrap();
        assert!(suboptimality > 1.0 - 1e-9, "{row:?}");
        assert!(row[0] != "astar" || suboptimality < 1.0 + 1e-9, "{row:?}");
        let number = |text: &str| text.parse::<u64>().unwrap();
        assert!(number(row[expansions]) <= number(row[1]), "{row:?}");
        assert!(row[0] == "astar" || number(row[tracing]) <= 10 * number(row[1]), "{row:?}");
    }
    let table = folder.run(&format!("{compare} out.csv")).good();
    assert!(table.contains("builtin:rooms-64 (64x64, known): 3 problems"), "{table}");
    assert_eq!(folder.text("out.csv"), text);
}

#[test]
fn algorithms_are_compared_as_asked_for() {
    let folder = Folder::new("compare-chosen");
    let text = folder
        .run("compare --map builtin:rooms-64 --take 2 --algorithms wastar:weight=3:reopen=true,gbfs --budgets 7 --csv")
        .good();
    let names: Vec<_> = rows(&text)[1..].iter().map(|row| (row[0], row[1])).collect();
    assert_eq!(names, [("wastar:weight=3:reopen=true", "7"), ("gbfs", "7")]);
}
