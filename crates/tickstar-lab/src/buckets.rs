//! Problems of every length: the same number for each range of lengths of a shortest path.

use tickstar::search::{BestFirst, Priority, SearchConfig, Status};
use tickstar::{Cell, Grid, NodeId, Slice};

use crate::files::Problem;
use crate::generate::{Dice, largest_component};

/// Ranges of lengths, and how many problems to draw for each.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Buckets {
    /// The length at which the first range begins.
    pub from: u32,
    /// How many cells of length each range has.
    pub width: u32,
    /// How many ranges.
    pub count: usize,
    /// How many problems for each.
    pub each: usize,
    /// The seed.
    pub seed: u64,
}

/// The key of the stream of random numbers for these problems.
const KEY: u32 = 4;
/// How many problems may have the same start: a search from a start finds the distances of all cells.
const PER_START: usize = 16;
/// Starts that are tried before a range is given up, as a small map may have no two cells so far apart.
const FRUITLESS_STARTS: usize = 12;

/// Draws problems between cells of the largest component: first a start, then for some ranges that have too few a
/// goal at that distance. In the order of the ranges. Ranges that the map has no problems for stay empty.
///
/// # Panics
/// Never: a free cell is on its map.
pub fn by_length(grid: &Grid, buckets: Buckets) -> Vec<Problem> {
    let Buckets { from, width, count, each, seed } = buckets;
    let cells = largest_component(grid);
    let mut drawn: Vec<Vec<Problem>> = vec![Vec::new(); count];
    if cells.len() < 2 || width == 0 {
        return Vec::new();
    }
    let mut dice = Dice::keyed(seed, [KEY, 0, 0, 0, 0, 0]);
    let mut distances = Distances::new();
    let mut fruitless = 0;
    while fruitless < FRUITLESS_STARTS {
        let lacking: Vec<usize> = (0..count).filter(|&nth| drawn[nth].len() < each).collect();
        if lacking.is_empty() {
            break;
        }
        let start = cells[dice.below(cells.len())];
        let root = grid.node(start).expect("a free cell is on the map");
        distances.begin(grid, root);
        let mut wanted = vec![false; count];
        dice.choose(lacking, PER_START).into_iter().for_each(|nth| wanted[nth] = true);
        let mut goals: Vec<Vec<(Cell, f64)>> = vec![Vec::new(); count];
        for &goal in &cells {
            let node = grid.node(goal).expect("a free cell is on the map");
            let Some(length) = distances.to(node) else { continue };
            let beyond = length - f64::from(from);
            let nth = (beyond / f64::from(width)) as usize;
            if beyond >= 0.0 && nth < count && wanted[nth] {
                goals[nth].push((goal, length));
            }
        }
        fruitless += 1;
        for (problems, goals) in drawn.iter_mut().zip(&goals).filter(|(_, goals)| !goals.is_empty())
        {
            let (goal, length) = goals[dice.below(goals.len())];
            problems.push(Problem { start, goal, optimal: Some(length) });
            fruitless = 0;
        }
    }
    drawn.concat()
}

/// The distances of all cells from one.
struct Distances(BestFirst);

impl Distances {
    fn new() -> Distances {
        let config = SearchConfig { priority: Priority::UNIFORM, ..SearchConfig::default() };
        Distances(BestFirst::new(config))
    }

    fn begin(&mut self, grid: &Grid, root: NodeId) {
        self.0.explore(grid, root, root);
        while self.0.run(grid, &mut Slice::new(u64::MAX)) == Status::Working {}
    }

    /// The distance in cells, if the cell can be reached.
    fn to(&self, node: NodeId) -> Option<f64> {
        self.0.is_closed(node).then(|| self.0.cost_to(node))?.map(tickstar::Cost::in_cells)
    }
}

#[cfg(test)]
mod tests {
    use tickstar::find_path;

    use super::*;
    use crate::generate::{Kind, generate};

    #[test]
    fn each_range_has_its_number_of_problems_of_that_length() {
        let grid = generate(Kind::Caves, 96, 96, 2).unwrap();
        let buckets = Buckets { from: 8, width: 4, count: 12, each: 3, seed: 5 };
        let problems = by_length(&grid, buckets);
        assert_eq!(problems.len(), 36);
        for (nth, problem) in problems.iter().enumerate() {
            let [start, goal] = [problem.start, problem.goal].map(|cell| grid.node(cell).unwrap());
            let path = find_path(&grid, start, goal, SearchConfig::default()).unwrap().unwrap();
            assert_eq!(problem.optimal, Some(path.cost.in_cells()));
            assert_eq!((path.cost.in_cells() / 4.0) as usize, 2 + nth / 3);
        }
        assert_eq!(problems, by_length(&grid, buckets));
        assert_ne!(problems, by_length(&grid, Buckets { seed: 6, ..buckets }));
        // Too long for the map.
        let long = by_length(&grid, Buckets { from: 0, width: 1000, count: 3, each: 2, seed: 1 });
        assert_eq!(long.len(), 2);
        let one = Grid::from_rows([".#."]).unwrap();
        assert_eq!(by_length(&one, buckets), []);
    }
}
