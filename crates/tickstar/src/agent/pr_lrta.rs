//! PR LRTA*: learn on a level above the map, and refine one step of it at a time on the map.
//!
//! # Source
//! V. Bulitko, N. Sturtevant, J. Lu, T. Yau, "Graph Abstraction in Real-time Heuristic Search", JAIR 2007, as outlined
//! in Björnsson, Bulitko, Sturtevant, "TBA*: Time-Bounded A*", IJCAI 2009. Only the outline was available: this is our
//! reconstruction.
//!
//! # One plan
//! 1. Climb from the agent and from the goal to level `ℓ` of the map's [`Hierarchy`], or to the node that represents
//!    everything reachable from there, if that is lower.
//! 2. If both reach the same node, A* finds a path to the goal itself, over the cells of that node and of its
//!    neighbors.
//! 3. Otherwise LRTA* looks `d` steps ahead on that level, by `γ·g + h`. It raises the heuristic of the agent's node,
//!    and chooses a neighbor of it.
//! 4. A* on the map finds a path from the agent to any cell of that neighbor, over the cells of the two nodes.
//! 5. The path is walked, one step per tick. At its end the next plan is made, in the following tick.
//!
//! # Deviations
//! * The outline says only that LRTA* runs on the level and that A* in a corridor refines its first action. The width
//!   of the corridor, where in the region A* ends, and what is done in the goal's own node are our choices. The
//!   original can also search on several levels, and walk more than one action.
//! * LRTA* is that of [`Local`](crate::Local): no node inside the ball is assumed to be nearer than its stored
//!   heuristic; otherwise the agent could walk in cycles.
//! * `γ` is represented in integers: costs are multiplied by its numerator, heuristics by its denominator. A cost that
//!   would then be 2^32 or more is clamped to the value just below.
//! * The hierarchy detects an unreachable goal immediately.
//!
//! # Invariants
//! * With `γ` below one the heuristics are not consistent, and may exceed the true distance on the level: in costs
//!   times `γ`, up to `1/γ` times. The agent still arrives. By induction no heuristic ever exceeds `1/γ` times the
//!   distance: an update is the cost of a path plus the heuristic at its end. So learning terminates; and once nothing
//!   more is learned, the heuristic decreases along each step on the level. The same holds for any initial heuristics,
//!   and so also for those that are wrong because the level was repaired: none ever exceeds the distance by more than
//!   one of the initial ones did.
//! * The cells of a node are connected, and an edge of the level represents one of the map. So the corridor always
//!   contains a path, if the map does not change.
//! * The walk does not depend on the budget: a plan is made where the previous path ended, and only there.
//!
//! # When the map changes
//! The map repairs the hierarchy. The path being walked is dropped when its next step is no longer an edge; a search
//! that finds nothing is started again. The learned heuristic is kept when something is blocked, and discarded when
//! something is opened or when the goal belongs to a different node than before. If LRTA* finds no path although one
//! exists, because the ids of a repaired level are reused, it discards its learned heuristic and continues.
//!
//! # When the goal moves
//! The path being walked is kept, and what was learned as long as the goal stays in its node of the level.
//!
//! # Real-time bound
//! At most as many expansions as the budget, on the level and on the map together; ten times as many trace steps, one
//! each for climbing, for marking a corridor and for following a parent; and ten times as many updates, two per node
//! expanded on the level. The agent waits until a plan is complete.

use super::{AgentError, Cx, Decision, Keep, Needs, Policy, Walker};
use crate::search::{Ball, Problem, Progress, Refiner, Route, Target, Toward};
use crate::{
    Cost, Event, Hierarchy, Level, Map, NodeId, OpenList, Pool, Ratio, Skip, Slice, Space,
};

/// The settings of a [`PrLrta`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrLrtaConfig {
    /// The level `ℓ` on which it learns, at least one.
    pub level: u32,
    /// The lookahead depth `d` on that level, in steps, at least one.
    pub depth: u32,
    /// The weight `γ` of the cost relative to the heuristic: above 0 and at most 1, with a denominator of at most 100.
    pub gamma: Ratio,
    /// Whether the neighbors of the two nodes of a step belong to its corridor.
    pub wide: bool,
    /// Which open list the searches on the map use.
    pub open: OpenList,
}

impl Default for PrLrtaConfig {
    fn default() -> PrLrtaConfig {
        let open = OpenList::default();
        PrLrtaConfig { level: 4, depth: 3, gamma: Ratio::ONE, wide: false, open }
    }
}

/// An agent that learns on a level of its map's [`Hierarchy`]: PR LRTA*, our reconstruction.
///
/// ```
/// use tickstar::agent::pr_lrta::{PrLrta, PrLrtaConfig};
/// use tickstar::{Agent, Cell, Grid, Layered, Seen, Slice, Step};
/// let grid = Layered::new(Grid::from_rows(["....#...", "..#...#.", "..#.#.#.", "....#..."])?)?;
/// let [start, goal] = [(0, 0), (7, 3)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
/// let config = PrLrtaConfig { level: 2, ..PrLrtaConfig::default() };
/// let mut unit = PrLrta::new(&grid, config, start, goal)?;
/// let mut at = start;
/// while let Step::Move(to) = unit.tick(&grid, at, Seen::default(), &mut Slice::new(100)) {
///     at = to;
/// }
/// assert_eq!(at, goal);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type PrLrta = Walker<PrLrtaPolicy>;

/// The policy of [`PrLrta`].
#[derive(Clone, Debug)]
pub struct PrLrtaPolicy {
    config: PrLrtaConfig,
    /// LRTA* on the level.
    mind: Ball,
    /// The level of the learned heuristic, and the goal's node on it.
    level: usize,
    there: NodeId,
    /// The node that contains the agent.
    here: NodeId,
    /// The neighbor to go to; `None` for the goal itself.
    next: Option<NodeId>,
    refiner: Refiner,
    stage: Stage,
    /// All ids of the level were below this when the lookahead started.
    size: usize,
    /// The path being walked.
    route: Route,
}

/// What comes next. A tick that is cut short resumes here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Climb to the level.
    Climb,
    /// Look ahead on the level.
    Look,
    /// Mark the corridor.
    Mark,
    /// Search the corridor, and trace the path found.
    Refine,
    /// Walk the path.
    Walk,
}

/// A level on which costs are weighted by `γ`: costs are multiplied by its numerator, heuristics by its denominator.
/// The heuristic is therefore not consistent; LRTA*, the only algorithm that runs here, only needs it to be finite.
#[derive(Clone, Copy)]
struct Weighted<'h> {
    toward: Toward<'h, Level<'h>>,
    gamma: Ratio,
}

impl Weighted<'_> {
    #[inline]
    fn cost(&self, cost: Cost) -> Cost {
        Cost((cost.0 * u64::from(self.gamma.num())).min(u32::MAX.into()))
    }

    #[inline]
    fn weigh(&self, estimate: Cost) -> Cost {
        Cost(estimate.0.saturating_mul(self.gamma.den().into()))
    }
}

impl Problem for Weighted<'_> {
    const MAX_EDGES: usize = usize::MAX;

    fn contains(&self, node: NodeId) -> bool {
        self.toward.contains(node)
    }

    #[inline]
    fn for_each_successor(
        &self,
        from: NodeId,
        parent: NodeId,
        skip: Skip,
        mut visit: impl FnMut(NodeId, Cost, Cost),
    ) {
        self.toward.for_each_successor(from, parent, skip, |to, cost, estimate| {
            visit(to, self.cost(cost), self.weigh(estimate));
        });
    }

    #[inline]
    fn estimate(&self, node: NodeId) -> Cost {
        self.weigh(self.toward.estimate(node))
    }

    fn max_edge_cost(&self) -> Cost {
        self.cost(self.toward.max_edge_cost())
    }
}

/// The largest denominator of `γ`: with a larger one, edge costs would not fit into 32 bits.
const FINEST: u32 = 100;

impl PrLrta {
    /// An agent at `start` that walks to `goal`.
    ///
    /// # Errors
    /// If the start or goal is not passable, the map has no hierarchy, or a setting is out of range.
    pub fn new(
        map: &impl Map,
        config: PrLrtaConfig,
        start: NodeId,
        goal: NodeId,
    ) -> Result<PrLrta, AgentError> {
        let gamma = config.gamma;
        let fits = gamma.num() > 0 && gamma <= Ratio::ONE && gamma.den() <= FINEST;
        let expected = "above 0 and at most 1, with a denominator of at most 100";
        for (holds, name, expected) in [
            (config.level > 0, "level", "1 or more"),
            (config.depth > 0, "depth", "1 or more"),
            (fits, "gamma", expected),
        ] {
            if !holds {
                return Err(AgentError::Setting { name, expected });
            }
        }
        let policy = PrLrtaPolicy {
            config,
            mind: Ball::new(config.depth),
            level: 0,
            there: NodeId::default(),
            here: NodeId::default(),
            next: None,
            refiner: Refiner::new(config.open),
            stage: Stage::Climb,
            size: 0,
            route: Route::default(),
        };
        Walker::with_policy(policy, map, start, goal)
    }

    /// The level of the last plan: the configured one, or a lower one on which a single node represents everything
    /// reachable. Zero before the first plan.
    pub fn level(&self) -> usize {
        self.policy.level
    }

    /// The heuristic from a node of that level to the goal's node: that of the level, or a larger learned one. Its unit
    /// is that of the level divided by the denominator of `γ`.
    pub fn estimate(&self, map: &impl Map, node: NodeId) -> Cost {
        let Some(hierarchy) = map.hierarchy() else { return Cost::ZERO };
        let level = hierarchy.level(self.policy.level);
        self.policy.mind.estimate(node, self.policy.weighted(&level).estimate(node))
    }
}

impl PrLrtaPolicy {
    /// Starts again from the agent's position. The learned heuristic is kept.
    fn drop_plan(&mut self) {
        self.mind.drop_plan();
        self.route.clear();
        self.stage = Stage::Climb;
    }

    fn weighted<'h>(&self, level: &'h Level<'h>) -> Weighted<'h> {
        Weighted { toward: Toward { map: level, goal: self.there }, gamma: self.config.gamma }
    }

    /// Makes a plan, or resumes one, if there is no path to walk.
    fn plan<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) -> Progress {
        loop {
            let progress = match self.stage {
                Stage::Climb => self.climb(cx),
                Stage::Look => self.look(cx),
                Stage::Mark => self.mark(cx),
                Stage::Refine => match self.refiner.run(cx.map, cx.hierarchy(), cx.slice) {
                    Progress::Done => self.take_path(cx.goal, cx.slice),
                    other => Some(other),
                },
                Stage::Walk => Some(Progress::Done),
            };
            if let Some(progress) = progress {
                return progress;
            }
        }
    }

    /// Stage 1: finds the level and the nodes of the agent and the goal.
    fn climb<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) -> Option<Progress> {
        // One lookup per level.
        if !cx.slice.trace(cx.at) {
            return Some(Progress::Working);
        }
        let hierarchy = cx.hierarchy();
        let level = hierarchy.root(cx.goal).0.min(self.config.level as usize);
        if level == 0 {
            return Some(Progress::Failed); // the goal was disconnected without a report in `Seen`
        }
        let Some([here, there]) = ends(cx, level) else { return Some(Progress::Failed) };
        if (level, there) != (self.level, self.there) {
            self.mind.forget();
            self.mind.drop_plan();
        }
        (self.level, self.here, self.there) = (level, here, there);
        self.next = None;
        self.size = hierarchy.level(level).size();
        self.stage = if here == there { Stage::Mark } else { Stage::Look };
        None
    }

    /// Stage 2: LRTA* on the level.
    fn look<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) -> Option<Progress> {
        let level = cx.hierarchy().level(self.level);
        if level.size() != self.size || ends(cx, self.level) != Some([self.here, self.there]) {
            // The level has been repaired: nodes may have different ids now.
            self.mind.drop_plan();
            self.stage = Stage::Climb;
            return None;
        }
        let weighted = self.weighted(&level);
        let (mind, here, there) = (&mut self.mind, self.here, self.there);
        let think = |slice: &mut Slice<'_>| mind.think(&weighted, here, there, slice);
        match cx.slice.on_level(self.level, think) {
            Decision::Go(next) => {
                self.next = Some(next);
                self.stage = Stage::Mark;
                None
            }
            Decision::Wait => Some(Progress::Working),
            Decision::NoWay | Decision::Stale => {
                self.mind.forget();
                Some(Progress::Failed)
            }
        }
    }

    /// Stage 3: marks the corridor, and starts its search.
    fn mark<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) -> Option<Progress> {
        let (level, hierarchy) = (self.level, cx.hierarchy());
        if !cx.slice.trace(self.next.unwrap_or(self.here)) {
            return Some(Progress::Working);
        }
        let aim = hierarchy.middle(cx.map, level, self.next.unwrap_or(self.here));
        let Some(aim) = aim.filter(|_| hierarchy.level(level).contains(self.here)) else {
            return Some(Progress::Failed); // the level was repaired in the meantime
        };
        self.refiner.clear_marks();
        for node in [Some(self.here), self.next].into_iter().flatten() {
            let wide = self.config.wide || self.next.is_none();
            self.refiner.mark(hierarchy, level, node, wide);
        }
        let region = self.next.map(|region| Target::Region { region, aim, floor: Cost::ZERO });
        let to = region.unwrap_or(Target::Node(cx.goal));
        self.refiner.start(cx.map, hierarchy, (0, Some(level)), cx.at, to);
        self.stage = Stage::Refine;
        None
    }

    /// Stage 4: a path was found and can be walked.
    fn take_path(&mut self, goal: NodeId, slice: &mut Slice<'_>) -> Option<Progress> {
        self.route.swap(&mut self.refiner.path);
        slice.note(Event::Refined);
        if self.route.end() == Some(goal) {
            slice.note(Event::Found);
        }
        self.stage = Stage::Walk;
        None
    }
}

/// The nodes of the level that contain the agent and the goal.
fn ends<M: Map>(cx: &Cx<'_, '_, M>, level: usize) -> Option<[NodeId; 2]> {
    let hierarchy: &Hierarchy = cx.hierarchy();
    Some([hierarchy.ancestor(cx.at, level)?, hierarchy.ancestor(cx.goal, level)?])
}

impl Policy for PrLrtaPolicy {
    fn needs(&self) -> Needs {
        Needs { reversible_edges: true, hierarchy: true, ..Needs::default() }
    }

    fn begin<M: Map>(&mut self, _: &M, _: NodeId, _: NodeId, keep: Keep) {
        if keep == Keep::Nothing {
            self.level = 0;
            self.mind.forget();
        }
        self.drop_plan();
    }

    fn moved(&mut self, _: NodeId, to: NodeId) {
        self.route.moved(to);
    }

    /// Continues along its path if the agent is on or beside it; otherwise plans again from there.
    fn displaced<M: Map>(&mut self, _: &mut Cx<'_, '_, M>) {
        if self.stage != Stage::Walk {
            self.drop_plan();
        }
    }

    fn heed<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, changed: &[NodeId]) {
        if changed.iter().any(|&node| cx.map.contains(node)) {
            self.mind.forget();
        }
    }

    fn retarget<M: Map>(&mut self, _: &mut Cx<'_, '_, M>, _: NodeId) {
        if !matches!(self.stage, Stage::Refine | Stage::Walk) {
            self.mind.drop_plan();
            self.stage = Stage::Climb;
        }
    }

    fn decide<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) -> Decision {
        if self.stage == Stage::Walk && self.route.is_done(cx.at) {
            self.stage = Stage::Climb;
        }
        match self.plan(cx) {
            Progress::Working => Decision::Wait,
            Progress::Failed => Decision::Stale,
            Progress::Done => self.route.step(cx.map, cx.at).map_or(Decision::Stale, Decision::Go),
        }
    }

    fn replan<M: Map>(&mut self, _: &mut Cx<'_, '_, M>) {
        self.drop_plan();
    }

    fn no_way(&mut self) {
        self.drop_plan();
    }

    fn rest(&mut self, slice: &mut Slice<'_>) {
        self.refiner.release();
        let freed = self.refiner.reclaim(slice.blocks_to_free());
        slice.charge_freed_blocks(freed);
        self.mind.rest();
    }

    fn target(&self, _: NodeId) -> Option<NodeId> {
        self.route.end().filter(|_| self.stage == Stage::Walk)
    }

    /// The path being walked: to the next node of the level, or to the goal.
    fn plan(&self, _: NodeId) -> Option<Vec<NodeId>> {
        (self.stage == Stage::Walk).then(|| self.route.nodes().to_vec())
    }

    fn set_pool(&mut self, pool: &Pool) {
        self.mind.set_pool(pool);
        self.refiner.set_pool(pool);
    }

    fn bytes(&self) -> usize {
        self.mind.bytes() + self.refiner.bytes() + self.route.bytes()
    }
}
