//! What a reproduction has measured: estimates by name. They are computed from records when they are first asked for,
//! and can be kept in a file, from which the same report is made again without any record.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::experiment::{Experiment, Results, ResultsError, Store};
use crate::statistics::Estimate;

/// Estimates by name, from records or from a file.
#[derive(Debug)]
pub struct Evidence<'a> {
    records: Option<(&'a [Experiment], &'a Store)>,
    results: BTreeMap<String, Results>,
    kept: BTreeMap<String, [f64; 4]>,
    /// Whose walks were asked for, by experiment, since it was last asked which of them failed.
    asked: BTreeSet<(String, String)>,
    /// Names that are in no record, or not in the file.
    missing: Vec<String>,
    failed: Option<ResultsError>,
}

/// The metrics that are read from records.
const METRICS: [&str; 19] = [
    "cost",
    "optimal",
    "suboptimality",
    "moves",
    "intervals",
    "first_move_interval",
    "found_interval",
    "expansions",
    "max_expansions_per_interval",
    "trace_steps",
    "updates",
    "back_moves",
    "late_back_moves",
    "non_optimal_moves",
    "restarts",
    "milliseconds",
    "slowdown",
    "frames_over_optimal",
    "outcome",
];

/// Kept estimates, in a file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Kept {
    /// What was run, as text.
    pub run: serde_json::Value,
    /// By name: the value, both ends of its interval, and the number of problems.
    pub estimates: BTreeMap<String, [Option<f64>; 4]>,
}

impl Kept {
    /// As JSON, an estimate per line, so that versions can be compared.
    ///
    /// # Panics
    /// Never: numbers and text can be written.
    pub fn to_text(&self) -> String {
        let line = |(name, values): (&String, &[Option<f64>; 4])| {
            let name = serde_json::to_string(name).expect("text");
            format!("    {name}: {}", serde_json::to_string(values).expect("numbers"))
        };
        let lines: Vec<String> = self.estimates.iter().map(line).collect();
        format!(
            "{{\n  \"run\": {},\n  \"estimates\": {{\n{}\n  }}\n}}\n",
            self.run,
            lines.join(",\n")
        )
    }
}

/// A contestant of an experiment: its text and budget, as in `tba:switch=true@10` or `astar@none`.
pub type Who<'w> = &'w str;

/// Lengths of shortest paths, from the first to below the second.
pub type Lengths = (u32, u32);

/// Every length.
pub const ANY: Lengths = (0, u32::MAX);

impl<'a> Evidence<'a> {
    /// Evidence from the records of experiments.
    pub fn of_records(experiments: &'a [Experiment], store: &'a Store) -> Evidence<'a> {
        Evidence {
            records: Some((experiments, store)),
            results: BTreeMap::new(),
            kept: BTreeMap::new(),
            asked: BTreeSet::new(),
            missing: Vec::new(),
            failed: None,
        }
    }

    /// Evidence that was kept.
    pub fn of_kept(kept: &Kept) -> Evidence<'static> {
        let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
        let estimates = kept.estimates.iter();
        Evidence {
            records: None,
            results: BTreeMap::new(),
            kept: estimates.map(|(name, values)| (name.clone(), values.map(number))).collect(),
            asked: BTreeSet::new(),
            missing: Vec::new(),
            failed: None,
        }
    }

    /// All that was asked for, to be kept.
    pub fn keep(&self, run: serde_json::Value) -> Kept {
        let number = |value: f64| value.is_finite().then_some(value);
        let estimates = self.kept.iter();
        Kept { run, estimates: estimates.map(|(name, v)| (name.clone(), v.map(number))).collect() }
    }

    /// What could not be found: names that kept evidence does not have. Empty if all is well.
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// What went wrong while reading records, if something did.
    ///
    /// # Errors
    /// When the records of an experiment could not be read.
    pub fn check(self) -> Result<(), ResultsError> {
        self.failed.map_or(Ok(()), Err)
    }

    /// The estimate of this name, computed from the results of an experiment if it is asked for the first time.
    fn get(
        &mut self,
        experiment: &str,
        name: &str,
        compute: impl FnOnce(&View<'_>) -> Estimate,
    ) -> Estimate {
        let name = format!("{experiment} {name}");
        if !self.kept.contains_key(&name) {
            let Some(estimate) = self.compute(experiment, compute) else {
                self.missing.push(name);
                return Estimate::mean(&[]);
            };
            let Estimate { value, low, high, count } = estimate;
            let values = [rounded(value), rounded(low), rounded(high), count as f64];
            self.kept.insert(name.clone(), values);
        }
        let [value, low, high, count] = self.kept[&name];
        Estimate { value, low, high, count: count as usize }
    }

    fn ask(&mut self, experiment: &str, who: Who<'_>) {
        self.asked.insert((experiment.to_string(), who.to_string()));
    }

    /// The contestants that were asked about since the last call, with the share of problems that each did not solve.
    pub fn take_failures(&mut self) -> Vec<(String, Estimate)> {
        let asked = std::mem::take(&mut self.asked).into_iter();
        asked.map(|(experiment, who)| (who.clone(), self.failures(&experiment, &who))).collect()
    }

    fn compute(
        &mut self,
        experiment: &str,
        compute: impl FnOnce(&View<'_>) -> Estimate,
    ) -> Option<Estimate> {
        let (experiments, store) = self.records?;
        let found = experiments.iter().find(|other| other.name == experiment)?;
        if !self.results.contains_key(experiment) {
            match Results::read(found, store, &METRICS) {
                Ok(results) => {
                    self.results.insert(experiment.to_string(), results);
                }
                Err(error) => {
                    self.failed.get_or_insert(error);
                    return None;
                }
            }
        }
        Some(compute(&View { experiment: found, results: &self.results[experiment] }))
    }

    /// The mean of a metric over the problems that a contestant solved.
    pub fn mean(&mut self, experiment: &str, metric: &str, who: Who<'_>) -> Estimate {
        self.ask(experiment, who);
        self.get(experiment, &format!("mean {metric} {who}"), |view| {
            Estimate::mean(&kept(view.values(metric, who, ANY)))
        })
    }

    /// The mean of a metric for one contestant over that for another, on the problems that both solved.
    pub fn ratio(
        &mut self,
        experiment: &str,
        metric: &str,
        over: Who<'_>,
        under: Who<'_>,
    ) -> Estimate {
        self.ask(experiment, over);
        self.ask(experiment, under);
        self.get(experiment, &format!("ratio {metric} {over} / {under}"), |view| {
            let pairs = paired(view.values(metric, over, ANY), &view.values(metric, under, ANY));
            Estimate::ratio(&pairs.0, &pairs.1)
        })
    }

    /// The sum of one metric over the sum of another, for one contestant.
    pub fn quotient(
        &mut self,
        experiment: &str,
        (over, under): (&str, &str),
        who: Who<'_>,
    ) -> Estimate {
        self.ask(experiment, who);
        self.get(experiment, &format!("quotient {over} / {under} {who}"), |view| {
            let pairs = paired(view.values(over, who, ANY), &view.values(under, who, ANY));
            Estimate::ratio(&pairs.0, &pairs.1)
        })
    }

    /// The largest value of a metric.
    pub fn most(&mut self, experiment: &str, metric: &str, who: Who<'_>) -> f64 {
        let most = self.get(experiment, &format!("most {metric} {who}"), |view| {
            let values = kept(view.values(metric, who, ANY));
            let most = values.iter().copied().fold(f64::NAN, f64::max);
            Estimate { value: most, low: most, high: most, count: values.len() }
        });
        most.value
    }

    /// A percentile of a metric over problems of these lengths.
    pub fn percentile(
        &mut self,
        experiment: &str,
        metric: &str,
        who: Who<'_>,
        percent: usize,
        lengths: Lengths,
    ) -> Estimate {
        self.ask(experiment, who);
        let name = format!("p{percent} {metric} {who} {}-{}", lengths.0, lengths.1);
        self.get(experiment, &name, |view| {
            Estimate::percentile(&kept(view.values(metric, who, lengths)), percent)
        })
    }

    /// A percentile, over problems of these lengths, of the expansions of one contestant over those of another.
    pub fn gain(
        &mut self,
        experiment: &str,
        (over, under): (Who<'_>, Who<'_>),
        percent: usize,
        lengths: Lengths,
    ) -> Estimate {
        self.ask(experiment, over);
        self.ask(experiment, under);
        let name = format!("p{percent} gain {over} / {under} {}-{}", lengths.0, lengths.1);
        self.get(experiment, &name, |view| {
            let values = |who| view.values("expansions", who, lengths);
            let (over, under) = paired(values(over), &values(under));
            let gains = over.iter().zip(&under).filter(|(_, under)| **under > 0.0);
            let gains: Vec<f64> = gains.map(|(over, under)| over / under).collect();
            Estimate::percentile(&gains, percent)
        })
    }

    /// The share of problems on which a metric lies between two values, both included within rounding.
    pub fn share(
        &mut self,
        experiment: &str,
        metric: &str,
        who: Who<'_>,
        (low, high): (f64, f64),
    ) -> Estimate {
        self.ask(experiment, who);
        self.get(experiment, &format!("share {metric} {low}-{high} {who}"), |view| {
            let within = |value: &f64| (low - 1e-9..=high + 1e-9).contains(value);
            let values = kept(view.values(metric, who, ANY));
            let flags: Vec<f64> = values.iter().map(|value| f64::from(within(value))).collect();
            Estimate::mean(&flags)
        })
    }

    /// The share of problems with a path that a contestant did not solve.
    pub fn failures(&mut self, experiment: &str, who: Who<'_>) -> Estimate {
        self.get(experiment, &format!("failures {who}"), |view| {
            let nth = view.place(who);
            let outcomes = view.results.values("outcome", nth);
            let paths = view.results.values("optimal", nth);
            let solvable = outcomes.iter().zip(&paths).filter(|(_, path)| path.is_finite());
            let failed: Vec<f64> = solvable.map(|(reached, _)| 1.0 - reached).collect();
            Estimate::mean(&failed)
        })
    }

    /// How many times the expansions per move of one contestant others need for walks as short as its: on the
    /// line through their settings, with logarithms of both values, in the order given. If no setting is as good,
    /// the best one counts, which is then a lower bound; if all are better, the cheapest.
    pub fn effort_to_match(
        &mut self,
        experiment: &str,
        who: Who<'_>,
        others: &[String],
    ) -> Estimate {
        self.ask(experiment, who);
        for other in others {
            self.ask(experiment, other);
        }
        let name = format!("effort to match {who} by {}", others.join(" "));
        self.get(experiment, &name, |view| {
            let columns = |who: &str| {
                ["suboptimality", "expansions", "moves"].map(|name| view.values(name, who, ANY))
            };
            let all: Vec<[Vec<f64>; 3]> = std::iter::once(who)
                .chain(others.iter().map(String::as_str))
                .map(columns)
                .collect();
            let solved = |nth: &usize| all.iter().flatten().all(|list| list[*nth].is_finite());
            let problems: Vec<usize> = (0..view.results.problems()).filter(solved).collect();
            Estimate::bootstrap(problems.len(), |draw| {
                let sum = |list: &[f64]| draw.iter().map(|&nth| list[problems[nth]]).sum::<f64>();
                let point = |[length, expansions, moves]: &[Vec<f64>; 3]| {
                    (sum(length) / draw.len() as f64, sum(expansions) / sum(moves))
                };
                let points: Vec<_> = all.iter().map(point).collect();
                effort_at(points[0].0, &points[1..]) / points[0].1
            })
        })
    }
}

/// The effort at which a line through points (length, effort), with logarithms, has this length.
fn effort_at(length: f64, points: &[(f64, f64)]) -> f64 {
    let crossing = points.windows(2).find(|pair| pair[0].0 >= length && pair[1].0 <= length);
    if let Some(&[(long, few), (short, many)]) = crossing {
        if long <= short {
            return few;
        }
        let along = (long.ln() - length.ln()) / (long.ln() - short.ln());
        return (few.ln() + along * (many.ln() - few.ln())).exp();
    }
    let best = points.iter().copied().min_by(|a, b| a.0.total_cmp(&b.0));
    let cheapest = points.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
    match (best, cheapest) {
        (Some((shortest, effort)), _) if shortest > length => effort,
        (_, Some((_, effort))) => effort,
        _ => f64::NAN,
    }
}

/// The records of one experiment.
struct View<'v> {
    experiment: &'v Experiment,
    results: &'v Results,
}

impl View<'_> {
    fn place(&self, who: Who<'_>) -> usize {
        let found = self.experiment.contestants().iter().position(|other| other.key() == who);
        found.unwrap_or_else(|| panic!("bug: {} has no contestant {who}", self.experiment.name))
    }

    /// The values of a metric for a contestant, by problem. Not a number where it did not reach the goal, there is
    /// no path, or the path has another length.
    fn values(&self, metric: &str, who: Who<'_>, (from, to): Lengths) -> Vec<f64> {
        let nth = self.place(who);
        let outcomes = self.results.values("outcome", nth);
        let lengths = self.results.values("optimal", nth);
        let mut values = self.results.values(metric, nth);
        for ((value, outcome), length) in values.iter_mut().zip(outcomes).zip(lengths) {
            // Outcomes are 1 for those who arrived, and 0.
            let counts = outcome > 0.5 && length >= f64::from(from) && length < f64::from(to);
            if !counts {
                *value = f64::NAN;
            }
        }
        values
    }
}

fn kept(values: Vec<f64>) -> Vec<f64> {
    values.into_iter().filter(|value| value.is_finite()).collect()
}

/// The values of the problems that both lists have.
fn paired(over: Vec<f64>, under: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let both = |(over, under): &(f64, &f64)| over.is_finite() && under.is_finite();
    over.into_iter().zip(under).filter(both).map(|(over, under)| (over, *under)).unzip()
}

/// Six digits: what is kept in a file is what the report was made from.
fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}
