//! Exact path costs.
//!
//! A straight step costs 8 × 470 832 and a diagonal one 8 × 665 857. Their ratio differs from the square root of two by
//! 1.6e-12, so any two path lengths on a map compare in their true order, and sums are integers: equal costs compare
//! equal in whatever order they were added. Summing `1.0` and `f64::sqrt(2.0)` instead breaks such ties, and an A*
//! search that sees spurious improvements of 1e-15 expands up to 50 % more nodes.
//!
//! The factor of 8 makes room for terrain: the mean of two multipliers in quarters is a whole number of eighths, so a
//! step between any two classes of terrain is exact too.

use std::fmt;
use std::ops::{Add, Sub};

/// The parts of a step: see [`Terrain`](crate::space::Terrain).
pub(crate) const PARTS: u64 = 8;
/// One part of a straight step, and one of a diagonal step.
pub(crate) const STRAIGHT_PART: u64 = 470_832;
pub(crate) const DIAGONAL_PART: u64 = 665_857;

/// The cost of an edge or a path: an exact integer that saturates instead of wrapping.
///
/// On grids the unit is defined by [`Cost::STRAIGHT`] and [`Cost::DIAGONAL`]; on a [`Graph`](crate::Graph) it is the
/// unit of the edge costs supplied by the caller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cost(pub u64);

impl Cost {
    /// Zero cost.
    pub const ZERO: Cost = Cost(0);
    /// No path: a saturated sum is never treated as the cost of a path.
    pub const INFINITE: Cost = Cost(u64::MAX);
    /// One step to an orthogonal neighbor.
    pub const STRAIGHT: Cost = Cost(PARTS * STRAIGHT_PART);
    /// One step to a diagonal neighbor.
    pub const DIAGONAL: Cost = Cost(PARTS * DIAGONAL_PART);

    /// The cost of a path with the given numbers of straight and diagonal steps.
    pub fn of_steps(straight: u64, diagonal: u64) -> Cost {
        let straight = Cost::STRAIGHT.0.saturating_mul(straight);
        let diagonal = Cost::DIAGONAL.0.saturating_mul(diagonal);
        Cost(straight.saturating_add(diagonal))
    }

    /// The number of straight and diagonal steps that sum to this cost on a grid without terrain, if any.
    ///
    /// Unique for paths with fewer than 470 832 diagonal steps.
    pub fn steps(self) -> Option<(u64, u64)> {
        if !self.0.is_multiple_of(PARTS) {
            return None;
        }
        let parts = self.0 / PARTS;
        // d² − 2·s² = 1 for a part of a diagonal and of a straight step, so d is its own inverse modulo s.
        let inverse = DIAGONAL_PART % STRAIGHT_PART;
        let diagonal = (parts % STRAIGHT_PART) * inverse % STRAIGHT_PART;
        let rest = parts.checked_sub(diagonal * DIAGONAL_PART)?;
        Some((rest / STRAIGHT_PART, diagonal))
    }

    /// The length on a grid in cells: straight steps plus diagonal steps times the square root of two. On terrain, the
    /// length of a path over plain ground that costs as much.
    pub fn in_cells(self) -> f64 {
        match self.steps() {
            Some((straight, diagonal)) => {
                straight as f64 + diagonal as f64 * std::f64::consts::SQRT_2
            }
            None => self.0 as f64 / Cost::STRAIGHT.0 as f64,
        }
    }
}

impl Add for Cost {
    type Output = Cost;
    #[inline]
    fn add(self, other: Cost) -> Cost {
        Cost(self.0.saturating_add(other.0))
    }
}

impl Sub for Cost {
    type Output = Cost;
    /// The difference, or zero if it would be negative.
    #[inline]
    fn sub(self, other: Cost) -> Cost {
        Cost(self.0.saturating_sub(other.0))
    }
}

impl std::iter::Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(costs: I) -> Cost {
        costs.fold(Cost::ZERO, Add::add)
    }
}

impl fmt::Debug for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_recovered_from_the_sum() {
        for straight in [0, 1, 2, 17, 1000, 300_000] {
            for diagonal in [0, 1, 5, 999, 470_831] {
                let cost = Cost::of_steps(straight, diagonal);
                assert_eq!(cost.steps(), Some((straight, diagonal)));
            }
        }
        assert_eq!(Cost(1).steps(), None);
        assert_eq!(Cost(PARTS).steps(), None);
    }

    #[test]
    fn order_is_the_order_of_real_lengths() {
        // 7 diagonal steps (9.8995) are slightly shorter than 10 straight steps; likewise 12 and 17 (16.97), and 408
        // and 577 (576.9991...). 470 832 is the convergent that defines the pair of costs.
        for (straight, diagonal) in [(10, 7), (17, 12), (577, 408), (114_243, 80_782)] {
            assert!(Cost::of_steps(straight, 0) > Cost::of_steps(0, diagonal));
        }
        assert!(Cost::of_steps(99, 0) < Cost::of_steps(0, 70 + 1));
    }

    #[test]
    fn sums_saturate() {
        assert_eq!(Cost::INFINITE + Cost::STRAIGHT, Cost::INFINITE);
        assert_eq!(Cost::of_steps(u64::MAX, 1), Cost::INFINITE);
        assert_eq!(Cost::ZERO - Cost::STRAIGHT, Cost::ZERO);
    }
}
