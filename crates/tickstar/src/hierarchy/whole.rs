//! The edges of a level that is new as a whole: made at once, when all its groups are known.
//!
//! A list that grows while groups are made is written to from all over the map, and moves when it is full. Here every
//! list is written once, and the lists follow each other in memory. The edges are those that the groups would have got
//! one by one ([`Repairer::link`]), and in the same order: an edge is there as soon as the later of two neighbors has
//! a parent.

use super::layer::Link;
use super::levels::NONE;
use super::repair::Repairer;
use crate::Map;

/// Grouping a level for the first time. Its lists are kept for their memory.
#[derive(Default)]
pub(super) struct Whole {
    /// It is being done: groups get their edges later.
    pub active: bool,
    /// How many times a group has got members.
    times: u32,
    /// How many times that was before each node got its parent.
    since: Vec<u32>,
    /// Where in `beside` each group would be.
    places: Vec<u32>,
    beside: Vec<Beside>,
}

/// A group beside another.
struct Beside {
    group: u32,
    /// How many edges lead to it.
    count: u32,
    /// Since when there is one, and which it is of the edges that are looked through.
    rank: (u32, u32),
}

impl Whole {
    /// Notes that a node gets its parent.
    pub fn adopted(&mut self, node: u32) {
        self.since[node as usize] = self.times;
    }

    /// Notes that a group has got all the members it gets at this time.
    pub fn complete(&mut self) {
        self.times += 1;
    }
}

/// The neighbors of all nodes of a level, and nothing else of it. Grouping looks at each node many times, and in an
/// order that leads all over the map, over and over: what it reads should be small.
#[derive(Default)]
pub(super) struct Packed {
    /// The level, which is above the space; 0 if there is none.
    level: usize,
    /// Where the neighbors of each node end.
    ends: Vec<usize>,
    near: Vec<u32>,
}

impl Packed {
    /// The neighbors of a node of a level above the space, if it is this level.
    #[inline]
    pub fn of(&self, level: usize, node: u32) -> Option<&[u32]> {
        if self.level != level {
            return None;
        }
        let node = node as usize;
        let first = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.near[first..self.ends[node]])
    }

    /// Forgets all, and begins with a level.
    pub fn clear(&mut self, level: usize) {
        self.level = level;
        self.ends.clear();
        self.near.clear();
    }

    /// Adds the neighbors of the next node.
    fn push(&mut self, near: impl Iterator<Item = u32>) {
        self.near.extend(near);
        self.ends.push(self.near.len());
    }
}

impl<S: Map> Repairer<'_, S> {
    /// Decides whether the next level gets its edges at once, given how many nodes of this one are to be grouped. If these
    /// are few of its ids, an array over all ids would take longer.
    pub(super) fn begin_whole(&mut self, level: usize, loose: usize) {
        let size = self.size(level);
        self.whole.active = self.size(level + 1) == 0 && loose >= size / 16;
        if self.whole.active {
            self.whole.times = 0;
            self.whole.since.resize(size, 0);
        }
    }

    /// Sums up the groups of a level and adds their edges.
    pub(super) fn finish_whole(&mut self, level: usize) {
        self.whole.active = false;
        let above = level + 1;
        let groups = 0..self.size(above) as u32;
        for group in groups.clone() {
            self.sum(above, group);
        }
        self.whole.places.resize(groups.len(), 0);
        let mut packed = std::mem::take(&mut self.packed_before);
        packed.clear(above);
        let mut beside = std::mem::take(&mut self.whole.beside);
        let mut links = Vec::new();
        let (placed, terrain) = (self.h.placed, self.h.terrain);
        for group in groups {
            self.find_beside(level, group, &mut beside);
            beside.sort_unstable_by_key(|one| one.rank);
            let layer = &mut self.h.layers[level];
            links.extend(beside.drain(..).map(|Beside { group: to, count, .. }| {
                let cost = layer.cost(group, to, placed, terrain);
                Link { to, cost, count }
            }));
            if !links.is_empty() {
                self.next_loose.push(group);
            }
            packed.push(links.iter().map(|link| link.to));
            layer.set_links(group, &links);
            links.clear();
        }
        self.whole.beside = beside;
        self.packed_before = std::mem::replace(&mut self.packed, packed);
    }

    /// Finds the groups beside one.
    fn find_beside(&mut self, level: usize, group: u32, beside: &mut Vec<Beside>) {
        let mut nth = 0;
        for at in 0..self.children(level + 1, group).len() {
            let child = self.children(level + 1, group)[at];
            let near = self.neighbors(level, child);
            let since = self.whole.since[child as usize];
            for &other in &near {
                let over = self.parent(level, other);
                nth += 1;
                debug_assert!(over != NONE, "what has edges has a parent now");
                if over == group {
                    continue;
                }
                let rank = (since.max(self.whole.since[other as usize]), nth);
                let place = &mut self.whole.places[over as usize];
                match beside.get_mut(*place as usize) {
                    Some(known) if known.group == over => {
                        known.count += 1;
                        known.rank = known.rank.min(rank);
                    }
                    _ => {
                        *place = beside.len() as u32;
                        beside.push(Beside { group: over, count: 1, rank });
                    }
                }
            }
            self.give_back(near);
        }
    }
}
