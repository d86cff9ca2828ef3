//! Shared test helpers.

mod maps;
mod matrix;
mod member;
mod oracle;
mod walk;
mod world;

pub use maps::{
    Draw, Kind, LayeredGraph, LayeredGrid, Problem, invalid_nodes, layered, with_terrain,
};
pub use matrix::{configs, members};
pub use member::{Made, Member, Terrain};
pub use oracle::{Oracle, distance_on_empty_map};
pub use walk::{
    Explored, Tick, TickLimit, Walk, explore, explore_with, is_slow, max_moves, tick,
    too_many_ticks, walk, walk_of, walk_within,
};
pub use world::{World, check_branch, check_estimates, discover, discover_within};

use std::fmt;

use tickstar::search::{Priority, Ratio};

/// A small deterministic generator (splitmix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// Prints its content if the test panics during its lifetime.
pub struct OnPanic<T: fmt::Debug>(pub T);

impl<T: fmt::Debug> Drop for OnPanic<T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("failed with {:?}", self.0);
        }
    }
}

pub fn ratio(num: u64, den: u64) -> Ratio {
    Ratio::new(num, den).unwrap()
}

pub fn weighted(num: u64, den: u64) -> Priority {
    Priority::weighted(ratio(num, den)).unwrap()
}
