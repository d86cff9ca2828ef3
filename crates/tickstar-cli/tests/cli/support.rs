//! Running the program in a folder of its own, and maps as these tests understand them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;
use tickstar::catalog::{self, Facts, GivesUp};

/// What a run of the program left behind.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// Standard output of a run that must have gone well.
    pub fn good(self) -> String {
        assert_eq!((self.code, self.problems()), (Some(0), String::new()), "stdout: {}", self.out);
        self.out
    }

    /// Standard error without what is only noted.
    fn problems(&self) -> String {
        self.err.lines().filter(|line| !line.starts_with("note: ")).collect()
    }

    /// Standard output of such a run, as one JSON value per line.
    pub fn json(self) -> Vec<Value> {
        json_lines(&self.good())
    }
}

pub fn json_lines(text: &str) -> Vec<Value> {
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    text.lines().map(parse).collect()
}

/// A fresh folder in which the program is run.
pub struct Folder(PathBuf);

impl Folder {
    /// Each test has its own name, as tests run side by side.
    pub fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli").join(name);
        if path.exists() {
            fs::remove_dir_all(&path).unwrap();
        }
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// The program with these arguments, in this folder.
    pub fn command<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tickstar"));
        command.args(arguments).current_dir(&self.0).stdin(Stdio::null());
        command
    }

    /// Runs the program with arguments separated by blanks.
    pub fn run(&self, arguments: &str) -> Ran {
        read(&self.command(arguments.split_whitespace()).output().unwrap(), arguments)
    }

    /// Runs the program with these arguments, which may be anything; it must not hang.
    pub fn run_guarded<A: AsRef<OsStr>>(&self, arguments: &[A], what: &str) -> Ran {
        let mut command = self.command(arguments);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        read(&wait(child, what), what)
    }

    /// The same with a number of threads.
    pub fn run_with_threads(&self, arguments: &str, threads: u32) -> Ran {
        let mut command = self.command(arguments.split_whitespace());
        command.env("RAYON_NUM_THREADS", threads.to_string());
        read(&command.output().unwrap(), arguments)
    }
}

/// Longer than any command of these tests takes: one that is not done by then hangs.
const HANGS: Duration = Duration::from_secs(120);

/// Waits for the program to end. One that hangs is killed, and fails the test.
pub fn wait(child: Child, arguments: &str) -> Output {
    let (pid, (send, receive)) = (child.id().to_string(), mpsc::channel());
    std::thread::spawn(move || send.send(child.wait_with_output()));
    receive.recv_timeout(HANGS).map_or_else(
        |_| {
            let killed = Command::new("kill").args(["-KILL", &pid]).status();
            panic!("it hangs, and was killed ({killed:?}): {arguments}")
        },
        Result::unwrap,
    )
}

/// The program's output; it never panics.
pub fn read(output: &Output, arguments: &str) -> Ran {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("the program writes UTF-8");
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(!out.contains("panicked") && !err.contains("panicked"), "{arguments}: {err}");
    Ran { code: output.status.code(), out, err }
}

/// Whether two lengths are equal within rounding.
pub fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(1.0)
}

pub type Cell = (i64, i64);

/// A cell as the program writes it: column and row.
pub fn cell(value: &Value) -> Cell {
    let pair = value.as_array().filter(|pair| pair.len() == 2);
    let pair = pair.unwrap_or_else(|| panic!("not a cell: {value}"));
    (pair[0].as_i64().unwrap(), pair[1].as_i64().unwrap())
}

pub fn number(record: &Value, name: &str) -> u64 {
    record[name].as_u64().unwrap_or_else(|| panic!("{name} is not a count: {record}"))
}

pub fn length(record: &Value, name: &str) -> f64 {
    record[name].as_f64().unwrap_or_else(|| panic!("{name} is not a length: {record}"))
}

/// A list of cells, such as a path.
pub fn cells(value: &Value) -> Vec<Cell> {
    let list = value.as_array().unwrap_or_else(|| panic!("no list of cells: {value}"));
    list.iter().map(cell).collect()
}

/// The flags name something that does not exist or contradict each other.
pub const USAGE: i32 = 2;
/// A file, or a problem in it, is bad.
pub const INPUT: i32 = 3;

/// Checks that names are there, in this order; others may be between them. So a name that is published cannot
/// vanish, and a new one needs no change of a test.
pub fn has_in_order(found: &[&str], names: &[&str]) {
    let mut rest = found.iter();
    for name in names {
        assert!(rest.any(|found| found == name), "`{name}` is missing or misplaced: {found:?}");
    }
}

/// Checks that the program refuses, and that its message holds all of these.
pub fn refused(folder: &Folder, arguments: &str, code: i32, named: &[&str]) {
    let ran = folder.run_guarded(&arguments.split_whitespace().collect::<Vec<_>>(), arguments);
    assert_eq!(ran.code, Some(code), "{arguments}: {}", ran.err);
    assert_eq!(ran.out, "", "{arguments}");
    for name in named {
        assert!(ran.err.contains(name), "{arguments}: `{name}` is not named: {}", ran.err);
    }
    assert!(ran.err.starts_with("error: "), "{arguments}: {}", ran.err);
}

/// The names in the catalog.
pub fn algorithms(folder: &Folder) -> Vec<String> {
    let entries = folder.run("algorithms --json").json();
    entries.iter().map(|entry| entry["name"].as_str().unwrap().to_string()).collect()
}

/// What the catalog declares of an algorithm, with or without flags behind the name.
pub fn facts(algorithm: &str) -> &'static Facts {
    &catalog::find(algorithm.split_whitespace().next().unwrap()).unwrap().facts
}

/// Those that learn while they walk: they are slow to give up, and not for maps on which anything opens.
pub fn learning() -> impl Iterator<Item = &'static str> {
    catalog::all().iter().map(|entry| entry.name).filter(|name| is_learning(name))
}

/// Whether this is one of them.
pub fn is_learning(algorithm: &str) -> bool {
    facts(algorithm).gives_up == GivesUp::Slowly
}

/// Whether it arrives by raising its estimates, and so is not for maps on which anything opens. Those that do so
/// on a map with a hierarchy know at once that there is no path.
pub fn raises(algorithm: &str) -> bool {
    facts(algorithm).no_openings.is_some()
}

/// Why those are refused.
pub const NO_OPENINGS: &str =
    "it arrives by raising its estimates, which may be too high once something opens";

/// The most updates an interval may have: those that learn after their search or repair it have ten per
/// unit of the budget, all others none.
pub fn most_updates(algorithm: &str, budget: Option<u64>) -> u64 {
    match algorithm {
        "lrta" | "lss-lrta" | "dstar-lite" | "pr-lrta" | "d-lrta" => {
            budget.map_or(u64::MAX, |budget| 10 * budget)
        }
        "tick" => budget.map_or(u64::MAX, |budget| 2 * budget),
        _ => 0,
    }
}

/// How a map is walked, with the flags that say so.
#[derive(Clone, Copy)]
pub struct Movement {
    pub flags: &'static str,
    pub diagonal: bool,
    /// Whether a diagonal step may pass a blocked cell.
    pub corners: bool,
}

pub const MOVEMENTS: [Movement; 4] = [
    Movement { flags: "", diagonal: true, corners: false },
    Movement { flags: "--corners never", diagonal: true, corners: false },
    Movement { flags: "--corners allowed", diagonal: true, corners: true },
    Movement { flags: "--neighbors 4", diagonal: false, corners: false },
];

/// The rows of a map file, read and walked without the program's own code.
#[derive(Clone)]
pub struct TestMap {
    rows: Vec<Vec<u8>>,
    movement: Movement,
}

impl TestMap {
    pub fn new(map: &str, movement: Movement) -> TestMap {
        TestMap { rows: map.lines().skip(4).map(|row| row.as_bytes().to_vec()).collect(), movement }
    }

    pub fn free(&self, (x, y): Cell) -> bool {
        let row = usize::try_from(y).ok().and_then(|y| self.rows.get(y));
        let byte = row.and_then(|row| row.get(usize::try_from(x).ok()?));
        byte.is_some_and(|byte| b".GS".contains(byte))
    }

    /// Frees or blocks a cell of the map.
    pub fn set(&mut self, (x, y): Cell, free: bool) {
        self.rows[y as usize][x as usize] = if free { b'.' } else { b'@' };
    }

    /// Every cell of the map, row by row.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let (width, height) = (self.rows[0].len() as i64, self.rows.len() as i64);
        (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)))
    }

    /// The cells of the map that are neighbors of this one where nothing is in the way.
    pub fn around(&self, (x, y): Cell) -> Vec<Cell> {
        let (width, height) = (self.rows[0].len() as i64, self.rows.len() as i64);
        let square = (y - 1..=y + 1).flat_map(|y| (x - 1..=x + 1).map(move |x| (x, y)));
        let on_map = square.filter(|(x, y)| (0..width).contains(x) && (0..height).contains(y));
        on_map.filter(|&cell| self.near((x, y), cell)).collect()
    }

    /// Whether the same cells are free, on a map of the same size.
    pub fn is_like(&self, other: &TestMap) -> bool {
        self.rows == other.rows
    }

    /// Whether the cells are neighbors where nothing is in the way.
    fn near(&self, (ax, ay): Cell, (bx, by): Cell) -> bool {
        match ((ax - bx).abs(), (ay - by).abs()) {
            (0, 1) | (1, 0) => true,
            (1, 1) => self.movement.diagonal,
            _ => false,
        }
    }

    /// The length of a step, if it may be taken.
    pub fn step(&self, from: Cell, to: Cell) -> Option<f64> {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let beside = self.free((from.0 + dx, from.1)) && self.free((from.0, from.1 + dy));
        let ends = self.free(from) && self.free(to);
        match (dx.abs(), dy.abs()) {
            (0, 1) | (1, 0) if ends => Some(1.0),
            (1, 1) if ends && self.movement.diagonal && (self.movement.corners || beside) => {
                Some(std::f64::consts::SQRT_2)
            }
            _ => None,
        }
    }

    /// The length of a walk, every step of which must be legal.
    pub fn walk(&self, walk: &[Cell]) -> f64 {
        let step = |pair: &[Cell]| {
            let step = self.step(pair[0], pair[1]);
            step.unwrap_or_else(|| panic!("{pair:?} is no legal step {}", self.movement.flags))
        };
        walk.windows(2).map(step).sum()
    }

    /// The length of a shortest path.
    pub fn shortest(&self, start: Cell, goal: Cell) -> Option<f64> {
        let distance = self.search(start, Some(goal))[self.index(goal)];
        distance.is_finite().then_some(distance)
    }

    /// The lengths of the shortest paths from a cell to all others; infinite where there is none.
    pub fn distances(&self, from: Cell) -> impl Fn(Cell) -> f64 + use<> {
        let (width, distances) = (self.rows[0].len(), self.search(from, None));
        move |(x, y)| distances[y as usize * width + x as usize]
    }

    /// Dijkstra's algorithm, until this cell is reached.
    fn search(&self, from: Cell, last: Option<Cell>) -> Vec<f64> {
        let mut distances = vec![f64::INFINITY; self.rows[0].len() * self.rows.len()];
        distances[self.index(from)] = 0.0;
        // Floats from zero up are in the order of their bits.
        let mut open = BinaryHeap::from([Reverse((0_u64, from))]);
        while let Some(Reverse((bits, (x, y)))) = open.pop() {
            let distance = f64::from_bits(bits);
            if Some((x, y)) == last {
                break;
            }
            for to in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (x + dx, y + dy))) {
                let Some(step) = self.step((x, y), to) else { continue };
                if distance + step < distances[self.index(to)] {
                    distances[self.index(to)] = distance + step;
                    open.push(Reverse(((distance + step).to_bits(), to)));
                }
            }
        }
        distances
    }

    fn index(&self, (x, y): Cell) -> usize {
        y as usize * self.rows[0].len() + x as usize
    }
}

/// A map of the benchmark's format with these rows.
pub fn map(rows: &[&str]) -> String {
    let header = format!("type octile\nheight {}\nwidth {}\nmap\n", rows.len(), rows[0].len());
    header + &rows.join("\n") + "\n"
}
