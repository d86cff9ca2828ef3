//! Tick*: legal steps, arrival, all work within the budget, and optimal walks where that is promised.

mod course;

use crate::kit::{LayeredGrid, OnPanic, Problem, Random};
use course::{Course, Rules, random_config};
use tickstar::catalog::{self, Config};
use tickstar::{Cell, Grid, Seen, Slice, Step};

/// The budgets of all properties.
const BUDGETS: [u64; 7] = [1, 2, 3, 10, 30, 100, 1000];

/// Some seeds; more of them with `TICKSTAR_SEEDS=100` (times as many), for a long run.
fn seeds(count: u64) -> std::ops::Range<u64> {
    let times = std::env::var("TICKSTAR_SEEDS").ok().and_then(|text| text.parse().ok());
    0..count * times.unwrap_or(1)
}

/// A problem on a map of several tiles, or of one.
fn problem(random: &mut Random) -> Problem<LayeredGrid> {
    let side = random.pick(&[12, 24, 40, 40, 70]);
    let problem = if random.chance(40) {
        Problem::hard(random, side)
    } else {
        let [width, height] = [(); 2].map(|()| 1 + random.below(side) as u32);
        Problem::random_of_size(random, width, height)
    };
    if random.chance(30) { problem.on_terrain_up_to(random, 12) } else { problem }
}

fn configured(settings: &[(&str, &str)]) -> Config {
    catalog::find("tick").unwrap().configure(settings).unwrap()
}

/// Random problems with random parameters, each walked to its end in a known world.
#[test]
fn walks_are_legal_and_end_where_they_should() {
    for seed in seeds(1500) {
        let random = &mut Random::new(seed);
        let (problem, config) = (problem(random), random_config(random));
        let rules = Rules { budget: random.pick(&BUDGETS), metered: random.chance(50) };
        let _on_panic = OnPanic((seed, &config, rules, &problem));
        let mut course = Course::new(problem.clone(), &config, rules);
        course.finish();
        if let Some(optimum) = course.problem.optimum {
            assert!(course.cost >= optimum, "a path that jumps");
        }
    }
}

/// The map changes while the agent walks, with or without a report; the agent is pushed aside, its steps are refused, and
/// its goal moves.
#[test]
fn an_agent_that_is_disturbed_arrives_exactly_when_there_is_a_way() {
    // The last ones once found agents that walked forever, or gave up too early.
    for seed in seeds(1500).chain([1632, 2406, 5416, 8727]) {
        let random = &mut Random::new(seed);
        let (problem, config) = (problem(random), random_config(random));
        let rules = Rules { budget: random.pick(&BUDGETS), metered: random.chance(50) };
        let _on_panic = OnPanic((seed, &config, rules, &problem));
        let mut course = Course::new(problem.clone(), &config, rules);
        course.disturb(random);
        course.finish();
    }
}

/// With time for everything before the first step, every step is optimal.
#[test]
fn a_walk_that_is_planned_without_haste_is_optimal() {
    let mut walked = 0;
    for seed in 0..600 {
        let random = &mut Random::new(seed);
        let problem = problem(random);
        let look = random.pick(&["1", "2", "4"]);
        let open = random.pick(&["heap", "buckets"]);
        let config = configured(&[("early", "false"), ("look", look), ("open", open)]);
        let _on_panic = OnPanic((seed, &config, &problem));
        let mut course =
            Course::new(problem.clone(), &config, Rules { budget: u64::MAX, metered: false });
        course.finish();
        if let Some(optimum) = course.problem.optimum {
            assert_eq!(course.cost, optimum);
            walked += 1;
        }
    }
    assert!(walked > 200);
}

/// With early steps the agent moves in its first tick wherever a step is possible.
#[test]
fn early_steps_begin_in_the_first_tick() {
    let config = configured(&[]);
    for seed in 0..600 {
        let random = &mut Random::new(seed);
        let problem = problem(random);
        let _on_panic = OnPanic((seed, &problem));
        let budget = random.pick(&BUDGETS);
        let mut agent = config.agent(&problem.space, problem.start, problem.goal).unwrap();
        let slice = &mut Slice::metered(budget);
        let step = agent.tick(&problem.space, problem.start, Seen::default(), slice);
        let stuck = problem.oracle.edges_of(problem.start).is_empty();
        match step {
            Step::Move(_) => {}
            Step::Arrived => assert_eq!(problem.start, problem.goal),
            Step::Unreachable => assert_eq!(problem.optimum, None),
            Step::Wait => assert!(stuck, "it does not move"),
        }
    }
}

/// With a unit per tick, every phase of the search spans many ticks. (An agent whose search over regions had nothing left
/// to expand once walked to and fro between a leg and an early step.)
#[test]
fn agents_with_one_unit_per_tick_arrive_on_large_maps() {
    for seed in seeds(30) {
        let random = &mut Random::new(seed);
        let (problem, config) = (Problem::hard(random, 150), configured(&[]));
        let rules = Rules { budget: 1, metered: random.chance(50) };
        let _on_panic = OnPanic((seed, rules, &problem));
        Course::new(problem.clone(), &config, rules).finish();
    }
}

/// The end of the planned path is cut off from the goal, but the agent is not. (Once it gave up.)
#[test]
fn an_agent_whose_path_ends_in_a_pocket_looks_for_another_way() {
    let corridors = |Cell { x, y }| y != 1 || x == 0 || x == 199;
    let grid = Grid::from_fn(200, 3, corridors).unwrap();
    for budget in BUDGETS {
        let problem = Problem::on(&grid, (0, 2), (199, 2));
        let config = configured(&[("ahead", "40"), ("early", "false")]);
        let rules = Rules { budget, metered: true };
        let _on_panic = OnPanic(rules);
        let mut course = Course::new(problem, &config, rules);
        let start = course.at;
        while course.at == start {
            course.go();
        }
        // Beyond the steps that are checked first, and beyond the end of the path.
        course.set_free(&[Cell::new(22, 2), Cell::new(150, 2)], false, true);
        course.finish();
    }
}

/// Regions that are built again have other ids: what the agent knew of them is of no use.
#[test]
fn regions_that_are_built_again_are_not_taken_for_the_old_ones() {
    let mut grid = Grid::new(80, 64).unwrap();
    for y in 0..63 {
        grid.set_free(Cell::new(40, y), false).unwrap();
    }
    let problem = Problem::on(&grid, (0, 0), (79, 0));
    let rules = Rules { budget: 3, metered: true };
    let mut course = Course::new(problem, &configured(&[]), rules);
    for _ in 0..12 {
        course.go();
    }
    course.problem.space.drop_regions();
    // The first tile now has many regions, so that all others have other ids.
    let walls: Vec<_> = (0..16).map(|i| Cell::new(1 + i % 2, 2 * i)).collect();
    course.set_free(&walls, false, false);
    course.problem.space.build_regions();
    course.finish();
}

/// While a leg is searched, a wall cuts its regions off from each other. (Once it searched all of its corridor, twice,
/// before it failed.)
#[test]
fn a_leg_that_is_cut_off_is_given_up_at_once() {
    let grid = Grid::new(64, 160).unwrap();
    let wall: Vec<_> = (0..144).map(|y| Cell::new(16, y)).collect();
    for ticks in 0..120 {
        let problem = Problem::on(&grid, (2, 72), (60, 72));
        let config = configured(&[("early", "false")]);
        let rules = Rules { budget: 1, metered: true };
        let mut course = Course::new(problem, &config, rules);
        let start = course.at;
        for _ in 0..ticks {
            course.go();
        }
        if course.at != start {
            break;
        }
        course.set_free(&wall, false, true);
        let mut waited = 0;
        while course.at == start {
            course.go();
            waited += 1;
        }
        // The search over regions and a new leg; the corridor has more than a thousand cells.
        assert!(waited < 600, "{ticks} ticks before the wall: waited {waited}");
    }
}

/// An agent that spends nothing in a tick has proven the rest of its path to be optimal.
#[test]
fn what_is_not_improved_any_more_is_optimal() {
    let mut proven = 0;
    for seed in seeds(600) {
        let random = &mut Random::new(seed);
        let problem = problem(random);
        let config = configured(&[("early", random.pick(&["true", "false"]))]);
        let budget = random.pick(&BUDGETS);
        let _on_panic = OnPanic((seed, budget, &problem));
        let mut agent = config.agent(&problem.space, problem.start, problem.goal).unwrap();
        let mut at = problem.start;
        loop {
            let slice = &mut Slice::metered(budget);
            match agent.tick(&problem.space, at, Seen::default(), slice) {
                Step::Move(to) => at = to,
                Step::Wait => continue,
                Step::Arrived | Step::Unreachable => break,
            }
            let rest = agent
                .plan()
                .filter(|rest| slice.units() == 0 && rest.last() == Some(&problem.goal));
            if let Some(rest) = rest {
                // The step has not been reported yet, so the plan begins where it was taken.
                let ahead = rest.iter().position(|&node| node == at).expect("the step is planned");
                let cost = problem.oracle.path_cost(&rest[ahead..]);
                assert_eq!(Some(cost), problem.oracle.distance(at, problem.goal));
                proven += 1;
            }
        }
    }
    assert!(proven > 1000, "{proven} ticks with a proof");
}

/// Walls with a gap each: the search for the rest of the path proves it within a few ticks, where windows would take most
/// of the walk.
#[test]
fn a_path_through_gaps_is_proven_within_a_few_ticks() {
    let mut grid = Grid::new(200, 120).unwrap();
    for wall in 1..10 {
        for y in (0..120).filter(|y| y % 60 != wall * 17 % 60) {
            grid.set_free(Cell::new(wall * 20, y), false).unwrap();
        }
    }
    let problem = Problem::on(&grid, (0, 0), (199, 119));
    let mut agent = configured(&[]).agent(&problem.space, problem.start, problem.goal).unwrap();
    let (mut ticks, mut busy) = (0, 0);
    loop {
        let slice = &mut Slice::metered(100);
        ticks += 1;
        if agent.tick(&problem.space, agent.position(), Seen::default(), slice) == Step::Arrived {
            break;
        }
        busy += u64::from(slice.units() > 0);
    }
    assert!(busy < ticks / 5, "{busy} of {ticks} ticks");
}
