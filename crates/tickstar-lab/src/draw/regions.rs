//! The regions of a picture, for agents that plan on them: their borders, which of them a search expanded, and its tree.

use std::collections::BTreeSet;

use tickstar::Cell;
use tickstar::regions::{RegionId, Regions};

use super::cells::{Runs, Scale, draw_area};
use super::frame::Frame;
use super::{INK, Page, Point, Px, Scene};

/// The color of borders, and the ground of regions that were expanded: of another hue than the
/// ramp.
const BORDER: &str = "#c3c8d6";
/// The color of the tree.
const TREE: &str = "#8f7fc4";
pub(super) const GROUND: &str = "#efebf7";
/// Half the side of the square that marks an expanded region: in units, and at most so many cells, so that squares do
/// not touch where cells are small.
pub(super) const HALF: f64 = 5.0;
const MOST_CELLS: f64 = 2.5;

/// The cell of a region that is nearest to the mean of its cells; `None` if there is no such region.
pub(crate) fn middle(regions: &Regions, region: RegionId) -> Option<Cell> {
    let (mut x, mut y, mut count) = (0, 0, 0);
    for cell in regions.cells(region) {
        (x, y, count) = (x + i64::from(cell.x), y + i64::from(cell.y), count + 1);
    }
    // Distances are multiplied by the number of cells, so that they are whole numbers.
    regions.cells(region).min_by_key(|cell| {
        let (dx, dy) = (i64::from(cell.x) * count - x, i64::from(cell.y) * count - y);
        dx * dx + dy * dy
    })
}

/// Draws the ground of the picture, in a group in which a cell has side one and `cell` pixels.
pub(super) fn draw_ground(page: &mut Page, scene: &Scene, cell: f64) {
    let Some(regions) = &scene.regions else { return };
    page.add(format_args!("<g id=\"ground\">\n"));
    let mut runs = Runs::default();
    let expanded = scene.expanded_regions.iter().filter_map(|&(cell, _)| regions.at(cell));
    // Each once, however often it was expanded.
    let expanded: BTreeSet<RegionId> = expanded.collect();
    for cell in expanded.into_iter().flat_map(|id| regions.cells(id)) {
        runs.push(cell.x, cell.y);
    }
    draw_area(page, GROUND, &runs.finish());
    draw_borders(page, scene, regions, cell);
    page.add(format_args!("</g>\n"));
}

/// Draws the borders between regions.
fn draw_borders(page: &mut Page, scene: &Scene, regions: &Regions, cell: f64) {
    let (width, height) = (scene.grid.width(), scene.grid.height());
    let divides = |a: Cell, b: Cell| {
        let (a, b) = (regions.at(a), regions.at(b));
        a.is_some() && b.is_some() && a != b
    };
    page.add(format_args!(
        "<path id=\"borders\" fill=\"none\" stroke=\"{BORDER}\" stroke-width=\"{}\" d=\"",
        1.0 / cell
    ));
    // Offset by half a pixel, so that a line covers one pixel and not two halves.
    let half = 0.5 / cell;
    for x in 1..width {
        let is_border = |y: u32| divides(Cell::new(x - 1, y), Cell::new(x, y));
        for (first, end) in stretches(height, is_border) {
            page.add(format_args!("M{} {first}V{end}", f64::from(x) - half));
        }
    }
    for y in 1..height {
        let is_border = |x: u32| divides(Cell::new(x, y - 1), Cell::new(x, y));
        for (first, end) in stretches(width, is_border) {
            page.add(format_args!("M{first} {}H{end}", f64::from(y) - half));
        }
    }
    page.add(format_args!("\"/>\n"));
}

/// The longest ranges of numbers below `end` for all of which something holds.
fn stretches(end: u32, holds: impl Fn(u32) -> bool) -> Vec<(u32, u32)> {
    let mut found: Vec<(u32, u32)> = Vec::new();
    for number in (0..end).filter(|&number| holds(number)) {
        match found.last_mut() {
            Some(last) if last.1 == number => last.1 += 1,
            _ => found.push((number, number + 1)),
        }
    }
    found
}

/// Draws the tree of the search, and a square in each region that was expanded.
pub(super) fn draw_regions(page: &mut Page, scene: &Scene, frame: &Frame, scale: &Scale) {
    if scene.expanded_regions.is_empty() {
        return;
    }
    page.add(format_args!("<g id=\"regions\">\n"));
    if !scene.region_tree.is_empty() {
        let width = Px((1.2 * frame.unit).min(0.4 * frame.cell));
        page.add(format_args!(
            "<path id=\"tree\" fill=\"none\" stroke=\"{TREE}\" stroke-width=\"{width}\" d=\""
        ));
        for &(from, to) in &scene.region_tree {
            let (from, to) = (frame.centre(from), frame.centre(to));
            page.add(format_args!("M{} {}L{} {}", Px(from.x), Px(from.y), Px(to.x), Px(to.y)));
        }
        page.add(format_args!("\"/>\n"));
    }
    let half = (HALF * frame.unit).min(MOST_CELLS * frame.cell);
    for &(cell, interval) in &scene.expanded_regions {
        draw_expanded(page, frame.centre(cell), scale.color(interval), half);
    }
    page.add(format_args!("</g>\n"));
}

/// A square in the color of a tick.
pub(super) fn draw_expanded(page: &mut Page, at: Point, color: &str, half: f64) {
    page.add(format_args!(
        "<rect x=\"{}\" y=\"{}\" width=\"{2}\" height=\"{2}\" fill=\"{color}\" stroke=\"{INK}\" \
         stroke-width=\"{3}\"/>\n",
        Px(at.x - half),
        Px(at.y - half),
        Px(2.0 * half),
        Px(0.24 * half)
    ));
}

/// The sample of borders in the legend: the corner of four tiles.
pub(super) fn draw_border_sample(page: &mut Page, at: Point, half: f64, unit: f64) {
    let (left, top, side) = (Px(at.x - half), Px(at.y - half), Px(2.0 * half));
    page.add(format_args!(
        "<path fill=\"none\" stroke=\"{BORDER}\" stroke-width=\"{}\" \
         d=\"M{left} {}h{side}M{} {top}v{side}\"/>\n",
        Px(1.5 * unit),
        Px(at.y),
        Px(at.x)
    ));
}
