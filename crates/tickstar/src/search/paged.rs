//! A sparse table over node ids whose memory follows the ids touched.

use crate::NodeId;

/// Records in a page: on a grid, one square tile of eight by eight cells.
const PAGE: usize = 32;
/// Pages in a block: on a grid, eight by eight tiles side by side or fewer.
const BLOCK: usize = 64;

type Page<T> = Box<[T; PAGE]>;
type Block<T> = Box<[Option<Page<T>>; BLOCK]>;

/// A table with a default value everywhere, in which only touched pages take memory.
///
/// Two levels of pointers, so that the table of a fresh search is a few bytes for each 4096 nodes of
/// the map, and growing allocates one page of fixed size and moves nothing: no tick pays for the
/// nodes touched in earlier ones.
#[derive(Clone, Debug)]
pub(crate) struct Paged<T> {
    blocks: Vec<Option<Block<T>>>,
    used_blocks: usize,
    used_pages: usize,
}

impl<T> Default for Paged<T> {
    fn default() -> Paged<T> {
        Paged { blocks: Vec::new(), used_blocks: 0, used_pages: 0 }
    }
}

impl<T: Copy + Default> Paged<T> {
    /// Makes room for ids below `size`; touches nothing that is there.
    pub fn cover(&mut self, size: usize) {
        let blocks = size.div_ceil(PAGE * BLOCK);
        if self.blocks.len() < blocks {
            self.blocks.resize_with(blocks, || None);
        }
    }

    /// The record of a node, if its page has been touched.
    #[inline]
    pub fn find(&self, node: NodeId) -> Option<&T> {
        let block = self.blocks.get(node.index() / (PAGE * BLOCK))?.as_ref()?;
        let page = block[node.index() / PAGE % BLOCK].as_ref()?;
        Some(&page[node.index() % PAGE])
    }

    /// The record of a node, or the default.
    #[inline]
    pub fn get(&self, node: NodeId) -> T {
        self.find(node).copied().unwrap_or_default()
    }

    /// The record of a node, to change it. The id must be below the size covered.
    #[inline]
    pub fn get_mut(&mut self, node: NodeId) -> &mut T {
        let block = self.blocks[node.index() / (PAGE * BLOCK)].get_or_insert_with(|| {
            self.used_blocks += 1;
            new_block()
        });
        let page = block[node.index() / PAGE % BLOCK].get_or_insert_with(|| {
            self.used_pages += 1;
            new_page()
        });
        &mut page[node.index() % PAGE]
    }

    /// Gives all pages back.
    pub fn clear(&mut self) {
        self.blocks.iter_mut().for_each(|block| *block = None);
        self.used_blocks = 0;
        self.used_pages = 0;
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Option<Block<T>>>()
            + self.used_blocks * size_of::<[Option<Page<T>>; BLOCK]>()
            + self.used_pages * size_of::<[T; PAGE]>()
    }
}

#[cold]
fn new_block<T>() -> Block<T> {
    Box::new([const { None }; BLOCK])
}

#[cold]
#[allow(clippy::unnecessary_box_returns)] // pages live in boxes
fn new_page<T: Copy + Default>() -> Page<T> {
    Box::new([T::default(); PAGE])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_follows_what_is_touched() {
        let mut table = Paged::<u64>::default();
        table.cover(4096 * 4096);
        let empty = table.bytes();
        assert!(empty <= 4096 * 8, "the empty table takes {empty} bytes");
        *table.get_mut(NodeId(5)) = 7;
        *table.get_mut(NodeId(70_000)) = 8;
        assert_eq!(table.bytes() - empty, 2 * (64 * 8 + 64 * 8));
        assert_eq!(table.get(NodeId(5)), 7);
        assert_eq!(table.get(NodeId(70_000)), 8);
        assert_eq!(table.get(NodeId(6)), 0);
        assert_eq!(table.get(NodeId(u32::MAX)), 0);
        table.clear();
        assert_eq!((table.get(NodeId(5)), table.bytes()), (0, empty));
    }
}
