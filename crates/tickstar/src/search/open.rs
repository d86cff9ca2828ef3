//! The open list: a heap, or a ring of buckets by key, in exactly the same order.
//!
//! Both hold entries in one total order (smaller key, then larger g, then last in first out), so
//! they give the same searches bit for bit. Entries are never moved when a node improves: the new
//! entry is added and the old one is recognised as stale when it comes to the top.

use crate::{Cost, NodeId};

/// Which open list a search uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OpenList {
    /// A ring of small heaps by key. Each operation costs the logarithm of one bucket, which does
    /// not grow with the list as long as keys spread out: amortised constant time in practice, and
    /// no large block of memory is ever moved.
    #[default]
    Buckets,
    /// One four-ary heap. Each operation costs the logarithm of the list, and the list is copied
    /// when it outgrows its memory.
    Heap,
}

/// An open node with the key and cost it was inserted with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub key: u64,
    pub g: Cost,
    /// Counts insertions, for last in first out.
    serial: u32,
    pub node: NodeId,
}

impl Entry {
    #[inline]
    fn before(&self, other: &Entry) -> bool {
        if self.key != other.key {
            return self.key < other.key;
        }
        if self.g != other.g {
            return self.g > other.g;
        }
        self.serial > other.serial
    }
}

/// The small interface behind which the two open lists stand.
pub(crate) trait Open {
    fn clear(&mut self, key_span: u64);
    fn push(&mut self, key: u64, g: Cost, node: NodeId);
    /// The best entry.
    fn peek(&mut self) -> Option<Entry>;
    /// Takes out the entry that [`Open::peek`] has just shown.
    fn pop(&mut self);
    fn bytes(&self) -> usize;
}

/// A four-ary heap: half as deep as a binary one, and four children share a cache line or two.
#[derive(Clone, Debug, Default)]
struct QuadHeap {
    entries: Vec<Entry>,
}

impl QuadHeap {
    #[inline]
    fn push(&mut self, entry: Entry) {
        let mut hole = self.entries.len();
        self.entries.push(entry);
        while hole > 0 {
            let parent = (hole - 1) / 4;
            if !entry.before(&self.entries[parent]) {
                break;
            }
            self.entries[hole] = self.entries[parent];
            hole = parent;
        }
        self.entries[hole] = entry;
    }

    #[inline]
    fn pop(&mut self) {
        let Some(last) = self.entries.pop() else { return };
        let entries = &mut self.entries[..];
        if entries.is_empty() {
            return;
        }
        let mut hole = 0;
        loop {
            let first = 4 * hole + 1;
            let Some(children) = entries.get(first..(first + 4).min(entries.len())) else { break };
            let Some((mut best, rest)) = children.split_first() else { break };
            let mut at = first;
            for (i, child) in rest.iter().enumerate() {
                if child.before(best) {
                    best = child;
                    at = first + 1 + i;
                }
            }
            if !best.before(&last) {
                break;
            }
            entries[hole] = *best;
            hole = at;
        }
        entries[hole] = last;
    }

    fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
    }
}

/// The open list as one heap.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heap {
    heap: QuadHeap,
    serial: u32,
}

impl Open for Heap {
    fn clear(&mut self, _key_span: u64) {
        self.heap.entries.clear();
        self.serial = 0;
    }

    #[inline]
    fn push(&mut self, key: u64, g: Cost, node: NodeId) {
        self.serial = self.serial.wrapping_add(1);
        self.heap.push(Entry { key, g, serial: self.serial, node });
    }

    #[inline]
    fn peek(&mut self) -> Option<Entry> {
        self.heap.entries.first().copied()
    }

    #[inline]
    fn pop(&mut self) {
        self.heap.pop();
    }

    fn bytes(&self) -> usize {
        self.heap.bytes()
    }
}

/// Buckets in the ring: a bit each in two words.
const BUCKETS: u64 = 128;

/// The open list as a ring of buckets (Dial 1969, with a heap in each bucket for the exact order).
///
/// The bucket of a key is `key >> shift`, modulo the ring. `shift` is chosen so that the keys an
/// expansion can produce span at most half the ring: for A*, where the smallest key never falls, all
/// open entries then lie within one turn of it, and a bucket is a narrow range of keys with a few
/// entries in it. Other orders may wrap round the ring: entries of a later turn then share a
/// bucket, sort behind in its heap, and are passed over until their turn comes.
#[derive(Clone, Debug)]
pub(crate) struct Buckets {
    ring: Vec<QuadHeap>,
    /// A bit for each bucket that is not empty.
    filled: [u64; 2],
    shift: u32,
    /// No entry's unwrapped bucket number is below this.
    turn: u64,
    serial: u32,
    len: usize,
}

impl Default for Buckets {
    fn default() -> Buckets {
        let ring = vec![QuadHeap::default(); BUCKETS as usize];
        Buckets { ring, filled: [0; 2], shift: 0, turn: u64::MAX, serial: 0, len: 0 }
    }
}

impl Buckets {
    /// How far behind `from` the next filled bucket of the ring is, below a whole turn.
    #[inline]
    fn next_filled(&self, from: u64) -> Option<u64> {
        let at = (from % BUCKETS) as u32;
        let all = u128::from(self.filled[1]) << 64 | u128::from(self.filled[0]);
        let ahead = all.rotate_right(at);
        (ahead != 0).then(|| u64::from(ahead.trailing_zeros()))
    }
}

impl Open for Buckets {
    fn clear(&mut self, key_span: u64) {
        for (i, bucket) in self.ring.iter_mut().enumerate() {
            if self.filled[i / 64] >> (i % 64) & 1 == 1 {
                bucket.entries.clear();
            }
        }
        self.filled = [0; 2];
        // The smallest shift for which the span covers at most half the ring.
        self.shift = u64::BITS - (key_span / (BUCKETS / 2)).leading_zeros();
        self.shift = self.shift.min(u64::BITS - 1);
        self.turn = u64::MAX;
        self.serial = 0;
        self.len = 0;
    }

    #[inline]
    fn push(&mut self, key: u64, g: Cost, node: NodeId) {
        let number = key >> self.shift;
        let at = (number % BUCKETS) as usize;
        self.serial = self.serial.wrapping_add(1);
        self.ring[at].push(Entry { key, g, serial: self.serial, node });
        self.filled[at / 64] |= 1 << (at % 64);
        self.turn = self.turn.min(number);
        self.len += 1;
    }

    #[inline]
    fn peek(&mut self) -> Option<Entry> {
        let mut passed = 0;
        loop {
            let skip = self.next_filled(self.turn)?;
            self.turn += skip;
            passed += skip + 1;
            let top = self.ring[(self.turn % BUCKETS) as usize].entries[0];
            if top.key >> self.shift == self.turn {
                return Some(top);
            }
            if passed >= BUCKETS {
                // A whole turn without an entry of its own: go on at the smallest there is.
                let tops = self.ring.iter().filter_map(|bucket| bucket.entries.first());
                self.turn = tops.map(|top| top.key >> self.shift).min()?;
                passed = 0;
            } else {
                self.turn += 1;
            }
        }
    }

    #[inline]
    fn pop(&mut self) {
        let at = (self.turn % BUCKETS) as usize;
        self.ring[at].pop();
        self.len -= 1;
        if self.ring[at].entries.is_empty() {
            self.filled[at / 64] &= !(1 << (at % 64));
        }
        if self.len == 0 {
            self.turn = u64::MAX;
        }
    }

    fn bytes(&self) -> usize {
        self.ring.capacity() * size_of::<QuadHeap>()
            + self.ring.iter().map(QuadHeap::bytes).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn drain(open: &mut impl Open) -> Vec<(u64, u64, u32)> {
        let mut order = Vec::new();
        while let Some(top) = open.peek() {
            order.push((top.key, top.g.0, top.node.0));
            open.pop();
        }
        order
    }

    proptest! {
        /// Pushes and pops in any order and any spread of keys: both lists give what a sorted list
        /// gives.
        #[test]
        fn both_lists_are_one_order(
            span in prop_oneof![Just(0_u64), Just(1), Just(1000), Just(u64::MAX)],
            spread in prop_oneof![Just(3_u64), Just(1000), Just(u64::MAX)],
            steps in prop::collection::vec((any::<u64>(), 0_u64..4, 0_u8..3), 1..300),
        ) {
            let (mut heap, mut buckets) = (Heap::default(), Buckets::default());
            heap.clear(span);
            buckets.clear(span);
            let mut sorted: Vec<(u64, std::cmp::Reverse<u64>, std::cmp::Reverse<u32>)> = Vec::new();
            for (node, (key, g, action)) in (0_u32..).zip(steps) {
                if action == 0 {
                    let (a, b) = (heap.peek(), buckets.peek());
                    sorted.sort();
                    prop_assert_eq!(a.map(|e| e.node), b.map(|e| e.node));
                    prop_assert_eq!(a.map(|e| e.node.0), sorted.first().map(|e| e.2.0));
                    if a.is_some() {
                        heap.pop();
                        buckets.pop();
                        sorted.remove(0);
                    }
                } else {
                    let key = key % spread;
                    heap.push(key, Cost(g), NodeId(node));
                    buckets.push(key, Cost(g), NodeId(node));
                    sorted.push((key, std::cmp::Reverse(g), std::cmp::Reverse(node)));
                }
            }
            prop_assert_eq!(drain(&mut heap), drain(&mut buckets));
        }
    }

    #[test]
    fn a_cleared_list_is_empty() {
        let mut open = Buckets::default();
        open.clear(10);
        open.push(5, Cost(1), NodeId(1));
        open.push(500, Cost(1), NodeId(2));
        open.clear(10);
        assert!(open.peek().is_none());
    }
}
