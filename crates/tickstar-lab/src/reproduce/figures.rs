//! Short ways to write figures down.

use crate::draw::{
    Chart, ChartAxis, ChartPanel, ChartPoint, ChartSeries, Scene, SeriesStyle, default_cell_px, svg,
};
use crate::statistics::Estimate;
use crate::{Arena, Job, WorldKind, builtin};

use super::report::{Figure, Picture};
use super::setup::with_budgets;

/// A point with its interval as a band.
fn point((x, estimate): (f64, Estimate)) -> ChartPoint {
    let Estimate { value, low, high, .. } = estimate;
    let band = (low.is_finite() && high.is_finite() && high > low).then_some([low, high]);
    ChartPoint { x, y: value, band }
}

/// What was measured, as a line.
pub(super) fn line(
    name: impl Into<String>,
    points: impl IntoIterator<Item = (f64, Estimate)>,
) -> ChartSeries {
    let points = points.into_iter().map(point).collect();
    ChartSeries { name: name.into(), points, ..ChartSeries::default() }
}

/// What was measured, as points.
pub(super) fn dots(
    name: impl Into<String>,
    points: impl IntoIterator<Item = (f64, Estimate)>,
) -> ChartSeries {
    ChartSeries { style: SeriesStyle::Points, ..line(name, points) }
}

/// Numbers that a paper prints.
pub(super) fn printed(
    name: impl Into<String>,
    points: impl IntoIterator<Item = (f64, f64)>,
) -> ChartSeries {
    let points = points.into_iter().map(|(x, y)| ChartPoint::new(x, y)).collect();
    ChartSeries { name: name.into(), of_paper: true, points, ..ChartSeries::default() }
}

/// A panel.
pub(super) fn panel(title: impl Into<String>, series: Vec<ChartSeries>) -> ChartPanel {
    ChartPanel { title: title.into(), series }
}

/// A figure of panels.
pub(super) fn figure(
    key: &'static str,
    title: &str,
    caption: &str,
    (x, y): (ChartAxis, ChartAxis),
    panels: Vec<ChartPanel>,
) -> Figure {
    let columns = if panels.len() == 1 { 1 } else { panels.len().clamp(2, 3) };
    let columns = if panels.len() == 4 { 2 } else { columns };
    let chart = Chart {
        title: title.into(),
        note: "Bands are 95 % confidence intervals.".into(),
        x,
        y,
        reference: None,
        panels,
        columns,
    };
    Figure { key, caption: caption.into(), chart }
}

/// Walks of several algorithms on the same problem of a built-in map, side by side.
pub(super) fn walks(
    key: &'static str,
    caption: &str,
    (map, nth): (&str, usize),
    world: &WorldKind,
    who: &[(&str, u64, &str)],
) -> Option<Picture> {
    let map = builtin::find(map)?;
    let grid = map.grid();
    let problem = *map.problems(&grid, nth + 1, 1).last()?;
    let mut scenes = Vec::new();
    for (text, budget, name) in who {
        let contestant = with_budgets(text, &[*budget]).pop()?;
        let mut arena = Arena::new(world, &grid, 1).ok()?;
        arena.prepare(&contestant.config, |_| ()).ok()?;
        let job = Job::new(map.name, &arena, &contestant.config, contestant.budget);
        let (mut scene, record) = Scene::watch(&job, &problem).ok()?;
        let moves = record.tally.moves;
        scene.title = format!("{name}\n{moves} moves, {} expansions", record.tally.expansions);
        scenes.push(scene);
    }
    let cell_px = default_cell_px(&grid, scenes.len());
    let svg = svg(&scenes, map.name, cell_px);
    Some(Picture { key, caption: caption.into(), svg })
}
