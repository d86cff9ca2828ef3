//! What the driver of all agents takes care of: refused steps, displaced agents, and budgets in one currency.

use tickstar::agent::d_lrta::{DLrta, DLrtaConfig};
use tickstar::agent::dstar_lite::{DStarLite, DStarLiteConfig};
use tickstar::agent::local::{Local, LocalConfig};
use tickstar::agent::pr_lrta::{PrLrta, PrLrtaConfig};
use tickstar::agent::quickpath::QuickPath;
use tickstar::agent::time_bounded::Restart;
use tickstar::{
    Agent, Cell, Grid, Layered, NodeId, Pool, Pra, PraConfig, Seen, Slice, Space, Step,
    TimeBounded, TimeBoundedConfig,
};

use crate::kit::{
    LayeredGrid, Member, OnPanic, Problem, Random, Terrain, TickLimit, is_slow, layered, members,
};

/// A small random problem.
fn problem(member: &dyn Member, random: &mut Random) -> Problem<LayeredGrid> {
    let side = if is_slow(member) { 8 } else { 20 };
    let [width, height] = [(); 2].map(|()| 1 + random.below(side) as u32);
    Problem::random_of_size(random, width, height)
}

/// How a walk may be disturbed.
#[derive(Clone, Copy, Debug)]
struct Disturbance {
    /// Of a hundred steps, this many are refused.
    refused: u64,
    /// Of a hundred ticks, this many end with the agent being pushed to a random neighbor.
    pushed: u64,
    /// The number of times an agent is pushed. If that had no end, neither would a walk.
    most: u64,
}

/// Runs an agent until it arrives or gives up; returns whether it arrived.
fn walk<'s>(
    member: &dyn Member,
    problem: &Problem<LayeredGrid>,
    disturbance: Disturbance,
    random: &mut Random,
    slice: impl Fn() -> Slice<'s>,
) -> bool {
    let map = &problem.space;
    let mut agent = map.agent(member, problem.start, problem.goal).unwrap();
    let limit = TickLimit::of(member, problem, 1);
    let mut ticks = (limit.moves.saturating_add(limit.waits)).saturating_mul(200).min(2_000_000);
    let (mut at, mut pushes) = (problem.start, disturbance.most);
    loop {
        let mut slice = slice();
        let step = agent.tick(map, at, Seen::default(), &mut slice);
        match step {
            Step::Move(to) => {
                assert!(map.edge(at, to).is_some(), "an illegal step");
                assert_eq!(agent.position(), to);
                at = if random.below(100) < disturbance.refused { at } else { to };
            }
            Step::Wait => assert_eq!(agent.position(), at),
            Step::Arrived => {
                assert_eq!(at, problem.goal);
                return true;
            }
            Step::Unreachable => return false,
        }
        if pushes > 0 && random.below(100) < disturbance.pushed {
            let mut neighbors = vec![at];
            map.for_each_edge(at, |to, _| neighbors.push(to));
            at = random.pick(&neighbors);
            pushes -= 1;
        }
        ticks -= 1;
        assert!(ticks > 0, "the agent walks forever");
    }
}

#[test]
fn disturbed_agents_arrive_exactly_when_a_path_exists() {
    let mut random = Random::new(1);
    let heavy = Disturbance { refused: 50, pushed: 20, most: 200 };
    let light = Disturbance { refused: 10, pushed: 1, most: 200 };
    for member in members().iter().filter(|member| member.facts().complete) {
        let setups = [(1, light), (5, heavy), (100, heavy), (u64::MAX, heavy)];
        for (budget, disturbance) in setups.repeat(3) {
            let problem = problem(member.as_ref(), &mut random);
            let _context = OnPanic((&problem, member, budget, disturbance));
            let arrived =
                walk(member.as_ref(), &problem, disturbance, &mut random, || Slice::new(budget));
            assert_eq!(arrived, problem.optimum.is_some());
        }
    }
}

#[test]
fn metered_agents_arrive_exactly_when_a_path_exists() {
    let mut random = Random::new(2);
    let calm = Disturbance { refused: 0, pushed: 0, most: 0 };
    for member in members().iter().filter(|member| member.facts().complete) {
        for budget in [1, 2, 3, 10, 100].repeat(3) {
            let problem = problem(member.as_ref(), &mut random);
            let _context = OnPanic((&problem, member, budget));
            let arrived =
                walk(member.as_ref(), &problem, calm, &mut random, || Slice::metered(budget));
            assert_eq!(arrived, problem.optimum.is_some());
        }
    }
}

#[test]
fn a_metered_tick_spends_at_most_its_budget() {
    let mut random = Random::new(3);
    for member in members() {
        // Where tracing is free, as in the 2012 paper, it is paid for here, but not limited.
        for budget in [1, 2, 7, 30, 200] {
            let problem = problem(member.as_ref(), &mut random);
            let _context = OnPanic((&problem, &member, budget));
            let map = &problem.space;
            let mut agent = map.agent(member.as_ref(), problem.start, problem.goal).unwrap();
            let mut at = problem.start;
            for _ in 0..200 {
                let mut slice = Slice::metered(budget);
                let step = agent.tick(map, at, Seen::default(), &mut slice);
                // In eightieths of a unit: an expansion, a trace step, an update.
                let spent = 80 * slice.expansions() + 8 * slice.traces() + 40 * slice.updates();
                assert!(spent <= 80 * budget, "{slice:?}");
                at = if let Step::Move(to) = step { to } else { at };
            }
        }
    }
}

fn is_shareable<T: Send + Sync>(_: &T) {}

/// A concrete agent can be asked where it is without naming the type of the map.
#[test]
fn a_concrete_agent_has_a_position() {
    let grid = Grid::new(5, 5).unwrap();
    let [start, goal] = [(0, 0), (4, 4)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
    let unit = TimeBounded::new(&grid, TimeBoundedConfig::default(), start, goal).unwrap();
    assert_eq!((unit.position(), unit.goal()), (start, goal));
    let boxed: Box<dyn Agent<Grid>> = Box::new(unit);
    assert_eq!(boxed.position(), start);
    is_shareable(&boxed);
}

/// A map that lost its hierarchy is not a map without a path.
#[test]
fn without_its_hierarchy_an_agent_waits() {
    let mut map = layered(Grid::new(9, 9).unwrap());
    let [start, goal] = [(0, 0), (8, 8)].map(|(x, y)| map.node(Cell::new(x, y)).unwrap());
    for member in members().iter().filter(|member| member.facts().needs_hierarchy) {
        let mut agent = map.agent(member.as_ref(), start, goal).unwrap();
        let flat = Layered::flat(map.space().clone());
        let step = agent.tick(&flat, start, Seen::default(), &mut Slice::unlimited());
        assert_eq!(step, Step::Wait);
        let step = agent.tick(&map, start, Seen::default(), &mut Slice::unlimited());
        assert!(matches!(step, Step::Move(_)));
    }
    map.flatten();
    assert!(map.hierarchy().is_none());
}

/// Teleported agents, also onto blocked cells and outside the map.
#[test]
fn an_agent_can_be_put_anywhere() {
    let mut random = Random::new(4);
    for member in members() {
        let problem = problem(member.as_ref(), &mut random);
        let _context = OnPanic((&problem, &member));
        let map = &problem.space;
        let mut agent = map.agent(member.as_ref(), problem.start, problem.goal).unwrap();
        for _ in 0..60 {
            let at = NodeId(random.below(map.size() as u64 + 3) as u32);
            let step = agent.tick(map, at, Seen::default(), &mut Slice::new(20));
            if let Step::Move(to) = step {
                assert!(map.edge(at, to).is_some(), "an illegal step");
            }
        }
    }
}

/// That the goal cannot be reached from where an agent was says nothing about where it is now.
#[test]
fn an_agent_pushed_into_the_part_with_the_goal_arrives() {
    let map = layered(Grid::from_rows(["..#.."]).unwrap());
    let [start, near, goal] = [0, 3, 4].map(|x| map.node(Cell::new(x, 0)).unwrap());
    for member in members().iter().filter(|member| member.facts().complete) {
        for ticks in [1, 2, 30] {
            let _context = OnPanic((member, ticks));
            let mut agent = map.agent(member.as_ref(), start, goal).unwrap();
            let mut at = start;
            for _ in 0..ticks {
                let step = agent.tick(&map, at, Seen::default(), &mut Slice::new(10));
                at = if let Step::Move(to) = step { to } else { at };
            }
            at = near;
            let arrives = (0..50).any(|_| {
                let step = agent.tick(&map, at, Seen::default(), &mut Slice::new(10));
                at = if let Step::Move(to) = step { to } else { at };
                step == Step::Arrived
            });
            assert!(arrives, "it was pushed to the cell beside the goal");
        }
    }
}

/// A pool that comes late costs an agent what it has found, and no more.
#[test]
fn a_pool_can_be_given_at_any_time() {
    let map = layered(Grid::new(30, 30).unwrap());
    let [start, goal] = [(0, 0), (29, 20)].map(|(x, y)| map.node(Cell::new(x, y)).unwrap());
    macro_rules! check {
        ($agent:expr) => {
            for ticks in [0, 1, 3, 10, 25] {
                let (mut agent, pool, mut at) = ($agent.unwrap(), Pool::new(), start);
                for tick in 0..1000 {
                    if tick == ticks {
                        agent = agent.with_pool(&pool);
                    }
                    match agent.tick(&map, at, Seen::default(), &mut Slice::new(7)) {
                        Step::Move(to) => at = to,
                        Step::Wait => {}
                        Step::Arrived => break,
                        Step::Unreachable => panic!("there is a path"),
                    }
                }
                assert_eq!(at, goal);
            }
        };
    }
    check!(TimeBounded::new(&map, TimeBoundedConfig::default(), start, goal));
    check!(Pra::new(&map, PraConfig::default(), start, goal));
    check!(DStarLite::new(&map, DStarLiteConfig::default(), start, goal));
    check!(Local::new(&map, LocalConfig::default(), start, goal));
    check!(QuickPath::new(&map, start, goal));
    check!(PrLrta::new(&map, PrLrtaConfig::default(), start, goal));
    check!(DLrta::new(&map, DLrtaConfig::default(), start, goal));
}

/// A position outside the map is not a reason to walk forever.
#[test]
fn a_position_outside_the_map_leaves_no_trace() {
    let map = layered(Grid::from_rows(["...#.", "...#.", "...#."]).unwrap());
    let [start, goal] = [(0, 0), (4, 0)].map(|(x, y)| map.node(Cell::new(x, y)).unwrap());
    for member in members().iter().filter(|member| member.facts().complete) {
        let _context = OnPanic(member);
        let mut agent = map.agent(member.as_ref(), start, goal).unwrap();
        let mut at = start;
        let outside = agent.tick(&map, NodeId(u32::MAX), Seen::default(), &mut Slice::new(10));
        assert_eq!(outside, Step::Unreachable, "no step is possible from there");
        let gives_up = (0..20_000).any(|_| {
            let step = agent.tick(&map, at, Seen::default(), &mut Slice::new(10));
            at = if let Step::Move(to) = step { to } else { at };
            step == Step::Unreachable
        });
        assert!(gives_up);
    }
}

/// An agent at rest, or without a path, holds no memory of a search.
#[test]
fn an_idle_agent_returns_its_pages() {
    let open = layered(Grid::new(40, 40).unwrap());
    let mut wall = open.clone();
    wall.edit(&(0..40).map(|y| (Cell::new(20, y), false)).collect::<Vec<_>>()).unwrap();
    let [start, goal] = [(0, 0), (39, 20)].map(|(x, y)| open.node(Cell::new(x, y)).unwrap());
    for shortcut in [false, true] {
        for restart in [Restart::Stopped, Restart::Path, Restart::Lazy, Restart::Eager] {
            let config = TimeBoundedConfig { shortcut, restart, ..TimeBoundedConfig::default() };
            for map in [&open, &wall] {
                let pool = Pool::new();
                let agent = TimeBounded::new(map, config, start, goal).unwrap();
                let (mut agent, mut at) = (agent.with_pool(&pool), start);
                for _ in 0..2000 {
                    let step = agent.tick(map, at, Seen::default(), &mut Slice::new(10));
                    at = if let Step::Move(to) = step { to } else { at };
                }
                assert_eq!(pool.lent(), 0, "{config:?}");
                // Given a task at its own position, it returns what the task before has left.
                agent.assign(map, start, goal).unwrap();
                agent.tick(map, start, Seen::default(), &mut Slice::new(10));
                agent.assign(map, start, start).unwrap();
                agent.tick(map, start, Seen::default(), &mut Slice::new(10));
                assert_eq!((pool.lent(), agent.plan()), (0, Some(vec![start])), "{config:?}");
            }
        }
    }
}
