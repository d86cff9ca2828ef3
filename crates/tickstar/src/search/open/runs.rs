//! Runs of entries, and heaps of runs: what a large bucket is made of.

use super::OpenEntry;
use super::slab::{Linked, NONE, Slabs};

/// Entries per chunk. There are few in tests, so that they cover large buckets.
pub(super) const CHUNK: usize = if cfg!(test) { 4 } else { 32 };
/// Chunks per run, at most.
pub(super) const CHUNKS: usize = 2;
/// Entries per run, at most.
pub(super) const RUN: usize = CHUNK * CHUNKS;

/// Some entries of a run, and what is known about the run if it is the first of its chunks.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    entries: [OpenEntry; CHUNK],
    /// The first `used` entries are those of the run; the others are meaningless.
    used: u8,
    /// In a heap: the place of the best entry of the run.
    best: u8,
    /// The run is sorted: its best entries are in the first chunk, and in each chunk the best is last.
    sorted: bool,
    /// In a heap: the number of steps to the right until there is no run.
    rank: u8,
    /// In a heap: the runs below. Each is worse than this one.
    left: u32,
    right: u32,
    /// The next chunk of the run, or of the free ones.
    next: u32,
}

impl Default for Chunk {
    fn default() -> Chunk {
        let entries = [OpenEntry::default(); CHUNK];
        let (left, right, next) = (NONE, NONE, NONE);
        Chunk { entries, used: 0, best: 0, sorted: false, rank: 0, left, right, next }
    }
}

impl Linked for Chunk {
    fn next(&mut self) -> &mut u32 {
        &mut self.next
    }
}

/// How many of these entries, sorted with the best last, are not better than another one, or have keys above `limit`:
/// they come first.
pub(super) fn count_left(entries: &[OpenEntry], other: Option<&OpenEntry>, limit: u64) -> usize {
    let is_left =
        |entry: &OpenEntry| entry.key > limit || other.is_some_and(|other| other.before(entry));
    entries.partition_point(is_left)
}

/// The memory of all runs of an open list.
///
/// The entries of a run are in any order, but where it is in a heap, its best entry is the first. When a run becomes the
/// best of its heap, it is sorted, so that its entries can be taken one after the other. The heaps are leftist (Crane
/// 1972): merging two takes time logarithmic in the number of runs, and no memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Runs {
    chunks: Slabs<Chunk>,
    /// The number of entries visited or moved so far.
    #[cfg(test)]
    pub work: usize,
}

impl Runs {
    /// The memory, to be returned or taken from a pool.
    pub fn memory(&self) -> &Slabs<Chunk> {
        &self.chunks
    }

    pub fn memory_mut(&mut self) -> &mut Slabs<Chunk> {
        &mut self.chunks
    }

    /// Voids all runs. Constant time.
    pub fn clear(&mut self) {
        self.chunks.clear();
    }

    /// Writes an entry into the first chunk of a run.
    #[inline(always)]
    pub fn set(&mut self, run: u32, at: usize, entry: OpenEntry) {
        self.chunks.get_mut(run).entries[at] = entry;
        self.count(1);
    }

    /// Puts a new chunk with one entry before a run. It counts as full.
    #[inline]
    pub fn extend(&mut self, run: u32, entry: OpenEntry) -> u32 {
        let at = self.chunks.take();
        let chunk = self.chunks.get_mut(at);
        chunk.entries[0] = entry;
        (chunk.next, chunk.used) = (run, CHUNK as u8);
        self.count(1);
        at
    }

    /// Visits all entries of a run, some at a time, and takes its memory back. The first chunk has `used` entries.
    #[inline]
    pub fn drain(&mut self, run: u32, used: usize, mut visit: impl FnMut(&[OpenEntry])) {
        let (mut at, mut used) = (run, used);
        while at != NONE {
            let chunk = self.chunks.get(at);
            visit(&chunk.entries[..used]);
            let next = chunk.next;
            self.chunks.free(at);
            self.count(used);
            (at, used) = (next, CHUNK);
        }
    }

    /// Makes a run of these entries, at most [`RUN`]. Returns the run and the number of entries in its first chunk.
    pub fn collect(&mut self, entries: &[OpenEntry]) -> (u32, usize) {
        let (mut run, mut used) = (NONE, CHUNK);
        for some in entries.chunks(CHUNK) {
            run = self.extend(run, some[0]);
            used = some.len();
            self.chunks.get_mut(run).entries[..used].copy_from_slice(some);
        }
        self.count(entries.len());
        (run, used)
    }

    /// Makes a run a heap. Its first chunk has `used` entries.
    pub fn close(&mut self, run: u32, used: usize) -> u32 {
        self.chunks.get_mut(run).used = used as u8;
        let (mut best, mut place) = (self.chunks.get(run).entries[0], (run, 0));
        let mut at = run;
        while at != NONE {
            let chunk = self.chunks.get(at);
            for (i, entry) in chunk.entries[..usize::from(chunk.used)].iter().enumerate() {
                if entry.before(&best) {
                    (best, place) = (*entry, (at, i));
                }
            }
            at = chunk.next;
            self.count(CHUNK);
        }
        let first = std::mem::replace(&mut self.chunks.get_mut(run).entries[0], best);
        if place != (run, 0) {
            self.chunks.get_mut(place.0).entries[place.1] = first;
        }
        self.single(run, false)
    }

    /// Makes a run a heap. If it is sorted, its best entry is the last of its first chunk, otherwise the first.
    fn single(&mut self, run: u32, sorted: bool) -> u32 {
        let chunk = self.chunks.get_mut(run);
        (chunk.left, chunk.right, chunk.rank, chunk.sorted) = (NONE, NONE, 1, sorted);
        chunk.best = if sorted { chunk.used - 1 } else { 0 };
        run
    }

    /// The best entry of a heap, which is not empty.
    #[inline]
    pub fn best(&self, heap: u32) -> &OpenEntry {
        let chunk = self.chunks.get(heap);
        &chunk.entries[usize::from(chunk.best) % CHUNK]
    }

    /// Whether the best run of a heap, which is not empty, is sorted.
    #[inline]
    pub fn is_sorted(&self, heap: u32) -> bool {
        self.chunks.get(heap).sorted
    }

    /// Removes the best run from a heap: visits its entries, and returns the rest.
    pub fn pop(&mut self, heap: u32, visit: impl FnMut(&[OpenEntry])) -> u32 {
        let Chunk { used, left, right, .. } = *self.chunks.get(heap);
        self.drain(heap, usize::from(used), visit);
        self.merge(left, right)
    }

    /// Adds sorted entries, best last, to a heap. There are at most [`RUN`], and at least one.
    pub fn add_sorted(&mut self, heap: u32, entries: &[OpenEntry]) -> u32 {
        let (run, used) = self.collect(entries);
        self.chunks.get_mut(run).used = used as u8;
        let single = self.single(run, true);
        self.merge(heap, single)
    }

    /// Removes entries from the best run, which is sorted, and passes them to `taken`, best last: those of its first chunk
    /// that are better than the best of the other runs, with keys up to `limit`. Returns the heap that is left.
    pub fn take_sorted(
        &mut self,
        heap: u32,
        limit: u64,
        mut taken: impl FnMut(&[OpenEntry]),
    ) -> u32 {
        let Chunk { left, right, .. } = *self.chunks.get(heap);
        let rest = self.merge(left, right);
        let other = (rest != NONE).then(|| *self.best(rest));
        let chunk = self.chunks.get_mut(heap);
        let entries = &chunk.entries[..usize::from(chunk.used)];
        let left = count_left(entries, other.as_ref(), limit);
        taken(&entries[left..]);
        let mut run = heap;
        if left == 0 {
            run = chunk.next;
            self.chunks.free(heap);
        } else {
            chunk.used = left as u8;
        }
        self.count(CHUNK);
        if run == NONE {
            return rest;
        }
        let single = self.single(run, true);
        self.merge(rest, single)
    }

    /// One heap of two.
    pub fn merge(&mut self, a: u32, b: u32) -> u32 {
        if a == NONE || b == NONE {
            return a.min(b);
        }
        let (a, b) = if self.best(b).before(self.best(a)) { (b, a) } else { (a, b) };
        let mut right = self.merge(self.chunks.get(a).right, b);
        let mut left = self.chunks.get(a).left;
        if self.rank(left) < self.rank(right) {
            (left, right) = (right, left);
        }
        let rank = self.rank(right) + 1;
        let run = self.chunks.get_mut(a);
        (run.left, run.right, run.rank) = (left, right, rank);
        a
    }

    #[inline]
    fn rank(&self, heap: u32) -> u8 {
        if heap == NONE { 0 } else { self.chunks.get(heap).rank }
    }

    /// Visits all entries of a run whose first chunk has `used` entries.
    pub fn for_each(&self, run: u32, used: usize, visit: &mut impl FnMut(&OpenEntry)) {
        let (mut at, mut used) = (run, used);
        while at != NONE {
            let chunk = self.chunks.get(at);
            chunk.entries[..used].iter().for_each(&mut *visit);
            (at, used) = (chunk.next, CHUNK);
        }
    }

    /// Visits all entries of a heap.
    pub fn for_each_in_heap(&self, heap: u32, visit: &mut impl FnMut(&OpenEntry)) {
        let mut heap = heap;
        // The way down on the left may be long, that on the right is short.
        while heap != NONE {
            let chunk = self.chunks.get(heap);
            self.for_each(heap, usize::from(chunk.used), visit);
            self.for_each_in_heap(chunk.right, visit);
            heap = chunk.left;
        }
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        self.chunks.bytes()
    }

    /// Counts entries visited or moved.
    #[cfg(test)]
    pub fn count(&mut self, entries: usize) {
        self.work += entries;
    }

    #[cfg(not(test))]
    #[inline(always)]
    #[allow(clippy::unused_self)]
    pub fn count(&mut self, _: usize) {}
}
