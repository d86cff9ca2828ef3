//! The driver of all agents: arrival, legal steps, unreachable goals, and steps that were not taken.

use super::{Agent, AgentError, AgentState, Seen, Step};
use crate::{EndpointError, Event, Hierarchy, Limits, Map, NodeId, Pool, Slice};

/// What a policy sees of one tick.
#[derive(Debug)]
pub struct Cx<'t, 'w, M> {
    /// The map as the agent knows it.
    pub map: &'t M,
    /// Where the agent stands.
    pub at: NodeId,
    /// Where it is to go.
    pub goal: NodeId,
    /// The budget of the tick.
    pub slice: &'t mut Slice<'w>,
}

impl<'t, M: Map> Cx<'t, '_, M> {
    /// The map's hierarchy.
    ///
    /// # Panics
    /// If the policy does not say that it needs one: see [`Policy::needs`].
    pub fn hierarchy(&self) -> &'t Hierarchy {
        self.map.hierarchy().expect("a policy that needs a hierarchy is asked only if there is one")
    }
}

/// What a policy decides to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Go to this node. If no edge leads there any more, the agent waits, and the policy is asked to
    /// [replan](Policy::replan).
    Go(NodeId),
    /// Stay for now.
    Wait,
    /// There is no way to the goal. The policy is not asked again until something changes.
    NoWay,
    /// What was planned is of no use any more: wait and [replan](Policy::replan).
    Stale,
}

/// What a new walk keeps of the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// Nothing: it is a new task.
    Nothing,
    /// What was learned about the map, for the same goal.
    Learned,
}

/// What a policy asks of the map.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// Every edge can be walked back at the same cost.
    pub reversible_edges: bool,
    /// The map has a [`Hierarchy`]. Whether there is a way at all is then known without the policy.
    pub hierarchy: bool,
}

/// An algorithm: decides what an agent does next. [`Walker`] makes an agent of it.
///
/// In each tick `moved` or `displaced` is called if the agent stands elsewhere than before, then `heed` if changes
/// are reported, and then, if it has not arrived and there may be a way, `decide`. A step that was refused
/// is not reported: `decide` is just asked again at the same place, and should then decide the same at little
/// cost.
pub trait Policy: Send + Sync {
    /// What it asks of the map.
    fn needs(&self) -> Needs;

    /// What one tick of this budget may do at most, counted as the papers do.
    fn limits(&self, budget: u64) -> Limits {
        Limits::per_unit(budget)
    }

    /// Begins a walk. Should allocate nothing: agents are made by the thousand.
    fn begin<M: Map>(&mut self, map: &M, start: NodeId, goal: NodeId, keep: Keep);

    /// The agent has taken the step that was decided on.
    fn moved(&mut self, from: NodeId, to: NodeId) {
        let _ = (from, to);
    }

    /// The agent stands neither where it stood nor where its step led. By default it begins anew from there, with
    /// what it has learned.
    fn displaced<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) {
        self.begin(cx.map, cx.at, cx.goal, Keep::Learned);
    }

    /// Takes in what has changed.
    fn heed<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, changed: &[NodeId]);

    /// Thinks within the slice, and decides what to do. The agent is not at its goal.
    fn decide<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) -> Decision;

    /// The map changed without being reported in `Seen`, or what was planned is of no use any more. By default it
    /// begins anew from where the agent stands, with what it has learned.
    fn replan<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) {
        self.begin(cx.map, cx.at, cx.goal, Keep::Learned);
    }

    /// It is known that there is no way at present: called in each tick instead of `decide`.
    fn no_way(&mut self) {}

    /// The agent is at its goal: time to return memory that a new walk does not need. Called in each tick that it
    /// stays there.
    fn rest(&mut self) {}

    /// The node it is heading for at present: this goal, or the end of the path it follows.
    fn target(&self, goal: NodeId) -> Option<NodeId>;

    /// The path it has found, for an agent that stands here.
    fn plan(&self, at: NodeId) -> Option<Vec<NodeId>>;

    /// Takes memory from this pool from now on. Called before anything is allocated.
    fn set_pool(&mut self, pool: &Pool);

    /// Heap memory in bytes.
    fn bytes(&self) -> usize;
}

/// An agent that is driven by a policy.
#[derive(Clone, Debug)]
pub struct Walker<P> {
    pub(super) policy: P,
    at: NodeId,
    goal: NodeId,
    /// Where the last step leads to.
    intent: Option<NodeId>,
    verdict: Verdict,
}

/// Whether there is a way to the goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    /// It has not been asked since something changed.
    Unknown,
    /// There is, or the policy will find out.
    Hopeful,
    /// There was none when it was last asked.
    Hopeless,
}

impl<P: Policy> Walker<P> {
    /// An agent at `start`, to go to `goal`, that does what this policy decides.
    ///
    /// # Errors
    /// When the start or goal cannot be stood on, or the map is not what the policy needs.
    pub fn with_policy(
        policy: P,
        map: &impl Map,
        start: NodeId,
        goal: NodeId,
    ) -> Result<Walker<P>, AgentError> {
        let (at, intent, verdict) = (start, None, Verdict::Unknown);
        let mut walker = Walker { policy, at, goal, intent, verdict };
        walker.begin(map, start, goal, Keep::Nothing)?;
        Ok(walker)
    }

    /// The same agent with memory from this pool. To be called before its first tick; later it would lose
    /// what it has found and learned.
    #[must_use]
    pub fn with_pool(mut self, pool: &Pool) -> Walker<P> {
        self.policy.set_pool(pool);
        self
    }

    /// Where the agent expects to stand in its next tick: where its last step led.
    pub fn position(&self) -> NodeId {
        self.intent.unwrap_or(self.at)
    }

    /// Where it is to go.
    pub fn goal(&self) -> NodeId {
        self.goal
    }

    /// The node it is heading for at present: the goal, or the end of the path it follows.
    pub fn target(&self) -> Option<NodeId> {
        self.policy.target(self.goal)
    }

    /// The path it has found: see [`AgentState::plan`].
    pub fn plan(&self) -> Option<Vec<NodeId>> {
        self.policy.plan(self.position())
    }

    /// What one tick of this budget may do at most, counted as the papers do.
    pub fn limits(&self, budget: u64) -> Limits {
        self.policy.limits(budget)
    }

    /// Memory in bytes, that of the pool included and the map not counted.
    pub fn bytes(&self) -> usize {
        size_of::<Walker<P>>() + self.policy.bytes()
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
        if needs.hierarchy && map.hierarchy().is_none() {
            return Err(AgentError::NeedsHierarchy);
        }
        (self.at, self.goal, self.intent) = (start, goal, None);
        self.verdict = Verdict::Unknown;
        self.policy.begin(map, start, goal, keep);
        Ok(())
    }

    fn think<M: Map>(
        &mut self,
        map: &M,
        at: NodeId,
        changed: &[NodeId],
        slice: &mut Slice<'_>,
    ) -> Step {
        let (before, intent) = (self.at, self.intent.take());
        self.at = at;
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
            self.policy.rest();
            return Step::Arrived;
        }
        if self.is_hopeless(map) {
            self.policy.no_way();
            return Step::Unreachable;
        }
        match self.policy.decide(cx) {
            Decision::Go(to) if map.edge(at, to).is_some() => {
                self.intent = Some(to);
                Step::Move(to)
            }
            Decision::Go(_) | Decision::Stale => {
                cx.slice.note(Event::Restart);
                self.verdict = Verdict::Unknown;
                self.policy.replan(cx);
                Step::Wait
            }
            Decision::Wait => Step::Wait,
            Decision::NoWay => {
                self.verdict = Verdict::Hopeless;
                Step::Unreachable
            }
        }
    }

    /// Whether it is known that there is no way. A hierarchy knows it in so little time that it is asked again in
    /// each tick while there is none.
    fn is_hopeless(&mut self, map: &impl Map) -> bool {
        let ask = self.policy.needs().hierarchy && self.verdict != Verdict::Hopeful;
        if let Some(levels) = map.hierarchy().filter(|_| ask) {
            let has_way = map.contains(self.goal) && levels.reachable(self.at, self.goal);
            self.verdict = if has_way { Verdict::Hopeful } else { Verdict::Hopeless };
        }
        self.verdict == Verdict::Hopeless
    }
}

impl<P: Policy, M: Map> Agent<M> for Walker<P> {
    fn tick(&mut self, map: &M, at: NodeId, seen: Seen<'_>, slice: &mut Slice<'_>) -> Step {
        if self.policy.needs().hierarchy && map.hierarchy().is_none() {
            // It had one when the agent was given its task; it may have one again.
            return if at == self.goal { Step::Arrived } else { Step::Wait };
        }
        let limits = self.policy.limits(slice.budget());
        slice.within(limits, |slice| self.think(map, at, seen.changed, slice))
    }

    fn assign(&mut self, map: &M, start: NodeId, goal: NodeId) -> Result<(), AgentError> {
        self.begin(map, start, goal, Keep::Nothing)
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

    fn limits(&self, budget: u64) -> Limits {
        self.policy.limits(budget)
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }
}
