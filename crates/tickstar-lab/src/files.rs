//! Reading the files of the public benchmark: maps, scenarios, and plain lists of problems. Other
//! text files are read by the same functions.
//!
//! Every error names the file, and the line where there is one.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{fs, io};

use thiserror::Error;
use tickstar::space::MapError;
use tickstar::{Cell, Grid};

use crate::text::{self, quoted};

/// Where to walk from and to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Problem {
    /// Where the agent begins.
    pub start: Cell,
    /// Where it should go.
    pub goal: Cell,
    /// The length of a shortest path in cells, if the file states it.
    ///
    /// The benchmark writes a length of zero for a problem that has no solution: zero with a start
    /// that is not the goal means that the goal cannot be reached.
    pub optimal: Option<f64>,
}

/// Why a file could not be used.
#[derive(Debug, Error)]
pub enum FileError {
    /// There is no such file.
    #[error("{}: there is no such file", text::path(path))]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The path leads to a directory.
    #[error("{}: this is a directory, a file was expected", text::path(path))]
    Directory {
        /// The directory.
        path: PathBuf,
    },
    /// A device or a pipe, which may never end.
    #[error("{}: this is a device or a pipe, a file was expected", text::path(path))]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// More than any file of ours can have.
    #[error("{}: the file has {bytes} bytes; the largest map has {MAX_BYTES}", text::path(path))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// The system refused.
    #[error("{}: the file cannot be read: {}", text::path(path), text::refusal(reason))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// The file is not a map.
    #[error("{}: {}", text::path(path), text::escaped(&reason.to_string()))]
    Map {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: MapError,
    },
    /// Nothing in it.
    #[error("{}: the file is empty", text::path(path))]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Nothing in it but comments or a header.
    #[error("{}: there is no problem in the file", text::path(path))]
    NoProblems {
        /// The file.
        path: PathBuf,
    },
    /// A line is not what it should be.
    #[error("{}: line {line}: {reason}", text::path(path))]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from one.
        line: usize,
        /// What is wrong with it.
        reason: LineError,
    },
}

/// What is wrong with a line of a scenario, a list of problems or a script.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum LineError {
    /// Bytes that are not UTF-8.
    #[error("expected text, found bytes that are not UTF-8")]
    NotText,
    /// The first line of a scenario is not a version this program knows.
    #[error(
        "expected `version 1`, found `{found}` (known: `version 0`, `version 1`, `version 1.0`)"
    )]
    Version {
        /// What stands there, as [`quoted`].
        found: String,
    },
    /// A scenario row with the wrong number of columns.
    #[error(
        "expected 9 columns (bucket, map, width, height, start x, start y, goal x, goal y, \
         length), or 7 without width and height, found {found}"
    )]
    Columns {
        /// Columns there are.
        found: usize,
    },
    /// A row of a list of problems with more or fewer than four numbers.
    #[error("expected 4 numbers (start x, start y, goal x, goal y), found {found}")]
    Fields {
        /// Fields there are.
        found: usize,
    },
    /// A field that should be a number from zero up.
    #[error("{what}: {}", number_error(found))]
    Number {
        /// The field's meaning.
        what: &'static str,
        /// What stands there, as [`quoted`].
        found: String,
    },
    /// Not a length.
    #[error("length: expected a finite number from 0, found `{found}`")]
    Length {
        /// What stands there, as [`quoted`].
        found: String,
    },
    /// The row belongs to a different map.
    #[error("the scenario is for another map: expected `{expected}`, found `{found}`")]
    OtherMap {
        /// The map at hand.
        expected: String,
        /// The map the row is for.
        found: String,
    },
    /// The row is for a map of a different size.
    #[error(
        "the scenario is for a map of {} by {} cells, the map is {} by {}, and neither is a whole \
         multiple of the other", scenario.0, scenario.1, map.0, map.1
    )]
    Size {
        /// The width and height the row states.
        scenario: (u32, u32),
        /// Those of the map.
        map: (u32, u32),
    },
    /// A start, goal or other cell off the map.
    #[error("the {what} {cell} is outside the map, which is {} wide and {} high", map.0, map.1)]
    Outside {
        /// What the cell is: a start, a goal, or just a cell.
        what: &'static str,
        /// The cell, in cells of the map.
        cell: Cell,
        /// The map's width and height.
        map: (u32, u32),
    },
    /// A row of a script with more or fewer than four fields.
    #[error(
        "expected 4 fields (tick, x, y, and `blocked` or `free`), or the word `end`, \
         found {found}"
    )]
    Change {
        /// Fields there are.
        found: usize,
    },
    /// A change of a script before the first interval.
    #[error("tick 0: ticks count from 1")]
    IntervalZero,
    /// A change of a script that comes after a later one.
    #[error("out of order: tick {interval} after {previous}")]
    OutOfOrder {
        /// The interval of the row.
        interval: u64,
        /// The interval of the row before.
        previous: u64,
    },
    /// A cell can become two things, and this is neither.
    #[error("expected `blocked` or `free`, found `{found}`")]
    State {
        /// What stands there, as [`quoted`].
        found: String,
    },
    /// A script continues after its last line.
    #[error("expected nothing after `end`, found `{found}`")]
    AfterEnd {
        /// What stands there, as [`quoted`].
        found: String,
    },
    /// A script stops after this line, which is not its last.
    #[error("the script has no `end` line: it was cut short, or the line is missing")]
    NoEnd,
    /// A change of a script to the very cell the agent must reach.
    #[error("this blocks the goal {goal}, which a script must never do")]
    BlocksGoal {
        /// The goal.
        goal: Cell,
    },
}

/// What is wrong with a number from zero up.
fn number_error(found: &str) -> String {
    let digits = found.trim_end_matches('…');
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return format!("`{found}` is too large");
    }
    format!("expected a whole number from 0, found `{found}`")
}

/// Reads a map: in the benchmark's format, or as rows of `#` and `.` from a file whose name ends in
/// `.txt`.
///
/// # Errors
/// When the file cannot be read or is not such a map.
pub fn read_map(path: &Path) -> Result<Grid, FileError> {
    let bytes = read(path)?;
    let grid = if has_rows_only(path) {
        let rows = lines(&bytes);
        let used = rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1);
        Grid::from_rows(&rows[..used])
    } else {
        Grid::from_map(&bytes)
    };
    grid.map_err(|reason| FileError::Map { path: path.into(), reason })
}

/// Whether a map file has rows and no header, by its name.
pub fn has_rows_only(path: &Path) -> bool {
    path.extension().is_some_and(|kind| kind.eq_ignore_ascii_case("txt"))
}

/// The lines of a text without their ends. Some editors insert a byte order mark before UTF-8 text: it is left out.
pub fn lines(text: &[u8]) -> Vec<&[u8]> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let lines = text.split(|&byte| byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect()
}

/// Reads a scenario: a version line, then rows of nine columns, or seven without the map's size.
///
/// The column with the map's name must agree with `map_name`, folders apart. A row that states
/// a size that differs from the map's is scaled if one is a whole multiple of the other, by the same
/// factor both ways; its length then no longer applies and is omitted. Sizes of 0 or 1 mean "as the map is".
///
/// # Errors
/// When the file cannot be read, is not a scenario for this map, or has no problem in it.
pub fn read_scen(path: &Path, map_name: &str, grid: &Grid) -> Result<Vec<Problem>, FileError> {
    parse_scen(path, &read(path)?, map_name, grid)
}

/// Reads a list of problems: four numbers per line, start x y and goal x y. Blank lines and those
/// that begin with `#` are skipped. The cells must be on the map, but may be blocked.
///
/// # Errors
/// When the file cannot be read, a line is not such a problem, or there is none.
pub fn read_problems(path: &Path, grid: &Grid) -> Result<Vec<Problem>, FileError> {
    parse_problems(path, &read(path)?, grid)
}

/// The most bytes that are read: 65,528 rows of as many cells, with both line ends, and a header.
const MAX_BYTES: u64 = 65_528 * (65_528 + 2) + 1000;

/// The bytes of a file. Devices and pipes are refused, as they may never end.
///
/// # Errors
/// When there is no such file, it cannot be read, or it is larger than any map.
pub fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    let failed = |reason: io::Error| {
        let path = path.to_path_buf();
        match reason.kind() {
            // A folder that is a file: `a.map/b.map`.
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FileError::Missing { path },
            _ => FileError::Unreadable { path, reason },
        }
    };
    let facts = fs::metadata(path).map_err(failed)?;
    let path = path.to_path_buf();
    if facts.is_dir() {
        return Err(FileError::Directory { path });
    }
    if !facts.is_file() {
        return Err(FileError::NotAFile { path });
    }
    if facts.len() > MAX_BYTES {
        return Err(FileError::TooLarge { path, bytes: facts.len() });
    }
    let mut bytes = Vec::new();
    // Some files, such as those of the kernel, say that they have no bytes.
    let limited = fs::File::open(&path).map(|file| file.take(MAX_BYTES));
    limited.and_then(|mut file| file.read_to_end(&mut bytes)).map_err(failed)?;
    Ok(bytes)
}

fn parse_scen(
    path: &Path,
    text: &[u8],
    map_name: &str,
    grid: &Grid,
) -> Result<Vec<Problem>, FileError> {
    let mut header = true;
    let problems = parse(path, text, |_, line| {
        if std::mem::take(&mut header) {
            return version(line).map(|()| None);
        }
        scen_row(line, map_name, grid).map(Some)
    })?;
    some(path, problems)
}

pub(crate) fn parse_problems(
    path: &Path,
    text: &[u8],
    grid: &Grid,
) -> Result<Vec<Problem>, FileError> {
    let problems = parse(path, text, |_, line| {
        if line.starts_with('#') {
            return Ok(None);
        }
        let fields: Vec<&str> = line.split_whitespace().collect();
        let Ok(ends) = <[&str; 4]>::try_from(fields.as_slice()) else {
            return Err(LineError::Fields { found: fields.len() });
        };
        let (start, goal) = endpoints(ends, Scale::Same, grid)?;
        Ok(Some(Problem { start, goal, optimal: None }))
    })?;
    some(path, problems)
}

/// The problems of a file, if there are any.
fn some(path: &Path, problems: Vec<Problem>) -> Result<Vec<Problem>, FileError> {
    if problems.is_empty() {
        return Err(FileError::NoProblems { path: path.into() });
    }
    Ok(problems)
}

/// Reads at most one item from each line that is not blank, given with its number from one.
pub(crate) fn parse<T>(
    path: &Path,
    text: &[u8],
    mut read_line: impl FnMut(usize, &str) -> Result<Option<T>, LineError>,
) -> Result<Vec<T>, FileError> {
    let lines = lines(text);
    if lines.iter().all(|line| line.trim_ascii().is_empty()) {
        return Err(FileError::Empty { path: path.into() });
    }
    let mut found = Vec::new();
    for (i, line) in lines.into_iter().enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let text = std::str::from_utf8(line).map_err(|_| LineError::NotText);
        let thing = text
            .and_then(|text| read_line(i + 1, text))
            .map_err(|reason| FileError::Line { path: path.into(), line: i + 1, reason })?;
        found.extend(thing);
    }
    Ok(found)
}

fn version(line: &str) -> Result<(), LineError> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        ["version", "0" | "1" | "1.0"] => Ok(()),
        _ => Err(LineError::Version { found: quoted(line) }),
    }
}

fn scen_row(line: &str, map_name: &str, grid: &Grid) -> Result<Problem, LineError> {
    let columns: Vec<&str> = line.split_whitespace().collect();
    // The number of columns decides, not the version: files with either combination exist.
    let (map, scale, ends, length) = match columns[..] {
        [_, map, width, height, sx, sy, gx, gy, length] => {
            let size = (number("width", width)?, number("height", height)?);
            (map, Some(size), [sx, sy, gx, gy], length)
        }
        [_, map, sx, sy, gx, gy, length] => (map, None, [sx, sy, gx, gy], length),
        _ => return Err(LineError::Columns { found: columns.len() }),
    };
    let (expected, found) = (basename(map_name), basename(map));
    if expected != found {
        return Err(LineError::OtherMap { expected: quoted(expected), found: quoted(found) });
    }
    let scale = scale.map_or(Ok(Scale::Same), |size| Scale::between(size, grid))?;
    let (start, goal) = endpoints(ends, scale, grid)?;
    let optimal = length_in_cells(length)?;
    Ok(Problem { start, goal, optimal: (scale == Scale::Same).then_some(optimal) })
}

/// How a scenario's coordinates become the map's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scale {
    Same,
    Multiply(u32),
    Divide(u32),
}

impl Scale {
    fn between(scenario: (u32, u32), grid: &Grid) -> Result<Scale, LineError> {
        let map = size(grid);
        if scenario == map || (scenario.0 <= 1 && scenario.1 <= 1) {
            return Ok(Scale::Same);
        }
        if let Some(factor) = factor(map, scenario) {
            return Ok(Scale::Multiply(factor));
        }
        if let Some(factor) = factor(scenario, map) {
            return Ok(Scale::Divide(factor));
        }
        Err(LineError::Size { scenario, map })
    }

    fn apply(self, coordinate: u32) -> u32 {
        match self {
            Scale::Same => coordinate,
            Scale::Multiply(factor) => coordinate.saturating_mul(factor),
            Scale::Divide(factor) => coordinate / factor,
        }
    }
}

/// The factor between the sizes, if it is a whole number and the same both ways.
fn factor(large: (u32, u32), small: (u32, u32)) -> Option<u32> {
    let factor = large.0.checked_div(small.0)?;
    let fits = |large: u32, small: u32| small.checked_mul(factor) == Some(large);
    (fits(large.0, small.0) && fits(large.1, small.1)).then_some(factor)
}

fn endpoints(fields: [&str; 4], scale: Scale, grid: &Grid) -> Result<(Cell, Cell), LineError> {
    let [sx, sy, gx, gy] = fields;
    let start = [number("start x", sx)?, number("start y", sy)?];
    let goal = [number("goal x", gx)?, number("goal y", gy)?];
    let scaled = |[x, y]: [u32; 2]| Cell::new(scale.apply(x), scale.apply(y));
    Ok((on_map("start", scaled(start), grid)?, on_map("goal", scaled(goal), grid)?))
}

pub(crate) fn on_map(what: &'static str, cell: Cell, grid: &Grid) -> Result<Cell, LineError> {
    if grid.is_inside(cell) {
        return Ok(cell);
    }
    Err(LineError::Outside { what, cell, map: size(grid) })
}

/// A whole number within the range of the type.
pub(crate) fn number<T: FromStr>(what: &'static str, field: &str) -> Result<T, LineError> {
    field.parse().map_err(|_| LineError::Number { what, found: quoted(field) })
}

fn length_in_cells(field: &str) -> Result<f64, LineError> {
    let length = field.parse::<f64>().ok();
    length
        .filter(|length| length.is_finite() && *length >= 0.0)
        .ok_or_else(|| LineError::Length { found: quoted(field) })
}

fn size(grid: &Grid) -> (u32, u32) {
    (grid.width(), grid.height())
}

/// The name without its folders, whichever system wrote it.
fn basename(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        Grid::new(8, 4).unwrap()
    }

    fn scen(text: &str) -> Result<Vec<Problem>, FileError> {
        parse_scen(Path::new("a.scen"), text.as_bytes(), "maps/a.map", &grid())
    }

    fn scen_error(text: &str) -> String {
        scen(text).unwrap_err().to_string()
    }

    /// The one problem of a scenario with this row.
    fn row(row: &str) -> Problem {
        scen(&format!("version 1\n{row}\n")).unwrap()[0]
    }

    fn row_error(row: &str) -> String {
        scen_error(&format!("version 1\n0\ta.map\t8\t4\t0\t0\t1\t0\t1\n{row}\n"))
    }

    fn list(text: &str) -> Result<Vec<Problem>, FileError> {
        parse_problems(Path::new("a.txt"), text.as_bytes(), &grid())
    }

    fn problem(start: (u32, u32), goal: (u32, u32), optimal: Option<f64>) -> Problem {
        let (start, goal) = (Cell::new(start.0, start.1), Cell::new(goal.0, goal.1));
        Problem { start, goal, optimal }
    }

    #[test]
    fn a_scenario_reads_in_every_version_and_with_either_line_ending() {
        let rows = "0\ta.map\t8\t4\t1\t2\t7\t3\t6.41421356\n\n3 a.map 8 4 0 0 0 0 0\n";
        let expected =
            [problem((1, 2), (7, 3), Some(6.414_213_56)), problem((0, 0), (0, 0), Some(0.0))];
        for version in
            ["version 0", "version 1", "version 1.0", "\n version\t1 ", "\u{feff}version 1"]
        {
            let text = format!("{version}\n{rows}");
            assert_eq!(scen(&text).unwrap(), expected, "{version}");
            assert_eq!(scen(&text.replace('\n', "\r\n")).unwrap(), expected, "{version}");
            assert_eq!(scen(text.trim_end()).unwrap(), expected, "{version}");
        }
        assert_eq!(scen("version 0\n0 a.map 1 2 7 3 5.5\n").unwrap()[0].optimal, Some(5.5));
        assert_eq!(row("0 a.map 1 2 7 3 0").optimal, Some(0.0), "unsolvable, and kept");
    }

    #[test]
    fn the_map_is_known_by_its_name_without_folders() {
        for name in ["a.map", "maps/dao/a.map", r"maps\dao\a.map", "./a.map"] {
            assert_eq!(row(&format!("0 {name} 8 4 0 0 1 0 1")).goal, Cell::new(1, 0));
        }
        assert_eq!(
            row_error("0 maps/b.map 8 4 0 0 1 0 1"),
            "a.scen: line 3: the scenario is for another map: expected `a.map`, found `b.map`"
        );
    }

    #[test]
    fn other_sizes_are_scaled_when_they_are_whole_multiples() {
        let larger = problem((2, 0), (6, 2), None);
        assert_eq!(row("0 a.map 4 2 1 0 3 1 9.5"), larger);
        assert_eq!(row("0 a.map 16 8 5 1 13 4 9.5"), larger);
        for unscaled in ["0 0", "1 1", "8 4"] {
            let expected = problem((1, 0), (3, 1), Some(9.5));
            assert_eq!(row(&format!("0 a.map {unscaled} 1 0 3 1 9.5")), expected);
        }
        for odd in ["9 4", "16 4", "4 4", "0 4", "8 0", "3 2", "4294967295 1"] {
            let error = row_error(&format!("0 a.map {odd} 1 0 3 1 9.5"));
            assert!(error.starts_with("a.scen: line 3: the scenario is for a map of"), "{error}");
            assert!(error.contains("the map is 8 by 4"), "{error}");
        }
    }

    #[test]
    fn bad_scenarios_are_named_with_their_line() {
        assert_eq!(scen_error(""), "a.scen: the file is empty");
        assert_eq!(scen_error(" \r\n\n"), "a.scen: the file is empty");
        assert_eq!(scen_error("version 1\n"), "a.scen: there is no problem in the file");
        let version = "a.scen: line 1: expected `version 1`, found `verson`";
        assert!(scen_error("verson\n").starts_with(version));
        assert!(scen_error("version 2\n").contains("found `version 2`"));
        assert!(scen_error("0 a.map 8 4 0 0 1 0 1\n").starts_with("a.scen: line 1: expected"));
        assert!(row_error("0 a.map 8 4 0 0 1 0").ends_with("found 8"));
        assert_eq!(
            row_error("0 a.map 8 4 0 -1 1 0 1"),
            "a.scen: line 3: start y: expected a whole number from 0, found `-1`"
        );
        assert_eq!(
            row_error("0 a.map 8 4 0 0 8 0 1"),
            "a.scen: line 3: the goal (8, 0) is outside the map, which is 8 wide and 4 high"
        );
        assert!(row_error("0 a.map 8 4 0 4 0 0 1").contains("the start (0, 4) is outside"));
        assert!(row_error("0 a.map 4 2 4000000000 0 0 0 1").contains("is outside the map"));
        for length in ["-1", "nan", "inf", "1e999", "far"] {
            let error = row_error(&format!("0 a.map 8 4 0 0 1 0 {length}"));
            assert!(error.starts_with("a.scen: line 3: length: expected a finite"), "{error}");
        }
    }

    #[test]
    fn bytes_that_are_not_text_are_named_with_their_line() {
        let text = b"version 1\n\n0 a.map 8 4 0 0 1 0 \xff\n";
        let error = parse_scen(Path::new("a.scen"), text, "a.map", &grid()).unwrap_err();
        let expected = "a.scen: line 3: expected text, found bytes that are not UTF-8";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn long_lines_are_shortened_in_messages() {
        let error = scen_error(&"é".repeat(10_000));
        assert!(error.chars().count() < 200, "{error}");
    }

    #[test]
    fn a_list_of_problems_skips_comments_and_blank_lines() {
        let text = "# from here to there\r\n\r\n0 0 7 3\r\n  # more\n\t1 1\t1 1 \n";
        let expected = [problem((0, 0), (7, 3), None), problem((1, 1), (1, 1), None)];
        assert_eq!(list(text).unwrap(), expected);
    }

    #[test]
    fn bad_lists_of_problems_are_named_with_their_line() {
        let error = |text| list(text).unwrap_err().to_string();
        assert_eq!(error(""), "a.txt: the file is empty");
        assert_eq!(error("# nothing\n"), "a.txt: there is no problem in the file");
        let fields =
            "a.txt: line 2: expected 4 numbers (start x, start y, goal x, goal y), found 3";
        assert_eq!(error("0 0 1 1\n0 0 1\n"), fields);
        assert!(error("0 0 1 1 5\n").ends_with("found 5"));
        let number = "a.txt: line 1: goal x: expected a whole number from 0, found `1.5`";
        assert_eq!(error("0 0 1.5 1\n"), number);
        assert!(error("0 9 1 1\n").contains("the start (0, 9) is outside the map"));
    }

    #[test]
    fn files_are_read_and_named_in_errors() {
        let folder = std::env::temp_dir().join(format!("tickstar-files-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let named = |error: FileError, end: &str| {
            let message = error.to_string();
            assert!(message.starts_with(folder.to_str().unwrap()), "{message}");
            assert!(message.ends_with(end), "{message}");
        };
        let ragged = write("a.map", "type octile\nheight 2\nwidth 3\nmap\n..\n...\n");
        let row = "a.map: line 5: the row has 2 cells, the map is 3 wide";
        named(read_map(&ragged).unwrap_err(), row);
        named(read_map(&folder).unwrap_err(), "this is a directory, a file was expected");
        let missing = folder.join("missing.map");
        named(read_map(&missing).unwrap_err(), "missing.map: there is no such file");
        named(read_scen(&missing, "a.map", &grid()).unwrap_err(), "there is no such file");
        named(read_problems(&folder, &grid()).unwrap_err(), "a file was expected");

        let rows = "........\n".repeat(4);
        let good = write("d.map", &format!("type octile\nheight 4\nwidth 8\nmap\n{rows}"));
        let grid = read_map(&good).unwrap();
        let scen = write("d.scen", "version 1\n0 d.map 8 4 0 0 1 0 1\n");
        let expected = problem((0, 0), (1, 0), Some(1.0));
        assert_eq!(read_scen(&scen, good.to_str().unwrap(), &grid).unwrap(), [expected]);
        let list = write("d.txt", "0 0 1 0\n");
        assert_eq!(read_problems(&list, &grid).unwrap(), [problem((0, 0), (1, 0), None)]);
        fs::remove_dir_all(&folder).unwrap();
    }
}
