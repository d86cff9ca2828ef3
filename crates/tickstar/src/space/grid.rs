//! A grid map: bits, row by row and column by column, edited in place.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use thiserror::Error;

use super::bits::Bits;
use super::squares::Squares;
use super::terrain::Ground;
use super::{Map, Sealed, Skip, Space};
use crate::regions::{Age, CrowdRegions, Regions};
use crate::{Cost, NodeId};

/// The maximum length of a side: every cell has a 32-bit id, and some ids are left over.
const MAX_SIDE: u32 = 65_528;

/// A position on a [`Grid`]: column and row, from the top left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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

/// Which neighbors a cell has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Neighbors {
    /// The four that share a side. The heuristic is the Manhattan distance.
    Four,
    /// All eight. The heuristic is the octile distance.
    #[default]
    Eight,
}

/// When a diagonal step may pass the corner of a blocked cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Corners {
    /// Never: both cells beside the step must be free. The rule of the public benchmark.
    #[default]
    Never,
    /// Always: only the target must be free. The rule in the text of the 2012 paper.
    Allowed,
}

/// Why a grid could not be created or edited.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum GridError {
    /// A side is zero or too long.
    #[error("cannot create a map of {width} by {height} cells: each side must be 1 to {MAX_SIDE}")]
    Size {
        /// The requested width.
        width: u64,
        /// The requested height.
        height: u64,
    },
    /// The length of the data does not match the number of cells.
    #[error("{found} {unit} for a map of {width} by {height} cells, which takes {expected}")]
    Length {
        /// The map's width.
        width: u32,
        /// The map's height.
        height: u32,
        /// The unit of the data: bytes, words or classes.
        unit: &'static str,
        /// The expected number of units.
        expected: u64,
        /// The actual number of units.
        found: u64,
    },
    /// The cell is not on the map.
    #[error("cell {cell} is outside the map, which is {width} wide and {height} high")]
    Outside {
        /// The requested cell.
        cell: Cell,
        /// The map's width.
        width: u32,
        /// The map's height.
        height: u32,
    },
    /// A class of terrain was given to a cell of a map without terrain.
    #[error("cell {cell} cannot have a class of terrain: the map was created without terrain")]
    NoTerrain {
        /// The requested cell.
        cell: Cell,
    },
    /// A unit without any cells.
    #[error("a unit of 0 by 0 cells has no place on a map: its size must be 1 or more")]
    UnitSize,
    /// A map for larger units was given another grid than the one it was derived from.
    #[error(
        "the grid is not the one that the map for larger units was derived from: its size or the multipliers of its \
         terrain differ"
    )]
    OtherGrid,
    /// The terrain has no such class.
    #[error(
        "cell {cell} cannot have class {class}: the terrain has {classes} classes, counted from 0"
    )]
    Class {
        /// The requested cell.
        cell: Cell,
        /// The requested class.
        class: u8,
        /// The number of classes.
        classes: usize,
    },
}

/// A rectangular map of free and blocked cells.
///
/// Node ids number the cells by squares: four by four cells have consecutive ids, then eight by eight such squares, so
/// each page of a search's records is a small square of the map. A search that goes straight up or down, or stays in
/// one area, touches few pages.
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
    ids: Ids,
    /// The free cells.
    rows: Bits,
    /// The same with columns as rows, to be scanned as fast.
    columns: Bits,
    /// The same by squares of nodes, for neighborhoods.
    squares: Squares,
    neighbors: Neighbors,
    corners: Corners,
    moves: &'static Moves,
    extra: u64,
    /// Terrain, if the map has any; all else is about plain ground.
    pub(super) ground: Option<Box<Ground>>,
    /// Its regions, if they are wanted.
    regions: Option<Box<Regions>>,
    crowd_regions: Option<Box<CrowdRegions>>,
    /// How much the regions of either kind that were dropped last had changed, so that no agent takes new ones for them.
    dropped: [Option<Age>; 2],
}

/// Where the neighbors of a node are.
struct Around {
    /// The parts of an id for the column before that of the node, its own, and the one after.
    x: [u32; 3],
    /// The same for rows.
    y: [u32; 3],
    /// The position of the parent in the three by three cells around.
    parent: usize,
    /// The columns and rows from the goal to the node.
    dx: i32,
    dy: i32,
}

/// How the cells of a grid are numbered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Ids {
    /// The bits of an id that contain the column; the others contain the row.
    column_bits: u32,
    /// The shift from an id to the part of the row above its squares of 32 by 32.
    row_shift: u32,
}

impl Ids {
    /// The number of ids of a map of this height.
    fn size(self, height: u32) -> usize {
        (height.div_ceil(32) as usize) << self.row_shift
    }

    /// The cell of a node.
    #[inline]
    pub fn cell(self, node: NodeId) -> Cell {
        let id = node.0;
        let above = self.column_bits >> 10 << 5;
        Cell {
            x: id & 3 | id >> 2 & 0x1c | id >> 5 & above,
            y: id >> 2 & 3 | id >> 5 & 0x1c | id >> self.row_shift << 5,
        }
    }

    /// The node of a cell.
    #[inline]
    pub fn node(self, Cell { x, y }: Cell) -> NodeId {
        let column = x & 3 | (x & 0x1c) << 2 | x >> 5 << 10;
        let row = (y & 3) << 2 | (y & 0x1c) << 5 | y >> 5 << self.row_shift;
        NodeId(column | row)
    }
}

/// How the cells of a grid are numbered, and how far they are apart on an empty map.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Geometry {
    ids: Ids,
    extra: u64,
}

impl Geometry {
    /// The cell of a node.
    #[inline]
    pub fn cell(self, node: NodeId) -> Cell {
        self.ids.cell(node)
    }

    /// The node of a cell.
    #[inline]
    pub fn node(self, cell: Cell) -> NodeId {
        self.ids.node(cell)
    }

    /// The distance between two cells, on plain ground.
    #[inline]
    pub fn apart(self, a: Cell, b: Cell) -> Cost {
        along(a.x.abs_diff(b.x).into(), a.y.abs_diff(b.y).into(), self.extra)
    }
}

/// The eight directions in visiting order: N, E, S, W, then the diagonals. Each is a column and a row in the three by
/// three cells around a node.
pub(crate) const DIRECTIONS: [(usize, usize); 8] =
    [(1, 0), (2, 1), (1, 2), (0, 1), (2, 0), (2, 2), (0, 2), (0, 0)];

/// The bit of each direction in [`Moves`], by row and column.
const BITS: [[u8; 3]; 3] = {
    let mut bits = [[0; 3]; 3];
    let mut d = 0;
    while d < DIRECTIONS.len() {
        bits[DIRECTIONS[d].1][DIRECTIONS[d].0] = 1 << d;
        d += 1;
    }
    bits
};

/// The position of a search's parent in the three by three cells around a node, row by row: the center means that there
/// is no parent.
const FROM_NOWHERE: usize = 4;

/// The directions to generate, one bit each, indexed by what to skip, the position of the parent and the nine bits
/// around (row by row from the south, west in the lowest bit of a row). One lookup replaces eight tests, and omits the
/// neighbors that the expansion of the parent has already covered.
///
/// # Why canonical successors lose no optimal path
/// In A* with a consistent heuristic h, on a map that does not change, every node t is generated at its true distance
/// g*(t) before any node with a key above g*(t) + h(t) is expanded, so none is ever closed at a greater cost. By
/// induction on g*: consider a last edge n → t of an optimal path to t. As g*(n) < g*(t), and the key of n is no larger
/// than that of t, n has been generated at its true distance, and is expanded, in time; let q be its parent then. If t
/// was not omitted, it is generated. If it was omitted and the path over q that does not use n is cheaper, n → t is not
/// the end of an optimal path after all. What is left is the equal case: q → n is straight, n → t is diagonal, and q →
/// v → t, first diagonal and then straight, costs the same. So v → t is the last edge of an optimal path as well, and
/// the same holds for v, except that its edge to t is straight, and a straight edge is omitted only where another path
/// is cheaper. (With four neighbors, read vertical for straight and horizontal for diagonal.)
type Moves = [[[u8; 512]; 9]; 4];

/// The index of [`Moves`] for maps with terrain, whatever to skip. There, a detour over cheap ground may beat a diagonal
/// step, but never a straight one: it takes two steps, one of them diagonal, from the same cell to the same cell.
const ON_TERRAIN: usize = 3;

static FOUR: LazyLock<Box<Moves>> = LazyLock::new(|| moves(Neighbors::Four, Corners::Never));
static EIGHT_NEVER: LazyLock<Box<Moves>> =
    LazyLock::new(|| moves(Neighbors::Eight, Corners::Never));
static EIGHT_ALLOWED: LazyLock<Box<Moves>> =
    LazyLock::new(|| moves(Neighbors::Eight, Corners::Allowed));

fn moves(neighbors: Neighbors, corners: Corners) -> Box<Moves> {
    let mut table: Box<Moves> = vec![[[0; 512]; 9]; 4].try_into().expect("four tables");
    // Whether a step is of the kind that comes first in a canonical path.
    let is_early = |from: (usize, usize), to: (usize, usize)| match neighbors {
        Neighbors::Four => from.0 != to.0,
        Neighbors::Eight => from.0 != to.0 && from.1 != to.1,
    };
    for (index, beaten, canonical, terrain) in [
        (Skip::Seen as usize, false, false, false),
        (Skip::Beaten as usize, true, false, false),
        (Skip::Canonical as usize, true, true, false),
        (ON_TERRAIN, false, false, true),
    ] {
        for from in 0..9 {
            let parent = (from % 3, from / 3);
            for around in 0..512 {
                let leads = |from, to| leads(neighbors, corners, around, from, to);
                // Two straight steps from the parent, against two diagonal ones over the center.
                let is_beaten = |to: (usize, usize)| {
                    let is_corner = |(column, row): (usize, usize)| column != 1 && row != 1;
                    let over = |via| is_side(via) && leads(parent, via) && leads(via, to);
                    beaten && is_corner(parent) && is_corner(to) && DIRECTIONS.into_iter().any(over)
                };
                // An early step and then a late one from the parent, against the reverse over the center.
                let is_late = |to: (usize, usize)| {
                    let over = |via| {
                        leads(parent, via)
                            && is_early(parent, via)
                            && leads(via, to)
                            && !is_early(via, to)
                    };
                    let center = (1, 1);
                    let reverse = !is_early(parent, center) && is_early(center, to);
                    canonical && reverse && DIRECTIONS.into_iter().any(over)
                };
                let is_covered = |to: (usize, usize)| {
                    let straight = parent.0 == to.0 || parent.1 == to.1;
                    leads(parent, to) && (straight || !terrain)
                };
                for (d, to) in DIRECTIONS.into_iter().enumerate() {
                    let known = to == parent || is_covered(to) || is_beaten(to) || is_late(to);
                    let new = from == FROM_NOWHERE || !known;
                    table[index][from][around] |= u8::from(leads((1, 1), to) && new) << d;
                }
            }
        }
    }
    table
}

/// Whether one of nine cells shares a side with the center.
fn is_side((column, row): (usize, usize)) -> bool {
    column.abs_diff(1) + row.abs_diff(1) == 1
}

/// Whether an edge leads from one of nine cells to another, given which of them are free.
pub(crate) fn leads(
    neighbors: Neighbors,
    corners: Corners,
    around: usize,
    from: (usize, usize),
    to: (usize, usize),
) -> bool {
    let free = |(column, row)| around >> ((2 - row) * 3 + column) & 1 == 1;
    let (dx, dy) = (from.0.abs_diff(to.0), from.1.abs_diff(to.1));
    if dx.max(dy) != 1 || !free(from) || !free(to) {
        return false;
    }
    let beside = free((from.0, to.1)) && free((to.0, from.1));
    dx + dy == 1 || neighbors == Neighbors::Eight && (corners == Corners::Allowed || beside)
}

impl Grid {
    /// A map with every cell free.
    ///
    /// # Errors
    /// If a side is zero or above 65 528.
    pub fn new(width: u32, height: u32) -> Result<Grid, GridError> {
        Grid::from_fn(width, height, |_| true)
    }

    /// A map with every cell blocked.
    ///
    /// # Errors
    /// If a side is zero or above 65 528.
    pub fn new_blocked(width: u32, height: u32) -> Result<Grid, GridError> {
        if !Grid::fits(width) || !Grid::fits(height) {
            return Err(GridError::Size { width: width.into(), height: height.into() });
        }
        // Columns and rows share an id. From the lowest bit: 2 bits of the column and 2 of the row (a square of 4 by 4
        // cells), 3 and 3 (8 by 8 such squares), then the rest of each.
        let columns = width.div_ceil(32).next_power_of_two();
        let rest = columns.trailing_zeros();
        let ids = Ids { column_bits: 0x073 | (columns - 1) << 10, row_shift: 10 + rest };
        Ok(Grid {
            width,
            height,
            ids,
            rows: Bits::new(width, height),
            columns: Bits::new(height, width),
            squares: Squares::new(ids.size(height)),
            neighbors: Neighbors::default(),
            corners: Corners::default(),
            moves: Grid::table(Neighbors::default(), Corners::default()),
            extra: extra(Neighbors::default()),
            ground: None,
            regions: None,
            crowd_regions: None,
            dropped: [None; 2],
        })
    }

    /// A map whose free cells are those for which `is_free` returns true; it is called row by row.
    ///
    /// ```
    /// use tickstar::{Cell, Grid};
    /// let ring = Grid::from_fn(3, 3, |cell| cell != Cell::new(1, 1))?;
    /// assert_eq!(ring.to_rows().collect::<Vec<_>>(), ["...", ".#.", "..."]);
    /// # Ok::<(), tickstar::space::GridError>(())
    /// ```
    ///
    /// # Errors
    /// If a side is zero or above 65 528.
    pub fn from_fn(
        width: u32,
        height: u32,
        mut is_free: impl FnMut(Cell) -> bool,
    ) -> Result<Grid, GridError> {
        let mut grid = Grid::new_blocked(width, height)?;
        for y in 0..height {
            for x in 0..width {
                grid.rows.put(x + 1, y + 1, is_free(Cell { x, y }));
            }
        }
        grid.columns = grid.rows.transposed(width, height);
        grid.squares = Squares::of(&grid.rows, grid.ids, (width, height), grid.size());
        Ok(grid)
    }

    /// A map of one byte per cell, row by row: free where the byte is not zero.
    ///
    /// ```
    /// use tickstar::Grid;
    /// let grid = Grid::from_bytes(3, 2, &[1, 0, 1, 255, 7, 0])?;
    /// assert_eq!(grid.to_rows().collect::<Vec<_>>(), [".#.", "..#"]);
    /// # Ok::<(), tickstar::space::GridError>(())
    /// ```
    ///
    /// # Errors
    /// If a side is zero or above 65 528, or there is not exactly one byte per cell.
    pub fn from_bytes(width: u32, height: u32, bytes: &[u8]) -> Result<Grid, GridError> {
        let cells = u64::from(width) * u64::from(height);
        Grid::check_length(width, height, "bytes", cells, bytes.len())?;
        Grid::from_fn(width, height, |Cell { x, y }| {
            bytes[y as usize * width as usize + x as usize] != 0
        })
    }

    /// A map of one bit per cell, row by row without gaps: free where the bit is set. The first cell is the lowest bit
    /// of the first word. Bits after the last cell are ignored.
    ///
    /// ```
    /// use tickstar::Grid;
    /// let grid = Grid::from_bits(3, 2, &[0b_011_101])?;
    /// assert_eq!(grid.to_rows().collect::<Vec<_>>(), [".#.", "..#"]);
    /// assert_eq!(grid.to_bits(), [0b_011_101]);
    /// # Ok::<(), tickstar::space::GridError>(())
    /// ```
    ///
    /// # Errors
    /// If a side is zero or above 65 528, or the number of words is not exactly what the cells need.
    pub fn from_bits(width: u32, height: u32, bits: &[u64]) -> Result<Grid, GridError> {
        let words = (u64::from(width) * u64::from(height)).div_ceil(64);
        Grid::check_length(width, height, "words", words, bits.len())?;
        Grid::from_fn(width, height, |Cell { x, y }| {
            let at = y as usize * width as usize + x as usize;
            bits[at / 64] >> (at % 64) & 1 == 1
        })
    }

    /// The map as bits, in the format of [`from_bits`](Grid::from_bits).
    pub fn to_bits(&self) -> Vec<u64> {
        let cells = self.width as usize * self.height as usize;
        let mut bits = vec![0; cells.div_ceil(64)];
        for Cell { x, y } in self.free_cells() {
            let at = y as usize * self.width as usize + x as usize;
            bits[at / 64] |= 1 << (at % 64);
        }
        bits
    }

    pub(super) fn check_length(
        width: u32,
        height: u32,
        unit: &'static str,
        expected: u64,
        found: usize,
    ) -> Result<(), GridError> {
        let found = found as u64;
        // An invalid size is reported as such.
        let is_size = Grid::fits(width) && Grid::fits(height);
        if is_size && expected != found {
            return Err(GridError::Length { width, height, unit, expected, found });
        }
        Ok(())
    }

    /// Whether a side can have this length.
    pub(super) fn fits(side: u32) -> bool {
        (1..=MAX_SIDE).contains(&side)
    }

    /// The same map with a different neighborhood.
    #[must_use]
    pub fn with_neighbors(mut self, neighbors: Neighbors) -> Grid {
        self.neighbors = neighbors;
        self.extra = extra(neighbors);
        self.moves = Grid::table(self.neighbors, self.corners);
        self.rebuild_regions()
    }

    /// The same map with a different corner rule.
    #[must_use]
    pub fn with_corners(mut self, corners: Corners) -> Grid {
        self.corners = corners;
        self.moves = Grid::table(self.neighbors, self.corners);
        self.rebuild_regions()
    }

    /// The map's width in cells.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The map's height in cells.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Which neighbors a cell has.
    pub fn neighbors(&self) -> Neighbors {
        self.neighbors
    }

    /// The corner rule.
    pub fn corners(&self) -> Corners {
        self.corners
    }

    /// Whether the cell is on the map and free.
    pub fn is_free(&self, cell: Cell) -> bool {
        self.is_inside(cell) && self.rows.is_free(cell.x + 1, cell.y + 1)
    }

    /// Whether the cell is on the map.
    pub fn is_inside(&self, cell: Cell) -> bool {
        cell.x < self.width && cell.y < self.height
    }

    /// Frees or blocks a cell; returns whether that changed it.
    ///
    /// The change should be reported to agents that walk on the map: see [`Seen`](crate::Seen).
    ///
    /// # Errors
    /// If the cell is outside the map.
    pub fn set_free(&mut self, cell: Cell, free: bool) -> Result<bool, GridError> {
        self.check(cell)?;
        let changed = self.is_free(cell) != free;
        if changed {
            self.apply(&[(cell, free)]);
        }
        Ok(changed)
    }

    /// Frees (`true`) or blocks many cells at once; returns how many cells changed. If a cell occurs twice, the last
    /// entry counts.
    ///
    /// # Errors
    /// If a cell is outside the map; then nothing is changed.
    pub fn edit(&mut self, cells: &[(Cell, bool)]) -> Result<usize, GridError> {
        let changes = self.changes(cells)?;
        self.apply(&changes);
        Ok(changes.len())
    }

    /// Frees or blocks cells on the map, each of them once.
    pub(super) fn apply(&mut self, changes: &[(Cell, bool)]) {
        for &(cell, free) in changes {
            self.put(cell.x, cell.y, free);
        }
        match changes {
            _ if self.regions.is_none() && self.crowd_regions.is_none() => {}
            [(cell, _)] => self.update_regions(&[*cell]),
            _ => {
                let cells: Vec<Cell> = changes.iter().map(|&(cell, _)| cell).collect();
                self.update_regions(&cells);
            }
        }
    }

    /// The cells have changed: so may have their regions.
    pub(super) fn update_regions(&mut self, cells: &[Cell]) {
        if let Some(mut regions) = self.regions.take() {
            regions.update(self, cells);
            self.regions = Some(regions);
        }
        if let Some(mut regions) = self.crowd_regions.take() {
            regions.update(self, cells);
            self.crowd_regions = Some(regions);
        }
    }

    /// What the regions depend on has changed as a whole.
    pub(super) fn rebuild_regions(mut self) -> Grid {
        if self.regions.is_some() {
            self.build_regions();
        }
        if self.crowd_regions.is_some() {
            self.build_crowd_regions();
        }
        self
    }

    pub(crate) fn set_regions(&mut self, regions: Option<Regions>) {
        replace_regions(&mut self.regions, &mut self.dropped[0], regions);
    }

    pub(crate) fn set_crowd_regions(&mut self, regions: Option<CrowdRegions>) {
        replace_regions(&mut self.crowd_regions, &mut self.dropped[1], regions);
    }

    /// The regions on which a [`Crowd`](crate::crowd::Crowd) plans, if the map was made with them: see
    /// [`Grid::with_crowd_regions`].
    #[inline]
    pub fn crowd_regions(&self) -> Option<&CrowdRegions> {
        self.crowd_regions.as_deref()
    }

    /// The regions of the map, if it was made with them: see [`Grid::with_regions`].
    #[inline]
    pub fn regions(&self) -> Option<&Regions> {
        self.regions.as_deref()
    }

    /// The free cells of the tile with this top left cell.
    pub(crate) fn tile<const SIDE: usize>(&self, corner: Cell) -> [u32; SIDE] {
        let mut tile = [0; SIDE];
        let width = (self.width - corner.x).min(SIDE as u32);
        let mask = u32::MAX >> (32 - width);
        for (row, y) in tile.iter_mut().zip(corner.y..self.height) {
            *row = self.rows.thirty_two(corner.x + 1, y + 1) & mask;
        }
        tile
    }

    /// The multiplier of a cell on the map, in quarters.
    pub(crate) fn quarters_at(&self, cell: Cell) -> u16 {
        self.quarters_of(self.id(cell))
    }

    /// How nodes are numbered, and how far they are apart.
    pub(crate) fn geometry(&self) -> Geometry {
        Geometry { ids: self.ids, extra: self.extra }
    }

    /// The entries of an edit that change the map, with each cell once.
    pub(super) fn changes(&self, cells: &[(Cell, bool)]) -> Result<Vec<(Cell, bool)>, GridError> {
        for &(cell, _) in cells {
            self.check(cell)?;
        }
        // The last entry of a cell counts.
        let last: BTreeMap<Cell, bool> = cells.iter().copied().collect();
        let differs = |&(cell, free): &(Cell, bool)| self.is_free(cell) != free;
        Ok(last.into_iter().filter(differs).collect())
    }

    /// Returns an error for a cell outside the map.
    pub(super) fn check(&self, cell: Cell) -> Result<(), GridError> {
        let (width, height) = (self.width, self.height);
        if self.is_inside(cell) { Ok(()) } else { Err(GridError::Outside { cell, width, height }) }
    }

    /// The node of a cell, if it is on the map.
    pub fn node(&self, cell: Cell) -> Option<NodeId> {
        self.is_inside(cell).then(|| self.id(cell))
    }

    /// The cell of a node of this map.
    #[inline]
    pub fn cell(&self, node: NodeId) -> Cell {
        self.ids.cell(node)
    }

    /// All free cells, row by row.
    pub fn free_cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let all = (0..self.height).flat_map(|y| (0..self.width).map(move |x| Cell { x, y }));
        all.filter(|&cell| self.is_free(cell))
    }

    /// Heap memory of the map in bytes.
    pub fn bytes(&self) -> usize {
        let ground = self.ground.as_ref().map_or(0, |ground| ground.bytes());
        let regions = self.regions.as_ref().map_or(0, |regions| regions.bytes())
            + self.crowd_regions.as_ref().map_or(0, |regions| regions.bytes());
        let bits = self.rows.heap_bytes() + self.columns.heap_bytes() + self.squares.heap_bytes();
        bits + ground + regions
    }

    /// The node of a cell on the map: the inverse of [`Grid::cell`].
    #[inline]
    pub(super) fn id(&self, cell: Cell) -> NodeId {
        self.ids.node(cell)
    }

    /// The directions in which a step leads from a cell of the map, a bit each: see [`DIRECTIONS`].
    #[inline]
    pub(crate) fn steps_from(&self, cell: Cell) -> u8 {
        self.moves[Skip::Seen as usize][FROM_NOWHERE][self.rows.around(cell.x + 1, cell.y + 1)]
    }

    /// How cells are numbered.
    pub(crate) fn ids(&self) -> Ids {
        self.ids
    }

    /// The free cells as rows of bits, and the same with columns as rows.
    pub(crate) fn bits(&self) -> (&Bits, &Bits) {
        (&self.rows, &self.columns)
    }

    /// Frees or blocks a cell on the map.
    pub(super) fn put(&mut self, x: u32, y: u32, free: bool) {
        self.rows.put(x + 1, y + 1, free);
        self.columns.put(y + 1, x + 1, free);
        let mut squares = std::mem::take(&mut self.squares);
        squares.put(Cell { x, y }, free, |cell| self.node(cell));
        self.squares = squares;
    }

    /// Whether a diagonal step depends on the cells whose corners it passes.
    fn passes_corners(&self) -> bool {
        (self.neighbors, self.corners) == (Neighbors::Eight, Corners::Never)
    }

    /// The cells on the map that share a side with this one, clockwise.
    fn beside(&self, node: NodeId) -> [Option<Cell>; 4] {
        let Cell { x, y } = self.cell(node);
        let (left, right) = (x.wrapping_sub(1), x.wrapping_add(1));
        let (up, down) = (y.wrapping_sub(1), y.wrapping_add(1));
        [(x, up), (right, y), (x, down), (left, y)].map(|(x, y)| {
            let cell = Cell { x, y };
            self.is_inside(cell).then_some(cell)
        })
    }

    /// The nine bits around a node.
    #[inline(always)]
    pub(super) fn around(&self, node: NodeId) -> usize {
        self.squares.around(node)
    }

    /// Where the neighbors of a node are, and its parent and the goal.
    #[inline(always)]
    fn place(&self, from: NodeId, parent: NodeId, goal: NodeId) -> Around {
        // The bits of the column can be incremented or decremented independently if those of the row are set or cleared
        // first, so that a carry passes over them, and vice versa. A direction that wraps at an edge of the map is
        // never legal.
        let (id, columns, rows) = (from.0, self.ids.column_bits, !self.ids.column_bits);
        let x = [
            (id & columns).wrapping_sub(1) & columns,
            id & columns,
            (id | rows).wrapping_add(1) & columns,
        ];
        let y =
            [(id & rows).wrapping_sub(4) & rows, id & rows, (id | columns).wrapping_add(1) & rows];
        // Larger columns and rows have larger parts of ids.
        let side = |own: u32, other: u32| usize::from(other >= own) + usize::from(other > own);
        let parent_column = side(id & columns, parent.0 & columns);
        let parent_row = side(id & rows, parent.0 & rows);
        let (cell, goal) = (self.cell(from), self.cell(goal));
        let (dx, dy) = (cell.x as i32 - goal.x as i32, cell.y as i32 - goal.y as i32);
        Around { x, y, parent: parent_row * 3 + parent_column, dx, dy }
    }

    /// The successors of a node on terrain, with the cost of the step and the heuristic, and how many there are. It is
    /// not inlined, so that it does not compete for registers with searches on plain ground.
    #[inline(never)]
    fn successors_on_terrain(
        &self,
        ground: &Ground,
        from: NodeId,
        parent: NodeId,
        goal: NodeId,
    ) -> ([(NodeId, Cost, Cost); 8], usize) {
        let mut successors = [(from, Cost::ZERO, Cost::ZERO); 8];
        let mut count = 0;
        let Around { x, y, parent, dx, dy } = self.place(from, parent, goal);
        let legal = self.moves[ON_TERRAIN][parent][self.around(from)];
        for (d, (column, row)) in DIRECTIONS.into_iter().enumerate() {
            if legal >> d & 1 == 1 {
                let to = NodeId(x[column] | y[row]);
                let estimate = self.distance(dx + column as i32 - 1, dy + row as i32 - 1);
                let plain = if d < 4 { Cost::STRAIGHT } else { Cost::DIAGONAL };
                successors[count] = (to, ground.step(plain, from, to), ground.at_least(estimate));
                count += 1;
            }
        }
        (successors, count)
    }

    /// The distance over `dx` columns and `dy` rows on an empty map.
    #[inline]
    fn distance(&self, dx: i32, dy: i32) -> Cost {
        let (dx, dy) = (u64::from(dx.unsigned_abs()), u64::from(dy.unsigned_abs()));
        along(dx, dy, self.extra)
    }

    fn table(neighbors: Neighbors, corners: Corners) -> &'static Moves {
        match (neighbors, corners) {
            (Neighbors::Four, _) => &FOUR,
            (Neighbors::Eight, Corners::Never) => &EIGHT_NEVER,
            (Neighbors::Eight, Corners::Allowed) => &EIGHT_ALLOWED,
        }
    }
}

/// Replaces the regions of a map. The new ones are as those after an edit of the old ones, even if they were dropped
/// before.
fn replace_regions<const SIDE: usize>(
    regions: &mut Option<Box<Regions<SIDE>>>,
    dropped: &mut Option<Age>,
    new: Option<Regions<SIDE>>,
) {
    if let Some(old) = regions.take() {
        *dropped = Some(old.age());
    }
    *regions = new.map(|new| Box::new(new.younger_than(*dropped)));
}

impl Space for Grid {
    const MAX_EDGES: usize = 8;

    fn size(&self) -> usize {
        self.ids.size(self.height)
    }

    fn contains(&self, node: NodeId) -> bool {
        self.is_free(self.cell(node))
    }

    fn for_each_edge(&self, from: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        self.for_each_successor(
            from,
            from,
            from,
            Skip::Seen,
            |to, cost, _| visit(to, cost),
            Sealed,
        );
    }

    fn max_edge_cost(&self) -> Cost {
        let plain = match self.neighbors {
            Neighbors::Four => Cost::STRAIGHT,
            Neighbors::Eight => Cost::DIAGONAL,
        };
        self.ground.as_ref().map_or(plain, |ground| ground.at_most(plain))
    }

    fn is_reversible(&self) -> bool {
        true
    }

    fn edge(&self, from: NodeId, to: NodeId) -> Option<Cost> {
        let (cell, target) = (self.cell(from), self.cell(to));
        // The column and row of the target in the nine cells around: out of range if it is not one of them.
        let column = (target.x + 1).wrapping_sub(cell.x) as usize;
        let row = (target.y + 1).wrapping_sub(cell.y) as usize;
        let bit = *BITS.get(row)?.get(column)?;
        if !self.is_inside(cell)
            || self.moves[Skip::Seen as usize][FROM_NOWHERE][self.around(from)] & bit == 0
        {
            return None;
        }
        let plain = if column == 1 || row == 1 { Cost::STRAIGHT } else { Cost::DIAGONAL };
        Some(self.ground.as_ref().map_or(plain, |ground| ground.step(plain, from, to)))
    }
}

impl Map for Grid {
    #[inline]
    fn estimate(&self, from: NodeId, to: NodeId) -> Cost {
        let (from, to) = (self.cell(from), self.cell(to));
        let plain = self.distance(from.x as i32 - to.x as i32, from.y as i32 - to.y as i32);
        self.ground.as_ref().map_or(plain, |ground| ground.at_least(plain))
    }

    fn position(&self, node: NodeId) -> Option<(i32, i32)> {
        let Cell { x, y } = self.cell(node);
        Some((x as i32, y as i32))
    }

    fn describe(&self, node: NodeId) -> String {
        let cell = self.cell(node);
        if self.node(cell) == Some(node) { cell.to_string() } else { node.to_string() }
    }

    /// The cell and, if corners are not cut, those that share a side with it: a diagonal step between two of them
    /// passes it.
    fn for_each_affected(&self, changed: NodeId, mut visit: impl FnMut(NodeId)) {
        visit(changed);
        if self.passes_corners() {
            self.beside(changed).into_iter().flatten().for_each(|cell| visit(self.id(cell)));
        }
    }

    /// The cell and those around it, free or not.
    fn for_each_dependent(&self, changed: NodeId, mut visit: impl FnMut(NodeId)) {
        let Cell { x, y } = self.cell(changed);
        let four = self.neighbors == Neighbors::Four;
        for (d, (column, row)) in DIRECTIONS.into_iter().enumerate() {
            let x = x.wrapping_add(column as u32).wrapping_sub(1);
            let y = y.wrapping_add(row as u32).wrapping_sub(1);
            if self.is_inside(Cell { x, y }) && !(four && d >= 4) {
                visit(self.id(Cell { x, y }));
            }
        }
        visit(changed);
    }

    fn jump_grid(&self, _: Sealed) -> Option<&Grid> {
        (self.neighbors == Neighbors::Eight && self.ground.is_none()).then_some(self)
    }

    fn regions(&self) -> Option<&Regions> {
        self.regions.as_deref()
    }

    fn quarters(&self, node: NodeId, _: Sealed) -> u16 {
        self.quarters_of(node)
    }

    fn quarters_range(&self, _: Sealed) -> Option<(u16, u16)> {
        self.ground.as_ref().map(|ground| ground.range())
    }

    /// Over the cell itself or, if corners are not cut, by a diagonal step past it.
    fn estimate_through(&self, from: NodeId, changed: NodeId, to: NodeId) -> Cost {
        let over = self.estimate(from, changed) + self.estimate(changed, to);
        if !self.passes_corners() {
            return over;
        }
        let beside = self.beside(changed);
        let sides = beside.iter().zip(beside.iter().cycle().skip(1));
        let past = sides.filter_map(|(&a, &b)| {
            let (a, b) = (self.id(a?), self.id(b?));
            let way = |a, b| self.estimate(from, a) + self.estimate(a, b) + self.estimate(b, to);
            Some(way(a, b).min(way(b, a)))
        });
        past.fold(over, Cost::min)
    }

    #[inline]
    fn for_each_successor(
        &self,
        from: NodeId,
        parent: NodeId,
        goal: NodeId,
        skip: Skip,
        mut visit: impl FnMut(NodeId, Cost, Cost),
        _: Sealed,
    ) {
        if let Some(ground) = &self.ground {
            let (successors, count) = self.successors_on_terrain(ground, from, parent, goal);
            successors[..count].iter().for_each(|&(to, cost, h)| visit(to, cost, h));
            return;
        }
        let Around { x, y, parent, dx, dy } = self.place(from, parent, goal);
        let moves = &self.moves[skip as usize];
        let legal = moves[parent][self.around(from)];
        // Unrolled, so that each direction has a branch of its own for the branch predictor; and a macro, as a closure is
        // not always inlined eight times.
        macro_rules! visit {
            ($($d:literal)*) => {$(
                if legal >> $d & 1 == 1 {
                    let (column, row) = DIRECTIONS[$d];
                    let estimate = self.distance(dx + column as i32 - 1, dy + row as i32 - 1);
                    let cost = if $d < 4 { Cost::STRAIGHT } else { Cost::DIAGONAL };
                    visit(NodeId(x[column] | y[row]), cost, estimate);
                }
            )*};
        }
        visit!(0 1 2 3);
        // Canonical paths seldom turn off diagonally.
        if legal >> 4 != 0 {
            visit!(4 5 6 7);
        }
    }
}

/// The octile distance: over `dx` columns and `dy` rows on an empty grid with eight neighbors.
pub(crate) fn octile(dx: u64, dy: u64) -> Cost {
    along(dx, dy, extra(Neighbors::Eight))
}

/// The distance along the longer of two sides, plus `extra` for each step of the shorter.
#[inline]
fn along(dx: u64, dy: u64, extra: u64) -> Cost {
    Cost(dx.max(dy) * Cost::STRAIGHT.0 + dx.min(dy) * extra)
}

/// The extra cost of a step along the shorter side: with eight neighbors it makes a straight step diagonal (octile
/// distance), with four it is an additional straight step (Manhattan distance).
fn extra(neighbors: Neighbors) -> u64 {
    match neighbors {
        Neighbors::Four => Cost::STRAIGHT.0,
        Neighbors::Eight => Cost::DIAGONAL.0 - Cost::STRAIGHT.0,
    }
}

impl fmt::Debug for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Grid {}×{} {:?} {:?}", self.width, self.height, self.neighbors, self.corners)?;
        if let Some(terrain) = self.terrain() {
            writeln!(f, "terrain {terrain:?}")?;
        }
        if self.width <= 100 && self.height <= 100 {
            for row in self.to_letters('#') {
                writeln!(f, "{row}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn neighbors(grid: &Grid, x: u32, y: u32) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        grid.for_each_edge(grid.node(Cell::new(x, y)).unwrap(), |node, _| {
            let cell = grid.cell(node);
            found.push((cell.x, cell.y));
        });
        found
    }

    #[test]
    fn ids_and_cells_convert_both_ways_on_odd_sizes() {
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
    fn neighbors_come_in_a_fixed_order_and_stay_on_the_map() {
        let grid = Grid::new(3, 3).unwrap();
        let all = [(1, 0), (2, 1), (1, 2), (0, 1), (2, 0), (2, 2), (0, 2), (0, 0)];
        assert_eq!(neighbors(&grid, 1, 1), all);
        assert_eq!(neighbors(&grid, 0, 0), [(1, 0), (0, 1), (1, 1)]);
        assert_eq!(neighbors(&grid, 2, 2), [(2, 1), (1, 2), (1, 1)]);
        let four = grid.with_neighbors(Neighbors::Four);
        assert_eq!(neighbors(&four, 1, 1), [(1, 0), (2, 1), (1, 2), (0, 1)]);
    }

    #[test]
    fn neighbors_are_correct_across_tile_borders() {
        let grid = Grid::new(30, 30).unwrap();
        for (x, y) in [(7, 7), (8, 8), (7, 8), (15, 16), (23, 24)] {
            let all = [(1, 0), (2, 1), (1, 2), (0, 1), (2, 0), (2, 2), (0, 2), (0, 0)];
            assert_eq!(neighbors(&grid, x, y), all.map(|(dx, dy)| (x + dx - 1, y + dy - 1)));
        }
    }

    #[test]
    fn corner_rules_differ_at_one_blocked_cell() {
        let grid = Grid::from_rows([".#", ".."]).unwrap();
        assert_eq!(neighbors(&grid, 0, 0), [(0, 1)]);
        let cutting = grid.with_corners(Corners::Allowed);
        assert_eq!(neighbors(&cutting, 0, 0), [(0, 1), (1, 1)]);
        assert_eq!(neighbors(&cutting, 1, 0), [], "a blocked cell has no edges");
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
    fn functions_bytes_and_bits_create_the_same_map() {
        for (width, height) in [(1, 1), (7, 3), (64, 2), (65, 3), (13, 64)] {
            let free = |cell: Cell| (cell.x * 7 + cell.y * 13) % 5 < 3;
            let grid = Grid::from_fn(width, height, free).unwrap();
            let all = (0..height).flat_map(|y| (0..width).map(move |x| Cell { x, y }));
            assert!(all.clone().all(|cell| grid.is_free(cell) == free(cell)));
            let bytes: Vec<u8> = all.map(|cell| 3 * u8::from(free(cell))).collect();
            let from_bytes = Grid::from_bytes(width, height, &bytes).unwrap();
            let mut bits = grid.to_bits();
            if let Some(last) = bits.last_mut().filter(|_| width * height % 64 != 0) {
                *last |= u64::MAX << (width * height % 64);
            }
            let from_bits = Grid::from_bits(width, height, &bits).unwrap();
            for other in [from_bytes, from_bits] {
                assert!(other.to_rows().eq(grid.to_rows()), "{width} by {height}");
                assert_eq!(other.to_bits(), grid.to_bits());
            }
        }
    }

    #[test]
    fn data_of_the_wrong_length_is_an_error() {
        let error = Grid::from_bytes(3, 2, &[1; 7]).unwrap_err();
        assert_eq!(error.to_string(), "7 bytes for a map of 3 by 2 cells, which takes 6");
        assert!(matches!(Grid::from_bytes(3, 2, &[]), Err(GridError::Length { .. })));
        let error = Grid::from_bits(9, 9, &[0]).unwrap_err();
        assert_eq!(error.to_string(), "1 words for a map of 9 by 9 cells, which takes 2");
        assert!(matches!(Grid::from_bits(8, 8, &[0, 0]), Err(GridError::Length { .. })));
        for (width, height) in [(0, 0), (0, 5), (70_000, 1), (u32::MAX, u32::MAX)] {
            let size = |result| matches!(result, Err(GridError::Size { .. }));
            assert!(size(Grid::from_bytes(width, height, &[])));
            assert!(size(Grid::from_bits(width, height, &[])));
            assert!(size(Grid::from_fn(width, height, |_| unreachable!("never called"))));
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
