//! D LRTA*: LRTA* toward precomputed subgoals, with a precomputed lookahead depth.
//!
//! # Source
//! V. Bulitko, M. Luštrek, J. Schaeffer, Y. Björnsson, S. Sigmundarson, "Dynamic Control in Real-Time Heuristic
//! Search", JAIR 2008, as outlined in Björnsson, Bulitko, Sturtevant, "TBA*: Time-Bounded A*", IJCAI 2009. Only the
//! outline was available: this is our reconstruction.
//!
//! # Precomputation
//! A subgoal and a depth for every pair of nodes of a level of the map's [`Hierarchy`](crate::Hierarchy): see
//! [`Subgoals`]. They are attached to the map by [`Layered::set_subgoals`](crate::Layered::set_subgoals).
//!
//! # One tick
//! 1. When the agent has entered a different node of the level, or has no subgoal, look up the pair of its node and the
//!    goal's: the next subgoal, and the lookahead depth. In the goal's own node, and where no entry exists, the target
//!    is the goal itself, with the configured depth.
//! 2. LRTA* toward that target: look ahead, learn, take a step. The heuristic learned on the way to a subgoal is
//!    specific to it, and is discarded when the subgoal changes. The heuristic learned on the way to the goal is kept.
//!
//! # Deviations
//! * The outline says only that depths and subgoals were computed for a level. Their definition, when they are looked
//!   up and what is learned are our choices.
//! * The subgoals of two nodes may lead the agent back and forth between them. A node to which it has returned twice is
//!   crossed toward the goal itself from then on ([`DLrtaConfig::crossings`]).
//! * LRTA* is that of [`Local`](crate::Local), with stored heuristics that also count inside the ball.
//! * The hierarchy detects an unreachable goal immediately.
//!
//! # Invariants
//! * A subgoal is accepted only if it is in a different node than the agent and is reachable. So whatever the tables
//!   contain, LRTA* toward it eventually leaves the node.
//! * The agent arrives, as long as the map does not change. Each node is crossed toward a subgoal only a bounded number
//!   of times, and each of these visits ends. So in nodes that are visited infinitely often, from some time on only
//!   LRTA* toward the goal acts, with a learned heuristic that is never discarded: and that arrives.
//! * The walk does not depend on the budget.
//!
//! # When the map changes
//! The map drops its subgoals, and the agent continues as LRTA* to the goal. The learned heuristic is kept when
//! something is blocked, and discarded when something is opened.
//!
//! # When the goal moves
//! The subgoal is kept, as long as the goal stays in its node of the level. The heuristic learned on the way to the goal
//! is corrected as that of LRTA*: see [`local`](crate::agent::local).
//!
//! # Real-time bound
//! At most as many expansions as the budget, one trace step per lookup, and ten times as many updates as the budget,
//! two per expanded node. If that is too little for the ball, the agent waits for some ticks. Tables contain depths of
//! at most 15: 841 expansions on a grid.

mod tables;

pub use crate::hierarchy::subgoals::{Subgoal, Subgoals, SubgoalsError};
pub use tables::{SubgoalColumn, SubgoalPlan, SubgoalSearch};

use super::{AgentError, Cx, Decision, Keep, Needs, Policy, Walker};
use crate::search::{Ball, Stamp, Stamped, Toward};
use crate::{Map, NodeId, Pool, Slice};

/// The settings of a [`DLrta`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DLrtaConfig {
    /// The level of the subgoals. Tables for a different level are not used.
    pub level: u32,
    /// The lookahead depth in steps where there is no subgoal, at least one.
    pub depth: u32,
    /// How many times a node of the level is crossed toward a subgoal. On later visits the agent walks toward the goal
    /// itself inside that node.
    pub crossings: u32,
}

impl Default for DLrtaConfig {
    fn default() -> DLrtaConfig {
        DLrtaConfig { level: 3, depth: 4, crossings: 3 }
    }
}

/// An agent that walks from subgoal to subgoal: D LRTA*, our reconstruction.
///
/// ```
/// use tickstar::agent::d_lrta::{DLrta, DLrtaConfig, Subgoals};
/// use tickstar::{Agent, Cell, Grid, Layered, Seen, Slice, Step};
/// let grid = Grid::from_rows(["....#...", "..#...#.", "..#.#.#.", "....#..."])?;
/// let mut grid = Layered::new(grid)?;
/// let tables = Subgoals::build(&grid, grid.hierarchy().unwrap(), 1);
/// grid.set_subgoals(tables);
/// let [start, goal] = [(0, 0), (7, 3)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
/// let config = DLrtaConfig { level: 1, ..DLrtaConfig::default() };
/// let mut unit = DLrta::new(&grid, config, start, goal)?;
/// let mut at = start;
/// while let Step::Move(to) = unit.tick(&grid, at, Seen::default(), &mut Slice::new(100)) {
///     at = to;
/// }
/// assert_eq!(at, goal);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type DLrta = Walker<DLrtaPolicy>;

/// The policy of [`DLrta`].
#[derive(Clone, Debug)]
pub struct DLrtaPolicy {
    config: DLrtaConfig,
    /// LRTA* to the goal.
    to_goal: Ball,
    /// LRTA* to a subgoal, and the subgoal of its learned heuristic.
    to_subgoal: Ball,
    learned_for: Option<NodeId>,
    /// The current subgoal; `None` for the goal.
    subgoal: Option<NodeId>,
    /// The node of the level at the last lookup.
    here: Option<NodeId>,
    /// No lookup has been done since the last step.
    lost: bool,
    /// How often each node of the level was entered.
    visits: Stamped<Visits>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Visits {
    stamp: u32,
    count: u32,
}

impl Stamp for Visits {
    fn stamp(&self) -> u32 {
        self.stamp
    }
}

impl DLrta {
    /// An agent at `start` that walks to `goal`.
    ///
    /// # Errors
    /// If the start or goal is not passable, the map has no hierarchy, or the level or depth is zero.
    pub fn new(
        map: &impl Map,
        config: DLrtaConfig,
        start: NodeId,
        goal: NodeId,
    ) -> Result<DLrta, AgentError> {
        for (value, name) in [(config.level, "level"), (config.depth, "depth")] {
            if value == 0 {
                return Err(AgentError::Setting { name, expected: "1 or more" });
            }
        }
        let policy = DLrtaPolicy {
            config,
            to_goal: Ball::new(config.depth),
            to_subgoal: Ball::passing(1),
            learned_for: None,
            subgoal: None,
            here: None,
            lost: true,
            visits: Stamped::default(),
        };
        Walker::with_policy(policy, map, start, goal)
    }

    /// The current subgoal; `None` if the agent walks to the goal itself.
    pub fn subgoal(&self) -> Option<NodeId> {
        self.policy.subgoal
    }
}

impl DLrtaPolicy {
    /// Discards the learned heuristics.
    fn forget(&mut self) {
        self.to_goal.forget();
        self.to_subgoal.forget();
    }

    /// Starts again from the agent's position. The learned heuristics are kept.
    fn drop_plan(&mut self) {
        self.to_goal.drop_plan();
        self.to_subgoal.drop_plan();
        self.drop_subgoal();
    }

    fn drop_subgoal(&mut self) {
        (self.subgoal, self.here, self.lost) = (None, None, true);
    }

    fn count_visit(&mut self, node: NodeId) {
        let count = self.visits_to(node).saturating_add(1);
        self.visits.set(node, Visits { stamp: self.visits.now(), count });
    }

    fn visits_to(&self, node: NodeId) -> u32 {
        self.visits.find(node).map_or(0, |visits| visits.count)
    }

    /// Determines the agent's node on the level, and where to go.
    fn orient<M: Map>(&mut self, cx: &Cx<'_, '_, M>) {
        self.lost = false;
        let hierarchy = cx.hierarchy();
        let level = self.config.level as usize;
        let here = hierarchy.ancestor(cx.at, level);
        if here == self.here && self.subgoal.is_some() {
            return;
        }
        if let Some(node) = here.filter(|_| here != self.here) {
            self.count_visit(node);
        }
        self.here = here;
        let subgoal = here.and_then(|here| self.look_up(cx, here));
        self.subgoal = subgoal.map(|subgoal| subgoal.cell);
        if let Some(Subgoal { cell, depth }) = subgoal {
            if self.learned_for != Some(cell) {
                self.learned_for = Some(cell);
                self.to_subgoal.forget();
            }
            self.to_subgoal.set_depth(depth);
        }
    }

    /// The subgoal from this node of the level, if a usable one exists.
    fn look_up<M: Map>(&self, cx: &Cx<'_, '_, M>, here: NodeId) -> Option<Subgoal> {
        let (map, hierarchy) = (cx.map, cx.hierarchy());
        let level = self.config.level as usize;
        if self.visits_to(here) > self.config.crossings {
            return None;
        }
        let tables = map.subgoals().filter(|tables| tables.level() == level)?;
        let subgoal = tables.get(here, hierarchy.ancestor(cx.goal, level)?)?;
        let leads_away = map.contains(subgoal.cell)
            && hierarchy.ancestor(subgoal.cell, level) != Some(here)
            && hierarchy.reachable(cx.at, subgoal.cell);
        leads_away.then_some(subgoal)
    }
}

impl Policy for DLrtaPolicy {
    fn needs(&self) -> Needs {
        Needs { reversible_edges: true, hierarchy: true, ..Needs::default() }
    }

    fn begin<M: Map>(&mut self, _: &M, _: NodeId, _: NodeId, keep: Keep) {
        if keep == Keep::Nothing {
            self.forget();
        }
        self.visits.begin();
        self.drop_plan();
    }

    fn moved(&mut self, _: NodeId, _: NodeId) {
        self.lost = true;
    }

    fn displaced<M: Map>(&mut self, _: &mut Cx<'_, '_, M>) {
        self.drop_plan();
    }

    fn heed<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, changed: &[NodeId]) {
        if changed.iter().any(|&node| cx.map.contains(node)) {
            self.forget();
        }
        // Nodes may have other ids now, and subgoals are gone.
        self.visits.begin();
        self.drop_subgoal();
        self.to_goal.heed(cx.map, changed);
        self.to_subgoal.drop_plan();
    }

    fn retarget<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, from: NodeId) {
        self.to_goal.retarget(cx.map, from, cx.goal);
        let above = |node| cx.hierarchy().ancestor(node, self.config.level as usize);
        if above(from) != above(cx.goal) {
            self.visits.begin();
            self.drop_subgoal();
            self.to_subgoal.drop_plan();
        }
    }

    fn decide<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) -> Decision {
        if self.subgoal.is_some() && cx.map.subgoals().is_none() {
            self.drop_plan();
        }
        if self.lost {
            // A few lookups per level.
            if !cx.slice.trace(cx.at) {
                return Decision::Wait;
            }
            self.orient(cx);
        }
        let goal = self.subgoal.unwrap_or(cx.goal);
        let mind = if self.subgoal.is_some() { &mut self.to_subgoal } else { &mut self.to_goal };
        match mind.think(&Toward { map: cx.map, goal }, cx.at, goal, cx.slice) {
            // The map changed without being reported in `Seen`.
            Decision::NoWay => Decision::Stale,
            other => other,
        }
    }

    fn replan<M: Map>(&mut self, _: &mut Cx<'_, '_, M>) {
        self.forget();
        self.drop_plan();
    }

    fn rest(&mut self, _: &mut Slice<'_>) {
        self.to_goal.rest();
        self.to_subgoal.rest();
    }

    fn target(&self, goal: NodeId) -> Option<NodeId> {
        Some(self.subgoal.unwrap_or(goal))
    }

    fn plan(&self, _: NodeId) -> Option<Vec<NodeId>> {
        None
    }

    fn set_pool(&mut self, pool: &Pool) {
        self.to_goal.set_pool(pool);
        self.to_subgoal.set_pool(pool);
        self.visits.pages_mut().set_pool(pool);
    }

    fn bytes(&self) -> usize {
        self.to_goal.bytes() + self.to_subgoal.bytes() + self.visits.bytes()
    }
}
