//! The open list as a ring of buckets by key, with the best few entries sorted.

use super::front::Front;
use super::runs::{CHUNK, CHUNKS, Chunk, RUN, Runs, count_left};
use super::slab::{NONE, Slabs};
use super::{Open, OpenEntry, Serial};
use crate::{Cost, NodeId};

/// The number of buckets in the ring, one bit of `filled` each.
const BUCKETS: u64 = 128;
/// No more entries of a heap than these are taken at a time. (Longer runs are faster on average, but a refill takes
/// longer: with runs of 128 entries, A* took 0.95 of the time, and one in a thousand ticks of ten expansions ten times
/// the median instead of six. With 32, A* takes 5 % and weighted A* 9 % more instructions.)
const SORTED: usize = RUN * 3 / 4;
/// Entries are inserted among those of `front` while there are fewer of them than this.
const MIDDLE: usize = RUN / 2;
/// `front` is cut when it has as many entries.
const LIMIT: usize = 2 * RUN;
/// A refill that has found only stale entries is interrupted after as many.
const STALE: usize = if cfg!(test) { 4 * RUN } else { 16 * RUN };
/// A refill that has dropped as many stale entries is reported to the search, which pays for it.
const MANY: usize = 2 * RUN;
/// One run of a large bucket is swept when as many of its entries have become stale.
const SWEEP: u16 = (RUN / 2) as u16;

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
/// does not, several buckets compete for a place: the one that was used last has it, and the entries of the others are
/// parked, a whole ring of buckets in one.
///
/// Keys that fall, as in weighted and greedy searches, are inserted among the entries of `front`, over several buckets;
/// when that becomes expensive, its worse half returns to the ring.
///
/// # Bounds
/// A large bucket is a heap of runs. The best run is sorted when its turn comes; then its entries are taken one after the
/// other, as long as they are better than those of the next run. Before that, entries are not sorted, as for most it never
/// becomes necessary.
///
/// Stale entries are removed in three places: from a run that becomes too long; from one run of a large bucket whenever
/// [`SWEEP`] of its entries have become stale, so that about as many live as stale ones are left when its turn comes;
/// and when a run is sorted. A refill that finds only stale entries is interrupted after [`STALE`] of them. So no
/// operation handles more than about twenty times [`RUN`] entries.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buckets {
    /// Better than every entry in a bucket.
    front: Front,
    /// Allocated when it is first needed.
    ring: Option<Box<Ring>>,
    /// The places in the ring whose buckets are not empty.
    filled: u128,
    /// What has lost its place in the ring, the largest numbers first. None is empty.
    parked: Vec<Parked>,
    runs: Runs,
    shift: u32,
    /// No bucket with a smaller number has entries.
    turn: u64,
    /// Nor has the bucket with this number.
    turn_done: bool,
    /// The number of entries that the last refill visited in vain, nearly all of them stale.
    dropped: usize,
    /// The number of the bucket that must be compacted, and of the one of which a run is to be swept.
    too_long: Option<u64>,
    to_sweep: Option<u64>,
    serial: Serial,
}

type Ring = [Bucket; BUCKETS as usize];

/// The entries of up to [`BUCKETS`] consecutive buckets that have lost their places in the ring. They are kept together,
/// as most of these buckets have few entries.
#[derive(Clone, Debug)]
struct Parked {
    /// Its number is that of any of these buckets divided by [`BUCKETS`].
    bucket: Bucket,
    /// The smallest key.
    least: u64,
}

/// The entries with one bucket number: the latest in an open run, the others in a heap of runs.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    /// Meaningless if it is empty.
    number: u64,
    /// The run to which entries are added.
    run: u32,
    /// The number of entries in its first chunk, or [`CHUNK`] if there is none.
    used: u8,
    /// The number of its chunks.
    chunks: u8,
    /// The number of entries that have become stale since a run was last swept.
    stale: u16,
    /// The full runs.
    heap: u32,
    /// Those that have been swept since this was last empty. It is empty while the bucket is the first.
    swept: u32,
}

impl Bucket {
    const EMPTY: Bucket = Bucket {
        number: 0,
        run: NONE,
        used: CHUNK as u8,
        chunks: 0,
        stale: 0,
        heap: NONE,
        swept: NONE,
    };

    #[inline]
    fn is_empty(&self) -> bool {
        self.run == NONE && self.heap == NONE && self.swept == NONE
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

    /// Inserts an entry into a new chunk, and returns whether the run is too long now. It is moved to the heap first if
    /// it is full and `may_exceed` is not set.
    fn extend(&mut self, runs: &mut Runs, entry: OpenEntry, may_exceed: bool) -> bool {
        let is_full = usize::from(self.chunks) == CHUNKS;
        if is_full && !may_exceed {
            let heap = runs.close(self.run, CHUNK);
            self.heap = runs.merge(self.heap, heap);
            (self.run, self.chunks) = (NONE, 0);
        }
        self.run = runs.extend(self.run, entry);
        (self.used, self.chunks) = (1, self.chunks + 1);
        is_full && may_exceed
    }

    /// Inserts an entry; a run that is full is moved to the heap first.
    fn insert(&mut self, runs: &mut Runs, entry: OpenEntry) {
        if self.has_space() {
            self.append(runs, entry);
        } else {
            self.extend(runs, entry, false);
        }
    }

    /// Removes stale entries from a run that is too long. What is left is moved to the heap, except for the latest entry,
    /// unless it is half of a run or less.
    ///
    /// Most entries that become stale do so soon, as a neighbor of the node is expanded that is closer to the start. In
    /// large buckets these are nearly all.
    fn compact(&mut self, runs: &mut Runs, live: impl Fn(&OpenEntry) -> bool) {
        debug_assert!(usize::from(self.chunks) == CHUNKS + 1, "too long by one chunk");
        let mut left = [OpenEntry::default(); RUN + 1];
        let mut len = 0;
        runs.drain(self.run, usize::from(self.used), |entries| {
            for entry in entries {
                left[len] = *entry;
                len += usize::from(live(entry));
            }
        });
        // The chunk with the latest entry came first.
        let keep = if len <= RUN / 2 { len } else { 1 };
        if keep < len {
            let (run, used) = runs.collect(&left[keep..len]);
            let heap = runs.close(run, used);
            self.heap = runs.merge(self.heap, heap);
        }
        let (run, used) = runs.collect(&left[..keep]);
        (self.run, self.used, self.chunks) = (run, used as u8, keep.div_ceil(CHUNK) as u8);
    }

    /// Removes stale entries from one of the full runs, each in turn. If few are left, they are inserted again.
    fn sweep(&mut self, runs: &mut Runs, live: impl Fn(&OpenEntry) -> bool) {
        if self.heap == NONE {
            std::mem::swap(&mut self.heap, &mut self.swept);
        }
        if self.heap == NONE {
            return;
        }
        let mut left = [OpenEntry::default(); RUN];
        let mut len = 0;
        self.heap = runs.pop(self.heap, |entries| {
            for entry in entries {
                left[len % RUN] = *entry;
                len += usize::from(live(entry));
            }
        });
        if len > RUN / 2 {
            let (run, used) = runs.collect(&left[..len]);
            let heap = runs.close(run, used);
            self.swept = runs.merge(self.swept, heap);
            return;
        }
        for entry in &left[..len] {
            self.insert(runs, *entry);
        }
    }

    /// Takes all entries of another bucket.
    fn absorb(&mut self, runs: &mut Runs, other: Bucket) {
        self.heap = runs.merge(self.heap, other.heap);
        self.heap = runs.merge(self.heap, other.swept);
        let mut entries = [OpenEntry::default(); RUN];
        let mut len = 0;
        runs.drain(other.run, usize::from(other.used), |some| {
            entries[len..len + some.len()].copy_from_slice(some);
            len += some.len();
        });
        for entry in &entries[..len] {
            self.insert(runs, *entry);
        }
    }

    /// Moves the open run to the heap, unless it is short, so that it is not searched again and again.
    fn close_open_run(&mut self, runs: &mut Runs) {
        if usize::from(self.chunks) * CHUNK + usize::from(self.used) >= CHUNK + RUN / 8 {
            let heap = runs.close(self.run, usize::from(self.used));
            self.heap = runs.merge(self.heap, heap);
            (self.run, self.used, self.chunks) = (NONE, CHUNK as u8, 0);
        }
    }

    /// The smallest key.
    fn least(&self, runs: &Runs) -> Option<u64> {
        let heaps = [self.heap, self.swept].into_iter().filter(|&heap| heap != NONE);
        let mut least = heaps.map(|heap| runs.best(heap).key).min();
        runs.for_each(self.run, usize::from(self.used), &mut |entry| {
            least = Some(least.map_or(entry.key, |least| least.min(entry.key)));
        });
        least
    }

    /// Moves entries to `front`, sorted, that are better than all others, as far as their keys do not exceed `limit`.
    /// Stale ones are dropped. Returns the number of entries visited in vain. It may be that all of them were, and others
    /// are left.
    fn take_best(
        &mut self,
        runs: &mut Runs,
        front: &mut Front,
        limit: u64,
        live: impl Fn(&OpenEntry) -> bool,
    ) -> usize {
        if self.swept != NONE {
            self.heap = runs.merge(self.heap, self.swept);
            self.swept = NONE;
        }
        if self.heap != NONE || limit != u64::MAX {
            self.close_open_run(runs);
            return self.take_runs(runs, front, limit, live);
        }
        let mut visited = 0;
        runs.drain(self.run, usize::from(self.used), |entries| {
            visited += entries.len();
            front.take_live(entries, &live);
        });
        (self.run, self.used, self.chunks) = (NONE, CHUNK as u8, 0);
        front.sort();
        visited - front.len()
    }

    /// Takes entries from the best run of the heap, and those of the open run that are better than the rest of the heap.
    #[inline(never)]
    fn take_runs(
        &mut self,
        runs: &mut Runs,
        front: &mut Front,
        limit: u64,
        live: impl Fn(&OpenEntry) -> bool,
    ) -> usize {
        let mut in_vain = 0;
        while self.heap != NONE && runs.best(self.heap).key <= limit {
            if in_vain >= STALE {
                return in_vain;
            }
            let mut visited = 0;
            if runs.is_sorted(self.heap) {
                self.heap = runs.take_sorted(self.heap, limit, |entries| {
                    visited += entries.len();
                    front.take_live(entries, &live);
                });
                in_vain += visited - front.len();
            } else {
                self.heap = runs.pop(self.heap, |entries| {
                    visited += entries.len();
                    front.take_live(entries, &live);
                });
                in_vain += visited - front.len();
                front.sort();
                let other = (self.heap != NONE).then(|| runs.best(self.heap));
                let left = count_left(front.entries(), other, limit);
                let left = left.max(front.len().saturating_sub(SORTED));
                if left > 0 {
                    self.heap = runs.add_sorted(self.heap, &front.entries()[..left]);
                    front.remove(left);
                }
            }
            if front.len() > 0 {
                break;
            }
        }
        let visited = self.take_open(runs, front, limit, &live);
        in_vain + if front.len() > 0 { 0 } else { visited }
    }

    /// Moves those entries of the open run to `front` that are better than the best of the heap. Returns how many were
    /// visited.
    fn take_open(
        &mut self,
        runs: &mut Runs,
        front: &mut Front,
        limit: u64,
        live: impl Fn(&OpenEntry) -> bool,
    ) -> usize {
        let best = (self.heap != NONE).then(|| *runs.best(self.heap));
        let is_taken =
            |entry: &OpenEntry| entry.key <= limit && best.is_none_or(|best| entry.before(&best));
        let (mut any, mut visited) = (false, 0);
        runs.for_each(self.run, usize::from(self.used), &mut |entry| {
            any |= is_taken(entry);
            visited += 1;
        });
        runs.count(visited);
        if !any {
            return visited;
        }
        let mut left = [OpenEntry::default(); RUN];
        let mut len = 0;
        let sorted = front.len();
        runs.drain(self.run, usize::from(self.used), |entries| {
            for entry in entries {
                if !is_taken(entry) {
                    left[len] = *entry;
                    len += 1;
                } else if live(entry) {
                    front.push(*entry);
                }
            }
        });
        if front.len() > sorted {
            front.sort();
        }
        let (run, used) = runs.collect(&left[..len]);
        (self.run, self.used, self.chunks) = (run, used as u8, len.div_ceil(CHUNK) as u8);
        visited
    }
}

#[cold]
#[inline(never)]
fn new_ring() -> Box<Ring> {
    // Not `Box::new`, which would build it on the stack and copy it.
    let ring = vec![Bucket::EMPTY; BUCKETS as usize].into_boxed_slice();
    ring.try_into().expect("as many as a ring has")
}

/// Parks a bucket that is not empty.
#[cold]
fn park(parked: &mut Vec<Parked>, runs: &mut Runs, bucket: Bucket) {
    let number = bucket.number / BUCKETS;
    let at = parked.partition_point(|parked| parked.bucket.number > number);
    if parked.get(at).is_none_or(|parked| parked.bucket.number != number) {
        // In most cases it is among the last.
        let bucket = Bucket { number, ..Bucket::EMPTY };
        parked.insert(at, Parked { bucket, least: u64::MAX });
    }
    let least = bucket.least(runs).unwrap_or(u64::MAX);
    parked[at].least = parked[at].least.min(least);
    parked[at].bucket.absorb(runs, bucket);
}

#[inline]
fn place(number: u64) -> usize {
    (number % BUCKETS) as usize
}

/// The number of times that one operation may visit or move an entry.
#[cfg(test)]
pub(super) const MOST_VISITS: usize = 20 * RUN;

impl Buckets {
    /// The memory of its entries, to be taken from a pool or returned.
    pub(super) fn memory(&self) -> &Slabs<Chunk> {
        self.runs.memory()
    }

    pub(super) fn memory_mut(&mut self) -> &mut Slabs<Chunk> {
        self.runs.memory_mut()
    }

    /// Returns its memory. The list must be cleared before it is used again.
    pub(super) fn release(&mut self) {
        let mut runs = std::mem::take(&mut self.runs);
        runs.memory_mut().release();
        *self = Buckets { runs, ..Buckets::default() };
    }

    /// The number of times that an entry was visited or moved.
    #[cfg(test)]
    pub(super) fn work(&self) -> usize {
        self.runs.work
    }

    #[inline(always)]
    fn push_to_ring<const MAY_EXCEED: bool>(&mut self, number: u64, entry: OpenEntry) -> bool {
        if let Some(ring) = &mut self.ring {
            let bucket = &mut ring[place(number)];
            if bucket.number == number && bucket.has_space() {
                bucket.append(&mut self.runs, entry);
                return false;
            }
        }
        self.push_to_bucket::<MAY_EXCEED>(number, entry.key, entry.g, entry.tail)
    }

    /// Inserts where a chunk is full, or the bucket does not have its place in the ring. The entry is passed in
    /// registers.
    #[inline(never)]
    fn push_to_bucket<const MAY_EXCEED: bool>(
        &mut self,
        number: u64,
        key: u64,
        g: Cost,
        tail: u64,
    ) -> bool {
        let ring = self.ring.get_or_insert_with(new_ring);
        let bucket = &mut ring[place(number)];
        if bucket.number != number {
            if bucket.is_empty() {
                bucket.number = number;
            } else {
                let old = std::mem::replace(bucket, Bucket { number, ..Bucket::EMPTY });
                park(&mut self.parked, &mut self.runs, old);
            }
        }
        self.filled |= 1 << place(number);
        let entry = OpenEntry { key, g, tail };
        if bucket.has_space() {
            bucket.append(&mut self.runs, entry);
            return false;
        }
        let exceeds = bucket.extend(&mut self.runs, entry, MAY_EXCEED);
        if exceeds {
            self.too_long = Some(number);
        }
        exceeds
    }

    /// Inserts an entry that belongs to the first bucket or before it, and is not better than all others. The entry is
    /// passed in registers.
    #[inline(never)]
    fn insert_late(&mut self, number: u64, key: u64, g: Cost, tail: u64) -> bool {
        let entry = OpenEntry { key, g, tail };
        if self.turn_done || self.front.entries().first().is_some_and(|worst| entry.before(worst)) {
            self.runs.count(self.front.len());
            self.front.insert(entry);
            if self.front.len() >= MIDDLE {
                self.cut_front();
            }
            false
        } else {
            self.turn = number;
            self.push_to_ring::<true>(number, entry)
        }
    }

    /// Moves the worse half of `front` back into the ring.
    #[cold]
    #[inline(never)]
    fn cut_front(&mut self) {
        let half = self.front.len() / 2;
        self.turn = self.front.entries()[half - 1].key >> self.shift;
        self.turn_done = false;
        for i in 0..half {
            let entry = self.front.entries()[i];
            self.push_to_ring::<false>(entry.key >> self.shift, entry);
        }
        self.front.remove(half);
    }

    /// Fills the empty `front` with the best entries of the first bucket. If it is empty still, and the list is not, there
    /// have been many stale entries: the next call goes on.
    #[inline(never)]
    fn refill(&mut self, live: impl Fn(&OpenEntry) -> bool) {
        self.dropped = 0;
        while let Some((first, ring)) = self.first().zip(self.ring.as_mut()) {
            self.turn = first;
            let (runs, front) = (&mut self.runs, &mut self.front);
            let bucket = &mut ring[place(first)];
            let bit = 1 << place(first);
            let shift = self.shift;
            let is_parked = self.parked.last().is_some_and(|parked| parked.least >> shift == first);
            let (source, limit) = match self.parked.last_mut() {
                Some(parked) if is_parked => {
                    if bucket.number == first && !bucket.is_empty() {
                        parked.bucket.absorb(runs, std::mem::replace(bucket, Bucket::EMPTY));
                        self.filled &= !bit;
                    }
                    parked.bucket.close_open_run(runs);
                    (&mut parked.bucket, first << shift | ((1 << shift) - 1))
                }
                _ => (bucket, u64::MAX),
            };
            self.dropped += source.take_best(runs, front, limit, &live);
            if is_parked {
                let least = source.least(runs);
                self.turn_done = least.is_none_or(|least| least >> shift != first);
                match (least, self.parked.last_mut()) {
                    (Some(least), Some(parked)) => parked.least = least,
                    _ => self.parked.truncate(self.parked.len() - 1),
                }
            } else {
                self.turn_done = source.is_empty();
                if self.turn_done {
                    self.filled &= !bit;
                }
            }
            if self.front.len() > 0 || self.dropped >= STALE {
                return;
            }
        }
    }

    /// The number of the first bucket that has entries.
    fn first(&self) -> Option<u64> {
        let mut least = self.parked.last().map(|parked| parked.least >> self.shift);
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
        self.front.clear();
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
    fn insert(&mut self, key: u64, g: Cost, node: NodeId) -> bool {
        let entry = self.serial.entry(key, g, node);
        let number = key >> self.shift;
        if number > self.turn {
            self.push_to_ring::<true>(number, entry)
        } else if self.front.best().is_some_and(|best| entry.before(best)) {
            // In A*, nearly always.
            self.front.push(entry);
            if self.front.len() >= LIMIT {
                self.cut_front();
            }
            false
        } else {
            self.insert_late(number, key, g, entry.tail)
        }
    }

    #[cold]
    #[inline(never)]
    fn compact(&mut self, live: impl Fn(&OpenEntry) -> bool) {
        let Some(ring) = &mut self.ring else { return };
        if let Some(number) = self.too_long.take() {
            ring[place(number)].compact(&mut self.runs, &live);
        }
        if let Some(number) = self.to_sweep.take() {
            let bucket = &mut ring[place(number)];
            if bucket.number == number && number > self.turn {
                bucket.sweep(&mut self.runs, &live);
            }
        }
    }

    #[inline(always)]
    fn note_stale(&mut self, key: u64) -> bool {
        let number = key >> self.shift;
        if let Some(ring) = &mut self.ring {
            let bucket = &mut ring[place(number)];
            // Whether it is the right bucket is checked when it is swept.
            bucket.stale += 1;
            if bucket.stale == SWEEP {
                bucket.stale = 0;
                self.to_sweep = Some(number);
                return true;
            }
        }
        false
    }

    #[inline]
    fn peek(&mut self, live: impl Fn(&OpenEntry) -> bool) -> Option<OpenEntry> {
        if self.front.len() == 0 {
            self.refill(live);
            if self.dropped >= MANY {
                return None;
            }
        }
        self.front.best().copied()
    }

    fn dropped(&self) -> usize {
        self.dropped
    }

    fn is_empty(&self) -> bool {
        self.front.len() == 0 && self.filled == 0 && self.parked.is_empty()
    }

    #[inline]
    fn pop(&mut self) {
        self.front.pop();
    }

    fn for_each(&self, mut visit: impl FnMut(&OpenEntry)) {
        self.front.entries().iter().for_each(&mut visit);
        let ring = self.ring.iter().flat_map(|ring| ring.iter());
        for bucket in ring.chain(self.parked.iter().map(|parked| &parked.bucket)) {
            self.runs.for_each(bucket.run, usize::from(bucket.used), &mut visit);
            self.runs.for_each_in_heap(bucket.heap, &mut visit);
            self.runs.for_each_in_heap(bucket.swept, &mut visit);
        }
    }

    fn bytes(&self) -> usize {
        let ring = self.ring.as_ref().map_or(0, |_| size_of::<Ring>());
        let parked = self.parked.capacity() * size_of::<Parked>();
        self.front.bytes() + ring + parked + self.runs.bytes()
    }
}
