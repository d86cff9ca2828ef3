//! What the driver of all agents takes care of: refused steps, displaced agents, and budgets in one currency.

use tickstar::{Cell, Grid, Layered, NodeId, Seen, Slice, Space, Step};
use tickstar::{TimeBounded, TimeBoundedConfig};

use crate::kit::{
    LayeredGrid, Member, OnPanic, Problem, Random, Terrain, TickLimit, is_slow, members,
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
    let boxed: Box<dyn tickstar::Agent<Grid>> = Box::new(unit);
    assert_eq!(boxed.position(), start);
    is_shareable(&boxed);
}

/// A map that lost its hierarchy is not a map without a path.
#[test]
fn without_its_hierarchy_an_agent_waits() {
    let mut map = Layered::new(Grid::new(9, 9).unwrap()).unwrap();
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
