//! `tickstar maps`: generate, convert, inspect and check.

use serde_json::json;

use crate::support::{Folder, INPUT, MOVEMENTS, TestMap, USAGE, map, refused};

#[test]
fn the_list_names_what_can_be_used() {
    let folder = Folder::new("maps-list");
    let text = folder.run("maps list").good();
    let builtins: Vec<_> =
        text.split_whitespace().filter(|word| word.starts_with("builtin:")).collect();
    assert!(builtins.contains(&"builtin:rooms-64") && builtins.contains(&"builtin:two-corridors"));
    for name in builtins.into_iter().filter(|name| !name.ends_with("2048")) {
        folder.run(&format!("maps inspect {name}")).good();
    }
    for kind in ["rooms", "maze", "random", "caves", "islands", "hills"] {
        assert!(text.lines().any(|line| line.trim().starts_with(&format!("{kind} "))), "{text}");
    }
}

#[test]
fn the_same_seed_gives_the_same_map() {
    let folder = Folder::new("maps-generate");
    for kind in ["rooms", "maze", "random", "caves", "islands"] {
        let generate = format!("maps generate {kind} --size 100x80");
        let text = folder.run(&format!("{generate} --seed 5")).good();
        assert!(text.starts_with("type octile\nheight 80\nwidth 100\nmap\n"), "{kind}");
        assert_eq!(folder.run(&format!("{generate} --seed 5")).good(), text, "{kind}");
        assert_ne!(folder.run(&format!("{generate} --seed 6")).good(), text, "{kind}");
        folder.run(&format!("{generate} --seed 5 --out a.map")).good();
        assert_eq!(folder.text("a.map"), text, "{kind}");
    }
}

#[test]
fn a_map_comes_back_from_rows() {
    let folder = Folder::new("maps-convert");
    let text = map(&["..@@.", "@....", ".@.@."]);
    folder.write("a.map", &text);
    folder.run("maps convert a.map a.txt").good();
    assert_eq!(folder.text("a.txt"), "..##.\n#....\n.#.#.\n");
    folder.run("maps convert a.txt b.map").good();
    assert_eq!(folder.text("b.map"), text);
    folder.run("maps convert builtin:caves-128 caves.map").good();
    folder.run("maps convert caves.map caves.txt").good();
    folder.run("maps convert caves.txt again.map").good();
    assert_eq!(folder.read("again.map"), folder.read("caves.map"));
    // Other letters of the benchmark, and other line endings.
    folder.write("c.map", "type octile\r\nheight 1\r\nwidth 7\r\nmap\r\n.GS@OTW\r\n");
    folder.run("maps convert c.map c.txt").good();
    assert_eq!(folder.text("c.txt"), ".GS#OTW\n", "letters are kept");
    let unix = "type octile\nheight 1\nwidth 7\nmap\n.GS@OTW\n";
    for source in ["c.map", "c.txt"] {
        folder.run(&format!("maps convert {source} d.map")).good();
        assert_eq!(folder.text("d.map"), unix);
    }
    folder.write("mark.txt", "\u{feff}.#\r\n..\r\n\r\n");
    folder.run("maps convert mark.txt mark.map").good();
    assert_eq!(folder.text("mark.map"), map(&[".@", ".."]));
    // Terrain stays terrain.
    let hills = "type octile\nheight 1\nwidth 4\nterrain . 1\nterrain x 2.5\nmap\n.x@T\n";
    folder.write("hills.map", hills);
    folder.run("maps convert hills.map e.map").good();
    assert_eq!(folder.text("e.map"), hills);
    let ran = folder.run("maps convert hills.map e.txt");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("e.txt: rows of # and . cannot hold the terrain"), "{}", ran.err);
    folder.run("maps convert c.map c.svg").good();
    assert!(folder.text("c.svg").starts_with("<svg"));
    folder.run("maps convert c.map c.png").good();
    assert!(folder.read("c.png").starts_with(b"\x89PNG"));
}

#[test]
fn facts_about_a_small_map() {
    let folder = Folder::new("maps-inspect");
    folder.write("a.map", map(&["..@.", ".@..", "@@@@", "G..S"]));
    let facts = |flags: &str| {
        let mut facts = folder.run(&format!("maps inspect a.map --json {flags}")).json().remove(0);
        assert!(facts.as_object_mut().unwrap().remove("bytes").unwrap().as_u64().unwrap() > 0);
        facts
    };
    let expected = |components: u32, largest: u32| {
        json!({
            "map": "a.map", "width": 4, "height": 4, "free": 10,
            "components": components, "largest_component": largest, "terrain": []
        })
    };
    assert_eq!(facts(""), expected(3, 4));
    assert_eq!(facts("--neighbors 4"), expected(3, 4));
    folder.write("a.map", map(&["..@.", ".@@.", "@.@@", "@.S."]));
    assert_eq!(
        facts(""),
        json!({
            "map": "a.map", "width": 4, "height": 4, "free": 9, "components": 3, "largest_component": 4,
            "terrain": []
        })
    );
    assert_eq!(facts("--corners allowed")["components"], 2);
    folder.write("a.map", map(&["@@", "@@"]));
    assert_eq!(
        facts(""),
        json!({
            "map": "a.map", "width": 2, "height": 2, "free": 0, "components": 0, "largest_component": 0,
            "terrain": []
        })
    );
    let text = folder.run("maps inspect builtin:rooms-64").good();
    assert!(text.starts_with("builtin:rooms-64: 64 wide, 64 high\n"), "{text}");
}

#[test]
fn problems_are_drawn() {
    let folder = Folder::new("maps-problems");
    let grid = map(&["......", "@@@@@.", "......", "......"]);
    folder.write("a.map", &grid);
    let walls = TestMap::new(&grid, MOVEMENTS[0]);
    let draw = "maps problems a.map --count 40 --seed 3";
    let problems = |text: &str| -> Vec<[i64; 4]> {
        let line = |line: &str| line.split(' ').map(|field| field.parse().unwrap()).collect();
        text.lines().map(|text| Vec::try_into(line(text)).unwrap()).collect()
    };
    let text = folder.run(draw).good();
    assert_eq!(problems(&text).len(), 40);
    assert_eq!(folder.run(draw).good(), text);
    assert_ne!(folder.run("maps problems a.map --count 40 --seed 4").good(), text);
    folder.run(&format!("{draw} --length 3..7 --out a.txt")).good();
    for [sx, sy, gx, gy] in problems(&folder.text("a.txt")) {
        let length = walls.shortest((sx, sy), (gx, gy)).unwrap();
        assert!((3.0..=7.0).contains(&length), "{sx} {sy} {gx} {gy}: {length}");
    }
    folder.run("run --map a.map --problems a.txt").good();
    // From a scenario file: one too short, one that cannot be solved, and three others.
    let rows = ["0 0 1 0 1", "0 0 0 1 0", "0 0 4 0 4", "5 0 0 3 9", "0 0 0 3 13"];
    let rows = rows.map(|row| format!("0 a.map 6 4 {row}\n")).concat();
    folder.write("a.map.scen", format!("version 1\n{rows}"));
    let scen = "maps problems a.map --scen a.map.scen --length 4..";
    let mut drawn = problems(&folder.run(&format!("{scen} --count 3")).good());
    drawn.sort_unstable();
    assert_eq!(drawn, [[0, 0, 0, 3], [0, 0, 4, 0], [5, 0, 0, 3]]);
    for (arguments, code, message) in [
        (
            format!("{scen} --count 4"),
            INPUT,
            "a.map.scen: only 3 of 4 problems found: those of such",
        ),
        (
            format!("{draw} --length 50.."),
            INPUT,
            "a.map: only 0 of 40 problems found: those of such",
        ),
        (format!("{draw} --length 5..4"), USAGE, "expected two lengths from 0 with dots between"),
        (format!("{draw} --length -3"), USAGE, "expected two lengths from 0 with dots between"),
        (
            "maps problems a.map --count 0".to_string(),
            USAGE,
            "expected a whole number from 1 to 1000000",
        ),
        (format!("{draw} --out a.map"), USAGE, "a.map: this would overwrite a.map, which is read"),
    ] {
        refused(&folder, &arguments, code, &[message]);
    }
}

/// A wall with no path around it.
const ROWS: [&str; 3] = ["..@.", "..@.", "..@."];

#[test]
fn stated_lengths_are_checked() {
    let folder = Folder::new("maps-check");
    folder.write("sets/one/a.map", map(&ROWS));
    let right = "version 1\n0 a.map 4 3 0 0 1 2 2.41421356\n0 a.map 4 3 0 0 3 0 0\n\
                 0 a.map 4 3 0 0 0 0 0\n0 a.map 4 3 0 0 0 2 2.005\n";
    folder.write("sets/one/a.map.scen", right);
    let text = folder.run("maps check sets").good();
    assert!(text.contains("(0, 0) to (3, 0): unsolvable, as stated"), "{text}");
    let summary = "1 scenario file: 3 lengths matched, 0 did not, 1 problem known to be unsolvable";
    assert!(text.contains(summary), "{text}");

    // A wrong length, an unsolvable problem with a length, and a solvable one without.
    folder.write("sets/two/b.map", map(&ROWS));
    let wrong = "version 1\n0 b.map 4 3 0 0 0 1 1\n0 b.map 4 3 0 0 1 2 3\n\
                 0 b.map 4 3 0 0 3 0 5\n0 b.map 4 3 0 0 0 2 0\n";
    folder.write("sets/two/b.map.scen", wrong);
    let ran = folder.run("maps check sets");
    assert_eq!(ran.code, Some(3));
    assert_eq!(ran.err, "error: 3 lengths did not match\n");
    for (ends, stated) in [
        ("(0, 0) to (1, 2)", "3 stated, 2.41"),
        ("(0, 0) to (3, 0)", "5 stated, no path found"),
        ("(0, 0) to (0, 2)", "0 stated, 2 found"),
    ] {
        let named = |line: &&str| line.contains("b.map.scen") && line.contains(ends);
        let line = ran.out.lines().find(named).unwrap_or_else(|| panic!("{ends}: {}", ran.out));
        assert!(line.contains(stated), "{line}");
    }
    assert!(ran.out.contains("2 scenario files: 4 lengths matched, 3 did not, 1 problem known"));
}
