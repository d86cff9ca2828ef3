//! Built-in maps.

use tickstar::{Cell, Grid};

use crate::files::Problem;
use crate::generate::{Kind, generate, random_problems};

/// The seed of every generated map below.
const SEED: u64 = 1;

/// A built-in map.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Its name, after `builtin:`.
    pub name: &'static str,
    /// A description in one sentence.
    pub about: &'static str,
    source: Source,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    /// Drawn by hand, with the one problem it was drawn for.
    Drawn { map: &'static [u8], start: (u32, u32), goal: (u32, u32) },
    /// Generated on demand.
    Generated { kind: Kind, side: u32 },
}

impl Builtin {
    const fn generated(name: &'static str, kind: Kind, side: u32, about: &'static str) -> Builtin {
        Builtin { name, about, source: Source::Generated { kind, side } }
    }

    /// The map.
    ///
    /// # Panics
    /// Never: the maps are tested.
    pub fn grid(&self) -> Grid {
        match self.source {
            Source::Drawn { map, .. } => Grid::from_map(map).expect("the map is tested"),
            Source::Generated { kind, side } => {
                generate(kind, side, side, SEED).expect("the side is tested")
            }
        }
    }

    /// Its width and height. Takes no time, unlike to make the map.
    pub fn size(&self) -> (u32, u32) {
        match self.source {
            Source::Drawn { .. } => {
                let grid = self.grid();
                (grid.width(), grid.height())
            }
            Source::Generated { side, .. } => (side, side),
        }
    }

    /// At most `count` problems on the map's grid: its own one if it was drawn for one, else problems
    /// drawn at random with this seed.
    pub fn problems(&self, grid: &Grid, count: usize, seed: u64) -> Vec<Problem> {
        match self.source {
            Source::Drawn { start, goal, .. } => {
                let [start, goal] = [start, goal].map(|(x, y)| Cell::new(x, y));
                let own = Problem { start, goal, optimal: None };
                [own].into_iter().take(count).collect()
            }
            Source::Generated { .. } => random_problems(grid, count, seed),
        }
    }
}

/// Every built-in map.
pub fn all() -> &'static [Builtin] {
    &ALL
}

/// The map of this name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    ALL.iter().find(|builtin| builtin.name == name)
}

static ALL: [Builtin; 13] = [
    // After figure 2 of the TBA* paper. The left corridor and the hall at its end lie towards the
    // goal, so a search fills them first; but the hall is closed, and the way is by the right
    // corridor. To cross over by the opening costs more than to go right at once.
    Builtin {
        name: "two-corridors",
        about: "Two corridors and an opening between: the one that looks better is a dead end.",
        source: Source::Drawn {
            map: include_bytes!("../maps/two-corridors.map"),
            start: (60, 2),
            goal: (1, 130),
        },
    },
    Builtin::generated("rooms-64", Kind::Rooms, 64, "64 small rooms with narrow doors."),
    Builtin::generated("rooms-512", Kind::Rooms, 512, "256 large rooms with narrow doors."),
    Builtin::generated("maze-64", Kind::Maze, 64, "A maze of corridors one cell wide."),
    Builtin::generated("maze-512", Kind::Maze, 512, "A maze of corridors four cells wide."),
    Builtin::generated("random-64", Kind::Random, 64, "A quarter of the cells blocked at random."),
    Builtin::generated("random-512", Kind::Random, 512, "The same, 64 times as large."),
    Builtin::generated("caves-128", Kind::Caves, 128, "A small system of winding caves."),
    Builtin::generated("caves-512", Kind::Caves, 512, "A large system of winding caves."),
    Builtin::generated("islands-128", Kind::Islands, 128, "Open land with rocks and blind bays."),
    Builtin::generated("islands-512", Kind::Islands, 512, "Wide open land with larger bays."),
    Builtin::generated(
        "hills-128",
        Kind::Hills,
        128,
        "Open land with hills that cost more to cross.",
    ),
    Builtin::generated("islands-2048", Kind::Islands, 2048, "Four million cells of open land."),
];

#[cfg(test)]
mod tests {
    use tickstar::search::SearchConfig;
    use tickstar::{
        Agent, Cost, Event, NodeId, Seen, Slice, Space, Step, TimeBounded, TimeBoundedConfig,
        find_path,
    };

    use super::*;

    #[test]
    fn every_map_loads_and_has_problems() {
        for builtin in all() {
            let grid = builtin.grid();
            assert_eq!(builtin.size(), (grid.width(), grid.height()), "{}", builtin.name);
            let problems = builtin.problems(&grid, 5, 1);
            let expected = if builtin.name == "two-corridors" { 1 } else { 5 };
            assert_eq!(problems.len(), expected, "{}", builtin.name);
            for problem in problems {
                assert!(grid.is_free(problem.start) && grid.is_free(problem.goal));
            }
            assert!(builtin.about.ends_with('.'), "{}", builtin.name);
            assert_eq!(builtin.problems(&grid, 0, 1), [], "{}", builtin.name);
        }
    }

    #[test]
    fn names_are_unique_and_state_kind_and_side() {
        for builtin in all() {
            assert_eq!(all().iter().filter(|other| other.name == builtin.name).count(), 1);
            assert!(std::ptr::eq(find(builtin.name).unwrap(), builtin));
            if let Source::Generated { kind, side } = builtin.source {
                assert_eq!(builtin.name, format!("{kind}-{side}"));
            }
        }
        assert!(find("nowhere").is_none());
    }

    /// The problem of the two corridors, with cells on the way.
    struct TwoCorridors {
        grid: Grid,
        start: NodeId,
        goal: NodeId,
    }

    /// The left corridor beside the opening, and the right one.
    const LEFT: Cell = Cell { x: 57, y: 25 };
    const RIGHT: Cell = Cell { x: 61, y: 25 };

    /// Whether the cells lead through the opening.
    fn crosses(cells: &[Cell]) -> bool {
        cells.iter().any(|cell| (59..=60).contains(&cell.x) && (24..=26).contains(&cell.y))
    }

    impl TwoCorridors {
        fn new() -> TwoCorridors {
            let builtin = find("two-corridors").unwrap();
            let grid = builtin.grid();
            let problem = builtin.problems(&grid, 1, 1)[0];
            let [start, goal] = [problem.start, problem.goal].map(|at| grid.node(at).unwrap());
            TwoCorridors { grid, start, goal }
        }

        fn shortest(&self, from: NodeId, to: NodeId) -> (Cost, Vec<Cell>) {
            let path = find_path(&self.grid, from, to, SearchConfig::default()).unwrap().unwrap();
            (path.cost, path.nodes.iter().map(|&node| self.grid.cell(node)).collect())
        }

        /// The cost of the walk, the cells walked, and whether a shortcut was found.
        fn walk(&self, budget: u64, shortcut: bool) -> (Cost, Vec<Cell>, bool) {
            let config = TimeBoundedConfig { shortcut, ..TimeBoundedConfig::default() };
            let mut agent = TimeBounded::new(&self.grid, config, self.start, self.goal).unwrap();
            let (mut at, mut cost, mut cells, mut found) = (self.start, Cost::ZERO, vec![], false);
            for _ in 0..10_000 {
                let mut slice = Slice::new(budget);
                let step = agent.tick(&self.grid, agent.position(), Seen::default(), &mut slice);
                found |= slice.has(Event::Shortcut);
                match step {
                    Step::Move(to) => {
                        cost = cost + self.grid.edge(at, to).expect("a legal step");
                        cells.push(self.grid.cell(to));
                        at = to;
                    }
                    Step::Wait => {}
                    Step::Arrived => return (cost, cells, found),
                    Step::Unreachable => panic!("there is a way"),
                }
            }
            panic!(
                "budget {budget}, shortcut {shortcut}: walks for ever, now at {:?}",
                cells.last()
            );
        }
    }

    #[test]
    fn of_two_corridors_the_right_one_is_shortest_and_the_opening_a_way_over() {
        let map = TwoCorridors::new();
        let [left, right] = [LEFT, RIGHT].map(|cell| map.grid.node(cell).unwrap());
        let (best, cells) = map.shortest(map.start, map.goal);
        assert!(cells.contains(&RIGHT) && !crosses(&cells));
        // From the start over the opening: strictly longer.
        let down_left = map.shortest(map.start, left).0;
        let across = map.shortest(left, right).0;
        let rest = map.shortest(right, map.goal).0;
        assert!(down_left + across + rest > best);
        // From beside the opening: far shorter than back by the start.
        assert!(crosses(&map.shortest(left, map.goal).1));
        assert!(
            across.in_cells() * 5.0 < (down_left + map.shortest(map.start, right).0).in_cells()
        );
    }

    #[test]
    fn in_the_left_corridor_a_shortcut_saves_the_way_back_to_the_start() {
        let map = TwoCorridors::new();
        let mut saved = 0;
        for budget in [10, 20, 30, 50] {
            let (without, cells, found) = map.walk(budget, false);
            assert!(!found && !crosses(&cells), "budget {budget}");
            assert!(cells.iter().any(|cell| cell.x <= 58 && cell.y == LEFT.y), "budget {budget}");
            let (with, cells, found) = map.walk(budget, true);
            assert!(with <= without, "budget {budget}: a shortcut may not cost more");
            // The way back from the opening to the start and down again is some 40 cells.
            let shorter = with.in_cells() + 30.0 < without.in_cells();
            saved += u32::from(found && crosses(&cells) && shorter);
        }
        assert!(saved >= 3, "only {saved} of 4 budgets gained by the shortcut");
    }
}
