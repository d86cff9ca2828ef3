//! The driver of all agents. It handles arrival, legal steps, unreachable goals, and steps that were not taken.

use crate::agent::{Agent, AgentError, AgentState, Seen, Step};
use crate::regions::Regions;
use crate::{Cell, EndpointError, Event, Hierarchy, Limits, Map, NodeId, Pool, Slice};

/// The context of one tick, as passed to a policy.
#[derive(Debug)]
#[non_exhaustive]
pub struct Cx<'t, 'w, M> {
    /// The map as the agent knows it.
    pub map: &'t M,
    /// The agent's position.
    pub at: NodeId,
    /// The agent's goal.
    pub goal: NodeId,
    /// The budget of the tick.
    pub slice: &'t mut Slice<'w>,
}

impl<'t, M: Map> Cx<'t, '_, M> {
    /// The map's hierarchy.
    ///
    /// # Panics
    /// If the policy does not declare that it needs one: see [`Policy::needs`].
    pub fn hierarchy(&self) -> &'t Hierarchy {
        self.map.hierarchy().expect("a policy that needs a hierarchy runs only if the map has one")
    }
}

/// What a policy decides to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Go to this node. If the edge to it no longer exists, the agent waits, and the policy must
    /// [replan](Policy::replan).
    Go(NodeId),
    /// Stay for now.
    Wait,
    /// No path to the goal exists. `decide` is not called again until something changes.
    NoWay,
    /// The current plan is no longer usable: wait and [replan](Policy::replan).
    Stale,
}

/// What a new walk keeps from the previous one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// Nothing: this is a new task.
    Nothing,
    /// What was learned about the map, since the goal is the same.
    Learned,
}

/// What a policy requires of the map.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// Every edge can be traversed in reverse at the same cost.
    pub reversible_edges: bool,
    /// The map has a [`Hierarchy`]. Reachability is then determined without the policy.
    pub hierarchy: bool,
    /// The map has [`Regions`](crate::regions::Regions).
    pub regions: bool,
}

impl Needs {
    /// Checks what a map can lose and get again: what agents plan on.
    fn check_plan(self, map: &impl Map) -> Result<(), AgentError> {
        if self.hierarchy && map.hierarchy().is_none() {
            return Err(AgentError::NeedsHierarchy);
        }
        if self.regions && map.regions().is_none() {
            return Err(AgentError::NeedsRegions);
        }
        Ok(())
    }
}

/// An algorithm: it decides what an agent does next. [`Walker`] turns it into an agent.
///
/// In each tick, `moved` or `displaced` is called if the agent's position has changed, then `heed` if changes are
/// reported, and then `decide`, if the agent has not arrived and a path may exist. A refused step is not reported:
/// `decide` is simply called again at the same position, and should return the same decision at little cost.
pub trait Policy: Send + Sync {
    /// What it requires of the map.
    fn needs(&self) -> Needs;

    /// The maximum work per tick with this budget, counted as the papers do.
    fn limits(&self, budget: u64) -> Limits {
        Limits::per_unit(budget)
    }

    /// Starts a walk. Should not allocate, because agents are created by the thousand.
    fn begin<M: Map>(&mut self, map: &M, start: NodeId, goal: NodeId, keep: Keep);

    /// The agent has taken the step that was decided.
    fn moved(&mut self, from: NodeId, to: NodeId) {
        let _ = (from, to);
    }

    /// The agent is neither where it was nor where its step leads. By default the policy starts again from there and
    /// keeps what it has learned.
    fn displaced<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) {
        self.begin(cx.map, cx.at, cx.goal, Keep::Learned);
    }

    /// Processes the reported changes.
    fn heed<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, changed: &[NodeId]);

    /// Searches within the slice and decides what to do. The agent is not at its goal.
    fn decide<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) -> Decision;

    /// The map changed without being reported in `Seen`, or the current plan is no longer usable. By default the policy
    /// starts again from the agent's position and keeps what it has learned.
    fn replan<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) {
        self.begin(cx.map, cx.at, cx.goal, Keep::Learned);
    }

    /// The goal has moved from the node `from` to the context's goal. Called between ticks, with the agent's position in
    /// the last tick, and with a slice that only takes charges and events, for the next tick. By default this is a
    /// new task.
    fn retarget<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, from: NodeId) {
        let _ = from;
        self.begin(cx.map, cx.at, cx.goal, Keep::Nothing);
    }

    /// Whether `decide`, which has just decided on a step, should be called again in the same tick if there is time
    /// left: it continues its search, and may decide better. A deadline may end that call early.
    fn can_improve(&self) -> bool {
        false
    }

    /// It is known that no path exists at present: called in each tick instead of `decide`.
    fn no_way(&mut self) {}

    /// The agent is at its goal and can return memory that a new walk does not need. Called in each tick in which it
    /// stays there.
    fn rest(&mut self, slice: &mut Slice<'_>) {
        let _ = slice;
    }

    /// The node it is currently heading for: this goal, or the end of the path it follows.
    fn target(&self, goal: NodeId) -> Option<NodeId>;

    /// The path it has found, for an agent at node `at`.
    fn plan(&self, at: NodeId) -> Option<Vec<NodeId>>;

    /// See [`AgentState::region_tree`].
    fn region_tree(&self, regions: &Regions) -> Vec<(Cell, Cell)> {
        let _ = regions;
        Vec::new()
    }

    /// Allocates from this pool from now on. Called before anything is allocated.
    fn set_pool(&mut self, pool: &Pool);

    /// Heap memory in bytes.
    fn bytes(&self) -> usize;
}

/// An agent driven by a policy.
///
/// A clone has its own memory, outside any pool.
#[derive(Clone, Debug)]
pub struct Walker<P> {
    pub(crate) policy: P,
    at: NodeId,
    goal: NodeId,
    /// Where the last step leads.
    intent: Option<NodeId>,
    verdict: Verdict,
    /// The policy must begin again, without what it has learned.
    reset: bool,
    /// Visits to list entries since the last tick, not yet charged to a slice.
    debt: u64,
    /// The search was restarted since the last tick, which has not been reported yet.
    restarted: bool,
}

/// The units with which an agent under a deadline decides first.
const FIRST_ROUND: u64 = 32;

/// The result of deciding once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Thought {
    Step(Step),
    /// The plan was dropped: wait.
    Dropped,
}

impl Thought {
    fn step(self) -> Step {
        match self {
            Thought::Step(step) => step,
            Thought::Dropped => Step::Wait,
        }
    }
}

/// Whether a path to the goal exists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    /// Not determined since the last change.
    Unknown,
    /// A path exists, or the policy will determine whether one does.
    Possible,
    /// No path existed at the last check.
    NoPath,
}

impl<P: Policy> Walker<P> {
    /// An agent at `start` that walks to `goal` as this policy decides.
    ///
    /// # Errors
    /// If the start or goal is not passable, or the map does not meet the policy's requirements.
    pub fn with_policy(
        policy: P,
        map: &impl Map,
        start: NodeId,
        goal: NodeId,
    ) -> Result<Walker<P>, AgentError> {
        let (at, intent, verdict, reset) = (start, None, Verdict::Unknown, false);
        let mut walker =
            Walker { policy, at, goal, intent, verdict, reset, debt: 0, restarted: false };
        walker.begin(map, start, goal, Keep::Nothing)?;
        Ok(walker)
    }

    /// The same agent, allocating from this pool. Call it before the first tick; a later call discards what the agent
    /// has found and learned.
    #[must_use]
    pub fn with_pool(mut self, pool: &Pool) -> Walker<P> {
        self.policy.set_pool(pool);
        self.reset = true;
        self
    }

    /// The position expected in the next tick, which is where the last step leads.
    pub fn position(&self) -> NodeId {
        self.intent.unwrap_or(self.at)
    }

    /// The goal.
    pub fn goal(&self) -> NodeId {
        self.goal
    }

    /// The node it is currently heading for: the goal, or the end of the path it follows.
    pub fn target(&self) -> Option<NodeId> {
        self.policy.target(self.goal)
    }

    /// The path it has found: see [`AgentState::plan`].
    pub fn plan(&self) -> Option<Vec<NodeId>> {
        self.policy.plan(self.position())
    }

    /// The maximum work per tick with this budget, counted as the papers do.
    pub fn limits(&self, budget: u64) -> Limits {
        self.policy.limits(budget)
    }

    /// Memory in bytes, including memory from the pool but excluding the map.
    pub fn bytes(&self) -> usize {
        size_of::<Walker<P>>() + self.policy.bytes()
    }

    /// Decides again and again, with more and more units, until the deadline has passed or nothing can be improved.
    /// Returns the last step that was decided on.
    fn think_until_deadline<M: Map>(
        &mut self,
        map: &M,
        at: NodeId,
        changed: &[NodeId],
        slice: &mut Slice<'_>,
    ) -> Step {
        let mut units = FIRST_ROUND;
        let mut step = self.think_with(units, map, at, changed, slice).step();
        loop {
            let unfinished = match step {
                Step::Move(_) => self.policy.can_improve(),
                Step::Wait => true,
                Step::Arrived | Step::Unreachable => false,
            };
            if !unfinished || slice.is_over() || slice.remaining() == 0 {
                return step;
            }
            let (decided, spent) = (self.intent, slice.spent());
            units = units.saturating_mul(2);
            slice.forget_step();
            match self.think_with(units, map, at, &[], slice) {
                // The deadline came before a better decision.
                Thought::Step(Step::Wait) if decided.is_some() => self.intent = decided,
                thought => step = thought.step(),
            }
            if slice.spent() == spent {
                return step;
            }
        }
    }

    fn think_with<M: Map>(
        &mut self,
        units: u64,
        map: &M,
        at: NodeId,
        changed: &[NodeId],
        slice: &mut Slice<'_>,
    ) -> Thought {
        slice.part(units, |slice| {
            let limits = self.policy.limits(slice.budget());
            slice.within(limits, |slice| self.think(map, at, changed, slice))
        })
    }

    fn begin(
        &mut self,
        map: &impl Map,
        start: NodeId,
        goal: NodeId,
        keep: Keep,
    ) -> Result<(), AgentError> {
        EndpointError::check(map, start, goal)?;
        let needs = self.policy.needs();
        if needs.reversible_edges && !map.is_reversible() {
            return Err(AgentError::NeedsReversibleEdges);
        }
        needs.check_plan(map)?;
        (self.at, self.goal, self.intent) = (start, goal, None);
        self.verdict = Verdict::Unknown;
        self.reset = false;
        self.policy.begin(map, start, goal, keep);
        Ok(())
    }

    fn think<M: Map>(
        &mut self,
        map: &M,
        at: NodeId,
        changed: &[NodeId],
        slice: &mut Slice<'_>,
    ) -> Thought {
        if at != self.goal && !map.contains(at) {
            // From a blocked position no step is possible. The policy need not know of it.
            if !changed.is_empty() {
                self.verdict = Verdict::Unknown;
                self.policy.heed(&mut Cx { map, at: self.at, goal: self.goal, slice }, changed);
            }
            return Thought::Step(Step::Unreachable);
        }
        let (before, intent) = (self.at, self.intent.take());
        self.at = at;
        if std::mem::take(&mut self.reset) {
            self.verdict = Verdict::Unknown;
            self.policy.begin(map, at, self.goal, Keep::Nothing);
        }
        let cx = &mut Cx { map, at, goal: self.goal, slice };
        if intent == Some(at) {
            self.policy.moved(before, at);
        } else if at != before {
            self.verdict = Verdict::Unknown;
            self.policy.displaced(cx);
        }
        if !changed.is_empty() {
            self.verdict = Verdict::Unknown;
            cx.slice.charge_changes(changed.len());
            self.policy.heed(cx, changed);
        }
        if at == self.goal {
            self.policy.rest(cx.slice);
            return Thought::Step(Step::Arrived);
        }
        if self.has_no_path(map) {
            self.policy.no_way();
            return Thought::Step(Step::Unreachable);
        }
        match self.policy.decide(cx) {
            Decision::Go(to) if map.edge(at, to).is_some() => {
                self.intent = Some(to);
                Thought::Step(Step::Move(to))
            }
            Decision::Go(_) | Decision::Stale => {
                cx.slice.note(Event::Restart);
                self.verdict = Verdict::Unknown;
                self.policy.replan(cx);
                Thought::Dropped
            }
            Decision::Wait => Thought::Step(Step::Wait),
            Decision::NoWay => {
                self.verdict = Verdict::NoPath;
                Thought::Step(Step::Unreachable)
            }
        }
    }

    /// Whether it is known that no path exists. A hierarchy determines this so cheaply that it is queried again in each
    /// tick in which none exists.
    fn has_no_path(&mut self, map: &impl Map) -> bool {
        let query = self.policy.needs().hierarchy && self.verdict != Verdict::Possible;
        if let Some(levels) = map.hierarchy().filter(|_| query) {
            let path_exists = map.contains(self.goal) && levels.reachable(self.at, self.goal);
            self.verdict = if path_exists { Verdict::Possible } else { Verdict::NoPath };
        }
        self.verdict == Verdict::NoPath
    }
}

impl<P: Policy, M: Map> Agent<M> for Walker<P> {
    fn tick(&mut self, map: &M, at: NodeId, seen: Seen<'_>, slice: &mut Slice<'_>) -> Step {
        if self.policy.needs().check_plan(map).is_err() {
            // The map had what the agent plans on when the task was assigned, and may have it again later. What changes meanwhile
            // is not processed.
            self.reset |= !seen.changed.is_empty();
            return if at == self.goal { Step::Arrived } else { Step::Wait };
        }
        self.debt = slice.settle_entries(self.debt);
        if std::mem::take(&mut self.restarted) {
            slice.note(Event::Restart);
        }
        if slice.has_deadline() {
            return self.think_until_deadline(map, at, seen.changed, slice);
        }
        let limits = self.policy.limits(slice.budget());
        slice.within(limits, |slice| self.think(map, at, seen.changed, slice)).step()
    }

    fn assign(&mut self, map: &M, start: NodeId, goal: NodeId) -> Result<(), AgentError> {
        self.begin(map, start, goal, Keep::Nothing)
    }

    fn retarget(&mut self, map: &M, goal: NodeId) -> Result<(), AgentError> {
        EndpointError::check(map, goal, goal)?;
        if goal != self.goal {
            let from = std::mem::replace(&mut self.goal, goal);
            self.verdict = Verdict::Unknown;
            let mut slice = Slice::metered(0);
            let cx = &mut Cx { map, at: self.at, goal, slice: &mut slice };
            if self.policy.needs().check_plan(map).is_err() {
                self.reset = true;
            } else {
                self.policy.retarget(cx, from);
            }
            self.debt = self.debt.saturating_add(slice.entries());
            self.restarted |= slice.has(Event::Restart);
        }
        Ok(())
    }

    fn restart(&mut self, map: &M, start: NodeId) -> Result<(), AgentError> {
        self.begin(map, start, self.goal, Keep::Learned)
    }
}

impl<P: Policy> AgentState for Walker<P> {
    fn position(&self) -> NodeId {
        self.position()
    }

    fn goal(&self) -> NodeId {
        self.goal
    }

    fn target(&self) -> Option<NodeId> {
        self.policy.target(self.goal)
    }

    fn plan(&self) -> Option<Vec<NodeId>> {
        self.policy.plan(self.position())
    }

    fn region_tree(&self, regions: &Regions) -> Vec<(Cell, Cell)> {
        self.policy.region_tree(regions)
    }

    fn limits(&self, budget: u64) -> Limits {
        self.policy.limits(budget)
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }
}
