//! PR LRTA*: learn on a level above the map, and work out one step of it at a time on the map.
//!
//! # Source
//! V. Bulitko, N. Sturtevant, J. Lu, T. Yau, "Graph Abstraction in Real-time Heuristic Search", JAIR 2007, as
//! outlined in Björnsson, Bulitko, Sturtevant, "TBA*: Time-Bounded A*", IJCAI 2009. Only the outline was at
//! hand: this is our reconstruction.
//!
//! # One plan
//! 1. Climb from the agent and from the goal to level `ℓ` of the map's [`Hierarchy`], or to the node that
//!    stands for all that can be reached from there, if that is lower.
//! 2. If both come to the same node, A* finds a path to the goal itself, over the cells of that node and of
//!    its neighbours.
//! 3. Else LRTA* looks `d` steps ahead on that level, by `γ·g + h`. It raises the estimate of the agent's
//!    node, and chooses a neighbour of it.
//! 4. A* on the map finds a path from the agent to any cell of that neighbour, over the cells of the two
//!    nodes.
//! 5. The path is walked, a step a tick. At its end the next plan is made, in the tick after.
//!
//! # Deviations
//! * The outline says no more than that LRTA* runs on the level and that A* in a corridor refines its first
//!   action. How wide the corridor is, where in the region A* is to end, and what is done in the goal's own
//!   node are our choices. The original can also search on several levels, and walk more than one action.
//! * LRTA* is the one of [`Local`](crate::Local): no node inside the ball is taken for nearer than its stored
//!   estimate, or the agent could walk in circles.
//! * `γ` is kept in whole numbers: costs times its numerator, estimates times its denominator. A cost that
//!   would then be 2^32 or more is cut to what is just below.
//! * That there is no way is read from the hierarchy, at once.
//!
//! # Invariants
//! * With `γ` below one the estimates are not consistent, and may exceed the true distance on the level: in
//!   costs times `γ`, up to `1/γ` times. The agent still arrives. By induction no estimate ever exceeds
//!   `1/γ` times the distance: a lesson is the cost of a way, and an estimate at its end. So learning comes to
//!   an end; and where nothing is learned any more, the estimate falls along each step on the level. The
//!   same holds for any estimates to begin with, so also for those that a mended level has made wrong: none
//!   ever exceeds the distance by more than one of them did to begin with.
//! * The cells of a node are connected, and an edge of the level stands for one of the map. So the corridor
//!   always holds a path, if the map stays as it is.
//! * The walk does not depend on the budget: a plan is made where the path before has ended, and only
//!   there.
//!
//! # When the map changes
//! The hierarchy is mended by the map. The path being walked is given up when its next step is gone; a
//! search that finds nothing is begun again. What was learned is kept when something is blocked, and forgotten
//! when something opens, and when the goal belongs to another node than before. If LRTA* finds no way although
//! there is one, for the ids of a mended level are used again, it forgets and goes on.
//!
//! # Real-time bound
//! At most as many expansions as the budget, on the level and on the map together; ten times as many trace
//! steps, one each for climbing, for marking a corridor and for following a parent; and ten times as many
//! updates, two for each node expanded on the level. The agent waits while a plan is not done.

use super::{
    Agent, AgentError, AgentState, Ball, Seen, Step, Thought, check_hierarchy, has_way,
    most_traces, most_updates,
};
use crate::space::{Corridor, Exit, Marks};
use crate::{
    BestFirst, Cost, EndpointError, Event, Hierarchy, Level, Limits, NodeId, OpenList, Ratio,
    SearchConfig, Slice, Space, Status,
};

/// How a [`PrLrta`] works.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrLrtaConfig {
    /// The level `ℓ` on which it learns, one at least.
    pub level: u32,
    /// The steps `d` it looks ahead on that level, one at least.
    pub depth: u32,
    /// The weight `γ` of the cost against the estimate: above 0 and at most 1; any other is taken for 1.
    pub gamma: Ratio,
    /// Whether the neighbours of the two nodes of a step belong to its corridor.
    pub wide: bool,
    /// Which open list the searches on the map use.
    pub open: OpenList,
}

impl Default for PrLrtaConfig {
    fn default() -> PrLrtaConfig {
        let open = OpenList::default();
        PrLrtaConfig { level: 4, depth: 3, gamma: Ratio::ONE, wide: false, open }
    }
}

/// An agent that learns on a level of its map's [`Hierarchy`]: PR LRTA*, our reconstruction.
///
/// ```
/// use tickstar::{Agent, Cell, Grid, Layered, PrLrta, PrLrtaConfig, Seen, Slice, Step};
/// let grid = Layered::new(Grid::from_rows(["....#...", "..#...#.", "..#.#.#.", "....#..."])?)?;
/// let start = grid.node(Cell::new(0, 0)).unwrap();
/// let goal = grid.node(Cell::new(7, 3)).unwrap();
/// let config = PrLrtaConfig { level: 2, ..PrLrtaConfig::default() };
/// let mut unit = PrLrta::new(&grid, config, start, goal)?;
/// while unit.tick(&grid, unit.position(), Seen::default(), &mut Slice::new(10)) != Step::Arrived {}
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PrLrta {
    config: PrLrtaConfig,
    at: NodeId,
    goal: NodeId,
    /// LRTA* on the level.
    mind: Ball,
    /// What it has learned is about this level, and this node of it: the goal's.
    level: usize,
    there: NodeId,
    /// The node the agent is in.
    here: NodeId,
    /// The neighbour to go to; none: the goal itself.
    next: Option<NodeId>,
    search: BestFirst,
    marks: Marks,
    exit: Option<Exit>,
    stage: Stage,
    /// Ids were below this when the lookahead or the search under way began.
    size: usize,
    /// The path being walked, and how much of it has been; while it is being traced, from its end.
    path: Vec<NodeId>,
    walked: usize,
    /// Whether there is a way has not been asked since something changed.
    unsure: bool,
    hopeless: bool,
}

/// What comes next. A tick that is cut short goes on where it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Climb to the level.
    Climb,
    /// Look ahead on it.
    Look,
    /// Mark the corridor.
    Mark,
    /// Search it.
    Search,
    /// Follow the path found back.
    Trace,
    /// Walk it.
    Walk,
}

/// What planning for a while has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Progress {
    /// The slice is spent.
    Working,
    /// There is a path to walk.
    Done,
    /// The map has changed too much: nothing was found.
    Failed,
}

/// A level on which costs count `γ` times: costs times its numerator, estimates times its denominator. So these
/// are not consistent; LRTA*, which is all that runs here, needs no more than that they are finite.
struct Weighted<'h> {
    level: Level<'h>,
    gamma: Ratio,
}

impl Weighted<'_> {
    #[inline]
    fn cost(&self, cost: Cost) -> Cost {
        Cost((cost.0 * u64::from(self.gamma.num())).min(u32::MAX.into()))
    }
}

impl Space for Weighted<'_> {
    fn size(&self) -> usize {
        self.level.size()
    }

    fn contains(&self, node: NodeId) -> bool {
        self.level.contains(node)
    }

    #[inline]
    fn for_each_edge(&self, from: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        self.level.for_each_edge(from, |to, cost| visit(to, self.cost(cost)));
    }

    #[inline]
    fn estimate(&self, from: NodeId, to: NodeId) -> Cost {
        let estimate = self.level.estimate(from, to);
        Cost(estimate.0.saturating_mul(self.gamma.den().into()))
    }

    fn max_edge_cost(&self) -> Cost {
        self.cost(self.level.max_edge_cost())
    }

    fn is_reversible(&self) -> bool {
        true
    }
}

impl PrLrta {
    /// An agent at `start`, to go to `goal`.
    ///
    /// # Errors
    /// When the start or goal cannot be stood on, or the space has no hierarchy.
    pub fn new(
        space: &impl Space,
        config: PrLrtaConfig,
        start: NodeId,
        goal: NodeId,
    ) -> Result<PrLrta, AgentError> {
        let fits = config.gamma.num() > 0 && config.gamma <= Ratio::ONE;
        let config = PrLrtaConfig {
            level: config.level.max(1),
            depth: config.depth.max(1),
            gamma: if fits { config.gamma } else { Ratio::ONE },
            ..config
        };
        let search = SearchConfig { open: config.open, blocking: true, ..SearchConfig::default() };
        let mut agent = PrLrta {
            config,
            at: start,
            goal,
            mind: Ball::new(config.depth),
            level: 0,
            there: NodeId::default(),
            here: NodeId::default(),
            next: None,
            search: BestFirst::new(search),
            marks: Marks::default(),
            exit: None,
            stage: Stage::Climb,
            size: 0,
            path: Vec::new(),
            walked: 0,
            unsure: true,
            hopeless: false,
        };
        agent.take(space, start, goal)?;
        Ok(agent)
    }

    /// The level it has last planned on: the one it was given, or a lower one that stands for all that can be
    /// reached in one node. Zero before its first plan.
    pub fn level(&self) -> usize {
        self.level
    }

    /// The estimate from a node of that level to the goal's: the level's own, or a greater one that was
    /// learned. In the unit of the level divided by the denominator of `γ`.
    pub fn estimate(&self, space: &impl Space, node: NodeId) -> Cost {
        let Some(hierarchy) = space.hierarchy() else { return Cost::ZERO };
        self.mind.estimate(node, self.weighted(hierarchy).estimate(node, self.there))
    }

    fn take(&mut self, space: &impl Space, start: NodeId, goal: NodeId) -> Result<(), AgentError> {
        EndpointError::check(space, start, goal)?;
        check_hierarchy(space)?;
        (self.at, self.goal) = (start, goal);
        self.level = 0;
        self.mind.forget();
        self.drop_plan();
        Ok(())
    }

    /// Begins anew from where the agent stands. What was learned is kept.
    fn drop_plan(&mut self) {
        self.mind.drop_plan();
        self.path.clear();
        self.walked = 0;
        self.stage = Stage::Climb;
        self.unsure = true;
    }

    fn restart(&mut self, slice: &mut Slice<'_>) -> Step {
        slice.note(Event::Restart);
        self.drop_plan();
        Step::Wait
    }

    fn weighted<'h>(&self, hierarchy: &'h Hierarchy) -> Weighted<'h> {
        Weighted { level: hierarchy.level(self.level), gamma: self.config.gamma }
    }

    /// Makes a plan, or goes on with it, if there is no path to walk.
    fn plan(
        &mut self,
        space: &impl Space,
        hierarchy: &Hierarchy,
        slice: &mut Slice<'_>,
    ) -> Progress {
        loop {
            let progress = match self.stage {
                Stage::Climb => self.climb(hierarchy, slice),
                Stage::Look => self.look(hierarchy, slice),
                Stage::Mark => self.mark(space, hierarchy, slice),
                Stage::Search => self.search(space, hierarchy, slice),
                Stage::Trace => self.trace(slice),
                Stage::Walk => Some(Progress::Done),
            };
            if let Some(progress) = progress {
                return progress;
            }
        }
    }

    /// Stage 1: finds the level and the nodes of the agent and the goal.
    fn climb(&mut self, hierarchy: &Hierarchy, slice: &mut Slice<'_>) -> Option<Progress> {
        // A look-up a level.
        if !slice.trace(self.at) {
            return Some(Progress::Working);
        }
        let level = hierarchy.root(self.goal).0.min(self.config.level as usize);
        if level == 0 {
            return Some(Progress::Failed); // the goal has been cut off, and nobody told
        }
        let (here, there) =
            (hierarchy.ancestor(self.at, level), hierarchy.ancestor(self.goal, level));
        let (Some(here), Some(there)) = (here, there) else { return Some(Progress::Failed) };
        if (level, there) != (self.level, self.there) {
            self.mind.forget();
        }
        (self.level, self.here, self.there) = (level, here, there);
        self.next = None;
        self.size = hierarchy.level(level).size();
        self.stage = if here == there { Stage::Mark } else { Stage::Look };
        None
    }

    /// Stage 2: LRTA* on the level.
    fn look(&mut self, hierarchy: &Hierarchy, slice: &mut Slice<'_>) -> Option<Progress> {
        let space = self.weighted(hierarchy);
        let ends = [self.at, self.goal].map(|node| hierarchy.ancestor(node, self.level));
        if space.size() != self.size || ends != [Some(self.here), Some(self.there)] {
            // The level has been mended: it may have nodes that the lookahead has no room for.
            self.mind.drop_plan();
            self.stage = Stage::Climb;
            return None;
        }
        slice.on_level(self.level);
        let thought = self.mind.think(&space, self.here, self.there, slice);
        slice.on_level(0);
        match thought {
            Thought::Wait => Some(Progress::Working),
            Thought::Go(next) => {
                self.next = Some(next);
                self.stage = Stage::Mark;
                None
            }
            Thought::Unreachable => {
                self.mind.forget();
                Some(Progress::Failed)
            }
        }
    }

    /// Stage 3: marks the corridor, and begins its search.
    fn mark(
        &mut self,
        space: &impl Space,
        hierarchy: &Hierarchy,
        slice: &mut Slice<'_>,
    ) -> Option<Progress> {
        if !slice.trace(self.next.unwrap_or(self.here)) {
            return Some(Progress::Working);
        }
        let level = hierarchy.level(self.level);
        let aim = hierarchy.middle(space, self.level, self.next.unwrap_or(self.here));
        let Some(aim) = aim.filter(|_| level.contains(self.here)) else {
            return Some(Progress::Failed); // mended since
        };
        self.marks.reset(level.size());
        for node in [Some(self.here), self.next].into_iter().flatten() {
            self.marks.add(node);
            if self.config.wide || self.next.is_none() {
                hierarchy.links(self.level, node).for_each(|(near, _)| self.marks.add(near));
            }
        }
        let gate = NodeId(space.size() as u32);
        self.exit = self.next.map(|region| Exit { region, aim, floor: Cost::ZERO, gate });
        let to = self.exit.map_or(self.goal, |exit| exit.gate);
        self.size = space.size();
        let PrLrta { level: over, marks, exit, search, at, .. } = self;
        let corridor =
            Corridor { inner: space, hierarchy, level: 0, over: *over, marks, exit: *exit };
        search.start(&corridor, *at, to);
        self.stage = Stage::Search;
        None
    }

    /// Stage 4: A* on the map, inside the corridor.
    fn search(
        &mut self,
        space: &impl Space,
        hierarchy: &Hierarchy,
        slice: &mut Slice<'_>,
    ) -> Option<Progress> {
        if space.size() != self.size {
            return Some(Progress::Failed);
        }
        let PrLrta { level: over, marks, exit, search, .. } = self;
        let corridor =
            Corridor { inner: space, hierarchy, level: 0, over: *over, marks, exit: *exit };
        match search.run(&corridor, slice) {
            Status::Working => Some(Progress::Working),
            Status::Exhausted => Some(Progress::Failed),
            Status::Reached => {
                self.path.clear();
                self.path.push(self.search.goal());
                self.stage = Stage::Trace;
                None
            }
        }
    }

    /// Stage 5: follows the path found back to its beginning.
    fn trace(&mut self, slice: &mut Slice<'_>) -> Option<Progress> {
        while let Some(parent) = self.path.last().and_then(|&node| self.search.parent(node)) {
            if !slice.trace(parent) {
                return Some(Progress::Working);
            }
            self.path.push(parent);
        }
        self.path.reverse();
        if self.exit.is_some() {
            self.path.pop(); // the gate
        }
        slice.note(Event::Refined);
        if self.path.last() == Some(&self.goal) {
            slice.note(Event::Found);
        }
        self.walked = 0;
        self.stage = Stage::Walk;
        None
    }
}

impl<S: Space> Agent<S> for PrLrta {
    fn tick(&mut self, space: &S, at: NodeId, seen: Seen<'_>, slice: &mut Slice<'_>) -> Step {
        if at != self.position() && Agent::<S>::place(self, space, at).is_err() {
            return Step::Wait;
        }
        if seen.changed.iter().any(|&node| space.contains(node)) {
            self.mind.forget();
            self.mind.drop_plan();
        }
        self.unsure |= !seen.changed.is_empty();
        if self.at == self.goal {
            return Step::Arrived;
        }
        let Some(hierarchy) = space.hierarchy() else { return Step::Unreachable };
        slice.share(slice.budget(), most_traces(slice.budget()));
        if self.unsure || self.hopeless {
            (self.unsure, self.hopeless) = (false, !has_way(space, self.at, self.goal));
        }
        if self.hopeless {
            self.drop_plan();
            self.unsure = false;
            return Step::Unreachable;
        }
        if self.stage == Stage::Walk && self.walked + 1 >= self.path.len() {
            self.stage = Stage::Climb;
        }
        match self.plan(space, hierarchy, slice) {
            Progress::Working => return Step::Wait,
            Progress::Failed => return self.restart(slice),
            Progress::Done => {}
        }
        match self.path.get(self.walked + 1) {
            Some(&to) if space.edge(self.at, to).is_some() => {
                self.walked += 1;
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

impl AgentState for PrLrta {
    fn position(&self) -> NodeId {
        self.at
    }

    fn target(&self) -> Option<NodeId> {
        self.path.last().copied().filter(|_| self.stage == Stage::Walk)
    }

    /// The path being walked: to the next node of the level, or to the goal.
    fn plan(&self) -> Option<Vec<NodeId>> {
        (self.stage == Stage::Walk).then(|| self.path.clone())
    }

    fn limits(&self, budget: u64) -> Limits {
        let (traces, updates) = (most_traces(budget), most_updates(budget));
        Limits { expansions: budget, traces, updates }
    }

    fn bytes(&self) -> usize {
        let path = self.path.capacity() * size_of::<NodeId>();
        size_of::<PrLrta>() + self.mind.bytes() + self.search.bytes() + self.marks.bytes() + path
    }
}
