//! How values spread over many problems: percentiles, also by the length of the shortest path. Where a few
//! problems are far harder than most, means say little.

use std::collections::BTreeMap;

use crate::{Outcome, Record};

/// Values in order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Ranked(Vec<f64>);

impl Ranked {
    /// Puts values in order.
    pub fn new(values: impl IntoIterator<Item = f64>) -> Ranked {
        let mut values: Vec<_> = values.into_iter().collect();
        values.sort_unstable_by(f64::total_cmp);
        Ranked(values)
    }

    /// The least value that so many percent of all do not exceed (the nearest rank): 100 for the largest.
    /// None if there are no values, or for more than 100.
    pub fn percentile(&self, percent: usize) -> Option<f64> {
        let rank = (percent * self.0.len()).div_ceil(100).max(1);
        self.0.get(rank - 1).copied()
    }

    /// The share of the values that do not exceed a limit, but for rounding.
    pub fn share_up_to(&self, limit: f64) -> Option<f64> {
        let within = self.0.partition_point(|&value| value <= limit + ROUNDING);
        (!self.0.is_empty()).then(|| within as f64 / self.0.len() as f64)
    }
}

/// Lengths are sums of roots, and ratios of such.
const ROUNDING: f64 = 1e-9;

/// What a record has to say here: little enough to be kept for hundreds of thousands of them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    /// The length of a shortest path, in cells.
    pub optimal: f64,
    /// The length walked over the shortest.
    pub suboptimality: f64,
    /// Nodes expanded.
    pub expansions: u64,
    /// The expansions of another algorithm over these, if there is one, both reached the goal and had to
    /// think.
    pub gain: Option<f64>,
    /// The frames of a clocked game over the least, if they were counted.
    pub slowdown: Option<f64>,
    /// The same over those of a shortest path.
    pub over_optimal: Option<f64>,
}

impl Sample {
    /// Of a record, beside that of another algorithm on the same problem; none where the goal was not
    /// reached, or there was no way at first.
    pub fn of(record: &Record, beside: Option<&Record>) -> Option<Sample> {
        let thought = |record: &Record| {
            let counts = record.outcome == Outcome::Reached && record.expansions > 0;
            counts.then_some(record.expansions as f64)
        };
        Some(Sample {
            optimal: record.optimal?,
            // Only those that reached the goal have one.
            suboptimality: record.suboptimality?,
            expansions: record.expansions,
            gain: beside.and_then(|other| Some(thought(other)? / thought(record)?)),
            slowdown: record.clock.map(|clock| clock.slowdown),
            over_optimal: record.clock.and_then(|clock| clock.over_optimal),
        })
    }
}

/// What many samples say together.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Spread {
    /// How many there are.
    pub problems: usize,
    /// The length walked over the shortest.
    pub suboptimality: Ranked,
    /// Nodes expanded.
    pub expansions: Ranked,
    /// The expansions of another algorithm over these.
    pub gain: Ranked,
    /// The frames of a clocked game over the least.
    pub slowdown: Ranked,
    /// The same over those of a shortest path.
    pub over_optimal: Ranked,
}

impl Spread {
    /// Of these samples.
    pub fn of<'s>(samples: impl IntoIterator<Item = &'s Sample>) -> Spread {
        let samples: Vec<_> = samples.into_iter().collect();
        let ranked = |value: &dyn Fn(&Sample) -> Option<f64>| {
            Ranked::new(samples.iter().filter_map(|sample| value(sample)))
        };
        Spread {
            problems: samples.len(),
            suboptimality: ranked(&|s| Some(s.suboptimality)),
            expansions: ranked(&|s| Some(s.expansions as f64)),
            gain: ranked(&|s| s.gain),
            slowdown: ranked(&|s| s.slowdown),
            over_optimal: ranked(&|s| s.over_optimal),
        }
    }

    /// Of the samples whose shortest path is at least so many times `width` long and less than once more,
    /// for each such number that there are any of.
    ///
    /// # Panics
    /// When the width is zero.
    pub fn by_length(samples: &[Sample], width: u64) -> BTreeMap<u64, Spread> {
        let mut buckets: BTreeMap<u64, Vec<&Sample>> = BTreeMap::new();
        for sample in samples {
            buckets.entry(sample.optimal as u64 / width).or_default().push(sample);
        }
        buckets.into_iter().map(|(nth, samples)| (nth, Spread::of(samples))).collect()
    }
}

#[cfg(test)]
mod tests {
    use tickstar::catalog;

    use super::*;
    use crate::{Job, Terrain, builtin};

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
        let buckets = Spread::by_length(&samples, 4);
        let found: Vec<_> = buckets.iter().map(|(&nth, spread)| (nth, spread.problems)).collect();
        assert_eq!(found, [(0, 2), (1, 2), (2, 1), (5, 1)]);
        assert_eq!(buckets[&1].expansions, Ranked::new([3.0, 4.0]));
        assert_eq!(Spread::by_length(&samples, 100)[&0], Spread::of(&samples));
    }

    #[test]
    fn a_sample_is_what_the_record_says() {
        let map = builtin::find("rooms-64").unwrap();
        let grid = map.grid();
        let problem = map.problems(&grid, 1, 7)[0];
        let terrain = Terrain::new(&"known".parse().unwrap(), &grid, 7).unwrap();
        let record = |name, budget| {
            let config = catalog::find(name).unwrap().configure::<&str, &str>(&[]).unwrap();
            let job = Job::new(map.name, &terrain, &config, budget);
            let journey = job.sim(&problem).unwrap().run(None, None);
            let quick = job.judge_length(&problem, &journey, job.optimal(&problem).unwrap());
            let full = job.record(&problem).unwrap();
            assert_eq!(quick, Record { non_optimal_moves: None, ..full.clone() });
            assert!(full.non_optimal_moves.is_some());
            quick
        };
        let (astar, greedy) = (record("astar", None), record("gbfs", None));
        let sample = Sample::of(&greedy, Some(&astar)).unwrap();
        assert_eq!(Some(sample.optimal), astar.optimal);
        assert_eq!(Some(sample.suboptimality), greedy.suboptimality);
        assert_eq!(sample.expansions, greedy.expansions);
        let gain = astar.expansions as f64 / greedy.expansions as f64;
        assert!(gain > 1.0, "{gain}");
        assert_eq!((sample.gain, sample.slowdown), (Some(gain), None));
        assert_eq!(Sample::of(&greedy, None).unwrap().gain, None);
        // Nothing is said of those that did not arrive, nor by comparing with them.
        let (outcome, suboptimality) = (Outcome::GaveUp, None);
        let lost = Record { outcome, suboptimality, ..astar.clone() };
        assert_eq!(Sample::of(&lost, Some(&greedy)), None);
        assert_eq!(Sample::of(&greedy, Some(&lost)).unwrap().gain, None);
        let idle = Record { expansions: 0, ..astar };
        assert_eq!(Sample::of(&idle, Some(&greedy)).unwrap().gain, None);
    }
}
