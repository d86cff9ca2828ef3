//! What a picture shows of one run, and how it is recorded.

use std::collections::BTreeSet;

use tickstar::regions::{RegionId, Regions};
use tickstar::{Cell, Event, Grid};

use super::regions::middle;
use crate::{Interval, Job, Problem, ProblemError, Record};

/// One run as it is drawn. Cells outside the grid are left out.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The map, as it was in the last interval.
    pub grid: Grid,
    /// Where the agent started.
    pub start: Cell,
    /// Its goal.
    pub goal: Cell,
    /// Cells in the order of their expansion, each with the interval it was expanded in (from 1).
    pub expanded: Vec<(Cell, u64)>,
    /// The regions that the agent planned on, as it knew them at the end; none if it plans without them.
    pub regions: Option<Regions>,
    /// The regions that a search expanded, in order: a cell in the middle of each, and the interval.
    pub expanded_regions: Vec<(Cell, u64)>,
    /// The tree of the search over regions: where each way leaves a region, and where it leaves the next one.
    pub region_tree: Vec<(Cell, Cell)>,
    /// Every position in order, each with the interval after which the agent was there; the start first, with
    /// 0.
    pub walk: Vec<(Cell, u64)>,
    /// For each move of `walk` (one less than its positions) whether it was a back-move.
    pub back: Vec<bool>,
    /// Where the agent stood when it found a path to the goal, and in which interval.
    pub found: Vec<(Cell, u64)>,
    /// Cells that were blocked or freed during the run.
    pub changed: Vec<Cell>,
    /// Cells drawn as fog (not known to the agent); empty when everything is known.
    pub fog: Vec<Cell>,
    /// A title above the map, in one or several lines; may be empty.
    pub title: String,
}

impl Scene {
    /// A map on which nothing has happened.
    pub fn new(grid: Grid, start: Cell, goal: Cell) -> Scene {
        Scene {
            grid,
            start,
            goal,
            expanded: Vec::new(),
            regions: None,
            expanded_regions: Vec::new(),
            region_tree: Vec::new(),
            walk: Vec::new(),
            back: Vec::new(),
            found: Vec::new(),
            changed: Vec::new(),
            fog: Vec::new(),
            title: String::new(),
        }
    }

    /// Runs a problem, and records what happens. The title is left empty.
    ///
    /// # Errors
    /// When the problem cannot be run.
    pub fn watch(job: &Job<'_>, problem: &Problem) -> Result<(Scene, Record), ProblemError> {
        let mut sim = job.sim(problem)?;
        let (mut expanded, mut found) = (Vec::new(), Vec::new());
        let (mut expanded_regions, mut region_tree) = (Vec::new(), Vec::new());
        // Other algorithms have levels of a hierarchy above the map.
        let on_regions = job.config.entry().facts.needs_regions;
        let mut walk = vec![(problem.start, 0)];
        let mut changed = BTreeSet::new();
        let is_changing = job.arena.changes();
        let mut observe = |interval: &Interval<'_>| {
            let cells = interval.expanded.iter().map(|&node| interval.known.cell(node));
            expanded.extend(cells.map(|cell| (cell, interval.number)));
            if on_regions {
                expanded_regions.extend(regions_expanded(interval));
                let regions = interval.known.space().regions();
                let tree = regions.map_or(Vec::new(), |all| interval.agent.region_tree(all));
                // An agent that has arrived has none any more.
                if !tree.is_empty() {
                    region_tree = tree;
                }
            }
            if interval.events.contains(&Event::Found.name()) {
                // Where it stood while it searched.
                found.extend(walk.last().map(|&(cell, _)| (cell, interval.number)));
            }
            let position = interval.known.cell(interval.position);
            if walk.last().is_none_or(|&(cell, _)| cell != position) {
                walk.push((position, interval.number));
            }
            // Elsewhere these are walls that it discovered.
            if is_changing {
                let cells = interval.changed.iter().map(|&node| interval.known.cell(node));
                changed.extend(cells.map(|cell| (cell.y, cell.x)));
            }
        };
        let journey = sim.run(job.max_intervals, Some(&mut observe));
        let record = job.judge(problem, &journey, &mut job.reference(problem)?);
        let mut grid = sim.world().truth().picture();
        if is_changing {
            // What has changed since the last interval, the agent has not lived to see.
            for &node in sim.world().changed() {
                let cell = grid.cell(node);
                let is_free = grid.is_free(cell);
                grid.set_free(cell, !is_free).unwrap_or_default();
            }
        }
        let scene = Scene {
            grid,
            expanded,
            regions: sim.world().known().space().regions().filter(|_| on_regions).cloned(),
            expanded_regions,
            region_tree,
            walk,
            back: journey.back,
            found,
            changed: changed.into_iter().map(|(y, x)| Cell::new(x, y)).collect(),
            fog: sim.world().fog(),
            start: problem.start,
            goal: problem.goal,
            title: String::new(),
        };
        Ok((scene, record))
    }
}

/// The middles of the regions expanded in an interval.
fn regions_expanded<'a>(interval: &'a Interval<'_>) -> impl Iterator<Item = (Cell, u64)> + 'a {
    // Found at once, as ids are used again when the map changes.
    let regions = interval.known.space().regions();
    let ids = interval.expanded_above.iter().map(|&(_, node)| RegionId(node.0));
    let middles = ids.filter_map(move |id| middle(regions?, id));
    middles.map(|cell| (cell, interval.number))
}
