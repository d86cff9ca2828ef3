//! Other crates, as their documentation shows them, on the same problems.

use grid_pathfinding::PathingGrid;
use grid_util::{grid::ValueGrid, point::Point};
use hierarchical_pathfinding::prelude::{MooreNeighborhood, PathCache, PathCacheConfig};
use pathfinding::prelude::astar;
use tickstar::space::Corners;
use tickstar::{Cell, Cost, Grid};

use super::paths::{BASELINE, Promise, Solver};

pub(super) fn all() -> Vec<Box<dyn Solver>> {
    vec![
        Box::new(Pathfinding { free: Free::default(), path: None }),
        Box::new(GridPathfinding { grid: PathingGrid::new(1, 1, true), path: None }),
        Box::new(Hierarchical { free: Free::default(), cache: None, path: None }),
    ]
}

/// A map as a vector of its cells, row by row.
#[derive(Default)]
struct Free {
    width: i32,
    height: i32,
    cells: Vec<bool>,
}

impl Free {
    fn new(grid: &Grid) -> Free {
        let (width, height) = (grid.width(), grid.height());
        let cells = (0..height).flat_map(|y| (0..width).map(move |x| Cell::new(x, y)));
        let cells = cells.map(|cell| grid.is_free(cell)).collect();
        Free { width: width as i32, height: height as i32, cells }
    }

    fn at(&self, x: i32, y: i32) -> bool {
        (0..self.width).contains(&x)
            && (0..self.height).contains(&y)
            && self.cells[(y * self.width + x) as usize]
    }
}

fn cell<T: TryInto<u32>>(x: T, y: T) -> Cell {
    let number = |value: T| value.try_into().unwrap_or(u32::MAX);
    Cell::new(number(x), number(y))
}

/// The crate `pathfinding`: positions as nodes, successors as a vector; with our exact costs, moves and estimate.
struct Pathfinding {
    free: Free,
    path: Option<Vec<(i32, i32)>>,
}

const DIRECTIONS: [(i32, i32); 8] =
    [(0, -1), (1, 0), (0, 1), (-1, 0), (1, -1), (1, 1), (-1, 1), (-1, -1)];

impl Solver for Pathfinding {
    fn name(&self) -> &'static str {
        BASELINE
    }

    fn promise(&self) -> Promise {
        Promise::Optimal
    }

    fn prepare(&mut self, grid: &Grid) {
        self.free = Free::new(grid);
    }

    fn solve(&mut self, _: &Grid, start: Cell, goal: Cell) {
        let free = &self.free;
        let goal = (goal.x as i32, goal.y as i32);
        let path = astar(
            &(start.x as i32, start.y as i32),
            |&(x, y)| {
                let mut next = Vec::with_capacity(8);
                for (dx, dy) in DIRECTIONS {
                    let straight = dx == 0 || dy == 0;
                    if free.at(x + dx, y + dy)
                        && (straight || free.at(x + dx, y) && free.at(x, y + dy))
                    {
                        let cost = if straight { Cost::STRAIGHT.0 } else { Cost::DIAGONAL.0 };
                        next.push(((x + dx, y + dy), cost));
                    }
                }
                next
            },
            |&(x, y)| {
                let (dx, dy) = (x.abs_diff(goal.0), y.abs_diff(goal.1));
                let (long, short) = (u64::from(dx.max(dy)), u64::from(dx.min(dy)));
                long * Cost::STRAIGHT.0 + short * (Cost::DIAGONAL.0 - Cost::STRAIGHT.0)
            },
            |&place| place == goal,
        );
        self.path = path.map(|(path, _)| path);
    }

    fn path(&self, _: &Grid) -> Option<Vec<Cell>> {
        Some(self.path.as_ref()?.iter().map(|&(x, y)| cell(x, y)).collect())
    }
}

/// The crate `grid_pathfinding`: jump point search with tables of forced neighbors and connected components, made before.
/// It always cuts corners. Its costs are 70 and 99, whose ratio is 5e-5 above the square root of two, and it takes the
/// cost of a turn's first step from the direction before the turn, so that its paths need not be the shortest.
struct GridPathfinding {
    grid: PathingGrid,
    path: Option<Vec<Point>>,
}

impl Solver for GridPathfinding {
    fn name(&self) -> &'static str {
        "grid_pathfinding 0.3"
    }

    fn corners(&self) -> Corners {
        Corners::Allowed
    }

    fn promise(&self) -> Promise {
        Promise::Legal
    }

    fn prepare(&mut self, grid: &Grid) {
        self.grid = PathingGrid::new(grid.width() as usize, grid.height() as usize, true);
        for cell in grid.free_cells() {
            self.grid.set(cell.x as i32, cell.y as i32, false);
        }
        self.grid.generate_components();
    }

    fn solve(&mut self, _: &Grid, start: Cell, goal: Cell) {
        let point = |cell: Cell| Point::new(cell.x as i32, cell.y as i32);
        self.path = self.grid.get_path_single_goal(point(start), point(goal), false);
    }

    fn path(&self, _: &Grid) -> Option<Vec<Cell>> {
        Some(self.path.as_ref()?.iter().map(|point| cell(point.x, point.y)).collect())
    }
}

/// The crate `hierarchical_pathfinding`: HPA* on squares of cells, with the paths between their entrances made before. It
/// cuts corners, and all its steps cost the same, diagonal ones too: it looks for few steps, along entrances.
struct Hierarchical {
    free: Free,
    cache: Option<PathCache<MooreNeighborhood>>,
    path: Option<Vec<(usize, usize)>>,
}

/// The side of a square.
const SQUARE: usize = 16;

impl Solver for Hierarchical {
    fn name(&self) -> &'static str {
        "hierarchical_pathfinding 0.5"
    }

    fn corners(&self) -> Corners {
        Corners::Allowed
    }

    fn promise(&self) -> Promise {
        Promise::Legal
    }

    fn prepare(&mut self, grid: &Grid) {
        // Never two of them: each takes hundreds of megabytes.
        self.cache = None;
        self.free = Free::new(grid);
        let (width, height) = (grid.width() as usize, grid.height() as usize);
        self.cache = Some(PathCache::new(
            (width, height),
            |place| price(&self.free, place),
            MooreNeighborhood::new(width, height),
            PathCacheConfig::with_chunk_size(SQUARE),
        ));
    }

    fn solve(&mut self, _: &Grid, start: Cell, goal: Cell) {
        let place = |cell: Cell| (cell.x as usize, cell.y as usize);
        let free = &self.free;
        let path = self.cache.as_ref().and_then(|cache| {
            let price = |place| price(free, place);
            Some(cache.find_path(place(start), place(goal), price)?.resolve(price))
        });
        // The start is not part of its path, unless it is the goal.
        self.path = path.map(|path| [&[place(start)][..], &path].concat());
    }

    fn path(&self, _: &Grid) -> Option<Vec<Cell>> {
        let mut cells: Vec<_> = self.path.as_ref()?.iter().map(|&(x, y)| cell(x, y)).collect();
        cells.dedup();
        Some(cells)
    }
}

/// The cost of a cell; negative: blocked.
fn price(free: &Free, (x, y): (usize, usize)) -> isize {
    if free.at(x as i32, y as i32) { 1 } else { -1 }
}
