//! What the work of Tick* takes beside what it is charged, and the total planning time beside other algorithms.
//!
//! `cargo bench --bench tick` prints two tables. Runs repeat bit for bit: a first run counts the work of each tick, and
//! the others are timed; each tick counts with the median of its times, so that what else the machine does matters little.
//! A* is timed in slices as short as ticks for the same reason, and `find_path` counts with its least time.
//!
//! The price list. A watcher ends the first ticks of an agent, so that each part of its first leg is a tick of its own:
//! the search over regions, the set-up, the search, and the tracing (with the first step). The time of a tick without
//! work is subtracted. For repairs, cells on borders of tiles are blocked during the search over regions. What windows
//! cost is fitted (least squares) to all ticks that do nothing but improve a path, with budgets of 10 to 200. `times` is
//! the ratio to an expansion of A* on the same problems, `over` the ratio to that times the units charged, and the
//! columns after it are `over` by class of maps.
//!
//! Total planning time. All ticks of a walk with a budget of 100, in microseconds per problem.
//!
//! Both use the benchmark maps and problem lists in the folder `shared` beside the repository, else generated maps.

mod maps;

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use tickstar::budget::Work;
use tickstar::catalog::{self, Config};
use tickstar::search::{BestFirst, SearchConfig};
use tickstar::{
    Agent, Cell, Event, Grid, Layered, NodeId, PathFinder, Seen, Slice, Step, Tick, TickConfig,
};
use tickstar_lab::bench::ProblemSet;
use tickstar_lab::generate::Kind;
use tickstar_lab::{Arena, files};

/// How often each tick and each walk is timed.
const ROUNDS: usize = 5;
/// How many problems of each map.
const PROBLEMS: usize = 10;
/// The budget of a tick of a whole walk.
const BUDGET: u64 = 100;
/// The budgets of ticks that improve a path, in turns.
const BUDGETS: [u64; 5] = [10, 200, 25, 100, 50];
/// The cells that are blocked for a repair, and the budget of the tick that repairs.
const BLOCKED: usize = 24;
const REPAIR: u64 = 8;

/// The classes of maps: the folder of problems, and that of maps.
const CLASSES: [(&str, &str); 7] = [
    ("bg", "bg-512"),
    ("dao", "dao"),
    ("maze", "maze"),
    ("random", "random"),
    ("rooms", "rooms"),
    ("sc", "starcraft"),
    ("wc3", "wc3-512"),
];

/// Maps of one kind.
struct Class {
    name: String,
    sets: Vec<ProblemSet>,
}

/// The classes of the benchmark, or generated maps.
fn classes() -> Vec<Class> {
    let found = maps::folder().and_then(|maps| {
        let read = |(name, folder): (&str, &str)| read_class(&maps, name, folder);
        CLASSES.into_iter().map(read).collect::<Option<Vec<_>>>()
    });
    found.unwrap_or_else(|| {
        let class = |kind: Kind| {
            let sets = (1..=2).map(|seed| ProblemSet::generated(kind, 512, seed, PROBLEMS));
            Class { name: kind.to_string(), sets: sets.collect() }
        };
        Kind::ALL.map(class).into()
    })
}

fn read_class(maps: &Path, name: &str, folder: &str) -> Option<Class> {
    let problems = maps.parent()?.join("problems");
    let lists =
        if name == "wc3" { problems.join("tba-2009") } else { problems.join("classes").join(name) };
    let mut lists: Vec<_> =
        std::fs::read_dir(lists).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    lists.sort();
    let read = |list: &Path| {
        let name = list.file_stem()?.to_str()?.to_string();
        let grid = files::read_map(&maps.join(folder).join(format!("{name}.map"))).ok()?;
        let problems = files::read_problems(list, &grid).ok()?;
        let ends = problems.iter().map(|problem| (problem.start, problem.goal));
        Some(ProblemSet { ends: ends.take(PROBLEMS).collect(), name, grid })
    };
    let sets: Option<Vec<_>> = lists.iter().map(|list| read(list)).collect();
    Some(Class { name: name.to_string(), sets: sets.filter(|sets| !sets.is_empty())? })
}

/// The time of something, in nanoseconds.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let begin = Instant::now();
    let result = work();
    (begin.elapsed().as_nanos() as f64, result)
}

/// The median of the times of each of several things, round by round.
#[derive(Default)]
struct Times(Vec<Vec<f64>>);

impl Times {
    fn add(&mut self, nth: usize, time: f64) {
        self.0.resize_with(self.0.len().max(nth + 1), Vec::new);
        self.0[nth].push(time);
    }

    fn median(&self, nth: usize) -> f64 {
        let mut times = self.0[nth].clone();
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    }

    fn sum(&self) -> f64 {
        (0..self.0.len()).map(|nth| self.median(nth)).sum()
    }
}

/// What was done in a tick.
#[derive(Clone, Copy, Default)]
struct Done {
    regions: f64,
    cells: f64,
    updates: f64,
    traces: f64,
}

impl Done {
    fn of(works: &[Work]) -> Done {
        let mut done = Done::default();
        for work in works {
            match work {
                Work::Expand { level: 0, .. } => done.cells += 1.0,
                Work::Expand { .. } => done.regions += 1.0,
                Work::Update(_) => done.updates += 1.0,
                _ => done.traces += 1.0,
            }
        }
        done
    }

    fn units(&self) -> f64 {
        self.regions + self.cells + self.updates + self.traces / 4.0
    }
}

/// One tick with a watcher that writes down all work.
fn watch(agent: &mut Tick, grid: &Grid, budget: u64) -> (Vec<Work>, Step, bool) {
    let mut works = Vec::new();
    let mut write = |work| {
        works.push(work);
        true
    };
    let mut slice = Slice::watched(budget, &mut write);
    let step = agent.tick(grid, agent.position(), Seen::default(), &mut slice);
    let found = slice.has(Event::Found);
    (works, step, found)
}

/// One timed tick, and the slice's counts of expansions and updates.
fn tick(agent: &mut Tick, grid: &Grid, budget: u64) -> (f64, (u64, u64)) {
    let mut slice = Slice::new(budget);
    let at = agent.position();
    let (time, _) = timed(|| agent.tick(grid, at, Seen::default(), &mut slice));
    (time, (slice.expansions(), slice.updates()))
}

/// One timed tick that does this much work, whatever it costs.
fn stage(agent: &mut Tick, grid: &Grid, works: usize) -> f64 {
    let mut left = works;
    let mut stop = |_| {
        let go_on = left > 0;
        left = left.saturating_sub(1);
        go_on
    };
    let mut slice = Slice::watched(u64::MAX, &mut stop);
    let at = agent.position();
    timed(|| agent.tick(grid, at, Seen::default(), &mut slice)).0
}

/// The kinds of work that are measured.
const KINDS: [(&str, f64); 13] = [
    ("A*: an expansion", 1.0),
    ("regions: an expansion", 1.0),
    ("regions: a repaired one", 1.0),
    ("leg: set-up, per step of it", 1.0),
    ("leg: an expansion", 1.0),
    ("leg: a traced cell", 0.25),
    ("a walk without windows, per unit", 1.0),
    ("window: an expansion", 1.0),
    ("window: a new key", 1.0),
    ("window: two cells, opening", 0.25),
    ("window: an adopted cell", 0.25),
    ("window: its search begins, a sixth", 1.0),
    ("a walk with windows, per unit", 1.0),
];

/// Time and count of each kind.
#[derive(Clone, Copy, Default)]
struct Sum {
    time: f64,
    count: f64,
}

impl Sum {
    fn add(&mut self, time: f64, count: f64) {
        self.time += time;
        self.count += count;
    }
}

/// The measurements of a class.
#[derive(Clone, Default)]
struct Prices {
    sums: [Sum; KINDS.len()],
    /// Ticks that improve a path: what was done, and the time.
    windows: Vec<([f64; COLUMNS], f64)>,
    /// Edits of a map with and without regions.
    edits: [Sum; 2],
}

/// What a tick that improves a path is made of: itself, expansions, new keys, traces for opening, adopted cells, and
/// searches begun.
const COLUMNS: usize = 6;

impl Prices {
    fn join(&mut self, other: &Prices) {
        for (sum, other) in self.sums.iter_mut().zip(other.sums) {
            sum.add(other.time, other.count);
        }
        for (sum, other) in self.edits.iter_mut().zip(other.edits) {
            sum.add(other.time, other.count);
        }
        self.windows.extend(&other.windows);
    }

    /// Nanoseconds of each kind.
    fn list(&self) -> [f64; KINDS.len()] {
        let mut list = self.sums.map(|sum| sum.time / sum.count);
        list[7..12].copy_from_slice(&fit(&self.windows)[1..]);
        list
    }
}

/// Least squares, each row with a weight of one over its approximate time.
fn fit(rows: &[([f64; COLUMNS], f64)]) -> [f64; COLUMNS] {
    let mut matrix = [[0.0; COLUMNS + 1]; COLUMNS];
    for (row, time) in rows {
        let weight = 1.0 / (5.0 + row[1] + row[2] / 2.0).powi(2);
        for a in 0..COLUMNS {
            for b in 0..COLUMNS {
                matrix[a][b] += weight * row[a] * row[b];
            }
            matrix[a][COLUMNS] += weight * row[a] * time;
        }
    }
    for pivot in 0..COLUMNS {
        // The matrix is positive definite; a column that does not occur gets no price.
        if matrix[pivot][pivot] <= 1e-9 {
            continue;
        }
        let own = matrix[pivot];
        for (_, row) in matrix.iter_mut().enumerate().filter(|(nth, _)| *nth != pivot) {
            let factor = row[pivot] / own[pivot];
            row.iter_mut().zip(own).for_each(|(value, own)| *value -= factor * own);
        }
    }
    std::array::from_fn(|nth| matrix[nth][COLUMNS] / matrix[nth][nth])
}

/// A* alone, in slices as short as a tick.
fn price_astar(set: &ProblemSet, prices: &mut Prices) {
    let mut search = BestFirst::new(SearchConfig::default());
    for (start, goal) in set.nodes() {
        let (mut times, mut count) = (Times::default(), 0);
        for _ in 0..ROUNDS {
            search.start(&set.grid, start, goal);
            count = 0;
            for nth in 0.. {
                let mut slice = Slice::new(BUDGET);
                times.add(nth, timed(|| search.run(&set.grid, &mut slice)).0);
                count += slice.expansions();
                if slice.expansions() < BUDGET {
                    break;
                }
            }
        }
        prices.sums[0].add(times.sum(), count as f64);
    }
}

/// The parts of the first leg: what is done in each tick.
struct Parts {
    ends: (NodeId, NodeId),
    /// The search over regions, set-up, search and tracing.
    works: [usize; 4],
    done: [Done; 4],
}

fn config() -> TickConfig {
    let mut config = TickConfig::default();
    (config.early, config.polish, config.first_look) = (false, false, config.look);
    config
}

/// Finds out how to divide the first leg into ticks.
fn parts(grid: &Grid, ends: (NodeId, NodeId)) -> Option<Parts> {
    let mut agent = Tick::new(grid, config(), ends.0, ends.1).expect("a fit problem");
    let works = watch(&mut agent, grid, u64::MAX).0;
    let cells = works.iter().position(|work| matches!(work, Work::Expand { level: 0, .. }))?;
    let setup = works[..cells].iter().rposition(|&work| work != Work::Update(ends.0))? + 1;
    let traces = cells + works[cells..].iter().position(|work| matches!(work, Work::Trace(_)))?;
    let is_other = |work: &Work| !matches!(work, Work::Trace(_));
    let end = works[traces..].iter().position(is_other).map_or(works.len(), |len| traces + len);
    let ranges = [0..setup, setup..cells, cells..traces, traces..end];
    let done = ranges.clone().map(|range| Done::of(&works[range]));
    Some(Parts { ends, works: ranges.map(|range| range.len()), done })
}

fn price_legs(set: &ProblemSet, grid: &Grid, prices: &mut Prices) {
    let parts: Vec<Parts> = set.nodes().filter_map(|ends| parts(grid, ends)).collect();
    let Some(first) = parts.first() else { return };
    let (start, goal) = first.ends;
    let mut agent = Tick::new(grid, config(), start, goal).expect("a fit problem");
    let agent = &mut agent;
    let mut times: [Times; 5] = std::array::from_fn(|_| Times::default());
    for (nth, part) in parts.iter().enumerate() {
        for _ in 0..=ROUNDS {
            agent.assign(grid, part.ends.0, part.ends.1).expect("a fit problem");
            // The first tick begins the search over regions.
            stage(agent, grid, 0);
            times[0].add(nth, stage(agent, grid, 0));
            for (&works, times) in part.works.iter().zip(&mut times[1..]) {
                times.add(nth, stage(agent, grid, works));
            }
        }
    }
    for (nth, part) in parts.iter().enumerate() {
        let [coarse, setup, search, trace] = part.done;
        let [idle, regions, chain, cells, traced] =
            [0, 1, 2, 3, 4].map(|kind: usize| times[kind].median(nth));
        let sums = &mut prices.sums;
        sums[1].add(regions - idle, coarse.units());
        sums[3].add(chain - idle, setup.updates);
        sums[4].add(cells - idle, search.cells);
        sums[5].add(traced - idle, trace.traces);
    }
}

/// A sequence of numbers that is always the same.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((self.0 >> 33) % u64::from(end.max(1))) as u32
    }

    /// Free cells between two cells, or somewhat beside them.
    fn cells(&mut self, grid: &Grid, ends: [Cell; 2], fits: impl Fn(Cell) -> bool) -> Vec<Cell> {
        let mut cells = Vec::new();
        let [a, b] = ends;
        let mut along = |a: u32, b: u32, end: u32| {
            let (first, last) = (a.min(b).saturating_sub(16), (a.max(b) + 16).min(end - 1));
            first + self.below(last - first + 1)
        };
        for _ in 0..1000 * BLOCKED {
            let cell = Cell::new(along(a.x, b.x, grid.width()), along(a.y, b.y, grid.height()));
            if grid.is_free(cell) && fits(cell) && !ends.contains(&cell) && !cells.contains(&cell) {
                cells.push(cell);
            }
            if cells.len() == BLOCKED {
                break;
            }
        }
        cells
    }
}

fn set_all(grid: &mut Grid, cells: &[Cell], free: bool) {
    for &cell in cells {
        grid.set_free(cell, free).expect("a cell of the map");
    }
}

/// Blocks cells during the search over regions.
fn price_repairs(set: &ProblemSet, grid: &mut Grid, prices: &mut Prices) {
    let mut random = Random(1);
    let nodes: Vec<_> = set.nodes().collect();
    let (start, goal) = nodes[0];
    let mut agent = Tick::new(grid, config(), start, goal).expect("a fit problem");
    for (&(start, goal), &ends) in nodes.iter().zip(&set.ends) {
        let Some(parts) = parts(grid, (start, goal)) else { continue };
        let fits =
            |cell: Cell| [0, 15].contains(&(cell.x % 16)) || [0, 15].contains(&(cell.y % 16));
        let cells = random.cells(grid, ends.into(), fits);
        let mut times = Vec::new();
        for _ in 0..=ROUNDS {
            agent.assign(grid, start, goal).expect("a fit problem");
            // Not to its end, as a leg would follow.
            stage(&mut agent, grid, parts.works[0].saturating_sub(2));
            let idle = stage(&mut agent, grid, 0);
            set_all(grid, &cells, false);
            let (time, (expansions, updates)) = tick(&mut agent, grid, REPAIR);
            if expansions == 0 && updates > 0 {
                times.push(((time - idle) / updates as f64, updates as f64));
            }
            set_all(grid, &cells, true);
        }
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        if let Some(&(time, updates)) = times.get(times.len() / 2) {
            prices.sums[2].add(time * updates, updates);
        }
    }
}

/// Cells are blocked and freed again.
fn price_edits(set: &ProblemSet, grid: &mut Grid, prices: &mut Prices) {
    let mut random = Random(2);
    let mut plain = set.grid.clone();
    for &ends in &set.ends {
        let cells = random.cells(grid, ends.into(), |_| true);
        for (grid, sum) in [&mut plain, &mut *grid].into_iter().zip(&mut prices.edits) {
            let mut times = Times::default();
            for _ in 0..ROUNDS {
                for (nth, free) in [false, true].into_iter().enumerate() {
                    let (time, ()) = timed(|| set_all(grid, &cells, free));
                    times.add(nth, time);
                }
            }
            sum.add(times.sum(), 2.0 * cells.len() as f64);
        }
    }
}

/// Whole walks; the ticks after the path is complete do nothing but improve it.
fn price_windows(set: &ProblemSet, grid: &Grid, prices: &mut Prices) {
    let budget = |nth: usize| BUDGETS[nth % BUDGETS.len()];
    for (start, goal) in set.nodes() {
        let mut agent = Tick::new(grid, TickConfig::default(), start, goal).expect("a fit problem");
        let (mut rows, mut is_complete) = (Vec::new(), false);
        loop {
            let (works, step, found) = watch(&mut agent, grid, budget(rows.len()));
            if matches!(step, Step::Arrived | Step::Unreachable) {
                break;
            }
            rows.push(is_complete.then(|| columns(grid, &works)));
            is_complete |= found;
        }
        let mut times = Times::default();
        for _ in 0..ROUNDS {
            agent.assign(grid, start, goal).expect("a fit problem");
            for nth in 0..rows.len() {
                times.add(nth, tick(&mut agent, grid, budget(nth)).0);
            }
        }
        let all = rows.iter().enumerate().map(|(nth, row)| (*row, times.median(nth)));
        prices.windows.extend(all.filter_map(|(row, time)| Some((row?, time))));
    }
}

/// The work of a tick that improves a path. Adopted cells are traced one after the other, those of a path whose costs are
/// added up two apart.
fn columns(grid: &Grid, works: &[Work]) -> [f64; COLUMNS] {
    let mut row = [0.0; COLUMNS];
    row[0] = 1.0;
    let are_adjacent = |a: NodeId, b: Option<&Work>| match b {
        Some(&Work::Trace(b)) => {
            let (a, b) = (grid.cell(a), grid.cell(b));
            a.x.abs_diff(b.x).max(a.y.abs_diff(b.y)) <= 1
        }
        _ => false,
    };
    // A search begins at the end of the window, where the sum ends, and is paid for by several updates.
    let is_root = |node: NodeId, before: Option<&Work>| match before {
        Some(&Work::Update(last)) => last == node,
        Some(&Work::Trace(last)) => {
            let (a, b) = (grid.cell(node), grid.cell(last));
            a.x.abs_diff(b.x).max(a.y.abs_diff(b.y)) <= 2
        }
        _ => false,
    };
    for (nth, work) in works.iter().enumerate() {
        let before = nth.checked_sub(1).and_then(|nth| works.get(nth));
        match *work {
            Work::Expand { .. } => row[1] += 1.0,
            Work::Update(node) if is_root(node, before) => row[5] += 1.0,
            Work::Update(_) => row[2] += 1.0,
            Work::Trace(node) => {
                let adopted = are_adjacent(node, before) || are_adjacent(node, works.get(nth + 1));
                row[if adopted { 4 } else { 3 }] += 1.0;
            }
            _ => {}
        }
    }
    row
}

/// Whole walks with and without windows: ticks that work, less what a tick takes that does not.
fn price_walks(set: &ProblemSet, grid: &Grid, prices: &mut Prices) {
    for (kind, polish) in [(6, false), (12, true)] {
        let mut config = TickConfig::default();
        config.polish = polish;
        let (start, goal) = set.nodes().next().expect("a problem");
        let mut agent = Tick::new(grid, config, start, goal).expect("a fit problem");
        for (start, goal) in set.nodes() {
            let (mut times, mut units) = (Times::default(), Vec::new());
            for _ in 0..ROUNDS {
                agent.assign(grid, start, goal).expect("a fit problem");
                units.clear();
                while agent.position() != goal {
                    let (mut slice, at) = (Slice::new(BUDGET), agent.position());
                    let (time, step) = timed(|| agent.tick(grid, at, Seen::default(), &mut slice));
                    times.add(units.len(), time);
                    let others = slice.updates() as f64 + slice.traces() as f64 / 4.0;
                    units.push(slice.expansions() as f64 + others);
                    if step == Step::Unreachable {
                        break;
                    }
                }
            }
            let mut idle = Sum::default();
            for (nth, &units) in units.iter().enumerate() {
                let is_idle = units == 0.0;
                let sum = if is_idle { &mut idle } else { &mut prices.sums[kind] };
                sum.add(times.median(nth), if is_idle { 1.0 } else { units });
            }
            let working = units.iter().filter(|&&units| units > 0.0).count() as f64;
            prices.sums[kind].time -= working * idle.time / idle.count.max(1.0);
        }
    }
}

fn print_prices(classes: &[Class]) {
    let mut all = Prices::default();
    let mut lists = Vec::new();
    for class in classes {
        let mut prices = Prices::default();
        for set in &class.sets {
            let mut grid = set.grid.clone().with_regions();
            price_astar(set, &mut prices);
            price_legs(set, &grid, &mut prices);
            price_windows(set, &grid, &mut prices);
            price_walks(set, &grid, &mut prices);
            price_repairs(set, &mut grid, &mut prices);
            price_edits(set, &mut grid, &mut prices);
        }
        all.join(&prices);
        lists.push(prices.list());
    }
    let list = all.list();
    print!("{:<36} {:>7} {:>6} {:>6} {:>5}  ", "", "ns", "times", "units", "over");
    for class in classes {
        print!("{:>8}", class.name);
    }
    println!();
    for (kind, (name, units)) in KINDS.into_iter().enumerate() {
        let times = list[kind] / list[0];
        print!("{name:<36} {:>7.1} {times:>6.2} {units:>6.2} {:>5.2}  ", list[kind], times / units);
        for list in &lists {
            if kind == 0 {
                print!("{:>8.1}", list[0]);
            } else {
                print!("{:>8.2}", list[kind] / list[0] / units);
            }
        }
        println!();
    }
    let [plain, regions] = all.edits.map(|sum| sum.time / sum.count);
    println!("{:<36} {regions:>7.1} {:>6.2}", "set_free with regions", regions / list[0]);
    println!("{:<36} {plain:>7.1} {:>6.2}", "set_free without", plain / list[0]);
}

/// The algorithms whose walks are timed.
fn contestants() -> Vec<(&'static str, Config)> {
    let config = |name: &str, settings: &[(&str, &str)]| {
        catalog::find(name).expect("in the catalog").configure(settings).expect("valid settings")
    };
    vec![
        ("tick", config("tick", &[])),
        ("tick:polish=false", config("tick", &[("polish", "false")])),
        ("tba", config("tba", &[])),
        ("pra:k=16", config("pra", &[("k", "16")])),
        ("astar", config("astar", &[])),
    ]
}

/// The times of all ticks of a walk.
fn walk(agent: &mut dyn Agent<Layered<Grid>>, map: &Layered<Grid>, times: &mut Times) {
    for nth in 0.. {
        let (at, mut slice) = (agent.position(), Slice::new(BUDGET));
        let (time, step) = timed(|| agent.tick(map, at, Seen::default(), &mut slice));
        times.add(nth, time);
        if matches!(step, Step::Arrived | Step::Unreachable) {
            return;
        }
    }
}

fn print_totals(classes: &[Class]) {
    let contestants = contestants();
    print!("{:<10}", "");
    for (name, _) in &contestants {
        print!("{name:>19}");
    }
    println!("{:>19}", "find_path");
    for class in classes {
        let mut sums = vec![0.0; contestants.len() + 1];
        let mut problems = 0;
        for set in &class.sets {
            let kind = "known".parse().expect("a world");
            let mut arena = Arena::new(&kind, &set.grid, 1).expect("no script");
            for (_, config) in &contestants {
                arena.prepare(config, |_| ()).expect("a map that is not too large");
            }
            let map = arena.map();
            let (start, goal) = set.nodes().next().expect("a problem");
            let mut agents: Vec<_> = contestants
                .iter()
                .map(|(_, config)| config.agent(map, start, goal).expect("a fit problem"))
                .collect();
            let mut finder = PathFinder::default();
            for (start, goal) in set.nodes() {
                let mut times: Vec<Times> = agents.iter().map(|_| Times::default()).collect();
                let mut least = f64::INFINITY;
                for _ in 0..ROUNDS {
                    for (agent, times) in agents.iter_mut().zip(&mut times) {
                        agent.assign(map, start, goal).expect("a fit problem");
                        walk(agent.as_mut(), map, times);
                    }
                    let (time, path) = timed(|| finder.find(&set.grid, start, goal));
                    black_box(path).expect("a fit problem");
                    least = least.min(time);
                }
                let times = times.iter().map(Times::sum).chain([least]);
                sums.iter_mut().zip(times).for_each(|(sum, time)| *sum += time);
            }
            problems += set.ends.len();
        }
        print!("{:<10}", class.name);
        for sum in sums {
            print!("{:>19.0}", sum / 1000.0 / problems as f64);
        }
        println!();
    }
}

fn main() {
    let classes = classes();
    let maps: usize = classes.iter().map(|class| class.sets.len()).sum();
    println!("{PROBLEMS} problems on each of {maps} maps, medians of {ROUNDS} rounds\n");
    print_prices(&classes);
    println!("\nAll ticks of a walk, {BUDGET} units each, in µs per problem\n");
    print_totals(&classes);
}
