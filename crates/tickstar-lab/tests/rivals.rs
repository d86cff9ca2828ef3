//! The time-bounded searches compared with other real-time searches, as in the papers of 2009 and 2012, on
//! a few problems of the maps beside the repository.

mod common;

use std::path::Path;

use tickstar::Grid;
use tickstar::catalog;
use tickstar::space::Corners;
use tickstar_lab::files::{read_map, read_problems};
use tickstar_lab::{Arena, Job, Problem, Record, Summary};

use common::{in_parallel, shared};

/// A map with some of its problems.
struct Course {
    grid: Grid,
    problems: Vec<Problem>,
}

impl Course {
    /// The first `take` problems of a file.
    fn read(shared: &Path, map: &str, problems: &str, corners: Corners, take: usize) -> Course {
        let grid = read_map(&shared.join("maps").join(map)).unwrap().with_corners(corners);
        let mut problems = read_problems(&shared.join("problems").join(problems), &grid).unwrap();
        problems.truncate(take);
        assert_eq!(problems.len(), take, "{map}");
        Course { grid, problems }
    }

    /// The records of all problems.
    fn run(&self, world: &str, (name, settings): Setting<'_>, budget: Option<u64>) -> Vec<Record> {
        let config = catalog::find(name).unwrap().configure(settings).unwrap();
        let arena = Arena::new(&world.parse().unwrap(), &self.grid, 1).unwrap();
        let job = Job::new("", &arena, &config, budget);
        in_parallel(&self.problems, |problem| job.record(problem).unwrap())
    }
}

/// An algorithm and its parameters.
type Setting<'a> = (&'a str, &'a [(&'a str, &'a str)]);

/// Runs all problems of all maps, each of which must be solved; returns the means, and prints them for
/// a test that fails.
fn means(courses: &[Course], world: &str, setting: Setting<'_>, budget: Option<u64>) -> Summary {
    let records: Vec<_> =
        courses.iter().flat_map(|course| course.run(world, setting, budget)).collect();
    let summary = Summary::of(&records);
    assert_eq!(summary.reached, summary.problems, "{setting:?}");
    let budget = budget.map_or("no limit".to_string(), |budget| budget.to_string());
    println!(
        "{world}: {setting:?} with {budget}: length {:.3}, {:.1} intervals, {:.1} expansions per move, \
         {} at most",
        summary.value("suboptimality"),
        summary.value("intervals"),
        summary.value("expansions_per_move"),
        summary.value("max_expansions_per_interval"),
    );
    summary
}

/// Checks that each is clearly less than the next: at least by this factor.
fn assert_rising(what: &str, factor: f64, values: &[(&str, f64)]) {
    for pair in values.windows(2) {
        assert!(pair[0].1 * factor < pair[1].1, "{what}: {values:.3?}");
    }
}

/// Figure 3 of the 2009 paper: the walk of TBA* is shorter than those of the learning searches, with less
/// work for each move.
#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn figure_3_of_the_2009_paper() {
    let shared = shared();
    let courses = ["battleground", "divideandconquer", "duskwood"].map(|name| {
        let (map, problems) = (format!("wc3-512/{name}.map"), format!("tba-2009/{name}.txt"));
        Course::read(&shared, &map, &problems, Corners::Never, 10)
    });
    let tba = means(&courses, "known", ("tba", &[]), Some(50));
    let lss = means(&courses, "known", ("lss-lrta", &[]), Some(40));
    let lrta = means(&courses, "known", ("lrta", &[("depth", "4")]), None);
    let length = |summary: &Summary| summary.value("suboptimality");
    let lengths = [("tba", length(&tba)), ("lss-lrta", length(&lss)), ("lrta", length(&lrta))];
    assert_rising("length over the shortest", 1.1, &lengths);
    for (name, rival) in [("lss-lrta", &lss), ("lrta", &lrta)] {
        let work =
            [("tba", tba.value("expansions_per_move")), (name, rival.value("expansions_per_move"))];
        assert_rising("expansions per move", 1.1, &work);
    }
    let most = |summary: &Summary| summary.value("max_expansions_per_interval") as u64;
    assert_eq!(most(&lrta), 49, "a ball of seven by seven");
    assert!(most(&tba) <= 45 && most(&lss) <= 40);
}

/// What the 2012 paper calls 0.3 ms.
const K: u64 = 976;
const FREE: [(&str, &str); 1] = [("trace", "free")];

fn orz103d(shared: &Path, take: usize) -> [Course; 1] {
    let (map, problems) = ("dao/orz103d.map", "tbaa-2012/orz103d.txt");
    [Course::read(shared, map, problems, Corners::Allowed, take)]
}

/// Table 1 of the 2012 paper: on a known map one search is enough, and those that begin again take longer.
#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn known_terrain_in_the_2012_paper() {
    let shared = shared();
    let courses = orz103d(&shared, 10);
    let intervals = |setting| means(&courses, "known", setting, Some(K)).value("intervals");
    let tba = intervals(("tba", &FREE));
    let astar = intervals(("astar", &[]));
    let border = intervals(("da-rtaa", &[]));
    let rtaa = intervals(("rtaa", &[]));
    assert!(tba < astar * 1.02, "{tba} against {astar} intervals");
    for one_search in [("tba", tba), ("astar", astar)] {
        assert_rising("intervals", 1.1, &[one_search, ("da-rtaa", border), ("rtaa", rtaa)]);
    }
}

/// Table 2 of the 2012 paper: on an unknown map it pays to learn, and to mend a search or walk while it is
/// done. On the first ten problems alone D* Lite and Adaptive A* are even.
#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn unknown_terrain_in_the_2012_paper() {
    let shared = shared();
    let courses = orz103d(&shared, 20);
    let intervals = |setting| means(&courses, "unknown", setting, Some(K)).value("intervals");
    let adaptive = intervals(("adaptive-astar", &[]));
    let repeated = intervals(("repeated-astar", &[]));
    let (tbaa, rtba) = (intervals(("tbaa", &FREE)), intervals(("rtba", &FREE)));
    let mending = intervals(("dstar-lite", &[]));
    for best in [("tbaa", tbaa), ("dstar-lite", mending)] {
        let rivals = [best, ("adaptive-astar", adaptive), ("repeated-astar", repeated)];
        assert_rising("intervals", 1.05, &rivals);
    }
    assert_rising("intervals", 1.05, &[("tbaa", tbaa), ("rtba", rtba)]);
}
