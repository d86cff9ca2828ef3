//! The one list of metrics. Records as JSON, summaries, CSV and tables are made from it: a new metric is one
//! row of [`METRICS`].

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::statistics::Estimate;
use crate::{Outcome, Record};

/// A value of a record.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Number {
    /// A count.
    Count(u64),
    /// A length or a ratio.
    Real(f64),
}

impl Number {
    /// The value as a floating-point number.
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Count(count) => count as f64,
            Number::Real(real) => real,
        }
    }
}

/// How a metric is read from a record.
#[derive(Clone, Copy, Debug)]
enum Read {
    Count(fn(&Record) -> Option<u64>),
    Real(fn(&Record) -> Option<f64>),
}

/// How the values of many records become one. Means are over the records whose goal was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Aggregate {
    /// The mean over the records that have a value.
    Mean,
    /// The sum over the sum of moves.
    PerMove,
    /// The largest value of all records.
    Max,
}

/// Where a column of a summary stands: sections in this order, and within one the order of [`METRICS`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Section {
    /// The quality of the walk.
    Quality,
    /// Means of what was walked and worked.
    Work,
    /// The worst case over all intervals and problems.
    Worst,
    /// Frames of a clocked game; only if they were counted.
    Frames,
}

/// How a table shows a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// With a number of decimals.
    Decimals(usize),
    /// Bytes, in kilobytes rounded up.
    Kilobytes,
}

/// The column of a summary.
#[derive(Clone, Copy, Debug)]
struct Column {
    section: Section,
    aggregate: Aggregate,
    /// The heading in a table, and how values are shown there; none: in CSV and JSON only.
    shown: Option<(&'static str, Format)>,
}

/// Something measured in each run: its name, what it means, how it is read from a record, and how the
/// values of many records become one.
///
/// ```
/// use tickstar_lab::METRICS;
/// let names: Vec<_> = METRICS.iter().map(|metric| metric.name).collect();
/// assert!(names.contains(&"expansions") && names.contains(&"suboptimality"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// The key in JSON, and the column in CSV.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
    read: Read,
    /// Whether a record as JSON has it.
    in_record: bool,
    /// Whether a record as JSON leaves it out where there is no value.
    optional: bool,
    column: Option<Column>,
}

/// Every metric, in the order in which a record as JSON has them.
pub static METRICS: &[Metric] = &[
    real("cost", "length walked, in cells; on terrain, its cost", |r| {
        Some(r.tally.cost.in_cells())
    })
    .mean()
    .shown("cost", Format::Decimals(1)),
    real("optimal", "length of a shortest path at first, in cells", |r| r.optimal),
    real("suboptimality", "length walked over the shortest", Record::suboptimality)
        .column(Section::Quality, Aggregate::Mean)
        .shown("length", Format::Decimals(3)),
    count("moves", "moves made", |r| Some(r.tally.moves))
        .mean()
        .shown("moves", Format::Decimals(1)),
    count("intervals", "ticks until the goal", |r| Some(r.tally.intervals))
        .mean()
        .shown("ticks", Format::Decimals(1)),
    count("first_move_interval", "first tick with a move", |r| r.tally.first_move_interval)
        .mean()
        .shown("first move", Format::Decimals(1)),
    count("found_interval", "tick in which the search found the goal", |r| r.tally.found_interval),
    count("expansions", "nodes expanded", |r| Some(r.tally.expansions))
        .mean()
        .shown("expansions", Format::Decimals(0)),
    count("expansions_per_move", "nodes expanded per move", |r| Some(r.tally.expansions))
        .column(Section::Work, Aggregate::PerMove)
        .shown("per move", Format::Decimals(1))
        .not_in_record(),
    count("max_expansions_per_interval", "expansions in one tick", |r| {
        Some(r.tally.max_expansions_per_interval)
    })
    .max()
    .shown("most expansions", Format::Decimals(0)),
    count("trace_steps", "parent pointers followed", |r| Some(r.tally.trace_steps)),
    count("max_trace_steps_per_interval", "trace steps in one tick", |r| {
        Some(r.tally.max_trace_steps_per_interval)
    })
    .max()
    .shown("most tracing", Format::Decimals(0)),
    count("updates", "nodes updated after the search", |r| Some(r.tally.updates))
        .mean()
        .shown("updates", Format::Decimals(0)),
    count("max_updates_per_interval", "updates in one tick", |r| {
        Some(r.tally.max_updates_per_interval)
    })
    .max()
    .shown("most updates", Format::Decimals(0)),
    count("back_moves", "moves back along the branch the agent came by", |r| {
        Some(r.tally.back_moves)
    })
    .mean()
    .shown("back-moves", Format::Decimals(1)),
    count("late_back_moves", "moves back after the search has found the goal", |r| {
        Some(r.tally.late_back_moves)
    }),
    count("non_optimal_moves", "moves on no shortest path", |r| r.tally.non_optimal_moves)
        .mean()
        .shown("non-optimal", Format::Decimals(1))
        .optional(),
    count("restarts", "searches begun again", |r| Some(r.tally.restarts))
        .mean()
        .shown("restarts", Format::Decimals(1)),
    count("lessons", "ticks in which the heuristic value of the position was raised", |r| {
        Some(r.tally.raising_intervals)
    }),
    count("peak_bytes", "heap memory of one agent", |r| Some(r.tally.peak_bytes as u64))
        .max()
        .shown("memory", Format::Kilobytes),
    real("milliseconds", "time of all ticks", |r| r.tally.nanos.map(|nanos| nanos as f64 / 1e6))
        .optional(),
    real("slowdown", "frames over the least possible, mean", |r| r.clock.map(|c| c.slowdown))
        .column(Section::Frames, Aggregate::Mean)
        .shown("slowdown", Format::Decimals(3))
        .not_in_record()
        .optional(),
];

const fn count(
    name: &'static str,
    meaning: &'static str,
    read: fn(&Record) -> Option<u64>,
) -> Metric {
    metric(name, meaning, Read::Count(read))
}

const fn real(
    name: &'static str,
    meaning: &'static str,
    read: fn(&Record) -> Option<f64>,
) -> Metric {
    metric(name, meaning, Read::Real(read))
}

const fn metric(name: &'static str, meaning: &'static str, read: Read) -> Metric {
    Metric { name, meaning, read, in_record: true, optional: false, column: None }
}

impl Metric {
    const fn column(self, section: Section, aggregate: Aggregate) -> Metric {
        Metric { column: Some(Column { section, aggregate, shown: None }), ..self }
    }

    const fn mean(self) -> Metric {
        self.column(Section::Work, Aggregate::Mean)
    }

    const fn max(self) -> Metric {
        self.column(Section::Worst, Aggregate::Max)
    }

    const fn shown(self, title: &'static str, format: Format) -> Metric {
        let Some(column) = self.column else { panic!("only a column of a summary is shown") };
        Metric { column: Some(Column { shown: Some((title, format)), ..column }), ..self }
    }

    const fn not_in_record(self) -> Metric {
        Metric { in_record: false, ..self }
    }

    const fn optional(self) -> Metric {
        Metric { optional: true, ..self }
    }

    /// Its value in a record, if it has one.
    pub fn of(&self, record: &Record) -> Option<Number> {
        match self.read {
            Read::Count(read) => read(record).map(Number::Count),
            Read::Real(read) => read(record).map(Number::Real),
        }
    }

    /// Whether each record has a value, and not only many of them together.
    pub fn is_per_problem(&self) -> bool {
        self.column.is_none_or(|column| column.aggregate != Aggregate::PerMove)
    }

    /// Whether its values are counts.
    pub(crate) fn is_count(&self) -> bool {
        matches!(self.read, Read::Count(_))
    }

    /// Whether a record as JSON has it.
    pub(crate) fn is_in_record(&self) -> bool {
        self.in_record
    }

    /// Whether it is about the frames of a clocked game.
    pub(crate) fn is_of_frames(&self) -> bool {
        self.section() == Some(Section::Frames)
    }

    /// The section of its column; none: summaries do not have it.
    pub fn section(&self) -> Option<Section> {
        self.column.map(|column| column.section)
    }

    /// The heading of its column in a table; none: tables do not have it.
    pub fn title(&self) -> Option<&'static str> {
        Some(self.column?.shown?.0)
    }

    /// A value of a summary as a table shows it.
    pub fn show(&self, value: f64) -> String {
        match self.column.and_then(|column| column.shown) {
            Some((_, Format::Decimals(digits))) => format!("{value:.digits$}"),
            Some((_, Format::Kilobytes)) => format!("{:.0} KB", (value / 1024.0).ceil()),
            None => value.to_string(),
        }
    }

    /// The values of many records in one.
    fn aggregate(&self, aggregate: Aggregate, records: &[&Record]) -> Option<f64> {
        let value = |record: &Record| self.of(record).map(Number::as_f64);
        let reached = || records.iter().filter(|record| record.outcome == Outcome::Reached);
        match aggregate {
            Aggregate::Mean => mean(reached().filter_map(|record| value(record))),
            Aggregate::PerMove => {
                let moves = mean(reached().map(|record| record.tally.moves as f64))?;
                let mean = mean(reached().filter_map(|record| value(record)))?;
                (moves > 0.0).then(|| mean / moves)
            }
            Aggregate::Max => records.iter().filter_map(|record| value(record)).reduce(f64::max),
        }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The metrics that summaries have, in the order of their columns.
fn columns() -> Vec<(&'static Metric, Column)> {
    let mut columns: Vec<_> =
        METRICS.iter().filter_map(|metric| Some((metric, metric.column?))).collect();
    columns.sort_by_key(|(_, column)| column.section);
    columns
}

/// Adds every metric of a record to its JSON object.
pub(crate) fn serialize_metrics<M: SerializeMap>(
    record: &Record,
    map: &mut M,
) -> Result<(), M::Error> {
    for metric in METRICS.iter().filter(|metric| metric.in_record) {
        let value = metric.of(record);
        if value.is_some() || !metric.optional {
            map.serialize_entry(metric.name, &value)?;
        }
    }
    Ok(())
}

/// The records of one algorithm with one budget, summarized: a value per metric.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// Problems in total.
    pub problems: usize,
    /// Those whose goal was reached; means are over these.
    pub reached: usize,
    /// The values of the columns, in order.
    values: Vec<Option<f64>>,
}

impl Summary {
    /// Summarizes records. A metric that no record has a value of has none: without any that reached their
    /// goals, there are no means.
    pub fn of<'r>(records: impl IntoIterator<Item = &'r Record>) -> Summary {
        let records: Vec<_> = records.into_iter().collect();
        let value =
            |(metric, column): (&Metric, Column)| metric.aggregate(column.aggregate, &records);
        let reached = records.iter().filter(|record| record.outcome == Outcome::Reached).count();
        let values = columns().into_iter().map(value).collect();
        Summary { problems: records.len(), reached, values }
    }

    /// Every metric of a summary with its value, in the order of the columns.
    pub fn values(&self) -> impl Iterator<Item = (&'static Metric, Option<f64>)> + '_ {
        let metrics = columns().into_iter().map(|(metric, _)| metric);
        metrics.zip(self.values.iter().copied())
    }

    /// The value of the metric with this name; none: it was not measured, or no goal was reached.
    ///
    /// # Panics
    /// When summaries have no metric of this name.
    pub fn get(&self, name: &str) -> Option<f64> {
        let found = self.values().find(|(metric, _)| metric.name == name);
        found.unwrap_or_else(|| panic!("summaries have no metric `{name}`")).1
    }

    /// The same where the metric is known to have a value.
    ///
    /// # Panics
    /// When summaries have no metric of this name, or it has no value.
    pub fn value(&self, name: &str) -> f64 {
        self.get(name).unwrap_or_else(|| panic!("`{name}` has no value"))
    }
}

impl Serialize for Summary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("problems", &self.problems)?;
        map.serialize_entry("reached", &self.reached)?;
        for (metric, value) in self.values() {
            map.serialize_entry(metric.name, &value)?;
        }
        map.end()
    }
}

/// One contestant's row of a [`Comparison`].
#[derive(Clone, Debug)]
pub struct Row {
    /// The contestant's name.
    pub name: String,
    /// Its budget; none: no limit.
    pub budget: Option<u64>,
    /// Its records, summarized.
    pub summary: Summary,
    /// The mean size of what it needs beside a map, in bytes; none: it needs nothing.
    pub prepared_bytes: Option<f64>,
    /// How much some metrics differ between problems; the same metrics in each row.
    pub spread: Vec<Spread>,
}

/// How much a metric differs between the problems whose goal was reached.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// The metric.
    pub metric: &'static Metric,
    /// Its mean, with the 95 % confidence interval.
    pub mean: Estimate,
    /// Its median.
    pub median: f64,
}

impl Spread {
    /// The spread of a metric over records.
    pub fn of<'r>(
        metric: &'static Metric,
        records: impl IntoIterator<Item = &'r Record>,
    ) -> Spread {
        let reached = records.into_iter().filter(|record| record.outcome == Outcome::Reached);
        let values = reached.filter_map(|record| metric.of(record));
        let values: Vec<f64> = values.map(Number::as_f64).collect();
        Spread { metric, mean: Estimate::mean(&values), median: Estimate::median(&values).value }
    }
}

/// Summaries side by side: the same rows and columns for CSV and for a table.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// A row per contestant.
    pub rows: Vec<Row>,
    /// Whether frames of a clocked game were counted.
    pub timed: bool,
}

impl Comparison {
    /// The columns of these sections.
    fn columns(&self, frames: bool) -> impl Iterator<Item = &'static Metric> {
        let is_wanted = move |section| (section == Section::Frames) == frames;
        let columns = columns().into_iter().filter(move |(_, column)| is_wanted(column.section));
        columns.filter(move |_| !frames || self.timed).map(|(metric, _)| metric)
    }

    /// The columns before the size of what was prepared.
    pub fn metrics(&self) -> impl Iterator<Item = &'static Metric> {
        self.columns(false)
    }

    /// The columns after it: none, unless frames were counted.
    pub fn frame_metrics(&self) -> impl Iterator<Item = &'static Metric> {
        self.columns(true)
    }

    /// Whether any contestant needs something beside the map.
    pub fn has_prepared(&self) -> bool {
        self.rows.iter().any(|row| row.prepared_bytes.is_some())
    }

    /// All of it as CSV, the same bytes for the same rows. The budget is empty where there is no limit, and so
    /// is a value that there is none of.
    pub fn csv(&self) -> String {
        let names = |metrics: &mut dyn Iterator<Item = &'static Metric>| {
            metrics.map(|metric| metric.name.to_string()).collect::<Vec<_>>()
        };
        let mut header: Vec<String> =
            ["algorithm", "budget", "problems", "reached"].map(String::from).into();
        header.extend(names(&mut self.metrics()));
        header.extend(self.has_prepared().then(|| "bytes_before".to_string()));
        header.extend(names(&mut self.frame_metrics()));
        for spread in self.rows.first().map(|row| row.spread.as_slice()).unwrap_or_default() {
            let name = spread.metric.name;
            header.extend(["low", "high", "median"].map(|end| format!("{name}_{end}")));
        }
        let mut text = csv_line(&header);
        for Row { name, budget, summary, prepared_bytes, spread } in &self.rows {
            let value = |metric: &Metric| optional(summary.get(metric.name));
            let mut fields = vec![name.clone(), optional(*budget)];
            fields.extend([summary.problems, summary.reached].map(|count| count.to_string()));
            fields.extend(self.metrics().map(value));
            fields.extend(self.has_prepared().then(|| prepared_bytes.unwrap_or(0.0).to_string()));
            fields.extend(self.frame_metrics().map(value));
            for Spread { mean, median, .. } in spread {
                let exists = |value: f64| optional(value.is_finite().then_some(value));
                fields.extend([mean.low, mean.high, *median].map(exists));
            }
            text += &csv_line(&fields);
        }
        text
    }
}

/// A value, or nothing.
pub(crate) fn optional(value: Option<impl ToString>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// A line of CSV; fields with commas, quotes or line ends are quoted.
pub(crate) fn csv_line(fields: &[String]) -> String {
    let quoted = |field: &String| {
        if field.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", field.replace('"', "\"\""))
        } else {
            field.clone()
        }
    };
    fields.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tickstar::catalog;

    use super::*;
    use crate::{Arena, Clock, Job, Pace, builtin};

    fn records(clock: Option<Clock>) -> Vec<Record> {
        let map = builtin::find("rooms-64").unwrap();
        let grid = map.grid();
        let arena = Arena::new(&"known".parse().unwrap(), &grid, 7).unwrap();
        let config = catalog::find("astar").unwrap().configure::<&str, &str>(&[]).unwrap();
        let job = Job { clock, ..Job::new(map.name, &arena, &config, Some(50)) };
        map.problems(&grid, 3, 7).iter().map(|problem| job.record(problem).unwrap()).collect()
    }

    fn comparison(timed: bool) -> Comparison {
        let clock = timed.then(|| Clock::new(Pace::default()).unwrap());
        let summary = Summary::of(&records(clock));
        let (name, budget) = ("astar".to_string(), Some(50));
        Comparison {
            rows: vec![Row { name, budget, summary, prepared_bytes: None, spread: Vec::new() }],
            timed,
        }
    }

    /// No output has a metric that is not in the list, and none misses one that is.
    #[test]
    fn every_output_has_the_metrics_of_the_list() {
        let names: Vec<_> = METRICS.iter().map(|metric| metric.name).collect();
        assert_eq!(
            names.iter().collect::<BTreeSet<_>>().len(),
            names.len(),
            "a name is used twice"
        );
        let clock = Clock::new(Pace::default()).unwrap();
        let records = records(Some(clock));
        let json = serde_json::to_value(&records[0]).unwrap();
        let keys: Vec<_> = json.as_object().unwrap().keys().map(String::as_str).collect();
        let setup =
            ["map", "start", "goal", "algorithm", "budget", "params", "world", "seed", "outcome"];
        // Times are in records only if they are measured.
        let counted = |metric: &&Metric| metric.in_record && metric.name != "milliseconds";
        let expected = METRICS.iter().filter(counted).map(|metric| metric.name);
        let expected: Vec<_> = setup.into_iter().chain(expected).chain(["clock"]).collect();
        assert_eq!(keys, expected);
        let summary = serde_json::to_value(Summary::of(&records)).unwrap();
        let keys: BTreeSet<_> = summary.as_object().unwrap().keys().map(String::as_str).collect();
        let expected = METRICS.iter().filter(|metric| metric.column.is_some());
        let expected: BTreeSet<_> =
            expected.map(|metric| metric.name).chain(["problems", "reached"]).collect();
        assert_eq!(keys, expected);
        let csv = comparison(true).csv();
        let header: BTreeSet<_> = csv.lines().next().unwrap().split(',').collect();
        assert_eq!(header, expected.iter().copied().chain(["algorithm", "budget"]).collect());
    }

    #[test]
    fn values_are_aggregated_by_kind() {
        let mut records = records(None);
        let lost = Outcome::GaveUp;
        records[2].outcome = lost;
        records[2].tally.max_expansions_per_interval = 1_000_000;
        records[0].tally.non_optimal_moves = None;
        records[1].tally.non_optimal_moves = Some(3);
        records[0].optimal = None;
        let summary = Summary::of(&records);
        assert_eq!((summary.problems, summary.reached), (3, 2));
        let expansions = [0, 1].map(|i| records[i].tally.expansions as f64);
        let moves = [0, 1].map(|i| records[i].tally.moves as f64);
        let sum = |values: [f64; 2]| values[0] + values[1];
        for (name, expected) in [
            ("expansions", sum(expansions) / 2.0),
            ("expansions_per_move", (sum(expansions) / 2.0) / (sum(moves) / 2.0)),
            ("non_optimal_moves", 3.0),
            ("suboptimality", records[1].suboptimality().unwrap()),
            ("max_expansions_per_interval", 1_000_000.0),
        ] {
            assert!((summary.value(name) - expected).abs() < 1e-12, "{name}");
        }
        assert_eq!(summary.get("slowdown"), None);
        records[0].outcome = lost;
        records[1].outcome = lost;
        let none = Summary::of(&records);
        let means = none.values().filter(|(metric, _)| metric.section() != Some(Section::Worst));
        for (metric, value) in means {
            assert_eq!(value, None, "{}: no goal was reached", metric.name);
        }
        assert_eq!(none.get("max_expansions_per_interval"), Some(1_000_000.0));
        let json = serde_json::to_value(&none).unwrap();
        assert_eq!((&json["reached"], &json["intervals"]), (&0.into(), &serde_json::Value::Null));
        assert!(Summary::of(&[]).values().all(|(_, value)| value.is_none()));
    }

    #[test]
    fn csv_is_empty_where_nothing_was_reached() {
        let mut records = records(None);
        for record in &mut records {
            record.outcome = Outcome::GaveUp;
        }
        let mut comparison = comparison(false);
        comparison.rows[0].summary = Summary::of(&records);
        let csv = comparison.csv();
        let [header, row] = csv.lines().collect::<Vec<_>>()[..] else { panic!("{csv}") };
        for (name, value) in header.split(',').zip(row.split(',')).skip(3) {
            let worst = name.starts_with("max_") || name == "peak_bytes";
            assert_eq!(value.is_empty(), name != "reached" && !worst, "{name}: {value}");
        }
    }

    #[test]
    fn csv_quotes_what_would_be_two_fields() {
        let mut comparison = comparison(false);
        assert!(comparison.csv().lines().nth(1).unwrap().starts_with("astar,50,3,3,1,"));
        comparison.rows[0].name = "a,\"b\"".into();
        comparison.rows[0].budget = None;
        comparison.rows[0].prepared_bytes = Some(7.5);
        let csv = comparison.csv();
        assert!(csv.lines().next().unwrap().ends_with(",peak_bytes,bytes_before"), "{csv}");
        let row = csv.lines().nth(1).unwrap();
        assert!(row.starts_with("\"a,\"\"b\"\"\",,3,3,") && row.ends_with(",7.5"), "{csv}");
    }

    #[test]
    fn tables_show_values_rounded() {
        let metric = |name: &str| METRICS.iter().find(|metric| metric.name == name).unwrap();
        let shown = |name: &str, value: f64| metric(name).show(value);
        assert_eq!(shown("suboptimality", 1.23456), "1.235");
        assert_eq!(shown("expansions", 12.5), "12");
        assert_eq!(shown("peak_bytes", 1025.0), "2 KB");
        assert_eq!(metric("trace_steps").title(), None);
    }
}
