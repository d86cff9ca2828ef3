//! What only this crate can name, so that only its maps can omit neighbors.

/// Which neighbors of a node a search need not be shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Skip {
    /// The parent, and any node that an edge leads to straight from the parent at no greater cost
    /// than over this node: the search has been there.
    Seen,
    /// Also any node to which two edges lead from the parent, over a third node, at a cost strictly
    /// lower than over this node. That is sound for A* alone, and on a map that does not change
    /// during the search: the third node is on the open list with a smaller key, and will be
    /// expanded before the dearer way could ever come to its turn.
    Beaten,
}

/// Only this crate can make one, so only it can implement or call what asks for one.
#[derive(Clone, Copy, Debug)]
pub struct Sealed;
