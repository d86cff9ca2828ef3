//! The search of Tick* over regions: from the goal to the agent, repaired where regions change.
//!
//! It is D* Lite (see [`incremental`](super::incremental)) with three differences, for which it has its own loop:
//!
//! * The cost of an edge depends on the search itself. A path leaves a region at an *exit*, the cell from which a step
//!   leads to the next region. From a neighbor, the way through a region leads from the neighbor's own exit to the
//!   region's exit: so the cost to the goal that a region offers to its neighbors is `distance(exit of the neighbor,
//!   exit of the region) + g`. In open terrain, where a region has four sides only, these sums are octile distances all
//!   the same. Each record therefore has two exits, one that belongs to `g` and one that belongs to `rhs`. When a
//!   region finds a cheaper exit, its neighbors are offered the new cost, but those for which the old exit was nearer
//!   keep what they have: with values that could also rise without a change of the map, an early mistake would be
//!   corrected over and over, in ever larger parts of the map.
//! * Nodes with `g > rhs` are ranked by a weighted heuristic.
//! * Dead ends are not searched, except those around the agent: a region that is reached through its only way out is
//!   recorded, but not put on the open list.
//!
//! # Invariants
//! * The next region of a region with finite `g` had a smaller `g` when it was chosen, so next regions form a tree.
//! * While no change of the map is pending, the open list has every region whose values differ, except dead ends.

use super::pool::Pool;
use super::table::{Stamp, Stamped};
use crate::regions::{Border, RegionId, Regions};
use crate::{Cell, Cost, Event, NodeId, Ratio, Slice};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The agent may move this far, in cells, before the keys of the open list are adapted to its position.
const DRIFT: u32 = 8;

/// A cell in four bytes: no side of a map is longer than that.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Spot(u16, u16);

impl Spot {
    #[inline]
    fn of(cell: Cell) -> Spot {
        Spot(cell.x as u16, cell.y as u16)
    }

    #[inline]
    fn cell(self) -> Cell {
        Cell { x: self.0.into(), y: self.1.into() }
    }
}

/// What the search knows of a region.
#[derive(Clone, Copy, Debug)]
struct Record {
    g: Cost,
    rhs: Cost,
    /// Its key on the open list, or [`UNQUEUED`].
    key: u64,
    /// Where a path leaves it, and to where: for `g`, and for `rhs`.
    exit: Spot,
    next: RegionId,
    rhs_exit: Spot,
    rhs_next: RegionId,
    /// The epoch.
    stamp: u32,
    /// Not zero if it is to be expanded even if it is a dead end: the generation in which it was last on a way out.
    wanted: u32,
}

/// The key of a region that is not on the open list.
const UNQUEUED: u64 = u64::MAX;
/// An entry of the open list, smallest first: by key; with the same key, first what has become more expensive, then what
/// is farthest from the goal. It is one number, so that few instructions compare two entries: the key, a bit, 31 bits
/// of the cost, and the region. (Entries of three words took a fifth more instructions per expansion.)
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Entry(u128);

impl Entry {
    #[inline]
    fn new(key: u64, record: &Record, id: RegionId) -> Entry {
        const MOST: u64 = (1 << 31) - 1;
        // The cost in parts of a step, of which there are enough for the longest paths.
        let far = |cost: Cost| MOST - (cost.0 >> 18).min(MOST);
        let rank = if record.g < record.rhs { far(record.g) } else { far(record.rhs) | 1 << 31 };
        Entry(u128::from(key) << 64 | u128::from(rank << 32 | u64::from(id.0)))
    }

    #[inline]
    fn key(self) -> u64 {
        (self.0 >> 64) as u64
    }

    #[inline]
    fn region(self) -> RegionId {
        RegionId(self.0 as u32)
    }

    /// Whether it was inserted because the region had become more expensive.
    #[inline]
    fn is_raised(self) -> bool {
        self.0 as u64 >> 63 == 0
    }
}

/// The least room of the open list, in entries.
const ROOM: usize = 64;

impl Default for Record {
    fn default() -> Record {
        Record {
            g: Cost::INFINITE,
            rhs: Cost::INFINITE,
            key: UNQUEUED,
            exit: Spot::default(),
            next: RegionId(u32::MAX),
            rhs_exit: Spot::default(),
            rhs_next: RegionId(u32::MAX),
            stamp: 0,
            wanted: 0,
        }
    }
}

impl Stamp for Record {
    #[inline]
    fn stamp(&self) -> u32 {
        self.stamp
    }
}

impl Record {
    #[inline]
    fn is_settled(&self) -> bool {
        self.g == self.rhs
    }

    fn is_wanted(&self) -> bool {
        self.wanted != 0
    }
}

/// What the keys of the open list depend on.
#[derive(Clone, Copy, Debug)]
struct Keys {
    /// The weight of the heuristic, times 2^32, so that a key takes no division.
    weight: u64,
    /// The cell that keys lead to; none if the search is for agents anywhere, and has no heuristic.
    anchor: Option<Cell>,
    /// What the heuristic may have lost as the anchor moved.
    km: Cost,
}

impl Keys {
    fn new(weight: Ratio) -> Keys {
        Keys { weight: weight.times(1 << 32), anchor: None, km: Cost::ZERO }
    }

    /// Where a path through a region probably comes from: the agent or, if the search is for many, the middle of the
    /// region's tile.
    #[inline]
    fn origin<const SIDE: usize>(&self, regions: &Regions<SIDE>, id: RegionId) -> Cell {
        self.anchor.unwrap_or_else(|| regions.middle(id))
    }

    #[inline]
    fn weigh(&self, h: Cost) -> Cost {
        Cost(((u128::from(h.0) * u128::from(self.weight)) >> 32) as u64)
    }

    #[inline]
    fn of<const SIDE: usize>(&self, regions: &Regions<SIDE>, record: &Record) -> u64 {
        let Some(anchor) = self.anchor else { return record.g.min(record.rhs).0 };
        if record.g < record.rhs {
            let h = regions.apart(record.exit.cell(), anchor);
            return (record.g + h + self.km).0;
        }
        let h = regions.apart(record.rhs_exit.cell(), anchor);
        (record.rhs + self.weigh(h) + self.km).0
    }
}

/// The border from a region to the next one, and where a path leaves that. The exit of the region was chosen without
/// knowing where a path comes from; where that is known, a better one may lie on that border.
struct Bend {
    border: Border,
    through: RegionId,
    exit: Cell,
    g: Cost,
}

impl Bend {
    /// Compares the cost that a region offers to a neighbor by way of its exit, and the cell there, with the cost by way
    /// of the best cell of the border. Costs stay greater than that of the region, so that next regions form a tree.
    fn improve<const SIDE: usize>(
        &self,
        regions: &Regions<SIDE>,
        known: (Cost, Cell),
        border: Border,
        (id, g): (RegionId, Cost),
        origin: Cell,
    ) -> (Cost, Cell) {
        let bend = self.border.between(self.exit, origin);
        let cell = border.between(bend, origin);
        let here = regions.weigh(id, regions.apart(cell, bend));
        let there = regions.weigh(self.through, regions.apart(bend, self.exit));
        let cost = (here + there + self.g).max(g + Cost(1));
        if cost < known.0 { (cost, cell) } else { known }
    }
}

/// What a search over regions has found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// The slice is spent.
    Working,
    /// A way from the agent's region to the goal.
    Way,
    /// There is none.
    NoWay,
}

/// The search.
#[allow(clippy::struct_excessive_bools)] // each tells something else about the search
#[derive(Clone, Debug)]
pub(crate) struct Coarse {
    records: Stamped<Record>,
    open: BinaryHeap<Reverse<Entry>>,
    /// The weight of the heuristic of the next search that is started.
    pub weight: Ratio,
    /// It is for agents anywhere: without a heuristic.
    is_shared: bool,
    keys: Keys,
    goal: Cell,
    root: Option<RegionId>,
    /// How much of the regions' log has been processed.
    read: u64,
    /// Dead ends on the agent's way out that have yet to be allowed.
    way_out: Option<RegionId>,
    /// The region that the last way out began in.
    outward: Option<RegionId>,
    /// The number of changes that have been processed since the search began, from one. Within a generation, the ways out
    /// of regions stay the same.
    generation: u32,
    /// The last call found a way; some call did.
    is_complete: bool,
    has_way: bool,
    /// All keys on the open list are those of their records: neither the anchor has moved nor an exit.
    is_keyed: bool,
    /// Insertions into the open list, and regions that were generated.
    pushes: usize,
    generated: usize,
    /// Scratch for the neighbors whose `rhs` must be recomputed.
    invalid: Vec<RegionId>,
}

/// The number of insertions, beyond a multiple of the regions, after which a new search is better than an open list full
/// of stale entries.
const WORN: usize = 1 << 12;

/// More changes than this, and than half of the regions that were generated, are not processed one by one.
const MANY: u64 = 32;

impl Coarse {
    pub fn new(weight: Ratio) -> Coarse {
        Coarse {
            records: Stamped::default(),
            open: BinaryHeap::new(),
            weight,
            is_shared: false,
            keys: Keys::new(weight),
            goal: Cell::default(),
            root: None,
            read: 0,
            way_out: None,
            outward: None,
            generation: 1,
            is_complete: false,
            has_way: false,
            is_keyed: true,
            pushes: 0,
            generated: 0,
            invalid: Vec::new(),
        }
    }

    /// A search for many agents with the same goal, wherever they are: by cost alone, as far as the farthest of them.
    pub fn shared() -> Coarse {
        Coarse { is_shared: true, ..Coarse::new(Ratio::ONE) }
    }

    /// Forgets everything: the next call of [`Coarse::run`] starts a new search.
    pub fn reset(&mut self) {
        self.root = None;
    }

    /// Whether a search has been started and not been reset.
    pub fn is_started(&self) -> bool {
        self.root.is_some()
    }

    /// Starts a search from a goal, toward an agent. Constant time.
    fn start<const SIDE: usize>(
        &mut self,
        regions: &Regions<SIDE>,
        root: RegionId,
        goal: Cell,
        anchor: Cell,
    ) {
        self.records.begin();
        self.open.clear();
        self.open.reserve(ROOM);
        (self.goal, self.root, self.read) = (goal, Some(root), regions.logged());
        self.keys =
            Keys { anchor: Some(anchor).filter(|_| !self.is_shared), ..Keys::new(self.weight) };
        (self.pushes, self.generated) = (0, 0);
        (self.way_out, self.outward, self.generation) = (None, None, 1);
        (self.is_keyed, self.is_complete, self.has_way) = (true, false, false);
        let spot = Spot::of(goal);
        let first = Record { rhs: Cost::ZERO, rhs_exit: spot, rhs_next: root, ..Record::default() };
        self.put(regions, root, first);
    }

    /// Searches for a way from a cell to the goal, as far as the slice allows; `goal` must stay the same unless the
    /// search is [reset](Coarse::reset).
    pub fn run<const SIDE: usize>(
        &mut self,
        regions: &Regions<SIDE>,
        from: Cell,
        goal: Cell,
        slice: &mut Slice<'_>,
    ) -> Found {
        let (Some(start), Some(root)) = (regions.at(from), regions.at(goal)) else {
            return Found::NoWay;
        };
        if self.root.is_some() && self.read < regions.logged() {
            slice.note(Event::Restart);
        }
        if self.root != Some(root) || self.pushes > WORN + 8 * self.generated {
            self.start(regions, root, goal, from);
        }
        // A new search may be less work than to process many changes.
        let many = |changes: u64| changes > MANY + self.generated as u64 / 2;
        if regions.changes_since(self.read).is_none_or(many) {
            self.start(regions, root, goal, from);
        }
        if !self.follow(regions, slice) || !self.allow_way_out(regions, start, slice) {
            return Found::Working;
        }
        slice.on_level(1, |slice| self.expand_all(regions, start, from, slice))
    }

    fn expand_all<const SIDE: usize>(
        &mut self,
        regions: &Regions<SIDE>,
        start: RegionId,
        from: Cell,
        slice: &mut Slice<'_>,
    ) -> Found {
        loop {
            let Some(top) = self.best() else {
                if self.record(start).g == Cost::INFINITE {
                    return Found::NoWay;
                }
                return self.found();
            };
            if self.is_before(regions, start, top) {
                return self.found();
            }
            if std::mem::take(&mut self.is_complete) {
                self.follow_anchor(regions, from);
            }
            let id = top.region();
            if !self.is_keyed && top.key() < self.keys.of(regions, &self.record(id)) {
                if !slice.update(node(id)) {
                    return Found::Working;
                }
                self.open.pop();
                self.put(regions, id, self.record(id));
                continue;
            }
            if !slice.expand(node(id)) {
                return Found::Working;
            }
            self.open.pop();
            self.expand(regions, id);
        }
    }

    fn found(&mut self) -> Found {
        (self.is_complete, self.has_way) = (true, true);
        Found::Way
    }

    /// Whether the way from a region is known, and the best entry of the open list cannot make it better.
    #[inline]
    fn is_before<const SIDE: usize>(
        &self,
        regions: &Regions<SIDE>,
        start: RegionId,
        top: Entry,
    ) -> bool {
        let Some(own) = self.records.find(node(start)).filter(|own| own.is_settled()) else {
            return false;
        };
        // With the same key, a region that has become more expensive may be on the way.
        let key = self.keys.of(regions, own);
        let is_last = top.key() > key || top.key() == key && !top.is_raised();
        own.g != Cost::INFINITE && is_last
    }

    /// Processes the changes of the regions, as far as the slice allows. Returns whether all are processed.
    fn follow<const SIDE: usize>(
        &mut self,
        regions: &Regions<SIDE>,
        slice: &mut Slice<'_>,
    ) -> bool {
        while self.read < regions.logged() {
            let id = regions.change(self.read);
            // A region that has not been generated may be a new neighbor of one that has been expanded.
            if !slice.update(node(id)) {
                return false;
            }
            self.recompute(regions, id);
            self.read += 1;
            (self.outward, self.way_out) = (None, None);
            self.generation = self.generation.checked_add(1).unwrap_or(1);
        }
        true
    }

    /// Lets the search enter the dead ends on the way out of a region. Returns whether all are allowed.
    fn allow_way_out<const SIDE: usize>(
        &mut self,
        regions: &Regions<SIDE>,
        start: RegionId,
        slice: &mut Slice<'_>,
    ) -> bool {
        loop {
            let Some(id) = self.way_out else {
                // An agent that wanders back and forth must not spend anything on this in every tick.
                let is_allowed = self.record(start).wanted == self.generation;
                if self.outward == Some(start) || is_allowed {
                    return true;
                }
                (self.outward, self.way_out) = (Some(start), Some(start));
                continue;
            };
            let record = self.record(id);
            let payable = if record.is_wanted() { slice.scan() } else { slice.update(node(id)) };
            if !payable {
                return false;
            }
            if record.wanted == self.generation {
                // Those that follow have been allowed before: a way out is followed to its end before another one.
                self.way_out = None;
                continue;
            }
            self.way_out = regions.dead_end(id);
            let allowed = Record { stamp: self.records.now(), wanted: self.generation, ..record };
            self.records.set(node(id), allowed);
            if !record.is_wanted() && !allowed.is_settled() && allowed.key == UNQUEUED {
                self.put(regions, id, allowed);
            }
        }
    }

    /// Adapts the heuristic to the position of the agent. Not while a search is in progress: an agent that wanders would
    /// make it correct its keys again and again.
    fn follow_anchor<const SIDE: usize>(&mut self, regions: &Regions<SIDE>, from: Cell) {
        let Keys { anchor: Some(anchor), km, .. } = self.keys else { return };
        if anchor.x.abs_diff(from.x).max(anchor.y.abs_diff(from.y)) > DRIFT {
            self.keys.km = km + self.keys.weigh(regions.apart(anchor, from));
            (self.keys.anchor, self.is_keyed) = (Some(from), false);
        }
    }

    #[inline]
    fn record(&self, id: RegionId) -> Record {
        self.records.find(node(id)).copied().unwrap_or_default()
    }

    /// Stores a record, and puts it on the open list if it belongs there.
    fn put<const SIDE: usize>(
        &mut self,
        regions: &Regions<SIDE>,
        id: RegionId,
        mut record: Record,
    ) {
        let now = self.records.now();
        self.generated += usize::from(record.stamp != now);
        record.stamp = now;
        self.pushes += 1;
        enqueue(&mut self.open, &self.keys, regions, self.root, id, &mut record);
        self.records.set(node(id), record);
    }

    /// The best entry of the open list. Entries before it that are out of date are removed.
    #[inline]
    fn best(&mut self) -> Option<Entry> {
        loop {
            let &Reverse(top) = self.open.peek()?;
            let record = self.records.find(node(top.region()));
            if record.is_some_and(|record| !record.is_settled() && record.key == top.key()) {
                return Some(top);
            }
            self.open.pop();
        }
    }

    fn expand<const SIDE: usize>(&mut self, regions: &Regions<SIDE>, id: RegionId) {
        let Some(record) = self.records.find_mut(node(id)) else { return };
        if record.g < record.rhs {
            self.raise(regions, id);
            return;
        }
        // This is the innermost loop. Records are changed in place.
        let (rhs, exit) = (record.rhs, record.rhs_exit);
        (record.g, record.exit, record.next, record.key) = (rhs, exit, record.rhs_next, UNQUEUED);
        let now = self.records.now();
        let bend = if self.is_shared { self.bend(regions, id) } else { None };
        let table = self.records.pages_mut();
        regions.for_each_border_beyond(id, |near, border| {
            let known = match table.find_mut(node(near)) {
                Some(known) => known,
                None => table.touched(node(near)),
            };
            let is_new = known.stamp() != now;
            if is_new {
                *known = Record { stamp: now, ..Record::default() };
                self.generated += 1;
            } else if known.rhs <= rhs {
                return; // most of those that are nearer to the goal
            }
            let origin = self.keys.origin(regions, near);
            let mut cell = border.between(exit.cell(), origin);
            let mut offer = regions.weigh(id, regions.apart(cell, exit.cell())) + rhs;
            if let Some(bend) = &bend {
                (offer, cell) = bend.improve(regions, (offer, cell), border, (id, rhs), origin);
            }
            if offer < known.rhs {
                (known.rhs, known.rhs_exit, known.rhs_next) = (offer, Spot::of(cell), id);
                enqueue(&mut self.open, &self.keys, regions, self.root, near, known);
                self.pushes += 1;
            }
        });
    }

    /// For a search without an agent to aim at: where a path through a region may bend instead of at its exit.
    fn bend<const SIDE: usize>(&self, regions: &Regions<SIDE>, id: RegionId) -> Option<Bend> {
        let record = self.records.find(node(id)).filter(|_| self.root != Some(id))?;
        let next = self.records.find(node(record.next)).filter(|next| next.g != Cost::INFINITE)?;
        let mut borders = regions.borders(id);
        let (_, border) = borders.find(|&(near, _)| near == record.next)?;
        Some(Bend { border, through: record.next, exit: next.exit.cell(), g: next.g })
    }

    /// A region has become more expensive: its neighbors that lead to it must find another way.
    #[cold]
    fn raise<const SIDE: usize>(&mut self, regions: &Regions<SIDE>, id: RegionId) {
        let mut invalid = std::mem::take(&mut self.invalid);
        self.put(regions, id, Record { g: Cost::INFINITE, ..self.record(id) });
        for (near, ..) in regions.borders(id) {
            let known = self.records.find(node(near));
            invalid.extend(Some(near).filter(|_| known.is_some_and(|known| known.rhs_next == id)));
        }
        for near in invalid.drain(..) {
            self.recompute(regions, near);
        }
        self.invalid = invalid;
    }

    /// Computes `rhs` from all neighbors.
    fn recompute<const SIDE: usize>(&mut self, regions: &Regions<SIDE>, id: RegionId) {
        let old = self.record(id);
        if self.root == Some(id) {
            return;
        }
        if !regions.exists(id) {
            // Its neighbors have changed too, and are recomputed without it.
            self.records.set(node(id), Record { stamp: self.records.now(), ..Record::default() });
            return;
        }
        let mut best = (Cost::INFINITE, old.rhs_exit, old.rhs_next);
        for (near, border) in regions.borders(id) {
            let Some(known) = self.records.find(node(near)).filter(|near| near.g != Cost::INFINITE)
            else {
                continue;
            };
            let origin = self.keys.origin(regions, id);
            let mut cell = border.between(known.exit.cell(), origin);
            let mut cost = regions.weigh(near, regions.apart(cell, known.exit.cell())) + known.g;
            if let Some(bend) = self.is_shared.then(|| self.bend(regions, near)).flatten() {
                (cost, cell) = bend.improve(regions, (cost, cell), border, (near, known.g), origin);
            }
            if cost < best.0 {
                best = (cost, Spot::of(cell), near);
            }
        }
        let new = Record { rhs: best.0, rhs_exit: best.1, rhs_next: best.2, ..old };
        if new.rhs != old.rhs || old.key == UNQUEUED && !old.is_settled() {
            self.put(regions, id, new);
        } else if new.rhs != Cost::INFINITE
            && let Some(record) = self.records.find_mut(node(id))
        {
            (record.rhs_exit, record.rhs_next) = (new.rhs_exit, new.rhs_next);
            self.is_keyed = false;
            if record.g == record.rhs {
                (record.exit, record.next) = (new.rhs_exit, new.rhs_next);
            }
        }
    }

    /// Whether the way from a region is known, so that a search would have nothing to do.
    pub fn knows<const SIDE: usize>(&mut self, regions: &Regions<SIDE>, id: RegionId) -> bool {
        if self.root.is_none() || self.read != regions.logged() {
            return false;
        }
        match self.best() {
            Some(top) => self.is_before(regions, id, top),
            None => self.cost(id) != Cost::INFINITE,
        }
    }

    /// The cost to the goal from where a path leaves a region, as estimated over regions.
    pub fn cost(&self, id: RegionId) -> Cost {
        self.record(id).g
    }

    /// Where a path to the goal leaves a region, and which region is next; the goal itself in its own region.
    pub fn exit(&self, id: RegionId) -> Option<(Cell, RegionId)> {
        let record = self.records.find(node(id)).filter(|record| record.g != Cost::INFINITE)?;
        Some((record.exit.cell(), record.next))
    }

    /// The best neighbor by which to leave a region that is entered at a cell, and the cell from which a step leads there.
    /// That neighbor is nearer to the goal than the region. (The search has found the exit that is nearest to the goal,
    /// wherever the region is entered.)
    pub fn best_exit<const SIDE: usize>(
        &self,
        regions: &Regions<SIDE>,
        own: RegionId,
        entry: Cell,
    ) -> Option<(RegionId, Cell)> {
        self.best_way(regions, own, entry).map(|(next, exit, _)| (next, exit))
    }

    /// The same, with the cost from the entry to the goal, as estimated over regions.
    pub fn best_way<const SIDE: usize>(
        &self,
        regions: &Regions<SIDE>,
        own: RegionId,
        entry: Cell,
    ) -> Option<(RegionId, Cell, Cost)> {
        let mut best = (Cost::INFINITE, None);
        let cost = self.cost(own);
        for (near, border) in regions.borders(own) {
            let Some((exit, _)) = self.exit(near).filter(|_| self.cost(near) < cost) else {
                continue;
            };
            let cell = border.between(exit, entry);
            let here = regions.weigh(own, regions.apart(entry, cell));
            let there = regions.weigh(near, regions.apart(cell, exit));
            let total = here + there + self.cost(near);
            if total < best.0 {
                best = (total, Some((near, cell, total)));
            }
        }
        best.1
    }

    /// For each region with a known way, where it is left, and where the next one is.
    pub fn tree<const SIDE: usize>(&self, regions: &Regions<SIDE>) -> Vec<(Cell, Cell)> {
        let ids = regions.ids().filter(|_| self.is_started());
        let edge = |id| {
            let (exit, next) = self.exit(id)?;
            Some((exit, self.exit(next)?.0))
        };
        ids.filter_map(edge).collect()
    }

    /// Whether the search has found a way from some position of the agent.
    pub fn has_way(&self) -> bool {
        self.has_way
    }

    /// Where the search is nearest to the agent.
    pub fn front(&mut self) -> Option<Cell> {
        let top = self.best()?;
        self.records.find(node(top.region())).map(|record| record.rhs_exit.cell())
    }

    pub fn set_pool(&mut self, pool: &Pool) {
        self.reset();
        self.records.pages_mut().set_pool(pool);
    }

    /// Returns all memory.
    pub fn release(&mut self) {
        self.reset();
        self.records.pages_mut().release();
        self.open = BinaryHeap::new();
        self.invalid = Vec::new();
    }

    /// Returns released blocks to the allocator, at most this many. Returns how many.
    pub fn reclaim(&mut self, blocks: u64) -> u64 {
        self.records.pages_mut().reclaim(blocks)
    }

    pub fn bytes(&self) -> usize {
        let invalid = self.invalid.capacity() * size_of::<RegionId>();
        self.records.bytes() + self.open.capacity() * size_of::<Entry>() + invalid
    }
}

/// Puts a region on the open list, if it belongs there, and stores its key.
#[inline]
fn enqueue<const SIDE: usize>(
    open: &mut BinaryHeap<Reverse<Entry>>,
    keys: &Keys,
    regions: &Regions<SIDE>,
    root: Option<RegionId>,
    id: RegionId,
    record: &mut Record,
) {
    record.key = UNQUEUED;
    let is_dead_end = record.g == Cost::INFINITE
        && !record.is_wanted()
        && regions.dead_end(id) == Some(record.rhs_next)
        && root != Some(id);
    if !record.is_settled() && !is_dead_end {
        record.key = keys.of(regions, record);
        open.push(Reverse(Entry::new(record.key, record, id)));
    }
}

/// The id of a region, as an index of tables and open lists.
#[inline]
fn node(id: RegionId) -> NodeId {
    NodeId(id.0)
}

#[cfg(test)]
mod tests;
