//! Films of runs: how their searches spread, and how the agents walk.

use std::fmt::Write;

use tickstar::Cell;

use super::cells::{Runs, Scale, draw_area, draw_cells};
use super::crowd::{Share, turns};
use super::frame::{Frame, Sheet};
use super::legend::draw_legend;
use super::walk::{WALK, draw_marks, push_line};
use super::{CASING, Page, Px, Scene};

/// The most steps in which a search spreads: with more, a film only gets larger.
const STEPS: u64 = 150;
/// How long the last moment is shown, in seconds.
const PAUSE: f64 = 2.0;

/// An animated SVG of one or several runs, with so many ticks per second, again and again.
pub fn runs_film_svg(scenes: &[Scene], caption: &str, cell_px: u32, speed: u32) -> String {
    let scale = Scale::new(scenes);
    let stills: Vec<Scene> = scenes.iter().map(still).collect();
    let sheet = Sheet::new(&stills, caption, cell_px, &scale);
    let speed = f64::from(speed.max(1));
    let last = scenes.iter().map(last_tick).max().unwrap_or(0).max(1);
    let ticks = last as usize + (PAUSE * speed).ceil() as usize;
    let seconds = Px(ticks as f64 / speed);
    let film =
        Film { ticks, last, timing: format!("dur=\"{seconds}s\" repeatCount=\"indefinite\"") };
    let mut page = Page::begin(sheet.width, sheet.height, caption);
    for ((scene, still), frame) in scenes.iter().zip(&stills).zip(&sheet.frames) {
        draw_cells(&mut page, still, frame, &scale);
        film.draw_search(&mut page, scene, frame, &scale);
        film.draw_walk(&mut page, scene, frame);
        draw_marks(&mut page, still, frame);
        film.draw_agent(&mut page, scene, frame);
    }
    draw_legend(&mut page, &sheet, &scale);
    sheet.draw_text(&mut page);
    page.finish()
}

/// What does not move: neither the search nor anything on the walk.
fn still(scene: &Scene) -> Scene {
    Scene {
        expanded: Vec::new(),
        expanded_regions: Vec::new(),
        found: Vec::new(),
        back: Vec::new(),
        ..scene.clone()
    }
}

/// The last tick in which anything happened.
fn last_tick(scene: &Scene) -> u64 {
    let ticks = scene.walk.iter().chain(&scene.expanded).map(|&(_, tick)| tick);
    ticks.max().unwrap_or(0)
}

/// What all parts of a film have in common.
struct Film {
    /// All ticks, the pause at the end included.
    ticks: usize,
    /// The last one in which anything happens.
    last: u64,
    timing: String,
}

impl Film {
    /// Cells appear when they are expanded, in the colors of a still picture.
    fn draw_search(&self, page: &mut Page, scene: &Scene, frame: &Frame, scale: &Scale) {
        page.add(format_args!(
            "<g id=\"search\" transform=\"translate({} {}) scale({})\" shape-rendering=\"crispEdges\">\n",
            Px(frame.map.x),
            Px(frame.map.y),
            frame.cell
        ));
        let width = self.last.div_ceil(STEPS).max(1);
        for step in scene.expanded.chunk_by(|a, b| a.1 / width == b.1 / width) {
            let Some(&(_, tick)) = step.last() else { continue };
            let mut cells: Vec<Cell> = step.iter().map(|&(cell, _)| cell).collect();
            cells.retain(|&cell| scene.grid.is_inside(cell));
            cells.sort_unstable_by_key(|cell| (cell.y, cell.x));
            cells.dedup();
            let mut runs = Runs::default();
            for cell in cells {
                runs.push(cell.x, cell.y);
            }
            let begin = Share(tick.saturating_sub(1) as usize, self.ticks);
            page.add(format_args!("<g opacity=\"0\">"));
            draw_area(page, scale.color(tick), &runs.finish());
            page.add(format_args!(
                "<animate attributeName=\"opacity\" calcMode=\"discrete\" {} keyTimes=\"0;{begin}\" \
                 values=\"0;1\"/></g>\n",
                self.timing
            ));
        }
        page.add(format_args!("</g>\n"));
    }

    /// The walk grows behind the agent.
    fn draw_walk(&self, page: &mut Page, scene: &Scene, frame: &Frame) {
        let mut path = String::new();
        let points: Vec<_> = scene.walk.iter().map(|&(cell, _)| frame.centre(cell)).collect();
        push_line(&mut path, &points);
        let mut lengths = Vec::new();
        let mut length = 0.0;
        let mut before = scene.walk.first().map_or(Cell::default(), |&(cell, _)| cell);
        for cell in self.positions(scene) {
            let (dx, dy) = (cell.x.abs_diff(before.x), cell.y.abs_diff(before.y));
            length += f64::from(dx).hypot(f64::from(dy));
            lengths.push(length);
            before = cell;
        }
        let (times, offsets) = bends(&lengths, length, self.ticks);
        // A dash as long as the walk, that is moved in.
        let dash = format!("pathLength=\"{0}\" stroke-dasharray=\"{0}\"", Px(length.max(0.01)));
        page.add(format_args!(
            "<g fill=\"none\" stroke-linecap=\"butt\" stroke-linejoin=\"round\">\n"
        ));
        for (color, wide) in [(CASING, 2.0), (WALK, 1.0)] {
            page.add(format_args!(
                "<path stroke=\"{color}\" stroke-width=\"{}\" {dash} stroke-dashoffset=\"{}\" d=\"{path}\">\
                 <animate attributeName=\"stroke-dashoffset\" {} keyTimes=\"{times}\" values=\"{offsets}\"/></path>\n",
                Px(frame.line() * wide),
                Px(length.max(0.01)),
                self.timing
            ));
        }
        page.add(format_args!("</g>\n"));
    }

    fn draw_agent(&self, page: &mut Page, scene: &Scene, frame: &Frame) {
        let (times, places) = turns(&self.positions(scene), self.ticks);
        page.add(format_args!(
            "<g transform=\"translate({} {}) scale({}) translate(.5 .5)\"><circle r=\"{}\" fill=\"{WALK}\" \
             stroke=\"{CASING}\" stroke-width=\"{}\"><animateTransform attributeName=\"transform\" \
             type=\"translate\" {} keyTimes=\"{times}\" values=\"{places}\"/></circle></g>\n",
            Px(frame.map.x),
            Px(frame.map.y),
            frame.cell,
            Px(0.75 * frame.mark() / frame.cell),
            Px(2.0 * frame.unit / frame.cell),
            self.timing
        ));
    }

    /// Where the agent is at the beginning, and after each tick.
    fn positions(&self, scene: &Scene) -> Vec<Cell> {
        let mut positions = Vec::with_capacity(self.ticks + 1);
        let mut next = scene.walk.iter().peekable();
        let mut at = scene.walk.first().map_or(scene.start, |&(cell, _)| cell);
        for tick in 0..=self.ticks as u64 {
            while let Some(&(cell, _)) = next.next_if(|&&(_, then)| then <= tick) {
                at = cell;
            }
            positions.push(at);
        }
        positions
    }
}

/// How much of a line is still hidden: the times from 0 to 1 at which its speed changes, and the lengths.
fn bends(lengths: &[f64], whole: f64, ticks: usize) -> (String, String) {
    let (mut times, mut values) = (String::new(), String::new());
    for (tick, &length) in lengths.iter().enumerate() {
        let before = tick.checked_sub(1).map(|before| length - lengths[before]);
        let after = lengths.get(tick + 1).map(|next| next - length);
        let is_straight = before.zip(after).is_some_and(|(a, b)| (a - b).abs() < 1e-9);
        if !is_straight {
            let separator = if times.is_empty() { "" } else { ";" };
            write!(times, "{separator}{}", Share(tick, ticks)).expect("a String takes any text");
            write!(values, "{separator}{}", Px(whole - length)).expect("a String takes any text");
        }
    }
    (times, values)
}

#[cfg(test)]
mod tests {
    use tickstar::Grid;

    use super::*;

    fn cells<const N: usize>(places: [(u32, u32, u64); N]) -> Vec<(Cell, u64)> {
        places.map(|(x, y, tick)| (Cell::new(x, y), tick)).to_vec()
    }

    #[test]
    fn a_film_shows_each_tick_at_its_time() {
        let start = Cell::new(0, 0);
        let scene = Scene {
            expanded: cells([(0, 0, 1), (1, 0, 1), (2, 0, 3)]),
            // It waits in the second tick.
            walk: cells([(0, 0, 0), (1, 0, 1), (2, 0, 3), (3, 0, 4)]),
            back: vec![false; 3],
            ..Scene::new(Grid::new(4, 1).unwrap(), start, Cell::new(3, 0))
        };
        // Four ticks and a pause of four, two seconds each.
        let svg = runs_film_svg(&[scene], "a film", 20, 2);
        assert!(svg.contains("dur=\"4s\""), "{svg}");
        assert_eq!(
            svg.matches("<g opacity=\"0\">").count(),
            2,
            "one for each tick with expansions"
        );
        assert!(svg.contains("d=\"M0 0h2v1h-2z\"/>"), "{svg}");
        assert!(svg.contains("keyTimes=\"0;0.25\" values=\"0;1\""), "in the third tick: {svg}");
        let walk = "keyTimes=\"0;0.125;0.25;0.5;1\"";
        assert!(svg.contains(&format!("{walk} values=\"3;2;2;0;0\"")), "{svg}");
        assert!(svg.contains(&format!("{walk} values=\"0 0;1 0;1 0;3 0;3 0\"")), "{svg}");
    }

    #[test]
    fn a_film_of_nothing_is_a_film() {
        let scene = Scene::new(Grid::new(2, 2).unwrap(), Cell::default(), Cell::default());
        let svg = runs_film_svg(&[scene], "", 20, 10);
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{svg}");
    }
}
