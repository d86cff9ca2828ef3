//! Memory shared by the searches of many agents.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of sizes in which memory is lent.
pub(super) const SIZES: usize = 5;

/// Memory that is lent as a whole: part of a table, or of an open list.
pub(super) trait Block: Send + Sync + 'static {
    /// An empty block of the given size, below [`SIZES`].
    fn new(size: usize) -> Self;
    fn size(&self) -> usize;
    /// Makes it as good as new.
    fn clear(&mut self);
    fn bytes(&self) -> usize;
}

/// The blocks of one table, by number.
#[derive(Clone, Debug)]
pub(super) struct Blocks<B> {
    slots: Vec<Option<B>>,
    /// The slots with a block.
    used: Vec<u32>,
}

impl<B> Default for Blocks<B> {
    fn default() -> Blocks<B> {
        Blocks { slots: Vec::new(), used: Vec::new() }
    }
}

impl<B> Blocks<B> {
    #[inline]
    pub fn get(&self, number: usize) -> Option<&B> {
        self.slots.get(number)?.as_ref()
    }

    #[inline]
    pub fn get_mut(&mut self, number: usize) -> Option<&mut B> {
        self.slots.get_mut(number)?.as_mut()
    }

    /// The block with this number; if there is none, a new one.
    pub fn get_or_insert(&mut self, number: usize, new: impl FnOnce() -> B) -> &mut B {
        if self.slots.len() <= number {
            self.slots.resize_with(number + 1, || None);
        }
        let used = &mut self.used;
        self.slots[number].get_or_insert_with(|| {
            if used.capacity() == 0 {
                used.reserve(16);
            }
            used.push(number as u32);
            new()
        })
    }

    /// The number of slots, each with a block or without.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.used.is_empty()
    }

    fn len(&self) -> usize {
        self.used.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &B> {
        self.slots.iter().flatten()
    }

    /// Removes any block.
    fn pop(&mut self) -> Option<B> {
        let number = self.used.pop()?;
        self.slots[number as usize].take()
    }

    /// Heap memory in bytes, without that of the blocks.
    pub fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Option<B>>() + self.used.capacity() * size_of::<u32>()
    }
}

/// Search memory that agents borrow and return, in blocks of 2 to 64 KB: their tables of nodes and their open lists.
///
/// Without a pool, an agent takes its memory from the allocator and returns it there. With a pool, the blocks an agent
/// returns, because it has arrived or knows its complete path, are reused by the next one: ticks then allocate only
/// while the pool is still growing. Clones of a pool are handles to the same memory, and may be used on any thread.
///
/// ```
/// use tickstar::{Agent, Cell, Grid, Pool, Seen, Slice, Step, TimeBounded, TimeBoundedConfig};
/// let grid = Grid::new(64, 64)?;
/// let [start, goal] = [(0, 0), (63, 63)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
/// let pool = Pool::new();
/// let unit = TimeBounded::new(&grid, TimeBoundedConfig::default(), start, goal)?;
/// let mut unit = unit.with_pool(&pool);
/// let mut at = start;
/// while let Step::Move(to) = unit.tick(&grid, at, Seen::default(), &mut Slice::new(100)) {
///     at = to;
/// }
/// assert_eq!((at, pool.lent()), (goal, 0));
/// assert!(pool.spare() > 0, "the agent's blocks are kept for reuse");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Pool(Arc<Mutex<Shelves>>);

/// The spare memory per type of block, and the number of lent blocks.
#[derive(Default)]
struct Shelves {
    shelves: Vec<(TypeId, Box<dyn AnyShelf>)>,
    lent: usize,
}

/// Spare blocks of one type. The blocks of a whole table are accepted in constant time, and taken out of it little by
/// little.
struct Shelf<B> {
    returned: Vec<Blocks<B>>,
    /// Tables without blocks, so that the memory of their slots can be reused.
    empty: Vec<Blocks<B>>,
    /// Blocks by their size.
    blocks: [Vec<B>; SIZES],
    /// The number of blocks in `returned` and `blocks`.
    spare: usize,
}

/// The number of blocks taken out of returned tables whenever one is lent or a table is returned. As every block was
/// lent once, more than one each time is enough. Each may be a cache miss.
const AT_ONCE: usize = 4;

trait AnyShelf: Send {
    fn spare(&self) -> usize;
    fn as_any(&mut self) -> &mut dyn Any;
}

impl<B: Block> AnyShelf for Shelf<B> {
    fn spare(&self) -> usize {
        self.spare
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

impl Pool {
    /// An empty pool.
    pub fn new() -> Pool {
        Pool::default()
    }

    /// The number of blocks that agents currently hold.
    pub fn lent(&self) -> usize {
        self.lock().lent
    }

    /// The number of blocks available for reuse.
    pub fn spare(&self) -> usize {
        self.lock().shelves.iter().map(|(_, shelf)| shelf.spare()).sum()
    }

    /// Returns all spare memory to the allocator.
    pub fn trim(&self) {
        self.lock().shelves.clear();
    }

    /// Lends an empty block of the given size, if there is one.
    fn spare_block<B: Block>(&self, size: usize) -> Option<B> {
        let mut shelves = self.lock();
        let mut block = shelves.shelf::<B>().block(size)?;
        shelves.lent += 1;
        drop(shelves);
        block.clear();
        Some(block)
    }

    /// Lends a new block of the given size.
    fn new_block<B: Block>(&self, size: usize) -> B {
        self.lock().lent += 1;
        B::new(size)
    }

    /// Takes back one block.
    fn take_back_one<B: Block>(&self, block: B) {
        let mut shelves = self.lock();
        shelves.lent -= 1;
        let own = shelves.shelf::<B>();
        own.spare += 1;
        own.blocks[block.size()].push(block);
    }

    /// Takes back the blocks of a table. Constant time.
    fn take_back<B: Block>(&self, blocks: Blocks<B>) {
        let mut shelves = self.lock();
        shelves.lent -= blocks.len();
        let own = shelves.shelf::<B>();
        own.spare += blocks.len();
        own.returned.push(blocks);
        own.take_apart(AT_ONCE);
    }

    /// A table without blocks, in which there may be room for slots.
    fn slots<B: Block>(&self) -> Blocks<B> {
        self.lock().shelf::<B>().empty.pop().unwrap_or_default()
    }

    /// A panic while the lock is held cannot leave the shelves in an invalid state.
    fn lock(&self) -> MutexGuard<'_, Shelves> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelves {
    fn shelf<B: Block>(&mut self) -> &mut Shelf<B> {
        let id = TypeId::of::<B>();
        let at = self.shelves.iter().position(|(known, _)| *known == id).unwrap_or_else(|| {
            self.shelves.push((id, Box::new(Shelf::<B>::default())));
            self.shelves.len() - 1
        });
        self.shelves[at].1.as_any().downcast_mut().expect("the shelf of this type")
    }
}

impl<B> Default for Shelf<B> {
    fn default() -> Shelf<B> {
        let (returned, empty) = (Vec::new(), Vec::new());
        Shelf { returned, empty, blocks: Default::default(), spare: 0 }
    }
}

impl<B: Block> Shelf<B> {
    /// A block to lend, if one of this size is found in a short time.
    fn block(&mut self, size: usize) -> Option<B> {
        self.take_apart(AT_ONCE);
        if self.blocks[size].is_empty() {
            self.take_apart(4 * AT_ONCE);
        }
        let block = self.blocks[size].pop()?;
        self.spare -= 1;
        Some(block)
    }

    /// Takes blocks out of returned tables, at most this many.
    fn take_apart(&mut self, most: usize) {
        for _ in 0..most {
            let Some(mut table) = self.returned.pop() else { break };
            if let Some(block) = table.pop() {
                self.blocks[block.size()].push(block);
            }
            let list = if table.is_empty() { &mut self.empty } else { &mut self.returned };
            list.push(table);
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lent, spare) = (self.lent(), self.spare());
        f.debug_struct("Pool").field("lent", &lent).field("spare", &spare).finish()
    }
}

/// Where a table or an open list takes its blocks from, and where they go when it no longer needs them: a pool, or the
/// allocator.
#[derive(Debug)]
pub(super) struct Lease<B: Block> {
    pool: Option<Pool>,
    /// The number of blocks in use.
    count: usize,
    /// Released blocks, to be returned to the allocator incrementally.
    retired: Vec<Blocks<B>>,
    /// The memory of all blocks in bytes.
    held: usize,
}

impl<B: Block> Default for Lease<B> {
    fn default() -> Lease<B> {
        Lease { pool: None, count: 0, retired: Vec::new(), held: 0 }
    }
}

impl<B: Block> Lease<B> {
    /// For blocks that were made without it, outside any pool.
    pub fn of<'b>(blocks: impl Iterator<Item = &'b B>) -> Lease<B> {
        let mut lease = Lease::default();
        for block in blocks {
            lease.count += 1;
            lease.held += block.bytes();
        }
        lease
    }

    /// Takes blocks from this pool from now on. None may be in use.
    pub fn set_pool(&mut self, pool: &Pool) {
        debug_assert!(self.count == 0, "no block is in use");
        self.pool = Some(pool.clone());
    }

    /// The number of blocks in use.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.count
    }

    pub fn has_pool(&self) -> bool {
        self.pool.is_some()
    }

    /// An empty table of blocks.
    pub fn slots(&self) -> Blocks<B> {
        self.pool.as_ref().map_or_else(Blocks::default, Pool::slots)
    }

    /// An empty block of the given size.
    pub fn take(&mut self, size: usize) -> B {
        self.take_spare(size).unwrap_or_else(|| {
            let new = self.pool.as_ref().map_or_else(|| B::new(size), |pool| pool.new_block(size));
            self.count_in(new)
        })
    }

    /// The same, if the pool has one.
    pub fn take_spare(&mut self, size: usize) -> Option<B> {
        let block = self.pool.as_ref()?.spare_block(size)?;
        Some(self.count_in(block))
    }

    fn count_in(&mut self, block: B) -> B {
        self.count += 1;
        self.held += block.bytes();
        block
    }

    /// Changes the size of a block in use.
    pub fn resize(&mut self, block: &mut B, resize: impl FnOnce(&mut B)) {
        self.held -= block.bytes();
        resize(block);
        self.held += block.bytes();
    }

    /// Returns one block at once.
    pub fn give_back(&mut self, block: B) {
        self.count -= 1;
        self.held -= block.bytes();
        if let Some(pool) = &self.pool {
            pool.take_back_one(block);
        }
    }

    /// Returns all blocks: to the pool in constant time, otherwise incrementally by [`Lease::reclaim`].
    pub fn release(&mut self, blocks: Blocks<B>) {
        if self.count == 0 {
            return;
        }
        debug_assert!(self.count == blocks.len(), "all blocks");
        match &self.pool {
            Some(pool) => {
                pool.take_back(blocks);
                // Those released before there was a pool.
                self.held = self.retired.iter().flat_map(Blocks::iter).map(Block::bytes).sum();
            }
            None => self.retired.push(blocks),
        }
        self.count = 0;
    }

    /// Whether released blocks have yet to be returned to the allocator.
    #[inline]
    pub fn has_released(&self) -> bool {
        !self.retired.is_empty()
    }

    /// Returns released blocks to the allocator, at most this many. Returns how many.
    pub fn reclaim(&mut self, blocks: u64) -> u64 {
        let mut freed = 0;
        while freed < blocks
            && let Some(table) = self.retired.last_mut()
        {
            match table.pop() {
                Some(block) => {
                    self.held -= block.bytes();
                    freed += 1;
                }
                None => {
                    self.retired.pop();
                }
            }
        }
        if self.retired.is_empty() {
            self.retired = Vec::new();
        }
        freed
    }

    /// Heap memory in bytes, without what a table of blocks in use takes itself.
    pub fn bytes(&self) -> usize {
        let retired: usize = self.retired.iter().map(Blocks::bytes).sum();
        self.retired.capacity() * size_of::<Blocks<B>>() + retired + self.held
    }
}
