//! `QuickPath`: a path without any search, directly down the levels of the map's hierarchy.
//!
//! # Source
//! N. Sturtevant, M. Buro, "Partial Pathfinding Using Map Abstraction and Refinement", AAAI 2005, "Pathing
//! Through Refinement".
//!
//! # Steps
//! 1. Climb from the start and the goal to their lowest common ancestor.
//! 2. Go down again. An edge between two groups is refined to any edge between their members; a group on the way is
//!    refined to a path among its members from its entry to its exit, which is one step in a clique.
//!
//! # Deviations
//! * The paper refines the whole path, level by level. Here only as much of each level is refined as the next step
//!   needs, and the remainder on the levels above is kept. So the first step is available immediately, and an agent
//!   needs memory only for the members of one group per level.
//! * Where an orphan is attached to a group, its members are not all joined: the path among them is found by
//!   breadth-first search.
//!
//! # When the map changes
//! If the next node of the kept path is no longer joined to the agent's node, the agent climbs again from there. An
//! unreachable goal is detected immediately.
//!
//! # When the goal moves
//! Of the kept path, only what lies inside the group that contains both the agent and the old and new goals is dropped.
//!
//! # Real-time bound
//! No expansions. One trace step per group on the way, on any level; groups have a handful of members. At most ten of
//! them per unit of the budget. The additional work for a group with more members, or with a hub among them, is
//! deducted from the remaining budget.

use super::{AgentError, Cx, Decision, Keep, Needs, Policy, Walker};
use crate::search::{AnyLevel, Stamp, Stamped};
use crate::{Hierarchy, Limits, Map, NodeId, Pool, Slice, Space};

/// An agent that walks a path without searching for it: of any length, but available immediately.
///
/// ```
/// use tickstar::agent::quickpath::QuickPath;
/// use tickstar::{Agent, Cell, Grid, Layered, Seen, Slice, Step};
/// let grid = Layered::new(Grid::from_rows(["....#...", "..#...#.", "..#.#.#.", "....#..."])?)?;
/// let [start, goal] = [(0, 0), (7, 3)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
/// let mut unit = QuickPath::new(&grid, start, goal)?;
/// let mut at = start;
/// while let Step::Move(to) = unit.tick(&grid, at, Seen::default(), &mut Slice::new(10)) {
///     at = to;
/// }
/// assert_eq!(at, goal);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type QuickPath = Walker<QuickPathPolicy>;

/// The policy of [`QuickPath`].
#[derive(Clone, Debug, Default)]
pub struct QuickPathPolicy {
    /// On each level, the nodes still to pass before the next node of the level above is refined; the next is last.
    ahead: Vec<Vec<NodeId>>,
    /// The members of a group in the order in which they were found, each with its predecessor.
    found: Vec<(NodeId, NodeId)>,
    /// Their indices in that list, if there are more than a few: a short list is scanned faster.
    indices: Stamped<Index>,
}

/// The members of a group that are found without a table. Nearly all groups are smaller.
const FEW: usize = 16;

#[derive(Clone, Copy, Debug, Default)]
struct Index {
    index: u32,
    stamp: u32,
}

impl Stamp for Index {
    fn stamp(&self) -> u32 {
        self.stamp
    }
}

/// Why a level could not be refined.
enum Stop {
    /// The slice is spent.
    Spent,
    /// The map has changed.
    Stale,
}

impl QuickPath {
    /// An agent at `start` that walks to `goal`.
    ///
    /// # Errors
    /// If the start or goal is not passable, or the map has no hierarchy.
    pub fn new(map: &impl Map, start: NodeId, goal: NodeId) -> Result<QuickPath, AgentError> {
        Walker::with_policy(QuickPathPolicy::default(), map, start, goal)
    }
}

impl QuickPathPolicy {
    fn drop_plan(&mut self) {
        self.ahead.iter_mut().for_each(Vec::clear);
    }

    /// Determines what to pass next on a level, from the remainder on the level above.
    fn refine<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, level: usize) -> Result<(), Stop> {
        let (above, hierarchy) = (level + 1, cx.hierarchy());
        let ancestor = |node, level| hierarchy.ancestor(node, level).ok_or(Stop::Stale);
        let (here, group) = (ancestor(cx.at, level)?, ancestor(cx.at, above)?);
        if self.ahead.len() <= above {
            self.ahead.resize_with(above + 1, Vec::new);
        }
        let last = ancestor(cx.goal, above)? == group;
        if self.ahead[above].is_empty() && !last {
            self.refine(cx, above)?;
        }
        if !cx.slice.trace(group) {
            return Err(Stop::Spent);
        }
        let inner = AnyLevel::new(cx.map, hierarchy, level);
        let next = self.ahead[above].last().copied();
        let (exit, beyond) = match next {
            Some(next) => {
                let ends = crossing(&inner, hierarchy, level, here, next, cx.slice);
                ends.map(|(exit, beyond)| (exit, Some(beyond))).ok_or(Stop::Stale)?
            }
            None => (ancestor(cx.goal, level)?, None),
        };
        self.ahead[level].extend(beyond);
        self.path_inside(&inner, hierarchy, level, (here, exit), cx.slice).ok_or(Stop::Stale)?;
        self.ahead[above].pop();
        Ok(())
    }

    /// Appends the nodes on a path between two members of a group, in reverse order and without the first.
    fn path_inside(
        &mut self,
        inner: &impl Map,
        hierarchy: &Hierarchy,
        level: usize,
        (from, to): (NodeId, NodeId),
        slice: &mut Slice<'_>,
    ) -> Option<()> {
        let group = hierarchy.parent(level, from);
        self.found.clear();
        self.indices.begin();
        self.add(from, from);
        let (mut taken, mut visited) = (0, 0);
        while self.index(to).is_none() {
            let Some(&(node, _)) = self.found.get(taken) else { break };
            taken += 1;
            inner.for_each_edge(node, |near, _| {
                visited += 1;
                if hierarchy.parent(level, near) == group && self.index(near).is_none() {
                    self.add(near, node);
                }
            });
        }
        slice.charge_entries(visited);
        let mut node = to;
        while node != from {
            self.ahead[level].push(node);
            node = self.found[self.index(node)?].1;
        }
        Some(())
    }

    fn index(&self, node: NodeId) -> Option<usize> {
        if self.found.len() <= FEW {
            return self.found.iter().position(|&(member, _)| member == node);
        }
        self.indices.find(node).map(|known| known.index as usize)
    }

    fn add(&mut self, node: NodeId, from: NodeId) {
        self.found.push((node, from));
        let first = if self.found.len() == FEW + 1 { 0 } else { self.found.len() - 1 };
        if self.found.len() > FEW {
            for (index, &(node, _)) in (first as u32..).zip(&self.found[first..]) {
                self.indices.set(node, Index { index, stamp: self.indices.now() });
            }
        }
    }
}

/// The ends of an edge from the group of a node to another group, where both groups are one level above.
fn crossing(
    inner: &impl Space,
    hierarchy: &Hierarchy,
    level: usize,
    here: NodeId,
    to: NodeId,
    slice: &mut Slice<'_>,
) -> Option<(NodeId, NodeId)> {
    let group = hierarchy.parent(level, here)?;
    let mut visited = 0;
    let mut members = [here].into_iter().chain(hierarchy.children(level + 1, group));
    let found = members.find_map(|member| {
        let mut beyond = None;
        inner.for_each_edge(member, |near, _| {
            visited += 1;
            if beyond.is_none() && hierarchy.parent(level, near) == Some(to) {
                beyond = Some(near);
            }
        });
        Some((member, beyond?))
    });
    slice.charge_entries(visited);
    found
}

impl Policy for QuickPathPolicy {
    fn needs(&self) -> Needs {
        Needs { reversible_edges: true, hierarchy: true, ..Needs::default() }
    }

    fn limits(&self, budget: u64) -> Limits {
        Limits { expansions: 0, updates: 0, ..Limits::per_unit(budget) }
    }

    fn begin<M: Map>(&mut self, _: &M, _: NodeId, _: NodeId, _: Keep) {
        self.drop_plan();
    }

    fn moved(&mut self, _: NodeId, _: NodeId) {
        self.ahead.first_mut().map(Vec::pop);
    }

    fn heed<M: Map>(&mut self, _: &mut Cx<'_, '_, M>, _: &[NodeId]) {}

    fn retarget<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, from: NodeId) {
        let hierarchy = cx.hierarchy();
        let above = |node, level| hierarchy.ancestor(node, level);
        for level in 0..self.ahead.len() {
            if level > 0 && above(from, level) == above(cx.goal, level) {
                // The path leads to this group, or ends inside it.
                return;
            }
            if above(cx.at, level + 1) == above(from, level + 1) {
                self.ahead[level].clear();
            }
        }
    }

    fn decide<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) -> Decision {
        if self.ahead.first().is_none_or(Vec::is_empty) {
            match self.refine(cx, 0) {
                Ok(()) => {}
                Err(Stop::Spent) => return Decision::Wait,
                Err(Stop::Stale) => return Decision::Stale,
            }
        }
        self.ahead[0].last().map_or(Decision::Stale, |&to| Decision::Go(to))
    }

    fn rest(&mut self, slice: &mut Slice<'_>) {
        (self.ahead, self.found) = (Vec::new(), Vec::new());
        self.indices.pages_mut().release();
        let freed = self.indices.pages_mut().reclaim(slice.blocks_to_free());
        slice.charge_freed_blocks(freed);
    }

    fn target(&self, goal: NodeId) -> Option<NodeId> {
        Some(goal)
    }

    fn plan(&self, _: NodeId) -> Option<Vec<NodeId>> {
        None
    }

    fn set_pool(&mut self, pool: &Pool) {
        self.indices.pages_mut().set_pool(pool);
    }

    fn bytes(&self) -> usize {
        let nodes: usize = self.ahead.iter().map(Vec::capacity).sum();
        let lists = self.ahead.capacity() * size_of::<Vec<NodeId>>();
        let found = self.found.capacity() * size_of::<(NodeId, NodeId)>();
        self.indices.bytes() + lists + nodes * size_of::<NodeId>() + found
    }
}
