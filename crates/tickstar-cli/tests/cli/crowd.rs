//! `tickstar crowd` and `tickstar bench crowd`: figures that repeat, pictures, and what is refused.

use serde_json::Value;

use crate::support::{Folder, INPUT, USAGE, has_in_order, length, map, number, refused};

/// The one object of a crowd, with its times removed.
fn crowd(folder: &Folder, arguments: &str) -> Value {
    let mut all = folder.run(&format!("crowd --json {arguments}")).json();
    assert_eq!(all.len(), 1, "{arguments}");
    let mut one = all.remove(0);
    let times = one.as_object_mut().unwrap().remove("times").unwrap();
    assert!(length(&times, "frame_max_ms") >= length(&times, "frame_p50_ms"), "{times}");
    one
}

fn keys(row: &Value) -> Vec<&str> {
    row.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn figures_repeat_with_a_budget_in_units() {
    let folder = Folder::new("crowd-repeats");
    for flags in
        ["", "--avoid-collisions", "--stream 20 --goals 3 --edits 4", "--no-share --no-refine"]
    {
        let arguments = format!("--map builtin:islands-128 --agents 200 --budget 3000 {flags}");
        let first = crowd(&folder, &arguments);
        assert_eq!(first, crowd(&folder, &arguments), "{flags}");
        assert_eq!(number(&first, "agents"), 200, "{flags}");
        assert!(number(&first, "arrived") + number(&first, "unreachable") == 200, "{first}");
        assert!(length(&first, "arrival_over_moves") >= 1.0, "{first}");
        assert_ne!(first, crowd(&folder, &format!("{arguments} --seed 2")), "{flags}");
    }
}

#[test]
fn figures_have_their_names() {
    let folder = Folder::new("crowd-names");
    let row = &folder.run("crowd --map builtin:rooms-64 --agents 50 --json").json()[0];
    let names = [
        "map",
        "seed",
        "budget",
        "agents",
        "arrived",
        "unreachable",
        "never_moved",
        "frames",
        "complete",
        "optimal_moves",
        "arrival_over_moves",
        "suboptimality",
        "standing",
        "last_first_move",
        "longest_wait",
        "units_per_agent",
        "planning_units_per_agent",
        "crowd_bytes",
        "times",
    ];
    has_in_order(&keys(row), &names);
    assert_eq!((&row["budget"], &row["complete"]), (&"2ms".into(), &true.into()));
    assert!(length(&row["times"], "over_budget") <= 1.0, "{row}");
    #[cfg(target_os = "linux")]
    assert!(number(&row["times"], "resident_bytes") > 1 << 20, "{row}");
}

#[test]
fn the_summary_says_whether_all_have_arrived() {
    let folder = Folder::new("crowd-summary");
    let run = "crowd --map builtin:caves-128 --agents 40 --budget 2000";
    let text = folder.run(run).good();
    assert!(text.starts_with("caves-128: 40 of 40 agents arrived in "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let cut = folder.run(&format!("{run} --frames 3")).good();
    assert!(cut.contains("not complete: ") && cut.contains("at least "), "{cut}");
}

#[test]
fn pictures_and_animations_are_drawn() {
    let folder = Folder::new("crowd-pictures");
    let run = "crowd --map builtin:islands-128 --agents 60 --budget 5000";
    let text = folder.run(&format!("{run} --picture a.svg --at 20 --animate film.svg")).good();
    assert!(text.contains("a.svg: islands-128") && text.contains("frame 20: "), "{text}");
    assert!(text.contains("film.svg: islands-128 · 60 of 60 agents"), "{text}");
    // All agents, and those of the legend.
    let dots = |name: &str| folder.text(name).matches("<circle").count();
    assert!((61..=62).contains(&dots("a.svg")), "{}", dots("a.svg"));
    assert_eq!(dots("film.svg"), 60 + 2);
    assert_eq!(folder.text("film.svg").matches("<animateTransform").count(), 60);
    // After the end, it is the last frame.
    let text = folder.run(&format!("{run} --picture b.png --at 100000 --edits 3")).good();
    assert!(text.contains("0 on their way, "), "{text}");
    assert_eq!(&folder.read("b.png")[..4], b"\x89PNG");
}

#[test]
fn a_small_map_is_enough() {
    let folder = Folder::new("crowd-small");
    folder.write("a.map", map(&["...", ".@.", "..."]));
    let row =
        crowd(&folder, "--map a.map --agents 8 --avoid-collisions --budget 1000 --frames 500");
    assert_eq!(number(&row, "agents"), 8);
    let row = crowd(&folder, "--map a.map --agents 100 --budget 1000 --neighbors 4");
    assert_eq!(number(&row, "arrived"), 100);
}

#[test]
fn what_is_wrong_is_refused() {
    let folder = Folder::new("crowd-wrong");
    folder.write("full.map", map(&["@@", "@@"]));
    folder.write("a.map", map(&["...", ".@.", "..."]));
    let budget =
        "expected milliseconds from 0.001 to 60000, such as 2ms, or a whole number of units";
    for (flags, code, named) in [
        ("--agents 0", USAGE, "expected a whole number from 1 to 1000000"),
        ("--agents -5", USAGE, "expected a whole number from 1 to 1000000"),
        ("--budget 0ms", USAGE, budget),
        ("--budget -1", USAGE, budget),
        ("--budget parsecs", USAGE, budget),
        ("--frames 0", USAGE, "expected a whole number from 1"),
        ("--at 5", USAGE, "--picture"),
        ("--map full.map", INPUT, "full.map: no two free cells of the map are connected"),
        ("--map full.map --avoid-collisions", INPUT, "no two free cells"),
        ("--map missing.map", INPUT, "missing.map: there is no such file"),
        ("--map builtin:rooms-65", USAGE, "there is no map `builtin:rooms-65`"),
        (
            "--map a.map --agents 9 --avoid-collisions",
            USAGE,
            "9 agents that avoid collisions need as many cells, but the largest connected part of the map has 8",
        ),
        (
            "--map a.map --agents 5 --avoid-collisions --stream 1",
            USAGE,
            "starts and goals need two cells per agent: the map has 8 free cells",
        ),
        ("--picture a.gif", USAGE, "a.gif: the picture's name must end in .png or .svg"),
        ("--picture none/a.png", INPUT, "none/a.png: cannot be written: there is no such folder"),
        ("--animate none/a.svg", INPUT, "none/a.svg: cannot be written: there is no such folder"),
        ("--animate a.png", USAGE, "a.png: the name of an animation must end in .svg"),
        ("--animate a.svg --picture a.svg", USAGE, "a.svg: this is named twice"),
        ("--map a.map --max-bytes 1", INPUT, "the crowd takes "),
    ] {
        refused(&folder, &format!("crowd {flags}"), code, &[named]);
        assert!(!folder.path("a.svg").exists() && !folder.path("a.png").exists(), "{flags}");
    }
    let parsecs = folder.run_guarded(&["crowd", "--budget", "2 parsecs"], "a budget of two words");
    assert_eq!(parsecs.code, Some(USAGE));
    assert!(parsecs.err.contains(budget), "{}", parsecs.err);
    for (flags, code, named) in [
        ("--planners crwd", USAGE, "`crwd` is neither `crowd` nor an algorithm"),
        ("--planners crowd,pra:k=-1", USAGE, "k"),
        ("--budgets 2ms,0", USAGE, budget),
        ("--budgets -1", USAGE, budget),
        ("--agents 10,0", USAGE, "expected a whole number from 1"),
        ("--map full.map", INPUT, "full: no two free cells of the map are connected"),
        ("--map a.map --maps .", USAGE, "cannot be used with"),
        ("--maps none", INPUT, "none: there is no such folder"),
        ("--map a.map --plot none/a.svg", INPUT, "none/a.svg: cannot be written"),
        ("--map a.map --avoid-collisions", USAGE, "a: 5000 agents that avoid collisions need"),
    ] {
        refused(&folder, &format!("bench crowd {flags}"), code, &[named]);
    }
}

#[test]
fn planners_and_budgets_have_a_row_each() {
    let folder = Folder::new("crowd-bench");
    let bench = "bench crowd --map builtin:rooms-64 --map builtin:caves-128 --agents 60,30 \
                 --planners crowd,pra:k=16:budget=50+100 --budgets 2000,9000 --goals 5";
    let rows = || folder.run(&format!("{bench} --json --plot p.svg")).json();
    let mut first = rows();
    let (runs, walking): (Vec<_>, Vec<_>) = first.iter().partition(|row| row["kind"] == "run");
    assert_eq!((runs.len(), walking.len()), (2 * 2 * 3 * 2, 2 * 2));
    for row in &runs {
        has_in_order(&keys(row), &["kind", "map", "planner", "budget", "agents", "times", "seed"]);
        assert_eq!((&row["complete"], &row["arrived"]), (&true.into(), &row["agents"]));
    }
    for row in walking {
        let names = ["map", "agents", "frames", "warm_ms_per_10000", "cold_ms_per_10000"];
        has_in_order(&keys(row), &names);
    }
    let planners: Vec<_> =
        runs.iter().take(6).map(|row| row["planner"].as_str().unwrap()).collect();
    let pra = ["pra:k=16:budget=50", "pra:k=16"];
    assert_eq!(planners, ["crowd", "crowd", pra[0], pra[0], pra[1], pra[1]]);
    assert!(folder.text("p.svg").starts_with("<svg "));
    // All but times repeat.
    let mut again = rows();
    for row in first.iter_mut().chain(&mut again) {
        let row = row.as_object_mut().unwrap();
        for key in ["times", "warm_ms_per_10000", "cold_ms_per_10000"] {
            row.remove(key);
        }
    }
    assert_eq!(first, again);
}

#[test]
fn the_table_names_what_was_cut_off() {
    let folder = Folder::new("crowd-table");
    let bench = "bench crowd --map builtin:rooms-64 --agents 100 --budgets 500 --frames 40";
    let text = folder.run(bench).good();
    assert!(text.contains("rooms-64: 100 agents, shortest paths of "), "{text}");
    assert!(text.contains('≥') && text.contains("pra:k=16") && text.contains("walking"), "{text}");
}
