//! PRA*: plan coarsely far away and exactly nearby, and refine one segment at a time.
//!
//! # Source
//! N. Sturtevant, M. Buro, "Partial Pathfinding Using Map Abstraction and Refinement", AAAI 2005, figure 4.
//!
//! # One plan
//! 1. Climb from the start and the goal until both are one node, or joined by an edge. Planning starts below that level
//!    ([`StartLevel`]), where A* finds a path without restriction.
//! 2. Truncate the path after `k` steps. On the level below, A* searches for a path that stays under the nodes of that
//!    path and their neighbors (the *corridor*), to any node under the last of them, or to the goal's own node if the
//!    path was not truncated. Repeat on each level, down to single steps.
//! 3. The steps of the path on the map, at most `k`, are walked. Meanwhile the next segment is planned from the end of
//!    this one: the paths of the levels above are kept, and refined from there on.
//!
//! PRA*(∞) truncates nothing: it has the complete path before the first step.
//!
//! # Deviations
//! * The paper starts "half-way" to the level where the ends are joined. Here planning also starts low enough that the
//!   next level has at least four times as many nodes as the square root of the number of cells
//!   ([`StartLevel::Bounded`]): half-way up, large maps are too coarse for paths within 1 % of the shortest. (Its
//!   authors' later code has such a rule, with twice the root.) `Half` follows the text.
//! * The corridor has width 1. The text can be read as width 0, but then only a tenth of the paths are within 1 % of
//!   the shortest.
//! * A search for a region uses the heuristic to the node above the goal, and ends at the first node of the region it
//!   expands.
//! * The paper says that "some" of the planning above can be kept. Here the paths of all levels are kept, and the next
//!   segment is refined from the lowest one that extends for at least half of `k` steps, or to the goal. As the
//!   corridor is wider than a path, the agent may end up beside the path; it then continues from the last node of the
//!   path that is adjacent to its own. With that, PRA*(16) expands hardly more nodes in total than PRA*(∞).
//! * A plan could undo the progress of the previous one, forever. So when the highest path has not become shorter for
//!   many steps, or has been replanned too often, the next plan is not truncated, and leads to the goal.
//!
//! # When the map changes
//! The map repairs the hierarchy. Plans are not redone for a change that does not affect them: the segment being walked
//! is checked step by step, and a search that fails because nodes no longer exist is started again. So changes
//! elsewhere on the map do not prevent an agent from making progress. Openings are used by the next segment. An
//! unreachable goal is detected immediately.
//!
//! # When the goal moves
//! A segment that leads to the goal is extended along the trail of the goal, without its loops, so that an agent that
//! moves more often than its goal arrives. Any other segment being walked, and one being planned, are kept, and lead
//! toward where the goal was. Before the next segment is planned, the paths below the lowest level on which the goal's
//! node is the same are dropped. If there is no such level among those of the plan, the highest path is extended or
//! truncated, if the goal's node has become a neighbor of its end or is on it; otherwise everything is planned again.
//!
//! # Real-time bound
//! At most as many expansions as the budget, on any level, and ten times as many trace steps: one step each for
//! following a parent, marking a node of a path with its neighbors, checking a step after a change, and climbing to the
//! start level of a plan. Planning resumes where it stopped. The time per expansion on a level above grows with the
//! number of neighbors of a node, about six.

use super::{AgentError, Cx, Decision, Keep, Needs, Policy, Walker};
use crate::search::{AnyLevel, Progress, Refiner, Route, Target};
use crate::{Event, Hierarchy, Limits, Map, NodeId, OpenList, Pool, Slice};

/// Where planning starts, given the level on which start and goal are one node, or joined by an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StartLevel {
    /// Half as high, but only so high that the level above has at least four times as many nodes as the square root of
    /// the number of cells.
    #[default]
    Bounded,
    /// Half as high.
    Half,
    /// On that level itself.
    Top,
    /// On this level, or on that of the start and goal if it is lower.
    Fixed(u32),
}

/// The settings of a member of the PRA* family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PraConfig {
    /// The number of steps after which a path is truncated, on every level; `None` for no limit.
    pub k: Option<u32>,
    /// Where planning starts.
    pub start: StartLevel,
    /// Whether the neighbors of a path belong to its corridor.
    pub wide: bool,
    /// Whether the highest path is kept from one segment to the next.
    pub keep: bool,
    /// Which open list the searches use.
    pub open: OpenList,
}

impl Default for PraConfig {
    /// PRA*(16).
    fn default() -> PraConfig {
        let (start, open) = Default::default();
        PraConfig { k: Some(16), start, wide: true, keep: true, open }
    }
}

/// An agent that plans on the [`Hierarchy`] of its map.
///
/// ```
/// use tickstar::{Agent, Cell, Grid, Layered, Pra, PraConfig, Seen, Slice, Step};
/// let grid = Layered::new(Grid::from_rows(["....#...", "..#...#.", "..#.#.#.", "....#..."])?)?;
/// let [start, goal] = [(0, 0), (7, 3)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
/// let mut unit = Pra::new(&grid, PraConfig::default(), start, goal)?;
/// let mut at = start;
/// loop {
///     match unit.tick(&grid, at, Seen::default(), &mut Slice::new(10)) {
///         Step::Move(to) => at = to,
///         Step::Wait => {}
///         Step::Arrived | Step::Unreachable => break,
///     }
/// }
/// assert_eq!(at, goal);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Pra = Walker<PraPolicy>;

/// The policy of [`Pra`].
#[derive(Clone, Debug)]
pub struct PraPolicy {
    config: PraConfig,
    /// The segment being walked.
    route: Route,
    /// The next segment, once it has been planned.
    ready: Vec<NodeId>,
    planner: Planner,
    /// Where the goal went since the segment in progress was begun, if it moved along edges.
    trail: Route,
}

/// Plans one segment after another, incrementally.
#[derive(Clone, Debug)]
struct Planner {
    refiner: Refiner,
    stage: Stage,
    /// Where the segment starts.
    from: NodeId,
    /// The goal of the plan: the agent's goal, when the segment was begun.
    goal: NodeId,
    /// The level being searched, or whose path is being marked.
    level: usize,
    /// The truncated path of that level, once it is found.
    path: Vec<NodeId>,
    /// How much of it has been marked.
    marked: usize,
    /// The path of the level ends at the goal, or the node above it.
    whole: bool,
    /// The paths of all levels that were searched, by level, and the highest of these.
    kept: Vec<Vec<NodeId>>,
    top: usize,
    /// The shortest remaining length of its path so far, and the steps planned since then.
    least: usize,
    since: u64,
    /// How many highest paths were planned for this task.
    tops: u64,
    /// The plan in progress is not to be truncated.
    uncut: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Nothing is being planned.
    Idle,
    /// Climbing to the level where planning starts.
    Begin,
    /// A level is searched, and the path found is traced.
    Refine,
    /// Its corridor is marked.
    Mark,
}

impl Pra {
    /// An agent at `start` that walks to `goal`.
    ///
    /// # Errors
    /// If the start or goal is not passable, the map has no hierarchy, or `k` is zero.
    pub fn new(
        map: &impl Map,
        config: PraConfig,
        start: NodeId,
        goal: NodeId,
    ) -> Result<Pra, AgentError> {
        if config.k == Some(0) {
            return Err(AgentError::Setting { name: "k", expected: "1 or more, or none" });
        }
        let planner = Planner {
            refiner: Refiner::new(config.open),
            stage: Stage::Idle,
            from: start,
            goal,
            level: 0,
            path: Vec::new(),
            marked: 0,
            whole: false,
            kept: Vec::new(),
            top: 0,
            least: usize::MAX,
            since: 0,
            tops: 0,
            uncut: false,
        };
        let (route, ready, trail) = (Route::default(), Vec::new(), Route::default());
        Walker::with_policy(PraPolicy { config, route, ready, planner, trail }, map, start, goal)
    }
}

impl PraPolicy {
    /// Starts again from the agent's position. The paths of the levels above are kept.
    fn drop_plan(&mut self) {
        self.route.clear();
        self.ready.clear();
        self.planner.stage = Stage::Idle;
    }

    /// Plans the segment after the one being walked, unless the latter leads to the goal. Returns `false` if planning
    /// failed.
    fn think<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) -> bool {
        let end = self.route.end().unwrap_or(cx.at);
        if end == cx.goal {
            // The complete path is known and only needs to be walked. The paths of the levels above are kept: they are
            // useful if it is blocked later.
            if self.planner.refiner.bytes() > 0 {
                self.planner.refiner.release();
            }
            let freed = self.planner.refiner.reclaim(cx.slice.blocks_to_free());
            cx.slice.charge_freed_blocks(freed);
            return true;
        }
        if !self.ready.is_empty() {
            return true;
        }
        if self.planner.stage == Stage::Idle {
            (self.planner.stage, self.planner.from) = (Stage::Begin, end);
        }
        if self.planner.stage == Stage::Begin {
            self.trail.clear();
        }
        match self.planner.run(&self.config, cx.map, cx.hierarchy(), cx.goal, cx.slice) {
            Progress::Working => true,
            Progress::Failed => false,
            Progress::Done => {
                std::mem::swap(&mut self.ready, &mut self.planner.path);
                if self.ready.last() == self.trail.nodes().first() {
                    self.ready.extend(self.trail.nodes().iter().skip(1));
                }
                cx.slice.note(Event::Refined);
                if self.ready.last() == Some(&cx.goal) {
                    cx.slice.note(Event::Found);
                }
                true
            }
        }
    }
}

impl Planner {
    /// Discards all plans.
    fn forget(&mut self) {
        self.drop_paths();
        self.tops = 0;
        self.uncut = false;
    }

    fn drop_paths(&mut self) {
        self.kept.iter_mut().for_each(Vec::clear);
    }

    fn run<M: Map>(
        &mut self,
        config: &PraConfig,
        map: &M,
        hierarchy: &Hierarchy,
        goal: NodeId,
        slice: &mut Slice<'_>,
    ) -> Progress {
        loop {
            let progress = match self.stage {
                Stage::Idle => return Progress::Failed,
                Stage::Begin => self.choose(config, map, hierarchy, goal, slice),
                Stage::Refine => match self.refiner.run(map, hierarchy, slice) {
                    Progress::Done => self.take_path(config),
                    other => Some(other),
                },
                Stage::Mark => self.mark(config, map, hierarchy, slice),
            };
            if let Some(progress) = progress {
                if progress != Progress::Working {
                    self.stage = Stage::Idle;
                }
                if progress == Progress::Failed {
                    self.drop_paths();
                }
                return progress;
            }
        }
    }

    /// Stage 1: resumes a kept path, or climbs to the level where a new one starts.
    fn choose(
        &mut self,
        config: &PraConfig,
        map: &impl Map,
        hierarchy: &Hierarchy,
        goal: NodeId,
        slice: &mut Slice<'_>,
    ) -> Option<Progress> {
        // Climbing takes one lookup per level.
        if !slice.trace(self.from) {
            return Some(Progress::Working);
        }
        if goal != self.goal {
            self.retarget(hierarchy, goal, slice);
        }
        if config.keep && self.resume(config, hierarchy, goal, slice) {
            return None;
        }
        self.drop_paths();
        let level = start_level(hierarchy, config.start, self.from, goal);
        let (from, to) = (hierarchy.ancestor(self.from, level), hierarchy.ancestor(goal, level));
        let (Some(from), Some(to)) = (from, to) else { return Some(Progress::Failed) };
        self.tops += 1;
        (self.least, self.since) = (usize::MAX, 0);
        self.uncut = self.tops > 2 * hierarchy.height() as u64 + 8;
        (self.level, self.top) = (level, level);
        self.refiner.start(map, hierarchy, (level, None), from, Target::Node(to));
        self.stage = Stage::Refine;
        None
    }

    /// The goal has moved: keeps the paths that still lead there.
    fn retarget(&mut self, hierarchy: &Hierarchy, goal: NodeId, slice: &mut Slice<'_>) {
        let old = std::mem::replace(&mut self.goal, goal);
        let above = |node, level| hierarchy.ancestor(node, level);
        let levels = 1..=self.top.min(self.kept.len().saturating_sub(1));
        let same = levels.clone().find(|&level| above(old, level) == above(goal, level));
        let lowest = same.unwrap_or(self.top);
        levels.clone().take_while(|&level| level < lowest).for_each(|level| {
            self.kept[level].clear();
        });
        let (None, Some(to)) = (same, above(goal, lowest)) else { return };
        let Some(path) = self.kept.get_mut(lowest) else { return };
        slice.charge_entries(path.len() as u64 / 8);
        if let Some(place) = path.iter().position(|&node| node == to) {
            self.least = self.least.saturating_sub(path.len() - (place + 1));
            path.truncate(place + 1);
        } else if path.last().is_some_and(|&end| hierarchy.linked(lowest, end, to)) {
            path.push(to);
            self.least = self.least.saturating_add(1);
        } else {
            path.clear();
        }
    }

    /// Resumes the lowest kept path that still extends far enough.
    fn resume(
        &mut self,
        config: &PraConfig,
        hierarchy: &Hierarchy,
        goal: NodeId,
        slice: &mut Slice<'_>,
    ) -> bool {
        let k = config.k.map_or(usize::MAX, |k| k as usize);
        // On every level, a segment extends for at most this many steps.
        let reach = k.saturating_mul(2).saturating_add(2);
        self.since = self.since.saturating_add(k as u64);
        let left =
            self.shorten(hierarchy, goal, self.top, reach, slice).map_or(0, |(left, _)| left);
        if left < self.least {
            (self.least, self.since) = (left, 0);
        }
        // Crossing one node of this level takes about this many steps.
        self.uncut |= self.since > 64 + (16 << self.top.min(32));
        let lowest = if self.uncut { self.top } else { 1 };
        for level in lowest..=self.top {
            let Some((left, whole)) = self.shorten(hierarchy, goal, level, reach, slice) else {
                continue;
            };
            // A truncated path is not followed to its end, where its continuation is unknown.
            if left >= if whole { 1 } else { (k / 2).max(1) } {
                self.path.clear();
                self.path.extend_from_slice(&self.kept[level]);
                slice.charge_entries(self.path.len() as u64 / 8);
                (self.level, self.whole) = (level, whole);
                self.cut(config);
                self.stage = Stage::Mark;
                return true;
            }
        }
        false
    }

    /// Drops the walked part from the path of a level, of which at most `reach` steps are examined. Returns the number
    /// of remaining steps and whether they lead to the goal, if the path continues from here.
    fn shorten(
        &mut self,
        hierarchy: &Hierarchy,
        goal: NodeId,
        level: usize,
        reach: usize,
        slice: &mut Slice<'_>,
    ) -> Option<(usize, bool)> {
        let path = self.kept.get_mut(level)?;
        let here = hierarchy.ancestor(self.from, level)?;
        let near = &path[..path.len().min(reach)];
        slice.charge_entries(near.len() as u64 / 8);
        if let Some(at) = near.iter().position(|&node| node == here) {
            path.drain(..at);
        } else {
            // The corridor is wider than the path.
            let links = hierarchy.links(level, here).len();
            slice.charge_entries((near.len() * (1 + links)) as u64);
            let at = near.iter().rposition(|&node| hierarchy.linked(level, node, here))?;
            path.splice(..at, [here]);
        }
        let whole = path.last().copied() == hierarchy.ancestor(goal, level);
        Some((path.len() - 1, whole))
    }

    /// Stage 2: the path of a level has been found.
    fn take_path(&mut self, config: &PraConfig) -> Option<Progress> {
        std::mem::swap(&mut self.path, &mut self.refiner.path);
        self.whole = self.refiner.is_whole();
        if self.level > 0 {
            if self.kept.len() <= self.level {
                self.kept.resize_with(self.level + 1, Vec::new);
            }
            self.kept[self.level].clear();
            self.kept[self.level].extend_from_slice(&self.path);
        }
        self.cut(config);
        self.stage = Stage::Mark;
        (self.level == 0).then_some(Progress::Done)
    }

    /// Truncates the path after `k` steps.
    fn cut(&mut self, config: &PraConfig) {
        let max_nodes = config.k.filter(|_| !self.uncut).map_or(usize::MAX, |k| k as usize + 1);
        if self.path.len() > max_nodes {
            self.path.truncate(max_nodes);
            self.whole = false;
        }
        self.marked = 0;
    }

    /// Stage 3: marks the corridor of the path, and starts the search of the level below.
    fn mark<M: Map>(
        &mut self,
        config: &PraConfig,
        map: &M,
        hierarchy: &Hierarchy,
        slice: &mut Slice<'_>,
    ) -> Option<Progress> {
        if self.marked == 0 {
            self.refiner.clear_marks();
        }
        while let Some(&node) = self.path.get(self.marked) {
            if !slice.trace(node) {
                return Some(Progress::Working);
            }
            self.marked += 1;
            self.refiner.mark(hierarchy, self.level, node, config.wide);
        }
        let Some(&tail) = self.path.last() else { return Some(Progress::Failed) };
        self.level -= 1;
        let level = self.level;
        let [from, aim] = [self.from, self.goal].map(|node| hierarchy.ancestor(node, level));
        let (Some(from), Some(aim)) = (from, aim) else { return Some(Progress::Failed) };
        let to = if self.whole {
            Target::Node(aim)
        } else {
            let inner = AnyLevel::new(map, hierarchy, level);
            let children = hierarchy.children(level + 1, tail);
            let floor = children.map(|child| inner.estimate(child, aim)).min().unwrap_or_default();
            Target::Region { region: tail, aim, floor }
        };
        self.refiner.start(map, hierarchy, (level, Some(1)), from, to);
        self.stage = Stage::Refine;
        None
    }

    /// Heap memory in bytes.
    fn bytes(&self) -> usize {
        let nodes = self.path.capacity() + self.kept.iter().map(Vec::capacity).sum::<usize>();
        self.refiner.bytes() + nodes * size_of::<NodeId>()
    }
}

/// The level to start on.
fn start_level(hierarchy: &Hierarchy, rule: StartLevel, from: NodeId, to: NodeId) -> usize {
    let meeting = meeting_level(hierarchy, from, to);
    match rule {
        StartLevel::Top => meeting,
        StartLevel::Half => meeting / 2,
        StartLevel::Fixed(level) => meeting.min(level as usize),
        StartLevel::Bounded => {
            let (level, root) = hierarchy.root(from);
            let cells = u64::from(hierarchy.cell_count(level, root));
            let few = |level| (hierarchy.count(level) as u64).pow(2) < 16 * cells;
            // The levels from the map up to where the ends meet, excluding those that are too high.
            let mut levels = meeting + 1;
            while levels > 2 && (levels > meeting.div_ceil(2) || few(levels)) {
                levels -= 1;
            }
            levels - 1
        }
    }
}

/// The lowest level on which two nodes have the same ancestor, or ancestors joined by an edge.
fn meeting_level(hierarchy: &Hierarchy, from: NodeId, to: NodeId) -> usize {
    let (mut from, mut to) = (from, to);
    for level in 0.. {
        if from == to || level > 0 && hierarchy.linked(level, from, to) {
            return level;
        }
        match (hierarchy.parent(level, from), hierarchy.parent(level, to)) {
            (Some(over_from), Some(over_to)) => (from, to) = (over_from, over_to),
            _ => return level,
        }
    }
    0
}

impl Policy for PraPolicy {
    fn needs(&self) -> Needs {
        Needs { reversible_edges: true, hierarchy: true, ..Needs::default() }
    }

    fn limits(&self, budget: u64) -> Limits {
        Limits { updates: 0, ..Limits::per_unit(budget) }
    }

    fn begin<M: Map>(&mut self, _: &M, _: NodeId, goal: NodeId, _: Keep) {
        self.planner.forget();
        self.planner.goal = goal;
        self.trail.clear();
        self.drop_plan();
    }

    /// A segment that leads to the goal is extended along its trail. Otherwise nothing is done before the next segment is
    /// begun.
    fn retarget<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, from: NodeId) {
        if self.ready.last() == Some(&from) {
            self.route.join(&mut self.ready);
        }
        let leads_there = self.ready.is_empty() && self.route.end() == Some(from);
        if leads_there && self.route.lead_to(cx.map, cx.goal, cx.slice) {
            self.planner.stage = Stage::Idle;
            return;
        }
        if self.trail.nodes().is_empty() {
            self.trail = Route::new(vec![from], 0);
        }
        if !self.trail.lead_to(cx.map, cx.goal, cx.slice) {
            // A jump is a new task for the rules against plans that undo each other.
            self.trail.clear();
            (self.planner.tops, self.planner.since, self.planner.uncut) = (0, 0, false);
        }
    }

    fn can_improve(&self) -> bool {
        self.planner.stage != Stage::Idle
    }

    fn moved(&mut self, _: NodeId, to: NodeId) {
        self.route.moved(to);
    }

    /// Continues along its segment if the agent is on or beside it; otherwise plans again from there, with the paths of
    /// the levels above.
    fn displaced<M: Map>(&mut self, _: &mut Cx<'_, '_, M>) {
        if self.route.nodes().is_empty() {
            self.drop_plan();
        }
    }

    fn heed<M: Map>(&mut self, _: &mut Cx<'_, '_, M>, _: &[NodeId]) {
        self.route.recheck();
    }

    fn decide<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) -> Decision {
        if !self.route.check(cx.map, cx.slice) || !self.think(cx) {
            return Decision::Stale;
        }
        if self.route.is_done(cx.at) && !self.ready.is_empty() {
            self.route.swap(&mut self.ready);
        }
        if self.route.is_done(cx.at) {
            return Decision::Wait;
        }
        self.route.step(cx.map, cx.at).map_or(Decision::Stale, Decision::Go)
    }

    fn replan<M: Map>(&mut self, _: &mut Cx<'_, '_, M>) {
        self.drop_plan();
    }

    fn no_way(&mut self) {
        self.drop_plan();
    }

    fn rest(&mut self, slice: &mut Slice<'_>) {
        self.planner.stage = Stage::Idle;
        self.planner.refiner.release();
        let freed = self.planner.refiner.reclaim(slice.blocks_to_free());
        slice.charge_freed_blocks(freed);
        (self.planner.path, self.planner.kept) = (Vec::new(), Vec::new());
        self.ready = Vec::new();
    }

    fn target(&self, _: NodeId) -> Option<NodeId> {
        self.route.end()
    }

    /// The segment that was planned last.
    fn plan(&self, _: NodeId) -> Option<Vec<NodeId>> {
        let last = if self.ready.is_empty() { self.route.nodes() } else { &self.ready };
        (!last.is_empty()).then(|| last.to_vec())
    }

    fn set_pool(&mut self, pool: &Pool) {
        self.planner.refiner.set_pool(pool);
    }

    fn bytes(&self) -> usize {
        let ready = self.ready.capacity() * size_of::<NodeId>();
        self.planner.bytes() + self.route.bytes() + self.trail.bytes() + ready
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Agent, Cell, Grid, Layered, Seen, Space, Step, Work};

    fn grid(width: u32, height: u32, blocked: &[(u32, u32)]) -> Layered<Grid> {
        let mut grid = Grid::new(width, height).unwrap();
        for &(x, y) in blocked {
            grid.set_free(Cell::new(x % width, y % height), false).unwrap();
        }
        Layered::new(grid).unwrap()
    }

    fn config() -> impl Strategy<Value = PraConfig> {
        let k = prop_oneof![Just(None), (1_u32..20).prop_map(Some)];
        let start = prop_oneof![
            Just(StartLevel::Bounded),
            Just(StartLevel::Half),
            Just(StartLevel::Top),
            (0_u32..6).prop_map(StartLevel::Fixed),
        ];
        (k, start, any::<bool>(), any::<bool>()).prop_map(|(k, start, wide, keep)| PraConfig {
            k,
            start,
            wide,
            keep,
            ..PraConfig::default()
        })
    }

    proptest! {
        /// Below the level where planning starts, nothing is expanded outside the corridor of the path above, and no
        /// segment is longer than `k`.
        #[test]
        fn searches_stay_in_the_corridor(
            blocked in prop::collection::vec((0_u32..40, 0_u32..30), 0..500),
            ends in prop::array::uniform2((0_usize..1200, 0_usize..1200)),
            config in config(),
        ) {
            let grid = grid(40, 30, &blocked);
            let free: Vec<_> = grid.free_cells().map(|cell| grid.node(cell).unwrap()).collect();
            for (start, goal) in ends {
                let [start, goal] = [start, goal].map(|at| free[at % free.len()]);
                let hierarchy = grid.hierarchy().unwrap();
                if !hierarchy.reachable(start, goal) {
                    continue;
                }
                let mut agent = Pra::new(&grid, config, start, goal).unwrap();
                let mut at = start;
                loop {
                    // One unit of work per tick, so that the marks before or after it are those of the search.
                    let before = agent.policy.planner.clone();
                    let mut expanded = Vec::new();
                    let mut units = 0;
                    let mut watch = |work| {
                        units += 1;
                        if units > 1 {
                            return false;
                        }
                        if let Work::Expand { level, node } = work {
                            expanded.push((level, node));
                        }
                        true
                    };
                    let step = agent.tick(&grid, agent.position(), Seen::default(), &mut Slice::watched(1, &mut watch));
                    for (level, node) in expanded {
                        let inside = |planner: &Planner| {
                            let parent = hierarchy.parent(level, node);
                            planner.top == level
                                || planner.from == node
                                || parent.is_some_and(|parent| planner.refiner.is_marked(parent))
                        };
                        prop_assert!(inside(&before) || inside(&agent.policy.planner));
                    }
                    let max_steps = config.k.filter(|_| !agent.policy.planner.uncut);
                    let longest = agent.policy.route.nodes().len().max(agent.policy.ready.len());
                    prop_assert!(max_steps.is_none_or(|k| longest <= k as usize + 1));
                    match step {
                        Step::Move(to) => {
                            prop_assert!(grid.edge(at, to).is_some());
                            at = to;
                        }
                        Step::Wait => {}
                        Step::Arrived => break,
                        Step::Unreachable => prop_assert!(false, "a path exists"),
                    }
                }
                prop_assert_eq!(at, goal);
            }
        }
    }

    #[test]
    fn an_unreachable_goal_is_detected_without_a_search() {
        let wall: Vec<_> = (0..30).map(|y| (20, y)).collect();
        let mut grid = grid(40, 30, &wall);
        let [start, goal] = [(3, 3), (35, 20)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
        let mut agent = Pra::new(&grid, PraConfig::default(), start, goal).unwrap();
        let mut slice = Slice::unlimited();
        assert_eq!(
            agent.tick(&grid, agent.position(), Seen::default(), &mut slice),
            Step::Unreachable
        );
        assert_eq!((slice.expansions(), slice.traces(), slice.updates()), (0, 0, 0));
        // A door opens, and closes while the agent is on its way.
        let door = Cell::new(20, 15);
        let changed = [grid.node(door).unwrap()];
        grid.set_free(door, true).unwrap();
        for _ in 0..10 {
            let step = agent.tick(
                &grid,
                agent.position(),
                Seen { changed: &changed },
                &mut Slice::unlimited(),
            );
            assert!(matches!(step, Step::Move(_)));
        }
        grid.set_free(door, false).unwrap();
        let mut slice = Slice::unlimited();
        assert_eq!(
            agent.tick(&grid, agent.position(), Seen { changed: &changed }, &mut slice),
            Step::Unreachable
        );
        assert_eq!(slice.expansions(), 0);
        grid.set_free(door, true).unwrap();
        agent.tick(&grid, agent.position(), Seen { changed: &changed }, &mut Slice::unlimited());
        while agent.tick(&grid, agent.position(), Seen::default(), &mut Slice::unlimited())
            != Step::Arrived
        {}
    }

    /// The start level, computed by hand, on a map whose levels halve in width.
    #[test]
    fn planning_starts_on_the_configured_level() {
        let grid = grid(64, 64, &[]);
        let hierarchy = grid.hierarchy().unwrap();
        let counts: Vec<_> = (1..=6).map(|level| hierarchy.count(level)).collect();
        assert_eq!(counts, [1024, 256, 64, 16, 4, 1]);
        let node = |x, y| grid.node(Cell::new(x, y)).unwrap();
        let level = |rule, from, to| start_level(hierarchy, rule, from, to);
        let (corner, far) = (node(0, 0), node(63, 63));
        assert_eq!(meeting_level(hierarchy, corner, far), 5, "joined by an edge");
        assert_eq!(meeting_level(hierarchy, corner, node(1, 1)), 1, "one node");
        assert_eq!(meeting_level(hierarchy, corner, node(40, 3)), 5);
        assert_eq!(meeting_level(hierarchy, corner, node(9, 0)), 3);
        assert_eq!(level(StartLevel::Top, corner, far), 5);
        assert_eq!(level(StartLevel::Half, corner, far), 2);
        // Level 2 has 256 nodes, four times the square root of 4096.
        assert_eq!(level(StartLevel::Bounded, corner, far), 1);
        assert_eq!(level(StartLevel::Bounded, corner, node(1, 1)), 1);
        assert_eq!(level(StartLevel::Fixed(3), corner, far), 3);
        assert_eq!(level(StartLevel::Fixed(3), corner, node(3, 3)), 1);
    }

    /// One map is shared by many threads; nothing is written.
    #[test]
    fn a_map_is_shared_by_agents_on_many_threads() {
        let rows: Vec<_> = (0..40).flat_map(|y| (0..50).map(move |x| (x, y))).collect();
        let blocked: Vec<_> =
            rows.into_iter().filter(|(x, y)| x % 7 == 3 && y % 9 != x / 7).collect();
        let map = std::sync::Arc::new(grid(50, 40, &blocked));
        let walk = |map: &Layered<Grid>, from: (u32, u32)| {
            let [start, goal] = [from, (49, 39)].map(|(x, y)| map.node(Cell::new(x, y)).unwrap());
            let mut agent = Pra::new(map, PraConfig::default(), start, goal).unwrap();
            let mut walk = vec![start];
            while let step = agent.tick(map, agent.position(), Seen::default(), &mut Slice::new(20))
                && step != Step::Arrived
            {
                assert_ne!(step, Step::Unreachable);
                walk.extend(if let Step::Move(to) = step { Some(to) } else { None });
            }
            walk
        };
        let alone: Vec<_> = (0..8).map(|y| walk(&map, (0, y))).collect();
        let threads: Vec<_> = (0..8)
            .map(|y| {
                let map = map.clone();
                std::thread::spawn(move || walk(&map, (0, y)))
            })
            .collect();
        let together: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert_eq!(alone, together);
    }
}
