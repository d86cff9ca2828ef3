//! A* to one goal, node by node or, where the map offers them, by jump points: for time-bounded agents and Tick*.

use super::best_first::{BestFirst, SearchConfig, Status};
use super::jump::{JumpSearch, Segment};
use super::pool::Pool;
use super::priority::Priority;
use crate::space::{Ids, Sealed};
use crate::{Cost, Map, NodeId, Slice};

/// Either kind of search, chosen anew for each map.
#[derive(Clone, Debug)]
pub(crate) struct MainSearch {
    plain: BestFirst,
    /// Present if jump points are to be used.
    jump: Option<Box<JumpSearch>>,
    /// The current search uses them.
    is_jumping: bool,
}

impl MainSearch {
    /// A search with nothing to do yet. Jump points are used only for A*, and not if the map may change during a search.
    pub fn new(config: SearchConfig, jump: bool) -> MainSearch {
        let fits = config.priority == Priority::ASTAR && !config.learn && !config.blocking;
        let jump = (jump && fits).then(Box::default);
        let plain = BestFirst::new(config);
        MainSearch { plain, jump, is_jumping: false }
    }

    /// The search node by node, which is idle where jump points are used.
    pub fn plain(&self) -> &BestFirst {
        &self.plain
    }

    fn jump(&self) -> Option<&JumpSearch> {
        self.jump.as_deref().filter(|_| self.is_jumping)
    }

    fn jump_mut(&mut self) -> Option<&mut JumpSearch> {
        self.jump.as_deref_mut().filter(|_| self.is_jumping)
    }

    /// Starts a new search toward a goal: see [`BestFirst::begin`].
    pub fn begin(&mut self, map: &impl Map, goal: NodeId, from_root: Cost) {
        self.is_jumping = false;
        match (&mut self.jump, map.jump_grid(Sealed)) {
            (Some(jump), Some(grid)) => {
                jump.begin(grid, goal);
                self.is_jumping = true;
            }
            _ => self.plain.begin(map, goal, from_root),
        }
    }

    /// Adds the root.
    pub fn add_root(&mut self, map: &impl Map, root: NodeId) {
        match self.jump_mut() {
            Some(jump) => jump.add_root(map, root),
            None => self.plain.add_root(map, root, Cost::ZERO),
        }
    }

    /// Continues the search.
    pub fn run(&mut self, map: &impl Map, slice: &mut Slice<'_>) -> Status {
        match self.jump_mut() {
            Some(jump) => jump.run(map, slice),
            None => self.plain.run(map, slice),
        }
    }

    /// The state of the search when it last stopped.
    pub fn status(&self) -> Status {
        self.jump().map_or_else(|| self.plain.status(), JumpSearch::status)
    }

    /// Where the search leads.
    pub fn goal(&self) -> NodeId {
        self.jump().map_or_else(|| self.plain.goal(), JumpSearch::goal)
    }

    /// The most promising node when the search last stopped.
    pub fn best(&self) -> Option<NodeId> {
        self.jump().map_or_else(|| self.plain.best(), JumpSearch::best)
    }

    /// The cost of the path found to a node. With jump points, also to cells between them where the agent has been.
    pub fn cost_to(&self, node: NodeId) -> Option<Cost> {
        self.jump().map_or_else(|| self.plain.cost_to(node), |jump| jump.cost_to(node))
    }

    /// The predecessor of a node on the path found to it: a neighbor.
    #[inline]
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.jump().map_or_else(|| self.plain.parent(node), |jump| jump.parent(node))
    }

    /// The last node before a node on the path found to it: its parent or, with jump points, the beginning of its jump.
    #[inline]
    pub fn behind(&self, node: NodeId) -> Option<NodeId> {
        self.jump().map_or_else(|| self.plain.parent(node), |jump| jump.behind(node))
    }

    /// With jump points: the numbering of the cells between them.
    pub fn jumps(&self) -> Option<Ids> {
        self.jump().map(JumpSearch::ids)
    }

    /// Whether the search can continue on this map.
    pub fn fits(&self, map: &impl Map) -> bool {
        self.jump().is_none_or(|jump| jump.fits(map))
    }

    /// With jump points: makes a cell of a path known like a node, given the jump point behind it and the cost from the
    /// root to it.
    pub fn note_cell(&mut self, cell: NodeId, on: Option<(NodeId, Cost)>) {
        if let (Some(jump), Some((behind, g))) = (self.jump_mut(), on) {
            jump.note_cell(cell, g, behind);
        }
    }

    /// With jump points: makes the cell to which the agent has walked known like a node.
    pub fn note_step(&mut self, from: NodeId, to: NodeId) {
        if let Some(jump) = self.jump_mut() {
            jump.note_step(from, to);
        }
    }

    /// The path found to a node, root first.
    pub fn path_to(&self, node: NodeId) -> Option<Vec<NodeId>> {
        self.jump().map_or_else(|| self.plain.path_to(node), |jump| jump.path_to(node))
    }

    /// The heuristic from a node to the goal.
    pub fn estimate(&self, map: &impl Map, node: NodeId) -> Cost {
        match self.jump() {
            Some(jump) => map.estimate(node, jump.goal()),
            None => self.plain.estimate(map, node),
        }
    }

    /// Reports that an edge has appeared or become cheaper: see [`BestFirst::note_opening`].
    pub fn note_opening(&mut self) {
        self.plain.note_opening();
    }

    /// Reports that an edge has disappeared or become more expensive: see [`BestFirst::note_blocking`].
    pub fn note_blocking(&mut self) {
        self.plain.note_blocking();
    }

    /// Discards the learned heuristic.
    pub fn forget(&mut self) {
        self.plain.forget();
    }

    /// Allocates from this pool from now on. A search in progress ends.
    pub fn set_pool(&mut self, pool: &Pool) {
        self.plain.set_pool(pool);
        if let Some(jump) = &mut self.jump {
            jump.set_pool(pool);
        }
    }

    /// Returns the memory of the search, which discards its result.
    pub fn release(&mut self) {
        self.plain.release();
        if let Some(jump) = &mut self.jump {
            jump.release();
        }
    }

    /// Whether released memory has yet to be returned to the allocator.
    #[inline]
    pub fn has_released(&self) -> bool {
        self.plain.has_released() || self.jump.as_ref().is_some_and(|jump| jump.has_released())
    }

    /// Returns released pages to the allocator, about this many. Returns their number.
    pub fn reclaim(&mut self, pages: u64) -> u64 {
        self.plain.reclaim(pages) + self.jump.as_mut().map_or(0, |jump| jump.reclaim(pages))
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        let jump = self.jump.as_ref().map_or(0, |jump| size_of::<JumpSearch>() + jump.bytes());
        self.plain.bytes() + jump
    }
}

/// A path that is traced back from the goal of a search to its root, cell by cell, as far as slices allow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Retrace {
    /// The cells so far, goal first; once it is complete, root first.
    pub cells: Vec<NodeId>,
    /// The last node before them.
    behind: NodeId,
}

impl Retrace {
    /// Begins at the goal.
    pub fn begin(&mut self, goal: NodeId) {
        self.cells.clear();
        self.cells.push(goal);
        self.behind = goal;
    }

    /// Goes on toward the root. Returns whether it is complete: the cells are then in the order of the path.
    pub fn run(&mut self, search: &MainSearch, slice: &mut Slice<'_>) -> bool {
        while let Some(&last) = self.cells.last() {
            if last == self.behind {
                let Some(behind) = search.behind(last) else {
                    self.cells.reverse();
                    return true;
                };
                self.behind = behind;
            }
            if !slice.trace(last) {
                return false;
            }
            let between = |ids| Segment::new(ids, self.behind, last).before_end(1);
            self.cells.push(search.jumps().map_or(self.behind, between));
        }
        false
    }

    pub fn bytes(&self) -> usize {
        self.cells.capacity() * size_of::<NodeId>()
    }
}
