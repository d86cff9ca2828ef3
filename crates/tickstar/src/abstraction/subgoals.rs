//! Subgoals, worked out beforehand: for every two nodes of a level, where to go first from one to the other,
//! and how far to look ahead for it.
//!
//! # Source
//! V. Bulitko, M. Luštrek, J. Schaeffer, Y. Björnsson, S. Sigmundarson, "Dynamic Control in Real-Time Heuristic
//! Search", JAIR 2008, as outlined in Björnsson, Bulitko, Sturtevant, "TBA*: Time-Bounded A*", IJCAI 2009. Only
//! the outline was at hand: this is our reconstruction.
//!
//! # Steps
//! 1. Each node of the level is represented by the cell below it that is closest to its mean position.
//! 2. For each node B a search from its representative outward, over all that can be reached, finds cheapest
//!    ways to those of all others. Of node A's, the first cell outside A is the *subgoal* from A to B.
//! 3. For each subgoal of A the *depth*: the least with which LRTA*, having learned nothing, takes a first
//!    step from A's representative that begins a cheapest way to the subgoal.
//!
//! # Deviations
//! * The outline says only that subgoals and depths were worked out for pairs of nodes of a level. What
//!   they are is our choice.
//! * Depths end at 15, so that a lookahead on a grid expands fewer than 1000 nodes. Where none is enough, it is
//!   that.
//! * A part of the map that is one node below the level already has no entries, and a node has
//!   65,535 different subgoals at most; for what is missing the agent goes to the goal itself.
//!
//! # Invariants
//! * The tables are the same bit for bit in whatever order, and on however many threads, the searches are done.
//! * Whatever bytes are read, what comes of it is an error or tables that fit the map.
//!
//! # Real-time bound
//! None: this is done beforehand. A search over the whole part of the map for each node of the level, and two
//! bytes for each pair. Looking up takes constant time.

use std::collections::HashMap;
use std::fmt;

use thiserror::Error;

use crate::agent::{Ball, Decision};
use crate::search::Toward;
use crate::{BestFirst, Hierarchy, Map, NodeId, Priority, SearchConfig, Slice, Space};

/// No row, and no way.
const NONE: u32 = u32::MAX;
const NO_WAY: u16 = u16::MAX;
/// A goal that no node is: a search for it goes everywhere.
const NOWHERE: NodeId = NodeId(u32::MAX);

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
/// use tickstar::{Grid, Space, Subgoals};
/// let mut grid = Grid::new(40, 40)?;
/// grid.abstracted();
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
    layout: Layout,
    fingerprint: u64,
    /// Where the ways of each row begin, and one more for the end.
    first: Vec<u32>,
    /// The subgoals of each row, with their depths.
    ways: Vec<(NodeId, u8)>,
    /// For each pair the number of its way.
    pairs: Vec<u16>,
}

/// Why bytes cannot be read as the subgoals of a map.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SubgoalsError {
    /// Something else altogether.
    #[error("these are no subgoals: they do not begin like what `Subgoals::to_bytes` makes")]
    NotSubgoals,
    /// From another version of this library.
    #[error(
        "subgoals in version {found} of the format; this is for version {VERSION}: make them anew"
    )]
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
    #[error("subgoals of another map, or of this one before it was changed: make them anew")]
    OtherMap,
    /// The numbers inside cannot be.
    #[error("impossible subgoals: their sizes or entries do not fit the map")]
    Impossible,
}

/// Where the pair of two nodes is.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Layout {
    level: usize,
    /// The row of each node of the level, by id.
    rows: Vec<u32>,
    /// The nodes of the level, by id.
    list: Vec<Row>,
    /// How many pairs there are, those of a node and itself counted.
    pairs: usize,
}

/// A node of the level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Row {
    node: NodeId,
    /// The connected part of the map it is in, and its number in there.
    part: u32,
    column: u32,
    /// Where its pairs begin.
    first: usize,
}

impl Layout {
    fn new(hierarchy: &Hierarchy, level: usize) -> Layout {
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

    fn row(&self, node: NodeId) -> Option<usize> {
        let row = *self.rows.get(node.index())?;
        (row != NONE).then_some(row as usize)
    }

    /// The nodes of each part, in the order of their columns.
    fn parts(&self) -> Vec<Vec<u32>> {
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

    /// The subgoals for a level of a map, one search after the other.
    pub fn build<S: Map>(space: &S, hierarchy: &Hierarchy, level: usize) -> Subgoals {
        let plan = Subgoals::plan(space, hierarchy, level);
        let mut search = plan.search();
        let columns = (0..plan.targets()).map(|target| plan.column(target, &mut search)).collect();
        plan.finish(columns)
    }

    /// What is to be done for that, in pieces.
    pub fn plan<'s, S: Map>(
        space: &'s S,
        hierarchy: &Hierarchy,
        level: usize,
    ) -> SubgoalPlan<'s, S> {
        let layout = Layout::new(hierarchy, level);
        let mut owners = vec![NONE; space.size()];
        let mut centres = Vec::with_capacity(layout.list.len());
        for (number, row) in (0..).zip(&layout.list) {
            let cells = hierarchy.cells(level, row.node);
            for cell in &cells {
                owners[cell.index()] = number;
            }
            centres.push(centre(space, hierarchy.position(level, row.node), &cells));
        }
        let parts = layout.parts();
        let fingerprint = fingerprint(space, hierarchy, level);
        SubgoalPlan { space, layout, parts, owners, centres, fingerprint }
    }

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

/// What is to be done to make [`Subgoals`]: a search for each target, on any thread and in any order.
#[derive(Debug)]
pub struct SubgoalPlan<'s, S> {
    space: &'s S,
    layout: Layout,
    /// The rows of each part.
    parts: Vec<Vec<u32>>,
    /// The row of each cell of the map.
    owners: Vec<u32>,
    /// The cell that represents each row.
    centres: Vec<NodeId>,
    fingerprint: u64,
}

/// The memory of the searches for [`Subgoals`]: one for each thread.
#[derive(Clone, Debug)]
pub struct SubgoalSearch {
    search: BestFirst,
    ball: Ball,
}

/// The subgoals of all nodes on the way to one target.
#[derive(Clone, Debug)]
pub struct SubgoalColumn {
    /// The row of the target.
    target: usize,
    /// For each node of its part.
    cells: Vec<NodeId>,
}

impl<S: Map> SubgoalPlan<'_, S> {
    /// How many targets there are: one for each node of the level.
    pub fn targets(&self) -> usize {
        self.layout.list.len()
    }

    /// How many pairs of nodes there will be, each of two bytes; those of a node and itself are counted.
    pub fn pairs(&self) -> usize {
        self.layout.pairs
    }

    /// The cell that represents a node of the level.
    pub fn representative(&self, node: NodeId) -> Option<NodeId> {
        self.layout.row(node).map(|row| self.centres[row])
    }

    /// What a thread needs for its searches.
    pub fn search(&self) -> SubgoalSearch {
        let config = SearchConfig { priority: Priority::UNIFORM, ..SearchConfig::default() };
        SubgoalSearch { search: BestFirst::new(config), ball: Ball::new(1) }
    }

    /// The search for one target, numbered from zero: a look at all that can be reached from it.
    pub fn column(&self, target: usize, memory: &mut SubgoalSearch) -> SubgoalColumn {
        let Some(&to) = self.layout.list.get(target) else {
            return SubgoalColumn { target, cells: Vec::new() };
        };
        let search = &mut memory.search;
        search.explore(self.space, self.centres[target], self.centres[target]);
        search.run(self.space, &mut Slice::unlimited());
        let leave = |&row: &u32| {
            let outside = |cell: &NodeId| self.owners[cell.index()] != row;
            let way = std::iter::successors(Some(self.centres[row as usize]), |&cell| {
                search.parent(cell)
            });
            way.into_iter().find(outside).unwrap_or(NOWHERE)
        };
        let cells = self.parts[to.part as usize].iter().map(leave).collect();
        SubgoalColumn { target, cells }
    }

    /// Puts the columns together, in whatever order they come, and works out the depths. A target whose
    /// column is missing has no entries.
    pub fn finish(self, mut columns: Vec<SubgoalColumn>) -> Subgoals {
        columns.sort_by_key(|column| column.target);
        let mut lists: Vec<Vec<(NodeId, u8)>> = vec![Vec::new(); self.targets()];
        let mut known: HashMap<(u32, NodeId), u16> = HashMap::new();
        let mut pairs = vec![NO_WAY; self.layout.pairs];
        let mut memory = self.search();
        for SubgoalColumn { target, cells } in columns {
            let Some(&to) = self.layout.list.get(target) else { continue };
            for (&row, cell) in self.parts[to.part as usize].iter().zip(cells) {
                let list = &mut lists[row as usize];
                if cell == NOWHERE {
                    continue;
                }
                let way = *known.entry((row, cell)).or_insert_with(|| {
                    if list.len() == usize::from(NO_WAY) {
                        return NO_WAY;
                    }
                    list.push((cell, self.depth(self.centres[row as usize], cell, &mut memory)));
                    list.len() as u16 - 1
                });
                pairs[self.layout.list[row as usize].first + to.column as usize] = way;
            }
        }
        let mut first = vec![0];
        let mut ways = Vec::with_capacity(lists.iter().map(Vec::len).sum());
        for list in lists {
            ways.extend(list);
            first.push(ways.len() as u32);
        }
        let (layout, fingerprint) = (self.layout, self.fingerprint);
        Subgoals { layout, fingerprint, first, ways, pairs }
    }

    /// The least depth with which LRTA*, having learned nothing, begins a cheapest way.
    fn depth(&self, from: NodeId, to: NodeId, memory: &mut SubgoalSearch) -> u8 {
        let SubgoalSearch { search, ball } = memory;
        search.start(self.space, to, from);
        search.run(self.space, &mut Slice::unlimited());
        let begins_well = |first| {
            let edge = self.space.edge(from, first);
            let on = search.cost_to(first).zip(edge).map(|(rest, edge)| rest + edge);
            on.is_some() && on == search.cost_to(from)
        };
        let enough = |&depth: &u32| {
            ball.forget();
            ball.set_depth(depth);
            match ball.think(
                &Toward { map: self.space, goal: to },
                from,
                to,
                &mut Slice::unlimited(),
            ) {
                Decision::Go(first) => begins_well(first),
                Decision::Wait | Decision::NoWay | Decision::Stale => false,
            }
        };
        (1..Subgoals::MAX_DEPTH).find(enough).unwrap_or(Subgoals::MAX_DEPTH) as u8
    }
}

/// Of the cells of a node, the closest to their mean position; of several, or where there are no positions,
/// the one with the smallest id.
fn centre(space: &impl Map, mean: Option<(i64, i64, u32)>, cells: &[NodeId]) -> NodeId {
    let (sum_x, sum_y, count) = mean.unwrap_or_default();
    let off = |&cell: &NodeId| {
        let (x, y) = space.position(cell).unwrap_or_default();
        let off = |at: i32, sum: i64| i128::from(i64::from(at) * i64::from(count) - sum).pow(2);
        (off(x, sum_x) + off(y, sum_y), cell)
    };
    cells.iter().copied().min_by_key(off).unwrap_or(NOWHERE)
}

/// A number that stands for a map and how its cells are grouped on a level.
fn fingerprint(space: &impl Map, hierarchy: &Hierarchy, level: usize) -> u64 {
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

/// A number that is another if one of these bytes is.
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
    use crate::{Cell, Grid};

    /// A map of two parts, and its tables for level 2.
    fn scene() -> (Grid, Subgoals) {
        let rows = ["......#..", ".##...#..", "..#.#.#..", "....#.#..", ".##...#..", "......#.."];
        let mut grid = Grid::from_rows(rows).unwrap();
        grid.abstracted();
        let tables = Subgoals::build(&grid, grid.hierarchy().unwrap(), 2);
        assert!(tables.nodes() >= 4 && tables.pairs() > tables.nodes());
        (grid, tables)
    }

    fn read(bytes: &[u8], grid: &Grid) -> Result<Subgoals, SubgoalsError> {
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
        // The same cells again, but mended: now and then they are grouped in another way.
        let over = |grid: &Grid| {
            let cells = grid.free_cells().map(|cell| grid.node(cell).unwrap());
            cells.map(|cell| grid.hierarchy().unwrap().ancestor(cell, 2)).collect::<Vec<_>>()
        };
        let mut regrouped = 0;
        for cell in grid.free_cells() {
            let mut mended = grid.clone();
            mended.set_free(cell, false).unwrap();
            mended.set_free(cell, true).unwrap();
            let same = over(&mended) == over(&grid);
            regrouped += usize::from(!same);
            assert_eq!(read(&bytes, &mended).err(), (!same).then_some(SubgoalsError::OtherMap));
        }
        assert!(regrouped > 0);
        let allowed = grid.clone().with_corners(crate::Corners::Allowed);
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
