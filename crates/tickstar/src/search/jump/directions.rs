//! In which directions a shortest path may go on, given how it arrived: the pruning rules of jump point search.

use std::sync::LazyLock;

use crate::space::{Corners, DIRECTIONS, Neighbors, leads};

/// A set of the directions in [`DIRECTIONS`], one bit each.
pub(super) type Directions = u8;

/// The numbers of the directions.
pub(super) const NORTH: usize = 0;
pub(super) const EAST: usize = 1;
pub(super) const SOUTH: usize = 2;
pub(super) const WEST: usize = 3;
pub(super) const NORTH_EAST: usize = 4;
pub(super) const SOUTH_EAST: usize = 5;
pub(super) const SOUTH_WEST: usize = 6;
pub(super) const NORTH_WEST: usize = 7;

/// The directions to explore from a node, by how it was reached and the nine bits around it.
pub(super) struct Table {
    /// All legal directions: for a root.
    legal: [Directions; 512],
    after: [[Directions; 512]; 8],
}

static NEVER: LazyLock<Box<Table>> = LazyLock::new(|| Table::new(Corners::Never));
static ALLOWED: LazyLock<Box<Table>> = LazyLock::new(|| Table::new(Corners::Allowed));

impl Table {
    pub fn of(corners: Corners) -> &'static Table {
        match corners {
            Corners::Never => &NEVER,
            Corners::Allowed => &ALLOWED,
        }
    }

    /// After a step from a cell to the center of nine, a direction is pruned if the same cell can be reached without the
    /// center at a lower cost, or at the same cost with a diagonal step first.
    fn new(corners: Corners) -> Box<Table> {
        let mut table = Box::new(Table { legal: [0; 512], after: [[0; 512]; 8] });
        let center = (1, 1);
        for around in 0..512 {
            // The cost of a step as straight and diagonal steps; the tenths order sums of two steps as the true costs.
            let step = |from: (usize, usize), to: (usize, usize)| {
                let straight = from.0 == to.0 || from.1 == to.1;
                let cost = if straight { 10 } else { 14 };
                leads(Neighbors::Eight, corners, around, from, to).then_some(cost)
            };
            for (d, to) in DIRECTIONS.into_iter().enumerate() {
                let Some(onward) = step(center, to) else { continue };
                table.legal[around] |= 1 << d;
                for (arrival, (column, row)) in DIRECTIONS.into_iter().enumerate() {
                    let from = (2 - column, 2 - row);
                    let is_straight = arrival < 4;
                    let over = onward + if is_straight { 10 } else { 14 };
                    let detour = |via: (usize, usize)| {
                        let (first, second) = (step(from, via)?, step(via, to)?);
                        Some((first + second, is_straight && first == 14))
                    };
                    let direct = step(from, to).map(|cost| (cost, false));
                    let beaten = DIRECTIONS
                        .into_iter()
                        .filter_map(detour)
                        .chain(direct)
                        .any(|(cost, is_earlier)| cost < over || cost == over && is_earlier);
                    table.after[arrival][around] |= u8::from(to != from && !beaten) << d;
                }
            }
        }
        table
    }

    /// The directions to explore from a node that was reached in these directions; none: it is a root.
    #[inline]
    pub fn onward(&self, arrivals: Directions, around: usize) -> Directions {
        if arrivals == 0 {
            return self.legal[around];
        }
        let (mut rest, mut found) = (arrivals, 0);
        while rest != 0 {
            found |= self.after[rest.trailing_zeros() as usize][around];
            rest &= rest - 1;
        }
        found
    }

    /// Whether a node reached in this diagonal direction has directions to explore besides that one and its two parts.
    #[inline]
    pub fn is_forced(&self, arrival: usize, around: usize) -> bool {
        let parts = match arrival {
            NORTH_EAST => 1 << NORTH | 1 << EAST,
            SOUTH_EAST => 1 << SOUTH | 1 << EAST,
            SOUTH_WEST => 1 << SOUTH | 1 << WEST,
            _ => 1 << NORTH | 1 << WEST,
        };
        self.after[arrival][around] & !(parts | 1 << arrival) != 0
    }
}
