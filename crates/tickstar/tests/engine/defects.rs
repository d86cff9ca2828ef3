//! Defects that were found by review and random testing, each with a test that failed before the fix.

use tickstar::agent::d_lrta::{DLrta, DLrtaConfig};
use tickstar::agent::dstar_lite::{DStarLite, DStarLiteConfig};
use tickstar::agent::local::{Avoid, Commitment, Local, LocalConfig, Lookahead, Update};
use tickstar::agent::pr_lrta::{PrLrta, PrLrtaConfig};
use tickstar::agent::quickpath::QuickPath;
use tickstar::catalog::FirstMove;
use tickstar::search::{BestFirst, OpenList, SearchConfig, Status};
use tickstar::{
    Agent, AgentError, Cell, Cost, Graph, Grid, Layered, Map, NodeId, Pra, PraConfig, Seen, Slice,
    Step, TimeBounded, TimeBoundedConfig, catalog, find_path,
};

use crate::kit::{layered, weighted};

fn edge(from: u32, to: u32, cost: u64) -> (NodeId, NodeId, Cost) {
    (NodeId(from), NodeId(to), Cost(cost))
}

fn nodes<const N: usize>(grid: &Grid, cells: [(u32, u32); N]) -> [NodeId; N] {
    cells.map(|(x, y)| grid.node(Cell::new(x, y)).unwrap())
}

/// F1: a saturated key was mistaken for that of a goal that had not been generated.
#[test]
fn saturated_keys_do_not_count_as_a_reached_goal() {
    // The goal is unreachable.
    let graph = Graph::undirected(4, [edge(0, 1, 1), edge(1, 2, 1)]).unwrap();
    for open in [OpenList::Buckets, OpenList::Heap] {
        let config = SearchConfig { priority: weighted(3, 2), open, ..SearchConfig::default() };
        let mut search = BestFirst::new(config);
        search.begin(&graph, NodeId(3), Cost::ZERO);
        search.add_root(&graph, NodeId(0), Cost(1 << 63));
        assert_eq!(search.run(&graph, &mut Slice::unlimited()), Status::Exhausted);
    }
    // A chain so long that its keys saturate.
    let last = 4_296;
    let chain = (0..last).map(|node| edge(node, node + 1, u64::from(u32::MAX)));
    let graph = Graph::undirected(last as usize + 1, chain).unwrap();
    for priority in [weighted(1_000_000, 999_999), weighted(1_000_000, 1)] {
        let options = SearchConfig { priority, ..SearchConfig::default() };
        let path = find_path(&graph, NodeId(0), NodeId(last), options).unwrap().unwrap();
        assert_eq!(path.cost, Cost(u64::from(last) * u64::from(u32::MAX)));
    }
}

/// The number of ticks until an agent has made the given number of moves, while something far away changes in every
/// tick.
fn ticks_for_moves<M: Map>(
    agent: &mut dyn Agent<M>,
    moves: usize,
    budget: u64,
    mut change: impl FnMut() -> (M, NodeId),
) -> usize {
    let (mut at, mut count) = (agent.position(), 0);
    for tick in 1..=20_000 {
        let (map, changed) = change();
        let seen = Seen { changed: &[changed] };
        if let Step::Move(to) = agent.tick(&map, at, seen, &mut Slice::new(budget)) {
            assert!(map.edge(at, to).is_some());
            at = to;
            count += 1;
        }
        if count == moves {
            return tick;
        }
    }
    panic!("{count} moves in 20,000 ticks: the agent starves");
}

/// F3: any change anywhere dropped the lookahead in progress, so that with a change in every tick and a small budget a
/// learning agent never moved.
#[test]
fn changes_elsewhere_do_not_prevent_an_agent_from_moving() {
    let map = layered(Grid::new(64, 64).unwrap());
    let [start, goal, far] = nodes(&map, [(5, 5), (40, 5), (60, 60)]);
    let toggle = || {
        let mut map = map.clone();
        let mut free = true;
        move || {
            free = !free;
            map.set_free(Cell::new(60, 60), free).unwrap();
            (map.clone(), far)
        }
    };
    let lookahead = Lookahead::Ball { depth: 6 };
    let config = LocalConfig { lookahead, ..LocalConfig::default() };
    let mut lrta = Local::new(&map, config, start, goal).unwrap();
    ticks_for_moves(&mut lrta, 10, 20, toggle());
    let config = DLrtaConfig { depth: 6, ..DLrtaConfig::default() };
    let mut d_lrta = DLrta::new(&map, config, start, goal).unwrap();
    ticks_for_moves(&mut d_lrta, 10, 20, toggle());
    let config = PrLrtaConfig { level: 2, depth: 4, ..PrLrtaConfig::default() };
    let mut pr_lrta = PrLrta::new(&map, config, start, goal).unwrap();
    ticks_for_moves(&mut pr_lrta, 10, 3, toggle());
    for update in [Update::Uniform, Update::Region] {
        let (avoid, commitment) = (Avoid::Nothing, Commitment::Step);
        let lookahead = Lookahead::Astar { update, avoid, commitment };
        let config = LocalConfig { lookahead, ..LocalConfig::default() };
        let mut agent = Local::new(&map, config, start, goal).unwrap();
        ticks_for_moves(&mut agent, 10, 2, toggle());
    }
}

/// What a tick has spent besides expansions, trace steps and updates, in units.
fn overhead(slice: &Slice<'_>) -> f64 {
    let spent =
        slice.expansions() as f64 + slice.traces() as f64 / 10.0 + slice.updates() as f64 / 2.0;
    slice.budget() as f64 - slice.remaining() as f64 - spent
}

/// F5: some work was not charged to any budget. A metered slice charges it.
#[test]
fn work_that_cannot_be_refused_is_charged() {
    let map = layered(Grid::new(200, 200).unwrap());
    let [start, goal] = nodes(&map, [(5, 5), (190, 100)]);
    let changed: Vec<_> = (0..100).map(|x| nodes(&map, [(x, 150)])[0]).collect();
    // Reported changes.
    let mut tba = TimeBounded::new(&map, TimeBoundedConfig::default(), start, goal).unwrap();
    let mut slice = Slice::metered(1000);
    tba.tick(&map, start, Seen { changed: &changed }, &mut slice);
    assert!(overhead(&slice) >= 25.0, "{slice:?}");
    // More changes than the budget covers: nothing else is done.
    let mut slice = Slice::metered(10);
    tba.tick(&map, start, Seen { changed: &changed }, &mut slice);
    assert_eq!((slice.expansions(), slice.remaining()), (0, 0));
    // The whole open list, to find the node that was raised least.
    let (update, avoid, commitment) = (Update::Uniform, Avoid::MostRaised, Commitment::Step);
    let lookahead = Lookahead::Astar { update, avoid, commitment };
    let config = LocalConfig { lookahead, open: OpenList::Heap };
    let mut da_rtaa = Local::new(&map, config, start, goal).unwrap();
    let mut slice = Slice::metered(100);
    da_rtaa.tick(&map, start, Seen::default(), &mut slice);
    assert!(overhead(&slice) > 1.0, "{slice:?}");
    // A hub with a thousand neighbors, between two others.
    let spokes = (2..1000).map(|leaf| edge(0, leaf, 5)).chain([edge(0, 1, 5), edge(1, 1000, 5)]);
    let star = Layered::new(Graph::undirected(1001, spokes).unwrap()).unwrap();
    let mut quick = QuickPath::new(&star, NodeId(500), NodeId(1000)).unwrap();
    let (mut at, mut paid) = (NodeId(500), 0.0);
    loop {
        let mut slice = Slice::metered(100);
        let step = quick.tick(&star, at, Seen::default(), &mut slice);
        paid += overhead(&slice);
        match step {
            Step::Move(to) => at = to,
            Step::Arrived => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(paid > 20.0, "{paid}");
    // The kept paths of PRA*, which are scanned for each segment.
    let config = PraConfig { k: Some(4), ..PraConfig::default() };
    let mut pra = Pra::new(&map, config, start, goal).unwrap();
    let (mut at, mut paid) = (start, 0.0);
    loop {
        let mut slice = Slice::metered(200);
        let step = pra.tick(&map, at, Seen::default(), &mut slice);
        paid += overhead(&slice);
        match step {
            Step::Move(to) => at = to,
            Step::Wait => {}
            Step::Arrived => break,
            Step::Unreachable => panic!("a path exists"),
        }
    }
    assert!(paid > 5.0, "{paid}");
}

/// F5: stale entries of D* Lite's open list are removed in one pass.
#[test]
fn removing_stale_entries_is_charged() {
    let mut grid = Grid::new(60, 60).unwrap();
    let [start, goal] = nodes(&grid, [(2, 30), (57, 30)]);
    let mut agent = DStarLite::new(&grid, DStarLiteConfig::default(), start, goal).unwrap();
    let mut most = 0.0_f64;
    for tick in 0..400 {
        let cell = Cell::new(30, 5 + tick % 50);
        let free = grid.is_free(cell);
        grid.set_free(cell, !free).unwrap();
        let changed = [grid.node(cell).unwrap()];
        let mut slice = Slice::metered(100_000);
        agent.tick(&grid, start, Seen { changed: &changed }, &mut slice);
        most = most.max(overhead(&slice));
    }
    assert!(most > 100.0, "{most}");
}

/// F7: a space with more nodes than it had when the search started made the search panic.
#[test]
fn a_search_survives_a_space_that_has_grown() {
    let chain = |nodes: u32| {
        let edges = (0..nodes - 1).map(|node| edge(node, node + 1, 3));
        Graph::undirected(nodes as usize, edges).unwrap()
    };
    let (small, large) = (chain(10), chain(200_000));
    let mut search = BestFirst::new(SearchConfig::default());
    search.start(&small, NodeId(0), NodeId(150_000));
    assert_eq!(search.run(&small, &mut Slice::new(5)), Status::Working);
    assert_eq!(search.run(&large, &mut Slice::unlimited()), Status::Reached);
    let mut agent =
        TimeBounded::new(&small, TimeBoundedConfig::default(), NodeId(0), NodeId(9)).unwrap();
    agent.tick(&small, NodeId(0), Seen::default(), &mut Slice::new(3));
    agent.tick(&large, NodeId(1), Seen::default(), &mut Slice::new(3));
}

/// F8: eight bytes were kept for each search that a learning agent had ever done.
#[test]
fn the_memory_of_a_learning_search_is_bounded() {
    let grid = Grid::new(40, 40).unwrap();
    let [goal] = nodes(&grid, [(39, 20)]);
    let mut search = BestFirst::new(SearchConfig { learn: true, ..SearchConfig::default() });
    let mut bytes = Vec::new();
    for round in 0..200_000_u32 {
        let [root] = nodes(&grid, [(round % 7, 20)]);
        search.start(&grid, root, goal);
        search.run(&grid, &mut Slice::new(3));
        if round % 50_000 == 49_999 {
            bytes.push(search.bytes());
        }
    }
    assert!(bytes.iter().all(|&bytes| bytes < 100_000), "{bytes:?}");
    // The learned heuristic is still there: the true distance from the common start.
    let [root] = nodes(&grid, [(0, 20)]);
    assert!(search.estimate(&grid, root) >= grid.estimate(root, goal));
}

/// F8: changes that D* Lite had not processed yet accumulated, up to twice the size of the map.
#[test]
fn pending_changes_do_not_accumulate() {
    let mut grid = Grid::new(512, 512).unwrap();
    let [start, goal] = nodes(&grid, [(2, 30), (57, 30)]);
    let mut agent = DStarLite::new(&grid, DStarLiteConfig::default(), start, goal).unwrap();
    agent.tick(&grid, start, Seen::default(), &mut Slice::new(100));
    for tick in 0..50_000 {
        let cell = Cell::new(30, 30);
        grid.set_free(cell, tick % 2 == 0).unwrap();
        let changed = [grid.node(cell).unwrap()];
        agent.tick(&grid, start, Seen { changed: &changed }, &mut Slice::new(0));
    }
    assert!(agent.bytes() < 100_000, "{}", agent.bytes());
}

/// F9: a `gamma` with a large denominator made all edges of a level equally expensive; and other settings out of range
/// were silently replaced.
#[test]
fn settings_out_of_range_are_rejected() {
    let map = layered(Grid::new(20, 20).unwrap());
    let [start, goal] = nodes(&map, [(0, 0), (19, 19)]);
    let setting = |error: AgentError| match error {
        AgentError::Setting { name, .. } => name,
        other => panic!("{other}"),
    };
    for gamma in ["1/101", "333/1000", "0", "2"] {
        let config = PrLrtaConfig { gamma: gamma.parse().unwrap(), ..PrLrtaConfig::default() };
        assert_eq!(setting(PrLrta::new(&map, config, start, goal).unwrap_err()), "gamma");
    }
    let config = PrLrtaConfig { level: 0, ..PrLrtaConfig::default() };
    assert_eq!(setting(PrLrta::new(&map, config, start, goal).unwrap_err()), "level");
    let config = DLrtaConfig { depth: 0, ..DLrtaConfig::default() };
    assert_eq!(setting(DLrta::new(&map, config, start, goal).unwrap_err()), "depth");
    let config = PraConfig { k: Some(0), ..PraConfig::default() };
    assert_eq!(setting(Pra::new(&map, config, start, goal).unwrap_err()), "k");
    let lookahead = Lookahead::Ball { depth: 0 };
    let config = LocalConfig { lookahead, ..LocalConfig::default() };
    assert_eq!(setting(Local::new(&map, config, start, goal).unwrap_err()), "depth");
}

/// F12: a self-loop let P LRTA* raise its heuristic only by the cost of that edge at a time.
#[test]
fn a_self_loop_does_not_slow_an_agent_down() {
    let edges = [edge(0, 1, 100_000), edge(0, 2, 10_000_000), edge(1, 1, 1)];
    let graph = Graph::undirected(3, edges).unwrap();
    for length in [0, 1, 40] {
        let config =
            LocalConfig { lookahead: Lookahead::Queue { length }, ..LocalConfig::default() };
        let mut agent = Local::new(&graph, config, NodeId(1), NodeId(2)).unwrap();
        let (mut at, mut ticks) = (NodeId(1), 0);
        while let Step::Move(to) = agent.tick(&graph, at, Seen::default(), &mut Slice::new(100)) {
            (at, ticks) = (to, ticks + 1);
            assert!(ticks < 500, "queue of {length}");
        }
        assert_eq!(at, NodeId(2));
    }
}

/// Under a deadline, what cannot be refused (hundreds of reported changes, or the scan of an open list) used up the units
/// for a decision, and the agent waited forever.
#[test]
fn agents_under_a_deadline_act_at_once_whatever_cannot_be_refused() {
    let rooms = |Cell { x, y }| x % 10 != 5 || y % 20 == 7;
    let map = layered(Grid::from_fn(60, 60, rooms).unwrap());
    let free: Vec<_> = map.free_cells().map(|cell| map.node(cell).unwrap()).collect();
    let (start, goal) = (free[0], free[free.len() - 1]);
    let far: Vec<_> = free.iter().copied().filter(|&node| map.cell(node).x > 30).collect();
    for entry in catalog::all().iter().filter(|entry| entry.facts.first_move == FirstMove::AtOnce) {
        for changed in [&far[..0], &far[..500]] {
            let config = entry.configure::<&str, &str>(&[]).unwrap();
            let mut agent = config.agent(&map, start, goal).unwrap();
            let mut at = start;
            for tick in 0..80 {
                let mut clock = || false;
                let slice = &mut Slice::deadline(&mut clock);
                match agent.tick(&map, at, Seen { changed }, slice) {
                    Step::Move(to) => at = to,
                    step => {
                        panic!("{}, {} changes: {step:?} in tick {tick}", entry.name, changed.len())
                    }
                }
            }
        }
    }
}
