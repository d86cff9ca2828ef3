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
//! members. At most ten of them for each unit of the budget.

use std::collections::{BTreeMap, VecDeque};

use super::{Agent, AgentError, AgentState, Seen, Step, check_hierarchy, has_way, most_traces};
use crate::{EndpointError, Event, Hierarchy, Limits, NodeId, Slice, Space};

/// An agent that walks a way without having searched for it: as long as it likes, but at once.
///
/// ```
/// use tickstar::{Agent, Cell, Grid, Layered, QuickPath, Seen, Slice, Step};
/// let grid = Layered::new(Grid::from_rows(["....#...", "..#...#.", "..#.#.#.", "....#..."])?)?;
/// let start = grid.node(Cell::new(0, 0)).unwrap();
/// let goal = grid.node(Cell::new(7, 3)).unwrap();
/// let mut unit = QuickPath::new(&grid, start, goal)?;
/// while unit.tick(&grid, unit.position(), Seen::default(), &mut Slice::new(1)) != Step::Arrived {}
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct QuickPath {
    at: NodeId,
    goal: NodeId,
    /// On each level, the nodes still to pass before a node of the level above is taken up; the next is last.
    ahead: Vec<Vec<NodeId>>,
    /// Whether there is a way has not been asked since something changed.
    unsure: bool,
    /// There was none when it was last asked. Asking takes so little time that it is done in every tick then.
    hopeless: bool,
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
    /// When the start or goal cannot be stood on, or the space has no hierarchy.
    pub fn new(space: &impl Space, start: NodeId, goal: NodeId) -> Result<QuickPath, AgentError> {
        let (unsure, hopeless) = (true, false);
        let mut agent = QuickPath { at: start, goal, ahead: Vec::new(), unsure, hopeless };
        agent.take(space, start, goal)?;
        Ok(agent)
    }

    fn take(&mut self, space: &impl Space, start: NodeId, goal: NodeId) -> Result<(), AgentError> {
        EndpointError::check(space, start, goal)?;
        check_hierarchy(space)?;
        (self.at, self.goal) = (start, goal);
        self.drop_plan();
        Ok(())
    }

    fn drop_plan(&mut self) {
        self.ahead.iter_mut().for_each(Vec::clear);
        self.unsure = true;
    }

    fn restart(&mut self, slice: &mut Slice<'_>) -> Step {
        slice.note(Event::Restart);
        self.drop_plan();
        Step::Wait
    }

    /// Works out what to pass next on a level, from what is left on the one above.
    fn refine(
        &mut self,
        space: &impl Space,
        hierarchy: &Hierarchy,
        level: usize,
        slice: &mut Slice<'_>,
    ) -> Result<(), Stop> {
        let above = level + 1;
        let ancestor = |node, level| hierarchy.ancestor(node, level).ok_or(Stop::Stale);
        let (here, group) = (ancestor(self.at, level)?, ancestor(self.at, above)?);
        if self.ahead.len() <= above {
            self.ahead.resize_with(above + 1, Vec::new);
        }
        let last = ancestor(self.goal, above)? == group;
        if self.ahead[above].is_empty() && !last {
            self.refine(space, hierarchy, above, slice)?;
        }
        if !slice.trace(group) {
            return Err(Stop::Spent);
        }
        let next = self.ahead[above].last().copied();
        let (exit, beyond) = match next {
            Some(next) => crossing(space, hierarchy, level, here, next).ok_or(Stop::Stale)?,
            None => (ancestor(self.goal, level)?, None),
        };
        let way = &mut self.ahead[level];
        way.extend(beyond);
        way_inside(space, hierarchy, level, here, exit, way).ok_or(Stop::Stale)?;
        self.ahead[above].pop();
        Ok(())
    }
}

/// An edge from the group of a node to another group, both above this level: its ends.
fn crossing(
    space: &impl Space,
    hierarchy: &Hierarchy,
    level: usize,
    here: NodeId,
    to: NodeId,
) -> Option<(NodeId, Option<NodeId>)> {
    let group = hierarchy.parent(level, here)?;
    let members = [here].into_iter().chain(hierarchy.children(level + 1, group));
    members.into_iter().find_map(|member| {
        let mut beyond = None;
        for_each_neighbour(space, hierarchy, level, member, |near| {
            if beyond.is_none() && hierarchy.parent(level, near) == Some(to) {
                beyond = Some(near);
            }
        });
        beyond.map(|_| (member, beyond))
    })
}

/// Adds the nodes on a way between two members of a group, from its end to where it begins, without that.
fn way_inside(
    space: &impl Space,
    hierarchy: &Hierarchy,
    level: usize,
    from: NodeId,
    to: NodeId,
    way: &mut Vec<NodeId>,
) -> Option<()> {
    let group = hierarchy.parent(level, from);
    let mut before = BTreeMap::from([(from, from)]);
    let mut queue = VecDeque::from([from]);
    while !before.contains_key(&to) {
        let node = queue.pop_front()?;
        for_each_neighbour(space, hierarchy, level, node, |near| {
            if hierarchy.parent(level, near) == group && !before.contains_key(&near) {
                before.insert(near, node);
                queue.push_back(near);
            }
        });
    }
    let mut node = to;
    while node != from {
        way.push(node);
        node = before[&node];
    }
    Some(())
}

fn for_each_neighbour(
    space: &impl Space,
    hierarchy: &Hierarchy,
    level: usize,
    node: NodeId,
    mut visit: impl FnMut(NodeId),
) {
    if level == 0 {
        space.for_each_edge(node, |to, _| visit(to));
    } else {
        hierarchy.links(level, node).for_each(|(to, _)| visit(to));
    }
}

impl<S: Space> Agent<S> for QuickPath {
    fn tick(&mut self, space: &S, at: NodeId, seen: Seen<'_>, slice: &mut Slice<'_>) -> Step {
        if at != self.position() && Agent::<S>::place(self, space, at).is_err() {
            return Step::Wait;
        }
        self.unsure |= !seen.changed.is_empty();
        if self.at == self.goal {
            return Step::Arrived;
        }
        let Some(hierarchy) = space.hierarchy() else { return Step::Unreachable };
        slice.share(0, most_traces(slice.budget()));
        if self.unsure || self.hopeless {
            (self.unsure, self.hopeless) = (false, !has_way(space, self.at, self.goal));
        }
        if self.hopeless {
            return Step::Unreachable;
        }
        if self.ahead.first().is_none_or(Vec::is_empty) {
            match self.refine(space, hierarchy, 0, slice) {
                Ok(()) => {}
                Err(Stop::Spent) => return Step::Wait,
                Err(Stop::Stale) => return self.restart(slice),
            }
        }
        match self.ahead[0].last() {
            Some(&to) if space.edge(self.at, to).is_some() => {
                self.ahead[0].pop();
                self.at = to;
                Step::Move(to)
            }
            _ => self.restart(slice),
        }
    }

    fn assign(&mut self, space: &S, start: NodeId, goal: NodeId) -> Result<(), AgentError> {
        self.take(space, start, goal)
    }

    fn place(&mut self, space: &S, at: NodeId) -> Result<(), AgentError> {
        EndpointError::check(space, at, self.goal)?;
        self.at = at;
        self.drop_plan();
        Ok(())
    }
}

impl AgentState for QuickPath {
    fn position(&self) -> NodeId {
        self.at
    }

    fn target(&self) -> Option<NodeId> {
        Some(self.goal)
    }

    fn plan(&self) -> Option<Vec<NodeId>> {
        None
    }

    fn limits(&self, budget: u64) -> Limits {
        Limits { expansions: 0, traces: most_traces(budget), updates: 0 }
    }

    fn bytes(&self) -> usize {
        let nodes: usize = self.ahead.iter().map(Vec::capacity).sum();
        let lists = self.ahead.capacity() * size_of::<Vec<NodeId>>();
        size_of::<QuickPath>() + lists + nodes * size_of::<NodeId>()
    }
}
