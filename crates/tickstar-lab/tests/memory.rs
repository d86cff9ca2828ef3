//! The memory of an agent grows with the nodes it has generated, not with the size of the map.

use tickstar::catalog::{self, Config};
use tickstar::search::{BestFirst, SearchConfig, Status};
use tickstar::{Cell, Grid, NodeId, Slice};
use tickstar_lab::generate::{Kind, generate};
use tickstar_lab::{Arena, Journey, Sim, WorldKind};

const SIDE: u32 = 2048;
/// What an agent may have after about a thousand expansions on such a map.
const MOST_BYTES: usize = 512 * 1024;
const BUDGETS: [u64; 3] = [10, 100, 1000];

/// TBA* with every choice of its enhancements.
fn configs() -> Vec<Config> {
    let choices = ["false", "true"];
    let settings = choices.iter().flat_map(|a| choices.map(|b| [("shortcut", *a), ("switch", b)]));
    settings.map(|pair| catalog::find("tba").unwrap().configure(&pair).unwrap()).collect()
}

/// Every journey from start to goal, with each configuration and budget.
fn journeys(grid: &Grid, (start, goal): (Cell, Cell)) -> Vec<Journey> {
    let [start, goal] = [start, goal].map(|cell| grid.node(cell).unwrap());
    let arena = Arena::new(&WorldKind::Known, grid, 1).unwrap();
    let journey = |config: &Config, budget| {
        Sim::new(&arena, config, budget, (start, goal)).unwrap().run(None, None)
    };
    let configs = configs();
    configs.iter().flat_map(|config| BUDGETS.map(|budget| journey(config, budget))).collect()
}

/// The most memory of any journey; those without a shortcut expand this many nodes.
fn peak(grid: &Grid, ends: (Cell, Cell)) -> usize {
    let journeys = journeys(grid, ends);
    for journey in &journeys[..2 * BUDGETS.len()] {
        assert!(
            (800..=1200).contains(&journey.tally.expansions),
            "{ends:?}: {}",
            journey.tally.expansions
        );
    }
    journeys.iter().map(|journey| journey.tally.peak_bytes).max().unwrap()
}

/// Names of directions, and steps in each.
const DIRECTIONS: [(&str, i64, i64); 12] = [
    ("horizontal", 2, 0),
    ("horizontal", -2, 0),
    ("vertical", 0, 2),
    ("vertical", 0, -2),
    ("diagonal", 2, 2),
    ("diagonal", -2, -2),
    ("diagonal", 2, -2),
    ("diagonal", -2, 2),
    ("slanting", 2, 1),
    ("slanting", -2, 1),
    ("slanting", 1, 2),
    ("slanting", 1, -2),
];

/// The cell so far away in a direction, if it is on the map.
fn away(from: Cell, (dx, dy): (i64, i64), half_steps: i64) -> Option<Cell> {
    let on_map = |at: u32, step: i64| {
        let to = i64::from(at) + step * half_steps / 2;
        u32::try_from(to).ok().filter(|&to| to < SIDE)
    };
    Some(Cell::new(on_map(from.x, dx)?, on_map(from.y, dy)?))
}

fn print(map: &str, peaks: &[(&str, usize)]) {
    for name in ["horizontal", "vertical", "diagonal", "slanting"] {
        let own = peaks.iter().filter(|(direction, _)| *direction == name).map(|(_, bytes)| *bytes);
        let (count, most) = own.fold((0, 0), |(count, most), bytes| (count + 1, bytes.max(most)));
        println!("{map}, {name}: at most {most} bytes in {count} problems");
    }
}

/// Walks of this length in every direction over an empty map.
fn over_open_land(cells: i64) {
    let grid = Grid::new(SIDE, SIDE).unwrap();
    let mut peaks = Vec::new();
    for (name, dx, dy) in DIRECTIONS {
        // Lines lie across the search's pages in different ways.
        for shift in 0..9 {
            let middle = Cell::new(1020 + shift, 1020 + 3 * shift % 7);
            let start = away(middle, (dx, dy), -cells / 2).unwrap();
            let goal = away(middle, (dx, dy), cells / 2).unwrap();
            peaks.push((name, peak(&grid, (start, goal))));
        }
    }
    print(&format!("{cells} cells of open land"), &peaks);
    for (name, bytes) in peaks {
        assert!(bytes < MOST_BYTES, "{cells} cells, {name}: {bytes} bytes");
    }
}

#[test]
fn eight_hundred_cells_over_open_land() {
    over_open_land(800);
}

#[test]
fn a_thousand_cells_over_open_land() {
    over_open_land(1000);
}

/// A small deterministic generator (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % u64::from(n)) as u32
    }
}

/// Whether a search from start to goal ends well after about a thousand expansions.
fn fits(grid: &Grid, search: &mut BestFirst, start: NodeId, goal: NodeId) -> bool {
    search.start(grid, start, goal);
    let mut slice = Slice::new(1201);
    let status = search.run(grid, &mut slice);
    status == Status::Reached && (800..=1200).contains(&slice.expansions())
}

#[test]
fn problems_of_a_thousand_expansions_among_islands() {
    let grid = generate(Kind::Islands, SIDE, SIDE, 1).unwrap();
    let mut random = Random(2009);
    let mut search = BestFirst::new(SearchConfig::default());
    let mut peaks = Vec::new();
    for (name, dx, dy) in DIRECTIONS {
        let mut found = 0;
        for _ in 0..20_000 {
            let start = Cell::new(random.below(SIDE), random.below(SIDE));
            let length = i64::from(20 + random.below(980));
            let Some(goal) = away(start, (dx, dy), length) else { continue };
            if !grid.is_free(start) || !grid.is_free(goal) {
                continue;
            }
            let [from, to] = [start, goal].map(|cell| grid.node(cell).unwrap());
            if fits(&grid, &mut search, from, to) {
                peaks.push((name, peak(&grid, (start, goal))));
                found += 1;
            }
            if found == 8 {
                break;
            }
        }
        assert!(found == 8, "{name}: only {found} problems found");
    }
    print("islands", &peaks);
    for (name, bytes) in peaks {
        assert!(bytes < MOST_BYTES, "{name}: {bytes} bytes");
    }
}

/// A map of this side, blocked except for these cells, shifted both ways.
fn surrounded(content: &Grid, side: u32, offset: u32) -> Grid {
    let mut grid = Grid::new_blocked(side, side).unwrap();
    for cell in content.free_cells() {
        grid.set_free(Cell::new(cell.x + offset, cell.y + offset), true).unwrap();
    }
    grid
}

/// Problems of about a thousand expansions on this map.
fn problems(grid: &Grid, count: usize) -> Vec<(Cell, Cell)> {
    let mut random = Random(7);
    let mut search = BestFirst::new(SearchConfig::default());
    let mut problems = Vec::new();
    while problems.len() < count {
        let mut cell = || Cell::new(random.below(grid.width()), random.below(grid.height()));
        let (start, goal) = (cell(), cell());
        if grid.is_free(start) && grid.is_free(goal) {
            let [from, to] = [start, goal].map(|cell| grid.node(cell).unwrap());
            if fits(grid, &mut search, from, to) {
                problems.push((start, goal));
            }
        }
    }
    problems
}

/// The memory of an agent before its first tick.
fn fresh(grid: &Grid) -> usize {
    let node = grid.node(grid.free_cells().next().unwrap()).unwrap();
    configs()[0].agent(grid, node, node).unwrap().bytes()
}

#[test]
fn the_size_of_the_map_adds_a_small_fixed_amount() {
    // Pointers to the parts of the map, of each table.
    const FIXED: i64 = 64 * 1024;
    let content = generate(Kind::Islands, 512, 512, 3).unwrap();
    let problems = problems(&content, 6);
    for (side, offset) in [(512, 0), (1024, 0), (1024, 256), (2048, 0), (2048, 1024), (2048, 1473)]
    {
        let grid = surrounded(&content, side, offset);
        assert_eq!(fresh(&grid), fresh(&content), "a fresh agent has no tables");
        for &(start, goal) in &problems {
            let moved = |cell: Cell| Cell::new(cell.x + offset, cell.y + offset);
            let small = journeys(&content, (start, goal));
            let large = journeys(&grid, (moved(start), moved(goal)));
            for (small, large) in small.iter().zip(&large) {
                assert_eq!(small.tally.expansions, large.tally.expansions, "the walk is the same");
                assert_eq!(
                    (small.tally.cost, small.tally.intervals),
                    (large.tally.cost, large.tally.intervals)
                );
                // Moved by whole blocks, all else is the same; by others, the cells lie on a few
                // pages more or less.
                let more = large.tally.peak_bytes as i64 - small.tally.peak_bytes as i64;
                let slack = if offset % 256 == 0 { 0 } else { small.tally.peak_bytes as i64 / 8 };
                assert!(more.abs() <= slack + FIXED, "{side}, {offset}: {more}");
            }
        }
    }
}
