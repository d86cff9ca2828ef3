//! What thinks for a crowd: one search over regions and one search over cells, used by one agent after the other.

use super::runs::{self, Run, Spot};
use crate::regions::{CrowdRegions, RegionId};
use crate::search::{Coarse, Found, MainSearch};
use crate::{Cell, Cost, Grid, NodeId, OpenList, Ratio, SearchConfig, Slice, Status};

/// The number of exits ahead that a leg leads to, if there is a straight line.
const LOOK: usize = 3;
/// Which of the exits ahead a search leads to, from zero.
const SEARCHED: usize = 1;
/// The part of a leg that is kept, in tenths: its end is the part that was planned with the least foresight.
const KEPT: u32 = 6;
/// Steps of a line that are checked for the price of a unit.
const STEPS_PER_UNIT: u32 = 16;

/// The progress of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Progress {
    /// The slice is spent.
    Working,
    /// It is complete.
    Done,
    /// There is no way.
    NoWay,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// The search over regions.
    Regions,
    /// The way is being followed, from where it enters this region.
    Follow(RegionId, Cell),
    /// A line is to be checked, and so many units have been paid for that.
    Line(u32),
    /// The search over cells is to begin.
    Start,
    Search,
    /// The path is being traced, from its end.
    Trace,
}

/// One task at a time, and the memory for it, which the next task uses again.
#[derive(Clone, Debug)]
pub(super) struct Planner {
    coarse: Coarse,
    /// The goal of the search over regions.
    coarse_goal: Option<Spot>,
    search: MainSearch,
    phase: Phase,
    from: Spot,
    /// The end of a leg.
    to: Spot,
    /// The cells that a leg may lead to, and which of them it does.
    targets: Vec<Spot>,
    pub target: usize,
    /// The nodes of a path, the last one first.
    nodes: Vec<NodeId>,
    /// The result of a search over regions: where each region is left, in order, that of the goal excluded.
    pub chain: Vec<Spot>,
    /// The result of a search over cells.
    pub runs: Vec<Run>,
}

impl Planner {
    pub fn new() -> Planner {
        let weight = Ratio::new(11, 10).unwrap_or(Ratio::ONE);
        let config = SearchConfig { open: OpenList::default(), ..SearchConfig::default() };
        Planner {
            coarse: Coarse::new(weight),
            coarse_goal: None,
            search: MainSearch::new(config, true),
            phase: Phase::Regions,
            from: Spot::default(),
            to: Spot::default(),
            targets: Vec::new(),
            target: 0,
            nodes: Vec::new(),
            chain: Vec::new(),
            runs: Vec::new(),
        }
    }

    /// Begins to search for a chain of exits. An agent with the same goal as the last one continues its search.
    pub fn begin_chain(&mut self, from: Spot, goal: Spot) {
        if self.coarse_goal != Some(goal) {
            self.coarse.reset();
            self.coarse_goal = Some(goal);
        }
        self.chain.clear();
        (self.from, self.to, self.phase) = (from, goal, Phase::Regions);
    }

    /// Goes on with that.
    pub fn run_chain(&mut self, regions: &CrowdRegions, slice: &mut Slice<'_>) -> Progress {
        let (from, goal) = (self.from.cell(), self.to.cell());
        loop {
            match self.phase {
                Phase::Regions => {
                    match self.coarse.run(regions, from, goal, slice) {
                        Found::Working => return Progress::Working,
                        Found::NoWay => return Progress::NoWay,
                        Found::Way => {
                            self.chain.clear();
                            // It was found just now, so the cell is on the map.
                            let Some(own) = regions.at(from) else { return Progress::NoWay };
                            self.phase = Phase::Follow(own, from);
                        }
                    }
                }
                Phase::Follow(own, entry) => {
                    if Some(own) == regions.at(goal) {
                        return Progress::Done;
                    }
                    if !slice.update(NodeId(own.0)) {
                        return Progress::Working;
                    }
                    match self.coarse.best_exit(regions, own, entry) {
                        Some((next, exit)) if regions.exists(next) => {
                            self.chain.push(Spot::of(exit));
                            self.phase = Phase::Follow(next, exit);
                        }
                        _ => {
                            // The regions have changed meanwhile.
                            self.coarse.reset();
                            self.phase = Phase::Regions;
                        }
                    }
                }
                _ => return Progress::Done,
            }
        }
    }

    /// Begins a leg from a cell to one of several others, the farthest that can be reached by a straight line.
    pub fn begin_leg(&mut self, from: Spot, targets: impl Iterator<Item = Spot>) {
        self.targets.clear();
        self.targets.extend(targets);
        self.runs.clear();
        self.target = self.targets.len().saturating_sub(1);
        (self.from, self.to) = (from, self.targets.last().copied().unwrap_or(from));
        self.phase = Phase::Line(0);
    }

    /// Begins a search that is not a free line.
    pub fn begin_path(&mut self, from: Spot, to: Spot) {
        self.begin_leg(from, std::iter::once(to));
        self.phase = Phase::Start;
    }

    /// Goes on with that.
    pub fn run_leg(&mut self, grid: &Grid, slice: &mut Slice<'_>) -> Progress {
        let (from, to) = (self.from, self.to);
        let ends = [from, to].map(|spot| grid.node(spot.cell()).unwrap_or(NodeId::NONE));
        loop {
            match self.phase {
                Phase::Line(paid) => {
                    let moves = from.moves_to(to, grid.neighbors());
                    if paid <= moves / STEPS_PER_UNIT {
                        if !slice.update(ends[0]) {
                            return Progress::Working;
                        }
                        self.phase = Phase::Line(paid + 1);
                        continue;
                    }
                    if grid.terrain().is_none() && self.is_line(grid, moves) {
                        return Progress::Done;
                    }
                    if self.target > 0 {
                        self.target -= 1;
                        self.phase = Phase::Line(0);
                    } else {
                        self.target = SEARCHED.min(self.targets.len().saturating_sub(1));
                        self.phase = Phase::Start;
                    }
                    self.to = self.targets[self.target];
                    return self.run_leg(grid, slice);
                }
                Phase::Start => {
                    if !slice.update(ends[0]) {
                        return Progress::Working;
                    }
                    self.search.begin(grid, ends[1], Cost::ZERO);
                    self.search.add_root(grid, ends[0]);
                    self.phase = Phase::Search;
                }
                Phase::Search => match self.search.run(grid, slice) {
                    Status::Working => return Progress::Working,
                    Status::Exhausted => return Progress::NoWay,
                    Status::Reached => {
                        self.nodes.clear();
                        self.nodes.push(ends[1]);
                        self.phase = Phase::Trace;
                    }
                },
                Phase::Trace => return self.trace(grid, slice),
                _ => return Progress::Done,
            }
        }
    }

    /// Whether a straight line, with one bend, leads from the beginning to the end: then it is the path.
    fn is_line(&mut self, grid: &Grid, moves: u32) -> bool {
        for flipped in [false, true] {
            let line = runs::line(self.from, self.to, grid.neighbors(), flipped);
            if runs::legal_steps(grid, self.from, line, u32::MAX) == moves {
                for (direction, steps) in line {
                    runs::push(&mut self.runs, direction, steps);
                }
                return true;
            }
        }
        false
    }

    fn trace(&mut self, grid: &Grid, slice: &mut Slice<'_>) -> Progress {
        while let Some(behind) = self.nodes.last().and_then(|&node| self.search.behind(node)) {
            if !slice.trace(behind) {
                return Progress::Working;
            }
            self.nodes.push(behind);
        }
        for pair in self.nodes.windows(2).rev() {
            let [to, from] = [pair[0], pair[1]].map(|node| Spot::of(grid.cell(node)));
            for (direction, steps) in runs::line(from, to, grid.neighbors(), false) {
                runs::push(&mut self.runs, direction, steps);
            }
        }
        Progress::Done
    }

    /// Cuts a leg that is complete to the part that is kept: it must end in the region of one of these exits. Returns
    /// which of them, and where.
    pub fn cut(&mut self, regions: &CrowdRegions, exits: &[Spot]) -> (usize, Spot) {
        let all = runs::length(&self.runs);
        let mut ids = [None; LOOK];
        for (id, exit) in ids.iter_mut().zip(exits) {
            *id = regions.at(exit.cell());
        }
        let ids = &ids[..exits.len().min(LOOK)];
        let least = (all * KEPT / 10).max(1);
        let (mut at, mut done) = (self.from, 0);
        for run in &self.runs {
            for _ in 0..run.steps() {
                at = at.after(run.direction(), 1);
                done += 1;
                if done < least {
                    continue;
                }
                let own = regions.at(at.cell());
                if let Some(exit) = ids.iter().rposition(|&id| id.is_some() && id == own) {
                    return (exit, runs::truncate(&mut self.runs, self.from, done));
                }
            }
        }
        (exits.len().saturating_sub(1), at)
    }

    /// The number of the exit that a leg leads to if the first one has this number.
    pub fn target(first: usize) -> usize {
        first + LOOK
    }

    pub fn bytes(&self) -> usize {
        self.coarse.bytes()
            + self.search.bytes()
            + self.nodes.capacity() * size_of::<NodeId>()
            + self.chain.capacity() * size_of::<Spot>()
            + self.runs.capacity() * size_of::<Run>()
    }
}
