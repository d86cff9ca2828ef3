//! True distances to a goal, for judging a walk.
//!
//! The 2014 paper counts "non-optimal moves" and leaves its definition to a passage that is missing
//! from the text. Here they are the moves that lie on no shortest way from where they begin, which
//! agrees with everything the paper says about them.

use tickstar::{
    BestFirst, Cost, Grid, NodeId, Priority, SearchConfig, Slice, Space, Status, find_path,
};

use crate::Truth;

/// True distances to one goal on a map that stays as it is, worked out outward from the goal as far as
/// they are asked for.
#[derive(Debug)]
pub struct Reference {
    grid: Grid,
    search: BestFirst,
}

impl Reference {
    /// Distances to this goal; edges of a grid cost the same both ways, so they are searched from it.
    pub fn new(truth: &Truth, goal: NodeId) -> Reference {
        let config = SearchConfig { priority: Priority::UNIFORM, ..SearchConfig::default() };
        let mut search = BestFirst::new(config);
        let grid = truth.grid().clone();
        // A goal that no node has: the search goes on until everything is known.
        search.start(&grid, goal, NodeId(u32::MAX));
        Reference { grid, search }
    }

    /// The distance from a node to the goal, if there is a way.
    pub fn distance(&mut self, from: NodeId) -> Option<Cost> {
        while !self.search.is_closed(from) {
            if self.search.run(&self.grid, &mut Slice::new(1024)) != Status::Working {
                break;
            }
        }
        self.search.cost_to(from)
    }

    /// The moves of a walk that lie on no shortest way from where they begin.
    pub fn non_optimal_moves(&mut self, walk: &[NodeId]) -> u64 {
        let mut count = 0;
        for step in walk.windows(2) {
            let (here, there) = (self.distance(step[0]), self.distance(step[1]));
            count += u64::from(is_detour(&self.grid, (step[0], here), (step[1], there)));
        }
        count
    }
}

/// Whether a step lies on no shortest way, given the distances from both its ends to the goal. Where
/// there is no way to the goal, no step is.
fn is_detour(
    grid: &Grid,
    (from, here): (NodeId, Option<Cost>),
    (to, there): (NodeId, Option<Cost>),
) -> bool {
    let edge = grid.edge(from, to).unwrap_or(Cost::INFINITE);
    here.zip(there).is_some_and(|(here, there)| edge + there > here)
}

/// True distances to a goal on a map that will soon change: an A* search for each that is asked for, as
/// working outward from the goal would look at most of the map for a few moves.
#[derive(Debug)]
pub(crate) struct Moment {
    goal: NodeId,
    /// The last distance found: a walk asks for each twice.
    last: Option<(NodeId, Option<Cost>)>,
}

impl Moment {
    pub fn new(goal: NodeId) -> Moment {
        Moment { goal, last: None }
    }

    /// Whether a step lies on no shortest way from where it begins. The map must be the same as ever
    /// since this was made.
    pub fn is_detour(&mut self, truth: &Truth, from: NodeId, to: NodeId) -> bool {
        let distance =
            |from| match find_path(truth.grid(), from, self.goal, SearchConfig::default()) {
                Ok(Some(path)) => Some(path.cost),
                Ok(None) | Err(_) => None,
            };
        let here = match self.last {
            Some((node, known)) if node == from => known,
            _ => distance(from),
        };
        let there = distance(to);
        self.last = Some((to, there));
        is_detour(truth.grid(), (from, here), (to, there))
    }
}
