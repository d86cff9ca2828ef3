//! Restarting a search costs nothing that grows with the map, or with the nodes of the search before:
//! queries of the map and allocations are counted, not timed. Lazy agents restart less often than eager
//! ones, and so expand less.

use std::cell::Cell as Counter;

use tickstar::agent::time_bounded::{Restart, Tracing};
use tickstar::catalog;
use tickstar::search::SearchConfig;
use tickstar::{
    Agent, Cell, Cost, Event, Grid, Map, NodeId, Seen, Slice, Space, Step, TimeBounded,
    TimeBoundedConfig,
};
use tickstar_lab::{Arena, Job, Outcome, Record, builtin};

/// Figure 6 of the 2014 paper: searches without a limit, in worlds that change at three rates.
#[test]
fn lazy_agents_expand_less_than_eager_ones_at_every_change_rate() {
    for map in ["caves-128", "random-64", "rooms-64"] {
        let builtin = builtin::find(map).unwrap();
        let grid = builtin.grid();
        for (rate, weight) in
            ["1", "5", "10"].into_iter().flat_map(|rate| ["1", "1.4", "3"].map(|w| (rate, w)))
        {
            let world = format!("dynamic:{rate}").parse().unwrap();
            let arena = Arena::new(&world, &grid, 1).unwrap();
            let [lazy, eager] = ["lazy", "eager"].map(|restart| {
                let settings = [("trace", "free"), ("weight", weight), ("restart", restart)];
                let config = catalog::find("rtb-wastar").unwrap().configure(&settings).unwrap();
                let job = Job::new(map, &arena, &config, None);
                let problems = builtin.problems(&grid, 40, 1);
                problems.iter().map(|problem| job.record(problem).unwrap()).collect::<Vec<_>>()
            });
            let arrived = lazy.iter().zip(&eager).filter(|(lazy, eager)| {
                lazy.outcome == Outcome::Reached && eager.outcome == Outcome::Reached
            });
            let arrived: Vec<_> = arrived.collect();
            assert!(arrived.len() > 30, "{map} {rate} {weight}: {}", arrived.len());
            let sum =
                |pairs: fn(&(&Record, &Record)) -> u64| arrived.iter().map(pairs).sum::<u64>();
            let (lazy, eager) =
                (sum(|pair| pair.0.tally.expansions), sum(|pair| pair.1.tally.expansions));
            println!("{map}, rate {rate}, weight {weight}: {lazy} against {eager} expansions");
            assert!(lazy < eager, "{map}, rate {rate}, weight {weight}: {lazy} against {eager}");
            assert!(sum(|pair| pair.0.tally.restarts) < sum(|pair| pair.1.tally.restarts));
        }
    }
}

/// A grid that counts what it is asked.
struct Counted {
    grid: Grid,
    questions: Counter<u64>,
}

impl Counted {
    fn ask(&self) -> &Grid {
        self.questions.set(self.questions.get() + 1);
        &self.grid
    }
}

impl Space for Counted {
    const MAX_EDGES: usize = Grid::MAX_EDGES;

    fn size(&self) -> usize {
        self.ask().size()
    }

    fn contains(&self, node: NodeId) -> bool {
        self.ask().contains(node)
    }

    fn for_each_edge(&self, from: NodeId, visit: impl FnMut(NodeId, Cost)) {
        self.ask().for_each_edge(from, visit);
    }

    fn max_edge_cost(&self) -> Cost {
        self.ask().max_edge_cost()
    }

    fn is_reversible(&self) -> bool {
        self.ask().is_reversible()
    }

    fn edge(&self, from: NodeId, to: NodeId) -> Option<Cost> {
        self.ask().edge(from, to)
    }
}

impl Map for Counted {
    fn estimate(&self, from: NodeId, to: NodeId) -> Cost {
        self.ask().estimate(from, to)
    }

    fn for_each_affected(&self, changed: NodeId, visit: impl FnMut(NodeId)) {
        self.ask().for_each_affected(changed, visit);
    }

    fn estimate_through(&self, from: NodeId, changed: NodeId, to: NodeId) -> Cost {
        self.ask().estimate_through(from, changed, to)
    }
}

fn position(agent: &impl Agent<Counted>) -> NodeId {
    agent.position()
}

/// What one tick took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Work {
    questions: u64,
    expansions: u64,
    traces: u64,
    allocations: u64,
    bytes: u64,
}

/// Lets a TBAA* agent walk on an empty map towards a goal behind a wall, and shuts the cell before it
/// after this many ticks. Returns the work of the tick in which it restarted its search: all of it, or
/// with a budget of zero the restart alone.
fn restart(side: u32, ticks: u64, budget: u64, last_budget: u64) -> Work {
    let mut grid = Grid::new(side, side).unwrap();
    for y in 40..250 {
        grid.set_free(Cell::new(120, y), false).unwrap();
    }
    let [start, goal] = [(30, 120), (200, 130)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
    let mut map = Counted { grid, questions: Counter::new(0) };
    let config = TimeBoundedConfig {
        search: SearchConfig { learn: true, ..SearchConfig::default() },
        restart: Restart::Path,
        tracing: Tracing::Free,
        ..TimeBoundedConfig::default()
    };
    let mut agent = TimeBounded::new(&map, config, start, goal).unwrap();
    let mut before = start;
    for _ in 0..ticks {
        before = position(&agent);
        let step = agent.tick(&map, agent.position(), Seen::default(), &mut Slice::new(budget));
        assert!(matches!(step, Step::Move(_)));
    }
    let [from, at] = [before, position(&agent)].map(|node| map.grid.cell(node));
    let ahead = Cell::new(2 * at.x - from.x, 2 * at.y - from.y);
    map.grid.set_free(ahead, false).unwrap();
    let seen = [map.grid.node(ahead).unwrap()];
    map.questions.set(0);
    let mut work = None;
    let allocations = allocation_counter::measure(|| {
        let mut slice = Slice::new(last_budget);
        agent.tick(&map, agent.position(), Seen { changed: &seen }, &mut slice);
        assert!(slice.has(Event::Restart), "the path led another way");
        work = Some((slice.expansions(), slice.traces()));
    });
    let (expansions, traces) = work.unwrap();
    Work {
        questions: map.questions.get(),
        expansions,
        traces,
        allocations: allocations.count_total,
        bytes: allocations.bytes_total,
    }
}

#[test]
fn a_restart_takes_the_same_work_on_a_small_map_and_on_a_large_one() {
    for (ticks, budget) in [(20, 10), (20, 500), (60, 100)] {
        for last_budget in [0, budget] {
            let works =
                [256, 512, 1024, 2048].map(|side| restart(side, ticks, budget, last_budget));
            println!("{ticks} ticks of {budget}, then one of {last_budget}: {:?}", works[0]);
            for work in works {
                let counts = |work: Work| (work.questions, work.expansions, work.traces);
                let context = format!("after {ticks} ticks of {budget}, {last_budget} more");
                assert_eq!(counts(work), counts(works[0]), "{context}");
                // The part of a table that a page belongs to is a strip of the map, which is wider on a wider one.
                assert!(
                    work.allocations.abs_diff(works[0].allocations) <= 4,
                    "{context}: {works:?}"
                );
                assert!(work.bytes.abs_diff(works[0].bytes) <= 4096, "{context}: {works:?}");
            }
            assert_eq!(works[0].expansions, last_budget);
        }
    }
}

#[test]
fn beginning_again_takes_the_same_work_after_a_short_search_and_after_a_long_one() {
    let works = [10, 100, 500].map(|budget| restart(2048, 20, budget, 0));
    for work in works {
        // A few more or less, by the shape of the path where it is cut.
        assert!(work.questions < 20, "{work:?}");
        // For the learned F, the root, and the heuristics of the page that is swept.
        assert!(work.allocations <= 8 && work.bytes <= 4096, "{work:?}");
    }
}
