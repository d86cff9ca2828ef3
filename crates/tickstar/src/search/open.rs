//! The open list: a heap, or a ring of buckets by key, in exactly the same order.
//!
//! Both order their entries by one total order (smaller key, then larger g, then last in first out), so searches are
//! bit-identical with either. Entries are never moved when a node improves: a new entry is added, and the old one is
//! recognized as stale when it reaches the top.

use std::cmp::{Ordering, Reverse};

use crate::{Cost, NodeId};

/// Which open list a search uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OpenList {
    /// Buckets by key, of which only the best few entries are kept sorted. Inserting takes constant time whatever the
    /// length of the list. Removing the best entry takes amortized constant time, as long as keys spread over buckets:
    /// each entry is visited a constant number of times and sorted once, among those of its bucket. A whole bucket is
    /// processed when it becomes the first one, so an expansion that opens a large bucket is slower than others.
    #[default]
    Buckets,
    /// One four-ary heap. Each operation takes time logarithmic in the length of the list, and the list is copied when
    /// it outgrows its memory.
    Heap,
}

/// An open node with the key and cost with which it was inserted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenEntry {
    pub key: u64,
    pub g: Cost,
    /// The insertion count, for last in first out, in the high bits and the node in the low bits. It is one word,
    /// because a word that is written in two halves and read whole stalls the processor.
    tail: u64,
}

impl OpenEntry {
    #[inline]
    pub fn node(&self) -> NodeId {
        NodeId(self.tail as u32)
    }

    /// Smaller key, then larger g, then last in first out. Written without branches: which of two entries is better is
    /// unpredictable for the processor.
    #[inline]
    pub fn before(&self, other: &OpenEntry) -> bool {
        let rank = |entry: &OpenEntry| u128::from(entry.key) << 64 | u128::from(!entry.g.0);
        let (a, b) = (rank(self), rank(other));
        (a < b) | ((a == b) & (self.tail > other.tail))
    }

    #[inline]
    fn order(&self, other: &OpenEntry) -> Ordering {
        if self.before(other) { Ordering::Less } else { Ordering::Greater }
    }
}

/// Counts insertions.
#[derive(Clone, Copy, Debug, Default)]
struct Serial(u32);

impl Serial {
    #[inline]
    fn entry(&mut self, key: u64, g: Cost, node: NodeId) -> OpenEntry {
        self.0 = self.0.wrapping_add(1);
        OpenEntry { key, g, tail: u64::from(self.0) << 32 | u64::from(node.0) }
    }
}

/// The interface shared by the two open lists.
pub(crate) trait Open {
    /// Empties the list; the keys that are open at the same time are expected to lie within a range of this size.
    fn clear(&mut self, key_range: u64);
    fn push(&mut self, key: u64, g: Cost, node: NodeId);
    /// The best entry. Entries that are no longer live may be dropped on the way, or returned.
    fn peek(&mut self, live: impl Fn(&OpenEntry) -> bool) -> Option<OpenEntry>;
    /// Removes the entry that [`Open::peek`] has just returned.
    fn pop(&mut self);
    /// Visits every entry, live or not, in any order.
    fn for_each(&self, visit: impl FnMut(&OpenEntry));
    fn bytes(&self) -> usize;

    /// The best live entry. Stale entries before it are dropped.
    #[inline]
    fn best(&mut self, live: impl Fn(&OpenEntry) -> bool) -> Option<OpenEntry> {
        while let Some(top) = self.peek(&live) {
            if live(&top) {
                return Some(top);
            }
            self.pop();
        }
        None
    }
}

/// The open list of a search, of either kind.
#[derive(Clone, Debug)]
pub(crate) enum List {
    Heap(Heap),
    Buckets(Buckets),
}

impl List {
    pub fn new(kind: OpenList) -> List {
        match kind {
            OpenList::Buckets => List::Buckets(Buckets::default()),
            OpenList::Heap => List::Heap(Heap::default()),
        }
    }

    pub fn clear(&mut self, key_range: u64) {
        match self {
            List::Heap(open) => open.clear(key_range),
            List::Buckets(open) => open.clear(key_range),
        }
    }

    /// Removes stale entries wherever they are, and all but the latest of the entries of one node. The order of the
    /// others is preserved. Returns how many are left.
    ///
    /// Only a search that never ends needs this: elsewhere there are fewer stale entries than generated nodes.
    pub fn tidy(&mut self, key_range: u64, live: impl Fn(&OpenEntry) -> bool) -> usize {
        let mut entries = match self {
            List::Heap(open) => std::mem::take(&mut open.heap.entries),
            List::Buckets(open) => {
                open.ring.iter_mut().flat_map(|ring| ring.iter_mut()).chain([&mut open.front]).fold(
                    Vec::new(),
                    |mut all, some| {
                        all.append(some);
                        all
                    },
                )
            }
        };
        entries.retain(live);
        entries.sort_unstable_by_key(|entry| (entry.node(), Reverse(entry.tail)));
        entries.dedup_by_key(|entry| entry.node());
        entries.sort_unstable_by_key(|entry| entry.tail);
        self.clear(key_range);
        for entry in &entries {
            match self {
                List::Heap(open) => open.push(entry.key, entry.g, entry.node()),
                List::Buckets(open) => open.push(entry.key, entry.g, entry.node()),
            }
        }
        entries.len()
    }

    /// Returns its memory. The list must be cleared before it is used again.
    pub fn release(&mut self) {
        match self {
            List::Heap(open) => *open = Heap::default(),
            List::Buckets(open) => *open = Buckets::default(),
        }
    }

    /// The number of entries visited to refill the list since the last call.
    pub fn take_visited(&mut self) -> u64 {
        match self {
            List::Heap(_) => 0,
            List::Buckets(open) => std::mem::take(&mut open.visited),
        }
    }

    pub fn bytes(&self) -> usize {
        match self {
            List::Heap(open) => open.bytes(),
            List::Buckets(open) => open.bytes(),
        }
    }
}

/// A four-ary heap: half as deep as a binary one, and four children share a cache line or two.
#[derive(Clone, Debug, Default)]
struct QuadHeap {
    entries: Vec<OpenEntry>,
}

impl QuadHeap {
    #[inline]
    fn push(&mut self, entry: OpenEntry) {
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
        self.entries.capacity() * size_of::<OpenEntry>()
    }
}

/// The open list as one heap.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heap {
    heap: QuadHeap,
    serial: Serial,
}

impl Open for Heap {
    fn clear(&mut self, _key_range: u64) {
        self.heap.entries.clear();
        self.serial = Serial::default();
    }

    #[inline]
    fn push(&mut self, key: u64, g: Cost, node: NodeId) {
        let entry = self.serial.entry(key, g, node);
        self.heap.push(entry);
    }

    #[inline]
    fn peek(&mut self, _live: impl Fn(&OpenEntry) -> bool) -> Option<OpenEntry> {
        self.heap.entries.first().copied()
    }

    #[inline]
    fn pop(&mut self) {
        self.heap.pop();
    }

    fn for_each(&self, visit: impl FnMut(&OpenEntry)) {
        self.heap.entries.iter().for_each(visit);
    }

    fn bytes(&self) -> usize {
        self.heap.bytes()
    }
}

/// The number of buckets in the ring, one bit of `filled` each.
const BUCKETS: u64 = 128;
/// The minimum number of entries sorted at a time. It is small in tests, so that they cover large buckets.
const CHUNK: usize = if cfg!(test) { 4 } else { 256 };

/// The open list as a ring of unsorted buckets by key (Dial 1969), with the best few entries sorted.
///
/// A plain bucket queue takes any entry of the first bucket. To obtain the exact order, the best entries of that bucket
/// are moved to `front` and sorted, best last. Most entries that an A* search inserts belong either at the very end of
/// `front` (the same key as the expanded node, and a larger g) or into a later bucket, and both take constant time;
/// each entry is sorted once, among few. A heap in each bucket was three times slower: where many entries share a key,
/// it sifts through all of them on every removal.
///
/// The bucket of a key is `key >> shift`, modulo the ring. `shift` is chosen so that the ring covers the range of keys
/// that the search is expected to have open at the same time; keys of a later turn of the ring may share a bucket, and
/// stay there until that turn.
#[derive(Clone, Debug)]
pub(crate) struct Buckets {
    /// Better than every entry in the ring; sorted, best last.
    front: Vec<OpenEntry>,
    /// `front` is truncated when it grows beyond this.
    limit: usize,
    /// Allocated when it is first needed.
    ring: Option<Box<Ring>>,
    filled: u128,
    shift: u32,
    /// No entry in the ring has a bucket number (before the modulo) below this.
    turn: u64,
    /// No entry in the ring has the bucket number `turn` itself.
    turn_done: bool,
    serial: Serial,
    /// The number of entries visited to refill `front`.
    visited: u64,
}

type Ring = [Vec<OpenEntry>; BUCKETS as usize];

/// Grows the capacity by a quarter: less slack than doubling, as there are many buckets and an agent should be small.
#[cold]
#[inline(never)]
fn grow(bucket: &mut Vec<OpenEntry>) {
    bucket.reserve_exact((bucket.len() / 4).max(4));
}

impl Default for Buckets {
    fn default() -> Buckets {
        Buckets {
            front: Vec::new(),
            limit: 2 * CHUNK,
            ring: None,
            filled: 0,
            shift: 0,
            turn: 0,
            turn_done: false,
            serial: Serial::default(),
            visited: 0,
        }
    }
}

#[cold]
#[inline(never)]
fn new_ring() -> Box<Ring> {
    Box::new([const { Vec::new() }; BUCKETS as usize])
}

impl Buckets {
    #[inline(always)]
    fn push_to_ring(&mut self, number: u64, entry: OpenEntry) {
        let at = number % BUCKETS;
        let bucket = &mut self.ring.get_or_insert_with(new_ring)[at as usize];
        if bucket.is_empty() {
            self.filled |= 1 << at;
        }
        if bucket.len() == bucket.capacity() {
            grow(bucket);
        }
        bucket.push(entry);
    }

    /// Inserts in order. Nearly all entries inserted here are better than all others.
    #[inline(always)]
    fn push_to_front(&mut self, entry: OpenEntry) {
        match self.front.last() {
            Some(best) if best.before(&entry) => {
                self.push_into_front(entry.key, entry.g, entry.tail);
            }
            _ => self.front.push(entry),
        }
        if self.front.len() > self.limit {
            self.cut_front();
        }
    }

    #[cold]
    #[inline(never)]
    fn push_into_front(&mut self, key: u64, g: Cost, tail: u64) {
        let entry = OpenEntry { key, g, tail };
        let at = self.front.partition_point(|other| entry.before(other));
        self.front.insert(at, entry);
    }

    /// Moves the worse half of `front` back into the ring.
    #[cold]
    fn cut_front(&mut self) {
        let half = self.front.len() / 2;
        self.turn = self.front[half - 1].key >> self.shift;
        self.turn_done = false;
        for i in 0..half {
            let entry = self.front[i];
            self.push_to_ring(entry.key >> self.shift, entry);
        }
        self.front.drain(..half);
    }

    /// Fills the empty `front` with the best entries of the ring.
    #[inline(never)]
    fn refill(&mut self, live: impl Fn(&OpenEntry) -> bool) {
        let mut passed = 0;
        while self.filled != 0 {
            let ahead = self.filled.rotate_right((self.turn % BUCKETS) as u32).trailing_zeros();
            self.turn += u64::from(ahead);
            passed += u64::from(ahead) + 1;
            self.take_chunk(&live);
            if !self.front.is_empty() {
                return;
            }
            if passed < BUCKETS {
                self.turn += 1;
            } else {
                // A whole turn without an entry of its own: continue at the smallest one there is. (None is left if all
                // entries found on the way were stale.)
                let entries = self.ring.iter().flat_map(|ring| ring.iter().flatten());
                let keys = entries.map(|entry| entry.key >> self.shift);
                self.turn = keys.min().unwrap_or(self.turn);
                passed = 0;
            }
        }
    }

    /// Moves the best entries of the current bucket to `front`, if any belong to this turn.
    fn take_chunk(&mut self, live: impl Fn(&OpenEntry) -> bool) {
        let at = self.turn % BUCKETS;
        let Some(ring) = &mut self.ring else { return };
        let bucket = &mut ring[at as usize];
        self.visited += bucket.len() as u64;
        // About half of all entries are stale by the time their turn comes. Of a large bucket only a fraction is
        // sorted, so that each of its entries is visited a constant number of times.
        let mut rest = 0;
        if bucket.len() > CHUNK {
            bucket.retain(&live);
            rest = bucket.len() - (bucket.len() / 8).max(CHUNK).min(bucket.len());
            if rest > 0 {
                bucket.select_nth_unstable_by(rest, |a, b| OpenEntry::order(b, a));
            }
            self.front.extend(bucket.drain(rest..));
        } else {
            self.front.extend(bucket.drain(..).filter(live));
        }
        let (turn, shift) = (self.turn, self.shift);
        self.front.sort_unstable_by(|a, b| OpenEntry::order(b, a));
        let later = self.front.iter().take_while(|entry| entry.key >> shift != turn).count();
        bucket.extend(self.front.drain(..later));
        self.turn_done = rest == 0 || later > 0;
        self.limit = 2 * self.front.len().max(CHUNK);
        if bucket.is_empty() {
            self.filled &= !(1 << at);
        }
    }
}

impl Open for Buckets {
    fn clear(&mut self, key_range: u64) {
        self.front.clear();
        while self.filled != 0 {
            let at = self.filled.trailing_zeros();
            if let Some(ring) = &mut self.ring {
                ring[at as usize].clear();
            }
            self.filled &= self.filled - 1;
        }
        // The smallest shift for which the range fits into the ring.
        self.shift = u64::BITS - (key_range / BUCKETS).leading_zeros();
        self.shift = self.shift.min(u64::BITS - 1);
        self.turn = 0;
        self.turn_done = false;
        self.serial = Serial::default();
    }

    #[inline(always)]
    fn push(&mut self, key: u64, g: Cost, node: NodeId) {
        let entry = self.serial.entry(key, g, node);
        let number = key >> self.shift;
        if number > self.turn {
            self.push_to_ring(number, entry);
        } else if self.turn_done || self.front.first().is_some_and(|worst| entry.before(worst)) {
            self.push_to_front(entry);
        } else {
            self.turn = number;
            self.push_to_ring(number, entry);
        }
    }

    #[inline]
    fn peek(&mut self, live: impl Fn(&OpenEntry) -> bool) -> Option<OpenEntry> {
        if self.front.is_empty() {
            self.refill(live);
        }
        self.front.last().copied()
    }

    #[inline]
    fn pop(&mut self) {
        self.front.pop();
    }

    fn for_each(&self, mut visit: impl FnMut(&OpenEntry)) {
        self.front.iter().for_each(&mut visit);
        let mut filled = self.filled;
        while filled != 0 {
            let bucket = self.ring.iter().map(|ring| &ring[filled.trailing_zeros() as usize]);
            bucket.flatten().for_each(&mut visit);
            filled &= filled - 1;
        }
    }

    fn bytes(&self) -> usize {
        let ring = self.ring.as_ref().map_or(0, |ring| {
            ring.iter().map(Vec::capacity).sum::<usize>() * size_of::<OpenEntry>()
                + size_of::<Ring>()
        });
        self.front.capacity() * size_of::<OpenEntry>() + ring
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn drain(open: &mut impl Open) -> Vec<(u64, u64, u32)> {
        let mut order = Vec::new();
        while let Some(top) = open.peek(|_| true) {
            order.push((top.key, top.g.0, top.node().0));
            open.pop();
        }
        order
    }

    proptest! {
        /// Pushes and pops in any order and with any spread of keys: both lists return what a sorted list returns.
        #[test]
        fn both_lists_return_entries_in_the_same_order(
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
                    let (a, b) = (heap.peek(|_| true), buckets.peek(|_| true));
                    sorted.sort();
                    prop_assert_eq!(a.map(|e| e.node()), b.map(|e| e.node()));
                    prop_assert_eq!(a.map(|e| e.node().0), sorted.first().map(|e| e.2.0));
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
    fn a_list_with_only_stale_entries_is_empty() {
        for keys in [vec![0], vec![5, 700, 90_000], (0..500).collect::<Vec<u64>>()] {
            let mut open = Buckets::default();
            open.clear(10);
            for &key in &keys {
                open.push(key << 20, Cost(1), NodeId(key as u32));
            }
            assert!(open.peek(|_| false).is_none());
            open.push(3, Cost(1), NodeId(9));
            assert_eq!(open.peek(|_| true).map(|entry| entry.node()), Some(NodeId(9)));
        }
    }

    #[test]
    fn removing_stale_entries_preserves_the_order_of_live_ones() {
        for kind in [OpenList::Buckets, OpenList::Heap] {
            let mut list = List::new(kind);
            list.clear(1000);
            let push = |list: &mut List, key, node| match list {
                List::Heap(open) => open.push(key, Cost(1), NodeId(node)),
                List::Buckets(open) => open.push(key, Cost(1), NodeId(node)),
            };
            let drain = |list: &mut List| match list {
                List::Heap(open) => drain(open),
                List::Buckets(open) => drain(open),
            };
            // Node 7 occurs twice, and all nodes above 20 are stale.
            for node in (0..30).chain([7]) {
                push(&mut list, u64::from(node % 4) << 20, node);
            }
            let live = |entry: &OpenEntry| entry.node() <= NodeId(20);
            assert_eq!(list.tidy(1000, live), 21);
            let left: Vec<_> = drain(&mut list).iter().map(|&(_, _, node)| node).collect();
            let expected =
                [20, 16, 12, 8, 4, 0, 17, 13, 9, 5, 1, 18, 14, 10, 6, 2, 7, 19, 15, 11, 3];
            assert_eq!(left, expected);
        }
    }

    #[test]
    fn a_cleared_list_is_empty() {
        let mut open = Buckets::default();
        open.clear(10);
        open.push(5, Cost(1), NodeId(1));
        open.push(500, Cost(1), NodeId(2));
        open.clear(10);
        assert!(open.peek(|_| true).is_none());
    }
}
