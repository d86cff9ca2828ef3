//! A grid map: one bit a cell, edited in place.

use std::fmt;

use thiserror::Error;

use super::Space;
use crate::{Cost, NodeId};

/// Cells are numbered in square tiles of this side, so that a page of node records covers a square
/// of the map and a search that stays in one place touches few pages.
const TILE: u32 = 8;

/// The longest side of a map: the largest for which every cell has a 32-bit id.
const MAX_SIDE: u32 = 65_528;

/// A position on a [`Grid`]: column and row, from the top left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cell {
    /// The column, from the left.
    pub x: u32,
    /// The row, from the top.
    pub y: u32,
}

impl Cell {
    /// The cell in this column and row.
    pub fn new(x: u32, y: u32) -> Cell {
        Cell { x, y }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.x, self.y)
    }
}

/// Which neighbours a cell has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Neighbors {
    /// The four that share a side. Distances are estimated by Manhattan distance.
    Four,
    /// All eight. Distances are estimated by octile distance.
    #[default]
    Eight,
}

/// When a diagonal step may pass the corner of a blocked cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Corners {
    /// Never: both cells beside the step must be free. The rule of the public benchmark.
    #[default]
    Never,
    /// Always: only the target must be free. The rule in the text of the 2012 paper.
    Allowed,
}

/// Why a grid could not be made or edited.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum GridError {
    /// A side is zero or too long.
    #[error("a map of {width} by {height} cells cannot be made: each side must be 1 to {MAX_SIDE}")]
    Size {
        /// The width asked for.
        width: u64,
        /// The height asked for.
        height: u64,
    },
    /// The cell is not on the map.
    #[error("cell {cell} is outside the map, which is {width} wide and {height} high")]
    Outside {
        /// The cell asked for.
        cell: Cell,
        /// The map's width.
        width: u32,
        /// The map's height.
        height: u32,
    },
}

/// A rectangular map of free and blocked cells.
///
/// ```
/// use tickstar::{Cell, Grid};
/// let mut grid = Grid::from_rows(["..#.", "..#.", "...."])?;
/// assert!(grid.is_free(Cell::new(1, 0)) && !grid.is_free(Cell::new(2, 0)));
/// grid.set_free(Cell::new(2, 0), true)?;
/// assert!(grid.is_free(Cell::new(2, 0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Grid {
    width: u32,
    height: u32,
    /// Tiles in a row of tiles.
    tiles: u32,
    /// `ceil(2^48 / tiles)`: turns the division in [`Grid::cell`] into a multiplication. Exact
    /// because tile numbers are below 2^26 and the rounding error stays below 2^16.
    tiles_inverse: u64,
    /// Bytes in a row of `free`.
    stride: usize,
    /// A set bit for each free cell, with a blocked border of one cell all round, so that the
    /// neighbourhood of any cell can be read without looking at the edges of the map.
    free: Vec<u8>,
    neighbors: Neighbors,
    corners: Corners,
}

/// The eight directions in the order they are visited: N, E, S, W, then the diagonals. As offsets
/// plus one, to index the three columns and rows around a cell.
const DIRECTIONS: [(usize, usize); 8] =
    [(1, 0), (2, 1), (1, 2), (0, 1), (2, 0), (2, 2), (0, 2), (0, 0)];

/// What a step in each direction costs.
const COSTS: [Cost; 8] = {
    let (s, d) = (Cost::STRAIGHT, Cost::DIAGONAL);
    [s, s, s, s, d, d, d, d]
};

/// For each 3×3 neighbourhood (nine bits, row by row, west in the lowest bit of a row, south in the
/// lowest row) the directions that may be walked, a bit each. One look-up replaces eight tests.
const fn moves(neighbors: Neighbors, corners: Corners) -> [u8; 512] {
    let mut table = [0; 512];
    let mut around = 0;
    while around < 512 {
        let mut legal = 0;
        let mut d = 0;
        while d < 8 {
            let (column, row) = DIRECTIONS[d];
            let target = bit(around, column, row);
            let beside = bit(around, column, 1) && bit(around, 1, row);
            let diagonal = d >= 4;
            let allowed = !diagonal
                || matches!(neighbors, Neighbors::Eight)
                    && (matches!(corners, Corners::Allowed) || beside);
            if bit(around, 1, 1) && target && allowed {
                legal |= 1 << d;
            }
            d += 1;
        }
        table[around] = legal;
        around += 1;
    }
    table
}

const fn bit(around: usize, column: usize, row: usize) -> bool {
    around >> ((2 - row) * 3 + column) & 1 == 1
}

static FOUR: [u8; 512] = moves(Neighbors::Four, Corners::Never);
static EIGHT_NEVER: [u8; 512] = moves(Neighbors::Eight, Corners::Never);
static EIGHT_ALLOWED: [u8; 512] = moves(Neighbors::Eight, Corners::Allowed);

impl Grid {
    /// A map with every cell free.
    ///
    /// # Errors
    /// When a side is zero or above 65 528.
    pub fn new(width: u32, height: u32) -> Result<Grid, GridError> {
        let mut grid = Grid::new_blocked(width, height)?;
        for y in 0..height {
            for x in 0..width {
                grid.put(x, y, true);
            }
        }
        Ok(grid)
    }

    /// A map with every cell blocked.
    ///
    /// # Errors
    /// When a side is zero or above 65 528.
    pub fn new_blocked(width: u32, height: u32) -> Result<Grid, GridError> {
        if width == 0 || height == 0 || width > MAX_SIDE || height > MAX_SIDE {
            return Err(GridError::Size { width: width.into(), height: height.into() });
        }
        let tiles = width.div_ceil(TILE);
        // One border cell on each side, and one byte more so that two bytes can always be read.
        let stride = (width as usize + 2).div_ceil(8) + 1;
        Ok(Grid {
            width,
            height,
            tiles,
            tiles_inverse: (1_u64 << 48).div_ceil(u64::from(tiles)),
            stride,
            free: vec![0; stride * (height as usize + 2)],
            neighbors: Neighbors::default(),
            corners: Corners::default(),
        })
    }

    /// The same map with another neighbourhood.
    #[must_use]
    pub fn with_neighbors(mut self, neighbors: Neighbors) -> Grid {
        self.neighbors = neighbors;
        self
    }

    /// The same map with another corner rule.
    #[must_use]
    pub fn with_corners(mut self, corners: Corners) -> Grid {
        self.corners = corners;
        self
    }

    /// The map's width in cells.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The map's height in cells.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Which neighbours a cell has.
    pub fn neighbors(&self) -> Neighbors {
        self.neighbors
    }

    /// The corner rule.
    pub fn corners(&self) -> Corners {
        self.corners
    }

    /// Whether the cell is on the map and free.
    pub fn is_free(&self, cell: Cell) -> bool {
        if !self.is_inside(cell) {
            return false;
        }
        let (byte, mask) = self.locate(cell.x, cell.y);
        self.free[byte] & mask != 0
    }

    /// Whether the cell is on the map.
    pub fn is_inside(&self, cell: Cell) -> bool {
        cell.x < self.width && cell.y < self.height
    }

    /// Frees or blocks a cell; answers whether that changed anything.
    ///
    /// Agents that are walking on the map want to be told: see [`Seen`](crate::Seen).
    ///
    /// # Errors
    /// When the cell is outside the map.
    pub fn set_free(&mut self, cell: Cell, free: bool) -> Result<bool, GridError> {
        if !self.is_inside(cell) {
            let (width, height) = (self.width, self.height);
            return Err(GridError::Outside { cell, width, height });
        }
        let changed = self.is_free(cell) != free;
        self.put(cell.x, cell.y, free);
        Ok(changed)
    }

    /// The node of a cell, if it is on the map.
    pub fn node(&self, cell: Cell) -> Option<NodeId> {
        self.is_inside(cell).then(|| NodeId(column(cell.x) + self.row(cell.y)))
    }

    /// The cell of a node of this map.
    #[inline]
    pub fn cell(&self, node: NodeId) -> Cell {
        let tile = node.0 / (TILE * TILE);
        let tile_y = ((u128::from(tile) * u128::from(self.tiles_inverse)) >> 48) as u32;
        let tile_x = tile.wrapping_sub(tile_y.wrapping_mul(self.tiles));
        Cell { x: tile_x * TILE + node.0 % TILE, y: tile_y * TILE + node.0 / TILE % TILE }
    }

    /// All free cells, row by row.
    pub fn free_cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let all = (0..self.height).flat_map(|y| (0..self.width).map(move |x| Cell { x, y }));
        all.filter(|&cell| self.is_free(cell))
    }

    /// Heap memory of the map in bytes.
    pub fn bytes(&self) -> usize {
        self.free.capacity()
    }

    /// Where the bit of a cell is.
    fn locate(&self, x: u32, y: u32) -> (usize, u8) {
        let column = x as usize + 1;
        ((y as usize + 1) * self.stride + column / 8, 1 << (column % 8))
    }

    pub(super) fn put(&mut self, x: u32, y: u32, free: bool) {
        let (byte, mask) = self.locate(x, y);
        if free {
            self.free[byte] |= mask;
        } else {
            self.free[byte] &= !mask;
        }
    }

    /// The part of a node id that depends on the row.
    #[inline]
    fn row(&self, y: u32) -> u32 {
        (y / TILE) * self.tiles * (TILE * TILE) + (y % TILE) * TILE
    }

    /// The bits of the cells at `x − 1`, `x` and `x + 1` in the stored row (map row plus one).
    #[inline]
    fn three(&self, stored_row: usize, x: u32) -> usize {
        let at = stored_row * self.stride + x as usize / 8;
        let pair = &self.free[at..at + 2];
        usize::from(u16::from_le_bytes([pair[0], pair[1]]) >> (x % 8)) & 7
    }

    #[inline(always)]
    fn legal_moves(&self, cell: Cell) -> u8 {
        let table = match (self.neighbors, self.corners) {
            (Neighbors::Four, _) => &FOUR,
            (Neighbors::Eight, Corners::Never) => &EIGHT_NEVER,
            (Neighbors::Eight, Corners::Allowed) => &EIGHT_ALLOWED,
        };
        let (x, y) = (cell.x, cell.y as usize);
        let around = self.three(y, x) << 6 | self.three(y + 1, x) << 3 | self.three(y + 2, x);
        table[around]
    }
}

/// The part of a node id that depends on the column.
#[inline]
fn column(x: u32) -> u32 {
    (x / TILE) * (TILE * TILE) + x % TILE
}

impl Space for Grid {
    fn size(&self) -> usize {
        self.tiles as usize * self.height.div_ceil(TILE) as usize * (TILE * TILE) as usize
    }

    fn contains(&self, node: NodeId) -> bool {
        node.index() < self.size() && self.is_free(self.cell(node))
    }

    #[inline]
    fn for_each_edge(&self, from: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        let cell = self.cell(from);
        if !self.is_inside(cell) {
            return;
        }
        let mut legal = self.legal_moves(cell);
        // An id is a sum of a part for the column and a part for the row, so three of each give
        // all nine ids around. Those outside the map are never among the legal moves.
        let columns = [cell.x.saturating_sub(1), cell.x, cell.x + 1].map(column);
        let rows = [cell.y.saturating_sub(1), cell.y, cell.y + 1].map(|y| self.row(y));
        let ids = DIRECTIONS.map(|(x, y)| columns[x] + rows[y]);
        while legal != 0 {
            let d = legal.trailing_zeros() as usize % 8;
            legal &= legal - 1;
            visit(NodeId(ids[d]), COSTS[d]);
        }
    }

    #[inline]
    fn estimate(&self, from: NodeId, to: NodeId) -> Cost {
        let (from, to) = (self.cell(from), self.cell(to));
        let (dx, dy) = (u64::from(from.x.abs_diff(to.x)), u64::from(from.y.abs_diff(to.y)));
        match self.neighbors {
            Neighbors::Four => manhattan(dx, dy),
            Neighbors::Eight => octile(dx, dy),
        }
    }

    fn max_edge_cost(&self) -> Cost {
        match self.neighbors {
            Neighbors::Four => Cost::STRAIGHT,
            Neighbors::Eight => Cost::DIAGONAL,
        }
    }

    fn is_reversible(&self) -> bool {
        true
    }
}

/// The distance over `dx` columns and `dy` rows on an empty grid with eight neighbours.
#[inline]
pub(super) fn octile(dx: u64, dy: u64) -> Cost {
    // diagonal·min + straight·(max − min), rewritten without a branch.
    let both = dx.min(dy) * (Cost::DIAGONAL.0 - Cost::STRAIGHT.0);
    Cost(dx.max(dy) * Cost::STRAIGHT.0 + both)
}

/// The distance over `dx` columns and `dy` rows on an empty grid with four neighbours.
#[inline]
pub(super) fn manhattan(dx: u64, dy: u64) -> Cost {
    Cost((dx + dy) * Cost::STRAIGHT.0)
}

impl fmt::Debug for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Grid {}×{} {:?} {:?}", self.width, self.height, self.neighbors, self.corners)?;
        if self.width <= 100 && self.height <= 100 {
            for row in self.to_rows() {
                writeln!(f, "{row}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn neighbours(grid: &Grid, x: u32, y: u32) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        grid.for_each_edge(grid.node(Cell::new(x, y)).unwrap(), |node, _| {
            let cell = grid.cell(node);
            found.push((cell.x, cell.y));
        });
        found
    }

    #[test]
    fn ids_and_cells_are_inverse_on_odd_sizes() {
        for (width, height) in [(1, 1), (1, 70), (70, 1), (9, 17), (100, 65), (8, 8), (64, 129)] {
            let grid = Grid::new(width, height).unwrap();
            let mut seen = std::collections::HashSet::new();
            for cell in grid.free_cells() {
                let node = grid.node(cell).unwrap();
                assert_eq!(grid.cell(node), cell);
                assert!(node.index() < grid.size() && seen.insert(node));
            }
            assert_eq!(seen.len(), (width * height) as usize);
        }
        let wide = Grid::new_blocked(65_528, 65_528).unwrap();
        for cell in [Cell::new(65_527, 65_527), Cell::new(0, 65_527), Cell::new(40_001, 33_333)] {
            assert_eq!(wide.cell(wide.node(cell).unwrap()), cell);
        }
    }

    #[test]
    fn neighbours_come_in_a_fixed_order_and_stay_on_the_map() {
        let grid = Grid::new(3, 3).unwrap();
        let all = [(1, 0), (2, 1), (1, 2), (0, 1), (2, 0), (2, 2), (0, 2), (0, 0)];
        assert_eq!(neighbours(&grid, 1, 1), all);
        assert_eq!(neighbours(&grid, 0, 0), [(1, 0), (0, 1), (1, 1)]);
        assert_eq!(neighbours(&grid, 2, 2), [(2, 1), (1, 2), (1, 1)]);
        let four = grid.with_neighbors(Neighbors::Four);
        assert_eq!(neighbours(&four, 1, 1), [(1, 0), (2, 1), (1, 2), (0, 1)]);
    }

    #[test]
    fn neighbours_are_right_across_tiles() {
        let grid = Grid::new(30, 30).unwrap();
        for (x, y) in [(7, 7), (8, 8), (7, 8), (15, 16), (23, 24)] {
            let all = [(1, 0), (2, 1), (1, 2), (0, 1), (2, 0), (2, 2), (0, 2), (0, 0)];
            assert_eq!(neighbours(&grid, x, y), all.map(|(dx, dy)| (x + dx - 1, y + dy - 1)));
        }
    }

    #[test]
    fn corner_rules_differ_at_one_blocked_cell() {
        let grid = Grid::from_rows([".#", ".."]).unwrap();
        assert_eq!(neighbours(&grid, 0, 0), [(0, 1)]);
        let cutting = grid.with_corners(Corners::Allowed);
        assert_eq!(neighbours(&cutting, 0, 0), [(0, 1), (1, 1)]);
        assert_eq!(neighbours(&cutting, 1, 0), [], "a blocked cell has no edges");
    }

    #[test]
    fn every_edge_has_its_reverse() {
        let rows = ["..#..", ".#.#.", ".....", "##.##", "....."];
        for corners in [Corners::Never, Corners::Allowed] {
            let grid = Grid::from_rows(rows).unwrap().with_corners(corners);
            for cell in grid.free_cells() {
                let from = grid.node(cell).unwrap();
                grid.for_each_edge(from, |to, cost| assert_eq!(grid.edge(to, from), Some(cost)));
            }
        }
    }

    #[test]
    fn impossible_sizes_and_cells_are_errors() {
        assert!(matches!(Grid::new(0, 5), Err(GridError::Size { .. })));
        assert!(matches!(Grid::new(5, 70_000), Err(GridError::Size { .. })));
        let mut grid = Grid::new(4, 4).unwrap();
        assert!(matches!(grid.set_free(Cell::new(4, 0), false), Err(GridError::Outside { .. })));
        assert_eq!(grid.node(Cell::new(0, 4)), None);
        assert!(!grid.is_free(Cell::new(9, 9)));
        assert!(!grid.contains(NodeId(u32::MAX)));
        assert_eq!(grid.edge(NodeId(u32::MAX), NodeId(0)), None);
    }
}
