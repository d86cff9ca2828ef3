//! Paths as runs: a direction and a number of steps, two bytes each.

use crate::space::{DIRECTIONS, Neighbors};
use crate::{Cell, Grid};

/// A cell in four bytes: no side of a map is longer than that.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Spot {
    x: u16,
    y: u16,
}

impl Spot {
    #[inline]
    pub fn of(cell: Cell) -> Spot {
        Spot { x: cell.x as u16, y: cell.y as u16 }
    }

    #[inline]
    pub fn cell(self) -> Cell {
        Cell { x: self.x.into(), y: self.y.into() }
    }

    /// The cell so many steps away in a direction, which must be on the map.
    #[inline]
    pub fn after(self, direction: usize, steps: u32) -> Spot {
        let (dx, dy) = OFFSETS[direction & 7];
        let by = |from: u16, sign: i16| from.wrapping_add_signed(sign.wrapping_mul(steps as i16));
        Spot { x: by(self.x, dx), y: by(self.y, dy) }
    }

    /// The cell from which a step in a direction leads here.
    pub fn before(self, direction: usize) -> Spot {
        let (dx, dy) = OFFSETS[direction & 7];
        Spot { x: self.x.wrapping_add_signed(-dx), y: self.y.wrapping_add_signed(-dy) }
    }

    /// The direction of a cell beside this one.
    pub fn direction_to(self, to: Spot) -> Option<usize> {
        let sign = |from: u16, to: u16| (i32::from(to) - i32::from(from)).unsigned_abs() < 2;
        let is_near = sign(self.x, to.x) && sign(self.y, to.y) && self != to;
        is_near.then(|| TOWARD[usize::from(to.y + 1 - self.y)][usize::from(to.x + 1 - self.x)])
    }

    /// The greater one of the distances in columns and in rows.
    pub fn distance(self, to: Spot) -> u32 {
        self.moves_to(to, Neighbors::Eight)
    }

    /// The number of moves to another cell on an empty map.
    #[inline]
    pub fn moves_to(self, to: Spot, neighbors: Neighbors) -> u32 {
        let (dx, dy) = (u32::from(self.x.abs_diff(to.x)), u32::from(self.y.abs_diff(to.y)));
        match neighbors {
            Neighbors::Four => dx + dy,
            Neighbors::Eight => dx.max(dy),
        }
    }
}

/// Columns and rows of a step in each direction, in the order of [`DIRECTIONS`].
const OFFSETS: [(i16, i16); 8] = {
    let mut offsets = [(0, 0); 8];
    let mut d = 0;
    while d < 8 {
        offsets[d] = (DIRECTIONS[d].0 as i16 - 1, DIRECTIONS[d].1 as i16 - 1);
        d += 1;
    }
    offsets
};

/// The direction toward a cell in this column and row, given their signs plus one; 8 if it is the same cell.
const TOWARD: [[usize; 3]; 3] = {
    let mut toward = [[8; 3]; 3];
    let mut d = 0;
    while d < 8 {
        toward[DIRECTIONS[d].1][DIRECTIONS[d].0] = d;
        d += 1;
    }
    toward
};

/// Some steps in one direction: the direction in the lowest three bits, the number of steps in the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run(u16);

impl Run {
    /// No step.
    pub const NONE: Run = Run(0);
    /// The most steps of a run.
    pub const MOST: u32 = (1 << 13) - 1;

    pub fn new(direction: usize, steps: u32) -> Run {
        Run((direction as u16 & 7) | (steps.min(Run::MOST) as u16) << 3)
    }

    #[inline]
    pub fn direction(self) -> usize {
        usize::from(self.0 & 7)
    }

    #[inline]
    pub fn steps(self) -> u32 {
        u32::from(self.0 >> 3)
    }

    /// Whether it has no steps.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 < 8
    }

    /// The same with one step less.
    #[inline]
    pub fn shorter(self) -> Run {
        Run(self.0 - 8)
    }
}

/// The next few runs of an agent, in one number: the first one in the lowest bits. A step needs nothing else as long as
/// there are some, so that an agent's record is read once in eight runs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ahead(u128);

impl Ahead {
    const BITS: u32 = u16::BITS;
    /// The number of runs that fit.
    pub const MOST: usize = (u128::BITS / Ahead::BITS) as usize;

    pub fn len(self) -> usize {
        (u128::BITS - self.0.leading_zeros()).div_ceil(Ahead::BITS) as usize
    }

    /// Takes the first run.
    #[inline]
    pub fn pop_front(&mut self) -> Option<Run> {
        let run = Run(self.0 as u16);
        self.0 >>= Ahead::BITS;
        (!run.is_empty()).then_some(run)
    }

    /// Puts a run before the others. Returns the last one, if there is no more room for it.
    pub fn push_front(&mut self, run: Run) -> Option<Run> {
        let last = Run((self.0 >> (u128::BITS - Ahead::BITS)) as u16);
        self.0 = self.0 << Ahead::BITS | u128::from(run.0);
        (!last.is_empty()).then_some(last)
    }

    /// Puts a run after the others. There must be room for it.
    pub fn push_back(&mut self, run: Run) {
        debug_assert!(self.len() < Ahead::MOST && !run.is_empty(), "a run, and room for it");
        self.0 |= u128::from(run.0) << (self.len() as u32 * Ahead::BITS);
    }

    pub fn iter(self) -> impl Iterator<Item = Run> {
        let mut left = self;
        std::iter::from_fn(move || left.pop_front())
    }
}

/// Appends steps to a list of runs.
pub(super) fn push(runs: &mut Vec<Run>, direction: usize, mut steps: u32) {
    if let Some(last) = runs.last_mut()
        && last.direction() == direction
        && last.steps() + steps <= Run::MOST
    {
        *last = Run::new(direction, last.steps() + steps);
        return;
    }
    while steps > 0 {
        let part = steps.min(Run::MOST);
        runs.push(Run::new(direction, part));
        steps -= part;
    }
}

/// The two runs of a shortest path between two cells on an empty map: diagonal steps first, or last if `flipped` (with
/// four neighbors, horizontal ones).
pub(super) fn line(from: Spot, to: Spot, neighbors: Neighbors, flipped: bool) -> [(usize, u32); 2] {
    let sign = |from: u16, to: u16| 1 + usize::from(to > from) - usize::from(to < from);
    let (column, row) = (sign(from.x, to.x), sign(from.y, to.y));
    let (dx, dy) = (u32::from(from.x.abs_diff(to.x)), u32::from(from.y.abs_diff(to.y)));
    let mut parts = match neighbors {
        Neighbors::Eight => {
            let straight = if dx > dy { TOWARD[1][column] } else { TOWARD[row][1] };
            [(TOWARD[row][column], dx.min(dy)), (straight, dx.abs_diff(dy))]
        }
        Neighbors::Four => [(TOWARD[1][column], dx), (TOWARD[row][1], dy)],
    };
    if flipped {
        parts.reverse();
    }
    parts
}

/// The number of steps of a line that are legal, at most this many.
pub(super) fn legal_steps(grid: &Grid, from: Spot, line: [(usize, u32); 2], most: u32) -> u32 {
    let (mut at, mut done) = (from, 0);
    for (direction, steps) in line {
        for _ in 0..steps {
            if done == most || grid.steps_from(at.cell()) >> direction & 1 == 0 {
                return done;
            }
            at = at.after(direction, 1);
            done += 1;
        }
    }
    done
}

/// Keeps this many steps of a list of runs. Returns where they end.
pub(super) fn truncate(runs: &mut Vec<Run>, from: Spot, mut steps: u32) -> Spot {
    let mut end = from;
    let mut kept = 0;
    for run in runs.iter_mut() {
        if steps == 0 {
            break;
        }
        let part = run.steps().min(steps);
        *run = Run::new(run.direction(), part);
        end = end.after(run.direction(), part);
        steps -= part;
        kept += 1;
    }
    runs.truncate(kept);
    end
}

/// The number of steps of a list of runs.
pub(super) fn length(runs: &[Run]) -> u32 {
    runs.iter().map(|run| run.steps()).sum()
}

/// Whether all steps of a path are legal.
pub(super) fn is_legal(grid: &Grid, from: Spot, runs: &[Run]) -> bool {
    let mut at = from;
    runs.iter().all(|run| {
        (0..run.steps()).all(|_| {
            let is_free = grid.steps_from(at.cell()) >> run.direction() & 1 == 1;
            at = at.after(run.direction(), 1);
            is_free
        })
    })
}
