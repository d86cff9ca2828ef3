//! The layout of a picture: panels, legend and caption.

use tickstar::Cell;

use super::cells::Scale;
use super::legend::LegendItem;
use super::lettering::{broken, draw_text};
use super::{INK, Page, Point, SOFT_INK, Scene};

pub(super) const CAPTION_SIZE: f64 = 17.0;
const TITLE_SIZE: f64 = 16.0;

/// The layout of one panel. Sizes of lines and marks are multiples of `unit`, so that they keep their
/// proportions at any picture size.
pub(super) struct Frame {
    pub(super) cell: f64,
    pub(super) unit: f64,
    pub(super) map: Point,
    pub(super) map_width: f64,
    pub(super) map_height: f64,
    title: Vec<(String, Point)>,
}

impl Frame {
    pub(super) fn centre(&self, cell: Cell) -> Point {
        Point {
            x: self.map.x + (f64::from(cell.x) + 0.5) * self.cell,
            y: self.map.y + (f64::from(cell.y) + 0.5) * self.cell,
        }
    }

    /// The corner of the map at the bottom right.
    pub(super) fn corner(&self) -> Point {
        Point { x: self.map.x + self.map_width, y: self.map.y + self.map_height }
    }

    /// The width of the walked line.
    pub(super) fn line(&self) -> f64 {
        (self.cell * 0.2).clamp(3.4 * self.unit, 4.4 * self.unit)
    }

    /// The radius of the marks.
    pub(super) fn mark(&self) -> f64 {
        (self.cell * 0.5).clamp(9.5 * self.unit, 12.0 * self.unit)
    }
}

/// The layout of the picture. Sizes of lettering and margins are multiples of `unit`.
pub(super) struct Sheet {
    pub(super) unit: f64,
    pub(super) frames: Vec<Frame>,
    pub(super) legend: Vec<(LegendItem, Point)>,
    caption: Vec<(String, Point)>,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Sheet {
    /// The layout of these scenes, all of maps of about one size, side by side.
    pub(super) fn new(scenes: &[Scene], caption: &str, cell_px: u32, scale: &Scale) -> Sheet {
        let cell = f64::from(cell_px.max(1));
        let side = |length: fn(&Scene) -> u32| {
            cell * f64::from(scenes.iter().map(length).max().unwrap_or(1))
        };
        let map_width = side(|scene| scene.grid.width());
        let map_height = side(|scene| scene.grid.height());
        let columns = match scenes.len() {
            2 | 3 if map_width > 2.0 * map_height => 1,
            0..=3 => scenes.len().max(1),
            4 => 2,
            _ => 3,
        };
        let rows = scenes.len().div_ceil(columns).max(1);
        let longer = (map_width * columns as f64).max(map_height * rows as f64);
        let unit = (longer / 1000.0).max(1.0);
        // Lines follow the size of a panel, but not all the way: a wide picture will be shown smaller.
        let alone = (map_width.max(map_height) / 1000.0).max(1.0);
        let pen = (unit * alone).sqrt();
        // Whole pixels, so that cells have sharp edges.
        let margin = (28.0 * unit).round();
        let least = if columns == 1 { 360.0 } else { 240.0 } * unit;
        let column = map_width.max(least).ceil();
        let content = column * columns as f64 + margin * (columns - 1) as f64;
        let lines_of = |scene: &Scene| -> Vec<String> {
            let lines = scene.title.lines();
            let lines = lines.flat_map(|line| broken(line, TITLE_SIZE * unit, column));
            // A separator is not needed where a line is broken.
            lines.map(|line| line.trim_end_matches(" ·").to_string()).collect()
        };
        let titles: Vec<_> = scenes.iter().map(lines_of).collect();
        let lines = titles.iter().map(Vec::len).max().unwrap_or(0);
        let title_line = (23.0 * unit).round();
        let title_height = if lines > 0 { title_line * lines as f64 } else { 0.0 };
        let row = title_height + map_height + margin;
        let mut frames = Vec::new();
        for (nth, title) in titles.into_iter().enumerate() {
            let left = margin + (column + margin) * (nth % columns) as f64;
            let top = margin + row * (nth / columns) as f64;
            let x = left + ((column - map_width) / 2.0).floor();
            // The last line of each title is right above its map.
            let first = top + title_line * (lines - title.len()) as f64 + 12.0 * unit;
            let place = |i: usize| Point { x: left, y: first + title_line * i as f64 };
            let title = title.into_iter().enumerate().map(|(i, line)| (line, place(i))).collect();
            let map = Point { x, y: top + title_height };
            frames.push(Frame { cell, unit: pen, map, map_width, map_height, title });
        }
        let mut sheet = Sheet {
            unit,
            frames,
            legend: Vec::new(),
            caption: Vec::new(),
            width: content + 2.0 * margin,
            height: 0.0,
        };
        let mut bottom = row * rows as f64;
        bottom = sheet.place_legend(margin, bottom, content, LegendItem::of(scenes, scale));
        bottom = sheet.place_caption(caption, margin, bottom, content);
        sheet.height = (bottom + margin).ceil();
        sheet
    }

    /// Lays out the legend below `top`, in as many rows as it needs; returns its lowest point.
    fn place_legend(&mut self, left: f64, top: f64, content: f64, items: Vec<LegendItem>) -> f64 {
        let mut at = Point { x: left, y: top + 34.0 * self.unit };
        let mut below = 0.0_f64;
        for item in items {
            let width = item.width() * self.unit;
            if at.x > left && at.x + width > left + content {
                at = Point { x: left, y: at.y + below + 28.0 * self.unit };
                below = 0.0;
            }
            below = below.max(item.below() * self.unit);
            self.legend.push((item, at));
            at.x += width + 24.0 * self.unit;
        }
        at.y + below
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

    pub(super) fn draw_text(&self, page: &mut Page) {
        page.add(format_args!("<g id=\"caption\">\n"));
        for (line, at) in &self.caption {
            draw_text(page, line, *at, CAPTION_SIZE * self.unit, INK);
        }
        for (line, at) in self.frames.iter().flat_map(|frame| &frame.title) {
            draw_text(page, line, *at, TITLE_SIZE * self.unit, SOFT_INK);
        }
        page.add(format_args!("</g>\n"));
    }
}
