//! Complete paths in one call.

use thiserror::Error;

use crate::{BestFirst, Cost, Map, NodeId, SearchConfig, Slice, Status};

/// A path and the work done to find it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Path {
    /// Every node in order, start and goal included.
    pub nodes: Vec<NodeId>,
    /// The sum of its edge costs.
    pub cost: Cost,
    /// The number of nodes expanded to find it.
    pub expansions: u64,
}

/// Why a start or goal cannot be used, in the words of the map (see [`Map::describe`]).
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// The start is blocked or outside the space.
    #[error("the start, {place}, is blocked or outside the map")]
    Start {
        /// The node.
        node: NodeId,
        /// The node as the map describes it.
        place: String,
    },
    /// The goal is blocked or outside the space.
    #[error("the goal, {place}, is blocked or outside the map")]
    Goal {
        /// The node.
        node: NodeId,
        /// The node as the map describes it.
        place: String,
    },
}

impl EndpointError {
    /// Checks that both endpoints are passable.
    pub(crate) fn check(map: &impl Map, from: NodeId, to: NodeId) -> Result<(), EndpointError> {
        if !map.contains(from) {
            return Err(EndpointError::Start { node: from, place: map.describe(from) });
        }
        if !map.contains(to) {
            return Err(EndpointError::Goal { node: to, place: map.describe(to) });
        }
        Ok(())
    }
}

/// Finds a path, or returns `Ok(None)` if none exists. The path is optimal with the default options.
///
/// ```
/// use tickstar::{Cell, Grid, find_path};
/// let grid = Grid::from_rows([
///     "......",
///     ".####.",
///     "......",
/// ])?;
/// let from = grid.node(Cell::new(1, 2)).unwrap();
/// let to = grid.node(Cell::new(1, 0)).unwrap();
/// let path = find_path(&grid, from, to, Default::default())?.expect("a path exists");
/// assert_eq!(path.cost.in_cells(), 4.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the start or the goal is blocked or outside the space.
///
/// # Panics
/// Only if the space violates its contract.
pub fn find_path(
    map: &impl Map,
    from: NodeId,
    to: NodeId,
    options: SearchConfig,
) -> Result<Option<Path>, EndpointError> {
    EndpointError::check(map, from, to)?;
    let mut search = BestFirst::new(options);
    search.start(map, from, to);
    let mut slice = Slice::unlimited();
    if search.run(map, &mut slice) != Status::Reached {
        return Ok(None);
    }
    let nodes = search.path_to(to).expect("a reached goal has a path");
    // Summed along the path: with reopening, an ancestor may have become cheaper after the goal's own cost was stored.
    let cost = nodes
        .windows(2)
        .map(|step| map.edge(step[0], step[1]).expect("a path is made of edges"))
        .sum();
    Ok(Some(Path { nodes, cost, expansions: slice.expansions() }))
}
