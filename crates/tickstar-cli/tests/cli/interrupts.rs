//! Ctrl-C: what is done is kept, in whole lines, and the exit code says that it is not all.

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::support::{Folder, Ran, json_lines, read, wait};

/// More than could be done while the test runs.
const MANY: &str = "--take 1000000";

fn spawn(folder: &Folder, arguments: &str) -> Child {
    let mut command = folder.command(arguments.split_whitespace());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until something holds.
fn until(what: impl Fn() -> bool) {
    while !what() {
        sleep(Duration::from_millis(10));
    }
}

fn interrupt(child: Child, arguments: &str) -> Ran {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    read(&wait(child, arguments), arguments)
}

/// The number of problems that the message says are done.
fn done(ran: &Ran) -> usize {
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    let end = " of 1000000 problems done, and kept\n";
    let count = ran.err.strip_prefix("stopped: ").and_then(|text| text.strip_suffix(end));
    count.unwrap_or_else(|| panic!("{}", ran.err)).parse().unwrap()
}

#[test]
fn a_comparison_keeps_the_problems_that_are_done() {
    let folder = Folder::new("interrupt-compare");
    for (name, more) in [("a.csv", ""), ("b.csv", "--by-length 16")] {
        let compare = format!(
            "compare --map builtin:rooms-64 {MANY} --algorithms tba,astar --budgets 10 {more} --csv {name}"
        );
        let child = spawn(&folder, &compare);
        // Until it watches for the signal it would just end.
        sleep(Duration::from_secs(3));
        let ran = interrupt(child, &compare);
        let done = done(&ran);
        assert!(done > 0, "nothing was done in three seconds");
        assert!(!ran.out.is_empty());
        let csv = folder.text(name);
        assert!(csv.ends_with('\n'));
        let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
        assert!(rows.len() > 2 && rows.iter().all(|row| row.len() == rows[0].len()), "{csv}");
        if more.is_empty() {
            assert_eq!(rows.len(), 3);
            for row in &rows[1..] {
                assert_eq!(row[2], done.to_string(), "{csv}");
            }
        }
    }
}

#[test]
fn a_trace_keeps_its_lines() {
    let folder = Folder::new("interrupt-trace");
    let run = format!("run --map builtin:rooms-64 {MANY} --budget 20 --json --trace t.jsonl");
    let child = spawn(&folder, &run);
    until(|| folder.path("t.jsonl").metadata().is_ok_and(|facts| facts.len() > 1 << 20));
    let ran = interrupt(child, &run);
    let done = done(&ran);
    assert!(done > 0);
    let records = json_lines(&ran.out);
    assert_eq!(records.len(), done);
    assert!(records.iter().all(|record| record["outcome"] == "reached"), "none was cut short");
    let trace = folder.text("t.jsonl");
    assert!(trace.ends_with('\n'));
    let lines = json_lines(&trace);
    let last = lines.last().unwrap()["problem"].as_u64().unwrap() as usize;
    assert!(last == done || last == done + 1, "{last} of {done}");
    // Every interval of what is done is there.
    for (record, problem) in records.iter().zip(1_u64..) {
        let count = lines.iter().filter(|line| line["problem"] == problem).count() as u64;
        assert_eq!(record["intervals"], count);
        if problem > 50 {
            break;
        }
    }
}

#[test]
fn runs_in_parallel_print_what_is_done() {
    let folder = Folder::new("interrupt-run");
    let run = format!("run --map builtin:rooms-64 {MANY} --budget 20 --json");
    let mut child = spawn(&folder, &run);
    // Until it watches for the signal it would just end.
    sleep(Duration::from_secs(3));
    assert!(child.try_wait().unwrap().is_none());
    let ran = interrupt(child, &run);
    if ran.err.is_empty() {
        // Before the runs began, there was nothing to keep.
        assert_eq!((ran.code, ran.out.as_str()), (Some(130), ""));
        return;
    }
    assert_eq!(json_lines(&ran.out).len(), done(&ran));
}
