//! Bad input of every kind, invented: each is refused with a message that names what is wrong, with the right exit
//! code, at once.

use std::fs;

use crate::support::{Folder, INPUT, USAGE, map};

/// The rows of the map `a.map`, in which (1, 1) is blocked.
const ROWS: [&str; 3] = ["....", ".@..", "...."];

/// A folder with files that are right, `a.map`, `one.map`, `a.scen`, `a.txt`, `p.txt` and `a.script`, some that are
/// not, and a folder, `d.map`.
fn with_files(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("a.map", map(&ROWS));
    folder.write("a.txt", ROWS.join("\n"));
    folder.write("a.scen", "version 1\n0 a.map 4 3 0 0 3 2 3.82842712\n");
    folder.write("p.txt", "0 0 3 2\n");
    folder.write("a.script", "1 2 2 blocked\nend\n");
    folder.write("one.map", map(&["."]));
    folder.write("cut.map", "type octile\n");
    folder.write("gap.map", "type octile\nheight 1\nwidth 1\nterrain . 1\n\nterrain s 2\nmap\n.\n");
    folder.write("large.scen", "version 1\n0 a.map 4294967296 3 0 0 3 2 3\n");
    fs::create_dir(folder.path("d.map")).unwrap();
    // Links that lead back, so that there is no end of folders.
    folder.write("circle/lost.map.scen", "version 1\n");
    #[cfg(unix)]
    for link in ["x", "y", "z"] {
        std::os::unix::fs::symlink(".", folder.path(&format!("circle/{link}"))).unwrap();
    }
    folder
}

/// Checks one mistake. The arguments are separated by blanks; `∅` is an empty one, and `␣` a blank.
fn check(folder: &Folder, arguments: &str, code: i32, named: &str) {
    let words: Vec<_> =
        arguments.split_whitespace().map(|word| word.replace('∅', "").replace('␣', " ")).collect();
    let ran = folder.run_guarded(&words, arguments);
    assert_eq!(ran.code, Some(code), "{arguments}: {}", ran.err);
    assert_eq!(ran.out, "", "{arguments}");
    let message = ran.err.lines().next().unwrap_or_default();
    let reason =
        message.strip_prefix("error: ").unwrap_or_else(|| panic!("{arguments}: {message}"));
    assert!(ran.err.contains(named), "{arguments}: `{named}` is not named: {}", ran.err);
    assert!(reason.len() > named.len() || reason == named, "{arguments}: {message}");
    for raw in ["target type", "invalid digit", "invalid float", "Err(", "Some(", "node ", "unwrap"]
    {
        assert!(!ran.err.contains(raw), "{arguments}: {}", ran.err);
    }
}

/// Files that are no maps, by name.
const MAPS: [(&str, &[u8], &str); 27] = [
    ("b.map", b"\x1f\x8b\x08\x00\x00\x00\x00\x00", "b.map: line 1: expected `type octile`"),
    ("b.map", b"\x89PNG\r\n\x1a\n", "b.map: line 1: expected `type octile`"),
    ("b.map", b"\xff\xfet\0y\0p\0e\0", "b.map: line 1: expected `type octile`"),
    ("b.map", b"\xef\xbb\xbf", "b.map: "),
    ("b.map", b"\0\0\0\0", "b.map: line 1"),
    ("b.map", b"version 1\n0 a.map 4 3 0 0 1 0 1\n", "b.map: line 1"),
    ("b.map", b"type octile\rheight 1\rwidth 1\rmap\r.\r", "b.map: line 1"),
    ("b.map", b"type octile\nheight\t1\nwidth 1\nmap\n.\n", "b.map: line 2: expected `height N`"),
    ("b.map", b"type octile\nheight +1\nwidth 1\nmap\n.\n", "b.map: line 2"),
    ("b.map", b"type octile\nheight 1.0\nwidth 1\nmap\n.\n", "b.map: line 2"),
    ("b.map", b"type octile\nHEIGHT 1\nwidth 1\nmap\n.\n", "b.map: line 2"),
    ("b.map", b"type octile\nheight -0\nwidth 1\nmap\n.\n", "b.map: line 2"),
    ("b.map", b"type octile\nheight 1\nheight 1\nmap\n.\n", "b.map: line 3: expected `width N`"),
    (
        "b.map",
        b"type octile\nheight 18446744073709551616\nwidth 1\nmap\n.\n",
        "each side must be 1 to",
    ),
    ("b.map", b"type octile\nheight 65528\nwidth 65528\nmap\n.\n", "b.map: the map ends after"),
    ("b.map", b"type octile\nheight 1\nwidth 1\nMAP\n.\n", "b.map: line 4: expected `map`"),
    (
        "b.map",
        b"type octile\nheight 2\nwidth 2\nmap\n..\n\n..\n",
        "b.map: the map ends after 1 of 2 rows",
    ),
    ("b.map", b"type octile\nheight 1\nwidth 3\nmap\n. .\n", "b.map: line 5, column 2"),
    ("b.map", b"type octile\nheight 1\nwidth 3\nmap\n.\0.\n", "b.map: line 5, column 2"),
    ("b.map", "type octile\nheight 1\nwidth 3\nmap\n.🦀.\n".as_bytes(), "b.map: line 5, column 2"),
    (
        "b.map",
        b"type octile\nheight 1\nwidth 2\nmap\n..\n..\n..\n",
        "b.map: line 6: more rows than the 1",
    ),
    ("b.txt", b"   \n", "b.txt: line 1, column 1"),
    ("b.txt", b"..\n\n..\n", "b.txt: "),
    ("b.txt", b"..\n.\t\n", "b.txt: line 2, column 2"),
    ("b.txt", b"...\n..\n", "b.txt: line 2: the row has 2 cells, the map is 3 wide"),
    ("b.TXT", b".x\n", "b.TXT: line 1, column 2"),
    ("b", b"..\n..\n", "b: line 1: expected `type octile`"),
];

#[test]
fn maps() {
    let folder = with_files("invented-maps");
    for (nth, (name, bytes, named)) in MAPS.into_iter().enumerate() {
        folder.write(name, bytes);
        let commands = [
            "maps inspect @",
            "run --from 0,0 --to 0,0 --map @",
            "abstraction inspect --map @",
            "maps convert @ out.svg",
        ];
        check(&folder, &commands[nth % commands.len()].replace('@', name), INPUT, named);
    }
    assert!(!folder.path("out.svg").exists());
    // Wider than any map.
    folder.write("b.txt", ".".repeat(70_000));
    check(&folder, "maps inspect b.txt", INPUT, "b.txt: cannot create a map of 70000 by 1 cells");
}

const SCENARIOS: [(&[u8], &str); 14] = [
    (b"version 1\n0 a.map 4 3 0 0 3 2 3.8\n1 a.m", "line 3: expected 9 columns"),
    (b"version 1\n0 a.map 4 3 0 0 3 2", "line 2: expected 9 columns"),
    (b"version 1 2\n0 a.map 4 3 0 0 3 2 3\n", "line 1: expected `version 1`, found `version 1 2`"),
    (b"version\n", "line 1: expected `version 1`"),
    (b"Version 1\n", "line 1"),
    (b"version 1\n0 a.map 4 3 0 0 3 2 nan\n", "line 2: length: expected a finite number"),
    (b"version 1\n0 a.map 4 3 0 0 3 2 inf\n", "line 2: length"),
    (b"version 1\n0 a.map 4 3 0 0 1e0 2 3\n", "line 2: goal x: expected a whole number"),
    (b"version 1\n0 a.map 4 3 4294967296 0 0 0 3\n", "line 2: start x"),
    ("version 1\n0 a.map 4 3 0 0 ٣ 2 3\n".as_bytes(), "line 2: goal x"),
    (b"version 1\n0 b.map 4 3 0 0 3 2 3\n", "line 2: the scenario is for another map"),
    (b"version 1\n0 a.map 400 3 0 0 3 2 3\n", "line 2: the scenario is for a map of 400 by 3"),
    (b"\x1f\x8b\x08\x00\x00", "line 1"),
    (b"version 1\n0 a.map 4 3 1 1 3 2 3\n", "problem 1: the start (1, 1) is blocked"),
];

const LISTS: [(&[u8], &str); 8] = [
    (b"0,0,3,2\n", "line 1: expected 4 numbers"),
    (b"0 0 3.0 2\n", "line 1: goal x"),
    (b"0 0 3 2\n0 0 3 3\n", "line 2: the goal (3, 3) is outside"),
    (b"1 1 1 1\n", "problem 1: the start (1, 1) is blocked"),
    (b"# one\n0 0 3 2 # here\n", "line 2: expected 4 numbers"),
    (b"0 0 3 -2\n", "line 1: goal y"),
    (b"0 0 3 99999999999\n", "line 1: goal y"),
    (b"\xef\xbb\xbf\r\n", "the file is empty"),
];

const SCRIPTS: [(&[u8], &str); 14] = [
    (b"", "the file is empty"),
    (b"1 2 2 blocked\n", "line 1: the script has no `end` line"),
    (b"end\n1 2 2 free\n", "line 2: expected nothing after `end`"),
    (b"0 2 2 free\nend\n", "line 1: tick 0: ticks count from 1"),
    (b"5 2 2 blocked\n4 2 2 free\nend\n", "line 2: out of order: tick 4 after 5"),
    (b"1 2 2 open\nend\n", "line 1: expected `blocked` or `free`, found `open`"),
    (b"1 9 9 free\nend\n", "line 1: the cell (9, 9) is outside the map"),
    (b"1 3 2 blocked\nend\n", "line 1: this blocks the goal (3, 2)"),
    (b"1 2 2\nend\n", "line 1: expected 4 fields"),
    (b"-1 2 2 free\nend\n", "line 1: tick: expected a whole number"),
    (b"1 2 2 blocked\nEND\n", "line 2: expected 4 fields"),
    (b"1 2 2 blocked\nend", "`lrta` cannot be run"),
    (b"99999999999999999999 2 2 free\nend\n", "line 1: tick: `99999999999999999999` is too large"),
    (b"\x80\x81\n", "line 1: expected text, found bytes that are not UTF-8"),
];

#[test]
fn scenarios_lists_and_scripts() {
    let folder = with_files("invented-files");
    for (bytes, named) in SCENARIOS {
        folder.write("b.scen", bytes);
        check(&folder, "run --map a.map --scen b.scen", INPUT, &format!("b.scen: {named}"));
    }
    for (bytes, named) in LISTS {
        folder.write("b.txt", bytes);
        check(&folder, "compare --map a.map --problems b.txt", INPUT, &format!("b.txt: {named}"));
    }
    let run = "run --map a.map --from 0,0 --to 3,2 --world script:b.script";
    for (bytes, named) in SCRIPTS {
        folder.write("b.script", bytes);
        if named.starts_with('`') {
            // Right, but it opens a cell.
            folder.write("b.script", "1 1 1 free\nend\n");
            check(&folder, &format!("{run} --algorithm lrta"), USAGE, named);
            continue;
        }
        check(&folder, run, INPUT, &format!("b.script: {named}"));
    }
}

/// Where a command needs a map and ends, `@` stands for them.
const ENDS: &str = "--map a.map --from 0,0 --to 3,2";

const FLAGS: [(&str, &str); 126] = [
    ("fly", "fly"),
    ("ｒｕｎ", "ｒｕｎ"),
    ("Run", "Run"),
    ("run a.map", "a.map"),
    ("run --mapp a.map", "--mapp"),
    ("run @ --json --json", "--json"),
    ("run @ --map a.map", "--map"),
    ("run @ --budget 5 --budget 6", "--budget"),
    ("run @ --algorithm tba --algorithm tba", "--algorithm"),
    ("run @ --budget", "--budget"),
    ("run @ --budget 0", "--budget"),
    ("run @ --budget ∅", "--budget"),
    ("run @ --budget ５", "--budget"),
    ("run @ --budget 1_000", "--budget"),
    ("run @ --budget 18446744073709551616", "--budget"),
    ("run @ --take -1", "--take"),
    ("run @ --take 0", "--take"),
    ("run --map builtin:rooms-64 --take 1000001", "--take: at most 1000000 random problems"),
    ("run @ --seed ∅", "--seed"),
    ("run @ --seed 1.5", "--seed"),
    ("run @ --scen a.scen", "--scen"),
    ("run --map a.map --scen a.scen --problems p.txt", "--problems"),
    ("run --map a.map --scen a.scen --scen a.scen", "2 times --scen for 1 map"),
    ("run --map a.map", "which problems?"),
    ("run --map ∅ --from 0,0 --to 0,0", "--map"),
    ("run --map a.map --from 0,0", "--to"),
    ("run --map a.map --from ∅ --to 0,0", "--from"),
    ("run --map a.map --from 1,2, --to 0,0", "--from"),
    ("run --map a.map --from １,２ --to 0,0", "--from"),
    ("run --map a.map --from -1,0 --to 0,0", "--from"),
    ("run --map a.map --from 1,4294967296 --to 0,0", "--from"),
    ("run --map a.map --from NaN,0 --to 0,0", "--from"),
    ("run --map builtin:Rooms-64", "did you mean `rooms-64`?"),
    ("run --map builtin:../a.map", "there is no map `builtin:../a.map`"),
    ("run @ --world ∅", "is not a world"),
    ("run @ --world known:5", "the world `known` takes nothing after its name"),
    ("run @ --world partial:101", "must be 0 to 100 percent"),
    ("run @ --world partial:-1", "must be 0 to 100 percent"),
    ("run @ --world partial:NaN", "`NaN` is not a number"),
    ("run @ --world partial:0.00000000001", "too many digits"),
    ("run @ --world dynamic", "a rate of change in percent is needed"),
    ("run @ --world dynamic:", "a rate of change in percent is needed"),
    ("run @ --world dynamic:1/2", "`1/2` is not a number"),
    ("run @ --world script", "a file is needed"),
    ("run --world dynamic:5 --algorithm lrta", "`lrta` cannot be run in the world dynamic:5"),
    ("run @ --world dynamic:5 --repeat", "--repeat needs a map that does not change"),
    ("run @ --clock 0", "expected a number from 0.001"),
    ("run @ --clock -1 --algorithm astar", "expected a number from 0.001"),
    ("run @ --clock NaN --algorithm astar", "expected a number from 0.001"),
    ("run @ --clock inf --algorithm astar", "expected a number from 0.001"),
    ("run @ --clock 1", "frames cannot be counted for `tba`"),
    ("run @ --clock 1 --algorithm astar --world unknown", "frames cannot be counted in the world"),
    ("run @ --clock 1 --algorithm astar --repeat", "--repeat"),
    ("run @ --clock 1 --algorithm astar --speed 0", "expected a number from 0.001"),
    ("run @ --clock 1 --algorithm astar --rate x", "--rate"),
    ("run @ --frame 50", "--clock"),
    ("run @ --weight 2", "`tba` has no parameter `weight`"),
    ("run @ --algorithm wastar --weight ∅", "weight"),
    ("run @ --algorithm wastar --weight NaN", "weight: `NaN` is not a number"),
    ("run @ --algorithm wastar --weight 1e400", "weight"),
    ("run @ --algorithm wastar --weight 0x2", "weight"),
    ("run @ --algorithm wastar --weight 0.999999", "below one"),
    ("run @ --algorithm wastar --weight -0", "weight"),
    ("run @ --algorithm wastar --weight 1.00000001", "weight"),
    ("run @ --algorithm wastar --set weight=2 --weight 2", "are the same parameter"),
    ("run @ --set ∅", "expected key=value"),
    ("run @ --set ==", "expected key=value"),
    ("run @ --set r=0.5,", "expected key=value"),
    ("run @ --set r=0.5,r=0.5", "`r` is set twice"),
    ("run @ --set ␣=1", "expected key=value"),
    ("run @ --set 🦀=1", "`tba` has no parameter `🦀`"),
    ("run @ --algorithm pra --set k=0", "k=0: must be"),
    ("run @ --algorithm lrta --set depth=1000001", "depth=1000001: must be"),
    ("run @ --algorithm p-lrta --set queue=-1", "queue=-1: must be"),
    ("run @ --tables x.sub", "--tables is for d-lrta"),
    ("run @ --corners never,allowed", "--corners"),
    ("run @ --neighbors 6", "--neighbors"),
    ("run @ --max-intervals 0", "--max-intervals"),
    ("run @ --trace ∅", "--trace"),
    ("compare @ --algorithms tba:budget=0", "budget `0`: expected a whole number from 1"),
    ("compare @ --algorithms tba:budget=", "budget"),
    ("compare @ --algorithms tba:budget=-1", "budget"),
    ("compare @ --algorithms tba:r=0.5+2", "r=2: must be above 0 and below 1"),
    ("compare @ --algorithms tba:r=0.5:r=0.6", "`r` is given twice"),
    ("compare @ --algorithms tba::", "expected key=value"),
    ("compare @ --algorithms tba;astar", "there is no algorithm `tba;astar`"),
    ("compare @ --by-length 0", "--by-length"),
    ("compare @ --by-length 16 --cutoff 5", "--cutoff"),
    ("compare @ --cutoff 0", "--cutoff"),
    ("compare @ --columns first_mvoe_interval", "did you mean `first_move_interval`?"),
    ("compare @ --algorithms d-lrta:level=1+2", "d-lrta with several levels"),
    ("draw @ --out a.jpg", "a.jpg: the picture's name must end in .png or .svg"),
    ("draw @ --out png", "png: the picture's name must end in .png or .svg"),
    ("draw @ --problem 2", "--problem 2"),
    ("draw @ --cell-px 1.5", "--cell-px"),
    ("abstraction build --sizes 15", "--sizes"),
    ("abstraction build --sizes 64 --map a.map", "--map"),
    ("abstraction build --map a.map --level 2", "--tables"),
    ("abstraction build --map a.map --tables t --level 0", "--level"),
    ("abstraction draw --map a.map --level 9", "--level 9: the map has levels 0 to 3"),
    ("maps generate rooms --size 16x", "--size"),
    ("maps generate rooms --size 0x0", "each side must be 16 to 4096"),
    ("maps inspect builtin:builtin:rooms-64", "there is no map `builtin:builtin:rooms-64`"),
    ("maps inspect ∅", "<MAP>"),
    ("abstraction build --map ∅", "--map"),
    ("run @ --algorithm tba,astar", "`tba,astar`: a list is for `tickstar compare`"),
    ("run @ --algorithm tba:r=0.5+0.6", "`tba:r=0.5+0.6`: several values are for"),
    ("run @ --algorithm tba:r=0.5 --set r=0.6", "`r` is given twice"),
    ("run @ --algorithm tba:r", "`tba:r`: expected key=value"),
    ("run @ --algorithm quickpath:k=1", "`quickpath` has no parameter `k`; it has none"),
    ("run @ --clock 1e308 --algorithm astar", "'1e308' for '--clock <MS>': expected a number from"),
    ("run @ --clock 1 --frame 1e-320 --algorithm astar", "--frame <MS>"),
    ("run @ --world dynamic:", "'--world <WORLD>': a rate of change in percent is needed"),
    ("run @ --world script:", "'--world <WORLD>': a file is needed, as in script:FILE"),
    ("run @ --world dynamic:1,5", "'--world <WORLD>': `1,5` is not a number"),
    (
        "run @ --world partial:99999999999999999999999",
        "the share of blocked cells must be 0 to 100",
    ),
    ("compare @ --budgets none", "expected a whole number from 1"),
    ("compare @ --budgets 10;20", "'10;20' for '--budgets <N,…>'"),
    ("compare @ --columns all,moves", "`all` stands alone"),
    ("compare @ --columns moves,", "the name of a column is missing"),
    ("compare @ --columns reached", "`reached` is always there"),
    ("compare @ --picture .png", ".png: the picture's name must end in .png or .svg"),
    ("draw @ --algorithm d-lrta:level=1 --algorithm d-lrta:level=2", "d-lrta with several levels"),
    ("draw @ --algorithm tba,astar", "`tba,astar`: a list is for `tickstar compare`"),
    ("draw @ --problem 2", "--problem 2: there is 1 problem"),
    ("abstraction draw --map one.map --level 1", "--level 1: the map has no level but 0"),
];

#[test]
fn flags() {
    let folder = with_files("invented-flags");
    for (arguments, named) in FLAGS {
        check(&folder, &arguments.replace('@', ENDS), USAGE, named);
    }
}

/// Inputs that are missing or wrong, and outputs that cannot be written.
const FILES: [(&str, &str); 35] = [
    ("run --map a.map --from 1,1 --to 0,0", "the start (1, 1) is blocked"),
    ("run --map a.map --from 0,0 --to 4,0", "the goal (4, 0) is outside the map, which is 4 wide"),
    ("run --map d.map --from 0,0 --to 0,0", "d.map: this is a directory"),
    ("run --map a.map/ --from 0,0 --to 0,0", "a.map/: there is no such file"),
    ("run --map a.scen --from 0,0 --to 0,0", "a.scen: line 1: expected `type octile`"),
    ("run --map a.map --scen a.map", "a.map: line 1: expected `version 1`"),
    ("run --map a.map --scen p.txt", "p.txt: line 1: expected `version 1`"),
    ("run --map a.map --problems a.scen", "a.scen: line 1: expected 4 numbers"),
    ("run --map a.txt --scen a.scen", "a.scen: line 2: the scenario is for another map"),
    ("run @ --world script:none", "none: there is no such file"),
    ("run @ --world script:d.map", "d.map: this is a directory"),
    ("run @ --algorithm d-lrta --tables a.map", "a.map: these are not tables of subgoals"),
    ("run @ --trace d.map", "d.map: cannot be written"),
    ("run @ --trace none/t.jsonl", "none/t.jsonl: cannot be written"),
    ("compare @ --csv none/a.csv", "none/a.csv: cannot be written"),
    ("compare @ --csv d.map", "d.map: cannot be written"),
    ("draw @ --out none/a.png", "none/a.png: cannot be written"),
    ("draw @ --out d.map/none/a.svg", "d.map/none/a.svg: cannot be written"),
    ("abstraction inspect --map a.map --at 1,1", "the cell (1, 1) is blocked"),
    ("abstraction inspect --map a.map --at 9,9", "the cell (9, 9) is outside the map"),
    ("abstraction inspect --map a.map --from 0,0 --to 1,1", "the goal (1, 1) is blocked"),
    ("abstraction inspect --map a.map --tables p.txt", "p.txt: these are not tables"),
    ("abstraction build --map a.map --level 1 --tables none/t", "none/t: cannot be written"),
    ("abstraction draw --map a.map --out none/a.svg", "none/a.svg: cannot be written"),
    ("maps convert a.map d.map", "d.map: cannot be written"),
    ("maps generate rooms --size 16 --out none/a.map", "none/a.map: cannot be written"),
    ("maps check d.map", "d.map: there is no .scen file below it"),
    ("maps check a.scen", "a.scen: its map is missing: there is no a beside it"),
    (
        "maps check circle",
        "circle/lost.map.scen: its map is missing: there is no lost.map beside it",
    ),
    (
        "compare --map a.map --map one.map --from 0,0 --to 3,2",
        "one.map: the goal (3, 2) is outside",
    ),
    (
        "compare --map a.map --map one.map --problems p.txt",
        "one.map: p.txt: line 1: the goal (3, 2)",
    ),
    (
        "compare --map one.map --map a.map --from 0,0 --to 0,0 --world script:a.script",
        "one.map: a.script: line 1: the cell (2, 2)",
    ),
    ("maps inspect cut.map", "cut.map: line 2: expected `height N`, found the end of the file"),
    ("maps inspect gap.map", "gap.map: line 5: expected `map`, found an empty line"),
    ("run --map a.map --scen large.scen", "large.scen: line 2: width: `4294967296` is too large"),
];

#[test]
fn files() {
    let folder = with_files("invented-outputs");
    for (arguments, named) in FILES {
        check(&folder, &arguments.replace('@', ENDS), INPUT, named);
    }
}

/// A disk that is full, and a file that not even the administrator may write.
#[test]
#[cfg(target_os = "linux")]
fn disks_that_are_full() {
    let folder = with_files("invented-full");
    for (arguments, named) in [
        ("run @ --trace /dev/full", "/dev/full: cannot be written"),
        ("compare @ --csv /dev/full", "/dev/full: cannot be written"),
        ("compare @ --csv /proc/version", "/proc/version: cannot be written"),
        ("run @ --trace /proc/version", "/proc/version: cannot be written"),
        (
            "abstraction build --map a.map --level 1 --tables /dev/full",
            "/dev/full: cannot be written",
        ),
        ("run --map /proc/self/mem --from 0,0 --to 0,0", "/proc/self/mem: the file cannot be read"),
        ("run --map /dev/null --from 0,0 --to 0,0", "/dev/null: this is a device or a pipe"),
    ] {
        check(&folder, &arguments.replace('@', ENDS), INPUT, named);
    }
}

/// Tables of subgoals that are cut short, damaged, or of another map.
#[test]
fn tables() {
    let folder = with_files("invented-tables");
    folder.run("abstraction build --map a.map --level 1 --tables good.sub").good();
    folder.write("b.map", map(&["....", "....", "...."]));
    let good = folder.read("good.sub");
    let check_bytes = |bytes: &[u8], map: &str, named: &str| {
        folder.write("bad.sub", bytes);
        let run = format!("run --map {map} --from 0,0 --to 3,2 --algorithm d-lrta --set level=1");
        check(&folder, &format!("{run} --tables bad.sub"), INPUT, &format!("bad.sub: {named}"));
    };
    check_bytes(b"", "a.map", "these are not tables of subgoals");
    check_bytes(&good[..good.len() - 1], "a.map", "subgoals cut short");
    check_bytes(&good[..20], "a.map", "subgoals cut short");
    check_bytes(&good[..8], "a.map", "subgoals cut short");
    check_bytes(&[&good[..], b"more"].concat(), "a.map", "");
    check_bytes(&good, "b.map", "subgoals of another map");
    for at in 0..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 0x20;
        if at % 7 == 0 {
            check_bytes(&bytes, "a.map", "");
        }
    }
    let level = "run @ --algorithm d-lrta --set level=2 --tables good.sub";
    let named = "good.sub: subgoals of level 1, but level=2 was requested";
    check(&folder, &level.replace('@', ENDS), USAGE, named);
}
