//! What is refused, with its exit code and a message that names the cause.

use std::fs;

use crate::support::{Folder, INPUT, USAGE, map, refused};

const ROWS: [&str; 3] = ["....", ".@..", "...."];

/// A folder with a small map, `a.map`, in which (1, 1) is blocked.
fn with_map(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("a.map", map(&ROWS));
    folder
}

#[test]
fn ends_that_are_blocked_or_outside() {
    let folder = with_map("bad-ends");
    for (ends, named) in [
        ("--from 1,1 --to 0,0", "the start (1, 1) is blocked"),
        ("--from 0,0 --to 1,1", "the goal (1, 1) is blocked"),
        ("--from 4,0 --to 0,0", "the start (4, 0) is outside the map, which is 4 wide and 3 high"),
        ("--from 0,0 --to 0,3", "the goal (0, 3) is outside the map"),
        ("--from 0,0 --to 4294967295,4294967295", "the goal (4294967295, 4294967295) is outside"),
    ] {
        for command in ["run --json", "run", "compare", "compare --csv", "draw --out a.svg"] {
            refused(&folder, &format!("{command} --map a.map {ends}"), INPUT, &[named]);
        }
    }
    assert!(!folder.path("a.svg").exists());
}

#[test]
fn ends_in_a_file_are_named_with_their_problem() {
    let folder = with_map("bad-ends-in-file");
    folder.write("p.txt", "0 0 3 2\n0 2 1 1\n");
    folder.write("far.txt", "0 0 3 2\n0 2 0 9\n");
    folder.write("a.scen", "version 1\n0 a.map 4 3 0 0 1 0 1\n0 a.map 4 3 1 1 0 0 1\n");
    for command in ["run --json", "compare --csv", "draw --problem 2"] {
        let command = format!("{command} --map a.map");
        let blocked = ["p.txt: problem 2:", "the goal (1, 1) is blocked"];
        refused(&folder, &format!("{command} --problems p.txt"), INPUT, &blocked);
        let outside = ["far.txt: line 2:", "the goal (0, 9) is outside"];
        refused(&folder, &format!("{command} --problems far.txt"), INPUT, &outside);
        let blocked = ["a.scen: problem 2:", "the start (1, 1) is blocked"];
        refused(&folder, &format!("{command} --scen a.scen"), INPUT, &blocked);
    }
    let trace = "run --map a.map --problems p.txt --trace t.jsonl";
    refused(&folder, trace, INPUT, &["p.txt: problem 2:"]);
    assert!(!folder.path("t.jsonl").exists(), "nothing is written before all problems are checked");
}

#[test]
fn budgets() {
    let folder = with_map("bad-budgets");
    let run = "run --map a.map --from 0,0 --to 3,2";
    refused(&folder, &format!("{run} --budget 0"), USAGE, &["expected a whole number from 1"]);
    refused(
        &folder,
        &format!("{run} --budget 0 --algorithm astar"),
        USAGE,
        &["expected a whole number from 1"],
    );
    for text in ["-5", "1.5", "many", "99999999999999999999999"] {
        refused(&folder, &format!("{run} --budget={text}"), USAGE, &["--budget", text]);
    }
    for algorithm in ["astar", "late-astar", "tba", "tba --set trace=free"] {
        folder.run(&format!("{run} --budget 1 --algorithm {algorithm}")).good();
    }
    refused(&folder, "compare --budgets 10,0", USAGE, &["expected a whole number from 1"]);
    refused(&folder, "compare --budgets 10,x", USAGE, &["--budgets", "x"]);
}

#[test]
fn parameters() {
    let folder = with_map("bad-parameters");
    for (setting, named) in [
        ("--set r=1.5", "r=1.5: must be above 0 and below 1"),
        ("--set r=-1", "r=-1: must be above 0 and below 1"),
        ("--set r=NaN", "r: `NaN` is not a number"),
        ("--set r=inf", "r: `inf`"),
        ("--set r=", "r: "),
        ("--set c=0", "c=0: must be above 0"),
        ("--set c=-3", "c=-3: must be above 0"),
        ("--set c=NaN", "c: `NaN` is not a number"),
        ("--set r=0", "r=0: must be above 0 and below 1"),
        ("--set r=1", "r=1: must be above 0 and below 1"),
        ("--set switch=maybe", "switch=maybe: must be true or false"),
        ("--set speed=9", "`tba` has no parameter `speed`; it has: r, c, "),
        ("--set R=0.5", "no parameter `R`"),
        ("--set r", "expected key=value"),
        ("--set =1", "expected key=value"),
        ("--weight 2", "`tba` has no parameter `weight`"),
        ("--algorithm wastar --weight NaN", "weight: `NaN` is not a number"),
        ("--algorithm wastar --weight 0.5", "0.5"),
        ("--algorithm wastar --weight=-2", "weight"),
        ("--algorithm wastar --weight 1/0", "weight"),
        ("--algorithm astar --weight 2", "`astar` has no parameter `weight`"),
        ("--algorithm astar --set r=0.5", "`astar` has no parameter `r`"),
        ("--algorithm dijkstra", "there is no algorithm `dijkstra`; did you mean `astar`?"),
        ("--algorithm TBA", "there is no algorithm `TBA`; did you mean `tba`?"),
        ("--algorithm TBA*", "there is no algorithm `TBA*`; did you mean `tba`?"),
        ("--algorithm dstar", "there is no algorithm `dstar`; did you mean `dstar-lite`?"),
        ("--algorithm d*lite", "did you mean `dstar-lite`?"),
        ("--algorithm theta", "there is no algorithm `theta`; there are: astar, "),
        ("--set swich=true", "`tba` has no parameter `swich`; did you mean `switch`?"),
        ("--set switch=True", "switch=True: must be true or false; did you mean `true`?"),
    ] {
        for command in
            ["run --map a.map --from 0,0 --to 3,2", "draw --map a.map --from 0,0 --to 3,2"]
        {
            refused(&folder, &format!("{command} {setting}"), USAGE, &[named]);
        }
    }
    refused(&folder, "algorithms nothing", USAGE, &["`nothing`"]);
}

#[test]
fn weights_below_one_are_named() {
    let folder = with_map("bad-weight");
    let run = "run --map a.map --from 0,0 --to 3,2 --algorithm wastar --weight 0.5";
    refused(&folder, run, USAGE, &["weight", "0.5"]);
}

#[test]
fn specifications_to_compare() {
    let folder = Folder::new("bad-compare");
    for (specification, named) in [
        ("tba,nothing", "there is no algorithm `nothing`"),
        ("tba:switch", "`tba:switch`: expected key=value"),
        ("tba:speed=9", "`tba` has no parameter `speed`"),
        ("tba:r=2", "r=2: must be above 0 and below 1"),
        ("wastar:weight=0.5", "0.5"),
        ("tba:", "`tba:`: expected key=value"),
        ("tba,", "the name of an algorithm is missing"),
    ] {
        refused(&folder, &format!("compare --algorithms {specification}"), USAGE, &[named]);
    }
    refused(&folder, "compare --take 0", USAGE, &["--take"]);
    refused(
        &folder,
        "compare --csv no/such/folder.csv --take 1 --budgets 10",
        INPUT,
        &["folder.csv"],
    );
}

#[test]
fn sources() {
    let folder = with_map("bad-sources");
    fs::create_dir(folder.path("folder")).unwrap();
    let ends = "--from 0,0 --to 3,2";
    for command in ["run", "compare", "draw"] {
        let unknown = ["there is no map `builtin:moon`", "rooms-64"];
        refused(&folder, &format!("{command} --map builtin:moon"), USAGE, &unknown);
        let missing = ["nowhere.map", "no such file"];
        refused(&folder, &format!("{command} --map nowhere.map {ends}"), INPUT, &missing);
        let directory = ["folder: this is a directory"];
        refused(&folder, &format!("{command} --map folder {ends}"), INPUT, &directory);
        refused(&folder, &format!("{command} --map a.map"), USAGE, &["which problems?"]);
        let alone = ["--to"];
        refused(&folder, &format!("{command} --map a.map --from 0,0"), USAGE, &alone);
        refused(&folder, &format!("{command} --map a.map --to 0,0"), USAGE, &["--from"]);
        for place in ["x,y", "3", "1,2,3", "1;2", "1.5,2", "4294967296,0", ","] {
            let arguments = format!("{command} --map a.map --from {place} --to 0,0");
            refused(&folder, &arguments, USAGE, &["--from", place]);
        }
        let none = ["--take", "expected a whole number from 1"];
        refused(&folder, &format!("{command} --map a.map {ends} --take 0"), USAGE, &none);
        refused(&folder, &format!("{command} --map builtin:rooms-64 --take 0"), USAGE, &none);
        let both = ["--scen", "--from"];
        refused(&folder, &format!("{command} --map a.map --scen a {ends}"), USAGE, &both);
        refused(&folder, &format!("{command} --map a.map --scen no.scen"), INPUT, &["no.scen"]);
        refused(&folder, &format!("{command} --map a.map --problems no.txt"), INPUT, &["no.txt"]);
        refused(&folder, &format!("{command} --map a.map --problems ."), INPUT, &["directory"]);
    }
    refused(&folder, "fly", USAGE, &["fly"]);
    let trace = format!("run --map a.map {ends} --trace no/such/folder.jsonl");
    refused(&folder, &trace, INPUT, &["folder.jsonl", "cannot be written"]);
    refused(&folder, &format!("run --map a.map {ends} --trace folder"), INPUT, &["folder"]);
}

#[test]
fn maps() {
    let folder = Folder::new("bad-maps");
    let cases: [(&[u8], &[&str]); 21] = [
        (b"", &["empty"]),
        (b"\n \n", &["empty"]),
        (b"type hex\nheight 1\nwidth 1\nmap\n.\n", &["line 1", "type octile", "type hex"]),
        (b"type octile\nwidth 1\nheight 1\nmap\n.\n", &["line 2", "height N", "width 1"]),
        (b"type octile\nheight 1\nwidth x\nmap\n.\n", &["line 3", "width N", "width x"]),
        (b"type octile\nheight 1\nwidth -1\nmap\n.\n", &["line 3", "width -1"]),
        (b"type octile\nheight 1\nwidth 1\n.\n", &["line 4", "map"]),
        (b"type octile\nheight 2\nwidth 3\nmap\n...\n..\n", &["line 6", "2 cells", "3 wide"]),
        (b"type octile\nheight 2\nwidth 3\nmap\n....\n...\n", &["line 5", "4 cells", "3 wide"]),
        (b"type octile\nheight 1\nwidth 3\nmap\n.?.\n", &["line 5, column 2", "`?`"]),
        (b"type octile\nheight 1\nwidth 3\nmap\n.#.\n", &["line 5, column 2", "`#`"]),
        (b"type octile\nheight 0\nwidth 3\nmap\n", &["0"]),
        (b"type octile\nheight 3\nwidth 0\nmap\n\n\n\n", &["0"]),
        (b"type octile\nheight 70000\nwidth 3\nmap\n...\n", &["70000"]),
        (b"type octile\nheight 1\nwidth 70000\nmap\n...\n", &["70000"]),
        (b"type octile\nheight 60000\nwidth 60000\nmap\n...\n", &["60000", "cut short"]),
        (
            b"type octile\nheight 99999999999\nwidth 99999999999\nmap\n...\n",
            &["each side must be 1 to"],
        ),
        (b"type octile\nheight 3\nwidth 3\nmap\n...\n...\n", &["2 of 3 rows", "cut short"]),
        (b"type octile\nheight 1\nwidth 3\nmap\n...\n...\n", &["line 6", "more rows than the 1"]),
        (b"type octile\nheight 1\nwidth 3\nmap\n.\xff.\n", &["line 5, column 2", "\\xff"]),
        (b"\xff\xfe\x00\x01", &["line 1", "type octile"]),
    ];
    for (bytes, named) in cases {
        folder.write("bad.map", bytes);
        let named = [&["bad.map: "], named].concat();
        for command in
            ["run --from 0,0 --to 0,0 --map", "maps inspect", "compare --from 0,0 --to 0,0 --map"]
        {
            refused(&folder, &format!("{command} bad.map"), INPUT, &named);
        }
        refused(&folder, "maps convert bad.map out.txt", INPUT, &named);
        assert!(!folder.path("out.txt").exists());
    }
}

#[test]
fn a_map_that_ends_in_its_header_is_reported_as_such() {
    let folder = Folder::new("bad-header-end");
    for (text, line) in [("type octile", "line 2"), ("type octile\nheight 3\nwidth 3", "line 4")] {
        folder.write("bad.map", text);
        refused(
            &folder,
            "maps inspect bad.map",
            INPUT,
            &["bad.map: ", line, "the end of the file"],
        );
    }
}

#[test]
fn scenarios() {
    let folder = with_map("bad-scen");
    let cases: [(&[u8], &[&str]); 10] = [
        (b"", &["empty"]),
        (b"\n\n", &["empty"]),
        (b"version 1\n", &["no problem"]),
        (b"version 7\n0 a.map 4 3 0 0 1 0 1\n", &["line 1", "version 7"]),
        (b"0 a.map 4 3 0 0 1 0 1\n", &["line 1", "version 1"]),
        (b"version 1\n0 b.map 4 3 0 0 1 0 1\n", &["line 2", "another map", "a.map", "b.map"]),
        (b"version 1\n0 a.map 5 3 0 0 1 0 1\n", &["line 2", "5 by 3", "4 by 3"]),
        (b"version 1\n0 a.map 4 3 0 0 1\n0\n", &["line 2"]),
        (b"version 1\n0 a.map 4 3 0 0 9 0 1\n", &["line 2", "the goal (9, 0) is outside"]),
        (b"version 1\n\xff a.map 4 3 0 0 1 0 1\n", &["line 2", "not UTF-8"]),
    ];
    for (bytes, named) in cases {
        folder.write("bad.scen", bytes);
        let named = [&["bad.scen: "], named].concat();
        for command in ["run", "compare", "draw"] {
            refused(&folder, &format!("{command} --map a.map --scen bad.scen"), INPUT, &named);
        }
    }
}

#[test]
fn lists_of_problems() {
    let folder = with_map("bad-problems");
    let cases: [(&[u8], &[&str]); 6] = [
        (b"", &["empty"]),
        (b"# nothing\n", &["no problem"]),
        (b"0 0 3 2\n0 0 3\n", &["line 2", "found 3"]),
        (b"0 0 3 2 9\n", &["line 1", "found 5"]),
        (b"0 0 -3 2\n", &["line 1", "goal x", "-3"]),
        (b"0 0 3 \xe9\n", &["line 1", "not UTF-8"]),
    ];
    for (bytes, named) in cases {
        folder.write("bad.txt", bytes);
        let named = [&["bad.txt: "], named].concat();
        for command in ["run", "compare", "draw"] {
            refused(&folder, &format!("{command} --map a.map --problems bad.txt"), INPUT, &named);
        }
    }
}

#[test]
fn pictures() {
    let folder = with_map("bad-pictures");
    let draw = "draw --map a.map --from 0,0 --to 3,2";
    for name in ["picture.gif", "picture", "picture.PNG.txt", ".png"] {
        refused(&folder, &format!("{draw} --out {name}"), USAGE, &[name, ".png or .svg"]);
        assert!(!folder.path(name).exists());
    }
    let large = "draw --map builtin:caves-128 --cell-px 64 --out large.png";
    refused(&folder, large, USAGE, &["too large", "fewer pixels per cell"]);
    assert!(!folder.path("large.png").exists());
    for size in ["0", "65", "x"] {
        refused(&folder, &format!("{draw} --cell-px {size}"), USAGE, &["--cell-px", size]);
    }
    refused(&folder, &format!("{draw} --problem 0"), USAGE, &["--problem", "from 1"]);
    refused(&folder, &format!("{draw} --problem 2"), USAGE, &["--problem 2", "there is 1 problem"]);
    refused(
        &folder,
        &format!("{draw} --out no/such/a.svg"),
        INPUT,
        &["a.svg", "cannot be written"],
    );
}

#[test]
fn maps_to_make_and_to_read() {
    let folder = with_map("bad-maps-commands");
    refused(&folder, "maps generate lava", USAGE, &["`lava` is not a kind of map", "rooms"]);
    for size in ["0", "8", "5000", "64x5000"] {
        refused(&folder, &format!("maps generate rooms --size {size}"), USAGE, &["4096"]);
    }
    for size in ["x", "64x", "1x2x3", "-1", "99999999999"] {
        refused(&folder, &format!("maps generate rooms --size={size}"), USAGE, &["--size", size]);
    }
    let ending = ["a.gif", ".map, .txt, .png or .svg"];
    refused(&folder, "maps generate rooms --size 16 --out a.gif", USAGE, &ending);
    refused(&folder, "maps convert a.map a.gif", USAGE, &ending);
    refused(&folder, "maps convert a.map no/such/a.txt", INPUT, &["a.txt", "cannot be written"]);
    refused(&folder, "maps convert no.txt a.map", INPUT, &["no.txt"]);
    refused(&folder, "maps inspect no.map", INPUT, &["no.map", "no such file"]);
    refused(&folder, "maps inspect builtin:moon", USAGE, &["builtin:moon"]);
    for (text, named) in [("", "empty"), (".#\n.\n", "line 2"), ("..\n.?\n", "line 2, column 2")] {
        folder.write("bad.txt", text);
        refused(&folder, "maps inspect bad.txt", INPUT, &["bad.txt: ", named]);
    }
    refused(&folder, "maps check no-folder", INPUT, &["no-folder"]);
    refused(&folder, "maps check .", INPUT, &["no .scen file"]);
    folder.write("sets/b.map.scen", "version 1\n0 b.map 4 3 0 0 1 0 1\n");
    refused(
        &folder,
        "maps check sets",
        INPUT,
        &["b.map.scen: its map is missing: there is no b.map beside it"],
    );
    folder.write("sets/b.map", map(&ROWS));
    folder.write("sets/b.map.scen", "version 1\n0 c.map 4 3 0 0 1 0 1\n");
    refused(&folder, "maps check sets", INPUT, &["b.map.scen: line 2", "c.map"]);
}
