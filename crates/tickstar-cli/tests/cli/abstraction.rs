//! `tickstar abstraction`: build, inspect and draw.

use serde_json::json;

use crate::support::{Folder, INPUT, USAGE, length, map, number, refused};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// A folder with a map, `a.map`, of two parts with a wall between them.
fn walled(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("a.map", map(&["...@..", "...@..", "...@..", ".@.@.."]));
    folder
}

#[test]
fn building_and_repairs_are_measured_on_each_map() {
    let folder = Folder::new("abstraction-build");
    let build = "abstraction build --map builtin:rooms-64 --map builtin:caves-128 --rounds 1";
    let lines = folder.run(&format!("{build} --repairs 300 --json")).json();
    assert_eq!(lines.len(), 2);
    for (line, name) in lines.iter().zip(["builtin:rooms-64", "builtin:caves-128"]) {
        assert_eq!(line["map"], name);
        let (free, nodes) = (number(line, "free"), number(line, "nodes"));
        assert!(free / 4 <= nodes && nodes < free, "{line}");
        assert!(number(line, "levels") > 3 && number(line, "bytes") > 4 * free, "{line}");
        assert!((1.0..10.0).contains(&length(line, "visited_per_cell")), "{line}");
        let repairs = &line["repairs"];
        let visited = &repairs["visited"];
        assert_eq!(number(repairs, "count"), 300);
        let (p50, p99, max) =
            (number(visited, "p50"), number(visited, "p99"), number(visited, "max"));
        assert!(0 < p50 && p50 <= p99 && p99 <= max && max < free, "{line}");
        let by_log = length(visited, "mean") / (free as f64).log2();
        assert!((length(repairs, "mean_visited_per_log2") - by_log).abs() < 1e-9, "{line}");
    }
    let text = folder.run(&format!("{build} --repairs 300")).good();
    for (line, count) in lines.iter().flat_map(|line| [(line, "visited"), (line, "nodes")]) {
        assert!(text.contains(&number(line, count).to_string()), "{count}: {text}");
    }
    assert!(text.contains("/ log2"), "{text}");
    let text = folder.run(build).good();
    assert!(!text.contains("/ log2"), "{text}");
    let line = folder.run(&format!("{build} --json")).json().remove(0);
    assert!(line.get("repairs").is_none());
    assert_eq!(number(&line, "visited"), number(&lines[0], "visited"), "the same in each run");
}

#[test]
fn work_grows_with_the_map_and_repairs_with_its_logarithm() {
    let folder = Folder::new("abstraction-sizes");
    let build = "abstraction build --sizes 64,128,256,512 --rounds 1 --repairs 1000 --json";
    let lines = folder.run(build).json();
    let names: Vec<_> = lines.iter().map(|line| line["map"].clone()).collect();
    assert_eq!(names, ["islands-64", "islands-128", "islands-256", "islands-512"]);
    for pair in lines.windows(2) {
        let grown = length(&pair[1], "visited_per_cell") / length(&pair[0], "visited_per_cell");
        assert!((0.8..1.25).contains(&grown), "{grown}");
        let mean = |line: &serde_json::Value| length(&line["repairs"]["visited"], "mean");
        let more = mean(&pair[1]) - mean(&pair[0]);
        assert!((0.0..6.0).contains(&more), "four times the cells: {more} more");
    }
    let with = |flags: &str| {
        let line = folder.run(&format!("abstraction build --sizes 64 --json {flags}")).json();
        (line[0]["map"].clone(), number(&line[0], "free"))
    };
    assert_eq!(with("--kind rooms").0, "rooms-64");
    assert_ne!(with("--seed 1"), with("--seed 2"));
}

#[test]
fn levels_of_a_small_map() {
    let folder = walled("abstraction-inspect");
    let facts = folder.run("abstraction inspect --map a.map --json").json().remove(0);
    assert_eq!((number(&facts, "width"), number(&facts, "height")), (6, 4));
    assert_eq!((number(&facts, "free"), number(&facts, "parts")), (19, 2));
    assert_eq!(facts["largest_parts"], json!([11, 8]));
    let levels = facts["levels"].as_array().unwrap();
    assert_eq!(number(&levels[0], "nodes"), 19);
    // On the left 20 in the square and 2 below it; on the right 4 horizontal, 6 vertical and 6 diagonal.
    assert_eq!(number(&levels[0], "edges"), 22 + 16);
    assert_eq!(levels[0]["groups"], json!(null));
    let above = &levels[1];
    let groups = &above["groups"];
    let kinds = ["cliques", "singles", "others"].map(|kind| number(groups, kind));
    assert_eq!(kinds.iter().sum::<u64>(), number(above, "nodes"));
    assert!(kinds[0] >= 4, "{groups}");
    let text = folder.run("abstraction inspect --map a.map").good();
    assert!(text.contains("2 connected parts, of 11, 8 cells"), "{text}");
    let rows = text.lines().filter(|line| line.trim().starts_with(|c: char| c.is_ascii_digit()));
    assert_eq!(rows.skip(1).count(), levels.len(), "{text}");
}

#[test]
fn a_cell_belongs_to_ever_larger_nodes() {
    let folder = walled("abstraction-at");
    let facts = folder.run("abstraction inspect --map a.map --at 5,0 --json").json().remove(0);
    assert_eq!(facts["at"]["cell"], json!([5, 0]));
    let chain = facts["at"]["ancestors"].as_array().unwrap();
    let cells: Vec<_> = chain.iter().map(|node| number(node, "cells")).collect();
    assert!(cells.is_sorted() && cells[0] == 1 && cells.last() == Some(&8), "{cells:?}");
    assert_eq!(chain[0]["mean"], json!([5.0, 0.0]));
    assert_eq!(chain.last().unwrap()["mean"], json!([4.5, 1.5]));
    assert_eq!(number(&chain[0], "neighbors"), 3);
    assert_eq!(number(chain.last().unwrap(), "neighbors"), 0);
    let text = folder.run("abstraction inspect --map a.map --at 5,0").good();
    assert!(
        text.contains("The nodes that (5, 0) belongs to:") && text.contains("(4.5, 1.5)"),
        "{text}"
    );
}

#[test]
fn whether_there_is_a_path_is_reported() {
    let folder = walled("abstraction-path");
    let inspect = "abstraction inspect --map a.map --from 0,3";
    let path = |to: &str| {
        let facts = folder.run(&format!("{inspect} --to {to} --json")).json().remove(0);
        facts["connection"].clone()
    };
    let cut = path("4,0");
    assert_eq!((&cut["reachable"], &cut["merged"]), (&json!(false), &json!(null)));
    assert_eq!((&cut["from"], &cut["to"]), (&json!([0, 3]), &json!([4, 0])));
    let text = folder.run(&format!("{inspect} --to 4,0")).good();
    assert!(text.contains("(0, 3) to (4, 0): there is no path"), "{text}");
    let far = path("2,3");
    assert_eq!(far["reachable"], true);
    assert_eq!(number(&far, "look_ups"), 2 * number(&far, "merged"));
    let text = folder.run(&format!("{inspect} --to 2,3")).good();
    assert!(text.contains("(0, 3) to (2, 3): there is a path"), "{text}");
    assert_eq!(number(&path("0,2"), "joined"), 0);
    assert_eq!(number(&path("0,3"), "look_ups"), 0);
    // Connected only past a corner.
    folder.write("a.map", map(&["@.", ".@"]));
    let past = |rule: &str| {
        let inspect = "abstraction inspect --map a.map --from 0,1 --to 1,0 --json --corners";
        folder.run(&format!("{inspect} {rule}")).json()[0]["connection"]["reachable"].clone()
    };
    assert_eq!((past("never"), past("allowed")), (json!(false), json!(true)));
}

#[test]
fn a_path_is_drawn_on_every_level() {
    let folder = Folder::new("abstraction-path");
    folder.write("a.map", map(&["....@..", ".@..@..", ".@...@.", "....@.."]));
    let draw = "abstraction draw --map a.map";
    let routes = |flags: &str| {
        let text = folder.run(&format!("{draw} {flags} --out a.svg")).good();
        let svg = folder.text("a.svg");
        (text, svg.matches("class=\"route\"").count(), svg.matches("<g id=\"level-").count())
    };
    let (text, drawn, levels) = routes("");
    assert!(!text.contains("path") && drawn == 0 && levels > 1, "{text}");
    let (text, drawn, levels) = routes("--from 0,0 --to 2,3");
    assert!(text.contains(" · path from (0, 0) to (2, 3), length 5.0"), "{text}");
    assert!(drawn == levels && levels > 1, "{drawn} of {levels}");
    let (text, ..) = routes("--from 0,0 --to 6,3");
    assert!(text.contains(" · no path from (0, 0) to (6, 3)"), "{text}");
}

#[test]
fn pictures_of_all_levels_and_of_one() {
    let folder = Folder::new("abstraction-draw");
    let text = folder.run("abstraction draw").good();
    assert!(text.starts_with("abstraction.png: caves-128 · 9604 free cells · "), "{text}");
    assert!(text.contains(" · path from (78, 52) to (109, 12), length "), "{text}");
    assert!(folder.read("abstraction.png").starts_with(PNG));
    let draw = "abstraction draw --map builtin:rooms-64";
    folder.run(&format!("{draw} --out all.svg")).good();
    let levels = |name: &str| {
        let svg = folder.text(name);
        let ids = svg.split("<g id=\"level-").skip(1);
        let id = |rest: &str| rest.split('"').next().unwrap().parse().unwrap();
        ids.map(id).collect::<Vec<usize>>()
    };
    let all = levels("all.svg");
    let facts = folder.run("abstraction inspect --map builtin:rooms-64 --json").json().remove(0);
    let top = facts["levels"].as_array().unwrap().len() - 1;
    assert_eq!((all.len(), all.first(), all.last()), (8.min(top + 1), Some(&0), Some(&top)));
    assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
    folder.run(&format!("{draw} --level 3,1 --out two.svg")).good();
    assert_eq!(levels("two.svg"), [3, 1]);
    for level in 0..=4 {
        folder.run(&format!("{draw} --level {level} --out {level}.svg")).good();
        folder.run(&format!("{draw} --level {level} --out {level}.png")).good();
        assert_eq!(levels(&format!("{level}.svg")), [level]);
        for other in 0..level {
            let differ =
                folder.read(&format!("{level}.png")) != folder.read(&format!("{other}.png"));
            assert!(differ, "levels {level} and {other}");
        }
    }
    folder.run(&format!("{draw} --level 2 --cell-px 3 --out small.png")).good();
    assert!(folder.read("small.png").len() < folder.read("2.png").len());
}

#[test]
fn a_map_without_free_cells_is_no_error() {
    let folder = Folder::new("abstraction-blocked");
    folder.write("a.map", map(&["@@", "@@"]));
    let line = folder.run("abstraction build --map a.map --repairs 5 --json").json().remove(0);
    assert_eq!((number(&line, "free"), number(&line, "levels")), (0, 0));
    assert_eq!(number(&line["repairs"], "count"), 0);
    folder.run("abstraction build --map a.map --repairs 5").good();
    let text = folder.run("abstraction inspect --map a.map").good();
    assert!(text.contains("no free cells"), "{text}");
    folder.run("abstraction draw --map a.map").good();
    assert!(folder.read("abstraction.png").starts_with(PNG));
}

#[test]
fn invalid_requests_are_refused() {
    let folder = walled("abstraction-bad");
    folder.write("bad.map", "type octile\nheight 1\nwidth 3\nmap\n.?.\n");
    for command in ["build", "inspect", "draw"] {
        let command = format!("abstraction {command} --map");
        refused(&folder, &format!("{command} builtin:moon"), USAGE, &["builtin:moon", "rooms-64"]);
        refused(&folder, &format!("{command} no.map"), INPUT, &["no.map", "no such file"]);
        refused(&folder, &format!("{command} bad.map"), INPUT, &["bad.map: line 5, column 2"]);
    }
    let inspect = "abstraction inspect --map a.map";
    for (flags, named) in [
        ("--at 3,0", "the cell (3, 0) is blocked"),
        ("--at 6,0", "the cell (6, 0) is outside the map, which is 6 wide and 4 high"),
        ("--from 3,1 --to 0,0", "the start (3, 1) is blocked"),
        ("--from 0,0 --to 0,4", "the goal (0, 4) is outside the map"),
        ("--from 0,0 --to 4294967295,4294967295", "the goal (4294967295, 4294967295) is outside"),
    ] {
        refused(&folder, &format!("{inspect} {flags}"), INPUT, &[named]);
        refused(&folder, &format!("{inspect} {flags} --json"), INPUT, &[named]);
    }
    refused(&folder, &format!("{inspect} --from 0,0"), USAGE, &["--to"]);
    refused(&folder, &format!("{inspect} --at -1,0"), USAGE, &["--at", "-1,0"]);
    for size in ["15", "4097", "1000000", "99999999999", "x", "64,", "64,5000"] {
        let build = format!("abstraction build --sizes {size}");
        refused(&folder, &build, USAGE, &["--sizes", size.rsplit(',').next().unwrap()]);
    }
    for (flags, named) in [
        ("--sizes 64 --map a.map", "--map"),
        ("--sizes 64 --kind lava", "`lava` is not a kind of map"),
        ("--map a.map --kind rooms", "--kind"),
        ("--kind rooms", "--sizes"),
        ("--map a.map --rounds 0", "--rounds"),
        ("--map a.map --repairs 0", "--repairs"),
        ("--map a.map --repairs 99999999", "--repairs"),
    ] {
        refused(&folder, &format!("abstraction build {flags}"), USAGE, &[named]);
    }
    let draw = "abstraction draw --map a.map";
    refused(&folder, &format!("{draw} --from 0,0"), USAGE, &["--to"]);
    refused(
        &folder,
        &format!("{draw} --from 900,0 --to 0,0"),
        INPUT,
        &["the start (900, 0) is outside"],
    );
    refused(&folder, &format!("{draw} --level 40"), USAGE, &["--level 40", "levels 0 to "]);
    refused(&folder, &format!("{draw} --level 0,40"), USAGE, &["--level 40", "levels 0 to "]);
    refused(&folder, &format!("{draw} --level x"), USAGE, &["--level"]);
    refused(&folder, &format!("{draw} --out a.gif"), USAGE, &["a.gif", ".png or .svg"]);
    refused(&folder, &format!("{draw} --out no/a.svg"), INPUT, &["a.svg", "cannot be written"]);
    refused(&folder, &format!("{draw} --cell-px 0"), USAGE, &["--cell-px"]);
    let large = "abstraction draw --map builtin:caves-128 --cell-px 64 --out large.png";
    refused(&folder, large, USAGE, &["too large", "fewer pixels per cell"]);
    for name in ["abstraction.png", "a.gif", "large.png"] {
        assert!(!folder.path(name).exists(), "{name}");
    }
}

#[test]
fn tables_are_built_written_and_used() {
    let folder = Folder::new("abstraction-tables");
    let build = "abstraction build --map builtin:rooms-64 --rounds 1";
    let made = folder.run(&format!("{build} --tables rooms.sub --json")).json();
    assert_eq!(made[0]["tables"]["level"], 3, "{made:?}");
    let bytes = std::fs::read(folder.path("rooms.sub")).unwrap();
    assert_eq!(made[0]["tables"]["bytes"], bytes.len());
    let inspect = "abstraction inspect --map builtin:rooms-64 --tables rooms.sub";
    let seen = folder.run(&format!("{inspect} --json")).json();
    assert_eq!(seen[0]["subgoals"]["pairs"], made[0]["tables"]["pairs"]);
    assert!(folder.run(inspect).good().contains("rooms.sub: valid for this map"));
    // Read from a file or built on demand, they lead to the same walks.
    let run = "run --map builtin:rooms-64 --take 5 --json --path --algorithm d-lrta";
    let walks = folder.run(&format!("{run} --tables rooms.sub")).json();
    assert_eq!(folder.run(run).json(), walks);
    let blind = folder.run(&format!("{run} --world unknown")).json();
    assert_ne!(blind, walks, "tables are not used where the map is not known");
    // One table shows what each algorithm needed.
    let compare =
        "compare --map builtin:rooms-64 --take 3 --budgets 50 --algorithms tba,pra,d-lrta";
    let table = folder.run(compare).good();
    let row = |name: &str| {
        let own = |line: &&str| line.trim_start().starts_with(name);
        table.lines().find(own).unwrap().to_string()
    };
    assert!(table.contains("made before") && row("tba").contains("nothing"), "{table}");
    assert!(row("pra").contains(" ms, ") && row("d-lrta").contains(" MB"), "{table}");
    // Invalid tables are refused, and the file is named.
    std::fs::write(folder.path("cut.sub"), &bytes[..bytes.len() / 2]).unwrap();
    std::fs::write(folder.path("none.sub"), "a poem").unwrap();
    let mut other = bytes.clone();
    other[8] ^= 1; // the version
    std::fs::write(folder.path("other.sub"), &other).unwrap();
    let with = |map: &str, file: &str| {
        format!("run --map {map} --take 1 --algorithm d-lrta --tables {file}")
    };
    refused(&folder, &with("builtin:rooms-64", "cut.sub"), INPUT, &["cut.sub", "cut short"]);
    refused(&folder, &with("builtin:rooms-64", "other.sub"), INPUT, &["other.sub", "version"]);
    refused(&folder, &with("builtin:rooms-64", "none.sub"), INPUT, &["none.sub"]);
    refused(&folder, &with("builtin:rooms-64", "missing.sub"), INPUT, &["missing.sub"]);
    refused(&folder, &with("builtin:caves-128", "rooms.sub"), INPUT, &["rooms.sub", "another map"]);
    let level = format!("{} --set level=2", with("builtin:rooms-64", "rooms.sub"));
    refused(&folder, &level, USAGE, &["rooms.sub", "level 3", "level=2"]);
    let two = "compare --map builtin:rooms-64 --algorithms d-lrta:level=2+3";
    refused(&folder, two, USAGE, &["one level at a time"]);
    let both = "abstraction build --map builtin:rooms-64 --map builtin:caves-128 --tables x.sub";
    refused(&folder, both, USAGE, &["--tables", "one map"]);
}
