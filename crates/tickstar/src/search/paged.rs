//! A sparse table over node ids whose memory follows the ids touched.

use crate::NodeId;

/// Records in a page: on a grid, a square of four by four cells.
const PAGE: usize = 16;
/// Pages in a block: on a grid, a square of eight by eight pages.
const BLOCK: usize = 64;

type Page<T> = Box<[T; PAGE]>;
type Block<T> = Box<[Option<Page<T>>; BLOCK]>;

/// A table with a default value everywhere, in which only touched pages take memory.
///
/// Two levels of pointers, so that an empty table is a few bytes for each 1024 nodes of the map.
/// Records never move, and growing allocates one page of fixed size, and now and then a block: no
/// tick pays for the nodes touched in earlier ones.
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

/// The number of a node's block.
#[inline]
fn block_of(node: NodeId) -> usize {
    node.index() / (PAGE * BLOCK)
}

/// The place of a node's page in its block.
#[inline]
fn page_of(node: NodeId) -> usize {
    node.index() / PAGE % BLOCK
}

impl<T: Copy + Default> Paged<T> {
    /// Makes room for ids below `size`, all at once, so that no tick has to.
    pub fn cover(&mut self, size: usize) {
        let blocks = size.div_ceil(PAGE * BLOCK);
        if self.blocks.len() < blocks {
            self.blocks.reserve_exact(blocks - self.blocks.len());
            self.blocks.resize_with(blocks, || None);
        }
    }

    /// The record of a node, if its page has been touched.
    #[inline]
    pub fn find(&self, node: NodeId) -> Option<&T> {
        let block = self.blocks.get(block_of(node))?.as_ref()?;
        Some(&block[page_of(node)].as_ref()?[node.index() % PAGE])
    }

    /// A view of the table that is quicker for nodes near this one, whose page has been touched.
    #[inline]
    pub fn near(&self, node: NodeId) -> Near<'_, T> {
        let number = block_of(node);
        let block = self.blocks[number].as_ref().expect("the page has been touched");
        Near { table: self, number, block }
    }

    /// The record of a node, or the default.
    #[inline]
    pub fn get(&self, node: NodeId) -> T {
        self.find(node).copied().unwrap_or_default()
    }

    /// The record of a node, to change it, if its page has been touched.
    #[inline]
    pub fn find_mut(&mut self, node: NodeId) -> Option<&mut T> {
        let block = self.blocks.get_mut(block_of(node))?.as_mut()?;
        Some(&mut block[page_of(node)].as_mut()?[node.index() % PAGE])
    }

    /// The record of a node, to change it; its page is allocated if it is not there. The id must be
    /// below the size covered.
    #[cold]
    #[inline(never)]
    pub fn touch(&mut self, node: NodeId) -> &mut T {
        let block = self.blocks[block_of(node)].get_or_insert_with(|| {
            self.used_blocks += 1;
            Box::new([const { None }; BLOCK])
        });
        let page = block[page_of(node)].get_or_insert_with(|| {
            self.used_pages += 1;
            Box::new([T::default(); PAGE])
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

/// A view of a table from one block: nodes in the same block are found one look-up sooner. This is
/// the innermost loop of every search, and on a grid nearly all neighbours are in the same block.
pub(crate) struct Near<'t, T> {
    table: &'t Paged<T>,
    number: usize,
    block: &'t Block<T>,
}

impl<T: Copy + Default> Near<'_, T> {
    /// The record of a node, if its page has been touched.
    #[inline]
    pub fn find(&self, node: NodeId) -> Option<&T> {
        if block_of(node) != self.number {
            return self.find_far(node);
        }
        Some(&self.block[page_of(node)].as_ref()?[node.index() % PAGE])
    }

    #[cold]
    #[inline(never)]
    fn find_far(&self, node: NodeId) -> Option<&T> {
        self.table.find(node)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn memory_follows_what_is_touched() {
        let mut table = Paged::<u64>::default();
        table.cover(4096 * 4096);
        let empty = table.bytes();
        assert!(empty <= 4 * 4096 * 8, "the empty table takes {empty} bytes");
        *table.touch(NodeId(5)) = 7;
        *table.touch(NodeId(70_000)) = 8;
        assert_eq!(table.bytes() - empty, 2 * (64 * 8 + 16 * 8));
        assert_eq!((table.get(NodeId(5)), table.get(NodeId(70_000))), (7, 8));
        assert_eq!((table.get(NodeId(6)), table.get(NodeId(u32::MAX))), (0, 0));
        table.clear();
        assert_eq!((table.get(NodeId(5)), table.bytes()), (0, empty));
    }

    proptest! {
        #[test]
        fn it_is_a_map_from_nodes_to_records(
            writes in prop::collection::vec((0_u32..20_000, any::<u64>()), 1..200),
        ) {
            let mut table = Paged::<u64>::default();
            table.cover(20_001);
            let mut model = std::collections::HashMap::new();
            for &(id, value) in &writes {
                *table.touch(NodeId(id)) = value;
                model.insert(id, value);
            }
            let near = table.near(NodeId(writes[0].0));
            for &id in model.keys() {
                for id in [id, id + 1] {
                    let expected = model.get(&id).copied().unwrap_or_default();
                    prop_assert_eq!(table.get(NodeId(id)), expected);
                    prop_assert_eq!(near.find(NodeId(id)).copied().unwrap_or_default(), expected);
                }
            }
        }
    }
}
