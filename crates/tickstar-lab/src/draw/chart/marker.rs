//! The shapes that mark points, one for each series.

use super::super::{Point, Px};
use super::canvas::Canvas;

/// Outlines around the origin that fit in a circle of a little more than a unit; all look about as large.
const SHAPES: [&[(f64, f64)]; 7] = [
    // A square.
    &[(-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)],
    // A triangle.
    &[(0.0, -1.2), (1.12, 0.78), (-1.12, 0.78)],
    // A diamond.
    &[(0.0, -1.28), (1.28, 0.0), (0.0, 1.28), (-1.28, 0.0)],
    // A triangle that points down.
    &[(0.0, 1.2), (1.12, -0.78), (-1.12, -0.78)],
    // A cross, upright and lying.
    &[
        (-0.4, -1.2),
        (0.4, -1.2),
        (0.4, -0.4),
        (1.2, -0.4),
        (1.2, 0.4),
        (0.4, 0.4),
        (0.4, 1.2),
        (-0.4, 1.2),
        (-0.4, 0.4),
        (-1.2, 0.4),
        (-1.2, -0.4),
        (-0.4, -0.4),
    ],
    &[
        (0.0, -0.57),
        (0.57, -1.13),
        (1.13, -0.57),
        (0.57, 0.0),
        (1.13, 0.57),
        (0.57, 1.13),
        (0.0, 0.57),
        (-0.57, 1.13),
        (-1.13, 0.57),
        (-0.57, 0.0),
        (-1.13, -0.57),
        (-0.57, -1.13),
    ],
    // A star.
    &[
        (0.0, -1.35),
        (0.35, -0.48),
        (1.28, -0.42),
        (0.57, 0.18),
        (0.79, 1.09),
        (0.0, 0.6),
        (-0.79, 1.09),
        (-0.57, 0.18),
        (-1.28, -0.42),
        (-0.35, -0.48),
    ],
];

/// Draws a marker in the current color, with a tip to read. A hollow one is a little larger, so that it can be seen
/// around another at the same place.
pub(super) fn draw_marker(canvas: &mut Canvas, nth: usize, at: Point, hollow: bool, tip: &str) {
    let size = if hollow { 4.6 } else { 4.0 };
    let page = "#ffffff";
    let paint = if hollow {
        let class = canvas.page_class("pf");
        format!("{class} fill=\"{page}\" stroke=\"currentColor\" stroke-width=\"1.4\"")
    } else {
        let class = canvas.page_class("ps");
        format!("{class} fill=\"currentColor\" stroke=\"{page}\" stroke-width=\"0.9\"")
    };
    let (name, shape) = match (nth % (SHAPES.len() + 1)).checked_sub(1) {
        None => ("circle", format!("cx=\"{}\" cy=\"{}\" r=\"{}\"", Px(at.x), Px(at.y), Px(size))),
        Some(nth) => {
            let corner =
                |&(x, y): &(f64, f64)| format!("{},{}", Px(at.x + size * x), Px(at.y + size * y));
            let corners: Vec<_> = SHAPES[nth].iter().map(corner).collect();
            ("polygon", format!("points=\"{}\"", corners.join(" ")))
        }
    };
    if tip.is_empty() {
        canvas.add(format_args!("<{name} {shape}{paint}/>\n"));
    } else {
        let tip = super::super::Escaped(tip);
        canvas.add(format_args!("<{name} {shape}{paint}><title>{tip}</title></{name}>\n"));
    }
}
