//! `QuickPath`: a way without any search, straight down the levels of the map.
//!
//! # Source
//! N. Sturtevant, M. Buro, "Partial Pathfinding Using Map Abstraction and Refinement", AAAI 2005, "Pathing
//! Through Refinement".
//!
//! # Steps
//! 1. Climb from the start and the goal to the first node that is above both.
//! 2. Go down again. An edge between two groups is refined to any edge between their members; a group that is
//!    passed through, to a way among its members from where it is entered to where it is left, one step in
//!    a clique.
//!
//! # Deviations
//! * The paper refines the whole path, level by level. Here only as much of each level is refined as the next
//!   step needs: what is left to do on the levels above is kept. So the first step comes at once, and an
//!   agent needs no more memory than the levels have nodes in a group.
//! * Where an orphan hangs on a group, its members are not all joined: the way among them is found by breadth.
//!
//! # When the map changes
//! A node of the kept way that is not joined to where the agent is any more is a reason to climb again from
//! there. That there is no way is known at once.
//!
//! # Real-time bound
//! No expansions. A trace step for each group that is passed through, on any level; groups have a handful of
//! members. At most ten of them per unit of the budget. What a group with more members, or with a hub among them,
//! takes beyond that is deducted from what is left of the budget.

use super::refine::AnyLevel;
use super::{AgentError, Cx, Decision, Keep, Needs, Policy, Walker};
use crate::search::{Stamp, Stamped};
use crate::{Hierarchy, Limits, Map, NodeId, Pool, Slice, Space};

/// An agent that walks a way without having searched for it: of any length, but at once.
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
    /// On each level, the nodes still to pass before a node of the level above is taken up; the next is last.
    ahead: Vec<Vec<NodeId>>,
    /// The members of a group that were found from another, and from which.
    found: Stamped<Found>,
    queue: Vec<NodeId>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Found {
    from: NodeId,
    stamp: u32,
}

impl Stamp for Found {
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
    /// An agent at `start`, to go to `goal`.
    ///
    /// # Errors
    /// When the start or goal cannot be stood on, or the map has no hierarchy.
    pub fn new(map: &impl Map, start: NodeId, goal: NodeId) -> Result<QuickPath, AgentError> {
        Walker::with_policy(QuickPathPolicy::default(), map, start, goal)
    }
}

impl QuickPathPolicy {
    fn drop_plan(&mut self) {
        self.ahead.iter_mut().for_each(Vec::clear);
    }

    /// Works out what to pass next on a level, from what is left on the one above.
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
        self.way_inside(&inner, hierarchy, level, (here, exit), cx.slice).ok_or(Stop::Stale)?;
        self.ahead[above].pop();
        Ok(())
    }

    /// Adds the nodes on a way between two members of a group, from its end to where it begins, without that.
    fn way_inside(
        &mut self,
        inner: &impl Map,
        hierarchy: &Hierarchy,
        level: usize,
        (from, to): (NodeId, NodeId),
        slice: &mut Slice<'_>,
    ) -> Option<()> {
        let group = hierarchy.parent(level, from);
        self.found.begin();
        self.queue.clear();
        self.queue.push(from);
        let stamp = self.found.now();
        self.found.set(from, Found { from, stamp });
        let (mut taken, mut visited) = (0, 0);
        while self.found.find(to).is_none() {
            let node = *self.queue.get(taken)?;
            taken += 1;
            inner.for_each_edge(node, |near, _| {
                visited += 1;
                if hierarchy.parent(level, near) == group && self.found.find(near).is_none() {
                    self.found.set(near, Found { from: node, stamp });
                    self.queue.push(near);
                }
            });
        }
        slice.charge_entries(visited);
        let mut node = to;
        while node != from {
            self.ahead[level].push(node);
            node = self.found.find(node)?.from;
        }
        Some(())
    }
}

/// An edge from the group of a node to another group, both above this level: its ends.
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
        Needs { reversible_edges: true, hierarchy: true }
    }

    fn limits(&self, budget: u64) -> Limits {
        Limits { expansions: 0, updates: 0, ..Limits::per_unit(budget) }
    }

    fn begin<M: Map>(&mut self, _: &M, _: NodeId, _: NodeId, _: Keep) {
        self.drop_plan();
    }

    fn moved(&mut self, _: NodeId, _: NodeId) {
        self.ahead[0].pop();
    }

    fn heed<M: Map>(&mut self, _: &mut Cx<'_, '_, M>, _: &[NodeId]) {}

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

    fn rest(&mut self) {
        self.ahead = Vec::new();
        self.found.pages_mut().release();
        self.found.pages_mut().reclaim(8);
    }

    fn target(&self, goal: NodeId) -> Option<NodeId> {
        Some(goal)
    }

    fn plan(&self, _: NodeId) -> Option<Vec<NodeId>> {
        None
    }

    fn set_pool(&mut self, pool: &Pool) {
        self.found.pages_mut().set_pool(pool);
    }

    fn bytes(&self) -> usize {
        let nodes: usize = self.ahead.iter().map(Vec::capacity).sum();
        let lists = self.ahead.capacity() * size_of::<Vec<NodeId>>();
        let queue = self.queue.capacity() * size_of::<NodeId>();
        self.found.bytes() + lists + nodes * size_of::<NodeId>() + queue
    }
}
