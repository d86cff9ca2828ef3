//! Instructions per item, counted by callgrind, against stored baselines: a guard against work that becomes slower, in
//! numbers that repeat. `TICKSTAR_BLESS=1` renews the baselines.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How far a count may be from its baseline, in percent, with the compiler that made the baseline.
const TOLERANCE: f64 = 5.0;
/// The same with another version of the compiler.
const WIDE: f64 = 30.0;

const BLESS: &str = "TICKSTAR_BLESS=1 cargo test -p tickstar-instructions";

fn stored() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/instructions.txt")
}

/// Builds the program in release mode, and returns where it is.
fn program() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--release", "--locked", "-p", env!("CARGO_PKG_NAME")])
        .args(["--message-format", "json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let messages = String::from_utf8(output.stdout).unwrap();
    let (_, path) = messages.split_once("\"executable\":\"").expect("a program was built");
    PathBuf::from(path.split('"').next().unwrap())
}

/// The instructions of an item.
fn count(program: &Path, item: &str) -> u64 {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--toggle-collect=*counted*", "--callgrind-out-file=/dev/null"])
        .args([program.as_os_str(), item.as_ref()])
        .output()
        .expect("valgrind runs");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{item}: {log}");
    let collected = log.lines().find_map(|line| line.split_once("Collected :"));
    collected
        .and_then(|(_, count)| count.trim().parse().ok())
        .unwrap_or_else(|| panic!("{item}: {log}"))
}

/// The compiler of the baselines, and the baselines.
fn parse(text: &str) -> (String, BTreeMap<String, u64>) {
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let compiler = lines.next().unwrap_or_default().to_string();
    let item = |line: &str| {
        let (name, count) = line.split_once(' ')?;
        Some((name.to_string(), count.trim().parse().ok()?))
    };
    (compiler, lines.map(|line| item(line).unwrap_or_else(|| panic!("`{line}`"))).collect())
}

/// What differs from the baselines by more than this many percent.
fn differences(
    counts: &BTreeMap<String, u64>,
    baselines: &BTreeMap<String, u64>,
    percent: f64,
) -> Vec<String> {
    let mut found = Vec::new();
    for (item, &count) in counts {
        let Some(&baseline) = baselines.get(item) else {
            found.push(format!("{item}: {count} instructions, no baseline"));
            continue;
        };
        let change = 100.0 * (count as f64 / baseline as f64 - 1.0);
        if change.abs() > percent {
            let word = if change > 0.0 { "more" } else { "fewer: is this meant?" };
            found.push(format!("{item}: {baseline} before, {count} now, {change:+.1} % {word}"));
        }
    }
    let gone = baselines.keys().filter(|item| !counts.contains_key(*item));
    found.extend(gone.map(|item| format!("{item}: there is no such item")));
    found
}

#[test]
#[cfg_attr(not(valgrind), ignore = "needs valgrind")]
fn no_item_takes_more_instructions_than_before() {
    let program = program();
    let items = Command::new(&program).output().unwrap().stdout;
    let items = String::from_utf8(items).unwrap();
    let items: Vec<&str> = items.lines().collect();
    // One process per item, two at a time.
    let counts: BTreeMap<String, u64> = std::thread::scope(|scope| {
        let half = |offset| {
            let (items, program) = (&items, &program);
            let own = move || items.iter().skip(offset).step_by(2);
            scope.spawn(move || {
                own().map(|item| ((*item).to_string(), count(program, item))).collect::<Vec<_>>()
            })
        };
        let halves = [half(0), half(1)];
        halves.into_iter().flat_map(|half| half.join().unwrap()).collect()
    });
    let compiler = env!("TICKSTAR_RUSTC");
    if std::env::var_os("TICKSTAR_BLESS").is_some() {
        let mut text =
            format!("# Instructions per item, counted by callgrind: {BLESS}\n{compiler}\n");
        for (item, count) in &counts {
            writeln!(text, "{item} {count}").unwrap();
        }
        fs::write(stored(), text).unwrap();
        return;
    }
    let text = fs::read_to_string(stored()).expect("baselines are stored");
    let (of, baselines) = parse(&text);
    let target = |compiler: &str| compiler.split(' ').nth(2).map(str::to_string);
    if target(&of) != target(compiler) {
        println!("not compared: the baselines are of {of}, this is {compiler}: {counts:#?}");
        return;
    }
    let percent = if of == compiler { TOLERANCE } else { WIDE };
    let found = differences(&counts, &baselines, percent);
    assert!(
        found.is_empty(),
        "instructions, against the baselines of {of} (within {percent} %):\n{}\nto accept them: {BLESS}",
        found.join("\n")
    );
}

#[test]
fn differences_are_told_both_ways() {
    let (compiler, baselines) = parse("# about\nrustc 1 x\na 1000\nb 1000\nc 1000\nd 5\n");
    assert_eq!(compiler, "rustc 1 x");
    let counts = [("a", 1049), ("b", 1051), ("c", 940), ("e", 7)];
    let counts = counts.map(|(item, count)| (item.to_string(), count)).into();
    assert_eq!(
        differences(&counts, &baselines, 5.0),
        [
            "b: 1000 before, 1051 now, +5.1 % more",
            "c: 1000 before, 940 now, -6.0 % fewer: is this meant?",
            "e: 7 instructions, no baseline",
            "d: there is no such item",
        ]
    );
    assert_eq!(differences(&baselines, &baselines, 0.0), [""; 0]);
}
