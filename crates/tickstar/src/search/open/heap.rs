//! The open list as one heap.

use super::{Open, OpenEntry, Serial};
use crate::{Cost, NodeId};

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
    fn insert(&mut self, key: u64, g: Cost, node: NodeId) -> bool {
        let entry = self.serial.entry(key, g, node);
        self.heap.push(entry);
        false
    }

    fn compact(&mut self, _live: impl Fn(&OpenEntry) -> bool) {}

    #[inline]
    fn note_stale(&mut self, _key: u64) -> bool {
        false
    }

    #[inline]
    fn peek(&mut self, _live: impl Fn(&OpenEntry) -> bool) -> Option<OpenEntry> {
        self.heap.entries.first().copied()
    }

    fn dropped(&self) -> usize {
        0
    }

    fn is_empty(&self) -> bool {
        self.heap.entries.is_empty()
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
