//! A lookahead of so many steps in all directions: LRTA* as the 2009 paper runs it.

use super::backup::Backup;
use super::{Neighbour, Thought, is_hopeless};
use crate::search::{Learned, Paged};
use crate::{Cost, Event, NodeId, Skip, Slice, Space};

/// LRTA*: what it has learned, and the lookahead under way.
#[derive(Clone, Debug)]
pub(crate) struct Ball {
    depth: u32,
    /// What it learns is kept for the whole task, and told.
    lasting: bool,
    learned: Learned,
    /// Where each node is in the current ball.
    places: Paged<Place>,
    stamp: u32,
    /// The nodes met, in breadth-first order, each with the node it was met from.
    list: Vec<(NodeId, NodeId)>,
    /// How many of them have been expanded or passed over.
    done: usize,
    /// The goal was passed over: it is as good as a node on the rim.
    met_goal: bool,
    phase: Phase,
    /// The nodes expanded.
    backup: Backup,
}

/// Steps from the agent, believed if the stamp is that of the current ball.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    stamp: u32,
    steps: u32,
}

/// What comes next. A tick that is cut short goes on where it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Begin a ball round where the agent stands.
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
            places: Paged::default(),
            stamp: 0,
            list: Vec::new(),
            done: 0,
            met_goal: false,
            phase: Phase::Begin,
            backup: Backup::default(),
        }
    }

    /// Looks so far from the next lookahead on.
    pub fn set_depth(&mut self, depth: u32) {
        self.depth = depth;
        self.drop_plan();
    }

    /// One that learns for a while only: that is no lesson worth telling.
    pub fn passing(depth: u32) -> Ball {
        Ball { lasting: false, ..Ball::new(depth) }
    }

    /// Drops all that was learned.
    pub fn forget(&mut self) {
        self.learned.forget_all();
    }

    /// Drops what is under way.
    pub fn drop_plan(&mut self) {
        self.phase = Phase::Begin;
    }

    /// The estimate of a node, given that of the space.
    pub fn estimate(&self, node: NodeId, plain: Cost) -> Cost {
        self.learned.known(node, plain)
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
                    self.begin(space, at, goal);
                    None
                }
                Phase::Look => self.look(space, goal, slice),
                Phase::Learn => Some(self.learn(space, at, goal, slice)),
            };
            if let Some(thought) = answer {
                return thought;
            }
        }
    }

    fn begin(&mut self, space: &impl Space, at: NodeId, goal: NodeId) {
        self.learned.cover(space.size());
        self.places.cover(space.size());
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.places.clear();
            self.stamp = 1;
        }
        self.list.clear();
        (self.done, self.met_goal) = (0, false);
        self.backup.begin(space);
        self.meet(at, at, 0, space.estimate(at, goal));
        self.phase = Phase::Look;
    }

    /// Takes a node into the ball if it is not there.
    #[inline]
    fn meet(&mut self, node: NodeId, from: NodeId, steps: u32, plain: Cost) {
        let place = match self.places.find_mut(node) {
            Some(place) => place,
            None => self.places.touch(node),
        };
        if place.stamp != self.stamp {
            *place = Place { stamp: self.stamp, steps };
            self.list.push((node, from));
            self.learned.meet(node, || plain);
        }
    }

    /// Expands the nodes before the rim. Answers, as what follows, if the tick ends with that.
    fn look(&mut self, space: &impl Space, goal: NodeId, slice: &mut Slice<'_>) -> Option<Thought> {
        while let Some(&(node, from)) = self.list.get(self.done) {
            let steps = self.places.get(node).steps;
            if steps == self.depth {
                break;
            }
            if node == goal {
                self.met_goal = true;
                self.done += 1;
                continue;
            }
            if !slice.expand(node) {
                return Some(Thought::Wait);
            }
            self.done += 1;
            self.backup.enter(node, self.learned.known(node, Cost::ZERO));
            space.for_each_edge_onward(node, from, goal, Skip::Seen, |to, _, plain| {
                self.meet(to, node, steps + 1, plain);
            });
        }
        if self.done == self.list.len() && !self.met_goal {
            self.drop_plan();
            return Some(Thought::Unreachable);
        }
        self.phase = Phase::Learn;
        None
    }

    /// Finds out how far the nodes expanded are from the goal at least, and acts on it.
    fn learn(
        &mut self,
        space: &impl Space,
        at: NodeId,
        goal: NodeId,
        slice: &mut Slice<'_>,
    ) -> Thought {
        let learned = &self.learned;
        let rim = |node| learned.known(node, Cost::ZERO);
        if !self.backup.spread(space, rim, slice) {
            return Thought::Wait;
        }
        self.choose(space, at, goal, slice)
    }

    /// Raises the estimate of where the agent stands, and chooses its step.
    fn choose(
        &mut self,
        space: &impl Space,
        at: NodeId,
        goal: NodeId,
        slice: &mut Slice<'_>,
    ) -> Thought {
        self.drop_plan();
        let mut best: Option<Neighbour> = None;
        space.for_each_edge_onward(at, at, goal, Skip::Seen, |to, cost, plain| {
            let value = self.backup.value(to);
            let ahead = value.unwrap_or_else(|| self.learned.known(to, plain));
            Neighbour::prefer(&mut best, Neighbour { to, cost, ahead, is_goal: to == goal }, at);
        });
        let Some(best) = best else { return Thought::Unreachable };
        let before = self.learned.meet(at, || space.estimate(at, goal));
        if best.total() > before {
            if self.lasting {
                slice.note(Event::Learned);
            }
            self.learned.raise(at, best.total());
        }
        if is_hopeless(&self.learned, space, best.total()) {
            return Thought::Unreachable;
        }
        Thought::Go(best.to)
    }

    pub fn bytes(&self) -> usize {
        let list = self.list.capacity() * size_of::<(NodeId, NodeId)>();
        self.learned.bytes() + self.places.bytes() + self.backup.bytes() + list
    }
}
