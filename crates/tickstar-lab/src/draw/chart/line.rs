//! Series in a panel: bands, lines and markers.

use super::super::{Point, Px};
use super::canvas::{Canvas, path_through};
use super::marker::draw_marker;
use super::panel::{Layout, Panel};
use super::{ChartPoint, ChartSeries, SeriesStyle};

impl Layout<'_> {
    /// Where a point is, if it has a place on the axes.
    fn spot(&self, panel: &Panel<'_>, point: &ChartPoint) -> Option<Point> {
        self.chart.shows(point).then(|| Point {
            x: self.across(panel.x.place(point.x)),
            y: self.up(panel.y.place(point.y)),
        })
    }

    /// The ends of a point's band, the upper one first.
    fn band(&self, panel: &Panel<'_>, point: &ChartPoint) -> Option<(Point, Point)> {
        let Point { x, .. } = self.spot(panel, point)?;
        let [low, high] = point.ends()?;
        let at = |value| Point { x, y: self.up(panel.y.place(value)) };
        Some((at(high), at(low)))
    }

    pub(super) fn draw_bands(&self, canvas: &mut Canvas, panel: &Panel<'_>, series: &ChartSeries) {
        let bands: Vec<_> = series.points.iter().map(|point| self.band(panel, point)).collect();
        for run in bands.split(Option::is_none).filter(|run| !run.is_empty()) {
            let run: Vec<_> = run.iter().flatten().copied().collect();
            if let [band] = run[..] {
                draw_bar(canvas, band);
                continue;
            }
            let highs = run.iter().map(|band| band.0);
            let around: Vec<_> = highs.chain(run.iter().rev().map(|band| band.1)).collect();
            canvas.add(format_args!(
                "<path d=\"{}Z\" fill=\"currentColor\" fill-opacity=\"0.17\"/>\n",
                path_through(&around)
            ));
        }
    }

    pub(super) fn draw_series(&self, canvas: &mut Canvas, panel: &Panel<'_>, series: &ChartSeries) {
        let spots: Vec<_> = series.points.iter().map(|point| self.spot(panel, point)).collect();
        if series.style == SeriesStyle::Points {
            for band in series.points.iter().filter_map(|point| self.band(panel, point)) {
                draw_bar(canvas, band);
            }
        } else {
            let dashes = stroke(series);
            for run in spots.split(Option::is_none).filter(|run| !run.is_empty()) {
                let run: Vec<_> = run.iter().flatten().copied().collect();
                match run[..] {
                    [_] if series.style == SeriesStyle::Line => {}
                    // A point alone would be invisible.
                    [at] => canvas.add(format_args!(
                        "<circle cx=\"{}\" cy=\"{}\" r=\"2.4\" fill=\"currentColor\"/>\n",
                        Px(at.x),
                        Px(at.y)
                    )),
                    _ => canvas.path(&path_through(&run), stroke_width(series), dashes),
                }
            }
        }
        if series.style.has_markers() {
            let shape = self.keys.shape(series);
            for (point, at) in series.points.iter().zip(&spots) {
                if let Some(at) = *at {
                    draw_marker(canvas, shape, at, series.of_paper, &self.tip(series, point));
                }
            }
        }
    }
}

/// An error bar.
fn draw_bar(canvas: &mut Canvas, (high, low): (Point, Point)) {
    let cap = |at: Point| {
        path_through(&[Point { x: at.x - 3.0, y: at.y }, Point { x: at.x + 3.0, y: at.y }])
    };
    let d = path_through(&[high, low]) + &cap(high) + &cap(low);
    canvas.path(&d, 1.3, "");
}

/// How the line of a series is broken.
pub(super) fn stroke(series: &ChartSeries) -> &'static str {
    match (series.of_paper, series.style) {
        (true, _) => " stroke-dasharray=\"2 3.5\" stroke-linecap=\"round\"",
        (false, SeriesStyle::Dashed) => " stroke-dasharray=\"7 4\" stroke-linejoin=\"round\"",
        (false, _) => " stroke-linejoin=\"round\"",
    }
}

pub(super) fn stroke_width(series: &ChartSeries) -> f64 {
    if series.of_paper { 1.5 } else { 2.0 }
}
