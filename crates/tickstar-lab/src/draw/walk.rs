//! The walk of a picture: lines with arrows and ticks, and the marks on them.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use tickstar::Cell;

use super::frame::Frame;
use super::lettering::{draw_text, text_width};
use super::{CASING, INK, Page, Point, Px, Scene};

pub(super) const WALK: &str = "#e8371f";
const BACK: &str = "#6d0f6b";
const GOAL: &str = "#ffc928";

/// A dash and the gap after it, as multiples of the line's width. Round ends lengthen the dash by one
/// and shorten the gap by one.
pub(super) const DASH: f64 = 1.5;
pub(super) const GAP: f64 = 2.0;

/// The distance between arrows along a line, in units.
const ARROWS_APART: f64 = 84.0;
/// Arrows that point the same way keep this distance, and all arrows and marks the second one.
const SAME_WAY_APART: f64 = 50.0;
const APART: f64 = 16.0;
/// At most about this many ticks are numbered.
const TICKS: u64 = 12;
/// The size of their numbers.
pub(super) const TICK_SIZE: f64 = 13.0;

/// Draws the walked line, the back-moves beside it, and arrows, ticks and marks on both.
pub(super) fn draw_walk(page: &mut Page, scene: &Scene, frame: &Frame) {
    let to_points = |cells: &[Cell]| cells.iter().map(|&cell| frame.centre(cell)).collect();
    let ahead: Vec<Vec<Point>> = walked_lines(scene).iter().map(|line| to_points(line)).collect();
    let back: Vec<Vec<Point>> = back_lines(scene)
        .iter()
        .map(|line| {
            let mut lane = beside(&to_points(&line.cells), frame);
            if line.joins {
                lane.pop();
            }
            lane
        })
        .collect();
    let path = |lines: &[Vec<Point>]| {
        let mut path = String::new();
        for line in lines {
            push_line(&mut path, line);
        }
        path
    };
    page.add(format_args!(
        "<g id=\"walk\" fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\">\n"
    ));
    draw_lines(page, frame, &path(&ahead), &path(&back));
    page.add(format_args!("</g>\n"));
    let ticks = ticks(scene, frame);
    let mut taken: Vec<Point> = ticks.iter().map(|tick| tick.at).collect();
    taken.extend(marks(scene, frame));
    page.add(format_args!("<g id=\"arrows\" stroke-linejoin=\"round\">\n"));
    let mut arrows = Vec::new();
    for (lines, color) in [(&ahead, WALK), (&back, BACK)] {
        for arrow in lines.iter().flat_map(|line| arrows_along(line, frame)) {
            let apart = |other: Point| arrow.at.distance(other) / frame.unit;
            let is_free = taken.iter().all(|&mark| apart(mark) >= APART)
                && arrows.iter().all(|other: &Arrow| {
                    let same_way = arrow.dx * other.dx + arrow.dy * other.dy > 0.7;
                    apart(other.at) >= if same_way { SAME_WAY_APART } else { APART }
                });
            if is_free {
                draw_arrow(page, arrow, frame.unit, color);
                arrows.push(arrow);
            }
        }
    }
    page.add(format_args!("</g>\n"));
    draw_ticks(page, scene, frame, &ticks);
}

/// An arrow on a line, with its direction.
#[derive(Clone, Copy)]
struct Arrow {
    at: Point,
    dx: f64,
    dy: f64,
}

/// Where arrows could be drawn on a line, evenly.
fn arrows_along(line: &[Point], frame: &Frame) -> Vec<Arrow> {
    let lengths = || line.windows(2).map(|pair| pair[0].distance(pair[1]));
    let (whole, step) = (lengths().sum::<f64>(), ARROWS_APART * frame.unit);
    let mut arrows = Vec::new();
    if whole < 24.0 * frame.unit {
        return arrows;
    }
    let mut next = (step / 2.0).min(whole / 2.0);
    let mut walked = 0.0;
    // The direction is that of some moves around, as single moves turn back and forth.
    let reach = (7.0 * frame.unit / frame.cell).ceil() as usize;
    for (i, length) in lengths().enumerate() {
        while next < walked + length {
            let share = (next - walked) / length;
            let (from, to) = (line[i], line[i + 1]);
            let between = |a: f64, b: f64| a + (b - a) * share;
            let at = Point { x: between(from.x, to.x), y: between(from.y, to.y) };
            let tail = line[i.saturating_sub(reach - 1)];
            let tip = line[(i + reach).min(line.len() - 1)];
            let far = tail.distance(tip);
            if far > 0.0 {
                arrows.push(Arrow { at, dx: (tip.x - tail.x) / far, dy: (tip.y - tail.y) / far });
            }
            next += step;
        }
        walked += length;
    }
    arrows
}

fn draw_arrow(page: &mut Page, Arrow { at, dx, dy }: Arrow, unit: f64, color: &str) {
    let point = |along: f64, aside: f64| {
        let (along, aside) = (along * unit, aside * unit);
        (Px(at.x + dx * along - dy * aside), Px(at.y + dy * along + dx * aside))
    };
    let ((x, y), (ax, ay), (bx, by), (cx, cy)) =
        (point(8.0, 0.0), point(-6.0, 6.2), point(-3.4, 0.0), point(-6.0, -6.2));
    page.add(format_args!(
        "<path fill=\"{color}\" stroke=\"{CASING}\" stroke-width=\"{}\" \
         d=\"M{x} {y}L{ax} {ay}L{bx} {by}L{cx} {cy}Z\"/>\n",
        Px(1.3 * unit)
    ));
}

/// A tick on the walk that has a number, or several at one place.
struct Tick {
    at: Point,
    first: u64,
    last: u64,
}

/// The ticks that are numbered: evenly, and the last.
fn ticks(scene: &Scene, frame: &Frame) -> Vec<Tick> {
    let Some(&(_, end)) = scene.walk.last() else { return Vec::new() };
    let step = round_step(end.div_ceil(TICKS));
    let mut ticks: Vec<(usize, u64, u64)> = Vec::new();
    let even = (1..).map(|nth: u64| nth.saturating_mul(step));
    let even = even.take_while(|&tick| tick.saturating_add(step / 2) < end);
    for tick in even.chain((end > 0).then_some(end)) {
        // Where the agent was at the end of that tick: waiting is not in the walk.
        let place = scene.walk.partition_point(|&(_, since)| since <= tick).saturating_sub(1);
        match ticks.last_mut() {
            Some(last) if last.0 == place => last.2 = tick,
            _ => ticks.push((place, tick, tick)),
        }
    }
    let ticks = ticks.into_iter().filter(|&(place, ..)| scene.grid.is_inside(scene.walk[place].0));
    ticks
        .map(|(place, first, last)| Tick { at: frame.centre(scene.walk[place].0), first, last })
        .collect()
}

/// The next of 1, 2, 5, 10, 20, 50 and so on.
fn round_step(least: u64) -> u64 {
    let mut power: u64 = 1;
    loop {
        for factor in [1, 2, 5] {
            if let Some(step) = power.checked_mul(factor).filter(|&step| step >= least) {
                return step;
            }
        }
        let Some(next) = power.checked_mul(10) else { return u64::MAX };
        power = next;
    }
}

/// A rectangle by its middle and half of its sides.
#[derive(Clone, Copy)]
struct Rectangle {
    middle: Point,
    width: f64,
    height: f64,
}

impl Rectangle {
    fn overlaps(&self, other: &Rectangle) -> bool {
        (self.middle.x - other.middle.x).abs() < self.width + other.width
            && (self.middle.y - other.middle.y).abs() < self.height + other.height
    }

    /// The distance of a point outside.
    fn distance(&self, point: Point) -> f64 {
        let dx = ((self.middle.x - point.x).abs() - self.width).max(0.0);
        let dy = ((self.middle.y - point.y).abs() - self.height).max(0.0);
        (dx * dx + dy * dy).sqrt()
    }

    fn contains(&self, point: Point) -> bool {
        (self.middle.x - point.x).abs() < self.width
            && (self.middle.y - point.y).abs() < self.height
    }
}

/// Draws dots on the walk, and numbers beside them where there is room.
fn draw_ticks(page: &mut Page, scene: &Scene, frame: &Frame, ticks: &[Tick]) {
    let unit = frame.unit;
    let square = |middle: Point, half: f64| Rectangle { middle, width: half, height: half };
    let mut taken: Vec<_> =
        marks(scene, frame).into_iter().map(|at| square(at, frame.mark() + 2.0 * unit)).collect();
    taken.extend(ticks.iter().map(|tick| square(tick.at, 4.5 * unit)));
    // A number had better cover neither the walk nor the squares of regions.
    let shown = scene.walk.iter().chain(&scene.expanded_regions);
    let shown: Vec<Point> = shown.map(|&(cell, _)| frame.centre(cell)).collect();
    page.add(format_args!("<g id=\"ticks\">\n"));
    for Tick { at, .. } in ticks {
        draw_tick(page, *at, unit);
    }
    // The end first: it matters most.
    for (nth, &Tick { at, first, last }) in ticks.iter().enumerate().rev() {
        let text = if first == last { last.to_string() } else { format!("{first}–{last}") };
        let size = TICK_SIZE * unit;
        let (width, height) = (text_width(&text, size) / 2.0 + 3.0 * unit, 0.62 * size);
        let map = Rectangle {
            middle: frame.map.middle(frame.corner()),
            width: frame.map_width / 2.0 - width,
            height: frame.map_height / 2.0 - height,
        };
        let mut best: Option<(usize, Rectangle)> = None;
        for distance in [8.0, 15.0, 24.0].map(|far| far * unit) {
            let sides = [(1.0, 0.0), (-1.0, 0.0), (0.0, -1.0), (0.0, 1.0)];
            let corners = [(0.8, -0.8), (0.8, 0.8), (-0.8, -0.8), (-0.8, 0.8)];
            for (dx, dy) in sides.into_iter().chain(corners) {
                let middle =
                    Point { x: at.x + dx * (distance + width), y: at.y + dy * (distance + height) };
                let place = Rectangle { middle, width, height };
                let mut others = ticks.iter().enumerate().filter(|&(other, _)| other != nth);
                let own = place.distance(at);
                let misleads = others.any(|(_, other)| place.distance(other.at) <= own);
                let is_taken = taken.iter().any(|other| other.overlaps(&place));
                if !map.contains(middle) || is_taken || misleads {
                    continue;
                }
                let near = Rectangle {
                    width: width + frame.line(),
                    height: height + frame.line(),
                    ..place
                };
                let crossed = shown.iter().filter(|&&point| near.contains(point)).count();
                if best.is_none_or(|(least, _)| crossed < least) {
                    best = Some((crossed, place));
                }
            }
        }
        if let Some((_, place)) = best {
            draw_number(page, &text, place, unit);
            taken.push(place);
        }
    }
    page.add(format_args!("</g>\n"));
}

/// A number on a light ground.
fn draw_number(page: &mut Page, text: &str, place: Rectangle, unit: f64) {
    let Rectangle { middle, width, height } = place;
    page.add(format_args!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" fill=\"{CASING}\" \
         fill-opacity=\"0.88\"/>\n",
        Px(middle.x - width),
        Px(middle.y - height),
        Px(2.0 * width),
        Px(2.0 * height),
        Px(3.0 * unit)
    ));
    let size = TICK_SIZE * unit;
    // The letters' own space lies behind each of them.
    let at = Point { x: middle.x - width + 3.9 * unit, y: middle.y + 0.35 * size };
    draw_text(page, text, at, size, INK);
}

/// A dot on the walk.
pub(super) fn draw_tick(page: &mut Page, at: Point, unit: f64) {
    page.add(format_args!(
        "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{CASING}\" stroke=\"{INK}\" \
         stroke-width=\"{}\"/>\n",
        Px(at.x),
        Px(at.y),
        Px(3.1 * unit),
        Px(1.7 * unit)
    ));
}

pub(super) fn draw_lines(page: &mut Page, frame: &Frame, ahead: &str, back: &str) {
    let width = frame.line();
    let cased = width + 3.0 * frame.unit;
    for path in [ahead, back] {
        draw_line(page, CASING, cased, "", path);
    }
    draw_line(page, WALK, width, "", ahead);
    let dashes = format!(" stroke-dasharray=\"{} {}\"", Px(width * DASH), Px(width * GAP));
    draw_line(page, BACK, width, &dashes, back);
}

fn draw_line(page: &mut Page, color: &str, width: f64, dashes: &str, path: &str) {
    if !path.is_empty() {
        let width = Px(width);
        page.add(format_args!(
            "<path stroke=\"{color}\" stroke-width=\"{width}\"{dashes} d=\"{path}\"/>\n"
        ));
    }
}

/// The moves of one kind in order. Waiting is not a move.
fn moves(scene: &Scene, back: bool) -> impl Iterator<Item = (Cell, Cell)> + '_ {
    let all = scene.walk.windows(2).map(|pair| (pair[0].0, pair[1].0)).enumerate();
    all.filter(move |&(i, (from, to))| {
        scene.back.get(i).copied().unwrap_or(false) == back
            && from != to
            && scene.grid.is_inside(from)
            && scene.grid.is_inside(to)
    })
    .map(|(_, ends)| ends)
}

/// The walk without its back-moves.
fn walked_lines(scene: &Scene) -> Vec<Vec<Cell>> {
    let mut lines: Vec<Vec<Cell>> = Vec::new();
    for (from, to) in moves(scene, false) {
        match lines.last_mut() {
            Some(line) if line.last() == Some(&from) => line.push(to),
            _ => lines.push(vec![from, to]),
        }
    }
    lines
}

/// A line of back-moves.
#[derive(PartialEq, Debug)]
pub(super) struct BackLine {
    pub(super) cells: Vec<Cell>,
    /// The last move is already part of another line, which this one joins.
    pub(super) joins: bool,
}

/// The back-moves, each once, in lines that are as long as possible. Dashes drawn twice would overlap: an
/// agent that goes back and forth along one path would leave a tangle.
pub(super) fn back_lines(scene: &Scene) -> Vec<BackLine> {
    let mut seen = HashSet::new();
    let moves: Vec<(Cell, Cell)> = moves(scene, true).filter(|&ends| seen.insert(ends)).collect();
    let mut leaving: HashMap<Cell, Vec<usize>> = HashMap::new();
    for (i, &(from, _)) in moves.iter().enumerate() {
        leaving.entry(from).or_default().push(i);
    }
    let entered: HashSet<Cell> = moves.iter().map(|&(_, to)| to).collect();
    let mut used = vec![false; moves.len()];
    let mut lines = Vec::new();
    // First from the tips; what is left after that forms cycles.
    let (tips, rest): (Vec<usize>, Vec<usize>) =
        (0..moves.len()).partition(|&i| !entered.contains(&moves[i].0));
    for first in tips.into_iter().chain(rest) {
        if used[first] {
            continue;
        }
        let mut line = BackLine { cells: vec![moves[first].0], joins: false };
        let mut next = Some(first);
        while let Some(i) = next {
            let (_, to) = moves[i];
            line.cells.push(to);
            line.joins = used[i];
            used[i] = true;
            let on = leaving.get(&to).filter(|_| !line.joins);
            next = on.and_then(|on| on.iter().find(|&&i| !used[i]).or(on.first()).copied());
        }
        lines.push(line);
    }
    lines
}

/// A line to the right of the given one: a point beside its start, beside the middle of each move,
/// and beside its end.
fn beside(points: &[Point], frame: &Frame) -> Vec<Point> {
    let lane = frame.line() * 1.2 + 1.5 * frame.unit;
    // Looking some moves back and ahead for the direction keeps the lane smooth where a move is
    // shorter than the lane is wide.
    let reach = (2.0 * lane / frame.cell).ceil() as usize;
    let last = points.len() - 1;
    let mut shifted = Vec::with_capacity(points.len() + 1);
    for i in 1..=last {
        let (from, to) = (points[i - 1], points[i]);
        let (behind, ahead) = (points[i.saturating_sub(reach)], points[(i - 1 + reach).min(last)]);
        let (mut dx, mut dy) = (ahead.x - behind.x, ahead.y - behind.y);
        if dx == 0.0 && dy == 0.0 {
            (dx, dy) = (to.x - from.x, to.y - from.y);
        }
        let scale = lane / (dx * dx + dy * dy).sqrt();
        let aside = |point: Point| Point { x: point.x - dy * scale, y: point.y + dx * scale };
        if i == 1 {
            shifted.push(aside(from));
        }
        shifted.push(aside(from.middle(to)));
        if i == last {
            shifted.push(aside(to));
        }
    }
    shifted
}

/// Adds a line through the points, omitting those inside a straight segment.
pub(super) fn push_line(path: &mut String, points: &[Point]) {
    for (i, &point) in points.iter().enumerate() {
        let straight = i > 0
            && points.get(i + 1).is_some_and(|next| {
                let (a, b) = (points[i - 1], *next);
                (point.x - a.x, point.y - a.y) == (b.x - point.x, b.y - point.y)
            });
        if !straight {
            let command = if i == 0 { 'M' } else { 'L' };
            write!(path, "{command}{} {}", Px(point.x), Px(point.y))
                .expect("a String takes any text");
        }
    }
}

/// Where start, goal and the mark of the path that was found are.
fn marks(scene: &Scene, frame: &Frame) -> Vec<Point> {
    let ends = [scene.start, scene.goal].into_iter();
    let inside = ends.filter(|&cell| scene.grid.is_inside(cell));
    inside.map(|cell| frame.centre(cell)).chain(found(scene, frame)).collect()
}

/// Where the agent was when it found the path that it walked to the end: the last one.
fn found(scene: &Scene, frame: &Frame) -> Option<Point> {
    let &(cell, _) = scene.found.last()?;
    scene.grid.is_inside(cell).then(|| frame.centre(cell))
}

/// Draws the start, the place where the path was found, and the goal.
pub(super) fn draw_marks(page: &mut Page, scene: &Scene, frame: &Frame) {
    page.add(format_args!("<g id=\"marks\">\n"));
    if scene.grid.is_inside(scene.start) {
        let same = scene.start == scene.goal;
        let radius = frame.mark() * if same { 1.5 } else { 0.8 };
        draw_start(page, frame.centre(scene.start), radius, frame.unit);
    }
    if let Some(at) = found(scene, frame) {
        draw_found(page, at, frame.unit);
    }
    if scene.grid.is_inside(scene.goal) {
        draw_goal(page, frame.centre(scene.goal), frame.mark(), frame.unit);
    }
    page.add(format_args!("</g>\n"));
}

/// A diamond.
pub(super) fn draw_found(page: &mut Page, at: Point, unit: f64) {
    let (x, y) = (Px(at.x), Px(at.y - 6.0 * unit));
    let side = Px(6.0 * unit);
    page.add(format_args!(
        "<path fill=\"{INK}\" stroke=\"{CASING}\" stroke-width=\"{}\" stroke-linejoin=\"round\" \
         d=\"M{x} {y}l{side} {side}l-{side} {side}l-{side} -{side}Z\"/>\n",
        Px(1.6 * unit)
    ));
}

/// A ring.
pub(super) fn draw_start(page: &mut Page, at: Point, radius: f64, unit: f64) {
    // Four curves of a circle of radius one.
    let circle = "M-1 0C-1-.552-.552-1 0-1S1-.552 1 0 .552 1 0 1-1 .552-1 0Z";
    let place = format!("translate({} {}) scale({})", Px(at.x), Px(at.y), Px(radius));
    let (outer, inner) = (6.0 * unit / radius, 2.9 * unit / radius);
    page.add(format_args!(
        "<g transform=\"{place}\"><path fill=\"{CASING}\" stroke=\"{CASING}\" stroke-width=\"{}\" \
         d=\"{circle}\"/><path fill=\"{CASING}\" stroke=\"{INK}\" stroke-width=\"{}\" \
         d=\"{circle}\"/></g>\n",
        Px(outer),
        Px(inner)
    ));
}

/// A star.
pub(super) fn draw_goal(page: &mut Page, at: Point, radius: f64, unit: f64) {
    // Ten corners, on circles of radius 1 and 0.45.
    let star = "M0-1 .265-.364 .951-.309 .428.139 .588.809 0 .45-.588.809-.428.139-.951-.309\
                -.265-.364Z";
    let place = format!("translate({} {}) scale({})", Px(at.x), Px(at.y), Px(radius * 1.15));
    let (outer, inner) = (5.4 * unit / radius, 1.9 * unit / radius);
    page.add(format_args!(
        "<g transform=\"{place}\" stroke-linejoin=\"round\"><path fill=\"{CASING}\" \
         stroke=\"{CASING}\" stroke-width=\"{}\" d=\"{star}\"/><path fill=\"{GOAL}\" \
         stroke=\"{INK}\" stroke-width=\"{}\" d=\"{star}\"/></g>\n",
        Px(outer),
        Px(inner)
    ));
}
