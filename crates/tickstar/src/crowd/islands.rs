//! Which regions are not connected with others: found once, when a search has failed, for all agents.

use crate::regions::{RegionId, Regions};
use crate::{Cell, NodeId, Slice};

/// The regions that are connected with some goals that could not be reached. They hold until the regions change.
#[derive(Clone, Debug, Default)]
pub(super) struct Islands {
    /// The island of each region, from one; zero if that is not known.
    islands: Vec<u32>,
    count: u32,
    /// Regions whose neighbors have yet to be visited.
    queue: Vec<RegionId>,
    /// The length of the regions' log when this was found out.
    logged: Option<u64>,
}

impl Islands {
    fn of(&self, region: Option<RegionId>) -> u32 {
        region.and_then(|region| self.islands.get(region.0 as usize)).copied().unwrap_or(0)
    }

    /// Whether it is known that no path leads from one cell to the other.
    pub fn are_apart(&self, regions: &Regions, a: Cell, b: Cell) -> bool {
        let is_known = self.is_current(regions) && self.queue.is_empty();
        // An island is known as a whole, so what is not on it is elsewhere.
        is_known && self.of(regions.at(a)) != self.of(regions.at(b))
    }

    /// Begins to mark what is connected with a cell.
    pub fn begin(&mut self, regions: &Regions, cell: Cell) {
        if !self.is_current(regions) || !self.queue.is_empty() {
            // What was known is no longer true, or not complete.
            self.islands.clear();
            self.count = 0;
        }
        self.queue.clear();
        self.logged = Some(regions.logged());
        let Some(region) = regions.at(cell).filter(|&region| self.of(Some(region)) == 0) else {
            return;
        };
        self.count += 1;
        self.mark(region);
    }

    fn mark(&mut self, region: RegionId) {
        let index = region.0 as usize;
        if index >= self.islands.len() {
            self.islands.resize(index + 1, 0);
        }
        self.islands[index] = self.count;
        self.queue.push(region);
    }

    /// Whether the regions have not changed since then.
    pub fn is_current(&self, regions: &Regions) -> bool {
        self.logged == Some(regions.logged())
    }

    /// Goes on with that, as far as the slice allows. Returns whether it is complete.
    pub fn run(&mut self, regions: &Regions, slice: &mut Slice<'_>) -> bool {
        while let Some(&region) = self.queue.last() {
            if !slice.trace(NodeId(region.0)) {
                return false;
            }
            self.queue.pop();
            for near in regions.near(region) {
                if self.of(Some(near)) == 0 {
                    self.mark(near);
                }
            }
        }
        true
    }

    pub fn bytes(&self) -> usize {
        self.islands.capacity() * size_of::<u32>() + self.queue.capacity() * size_of::<RegionId>()
    }
}
