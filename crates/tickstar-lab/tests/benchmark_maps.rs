//! The public benchmark's maps and the papers' figures on them, where they lie beside the repository.

mod common;

use std::path::Path;

use tickstar::catalog::{self, Config};
use tickstar::search::SearchConfig;
use tickstar::{Event, Grid, NodeId, Seen, Slice, Space, Step, find_path};
use tickstar_lab::files::{read_map, read_problems, read_scen};
use tickstar_lab::{Arena, Outcome, Sim};

use common::{in_parallel, list, shared};

#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn lengths_agree_with_those_the_benchmark_states() {
    let shared = shared();
    for map in ["wc3-512/battleground.map", "dao/orz103d.map", "rooms/32room_000.map"] {
        let path = shared.join("maps").join(map);
        let grid = read_map(&path).unwrap();
        let problems = read_scen(&path.with_extension("map.scen"), map, &grid).unwrap();
        let chosen: Vec<_> = problems.iter().step_by(25).collect();
        assert!(chosen.len() >= 10, "{map}");
        in_parallel(&chosen, |problem| {
            let [start, goal] = [problem.start, problem.goal].map(|cell| grid.node(cell).unwrap());
            let path = find_path(&grid, start, goal, SearchConfig::default()).unwrap();
            let ours = path.map_or(0.0, |path| path.cost.in_cells());
            let theirs = problem.optimal.unwrap();
            assert!((ours - theirs).abs() <= 0.01, "{map}: {problem:?}: {ours}");
        });
    }
}

/// A problem of the 2009 paper's maps, with the length of a shortest path.
struct Course<'g> {
    grid: &'g Grid,
    start: NodeId,
    goal: NodeId,
    optimal: f64,
}

const MAPS: [&str; 3] = ["battleground", "divideandconquer", "duskwood"];

fn grids(shared: &Path) -> Vec<Grid> {
    let path = |name| shared.join(format!("maps/wc3-512/{name}.map"));
    MAPS.iter().map(|name| read_map(&path(name)).unwrap()).collect()
}

/// All problems on the grids of these maps.
fn courses(grids: &[Grid]) -> Vec<Course<'_>> {
    let mut ends = Vec::new();
    for (name, grid) in MAPS.iter().zip(grids) {
        let path = list(&format!("tba-2009/{name}.txt"));
        for problem in read_problems(&path, grid).unwrap() {
            let [start, goal] = [problem.start, problem.goal].map(|cell| grid.node(cell).unwrap());
            ends.push((grid, start, goal));
        }
    }
    assert_eq!(ends.len(), 300);
    in_parallel(&ends, |&(grid, start, goal)| {
        let path = find_path(grid, start, goal, SearchConfig::default()).unwrap().unwrap();
        Course { grid, start, goal, optimal: path.cost.in_cells() }
    })
}

/// Length walked over the shortest, and expansions, of one walk.
///
/// Each interval is held to the paper's bounds: floor(0.9 R) expansions and, for each of the rest of
/// R, ten trace steps; once the path is found, ten for each of R.
fn walk(course: &Course<'_>, config: &Config, budget: u64) -> (f64, u64) {
    let &Course { grid, start, goal, optimal } = course;
    let most_expansions = budget * 9 / 10;
    let most_traces = (budget - most_expansions) * 10;
    let mut agent = config.agent(grid, start, goal).unwrap();
    let (mut length, mut total, mut found) = (0.0, 0, false);
    while agent.position() != goal {
        let at = agent.position();
        let mut slice = Slice::new(budget);
        let step = agent.tick(grid, agent.position(), Seen::default(), &mut slice);
        let (expansions, traces) = (slice.expansions(), slice.traces());
        assert!(expansions <= if found { 0 } else { most_expansions }, "{expansions} expansions");
        assert!(traces <= if found { 10 * budget } else { most_traces }, "{traces} trace steps");
        found |= slice.has(Event::Found);
        total += expansions;
        match step {
            Step::Move(to) => length += grid.edge(at, to).unwrap().in_cells(),
            Step::Wait => {}
            Step::Arrived | Step::Unreachable => panic!("{step:?} on the way"),
        }
    }
    (length / optimal, total)
}

/// The means of these over all problems.
fn means(courses: &[Course<'_>], name: &str, settings: &[(&str, &str)], budget: u64) -> (f64, f64) {
    let config = catalog::find(name).unwrap().configure(settings).unwrap();
    let walks = in_parallel(courses, |course| walk(course, &config, budget));
    let count = walks.len() as f64;
    let length = walks.iter().map(|walk| walk.0).sum::<f64>() / count;
    let expansions = walks.iter().map(|walk| walk.1).sum::<u64>() as f64 / count;
    println!("{name} {settings:?} with R = {budget}: {length:.4}, {expansions:.1} expansions");
    (length, expansions)
}

fn assert_near(value: f64, expected: &[f64]) {
    for expected in expected {
        let apart = (value / expected - 1.0).abs();
        assert!(apart <= 0.04, "{value} is {:.1} % from {expected}", 100.0 * apart);
    }
}

#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn table_1_of_the_2009_paper_with_100() {
    let shared = shared();
    let grids = grids(&shared);
    let courses = courses(&grids);
    let (length, expansions) = means(&courses, "tba", &[], 100);
    assert_near(length, &[1.21, 1.23]);
    assert!((expansions - 6447.0).abs() <= 1.0, "{expansions}");
    let (late, expansions) = means(&courses, "late-astar", &[], 100);
    assert_near(late, &[1.30]);
    assert!((expansions - 6447.0).abs() <= 1.0, "{expansions}");
    assert!(length < late, "acting early is of use");
}

#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn table_1_of_the_2009_paper_with_1000() {
    let shared = shared();
    let grids = grids(&shared);
    let courses = courses(&grids);
    let (length, expansions) = means(&courses, "tba", &[], 1000);
    assert_near(length, &[1.01]);
    assert!((expansions - 6447.0).abs() <= 1.0, "{expansions}");
    let (late, expansions) = means(&courses, "late-astar", &[], 1000);
    assert_near(late, &[1.02]);
    assert!((expansions - 6447.0).abs() <= 1.0, "{expansions}");
}

#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn not_leaving_a_path_for_a_shorter_one_helps() {
    let shared = shared();
    let grids = grids(&shared);
    let courses = courses(&grids);
    let (plain, expansions) = means(&courses, "tba", &[], 100);
    let (switch, same) = means(&courses, "tba", &[("switch", "true")], 100);
    assert!(switch < plain, "{switch} is not below {plain}");
    assert!((expansions - same).abs() < 1e-9, "the search is the same one");
}

/// The means over all problems of length walked over the shortest, expansions, and intervals, with k
/// expansions per interval and tracing free of charge.
fn in_world(
    courses: &[Course<'_>],
    world: &str,
    (name, settings): (&str, &[(&str, &str)]),
    k: u64,
) -> [f64; 3] {
    let settings = [settings, &[("trace", "free")]].concat();
    let config = catalog::find(name).unwrap().configure(&settings).unwrap();
    let walks = in_parallel(courses, |&Course { grid, start, goal, optimal }| {
        let arena = Arena::new(&world.parse().unwrap(), grid, 1).unwrap();
        let mut sim = Sim::new(&arena, &config, k, (start, goal)).unwrap();
        let journey = sim.run(Some(1_000_000), None);
        assert_eq!(journey.outcome, Outcome::Reached);
        let length = journey.tally.cost.in_cells() / optimal;
        [length, journey.tally.expansions as f64, journey.tally.intervals as f64]
    });
    let mean = |i: usize| walks.iter().map(|walk| walk[i]).sum::<f64>() / walks.len() as f64;
    let means = [mean(0), mean(1), mean(2)];
    println!("{world}: {name} {settings:?} with k = {k}: {means:.4?}");
    means
}

/// Weights and greed pay with a small budget, as the 2014 paper says. The lengths are those of an
/// independent implementation.
#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn weights_and_greed_with_nine_expansions() {
    let shared = shared();
    let grids = grids(&shared);
    let courses = courses(&grids);
    let means = |name, settings: &[(&str, &str)]| in_world(&courses, "known", (name, settings), 9);
    assert_near(means("tb-gbfs", &[])[0], &[1.53]);
    for (weight, length) in
        [("1.4", 2.16), ("1.8", 1.86), ("2.2", 1.72), ("2.6", 1.66), ("3", 1.65)]
    {
        assert_near(means("tb-wastar", &[("weight", weight)])[0], &[length]);
    }
    let [length, expansions, _] = means("tb-wastar", &[("weight", "1")]);
    assert_near(length, &[3.83]);
    let reopening = means("tb-wastar", &[("weight", "3"), ("reopen", "true")])[1];
    assert!((reopening - 8704.0).abs() <= 1.0 && reopening > expansions, "{reopening}");
}

/// Learning pays in unknown terrain, as the 2012 paper says. The lengths are those of an independent
/// implementation, whose ties may be broken in another order.
#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn unknown_terrain_with_ten_and_a_hundred_expansions() {
    let shared = shared();
    let grids = grids(&shared);
    let courses = courses(&grids);
    for (k, restarting, adaptive) in [(10, 10.2, 3.89), (100, 2.87, 2.15)] {
        let means = |name| in_world(&courses, "unknown", (name, &[]), k);
        let (rtba, tbaa) = (means("rtba"), means("tbaa"));
        assert_near(rtba[0], &[restarting]);
        assert_near(tbaa[0], &[adaptive]);
        assert!(tbaa[2] < rtba[2], "fewer intervals");
    }
}
