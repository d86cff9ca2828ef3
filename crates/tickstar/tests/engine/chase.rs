//! Goals that move.

use tickstar::catalog::GivesUp;
use tickstar::search::{BestFirst, OpenList, SearchConfig};
use tickstar::{
    Agent, AgentState, Cell, Cost, Graph, Grid, Layered, Map, NodeId, Pra, PraConfig, Seen, Slice,
    Space, Step, TimeBounded, TimeBoundedConfig, catalog, space,
};

use crate::kit::{
    LayeredGrid, Member, OnPanic, Oracle, Problem, Random, Terrain, TickLimit, check_estimates,
    is_slow, layered, members, weighted,
};

/// The corrected heuristic stays consistent and never exceeds the true distance, and is more than that of the map.
#[test]
fn a_learned_heuristic_is_corrected_when_the_goal_moves() {
    let mut random = Random::new(1);
    let (mut raised, mut kept) = (0, 0);
    for round in 0..600 {
        let problem = Problem::<LayeredGrid>::random(&mut random);
        let grid: &Grid = &problem.space;
        let free: Vec<_> = grid.free_cells().map(|cell| grid.node(cell).unwrap()).collect();
        let open = random.pick(&[OpenList::Heap, OpenList::Buckets]);
        let priority = weighted(random.pick(&[1, 3]), 1);
        let config = SearchConfig { open, priority, learn: true, ..SearchConfig::default() };
        let _context = OnPanic((&problem, round, config));
        let mut search = BestFirst::new(config);
        let mut goal = problem.goal;
        for _ in 0..20 {
            // Mostly to a neighbor, sometimes anywhere, sometimes not at all.
            let mut near = vec![goal];
            grid.for_each_edge(goal, |to, _| near.push(to));
            let new = if random.below(5) == 0 { random.pick(&free) } else { random.pick(&near) };
            search.start(grid, random.pick(&free), new);
            let to_goal = problem.oracle.distances(new);
            let above = check_estimates(&search, grid, &problem.oracle, &to_goal);
            (raised, kept) = (raised + above, kept + usize::from(above > 0 && new != goal));
            goal = new;
            search.run(grid, &mut Slice::new(random.below(60)));
        }
    }
    assert!(raised > 10_000 && kept > 1_000, "{raised} values raised, {kept} times after a move");
}

/// What happens between two ticks: the goal moves or jumps, the agent is pushed or refused, the map changes. Every step
/// is legal, and after all that the agent arrives exactly if a path exists.
#[test]
fn a_goal_may_move_in_any_way() {
    let mut random = Random::new(2);
    for member in members().iter().filter(|member| member.facts().complete) {
        for round in 0..30 {
            let openings = member.facts().no_openings.is_none();
            harry(member.as_ref(), &mut random, round, openings);
        }
    }
}

fn harry(member: &dyn Member, random: &mut Random, round: u64, openings: bool) {
    let side = if is_slow(member) { 8 } else { 20 };
    let [width, height] = [(); 2].map(|()| 1 + random.below(side) as u32);
    let mut problem = Problem::<LayeredGrid>::random_of_size(random, width, height);
    let original = problem.space.space().clone();
    let _context = OnPanic((original, problem.start, problem.goal, member, round));
    let (mut at, mut goal) = (problem.start, problem.goal);
    let mut agent = problem.space.agent(member, at, goal).unwrap();
    let mut changed = Vec::new();
    for _ in 0..100 {
        let map = &problem.space;
        let mut slice = Slice::new(random.pick(&[1, 5, 30, 1000]));
        let step = agent.tick(map, at, Seen { changed: &changed }, &mut slice);
        changed.clear();
        if let Step::Move(to) = step {
            assert!(map.edge(at, to).is_some(), "an illegal step");
            at = if random.below(5) == 0 { at } else { to };
        }
        let cell = |random: &mut Random| {
            Cell::new(random.below(width.into()) as u32, random.below(height.into()) as u32)
        };
        for _ in 0..random.below(3) {
            let mut to = map.node(cell(random)).unwrap();
            if random.below(4) > 0 {
                let mut near = vec![goal];
                map.for_each_edge(goal, |to, _| near.push(to));
                to = random.pick(&near);
            }
            assert_eq!(agent.retarget(map, to).is_ok(), map.contains(to));
            goal = if map.contains(to) { to } else { goal };
            assert_eq!(agent.goal(), goal);
        }
        if random.below(20) == 0 {
            at = map.node(cell(random)).filter(|&node| map.contains(node)).unwrap_or(at);
        }
        if random.below(6) == 0 {
            let cell = cell(random);
            let node = map.node(cell).unwrap();
            let free = openings && random.below(2) == 0;
            if node != at && node != goal && problem.space.set_free(cell, free).unwrap() {
                changed.push(node);
            }
        }
    }
    // From here on nothing happens any more.
    problem.oracle = Oracle::of_grid(&problem.space);
    (problem.start, problem.goal) = (at, goal);
    problem.optimum = problem.oracle.distance(at, goal);
    let limit = TickLimit::of(member, &problem, 5);
    let mut so_far = TickLimit { moves: 0, waits: 0, may_stop: false };
    loop {
        let seen = Seen { changed: &changed };
        let step = agent.tick(&problem.space, at, seen, &mut Slice::new(5));
        changed.clear();
        match step {
            Step::Move(to) => {
                assert!(problem.space.edge(at, to).is_some(), "an illegal step");
                at = to;
            }
            Step::Wait => {}
            Step::Arrived => return assert_eq!(at, goal),
            Step::Unreachable => return assert_eq!(problem.optimum, None),
        }
        limit.count(step, &mut so_far);
    }
}

/// The goal moves on, and then the node where it was is cut off: there is still a path to where it is now.
#[test]
fn the_place_that_a_goal_has_left_may_be_cut_off() {
    for member in members().iter().filter(|member| member.facts().complete) {
        let _context = OnPanic(member.as_ref());
        let mut map =
            layered(Grid::from_rows(["............", "##########..", "##########.."]).unwrap());
        let node = |x, y| map.node(Cell::new(x, y)).unwrap();
        let (start, old, door) = (node(0, 0), node(11, 2), [node(10, 1), node(11, 1)]);
        let trail = [node(11, 1), node(11, 0), node(10, 0), node(9, 0)];
        let goal = trail[3];
        let mut agent = map.agent(member.as_ref(), start, old).unwrap();
        let mut at = start;
        let step = agent.tick(&map, at, Seen::default(), &mut Slice::new(1));
        at = if let Step::Move(to) = step { to } else { at };
        for to in trail {
            agent.retarget(&map, to).unwrap();
        }
        map.edit(&door.map(|node| (map.cell(node), false))).unwrap();
        let mut changed = &door[..];
        for _ in 0..1_000 {
            match agent.tick(&map, at, Seen { changed }, &mut Slice::new(1)) {
                Step::Move(to) => at = to,
                Step::Wait => {}
                Step::Arrived => break,
                Step::Unreachable => panic!("there is a path"),
            }
            changed = &[];
        }
        assert_eq!(at, goal);
    }
}

/// Whatever PRA* plans, it must not always arrive where the target has just left.
#[test]
fn pra_catches_a_target_that_steps_back_and_forth() {
    let terrain = space::Terrain::new(&[100.0, 3.25, 50.75, 1.0]).unwrap();
    let class = |Cell { x, y }| (2 * y.min(1) + x) as u8;
    let map = layered(Grid::new(2, 4).unwrap().with_terrain(terrain, class).unwrap());
    let node = |x, y| map.node(Cell::new(x, y)).unwrap();
    let ends = [node(1, 1), node(0, 0)];
    let mut agent = Pra::new(&map, PraConfig::default(), node(0, 3), ends[0]).unwrap();
    let mut at = node(0, 3);
    for tick in 0..50 {
        match agent.tick(&map, at, Seen::default(), &mut Slice::new(1000)) {
            Step::Move(to) => at = to,
            Step::Wait => {}
            Step::Arrived => return,
            Step::Unreachable => panic!("there is a path"),
        }
        if tick % 2 == 1 && at != AgentState::goal(&agent) {
            agent.retarget(&map, ends[(tick / 2 + 1) % 2]).unwrap();
        }
    }
    panic!("never caught");
}

/// Walks to the goal, with one unit per tick. Returns whether it arrives.
fn arrives<M: Map>(agent: &mut dyn Agent<M>, map: &M) -> bool {
    let mut at = agent.position();
    for _ in 0..1_000 {
        match agent.tick(map, at, Seen::default(), &mut Slice::new(1)) {
            Step::Move(to) => at = to,
            Step::Wait => {}
            Step::Arrived => return true,
            Step::Unreachable => return false,
        }
    }
    false
}

/// There may be a path to the goal although there is none to where it was: it has jumped over a wall, or passed an edge
/// of one direction.
#[test]
fn a_goal_may_leave_a_place_that_cannot_be_reached() {
    let rows = [&"....".repeat(10), &"####".repeat(10), &format!("{}.", "#".repeat(39))];
    let grid = Grid::from_rows(rows).unwrap();
    let node = |x, y| grid.node(Cell::new(x, y)).unwrap();
    let cost = Cost(1);
    let edges = [(0, 3), (3, 4), (4, 5), (5, 2), (1, 2)];
    let edges = edges.map(|(from, to)| (NodeId(from), NodeId(to), cost));
    let graph = Graph::directed(6, edges).unwrap();
    for name in ["astar", "repeated-astar", "adaptive-astar", "tba", "rtba", "tbaa"] {
        let config = catalog::find(name).unwrap().configure::<&str, &str>(&[]).unwrap();
        let mut agent = config.agent(&grid, node(0, 0), node(39, 2)).unwrap();
        agent.tick(&grid, node(0, 0), Seen::default(), &mut Slice::new(1));
        agent.retarget(&grid, node(39, 0)).unwrap();
        assert!(arrives(agent.as_mut(), &grid), "{name}, after a jump");
        if let Ok(mut agent) = config.agent(&graph, NodeId(0), NodeId(1)) {
            agent.tick(&graph, NodeId(0), Seen::default(), &mut Slice::new(1));
            agent.retarget(&graph, NodeId(2)).unwrap();
            assert!(arrives(agent.as_mut(), &graph), "{name}, one direction");
        }
    }
}

/// If the goal jumps while the agent takes its step, the new search starts from where that leads.
#[test]
fn a_search_for_a_goal_that_has_jumped_starts_where_the_agent_is() {
    let grid = Grid::new(30, 30).unwrap();
    let node = |x, y| grid.node(Cell::new(x, y)).unwrap();
    let (start, config) = (node(15, 15), TimeBoundedConfig::default());
    let mut agent = TimeBounded::new(&grid, config, start, node(29, 15)).unwrap();
    let step = agent.tick(&grid, start, Seen::default(), &mut Slice::new(10));
    assert_eq!(step, Step::Move(node(16, 15)));
    agent.retarget(&grid, node(0, 15)).unwrap();
    agent.tick(&grid, node(16, 15), Seen::default(), &mut Slice::new(10));
    assert_eq!(agent.search().cost_to(node(16, 15)), Some(Cost::ZERO));
}

/// The path is searched for the new goal outside a tick, so the next tick pays for it.
#[test]
fn the_work_of_a_moved_goal_is_charged_to_the_next_tick() {
    let grid = Grid::new(2_000, 1).unwrap();
    let node = |x| grid.node(Cell::new(x, 0)).unwrap();
    let config = TimeBoundedConfig::default();
    let mut agent = TimeBounded::new(&grid, config, node(0), node(1_998)).unwrap();
    let mut remaining = |goal: Option<NodeId>| {
        if let Some(goal) = goal {
            agent.retarget(&grid, goal).unwrap();
        }
        let mut slice = Slice::metered(10_000);
        agent.tick(&grid, agent.position(), Seen::default(), &mut slice);
        slice.remaining()
    };
    // The path is found, and then the memory of the search is returned.
    for _ in 0..5 {
        remaining(None);
    }
    assert_eq!(remaining(None), 10_000);
    assert!((9_980..9_990).contains(&remaining(Some(node(1_999)))), "1,990 nodes in eights");
    assert_eq!(remaining(None), 10_000);
}

/// How long it takes to give up depends on the map, not on how often the goal has moved before.
#[test]
fn a_long_chase_does_not_delay_giving_up() {
    for name in ["rtaa", "lss-lrta", "p-lrta"] {
        let ticks = [0, 10_000].map(|moves| {
            let mut map =
                Layered::flat(Grid::from_fn(11, 6, |Cell { x, y }| x != 5 || y == 3).unwrap());
            let node = |x, y| map.node(Cell::new(x, y)).unwrap();
            let (mut at, ends) = (node(1, 1), [node(9, 2), node(9, 3)]);
            let config = catalog::find(name).unwrap().configure::<&str, &str>(&[]).unwrap();
            let mut agent = config.agent(&map, at, ends[0]).unwrap();
            for i in 0..moves {
                // Every step is refused.
                agent.tick(&map, at, Seen::default(), &mut Slice::new(20));
                agent.retarget(&map, ends[(i + 1) % 2]).unwrap();
            }
            let door = [node(5, 3)];
            map.set_free(Cell::new(5, 3), false).unwrap();
            let mut changed = &door[..];
            let step = |_: &usize| {
                let step = agent.tick(&map, at, Seen { changed }, &mut Slice::new(20));
                changed = &[];
                at = if let Step::Move(to) = step { to } else { at };
                step != Step::Unreachable
            };
            (0..100_000).take_while(step).count()
        });
        assert!(ticks[0] > 10 && ticks[1] < 4 * ticks[0], "{name}: {ticks:?} ticks");
    }
}

/// A target that is as fast as the agent is never caught, and the agent's memory stays bounded.
#[test]
fn an_endless_chase_needs_bounded_memory() {
    let grid = Layered::new(
        Grid::from_fn(30, 30, |Cell { x, y }| !(5..25).contains(&x) || !(5..25).contains(&y))
            .unwrap(),
    )
    .unwrap();
    let node = |x, y| grid.node(Cell::new(x, y)).unwrap();
    // Once around the block, clockwise.
    let ring: Vec<NodeId> = (2..27)
        .map(|x| node(x, 2))
        .chain((2..27).map(|y| node(27, y)))
        .chain((3..28).rev().map(|x| node(x, 27)))
        .chain((3..28).rev().map(|y| node(2, y)))
        .collect();
    let (start, goal) = (ring[0], ring[40]);
    let tba = TimeBounded::new(&grid, TimeBoundedConfig::default(), start, goal).unwrap();
    let pra = Pra::new(&grid, PraConfig::default(), start, goal).unwrap();
    let agents: [Box<dyn Agent<LayeredGrid>>; 2] = [Box::new(tba), Box::new(pra)];
    for mut agent in agents {
        let (mut at, mut most) = (start, [0; 2]);
        for tick in 0..20_000 {
            let step = agent.tick(&grid, at, Seen::default(), &mut Slice::new(20));
            at = if let Step::Move(to) = step { to } else { at };
            let half = &mut most[tick / 10_000];
            *half = (*half).max(agent.bytes());
            agent.retarget(&grid, ring[(41 + tick) % ring.len()]).unwrap();
        }
        assert!(most[1] <= most[0], "{most:?} bytes");
    }
}

/// A target that runs about where no path leads does not make the agent walk; when a way opens, the agent arrives.
#[test]
fn an_unreachable_target_may_move() {
    let rows = ["....#...", "....#...", "....#...", "....#..."];
    for member in members() {
        let quick = matches!(member.facts().gives_up, GivesUp::AtOnce | GivesUp::AfterSearch);
        if !quick || member.facts().no_openings.is_some() {
            continue;
        }
        let mut map = layered(Grid::from_rows(rows).unwrap());
        let node = |x, y| map.node(Cell::new(x, y)).unwrap();
        let (start, far, door) = (node(1, 1), node(6, 2), node(4, 2));
        let _context = OnPanic(&member);
        let mut agent = map.agent(member.as_ref(), start, far).unwrap();
        let mut random = Random::new(3);
        let (mut at, mut goal, mut told) = (start, far, 0);
        for tick in 0..300 {
            let step = agent.tick(&map, at, Seen::default(), &mut Slice::new(5));
            assert!(told == 0 || step == Step::Unreachable, "tick {tick}: {step:?}");
            told += usize::from(step == Step::Unreachable);
            at = if let Step::Move(to) = step { to } else { at };
            let mut near = vec![];
            map.for_each_edge(goal, |to, _| near.push(to));
            goal = random.pick(&near);
            agent.retarget(&map, goal).unwrap();
        }
        assert!(told > 200, "told {told} times");
        map.set_free(Cell::new(4, 2), true).unwrap();
        let arrives = (0..500).any(|tick| {
            let changed: &[_] = if tick == 0 { &[door] } else { &[] };
            let step = agent.tick(&map, at, Seen { changed }, &mut Slice::new(5));
            at = if let Step::Move(to) = step { to } else { at };
            step == Step::Arrived
        });
        assert!(arrives && at == goal);
    }
}

/// An unusable goal is refused, and the agent keeps its old one.
#[test]
fn a_blocked_goal_is_refused() {
    let grid = Grid::from_rows(["...#"]).unwrap();
    let node = |x| grid.node(Cell::new(x, 0)).unwrap();
    let mut unit = TimeBounded::new(&grid, TimeBoundedConfig::default(), node(0), node(2)).unwrap();
    for bad in [node(3), NodeId(99)] {
        assert!(unit.retarget(&grid, bad).is_err());
        assert_eq!(AgentState::goal(&unit), node(2));
    }
}
