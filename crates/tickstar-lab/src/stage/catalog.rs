//! What can be chosen, and scenes to begin with.

use serde_json::{Value, json};
use tickstar::catalog::{self, Entry};

use super::limits;
use super::message::{CrowdSpec, MapSpec, SceneSpec};
use crate::generate::Kind;
use crate::{WorldKind, builtin};

/// The reply to `catalog`.
pub(super) fn catalog() -> Value {
    let maps = builtin::all().iter().filter_map(|map| {
        let (width, height) = map.size();
        let fits = u64::from(width) * u64::from(height) <= limits::CELLS;
        let (name, about) = (map.name, map.about);
        fits.then(|| json!({ "name": name, "about": about, "width": width, "height": height }))
    });
    let presets = PRESETS.iter().map(|preset| {
        json!({
            "key": preset.key, "title": preset.title, "about": preset.about, "scene": (preset.scene)(),
            "run": preset.run,
        })
    });
    json!({
        "kind": "catalog",
        "version": env!("CARGO_PKG_VERSION"),
        "algorithms": catalog::all().iter().map(algorithm).collect::<Vec<_>>(),
        "maps": maps.collect::<Vec<_>>(),
        "kinds": Kind::ALL.map(Kind::name),
        "worlds": WORLDS.map(|(name, about)| json!({ "name": name, "about": about })),
        "presets": presets.collect::<Vec<_>>(),
        "limits": {
            "side": 1024, "cells": limits::CELLS, "contestants": limits::CONTESTANTS, "budget": [1, limits::BUDGET],
            "frame_budget": [1, limits::FRAME_BUDGET], "agents": limits::AGENTS, "searches": limits::SEARCHES,
            "message": limits::MESSAGE, "ticks": limits::TICKS,
        },
    })
}

/// The worlds, with an example where they have a number.
const WORLDS: [(&str, &str); 4] = [
    ("known", "The agent knows the map."),
    ("unknown", "The agent assumes every cell to be free until it is next to it."),
    (
        "partial:15",
        "The agent knows the map, but 15 percent of the free cells are blocked, which it only sees from the \
        cells around.",
    ),
    (
        "dynamic:5",
        "After every 10 moves of the agent, 5 percent of the cells change: half of them become blocked, half \
        of them free.",
    ),
];

fn algorithm(entry: &Entry) -> Value {
    let facts = &entry.facts;
    let needs = [("hierarchy", facts.needs_hierarchy), ("regions", facts.needs_regions)];
    let needs = needs.into_iter().filter(|(_, is_needed)| *is_needed).map(|(name, _)| name);
    let parameters = entry.parameters().into_iter().map(|parameter| {
        json!({
            "name": parameter.name, "about": parameter.meaning, "default": parameter.default,
            "values": parameter.values,
        })
    });
    let worlds = WorldKind::names_for(entry).into_iter().filter(|name| *name != "script");
    json!({
        "name": entry.name,
        "title": entry.title,
        "paper": entry.paper,
        "about": entry.summary,
        "budget": entry.default_budget,
        "acts_at_once": facts.acts_at_once(),
        "worlds": worlds.collect::<Vec<_>>(),
        "no_openings": facts.no_openings,
        "needs": needs.collect::<Vec<_>>(),
        "facts": { "cost": facts.cost, "changes": facts.changes, "retargets": facts.retargets },
        "parameters": parameters.collect::<Vec<_>>(),
    })
}

/// A scene that shows something.
struct Preset {
    key: &'static str,
    title: &'static str,
    about: &'static str,
    scene: fn() -> SceneSpec,
    /// Ticks per second to begin with.
    run: u32,
}

const PRESETS: [Preset; 7] = [
    Preset {
        key: "bay",
        title: "A blind bay",
        about: "The straight way ends in a bay. TBA* walks in, and knows better before it is at the end; learning \
            real-time search has to fill the bay first.",
        scene: || SceneSpec {
            start: Some([6, 24]),
            goal: Some([70, 24]),
            budget: Some(20),
            ..scene(drawn("blind bay", BAY), &["tba", "rtaa"])
        },
        run: 20,
    },
    Preset {
        key: "two-corridors",
        title: "Two corridors",
        about: "Figure 2 of the TBA* paper: the corridor that looks better is closed. TBA* walks back all the way, with \
            shortcuts it goes through the opening.",
        scene: || SceneSpec {
            budget: Some(30),
            ..scene(built_in("two-corridors"), &["tba", "tba:shortcut=true"])
        },
        run: 30,
    },
    Preset {
        key: "fog",
        title: "Rooms in fog",
        about: "The agents know only what they have been next to. RTBA* searches again at each wall that it discovers; \
            TBAA* remembers what its searches have taught it; Tick* repairs its plan.",
        scene: || SceneSpec {
            world: "unknown".into(),
            seed: 3,
            budget: Some(30),
            ..scene(built_in("rooms-64"), &["rtba", "tbaa", "tick"])
        },
        run: 30,
    },
    Preset {
        key: "bridge",
        title: "Cut the bridge",
        about: "Two bridges over a river. Block the one that the agents walk to while they do, and see them turn: TBA* \
            when it is stopped, the lazy restart when its path is cut, D* Lite by a repair.",
        scene: || SceneSpec {
            start: Some([8, 40]),
            goal: Some([120, 44]),
            budget: Some(60),
            ..scene(drawn("two bridges", BRIDGES), &["tba", "rtb-wastar", "dstar-lite"])
        },
        run: 12,
    },
    Preset {
        key: "maze",
        title: "A maze",
        about: "Corridors one cell wide: A* waits until it knows the way, TBA* moves at once, PRA* plans on a hierarchy \
            of the map.",
        scene: || SceneSpec {
            budget: Some(15),
            ..scene(built_in("maze-64"), &["astar", "tba", "pra"])
        },
        run: 30,
    },
    Preset {
        key: "islands",
        title: "Open islands",
        about: "A large map and a small budget: TBA* needs many ticks until its search has reached the goal, Tick* plans \
            over regions and is on its way at once.",
        scene: || SceneSpec {
            seed: 4,
            budget: Some(100),
            ..scene(built_in("islands-512"), &["tba", "tick"])
        },
        run: 60,
    },
    Preset {
        key: "gates",
        title: "A thousand agents",
        about: "One budget per frame for all of them. Draw walls, and watch them turn.",
        scene: || SceneSpec {
            budget: Some(20_000),
            crowd: Some(CrowdSpec {
                agents: 1000,
                planner: "crowd".into(),
                apart: false,
                one_goal: false,
            }),
            ..scene(drawn("two halls and three gates", GATES), &[])
        },
        run: 20,
    },
];

fn scene(map: MapSpec, contestants: &[&str]) -> SceneSpec {
    SceneSpec {
        map,
        world: "known".into(),
        seed: 1,
        corners: false,
        start: None,
        goal: None,
        budget: None,
        contestants: contestants.iter().map(ToString::to_string).collect(),
        edits: Default::default(),
        crowd: None,
    }
}

fn built_in(name: &str) -> MapSpec {
    MapSpec::Builtin(name.into())
}

/// Width and height, and which cells are blocked, by column and row.
type Drawing = (u32, u32, fn(u32, u32) -> bool);

/// A bay that opens to the left.
const BAY: Drawing = (80, 48, |x, y| {
    let walls = (y == 8 || y == 40) && (18..=56).contains(&x);
    walls || x == 56 && (8..=40).contains(&y)
});

/// A river from top to bottom with two bridges, and rocks on both sides.
const BRIDGES: Drawing = (128, 80, |x, y| {
    let bend = [0, 1, 2, 3, 3, 2, 1, 0][(y as usize / 5) % 8];
    let is_river = (60 + bend..67 + bend).contains(&x);
    let is_bridge = (34..37).contains(&y) || (66..69).contains(&y);
    let rocks = x % 23 < 4 && (y + 3 * x / 23) % 17 < 5 && !(56..76).contains(&x);
    is_river && !is_bridge || rocks && x > 12
});

/// Two halls with a wall between them, and three gates in it.
const GATES: Drawing = (160, 96, |x, y| {
    let is_gate = y.abs_diff(48) < 3 || y.abs_diff(16) < 2 || y.abs_diff(80) < 2;
    let pillars = x % 20 < 2 && y % 16 < 2 && x.abs_diff(80) > 5;
    (78..82).contains(&x) && !is_gate || pillars
});

/// A map whose blocked cells are given by a function of column and row.
fn drawn(name: &str, (width, height, is_blocked): Drawing) -> MapSpec {
    let mut text = format!("type octile\nheight {height}\nwidth {width}\nmap\n");
    for y in 0..height {
        text.extend((0..width).map(|x| if is_blocked(x, y) { '@' } else { '.' }));
        text.push('\n');
    }
    MapSpec::File { name: name.into(), text }
}
