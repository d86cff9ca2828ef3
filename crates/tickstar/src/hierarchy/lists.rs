//! Many short lists in one piece of memory.

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
/// used again for lists of the same size. A copy of all of them is a copy of one array.
#[derive(Clone, Debug)]
pub(super) struct Lists<T> {
    items: Vec<T>,
    /// Blocks that are free, by the logarithm of their size.
    free: Vec<Vec<u32>>,
}

impl<T> Default for Lists<T> {
    fn default() -> Lists<T> {
        Lists { items: Vec::new(), free: Vec::new() }
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
        &self.items[span.start()..][..span.len as usize]
    }

    #[inline]
    pub fn get_mut(&mut self, span: Span) -> &mut [T] {
        &mut self.items[span.start()..][..span.len as usize]
    }

    /// Adds an item at the end.
    pub fn push(&mut self, span: &mut Span, item: T) {
        if span.len == 0 {
            span.first = self.take(LEAST);
        } else if class(span.len + 1) > class(span.len) {
            self.resettle(span, class(span.len), class(span.len + 1));
        }
        self.items[span.start() + span.len as usize] = item;
        span.len += 1;
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
        self.items.copy_within(from.start()..from.start() + from.len(), span.start());
        self.give(from.first, old);
    }

    fn take(&mut self, class: u32) -> u32 {
        if let Some(block) = self.free.get_mut(class as usize).and_then(Vec::pop) {
            return block;
        }
        let first = self.items.len();
        self.items.resize(first + (1 << class), T::default());
        // A hierarchy is refused where there could be more, unless repairs fragment tens of gigabytes.
        u32::try_from(first >> LEAST).expect("fewer than 2^34 places")
    }

    fn give(&mut self, block: u32, class: u32) {
        let class = class as usize;
        if self.free.len() <= class {
            self.free.resize_with(class + 1, Vec::new);
        }
        self.free[class].push(block);
    }

    /// Gives back what memory is not used, but for some room to grow.
    pub fn leave_room(&mut self) {
        self.items.shrink_to(self.items.len() + self.items.len() / 16);
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        let free: usize = self.free.iter().map(Vec::capacity).sum();
        self.items.capacity() * size_of::<T>() + free * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn they_are_lists(steps in prop::collection::vec((0_usize..5, any::<u32>()), 1..400)) {
            let mut lists = Lists::<u32>::default();
            let mut spans = [Span::default(); 5];
            let mut model: [Vec<u32>; 5] = Default::default();
            for (which, what) in steps {
                let (span, list) = (&mut spans[which], &mut model[which]);
                match what % 8 {
                    0 if !list.is_empty() => {
                        let at = what as usize / 8 % list.len();
                        list.remove(at);
                        lists.remove(span, at);
                    }
                    _ => {
                        list.push(what);
                        lists.push(span, what);
                    }
                }
                for (span, list) in spans.iter().zip(&model) {
                    prop_assert_eq!(lists.get(*span), &list[..]);
                }
            }
        }
    }
}
