//! Pictures of runs: the map, what was searched when, and where the agent walked.
//!
//! There is one rendering path: [`svg`] makes the picture, and [`png`] rasterizes that same text. Lettering is
//! drawn as strokes from a small built-in alphabet, and no color or curve is computed by a function whose
//! results differ between machines, so a picture needs no fonts and is the same everywhere.
//!
//! # Reading a picture
//! * Searched cells go from pale yellow (early) to deep blue (late). Lightness falls evenly along
//!   the ramp and walls are darker than its end, so the order survives grayscale printing and any kind
//!   of color vision. A cell that was expanded more than once shows the last time. Several runs side by side
//!   share one scale; the numbers below it are ticks.
//! * The walk is a solid line through the cells. Back-moves are dashed and keep to the right of their
//!   direction, like the second lane of a road, so that both directions are visible. Arrows show the
//!   direction; dots with a number show where the agent was after that many ticks.
//! * A diamond is where the agent stood when it found the path to the goal, the last one if it found several.
//! * Where the map changes, the cells that were blocked and freed during the run have colors of their own.
//! * Terrain is a brown shade over the cells, darker the more they cost to cross.
//! * Cells the agent does not know lie under a pale veil.
//! * For an agent that plans on regions, thin lines are their borders. Those that its search over regions expanded
//!   lie on a pale ground, each with a square in the color of the tick.

use std::fmt::{self, Write};

mod bars;
mod cells;
mod chart;
mod crowd;
mod film;
mod frame;
mod legend;
mod lettering;
mod levels;
mod regions;
mod scene;
mod terrain;
mod walk;

pub use bars::bars_svg;
pub use chart::{
    Chart, ChartAxis, ChartPanel, ChartPoint, ChartSeries, PlotScale, SeriesStyle, chart_css,
};
pub use crowd::{CrowdFilm, CrowdScene, crowd_svg, film_svg};
pub use film::runs_film_svg;
pub use levels::{Route, levels_svg, panel_px};
pub(crate) use regions::middle as region_middle;
pub use scene::Scene;

use cells::{Runs, Scale, draw_area, draw_cells};
use frame::Sheet;
use legend::draw_legend;
use regions::draw_regions;
use resvg::{tiny_skia, usvg};
use thiserror::Error;
use tickstar::{Cell, Grid};
use walk::{draw_marks, draw_walk};

/// The most pixels a PNG may have.
const MAX_PIXELS: u64 = 64_000_000;

/// The longer side of a picture that [`default_cell_px`] aims for, in pixels; and that of each of several
/// panels.
const TARGET_PX: u32 = 1200;
const PANEL_PX: u32 = 1040;

const PAGE: &str = "#f8f9fb";
const FREE: &str = "#ffffff";
const WALL: &str = "#364152";
const INK: &str = "#1b2430";
const SOFT_INK: &str = "#4a5566";
const CASING: &str = "#ffffff";

/// Early to late. Made in the `OKLCh` color space: lightness falls evenly from 0.965 to 0.46 while
/// the hue turns from yellow over green and teal to blue.
const RAMP: [&str; 28] = [
    "#fbf7bc", "#f0f3b5", "#e4eeaf", "#d8eaaa", "#cbe6a6", "#bde2a3", "#aedfa3", "#9ddba5",
    "#8cd6a8", "#7bd1ac", "#6bccb0", "#5bc6b4", "#4bc0b8", "#3ebaba", "#32b3bb", "#28acbc",
    "#20a5bd", "#1d9dbd", "#1e96bd", "#228ebc", "#1f87ba", "#1e80b7", "#1f79b4", "#2072b1",
    "#236aae", "#2663aa", "#285ba6", "#2b54a2",
];

/// Why a picture could not be rasterized.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum DrawError {
    /// Too many pixels.
    #[error(
        "a picture of {width} by {height} pixels is too large: at most {MAX_PIXELS} pixels can be \
         drawn, so use fewer pixels per cell, or write an SVG"
    )]
    TooLarge {
        /// The width in pixels.
        width: u64,
        /// The height in pixels.
        height: u64,
    },
    /// The text is not an SVG.
    #[error("the picture is not a valid SVG: {0}")]
    NotSvg(String),
    /// The pixels could not be written as a PNG.
    #[error("the picture could not be written as a PNG: {0}")]
    Encode(String),
}

/// Pixels per cell, from 1 to 48, that make the longer side of the picture of so many runs about 900 to 1200
/// pixels, or twice that for several, if possible.
pub fn default_cell_px(grid: &Grid, panels: usize) -> u32 {
    let target = match panels {
        0 | 1 => TARGET_PX,
        2 => PANEL_PX,
        _ => PANEL_PX * 2 / 3,
    };
    (target / grid.width().max(grid.height())).clamp(1, 48)
}

/// The picture of one or several runs, with cells of `cell_px` pixels (at least one) and a caption below.
pub fn svg(scenes: &[Scene], caption: &str, cell_px: u32) -> String {
    let scale = Scale::new(scenes);
    let sheet = Sheet::new(scenes, caption, cell_px, &scale);
    let mut page = Page::begin(sheet.width, sheet.height, caption);
    for (scene, frame) in scenes.iter().zip(&sheet.frames) {
        draw_cells(&mut page, scene, frame, &scale);
        draw_regions(&mut page, scene, frame, &scale);
        draw_walk(&mut page, scene, frame);
        draw_marks(&mut page, scene, frame);
    }
    draw_legend(&mut page, &sheet, &scale);
    sheet.draw_text(&mut page);
    page.finish()
}

/// A map alone as an SVG with cells of `cell_px` pixels (at least one).
pub fn map_svg(grid: &Grid, cell_px: u32) -> String {
    let scenes = [Scene::new(grid.clone(), Cell::default(), Cell::default())];
    let scale = Scale::new(&scenes);
    let sheet = Sheet::new(&scenes, "", cell_px, &scale);
    let frame = &sheet.frames[0];
    let height = frame.map_height + 2.0 * frame.map.y;
    let mut page = Page::begin(sheet.width, height, "map");
    draw_cells(&mut page, &scenes[0], frame, &scale);
    page.finish()
}

/// An SVG without text elements, such as [`svg`] makes, as the bytes of a PNG file.
///
/// # Errors
/// When the text is not an SVG, or the picture would have more than 64 million pixels.
pub fn png(svg: &str) -> Result<Vec<u8>, DrawError> {
    let tree = usvg::Tree::from_str(svg, &usvg::Options::default())
        .map_err(|error| DrawError::NotSvg(error.to_string()))?;
    let size = tree.size().to_int_size();
    let (width, height) = (size.width(), size.height());
    let too_large = DrawError::TooLarge { width: width.into(), height: height.into() };
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(too_large);
    }
    let mut pixels = tiny_skia::Pixmap::new(width, height).ok_or(too_large)?;
    resvg::render(&tree, tiny_skia::Transform::identity(), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| DrawError::Encode(error.to_string()))
}

/// The SVG text as it grows.
#[derive(Default)]
struct Page(String);

impl Page {
    fn begin(width: f64, height: f64, title: &str) -> Page {
        let mut page = Page(String::new());
        page.add(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\">\n<title>{}</title>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"{PAGE}\"/>\n",
            Escaped(title)
        ));
        page
    }

    fn finish(mut self) -> String {
        self.add(format_args!("</svg>\n"));
        self.0
    }

    fn add(&mut self, text: fmt::Arguments<'_>) {
        self.0.write_fmt(text).expect("a String takes any text");
    }
}

/// Text escaped for use between tags.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                // XML cannot represent these.
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => f.write_char(' ')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// A length in pixels, written with at most two decimals.
#[derive(Clone, Copy)]
struct Px(f64);

impl fmt::Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", (self.0 * 100.0).round() / 100.0)
    }
}

/// A point on the page in pixels.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Point {
    x: f64,
    y: f64,
}

impl Point {
    /// The Euclidean distance to another.
    fn distance(self, other: Point) -> f64 {
        let (dx, dy) = (other.x - self.x, other.y - self.y);
        (dx * dx + dy * dy).sqrt()
    }

    /// The point half-way to another.
    fn middle(self, other: Point) -> Point {
        Point { x: f64::midpoint(self.x, other.x), y: f64::midpoint(self.y, other.y) }
    }
}

#[cfg(test)]
mod tests {
    use super::lettering::{ALPHABET, broken, text_width};
    use super::walk::{BackLine, back_lines};
    use super::*;

    fn cells<const N: usize>(places: [(u32, u32); N]) -> [Cell; N] {
        places.map(|(x, y)| Cell::new(x, y))
    }

    fn bare(grid: &Grid) -> Scene {
        Scene::new(grid.clone(), Cell::new(0, 0), Cell::new(0, 0))
    }

    /// A walk with a move in each tick.
    fn walk(cells: &[Cell]) -> Vec<(Cell, u64)> {
        cells.iter().copied().zip(0..).collect()
    }

    fn svg_of(scene: Scene, cell_px: u32) -> String {
        svg(&[scene], "", cell_px)
    }

    /// The part of the SVG between a group's tags.
    fn group<'a>(svg: &'a str, id: &str) -> &'a str {
        let (_, rest) = svg.split_once(&format!("<g id=\"{id}\"")).expect("the group is there");
        rest.split_once("</g>").expect("the group ends").0
    }

    fn header_size(png: &[u8]) -> (u32, u32) {
        assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(&png[12..16], b"IHDR");
        let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        (number(16), number(20))
    }

    #[test]
    fn walls_are_one_path_of_runs() {
        let grid = Grid::from_rows([".##.", "#..#", "...."]).unwrap();
        let svg = svg_of(bare(&grid), 10);
        let walls = group(&svg, "walls");
        assert_eq!(walls.matches("<path").count(), 1);
        assert!(walls.contains("d=\"M1 0h2v1h-2zM0 1h1v1h-1zM3 1h1v1h-1z\""), "{walls}");
        assert!(!group(&svg, "expanded").contains("<path"));
        assert!(!svg.contains("mesh"), "cells of ten pixels have no lines between them");
    }

    #[test]
    fn searched_cells_share_one_path_per_color_and_show_the_last_time() {
        let grid = Grid::new(5, 2).unwrap();
        let [a, b, c, d] = cells([(0, 0), (1, 0), (2, 0), (4, 1)]);
        let expanded = [(a, 1), (b, 1), (c, 1), (d, 7), (c, 90)];
        let svg = svg_of(Scene { expanded: expanded.to_vec(), ..bare(&grid) }, 4);
        let searched = group(&svg, "expanded");
        assert_eq!(searched.matches("<path").count(), 3, "one for each of three intervals");
        let path = |color: &str, d: &str| format!("<path fill=\"{color}\" d=\"{d}\"/>");
        assert!(searched.contains(&path(RAMP[0], "M0 0h2v1h-2z")), "{searched}");
        assert!(searched.contains(&path(RAMP[13], "M4 1h1v1h-1z")));
        assert!(searched.contains(&path(RAMP[27], "M2 0h1v1h-1z")));
    }

    #[test]
    fn regions_have_borders_and_those_expanded_a_ground_and_a_square() {
        let grid = Grid::from_rows([&"#".repeat(20), &".".repeat(20)]).unwrap().with_regions();
        assert!(!svg_of(bare(&grid), 10).contains("ground"), "not for each agent on such a map");
        let expanded_regions = vec![(Cell::new(17, 1), 1), (Cell::new(17, 1), 3)];
        let regions = grid.regions().cloned();
        let svg = svg_of(Scene { regions, expanded_regions, ..bare(&grid) }, 10);
        let ground = group(&svg, "ground");
        assert!(ground.contains("d=\"M16 1h4v1h-4z\""), "{ground}");
        assert!(ground.contains("d=\"M15.95 1V2\""), "only between free cells: {ground}");
        let squares = group(&svg, "regions");
        assert!(squares.contains(RAMP[0]) && squares.contains(RAMP[27]), "{squares}");
    }

    #[test]
    fn the_walk_is_straightened_and_waiting_does_not_break_it() {
        let grid = Grid::new(6, 3).unwrap();
        let walk = walk(&cells([(0, 0), (1, 0), (1, 0), (2, 0), (3, 1), (4, 2)]));
        let svg = svg_of(Scene { walk, back: vec![false; 5], ..bare(&grid) }, 100);
        let walked = group(&svg, "walk");
        assert_eq!(walked.matches("<path").count(), 2, "a casing and a line");
        assert_eq!(walked.matches('L').count(), 4, "one corner and the end, twice");
    }

    #[test]
    fn moves_walked_back_twice_are_drawn_once() {
        let grid = Grid::new(6, 3).unwrap();
        let [a, b, c, d, e] = cells([(0, 0), (1, 0), (2, 0), (3, 0), (2, 1)]);
        let walk = walk(&[a, b, c, d, c, b, c, b, a, b, e, b]);
        let back = [0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1].map(|back| back == 1).to_vec();
        let lines = back_lines(&Scene { walk, back, ..bare(&grid) });
        let whole = BackLine { cells: vec![d, c, b, a], joins: false };
        let side = BackLine { cells: vec![e, b, a], joins: true };
        assert_eq!(lines, [whole, side]);
    }

    #[test]
    fn back_moves_in_a_circle_are_drawn_too() {
        let grid = Grid::new(2, 2).unwrap();
        let [a, b, c] = cells([(0, 0), (1, 0), (1, 1)]);
        let scene = Scene { walk: walk(&[a, b, c, a, b]), back: vec![true; 4], ..bare(&grid) };
        assert_eq!(back_lines(&scene), [BackLine { cells: vec![a, b, c, a, b], joins: true }]);
        png(&svg_of(scene, 8)).unwrap();
    }

    #[test]
    fn a_png_has_the_size_of_its_svg() {
        let grid = Grid::from_rows(["....", ".##."]).unwrap();
        let cells = cells([(0, 0), (1, 0), (2, 0), (1, 0)]);
        let scene = Scene {
            expanded: vec![(cells[0], 1), (cells[1], 2)],
            walk: walk(&cells),
            back: vec![false, false, true],
            goal: Cell::new(3, 1),
            fog: vec![Cell::new(3, 0)],
            found: vec![(cells[2], 2)],
            changed: vec![Cell::new(1, 1), Cell::new(2, 0)],
            ..bare(&grid)
        };
        let caption = "tba, budget 50: cost 123.4 (optimal 110.2) in 131 intervals";
        let alone = std::slice::from_ref(&scene);
        let drawn = svg(alone, caption, 100);
        let (width, height) = header_size(&png(&drawn).unwrap());
        assert!(drawn.contains(&format!("width=\"{width}\" height=\"{height}\"")));
        assert_eq!(width, 456);
        assert_eq!(svg(alone, caption, 100), drawn);
        assert_eq!(png(&drawn).unwrap(), png(&drawn).unwrap());
        let (wide, _) = header_size(&png(&svg(&[scene.clone(), scene], caption, 100)).unwrap());
        assert_eq!(wide, 456 + 400 + 28, "two panels and the space between");
    }

    /// How often a group has an element.
    fn count(svg: &str, id: &str, element: &str) -> usize {
        group(svg, id).matches(element).count()
    }

    #[test]
    fn a_long_walk_has_arrows_and_few_numbers() {
        let grid = Grid::new(90, 5).unwrap();
        let row: Vec<Cell> = (0..90).map(|x| Cell::new(x, 2)).collect();
        let scene = Scene { walk: walk(&row), back: vec![false; 89], ..bare(&grid) };
        let drawn = svg_of(Scene { goal: row[89], ..scene.clone() }, 10);
        // Every ten ticks, and the last.
        assert_eq!(count(&drawn, "ticks", "<circle"), 9, "{}", group(&drawn, "ticks"));
        assert_eq!(drawn.matches("fill-opacity=\"0.88\"").count(), 9, "each has its number");
        // Ten would fit; those too close to a number are left out.
        assert!((6..=10).contains(&count(&drawn, "arrows", "<path")));
        // Back and forth along the same row: no more of them.
        let twice: Vec<Cell> =
            row.iter().chain(row.iter().rev()).copied().cycle().take(900).collect();
        let scene = Scene { walk: walk(&twice), back: vec![false; 899], ..bare(&grid) };
        let drawn = svg_of(scene, 10);
        assert!(count(&drawn, "arrows", "<path") <= 22, "{}", group(&drawn, "arrows"));
        assert!(count(&drawn, "ticks", "<circle") <= 13);
    }

    #[test]
    fn an_agent_that_waits_has_one_number_for_all_of_it() {
        let grid = Grid::new(30, 30).unwrap();
        let walk = vec![(Cell::new(3, 3), 0), (Cell::new(4, 3), 71), (Cell::new(5, 3), 72)];
        let drawn = svg_of(Scene { walk, back: vec![false; 2], ..bare(&grid) }, 24);
        assert_eq!(count(&drawn, "ticks", "<circle"), 2, "at the start and at the end");
    }

    #[test]
    fn changes_of_the_map_and_found_paths_are_marked() {
        let grid = Grid::from_rows(["..#.", "...."]).unwrap();
        let [blocked, freed] = cells([(2, 0), (1, 1)]);
        let changed = vec![blocked, freed];
        let scene = Scene { changed, found: vec![(freed, 3)], ..bare(&grid) };
        let drawn = svg_of(scene, 20);
        assert!(drawn.contains(&format!("<path fill=\"{}\" d=\"M2 0h1v1h-1z\"/>", cells::BLOCKED)));
        assert!(drawn.contains(&format!("<path fill=\"{}\" d=\"M1 1h1v1h-1z\"/>", cells::FREED)));
        let marks = |svg: &str| svg.matches("stroke-linejoin=\"round\" d=\"M").count();
        assert_eq!(marks(&drawn), 2, "on the map and in the legend");
        assert_eq!(marks(&svg_of(bare(&grid), 20)), 0);
    }

    #[test]
    fn the_scale_has_numbers_and_is_shared() {
        let grid = Grid::new(9, 1).unwrap();
        let at = |x: u32, tick: u64| (Cell::new(x, 0), tick);
        let early = Scene { expanded: vec![at(0, 1), at(1, 2), at(2, 3)], ..bare(&grid) };
        let late = Scene { expanded: vec![at(0, 3), at(1, 40), at(2, 50)], ..bare(&grid) };
        let scale = Scale::new(&[early.clone(), late.clone()]);
        let numbers: Vec<_> = scale.numbers().iter().map(|&(number, _)| number).collect();
        assert_eq!(numbers, [1, 3, 50]);
        let drawn = svg(&[early, late], "", 20);
        let same = format!("<path fill=\"{}\"", RAMP[13]);
        assert_eq!(drawn.matches(&same).count(), 2, "tick 3 has one color in both");
    }

    #[test]
    fn odd_pictures_do_not_panic() {
        let far = Cell::new(u32::MAX, 9);
        for grid in [Grid::new(1, 1), Grid::new_blocked(1, 1), Grid::new(3, 200), Grid::new(99, 2)]
        {
            let grid = grid.unwrap();
            let empty = bare(&grid);
            let here = empty.start;
            let one = Scene { walk: walk(&[here]), ..empty.clone() };
            let strange = Scene {
                expanded: vec![(here, 0), (far, u64::MAX), (here, u64::MAX)],
                walk: vec![(here, 0), (here, 7), (far, 7), (here, 8), (here, u64::MAX)],
                back: vec![true],
                found: vec![(far, 1), (here, 0)],
                changed: vec![far, here],
                start: far,
                goal: far,
                fog: vec![far, here, here],
                title: "a title".into(),
                ..empty.clone()
            };
            let caption =
                "<&>\u{0}\u{1b}\u{ffff} \"é\" \n a/very/long/name/that/has/no/space/to/break/at";
            let five = vec![strange.clone(); 5];
            let two = [one, strange];
            for scenes in [&[][..], &[empty], &two[..1], &two, &five] {
                for cell_px in [0, 1, 3, 12] {
                    png(&svg(scenes, caption, cell_px)).unwrap();
                }
            }
        }
    }

    #[test]
    fn too_large_pictures_and_other_text_are_errors() {
        let grid = Grid::new_blocked(500, 1000).unwrap();
        let error = png(&svg_of(bare(&grid), 24)).unwrap_err();
        assert!(
            matches!(error, DrawError::TooLarge { width: 13_344, height: 24_000.. }),
            "{error}"
        );
        assert!(error.to_string().contains("13344 by 2"), "{error}");
        assert!(matches!(png("no picture"), Err(DrawError::NotSvg(_))));
    }

    #[test]
    fn cells_get_as_many_pixels_as_fit() {
        for (side, px) in [(1, 48), (40, 30), (128, 9), (512, 2), (1200, 1), (5000, 1)] {
            assert_eq!(default_cell_px(&Grid::new_blocked(3, side).unwrap(), 1), px);
        }
    }

    #[test]
    fn captions_are_broken_between_words_and_long_words_within() {
        let width = text_width("two words", 10.0);
        assert_eq!(broken("one or two words", 10.0, width), ["one or", "two words"]);
        assert_eq!(broken("  ", 10.0, width), [""; 0]);
        assert_eq!(broken("abc", 10.0, 0.0), ["a", "b", "c"]);
    }

    #[test]
    fn every_letter_stays_in_its_box() {
        for c in ' '..='~' {
            assert_eq!(ALPHABET.iter().filter(|&&(other, ..)| other == c).count(), 1, "{c}");
        }
        for &(c, width, strokes) in ALPHABET.iter().filter(|(c, ..)| *c != ' ') {
            let svg = format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\"><path stroke=\"red\" d=\"{strokes}\"/></svg>"
            );
            let tree = usvg::Tree::from_str(&svg, &usvg::Options::default()).unwrap();
            let ink = tree.root().bounding_box();
            assert!(ink.left() >= -0.5 && f64::from(ink.right()) <= width + 0.5, "{c}: {ink:?}");
            assert!(ink.top() >= -8.5 && ink.bottom() <= 2.5, "{c}: {ink:?}");
        }
    }
}
