//! The range of an axis, and the places on it that have a number.

use super::number::{decimal, labels, log10};

/// Values beyond are drawn as these, so that no range overflows.
const LARGEST: f64 = 1e300;
const SMALLEST: f64 = 1e-300;

/// The most intervals between numbers, and how far rounding may place a number beyond the end of its axis.
const INTERVALS: f64 = 6.0;
const ROUNDING: f64 = 1e-9;

/// How values are placed along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PlotScale {
    /// In proportion.
    #[default]
    Linear,
    /// In proportion to the logarithm, which only positive values have.
    Log,
}

impl PlotScale {
    /// Whether an axis has a place for this value.
    pub(in crate::draw) fn has(self, value: f64) -> bool {
        value.is_finite() && (self == PlotScale::Linear || value > 0.0)
    }
}

/// What an axis shows: values, or exponents of ten if it is logarithmic.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::draw) struct Range {
    scale: PlotScale,
    from: f64,
    to: f64,
    /// The least and the largest value.
    values: (f64, f64),
}

/// A place on an axis, from 0 to 1, and what is written there.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::draw) struct Tick {
    pub(in crate::draw) place: f64,
    pub(in crate::draw) label: String,
}

/// The numbers of an axis, and the places of fainter lines between them.
#[derive(Clone, PartialEq, Debug, Default)]
pub(in crate::draw) struct Ticks {
    pub(in crate::draw) major: Vec<Tick>,
    pub(in crate::draw) minor: Vec<f64>,
}

impl Range {
    /// A range with room for these values. A linear one ends at round numbers, if it is `round`.
    pub(in crate::draw) fn new(
        scale: PlotScale,
        values: impl IntoIterator<Item = f64>,
        round: bool,
    ) -> Range {
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(|&value| scale.has(value)) {
            let value = bounded(scale, value);
            least = least.min(value);
            most = most.max(value);
        }
        match scale {
            PlotScale::Linear => Range::linear(least, most, round),
            PlotScale::Log => Range::log(least, most),
        }
    }

    fn linear(mut least: f64, mut most: f64, round: bool) -> Range {
        if least > most {
            (least, most) = (0.0, 1.0);
        } else if most - least <= 1e-12 * most.abs().max(least.abs()) {
            let about = if most == 0.0 { 1.0 } else { most.abs() / 10.0 };
            (least, most) = (if most == 0.0 { 0.0 } else { least - about }, most + about);
        }
        let (from, to) = if round {
            let step = Step::new(most - least, INTERVALS);
            let (low, high) = step.around(least, most);
            (step.value(low), step.value(high))
        } else {
            let pad = 0.06 * (most - least);
            (least - pad, most + pad)
        };
        Range { scale: PlotScale::Linear, from, to, values: (least, most) }
    }

    fn log(mut least: f64, mut most: f64) -> Range {
        if least > most {
            (least, most) = (1.0, 10.0);
        } else if most / least < 1.02 {
            (least, most) = (least / 1.2, most * 1.2);
        }
        let (from, to) = (log10(least), log10(most));
        let pad = 0.04 * (to - from);
        Range { scale: PlotScale::Log, from: from - pad, to: to + pad, values: (least, most) }
    }

    pub(in crate::draw) fn scale(&self) -> PlotScale {
        self.scale
    }

    /// Where a value is, from 0 to 1.
    pub(in crate::draw) fn place(&self, value: f64) -> f64 {
        self.part(bounded(self.scale, value)).clamp(0.0, 1.0)
    }

    fn part(&self, value: f64) -> f64 {
        self.part_to(if self.scale == PlotScale::Log { log10(value) } else { value })
    }

    /// The same for an exponent, if the axis is logarithmic.
    fn part_to(&self, at: f64) -> f64 {
        (at - self.from) / (self.to - self.from)
    }

    /// Numbers for this range, as many as fit.
    pub(in crate::draw) fn ticks(&self, fits: impl Fn(&[Tick]) -> bool) -> Ticks {
        match self.scale {
            PlotScale::Linear => {
                let steps = [6.0, 5.0, 4.0, 3.0, 2.0, 1.0];
                let all = steps.map(|most| self.linear_ticks(Step::new(self.to - self.from, most)));
                let major = first_that(all, |ticks| fits(ticks));
                Ticks { major, minor: Vec::new() }
            }
            PlotScale::Log => self.log_ticks(fits),
        }
    }

    /// The multiples of a step on the axis.
    fn linear_ticks(&self, step: Step) -> Vec<Tick> {
        let (low, high) = match self.scale {
            PlotScale::Linear => step.around(self.from, self.to),
            PlotScale::Log => step.around(self.values.0 / 1.2, self.values.1 * 1.2),
        };
        // A range has few steps, whatever it is.
        let times = (0..=32).map(|nth| low + f64::from(nth)).take_while(|&nth| nth <= high);
        let values = times.map(|nth| step.value(nth)).filter(|&value| self.scale.has(value));
        let values: Vec<_> = values.filter(|&value| on_axis(self.part(value))).collect();
        let labels = labels(&values, Some(step.decimals()));
        let tick = |(&value, label)| Tick { place: self.part(value).clamp(0.0, 1.0), label };
        values.iter().zip(labels).map(tick).collect()
    }

    fn log_ticks(&self, fits: impl Fn(&[Tick]) -> bool) -> Ticks {
        // From fine to coarse.
        let decades = self.decades(&[1], 1);
        let span = self.to - self.from;
        let mut all: Vec<(Vec<Tick>, &[u8])> = Vec::new();
        if decades.len() < 3 {
            if span < 0.7 {
                let (least, most) = self.values;
                for intervals in [6.0, 4.0, 3.0, 2.0] {
                    all.push((self.linear_ticks(Step::new(most - least, intervals)), &[]));
                }
            }
            let sets: [&[u8]; 3] = [&[1, 2, 3, 5, 7], &[1, 2, 5], &[1, 3]];
            all.extend(sets.map(|digits| (self.decades(digits, 1), &NINE[..])));
        }
        all.push((decades, &NINE));
        all.extend((2..=100).map(|every| (self.decades(&[1], every), &[1_u8][..])));
        let usable = |ticks: &[Tick]| (2..=7).contains(&ticks.len()) && fits(ticks);
        let found = all.iter().position(|(ticks, _)| usable(ticks));
        let Some((major, fine)) = found.map(|nth| all.swap_remove(nth)) else {
            return Ticks::default();
        };
        let taken = |place: f64| major.iter().any(|tick| (tick.place - place).abs() < ROUNDING);
        // More lines than these would be a gray area.
        let fine = if span > 7.0 && fine.len() > 1 { &fine[..1] } else { fine };
        let minor = if fine.is_empty() { Vec::new() } else { self.decades(fine, 1) };
        let mut minor: Vec<_> = minor.into_iter().map(|tick| tick.place).collect();
        minor.retain(|&place| !taken(place));
        if minor.len() > 70 {
            minor.clear();
        }
        Ticks { major, minor }
    }

    /// These digits of each decade, or of every second, third and so on.
    fn decades(&self, digits: &[u8], every: usize) -> Vec<Tick> {
        let powers = (self.from.floor() as i32..=self.to.ceil() as i32)
            .filter(|power| power.rem_euclid(every as i32) == 0);
        let all = powers.flat_map(|power| digits.iter().map(move |&digit| (digit, power)));
        let place = |(digit, power)| self.part_to(log10(f64::from(digit)) + f64::from(power));
        let all: Vec<_> = all.filter(|&mark| on_axis(place(mark))).collect();
        let values: Vec<_> = all.iter().map(|&(digit, power)| decimal(digit, power)).collect();
        let tick = |(&mark, label)| Tick { place: place(mark).clamp(0.0, 1.0), label };
        all.iter().zip(labels(&values, None)).map(tick).collect()
    }
}

/// Whether a part of an axis is on it.
fn on_axis(part: f64) -> bool {
    (-ROUNDING..=1.0 + ROUNDING).contains(&part)
}

const NINE: [u8; 9] = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/// The first that is good, or the last.
fn first_that<const N: usize>(all: [Vec<Tick>; N], good: impl Fn(&[Tick]) -> bool) -> Vec<Tick> {
    let mut last = Vec::new();
    for ticks in all {
        if good(&ticks) {
            return ticks;
        }
        last = ticks;
    }
    last
}

fn bounded(scale: PlotScale, value: f64) -> f64 {
    match scale {
        PlotScale::Linear if value.abs() < SMALLEST => 0.0,
        PlotScale::Linear => value.clamp(-LARGEST, LARGEST),
        PlotScale::Log => value.clamp(SMALLEST, LARGEST),
    }
}

/// The distance between two numbers on a linear axis: a digit times a power of ten.
#[derive(Clone, Copy)]
struct Step {
    digit: u8,
    power: i32,
}

impl Step {
    /// The least that divides a range into so many intervals at most.
    fn new(span: f64, most: f64) -> Step {
        let least = span / most;
        let power = log10(least.clamp(SMALLEST, LARGEST)).floor() as i32;
        let steps = [1, 2, 5].map(|digit| Step { digit, power });
        let good = |step: &Step| decimal(step.digit, step.power) >= least * (1.0 - ROUNDING);
        steps.into_iter().find(good).unwrap_or(Step { digit: 1, power: power + 1 })
    }

    /// The multiple at or below the first value, and the one at or above the second.
    fn around(self, least: f64, most: f64) -> (f64, f64) {
        let step = self.value(1.0);
        ((least / step + ROUNDING).floor(), (most / step - ROUNDING).ceil())
    }

    /// A multiple, as exact as its decimal form.
    fn value(self, times: f64) -> f64 {
        let digits = times * f64::from(self.digit);
        let value = match self.power {
            0.. => digits * decimal(1, self.power),
            _ => digits / decimal(1, -self.power),
        };
        // Not a negative zero.
        value + 0.0
    }

    fn decimals(self) -> usize {
        (-self.power).max(0) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(scale: PlotScale, values: &[f64]) -> Vec<String> {
        let ticks = Range::new(scale, values.iter().copied(), true).ticks(|_| true);
        ticks.major.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn numbers_are_round_for_usual_ranges() {
        for (values, expected) in [
            (&[0.0, 54.0][..], "0 10 20 30 40 50 60"),
            (&[1.003, 1.057], "1.00 1.01 1.02 1.03 1.04 1.05 1.06"),
            (&[1.0, 1.08], "1.00 1.02 1.04 1.06 1.08"),
            (&[0.0, 1.0], "0 0.2 0.4 0.6 0.8 1.0"),
            (&[-3.0, 4.0], "-4 -2 0 2 4"),
            (&[0.0, 4800.0], "0 1,000 2,000 3,000 4,000 5,000"),
            (&[0.0, 24_000.0], "0 5,000 10,000 15,000 20,000 25,000"),
            (&[0.0, 1_400_000.0], "0 500k 1M 1.5M"),
            (&[7.0], "6.0 6.5 7.0 7.5 8.0"),
            (&[0.0], "0 0.2 0.4 0.6 0.8 1.0"),
            (&[0.000_01, 0.000_05], "0.00001 0.00002 0.00003 0.00004 0.00005"),
        ] {
            assert_eq!(marks(PlotScale::Linear, values).join(" "), expected, "{values:?}");
        }
        for (values, expected) in [
            (&[8.0, 1024.0][..], "10 100 1,000"),
            (&[1.0, 1024.0], "1 10 100 1,000"),
            (&[0.02, 900.0], "0.1 1 10 100 1,000"),
            (&[1.0, 3e5], "1 10 100 1k 10k 100k"),
            (&[3.0, 40.0], "3 5 7 10 20 30"),
            (&[1.02, 1.6], "1.1 1.2 1.3 1.4 1.5 1.6"),
            (&[1.0, 1e12], "1 100 10k 1M 100M 10G 1T"),
            (&[5.0], "4.5 5.0 5.5 6.0"),
        ] {
            assert_eq!(marks(PlotScale::Log, values).join(" "), expected, "{values:?}");
        }
    }

    #[test]
    fn any_values_give_a_range() {
        let extreme = [f64::MAX, -f64::MAX, f64::MIN_POSITIVE, 5e-324, 0.0, -0.0, 1e15, 1e15 + 1.0];
        let strange = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 1.0];
        let all: Vec<f64> = extreme.into_iter().chain(strange).collect();
        for scale in [PlotScale::Linear, PlotScale::Log] {
            for &a in &all {
                for &b in &all {
                    for round in [true, false] {
                        let range = Range::new(scale, [a, b], round);
                        assert!(range.from < range.to, "{scale:?} {a} {b}: {range:?}");
                        assert!((range.to - range.from).is_finite(), "{scale:?} {a} {b}");
                        let ticks = range.ticks(|_| true);
                        assert!(ticks.major.len() <= 8, "{scale:?} {a} {b}: {ticks:?}");
                        assert!(ticks.major.is_sorted_by(|a, b| a.place < b.place), "{ticks:?}");
                        for value in [a, b] {
                            if scale.has(value) {
                                assert!((0.0..=1.0).contains(&range.place(value)));
                            }
                        }
                    }
                }
            }
            assert!(Range::new(scale, [], true).ticks(|_| true).major.len() > 1);
            assert!(Range::new(scale, [3.0, 9.0], true).ticks(|_| false).major.len() <= 2);
        }
    }
}
