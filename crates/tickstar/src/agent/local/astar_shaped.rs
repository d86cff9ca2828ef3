//! A lookahead shaped by A*: RTAA*, its depression-avoiding relatives, and LSS-LRTA*.

use super::backup::Backup;
use super::{Avoid, Commitment, Lesson, Thought};
use crate::{BestFirst, Cost, Event, NodeId, OpenList, SearchConfig, Slice, Space, Status, Work};

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
        }
    }

    /// The estimate of a node on the way to a goal.
    pub fn estimate(&self, space: &impl Space, node: NodeId, goal: NodeId) -> Cost {
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

    /// Drops all that was learned.
    pub fn forget(&mut self) {
        self.search.note_opening();
    }

    /// Drops what is under way.
    pub fn drop_plan(&mut self) {
        self.phase = Phase::Begin;
        self.target = None;
    }

    /// Drops what is under way, unless it is a path that can still be walked.
    pub fn heed(&mut self, space: &impl Space, at: NodeId, slice: &mut Slice<'_>) {
        let mut from = at;
        let holds = self.phase == Phase::Walk
            && self.path.iter().rev().all(|&to| {
                let edge = space.edge(from, to);
                from = to;
                edge.is_some() && slice.traces() < slice.budget() && slice.trace(to)
            });
        if !holds {
            self.drop_plan();
        }
    }

    pub fn think(
        &mut self,
        space: &impl Space,
        at: NodeId,
        goal: NodeId,
        slice: &mut Slice<'_>,
    ) -> Thought {
        loop {
            let answer = match self.phase {
                Phase::Begin => {
                    self.search.start(space, at, goal);
                    if self.lesson == Lesson::Region {
                        self.backup.begin(space);
                    }
                    self.phase = Phase::Look;
                    None
                }
                Phase::Look => self.look(space, at, slice),
                Phase::Learn => self.learn(space, slice),
                Phase::Trace => self.trace(at, slice),
                Phase::Walk => Some(self.step()),
            };
            if let Some(thought) = answer {
                return thought;
            }
        }
    }

    /// Searches as far as the tick lets it. Answers, as what follows, if the tick ends with that.
    fn look(&mut self, space: &impl Space, at: NodeId, slice: &mut Slice<'_>) -> Option<Thought> {
        let before = self.search.estimate(space, at);
        let status = match self.lesson {
            Lesson::Uniform => self.search.run(space, slice),
            Lesson::Region => {
                let backup = &mut self.backup;
                let budget = slice.budget();
                let mut note = |work: Work| {
                    let Work::Expand(node) = work else { return true };
                    let go_on = slice.expand(node);
                    if go_on {
                        backup.enter(node, Cost::ZERO);
                    }
                    go_on
                };
                self.search.run(space, &mut Slice::watched(budget, &mut note))
            }
        };
        if status == Status::Exhausted {
            self.drop_plan();
            return Some(Thought::Unreachable);
        }
        let best = self.search.best().filter(|&best| best != at);
        let Some(best) = best else { return Some(Thought::Wait) };
        let f = self.search.cost_to(best).unwrap_or_default() + self.search.estimate(space, best);
        if f > self.search.bound(space) {
            self.drop_plan();
            return Some(Thought::Unreachable);
        }
        if f > before {
            slice.note(Event::Learned);
        }
        let target = if status == Status::Reached { best } else { self.choose(space, best) };
        self.target = Some(target);
        self.path.clear();
        self.path.push(target);
        self.phase = if self.lesson == Lesson::Region { Phase::Learn } else { Phase::Trace };
        None
    }

    /// The open node to walk towards.
    fn choose(&self, space: &impl Space, best: NodeId) -> NodeId {
        let goal = self.search.goal();
        let raised = |node, h: Cost| h - space.estimate(node, goal);
        let chosen = match self.avoid {
            Avoid::Nothing => None,
            Avoid::Raised => {
                self.search.best_by(|node, h| Cost(u64::from(raised(node, h) > Cost::ZERO)))
            }
            Avoid::MostRaised => self.search.best_by(raised),
        };
        chosen.unwrap_or(best)
    }

    /// Learns how far the nodes expanded are from the goal at least. All estimates are raised at once when
    /// that is known: half of them would not be consistent with the other half. None of them is below what
    /// it was, as the estimates are consistent, and so no floor is needed.
    fn learn(&mut self, space: &impl Space, slice: &mut Slice<'_>) -> Option<Thought> {
        let search = &self.search;
        let rim = |node| search.known(node, space.estimate(node, search.goal()));
        if !self.backup.spread(space, rim, slice) {
            return Some(Thought::Wait);
        }
        if self.backup.values().any(|(_, value)| value == Cost::INFINITE) {
            // No way leads out any more: the map has changed, and nobody told.
            self.drop_plan();
            return Some(Thought::Wait);
        }
        for (node, value) in self.backup.values() {
            self.search.raise(node, value);
        }
        self.phase = Phase::Trace;
        None
    }

    /// Traces the path from the target back to the agent.
    fn trace(&mut self, at: NodeId, slice: &mut Slice<'_>) -> Option<Thought> {
        while let Some(parent) =
            self.path.last().and_then(|&node| self.search.parent(node)).filter(|&node| node != at)
        {
            if slice.traces() >= slice.budget() || !slice.trace(parent) {
                return Some(Thought::Wait);
            }
            self.path.push(parent);
        }
        self.phase = Phase::Walk;
        None
    }

    /// The next step of the path.
    fn step(&mut self) -> Thought {
        let next = self.path.pop();
        if self.commitment == Commitment::Step || self.path.is_empty() {
            self.phase = Phase::Begin;
        }
        next.map_or(Thought::Wait, Thought::Go)
    }

    pub fn bytes(&self) -> usize {
        self.search.bytes() + self.backup.bytes() + self.path.capacity() * size_of::<NodeId>()
    }
}
