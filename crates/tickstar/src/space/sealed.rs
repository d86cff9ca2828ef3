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
}

/// Only this crate can construct it, so only this crate can implement or call functions that take it.
#[derive(Clone, Copy, Debug)]
pub struct Sealed;
