//! Agents on a changing map, with every change reported.

use crate::kit::{
    LayeredGrid, OnPanic, Oracle, Problem, Random, Tick, check_branch, check_estimates, configs,
    distance_on_empty_map, ratio, tick, too_many_ticks, walk, weighted,
};
use tickstar::agent::time_bounded::{Restart, Tracing};
use tickstar::catalog::{Entry, FirstMove, OnChange};
use tickstar::search::{BestFirst, Priority, SearchConfig, Status};
use tickstar::space::{Corners, Neighbors};
use tickstar::{
    Agent, Cell, Cost, Event, Graph, Grid, NodeId, Seen, Slice, Step, TimeBounded,
    TimeBoundedConfig,
};

/// Repeated TB-WA* as in the paper: tracing is free.
fn repeated(priority: Priority, reopen: bool, restart: Restart) -> TimeBoundedConfig {
    let search = SearchConfig { priority, reopen, ..SearchConfig::default() };
    TimeBoundedConfig { search, restart, tracing: Tracing::Free, ..TimeBoundedConfig::default() }
}

fn agent_of(problem: &Problem<LayeredGrid>, config: TimeBoundedConfig) -> TimeBounded {
    TimeBounded::new(&problem.space, config, problem.start, problem.goal).unwrap()
}

fn position(agent: &TimeBounded) -> NodeId {
    agent.position()
}

/// Blocks and opens about the given number of random cells, but none of these. Returns what changed.
fn edit(
    problem: &mut Problem<LayeredGrid>,
    random: &mut Random,
    (most, open_percent): (u64, u64),
    spared: &[NodeId],
) -> Vec<NodeId> {
    let grid = &mut problem.space;
    let mut changed = Vec::new();
    for _ in 0..=random.below(most) {
        let [x, y] = [grid.width(), grid.height()].map(|side| random.below(side.into()) as u32);
        let cell = Cell::new(x, y);
        let node = grid.node(cell).unwrap();
        let free = random.chance(open_percent);
        if !spared.contains(&node) && grid.set_free(cell, free).unwrap() {
            changed.push(node);
        }
    }
    problem.oracle.update(grid, &changed);
    changed
}

/// The route that an agent with free tracing intends to walk: back to the path it follows, and along it. Without
/// reopening, parents of closed nodes do not change, so the path is still that to its tip.
fn route(agent: &TimeBounded) -> Option<Vec<NodeId>> {
    let path = agent.search().path_to(agent.target()?)?;
    let mut route = vec![position(agent)];
    loop {
        let last = route[route.len() - 1];
        if let Some(junction) = path.iter().position(|&node| node == last) {
            route.extend_from_slice(&path[junction + 1..]);
            return Some(route);
        }
        route.push(agent.search().parent(last)?);
    }
}

/// A lower bound on the cost of a path over an edge that appeared when this cell was opened.
fn through(grid: &Grid, from: NodeId, opened: NodeId, to: NodeId) -> u64 {
    let h = |a, b| distance_on_empty_map(grid, a, b).0;
    let over = h(from, opened) + h(opened, to);
    if grid.neighbors() == Neighbors::Four || grid.corners() == Corners::Allowed {
        return over;
    }
    let Cell { x, y } = grid.cell(opened);
    let node = |(x, y): (u32, u32)| grid.node(Cell::new(x, y));
    let (left, right, up, down) =
        ((x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1));
    let mut least = over;
    for (a, b) in [(left, up), (up, right), (right, down), (down, left)] {
        if let (Some(a), Some(b)) = (node(a), node(b)) {
            for (a, b) in [(a, b), (b, a)] {
                least = least.min(h(from, a) + 5_326_856 + h(b, to));
            }
        }
    }
    least
}

/// A weight as numerator and denominator; none for a greedy search.
type Weight = Option<(u64, u64)>;

const WEIGHTS: [Weight; 4] = [Some((1, 1)), Some((7, 5)), Some((3, 1)), None];

fn priority(weight: Weight) -> Priority {
    weight.map_or(Priority::GREEDY, |(num, den)| weighted(num, den))
}

/// Whether algorithm 3 of the 2014 paper restarts the search. It checks the route as well as the path: only the part
/// ahead if the agent is on its path, and all of it otherwise.
fn lazy_restarts(
    agent: &TimeBounded,
    problem: &Problem<LayeredGrid>,
    changed: &[NodeId],
    weight: Weight,
) -> bool {
    let (grid, goal) = (&problem.space, problem.goal);
    let Some(route) = route(agent) else { return false };
    let gone = |edge: &[NodeId]| problem.oracle.edge(edge[0], edge[1]).is_none();
    let path = agent.search().path_to(route[route.len() - 1]).unwrap();
    let off_path = !path.contains(&route[0]);
    if route.windows(2).any(gone) || off_path && path.windows(2).any(gone) {
        return true;
    }
    let tip = route[route.len() - 1];
    let rest = (problem.oracle.path_cost(&route) + distance_on_empty_map(grid, tip, goal)).0;
    weight.is_some_and(|(num, den)| {
        let mut opened = changed.iter().filter(|&&node| grid.is_free(grid.cell(node)));
        opened.any(|&node| num * through(grid, route[0], node, goal) < den * rest)
    })
}

/// Predicts, from the search alone, a tick with free tracing that does not restart at once: the step, and whether the
/// search restarts after all.
fn foreseen(
    agent: &TimeBounded,
    problem: &Problem<LayeredGrid>,
    k: u64,
    opened_since: bool,
) -> (Step, bool) {
    let mut search = agent.search().clone();
    if opened_since {
        search.note_opening();
    }
    let at = position(agent);
    if search.cost_to(at).is_none() {
        search.add_root(&problem.space, at, Cost::ZERO); // as the first tick does
    }
    let status = search.run(&problem.space, &mut Slice::new(k));
    if status == Status::Exhausted {
        return if opened_since { (Step::Wait, true) } else { (Step::Unreachable, false) };
    }
    let path = search.path_to(search.best().unwrap()).unwrap();
    let gone = |edge: &[NodeId]| problem.oracle.edge(edge[0], edge[1]).is_none();
    let (ahead, next) = match path.iter().position(|&node| node == at) {
        Some(place) => (&path[place..], path[place + 1]),
        None => (&path[..], search.parent(at).unwrap()),
    };
    // The way back to the path, if the agent is off it; else only the agent's node.
    let mut back = vec![at];
    while !path.contains(&back[back.len() - 1]) {
        back.push(search.parent(back[back.len() - 1]).unwrap());
    }
    if ahead.windows(2).chain(back.windows(2)).any(gone) {
        return (Step::Wait, true);
    }
    (Step::Move(next), false)
}

fn any_problem(random: &mut Random, side: u64) -> Problem<LayeredGrid> {
    if random.chance(50) {
        let [width, height] = [(); 2].map(|()| 1 + random.below(side) as u32);
        Problem::random_of_size(random, width, height)
    } else {
        Problem::hard(random, side)
    }
}

/// How often and how a map changes.
#[derive(Clone, Copy, Debug)]
struct ChangeSchedule {
    often: u64,
    most: u64,
    open_percent: u64,
}

impl ChangeSchedule {
    fn random(random: &mut Random) -> ChangeSchedule {
        ChangeSchedule {
            often: random.pick(&[3, 10, 30, 70]),
            most: random.pick(&[1, 3, 8]),
            open_percent: random.pick(&[0, 20, 50, 80, 100]),
        }
    }

    /// Applies the changes before a tick, and returns them.
    fn apply(
        self,
        problem: &mut Problem<LayeredGrid>,
        random: &mut Random,
        at: NodeId,
    ) -> Vec<NodeId> {
        if !random.chance(self.often) {
            return Vec::new();
        }
        let spared = [at, problem.goal];
        edit(problem, random, (self.most, self.open_percent), &spared)
    }
}

/// Every tick with lazy restarts follows from the rule: the search restarts in the same tick in which an obstacle on
/// its route or a shorter path is reported; it restarts and waits when a path turns out to lead through an old wall;
/// and it restarts at no other time.
#[test]
fn lazy_restarts_follow_the_rule() {
    let mut random = Random::new(1);
    for weight in WEIGHTS {
        let config = repeated(priority(weight), false, Restart::Lazy);
        let (mut result, mut spared, mut at_last, mut ticks) = (0, 0, 0, 0);
        for k in [1, 2, 5, 20, 100].repeat(300) {
            let mut problem = any_problem(&mut random, 20);
            let mut agent = agent_of(&problem, config);
            let unrest = ChangeSchedule::random(&mut random);
            let mut opened_since = false;
            for _ in 0..60 {
                let at = position(&agent);
                let changed = unrest.apply(&mut problem, &mut random, at);
                let _context = OnPanic((problem.clone(), at, changed.clone(), k, weight));
                if at == problem.goal {
                    break;
                }
                let opened = |&node: &NodeId| problem.space.is_free(problem.space.cell(node));
                let opened = changed.iter().any(opened);
                let has_changes = !changed.is_empty();
                let found = agent.plan().is_some();
                let again = has_changes && lazy_restarts(&agent, &problem, &changed, weight);
                opened_since = !again && (opened_since || opened);
                let foreseen = foreseen(&agent, &problem, k, opened_since);
                let seen = Seen { changed: &changed };
                let tick = tick(&mut agent, &problem.space, seen, k, u64::MAX);
                if again {
                    assert!(tick.has(Event::Restart) && tick.step != Step::Wait, "{tick:?}");
                } else {
                    assert_eq!((tick.step, tick.has(Event::Restart)), foreseen);
                    assert!(!found || tick.expanded.is_empty());
                }
                result += usize::from(again);
                spared += usize::from(has_changes && !again);
                at_last += usize::from(tick.has(Event::Restart) && !again);
                ticks += 1;
                if tick.step == Step::Unreachable {
                    break;
                }
                opened_since &= !tick.has(Event::Restart);
            }
        }
        let counts = (result, spared, at_last, ticks);
        assert!(result > 100 && spared > 2000 && at_last > 50, "{weight:?}: {counts:?}");
    }
}

#[test]
fn eager_restarts_happen_at_every_change() {
    let mut random = Random::new(2);
    let (mut restarts, mut ticks) = (0, 0);
    for weight in WEIGHTS {
        for (reopen, tracing) in [(false, Tracing::Free), (true, Tracing::default())] {
            let config = repeated(priority(weight), reopen, Restart::Eager);
            let config = TimeBoundedConfig { tracing, ..config };
            for k in [2, 5, 20, 100].repeat(50) {
                let mut problem = any_problem(&mut random, 20);
                let mut agent = agent_of(&problem, config);
                let unrest = ChangeSchedule::random(&mut random);
                for _ in 0..60 {
                    let at = position(&agent);
                    let changed = unrest.apply(&mut problem, &mut random, at);
                    let _context = OnPanic((problem.clone(), changed.clone(), config, k));
                    let seen = Seen { changed: &changed };
                    let tick = tick(&mut agent, &problem.space, seen, k, u64::MAX);
                    if matches!(tick.step, Step::Arrived | Step::Unreachable) {
                        break;
                    }
                    assert_eq!(tick.has(Event::Restart), !changed.is_empty());
                    restarts += usize::from(tick.has(Event::Restart));
                    ticks += 1;
                }
            }
        }
    }
    assert!(restarts > 3000 && ticks > 3 * restarts);
}
/// A map with a pocket: the second row looks best, and ends at a wall. It has an exit to the first row. From the start,
/// below its left end, the lower row is slightly shorter than the upper one.
const POCKET: [&str; 5] = [
    ".....................",
    "############.#######.",
    "...............#####.",
    ".###################.",
    ".....................",
];

/// As above, but the lower row also ends at a wall, and the upper one can be entered at its left end.
const POCKETS: [&str; 5] = [
    ".....................",
    ".###########.#######.",
    "...............#####.",
    ".####################",
    ".....................",
];

fn pocket(rows: [&str; 5]) -> (Problem<LayeredGrid>, TimeBounded) {
    let grid = Grid::from_rows(rows).unwrap().with_neighbors(Neighbors::Four);
    let problem = Problem::on(&grid, (0, 3), (20, 2));
    let agent = agent_of(&problem, repeated(Priority::ASTAR, false, Restart::Lazy));
    (problem, agent)
}

fn block(problem: &mut Problem<LayeredGrid>, x: u32, y: u32) -> NodeId {
    let node = problem.space.node(Cell::new(x, y)).unwrap();
    assert!(problem.space.set_free(Cell::new(x, y), false).unwrap(), "it was free");
    problem.oracle.update(&problem.space, &[node]);
    node
}

/// One tick of two expansions, whose step must be an edge.
fn step(agent: &mut TimeBounded, problem: &Problem<LayeredGrid>, changed: &[NodeId]) -> Tick {
    let at = position(agent);
    let tick = tick(agent, &problem.space, Seen { changed }, 2, u64::MAX);
    if let Step::Move(to) = tick.step {
        problem.oracle.path_cost(&[at, to]);
    }
    tick
}

/// Ticks until the condition holds.
fn step_until(
    agent: &mut TimeBounded,
    problem: &Problem<LayeredGrid>,
    mut so: impl FnMut(&TimeBounded, &Tick) -> bool,
) -> Tick {
    for _ in 0..500 {
        let tick = step(agent, problem, &[]);
        if so(agent, &tick) {
            return tick;
        }
    }
    panic!("the condition never holds")
}

/// A wall across the way back, several steps ahead of an agent that walks it. The published rule checks only the path,
/// which lies elsewhere.
#[test]
fn a_wall_across_the_way_back_restarts_the_search_at_once() {
    let (mut problem, mut agent) = pocket(POCKET);
    step_until(&mut agent, &problem, |_, tick| tick.has(Event::Backtrack));
    let cell = problem.space.cell(position(&agent));
    assert_eq!((cell.x, cell.y), (6, 2));
    let wall = block(&mut problem, 2, 2);
    let path = agent.search().path_to(agent.target().unwrap()).unwrap();
    assert!(!path.contains(&wall), "not on the path");
    assert!(route(&agent).unwrap()[2..].contains(&wall), "but on the way to it");

    let result = step(&mut agent, &problem, &[wall]);
    assert!(result.has(Event::Restart) && matches!(result.step, Step::Move(_)), "{result:?}");
    step_until(&mut agent, &problem, |_, tick| tick.step == Step::Arrived);
}

/// The same on random maps, wherever an agent is about to walk back, for every weight and with bounded tracing too, as
/// long as its trace steps reach that far.
#[test]
fn walls_across_the_way_back_restart_every_search_at_once() {
    let mut random = Random::new(3);
    let mut walls = 0;
    let bounded = Tracing::Bounded { r: ratio(1, 2), c: ratio(10, 1) };
    for (weight, restart) in
        WEIGHTS.into_iter().flat_map(|w| [(w, Restart::Path), (w, Restart::Lazy)])
    {
        for tracing in [Tracing::Free, bounded] {
            let config = repeated(priority(weight), false, restart);
            let config = TimeBoundedConfig { tracing, ..config };
            for budget in [2, 4, 10].repeat(60) {
                let problem = any_problem(&mut random, 20);
                let mut agent = agent_of(&problem, config);
                for _ in 0..200 {
                    let done = tick(&mut agent, &problem.space, Seen::default(), budget, u64::MAX);
                    if matches!(done.step, Step::Arrived | Step::Unreachable) {
                        break;
                    }
                    let (reach, _) = tracing.split(budget);
                    let Some(path) = agent
                        .target()
                        .and_then(|tip| agent.search().path_to(tip))
                        .filter(|_| done.has(Event::Backtrack))
                    else {
                        continue;
                    };
                    let back = |&node: &NodeId| agent.search().parent(node);
                    let way = std::iter::successors(Some(position(&agent)), back);
                    let way: Vec<_> = way.take_while(|node| !path.contains(node)).collect();
                    let Some(&wall) = way.get(3).filter(|_| tracing == Tracing::Free || reach > 3)
                    else {
                        continue;
                    };
                    let mut problem = problem.clone();
                    let Cell { x, y } = problem.space.cell(wall);
                    block(&mut problem, x, y);
                    let _context = OnPanic((&problem, position(&agent), config, budget));
                    let seen = Seen { changed: &[wall] };
                    let result = tick(&mut agent.clone(), &problem.space, seen, budget, u64::MAX);
                    assert!(result.has(Event::Restart), "{result:?}");
                    walls += 1;
                }
            }
        }
    }
    assert!(walls > 500, "only {walls} walls");
}

/// A path that leads through a wall which was built when a different path was followed.
#[test]
fn an_old_wall_on_a_new_path_restarts_the_search() {
    let (mut problem, mut agent) = pocket(POCKETS);
    // It enters the pocket, finds it closed, and comes back to try the lower row.
    step_until(&mut agent, &problem, |_, tick| tick.has(Event::Backtrack));
    let start = problem.start;
    step_until(&mut agent, &problem, |agent, _| position(agent) == start);
    let wall = block(&mut problem, 8, 2);
    assert!(agent.search().is_closed(wall));
    let result = step(&mut agent, &problem, &[wall]);
    assert!(!result.has(Event::Restart), "the wall is not on the path");
    // When that is closed too, only the pocket's exit is left.
    loop {
        let mut search = agent.search().clone();
        search.run(&problem.space, &mut Slice::new(2));
        let path = search.path_to(search.best().unwrap()).unwrap();
        let tick = step(&mut agent, &problem, &[]);
        assert_eq!(tick.has(Event::Restart), path.contains(&wall));
        if tick.has(Event::Restart) {
            assert_eq!(tick.step, Step::Wait);
            break;
        }
    }
    step_until(&mut agent, &problem, |_, tick| tick.step == Step::Arrived);
}

/// For every blocked cell of a map and an agent at many places of its path: whether opening the cell justifies a new
/// search, on both sides of the inequality.
#[test]
fn an_opening_restarts_the_search_if_it_may_improve_the_path_by_more_than_the_weight() {
    let mut rows = vec!["................", "###############.", "................"];
    rows.extend(["################"; 12]);
    for corners in [Corners::Never, Corners::Allowed] {
        let grid = Grid::from_rows(&rows).unwrap().with_corners(corners);
        let problem = Problem::on(&grid, (0, 0), (2, 2));
        for weight in WEIGHTS {
            let mut agent = agent_of(&problem, repeated(priority(weight), false, Restart::Lazy));
            let (mut yes, mut no, mut past) = (0, 0, 0);
            for _ in 0..20 {
                tick(&mut agent, &problem.space, Seen::default(), 1000, u64::MAX);
                let path = route(&agent).unwrap();
                assert_eq!(path.last(), Some(&problem.goal));
                let rest = problem.oracle.path_cost(&path).0;
                for (x, y) in (0..15).flat_map(|y| (0..16).map(move |x| (x, y))) {
                    let cell = Cell::new(x, y);
                    let mut grid = grid.clone();
                    if !grid.set_free(cell, true).unwrap() {
                        continue;
                    }
                    let door = grid.node(cell).unwrap();
                    let _context = OnPanic((&grid, cell, path[0], weight));
                    let way = through(&grid, path[0], door, problem.goal);
                    let better = |way| weight.is_some_and(|(num, den)| num * way < den * rest);
                    let seen = Seen { changed: &[door] };
                    let result = tick(&mut agent.clone(), &grid, seen, 1000, u64::MAX);
                    assert_eq!(result.has(Event::Restart), better(way));
                    yes += usize::from(better(way));
                    no += usize::from(!better(way));
                    let [to, from] = [(path[0], door), (door, problem.goal)]
                        .map(|(a, b)| distance_on_empty_map(&grid, a, b).0);
                    past += usize::from(better(way) && !better(to + from));
                }
            }
            let _context = OnPanic((corners, weight, yes, no, past));
            assert!(no > 100 && (yes > 100 || weight.is_none()));
            assert_eq!(yes > 0, weight.is_some(), "a greedy search ignores openings");
            assert_eq!(past > 0, corners == Corners::Never && weight.is_some());
        }
    }
}

/// Only openings: a greedy search continues, unless it has run out of nodes.
#[test]
fn a_greedy_search_ignores_openings() {
    let mut random = Random::new(4);
    let config = repeated(Priority::GREEDY, false, Restart::Lazy);
    let mut openings = 0;
    for k in [1, 5, 20].repeat(200) {
        let mut problem = any_problem(&mut random, 20);
        let mut agent = agent_of(&problem, config);
        for _ in 0..40 {
            let spared = [problem.goal];
            let changed = edit(&mut problem, &mut random, (3, 100), &spared);
            let seen = Seen { changed: &changed };
            let tick = tick(&mut agent, &problem.space, seen, k, u64::MAX);
            if tick.step == Step::Arrived {
                break;
            }
            assert!(!tick.has(Event::Restart) || tick.step == Step::Wait);
            openings += changed.len();
        }
    }
    assert!(openings > 5000);
}

/// Lets an agent walk for a while on a changing map, and then until it arrives or gives up on the final map, with a
/// callback after each tick. Returns how often it restarted.
fn walk_during_changes<A: Agent<LayeredGrid> + ?Sized>(
    agent: &mut A,
    problem: &mut Problem<LayeredGrid>,
    random: &mut Random,
    (budget, ticks): (u64, usize),
    mut pause: impl FnMut(&A, &Problem<LayeredGrid>),
) -> usize {
    let unrest = ChangeSchedule::random(random);
    let (mut restarts, mut restarts_at_rest) = (0, 0);
    let limits = agent.limits(budget);
    for i in 0..ticks + too_many_ticks(problem.oracle.size(), budget) {
        let at = agent.position();
        let resting = i >= ticks || at == problem.goal;
        let changed = if resting { Vec::new() } else { unrest.apply(problem, random, at) };
        let _context = OnPanic((problem.clone(), at, changed.clone(), i));
        let seen = Seen { changed: &changed };
        let tick = tick(agent, &problem.space, seen, budget, u64::MAX);
        assert!(
            (tick.expanded.len() as u64) <= limits.expansions && tick.traces <= limits.traces,
            "{tick:?}"
        );
        restarts += usize::from(tick.has(Event::Restart));
        restarts_at_rest += usize::from(resting && tick.has(Event::Restart));
        pause(agent, problem);
        match tick.step {
            Step::Move(to) => {
                problem.oracle.path_cost(&[at, to]);
            }
            Step::Wait => {}
            Step::Arrived => assert_eq!(at, problem.goal),
            Step::Unreachable => assert_eq!(problem.oracle.distance(at, problem.goal), None),
        }
        // A search that started on the final map has no reason to restart.
        assert!(restarts_at_rest <= 1);
        if resting && matches!(tick.step, Step::Arrived | Step::Unreachable) {
            return restarts;
        }
    }
    panic!("it walks forever");
}

#[test]
fn agents_for_changing_maps_arrive_when_changes_end() {
    let mut random = Random::new(5);
    let (mut restarts, mut arrived, mut walks) = (0, 0, 0);
    for config in configs() {
        let Entry { facts, .. } = config.entry();
        if facts.on_change != OnChange::RestartWhenCut {
            continue;
        }
        // Algorithms that wait for a complete path have few settings.
        let repeat = if facts.first_move == FirstMove::AfterPath { 20 } else { 3 };
        for budget in [1, 2, 5, 10, 37, 100].repeat(repeat) {
            let mut problem = any_problem(&mut random, 16);
            let mut agent = config.agent(&problem.space, problem.start, problem.goal).unwrap();
            let _context = OnPanic((&config, budget));
            let ticks = random.below(100) as usize;
            let limits = (budget, ticks);
            restarts +=
                walk_during_changes(agent.as_mut(), &mut problem, &mut random, limits, |_, _| ());
            arrived += usize::from(agent.position() == problem.goal);
            walks += 1;
        }
    }
    let counts = (restarts, arrived, walks);
    assert!(restarts > 3000 && arrived > 1000 && walks - arrived > 300, "{counts:?}");
}

/// Also when cells are opened, after which the learned heuristic may be wrong.
#[test]
fn learned_heuristics_stay_consistent_during_changes() {
    let mut random = Random::new(6);
    let bounded = Tracing::Bounded { r: ratio(1, 2), c: ratio(1, 1) };
    for (num, den) in [(1, 1), (7, 5), (3, 1)] {
        let (mut restarts, mut raised) = (0, 0);
        for (reopen, tracing) in
            [Tracing::Free, bounded].into_iter().flat_map(|t| [(false, t), (true, t)])
        {
            for restart in [Restart::Path, Restart::Lazy, Restart::Eager] {
                let config = repeated(weighted(num, den), reopen, restart);
                let search = SearchConfig { learn: true, ..config.search };
                let config = TimeBoundedConfig { search, tracing, ..config };
                for budget in [2, 6, 20, 100].repeat(12) {
                    let mut problem = any_problem(&mut random, 14);
                    let mut agent = agent_of(&problem, config);
                    let _context = OnPanic((config, budget));
                    let limits = (budget, random.below(80) as usize);
                    restarts += walk_during_changes(
                        &mut agent,
                        &mut problem,
                        &mut random,
                        limits,
                        |agent, problem| {
                            let Problem { space, oracle, goal, .. } = problem;
                            let to_goal = oracle.distances(*goal);
                            raised += check_estimates(agent.search(), space, oracle, &to_goal);
                            check_branch(agent.search(), space, position(agent));
                        },
                    );
                }
            }
        }
        assert!(restarts > 300 && raised > 5000, "{num}/{den}: {restarts}, {raised}");
    }
}

/// Theorem 2 of the 2014 paper. It counts the goal's expansion, which is never done here: `N(w) − 1` is the number of
/// expansions of the plain search.
#[test]
fn the_walk_costs_at_most_the_bound_of_theorem_2() {
    let mut random = Random::new(7);
    let mut closest = 0.0_f64;
    for (num, den) in [(1, 1), (7, 5), (9, 5), (3, 1), (10, 1)] {
        for reopen in [false, true] {
            for k in [1, 2, 3, 7, 20, 100].repeat(60) {
                let problem = any_problem(&mut random, 24);
                let Some(optimum) = problem.optimum else { continue };
                let _context = OnPanic((&problem, num, den, reopen, k));
                let config = repeated(weighted(num, den), reopen, Restart::Stopped);
                let mut search = BestFirst::new(config.search);
                search.start(&problem.space, problem.start, problem.goal);
                let mut slice = Slice::unlimited();
                assert_eq!(search.run(&problem.space, &mut slice), Status::Reached);
                let before_goal = slice.expansions();
                let walk = walk(&mut agent_of(&problem, config), &problem, k);
                let nodes = (0..problem.oracle.size() as u32).map(NodeId);
                let edges = nodes.flat_map(|node| problem.oracle.edges_of(node));
                let max_edge = edges.map(|&(_, cost)| cost.0).max().unwrap_or(0);
                let bound = before_goal / k * max_edge * den + 2 * num * optimum.0;
                assert!(walk.cost.0 * den <= bound, "{:?}, {bound}", walk.cost);
                closest = closest.max((walk.cost.0 * den) as f64 / bound.max(1) as f64);
            }
        }
    }
    assert!(closest > 0.6, "the bound means little: {closest} of it was used");
}

/// What has happened to the map since a search started.
#[derive(Clone, Copy, Default, Debug)]
struct Since {
    anything: bool,
    /// A cell was opened while the search was in progress.
    opened_early: bool,
    /// A cell was opened, before or after the search found the goal.
    opened: bool,
}

/// Theorem 3 of the 2014 paper, for which it gives no proof: the path costs at most `w` times the optimum on the
/// current map. What holds, and is checked here:
/// * from the root, for a path found by a search during which nothing changed, or cells were only blocked;
/// * from the agent's position, for `w` = 1, if no cell was opened while the search was in progress: `g` is exact along
///   the path, and the rule for openings keeps it optimal, step by step;
/// * from the agent's position, for any `w` with reopening, if no cell was opened since the search started: each node
///   of an optimal path from a node `s` of the path is open with `g + w h` of at least the goal's, or closed and no
///   more expensive than over `s`.
///
/// The tests below show that neither condition can be omitted.
#[test]
fn the_followed_path_is_within_the_weight_of_the_optimum() {
    let mut random = Random::new(8);
    for restart in [Restart::Lazy, Restart::Eager] {
        for (num, den) in [(1, 1), (7, 5), (3, 1)] {
            let (mut whole, mut rests, mut rests_after_changes) = (0, 0, 0);
            for (reopen, k) in [false, true].into_iter().flat_map(|reopen| {
                [1, 2, 5, 20, 100].repeat(100).into_iter().map(move |k| (reopen, k))
            }) {
                let config = repeated(weighted(num, den), reopen, restart);
                let mut problem = any_problem(&mut random, 20);
                let mut agent = agent_of(&problem, config);
                let unrest = ChangeSchedule::random(&mut random);
                let mut since = Since::default();
                for _ in 0..60 {
                    let at = position(&agent);
                    let changed = unrest.apply(&mut problem, &mut random, at);
                    let found = agent.plan().is_some();
                    let seen = Seen { changed: &changed };
                    let tick = tick(&mut agent, &problem.space, seen, k, u64::MAX);
                    let _context = OnPanic((problem.clone(), at, config, k, since));
                    let opened = |&node: &NodeId| problem.space.is_free(problem.space.cell(node));
                    let opened = changed.iter().any(opened);
                    since.anything |= !changed.is_empty();
                    since.opened |= opened;
                    since.opened_early |= opened && !found;
                    if tick.has(Event::Restart) {
                        since = Since::default();
                    }
                    if matches!(tick.step, Step::Arrived | Step::Unreachable) {
                        break;
                    }
                    let Some(path) = agent.plan() else { continue };
                    let to_goal = problem.oracle.distances(problem.goal);
                    let check = |path: &[NodeId]| {
                        let cost = problem.oracle.path_cost(path);
                        let best = to_goal[path[0].index()].unwrap();
                        assert!(cost.0 * den <= best.0 * num, "{cost:?}, and at best {best:?}");
                    };
                    let here = path.iter().position(|&node| node == position(&agent));
                    if tick.has(Event::Found) && !since.opened && here == Some(1) {
                        check(&path); // all of it still exists
                        whole += 1;
                    }
                    let exact = (num, den) == (1, 1) && !since.opened_early;
                    if let Some(here) = here.filter(|_| exact || reopen && !since.opened) {
                        check(&path[here..]);
                        rests += 1;
                        rests_after_changes += usize::from(since.anything);
                    }
                }
            }
            let counts = (whole, rests, rests_after_changes);
            let _context = OnPanic((restart, num, den, counts));
            assert!(whole > 150 && rests > 2000);
            assert_eq!(rests_after_changes > 100, restart == Restart::Lazy);
        }
    }
}
/// Theorem 3 for `w` above 1, with a rule that considers an opening only when it is reported: a door opens where the
/// path will lead past, and does not justify a new search: here `w` times the path through it equals the rest of the
/// path. One step later, the rest has decreased by one, and `w` times the path through the door by `w`.
#[test]
fn an_ignored_opening_can_become_better_by_more_than_the_weight() {
    let wide = ["..............", "#############.", ".............."];
    for ((num, den), width) in [((7, 5), 6), ((3, 1), 10)] {
        for reopen in [false, true] {
            let grid = Grid::from_rows(wide.map(|row| &row[14 - width..])).unwrap();
            let mut problem = Problem::on(&grid.with_neighbors(Neighbors::Four), (0, 0), (4, 2));
            let mut agent = agent_of(&problem, repeated(weighted(num, den), reopen, Restart::Lazy));
            let mut go = |problem: &Problem<LayeredGrid>, changed: &[NodeId]| {
                let seen = Seen { changed };
                let tick = tick(&mut agent, &problem.space, seen, 1000, u64::MAX);
                assert!(!tick.has(Event::Restart) && tick.target == Some(problem.goal));
                let left = route(&agent).unwrap();
                let steps = |cost: Cost| cost.0 / Cost::STRAIGHT.0;
                let best = problem.oracle.distance(left[0], problem.goal).unwrap();
                (steps(problem.oracle.path_cost(&left)), steps(best))
            };
            let (left, _) = go(&problem, &[]);
            let door = problem.space.node(Cell::new(4, 1)).unwrap();
            problem.space.set_free(Cell::new(4, 1), true).unwrap();
            problem.oracle.update(&problem.space, &[door]);
            let way = 5; // from the agent, two cells from the door and one above
            assert_eq!(left * den, way * num, "exactly on the bound");
            assert_eq!(go(&problem, &[door]), (left - 1, way - 1));
            assert!((left - 1) * den > (way - 1) * num, "theorem 3 does not hold");
        }
    }
}

/// Theorem 3 for `w` = 1: a door opens next to a node that was expanded before, while the search is in progress.
/// Nothing better was known then, so the search continued; and it never expands that node again.
#[test]
fn an_opening_behind_the_search_can_be_missed() {
    let grid = Grid::from_rows([".#.", "..#", "...", "..."]).unwrap();
    let mut problem = Problem::on(&grid.with_neighbors(Neighbors::Four), (2, 3), (2, 0));
    let mut agent = agent_of(&problem, repeated(Priority::ASTAR, false, Restart::Lazy));
    for _ in 0..2 {
        step(&mut agent, &problem, &[]);
    }
    let [beside, door] =
        [(1, 1), (1, 0)].map(|(x, y)| problem.space.node(Cell::new(x, y)).unwrap());
    problem.space.set_free(Cell::new(1, 0), true).unwrap();
    problem.oracle.update(&problem.space, &[door]);
    assert!(agent.search().is_closed(beside));
    let result = step(&mut agent, &problem, &[door]);
    assert!(!result.has(Event::Restart));
    let found = step(&mut agent, &problem, &[]);
    assert!(found.has(Event::Found));
    let left = route(&agent).unwrap();
    let cost = problem.oracle.path_cost(&left);
    let best = problem.oracle.distance(left[0], problem.goal).unwrap();
    assert_eq!((cost, best), (Cost::of_steps(5, 0), Cost::of_steps(3, 0)));
}

/// Theorem 3 for `w` above 1 without reopening, even if nothing ever changes: the rest of a path need not satisfy the
/// bound of the whole. `P` is expanded at a high cost before the cheap path to it, over `Y` and `S`, is found, and
/// keeps its cost; so an expensive edge from `S` to the goal appears better than the path over `P`.
#[test]
fn without_reopening_the_rest_of_a_path_can_exceed_the_weight() {
    let [root, y, s, p, j, goal] = [0, 1, 2, 3, 4, 5].map(NodeId);
    let unit = Cost::STRAIGHT.0;
    let edges = [
        (root, y, 1),
        (root, p, 33),
        (y, s, 10),
        (s, p, 1),
        (p, j, 1),
        (j, goal, 2),
        (s, goal, 29),
    ]
    .map(|(a, b, cost)| (a, b, Cost(cost * unit)));
    let positions = [(-1, 0), (0, 0), (10, 0), (11, 0), (10, 0), (12, 0)];
    let graph = Graph::undirected(6, edges).unwrap().with_positions(positions.to_vec()).unwrap();
    let oracle = Oracle::of_edges(6, &edges, false);
    for reopen in [false, true] {
        let config = repeated(weighted(3, 1), reopen, Restart::Eager);
        let mut agent = TimeBounded::new(&graph, config, root, goal).unwrap();
        let mut worse = 0;
        for _ in 0..10 {
            let tick = tick(&mut agent, &graph, Seen::default(), 1000, u64::MAX);
            let at = agent.position();
            let path = agent.plan().unwrap();
            let here = path.iter().position(|&node| node == at).expect("it is on its path");
            let [whole, rest] = [&path[..], &path[here..]].map(|path| oracle.path_cost(path).0);
            let [best, best_here] = [root, at].map(|node| oracle.distance(node, goal).unwrap().0);
            assert!(whole <= 3 * best);
            worse += usize::from(rest > 3 * best_here);
            if tick.step == Step::Arrived {
                break;
            }
        }
        assert_eq!(worse > 0, !reopen);
    }
}

/// However many changes are reported, a tick does no more trace steps than allowed.
#[test]
fn thousands_of_changes_cost_no_trace_steps_beyond_the_limit() {
    let mut random = Random::new(9);
    let (mut ticks, mut most, mut backtracks) = (0, 0, 0);
    for restart in [Restart::Path, Restart::Lazy, Restart::Eager] {
        for (r, c) in [((1, 2), (1, 1)), ((9, 10), (10, 1)), ((1, 10), (1, 2))] {
            let tracing = Tracing::Bounded { r: ratio(r.0, r.1), c: ratio(c.0, c.1) };
            for (shortcut, budget) in [(false, 10), (true, 10), (true, 60)] {
                let config = repeated(weighted(7, 5), false, restart);
                let config = TimeBoundedConfig { tracing, shortcut, switch: shortcut, ..config };
                let grid = Grid::new(100, 100).unwrap();
                let mut problem = Problem::on(&grid, (3, 50), (97, 50));
                // A pocket open to the west, so that the agent walks back a lot.
                for (x, y) in
                    (20..80).map(|y| (90, y)).chain((30..90).flat_map(|x| [(x, 20), (x, 79)]))
                {
                    block(&mut problem, x, y);
                }
                let mut agent = agent_of(&problem, config);
                let limits = agent.limits(budget);
                for i in 0..120 {
                    let at = position(&agent);
                    let found = agent.plan().is_some();
                    // Sometimes nearly all of the reported cells have not changed.
                    let mut changed = Vec::new();
                    if i % 3 == 2 {
                        let spared = [at, problem.goal];
                        changed = edit(&mut problem, &mut random, (40, 50), &spared);
                        let cells = (0..4000).map(|_| random.below(100 * 100) as u32);
                        let node = |n| problem.space.node(Cell::new(n % 100, n / 100)).unwrap();
                        changed.extend(cells.map(node));
                    }
                    let _context = OnPanic((problem.space.cell(at), config, budget, i));
                    let seen = Seen { changed: &changed };
                    let tick = tick(&mut agent, &problem.space, seen, budget, u64::MAX);
                    let (expansions, traces) = tracing.split(budget);
                    assert!(
                        tick.expanded.len() as u64 <= expansions.min(limits.expansions),
                        "{tick:?}"
                    );
                    let traces = if found { limits.traces } else { traces };
                    assert!(tick.traces <= traces, "{tick:?}, and {traces} are allowed");
                    if let Step::Move(to) = tick.step {
                        problem.oracle.path_cost(&[at, to]);
                    }
                    ticks += usize::from(!changed.is_empty());
                    most += usize::from(!changed.is_empty() && tick.traces == traces);
                    backtracks += usize::from(tick.has(Event::Backtrack));
                    if matches!(tick.step, Step::Arrived | Step::Unreachable) {
                        break;
                    }
                }
            }
        }
    }
    assert!(ticks > 500 && most > 50 && backtracks > 100, "{ticks} {most} {backtracks}");
}

/// An existing path must not be lost because another one has opened.
///
/// The agent comes down the left side and is next to its goal when the cell in the middle opens. That does not justify
/// a new search, and the search continues: it expands the agent's cell, the corner. From there one straight step leads
/// to the goal. But now a diagonal leads to it from the corner's parent as well, and `Skip::Seen` assumes that the
/// expansion of the parent has covered it; the parent was expanded when the diagonal was blocked.
#[test]
fn an_opening_does_not_hide_other_paths() {
    let grid = Grid::from_rows(["...", ".#.", "..."]).unwrap();
    let mut problem = Problem::on(&grid, (0, 0), (1, 2));
    let mut agent = agent_of(&problem, repeated(Priority::ASTAR, false, Restart::Lazy));
    let mut go = |problem: &Problem<LayeredGrid>, changed: &[NodeId]| {
        tick(&mut agent, &problem.space, Seen { changed }, 1, u64::MAX).step
    };
    let node = |x, y| grid.node(Cell::new(x, y)).unwrap();
    assert_eq!(go(&problem, &[]), Step::Move(node(0, 1)));
    assert_eq!(go(&problem, &[]), Step::Move(node(0, 2)));
    problem.space.set_free(Cell::new(1, 1), true).unwrap();
    assert_eq!(go(&problem, &[node(1, 1)]), Step::Move(problem.goal));
}

/// A wall behind the agent is irrelevant until the search turns to another branch. From that tick on it blocks the way
/// back, and the agent must react.
#[test]
fn an_old_wall_across_a_new_way_back_restarts_the_search() {
    let (mut problem, mut agent) = pocket(POCKET);
    let inside = problem.space.node(Cell::new(6, 2)).unwrap();
    step_until(&mut agent, &problem, |agent, _| position(agent) == inside);
    let wall = block(&mut problem, 2, 2);
    let result = step(&mut agent, &problem, &[wall]);
    assert!(!result.has(Event::Restart), "the wall is behind the agent");
    let turned = step_until(&mut agent, &problem, |_, tick| {
        tick.has(Event::Restart) || tick.has(Event::Backtrack)
    });
    assert!(turned.has(Event::Restart), "it turned back toward a wall that was reported");
}

/// An agent at its goal may be sent back, and then needs to know which cells were opened.
#[test]
fn an_opening_reported_at_the_goal_is_processed() {
    let rows = [".....", ".###.", "...#.", ".###.", "....."];
    let grid = Grid::from_rows(rows).unwrap().with_neighbors(Neighbors::Four);
    let mut problem = Problem::on(&grid, (2, 2), (4, 2));
    let config = repeated(Priority::ASTAR, false, Restart::Path);
    let search = SearchConfig { learn: true, ..config.search };
    let mut agent = agent_of(&problem, TimeBoundedConfig { search, ..config });
    // A second walk, so that the first one has updated the heuristic.
    for _ in 0..2 {
        assert!(walk(&mut agent, &problem, 100).arrived());
        agent.restart(&problem.space, problem.start).unwrap();
    }
    assert!(walk(&mut agent, &problem, 100).arrived());
    let door = problem.space.node(Cell::new(3, 2)).unwrap();
    problem.space.set_free(Cell::new(3, 2), true).unwrap();
    problem.oracle.update(&problem.space, &[door]);
    let seen = Seen { changed: &[door] };
    assert_eq!(tick(&mut agent, &problem.space, seen, 100, u64::MAX).step, Step::Arrived);
    agent.restart(&problem.space, problem.start).unwrap();
    let to_goal = problem.oracle.distances(problem.goal);
    check_estimates(agent.search(), &problem.space, &problem.oracle, &to_goal);
}
