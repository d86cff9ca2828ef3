//! A lookahead of one step, and updates prioritized by their size: P LRTA*.

use super::{Cx, Decision};
use crate::search::{Learned, Neighbor, Problem, Stamp, Stamped, Toward, proves_no_path};
use crate::{Cost, Event, Map, NodeId, Pool, Skip};

#[derive(Clone, Debug)]
pub(super) struct Prioritized {
    learned: Learned,
    queue: Queue,
    /// Scratch for the neighbors of a node. They are collected first and processed afterwards, so that the processing
    /// code is inlined once instead of once per direction.
    near: Vec<(NodeId, Cost)>,
}

impl Prioritized {
    pub fn new(length: u32) -> Prioritized {
        Prioritized { learned: Learned::default(), queue: Queue::new(length), near: Vec::new() }
    }

    /// Discards the learned heuristic.
    pub fn forget(&mut self) {
        self.learned.forget_all();
        self.queue.clear();
    }

    /// The goal has moved.
    pub fn retarget(&mut self, map: &impl Map, from: NodeId, to: NodeId) {
        let h = self.learned.known(to, map.estimate(to, from));
        self.learned.move_goal(map, from, to, h);
    }

    /// The heuristic of a node, given that of the map.
    pub fn estimate(&self, node: NodeId, plain: Cost) -> Cost {
        self.learned.known(node, plain)
    }

    pub fn set_pool(&mut self, pool: &Pool) {
        self.learned.set_pool(pool);
        self.queue.ranks.pages_mut().set_pool(pool);
    }

    pub fn think<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) -> Decision {
        let Cx { map, at, goal, ref mut slice } = *cx;
        if !slice.expand(at) {
            return Decision::Wait;
        }
        if self.update(map, at, goal) {
            slice.note(Event::Learned);
        }
        for _ in 0..self.queue.max_len {
            let Some(node) = self.queue.largest() else { break };
            if !slice.expand(node) {
                break;
            }
            self.queue.take_largest();
            self.update(map, node, goal);
        }
        let mut best: Option<Neighbor> = None;
        Toward { map, goal }.for_each_successor(at, at, Skip::Seen, |to, cost, plain| {
            let ahead = self.learned.known(to, plain);
            Neighbor::prefer(&mut best, Neighbor { to, cost, ahead, is_goal: to == goal }, at);
        });
        match best {
            Some(best) if !proves_no_path(&self.learned, map.max_edge_cost(), best.total()) => {
                Decision::Go(best.to)
            }
            _ => Decision::NoWay,
        }
    }

    /// Raises the heuristic of a node to the value its neighbors imply and, if that is an increase, queues the
    /// neighbors. Returns whether it was raised.
    fn update(&mut self, map: &impl Map, node: NodeId, goal: NodeId) -> bool {
        let before = self.learned.meet(node, || map.estimate(node, goal));
        self.near.clear();
        let near = &mut self.near;
        map.for_each_edge(node, |to, cost| {
            // A self-loop leads nowhere, and would let the heuristic creep up by its cost.
            if to != node {
                near.push((to, cost));
            }
        });
        let mut least = Cost::INFINITE;
        for &(to, cost) in &self.near {
            least = least.min(cost + self.learned.meet(to, || map.estimate(to, goal)));
        }
        // A node without edges was blocked after it was queued, or the agent is enclosed there.
        if least <= before || least == Cost::INFINITE {
            return false;
        }
        self.learned.raise(node, least);
        let others = self.near.iter().map(|near| near.0).filter(|&near| near != goal);
        self.queue.offer(others, least - before);
        true
    }

    pub fn bytes(&self) -> usize {
        let near = self.near.capacity() * size_of::<(NodeId, Cost)>();
        self.learned.bytes() + self.queue.bytes() + near
    }
}

/// A priority queue of bounded length, largest first; when it is full, the smallest entry is evicted.
///
/// It is a sorted list: the largest entry is taken from its end, and an entry is inserted by shifting those behind it.
/// For the few hundred entries it is used with, that is faster than a heap that must also find its smallest entry and
/// arbitrary ones.
#[derive(Clone, Debug)]
struct Queue {
    max_len: usize,
    /// Smallest first.
    list: Vec<Queued>,
    /// The rank with which each node is in the list, if it is queued.
    ranks: Stamped<Known>,
    serial: u64,
}

/// The priority, then the insertion count: among equal priorities the node queued last is taken first.
type Rank = (Cost, u64);

/// The rank of a node that is or was queued.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    rank: Option<Rank>,
    stamp: u32,
}

impl Stamp for Known {
    fn stamp(&self) -> u32 {
        self.stamp
    }
}

#[derive(Clone, Copy, Debug)]
struct Queued {
    rank: Rank,
    node: NodeId,
}

impl Queue {
    fn new(length: u32) -> Queue {
        Queue { max_len: length as usize, list: Vec::new(), ranks: Stamped::default(), serial: 0 }
    }

    fn clear(&mut self) {
        self.list.clear();
        self.ranks.begin();
    }

    fn largest(&self) -> Option<NodeId> {
        self.list.last().map(|entry| entry.node)
    }

    fn take_largest(&mut self) {
        if let Some(Queued { node, .. }) = self.list.pop() {
            self.set_rank(node, None);
        }
    }

    /// Queues nodes with this priority, or keeps the larger one they are already queued with.
    fn offer(&mut self, nodes: impl Iterator<Item = NodeId>, priority: Cost) {
        let full = self.list.len() >= self.max_len;
        if full && self.list.first().is_none_or(|smallest| smallest.rank.0 >= priority) {
            return; // the list is full, and its entries are no smaller
        }
        // They all come after those of the same priority, and so are consecutive.
        let mut at = self.list.partition_point(|entry| entry.rank.0 <= priority);
        for node in nodes {
            // Either an entry is removed and those between it and the insertion point shift by one, or none is removed.
            let gone = match self.ranks.find(node).and_then(|known| known.rank) {
                Some((known, _)) if known >= priority => continue,
                Some(known) => Some(self.list.partition_point(|entry| entry.rank < known)),
                None if self.list.len() < self.max_len => None,
                None if at == 0 || self.list[0].rank.0 >= priority => continue,
                None => {
                    self.set_rank(self.list[0].node, None);
                    Some(0)
                }
            };
            self.serial += 1;
            let entry = Queued { rank: (priority, self.serial), node };
            if let Some(gone) = gone {
                self.list[gone..at].rotate_left(1);
                self.list[at - 1] = entry;
            } else {
                self.list.insert(at, entry);
                at += 1;
            }
            self.set_rank(node, Some(entry.rank));
        }
    }

    fn set_rank(&mut self, node: NodeId, rank: Option<Rank>) {
        self.ranks.set(node, Known { rank, stamp: self.ranks.now() });
    }

    fn bytes(&self) -> usize {
        self.list.capacity() * size_of::<Queued>() + self.ranks.bytes()
    }
}
