//! Whole walks on hand-drawn maps, tick by tick, against files that were looked at by a person.
//!
//! A file in `testdata/golden` says what it shows, how to run it and on what map, and below that
//! what happened. `TICKSTAR_BLESS=1 cargo test -p tickstar --test golden` writes the last part anew.

mod common;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use common::{Problem, Telling, tick};
use tickstar::catalog::{self, Config};
use tickstar::{
    Agent, BestFirst, Cell, Corners, Cost, Event, Grid, Neighbors, NodeId, SearchConfig, Seen,
    Slice, Space, Status, Step, TimeBounded, TimeBoundedConfig, Tracing,
};

/// What stands above the ticks.
const TICKS: &str = "ticks\n";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden")
}

/// What a golden file asks for.
struct Scene {
    config: Config,
    budget: u64,
    problem: Problem<Grid>,
}

impl Scene {
    /// Lines of a name and a value, then `map` and its rows with `S` and `G` on it.
    fn read(text: &str) -> Scene {
        let (head, rows) = text.split_once("map\n").expect("a line `map`");
        let rows: Vec<&str> = rows.lines().filter(|row| !row.is_empty()).collect();
        let value = |name: &str| {
            let mut lines = head.lines().filter_map(|line| line.split_once(' '));
            let found = lines.find(|&(known, _)| known == name).map(|(_, value)| value);
            found.unwrap_or_else(|| panic!("a line `{name}`"))
        };
        let neighbors = match value("neighbors") {
            "4" => Neighbors::Four,
            "8" => Neighbors::Eight,
            other => panic!("{other} neighbours"),
        };
        let corners = match value("corners") {
            "never" => Corners::Never,
            "allowed" => Corners::Allowed,
            other => panic!("corners {other}"),
        };
        let place = |symbol: char| {
            let find = |(y, row): (usize, &&str)| Some((row.find(symbol)? as u32, y as u32));
            rows.iter().enumerate().find_map(find).expect("a start and a goal")
        };
        let grid = Grid::from_rows(&rows).unwrap();
        let grid = grid.with_neighbors(neighbors).with_corners(corners);
        let mut words = value("algorithm").split(' ');
        let entry = catalog::find(words.next().unwrap()).unwrap();
        let settings: Vec<_> = words.map(|word| word.split_once('=').unwrap()).collect();
        Scene {
            config: entry.configure(&settings).unwrap(),
            budget: value("budget").parse().unwrap(),
            problem: Problem::on(&grid, place('S'), place('G')),
        }
    }

    /// One line a tick.
    fn play(&self) -> String {
        let Problem { space, start, goal, .. } = &self.problem;
        let mut agent = self.config.agent(space, *start, *goal).unwrap();
        let cells = |nodes: &[NodeId]| {
            let cells: Vec<_> = nodes.iter().map(|&node| space.cell(node).to_string()).collect();
            cells.join(" ")
        };
        let mut lines = String::new();
        for number in 1..=200 {
            let tick = tick(agent.as_mut(), space, Seen::default(), self.budget, u64::MAX);
            let step = match tick.step {
                Step::Move(to) => format!("move to {}", space.cell(to)),
                Step::Wait => "wait".to_string(),
                Step::Arrived => "arrived".to_string(),
                Step::Unreachable => "unreachable".to_string(),
            };
            let events: Vec<_> = tick.events.iter().map(|event| event.name()).collect();
            let target = tick.target.map_or("none".to_string(), |node| cells(&[node]));
            write!(lines, "{number}: {step} | target {target} | ").unwrap();
            write!(lines, "expanded {} | traced {} | ", cells(&tick.expanded), tick.traces)
                .unwrap();
            writeln!(lines, "events {}", events.join(" ")).unwrap();
            if matches!(tick.step, Step::Arrived | Step::Unreachable) {
                return lines.replace("  ", " ").replace(" \n", "\n");
            }
        }
        panic!("the agent walks for ever");
    }
}

#[test]
fn walks_are_those_on_file() {
    let bless = std::env::var_os("TICKSTAR_BLESS").is_some();
    let files: Vec<PathBuf> =
        std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 5, "the golden files are missing");
    for file in files {
        let _context = Telling(&file);
        let text = std::fs::read_to_string(&file).unwrap().replace("\r\n", "\n");
        let (scene, expected) = text.split_once(TICKS).unwrap_or((&text, ""));
        let played = Scene::read(scene).play();
        if bless {
            std::fs::write(&file, format!("{scene}{TICKS}{played}")).unwrap();
        } else {
            let lines = expected.lines().zip(played.lines());
            for (expected, played) in lines {
                assert_eq!(played, expected);
            }
            assert_eq!(played.lines().count(), expected.lines().count());
        }
    }
}

/// Figure 1 of the 2012 paper: rows A to E from the top, columns 2 to 5.
const FIGURE_1: [&str; 5] = ["....", "....", "....", ".##.", "..#."];

fn figure_1() -> (Grid, impl Fn(&str) -> NodeId) {
    let grid = Grid::from_rows(FIGURE_1).unwrap().with_neighbors(Neighbors::Four);
    let width = grid.clone();
    let node = move |name: &str| {
        let [row, column] = name.as_bytes() else { panic!("a letter and a digit") };
        width.node(Cell::new(u32::from(column - b'2'), u32::from(row - b'A'))).unwrap()
    };
    (grid, node)
}

#[test]
fn the_search_of_the_worked_example() {
    let (grid, node) = figure_1();
    let (start, goal) = (node("E3"), node("E5"));
    let mut search = BestFirst::new(SearchConfig::default());
    search.start(&grid, start, goal);
    // After each interval: what is open, with its f, the best first.
    let intervals: [&[(&str, u64)]; 4] = [
        &[("D2", 6)],
        &[("C3", 8), ("B2", 10)],
        &[("C5", 8), ("B2", 10), ("B3", 10), ("B4", 10)],
        &[("E5", 8), ("B2", 10), ("B3", 10), ("B4", 10), ("B5", 10)],
    ];
    for (i, expected) in intervals.into_iter().enumerate() {
        let status = search.run(&grid, &mut Slice::new(2));
        let last = i + 1 == intervals.len();
        assert_eq!(status, if last { Status::Reached } else { Status::Working });
        assert_eq!(search.best(), Some(node(expected[0].0)), "interval {}", i + 1);
        let cells = grid.free_cells().map(|cell| grid.node(cell).unwrap());
        let mut open: Vec<_> = cells
            .filter(|&node| search.cost_to(node).is_some() && !search.is_closed(node))
            .map(|node| {
                let f = search.cost_to(node).unwrap() + grid.estimate(node, goal);
                (f.0 / Cost::STRAIGHT.0, node)
            })
            .collect();
        open.sort_unstable();
        let mut expected: Vec<_> = expected.iter().map(|&(name, f)| (f, node(name))).collect();
        expected.sort_unstable();
        assert_eq!(open, expected, "interval {}", i + 1);
    }
}

#[test]
fn the_walk_of_the_worked_example() {
    let (grid, node) = figure_1();
    let config = TimeBoundedConfig { tracing: Tracing::Free, ..TimeBoundedConfig::default() };
    let mut agent = TimeBounded::new(&grid, config, node("E3"), node("E5")).unwrap();
    let walk = [
        ("E2", "D2"),
        ("D2", "C3"),
        ("C2", "C5"),
        ("C3", "E5"),
        ("C4", "E5"),
        ("C5", "E5"),
        ("D5", "E5"),
        ("E5", "E5"),
    ];
    for (i, (to, target)) in walk.into_iter().enumerate() {
        let tick = tick(&mut agent, &grid, Seen::default(), 2, u64::MAX);
        assert_eq!((tick.step, tick.target), (Step::Move(node(to)), Some(node(target))));
        assert_eq!(tick.expanded.len(), if i < 4 { 2 } else { 0 });
        assert_eq!(tick.has(Event::Found), i == 3);
    }
    let arrived = Agent::<Grid>::tick(&mut agent, &grid, Seen::default(), &mut Slice::new(2));
    assert_eq!(arrived, Step::Arrived);
}
