//! `tickstar draw`: pictures in both formats.

use crate::support::{Folder, map};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

#[test]
fn without_flags_it_writes_a_picture_here() {
    let folder = Folder::new("draw-plain");
    let text = folder.run("draw").good();
    assert!(text.starts_with("tickstar.png: builtin:caves-128 · tba · "), "{text}");
    assert!(folder.read("tickstar.png").starts_with(PNG));
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
        ("--from 0,0 --to 0,0", "in 0 intervals"),
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
