//! The levels of a map in numbers: how its groups are made up, what a cell belongs to, how two cells
//! are connected, and what repairs cost.

use rayon::prelude::*;
use serde::Serialize;
use thiserror::Error;
use tickstar::agent::d_lrta::Subgoals;
use tickstar::{Cell, Grid, Hierarchy, Layered, NodeId, Space};

use crate::Ranked;
use crate::generate::Dice;

/// A map and its levels, the map itself as level 0.
#[derive(Clone, Copy, Debug)]
pub struct Levels<'a> {
    /// The map.
    pub grid: &'a Grid,
    /// Its levels from 1 up.
    pub hierarchy: &'a Hierarchy,
}

/// One level in numbers.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Layer {
    /// Which one; 0 is the map.
    pub level: usize,
    /// Its nodes.
    pub nodes: usize,
    /// Its edges, each counted once.
    pub edges: usize,
    /// Neighbors a node.
    pub mean_degree: f64,
    /// The longest edge from one mean position to another, as the crow flies, in cells.
    pub longest_edge: f64,
    /// The groups of nodes of the level below that its nodes stand for; none on level 0.
    pub groups: Option<Groups>,
}

/// The groups of nodes that a level was made of.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Groups {
    /// Nodes in a group.
    pub mean_size: f64,
    /// Nodes in the largest one.
    pub largest: usize,
    /// Groups of two and more that are all joined to each other.
    pub cliques: usize,
    /// Groups of one.
    pub singles: usize,
    /// All others: something hangs on that is not joined to each member.
    pub others: usize,
}

/// A node of some level that a cell belongs to.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Ancestor {
    /// The level.
    pub level: usize,
    /// The node's id on its level.
    pub node: u32,
    /// The cells below it.
    pub cells: u32,
    /// Their mean column and row.
    pub mean: (f64, f64),
    /// Its neighbors on its level.
    pub neighbors: usize,
}

/// How two cells are connected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Connection {
    /// There is a way from one to the other.
    pub reachable: bool,
    /// The parents that had to be looked up to know.
    pub look_ups: usize,
    /// The first level on which an edge joins their nodes. It may be missing even if there is a way: two
    /// orphans of one group.
    pub joined: Option<usize>,
    /// The first level on which they are one node.
    pub merged: Option<usize>,
}

impl Levels<'_> {
    /// The nodes of a level.
    pub fn nodes(&self, level: usize) -> impl Iterator<Item = NodeId> + '_ {
        let (grid, layer) = (self.grid, self.hierarchy.level(level));
        let size = if level == 0 { grid.size() } else { layer.size() };
        let is_used = move |&node: &NodeId| match level {
            0 => grid.contains(node),
            _ => layer.contains(node),
        };
        (0..size as u32).map(NodeId).filter(is_used)
    }

    /// Calls `visit` with each neighbor of a node.
    pub fn for_each_neighbor(&self, level: usize, node: NodeId, mut visit: impl FnMut(NodeId)) {
        match level {
            0 => self.grid.for_each_edge(node, |to, _| visit(to)),
            _ => self.hierarchy.links(level, node).for_each(|(to, _)| visit(to)),
        }
    }

    /// How many neighbors a node has.
    pub fn degree(&self, level: usize, node: NodeId) -> usize {
        let mut count = 0;
        self.for_each_neighbor(level, node, |_| count += 1);
        count
    }

    /// Whether an edge joins two nodes of a level.
    pub fn joined(&self, level: usize, a: NodeId, b: NodeId) -> bool {
        match level {
            0 => self.grid.edge(a, b).is_some(),
            _ => self.hierarchy.linked(level, a, b),
        }
    }

    /// How many cells a node stands for.
    pub fn cells(&self, level: usize, node: NodeId) -> u32 {
        if level == 0 { 1 } else { self.hierarchy.cell_count(level, node) }
    }

    /// The mean column and row of the cells below a node.
    pub fn mean(&self, level: usize, node: NodeId) -> (f64, f64) {
        if let Some((x, y, cells)) = self.hierarchy.position(level, node) {
            (x as f64 / f64::from(cells), y as f64 / f64::from(cells))
        } else {
            let Cell { x, y } = self.grid.cell(node);
            (f64::from(x), f64::from(y))
        }
    }

    /// Every level in numbers, from the map up.
    pub fn layers(&self) -> Vec<Layer> {
        (0..=self.hierarchy.height()).map(|level| self.layer(level)).collect()
    }

    fn layer(&self, level: usize) -> Layer {
        let (mut nodes, mut ends, mut longest) = (0, 0, 0.0_f64);
        for node in self.nodes(level) {
            nodes += 1;
            let (x, y) = self.mean(level, node);
            self.for_each_neighbor(level, node, |to| {
                ends += 1;
                let (dx, dy) = self.mean(level, to);
                let (dx, dy) = (dx - x, dy - y);
                longest = longest.max(dx * dx + dy * dy);
            });
        }
        Layer {
            level,
            nodes,
            edges: ends / 2,
            mean_degree: ratio(ends as f64, nodes),
            longest_edge: longest.sqrt(),
            groups: (level > 0).then(|| self.groups(level)),
        }
    }

    fn groups(&self, level: usize) -> Groups {
        let mut groups = Groups { mean_size: 0.0, largest: 0, cliques: 0, singles: 0, others: 0 };
        let (mut count, mut members) = (0, 0);
        for node in self.nodes(level) {
            let group: Vec<NodeId> = self.hierarchy.children(level, node).collect();
            count += 1;
            members += group.len();
            groups.largest = groups.largest.max(group.len());
            let mut pairs = group
                .iter()
                .enumerate()
                .flat_map(|(i, a)| group[i + 1..].iter().map(move |b| (a, b)));
            if group.len() == 1 {
                groups.singles += 1;
            } else if pairs.all(|(&a, &b)| self.joined(level - 1, a, b)) {
                groups.cliques += 1;
            } else {
                groups.others += 1;
            }
        }
        groups.mean_size = ratio(members as f64, count);
        groups
    }

    /// The sizes of the parts the map falls into, the largest first: the cells below each node that has no
    /// parent.
    pub fn parts(&self) -> Vec<u32> {
        let roots = |level| {
            let is_root = move |&node: &NodeId| self.hierarchy.parent(level, node).is_none();
            self.nodes(level).filter(is_root).map(move |node| self.cells(level, node))
        };
        let mut sizes: Vec<u32> = (0..=self.hierarchy.height()).flat_map(roots).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes
    }

    /// What a free cell belongs to, from itself up to all that can be reached from there.
    pub fn ancestors(&self, cell: NodeId) -> Vec<Ancestor> {
        let chain = std::iter::successors(Some((0, cell)), |&(level, node)| {
            self.hierarchy.parent(level, node).map(|parent| (level + 1, parent))
        });
        let ancestor = |(level, node): (usize, NodeId)| Ancestor {
            level,
            node: node.0,
            cells: self.cells(level, node),
            mean: self.mean(level, node),
            neighbors: self.degree(level, node),
        };
        chain.map(ancestor).collect()
    }

    /// How two free cells are connected, found by climbing from both.
    pub fn connection(&self, a: NodeId, b: NodeId) -> Connection {
        let (mut a, mut b, mut level) = (a, b, 0);
        let mut found = Connection { reachable: false, look_ups: 0, joined: None, merged: None };
        while a != b {
            if found.joined.is_none() && self.joined(level, a, b) {
                found.joined = Some(level);
            }
            let parent = |node| self.hierarchy.parent(level, node);
            found.look_ups += 2;
            let (Some(over_a), Some(over_b)) = (parent(a), parent(b)) else { return found };
            (a, b, level) = (over_a, over_b, level + 1);
        }
        Connection { reachable: true, merged: Some(level), ..found }
    }
}

/// What the stream of random numbers is for, beside those of the worlds.
const CHURN: u32 = 3;

/// So many edits of a map, one after another: free cells drawn at random are blocked (`false`), and each is
/// freed again (`true`) when up to a hundredth of the free cells are blocked, so that the map stays about as
/// it is. Blocks and frees are half of the edits each, and an even number of them leaves the map as it was.
/// None if the map has no free cell.
pub fn churn(grid: &Grid, count: usize, seed: u64) -> Vec<(Cell, bool)> {
    let free: Vec<Cell> = grid.free_cells().collect();
    let blocks = count.div_ceil(2);
    let blocked = (free.len() / 100).clamp(1, (count / 4).max(1));
    let order = Dice::keyed(seed, [CHURN, 0, 0, 0, 0, 0]).choose(free, blocks);
    // Where there are fewer cells than edits they are gone through again.
    let cells = || order.iter().copied().cycle().take(if order.is_empty() { 0 } else { blocks });
    let frees = std::iter::repeat_n(None, blocked).chain(cells().map(Some));
    let blocks = cells().map(Some).chain(std::iter::repeat(None));
    let turn = |(freed, blocked): (Option<Cell>, Option<Cell>)| {
        [freed.map(|cell| (cell, true)), blocked.map(|cell| (cell, false))]
    };
    frees.zip(blocks).flat_map(turn).flatten().take(count).collect()
}

/// How a count is spread over many cases.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Counts {
    /// The mean.
    pub mean: f64,
    /// Half of the cases have no more.
    pub p50: u64,
    /// Of a hundred cases, 99 have no more.
    pub p99: u64,
    /// The most.
    pub max: u64,
}

impl Counts {
    /// Of these; zero if there are none.
    pub fn of(counts: &[u64]) -> Counts {
        let mean = ratio(counts.iter().sum::<u64>() as f64, counts.len());
        let ranked = Ranked::new(counts.iter().map(|&count| count as f64));
        let rank = |percent| ranked.percentile(percent).unwrap_or(0.0) as u64;
        Counts { mean, p50: rank(50), p99: rank(99), max: rank(100) }
    }
}

/// The tables of subgoals of a level of a map that has its levels, made on all processors. `tick` is called
/// for each of so many steps.
///
/// # Errors
/// When the level has too many nodes.
pub fn subgoals(
    grid: &Layered<Grid>,
    level: usize,
    tick: impl Fn(usize) + Sync,
) -> Result<Option<Subgoals>, TooManyPairs> {
    let Some(hierarchy) = grid.hierarchy() else { return Ok(None) };
    // Counted before anything is allocated for them.
    let pairs = (hierarchy.count(level) as u64).saturating_pow(2);
    if pairs > MOST_PAIRS {
        return Err(TooManyPairs { level, nodes: hierarchy.count(level) });
    }
    let plan = Subgoals::plan(grid, hierarchy, level);
    let all = plan.targets();
    let columns = (0..all)
        .into_par_iter()
        .map_init(
            || plan.search(),
            |search, target| {
                let column = plan.column(target, search);
                tick(all);
                column
            },
        )
        .collect();
    Ok(Some(plan.finish(columns)))
}

/// The most pairs of nodes for which subgoals are made: tables of 500 MB.
const MOST_PAIRS: u64 = 250_000_000;

/// Tables would be too large.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "level {level} of the map has {nodes} nodes: that is too many for a table of all pairs; take a higher \
     level"
)]
pub struct TooManyPairs {
    level: usize,
    nodes: usize,
}

/// A sum shared out; nothing among none.
fn ratio(sum: f64, count: usize) -> f64 {
    sum / count.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{builtin, generate};

    fn node(grid: &Grid, x: u32, y: u32) -> NodeId {
        grid.node(Cell::new(x, y)).unwrap()
    }

    #[test]
    fn a_small_map_in_numbers() {
        // Four cells that are a clique, and one that hangs on.
        let grid = Grid::from_rows(["..#", "..."]).unwrap();
        let hierarchy = Hierarchy::new(&grid).unwrap();
        let layers = Levels { grid: &grid, hierarchy: &hierarchy }.layers();
        let root_of_two = 2.0_f64.sqrt();
        let cells = Layer {
            level: 0,
            nodes: 5,
            edges: 7,
            mean_degree: 14.0 / 5.0,
            longest_edge: root_of_two,
            groups: None,
        };
        let groups = Groups { mean_size: 5.0, largest: 5, cliques: 0, singles: 0, others: 1 };
        let whole = Layer {
            level: 1,
            nodes: 1,
            edges: 0,
            mean_degree: 0.0,
            longest_edge: 0.0,
            groups: Some(groups),
        };
        assert_eq!(layers, [cells, whole]);
    }

    #[test]
    fn levels_fit_into_each_other() {
        for name in ["rooms-64", "random-64", "caves-128"] {
            let grid = builtin::find(name).unwrap().grid();
            let hierarchy = Hierarchy::new(&grid).unwrap();
            let levels = Levels { grid: &grid, hierarchy: &hierarchy };
            let layers = levels.layers();
            assert_eq!(layers[0].nodes, grid.free_cells().count());
            for pair in layers.windows(2) {
                let groups = pair[1].groups.as_ref().unwrap();
                assert_eq!(pair[1].nodes, hierarchy.count(pair[1].level));
                assert_eq!(groups.cliques + groups.singles + groups.others, pair[1].nodes);
                // Those that are whole parts have no group.
                let members = (groups.mean_size * pair[1].nodes as f64).round() as usize;
                let roots = levels.nodes(pair[0].level);
                let roots = roots.filter(|&n| hierarchy.parent(pair[0].level, n).is_none());
                assert_eq!(members + roots.count(), pair[0].nodes, "{name}");
            }
            let mut sizes: Vec<u32> =
                generate::components(&grid).1.into_iter().map(|size| size as u32).collect();
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            assert_eq!(levels.parts(), sizes, "{name}");
        }
    }

    #[test]
    fn a_cell_and_all_above_it() {
        let grid = builtin::find("caves-128").unwrap().grid();
        let hierarchy = Hierarchy::new(&grid).unwrap();
        let levels = Levels { grid: &grid, hierarchy: &hierarchy };
        let cell = grid.free_cells().nth(1000).unwrap();
        let chain = levels.ancestors(node(&grid, cell.x, cell.y));
        assert_eq!(chain[0].mean, (f64::from(cell.x), f64::from(cell.y)));
        assert_eq!(chain.len(), hierarchy.height() + 1);
        assert!(
            chain.windows(2).all(|pair| pair[0].cells < pair[1].cells || pair[0].neighbors > 0)
        );
        let top = chain.last().unwrap();
        assert_eq!((top.cells as usize, top.neighbors), (grid.free_cells().count(), 0));
    }

    #[test]
    fn two_cells_meet_where_there_is_a_way() {
        let grid = Grid::from_rows(["....#.", "....#.", "....#."]).unwrap();
        let hierarchy = Hierarchy::new(&grid).unwrap();
        let levels = Levels { grid: &grid, hierarchy: &hierarchy };
        let [a, beside, far, cut] =
            [(0, 0), (1, 0), (3, 2), (5, 2)].map(|(x, y)| node(&grid, x, y));
        let same = levels.connection(a, a);
        assert_eq!((same.reachable, same.look_ups, same.merged), (true, 0, Some(0)));
        assert_eq!(levels.connection(a, beside).joined, Some(0));
        let far = levels.connection(a, far);
        assert!(far.reachable && far.joined >= Some(1) && far.merged > far.joined, "{far:?}");
        assert_eq!(Some(far.look_ups), far.merged.map(|level| 2 * level));
        let cut = levels.connection(a, cut);
        assert_eq!((cut.reachable, cut.joined, cut.merged), (false, None, None));
        assert!(cut.look_ups > 0);
    }

    #[test]
    fn edits_come_in_pairs_and_leave_the_map_as_it_was() {
        let grid = builtin::find("rooms-64").unwrap().grid();
        let small = Grid::from_rows([".#", ".."]).unwrap();
        for (grid, count) in [(&grid, 400), (&grid, 20_000), (&small, 50), (&small, 7), (&small, 1)]
        {
            let edits = churn(grid, count, 7);
            assert_eq!(edits.len(), count);
            assert_eq!(edits, churn(grid, count, 7));
            let blocks = edits.iter().filter(|(_, free)| !free).count();
            assert_eq!(blocks, count.div_ceil(2));
            let mut changed = grid.clone();
            let most = (grid.free_cells().count() / 100).max(1);
            for (i, &(cell, free)) in edits.iter().enumerate() {
                assert!(changed.set_free(cell, free).unwrap(), "every edit changes something");
                let fewer = grid.free_cells().count() - changed.free_cells().count();
                assert!(fewer <= most, "{fewer} cells are blocked after {i} edits");
            }
            let same = grid.free_cells().eq(changed.free_cells());
            assert_eq!(same, count % 2 == 0);
        }
        assert_ne!(churn(&grid, 400, 7), churn(&grid, 400, 8));
        assert_eq!(churn(&Grid::new_blocked(3, 3).unwrap(), 10, 1), []);
    }

    #[test]
    fn ranks_are_those_of_the_sorted_counts() {
        let spread = Counts::of(&(1..=200).rev().collect::<Vec<_>>());
        assert_eq!(spread, Counts { mean: 100.5, p50: 100, p99: 198, max: 200 });
        assert_eq!(Counts::of(&[5]), Counts { mean: 5.0, p50: 5, p99: 5, max: 5 });
        assert_eq!(Counts::of(&[]), Counts::default());
    }
}
