//! Pictures of one run: the map, what was searched when, and where the agent walked.
//!
//! There is one rendering path: [`svg`] makes the picture, and [`png`] rasterizes that same text. Lettering is
//! drawn as strokes from a small built-in alphabet, and no color or curve is computed by a function whose
//! results differ between machines, so a picture needs no fonts and is the same everywhere.
//!
//! # Reading a picture
//! * Searched cells go from pale yellow (early) to deep blue (late). Lightness falls evenly along
//!   the ramp and walls are darker than its end, so the order survives grayscale printing and any kind
//!   of color vision. A cell that was expanded more than once shows the last time.
//! * The walk is a solid line through the cells. Back-moves are dashed and keep to the right of their
//!   direction, like the second lane of a road, so that both directions are visible.
//! * Cells the agent does not know lie under a pale veil.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Write};

mod lettering;
mod levels;

pub use levels::{levels_svg, panel_px};

use lettering::{broken, draw_text, text_width};
use resvg::{tiny_skia, usvg};
use thiserror::Error;
use tickstar::{Cell, Grid};

/// The most pixels a PNG may have.
const MAX_PIXELS: u64 = 64_000_000;

/// The longer side of a picture that [`default_cell_px`] aims for, in pixels.
const TARGET_PX: u32 = 1200;

/// A dash and the gap after it, as multiples of the line's width. Round ends lengthen the dash by one
/// and shorten the gap by one.
const DASH: f64 = 1.5;
const GAP: f64 = 2.0;

/// Cells of at least this many pixels have lines between them.
const MESH_FROM: f64 = 12.0;

const PAGE: &str = "#f8f9fb";
const FREE: &str = "#ffffff";
const WALL: &str = "#364152";
const INK: &str = "#1b2430";
const SOFT_INK: &str = "#4a5566";
const CASING: &str = "#ffffff";
const WALK: &str = "#e8371f";
const BACK: &str = "#6d0f6b";
const GOAL: &str = "#ffc928";
const VEIL: &str = "#ccd3dc";
const VEIL_OPACITY: f64 = 0.7;

/// Early to late. Made in the `OKLCh` color space: lightness falls evenly from 0.965 to 0.46 while
/// the hue turns from yellow over green and teal to blue.
const RAMP: [&str; 28] = [
    "#fbf7bc", "#f0f3b5", "#e4eeaf", "#d8eaaa", "#cbe6a6", "#bde2a3", "#aedfa3", "#9ddba5",
    "#8cd6a8", "#7bd1ac", "#6bccb0", "#5bc6b4", "#4bc0b8", "#3ebaba", "#32b3bb", "#28acbc",
    "#20a5bd", "#1d9dbd", "#1e96bd", "#228ebc", "#1f87ba", "#1e80b7", "#1f79b4", "#2072b1",
    "#236aae", "#2663aa", "#285ba6", "#2b54a2",
];

/// What to draw. Cells outside the grid are left out.
#[derive(Clone, Copy, Debug)]
pub struct Picture<'a> {
    /// The map.
    pub grid: &'a Grid,
    /// Cells in the order of their expansion, each with the interval it was expanded in (from 1).
    pub expanded: &'a [(Cell, u64)],
    /// Every position in order, start first.
    pub walk: &'a [Cell],
    /// For each move of `walk` (one less than its positions) whether it was a back-move.
    pub back: &'a [bool],
    /// Where the agent started.
    pub start: Cell,
    /// Its goal.
    pub goal: Cell,
    /// Cells drawn as fog (not known to the agent); empty when everything is known.
    pub fog: &'a [Cell],
    /// The caption, in one line below the picture.
    pub caption: &'a str,
}

/// Why a picture could not be rasterized.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum DrawError {
    /// Too many pixels.
    #[error(
        "a picture of {width} by {height} pixels is too large: at most {MAX_PIXELS} pixels can be \
         drawn, so use fewer pixels per cell, or write an SVG"
    )]
    TooLarge {
        /// The width in pixels.
        width: u64,
        /// The height in pixels.
        height: u64,
    },
    /// The text is not an SVG.
    #[error("the picture is not a valid SVG: {0}")]
    NotSvg(String),
    /// The pixels could not be written as a PNG.
    #[error("the picture could not be written as a PNG: {0}")]
    Encode(String),
}

/// Pixels per cell, from 1 to 24, that make the longer side of the picture about 900 to 1200 pixels
/// if possible.
pub fn default_cell_px(grid: &Grid) -> u32 {
    (TARGET_PX / grid.width().max(grid.height())).clamp(1, 24)
}

/// The picture as an SVG with cells of `cell_px` pixels (at least one).
pub fn svg(picture: &Picture<'_>, cell_px: u32) -> String {
    let frame = Frame::new(picture, cell_px.max(1));
    let mut page = Page::begin(frame.width, frame.height, picture.caption);
    draw_cells(&mut page, picture, &frame);
    draw_walk(&mut page, picture, &frame);
    draw_marks(&mut page, picture, &frame);
    draw_legend(&mut page, &frame);
    draw_caption(&mut page, &frame);
    page.finish()
}

/// A map alone as an SVG with cells of `cell_px` pixels (at least one).
pub fn map_svg(grid: &Grid, cell_px: u32) -> String {
    let nowhere = Cell::default();
    let picture = Picture {
        grid,
        expanded: &[],
        walk: &[],
        back: &[],
        start: nowhere,
        goal: nowhere,
        fog: &[],
        caption: "",
    };
    let frame = Frame::new(&picture, cell_px.max(1));
    let margin = frame.map.y;
    let mut page = Page::begin(frame.width, frame.map_height + 2.0 * margin, "map");
    draw_cells(&mut page, &picture, &frame);
    page.finish()
}

/// An SVG without text elements, such as [`svg`] makes, as the bytes of a PNG file.
///
/// # Errors
/// When the text is not an SVG, or the picture would have more than 64 million pixels.
pub fn png(svg: &str) -> Result<Vec<u8>, DrawError> {
    let tree = usvg::Tree::from_str(svg, &usvg::Options::default())
        .map_err(|error| DrawError::NotSvg(error.to_string()))?;
    let size = tree.size().to_int_size();
    let (width, height) = (size.width(), size.height());
    let too_large = DrawError::TooLarge { width: width.into(), height: height.into() };
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(too_large);
    }
    let mut pixels = tiny_skia::Pixmap::new(width, height).ok_or(too_large)?;
    resvg::render(&tree, tiny_skia::Transform::identity(), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| DrawError::Encode(error.to_string()))
}

/// The SVG text as it grows.
#[derive(Default)]
struct Page(String);

impl Page {
    fn begin(width: f64, height: f64, title: &str) -> Page {
        let mut page = Page(String::new());
        page.add(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\">\n<title>{}</title>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"{PAGE}\"/>\n",
            Escaped(title)
        ));
        page
    }

    fn finish(mut self) -> String {
        self.add(format_args!("</svg>\n"));
        self.0
    }

    fn add(&mut self, text: fmt::Arguments<'_>) {
        self.0.write_fmt(text).expect("a String takes any text");
    }
}

/// Text escaped for use between tags.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                // XML cannot represent these.
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => f.write_char(' ')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// A length in pixels, written with at most two decimals.
#[derive(Clone, Copy)]
struct Px(f64);

impl fmt::Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", (self.0 * 100.0).round() / 100.0)
    }
}

/// A point on the page in pixels.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Point {
    x: f64,
    y: f64,
}

impl Point {
    /// The point half-way to another.
    fn middle(self, other: Point) -> Point {
        Point { x: f64::midpoint(self.x, other.x), y: f64::midpoint(self.y, other.y) }
    }
}

/// The layout of the picture. Sizes not given by the map are multiples of `unit`, so that text and lines keep
/// their proportions at any picture size.
struct Frame {
    cell: f64,
    unit: f64,
    map: Point,
    map_width: f64,
    map_height: f64,
    width: f64,
    height: f64,
    legend: Vec<(LegendItem, Point)>,
    caption: Vec<(String, Point)>,
}

impl Frame {
    fn new(picture: &Picture<'_>, cell_px: u32) -> Frame {
        let cell = f64::from(cell_px);
        let map_width = cell * f64::from(picture.grid.width());
        let map_height = cell * f64::from(picture.grid.height());
        let unit = (map_width.max(map_height) / 1000.0).max(1.0);
        // Whole pixels, so that cells have sharp edges.
        let margin = (28.0 * unit).round();
        let content = map_width.max(360.0 * unit).ceil();
        let map = Point { x: margin + ((content - map_width) / 2.0).floor(), y: margin };
        let mut frame = Frame {
            cell,
            unit,
            map,
            map_width,
            map_height,
            width: content + 2.0 * margin,
            height: 0.0,
            legend: Vec::new(),
            caption: Vec::new(),
        };
        let mut bottom = margin + map_height;
        bottom = frame.place_legend(margin, bottom, content, !picture.fog.is_empty());
        bottom = frame.place_caption(picture.caption, margin, bottom, content);
        frame.height = (bottom + margin).ceil();
        frame
    }

    /// Lays out the legend below `top`, in as many rows as it needs; returns its last baseline.
    fn place_legend(&mut self, left: f64, top: f64, content: f64, fog: bool) -> f64 {
        let mut at = Point { x: left, y: top + 34.0 * self.unit };
        let entries =
            LegendItem::ALL.into_iter().filter(|&entry| fog || entry != LegendItem::Unknown);
        for entry in entries {
            let width = entry.width() * self.unit;
            if at.x > left && at.x + width > left + content {
                at = Point { x: left, y: at.y + 28.0 * self.unit };
            }
            self.legend.push((entry, at));
            at.x += width + 24.0 * self.unit;
        }
        at.y
    }

    /// Lays out the caption below `top`; returns its last baseline.
    fn place_caption(&mut self, caption: &str, left: f64, top: f64, content: f64) -> f64 {
        let lines = broken(caption, CAPTION_SIZE * self.unit, content);
        let mut bottom = top;
        for (i, line) in lines.into_iter().enumerate() {
            bottom += if i == 0 { 34.0 } else { 24.0 } * self.unit;
            self.caption.push((line, Point { x: left, y: bottom }));
        }
        bottom
    }

    fn centre(&self, cell: Cell) -> Point {
        Point {
            x: self.map.x + (f64::from(cell.x) + 0.5) * self.cell,
            y: self.map.y + (f64::from(cell.y) + 0.5) * self.cell,
        }
    }

    /// The width of the walked line.
    fn line(&self) -> f64 {
        (self.cell * 0.2).clamp(3.4 * self.unit, 4.4 * self.unit)
    }

    /// The radius of the marks.
    fn mark(&self) -> f64 {
        (self.cell * 0.5).clamp(9.5 * self.unit, 12.0 * self.unit)
    }
}

/// Draws walls, searched cells, fog and grid lines.
fn draw_cells(page: &mut Page, picture: &Picture<'_>, frame: &Frame) {
    let (grid, cell) = (picture.grid, frame.cell);
    let (width, height) = (grid.width(), grid.height());
    page.add(format_args!(
        "<g transform=\"translate({} {}) scale({cell})\" shape-rendering=\"crispEdges\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{FREE}\"/>\n",
        frame.map.x, frame.map.y
    ));
    page.add(format_args!("<g id=\"expanded\">\n"));
    for (color, path) in RAMP.iter().zip(expanded_paths(picture)) {
        draw_area(page, color, &path);
    }
    page.add(format_args!("</g>\n"));
    if cell >= MESH_FROM {
        draw_mesh(page, width, height, cell);
    }
    let mut walls = Runs::default();
    for y in 0..height {
        for x in (0..width).filter(|&x| !grid.is_free(Cell::new(x, y))) {
            walls.push(x, y);
        }
    }
    page.add(format_args!("<g id=\"walls\">\n"));
    draw_area(page, WALL, &walls.finish());
    let mut fog = Runs::default();
    for cell in in_rows(grid, picture.fog) {
        fog.push(cell.x, cell.y);
    }
    page.add(format_args!("</g>\n<g id=\"fog\" fill-opacity=\"{VEIL_OPACITY}\">\n"));
    draw_area(page, VEIL, &fog.finish());
    page.add(format_args!("</g>\n</g>\n"));
    let edge = frame.unit.round();
    page.add(format_args!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{WALL}\" \
         stroke-width=\"{edge}\" shape-rendering=\"crispEdges\"/>\n",
        frame.map.x - edge / 2.0,
        frame.map.y - edge / 2.0,
        frame.map_width + edge,
        frame.map_height + edge
    ));
}

fn draw_area(page: &mut Page, color: &str, path: &str) {
    if !path.is_empty() {
        page.add(format_args!("<path fill=\"{color}\" d=\"{path}\"/>\n"));
    }
}

/// Faint lines between cells that are large enough to be distinguished.
fn draw_mesh(page: &mut Page, width: u32, height: u32, cell: f64) {
    page.add(format_args!(
        "<path id=\"mesh\" fill=\"none\" stroke=\"{INK}\" stroke-opacity=\"0.09\" \
         stroke-width=\"{}\" d=\"",
        1.0 / cell
    ));
    // Offset by half a pixel, so that a line covers one pixel and not two halves.
    let half = 0.5 / cell;
    for x in 1..width {
        page.add(format_args!("M{} 0V{height}", f64::from(x) - half));
    }
    for y in 1..height {
        page.add(format_args!("M0 {}H{width}", f64::from(y) - half));
    }
    page.add(format_args!("\"/>\n"));
}

/// One area per color of the ramp.
fn expanded_paths(picture: &Picture<'_>) -> Vec<String> {
    let mut intervals: Vec<u64> = picture.expanded.iter().map(|&(_, interval)| interval).collect();
    intervals.sort_unstable();
    intervals.dedup();
    let last = intervals.len().saturating_sub(1).max(1);
    let step = |interval: u64| {
        let rank = intervals.partition_point(|&other| other < interval);
        rank * (RAMP.len() - 1) / last
    };
    let inside = picture.expanded.iter().filter(|(cell, _)| picture.grid.is_inside(*cell));
    let mut cells: Vec<(u32, u32, usize)> =
        inside.map(|&(cell, interval)| (cell.y, cell.x, step(interval))).collect();
    // Stable, so that of the entries for one cell the last is the last expansion.
    cells.sort_by_key(|&(y, x, _)| (y, x));
    let mut runs = vec![Runs::default(); RAMP.len()];
    for (i, &(y, x, step)) in cells.iter().enumerate() {
        let again = cells.get(i + 1).is_some_and(|next| (next.0, next.1) == (y, x));
        if !again {
            runs[step].push(x, y);
        }
    }
    runs.into_iter().map(Runs::finish).collect()
}

/// The cells on the map row by row, each once.
fn in_rows(grid: &Grid, cells: &[Cell]) -> Vec<Cell> {
    let mut cells: Vec<Cell> = cells.iter().copied().filter(|&cell| grid.is_inside(cell)).collect();
    cells.sort_unstable_by_key(|cell| (cell.y, cell.x));
    cells.dedup();
    cells
}

/// Cells given row by row, as path data in which neighbors in a row share one rectangle.
#[derive(Clone, Default)]
struct Runs {
    path: String,
    /// Column, row and length of the run that may still grow; none if the length is zero.
    open: (u32, u32, u32),
}

impl Runs {
    fn push(&mut self, x: u32, y: u32) {
        let (column, row, length) = self.open;
        if length > 0 && row == y && column + length == x {
            self.open.2 += 1;
        } else {
            self.close();
            self.open = (x, y, 1);
        }
    }

    fn close(&mut self) {
        let (x, y, length) = self.open;
        if length > 0 {
            write!(self.path, "M{x} {y}h{length}v1h-{length}z").expect("a String takes any text");
        }
    }

    fn finish(mut self) -> String {
        self.close();
        self.path
    }
}

/// The walked line and the back-moves beside it, both on a light casing.
fn draw_walk(page: &mut Page, picture: &Picture<'_>, frame: &Frame) {
    let (mut ahead, mut back) = (String::new(), String::new());
    for line in walked_lines(picture) {
        let points: Vec<Point> = line.iter().map(|&cell| frame.centre(cell)).collect();
        push_line(&mut ahead, &points);
    }
    for line in back_lines(picture) {
        let points: Vec<Point> = line.cells.iter().map(|&cell| frame.centre(cell)).collect();
        let mut lane = beside(&points, frame);
        if line.joins {
            lane.pop();
        }
        push_line(&mut back, &lane);
    }
    page.add(format_args!(
        "<g id=\"walk\" fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\">\n"
    ));
    draw_lines(page, frame, &ahead, &back);
    page.add(format_args!("</g>\n"));
}

fn draw_lines(page: &mut Page, frame: &Frame, ahead: &str, back: &str) {
    let width = frame.line();
    let cased = width + 3.0 * frame.unit;
    for path in [ahead, back] {
        draw_line(page, CASING, cased, "", path);
    }
    draw_line(page, WALK, width, "", ahead);
    let dashes = format!(" stroke-dasharray=\"{} {}\"", Px(width * DASH), Px(width * GAP));
    draw_line(page, BACK, width, &dashes, back);
}

fn draw_line(page: &mut Page, color: &str, width: f64, dashes: &str, path: &str) {
    if !path.is_empty() {
        let width = Px(width);
        page.add(format_args!(
            "<path stroke=\"{color}\" stroke-width=\"{width}\"{dashes} d=\"{path}\"/>\n"
        ));
    }
}

/// The moves of one kind in order. Waiting is not a move.
fn moves<'a>(picture: &'a Picture<'a>, back: bool) -> impl Iterator<Item = (Cell, Cell)> + 'a {
    let all = picture.walk.windows(2).map(|pair| (pair[0], pair[1])).enumerate();
    all.filter(move |&(i, (from, to))| {
        picture.back.get(i).copied().unwrap_or(false) == back
            && from != to
            && picture.grid.is_inside(from)
            && picture.grid.is_inside(to)
    })
    .map(|(_, ends)| ends)
}

/// The walk without its back-moves.
fn walked_lines(picture: &Picture<'_>) -> Vec<Vec<Cell>> {
    let mut lines: Vec<Vec<Cell>> = Vec::new();
    for (from, to) in moves(picture, false) {
        match lines.last_mut() {
            Some(line) if line.last() == Some(&from) => line.push(to),
            _ => lines.push(vec![from, to]),
        }
    }
    lines
}

/// A line of back-moves.
#[derive(PartialEq, Debug)]
struct BackLine {
    cells: Vec<Cell>,
    /// The last move is already part of another line, which this one joins.
    joins: bool,
}

/// The back-moves, each once, in lines that are as long as possible. Dashes drawn twice would overlap: an
/// agent that goes back and forth along one path would leave a tangle.
fn back_lines(picture: &Picture<'_>) -> Vec<BackLine> {
    let mut seen = HashSet::new();
    let moves: Vec<(Cell, Cell)> = moves(picture, true).filter(|&ends| seen.insert(ends)).collect();
    let mut leaving: HashMap<Cell, Vec<usize>> = HashMap::new();
    for (i, &(from, _)) in moves.iter().enumerate() {
        leaving.entry(from).or_default().push(i);
    }
    let entered: HashSet<Cell> = moves.iter().map(|&(_, to)| to).collect();
    let mut used = vec![false; moves.len()];
    let mut lines = Vec::new();
    // First from the tips; what is left after that forms cycles.
    let (tips, rest): (Vec<usize>, Vec<usize>) =
        (0..moves.len()).partition(|&i| !entered.contains(&moves[i].0));
    for first in tips.into_iter().chain(rest) {
        if used[first] {
            continue;
        }
        let mut line = BackLine { cells: vec![moves[first].0], joins: false };
        let mut next = Some(first);
        while let Some(i) = next {
            let (_, to) = moves[i];
            line.cells.push(to);
            line.joins = used[i];
            used[i] = true;
            let on = leaving.get(&to).filter(|_| !line.joins);
            next = on.and_then(|on| on.iter().find(|&&i| !used[i]).or(on.first()).copied());
        }
        lines.push(line);
    }
    lines
}

/// A line to the right of the given one: a point beside its start, beside the middle of each move,
/// and beside its end.
fn beside(points: &[Point], frame: &Frame) -> Vec<Point> {
    let lane = frame.line() * 1.2 + 1.5 * frame.unit;
    // Looking some moves back and ahead for the direction keeps the lane smooth where a move is
    // shorter than the lane is wide.
    let reach = (2.0 * lane / frame.cell).ceil() as usize;
    let last = points.len() - 1;
    let mut shifted = Vec::with_capacity(points.len() + 1);
    for i in 1..=last {
        let (from, to) = (points[i - 1], points[i]);
        let (behind, ahead) = (points[i.saturating_sub(reach)], points[(i - 1 + reach).min(last)]);
        let (mut dx, mut dy) = (ahead.x - behind.x, ahead.y - behind.y);
        if dx == 0.0 && dy == 0.0 {
            (dx, dy) = (to.x - from.x, to.y - from.y);
        }
        let scale = lane / (dx * dx + dy * dy).sqrt();
        let aside = |point: Point| Point { x: point.x - dy * scale, y: point.y + dx * scale };
        if i == 1 {
            shifted.push(aside(from));
        }
        shifted.push(aside(from.middle(to)));
        if i == last {
            shifted.push(aside(to));
        }
    }
    shifted
}

/// Adds a line through the points, omitting those inside a straight segment.
fn push_line(path: &mut String, points: &[Point]) {
    for (i, &point) in points.iter().enumerate() {
        let straight = i > 0
            && points.get(i + 1).is_some_and(|next| {
                let (a, b) = (points[i - 1], *next);
                (point.x - a.x, point.y - a.y) == (b.x - point.x, b.y - point.y)
            });
        if !straight {
            let command = if i == 0 { 'M' } else { 'L' };
            write!(path, "{command}{} {}", Px(point.x), Px(point.y))
                .expect("a String takes any text");
        }
    }
}

/// The start and the goal.
fn draw_marks(page: &mut Page, picture: &Picture<'_>, frame: &Frame) {
    page.add(format_args!("<g id=\"marks\">\n"));
    if picture.grid.is_inside(picture.start) {
        let same = picture.start == picture.goal;
        let radius = frame.mark() * if same { 1.5 } else { 0.8 };
        draw_start(page, frame.centre(picture.start), radius, frame.unit);
    }
    if picture.grid.is_inside(picture.goal) {
        draw_goal(page, frame.centre(picture.goal), frame.mark(), frame.unit);
    }
    page.add(format_args!("</g>\n"));
}

/// A ring.
fn draw_start(page: &mut Page, at: Point, radius: f64, unit: f64) {
    // Four curves of a circle of radius one.
    let circle = "M-1 0C-1-.552-.552-1 0-1S1-.552 1 0 .552 1 0 1-1 .552-1 0Z";
    let place = format!("translate({} {}) scale({})", Px(at.x), Px(at.y), Px(radius));
    let (outer, inner) = (6.0 * unit / radius, 2.9 * unit / radius);
    page.add(format_args!(
        "<g transform=\"{place}\"><path fill=\"{CASING}\" stroke=\"{CASING}\" stroke-width=\"{}\" \
         d=\"{circle}\"/><path fill=\"{CASING}\" stroke=\"{INK}\" stroke-width=\"{}\" \
         d=\"{circle}\"/></g>\n",
        Px(outer),
        Px(inner)
    ));
}

/// A star.
fn draw_goal(page: &mut Page, at: Point, radius: f64, unit: f64) {
    // Ten corners, on circles of radius 1 and 0.45.
    let star = "M0-1 .265-.364 .951-.309 .428.139 .588.809 0 .45-.588.809-.428.139-.951-.309\
                -.265-.364Z";
    let place = format!("translate({} {}) scale({})", Px(at.x), Px(at.y), Px(radius * 1.15));
    let (outer, inner) = (5.4 * unit / radius, 1.9 * unit / radius);
    page.add(format_args!(
        "<g transform=\"{place}\" stroke-linejoin=\"round\"><path fill=\"{CASING}\" \
         stroke=\"{CASING}\" stroke-width=\"{}\" d=\"{star}\"/><path fill=\"{GOAL}\" \
         stroke=\"{INK}\" stroke-width=\"{}\" d=\"{star}\"/></g>\n",
        Px(outer),
        Px(inner)
    ));
}

const LEGEND_SIZE: f64 = 15.0;
const CAPTION_SIZE: f64 = 17.0;

/// An entry of the legend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LegendItem {
    Start,
    Goal,
    Walked,
    Back,
    Expanded,
    Wall,
    Unknown,
}

impl LegendItem {
    const ALL: [LegendItem; 7] = [
        LegendItem::Start,
        LegendItem::Goal,
        LegendItem::Walked,
        LegendItem::Back,
        LegendItem::Expanded,
        LegendItem::Wall,
        LegendItem::Unknown,
    ];

    fn label(self) -> &'static str {
        match self {
            LegendItem::Start => "start",
            LegendItem::Goal => "goal",
            LegendItem::Walked => "walked",
            LegendItem::Back => "back-moves",
            LegendItem::Expanded => "expanded, early to late",
            LegendItem::Wall => "wall",
            LegendItem::Unknown => "not seen",
        }
    }

    /// The width of the sample, in units.
    fn sample(self) -> f64 {
        match self {
            LegendItem::Start | LegendItem::Goal => 18.0,
            LegendItem::Walked | LegendItem::Back => 34.0,
            LegendItem::Expanded => 4.0 * RAMP.len() as f64,
            LegendItem::Wall | LegendItem::Unknown => 16.0,
        }
    }

    /// The width of sample and label, in units.
    fn width(self) -> f64 {
        self.sample() + 9.0 + text_width(self.label(), LEGEND_SIZE)
    }
}

fn draw_legend(page: &mut Page, frame: &Frame) {
    let unit = frame.unit;
    page.add(format_args!("<g id=\"legend\">\n"));
    for &(entry, at) in &frame.legend {
        let sample = entry.sample() * unit;
        // Half the x-height above the baseline.
        let middle = Point { x: at.x + sample / 2.0, y: at.y - LEGEND_SIZE * 0.3 * unit };
        draw_sample(page, frame, entry, middle);
        let label = Point { x: at.x + sample + 9.0 * unit, y: at.y };
        draw_text(page, entry.label(), label, LEGEND_SIZE * unit, SOFT_INK);
    }
    page.add(format_args!("</g>\n"));
}

fn draw_sample(page: &mut Page, frame: &Frame, entry: LegendItem, middle: Point) {
    let unit = frame.unit;
    let half = entry.sample() * unit / 2.0;
    // Three whole dashes.
    let length = frame.line() * (3.0 * DASH + 2.0 * GAP);
    let line = format!("M{} {}h{}", Px(middle.x - length / 2.0), Px(middle.y), Px(length));
    let area = |page: &mut Page, x: f64, width: f64, color: &str| {
        let side = 16.0 * unit;
        page.add(format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{color}\" \
             shape-rendering=\"crispEdges\"/>\n",
            Px(x),
            Px(middle.y - side / 2.0),
            Px(width),
            Px(side)
        ));
    };
    match entry {
        LegendItem::Start => draw_start(page, middle, 7.0 * unit, unit),
        LegendItem::Goal => draw_goal(page, middle, 9.0 * unit, unit),
        LegendItem::Walked | LegendItem::Back => {
            page.add(format_args!("<g fill=\"none\" stroke-linecap=\"round\">\n"));
            let (ahead, back) =
                if entry == LegendItem::Walked { (line.as_str(), "") } else { ("", line.as_str()) };
            draw_lines(page, frame, ahead, back);
            page.add(format_args!("</g>\n"));
        }
        LegendItem::Expanded => {
            // Each is drawn over the previous one and to the end, so that rounding leaves no gaps.
            for (i, color) in RAMP.iter().enumerate() {
                let from = 2.0 * half * i as f64 / RAMP.len() as f64;
                area(page, middle.x - half + from, 2.0 * half - from, color);
            }
        }
        LegendItem::Wall => area(page, middle.x - half, 2.0 * half, WALL),
        LegendItem::Unknown => {
            area(page, middle.x - half, 2.0 * half, FREE);
            page.add(format_args!("<g fill-opacity=\"{VEIL_OPACITY}\">\n"));
            area(page, middle.x - half, 2.0 * half, VEIL);
            page.add(format_args!("</g>\n"));
        }
    }
}

fn draw_caption(page: &mut Page, frame: &Frame) {
    page.add(format_args!("<g id=\"caption\">\n"));
    for (line, at) in &frame.caption {
        draw_text(page, line, *at, CAPTION_SIZE * frame.unit, INK);
    }
    page.add(format_args!("</g>\n"));
}

#[cfg(test)]
mod tests {
    use super::lettering::ALPHABET;
    use super::*;

    fn cells<const N: usize>(places: [(u32, u32); N]) -> [Cell; N] {
        places.map(|(x, y)| Cell::new(x, y))
    }

    fn bare(grid: &Grid) -> Picture<'_> {
        let start = Cell::new(0, 0);
        let (expanded, walk, back, fog) = (&[], &[], &[], &[]);
        Picture { grid, expanded, walk, back, start, goal: start, fog, caption: "" }
    }

    /// The part of the SVG between a group's tags.
    fn group<'a>(svg: &'a str, id: &str) -> &'a str {
        let (_, rest) = svg.split_once(&format!("<g id=\"{id}\"")).expect("the group is there");
        rest.split_once("</g>").expect("the group ends").0
    }

    fn header_size(png: &[u8]) -> (u32, u32) {
        assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(&png[12..16], b"IHDR");
        let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        (number(16), number(20))
    }

    #[test]
    fn walls_are_one_path_of_runs() {
        let grid = Grid::from_rows([".##.", "#..#", "...."]).unwrap();
        let svg = svg(&bare(&grid), 10);
        let walls = group(&svg, "walls");
        assert_eq!(walls.matches("<path").count(), 1);
        assert!(walls.contains("d=\"M1 0h2v1h-2zM0 1h1v1h-1zM3 1h1v1h-1z\""), "{walls}");
        assert!(!group(&svg, "expanded").contains("<path"));
        assert!(!svg.contains("mesh"), "cells of ten pixels have no lines between them");
    }

    #[test]
    fn searched_cells_share_one_path_per_color_and_show_the_last_time() {
        let grid = Grid::new(5, 2).unwrap();
        let [a, b, c, d] = cells([(0, 0), (1, 0), (2, 0), (4, 1)]);
        let expanded = [(a, 1), (b, 1), (c, 1), (d, 7), (c, 90)];
        let svg = svg(&Picture { expanded: &expanded, ..bare(&grid) }, 4);
        let searched = group(&svg, "expanded");
        assert_eq!(searched.matches("<path").count(), 3, "one for each of three intervals");
        let path = |color: &str, d: &str| format!("<path fill=\"{color}\" d=\"{d}\"/>");
        assert!(searched.contains(&path(RAMP[0], "M0 0h2v1h-2z")), "{searched}");
        assert!(searched.contains(&path(RAMP[13], "M4 1h1v1h-1z")));
        assert!(searched.contains(&path(RAMP[27], "M2 0h1v1h-1z")));
    }

    #[test]
    fn the_walk_is_straightened_and_waiting_does_not_break_it() {
        let grid = Grid::new(6, 3).unwrap();
        let walk = cells([(0, 0), (1, 0), (1, 0), (2, 0), (3, 1), (4, 2)]);
        let svg = svg(&Picture { walk: &walk, back: &[false; 5], ..bare(&grid) }, 100);
        let walked = group(&svg, "walk");
        assert_eq!(walked.matches("<path").count(), 2, "a casing and a line");
        assert_eq!(walked.matches('L').count(), 4, "one corner and the end, twice");
    }

    #[test]
    fn moves_walked_back_twice_are_drawn_once() {
        let grid = Grid::new(6, 3).unwrap();
        let [a, b, c, d, e] = cells([(0, 0), (1, 0), (2, 0), (3, 0), (2, 1)]);
        let walk = [a, b, c, d, c, b, c, b, a, b, e, b];
        let back = [0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1].map(|back| back == 1);
        let lines = back_lines(&Picture { walk: &walk, back: &back, ..bare(&grid) });
        let whole = BackLine { cells: vec![d, c, b, a], joins: false };
        let side = BackLine { cells: vec![e, b, a], joins: true };
        assert_eq!(lines, [whole, side]);
    }

    #[test]
    fn back_moves_in_a_circle_are_drawn_too() {
        let grid = Grid::new(2, 2).unwrap();
        let [a, b, c] = cells([(0, 0), (1, 0), (1, 1)]);
        let picture = Picture { walk: &[a, b, c, a, b], back: &[true; 4], ..bare(&grid) };
        assert_eq!(back_lines(&picture), [BackLine { cells: vec![a, b, c, a, b], joins: true }]);
        png(&svg(&picture, 8)).unwrap();
    }

    #[test]
    fn a_png_has_the_size_of_its_svg() {
        let grid = Grid::from_rows(["....", ".##."]).unwrap();
        let walk = cells([(0, 0), (1, 0), (2, 0), (1, 0)]);
        let picture = Picture {
            expanded: &[(walk[0], 1), (walk[1], 2)],
            walk: &walk,
            back: &[false, false, true],
            goal: Cell::new(3, 1),
            fog: &[Cell::new(3, 0)],
            caption: "tba, budget 50: cost 123.4 (optimal 110.2) in 131 intervals",
            ..bare(&grid)
        };
        let drawn = svg(&picture, 100);
        let (width, height) = header_size(&png(&drawn).unwrap());
        assert!(drawn.contains(&format!("width=\"{width}\" height=\"{height}\"")));
        assert_eq!(width, 456);
        assert_eq!(svg(&picture, 100), drawn);
        assert_eq!(png(&drawn).unwrap(), png(&drawn).unwrap());
    }

    #[test]
    fn odd_pictures_do_not_panic() {
        let far = Cell::new(u32::MAX, 9);
        for grid in [Grid::new(1, 1), Grid::new_blocked(1, 1), Grid::new(3, 200)] {
            let grid = grid.unwrap();
            let empty = bare(&grid);
            let here = empty.start;
            let one = Picture { walk: &[here], ..empty };
            let strange = Picture {
                expanded: &[(here, 0), (far, u64::MAX), (here, u64::MAX)],
                walk: &[here, here, far, here, here],
                back: &[true],
                start: far,
                goal: far,
                fog: &[far, here, here],
                caption: "<&>\u{0}\u{1b}\u{ffff} \"é\" \n a/very/long/name/that/has/no/space/to/break/at",
                ..empty
            };
            for picture in [empty, one, strange] {
                for cell_px in [0, 1, 3, 24] {
                    png(&svg(&picture, cell_px)).unwrap();
                }
            }
        }
    }

    #[test]
    fn too_large_pictures_and_other_text_are_errors() {
        let grid = Grid::new_blocked(500, 1000).unwrap();
        let error = png(&svg(&bare(&grid), 24)).unwrap_err();
        assert!(
            matches!(error, DrawError::TooLarge { width: 13_344, height: 24_000.. }),
            "{error}"
        );
        assert!(error.to_string().contains("13344 by 2"), "{error}");
        assert!(matches!(png("no picture"), Err(DrawError::NotSvg(_))));
    }

    #[test]
    fn cells_get_as_many_pixels_as_fit() {
        for (side, px) in [(1, 24), (40, 24), (128, 9), (512, 2), (1200, 1), (5000, 1)] {
            assert_eq!(default_cell_px(&Grid::new_blocked(3, side).unwrap()), px);
        }
    }

    #[test]
    fn captions_are_broken_between_words_and_long_words_within() {
        let width = text_width("two words", 10.0);
        assert_eq!(broken("one or two words", 10.0, width), ["one or", "two words"]);
        assert_eq!(broken("  ", 10.0, width), [""; 0]);
        assert_eq!(broken("abc", 10.0, 0.0), ["a", "b", "c"]);
    }

    #[test]
    fn every_letter_stays_in_its_box() {
        for c in ' '..='~' {
            assert_eq!(ALPHABET.iter().filter(|&&(other, ..)| other == c).count(), 1, "{c}");
        }
        for &(c, width, strokes) in ALPHABET.iter().filter(|(c, ..)| *c != ' ') {
            let svg = format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\"><path stroke=\"red\" d=\"{strokes}\"/></svg>"
            );
            let tree = usvg::Tree::from_str(&svg, &usvg::Options::default()).unwrap();
            let ink = tree.root().bounding_box();
            assert!(ink.left() >= -0.5 && f64::from(ink.right()) <= width + 0.5, "{c}: {ink:?}");
            assert!(ink.top() >= -8.5 && ink.bottom() <= 2.5, "{c}: {ink:?}");
        }
    }
}
