use std::fmt::Write;

use tickstar::catalog;

use super::message::{Replay, Request};
use super::*;
use crate::generate::Dice;
use crate::{Arena, Job, builtin};

/// A reply, taken apart.
#[derive(PartialEq, Debug)]
struct Reply {
    head: Value,
    numbers: Vec<u32>,
}

impl Reply {
    fn read(bytes: &[u8]) -> Reply {
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let length = number(0) as usize;
        assert!(length.is_multiple_of(4) && bytes.len().is_multiple_of(4));
        let head = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
        let numbers = (4 + length..bytes.len()).step_by(4).map(number).collect();
        Reply { head, numbers }
    }

    fn kind(&self) -> &str {
        self.head["kind"].as_str().unwrap()
    }

    fn list(&self, value: &Value) -> &[u32] {
        let [begin, length] = [0, 1].map(|nth| value[nth].as_u64().unwrap() as usize);
        &self.numbers[begin..begin + length]
    }

    /// Without what is measured.
    fn same(mut self) -> Reply {
        for frame in self.head["frames"].as_array_mut().into_iter().flatten() {
            if let Some(crowd) = frame["crowd"].as_object_mut() {
                crowd.remove("measured");
            }
        }
        self
    }
}

fn ask(stage: &mut Stage, request: &Value) -> Reply {
    Reply::read(&stage.handle(&request.to_string()))
}

fn ok(stage: &mut Stage, request: &Value) -> Reply {
    let reply = ask(stage, request);
    assert_ne!(reply.kind(), "error", "{request}: {}", reply.head);
    reply
}

fn refused(stage: &mut Stage, request: &Value) -> String {
    let reply = ask(stage, request);
    assert_eq!(reply.kind(), "error", "{request}: {}", reply.head);
    reply.head["message"].as_str().unwrap().to_string()
}

fn tick(count: u64) -> Value {
    json!({ "tick": { "count": count } })
}

/// Runs until everybody has arrived or given up.
fn run(stage: &mut Stage) {
    for _ in 0..10_000 {
        if ok(stage, &tick(100)).head["over"] == true {
            return;
        }
    }
    panic!("it does not end");
}

/// A scene on a built-in map gives the records that the same job gives.
#[test]
fn records_are_those_of_the_same_jobs() {
    for (map, world, seed, budget) in [
        ("rooms-64", "known", 1, 30),
        ("caves-128", "unknown", 2, 50),
        ("random-64", "partial:10", 3, 20),
        ("islands-128", "dynamic:5", 4, 100),
        ("two-corridors", "known", 1, 30),
        ("hills-128", "known", 5, 40),
    ] {
        let kind: crate::WorldKind = world.parse().unwrap();
        let grid = builtin::find(map).unwrap().grid();
        let problem = builtin::find(map).unwrap().problems(&grid, 1, seed)[0];
        let mut arena = Arena::new(&kind, &grid, seed).unwrap();
        let names = catalog::all().iter().filter(|entry| {
            arena.admit(entry).is_ok() && !["d-lrta", "rtaa", "lrta"].contains(&entry.name)
        });
        let names: Vec<&str> = names.map(|entry| entry.name).collect();
        for three in names.chunks(3) {
            let mut stage = Stage::new();
            let scene = json!({ "open": {
                "map": { "builtin": map }, "world": world, "seed": seed, "budget": budget, "contestants": three,
            } });
            let opened = ok(&mut stage, &scene);
            assert_eq!(opened.head["start"], json!([problem.start.x, problem.start.y]));
            run(&mut stage);
            let records = stage.records().unwrap();
            assert_eq!(opened.head["optimal"], records[0]["optimal"], "{map}, {world}");
            for (name, record) in three.iter().zip(records) {
                let config = crate::experiment::configured(name).unwrap();
                arena.prepare(&config, |_| ()).unwrap();
                let name_of_map = format!("builtin:{map}");
                let expected =
                    Job::new(&name_of_map, &arena, &config, Some(budget)).record(&problem);
                let expected = serde_json::to_value(expected.unwrap()).unwrap();
                assert_eq!(record, expected, "{name} on {map}, {world}");
            }
        }
    }
}

fn replay_of(stage: &mut Stage) -> Replay {
    let saved = ok(stage, &json!({ "save": {} }));
    serde_json::from_value(saved.head["replay"].clone()).unwrap()
}

/// A random request that is possible at any time on a map of 64 by 64 cells.
fn random_request(dice: &mut Dice, is_crowd: bool) -> Value {
    let cell = |dice: &mut Dice| [dice.below(64) as u32, dice.below(64) as u32];
    match dice.below(12) {
        0..4 => tick(1 + dice.below(12) as u64),
        4..8 => {
            let [x, y] = cell(dice);
            let (length, down) = (dice.below(12) as u32, dice.below(2) as u32);
            let along =
                |n: u32| if down == 1 { (x, (y + n).min(63)) } else { ((x + n).min(63), y) };
            let cells: Vec<u32> = (0..length).map(along).map(|(x, y)| y * 64 + x).collect();
            json!({ "edit": { "cells": cells, "free": dice.below(3) == 0 } })
        }
        8 if !is_crowd => json!({ "goal": cell(dice) }),
        8 | 9 => json!({ "budget": 1 + dice.below(100) }),
        10 => json!({ "rewind": { "tick": dice.below(40) } }),
        _ => tick(40),
    }
}

/// Whatever is done, a session gives the same replies again, its replay leads to the same records, and what is gone
/// back to is as it was.
#[test]
fn sessions_repeat_themselves() {
    let names: Vec<&str> =
        catalog::all().iter().map(|entry| entry.name).filter(|&name| name != "d-lrta").collect();
    for seed in 0..60 {
        let dice = &mut Dice::keyed(seed, [7; 6]);
        let is_crowd = seed % 10 == 9;
        let world = ["known", "unknown", "partial:10", "dynamic:5"][dice.below(4)];
        let map = ["rooms-64", "random-64", "maze-64"][dice.below(3)];
        let mut scene =
            json!({ "map": { "builtin": map }, "seed": seed, "budget": 1 + dice.below(60) });
        if is_crowd {
            scene["crowd"] = json!({ "agents": 50, "apart": dice.below(2) == 1 });
        } else {
            scene["world"] = world.into();
            let some: Vec<&str> =
                (0..=dice.below(3)).map(|_| names[dice.below(names.len())]).collect();
            scene["contestants"] = some.into_iter().collect();
        }
        let opening = json!({ "open": scene });
        let mut stage = Stage::new();
        if ask(&mut stage, &opening).kind() == "error" {
            // Not defined in this world.
            continue;
        }
        let mut requests = vec![opening];
        let mut replies = Vec::new();
        for _ in 0..40 {
            let request = random_request(dice, is_crowd);
            replies.push(ask(&mut stage, &request).same());
            requests.push(request);
        }
        let records = stage.records().unwrap();
        let replay = replay_of(&mut stage);
        let mut again = Stage::new();
        ok(&mut again, &requests[0]);
        for (request, reply) in requests[1..].iter().zip(replies) {
            assert_eq!(ask(&mut again, request).same(), reply, "seed {seed}: {request}");
        }
        let mut replayed = Stage::new();
        replayed.replay(&replay).unwrap();
        assert_eq!(replayed.records().unwrap(), records, "seed {seed}: the replay");
        assert_eq!(replay_of(&mut replayed), replay, "seed {seed}");
        // Back, and on again.
        let now = replayed.scene().unwrap().tick();
        if let Some(Request::Tick { .. }) = replay.messages.last() {
            let Some(Request::Tick { count }) = replay.messages.last() else { unreachable!() };
            let to = now - count / 2;
            ok(&mut replayed, &json!({ "rewind": { "tick": to } }));
            replayed.play(now - to).unwrap();
            assert_eq!(replayed.records().unwrap(), records, "seed {seed}: back to {to}");
        }
        assert!(replayed.bytes() > 10_000 && replayed.bytes() < 100 << 20);
    }
}

/// An agent sees a wall that is drawn across its path, and turns; a goal that is moved is reached.
#[test]
fn agents_notice_what_is_drawn() {
    let rows = ["..........", "..........", "..........", "..........", ".........."];
    let text =
        rows.iter().fold("type octile\nheight 5\nwidth 10\nmap\n".to_string(), |mut all, row| {
            writeln!(all, "{row}").unwrap();
            all
        });
    for world in ["known", "unknown"] {
        let mut stage = Stage::new();
        ok(
            &mut stage,
            &json!({ "open": {
            "map": { "file": { "name": "hall", "text": text } }, "world": world,
            "start": [0, 2], "goal": [9, 2], "contestants": ["rtb-wastar", "dstar-lite", "tbaa"],
        } }),
        );
        ok(&mut stage, &tick(3));
        // A wall with a gap at the bottom.
        let wall: Vec<u32> = (0..4).map(|y| y * 10 + 6).collect();
        let edited = ok(&mut stage, &json!({ "edit": { "cells": wall, "free": false } }));
        assert_eq!(edited.list(&edited.head["cells"]), wall);
        run(&mut stage);
        for record in stage.records().unwrap() {
            assert_eq!(record["outcome"], "reached");
            assert!(record["cost"].as_f64().unwrap() > 9.5, "{world}: {record}");
        }
        ok(&mut stage, &json!({ "goal": [0, 0] }));
        run(&mut stage);
        for record in stage.records().unwrap() {
            assert_eq!((&record["outcome"], &record["goal"]), (&json!("reached"), &json!([0, 0])));
        }
        // Walled in, they say so, and set out again when the wall is opened.
        ok(&mut stage, &json!({ "goal": [9, 0] }));
        ok(&mut stage, &json!({ "edit": { "cells": [46], "free": false } }));
        run(&mut stage);
        let lost = stage.records().unwrap();
        assert!(lost.iter().all(|record| record["outcome"] == "unreachable"), "{world}: {lost:?}");
        let opened = ok(&mut stage, &json!({ "edit": { "cells": [46], "free": true } }));
        run(&mut stage);
        let stopped = opened.head["stopped"].as_array().unwrap().len();
        let reached = stage.records().unwrap().iter().filter(|r| r["outcome"] == "reached").count();
        assert_eq!(reached + stopped, 3, "{world}: {}", opened.head);
    }
}

#[test]
fn a_crowd_notices_what_is_drawn() {
    let mut stage = Stage::new();
    let opened = ok(
        &mut stage,
        &json!({ "open": {
        "map": { "builtin": "rooms-64" }, "crowd": { "agents": 300 }, "budget": 5000,
    } }),
    );
    assert_eq!(opened.list(&opened.head["crowd"]["goals"]).len(), 300);
    let reply = ok(&mut stage, &tick(5));
    let crowd = &reply.head["frames"][4]["crowd"];
    assert_eq!(reply.list(&crowd["at"]).len(), 300);
    let goal = opened.list(&opened.head["crowd"]["goals"])[0];
    let edited = ok(&mut stage, &json!({ "edit": { "cells": [goal], "free": false } }));
    assert!(edited.list(&edited.head["cells"]).is_empty(), "a goal stays free");
    let column: Vec<u32> = (0..64).map(|y| y * 64 + 30).collect();
    let edited = ok(&mut stage, &json!({ "edit": { "cells": column, "free": false } }));
    assert!(!edited.list(&edited.head["cells"]).is_empty());
    run(&mut stage);
    let cut = stage.records().unwrap()[0].clone();
    assert!(cut["unreachable"].as_u64().unwrap() > 0, "{cut}");
    ok(&mut stage, &json!({ "edit": { "cells": column, "free": true } }));
    run(&mut stage);
    assert_eq!(stage.records().unwrap()[0]["arrived"], 300);
}

#[test]
fn presets_run() {
    let catalog = ok(&mut Stage::new(), &json!({ "catalog": {} }));
    let presets = catalog.head["presets"].as_array().unwrap();
    assert!(presets.len() >= 7);
    for preset in presets {
        let mut stage = Stage::new();
        ok(&mut stage, &json!({ "open": preset["scene"] }));
        run(&mut stage);
        for record in stage.records().unwrap() {
            let has_arrived = record["outcome"] == "reached" || record["arrived"] == 1000;
            assert!(has_arrived, "{}: {record}", preset["key"]);
        }
    }
}

#[test]
fn what_is_not_possible_is_said() {
    let stage = &mut Stage::new();
    for (request, expected) in [
        ("", "not a request: "),
        ("[]", "not a request: "),
        ("{\"tick\": {\"count\": -1}}", "not a request: "),
        ("{\"\\u001b[31m\": {}}", "not a request: unknown variant `\\u{1b}[31m`"),
        ("{\"tick\": {\"count\": 1}}", "nothing is open: open a map first"),
        ("{\"tick\": {\"count\": 0}}", "expected 1 to 1000 ticks"),
    ] {
        let reply = Reply::read(&stage.handle(request));
        let message = reply.head["message"].as_str().unwrap();
        assert!(reply.kind() == "error" && message.starts_with(expected), "{request}: {message}");
    }
    let long = format!("{{\"open\": \"{}\"}}", "x".repeat(limits::MESSAGE));
    let reply = Reply::read(&stage.handle(&long));
    assert!(
        reply.head["message"].as_str().unwrap().starts_with("a message has at most 4194304 bytes")
    );
    let rooms = json!({ "builtin": "rooms-64" });
    let grid = builtin::find("rooms-64").unwrap().grid();
    let mut cells = (0..64).flat_map(|y| (0..64).map(move |x| tickstar::Cell::new(x, y)));
    let wall = cells.find(|&cell| !grid.is_free(cell)).map(|cell| [cell.x, cell.y]).unwrap();
    let flat = |rows: &str| json!({ "file": { "name": "a\u{1b}.map", "text": format!("type octile\nheight 1\nwidth 3\nmap\n{rows}\n") } });
    let open = |fields: Value| {
        let mut scene = json!({ "map": rooms });
        scene.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        json!({ "open": scene })
    };
    for (request, expected) in [
        (open(json!({ "map": { "builtin": "room-64" } })), "did you mean `rooms-64`?"),
        (open(json!({ "map": { "builtin": "islands-2048" } })), "at most 1048576 cells"),
        (open(json!({ "map": { "generated": { "kind": "rooms", "side": 9, "seed": 1 } } })), "16"),
        (
            open(json!({ "map": { "generated": { "kind": "lava", "side": 64, "seed": 1 } } })),
            "lava",
        ),
        (open(json!({ "map": flat("..") })), "a\\u{1b}.map: "),
        (open(json!({ "map": flat("@@@") })), "no free cell"),
        (open(json!({ "world": "script:/etc/passwd" })), "scripts are files"),
        (open(json!({ "world": "unkown" })), "did you mean `unknown`?"),
        (open(json!({ "budget": 0 })), "a tick has a budget of 1 to 100000, not 0"),
        (open(json!({ "budget": 100_001 })), "not 100001"),
        (open(json!({ "start": [64, 0] })), "the start (64, 0) is outside the map"),
        (open(json!({ "goal": wall })), "is blocked"),
        (open(json!({ "contestants": ["tba", "tba", "tba", "tba"] })), "at most 3 contestants"),
        (open(json!({ "contestants": ["tbb"] })), "did you mean `tba`?"),
        (open(json!({ "contestants": ["tba:r"] })), "expected key=value"),
        (open(json!({ "contestants": ["tba:r=2"] })), "r"),
        (
            open(json!({ "contestants": ["rtaa"], "world": "dynamic:5" })),
            "cannot be run in the world",
        ),
        (open(json!({ "contestants": ["d-lrta"], "map": { "builtin": "rooms-512" } })), "D LRTA*"),
        (open(json!({ "edits": [[4096], []] })), "there is no cell 4096"),
        (open(json!({ "crowd": { "agents": 0 } })), "1 to 10000 agents"),
        (open(json!({ "crowd": { "agents": 10_001 } })), "1 to 10000 agents"),
        (open(json!({ "crowd": { "agents": 2000, "planner": "tba" } })), "1 to 1000 agents"),
        (open(json!({ "crowd": { "agents": 5000, "apart": true } })), "need as many cells"),
        (open(json!({ "crowd": { "agents": 5 }, "world": "unknown" })), "must be known"),
        (open(json!({ "more": 1 })), "not a request: unknown field `more`"),
    ] {
        let message = refused(stage, &request);
        assert!(message.contains(expected), "{request}: {message}");
    }
    // The session is as before.
    ok(stage, &open(json!({ "seed": 2 })));
    ok(stage, &tick(5));
    for (request, expected) in [
        (json!({ "rewind": { "tick": 6 } }), "tick 6 has not been yet: this is tick 5"),
        (json!({ "edit": { "cells": [9999], "free": true } }), "there is no cell 9999"),
        (json!({ "goal": wall }), "is blocked"),
        (json!({ "goal": [99, 0] }), "outside"),
        (json!({ "budget": 0 }), "1 to 100000"),
        (open(json!({ "budget": 0 })), "not 0"),
        (json!({ "restart": { "world": "x" } }), "x"),
    ] {
        let message = refused(stage, &request);
        assert!(message.contains(expected), "{request}: {message}");
    }
    let saved = ok(stage, &json!({ "save": {} }));
    assert_eq!(saved.head["replay"]["messages"][1], tick(5));
}
