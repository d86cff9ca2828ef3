//! Memory and allocations of agents, measured with a counting allocator.

use allocation_counter::{AllocationInfo, measure};
use tickstar::agent::dstar_lite::{DStarLite, DStarLiteConfig};
use tickstar::agent::local::{Local, LocalConfig, Lookahead};
use tickstar::agent::quickpath::QuickPath;
use tickstar::search::SearchConfig;
use tickstar::{
    Agent, Cell, Event, Grid, Layered, NodeId, Pool, Pra, PraConfig, Seen, Slice, Step,
    TimeBounded, TimeBoundedConfig, catalog, find_path,
};
use tickstar_lab::generate::{Kind, generate};

fn nodes<const N: usize>(grid: &Grid, cells: [(u32, u32); N]) -> [NodeId; N] {
    cells.map(|(x, y)| grid.node(Cell::new(x, y)).unwrap())
}

/// What it takes to make something, and the thing.
fn make<T>(make: impl FnOnce() -> T) -> (T, AllocationInfo) {
    let mut result = None;
    let info = measure(|| result = Some(make()));
    (result.unwrap(), info)
}

/// The bytes of an agent that was made inside a measured closure, itself included.
fn bytes<A>(info: &AllocationInfo) -> usize {
    usize::try_from(info.bytes_current).unwrap() + size_of::<A>()
}

/// Lets an agent walk until it arrives.
fn arrive<M: tickstar::Map>(agent: &mut dyn Agent<M>, map: &M, budget: u64) {
    let mut at = agent.position();
    loop {
        match agent.tick(map, at, Seen::default(), &mut Slice::new(budget)) {
            Step::Move(to) => at = to,
            Step::Wait => {}
            Step::Arrived => break,
            Step::Unreachable => panic!("there is a way"),
        }
    }
}

#[test]
fn a_fresh_agent_takes_at_most_4_kb_on_2048_by_2048_cells() {
    let grid = Grid::new(2048, 2048).unwrap();
    let [start, goal] = nodes(&grid, [(1000, 2000), (2000, 40)]);
    for (shortcut, switch) in [(false, false), (true, true)] {
        let config = TimeBoundedConfig { shortcut, switch, ..TimeBoundedConfig::default() };
        let (agent, info) = make(|| TimeBounded::new(&grid, config, start, goal).unwrap());
        let bytes = bytes::<TimeBounded>(&info);
        println!("a fresh TBA* agent: {bytes} bytes");
        assert!(bytes <= 4096, "{bytes}");
        drop(agent);
    }
    // All others, too.
    let map = Layered::new(Grid::new(256, 256).unwrap().with_regions()).unwrap();
    let [start, goal] = nodes(&map, [(100, 200), (200, 40)]);
    for entry in catalog::all() {
        let config = entry.configure::<&str, &str>(&[]).unwrap();
        let (agent, info) = make(|| config.agent(&map, start, goal).unwrap());
        println!("a fresh agent of {}: {} bytes", entry.name, info.bytes_current);
        assert!(info.bytes_current <= 4096, "{}: {}", entry.name, info.bytes_current);
        drop(agent);
    }
}

#[test]
fn ten_thousand_fresh_agents_take_at_most_64_mb() {
    let grid = Grid::new(2048, 2048).unwrap();
    let [start, goal] = nodes(&grid, [(1000, 2000), (2000, 40)]);
    let config = TimeBoundedConfig::default();
    let make_one = |_| TimeBounded::new(&grid, config, start, goal).unwrap();
    let (agents, info) = make(|| (0..10_000).map(make_one).collect::<Vec<_>>());
    println!("10,000 fresh TBA* agents: {} bytes", info.bytes_current);
    assert!(info.bytes_current <= 64 << 20, "{}", info.bytes_current);
    drop(agents);
}

/// An agent that is on its known path, and some ticks further; and how many steps the path has.
fn walking(grid: &Grid, budget: u64, (start, goal): (NodeId, NodeId)) -> (TimeBounded, usize) {
    let mut agent = TimeBounded::new(grid, TimeBoundedConfig::default(), start, goal).unwrap();
    let (mut at, mut known) = (start, false);
    let mut straight = 0;
    // Memory is given back little by little.
    while straight < 100 {
        let mut slice = Slice::new(budget);
        let Step::Move(to) = agent.tick(grid, at, Seen::default(), &mut slice) else {
            panic!("it walks");
        };
        at = to;
        known |= slice.has(Event::Found);
        let idle = slice.expansions() + slice.traces() == 0 && !slice.has(Event::Backtrack);
        straight += usize::from(known && idle);
    }
    let steps = agent.plan().unwrap().len();
    (agent, steps)
}

#[test]
fn an_agent_that_walks_a_known_path_keeps_8_bytes_per_step() {
    for (kind, seed) in [(Kind::Caves, 3), (Kind::Islands, 7), (Kind::Rooms, 1)] {
        let grid = generate(kind, 512, 512, seed).unwrap();
        let free: Vec<_> = grid.free_cells().collect();
        let search = |a: Cell, b: Cell| {
            let ends = [a, b].map(|cell| grid.node(cell).unwrap());
            let path = find_path(&grid, ends[0], ends[1], SearchConfig::default()).unwrap();
            path.filter(|path| path.nodes.len() > 200).map(|_| (ends[0], ends[1]))
        };
        let pairs = (0..60).map(|i| (free[i * 997 % free.len()], free[free.len() - 1 - i * 13]));
        let problems: Vec<_> = pairs.filter_map(|(a, b)| search(a, b)).take(5).collect();
        assert!(!problems.is_empty());
        for ends in problems {
            for budget in [10, 100, 1000] {
                let ((agent, steps), info) = make(|| walking(&grid, budget, ends));
                let bytes = bytes::<TimeBounded>(&info);
                println!("{kind:?}, R = {budget}: {bytes} bytes for {steps} steps");
                assert!(bytes <= 8 * steps + 1024, "{kind:?}, R = {budget}: {bytes} for {steps}");
                drop(agent);
            }
        }
    }
}

#[test]
fn agents_that_have_arrived_keep_no_search() {
    let grid = generate(Kind::Caves, 256, 256, 3).unwrap();
    let map = Layered::new(grid.with_regions()).unwrap();
    let free: Vec<_> = map.free_cells().collect();
    let ends = [free[0], free[free.len() - 1]].map(|cell| map.node(cell).unwrap());
    for name in ["tba", "astar", "tb-gbfs", "rtba", "rtb-wastar", "dstar-lite", "pra", "quickpath"]
    {
        let config = catalog::find(name).unwrap().configure::<&str, &str>(&[]).unwrap();
        let (agent, info) = make(|| {
            let mut agent = config.agent(&map, ends[0], ends[1]).unwrap();
            arrive(agent.as_mut(), &map, 1000);
            // Memory is given back little by little.
            for _ in 0..200 {
                agent.tick(&map, ends[1], Seen::default(), &mut Slice::new(1000));
            }
            agent
        });
        println!("{name}: {} bytes when it has arrived", info.bytes_current);
        assert!(info.bytes_current < 16_384, "{name}: {}", info.bytes_current);
        drop(agent);
    }
}

#[test]
fn a_pool_is_balanced_after_ten_thousand_tasks() {
    let map = Layered::new(generate(Kind::Caves, 96, 96, 5).unwrap().with_regions()).unwrap();
    let free: Vec<_> = map.free_cells().map(|cell| map.node(cell).unwrap()).collect();
    let levels = map.hierarchy().unwrap();
    let start = free[free.len() / 2];
    let near: Vec<_> = free.into_iter().filter(|&node| levels.reachable(start, node)).collect();
    let pool = Pool::new();
    let tba = TimeBounded::new(&map, TimeBoundedConfig::default(), start, near[0]).unwrap();
    let pra = Pra::new(&map, PraConfig::default(), start, near[0]).unwrap();
    let (mut tba, mut pra) = (tba.with_pool(&pool), pra.with_pool(&pool));
    let mut spare = 0;
    for task in 0..10_000_usize {
        let ends = [near[task * 7919 % near.len()], near[task * 104_729 % near.len()]];
        let agent: &mut dyn Agent<_> = if task % 2 == 0 { &mut tba } else { &mut pra };
        agent.assign(&map, ends[0], ends[1]).unwrap();
        arrive(agent, &map, 200);
        assert_eq!(pool.lent(), 0, "after task {task}");
        if task == 5_000 {
            spare = pool.spare();
        }
    }
    println!("{} spare pages after 5,000 tasks, {} after 10,000", spare, pool.spare());
    assert!(pool.spare() <= spare + spare / 2, "{} after {spare}", pool.spare());
    // Dropped in the middle of a search, an agent returns what it has.
    tba.assign(&map, near[0], near[near.len() - 1]).unwrap();
    tba.tick(&map, near[0], Seen::default(), &mut Slice::new(50));
    assert!(pool.lent() > 0);
    drop(tba);
    assert_eq!(pool.lent(), 0);
}

#[test]
fn a_pool_does_not_grow_with_the_number_of_tasks() {
    // In a far corner of a large map, where a table has many slots for few blocks.
    let grid = Grid::new(2048, 2048).unwrap();
    let ends = nodes(&grid, [(2030, 2040), (2045, 2020)]);
    let pool = Pool::new();
    for name in ["tba", "tba-jps", "tb-wastar", "rtb-gbfs", "dstar-lite"] {
        let config = catalog::find(name).unwrap().configure::<&str, &str>(&[]).unwrap();
        let map = Layered::flat(grid.clone());
        let mut agent = config.agent_with_pool(&map, ends[0], ends[1], &pool).unwrap();
        let mut run = |tasks: usize| {
            for task in 0..tasks {
                agent.assign(&map, ends[task % 2], ends[(task + 1) % 2]).unwrap();
                arrive(agent.as_mut(), &map, 100);
            }
        };
        run(100);
        let grown = measure(|| run(400)).bytes_current;
        assert!(grown <= 4096, "{name}: {grown} bytes more after 400 tasks");
    }
}

/// The allocations in so many ticks, after as many to warm up. Something changes in every tick, back and forth.
fn allocations<M: tickstar::Map>(
    agent: &mut dyn Agent<M>,
    maps: [&M; 2],
    changed: &[NodeId],
    ticks: usize,
) -> u64 {
    let mut at = agent.position();
    let mut run = |ticks: usize| {
        for tick in 0..ticks {
            let mut slice = Slice::new(1000);
            let seen = Seen { changed };
            match agent.tick(maps[tick % 2], at, seen, &mut slice) {
                Step::Move(to) => at = to,
                Step::Wait => {}
                other => panic!("{other:?}"),
            }
        }
    };
    run(ticks);
    measure(|| run(ticks)).count_total
}

/// F4: agents that allocated in every tick.
#[test]
fn steady_ticks_do_not_allocate() {
    let grid = Grid::new(400, 60).unwrap();
    let [start, goal, door] = nodes(&grid, [(2, 30), (397, 30), (200, 2)]);
    let map = Layered::new(grid.with_regions()).unwrap();
    let mut shut = map.clone();
    shut.set_free(Cell::new(200, 2), false).unwrap();
    let maps = [&map, &shut];
    // Memory follows the nodes that a search touches, so the walk goes back and forth over the same ground.
    let mut quick = QuickPath::new(&map, start, goal).unwrap();
    assert_eq!(allocations(&mut quick, maps, &[], 60), 0, "QuickPath");
    let mut dstar = DStarLite::new(&map, DStarLiteConfig::default(), start, goal).unwrap();
    dstar.tick(&map, start, Seen::default(), &mut Slice::unlimited());
    assert_eq!(allocations(&mut dstar, maps, &[door], 60), 0, "D* Lite");
    // LRTA* walks over new ground all the time; its own lists must not grow with each step.
    let lookahead = Lookahead::Ball { depth: 5 };
    let config = LocalConfig { lookahead, ..LocalConfig::default() };
    let mut lrta = Local::new(&map, config, start, goal).unwrap();
    let count = allocations(&mut lrta, maps, &[], 100);
    assert!(count < 400, "LRTA*: {count} allocations in 100 ticks, 4 pages per tick at most");
}
