//! Crowds on random maps. In every frame, an independent driver checks the steps, the units and the reports: see
//! [`driver`].

mod defects;
mod driver;

use std::collections::BTreeSet;

use crate::kit::{OnPanic, Random, with_terrain};
use driver::{Driver, Ground, Happened, Pay, node};
use tickstar::crowd::{Activity, AgentId, Crowd, CrowdConfig, CrowdError};
use tickstar::space::{Corners, Neighbors};
use tickstar::{Cell, Grid, Layered, Slice, catalog};

const PLAIN: CrowdConfig =
    CrowdConfig { share: true, refine: true, avoid_collisions: false, max_bytes: None };
const CAREFUL: CrowdConfig = CrowdConfig { avoid_collisions: true, ..PLAIN };
const BUDGETS: [u64; 8] = [0, 1, 2, 5, 20, 100, 1000, 100_000];

/// A map of any kind, with any rules.
fn any_map(random: &mut Random) -> Grid {
    let [width, height] = [(); 2].map(|()| 4 + random.below(76) as u32);
    map_of_size(random, width, height)
}

/// Open, in rooms with doors, with random obstacles, or islands.
fn map_of_size(random: &mut Random, width: u32, height: u32) -> Grid {
    let density = 5 + random.below(30);
    let side = 4 + random.below(9) as u32;
    let kind = random.below(4);
    let mut is_free = |Cell { x, y }: Cell| match kind {
        0 => true,
        1 => !(x % side == 0 || y % side == 0) || (x + 3 * y) % (2 * side) == 2,
        2 => !random.chance(density),
        _ => x % (2 * side) != 0 && y % (3 * side) != 0,
    };
    let mut grid = Grid::from_fn(width, height, &mut is_free).unwrap();
    if random.chance(30) {
        grid = grid.with_neighbors(Neighbors::Four);
    }
    if random.chance(50) {
        grid = grid.with_corners(Corners::Allowed);
    }
    if random.chance(25) { with_terrain(grid, random, 9) } else { grid }
}

fn any_config(random: &mut Random) -> CrowdConfig {
    CrowdConfig { share: random.chance(70), refine: random.chance(50), ..PLAIN }
}

fn free_cells(map: &Grid) -> Vec<Cell> {
    map.free_cells().collect()
}

/// So many agents anywhere, half of them with the goal of another one. Where collisions are avoided, there may be fewer.
fn populate(driver: &mut Driver, random: &mut Random, agents: usize) -> Vec<AgentId> {
    let cells = free_cells(driver.map());
    if cells.is_empty() {
        return Vec::new();
    }
    let (mut ids, mut goals) = (Vec::new(), vec![random.pick(&cells)]);
    for _ in 0..agents {
        if random.chance(50) {
            goals.push(random.pick(&cells));
        }
        let (at, goal) = (random.pick(&cells), random.pick(&goals));
        ids.extend(driver.spawn(at, goal));
    }
    ids
}

/// More frames than any of these crowds needs with some hundred units in each.
const MOST: u64 = 4000;

#[test]
fn everyone_arrives_or_is_told() {
    let mut random = Random::new(1);
    let (mut arrived, mut told) = (0, 0);
    for round in 0..240 {
        let size = random.pick(&[1, 1, 1, 2, 3]);
        let ground = Ground::new(any_map(&mut random), size);
        if ground.map().free_cells().next().is_none() {
            continue;
        }
        let config = any_config(&mut random);
        let _context = OnPanic((round, config, size));
        let mut driver = Driver::new(ground, config);
        let agents = 1 + random.below(40) as usize;
        populate(&mut driver, &mut random, agents);
        let units = BUDGETS[round % BUDGETS.len()];
        let pay = if random.chance(70) { Pay::Metered(units) } else { Pay::Papers(units) };
        for _ in 0..50 {
            driver.frame(pay);
        }
        driver.settle(if units < 20 { Pay::Metered(20) } else { pay }, 20 * MOST);
        arrived += driver.units.values().filter(|unit| unit.arrived).count();
        told += driver.units.values().filter(|unit| unit.told).count();
        driver.clear(agents);
    }
    assert!(arrived > 1500 && told > 300, "{arrived} arrived, {told} were told");
}

/// Two halves of a map with a door between them.
fn halves() -> Grid {
    Grid::from_fn(70, 40, |Cell { x, y }| x != 35 || y == 20).unwrap()
}

#[test]
fn a_wall_is_reported_at_once_and_so_is_its_opening() {
    let door = Cell::new(35, 20);
    for share in [false, true] {
        let config = CrowdConfig { share, ..PLAIN };
        let mut driver = Driver::new(Ground::new(halves(), 1), config);
        let mut random = Random::new(2);
        let ids: Vec<AgentId> = (0..40)
            .map(|_| {
                let y = random.below(40) as u32;
                driver.spawn(Cell::new(random.below(8) as u32, y), Cell::new(60 + y % 2, 20))
            })
            .collect::<Result<_, _>>()
            .unwrap();
        for _ in 0..3 {
            for free in [false, true] {
                for _ in 0..5 {
                    driver.frame(Pay::Metered(2000));
                }
                let here = |driver: &Driver, id: &AgentId| driver.units[id].at.x <= 35;
                let cut_off: BTreeSet<AgentId> =
                    ids.iter().copied().filter(|id| here(&driver, id)).collect();
                driver.edit(&[(door, free)]);
                let frames: Vec<_> = (0..2).map(|_| driver.frame(Pay::Metered(2000))).collect();
                let told: BTreeSet<AgentId> =
                    frames.into_iter().flat_map(|happened| happened.unreachable).collect();
                if free {
                    assert!(told.is_empty());
                    let activity = |id: &AgentId| driver.crowd.activity(*id);
                    let still = |id: &&AgentId| activity(id) == Some(Activity::Unreachable);
                    assert_eq!(ids.iter().find(still), None, "they set out again");
                } else {
                    assert_eq!(told, cut_off, "all that are cut off are told");
                    let happened = driver.frame(Pay::Metered(2000));
                    assert!(happened.steps.iter().all(|(id, _)| !cut_off.contains(id)));
                }
            }
        }
        driver.settle(Pay::Metered(2000), MOST);
        assert!(driver.units.values().all(|unit| unit.arrived));
    }
}

/// What disturbs a crowd.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Trouble {
    Refusals,
    Displacements,
    Retargets,
    Removals,
    Edits,
}

const TROUBLES: [Trouble; 5] = [
    Trouble::Refusals,
    Trouble::Displacements,
    Trouble::Retargets,
    Trouble::Removals,
    Trouble::Edits,
];

fn trouble(driver: &mut Driver, random: &mut Random, kind: Trouble, happened: &Happened) {
    let cells = free_cells(driver.map());
    let ids: Vec<AgentId> = driver.units.keys().copied().collect();
    if ids.is_empty() || cells.is_empty() {
        return;
    }
    let (id, cell) = (random.pick(&ids), random.pick(&cells));
    match kind {
        Trouble::Refusals => {
            for &(id, _) in &happened.steps {
                if random.chance(20) && driver.units[&id].before.is_some() {
                    let back = driver.refuse(id);
                    assert_eq!(back.first(), Some(&id));
                }
            }
        }
        Trouble::Displacements => {
            let is_taken = driver.units.iter().any(|(&of, unit)| unit.at == cell && of != id);
            let result = driver.displace(id, cell);
            let collides = is_taken && driver.crowd.config().avoid_collisions;
            let occupied = CrowdError::Occupied { role: "the new position", cell };
            assert_eq!(result, if collides { Err(occupied) } else { Ok(()) });
        }
        Trouble::Retargets => {
            driver.retarget(id, cell).unwrap();
            let blocked = Cell::new(driver.map().width(), 0);
            assert!(driver.retarget(id, blocked).is_err());
        }
        Trouble::Removals => driver.remove(id),
        Trouble::Edits => {
            let (x, free) = (cell.x, random.chance(60));
            let wall = (0..driver.map().height()).map(|y| (Cell::new(x, y), free));
            let unit = &driver.units[&id];
            let spot = random.pick(&[unit.at, unit.goal, cell]);
            let edits: Vec<_> = if random.chance(30) { wall.collect() } else { vec![(spot, free)] };
            driver.edit(&edits);
        }
    }
}

#[test]
fn crowds_in_trouble_still_arrive() {
    let mut random = Random::new(3);
    for round in 0..200 {
        let (kind, config) = (TROUBLES[round % 5], any_config(&mut random));
        let size = random.pick(&[1, 1, 2]);
        let _context = OnPanic((round, kind, config, size));
        let mut driver = Driver::new(Ground::new(any_map(&mut random), size), config);
        if driver.map().free_cells().next().is_none() {
            continue;
        }
        populate(&mut driver, &mut random, 30);
        let pay = Pay::Metered(random.pick(&BUDGETS));
        for _ in 0..100 {
            let happened = driver.frame(pay);
            if random.chance(30) {
                trouble(&mut driver, &mut random, kind, &happened);
            }
        }
        driver.settle(Pay::Metered(500), MOST);
        driver.clear(30);
    }
}

#[test]
fn agents_that_avoid_collisions_never_collide() {
    let mut random = Random::new(4);
    let mut arrivals = 0;
    for round in 0..150 {
        let (kind, config) = (TROUBLES[round % 5], any_config(&mut random));
        let config = CrowdConfig { avoid_collisions: true, ..config };
        let _context = OnPanic((round, kind, config));
        let mut driver = Driver::new(Ground::new(any_map(&mut random), 1), config);
        if driver.map().free_cells().next().is_none() {
            continue;
        }
        let agents = 1 + random.below(100) as usize;
        populate(&mut driver, &mut random, agents);
        let pay = Pay::Metered(random.pick(&BUDGETS[4..]));
        for _ in 0..150 {
            let happened = driver.frame(pay);
            if random.chance(30) {
                trouble(&mut driver, &mut random, kind, &happened);
                populate(&mut driver, &mut random, 1);
            }
        }
        arrivals += driver.arrivals;
        driver.clear(agents + 150);
    }
    assert!(arrivals > 2000, "{arrivals}");
}

#[test]
fn ids_are_not_used_again() {
    let mut driver = Driver::new(Ground::new(Grid::new(40, 40).unwrap(), 1), PLAIN);
    let mut random = Random::new(5);
    let mut all = BTreeSet::new();
    for _ in 0..300 {
        // The driver checks that no operation accepts an id that was removed.
        all.extend(populate(&mut driver, &mut random, 3));
        driver.frame(Pay::Metered(100));
        for id in random_ids(&driver, &mut random, 3) {
            driver.remove(id);
        }
    }
    assert!(all.len() == 900 && all.iter().all(|id| id.index() < 100));
}

fn random_ids(driver: &Driver, random: &mut Random, count: usize) -> BTreeSet<AgentId> {
    let ids: Vec<AgentId> = driver.units.keys().copied().collect();
    (0..count).map(|_| random.pick(&ids)).collect()
}

#[test]
fn orders_give_everyone_a_goal_around_the_point() {
    let mut random = Random::new(6);
    for round in 0..80 {
        let config = if round % 2 == 0 { PLAIN } else { CAREFUL };
        let mut driver = Driver::new(Ground::new(any_map(&mut random), 1), config);
        let cells = free_cells(driver.map());
        if cells.is_empty() {
            continue;
        }
        populate(&mut driver, &mut random, 60);
        for _ in 0..4 {
            let mut group: Vec<AgentId> =
                random_ids(&driver, &mut random, 30).into_iter().collect();
            group.push(group[0]);
            driver.order(&group, random.pick(&cells));
            for _ in 0..20 {
                driver.frame(Pay::Metered(500));
            }
        }
        let blocked = Cell::new(0, u32::from(u16::MAX));
        let group: Vec<AgentId> = driver.units.keys().copied().collect();
        let before = driver.crowd.goal(group[0]);
        assert!(driver.crowd.order(driver.ground.map(), &group, blocked).is_err());
        assert_eq!(driver.crowd.goal(group[0]), before);
        if config == PLAIN {
            driver.settle(Pay::Metered(500), MOST);
        }
    }
}

/// What 300 agents, from a part of the map this wide, spend on planning to get to one goal, and their steps.
fn to_one_goal(grid: &Grid, wide: u32, share: bool) -> (u64, u64) {
    let config = CrowdConfig { share, refine: false, ..PLAIN };
    let mut driver = Driver::new(Ground::new(grid.clone(), 1), config);
    let (mut random, cells) = (Random::new(7), free_cells(grid));
    let from: Vec<Cell> = cells.iter().copied().filter(|at| at.x.max(at.y) < wide).collect();
    let far = |goal: &Cell| goal.x.min(goal.y) > 9 * grid.width() / 10;
    let to: Vec<Cell> = cells.into_iter().filter(far).collect();
    let goal = random.pick(&to);
    while driver.units.len() < 300 {
        let at = random.pick(&from);
        if driver.is_joined(at, goal) {
            driver.spawn(at, goal).unwrap();
        }
    }
    driver.settle(Pay::Metered(3000), MOST);
    assert!(driver.units.values().all(|unit| unit.arrived));
    (driver.planning, driver.units.values().map(|unit| unit.steps).sum())
}

#[test]
fn agents_with_the_same_goal_share_work() {
    let mut random = Random::new(7);
    let rooms = Grid::from_fn(320, 320, |Cell { x, y }| {
        !(x % 16 == 0 || y % 16 == 0) || x % 16 == 7 || y % 16 == 9
    });
    let noise = Grid::from_fn(320, 320, |_| !random.chance(20));
    for grid in [rooms.unwrap(), noise.unwrap()] {
        // From the same corner, and from everywhere.
        for wide in [80, 320] {
            let (shared, steps) = to_one_goal(&grid, wide, true);
            let (alone, least) = to_one_goal(&grid, wide, false);
            assert!(10 * shared < 7 * alone, "{shared} units, and {alone} alone");
            assert!(10 * steps <= 11 * least, "{steps} steps, and {least} alone");
        }
    }
}

/// The same agents come and go again and again. What they took is counted as free each time.
#[test]
fn nothing_is_left_of_agents_that_are_gone() {
    let mut random = Random::new(11);
    for share in [false, true] {
        let ground = Ground::new(map_of_size(&mut random, 90, 90), 1);
        let mut driver = Driver::new(ground, CrowdConfig { share, ..PLAIN });
        let mut left = BTreeSet::new();
        for cycle in 0..40 {
            populate(&mut driver, &mut Random::new(3), 60);
            (0..60).for_each(|_| drop(driver.frame(Pay::Metered(1000))));
            driver.clear(60);
            if cycle > 9 {
                left.insert(driver.crowd.bytes());
            }
        }
        let grown = left.last().unwrap() - left.first().unwrap();
        assert!(grown < 10_000, "{left:?}");
    }
}

#[test]
fn memory_stays_near_its_limit() {
    let mut random = Random::new(8);
    let (mut full, mut held_back) = (0, 0);
    for round in 0..40 {
        let grid = map_of_size(&mut random, 90, 90);
        let config = CrowdConfig { max_bytes: Some(0), ..any_config(&mut random) };
        let _context = OnPanic((round, config));
        let ground = Ground::new(grid, 1);
        let empty = Crowd::new(ground.map(), PLAIN).unwrap().bytes();
        let most = empty + 20_000 + random.below(200_000) as usize;
        let mut driver = Driver::new(ground, CrowdConfig { max_bytes: Some(most), ..config });
        let cells = free_cells(driver.map());
        for _ in 0..2000 {
            match driver.spawn(random.pick(&cells), random.pick(&cells)) {
                Ok(_) => {}
                Err(CrowdError::Full { bytes, max_bytes }) => {
                    assert!(max_bytes == most && bytes <= most + 40_000);
                    full += 1;
                    break;
                }
                Err(error) => panic!("{error}"),
            }
        }
        let agents = driver.units.len();
        assert!(agents > 20, "{agents}");
        for _ in 0..MOST {
            let stats = driver.frame(Pay::Metered(1000)).stats;
            held_back += u64::from(stats.held_back > 0);
            // A task may exceed the limit for a moment: by the tables of the searches.
            assert!(stats.bytes <= most + 600_000, "{} bytes of {most}", stats.bytes);
            if driver.is_settled() {
                break;
            }
        }
        driver.settle(Pay::Metered(1000), 10 * MOST);
        let bytes = driver.crowd.bytes();
        assert!(bytes <= most + 40_000, "{bytes} bytes of {most}");
    }
    assert!(full > 20 && held_back > 20, "full {full} times, held back {held_back} times");
}

const CATALOG: [(&str, Option<(&str, &str)>); 5] = [
    ("tba", None),
    ("pra", Some(("k", "16"))),
    ("tick", None),
    ("rtaa", None),
    ("dstar-lite", None),
];

#[test]
fn agents_of_the_catalog_walk_among_the_others() {
    let mut random = Random::new(9);
    let mut arrived = [0; CATALOG.len()];
    for round in 0..60 {
        let config = if round % 4 == 3 { CAREFUL } else { any_config(&mut random) };
        let _context = OnPanic((round, config));
        let mut driver = Driver::new(Ground::complete(any_map(&mut random)), config);
        let cells = free_cells(driver.map());
        if cells.is_empty() {
            continue;
        }
        populate(&mut driver, &mut random, 20);
        let mut guests = Vec::new();
        for (which, &(name, set)) in CATALOG.iter().enumerate().cycle().take(15) {
            let (at, goal) = (random.pick(&cells), random.pick(&cells));
            // Those that are slow to give up only walk where there is a way.
            if !driver.is_joined(at, goal) {
                continue;
            }
            let config = catalog::find(name).unwrap().configure(set.as_slice()).unwrap();
            let map = driver.map();
            let agent = config.agent(map, node(map, at), node(map, goal)).unwrap();
            let units = 1 + random.below(100);
            guests.extend(driver.spawn_agent(agent, units).map(|id| (which, id)));
        }
        for frame in 0..100 {
            let happened = driver.frame(Pay::Metered(300));
            if random.chance(20) && round % 2 == 0 {
                let kind = TROUBLES[frame % 3];
                trouble(&mut driver, &mut random, kind, &happened);
            }
            if random.chance(10) && round % 2 == 0 {
                let cell = random.pick(&cells);
                let is_taken =
                    driver.units.values().any(|unit| unit.at == cell || unit.goal == cell);
                driver.edit(&[(cell, is_taken || random.chance(50))]);
            }
        }
        if !config.avoid_collisions {
            driver.settle(Pay::Metered(1000), 10 * MOST);
        }
        for (which, id) in guests {
            arrived[which] += usize::from(driver.crowd.activity(id) == Some(Activity::Arrived));
        }
        driver.clear(50);
    }
    assert!(arrived.iter().all(|&arrived| arrived > 50), "{arrived:?}");
}

#[test]
fn on_a_wrong_map_nobody_moves() {
    let grid = |width| Grid::from_fn(width, 20, |cell| cell.x != 4 || cell.y == 1).unwrap();
    let map = Layered::flat(grid(30).with_crowd_regions());
    let other = Layered::flat(grid(31).with_crowd_regions());
    let bare = Layered::flat(grid(30));
    assert_eq!(Crowd::new(&bare, PLAIN).err(), Some(CrowdError::NeedsRegions));
    for config in [PLAIN, CAREFUL] {
        let mut crowd = Crowd::new(&map, config).unwrap();
        let id = crowd.spawn(&map, Cell::new(0, 0), Cell::new(29, 19)).unwrap();
        crowd.frame(&map, &mut Slice::metered(100));
        let at = crowd.position(id);
        for (wrong, error) in [
            (&other, CrowdError::OtherMap { map: (31, 20), crowd: (30, 20) }),
            (&bare, CrowdError::NeedsRegions),
        ] {
            let frame = crowd.frame(wrong, &mut Slice::metered(1000));
            assert!(frame.steps.is_empty() && frame.arrived.is_empty());
            assert_eq!(crowd.position(id), at);
            assert!(crowd.refuse(id).is_empty(), "the step was not taken in the last frame");
            let cell = Cell::new(9, 9);
            assert_eq!(crowd.spawn(wrong, cell, cell), Err(error.clone()));
            assert_eq!(crowd.retarget(wrong, id, cell), Err(error.clone()));
            assert_eq!(crowd.displace(wrong, id, cell), Err(error.clone()));
            assert_eq!(crowd.order(wrong, &[id], cell), Err(error));
        }
        let (wall, outside) = (Cell::new(4, 4), Cell::new(30, 0));
        for cell in [wall, outside] {
            let role = |role| Err(CrowdError::Cell { role, cell });
            assert_eq!(crowd.spawn(&map, cell, Cell::new(1, 1)).map(|_| ()), role("the start"));
            assert_eq!(crowd.spawn(&map, Cell::new(1, 1), cell).map(|_| ()), role("the goal"));
            assert_eq!(crowd.retarget(&map, id, cell), role("the goal"));
            assert_eq!(crowd.displace(&map, id, cell), role("the new position"));
            assert_eq!(crowd.order(&map, &[id], cell), role("the point"));
        }
        let arrives = |crowd: &mut Crowd| {
            (0..200).any(|_| !crowd.frame(&map, &mut Slice::metered(100)).arrived.is_empty())
        };
        assert!(arrives(&mut crowd), "on its own map it goes on");
    }
}

/// A crowd with everything that can happen to it, of which all steps are hashed.
fn eventful(seed: u64) -> u64 {
    let mut random = Random::new(seed);
    let config = CrowdConfig { avoid_collisions: random.chance(50), ..any_config(&mut random) };
    let mut driver = Driver::new(Ground::new(map_of_size(&mut random, 50, 40), 1), config);
    populate(&mut driver, &mut random, 60);
    for frame in 0..200 {
        let happened = driver.frame(Pay::Metered(random.pick(&BUDGETS)));
        trouble(&mut driver, &mut random, TROUBLES[frame % 5], &happened);
        if !driver.map().free_cells().any(|_| true) {
            break;
        }
        populate(&mut driver, &mut random, 1);
    }
    driver.hash
}

#[test]
fn the_same_inputs_give_the_same_steps() {
    let hashes: Vec<u64> = (0..12).map(eventful).collect();
    assert_eq!(hashes, (0..12).map(eventful).collect::<Vec<_>>());
    assert_eq!(hashes.iter().collect::<BTreeSet<_>>().len(), 12);
}

/// A clock that says stop when it is asked for the n-th time.
#[test]
fn deadlines_are_kept() {
    let mut random = Random::new(10);
    for round in 0..40 {
        let config = any_config(&mut random);
        let _context = OnPanic((round, config));
        let mut driver = Driver::new(Ground::new(map_of_size(&mut random, 60, 60), 1), config);
        populate(&mut driver, &mut random, 60);
        driver.settle(Pay::Deadline(1 + round % 7), 10 * MOST);
    }
}

/// Two streams of 250 agents each, against each other through a gate of this width.
fn through_a_gate(width: u32) {
    let wall = |Cell { x, y }| x != 40 || (20..20 + width).contains(&y);
    let mut driver = Driver::new(Ground::new(Grid::from_fn(80, 42, wall).unwrap(), 1), CAREFUL);
    for n in 0..250 {
        let (x, y) = (n % 12, n / 12 * 2);
        let [west, east] = [Cell::new(2 * x, y), Cell::new(78 - 2 * x, y)];
        driver.spawn(west, Cell::new(50 + x, y)).unwrap();
        driver.spawn(east, Cell::new(30 - x, y)).unwrap();
    }
    until_all_have_arrived(&mut driver, 3000 / u64::from(width));
}

fn until_all_have_arrived(driver: &mut Driver, most: u64) {
    let agents = driver.units.len() as u64;
    while driver.arrivals < agents {
        assert!(driver.frames < most, "{} of {agents} have arrived", driver.arrivals);
        driver.frame(Pay::Metered(20_000));
    }
}

#[test]
fn opposing_streams_pass_a_gate_of_one_cell() {
    through_a_gate(1);
}

#[test]
fn opposing_streams_pass_a_gate_of_two_cells() {
    through_a_gate(2);
}

#[test]
fn opposing_streams_pass_a_gate_of_three_cells() {
    through_a_gate(3);
}

#[test]
fn crossing_streams_pass_each_other() {
    let mut driver = Driver::new(Ground::new(Grid::new(80, 80).unwrap(), 1), CAREFUL);
    for n in 0..250 {
        let (along, across) = (20 + n % 25, n / 25);
        driver.spawn(Cell::new(across, along), Cell::new(79 - across, along)).unwrap();
        driver.spawn(Cell::new(along, across + 10), Cell::new(along, 79 - across)).unwrap();
    }
    until_all_have_arrived(&mut driver, 600);
}

/// A crowd can be a resource of a game engine, whichever thread uses it.
#[test]
fn a_crowd_can_be_sent_to_another_thread() {
    fn check<T: Send + Sync>() {}
    check::<Crowd>();
}
