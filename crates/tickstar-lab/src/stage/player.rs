//! A contestant on its way: one agent in a world of its own.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tickstar::catalog::Config;
use tickstar::regions::RegionId;
use tickstar::search::SearchConfig;
use tickstar::{AgentState, Grid, Layered, NodeId, Path, find_path};

use super::message::{Payload, Refusal};
use crate::draw::region_middle;
use crate::{Arena, Interval, Job, Outcome, Problem, Sim, Walk};

/// An agent, and what was last reported of it.
#[derive(Debug)]
pub(super) struct Player {
    config: Config,
    sim: Sim,
    walk: Walk,
    /// The most ticks it gets.
    most: Option<u64>,
    /// The plan that was last reported.
    plan: Vec<NodeId>,
    tree_reported: bool,
    /// Why it was stopped, if it was.
    stopped: Option<&'static str>,
}

/// What an agent did in one tick, as cells and numbers.
#[derive(Default)]
struct Seen {
    expanded: Vec<u32>,
    above: Vec<u32>,
    changed: Vec<u32>,
    events: Vec<&'static str>,
    plan: Option<Vec<NodeId>>,
    tree: Option<Vec<u32>>,
    target: Option<u32>,
}

/// The number of a cell.
pub(super) fn number(grid: &Grid, node: NodeId) -> u32 {
    let cell = grid.cell(node);
    cell.y * grid.width() + cell.x
}

impl Player {
    pub fn new(
        arena: &Arena,
        config: &Config,
        budget: u64,
        problem: &Problem,
    ) -> Result<Player, Refusal> {
        let job = Job::new("", arena, config, Some(budget));
        let refused = |error: &dyn std::fmt::Display| {
            Refusal::about("contestants", format!("`{}`: {error}", config.entry().name))
        };
        let sim = job.sim(problem).map_err(|error| refused(&error))?;
        let walk = sim.begin();
        Ok(Player {
            config: config.clone(),
            walk,
            sim,
            most: job.max_intervals,
            plan: Vec::new(),
            tree_reported: false,
            stopped: None,
        })
    }

    pub fn bytes(&self) -> usize {
        let known = self.sim.world().known().space().bytes();
        let path = 5 * self.walk.journey.path.capacity();
        // A world has up to three copies of the map.
        self.sim.agent().bytes() + 3 * known + path + 4 * self.plan.capacity()
    }

    pub fn agent_bytes(&self) -> usize {
        self.sim.agent().bytes()
    }

    /// Whether further ticks change nothing.
    pub fn is_over(&self) -> bool {
        self.walk.is_over || self.stopped.is_some()
    }

    /// Cells that are blocked although the agent's map shows them as free.
    pub fn hidden(&self) -> Vec<u32> {
        let known = self.sim.world().known();
        let number = |cell: tickstar::Cell| cell.y * known.width() + cell.x;
        self.sim.world().hidden().into_iter().map(number).collect()
    }

    /// The work of all ticks so far.
    pub fn work(&self) -> u64 {
        let tally = &self.walk.journey.tally;
        tally.expansions + (tally.trace_steps + tally.updates) / 4
    }

    /// Blocks or frees cells. Returns why the agent had to stop, if it had to just now.
    pub fn edit(&mut self, nodes: &[NodeId], free: bool) -> Option<&'static str> {
        self.sim.edit(&mut self.walk, nodes, free);
        let reason = self.config.entry().facts.no_openings.filter(|_| free);
        let stops = self.stopped.is_none() && !self.walk.is_over;
        if reason.is_some() && stops {
            self.stopped = reason;
            return reason;
        }
        None
    }

    /// A shortest path on the true map of its world.
    pub fn shortest(&self, start: NodeId, goal: NodeId) -> Option<Path> {
        let truth = self.sim.world().truth().grid();
        find_path(truth, start, goal, SearchConfig::default()).ok().flatten()
    }

    /// Whether a cell is free in its world, so that it can be a goal.
    pub fn can_aim(&self, goal: NodeId) -> bool {
        let world = self.sim.world();
        world.truth().is_free(world.known().cell(goal))
    }

    pub fn retarget(&mut self, goal: NodeId) -> Result<(), Refusal> {
        let name = self.config.entry().name;
        let refused = |error| Refusal::about("goal", format!("`{name}`: {error}"));
        self.sim.retarget(&mut self.walk, goal).map_err(refused)
    }

    pub fn set_budget(&mut self, budget: u64) {
        self.sim.set_budget(&mut self.walk, budget);
    }

    /// One tick, and what it did.
    pub fn tick(&mut self, payload: &mut Payload) -> Value {
        if self.is_over() {
            return self.figures("over", false, [0; 3], &Seen::default(), payload);
        }
        let before = self.walk.journey.tally;
        let mut seen = Seen::default();
        let on_regions = self.config.entry().facts.needs_regions;
        let last = std::mem::take(&mut self.plan);
        let tree_reported = &mut self.tree_reported;
        let mut observe = |interval: &Interval<'_>| {
            seen = observed(interval, on_regions, &last, tree_reported);
        };
        self.sim.step(&mut self.walk, Some(&mut observe));
        self.plan = match &seen.plan {
            Some(plan) => plan.clone(),
            None => last,
        };
        if !self.walk.is_over && self.most == Some(self.walk.journey.tally.intervals) {
            self.walk.is_over = true;
            self.walk.journey.outcome = Outcome::GaveUp;
        }
        let after = self.walk.journey.tally;
        let step = match self.walk.journey.outcome {
            _ if after.moves > before.moves => "move",
            Outcome::Unreachable => "unreachable",
            _ => "wait",
        };
        let work = [
            after.expansions - before.expansions,
            after.trace_steps - before.trace_steps,
            after.updates - before.updates,
        ];
        self.figures(step, after.back_moves > before.back_moves, work, &seen, payload)
    }

    fn figures(
        &self,
        step: &str,
        back: bool,
        work: [u64; 3],
        seen: &Seen,
        payload: &mut Payload,
    ) -> Value {
        let grid = self.sim.world().known();
        let tally = &self.walk.journey.tally;
        let cells = |nodes: &Vec<NodeId>| nodes.iter().map(|&node| number(grid, node)).collect();
        let plan: Option<Vec<u32>> = seen.plan.as_ref().map(cells);
        let outcome = match (self.stopped, self.walk.is_over, self.walk.journey.outcome) {
            (Some(_), ..) => Some("stopped"),
            (_, false, _) => None,
            (_, _, Outcome::Reached) => Some("reached"),
            (_, _, Outcome::Unreachable) => Some("unreachable"),
            (_, _, Outcome::GaveUp) => Some("stopped"),
        };
        let gave_up = self.walk.is_over && self.walk.journey.outcome == Outcome::GaveUp;
        let most = "it has had as many ticks as it gets on a map of this size";
        let why = self.stopped.or(gave_up.then_some(most));
        let mut value = json!({
            "at": number(grid, self.sim.position()),
            "step": step,
            "back": back,
            "expanded": payload.list(seen.expanded.iter().copied()),
            "above": payload.list(seen.above.iter().copied()),
            "changed": payload.list(seen.changed.iter().copied()),
            "events": seen.events,
            "work": work,
            "plan": plan.map(|plan| payload.list(plan)),
            "tree": seen.tree.as_ref().map(|tree| payload.list(tree.iter().copied())),
            "target": seen.target,
            "bytes": self.agent_bytes(),
            "cost": tally.cost.in_cells(),
            "moves": tally.moves,
            "backs": tally.back_moves,
            "first": tally.first_move_interval,
            "outcome": outcome,
        });
        if let Some(why) = why {
            value["why"] = why.into();
        }
        value
    }

    /// Its record, as it is now.
    pub fn record(
        &self,
        map: &str,
        arena: &Arena,
        budget: u64,
        problem: &Problem,
    ) -> Result<Value, Refusal> {
        let job = Job::new(map, arena, &self.config, Some(budget));
        let mut journey = self.walk.journey.clone();
        if !self.walk.is_over || self.stopped.is_some() {
            journey.outcome = Outcome::GaveUp;
        }
        let mut reference = job.reference(problem).map_err(Refusal::new)?;
        let record = job.judge(problem, &journey, &mut reference);
        serde_json::to_value(&record).map_err(Refusal::new)
    }
}

/// What an interval shows.
fn observed(
    interval: &Interval<'_>,
    on_regions: bool,
    last: &[NodeId],
    tree_reported: &mut bool,
) -> Seen {
    let known = interval.known;
    let cell = |node| number(known, node);
    let mut seen = Seen {
        expanded: interval.expanded.iter().map(|&node| cell(node)).collect(),
        events: interval.events.to_vec(),
        target: interval.target.map(cell),
        ..Seen::default()
    };
    for &node in interval.changed {
        seen.changed.push(2 * cell(node) + u32::from(known.is_free(known.cell(node))));
    }
    for &(level, node) in interval.expanded_above {
        if let Some(at) = place(known, on_regions, level, node) {
            seen.above.extend([level as u32, at]);
        }
    }
    seen.plan = new_plan(interval.agent, last);
    if on_regions {
        let tree = tree_of(interval.agent, known);
        // Taken away once, when it is gone.
        if !tree.is_empty() && !seen.above.is_empty() || tree.is_empty() && *tree_reported {
            *tree_reported = !tree.is_empty();
            seen.tree = Some(tree);
        }
    }
    seen
}

/// A cell in the middle of a node above the map.
fn place(known: &Layered<Grid>, on_regions: bool, level: usize, node: NodeId) -> Option<u32> {
    if on_regions {
        let cell = region_middle(known.space().regions()?, RegionId(node.0))?;
        return Some(cell.y * known.width() + cell.x);
    }
    let hierarchy = known.hierarchy()?;
    let (x, y, count) = hierarchy.position(level, node)?;
    let count = i64::from(count.max(1));
    let (x, y) = (x.div_euclid(count) as u32, y.div_euclid(count) as u32);
    Some(y.min(known.height() - 1) * known.width() + x.min(known.width() - 1))
}

/// The plan, if it is not just what is left of the last one.
fn new_plan(agent: &dyn AgentState, last: &[NodeId]) -> Option<Vec<NodeId>> {
    let plan = agent.plan().unwrap_or_default();
    (!last.ends_with(&plan) || plan.is_empty() && !last.is_empty()).then_some(plan)
}

/// The tree of a search over regions, as pairs of cells.
fn tree_of(agent: &dyn AgentState, known: &Layered<Grid>) -> Vec<u32> {
    let Some(regions) = known.space().regions() else { return Vec::new() };
    let number = |cell: tickstar::Cell| cell.y * known.width() + cell.x;
    let pairs: BTreeSet<(u32, u32)> =
        agent.region_tree(regions).into_iter().map(|(a, b)| (number(a), number(b))).collect();
    pairs.into_iter().flat_map(|(a, b)| [a, b]).collect()
}
