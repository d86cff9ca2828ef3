//! Maps for units larger than a cell, kept in step with the map they are derived from.

use super::{Cell, Grid, GridError, Layered};
use crate::{HierarchyError, NodeId};

/// Rows of anchors that are computed at a time.
const BAND: u32 = 64;
/// What a unit cannot stand on is worse than any terrain.
const BLOCKED: u32 = u32::MAX;

/// The map for units of `size` × `size` cells, derived from a [`Grid`] by [`Grid::for_size`].
///
/// A unit is where its *anchor* is: its top left cell. A cell of this map is free if a unit with its anchor there covers
/// only free cells of the grid. Agents walk on [`map`](Clearance::map) like on any other, and no step takes a part of the
/// unit over a blocked cell: under [`Corners::Never`](super::Corners::Never), a diagonal step needs all cells between
/// the two squares to be free, and under [`Corners::Allowed`](super::Corners::Allowed) all but the two cells whose
/// corners a unit of any size passes. On terrain, the most expensive cell under a unit counts.
///
/// When the grid changes, [`update`](Clearance::update) changes this map likewise, in time proportional to the area of a
/// unit per changed cell, and says what to report to the agents on it.
///
/// ```
/// use tickstar::{Cell, Grid};
/// let mut grid = Grid::from_rows(["...#.", "...#.", ".....", "....."])?;
/// let mut carts = grid.for_size(2)?;
/// assert_eq!(carts.map().to_rows().collect::<Vec<_>>(), ["..###", "..###", "....#", "#####"]);
///
/// let cell = Cell::new(1, 3);
/// grid.set_free(cell, false)?;
/// let changed = carts.update(&grid, &[cell])?; // for `Seen { changed: &changed }`
/// assert_eq!(carts.map().to_rows().collect::<Vec<_>>(), ["..###", "..###", "##..#", "#####"]);
/// assert_eq!(changed.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Clearance {
    size: u32,
    map: Layered<Grid>,
}

impl Grid {
    /// The map for units of `size` × `size` cells, in time proportional to the map: see [`Clearance`].
    ///
    /// # Errors
    /// If the size is zero.
    pub fn for_size(&self, size: u32) -> Result<Clearance, GridError> {
        if size == 0 {
            return Err(GridError::UnitSize);
        }
        let (width, height) = (self.width(), self.height());
        let mut map = self.clone().without_regions();
        for top in (0..height).step_by(BAND.max(size) as usize) {
            let bottom = top.saturating_add(BAND.max(size)).min(height);
            let worst = worst_under(self, size, (0, width), (top, bottom));
            for (cell, worst) in cells((0, width), (top, bottom)).zip(worst) {
                put(&mut map, cell, worst);
            }
        }
        if self.regions().is_some() {
            map.build_regions();
        }
        if self.crowd_regions().is_some() {
            map.build_crowd_regions();
        }
        Ok(Clearance { size, map: Layered::flat(map) })
    }
}

impl Clearance {
    /// The side of a unit in cells.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The map of the anchors: what agents walk on.
    pub fn map(&self) -> &Layered<Grid> {
        &self.map
    }

    /// The cells that a unit with this anchor covers, row by row. Some may be outside the map.
    pub fn covered(&self, anchor: Cell) -> impl Iterator<Item = Cell> + use<> {
        let end = |start: u32, size: u32| start.saturating_add(size);
        cells((anchor.x, end(anchor.x, self.size)), (anchor.y, end(anchor.y, self.size)))
    }

    /// Builds the hierarchy of the map, if there is none, for agents that plan on one; updates keep it in step.
    ///
    /// # Errors
    /// When the map is too large for a hierarchy.
    pub fn build_hierarchy(&mut self) -> Result<(), HierarchyError> {
        self.map.build()
    }

    /// Takes in that these cells of the grid have changed: blocked, freed, or with other terrain. Returns the nodes of
    /// [`map`](Clearance::map) that changed, to be reported to the agents on it in [`Seen`](crate::Seen).
    ///
    /// # Errors
    /// If a cell is outside the map, or the grid differs from the one it was derived from in its size or in the
    /// multipliers of its terrain; then nothing is changed.
    pub fn update(&mut self, grid: &Grid, changed: &[Cell]) -> Result<Vec<NodeId>, GridError> {
        let same_size = (grid.width(), grid.height()) == (self.map.width(), self.map.height());
        if !same_size || grid.terrain() != self.map.terrain() {
            return Err(GridError::OtherGrid);
        }
        for &cell in changed {
            grid.check(cell)?;
        }
        let mut edits = Vec::new();
        for &cell in changed {
            let reach = |at: u32| (at.saturating_sub(self.size - 1), at + 1);
            let (columns, rows) = (reach(cell.x), reach(cell.y));
            let worst = worst_under(grid, self.size, columns, rows);
            let anchors = cells(columns, rows).zip(worst);
            edits.extend(anchors.filter(|&(anchor, worst)| differs(&self.map, anchor, worst)));
        }
        edits.sort_unstable();
        edits.dedup();
        let nodes: Vec<_> = edits.iter().map(|&(anchor, _)| self.map.id(anchor)).collect();
        if !edits.is_empty() {
            self.map.change(&nodes, |map| {
                for &(anchor, worst) in &edits {
                    put(map, anchor, worst);
                }
                let anchors: Vec<Cell> = edits.iter().map(|&(anchor, _)| anchor).collect();
                map.update_regions(&anchors);
            });
        }
        Ok(nodes)
    }
}

/// The cells in these columns and rows, row by row.
fn cells(columns: (u32, u32), rows: (u32, u32)) -> impl Iterator<Item = Cell> {
    (rows.0..rows.1).flat_map(move |y| (columns.0..columns.1).map(move |x| Cell { x, y }))
}

/// Whether a cell of a map of anchors is not yet what it must be.
fn differs(map: &Grid, anchor: Cell, worst: u32) -> bool {
    let free = worst != BLOCKED;
    map.is_free(anchor) != free
        || free && map.class(anchor).is_some_and(|class| class != worst as u8)
}

/// Sets a cell of a map of anchors. What a blocked one had for terrain stays.
fn put(map: &mut Grid, anchor: Cell, worst: u32) {
    map.put(anchor.x, anchor.y, worst != BLOCKED);
    if worst != BLOCKED && map.terrain().is_some() {
        let class = map.set_class(anchor, worst as u8);
        debug_assert!(class.is_ok(), "a class of the same terrain");
    }
}

/// The worst of the cells under a unit for each anchor in these columns and rows, row by row: [`BLOCKED`], or the
/// quarters of the terrain with its class in the lowest byte.
///
/// The maximum over a square is that over columns of the maxima over rows, and each of them takes constant time per
/// cell, whatever the size.
fn worst_under(grid: &Grid, size: u32, columns: (u32, u32), rows: (u32, u32)) -> Vec<u32> {
    let (width, height) = ((columns.1 - columns.0) as usize, (rows.1 - rows.0) as usize);
    if size > grid.width().min(grid.height()) {
        return vec![BLOCKED; width * height];
    }
    let size = size as usize;
    let lines = rows.0..rows.1 + size as u32 - 1;
    let mut line = Vec::new();
    let mut across = Vec::with_capacity(width * lines.len());
    for y in lines.clone() {
        line.clear();
        line.extend((columns.0..columns.1 + size as u32 - 1).map(|x| cost(grid, Cell { x, y })));
        maxima(&line, size, |worst| across.push(worst));
    }
    let mut result = vec![BLOCKED; width * height];
    for x in 0..width {
        line.clear();
        line.extend((0..lines.len()).map(|y| across[y * width + x]));
        let mut y = 0;
        maxima(&line, size, |worst| {
            result[y * width + x] = worst;
            y += 1;
        });
    }
    result
}

/// How bad it is to stand on a cell.
fn cost(grid: &Grid, cell: Cell) -> u32 {
    if !grid.is_free(cell) {
        return BLOCKED;
    }
    let class = grid.class(cell).unwrap_or(0);
    u32::from(grid.quarters_of(grid.id(cell))) << 8 | u32::from(class)
}

/// The maxima of all runs of `size` values, in their order.
///
/// The values are cut into blocks of that size. A run is the end of one block and the beginning of the next, so its
/// maximum is that of two numbers: one from a pass backward over the blocks, and one from a pass forward.
fn maxima(values: &[u32], size: usize, mut visit: impl FnMut(u32)) {
    let mut ends = values.to_vec();
    for block in ends.chunks_mut(size) {
        for at in (1..block.len()).rev() {
            block[at - 1] = block[at - 1].max(block[at]);
        }
    }
    let mut beginning = 0;
    for (at, &value) in values.iter().enumerate() {
        beginning = if at % size == 0 { value } else { beginning.max(value) };
        if let Some(first) = (at + 1).checked_sub(size) {
            visit(beginning.max(ends[first]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maxima_of_runs_are_found() {
        let mut state = 7_u32;
        for length in 1..40 {
            let values: Vec<u32> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    state >> 24
                })
                .collect();
            for size in 1..=length {
                let mut found = Vec::new();
                maxima(&values, size, |worst| found.push(worst));
                let expected: Vec<_> =
                    values.windows(size).map(|run| *run.iter().max().unwrap()).collect();
                assert_eq!(found, expected, "{size} of {length}");
            }
        }
    }
}
