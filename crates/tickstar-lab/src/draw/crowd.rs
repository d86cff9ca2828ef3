//! Pictures of crowds: how often each cell was walked over, and where the agents are; and films of some of them.

use std::fmt::Write;

use tickstar::{Cell, Grid};

use super::cells::{Scale, draw_cells};
use super::frame::{CAPTION_SIZE, Frame, Sheet};
use super::legend::{LEGEND_SIZE, LegendItem, draw_numbers, draw_sample};
use super::lettering::{broken, draw_text, text_width};
use super::walk::WALK;
use super::{CASING, INK, Page, Point, Px, SOFT_INK, Scene};

/// Agents that have arrived.
const AT_GOAL: &str = "#1b2430";

/// A crowd at one moment.
#[derive(Clone, Debug)]
pub struct CrowdScene {
    /// The map.
    pub grid: Grid,
    /// Cells that have been walked over, each with the number of steps onto it.
    pub steps: Vec<(Cell, u64)>,
    /// Cells that were blocked on the way.
    pub blocked: Vec<Cell>,
    /// Where agents are that are on their way.
    pub underway: Vec<Cell>,
    /// Where agents are that have arrived.
    pub arrived: Vec<Cell>,
}

/// The picture of a crowd, with cells of `cell_px` pixels (at least one) and a caption below.
pub fn crowd_svg(crowd: &CrowdScene, caption: &str, cell_px: u32) -> String {
    let mut scene = Scene::new(crowd.grid.clone(), Cell::default(), Cell::default());
    scene.expanded.clone_from(&crowd.steps);
    scene.changed.clone_from(&crowd.blocked);
    let mut items = vec![];
    if !crowd.underway.is_empty() {
        items.push(Item::Dot(WALK, "agent on its way"));
    }
    if !crowd.arrived.is_empty() {
        items.push(Item::Dot(AT_GOAL, "agent that has arrived"));
    }
    let mut sheet = Page::of_map(&scene, items, caption, cell_px);
    let radius = sheet.radius();
    for (name, color, cells) in
        [("arrived", AT_GOAL, &crowd.arrived), ("underway", WALK, &crowd.underway)]
    {
        sheet.page.add(format_args!("<g id=\"{name}\" fill=\"{color}\">\n"));
        for &cell in cells {
            let at = sheet.frame.centre(cell);
            let (x, y) = (Px(at.x), Px(at.y));
            sheet.page.add(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>\n"));
        }
        sheet.page.add(format_args!("</g>\n"));
    }
    sheet.page.finish()
}

/// Agents and their positions over time.
#[derive(Clone, Debug)]
pub struct CrowdFilm {
    /// The map.
    pub grid: Grid,
    /// For each agent where it was at the beginning and after each frame.
    pub walks: Vec<Vec<Cell>>,
    /// Frames per second.
    pub speed: u32,
}

/// An animated SVG: agents as dots that move over the map, again and again.
pub fn film_svg(film: &CrowdFilm, caption: &str, cell_px: u32) -> String {
    let scene = Scene::new(film.grid.clone(), Cell::default(), Cell::default());
    let items = vec![
        Item::Dot(WALK, "agent on its way"),
        Item::Dot(AT_GOAL, "agent that has arrived or waits"),
    ];
    let mut sheet = Page::of_map(&scene, items, caption, cell_px);
    let frames = film.walks.iter().map(|walk| walk.len().saturating_sub(1)).max().unwrap_or(0);
    let seconds = Px(frames.max(1) as f64 / f64::from(film.speed.max(1)));
    let timing = format!("dur=\"{seconds}s\" repeatCount=\"indefinite\"");
    // In cells, so that positions are short.
    let (x, y) = (Px(sheet.frame.map.x), Px(sheet.frame.map.y));
    let (cell, radius) = (sheet.frame.cell, Px(sheet.radius().0 / sheet.frame.cell));
    sheet.page.add(format_args!(
        "<g id=\"agents\" transform=\"translate({x} {y}) scale({cell}) translate(.5 .5)\" \
         fill=\"{WALK}\">\n"
    ));
    for walk in &film.walks {
        let Some(last) = walk.last() else { continue };
        let (times, places) = turns(walk, frames);
        // When it stopped for good.
        let moving = walk.iter().rposition(|cell| cell != last).map_or(0, |before| before + 1);
        let end = Share(moving, frames);
        sheet.page.add(format_args!(
            "<circle r=\"{radius}\"><animateTransform attributeName=\"transform\" \
             type=\"translate\" {timing} keyTimes=\"{times}\" values=\"{places}\"/>"
        ));
        if moving < frames {
            sheet.page.add(format_args!(
                "<animate attributeName=\"fill\" calcMode=\"discrete\" {timing} \
                 keyTimes=\"0;{end}\" values=\"{WALK};{AT_GOAL}\"/>"
            ));
        }
        sheet.page.add(format_args!("</circle>\n"));
    }
    sheet.page.add(format_args!("</g>\n"));
    sheet.page.finish()
}

/// A frame as a share of all.
pub(super) struct Share(pub usize, pub usize);

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let share = self.0 as f64 / self.1.max(1) as f64;
        write!(f, "{}", (share * 1e5).round() / 1e5)
    }
}

/// Where a walk changes its direction or speed: the times from 0 to 1, and the places.
pub(super) fn turns(walk: &[Cell], frames: usize) -> (String, String) {
    let (mut times, mut places) = (String::new(), String::new());
    let mut add = |frame: usize, cell: Cell| {
        let separator = if times.is_empty() { "" } else { ";" };
        write!(times, "{separator}{}", Share(frame, frames)).expect("a String takes any text");
        write!(places, "{separator}{} {}", cell.x, cell.y).expect("a String takes any text");
    };
    let step = |from: Cell, to: Cell| {
        (i64::from(to.x) - i64::from(from.x), i64::from(to.y) - i64::from(from.y))
    };
    for (frame, &cell) in walk.iter().enumerate() {
        let before = frame.checked_sub(1).map(|before| step(walk[before], cell));
        let after = walk.get(frame + 1).map(|&next| step(cell, next));
        if before.is_none() || before != after {
            add(frame, cell);
        }
    }
    // The last time must be 1.
    if let Some(&last) = walk.last().filter(|_| walk.len() <= frames || frames == 0) {
        add(frames.max(1), last);
    }
    (times, places)
}

/// An entry of the legend.
enum Item {
    Known(LegendItem, &'static str),
    Dot(&'static str, &'static str),
}

impl Item {
    fn sample(&self) -> f64 {
        match self {
            Item::Known(item, _) => item.sample(),
            Item::Dot(..) => 12.0,
        }
    }

    fn label(&self) -> &'static str {
        match self {
            Item::Known(_, label) | Item::Dot(_, label) => label,
        }
    }
}

/// A page with a map, its legend and its caption.
struct Chart {
    page: Page,
    frame: Frame,
}

impl Chart {
    /// The radius of an agent.
    fn radius(&self) -> Px {
        Px((0.45 * self.frame.cell).max(2.2 * self.frame.unit))
    }
}

impl Page {
    /// The map, with everything but agents.
    fn of_map(scene: &Scene, mut items: Vec<Item>, caption: &str, cell_px: u32) -> Chart {
        let scenes = std::slice::from_ref(scene);
        let scale = Scale::new(scenes);
        let mut sheet = Sheet::new(scenes, "", cell_px, &scale);
        let (unit, frame) = (sheet.unit, sheet.frames.swap_remove(0));
        for item in LegendItem::of(scenes, &scale) {
            match item {
                LegendItem::Start | LegendItem::Goal => {}
                LegendItem::Expanded => items.push(Item::Known(item, "steps per cell")),
                item => items.push(Item::Known(item, item.label())),
            }
        }
        // Below the map, in as many rows as needed.
        let left = 28.0 * unit;
        let right = sheet.width - left;
        let mut at = Point { x: left, y: frame.corner().y + 34.0 * unit };
        let mut places = Vec::new();
        for item in items {
            let width = (item.sample() + 9.0 + text_width(item.label(), LEGEND_SIZE)) * unit;
            if at.x > left && at.x + width > right {
                at = Point { x: left, y: at.y + 40.0 * unit };
            }
            places.push((item, at));
            at.x += width + 24.0 * unit;
        }
        let mut bottom = at.y + 14.0 * unit;
        let mut lines = Vec::new();
        for line in broken(caption, CAPTION_SIZE * unit, right - left) {
            bottom += 26.0 * unit;
            lines.push((line, Point { x: left, y: bottom }));
        }
        let mut page = Page::begin(sheet.width, (bottom + left).ceil(), caption);
        draw_cells(&mut page, scene, &frame, &scale);
        page.add(format_args!("<g id=\"legend\">\n"));
        for (item, at) in places {
            let sample = item.sample() * unit;
            let middle = Point { x: at.x + sample / 2.0, y: at.y - LEGEND_SIZE * 0.3 * unit };
            match item {
                Item::Known(known, _) => draw_sample(&mut page, &frame, known, middle, unit),
                Item::Dot(color, _) => page.add(format_args!(
                    "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{color}\" stroke=\"{CASING}\"/>\n",
                    Px(middle.x),
                    Px(middle.y),
                    Px(5.0 * unit)
                )),
            }
            if let Item::Known(LegendItem::Expanded, _) = item {
                draw_numbers(&mut page, &scale, at, sample, unit);
            }
            let label = Point { x: at.x + sample + 9.0 * unit, y: at.y };
            draw_text(&mut page, item.label(), label, LEGEND_SIZE * unit, SOFT_INK);
        }
        page.add(format_args!("</g>\n<g id=\"caption\">\n"));
        for (line, at) in lines {
            draw_text(&mut page, &line, at, CAPTION_SIZE * unit, INK);
        }
        page.add(format_args!("</g>\n"));
        Chart { page, frame }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::png;

    fn cells(places: &[(u32, u32)]) -> Vec<Cell> {
        places.iter().map(|&(x, y)| Cell::new(x, y)).collect()
    }

    #[test]
    fn a_crowd_is_drawn_with_its_agents_and_legend() {
        let grid = Grid::from_rows(["....", ".##.", "...."]).unwrap();
        let scene = CrowdScene {
            steps: vec![(Cell::new(0, 0), 3), (Cell::new(1, 0), 9)],
            blocked: cells(&[(1, 1)]),
            underway: cells(&[(1, 0), (2, 0)]),
            arrived: cells(&[(3, 2)]),
            grid,
        };
        let svg = crowd_svg(&scene, "a caption", 20);
        // Two and one on the map, one of each in the legend.
        assert_eq!(svg.matches("<circle").count(), 5);
        assert_eq!(&png(&svg).unwrap()[..4], b"\x89PNG");
    }

    #[test]
    fn a_film_has_a_time_for_each_turn() {
        let walk = cells(&[(0, 0), (1, 0), (2, 0), (2, 1), (2, 1)]);
        assert_eq!(turns(&walk, 4), ("0;0.5;0.75;1".into(), "0 0;2 0;2 1;2 1".into()));
        // One that has been filmed for a shorter time stays where it is.
        assert_eq!(turns(&walk[..3], 4), ("0;0.5;1".into(), "0 0;2 0;2 0".into()));
        assert_eq!(turns(&walk[..1], 0), ("0;1".into(), "0 0;0 0".into()));
        let film = CrowdFilm { grid: Grid::new(4, 4).unwrap(), walks: vec![walk], speed: 10 };
        let svg = film_svg(&film, "", 10);
        assert!(svg.contains("keyTimes=\"0;0.5;0.75;1\""), "{svg}");
        assert!(svg.contains("dur=\"0.4s\"") && svg.contains("keyTimes=\"0;0.75\""), "{svg}");
    }
}
