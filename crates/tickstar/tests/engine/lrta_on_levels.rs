//! The two algorithms that run LRTA* with the help of a map's hierarchy: PR LRTA* on one of its levels, and D LRTA*
//! from subgoal to subgoal.

use crate::kit::{Kind, LayeredGraph, LayeredGrid, OnPanic, Oracle, Problem, Random, World, ratio};
use tickstar::agent::d_lrta::{DLrta, DLrtaConfig, Subgoals};
use tickstar::agent::pr_lrta::{PrLrta, PrLrtaConfig};
use tickstar::budget::Work;
use tickstar::catalog;
use tickstar::search::Ratio;
use tickstar::{
    Agent, AgentError, Cell, Cost, Event, Grid, Layered, Map, NodeId, Seen, Slice, Space, Step,
};

/// What an agent did in one tick.
struct Tick {
    step: Step,
    expansions: u64,
    /// The levels on which it expanded nodes.
    levels: Vec<usize>,
    events: Vec<Event>,
}

/// One tick, of which only the given number of units of work are allowed. It must respect its limits.
fn tick<S: Map>(
    agent: &mut dyn Agent<S>,
    space: &S,
    seen: Seen<'_>,
    budget: u64,
    mut patience: u64,
) -> Tick {
    let mut levels = Vec::new();
    let mut watch = |work| {
        match work {
            Work::Expand { level: 0, node } => assert!(node.index() < space.size()),
            Work::Expand { level, .. } if level > 0 && !levels.contains(&level) => {
                levels.push(level);
            }
            _ => {}
        }
        let allowed = patience > 0;
        patience = patience.saturating_sub(1);
        allowed
    };
    let mut slice = Slice::watched(budget, &mut watch);
    let from = agent.position();
    let step = agent.tick(space, agent.position(), seen, &mut slice);
    let limits = agent.limits(budget);
    assert!(slice.expansions() <= limits.expansions && limits.expansions <= budget);
    assert!(slice.traces() <= limits.traces && slice.updates() <= limits.updates);
    let (expansions, events) = (slice.expansions(), slice.events().collect());
    assert_eq!(agent.position(), if let Step::Move(to) = step { to } else { from });
    Tick { step, expansions, levels, events }
}

/// A whole walk.
struct Walk {
    moves: Vec<NodeId>,
    cost: Cost,
    last: Step,
    ticks: usize,
    expansions: u64,
}

/// No walk on the small maps of these tests takes this many ticks.
const TOO_MANY: usize = 3_000_000;

/// Lets an agent walk until it arrives or gives up. Every step must be an edge.
fn walk<S: Map>(
    agent: &mut dyn Agent<S>,
    problem: &Problem<S>,
    budget: u64,
    mut patience: impl FnMut() -> u64,
) -> Walk {
    let mut walk =
        Walk { moves: Vec::new(), cost: Cost::ZERO, last: Step::Wait, ticks: 0, expansions: 0 };
    loop {
        let from = agent.position();
        let tick = tick(agent, &problem.space, Seen::default(), budget, patience());
        (walk.last, walk.ticks) = (tick.step, walk.ticks + 1);
        walk.expansions += tick.expansions;
        assert!(walk.ticks < TOO_MANY, "the agent walks forever");
        match tick.step {
            Step::Move(to) => {
                walk.cost = walk.cost + problem.oracle.path_cost(&[from, to]);
                walk.moves.push(to);
            }
            Step::Wait => {}
            Step::Arrived | Step::Unreachable => return walk,
        }
    }
}

/// Either of the two, with random parameters.
#[derive(Clone, Copy, Debug)]
enum Which {
    Pr(PrLrtaConfig),
    D(DLrtaConfig),
}

impl Which {
    fn random(random: &mut Random) -> Which {
        let (level, depth) = (1 + random.below(6) as u32, random.pick(&[1, 1, 2, 3, 5]));
        if random.chance(50) {
            let gamma = random.pick(&[Ratio::ONE, ratio(3, 5), ratio(1, 5), ratio(99, 100)]);
            let (wide, open) = (random.chance(30), PrLrtaConfig::default().open);
            Which::Pr(PrLrtaConfig { level, depth, gamma, wide, open })
        } else {
            let (level, crossings) = (1 + level % 4, random.below(4) as u32);
            Which::D(DLrtaConfig { level, depth, crossings })
        }
    }

    fn agent<S: Map>(self, space: &S, start: NodeId, goal: NodeId) -> Box<dyn Agent<S>> {
        match self {
            Which::Pr(config) => Box::new(PrLrta::new(space, config, start, goal).unwrap()),
            Which::D(config) => Box::new(DLrta::new(space, config, start, goal).unwrap()),
        }
    }

    fn level(self) -> usize {
        match self {
            Which::Pr(config) => config.level as usize,
            Which::D(config) => config.level as usize,
        }
    }
}

/// Often gives a map the tables that D LRTA* needs; sometimes those of a different level, or of a different map.
fn prepare(problem: &mut Problem<LayeredGrid>, which: Which, random: &mut Random) {
    let grid = &mut problem.space;
    if let Which::D(_) = which {
        let level = if random.chance(10) { 2 } else { which.level() };
        let tables = if random.chance(20) {
            let other = Problem::random_of_size(random, grid.width(), grid.height()).space;
            Subgoals::build(&other, other.hierarchy().unwrap(), level)
        } else {
            Subgoals::build(grid, grid.hierarchy().unwrap(), level)
        };
        if random.chance(80) {
            grid.set_subgoals(tables);
        }
    }
}

/// Checks that a walk ended as it must. Returns whether it arrived.
fn check_end<S>(problem: &Problem<S>, walk: &Walk) -> bool {
    let Some(optimum) = problem.optimum else {
        assert_eq!(walk.last, Step::Unreachable);
        assert_eq!((walk.ticks, walk.expansions), (1, 0), "detected immediately");
        return false;
    };
    assert_eq!(walk.last, Step::Arrived);
    assert!(walk.cost >= optimum);
    true
}

#[test]
fn they_arrive_if_and_only_if_a_path_exists() {
    let mut random = Random::new(1);
    let mut ends = [0; 2];
    for case in 0..1200 {
        let mut problem = if random.chance(50) {
            Problem::<LayeredGrid>::random(&mut random)
        } else {
            Problem::hard(&mut random, 24)
        };
        let which = Which::random(&mut random);
        let budget = random.pick(&[1, 1, 2, 7, 50, u64::MAX]);
        let _context = OnPanic((case, which, budget, problem.clone()));
        prepare(&mut problem, which, &mut random);
        let mut agent = which.agent(&problem.space, problem.start, problem.goal);
        let walk = walk(&mut *agent, &problem, budget, || u64::MAX);
        ends[usize::from(check_end(&problem, &walk))] += 1;
    }
    assert!(ends[0] > 100 && ends[1] > 600, "{ends:?}");
}

#[test]
fn they_arrive_on_graphs_if_and_only_if_a_path_exists() {
    let mut random = Random::new(2);
    let mut ends = [0; 2];
    for case in 0..600 {
        let kind = random.pick(&[Kind::Undirected, Kind::Positioned]);
        let mut problem = Problem::<LayeredGraph>::random(&mut random, kind);
        let which = Which::random(&mut random);
        let budget = random.pick(&[1, 2, 7, u64::MAX]);
        let _context = OnPanic((case, which, budget, problem.clone()));
        if random.chance(70) {
            let graph = &mut problem.space;
            let tables = Subgoals::build(graph, graph.hierarchy().unwrap(), which.level());
            graph.set_subgoals(tables);
        }
        let mut agent = which.agent(&problem.space, problem.start, problem.goal);
        let walk = walk(&mut *agent, &problem, budget, || u64::MAX);
        ends[usize::from(check_end(&problem, &walk))] += 1;
    }
    assert!(ends[0] > 100 && ends[1] > 200, "{ends:?}");
}

#[test]
fn the_walk_does_not_depend_on_the_budget() {
    let mut random = Random::new(3);
    let mut waited = 0;
    for case in 0..250 {
        let mut problem = Problem::hard(&mut random, 24);
        let which = Which::random(&mut random);
        let _context = OnPanic((case, which, problem.clone()));
        prepare(&mut problem, which, &mut random);
        let mut agent = which.agent(&problem.space, problem.start, problem.goal);
        let whole = walk(&mut *agent, &problem, u64::MAX, || u64::MAX);
        if problem.optimum.is_some() {
            assert_eq!(whole.ticks, whole.moves.len() + 1, "it never waits unnecessarily");
        }
        for budget in [1, 3, 20] {
            // The same agent with the task assigned again behaves like a new one.
            agent.assign(&problem.space, problem.start, problem.goal).unwrap();
            let sliced = walk(&mut *agent, &problem, budget, || u64::MAX);
            assert_eq!(sliced.moves, whole.moves, "with a budget of {budget}");
            assert_eq!(sliced.expansions, whole.expansions);
            waited += sliced.ticks - whole.ticks;
        }
        let mut agent = which.agent(&problem.space, problem.start, problem.goal);
        let cut = walk(&mut *agent, &problem, 5, || random.below(6));
        assert_eq!(cut.moves, whole.moves, "with ticks that are cut short");
    }
    assert!(waited > 10_000, "{waited}");
}

#[test]
fn a_map_without_a_hierarchy_is_rejected() {
    let grid = Grid::new(5, 5).unwrap();
    let [start, goal] = [(0, 0), (4, 4)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
    for name in ["pr-lrta", "d-lrta"] {
        let config = catalog::find(name).unwrap().configure::<&str, &str>(&[]).unwrap();
        let refused = config.agent(&grid, start, goal).err();
        assert_eq!(refused, Some(AgentError::NeedsHierarchy));
        assert!(config.entry().title.ends_with("our reconstruction"));
        let grid = Layered::new(grid.clone()).unwrap();
        let mut agent = config.agent(&grid, start, goal).unwrap();
        let mut steps =
            (0..).map(|_| agent.tick(&grid, agent.position(), Seen::default(), &mut Slice::new(9)));
        assert!(steps.by_ref().take(1000).any(|step| step == Step::Arrived));
    }
}

#[test]
fn the_learned_heuristic_of_pr_lrta_stays_within_its_bound() {
    let mut random = Random::new(4);
    let (mut raised, mut above) = (0, 0);
    for case in 0..120 {
        let problem = Problem::hard(&mut random, 40);
        let gamma = random.pick(&[Ratio::ONE, ratio(3, 5), ratio(1, 5)]);
        let (level, depth) = (1 + random.below(3) as u32, 1 + random.below(3) as u32);
        let config = PrLrtaConfig { level, depth, gamma, ..PrLrtaConfig::default() };
        let budget = random.pick(&[3, u64::MAX]);
        let _context = OnPanic((case, config, budget, problem.clone()));
        if problem.optimum.is_none_or(|optimum| optimum == Cost::ZERO) {
            continue;
        }
        let grid = &problem.space;
        let hierarchy = grid.hierarchy().unwrap();
        let mut agent = PrLrta::new(grid, config, problem.start, problem.goal).unwrap();
        let used = hierarchy.root(problem.goal).0.min(level as usize);
        let on_level = Oracle::in_visit_order(&hierarchy.level(used));
        let there = hierarchy.ancestor(problem.goal, used).unwrap();
        let distances = on_level.distances(there);
        let nodes: Vec<_> = (0..on_level.size() as u32).map(NodeId).collect();
        let mut before: Vec<Cost> = Vec::new();
        loop {
            let tick = tick(&mut agent, grid, Seen::default(), budget, u64::MAX);
            if tick.step == Step::Arrived {
                break;
            }
            if agent.level() == 0 {
                continue; // no plan yet
            }
            assert_eq!(agent.level(), used);
            assert!(tick.levels.iter().all(|&level| level == used));
            let after: Vec<_> = nodes.iter().map(|&node| agent.estimate(grid, node)).collect();
            for (i, (&now, distance)) in after.iter().zip(&distances).enumerate() {
                let was = before.get(i).copied().unwrap_or_default();
                assert!(now >= was, "n{i}: {now:?} after {was:?}");
                // In costs times γ, with the denominator on both sides.
                let most = distance.map_or(u64::MAX, |d| d.0 * u64::from(gamma.den()));
                assert!(now.0 <= most, "n{i}: {now:?} exceeds {most}");
                above += usize::from(now.0 > distance.map_or(0, |d| d.0 * u64::from(gamma.num())));
                raised += usize::from(before.get(i).is_some_and(|&was| now > was));
            }
            assert_eq!(after[there.index()], Cost::ZERO);
            before = after;
        }
    }
    assert!(raised > 300 && above > 0, "{raised} raised, {above} above the distance");
}

#[test]
fn pr_lrta_chooses_as_lrta_does_with_weighted_costs() {
    let mut random = Random::new(12);
    let (mut steps, mut updates) = (0, 0);
    for case in 0..150 {
        let problem = Problem::hard(&mut random, 40);
        let gamma = random.pick(&[Ratio::ONE, ratio(3, 5), ratio(1, 5), ratio(1, 100)]);
        let level = 1 + random.below(3) as u32;
        let config = PrLrtaConfig { level, depth: 1, gamma, ..PrLrtaConfig::default() };
        let _context = OnPanic((case, config, problem.clone()));
        let (grid, hierarchy) = (&problem.space, problem.space.hierarchy().unwrap());
        let used = hierarchy.root(problem.goal).0.min(level as usize);
        let over = |cell: NodeId| hierarchy.ancestor(cell, used).unwrap();
        let (space, there) = (hierarchy.level(used), over(problem.goal));
        let (num, den) = (u64::from(gamma.num()), u64::from(gamma.den()));
        let edges = Oracle::in_visit_order(&space);
        let mut h: Vec<_> = (0..edges.size() as u32)
            .map(|node| den * space.estimate(NodeId(node), there).0)
            .collect();
        let mut agent = PrLrta::new(grid, config, problem.start, problem.goal).unwrap();
        loop {
            let from = agent.position();
            let tick = tick(&mut agent, grid, Seen::default(), 30, u64::MAX);
            if matches!(tick.step, Step::Arrived | Step::Unreachable) {
                break;
            }
            if !tick.events.contains(&Event::Refined) || over(from) == there {
                continue;
            }
            // Ties: the goal, then the more expensive step, then the last.
            let ways = edges.edges_of(over(from)).iter().rev();
            let best = ways.min_by_key(|&&(to, cost)| {
                (num * cost.0 + h[to.index()], to != there, u64::MAX - cost.0)
            });
            let &(to, cost) = best.expect("an edge from here");
            assert_eq!(over(agent.target().unwrap()), to);
            let value = num * cost.0 + h[to.index()];
            updates += usize::from(value > h[over(from).index()]);
            h[over(from).index()] = h[over(from).index()].max(value);
            assert_eq!(agent.estimate(grid, over(from)).0, h[over(from).index()]);
            steps += 1;
        }
    }
    assert!(steps > 2000 && updates > 500, "{steps} {updates}");
}

#[test]
fn a_level_may_grow_while_pr_lrta_looks_ahead_on_it() {
    let mut grid = Grid::new(96, 96).unwrap();
    let walls = grid.free_cells().filter(|cell| cell.y % 4 != 0 && cell.x != 0);
    let walls: Vec<_> = walls.collect();
    grid.edit(&walls.iter().map(|&cell| (cell, false)).collect::<Vec<_>>()).unwrap();
    let mut grid = Layered::new(grid).unwrap();
    let size = |grid: &LayeredGrid| grid.hierarchy().unwrap().level(1).size();
    let before = size(&grid);
    let [start, goal] = [(92, 92), (8, 8)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
    let config = PrLrtaConfig { level: 1, depth: 30, ..PrLrtaConfig::default() };
    let mut agent = PrLrta::new(&grid, config, start, goal).unwrap();
    tick(&mut agent, &grid, Seen::default(), 5, u64::MAX);
    // All walls disappear at once, without being reported: the level now has nodes for which the agent's tables have no
    // room.
    grid.edit(&walls.iter().map(|&cell| (cell, true)).collect::<Vec<_>>()).unwrap();
    assert!(size(&grid) / 1024 > before / 1024, "{before} nodes, and now {}", size(&grid));
    let mut steps = (0..TOO_MANY).map(|_| tick(&mut agent, &grid, Seen::default(), 90, u64::MAX));
    assert!(steps.any(|tick| tick.step == Step::Arrived));
}

#[test]
fn pr_lrta_refines_a_step_of_the_level() {
    let mut random = Random::new(5);
    let (mut steps, mut ends) = (0, 0);
    for case in 0..150 {
        let problem = Problem::hard(&mut random, 40);
        let level = 1 + random.below(4) as usize;
        let wide = random.chance(30);
        let config = PrLrtaConfig { level: level as u32, wide, ..PrLrtaConfig::default() };
        let _context = OnPanic((case, config, problem.clone()));
        let (grid, hierarchy) = (&problem.space, problem.space.hierarchy().unwrap());
        let level = hierarchy.root(problem.goal).0.min(level);
        let over = |cell: NodeId| hierarchy.ancestor(cell, level).unwrap();
        let mut agent = PrLrta::new(grid, config, problem.start, problem.goal).unwrap();
        loop {
            let from = agent.position();
            let tick = tick(&mut agent, grid, Seen::default(), 12, u64::MAX);
            if matches!(tick.step, Step::Arrived | Step::Unreachable) {
                break;
            }
            if !tick.events.contains(&Event::Refined) {
                continue;
            }
            let path = agent.plan().expect("a refined path");
            problem.oracle.path_cost(&path);
            let (first, last) = (path[0], path[path.len() - 1]);
            assert_eq!((first, agent.target()), (from, Some(last)));
            let beside = |cell: &NodeId| {
                let node = over(*cell);
                let near = [over(first), over(last)].map(|end| hierarchy.linked(level, node, end));
                node == over(first) || node == over(last) || near.contains(&true)
            };
            assert_eq!(tick.events.contains(&Event::Found), last == problem.goal);
            if over(first) == over(problem.goal) {
                assert_eq!(last, problem.goal);
                assert!(path.iter().all(beside));
                ends += 1;
                continue;
            }
            assert!(hierarchy.linked(level, over(first), over(last)), "one step of the level");
            let inside = path.iter().filter(|&&cell| over(cell) == over(last)).count();
            assert_eq!(inside, 1, "it ends where it enters the region");
            let outside = path[..path.len() - 1].iter().all(|&cell| over(cell) == over(first));
            assert!(outside || wide && path.iter().all(beside));
            steps += 1;
        }
    }
    assert!(steps > 500 && ends > 80, "{steps} {ends}");
}

/// A map for walks: rooms with doors.
fn rooms(side: u32) -> LayeredGrid {
    let mut grid = Grid::new(side, side).unwrap();
    for (x, y) in (0..side).flat_map(|y| (0..side).map(move |x| (x, y))) {
        let wall = x % 12 == 11 && (y + 5 * (x / 12)) % 12 > 1
            || y % 12 == 11 && (x + 3 * (y / 12)) % 12 > 1;
        grid.set_free(Cell::new(x, y), !wall).unwrap();
    }
    Layered::new(grid).unwrap()
}

#[test]
fn d_lrta_with_tables_walks_near_optimally_with_few_expansions() {
    let mut random = Random::new(6);
    let bare = rooms(72);
    let mut grid = bare.clone();
    let tables = Subgoals::build(&grid, grid.hierarchy().unwrap(), 3);
    grid.set_subgoals(tables);
    let free: Vec<_> = grid.free_cells().collect();
    let (mut costs, mut thoughts, mut moves) = ([0.0; 2], 0, 0);
    for _ in 0..40 {
        let [start, goal] = [(); 2].map(|()| random.pick(&free)).map(|cell| (cell.x, cell.y));
        for (i, map) in [&grid, &bare].into_iter().enumerate() {
            let problem = Problem { space: map.clone(), ..Problem::on(map, start, goal) };
            let optimum = problem.optimum.unwrap();
            let config = DLrtaConfig::default();
            let mut agent = DLrta::new(map, config, problem.start, problem.goal).unwrap();
            let walk = walk(&mut agent, &problem, u64::MAX, || u64::MAX);
            assert_eq!(walk.last, Step::Arrived);
            costs[i] += walk.cost.0 as f64 / optimum.0.max(1) as f64;
            if i == 0 {
                (thoughts, moves) = (thoughts + walk.expansions, moves + walk.moves.len());
            }
        }
    }
    let [with, without] = costs.map(|cost| cost / 40.0);
    assert!(with < 1.15, "{with} times the optimum");
    assert!(without > 1.3 * with, "{without} without tables, {with} with them");
    let each = thoughts as f64 / moves as f64;
    assert!(each < 12.0, "{each} expansions per move");
}

#[test]
fn d_lrta_walks_to_its_subgoals_in_turn() {
    let mut grid = rooms(60);
    let tables = Subgoals::build(&grid, grid.hierarchy().unwrap(), 3);
    grid.set_subgoals(tables.clone());
    let problem = Problem::on(&grid, (0, 0), (58, 58));
    let hierarchy = grid.hierarchy().unwrap();
    let over = |cell| hierarchy.ancestor(cell, 3).unwrap();
    let there = over(problem.goal);
    let mut agent = DLrta::new(&grid, DLrtaConfig::default(), problem.start, problem.goal).unwrap();
    let mut visits = std::collections::HashMap::new();
    let (mut entered, mut changes) = (None, 0);
    loop {
        let at = agent.position();
        if entered != Some(over(at)) {
            entered = Some(over(at));
            *visits.entry(over(at)).or_insert(0) += 1;
            changes += 1;
        }
        let tick = tick(&mut agent, &grid, Seen::default(), u64::MAX, u64::MAX);
        if tick.step == Step::Arrived {
            break;
        }
        let known = tables.get(over(at), there).filter(|_| visits[&over(at)] <= 3);
        assert_eq!(agent.subgoal(), known.map(|subgoal| subgoal.cell));
        let target = agent.subgoal().unwrap_or(problem.goal);
        assert_eq!(agent.target(), Some(target));
    }
    assert!(changes > 10, "{changes}");
    // Tables for a different level are ignored.
    let config = DLrtaConfig { level: 2, ..DLrtaConfig::default() };
    let mut agent = DLrta::new(&grid, config, problem.start, problem.goal).unwrap();
    tick(&mut agent, &grid, Seen::default(), u64::MAX, u64::MAX);
    assert_eq!(agent.subgoal(), None);
}

#[test]
fn without_tables_d_lrta_is_lrta() {
    let mut random = Random::new(7);
    for case in 0..60 {
        let problem = Problem::hard(&mut random, 24);
        let _context = OnPanic((case, problem.clone()));
        if problem.optimum.is_none() {
            continue;
        }
        let depth = random.pick(&["1", "2", "4"]);
        let [d, plain] = ["d-lrta", "lrta"].map(|name| {
            let config = catalog::find(name).unwrap().configure(&[("depth", depth)]).unwrap();
            let mut agent = config.agent(&problem.space, problem.start, problem.goal).unwrap();
            walk(&mut *agent, &problem, u64::MAX, || u64::MAX)
        });
        assert_eq!((d.moves, d.expansions), (plain.moves, plain.expansions));
    }
}

#[test]
fn they_arrive_in_unknown_terrain_if_and_only_if_a_path_exists() {
    let mut random = Random::new(8);
    let (mut ends, mut learned) = ([0; 2], 0);
    for case in 0..250 {
        let mut world = World::random(&mut random, 22);
        let which = Which::random(&mut random);
        let budget = random.pick(&[1, 3, 30, u64::MAX]);
        let _context = OnPanic((case, which, budget, world.clone()));
        world.known = Layered::new(world.known.space().clone()).unwrap();
        if random.chance(50) {
            let known = &mut world.known;
            let tables = Subgoals::build(known, known.hierarchy().unwrap(), which.level());
            known.set_subgoals(tables);
        }
        let mut agent = which.agent(&world.known, world.truth.start, world.truth.goal);
        for ticks in 0.. {
            assert!(ticks < TOO_MANY, "the agent walks forever");
            let from = agent.position();
            let changed = std::mem::take(&mut world.unreported);
            let tick =
                tick(&mut *agent, &world.known, Seen { changed: &changed }, budget, u64::MAX);
            learned += usize::from(tick.events.contains(&Event::Learned));
            match tick.step {
                Step::Move(to) => {
                    world.truth.oracle.path_cost(&[from, to]);
                    world.look(to);
                }
                Step::Wait => {}
                Step::Arrived => break,
                Step::Unreachable => {
                    assert_eq!(world.belief.distance(from, world.truth.goal), None);
                    assert_eq!(tick.expansions, 0);
                    break;
                }
            }
        }
        let arrived = agent.position() == world.truth.goal;
        assert_eq!(arrived, world.truth.optimum.is_some());
        ends[usize::from(arrived)] += 1;
    }
    assert!(ends[0] > 30 && ends[1] > 100 && learned > 1000, "{ends:?} {learned}");
}

/// Blocks and opens cells in random places, except these.
fn shake(grid: &mut LayeredGrid, random: &mut Random, spare: [NodeId; 2]) -> Vec<NodeId> {
    let [width, height] = [grid.width(), grid.height()].map(u64::from);
    let mut changed = Vec::new();
    for _ in 0..=random.below(6) {
        let cell = Cell::new(random.below(width) as u32, random.below(height) as u32);
        let (node, free) = (grid.node(cell).unwrap(), random.chance(60));
        if !spare.contains(&node) && grid.set_free(cell, free).unwrap() {
            changed.push(node);
        }
    }
    if random.chance(30) {
        grid.tend(&mut Slice::new(random.below(400)));
    }
    changed
}

#[test]
fn they_arrive_after_the_map_stops_changing() {
    let mut random = Random::new(9);
    let (mut ends, mut restarts, mut moves) = ([0; 2], 0, 0);
    for case in 0..250 {
        let mut problem = Problem::hard(&mut random, 30);
        let which = Which::random(&mut random);
        let budget = random.pick(&[1, 2, 5, 20, u64::MAX]);
        let often = random.pick(&[5, 20, 60]);
        let _context = OnPanic((case, which, budget, often, problem.clone()));
        prepare(&mut problem, which, &mut random);
        let grid = &mut problem.space;
        let mut agent = which.agent(grid, problem.start, problem.goal);
        let mut oracle = Oracle::of_grid(grid);
        let mut changed = Vec::new();
        for ticks in 0.. {
            assert!(ticks < TOO_MANY, "the agent walks forever");
            // For a while; then it must arrive, or determine that it cannot.
            if ticks < 400 && random.chance(often) {
                changed = shake(grid, &mut random, [agent.position(), problem.goal]);
                oracle.update(grid, &changed);
                if random.chance(20) {
                    let tables = Subgoals::build(grid, grid.hierarchy().unwrap(), 2);
                    grid.set_subgoals(tables);
                }
            }
            let from = agent.position();
            let seen = Seen { changed: &changed };
            let tick = tick(&mut *agent, grid, seen, budget, u64::MAX);
            changed.clear();
            restarts += usize::from(tick.events.contains(&Event::Restart));
            match tick.step {
                Step::Move(to) => {
                    oracle.path_cost(&[from, to]);
                    moves += 1;
                }
                Step::Wait => {}
                Step::Arrived => {
                    assert_eq!(from, problem.goal);
                    ends[1] += 1;
                    break;
                }
                Step::Unreachable => {
                    assert_eq!(oracle.distance(from, problem.goal), None);
                    if ticks >= 400 {
                        ends[0] += 1;
                        break;
                    }
                }
            }
        }
    }
    assert!(ends[0] > 20 && ends[1] > 100, "{ends:?}");
    assert!(restarts > 5 && moves > 5000, "{restarts} restarts, {moves} moves");
}

#[test]
fn unreported_changes_never_lead_to_an_illegal_step() {
    let mut random = Random::new(10);
    let mut moves = 0;
    for case in 0..120 {
        let mut problem = Problem::hard(&mut random, 30);
        let which = Which::random(&mut random);
        let budget = random.pick(&[1, 3, 20, u64::MAX]);
        let _context = OnPanic((case, which, budget, problem.clone()));
        prepare(&mut problem, which, &mut random);
        let grid = &mut problem.space;
        let mut agent = which.agent(grid, problem.start, problem.goal);
        let mut oracle = Oracle::of_grid(grid);
        for _ in 0..500 {
            let changed = shake(grid, &mut random, [agent.position(), problem.goal]);
            oracle.update(grid, &changed);
            let from = agent.position();
            if let Step::Move(to) = tick(&mut *agent, grid, Seen::default(), budget, u64::MAX).step
            {
                oracle.path_cost(&[from, to]);
                moves += 1;
            }
        }
    }
    assert!(moves > 3000, "{moves}");
}

#[test]
fn they_continue_from_wherever_they_are_moved() {
    let mut random = Random::new(11);
    for case in 0..100 {
        let mut problem = Problem::hard(&mut random, 24);
        let which = Which::random(&mut random);
        let _context = OnPanic((case, which, problem.clone()));
        prepare(&mut problem, which, &mut random);
        if problem.optimum.is_none() {
            continue;
        }
        let mut agent = which.agent(&problem.space, problem.start, problem.goal);
        for _ in 0..random.below(30) {
            tick(&mut *agent, &problem.space, Seen::default(), 4, u64::MAX);
        }
        agent.restart(&problem.space, problem.start).unwrap();
        assert_eq!(agent.position(), problem.start);
        assert!(check_end(&problem, &walk(&mut *agent, &problem, 4, || u64::MAX)));
        assert!(agent.bytes() > 0);
    }
}
