//! Items that are found by index and never move: growing does not copy them.

/// An item that can be on the list of free items.
pub(super) trait Linked: Clone + Default {
    /// The index of the next one.
    fn next(&mut self) -> &mut u32;
}

/// Items in slabs of equal size.
#[derive(Clone, Debug)]
pub(super) struct Slabs<T> {
    slabs: Vec<Box<[T; SLAB]>>,
    /// The number of items that are or were in use.
    used: u32,
    /// The first free item among them, or [`NONE`].
    free: u32,
}

/// No item.
pub(super) const NONE: u32 = u32::MAX;

/// Items per slab.
const SLAB: usize = 16;

impl<T> Default for Slabs<T> {
    fn default() -> Slabs<T> {
        Slabs { slabs: Vec::new(), used: 0, free: NONE }
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
        let mut index = self.free;
        if index == NONE {
            index = self.used;
            if index as usize == self.slabs.len() * SLAB {
                self.grow();
            }
            self.used += 1;
        } else {
            self.free = *self.get_mut(index).next();
        }
        index
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.slabs.push(Box::new(std::array::from_fn(|_| T::default())));
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
        self.slabs.len() * size_of::<[T; SLAB]>()
            + self.slabs.capacity() * size_of::<Box<[T; SLAB]>>()
    }
}
