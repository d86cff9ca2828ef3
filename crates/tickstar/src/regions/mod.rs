//! Regions of a grid: the connected parts of each tile of 16 by 16 cells (of 32 by 32 cells for crowds), and where they
//! touch.
//!
//! Two cells of a map are connected exactly if their regions are, and there are some hundred times fewer regions than
//! cells. Labeling is done by bit operations on whole rows: a tile takes a fraction of a microsecond, so a map needs
//! hardly any preprocessing, and a changed cell costs about as much as twenty expansions of A*. The regions belong to
//! the map and are shared by all agents on it.
//!
//! # Which cells form a region
//! Cells of a tile that are connected over their sides. A diagonal step that must not cut corners connects nothing
//! else: both cells beside it are free, so that two steps over sides lead there too. If corners may be cut
//! ([`Corners::Allowed`](crate::space::Corners::Allowed)), cells that touch at a corner are connected as well, also
//! across corners of tiles.
//!
//! # Contacts
//! Two regions of tiles that share a side touch where a step over that side leads from one to the other; if corners may
//! be cut, also past corners. A contact is the longest stretch of border that they share.
//!
//! # Dead ends
//! A region is a *dead end* if all paths out of it, and out of the dead ends behind it, lead through a single neighbor.
//! A search need not enter one, unless it starts or ends there. They are found by removing leaves from the graph of
//! regions, over and over. Where a contact appears, the marks on the way out are removed, and leaves are looked for again
//! at both ends of it; where one disappears, all marks stay true but that of a region that led out over it.
//!
//! # What agents are told
//! Each region that appears or disappears, and each change of a contact, a dead end or a mean multiplier, is appended to
//! a log, and an agent that searches over regions reads the log from where it stopped. An agent that is too far behind
//! starts a new search. The id of a region that no longer exists is not used again before the log has forgotten it.

mod mend;
mod parts;

use std::collections::VecDeque;

use crate::space::Geometry;
use crate::{Cell, Cost, Grid, NodeId};
use parts::Links;
pub(crate) use parts::Rows;

/// The multiplier of plain ground.
const PLAIN: u16 = 64;
/// Contacts that are stored with a region itself. In open terrain there are four.
const NEAR: usize = 6;
/// No region.
const NONE: u32 = u32::MAX;

/// A region of a map: see [`Regions`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RegionId(pub u32);

impl RegionId {
    const NONE: RegionId = RegionId(NONE);
}

/// The regions of a [`Grid`]: see the [module](crate::regions).
///
/// [`Grid::with_regions`] builds them, and every edit of the grid keeps them up to date. `SIDE` is the side of a tile, 16 or
/// 32 cells: see [`CrowdRegions`].
///
/// ```
/// use tickstar::{Cell, Grid};
/// let mut grid = Grid::from_rows(["..#..", "..#..", "....."])?.with_regions();
/// let (left, right) = (Cell::new(0, 0), Cell::new(4, 0));
/// assert!(grid.regions().is_some_and(|regions| regions.reachable(left, right)));
/// grid.set_free(Cell::new(2, 2), false)?;
/// assert!(grid.regions().is_some_and(|regions| !regions.reachable(left, right)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Regions<const SIDE: usize = 16> {
    /// Tiles per row of tiles, and how many rows there are.
    columns: u32,
    rows: u32,
    /// A tile's number is its row, shifted by this, plus its column: that needs no division.
    row_shift: u32,
    links: Links,
    geometry: Geometry,
    /// The first region of each tile.
    tiles: Vec<u32>,
    regions: Vec<Region<SIDE>>,
    /// The number of regions that exist.
    len: usize,
    /// Ids that no region has, each with the length of the log when it became free.
    spare: VecDeque<(u32, u64)>,
    /// The last changes, as a ring, and how many there have been in total.
    log: Vec<RegionId>,
    logged: u64,
    /// The changes before this one had been forgotten when the ring was made longer.
    log_start: u64,
    /// How many changes there had been before the last edit.
    logged_before: u64,
    /// Where the ways out of regions that are no dead ends any more led to, during an edit.
    cleared: Vec<u32>,
    /// The number of edits.
    edits: u64,
}

/// The regions of a [`Grid`] for a [`Crowd`](crate::crowd::Crowd), of tiles of 32 by 32 cells: a search over them takes
/// about a third of the work.
pub type CrowdRegions = Regions<32>;

/// How much regions have changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Age {
    edits: u64,
    logged: u64,
}

#[derive(Clone)]
struct Region<const SIDE: usize> {
    cells: Rows<SIDE>,
    /// Its tile, or none if it does not exist.
    tile: u32,
    /// The next region of the same tile.
    next: u32,
    /// The neighbor through which all paths out lead, if it is a dead end.
    out: u32,
    /// The mean multiplier of its cells: [`PLAIN`] times that.
    weight: u16,
    /// The number of contacts; the first of them are in `near`, the others in `more`.
    contacts: u16,
    near: [Contact; NEAR],
    more: Vec<Contact>,
}

/// Where one region touches another: cells in a row or in a column, from each of which a step leads to the other one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Contact {
    /// The region on the other side.
    pub to: RegionId,
    /// The first cell, from the top left cell of the tile: its column and row.
    start: (u8, u8),
    /// How many cells follow.
    length: u8,
    is_column: bool,
    /// The step to the other region.
    over: (i8, i8),
}

impl Default for Contact {
    fn default() -> Contact {
        Contact { to: RegionId::NONE, start: (0, 0), length: 0, is_column: false, over: (0, 0) }
    }
}

impl<const SIDE: usize> Region<SIDE> {
    fn contacts(&self) -> impl Iterator<Item = Contact> + '_ {
        let near = &self.near[..NEAR.min(self.contacts.into())];
        near.iter().chain(&self.more).copied()
    }
}

impl Grid {
    /// The same map with its [`Regions`], built in time proportional to the map (one to six milliseconds for 512 by 512 cells).
    /// Every later edit keeps them up to date.
    #[must_use]
    pub fn with_regions(mut self) -> Grid {
        self.build_regions();
        self
    }

    pub(crate) fn build_regions(&mut self) {
        let regions = Regions::of(self);
        self.set_regions(Some(regions));
    }

    /// The same map with the larger regions on which a [`Crowd`](crate::crowd::Crowd) plans: see [`CrowdRegions`]. Every
    /// later edit keeps them up to date.
    #[must_use]
    pub fn with_crowd_regions(mut self) -> Grid {
        self.build_crowd_regions();
        self
    }

    pub(crate) fn build_crowd_regions(&mut self) {
        let regions = CrowdRegions::of(self);
        self.set_crowd_regions(Some(regions));
    }

    /// The same map without its regions of either kind.
    #[must_use]
    pub fn without_regions(mut self) -> Grid {
        self.set_regions(None);
        self.set_crowd_regions(None);
        self
    }
}

impl<const SIDE: usize> Regions<SIDE> {
    /// The binary logarithm of the side of a tile.
    const SHIFT: u32 = SIDE.ilog2();

    /// The number of regions.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none: no cell of the map is free.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// No id is greater than this or equal to it.
    pub(crate) fn id_count(&self) -> u32 {
        self.regions.len() as u32
    }

    /// All regions, in a fixed order.
    pub fn ids(&self) -> impl Iterator<Item = RegionId> + '_ {
        (0..)
            .zip(&self.regions)
            .filter(|(_, region)| region.tile != NONE)
            .map(|(id, _)| RegionId(id))
    }

    /// The region of a cell; `None` if it is blocked or outside the map.
    #[inline]
    pub fn at(&self, cell: Cell) -> Option<RegionId> {
        let (column, row) = (cell.x >> Self::SHIFT, cell.y >> Self::SHIFT);
        if column >= self.columns || row >= self.rows {
            return None;
        }
        let mut id = self.tiles[self.tile(column, row) as usize];
        while id != NONE {
            let region = &self.regions[id as usize];
            if region.cells[cell.y as usize % SIDE] >> (cell.x % SIDE as u32) & 1 == 1 {
                return Some(RegionId(id));
            }
            id = region.next;
        }
        None
    }

    /// The region of a node.
    #[inline]
    pub(crate) fn of_node(&self, node: NodeId) -> Option<RegionId> {
        self.at(self.cell(node))
    }

    #[inline]
    pub(crate) fn cell(&self, node: NodeId) -> Cell {
        self.geometry.cell(node)
    }

    #[inline]
    pub(crate) fn node(&self, cell: Cell) -> NodeId {
        self.geometry.node(cell)
    }

    /// The distance between two cells on an empty map of plain ground.
    #[inline]
    pub(crate) fn apart(&self, a: Cell, b: Cell) -> Cost {
        self.geometry.apart(a, b)
    }

    /// The cells of a region, row by row.
    pub fn cells(&self, region: RegionId) -> impl Iterator<Item = Cell> + '_ {
        let region = self.get(region);
        let corner = region.map_or(Cell::default(), |region| self.corner(region.tile));
        let rows = region.map_or([0; SIDE], |region| region.cells);
        let side = SIDE as u32;
        let inside = (0..side).flat_map(move |y| (0..side).map(move |x| (x, y)));
        let own = inside.filter(move |&(x, y)| rows[y as usize] >> x & 1 == 1);
        own.map(move |(x, y)| Cell { x: corner.x + x, y: corner.y + y })
    }

    /// The neighbors of a region, each with the step that represents their contact: a cell of this region, and one of
    /// the neighbor.
    pub fn neighbors(&self, region: RegionId) -> impl Iterator<Item = (RegionId, Cell, Cell)> + '_ {
        let own = self.get(region);
        let corner = own.map_or(Cell::default(), |own| self.corner(own.tile));
        own.into_iter().flat_map(Region::contacts).map(move |contact| {
            let border = contact.border(corner);
            (contact.to, border.middle(), border.beyond(border.middle()))
        })
    }

    /// The neighbors of a region.
    #[inline]
    pub(crate) fn near(&self, region: RegionId) -> impl Iterator<Item = RegionId> + '_ {
        self.get(region).into_iter().flat_map(Region::contacts).map(|contact| contact.to)
    }

    /// The neighbors of a region, each with the cells of this region from which a step leads there.
    #[inline]
    pub(crate) fn borders(
        &self,
        region: RegionId,
    ) -> impl Iterator<Item = (RegionId, Border)> + '_ {
        let own = self.get(region);
        let corner = own.map_or(Cell::default(), |own| self.corner(own.tile));
        let contacts = own.into_iter().flat_map(Region::contacts);
        contacts.map(move |contact| (contact.to, contact.border(corner)))
    }

    /// Visits the neighbors of a region, each with the cells of the neighbor from which a step leads here: for the
    /// innermost loop of a search, as an iterator takes more time.
    #[inline]
    pub(crate) fn for_each_border_beyond(
        &self,
        region: RegionId,
        mut visit: impl FnMut(RegionId, Border),
    ) {
        let Some(own) = self.get(region) else { return };
        let corner = self.corner(own.tile);
        let near = &own.near[..NEAR.min(own.contacts.into())];
        for contacts in [near, &own.more[..]] {
            for contact in contacts {
                visit(contact.to, contact.border(corner).reversed());
            }
        }
    }

    /// The neighbor through which all paths out of a region lead, if it is known to be a dead end.
    #[inline]
    pub fn dead_end(&self, region: RegionId) -> Option<RegionId> {
        let out = self.regions.get(region.0 as usize).map_or(NONE, |region| region.out);
        (out != NONE).then_some(RegionId(out))
    }

    /// Whether a path leads from one cell to another: exact, in time proportional to the regions around the nearer one
    /// of them. An agent need not ask: it finds out within its budget.
    pub fn reachable(&self, from: Cell, to: Cell) -> bool {
        let (Some(from), Some(to)) = (self.at(from), self.at(to)) else { return false };
        // From both ends in turns, so that a small island is enough.
        let mut side_of = std::collections::BTreeMap::from([(from, 0), (to, 1)]);
        if from == to {
            return true;
        }
        let mut queues = [VecDeque::from([from]), VecDeque::from([to])];
        loop {
            for side in [0, 1] {
                let Some(region) = queues[side].pop_front() else { return false };
                for (near, ..) in self.neighbors(region) {
                    match side_of.insert(near, side) {
                        None => queues[side].push_back(near),
                        Some(known) if known != side => return true,
                        Some(_) => {}
                    }
                }
            }
        }
    }

    /// A number that grows with every edit of the map.
    pub fn edits(&self) -> u64 {
        self.edits
    }

    /// Heap memory in bytes. Per cell: up to 1 byte in open terrain, 1.8 where a quarter of the cells is blocked at random, and
    /// up to 6 in mazes; regions for crowds take half of that.
    pub fn bytes(&self) -> usize {
        let more: usize = self.regions.iter().map(|region| region.more.capacity()).sum();
        self.tiles.capacity() * size_of::<u32>()
            + self.regions.capacity() * size_of::<Region<SIDE>>()
            + more * size_of::<Contact>()
            + self.spare.capacity() * size_of::<(u32, u64)>()
            + self.log.capacity() * size_of::<RegionId>()
            + self.cleared.capacity() * size_of::<u32>()
    }

    #[inline]
    fn get(&self, region: RegionId) -> Option<&Region<SIDE>> {
        self.regions.get(region.0 as usize).filter(|region| region.tile != NONE)
    }

    /// Whether a region exists.
    #[inline]
    pub(crate) fn exists(&self, region: RegionId) -> bool {
        self.get(region).is_some()
    }

    /// The number of the tile in this column and row of tiles.
    #[inline]
    fn tile(&self, column: u32, row: u32) -> u32 {
        row << self.row_shift | column
    }

    /// The column and row of a tile.
    #[inline]
    fn place(&self, tile: u32) -> (u32, u32) {
        (tile & !(u32::MAX << self.row_shift), tile >> self.row_shift)
    }

    /// The top left cell of a tile.
    #[inline]
    fn corner(&self, tile: u32) -> Cell {
        let (column, row) = self.place(tile);
        Cell { x: column << Self::SHIFT, y: row << Self::SHIFT }
    }

    /// The middle of the tile of a region.
    #[inline]
    pub(crate) fn middle(&self, region: RegionId) -> Cell {
        let corner = self.get(region).map_or(Cell::default(), |own| self.corner(own.tile));
        Cell { x: corner.x + SIDE as u32 / 2, y: corner.y + SIDE as u32 / 2 }
    }

    /// The tile of a region, by its column and row among tiles, and its cells there.
    #[inline]
    pub(crate) fn place_of(&self, region: RegionId) -> Option<((u32, u32), &Rows<SIDE>)> {
        let own = self.get(region)?;
        Some((self.place(own.tile), &own.cells))
    }

    /// The distance over a region, given the plain distance: times the mean multiplier.
    #[inline]
    pub(crate) fn weigh(&self, region: RegionId, plain: Cost) -> Cost {
        match self.regions[region.0 as usize].weight {
            PLAIN => plain,
            weight => Cost((plain.0 / u64::from(PLAIN)).saturating_mul(weight.into())),
        }
    }

    /// The cells of a region that have a step to another one in an adjacent tile: the first and last column and row.
    pub(crate) fn border(&self, region: RegionId, to: RegionId) -> Option<(Cell, Cell)> {
        let own = self.get(region)?;
        let other = self.get(to)?;
        let (here, there) = (self.corner(own.tile), self.corner(other.tile));
        let toward = |here: u32, there: u32| i8::from(there > here) - i8::from(there < here);
        let toward = (toward(here.x, there.x), toward(here.y, there.y));
        let mask = self.links.touching(&own.cells, &other.cells, toward);
        if mask == 0 {
            return None;
        }
        let (first, last) = (mask.trailing_zeros(), mask.ilog2());
        let cell = |along: u32| {
            let (x, y) = mend::border_cell::<SIDE>(toward, along);
            Cell { x: here.x + x, y: here.y + y }
        };
        Some((cell(first), cell(last)))
    }

    /// The changes since the log had this length; `None` if some of them are no longer known.
    #[inline]
    pub(crate) fn changes_since(&self, logged: u64) -> Option<u64> {
        let new = self.logged.checked_sub(logged)?;
        (logged >= self.log_start && new as usize <= self.log.len()).then_some(new)
    }

    /// How much they have changed.
    pub(crate) fn age(&self) -> Age {
        Age { edits: self.edits, logged: self.logged }
    }

    /// The same, if newly built, as if they were the result of an edit of others that the log does not describe.
    pub(crate) fn younger_than(mut self, others: Option<Age>) -> Regions<SIDE> {
        if let Some(Age { edits, logged }) = others {
            (self.edits, self.logged) = (edits + 1, logged + 1);
            (self.log_start, self.logged_before) = (self.logged, self.logged);
        }
        self
    }

    /// The length of the log.
    #[inline]
    pub(crate) fn logged(&self) -> u64 {
        self.logged
    }

    /// The entry of the log with this number, which must still be known.
    #[inline]
    pub(crate) fn change(&self, number: u64) -> RegionId {
        self.log[(number % self.log.len() as u64) as usize]
    }
}

impl Contact {
    /// The same on the map, given the top left cell of the tile.
    #[inline]
    fn border(self, corner: Cell) -> Border {
        let Contact { start: (x, y), length, is_column, over: (column, row), .. } = self;
        let start = Cell { x: corner.x + u32::from(x), y: corner.y + u32::from(y) };
        let over = (i32::from(column), i32::from(row));
        Border { start, length: u32::from(length), is_column, over }
    }
}

/// Where two regions touch: cells in a row or in a column from each of which a step leads to the other region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Border {
    /// The first cell, and how many follow.
    start: Cell,
    length: u32,
    is_column: bool,
    /// The step to the other region.
    over: (i32, i32),
}

impl Border {
    /// The same from the other side.
    #[inline]
    fn reversed(self) -> Border {
        let (column, row) = self.over;
        Border { start: self.beyond(self.start), over: (-column, -row), ..self }
    }

    /// The cell of the other region to which the step from a cell leads.
    #[inline]
    fn beyond(self, cell: Cell) -> Cell {
        let (column, row) = self.over;
        Cell { x: cell.x.wrapping_add_signed(column), y: cell.y.wrapping_add_signed(row) }
    }

    #[inline]
    fn at(self, along: u32) -> Cell {
        let Cell { x, y } = self.start;
        if self.is_column { Cell { x, y: y + along } } else { Cell { x: x + along, y } }
    }

    /// The cell in the middle.
    fn middle(self) -> Cell {
        self.at(self.length.div_ceil(2))
    }

    /// The cell nearest to the straight line between two cells.
    #[inline]
    pub fn between(self, a: Cell, b: Cell) -> Cell {
        if self.length == 0 {
            return self.start;
        }
        let flip = |cell: Cell| if self.is_column { (cell.x, cell.y) } else { (cell.y, cell.x) };
        let [(line, start), a, b] = [self.start, a, b].map(flip);
        // How far along the way from `a` to `b` the border is, if it is between them. No side of a map is longer than
        // 65,528 cells, so the product fits.
        let (part, whole) = if b.0 >= a.0 {
            (line.saturating_sub(a.0), b.0 - a.0)
        } else {
            (a.0.saturating_sub(line), a.0 - b.0)
        };
        let part = part.min(whole);
        let crossing = match whole {
            0 => u32::midpoint(a.1, b.1),
            _ if b.1 >= a.1 => a.1 + (b.1 - a.1) * part / whole,
            _ => a.1 - (a.1 - b.1) * part / whole,
        };
        self.at(crossing.saturating_sub(start).min(self.length))
    }
}

impl<const SIDE: usize> std::fmt::Debug for Regions<SIDE> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Regions").field("len", &self.len).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crossing_is_that_of_the_straight_line() {
        let mut seed = 1_u64;
        let mut random = |end: u64| {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            ((seed >> 33) % end) as u32
        };
        for round in 0..20_000 {
            let end = if round % 2 == 0 { 40 } else { 65_528 };
            let [start, a, b] = [(); 3].map(|()| Cell::new(random(end), random(end)));
            let (length, is_column) = (random(16), round % 4 < 2);
            let flip = |cell: Cell| if is_column { (cell.x, cell.y) } else { (cell.y, cell.x) };
            let [(line, first), (ax, ay), (bx, by)] =
                [start, a, b].map(flip).map(|(x, y)| (i64::from(x), i64::from(y)));
            let crossing = if ax == bx {
                i64::midpoint(ay, by)
            } else {
                let line = line.clamp(ax.min(bx), ax.max(bx));
                ay + (by - ay) * (line - ax).abs() / (bx - ax).abs()
            };
            let along = (crossing - first).clamp(0, length.into()) as u32;
            let border = Border { start, length, is_column, over: (0, 0) };
            assert_eq!(border.between(a, b), border.at(along), "{border:?} {a} {b}");
        }
    }
}
