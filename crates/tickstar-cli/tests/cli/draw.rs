//! `tickstar draw`: pictures in both formats.

use crate::support::{Folder, USAGE, map, refused};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

#[test]
fn without_flags_it_writes_a_picture_here() {
    let folder = Folder::new("draw-plain");
    let text = folder.run("draw").good();
    assert!(text.starts_with("tickstar.png: islands-128 · tba · budget 25 · "), "{text}");
    assert!(folder.read("tickstar.png").starts_with(PNG));
    // A walk with a story: it goes back, and its path is found on the way.
    let svg = folder.run("draw --out story.svg").good();
    assert!(svg.contains("path found in tick "), "{svg}");
    assert!(folder.text("story.svg").contains("stroke-dasharray"), "it walks back");
}

#[test]
fn several_algorithms_are_drawn_side_by_side() {
    let folder = Folder::new("draw-several");
    let size = |name: &str| {
        let png = folder.read(name);
        u32::from_be_bytes(png[16..20].try_into().unwrap())
    };
    let draw = "draw --map builtin:rooms-64 --problem 3 --cell-px 8 --budget 20";
    folder.run(&format!("{draw} --algorithm tba --out one.png")).good();
    let text = folder
        .run(&format!(
            "{draw} --algorithm astar --algorithm tba:switch=true:budget=7 --out two.png"
        ))
        .good();
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("two.png: rooms-64 · from ("), "{text}");
    assert!(lines[1].starts_with("  astar · budget 20 · length "), "{text}");
    assert!(lines[1].contains(" · moves from tick "), "{text}");
    assert!(lines[2].starts_with("  tba:switch=true · budget 7 · length "), "{text}");
    assert!(size("two.png") > size("one.png") + 500);
    // Settings are for all of them.
    let both = "--algorithm tba --algorithm tb-wastar --set shortcut=true --out a.svg";
    assert!(folder.run(&format!("{draw} {both}")).good().contains("tba:shortcut=true"));
    for (flags, named) in [
        ("--algorithm tba --algorithm astar --set shortcut=true", "shortcut"),
        ("--algorithm tba --algorithm nothing", "nothing"),
        ("--algorithm tba:budget=1+2+3+4+5+6+7+8+9+10", "10 runs, but a picture has at most 9"),
        ("--algorithm tba:shortcut=true --set shortcut=true", "`shortcut` is given twice"),
    ] {
        refused(&folder, &format!("{draw} {flags}"), USAGE, &[named]);
    }
}

#[test]
fn regions_are_drawn_for_agents_that_plan_on_them() {
    let folder = Folder::new("draw-regions");
    let draw = "draw --map builtin:rooms-64 --problem 3 --budget 10 --out a.svg";
    let counts = |algorithms: &str| {
        folder.run(&format!("{draw} {algorithms}")).good();
        let svg = folder.text("a.svg");
        ["borders", "regions"].map(|id| svg.matches(&format!("id=\"{id}\"")).count())
    };
    assert_eq!(counts("--algorithm tick"), [1, 1]);
    assert_eq!(counts("--algorithm tick --algorithm tba"), [1, 1], "only in its own panel");
    // What it expands above the map are nodes of its hierarchy.
    assert_eq!(counts("--algorithm pra"), [0, 0]);
    for world in ["unknown", "dynamic:5"] {
        assert_eq!(counts(&format!("--algorithm tick --world {world}")), [1, 1], "{world}");
    }
}

#[test]
fn captions_have_the_name_of_the_map_and_not_its_path() {
    let folder = Folder::new("draw-names");
    folder.write("some/folder/hall.map", map(&["....", "...."]));
    let flags = "--map some/folder/hall.map --from 0,0 --to 3,1";
    let text = folder.run(&format!("draw {flags} --out a.svg")).good();
    assert!(text.starts_with("a.svg: hall · tba · "), "{text}");
    let text = folder.run(&format!("abstraction draw {flags} --out a.svg")).good();
    assert!(text.starts_with("a.svg: hall · 8 free cells · "), "{text}");
    assert!(!folder.text("a.svg").contains("some/folder"));
}

#[test]
fn changes_of_the_map_are_in_the_picture() {
    let folder = Folder::new("draw-changes");
    folder.write("a.map", map(&["......", "......"]));
    folder.write("a.script", "1 3 0 blocked\n2 3 0 free\n2 3 1 blocked\n4 2 1 blocked\nend\n");
    let draw = "draw --map a.map --from 0,0 --to 5,0 --algorithm rtba --world script:a.script";
    folder.run(&format!("{draw} --out a.svg")).good();
    let svg = folder.text("a.svg");
    assert!(svg.contains("d=\"M3 0h1v1h-1z\""), "the cell that is free again");
    assert!(svg.contains("d=\"M2 1h2v1h-2z\""), "those that are blocked");
    folder.run("draw --map a.map --from 0,0 --to 5,0 --out known.svg").good();
    assert!(!folder.text("known.svg").contains("d=\"M3 0h1v1h-1z\""));
}

#[test]
fn the_name_decides_on_the_format() {
    let folder = Folder::new("draw-formats");
    let draw = "draw --map builtin:two-corridors --budget 30 --set shortcut=true --out";
    folder.run(&format!("{draw} a.svg")).good();
    folder.run(&format!("{draw} a.png")).good();
    let svg = folder.text("a.svg");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(folder.read("a.png").starts_with(PNG));
}

#[test]
fn every_kind_of_run_can_be_drawn() {
    let folder = Folder::new("draw-kinds");
    folder.write("a.map", map(&["..@.", "..@.", "..@."]));
    for (ends, caption) in [
        ("--from 0,0 --to 3,0", "unreachable"),
        ("--from 0,0 --to 0,0", "in 0 ticks"),
        ("--from 0,0 --to 1,2 --algorithm astar", "no limit"),
        ("--from 0,0 --to 1,2 --neighbors 4 --budget 5", "length 3.0 (optimal 3.0)"),
    ] {
        let text = folder.run(&format!("draw --map a.map {ends} --out a.svg")).good();
        assert!(text.contains(caption), "{ends}: {text}");
        assert!(folder.text("a.svg").starts_with("<svg"));
        folder.run(&format!("draw --map a.map {ends} --out a.png --cell-px 1")).good();
        assert!(folder.read("a.png").starts_with(PNG));
    }
}

#[test]
fn a_moving_picture_is_an_svg() {
    let folder = Folder::new("draw-animate");
    let text = folder
        .run("draw --animate --algorithm tba --algorithm rtaa --world unknown --speed 50")
        .good();
    assert!(text.starts_with("tickstar.svg: "), "{text}");
    let svg = folder.text("tickstar.svg");
    assert_eq!(svg.matches("<animateTransform").count(), 2, "an agent in each panel");
    assert!(svg.matches("<animate ").count() > 50, "a search that spreads");
    refused(&folder, "draw --animate --out a.png", USAGE, &["a.png", "must end in .svg"]);
    refused(&folder, "draw --speed 5", USAGE, &["--animate"]);
}
