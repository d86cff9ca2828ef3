//! The output itself: the same bytes each time, and no panic when nobody reads them.

use std::io;
use std::process::Stdio;

use crate::support::{Folder, map, read};

#[test]
fn the_same_command_gives_the_same_bytes() {
    let folder = Folder::new("same-bytes");
    let commands: [(&str, &[&str]); 10] = [
        ("run --map builtin:caves-128 --budget 50 --take 20 --json --path", &[]),
        ("run --map builtin:rooms-64 --budget 20 --take 20 --set switch=true", &[]),
        ("run --map builtin:rooms-64 --budget 20 --take 3 --trace t.jsonl --json", &["t.jsonl"]),
        ("compare --map builtin:rooms-64 --map builtin:random-64 --take 5 --csv c.csv", &["c.csv"]),
        // Preparation times are in neither CSV nor JSON.
        ("compare --map builtin:rooms-64 --take 2 --algorithms tba,pra,d-lrta --csv", &[]),
        ("run --map builtin:rooms-64 --take 2 --algorithm d-lrta --json", &[]),
        ("draw --map builtin:rooms-64 --out a.svg", &["a.svg"]),
        ("draw --map builtin:rooms-64 --out a.png", &["a.png"]),
        ("abstraction inspect --at 20,10", &[]),
        ("abstraction draw --map builtin:rooms-64 --out a.png", &["a.png"]),
    ];
    for (command, files) in commands {
        let run = |threads| {
            let out = folder.run_with_threads(command, threads).good();
            (out, files.iter().map(|file| folder.read(file)).collect::<Vec<_>>())
        };
        let first = run(1);
        assert!(!first.0.is_empty());
        for threads in [1, 2, 2] {
            assert!(run(threads) == first, "{command} differs with {threads} threads");
        }
    }
}

/// Commands that write to standard output, each in its own way.
const SPEAKING: [&str; 18] = [
    "--help",
    "--version",
    "algorithms",
    "algorithms --json",
    "run --map builtin:rooms-64 --json --path",
    "run --map builtin:rooms-64",
    "compare --map builtin:rooms-64 --take 1",
    "compare --map builtin:rooms-64 --take 1 --csv",
    "draw --map builtin:rooms-64 --out a.svg",
    "abstraction build --map builtin:rooms-64 --repairs 10",
    "abstraction build --map builtin:rooms-64 --json",
    "abstraction inspect --map builtin:rooms-64",
    "abstraction inspect --map builtin:rooms-64 --json",
    "abstraction draw --map builtin:rooms-64 --out b.svg",
    "maps list",
    "maps generate islands --size 256",
    "maps inspect builtin:rooms-64",
    "maps check sets",
];

fn speaking(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("sets/a.map", map(&["...", "..."]));
    folder.write("sets/a.map.scen", "version 1\n0 a.map 3 2 0 0 2 0 2\n");
    folder
}

#[test]
fn a_closed_pipe_is_no_error() {
    let folder = speaking("closed-pipe");
    for arguments in SPEAKING {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let mut command = folder.command(arguments.split_whitespace());
        let output = command.stdout(writer).stderr(Stdio::piped()).output().unwrap();
        let ran = read(&output, arguments);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{arguments}");
    }
}

/// A device that is always full, as a disk may be.
#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_an_error() {
    let folder = speaking("full-disk");
    for arguments in SPEAKING.into_iter().filter(|arguments| !arguments.starts_with("--")) {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = folder.command(arguments.split_whitespace());
        let output = command.stdout(full).stderr(Stdio::piped()).output().unwrap();
        let ran = read(&output, arguments);
        assert_eq!(ran.code, Some(3), "{arguments}: {}", ran.err);
        assert!(ran.err.contains("cannot write the output"), "{arguments}: {}", ran.err);
    }
}
