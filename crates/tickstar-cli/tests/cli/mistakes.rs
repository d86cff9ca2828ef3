//! Mistakes that users made when they tried the program: each is answered at once, in their terms.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::{ffi::OsStr, os::unix::fs::symlink, process::Command};

use crate::support::{Folder, INPUT, USAGE, cell, json_lines, map, read, refused};

const ROWS: [&str; 3] = ["....", ".@..", "...."];

/// A folder with a small map, `a.map`, in which (1, 1) is blocked, and a problem for it in `p.txt`.
fn with_map(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("a.map", map(&ROWS));
    folder.write("p.txt", "0 0 3 2\n");
    folder
}

const ENDS: &str = "--from 0,0 --to 3,2";

/// Each flag that names a file to be read, as a command to which the file is appended.
fn readers() -> Vec<String> {
    vec![
        format!("run {ENDS} --map "),
        format!("compare {ENDS} --map "),
        format!("draw {ENDS} --out x.svg --map "),
        "maps inspect ".into(),
        "abstraction inspect --map ".into(),
        "abstraction build --map ".into(),
        "run --map a.map --scen ".into(),
        "run --map a.map --problems ".into(),
        format!("run --map a.map {ENDS} --world script:"),
        format!("run --map a.map {ENDS} --algorithm d-lrta --tables "),
        "abstraction inspect --map a.map --tables ".into(),
    ]
}

#[test]
fn what_is_no_file_is_refused_and_not_read() {
    let folder = with_map("mistakes-no-file");
    assert!(Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap().success());
    fs::create_dir(folder.path("folder")).unwrap();
    // Nothing of it is on the disk.
    fs::File::create(folder.path("huge")).unwrap().set_len(1 << 40).unwrap();
    for reader in readers() {
        let device = ["/dev/zero: this is a device or a pipe, a file was expected"];
        refused(&folder, &format!("{reader}/dev/zero"), INPUT, &device);
        refused(&folder, &format!("{reader}pipe"), INPUT, &["pipe: this is a device or a pipe"]);
        refused(&folder, &format!("{reader}folder"), INPUT, &["folder: this is a directory"]);
        refused(&folder, &format!("{reader}none"), INPUT, &["none: there is no such file"]);
        let inside = ["a.map/none: there is no such file"];
        refused(&folder, &format!("{reader}a.map/none"), INPUT, &inside);
        let large = ["huge: the file has 1099511627776 bytes; the largest map has 42940"];
        refused(&folder, &format!("{reader}huge"), INPUT, &large);
    }
}

#[test]
fn no_file_that_is_read_is_overwritten() {
    let folder = with_map("mistakes-overwrite");
    folder.write("a.scen", "version 1\n0 a.map 4 3 0 0 3 2 3\n");
    folder.write("a.script", "end\n");
    symlink("a.map", folder.path("link.map")).unwrap();
    fs::hard_link(folder.path("a.map"), folder.path("hard.map")).unwrap();
    fs::create_dir(folder.path("sub")).unwrap();
    let before = folder.read("a.map");
    for (from, to) in [
        ("a.map", "a.map"),
        ("a.map", "./a.map"),
        ("./a.map", "sub/../a.map"),
        ("a.map", "link.map"),
        ("link.map", "a.map"),
        ("a.map", "hard.map"),
    ] {
        let named = format!("{to}: this would overwrite {from}, which is read: name another file");
        refused(&folder, &format!("maps convert {from} {to}"), USAGE, &[&named]);
    }
    let script = "--world script:a.script";
    for (command, named) in [
        (format!("run --map a.map {ENDS} --trace a.map"), "would overwrite a.map"),
        ("run --map a.map --scen a.scen --trace a.scen".into(), "would overwrite a.scen"),
        ("run --map a.map --problems p.txt --trace ./p.txt".into(), "would overwrite p.txt"),
        (format!("run --map a.map {ENDS} {script} --trace a.script"), "would overwrite a.script"),
        (format!("compare --map a.map {ENDS} --csv a.map"), "would overwrite a.map"),
        ("compare --map a.map --scen a.scen --csv a.scen".into(), "would overwrite a.scen"),
        ("abstraction build --map a.map --level 1 --tables a.map".into(), "would overwrite a.map"),
    ] {
        refused(&folder, &command, USAGE, &[named]);
    }
    assert_eq!(folder.read("a.map"), before);
    assert_eq!(folder.text("p.txt"), "0 0 3 2\n");
    assert!(folder.text("a.scen").starts_with("version 1\n"));
    assert_eq!(folder.text("a.script"), "end\n");
}

#[test]
fn what_was_not_reached_has_no_means() {
    let folder = Folder::new("mistakes-unreached");
    folder.write("wall.map", map(&["..@.", "..@.", "..@."]));
    let ends = "--map wall.map --from 0,0 --to 3,0 --algorithms tba,astar --budgets 10";
    let csv = folder.run(&format!("compare {ends} --csv")).good();
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 3);
    for row in &lines[1..] {
        assert_eq!((row[2], row[3]), ("1", "0"));
        for (name, value) in lines[0].iter().zip(row).skip(4) {
            let measured = name.starts_with("max_") || *name == "peak_bytes";
            assert_eq!(value.is_empty(), !measured, "{name}: `{value}`");
        }
    }
    let table = folder.run(&format!("compare {ends}")).good();
    assert!(table.contains("0/1") && !table.contains("0.000"), "{table}");
    // One of two: the mean is over the one that was reached.
    folder.write("two.txt", "0 0 3 0\n0 0 0 2\n");
    let two = "compare --map wall.map --problems two.txt --algorithms astar --budgets 10 --csv";
    let csv = folder.run(two).good();
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let value = |name| lines[1][lines[0].iter().position(|other| *other == name).unwrap()];
    assert_eq!((value("reached"), value("suboptimality"), value("cost")), ("1", "1", "2"));
    let text = folder.run("run --map wall.map --problems two.txt --take 1 --from 0,0 --to 3,0");
    assert_eq!(text.code, Some(USAGE));
    folder.write("none.txt", "0 0 3 0\n0 1 3 1\n");
    let text = folder.run("run --map wall.map --problems none.txt").good();
    assert!(text.ends_with("\n0 of 2 reached\n"), "{text}");
}

#[test]
fn numbers_out_of_range() {
    let folder = with_map("mistakes-numbers");
    let run = format!("run --map a.map {ENDS}");
    let compare = format!("compare --map a.map {ENDS}");
    let from_zero = "expected a whole number from 0 to 2^64 - 1";
    let from_one = "expected a whole number from 1 to 2^64 - 1";
    let large = "99999999999999999999999";
    for (command, value, flag, expected) in [
        (&run, "0", "--max-intervals", from_one),
        (&compare, "0", "--max-intervals", from_one),
        (&run, "-1", "--max-intervals", from_one),
        (&compare, "0", "--cutoff", from_one),
        (&compare, "-7", "--cutoff", from_one),
        (&run, "-3", "--seed", from_zero),
        (&compare, "-3", "--seed", from_zero),
        (&run, large, "--seed", from_zero),
        (&run, large, "--budget", from_one),
        (&run, "-5", "--budget", from_one),
        (&run, "1e3", "--budget", from_one),
        (&run, "", "--budget", from_one),
        (&run, "0", "--budget", from_one),
        (&run, large, "--take", from_one),
        (&run, "0", "--take", from_one),
        (&compare, large, "--budgets", from_one),
        (&compare, "10,-2", "--budgets", from_one),
        (&compare, "10,0", "--budgets", from_one),
        (&run, "fast", "--clock", "expected a number from 0.001 to 1000000"),
        (&run, "1e308", "--clock", "expected a number from 0.001 to 1000000"),
        (&run, "nan", "--speed", "expected a number from 0.001 to 1000000"),
        (&format!("draw --map a.map {ENDS}"), "0", "--problem", from_one),
        (&"maps generate rooms".to_string(), "-3", "--seed", from_zero),
        (&"abstraction build".to_string(), "0", "--rounds", "from 1 to 1000"),
        (&"abstraction build".to_string(), "8", "--sizes", "from 16 to 4096"),
        (&"abstraction draw".to_string(), "-1", "--level", "from 0 to 100"),
        (&"abstraction draw".to_string(), "0", "--cell-px", "from 1 to 64"),
    ] {
        let mut arguments: Vec<_> = command.split_whitespace().collect();
        arguments.extend([flag, value]);
        let ran = read(&folder.command(&arguments).output().unwrap(), flag);
        assert_eq!(ran.code, Some(USAGE), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(flag), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(expected), "{arguments:?}: {}", ran.err);
        assert!(!ran.err.contains("target type"), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn flags_that_would_be_ignored() {
    let folder = with_map("mistakes-ignored");
    folder.run("abstraction build --map a.map --level 1 --tables a.sub").good();
    let run = format!("run --map a.map {ENDS}");
    for (flags, named) in [
        ("--tables a.sub", "--tables is for d-lrta; no tables are used by tba"),
        ("--algorithm pra --tables a.sub", "no tables are used by pra"),
        (
            "--algorithm d-lrta --set level=1 --tables a.sub --world unknown",
            "--tables is for the world known",
        ),
        (
            "--algorithm wastar --weight 2 --set weight=3",
            "--weight 2 and --set weight=3 are the same parameter: give one of them",
        ),
        ("--set r=0.5 --set r=0.6", "`r` is set twice"),
        ("--set r=0.5,r=0.6", "`r` is set twice"),
    ] {
        refused(&folder, &format!("{run} {flags}"), USAGE, &[named]);
    }
    let compare = format!("compare --map a.map {ENDS} --algorithms astar,tba --tables a.sub");
    refused(&folder, &compare, USAGE, &["no tables are used by astar, tba"]);
    folder.run(&format!("{run} --algorithm d-lrta --set level=1 --tables a.sub")).good();
}

#[test]
fn d_lrta_says_when_it_has_no_tables() {
    let folder = with_map("mistakes-d-lrta");
    let run = format!("run --map a.map {ENDS} --algorithm d-lrta");
    let note = |flags: &str| {
        let ran = folder.run(&format!("{run} {flags}"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.out.contains("reached in"), "{}", ran.out);
        ran.err
    };
    assert_eq!(note("--set level=1"), "");
    assert_eq!(
        note("--set level=9"),
        "note: the map has levels 0 to 3, so there are no tables of level 9: d-lrta walks as LRTA* does\n"
    );
    for world in ["unknown", "partial:0"] {
        let expected = format!(
            "note: tables of subgoals are for the world known, not for {world}: d-lrta walks as LRTA* does\n"
        );
        assert_eq!(note(&format!("--world {world}")), expected);
    }
    // Said once, also for many budgets.
    let compare = format!("compare --map a.map {ENDS} --algorithms d-lrta --world unknown --csv");
    let ran = folder.run(&compare);
    assert_eq!((ran.code, ran.err.matches("note: ").count()), (Some(0), 1), "{}", ran.err);
}

#[test]
fn tables_of_a_level_that_is_not_there() {
    let folder = with_map("mistakes-level");
    let build = "abstraction build --map a.map --tables a.sub --level";
    let named = ["--level 99: the map has levels 0 to 3"];
    refused(&folder, &format!("{build} 99"), USAGE, &named);
    refused(&folder, &format!("{build} 4"), USAGE, &["--level 4: the map has levels 0 to 3"]);
    assert!(!folder.path("a.sub").exists());
    folder.run(&format!("{build} 2")).good();
    folder.write("text.sub", "hello\n");
    let inspect = "abstraction inspect --map a.map --tables text.sub";
    let named = [
        "text.sub: these are not tables of subgoals",
        "make them by `tickstar abstraction build --tables`",
    ];
    refused(&folder, inspect, INPUT, &named);
}

#[test]
fn file_names_that_are_not_text() {
    let folder = with_map("mistakes-bytes");
    let name = OsStr::from_bytes(b"b\xff.map");
    fs::write(folder.path("a.map").with_file_name(name), map(&ROWS)).unwrap();
    let run = |arguments: &[&OsStr]| read(&folder.command(arguments).output().unwrap(), "bytes");
    let words = |text: &'static str| text.split(' ').map(OsStr::new).collect::<Vec<_>>();
    let facts = run(&[words("maps inspect"), vec![name]].concat()).good();
    assert!(facts.starts_with("b\u{fffd}.map: 4 wide, 3 high\n"), "{facts}");
    let ends = words("--from 0,0 --to 3,2");
    run(&[words("run --map"), vec![name], ends.clone()].concat()).good();
    run(&[words("compare --budgets 10 --map"), vec![name], ends.clone()].concat()).good();
    run(&[words("maps convert"), vec![name], words("c.map")].concat()).good();
    let missing = run(&[words("maps inspect"), vec![OsStr::from_bytes(b"no\xfe.map")]].concat());
    assert_eq!(missing.code, Some(INPUT));
    assert_eq!(missing.err, "error: no\u{fffd}.map: there is no such file\n");
    for flag in ["--algorithm", "--world", "--from", "--set", "--budget"] {
        let ran = run(&[OsStr::new("run"), OsStr::new(flag), OsStr::from_bytes(b"x\xffy")]);
        assert_eq!(ran.code, Some(USAGE), "{flag}: {}", ran.err);
        assert!(ran.err.starts_with("error: `x\u{fffd}y`: this is not UTF-8"), "{}", ran.err);
    }
}

#[test]
fn names_of_algorithms_maps_worlds_and_kinds() {
    let folder = with_map("mistakes-names");
    for (arguments, named) in [
        (&["run", "--algorithm", ""][..], "the name of an algorithm is missing; there are: astar"),
        (&["run", "--algorithm", " "], "the name of an algorithm is missing"),
        (&["compare", "--algorithms", "tba,,astar"], "the name of an algorithm is missing"),
        (&["compare", "--algorithms", ""], "the name of an algorithm is missing"),
        (&["compare", "--algorithms", ":r=0.5"], "the name of an algorithm is missing"),
        (&["algorithms", ""], "the name of an algorithm is missing"),
        (&["algorithms", "TBA*"], "there is no algorithm `TBA*`; did you mean `tba`?"),
        (&["run", "--algorithm", "Dijkstra"], "did you mean `astar`?"),
        (&["draw", "--algorithm", "dstar"], "did you mean `dstar-lite`?"),
        (&["compare", "--algorithms", "tba,LRTA*"], "did you mean `lrta`?"),
        (&["compare", "--algorithms", "pra*(16)"], "did you mean `pra`?"),
        (&["compare", "--algorithms", "tba:Switch=true"], "did you mean `switch`?"),
        (&["run", "--set", "trace=fre"], "must be bounded or free; did you mean `free`?"),
        (&["run", "--map", "builtin:room-64"], "did you mean `rooms-64`?"),
        (&["run", "--map", "builtin:"], "expected one of two-corridors"),
        (&["run", "--world", "Unknown"], "`Unknown` is not a world: did you mean `unknown`?"),
        (&["run", "--world", "partiel:20"], "did you mean `partial[:PERCENT]`?"),
        (&["run", "--world", "fog"], "expected one of known, unknown, partial[:PERCENT]"),
        (&["maps", "generate", "cave"], "did you mean `caves`?"),
        (&["abstraction", "build", "--sizes", "64", "--kind", "room"], "did you mean `rooms`?"),
    ] {
        let ran = read(&folder.command(arguments).output().unwrap(), "names");
        assert_eq!(ran.code, Some(USAGE), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(named), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn a_scenario_file_is_checked_alone() {
    let folder = with_map("mistakes-check");
    folder.write("a.map.scen", "version 1\n0 a.map 4 3 0 0 0 2 2\n");
    folder.write("sub/b.map.scen", "nonsense");
    let text = folder.run("maps check a.map.scen").good();
    assert!(text.starts_with("1 scenario file: 1 length matched, 0 did not"), "{text}");
    let named = ["a.map: this is not a .scen file: name one, or a folder with such files"];
    refused(&folder, "maps check a.map", INPUT, &named);
    refused(&folder, "maps check none", INPUT, &["none: there is no such file or folder"]);
    refused(&folder, "maps check sub/b.map.scen", INPUT, &["b.map"]);
}

#[test]
fn one_is_not_many() {
    let folder = with_map("mistakes-plurals");
    folder.write("one.map", map(&["@@", "@."]));
    let text = folder.run("run --map a.map --from 0,0 --to 1,0").good();
    assert!(text.contains("reached in 1 tick, 1 move of length 1.00"), "{text}");
    let text = folder.run("maps inspect one.map").good();
    assert!(text.contains("1 free cell (25.0 %)\n1 connected part, the largest with 1 cell"));
    folder.run("abstraction inspect --map one.map").good();
    let two = "compare --map a.map --scen a --scen b";
    refused(&folder, two, USAGE, &["2 times --scen for 1 map:"]);
    let two = "compare --map a.map --algorithms d-lrta --tables a --tables b";
    refused(&folder, two, USAGE, &["2 times --tables for 1 map:"]);
}

#[test]
fn problems_count_from_one_everywhere() {
    let folder = with_map("mistakes-count");
    folder.write("two.txt", "0 0 3 2\n0 2 2 2\n");
    folder.run("run --map a.map --problems two.txt --trace t.jsonl").good();
    let lines = json_lines(&folder.text("t.jsonl"));
    let numbers: Vec<_> = lines.iter().map(|line| line["problem"].as_u64().unwrap()).collect();
    assert!(numbers.is_sorted() && numbers.first() == Some(&1) && numbers.last() == Some(&2));
    let last = |problem| lines.iter().rfind(|line| line["problem"] == problem).unwrap();
    assert_eq!((cell(&last(1)["position"]), cell(&last(2)["position"])), ((3, 2), (2, 2)));
    refused(&folder, "draw --map a.map --problems two.txt --problem 0", USAGE, &["--problem"]);
    folder.run("draw --map a.map --problems two.txt --problem 2 --out two.svg").good();
}
