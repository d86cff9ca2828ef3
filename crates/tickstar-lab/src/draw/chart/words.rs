//! A chart in words, for readers who do not see it, and what it cannot show.

use super::number::value_text;
use super::panel::Layout;
use super::{Chart, ChartPoint, ChartSeries, PlotScale};

impl Layout<'_> {
    /// The numbers of a point.
    pub(super) fn tip(&self, series: &ChartSeries, point: &ChartPoint) -> String {
        let x = self.chart.x.label(point.x).map_or_else(|| value_text(point.x), String::from);
        let band = point
            .ends()
            .map(|[low, high]| format!(" ({} to {})", value_text(low), value_text(high)));
        let of_paper = if series.of_paper { ", printed in the paper" } else { "" };
        let band = band.unwrap_or_default();
        format!("{}{of_paper}: {} at {x}{band}", series.name, value_text(point.y))
    }

    /// What a panel shows, in words.
    pub(super) fn about(&self, nth: usize) -> String {
        let Some(panel) = self.panels.get(nth) else { return String::new() };
        let series = panel.panel.series.iter().map(|series| {
            let shown = series.points.iter().filter(|point| self.chart.shows(point));
            let ends = shown.clone().fold(None, |ends: Option<(f64, f64)>, point| {
                let (low, high) = ends.unwrap_or((point.y, point.y));
                Some((low.min(point.y), high.max(point.y)))
            });
            let of_paper = if series.of_paper { " (printed in the paper)" } else { "" };
            let values = ends.map_or("no values".into(), |(low, high)| {
                format!("{} to {}", value_text(low), value_text(high))
            });
            format!("{}{of_paper}: {values} at {} places", series.name, shown.count())
        });
        series.collect::<Vec<_>>().join("; ")
    }
}

impl Chart {
    /// What is written below the panels.
    pub(super) fn notes(&self) -> Vec<String> {
        let lost = match self.lost() {
            0 => None,
            1 => Some("1 value that is not positive has no place on a logarithmic axis".into()),
            lost => Some(format!(
                "{lost} values that are not positive have no place on a logarithmic axis"
            )),
        };
        let note = Some(self.note.clone()).filter(|note| !note.is_empty());
        note.into_iter().chain(lost).collect()
    }

    /// How many values cannot be shown, as a logarithmic axis has no place for them.
    fn lost(&self) -> usize {
        let points = self.panels.iter().flat_map(|panel| &panel.series).flat_map(|one| &one.points);
        let finite = |point: &&ChartPoint| point.x.is_finite() && point.y.is_finite();
        points.filter(finite).filter(|point| !self.shows(point)).count()
    }

    /// The axes in words.
    pub(super) fn about_axes(&self) -> String {
        let log = |scale| if scale == PlotScale::Log { ", logarithmic" } else { "" };
        let (x, y) = (&self.x, &self.y);
        format!("Horizontal: {}{}. Vertical: {}{}.", x.name, log(x.scale), y.name, log(y.scale))
    }
}
