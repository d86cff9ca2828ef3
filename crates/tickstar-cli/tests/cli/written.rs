//! Files that are written: never over one that is read, whole or not at all, and none where the command fails.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Stdio;

use crate::support::{Folder, INPUT, USAGE, json_lines, map, read, refused};

const ENDS: &str = "--map a.map --from 0,0 --to 3,2";

/// A folder with a map, problems, a script and tables, and a picture's name for each that leads to it.
fn with_links(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("a.map", map(&["....", ".@..", "...."]));
    folder.write("a.map.scen", "version 1\n0 a.map 4 3 0 0 3 2 4.41421356\n");
    folder.write("p.txt", "0 0 3 2\n");
    folder.write("a.script", "1 2 2 blocked\nend\n");
    folder.run("abstraction build --map a.map --level 1 --tables a.sub").good();
    for (file, link) in [
        ("a.map", "map"),
        ("a.map.scen", "scen"),
        ("p.txt", "list"),
        ("a.script", "script"),
        ("a.sub", "sub"),
    ] {
        symlink(file, folder.path(&format!("{link}.png"))).unwrap();
    }
    symlink("nowhere/x", folder.path("dangling.png")).unwrap();
    fs::create_dir(folder.path("dir.png")).unwrap();
    folder
}

/// All files with what is in them.
fn files(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder.path(".")).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &std::path::Path| path.file_name().unwrap().to_str().unwrap().to_string();
    entries.map(|path| (name(&path), fs::read(&path).unwrap_or_default())).collect()
}

/// The disk is as it was.
fn refused_and_untouched(folder: &Folder, arguments: &str, code: i32, named: &str) {
    let before = files(folder);
    refused(folder, arguments, code, &[named]);
    assert_eq!(files(folder), before, "{arguments}");
}

#[test]
fn a_picture_never_replaces_what_is_read() {
    let folder = with_links("written-links");
    let d_lrta = format!("{ENDS} --tables a.sub");
    for (command, file) in [
        ("abstraction draw --map a.map --out map.png", "a.map"),
        (&format!("draw {ENDS} --out map.png"), "a.map"),
        ("draw --map a.map --scen a.map.scen --out scen.png", "a.map.scen"),
        ("draw --map a.map --problems p.txt --out list.png", "p.txt"),
        (&format!("draw {ENDS} --world script:a.script --out script.png"), "a.script"),
        (&format!("draw {d_lrta} --algorithm d-lrta:level=1 --out sub.png"), "a.sub"),
        (&format!("compare {ENDS} --picture map.png"), "a.map"),
        ("compare --map a.map --problems p.txt --picture list.png", "p.txt"),
        (&format!("compare {d_lrta} --algorithms d-lrta:level=1 --csv sub.png"), "a.sub"),
        (&format!("run {d_lrta} --algorithm d-lrta:level=1 --trace sub.png"), "a.sub"),
        ("abstraction build --map a.map --level 1 --tables map.png", "a.map"),
    ] {
        let named = format!("this would overwrite {file}, which is read");
        refused_and_untouched(&folder, command, USAGE, &named);
    }
}

#[test]
fn one_file_is_not_written_twice() {
    let folder = with_links("written-twice");
    for picture in ["o.svg", "./o.svg", "dir.png/../o.svg"] {
        let compare = format!("compare {ENDS} --csv o.svg --picture {picture}");
        refused_and_untouched(&folder, &compare, USAGE, "o.svg: this is named twice");
    }
    folder.run(&format!("compare {ENDS} --csv o.csv --picture o.svg")).good();
    assert!(folder.text("o.csv").starts_with("algorithm,"));
}

#[test]
fn a_command_that_fails_leaves_no_file() {
    let folder = with_links("written-none");
    let compare = format!("compare {ENDS} --csv o.csv");
    for (command, code, named) in [
        (
            format!("{compare} --picture dir.png"),
            INPUT,
            "dir.png: cannot be written: this is a directory",
        ),
        (
            format!("{compare} --picture no/o.png"),
            INPUT,
            "no/o.png: cannot be written: there is no such folder",
        ),
        (format!("{compare} --picture a.map/o.png"), INPUT, "a part of the path is not a folder"),
        (format!("{compare} --picture dangling.png"), INPUT, "dangling.png: cannot be written"),
        (
            format!("{compare} --algorithms d-lrta:level=2 --tables a.sub"),
            USAGE,
            "a.sub: subgoals of level 1",
        ),
        (
            format!("{compare} --algorithms d-lrta:level=1 --tables a.map"),
            INPUT,
            "a.map: these are not tables of subgoals",
        ),
        (
            format!("draw {ENDS} --algorithm d-lrta:level=2 --tables a.sub"),
            USAGE,
            "a.sub: subgoals",
        ),
        ("abstraction build --map a.map --level 9 --tables o.sub".into(), USAGE, "--level 9"),
        ("abstraction build --map none.map --tables o.sub".into(), INPUT, "none.map"),
        ("abstraction draw --map none.map --out o.png".into(), INPUT, "none.map"),
        (
            format!("abstraction draw --map a.map --out {}.png", "x".repeat(300)),
            INPUT,
            "the name is too long",
        ),
        ("maps generate hills --size 4096 --out o.txt".into(), USAGE, "cannot hold the terrain"),
        ("maps generate rooms --size 15 --out o.map".into(), USAGE, "each side must be 16 to 4096"),
        ("maps convert none.map o.map".into(), INPUT, "none.map"),
    ] {
        refused_and_untouched(&folder, &command, code, named);
    }
}

#[test]
fn errors_of_the_system_are_told_in_words() {
    let folder = with_links("written-words");
    symlink("loop.map", folder.path("loop.map")).unwrap();
    for command in
        ["maps inspect loop.map", "maps convert a.map loop.map", "maps convert a.map dir.png"]
    {
        let ran = folder.run(command);
        assert_eq!(ran.code, Some(INPUT), "{}", ran.err);
        assert!(!ran.err.contains("os error"), "{}", ran.err);
    }
}

/// More than fits is written as far as whole lines go, and nothing else is left.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_takes_whole_lines_or_nothing() {
    let folder = with_links("written-full");
    let limited = |command: &str| {
        // The shell limits the size of files, to 16 blocks of 512 bytes or 1 KB; without the signal, writing fails.
        let program = env!("CARGO_BIN_EXE_tickstar");
        let script = format!("trap '' XFSZ; ulimit -f 16; exec {program} {command}");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &script]).current_dir(folder.path(".")).stdin(Stdio::null());
        read(&shell.output().unwrap(), command)
    };
    let ran = limited("run --map builtin:rooms-64 --budget 5 --trace t.jsonl");
    assert_eq!(ran.code, Some(INPUT), "{}", ran.err);
    assert!(ran.err.starts_with("error: t.jsonl: cannot be written"), "{}", ran.err);
    let trace = folder.text("t.jsonl");
    assert!(trace.is_empty() || trace.ends_with('\n'), "half a line");
    json_lines(&trace);
    for (command, file) in [
        ("draw --map builtin:rooms-64 --out big.svg", "big.svg"),
        ("abstraction draw --map builtin:rooms-64 --out big.svg", "big.svg"),
        ("compare --map builtin:rooms-64 --take 2 --picture big.svg", "big.svg"),
        ("maps generate caves --size 256 --out big.map", "big.map"),
        ("maps convert builtin:caves-512 big.map", "big.map"),
        ("abstraction build --map builtin:rooms-64 --level 1 --tables big.sub", "big.sub"),
    ] {
        let ran = limited(command);
        assert_eq!(ran.code, Some(INPUT), "{command}: {}", ran.err);
        assert!(ran.err.starts_with(&format!("error: {file}: cannot be written")), "{}", ran.err);
        assert!(!folder.path(file).exists(), "{command}: half a file is left");
    }
}

/// An error is an error, also where it cannot be told.
#[test]
#[cfg(target_os = "linux")]
fn errors_that_nobody_can_read_are_no_panic() {
    let folder = with_links("written-stderr");
    for (command, code) in [
        ("run --map none.map --from 0,0 --to 0,0", INPUT),
        ("run --map a.map --from 0,0 --to 3,2 --algorithm nobody", USAGE),
        ("run --map a.map --from 0,0 --to 3,2 --algorithm d-lrta --world unknown", 0),
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut process = folder.command(command.split_whitespace());
        let output = process.stdout(Stdio::null()).stderr(full).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{command}");
    }
}
