//! Statistics of a map's hierarchy: how groups are composed, which nodes a cell belongs to, how two cells are
//! connected, and what repairs cost.

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
    /// Its levels from 1 upwards.
    pub hierarchy: &'a Hierarchy,
}

/// Statistics of one level.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LevelStats {
    /// The level; 0 is the map.
    pub level: usize,
    /// The number of nodes.
    pub nodes: usize,
    /// The number of edges, each counted once.
    pub edges: usize,
    /// Neighbors per node.
    pub mean_degree: f64,
    /// The longest edge: the Euclidean distance between two mean positions, in cells.
    pub longest_edge: f64,
    /// The groups of nodes of the level below that its nodes represent; none on level 0.
    pub groups: Option<Groups>,
}

/// Statistics of the groups of nodes that a level was built from.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Groups {
    /// Nodes per group.
    pub mean_size: f64,
    /// Nodes in the largest group.
    pub largest: usize,
    /// Groups of two or more nodes that are all adjacent to each other.
    pub cliques: usize,
    /// Groups of one node.
    pub singles: usize,
    /// All others: with a node that is not adjacent to every member.
    pub others: usize,
}

/// A node of some level that a cell belongs to.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Ancestor {
    /// The level.
    pub level: usize,
    /// The node's id on its level.
    pub node: u32,
    /// The number of cells it represents.
    pub cells: u32,
    /// Their mean column and row.
    pub mean: (f64, f64),
    /// Its neighbors on its level.
    pub neighbors: usize,
}

/// How two cells are connected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Connection {
    /// There is a path from one to the other.
    pub reachable: bool,
    /// How many parents were looked up to find out.
    pub look_ups: usize,
    /// The first level on which an edge joins their nodes. There may be none even if there is a path: two
    /// orphans of one group.
    pub joined: Option<usize>,
    /// The first level on which they are the same node.
    pub merged: Option<usize>,
}

impl Levels<'_> {
    /// The nodes of a level.
    pub fn nodes(&self, level: usize) -> impl Iterator<Item = NodeId> + '_ {
        let (grid, above) = (self.grid, self.hierarchy.level(level));
        let size = if level == 0 { grid.size() } else { above.size() };
        let is_used = move |&node: &NodeId| match level {
            0 => grid.contains(node),
            _ => above.contains(node),
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

    /// How many cells a node represents.
    pub fn cells(&self, level: usize, node: NodeId) -> u32 {
        if level == 0 { 1 } else { self.hierarchy.cell_count(level, node) }
    }

    /// The mean column and row of the cells that a node represents.
    pub fn mean(&self, level: usize, node: NodeId) -> (f64, f64) {
        if let Some((x, y, cells)) = self.hierarchy.position(level, node) {
            (x as f64 / f64::from(cells), y as f64 / f64::from(cells))
        } else {
            let Cell { x, y } = self.grid.cell(node);
            (f64::from(x), f64::from(y))
        }
    }

    /// Statistics of every level, from the map upwards.
    pub fn stats(&self) -> Vec<LevelStats> {
        (0..=self.hierarchy.height()).map(|level| self.level_stats(level)).collect()
    }

    fn level_stats(&self, level: usize) -> LevelStats {
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
        LevelStats {
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

    /// The sizes of the connected parts of the map, the largest first: the cells of each node that has no
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

    /// The nodes that a free cell belongs to, from itself up to the node of all cells reachable from it.
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

/// The key of the stream of random numbers, distinct from those of the worlds.
const CHURN: u32 = 3;

/// A sequence of `count` edits of a map: free cells drawn at random are blocked (`false`), and each is freed
/// again (`true`) once up to a hundredth of the free cells are blocked, so that the map stays about the same.
/// Half of the edits block and half free, and an even number of them restores the map. Empty if the map has
/// no free cell.
pub fn churn(grid: &Grid, count: usize, seed: u64) -> Vec<(Cell, bool)> {
    let free: Vec<Cell> = grid.free_cells().collect();
    let blocks = count.div_ceil(2);
    let blocked = (free.len() / 100).clamp(1, (count / 4).max(1));
    let order = Dice::keyed(seed, [CHURN, 0, 0, 0, 0, 0]).choose(free, blocks);
    // With fewer cells than edits, the cells are used again in the same order.
    let cells = || order.iter().copied().cycle().take(if order.is_empty() { 0 } else { blocks });
    let frees = std::iter::repeat_n(None, blocked).chain(cells().map(Some));
    let blocks = cells().map(Some).chain(std::iter::repeat(None));
    let turn = |(freed, blocked): (Option<Cell>, Option<Cell>)| {
        [freed.map(|cell| (cell, true)), blocked.map(|cell| (cell, false))]
    };
    frees.zip(blocks).flat_map(turn).flatten().take(count).collect()
}

/// The distribution of a count over many cases.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Counts {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub p50: u64,
    /// The 99th percentile.
    pub p99: u64,
    /// The maximum.
    pub max: u64,
}

impl Counts {
    /// The distribution of these counts; zero if there are none.
    pub fn of(counts: &[u64]) -> Counts {
        let mean = ratio(counts.iter().sum::<u64>() as f64, counts.len());
        let ranked = Ranked::new(counts.iter().map(|&count| count as f64));
        let rank = |percent| ranked.percentile(percent).unwrap_or(0.0) as u64;
        Counts { mean, p50: rank(50), p99: rank(99), max: rank(100) }
    }
}

/// The tables of subgoals for a level of a map, computed on all processors; none if the map has no hierarchy.
/// `tick` is called after each step, with the total number of steps.
///
/// # Errors
/// When the level has too many nodes.
pub fn subgoals(
    grid: &Layered<Grid>,
    level: usize,
    tick: impl Fn(usize) + Sync,
) -> Result<Option<Subgoals>, TooManyPairs> {
    let Some(hierarchy) = grid.hierarchy() else { return Ok(None) };
    // Checked before anything is allocated.
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

/// The most pairs of nodes for which subgoals are computed: tables of 500 MB.
const MOST_PAIRS: u64 = 250_000_000;

/// The tables would be too large.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "level {level} of the map has {nodes} nodes: that is too many for a table of all pairs; take a higher \
     level"
)]
pub struct TooManyPairs {
    level: usize,
    nodes: usize,
}

/// The mean for a sum over `count` cases; 0 if there are none.
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
    fn statistics_of_a_small_map() {
        // A clique of four cells, and a fifth attached to it.
        let grid = Grid::from_rows(["..#", "..."]).unwrap();
        let hierarchy = Hierarchy::new(&grid).unwrap();
        let stats = Levels { grid: &grid, hierarchy: &hierarchy }.stats();
        let root_of_two = 2.0_f64.sqrt();
        let cells = LevelStats {
            level: 0,
            nodes: 5,
            edges: 7,
            mean_degree: 14.0 / 5.0,
            longest_edge: root_of_two,
            groups: None,
        };
        let groups = Groups { mean_size: 5.0, largest: 5, cliques: 0, singles: 0, others: 1 };
        let whole = LevelStats {
            level: 1,
            nodes: 1,
            edges: 0,
            mean_degree: 0.0,
            longest_edge: 0.0,
            groups: Some(groups),
        };
        assert_eq!(stats, [cells, whole]);
    }

    #[test]
    fn levels_are_nested() {
        for name in ["rooms-64", "random-64", "caves-128"] {
            let grid = builtin::find(name).unwrap().grid();
            let hierarchy = Hierarchy::new(&grid).unwrap();
            let levels = Levels { grid: &grid, hierarchy: &hierarchy };
            let stats = levels.stats();
            assert_eq!(stats[0].nodes, grid.free_cells().count());
            for pair in stats.windows(2) {
                let groups = pair[1].groups.as_ref().unwrap();
                assert_eq!(pair[1].nodes, hierarchy.count(pair[1].level));
                assert_eq!(groups.cliques + groups.singles + groups.others, pair[1].nodes);
                // A node that is a whole connected part belongs to no group.
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
    fn the_ancestors_of_a_cell() {
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
    fn two_cells_merge_exactly_when_there_is_a_path() {
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
    fn an_even_number_of_edits_restores_the_map() {
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
