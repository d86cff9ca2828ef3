//! How much metrics differ between problems: which ones are asked for, and the plot of one against the budget.

use tickstar_lab::draw::{Chart, ChartAxis, ChartPanel, ChartPoint, ChartSeries, SeriesStyle};
use tickstar_lab::text::{hint, quoted};
use tickstar_lab::{Experiment, METRICS, Metric, Record, Section, Spread};

use crate::failure::Failure;

/// The metrics of these names, which have a value for each problem.
pub fn metrics(names: &[String], timed: bool) -> Result<Vec<&'static Metric>, Failure> {
    let known =
        || METRICS.iter().filter(|metric| metric.is_per_problem() && metric.section().is_some());
    let find = |name: &String| {
        let found = known().find(|metric| metric.name == name.trim()).ok_or_else(|| {
            let hint = hint(name, known().map(|metric| metric.name));
            Failure::usage(format!("--spread: there is no metric `{}`; {hint}", quoted(name)))
        })?;
        if found.section() == Some(Section::Frames) && !timed {
            let name = found.name;
            return Err(Failure::usage(format!(
                "--spread {name}: frames are counted with --clock"
            )));
        }
        Ok(found)
    };
    names.iter().map(find).collect()
}

/// The first of these metrics, or the suboptimality, against the budget: a line per algorithm.
pub fn plot(spread: &[&'static Metric], experiment: &Experiment, records: &[Vec<Record>]) -> Chart {
    let usual = || METRICS.iter().find(|metric| metric.name == "suboptimality");
    let Some(metric) = spread.first().copied().or_else(usual) else { return Chart::default() };
    let mut series: Vec<ChartSeries> = Vec::new();
    for (nth, contestant) in experiment.contestants().iter().enumerate() {
        if experiment.is_excluded(nth) {
            continue;
        }
        let mean = Spread::of(metric, &records[nth]).mean;
        let x = contestant.budget.map_or(f64::NAN, |budget| budget as f64);
        let band = mean.exists().then_some([mean.low, mean.high]);
        let point = ChartPoint { x, y: mean.value, band };
        if let Some(line) = series.iter_mut().find(|line| line.name == contestant.name) {
            line.points.push(point);
        } else {
            let (name, points) = (contestant.name.clone(), vec![point]);
            series.push(ChartSeries { name, points, ..ChartSeries::default() });
        }
    }
    for series in &mut series {
        series.points.sort_by(|a, b| a.x.total_cmp(&b.x));
        if series.points.len() == 1 {
            series.style = SeriesStyle::Points;
        }
    }
    let points = || series.iter().flat_map(|series| &series.points);
    let without_budget = points().any(|point| point.x.is_nan());
    let values = || points().map(|point| point.y);
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let y = if most > 5.0 * least {
        ChartAxis::log(metric.meaning)
    } else {
        ChartAxis::linear(metric.meaning)
    };
    // What has no budget has no place on its axis: each setting gets one of its own.
    let x = if without_budget {
        by_setting(&mut series, experiment)
    } else {
        ChartAxis::log("budget per tick")
    };
    Chart {
        title: format!("{} by budget", metric.title().unwrap_or(metric.name)),
        note: "Means with 95 % confidence intervals.".into(),
        x,
        y,
        panels: vec![ChartPanel { title: String::new(), series }],
        ..Chart::default()
    }
}

/// Places the points by settings, in the order of the table.
fn by_setting(series: &mut [ChartSeries], experiment: &Experiment) -> ChartAxis {
    let all = experiment.contestants().iter().enumerate();
    let shown = all.filter(|&(nth, _)| !experiment.is_excluded(nth));
    let names: Vec<String> = shown.map(|(_, contestant)| contestant.key()).collect();
    let mut place = 0.0;
    for series in series {
        series.style = SeriesStyle::Points;
        for point in &mut series.points {
            point.x = place;
            place += 1.0;
        }
    }
    ChartAxis::places("setting", names)
}
