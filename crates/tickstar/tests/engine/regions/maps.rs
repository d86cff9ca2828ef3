//! Random maps with regions, and random edits of them.

use crate::kit::{Problem, Random, with_terrain};
use tickstar::space::{Corners, Neighbors, Terrain};
use tickstar::{Cell, Grid};

/// All cells of a map, free or not.
pub fn all_cells(grid: &Grid) -> impl Iterator<Item = Cell> + use<> {
    let (width, height) = (grid.width(), grid.height());
    (0..height).flat_map(move |y| (0..width).map(move |x| Cell::new(x, y)))
}

/// Rectangular rooms with doors, some of them closed.
fn rooms(random: &mut Random, width: u32, height: u32) -> Grid {
    let side = 3 + random.below(12) as u32;
    let open = random.pick(&[30, 70, 100]);
    let doors: Vec<u32> = (0..101).map(|_| random.below(side.into()) as u32).collect();
    let closed: Vec<bool> = (0..101).map(|_| !random.chance(open)).collect();
    let is_door = |wall: u32, room: u32, along: u32| {
        let door = (wall * 13 + room * 7) as usize % doors.len();
        along == doors[door] && !closed[door]
    };
    let is_free = |Cell { x, y }| match (x % (side + 1) == side, y % (side + 1) == side) {
        (true, true) => false,
        (true, false) => is_door(x / (side + 1), y / (side + 1), y % (side + 1)),
        (false, true) => is_door(50 + y / (side + 1), x / (side + 1), x % (side + 1)),
        (false, false) => true,
    };
    Grid::from_fn(width, height, is_free).unwrap()
}

/// Noise, an empty map, a maze, a comb, pockets or rooms with regions: 1 by 1 to 70 by 70 cells, with both corner rules,
/// four or eight neighbors, and terrain on one in three.
pub fn random_grid(random: &mut Random) -> Grid {
    let mut side = || {
        let any = 1 + random.below(70) as u32;
        random.pick(&[1, 16, 17, 32, 48, 63, any, any, any, any])
    };
    let (width, height) = (side(), side());
    let grid = match random.below(4) {
        0 => rooms(random, width, height),
        1 => Problem::hard(random, 70).space.into_space(),
        _ => Problem::random_of_size(random, width, height).space.into_space(),
    };
    let neighbors = random.pick(&[Neighbors::Four, Neighbors::Eight, Neighbors::Eight]);
    let corners = random.pick(&[Corners::Never, Corners::Allowed]);
    let grid = grid.with_neighbors(neighbors).with_corners(corners);
    let grid = if random.chance(33) { with_terrain(grid, random, 40) } else { grid };
    grid.with_regions()
}

/// Mostly one cell, also many all over the map or close together; mostly blocked or mostly freed.
pub fn random_edit(random: &mut Random, grid: &Grid) -> Vec<(Cell, bool)> {
    let [width, height] = [grid.width(), grid.height()].map(u64::from);
    let many = random.pick(&[1, 1, 1, 1, 2, 10, 200]);
    let free = random.pick(&[10, 50, 90]);
    let [left, top] = [width, height].map(|side| random.below(side));
    let [wide, high] = if random.chance(50) { [width, height] } else { [10, 10] };
    let edit = (0..many).map(|_| {
        let x = (left + random.below(wide)) % width;
        let y = (top + random.below(high)) % height;
        (Cell::new(x as u32, y as u32), random.chance(free))
    });
    edit.collect()
}

/// Edits a map: single cells by [`Grid::set_free`], many at once, and classes of terrain.
pub fn edit(grid: &mut Grid, random: &mut Random) {
    match random_edit(random, grid)[..] {
        [(cell, free)] => assert!(grid.set_free(cell, free).is_ok()),
        ref cells => assert!(grid.edit(cells).is_ok()),
    }
    if let Some(classes) = grid.terrain().map(Terrain::classes) {
        let (cell, _) = random_edit(random, grid)[0];
        grid.set_class(cell, random.below(classes as u64) as u8).unwrap();
    }
}

/// A maze of corridors one cell wide: from each crossing, one leads north or west.
pub fn maze(random: &mut Random, side: u32) -> Grid {
    let north: Vec<bool> = (0..side * side).map(|_| random.chance(50)).collect();
    let goes_north = |x: u32, y: u32| x == 0 || y > 0 && north[(y * side + x) as usize];
    let is_free = |Cell { x, y }| match (x % 2, y % 2) {
        (0, 0) => true,
        (1, 0) => x + 1 < side && !goes_north(x + 1, y),
        (0, 1) => y + 1 < side && goes_north(x, y + 1),
        _ => false,
    };
    Grid::from_fn(side, side, is_free).unwrap()
}
