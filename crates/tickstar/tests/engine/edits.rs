//! Agents on a map that changes while they walk.

use crate::kit::{
    LayeredGrid, Member, OnPanic, Oracle, Problem, Random, TickLimit, configs,
    distance_on_empty_map, is_slow, layered, members, tick, walk_of,
};
use tickstar::catalog::{Config, OnChange};
use tickstar::space::Terrain;
use tickstar::{Agent, Cell, Event, Grid, Layered, NodeId, Seen, Space, Step};

/// Blocks and opens a few random cells, but neither of these two, and changes the terrain, if there is any, of others.
/// Returns what changed.
fn edit(
    problem: &mut Problem<LayeredGrid>,
    random: &mut Random,
    spared: [NodeId; 2],
) -> Vec<NodeId> {
    let grid = &mut problem.space;
    let mut changed = Vec::new();
    for _ in 0..=random.below(5) {
        let [x, y] = [grid.width(), grid.height()].map(|side| random.below(side.into()) as u32);
        let cell = Cell::new(x, y);
        let node = grid.node(cell).unwrap();
        let free = random.chance(50);
        if !spared.contains(&node) && grid.set_free(cell, free).unwrap() {
            changed.push(node);
        }
        if let Some(classes) = grid.terrain().map(Terrain::classes) {
            let mut side = |side: u32| random.below(side.into()) as u32;
            let cell = Cell::new(side(grid.width()), side(grid.height()));
            if grid.set_class(cell, random.below(classes as u64) as u8).unwrap() {
                changed.extend(grid.node(cell));
            }
        }
    }
    problem.oracle = Oracle::of_grid(grid);
    changed
}

/// Lets an agent walk while the map changes for the given number of ticks. Returns how often it restarted.
fn walk_among_edits(
    agent: &mut dyn Agent<LayeredGrid>,
    problem: &mut Problem<LayeredGrid>,
    random: &mut Random,
    budget: u64,
    ticks: u64,
) -> usize {
    let mut restarts = 0;
    let often = random.pick(&[5, 30, 100]);
    for _ in 0..ticks {
        let at = agent.position();
        let spared = [at, problem.goal];
        let changed = if random.chance(often) { edit(problem, random, spared) } else { Vec::new() };
        let problem = &*problem; // its state in this tick
        let _context = OnPanic(("the map at this tick", problem, problem.space.cell(at)));
        let patience = if random.chance(10) { random.below(5) } else { u64::MAX };
        let seen = Seen { changed: &changed };
        let tick = tick(agent, &problem.space, seen, budget, patience);
        restarts += usize::from(tick.has(Event::Restart));
        match tick.step {
            Step::Move(to) => {
                problem.oracle.path_cost(&[at, to]);
            }
            Step::Wait => {}
            Step::Arrived => assert_eq!(at, problem.goal),
            Step::Unreachable => {
                let way = problem.oracle.distance(at, problem.goal);
                assert_eq!(way, None, "it gave up although a path exists");
            }
        }
    }
    restarts
}

/// Small enough for an agent that is slow to give up. One in three has terrain.
fn any_problem(member: &dyn Member, random: &mut Random) -> Problem<LayeredGrid> {
    let terrain = random.chance(33);
    if !is_slow(member) {
        let problem = Problem::<LayeredGrid>::random(random);
        return if terrain { problem.on_terrain(random) } else { problem };
    }
    let [width, height] = [(); 2].map(|()| 1 + random.below(12) as u32);
    let problem = Problem::random_of_size(random, width, height);
    // With very different multipliers, the moves to give up are too many to wait for.
    let is_mild = |problem: &Problem<LayeredGrid>| {
        let most = problem.space.max_edge_cost().0;
        most < 8 * distance_on_empty_map(&problem.space, NodeId(0), NodeId(1)).0
    };
    let mut weighted = std::iter::repeat_with(|| problem.clone().on_terrain(random)).take(20);
    if terrain { weighted.find(is_mild).unwrap_or(problem) } else { problem }
}

fn check(member: &dyn Member, random: &mut Random, budget: u64) -> usize {
    let mut problem = any_problem(member, random);
    let mut agent = member.on_grid(&problem.space, problem.start, problem.goal).unwrap();
    let ticks = 1 + random.below(80);
    let restarts = walk_among_edits(agent.as_mut(), &mut problem, random, budget, ticks);
    // From here on the map does not change.
    problem.start = agent.position();
    problem.optimum = problem.oracle.distance(problem.start, problem.goal);
    let _context = OnPanic(("the final map", &problem, member, budget));
    let rest = walk_of(member, agent.as_mut(), &problem, budget);
    assert!(!member.facts().complete || rest.arrived() == problem.optimum.is_some());
    restarts
}

#[test]
fn agents_arrive_after_the_map_stops_changing() {
    let mut restarts = 0;
    for member in members() {
        for budget in [1, 2, 5, 10, 37, 100, 1000] {
            for seed in 0..6 {
                let _context = OnPanic((&member, budget, seed));
                restarts += check(member.as_ref(), &mut Random::new(seed), budget);
            }
        }
    }
    assert!(restarts > 1000, "the edits caused only {restarts} restarts");
}

#[test]
fn an_opened_door_makes_the_goal_reachable_again() {
    for config in configs() {
        let _context = OnPanic(&config);
        let grid = Grid::from_rows(["..#..", "..#..", "..#.."]).unwrap();
        let mut problem = Problem::on(&grid, (0, 0), (4, 0));
        let mut agent = config.agent(&problem.space, problem.start, problem.goal).unwrap();
        let shut = walk_of(&config, agent.as_mut(), &problem, 100);
        assert!(!shut.arrived());

        let door = Cell::new(2, 2);
        problem.space.set_free(door, true).unwrap();
        problem.oracle = Oracle::of_grid(&problem.space);
        let seen = Seen { changed: &[problem.space.node(door).unwrap()] };
        let result = tick(agent.as_mut(), &problem.space, seen, 100, u64::MAX);
        let keeps = config.entry().facts.on_change != OnChange::NoSearchKept;
        assert_eq!(result.has(Event::Restart), keeps);
        assert!(walk_of(&config, agent.as_mut(), &problem, 100).arrived());
    }
}

#[test]
fn a_closed_door_is_not_walked_through() {
    for config in configs() {
        let _context = OnPanic(&config);
        let grid = Grid::from_rows([".#.......", ".#.#####.", "...#####.", "########."]).unwrap();
        let mut grid = layered(grid);
        let (start, goal) = ((0, 0), (8, 3));
        let problem = Problem::on(&grid, start, goal);
        let mut agent = config.agent(&problem.space, problem.start, problem.goal).unwrap();
        // As soon as the agent is next to a door, the door closes; nothing else was ever open.
        let door = Cell::new(1, 2);
        let mut shut = false;
        let mut last = Step::Wait;
        for _ in 0..TickLimit::of(&config, &problem, 100).moves {
            if shut && last == Step::Unreachable {
                break;
            }
            let before = grid.cell(agent.position()) == Cell::new(0, 1);
            let changed = [grid.node(door).unwrap()];
            let closes = before && !shut;
            if closes {
                grid.set_free(door, false).unwrap();
                shut = true;
            }
            let seen = Seen { changed: if closes { &changed } else { &[] } };
            last = tick(agent.as_mut(), &grid, seen, 100, u64::MAX).step;
            assert_ne!(last, Step::Move(changed[0]));
        }
        assert_eq!((shut, last), (true, Step::Unreachable));
    }
}

/// An agent that plans on a hierarchy queries it again in every tick: an opened door need not be reported.
#[test]
fn agents_that_plan_on_a_hierarchy_notice_an_unreported_open_door() {
    let plans = |config: &Config| config.entry().facts.needs_hierarchy;
    for config in configs().into_iter().filter(plans) {
        let _context = OnPanic(&config);
        let grid = Grid::from_rows(["..#..", "..#..", "..#.."]).unwrap();
        let mut problem = Problem::on(&grid, (0, 0), (4, 0));
        let mut agent = config.agent(&problem.space, problem.start, problem.goal).unwrap();
        assert!(!walk_of(&config, agent.as_mut(), &problem, 100).arrived());
        problem.space.set_free(Cell::new(2, 2), true).unwrap();
        problem.oracle = Oracle::of_grid(&problem.space);
        assert!(walk_of(&config, agent.as_mut(), &problem, 100).arrived());
    }
}

/// The goal is walled in, or blocked, without being reported.
#[test]
fn an_unreported_blocked_goal_causes_no_illegal_step() {
    for member in members() {
        let _context = OnPanic(&member);
        for cell in [Cell::new(1, 0), Cell::new(2, 0)] {
            let mut grid = layered(Grid::from_rows(["..."]).unwrap());
            let [start, goal] = [0, 2].map(|x| grid.node(Cell::new(x, 0)).unwrap());
            let mut agent = member.on_grid(&grid, start, goal).unwrap();
            tick(agent.as_mut(), &grid, Seen::default(), 0, 0);
            grid.set_free(cell, false).unwrap();
            for budget in [0, 1, 10, 100, 100, 100] {
                let step = tick(agent.as_mut(), &grid, Seen::default(), budget, u64::MAX).step;
                assert!(matches!(step, Step::Wait | Step::Unreachable) || cell.x == 2, "{step:?}");
                if let Step::Move(to) = step {
                    assert!(grid.is_free(grid.cell(to)));
                }
            }
        }
    }
}

#[test]
fn an_edit_counts_the_cells_that_changed() {
    let grid = Grid::from_rows([".#.", "..."]).unwrap();
    for mut grid in [Layered::flat(grid.clone()), layered(grid)] {
        let (free, wall) = (Cell::new(0, 0), Cell::new(1, 0));
        assert_eq!(grid.edit(&[(free, false), (free, false)]), Ok(1));
        assert_eq!(grid.edit(&[(wall, true), (wall, false)]), Ok(0));
        assert_eq!(grid.edit(&[(wall, true), (free, true), (free, true)]), Ok(2));
        assert_eq!(grid.edit(&[]), Ok(0));
        assert!(grid.edit(&[(free, false), (Cell::new(9, 9), true)]).is_err());
        assert!(grid.is_free(free), "a rejected edit changes nothing");
    }
}
