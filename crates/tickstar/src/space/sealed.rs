//! Types that only this crate can name, so that only its maps can omit neighbors.

/// Which neighbors of a node may be omitted in a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Skip {
    /// The parent, and any node that the parent has an edge to at no greater cost than over this node: the search has
    /// already generated it.
    Seen,
    /// Also any node to which two edges lead from the parent, over a third node, at a cost strictly lower than over
    /// this node. That is sound only for A*, on a map that does not change during the search: the third node is on the
    /// open list with a smaller key, and will be expanded before the more expensive path could be used.
    Beaten,
    /// Also any node to which a diagonal and then a straight edge lead from the parent, where a straight and then a
    /// diagonal one lead there over this node, at the same cost: of the paths that differ only in the order of such
    /// steps, one is left, the one with its diagonal steps first. With four neighbors, horizontal steps come first.
    /// Sound for A* alone, on a map that does not change during the search; the proof is in `space/grid.rs`.
    Canonical,
}

/// Only this crate can construct it, so only this crate can implement or call functions that take it.
#[derive(Clone, Copy, Debug)]
pub struct Sealed;
