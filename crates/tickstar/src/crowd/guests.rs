//! Agents of the catalog in a crowd: each is ticked with a part of the frame's budget, one after the other.
//!
//! Such an agent has its own search, so it cannot walk without its tick. In each frame as many have their turn as the
//! budget suffices for; the next frame begins with those that were left out.

use std::collections::{BTreeMap, VecDeque};

use super::runs::Spot;
use crate::{Agent, Cell, Grid, Layered, NodeId};

/// Changed cells that are remembered for agents that have not been ticked since. One that is farther behind starts anew.
const REMEMBERED: usize = 1 << 12;

/// An agent with an algorithm of its own.
pub(super) struct Guest {
    pub agent: Box<dyn Agent<Layered<Grid>>>,
    /// What it may spend per tick, in units.
    pub units: u64,
    /// How many reported changes it has seen.
    pub seen: u64,
    /// Its memory as of its last tick.
    pub bytes: usize,
}

impl std::fmt::Debug for Guest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guest").field("units", &self.units).finish_non_exhaustive()
    }
}

/// All of them, and what they have to be told.
#[derive(Debug, Default)]
pub(super) struct Guests {
    /// By their slots.
    pub all: BTreeMap<u32, Guest>,
    /// Whose turn it is next: the first one from this slot on.
    pub next: u32,
    /// The cells that were reported last, and how many were before them.
    reported: VecDeque<NodeId>,
    forgotten: u64,
    /// Heap memory of the agents.
    pub bytes: usize,
}

impl Guests {
    /// Remembers changed cells.
    pub fn report(&mut self, nodes: impl Iterator<Item = NodeId>) {
        if self.all.is_empty() {
            return;
        }
        for node in nodes {
            if self.reported.len() == REMEMBERED {
                self.reported.pop_front();
                self.forgotten += 1;
            }
            self.reported.push_back(node);
        }
    }

    /// How many changes have been reported.
    pub fn reported(&self) -> u64 {
        self.forgotten + self.reported.len() as u64
    }

    /// Collects the changes since an agent was ticked last; `None` if they have been forgotten.
    pub fn changes_since(&self, seen: u64, list: &mut Vec<NodeId>) -> Option<()> {
        let from = seen.checked_sub(self.forgotten)?;
        list.clear();
        list.extend(self.reported.range(from as usize..));
        Some(())
    }

    pub fn add(&mut self, slot: u32, guest: Guest) {
        self.bytes += guest.bytes;
        self.all.insert(slot, guest);
    }

    pub fn remove(&mut self, slot: u32) {
        self.bytes -= self.all.remove(&slot).map_or(0, |guest| guest.bytes);
        if self.all.is_empty() {
            *self = Guests { forgotten: self.reported(), ..Guests::default() };
        }
    }

    /// Whose turn it is after this slot: all in turn.
    pub fn after(&self, slot: u32) -> Option<u32> {
        let next = self.all.range(slot.saturating_add(1)..).next().or(self.all.first_key_value());
        next.map(|(&slot, _)| slot)
    }

    pub fn bytes(&self) -> usize {
        self.bytes
            + self.all.len() * 2 * size_of::<(u32, Guest)>()
            + self.reported.capacity() * size_of::<NodeId>()
    }
}

/// The node of a cell.
pub(super) fn node(grid: &Grid, at: Spot) -> NodeId {
    grid.node(at.cell()).unwrap_or(NodeId::NONE)
}

/// The cell of a node, for a step.
pub(super) fn spot(grid: &Grid, node: NodeId) -> Spot {
    let cell: Cell = grid.cell(node);
    Spot::of(cell)
}
