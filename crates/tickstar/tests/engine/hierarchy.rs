//! The hierarchy of a map: invariants after construction, and after any number of repairs.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::{OnPanic, Oracle, Random};
use tickstar::hierarchy::{HierarchyError, Level};
use tickstar::space::{Corners, Neighbors};
use tickstar::{Cell, Cost, Graph, Grid, Hierarchy, Layered, Map, NodeId, Slice, Space};

/// Checks all invariants of a hierarchy against the edges of the map.
fn check(space: &impl Map, oracle: &Oracle, hierarchy: &Hierarchy) {
    let mut nodes: BTreeSet<NodeId> =
        (0..space.size() as u32).map(NodeId).filter(|&node| space.contains(node)).collect();
    let mut edges: BTreeSet<(NodeId, NodeId)> = BTreeSet::new();
    for &node in &nodes {
        edges.extend(
            oracle.edges_of(node).iter().map(|&(to, _)| (node, to)).filter(|(a, b)| a != b),
        );
    }
    let mut cells: BTreeMap<NodeId, (i64, i64, u32)> = BTreeMap::new();
    for &node in &nodes {
        let (x, y) = space.position(node).unwrap_or_default();
        cells.insert(node, (x.into(), y.into(), 1));
    }
    let placed = nodes.iter().all(|&node| space.position(node).is_some());
    for level in 0.. {
        let mut groups: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
        for &node in &nodes {
            let joined = edges.range((node, NodeId(0))..).next().is_some_and(|e| e.0 == node);
            let parent = hierarchy.parent(level, node);
            assert_eq!(
                parent.is_some(),
                joined,
                "level {level}, {node}: it has a parent if it has edges"
            );
            if let Some(parent) = parent {
                groups.entry(parent).or_default().push(node);
            }
        }
        if groups.is_empty() {
            assert!(edges.is_empty());
            assert_eq!(hierarchy.height(), level);
            break;
        }
        let above = level + 1;
        assert_eq!(hierarchy.count(above), groups.len());
        let mut sums = BTreeMap::new();
        for (&group, members) in &groups {
            let mut children: Vec<_> = hierarchy.children(above, group).collect();
            children.sort();
            assert_eq!(&children, members, "level {above}, {group}: its children");
            assert!(is_connected(members, &edges), "level {above}, {group}: connected inside");
            let sum = members.iter().map(|node| cells[node]);
            let sum = sum.fold((0, 0, 0), |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2));
            assert_eq!(hierarchy.position(above, group), placed.then_some(sum));
            assert_eq!(hierarchy.cell_count(above, group), sum.2);
            if let (&[only], true) = (&members[..], level > 0) {
                let below = hierarchy.children(level, only).len();
                assert!(below > 1, "level {above}, {group}: a single node on two levels");
            }
            sums.insert(group, sum);
        }
        let mut counts: BTreeMap<(NodeId, NodeId), u32> = BTreeMap::new();
        for &(a, b) in &edges {
            let (p, q) = (hierarchy.parent(level, a).unwrap(), hierarchy.parent(level, b).unwrap());
            if p != q {
                *counts.entry((p, q)).or_default() += 1;
            }
        }
        let mut links = BTreeMap::new();
        for &group in groups.keys() {
            for (to, count) in hierarchy.links(above, group) {
                assert!(links.insert((group, to), count).is_none(), "a duplicate edge");
                assert!(hierarchy.linked(above, group, to));
            }
        }
        assert_eq!(links, counts, "level {above}: edges and their counts");
        let space = hierarchy.level(above);
        let most = space.max_edge_cost();
        for &group in groups.keys() {
            assert!(space.contains(group));
            space.for_each_edge(group, |to, cost| {
                assert!(cost > Cost::ZERO && cost <= most && most.0 < 1 << 32);
                assert_eq!(space.edge(to, group), Some(cost));
                // These maps have no terrain.
                assert_eq!(space.estimate(group, to).max(Cost(1)), cost, "level {above}");
            });
        }
        nodes = groups.into_keys().collect();
        edges = counts.into_keys().collect();
        cells = sums;
    }
}

fn is_connected(members: &[NodeId], edges: &BTreeSet<(NodeId, NodeId)>) -> bool {
    let mut seen = BTreeSet::from([members[0]]);
    let mut stack = vec![members[0]];
    while let Some(node) = stack.pop() {
        for &(_, to) in edges.range((node, NodeId(0))..=(node, NodeId(u32::MAX))) {
            if members.contains(&to) && seen.insert(to) {
                stack.push(to);
            }
        }
    }
    seen.len() == members.len()
}

/// Checks reachability between some random nodes.
fn check_reachable(space: &impl Map, oracle: &Oracle, hierarchy: &Hierarchy, random: &mut Random) {
    let nodes: Vec<_> =
        (0..space.size() as u32).map(NodeId).filter(|&node| space.contains(node)).collect();
    for _ in 0..nodes.len().min(4) {
        let from = random.pick(&nodes);
        let distances = oracle.distances(from);
        for &to in &nodes {
            let way = distances[to.index()].is_some();
            assert_eq!(hierarchy.reachable(from, to), way, "{from} and {to}");
            assert_eq!(hierarchy.root(from) == hierarchy.root(to), way);
        }
    }
}

fn random_grid(random: &mut Random, side: u64) -> Grid {
    let [width, height] = [0; 2].map(|_| 1 + random.below(side) as u32);
    let mut grid = Grid::new(width, height).unwrap();
    let percent = random.pick(&[0, 5, 15, 30, 45, 60]);
    for cell in grid.free_cells().collect::<Vec<_>>() {
        if random.chance(percent) {
            grid.set_free(cell, false).unwrap();
        }
    }
    let corners = random.pick(&[Corners::Never, Corners::Allowed]);
    let neighbors = random.pick(&[Neighbors::Eight, Neighbors::Eight, Neighbors::Four]);
    grid.with_corners(corners).with_neighbors(neighbors)
}

#[test]
fn a_new_hierarchy_satisfies_its_invariants() {
    let mut random = Random::new(1);
    for case in 0..400 {
        let grid = Layered::new(random_grid(&mut random, 30)).unwrap();
        let _context = OnPanic((case, grid.clone()));
        let (oracle, hierarchy) = (Oracle::of_grid(&grid), grid.hierarchy().unwrap());
        check(&grid, &oracle, hierarchy);
        check_reachable(&grid, &oracle, hierarchy, &mut random);
    }
}

#[test]
fn a_repaired_hierarchy_satisfies_its_invariants() {
    let mut random = Random::new(2);
    let mut edits = 0;
    for case in 0..60 {
        let mut grid = Layered::new(random_grid(&mut random, 24)).unwrap();
        let mut tended = 0;
        let [width, height] = [grid.width(), grid.height()].map(u64::from);
        for step in 0..400 {
            let many = if random.chance(10) { random.below(30) } else { 1 };
            let density = random.pick(&[20, 50, 80]);
            let cells: Vec<_> = (0..many)
                .map(|_| {
                    let cell = Cell::new(random.below(width) as u32, random.below(height) as u32);
                    (cell, random.chance(density))
                })
                .collect();
            let before = grid.clone();
            let _context = OnPanic((case, step, before, &cells));
            grid.edit(&cells).unwrap();
            edits += cells.len();
            if random.chance(20) {
                let worn = grid.hierarchy().unwrap().worn_regions();
                grid.tend(&mut Slice::new(random.below(100)));
                tended += worn - grid.hierarchy().unwrap().worn_regions();
            }
            if step % 10 == 0 || step > 390 {
                let (oracle, hierarchy) = (Oracle::of_grid(&grid), grid.hierarchy().unwrap());
                check(&grid, &oracle, hierarchy);
                check_reachable(&grid, &oracle, hierarchy, &mut random);
            }
        }
        assert!(tended > 0 || width * height < 100, "no region was regrouped");
    }
    assert!(edits > 50_000, "{edits}");
}

#[test]
fn hierarchies_of_graphs_satisfy_their_invariants() {
    let mut random = Random::new(3);
    for case in 0..200 {
        let nodes = 1 + random.below(60);
        let edges: Vec<_> = (0..random.below(3 * nodes))
            .map(|_| {
                let [a, b] = [0; 2].map(|_| NodeId(random.below(nodes) as u32));
                (a, b, Cost(1 + random.below(1000)))
            })
            .collect();
        let _context = OnPanic((case, edges.clone()));
        let Ok(graph) = Layered::new(Graph::undirected(nodes as usize, edges).unwrap()) else {
            continue;
        };
        let oracle = Oracle::in_visit_order(&graph);
        check(&graph, &oracle, graph.hierarchy().unwrap());
        check_reachable(&graph, &oracle, graph.hierarchy().unwrap(), &mut random);
    }
}

#[test]
fn hierarchies_of_difficult_graphs_are_low_and_built_quickly() {
    let pair = |a, b| (NodeId(a), NodeId(b), Cost(1));
    // Takes hours if the edges of a hub are scanned for each of them.
    let n = 200_000;
    let star = (1..n).map(|leaf| pair(0, leaf)).collect::<Vec<_>>();
    let two_hubs = (2..n).flat_map(|leaf| [pair(0, leaf), pair(1, leaf)]).collect::<Vec<_>>();
    let line = (1..n).map(|node| pair(node - 1, node)).collect::<Vec<_>>();
    let wheel = (1..n).flat_map(|node| [pair(0, node), pair(node, 1 + node % (n - 1))]).collect();
    for edges in [star, two_hubs, line, wheel] {
        let graph = Layered::new(Graph::undirected(n as usize, edges).unwrap()).unwrap();
        let hierarchy = graph.hierarchy().unwrap();
        assert!(hierarchy.height() <= 36, "{} levels", hierarchy.height());
        assert!(
            hierarchy.nodes_visited() < 40 * u64::from(n),
            "{} looks",
            hierarchy.nodes_visited()
        );
        assert!(hierarchy.reachable(NodeId(1), NodeId(n - 1)));
    }
}

#[test]
fn the_graph_of_figure_2() {
    // Two 4-cliques, one with an orphan; D joins them; so does C, which has an orphan of its own.
    let a = [0, 1, 2, 3];
    let b = [5, 6, 7, 8];
    let (orphan, c, its_orphan, d) = (4, 9, 10, 11);
    let clique =
        |n: [u32; 4]| [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].map(|(i, j)| (n[i], n[j]));
    let rest = [(0, orphan), (2, c), (c, 5), (c, its_orphan), (3, d), (d, 7)];
    let edges: Vec<_> = clique(a).into_iter().chain(clique(b)).chain(rest).collect();
    assert_eq!(edges.len(), 18);
    let edges = edges.into_iter().map(|(a, b)| (NodeId(a), NodeId(b), Cost(1)));
    let graph = Layered::new(Graph::undirected(12, edges).unwrap()).unwrap();
    let hierarchy = graph.hierarchy().unwrap();
    let group = |node: u32| {
        let parent = hierarchy.parent(0, NodeId(node)).unwrap();
        hierarchy.children(1, parent).map(|node| node.0).collect::<BTreeSet<_>>()
    };
    assert_eq!(group(0), BTreeSet::from([0, 1, 2, 3, orphan]));
    assert_eq!(group(5), BTreeSet::from(b));
    assert_eq!(group(c), BTreeSet::from([c, its_orphan]));
    assert_eq!(group(d), BTreeSet::from([d]));
    let edges = |level| {
        let nodes = (0..hierarchy.count(level) as u32).map(NodeId);
        nodes.map(|node| hierarchy.links(level, node).len()).sum::<usize>() / 2
    };
    assert_eq!((hierarchy.count(1), edges(1)), (4, 4));
    assert_eq!((hierarchy.count(2), edges(2)), (2, 1));
    assert_eq!((hierarchy.count(3), edges(3)), (1, 0));
    assert_eq!(hierarchy.height(), 3);
}

#[test]
fn directed_edges_are_rejected() {
    let graph = Graph::directed(2, [(NodeId(0), NodeId(1), Cost(1))]).unwrap();
    assert_eq!(Layered::new(graph).unwrap_err(), HierarchyError::NotReversible);
}

/// Cells are blocked and opened all over the map until it is as before.
#[test]
fn tending_restores_most_of_the_quality_lost_to_repairs() {
    let mut random = Random::new(5);
    let mut grid = Grid::new(64, 64).unwrap();
    for cell in grid.free_cells().collect::<Vec<_>>() {
        if cell.x % 16 == 15 && cell.y % 16 > 4 {
            grid.set_free(cell, false).unwrap();
        }
    }
    let mut grid = Layered::new(grid).unwrap();
    let (map, new) = (grid.clone(), grid.hierarchy().unwrap().clone());
    let free: Vec<_> = grid.free_cells().collect();
    for _ in 0..10 {
        // A fifth of the cells at a time, one by one.
        let some: Vec<_> = free.iter().filter(|_| random.chance(20)).copied().collect();
        for state in [false, true] {
            for &cell in &some {
                grid.set_free(cell, state).unwrap();
            }
        }
    }
    assert!(grid.free_cells().eq(map.free_cells()));
    let nodes = |h: &Hierarchy| (1..=h.height()).map(|level| h.count(level)).sum::<usize>();
    let (least, worn) = (nodes(&new), nodes(grid.hierarchy().unwrap()));
    assert!(worn * 10 > least * 13, "{worn} nodes, {least} when new");
    // In small slices: a region is paid for before it is rebuilt, and none is larger than this.
    let mut slices = 0;
    let mut before = grid.hierarchy().unwrap().nodes_visited();
    loop {
        let mut slice = Slice::new(40);
        let done = grid.tend(&mut slice);
        slices += 1;
        let after = grid.hierarchy().unwrap().nodes_visited();
        assert!(slice.updates() <= 40 && after - before < 4000, "{}", after - before);
        before = after;
        if done {
            break;
        }
    }
    assert!(slices > 50, "{slices}");
    check(&grid, &Oracle::of_grid(&grid), grid.hierarchy().unwrap());
    let tended = nodes(grid.hierarchy().unwrap());
    // The borders of the regions remain as ragged as they have become.
    assert!((tended - least) * 2 < worn - least, "{tended} nodes, {worn} worn, {least} when new");
    assert!(grid.tend(&mut Slice::new(0)), "there is nothing left to do");
}

/// The work for one cell grows logarithmically with the map, and the construction of the levels linearly.
#[test]
fn repairs_touch_a_few_nodes_on_each_level() {
    let mut random = Random::new(7);
    let mut means = Vec::new();
    for side in [32_u32, 64, 128, 256, 512] {
        let mut grid = Grid::new(side, side).unwrap();
        for cell in grid.free_cells().collect::<Vec<_>>() {
            let wall = cell.x % 16 == 7 && cell.y % 16 != 3 || random.chance(3);
            grid.set_free(cell, !wall).unwrap();
        }
        let mut grid = Layered::new(grid).unwrap();
        let cells = grid.free_cells().count() as u64;
        let made = grid.hierarchy().unwrap().nodes_visited();
        assert!(made < 4 * cells, "{side}: {made} visits for {cells} cells");
        let (mut all, mut most) = (0, 0);
        for _ in 0..500 {
            let [x, y] = [0; 2].map(|_| random.below(side.into()) as u32);
            let cell = Cell::new(x, y);
            for free in [!grid.is_free(cell), grid.is_free(cell)] {
                let before = grid.hierarchy().unwrap().nodes_visited();
                grid.set_free(cell, free).unwrap();
                let looks = grid.hierarchy().unwrap().nodes_visited() - before;
                (all, most) = (all + looks, most.max(looks));
            }
        }
        let mean = all as f64 / 1000.0;
        assert!(mean < 1.5 * (cells as f64).log2(), "{side}: {mean} nodes per repair");
        assert!(most < 12 * u64::from(side.ilog2()), "{side}: {most} nodes at most");
        means.push(mean);
    }
    // Sixteen times the side, 256 times the cells.
    assert!(means[4] < 2.5 * means[0], "{means:?}");
}

/// The groups of all free cells of a map, on all levels.
fn groups(map: &Layered<Grid>, hierarchy: &Hierarchy) -> Vec<Vec<Option<NodeId>>> {
    let nodes: Vec<_> = map.free_cells().map(|cell| map.node(cell).unwrap()).collect();
    let of = |level| nodes.iter().map(|&node| hierarchy.ancestor(node, level)).collect();
    (1..=hierarchy.height()).map(of).collect()
}

/// An edit of a few cells visits a few nodes; an edit of very many cells rebuilds the levels, and does no more work
/// than that.
#[test]
fn a_large_edit_costs_no_more_than_a_new_hierarchy() {
    let mut random = Random::new(8);
    let map = Layered::new(Grid::new(128, 128).unwrap()).unwrap();
    let visits = |map: &Layered<Grid>| map.hierarchy().unwrap().nodes_visited();
    let (mut repaired, mut rebuilt) = (0, 0);
    for percent in [1, 1, 2, 10, 20, 40, 60] {
        let mut edited = map.clone();
        let cells = map.free_cells().filter(|_| random.chance(percent));
        let cells: Vec<_> = cells.map(|cell| (cell, false)).collect();
        edited.edit(&cells).unwrap();
        let took = visits(&edited) - visits(&map);
        let new = Hierarchy::new(edited.space()).unwrap();
        let same = groups(&edited, edited.hierarchy().unwrap()) == groups(&edited, &new);
        if percent < 3 {
            assert!(!same && took < new.nodes_visited(), "{percent} %: {took}");
            repaired += 1;
        } else {
            assert!(same && took == new.nodes_visited(), "{percent} %: {took}");
            rebuilt += 1;
        }
        check(&edited, &Oracle::of_grid(&edited), edited.hierarchy().unwrap());
        assert_eq!(edited.version(), map.version() + 1);
    }
    assert_eq!((repaired, rebuilt), (3, 4));
}

/// A space of the given number of ids, none of which is a node.
struct Void(usize);

impl Space for Void {
    const MAX_EDGES: usize = 0;

    fn size(&self) -> usize {
        self.0
    }

    fn contains(&self, _: NodeId) -> bool {
        false
    }

    fn for_each_edge(&self, _: NodeId, _: impl FnMut(NodeId, Cost)) {}

    fn max_edge_cost(&self) -> Cost {
        Cost(1)
    }

    fn is_reversible(&self) -> bool {
        true
    }
}

impl Map for Void {}

#[test]
fn a_space_with_too_many_ids_is_rejected() {
    // A grid of 32,769 by 65,505 cells has this many.
    for ids in [1 << 32, usize::MAX] {
        let error = Hierarchy::new(&Void(ids)).unwrap_err();
        assert_eq!(error, HierarchyError::TooLarge { ids, nodes: 0, edges: 0 });
        assert!(Layered::new(Void(ids)).is_err());
    }
    assert_eq!(Hierarchy::new(&Void(1000)).unwrap().height(), 0);
    // Ids that are unused because sides are rounded up do not count.
    assert!(Layered::new(Grid::new(33, 1).unwrap()).is_ok());
}

/// A line of nodes that can grow.
struct Line(u32);

impl Space for Line {
    fn size(&self) -> usize {
        self.0 as usize
    }

    fn contains(&self, node: NodeId) -> bool {
        node.0 < self.0
    }

    fn for_each_edge(&self, from: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        let ends = [from.0.checked_sub(1), from.0.checked_add(1)];
        for to in ends.into_iter().flatten().map(NodeId).filter(|&to| self.contains(to)) {
            if self.contains(from) {
                visit(to, Cost(1));
            }
        }
    }

    fn max_edge_cost(&self) -> Cost {
        Cost(1)
    }

    fn is_reversible(&self) -> bool {
        true
    }
}

impl Map for Line {}

#[test]
fn a_space_that_grows_or_shrinks_gets_a_new_hierarchy() {
    let mut line = Layered::new(Line(20)).unwrap();
    for length in [21, 60, 7, 1, 0, 30] {
        line.change(&[NodeId(19)], |line| line.0 = length);
        check(line.space(), &Oracle::in_visit_order(&line), line.hierarchy().unwrap());
        let last = NodeId(length.saturating_sub(1));
        assert!(line.hierarchy().unwrap().reachable(NodeId(0), last));
    }
    assert_eq!(line.version(), 6);
}

#[test]
fn clones_change_independently() {
    let mut map = Layered::new(Grid::new(20, 20).unwrap()).unwrap();
    let copy = map.clone();
    assert_eq!((map.version(), copy.version()), (0, 0));
    map.set_free(Cell::new(3, 3), false).unwrap();
    assert_eq!((map.version(), copy.version()), (1, 0));
    assert_eq!(map.set_free(Cell::new(3, 3), false), Ok(false));
    assert_eq!(map.version(), 1, "nothing changed");
    for map in [&map, &copy] {
        check(map, &Oracle::of_grid(map), map.hierarchy().unwrap());
    }
    map.flatten();
    assert!(map.hierarchy().is_none() && copy.hierarchy().is_some());
    map.set_free(Cell::new(3, 3), true).unwrap();
    map.build().unwrap();
    check(&map, &Oracle::of_grid(&map), map.hierarchy().unwrap());
    assert_eq!(map.version(), 4);
}

/// The edges of a new level are made at once where many ids are nodes, and one by one where few are: they are the
/// same, in the same order. On a much higher map with the same cells free, all of them have the same ids.
#[test]
fn edges_made_at_once_are_those_made_one_by_one() {
    let mut random = Random::new(12);
    for round in 0..200 {
        let blocked = round % 60;
        let free: Vec<bool> = (0..32 * 32).map(|_| !random.chance(blocked)).collect();
        let grid = |height| {
            let is_free = |cell: Cell| cell.y < 32 && free[(cell.y * 32 + cell.x) as usize];
            let neighbors = if round % 3 == 0 { Neighbors::Four } else { Neighbors::Eight };
            Grid::from_fn(32, height, is_free).unwrap().with_neighbors(neighbors)
        };
        let [at_once, one_by_one] =
            [32, 32 * 20].map(|height| Hierarchy::new(&grid(height)).unwrap());
        assert_eq!(at_once.height(), one_by_one.height());
        assert_eq!(at_once.nodes_visited(), one_by_one.nodes_visited());
        for level in 0..=at_once.height() {
            let [a, b] = [&at_once, &one_by_one].map(|hierarchy| hierarchy.level(level));
            assert!(level == 0 || a.size() == b.size());
            let size = if level == 0 { 32 * 32 } else { a.size() as u32 };
            for node in (0..size).map(NodeId) {
                let costs = |level: Level<'_>| {
                    let mut costs = Vec::new();
                    level.for_each_edge(node, |to, cost| costs.push((to, cost)));
                    costs
                };
                assert_eq!(costs(a), costs(b), "round {round}, level {level}, {node}");
                let [a, b] = [&at_once, &one_by_one].map(|hierarchy| {
                    let children: Vec<_> = hierarchy.children(level, node).collect();
                    let links: Vec<_> = hierarchy.links(level, node).collect();
                    let parent = hierarchy.parent(level, node);
                    (parent, children, links, hierarchy.position(level, node))
                });
                assert_eq!(a, b, "round {round}, level {level}, {node}");
            }
        }
    }
}

/// An edit of a shared map copies what it touches and one pointer per chunk, not the whole hierarchy.
#[test]
fn the_first_edit_of_a_clone_copies_little() {
    let mut random = Random::new(9);
    let mut most = Vec::new();
    for side in [128_u32, 256, 512, 1024] {
        let map = Layered::new(Grid::from_fn(side, side, |_| !random.chance(10)).unwrap()).unwrap();
        let original = map.hierarchy().unwrap();
        let own = |map: &Layered<Grid>| {
            let hierarchy = map.hierarchy().unwrap();
            hierarchy.bytes() - hierarchy.shared_bytes(original)
        };
        let copied = (0..200).map(|_| {
            let mut copy = map.clone();
            let [x, y] = [0; 2].map(|_| random.below(side.into()) as u32);
            let free = copy.is_free(Cell::new(x, y));
            copy.set_free(Cell::new(x, y), !free).unwrap();
            own(&copy)
        });
        most.push(copied.max().unwrap());
        // The same holds for edits of a blocked map that is opened, whose hierarchy was empty at first.
        let blocked = Layered::new(Grid::new_blocked(side, side).unwrap()).unwrap();
        let mut opened = blocked;
        let cells: Vec<_> = map.free_cells().map(|cell| (cell, true)).collect();
        cells.chunks(500).for_each(|cells| {
            opened.edit(cells).unwrap();
        });
        let mut copy = opened.clone();
        copy.set_free(cells[7].0, false).unwrap();
        let hierarchy = copy.hierarchy().unwrap();
        let own = hierarchy.bytes() - hierarchy.shared_bytes(opened.hierarchy().unwrap());
        assert!(side < 512 || own * 8 < hierarchy.bytes(), "{own} of {}", hierarchy.bytes());
    }
    let all = Layered::new(Grid::new(1024, 1024).unwrap()).unwrap().hierarchy().unwrap().bytes();
    assert!(most[3] * 40 < all, "{most:?} of {all}");
    assert!(most[3] < 2 * most[1], "sixteen times the cells: {most:?}");
}
