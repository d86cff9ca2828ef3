//! Plots of measurements: bars, and panels of lines.

use super::lettering::{draw_text, text_width};
use super::{INK, Page, Point, Px, SOFT_INK};

const TITLE_SIZE: f64 = 17.0;
const LABEL_SIZE: f64 = 14.0;
const NUMBER_SIZE: f64 = 12.0;
const MARGIN: f64 = 28.0;
const RULE: &str = "#d5dae2";

/// Colors that can be told apart with any kind of color vision (Okabe and Ito).
const COLORS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#1b2430", "#8a8f98"];

/// How values are placed along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// From zero, in proportion.
    Linear,
    /// In proportion to the logarithm: values are positive.
    Log,
}

/// An axis with the range of its values.
struct Axis {
    scale: Scale,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis that has room for these values.
    fn new(scale: Scale, values: impl Iterator<Item = f64>) -> Axis {
        let fit = |value: &f64| value.is_finite() && (scale == Scale::Linear || *value > 0.0);
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for value in values.filter(fit) {
            least = least.min(value);
            most = most.max(value);
        }
        match scale {
            Scale::Linear => {
                Axis { scale, from: 0.0, to: if most > 0.0 { 1.08 * most } else { 1.0 } }
            }
            Scale::Log if most > 0.0 => {
                // A little more on both sides, and a decade at least.
                let (from, to) = (least / 1.3, (most * 1.3).max(least * 10.0));
                Axis { scale, from, to }
            }
            Scale::Log => Axis { scale, from: 1.0, to: 10.0 },
        }
    }

    /// Where a value is, from 0 to 1.
    fn place(&self, value: f64) -> f64 {
        let place = match self.scale {
            Scale::Linear => value / self.to,
            Scale::Log => (value / self.from).ln() / (self.to / self.from).ln(),
        };
        place.clamp(0.0, 1.0)
    }

    /// The values that have a line of their own.
    fn marks(&self) -> Vec<f64> {
        let decades = (-9..=12).map(|power| 10.0_f64.powi(power));
        match self.scale {
            Scale::Linear => {
                let steps = decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|digit| digit * decade));
                let step = steps.into_iter().find(|step| self.to / step <= 6.0).unwrap_or(self.to);
                (0..=6).map(|nth| f64::from(nth) * step).filter(|&mark| mark <= self.to).collect()
            }
            Scale::Log => {
                let digits: &[f64] =
                    if self.to / self.from > 200.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
                let all = decades.flat_map(|decade| digits.iter().map(move |digit| digit * decade));
                all.filter(|mark| (self.from..=self.to).contains(mark)).collect()
            }
        }
    }
}

/// A number with the digits that matter.
fn number(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => trimmed(&format!("{value:.1}")),
        value if value >= 1.0 => trimmed(&format!("{value:.2}")),
        0.0 => "0".into(),
        value => {
            // Two digits after the zeros.
            let digits = (1 - value.abs().log10().floor() as i32).clamp(2, 12) as usize;
            trimmed(&format!("{value:.digits$}"))
        }
    }
}

/// A number with decimals, without zeros at its end.
fn trimmed(number: &str) -> String {
    number.trim_end_matches('0').trim_end_matches('.').into()
}

fn line(page: &mut Page, from: Point, to: Point, color: &str, width: f64) {
    page.add(format_args!(
        "<path d=\"M{} {}L{} {}\" stroke=\"{color}\" stroke-width=\"{width}\" fill=\"none\"/>\n",
        Px(from.x),
        Px(from.y),
        Px(to.x),
        Px(to.y)
    ));
}

/// Named values as bars below each other, on a logarithmic scale. `axis` says what the values are.
pub fn bars_svg(title: &str, axis: &str, bars: &[(String, f64)]) -> String {
    const BAR: f64 = 20.0;
    const STEP: f64 = 32.0;
    const LENGTH: f64 = 560.0;
    let names = bars.iter().map(|(name, _)| text_width(name, LABEL_SIZE)).fold(0.0, f64::max);
    let left = MARGIN + names + 14.0;
    let top = MARGIN + 46.0;
    let bottom = top + STEP * bars.len() as f64;
    let (width, height) = (left + LENGTH + 80.0 + MARGIN, bottom + 34.0 + MARGIN);
    let mut page = Page::begin(width.ceil(), height.ceil(), title);
    draw_text(&mut page, title, Point { x: MARGIN, y: MARGIN + 14.0 }, TITLE_SIZE, INK);
    let scale = Axis::new(Scale::Log, bars.iter().map(|&(_, value)| value));
    for mark in scale.marks() {
        let x = left + LENGTH * scale.place(mark);
        line(&mut page, Point { x, y: top }, Point { x, y: bottom }, RULE, 1.0);
        let text = number(mark);
        let half = text_width(&text, NUMBER_SIZE) / 2.0;
        let at = Point { x: x - half, y: bottom + 18.0 };
        draw_text(&mut page, &text, at, NUMBER_SIZE, SOFT_INK);
    }
    draw_text(&mut page, axis, Point { x: left, y: bottom + 38.0 }, NUMBER_SIZE, SOFT_INK);
    for (nth, (name, value)) in bars.iter().enumerate() {
        let y = top + STEP * nth as f64 + (STEP - BAR) / 2.0;
        let baseline = y + BAR / 2.0 + 0.35 * LABEL_SIZE;
        let x = left - 10.0 - text_width(name, LABEL_SIZE);
        draw_text(&mut page, name, Point { x, y: baseline }, LABEL_SIZE, INK);
        let length = (LENGTH * scale.place(*value)).max(1.0);
        page.add(format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{BAR}\" fill=\"{}\"/>\n",
            Px(left),
            Px(y),
            Px(length),
            COLORS[0]
        ));
        let at = Point { x: left + length + 8.0, y: baseline };
        draw_text(&mut page, &number(*value), at, NUMBER_SIZE, INK);
    }
    page.finish()
}

/// A line of a panel: a value, or none, for each place of the horizontal axis.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// Its name in the legend. Series of one name have one color in all panels.
    pub name: String,
    /// Its values.
    pub values: Vec<Option<f64>>,
}

/// One of several plots with common axes.
#[derive(Clone, PartialEq, Debug)]
pub struct Panel {
    /// What it shows.
    pub title: String,
    /// The lines.
    pub series: Vec<Series>,
}

/// What the axes of panels show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Axes<'a> {
    /// The places of the horizontal axis.
    pub places: &'a [String],
    /// What the places are.
    pub across: &'a str,
    /// What the values are.
    pub up: &'a str,
    /// How the values are placed.
    pub scale: Scale,
    /// Whether all panels have one vertical axis.
    pub shared: bool,
}

const PANEL_WIDTH: f64 = 300.0;
const PANEL_HEIGHT: f64 = 200.0;

/// Panels of lines, in rows of `columns`, with one legend below.
pub fn lines_svg(title: &str, axes: Axes<'_>, panels: &[Panel], columns: usize) -> String {
    let columns = columns.clamp(1, panels.len().max(1));
    let rows = panels.len().div_ceil(columns).max(1);
    let (across, down) = (PANEL_WIDTH + 70.0, PANEL_HEIGHT + 78.0);
    let width = 2.0 * MARGIN + across * columns as f64;
    let top = MARGIN + 64.0;
    let mut names: Vec<&str> = Vec::new();
    for series in panels.iter().flat_map(|panel| &panel.series) {
        if !names.contains(&series.name.as_str()) {
            names.push(&series.name);
        }
    }
    // The legend, in as many lines as it needs.
    let (mut at, mut legend) = (Point { x: MARGIN, y: top + down * rows as f64 }, Vec::new());
    for &name in &names {
        let length = 34.0 + text_width(name, LABEL_SIZE) + 22.0;
        if at.x > MARGIN && at.x + length > width - MARGIN {
            at = Point { x: MARGIN, y: at.y + 24.0 };
        }
        legend.push((name, at));
        at.x += length;
    }
    let mut page = Page::begin(width.ceil(), (at.y + MARGIN).ceil(), title);
    draw_text(&mut page, title, Point { x: MARGIN, y: MARGIN + 14.0 }, TITLE_SIZE, INK);
    let about = format!("{} · {}", axes.up, axes.across);
    draw_text(&mut page, &about, Point { x: MARGIN, y: MARGIN + 38.0 }, NUMBER_SIZE, SOFT_INK);
    let all = || panels.iter();
    for (nth, panel) in panels.iter().enumerate() {
        let (column, row) = ((nth % columns) as f64, (nth / columns) as f64);
        let corner = Point { x: MARGIN + 48.0 + across * column, y: top + 24.0 + down * row };
        let values = |panel: &Panel| -> Vec<f64> {
            panel.series.iter().flat_map(|series| series.values.iter().flatten().copied()).collect()
        };
        let scale = if axes.shared {
            Axis::new(axes.scale, all().flat_map(values))
        } else {
            Axis::new(axes.scale, values(panel).into_iter())
        };
        draw_panel(&mut page, panel, &axes, &scale, corner, &names);
    }
    for (name, at) in legend {
        let color = color(&names, name);
        let y = at.y - 0.3 * LABEL_SIZE;
        line(&mut page, Point { x: at.x, y }, Point { x: at.x + 26.0, y }, color, 2.5);
        draw_text(&mut page, name, Point { x: at.x + 34.0, y: at.y }, LABEL_SIZE, INK);
    }
    page.finish()
}

fn color(names: &[&str], name: &str) -> &'static str {
    let nth = names.iter().position(|other| *other == name).unwrap_or(0);
    COLORS[nth % COLORS.len()]
}

fn draw_panel(
    page: &mut Page,
    panel: &Panel,
    axes: &Axes<'_>,
    scale: &Axis,
    corner: Point,
    names: &[&str],
) {
    let bottom = corner.y + PANEL_HEIGHT;
    let title = Point { x: corner.x, y: corner.y - 10.0 };
    draw_text(page, &panel.title, title, LABEL_SIZE, INK);
    for mark in scale.marks() {
        let y = bottom - PANEL_HEIGHT * scale.place(mark);
        line(page, Point { x: corner.x, y }, Point { x: corner.x + PANEL_WIDTH, y }, RULE, 1.0);
        let text = number(mark);
        let x = corner.x - 8.0 - text_width(&text, NUMBER_SIZE);
        draw_text(page, &text, Point { x, y: y + 0.35 * NUMBER_SIZE }, NUMBER_SIZE, SOFT_INK);
    }
    let step = PANEL_WIDTH / axes.places.len().max(1) as f64;
    let x = |nth: usize| corner.x + step * (nth as f64 + 0.5);
    let mut end = f64::NEG_INFINITY;
    for (nth, place) in axes.places.iter().enumerate() {
        let half = text_width(place, NUMBER_SIZE) / 2.0;
        if x(nth) - half > end {
            let at = Point { x: x(nth) - half, y: bottom + 18.0 };
            draw_text(page, place, at, NUMBER_SIZE, SOFT_INK);
            end = x(nth) + half + 2.0;
        }
    }
    for series in &panel.series {
        let color = color(names, &series.name);
        let mut last: Option<Point> = None;
        for (nth, value) in series.values.iter().enumerate() {
            let place = |value| Point { x: x(nth), y: bottom - PANEL_HEIGHT * scale.place(value) };
            let point = value.map(place);
            if let (Some(from), Some(to)) = (last, point) {
                line(page, from, to, color, 2.0);
            }
            if let Some(Point { x, y }) = point {
                page.add(format_args!(
                    "<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"{color}\"/>\n",
                    Px(x),
                    Px(y)
                ));
            }
            last = point;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::png;

    #[test]
    fn numbers_have_the_digits_that_matter() {
        let shown = [0.0, 0.000_123_4, 0.0336, 0.336, 1.0, 1.45, 14.52, 20.0, 1234.5].map(number);
        assert_eq!(shown, ["0", "0.00012", "0.034", "0.34", "1", "1.45", "14.5", "20", "1234"]);
    }

    #[test]
    fn marks_are_round_and_on_the_axis() {
        let marks = |scale, values: &[f64]| Axis::new(scale, values.iter().copied()).marks();
        assert_eq!(marks(Scale::Linear, &[3.0, 54.0]), [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]);
        assert_eq!(marks(Scale::Log, &[0.9, 2.0]), [1.0, 2.0, 5.0]);
        assert_eq!(marks(Scale::Log, &[0.02, 900.0]), [0.1, 1.0, 10.0, 100.0, 1000.0]);
        for strange in [&[][..], &[0.0], &[f64::NAN], &[f64::INFINITY, -1.0]] {
            for scale in [Scale::Linear, Scale::Log] {
                let axis = Axis::new(scale, strange.iter().copied());
                assert!(axis.from < axis.to && axis.to.is_finite(), "{strange:?}");
            }
        }
    }

    #[test]
    fn longer_bars_are_larger_values() {
        let bars = [("a".to_string(), 0.01), ("b".to_string(), 1.0), ("c".to_string(), 10.0)];
        let svg = bars_svg("title", "ms", &bars);
        let widths: Vec<f64> = svg
            .lines()
            .filter(|line| line.starts_with("<rect x"))
            .map(|line| line.split("width=\"").nth(1).unwrap().split('"').next().unwrap())
            .map(|width| width.parse().unwrap())
            .collect();
        assert!(widths.len() == 3 && widths.is_sorted(), "{widths:?}");
        assert!(png(&svg).is_ok());
        assert!(png(&bars_svg("", "", &[])).is_ok());
    }

    #[test]
    fn a_line_is_broken_where_there_is_no_value() {
        let series = |values: &[Option<f64>]| Series { name: "s".into(), values: values.into() };
        let places = ["1", "2", "3"].map(String::from);
        let axes = Axes { places: &places, across: "x", up: "y", scale: Scale::Log, shared: true };
        let parts = |values: &[Option<f64>]| {
            let panel = Panel { title: "p".into(), series: vec![series(values)] };
            let svg = lines_svg("t", axes, &[panel], 2);
            assert!(png(&svg).is_ok());
            let parts = svg.matches("stroke-width=\"2\"").count();
            (parts, svg.matches("<circle").count())
        };
        assert_eq!(parts(&[Some(1.0), Some(5.0), Some(2.0)]), (2, 3));
        assert_eq!(parts(&[Some(1.0), None, Some(2.0)]), (0, 2));
        assert!(png(&lines_svg("", axes, &[], 3)).is_ok());
    }
}
