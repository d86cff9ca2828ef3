//! Whole paths: how long each solver takes for the same problems, with every path checked.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;
use thiserror::Error;
use tickstar::search::{BestFirst, Priority, Ratio, SearchConfig, Status, Successors};
use tickstar::space::Corners;
use tickstar::{Cell, Cost, Grid, NodeId, PathFinder, Slice, Space, find_path};

use super::array::ArrayAstar;
use super::{Control, ProblemSet, files_of};
use crate::files::FileError;
use crate::generate::Kind;

/// The maps of the public benchmark that are used, by their set and name.
const MAPS: [(&str, &str); 5] = [
    ("wc3-512", "battleground"),
    ("wc3-512", "duskwood"),
    ("bg-512", "AR0300SR"),
    ("bg-512", "AR0700SR"),
    ("rooms", "16room_000"),
];

/// Generated maps of the same kinds, with their seeds.
const GENERATED: [(Kind, u64); 5] =
    [(Kind::Islands, 1), (Kind::Islands, 2), (Kind::Caves, 1), (Kind::Caves, 2), (Kind::Rooms, 1)];

/// The files that are read from a folder of maps.
pub fn files(maps: &Path) -> impl Iterator<Item = PathBuf> {
    MAPS.iter().flat_map(move |&map| files_of(maps, map))
}

/// How much is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Problems per map.
    pub problems: usize,
    /// How often each problem is solved by each solver; the least time counts.
    pub rounds: usize,
    /// The side of generated maps.
    pub side: u32,
}

impl Extent {
    /// What a published number should come from.
    pub const FULL: Extent = Extent { problems: 100, rounds: 9, side: 512 };
    /// A first impression, in seconds.
    pub const QUICK: Extent = Extent { problems: 10, rounds: 2, side: 128 };

    /// The problems: on maps of the benchmark in this folder, or on generated ones.
    ///
    /// # Errors
    /// When a map or its problems cannot be read.
    pub fn problem_sets(&self, maps: Option<&Path>) -> Result<Vec<ProblemSet>, FileError> {
        match maps {
            Some(folder) => {
                MAPS.iter().map(|&map| ProblemSet::read(folder, map, self.problems)).collect()
            }
            None => Ok(GENERATED
                .iter()
                .map(|&(kind, seed)| ProblemSet::generated(kind, self.side, seed, self.problems))
                .collect()),
        }
    }
}

/// What a solver's paths must satisfy.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Promise {
    /// They are as cheap as any.
    Optimal,
    /// They cost at most this many times the optimum.
    Within(f64),
    /// They are legal, and there is one where there can be one.
    Legal,
}

/// Something that finds whole paths.
pub trait Solver {
    /// What it is called in tables.
    fn name(&self) -> &'static str;

    /// The rule for diagonal steps it follows.
    fn corners(&self) -> Corners {
        Corners::Never
    }

    /// What its paths are checked for.
    fn promise(&self) -> Promise;

    /// Builds what it needs for a map, which has its corner rule. This is timed apart.
    fn prepare(&mut self, _grid: &Grid) {}

    /// Finds a path on the map it was prepared for, and keeps it in its own form. This is timed.
    fn solve(&mut self, grid: &Grid, start: Cell, goal: Cell);

    /// The expansions of the last call, if they are counted and each is of one cell.
    fn expansions(&self) -> Option<u64> {
        None
    }

    /// The path of the last call, cell by cell with both ends; none if there is none.
    fn path(&self, grid: &Grid) -> Option<Vec<Cell>>;
}

/// The name of the solver that all are compared with, if it is compiled in.
pub const BASELINE: &str = "pathfinding 4.16";

/// All solvers: those of this workspace, and those of other crates if they are compiled in.
///
/// # Panics
/// Never: the weights are at least one.
pub fn solvers() -> Vec<Box<dyn Solver>> {
    let weighted = |num, den| {
        Priority::weighted(Ratio::new(num, den).expect("a fraction")).expect("at least one")
    };
    let search = |name, priority, successors, promise| -> Box<dyn Solver> {
        let config = SearchConfig { priority, successors, ..SearchConfig::default() };
        let search = BestFirst::new(config);
        Box::new(Loop { name, promise, search, nodes: None, expansions: 0 })
    };
    let all = Successors::All;
    #[allow(unused_mut)] // without the other crates
    let mut solvers: Vec<Box<dyn Solver>> = vec![
        Box::new(FindPath { corners: Corners::Never, nodes: None }),
        Box::new(FindPath { corners: Corners::Allowed, nodes: None }),
        Box::new(Finder { finder: PathFinder::default(), nodes: None }),
        search("A*", Priority::ASTAR, all, Promise::Optimal),
        search("A*, canonical", Priority::ASTAR, Successors::Canonical, Promise::Optimal),
        search("weighted A*, 1.5", weighted(3, 2), all, Promise::Within(1.5)),
        search("weighted A*, 3", weighted(3, 1), all, Promise::Within(3.0)),
        search("greedy search", Priority::GREEDY, all, Promise::Legal),
        Box::new(ArrayAstar::new()),
    ];
    #[cfg(feature = "peers")]
    solvers.extend(super::peers::all());
    solvers
}

/// The call that everyone tries first.
struct FindPath {
    corners: Corners,
    nodes: Option<Vec<NodeId>>,
}

impl Solver for FindPath {
    fn name(&self) -> &'static str {
        "find_path"
    }

    fn corners(&self) -> Corners {
        self.corners
    }

    fn promise(&self) -> Promise {
        Promise::Optimal
    }

    fn solve(&mut self, grid: &Grid, start: Cell, goal: Cell) {
        let ends = grid.node(start).zip(grid.node(goal));
        let path = ends.and_then(|(start, goal)| {
            find_path(grid, start, goal, SearchConfig::default()).ok().flatten()
        });
        self.nodes = path.map(|path| path.nodes);
    }

    fn path(&self, grid: &Grid) -> Option<Vec<Cell>> {
        cells(grid, self.nodes.as_deref())
    }
}

/// The same with memory of its own.
struct Finder {
    finder: PathFinder,
    nodes: Option<Vec<NodeId>>,
}

impl Solver for Finder {
    fn name(&self) -> &'static str {
        "PathFinder"
    }

    fn promise(&self) -> Promise {
        Promise::Optimal
    }

    fn solve(&mut self, grid: &Grid, start: Cell, goal: Cell) {
        let ends = grid.node(start).zip(grid.node(goal));
        let path =
            ends.and_then(|(start, goal)| self.finder.find(grid, start, goal).ok().flatten());
        self.nodes = path.map(|path| path.nodes);
    }

    fn path(&self, grid: &Grid) -> Option<Vec<Cell>> {
        cells(grid, self.nodes.as_deref())
    }
}

/// The plain loop, which keeps its memory from problem to problem.
struct Loop {
    name: &'static str,
    promise: Promise,
    search: BestFirst,
    nodes: Option<Vec<NodeId>>,
    expansions: u64,
}

impl Solver for Loop {
    fn name(&self) -> &'static str {
        self.name
    }

    fn promise(&self) -> Promise {
        self.promise
    }

    fn solve(&mut self, grid: &Grid, start: Cell, goal: Cell) {
        let Some((start, goal)) = grid.node(start).zip(grid.node(goal)) else { return };
        self.search.start(grid, start, goal);
        let mut slice = Slice::unlimited();
        let reached = self.search.run(grid, &mut slice) == Status::Reached;
        self.nodes = reached.then(|| self.search.path_to(goal)).flatten();
        self.expansions = slice.expansions();
    }

    fn expansions(&self) -> Option<u64> {
        Some(self.expansions)
    }

    fn path(&self, grid: &Grid) -> Option<Vec<Cell>> {
        cells(grid, self.nodes.as_deref())
    }
}

fn cells(grid: &Grid, nodes: Option<&[NodeId]>) -> Option<Vec<Cell>> {
    Some(nodes?.iter().map(|&node| grid.cell(node)).collect())
}

/// A solver's path is wrong.
#[derive(Clone, PartialEq, Debug, Error)]
#[error(
    "{solver} on {map}, from ({}, {}) to ({}, {}): {fault}",
    start.x, start.y, goal.x, goal.y
)]
pub struct WrongPath {
    /// The solver.
    pub solver: &'static str,
    /// The map.
    pub map: String,
    /// Where the path begins.
    pub start: Cell,
    /// Where it ends.
    pub goal: Cell,
    /// What is wrong.
    pub fault: String,
}

/// The cost of a path, if it leads from start to goal by legal steps.
fn cost(grid: &Grid, path: &[Cell], start: Cell, goal: Cell) -> Result<Cost, String> {
    if path.first() != Some(&start) || path.last() != Some(&goal) {
        return Err("the path does not lead from the start to the goal".into());
    }
    let mut sum = Cost::ZERO;
    for step in path.windows(2) {
        let ends = grid.node(step[0]).zip(grid.node(step[1]));
        let Some(edge) = ends.and_then(|(from, to)| grid.edge(from, to)) else {
            let [a, b] = [step[0], step[1]];
            return Err(format!(
                "the step from ({}, {}) to ({}, {}) is not legal",
                a.x, a.y, b.x, b.y
            ));
        };
        sum = sum + edge;
    }
    Ok(sum)
}

/// How many times the optimum a path costs, 1 if both are zero or there is no path; or what is wrong with it.
fn judge(
    grid: &Grid,
    (start, goal): (Cell, Cell),
    path: Option<&[Cell]>,
    exact: Option<Cost>,
    promise: Promise,
) -> Result<f64, String> {
    let (path, exact) = match (path, exact) {
        (None, None) => return Ok(1.0),
        (Some(_), None) => return Err("it found a path where there is none".into()),
        (None, Some(_)) => return Err("it found no path where there is one".into()),
        (Some(path), Some(exact)) => (path, exact),
    };
    let cost = cost(grid, path, start, goal)?;
    let ratio = if exact == Cost::ZERO { 1.0 } else { cost.0 as f64 / exact.0 as f64 };
    let kept = match promise {
        Promise::Optimal => cost == exact,
        Promise::Within(bound) => cost >= exact && ratio <= bound,
        Promise::Legal => cost >= exact,
    };
    if kept {
        return Ok(ratio);
    }
    Err(format!("the path costs {}, the optimum is {}", cost.in_cells(), exact.in_cells()))
}

/// The measurements of one solver, over all problems.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Row {
    /// The solver.
    pub solver: &'static str,
    /// Whether diagonal steps may pass the corners of blocked cells.
    pub corners: bool,
    /// Milliseconds per problem, mean.
    pub ms_per_problem: f64,
    /// Expansions per problem, mean, if they are counted.
    pub expansions_per_problem: Option<f64>,
    /// Nanoseconds per expansion, if they are counted.
    pub ns_per_expansion: Option<f64>,
    /// How many times as fast as [`BASELINE`] it is, if that is compiled in.
    pub times_as_fast: Option<f64>,
    /// The length of the paths over the shortest, mean.
    pub suboptimality: f64,
    /// The same, maximum.
    pub worst_suboptimality: f64,
    /// Milliseconds to prepare a map, mean.
    pub ms_to_prepare: f64,
}

/// What was measured.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// The maps that are complete.
    pub maps: Vec<String>,
    /// The problems on them.
    pub problems: usize,
    /// How often each was solved.
    pub rounds: usize,
    /// A row per solver.
    pub rows: Vec<Row>,
}

impl Report {
    /// The row of a solver with a corner rule.
    pub fn row(&self, solver: &str, corners: bool) -> Option<&Row> {
        self.rows.iter().find(|row| row.solver == solver && row.corners == corners)
    }
}

/// The sums of one solver.
#[derive(Clone, Copy, Default)]
struct Sums {
    time: Duration,
    expansions: Option<u64>,
    suboptimality: f64,
    worst: f64,
    preparing: Duration,
}

/// Solves every problem with every solver. The solvers take turns, and for each problem the least time counts: the least
/// disturbed one.
///
/// # Errors
/// When a path is not what the solver promises.
///
/// # Panics
/// When the rounds are zero.
pub fn measure(
    sets: &[ProblemSet],
    solvers: &mut [Box<dyn Solver>],
    rounds: usize,
    control: Control<'_>,
) -> Result<Report, WrongPath> {
    assert!(rounds > 0, "at least one round");
    let mut sums = vec![Sums { worst: 1.0, ..Sums::default() }; solvers.len()];
    let (mut maps, mut problems) = (Vec::new(), 0);
    for set in sets {
        // What is not complete does not count.
        let Some(of_map) = measure_map(set, solvers, rounds, control)? else { break };
        for (sum, part) in sums.iter_mut().zip(of_map) {
            sum.time += part.time;
            let expansions = part.expansions.map(|count| count + sum.expansions.unwrap_or(0));
            sum.expansions = expansions;
            sum.suboptimality += part.suboptimality;
            sum.worst = sum.worst.max(part.worst);
            sum.preparing += part.preparing;
        }
        maps.push(set.name.clone());
        problems += set.ends.len();
    }
    let baseline = solvers.iter().position(|solver| solver.name() == BASELINE);
    let baseline = baseline.map(|nth| sums[nth].time.as_secs_f64());
    let row = |(solver, sums): (&dyn Solver, &Sums)| {
        let (time, count) = (sums.time.as_secs_f64(), problems.max(1) as f64);
        let expansions = sums.expansions.filter(|&count| count > 0).map(|count| count as f64);
        Row {
            solver: solver.name(),
            corners: solver.corners() == Corners::Allowed,
            ms_per_problem: time * 1e3 / count,
            expansions_per_problem: expansions.map(|expansions| expansions / count),
            ns_per_expansion: expansions.map(|expansions| time * 1e9 / expansions),
            times_as_fast: baseline.map(|baseline| baseline / time),
            suboptimality: sums.suboptimality / count,
            worst_suboptimality: sums.worst,
            ms_to_prepare: sums.preparing.as_secs_f64() * 1e3 / maps.len().max(1) as f64,
        }
    };
    let rows = if maps.is_empty() {
        Vec::new()
    } else {
        solvers.iter().map(|solver| &**solver).zip(&sums).map(row).collect()
    };
    Ok(Report { maps, problems, rounds, rows })
}

/// The sums of each solver on one map; none if it was stopped.
fn measure_map(
    set: &ProblemSet,
    solvers: &mut [Box<dyn Solver>],
    rounds: usize,
    control: Control<'_>,
) -> Result<Option<Vec<Sums>>, WrongPath> {
    let grids = [Corners::Never, Corners::Allowed].map(|rule| set.grid.clone().with_corners(rule));
    let exact = grids.each_ref().map(|grid| optima(grid, &set.ends));
    let rule = |solver: &dyn Solver| usize::from(solver.corners() == Corners::Allowed);
    let mut sums = vec![Sums { worst: 1.0, ..Sums::default() }; solvers.len()];
    for (solver, sums) in solvers.iter_mut().zip(&mut sums) {
        let begin = Instant::now();
        solver.prepare(&grids[rule(&**solver)]);
        sums.preparing = begin.elapsed();
    }
    let mut least = vec![vec![Duration::MAX; set.ends.len()]; solvers.len()];
    for round in 0..rounds {
        for ((solver, sums), least) in solvers.iter_mut().zip(&mut sums).zip(&mut least) {
            let nth = rule(&**solver);
            for (problem, (&(start, goal), least)) in set.ends.iter().zip(least).enumerate() {
                if control.stopped() {
                    return Ok(None);
                }
                let begin = Instant::now();
                solver.solve(&grids[nth], start, goal);
                *least = begin.elapsed().min(*least);
                let path = solver.path(&grids[nth]);
                let wrong = |fault| WrongPath {
                    solver: solver.name(),
                    map: set.name.clone(),
                    start,
                    goal,
                    fault,
                };
                let optimum = exact[nth][problem];
                let ratio =
                    judge(&grids[nth], (start, goal), path.as_deref(), optimum, solver.promise())
                        .map_err(wrong)?;
                if round > 0 {
                    continue;
                }
                sums.suboptimality += ratio;
                sums.worst = sums.worst.max(ratio);
                if let Some(count) = solver.expansions() {
                    *sums.expansions.get_or_insert(0) += count;
                }
            }
            (control.step)();
        }
    }
    for (sums, least) in sums.iter_mut().zip(least) {
        sums.time = least.into_iter().sum();
    }
    Ok(Some(sums))
}

/// The cost of a cheapest path for each problem, by the plain loop.
fn optima(grid: &Grid, ends: &[(Cell, Cell)]) -> Vec<Option<Cost>> {
    let mut search = BestFirst::new(SearchConfig::default());
    let mut optimum = |&(start, goal): &(Cell, Cell)| {
        let (start, goal) = grid.node(start).zip(grid.node(goal))?;
        search.start(grid, start, goal);
        let reached = search.run(grid, &mut Slice::unlimited()) == Status::Reached;
        reached.then(|| search.cost_to(goal)).flatten()
    };
    ends.iter().map(&mut optimum).collect()
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // exact ratios
mod tests {
    use super::*;

    /// Returns what it is told to.
    struct Fake {
        path: Option<Vec<Cell>>,
        promise: Promise,
    }

    impl Solver for Fake {
        fn name(&self) -> &'static str {
            "fake"
        }

        fn promise(&self) -> Promise {
            self.promise
        }

        fn solve(&mut self, _: &Grid, _: Cell, _: Cell) {}

        fn path(&self, _: &Grid) -> Option<Vec<Cell>> {
            self.path.clone()
        }
    }

    fn set() -> ProblemSet {
        let grid = Grid::from_rows(["....", ".#..", "...#"]).unwrap();
        ProblemSet { name: "small".into(), grid, ends: vec![(Cell::new(0, 0), Cell::new(2, 2))] }
    }

    fn fake(path: &[(u32, u32)], promise: Promise) -> Result<Report, WrongPath> {
        let cells = path.iter().map(|&(x, y)| Cell::new(x, y)).collect();
        let path = Some(cells).filter(|_| !path.is_empty());
        measure(&[set()], &mut [Box::new(Fake { path, promise })], 1, Control::none())
    }

    #[test]
    fn wrong_paths_are_refused() {
        let good = [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)];
        let report = fake(&good, Promise::Optimal).unwrap();
        assert_eq!((report.rows[0].suboptimality, report.problems), (1.0, 1));
        let fault = |path: &[_], promise| fake(path, promise).unwrap_err().to_string();
        let long = [(0, 0), (1, 0), (0, 0), (0, 1), (0, 2), (1, 2), (2, 2)];
        assert_eq!(
            fault(&long, Promise::Optimal),
            "fake on small, from (0, 0) to (2, 2): the path costs 6, the optimum is 4"
        );
        assert_eq!(fake(&long, Promise::Within(1.5)).unwrap().rows[0].worst_suboptimality, 1.5);
        assert!(fault(&long, Promise::Within(1.4)).ends_with("costs 6, the optimum is 4"));
        assert_eq!(fake(&long, Promise::Legal).unwrap().rows[0].suboptimality, 1.5);
        let cut = [(0, 0), (0, 1), (1, 2), (2, 2)];
        assert!(fault(&cut, Promise::Legal).ends_with("from (0, 1) to (1, 2) is not legal"));
        let short = [(0, 0), (0, 1)];
        assert!(fault(&short, Promise::Legal).ends_with("from the start to the goal"));
        assert!(fault(&[], Promise::Legal).ends_with("found no path where there is one"));
    }

    /// Finds a path in its first call only.
    struct Once(usize);

    impl Solver for Once {
        fn name(&self) -> &'static str {
            "once"
        }

        fn promise(&self) -> Promise {
            Promise::Optimal
        }

        fn solve(&mut self, _: &Grid, _: Cell, _: Cell) {
            self.0 += 1;
        }

        fn path(&self, _: &Grid) -> Option<Vec<Cell>> {
            let good = [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)];
            (self.0 == 1).then(|| good.map(|(x, y)| Cell::new(x, y)).into())
        }
    }

    #[test]
    fn paths_are_checked_in_every_round() {
        let measure = |rounds| measure(&[set()], &mut [Box::new(Once(0))], rounds, Control::none());
        assert!(measure(1).is_ok());
        let error = measure(2).unwrap_err().to_string();
        assert!(error.ends_with("found no path where there is one"), "{error}");
    }

    #[test]
    fn where_there_is_no_path_none_may_be_found() {
        let grid = Grid::from_rows([".#."]).unwrap();
        let ends = vec![(Cell::new(0, 0), Cell::new(2, 0))];
        let blocked = ProblemSet { name: "blocked".into(), grid, ends };
        let measure = |solvers: &mut [Box<dyn Solver>]| {
            measure(std::slice::from_ref(&blocked), solvers, 1, Control::none())
        };
        let path = Some(vec![Cell::new(0, 0), Cell::new(2, 0)]);
        let fake: Box<dyn Solver> = Box::new(Fake { path, promise: Promise::Legal });
        let error = measure(&mut [fake]).unwrap_err().to_string();
        assert!(error.ends_with("it found a path where there is none"), "{error}");
        assert!(measure(&mut solvers()).is_ok());
    }

    #[test]
    fn every_solver_keeps_its_promise() {
        for (kind, seed) in [(Kind::Caves, 5), (Kind::Random, 6), (Kind::Rooms, 7)] {
            let set = ProblemSet::generated(kind, 96, seed, 12);
            let report = measure(&[set], &mut solvers(), 2, Control::none()).unwrap();
            assert_eq!((report.problems, report.maps.len()), (12, 1));
            for row in &report.rows {
                assert!(row.worst_suboptimality >= row.suboptimality && row.suboptimality >= 1.0);
                assert!(row.ms_per_problem > 0.0);
            }
            let row = |name| report.row(name, false).unwrap();
            let astar = row("A*").expansions_per_problem.unwrap();
            assert_eq!(row("A*").worst_suboptimality, 1.0);
            assert!(row("weighted A*, 3").expansions_per_problem.unwrap() < astar);
            // The order among equal keys differs, and no more.
            let by_hand = row("hand-made array A*").expansions_per_problem.unwrap();
            assert!((by_hand / astar - 1.0).abs() < 0.15, "{by_hand} against {astar}");
            assert!(row("find_path").expansions_per_problem.is_none());
            assert!(report.row("find_path", true).is_some());
        }
    }

    #[test]
    fn a_stopped_measurement_keeps_complete_maps() {
        let sets = [1, 2, 3].map(|seed| ProblemSet::generated(Kind::Rooms, 32, seed, 3));
        let flag = std::sync::atomic::AtomicBool::new(false);
        let (steps, mut solvers) = (std::cell::Cell::new(0), solvers());
        // In the middle of the second map.
        let last = solvers.len() * 3;
        let step = || {
            steps.set(steps.get() + 1);
            flag.store(steps.get() == last, std::sync::atomic::Ordering::Relaxed);
        };
        let control = Control { stop: &flag, step: &step };
        let report = measure(&sets, &mut solvers, 2, control).unwrap();
        assert_eq!((report.maps.as_slice(), report.problems), (&["rooms-32-1".to_string()][..], 3));
    }
}
