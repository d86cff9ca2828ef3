//! Tables of subgoals: for every two nodes of a level, where to go first from one to the other, and how far to
//! look ahead for it. What they are, and how they are made, is described with the agent that uses them.
//!
//! # Invariants
//! * Whatever bytes are read, the result is an error or tables that fit the map.
//!
//! # Real-time bound
//! A look-up takes constant time.

use std::collections::HashMap;
use std::fmt;

use thiserror::Error;

use super::Hierarchy;
use crate::{Map, NodeId, Space};

/// No row, and no way.
pub(crate) const NONE: u32 = u32::MAX;
pub(crate) const NO_WAY: u16 = u16::MAX;

/// What bytes begin with that are tables.
const MAGIC: &[u8; 8] = b"tkstarSG";
const VERSION: u32 = 1;
/// Bytes before the data: magic, version, level, length, fingerprint, rows, ways, pairs.
const HEADER: usize = 48;
/// Bytes of the checksum at the end.
const CHECKSUM: usize = 8;

/// Where to go first, and how far to look ahead for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subgoal {
    /// The cell to go to.
    pub cell: NodeId,
    /// The steps to look ahead.
    pub depth: u32,
}

/// The subgoals between all nodes of one level of a map's [`Hierarchy`], for [`DLrta`](crate::DLrta): our
/// reconstruction of the tables of D LRTA*.
///
/// For each node and each other one that can be reached from it: the first cell outside of the node on a
/// cheapest way from its middle to the middle of the other, and the least depth with which LRTA* sets out
/// rightly for that cell. They are good for the map as it is, and any change of it drops them.
///
/// They take a search over the map for each node of the level, which can be done on many threads:
///
/// ```
/// use tickstar::agent::d_lrta::Subgoals;
/// use tickstar::{Grid, Layered};
/// let mut grid = Layered::new(Grid::new(40, 40)?)?;
/// let tables = {
///     let plan = Subgoals::plan(&grid, grid.hierarchy().unwrap(), 3);
///     let half = |targets: std::ops::Range<usize>| {
///         let mut search = plan.search();
///         targets.map(|target| plan.column(target, &mut search)).collect::<Vec<_>>()
///     };
///     let (all, middle) = (plan.targets(), plan.targets() / 2);
///     let columns = std::thread::scope(|scope| {
///         let first = scope.spawn(|| half(0..middle));
///         [half(middle..all), first.join().unwrap()].concat()
///     });
///     plan.finish(columns)
/// };
/// let bytes = tables.to_bytes(); // to be kept in a file
/// let tables = Subgoals::from_bytes(&bytes, &grid, grid.hierarchy().unwrap())?;
/// grid.set_subgoals(tables);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Subgoals {
    pub(crate) layout: Layout,
    pub(crate) fingerprint: u64,
    /// Where the ways of each row begin, and one more for the end.
    pub(crate) first: Vec<u32>,
    /// The subgoals of each row, with their depths.
    pub(crate) ways: Vec<(NodeId, u8)>,
    /// For each pair the number of its way.
    pub(crate) pairs: Vec<u16>,
}

/// Why bytes cannot be read as the subgoals of a map.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum SubgoalsError {
    /// Something else altogether.
    #[error("these are not tables of subgoals")]
    NotSubgoals,
    /// From another version of this library.
    #[error("subgoals in version {found} of the format, where version {VERSION} was expected")]
    Version {
        /// The version found.
        found: u32,
    },
    /// The end is missing.
    #[error("subgoals cut short: {found} bytes of {expected}")]
    CutShort {
        /// How many bytes there should be.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// Something has changed in between.
    #[error("damaged subgoals: their checksum does not fit")]
    Checksum,
    /// They belong to another map, or to another grouping of its cells.
    #[error("subgoals of another map, or of this one with other cells or other rules of movement")]
    OtherMap,
    /// The numbers inside cannot be.
    #[error("impossible subgoals: their sizes or entries do not fit the map")]
    Impossible,
}

/// Where the pair of two nodes is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    pub level: usize,
    /// The row of each node of the level, by id.
    rows: Vec<u32>,
    /// The nodes of the level, by id.
    pub list: Vec<Row>,
    /// How many pairs there are, those of a node and itself counted.
    pub pairs: usize,
}

/// A node of the level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Row {
    pub node: NodeId,
    /// The connected part of the map it is in, and its number in there.
    pub part: u32,
    pub column: u32,
    /// Where its pairs begin.
    pub first: usize,
}

impl Layout {
    pub fn new(hierarchy: &Hierarchy, level: usize) -> Layout {
        let space = hierarchy.level(level);
        let mut layout =
            Layout { level, rows: vec![NONE; space.size()], list: Vec::new(), pairs: 0 };
        let mut parts = HashMap::new();
        let mut sizes = Vec::new();
        for node in (0..space.size() as u32).map(NodeId).filter(|&node| space.contains(node)) {
            let mut top = (level, node);
            while let Some(parent) = hierarchy.parent(top.0, top.1) {
                top = (top.0 + 1, parent);
            }
            let part = *parts.entry(top).or_insert(sizes.len());
            if part == sizes.len() {
                sizes.push(0);
            }
            layout.rows[node.index()] = layout.list.len() as u32;
            layout.list.push(Row { node, part: part as u32, column: sizes[part], first: 0 });
            sizes[part] += 1;
        }
        for row in &mut layout.list {
            row.first = layout.pairs;
            layout.pairs += sizes[row.part as usize] as usize;
        }
        layout
    }

    pub fn row(&self, node: NodeId) -> Option<usize> {
        let row = *self.rows.get(node.index())?;
        (row != NONE).then_some(row as usize)
    }

    /// The nodes of each part, in the order of their columns.
    pub fn parts(&self) -> Vec<Vec<u32>> {
        let mut parts: Vec<Vec<u32>> = Vec::new();
        for (number, row) in (0..).zip(&self.list) {
            if row.column == 0 {
                parts.push(Vec::new());
            }
            parts[row.part as usize].push(number);
        }
        parts
    }
}

impl Subgoals {
    /// No subgoal asks to look further ahead than this.
    pub const MAX_DEPTH: u32 = 15;

    /// The level whose nodes they are for.
    pub fn level(&self) -> usize {
        self.layout.level
    }

    /// Where to go first from one node of the level to another, if there is an entry.
    #[inline]
    pub fn get(&self, from: NodeId, to: NodeId) -> Option<Subgoal> {
        let (number, to) = (self.layout.row(from)?, self.layout.list[self.layout.row(to)?]);
        let row = self.layout.list[number];
        if row.part != to.part {
            return None;
        }
        let way = self.pairs[row.first + to.column as usize];
        if way == NO_WAY {
            return None;
        }
        let (cell, depth) = self.ways[self.first[number] as usize + usize::from(way)];
        Some(Subgoal { cell, depth: depth.into() })
    }

    /// The nodes of the level.
    pub fn nodes(&self) -> usize {
        self.layout.list.len()
    }

    /// The pairs of nodes that have an entry.
    pub fn pairs(&self) -> usize {
        self.pairs.iter().filter(|&&way| way != NO_WAY).count()
    }

    /// The different subgoals of all nodes, each counted for each node it is one of.
    pub fn ways(&self) -> usize {
        self.ways.len()
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        self.layout.rows.capacity() * size_of::<u32>()
            + self.layout.list.capacity() * size_of::<Row>()
            + self.first.capacity() * size_of::<u32>()
            + self.ways.capacity() * size_of::<(NodeId, u8)>()
            + self.pairs.capacity() * size_of::<u16>()
    }

    /// The tables as bytes, to be kept.
    pub fn to_bytes(&self) -> Vec<u8> {
        let rows = self.layout.list.len();
        let length = HEADER + 4 * rows + 5 * self.ways.len() + 2 * self.pairs.len() + CHECKSUM;
        let mut bytes = Vec::with_capacity(length);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((self.layout.level as u32).to_le_bytes());
        bytes.extend((length as u64).to_le_bytes());
        bytes.extend(self.fingerprint.to_le_bytes());
        bytes.extend((rows as u32).to_le_bytes());
        bytes.extend((self.ways.len() as u32).to_le_bytes());
        bytes.extend((self.pairs.len() as u64).to_le_bytes());
        bytes.extend(self.first[1..].iter().flat_map(|end| end.to_le_bytes()));
        bytes.extend(self.ways.iter().flat_map(|(cell, _)| cell.0.to_le_bytes()));
        bytes.extend(self.ways.iter().map(|&(_, depth)| depth));
        bytes.extend(self.pairs.iter().flat_map(|way| way.to_le_bytes()));
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }

    /// Tables that were made for this map as it is.
    ///
    /// # Errors
    /// When the bytes are something else, damaged, or of another map.
    pub fn from_bytes(
        bytes: &[u8],
        space: &impl Map,
        hierarchy: &Hierarchy,
    ) -> Result<Subgoals, SubgoalsError> {
        if !bytes.starts_with(MAGIC) {
            return Err(SubgoalsError::NotSubgoals);
        }
        let found = bytes.len() as u64;
        let cut = |expected| SubgoalsError::CutShort { expected, found };
        let mut reader = Reader(&bytes[MAGIC.len()..]);
        let version = reader.number(4).ok_or(cut(HEADER as u64))? as u32;
        if version != VERSION {
            return Err(SubgoalsError::Version { found: version });
        }
        let header = reader.take(HEADER - MAGIC.len() - 4).ok_or(cut(HEADER as u64))?;
        let mut header = Reader(header);
        let mut field = |size| header.number(size).ok_or(SubgoalsError::Impossible);
        let (level, length, print) = (field(4)? as usize, field(8)?, field(8)?);
        let (rows, ways, pairs) = (field(4)? as usize, field(4)? as usize, field(8)?);
        if found < length {
            return Err(cut(length));
        }
        let end = bytes.len().checked_sub(CHECKSUM).filter(|&end| end >= HEADER && found == length);
        let (before, sum) = bytes.split_at(end.ok_or(SubgoalsError::Impossible)?);
        if Reader(sum).number(CHECKSUM) != Some(checksum(before)) {
            return Err(SubgoalsError::Checksum);
        }
        if print != fingerprint(space, hierarchy, level) {
            return Err(SubgoalsError::OtherMap);
        }
        let layout = Layout::new(hierarchy, level);
        if rows != layout.list.len() || pairs != layout.pairs as u64 {
            return Err(SubgoalsError::Impossible);
        }
        let body = Reader(&before[HEADER..]);
        Subgoals::read(body, layout, print, ways, space.size()).ok_or(SubgoalsError::Impossible)
    }

    /// What follows the header. Nothing is read that is not there, or makes no sense.
    fn read(
        mut body: Reader<'_>,
        layout: Layout,
        fingerprint: u64,
        ways: usize,
        size: usize,
    ) -> Option<Subgoals> {
        let rows = layout.list.len();
        let ends = body.take(rows.checked_mul(4)?)?.chunks_exact(4).map(number);
        let first: Vec<u32> = std::iter::once(0).chain(ends.map(|end| end as u32)).collect();
        if !first.is_sorted() || *first.last()? as usize != ways {
            return None;
        }
        let cells = body.take(ways.checked_mul(4)?)?.chunks_exact(4);
        let depths = body.take(ways)?;
        let ways: Vec<_> =
            cells.zip(depths).map(|(cell, &depth)| (NodeId(number(cell) as u32), depth)).collect();
        let deepest = Subgoals::MAX_DEPTH as u8;
        if !ways.iter().all(|(cell, depth)| cell.index() < size && (1..=deepest).contains(depth)) {
            return None;
        }
        let pairs = body.take(layout.pairs.checked_mul(2)?)?.chunks_exact(2);
        let pairs: Vec<_> = pairs.map(|way| number(way) as u16).collect();
        for (number, row) in layout.list.iter().enumerate() {
            let end = layout.list.get(number + 1).map_or(pairs.len(), |next| next.first);
            let known = first[number + 1] - first[number];
            let fits = |&way: &u16| way == NO_WAY || u32::from(way) < known;
            if !pairs[row.first..end].iter().all(fits) {
                return None;
            }
        }
        body.0.is_empty().then_some(Subgoals { layout, fingerprint, first, ways, pairs })
    }
}

impl fmt::Debug for Subgoals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subgoals")
            .field("level", &self.level())
            .field("nodes", &self.nodes())
            .field("ways", &self.ways())
            .finish_non_exhaustive()
    }
}

/// A number that stands for a map and how its cells are grouped on a level.
pub(crate) fn fingerprint(space: &impl Map, hierarchy: &Hierarchy, level: usize) -> u64 {
    let mut digest = Digest::new();
    digest.take(level as u64);
    digest.take(space.size() as u64);
    let nodes = (0..space.size() as u32).map(NodeId).filter(|&node| space.contains(node));
    for node in nodes {
        let over = hierarchy.ancestor(node, level).map_or(NONE, |over| over.0);
        digest.take(u64::from(node.0) << 32 | u64::from(over));
        let (x, y) = space.position(node).unwrap_or_default();
        digest.take(u64::from(x as u32) << 32 | u64::from(y as u32));
        space.for_each_edge(node, |to, cost| digest.take(cost.0 << 32 | u64::from(to.0)));
    }
    digest.0
}

/// A checksum that differs if one of these bytes does.
fn checksum(bytes: &[u8]) -> u64 {
    let mut digest = Digest::new();
    bytes.chunks(8).for_each(|word| digest.take(number(word)));
    digest.0
}

/// A hash like FNV-1a, by words instead of bytes. No step loses anything, so a change of a single word
/// always shows.
struct Digest(u64);

impl Digest {
    fn new() -> Digest {
        Digest(0xcbf2_9ce4_8422_2325)
    }

    #[inline]
    fn take(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}

/// Up to eight bytes as a number, the lowest first.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Bytes that are read from the front.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self, size: usize) -> Option<u64> {
        self.take(size).map(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cell, Grid, Layered};

    /// A map of two parts, and its tables for level 2.
    fn scene() -> (Layered<Grid>, Subgoals) {
        let rows = ["......#..", ".##...#..", "..#.#.#..", "....#.#..", ".##...#..", "......#.."];
        let grid = Layered::new(Grid::from_rows(rows).unwrap()).unwrap();
        let tables = Subgoals::build(&grid, grid.hierarchy().unwrap(), 2);
        assert!(tables.nodes() >= 4 && tables.pairs() > tables.nodes());
        (grid, tables)
    }

    fn read(bytes: &[u8], grid: &Layered<Grid>) -> Result<Subgoals, SubgoalsError> {
        Subgoals::from_bytes(bytes, grid, grid.hierarchy().unwrap())
    }

    /// Makes the checksum fit again.
    fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
        bytes.truncate(bytes.len() - CHECKSUM);
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }

    fn with(bytes: &[u8], at: usize, new: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        bytes[at..at + new.len()].copy_from_slice(new);
        bytes
    }

    #[test]
    fn what_was_written_is_read() {
        let (grid, tables) = scene();
        let bytes = tables.to_bytes();
        assert_eq!(bytes.len(), bytes.capacity());
        assert_eq!(read(&bytes, &grid).unwrap(), tables);
        let empty = Subgoals::build(&grid, grid.hierarchy().unwrap(), 50);
        assert_eq!((empty.nodes(), empty.pairs(), empty.ways()), (0, 0, 0));
        assert_eq!(read(&empty.to_bytes(), &grid).unwrap(), empty);
    }

    #[test]
    fn bytes_that_are_cut_short_are_refused() {
        let (grid, tables) = scene();
        let bytes = tables.to_bytes();
        for found in 0..bytes.len() {
            let error = read(&bytes[..found], &grid).unwrap_err();
            let cut =
                matches!(error, SubgoalsError::CutShort { found: f, .. } if f == found as u64);
            let expected =
                if found < MAGIC.len() { error == SubgoalsError::NotSubgoals } else { cut };
            assert!(expected, "{found} bytes: {error}");
        }
        assert_eq!(read(&[&bytes[..], &[0]].concat(), &grid), Err(SubgoalsError::Impossible));
    }

    #[test]
    fn no_bit_can_be_turned() {
        let (grid, tables) = scene();
        let bytes = tables.to_bytes();
        for bit in 0..8 * bytes.len() {
            let mut turned = bytes.clone();
            turned[bit / 8] ^= 1 << (bit % 8);
            let error = read(&turned, &grid).unwrap_err();
            let expected = match bit / 8 {
                0..8 => error == SubgoalsError::NotSubgoals,
                8..12 => matches!(error, SubgoalsError::Version { .. }),
                16..24 => {
                    matches!(error, SubgoalsError::CutShort { .. } | SubgoalsError::Impossible)
                }
                _ => error == SubgoalsError::Checksum,
            };
            assert!(expected, "bit {bit}: {error}");
        }
    }

    #[test]
    fn another_map_version_or_level_is_refused() {
        let (grid, tables) = scene();
        let bytes = tables.to_bytes();
        let newer = seal(with(&bytes, 8, &2_u32.to_le_bytes()));
        assert_eq!(read(&newer, &grid), Err(SubgoalsError::Version { found: 2 }));
        for level in [0, 1, 3, u32::MAX] {
            let other = seal(with(&bytes, 12, &level.to_le_bytes()));
            assert_eq!(read(&other, &grid), Err(SubgoalsError::OtherMap), "level {level}");
        }
        let mut edited = grid.clone();
        edited.set_free(Cell::new(0, 0), false).unwrap();
        assert_eq!(read(&bytes, &edited), Err(SubgoalsError::OtherMap));
        // The same cells again, but repaired: now and then they are grouped in another way.
        let over = |grid: &Layered<Grid>| {
            let cells = grid.free_cells().map(|cell| grid.node(cell).unwrap());
            cells.map(|cell| grid.hierarchy().unwrap().ancestor(cell, 2)).collect::<Vec<_>>()
        };
        let mut regrouped = 0;
        for cell in grid.free_cells() {
            let mut repaired = grid.clone();
            repaired.set_free(cell, false).unwrap();
            repaired.set_free(cell, true).unwrap();
            let same = over(&repaired) == over(&grid);
            regrouped += usize::from(!same);
            assert_eq!(read(&bytes, &repaired).err(), (!same).then_some(SubgoalsError::OtherMap));
        }
        assert!(regrouped > 0);
        let allowed =
            Layered::new(grid.into_space().with_corners(crate::space::Corners::Allowed)).unwrap();
        assert_eq!(read(&bytes, &allowed), Err(SubgoalsError::OtherMap));
    }

    #[test]
    fn sizes_and_entries_that_cannot_be_are_refused() {
        let (grid, tables) = scene();
        let bytes = tables.to_bytes();
        let ends = HEADER;
        let cells = ends + 4 * tables.nodes();
        let depths = cells + 4 * tables.ways();
        let pairs = depths + tables.ways();
        let huge = u32::MAX.to_le_bytes();
        let lies: [(usize, &[u8]); 10] = [
            (32, &huge),
            (36, &huge),
            (36, &[0; 4]),
            (40, &[0xff; 8]),
            (40, &[0; 8]),
            (ends, &huge),
            (cells, &huge),
            (depths, &[0]),
            (depths, &[16]),
            (pairs, &[0xfe, 0xff]),
        ];
        for (at, lie) in lies {
            let wrong = seal(with(&bytes, at, lie));
            assert_eq!(read(&wrong, &grid), Err(SubgoalsError::Impossible), "at {at}");
        }
        // Too short for its own checksum.
        let stub = with(&bytes[..HEADER], 16, &(HEADER as u64).to_le_bytes());
        assert_eq!(read(&stub, &grid), Err(SubgoalsError::Impossible));
    }

    #[test]
    fn whatever_is_read_can_be_asked() {
        let (grid, tables) = scene();
        let bytes = tables.to_bytes();
        let (mut state, mut taken) = (1_u64, 0);
        let mut random = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        for _ in 0..20_000 {
            let mut lied = bytes.clone();
            for _ in 0..=random(3) {
                let at = random(bytes.len());
                lied[at] = random(256) as u8;
            }
            let Ok(tables) = read(&seal(lied), &grid) else { continue };
            taken += 1;
            for (from, to) in (0..20).flat_map(|from| (0..20).map(move |to| (from, to))) {
                tables.get(NodeId(from), NodeId(to));
            }
        }
        assert!(taken > 100, "{taken}");
    }
}
