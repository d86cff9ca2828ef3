//! TBA* by jump points beside plain TBA*, with the same time per tick.
//!
//! `cargo bench --bench jumps` prints two tables. The first shows what a unit of the budget takes in a search by jump
//! points, beside an expansion of A*. For the second, each algorithm gets the budget with which its searching ticks take
//! a given time on average, and walks: `walk` is the cost of its walks over the optimum, `ticks` how many ticks they took,
//! `waits` how many of these it stood still. Needs the benchmark maps; else it uses generated ones.

mod maps;

use std::time::{Duration, Instant};

use tickstar::agent::time_bounded::{Acting, Tracing};
use tickstar::search::{BestFirst, SearchConfig};
use tickstar::{
    Agent, Cost, Grid, NodeId, PathFinder, Seen, Slice, Space, Step, TimeBounded, TimeBoundedConfig,
};

use tickstar_lab::bench::ProblemSet;
use tickstar_lab::bench::paths::Extent;

/// How often each search and each walk is timed: runs repeat bit for bit, and each tick counts with its least time.
const ROUNDS: usize = 5;

/// The times per tick to compare at, in microseconds.
const TIMES: [f64; 3] = [1.0, 5.0, 50.0];

/// The walks of one algorithm with one budget, over all problems.
#[derive(Default)]
struct Walks {
    /// The sum of the walks' costs over the optimum.
    suboptimality: f64,
    problems: u64,
    ticks: u64,
    waits: u64,
    /// Ticks in which something was expanded, and what they took.
    searching: u64,
    time: Duration,
    longest: Duration,
}

impl Walks {
    fn mean(&self) -> f64 {
        self.time.as_secs_f64() * 1e6 / self.searching.max(1) as f64
    }
}

/// The ends of the problems as nodes.
fn nodes(set: &ProblemSet) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
    let node = |cell| set.grid.node(cell).expect("a problem on its map");
    set.ends.iter().map(move |&(start, goal)| (node(start), node(goal)))
}

/// One tick: whether it expanded anything, and what it took.
type Timed = (bool, Duration);

fn walk(
    grid: &Grid,
    agent: &mut TimeBounded,
    (start, goal): (NodeId, NodeId),
    budget: u64,
) -> (Cost, u64, Vec<Timed>) {
    agent.assign(grid, start, goal).expect("a fit problem");
    let (mut at, mut cost, mut waits, mut ticks) = (start, Cost::ZERO, 0, Vec::new());
    loop {
        let mut slice = Slice::new(budget);
        let begin = Instant::now();
        let step = agent.tick(grid, at, Seen::default(), &mut slice);
        let time = begin.elapsed();
        ticks.push((slice.expansions() > 0, time));
        match step {
            Step::Move(to) => {
                cost = cost + grid.edge(at, to).expect("a legal step");
                at = to;
            }
            Step::Wait => waits += 1,
            Step::Arrived | Step::Unreachable => return (cost, waits, ticks),
        }
    }
}

fn walks(set: &ProblemSet, optimal: &[Cost], config: TimeBoundedConfig, budget: u64) -> Walks {
    let mut all = Walks::default();
    let (start, goal) = nodes(set).next().expect("a problem");
    let mut agent = TimeBounded::new(&set.grid, config, start, goal).expect("a fit map");
    for (ends, optimal) in nodes(set).zip(optimal) {
        let (cost, waits, mut ticks) = walk(&set.grid, &mut agent, ends, budget);
        for _ in 1..ROUNDS {
            let (_, _, again) = walk(&set.grid, &mut agent, ends, budget);
            for (tick, again) in ticks.iter_mut().zip(again) {
                tick.1 = tick.1.min(again.1);
            }
        }
        all.suboptimality += cost.0 as f64 / optimal.0.max(1) as f64;
        all.problems += 1;
        all.ticks += ticks.len() as u64;
        all.waits += waits;
        for (_, time) in ticks.iter().filter(|(searching, _)| *searching) {
            all.searching += 1;
            all.time += *time;
            all.longest = all.longest.max(*time);
        }
    }
    all
}

/// The budget with which a searching tick takes this many microseconds on average, and the walks with it.
fn at_time(
    set: &ProblemSet,
    optimal: &[Cost],
    config: TimeBoundedConfig,
    aim: f64,
) -> (u64, Walks) {
    let mut budget = (aim * 1000.0 / 65.0).max(2.0);
    for _ in 0..3 {
        let mean = walks(set, optimal, config, budget as u64).mean();
        budget = (budget * (aim / mean).clamp(0.25, 4.0)).clamp(2.0, 1e6);
    }
    (budget as u64, walks(set, optimal, config, budget as u64))
}

/// What a unit takes in a search by jump points, and what an expansion takes in A*, in nanoseconds.
fn prices(set: &ProblemSet) -> (f64, f64) {
    let config = TimeBoundedConfig {
        jump: true,
        acting: Acting::Wait,
        tracing: Tracing::Free,
        ..TimeBoundedConfig::default()
    };
    let (mut finder, mut search) = (PathFinder::default(), BestFirst::new(SearchConfig::default()));
    let (mut units, mut expansions) = (0, 0);
    let (mut by_jumps, mut by_cells) = (Duration::ZERO, Duration::ZERO);
    for (start, goal) in nodes(set) {
        let mut agent = TimeBounded::new(&set.grid, config, start, goal).expect("a fit map");
        let mut slice = Slice::unlimited();
        agent.tick(&set.grid, start, Seen::default(), &mut slice);
        units += slice.expansions();
        let mut least = [Duration::MAX; 2];
        let mut slice = Slice::unlimited();
        for _ in 0..2 * ROUNDS {
            let begin = Instant::now();
            let path = finder.find(&set.grid, start, goal);
            least[0] = least[0].min(begin.elapsed());
            assert!(path.is_ok());
            let begin = Instant::now();
            slice = Slice::unlimited();
            search.start(&set.grid, start, goal);
            search.run(&set.grid, &mut slice);
            least[1] = least[1].min(begin.elapsed());
        }
        expansions += slice.expansions();
        (by_jumps, by_cells) = (by_jumps + least[0], by_cells + least[1]);
    }
    let per = |time: Duration, count: u64| time.as_nanos() as f64 / count.max(1) as f64;
    (per(by_jumps, units), per(by_cells, expansions))
}

fn main() {
    let sets =
        Extent::FULL.problem_sets(maps::folder().as_deref()).expect("the maps and their problems");
    println!("{:<16} {:>16} {:>20}", "", "jumps, ns/unit", "A*, ns/expansion");
    for set in &sets {
        let (unit, expansion) = prices(set);
        println!("{:<16} {unit:>16.1} {expansion:>20.1}", set.name);
    }
    println!(
        "\n{:<16} {:>6} {:<8} {:>7} {:>8} {:>9} {:>8} {:>8} {:>8}",
        "", "µs", "", "budget", "walk", "ticks", "waits", "mean µs", "max µs"
    );
    for set in &sets {
        let mut finder = PathFinder::default();
        let optimal: Vec<Cost> = nodes(set)
            .map(|(start, goal)| {
                let path = finder.find(&set.grid, start, goal).expect("a fit problem");
                path.expect("a path").cost
            })
            .collect();
        for aim in TIMES {
            for (name, jump) in [("tba", false), ("tba-jps", true)] {
                let config = TimeBoundedConfig { jump, ..TimeBoundedConfig::default() };
                let (budget, walks) = at_time(set, &optimal, config, aim);
                let per = |count: f64| count / walks.problems as f64;
                println!(
                    "{:<16} {aim:>6} {name:<8} {budget:>7} {:>8.4} {:>9.1} {:>8.1} {:>8.2} {:>8.1}",
                    set.name,
                    per(walks.suboptimality),
                    per(walks.ticks as f64),
                    per(walks.waits as f64),
                    walks.mean(),
                    walks.longest.as_secs_f64() * 1e6,
                );
            }
        }
    }
}
