//! The open list as a ring of buckets by key, with the best few entries sorted.

use std::collections::BTreeMap;

use super::runs::{CHUNK, CHUNKS, RUN, Runs};
use super::slab::NONE;
use super::{Open, OpenEntry, Serial};
use crate::{Cost, NodeId};

/// The number of buckets in the ring, one bit of `filled` each.
const BUCKETS: u64 = 128;
/// The most entries that `front` holds.
const LIMIT: usize = 3 * RUN;
/// The most entries taken.
const FRONT: usize = if cfg!(test) { 5 } else { 96 };
/// Cut.
const CUT: usize = if cfg!(test) { 8 } else { 192 };
/// Mid.
const MID: usize = if cfg!(test) { 8 } else { 32 };

/// The best entries, sorted, best last.
#[derive(Clone, Debug, Default)]
struct Front {
    /// Those after the first `len` are meaningless.
    entries: Vec<OpenEntry>,
    len: usize,
}

impl Front {
    #[inline]
    fn entries(&self) -> &[OpenEntry] {
        &self.entries[..self.len]
    }

    #[inline]
    fn entries_mut(&mut self) -> &mut [OpenEntry] {
        &mut self.entries[..self.len]
    }

    #[inline]
    fn best(&self) -> Option<&OpenEntry> {
        self.entries.get(self.len.wrapping_sub(1))
    }

    #[inline]
    fn pop(&mut self) {
        self.len = self.len.saturating_sub(1);
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, len: usize) {
        let len = (2 * self.entries.len()).max(len).max(RUN).min(LIMIT);
        self.entries.reserve_exact(len - self.entries.len());
        self.entries.resize(len, OpenEntry::default());
    }

    #[inline(always)]
    fn push(&mut self, entry: OpenEntry) {
        if self.len == self.entries.len() {
            self.grow(0);
        }
        self.entries[self.len] = entry;
        self.len += 1;
    }

    fn take_live(&mut self, entries: &[OpenEntry], live: impl Fn(&OpenEntry) -> bool) {
        let end = self.len + entries.len();
        if end > self.entries.len() {
            self.grow(end);
        }
        let mut len = self.len;
        for entry in entries {
            self.entries[len] = *entry;
            len += usize::from(live(entry));
        }
        self.len = len;
    }

    fn sort(&mut self) {
        let entries = self.entries_mut();
        entries.sort_unstable_by(|a, b| OpenEntry::order(b, a));
    }

    fn remove_first(&mut self, count: usize) {
        self.entries.copy_within(count..self.len, 0);
        self.len -= count;
    }

    fn insert(&mut self, at: usize, entry: OpenEntry) {
        self.push(entry);
        let len = self.len;
        self.entries.copy_within(at..len - 1, at + 1);
        self.entries[at] = entry;
    }
}

/// The open list as a ring of unsorted buckets by key (Dial 1969), with the best few entries sorted.
///
/// A plain bucket queue takes any entry of the first bucket. To obtain the exact order, the best entries of that bucket
/// are moved to `front` and sorted, best last. Most entries that an A* search inserts belong either at the very end of
/// `front` (the same key as the expanded node, and a larger g) or into a later bucket, and both take constant time;
/// each entry is sorted once, among few. A heap in each bucket was three times slower: where many entries share a key,
/// it sifts through all of them on every removal.
///
/// The number of a key's bucket is `key >> shift`, and its place in the ring is that number modulo the ring. `shift` is
/// chosen so that the ring covers the range of keys that the search is expected to have open at the same time. If it
/// does not, several buckets compete for a place: the one that was used last has it, and the others are parked.
///
/// # Bounds
/// A large bucket is a heap of runs. `front` is refilled from one or two of them, and cut when it outgrows a run and a
/// half. So no operation handles more than a few times [`RUN`] entries, except that refilling continues while all
/// entries turn out to be stale. Nothing is done with entries before their turn comes, as for most it never does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buckets {
    /// Better than every entry in a bucket.
    front: Front,
    /// Allocated when it is first needed.
    ring: Option<Box<Ring>>,
    /// The places in the ring whose buckets are not empty.
    filled: u128,
    /// Buckets that have lost their places in the ring, by number. None is empty.
    parked: BTreeMap<u64, Bucket>,
    runs: Runs,
    shift: u32,
    /// No bucket with a smaller number has entries.
    turn: u64,
    /// Nor has the bucket with this number.
    turn_done: bool,
    serial: Serial,
}

type Ring = [Bucket; BUCKETS as usize];

/// The entries with one bucket number: the latest in an open run, the others in a heap of runs.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    /// Meaningless if it is empty.
    number: u64,
    /// The run to which entries are added.
    run: u32,
    /// The number of entries in its first chunk, or [`CHUNK`] if there is none.
    used: u16,
    /// The number of its chunks.
    chunks: u16,
    /// The full runs.
    heap: u32,
}

impl Bucket {
    const EMPTY: Bucket =
        Bucket { number: 0, run: NONE, used: CHUNK as u16, chunks: 0, heap: NONE };

    #[inline]
    fn is_empty(&self) -> bool {
        self.run == NONE && self.heap == NONE
    }

    #[inline]
    fn has_space(&self) -> bool {
        usize::from(self.used) < CHUNK
    }

    /// Inserts an entry if there is space.
    #[inline(always)]
    fn append(&mut self, runs: &mut Runs, entry: OpenEntry) {
        runs.set(self.run, usize::from(self.used), entry);
        self.used += 1;
    }

    /// Inserts an entry into a new chunk.
    fn extend(&mut self, runs: &mut Runs, entry: OpenEntry) {
        if usize::from(self.chunks) == CHUNKS {
            let heap = runs.close(self.run, CHUNK);
            self.heap = runs.merge(self.heap, heap);
            (self.run, self.chunks) = (NONE, 0);
        }
        self.run = runs.extend(self.run, entry);
        (self.used, self.chunks) = (1, self.chunks + 1);
    }

    /// Moves entries to `front`, sorted, best last, that are better than all others. Stale ones are dropped.
    fn take_best(
        &mut self,
        runs: &mut Runs,
        front: &mut Front,
        live: impl Fn(&OpenEntry) -> bool,
    ) {
        runs.drain(self.run, usize::from(self.used), |entries| front.take_live(entries, &live));
        (self.run, self.used, self.chunks) = (NONE, CHUNK as u16, 0);
        if self.heap != NONE || front.len > FRONT {
            self.take_runs(runs, front, live);
        }
        front.sort();
    }

    #[inline(never)]
    fn take_runs(
        &mut self,
        runs: &mut Runs,
        front: &mut Front,
        live: impl Fn(&OpenEntry) -> bool,
    ) {
        let mut worse = 0;
        if self.heap != NONE {
            self.heap = runs.pop(self.heap, |entries| front.take_live(entries, &live));
            while self.heap != NONE && front.len < RUN / 2 {
                self.heap = runs.pop(self.heap, |entries| front.take_live(entries, &live));
            }
            if self.heap != NONE {
                let best = *runs.best(self.heap);
                worse = partition(front.entries_mut(), |entry| best.before(entry));
            }
        }
        let entries = front.entries_mut();
        if entries.len() > worse + FRONT {
            let more = entries.len() - worse - FRONT;
            entries[worse..].select_nth_unstable_by(more, |a, b| OpenEntry::order(b, a));
            worse += more;
        }
        // In two runs: if the ranges of runs overlap, the worse half will not be moved again soon.
        let half = worse / 2;
        if half > 0 {
            entries[..worse].select_nth_unstable_by(half, |a, b| OpenEntry::order(b, a));
        }
        for part in [&entries[..half], &entries[half..worse]] {
            if !part.is_empty() {
                let run = runs.collect(part);
                self.heap = runs.merge(self.heap, run);
            }
        }
        front.remove_first(worse);
    }
}

/// Moves the entries for which the condition holds to the beginning, and returns how many they are.
fn partition(entries: &mut [OpenEntry], is_first: impl Fn(&OpenEntry) -> bool) -> usize {
    let mut first = 0;
    for i in 0..entries.len() {
        entries.swap(first, i);
        first += usize::from(is_first(&entries[first]));
    }
    first
}

#[cold]
#[inline(never)]
fn new_ring() -> Box<Ring> {
    Box::new([Bucket::EMPTY; BUCKETS as usize])
}

/// Gives the place of a bucket in the ring to another one.
#[cold]
fn exchange(bucket: &mut Bucket, number: u64, parked: &mut BTreeMap<u64, Bucket>) {
    let new = parked.remove(&number).unwrap_or(Bucket { number, ..Bucket::EMPTY });
    let old = std::mem::replace(bucket, new);
    if !old.is_empty() {
        parked.insert(old.number, old);
    }
}

#[inline]
fn place(number: u64) -> usize {
    (number % BUCKETS) as usize
}

/// The number of times that one operation may visit or move an entry, if none is stale.
#[cfg(test)]
pub(super) const MOST_VISITS: usize = 12 * RUN;

impl Buckets {
    /// The number of times that an entry was visited or moved.
    #[cfg(test)]
    pub(super) fn work(&self) -> usize {
        self.runs.work
    }

    #[inline(always)]
    fn push_to_ring(&mut self, number: u64, entry: OpenEntry) {
        if let Some(ring) = &mut self.ring {
            let bucket = &mut ring[place(number)];
            if bucket.number == number && bucket.has_space() {
                return bucket.append(&mut self.runs, entry);
            }
        }
        self.push_to_bucket(number, entry.key, entry.g, entry.tail);
    }

    /// Inserts where a chunk is full, or the bucket does not have its place in the ring. The entry is passed in
    /// registers.
    #[inline(never)]
    fn push_to_bucket(&mut self, number: u64, key: u64, g: Cost, tail: u64) {
        let ring = self.ring.get_or_insert_with(new_ring);
        let bucket = &mut ring[place(number)];
        if bucket.number != number {
            exchange(bucket, number, &mut self.parked);
        }
        self.filled |= 1 << place(number);
        let entry = OpenEntry { key, g, tail };
        if bucket.has_space() {
            bucket.append(&mut self.runs, entry);
        } else {
            bucket.extend(&mut self.runs, entry);
        }
    }

    /// Inserts in order. Nearly all entries inserted here are better than all others.
    #[inline(always)]
    fn push_to_front(&mut self, entry: OpenEntry) {
        match self.front.best() {
            Some(best) if best.before(&entry) => {
                self.push_into_front(entry.key, entry.g, entry.tail);
            }
            _ => self.front.push(entry),
        }
        if self.front.len >= CUT {
            self.cut_front();
        }
    }

    #[cold]
    #[inline(never)]
    fn push_into_front(&mut self, key: u64, g: Cost, tail: u64) {
        let entry = OpenEntry { key, g, tail };
        self.front.push(entry);
        let entries = self.front.entries_mut();
        let mut at = entries.len() - 1;
        while at > 0 && entries[at - 1].before(&entry) {
            entries[at] = entries[at - 1];
            at -= 1;
        }
        entries[at] = entry;
        if self.front.len >= MID {
            self.cut_front();
        }
    }

    /// Moves the worse half of `front` back into the ring.
    #[cold]
    #[inline(never)]
    fn cut_front(&mut self) {
        let half = self.front.len / 2;
        self.turn = self.front.entries[half - 1].key >> self.shift;
        self.turn_done = false;
        for i in 0..half {
            let entry = self.front.entries[i];
            self.push_to_ring(entry.key >> self.shift, entry);
        }
        self.front.remove_first(half);
    }

    /// Fills the empty `front` with the best leaf of the first bucket.
    #[inline(never)]
    fn refill(&mut self, live: impl Fn(&OpenEntry) -> bool) {
        while let Some((first, ring)) = self.first().zip(self.ring.as_mut()) {
            self.turn = first;
            let bucket = &mut ring[place(first)];
            if bucket.number != first {
                exchange(bucket, first, &mut self.parked);
            }
            // About half of all entries are stale by the time their turn comes.
            bucket.take_best(&mut self.runs, &mut self.front, &live);
            self.turn_done = bucket.is_empty();
            let bit = 1 << place(first);
            self.filled = if self.turn_done { self.filled & !bit } else { self.filled | bit };
            if self.front.len > 0 {
                return;
            }
        }
    }

    /// The number of the first bucket that has entries.
    fn first(&self) -> Option<u64> {
        let mut least = self.parked.first_key_value().map(|(&number, _)| number);
        let mut filled = self.filled.rotate_right(place(self.turn) as u32);
        while let Some(ring) = self.ring.as_ref().filter(|_| filled != 0) {
            let ahead = self.turn.wrapping_add(u64::from(filled.trailing_zeros()));
            let number = ring[place(ahead)].number;
            least = Some(least.map_or(number, |least| least.min(number)));
            // In most cases the first one: the next places are those of larger numbers.
            if number == ahead {
                break;
            }
            filled &= filled - 1;
        }
        least
    }
}

impl Open for Buckets {
    fn clear(&mut self, key_range: u64) {
        self.front.len = 0;
        while self.filled != 0 {
            if let Some(ring) = &mut self.ring {
                ring[self.filled.trailing_zeros() as usize] = Bucket::EMPTY;
            }
            self.filled &= self.filled - 1;
        }
        self.parked.clear();
        self.runs.clear();
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
        } else if self.turn_done || self.front.entries().first().is_some_and(|worst| entry.before(worst)) {
            self.push_to_front(entry);
        } else {
            self.turn = number;
            self.push_to_ring(number, entry);
        }
    }

    #[inline]
    fn peek(&mut self, live: impl Fn(&OpenEntry) -> bool) -> Option<OpenEntry> {
        if self.front.len == 0 {
            self.refill(live);
        }
        self.front.best().copied()
    }

    #[inline]
    fn pop(&mut self) {
        self.front.pop();
    }

    fn for_each(&self, mut visit: impl FnMut(&OpenEntry)) {
        self.front.entries().iter().for_each(&mut visit);
        let ring = self.ring.iter().flat_map(|ring| ring.iter());
        for bucket in ring.chain(self.parked.values()) {
            self.runs.for_each(bucket.run, usize::from(bucket.used), &mut visit);
            self.runs.for_each_in_heap(bucket.heap, &mut visit);
        }
    }

    fn bytes(&self) -> usize {
        let ring = self.ring.as_ref().map_or(0, |_| size_of::<Ring>());
        let parked = self.parked.len() * size_of::<(u64, Bucket)>();
        self.front.entries.capacity() * size_of::<OpenEntry>() + ring + parked + self.runs.bytes()
    }
}
