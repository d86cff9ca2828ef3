//! Results frozen problem by problem: outcome, exact cost, moves, intervals, expansions and restarts of
//! every algorithm of the catalog, in every world.
//!
//! Each file in `testdata/digests` belongs to one test. It has one line per map, world, algorithm with
//! parameters, and budget: the number of problems, and a digest of their results. A change that is meant
//! to preserve behavior must not change these files.
//!
//! ```sh
//! # Accept changed results:
//! TICKSTAR_BLESS=1 cargo test -p tickstar-lab --test digests
//! # Write one line per problem, to compare two versions with `diff`:
//! TICKSTAR_DUMP=$PWD/results.txt cargo test -p tickstar-lab --test digests
//! ```

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tickstar::space::{Corners, Neighbors};
use tickstar::{Cell, Cost, Grid, catalog};
use tickstar_lab::files::{read_map, read_problems, read_scen};
use tickstar_lab::{Arena, Job, Outcome, Problem, builtin};

use common::{in_parallel, shared};

/// The seed of the random problems and of the worlds, as on the command line.
const SEED: u64 = 1;

/// A map, a world, and the problems to solve there.
struct Course {
    map: String,
    world: String,
    grid: Grid,
    problems: Vec<Problem>,
}

/// An algorithm with parameters, such as `tba:switch=true`, and its budget per interval.
struct Contestant {
    algorithm: String,
    budget: Option<u64>,
}

/// The results of one contestant on one course.
struct Row {
    /// Map, world, algorithm and budget.
    key: String,
    /// One line per problem.
    results: Vec<String>,
}

// The API under test. Only the functions from here to `catalog_members` use it.

/// Runs the contestants on all problems of the course, the way `tickstar compare` does and with its usual
/// limit of intervals. Algorithms that are not defined in the world are left out. Algorithms that are slow
/// to give up are only run on problems whose goal can be reached at first. A row without results is left
/// out.
fn solve(course: &Course, contestants: &[Contestant]) -> Vec<Row> {
    let script = format!("script:{}/", folder().display());
    let world = course.world.replace("script:", &script).parse().unwrap();
    let mut arena = Arena::new(&world, &course.grid, SEED).unwrap();
    for problem in &course.problems {
        arena.check(problem.goal).unwrap();
    }
    let mut rows = Vec::new();
    for Contestant { algorithm, budget } in contestants {
        let mut parts = algorithm.split(':');
        let entry = catalog::find(parts.next().unwrap()).unwrap();
        let settings: Vec<_> = parts.map(|setting| setting.split_once('=').unwrap()).collect();
        let config = entry.configure(&settings).unwrap();
        if arena.admit(entry).is_err() {
            continue;
        }
        arena.prepare(&config, |_| ()).unwrap();
        let job = Job::new(&course.map, &arena, &config, *budget);
        let results = in_parallel(&course.problems, |problem| {
            if entry.facts.slow_to_give_up() && job.optimal(problem).unwrap().is_none() {
                return None;
            }
            let journey = job.sim(problem).unwrap().run(job.max_intervals, None);
            let outcome = match journey.outcome {
                Outcome::Reached => "reached",
                Outcome::Unreachable => "unreachable",
                Outcome::GaveUp => "gave-up",
            };
            let [start, goal] = [problem.start, problem.goal].map(|end| (end.x, end.y));
            // In the unit that costs had when these results were frozen.
            let cost = journey.tally.cost.0 / (Cost::STRAIGHT.0 / 470_832);
            let moves = journey.path.len() - 1;
            let (intervals, expansions) = (journey.tally.intervals, journey.tally.expansions);
            Some(format!(
                "{start:?} to {goal:?}: {outcome}, cost {cost}, moves {moves}, \
                 intervals {intervals}, expansions {expansions}, restarts {}",
                journey.tally.restarts
            ))
        });
        let budget = budget.map_or("none".to_string(), |budget| budget.to_string());
        let key = format!("{} {} {algorithm} {budget}", course.map, course.world);
        let results: Vec<String> = results.into_iter().flatten().collect();
        if !results.is_empty() {
            rows.push(Row { key, results });
        }
    }
    rows
}

/// A course on a built-in map, whose name may be followed by a rule, such as `caves-128:neighbors=four`,
/// with at most `count` random problems.
fn built_in(map: &str, world: &str, count: usize) -> Course {
    let (name, rule) = map.split_once(':').unwrap_or((map, ""));
    let builtin = builtin::find(name).unwrap();
    let grid = match rule {
        "" => builtin.grid(),
        "corners=allowed" => builtin.grid().with_corners(Corners::Allowed),
        "neighbors=four" => builtin.grid().with_neighbors(Neighbors::Four),
        other => panic!("unknown rule {other}"),
    };
    let mut problems = builtin.problems(&grid, count, SEED);
    if map == "random-64" {
        // The cell (0, 0) is walled in. The last problem needs no move.
        let [corner, middle] = [Cell::new(0, 0), Cell::new(30, 30)];
        let ends = [(middle, corner), (corner, middle), (middle, middle)];
        problems.extend(ends.map(|(start, goal)| Problem { start, goal, optimal: None }));
    }
    Course { map: map.into(), world: world.into(), grid, problems }
}

/// A course on a map of the benchmark, with the problems of a list, or with every `step`th problem of the
/// map's scenario file if there is no list.
fn benchmark(map: &str, world: &str, list: Option<&str>, step: usize) -> Course {
    let path = shared().join(format!("maps/{map}.map"));
    let grid = read_map(&path).unwrap();
    let problems = match list {
        Some(list) => read_problems(&common::list(list), &grid).unwrap(),
        None => read_scen(&path.with_extension("map.scen"), &format!("{map}.map"), &grid).unwrap(),
    };
    let problems = problems.into_iter().step_by(step).collect();
    Course { map: map.into(), world: world.into(), grid, problems }
}

/// Name, parameters and default budget of every algorithm. Those that need the map's abstraction are last,
/// so that the others do not carry it along.
fn catalog_members() -> Vec<(&'static str, Vec<&'static str>, Option<u64>)> {
    let mut entries: Vec<_> = catalog::all().iter().collect();
    entries.sort_by_key(|entry| entry.facts.needs_hierarchy);
    let member = |entry: &'static catalog::Entry| {
        let parameters = entry.parameters().iter().map(|parameter| parameter.name).collect();
        (entry.name, parameters, entry.default_budget)
    };
    entries.into_iter().map(member).collect()
}

// The comparison with the files.

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/digests")
}

/// 64-bit FNV-1a.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Runs the contestants of each course and compares the results with the file of the group.
fn check(group: &str, races: &[(Course, Vec<Contestant>)]) {
    let rows = in_parallel(races, |(course, contestants)| solve(course, contestants));
    let rows: Vec<Row> = rows.into_iter().flatten().collect();
    let keys: BTreeSet<_> = rows.iter().map(|row| &row.key).collect();
    assert_eq!(keys.len(), rows.len(), "every key occurs once");
    dump(group, &rows);

    let line = |Row { key, results }: &Row| {
        format!("{key} {} {:016x}", results.len(), fnv(&results.join("\n")))
    };
    let lines: Vec<String> = rows.iter().map(line).collect();
    let path = folder().join(format!("{group}.txt"));
    if std::env::var_os("TICKSTAR_BLESS").is_some() {
        let header = "# map, world, algorithm, budget, problems, digest: \
                      see crates/tickstar-lab/tests/digests.rs";
        std::fs::write(&path, format!("{header}\n{}\n", lines.join("\n"))).unwrap();
        return;
    }
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let before: BTreeSet<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let now: BTreeSet<_> = lines.iter().map(String::as_str).collect();
    let gone = before.difference(&now).map(|line| (line, '-'));
    let mut differences: Vec<_> =
        gone.chain(now.difference(&before).map(|line| (line, '+'))).collect();
    // By line, so that the old and the new digest of a key are next to each other.
    differences.sort_unstable();
    let mut listed = String::new();
    for (line, sign) in &differences {
        writeln!(listed, "{sign} {line}").unwrap();
    }
    assert!(
        differences.is_empty(),
        "results differ from testdata/digests/{group}.txt (- on file, + now):\n{listed}\
         To see which problems differ, write them to a file with TICKSTAR_DUMP=FILE in both versions.\n\
         To accept the results: TICKSTAR_BLESS=1 cargo test -p tickstar-lab --test digests"
    );
}

/// Writes the results of all groups that are done to the file `TICKSTAR_DUMP`, if it is set. The order
/// does not depend on which test is done first.
fn dump(group: &str, rows: &[Row]) {
    static DONE: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    let Some(path) = std::env::var_os("TICKSTAR_DUMP") else { return };
    let mut text = String::new();
    for Row { key, results } in rows {
        for result in results {
            writeln!(text, "{group}: {key}: {result}").unwrap();
        }
    }
    let mut done = DONE.lock().unwrap();
    done.insert(group.to_string(), text);
    std::fs::write(path, done.values().map(String::as_str).collect::<String>()).unwrap();
}

// Built-in maps.

const MAPS: [&str; 7] = [
    "rooms-64",
    "maze-64",
    "random-64",
    "caves-128",
    "islands-128",
    "random-64:corners=allowed",
    "caves-128:neighbors=four",
];

/// With 8 % of the cells blocked, some goals in `rooms-64` cannot be reached, and none in `maze-64`.
const WORLDS: [&str; 4] = ["known", "unknown", "partial:8", "dynamic:5"];

/// Scripts for `rooms-64`. In the first nothing opens, so that every algorithm is defined there.
const SCRIPTS: [&str; 2] = ["script:shut.script", "script:doors.script"];

/// Settings other than the defaults. Every parameter of every algorithm occurs.
const VARIANTS: [(&str, &[&str]); 25] = [
    ("astar", &["successors=canonical", "open=heap"]),
    ("wastar", &["weight=3", "reopen=true", "open=heap"]),
    ("gbfs", &["open=heap"]),
    ("late-astar", &["r=0.5:c=2", "trace=free", "successors=canonical", "open=heap"]),
    (
        "tba",
        &[
            "r=0.5:c=2",
            "trace=free",
            "shortcut=true",
            "switch=true",
            "shortcut=true:switch=true",
            "trace=free:shortcut=true",
            "successors=canonical",
            "open=heap",
        ],
    ),
    ("tba-jps", &["r=0.5:c=2", "trace=free", "switch=true"]),
    (
        "tb-wastar",
        &[
            "weight=1.4",
            "reopen=true",
            "r=0.5:c=2",
            "trace=free",
            "trace=free:reopen=true",
            "shortcut=true",
            "switch=true",
            "open=heap",
        ],
    ),
    ("tb-gbfs", &["r=0.5:c=2", "trace=free", "shortcut=true", "switch=true", "open=heap"]),
    ("rtba", &["r=0.5:c=2", "trace=free", "shortcut=true", "switch=true", "open=heap"]),
    (
        "tbaa",
        &[
            "weight=3",
            "weight=3:reopen=true",
            "r=0.5:c=2",
            "trace=free",
            "shortcut=true",
            "switch=true",
            "open=heap",
        ],
    ),
    (
        "rtb-wastar",
        &[
            "weight=1",
            "reopen=true",
            "restart=eager",
            "weight=1:restart=eager",
            "r=0.5:c=2",
            "trace=free",
            "shortcut=true",
            "switch=true",
            "open=heap",
        ],
    ),
    (
        "rtb-gbfs",
        &["restart=eager", "r=0.5:c=2", "trace=free", "shortcut=true", "switch=true", "open=heap"],
    ),
    ("lrta", &["depth=1", "depth=8"]),
    ("p-lrta", &["queue=0", "queue=100"]),
    ("lss-lrta", &["moves=all", "open=heap"]),
    ("rtaa", &["moves=all", "open=heap"]),
    ("a-rtaa", &["moves=all", "open=heap"]),
    ("da-rtaa", &["moves=all", "open=heap"]),
    ("repeated-astar", &["open=heap"]),
    ("adaptive-astar", &["open=heap"]),
    ("dstar-lite", &["ties=near", "open=heap"]),
    (
        "pra",
        &[
            "k=inf",
            "k=2",
            "level=half",
            "level=top",
            "level=1",
            "k=inf:level=top",
            "corridor=0",
            "keep=false",
            "open=heap",
        ],
    ),
    ("pr-lrta", &["level=2", "depth=1", "gamma=0.4"]),
    ("d-lrta", &["level=2", "depth=1"]),
    (
        "tick",
        &[
            "early=false",
            "look=4:first-look=2",
            "ahead=96:polish=false",
            "coarse-weight=1:leg-weight=2",
            "open=heap",
        ],
    ),
];

/// Every algorithm with its default budget, with 100 if that is unlimited, and with 10.
fn members() -> Vec<Contestant> {
    let mut contestants = Vec::new();
    for (name, _, default) in catalog_members() {
        let mut budgets = vec![default, default.or(Some(100)), Some(10)];
        budgets.dedup();
        contestants.extend(with_budgets(&[name], &budgets));
    }
    contestants
}

/// Every variant with the given budget. If there is none: with the default budget of the algorithm, or
/// with 100 if that is unlimited.
fn variants(budget: Option<u64>) -> Vec<Contestant> {
    let mut contestants = Vec::new();
    for (name, _, default) in catalog_members() {
        let budget = budget.or(default).or(Some(100));
        for (_, settings) in VARIANTS.iter().filter(|(varied, _)| *varied == name) {
            let with =
                |setting: &&str| Contestant { algorithm: format!("{name}:{setting}"), budget };
            contestants.extend(settings.iter().map(with));
        }
    }
    contestants
}

/// Each algorithm with each budget.
fn with_budgets(algorithms: &[&str], budgets: &[Option<u64>]) -> Vec<Contestant> {
    let mut contestants = Vec::new();
    for algorithm in algorithms {
        let with = |&budget| Contestant { algorithm: (*algorithm).to_string(), budget };
        contestants.extend(budgets.iter().map(with));
    }
    contestants
}

/// All algorithms on all maps. The variants are run on fewer maps and problems.
#[test]
fn built_in_maps() {
    let mut races = Vec::new();
    for world in WORLDS {
        races.extend(MAPS.map(|map| (built_in(map, world, 6), members())));
        races.push((built_in("rooms-64", world, 4), variants(None)));
        races.push((built_in("caves-128", world, 2), variants(None)));
        races.push((built_in("random-64:corners=allowed", world, 4), variants(Some(10))));
    }
    for world in SCRIPTS {
        races.push((built_in("rooms-64", world, 6), members()));
        races.push((built_in("rooms-64", world, 2), variants(None)));
    }
    races.push((built_in("two-corridors", "known", 1), members()));
    races.push((built_in("two-corridors", "known", 1), variants(None)));
    check("built-in", &races);
}

#[test]
fn every_parameter_has_a_variant() {
    for (name, parameters, _) in catalog_members() {
        let own = VARIANTS.iter().filter(|(varied, _)| *varied == name);
        let settings: Vec<_> =
            own.flat_map(|(_, all)| all.iter().flat_map(|one| one.split(':'))).collect();
        for parameter in parameters {
            let sets = |setting: &&str| setting.split('=').next() == Some(parameter);
            assert!(settings.iter().any(sets), "no variant of {name} sets {parameter}");
        }
    }
}

// The benchmark's maps.

/// The build script looks for the maps, but is not run again when they are added.
#[cfg(not(benchmark_maps))]
#[test]
fn benchmark_maps_are_noticed() {
    let added = ["maps", "problems"].iter().all(|folder| shared().join(folder).is_dir());
    assert!(!added, "../shared was added since the last build: touch crates/tickstar-lab/build.rs");
}

/// The three maps of the 2009 paper, with all their problems.
fn courses_of_2009(world: &str) -> [Course; 3] {
    ["battleground", "divideandconquer", "duskwood"].map(|map| {
        let list = format!("tba-2009/{map}.txt");
        let course = benchmark(&format!("wc3-512/{map}"), world, Some(&list), 1);
        assert_eq!(course.problems.len(), 100, "{map}");
        course
    })
}

/// The first command of `papers/2009-tba-star.md`.
#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn table_1_of_the_2009_paper() {
    let algorithms =
        ["tba", "late-astar", "tba:switch=true", "tba:shortcut=true", "tba:trace=free"];
    let budgets = [10, 25, 50, 75, 100, 200, 500, 1000].map(Some);
    let races =
        courses_of_2009("known").map(|course| (course, with_budgets(&algorithms, &budgets)));
    check("2009-table-1", &races);
}

/// The command for smaller budgets of `papers/2012-tbaa-star.md`.
#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn unknown_terrain_of_the_2012_paper() {
    let algorithms = ["rtba:trace=free", "tbaa:trace=free", "rtba", "tbaa"];
    let budgets = [10, 100].map(Some);
    let races =
        courses_of_2009("unknown").map(|course| (course, with_budgets(&algorithms, &budgets)));
    check("2012-unknown", &races);
}

/// The first command of `papers/2014-time-bounded-best-first.md`.
#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn weights_and_greed_of_the_2014_paper() {
    let algorithms = [
        "tba:trace=free",
        "tb-wastar:trace=free:weight=1.4",
        "tb-wastar:trace=free:weight=1.8",
        "tb-wastar:trace=free:weight=2.2",
        "tb-wastar:trace=free:weight=2.6",
        "tb-wastar:trace=free:weight=3",
        "tb-gbfs:trace=free",
        "tb-wastar:trace=free:weight=3:reopen=true",
    ];
    let races =
        courses_of_2009("known").map(|course| (course, with_budgets(&algorithms, &[Some(9)])));
    check("2014-weights", &races);
}

/// A fixed sample of `papers/2005-pra-star.md`, whose command takes half an hour: 12 of its 93 maps, and
/// every 41st problem.
#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn path_refinement_of_the_2005_paper() {
    let maps = [
        "bg-512/AR0012SR",
        "bg-512/AR0044SR",
        "bg-512/AR0201SR",
        "bg-512/AR0300SR",
        "bg-512/AR0400SR",
        "bg-512/AR0700SR",
        "wc3-512/battleground",
        "wc3-512/duskwood",
        "wc3-512/icecrown",
        "wc3-512/moonglade",
        "wc3-512/riverrun",
        "wc3-512/timbermawhold",
    ];
    let algorithms = [
        "astar",
        "pra:k=inf",
        "pra:k=16",
        "pra:k=2",
        "pra:k=inf:level=half",
        "pra:k=inf:level=top",
        "pra:k=inf:corridor=0",
    ];
    let races =
        maps.map(|map| (benchmark(map, "known", None, 41), with_budgets(&algorithms, &[None])));
    check("2005-refinement", &races);
}
