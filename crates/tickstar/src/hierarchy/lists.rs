//! Many short lists in one piece of memory.

use super::store::Store;

/// Where a list is, and how long. The room it has follows from its length.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Span {
    /// Its first place, in units of the least room.
    first: u32,
    len: u32,
}

impl Span {
    pub fn len(self) -> usize {
        self.len as usize
    }

    fn start(self) -> usize {
        (self.first as usize) << LEAST
    }
}

/// The least room a list has, as a power of two.
const LEAST: u32 = 2;

/// Lists that grow and shrink one item at a time, without an allocation for each.
///
/// A list of `n` items has a block of the next power of two, four at least. Blocks that are given back are
/// used again for lists of the same size. No block lies across the bounds of chunks, unless it is larger than
/// one; then it begins at one.
#[derive(Clone, Debug)]
pub(super) struct Lists<T> {
    items: Store<T>,
    /// Blocks that are free, by the logarithm of their size.
    free: Vec<Store<u32>>,
    /// Blocks that are larger than a chunk: their first place and size.
    long: Vec<(usize, usize)>,
}

impl<T> Default for Lists<T> {
    fn default() -> Lists<T> {
        Lists { items: Store::default(), free: Vec::new(), long: Vec::new() }
    }
}

/// The logarithm of the room for so many items.
fn class(len: u32) -> u32 {
    len.next_power_of_two().trailing_zeros().max(LEAST)
}

impl<T: Copy + Default> Lists<T> {
    /// How many places there can be.
    pub const ROOM: u64 = 1 << (u32::BITS + LEAST);

    #[inline]
    pub fn get(&self, span: Span) -> &[T] {
        self.items.slice(span.start(), span.len())
    }

    #[inline]
    pub fn get_mut(&mut self, span: Span) -> &mut [T] {
        self.items.slice_mut(span.start(), span.len())
    }

    /// A new list of these items.
    pub fn list(&mut self, items: &[T]) -> Span {
        if items.is_empty() {
            return Span::default();
        }
        let len = items.len() as u32;
        let span = Span { first: self.take(class(len)), len };
        self.get_mut(span).copy_from_slice(items);
        span
    }

    /// Adds an item at the end.
    pub fn push(&mut self, span: &mut Span, item: T) {
        if span.len == 0 {
            span.first = self.take(LEAST);
        } else if class(span.len + 1) > class(span.len) {
            self.resettle(span, class(span.len), class(span.len + 1));
        }
        span.len += 1;
        self.items.slice_mut(span.start(), span.len())[span.len() - 1] = item;
    }

    /// Takes out the item at this place; those behind move up, so the order stays.
    pub fn remove(&mut self, span: &mut Span, at: usize) {
        self.get_mut(*span).copy_within(at + 1.., at);
        let old = class(span.len);
        span.len -= 1;
        if span.len == 0 {
            self.give(span.first, old);
        } else if class(span.len) < old {
            self.resettle(span, old, class(span.len));
        }
    }

    /// Moves a list to a block of another size.
    fn resettle(&mut self, span: &mut Span, old: u32, new: u32) {
        let from = *span;
        span.first = self.take(new);
        self.items.copy(from.start(), span.start(), from.len());
        self.give(from.first, old);
    }

    fn take(&mut self, class: u32) -> u32 {
        if let Some(block) = self.free.get_mut(class as usize).and_then(Store::pop) {
            return block;
        }
        let room = 1 << class;
        // What is left of a chunk, if that is too little, makes smaller blocks.
        let rest = self.items.len().next_multiple_of(Store::<T>::ITEMS) - self.items.len();
        if room > rest {
            let mut left = rest;
            while left > 0 {
                let part = left.ilog2();
                let first = self.items.len();
                self.items.grow(1 << part);
                self.give(Lists::<T>::block(first), part);
                left -= 1 << part;
            }
        }
        let first = self.items.len();
        self.items.grow(room);
        if room > Store::<T>::ITEMS {
            self.long.push((first, room));
        }
        Lists::<T>::block(first)
    }

    /// The name of the block that begins here.
    fn block(first: usize) -> u32 {
        // A hierarchy is refused where there could be more, unless repairs fragment tens of gigabytes.
        u32::try_from(first >> LEAST).expect("fewer than 2^34 places")
    }

    fn give(&mut self, block: u32, class: u32) {
        let class = class as usize;
        if self.free.len() <= class {
            self.free.resize_with(class + 1, Store::default);
        }
        self.free[class].push(block);
    }

    /// Makes copies cheap.
    pub fn share(&mut self) {
        self.items.share(&self.long);
        self.free.iter_mut().for_each(|free| free.share(&[]));
    }

    /// Heap memory in bytes, and how much of it others share.
    pub fn bytes(&self, other: Option<&Lists<T>>) -> (usize, usize) {
        let (mut all, mut shared) = self.items.bytes(other.map(|other| &other.items));
        for (class, free) in self.free.iter().enumerate() {
            let bytes = free.bytes(other.and_then(|other| other.free.get(class)));
            (all, shared) = (all + bytes.0, shared + bytes.1);
        }
        (all + self.long.capacity() * size_of::<(usize, usize)>(), shared)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn they_are_lists(
            steps in prop::collection::vec((0_usize..5, any::<u32>(), 1_usize..900), 1..200),
            shared in 0_usize..200,
        ) {
            let mut lists = Lists::<u32>::default();
            let mut spans = [Span::default(); 5];
            let mut model: [Vec<u32>; 5] = Default::default();
            let mut copy = None;
            for (step, (which, what, times)) in steps.into_iter().enumerate() {
                if step == shared {
                    lists.share();
                    copy = Some((lists.clone(), spans, model.clone()));
                }
                let (span, list) = (&mut spans[which], &mut model[which]);
                for _ in 0..times {
                    match what % 3 {
                        0 if !list.is_empty() => {
                            let at = what as usize / 3 % list.len();
                            list.remove(at);
                            lists.remove(span, at);
                        }
                        _ => {
                            list.push(what);
                            lists.push(span, what);
                        }
                    }
                }
                for (span, list) in spans.iter().zip(&model) {
                    prop_assert_eq!(lists.get(*span), &list[..]);
                }
            }
            if let Some((lists, spans, model)) = copy {
                for (span, list) in spans.iter().zip(&model) {
                    prop_assert_eq!(lists.get(*span), &list[..], "a copy stays as it is");
                }
            }
        }
    }
}
