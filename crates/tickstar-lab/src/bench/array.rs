//! A* written for one purpose by hand: flat arrays row by row, one map type, no budget, no pruning. It is what the plain
//! loop could cost at best, and no part of the engine.

use std::cmp::Reverse;
use std::collections::VecDeque;

use tickstar::{Cell, Cost, Grid};

use super::paths::{Promise, Solver};

/// A cell during a search.
#[derive(Clone, Copy, Default)]
struct Record {
    g: u64,
    parent: u32,
    /// Twice the number of the search that generated it, plus one if it is closed.
    stamp: u32,
}

/// An open node, with its column and row.
#[derive(Clone, Copy)]
struct Open {
    f: u64,
    g: u64,
    node: u32,
    x: u16,
    y: u16,
}

impl Open {
    /// The order of removal: the smallest first. That is the smallest key, and of these the largest cost so far.
    fn rank(&self) -> u128 {
        u128::from(self.f) << 64 | u128::from(!self.g)
    }
}

/// A width that gives a few buckets per step.
const BUCKET: u64 = Cost::STRAIGHT.0 / 8;

/// Buckets of keys. Only the first one is sorted, when it becomes the first.
#[derive(Default)]
struct Buckets {
    /// The bucket of keys from `base` on, the best entry last.
    front: Vec<Open>,
    /// Those after it.
    later: VecDeque<Vec<Open>>,
    base: u64,
}

impl Buckets {
    fn clear(&mut self, base: u64) {
        self.front.clear();
        self.later.iter_mut().for_each(Vec::clear);
        self.base = base;
    }

    /// Adds an entry; its key is at least that of the last one removed.
    fn push(&mut self, entry: Open) {
        match ((entry.f - self.base) / BUCKET) as usize {
            0 => {
                let at = self.front.partition_point(|other| other.rank() > entry.rank());
                self.front.insert(at, entry);
            }
            nth => {
                if self.later.len() < nth {
                    self.later.resize_with(nth, Vec::new);
                }
                self.later[nth - 1].push(entry);
            }
        }
    }

    /// Removes the best entry. Those that are no longer valid are dropped when their bucket becomes the first.
    fn pop(&mut self, is_valid: impl Fn(&Open) -> bool) -> Option<Open> {
        while self.front.is_empty() {
            if self.later.iter().all(Vec::is_empty) {
                return None;
            }
            let next = self.later.pop_front()?;
            // The empty one is used again.
            self.later.push_back(std::mem::replace(&mut self.front, next));
            self.base += BUCKET;
            self.front.retain(&is_valid);
            self.front.sort_unstable_by_key(|entry| Reverse(entry.rank()));
        }
        self.front.pop()
    }
}

/// The search, with its copy of the map.
pub(super) struct ArrayAstar {
    /// The width of the map, and a blocked cell at either end.
    width: usize,
    free: Vec<bool>,
    records: Vec<Record>,
    search: u32,
    open: Buckets,
    goal: Option<u32>,
    expansions: u64,
}

impl ArrayAstar {
    pub(super) fn new() -> ArrayAstar {
        ArrayAstar {
            width: 0,
            free: Vec::new(),
            records: Vec::new(),
            search: 0,
            open: Buckets::default(),
            goal: None,
            expansions: 0,
        }
    }

    fn index(&self, cell: Cell) -> u32 {
        ((cell.y as usize + 1) * self.width + cell.x as usize + 1) as u32
    }

    fn cell(&self, node: u32) -> Cell {
        let (x, y) = (node % self.width as u32, node / self.width as u32);
        Cell::new(x - 1, y - 1)
    }
}

/// The octile distance.
fn distance(a: (u16, u16), b: (u16, u16)) -> u64 {
    let (dx, dy) = (u64::from(a.0.abs_diff(b.0)), u64::from(a.1.abs_diff(b.1)));
    let (long, short) = (dx.max(dy), dx.min(dy));
    long * Cost::STRAIGHT.0 + short * (Cost::DIAGONAL.0 - Cost::STRAIGHT.0)
}

/// The straight directions, clockwise.
const DIRECTIONS: [(i32, i32); 4] = [(0, -1), (1, 0), (0, 1), (-1, 0)];

impl Solver for ArrayAstar {
    fn name(&self) -> &'static str {
        "hand-made array A*"
    }

    fn promise(&self) -> Promise {
        Promise::Optimal
    }

    fn prepare(&mut self, grid: &Grid) {
        let (width, height) = (grid.width() as usize + 2, grid.height() as usize + 2);
        self.width = width;
        self.free = vec![false; width * height];
        for cell in grid.free_cells() {
            let index = self.index(cell) as usize;
            self.free[index] = true;
        }
        self.records = vec![Record::default(); width * height];
        self.search = 0;
    }

    fn solve(&mut self, _: &Grid, start: Cell, goal: Cell) {
        let place = |cell: Cell| (cell.x as u16, cell.y as u16);
        let (from, target) = (place(start), place(goal));
        let (start, goal) = (self.index(start), self.index(goal));
        self.search += 2;
        let stamp = self.search;
        let steps = DIRECTIONS.map(|(dx, dy)| dy * self.width as i32 + dx);
        self.open.clear(distance(from, target));
        self.records[start as usize] = Record { g: 0, parent: start, stamp };
        self.open.push(Open { f: self.open.base, g: 0, node: start, x: from.0, y: from.1 });
        (self.goal, self.expansions) = (None, 0);
        let is_valid = |record: &Record, entry: &Open| record.stamp == stamp && record.g == entry.g;
        loop {
            let records = &self.records;
            let valid = |entry: &Open| is_valid(&records[entry.node as usize], entry);
            let Some(entry) = self.open.pop(valid) else { return };
            let Open { node, g, x, y, .. } = entry;
            let record = &mut self.records[node as usize];
            if !is_valid(record, &entry) {
                continue;
            }
            if node == goal {
                self.goal = Some(goal);
                return;
            }
            record.stamp = stamp + 1;
            self.expansions += 1;
            let free = steps.map(|step| self.free[(node as i32 + step) as usize]);
            let mut generate = |step: i32, (dx, dy): (i32, i32), cost: u64| {
                let to = (node as i32 + step) as u32;
                let record = &mut self.records[to as usize];
                let g = g + cost;
                if record.stamp < stamp || record.stamp == stamp && g < record.g {
                    *record = Record { g, parent: node, stamp };
                    let (x, y) = ((i32::from(x) + dx) as u16, (i32::from(y) + dy) as u16);
                    let f = g + distance((x, y), target);
                    self.open.push(Open { f, g, node: to, x, y });
                }
            };
            for nth in 0..4 {
                let next = (nth + 1) % 4;
                let ((dx, dy), (ex, ey)) = (DIRECTIONS[nth], DIRECTIONS[next]);
                if free[nth] {
                    generate(steps[nth], (dx, dy), Cost::STRAIGHT.0);
                    let step = steps[nth] + steps[next];
                    if free[next] && self.free[(node as i32 + step) as usize] {
                        generate(step, (dx + ex, dy + ey), Cost::DIAGONAL.0);
                    }
                }
            }
        }
    }

    fn expansions(&self) -> Option<u64> {
        Some(self.expansions)
    }

    fn path(&self, _: &Grid) -> Option<Vec<Cell>> {
        let goal = self.goal?;
        let parent = |&node: &u32| {
            let parent = self.records[node as usize].parent;
            (parent != node).then_some(parent)
        };
        let mut path: Vec<_> =
            std::iter::successors(Some(goal), parent).map(|node| self.cell(node)).collect();
        path.reverse();
        Some(path)
    }
}
