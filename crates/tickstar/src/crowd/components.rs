//! Which regions are connected with each other: found anew, within the budget, when regions have changed.

use crate::regions::{CrowdRegions, RegionId};
use crate::{Cell, NodeId, Slice};

/// The connected components of the regions.
#[derive(Clone, Debug, Default)]
pub(super) struct Components {
    /// The component of each region. Numbers of earlier rounds are not used again.
    labels: Vec<u32>,
    /// The last number that was used, and the last one of the round before.
    last: u32,
    last_before: u32,
    /// Regions whose neighbors have yet to be labeled, and the first id that has yet to be looked at.
    queue: Vec<RegionId>,
    next: u32,
    /// The length of the regions' log when the round began.
    began: Option<u64>,
    is_complete: bool,
    /// The number of agents that have been compared with the components of this round.
    pub compared: usize,
    /// The number of edits of the map when the first of them was compared.
    pub edits: u64,
}

impl Components {
    /// Whether the components are known, and the regions have not changed since the round began.
    pub fn are_exact(&self, regions: &CrowdRegions) -> bool {
        self.is_complete && self.began == Some(regions.logged())
    }

    /// Whether a round has begun.
    pub fn is_begun(&self) -> bool {
        self.began.is_some()
    }

    /// Begins a new round.
    pub fn begin(&mut self, regions: &CrowdRegions) {
        if self.last > u32::MAX / 2 {
            // Once in billions of components.
            self.labels.fill(0);
            self.last = 0;
        }
        self.last_before = self.last;
        self.queue.clear();
        (self.next, self.compared, self.is_complete) = (0, 0, false);
        self.began = Some(regions.logged());
    }

    /// Goes on with a round, as far as the slice allows. Returns whether it is complete. If regions change meanwhile, the
    /// round goes on all the same, or a map that changes all the time would prevent it.
    pub fn run(&mut self, regions: &CrowdRegions, slice: &mut Slice<'_>) -> bool {
        while !self.is_complete {
            if let Some(&region) = self.queue.last() {
                if !slice.trace(NodeId(region.0)) {
                    return false;
                }
                self.queue.pop();
                for near in regions.near(region) {
                    self.label(near);
                }
                continue;
            }
            if !slice.scan() {
                return false;
            }
            let region = RegionId(self.next);
            self.is_complete = self.next >= regions.id_count();
            self.next += 1;
            if regions.exists(region) && self.of_region(region).is_none() {
                self.last += 1;
                self.label(region);
            }
        }
        true
    }

    fn label(&mut self, region: RegionId) {
        let index = region.0 as usize;
        if index >= self.labels.len() {
            self.labels.resize(index + 1, 0);
        }
        if self.labels[index] <= self.last_before {
            self.labels[index] = self.last;
            self.queue.push(region);
        }
    }

    fn of_region(&self, region: RegionId) -> Option<u32> {
        self.labels.get(region.0 as usize).copied().filter(|&label| label > self.last_before)
    }

    /// Whether two cells are in the same component, as far as this round has found out.
    pub fn are_joined(&self, regions: &CrowdRegions, a: Cell, b: Cell) -> bool {
        let of = |cell| regions.at(cell).and_then(|region| self.of_region(region));
        of(a).zip(of(b)).is_some_and(|(a, b)| a == b)
    }

    pub fn bytes(&self) -> usize {
        self.labels.capacity() * size_of::<u32>() + self.queue.capacity() * size_of::<RegionId>()
    }
}
