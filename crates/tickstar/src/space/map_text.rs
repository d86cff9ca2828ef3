//! Maps as text: the benchmark's `.map` format, with a legend if there is terrain, and plain rows of `#` and `.`.

use thiserror::Error;

use super::terrain::MAX_CLASSES;
use super::{Cell, Grid, GridError, Terrain, TerrainError};
use crate::printable::printable;

/// The letters that maps with terrain are written with, one for each class. None of them is a blocked cell.
const LETTERS: &[u8; MAX_CLASSES] =
    b".abcdefghijklmnopqrstuvwxyz0123456789ABCDEFHIJKLMNPQRUVXYZ+-*~^=";

/// Why a text is not a valid map. Lines and columns count from one.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum MapError {
    /// The text is empty.
    #[error("the map is empty")]
    Empty,
    /// A header line is missing or wrong.
    #[error("line {line}: expected `{expected}`, found {found}")]
    Header {
        /// The line.
        line: usize,
        /// The expected text.
        expected: &'static str,
        /// What is there: the text in quotes, printable and shortened, or that there is none.
        found: String,
    },
    /// The size is invalid.
    #[error(transparent)]
    Size(#[from] GridError),
    /// The length of a row differs from the width.
    #[error(
        "line {line}: the row has {found} cell{}, the map is {width} wide",
        if *found == 1 { "" } else { "s" }
    )]
    RowLength {
        /// The line.
        line: usize,
        /// The number of cells in the row.
        found: usize,
        /// The expected number of cells.
        width: u32,
    },
    /// Fewer rows than the height.
    #[error("the map ends after {found} of {height} rows: the file is cut short")]
    TooFewRows {
        /// The actual number of rows.
        found: usize,
        /// The expected number of rows.
        height: u32,
    },
    /// More rows than the height.
    #[error("line {line}: more rows than the {height} the header declares")]
    TooManyRows {
        /// The first surplus line.
        line: usize,
        /// The expected number of rows.
        height: u32,
    },
    /// A character that is not a cell.
    #[error(
        "line {line}, column {column}: `{found}` is not a cell \
         (free: `.` `G` `S`, blocked: `@` `O` `T` `W`)"
    )]
    Character {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
        /// The byte, printable.
        found: String,
    },
    /// A character that is not a cell of a map with a legend.
    #[error(
        "line {line}, column {column}: `{found}` is not a cell: it is neither blocked (`@` `O` `T` `W`) nor in the \
         legend of the terrain"
    )]
    NotInLegend {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
        /// The byte, printable.
        found: String,
    },
    /// A line of the legend is wrong.
    #[error("line {line}: expected `terrain LETTER MULTIPLIER`, found `{found}`: {problem}")]
    Legend {
        /// The line.
        line: usize,
        /// The actual text, printable and shortened.
        found: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// A character of a row.
#[derive(Clone, Copy)]
enum Symbol {
    Blocked,
    /// Free, of this class.
    Free(u8),
}

impl Grid {
    /// Reads a map in the benchmark's format: `type octile`, `height`, `width`, `map`, then rows in
    /// which `.` `G` `S` are free and `@` `O` `T` `W` are blocked. Lines end in LF or CRLF.
    ///
    /// A map with terrain has a legend before the line `map`: one line `terrain LETTER MULTIPLIER` per class, in
    /// their order. Then free cells have the letters of their classes, which may be any visible ASCII characters
    /// except those of blocked cells and `#`. Other readers of the format refuse such a map rather than misread it.
    ///
    /// ```
    /// use tickstar::{Cell, Grid};
    /// let text = "type octile\nheight 2\nwidth 4\nterrain . 1\nterrain s 2.5\nmap\n.ss.\n.@@.\n";
    /// let grid = Grid::from_map(text.as_bytes())?;
    /// assert_eq!((grid.class(Cell::new(1, 0)), grid.multiplier(Cell::new(1, 0))), (Some(1), 2.5));
    /// # Ok::<(), tickstar::space::MapError>(())
    /// ```
    ///
    /// # Errors
    /// If the text is not such a map; the error contains the line.
    pub fn from_map(text: &[u8]) -> Result<Grid, MapError> {
        if text.iter().all(u8::is_ascii_whitespace) {
            return Err(MapError::Empty);
        }
        // Some editors insert a byte order mark before UTF-8 text.
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let mut lines = lines(text);
        header(1, lines.next(), "type octile", |line| (line == b"type octile").then_some(0))?;
        let height = header(2, lines.next(), "height N", |line| number(line, b"height"))?;
        let width = header(3, lines.next(), "width N", |line| number(line, b"width"))?;
        let mut next = lines.next();
        let mut legend = Legend::default();
        while let Some((line, bytes)) = next.filter(|(_, bytes)| bytes.starts_with(b"terrain ")) {
            legend.add(line, bytes.trim_ascii_end())?;
            next = lines.next();
        }
        header(4 + legend.letters.len(), next, "map", |line| (line == b"map").then_some(0))?;
        let (width, height) = Grid::check_size(width, height)?;
        // A declared size is used only if the text is long enough for it.
        if u64::from(height) * u64::from(width) > text.len() as u64 {
            let found = lines.filter(|(_, line)| !line.is_empty()).count();
            return Err(MapError::TooFewRows { found, height });
        }
        if legend.letters.is_empty() {
            return fill(width, height, lines, None, |byte| match byte {
                b'.' | b'G' | b'S' => Some(Symbol::Free(0)),
                b'@' | b'O' | b'T' | b'W' => Some(Symbol::Blocked),
                _ => None,
            });
        }
        let classes = legend.classes();
        fill(width, height, lines, Some(legend.terrain()?), |byte| match byte {
            b'@' | b'O' | b'T' | b'W' => Some(Symbol::Blocked),
            _ => classes[usize::from(byte)].map(Symbol::Free),
        })
    }

    /// Reads rows in which `#` (or `@`, `O`, `T`, `W`) is blocked and `.` (or `G`, `S`) is free.
    ///
    /// # Errors
    /// If there are no rows, they differ in length, or they contain another character.
    pub fn from_rows<T: AsRef<[u8]>>(rows: impl IntoIterator<Item = T>) -> Result<Grid, MapError> {
        let rows: Vec<T> = rows.into_iter().collect();
        let Some(first) = rows.first() else { return Err(MapError::Empty) };
        let width = u32::try_from(first.as_ref().len()).unwrap_or(u32::MAX);
        let height = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        let lines = rows.iter().enumerate().map(|(i, row)| (i + 1, row.as_ref()));
        fill(width, height, lines, None, |byte| match byte {
            b'.' | b'G' | b'S' => Some(Symbol::Free(0)),
            b'#' | b'@' | b'O' | b'T' | b'W' => Some(Symbol::Blocked),
            _ => None,
        })
    }

    /// Writes the map in the benchmark's format, with `.` for free and `@` for blocked.
    ///
    /// A map with terrain has a legend, and a letter for each class: `.`, then `a`, `b`, …. Only the terrain under
    /// blocked cells is not written: they are read as class 0.
    pub fn to_map(&self) -> String {
        let (height, width) = (self.height(), self.width());
        let mut text = format!("type octile\nheight {height}\nwidth {width}\n");
        let multipliers = self.terrain().into_iter().flat_map(Terrain::multipliers);
        for (&letter, multiplier) in LETTERS.iter().zip(multipliers) {
            text.extend(["terrain ", &char::from(letter).to_string(), " "]);
            text.extend([&multiplier.to_string(), "\n"]);
        }
        text.push_str("map\n");
        for row in self.to_letters('@') {
            text.push_str(&row);
            text.push('\n');
        }
        text
    }

    /// The map as rows of `.` and `#`, whatever its terrain.
    pub fn to_rows(&self) -> impl Iterator<Item = String> + '_ {
        let symbol = |cell| if self.is_free(cell) { '.' } else { '#' };
        (0..self.height())
            .map(move |y| (0..self.width()).map(|x| symbol(Cell::new(x, y))).collect())
    }

    /// The map as rows of the letters of its terrain, and another character for blocked cells.
    pub(super) fn to_letters(&self, blocked: char) -> impl Iterator<Item = String> + '_ {
        let symbol = move |cell| {
            let class = usize::from(self.class(cell).unwrap_or(0));
            if self.is_free(cell) { char::from(LETTERS[class % MAX_CLASSES]) } else { blocked }
        };
        (0..self.height())
            .map(move |y| (0..self.width()).map(|x| symbol(Cell::new(x, y))).collect())
    }

    /// The size as the sides of a map, if it is valid.
    fn check_size(width: u64, height: u64) -> Result<(u32, u32), GridError> {
        let side = |side: u64| u32::try_from(side).ok().filter(|&side| Grid::fits(side));
        side(width).zip(side(height)).ok_or(GridError::Size { width, height })
    }
}

type Line<'t> = (usize, &'t [u8]);

fn lines(text: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let numbered = text.split(|&b| b == b'\n').enumerate();
    numbered.map(|(i, line)| (i + 1, line.strip_suffix(b"\r").unwrap_or(line)))
}

fn number(line: &[u8], name: &[u8]) -> Option<u64> {
    let value = line.strip_prefix(name)?.strip_prefix(b" ")?;
    let value = std::str::from_utf8(value).ok()?.trim();
    let digits = !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
    // A number too large for any map is still a number: the size check rejects it later with a clear error.
    digits.then(|| value.parse().unwrap_or(u64::MAX))
}

fn header(
    line: usize,
    found: Option<Line<'_>>,
    expected: &'static str,
    read: impl Fn(&[u8]) -> Option<u64>,
) -> Result<u64, MapError> {
    let bytes = found.map(|(_, bytes)| bytes);
    bytes.and_then(|bytes| read(bytes.trim_ascii_end())).ok_or_else(|| {
        let found = match bytes {
            None => "the end of the file".to_string(),
            Some(b"") => "an empty line".to_string(),
            Some(bytes) => format!("`{}`", quote(bytes)),
        };
        MapError::Header { line, expected, found }
    })
}

/// Returns the beginning of a text in printable form. No character has more than four bytes, and at most forty are
/// printed.
fn quote(bytes: &[u8]) -> String {
    printable(&String::from_utf8_lossy(&bytes[..bytes.len().min(200)]))
}

/// The legend of a map with terrain.
#[derive(Default)]
struct Legend {
    letters: Vec<u8>,
    multipliers: Vec<f64>,
}

impl Legend {
    /// Reads a line that begins with the word `terrain`.
    fn add(&mut self, line: usize, bytes: &[u8]) -> Result<(), MapError> {
        let wrong = |problem: String| MapError::Legend { line, found: quote(bytes), problem };
        let mut words =
            bytes.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).skip(1);
        let (Some(&[letter]), Some(multiplier), None) = (words.next(), words.next(), words.next())
        else {
            return Err(wrong("one character and a number must follow the word".to_string()));
        };
        if !letter.is_ascii_graphic() || b"@OTW#".contains(&letter) {
            let reason = "the letter must be a visible ASCII character, and not one of `@OTW#`";
            return Err(wrong(reason.to_string()));
        }
        if self.letters.contains(&letter) {
            return Err(wrong("the letter is in the legend already".to_string()));
        }
        let is_decimal = multiplier.iter().all(|&byte| byte.is_ascii_digit() || byte == b'.');
        let number = std::str::from_utf8(multiplier).ok().filter(|_| is_decimal);
        let Some(number) = number.and_then(|number| number.parse::<f64>().ok()) else {
            return Err(wrong("the multiplier is not a decimal number".to_string()));
        };
        Terrain::new(&[number])
            .map_err(|_| wrong("multipliers are from 1 to 100, in steps of 0.25".to_string()))?;
        if self.letters.len() == MAX_CLASSES {
            return Err(wrong(TerrainError::Count(MAX_CLASSES + 1).to_string()));
        }
        self.letters.push(letter);
        self.multipliers.push(number);
        Ok(())
    }

    /// The class of each byte.
    fn classes(&self) -> [Option<u8>; 256] {
        let mut classes = [None; 256];
        for (class, &letter) in (0..).zip(&self.letters) {
            classes[usize::from(letter)] = Some(class);
        }
        classes
    }

    fn terrain(&self) -> Result<Terrain, MapError> {
        Terrain::new(&self.multipliers).map_err(|error| MapError::Legend {
            line: 4,
            found: "terrain".to_string(),
            problem: error.to_string(),
        })
    }
}

fn fill<'t>(
    width: u32,
    height: u32,
    rows: impl Iterator<Item = Line<'t>>,
    terrain: Option<Terrain>,
    read: impl Fn(u8) -> Option<Symbol>,
) -> Result<Grid, MapError> {
    let mut grid = Grid::new_blocked(width, height)?;
    let has_terrain = terrain.is_some();
    if let Some(terrain) = terrain {
        grid = grid.with_terrain(terrain, |_| 0)?;
    }
    let mut y = 0;
    for (line, row) in rows {
        if y == height {
            if row.trim_ascii().is_empty() {
                continue;
            }
            return Err(MapError::TooManyRows { line, height });
        }
        if row.is_empty() && width > 0 {
            return Err(MapError::TooFewRows { found: y as usize, height });
        }
        for (x, &byte) in row.iter().enumerate() {
            let symbol = read(byte).ok_or_else(|| {
                let (column, found) = (x + 1, byte.escape_ascii().to_string());
                if has_terrain {
                    MapError::NotInLegend { line, column, found }
                } else {
                    MapError::Character { line, column, found }
                }
            })?;
            if x < width as usize
                && let Symbol::Free(class) = symbol
            {
                grid.put(x as u32, y, true);
                if has_terrain {
                    grid.set_class(Cell::new(x as u32, y), class)?;
                }
            }
        }
        if row.len() != width as usize {
            return Err(MapError::RowLength { line, found: row.len(), width });
        }
        y += 1;
    }
    if y < height {
        return Err(MapError::TooFewRows { found: y as usize, height });
    }
    Ok(grid)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "type octile\nheight 2\nwidth 3\nmap\n.G@\nSTO\n";

    fn error(text: &[u8]) -> String {
        Grid::from_map(text).unwrap_err().to_string()
    }

    #[test]
    fn a_map_reads_with_either_line_ending_and_writes_back() {
        let grid = Grid::from_map(GOOD.as_bytes()).unwrap();
        assert_eq!(grid.to_rows().collect::<Vec<_>>(), ["..#", ".##"]);
        let crlf = GOOD.replace('\n', "\r\n");
        assert_eq!(Grid::from_map(crlf.as_bytes()).unwrap().to_map(), grid.to_map());
        let again = Grid::from_map(grid.to_map().as_bytes()).unwrap();
        assert_eq!(again.to_map(), grid.to_map());
        let marked = [b"\xef\xbb\xbf", GOOD.as_bytes()].concat();
        assert_eq!(Grid::from_map(&marked).unwrap().to_map(), grid.to_map());
        // A missing line end after the last row and blank lines after it are both accepted.
        assert!(Grid::from_map(GOOD.trim_end().as_bytes()).is_ok());
        assert!(Grid::from_map(format!("{GOOD}\n \n").as_bytes()).is_ok());
    }

    #[test]
    fn errors_identify_the_line_of_a_bad_map() {
        assert_eq!(error(b""), "the map is empty");
        assert_eq!(error(b" \r\n\n"), "the map is empty");
        let swapped = GOOD.replace("octile", "tile");
        assert_eq!(error(swapped.as_bytes()), "line 1: expected `type octile`, found `type tile`");
        let no_height = GOOD.replace("height 2", "height two");
        assert_eq!(error(no_height.as_bytes()), "line 2: expected `height N`, found `height two`");
        assert!(error(b"type octile\nheight -2\nwidth 3\nmap\n").contains("line 2"));
        let short = GOOD.replace(".G@", ".G");
        assert_eq!(error(short.as_bytes()), "line 5: the row has 2 cells, the map is 3 wide");
        let long = GOOD.replace(".G@", ".G@@");
        assert_eq!(error(long.as_bytes()), "line 5: the row has 4 cells, the map is 3 wide");
        let odd = GOOD.replace("STO", "S?O");
        assert!(error(odd.as_bytes()).starts_with("line 6, column 2: `?` is not a cell"));
        let cut = &GOOD[..GOOD.len() - 5];
        assert_eq!(error(cut.as_bytes()), "the map ends after 1 of 2 rows: the file is cut short");
        let extra = format!("{GOOD}...\n");
        assert_eq!(error(extra.as_bytes()), "line 7: more rows than the 2 the header declares");
        let ends = "line 2: expected `height N`, found the end of the file";
        assert_eq!(error(b"type octile"), ends);
    }

    #[test]
    fn errors_quote_bytes_that_are_not_text() {
        let mut bytes = GOOD.as_bytes().to_vec();
        let at = bytes.len() - 3;
        bytes[at] = 0xff;
        assert!(error(&bytes).starts_with(r"line 6, column 2: `\xff` is not a cell"));
        assert!(error(&[0xff, 0xfe, b'\n']).starts_with("line 1: expected `type octile`"));
    }

    #[test]
    fn quoted_text_is_printable_and_short() {
        let header = |found: &str| format!("line 1: expected `type octile`, found `{found}`");
        assert_eq!(error(b"\x1b[2Jtype\x07"), header(r"\u{1b}[2Jtype\u{7}"));
        let turned = "abc\u{202e}d\u{2066}\u{200f}\u{feff}e".as_bytes();
        assert_eq!(error(turned), header(r"abc\u{202e}d\u{2066}\u{200f}\u{feff}e"));
        assert_eq!(error(b"it's a \"map\" \\ \0"), header(r#"it's a "map" \ \u{0}"#));
        assert_eq!(error("größe 10 × 20".as_bytes()), header("größe 10 × 20"));
        let token = vec![b'x'; 10_000];
        assert_eq!(error(&token), header(&format!("{}…", "x".repeat(40))));
        for filler in ["\x1b", "\u{202e}", "é", "𝄞", "\\"] {
            let text = error(filler.repeat(10_000).as_bytes());
            assert!(text.chars().count() < 90, "{text}");
            assert!(!text.chars().any(char::is_control) && !text.contains('\u{202e}'), "{text}");
            assert!(!text.contains('\u{fffd}'), "cut inside a character: {text}");
        }
        // No escape sequence is truncated.
        let cut = [&[b'x'; 38][..], b"\x1b\x1b"].concat();
        assert_eq!(error(&cut), header(&format!("{}…", "x".repeat(38))));
        for byte in 0..=255_u8 {
            let map = [b"type octile\nheight 1\nwidth 3\nmap\n", &[byte; 3][..]].concat();
            let Err(error) = Grid::from_map(&map) else { continue };
            assert!(!error.to_string().chars().any(char::is_control), "{error:?}");
        }
    }

    #[test]
    fn maps_with_terrain_read_and_write_back() {
        let text = "type octile\nheight 2\nwidth 5\nterrain G 1\nterrain ~ 2.5\nterrain . 1.25\nmap\n~~@.G\nG.OTW\n";
        let grid = Grid::from_map(text.as_bytes()).unwrap();
        let multipliers: Vec<_> = grid.terrain().unwrap().multipliers().collect();
        assert_eq!(multipliers, [1.0, 2.5, 1.25]);
        let written = "type octile\nheight 2\nwidth 5\nterrain . 1\nterrain a 2.5\nterrain b 1.25\nmap\naa@b.\n.b@@@\n";
        assert_eq!(grid.to_map(), written);
        let again = Grid::from_map(text.replace('\n', "\r\n").as_bytes()).unwrap();
        assert_eq!(again.to_map(), written);
        assert_eq!(Grid::from_map(written.as_bytes()).unwrap().to_map(), written);
        // As many classes as there can be, and all letters.
        let multipliers: Vec<_> = (0..64).map(|class| 1.0 + f64::from(class) / 4.0).collect();
        let all = Grid::new(64, 1).unwrap();
        let all = all.with_terrain(Terrain::new(&multipliers).unwrap(), |cell| cell.x as u8);
        let all = all.unwrap();
        let read = Grid::from_map(all.to_map().as_bytes()).unwrap();
        assert_eq!(read.terrain(), all.terrain());
        assert!((0..64).all(|x| read.class(Cell::new(x, 0)) == Some(x as u8)));
        assert!(LETTERS.iter().all(|letter| !b"@OTWGS#".contains(letter)));
    }

    #[test]
    fn errors_identify_the_line_of_a_bad_legend() {
        let with = |legend: &str| {
            error(format!("type octile\nheight 1\nwidth 2\n{legend}map\n.s\n").as_bytes())
        };
        let line = |line: usize, found: &str, problem: &str| {
            format!("line {line}: expected `terrain LETTER MULTIPLIER`, found `{found}`: {problem}")
        };
        let words = "one character and a number must follow the word";
        let letter = "the letter must be a visible ASCII character, and not one of `@OTW#`";
        let steps = "multipliers are from 1 to 100, in steps of 0.25";
        let number = "the multiplier is not a decimal number";
        for (bad, problem) in [
            ("terrain ", words),
            ("terrain s", words),
            ("terrain s 1 2", words),
            ("terrain sw 1", words),
            ("terrain # 1", letter),
            ("terrain @ 1", letter),
            ("terrain \u{7f} 1", letter),
            ("terrain s 0.5", steps),
            ("terrain s 1.1", steps),
            ("terrain s 1000", steps),
            ("terrain s -1", number),
            ("terrain s 1e1", number),
            ("terrain s inf", number),
            ("terrain s ..", number),
            ("terrain . 3", "the letter is in the legend already"),
        ] {
            let found = with(&format!("terrain . 1\n{bad}\n"));
            let shown = bad.trim_end().replace('\u{7f}', "\\u{7f}");
            assert_eq!(found, line(5, &shown, problem));
        }
        let many: Vec<_> = (33..=126_u8)
            .filter(|letter| !b"@OTW#".contains(letter))
            .map(|letter| format!("terrain {} 1\n", char::from(letter)))
            .collect();
        assert!(with(&many.concat()).ends_with("terrain has 1 to 64 classes, not 65"));
        let unknown = with("terrain . 1\n");
        assert!(unknown.starts_with("line 6, column 2: `s` is not a cell: it is neither"));
        assert_eq!(with("terrains\n"), "line 4: expected `map`, found `terrains`");
        let after = "line 5: expected `map`, found `height 3`";
        assert_eq!(with("terrain . 1\nheight 3\n"), after);
    }

    #[test]
    fn a_huge_declared_size_allocates_nothing() {
        let huge = b"type octile\nheight 60000\nwidth 60000\nmap\n...\n";
        assert!(error(huge).contains("ends after 1 of 60000 rows"));
        for side in ["0", "70000", "4294967296", "99999999999999999999999"] {
            let text = format!("type octile\nheight {side}\nwidth 3\nmap\n...\n");
            let error = error(text.as_bytes());
            assert!(error.contains("cannot create"), "{side}: {error}");
            assert!(side.len() > 20 || error.contains(side), "{side}: {error}");
        }
    }

    #[test]
    fn rows_must_have_equal_lengths() {
        assert_eq!(Grid::from_rows::<&str>([]).unwrap_err(), MapError::Empty);
        assert!(matches!(Grid::from_rows(["..", "."]), Err(MapError::RowLength { line: 2, .. })));
        assert!(matches!(Grid::from_rows([""]), Err(MapError::Size(_))));
        assert!(matches!(Grid::from_rows(["x"]), Err(MapError::Character { .. })));
    }
}
