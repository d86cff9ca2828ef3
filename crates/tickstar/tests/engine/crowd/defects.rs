//! Small cases in which a crowd was wrong before.

use super::driver::{Driver, Ground, Pay, node};
use super::{CAREFUL, PLAIN};
use tickstar::crowd::{Activity, AgentId, CrowdConfig};
use tickstar::{Cell, Grid, catalog};

/// Three agents in a corridor, each on the cell that the one before it has left. If the first one is refused, all are
/// taken back, and nobody may then walk onto one of them.
#[test]
fn agents_that_are_taken_back_together_keep_their_cells() {
    let mut driver = Driver::new(Ground::new(Grid::new(20, 1).unwrap(), 1), CAREFUL);
    let ids: Vec<AgentId> =
        (0..3).map(|x| driver.spawn(Cell::new(x, 0), Cell::new(x + 15, 0)).unwrap()).collect();
    while driver.units[&ids[0]].before.is_none() {
        driver.frame(Pay::Metered(1000));
    }
    assert_eq!(driver.refuse(ids[2]), [ids[2], ids[1], ids[0]]);
    for _ in 0..5 {
        // The first one is held, and the others stay behind it.
        driver.frame(Pay::Metered(1000));
        driver.refuse(ids[2]);
    }
    while driver.arrivals < 3 {
        driver.frame(Pay::Metered(1000));
    }
}

/// A goal in the middle of a region is blocked and opened again, which changes no region.
#[test]
fn an_agent_sets_out_again_when_its_goal_is_opened() {
    let goal = Cell::new(10, 10);
    let mut driver = Driver::new(Ground::new(Grid::new(20, 20).unwrap(), 1), PLAIN);
    let id = driver.spawn(Cell::new(0, 0), goal).unwrap();
    driver.frame(Pay::Metered(1000));
    driver.edit(&[(goal, false)]);
    for _ in 0..40 {
        driver.frame(Pay::Metered(1000));
    }
    assert_eq!(driver.crowd.activity(id), Some(Activity::Unreachable));
    driver.edit(&[(goal, true)]);
    driver.settle(Pay::Metered(1000), 40);
    assert_eq!(driver.crowd.activity(id), Some(Activity::Arrived));
}

/// An agent of the catalog was told that there is no path. When a wall opens, it needs more than a tick to find the new
/// one.
#[test]
fn an_agent_of_the_catalog_has_more_than_one_tick_to_set_out_again() {
    let door = Cell::new(12, 20);
    for name in ["tba", "tick", "dstar-lite"] {
        let grid = Grid::from_fn(25, 25, |cell| cell.x != 12).unwrap();
        let mut driver = Driver::new(Ground::complete(grid), PLAIN);
        let entry = catalog::find(name).unwrap();
        let config = entry.configure::<&str, &str>(&[]).unwrap();
        let map = driver.map();
        let ends = [Cell::new(0, 0), Cell::new(24, 0)].map(|cell| node(map, cell));
        let agent = config.agent(map, ends[0], ends[1]).unwrap();
        let id = driver.spawn_agent(agent, 2).unwrap();
        driver.settle(Pay::Metered(100), 1000);
        for _ in 0..1000 {
            driver.frame(Pay::Metered(100));
        }
        assert_eq!(driver.crowd.activity(id), Some(Activity::Unreachable), "{name}");
        driver.edit(&[(door, true)]);
        driver.settle(Pay::Metered(100), 2000);
        assert_eq!(driver.crowd.activity(id), Some(Activity::Arrived), "{name}");
    }
}

/// An agent that has steps ahead plans from their end. If a wall encloses that, there is no path from there, but still one
/// from where the agent is.
#[test]
fn a_path_is_missed_only_from_where_the_agent_is() {
    let config = CrowdConfig { refine: false, ..PLAIN };
    let mut driver = Driver::new(Ground::new(Grid::new(300, 64).unwrap(), 1), config);
    let id = driver.spawn(Cell::new(2, 20), Cell::new(290, 43)).unwrap();
    let mut enclosed = 0;
    while driver.arrivals == 0 {
        assert!(driver.frames < 1000);
        // The driver checks that those that are told have no path.
        driver.frame(Pay::Metered(1000));
        let unit = &driver.units[&id];
        let Some(&end) = driver.crowd.path(driver.map(), id).last() else { continue };
        if driver.frames % 20 == 3 && end != unit.goal && end.x > unit.at.x + 3 {
            let around = (0..9).map(|n| Cell::new(end.x + n % 3 - 1, end.y + n / 3 - 1));
            let ring: Vec<_> = around.filter(|&at| at != end).map(|at| (at, false)).collect();
            driver.edit(&ring);
            enclosed += 1;
        }
    }
    assert!(enclosed > 2, "{enclosed}");
}

/// A leg to a shared goal is checked again after an edit of the map, which takes more than the budget of a frame.
#[test]
fn a_small_budget_suffices_to_check_a_shared_leg() {
    for units in 2..7 {
        let is_free = |Cell { x, y }: Cell| x % 8 != 3 || (x * 7 + y) % 5 == 0;
        let grid = Grid::from_fn(300, 24, is_free).unwrap();
        let mut driver = Driver::new(Ground::new(grid, 1), PLAIN);
        for y in 0..12 {
            driver.spawn(Cell::new(y % 3, y), Cell::new(298, 12)).unwrap();
        }
        for _ in 0..3000 / units {
            driver.frame(Pay::Metered(units));
        }
        driver.edit(&[(Cell::new(297, 0), false)]);
        driver.settle(Pay::Metered(units), 40_000 / units);
    }
}

/// The agents that are told in a frame, or that set out in it, are counted as what they are afterwards.
#[test]
fn agents_that_stand_are_those_that_are_on_their_way() {
    let door = Cell::new(12, 20);
    let grid = Grid::from_fn(25, 25, |cell| cell.x != 12 || cell == door).unwrap();
    let mut driver = Driver::new(Ground::new(grid, 1), PLAIN);
    for y in 0..25 {
        driver.spawn(Cell::new(2, y), Cell::new(22, y)).unwrap();
    }
    for free in [false, true, false, true] {
        driver.edit(&[(door, free)]);
        for units in [0, 3, 1000, 1000] {
            // The driver counts them.
            driver.frame(Pay::Metered(units));
        }
    }
}

/// An agent that has arrived is pushed off its goal, and the step by which it returns is refused: it is not listed again.
#[test]
fn a_refused_return_is_not_another_arrival() {
    let mut driver = Driver::new(Ground::new(Grid::new(12, 2).unwrap(), 1), CAREFUL);
    let ids: Vec<AgentId> = [(0, 5), (11, 6)]
        .map(|(x, goal)| driver.spawn(Cell::new(x, 0), Cell::new(goal, 0)).unwrap())
        .to_vec();
    let mut refused = 0;
    for frame in 0..300 {
        if frame % 20 == 10 {
            let x = if frame % 40 == 10 { 11 } else { 0 };
            for y in 0..2 {
                let _ = driver.spawn(Cell::new(x, y), Cell::new(11 - x, y));
            }
        }
        driver.frame(Pay::Metered(5000));
        for id in &ids {
            let unit = &driver.units[id];
            let returns = unit.at == unit.goal && unit.before.is_some() && unit.arrived;
            if returns && frame > 10 {
                refused += driver.refuse(*id).len();
            }
        }
    }
    assert!(refused > 2, "{refused}");
}

/// Where collisions are avoided, an agent whose path is cut may step aside in the same frame: it must not come back to the
/// cut path again and again.
#[test]
fn an_agent_does_not_return_to_a_path_that_is_cut() {
    for ahead in 0..4 {
        let mut driver = Driver::new(Ground::new(Grid::new(64, 64).unwrap(), 1), CAREFUL);
        let id = driver.spawn(Cell::new(2, 2), Cell::new(60, 50)).unwrap();
        for _ in 0..10 {
            driver.frame(Pay::Metered(5000));
        }
        let cell = driver.crowd.path(driver.ground.map(), id)[ahead];
        driver.edit(&[(cell, false)]);
        driver.settle(Pay::Metered(5000), 100);
    }
}

/// A goal in the middle of a region is blocked and opened, which changes no region: those who go there are told at once,
/// and set out again at once.
#[test]
fn a_blocked_goal_is_noticed_at_once() {
    let goal = Cell::new(40, 40);
    let mut driver = Driver::new(Ground::new(Grid::new(64, 64).unwrap(), 1), PLAIN);
    for x in 0..5 {
        driver.spawn(Cell::new(x, 0), goal).unwrap();
    }
    driver.frame(Pay::Metered(1000));
    driver.edit(&[(goal, false)]);
    assert_eq!(driver.frame(Pay::Metered(1000)).unreachable.len(), 5);
    driver.edit(&[(goal, true)]);
    driver.frame(Pay::Metered(1000));
    assert_eq!(driver.frame(Pay::Metered(1000)).steps.len(), 5);
    driver.settle(Pay::Metered(1000), 100);
}

/// Steps of others do not use up a small budget: those who have no plan still get one.
#[test]
fn walking_leaves_something_for_planning() {
    let grid = Grid::new(120, 120).unwrap();
    let mut driver = Driver::new(Ground::new(grid, 1), CAREFUL);
    for n in 0..100 {
        driver.spawn(Cell::new(n, 0), Cell::new(n, 119)).unwrap();
    }
    // The price of a hundred careful steps is three hundred units.
    driver.settle(Pay::Metered(100), 2000);
}
