//! Complete paths in one call.

use std::cell::Cell;

use thiserror::Error;

use crate::search::JumpSearch;
use crate::space::Sealed;
use crate::{
    BestFirst, Cost, Grid, Map, NodeId, Priority, SearchConfig, Slice, Status, Successors,
};

/// What [`find_path`] keeps for its next call on the same thread, in bytes, at most.
const KEPT: usize = 16 << 20;

/// A path and the work done to find it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Path {
    /// Every node in order, start and goal included.
    pub nodes: Vec<NodeId>,
    /// The sum of its edge costs.
    pub cost: Cost,
    /// The number of nodes expanded to find it; where jump points are used, the number of jump points expanded.
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

/// Finds whole paths, one after the other, and keeps its memory from one to the next.
///
/// On a [`Grid`] with eight neighbors and without terrain, an A* search is done by jump points: as optimal as A*, and some
/// ten times faster. Other priorities, and other maps, are searched node by node, as by [`BestFirst`] with
/// [`Successors::Canonical`]: which of several optimal paths is found is open.
///
/// It remembers nothing about a map: each search may be on another one, or on the same one after an edit.
///
/// ```
/// use tickstar::{Cell, Grid, PathFinder};
/// let grid = Grid::from_rows(["....", ".##.", "...."])?;
/// let mut finder = PathFinder::default();
/// for (x, y) in [(3, 0), (3, 1), (3, 2)] {
///     let [from, to] = [(0, 1), (x, y)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
///     let path = finder.find(&grid, from, to)?.expect("a path exists");
///     assert_eq!((path.nodes[0], path.nodes.last()), (from, Some(&to)));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PathFinder {
    config: SearchConfig,
    jump: JumpSearch,
    /// Created when it is first needed.
    plain: Option<BestFirst>,
}

impl PathFinder {
    /// A finder with these settings.
    pub fn new(config: SearchConfig) -> PathFinder {
        PathFinder { config, ..PathFinder::default() }
    }

    /// Finds a path, or returns `Ok(None)` if none exists. The path is optimal with the default settings.
    ///
    /// # Errors
    /// When the start or the goal is blocked or outside the space.
    ///
    /// # Panics
    /// Only if the space violates its contract.
    pub fn find(
        &mut self,
        map: &impl Map,
        from: NodeId,
        to: NodeId,
    ) -> Result<Option<Path>, EndpointError> {
        EndpointError::check(map, from, to)?;
        let grid = map.jump_grid(Sealed).filter(|_| self.config.priority == Priority::ASTAR);
        Ok(match grid {
            Some(grid) => self.jump(grid, from, to),
            None => self.search(map, from, to),
        })
    }

    fn jump(&mut self, grid: &Grid, from: NodeId, to: NodeId) -> Option<Path> {
        self.jump.begin(grid, to);
        self.jump.add_root(grid, from);
        if self.jump.run(grid, &mut Slice::unlimited()) != Status::Reached {
            return None;
        }
        let (nodes, cost) = (self.jump.path_to(to)?, self.jump.cost_to(to)?);
        Some(Path { nodes, cost, expansions: self.jump.expanded() })
    }

    fn search(&mut self, map: &impl Map, from: NodeId, to: NodeId) -> Option<Path> {
        let config = SearchConfig { successors: Successors::Canonical, ..self.config };
        let search = self.plain.get_or_insert_with(|| BestFirst::new(config));
        // What was learned may be wrong on this map.
        search.forget();
        search.start(map, from, to);
        let mut slice = Slice::unlimited();
        if search.run(map, &mut slice) != Status::Reached {
            return None;
        }
        let nodes = search.path_to(to).expect("a reached goal has a path");
        // Summed along the path: with reopening, an ancestor may have become cheaper after the goal's own cost was stored.
        let cost = nodes
            .windows(2)
            .map(|step| map.edge(step[0], step[1]).expect("a path is made of edges"))
            .sum();
        Some(Path { nodes, cost, expansions: slice.expansions() })
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        self.jump.bytes() + self.plain.as_ref().map_or(0, BestFirst::bytes)
    }
}

thread_local! {
    /// The finder of the last call of [`find_path`], absent during a call.
    static FINDER: Cell<Option<Box<PathFinder>>> = const { Cell::new(None) };
}

/// Finds a path, or returns `Ok(None)` if none exists. The path is optimal with the default options.
///
/// The one-call form of a [`PathFinder`], of which each thread keeps one for the next call with the same options, unless
/// it has grown beyond 16 MiB: a map of about a thousand by a thousand cells, searched completely.
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
    // Where a map's own code searches in turn, or at the end of a thread, there is none, and a new one serves.
    let kept = FINDER.try_with(Cell::take).ok().flatten();
    let mut finder = kept
        .filter(|finder| finder.config == options)
        .unwrap_or_else(|| Box::new(PathFinder::new(options)));
    let path = finder.find(map, from, to);
    if finder.bytes() <= KEPT {
        // At the end of a thread nothing can be kept.
        let _ = FINDER.try_with(|kept| kept.set(Some(finder)));
    }
    path
}
