//! A fixed amount of work for each part of the engine, to be run under callgrind, which counts instructions: these repeat
//! where times do not. Without an argument it lists the items; with the name of one it does its work.
//!
//! Only what happens inside [`counted`] is to be counted.

use std::hint::black_box;
use std::process::ExitCode;

use tickstar::crowd::{Crowd, CrowdConfig};
use tickstar::search::{BestFirst, Priority, Ratio, SearchConfig, Successors};
use tickstar::{
    Agent, Cell, Grid, Layered, NodeId, Pra, PraConfig, Seen, Slice, Step, Tick, TickConfig,
    TimeBounded, TimeBoundedConfig, catalog, find_path,
};

/// An item: its name and its work.
type Item = (&'static str, fn());

const ITEMS: &[Item] = &[
    ("find-path", whole_paths),
    ("astar", || search(Priority::ASTAR, Successors::All)),
    ("astar-canonical", || search(Priority::ASTAR, Successors::Canonical)),
    ("weighted", || search(weighted(), Successors::All)),
    ("greedy", || search(Priority::GREEDY, Successors::All)),
    ("tba-10", || time_bounded(10)),
    ("tba-100", || time_bounded(100)),
    ("tba-jps-100", || jumping(100)),
    ("tick-10", || over_regions(10)),
    ("tick-100", || over_regions(100)),
    ("regions", build_regions),
    ("region-edit", edit_regions),
    ("crowd", || crowd(false, false)),
    ("crowd-one-goal", || crowd(true, false)),
    ("crowd-collisions", || crowd(false, true)),
    ("pra", refined),
    ("hierarchy", build),
    ("edit", edit),
];

fn main() -> ExitCode {
    let Some(name) = std::env::args().nth(1) else {
        for (name, _) in ITEMS {
            println!("{name}");
        }
        return ExitCode::SUCCESS;
    };
    let Some((_, work)) = ITEMS.iter().find(|(item, _)| *item == name) else {
        eprintln!("error: there is no item of that name: run it without an argument to list them");
        return ExitCode::from(2);
    };
    work();
    ExitCode::SUCCESS
}

/// Does the work: a function of its own in the program, so that counting can begin and end with it.
#[inline(never)]
fn counted<T>(work: impl FnOnce() -> T) -> T {
    black_box(work())
}

/// Many agents with one budget per frame, until all have arrived.
fn crowd(one_goal: bool, avoid_collisions: bool) {
    let map = Layered::flat(map(256).with_crowd_regions());
    let mut ends = problems(&map, 200);
    if one_goal {
        let goal = ends[0].1;
        for (_, to) in &mut ends {
            *to = goal;
        }
    }
    let config = CrowdConfig { avoid_collisions, ..CrowdConfig::default() };
    let mut crowd = Crowd::new(&map, config).expect("a map with regions");
    let mut left = 0;
    for (start, goal) in ends {
        left += usize::from(crowd.spawn(&map, map.cell(start), map.cell(goal)).is_ok());
    }
    counted(|| {
        for _ in 0..2000 {
            left -= crowd.frame(&map, &mut Slice::metered(2000)).arrived.len();
            if left == 0 {
                break;
            }
        }
    });
    assert_eq!(left, 0, "all arrive");
}

/// Random numbers (`SplitMix64`).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % u64::from(bound)) as u32
    }
}

/// Open land with round rocks, and walls across it that have one gap each.
fn map(side: u32) -> Grid {
    let mut dice = Dice(1);
    let rocks: Vec<(i64, i64, i64)> = (0..side * side / 400)
        .map(|_| (dice.below(side).into(), dice.below(side).into(), (2 + dice.below(5)).into()))
        .collect();
    let mut free = vec![true; (side * side) as usize];
    let side = i64::from(side);
    for (x, y, radius) in rocks {
        for dy in -radius..=radius {
            for dx in -radius..=radius {
                let (x, y) = (x + dx, y + dy);
                let inside = (0..side).contains(&x) && (0..side).contains(&y);
                if inside && dx * dx + dy * dy <= radius * radius {
                    free[(y * side + x) as usize] = false;
                }
            }
        }
    }
    for wall in 1..4 {
        let (x, gap) = (wall * side / 4, i64::from(dice.below(side as u32)));
        for y in 0..side {
            free[(y * side + x) as usize] = (y - gap).abs() < 3;
        }
        // A way through, whatever lies around the gap.
        for x in x - 8..x + 8 {
            free[(gap * side + x) as usize] = true;
        }
    }
    Grid::from_fn(side as u32, side as u32, |cell| {
        free[(i64::from(cell.y) * side + i64::from(cell.x)) as usize]
    })
    .expect("a map of this size")
}

/// Pairs of cells with a path of some length between them.
fn problems(grid: &Grid, count: usize) -> Vec<(NodeId, NodeId)> {
    let free: Vec<_> = grid.free_cells().collect();
    let mut dice = Dice(2);
    let mut found = Vec::new();
    for _ in 0..100 * count {
        let [a, b] = [(); 2].map(|()| free[dice.below(free.len() as u32) as usize]);
        let ends = (grid.node(a).expect("a cell"), grid.node(b).expect("a cell"));
        let far = a.x.abs_diff(b.x) + a.y.abs_diff(b.y) > grid.width() / 2;
        if far
            && find_path(grid, ends.0, ends.1, SearchConfig::default()).is_ok_and(|p| p.is_some())
        {
            found.push(ends);
        }
        if found.len() == count {
            break;
        }
    }
    assert_eq!(found.len(), count, "the map has problems");
    found
}

/// The side of the map, and that of the map with a hierarchy, which takes longer to build.
const SIDE: u32 = 192;
const LAYERED_SIDE: u32 = 128;
const PROBLEMS: usize = 6;

fn weighted() -> Priority {
    Priority::weighted(Ratio::new(3, 2).expect("a fraction")).expect("above one")
}

fn whole_paths() {
    let grid = map(SIDE);
    let problems = problems(&grid, PROBLEMS);
    counted(|| {
        for (start, goal) in problems {
            black_box(find_path(&grid, start, goal, SearchConfig::default()).expect("free ends"));
        }
    });
}

fn search(priority: Priority, successors: Successors) {
    let grid = map(SIDE);
    let problems = problems(&grid, PROBLEMS);
    let mut search =
        BestFirst::new(SearchConfig { priority, successors, ..SearchConfig::default() });
    counted(|| {
        for (start, goal) in problems {
            search.start(&grid, start, goal);
            search.run(&grid, &mut Slice::unlimited());
            black_box(search.path_to(goal));
        }
    });
}

/// Walks to the goal.
fn walk<M: tickstar::Map>(agent: &mut dyn Agent<M>, map: &M, start: NodeId, budget: u64) {
    let mut at = start;
    loop {
        match agent.tick(map, at, Seen::default(), &mut Slice::new(budget)) {
            Step::Move(to) => at = to,
            Step::Wait => {}
            Step::Arrived | Step::Unreachable => break,
        }
    }
}

fn time_bounded(budget: u64) {
    let grid = map(SIDE);
    let problems = problems(&grid, PROBLEMS);
    counted(|| {
        for (start, goal) in problems {
            let agent = TimeBounded::new(&grid, TimeBoundedConfig::default(), start, goal);
            walk(&mut agent.expect("free ends"), &grid, start, budget);
        }
    });
}

fn jumping(budget: u64) {
    let grid = map(SIDE);
    let problems = problems(&grid, PROBLEMS);
    let entry = catalog::find("tba-jps").expect("a name of the catalog");
    let config = entry.configure::<&str, &str>(&[]).expect("the defaults");
    counted(|| {
        for (start, goal) in problems {
            let mut agent = config.agent(&grid, start, goal).expect("free ends");
            walk(&mut *agent, &grid, start, budget);
        }
    });
}

fn over_regions(budget: u64) {
    let grid = map(SIDE).with_regions();
    let problems = problems(&grid, PROBLEMS);
    counted(|| {
        for (start, goal) in problems {
            let agent = Tick::new(&grid, TickConfig::default(), start, goal);
            walk(&mut agent.expect("free ends"), &grid, start, budget);
        }
    });
}

fn build_regions() {
    let grid = map(SIDE);
    counted(|| grid.with_regions());
}

fn edit_regions() {
    let mut grid = map(SIDE).with_regions();
    let cells = cells_to_edit(&grid);
    counted(|| {
        for free in [false, true] {
            for &cell in &cells {
                grid.set_free(cell, free).expect("a cell of the map");
            }
        }
    });
}

fn refined() {
    let map = Layered::new(map(LAYERED_SIDE)).expect("a small map");
    let problems = problems(&map, 2 * PROBLEMS);
    counted(|| {
        for (start, goal) in problems {
            let agent = Pra::new(&map, PraConfig::default(), start, goal);
            walk(&mut agent.expect("free ends"), &map, start, 100);
        }
    });
}

fn build() {
    let grid = map(LAYERED_SIDE);
    counted(|| Layered::new(grid).expect("a small map"));
}

fn cells_to_edit(grid: &Grid) -> Vec<Cell> {
    let free: Vec<Cell> = grid.free_cells().collect();
    let mut dice = Dice(3);
    (0..400).map(|_| free[dice.below(free.len() as u32) as usize]).collect()
}

fn edit() {
    let mut map = Layered::new(map(LAYERED_SIDE)).expect("a small map");
    let cells = cells_to_edit(&map);
    counted(|| {
        for free in [false, true] {
            for &cell in &cells {
                map.set_free(cell, free).expect("a cell of the map");
            }
        }
    });
}
