//! The open list: a heap, or a ring of buckets by key, in exactly the same order.
//!
//! Both order their entries by one total order (smaller key, then larger g, then last in first out), so searches are
//! bit-identical with either. Entries are never moved when a node improves: a new entry is added, and the old one is
//! recognized as stale when it reaches the top.

mod buckets;
mod front;
mod heap;
mod runs;
mod slab;

use std::cmp::{Ordering, Reverse};

pub(crate) use buckets::Buckets;
pub(crate) use heap::Heap;

use crate::search::pool::Pool;
use crate::{Cost, NodeId};

/// Which open list a search uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OpenList {
    /// Buckets by key, of which only the best few entries are kept sorted. Whatever the length of the list, no operation
    /// visits more than some 1300 entries, nearly always far fewer, or moves the list in memory. On average, an entry is
    /// visited a constant number of times and sorted once, among few. Its memory comes from the agent's pool.
    #[default]
    Buckets,
    /// One four-ary heap. Each operation takes time logarithmic in the length of the list, and the list is copied when
    /// it outgrows its memory.
    Heap,
}

/// An open node with the key and cost with which it was inserted.
#[derive(Clone, Copy, Debug, Default)]
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
    /// unpredictable for the processor. The tie is broken by adding one, and the larger g comes first because the costs
    /// are exchanged: both are cheaper than further comparisons. A cost is finite, so the sum cannot overflow.
    #[inline]
    pub fn before(&self, other: &OpenEntry) -> bool {
        let words = |key: u64, g: Cost| u128::from(key) << 64 | u128::from(g.0);
        let later = u128::from(self.tail > other.tail);
        words(self.key, other.g) < words(other.key, self.g).wrapping_add(later)
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
    /// Adds an entry. If it returns `true`, [`Open::compact`] must be called before the next one is added. (What is live
    /// would be expensive to pass with every entry.)
    #[must_use]
    fn insert(&mut self, key: u64, g: Cost, node: NodeId) -> bool;
    /// Drops some entries that are no longer live, where a call of [`Open::insert`] or [`Open::note_stale`] asked for it.
    fn compact(&mut self, live: impl Fn(&OpenEntry) -> bool);
    /// Reports that an entry with this key is no longer live. If it returns `true`, [`Open::compact`] should be called.
    fn note_stale(&mut self, key: u64) -> bool;
    /// The best entry. Entries that are no longer live may be dropped on the way, or returned. If there have been many
    /// of them, it returns none although the list is not empty; the next call goes on.
    fn peek(&mut self, live: impl Fn(&OpenEntry) -> bool) -> Option<OpenEntry>;
    /// The number of stale entries that were dropped when the last call returned none.
    fn dropped(&self) -> usize;
    /// Whether there are no entries, live or not.
    fn is_empty(&self) -> bool;
    /// Removes the entry that [`Open::peek`] has just returned.
    fn pop(&mut self);
    /// Visits every entry, live or not, in any order.
    fn for_each(&self, visit: impl FnMut(&OpenEntry));
    fn bytes(&self) -> usize;

    /// Adds an entry and drops none.
    #[inline]
    fn push(&mut self, key: u64, g: Cost, node: NodeId) {
        if self.insert(key, g, node) {
            self.compact(|_| true);
        }
    }

    /// The best live entry. Stale entries before it are dropped.
    #[inline]
    fn best(&mut self, live: impl Fn(&OpenEntry) -> bool) -> Option<OpenEntry> {
        loop {
            match self.peek(&live) {
                Some(top) if live(&top) => return Some(top),
                Some(_) => self.pop(),
                None if self.is_empty() => return None,
                None => {}
            }
        }
    }
}

/// The open list of a search, of either kind.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // nearly every search uses the larger one
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
        let mut entries = Vec::new();
        match self {
            List::Heap(open) => open.for_each(|&entry| entries.push(entry)),
            List::Buckets(open) => open.for_each(|&entry| entries.push(entry)),
        }
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

    /// Takes memory from this pool from now on. The list must be cleared before it is used again.
    pub fn set_pool(&mut self, pool: &Pool) {
        self.release();
        if let List::Buckets(open) = self {
            open.memory_mut().set_pool(pool);
        }
    }

    /// Returns its memory: to the pool, or to the allocator little by little, by [`List::reclaim`]. (A heap is one
    /// piece of memory.) The list must be cleared before it is used again.
    pub fn release(&mut self) {
        match self {
            List::Heap(open) => *open = Heap::default(),
            List::Buckets(open) => open.release(),
        }
    }

    /// Whether released memory has yet to be returned to the allocator.
    #[inline]
    pub fn has_released(&self) -> bool {
        match self {
            List::Heap(_) => false,
            List::Buckets(open) => open.memory().has_released(),
        }
    }

    /// Returns released blocks to the allocator, at most this many. Returns how many.
    pub fn reclaim(&mut self, blocks: u64) -> u64 {
        match self {
            List::Heap(_) => 0,
            List::Buckets(open) => open.memory_mut().reclaim(blocks),
        }
    }

    pub fn bytes(&self) -> usize {
        match self {
            List::Heap(open) => open.bytes(),
            List::Buckets(open) => open.bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashSet};

    use proptest::prelude::*;

    use super::runs::RUN;
    use super::*;

    fn drain(open: &mut impl Open, live: impl Fn(&OpenEntry) -> bool) -> Vec<u32> {
        let mut order = Vec::new();
        while let Some(top) = open.best(&live) {
            order.push(top.node().0);
            open.pop();
        }
        order
    }

    proptest! {
        /// Pushes and pops in any order and with any spread of keys, while entries become stale: both lists return what
        /// a sorted list returns.
        #[test]
        fn both_lists_return_entries_in_the_same_order(
            span in prop_oneof![Just(0_u64), Just(1), Just(1000), Just(u64::MAX)],
            spread in prop_oneof![Just(3_u64), Just(1000), Just(u64::MAX)],
            ties in prop_oneof![Just(1_u64), Just(4), Just(u64::MAX)],
            steps in prop::collection::vec((any::<u64>(), any::<u64>(), 0_u8..8), 1..500),
        ) {
            let (mut heap, mut buckets) = (Heap::default(), Buckets::default());
            heap.clear(span);
            buckets.clear(span);
            let mut sorted = BTreeSet::new();
            let mut stale = HashSet::new();
            for (node, (key, g, action)) in (0_u32..).zip(steps) {
                let live = |entry: &OpenEntry| !stale.contains(&entry.node().0);
                match action {
                    0..2 => {
                        let best = [heap.best(live), buckets.best(live)];
                        let best = best.map(|entry| entry.map(|entry| entry.node().0));
                        let expected = sorted.pop_first().map(|(_, _, Reverse(node))| node);
                        prop_assert_eq!(best, [expected; 2]);
                        heap.pop();
                        buckets.pop();
                    }
                    2 => {
                        // Some entry becomes stale: a good one, or any.
                        let nth = if key % 2 == 0 { g % 4 } else { g % (sorted.len() as u64 + 1) };
                        if let Some(&entry) = sorted.iter().nth(nth as usize) {
                            sorted.remove(&entry);
                            stale.insert(entry.2.0);
                            if buckets.note_stale(entry.0) {
                                buckets.compact(|entry| !stale.contains(&entry.node().0));
                            }
                        }
                    }
                    _ => {
                        let (key, g) = (key % spread, g % ties);
                        heap.push(key, Cost(g), NodeId(node));
                        if buckets.insert(key, Cost(g), NodeId(node)) {
                            buckets.compact(live);
                        }
                        sorted.insert((key, Reverse(g), Reverse(node)));
                    }
                }
                let mut left = 0;
                buckets.for_each(|entry| left += usize::from(!stale.contains(&entry.node().0)));
                prop_assert_eq!(left, sorted.len());
            }
            let live = |entry: &OpenEntry| !stale.contains(&entry.node().0);
            let expected: Vec<_> = sorted.iter().map(|&(_, _, Reverse(node))| node).collect();
            prop_assert_eq!(drain(&mut heap, live), expected.clone());
            prop_assert_eq!(drain(&mut buckets, live), expected);
        }
    }

    /// The key and the g of the nth entry.
    type Sequence = fn(u64) -> (u64, u64);

    #[test]
    fn no_operation_visits_more_than_a_few_runs() {
        fn random(i: u64) -> u64 {
            (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        }
        let sequences: [(&str, Sequence); 11] = [
            ("all equal", |_| (7, 7)),
            ("equal keys", |i| (7, i * 31 % 1009)),
            ("equal keys, random g", |i| (7, random(i))),
            ("random", |i| (random(i), 1)),
            ("falling", |i| ((1 << 40) - i, i)),
            ("rising", |i| (i, i)),
            ("far apart", |i| (if i % 2 == 0 { i } else { u64::MAX - i }, i % 3)),
            ("the largest", |i| (u64::MAX, u64::MAX - 1 - i % 2)),
            ("falling in steps", |i| ((5000 - i / 50) << 10, i)),
            ("two keys", |i| ((i % 2) << 60, i % 7)),
            ("exponential", |i| (1 << (i % 64), i)),
        ];
        for (name, sequence) in sequences {
            let cases = [(0, 0), (100, 2), (1 << 22, 3), (1 << 22, 0), (u64::MAX, 5)];
            // All entries are live, or few, or none.
            let cases = cases.iter().flat_map(|case| [1, 100, u32::MAX].map(|live| (case, live)));
            for (&(range, every), nth) in cases {
                let live = |entry: &OpenEntry| (entry.node().0 + 1).is_multiple_of(nth);
                let mut open = Buckets::default();
                open.clear(range);
                let (mut most, mut work) = (0, 0);
                let mut check = |open: &Buckets| {
                    most = most.max(open.work() - work);
                    work = open.work();
                };
                for i in 0..5000 {
                    let (key, g) = sequence(i);
                    if open.insert(key, Cost(g), NodeId(i as u32)) {
                        open.compact(live);
                    }
                    check(&open);
                    if every > 0 && i % every == 0 {
                        open.peek(live);
                        check(&open);
                        open.pop();
                    }
                }
                while !open.is_empty() {
                    open.peek(live);
                    check(&open);
                    open.pop();
                }
                assert!(most <= buckets::MOST_VISITS, "{name}, range {range}: {most} visits");
            }
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
                List::Heap(open) => drain(open, |_| true),
                List::Buckets(open) => drain(open, |_| true),
            };
            // Node 7 occurs twice, and all nodes above 20 are stale.
            for node in (0..30).chain([7]) {
                push(&mut list, u64::from(node % 4) << 20, node);
            }
            let live = |entry: &OpenEntry| entry.node() <= NodeId(20);
            assert_eq!(list.tidy(1000, live), 21);
            let left = drain(&mut list);
            let expected =
                [20, 16, 12, 8, 4, 0, 17, 13, 9, 5, 1, 18, 14, 10, 6, 2, 7, 19, 15, 11, 3];
            assert_eq!(left, expected);
        }
    }

    #[test]
    fn entries_that_become_stale_soon_do_not_accumulate() {
        let mut open = Buckets::default();
        open.clear(10);
        for node in 0..1000 {
            if open.insert(1000, Cost(1), NodeId(node)) {
                open.compact(|entry| entry.node().0 + 3 > node);
            }
        }
        let mut left = 0;
        open.for_each(|_| left += 1);
        assert!(left < 20, "{left} entries");
    }

    #[test]
    fn entries_that_become_stale_late_are_swept() {
        let mut open = Buckets::default();
        open.clear(10);
        for node in 0..10_000 {
            open.push(1000, Cost(u64::from(node * 7919 % 1000)), NodeId(node));
        }
        // The first ones first, and a tenth never.
        let is_stale = |node: u32, now: u32| node < now && !node.is_multiple_of(10);
        for now in 0..10_000_u32 {
            if !now.is_multiple_of(10) && open.note_stale(1000) {
                open.compact(|entry| !is_stale(entry.node().0, now));
            }
        }
        let (mut left, mut live) = (0, 0);
        open.for_each(|entry| {
            left += 1;
            live += u32::from(!is_stale(entry.node().0, 10_000));
        });
        assert_eq!(live, 1000, "no live entry is dropped");
        assert!(left < 4000, "{left} entries");
    }

    /// A large bucket, in some state of being swept, loses its place in the ring to one with smaller keys.
    #[test]
    fn swept_buckets_can_be_parked() {
        for swept in 0..40_u32 {
            let mut open = Buckets::default();
            // Buckets of 16 keys, 128 of them.
            open.clear(2047);
            let key = |node: u32| 204_800 + u64::from(node / 4);
            for node in 0..64 {
                open.push(key(node), Cost(1), NodeId(node));
            }
            let is_live = |node: u32| node >= swept || !node.is_multiple_of(4);
            for node in 0..swept {
                if open.note_stale(key(node)) {
                    open.compact(|entry| is_live(entry.node().0));
                }
            }
            // The same place; keys between those of the first bucket; and a larger key of the same ring.
            for (node, key) in [(64, 0), (65, 204_807), (66, 205_000), (67, 1)] {
                open.push(key, Cost(2), NodeId(node));
            }
            let order = drain(&mut open, |entry| is_live(entry.node().0));
            let mut expected: Vec<_> = (0..64).filter(|&node| is_live(node)).collect();
            expected.sort_unstable_by_key(|&node| (key(node), Reverse(node)));
            let place = expected.partition_point(|&node| key(node) < 204_807);
            expected.insert(place, 65);
            let expected: Vec<_> = [64, 67].into_iter().chain(expected).chain([66]).collect();
            assert_eq!(order, expected, "{swept} swept");
        }
    }

    #[test]
    fn a_bucket_with_swept_runs_alone_can_be_parked() {
        let mut open = Buckets::default();
        // Buckets of 16 keys, 128 of them.
        open.clear(2047);
        let key = 204_800;
        // A full run and the first entry of the next. The full one is swept.
        let first = RUN as u32;
        for node in 0..=first {
            open.push(key, Cost(1), NodeId(node));
        }
        while !open.note_stale(key) {}
        open.compact(|_| true);
        // All entries of the open run are stale when it becomes too long.
        for node in first + 1.. {
            if open.insert(key, Cost(1), NodeId(node)) {
                open.compact(|entry| entry.node().0 < first);
                break;
            }
        }
        for (node, key) in [(100, 0), (101, 205_000)] {
            open.push(key, Cost(2), NodeId(node));
        }
        let expected: Vec<_> = [100].into_iter().chain((0..first).rev()).chain([101]).collect();
        assert_eq!(drain(&mut open, |_| true), expected);
    }

    #[test]
    fn what_has_lost_its_place_takes_little_memory() {
        let mut open = Buckets::default();
        open.clear(1000);
        // Falling keys, each of a bucket of its own, over many times the range.
        for node in 0..5000_u32 {
            open.push(10_000_000 - 8 * u64::from(node), Cost(1), NodeId(node));
        }
        assert!(open.bytes() < 300_000, "{} bytes", open.bytes());
        assert_eq!(drain(&mut open, |_| true), (0..5000).rev().collect::<Vec<_>>());
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
