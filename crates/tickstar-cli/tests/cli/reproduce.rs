//! `tickstar reproduce` and `tickstar report`: the same bits, however a run was interrupted or divided.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::support::{Folder, read, wait};

/// A run of a few seconds, with many parts and worlds that change.
const RUN: &str = "reproduce tbbfs --quick --no-times --out";

/// Every file below a folder.
fn paths(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        // A run may still be at work there.
        let Ok(entries) = fs::read_dir(next) else { continue };
        for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found
}

/// Every file below a folder with its bytes, by its path there.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let named = |path: PathBuf| {
        let name = path.strip_prefix(folder).unwrap().display().to_string();
        (name, fs::read(&path).unwrap())
    };
    paths(folder).into_iter().map(named).collect()
}

/// The number of blocks of records that are there.
fn parts(folder: &Path) -> usize {
    let is_whole = |path: &&PathBuf| path.extension().is_some_and(|kind| kind == "parquet");
    paths(&folder.join("records")).iter().filter(is_whole).count()
}

fn assert_same(found: &Path, expected: &BTreeMap<String, Vec<u8>>) {
    let found = files(found);
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (name, bytes) in expected {
        assert!(found[name] == *bytes, "{name} differs");
    }
}

/// Stops a run as Ctrl-C does.
fn interrupted(folder: &Folder) {
    let arguments = format!("{RUN} killed");
    let mut command = folder.command(arguments.split_whitespace());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let before = parts(&folder.path("killed"));
    while parts(&folder.path("killed")) == before {
        thread::sleep(Duration::from_millis(1));
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let ran = read(&wait(child, &arguments), &arguments);
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    assert!(ran.err.ends_with("done, and kept; the same command continues\n"), "{}", ran.err);
}

#[test]
fn neither_kills_nor_shards_change_a_bit() {
    let folder = Folder::new("reproduce");
    let told = folder.run(&format!("{RUN} whole")).good();
    assert!(told.contains("Time-Bounded Best-First Search"), "{told}");
    let expected = files(&folder.path("whole"));
    for name in ["run.json", "report.html", "claims.json", "evidence.json"] {
        assert!(expected.contains_key(name), "{name}");
    }
    let ends = |end: &str| expected.keys().filter(|name| name.ends_with(end)).count();
    assert_eq!(
        (ends(".svg"), ends(".png"), ends(".csv")),
        (8, 8, 7),
        "figures, and a picture of walks"
    );

    // Killed ten times, whenever another eleventh of the records is there, and some milliseconds later.
    let killed = folder.path("killed");
    let all = parts(&folder.path("whole"));
    let mut random: u64 = 1;
    for nth in 1..=10 {
        let mut command = folder.command(format!("{RUN} killed").split_whitespace());
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
        while parts(&killed) < all * nth / 11 && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(1));
        }
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        thread::sleep(Duration::from_millis(random >> 60));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!killed.join("report.html").exists(), "it was killed before its end");
    }
    interrupted(&folder);
    let early = folder.run("report killed");
    assert_eq!(early.code, Some(3));
    assert!(early.err.contains("parts of the records of tbbfs-"), "{}", early.err);
    folder.run(&format!("{RUN} killed")).good();
    assert_same(&killed, &expected);
    // Done is done: nothing is run again.
    let before = fs::metadata(killed.join("records/tbbfs-bg/000-000.parquet")).unwrap();
    folder.run(&format!("{RUN} killed")).good();
    let after = fs::metadata(killed.join("records/tbbfs-bg/000-000.parquet")).unwrap();
    assert_eq!(before.modified().unwrap(), after.modified().unwrap());

    // In two parts, with different numbers of threads, one of which has been copied as well.
    let told = folder.run(&format!("{RUN} one --shard 1/2 --jobs 1")).good();
    assert_eq!(told, "Part 1/2 is in one: `tickstar report` merges all of them.\n");
    let half = folder.run("report one --out merged");
    assert_eq!(half.code, Some(3));
    assert!(half.err.contains("parts of the records of tbbfs-"), "{}", half.err);
    folder.run(&format!("{RUN} two --shard 2/2 --jobs 3")).good();
    folder.run("report two one two --out merged").good();
    assert_same(&folder.path("merged"), &expected);

    // Records that are not those of the others.
    let part = "records/tbbfs-bg/000-000.parquet";
    let other = "records/tbbfs-bg/000-001.parquet";
    let mut differing = folder.path("two").join(part);
    if !differing.exists() {
        differing = folder.path("one").join(part);
    }
    fs::write(&differing, &expected[other]).unwrap();
    let refused = folder.run("report one two --out merged");
    assert_eq!(refused.code, Some(3));
    assert!(
        refused.err.contains("its records differ from those of another folder"),
        "{}",
        refused.err
    );
    // A file that is cut short.
    let whole = folder.path("whole").join(part);
    fs::write(&whole, &expected[part][..expected[part].len() / 2]).unwrap();
    let broken = folder.run("report whole");
    assert_eq!(broken.code, Some(3));
    assert!(broken.err.contains("000-000.parquet"), "{}", broken.err);
}

#[test]
fn wrong_calls_are_explained() {
    let folder = Folder::new("reproduce-wrong");
    folder.write("empty/file", "");
    folder.write(
        "other/run.json",
        r#"{"version": "0.0.1", "papers": ["tba"], "size": "quick", "maps": "generated"}"#,
    );
    folder.write("broken/run.json", "{");
    for name in ["battleground", "divideandconquer", "duskwood"] {
        folder.write(
            &format!("wrong/wc3-512/{name}.map"),
            "type octile\nheight 1\nwidth 2\nmap\n..\n",
        );
    }
    for (arguments, code, expected) in [
        ("reproduce tbb", 2, "there is no paper `tbb`: "),
        ("reproduce --quick --full", 2, "cannot be used with"),
        ("reproduce --shard 3/2", 2, "expected I/N"),
        ("reproduce --jobs 0", 2, "--jobs"),
        (
            "reproduce --maps nowhere",
            3,
            "nowhere: there is no such folder; `tickstar maps get DIR`",
        ),
        ("reproduce --maps empty", 3, " more: there is no such file; `tickstar maps get DIR`"),
        (
            "reproduce tba --maps wrong",
            3,
            "battleground.map and 2 more: this is not the benchmark's map, by its SHA-256; `tickstar maps get DIR`",
        ),
        ("reproduce --quick --out empty/file", 3, "empty/file/run.json: cannot be written"),
        ("reproduce --quick --out other", 3, "these records are of version 0.0.1"),
        ("reproduce --quick --out broken", 3, "this folder has another run (unreadable)"),
        ("report empty", 3, "there is no `run.json`"),
        ("report nowhere", 3, "there is no `run.json`"),
        ("report broken", 3, "there is no `run.json`"),
        ("report", 2, "<DIR>"),
    ] {
        let ran = folder.run(arguments);
        assert_eq!(ran.code, Some(code), "{arguments}: {}", ran.err);
        assert!(ran.err.contains(expected), "{arguments}: {}", ran.err);
        assert!(!folder.path("report").exists(), "{arguments}: nothing is left");
    }
}
