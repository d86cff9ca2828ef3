//! What the search finds after any edits, however it is interrupted, against a flood fill over regions.

use super::*;
use crate::Grid;
use crate::space::{Corners, Neighbors};

/// A small deterministic generator (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    fn cell(&mut self, grid: &Grid) -> Cell {
        let [x, y] = [grid.width(), grid.height()].map(|side| self.below(side.into()) as u32);
        Cell::new(x, y)
    }
}

/// Noise, with walls across it, and any rules.
fn grid(random: &mut Random) -> Grid {
    let [width, height] = [(); 2].map(|()| 10 + random.below(110) as u32);
    let percent = random.below(45);
    let mut grid = Grid::from_fn(width, height, |_| random.below(100) >= percent).unwrap();
    for _ in 0..random.below(6) {
        let (at, gap) = (random.cell(&grid), random.cell(&grid));
        for y in (0..height).filter(|&y| y != gap.y) {
            grid.set_free(Cell::new(at.x, y), false).unwrap();
        }
    }
    if random.below(3) == 0 {
        grid = grid.with_neighbors(Neighbors::Four);
    }
    if random.below(2) == 0 {
        grid = grid.with_corners(Corners::Allowed);
    }
    grid.with_regions()
}

/// Single cells and short walls, blocked or opened.
fn edit(grid: &mut Grid, random: &mut Random) {
    for _ in 0..=random.below(4) {
        let (first, free) = (random.cell(grid), random.below(2) == 0);
        let length = if random.below(3) == 0 { random.below(30) as u32 } else { 1 };
        for x in first.x..(first.x + length).min(grid.width()) {
            grid.set_free(Cell::new(x, first.y), free).unwrap();
        }
    }
}

#[test]
fn it_finds_a_way_exactly_if_there_is_one() {
    let (mut ways, mut none) = (0, 0);
    for seed in 0..300 {
        let random = &mut Random(seed);
        let mut grid = grid(random);
        let weight = Ratio::new(20 + random.below(40), 20).unwrap();
        let mut coarse = Coarse::new(weight);
        let (mut from, mut goal) = (random.cell(&grid), random.cell(&grid));
        for _ in 0..40 {
            match random.below(8) {
                0 => from = random.cell(&grid),
                1 => {
                    goal = random.cell(&grid);
                    coarse.reset();
                }
                2 if random.below(4) == 0 => {
                    // Built again: ids and the log begin anew.
                    grid = grid.without_regions();
                    edit(&mut grid, random);
                    grid = grid.with_regions();
                }
                _ => edit(&mut grid, random),
            }
            let regions = grid.regions().unwrap();
            let rounds = if random.below(2) == 0 { 1 + random.below(5) } else { u64::MAX };
            for _ in 0..rounds {
                let slice = &mut Slice::metered(1 + random.below(6));
                let budget = slice.budget();
                let found = coarse.run(regions, from, goal, slice);
                assert!(slice.units() <= budget);
                let way = regions.reachable(from, goal);
                match found {
                    Found::Working => continue,
                    Found::Way => assert!(way, "seed {seed}: no way from {from} to {goal}"),
                    Found::NoWay => assert!(!way, "seed {seed}: a way from {from} to {goal}"),
                }
                (ways, none) = (ways + usize::from(way), none + usize::from(!way));
                break;
            }
        }
    }
    assert!(ways > 1000 && none > 500, "{ways}, {none}");
}
