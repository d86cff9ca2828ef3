//! Propagates values from the frontier into a region: each node inside gets the minimum, over the exits, of the cost of
//! reaching the frontier plus the heuristic there, but at least its floor, which is what is already known of the node.
//!
//! This is Dijkstra's algorithm from the frontier. The edges inside are first copied into one list, indexed by node
//! number, so that the search itself reads neither the map nor a node table. Starting from the nodes on the frontier,
//! as the papers describe it, was slower: there are up to three times as many of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::problem::Problem;
use super::table::{Stamp, Stamped};
use crate::{Cost, NodeId, Pool, Skip, Slice};

#[derive(Clone, Debug, Default)]
pub(crate) struct Backup {
    /// The nodes inside, in the order of their numbers.
    inside: Vec<Inside>,
    numbers: Stamped<Number>,
    /// How many of them have been scanned.
    scanned: usize,
    /// For each edge from a scanned node to a node inside, the number of the other node and the cost.
    edges: Vec<(u32, u32)>,
    /// Nodes whose value may be final, smallest first: the value in the high bits and the node number in the low bits
    /// of one word that compares quickly.
    open: BinaryHeap<Reverse<u128>>,
    /// Scratch for the neighbors of a node. They are collected first and processed afterwards, so that the processing
    /// code is inlined once instead of once per direction.
    near: Vec<(NodeId, Cost)>,
}

#[derive(Clone, Copy, Debug)]
struct Inside {
    node: NodeId,
    /// Where its edges end.
    end: u32,
    value: Cost,
    floor: Cost,
}

/// The number of a node in the current region.
#[derive(Clone, Copy, Debug, Default)]
struct Number {
    stamp: u32,
    number: u32,
}

impl Stamp for Number {
    #[inline]
    fn stamp(&self) -> u32 {
        self.stamp
    }
}

impl Backup {
    /// Starts an empty region.
    pub fn begin(&mut self) {
        self.numbers.begin();
        self.inside.clear();
        self.scanned = 0;
        self.edges.clear();
        self.open.clear();
    }

    /// Returns all memory.
    pub fn release(&mut self) {
        self.numbers.pages_mut().release();
        self.numbers.pages_mut().reclaim(256);
        (self.inside, self.edges, self.near) = (Vec::new(), Vec::new(), Vec::new());
        self.open = BinaryHeap::new();
        self.scanned = 0;
    }

    pub fn set_pool(&mut self, pool: &Pool) {
        self.numbers.pages_mut().set_pool(pool);
    }

    /// Adds a node to the region.
    #[inline]
    pub fn enter(&mut self, node: NodeId, floor: Cost) {
        let number = Number { stamp: self.numbers.now(), number: self.inside.len() as u32 };
        self.numbers.set(node, number);
        self.inside.push(Inside { node, end: 0, value: Cost::INFINITE, floor });
    }

    #[inline]
    fn number(&self, node: NodeId) -> Option<usize> {
        self.numbers.find(node).map(|number| number.number as usize)
    }

    /// Scans all nodes inside and then propagates their values; each node is charged as an update both times. `rim`
    /// returns the heuristic of a node on the frontier. Returns whether every node inside has its value.
    pub fn spread(
        &mut self,
        problem: &impl Problem,
        rim: impl Fn(NodeId) -> Cost,
        slice: &mut Slice<'_>,
    ) -> bool {
        while self.scanned < self.inside.len() {
            if !slice.update(self.inside[self.scanned].node) {
                return false;
            }
            self.scan(problem, &rim);
            if self.scanned == self.inside.len() {
                let numbered = self.inside.iter().enumerate();
                let out = numbered.filter(|(_, inside)| inside.value != Cost::INFINITE);
                // Reuses its memory: in linear time, and without allocating.
                let mut entries = std::mem::take(&mut self.open).into_vec();
                entries.extend(out.map(|(number, inside)| entry(inside.value, number)));
                self.open = BinaryHeap::from(entries);
            }
        }
        while let Some(&Reverse(top)) = self.open.peek() {
            let number = top as u32 as usize;
            let Inside { node, value, .. } = self.inside[number];
            let stale = entry(value, number) != Reverse(top);
            if !stale && !slice.update(node) {
                return false;
            }
            self.open.pop();
            if !stale {
                self.relax(number, value);
            }
        }
        true
    }

    /// Reads the edges of the next node: those inside, and the best exit.
    fn scan(&mut self, problem: &impl Problem, rim: impl Fn(NodeId) -> Cost) {
        let Inside { node, floor, .. } = self.inside[self.scanned];
        self.near.clear();
        let near = &mut self.near;
        problem.for_each_successor(node, node, Skip::Seen, |to, cost, _| near.push((to, cost)));
        let mut out = Cost::INFINITE;
        for &(to, cost) in &self.near {
            match self.numbers.find(to) {
                Some(known) => self.edges.push((known.number, cost.0 as u32)),
                None => out = out.min(cost + rim(to)),
            }
        }
        let value = if out == Cost::INFINITE { out } else { out.max(floor) };
        let end = self.edges.len() as u32;
        self.inside[self.scanned] = Inside { node, end, value, floor };
        self.scanned += 1;
    }

    /// Offers a value to the neighbors inside.
    fn relax(&mut self, number: usize, value: Cost) {
        let first = number.checked_sub(1).map_or(0, |before| self.inside[before].end);
        let edges = first as usize..self.inside[number].end as usize;
        for &(near, cost) in &self.edges[edges] {
            let inside = &mut self.inside[near as usize];
            let way = (value + Cost(cost.into())).max(inside.floor);
            if way < inside.value {
                inside.value = way;
                self.open.push(entry(way, near as usize));
            }
        }
    }

    /// The nodes inside with their values.
    pub fn values(&self) -> impl Iterator<Item = (NodeId, Cost)> + '_ {
        self.inside.iter().map(|inside| (inside.node, inside.value))
    }

    /// The value of a node, if it is inside.
    pub fn value(&self, node: NodeId) -> Option<Cost> {
        self.number(node).map(|number| self.inside[number].value)
    }

    pub fn bytes(&self) -> usize {
        self.numbers.bytes()
            + self.inside.capacity() * size_of::<Inside>()
            + self.edges.capacity() * size_of::<(u32, u32)>()
            + self.open.capacity() * size_of::<u128>()
            + self.near.capacity() * size_of::<(NodeId, Cost)>()
    }
}

#[inline]
fn entry(value: Cost, number: usize) -> Reverse<u128> {
    Reverse(u128::from(value.0) << 32 | number as u128)
}
