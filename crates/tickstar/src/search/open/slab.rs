//! Items that are found by index and never move: growing does not copy them.

/// An item that can be on the list of free items.
pub(super) trait Linked: Clone + Default {
    /// The index of the next one.
    fn next(&mut self) -> &mut u32;
}

/// Items in slabs. New slabs double in size up to a limit, so that little memory holds few items, and a new slab is
/// never large.
#[derive(Clone, Debug)]
pub(super) struct Slabs<T> {
    /// The item `i` is number `i % 2^BITS` of slab `i >> BITS`; the first slabs are smaller than that.
    slabs: Vec<Box<[T]>>,
    /// The first slab that may have items that were never used, and the first of these.
    slab: usize,
    item: usize,
    /// The first free item among those that were used, or [`NONE`].
    free: u32,
}

/// No item.
pub(super) const NONE: u32 = u32::MAX;

/// A slab has at most two to this power items.
const BITS: u32 = 5;
/// The number of items of the first slab.
const FIRST: usize = 2;

impl<T> Default for Slabs<T> {
    fn default() -> Slabs<T> {
        Slabs { slabs: Vec::new(), slab: 0, item: 0, free: NONE }
    }
}

impl<T: Linked> Slabs<T> {
    /// Makes all items available again. Constant time.
    pub fn clear(&mut self) {
        (self.slab, self.item, self.free) = (0, 0, NONE);
    }

    /// An item whose value is left over from earlier.
    #[inline]
    pub fn take(&mut self) -> u32 {
        if self.free != NONE {
            let index = self.free;
            self.free = *self.get_mut(index).next();
            return index;
        }
        if self.slabs.get(self.slab).is_some_and(|slab| self.item == slab.len()) {
            (self.slab, self.item) = (self.slab + 1, 0);
        }
        if self.slab == self.slabs.len() {
            self.grow();
        }
        self.item += 1;
        (self.slab << BITS | (self.item - 1)) as u32
    }

    #[cold]
    fn grow(&mut self) {
        let last = self.slabs.last().map_or(FIRST / 2, |slab| slab.len());
        let items = (2 * last).min(1 << BITS);
        self.slabs.push(vec![T::default(); items].into_boxed_slice());
    }

    #[inline]
    pub fn free(&mut self, index: u32) {
        *self.get_mut(index).next() = self.free;
        self.free = index;
    }

    #[inline]
    pub fn get(&self, index: u32) -> &T {
        &self.slabs[(index >> BITS) as usize][index as usize % (1 << BITS)]
    }

    #[inline]
    pub fn get_mut(&mut self, index: u32) -> &mut T {
        &mut self.slabs[(index >> BITS) as usize][index as usize % (1 << BITS)]
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        let items: usize = self.slabs.iter().map(|slab| slab.len()).sum();
        items * size_of::<T>() + self.slabs.capacity() * size_of::<Box<[T]>>()
    }
}
