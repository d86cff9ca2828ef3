//! The best entries of an open list, sorted.

use super::OpenEntry;

/// Entries in order, best last. The memory after them is kept initialized, so that entries can be written there before
/// it is known whether they stay.
#[derive(Clone, Debug, Default)]
pub(super) struct Front {
    /// Those after the first `len` are meaningless.
    entries: Vec<OpenEntry>,
    len: usize,
}

/// The number of entries for which memory is allocated at first.
const LEAST: usize = 32;

impl Front {
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub fn entries(&self) -> &[OpenEntry] {
        &self.entries[..self.len]
    }

    #[inline]
    pub fn entries_mut(&mut self) -> &mut [OpenEntry] {
        &mut self.entries[..self.len]
    }

    #[inline]
    pub fn best(&self) -> Option<&OpenEntry> {
        self.entries.get(self.len.wrapping_sub(1))
    }

    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Removes the best entry.
    #[inline]
    pub fn pop(&mut self) {
        self.len = self.len.saturating_sub(1);
    }

    /// Adds an entry that is better than all others.
    #[inline(always)]
    pub fn push(&mut self, entry: OpenEntry) {
        if self.len == self.entries.len() {
            self.grow(self.len + 1);
        }
        self.entries[self.len] = entry;
        self.len += 1;
    }

    /// Inserts an entry in order. Most are inserted near the end; and moving one entry at a time is faster than moving
    /// memory, as the processor would have to wait until what has just been written one way can be read another way.
    pub fn insert(&mut self, entry: OpenEntry) {
        self.push(entry);
        let entries = self.entries_mut();
        let mut at = entries.len() - 1;
        while at > 0 && entries[at - 1].before(&entry) {
            entries[at] = entries[at - 1];
            at -= 1;
        }
        entries[at] = entry;
    }

    /// Adds those entries that are live, without regard to order. There are no branches, as every second entry may be
    /// stale.
    #[inline]
    pub fn take_live(&mut self, entries: &[OpenEntry], live: impl Fn(&OpenEntry) -> bool) {
        if self.len + entries.len() > self.entries.len() {
            self.grow(self.len + entries.len());
        }
        let mut len = self.len;
        for entry in entries {
            self.entries[len] = *entry;
            len += usize::from(live(entry));
        }
        self.len = len;
    }

    pub fn sort(&mut self) {
        self.entries_mut().sort_unstable_by(|a, b| OpenEntry::order(b, a));
    }

    /// Removes the first entries.
    pub fn remove(&mut self, count: usize) {
        self.entries.copy_within(count..self.len, 0);
        self.len -= count;
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<OpenEntry>()
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, len: usize) {
        let len = len.max(2 * self.entries.len()).max(LEAST);
        self.entries.reserve_exact(len - self.entries.len());
        self.entries.resize(len, OpenEntry::default());
    }
}
