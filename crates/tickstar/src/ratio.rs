//! Exact fractions for weights and shares, so that no floating-point value decides an order or a budget.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::printable::printable;

/// The largest numerator or denominator of a [`Ratio`].
const LIMIT: u64 = 1_000_000;

/// A non-negative fraction in lowest terms, such as the weight 7/5.
///
/// ```
/// use tickstar::search::Ratio;
/// assert_eq!("1.4".parse(), Ratio::new(7, 5));
/// assert_eq!(Ratio::try_from(0.9), Ratio::new(9, 10));
/// assert!(Ratio::try_from(f64::NAN).is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ratio {
    num: u32,
    den: u32,
}

/// Why a number is not a usable [`Ratio`].
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum RatioError {
    /// Not a decimal number or a fraction.
    #[error("`{0}` is not a number: write a decimal such as 1.4 or a fraction such as 7/5")]
    NotANumber(String),
    /// Less than zero.
    #[error("`{0}` is negative")]
    Negative(String),
    /// More digits than the exact arithmetic supports.
    #[error("`{0}` needs a numerator or denominator above one million: use fewer digits")]
    TooFine(String),
}

impl Ratio {
    /// One.
    pub const ONE: Ratio = Ratio { num: 1, den: 1 };

    /// The fraction `num / den` in lowest terms.
    ///
    /// # Errors
    /// If `den` is zero, or if either part exceeds one million in lowest terms.
    pub fn new(num: u64, den: u64) -> Result<Ratio, RatioError> {
        let text = || format!("{num}/{den}");
        if den == 0 {
            return Err(RatioError::NotANumber(text()));
        }
        let divisor = gcd(num, den);
        let (num, den) = (num / divisor, den / divisor);
        if num > LIMIT || den > LIMIT {
            return Err(RatioError::TooFine(text()));
        }
        Ok(Ratio { num: num as u32, den: den as u32 })
    }

    /// The numerator.
    pub fn num(self) -> u32 {
        self.num
    }

    /// The denominator.
    pub fn den(self) -> u32 {
        self.den
    }

    /// `floor(self × n)`, saturating.
    #[inline]
    pub fn times(self, n: u64) -> u64 {
        if let Some(product) = n.checked_mul(self.num.into()) {
            return product / u64::from(self.den); // a division of twice as many bits is a call
        }
        let product = u128::from(n) * u128::from(self.num) / u128::from(self.den);
        u64::try_from(product).unwrap_or(u64::MAX)
    }

    /// The nearest floating-point number, for reports.
    pub fn as_f64(self) -> f64 {
        f64::from(self.num) / f64::from(self.den)
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Ratio) -> std::cmp::Ordering {
        let left = u64::from(self.num) * u64::from(other.den);
        let right = u64::from(other.num) * u64::from(self.den);
        left.cmp(&right)
    }
}

impl FromStr for Ratio {
    type Err = RatioError;

    fn from_str(text: &str) -> Result<Ratio, RatioError> {
        let text = text.trim();
        let bad = || RatioError::NotANumber(printable(text));
        if let Some(rest) = text.strip_prefix('-') {
            if rest.contains('-') || rest.parse::<Ratio>().is_err() {
                return Err(bad());
            }
            return Err(RatioError::Negative(printable(text)));
        }
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        let named = |error| match error {
            RatioError::TooFine(_) => RatioError::TooFine(printable(text)),
            _ => bad(),
        };
        let number =
            |part: &str| part.parse::<u64>().map_err(|_| RatioError::TooFine(printable(text)));
        if let Some((num, den)) = text.split_once('/') {
            if num.is_empty() || den.is_empty() || !digits(num) || !digits(den) {
                return Err(bad());
            }
            return Ratio::new(number(num)?, number(den)?).map_err(named);
        }
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        if whole.len() + fraction.len() == 0 || !digits(whole) || !digits(fraction) {
            return Err(bad());
        }
        let fraction = fraction.trim_end_matches('0');
        if fraction.len() > 6 {
            return Err(RatioError::TooFine(printable(text)));
        }
        let den = 10_u64.pow(fraction.len() as u32);
        Ratio::new(number(&format!("0{whole}{fraction}"))?, den).map_err(named)
    }
}

impl TryFrom<f64> for Ratio {
    type Error = RatioError;

    /// The decimal a person would write for this number: `1.4` becomes 7/5.
    fn try_from(value: f64) -> Result<Ratio, RatioError> {
        format!("{value}").parse()
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.as_f64())
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_and_fractions_are_exact() {
        assert_eq!("2.6".parse::<Ratio>().unwrap(), Ratio::new(13, 5).unwrap());
        assert_eq!("3".parse::<Ratio>().unwrap(), Ratio::new(3, 1).unwrap());
        assert_eq!(".5".parse::<Ratio>().unwrap(), Ratio::new(1, 2).unwrap());
        assert_eq!("1.000000000".parse::<Ratio>().unwrap(), Ratio::ONE);
        assert_eq!("14/10".parse::<Ratio>().unwrap(), Ratio::new(7, 5).unwrap());
        assert_eq!(Ratio::new(9, 10).unwrap().times(u64::MAX), u64::MAX / 10 * 9 + 4);
    }

    #[test]
    fn errors_quote_the_bad_number() {
        for text in ["", ".", "x", "1.2.3", "1/0", "NaN", "inf", "1e3", "/", "1/", "+1", "--1"] {
            let error = text.parse::<Ratio>().unwrap_err();
            assert!(matches!(error, RatioError::NotANumber(_)), "{text}: {error}");
        }
        assert!(matches!("-0.5".parse::<Ratio>(), Err(RatioError::Negative(_))));
        for text in ["1.0000001", "99999999999999999999", "1000001"] {
            assert!(matches!(text.parse::<Ratio>(), Err(RatioError::TooFine(_))), "{text}");
        }
        let dashes = "-".repeat(1_000_000).parse::<Ratio>().unwrap_err().to_string();
        assert!(dashes.starts_with(&format!("`{}…` is not a number", "-".repeat(40))), "{dashes}");
        let error = "\u{1b}[31m1.4".parse::<Ratio>().unwrap_err().to_string();
        assert!(error.starts_with("`\\u{1b}[31m1.4` is not a number"), "{error}");
        assert!(Ratio::try_from(f64::INFINITY).is_err());
        assert!(Ratio::try_from(-1.0).is_err());
    }
}
