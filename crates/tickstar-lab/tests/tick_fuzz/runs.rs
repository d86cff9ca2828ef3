//! Random runs of Tick*, with all that must hold in each of them.

use std::fmt;

use tickstar::catalog::{self, Config};
use tickstar::search::SearchConfig;
use tickstar::space::{Corners, Neighbors};
use tickstar::{Agent, Cell, Cost, Grid, Layered, NodeId, Seen, Slice, Space, Step, find_path};
use tickstar_lab::generate::{Kind, generate, random_problems, with_hills};
use tickstar_lab::{Arena, World, WorldKind};

/// A small deterministic generator (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// What happened in a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub ticks: u64,
    pub arrived: u64,
    /// Of a known map: the budget, the cost walked in relation to the optimum, and a description.
    ratio: Option<(u64, f64, String)>,
}

impl Report {
    pub fn add(&mut self, other: &Report) {
        self.ticks += other.ticks;
        self.arrived += other.arrived;
    }
}

/// The worst walks on known maps, by budget: the ratio to the optimum, the seed, and a description.
#[derive(Default)]
pub struct Ratios(std::collections::BTreeMap<u64, (u64, f64, f64, u64, String)>);

impl Ratios {
    pub fn add(&mut self, seed: u64, report: &Report) {
        let Some((budget, ratio, text)) = &report.ratio else { return };
        let (count, sum, worst, worst_seed, of) = self.0.entry(*budget).or_default();
        (*count, *sum) = (*count + 1, *sum + ratio);
        if ratio > worst {
            (*worst, *worst_seed, *of) = (*ratio, seed, text.clone());
        }
    }
}

impl fmt::Display for Ratios {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (budget, (count, sum, worst, seed, of)) in &self.0 {
            let mean = sum / *count as f64;
            writeln!(
                f,
                "budget {budget}: {count} walks, mean {mean:.4}, worst {worst:.3}: seed {seed}, {of}"
            )?;
        }
        Ok(())
    }
}

/// The run of a seed.
pub fn run(seed: u64) -> Report {
    let dice = &mut Dice(seed);
    match dice.below(8) {
        0 => discovered(dice, 512),
        1 | 2 => {
            let side = 64 + dice.below(100) as u32;
            discovered(dice, side)
        }
        3 => known(dice, 512),
        4 | 5 => {
            let side = 16 + dice.below(150) as u32;
            known(dice, side)
        }
        _ => edited(dice),
    }
}

const BUDGETS: [u64; 9] = [1, 2, 3, 5, 10, 30, 100, 500, 2000];

fn pick<T: Copy>(dice: &mut Dice, from: &[T]) -> T {
    from[dice.below(from.len())]
}

/// A map of any kind, with any rules.
fn map(dice: &mut Dice, side: u32, kinds: &[Kind]) -> Grid {
    let (kind, seed) = (pick(dice, kinds), dice.below(1 << 30) as u64);
    let mut grid = generate(kind, side, side, seed).expect("a possible size");
    if dice.once_in(4) {
        grid = grid.with_neighbors(Neighbors::Four);
    }
    if dice.once_in(2) {
        grid = grid.with_corners(Corners::Allowed);
    }
    if dice.once_in(4) { with_hills(grid, seed) } else { grid }
}

/// Tick* with its defaults, or with random values of its parameters.
fn config(dice: &mut Dice) -> Config {
    let entry = catalog::find("tick").expect("in the catalog");
    if dice.once_in(3) {
        return entry.configure::<&str, &str>(&[]).expect("the defaults");
    }
    let parameters = entry.parameters();
    let mut value = |name: &str, values: &[&str]| match name {
        _ if dice.once_in(2) => pick(dice, values).to_owned(),
        "look" | "first-look" => (1 + dice.below(6)).to_string(),
        "ahead" => (1 + dice.below(200)).to_string(),
        "coarse-weight" | "leg-weight" => format!("{}.{}", 1 + dice.below(3), dice.below(10)),
        _ => pick(dice, values).to_owned(),
    };
    let chosen: Vec<_> = parameters.iter().map(|p| (p.name, value(p.name, p.values))).collect();
    entry.configure(&chosen).expect("possible values")
}

fn optimum(map: &Layered<Grid>, from: NodeId, to: NodeId) -> Option<Cost> {
    if !map.contains(from) || !map.contains(to) {
        return None;
    }
    find_path(map, from, to, SearchConfig::default()).expect("both are free").map(|path| path.cost)
}

/// An agent, and how its ticks are paid for.
struct Walk {
    agent: Box<dyn Agent<Layered<Grid>> + Send>,
    at: NodeId,
    budget: u64,
    metered: bool,
    ticks: u64,
    cost: Cost,
}

impl Walk {
    fn new(map: &Layered<Grid>, config: &Config, budget: u64, ends: [NodeId; 2]) -> Walk {
        let agent = config.agent(map, ends[0], ends[1]).expect("both are free");
        let (at, metered) = (ends[0], budget % 2 == 1);
        Walk { agent, at, budget, metered, ticks: 0, cost: Cost::ZERO }
    }

    fn tick(&mut self, map: &Layered<Grid>, changed: &[NodeId]) -> Step {
        let budget = self.budget;
        let mut slice = if self.metered { Slice::metered(budget) } else { Slice::new(budget) };
        let step = self.agent.tick(map, self.at, Seen { changed }, &mut slice);
        // Reported changes cannot be refused.
        let reported = if self.metered { changed.len() as u64 } else { 0 };
        let most = budget.saturating_add(reported.div_ceil(4));
        assert!(slice.units() <= most, "{} units of {budget}", slice.units());
        if let Step::Move(to) = step {
            assert!(map.edge(self.at, to).is_some(), "from {} to {to}", self.at);
        }
        self.ticks += 1;
        step
    }

    fn report(&self) -> Report {
        let arrived = u64::from(self.at == self.agent.goal());
        Report { ticks: self.ticks, arrived, ratio: None }
    }
}

/// More ticks than a sound agent needs on a map that does not change.
fn most_ticks(map: &Grid, budget: u64) -> u64 {
    let size = map.free_cells().count() as u64;
    1000 + 4 * size + 20 * size / budget
}

/// A known map, the ends of which may not be connected.
fn known(dice: &mut Dice, side: u32) -> Report {
    let grid = map(dice, side, &Kind::ALL);
    let map = Layered::flat(grid.with_regions());
    let free: Vec<Cell> = map.free_cells().collect();
    let ends = [(); 2].map(|()| map.node(pick(dice, &free)).expect("on the map"));
    let (config, budget) = (config(dice), pick(dice, &BUDGETS));
    let best = optimum(&map, ends[0], ends[1]);
    let mut walk = Walk::new(&map, &config, budget, ends);
    let about = || {
        let [from, to] = ends.map(|node| map.cell(node));
        format!("{side} x {side} from {from} to {to}, {:?}", config.parameters())
    };
    let most = most_ticks(&map, budget);
    loop {
        assert!(walk.ticks < most, "it never ends: {}", about());
        match walk.tick(&map, &[]) {
            Step::Move(to) => {
                walk.cost = walk.cost + map.edge(walk.at, to).expect("an edge");
                walk.at = to;
            }
            Step::Wait => {}
            Step::Arrived => break,
            Step::Unreachable => {
                assert_eq!(best, None, "{}", about());
                return walk.report();
            }
        }
    }
    let best = best.expect("it has arrived");
    assert!(walk.at == ends[1] && walk.cost >= best, "{}", about());
    let ratio = if best == Cost::ZERO { 1.0 } else { walk.cost.in_cells() / best.in_cells() };
    Report { ratio: Some((budget, ratio, about())), ..walk.report() }
}

/// A world that is unknown, partly known, or changes.
fn discovered(dice: &mut Dice, side: u32) -> Report {
    let grid = map(dice, side, &[Kind::Maze, Kind::Rooms, Kind::Caves]);
    let seed = dice.below(1 << 30) as u64;
    let Some(problem) = random_problems(&grid, 1, seed).pop() else { return Report::default() };
    let kind: WorldKind =
        pick(dice, &["unknown", "unknown", "partial:10", "dynamic:2", "dynamic:10"])
            .parse()
            .expect("a world");
    let (config, budget) = (config(dice), pick(dice, &BUDGETS));
    let mut arena = Arena::new(&kind, &grid, seed).expect("no script");
    arena.prepare(&config, |_| ()).expect("regions");
    let ends = [problem.start, problem.goal].map(|cell| grid.node(cell).expect("on the map"));
    let mut world = arena.world(ends[0], ends[1]);
    let mut walk = Walk::new(world.known(), &config, budget, ends);
    let most = 20 * most_ticks(&grid, budget);
    let about = format!("{kind} {problem:?} {side} with {budget}, {:?}", config.parameters());
    explore(&mut walk, &mut world, most, &about);
    walk.report()
}

/// Lets an agent walk in a world until it arrives or gives up.
fn explore(walk: &mut Walk, world: &mut World, most: u64, about: &str) {
    loop {
        assert!(walk.ticks < most, "it never ends: {about}");
        world.begin(walk.ticks + 1);
        let changed = world.changed().to_vec();
        let step = walk.tick(world.known(), &changed);
        world.reported();
        match step {
            Step::Move(to) => {
                assert!(world.truth().edge(walk.at, to).is_some(), "not truly an edge: {about}");
                walk.at = to;
                world.moved(to);
            }
            Step::Wait => {}
            Step::Arrived => return assert_eq!(walk.at, walk.agent.goal()),
            Step::Unreachable => {
                let way = optimum(world.known(), walk.at, walk.agent.goal());
                return assert_eq!(way, None, "{about}");
            }
        }
    }
}

/// A map that is edited while the agent walks, with and without reports.
fn edited(dice: &mut Dice) -> Report {
    let side = 16 + dice.below(120) as u32;
    let grid = map(dice, side, &Kind::ALL);
    let mut map = Layered::flat(grid.with_regions());
    let free: Vec<Cell> = map.free_cells().collect();
    let ends = [(); 2].map(|()| map.node(pick(dice, &free)).expect("on the map"));
    let (config, budget) = (config(dice), pick(dice, &BUDGETS));
    let mut walk = Walk::new(&map, &config, budget, ends);
    let about = format!("{side} with {budget}, {:?}", config.parameters());
    let (mut secret, often) = (Vec::new(), 2 + dice.below(40));
    for _ in 0..dice.below(600) {
        let mut changed = Vec::new();
        if dice.once_in(often) {
            let list = if dice.once_in(3) { &mut secret } else { &mut changed };
            edit(&mut map, walk.at, dice, list);
        }
        if dice.once_in(2 * often) {
            retarget(&mut walk, &map, dice);
        }
        match walk.tick(&map, &changed) {
            Step::Move(to) if !dice.once_in(20) => walk.at = to,
            Step::Unreachable if secret.is_empty() => {
                assert_eq!(optimum(&map, walk.at, walk.agent.goal()), None, "{about}");
            }
            _ => {}
        }
    }
    let end = walk.ticks + most_ticks(&map, budget);
    loop {
        assert!(walk.ticks < end, "it never ends: {about}");
        match walk.tick(&map, &std::mem::take(&mut secret)) {
            Step::Move(to) => walk.at = to,
            Step::Wait => {}
            Step::Arrived => break,
            Step::Unreachable => {
                assert_eq!(optimum(&map, walk.at, walk.agent.goal()), None, "{about}");
                break;
            }
        }
    }
    walk.report()
}

/// Blocks or opens a stretch of cells, but for the agent's.
fn edit(map: &mut Layered<Grid>, at: NodeId, dice: &mut Dice, changed: &mut Vec<NodeId>) {
    let (first, free, across) = (
        dice.below(map.width() as usize * map.height() as usize),
        dice.once_in(2),
        dice.once_in(2),
    );
    let (x, y) = (first as u32 % map.width(), first as u32 / map.width());
    for i in 0..=dice.below(40) as u32 {
        let cell = if across { Cell::new(x + i, y) } else { Cell::new(x, y + i) };
        let Some(node) = map.node(cell).filter(|&node| node != at) else { continue };
        if map.set_free(cell, free).expect("on the map") {
            changed.push(node);
        }
    }
}

/// Moves the goal by a step, or far away.
fn retarget(walk: &mut Walk, map: &Layered<Grid>, dice: &mut Dice) {
    let mut goals = Vec::new();
    if dice.once_in(10) {
        goals.extend(map.free_cells().filter_map(|cell| map.node(cell)));
    } else {
        map.for_each_edge(walk.agent.goal(), |to, _| goals.push(to));
    }
    if !goals.is_empty() {
        walk.agent.retarget(map, pick(dice, &goals)).expect("a free cell");
    }
}
