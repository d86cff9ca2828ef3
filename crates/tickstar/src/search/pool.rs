//! Memory shared by the searches of many agents.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};


/// The number of sizes in which memory is lent.
pub(super) const SIZES: usize = 6;

/// Memory that is lent as a whole: part of a table, or of an open list.
pub(super) trait Block: Send + Sync + 'static {
    /// An empty block of the given size, below [`SIZES`].
    fn new(size: usize) -> Self;
    fn size(&self) -> usize;
    /// Makes it as good as new.
    fn clear(&mut self);
    fn bytes(&self) -> usize;
}

/// The blocks of one table or open list, by number.
pub(super) type Blocks<B> = Vec<Option<B>>;

/// Search memory that agents borrow and return, in blocks of 2 to 64 KB.
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

/// Spare blocks of one type. What a table or list returns is accepted in constant time, and taken apart when blocks are
/// requested.
struct Shelf<B> {
    returned: Vec<Blocks<B>>,
    /// Blocks by their size.
    blocks: [Vec<B>; SIZES],
    /// The number of blocks in `returned` and `blocks`.
    spare: usize,
}

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

    /// Lends an empty block of the given size.
    fn block<B: Block>(&self, size: usize) -> B {
        let mut shelves = self.lock();
        shelves.lent += 1;
        let block = shelves.shelf::<B>().block(size);
        drop(shelves);
        match block {
            Some(mut block) => {
                block.clear();
                block
            }
            None => B::new(size),
        }
    }

    /// Takes back one block.
    fn take_back_one<B: Block>(&self, block: B) {
        let mut shelves = self.lock();
        shelves.lent -= 1;
        let own = shelves.shelf::<B>();
        own.spare += 1;
        own.blocks[block.size()].push(block);
    }

    /// Takes back `count` blocks. Constant time.
    fn take_back<B: Block>(&self, blocks: Blocks<B>, count: usize) {
        let mut shelves = self.lock();
        shelves.lent -= count;
        let own = shelves.shelf::<B>();
        own.spare += count;
        own.returned.push(blocks);
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
            let empty = Shelf::<B> { returned: Vec::new(), blocks: Default::default(), spare: 0 };
            self.shelves.push((id, Box::new(empty)));
            self.shelves.len() - 1
        });
        self.shelves[at].1.as_any().downcast_mut().expect("the shelf of this type")
    }
}

impl<B: Block> Shelf<B> {
    /// A block to lend, if one of this size is found in a short time: what was returned is sorted by size a few blocks
    /// at a time.
    fn block(&mut self, size: usize) -> Option<B> {
        for _ in 0..64 {
            if !self.blocks[size].is_empty() {
                break;
            }
            let Some(returned) = self.returned.last_mut() else { break };
            match returned.pop() {
                Some(Some(block)) => self.blocks[block.size()].push(block),
                Some(None) => {}
                None => {
                    self.returned.pop();
                }
            }
        }
        let block = self.blocks[size].pop()?;
        self.spare -= 1;
        Some(block)
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
    retired: Blocks<B>,
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

    /// A new block.
    pub fn take(&mut self, size: usize) -> B {
        let block = self.pool.as_ref().map_or_else(|| B::new(size), |pool| pool.block(size));
        self.count += 1;
        self.held += block.bytes();
        block
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
        if let Some(pool) = &self.pool {
            pool.take_back(blocks, self.count);
            // Those released before there was a pool.
            self.held = self.retired.iter().flatten().map(Block::bytes).sum();
        } else if self.retired.is_empty() {
            self.retired = blocks;
        } else {
            self.retired.extend(blocks);
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
        for _ in 0..blocks.saturating_mul(8) {
            match self.retired.pop() {
                Some(None) => {}
                Some(Some(block)) => {
                    self.held -= block.bytes();
                    freed += 1;
                }
                None => break,
            }
            if freed == blocks {
                break;
            }
        }
        if self.retired.is_empty() {
            self.retired = Vec::new();
        }
        freed
    }

    /// Heap memory in bytes. Constant time.
    pub fn bytes(&self) -> usize {
        self.retired.capacity() * size_of::<Option<B>>() + self.held
    }
}
