//! A lookahead shaped by A*: RTAA*, its depression-avoiding relatives, and LSS-LRTA*.

use super::backup::Backup;
use super::{Avoid, Commitment, Cx, Decision, Lesson};
use crate::search::Toward;
use crate::{
    BestFirst, Cost, Event, Map, NodeId, OpenList, Pool, SearchConfig, Slice, Status, Work,
};

#[derive(Clone, Debug)]
pub(super) struct AstarShaped {
    lesson: Lesson,
    avoid: Avoid,
    commitment: Commitment,
    search: BestFirst,
    phase: Phase,
    target: Option<NodeId>,
    /// From the target back towards the agent, whose next step is the last.
    path: Vec<NodeId>,
    /// The nodes expanded, if the lesson needs them.
    backup: Backup,
    /// What was learned has been forgotten since the search began: it is good for a step, but not to learn from.
    outdated: bool,
}

/// What comes next. A tick that is cut short goes on where it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Begin a search from where the agent stands.
    Begin,
    Look,
    Learn,
    Trace,
    /// Walk on along the path.
    Walk,
}

impl AstarShaped {
    pub fn new(
        open: OpenList,
        lesson: Lesson,
        avoid: Avoid,
        commitment: Commitment,
    ) -> AstarShaped {
        let search = SearchConfig { open, learn: true, ..SearchConfig::default() };
        AstarShaped {
            lesson,
            avoid,
            commitment,
            search: BestFirst::new(search),
            phase: Phase::Begin,
            target: None,
            path: Vec::new(),
            backup: Backup::default(),
            outdated: false,
        }
    }

    /// The estimate of a node on the way to a goal.
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

    /// Drops all that was learned. A search under way goes on.
    pub fn forget(&mut self) {
        self.search.note_opening();
        self.outdated = true;
    }

    /// Drops what is under way.
    pub fn drop_plan(&mut self) {
        self.phase = Phase::Begin;
        self.target = None;
    }

    /// Takes in what has changed: drops a path that cannot be walked any more, or a search that the change
    /// concerns.
    pub fn heed<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, changed: &[NodeId]) {
        let mut from = cx.at;
        let mut holds = true;
        if self.phase == Phase::Walk {
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
        loop {
            let answer = match self.phase {
                Phase::Begin => {
                    self.search.start(map, at, goal);
                    self.backup.begin();
                    self.outdated = false;
                    self.phase = Phase::Look;
                    None
                }
                Phase::Look => self.look(map, at, slice),
                Phase::Learn => self.learn(map, slice),
                Phase::Trace => self.trace(at, slice),
                Phase::Walk => {
                    Some(self.path.last().map_or(Decision::Wait, |&to| Decision::Go(to)))
                }
            };
            if let Some(decision) = answer {
                return decision;
            }
        }
    }

    /// Searches as far as the tick lets it. Returns a decision if the tick ends with that.
    fn look(&mut self, space: &impl Map, at: NodeId, slice: &mut Slice<'_>) -> Option<Decision> {
        let before = self.search.estimate(space, at);
        // What is left must do for learning and tracing.
        let updates = if self.lesson == Lesson::Region { 2 } else { 0 };
        let expansions = slice.remaining_with(updates, 1);
        let (search, backup) = (&mut self.search, &mut self.backup);
        let status = slice.part(expansions, |slice| match self.lesson {
            Lesson::Uniform => search.run(space, slice),
            Lesson::Region => {
                let budget = slice.remaining();
                let mut note = |work: Work| {
                    let Work::Expand { node, .. } = work else { return true };
                    let go_on = slice.expand(node);
                    if go_on {
                        backup.enter(node, Cost::ZERO);
                    }
                    go_on
                };
                search.run(space, &mut Slice::watched(budget, &mut note))
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
        self.phase = if self.lesson == Lesson::Region { Phase::Learn } else { Phase::Trace };
        None
    }

    /// The open node to walk towards.
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

    /// Learns how far the nodes expanded are from the goal at least. All estimates are raised at once when
    /// that is known: half of them would not be consistent with the other half. None of them is below what
    /// it was, as the estimates are consistent, and so no floor is needed.
    fn learn(&mut self, space: &impl Map, slice: &mut Slice<'_>) -> Option<Decision> {
        let search = &self.search;
        let rim = |node| search.known(node, space.estimate(node, search.goal()));
        if !self.backup.spread(&Toward { map: space, goal: search.goal() }, rim, slice) {
            return Some(Decision::Wait);
        }
        if self.backup.values().any(|(_, value)| value == Cost::INFINITE) {
            // No way leads out any more: the map changed without being reported in `Seen`.
            return Some(Decision::Stale);
        }
        for (node, value) in self.backup.values().filter(|_| !self.outdated) {
            self.search.raise(node, value);
        }
        self.phase = Phase::Trace;
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
        self.phase = Phase::Walk;
        None
    }

    /// The step has been taken.
    pub fn moved(&mut self) {
        self.path.pop();
        if self.commitment == Commitment::Step || self.path.is_empty() {
            self.phase = Phase::Begin;
        }
    }

    pub fn set_pool(&mut self, pool: &Pool) {
        self.search.set_pool(pool);
        self.backup.set_pool(pool);
    }

    pub fn bytes(&self) -> usize {
        self.search.bytes() + self.backup.bytes() + self.path.capacity() * size_of::<NodeId>()
    }
}
