//! What `tickstar bench` and `cargo bench` measure: whole paths beside other crates, the times of ticks, how both grow
//! with the map, and crowds. Ratios within one run are what counts; times differ from machine to machine.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use tickstar::{Cell, Grid, NodeId};

use crate::files::{self, FileError};
use crate::generate::{self, Kind};

mod array;
pub mod crowd;
pub mod growth;
pub mod latency;
pub mod paths;
#[cfg(feature = "peers")]
mod peers;

/// A map, and problems on it.
#[derive(Clone, Debug)]
pub struct ProblemSet {
    /// The map's name.
    pub name: String,
    /// The map.
    pub grid: Grid,
    /// Start and goal of each problem: free cells.
    pub ends: Vec<(Cell, Cell)>,
}

impl ProblemSet {
    /// A map that is generated, with random problems.
    ///
    /// # Panics
    /// When the side is shorter than 16 cells or longer than 4096.
    pub fn generated(kind: Kind, side: u32, seed: u64, problems: usize) -> ProblemSet {
        let grid = generate::generate(kind, side, side, seed).expect("a side within the limits");
        let problems = generate::random_problems(&grid, problems, seed);
        let ends = problems.iter().map(|problem| (problem.start, problem.goal)).collect();
        ProblemSet { name: format!("{kind}-{side}-{seed}"), grid, ends }
    }

    /// A map of the public benchmark, by its set and name, with this many problems evenly spread over its scenario file.
    ///
    /// # Errors
    /// When a file cannot be read, or is not what its name says.
    pub fn read(
        folder: &Path,
        (set, name): (&str, &str),
        problems: usize,
    ) -> Result<ProblemSet, FileError> {
        let [map, scen] = files_of(folder, (set, name));
        let grid = files::read_map(&map)?;
        let all = files::read_scen(&scen, &format!("{name}.map"), &grid)?;
        let fit: Vec<_> = all
            .iter()
            .filter(|problem| grid.is_free(problem.start) && grid.is_free(problem.goal))
            .collect();
        let count = problems.min(fit.len());
        // The middle of each of `count` equal parts of the list.
        let spread = (0..count).map(|nth| fit[(2 * nth + 1) * fit.len() / (2 * count)]);
        let ends = spread.map(|problem| (problem.start, problem.goal)).collect();
        Ok(ProblemSet { name: name.to_string(), grid, ends })
    }

    /// The problems' ends as nodes.
    ///
    /// # Panics
    /// When a problem is not on the map.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        let node = |cell| self.grid.node(cell).expect("a problem on its map");
        self.ends.iter().map(move |&(start, goal)| (node(start), node(goal)))
    }
}

/// The files of a map of the public benchmark: the map, and its problems.
fn files_of(folder: &Path, (set, name): (&str, &str)) -> [PathBuf; 2] {
    ["map", "map.scen"].map(|kind| folder.join(set).join(format!("{name}.{kind}")))
}

/// How a measurement is watched and stopped.
#[derive(Clone, Copy)]
pub struct Control<'c> {
    /// Once this is set, the measurement ends early, with what is complete by then.
    pub stop: &'c AtomicBool,
    /// Called after each step.
    pub step: &'c dyn Fn(),
}

impl Control<'_> {
    /// Runs to the end, unwatched.
    pub fn none() -> Control<'static> {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Control { stop: &NEVER, step: &|| () }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl std::fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control").field("stop", &self.stop).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_problems_are_on_their_map() {
        let set = ProblemSet::generated(Kind::Caves, 64, 3, 5);
        assert_eq!((set.name.as_str(), set.ends.len()), ("caves-64-3", 5));
        assert!(set.ends.iter().all(|&(a, b)| set.grid.is_free(a) && set.grid.is_free(b)));
    }

    #[test]
    fn problems_are_spread_over_the_file() {
        let folder = std::env::temp_dir().join(format!("tickstar-spread-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("set")).unwrap();
        let map = format!("type octile\nheight 1\nwidth 20\nmap\n{}\n", ".".repeat(20));
        std::fs::write(folder.join("set/a.map"), map).unwrap();
        let rows = (1..20).map(|x| format!("0\ta.map\t20\t1\t0\t0\t{x}\t0\t{x}"));
        let scen = format!("version 1\n{}\n", rows.collect::<Vec<_>>().join("\n"));
        std::fs::write(folder.join("set/a.map.scen"), scen).unwrap();
        let goals = |count| {
            let set = ProblemSet::read(&folder, ("set", "a"), count).unwrap();
            set.ends.iter().map(|(_, goal)| goal.x).collect::<Vec<_>>()
        };
        assert_eq!(goals(1), [10]);
        assert_eq!(goals(4), [3, 8, 12, 17]);
        assert_eq!(goals(100), (1..20).collect::<Vec<_>>());
        let missing = ProblemSet::read(&folder, ("set", "b"), 1).unwrap_err().to_string();
        assert!(missing.ends_with("b.map: there is no such file"), "{missing}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
