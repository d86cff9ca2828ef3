//! One picture of a whole chart: title, legend, panels, notes.

use super::super::Point;
use super::Chart;
use super::canvas::{Anchor, Canvas, Look, Tone};
use super::panel::{Layout, NUMBER, lines};

const MARGIN: f64 = 20.0;
const GAP: f64 = 26.0;
const HEADING: f64 = 17.0;
const HEADING_LINE: f64 = 24.0;
const NOTE_LINE: f64 = 17.0;

impl Chart {
    pub(super) fn whole(&self, look: Look, zoom: f64) -> String {
        let layout = Layout::new(self);
        let (columns, rows) =
            (self.columns() as f64, self.panels.len().div_ceil(self.columns()) as f64);
        let inner = columns * layout.width + (columns - 1.0) * GAP;
        let title = lines(&self.title, HEADING, inner);
        let notes: Vec<_> =
            self.notes().iter().flat_map(|note| lines(note, NUMBER, inner)).collect();
        let legend = layout.keys.height(inner);
        let legend_top = MARGIN + HEADING_LINE * title.len() as f64;
        let top = legend_top + legend + if legend > 0.0 { 12.0 } else { 0.0 };
        let bottom = top + rows * layout.height + (rows - 1.0).max(0.0) * GAP;
        let height = bottom + 12.0 + NOTE_LINE * notes.len() as f64 + 0.5 * MARGIN;
        let size = Point { x: inner + 2.0 * MARGIN, y: height.ceil() };
        let mut canvas = Canvas::begin(look, size, zoom, false);
        let panels = self.panels.iter().enumerate();
        let about = panels.map(|(nth, panel)| format!(" {}: {}.", panel.title, layout.about(nth)));
        canvas.about(&self.title, &(self.about_axes() + &about.collect::<String>()), false);
        for (nth, line) in title.iter().enumerate() {
            let at = Point { x: MARGIN, y: MARGIN + 13.0 + HEADING_LINE * nth as f64 };
            canvas.title(line, at, HEADING);
        }
        canvas.begin_at(Point { x: MARGIN, y: legend_top });
        layout.keys.draw(&mut canvas, inner);
        canvas.end();
        for nth in 0..self.panels.len() {
            let (column, row) = (nth % self.columns(), nth / self.columns());
            canvas.begin_at(Point {
                x: MARGIN + column as f64 * (layout.width + GAP),
                y: top + row as f64 * (layout.height + GAP),
            });
            layout.draw(&mut canvas, nth);
            canvas.end();
        }
        for (nth, line) in notes.iter().enumerate() {
            let at = Point { x: MARGIN, y: bottom + 22.0 + NOTE_LINE * nth as f64 };
            canvas.text(line, at, NUMBER, Anchor::Start, Tone::Soft);
        }
        canvas.finish()
    }
}
