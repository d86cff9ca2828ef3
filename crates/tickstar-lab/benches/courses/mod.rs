//! The maps and problems the benchmarks run on: three benchmark maps with 300 problems of the 2009 paper's
//! kind if a folder `shared` with them lies beside the repository, else generated maps of the same size.

use std::path::Path;

use tickstar::{Cell, Grid, NodeId};
use tickstar_lab::{builtin, files, generate};

/// A map with its problems.
pub struct Course {
    pub name: String,
    pub grid: Grid,
    pub ends: Vec<(Cell, Cell)>,
}

impl Course {
    /// The problems' ends as nodes.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        let node = |cell| self.grid.node(cell).expect("a problem on its map");
        self.ends.iter().map(move |&(start, goal)| (node(start), node(goal)))
    }
}

pub fn courses() -> Vec<Course> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let read = |name: &str| {
        let grid = files::read_map(&shared.join(format!("maps/wc3-512/{name}.map"))).ok()?;
        let list = shared.join(format!("problems/tba-2009/{name}.txt"));
        let problems = files::read_problems(&list, &grid).ok()?;
        let ends = problems.iter().map(|problem| (problem.start, problem.goal)).collect();
        Some(Course { name: name.to_string(), grid, ends })
    };
    let found: Option<Vec<_>> =
        ["battleground", "divideandconquer", "duskwood"].into_iter().map(read).collect();
    found.unwrap_or_else(|| {
        let names = ["caves-512", "islands-512", "rooms-512"];
        names
            .map(|name| {
                let grid = builtin::find(name).expect("a built-in map").grid();
                let problems = generate::random_problems(&grid, 100, 1);
                let ends = problems.iter().map(|problem| (problem.start, problem.goal)).collect();
                Course { name: name.to_string(), grid, ends }
            })
            .into()
    })
}
