//! PRA*: plan coarsely far away and exactly near by, and refine a stretch at a time.
//!
//! # Source
//! N. Sturtevant, M. Buro, "Partial Pathfinding Using Map Abstraction and Refinement", AAAI 2005, figure 4.
//!
//! # One plan
//! 1. Climb from the start and the goal until both are one node, or joined by an edge. Planning begins below
//!    that level ([`StartLevel`]), where A* finds a path without restriction.
//! 2. Cut the path after `k` steps. On the level below, A* looks for a way that stays under the nodes of the
//!    path and their neighbours (the *corridor*), to any node under the last of them, or to the goal's own if
//!    the path was not cut. And so on, down to single steps.
//! 3. The steps of the ground path, `k` at most, are walked. Meanwhile the next stretch is planned from
//!    where this one ends: the paths of the levels above are kept, and refined from there on.
//!
//! PRA*(∞) cuts nothing: it has the whole path before the first step.
//!
//! # Deviations
//! * The paper starts "half-way" to the level where the ends are joined. Here planning also begins so low that
//!   the next level has at least four times the root of all cells ([`StartLevel::Bounded`]): half-way up,
//!   large maps are too coarse for paths within 1 % of the shortest. (Its authors' later code has such a
//!   rule, with twice the root.) `Half` is the text.
//! * The corridor is of width 1. The text can be read as of width 0, but then only a tenth of the paths come
//!   within 1 % of the shortest.
//! * A search for a region aims at the node above the goal, and ends at the first node of the region it
//!   expands.
//! * The paper says that "some" of the planning above can be kept. Here the paths of all levels are, and the
//!   next stretch is refined from the lowest that leads on for half of `k` steps at least, or to the goal. As
//!   the corridor is wider than a path, the agent may come to stand beside it; it then goes on to the last of its
//!   nodes that is next to where it is. With that PRA*(16) expands hardly more in all than PRA*(∞).
//! * A plan could undo what the one before has done, for ever. So when the highest path has not become shorter
//!   for many steps, or has been made anew too often, the next plan is not cut, and leads to the goal.
//!
//! # When the map changes
//! The hierarchy is mended by the map. Plans are not redone for a change that does not concern them: the
//! stretch being walked is checked step by step, and a search that is led astray by nodes that are gone ends in
//! nothing and is begun again. So changes all over the map do not keep an agent from getting anywhere.
//! What opens is made use of by the next stretch. That there is no way is known at once.
//!
//! # Real-time bound
//! At most as many expansions as the budget, on whatever level, and ten times as many trace steps: a step each
//! for following a parent, marking a node of a path with its neighbours, checking a step against a change, and
//! climbing to where a plan begins. Planning goes on where it stopped. The time an expansion takes on a level above
//! grows with the neighbours of a node, six or so.

use super::{Agent, AgentError, AgentState, Seen, Step, check_hierarchy, has_way, most_traces};
use crate::space::{Corridor, Exit, Marks};
use crate::{
    BestFirst, Cost, EndpointError, Event, Hierarchy, Limits, NodeId, OpenList, SearchConfig,
    Slice, Space, Status,
};

/// Where planning begins, given the level on which start and goal are one node, or joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StartLevel {
    /// Half as high, and no higher than that the level above has four times as many nodes as the root of all
    /// cells.
    #[default]
    Bounded,
    /// Half as high.
    Half,
    /// On that level itself.
    Top,
    /// On this one, or that level itself if it is lower.
    Fixed(u32),
}

/// A member of the family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PraConfig {
    /// The steps after which a path is cut, on every level; none: never.
    pub k: Option<u32>,
    /// Where planning begins.
    pub start: StartLevel,
    /// Whether the neighbours of a path belong to its corridor.
    pub wide: bool,
    /// Whether the highest path is kept from one stretch to the next.
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
/// let start = grid.node(Cell::new(0, 0)).unwrap();
/// let goal = grid.node(Cell::new(7, 3)).unwrap();
/// let mut unit = Pra::new(&grid, PraConfig::default(), start, goal)?;
/// while unit.tick(&grid, unit.position(), Seen::default(), &mut Slice::new(10)) != Step::Arrived {}
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pra {
    config: PraConfig,
    at: NodeId,
    goal: NodeId,
    /// The stretch being walked, and how much of it has been.
    stretch: Vec<NodeId>,
    walked: usize,
    /// Its steps up to here are known to be edges still.
    checked: usize,
    /// The stretch after it, when it has been planned.
    ready: Vec<NodeId>,
    planner: Planner,
    /// Whether there is a way has not been asked since something changed.
    unsure: bool,
    /// There was none when it was last asked. Asking takes so little time that it is done in every tick then.
    hopeless: bool,
}

/// Plans one stretch after another, a little at a time.
#[derive(Clone, Debug)]
struct Planner {
    search: BestFirst,
    marks: Marks,
    stage: Stage,
    /// Where the stretch begins.
    from: NodeId,
    /// The level that is searched, or whose path is being traced or marked.
    level: usize,
    /// The path of that level, cut, once it is traced; while it is being traced, from its end.
    path: Vec<NodeId>,
    /// How much of it has been marked.
    marked: usize,
    /// The path of the level ends at the goal, or the node above it.
    whole: bool,
    /// The search of the level may end anywhere in a region.
    exit: Option<Exit>,
    /// The size of the level when its search began.
    size: usize,
    /// The paths of all levels that were searched, by level, and the highest of these.
    kept: Vec<Vec<NodeId>>,
    top: usize,
    /// The least of its path that was ever left, and the steps planned since.
    least: usize,
    since: u64,
    /// How often a highest path was made for this task.
    tops: u64,
    /// The plan under way is not to be cut.
    uncut: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Nothing is being planned.
    Idle,
    /// Climbing to the level where planning begins.
    Begin,
    /// A level is searched.
    Search,
    /// The path found is followed back.
    Trace,
    /// Its corridor is marked.
    Mark,
}

/// What planning for a while has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Progress {
    /// The slice is spent.
    Working,
    /// The path of the ground is there.
    Done,
    /// The map has changed too much: nothing was found.
    Failed,
}

impl Pra {
    /// An agent at `start`, to go to `goal`.
    ///
    /// # Errors
    /// When the start or goal cannot be stood on, or the space has no hierarchy.
    pub fn new(
        space: &impl Space,
        config: PraConfig,
        start: NodeId,
        goal: NodeId,
    ) -> Result<Pra, AgentError> {
        let config = PraConfig { k: config.k.map(|k| k.max(1)), ..config };
        let search = SearchConfig { open: config.open, blocking: true, ..SearchConfig::default() };
        let planner = Planner {
            search: BestFirst::new(search),
            marks: Marks::default(),
            stage: Stage::Idle,
            from: start,
            level: 0,
            path: Vec::new(),
            marked: 0,
            whole: false,
            exit: None,
            size: 0,
            kept: Vec::new(),
            top: 0,
            least: usize::MAX,
            since: 0,
            tops: 0,
            uncut: false,
        };
        let mut agent = Pra {
            config,
            at: start,
            goal,
            stretch: Vec::new(),
            walked: 0,
            checked: 0,
            ready: Vec::new(),
            planner,
            unsure: true,
            hopeless: false,
        };
        agent.take(space, start, goal)?;
        Ok(agent)
    }

    fn take(&mut self, space: &impl Space, start: NodeId, goal: NodeId) -> Result<(), AgentError> {
        EndpointError::check(space, start, goal)?;
        check_hierarchy(space)?;
        (self.at, self.goal) = (start, goal);
        self.planner.forget();
        self.drop_plan();
        Ok(())
    }

    /// Begins anew from where the agent stands. The highest path is kept.
    fn drop_plan(&mut self) {
        self.stretch.clear();
        self.ready.clear();
        (self.walked, self.checked) = (0, 0);
        self.planner.stage = Stage::Idle;
        self.unsure = true;
    }

    /// Checks the steps ahead after something was blocked, as far as the slice goes. Answers whether they
    /// all are still there.
    fn check(&mut self, space: &impl Space, slice: &mut Slice<'_>) -> bool {
        self.checked = self.checked.max(self.walked);
        while let Some(&[from, to]) = self.stretch.get(self.checked..self.checked + 2) {
            if !slice.trace(to) {
                break;
            }
            if space.edge(from, to).is_none() {
                return false;
            }
            self.checked += 1;
        }
        true
    }

    /// Plans the stretch after the one being walked, if that does not lead to the goal.
    fn think(&mut self, space: &impl Space, hierarchy: &Hierarchy, slice: &mut Slice<'_>) -> bool {
        let end = self.stretch.last().copied().unwrap_or(self.at);
        if !self.ready.is_empty() || end == self.goal {
            return true;
        }
        if self.planner.stage == Stage::Idle {
            self.planner.begin(end);
        }
        match self.planner.run(&self.config, space, hierarchy, self.goal, slice) {
            Progress::Working => true,
            Progress::Failed => false,
            Progress::Done => {
                std::mem::swap(&mut self.ready, &mut self.planner.path);
                slice.note(Event::Refined);
                if self.ready.last() == Some(&self.goal) {
                    slice.note(Event::Found);
                }
                true
            }
        }
    }

    fn restart(&mut self, slice: &mut Slice<'_>) -> Step {
        slice.note(Event::Restart);
        self.drop_plan();
        Step::Wait
    }
}

/// Does something with the level that is searched, as a space: the highest as it is, the others cut down to
/// the corridor. The four are of different types, so this is no function.
macro_rules! on_level {
    ($planner:ident, $space:ident, $hierarchy:ident, |$level:ident| $act:expr) => {{
        let (level, over, marks, exit) = ($planner.level, 1, &$planner.marks, $planner.exit);
        let hierarchy = $hierarchy;
        let above = hierarchy.level(level);
        match (level == $planner.top, level == 0) {
            (true, true) => {
                let $level = $space;
                $act
            }
            (true, false) => {
                let $level = &above;
                $act
            }
            (false, true) => {
                let $level = &Corridor { inner: $space, hierarchy, level, over, marks, exit };
                $act
            }
            (false, false) => {
                let $level = &Corridor { inner: &above, hierarchy, level, over, marks, exit };
                $act
            }
        }
    }};
}

impl Planner {
    /// Forgets all plans.
    fn forget(&mut self) {
        self.drop_paths();
        self.tops = 0;
        self.uncut = false;
    }

    fn drop_paths(&mut self) {
        self.kept.iter_mut().for_each(Vec::clear);
    }

    /// Begins a stretch.
    fn begin(&mut self, from: NodeId) {
        (self.stage, self.from) = (Stage::Begin, from);
    }

    fn run(
        &mut self,
        config: &PraConfig,
        space: &impl Space,
        hierarchy: &Hierarchy,
        goal: NodeId,
        slice: &mut Slice<'_>,
    ) -> Progress {
        loop {
            let progress = match self.stage {
                Stage::Idle => return Progress::Failed,
                Stage::Begin => self.choose(config, space, hierarchy, goal, slice),
                Stage::Search => self.search(space, hierarchy, slice),
                Stage::Trace => self.trace(config, slice),
                Stage::Mark => self.mark(config, space, hierarchy, goal, slice),
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

    /// Stage 1: takes up the kept path, or climbs to where a new one begins.
    fn choose(
        &mut self,
        config: &PraConfig,
        space: &impl Space,
        hierarchy: &Hierarchy,
        goal: NodeId,
        slice: &mut Slice<'_>,
    ) -> Option<Progress> {
        // Climbing is a look-up a level.
        if !slice.trace(self.from) {
            return Some(Progress::Working);
        }
        if self.resume(config, hierarchy, goal) {
            return None;
        }
        self.drop_paths();
        let level = start_level(hierarchy, config.start, self.from, goal);
        let (from, to) = (hierarchy.ancestor(self.from, level), hierarchy.ancestor(goal, level));
        let (Some(from), Some(to)) = (from, to) else { return Some(Progress::Failed) };
        self.tops += 1;
        (self.least, self.since) = (usize::MAX, 0);
        self.uncut = self.tops > 2 * hierarchy.height() as u64 + 8;
        (self.level, self.top, self.exit) = (level, level, None);
        self.start(space, hierarchy, from, to);
        None
    }

    /// Goes on with a path that was kept, the lowest that still leads far enough.
    fn resume(&mut self, config: &PraConfig, hierarchy: &Hierarchy, goal: NodeId) -> bool {
        if !config.keep {
            return false;
        }
        let k = config.k.map_or(usize::MAX, |k| k as usize);
        // A stretch does not lead further on any level than so many steps.
        let reach = k.saturating_mul(2).saturating_add(2);
        self.since = self.since.saturating_add(k as u64);
        let left = self.shorten(hierarchy, goal, self.top, reach).map_or(0, |(left, _)| left);
        if left < self.least {
            (self.least, self.since) = (left, 0);
        }
        // Crossing one node of this level takes about so many steps.
        self.uncut |= self.since > 64 + (16 << self.top.min(32));
        let lowest = if self.uncut { self.top } else { 1 };
        for level in lowest..=self.top {
            let Some((left, whole)) = self.shorten(hierarchy, goal, level, reach) else { continue };
            // A path that was cut is not followed to its end, where it does not know how to go on.
            if left >= if whole { 1 } else { (k / 2).max(1) } {
                self.path.clear();
                self.path.extend_from_slice(&self.kept[level]);
                (self.level, self.whole) = (level, whole);
                self.cut(config);
                self.stage = Stage::Mark;
                return true;
            }
        }
        false
    }

    /// Drops what lies behind from the path of a level, of which so much is looked at. Answers how many steps
    /// are left and whether they lead to the goal, if it leads on from here.
    fn shorten(
        &mut self,
        hierarchy: &Hierarchy,
        goal: NodeId,
        level: usize,
        reach: usize,
    ) -> Option<(usize, bool)> {
        let path = self.kept.get_mut(level)?;
        let here = hierarchy.ancestor(self.from, level)?;
        let near = &path[..path.len().min(reach)];
        if let Some(at) = near.iter().position(|&node| node == here) {
            path.drain(..at);
        } else {
            // The corridor is wider than the path.
            let at = near.iter().rposition(|&node| hierarchy.linked(level, node, here))?;
            path.splice(..at, [here]);
        }
        let whole = path.last().copied() == hierarchy.ancestor(goal, level);
        Some((path.len() - 1, whole))
    }

    /// Begins the search of a level.
    fn start(&mut self, space: &impl Space, hierarchy: &Hierarchy, from: NodeId, to: NodeId) {
        self.stage = Stage::Search;
        self.size = size(space, hierarchy, self.level);
        on_level!(self, space, hierarchy, |level| self.search.start(level, from, to));
    }

    /// Stage 2: the search of a level.
    fn search(
        &mut self,
        space: &impl Space,
        hierarchy: &Hierarchy,
        slice: &mut Slice<'_>,
    ) -> Option<Progress> {
        // The level has grown meanwhile: there may be nodes that the search has no room for.
        if size(space, hierarchy, self.level) != self.size {
            return Some(Progress::Failed);
        }
        slice.on_level(self.level);
        let status = on_level!(self, space, hierarchy, |level| self.search.run(level, slice));
        slice.on_level(0);
        match status {
            Status::Working => Some(Progress::Working),
            Status::Exhausted => Some(Progress::Failed),
            Status::Reached => {
                self.path.clear();
                self.path.push(self.search.goal());
                self.stage = Stage::Trace;
                None
            }
        }
    }

    /// Stage 3: follows the path found back to its beginning.
    fn trace(&mut self, config: &PraConfig, slice: &mut Slice<'_>) -> Option<Progress> {
        while let Some(parent) = self.path.last().and_then(|&node| self.search.parent(node)) {
            if !slice.trace(parent) {
                return Some(Progress::Working);
            }
            self.path.push(parent);
        }
        self.path.reverse();
        self.whole = self.exit.is_none();
        if self.exit.is_some() {
            self.path.pop(); // the gate
        }
        if self.level > 0 {
            if self.kept.len() <= self.level {
                self.kept.resize_with(self.level + 1, Vec::new);
            }
            self.kept[self.level].clear();
            self.kept[self.level].extend_from_slice(&self.path);
        }
        self.cut(config);
        if self.level == 0 {
            return Some(Progress::Done);
        }
        self.stage = Stage::Mark;
        None
    }

    /// Cuts the path after so many steps.
    fn cut(&mut self, config: &PraConfig) {
        let most = config.k.filter(|_| !self.uncut).map_or(usize::MAX, |k| k as usize + 1);
        if self.path.len() > most {
            self.path.truncate(most);
            self.whole = false;
        }
        self.marked = 0;
    }

    /// Stage 4: marks the corridor of the path, and begins the search of the level below.
    fn mark(
        &mut self,
        config: &PraConfig,
        space: &impl Space,
        hierarchy: &Hierarchy,
        goal: NodeId,
        slice: &mut Slice<'_>,
    ) -> Option<Progress> {
        if self.marked == 0 {
            self.marks.reset(hierarchy.level(self.level).size());
        }
        while let Some(&node) = self.path.get(self.marked) {
            if !slice.trace(node) {
                return Some(Progress::Working);
            }
            self.marked += 1;
            self.marks.add(node);
            if config.wide {
                hierarchy.links(self.level, node).for_each(|(near, _)| self.marks.add(near));
            }
        }
        let Some(&tail) = self.path.last() else { return Some(Progress::Failed) };
        self.level -= 1;
        let level = self.level;
        let (from, aim) = (hierarchy.ancestor(self.from, level), hierarchy.ancestor(goal, level));
        let (Some(from), Some(aim)) = (from, aim) else { return Some(Progress::Failed) };
        let gate = NodeId(size(space, hierarchy, level) as u32);
        self.exit = (!self.whole).then(|| {
            let children = hierarchy.children(level + 1, tail);
            let estimates = children.map(|child| estimate(space, hierarchy, level, child, aim));
            Exit { region: tail, aim, floor: estimates.min().unwrap_or_default(), gate }
        });
        let to = self.exit.map_or(aim, |exit| exit.gate);
        self.start(space, hierarchy, from, to);
        None
    }

    /// Heap memory in bytes.
    fn bytes(&self) -> usize {
        let nodes = self.path.capacity() + self.kept.iter().map(Vec::capacity).sum::<usize>();
        self.search.bytes() + self.marks.bytes() + nodes * size_of::<NodeId>()
    }
}

/// The ids of a level are below this.
fn size(space: &impl Space, hierarchy: &Hierarchy, level: usize) -> usize {
    if level == 0 { space.size() } else { hierarchy.level(level).size() }
}

fn estimate(
    space: &impl Space,
    hierarchy: &Hierarchy,
    level: usize,
    from: NodeId,
    to: NodeId,
) -> Cost {
    if level == 0 { space.estimate(from, to) } else { hierarchy.level(level).estimate(from, to) }
}

/// The level to begin on.
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
            // The levels from the ground up to where they meet, less those that are too high.
            let mut levels = meeting + 1;
            while levels > 2 && (levels > meeting.div_ceil(2) || few(levels)) {
                levels -= 1;
            }
            levels - 1
        }
    }
}

/// The lowest level on which two nodes are below one, or two that are joined.
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

impl<S: Space> Agent<S> for Pra {
    fn tick(&mut self, space: &S, at: NodeId, seen: Seen<'_>, slice: &mut Slice<'_>) -> Step {
        if at != self.position() && Agent::<S>::place(self, space, at).is_err() {
            return Step::Wait;
        }
        if !seen.changed.is_empty() {
            self.unsure = true;
            self.checked = self.walked;
        }
        if self.at == self.goal {
            return Step::Arrived;
        }
        let Some(hierarchy) = space.hierarchy() else { return Step::Unreachable };
        slice.share(slice.budget(), most_traces(slice.budget()));
        if self.unsure || self.hopeless {
            (self.unsure, self.hopeless) = (false, !has_way(space, self.at, self.goal));
        }
        if self.hopeless {
            self.drop_plan();
            return Step::Unreachable;
        }
        if !self.check(space, slice) || !self.think(space, hierarchy, slice) {
            return self.restart(slice);
        }
        if self.walked + 1 >= self.stretch.len() && !self.ready.is_empty() {
            std::mem::swap(&mut self.stretch, &mut self.ready);
            self.ready.clear();
            self.walked = 0;
            self.checked = self.stretch.len();
        }
        match self.stretch.get(self.walked + 1) {
            Some(&to) if space.edge(self.at, to).is_some() => {
                self.walked += 1;
                self.at = to;
                Step::Move(to)
            }
            Some(_) => self.restart(slice),
            None => Step::Wait,
        }
    }

    fn assign(&mut self, space: &S, start: NodeId, goal: NodeId) -> Result<(), AgentError> {
        self.take(space, start, goal)
    }

    fn place(&mut self, space: &S, at: NodeId) -> Result<(), AgentError> {
        EndpointError::check(space, at, self.goal)?;
        self.at = at;
        self.planner.forget();
        self.drop_plan();
        Ok(())
    }
}

impl AgentState for Pra {
    fn position(&self) -> NodeId {
        self.at
    }

    fn target(&self) -> Option<NodeId> {
        self.stretch.last().copied()
    }

    /// The stretch that was planned last.
    fn plan(&self) -> Option<Vec<NodeId>> {
        let last = if self.ready.is_empty() { &self.stretch } else { &self.ready };
        (!last.is_empty()).then(|| last.clone())
    }

    fn limits(&self, budget: u64) -> Limits {
        Limits { expansions: budget, traces: most_traces(budget), updates: 0 }
    }

    fn bytes(&self) -> usize {
        let nodes = self.stretch.capacity() + self.ready.capacity();
        size_of::<Pra>() + self.planner.bytes() + nodes * size_of::<NodeId>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Cell, Grid, Layered, Work};

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
        /// Below the level where planning begins, nothing is expanded outside the corridor of the path above,
        /// and no stretch is longer than `k`.
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
                    // One unit of work a tick, so that the marks before or after it are those of the search.
                    let before = agent.planner.clone();
                    let mut expanded = Vec::new();
                    let mut units = 0;
                    let mut watch = |work| {
                        units += 1;
                        if units > 1 {
                            return false;
                        }
                        match work {
                            Work::Expand(node) => expanded.push((0, node)),
                            Work::ExpandAbove { level, node } => expanded.push((level, node)),
                            _ => {}
                        }
                        true
                    };
                    let step = agent.tick(&grid, agent.position(), Seen::default(), &mut Slice::watched(1, &mut watch));
                    for (level, node) in expanded {
                        let inside = |planner: &Planner| {
                            let parent = hierarchy.parent(level, node);
                            planner.top == level
                                || planner.from == node
                                || parent.is_some_and(|parent| planner.marks.has(parent))
                        };
                        prop_assert!(inside(&before) || inside(&agent.planner));
                    }
                    let most = config.k.filter(|_| !agent.planner.uncut);
                    let longest = agent.stretch.len().max(agent.ready.len());
                    prop_assert!(most.is_none_or(|k| longest <= k as usize + 1));
                    match step {
                        Step::Move(to) => {
                            prop_assert!(grid.edge(at, to).is_some());
                            at = to;
                        }
                        Step::Wait => {}
                        Step::Arrived => break,
                        Step::Unreachable => prop_assert!(false, "there is a way"),
                    }
                }
                prop_assert_eq!(at, goal);
            }
        }
    }

    #[test]
    fn that_there_is_no_way_needs_no_search() {
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
        // A door opens, and shuts while it is on its way.
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

    /// The level to begin on, by hand, on a map whose levels halve in width.
    #[test]
    fn planning_begins_where_it_is_told_to() {
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
        // Level 2 has 256 nodes, four times the root of 4096.
        assert_eq!(level(StartLevel::Bounded, corner, far), 1);
        assert_eq!(level(StartLevel::Bounded, corner, node(1, 1)), 1);
        assert_eq!(level(StartLevel::Fixed(3), corner, far), 3);
        assert_eq!(level(StartLevel::Fixed(3), corner, node(3, 3)), 1);
    }

    /// One map, many threads: nothing is written.
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
