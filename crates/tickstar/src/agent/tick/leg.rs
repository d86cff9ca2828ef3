//! A leg: the next few regions of the coarse way, turned into cells by a search in a corridor.

use crate::regions::{self, RegionId, Regions};
use crate::search::{Coarse, Problem, Toward};
use crate::{
    BestFirst, Cell, Cost, Map, NodeId, OpenList, Pool, Priority, Ratio, SearchConfig, Skip, Slice,
    Status,
};

/// The side of a tile in cells.
const SIDE: u32 = 16;
/// Cells of a tile.
type Rows = regions::Rows<{ SIDE as usize }>;

/// The state of a leg after a slice of work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Progress {
    /// The slice is spent.
    Working,
    /// The path of the leg is known.
    Done,
    /// There is no way in the corridor: the coarse way is wrong.
    Dead,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Idle,
    /// The chain of regions is being followed.
    Chaining,
    /// The corridor is being marked, as far as this region of the chain.
    Marking(usize),
    /// The corridor is known, and the search has yet to begin.
    Starting,
    Searching,
    /// The path is being traced, from its end.
    Tracing,
}

/// One search at a time, from the end of the path that is already planned.
#[derive(Clone, Debug)]
pub(super) struct Leg {
    search: BestFirst,
    area: Area,
    /// The regions that the leg leads through, that of its root first.
    chain: Vec<RegionId>,
    /// How many regions it should lead through, that of its root not counted.
    span: usize,
    /// Where the way enters the last region of the chain, about.
    entry: Cell,
    phase: Phase,
    /// The search omits no neighbors: see [`Passage`].
    is_thorough: bool,
    root: NodeId,
    /// The cell that the heuristic leads to: the goal, or the exit of the last region.
    target: NodeId,
    /// The target is the goal.
    is_last: bool,
    /// Where each region of the chain but the last is left.
    exits: Vec<Exit>,
    /// The cells found, root first; while they are traced, in reverse order.
    pub path: Vec<NodeId>,
}

impl Leg {
    pub fn new(weight: Ratio, open: OpenList) -> Leg {
        let priority = Priority::weighted(weight).unwrap_or_default();
        let config = SearchConfig { priority, open, blocking: true, ..SearchConfig::default() };
        Leg {
            search: BestFirst::new(config),
            area: Area::default(),
            chain: Vec::new(),
            span: 0,
            entry: Cell::default(),
            phase: Phase::Idle,
            is_thorough: false,
            root: NodeId::NONE,
            target: NodeId::NONE,
            is_last: false,
            exits: Vec::new(),
            path: Vec::new(),
        }
    }

    pub fn is_active(&self) -> bool {
        self.phase != Phase::Idle
    }

    pub fn cancel(&mut self) {
        self.phase = Phase::Idle;
    }

    /// Where it leads to, if that is known.
    pub fn target(&self) -> Option<NodeId> {
        matches!(self.phase, Phase::Starting | Phase::Searching | Phase::Tracing)
            .then_some(self.target)
    }

    /// Gives up if the map has changed so that its regions are not connected as they were: it could only fail, after it
    /// has searched all of them. Other changes do not stop it, or a map that changes all the time would.
    pub fn recheck(&mut self, regions: &Regions) {
        let is_cut = |pair: &[RegionId]| regions.border(pair[0], pair[1]).is_none();
        let is_in = |node: NodeId, region: Option<&RegionId>| {
            region.is_none_or(|&region| regions.of_node(node) == Some(region))
        };
        let has_ends = is_in(self.root, self.chain.first())
            && self.target().is_none_or(|target| is_in(target, self.chain.last()));
        if !has_ends || self.chain.windows(2).any(is_cut) {
            self.cancel();
        }
    }

    /// Begins a leg at a node.
    pub fn begin(&mut self, root: NodeId, span: usize) {
        self.chain.clear();
        (self.root, self.span, self.phase) = (root, span, Phase::Chaining);
        self.is_thorough = false;
    }

    /// Continues, as far as the slice allows, until its path is known; then it must be [canceled](Leg::cancel). The coarse
    /// search must have found a way from the region of the root.
    pub fn run<M: Map>(
        &mut self,
        map: &M,
        regions: &Regions,
        coarse: &Coarse,
        goal: NodeId,
        slice: &mut Slice<'_>,
    ) -> Progress {
        loop {
            match self.phase {
                Phase::Idle => return Progress::Dead,
                Phase::Chaining => {
                    match self.follow_chain(regions, coarse, goal, slice) {
                        Progress::Done => self.area.frame(regions, &self.chain),
                        other => return other,
                    }
                    self.phase = Phase::Marking(0);
                }
                Phase::Marking(nth) => {
                    let Some(&region) = self.chain.get(nth) else {
                        self.aim(regions, coarse, goal);
                        self.phase = Phase::Starting;
                        continue;
                    };
                    if !slice.update(self.root) {
                        return Progress::Working;
                    }
                    self.area.cover(regions, region);
                    self.phase = Phase::Marking(nth + 1);
                }
                Phase::Starting => {
                    if !slice.update(self.root) {
                        return Progress::Working;
                    }
                    let toward = Toward { map, goal: self.target };
                    self.search.start_problem(&toward, self.root, self.target);
                    self.phase = Phase::Searching;
                }
                Phase::Searching => match self.search(map, regions, slice) {
                    Status::Working => return Progress::Working,
                    Status::Exhausted if self.is_thorough => return self.end(Progress::Dead),
                    Status::Exhausted => (self.is_thorough, self.phase) = (true, Phase::Starting),
                    Status::Reached => {
                        self.path.clear();
                        self.path.push(self.target);
                        self.phase = Phase::Tracing;
                    }
                },
                Phase::Tracing => return self.trace(map, regions, slice),
            }
        }
    }

    fn search<M: Map>(&mut self, map: &M, regions: &Regions, slice: &mut Slice<'_>) -> Status {
        let last = self.chain.last().filter(|_| !self.is_last);
        let last = last.and_then(|&last| regions.place_of(last));
        let toward = Toward { map, goal: self.target };
        let (area, exits, is_thorough) = (&self.area, &self.exits[..], self.is_thorough);
        let passage = Passage { toward, regions, area, exits, last, is_thorough };
        self.search.run_problem(&passage, slice)
    }

    fn end(&mut self, progress: Progress) -> Progress {
        self.phase = Phase::Idle;
        progress
    }

    /// Collects the regions of the leg.
    fn follow_chain(
        &mut self,
        regions: &Regions,
        coarse: &Coarse,
        goal: NodeId,
        slice: &mut Slice<'_>,
    ) -> Progress {
        loop {
            let root = regions.cell(self.root);
            let next = match self.chain.last() {
                None => regions.at(root).map(|own| (own, root)),
                Some(_) if self.chain.len() > self.span => return Progress::Done,
                Some(&own) if Some(own) == regions.of_node(goal) => return Progress::Done,
                Some(&own) => coarse.best_exit(regions, own, self.entry),
            };
            let Some((next, entry)) = next.filter(|&(next, _)| regions.exists(next)) else {
                // What is left of the chain may do.
                let done = self.chain.len() > 1;
                return if done { Progress::Done } else { self.end(Progress::Dead) };
            };
            if !slice.update(self.root) {
                return Progress::Working;
            }
            self.chain.push(next);
            self.entry = entry;
        }
    }

    /// Decides on the target, and finds out where the leg leaves each region.
    fn aim(&mut self, regions: &Regions, coarse: &Coarse, goal: NodeId) {
        let last = self.chain.last().copied();
        self.is_last = last.is_some() && last == regions.of_node(goal);
        let exit = last.and_then(|last| coarse.best_exit(regions, last, self.entry));
        let exit = exit.filter(|_| !self.is_last).map(|(_, cell)| regions.node(cell));
        self.target = exit.unwrap_or(goal);
        self.exits.clear();
        let target = regions.cell(self.target);
        let (mut to, mut rest) = ((target, target), Cost::ZERO);
        for pair in self.chain.windows(2).rev() {
            let &[region, next] = pair else { continue };
            let Some(border) = regions.border(region, next) else { return };
            let Some((place, &cells)) = regions.place_of(region) else { return };
            rest = rest + between(regions, border, to);
            let other = self.area.set_exit(place, self.exits.len() + 1);
            self.exits.push(Exit { cells, border, rest, other });
            to = border;
        }
    }

    fn trace<M: Map>(&mut self, map: &M, regions: &Regions, slice: &mut Slice<'_>) -> Progress {
        while let Some(parent) = self.path.last().and_then(|&node| self.search.parent(node)) {
            if !slice.trace(parent) {
                return Progress::Working;
            }
            self.path.push(parent);
        }
        self.path.reverse();
        if !self.is_last {
            // The last step may be none: see `Passage`.
            if let [.., before, target] = self.path[..]
                && map.edge(before, target).is_none()
            {
                self.path.pop();
            }
            self.cut(regions);
        }
        Progress::Done
    }

    /// Keeps two thirds of the path, as its end is the part that was planned with the least foresight; it must end in a
    /// region of the chain beyond the first.
    fn cut(&mut self, regions: &Regions) {
        let Some((_, beyond)) = self.chain.split_first() else { return };
        let is_beyond =
            |&node: &NodeId| regions.of_node(node).is_some_and(|own| beyond.contains(&own));
        let from = (self.path.len() - 1) * 2 / 3;
        let kept =
            (from.max(1)..self.path.len()).find(|&at| self.path.get(at).is_some_and(is_beyond));
        if let Some(kept) = kept {
            self.path.truncate(kept + 1);
        }
    }

    pub fn set_pool(&mut self, pool: &Pool) {
        self.cancel();
        self.search.set_pool(pool);
    }

    /// Returns all memory.
    pub fn release(&mut self) {
        self.cancel();
        self.search.release();
        self.area = Area::default();
        (self.chain, self.path) = (Vec::new(), Vec::new());
    }

    /// Returns released blocks to the allocator, at most this many of each table. Returns how many.
    pub fn reclaim(&mut self, blocks: u64) -> u64 {
        self.search.reclaim(blocks)
    }

    pub fn bytes(&self) -> usize {
        let lists = self.chain.capacity() * size_of::<RegionId>()
            + self.exits.capacity() * size_of::<Exit>()
            + self.area.cells.capacity() * (size_of::<Rows>() + 1)
            + self.path.capacity() * size_of::<NodeId>();
        self.search.bytes() + lists
    }
}

/// Where a leg leaves a region.
#[derive(Clone, Copy, Debug)]
struct Exit {
    /// The cells of the region.
    cells: Rows,
    /// The corners of the box that contains the cells from which a step leads to the next region.
    border: (Cell, Cell),
    /// A lower bound on the distance from there to the target through the other exits.
    rest: Cost,
    /// The number of the exit of another region of the same tile, or zero.
    other: u8,
}

/// Whether these cells of a tile contain a cell, which must be of the same tile.
#[inline]
fn has(cells: &Rows, Cell { x, y }: Cell) -> bool {
    cells[(y % SIDE) as usize] >> (x % SIDE) & 1 == 1
}

/// The distance between two boxes on an empty map.
#[inline]
fn between(regions: &Regions, (a, b): (Cell, Cell), (c, d): (Cell, Cell)) -> Cost {
    let gap = |a: u32, b: u32, c: u32, d: u32| c.saturating_sub(b).max(a.saturating_sub(d));
    let apart = Cell { x: gap(a.x, b.x, c.x, d.x), y: gap(a.y, b.y, c.y, d.y) };
    regions.apart(apart, Cell::default())
}

/// Where a leg may lead: its regions and their neighbors, as the cells of a rectangle of tiles. (All cells of the tiles
/// around took a fifth more expansions. Looking up the region of each cell, and whether it is marked, took an eighth more
/// instructions.)
#[derive(Clone, Debug, Default)]
struct Area {
    /// The first column and row of tiles, and how many there are.
    first: (u32, u32),
    columns: u32,
    rows: u32,
    /// The cells of each tile where the leg may lead.
    cells: Vec<Rows>,
    /// For each tile the number of the exit of one of its regions, from one; zero if there is none.
    exits: Vec<u8>,
}

impl Area {
    /// Makes room for these regions and their neighbors, without any cells yet.
    fn frame(&mut self, regions: &Regions, chain: &[RegionId]) {
        let (mut first, mut last) = ((u32::MAX, u32::MAX), (0, 0));
        for &region in chain {
            let Some(((column, row), _)) = regions.place_of(region) else { continue };
            first = (first.0.min(column.saturating_sub(1)), first.1.min(row.saturating_sub(1)));
            last = (last.0.max(column + 2), last.1.max(row + 2));
        }
        self.first = first;
        self.columns = last.0.saturating_sub(first.0);
        self.rows = last.1.saturating_sub(first.1);
        let count = (self.columns * self.rows) as usize;
        self.cells.clear();
        self.cells.resize(count, Rows::default());
        self.exits.clear();
        self.exits.resize(count, 0);
    }

    /// Adds a region and its neighbors.
    fn cover(&mut self, regions: &Regions, region: RegionId) {
        self.add(regions, region);
        for near in regions.near(region) {
            self.add(regions, near);
        }
    }

    fn add(&mut self, regions: &Regions, region: RegionId) {
        let Some((place, cells)) = regions.place_of(region) else { return };
        if let Some(index) = self.index(place) {
            self.cells[index].iter_mut().zip(cells).for_each(|(all, cells)| *all |= cells);
        }
    }

    /// Sets the number of an exit, and returns the one that the tile had.
    fn set_exit(&mut self, place: (u32, u32), number: usize) -> u8 {
        self.index(place).map_or(0, |at| std::mem::replace(&mut self.exits[at], number as u8))
    }

    #[inline]
    fn index(&self, (column, row): (u32, u32)) -> Option<usize> {
        let column = column.wrapping_sub(self.first.0);
        let row = row.wrapping_sub(self.first.1);
        (column < self.columns && row < self.rows).then(|| (row * self.columns + column) as usize)
    }

    /// The number of an exit of the tile of a cell; none if the leg must not lead there.
    #[inline]
    fn exit(&self, cell: Cell) -> Option<u8> {
        let index = self.index((cell.x / SIDE, cell.y / SIDE))?;
        has(self.cells.get(index)?, cell).then(|| self.exits[index])
    }
}

/// The cells of an area. A leg that does not lead to the goal ends in its last region: from each cell of that region
/// an edge leads to the target that costs next to nothing, so that the first one that is expanded ends the search.
#[derive(Debug)]
struct Passage<'a, M> {
    toward: Toward<'a, M>,
    regions: &'a Regions,
    area: &'a Area,
    exits: &'a [Exit],
    /// The last region, unless it is the goal's: its tile, and its cells in that.
    last: Option<((u32, u32), &'a Rows)>,
    /// Whether no neighbors are omitted that a search without a weight could do without. Where a weight has made it
    /// expand nodes too early, or a cell was blocked since, a path might be missed: then it is repeated without that.
    is_thorough: bool,
}

// Not derived: a map need not be `Copy`.
impl<M> Clone for Passage<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Passage<'_, M> {}

impl<M: Map> Problem for Passage<'_, M> {
    const MAX_EDGES: usize = M::MAX_EDGES;

    fn contains(&self, node: NodeId) -> bool {
        self.toward.contains(node)
    }

    #[inline]
    fn for_each_successor(
        &self,
        from: NodeId,
        parent: NodeId,
        _: Skip,
        mut visit: impl FnMut(NodeId, Cost, Cost),
    ) {
        let cell = self.regions.cell(from);
        if let Some((tile, cells)) = self.last
            && (cell.x / SIDE, cell.y / SIDE) == tile
            && has(cells, cell)
        {
            // The other neighbors could not be expanded before that.
            return visit(self.toward.goal, Cost(1), Cost::ZERO);
        }
        // Not on the border of a tile: the third node that makes a neighbor redundant may be outside the corridor.
        let inner = |along: u32| (along % SIDE).wrapping_sub(1) < SIDE - 2;
        let is_inner = inner(cell.x) && inner(cell.y) && !self.is_thorough;
        let skip = if is_inner { Skip::Canonical } else { Skip::Seen };
        self.toward.for_each_successor(from, parent, skip, visit);
    }

    #[inline(always)]
    fn admit(&self, node: NodeId, _: Cost, estimate: Cost) -> Option<Cost> {
        let cell = self.regions.cell(node);
        let mut number = self.area.exit(cell)?;
        while let Some(exit) = self.exits.get(usize::from(number).wrapping_sub(1)) {
            if has(&exit.cells, cell) {
                let over = between(self.regions, (cell, cell), exit.border) + exit.rest;
                return Some(estimate.max(over));
            }
            number = exit.other;
        }
        Some(estimate)
    }

    fn estimate(&self, node: NodeId) -> Cost {
        self.toward.estimate(node)
    }

    fn max_edge_cost(&self) -> Cost {
        self.toward.max_edge_cost()
    }
}
