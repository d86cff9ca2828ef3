//! Agents whose steps are refused, and who are pushed aside.

mod common;

use tickstar::catalog::{self, Config};
use tickstar::{Grid, Layered, NodeId, Seen, Slice, Space, Step};
use tickstar_lab::files::{read_map, read_problems, read_scen};
use tickstar_lab::{Arena, Job, Problem, WorldKind, builtin};

use common::{in_parallel, list, shared};

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
}

/// How a walk ended, and what it took.
#[derive(Clone, Copy, Debug)]
struct Walk {
    arrived: bool,
    /// It was ended because it took too long, as the lab does with those that learn.
    cut_off: bool,
    expansions: u64,
    ticks: u64,
}

/// Lets an agent walk on a known map. If it is disturbed, one step in ten is refused, and in one tick of a
/// hundred it is pushed to a random free neighbor instead.
fn walk(
    map: &Layered<Grid>,
    config: &Config,
    budget: u64,
    most: Option<u64>,
    (start, goal): (NodeId, NodeId),
    mut disturbance: Option<Random>,
) -> Walk {
    let mut agent = config.agent(map, start, goal).unwrap();
    let mut walk = Walk { arrived: false, cut_off: false, expansions: 0, ticks: 0 };
    let mut at = start;
    loop {
        let mut slice = Slice::new(budget);
        let step = agent.tick(map, at, Seen::default(), &mut slice);
        walk.expansions += slice.expansions();
        walk.ticks += 1;
        match step {
            Step::Move(to) => {
                assert!(map.edge(at, to).is_some(), "an illegal step");
                let refused = disturbance.as_mut().is_some_and(|random| random.below(10) == 0);
                at = if refused { at } else { to };
            }
            Step::Wait => {}
            Step::Arrived => walk.arrived = true,
            Step::Unreachable => panic!("{}: there is a way", config.entry().name),
        }
        walk.cut_off = most.is_some_and(|most| walk.ticks >= most);
        assert!(walk.ticks < 3_000_000, "{} never ends", config.entry().name);
        if walk.arrived || walk.cut_off {
            return walk;
        }
        if let Some(random) = &mut disturbance
            && random.below(100) == 0
        {
            let mut neighbors = Vec::new();
            map.for_each_edge(at, |to, _| neighbors.push(to));
            at = neighbors[random.below(neighbors.len() as u64) as usize];
        }
    }
}

/// Every algorithm arrives on these problems, disturbed or not. Returns the expansions of each, undisturbed and
/// disturbed.
fn all_arrive(name: &str, grid: &Grid, problems: &[Problem]) -> Vec<(&'static str, u64, u64)> {
    let mut arena = Arena::new(&WorldKind::Known, grid, 1).unwrap();
    let mut expansions = Vec::new();
    for entry in catalog::all() {
        let config = entry.configure::<&str, &str>(&[]).unwrap();
        arena.prepare(&config, |_| ()).unwrap();
        let budget = entry.default_budget.unwrap_or(100);
        let most = Job::new(name, &arena, &config, Some(budget)).max_intervals;
        let numbered: Vec<_> = (0..).zip(problems).collect();
        let walks = in_parallel(&numbered, |&(number, problem)| {
            let map = arena.map();
            let ends = [problem.start, problem.goal].map(|cell| map.node(cell).unwrap());
            let [calm, disturbed] = [None, Some(Random(number))]
                .map(|noise| walk(map, &config, budget, most, (ends[0], ends[1]), noise));
            let learns = entry.facts.no_openings.is_some();
            assert!(
                disturbed.arrived || learns && disturbed.cut_off,
                "{} {disturbed:?}",
                entry.name
            );
            (calm.expansions, disturbed.expansions)
        });
        let sum = |of: fn(&(u64, u64)) -> u64| walks.iter().map(of).sum::<u64>();
        let (calm, disturbed) = (sum(|pair| pair.0), sum(|pair| pair.1));
        println!("{name}, {}: {calm} expansions, disturbed {disturbed}", entry.name);
        expansions.push((entry.name, calm, disturbed));
    }
    expansions
}

/// TBA* and PRA* expand at most 5 % more when they are disturbed.
fn hardly_more(expansions: &[(&str, u64, u64)]) {
    for &(name, calm, disturbed) in expansions {
        if ["tba", "pra"].contains(&name) {
            assert!(disturbed * 100 <= calm * 105, "{name}: {calm}, disturbed {disturbed}");
        }
    }
}

#[test]
fn on_built_in_maps_all_arrive() {
    for name in ["caves-128", "islands-128"] {
        let map = builtin::find(name).unwrap();
        let grid = map.grid();
        all_arrive(name, &grid, &map.problems(&grid, 6, 1));
    }
}

#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn on_duskwood_all_arrive_at_hardly_more_expansions() {
    let grid = read_map(&shared().join("maps/wc3-512/duskwood.map")).unwrap();
    let problems = read_problems(&list("tba-2009/duskwood.txt"), &grid).unwrap();
    hardly_more(&all_arrive("duskwood", &grid, &problems[..40]));
}

#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn on_ar0300sr_all_arrive_at_hardly_more_expansions() {
    let path = shared().join("maps/bg-512/AR0300SR.map");
    let grid = read_map(&path).unwrap();
    let scen = path.with_extension("map.scen");
    let problems = read_scen(&scen, "AR0300SR.map", &grid).unwrap();
    let step = problems.len() / 40;
    let problems: Vec<_> = problems.into_iter().step_by(step).take(40).collect();
    assert_eq!(problems.len(), 40);
    hardly_more(&all_arrive("AR0300SR", &grid, &problems));
}
