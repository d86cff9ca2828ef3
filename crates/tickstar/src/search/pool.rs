//! Memory shared by the searches of many agents.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::table::{Block, Item, Page, Tree};

/// Pages of search memory that agents borrow and return.
///
/// Without a pool, an agent takes its memory from the allocator and returns it there. With a pool, the pages an agent
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
/// assert!(pool.spare() > 0, "the agent's pages are kept for reuse");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Pool(Arc<Mutex<Shelves>>);

/// The spare memory per record type, and the number of lent pages.
#[derive(Default)]
struct Shelves {
    shelves: Vec<(TypeId, Box<dyn AnyShelf>)>,
    lent: usize,
}

/// Spare memory for one record type. Whole trees are accepted in constant time, and split when pages are requested.
struct Shelf<T> {
    trees: Vec<Tree<T>>,
    pages: Vec<Page<T>>,
    blocks: Vec<Block<T>>,
    /// The number of pages in `trees` and `pages`.
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

    /// The number of pages that agents currently hold.
    pub fn lent(&self) -> usize {
        self.lock().lent
    }

    /// The number of pages available for reuse.
    pub fn spare(&self) -> usize {
        self.lock().shelves.iter().map(|(_, shelf)| shelf.spare()).sum()
    }

    /// Returns all spare pages to the allocator.
    pub fn trim(&self) {
        self.lock().shelves.clear();
    }

    /// Lends a page, with default records.
    pub(super) fn page<T: Item>(&self) -> Page<T> {
        let mut shelves = self.lock();
        shelves.lent += 1;
        let page = shelves.shelf::<T>().page();
        drop(shelves);
        match page {
            Some(mut page) => {
                page.fill(T::default());
                page
            }
            None => super::table::new_page(),
        }
    }

    /// Lends a block without pages.
    pub(super) fn block<T: Item>(&self) -> Block<T> {
        let block = self.lock().shelf::<T>().blocks.pop();
        block.unwrap_or_else(super::table::new_block)
    }

    /// Takes back a whole tree with `pages` pages. Constant time.
    pub(super) fn take_back<T: Item>(&self, tree: Tree<T>, pages: usize) {
        let mut shelves = self.lock();
        shelves.lent -= pages;
        let own = shelves.shelf::<T>();
        own.spare += pages;
        own.trees.push(tree);
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
            let (trees, pages, blocks) = (Vec::new(), Vec::new(), Vec::new());
            self.shelves.push((id, Box::new(Shelf::<T> { trees, pages, blocks, spare: 0 })));
            self.shelves.len() - 1
        });
        self.shelves[at].1.as_any().downcast_mut().expect("the shelf of this type")
    }
}

impl<T: Item> Shelf<T> {
    /// A page to lend, if there is one: from the block that was split last, or from the next one.
    fn page(&mut self) -> Option<Page<T>> {
        while self.pages.is_empty() {
            let tree = self.trees.last_mut()?;
            match tree.pop_block() {
                None => {
                    self.trees.pop();
                }
                Some(mut block) => {
                    self.pages.extend(block.iter_mut().filter_map(Option::take));
                    self.blocks.push(block);
                }
            }
        }
        self.spare -= 1;
        self.pages.pop()
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lent, spare) = (self.lent(), self.spare());
        f.debug_struct("Pool").field("lent", &lent).field("spare", &spare).finish()
    }
}
