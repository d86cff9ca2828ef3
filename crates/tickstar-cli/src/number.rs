//! Numbers on the command line, with errors that say what is expected.

use std::ops::RangeInclusive;

use tickstar_lab::Pace;

/// Reads a whole number in a range.
pub fn whole<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| match *range.end() {
            u64::MAX => format!("expected a whole number from {} to 2^64 - 1", range.start()),
            last => format!("expected a whole number from {} to {last}", range.start()),
        })
    }
}

/// A seed, a budget or any other number from zero.
pub fn from_zero(text: &str) -> Result<u64, String> {
    whole(0..=u64::MAX)(text)
}

/// A number of things of which there must be one at least.
pub fn from_one(text: &str) -> Result<u64, String> {
    whole(1..=u64::MAX)(text)
}

/// A decimal number for a clock.
pub fn pace(text: &str) -> Result<f64, String> {
    let (least, most) = (*Pace::RANGE.start(), *Pace::RANGE.end());
    let number = text.parse().ok().filter(|number| Pace::RANGE.contains(number));
    number.ok_or_else(|| format!("expected a number from {least} to {most}"))
}
