//! A lookahead of a fixed number of steps in all directions: LRTA* as the 2009 paper runs it.

use super::backup::Backup;
use super::learned::Learned;
use super::problem::Problem;
use super::table::{Stamp, Stamped};
use crate::agent::Decision;
use crate::{Cost, Event, Map, NodeId, Pool, Skip, Slice};

/// LRTA*: its learned heuristic, and the lookahead in progress.
#[derive(Clone, Debug)]
pub(crate) struct Ball {
    depth: u32,
    /// The learned heuristic is kept for the whole task, and updates are reported as events.
    lasting: bool,
    learned: Learned,
    /// The position of each node in the current ball.
    steps: Stamped<Steps>,
    /// The generated nodes, in breadth-first order, each with the node it was generated from.
    list: Vec<(NodeId, NodeId)>,
    /// How many of them have been expanded or skipped.
    done: usize,
    /// The goal was skipped: it counts as a node on the frontier.
    met_goal: bool,
    /// The learned heuristic was discarded after the lookahead started: its result is good for a step, but not for an
    /// update.
    outdated: bool,
    stage: Stage,
    /// The expanded nodes.
    backup: Backup,
}

/// Steps from the agent to a node of the current ball.
#[derive(Clone, Copy, Debug, Default)]
struct Steps {
    stamp: u32,
    steps: u32,
}

impl Stamp for Steps {
    #[inline]
    fn stamp(&self) -> u32 {
        self.stamp
    }
}

/// What comes next. A tick that is cut short resumes here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Start a ball around the agent's position.
    Begin,
    Look,
    Learn,
}

impl Ball {
    pub fn new(depth: u32) -> Ball {
        Ball {
            depth,
            lasting: true,
            learned: Learned::default(),
            steps: Stamped::default(),
            list: Vec::new(),
            done: 0,
            met_goal: false,
            outdated: false,
            stage: Stage::Begin,
            backup: Backup::default(),
        }
    }

    /// Sets the depth, starting with the next lookahead.
    pub fn set_depth(&mut self, depth: u32) {
        self.depth = depth;
        self.drop_plan();
    }

    /// A ball whose learned heuristic is temporary: its updates are not reported as events.
    pub fn passing(depth: u32) -> Ball {
        Ball { lasting: false, ..Ball::new(depth) }
    }

    /// Discards the learned heuristic. A lookahead in progress continues.
    pub fn forget(&mut self) {
        self.learned.forget_all();
        self.outdated = true;
    }

    /// Drops the lookahead in progress.
    pub fn drop_plan(&mut self) {
        self.stage = Stage::Begin;
    }

    /// The goal has moved. The heuristic may be inconsistent, so that it is lowered by the cost of the step from the new
    /// goal to the old one, or discarded if that is not an edge.
    pub fn retarget(&mut self, map: &impl Map, from: NodeId, to: NodeId) {
        match map.edge(to, from) {
            Some(cost) => self.learned.move_goal(map, from, to, cost),
            None => self.learned.forget_all(),
        }
        self.drop_plan();
    }

    /// Processes changes. Only changed edges inside the ball restart it: otherwise an agent on a map that changes all
    /// the time would never complete a lookahead.
    pub fn heed(&mut self, map: &impl Map, changed: &[NodeId]) {
        let mut concerns = false;
        for &node in changed {
            map.for_each_dependent(node, |near| concerns |= self.steps.find(near).is_some());
        }
        if concerns {
            self.drop_plan();
        }
    }

    /// Returns the memory of the lookahead. What was learned is kept.
    pub fn rest(&mut self) {
        self.drop_plan();
        self.steps.pages_mut().release();
        self.steps.pages_mut().reclaim(256);
        self.list = Vec::new();
        self.backup.release();
    }

    pub fn set_pool(&mut self, pool: &Pool) {
        self.learned.set_pool(pool);
        self.steps.pages_mut().set_pool(pool);
        self.backup.set_pool(pool);
    }

    /// The heuristic of a node, given that of the map.
    pub fn estimate(&self, node: NodeId, plain: Cost) -> Cost {
        self.learned.known(node, plain)
    }

    pub fn think(
        &mut self,
        problem: &impl Problem,
        at: NodeId,
        goal: NodeId,
        slice: &mut Slice<'_>,
    ) -> Decision {
        loop {
            let outcome = match self.stage {
                Stage::Begin => {
                    self.begin(problem, at);
                    None
                }
                Stage::Look => self.look(problem, goal, slice),
                Stage::Learn => Some(self.learn(problem, at, goal, slice)),
            };
            if let Some(thought) = outcome {
                return thought;
            }
        }
    }

    fn begin(&mut self, problem: &impl Problem, at: NodeId) {
        self.steps.begin();
        self.list.clear();
        (self.done, self.met_goal, self.outdated) = (0, false, false);
        self.backup.begin();
        self.meet(at, at, 0, problem.estimate(at));
        self.stage = Stage::Look;
    }

    /// Adds a node to the ball if it is not there yet.
    #[inline]
    fn meet(&mut self, node: NodeId, from: NodeId, steps: u32, plain: Cost) {
        if self.steps.find(node).is_none() {
            self.steps.set(node, Steps { stamp: self.steps.now(), steps });
            self.list.push((node, from));
            self.learned.meet(node, || plain);
        }
    }

    /// Expands the nodes inside the frontier. Returns a decision if the tick ends here.
    fn look(
        &mut self,
        problem: &impl Problem,
        goal: NodeId,
        slice: &mut Slice<'_>,
    ) -> Option<Decision> {
        while let Some(&(node, from)) = self.list.get(self.done) {
            let steps = self.steps.find(node).map_or(0, |known| known.steps);
            if steps == self.depth {
                break;
            }
            if node == goal {
                self.met_goal = true;
                self.done += 1;
                continue;
            }
            if !slice.expand(node) {
                return Some(Decision::Wait);
            }
            self.done += 1;
            self.backup.enter(node, self.learned.known(node, problem.estimate(node)));
            problem.for_each_successor(node, from, Skip::Seen, |to, _, plain| {
                self.meet(to, node, steps + 1, plain);
            });
        }
        if self.done == self.list.len() && !self.met_goal {
            self.drop_plan();
            return Some(Decision::NoWay);
        }
        self.stage = Stage::Learn;
        None
    }

    /// Computes lower bounds on the distance from the expanded nodes to the goal, and decides accordingly.
    fn learn(
        &mut self,
        problem: &impl Problem,
        at: NodeId,
        goal: NodeId,
        slice: &mut Slice<'_>,
    ) -> Decision {
        let learned = &self.learned;
        let rim = |node| learned.known(node, problem.estimate(node));
        if !self.backup.spread(problem, rim, slice) {
            return Decision::Wait;
        }
        self.choose(problem, at, goal, slice)
    }

    /// Raises the heuristic of the agent's node, and chooses its step.
    fn choose(
        &mut self,
        problem: &impl Problem,
        at: NodeId,
        goal: NodeId,
        slice: &mut Slice<'_>,
    ) -> Decision {
        self.drop_plan();
        let mut best: Option<Neighbor> = None;
        problem.for_each_successor(at, at, Skip::Seen, |to, cost, plain| {
            let value = self.backup.value(to);
            let ahead = value.unwrap_or_else(|| self.learned.known(to, plain));
            Neighbor::prefer(&mut best, Neighbor { to, cost, ahead, is_goal: to == goal }, at);
        });
        let Some(best) = best else { return Decision::NoWay };
        if self.outdated {
            return Decision::Go(best.to);
        }
        let before = self.learned.meet(at, || problem.estimate(at));
        if best.total() > before {
            if self.lasting {
                slice.note(Event::Learned);
            }
            self.learned.raise(at, best.total());
        }
        if proves_no_path(&self.learned, problem.max_edge_cost(), best.total()) {
            return Decision::NoWay;
        }
        Decision::Go(best.to)
    }

    pub fn bytes(&self) -> usize {
        let list = self.list.capacity() * size_of::<(NodeId, NodeId)>();
        self.learned.bytes() + self.steps.bytes() + self.backup.bytes() + list
    }
}

/// A step the agent may take, and the heuristic at its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neighbor {
    pub to: NodeId,
    pub cost: Cost,
    pub ahead: Cost,
    pub is_goal: bool,
}

impl Neighbor {
    pub fn total(&self) -> Cost {
        self.cost + self.ahead
    }

    /// Takes the new candidate if it is better. Ties are broken as on an open list (where no two edges lead to the same
    /// node): in favor of the goal, the more expensive step, the last candidate. A step must leave the agent's node.
    pub fn prefer(best: &mut Option<Neighbor>, new: Neighbor, at: NodeId) {
        let rank = |n: &Neighbor| (n.total(), !n.is_goal, std::cmp::Reverse(n.cost));
        if new.to != at && best.as_ref().is_none_or(|best| rank(&new) <= rank(best)) {
            *best = Some(new);
        }
    }
}

/// Whether a heuristic is so large that no path can exist.
pub(crate) fn proves_no_path(learned: &Learned, max_edge: Cost, estimate: Cost) -> bool {
    estimate > learned.bound(max_edge)
}
