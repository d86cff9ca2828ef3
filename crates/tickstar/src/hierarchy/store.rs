//! A vector whose copies share what neither of them has changed.

use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// Bytes of a chunk, at most.
const CHUNK: usize = 8192;

/// A vector that can be copied in parts: after [`share`](Store::share) a copy takes a pointer per chunk, and a
/// write to an item copies the chunk it is in, if another copy has it too.
///
/// Before that, and while it is small, it is a plain vector: writes need no look at who else has it.
#[derive(Clone, Debug)]
pub(super) enum Store<T> {
    Plain(Vec<T>),
    /// Chunks of [`Store::ITEMS`] items; one that is longer is followed by empty ones for what it holds more. The
    /// last is filled up with items that do not count.
    Shared {
        chunks: Vec<Arc<[T]>>,
        len: usize,
    },
}

impl<T> Default for Store<T> {
    fn default() -> Store<T> {
        Store::Plain(Vec::new())
    }
}

impl<T: Copy + Default> Store<T> {
    /// Items in a chunk: a power of two.
    pub const ITEMS: usize = 1 << (CHUNK / size_of::<T>()).ilog2();

    pub fn len(&self) -> usize {
        match self {
            Store::Plain(items) => items.len(),
            Store::Shared { len, .. } => *len,
        }
    }

    #[inline]
    pub fn get(&self, at: usize) -> Option<&T> {
        match self {
            Store::Plain(items) => items.get(at),
            Store::Shared { chunks, len } if at < *len => {
                Some(&chunks[at / Self::ITEMS][at % Self::ITEMS])
            }
            Store::Shared { .. } => None,
        }
    }

    /// Items that are in one chunk: from here on, so many.
    #[inline]
    pub fn slice(&self, first: usize, count: usize) -> &[T] {
        match self {
            Store::Plain(items) => &items[first..first + count],
            Store::Shared { .. } if count == 0 => &[],
            Store::Shared { chunks, .. } => {
                &chunks[first / Self::ITEMS][first % Self::ITEMS..][..count]
            }
        }
    }

    #[inline]
    pub fn slice_mut(&mut self, first: usize, count: usize) -> &mut [T] {
        match self {
            Store::Plain(items) => &mut items[first..first + count],
            Store::Shared { .. } if count == 0 => &mut [],
            Store::Shared { chunks, .. } => {
                let chunk = Arc::make_mut(&mut chunks[first / Self::ITEMS]);
                &mut chunk[first % Self::ITEMS..][..count]
            }
        }
    }

    pub fn push(&mut self, item: T) {
        self.grow(1);
        let last = self.len() - 1;
        self[last] = item;
    }

    pub fn pop(&mut self) -> Option<T> {
        match self {
            Store::Plain(items) => items.pop(),
            Store::Shared { len, .. } => {
                let last = len.checked_sub(1)?;
                *len = last;
                let item = self.slice(last, 1)[0];
                Some(item)
            }
        }
    }

    /// Adds so many items: all in one chunk, if these fit into the rest of the last one, or into none.
    pub fn grow(&mut self, count: usize) {
        match self {
            Store::Plain(items) => items.resize(items.len() + count, T::default()),
            Store::Shared { chunks, len } => {
                *len += count;
                if chunks.len() * Self::ITEMS < *len {
                    chunks.push(vec![T::default(); count.max(Self::ITEMS)].into());
                    chunks.resize_with(len.div_ceil(Self::ITEMS), Arc::default);
                }
            }
        }
    }

    /// Copies so many items of one chunk into another, or the same.
    pub fn copy(&mut self, from: usize, to: usize, count: usize) {
        match self {
            Store::Plain(items) => items.copy_within(from..from + count, to),
            Store::Shared { chunks, .. } if from / Self::ITEMS == to / Self::ITEMS => {
                let chunk = Arc::make_mut(&mut chunks[from / Self::ITEMS]);
                let from = from % Self::ITEMS;
                chunk.copy_within(from..from + count, to % Self::ITEMS);
            }
            Store::Shared { chunks, .. } => {
                let source = chunks[from / Self::ITEMS].clone();
                let items = &source[from % Self::ITEMS..][..count];
                self.slice_mut(to, count).copy_from_slice(items);
            }
        }
    }

    /// Makes copies cheap, unless they are anyway. Of longer lists, that begin at a chunk and are to stay in one
    /// piece, it is told the first place and the room.
    pub fn share(&mut self, long: &[(usize, usize)]) {
        let Store::Plain(items) = self else { return };
        if items.len() <= Self::ITEMS {
            if items.capacity() > 16 + 2 * items.len() {
                items.shrink_to(items.len() + items.len() / 16);
            }
            return;
        }
        let len = items.len();
        let mut chunks = Vec::with_capacity(len.div_ceil(Self::ITEMS) + len / Self::ITEMS / 16);
        let mut long = long.to_vec();
        long.sort_unstable();
        let mut long = long.into_iter().peekable();
        while chunks.len() * Self::ITEMS < len {
            let first = chunks.len() * Self::ITEMS;
            let count = long.next_if(|&(start, _)| start == first).map_or(Self::ITEMS, |of| of.1);
            if let Some(chunk) = items.get(first..first + count) {
                chunks.push(chunk.into());
            } else {
                let mut chunk = items[first..].to_vec();
                chunk.resize(count, T::default());
                chunks.push(chunk.into());
            }
            chunks.resize_with(chunks.len() - 1 + count / Self::ITEMS, Arc::default);
        }
        *self = Store::Shared { chunks, len };
    }

    /// Heap memory in bytes, and how much of it another store shares.
    pub fn bytes(&self, other: Option<&Store<T>>) -> (usize, usize) {
        match self {
            Store::Plain(items) => (items.capacity() * size_of::<T>(), 0),
            Store::Shared { chunks, .. } => {
                let bytes = |chunk: &Arc<[T]>| size_of_val::<[T]>(chunk);
                let all = chunks.iter().map(bytes).sum::<usize>();
                let table = chunks.capacity() * size_of::<Arc<[T]>>();
                let Some(Store::Shared { chunks: others, .. }) = other else {
                    return (all + table, 0);
                };
                let same = chunks.iter().zip(others).filter(|(a, b)| Arc::ptr_eq(a, b));
                (all + table, same.map(|(chunk, _)| bytes(chunk)).sum())
            }
        }
    }
}

impl<T: Copy + Default> Index<usize> for Store<T> {
    type Output = T;

    #[inline]
    fn index(&self, at: usize) -> &T {
        match self {
            Store::Plain(items) => &items[at],
            Store::Shared { chunks, .. } => &chunks[at / Self::ITEMS][at % Self::ITEMS],
        }
    }
}

impl<T: Copy + Default> IndexMut<usize> for Store<T> {
    #[inline]
    fn index_mut(&mut self, at: usize) -> &mut T {
        match self {
            Store::Plain(items) => &mut items[at],
            Store::Shared { chunks, .. } => {
                &mut Arc::make_mut(&mut chunks[at / Self::ITEMS])[at % Self::ITEMS]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Copies do not see each other's writes, and are vectors.
        #[test]
        fn copies_are_vectors_of_their_own(
            first in 0_usize..10_000,
            steps in prop::collection::vec((0_usize..3, 0_usize..5, any::<u32>()), 1..200),
        ) {
            let mut store = Store::<u32>::default();
            let mut model = Vec::new();
            for item in 0..first as u32 {
                store.push(item);
                model.push(item);
            }
            store.share(&[]);
            let mut stores = [store.clone(), store.clone(), store];
            let mut models = [model.clone(), model.clone(), model];
            for (which, what, item) in steps {
                let (store, model) = (&mut stores[which], &mut models[which]);
                match what {
                    0 => prop_assert_eq!(store.pop(), model.pop()),
                    1 => {
                        store.push(item);
                        model.push(item);
                    }
                    _ if !model.is_empty() => {
                        let at = item as usize % model.len();
                        store[at] = item;
                        model[at] = item;
                    }
                    _ => {}
                }
            }
            for (store, model) in stores.iter().zip(&models) {
                prop_assert_eq!(store.len(), model.len());
                prop_assert!(model.iter().enumerate().all(|(at, item)| store[at] == *item));
                prop_assert_eq!(store.get(model.len()), None);
            }
        }
    }

    #[test]
    fn a_write_copies_one_chunk() {
        let mut store = Store::<u64>::default();
        (0..100_000).for_each(|item| store.push(item));
        store.share(&[]);
        let mut copy = store.clone();
        let (all, shared) = copy.bytes(Some(&store));
        assert!(shared >= 800_000 && all - shared < 4000, "{all} {shared}");
        copy[70_000] = 1;
        assert_eq!(copy.bytes(Some(&store)).1, shared - CHUNK);
        assert_eq!((store[70_000], copy[70_000], copy[69_999]), (70_000, 1, 69_999));
    }
}
