//! Pictures of a map's levels: one panel per level, in which the cells of a node share a color.
//!
//! Neighbors on a level have different colors. Where there is room, a dot is drawn at the mean position of
//! each node, and lines for the edges. A part of the map that is a single node on a lower level is gray. A path
//! is drawn on each level through the nodes that it passes.

use std::cmp::Reverse;
use std::fmt::Write;

use tickstar::{Cell, Grid, NodeId, Space};

use super::lettering::{broken, draw_text, text_width};
use super::walk::{WALK, draw_goal, draw_start, push_line};
use super::{CASING, FREE, INK, PAGE, Page, Point, Px, Runs, SOFT_INK, TARGET_PX, WALL, draw_area};
use crate::levels::Levels;

/// The colors of nodes: muted, of different lightness, all lighter than walls. Made in the `OKLCh` color
/// space.
const NODES: [&str; 10] = [
    "#eddea5", "#8fbde5", "#a3dbad", "#e29c96", "#c0eaf4", "#e9b082", "#b1a1d1", "#f0c5e1",
    "#79bdb4", "#b7c68b",
];
/// Parts that are a single node on a lower level.
const WHOLE: &str = "#d5dae1";
/// Dots and lines are drawn if nodes are at least this many units apart on average.
const ROOM: f64 = 12.0;
/// The approximate side of a panel on a sheet of several; up to twice that if cells would be less than a
/// pixel.
const PANEL_PX: u32 = 520;
const CAPTION_SIZE: f64 = 17.0;
const PANEL_SIZE: f64 = 16.0;

/// Suitable pixels per cell for a picture of `panels` panels; below one on large maps.
pub fn panel_px(grid: &Grid, panels: usize) -> f64 {
    let target = if panels > 1 { PANEL_PX } else { TARGET_PX };
    let side = grid.width().max(grid.height());
    if side <= 2 * target {
        f64::from((target / side).clamp(1, 24))
    } else {
        1.0 / f64::from(side.div_ceil(2 * target))
    }
}

/// A path to be drawn on every level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Route {
    /// Where it begins.
    pub start: NodeId,
    /// Where it ends, or should.
    pub goal: NodeId,
    /// Its nodes on the map, if there is a path.
    pub nodes: Vec<NodeId>,
}

/// A panel for each of these levels, as one SVG with cells of `cell_px` pixels, and a path on each.
pub fn levels_svg(
    levels: &Levels<'_>,
    shown: &[usize],
    route: Option<&Route>,
    caption: &str,
    cell_px: f64,
) -> String {
    let sheet = Sheet::new(levels.grid, shown, caption, cell_px);
    let mut page = Page::begin(sheet.width, sheet.height, caption);
    for (&level, &corner) in shown.iter().zip(&sheet.corners) {
        draw_panel(&mut page, levels, level, &sheet, corner);
        if let Some(route) = route {
            draw_route(&mut page, levels, level, &sheet, corner, route);
        }
        page.add(format_args!("</g>\n"));
    }
    page.add(format_args!("<g id=\"caption\">\n"));
    for (line, at) in &sheet.caption {
        draw_text(&mut page, line, *at, CAPTION_SIZE * sheet.unit, INK);
    }
    page.add(format_args!("</g>\n"));
    page.finish()
}

/// The layout of the picture.
struct Sheet {
    cell: f64,
    unit: f64,
    panel_width: f64,
    panel_height: f64,
    /// The top left corner of each panel.
    corners: Vec<Point>,
    caption: Vec<(String, Point)>,
    width: f64,
    height: f64,
}

impl Sheet {
    fn new(grid: &Grid, shown: &[usize], caption: &str, cell: f64) -> Sheet {
        let columns = match shown.len() {
            0..=3 => shown.len().max(1),
            4 => 2,
            5 | 6 | 9 => 3,
            _ => 4,
        };
        // Whole pixels, so that cells have sharp edges.
        let panel_width = (cell * f64::from(grid.width())).ceil();
        let panel_height = (cell * f64::from(grid.height())).ceil();
        let longer = (panel_width * columns as f64).max(panel_height);
        let unit = (longer / 1300.0).max(1.0);
        let margin = (28.0 * unit).round();
        let title = text_width("level 10: 1000000 nodes", PANEL_SIZE * unit);
        let step_x = panel_width.max(title.ceil()) + margin;
        let title = (32.0 * unit).round();
        let step_y = panel_height + title + (14.0 * unit).round();
        let corner = |i: usize| Point {
            x: margin + step_x * (i % columns) as f64,
            y: (18.0 * unit).round() + title + step_y * (i / columns) as f64,
        };
        let content = (step_x * columns as f64 - margin).max(360.0 * unit).ceil();
        let rows = shown.len().div_ceil(columns);
        let mut bottom = corner(0).y - title + step_y * rows as f64;
        let mut lines = Vec::new();
        for line in broken(caption, CAPTION_SIZE * unit, content) {
            bottom += 24.0 * unit;
            lines.push((line, Point { x: margin, y: bottom }));
        }
        Sheet {
            cell,
            unit,
            panel_width,
            panel_height,
            corners: (0..shown.len()).map(corner).collect(),
            caption: lines,
            width: content + 2.0 * margin,
            height: (bottom + margin).ceil(),
        }
    }
}

fn draw_panel(page: &mut Page, levels: &Levels<'_>, level: usize, sheet: &Sheet, corner: Point) {
    page.add(format_args!("<g id=\"level-{level}\">\n"));
    let count = levels.nodes(level).count();
    let noun = if count == 1 { "node" } else { "nodes" };
    let title = Point { x: corner.x, y: corner.y - 11.0 * sheet.unit };
    let text = format!("level {level}: {count} {noun}");
    draw_text(page, &text, title, PANEL_SIZE * sheet.unit, SOFT_INK);
    draw_cells(page, levels, level, sheet.cell, corner);
    let edge = sheet.unit.round();
    page.add(format_args!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{WALL}\" \
         stroke-width=\"{edge}\" shape-rendering=\"crispEdges\"/>\n",
        corner.x - edge / 2.0,
        corner.y - edge / 2.0,
        sheet.panel_width + edge,
        sheet.panel_height + edge
    ));
    let free = levels.nodes(0).count() as f64;
    let apart = sheet.cell * (free / count.max(1) as f64).sqrt();
    if apart >= ROOM * sheet.unit {
        draw_graph(page, levels, level, sheet, corner, apart);
    }
}

/// Draws a path through the nodes of a level that it passes, and its ends on the map.
fn draw_route(
    page: &mut Page,
    levels: &Levels<'_>,
    level: usize,
    sheet: &Sheet,
    corner: Point,
    route: &Route,
) {
    let point = |(x, y): (f64, f64)| Point {
        x: corner.x + (x + 0.5) * sheet.cell,
        y: corner.y + (y + 0.5) * sheet.cell,
    };
    let above = |&node: &NodeId| levels.hierarchy.ancestor(node, level);
    let mut nodes: Vec<NodeId> = route.nodes.iter().filter_map(above).collect();
    nodes.dedup();
    let points: Vec<Point> = nodes.iter().map(|&node| point(levels.mean(level, node))).collect();
    let mut line = String::new();
    push_line(&mut line, &points);
    let unit = sheet.unit;
    page.add(format_args!(
        "<g class=\"route\" fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\">\n"
    ));
    for (color, width) in [(CASING, 5.6 * unit), (WALK, 3.0 * unit)] {
        page.add(format_args!(
            "<path stroke=\"{color}\" stroke-width=\"{}\" d=\"{line}\"/>\n",
            Px(width)
        ));
    }
    // Dots where they do not merge into a line.
    let close = points.windows(2).any(|pair| pair[0].distance(pair[1]) < 9.0 * unit);
    if !close && level > 0 {
        page.add(format_args!("<path stroke=\"{WALK}\" stroke-width=\"{}\" d=\"", Px(8.5 * unit)));
        for Point { x, y } in &points {
            page.add(format_args!("M{} {}h0", Px(*x), Px(*y)));
        }
        page.add(format_args!("\"/>\n"));
    }
    page.add(format_args!("</g>\n"));
    draw_start(page, point(levels.mean(0, route.start)), 5.6 * unit, 0.8 * unit);
    draw_goal(page, point(levels.mean(0, route.goal)), 8.0 * unit, 0.8 * unit);
}

/// Draws the walls, and the free cells in the colors of their nodes.
fn draw_cells(page: &mut Page, levels: &Levels<'_>, level: usize, cell: f64, corner: Point) {
    let grid = levels.grid;
    let (width, height) = (grid.width(), grid.height());
    page.add(format_args!(
        "<g transform=\"translate({} {}) scale({cell})\" shape-rendering=\"crispEdges\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{FREE}\"/>\n",
        corner.x, corner.y
    ));
    let colors = colors(levels, level);
    let mut runs = vec![Runs::default(); NODES.len()];
    let (mut walls, mut whole) = (Runs::default(), Runs::default());
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let node = grid.node(Cell::new(x, y)).filter(|&node| grid.contains(node));
        match node.map(|node| levels.hierarchy.ancestor(node, level)) {
            None => walls.push(x, y),
            Some(None) => whole.push(x, y),
            Some(Some(node)) if level > 0 => runs[colors[node.index()]].push(x, y),
            // Level 0 is the map itself.
            Some(_) => {}
        }
    }
    for (color, runs) in NODES.into_iter().zip(runs) {
        draw_area(page, color, &runs.finish());
    }
    draw_area(page, WHOLE, &whole.finish());
    draw_area(page, WALL, &walls.finish());
    page.add(format_args!("</g>\n"));
}

/// A color for each node, indexed by id: one that no neighbor has, if possible. Nodes are colored in order of
/// falling degree, each starting from a different color, so that all colors are used.
fn colors(levels: &Levels<'_>, level: usize) -> Vec<usize> {
    let mut order: Vec<NodeId> = levels.nodes(level).collect();
    let size = order.last().map_or(0, |last| last.index() + 1);
    order.sort_by_cached_key(|&node| (Reverse(levels.degree(level, node)), node));
    let mut colors = vec![usize::MAX; size];
    for node in order {
        let mut taken = [0_u32; NODES.len()];
        levels.for_each_neighbor(level, node, |to| {
            if let Some(count) = taken.get_mut(colors[to.index()]) {
                *count += 1;
            }
        });
        // Fibonacci hashing: consecutive ids are spread far apart.
        let first = (node.0.wrapping_mul(0x9e37_79b9) >> 16) as usize;
        let search = (first..first + NODES.len()).map(|i| i % NODES.len());
        colors[node.index()] = search.min_by_key(|&color| taken[color]).unwrap_or(0);
    }
    colors
}

/// Draws dots at mean positions, and lines between neighbors.
fn draw_graph(
    page: &mut Page,
    levels: &Levels<'_>,
    level: usize,
    sheet: &Sheet,
    corner: Point,
    apart: f64,
) {
    let at = |node| {
        let (x, y) = levels.mean(level, node);
        let place = |from: f64, cells: f64| Px(from + (cells + 0.5) * sheet.cell);
        (place(corner.x, x), place(corner.y, y))
    };
    let line = (apart * 0.06).clamp(0.9 * sheet.unit, 2.0 * sheet.unit);
    let radius = (apart * 0.11).clamp(1.3 * sheet.unit, 5.0 * sheet.unit);
    let mut edges = String::new();
    for node in levels.nodes(level) {
        let (x, y) = at(node);
        levels.for_each_neighbor(level, node, |to| {
            if node < to {
                let (to_x, to_y) = at(to);
                write!(edges, "M{x} {y}L{to_x} {to_y}").expect("a String takes any text");
            }
        });
    }
    // On a light casing, so that a line is visible where it crosses a wall.
    for (color, opacity, width) in [(PAGE, 0.4, line + 1.6 * sheet.unit), (INK, 0.7, line)] {
        page.add(format_args!(
            "<path fill=\"none\" stroke=\"{color}\" stroke-opacity=\"{opacity}\" \
             stroke-width=\"{}\" d=\"{edges}\"/>\n",
            Px(width)
        ));
    }
    // Lines of zero length with round caps: one path for all dots, light below and dark above.
    for (color, width) in [(PAGE, 2.0 * radius + 1.6 * sheet.unit), (INK, 2.0 * radius)] {
        page.add(format_args!(
            "<path fill=\"none\" stroke=\"{color}\" stroke-linecap=\"round\" stroke-width=\"{}\" d=\"",
            Px(width)
        ));
        for (x, y) in levels.nodes(level).map(at) {
            page.add(format_args!("M{x} {y}h0"));
        }
        page.add(format_args!("\"/>\n"));
    }
}

#[cfg(test)]
mod tests {
    use tickstar::search::SearchConfig;
    use tickstar::{Hierarchy, find_path};

    use super::super::png;
    use super::*;
    use crate::builtin;

    /// The part of the SVG that shows a level.
    fn panel(svg: &str, level: usize) -> &str {
        let (_, rest) = svg.split_once(&format!("<g id=\"level-{level}\">")).expect("it is there");
        rest.split("<g id=\"").next().expect("a part before the first")
    }

    #[test]
    fn neighbors_have_different_colors() {
        for name in ["rooms-64", "random-64", "maze-64", "caves-128", "islands-128"] {
            let grid = builtin::find(name).unwrap().grid();
            let hierarchy = Hierarchy::new(&grid).unwrap();
            let levels = Levels { grid: &grid, hierarchy: &hierarchy };
            for level in 1..=hierarchy.height() {
                let colors = colors(&levels, level);
                let mut used: Vec<_> = levels.nodes(level).map(|n| colors[n.index()]).collect();
                for node in levels.nodes(level) {
                    levels.for_each_neighbor(level, node, |to| {
                        let (here, there) = (colors[node.index()], colors[to.index()]);
                        assert_ne!(here, there, "{name}, level {level}: {node} and {to}");
                    });
                }
                used.sort_unstable();
                used.dedup();
                assert!(
                    used.len() > 7 || levels.nodes(level).count() < 200,
                    "{name}, level {level}"
                );
            }
        }
    }

    #[test]
    fn each_edge_is_drawn_once_where_there_is_room() {
        let grid = builtin::find("caves-128").unwrap().grid();
        let hierarchy = Hierarchy::new(&grid).unwrap();
        let levels = Levels { grid: &grid, hierarchy: &hierarchy };
        let stats = levels.stats();
        let shown = [0, 1, 5, stats.len() - 1];
        let svg = levels_svg(&levels, &shown, None, "caves", 4.0);
        assert_eq!(svg.matches("<g id=\"level-").count(), 4);
        assert!(!panel(&svg, 0).contains("stroke-opacity") && !panel(&svg, 1).contains("h0"));
        let drawn = panel(&svg, 5);
        let (_, edges) = drawn.split_once("stroke-opacity=\"0.7\"").unwrap();
        assert_eq!(edges.lines().next().unwrap().matches('L').count(), stats[5].edges);
        assert_eq!(drawn.matches("h0").count(), 2 * stats[5].nodes, "a casing and a dot");
    }

    #[test]
    fn a_part_that_is_a_single_node_below_is_gray() {
        let grid = Grid::from_rows(["......#.", "......##", "......#."]).unwrap();
        let hierarchy = Hierarchy::new(&grid).unwrap();
        let levels = Levels { grid: &grid, hierarchy: &hierarchy };
        let svg = levels_svg(&levels, &[0, 1], None, "", 24.0);
        let gray = format!("<path fill=\"{WHOLE}\" d=\"M7 0h1v1h-1zM7 2h1v1h-1z\"/>");
        assert!(panel(&svg, 1).contains(&gray), "{svg}");
        assert!(!panel(&svg, 0).contains(WHOLE));
    }

    #[test]
    fn a_path_passes_fewer_nodes_on_each_level() {
        let map = builtin::find("caves-128").unwrap();
        let grid = map.grid();
        let hierarchy = Hierarchy::new(&grid).unwrap();
        let levels = Levels { grid: &grid, hierarchy: &hierarchy };
        let problem = map.problems(&grid, 1, 1)[0];
        let [start, goal] = [problem.start, problem.goal].map(|cell| grid.node(cell).unwrap());
        let path = find_path(&grid, start, goal, SearchConfig::default()).unwrap().unwrap();
        let route = Route { start, goal, nodes: path.nodes };
        let svg = levels_svg(&levels, &[1, 3, 6], Some(&route), "", 4.0);
        let corners = [1, 3, 6].map(|level| {
            let (_, line) = panel(&svg, level).split_once("class=\"route\"").unwrap();
            line.lines().nth(1).unwrap().matches('L').count()
        });
        assert!(
            corners[0] > corners[1] && corners[1] > corners[2] && corners[2] > 0,
            "{corners:?}"
        );
    }

    #[test]
    fn odd_maps_can_be_drawn() {
        for grid in [Grid::new(1, 1), Grid::new_blocked(1, 1), Grid::new(3, 70)] {
            let grid = grid.unwrap();
            let hierarchy = Hierarchy::new(&grid).unwrap();
            let levels = Levels { grid: &grid, hierarchy: &hierarchy };
            let all: Vec<_> = (0..=hierarchy.height()).collect();
            for shown in [&all[..], &all[..1], &[]] {
                for cell_px in [0.3, 1.0, 24.0] {
                    let node = NodeId(0);
                    let route = Route { start: node, goal: node, nodes: vec![node] };
                    for route in [None, Some(&route)] {
                        png(&levels_svg(&levels, shown, route, "<&> \u{0}", cell_px)).unwrap();
                    }
                }
            }
        }
    }

    #[test]
    fn large_maps_get_less_than_a_pixel_per_cell() {
        for (side, panels, px) in [
            (8, 8, 24.0),
            (128, 8, 4.0),
            (512, 8, 1.0),
            (1024, 8, 1.0),
            (2048, 8, 0.5),
            (128, 1, 9.0),
            (2048, 1, 1.0),
            (4096, 1, 0.5),
        ] {
            let grid = Grid::new_blocked(3, side).unwrap();
            assert_eq!(panel_px(&grid, panels).to_bits(), f64::to_bits(px), "{side}, {panels}");
        }
    }
}
