//! Numbers: the same on every machine, and short.

use std::f64::consts::{LN_2, LN_10, SQRT_2};

/// A digit times a power of ten, rounded once.
pub(super) fn decimal(digit: u8, power: i32) -> f64 {
    format!("{digit}e{power}").parse().unwrap_or(f64::MAX)
}

/// The logarithm of a positive, normal number. It uses nothing but basic arithmetic, so that it is the same on
/// every machine.
pub(super) fn log10(value: f64) -> f64 {
    let bits = value.to_bits();
    let mut exponent = ((bits >> 52) & 0x7ff) as i32 - 1023;
    let mut rest = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    if rest > SQRT_2 {
        rest /= 2.0;
        exponent += 1;
    }
    let part = (rest - 1.0) / (rest + 1.0);
    let square = part * part;
    let series = (0..12).rev().fold(0.0, |sum, nth| sum * square + 1.0 / f64::from(2 * nth + 1));
    (2.0 * part * series + f64::from(exponent) * LN_2) / LN_10
}

/// The round numbers of an axis: with so many decimals, or as many as each needs.
pub(super) fn labels(values: &[f64], decimals: Option<usize>) -> Vec<String> {
    let most = values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let short = most >= 1e5;
    values.iter().map(|&value| label(value, decimals, short)).collect()
}

fn label(value: f64, decimals: Option<usize>, short: bool) -> String {
    const UNITS: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let size = value.abs();
    if size == 0.0 {
        return "0".into();
    }
    if !(1e-5..1e15).contains(&size) {
        return exponential(value);
    }
    match UNITS.iter().find(|&&(unit, _)| short && size >= unit) {
        Some((unit, name)) => format!("{}{name}", value / unit),
        None => grouped(&match decimals {
            Some(decimals) => format!("{value:.decimals$}"),
            None => format!("{value}"),
        }),
    }
}

/// A very large or small number, or what is none.
fn exponential(value: f64) -> String {
    let text = format!("{value:.4e}");
    let Some((digits, power)) = text.split_once('e') else { return text };
    format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// A decimal number with commas between thousands.
fn grouped(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let whole = digits.find('.').unwrap_or(digits.len());
    let mut text = String::from(sign);
    for (nth, c) in digits.char_indices() {
        if nth > 0 && nth < whole && (whole - nth) % 3 == 0 {
            text.push(',');
        }
        text.push(c);
    }
    text
}

/// A measured value with five digits.
pub(super) fn value_text(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".into();
    }
    if !value.is_finite() || !(1e-5..1e15).contains(&size) {
        return exponential(value);
    }
    let decimals = (4 - log10(size).floor() as i32).clamp(0, 9) as usize;
    let text = format!("{value:.decimals$}");
    let text = if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    grouped(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right() {
        for value in [1e-300, 0.1, 0.7, 1.0, 1.4, 1.5, 2.0, 9.99, 1e10, 1e300] {
            assert!((log10(value) - value.log10()).abs() < 1e-12 * value.log10().abs().max(1.0));
        }
    }

    #[test]
    fn values_have_five_digits() {
        let shown = [0.0, -1.5, 1.031_24, 1234.56, 1e7, 0.000_012_34, f64::NAN].map(value_text);
        assert_eq!(shown, ["0", "-1.5", "1.0312", "1,234.6", "10,000,000", "0.00001234", "NaN"]);
    }
}
