//! How values are distributed over many problems: percentiles by the length of the shortest path. Where a
//! few problems are far harder than most, means say little. A new column is one row of [`PERCENTILES`].

use std::collections::BTreeMap;

use crate::metric::{csv_line, optional};
use crate::{Contestant, Outcome, Record};

/// Sorted values.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Ranked(Vec<f64>);

impl Ranked {
    /// Sorts values.
    pub fn new(values: impl IntoIterator<Item = f64>) -> Ranked {
        let mut values: Vec<_> = values.into_iter().collect();
        values.sort_unstable_by(f64::total_cmp);
        Ranked(values)
    }

    /// The nearest-rank percentile: the least value that is not exceeded by this percentage of all values,
    /// so 100 is the largest. None if there are no values, or for more than 100.
    pub fn percentile(&self, percent: usize) -> Option<f64> {
        let rank = (percent * self.0.len()).div_ceil(100).max(1);
        self.0.get(rank - 1).copied()
    }

    /// The share of values that do not exceed a limit, within rounding.
    pub fn share_up_to(&self, limit: f64) -> Option<f64> {
        let within = self.0.partition_point(|&value| value <= limit + ROUNDING);
        (!self.0.is_empty()).then(|| within as f64 / self.0.len() as f64)
    }
}

/// Lengths are sums of square roots, and ratios of such.
const ROUNDING: f64 = 1e-9;

/// The values of a record that percentiles are taken of: few enough to keep hundreds of thousands.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    /// The length of a shortest path, in cells.
    pub optimal: f64,
    /// The length walked over the shortest.
    pub suboptimality: f64,
    /// Nodes expanded.
    pub expansions: u64,
    /// The expansions of another algorithm over these, if there is one and both reached the goal and
    /// expanded something.
    pub gain: Option<f64>,
    /// The frames of a clocked game over the least possible, if they were counted.
    pub slowdown: Option<f64>,
    /// The same over those of a shortest path.
    pub over_optimal: Option<f64>,
}

impl Sample {
    /// Of a record, compared with that of another algorithm on the same problem; none where the goal was
    /// not reached, or there was no path at first.
    pub fn of(record: &Record, baseline: Option<&Record>) -> Option<Sample> {
        let expansions = |record: &Record| {
            let counts = record.outcome == Outcome::Reached && record.tally.expansions > 0;
            counts.then_some(record.tally.expansions as f64)
        };
        Some(Sample {
            optimal: record.optimal?,
            suboptimality: record.suboptimality()?,
            expansions: record.tally.expansions,
            gain: baseline.and_then(|other| Some(expansions(other)? / expansions(record)?)),
            slowdown: record.clock.map(|clock| clock.slowdown),
            over_optimal: record.clock.and_then(|clock| clock.over_optimal),
        })
    }
}

/// What is computed of the values of a column.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Statistic {
    /// See [`Ranked::percentile`].
    Percentile(usize),
    /// See [`Ranked::share_up_to`].
    ShareUpTo(f64),
}

/// A column of a table by length: a percentile or a share of one value of the samples.
#[derive(Clone, Copy, Debug)]
pub struct PercentileColumn {
    /// Its name in CSV.
    pub name: &'static str,
    /// Its heading in a table.
    pub title: &'static str,
    /// Whether it is about frames of a clocked game.
    pub timed: bool,
    read: fn(&Sample) -> Option<f64>,
    statistic: Statistic,
    /// The decimals in a table.
    digits: usize,
}

impl PercentileColumn {
    /// Its value for these samples; none if no sample has one.
    pub fn of<'s>(&self, samples: impl IntoIterator<Item = &'s Sample>) -> Option<f64> {
        let values = Ranked::new(samples.into_iter().filter_map(self.read));
        match self.statistic {
            Statistic::Percentile(percent) => values.percentile(percent),
            Statistic::ShareUpTo(limit) => values.share_up_to(limit),
        }
    }

    /// A value as a table shows it.
    pub fn show(&self, value: f64) -> String {
        let digits = self.digits;
        match self.statistic {
            Statistic::Percentile(_) => format!("{value:.digits$}"),
            Statistic::ShareUpTo(_) => format!("{:.digits$} %", 100.0 * value),
        }
    }
}

/// Every column of a table by length, in order.
pub static PERCENTILES: &[PercentileColumn] = &[
    length("suboptimality_p50", "length p50", 50),
    length("suboptimality_p95", "p95", 95),
    length("suboptimality_p98", "p98", 98),
    length("suboptimality_max", "max", 100),
    within("within_half_percent", "within 0.5 %", 1.005),
    within("within_1_percent", "1 %", 1.01),
    within("within_10_percent", "10 %", 1.1),
    expansions("expansions_p5", "expansions p5", 5),
    expansions("expansions_p50", "p50", 50),
    expansions("expansions_p95", "p95", 95),
    gain("gain_p5", "gain p5", 5),
    gain("gain_p50", "p50", 50),
    gain("gain_p95", "p95", 95),
    frames("slowdown_p50", "slowdown p50", |sample| sample.slowdown, 50),
    frames("slowdown_p98", "p98", |sample| sample.slowdown, 98),
    frames("over_optimal_p50", "over optimal p50", |sample| sample.over_optimal, 50),
    frames("over_optimal_p98", "p98", |sample| sample.over_optimal, 98),
];

const fn column(
    (name, title): (&'static str, &'static str),
    read: fn(&Sample) -> Option<f64>,
    statistic: Statistic,
    digits: usize,
) -> PercentileColumn {
    PercentileColumn { name, title, timed: false, read, statistic, digits }
}

const fn length(name: &'static str, title: &'static str, percent: usize) -> PercentileColumn {
    column((name, title), |s| Some(s.suboptimality), Statistic::Percentile(percent), 4)
}

const fn within(name: &'static str, title: &'static str, limit: f64) -> PercentileColumn {
    column((name, title), |s| Some(s.suboptimality), Statistic::ShareUpTo(limit), 1)
}

const fn expansions(name: &'static str, title: &'static str, percent: usize) -> PercentileColumn {
    column((name, title), |s| Some(s.expansions as f64), Statistic::Percentile(percent), 0)
}

const fn gain(name: &'static str, title: &'static str, percent: usize) -> PercentileColumn {
    column((name, title), |s| s.gain, Statistic::Percentile(percent), 2)
}

const fn frames(
    name: &'static str,
    title: &'static str,
    read: fn(&Sample) -> Option<f64>,
    percent: usize,
) -> PercentileColumn {
    let column = column((name, title), read, Statistic::Percentile(percent), 3);
    PercentileColumn { timed: true, ..column }
}

/// One row of a table by length.
#[derive(Clone, PartialEq, Debug)]
pub struct LengthRow {
    /// The contestant's name.
    pub name: String,
    /// Its budget; none: no limit.
    pub budget: Option<u64>,
    /// The lengths of the shortest paths, from the first to below the second; none: all.
    pub lengths: Option<(u64, u64)>,
    /// How many samples there are.
    pub problems: usize,
    /// The values of the columns, in order.
    pub values: Vec<Option<f64>>,
}

/// A table by the length of the shortest path: the same rows and columns for CSV and for a terminal.
#[derive(Clone, Debug)]
pub struct ByLength {
    /// The columns.
    pub columns: Vec<&'static PercentileColumn>,
    /// For each contestant a row per range of lengths that has samples, and one for all.
    pub rows: Vec<LengthRow>,
}

impl ByLength {
    /// The table of these contestants' samples in ranges of `width` cells; `timed` adds the columns about
    /// frames.
    ///
    /// # Panics
    /// When the width is zero.
    pub fn new(contestants: &[(&Contestant, Vec<Sample>)], width: u64, timed: bool) -> ByLength {
        let columns: Vec<_> = PERCENTILES.iter().filter(|column| timed || !column.timed).collect();
        let mut rows = Vec::new();
        for (contestant, samples) in contestants {
            let row = |lengths, samples: &[&Sample]| LengthRow {
                name: contestant.name.clone(),
                budget: contestant.budget,
                lengths,
                problems: samples.len(),
                values: columns.iter().map(|c| c.of(samples.iter().copied())).collect(),
            };
            for (nth, bucket) in buckets(samples, width) {
                rows.push(row(Some((nth * width, (nth + 1) * width)), &bucket));
            }
            rows.push(row(None, &samples.iter().collect::<Vec<_>>()));
        }
        ByLength { columns, rows }
    }

    /// All of it as CSV. The budget is empty where there is no limit.
    pub fn csv(&self) -> String {
        let mut header: Vec<String> =
            ["algorithm", "budget", "from", "to", "problems"].map(String::from).into();
        header.extend(self.columns.iter().map(|column| column.name.to_string()));
        let mut text = csv_line(&header);
        for LengthRow { name, budget, lengths, problems, values } in &self.rows {
            let (from, to) = match lengths {
                Some((from, to)) => (from.to_string(), to.to_string()),
                None => ("all".to_string(), "all".to_string()),
            };
            let mut fields = vec![name.clone(), optional(*budget), from, to, problems.to_string()];
            fields.extend(values.iter().map(|&value| optional(value)));
            text += &csv_line(&fields);
        }
        text
    }
}

/// The samples by the length of the shortest path, in multiples of the width.
fn buckets(samples: &[Sample], width: u64) -> BTreeMap<u64, Vec<&Sample>> {
    let mut buckets: BTreeMap<u64, Vec<&Sample>> = BTreeMap::new();
    for sample in samples {
        buckets.entry(sample.optimal as u64 / width).or_default().push(sample);
    }
    buckets
}

#[cfg(test)]
mod tests {
    use tickstar::catalog;

    use super::*;
    use crate::{Arena, Job, Tally, builtin};

    #[test]
    fn percentiles_are_nearest_ranks() {
        // The example of many a textbook: the 5th, 30th, 40th, 50th and 100th percentile.
        let five = Ranked::new([50.0, 20.0, 15.0, 40.0, 35.0]);
        let all = [5, 30, 40, 50, 100].map(|percent| five.percentile(percent));
        assert_eq!(all, [15.0, 20.0, 20.0, 35.0, 50.0].map(Some));
        let hundred = Ranked::new((1..=100).rev().map(f64::from));
        for percent in 1..=100 {
            assert_eq!(hundred.percentile(percent), Some(percent as f64));
        }
        assert_eq!(hundred.percentile(0), Some(1.0));
        assert_eq!(hundred.percentile(101), None);
        let more = Ranked::new((1..=101).map(f64::from));
        let ranks = [5, 50, 98].map(|percent| more.percentile(percent));
        assert_eq!(ranks, [6.0, 51.0, 99.0].map(Some));
        assert_eq!(Ranked::new([7.0]).percentile(2), Some(7.0));
        assert_eq!(Ranked::default().percentile(50), None);
    }

    #[test]
    fn shares_take_in_the_limit() {
        let values = Ranked::new([1.2, 1.0, 1.005 + 1e-12, 1.01]);
        let shares = [0.99, 1.0, 1.005, 1.01, 1.1, 1.2].map(|limit| values.share_up_to(limit));
        assert_eq!(shares, [0.0, 0.25, 0.5, 0.75, 0.75, 1.0].map(Some));
        assert_eq!(Ranked::default().share_up_to(1.0), None);
    }

    fn sample(optimal: f64, expansions: u64) -> Sample {
        let (gain, slowdown, over_optimal) = (None, None, None);
        Sample { optimal, suboptimality: 1.0, expansions, gain, slowdown, over_optimal }
    }

    #[test]
    fn buckets_hold_their_lower_end_and_not_their_upper() {
        let lengths = [0.0, 3.99, 4.0, 7.5, 8.0, 20.1];
        let samples: Vec<_> = lengths.iter().zip(1..).map(|(&l, i)| sample(l, i)).collect();
        let config = catalog::find("astar").unwrap().configure::<&str, &str>(&[]).unwrap();
        let astar = Contestant { name: "astar".into(), config, budget: None };
        let rows = |width| ByLength::new(&[(&astar, samples.clone())], width, false).rows;
        let found: Vec<_> = rows(4).iter().map(|row| (row.lengths, row.problems)).collect();
        let range = |from, to, problems| (Some((from, to)), problems);
        let expected = [range(0, 4, 2), range(4, 8, 2), range(8, 12, 1), range(20, 24, 1)];
        assert_eq!(found, [&expected[..], &[(None, 6)]].concat());
        let p95 = PERCENTILES.iter().position(|c| c.name == "expansions_p95").unwrap();
        assert_eq!(rows(4)[1].values[p95], Some(4.0));
        assert_eq!(rows(100)[0].values, rows(100)[1].values);
    }

    #[test]
    fn a_sample_is_what_the_record_says() {
        let map = builtin::find("rooms-64").unwrap();
        let grid = map.grid();
        let problem = map.problems(&grid, 1, 7)[0];
        let arena = Arena::new(&"known".parse().unwrap(), &grid, 7).unwrap();
        let record = |name, budget| {
            let config = catalog::find(name).unwrap().configure::<&str, &str>(&[]).unwrap();
            let job = Job::new(map.name, &arena, &config, budget);
            let journey = job.sim(&problem).unwrap().run(None, None);
            let quick = job.judge_length(&problem, &journey, job.optimal(&problem).unwrap());
            let full = job.record(&problem).unwrap();
            assert_eq!(quick.tally.non_optimal_moves, None);
            assert!(full.tally.non_optimal_moves.is_some());
            let tally = Tally { non_optimal_moves: None, ..full.tally };
            assert_eq!(quick, Record { tally, ..full });
            quick
        };
        let (astar, greedy) = (record("astar", None), record("gbfs", None));
        let sample = Sample::of(&greedy, Some(&astar)).unwrap();
        assert_eq!(Some(sample.optimal), astar.optimal);
        assert_eq!(Some(sample.suboptimality), greedy.suboptimality());
        assert_eq!(sample.expansions, greedy.tally.expansions);
        let gain = astar.tally.expansions as f64 / greedy.tally.expansions as f64;
        assert!(gain > 1.0, "{gain}");
        assert_eq!((sample.gain, sample.slowdown), (Some(gain), None));
        assert_eq!(Sample::of(&greedy, None).unwrap().gain, None);
        // Nothing is said of those that did not arrive, nor by comparing with them.
        let lost = Record { outcome: Outcome::GaveUp, ..astar.clone() };
        assert_eq!(Sample::of(&lost, Some(&greedy)), None);
        assert_eq!(Sample::of(&greedy, Some(&lost)).unwrap().gain, None);
        let idle = Record { tally: Tally { expansions: 0, ..astar.tally }, ..astar };
        assert_eq!(Sample::of(&idle, Some(&greedy)).unwrap().gain, None);
    }
}
