//! The precomputation of the tables of D LRTA*: a subgoal and a depth for every pair of nodes of a level.
//!
//! # Source
//! V. Bulitko, M. Luštrek, J. Schaeffer, Y. Björnsson, S. Sigmundarson, "Dynamic Control in Real-Time Heuristic
//! Search", JAIR 2008, as outlined in Björnsson, Bulitko, Sturtevant, "TBA*: Time-Bounded A*", IJCAI 2009. Only the
//! outline was available: this is our reconstruction.
//!
//! # Steps
//! 1. Each node of the level is represented by the cell below it that is closest to its mean position.
//! 2. For each node B, a search outward from its representative, over everything reachable, finds cheapest paths to the
//!    representatives of all others. On the path from that of node A, the first cell outside A is the *subgoal* from A
//!    to B.
//! 3. For each subgoal of A, the *depth* is the smallest with which LRTA*, having learned nothing, takes a first step
//!    from A's representative that starts a cheapest path to the subgoal.
//!
//! # Deviations
//! * The outline says only that subgoals and depths were computed for pairs of nodes of a level. Their definition is
//!   our choice.
//! * Depths are at most 15, so that a lookahead on a grid expands fewer than 1000 nodes. Where none suffices, the depth
//!   is 15.
//! * A component of the map that is already a single node below the level has no entries, and a node has at most 65,535
//!   different subgoals; where an entry is missing, the agent goes to the goal itself.
//!
//! # Invariants
//! * The tables are bit-identical in whatever order, and on however many threads, the searches are done.
//! * Reading arbitrary bytes gives either an error or tables that fit the map.
//!
//! # Real-time bound
//! None: this is precomputation. It takes one search over the whole component of the map per node of the level, and two
//! bytes per pair. A lookup takes constant time.

use std::collections::HashMap;

use crate::agent::Decision;
use crate::hierarchy::subgoals::{Layout, NO_WAY, NONE, fingerprint};
use crate::search::{Ball, Toward};
use crate::{BestFirst, Hierarchy, Map, NodeId, Priority, SearchConfig, Slice, Subgoals};

/// A goal id that no node has: a search for it covers everything.
const NOWHERE: NodeId = NodeId(u32::MAX);

impl Subgoals {
    /// The subgoals for a level of a map, computed sequentially.
    pub fn build<S: Map>(space: &S, hierarchy: &Hierarchy, level: usize) -> Subgoals {
        let plan = Subgoals::plan(space, hierarchy, level);
        let mut search = plan.search();
        let columns = (0..plan.targets()).map(|target| plan.column(target, &mut search)).collect();
        plan.finish(columns)
    }

    /// The work needed for that, split into independent searches.
    pub fn plan<'s, S: Map>(
        space: &'s S,
        hierarchy: &Hierarchy,
        level: usize,
    ) -> SubgoalPlan<'s, S> {
        let layout = Layout::new(hierarchy, level);
        let mut owners = vec![NONE; space.size()];
        let mut centers = Vec::with_capacity(layout.list.len());
        for (number, row) in (0..).zip(&layout.list) {
            let cells = hierarchy.cells(level, row.node);
            for cell in &cells {
                owners[cell.index()] = number;
            }
            centers.push(center(space, hierarchy.position(level, row.node), &cells));
        }
        let parts = layout.parts();
        let fingerprint = fingerprint(space, hierarchy, level);
        SubgoalPlan { space, layout, parts, owners, centers, fingerprint }
    }
}

/// The work needed to build [`Subgoals`]: one search per target, on any thread and in any order.
#[derive(Debug)]
pub struct SubgoalPlan<'s, S> {
    space: &'s S,
    layout: Layout,
    /// The rows of each component.
    parts: Vec<Vec<u32>>,
    /// The row of each cell of the map.
    owners: Vec<u32>,
    /// The cell that represents each row.
    centers: Vec<NodeId>,
    fingerprint: u64,
}

/// The memory of the searches for [`Subgoals`]: one per thread.
#[derive(Clone, Debug)]
pub struct SubgoalSearch {
    search: BestFirst,
    ball: Ball,
}

/// The subgoals of all nodes on the way to one target.
#[derive(Clone, Debug)]
pub struct SubgoalColumn {
    /// The row of the target.
    target: usize,
    /// One cell per node of its component.
    cells: Vec<NodeId>,
}

impl<S: Map> SubgoalPlan<'_, S> {
    /// The number of targets: one per node of the level.
    pub fn targets(&self) -> usize {
        self.layout.list.len()
    }

    /// The number of pairs of nodes, each of two bytes; pairs of a node with itself are counted.
    pub fn pairs(&self) -> usize {
        self.layout.pairs
    }

    /// The cell that represents a node of the level.
    pub fn representative(&self, node: NodeId) -> Option<NodeId> {
        self.layout.row(node).map(|row| self.centers[row])
    }

    /// The memory that one thread needs for its searches.
    pub fn search(&self) -> SubgoalSearch {
        let config = SearchConfig { priority: Priority::UNIFORM, ..SearchConfig::default() };
        SubgoalSearch { search: BestFirst::new(config), ball: Ball::new(1) }
    }

    /// The search for one target, numbered from zero: it covers everything reachable from the target.
    pub fn column(&self, target: usize, memory: &mut SubgoalSearch) -> SubgoalColumn {
        let Some(&to) = self.layout.list.get(target) else {
            return SubgoalColumn { target, cells: Vec::new() };
        };
        let search = &mut memory.search;
        search.explore(self.space, self.centers[target], self.centers[target]);
        search.run(self.space, &mut Slice::unlimited());
        let leave = |&row: &u32| {
            let outside = |cell: &NodeId| self.owners[cell.index()] != row;
            let way = std::iter::successors(Some(self.centers[row as usize]), |&cell| {
                search.parent(cell)
            });
            way.into_iter().find(outside).unwrap_or(NOWHERE)
        };
        let cells = self.parts[to.part as usize].iter().map(leave).collect();
        SubgoalColumn { target, cells }
    }

    /// Combines the columns, in whatever order they come, and computes the depths. A target whose column is missing has
    /// no entries.
    pub fn finish(self, mut columns: Vec<SubgoalColumn>) -> Subgoals {
        columns.sort_by_key(|column| column.target);
        let mut lists: Vec<Vec<(NodeId, u8)>> = vec![Vec::new(); self.targets()];
        let mut known: HashMap<(u32, NodeId), u16> = HashMap::new();
        let mut pairs = vec![NO_WAY; self.layout.pairs];
        let mut memory = self.search();
        for SubgoalColumn { target, cells } in columns {
            let Some(&to) = self.layout.list.get(target) else { continue };
            for (&row, cell) in self.parts[to.part as usize].iter().zip(cells) {
                let list = &mut lists[row as usize];
                if cell == NOWHERE {
                    continue;
                }
                let way = *known.entry((row, cell)).or_insert_with(|| {
                    if list.len() == usize::from(NO_WAY) {
                        return NO_WAY;
                    }
                    list.push((cell, self.depth(self.centers[row as usize], cell, &mut memory)));
                    list.len() as u16 - 1
                });
                pairs[self.layout.list[row as usize].first + to.column as usize] = way;
            }
        }
        let mut first = vec![0];
        let mut ways = Vec::with_capacity(lists.iter().map(Vec::len).sum());
        for list in lists {
            ways.extend(list);
            first.push(ways.len() as u32);
        }
        let (layout, fingerprint) = (self.layout, self.fingerprint);
        Subgoals { layout, fingerprint, first, ways, pairs }
    }

    /// The smallest depth with which LRTA*, having learned nothing, starts a cheapest path.
    fn depth(&self, from: NodeId, to: NodeId, memory: &mut SubgoalSearch) -> u8 {
        let SubgoalSearch { search, ball } = memory;
        search.start(self.space, to, from);
        search.run(self.space, &mut Slice::unlimited());
        let begins_well = |first| {
            let edge = self.space.edge(from, first);
            let on = search.cost_to(first).zip(edge).map(|(rest, edge)| rest + edge);
            on.is_some() && on == search.cost_to(from)
        };
        let enough = |&depth: &u32| {
            ball.forget();
            ball.set_depth(depth);
            match ball.think(
                &Toward { map: self.space, goal: to },
                from,
                to,
                &mut Slice::unlimited(),
            ) {
                Decision::Go(first) => begins_well(first),
                Decision::Wait | Decision::NoWay | Decision::Stale => false,
            }
        };
        (1..Subgoals::MAX_DEPTH).find(enough).unwrap_or(Subgoals::MAX_DEPTH) as u8
    }
}

/// The cell of a node that is closest to the mean position of its cells; among several, or without positions, the one
/// with the smallest id.
fn center(space: &impl Map, mean: Option<(i64, i64, u32)>, cells: &[NodeId]) -> NodeId {
    let (sum_x, sum_y, count) = mean.unwrap_or_default();
    let off = |&cell: &NodeId| {
        let (x, y) = space.position(cell).unwrap_or_default();
        let off = |at: i32, sum: i64| i128::from(i64::from(at) * i64::from(count) - sum).pow(2);
        (off(x, sum_x) + off(y, sum_y), cell)
    };
    cells.iter().copied().min_by_key(off).unwrap_or(NOWHERE)
}
