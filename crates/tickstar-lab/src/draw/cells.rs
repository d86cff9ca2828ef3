//! The map of a picture: walls, searched cells, changes of the map, and fog.

use std::fmt::Write;

use tickstar::{Cell, Grid};

use super::frame::Frame;
use super::regions::draw_ground;
use super::terrain::draw_terrain;
use super::{FREE, INK, Page, RAMP, Scene, WALL};

/// Cells of at least this many pixels have lines between them.
const MESH_FROM: f64 = 12.0;

/// Cells that were blocked during the run, and those that were freed.
pub(super) const BLOCKED: &str = "#a4532c";
pub(super) const FREED: &str = "#f7cdb4";
pub(super) const VEIL: &str = "#ccd3dc";
pub(super) const VEIL_OPACITY: f64 = 0.7;

/// The intervals in which anything was expanded, in any of the scenes: the scale of the ramp.
pub(super) struct Scale(Vec<u64>);

impl Scale {
    pub(super) fn new(scenes: &[Scene]) -> Scale {
        let each = scenes.iter().flat_map(|scene| [&scene.expanded, &scene.expanded_regions]);
        let all = each.flatten();
        let mut intervals: Vec<u64> = all.map(|&(_, interval)| interval).collect();
        intervals.sort_unstable();
        intervals.dedup();
        Scale(intervals)
    }

    /// The place of an interval on the ramp.
    fn step(&self, interval: u64) -> usize {
        let last = self.0.len().saturating_sub(1).max(1);
        let rank = self.0.partition_point(|&other| other < interval);
        rank * (RAMP.len() - 1) / last
    }

    /// The color of an interval.
    pub(super) fn color(&self, interval: u64) -> &'static str {
        RAMP[self.step(interval)]
    }

    /// The intervals to be written beside the ramp, each with its place from 0 to 1.
    pub(super) fn numbers(&self) -> Vec<(u64, f64)> {
        let count = self.0.len();
        let ranks = match count {
            0 => vec![],
            1 => vec![0],
            2..=4 => vec![0, count - 1],
            _ => vec![0, count / 2, count - 1],
        };
        let place = |rank: usize| rank as f64 / (count - 1).max(1) as f64;
        ranks.into_iter().map(|rank| (self.0[rank], place(rank))).collect()
    }
}

/// Draws regions, searched cells, walls, changes, fog and grid lines.
pub(super) fn draw_cells(page: &mut Page, scene: &Scene, frame: &Frame, scale: &Scale) {
    let (grid, cell) = (&scene.grid, frame.cell);
    let (width, height) = (grid.width(), grid.height());
    page.add(format_args!(
        "<g transform=\"translate({} {}) scale({cell})\" shape-rendering=\"crispEdges\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{FREE}\"/>\n",
        frame.map.x, frame.map.y
    ));
    draw_ground(page, scene, cell);
    page.add(format_args!("<g id=\"expanded\">\n"));
    for (color, path) in RAMP.iter().zip(expanded_paths(scene, scale)) {
        draw_area(page, color, &path);
    }
    page.add(format_args!("</g>\n"));
    let (freed, blocked): (Vec<_>, Vec<_>) =
        in_rows(grid, &scene.changed).into_iter().partition(|&cell| grid.is_free(cell));
    draw_area(page, FREED, &area_of(&freed));
    draw_terrain(page, grid);
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
    draw_area(page, BLOCKED, &area_of(&blocked));
    page.add(format_args!("</g>\n<g id=\"fog\" fill-opacity=\"{VEIL_OPACITY}\">\n"));
    draw_area(page, VEIL, &area_of(&in_rows(grid, &scene.fog)));
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

pub(super) fn draw_area(page: &mut Page, color: &str, path: &str) {
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
fn expanded_paths(scene: &Scene, scale: &Scale) -> Vec<String> {
    let inside = scene.expanded.iter().filter(|(cell, _)| scene.grid.is_inside(*cell));
    let mut cells: Vec<(u32, u32, usize)> =
        inside.map(|&(cell, interval)| (cell.y, cell.x, scale.step(interval))).collect();
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

/// Path data of cells given row by row.
fn area_of(cells: &[Cell]) -> String {
    let mut runs = Runs::default();
    for cell in cells {
        runs.push(cell.x, cell.y);
    }
    runs.finish()
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
pub(super) struct Runs {
    path: String,
    /// Column, row and length of the run that may still grow; none if the length is zero.
    open: (u32, u32, u32),
}

impl Runs {
    pub(super) fn push(&mut self, x: u32, y: u32) {
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

    pub(super) fn finish(mut self) -> String {
        self.close();
        self.path
    }
}
