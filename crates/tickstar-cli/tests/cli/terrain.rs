//! Maps with terrain on the command line.

use serde_json::json;

use crate::support::{Folder, algorithms, length, refused, same};

/// A road of eleven cells through a swamp, and plain ground beside it.
const SWAMP: &str = "type octile\nheight 3\nwidth 11\nterrain . 1\nterrain s 9\nterrain m 1.5\nmap\n\
                     mmmmmmmmmmm\nsssssssssss\n...........\n";

#[test]
fn hills_are_generated_and_inspected() {
    let folder = Folder::new("terrain-generate");
    let text = folder.run("maps generate hills --size 100x80 --seed 5").good();
    let header = "type octile\nheight 80\nwidth 100\nterrain . 1\nterrain a 1.5\nterrain b 2.5\nterrain c 5\nmap\n";
    assert!(text.starts_with(header), "{text}");
    assert_eq!(folder.run("maps generate hills --size 100x80 --seed 5").good(), text);
    assert_ne!(folder.run("maps generate hills --size 100x80 --seed 6").good(), text);
    // Walls are those of the kind, with terrain or without.
    let walls = |text: &str| text.rsplit_once("map\n").unwrap().1.replace(['a', 'b', 'c'], ".");
    let plain = folder.run("maps generate caves --size 100x80").good();
    let hilly = folder.run("maps generate caves --size 100x80 --terrain").good();
    assert!(hilly.starts_with(header) && walls(&hilly) == walls(&plain));
    folder.write("swamp.map", SWAMP);
    let facts = folder.run("maps inspect swamp.map --json").json().remove(0);
    let terrain = json!([
        {"multiplier": 1.0, "free": 11},
        {"multiplier": 9.0, "free": 11},
        {"multiplier": 1.5, "free": 11},
    ]);
    assert_eq!(facts["terrain"], terrain);
    let text = folder.run("maps inspect swamp.map").good();
    assert!(text.contains("terrain: 11 free cells (33.3 %) at 1.5 times the cost"), "{text}");
    let plain = folder.run("maps inspect builtin:rooms-64 --json").json().remove(0);
    assert_eq!(plain["terrain"], json!([]));
}

/// Costs and optimal lengths take terrain into account.
#[test]
fn walks_are_judged_by_their_cost() {
    let folder = Folder::new("terrain-run");
    folder.write("swamp.map", SWAMP);
    let run = |flags: &str| {
        let flags = format!("run --map swamp.map --algorithm astar --json {flags}");
        folder.run(&flags).json().remove(0)
    };
    for (flags, cost) in [
        ("--from 0,2 --to 10,2", 10.0),
        ("--from 0,0 --to 10,0", 15.0),
        // Down over the swamp and along the road: half of the meadow, all of the swamp, and half of the road.
        ("--from 0,0 --to 0,2", 0.75 + 9.0 + 0.5),
    ] {
        let record = run(flags);
        assert!(same(length(&record, "cost"), cost), "{flags}: {record}");
        assert!(same(length(&record, "optimal"), cost), "{flags}: {record}");
        assert!(same(length(&record, "suboptimality"), 1.0), "{flags}: {record}");
    }
}

/// Every algorithm arrives on terrain, in a known and in an unknown world.
#[test]
fn every_algorithm_walks_on_hills() {
    let folder = Folder::new("terrain-all");
    for world in ["known", "unknown"] {
        for algorithm in algorithms(&folder) {
            let run = format!(
                "run --map builtin:hills-128 --from 20,30 --to 60,70 --world {world} --algorithm {algorithm} --json"
            );
            let record = folder.run(&run).json().remove(0);
            assert_eq!(record["outcome"], json!("reached"), "{algorithm}, {world}: {record}");
            assert!(length(&record, "cost") >= length(&record, "optimal") - 1e-9, "{record}");
        }
    }
}

#[test]
fn bad_legends_are_named_with_their_line() {
    let folder = Folder::new("terrain-bad");
    for (legend, named) in [
        ("terrain s 0.5", "multipliers are from 1 to 100, in steps of 0.25"),
        ("terrain s 1.3", "multipliers are from 1 to 100, in steps of 0.25"),
        ("terrain @ 2", "not one of `@OTW#`"),
        ("terrain s", "one character and a number must follow the word"),
        ("terrain m 2", "the letter is in the legend already"),
    ] {
        folder.write(
            "bad.map",
            SWAMP.replace("terrain s 9\nterrain m 1.5", &format!("terrain m 1.5\n{legend}")),
        );
        refused(&folder, "maps inspect bad.map", 3, &["bad.map", "line 6", legend, named]);
    }
    folder.write("bad.map", SWAMP.replace("terrain s 9\n", ""));
    refused(
        &folder,
        "maps inspect bad.map",
        3,
        &["bad.map", "line 8, column 1", "`s` is not a cell"],
    );
}
