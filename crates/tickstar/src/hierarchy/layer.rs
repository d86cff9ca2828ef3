//! One level: its nodes, their children and the edges between them.

use std::collections::HashMap;

use super::levels::{NONE, distance, weigh};
use super::lists::{Lists, Span};
use super::store::Store;

/// A node with more edges than this has them in an index.
pub(super) const HUB: usize = 64;

/// One level. What searches read of a node is in arrays of its own, apart from what only repairs need: as little as
/// possible then passes through the caches.
#[derive(Clone, Debug, Default)]
pub(super) struct Layer {
    /// The parent of each node.
    pub parents: Store<u32>,
    /// The mean position of all nodes of the space below each node, in parts of a cell.
    pub at: Store<(i32, i32)>,
    /// Where the edges of each node are in `links`.
    pub edges: Store<Span>,
    pub links: Lists<Link>,
    pub groups: Store<Group>,
    pub children: Lists<u32>,
    /// The sums of the positions of all nodes of the space below each node.
    pub sums: Store<(i64, i64)>,
    /// The terrain below each node; empty if the map has none.
    pub ground: Store<Ground>,
    /// Ids that are not used.
    pub free: Store<u32>,
    /// How many ids are used.
    pub live: usize,
    /// No edge has cost more than this.
    pub longest: u64,
    /// Where an edge is in the list of its node, for nodes that have many.
    hubs: HashMap<(u32, u32), u32>,
}

/// What a node stands for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    /// Nodes of the space below it; none if the id is not used.
    pub cells: u32,
    pub children: Span,
}

/// The terrain below a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ground {
    /// The sum of the multipliers of all nodes of the space below, in quarters.
    pub sum: u64,
    /// Their mean, in parts of a quarter.
    pub mean: u32,
}

/// An edge to another node of the level, its cost, and how many edges below it stands for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Link {
    pub to: u32,
    /// Zero until it has been measured.
    pub cost: u32,
    pub count: u32,
}

impl Layer {
    /// How many ids there are, used or not.
    pub fn size(&self) -> usize {
        self.groups.len()
    }

    /// A new node, without children.
    pub fn create(&mut self, terrain: bool) -> u32 {
        self.live += 1;
        if let Some(id) = self.free.pop() {
            let at = id as usize;
            (self.parents[at], self.at[at], self.sums[at]) = (NONE, (0, 0), (0, 0));
            (self.edges[at], self.groups[at]) = Default::default();
            return id;
        }
        self.parents.push(NONE);
        self.at.push((0, 0));
        self.edges.push(Span::default());
        self.groups.push(Group::default());
        self.sums.push((0, 0));
        if terrain {
            self.ground.push(Ground::default());
        }
        self.size() as u32 - 1
    }

    /// The edges of a node.
    #[inline]
    pub fn links_of(&self, node: u32) -> &[Link] {
        self.links.get(self.edges[node as usize])
    }

    /// The same, mutable.
    pub fn links_of_mut(&mut self, node: u32) -> &mut [Link] {
        self.links.get_mut(self.edges[node as usize])
    }

    /// The children of a node.
    #[inline]
    pub fn children_of(&self, node: u32) -> &[u32] {
        self.children.get(self.groups[node as usize].children)
    }

    /// What an edge between two nodes costs, if they have positions, and with this range of multipliers.
    #[inline]
    pub fn cost(&self, a: u32, b: u32, placed: bool, terrain: Option<(u16, u16)>) -> u32 {
        let (a, b) = (a as usize, b as usize);
        let mut cost = if placed { distance(self.at[a], self.at[b]) } else { 1 };
        if let Some((cheapest, _)) = terrain {
            cost = weigh(cost, self.ground[a], self.ground[b], cheapest);
        }
        // Two nodes can have the same mean position: one inside the other.
        cost.clamp(1, u32::MAX.into()) as u32
    }

    /// Where the edge to a node is among the edges of another: constant time.
    pub fn find_link(&self, from: u32, to: u32) -> Option<usize> {
        let links = self.links_of(from);
        if links.len() > HUB {
            return self.hubs.get(&(from, to)).map(|&at| at as usize);
        }
        links.iter().position(|link| link.to == to)
    }

    /// Counts an edge from a node once more, or once less; one that counts nothing is removed. Returns whether
    /// it was there before, and whether it is now.
    pub fn count_link(&mut self, from: u32, to: u32, more: bool) -> (bool, bool) {
        let span = self.edges[from as usize];
        let Some(at) = self.find_link(from, to) else {
            debug_assert!(more, "edges are counted exactly");
            if more {
                self.push_link(from, to, 1);
            }
            return (false, more);
        };
        let link = &mut self.links.get_mut(span)[at];
        link.count = if more { link.count + 1 } else { link.count - 1 };
        if link.count > 0 {
            return (true, true);
        }
        self.remove_link(from, at);
        (true, false)
    }

    /// Adds an edge from a node that is not there yet, and how many it stands for.
    pub fn push_link(&mut self, from: u32, to: u32, count: u32) {
        let span = &mut self.edges[from as usize];
        self.links.push(span, Link { to, cost: 0, count });
        match span.len() {
            0..=HUB => {}
            len if len == HUB + 1 => self.index(from, 0),
            len => {
                self.hubs.insert((from, to), len as u32 - 1);
            }
        }
    }

    /// Sets the edges of a node that has none.
    pub fn set_links(&mut self, node: u32, links: &[Link]) {
        let span = self.links.list(links);
        let longest = links.iter().map(|link| link.cost.into()).max();
        self.longest = self.longest.max(longest.unwrap_or(0));
        self.edges[node as usize] = span;
        if span.len() > HUB {
            self.index(node, 0);
        }
    }

    /// Removes an edge from the list of a node: for a hub in time linear in its edges.
    fn remove_link(&mut self, from: u32, at: usize) {
        let span = &mut self.edges[from as usize];
        let list = self.links.get(*span);
        if list.len() == HUB + 1 {
            for link in list {
                self.hubs.remove(&(from, link.to));
            }
        } else if list.len() > HUB {
            self.hubs.remove(&(from, list[at].to));
        }
        self.links.remove(span, at);
        if span.len() > HUB {
            self.index(from, at);
        }
    }

    /// Notes where the edges of a node are, from this one on.
    fn index(&mut self, from: u32, first: usize) {
        let links = self.links.get(self.edges[from as usize]);
        let places = (0..).zip(links).skip(first).map(|(at, link)| ((from, link.to), at));
        self.hubs.extend(places);
    }

    /// Makes copies cheap.
    pub fn share(&mut self) {
        self.parents.share(&[]);
        self.at.share(&[]);
        self.edges.share(&[]);
        self.groups.share(&[]);
        self.sums.share(&[]);
        self.ground.share(&[]);
        self.children.share();
        self.links.share();
        self.free.share(&[]);
    }

    /// Heap memory in bytes, and how much of it another level shares.
    pub fn bytes(&self, other: Option<&Layer>) -> (usize, usize) {
        let parts = [
            self.parents.bytes(other.map(|other| &other.parents)),
            self.at.bytes(other.map(|other| &other.at)),
            self.edges.bytes(other.map(|other| &other.edges)),
            self.groups.bytes(other.map(|other| &other.groups)),
            self.sums.bytes(other.map(|other| &other.sums)),
            self.children.bytes(other.map(|other| &other.children)),
            self.links.bytes(other.map(|other| &other.links)),
            self.ground.bytes(other.map(|other| &other.ground)),
            self.free.bytes(other.map(|other| &other.free)),
            (self.hubs.capacity() * size_of::<((u32, u32), u32)>(), 0),
        ];
        parts.into_iter().fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The index says the same as the list, whatever comes and goes around the size of a hub.
    #[test]
    fn links_of_hubs_are_found() {
        let mut layer = Layer::default();
        layer.create(false);
        layer.create(false);
        let mut model: Vec<(u32, u32)> = Vec::new();
        let mut state = 1_u64;
        for step in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let draw = (state >> 33) as u32;
            let to = 2 + draw % 90;
            // Up for a while, then down.
            let more = draw / 90 % 4 != u32::from(step / 500 % 2 == 0);
            let known = model.iter().position(|&(end, _)| end == to);
            match known {
                Some(at) if !more || step / 500 % 2 == 1 => {
                    model[at].1 -= 1;
                    assert_eq!(layer.count_link(1, to, false), (true, model[at].1 > 0));
                    model.retain(|&(_, count)| count > 0);
                }
                Some(at) => {
                    model[at].1 += 1;
                    assert_eq!(layer.count_link(1, to, true), (true, true));
                }
                None if step / 500 % 2 == 0 => {
                    model.push((to, 1));
                    assert_eq!(layer.count_link(1, to, true), (false, true));
                }
                None => {}
            }
            let list = layer.links_of(1);
            assert!(list.iter().map(|link| (link.to, link.count)).eq(model.iter().copied()));
            for to in 0..95 {
                let at = model.iter().position(|&(end, _)| end == to);
                assert_eq!(layer.find_link(1, to), at, "step {step}");
            }
            assert_eq!(layer.hubs.len(), if model.len() > HUB { model.len() } else { 0 });
        }
    }
}
