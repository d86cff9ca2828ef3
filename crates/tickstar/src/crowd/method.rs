//! How a crowd searches for the cells of a leg, by jump points or node by node: whichever takes less on this map.
//!
//! Jump points need a tenth of the work in rooms and on game maps, but half as much again among random obstacles. Nothing
//! tells beforehand. So every sixteenth leg tries the other way, with at most what the usual one takes on average; after
//! some more successes than failures, the other way becomes the usual one.

use crate::budget::UNIT;

/// A way to search for the cells of a leg.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Method {
    /// A* by jump points.
    #[default]
    Jump,
    /// Weighted A*, node by node.
    Weighted,
}

impl Method {
    pub fn other(self) -> Method {
        match self {
            Method::Jump => Method::Weighted,
            Method::Weighted => Method::Jump,
        }
    }

    /// Which of the exits ahead a search leads to, from zero. Where searches are expensive, a shorter one is better.
    pub fn reach(self) -> usize {
        match self {
            Method::Jump => 2,
            Method::Weighted => 1,
        }
    }

    /// The part of a leg that is kept, in tenths: its end is the part that was planned with the least foresight.
    pub fn kept(self) -> u32 {
        match self {
            Method::Jump => 6,
            Method::Weighted => 7,
        }
    }
}

/// One search: how, and with how much at most, in parts of a unit, before the other method is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Attempt {
    pub method: Method,
    pub most: Option<u64>,
}

/// Every leg of this number is a trial of the other method.
const TRIAL: u32 = 16;
/// Successful trials, less those that failed, after which the other method is better.
const WINS: u32 = 3;

/// Which method is the usual one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    usual: Method,
    /// What it takes on average, in parts of a unit.
    mean: u64,
    searches: u32,
    wins: u32,
}

impl Choice {
    /// Jump points to begin with.
    pub fn new() -> Choice {
        Choice { usual: Method::Jump, mean: 64 * UNIT, searches: 0, wins: 0 }
    }

    /// How the next leg is searched, if it needs a search. Where the map offers no jump points, there is no choice.
    pub fn next(&self, has_jumps: bool) -> Attempt {
        if !has_jumps {
            return Attempt { method: Method::Weighted, most: None };
        }
        if self.searches % TRIAL == TRIAL - 1 {
            return Attempt { method: self.usual.other(), most: Some(self.mean.max(UNIT)) };
        }
        Attempt { method: self.usual, most: None }
    }

    /// Takes in what a search has spent, and whether a trial failed before it.
    pub fn note(&mut self, attempt: Attempt, spent: u64, has_failed: bool) {
        self.searches = self.searches.wrapping_add(1);
        if has_failed {
            self.wins = self.wins.saturating_sub(1);
        }
        if attempt.method == self.usual {
            self.mean = (self.mean * 15 + spent) / 16;
            return;
        }
        self.wins += 1;
        if self.wins == WINS {
            (self.usual, self.mean, self.wins) = (attempt.method, spent, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is spent per leg after some time, if the two methods take so much.
    fn settled(costs: [u64; 2]) -> (Method, u64) {
        let mut choice = Choice::new();
        let cost = |method| costs[method as usize] * UNIT;
        let mut total = 0;
        for leg in 0..2000 {
            let attempt = choice.next(true);
            let failed = attempt.most.is_some_and(|most| most < cost(attempt.method));
            let wasted = if failed { attempt.most.unwrap_or(0) } else { 0 };
            let used = if failed { attempt.method.other() } else { attempt.method };
            choice.note(Attempt { method: used, most: None }, cost(used), failed);
            total += if leg < 1000 { 0 } else { cost(used) + wasted };
        }
        (choice.usual, total / 1000 / UNIT)
    }

    #[test]
    fn the_cheaper_method_becomes_the_usual_one() {
        for (costs, usual) in [
            ([600, 300], Method::Weighted),
            ([90, 700], Method::Jump),
            ([40, 30], Method::Weighted),
        ] {
            let (settled, per_leg) = settled(costs);
            let best = costs[usual as usize];
            assert_eq!(settled, usual, "{costs:?}");
            assert!(per_leg <= best + best / 8, "{costs:?}: {per_leg} units per leg");
        }
    }
}
