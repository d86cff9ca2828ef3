//! A sparse table over node ids whose memory follows the ids touched.

use crate::NodeId;

/// Records in a page: on a grid, so many cells of a row.
const PAGE: usize = 32;

type Page<T> = Box<[T; PAGE]>;

/// A table with a default value everywhere, in which only touched pages take memory.
///
/// Records never move: a page is allocated when the first of its records is touched and stays where
/// it is. Only the list of pages grows by doubling, one pointer for each page between the lowest and
/// the highest id touched; a search that stays in one part of a large map pays for that part.
///
/// One level of pointers, because this is the innermost loop of every search: with a second level,
/// which would make the list itself sparse, an A* search took a sixth longer.
#[derive(Clone, Debug)]
pub(crate) struct Paged<T> {
    /// The number of the first page in the list.
    first: usize,
    pages: Vec<Option<Page<T>>>,
    /// Pages that are allocated.
    used: usize,
}

impl<T> Default for Paged<T> {
    fn default() -> Paged<T> {
        Paged { first: 0, pages: Vec::new(), used: 0 }
    }
}

impl<T: Copy + Default> Paged<T> {
    /// The record of a node, if its page has been touched.
    #[inline]
    pub fn find(&self, node: NodeId) -> Option<&T> {
        let page = self.pages.get((node.index() / PAGE).wrapping_sub(self.first))?.as_ref()?;
        Some(&page[node.index() % PAGE])
    }

    /// The record of a node, or the default.
    #[inline]
    pub fn get(&self, node: NodeId) -> T {
        self.find(node).copied().unwrap_or_default()
    }

    /// The record of a node, to change it, if its page has been touched.
    #[inline]
    pub fn find_mut(&mut self, node: NodeId) -> Option<&mut T> {
        let page = self.pages.get_mut((node.index() / PAGE).wrapping_sub(self.first))?.as_mut()?;
        Some(&mut page[node.index() % PAGE])
    }

    /// The record of a node, to change it.
    pub fn get_mut(&mut self, node: NodeId) -> &mut T {
        if self.find(node).is_none() {
            self.touch(node);
        }
        self.find_mut(node).expect("touched just now")
    }

    /// Allocates the page of a node that has none, and makes the list longer if need be.
    #[cold]
    #[inline(never)]
    pub fn touch(&mut self, node: NodeId) -> &mut T {
        let number = node.index() / PAGE;
        if self.pages.is_empty() {
            self.first = number;
        }
        // Room for as many more again on the side where it was missing.
        let more = self.pages.len().max(8);
        if number < self.first {
            let added = self.first - number.min(self.first.saturating_sub(more));
            self.pages.splice(..0, std::iter::repeat_with(|| None).take(added));
            self.first -= added;
        } else if number >= self.first + self.pages.len() {
            let len = (number - self.first + 1).max(self.pages.len() + more);
            self.pages.reserve_exact(len - self.pages.len());
            self.pages.resize_with(len, || None);
        }
        self.used += 1;
        let page = self.pages[number - self.first].insert(Box::new([T::default(); PAGE]));
        &mut page[node.index() % PAGE]
    }

    /// Gives all pages back.
    pub fn clear(&mut self) {
        *self = Paged::default();
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        self.pages.capacity() * size_of::<Option<Page<T>>>() + self.used * size_of::<[T; PAGE]>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn memory_follows_what_is_touched() {
        let mut table = Paged::<u64>::default();
        assert_eq!(table.bytes(), 0);
        let far = 4096 * 4096 - 1;
        *table.get_mut(NodeId(far)) = 7;
        *table.get_mut(NodeId(far - 100)) = 8;
        assert!(table.bytes() < 2000, "two records take {} bytes", table.bytes());
        assert_eq!((table.get(NodeId(far)), table.get(NodeId(far - 100))), (7, 8));
        assert_eq!((table.get(NodeId(0)), table.get(NodeId(u32::MAX))), (0, 0));
        table.clear();
        assert_eq!((table.get(NodeId(far)), table.bytes()), (0, 0));
    }

    proptest! {
        #[test]
        fn it_is_a_map_from_nodes_to_records(
            writes in prop::collection::vec((prop_oneof![0_u32..3000, any::<u32>()
                .prop_map(|id| id % 10_000_000)], any::<u64>()), 0..200),
        ) {
            let mut table = Paged::<u64>::default();
            let mut model = std::collections::HashMap::new();
            for (id, value) in writes {
                *table.get_mut(NodeId(id)) = value;
                model.insert(id, value);
            }
            for (&id, &value) in &model {
                prop_assert_eq!(table.get(NodeId(id)), value);
                prop_assert_eq!(
                    table.get(NodeId(id + 1)),
                    model.get(&(id + 1)).copied().unwrap_or_default()
                );
            }
        }
    }
}
