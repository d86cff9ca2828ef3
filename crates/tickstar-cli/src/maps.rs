//! `tickstar maps`: list, generate, inspect, convert, check and download maps, and draw problems on them.

mod get;
mod problems;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, Subcommand};
use serde_json::json;
use tickstar::Grid;
use tickstar_lab::builtin;
use tickstar_lab::check::{self, Checked};
use tickstar_lab::draw;
use tickstar_lab::files::{self, FileError};
use tickstar_lab::generate::{self, Kind};
use tickstar_lab::text::{self, counted};

use crate::failure::Failure;
use crate::number::from_zero;
use crate::output::{self, check_writable, refuse_overwriting};
use crate::source::{Map, Movement, map_file, progress};

/// List, generate, inspect, convert, check and download maps, and draw problems on them
#[derive(Subcommand)]
#[command(after_help = "Examples:\n  \
    tickstar maps list\n  \
    tickstar maps generate caves --size 256 --out caves.map\n  \
    tickstar maps inspect caves.map\n  \
    tickstar maps get ../shared/maps")]
pub enum Maps {
    /// List the built-in maps, and the kinds that can be generated
    #[command(after_help = "Example:\n  tickstar maps list")]
    List,
    Generate(Generate),
    Inspect(Inspect),
    Convert(Convert),
    Check(Check),
    Get(get::Get),
    Problems(problems::Problems),
}

impl Maps {
    pub fn execute(&self) -> Result<(), Failure> {
        match self {
            Maps::List => list(),
            Maps::Generate(generate) => generate.execute(),
            Maps::Inspect(inspect) => inspect.execute(),
            Maps::Convert(convert) => convert.execute(),
            Maps::Check(check) => check.execute(),
            Maps::Get(get) => get.execute(),
            Maps::Problems(problems) => problems.execute(),
        }
    }
}

fn list() -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    writeln!(out, "Built-in maps:")?;
    for map in builtin::all() {
        writeln!(out, "  builtin:{:<14} {}", map.name, map.about)?;
    }
    writeln!(out, "\nKinds for `tickstar maps generate`:")?;
    for kind in Kind::ALL {
        writeln!(out, "  {:<22} {}", kind.name(), kind.about())?;
    }
    Ok(())
}

/// Generate a map; the same seed gives the same map on every machine
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar maps generate rooms\n  \
    tickstar maps generate caves --size 300x200 --seed 7 --out caves.map\n  \
    tickstar maps generate islands --size 256 --out islands.png")]
pub struct Generate {
    /// rooms, maze, random, caves, islands or hills
    kind: Kind,
    /// Width and height, or one number for both
    #[arg(long, value_name = "N|WxH", default_value = "512", allow_hyphen_values = true)]
    size: Size,
    /// The seed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = from_zero,
        allow_negative_numbers = true)]
    seed: u64,
    /// Add terrain: hills of four classes, which cost 1, 1.5, 2.5 and 5 times as much to cross
    #[arg(long)]
    terrain: bool,
    /// Where to write it: .map, .txt (rows of # and .), .png or .svg [default: standard output, as .map]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy)]
struct Size(u32, u32);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let (width, height) = text.split_once('x').unwrap_or((text, text));
        match (width.parse(), height.parse()) {
            (Ok(width), Ok(height)) => Ok(Size(width, height)),
            _ => Err("expected a number such as 512, or two such as 300x200".to_string()),
        }
    }
}

impl Generate {
    fn execute(&self) -> Result<(), Failure> {
        if let Some(path) = &self.out {
            let has_terrain = self.terrain || self.kind == Kind::Hills;
            Format::of(path)?.check(path, has_terrain)?;
            check_writable(path)?;
        }
        let grid = generate::generate(self.kind, self.size.0, self.size.1, self.seed);
        let mut grid = grid.map_err(Failure::usage)?;
        if self.terrain {
            grid = generate::with_hills(grid, self.seed);
        }
        match &self.out {
            Some(path) => write(&grid, path),
            None => Ok(io::stdout().lock().write_all(grid.to_map().as_bytes())?),
        }
    }
}

/// Write a map as text in the benchmark's format, as rows of # and ., or as a picture
///
/// The other letters of a text (G and S are free, O, T and W are blocked) are kept in a text.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar maps convert a.map a.png\n  \
    tickstar maps convert rows.txt rows.map\n  \
    tickstar maps convert builtin:rooms-64 rooms.map")]
pub struct Convert {
    /// The map: a file in the benchmark's format, rows of # and . in a .txt, or builtin:NAME
    map: PathBuf,
    /// Where to write it: .map, .txt, .png or .svg
    out: PathBuf,
}

impl Convert {
    fn execute(&self) -> Result<(), Failure> {
        let source = map_file(&self.map);
        refuse_overwriting(&self.out, source)?;
        let format = Format::of(&self.out)?;
        let grid = Map::load(&self.map, Movement::default())?.grid;
        match (source, format) {
            (Some(source), Format::Map) => self.write_text(source, true),
            // Rows alone cannot hold terrain.
            (Some(source), Format::Rows) if grid.terrain().is_none() => {
                self.write_text(source, false)
            }
            _ => write(&grid, &self.out),
        }
    }

    /// Writes a map that was read from a text file as text, with or without a header. The letters of its cells stay
    /// what they are, as they say more than free or blocked.
    fn write_text(&self, source: &Path, with_header: bool) -> Result<(), Failure> {
        let text = files::read(source).map_err(Failure::input)?;
        let mut rows = files::lines(&text);
        while rows.pop_if(|row| row.trim_ascii().is_empty()).is_some() {}
        let is_last = |line: &&[u8]| line.trim_ascii_end() == b"map";
        let header = match rows.iter().position(is_last) {
            Some(last) if !files::has_rows_only(source) => {
                let header: Vec<_> = rows.drain(..=last).collect();
                [&header.join(&b'\n')[..], b"\n"].concat()
            }
            _ => {
                let (height, width) = (rows.len(), rows.first().map_or(0, |row| row.len()));
                format!("type octile\nheight {height}\nwidth {width}\nmap\n").into_bytes()
            }
        };
        let (mut text, blocked) = if with_header { (header, b'@') } else { (Vec::new(), b'#') };
        for row in rows {
            text.extend(row.iter().map(|&byte| if b"@#".contains(&byte) { blocked } else { byte }));
            text.push(b'\n');
        }
        output::write(&self.out, text)
    }
}

/// How a map is written.
#[derive(Clone, Copy)]
enum Format {
    Map,
    Rows,
    Svg,
    Png,
}

impl Format {
    /// What the name of a file asks for.
    fn of(path: &Path) -> Result<Format, Failure> {
        let kind = path.extension().map(|kind| kind.to_string_lossy().to_lowercase());
        match kind.as_deref() {
            Some("map") => Ok(Format::Map),
            Some("txt") => Ok(Format::Rows),
            Some("svg") => Ok(Format::Svg),
            Some("png") => Ok(Format::Png),
            _ => Err(Failure::usage(format!(
                "{}: the name must end in .map, .txt, .png or .svg",
                text::path(path)
            ))),
        }
    }

    /// Refuses to lose terrain.
    fn check(self, path: &Path, has_terrain: bool) -> Result<(), Failure> {
        match self {
            Format::Rows if has_terrain => Err(Failure::usage(format!(
                "{}: rows of # and . cannot hold the terrain of the map: the name must end in .map, .png or .svg",
                text::path(path)
            ))),
            _ => Ok(()),
        }
    }
}

/// Writes a map in the format its name asks for.
fn write(grid: &Grid, path: &Path) -> Result<(), Failure> {
    let picture = || draw::map_svg(grid, draw::default_cell_px(grid, 1));
    let format = Format::of(path)?;
    format.check(path, grid.terrain().is_some())?;
    let bytes = match format {
        Format::Map => grid.to_map().into_bytes(),
        Format::Rows => grid.to_rows().map(|row| row + "\n").collect::<String>().into_bytes(),
        Format::Svg => picture().into_bytes(),
        Format::Png => draw::png(&picture()).map_err(Failure::usage)?,
    };
    output::write(path, bytes)
}

/// Print a map's size, its free cells, and its connected components
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar maps inspect a.map\n  \
    tickstar maps inspect builtin:islands-128 --neighbors 4 --json")]
pub struct Inspect {
    /// The map: a file in the benchmark's format, rows of # and . in a .txt, or builtin:NAME
    map: PathBuf,
    #[command(flatten)]
    movement: Movement,
    /// As a JSON object
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl Inspect {
    fn execute(&self) -> Result<(), Failure> {
        let map = Map::load(&self.map, self.movement)?;
        let (width, height) = (map.grid.width(), map.grid.height());
        let (_, parts) = generate::components(&map.grid);
        let free: usize = parts.iter().sum();
        let largest = parts.iter().max().copied().unwrap_or(0);
        let terrain = terrain(&map.grid);
        let mut out = io::stdout().lock();
        if self.json {
            let facts = json!({
                "map": map.name,
                "width": width,
                "height": height,
                "free": free,
                "components": parts.len(),
                "largest_component": largest,
                "bytes": map.grid.bytes(),
                "terrain": terrain.iter().map(|&(multiplier, free)| json!({
                    "multiplier": multiplier,
                    "free": free,
                })).collect::<Vec<_>>(),
            });
            writeln!(out, "{facts}")?;
        } else {
            let share = 100.0 * free as f64 / (f64::from(width) * f64::from(height));
            writeln!(out, "{}: {width} wide, {height} high", text::escaped(&map.name))?;
            writeln!(out, "{} ({share:.1} %)", counted(free, "free cell"))?;
            let (parts, largest) =
                (counted(parts.len(), "connected part"), counted(largest, "cell"));
            writeln!(out, "{parts}, the largest with {largest}")?;
            for (multiplier, cells) in terrain {
                let share = 100.0 * cells as f64 / free.max(1) as f64;
                let cells = counted(cells, "free cell");
                writeln!(out, "terrain: {cells} ({share:.1} %) at {multiplier} times the cost")?;
            }
        }
        Ok(())
    }
}

/// The multiplier of each class of terrain, and how many free cells have it.
fn terrain(grid: &Grid) -> Vec<(f64, usize)> {
    let Some(terrain) = grid.terrain() else { return Vec::new() };
    let mut classes: Vec<_> = terrain.multipliers().map(|multiplier| (multiplier, 0)).collect();
    for class in grid.free_cells().filter_map(|cell| grid.class(cell)) {
        classes[usize::from(class)].1 += 1;
    }
    classes
}

/// Check the optimal length of every problem in a .scen file, or in all below a folder, against A*,
/// cell by cell and by jump points
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar maps check maps/a.map.scen\n  \
    tickstar maps check maps\n\n\
    Each .scen lies beside its map and has its name with .scen added. Problems \
    stated with length 0 between different cells are the benchmark's unsolvable ones: they are \
    counted apart, and must be unsolvable. Exit code 3 if any length differs by more than 0.01, \
    or the two searches find paths of different costs.")]
pub struct Check {
    /// A .scen file, or a folder with such files in it or below
    #[arg(value_name = "FILE|FOLDER")]
    path: PathBuf,
}

impl Check {
    fn execute(&self) -> Result<(), Failure> {
        let scenarios = self.scenarios()?;
        let bar = progress(scenarios.len() as u64, "scenario files");
        let (mut matched, mut unsolvable, mut unstated, mut mismatched) = (0, 0, 0, 0);
        let mut differing = 0;
        for scen in &scenarios {
            let checked = check::check(scen).map_err(|error| match error {
                FileError::Missing { path } if path != *scen => Failure::input(format!(
                    "{}: its map is missing: there is no {} beside it",
                    text::path(scen),
                    text::path(path.file_name().unwrap_or_default().as_ref())
                )),
                error => Failure::input(error),
            })?;
            bar.suspend(|| report(&checked))?;
            bar.inc(1);
            matched += checked.matched;
            unsolvable += checked.unsolvable.len();
            unstated += checked.unstated;
            mismatched += checked.mismatched.len();
            differing += checked.differing.len();
        }
        bar.finish_and_clear();
        writeln!(
            io::stdout(),
            "{}: {} matched, {mismatched} did not, {} known to be unsolvable, {unstated} without a \
             length that applies; A* and jump points agree on all{}",
            counted(scenarios.len(), "scenario file"),
            counted(matched, "length"),
            counted(unsolvable, "problem"),
            if differing == 0 { String::new() } else { format!(" but {differing}") },
        )?;
        if differing > 0 {
            let problems = counted(differing, "problem");
            return Err(Failure::input(format!("A* and jump points differ on {problems}")));
        }
        if mismatched > 0 {
            return Err(Failure::input(format!("{} did not match", counted(mismatched, "length"))));
        }
        Ok(())
    }

    /// The files to check: one at least.
    fn scenarios(&self) -> Result<Vec<PathBuf>, Failure> {
        let wrong = |what: &str| Failure::input(format!("{}: {what}", text::path(&self.path)));
        if self.path.is_dir() {
            let scenarios = check::scenarios_below(&self.path)
                .map_err(|error| wrong(&format!("cannot be read: {}", text::refusal(&error))))?;
            return match scenarios.as_slice() {
                [] => Err(wrong("there is no .scen file below it")),
                _ => Ok(scenarios),
            };
        }
        if !self.path.exists() {
            return Err(wrong("there is no such file or folder"));
        }
        match self.path.extension() {
            Some(kind) if kind == "scen" => Ok(vec![self.path.clone()]),
            _ => Err(wrong("this is not a .scen file: name one, or a folder with such files")),
        }
    }
}

/// Prints the unsolvable and mismatched problems of a file.
fn report(checked: &Checked) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let scen = text::path(&checked.scen);
    for problem in &checked.unsolvable {
        writeln!(out, "{scen}: {} to {}: unsolvable, as stated", problem.start, problem.goal)?;
    }
    for problem in &checked.differing {
        let (start, goal) = (problem.start, problem.goal);
        writeln!(out, "{scen}: {start} to {goal}: A* and jump points find different costs")?;
    }
    for (problem, ours) in &checked.mismatched {
        let ours = ours.map_or("no path".to_string(), |ours| ours.to_string());
        let theirs = problem.optimal.map_or(String::new(), |theirs| theirs.to_string());
        let (start, goal) = (problem.start, problem.goal);
        writeln!(out, "{scen}: {start} to {goal}: {theirs} stated, {ours} found")?;
    }
    Ok(())
}
