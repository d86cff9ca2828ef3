//! Tables indexed by node id. Their memory is proportional to the touched nodes, and all records can be invalidated at
//! once.

use super::pool::{Block, Blocks, Lease, Pool, SIZES};
use crate::NodeId;

/// Records per page: on a grid, a square of four by four cells.
const PAGE: usize = 16;
/// Pages per block: on a grid, a strip of 128 by 32 cells. With 64 pages per block, an empty table would need four times
/// as many pointers; another level of pointers made every search 5 % slower.
const BLOCK: usize = 256;
/// The number of pages that blocks of each size have room for. From 64 to 256 at once: a full block is copied, and from
/// 128 that would be 32 KB, which was seen in the slowest ticks of ten expansions.
const ROOM: [usize; SIZES] = [8, 16, 32, 64, BLOCK];
/// The place of a page that has not been touched.
const UNTOUCHED: u16 = u16::MAX;

type Page<T> = [T; PAGE];

/// A type that can be stored in a table.
pub(crate) trait Item: Copy + Default + Send + Sync + 'static {}

impl<T: Copy + Default + Send + Sync + 'static> Item for T {}

/// The touched pages among [`BLOCK`] consecutive ones, in the order in which they were touched.
#[derive(Debug)]
struct Pages<T> {
    /// Where each page is.
    places: [u16; BLOCK],
    pages: Vec<Page<T>>,
    size: usize,
}

impl<T: Item> Block for Box<Pages<T>> {
    /// Without pages, and with [`ROOM`] for some.
    fn new(size: usize) -> Box<Pages<T>> {
        let pages = Vec::with_capacity(ROOM[size]);
        Box::new(Pages { places: [UNTOUCHED; BLOCK], pages, size })
    }

    fn size(&self) -> usize {
        self.size
    }

    fn clear(&mut self) {
        self.places.fill(UNTOUCHED);
        self.pages.clear();
    }

    fn bytes(&self) -> usize {
        size_of::<Pages<T>>() + self.pages.capacity() * size_of::<Page<T>>()
    }
}

impl<T: Item> Pages<T> {
    fn is_full(&self) -> bool {
        self.pages.len() == ROOM[self.size]
    }

    /// Makes room for more pages.
    fn grow(&mut self) {
        self.size += 1;
        self.pages.reserve_exact(ROOM[self.size] - self.pages.len());
    }

    /// The page with this index, if it has been touched: there are never as many pages as [`UNTOUCHED`].
    #[inline]
    fn page(&self, index: usize) -> Option<&Page<T>> {
        self.pages.get(usize::from(self.places[index]))
    }

    #[inline]
    fn record(&self, node: NodeId) -> Option<&T> {
        Some(&self.page(page_of(node))?[node.index() % PAGE])
    }

    #[inline]
    fn record_mut(&mut self, node: NodeId) -> Option<&mut T> {
        let place = self.places[page_of(node)];
        Some(&mut self.pages.get_mut(usize::from(place))?[node.index() % PAGE])
    }
}

/// A copy has the same room, so that it can grow like the original.
impl<T: Item> Clone for Pages<T> {
    fn clone(&self) -> Pages<T> {
        let mut pages = Vec::with_capacity(ROOM[self.size]);
        pages.extend_from_slice(&self.pages);
        Pages { places: self.places, pages, size: self.size }
    }
}

/// A table with a default value everywhere, in which only touched pages use memory.
///
/// It takes 8 bytes per 4,096 nodes of the map up to the last one that was touched, and 4 per block. A block allocates
/// room for many pages at a time and moves when it is full, which copies at most 64 pages, so few ticks allocate, and
/// none pays for all the nodes touched in earlier ones.
#[derive(Debug)]
pub(crate) struct Paged<T: Item> {
    blocks: Blocks<Box<Pages<T>>>,
    lease: Lease<Box<Pages<T>>>,
}

impl<T: Item> Default for Paged<T> {
    fn default() -> Paged<T> {
        Paged { blocks: Blocks::default(), lease: Lease::default() }
    }
}

/// A clone has memory of its own, outside any pool.
impl<T: Item> Clone for Paged<T> {
    fn clone(&self) -> Paged<T> {
        let blocks = self.blocks.clone();
        let lease = Lease::of(blocks.iter());
        Paged { blocks, lease }
    }
}

impl<T: Item> Drop for Paged<T> {
    fn drop(&mut self) {
        if self.lease.has_pool() {
            self.release();
        }
    }
}

/// The number of a node's block.
#[inline]
fn block_of(node: NodeId) -> usize {
    node.index() / (PAGE * BLOCK)
}

/// The index of a node's page in its block.
#[inline]
fn page_of(node: NodeId) -> usize {
    node.index() / PAGE % BLOCK
}

impl<T: Item> Paged<T> {
    /// Allocates from this pool from now on, and returns the memory it holds.
    pub fn set_pool(&mut self, pool: &Pool) {
        self.release();
        self.lease.set_pool(pool);
    }

    #[inline]
    fn block(&self, number: usize) -> Option<&Pages<T>> {
        self.blocks.get(number).map(|block| &**block)
    }

    /// The record of a node, if its page has been touched.
    #[inline]
    pub fn find(&self, node: NodeId) -> Option<&T> {
        self.block(block_of(node))?.record(node)
    }

    /// The record of a node, or the default.
    #[inline]
    pub fn get(&self, node: NodeId) -> T {
        self.find(node).copied().unwrap_or_default()
    }

    /// The mutable record of a node, if its page has been touched.
    #[inline]
    pub fn find_mut(&mut self, node: NodeId) -> Option<&mut T> {
        self.blocks.get_mut(block_of(node))?.record_mut(node)
    }

    /// The mutable record of a node; its page is allocated if necessary.
    #[inline]
    pub fn slot(&mut self, node: NodeId) -> &mut T {
        // Found twice, as the borrow checker does not see that the first result is no longer used.
        if self.find(node).is_none() {
            self.touch(node);
        }
        self.find_mut(node).expect("touched above")
    }

    /// Allocates the page of a node and returns its record.
    #[cold]
    #[inline(never)]
    pub fn touched(&mut self, node: NodeId) -> &mut T {
        self.touch(node);
        self.find_mut(node).expect("touched above")
    }

    /// Allocates the page of a node.
    #[cold]
    #[inline(never)]
    fn touch(&mut self, node: NodeId) {
        let Paged { blocks, lease } = self;
        if blocks.is_empty() {
            *blocks = lease.slots();
        }
        let block = blocks.get_or_insert(block_of(node), || lease.take(0));
        if block.places[page_of(node)] != UNTOUCHED {
            return;
        }
        if block.is_full() {
            if let Some(mut larger) = lease.take_spare(block.size + 1) {
                larger.places = block.places;
                larger.pages.extend_from_slice(&block.pages);
                lease.give_back(std::mem::replace(block, larger));
            } else {
                lease.resize(block, |block| block.grow());
            }
        }
        block.places[page_of(node)] = block.pages.len() as u16;
        block.pages.push([T::default(); PAGE]);
    }

    /// The touched page at this position of the table, or after it in the same block, and where to go on; none at
    /// the end of the table. Missing blocks are passed over one per call, so that a call takes bounded time.
    pub(super) fn page_from(&self, position: usize) -> Option<Visit<'_, T>> {
        let (number, page) = (position / BLOCK, position % BLOCK);
        let after = Visit { page: None, next: (number + 1) * BLOCK };
        if number >= self.blocks.slots() {
            return None;
        }
        let Some(block) = self.blocks.get(number) else { return Some(after) };
        let found = (page..BLOCK).find_map(|at| Some((at, block.page(at)?)));
        Some(found.map_or(after, |(at, page)| {
            let position = number * BLOCK + at;
            Visit { page: Some((NodeId((position * PAGE) as u32), page)), next: position + 1 }
        }))
    }

    /// Returns a view of the table that is faster for nodes near this one, whose page has been touched.
    #[inline]
    pub fn near(&self, node: NodeId) -> Near<'_, T> {
        let number = block_of(node);
        Near { table: self, number, block: self.block(number).expect("the page has been touched") }
    }

    /// Invalidates all records and returns their memory: see [`Lease::release`].
    pub fn release(&mut self) {
        self.lease.release(std::mem::take(&mut self.blocks));
    }

    /// Whether released blocks have yet to be returned to the allocator.
    #[inline]
    pub fn has_released(&self) -> bool {
        self.lease.has_released()
    }

    /// Returns released blocks to the allocator, at most this many. Returns how many.
    pub fn reclaim(&mut self, blocks: u64) -> u64 {
        self.lease.reclaim(blocks)
    }

    /// Heap memory in bytes. Constant time.
    pub fn bytes(&self) -> usize {
        self.blocks.bytes() + self.lease.bytes()
    }
}

/// What [`Paged::page_from`] has found: a page with its first node, if any, and the position after it.
pub(super) struct Visit<'t, T> {
    pub page: Option<(NodeId, &'t Page<T>)>,
    pub next: usize,
}

/// A view of a table from one block: nodes in the same block are found two look-ups sooner. This is the innermost loop of
/// every search, and on a grid nearly all neighbors are in the same block.
pub(crate) struct Near<'t, T: Item> {
    table: &'t Paged<T>,
    number: usize,
    block: &'t Pages<T>,
}

impl<T: Item> Near<'_, T> {
    /// The record of a node, if its page has been touched.
    #[inline]
    pub fn find(&self, node: NodeId) -> Option<&T> {
        if block_of(node) == self.number { self.block.record(node) } else { self.find_far(node) }
    }

    #[cold]
    #[inline(never)]
    fn find_far(&self, node: NodeId) -> Option<&T> {
        self.table.find(node)
    }
}

/// A record that stores the epoch of its table in which it was written.
pub(crate) trait Stamp: Item {
    /// The epoch, which is even; the lowest bit of the stored value may be used for other purposes.
    fn stamp(&self) -> u32;
}

/// A table whose records are all invalidated in constant time by a new epoch.
#[derive(Clone, Debug)]
pub(crate) struct Stamped<T: Item> {
    pages: Paged<T>,
    now: u32,
}

impl<T: Item> Default for Stamped<T> {
    fn default() -> Stamped<T> {
        Stamped { pages: Paged::default(), now: 2 }
    }
}

impl<T: Stamp> Stamped<T> {
    /// Invalidates all records.
    pub fn begin(&mut self) {
        self.now = self.now.wrapping_add(2);
        if self.now == 0 {
            // Once in two billion times. Old records in the pages would be taken for current ones.
            self.pages.release();
            self.now = 2;
        }
    }

    /// The epoch to write into records; even, and never zero.
    #[inline]
    pub fn now(&self) -> u32 {
        self.now
    }

    /// The record of a node, if it was written in this epoch.
    #[inline]
    pub fn find(&self, node: NodeId) -> Option<&T> {
        self.pages.find(node).filter(|record| record.stamp() == self.now)
    }

    /// The same, mutable.
    #[inline]
    pub fn find_mut(&mut self, node: NodeId) -> Option<&mut T> {
        let now = self.now;
        self.pages.find_mut(node).filter(|record| record.stamp() == now)
    }

    /// Stores the record of a node, which must have the stamp of this epoch.
    #[inline]
    pub fn set(&mut self, node: NodeId, record: T) {
        debug_assert!(record.stamp() == self.now, "records are of the current epoch");
        *self.pages.slot(node) = record;
    }

    /// The underlying pages, with records of all epochs.
    #[inline]
    pub fn pages(&self) -> &Paged<T> {
        &self.pages
    }

    /// The same, mutable.
    #[inline]
    pub fn pages_mut(&mut self) -> &mut Paged<T> {
        &mut self.pages
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        self.pages.bytes()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn memory_is_proportional_to_the_touched_nodes() {
        let mut table = Paged::<u64>::default();
        assert_eq!(table.bytes(), 0);
        *table.slot(NodeId(5)) = 7;
        let one = table.bytes();
        assert!(one <= 1700, "one node takes {one} bytes");
        *table.slot(NodeId(6)) = 1;
        assert_eq!(table.bytes(), one, "the same page");
        *table.slot(NodeId(70_000)) = 8;
        assert_eq!((table.get(NodeId(5)), table.get(NodeId(70_000))), (7, 8));
        assert_eq!((table.get(NodeId(7)), table.get(NodeId(u32::MAX))), (0, 0));
        table.release();
        assert_eq!((table.get(NodeId(5)), table.lease.count()), (0, 0));
        assert!(table.bytes() > 0, "released, but not returned yet");
        assert_eq!((table.reclaim(1), table.reclaim(5), table.reclaim(5)), (1, 1, 0));
        assert_eq!(table.bytes(), 0);
        *table.slot(NodeId(u32::MAX)) = 3;
        assert_eq!(table.get(NodeId(u32::MAX)), 3, "every id has a slot");
    }

    #[test]
    fn the_count_of_bytes_is_that_of_all_blocks() {
        let check = |table: &Paged<u64>| {
            let slots = table.blocks.bytes();
            let used = table.blocks.iter().map(Block::bytes).sum::<usize>();
            assert!(table.bytes() >= slots + used, "{} bytes", table.bytes());
            if !table.has_released() {
                assert_eq!(table.bytes(), slots + used);
            }
        };
        let mut table = Paged::<u64>::default();
        let fill = |table: &mut Paged<u64>| {
            for id in 0..9000 {
                *table.slot(NodeId(id * 7)) = 1;
                check(table);
            }
        };
        fill(&mut table);
        check(&table.clone());
        table.set_pool(&Pool::new());
        fill(&mut table);
        table.release();
        check(&table);
        fill(&mut table);
        while table.reclaim(1) > 0 {
            check(&table);
        }
        assert!(table.bytes() > 0);
    }

    #[test]
    fn a_pool_reuses_blocks_and_clears_them() {
        let pool = Pool::new();
        let table = |ids: std::ops::Range<u32>| {
            let mut table = Paged::<u64>::default();
            table.set_pool(&pool);
            for id in ids {
                assert_eq!(*table.slot(NodeId(id)), 0);
                *table.slot(NodeId(id)) = 9;
            }
            table
        };
        // A block grows from the smallest size to the largest.
        let first = table(0..(BLOCK * PAGE) as u32);
        assert_eq!((pool.lent(), pool.spare()), (1, 0));
        let copy = first.clone();
        drop(first);
        assert_eq!((pool.lent(), pool.spare()), (0, 1));
        assert_eq!(copy.get(NodeId(7)), 9);
        // There is no small one to begin with, and none of the size that follows.
        let second = table(3000..3000 + (ROOM[0] * PAGE + 1) as u32);
        assert_eq!((pool.lent(), pool.spare()), (1, 1));
        drop(second);
        assert_eq!((pool.lent(), pool.spare()), (0, 2));
        // A small block moves into a larger one if there is one to spare.
        let two = [0, 3000].map(|id| table(id..id + (ROOM[0] * PAGE / 2) as u32));
        assert_eq!((pool.lent(), pool.spare()), (2, 2));
        drop(two);
        let third = table(3000..3000 + (ROOM[0] * PAGE + 1) as u32);
        assert_eq!((pool.lent(), pool.spare()), (1, 3));
        assert_eq!(third.blocks.iter().map(|block| block.size).collect::<Vec<_>>(), [1]);
        let mut other = Paged::<u32>::default();
        other.set_pool(&pool);
        *other.slot(NodeId(1)) = 1;
        assert_eq!((pool.lent(), pool.spare()), (2, 3), "types do not share blocks");
        drop((third, other));
        assert_eq!((pool.lent(), pool.spare()), (0, 5));
        pool.trim();
        assert_eq!((pool.lent(), pool.spare()), (0, 0));
    }

    #[derive(Clone, Copy, Default)]
    struct Note(u32);

    impl Stamp for Note {
        fn stamp(&self) -> u32 {
            self.0
        }
    }

    #[test]
    fn a_new_epoch_invalidates_all_records_even_when_the_counter_wraps() {
        let mut table = Stamped::<Note>::default();
        for start in [2, u32::MAX - 5] {
            table.now = start & !1;
            for _ in 0..5 {
                assert!(table.find(NodeId(1)).is_none());
                table.set(NodeId(1), Note(table.now()));
                assert!(table.find(NodeId(1)).is_some());
                table.begin();
            }
        }
    }

    proptest! {
        #[test]
        fn a_table_behaves_like_a_map_from_nodes_to_records(
            writes in prop::collection::vec((0_u32..200_000, any::<u64>()), 1..200),
        ) {
            let mut table = Paged::<u64>::default();
            let mut model = std::collections::HashMap::new();
            for &(id, value) in &writes {
                *table.slot(NodeId(id)) = value;
                model.insert(id, value);
            }
            let near = table.near(NodeId(writes[0].0));
            for &id in model.keys() {
                for id in [id, id + 1] {
                    let expected = model.get(&id).copied().unwrap_or_default();
                    let found = near.find(NodeId(id)).copied();
                    prop_assert_eq!(found.unwrap_or_default(), expected);
                }
            }
            for &id in model.keys() {
                prop_assert_eq!(table.get(NodeId(id)), model[&id]);
            }
        }
    }
}
