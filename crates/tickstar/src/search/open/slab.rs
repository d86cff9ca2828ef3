//! Items that are found by index and never move: growing does not copy them.

use crate::search::pool::{Block, Lease, Pool};

/// An item that can be on the list of free items.
pub(super) trait Linked: Clone + Default + Send + Sync + 'static {
    /// The index of the next one.
    fn next(&mut self) -> &mut u32;
}

/// Items in slabs of the same size, which is known when compiling: with smaller first slabs, each access had to be
/// checked, and A* took 2 % more instructions.
#[derive(Debug)]
pub(super) struct Slabs<T: Linked> {
    /// The item `i` is number `i % SLAB` of slab `i / SLAB`.
    slabs: Vec<Box<Slab<T>>>,
    lease: Lease<Box<Slab<T>>>,
    /// The number of items that were ever used.
    used: usize,
    /// The first free item among those that were used, or [`NONE`].
    free: u32,
}

/// No item.
pub(super) const NONE: u32 = u32::MAX;

/// The number of items in a slab.
const SLAB: usize = 16;

type Slab<T> = [T; SLAB];

impl<T: Linked> Block for Box<Slab<T>> {
    fn new(_: usize) -> Box<Slab<T>> {
        Box::new(std::array::from_fn(|_| T::default()))
    }

    fn size(&self) -> usize {
        0
    }

    /// Items are overwritten when they are used.
    fn clear(&mut self) {}

    fn bytes(&self) -> usize {
        size_of::<Slab<T>>()
    }
}

impl<T: Linked> Default for Slabs<T> {
    fn default() -> Slabs<T> {
        Slabs { slabs: Vec::new(), lease: Lease::default(), used: 0, free: NONE }
    }
}

/// A clone has memory of its own, outside any pool.
impl<T: Linked> Clone for Slabs<T> {
    fn clone(&self) -> Slabs<T> {
        let slabs = self.slabs.clone();
        let lease = Lease::of(slabs.iter());
        Slabs { slabs, lease, ..*self }
    }
}

impl<T: Linked> Drop for Slabs<T> {
    fn drop(&mut self) {
        if self.lease.has_pool() {
            self.release();
        }
    }
}

impl<T: Linked> Slabs<T> {
    /// Makes all items available again. Constant time.
    pub fn clear(&mut self) {
        (self.used, self.free) = (0, NONE);
    }

    /// An item whose value is left over from earlier.
    #[inline]
    pub fn take(&mut self) -> u32 {
        if self.free != NONE {
            let index = self.free;
            self.free = *self.get_mut(index).next();
            return index;
        }
        if self.used == SLAB * self.slabs.len() {
            self.grow();
        }
        self.used += 1;
        (self.used - 1) as u32
    }

    #[cold]
    fn grow(&mut self) {
        if self.slabs.capacity() == 0 {
            self.slabs.reserve(8);
        }
        self.slabs.push(self.lease.take(0));
    }

    /// Takes memory from this pool from now on, and returns what it has.
    pub fn set_pool(&mut self, pool: &Pool) {
        self.release();
        self.lease.set_pool(pool);
    }

    /// Returns the memory of all items: see [`Lease::release`]. It takes a few instructions per slab.
    pub fn release(&mut self) {
        self.clear();
        if self.slabs.is_empty() {
            return;
        }
        let mut blocks = self.lease.slots();
        for (number, slab) in std::mem::take(&mut self.slabs).into_iter().enumerate() {
            blocks.get_or_insert(number, || slab);
        }
        self.lease.release(blocks);
    }

    /// Whether released memory has yet to be returned to the allocator.
    #[inline]
    pub fn has_released(&self) -> bool {
        self.lease.has_released()
    }

    /// Returns released slabs to the allocator, at most this many. Returns how many.
    pub fn reclaim(&mut self, slabs: u64) -> u64 {
        self.lease.reclaim(slabs)
    }

    #[inline]
    pub fn free(&mut self, index: u32) {
        *self.get_mut(index).next() = self.free;
        self.free = index;
    }

    #[inline]
    pub fn get(&self, index: u32) -> &T {
        &self.slabs[index as usize / SLAB][index as usize % SLAB]
    }

    #[inline]
    pub fn get_mut(&mut self, index: u32) -> &mut T {
        &mut self.slabs[index as usize / SLAB][index as usize % SLAB]
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        self.slabs.capacity() * size_of::<Box<[T]>>() + self.lease.bytes()
    }
}
