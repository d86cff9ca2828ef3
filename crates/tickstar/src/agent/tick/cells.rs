//! Where the map turns out to differ, what is left of each tick goes into a search over cells: D* Lite from the goal, on
//! the map as it is known. When it is complete at the agent's position, the agent follows it instead of its path, as it
//! sees every wall that regions hide. While it is being repaired the agent waits: if the path over regions took over, the
//! agent would often go back and forth between the two. Only if that takes long, it does.

use crate::agent::Decision;
use crate::search::Incremental;
use crate::search::incremental::Ties;
use crate::{Cost, Map, NodeId, OpenList, Pool, Slice};

/// With a smaller budget, the search over cells takes too many ticks to be repaired.
const LEAST_BUDGET: u64 = 500;
/// More changes than this, per unit of the budget, make a new search necessary all the time.
const MOST_CHANGES: u64 = 1;

/// Insertions into the open list, beyond twice the map's size, after which most of its entries are stale.
const WORN: usize = 1 << 10;

/// So many ticks the agent waits for a repair.
const PATIENCE: u32 = 30;

/// The search over cells, while it is of use.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    open: OpenList,
    pool: Option<Pool>,
    search: Option<Box<Incremental>>,
    /// Changes that have not been passed on to the search yet.
    changed: Vec<NodeId>,
    /// The agent follows the search.
    drives: bool,
    /// For so many ticks it has waited for a repair.
    waited: u32,
}

impl Cells {
    pub fn new(open: OpenList) -> Cells {
        Cells { open, pool: None, search: None, changed: Vec::new(), drives: false, waited: 0 }
    }

    /// Drops the search. A new one begins with the next change.
    pub fn stop(&mut self) {
        (self.search, self.drives) = (None, false);
        self.changed.clear();
    }

    pub fn is_active(&self) -> bool {
        self.search.is_some()
    }

    /// Whether the agent follows the search.
    pub fn drives(&self) -> bool {
        self.drives
    }

    /// Takes in what has changed, if the budget is large enough for this search.
    pub fn heed(&mut self, at: NodeId, goal: NodeId, changed: &[NodeId], budget: u64) {
        let many =
            (self.changed.len() + changed.len()) as u64 > budget.saturating_mul(MOST_CHANGES);
        if budget < LEAST_BUDGET || many {
            return self.stop();
        }
        if self.search.is_none() {
            // The search begins on the map as it is now.
            let mut search = Incremental::new(self.open, Ties::Near, at, goal);
            if let Some(pool) = &self.pool {
                search.set_pool(pool);
            }
            self.search = Some(Box::new(search));
        } else {
            self.changed.extend_from_slice(changed);
        }
    }

    /// Continues the search, as far as the slice allows. Returns what to do, if the agent follows it.
    pub fn run<M: Map>(&mut self, map: &M, at: NodeId, slice: &mut Slice<'_>) -> Option<Decision> {
        let decision = self.decide(map, at, slice);
        let waits = decision.is_none() && self.drives && self.waited < PATIENCE;
        self.waited = if waits { self.waited + 1 } else { 0 };
        self.drives = waits || matches!(decision, Some(Decision::Go(_)));
        decision.or(waits.then_some(Decision::Wait))
    }

    /// What to do, if the search is complete.
    fn decide<M: Map>(&mut self, map: &M, at: NodeId, slice: &mut Slice<'_>) -> Option<Decision> {
        let search = self.search.as_deref_mut()?;
        search.core.at = at;
        search.ensure_started(map);
        while let Some(&node) = self.changed.last() {
            if !slice.update(node) {
                return None;
            }
            self.changed.pop();
            search.core.note(map, &[node]);
        }
        if search.core.pushes > WORN + 2 * map.size() {
            // A new search takes less than to remove so many stale entries at once.
            self.stop();
            return None;
        }
        if !search.think(map, slice) {
            return None;
        }
        if search.core.record(at).rhs == Cost::INFINITE {
            return Some(Decision::NoWay);
        }
        let step = search.core.choose(map);
        if step.is_none() {
            // The edges here differ from those it knows: a change was not reported.
            search.core.note(map, &[at]);
        }
        step.map(Decision::Go)
    }

    /// The path that the agent follows.
    pub fn plan(&self, at: NodeId) -> Option<Vec<NodeId>> {
        self.search.as_ref().filter(|_| self.drives)?.core.plan(at)
    }

    pub fn set_pool(&mut self, pool: &Pool) {
        self.stop();
        self.pool = Some(pool.clone());
    }

    pub fn bytes(&self) -> usize {
        let search =
            self.search.as_ref().map_or(0, |search| size_of::<Incremental>() + search.bytes());
        search + self.changed.capacity() * size_of::<NodeId>()
    }
}
