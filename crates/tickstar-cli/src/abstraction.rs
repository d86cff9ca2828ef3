//! `tickstar abstraction`: the hierarchy of a map: the cost of building and repairing it, its contents, and
//! pictures.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use comfy_table::{CellAlignment, Table, presets};
use indicatif::ProgressBar;
use serde_json::{Value, json};
use tickstar::{
    Agent, Cost, Grid, Hierarchy, Layered, NodeId, Pra, PraConfig, Seen, Slice, Space, Step,
};
use tickstar_lab::ProblemError;
use tickstar_lab::draw::{self, Route};
use tickstar_lab::generate::{self, Kind};
use tickstar_lab::levels::{
    Ancestor, Connection, Counts, Groups, LevelStats, Levels, churn, subgoals,
};
use tickstar_lab::text;

use crate::draw::Format;
use crate::failure::Failure;
use crate::layout::{lines, wrapped};
use crate::number::{from_zero, whole};
use crate::output::{self, check_writable, refuse_overwriting};
use crate::source::{CellArgument, Map, Movement, map_file, progress, read_subgoals};

/// The hierarchy of a map: measure, inspect and draw its levels
///
/// Each node of a level represents a small group of nodes of the level below: a clique, and nodes attached to
/// it. The hierarchy is built once, repaired when the map is edited, and tells at once whether there is a path
/// between two cells.
#[derive(Subcommand)]
#[command(after_help = "Try:\n  \
    tickstar abstraction draw                                    a picture of every level\n  \
    tickstar abstraction inspect --from 10,10 --to 120,60        is there a path?\n  \
    tickstar abstraction build --sizes 128,256,512,1024,2048 --repairs 2000\n\n\
    Source: N. Sturtevant, M. Buro, Partial Pathfinding Using Map Abstraction and Refinement, AAAI 2005.")]
pub enum Abstraction {
    Build(Build),
    Inspect(Inspect),
    Draw(Draw),
}

impl Abstraction {
    pub fn execute(&self) -> Result<(), Failure> {
        match self {
            Abstraction::Build(build) => build.execute(),
            Abstraction::Inspect(inspect) => inspect.execute(),
            Abstraction::Draw(draw) => draw.execute(),
        }
    }
}

/// The default maps: one of each kind.
const MAPS: [&str; 5] = [
    "builtin:rooms-512",
    "builtin:maze-512",
    "builtin:random-512",
    "builtin:caves-512",
    "builtin:islands-512",
];

/// Measure the cost of building the levels of maps, and of repairing them when cells are blocked and freed
///
/// The number of nodes visited is the same on every machine. It grows linearly with the cells of a map when its
/// levels are built, and with their logarithm when they are repaired: --sizes shows both.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar abstraction build\n  \
    tickstar abstraction build --sizes 128,256,512,1024,2048 --repairs 2000\n  \
    tickstar abstraction build --sizes 256,1024 --kind rooms --repairs 5000 --seed 7\n  \
    tickstar abstraction build --map a.map --map b.map --rounds 9 --json\n  \
    tickstar abstraction build --map builtin:caves-128 --tables caves.sub")]
pub struct Build {
    /// A map: a file, or builtin:NAME; may be given several times [default: five that are built in]
    #[arg(long, value_name = "FILE|builtin:NAME", conflicts_with = "sizes", help_heading = "Map")]
    map: Vec<PathBuf>,
    /// Generated maps with these side lengths instead
    #[arg(
        long,
        value_name = "N,…",
        value_delimiter = ',',
        value_parser = whole::<u32>(generate::MIN_SIDE.into()..=generate::MAX_SIDE.into()),
        allow_negative_numbers = true,
        help_heading = "Map"
    )]
    sizes: Vec<u32>,
    /// The kind of generated maps: rooms, maze, random, caves, islands or hills
    #[arg(
        long,
        value_name = "KIND",
        default_value_t = Kind::Islands,
        requires = "sizes",
        conflicts_with = "map",
        help_heading = "Map"
    )]
    kind: Kind,
    /// How often the levels are built; the best time counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole::<u32>(1..=1000),
        allow_negative_numbers = true)]
    rounds: u32,
    /// Also block and free random cells, N edits in all, and measure each repair
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=10_000_000),
        allow_negative_numbers = true)]
    repairs: Option<u32>,
    /// Also build the tables of subgoals that d-lrta uses, and write them to this file; for one map
    #[arg(long, value_name = "FILE", conflicts_with = "sizes")]
    tables: Option<PathBuf>,
    /// The level of the tables
    #[arg(long, value_name = "N", default_value_t = 3, requires = "tables",
        value_parser = whole::<u32>(1..=100), allow_negative_numbers = true)]
    level: u32,
    /// The seed of generated maps and of the edited cells
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = from_zero,
        allow_negative_numbers = true)]
    seed: u64,
    #[command(flatten)]
    rules: Movement,
    /// One JSON object per map
    #[arg(long, help_heading = "Output")]
    json: bool,
}

/// The measurements of one map.
struct Measured {
    name: String,
    width: u32,
    height: u32,
    free: usize,
    levels: usize,
    /// Of all levels above the map.
    nodes: usize,
    visited: u64,
    time: Duration,
    bytes: usize,
    repairs: Option<Repairs>,
    tables: Option<TablesMade>,
}

/// The tables of subgoals that were built.
struct TablesMade {
    level: usize,
    pairs: usize,
    bytes: usize,
    time: Duration,
}

/// The cost of repairs.
struct Repairs {
    count: usize,
    visited: Counts,
    /// The mean per repair.
    time: Duration,
    slowest: Duration,
}

impl Build {
    fn execute(&self) -> Result<(), Failure> {
        if let Some(tables) = &self.tables {
            if self.map.len() != 1 {
                return Err(Failure::usage("--tables FILE is for one map: name it with --map"));
            }
            refuse_overwriting(tables, self.map.iter().filter_map(|map| map_file(map)))?;
            check_writable(tables)?;
        }
        let maps = self.maps()?;
        let cells: usize = maps.iter().map(|map| map.grid.free_cells().count()).sum();
        let bar = progress(cells as u64 * u64::from(self.rounds), "cells");
        let mut rows = Vec::new();
        for map in maps {
            let measured = self.measure(map, &bar)?;
            if self.json {
                bar.suspend(|| writeln!(io::stdout(), "{}", measured.json()))?;
            }
            rows.push(measured);
        }
        bar.finish_and_clear();
        if self.json {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        writeln!(out, "{}\n", build_table(&rows))?;
        let legend = format!(
            "nodes: of all levels above the map · visited: nodes, in total and per free cell · ms: the best \
             of {} · memory: of all levels, in total and per free cell",
            self.rounds
        );
        writeln!(out, "{}", wrapped(&legend))?;
        for (Measured { tables, .. }, path) in rows.iter().zip(&self.tables) {
            let Some(TablesMade { level, pairs, bytes, time }) = tables else { continue };
            let (path, seconds) = (text::path(path), time.as_secs_f64());
            writeln!(
                out,
                "\n{path}: subgoals for {} of nodes of level {level}, {bytes} bytes, {seconds:.1} s",
                text::counted(*pairs, "pair")
            )?;
        }
        if self.repairs.is_some() {
            writeln!(out, "\n{}\n", repair_table(&rows))?;
            let legend = "mean to max: nodes visited per cell blocked or freed · / log2: the mean, divided by the \
                logarithm of the free cells · us, slowest: microseconds per repair, on average and at most";
            writeln!(out, "{}", wrapped(legend))?;
        }
        Ok(())
    }

    fn maps(&self) -> Result<Vec<Map>, Failure> {
        let generated = |&side: &u32| {
            let grid = generate::generate(self.kind, side, side, self.seed);
            let name = format!("{}-{side}", self.kind);
            Ok(Map::from_grid(&name, grid.map_err(Failure::usage)?, self.rules))
        };
        let named = |name: &Path| Map::load(name, self.rules);
        match (self.sizes.as_slice(), self.map.as_slice()) {
            ([], []) => MAPS.iter().map(|name| named(name.as_ref())).collect(),
            ([], maps) => maps.iter().map(|name| named(name)).collect(),
            (sizes, _) => sizes.iter().map(generated).collect(),
        }
    }

    fn measure(&self, map: Map, bar: &ProgressBar) -> Result<Measured, Failure> {
        let free = map.grid.free_cells().count();
        let mut grid = Layered::flat(map.grid.clone());
        let mut time = Duration::MAX;
        for _ in 0..self.rounds {
            // The levels of the previous round are not needed.
            grid.flatten();
            let clock = Instant::now();
            grid.build().map_err(Failure::usage)?;
            time = time.min(clock.elapsed());
            bar.inc(free as u64);
        }
        let tables = match &self.tables {
            Some(path) => Some(self.write_tables(&grid, path)?),
            None => None,
        };
        let hierarchy = levels_of(&grid);
        Ok(Measured {
            tables,
            name: map.name,
            width: grid.width(),
            height: grid.height(),
            free,
            levels: hierarchy.height(),
            nodes: (1..=hierarchy.height()).map(|level| hierarchy.count(level)).sum(),
            visited: hierarchy.nodes_visited(),
            time,
            bytes: hierarchy.bytes(),
            repairs: self.repairs.map(|count| self.repair(grid, count as usize)),
        })
    }

    /// Builds the tables of subgoals of a map, and writes them.
    fn write_tables(&self, grid: &Layered<Grid>, path: &Path) -> Result<TablesMade, Failure> {
        let (level, top) = (self.level as usize, levels_of(grid).height());
        if level > top {
            return Err(Failure::usage(format!("--level {level}: {}", describe_levels(top))));
        }
        let bar = progress(0, "searches for subgoals");
        let clock = Instant::now();
        let tick = |all: usize| {
            bar.set_length(all as u64);
            bar.inc(1);
        };
        let made = subgoals(grid, level, tick).map_err(Failure::usage)?;
        let time = clock.elapsed();
        bar.finish_and_clear();
        let tables = made.expect("the map has a hierarchy");
        let bytes = tables.to_bytes();
        output::write(path, &bytes)?;
        Ok(TablesMade { level, pairs: tables.pairs(), bytes: bytes.len(), time })
    }

    /// Edits cells one by one, and measures each repair.
    fn repair(&self, mut grid: Layered<Grid>, count: usize) -> Repairs {
        let edits = churn(&grid, count, self.seed);
        let bar = progress(edits.len() as u64, "repairs");
        let (mut time, mut slowest) = (Duration::ZERO, Duration::ZERO);
        let mut visited = Vec::new();
        for &(cell, free) in &edits {
            let before = levels_of(&grid).nodes_visited();
            let clock = Instant::now();
            grid.set_free(cell, free).expect("edits are on the map");
            let taken = clock.elapsed();
            (time, slowest) = (time + taken, slowest.max(taken));
            visited.push(levels_of(&grid).nodes_visited() - before);
            bar.inc(1);
        }
        bar.finish_and_clear();
        let time = time.div_f64(visited.len().max(1) as f64);
        Repairs { count: visited.len(), visited: Counts::of(&visited), time, slowest }
    }
}

/// Which levels there are.
fn describe_levels(top: usize) -> String {
    match top {
        0 => "the map has no level but 0".to_string(),
        top => format!("the map has levels 0 to {top}"),
    }
}

/// The hierarchy of a map for which it was built.
fn levels_of(grid: &Layered<Grid>) -> &Hierarchy {
    grid.hierarchy().expect("built before")
}

impl Measured {
    fn per_cell(&self, count: f64) -> f64 {
        count / self.free.max(1) as f64
    }

    fn ms(&self) -> f64 {
        1e3 * self.time.as_secs_f64()
    }

    fn json(&self) -> Value {
        let mut line = json!({
            "map": self.name,
            "width": self.width,
            "height": self.height,
            "free": self.free,
            "levels": self.levels,
            "nodes": self.nodes,
            "visited": self.visited,
            "visited_per_cell": self.per_cell(self.visited as f64),
            "ms": self.ms(),
            "bytes": self.bytes,
            "bytes_per_cell": self.per_cell(self.bytes as f64),
        });
        if let Some(TablesMade { level, pairs, bytes, time }) = &self.tables {
            let seconds = time.as_secs_f64();
            line["tables"] =
                json!({ "level": level, "pairs": pairs, "bytes": bytes, "seconds": seconds });
        }
        if let Some(repairs) = &self.repairs {
            line["repairs"] = json!({
                "count": repairs.count,
                "visited": repairs.visited,
                "mean_visited_per_log2": self.mean_by_log(repairs),
                "us": 1e6 * repairs.time.as_secs_f64(),
                "max_us": 1e6 * repairs.slowest.as_secs_f64(),
            });
        }
        line
    }

    /// The mean number of nodes visited per repair, divided by the logarithm of the free cells.
    fn mean_by_log(&self, repairs: &Repairs) -> f64 {
        repairs.visited.mean / (self.free.max(2) as f64).log2()
    }
}

fn build_table(rows: &[Measured]) -> String {
    let header = [
        "map",
        "free cells",
        "levels",
        "nodes",
        "visited",
        "per cell",
        "ms",
        "memory",
        "bytes per cell",
    ];
    let row = |row: &Measured| {
        [
            text::escaped(&row.name),
            row.free.to_string(),
            row.levels.to_string(),
            row.nodes.to_string(),
            row.visited.to_string(),
            format!("{:.2}", row.per_cell(row.visited as f64)),
            format!("{:.2}", row.ms()),
            format!("{} KB", row.bytes.div_ceil(1024)),
            format!("{:.1}", row.per_cell(row.bytes as f64)),
        ]
    };
    table(header, rows.iter().map(row))
}

fn repair_table(rows: &[Measured]) -> String {
    let header =
        ["map", "free cells", "repairs", "mean", "p50", "p99", "max", "/ log2", "us", "slowest"];
    let row = |row: &Measured| {
        let repairs = row.repairs.as_ref()?;
        let Counts { mean, p50, p99, max } = repairs.visited;
        Some([
            text::escaped(&row.name),
            row.free.to_string(),
            repairs.count.to_string(),
            format!("{mean:.1}"),
            p50.to_string(),
            p99.to_string(),
            max.to_string(),
            format!("{:.2}", row.mean_by_log(repairs)),
            format!("{:.1}", 1e6 * repairs.time.as_secs_f64()),
            format!("{:.0}", 1e6 * repairs.slowest.as_secs_f64()),
        ])
    };
    table(header, rows.iter().filter_map(row))
}

/// A table whose columns are right-aligned, except the first.
fn table<const N: usize>(header: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header).add_rows(rows);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    lines(&table).join("\n")
}

/// Describe the levels of a map, the nodes that a cell belongs to, and how two cells are connected
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar abstraction inspect\n  \
    tickstar abstraction inspect --map a.map --at 12,34\n  \
    tickstar abstraction inspect --map builtin:rooms-64 --from 4,4 --to 60,12 --json")]
pub struct Inspect {
    /// The map: a file in the benchmark's format, rows of # and . in a .txt, or builtin:NAME
    #[arg(
        long,
        value_name = "FILE|builtin:NAME",
        default_value = "builtin:caves-128",
        help_heading = "Map"
    )]
    map: PathBuf,
    /// Show the nodes that this cell belongs to, level by level; column and row from the top left
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true)]
    at: Option<CellArgument>,
    /// Check that the tables of subgoals in this file are valid for the map, and describe them
    #[arg(long, value_name = "FILE")]
    tables: Option<PathBuf>,
    /// Show whether there is a path from here, and the level that decides it
    #[arg(long, value_name = "X,Y", requires = "to", allow_hyphen_values = true)]
    from: Option<CellArgument>,
    /// To here
    #[arg(long, value_name = "X,Y", requires = "from", allow_hyphen_values = true)]
    to: Option<CellArgument>,
    #[command(flatten)]
    rules: Movement,
    /// As a JSON object
    #[arg(long, help_heading = "Output")]
    json: bool,
}

/// How many of the largest parts of a map are listed.
const PARTS: usize = 5;

impl Inspect {
    fn execute(&self) -> Result<(), Failure> {
        let Map { name, grid, .. } = Map::load(&self.map, self.rules)?;
        let at = self.at.map(|place| find(&grid, "cell", place)).transpose()?;
        let from = self.from.map(|place| find(&grid, "start", place)).transpose()?;
        let to = self.to.map(|place| find(&grid, "goal", place)).transpose()?;
        let hierarchy = Hierarchy::new(&grid).map_err(Failure::input)?;
        let tables = match &self.tables {
            Some(path) => Some(read_subgoals(path, &grid, &hierarchy)?),
            None => None,
        };
        let levels = Levels { grid: &grid, hierarchy: &hierarchy };
        let (stats, parts) = (levels.stats(), levels.parts());
        let chain = at.map(|cell| levels.ancestors(cell));
        let connection = from.zip(to).map(|(from, to)| levels.connection(from, to));
        let cell = |place: CellArgument| (place.0.x, place.0.y);
        let mut out = io::stdout().lock();
        if self.json {
            let mut facts = json!({
                "map": name,
                "width": grid.width(),
                "height": grid.height(),
                "free": stats[0].nodes,
                "levels": stats,
                "parts": parts.len(),
                "largest_parts": &parts[..parts.len().min(PARTS)],
            });
            if let (Some(place), Some(chain)) = (self.at, chain) {
                facts["at"] = json!({ "cell": cell(place), "ancestors": chain });
            }
            if let (Some(from), Some(to), Some(connection)) = (self.from, self.to, connection) {
                facts["connection"] = json!(connection);
                facts["connection"]["from"] = json!(cell(from));
                facts["connection"]["to"] = json!(cell(to));
            }
            if let Some(tables) = &tables {
                facts["subgoals"] = json!({
                    "level": tables.level(),
                    "pairs": tables.pairs(),
                    "bytes": tables.bytes(),
                });
            }
            return Ok(writeln!(out, "{facts}")?);
        }
        let (width, height, free) = (grid.width(), grid.height(), stats[0].nodes);
        let name = text::escaped(&name);
        let free = text::counted(free, "free cell");
        writeln!(out, "{name}: {width} wide, {height} high, {free}")?;
        writeln!(out, "{}\n\n{}\n", describe_parts(&parts), level_table(&stats))?;
        let legend = "degree: neighbors per node · longest edge: between mean positions, in cells · group: nodes of \
            the level below, on average · cliques: groups in which all nodes are adjacent · single: groups of \
            one node · others: with a node that is not adjacent to all";
        writeln!(out, "{}", wrapped(legend))?;
        if let (Some(path), Some(tables)) = (&self.tables, &tables) {
            let (path, level, pairs) = (text::path(path), tables.level(), tables.pairs());
            let pairs = text::counted(pairs, "pair");
            writeln!(out, "\n{path}: valid for this map; {pairs} of nodes of level {level}")?;
        }
        if let (Some(place), Some(chain)) = (self.at, chain) {
            writeln!(out, "\nThe nodes that {} belongs to:\n\n{}", place.0, chain_table(&chain))?;
        }
        if let (Some(from), Some(to), Some(connection)) = (self.from, self.to, connection) {
            writeln!(out, "\n{} to {}: {}", from.0, to.0, describe_connection(connection))?;
        }
        Ok(())
    }
}

/// The node of a cell that must be free.
fn find(
    grid: &Grid,
    end: &'static str,
    CellArgument(cell): CellArgument,
) -> Result<NodeId, Failure> {
    let (width, height) = (grid.width(), grid.height());
    let outside = ProblemError::Outside { end, cell, width, height };
    let node = grid.node(cell).ok_or_else(|| Failure::input(outside))?;
    let blocked = || Failure::input(ProblemError::Blocked { end, cell });
    grid.contains(node).then_some(node).ok_or_else(blocked)
}

fn describe_parts(parts: &[u32]) -> String {
    let sizes: Vec<_> = parts.iter().take(PARTS).map(u32::to_string).collect();
    let more = if parts.len() > PARTS { ", …" } else { "" };
    match parts.len() {
        0 => "no free cells".to_string(),
        1 => "1 connected part".to_string(),
        count => format!("{count} connected parts, of {}{more} cells", sizes.join(", ")),
    }
}

fn describe_connection(connection: Connection) -> String {
    let Connection { look_ups, joined, merged, .. } = connection;
    let joined =
        joined.map_or(String::new(), |level| format!("joined by an edge on level {level}, "));
    if let Some(level) = merged {
        format!(
            "there is a path: {joined}one node on level {level}; {}",
            text::counted(look_ups, "look-up")
        )
    } else {
        // Two per level; those on the last level find no parent.
        let level = (look_ups / 2).saturating_sub(1);
        format!(
            "there is no path: climbing ends on level {level}; {}",
            text::counted(look_ups, "look-up")
        )
    }
}

fn level_table(stats: &[LevelStats]) -> String {
    let header = [
        "level",
        "nodes",
        "edges",
        "degree",
        "longest edge",
        "group",
        "largest",
        "cliques",
        "single",
        "others",
    ];
    let row = |level: &LevelStats| {
        let groups = level.groups.as_ref();
        let share = |count: usize| format!("{:.1} %", 100.0 * count as f64 / level.nodes as f64);
        let show = |text: &dyn Fn(&Groups) -> String| groups.map_or(String::new(), text);
        [
            level.level.to_string(),
            level.nodes.to_string(),
            level.edges.to_string(),
            format!("{:.2}", level.mean_degree),
            format!("{:.1}", level.longest_edge),
            show(&|groups| format!("{:.2}", groups.mean_size)),
            show(&|groups| groups.largest.to_string()),
            show(&|groups| share(groups.cliques)),
            show(&|groups| share(groups.singles)),
            show(&|groups| share(groups.others)),
        ]
    };
    table(header, stats.iter().map(row))
}

fn chain_table(chain: &[Ancestor]) -> String {
    let header = ["level", "node", "cells", "mean position", "neighbors"];
    let row = |node: &Ancestor| {
        [
            node.level.to_string(),
            node.node.to_string(),
            node.cells.to_string(),
            format!("({:.1}, {:.1})", node.mean.0, node.mean.1),
            node.neighbors.to_string(),
        ]
    };
    table(header, chain.iter().map(row))
}

/// Draw the levels of a map: one panel per level, one color per node, dots and lines where there is room
#[derive(Args)]
#[command(
    after_help = "Neighbors on a level have different colors. Dots are at the mean positions of the \
    cells of a node. A part of the map that is a single node on a lower level is gray. The path is the \
    one that PRA* plans, and on each level the nodes that it passes.\n\n\
    Examples:\n  \
    tickstar abstraction draw\n  \
    tickstar abstraction draw --map builtin:islands-128 --level 3 --out level.svg\n  \
    tickstar abstraction draw --map builtin:rooms-64 --from 4,4 --to 60,12\n  \
    tickstar abstraction draw --map a.map --level 0,2,4 --out levels.png"
)]
pub struct Draw {
    /// The map: a file in the benchmark's format, rows of # and . in a .txt, or builtin:NAME
    #[arg(
        long,
        value_name = "FILE|builtin:NAME",
        default_value = "builtin:caves-128",
        help_heading = "Map"
    )]
    map: PathBuf,
    /// Which levels, 0 being the map [default: all, or eight of them from the map to the top]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = whole::<usize>(0..=100),
        allow_negative_numbers = true)]
    level: Vec<usize>,
    /// Draw a path from here; without it, on a built-in map, that of its first problem
    #[arg(long, value_name = "X,Y", requires = "to", allow_hyphen_values = true)]
    from: Option<CellArgument>,
    /// To here
    #[arg(long, value_name = "X,Y", requires = "from", allow_hyphen_values = true)]
    to: Option<CellArgument>,
    /// Where to write the picture; its name ends in .png or .svg
    #[arg(long, value_name = "FILE", default_value = "abstraction.png", help_heading = "Output")]
    out: PathBuf,
    /// Pixels per cell, 1 to 64 [default: depends on the map]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=64), allow_negative_numbers = true)]
    cell_px: Option<u32>,
    #[command(flatten)]
    rules: Movement,
}

/// The most panels of a picture by default.
const PANELS: usize = 8;

impl Draw {
    fn execute(&self) -> Result<(), Failure> {
        let format = Format::of(&self.out)?;
        refuse_overwriting(&self.out, map_file(&self.map))?;
        check_writable(&self.out)?;
        let map = Map::load(&self.map, self.rules)?;
        let ends = match (self.from, self.to) {
            (Some(from), Some(to)) => {
                Some((find(&map.grid, "start", from)?, find(&map.grid, "goal", to)?))
            }
            _ => map.first_problem().and_then(|problem| {
                Some((map.grid.node(problem.start)?, map.grid.node(problem.goal)?))
            }),
        };
        let title = map.title();
        let grid = Layered::new(map.grid).map_err(Failure::input)?;
        let hierarchy = levels_of(&grid);
        let top = hierarchy.height();
        if let Some(level) = self.level.iter().find(|&&level| level > top) {
            return Err(Failure::usage(format!("--level {level}: {}", describe_levels(top))));
        }
        let shown = match self.level.as_slice() {
            [] => even_levels(top),
            named => named.to_vec(),
        };
        let route = ends.map(|(start, goal)| plan(&grid, start, goal)).transpose()?;
        let free = grid.free_cells().count();
        let free = text::counted(free, "free cell");
        let path = route.as_ref().map(|route| describe_route(&grid, route));
        let levels = if top == 0 { "level 0".to_string() } else { format!("levels 0 to {top}") };
        let caption = format!("{title} · {free} · {levels}{}", path.unwrap_or_default());
        let levels = Levels { grid: grid.space(), hierarchy };
        let cell_px = self.cell_px.map_or_else(|| draw::panel_px(&grid, shown.len()), f64::from);
        let svg = draw::levels_svg(&levels, &shown, route.as_ref(), &caption, cell_px);
        format.write(svg, &self.out)?;
        Ok(writeln!(io::stdout(), "{}: {}", text::path(&self.out), text::escaped(&caption))?)
    }
}

/// The path that PRA* plans without cutting it short; no nodes if there is none.
fn plan(grid: &Layered<Grid>, start: NodeId, goal: NodeId) -> Result<Route, Failure> {
    let config = PraConfig { k: None, ..PraConfig::default() };
    let mut unit = Pra::new(grid, config, start, goal).map_err(Failure::input)?;
    let (mut nodes, mut at) = (vec![start], start);
    loop {
        match unit.tick(grid, at, Seen::default(), &mut Slice::unlimited()) {
            Step::Move(to) => {
                at = to;
                nodes.push(to);
            }
            Step::Wait => {}
            Step::Arrived => break,
            Step::Unreachable => {
                nodes.clear();
                break;
            }
        }
    }
    Ok(Route { start, goal, nodes })
}

fn describe_route(grid: &Grid, Route { start, goal, nodes }: &Route) -> String {
    let (from, to) = (grid.cell(*start), grid.cell(*goal));
    let length: Option<Cost> =
        nodes.windows(2).try_fold(Cost::ZERO, |sum, step| Some(sum + grid.edge(step[0], step[1])?));
    match length {
        Some(length) if !nodes.is_empty() => {
            format!(" · path from {from} to {to}, length {:.1}", length.in_cells())
        }
        _ => format!(" · no path from {from} to {to}"),
    }
}

/// All levels, or as many as there are panels, from the lowest to the highest.
fn even_levels(top: usize) -> Vec<usize> {
    let last = top.min(PANELS - 1);
    (0..=last).map(|panel| panel * top / last.max(1)).collect()
}
