//! Refinement: a path on one level of a map, inside the corridor of a path on a level above.
//!
//! A* runs from one node to another, or to the first node of a region, below the marked nodes; its path is then traced.
//! Both are done incrementally, within the slice.

use super::corridor::{Corridor, End, Marks, OnLevel};
use super::problem::{Problem, Toward};
use crate::{
    BestFirst, Cost, Hierarchy, Level, Map, NodeId, OpenList, Pool, SearchConfig, Slice, Space,
    Status,
};

/// A level of a map: the map itself, or a level of its hierarchy.
#[derive(Debug)]
pub(crate) enum AnyLevel<'a, M> {
    Ground(&'a M),
    Above(Level<'a>),
}

impl<'a, M: Map> AnyLevel<'a, M> {
    pub fn new(map: &'a M, hierarchy: &'a Hierarchy, level: usize) -> AnyLevel<'a, M> {
        if level == 0 { AnyLevel::Ground(map) } else { AnyLevel::Above(hierarchy.level(level)) }
    }
}

/// Applies the same expression to either variant.
macro_rules! each {
    ($level:expr, $this:ident => $act:expr) => {
        match $level {
            AnyLevel::Ground($this) => $act,
            AnyLevel::Above($this) => $act,
        }
    };
}

impl<M: Map> Space for AnyLevel<'_, M> {
    fn size(&self) -> usize {
        each!(self, level => level.size())
    }

    fn contains(&self, node: NodeId) -> bool {
        each!(self, level => level.contains(node))
    }

    #[inline]
    fn for_each_edge(&self, from: NodeId, visit: impl FnMut(NodeId, Cost)) {
        each!(self, level => level.for_each_edge(from, visit));
    }

    fn max_edge_cost(&self) -> Cost {
        each!(self, level => level.max_edge_cost())
    }

    fn is_reversible(&self) -> bool {
        each!(self, level => level.is_reversible())
    }
}

impl<M: Map> Map for AnyLevel<'_, M> {
    #[inline]
    fn estimate(&self, from: NodeId, to: NodeId) -> Cost {
        each!(self, level => level.estimate(from, to))
    }
}

/// The result of planning for one slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Progress {
    /// The slice is spent.
    Working,
    /// A path was found.
    Done,
    /// Nothing was found, because the map has changed too much.
    Failed,
}

/// A search in progress on a level of a map.
#[derive(Clone, Debug)]
pub(crate) struct Refiner {
    search: BestFirst,
    marks: Marks,
    level: usize,
    /// How many levels above this one the marked nodes are; `None` if the whole level may be searched.
    over: Option<usize>,
    end: End,
    /// Where a search that has yet to start begins.
    root: Option<NodeId>,
    /// The size of the level when the search started.
    size: usize,
    tracing: bool,
    /// The path, once it is traced; while it is being traced, in reverse order.
    pub path: Vec<NodeId>,
}

impl Refiner {
    pub fn new(open: OpenList) -> Refiner {
        let config = SearchConfig { open, blocking: true, ..SearchConfig::default() };
        Refiner {
            search: BestFirst::new(config),
            marks: Marks::default(),
            level: 0,
            over: None,
            end: End::Node(NodeId::default()),
            root: None,
            size: 0,
            tracing: false,
            path: Vec::new(),
        }
    }

    /// Whether the path leads to a node, rather than just into a region.
    pub fn is_whole(&self) -> bool {
        !self.end.has_gate()
    }

    /// Drops all marks.
    pub fn clear_marks(&mut self) {
        self.marks.clear();
    }

    /// Lets searches pass below a node of a level and, if `wide`, below its neighbors.
    pub fn mark(&mut self, hierarchy: &Hierarchy, level: usize, node: NodeId, wide: bool) {
        self.marks.add(node);
        if wide {
            hierarchy.links(level, node).for_each(|(near, _)| self.marks.add(near));
        }
    }

    #[cfg(test)]
    pub fn is_marked(&self, node: NodeId) -> bool {
        self.marks.has(node)
    }

    /// Starts a search of a level, either to a node or into a region. A region is a node `over` levels above, on the
    /// way to an aim; no node of the region is closer to the aim than the floor.
    pub fn start<M: Map>(
        &mut self,
        map: &M,
        hierarchy: &Hierarchy,
        (level, over): (usize, Option<usize>),
        from: NodeId,
        to: Target,
    ) {
        self.size = AnyLevel::new(map, hierarchy, level).size();
        (self.level, self.over, self.tracing) = (level, over, false);
        self.end = match to {
            Target::Node(node) => End::Node(node),
            Target::Region { region, aim, floor } => {
                End::Region { region, aim, floor, gate: NodeId(self.size as u32) }
            }
        };
        self.root = Some(from);
    }

    /// Searches and traces, as far as the slice allows.
    pub fn run<M: Map>(
        &mut self,
        map: &M,
        hierarchy: &Hierarchy,
        slice: &mut Slice<'_>,
    ) -> Progress {
        if !self.tracing {
            let (level, end) = (self.level, self.end);
            if AnyLevel::new(map, hierarchy, level).size() != self.size {
                return Progress::Failed; // the level has grown, and the gate's id may now be a node
            }
            let goal = end.aim();
            let status = slice.on_level(level, |slice| {
                if level == 0 {
                    self.search(Toward { map, goal }, hierarchy, slice)
                } else {
                    self.search(OnLevel::new(hierarchy.level(level), goal), hierarchy, slice)
                }
            });
            match status {
                Status::Working => return Progress::Working,
                Status::Exhausted => return Progress::Failed,
                Status::Reached => {}
            }
            self.path.clear();
            self.path.push(end.goal());
            self.tracing = true;
        }
        while let Some(parent) = self.path.last().and_then(|&node| self.search.parent(node)) {
            if !slice.trace(parent) {
                return Progress::Working;
            }
            self.path.push(parent);
        }
        self.path.reverse();
        if self.end.has_gate() {
            self.path.pop();
        }
        Progress::Done
    }

    /// Searches the level, or its part in the corridor. (There is a copy of the search loop for each combination of map
    /// or level with or without a corridor: it is as fast as on a map alone.)
    fn search<P: Problem>(
        &mut self,
        inner: P,
        hierarchy: &Hierarchy,
        slice: &mut Slice<'_>,
    ) -> Status {
        let Refiner { ref marks, level, over, end, .. } = *self;
        let Some(parents) = hierarchy.parents(level) else { return Status::Exhausted };
        let (search, root) = (&mut self.search, self.root.take());
        match over {
            None => go_on(search, root, end.goal(), inner, slice),
            Some(over) => {
                let corridor = Corridor { inner, parents, hierarchy, level, over, marks, end };
                go_on(search, root, end.goal(), corridor, slice)
            }
        }
    }

    pub fn set_pool(&mut self, pool: &Pool) {
        self.search.set_pool(pool);
        self.marks.set_pool(pool);
    }

    /// Returns all memory.
    pub fn release(&mut self) {
        self.search.release();
        self.marks.release();
        self.path = Vec::new();
    }

    /// Returns released blocks to the allocator, at most this many of each table. Returns how many.
    pub fn reclaim(&mut self, blocks: u64) -> u64 {
        self.search.reclaim(blocks) + self.marks.reclaim(blocks)
    }

    pub fn bytes(&self) -> usize {
        let path = self.path.capacity() * size_of::<NodeId>();
        self.search.bytes() + self.marks.bytes() + path
    }
}

/// Continues a search, or starts it if it is given a root.
fn go_on(
    search: &mut BestFirst,
    root: Option<NodeId>,
    goal: NodeId,
    problem: impl Problem,
    slice: &mut Slice<'_>,
) -> Status {
    if let Some(root) = root {
        search.start_problem(&problem, root, goal);
    }
    search.run_problem(&problem, slice)
}

/// Where a refinement is to end.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// To a node of the level that is searched.
    Node(NodeId),
    /// Into a region.
    Region {
        /// A node of the level of the marked nodes.
        region: NodeId,
        /// The next aim from there: a node of the level that is searched.
        aim: NodeId,
        /// A lower bound on the heuristic from the nodes of the region to the aim, possibly exceeded slightly.
        floor: Cost,
    },
}
