//! Memory shared by the searches of many agents.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::table::{Block, Blocks, Item, SIZES};

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

/// The spare memory per record type, and the number of lent blocks.
#[derive(Default)]
struct Shelves {
    shelves: Vec<(TypeId, Box<dyn AnyShelf>)>,
    lent: usize,
}

/// Spare memory for one record type. Whole tables are accepted in constant time, and taken apart when blocks are
/// requested.
struct Shelf<T> {
    tables: Vec<Blocks<T>>,
    /// Blocks by their size.
    #[allow(clippy::vec_box)] // tables have them boxed
    blocks: [Vec<Box<Block<T>>>; SIZES],
    /// The number of blocks in `tables` and `blocks`.
    spare: usize,
}

trait AnyShelf: Send {
    fn spare(&self) -> usize;
    fn as_any(&mut self) -> &mut dyn Any;
}

impl<T: Item> AnyShelf for Shelf<T> {
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

    /// Lends a block of the given size, without pages.
    pub(super) fn block<T: Item>(&self, size: usize) -> Box<Block<T>> {
        let mut shelves = self.lock();
        shelves.lent += 1;
        let block = shelves.shelf::<T>().block(size);
        drop(shelves);
        match block {
            Some(mut block) => {
                block.clear();
                block
            }
            None => Block::new(size),
        }
    }

    /// Takes back a block that its table has replaced by a larger one.
    pub(super) fn take_back_one<T: Item>(&self, block: Box<Block<T>>) {
        let mut shelves = self.lock();
        shelves.lent -= 1;
        let own = shelves.shelf::<T>();
        own.spare += 1;
        own.blocks[block.size()].push(block);
    }

    /// Takes back a whole table with `count` blocks. Constant time.
    pub(super) fn take_back<T: Item>(&self, table: Blocks<T>, count: usize) {
        let mut shelves = self.lock();
        shelves.lent -= count;
        let own = shelves.shelf::<T>();
        own.spare += count;
        own.tables.push(table);
    }

    /// A panic while the lock is held cannot leave the shelves in an invalid state.
    fn lock(&self) -> MutexGuard<'_, Shelves> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelves {
    fn shelf<T: Item>(&mut self) -> &mut Shelf<T> {
        let id = TypeId::of::<T>();
        let at = self.shelves.iter().position(|(known, _)| *known == id).unwrap_or_else(|| {
            let empty = Shelf::<T> { tables: Vec::new(), blocks: Default::default(), spare: 0 };
            self.shelves.push((id, Box::new(empty)));
            self.shelves.len() - 1
        });
        self.shelves[at].1.as_any().downcast_mut().expect("the shelf of this type")
    }
}

impl<T: Item> Shelf<T> {
    /// A block to lend, if one of this size is found in a short time: the entries of the accepted tables are sorted a
    /// few at a time.
    fn block(&mut self, size: usize) -> Option<Box<Block<T>>> {
        for _ in 0..64 {
            if !self.blocks[size].is_empty() {
                break;
            }
            match self.tables.last_mut()?.pop() {
                Some(Some(block)) => self.blocks[block.size()].push(block),
                Some(None) => {}
                None => {
                    self.tables.pop();
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
