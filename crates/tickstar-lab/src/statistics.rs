//! Estimates with 95 % confidence intervals: by bootstrap with a fixed seed, so that the same values give the same
//! interval, and by ranks for percentiles. Comparisons are paired: both values of a problem are drawn together.

use crate::generate::Dice;

/// A value with its 95 % confidence interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// How many problems it is of.
    pub count: usize,
}

/// How often problems are drawn again.
const RESAMPLES: usize = 1000;
/// The seed of all draws.
const SEED: u64 = 2009;

impl Estimate {
    /// None of any value.
    const NONE: Estimate = Estimate { value: f64::NAN, low: f64::NAN, high: f64::NAN, count: 0 };

    /// Whether there is a value.
    pub fn exists(&self) -> bool {
        self.value.is_finite()
    }

    /// The mean of values.
    pub fn mean(values: &[f64]) -> Estimate {
        Estimate::bootstrap(values.len(), |draw| {
            draw.iter().map(|&nth| values[nth]).sum::<f64>() / draw.len() as f64
        })
    }

    /// The median of values.
    pub fn median(values: &[f64]) -> Estimate {
        let sorted = |draw: &[usize]| {
            let mut drawn: Vec<f64> = draw.iter().map(|&nth| values[nth]).collect();
            drawn.sort_unstable_by(f64::total_cmp);
            let middle = drawn.len() / 2;
            let even = drawn.len().is_multiple_of(2);
            if even { f64::midpoint(drawn[middle - 1], drawn[middle]) } else { drawn[middle] }
        };
        Estimate::bootstrap(values.len(), sorted)
    }

    /// The mean of one list over the mean of another, of the same problems in the same order.
    ///
    /// # Panics
    /// When the lists differ in length.
    pub fn ratio(over: &[f64], under: &[f64]) -> Estimate {
        assert_eq!(over.len(), under.len(), "values of the same problems");
        Estimate::bootstrap(over.len(), |draw| {
            let sum = |values: &[f64]| draw.iter().map(|&nth| values[nth]).sum::<f64>();
            let (over, under) = (sum(over), sum(under));
            // Two sums of nothing are equal.
            if over == 0.0 && under == 0.0 { 1.0 } else { over / under }
        })
    }

    /// The nearest-rank percentile, with the ranks between which it lies with 95 % probability (by the normal
    /// approximation of their number).
    pub fn percentile(values: &[f64], percent: usize) -> Estimate {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let count = sorted.len();
        let Some(last) = count.checked_sub(1) else { return Estimate::NONE };
        let share = percent as f64 / 100.0;
        let spread = 1.96 * (count as f64 * share * (1.0 - share)).sqrt();
        let middle = count as f64 * share;
        let at = |rank: f64| sorted[(rank.max(1.0) as usize - 1).min(last)];
        let rank = (percent * count).div_ceil(100).max(1);
        Estimate {
            value: sorted[(rank - 1).min(last)],
            low: at((middle - spread).floor()),
            high: at((middle + spread).ceil()),
            count,
        }
    }

    /// A statistic of places in a list, which are drawn again and again.
    pub fn bootstrap(count: usize, statistic: impl Fn(&[usize]) -> f64) -> Estimate {
        if count == 0 {
            return Estimate::NONE;
        }
        let mut draw: Vec<usize> = (0..count).collect();
        let value = statistic(&draw);
        let mut dice = Dice::keyed(SEED, [count as u32, 0, 0, 0, 0, 0]);
        let mut drawn: Vec<f64> = (0..RESAMPLES)
            .map(|_| {
                draw.fill_with(|| dice.below(count));
                statistic(&draw)
            })
            .collect();
        drawn.sort_unstable_by(f64::total_cmp);
        let (low, high) = (drawn[RESAMPLES / 40], drawn[RESAMPLES - 1 - RESAMPLES / 40]);
        Estimate { value, low, high, count }
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // values that are exact
mod tests {
    use super::*;

    #[test]
    fn intervals_cover_what_they_should() {
        // Values 0 to 99 in a mixed order: the standard error of their mean is 2.9.
        let values: Vec<f64> = (0..100).map(|nth| f64::from(nth * 37 % 100)).collect();
        let mean = Estimate::mean(&values);
        assert_eq!(mean.value, 49.5);
        assert!((43.0..45.0).contains(&mean.low) && (54.0..56.0).contains(&mean.high), "{mean:?}");
        assert_eq!(mean, Estimate::mean(&values));
        let median = Estimate::median(&values);
        assert!(median.value == 49.5 && median.low < 45.0 && median.high > 54.0, "{median:?}");
        let percentile = Estimate::percentile(&values, 95);
        assert_eq!((percentile.value, percentile.low, percentile.high), (94.0, 89.0, 99.0));
        assert_eq!(Estimate::percentile(&[3.0], 98).value, 3.0);
        assert!(!Estimate::mean(&[]).exists() && !Estimate::percentile(&[], 5).exists());
    }

    #[test]
    fn paired_values_are_drawn_together() {
        // Very different problems, on all of which the first is 10 % larger.
        let under: Vec<f64> = (1..50).map(|nth| f64::from(nth * nth)).collect();
        let over: Vec<f64> = under.iter().map(|value| 1.1 * value).collect();
        let ratio = Estimate::ratio(&over, &under);
        assert!((ratio.low - 1.1).abs() < 1e-9 && (ratio.high - 1.1).abs() < 1e-9, "{ratio:?}");
        assert_eq!(Estimate::ratio(&[0.0], &[0.0]).value, 1.0);
    }
}
