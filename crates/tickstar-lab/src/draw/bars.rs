//! Bars of measurements.

use super::chart::{PlotScale, Range, Tick};
use super::lettering::{draw_text, text_width};
use super::{INK, Page, Point, Px, SOFT_INK};

const TITLE_SIZE: f64 = 17.0;
const LABEL_SIZE: f64 = 14.0;
const NUMBER_SIZE: f64 = 12.0;
const MARGIN: f64 = 28.0;
const RULE: &str = "#d5dae2";
const BAR_COLOR: &str = "#0072b2";

/// Named values as bars below each other, on a logarithmic scale. `axis` says what the values are.
pub fn bars_svg(title: &str, axis: &str, bars: &[(String, f64)]) -> String {
    const BAR: f64 = 20.0;
    const STEP: f64 = 32.0;
    const LENGTH: f64 = 560.0;
    let names = bars.iter().map(|(name, _)| text_width(name, LABEL_SIZE)).fold(0.0, f64::max);
    let left = MARGIN + names + 14.0;
    let top = MARGIN + 46.0;
    let bottom = top + STEP * bars.len() as f64;
    let (width, height) = (left + LENGTH + 80.0 + MARGIN, bottom + 34.0 + MARGIN);
    let mut page = Page::begin(width.ceil(), height.ceil(), title);
    draw_text(&mut page, title, Point { x: MARGIN, y: MARGIN + 14.0 }, TITLE_SIZE, INK);
    let scale = scale(bars);
    let fits = |ticks: &[Tick]| {
        let place = |tick: &Tick| LENGTH * tick.place;
        let half = |tick: &Tick| text_width(&tick.label, NUMBER_SIZE) / 2.0 + 4.0;
        ticks.windows(2).all(|two| place(&two[0]) + half(&two[0]) <= place(&two[1]) - half(&two[1]))
    };
    for Tick { place, label: text } in scale.ticks(fits).major {
        let x = left + LENGTH * place;
        line(&mut page, Point { x, y: top }, Point { x, y: bottom }, RULE, 1.0);
        let half = text_width(&text, NUMBER_SIZE) / 2.0;
        let at = Point { x: x - half, y: bottom + 18.0 };
        draw_text(&mut page, &text, at, NUMBER_SIZE, SOFT_INK);
    }
    draw_text(&mut page, axis, Point { x: left, y: bottom + 38.0 }, NUMBER_SIZE, SOFT_INK);
    for (nth, (name, value)) in bars.iter().enumerate() {
        let y = top + STEP * nth as f64 + (STEP - BAR) / 2.0;
        let baseline = y + BAR / 2.0 + 0.35 * LABEL_SIZE;
        let x = left - 10.0 - text_width(name, LABEL_SIZE);
        draw_text(&mut page, name, Point { x, y: baseline }, LABEL_SIZE, INK);
        let length = (LENGTH * scale.place(*value)).max(1.0);
        page.add(format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{BAR}\" fill=\"{}\"/>\n",
            Px(left),
            Px(y),
            Px(length),
            BAR_COLOR
        ));
        let at = Point { x: left + length + 8.0, y: baseline };
        draw_text(&mut page, &number(*value), at, NUMBER_SIZE, INK);
    }
    page.finish()
}

/// A range with room for all bars, and a decade at least.
fn scale(bars: &[(String, f64)]) -> Range {
    let values = || bars.iter().map(|&(_, value)| value).filter(|value| *value > 0.0);
    let values = values().filter(|value| value.is_finite());
    let around = values.flat_map(|value| [value / 1.3, value * 1.3]);
    let least = around.clone().fold(f64::INFINITY, f64::min);
    Range::new(PlotScale::Log, around.chain([13.0 * least]), true)
}

/// A number with the digits that matter.
fn number(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => trimmed(&format!("{value:.1}")),
        value if value >= 1.0 => trimmed(&format!("{value:.2}")),
        0.0 => "0".into(),
        value => {
            // Two digits after the zeros.
            let digits = (1 - value.abs().log10().floor() as i32).clamp(2, 12) as usize;
            trimmed(&format!("{value:.digits$}"))
        }
    }
}

/// A number with decimals, without zeros at its end.
fn trimmed(number: &str) -> String {
    number.trim_end_matches('0').trim_end_matches('.').into()
}

fn line(page: &mut Page, from: Point, to: Point, color: &str, width: f64) {
    page.add(format_args!(
        "<path d=\"M{} {}L{} {}\" stroke=\"{color}\" stroke-width=\"{width}\" fill=\"none\"/>\n",
        Px(from.x),
        Px(from.y),
        Px(to.x),
        Px(to.y)
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::png;

    #[test]
    fn numbers_have_the_digits_that_matter() {
        let shown = [0.0, 0.000_123_4, 0.0336, 0.336, 1.0, 1.45, 14.52, 20.0, 1234.5].map(number);
        assert_eq!(shown, ["0", "0.00012", "0.034", "0.34", "1", "1.45", "14.5", "20", "1234"]);
    }

    #[test]
    fn longer_bars_are_larger_values() {
        let bars = [("a".to_string(), 0.01), ("b".to_string(), 1.0), ("c".to_string(), 10.0)];
        let svg = bars_svg("title", "ms", &bars);
        let widths: Vec<f64> = svg
            .lines()
            .filter(|line| line.starts_with("<rect x"))
            .map(|line| line.split("width=\"").nth(1).unwrap().split('"').next().unwrap())
            .map(|width| width.parse().unwrap())
            .collect();
        assert!(widths.len() == 3 && widths.is_sorted(), "{widths:?}");
        assert!(png(&svg).is_ok());
        assert!(png(&bars_svg("", "", &[])).is_ok());
    }
}
