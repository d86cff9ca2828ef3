//! The order of open nodes.

use thiserror::Error;

use crate::{Cost, Ratio};

/// The order in which nodes are expanded: smallest key first, where the key is an integer combination of the cost so
/// far and the heuristic. Ties are broken in favor of the larger cost so far, then of the node inserted last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Priority {
    g: u32,
    h: u32,
}

/// Why a weight cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("weight {0} is below one: a weighted search needs w of at least 1")]
pub struct WeightError(pub Ratio);

impl Priority {
    /// A*: `g + h`.
    pub const ASTAR: Priority = Priority { g: 1, h: 1 };
    /// Greedy best-first search: `h` alone.
    pub const GREEDY: Priority = Priority { g: 0, h: 1 };
    /// Dijkstra's search: `g` alone.
    pub const UNIFORM: Priority = Priority { g: 1, h: 0 };

    /// Weighted A*: `g + w·h`, in integers as `den·g + num·h`.
    ///
    /// # Errors
    /// If the weight is below one.
    pub fn weighted(weight: Ratio) -> Result<Priority, WeightError> {
        if weight < Ratio::ONE {
            return Err(WeightError(weight));
        }
        Ok(Priority { g: weight.den(), h: weight.num() })
    }

    /// The weight `w` of the heuristic, if the order is that of `g + w·h`; `None` for a greedy search.
    pub fn weight(self) -> Option<Ratio> {
        Ratio::new(self.h.into(), self.g.into()).ok()
    }

    /// The key of a node.
    #[inline]
    pub(crate) fn key(self, g: Cost, h: Cost) -> u64 {
        let g = g.0.saturating_mul(self.g.into());
        g.saturating_add(h.0.saturating_mul(self.h.into()))
    }

    /// Whether a cheaper path to a node gives it a better key.
    #[inline]
    pub(crate) fn counts_cost(self) -> bool {
        self.g > 0
    }

    /// Whether a path of the first cost is cheaper than one of the second by more than the weight, so that a search
    /// with this priority could not have returned the latter. A greedy search may return any path.
    pub(crate) fn prefers(self, cost: Cost, to: Cost) -> bool {
        let weigh = |cost: Cost, weight: u32| u128::from(cost.0) * u128::from(weight);
        weigh(cost, self.h) < weigh(to, self.g)
    }

    /// The approximate range of the keys of open nodes, given the most expensive edge and the heuristic of the root. It
    /// is exact for A*, whose smallest key never decreases. For other priorities the key may decrease by as much as the
    /// heuristic outweighs the cost, but most keys that are inserted are close to the smallest, so that a smaller range
    /// serves them better.
    pub(crate) fn key_range(self, max_edge: Cost, from_root: Cost) -> u64 {
        let span = max_edge.0.saturating_mul(u64::from(self.g) + u64::from(self.h));
        let fall = from_root.0.saturating_mul(self.h.saturating_sub(self.g).into());
        // Measured: six times the span serves a weight of 1.5 best, twelve times one of 3, thirty times a greedy search.
        let near = (4 * u64::from(self.h)).checked_div(self.g.into()).unwrap_or(30).min(30);
        span.saturating_add(fall.min(span.saturating_mul(near)))
    }
}

impl Default for Priority {
    fn default() -> Priority {
        Priority::ASTAR
    }
}
