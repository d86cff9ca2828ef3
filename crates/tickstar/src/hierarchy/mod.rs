//! The hierarchy of a map: the same map at many scales (map abstraction).
//!
//! # Source
//! N. Sturtevant, M. Buro, "Partial Pathfinding Using Map Abstraction and Refinement", AAAI 2005.
//!
//! # Steps
//! Level 0 is the space itself. Each further level has one node for a small group of nodes of the level
//! below, and is made in passes over the nodes that have no parent yet:
//! 1. In the order of ids, each node looks among its neighbors without a parent, in their order, for three
//!    that with it are all joined to each other: a 4-clique. The first hit becomes a group. A node that has
//!    only one neighbor is put aside.
//! 2. The same for 3-cliques, and those without one are put aside too.
//! 3. Those put aside are taken up again, the last one first: with the first neighbor that has no parent
//!    either it makes a pair; else, with one neighbor only, it is an *orphan* and joins the group of that;
//!    else it is a group of its own.
//! 4. Two groups are joined by an edge if any of their members are; the edge counts how many.
//!
//! A node without edges has no parent: it stands for a connected part of the map, whole. So two cells are
//! connected exactly when climbing from both leads to the same node.
//!
//! # Repair
//! Building a hierarchy and repairing it are one algorithm: level by level, what has no parent is grouped.
//! At first that is everything; after a change only the nodes that lost their group. On each level
//! 1. edges that have come or gone are taken into the counts of the edges between groups;
//! 2. a group that is not connected inside any more keeps its largest part, and the others lose their
//!    parent;
//! 3. what has no parent, but edges, is grouped as above; also, it may join a group of up to three whose
//!    members are all joined to it;
//! 4. sums of positions are updated where members have changed.
//!
//! That changes a handful of nodes on each level, so the work for a change grows with the height: with the
//! logarithm of the map.
//!
//! # Deviations
//! * The paper leaves the order open, and what becomes of nodes that find no group. Here 4-cliques are found
//!   everywhere before any 3-clique is, and ids on a grid go in squares of four by four cells, not in rows.
//!   Both make the levels more regular: more of the paths over them are close to the shortest.
//! * A node that was a group of its own does not stay alone on the next level too: it joins the smallest
//!   group beside it. So there are never more than half as many nodes two levels up, whatever the graph
//!   and however often it was repaired, and the height is at most twice the logarithm of the nodes. (The paper
//!   only expects so; its rules make two hubs joined by n others into a hierarchy of height n/2.)
//! * A node with more than 32 neighbors is not searched for cliques.
//! * Positions are means over all cells below a node, as in the paper, kept as exact sums; searches use
//!   them in 64ths of a cell. Where nodes have no positions, every edge of a level above costs the same and
//!   nothing is estimated.
//! * On a map with terrain, the edges of a level are weighted by the mean multiplier of the nodes of the space below
//!   both ends, relative to the cheapest class. Sums of multipliers are exact, and updated like those of positions.
//!
//! A large edit rebuilds the hierarchy instead, where that takes less time.
//!
//! # Wear
//! Repaired groups are connected, but fewer of them are cliques, and they get smaller, so searches on the levels
//! above expand more nodes. (After three changes per cell of a game map PRA* expanded a third more.) A region,
//! that is a node of level 4 and all below it, two or three hundred cells on open ground, is *worn* when as many
//! changes have gone through it as half of its cells. [`Layered::tend`](crate::Layered::tend) regroups the cells
//! of worn regions, one region after another, as far as its budget goes. The region itself stays, with all above
//! it, so its bounds stay as ragged as they have become.
//!
//! # Copies
//! Copies of a hierarchy share its memory in chunks of 8 KB. An edit of one copies the chunks it touches,
//! a few on each level, and one pointer per chunk.
//!
//! # Limits
//! A space has fewer than 2^32 ids, and eight times its nodes plus four times its edges are at most 2^34: grids of
//! 400 million free cells. Larger ones are refused ([`HierarchyError::TooLarge`]).

mod group;
mod layer;
mod levels;
mod lists;
mod repair;
mod store;
pub(crate) mod subgoals;
mod whole;

pub(crate) use levels::Parents;
pub use levels::{Hierarchy, HierarchyError, Level};
pub(crate) use repair::Edit;
pub(crate) use subgoals::Subgoals;
