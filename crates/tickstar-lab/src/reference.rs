//! True distances to a goal, to evaluate a walk by.
//!
//! The 2014 paper counts "non-optimal moves" and leaves its definition to a passage that is missing
//! from the text. Here they are the moves that lie on no shortest path from where they begin, which
//! agrees with everything the paper says about them.

use tickstar::search::{BestFirst, Priority, SearchConfig, Status};
use tickstar::{Cost, Grid, Map, NodeId, Slice, Space};

use crate::Truth;

/// True distances to one goal on a map that does not change, computed outward from the goal as far as
/// needed.
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
        let grid = truth.grid().space().clone();
        search.explore(&grid, goal, goal);
        Reference { grid, search }
    }

    /// The distance from a node to the goal, if there is a path.
    pub fn distance(&mut self, from: NodeId) -> Option<Cost> {
        distance(&mut self.search, &self.grid, from)
    }

    /// The moves of a walk that lie on no shortest path from where they begin.
    pub fn non_optimal_moves(&mut self, walk: &[NodeId]) -> u64 {
        let mut count = 0;
        for step in walk.windows(2) {
            let (here, there) = (self.distance(step[0]), self.distance(step[1]));
            count += u64::from(is_detour(&self.grid, (step[0], here), (step[1], there)));
        }
        count
    }
}

/// Whether a step lies on no shortest path, given the distances from both its ends to the goal. Where
/// there is no path to the goal, no step does.
fn is_detour(
    grid: &Grid,
    (from, here): (NodeId, Option<Cost>),
    (to, there): (NodeId, Option<Cost>),
) -> bool {
    let edge = grid.edge(from, to).unwrap_or(Cost::INFINITE);
    here.zip(there).is_some_and(|(here, there)| edge + there > here)
}

/// True distances to a goal on a map that changes now and then: computed from the goal towards the agent,
/// as a search outward would expand most of the map for the sake of a few moves.
#[derive(Debug)]
pub(crate) struct Moment {
    goal: NodeId,
    search: BestFirst,
    /// Where the agent stood at the first query since the map changed.
    agent: Option<NodeId>,
}

impl Moment {
    pub fn new(goal: NodeId) -> Moment {
        Moment { goal, search: BestFirst::new(SearchConfig::default()), agent: None }
    }

    /// The map changed.
    pub fn pass(&mut self) {
        self.agent = None;
    }

    /// Whether a step of the agent lies on no shortest path from where it begins.
    pub fn is_detour(&mut self, truth: &Truth, from: NodeId, to: NodeId) -> bool {
        let (here, there) = (self.distance(truth, from), self.distance(truth, to));
        is_detour(truth.grid(), (from, here), (to, there))
    }

    fn distance(&mut self, truth: &Truth, from: NodeId) -> Option<Cost> {
        if self.agent.is_none() {
            self.agent = Some(from);
            self.search.explore(truth.grid(), self.goal, from);
        }
        distance(&mut self.search, truth.grid(), from)
    }
}

/// The distance from the root of a search to a node; the search continues until it is known.
fn distance(search: &mut BestFirst, space: &impl Map, node: NodeId) -> Option<Cost> {
    while !search.is_closed(node) {
        if search.run(space, &mut Slice::new(256)) != Status::Working {
            break;
        }
    }
    search.cost_to(node)
}

#[cfg(test)]
mod tests {
    use tickstar::{Cell, find_path};

    use super::*;
    use crate::Arena;
    use crate::generate::{Kind, generate};

    #[test]
    fn both_kinds_of_distances_agree_with_a_search_for_each() {
        let map = generate(Kind::Caves, 64, 64, 3).unwrap();
        let arena = Arena::new(&"known".parse().unwrap(), &map, 1).unwrap();
        let free: Vec<NodeId> = map.free_cells().map(|cell| map.node(cell).unwrap()).collect();
        let goal = free[free.len() / 2];
        let world = arena.world(free[0], goal);
        let (mut reference, mut moment) = (Reference::new(world.truth(), goal), Moment::new(goal));
        let mut detours = 0;
        for (i, &from) in free.iter().enumerate().step_by(7) {
            if i % 5 == 0 {
                moment.pass();
            }
            let optimal = |from| find_path(&map, from, goal, SearchConfig::default()).unwrap();
            let optimal = |from| optimal(from).map(|path| path.cost);
            assert_eq!(reference.distance(from), optimal(from), "{}", map.cell(from));
            map.for_each_edge(from, |to, cost| {
                let ends = optimal(from).zip(optimal(to));
                let detour = ends.is_some_and(|(here, there)| cost + there > here);
                assert_eq!(moment.is_detour(world.truth(), from, to), detour);
                assert_eq!(reference.non_optimal_moves(&[from, to]), u64::from(detour));
                detours += u64::from(detour);
            });
        }
        assert!(detours > 100);
    }

    #[test]
    fn where_there_is_no_path_no_move_is_a_detour() {
        let map = Grid::from_rows(["..#.", "..#."]).unwrap();
        let arena = Arena::new(&"known".parse().unwrap(), &map, 1).unwrap();
        let [from, to, goal] =
            [(0, 0), (1, 0), (3, 0)].map(|(x, y)| map.node(Cell::new(x, y)).unwrap());
        let world = arena.world(from, goal);
        assert!(!Moment::new(goal).is_detour(world.truth(), from, to));
        assert_eq!(Reference::new(world.truth(), goal).non_optimal_moves(&[from, to]), 0);
    }
}
