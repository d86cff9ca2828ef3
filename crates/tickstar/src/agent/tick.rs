//! Tick*: thinks coarsely about the whole way, and exactly about the next steps.
//!
//! # Source
//! This crate's own algorithm; `papers/tick-star.md` describes it like a paper, with proofs and measurements.
//!
//! # One tick
//! 1. A [search over regions](crate::regions) runs from the goal to the agent, until a way from the agent's region is
//!    known. It is D* Lite: when regions change, it is repaired.
//! 2. A *leg* turns the next regions of that way into cells: A* in a corridor of these regions and their neighbors, from
//!    the end of the path that is already planned to the first cell of the last region. Two thirds of its path are kept.
//!    Legs follow each other until the path reaches the goal.
//! 3. What is left of the tick improves the path, the rest of it at once or window by window, until it is proven
//!    optimal.
//! 4. The agent takes the next step of its path. If it has none yet, it waits, or, with [`TickConfig::early`], takes a
//!    step toward where the search over regions or the leg leads.
//!
//! # Deviations
//! None: it is defined here.
//!
//! # Invariants
//! * Every step is an edge of the space at that moment.
//! * The path begins at the agent's position or within a step of it.
//! * Each leg ends in a region from which the coarse cost is strictly smaller than where it began, so there are finitely
//!   many of them while the map does not change.
//! * A leg that fails restarts the search over regions. One whose regions are no longer connected is not continued.
//!
//! # When the goal moves
//! A path that is complete is extended by the goal's steps, and cut short where the goal comes back onto it. While the
//! path is being planned, the search goes on to where the goal was, and the goal's trail completes the path. The search
//! restarts when the goal jumps, or when the trail is longer than the search took in ticks, twice as much each time.
//!
//! # Real-time bound
//! All work is paid for from the budget, in every kind of [`Slice`]: an expansion of either search is a unit, and so is an
//! update (a repaired region, a region that a leg leads through, a region of its corridor, a corrected key, a search that
//! begins); a trace step is a quarter of a unit. Outside of it there is a constant number of lookups, and one pass over
//! the edges of the agent's node.

mod cells;
mod leg;
mod polish;
mod wander;
mod whole;

use super::{AgentError, Cx, Decision, Keep, Needs, Policy, Walker};
use crate::regions::Regions;
use crate::search::{Coarse, Found, Route};
use crate::{Cell, Event, Limits, Map, NodeId, OpenList, Pool, Ratio, Slice};
use cells::{Cells, Finding};
use leg::{Leg, Progress};
use polish::Polish;
use wander::Wander;

/// The settings of [`Tick`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TickConfig {
    /// Whether it takes a step in the first tick, and others before it has planned a path.
    pub early: bool,
    /// The number of regions that a leg leads through, 1 to 64.
    pub look: u32,
    /// The same for legs that begin within a few steps of the agent.
    pub first_look: u32,
    /// How many steps are planned ahead, at least; `None`: as far as the goal.
    pub ahead: Option<u32>,
    /// The weight of the heuristic of the search over regions; `None`: 1.05, and from 64 units per tick on 1.
    pub weight: Option<Ratio>,
    /// The weight of the heuristic of legs.
    pub leg_weight: Ratio,
    /// Whether the path is improved while there is time.
    pub polish: bool,
    /// Which open list is used for cells.
    pub open: OpenList,
}

impl TickConfig {
    /// The weight of the heuristic of the search over regions. With few units per tick a weight shortens the wait for the
    /// first path; with many there is none, and a search without a weight sees more where walls are discovered.
    fn weight_with(&self, budget: u64) -> Ratio {
        let is_small = budget < CAREFUL;
        self.weight.unwrap_or(if is_small { ratio(21, 20) } else { Ratio::ONE })
    }
}

fn ratio(num: u64, den: u64) -> Ratio {
    Ratio::new(num, den).unwrap_or(Ratio::ONE)
}

impl Default for TickConfig {
    fn default() -> TickConfig {
        TickConfig {
            early: true,
            look: 2,
            first_look: 1,
            ahead: None,
            weight: None,
            leg_weight: ratio(11, 10),
            polish: true,
            open: OpenList::default(),
        }
    }
}

/// An agent that plans coarsely to the goal, and in detail a few regions at a time.
///
/// It needs a [`Grid`](crate::Grid) with its [regions](crate::Grid::with_regions).
///
/// ```
/// use tickstar::agent::tick::{Tick, TickConfig};
/// use tickstar::{Agent, Cell, Grid, Seen, Slice, Step};
/// let grid = Grid::from_rows(["....#...", "..#...#.", "..#.#.#.", "....#..."])?.with_regions();
/// let [start, goal] = [(0, 0), (7, 3)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
/// let mut unit = Tick::new(&grid, TickConfig::default(), start, goal)?;
/// while unit.tick(&grid, unit.position(), Seen::default(), &mut Slice::new(10)) != Step::Arrived {}
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Tick = Walker<TickPolicy>;

/// The policy of [`Tick`].
#[derive(Clone, Debug)]
pub struct TickPolicy {
    config: TickConfig,
    coarse: Coarse,
    leg: Leg,
    path: Route,
    polish: Polish,
    wander: Wander,
    cells: Cells,
    /// The node that is planned to, where the goal was when the search over regions began.
    aim: NodeId,
    /// Where the goal went from there; empty if it is still there.
    trail: Route,
    /// The path leads to the goal.
    is_complete: bool,
    /// The number of edits of the map that the path has been checked for.
    edits: u64,
    /// All changes reported in this tick have blocked cells.
    only_blocked: bool,
    /// Ticks without a complete path since the search began, and how many times longer than that a trail may be.
    ticks: u64,
    patience: u64,
    /// What has been paid at the goal for the next blocks that are returned to the allocator.
    saved: u64,
}

/// The largest number of regions of a leg: its corridor is a rectangle of tiles.
const MOST_REGIONS: u32 = 64;
/// From so many units per tick on, the search over regions needs no weight, and only the first step is taken early.
const CAREFUL: u64 = 64;
/// The price of three blocks that are returned, in visits to a list.
const BLOCK: u64 = 180;
/// Steps within which a path must be extended quickly.
const SOON: usize = 4;
/// Steps that are planned before any of them is improved.
const FIRST: usize = 64;
/// Steps of the path that are checked first when the map has changed.
const NEAR: usize = 12;

impl Tick {
    /// An agent at `start` that walks to `goal`.
    ///
    /// # Errors
    /// If the start or goal is not passable, the map has no regions, or a setting is out of range.
    pub fn new(
        map: &impl Map,
        config: TickConfig,
        start: NodeId,
        goal: NodeId,
    ) -> Result<Tick, AgentError> {
        let expected = |name, expected| Err(AgentError::Setting { name, expected });
        if [config.look, config.first_look].iter().any(|look| !(1..=MOST_REGIONS).contains(look)) {
            return expected("look", "1 to 64");
        }
        let weights = [config.weight, Some(config.leg_weight)];
        if weights.iter().flatten().any(|&weight| weight < Ratio::ONE) {
            return expected("weight", "at least 1");
        }
        let policy = TickPolicy {
            config,
            coarse: Coarse::new(Ratio::ONE),
            leg: Leg::new(config.leg_weight, config.open),
            path: Route::default(),
            polish: Polish::new(config.open),
            wander: Wander::default(),
            cells: Cells::new(config.open),
            aim: goal,
            trail: Route::default(),
            is_complete: false,
            edits: 0,
            only_blocked: false,
            ticks: 0,
            patience: 1,
            saved: 0,
        };
        Walker::with_policy(policy, map, start, goal)
    }
}

impl TickPolicy {
    /// Drops the plan, but not the search over regions.
    fn drop_path(&mut self) {
        self.path.clear();
        self.leg.cancel();
        self.polish.reset();
        self.is_complete = false;
    }

    /// Starts to plan to a new goal.
    fn plan_to(&mut self, goal: NodeId) {
        self.aim = goal;
        self.trail.clear();
        self.coarse.reset();
        self.leg.cancel();
        self.cells.stop();
        (self.ticks, self.is_complete) = (0, false);
    }

    /// The node from which planning goes on: the end of the path, or the agent's position.
    fn end(&self, at: NodeId) -> NodeId {
        self.path.end().unwrap_or(at)
    }

    /// The number of steps planned ahead of the agent.
    fn steps_ahead(&self) -> usize {
        self.path.nodes().len().saturating_sub(self.path.walked() + 1)
    }

    /// Drops what follows the node with this index.
    fn cut_path(&mut self, last: usize, goal: NodeId) {
        self.path.truncate(last + 1);
        self.leg.cancel();
        self.polish.reset();
        self.is_complete = false;
        if self.aim != goal {
            self.plan_to(goal);
        }
    }

    /// Finds out whether the map has changed, and where the path is cut.
    fn check_path<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, regions: &Regions, steps: usize) {
        let only_blocked = std::mem::take(&mut self.only_blocked);
        if regions.edits() != self.edits {
            self.edits = regions.edits();
            self.path.recheck();
            self.leg.recheck(regions);
            // What is blocked elsewhere does not make a path worse than another one.
            if only_blocked {
                self.polish.disturb();
            } else {
                self.polish.reset();
            }
        }
        // At the smallest budgets the path is checked step by step, as it is walked.
        let units = cx.slice.remaining().saturating_sub(1);
        let steps = steps.min(usize::try_from(units.saturating_mul(3)).unwrap_or(usize::MAX));
        if let Some(cut) = self.path.first_cut(cx.map, steps, cx.slice) {
            self.cut_path(cut, cx.goal);
        }
    }

    /// Plans until the path is long enough, or the slice is spent. Returns false if there is no way.
    fn plan_ahead<M: Map>(
        &mut self,
        cx: &mut Cx<'_, '_, M>,
        regions: &Regions,
        steps: usize,
    ) -> bool {
        while !self.is_complete && self.steps_ahead() < steps {
            if !self.leg.is_active() && self.steps_ahead() == 0 {
                // The agent may have left the end of its path.
                self.path.clear();
            }
            let end = self.end(cx.at);
            if end == self.aim {
                self.complete(cx);
                continue;
            }
            if !cx.map.contains(end) {
                // The end was blocked, and the path has not been checked that far yet.
                self.cut_path(self.path.nodes().len().saturating_sub(2), cx.goal);
                if !cx.slice.trace(end) {
                    return true;
                }
                continue;
            }
            if self.aim != cx.goal && !cx.map.contains(self.aim) {
                self.plan_to(cx.goal);
            }
            if !self.leg.is_active() {
                let (from, goal) = (regions.cell(end), regions.cell(self.aim));
                self.coarse.weight = self.config.weight_with(cx.slice.budget());
                match self.coarse.run(regions, from, goal, cx.slice) {
                    Found::Working => return true,
                    Found::NoWay if self.steps_ahead() > 0 => {
                        // The path was cut where it has not been checked yet, and its end cut off from the goal.
                        self.cut_path(self.path.walked(), cx.goal);
                        if !cx.slice.scan() {
                            return true;
                        }
                        continue;
                    }
                    Found::NoWay if self.aim == cx.goal => return false,
                    Found::NoWay => {
                        // There may be one to where the goal is now.
                        self.plan_to(cx.goal);
                        continue;
                    }
                    Found::Way => {}
                }
                let is_near = self.steps_ahead() < SOON;
                let look = if is_near { self.config.first_look } else { self.config.look };
                self.leg.begin(end, look as usize);
            }
            match self.leg.run(cx.map, regions, &self.coarse, self.aim, cx.slice) {
                Progress::Done => self.append_leg(cx.slice),
                Progress::Working => return true,
                Progress::Dead => {
                    cx.slice.note(Event::Restart);
                    self.coarse.reset();
                    if !cx.slice.scan() {
                        return true;
                    }
                }
            }
        }
        true
    }

    /// Continues the path with the leg.
    fn append_leg(&mut self, slice: &mut Slice<'_>) {
        if self.steps_ahead() > 0 {
            self.path.join(&mut self.leg.path);
        } else {
            self.path.swap(&mut self.leg.path);
            self.polish.reset();
        }
        self.leg.cancel();
        slice.note(Event::Adopted);
    }

    /// The path leads to the aim: from there, along the trail of the goal.
    fn complete<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) {
        if self.aim != cx.goal {
            let mut trail: Vec<NodeId> = self.trail.nodes().to_vec();
            self.trail.clear();
            if self.path.nodes().is_empty() {
                self.path.swap(&mut vec![cx.at]);
            }
            self.path.join(&mut trail);
            self.path.recheck();
            self.aim = cx.goal;
            self.coarse.reset();
        }
        self.is_complete = true;
        cx.slice.note(Event::Found);
    }

    /// Returns released blocks to the allocator, one of each search at a time, when enough has been paid for them.
    fn reclaim(&mut self, slice: &mut Slice<'_>) {
        for _ in 0..slice.blocks_to_free() {
            while self.saved < BLOCK {
                if !slice.scan() {
                    return;
                }
                self.saved += 1;
            }
            let freed = [self.coarse.reclaim(1), self.leg.reclaim(1), self.polish.reclaim(1)];
            if freed == [0; 3] {
                return;
            }
            self.saved = 0;
        }
    }

    /// Whether there is something to improve.
    fn can_polish(&self) -> bool {
        self.config.polish && self.is_complete && !self.polish.is_optimal()
    }

    /// Continues the search over cells. A path that it finds replaces the one there is.
    fn search_cells<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, needs_path: bool) -> Finding {
        let (map, at) = (cx.map, cx.at);
        let finding = cx.slice.metering(|slice| self.cells.run(map, at, needs_path, slice));
        if finding == Finding::Path {
            self.drop_path();
            self.path.swap(&mut self.cells.path);
            self.is_complete = self.path.end() == Some(cx.goal);
            cx.slice.note(Event::Adopted);
        }
        finding
    }

    /// Follows the search over cells. Returns nothing if it takes too long.
    fn follow_cells<M: Map>(
        &mut self,
        cx: &mut Cx<'_, '_, M>,
        regions: &Regions,
    ) -> Option<Decision> {
        if self.path.step(cx.map, cx.at).is_none() {
            self.drop_path();
        }
        let before = self.path.nodes().len();
        self.check_path(cx, regions, NEAR);
        self.check_path(cx, regions, usize::MAX);
        self.cells.is_stale |= self.path.nodes().len() < before;
        let needs_path = self.steps_ahead() == 0 || self.cells.is_stale;
        let step = match self.search_cells(cx, needs_path) {
            Finding::NoPath => return Some(Decision::NoWay),
            Finding::Nothing if !self.cells.drives() => {
                self.drop_path();
                return None;
            }
            Finding::Nothing if needs_path => None,
            Finding::Nothing | Finding::Path => self.path.step(cx.map, cx.at),
        };
        Some(step.map_or(Decision::Wait, Decision::Go))
    }

    fn think<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, regions: &Regions) -> Decision {
        if self.cells.drives()
            && let Some(decision) = self.follow_cells(cx, regions)
        {
            return decision;
        }
        let is_walked = self.is_complete && self.steps_ahead() == 0;
        if is_walked || self.steps_ahead() > 0 && self.path.step(cx.map, cx.at).is_none() {
            // The agent was pushed away, or has followed the search over cells.
            self.drop_path();
        }
        if self.steps_ahead() > 0 && self.path.is_done(cx.at) {
            // It leads back to here.
            self.path.clear();
            self.polish.reset();
        }
        self.check_path(cx, regions, NEAR);
        let most = self.config.ahead.map_or(usize::MAX, |ahead| ahead as usize);
        let first = if self.config.polish { FIRST.min(most) } else { most };
        if !self.plan_ahead(cx, regions, first) {
            return Decision::NoWay;
        }
        if self.config.polish && !self.is_complete {
            self.polish.run_near(cx.map, &mut self.path, cx.slice);
        }
        if !self.plan_ahead(cx, regions, most) {
            return Decision::NoWay;
        }
        self.check_path(cx, regions, usize::MAX);
        if self.cells.is_active() {
            if self.search_cells(cx, true) == Finding::NoPath {
                return Decision::NoWay;
            }
        } else if self.can_polish() {
            self.polish.run(cx.map, &mut self.path, cx.slice);
        }
        self.ticks += u64::from(!self.is_complete);
        if self.steps_ahead() > 0 {
            if let Some(next) = self.path.step(cx.map, cx.at) {
                return Decision::Go(next);
            }
            // It has lost its path.
            self.drop_path();
        }
        // With many units per tick, the path comes before early steps bring the agent much nearer to it.
        let is_careful = cx.slice.budget() >= CAREFUL && self.wander.has_moved();
        if !self.config.early || cx.slice.budget() == 0 || is_careful {
            return Decision::Wait;
        }
        let front = self.coarse.front().map_or(self.aim, |cell| regions.node(cell));
        // Once a way is known, only legs know where it leads.
        let front = Some(front).filter(|_| !self.coarse.has_way());
        let end = self.leg.target().unwrap_or(self.aim);
        let step = self.wander.step(cx.map, cx.at, front, end);
        step.map_or(Decision::Wait, Decision::Go)
    }
}

impl Policy for TickPolicy {
    fn needs(&self) -> Needs {
        Needs { reversible_edges: true, regions: true, ..Needs::default() }
    }

    fn limits(&self, budget: u64) -> Limits {
        Limits { updates: budget.saturating_mul(2), ..Limits::per_unit(budget) }
    }

    fn begin<M: Map>(&mut self, map: &M, start: NodeId, goal: NodeId, keep: Keep) {
        self.drop_path();
        self.wander = Wander::begin(map.estimate(start, goal));
        self.edits = map.regions().map_or(0, Regions::edits);
        if keep == Keep::Nothing {
            self.patience = 1;
            self.plan_to(goal);
        }
    }

    fn moved(&mut self, _: NodeId, to: NodeId) {
        let before = self.path.walked();
        self.path.moved(to);
        self.wander.moved();
        if self.path.walked() == before {
            // An early step: a leg would begin where the agent is no longer.
            self.leg.cancel();
        }
    }

    fn displaced<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) {
        if self.path.step(cx.map, cx.at).is_none() {
            self.drop_path();
        }
    }

    fn retarget<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, from: NodeId) {
        // It leads to where the goal was.
        self.cells.stop();
        if self.is_complete {
            self.polish.reset();
            if self.path.lead_to(cx.map, cx.goal, cx.slice) {
                self.aim = cx.goal;
                self.coarse.reset();
                return;
            }
            self.drop_path();
        } else {
            if self.trail.nodes().is_empty() {
                self.trail = Route::new(vec![from], 0);
            }
            let known = self.trail.lead_to(cx.map, cx.goal, cx.slice);
            if known && cx.goal == self.aim {
                return self.trail.clear();
            }
            let len = self.trail.nodes().len() as u64;
            if known && len <= self.ticks.saturating_mul(self.patience).max(8) {
                return;
            }
            self.patience = self.patience.saturating_mul(2);
            if let Some(cut) = self.path.nodes().len().checked_sub(1) {
                self.path.truncate(cut.min(self.path.walked() + SOON) + 1);
                self.polish.reset();
            }
        }
        cx.slice.note(Event::Restart);
        self.plan_to(cx.goal);
    }

    /// For the search over cells alone: regions know what has changed.
    fn heed<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, changed: &[NodeId]) {
        self.only_blocked = !changed.iter().any(|&node| cx.map.contains(node));
        if self.config.polish && self.aim == cx.goal {
            self.cells.heed(cx.at, cx.goal, changed, cx.slice.budget());
            self.cells.is_stale |= !self.only_blocked;
        }
    }

    fn decide<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) -> Decision {
        let Some(regions) = cx.map.regions() else { return Decision::Wait };
        let Cx { map, at, goal, ref mut slice } = *cx;
        slice.metering_tick(|slice| self.think(&mut Cx { map, at, goal, slice }, regions))
    }

    /// The next step of the path is cut.
    fn replan<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) {
        self.drop_path();
        if self.aim != cx.goal {
            self.plan_to(cx.goal);
        }
    }

    fn can_improve(&self) -> bool {
        !self.is_complete || self.can_polish()
    }

    fn rest(&mut self, slice: &mut Slice<'_>) {
        if !self.path.nodes().is_empty() || self.coarse.is_started() {
            self.drop_path();
            self.path = Route::default();
            self.coarse.release();
            self.leg.release();
            self.polish.release();
            self.cells.stop();
        }
        slice.metering(|slice| self.reclaim(slice));
    }

    fn target(&self, goal: NodeId) -> Option<NodeId> {
        if self.is_complete { Some(goal) } else { self.path.end() }
    }

    fn plan(&self, _: NodeId) -> Option<Vec<NodeId>> {
        let ahead = self.path.nodes().get(self.path.walked()..)?;
        (!ahead.is_empty()).then(|| ahead.to_vec())
    }

    fn region_tree(&self, regions: &Regions) -> Vec<(Cell, Cell)> {
        self.coarse.tree(regions)
    }

    fn set_pool(&mut self, pool: &Pool) {
        self.drop_path();
        self.coarse.set_pool(pool);
        self.leg.set_pool(pool);
        self.polish.set_pool(pool);
        self.cells.set_pool(pool);
    }

    fn bytes(&self) -> usize {
        self.coarse.bytes()
            + self.leg.bytes()
            + self.path.bytes()
            + self.polish.bytes()
            + self.trail.bytes()
            + self.cells.bytes()
    }
}
