//! The making of the tables of D LRTA*: a subgoal and a depth for every two nodes of a level.
//!
//! # Source
//! V. Bulitko, M. Luštrek, J. Schaeffer, Y. Björnsson, S. Sigmundarson, "Dynamic Control in Real-Time Heuristic
//! Search", JAIR 2008, as outlined in Björnsson, Bulitko, Sturtevant, "TBA*: Time-Bounded A*", IJCAI 2009. Only
//! the outline was at hand: this is our reconstruction.
//!
//! # Steps
//! 1. Each node of the level is represented by the cell below it that is closest to its mean position.
//! 2. For each node B a search from its representative outward, over all that can be reached, finds cheapest
//!    ways to those of all others. Of node A's, the first cell outside A is the *subgoal* from A to B.
//! 3. For each subgoal of A the *depth*: the least with which LRTA*, having learned nothing, takes a first
//!    step from A's representative that begins a cheapest way to the subgoal.
//!
//! # Deviations
//! * The outline says only that subgoals and depths were worked out for pairs of nodes of a level. What
//!   they are is our choice.
//! * Depths end at 15, so that a lookahead on a grid expands fewer than 1000 nodes. Where none is enough, it is
//!   that.
//! * A part of the map that is one node below the level already has no entries, and a node has
//!   65,535 different subgoals at most; for what is missing the agent goes to the goal itself.
//!
//! # Invariants
//! * The tables are the same bit for bit in whatever order, and on however many threads, the searches are done.
//! * Whatever bytes are read, what comes of it is an error or tables that fit the map.
//!
//! # Real-time bound
//! None: this is done beforehand. A search over the whole part of the map for each node of the level, and two
//! bytes for each pair. Looking up takes constant time.

use std::collections::HashMap;

use crate::agent::{Ball, Decision};
use crate::hierarchy::subgoals::{Layout, NO_WAY, NONE, fingerprint};
use crate::search::Toward;
use crate::{BestFirst, Hierarchy, Map, NodeId, Priority, SearchConfig, Slice, Subgoals};

/// A goal that no node is: a search for it goes everywhere.
const NOWHERE: NodeId = NodeId(u32::MAX);

impl Subgoals {
    /// The subgoals for a level of a map, one search after the other.
    pub fn build<S: Map>(space: &S, hierarchy: &Hierarchy, level: usize) -> Subgoals {
        let plan = Subgoals::plan(space, hierarchy, level);
        let mut search = plan.search();
        let columns = (0..plan.targets()).map(|target| plan.column(target, &mut search)).collect();
        plan.finish(columns)
    }

    /// What is to be done for that, in pieces.
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

/// What is to be done to make [`Subgoals`]: a search for each target, on any thread and in any order.
#[derive(Debug)]
pub struct SubgoalPlan<'s, S> {
    space: &'s S,
    layout: Layout,
    /// The rows of each part.
    parts: Vec<Vec<u32>>,
    /// The row of each cell of the map.
    owners: Vec<u32>,
    /// The cell that represents each row.
    centers: Vec<NodeId>,
    fingerprint: u64,
}

/// The memory of the searches for [`Subgoals`]: one for each thread.
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
    /// For each node of its part.
    cells: Vec<NodeId>,
}

impl<S: Map> SubgoalPlan<'_, S> {
    /// How many targets there are: one for each node of the level.
    pub fn targets(&self) -> usize {
        self.layout.list.len()
    }

    /// How many pairs of nodes there will be, each of two bytes; those of a node and itself are counted.
    pub fn pairs(&self) -> usize {
        self.layout.pairs
    }

    /// The cell that represents a node of the level.
    pub fn representative(&self, node: NodeId) -> Option<NodeId> {
        self.layout.row(node).map(|row| self.centers[row])
    }

    /// What a thread needs for its searches.
    pub fn search(&self) -> SubgoalSearch {
        let config = SearchConfig { priority: Priority::UNIFORM, ..SearchConfig::default() };
        SubgoalSearch { search: BestFirst::new(config), ball: Ball::new(1) }
    }

    /// The search for one target, numbered from zero: a look at all that can be reached from it.
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

    /// Puts the columns together, in whatever order they come, and works out the depths. A target whose
    /// column is missing has no entries.
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

    /// The least depth with which LRTA*, having learned nothing, begins a cheapest way.
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

/// Of the cells of a node, the closest to their mean position; of several, or where there are no positions,
/// the one with the smallest id.
fn center(space: &impl Map, mean: Option<(i64, i64, u32)>, cells: &[NodeId]) -> NodeId {
    let (sum_x, sum_y, count) = mean.unwrap_or_default();
    let off = |&cell: &NodeId| {
        let (x, y) = space.position(cell).unwrap_or_default();
        let off = |at: i32, sum: i64| i128::from(i64::from(at) * i64::from(count) - sum).pow(2);
        (off(x, sum_x) + off(y, sum_y), cell)
    };
    cells.iter().copied().min_by_key(off).unwrap_or(NOWHERE)
}
