//! What thinks for a crowd: one search over regions and one search over cells, used by one agent after the other.

use super::method::{Attempt, Method};
use super::runs::{self, Run, Spot};
use crate::budget::UNIT;
use crate::regions::{CrowdRegions, RegionId};
use crate::search::{Coarse, Found, MainSearch};
use crate::{Cell, Grid, Map, NodeId, Priority, Ratio, SearchConfig, Slice, Status};

/// The number of exits ahead that a leg may lead to.
pub(super) const LOOK: usize = 3;
/// The same of a leg to a goal that is shared: a longer one pays, as many walk along it.
pub(super) const SHARED_LOOK: usize = 4;
/// The weight of the heuristic of the search over regions.
const COARSE_WEIGHT: (u32, u32) = (11, 10);
/// The weight of the heuristic of a search node by node. Less is much slower, more makes longer paths: on 25 % of random
/// obstacles, 1.10 took 411 units per leg and walks were 1.034 times the optimum, 1.15 took 311 and 1.040.
const WEIGHT: (u32, u32) = (9, 8);
/// Steps of a line that are checked for the price of a unit.
pub(super) const STEPS_PER_UNIT: u32 = 16;

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
///
/// The result of a task, and the units that it takes, depend on nothing but the map and the arguments with which it was
/// begun.
#[derive(Clone, Debug)]
pub(super) struct Planner {
    coarse: Coarse,
    jump: MainSearch,
    weighted: MainSearch,
    phase: Phase,
    from: Spot,
    /// The end of a leg.
    to: Spot,
    /// The cells that a leg may lead to, and which of them it does.
    targets: Vec<Spot>,
    target: usize,
    attempt: Attempt,
    /// What the attempt has spent, in parts of a unit.
    spent: u64,
    /// The search that was given up, if the attempt was limited and failed.
    has_failed: bool,
    /// The nodes of a path, the last one first.
    nodes: Vec<NodeId>,
    /// The result of a search over regions: where each region is left, in order, that of the goal excluded.
    pub chain: Vec<Spot>,
    /// The result of a search over cells.
    pub runs: Vec<Run>,
}

/// A leg or a path that has been planned.
#[derive(Clone, Debug)]
pub(super) struct Leg {
    to: Spot,
    target: usize,
    runs: Vec<Run>,
    attempt: Attempt,
    /// What the search has spent; none if a line was free.
    searched: Option<u64>,
    has_failed: bool,
}

fn ratio((num, den): (u32, u32)) -> Ratio {
    Ratio::new(num.into(), den.into()).unwrap_or(Ratio::ONE)
}

impl Planner {
    pub fn new() -> Planner {
        let priority = Priority::weighted(ratio(WEIGHT)).unwrap_or(Priority::ASTAR);
        let weighted = SearchConfig { priority, ..SearchConfig::default() };
        Planner {
            coarse: Coarse::new(ratio(COARSE_WEIGHT)),
            jump: MainSearch::new(SearchConfig::default(), true),
            weighted: MainSearch::new(weighted, false),
            phase: Phase::Regions,
            from: Spot::default(),
            to: Spot::default(),
            targets: Vec::new(),
            target: 0,
            attempt: Attempt::default(),
            spent: 0,
            has_failed: false,
            nodes: Vec::new(),
            chain: Vec::new(),
            runs: Vec::new(),
        }
    }

    /// Begins to search for a chain of exits.
    pub fn begin_chain(&mut self, from: Spot, goal: Spot) {
        self.coarse.reset();
        self.chain.clear();
        (self.from, self.to, self.phase) = (from, goal, Phase::Regions);
    }

    /// Continues with that.
    pub fn run_chain(&mut self, regions: &CrowdRegions, slice: &mut Slice<'_>) -> Progress {
        let (from, goal) = (self.from.cell(), self.to.cell());
        loop {
            if let Phase::Follow(own, entry) = self.phase {
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
                        self.chain.clear();
                        self.phase = Phase::Regions;
                    }
                }
                continue;
            }
            match self.coarse.run(regions, from, goal, slice) {
                Found::Working => return Progress::Working,
                Found::NoWay => return Progress::NoWay,
                Found::Way => {
                    // It was found just now, so the cell is on the map.
                    let Some(own) = regions.at(from) else { return Progress::NoWay };
                    self.phase = Phase::Follow(own, from);
                }
            }
        }
    }

    /// Begins a leg from a cell to one of several others: the farthest one to which a straight line leads or, if there is
    /// none, one to which a path is searched for.
    pub fn begin_leg(&mut self, from: Spot, targets: impl Iterator<Item = Spot>, attempt: Attempt) {
        self.targets.clear();
        self.targets.extend(targets);
        self.runs.clear();
        self.target = self.targets.len().saturating_sub(1);
        (self.from, self.to) = (from, self.targets.last().copied().unwrap_or(from));
        (self.attempt, self.has_failed) = (attempt, false);
        self.phase = Phase::Line(0);
    }

    /// Begins to search for a shortest path.
    pub fn begin_path(&mut self, from: Spot, to: Spot) {
        self.begin_leg(from, std::iter::once(to), Attempt { method: Method::Jump, most: None });
        self.phase = Phase::Start;
    }

    /// Which of its targets the leg leads to.
    pub fn target(&self) -> usize {
        self.target
    }

    /// What the search of the leg has spent, in parts of a unit; none if a line was free.
    pub fn search_spent(&self) -> Option<(Attempt, u64)> {
        (self.phase == Phase::Trace).then_some((self.attempt, self.spent))
    }

    /// Whether the attempt with which the leg was begun was given up.
    pub fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Continues with a leg, or with a path.
    pub fn run_leg(&mut self, grid: &Grid, slice: &mut Slice<'_>) -> Progress {
        loop {
            let from = grid.node(self.from.cell()).unwrap_or(NodeId::NONE);
            match self.phase {
                Phase::Line(paid) => {
                    let moves = self.from.moves_to(self.to, grid.neighbors());
                    if paid <= moves / STEPS_PER_UNIT {
                        if !slice.update(from) {
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
                        (self.to, self.phase) = (self.targets[self.target], Phase::Line(0));
                    } else {
                        self.phase = Phase::Start;
                    }
                }
                Phase::Start => {
                    if !slice.update(from) {
                        return Progress::Working;
                    }
                    self.start(grid, from);
                }
                Phase::Search => match self.search(grid, slice) {
                    Status::Working => return Progress::Working,
                    Status::Exhausted => return Progress::NoWay,
                    Status::Reached => {
                        // Another one than before, if a trial has failed.
                        let to = grid.node(self.to.cell()).unwrap_or(NodeId::NONE);
                        self.nodes.clear();
                        self.nodes.push(to);
                        self.phase = Phase::Trace;
                    }
                },
                Phase::Trace => return self.trace(grid, slice),
                Phase::Regions | Phase::Follow(..) => return Progress::Done,
            }
        }
    }

    /// Begins the search over cells.
    fn start(&mut self, grid: &Grid, from: NodeId) {
        self.target = self.attempt.method.reach().min(self.targets.len().saturating_sub(1));
        self.to = self.targets.get(self.target).copied().unwrap_or(self.from);
        let to = grid.node(self.to.cell()).unwrap_or(NodeId::NONE);
        let search = match self.attempt.method {
            Method::Jump => &mut self.jump,
            Method::Weighted => &mut self.weighted,
        };
        search.begin(grid, to, grid.estimate(from, to));
        search.add_root(grid, from);
        (self.spent, self.phase) = (0, Phase::Search);
    }

    /// Continues the search over cells.
    fn search(&mut self, grid: &Grid, slice: &mut Slice<'_>) -> Status {
        let search = match self.attempt.method {
            Method::Jump => &mut self.jump,
            Method::Weighted => &mut self.weighted,
        };
        let Some(most) = self.attempt.most else {
            let before = slice.spent();
            let status = search.run(grid, slice);
            self.spent += slice.spent() - before;
            return status;
        };
        // Fractions of a unit can remain of a part of the slice, but not of all of it.
        let mut status = Status::Working;
        while status == Status::Working && slice.remaining() > 0 {
            let left = most.saturating_sub(self.spent) / UNIT;
            if left == 0 {
                // It takes more than the usual way.
                self.attempt = Attempt { method: self.attempt.method.other(), most: None };
                self.has_failed = true;
                self.start(grid, grid.node(self.from.cell()).unwrap_or(NodeId::NONE));
                return self.search(grid, slice);
            }
            let before = slice.spent();
            status = slice.part(left, |slice| search.run(grid, slice));
            self.spent += slice.spent() - before;
        }
        status
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
        let search = match self.attempt.method {
            Method::Jump => &self.jump,
            Method::Weighted => &self.weighted,
        };
        while let Some(behind) = self.nodes.last().and_then(|&node| search.behind(node)) {
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
    pub fn cut(
        &mut self,
        regions: &CrowdRegions,
        exits: &[Spot],
        slice: &mut Slice<'_>,
    ) -> (usize, Spot) {
        let all = runs::length(&self.runs);
        let least = (all * self.attempt.method.kept() / 10).max(1);
        // Steps are looked up one by one.
        let _ = slice.settle_entries(all.saturating_sub(least).into());
        let mut ids = [None; SHARED_LOOK];
        for (id, exit) in ids.iter_mut().zip(exits) {
            *id = regions.at(exit.cell());
        }
        let ids = &ids[..exits.len().min(SHARED_LOOK)];
        let (mut at, mut done) = (self.from, 0);
        for run in &self.runs {
            if done + run.steps() < least {
                (at, done) = (at.after(run.direction(), run.steps()), done + run.steps());
                continue;
            }
            for _ in 0..run.steps() {
                (at, done) = (at.after(run.direction(), 1), done + 1);
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

    /// The cells that a leg along a chain may lead to, if this exit is the first one ahead.
    pub fn targets(chain: &[Spot], first: usize, goal: Spot) -> impl Iterator<Item = Spot> {
        let last = Planner::last_target(first).min(chain.len());
        let targets = (first..=last).map(move |nth| chain.get(nth).copied().unwrap_or(goal));
        targets.skip(usize::from(last > first))
    }

    /// The leg that has been planned.
    pub fn leg(&self) -> Leg {
        Leg {
            to: self.to,
            target: self.target,
            runs: self.runs.clone(),
            attempt: self.attempt,
            searched: self.search_spent().map(|(_, spent)| spent),
            has_failed: self.has_failed,
        }
    }

    /// Takes a leg that another planner has planned, as begun here.
    pub fn adopt_leg(&mut self, leg: Leg) {
        (self.to, self.target, self.runs) = (leg.to, leg.target, leg.runs);
        (self.attempt, self.has_failed) = (leg.attempt, leg.has_failed);
        self.spent = leg.searched.unwrap_or(0);
        self.phase = if leg.searched.is_some() { Phase::Trace } else { Phase::Line(0) };
    }

    /// The number of the exit that a leg leads to if the first one has this number.
    pub fn last_target(first: usize) -> usize {
        first + LOOK
    }

    /// Where the leg ends.
    pub fn end(&self) -> Spot {
        self.to
    }

    /// Returns all memory. A task in progress is lost.
    pub fn release(&mut self) {
        *self = Planner::new();
    }

    pub fn bytes(&self) -> usize {
        self.coarse.bytes()
            + self.jump.bytes()
            + self.weighted.bytes()
            + self.nodes.capacity() * size_of::<NodeId>()
            + (self.targets.capacity() + self.chain.capacity()) * size_of::<Spot>()
            + self.runs.capacity() * size_of::<Run>()
    }
}
