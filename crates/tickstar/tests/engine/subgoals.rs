//! Subgoal tables compared with oracles: a search for every pair, and a literal implementation of LRTA*.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::{Kind, LayeredGraph, LayeredGrid, OnPanic, Oracle, Problem, Random};
use tickstar::agent::d_lrta::{DLrta, DLrtaConfig, Subgoals};
use tickstar::{
    Agent, Cell, Cost, Graph, Grid, Hierarchy, Layered, Map, NodeId, Seen, Slice, Space, Step,
};

/// The nodes of a level.
fn nodes_of(hierarchy: &Hierarchy, level: usize) -> Vec<NodeId> {
    let space = hierarchy.level(level);
    (0..space.size() as u32).map(NodeId).filter(|&node| space.contains(node)).collect()
}

/// The cell of a node closest to its mean position; ties go to the smallest id.
fn representative(space: &impl Map, cells: &[NodeId]) -> NodeId {
    let at = |cell: NodeId| {
        let (x, y) = space.position(cell).unwrap_or_default();
        (i64::from(x), i64::from(y))
    };
    let count = cells.len() as i64;
    let (x, y) = cells.iter().map(|&cell| at(cell)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    let off = |cell: &&NodeId| {
        let (cx, cy) = at(**cell);
        ((cx * count - x).pow(2) + (cy * count - y).pow(2), **cell)
    };
    *cells.iter().min_by_key(off).unwrap()
}

/// The literal definition of LRTA* with this lookahead, given the edges in visiting order and the heuristic of each
/// node: its step, and the updated heuristic of its own node.
fn look_ahead(
    told: &Oracle,
    h: &impl Fn(NodeId) -> u64,
    (from, goal): (NodeId, NodeId),
    depth: u32,
) -> Option<(NodeId, u64)> {
    // The ball: the goal is a leaf.
    let mut inside = BTreeSet::new();
    let mut rim = BTreeSet::from([from]);
    for _ in 0..depth {
        let grown: BTreeSet<_> = rim.iter().copied().filter(|&node| node != goal).collect();
        let next = grown.iter().flat_map(|&node| told.edges_of(node)).map(|&(to, _)| to);
        let next: BTreeSet<_> = next.collect();
        inside.extend(grown);
        rim.retain(|node| *node == goal);
        rim.extend(next.difference(&inside));
    }
    // The value of each node inside: the minimum that its neighbors imply, but at least its own heuristic.
    let mut ahead: BTreeMap<_, _> = inside.iter().map(|&node| (node, u64::MAX)).collect();
    let value = |ahead: &BTreeMap<_, _>, node| ahead.get(&node).copied().unwrap_or_else(|| h(node));
    loop {
        let before = ahead.clone();
        for &node in &inside {
            let ways = told.edges_of(node).iter();
            let least = ways.map(|&(to, cost)| value(&ahead, to).saturating_add(cost.0)).min();
            ahead.insert(node, least.unwrap_or(u64::MAX).max(h(node)).min(before[&node]));
        }
        if ahead == before {
            break;
        }
    }
    // Ties: the goal, then the more expensive step, then the last.
    let ways = told.edges_of(from).iter().rev().filter(|&&(to, _)| to != from);
    let ways = ways.map(|&(to, cost)| (cost.0.saturating_add(value(&ahead, to)), to, cost));
    let best = ways.min_by_key(|&(total, to, cost)| (total, to != goal, u64::MAX - cost.0));
    best.map(|(total, to, _)| (to, total))
}

/// The cheapest paths from a cell that stay inside a node up to their last step.
fn distances_inside(oracle: &Oracle, from: NodeId, cells: &BTreeSet<NodeId>) -> Vec<Option<Cost>> {
    let leaves =
        |node: NodeId| oracle.edges_of(node).iter().map(move |&(to, cost)| (node, to, cost));
    let edges: Vec<_> = cells.iter().flat_map(|&node| leaves(node)).collect();
    Oracle::of_edges(oracle.size(), &edges, true).distances(from)
}

/// Checks all tables of a level. Returns how many depths were above one, and how many had no limit.
fn check(space: &impl Map, oracle: &Oracle, hierarchy: &Hierarchy, level: usize) -> [usize; 3] {
    let tables = Subgoals::build(space, hierarchy, level);
    let told = Oracle::in_visit_order(space);
    let nodes = nodes_of(hierarchy, level);
    assert_eq!((tables.level(), tables.nodes()), (level, nodes.len()));
    let plan = Subgoals::plan(space, hierarchy, level);
    let mut counts = [0; 3];
    let (mut pairs, mut ways) = (0, BTreeSet::new());
    for &a in &nodes {
        let cells = hierarchy.cells(level, a);
        let from = representative(space, &cells);
        assert_eq!(plan.representative(a), Some(from));
        let cells: BTreeSet<_> = cells.into_iter().collect();
        let (distances, inside) = (oracle.distances(from), distances_inside(oracle, from, &cells));
        for &b in &nodes {
            let to = representative(space, &hierarchy.cells(level, b));
            let found = tables.get(a, b);
            let Some(whole) = distances[to.index()].filter(|_| a != b) else {
                assert_eq!(found, None, "{a} and {b}");
                continue;
            };
            let found = found.unwrap_or_else(|| panic!("no entry from {a} to {b}"));
            pairs += 1;
            assert!(!cells.contains(&found.cell), "{} is inside", found.cell);
            let rest = oracle.distance(found.cell, to).unwrap();
            let way =
                inside[found.cell.index()].expect("the subgoal is the first cell outside the node");
            assert_eq!(way + rest, whole, "from {a} to {b}: {} is on no cheapest path", found.cell);
            if !ways.insert((a, found.cell)) {
                continue;
            }
            let ahead = oracle.distances(found.cell);
            let begins_well = |depth| {
                let h = |node| space.estimate(node, found.cell).0;
                let (first, _) = look_ahead(&told, &h, (from, found.cell), depth).unwrap();
                oracle.edge(from, first).unwrap() + ahead[first.index()].unwrap()
                    == ahead[from.index()].unwrap()
            };
            let least = (1..=15).find(|&depth| begins_well(depth));
            assert_eq!(found.depth, least.unwrap_or(15), "from {from} to {}", found.cell);
            counts[0] += 1;
            counts[1] += usize::from(found.depth > 1);
            counts[2] += usize::from(least.is_none());
        }
    }
    assert_eq!((tables.pairs(), tables.ways()), (pairs, ways.len()));
    counts
}

fn add(total: &mut [usize; 3], more: [usize; 3]) {
    total.iter_mut().zip(more).for_each(|(total, more)| *total += more);
}

#[test]
fn every_subgoal_is_on_a_cheapest_path_and_every_depth_is_minimal() {
    let mut random = Random::new(1);
    let mut total = [0; 3];
    for case in 0..60 {
        let problem = if case % 2 == 0 {
            Problem::<LayeredGrid>::random(&mut random)
        } else {
            Problem::hard(&mut random, 26)
        };
        let _context = OnPanic((case, problem.clone()));
        let hierarchy = problem.space.hierarchy().unwrap();
        let level = random.pick(&[2, 3, 4]);
        add(&mut total, check(&problem.space, &problem.oracle, hierarchy, level));
    }
    assert!(total[0] > 2000 && total[1] > 50, "{total:?}");
}

#[test]
fn subgoals_and_depths_are_correct_on_graphs() {
    let mut random = Random::new(2);
    let mut total = [0; 3];
    for case in 0..80 {
        let kind = random.pick(&[Kind::Undirected, Kind::Positioned]);
        let problem = Problem::<LayeredGraph>::random(&mut random, kind);
        let _context = OnPanic((case, problem.clone()));
        let graph = &problem.space;
        let level = random.pick(&[1, 2, 3]);
        add(&mut total, check(graph, &problem.oracle, graph.hierarchy().unwrap(), level));
    }
    assert!(total[0] > 300 && total[1] > 50, "{total:?}");
}

#[test]
fn the_depth_is_the_maximum_where_none_suffices() {
    // A line on which, of two paths that look equal, LRTA* takes the left one.
    let edges = (1..400).rev().map(|n| (NodeId(n - 1), NodeId(n), Cost(1)));
    let graph = Layered::new(Graph::undirected(400, edges).unwrap()).unwrap();
    let hierarchy = graph.hierarchy().unwrap();
    let [all, deeper, without] = check(&graph, &Oracle::in_visit_order(&graph), hierarchy, 5);
    assert!(all > without && deeper >= without && without > 0, "{all} {deeper} {without}");
}

#[test]
fn the_order_of_the_searches_does_not_matter() {
    let mut random = Random::new(3);
    for case in 0..20 {
        let problem = Problem::hard(&mut random, 40);
        let _context = OnPanic((case, problem.clone()));
        let (grid, hierarchy) = (&problem.space, problem.space.hierarchy().unwrap());
        let level = random.pick(&[1, 2, 3]);
        let tables = Subgoals::build(grid, hierarchy, level);
        let plan = Subgoals::plan(grid, hierarchy, level);
        let mut columns = std::thread::scope(|scope| {
            let of = |part: usize| {
                let mut search = plan.search();
                let targets = (0..plan.targets()).filter(|target| target % 3 == part);
                targets.map(|target| plan.column(target, &mut search)).collect::<Vec<_>>()
            };
            let threads = [0, 1, 2].map(|part| scope.spawn(move || of(part)));
            threads.map(|thread| thread.join().unwrap()).concat()
        });
        for i in (1..columns.len()).rev() {
            columns.swap(i, random.below(i as u64 + 1) as usize);
        }
        let missing = columns.clone();
        columns.push(plan.column(plan.targets() + 5, &mut plan.search())); // of no target: ignored
        let shuffled = plan.finish(columns);
        assert!(shuffled == tables);
        assert_eq!(shuffled.to_bytes(), tables.to_bytes());
        // Without its column, a target has no entries; the others are unaffected.
        let plan = Subgoals::plan(grid, hierarchy, level);
        let some = plan.finish(missing.into_iter().skip(1).collect());
        assert!(some.pairs() <= tables.pairs());
        for a in nodes_of(hierarchy, level) {
            for b in nodes_of(hierarchy, level) {
                assert!(some.get(a, b).is_none() || some.get(a, b) == tables.get(a, b));
            }
        }
    }
}

#[test]
fn any_change_of_the_map_drops_the_subgoals() {
    let mut grid = Layered::new(Grid::new(30, 30).unwrap()).unwrap();
    let tables = Subgoals::build(&grid, grid.hierarchy().unwrap(), 2);
    grid.set_subgoals(tables.clone());
    let kept = grid.clone();
    assert_eq!(grid.subgoals(), Some(&tables));
    grid.set_free(Cell::new(3, 3), true).unwrap();
    assert!(grid.subgoals().is_some(), "nothing has changed");
    grid.set_free(Cell::new(3, 3), false).unwrap();
    assert!(grid.subgoals().is_none());
    assert_eq!(kept.subgoals(), Some(&tables), "a clone keeps its own");
    // A regrouped region has different nodes, although the map is the same.
    for (x, y) in (0..30).flat_map(|x| (6..12).map(move |y| (x, y))) {
        grid.edit(&[(Cell::new(x, y), false)]).unwrap();
        grid.edit(&[(Cell::new(x, y), true)]).unwrap();
    }
    let tables = Subgoals::build(&grid, grid.hierarchy().unwrap(), 2);
    grid.set_subgoals(tables);
    assert!(grid.hierarchy().unwrap().worn_regions() > 0);
    grid.tend(&mut Slice::new(1));
    assert!(grid.subgoals().is_some(), "not yet paid for");
    assert!(grid.tend(&mut Slice::unlimited()));
    assert!(grid.subgoals().is_none());
    // Without a hierarchy, subgoals cannot be attached.
    let mut plain = Layered::flat(Grid::new(5, 5).unwrap());
    plain.set_subgoals(Subgoals::build(&grid, grid.hierarchy().unwrap(), 2));
    assert!(plain.hierarchy().is_none() && plain.subgoals().is_none());
}

#[test]
fn a_graph_keeps_its_subgoals() {
    let edges = (1..30).map(|n| (NodeId(n - 1), NodeId(n), Cost(3)));
    let mut graph = Layered::new(Graph::undirected(30, edges).unwrap()).unwrap();
    let tables = Subgoals::build(&graph, graph.hierarchy().unwrap(), 1);
    graph.set_subgoals(tables.clone());
    let bytes = tables.to_bytes();
    let hierarchy = graph.hierarchy().unwrap();
    assert_eq!(graph.subgoals(), Some(&tables));
    assert_eq!(Subgoals::from_bytes(&bytes, &graph, hierarchy), Ok(tables));
}

#[test]
fn d_lrta_follows_its_subgoals_and_depths() {
    let mut random = Random::new(4);
    let (mut again, mut moves) = (0, 0);
    for case in 0..120 {
        let mut problem = Problem::hard(&mut random, 26);
        let config = DLrtaConfig { level: 1 + case % 3, depth: 1 + case % 2, crossings: case % 4 };
        let _context = OnPanic((case, config, problem.clone()));
        let grid = &mut problem.space;
        let level = config.level as usize;
        let tables = Subgoals::build(grid, grid.hierarchy().unwrap(), level);
        grid.set_subgoals(tables.clone());
        if problem.optimum.is_none() {
            continue;
        }
        let hierarchy = grid.hierarchy().unwrap();
        let over = |cell| hierarchy.ancestor(cell, level);
        let told = Oracle::in_visit_order(grid);
        let mut agent = DLrta::new(grid, config, problem.start, problem.goal).unwrap();
        let mut visits: BTreeMap<Option<NodeId>, u32> = BTreeMap::new();
        let (mut here, mut subgoal) = (None, None);
        let (mut home, mut about, mut stage) = (BTreeMap::new(), None, BTreeMap::new());
        let mut at = problem.start;
        while at != problem.goal {
            if over(at) != here || subgoal.is_none() {
                if over(at) != here {
                    *visits.entry(over(at)).or_default() += 1;
                    again += usize::from(visits[&over(at)] > config.crossings + 1);
                }
                here = over(at);
                let known = here.zip(over(problem.goal)).and_then(|(a, b)| tables.get(a, b));
                subgoal = known.filter(|_| visits[&here] <= config.crossings);
                let cell = subgoal.map(|subgoal| subgoal.cell);
                if cell.is_some() && cell != about {
                    about = cell;
                    stage.clear();
                }
            }
            let (target, depth, raised) = match subgoal {
                Some(subgoal) => (subgoal.cell, subgoal.depth, &mut stage),
                None => (problem.goal, config.depth, &mut home),
            };
            let plain = |node| grid.estimate(node, target).0;
            let h = |node| raised.get(&node).copied().unwrap_or_else(|| plain(node));
            let (to, total) = look_ahead(&told, &h, (at, target), depth).unwrap();
            let total = total.max(h(at));
            raised.insert(at, total);
            let step = agent.tick(grid, agent.position(), Seen::default(), &mut Slice::unlimited());
            assert_eq!(step, Step::Move(to), "from {at} to {target}");
            at = to;
            moves += 1;
        }
    }
    assert!(again > 10 && moves > 3000, "{again} {moves}");
}
