//! Maps made from a seed: the same cells on every machine, so nothing here is decided by floating
//! point, by the size of a pointer or by the order of a hash map.

use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::str::FromStr;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use thiserror::Error;
use tickstar::space::Terrain;
use tickstar::{Cell, Grid, PathFinder, Space};

use crate::files::Problem;
use crate::text::{hint, quoted};

/// The shortest side of a generated map.
pub const MIN_SIDE: u32 = 16;
/// The longest side of a generated map.
pub const MAX_SIDE: u32 = 4096;

/// What kind of map to make.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Rooms joined by narrow doors.
    Rooms,
    /// A maze with a few loops.
    Maze,
    /// Single cells blocked at random.
    Random,
    /// Winding caves.
    Caves,
    /// Open land with rocks and bays.
    Islands,
    /// Open land with few rocks, and with terrain.
    Hills,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 6] =
        [Kind::Rooms, Kind::Maze, Kind::Random, Kind::Caves, Kind::Islands, Kind::Hills];

    /// The kind's name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Rooms => "rooms",
            Kind::Maze => "maze",
            Kind::Random => "random",
            Kind::Caves => "caves",
            Kind::Islands => "islands",
            Kind::Hills => "hills",
        }
    }

    /// What such a map is like, in a sentence.
    pub fn about(self) -> &'static str {
        match self {
            Kind::Rooms => "Square rooms joined by doors one cell wide.",
            Kind::Maze => "A maze of even corridors with a few loops.",
            Kind::Random => "Single cells blocked at random, a quarter of them all.",
            Kind::Caves => "Winding caves with ragged walls, all of one piece.",
            Kind::Islands => "Open land scattered with rocks, and with bays that are dead ends.",
            Kind::Hills => {
                "Open land with few rocks, and with hills that cost more the higher they are."
            }
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text names no kind of map.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("`{}` is not a kind of map: {}", quoted(.0), hint(.0, Kind::ALL.map(Kind::name)))]
pub struct UnknownKind(pub String);

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(name: &str) -> Result<Kind, UnknownKind> {
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        kind.ok_or_else(|| UnknownKind(name.to_owned()))
    }
}

/// Why a map could not be made.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum GenerateError {
    /// A side is too short or too long.
    #[error(
        "a map of {width} by {height} cells cannot be generated: \
         each side must be {MIN_SIDE} to {MAX_SIDE}"
    )]
    Size {
        /// The width requested.
        width: u32,
        /// The height requested.
        height: u32,
    },
    /// More cells blocked than there are.
    #[error("{percent} percent of the cells cannot be blocked: at most 100 can")]
    Density {
        /// The percentage requested.
        percent: u32,
    },
}

/// Makes a map. The same arguments give the same map, always and everywhere.
///
/// # Errors
/// When a side is below 16 or above 4096.
pub fn generate(kind: Kind, width: u32, height: u32, seed: u64) -> Result<Grid, GenerateError> {
    check_size(width, height)?;
    let dice = &mut Dice::new(seed);
    Ok(match kind {
        Kind::Rooms => rooms(width, height, dice),
        Kind::Maze => maze(width, height, dice),
        Kind::Random => random(width, height, dice),
        Kind::Caves => caves(width, height, dice),
        Kind::Islands => islands(width, height, dice, 23),
        Kind::Hills => with_hills(islands(width, height, dice, 6), seed),
    })
}

fn check_size(width: u32, height: u32) -> Result<(), GenerateError> {
    let sides = MIN_SIDE..=MAX_SIDE;
    let fits = sides.contains(&width) && sides.contains(&height);
    if fits { Ok(()) } else { Err(GenerateError::Size { width, height }) }
}

/// The multipliers of generated terrain, from the plain up the hills.
const MULTIPLIERS: [f64; 4] = [1.0, 1.5, 2.5, 5.0];
/// The heights, of 256, at which the classes after the first begin.
const LEVELS: [usize; 3] = [118, 148, 172];
/// The key of the stream of random numbers for hills.
const HILLS: u32 = 3;

/// The same map with terrain: smooth hills of four classes, which multiply costs by 1, 1.5, 2.5 and 5. The same
/// size and seed give the same hills.
///
/// # Panics
/// Never: the classes are tested.
pub fn with_hills(grid: Grid, seed: u64) -> Grid {
    let dice = &mut Dice::keyed(seed, [HILLS, 0, 0, 0, 0, 0]);
    let (width, height) = (grid.width() as usize, grid.height() as usize);
    let wide = (width.max(height) / 8).max(8);
    let [large, small] = [wide, wide / 2].map(|spacing| Relief::new(width, height, spacing, dice));
    let terrain = Terrain::new(&MULTIPLIERS).expect("multipliers from 1 to 100");
    let class = |Cell { x, y }| {
        let at = |relief: &Relief| relief.height(x as usize, y as usize);
        let height = (2 * at(&large) + at(&small)) / 3;
        LEVELS.iter().filter(|&&level| height >= level).count() as u8
    };
    grid.with_terrain(terrain, class).expect("one of four classes")
}

/// Heights drawn at the points of a lattice, and between them in proportion to the distances.
struct Relief {
    spacing: usize,
    columns: usize,
    points: Vec<usize>,
}

impl Relief {
    fn new(width: usize, height: usize, spacing: usize, dice: &mut Dice) -> Relief {
        let (columns, rows) = (width / spacing + 2, height / spacing + 2);
        let points = (0..columns * rows).map(|_| dice.below(256)).collect();
        Relief { spacing, columns, points }
    }

    /// The height of a cell: below 256.
    fn height(&self, x: usize, y: usize) -> usize {
        let s = self.spacing;
        let (column, right) = (x / s, x % s);
        let (row, down) = (y / s, y % s);
        let along = |row: usize| {
            let points = &self.points[row * self.columns + column..][..2];
            points[0] * (s - right) + points[1] * right
        };
        (along(row) * (s - down) + along(row + 1) * down) / (s * s)
    }
}

/// Single cells blocked at random, each with this probability in percent. The same arguments give the same map,
/// always and everywhere; with 25 percent it is not the map of [`Kind::Random`].
///
/// # Errors
/// When a side is below 16 or above 4096, or the percentage above 100.
pub fn random_cells(
    width: u32,
    height: u32,
    percent: u32,
    seed: u64,
) -> Result<Grid, GenerateError> {
    if percent > 100 {
        return Err(GenerateError::Density { percent });
    }
    check_size(width, height)?;
    let mut dice = Dice::keyed(seed, [CELLS, percent, 0, 0, 0, 0]);
    let mut board = Board::new(width, height, false);
    board.free.fill_with(|| dice.below(100) >= percent as usize);
    Ok(board.to_grid())
}

/// The key of the stream of random numbers for [`random_cells`].
const CELLS: u32 = 5;

/// Draws problems between free cells that are connected, start and goal apart: any two cells of the
/// largest component, each pair as likely as any other. None if no two free cells are connected.
pub fn random_problems(grid: &Grid, count: usize, seed: u64) -> Vec<Problem> {
    pairs(grid, seed).take(count).collect()
}

/// How many pairs are drawn for each problem of some length, and how many more at least.
const DRAWS: (usize, usize) = (200, 1000);

/// Draws problems in the same way, and keeps those whose shortest paths are as long as requested, in cells; they
/// state their lengths. Fewer than requested if such pairs are too rare.
pub fn problems_of_length(
    grid: &Grid,
    count: usize,
    lengths: &RangeInclusive<f64>,
    seed: u64,
) -> Vec<Problem> {
    let draws = DRAWS.1.saturating_add(DRAWS.0.saturating_mul(count));
    of_length(grid, pairs(grid, seed).take(draws), lengths).take(count).collect()
}

/// Chooses among these problems, each at most once: those that can be solved by a path as long as requested, in
/// cells; they state their lengths. Fewer than requested if there are not as many.
pub fn choose_problems(
    grid: &Grid,
    mut problems: Vec<Problem>,
    count: usize,
    lengths: &RangeInclusive<f64>,
    seed: u64,
) -> Vec<Problem> {
    Dice::new(seed).shuffle(&mut problems);
    of_length(grid, problems.into_iter(), lengths).take(count).collect()
}

/// Those of these problems whose shortest paths are so long.
fn of_length(
    grid: &Grid,
    problems: impl Iterator<Item = Problem>,
    lengths: &RangeInclusive<f64>,
) -> impl Iterator<Item = Problem> {
    let mut finder = PathFinder::default();
    problems.filter_map(move |problem| {
        let Problem { start, goal, .. } = problem;
        // No path is shorter than this.
        let least = start.x.abs_diff(goal.x).max(start.y.abs_diff(goal.y));
        if f64::from(least) > *lengths.end() {
            return None;
        }
        let path = finder.find(grid, grid.node(start)?, grid.node(goal)?).ok()??;
        let length = path.cost.in_cells();
        lengths.contains(&length).then_some(Problem { optimal: Some(length), ..problem })
    })
}

/// Random problems without an end.
fn pairs(grid: &Grid, seed: u64) -> impl Iterator<Item = Problem> + use<> {
    let cells = largest_component(grid);
    let mut dice = Dice::new(seed);
    std::iter::from_fn(move || {
        if cells.len() < 2 {
            return None;
        }
        let start = dice.below(cells.len());
        // One of the others: those from the start on move up by one.
        let goal = dice.below(cells.len() - 1);
        let goal = goal + usize::from(goal >= start);
        Some(Problem { start: cells[start], goal: cells[goal], optimal: None })
    })
}

/// The cells of the largest component, row by row; of the first one if several are equally large.
pub(crate) fn largest_component(grid: &Grid) -> Vec<Cell> {
    let (labels, sizes) = components(grid);
    let largest = sizes.iter().max().and_then(|most| sizes.iter().position(|size| size == most));
    let is_in = |cell: &Cell| {
        let node = grid.node(*cell).expect("a free cell is on the map");
        labels[node.index()].is_some_and(|part| Some(part as usize) == largest)
    };
    grid.free_cells().filter(is_in).collect()
}

/// The connected components of a map: the component of each node, and the size of each component, in the
/// order of their first cells row by row.
///
/// # Panics
/// Never: a free cell is on its map.
pub fn components(grid: &Grid) -> (Vec<Option<u32>>, Vec<usize>) {
    let mut labels = vec![None; grid.size()];
    let mut sizes = Vec::new();
    let mut frontier = Vec::new();
    let node = |cell| grid.node(cell).expect("a free cell is on the map");
    for root in grid.free_cells().map(node) {
        if labels[root.index()].is_some() {
            continue;
        }
        let label = Some(sizes.len() as u32);
        labels[root.index()] = label;
        frontier.push(root);
        let mut size = 0;
        while let Some(from) = frontier.pop() {
            size += 1;
            grid.for_each_edge(from, |to, _| {
                if labels[to.index()].is_none() {
                    labels[to.index()] = label;
                    frontier.push(to);
                }
            });
        }
        sizes.push(size);
    }
    (labels, sizes)
}

/// The random numbers. Drawn by hand from the stream of `ChaCha8Rng`, which never changes, and
/// not by a library's distributions, which may change with its version.
#[derive(Debug)]
pub(crate) struct Dice(ChaCha8Rng);

impl Dice {
    fn new(seed: u64) -> Dice {
        Dice(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A stream of its own for each key, which has nothing in common with that of the seed alone:
    /// one seed can make a map, draw its problems and decide what happens on it.
    pub(crate) fn keyed(seed: u64, key: [u32; 6]) -> Dice {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        for (bytes, part) in bytes[8..].chunks_exact_mut(4).zip(key) {
            bytes.copy_from_slice(&part.to_le_bytes());
        }
        Dice(ChaCha8Rng::from_seed(bytes))
    }

    /// A number below this one. The bias, at most `bound` in 2^64, is negligible.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.0.next_u64()) * bound as u128) >> 64) as usize
    }

    /// A number from `-reach` to `reach`.
    fn around(&mut self, reach: i32) -> i32 {
        signed(self.below(2 * reach as usize + 1)) - reach
    }

    /// True with probability one in `times`.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// At most `count` of the items in random order. A larger count of the same items begins with the
    /// same ones.
    pub(crate) fn choose<T>(&mut self, mut items: Vec<T>, count: usize) -> Vec<T> {
        let count = count.min(items.len());
        for i in 0..count {
            let other = i + self.below(items.len() - i);
            items.swap(i, other);
        }
        items.truncate(count);
        items
    }
}

/// A length or place on a map as a number that may be subtracted from.
fn signed(cells: usize) -> i32 {
    i32::try_from(cells).expect("sides are at most 4096")
}

/// A map under construction: one byte per cell, faster to draw on than a [`Grid`].
struct Board {
    width: usize,
    height: usize,
    /// Row by row.
    free: Vec<bool>,
}

impl Board {
    fn new(width: u32, height: u32, free: bool) -> Board {
        let (width, height) = (width as usize, height as usize);
        Board { width, height, free: vec![free; width * height] }
    }

    fn longer_side(&self) -> usize {
        self.width.max(self.height)
    }

    fn is_free(&self, x: usize, y: usize) -> bool {
        self.free[y * self.width + x]
    }

    fn clear(&mut self, area: &Area) {
        for y in area.rows.clone() {
            self.free[y * self.width..][area.columns.clone()].fill(true);
        }
    }

    /// Blocks the cells of a disc as far as it is on the board; returns how many were free.
    fn block_disc(&mut self, (x, y): (i32, i32), radius: i32) -> usize {
        let mut blocked = 0;
        for row in (y - radius).max(0)..(y + radius + 1).min(signed(self.height)) {
            for column in (x - radius).max(0)..(x + radius + 1).min(signed(self.width)) {
                let (dx, dy) = (column - x, row - y);
                // A little more than the radius squared: a rounder shape for small discs.
                if dx * dx + dy * dy <= radius * (radius + 1) {
                    let cell = &mut self.free[row as usize * self.width + column as usize];
                    blocked += usize::from(std::mem::replace(cell, false));
                }
            }
        }
        blocked
    }

    fn to_grid(&self) -> Grid {
        let rows = self.free.chunks(self.width);
        let rows = rows.map(|row| row.iter().map(|&free| if free { b'.' } else { b'#' }).collect());
        Grid::from_rows(rows.collect::<Vec<Vec<u8>>>()).expect("even rows of two known characters")
    }
}

/// The map with everything blocked but its largest component.
fn keep_largest_component(grid: &Grid) -> Grid {
    let mut kept = Board::new(grid.width(), grid.height(), false);
    for cell in largest_component(grid) {
        kept.free[cell.y as usize * kept.width + cell.x as usize] = true;
    }
    kept.to_grid()
}

/// A rectangle of cells.
struct Area {
    columns: Range<usize>,
    rows: Range<usize>,
}

/// Chambers in columns and rows with walls of one cell between them.
struct Lattice {
    columns: Vec<Range<usize>>,
    rows: Vec<Range<usize>>,
}

impl Lattice {
    fn len(&self) -> usize {
        self.columns.len() * self.rows.len()
    }

    fn chamber(&self, i: usize) -> Area {
        let (column, row) = (i % self.columns.len(), i / self.columns.len());
        Area { columns: self.columns[column].clone(), rows: self.rows[row].clone() }
    }

    /// The wall between a chamber and the next one to the right or below.
    fn wall(&self, (a, b): (usize, usize)) -> Area {
        let (first, second) = (self.chamber(a), self.chamber(b));
        if first.rows == second.rows {
            Area { columns: first.columns.end..second.columns.start, rows: first.rows }
        } else {
            Area { columns: first.columns, rows: first.rows.end..second.rows.start }
        }
    }

    /// The next chambers: right, below, left, above, where there are any.
    fn neighbors(&self, i: usize) -> impl Iterator<Item = usize> {
        let (across, down) = (self.columns.len(), self.rows.len());
        let (column, row) = (i % across, i / across);
        let right = (column + 1 < across).then_some(i + 1);
        let below = (row + 1 < down).then_some(i + across);
        let left = (column > 0).then(|| i - 1);
        let above = (row > 0).then(|| i - across);
        [right, below, left, above].into_iter().flatten()
    }

    /// Every wall once, as the chambers it is between, the lower number first.
    fn walls(&self) -> Vec<(usize, usize)> {
        let of = |i| self.neighbors(i).filter(move |&next| next > i).map(move |next| (i, next));
        (0..self.len()).flat_map(of).collect()
    }
}

/// Spans of about this length that fill the whole, with a cell between each two.
fn even_spans(whole: usize, length: usize) -> Vec<Range<usize>> {
    let count = ((whole + 1) / (length + 1)).max(1);
    let begin = |i| i * (whole + 1) / count;
    (0..count).map(|i| begin(i)..begin(i + 1) - 1).collect()
}

/// Spans of exactly this length with a cell between each two; what is left over is left out.
fn exact_spans(whole: usize, length: usize) -> Vec<Range<usize>> {
    let count = (whole + 1) / (length + 1);
    (0..count).map(|i| i * (length + 1)..i * (length + 1) + length).collect()
}

/// Doors in the walls of a random spanning tree of the rooms, and in a quarter of the other walls.
fn rooms(width: u32, height: u32, dice: &mut Dice) -> Grid {
    let mut board = Board::new(width, height, false);
    let side = (board.longer_side() / 16).clamp(7, 31);
    let lattice =
        Lattice { columns: even_spans(board.width, side), rows: even_spans(board.height, side) };
    for room in 0..lattice.len() {
        board.clear(&lattice.chamber(room));
    }
    let mut walls = lattice.walls();
    dice.shuffle(&mut walls);
    let mut groups = Groups::new(lattice.len());
    for (a, b) in walls {
        if groups.join(a, b) || dice.once_in(4) {
            let wall = lattice.wall((a, b));
            let x = wall.columns.start + dice.below(wall.columns.len());
            let y = wall.rows.start + dice.below(wall.rows.len());
            board.clear(&Area { columns: x..x + 1, rows: y..y + 1 });
        }
    }
    board.to_grid()
}

/// Which rooms are joined already.
struct Groups(Vec<usize>);

impl Groups {
    fn new(count: usize) -> Groups {
        Groups((0..count).collect())
    }

    fn leader(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    /// Joins two groups; returns whether they were separate.
    fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.leader(a), self.leader(b));
        self.0[a] = b;
        a != b
    }
}

/// A depth-first walk through the lattice that takes down each wall it passes, then one wall in
/// fifty of those left, for loops.
fn maze(width: u32, height: u32, dice: &mut Dice) -> Grid {
    let mut board = Board::new(width, height, false);
    let corridor = match board.longer_side() {
        ..128 => 1,
        128..512 => 2,
        _ => 4,
    };
    let columns = exact_spans(board.width, corridor);
    let lattice = Lattice { columns, rows: exact_spans(board.height, corridor) };
    let mut visited = vec![false; lattice.len()];
    let mut trail = vec![dice.below(lattice.len())];
    while let Some(&here) = trail.last() {
        if !std::mem::replace(&mut visited[here], true) {
            board.clear(&lattice.chamber(here));
        }
        let fresh = || lattice.neighbors(here).filter(|&next| !visited[next]);
        let count = fresh().count();
        if count == 0 {
            trail.pop();
            continue;
        }
        let next = fresh().nth(dice.below(count)).expect("drawn below their number");
        board.clear(&lattice.wall((here.min(next), here.max(next))));
        trail.push(next);
    }
    for wall in lattice.walls() {
        let wall = lattice.wall(wall);
        if !board.is_free(wall.columns.start, wall.rows.start) && dice.once_in(50) {
            board.clear(&wall);
        }
    }
    board.to_grid()
}

/// A quarter blocked: far enough from the 41 % at which a large map becomes disconnected.
fn random(width: u32, height: u32, dice: &mut Dice) -> Grid {
    let mut board = Board::new(width, height, false);
    board.free.fill_with(|| !dice.once_in(4));
    board.to_grid()
}

/// The largest component of a map made with this share blocked. Should too little be free then, as happens
/// on tiny maps and on long strips, the next try begins with less blocked, in the end with nothing.
fn in_one_piece(
    mut percent_blocked: usize,
    percent_free: usize,
    mut make: impl FnMut(usize) -> Board,
) -> Grid {
    loop {
        let board = make(percent_blocked);
        let grid = keep_largest_component(&board.to_grid());
        if grid.free_cells().count() * 100 >= board.free.len() * percent_free {
            return grid;
        }
        percent_blocked = percent_blocked.saturating_sub(1);
    }
}

/// Noise smoothed by a cellular automaton.
fn caves(width: u32, height: u32, dice: &mut Dice) -> Grid {
    const ROUNDS: usize = 5;
    in_one_piece(47, 34, |percent_blocked| {
        let mut board = Board::new(width, height, true);
        board.free.fill_with(|| dice.below(100) >= percent_blocked);
        (0..ROUNDS).fold(board, |board, _| smooth(&board))
    })
}

/// One round: a cell is blocked if five or more of the nine around and including it are. What lies
/// outside counts as blocked.
fn smooth(board: &Board) -> Board {
    let Board { width, height, .. } = *board;
    let mut free = Vec::with_capacity(width * height);
    // Free cells in each column of the three rows around, with an empty column on either side.
    let mut columns = vec![0_u8; width + 2];
    for y in 0..height {
        columns.fill(0);
        for row in y.saturating_sub(1)..(y + 2).min(height) {
            let row = &board.free[row * width..][..width];
            for (count, &free) in columns[1..].iter_mut().zip(row) {
                *count += u8::from(free);
            }
        }
        free.extend(columns.windows(3).map(|three| three.iter().sum::<u8>() >= 5));
    }
    Board { width, height, free }
}

/// Rocks and bays until enough is blocked. Pockets that cannot be entered are filled after that, so
/// the share aimed at is a little below what comes out.
fn islands(width: u32, height: u32, dice: &mut Dice, percent_blocked: usize) -> Grid {
    let largest = (width.min(height) as usize / 24).max(2);
    in_one_piece(percent_blocked, 70, |percent_blocked| {
        let mut board = Board::new(width, height, true);
        let target = board.free.len() * percent_blocked / 100;
        let mut blocked = 0;
        while blocked < target {
            // The product of two draws: many small ones, few large ones.
            let size = 1 + dice.below(largest + 1) * dice.below(largest + 1) / largest;
            let centre = (signed(dice.below(board.width)), signed(dice.below(board.height)));
            let draw = if dice.once_in(3) { bay } else { rock };
            blocked += draw(&mut board, dice, centre, signed(size));
        }
        board
    })
}

/// A cluster of discs, each near the last.
fn rock(board: &mut Board, dice: &mut Dice, centre: (i32, i32), size: i32) -> usize {
    let (mut x, mut y) = centre;
    let mut blocked = 0;
    for _ in 0..4 + dice.below(8) {
        blocked += board.block_disc((x, y), signed(dice.below(size as usize)));
        x += dice.around(size);
        y += dice.around(size);
    }
    blocked
}

/// A bent wall that leaves one side open, turned any way: a dead end to walk into.
fn bay(board: &mut Board, dice: &mut Dice, (x, y): (i32, i32), size: i32) -> usize {
    /// Forward and sideways, in quarters; the open side is forward.
    const SHAPE: [(i32, i32); 7] = [(4, 4), (0, 5), (-4, 3), (-5, 0), (-4, -3), (0, -5), (4, -4)];
    let reach = 2 * size + 2;
    let forward_x = dice.around(reach);
    let forward_y = if dice.once_in(2) { reach - forward_x.abs() } else { forward_x.abs() - reach };
    let corners = SHAPE.map(|(forward, sideways)| {
        let at_x = x + (forward * forward_x - sideways * forward_y) / 4;
        let at_y = y + (forward * forward_y + sideways * forward_x) / 4;
        (at_x + dice.around(size / 2), at_y + dice.around(size / 2))
    });
    corners.windows(2).map(|ends| stroke(board, dice, ends[0], ends[1], 1 + size / 4)).sum()
}

/// A line of discs of uneven size, close enough together to leave no gap.
fn stroke(
    board: &mut Board,
    dice: &mut Dice,
    from: (i32, i32),
    to: (i32, i32),
    radius: i32,
) -> usize {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let steps = (dx.abs().max(dy.abs()) / radius).max(1);
    let disc = |i| {
        let centre = (from.0 + dx * i / steps, from.1 + dy * i / steps);
        board.block_disc(centre, radius + dice.around(radius / 2))
    };
    (0..=steps).map(disc).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free_cells(grid: &Grid) -> usize {
        grid.free_cells().count()
    }

    /// FNV-1a, to pin the bits of a map in one number.
    fn fingerprint(text: &str) -> u64 {
        text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    #[test]
    fn the_seed_decides_the_map() {
        for kind in Kind::ALL {
            let text = |seed| generate(kind, 70, 50, seed).unwrap().to_map();
            assert_eq!(text(1), text(1), "{kind}");
            assert_ne!(text(1), text(2), "{kind}");
        }
    }

    #[test]
    fn the_bits_of_the_maps_do_not_change() {
        let pinned = [
            (Kind::Rooms, 0xe793_536b_cee7_13e4),
            (Kind::Maze, 0x0ba4_6956_9677_8274),
            (Kind::Random, 0xb79d_19b4_f8f2_0ee4),
            (Kind::Caves, 0x6376_5b0b_ce40_8958),
            (Kind::Islands, 0x4865_6983_c918_d5f0),
            (Kind::Hills, 0xeab5_ec17_4aaa_6d69),
        ];
        let made = pinned
            .map(|(kind, _)| (kind, fingerprint(&generate(kind, 64, 64, 1).unwrap().to_map())));
        assert_eq!(made, pinned, "every generated map and every result on one changes with this");
    }

    #[test]
    fn hills_have_all_classes_and_leave_the_walls_alone() {
        for seed in 1..=5 {
            let plain = generate(Kind::Caves, 128, 90, seed).unwrap();
            let hills = with_hills(plain.clone(), seed);
            assert!(hills.to_rows().eq(plain.to_rows()));
            let mut shares = [0; MULTIPLIERS.len()];
            hills.classes().for_each(|class| shares[usize::from(class)] += 1);
            assert!(shares.iter().all(|&cells| cells > 128 * 90 / 50), "{shares:?}");
            // Smooth: neighbors differ by one class at most, nearly everywhere.
            let class = |x, y| i32::from(hills.class(Cell::new(x, y)).unwrap());
            let pairs = (0..90).flat_map(|y| (1..128).map(move |x| (x, y)));
            let steep = pairs.filter(|&(x, y)| (class(x - 1, y) - class(x, y)).abs() > 1).count();
            assert!(steep < 128 * 90 / 100, "{steep}");
        }
    }

    #[test]
    fn every_choice_is_as_likely_as_any_other() {
        let mut dice = Dice::keyed(1, [0; 6]);
        let mut times = std::collections::BTreeMap::new();
        for _ in 0..12_000 {
            *times.entry(dice.choose(vec![1, 2, 3, 4], 2)).or_insert(0) += 1;
        }
        assert_eq!(times.len(), 12, "every pair, either way round");
        assert!(times.values().all(|times| (900..1100).contains(times)), "{times:?}");
        assert_eq!(dice.choose(vec![5], 9), [5], "no more than there are");
    }

    #[test]
    fn streams_of_different_keys_have_nothing_in_common() {
        let draw = |mut dice: Dice| (0..8).map(|_| dice.below(1000)).collect::<Vec<_>>();
        let mut keys = vec![draw(Dice::new(7)), draw(Dice::keyed(7, [0; 6]))];
        keys.push(draw(Dice::keyed(8, [0; 6])));
        for part in 0..6 {
            let mut key = [0; 6];
            key[part] = 7;
            keys.push(draw(Dice::keyed(7, key)));
        }
        let distinct: std::collections::BTreeSet<_> = keys.iter().collect();
        assert_eq!(distinct.len(), keys.len());
        assert_eq!(draw(Dice::keyed(7, [1; 6])), draw(Dice::keyed(7, [1; 6])));
    }

    #[test]
    fn maps_have_their_size_and_enough_connected_space() {
        for kind in Kind::ALL {
            for (width, height) in [(64, 64), (512, 512), (16, 16), (17, 300), (301, 19)] {
                for seed in 1..=5 {
                    let what = format!("{kind} {width} by {height} seed {seed}");
                    let grid = generate(kind, width, height, seed).unwrap();
                    assert_eq!((grid.width(), grid.height()), (width, height), "{what}");
                    let free = free_cells(&grid);
                    let share = if kind == Kind::Maze { 5 } else { 3 };
                    assert!(free * share >= (width * height) as usize, "{what}: {free} free");
                    let connected = largest_component(&grid).len();
                    if kind != Kind::Random {
                        assert_eq!(connected, free, "{what} is in one piece");
                    } else if width == height {
                        // A long strip may be disconnected by chance.
                        assert!(connected * 10 >= free * 9, "{what}: {connected} of {free}");
                    }
                }
            }
        }
    }

    #[test]
    fn islands_are_mostly_open() {
        for side in [64, 128, 512] {
            for seed in 1..=10 {
                let free = free_cells(&generate(Kind::Islands, side, side, seed).unwrap());
                let percent = 100 - free * 100 / (side * side) as usize;
                assert!((20..=30).contains(&percent), "{side} seed {seed}: {percent} % blocked");
            }
        }
    }

    #[test]
    fn sizes_out_of_range_are_errors() {
        for (width, height) in [(15, 64), (64, 15), (4097, 64), (64, 4097), (0, 0)] {
            let error = generate(Kind::Maze, width, height, 1).unwrap_err();
            assert_eq!(error, GenerateError::Size { width, height });
            assert!(error.to_string().ends_with("each side must be 16 to 4096"));
        }
        assert!(generate(Kind::Random, 4096, 16, 1).is_ok());
    }

    #[test]
    fn kinds_are_known_by_name() {
        for kind in Kind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
            assert!(kind.about().ends_with('.'));
        }
        let error = |text: &str| text.parse::<Kind>().unwrap_err().to_string();
        assert_eq!(error("cave"), "`cave` is not a kind of map: did you mean `caves`?");
        let all = Kind::ALL.map(Kind::name).join(", ");
        assert_eq!(error("lava"), format!("`lava` is not a kind of map: expected one of {all}"));
    }

    #[test]
    fn problems_are_between_different_connected_cells() {
        // Three cells, then two, then one; with corners closed the last two rows do not touch.
        let grid = Grid::from_rows(["...#", "###.", "..#."]).unwrap();
        let problems = random_problems(&grid, 200, 7);
        assert_eq!(problems.len(), 200);
        let mut pairs: Vec<_> = problems.iter().map(|p| (p.start.x, p.goal.x)).collect();
        assert!(problems.iter().all(|p| p.start.y == 0 && p.goal.y == 0 && p.optimal.is_none()));
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs, [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]);
        assert_eq!(problems, random_problems(&grid, 200, 7));
        assert_ne!(problems, random_problems(&grid, 200, 8));
    }

    #[test]
    fn problems_have_the_length_requested() {
        // The only way from one end to the other has 12 steps.
        let grid = Grid::from_rows(["....#", "###.#", "....#", ".####", "...##"]).unwrap();
        let problems = |lengths| problems_of_length(&grid, 50, &lengths, 7);
        let lengths = |problems: &[Problem]| -> Vec<f64> {
            problems.iter().map(|problem| problem.optimal.unwrap()).collect()
        };
        let some = problems(3.0..=5.0);
        assert_eq!(some.len(), 50);
        assert!(lengths(&some).iter().all(|length| (3.0..=5.0).contains(length)));
        assert_eq!(some, problems(3.0..=5.0));
        assert_eq!(lengths(&problems(12.0..=f64::INFINITY)), [12.0; 50]);
        assert_eq!(problems(12.5..=99.0), []);
        assert_eq!(problems_of_length(&Grid::new(1, 1).unwrap(), 5, &(0.0..=9.0), 1), []);
        // Chosen from others: not twice, and not those that cannot be solved.
        let stranger = Problem { start: Cell::new(0, 0), goal: Cell::new(4, 4), optimal: None };
        let others = [&some[..5], &problems(12.0..=12.0)[..1], &[stranger]].concat();
        let chosen = choose_problems(&grid, others.clone(), 9, &(3.0..=5.0), 1);
        assert_eq!(chosen.len(), 5);
        assert!(chosen.iter().all(|problem| some[..5].contains(problem)));
        assert_eq!(choose_problems(&grid, others, 2, &(3.0..=5.0), 1), chosen[..2]);
        // The same draws as without a limit.
        let all = problems(0.0..=f64::INFINITY);
        let ends = |problem: &Problem| (problem.start, problem.goal);
        assert!(all.iter().map(ends).eq(random_problems(&grid, 50, 7).iter().map(ends)));
    }

    #[test]
    fn connection_is_by_the_moves_of_the_grid() {
        let grid = Grid::from_rows([".#.", "#.#", ".#."]).unwrap();
        assert_eq!(random_problems(&grid, 5, 1), []);
        let cutting = grid.with_corners(tickstar::space::Corners::Allowed);
        assert_eq!(random_problems(&cutting, 5, 1).len(), 5);
        assert_eq!(random_problems(&Grid::new_blocked(4, 4).unwrap(), 5, 1), []);
        assert_eq!(random_problems(&Grid::new(1, 1).unwrap(), 5, 1), []);
    }
}
