//! Charts of measurements: panels of lines and points with bands, for pages, files and papers.
//!
//! A chart is data; the same chart gives
//! * [`Chart::html`], a figure for a page. Each panel is a picture of its own, so that panels stand side by side on
//!   wide screens and paper, and below each other on phones, where one wide picture would have letters of four pixels.
//!   The page has [`chart_css`] once, and may set its properties (`--chart-ink`, `--chart-1`, …) itself.
//! * [`Chart::svg`], one picture in a file, with the colors of both themes and real text,
//! * [`Chart::plain_svg`], the same without style sheet and fonts, for programs that have neither; [`Chart::png`] is
//!   made from it,
//! * [`Chart::csv`], the numbers.
//!
//! All have the same bytes on every machine: logarithms are computed by basic arithmetic alone, and lengths of text
//! come from the built-in alphabet. No element has an id, so pictures in one page do not disturb each other.

mod axis;
mod canvas;
mod html;
mod legend;
mod line;
mod marker;
mod number;
mod panel;
mod sheet;
#[cfg(test)]
mod tests;
mod words;

use super::{DrawError, png};
use crate::metric::csv_line;
pub use axis::PlotScale;
pub(super) use axis::{Range, Tick};
use canvas::Look;
pub use html::chart_css;

/// The pixels of a PNG per unit of its picture, so that letters are crisp.
const PNG_ZOOM: f64 = 2.0;

/// Panels with common axes and one legend.
///
/// ```
/// use tickstar_lab::draw::{Chart, ChartAxis, ChartPanel, ChartPoint, ChartSeries};
///
/// let points = [(10.0, 1.3), (100.0, 1.1), (1000.0, 1.0)].map(|(x, y)| ChartPoint::new(x, y));
/// let series = ChartSeries { name: "tba".into(), points: points.into(), ..ChartSeries::default() };
/// let chart = Chart {
///     title: "Suboptimality".into(),
///     x: ChartAxis::log("expansions per move"),
///     y: ChartAxis::linear("cost over that of a shortest path"),
///     reference: Some(1.0),
///     panels: vec![ChartPanel { title: String::new(), series: vec![series] }],
///     ..Chart::default()
/// };
/// assert!(chart.svg().starts_with("<svg"));
/// assert!(chart.csv().ends_with("\n,tba,measured,1000,1,,\n"));
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// What a reader should know, such as what the bands are. Shown below in small print.
    pub note: String,
    /// The horizontal axis.
    pub x: ChartAxis,
    /// The vertical axis.
    pub y: ChartAxis,
    /// A value of the vertical axis with a dotted line of its own.
    pub reference: Option<f64>,
    /// The panels, in order.
    pub panels: Vec<ChartPanel>,
    /// How many panels stand side by side at most, if there is room; none is one.
    pub columns: usize,
}

/// What an axis shows.
#[derive(Clone, PartialEq, Debug)]
pub struct ChartAxis {
    /// What the values are.
    pub name: String,
    /// How they are placed.
    pub scale: PlotScale,
    /// Values that the axis shows besides those of the data, such as 0.
    pub includes: Vec<f64>,
    /// Places with labels, instead of round numbers. A label without room is left out.
    pub ticks: Vec<(f64, String)>,
    /// Whether all panels have the same range.
    pub shared: bool,
}

/// One of several plots.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ChartPanel {
    /// What it shows; may be empty.
    pub title: String,
    /// What is drawn.
    pub series: Vec<ChartSeries>,
}

/// Values of one kind.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ChartSeries {
    /// Its name in the legend. Series of one name have one color and marker in all panels.
    pub name: String,
    /// How it is drawn.
    pub style: SeriesStyle,
    /// Whether the numbers are printed in a paper, not measured: hollow and dotted, below what is measured. It has the
    /// color of the measured series of its name, or else a soft ink.
    pub of_paper: bool,
    /// The values, in the order they are connected.
    pub points: Vec<ChartPoint>,
}

/// How a series is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SeriesStyle {
    /// A line with a marker at each point, and a band as an area.
    #[default]
    Line,
    /// A line alone, and a band as an area.
    LineOnly,
    /// A dashed line alone, and a band as an area.
    Dashed,
    /// Markers alone, and bands as error bars.
    Points,
}

impl SeriesStyle {
    fn has_markers(self) -> bool {
        matches!(self, SeriesStyle::Line | SeriesStyle::Points)
    }
}

/// A value. One that is not finite is a gap in its line. One that has no place on a logarithmic axis is a gap too, and
/// the chart says how many there are.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ChartPoint {
    /// Its place.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// The least and the largest it may be, such as a 95 % interval.
    pub band: Option<[f64; 2]>,
}

impl ChartPoint {
    /// A value without a band.
    pub fn new(x: f64, y: f64) -> ChartPoint {
        ChartPoint { x, y, band: None }
    }

    /// The ends of the band, the lower one first.
    fn ends(&self) -> Option<[f64; 2]> {
        let [a, b] = self.band?;
        (!a.is_nan() && !b.is_nan()).then(|| [a.min(b), a.max(b)])
    }
}

impl Default for ChartAxis {
    fn default() -> ChartAxis {
        ChartAxis::linear("")
    }
}

impl ChartAxis {
    /// A linear axis around the values, the same in all panels. It starts at 0 only if it includes it.
    pub fn linear(name: &str) -> ChartAxis {
        ChartAxis {
            name: name.into(),
            scale: PlotScale::Linear,
            includes: Vec::new(),
            ticks: Vec::new(),
            shared: true,
        }
    }

    /// A logarithmic axis, the same in all panels.
    pub fn log(name: &str) -> ChartAxis {
        ChartAxis { scale: PlotScale::Log, ..ChartAxis::linear(name) }
    }

    /// A linear axis that starts at 0, or ends there, the same in all panels.
    pub fn from_zero(name: &str) -> ChartAxis {
        ChartAxis { includes: vec![0.0], ..ChartAxis::linear(name) }
    }

    /// An axis of names at 0, 1, 2 and so on.
    pub fn places<S: Into<String>>(name: &str, places: impl IntoIterator<Item = S>) -> ChartAxis {
        let ticks = places.into_iter().enumerate();
        let ticks = ticks.map(|(nth, place)| (nth as f64, place.into())).collect();
        ChartAxis { ticks, ..ChartAxis::linear(name) }
    }

    /// The label given to exactly this place.
    fn label(&self, value: f64) -> Option<&str> {
        let here = |tick: &&(f64, String)| tick.0.total_cmp(&value).is_eq();
        self.ticks.iter().find(here).map(|(_, label)| label.as_str())
    }
}

impl Chart {
    /// One picture of all panels, for a file or a page, with light and dark colors.
    pub fn svg(&self) -> String {
        self.whole(Look::Themed, 1.0)
    }

    /// One picture of all panels with light colors and lettering as strokes, which needs neither style sheets nor fonts.
    pub fn plain_svg(&self) -> String {
        self.whole(Look::Plain, 1.0)
    }

    /// One picture of all panels as the bytes of a PNG file.
    ///
    /// # Errors
    /// When it would have more than 64 million pixels.
    pub fn png(&self) -> Result<Vec<u8>, DrawError> {
        png(&self.whole(Look::Plain, PNG_ZOOM))
    }

    /// The numbers: panel, series, whether it is measured or of a paper, place, value and the ends of its band.
    pub fn csv(&self) -> String {
        let header = ["panel", "series", "source", "x", "y", "low", "high"].map(String::from);
        let mut csv = csv_line(&header);
        for panel in &self.panels {
            for series in &panel.series {
                let source = if series.of_paper { "paper" } else { "measured" };
                for point in &series.points {
                    let x = self.x.label(point.x).map_or_else(|| exact(point.x), String::from);
                    let [low, high] =
                        point.ends().map_or([String::new(), String::new()], |ends| ends.map(exact));
                    let (panel, series) = (panel.title.clone(), series.name.clone());
                    csv += &csv_line(&[panel, series, source.into(), x, exact(point.y), low, high]);
                }
            }
        }
        csv
    }

    fn columns(&self) -> usize {
        self.columns.clamp(1, self.panels.len().max(1))
    }
}

/// A number as it can be read back; nothing for a gap.
fn exact(value: f64) -> String {
    let size = value.abs();
    match value {
        value if value.is_nan() => String::new(),
        value if size != 0.0 && !(1e-6..1e16).contains(&size) => format!("{value:e}"),
        value => value.to_string(),
    }
}
