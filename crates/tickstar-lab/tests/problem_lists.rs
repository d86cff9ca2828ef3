//! The lists in `/problems`: as many problems as its README says, each solvable and as long as it says.

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use common::{in_parallel, shared};
use tickstar::{Grid, PathFinder};
use tickstar_lab::files::{read_map, read_problems};

/// What the README says of the lists in a folder.
struct Kind {
    lists: &'static str,
    maps: &'static [&'static str],
    /// How many lists, and problems in each.
    count: (usize, usize),
    /// The shortest and longest of their shortest paths, in cells.
    lengths: (f64, f64),
}

/// No limit.
const ANY: f64 = f64::INFINITY;

const KINDS: [Kind; 8] = [
    Kind { lists: "tba-2009", maps: &["wc3-512"], count: (3, 100), lengths: (230.0, 320.0) },
    Kind { lists: "tbaa-2012", maps: &["starcraft", "dao"], count: (6, 300), lengths: (0.0, ANY) },
    Kind { lists: "classes/bg", maps: &["bg-512"], count: (6, 15), lengths: (50.0, ANY) },
    Kind { lists: "classes/dao", maps: &["dao"], count: (6, 15), lengths: (50.0, ANY) },
    Kind { lists: "classes/maze", maps: &["maze"], count: (6, 10), lengths: (50.0, ANY) },
    Kind { lists: "classes/random", maps: &["random"], count: (6, 15), lengths: (50.0, ANY) },
    Kind { lists: "classes/rooms", maps: &["rooms"], count: (4, 20), lengths: (50.0, ANY) },
    Kind { lists: "classes/sc", maps: &["starcraft"], count: (8, 10), lengths: (50.0, ANY) },
];

fn problems() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems")
}

/// The lists in a folder, in order.
fn lists(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(problems().join(folder)).unwrap();
    let paths: BTreeSet<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.into_iter().collect()
}

#[test]
fn lists_have_as_many_problems_as_the_readme_says() {
    let everywhere = Grid::new(2048, 2048).unwrap();
    for Kind { lists: folder, count, .. } in KINDS {
        let lists = lists(folder);
        assert_eq!(lists.len(), count.0, "{folder}");
        for list in lists {
            let problems = read_problems(&list, &everywhere).unwrap();
            assert_eq!(problems.len(), count.1, "{}", list.display());
            let ends: BTreeSet<_> =
                problems.iter().map(|p| [p.start.x, p.start.y, p.goal.x, p.goal.y]).collect();
            assert_eq!(ends.len(), count.1, "{}: no problem is there twice", list.display());
        }
    }
}

#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn every_problem_is_solvable_and_as_long_as_the_readme_says() {
    for Kind { lists: folder, maps, lengths, .. } in KINDS {
        let found = in_parallel(&lists(folder), |list| {
            let name = format!("{}.map", list.file_stem().unwrap().to_str().unwrap());
            let places = maps.iter().map(|set| shared().join("maps").join(set).join(&name));
            let grid = read_map(&places.into_iter().find(|map| map.exists()).unwrap()).unwrap();
            let mut finder = PathFinder::default();
            let mut ends = (f64::INFINITY, 0.0_f64);
            for problem in read_problems(list, &grid).unwrap() {
                let what = format!("{}: {} to {}", list.display(), problem.start, problem.goal);
                let [start, goal] =
                    [problem.start, problem.goal].map(|cell| grid.node(cell).unwrap());
                let path =
                    finder.find(&grid, start, goal).unwrap_or_else(|e| panic!("{what}: {e}"));
                let length = path.unwrap_or_else(|| panic!("{what}: no path")).cost.in_cells();
                ends = (ends.0.min(length), ends.1.max(length));
                assert!(lengths.0 <= length && length <= lengths.1, "{what}: {length}");
            }
            ends
        });
        let least = found.iter().map(|ends| ends.0).fold(f64::INFINITY, f64::min);
        println!("{folder}: {least} to {}", found.iter().map(|ends| ends.1).fold(0.0, f64::max));
    }
}
