//! Where the map turns out to differ, what is left of each tick goes into a search over cells: D* Lite from the goal, on
//! the map as it is known. When it is complete at the agent's position, the agent follows its path instead of the one
//! over regions, as it sees every wall that regions hide. That path is followed until it is cut, or something opens: as
//! long as walls are only discovered, no other path can become cheaper.
//!
//! While the search is being repaired, the agent waits: if the path over regions took over, the agent would often go back
//! and forth between the two. Most repairs take less than a tick. If one takes longer, a new search from the agent, by jump
//! points, gets half of each tick, and whichever is complete first has the path. If both take too long, the path over
//! regions takes over.

use crate::search::incremental::Ties;
use crate::search::{Incremental, MainSearch, Retrace};
use crate::{Cost, Map, NodeId, OpenList, Pool, SearchConfig, Slice, Status};

/// With a smaller budget, the search over cells takes too many ticks to be repaired.
const LEAST_BUDGET: u64 = 500;
/// More changes than this, per unit of the budget, make a new search necessary all the time.
const MOST_CHANGES: u64 = 1;

/// Insertions into the open list, beyond twice the map's size, after which most of its entries are stale.
const WORN: usize = 1 << 10;

/// The number of ticks of a repair after which a new search may begin beside it.
const LATE: u32 = 4;
/// The number of ticks that the agent waits for either.
const PATIENCE: u32 = 30;

/// What the searches over cells have found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Finding {
    /// A path from the agent to the goal, see [`Cells::path`].
    Path,
    /// There is none.
    NoPath,
    /// Nothing yet.
    Nothing,
}

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
    /// The number of ticks for which D* Lite has not been complete.
    late: u32,
    /// The number of ticks for which the agent has waited for a path.
    waited: u32,
    /// The search from the agent, and where it began.
    fresh: Option<Box<MainSearch>>,
    fresh_from: Option<NodeId>,
    /// The path of that search, while it is traced.
    retrace: Retrace,
    /// The path that was found last. If it does not lead to the goal, tracing it took too long.
    pub path: Vec<NodeId>,
    /// The path that the agent follows may no longer be the best one: a part of it was cut, or something opened.
    pub is_stale: bool,
}

impl Cells {
    pub fn new(open: OpenList) -> Cells {
        Cells {
            open,
            pool: None,
            search: None,
            changed: Vec::new(),
            drives: false,
            late: 0,
            waited: 0,
            fresh: None,
            fresh_from: None,
            retrace: Retrace::default(),
            path: Vec::new(),
            is_stale: false,
        }
    }

    /// Drops the searches. New ones begin with the next change.
    pub fn stop(&mut self) {
        if self.search.take().is_some() {
            self.changed.clear();
            self.fresh = None;
            (self.drives, self.late, self.waited, self.fresh_from) = (false, 0, 0, None);
        }
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
        self.fresh_from = None;
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

    /// Continues the search, as far as the slice allows, and finds a path if one is needed.
    pub fn run<M: Map>(
        &mut self,
        map: &M,
        at: NodeId,
        needs_path: bool,
        slice: &mut Slice<'_>,
    ) -> Finding {
        let is_late = needs_path && self.drives && self.late >= LATE;
        let mut finding = Finding::Nothing;
        let half = slice.remaining() / 2;
        if is_late && slice.part(half, |slice| self.start_afresh(map, at, slice)) {
            finding = Finding::Path;
        }
        let status = self.repair(map, at, slice);
        self.late = if status == Status::Working { self.late.saturating_add(1) } else { 0 };
        match status {
            Status::Exhausted => finding = Finding::NoPath,
            Status::Reached
                if needs_path && finding == Finding::Nothing && self.trace(map, at, slice) =>
            {
                finding = Finding::Path;
            }
            _ => {}
        }
        let waits = needs_path && finding == Finding::Nothing;
        self.waited = if waits { self.waited + 1 } else { 0 };
        match finding {
            Finding::Path => (self.drives, self.is_stale) = (true, false),
            Finding::Nothing => self.drives &= self.waited < PATIENCE,
            Finding::NoPath => self.drives = false,
        }
        finding
    }

    /// Continues D* Lite. Returns whether it has reached the agent.
    fn repair<M: Map>(&mut self, map: &M, at: NodeId, slice: &mut Slice<'_>) -> Status {
        let Some(search) = self.search.as_deref_mut() else { return Status::Working };
        search.core.at = at;
        search.ensure_started(map);
        while let Some(&node) = self.changed.last() {
            if !slice.update(node) {
                return Status::Working;
            }
            self.changed.pop();
            search.core.note(map, &[node]);
        }
        if search.core.pushes > WORN + 2 * map.size() {
            // A new search takes less than to remove so many stale entries at once.
            self.stop();
            return Status::Working;
        }
        if !search.think(map, slice) {
            return Status::Working;
        }
        let is_reached = search.core.record(at).rhs != Cost::INFINITE;
        if is_reached { Status::Reached } else { Status::Exhausted }
    }

    /// Finds the path of D* Lite. If the slice is spent before the goal is reached, the rest is traced when that is
    /// walked. Returns whether there is a step at least.
    fn trace<M: Map>(&mut self, map: &M, at: NodeId, slice: &mut Slice<'_>) -> bool {
        let Some(search) = self.search.as_deref_mut() else { return false };
        self.path.clear();
        self.path.push(at);
        let mut last = at;
        while last != search.core.goal && slice.update(last) {
            let Some(next) = search.core.nearest_step(map, last) else {
                // The edges here differ from those it knows: a change was not reported.
                search.core.note(map, &[last]);
                break;
            };
            self.path.push(next);
            last = next;
        }
        self.path.len() > 1
    }

    /// Continues the search from the agent. Returns whether it has found a path.
    fn start_afresh<M: Map>(&mut self, map: &M, at: NodeId, slice: &mut Slice<'_>) -> bool {
        let Some(search) = &self.search else { return false };
        let goal = search.core.goal;
        let fresh = self.fresh.get_or_insert_with(|| {
            let config = SearchConfig { open: self.open, ..SearchConfig::default() };
            let mut fresh = MainSearch::new(config, true);
            if let Some(pool) = &self.pool {
                fresh.set_pool(pool);
            }
            Box::new(fresh)
        });
        if self.fresh_from != Some(at) {
            fresh.begin(map, goal, Cost::ZERO);
            fresh.add_root(map, at);
            self.fresh_from = Some(at);
            self.retrace.cells.clear();
        }
        if self.retrace.cells.is_empty() {
            if fresh.run(map, slice) != Status::Reached {
                return false;
            }
            self.retrace.begin(goal);
        }
        if !self.retrace.run(fresh, slice) {
            return false;
        }
        std::mem::swap(&mut self.path, &mut self.retrace.cells);
        self.fresh_from = None;
        true
    }

    pub fn set_pool(&mut self, pool: &Pool) {
        self.stop();
        self.pool = Some(pool.clone());
    }

    pub fn bytes(&self) -> usize {
        let search =
            self.search.as_ref().map_or(0, |search| size_of::<Incremental>() + search.bytes());
        search
            + self.fresh.as_ref().map_or(0, |fresh| size_of::<MainSearch>() + fresh.bytes())
            + self.retrace.bytes()
            + (self.changed.capacity() + self.path.capacity()) * size_of::<NodeId>()
    }
}
