//! Checks the optimal lengths that scenario files state against our own A*, cell by cell and by jump points.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use tickstar::search::{BestFirst, SearchConfig, Status};
use tickstar::{Cell, Cost, Grid, PathFinder, Slice};

use crate::Problem;
use crate::files::{self, FileError};

/// Lengths that differ by no more than this agree: some files state six digits.
const TOLERANCE: f64 = 0.01;

/// The result for one scenario file.
#[derive(Debug)]
pub struct Checked {
    /// The scenario file.
    pub scen: PathBuf,
    /// Problems whose length agrees.
    pub matched: usize,
    /// Problems stated with length zero between different cells, which cannot be solved: the
    /// benchmark's way of saying so.
    pub unsolvable: Vec<Problem>,
    /// Problems without a length that applies, as the scenario was made for a different scale.
    pub unstated: usize,
    /// Problems to which plain A* and jump points find paths of different costs: there are none.
    pub differing: Vec<Problem>,
    /// Problems whose length does not agree, with ours; none: we find no path.
    pub mismatched: Vec<(Problem, Option<f64>)>,
}

/// All scenario files below a folder, in order.
///
/// # Errors
/// When a folder cannot be read.
pub fn scenarios_below(folder: &Path) -> Result<Vec<PathBuf>, std::io::Error> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    // Links may lead in circles: each folder is read once.
    let mut seen = HashSet::new();
    while let Some(folder) = folders.pop() {
        if !seen.insert(folder.canonicalize()?) {
            continue;
        }
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "scen") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Checks every problem of a scenario file, whose map is beside it without the `.scen`; in
/// parallel.
///
/// # Errors
/// When the scenario or its map cannot be read.
pub fn check(scen: &Path) -> Result<Checked, FileError> {
    let map = scen.with_extension("");
    let grid = files::read_map(&map)?;
    let name = map.file_name().unwrap_or_default().to_string_lossy();
    let problems = files::read_scen(scen, &name, &grid)?;
    let costs: Vec<[Option<Cost>; 2]> = problems
        .par_iter()
        .map_init(
            || (BestFirst::new(SearchConfig::default()), PathFinder::default()),
            |(search, finder), problem| costs(&grid, search, finder, problem.start, problem.goal),
        )
        .collect();
    let mut checked = Checked {
        scen: scen.to_path_buf(),
        matched: 0,
        unsolvable: Vec::new(),
        unstated: 0,
        differing: Vec::new(),
        mismatched: Vec::new(),
    };
    for (problem, [ours, by_jumps]) in problems.into_iter().zip(costs) {
        if ours != by_jumps {
            checked.differing.push(problem);
        }
        match (problem.optimal, ours.map(Cost::in_cells)) {
            (None, _) => checked.unstated += 1,
            (Some(0.0), None) if problem.start != problem.goal => checked.unsolvable.push(problem),
            (Some(theirs), Some(ours)) if (theirs - ours).abs() <= TOLERANCE => {
                checked.matched += 1;
            }
            (Some(_), ours) => checked.mismatched.push((problem, ours)),
        }
    }
    Ok(checked)
}

/// The cost of a shortest path, if there is one: cell by cell, and by jump points.
fn costs(
    grid: &Grid,
    search: &mut BestFirst,
    finder: &mut PathFinder,
    start: Cell,
    goal: Cell,
) -> [Option<Cost>; 2] {
    let (Some(start), Some(goal)) = (grid.node(start), grid.node(goal)) else { return [None; 2] };
    search.start(grid, start, goal);
    let is_reached = search.run(grid, &mut Slice::unlimited()) == Status::Reached;
    let by_jumps = finder.find(grid, start, goal).ok().flatten();
    [search.cost_to(goal).filter(|_| is_reached), by_jumps.map(|path| path.cost)]
}
