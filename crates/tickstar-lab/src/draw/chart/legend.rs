//! Which color and marker each name has, and what the legend shows of it.

use super::super::Point;
use super::canvas::{Anchor, Canvas, Tone, path_through, width};
use super::line::{stroke, stroke_width};
use super::marker::draw_marker;
use super::panel::{TEXT, fitted};
use super::{Chart, ChartSeries, SeriesStyle};

/// The width of a sample of a series, and the height of a line of the legend.
const SAMPLE: f64 = 30.0;
pub(super) const LINE: f64 = 22.0;
const BETWEEN: f64 = 20.0;

/// The names of a chart, in order.
pub(super) struct Keys<'a> {
    keys: Vec<Key<'a>>,
    /// A printed series that has the color of a measured one, if there is any.
    printed: Option<&'a ChartSeries>,
}

struct Key<'a> {
    series: &'a ChartSeries,
    tone: Tone,
}

impl<'a> Keys<'a> {
    pub(super) fn new(chart: &'a Chart) -> Keys<'a> {
        let all = || chart.panels.iter().flat_map(|panel| &panel.series);
        let measured = all().any(|series| !series.of_paper);
        let mut keys: Vec<Key<'a>> = Vec::new();
        for of_paper in [false, true] {
            for series in all().filter(|series| series.of_paper == of_paper) {
                if keys.iter().all(|key| key.series.name != series.name) {
                    let own = !(of_paper && measured);
                    let tone = if own { Tone::Series(keys.len()) } else { Tone::Soft };
                    keys.push(Key { series, tone });
                }
            }
        }
        let twice = |series: &&ChartSeries| {
            let same = |key: &Key<'_>| key.series.name == series.name && !key.series.of_paper;
            series.of_paper && keys.iter().any(same)
        };
        let printed = all().find(twice);
        Keys { keys, printed }
    }

    fn place(&self, series: &ChartSeries) -> usize {
        self.keys.iter().position(|key| key.series.name == series.name).unwrap_or(0)
    }

    pub(super) fn tone(&self, series: &ChartSeries) -> Tone {
        self.keys.get(self.place(series)).map_or(Tone::Ink, |key| key.tone)
    }

    /// Which marker a series has. After each eight, colors and shapes are combined differently.
    pub(super) fn shape(&self, series: &ChartSeries) -> usize {
        let nth = self.place(series);
        nth + nth / 8
    }

    /// What the legend has: a name, a series to draw, its color and shape.
    fn entries(&self) -> Vec<(&'a str, &'a ChartSeries, Tone, usize)> {
        let named = self.keys.iter().filter(|key| !key.series.name.is_empty());
        let own = named
            .map(|key| (key.series.name.as_str(), key.series, key.tone, self.shape(key.series)));
        let printed = self.printed.map(|series| ("printed in the paper", series, Tone::Soft, 0));
        own.chain(printed).collect()
    }

    /// The places of entries in lines of this width, and the height of all.
    fn places(&self, most: f64) -> (Vec<Point>, f64) {
        let (mut at, mut places) = (Point { x: 0.0, y: 0.0 }, Vec::new());
        for (name, ..) in self.entries() {
            let length = (SAMPLE + 6.0 + width(name, TEXT)).min(most);
            if at.x > 0.0 && at.x + length > most {
                at = Point { x: 0.0, y: at.y + LINE };
            }
            places.push(at);
            at.x += length + BETWEEN;
        }
        let height = if places.is_empty() { 0.0 } else { at.y + LINE };
        (places, height)
    }

    pub(super) fn height(&self, most: f64) -> f64 {
        self.places(most).1
    }

    /// Draws the legend with its upper left corner at the origin.
    pub(super) fn draw(&self, canvas: &mut Canvas, most: f64) {
        let (places, _) = self.places(most);
        for ((name, series, tone, shape), at) in self.entries().into_iter().zip(places) {
            draw_sample(canvas, series, tone, shape, Point { x: at.x, y: at.y + LINE / 2.0 });
            let name = fitted(name, TEXT, most - SAMPLE - 6.0);
            let at = Point { x: at.x + SAMPLE + 6.0, y: at.y + LINE / 2.0 + 0.35 * TEXT };
            canvas.text(&name, at, TEXT, Anchor::Start, Tone::Ink);
        }
    }

    /// Each entry for a page: a picture of its own, and its name.
    pub(super) fn samples(&self) -> Vec<(String, &'a str)> {
        let sample = |(name, series, tone, shape)| {
            let size = Point { x: SAMPLE, y: 14.0 };
            let mut canvas = Canvas::sample(size);
            draw_sample(&mut canvas, series, tone, shape, Point { x: 0.0, y: 7.0 });
            (canvas.finish(), name)
        };
        self.entries().into_iter().map(sample).collect()
    }
}

/// A short piece of a line with its marker.
fn draw_sample(canvas: &mut Canvas, series: &ChartSeries, tone: Tone, shape: usize, at: Point) {
    canvas.begin_tone(tone);
    if series.style != SeriesStyle::Points {
        let to = Point { x: at.x + SAMPLE - 2.0, y: at.y };
        let d = path_through(&[Point { x: at.x + 2.0, y: at.y }, to]);
        canvas.path(&d, stroke_width(series), stroke(series));
    }
    if series.style.has_markers() {
        let middle = Point { x: at.x + SAMPLE / 2.0, y: at.y };
        draw_marker(canvas, shape, middle, series.of_paper, "");
    }
    canvas.end();
}
