//! The legend of a picture: what is in it, and no more.

use super::cells::{BLOCKED, FREED, Scale, VEIL, VEIL_OPACITY};
use super::frame::{Frame, Sheet};
use super::lettering::{draw_text, text_width};
use super::regions::{GROUND, HALF, draw_border_sample, draw_expanded};
use super::terrain::draw_terrain_sample;
use super::walk::{DASH, GAP, TICK_SIZE, draw_found, draw_goal, draw_lines, draw_start, draw_tick};
use super::{FREE, INK, Page, Point, Px, RAMP, SOFT_INK, Scene, WALL};

pub(super) const LEGEND_SIZE: f64 = 15.0;
/// The size of the numbers below the ramp.
const NUMBER_SIZE: f64 = 12.0;

/// An entry of the legend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LegendItem {
    Start,
    Goal,
    Walked,
    Back,
    Tick,
    Found,
    Wall,
    Terrain,
    Blocked,
    Freed,
    Unknown,
    Border,
    Region,
    Expanded,
}

impl LegendItem {
    const ALL: [LegendItem; 14] = [
        LegendItem::Start,
        LegendItem::Goal,
        LegendItem::Walked,
        LegendItem::Back,
        LegendItem::Tick,
        LegendItem::Found,
        LegendItem::Wall,
        LegendItem::Terrain,
        LegendItem::Blocked,
        LegendItem::Freed,
        LegendItem::Unknown,
        LegendItem::Border,
        LegendItem::Region,
        LegendItem::Expanded,
    ];

    /// What there is to explain.
    pub(super) fn of(scenes: &[Scene], scale: &Scale) -> Vec<LegendItem> {
        let any = |is_there: &dyn Fn(&Scene) -> bool| scenes.iter().any(is_there);
        let changed = |free: bool| {
            any(&|scene| scene.changed.iter().any(|&cell| scene.grid.is_free(cell) == free))
        };
        let is_there = |item: &LegendItem| match item {
            LegendItem::Start | LegendItem::Goal | LegendItem::Wall => true,
            LegendItem::Walked => any(&|scene| scene.walk.len() > 1),
            // Moves alone are enough for a film, which has time of its own.
            LegendItem::Tick => any(&|scene| !scene.back.is_empty()),
            LegendItem::Back => any(&|scene| scene.back.contains(&true)),
            LegendItem::Found => any(&|scene| !scene.found.is_empty()),
            LegendItem::Terrain => any(&|scene| scene.grid.terrain().is_some()),
            LegendItem::Blocked => changed(false),
            LegendItem::Freed => changed(true),
            LegendItem::Unknown => any(&|scene| !scene.fog.is_empty()),
            LegendItem::Border => any(&|scene| scene.regions.is_some()),
            LegendItem::Region => any(&|scene| !scene.expanded_regions.is_empty()),
            LegendItem::Expanded => !scale.numbers().is_empty(),
        };
        LegendItem::ALL.into_iter().filter(is_there).collect()
    }

    pub(super) fn label(self) -> &'static str {
        match self {
            LegendItem::Start => "start",
            LegendItem::Goal => "goal",
            LegendItem::Walked => "walked",
            LegendItem::Back => "walked back",
            LegendItem::Tick => "after 50 ticks",
            LegendItem::Found => "path found",
            LegendItem::Wall => "wall",
            LegendItem::Terrain => "terrain, darker costs more",
            LegendItem::Blocked => "blocked on the way",
            LegendItem::Freed => "freed on the way",
            LegendItem::Unknown => "not seen",
            LegendItem::Border => "border of regions",
            LegendItem::Region => "region expanded",
            LegendItem::Expanded => "tick of expansion",
        }
    }

    /// The width of the sample, in units.
    pub(super) fn sample(self) -> f64 {
        match self {
            LegendItem::Start | LegendItem::Goal => 18.0,
            LegendItem::Walked | LegendItem::Back => 34.0,
            LegendItem::Tick => 12.0 + text_width("50", TICK_SIZE),
            LegendItem::Found => 13.0,
            LegendItem::Terrain => 40.0,
            LegendItem::Region => 22.0,
            LegendItem::Expanded => 5.0 * RAMP.len() as f64,
            _ => 16.0,
        }
    }

    /// The width of sample and label, in units.
    pub(super) fn width(self) -> f64 {
        self.sample() + 9.0 + text_width(self.label(), LEGEND_SIZE)
    }

    /// How far it goes below its row, in units.
    pub(super) fn below(self) -> f64 {
        if self == LegendItem::Expanded { 16.0 } else { 0.0 }
    }
}

pub(super) fn draw_legend(page: &mut Page, sheet: &Sheet, scale: &Scale) {
    let Some(frame) = sheet.frames.first() else { return };
    let unit = sheet.unit;
    page.add(format_args!("<g id=\"legend\">\n"));
    for &(item, at) in &sheet.legend {
        let sample = item.sample() * unit;
        // Half the x-height above the baseline.
        let middle = Point { x: at.x + sample / 2.0, y: at.y - LEGEND_SIZE * 0.3 * unit };
        draw_sample(page, frame, item, middle, unit);
        if item == LegendItem::Expanded {
            draw_numbers(page, scale, at, sample, unit);
        }
        let label = Point { x: at.x + sample + 9.0 * unit, y: at.y };
        draw_text(page, item.label(), label, LEGEND_SIZE * unit, SOFT_INK);
    }
    page.add(format_args!("</g>\n"));
}

/// Numbers below the ramp, which begins at `at`.
pub(super) fn draw_numbers(page: &mut Page, scale: &Scale, at: Point, width: f64, unit: f64) {
    let size = NUMBER_SIZE * unit;
    let mut end = f64::NEG_INFINITY;
    for (number, place) in scale.numbers() {
        let text = number.to_string();
        let length = text_width(&text, size) - 0.19 * size;
        // Each below its color, the first and the last within the ramp.
        let x =
            (at.x + place * width - length / 2.0).clamp(at.x, (at.x + width - length).max(at.x));
        if x > end {
            draw_text(page, &text, Point { x, y: at.y + 18.0 * unit }, size, SOFT_INK);
            end = x + length + 4.0 * unit;
        }
    }
}

pub(super) fn draw_sample(
    page: &mut Page,
    frame: &Frame,
    item: LegendItem,
    middle: Point,
    unit: f64,
) {
    let half = item.sample() * unit / 2.0;
    // Three whole dashes.
    let length = frame.line() * (3.0 * DASH + 2.0 * GAP);
    let line = format!("M{} {}h{}", Px(middle.x - length / 2.0), Px(middle.y), Px(length));
    let area = |page: &mut Page, x: f64, width: f64, color: &str| {
        let side = 16.0 * unit;
        page.add(format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{color}\" \
             shape-rendering=\"crispEdges\"/>\n",
            Px(x),
            Px(middle.y - side / 2.0),
            Px(width),
            Px(side)
        ));
    };
    match item {
        LegendItem::Start => draw_start(page, middle, 7.0 * unit, unit),
        LegendItem::Goal => draw_goal(page, middle, 9.0 * unit, unit),
        LegendItem::Found => draw_found(page, middle, unit),
        LegendItem::Tick => {
            draw_tick(page, Point { x: middle.x - half + 3.0 * unit, ..middle }, unit);
            let size = TICK_SIZE * unit;
            let at = Point { x: middle.x - half + 12.0 * unit, y: middle.y + 0.35 * size };
            draw_text(page, "50", at, size, INK);
        }
        LegendItem::Walked | LegendItem::Back => {
            page.add(format_args!("<g fill=\"none\" stroke-linecap=\"round\">\n"));
            let (ahead, back) =
                if item == LegendItem::Walked { (line.as_str(), "") } else { ("", line.as_str()) };
            draw_lines(page, frame, ahead, back);
            page.add(format_args!("</g>\n"));
        }
        LegendItem::Expanded => {
            // Each is drawn over the previous one and to the end, so that rounding leaves no gaps.
            for (i, color) in RAMP.iter().enumerate() {
                let from = 2.0 * half * i as f64 / RAMP.len() as f64;
                area(page, middle.x - half + from, 2.0 * half - from, color);
            }
        }
        LegendItem::Border => {
            area(page, middle.x - half, 2.0 * half, FREE);
            draw_border_sample(page, middle, half, unit);
        }
        LegendItem::Region => {
            area(page, middle.x - half, 2.0 * half, GROUND);
            draw_expanded(page, middle, RAMP[RAMP.len() / 3], HALF * unit);
        }
        LegendItem::Wall => area(page, middle.x - half, 2.0 * half, WALL),
        LegendItem::Terrain => {
            area(page, middle.x - half, 2.0 * half, FREE);
            draw_terrain_sample(page, middle, 2.0 * half, 16.0 * unit);
        }
        LegendItem::Blocked => area(page, middle.x - half, 2.0 * half, BLOCKED),
        LegendItem::Freed => area(page, middle.x - half, 2.0 * half, FREED),
        LegendItem::Unknown => {
            area(page, middle.x - half, 2.0 * half, FREE);
            page.add(format_args!("<g fill-opacity=\"{VEIL_OPACITY}\">\n"));
            area(page, middle.x - half, 2.0 * half, VEIL);
            page.add(format_args!("</g>\n"));
        }
    }
}
