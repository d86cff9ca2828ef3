//! A panel: its frame, its numbers and its series.

use super::super::Point;
use super::super::lettering::broken;
use super::axis::{Range, Tick, Ticks};
use super::canvas::{Anchor, Canvas, SLACK, Tone, path_through, width};
use super::legend::Keys;
use super::{Chart, ChartPanel, ChartPoint, SeriesStyle};
use crate::draw::Px;

/// Sizes of text.
pub(super) const TITLE: f64 = 14.0;
pub(super) const TEXT: f64 = 13.0;
pub(super) const NUMBER: f64 = 12.0;

/// One panel alone is wider than one of several.
const WIDE: (f64, f64) = (460.0, 280.0);
const NARROW: (f64, f64) = (380.0, 230.0);

/// The most that the numbers of the vertical axis take of the width.
const NUMBERS: f64 = 0.4;

const RIGHT: f64 = 14.0;
const TITLE_LINE: f64 = 19.0;
const TEXT_LINE: f64 = 16.0;

/// Where everything is, the same in all panels of a chart.
pub(super) struct Layout<'a> {
    pub(super) chart: &'a Chart,
    pub(super) keys: Keys<'a>,
    pub(super) width: f64,
    pub(super) height: f64,
    left: f64,
    top: f64,
    plot: Point,
    y_name: Vec<String>,
    x_name: Vec<String>,
    pub(super) panels: Vec<Panel<'a>>,
}

pub(super) struct Panel<'a> {
    pub(super) panel: &'a ChartPanel,
    title: Vec<String>,
    pub(super) x: Range,
    pub(super) y: Range,
    x_ticks: Ticks,
    y_ticks: Ticks,
}

impl<'a> Layout<'a> {
    pub(super) fn new(chart: &'a Chart) -> Layout<'a> {
        let (width, plot_height) = if chart.panels.len() > 1 { NARROW } else { WIDE };
        let title = |panel: &ChartPanel| lines(&panel.title, TITLE, width);
        let ranges = |panel| (chart.range(panel, false), chart.range(panel, true));
        let mut panels: Vec<_> = chart
            .panels
            .iter()
            .map(|panel| {
                let (x, y) = ranges(panel);
                let y_ticks = ticks(&chart.y.ticks, &y, &|ticks| {
                    apart(ticks, |tick| {
                        let at = tick.place * plot_height;
                        (at - 0.75 * NUMBER, at + 0.75 * NUMBER)
                    })
                });
                Panel { panel, title: title(panel), x, y, x_ticks: Ticks::default(), y_ticks }
            })
            .collect();
        let numbers = panels.iter().flat_map(|panel| &panel.y_ticks.major);
        let numbers = numbers.map(|tick| self::width(&tick.label, NUMBER)).fold(18.0, f64::max);
        let left = numbers.min(NUMBERS * width) + 10.0;
        let plot = Point { x: width - left - RIGHT, y: plot_height };
        for panel in &mut panels {
            panel.x_ticks = ticks(&chart.x.ticks, &panel.x, &|ticks| {
                apart(ticks, |tick| {
                    let (label, middle) = place_label(tick, left, plot.x, width);
                    let half = self::width(&label, NUMBER) / 2.0 + 5.0;
                    (middle - half, middle + half)
                })
            });
        }
        let y_name = lines(&chart.y.name, NUMBER, width);
        let x_name = lines(&chart.x.name, NUMBER, plot.x);
        let titles = panels.iter().map(|panel| panel.title.len()).max().unwrap_or(0);
        let top = TITLE_LINE * titles as f64 + TEXT_LINE * y_name.len() as f64 + 15.0;
        let height = top + plot.y + 26.0 + TEXT_LINE * x_name.len() as f64;
        let keys = Keys::new(chart);
        Layout { chart, keys, width, height, left, top, plot, y_name, x_name, panels }
    }

    /// Draws a panel with its upper left corner at the origin.
    pub(super) fn draw(&self, canvas: &mut Canvas, nth: usize) {
        let Some(panel) = self.panels.get(nth) else { return };
        self.draw_frame(canvas, panel);
        self.draw_names(canvas, panel);
        let series = &panel.panel.series;
        let (paper, measured): (Vec<_>, Vec<_>) = series.iter().partition(|one| one.of_paper);
        let areas = paper.iter().chain(&measured);
        for series in areas.filter(|series| series.style != SeriesStyle::Points) {
            canvas.begin_tone(self.keys.tone(series));
            self.draw_bands(canvas, panel, series);
            canvas.end();
        }
        // The paper's are larger, and below: what is measured stays visible on top of them.
        for series in paper.iter().chain(&measured) {
            canvas.begin_tone(self.keys.tone(series));
            self.draw_series(canvas, panel, series);
            canvas.end();
        }
    }

    pub(super) fn across(&self, place: f64) -> f64 {
        self.left + self.plot.x * place
    }

    pub(super) fn up(&self, place: f64) -> f64 {
        self.top + self.plot.y * (1.0 - place)
    }

    fn draw_frame(&self, canvas: &mut Canvas, panel: &Panel<'_>) {
        let (left, right) = (self.across(0.0), self.across(1.0));
        let (bottom, top) = (self.up(0.0), self.up(1.0));
        let ground = canvas.page_class("pf");
        canvas.add(format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{ground} fill=\"#ffffff\"/>\n",
            Px(left),
            Px(top),
            Px(self.plot.x),
            Px(self.plot.y)
        ));
        let line = |from: (f64, f64), to: (f64, f64)| {
            path_through(&[Point { x: from.0, y: from.1 }, Point { x: to.0, y: to.1 }])
        };
        let upright = |place: f64| line((self.across(place), bottom), (self.across(place), top));
        let level = |place: f64| line((left, self.up(place)), (right, self.up(place)));
        let places = |ticks: &[Tick]| ticks.iter().map(|tick| tick.place).collect::<Vec<_>>();
        let grids = [
            (Tone::Faint, panel.x_ticks.minor.clone(), panel.y_ticks.minor.clone()),
            (Tone::Rule, places(&panel.x_ticks.major), places(&panel.y_ticks.major)),
        ];
        for (tone, x, y) in grids {
            let lines = x.into_iter().map(upright).chain(y.into_iter().map(level));
            let d: String = lines.collect();
            if !d.is_empty() {
                canvas.begin_tone(tone);
                canvas.path(&d, 1.0, "");
                canvas.end();
            }
        }
        canvas.begin_tone(Tone::Soft);
        canvas.path(&line((left, bottom), (right, bottom)), 1.2, "");
        if let Some(value) = self.chart.reference.filter(|&value| self.chart.y.scale.has(value)) {
            let d = level(panel.y.place(value));
            canvas.path(&d, 1.4, " stroke-dasharray=\"2 3\"");
        }
        canvas.end();
    }

    fn draw_names(&self, canvas: &mut Canvas, panel: &Panel<'_>) {
        let mut y = 0.0;
        for line in &panel.title {
            y += TITLE_LINE;
            canvas.title(line, Point { x: 0.0, y: y - 5.0 }, TITLE);
        }
        // Above the plot, not beside it: so it can be read, and needs no width. Titles of one panel may have fewer lines
        // than those of another, so it is placed from below.
        for (nth, line) in self.y_name.iter().rev().enumerate() {
            let at = Point { x: 0.0, y: self.top - 16.0 - TEXT_LINE * nth as f64 };
            canvas.text(line, at, NUMBER, Anchor::Start, Tone::Soft);
        }
        for tick in panel.y_ticks.major.iter().filter(|tick| !tick.label.is_empty()) {
            let label = fitted(&tick.label, NUMBER, NUMBERS * self.width);
            let at = Point { x: self.left - 8.0, y: self.up(tick.place) + 0.35 * NUMBER };
            canvas.text(&label, at, NUMBER, Anchor::End, Tone::Soft);
        }
        let bottom = self.up(0.0);
        for tick in panel.x_ticks.major.iter().filter(|tick| !tick.label.is_empty()) {
            let (label, x) = place_label(tick, self.left, self.plot.x, self.width);
            canvas.text(&label, Point { x, y: bottom + 18.0 }, NUMBER, Anchor::Middle, Tone::Soft);
        }
        for (nth, line) in self.x_name.iter().enumerate() {
            let y = bottom + 36.0 + TEXT_LINE * nth as f64;
            let at = Point { x: self.across(0.5), y };
            canvas.text(line, at, NUMBER, Anchor::Middle, Tone::Soft);
        }
    }
}

/// The lines of a text, which leave room for wider letters.
pub(super) fn lines(text: &str, size: f64, most: f64) -> Vec<String> {
    broken(text, size, most / SLACK)
}

/// A text that is cut where it would be too wide.
pub(super) fn fitted(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.into();
    }
    let mut cut = String::new();
    for c in text.chars() {
        if width(&format!("{cut}{c}.."), size) > most {
            break;
        }
        cut.push(c);
    }
    cut + ".."
}

/// The numbers of an axis, or the labels it is given.
fn ticks(given: &[(f64, String)], range: &Range, fits: &dyn Fn(&[Tick]) -> bool) -> Ticks {
    if given.is_empty() {
        return range.ticks(fits);
    }
    let mut major: Vec<Tick> = Vec::new();
    for (value, label) in given.iter().filter(|(value, _)| range.scale().has(*value)) {
        major.push(Tick { place: range.place(*value), label: label.clone() });
    }
    major.sort_by(|a, b| a.place.total_cmp(&b.place));
    // Each label that has room beside those before it. The others keep their lines.
    let mut shown: Vec<Tick> = Vec::new();
    for tick in &mut major {
        shown.push(tick.clone());
        if !fits(&shown) {
            shown.pop();
            tick.label.clear();
        }
    }
    Ticks { major, minor: Vec::new() }
}

/// What is written below a plot, and where its middle is: within the picture, also where it is wide.
fn place_label(tick: &Tick, left: f64, plot_width: f64, width: f64) -> (String, f64) {
    let label = fitted(&tick.label, NUMBER, width - 4.0);
    let half = self::width(&label, NUMBER) / 2.0;
    let middle = (left + plot_width * tick.place).min(width - half).max(half);
    (label, middle)
}

/// Whether labels with these ends have room beside each other.
fn apart(ticks: &[Tick], ends: impl Fn(&Tick) -> (f64, f64)) -> bool {
    ticks.windows(2).all(|pair| ends(&pair[0]).1 <= ends(&pair[1]).0)
}

impl Chart {
    /// Whether a point has a place on the axes.
    pub(super) fn shows(&self, point: &ChartPoint) -> bool {
        self.x.scale.has(point.x) && self.y.scale.has(point.y)
    }

    /// The range of an axis in this panel.
    fn range(&self, panel: &ChartPanel, vertical: bool) -> Range {
        let axis = if vertical { &self.y } else { &self.x };
        let panels: Vec<_> = if axis.shared { self.panels.iter().collect() } else { vec![panel] };
        let mut values = axis.includes.clone();
        values.extend(axis.ticks.iter().map(|&(value, _)| value));
        values.extend(self.reference.filter(|_| vertical));
        let points = panels.iter().flat_map(|panel| &panel.series).flat_map(|one| &one.points);
        for point in points.filter(|point| self.shows(point)) {
            values.push(if vertical { point.y } else { point.x });
            values.extend(point.ends().filter(|_| vertical).into_iter().flatten());
        }
        Range::new(axis.scale, values, axis.ticks.is_empty())
    }
}
