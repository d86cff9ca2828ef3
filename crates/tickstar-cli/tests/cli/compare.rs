//! `tickstar compare`: the table, and the same as CSV.

use tickstar_lab::{Comparison, METRICS, Section};

use crate::support::{Folder, INPUT, USAGE, has_in_order, map, refused, same};

const DEFAULTS: [&str; 4] = ["astar", "late-astar", "tba", "tba:switch=true"];
const BUDGETS: [&str; 4] = ["10", "25", "100", "1000"];

/// The published columns of CSV, in order.
const COLUMNS: [&str; 19] = [
    "algorithm",
    "budget",
    "problems",
    "reached",
    "suboptimality",
    "cost",
    "moves",
    "intervals",
    "first_move_interval",
    "expansions",
    "expansions_per_move",
    "updates",
    "back_moves",
    "non_optimal_moves",
    "restarts",
    "max_expansions_per_interval",
    "max_trace_steps_per_interval",
    "max_updates_per_interval",
    "peak_bytes",
];

/// The rows of a table without quotes, each as wide as the first. Only a budget may be left out, where
/// there is no limit.
fn rows(csv: &str) -> Vec<Vec<&str>> {
    assert!(!csv.contains('"'), "{csv}");
    let rows: Vec<Vec<_>> = csv.lines().map(|line| line.split(',').collect()).collect();
    for row in &rows {
        assert_eq!(row.len(), rows[0].len(), "{row:?}");
        assert!(row.iter().enumerate().all(|(i, field)| i == 1 || !field.is_empty()), "{row:?}");
    }
    rows
}

#[test]
fn without_flags_it_compares_the_defaults() {
    let folder = Folder::new("compare-plain");
    let text = folder.run("compare").good();
    let names =
        ["builtin:rooms-64", "builtin:caves-128", "builtin:islands-128", "builtin:random-64"];
    for name in names {
        assert!(text.contains(&format!("{name} (")), "{text}");
    }
    let header = text.lines().find(|line| line.trim().starts_with("algorithm")).unwrap();
    for column in ["budget", "reached", "length", "first move", "ticks", "expansions", "memory"] {
        assert!(header.contains(column), "{header}");
    }
    for line in text.lines().take_while(|line| !line.starts_with("Try")) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let seen = "With a budget of 10, astar stands still for ";
    assert!(text.contains(seen) && text.contains("moves in the first"), "{text}");
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
    has_in_order(&rows[0], &COLUMNS);
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
fn algorithms_are_compared_as_requested() {
    let folder = Folder::new("compare-chosen");
    let text = folder
        .run("compare --map builtin:rooms-64 --take 2 --algorithms wastar:weight=3:reopen=true,gbfs --budgets 7 --csv")
        .good();
    let names: Vec<_> = rows(&text)[1..].iter().map(|row| (row[0], row[1])).collect();
    assert_eq!(names, [("wastar:weight=3:reopen=true", "7"), ("gbfs", "7")]);
}

/// Every column of CSV without a clock and without a hierarchy.
fn columns() -> Vec<&'static str> {
    let metrics = Comparison { rows: Vec::new(), timed: false };
    let names = metrics.metrics().map(|metric| metric.name);
    COLUMNS[..4].iter().copied().chain(names).collect()
}

/// Every output is made from the one list of metrics: a metric in it is a key of records, a column of CSV and,
/// if it has a title, a column of the table with a line in the legend; and there are no others.
#[test]
fn outputs_have_the_metrics_of_the_list() {
    let folder = Folder::new("compare-metrics");
    let compare = "compare --map builtin:rooms-64 --take 1 --budgets 50 --algorithms astar";
    let csv = folder.run(&format!("{compare} --csv")).good();
    assert_eq!(rows(&csv)[0], columns());
    let table = folder.run(&format!("{compare} --columns all")).good();
    let header = table.lines().find(|line| line.trim().starts_with("algorithm")).unwrap();
    let table = table.replace('\n', " ");
    let titled = METRICS.iter().filter(|metric| metric.section() != Some(Section::Frames));
    let titled: Vec<_> = titled.filter_map(|metric| Some((metric.title()?, metric))).collect();
    let words = |text: &str| text.split_whitespace().count();
    let title_words: usize = titled.iter().map(|(title, _)| words(title)).sum();
    assert_eq!(words(header), words("algorithm budget reached") + title_words, "{header}");
    for (title, metric) in titled {
        assert!(header.contains(title), "{title}: {header}");
        assert!(table.contains(&format!("{title}: {}", metric.meaning)), "{title}: {table}");
    }
}

#[test]
fn columns_are_chosen_by_name() {
    let folder = Folder::new("compare-columns");
    let compare = "compare --map builtin:rooms-64 --take 1 --budgets 50 --algorithms astar,pra";
    let header = |flags: &str| {
        let table = folder.run(&format!("{compare} {flags}")).good();
        let header = table.lines().find(|line| line.starts_with("algorithm")).unwrap();
        header.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let always = "algorithm budget reached";
    for (columns, titles) in [
        ("moves,first_move_interval", "moves first move"),
        ("first-move", "first move"),
        ("bytes_before,cost", "made before cost"),
        ("slowdown --clock 1", "slowdown"),
    ] {
        assert_eq!(header(&format!("--columns {columns}")), format!("{always} {titles}"));
    }
    let usual = "length first move ticks made before expansions";
    assert!(header("").starts_with(&format!("{always} {usual}")), "{}", header(""));
    assert!(header("--columns all").ends_with("memory made before"));
    for (columns, named) in [
        ("speed", "there is no column `speed`; expected one of all, suboptimality, "),
        ("moves,all", "`all` stands alone"),
        ("moves,moves", "`moves` is given twice"),
        ("slowdown", "frames are counted with --clock"),
        ("moves --by-length 9", "--by-length"),
    ] {
        refused(&folder, &format!("{compare} --columns {columns}"), USAGE, &["--columns", named]);
    }
}

/// The sentence goes with the table, and never into CSV.
#[test]
fn what_is_seen_is_not_in_the_csv() {
    let folder = Folder::new("compare-sentence");
    let compare = "compare --map builtin:rooms-64 --take 2 --budgets 5 --algorithms astar,tba";
    let table = folder.run(&format!("{compare} --csv c.csv")).good();
    assert!(table.contains("With a budget of 5, astar stands still for "), "{table}");
    for csv in [folder.text("c.csv"), folder.run(&format!("{compare} --csv")).good()] {
        assert!(!csv.contains("stands") && rows(&csv).len() == 3, "{csv}");
    }
}

/// The commands to try next, without the program.
fn next(table: &str) -> Vec<String> {
    let (_, commands) = table.split_once("\nTry next:\n").unwrap_or_else(|| panic!("{table}"));
    let program = env!("CARGO_BIN_EXE_tickstar");
    let command = |line: &str| line.trim().strip_prefix(program).unwrap().trim().to_string();
    commands.lines().map(command).collect()
}

#[test]
fn what_to_try_next_works() {
    let folder = Folder::new("compare-next");
    two_maps(&folder);
    folder.write("doors.script", "3 1 1 blocked\nend\n");
    let files = "--map open.map --map wall.map --problems across.txt --problems down.txt";
    for flags in [
        "--take 1 --budgets 4",
        "--map builtin:rooms-64 --take 2 --algorithms tba:budget=5,astar:budget=none,pra",
        "--map builtin:rooms-64 --take 2 --algorithms tba --budgets 5,7",
        "--map builtin:rooms-64 --take 2 --world dynamic:5 --seed 7 --algorithms rtba,rtb-wastar",
        &format!("{files} --neighbors 4 --max-intervals 99"),
        &format!("{files} --corners allowed --world script:doors.script --algorithms rtba,astar"),
    ] {
        let commands = next(&folder.run(&format!("compare {flags}")).good());
        assert!(commands[0].starts_with("draw --map "), "{flags}: {commands:?}");
        assert_eq!(commands.len(), 2, "{flags}: {commands:?}");
        for command in commands {
            folder.run(&command).good();
        }
    }
    // The walks that are drawn are those that were compared.
    let csv = "--map wall.map --problems across.txt --budgets 3 --algorithms astar,tba --csv c.csv";
    let table = folder.run(&format!("compare {csv}")).good();
    let drawn = folder.run(&next(&table)[0]).good();
    for row in &rows(&folder.text("c.csv"))[1..] {
        let length = format!("  {} · budget 3 · length {:.1} ", row[0], value(row, "cost"));
        assert!(drawn.contains(&length), "{length}: {drawn}");
    }
    let lost =
        folder.run("compare --map wall.map --from 0,0 --to 6,0 --algorithms tba --max-intervals 2");
    let commands = next(&lost.good());
    assert!(commands[0].starts_with("draw --map wall.map --from 0,0 --to 6,0"), "{commands:?}");
    // Two that are the same are not drawn side by side.
    let same = folder.run("compare --map wall.map --from 0,0 --to 0,0 --algorithms tba,astar,tba");
    let commands = next(&same.good());
    assert!(commands[0].ends_with("--algorithm tba --algorithm astar"), "{commands:?}");
}

#[test]
fn what_is_seen_can_be_drawn() {
    let folder = Folder::new("compare-picture");
    two_maps(&folder);
    let compare = "compare --map wall.map --problems across.txt --budgets 3 --algorithms astar,tba";
    let table = folder.run(&format!("{compare} --picture both.svg")).good();
    let lines = [
        "\nboth.svg: wall · from (0, 0) to (6, 0)\n  astar · budget 3 · ",
        "\n  tba · budget 3 · ",
    ];
    assert!(lines.iter().all(|line| table.contains(line)), "{table}");
    assert_eq!(folder.text("both.svg").matches("<g id=\"walk\"").count(), 2);
    assert_eq!(next(&table).len(), 1, "{table}");
    let csv = folder.run(&format!("{compare} --picture both.png --csv")).good();
    assert_eq!(rows(&csv).len(), 3);
    assert!(folder.read("both.png").starts_with(b"\x89PNG"));
    refused(&folder, &format!("{compare} --picture a.gif"), USAGE, &["a.gif", ".png or .svg"]);
    refused(&folder, &format!("{compare} --picture no/a.png"), INPUT, &["cannot be written"]);
    // What was not reached can be looked at too.
    let lost = folder.run(&format!("{compare} --max-intervals 2 --picture a.png")).good();
    assert!(lost.contains("None of them reaches a goal.") && lost.contains("gave up"), "{lost}");
    assert!(folder.read("a.png").starts_with(b"\x89PNG"));
    let ran = folder.run(&format!("{compare} --cutoff 1 --picture b.png"));
    assert_eq!(ran.code, Some(USAGE), "{}", ran.err);
    assert!(ran.err.contains("b.png: there is nothing to draw, as --cutoff"), "{}", ran.err);
    assert!(!folder.path("b.png").exists());
}

/// A number of a row of CSV.
fn value(row: &[&str], name: &str) -> f64 {
    let column = columns().iter().position(|&column| column == name).unwrap();
    row[column].parse().unwrap_or_else(|error| panic!("{name}: {error}: {row:?}"))
}

/// The algorithms and budgets of the table that is printed, in order.
fn listed(table: &str) -> Vec<(String, String)> {
    let rows = table.lines().skip_while(|line| !line.trim().starts_with("algorithm")).skip(1);
    let rows = rows.take_while(|line| !line.trim().is_empty());
    rows.map(|line| {
        let mut words = line.split_whitespace().map(str::to_string);
        (words.next().unwrap(), words.next().unwrap())
    })
    .collect()
}

#[test]
fn each_of_several_values_makes_a_row() {
    let folder = Folder::new("compare-lists");
    let compare = "compare --map builtin:rooms-64 --take 2 --budgets 5,50 --algorithms \
                   lrta:depth=4+2:budget=none,lss-lrta:moves=one+all:open=heap+buckets,\
                   tba:budget=10+none:switch=true,p-lrta:queue=7,rtaa:budget=3";
    let expected = [
        ("lrta:depth=4", "none"),
        ("lrta:depth=2", "none"),
        ("lss-lrta:moves=one:open=heap", "5"),
        ("lss-lrta:moves=one:open=heap", "50"),
        ("lss-lrta:moves=one:open=buckets", "5"),
        ("lss-lrta:moves=one:open=buckets", "50"),
        ("lss-lrta:moves=all:open=heap", "5"),
        ("lss-lrta:moves=all:open=heap", "50"),
        ("lss-lrta:moves=all:open=buckets", "5"),
        ("lss-lrta:moves=all:open=buckets", "50"),
        ("tba:switch=true", "10"),
        ("tba:switch=true", "none"),
        ("p-lrta:queue=7", "5"),
        ("p-lrta:queue=7", "50"),
        ("rtaa", "3"),
    ]
    .map(|(name, budget)| (name.to_string(), budget.to_string()));
    let table = folder.run(&format!("{compare} --csv c.csv")).good();
    assert_eq!(listed(&table), expected);
    assert!(!table.contains("left out"), "{table}");
    let csv = folder.text("c.csv");
    let rows = rows(&csv);
    for (row, (name, budget)) in rows[1..].iter().zip(&expected) {
        assert_eq!(row[0], name);
        assert_eq!(row[1], if budget == "none" { "" } else { budget });
        assert_eq!((row[2], row[3]), ("2", "2"), "{row:?}");
        let ratio = value(row, "expansions") / value(row, "moves");
        assert!(same(value(row, "expansions_per_move"), ratio), "{row:?}");
        let (learned, most) = (value(row, "updates"), value(row, "max_updates_per_interval"));
        let learns_after = name.starts_with("lrta") || name.starts_with("lss-lrta");
        assert_eq!((learned > 0.0, most > 0.0), (learns_after, learns_after), "{row:?}");
    }
    assert_eq!(rows.len(), 1 + expected.len());
    let most = |row: usize| value(&rows[1 + row], "max_expansions_per_interval");
    assert!(same(most(0), 49.0) && same(most(1), 9.0), "a row for each depth");
    assert!(same(most(10), 9.0) && most(11) > 100.0, "one with a limit and one without");
    // The list of values has the same walk for both open lists.
    assert_eq!(rows[3][4..18], rows[5][4..18]);
    assert_eq!(folder.run(&format!("{compare} --csv")).good(), csv);
}

#[test]
fn invalid_lists_of_values_are_refused() {
    let folder = Folder::new("compare-bad-lists");
    let whole = "must be a whole number from 1 to 1000000";
    for (specification, named) in [
        (
            "tba:budget=ten",
            "`tba:budget=ten`: budget `ten`: expected a whole number from 1 to 2^64 - 1, or none",
        ),
        ("tba:budget=10+ten", "budget `ten`: expected a whole number from 1 to 2^64 - 1, or none"),
        ("tba:budget=", "budget ``: expected a whole number from 1 to 2^64 - 1, or none"),
        ("tba:budget=10+", "budget ``: expected a whole number"),
        ("tba:budget=-5", "budget `-5`: expected a whole number"),
        ("tba:budget=1.5", "budget `1.5`: expected a whole number"),
        ("tba:budget=None", "budget `None`: expected a whole number"),
        ("tba:budget=0", "budget `0`: expected a whole number from 1"),
        ("tba:budget", "`tba:budget`: expected key=value"),
        ("lrta:depth=", &format!("depth=: {whole}")),
        ("lrta:depth=4+", &format!("depth=: {whole}")),
        ("lrta:depth=4++8", &format!("depth=: {whole}")),
        ("lrta:depth=4+0", &format!("depth=0: {whole}")),
        ("lrta:depth=4+x", &format!("depth=x: {whole}")),
        ("lrta:radius=4", "`lrta` has no parameter `radius`; it has: depth"),
        ("lrta:depth=4:radius=4+5", "`lrta` has no parameter `radius`; it has: depth"),
        ("p-lrta:queue=10001", "queue=10001: must be a whole number from 0 to 10000"),
        ("rtaa:moves=one+two", "moves=two: must be one or all"),
        ("dstar-lite:ties=none", "ties=none: must be far or near"),
        ("rtaa+lrta", "there is no algorithm `rtaa+lrta`"),
        ("lrta:depth=4:depth=2", "`depth` is given twice"),
        ("tba:budget=10:budget=20", "`budget` is given twice"),
        ("tba:budget=18446744073709551616", "expected a whole number from 1 to 2^64 - 1"),
    ] {
        for csv in ["", "--csv c.csv"] {
            let compare = format!("compare {csv} --algorithms tba,{specification}");
            refused(&folder, &compare, USAGE, &[named, &format!("`{specification}`")]);
            assert!(!folder.path("c.csv").exists(), "{compare}");
        }
    }
    for cutoff in ["x", "-1", "1.5", ""] {
        refused(&folder, &format!("compare --cutoff={cutoff}"), USAGE, &["--cutoff"]);
    }
}

/// Two maps of the same size, one with a wall down to its last row.
fn two_maps(folder: &Folder) {
    folder.write("open.map", map(&["......."; 5]));
    folder.write("wall.map", map(&["...@...", "...@...", "...@...", "...@...", "......."]));
    folder.write("across.txt", "0 0 6 0\n");
    folder.write("down.txt", "0 0 0 4\n0 1 0 4\n");
}

#[test]
fn each_map_has_its_own_problems() {
    let folder = Folder::new("compare-files");
    two_maps(&folder);
    let costs = |flags: &str| {
        let csv = folder
            .run(&format!("compare {flags} --neighbors 4 --algorithms astar --budgets 9 --csv"))
            .good();
        let rows = rows(&csv);
        (value(&rows[1], "problems"), value(&rows[1], "cost") * value(&rows[1], "problems"))
    };
    // Across is 6, or 14 around the wall; down is 4 and 3 on both.
    for (flags, problems, cost) in [
        ("--map open.map --problems across.txt", 1.0, 6.0),
        ("--map wall.map --problems across.txt", 1.0, 14.0),
        ("--map wall.map --problems down.txt", 2.0, 7.0),
        ("--map open.map --map wall.map --problems across.txt --problems down.txt", 3.0, 13.0),
        ("--map open.map --map wall.map --problems down.txt --problems across.txt", 3.0, 21.0),
        ("--problems down.txt --map wall.map --map open.map --problems across.txt", 3.0, 13.0),
        ("--map open.map --map wall.map --problems across.txt", 2.0, 20.0),
        ("--map open.map --map wall.map --problems down.txt", 4.0, 14.0),
        ("--map open.map --map wall.map --problems down.txt --take 1", 2.0, 8.0),
    ] {
        let (count, sum) = costs(flags);
        assert!(same(count, problems) && same(sum, cost), "{flags}: {count}, {sum}");
    }
    let flags = "--map open.map --map wall.map --problems across.txt --problems down.txt";
    let table = folder.run(&format!("compare {flags} --budgets 9")).good();
    let start = "open.map (7x5, known): 1 problem\nwall.map (7x5, known): 2 problems\n";
    assert!(table.starts_with(start), "{table}");
    // Scenarios say which map they are for.
    folder.write("open.scen", "version 1\n0 open.map 7 5 0 0 6 0 6\n");
    folder.write("wall.scen", "version 1\n0 wall.map 7 5 0 0 0 4 4\n");
    let (count, sum) = costs("--map open.map --map wall.map --scen open.scen --scen wall.scen");
    assert!(same(count, 2.0) && same(sum, 10.0), "{count}, {sum}");
    let swapped = "compare --map open.map --map wall.map --scen wall.scen --scen open.scen";
    refused(&folder, swapped, INPUT, &["wall.scen: line 2", "another map"]);
    // A bad problem is named by the file it comes from.
    folder.write("bad.txt", "0 0 0 4\n0 0 3 0\n");
    let bad = "compare --map open.map --map wall.map --problems across.txt --problems bad.txt";
    refused(&folder, bad, INPUT, &["bad.txt: problem 2: the goal (3, 0) is blocked"]);
}

#[test]
fn as_many_files_as_maps_or_one() {
    let folder = Folder::new("compare-counts");
    two_maps(&folder);
    let two = "--problems across.txt --problems down.txt";
    let one_each = "give one for each map, in the same order";
    let (open, wall) = ("--map open.map", "--map wall.map");
    for (flags, named) in [
        (format!("{open} {two}"), "2 times --problems for 1 map: "),
        (format!("{open} {wall} {two} --problems down.txt"), "3 times --problems for 2 maps: "),
        (format!("{open} {wall} {open} {two}"), "2 times --problems for 3 maps: "),
        (two.to_string(), "2 times --problems for 4 maps: "),
        (format!("{open} --scen a.scen --scen b.scen"), "2 times --scen for 1 map: "),
    ] {
        refused(&folder, &format!("compare {flags}"), USAGE, &[named, one_each]);
    }
    for command in ["run", "draw --out a.svg"] {
        let flags = format!("{command} {open} {two}");
        refused(&folder, &flags, USAGE, &["2 times --problems for 1 map: ", one_each]);
    }
    let mixed = format!("compare {open} {wall} --problems across.txt --scen a.scen");
    refused(&folder, &mixed, USAGE, &["--scen", "--problems"]);
}

#[test]
fn what_goes_beyond_the_cutoff_is_left_out_and_named() {
    let folder = Folder::new("compare-cutoff");
    folder.write("open.map", map(&[".".repeat(41).as_str(); 41]));
    // Only the second begins away from the border.
    folder.write("p.txt", "40 0 40 3\n20 20 40 20\n40 40 40 37\n");
    let compare = "compare --map open.map --problems p.txt --algorithms \
                   lrta:depth=3+4+5:budget=none,rtaa:budget=49+50,p-lrta:queue=0:budget=none";
    let all = [
        ("lrta:depth=3", "none"),
        ("lrta:depth=4", "none"),
        ("lrta:depth=5", "none"),
        ("rtaa", "49"),
        ("rtaa", "50"),
        ("p-lrta:queue=0", "none"),
    ];
    let whole = folder.run(&format!("{compare} --csv")).good();
    let measured = rows(&whole)[1..]
        .iter()
        .map(|row| value(row, "max_expansions_per_interval") as u64)
        .collect::<Vec<_>>();
    assert_eq!((measured[0], measured[1], measured[2]), (25, 49, 81));
    for cutoff in [1, 24, 25, 48, 49, 50, 80, 81, 1000] {
        let table = folder.run(&format!("{compare} --cutoff {cutoff} --csv c.csv")).good();
        let stays = |&(_, most): &(&(&str, &str), &u64)| *most <= cutoff;
        let (left, gone): (Vec<_>, Vec<_>) = all.iter().zip(&measured).partition(stays);
        let pair = |(name, budget): (&str, &str)| (name.to_string(), budget.to_string());
        let left: Vec<_> = left.into_iter().map(|(&who, _)| pair(who)).collect();
        assert_eq!(listed(&table), left, "{cutoff}");
        let named: Vec<_> =
            gone.iter().map(|((name, budget), _)| format!("{name} (budget {budget})")).collect();
        let line = format!(
            "left out, with more than {cutoff} expansion{} in a tick: {}",
            if cutoff == 1 { "" } else { "s" },
            named.join(", ")
        );
        let expected = if gone.is_empty() { None } else { Some(line.as_str()) };
        // In as many lines as it takes.
        let shown = table.lines().skip_while(|line| !line.contains("left out"));
        let shown: Vec<_> = shown.take_while(|line| !line.is_empty()).collect();
        assert_eq!(shown.join(" "), expected.unwrap_or_default(), "{table}");
        assert!(shown.iter().all(|line| line.chars().count() <= 80), "{table}");
        // The remaining rows are the same as without a cut-off.
        let csv = folder.text("c.csv");
        let lines = whole.lines().zip([0].iter().chain(&measured));
        let kept: Vec<_> =
            lines.filter(|(_, most)| **most <= cutoff).map(|(line, _)| line).collect();
        assert_eq!(csv.lines().collect::<Vec<_>>(), kept, "{cutoff}");
        for threads in [1, 2] {
            let again =
                folder.run_with_threads(&format!("{compare} --cutoff {cutoff} --csv"), threads);
            // Who is left out is printed where it is not taken for a row.
            let expected = if gone.is_empty() { String::new() } else { format!("{line}\n") };
            assert_eq!((again.code, again.out.as_str()), (Some(0), csv.as_str()), "{cutoff}");
            assert_eq!(again.err, expected);
        }
    }
}
