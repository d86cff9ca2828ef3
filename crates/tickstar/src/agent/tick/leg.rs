//! A leg: the next few regions of the coarse way, turned into cells by a search in a corridor.

use crate::regions::{RegionId, Regions};
use crate::search::{Coarse, Marks, Problem, Toward};
use crate::{
    BestFirst, Cell, Cost, Map, NodeId, OpenList, Pool, Priority, Ratio, SearchConfig, Skip, Slice,
    Status,
};

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
    Searching,
    /// The path is being traced, from its end.
    Tracing,
    /// The path is known, and waits to be taken.
    Found,
}

/// One search at a time, from the end of the path that is already planned.
#[derive(Clone, Debug)]
pub(super) struct Leg {
    search: BestFirst,
    /// The regions that may be searched.
    corridor: Marks,
    /// The regions that the leg leads through, that of its root first.
    chain: Vec<RegionId>,
    /// How many regions it should lead through, that of its root not counted.
    span: usize,
    /// Where the way enters the last region of the chain, about.
    entry: Cell,
    phase: Phase,
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
            corridor: Marks::default(),
            chain: Vec::new(),
            span: 0,
            entry: Cell::default(),
            phase: Phase::Idle,
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

    /// Whether its path is known and has not been taken yet.
    pub fn is_found(&self) -> bool {
        self.phase == Phase::Found
    }

    /// Where it leads to, if that is known.
    pub fn target(&self) -> Option<NodeId> {
        matches!(self.phase, Phase::Searching | Phase::Tracing).then_some(self.target)
    }

    /// Begins a leg at a node.
    pub fn begin(&mut self, root: NodeId, span: usize) {
        self.corridor.clear();
        self.chain.clear();
        (self.root, self.span, self.phase) = (root, span, Phase::Chaining);
    }

    /// Continues, as far as the slice allows, until its path is taken and it is [canceled](Leg::cancel). The coarse search
    /// must have found a way from the region of the root.
    pub fn run<M: Map>(
        &mut self,
        map: &M,
        regions: &Regions,
        coarse: &Coarse,
        goal: NodeId,
        slice: &mut Slice<'_>,
    ) -> Progress {
        if self.phase == Phase::Found {
            return Progress::Done;
        }
        if self.phase == Phase::Chaining {
            match self.follow_chain(regions, coarse, goal, slice) {
                Progress::Done => self.start(map, regions, coarse, goal),
                other => return other,
            }
        }
        if self.phase == Phase::Searching {
            let target = self.target;
            let last = self.chain.last().copied().filter(|_| !self.is_last);
            let tile = last.map(|last| regions.tile_bounds(last));
            let toward = Toward { map, goal: target };
            let (corridor, exits) = (&self.corridor, &self.exits[..]);
            let passage = Passage { toward, regions, corridor, exits, last, tile };
            match self.search.run_problem(&passage, slice) {
                Status::Working => return Progress::Working,
                Status::Exhausted => return self.end(Progress::Dead),
                Status::Reached => {}
            }
            self.path.clear();
            self.path.push(target);
            self.phase = Phase::Tracing;
        }
        self.trace(map, regions, slice)
    }

    fn end(&mut self, progress: Progress) -> Progress {
        self.phase = Phase::Idle;
        progress
    }

    /// Collects the regions of the leg, and marks them and their neighbors.
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
                Some(&own) => best_exit(regions, coarse, own, self.entry),
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
            self.corridor.add(NodeId(next.0));
            for (near, ..) in regions.neighbors(next) {
                self.corridor.add(NodeId(near.0));
            }
        }
    }

    fn start<M: Map>(&mut self, map: &M, regions: &Regions, coarse: &Coarse, goal: NodeId) {
        let last = self.chain.last().copied();
        self.is_last = last.is_some() && last == regions.of_node(goal);
        let exit = last.and_then(|last| best_exit(regions, coarse, last, self.entry));
        let exit = exit.filter(|_| !self.is_last).map(|(_, cell)| regions.node(cell));
        self.target = exit.unwrap_or(goal);
        self.find_exits(regions);
        self.search.start_problem(&Toward { map, goal: self.target }, self.root, self.target);
        self.phase = Phase::Searching;
    }

    fn find_exits(&mut self, regions: &Regions) {
        self.exits.clear();
        let target = regions.cell(self.target);
        let (mut to, mut rest) = ((target, target), Cost::ZERO);
        for pair in self.chain.windows(2).rev() {
            let &[region, next] = pair else { continue };
            let Some(border) = regions.border(region, next) else { return self.exits.clear() };
            rest = rest + between(regions, border, to);
            self.exits.push(Exit { region, border, rest });
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
        self.phase = Phase::Found;
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
        self.corridor.set_pool(pool);
    }

    /// Returns all memory.
    pub fn release(&mut self) {
        self.cancel();
        self.search.release();
        self.corridor.release();
        (self.chain, self.path) = (Vec::new(), Vec::new());
    }

    /// Returns released blocks to the allocator, at most this many of each table. Returns how many.
    pub fn reclaim(&mut self, blocks: u64) -> u64 {
        self.search.reclaim(blocks) + self.corridor.reclaim(blocks)
    }

    pub fn bytes(&self) -> usize {
        let lists = self.chain.capacity() * size_of::<RegionId>()
            + self.exits.capacity() * size_of::<Exit>()
            + self.path.capacity() * size_of::<NodeId>();
        self.search.bytes() + self.corridor.bytes() + lists
    }
}

/// The best neighbor by which to leave a region that is entered at a cell, and the cell from which a step leads there.
/// That neighbor is nearer to the goal than the region. (The search over regions has found the exit that is nearest to
/// the goal, wherever the region is entered.)
fn best_exit(
    regions: &Regions,
    coarse: &Coarse,
    own: RegionId,
    entry: Cell,
) -> Option<(RegionId, Cell)> {
    let mut best = (Cost::INFINITE, None);
    let cost = coarse.cost(own);
    for (near, border) in regions.borders(own) {
        let Some((exit, _)) = coarse.exit(near).filter(|_| coarse.cost(near) < cost) else {
            continue;
        };
        let cell = border.between(exit, entry);
        let here = regions.weigh(own, regions.apart(entry, cell));
        let there = regions.weigh(near, regions.apart(cell, exit));
        let total = here + there + coarse.cost(near);
        if total < best.0 {
            best = (total, Some((near, cell)));
        }
    }
    best.1
}

/// Where a leg leaves a region.
#[derive(Clone, Copy, Debug)]
struct Exit {
    region: RegionId,
    /// The corners of the box that contains the cells from which a step leads to the next region.
    border: (Cell, Cell),
    /// A lower bound on the distance from there to the target through the other exits.
    rest: Cost,
}

/// The distance between two boxes on an empty map.
fn between(regions: &Regions, (a, b): (Cell, Cell), (c, d): (Cell, Cell)) -> Cost {
    let gap = |a: u32, b: u32, c: u32, d: u32| c.saturating_sub(b).max(a.saturating_sub(d));
    let apart = Cell { x: gap(a.x, b.x, c.x, d.x), y: gap(a.y, b.y, c.y, d.y) };
    regions.apart(apart, Cell::default())
}

/// The cells of a corridor. A leg that does not lead to the goal ends in its last region: from each cell of that region
/// an edge leads to the target that costs next to nothing, so that the first one that is expanded ends the search.
#[derive(Debug)]
struct Passage<'a, M> {
    toward: Toward<'a, M>,
    regions: &'a Regions,
    corridor: &'a Marks,
    exits: &'a [Exit],
    last: Option<RegionId>,
    /// The tile of the last region: its first and last column and row.
    tile: Option<[u32; 4]>,
}

// Not derived: a map need not be `Copy`.
impl<M> Clone for Passage<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Passage<'_, M> {}

impl<M: Map> Problem for Passage<'_, M> {
    const MAX_EDGES: usize = M::MAX_EDGES.saturating_add(1);

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
        // `Skip::Beaten` is not sound here: the third node that makes a neighbor redundant may be outside the corridor.
        let near = |to, cost, estimate| visit(to, cost, estimate);
        self.toward.for_each_successor(from, parent, Skip::Seen, near);
        if let (Some(last), Some([left, right, top, bottom])) = (self.last, self.tile) {
            let cell = self.regions.cell(from);
            let inside = (left..=right).contains(&cell.x) && (top..=bottom).contains(&cell.y);
            if inside && from != self.toward.goal && self.regions.at(cell) == Some(last) {
                visit(self.toward.goal, Cost(1), Cost::ZERO);
            }
        }
    }

    #[inline(always)]
    fn admit(&self, node: NodeId, _: Cost, estimate: Cost) -> Option<Cost> {
        let cell = self.regions.cell(node);
        let region = self.regions.at(cell)?;
        if !self.corridor.has(NodeId(region.0)) {
            return None;
        }
        let exit = self.exits.iter().find(|exit| exit.region == region);
        let over = |exit: &Exit| between(self.regions, (cell, cell), exit.border) + exit.rest;
        Some(exit.map_or(estimate, |exit| estimate.max(over(exit))))
    }

    fn estimate(&self, node: NodeId) -> Cost {
        self.toward.estimate(node)
    }

    fn max_edge_cost(&self) -> Cost {
        self.toward.max_edge_cost()
    }
}
