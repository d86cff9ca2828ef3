//! True distances to a goal, for judging a walk after it was made.

use tickstar::{BestFirst, Cost, Grid, NodeId, Priority, SearchConfig, Slice, Status};

/// True distances to one goal, worked out outward from it as far as they are asked for.
#[derive(Debug)]
pub struct Reference {
    search: BestFirst,
}

impl Reference {
    /// Distances to this goal; edges of a grid cost the same both ways, so they are searched from it.
    pub fn new(grid: &Grid, goal: NodeId) -> Reference {
        let config = SearchConfig { priority: Priority::UNIFORM, ..SearchConfig::default() };
        let mut search = BestFirst::new(config);
        // A goal that no node has: the search goes on until everything is known.
        search.start(grid, goal, NodeId(u32::MAX));
        Reference { search }
    }

    /// The distance from a node to the goal, if there is a way.
    pub fn distance(&mut self, grid: &Grid, from: NodeId) -> Option<Cost> {
        while !self.search.is_closed(from) {
            if self.search.run(grid, &mut Slice::new(1024)) != Status::Working {
                break;
            }
        }
        self.search.cost_to(from)
    }

    /// The moves of a walk that lie on no shortest way from where they begin.
    ///
    /// The 2014 paper counts "non-optimal moves" and leaves its definition to a passage that is
    /// missing from the text; this one agrees with everything the paper says about them.
    pub fn non_optimal_moves(&mut self, grid: &Grid, walk: &[NodeId]) -> u64 {
        let mut count = 0;
        for step in walk.windows(2) {
            let here = self.distance(grid, step[0]);
            let there = self.distance(grid, step[1]);
            if let (Some(here), Some(there)) = (here, there) {
                let edge = tickstar::Space::edge(grid, step[0], step[1]).unwrap_or(Cost::INFINITE);
                count += u64::from(edge + there > here);
            }
        }
        count
    }
}
