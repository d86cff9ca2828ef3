use std::collections::HashSet;

use super::*;
use crate::builtin;

fn grid(name: &str) -> Grid {
    builtin::find(name).unwrap().grid()
}

/// The figures of a run to its end, without times.
fn figures(name: &str, agents: usize, setup: Setup) -> Figures {
    let map = prepare(grid(name), [&setup.planner]).unwrap();
    let problems = problems(&map, agents, 1, None, setup.config.avoid_collisions).unwrap();
    let optima = optima(&map, &problems, || true);
    let mut run = Run::new(map, &problems, setup);
    while !run.is_over() {
        run.frame().unwrap();
    }
    Figures { times: Times::default(), ..run.figures(&optima) }
}

#[test]
fn budgets_are_read_and_shown() {
    for text in ["2ms", "0.5ms", "60000", "1"] {
        assert_eq!(text.parse::<Budget>().unwrap().to_string(), text);
    }
    for text in ["0ms", "-1", "0", "2 parsecs", "-2ms", "NaNms", "infms", "", "ms", "1e9ms", "2.5"]
    {
        assert_eq!(text.parse::<Budget>(), Err(BudgetError), "{text}");
    }
}

#[test]
fn a_run_with_units_repeats() {
    let run = || figures("caves-128", 300, Setup::new(Budget::Units(500)));
    let first = run();
    assert_eq!(first, run());
    assert_eq!((first.arrived, first.complete, first.never_moved), (300, true, 0));
    assert!(first.arrival_over_moves >= 1.0 && first.suboptimality.unwrap() >= 1.0, "{first:?}");
    assert!((0.0..0.5).contains(&first.standing), "{first:?}");
}

#[test]
fn a_stream_of_agents_and_agents_of_the_catalog_arrive() {
    let setup = Setup::new(Budget::Units(2000));
    let stream = figures("rooms-64", 100, Setup { stream: Some(7), ..setup.clone() });
    assert!(stream.complete && stream.arrived == 100 && stream.frames > 14, "{stream:?}");
    let config = tickstar::catalog::find("pra").unwrap().configure(&[("k", "16")]).unwrap();
    let planner = Planner::Agents { name: "pra".into(), config, units: 100 };
    let agents = figures("rooms-64", 100, Setup { planner, ..setup });
    assert!(agents.complete && agents.arrived == 100, "{agents:?}");
    assert!(agents.planning_units_per_agent < agents.units_per_agent, "{agents:?}");
}

#[test]
fn a_run_ends_after_the_most_frames() {
    let setup = Setup { most_frames: 5, ..Setup::new(Budget::Units(2000)) };
    let cut = figures("caves-128", 50, setup);
    assert_eq!((cut.frames, cut.complete), (5, false));
}

#[test]
fn nobody_collides_and_ends_are_apart() {
    let config = CrowdConfig { avoid_collisions: true, ..CrowdConfig::default() };
    let setup = Setup { config, most_frames: 2000, ..Setup::new(Budget::Units(5000)) };
    let apart = figures("islands-128", 500, setup.clone());
    assert_eq!(apart.arrived, 500, "{apart:?}");
    let stream = figures("islands-128", 500, Setup { stream: Some(20), ..setup });
    assert_eq!(stream.arrived, 500, "{stream:?}");
    let map = grid("islands-128");
    let ends = problems(&map, 500, 1, None, true).unwrap();
    let cells: HashSet<Cell> = ends.iter().flat_map(|ends| [ends.start, ends.goal]).collect();
    assert_eq!(cells.len(), 1000);
    let few = problems(&map, 500, 1, Some(3), false).unwrap();
    assert_eq!(few.iter().map(|ends| ends.goal).collect::<HashSet<_>>().len(), 3);
}

#[test]
fn edits_spare_agents_and_goals() {
    let map = prepare(grid("islands-128"), []).unwrap();
    let problems = problems(&map, 200, 1, None, false).unwrap();
    let setup = Setup { edits: 20, ..Setup::new(Budget::Units(5000)) };
    let mut run = Run::new(map, &problems, setup);
    while !run.is_over() {
        run.frame().unwrap();
        for (walker, problem) in run.walkers().iter().zip(&problems) {
            assert!(run.map().is_free(walker.at) && run.map().is_free(problem.goal));
        }
    }
    assert!(run.blocked().len() > 100 && run.arrived() > 150, "{}", run.arrived());
}

#[test]
fn too_little_room_is_an_error() {
    let blocked = Grid::new_blocked(8, 8).unwrap();
    assert_eq!(problems(&blocked, 1, 1, None, false), Err(PlacesError::NoPath));
    assert_eq!(problems(&blocked, 1, 1, None, true), Err(PlacesError::NoPath));
    let open = Grid::new(3, 3).unwrap();
    let too_few = PlacesError::TooFew { agents: 10, cells: 9 };
    assert_eq!(problems(&open, 10, 1, None, true), Err(too_few));
    assert_eq!(problems(&open, 9, 1, None, true).unwrap().len(), 9);
}
