//! Complete walks on hand-drawn maps, tick by tick, compared with files that were reviewed by a person.
//!
//! A file in `testdata/golden` states what it shows, how to run it and on which map, followed by the expected output.
//! `TICKSTAR_BLESS=1 cargo test -p tickstar --test engine golden` rewrites that output.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::kit::{LayeredGrid, OnPanic, Problem, World, tick};
use tickstar::agent::time_bounded::{Restart, Tracing};
use tickstar::catalog::{self, Config};
use tickstar::search::{BestFirst, SearchConfig, Status};
use tickstar::space::{Corners, Neighbors};
use tickstar::{
    Agent, Cell, Cost, Event, Grid, Map, NodeId, Seen, Slice, Step, TimeBounded, TimeBoundedConfig,
};

/// The line above the ticks.
const TICKS: &str = "ticks\n";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden")
}

/// The content of a golden file.
struct Scene {
    config: Config,
    budget: u64,
    problem: Problem<LayeredGrid>,
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
            other => panic!("{other} neighbors"),
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

    /// One line per tick.
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
        panic!("the agent walks forever");
    }
}

#[test]
fn walks_match_the_golden_files() {
    let bless = std::env::var_os("TICKSTAR_BLESS").is_some();
    let files: Vec<PathBuf> =
        std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 5, "the golden files are missing");
    for file in files {
        let _context = OnPanic(&file);
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

/// The open nodes with their f in steps, in a fixed order.
fn open_list(search: &BestFirst, grid: &Grid) -> Vec<(u64, NodeId)> {
    let cells = grid.free_cells().map(|cell| grid.node(cell).unwrap());
    let open = cells.filter(|&node| !search.is_closed(node));
    let mut open: Vec<_> = open
        .filter_map(|node| {
            let f = search.cost_to(node)? + search.estimate(grid, node);
            Some((f.0 / Cost::STRAIGHT.0, node))
        })
        .collect();
    open.sort_unstable();
    open
}

fn open_list_of(cells: &[(&str, u64)], node: impl Fn(&str) -> NodeId) -> Vec<(u64, NodeId)> {
    let mut open: Vec<_> = cells.iter().map(|&(name, f)| (f, node(name))).collect();
    open.sort_unstable();
    open
}

#[test]
fn the_search_matches_the_worked_example() {
    let (grid, node) = figure_1();
    let (start, goal) = (node("E3"), node("E5"));
    let mut search = BestFirst::new(SearchConfig::default());
    search.start(&grid, start, goal);
    // After each interval: the open nodes with their f, the best first.
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
        let open = open_list(&search, &grid);
        let expected = open_list_of(expected, &node);
        assert_eq!(open, expected, "interval {}", i + 1);
    }
}

#[test]
fn the_walk_matches_the_worked_example() {
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
    let arrived = agent.tick(&grid, agent.position(), Seen::default(), &mut Slice::new(2));
    assert_eq!(arrived, Step::Arrived);
}

/// Figure 2 of the 2012 paper: C3 is blocked as well, which the agent sees when it is next to it, after the third
/// interval. For each interval: the open nodes before the movement, the best first, and where the agent goes; once the
/// path is found, nothing more is generated.
type Interval = (&'static [(&'static str, u64)], &'static str);

/// As in figure 1.
const BEFORE_C3_IS_SEEN: [Interval; 3] = [
    (&[("D2", 6)], "E2"),
    (&[("C3", 8), ("B2", 10)], "D2"),
    (&[("C5", 8), ("B2", 10), ("B3", 10), ("B4", 10)], "C2"),
];

/// The text describes intervals four and five: E2 has the smallest f, and then turns out to be a dead end.
const RTBA_AFTER_C3_IS_SEEN: [Interval; 9] = [
    (&[("E2", 5), ("B2", 7)], "D2"),
    (&[("B2", 7)], "C2"),
    (&[("B4", 7), ("A2", 9), ("A3", 9)], "B2"),
    (&[("C5", 7), ("B5", 7), ("A2", 9), ("A3", 9), ("A4", 9)], "B3"),
    (RTBA_FOUND, "B4"),
    (RTBA_FOUND, "C4"),
    (RTBA_FOUND, "C5"),
    (RTBA_FOUND, "D5"),
    (RTBA_FOUND, "E5"),
];
const RTBA_FOUND: &[(&str, u64)] = &[("E5", 7), ("B5", 7), ("A2", 9), ("A3", 9), ("A4", 9)];

/// The text describes interval four: the f of E2 is larger by four.
const TBAA_AFTER_C3_IS_SEEN: [Interval; 7] = [
    (&[("B2", 7), ("E2", 9)], "B2"),
    (&[("B4", 7), ("A2", 9), ("A3", 9), ("E2", 9)], "B3"),
    (&[("C5", 7), ("B5", 7), ("A2", 9), ("A3", 9), ("A4", 9), ("E2", 9)], "B4"),
    (TBAA_FOUND, "C4"),
    (TBAA_FOUND, "C5"),
    (TBAA_FOUND, "D5"),
    (TBAA_FOUND, "E5"),
];
const TBAA_FOUND: &[(&str, u64)] =
    &[("E5", 7), ("B5", 7), ("A2", 9), ("A3", 9), ("A4", 9), ("E2", 9)];

/// After the first search: 8 − g for the expanded nodes, as its best node, C5, had an f of 8.
const LEARNED: [(&str, u64); 6] =
    [("E3", 8), ("E2", 7), ("D2", 6), ("C2", 5), ("C3", 4), ("C4", 3)];

#[test]
fn the_walk_matches_the_worked_example_in_unknown_terrain() {
    for learn in [false, true] {
        let (grid, node) = figure_1();
        let (start, goal) = (node("E3"), node("E5"));
        let mut world = World::partial(&Problem::on(&grid, (1, 4), (3, 4)), &[node("C3")]);
        let search = SearchConfig { learn, ..SearchConfig::default() };
        let (restart, tracing) = (Restart::Path, Tracing::Free);
        let config = TimeBoundedConfig { search, restart, tracing, ..Default::default() };
        let mut agent = TimeBounded::new(&world.known, config, start, goal).unwrap();
        let after: &[Interval] =
            if learn { &TBAA_AFTER_C3_IS_SEEN } else { &RTBA_AFTER_C3_IS_SEEN };
        let found = if learn { 7 } else { 8 };
        for (i, &(open, to)) in BEFORE_C3_IS_SEEN.iter().chain(after).enumerate() {
            let interval = i + 1;
            let _context = OnPanic((learn, interval));
            let changed = std::mem::take(&mut world.unreported);
            assert_eq!(changed, if interval == 4 { vec![node("C3")] } else { vec![] });
            let seen = Seen { changed: &changed };
            let tick = tick(&mut agent, &world.known, seen, 2, u64::MAX);
            assert_eq!(tick.step, Step::Move(node(to)));
            assert_eq!(tick.target, Some(node(open[0].0)));
            assert_eq!(open_list(agent.search(), &world.known), open_list_of(open, &node));
            assert_eq!(tick.expanded.len(), if interval <= found { 2 } else { 0 });
            assert_eq!(tick.has(Event::Restart), interval == 4);
            assert_eq!(tick.has(Event::Found), interval == found);
            assert_eq!(tick.has(Event::Backtrack), !learn && interval == 5);
            for cell in grid.free_cells().map(|cell| grid.node(cell).unwrap()) {
                let learned = LEARNED.iter().find(|&&(name, _)| node(name) == cell);
                let learned = learned.filter(|_| learn && interval >= 4);
                let plain = grid.estimate(cell, goal);
                let h = learned.map_or(plain, |&(_, h)| Cost::of_steps(h, 0));
                assert_eq!(agent.search().estimate(&world.known, cell), h, "{}", grid.cell(cell));
            }
            world.look(node(to));
        }
        let arrived = tick(&mut agent, &world.known, Seen::default(), 2, u64::MAX);
        assert_eq!(arrived.step, Step::Arrived);
    }
}
