//! A lookahead by A*: RTAA*, its depression-avoiding variants, and LSS-LRTA*.

use super::{Avoid, Commitment, Cx, Decision, Update};
use crate::search::{Backup, Toward};
use crate::{
    BestFirst, Cost, Event, Map, NodeId, OpenList, Pool, SearchConfig, Slice, Status, Work,
};

#[derive(Clone, Debug)]
pub(super) struct AstarShaped {
    update: Update,
    avoid: Avoid,
    commitment: Commitment,
    search: BestFirst,
    stage: Stage,
    target: Option<NodeId>,
    /// From the target back to the agent's next step, which is last.
    path: Vec<NodeId>,
    /// The path of the previous lookahead in the same tick.
    previous: Vec<NodeId>,
    /// The lookahead that led to the path did not reach the goal, so that a larger one may lead to a better path. Until
    /// the agent moves, `think` looks ahead again.
    repeat: bool,
    /// The expanded nodes, if the update needs them.
    backup: Backup,
    /// The learned heuristic was discarded after the search started: its result is good for a step, but not for an
    /// update.
    outdated: bool,
}

/// What comes next. A tick that is cut short resumes here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Start a search from the agent's position.
    Begin,
    Look,
    Learn,
    Trace,
    /// Walk along the path.
    Walk,
}

impl AstarShaped {
    pub fn new(
        open: OpenList,
        update: Update,
        avoid: Avoid,
        commitment: Commitment,
    ) -> AstarShaped {
        let search = SearchConfig { open, learn: true, ..SearchConfig::default() };
        AstarShaped {
            update,
            avoid,
            commitment,
            search: BestFirst::new(search),
            stage: Stage::Begin,
            target: None,
            path: Vec::new(),
            previous: Vec::new(),
            repeat: false,
            backup: Backup::default(),
            outdated: false,
        }
    }

    /// The heuristic of a node for this goal.
    pub fn estimate(&self, space: &impl Map, node: NodeId, goal: NodeId) -> Cost {
        if self.search.goal() == goal {
            self.search.estimate(space, node)
        } else {
            space.estimate(node, goal)
        }
    }

    pub fn target(&self) -> Option<NodeId> {
        self.target
    }

    pub fn plan(&self) -> Option<Vec<NodeId>> {
        let found = self.search.status() == Status::Reached && self.target.is_some();
        self.search.path_to(self.search.goal()).filter(|_| found)
    }

    /// Discards the learned heuristic. A search in progress continues.
    pub fn forget(&mut self) {
        self.search.note_opening();
        self.outdated = true;
    }

    /// Drops the search or path in progress.
    pub fn drop_plan(&mut self) {
        self.stage = Stage::Begin;
        self.target = None;
        self.previous.clear();
        self.repeat = false;
    }

    /// Whether looking ahead again, with a larger budget, may lead to a better step.
    pub fn can_improve(&self) -> bool {
        self.repeat
    }

    /// Processes changes: drops a path that is no longer passable, or a search that the change affects.
    pub fn heed<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, changed: &[NodeId]) {
        let mut from = cx.at;
        let mut holds = true;
        if self.stage == Stage::Walk {
            holds = self.path.iter().rev().all(|&to| {
                let edge = cx.map.edge(from, to);
                from = to;
                edge.is_some() && cx.slice.trace(to)
            });
        } else {
            let generated = |node| self.search.cost_to(node).is_some();
            for &node in changed {
                cx.map.for_each_dependent(node, |near| holds &= !generated(near));
            }
        }
        if !holds {
            self.drop_plan();
        }
    }

    pub fn think<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) -> Decision {
        let Cx { map, at, goal, ref mut slice } = *cx;
        if slice.has_deadline() {
            if self.stage != Stage::Walk && !self.previous.is_empty() {
                self.restore();
            }
            if self.stage == Stage::Walk && std::mem::take(&mut self.repeat) {
                std::mem::swap(&mut self.path, &mut self.previous);
                self.stage = Stage::Begin;
            }
        }
        loop {
            let outcome = match self.stage {
                Stage::Begin => {
                    self.search.start(map, at, goal);
                    self.backup.begin();
                    self.outdated = false;
                    self.stage = Stage::Look;
                    None
                }
                Stage::Look => self.look(map, at, slice),
                Stage::Learn => self.learn(map, slice),
                Stage::Trace => self.trace(at, slice),
                Stage::Walk => {
                    Some(self.path.last().map_or(Decision::Wait, |&to| Decision::Go(to)))
                }
            };
            if let Some(decision) = outcome {
                return decision;
            }
        }
    }

    /// Searches as far as the tick allows. Returns a decision if the tick ends here.
    fn look(&mut self, space: &impl Map, at: NodeId, slice: &mut Slice<'_>) -> Option<Decision> {
        let before = self.search.estimate(space, at);
        // The rest of the budget must suffice for updates and tracing.
        let updates = if self.update == Update::Region { 2 } else { 0 };
        let expansions = slice.remaining_with(updates, 1);
        let (search, backup) = (&mut self.search, &mut self.backup);
        let status = slice.part(expansions, |slice| match self.update {
            Update::Uniform => search.run(space, slice),
            Update::Region => {
                let budget = slice.remaining();
                let mut note = |work: Work| {
                    let Work::Expand { node, .. } = work else { return true };
                    let go_on = slice.expand(node);
                    if go_on {
                        backup.enter(node, Cost::ZERO);
                    }
                    go_on
                };
                let mut inner = Slice::watched(budget, &mut note);
                let status = search.run(space, &mut inner);
                let entries = inner.entries();
                slice.charge_entries(entries);
                status
            }
        });
        if status == Status::Exhausted {
            self.drop_plan();
            return Some(Decision::NoWay);
        }
        let best = self.search.best().filter(|&best| best != at);
        let Some(best) = best else { return Some(Decision::Wait) };
        let f = self.search.cost_to(best).unwrap_or_default() + self.search.estimate(space, best);
        if f > self.search.bound(space.max_edge_cost()) && !self.outdated {
            self.drop_plan();
            return Some(Decision::NoWay);
        }
        if f > before {
            slice.note(Event::Learned);
        }
        let target = if status == Status::Reached { best } else { self.choose(space, best, slice) };
        self.target = Some(target);
        self.path.clear();
        self.path.push(target);
        self.stage = if self.update == Update::Region { Stage::Learn } else { Stage::Trace };
        None
    }

    /// The open node to walk toward.
    fn choose(&self, space: &impl Map, best: NodeId, slice: &mut Slice<'_>) -> NodeId {
        let goal = self.search.goal();
        let raised = |node, h: Cost| h - space.estimate(node, goal);
        let chosen = match self.avoid {
            Avoid::Nothing => None,
            Avoid::Raised => {
                self.search.best_by(|node, h| Cost(u64::from(raised(node, h) > Cost::ZERO)), slice)
            }
            Avoid::MostRaised => self.search.best_by(raised, slice),
        };
        chosen.unwrap_or(best)
    }

    /// Computes lower bounds on the distance from the expanded nodes to the goal. All heuristics are raised together
    /// when every bound is known; a partial update would be inconsistent with the rest. None of them decreases, as the
    /// heuristic is consistent, and so no floor is needed.
    fn learn(&mut self, space: &impl Map, slice: &mut Slice<'_>) -> Option<Decision> {
        let search = &self.search;
        let rim = |node| search.known(node, space.estimate(node, search.goal()));
        if !self.backup.spread(&Toward { map: space, goal: search.goal() }, rim, slice) {
            return Some(Decision::Wait);
        }
        if self.backup.values().any(|(_, value)| value == Cost::INFINITE) {
            // No exit is left: the map changed without being reported in `Seen`.
            return Some(Decision::Stale);
        }
        for (node, value) in self.backup.values().filter(|_| !self.outdated) {
            self.search.raise(node, value);
        }
        self.stage = Stage::Trace;
        None
    }

    /// Traces the path from the target back to the agent.
    fn trace(&mut self, at: NodeId, slice: &mut Slice<'_>) -> Option<Decision> {
        while let Some(parent) =
            self.path.last().and_then(|&node| self.search.parent(node)).filter(|&node| node != at)
        {
            if !slice.trace(parent) {
                return Some(Decision::Wait);
            }
            self.path.push(parent);
        }
        self.stage = Stage::Walk;
        self.previous.clear();
        self.repeat = self.search.status() == Status::Working;
        None
    }

    /// A deadline ended the last lookahead early: returns to the path of the previous one.
    fn restore(&mut self) {
        std::mem::swap(&mut self.path, &mut self.previous);
        self.previous.clear();
        (self.stage, self.repeat) = (Stage::Walk, true);
    }

    /// The step has been taken.
    pub fn moved(&mut self, to: NodeId) {
        if self.stage != Stage::Walk && self.previous.last() == Some(&to) {
            self.restore();
        }
        self.previous.clear();
        self.repeat = false;
        self.path.pop();
        if self.commitment == Commitment::Step || self.path.is_empty() {
            self.stage = Stage::Begin;
        }
    }

    pub fn set_pool(&mut self, pool: &Pool) {
        self.search.set_pool(pool);
        self.backup.set_pool(pool);
    }

    pub fn bytes(&self) -> usize {
        let nodes = self.path.capacity() + self.previous.capacity();
        self.search.bytes() + self.backup.bytes() + nodes * size_of::<NodeId>()
    }
}
