//! The worlds an agent can be placed in: the true map, what the agent knows of it, and how either changes
//! while it walks.
//!
//! Only walls can be unknown or change: the terrain of a map is known from the start in every kind of world.
//!
//! The true map and the known map are separate types, so that an agent cannot be given the truth by
//! mistake. All randomness comes from a seed.

mod drift;
mod kind;
mod script;

use std::sync::Arc;

use thiserror::Error;
use tickstar::agent::d_lrta::Subgoals;
use tickstar::catalog::{Config, Entry};
use tickstar::hierarchy::HierarchyError;
use tickstar::search::Ratio;
use tickstar::space::Neighbors;
use tickstar::{Cell, Cost, Grid, Layered, NodeId, Slice, Space};

use self::drift::{Drift, Ground};
pub use self::kind::{WorldKind, WorldKindError};
use self::script::{Replay, Script};
use crate::files::{FileError, Problem};
use crate::generate::Dice;
use crate::levels::{self, TooManyPairs};
use crate::record::ProblemError;
use crate::text::quoted;

/// A map prepared for one kind of world, to be walked any number of times.
///
/// Expensive preparation is done once, so that creating the world of a problem takes no longer than copying
/// the map's bits.
///
/// ```
/// use tickstar::{Cell, Grid};
/// use tickstar_lab::Arena;
/// let map = Grid::from_rows(["....", ".##.", "...."])?;
/// let (start, goal) = (map.node(Cell::new(0, 0)).unwrap(), map.node(Cell::new(3, 2)).unwrap());
/// let arena = Arena::new(&"unknown".parse()?, &map, 7)?;
/// let mut world = arena.world(start, goal);
/// assert_eq!(world.hidden(), [Cell::new(2, 1)]);
/// world.moved(map.node(Cell::new(1, 0)).unwrap());
/// assert_eq!(world.changed(), [map.node(Cell::new(2, 1)).unwrap()]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Arena {
    kind: WorldKind,
    map: Layered<Grid>,
    seed: u64,
    prepared: Prepared,
}

/// An algorithm is not defined in a world.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "`{algorithm}` cannot be run in the world {}, where blocked cells become free: {reason}",
    quoted(world)
)]
pub struct Undefined {
    algorithm: &'static str,
    world: String,
    reason: &'static str,
}

/// The data prepared for each kind of world.
#[derive(Debug)]
enum Prepared {
    Known,
    /// The map as known before anything has been seen.
    Unknown(Layered<Grid>),
    Partial(Clutter),
    Dynamic(Arc<Ground>),
    Script(Arc<Script>),
}

impl Arena {
    /// Prepares a map for a kind of world.
    ///
    /// # Errors
    /// When the script cannot be read or does not fit this map.
    pub fn new(kind: &WorldKind, map: &Grid, seed: u64) -> Result<Arena, FileError> {
        let prepared = match kind {
            WorldKind::Known => Prepared::Known,
            WorldKind::Unknown => Prepared::Unknown(Layered::flat(blank(map))),
            WorldKind::Partial(percent) => Prepared::Partial(Clutter::new(map, *percent, seed)),
            WorldKind::Dynamic(rate) => Prepared::Dynamic(Arc::new(Ground::new(map, *rate))),
            WorldKind::Script(path) => Prepared::Script(Arc::new(Script::read(path, map)?)),
        };
        let map = Layered::flat(map.clone());
        Ok(Arena { kind: kind.clone(), map, seed, prepared })
    }

    /// The kind of world.
    pub fn kind(&self) -> &WorldKind {
        &self.kind
    }

    /// The map itself, with nothing hidden or changed.
    pub fn map(&self) -> &Layered<Grid> {
        &self.map
    }

    /// The seed of all randomness.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Whether the true map can change while an agent walks.
    pub fn changes(&self) -> bool {
        matches!(self.prepared, Prepared::Dynamic(_) | Prepared::Script(_))
    }

    /// Whether a blocked cell can become free while an agent walks.
    pub fn opens(&self) -> bool {
        match &self.prepared {
            Prepared::Known | Prepared::Unknown(_) | Prepared::Partial(_) => false,
            Prepared::Dynamic(ground) => ground.moves(),
            Prepared::Script(script) => script.frees(),
        }
    }

    /// Builds what an algorithm needs besides the map, unless it exists already: the hierarchy it plans on,
    /// and for D LRTA* in a known world its tables of subgoals, in parallel. `tick` is called after each step
    /// of the latter, with the total number of steps.
    ///
    /// # Errors
    /// When no hierarchy can be built for the map, or the tables would be too large.
    pub fn prepare(
        &mut self,
        config: &Config,
        tick: impl Fn(usize) + Sync,
    ) -> Result<(), PrepareError> {
        self.prepare_hierarchy(config)?;
        self.prepare_subgoals(config, tick)?;
        Ok(())
    }

    /// The first part of [`prepare`](Arena::prepare): the hierarchy.
    ///
    /// # Errors
    /// When no hierarchy can be built for the map.
    pub fn prepare_hierarchy(&mut self, config: &Config) -> Result<(), HierarchyError> {
        if config.entry().facts.needs_hierarchy && self.map.hierarchy().is_none() {
            self.map.build()?;
            if let Prepared::Unknown(blank) = &mut self.prepared {
                blank.build()?;
            }
        }
        if config.entry().facts.needs_regions && self.map.regions().is_none() {
            self.map.build_regions();
            if let Prepared::Unknown(blank) = &mut self.prepared {
                blank.build_regions();
            }
        }
        Ok(())
    }

    /// The second part of [`prepare`](Arena::prepare): the tables of subgoals.
    ///
    /// # Errors
    /// When the tables would be too large.
    pub fn prepare_subgoals(
        &mut self,
        config: &Config,
        tick: impl Fn(usize) + Sync,
    ) -> Result<(), TooManyPairs> {
        // In other worlds the first change would invalidate them.
        let wanted = config.subgoal_level().filter(|_| matches!(self.prepared, Prepared::Known));
        let has = self.subgoals().map(Subgoals::level);
        if let Some(level) = wanted.filter(|&level| has != Some(level))
            && let Some(tables) = levels::subgoals(&self.map, level, tick)?
        {
            self.map.set_subgoals(tables);
        }
        Ok(())
    }

    /// The tables of subgoals, if any.
    pub fn subgoals(&self) -> Option<&Subgoals> {
        self.map.subgoals()
    }

    /// Sets tables of subgoals that were built earlier for this map and its hierarchy.
    pub fn set_subgoals(&mut self, tables: Subgoals) {
        self.map.set_subgoals(tables);
    }

    /// Releases the memory of the hierarchy and of the regions.
    pub fn release(&mut self) {
        self.map.flatten();
        self.map.drop_regions();
        if let Prepared::Unknown(blank) = &mut self.prepared {
            blank.flatten();
            blank.drop_regions();
        }
    }

    /// Checks that an algorithm is defined in this world.
    ///
    /// # Errors
    /// When it is not, with the reason.
    pub fn admit(&self, algorithm: &Entry) -> Result<(), Undefined> {
        match algorithm.facts.no_openings {
            Some(reason) if self.opens() => {
                Err(Undefined { algorithm: algorithm.name, world: self.kind.to_string(), reason })
            }
            _ => Ok(()),
        }
    }

    /// Both ends of a problem as nodes.
    ///
    /// # Errors
    /// When one is blocked or outside the map.
    pub fn ends(&self, problem: &Problem) -> Result<(NodeId, NodeId), ProblemError> {
        let map = &self.map;
        let node = |end, cell| {
            let (width, height) = (map.width(), map.height());
            let outside = ProblemError::Outside { end, cell, width, height };
            let node = map.node(cell).ok_or(outside)?;
            if !map.is_free(cell) {
                return Err(ProblemError::Blocked { end, cell });
            }
            Ok(node)
        };
        Ok((node("start", problem.start)?, node("goal", problem.goal)?))
    }

    /// Checks that this goal is allowed: a script must never block the goal.
    ///
    /// # Errors
    /// When it does, with the file, the line and the goal.
    pub fn check(&self, goal: Cell) -> Result<(), FileError> {
        match &self.prepared {
            Prepared::Script(script) => script.check(&self.map, goal),
            _ => Ok(()),
        }
    }

    /// The world for one problem, independent of any other problems. The agent has already observed the
    /// cells around the start.
    pub fn world(&self, start: NodeId, goal: NodeId) -> World {
        let (truth, dynamics) = match &self.prepared {
            Prepared::Known => (self.map.clone(), Dynamics::Known),
            Prepared::Unknown(blank) => {
                let mut unseen = Layered::flat(blank.space().clone().without_regions());
                set(&mut unseen, goal, false);
                let sight = Sight { known: blank.clone(), unseen: Some(unseen) };
                (self.map.clone(), Dynamics::Sight(Box::new(sight)))
            }
            Prepared::Partial(clutter) => {
                let sight = Sight { known: self.map.clone(), unseen: None };
                (clutter.truth(&self.map, [start, goal]), Dynamics::Sight(Box::new(sight)))
            }
            Prepared::Dynamic(ground) => {
                let (from, to) = (self.map.cell(start), self.map.cell(goal));
                let dice = Dice::keyed(self.seed, [DRIFT, from.x, from.y, to.x, to.y, 0]);
                let drift = Drift::new(ground.clone(), goal, dice);
                (self.map.clone(), Dynamics::Drift(Box::new(drift)))
            }
            Prepared::Script(script) => {
                (self.map.clone(), Dynamics::Replay(Replay::new(script.clone())))
            }
        };
        let (truth, changes) = (Truth(truth), Changes::default());
        let (edited, held) = (false, false);
        let mut world = World { truth, position: start, changes, dynamics, edited, held };
        world.look();
        world.reported();
        world
    }
}

/// The most cells of worn regions that are regrouped per interval, where the map has a hierarchy.
const CARE: u64 = 250;

/// Why the data an algorithm needs besides the map cannot be built.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum PrepareError {
    /// No hierarchy can be built for the map.
    #[error(transparent)]
    Hierarchy(#[from] HierarchyError),
    /// The tables would be too large.
    #[error(transparent)]
    TooManyPairs(#[from] TooManyPairs),
}

/// Keys of the streams of random numbers, so that no two are the same.
const CLUTTER: u32 = 1;
const DRIFT: u32 = 2;

/// The map with every cell free. Terrain is known, whatever else is not: it is what an agent sees from afar, and
/// under a wall it is of class 0 in a map that was read from a file.
fn blank(map: &Grid) -> Grid {
    let mut blank = map.clone();
    for wall in nodes(map).filter(|&node| !map.contains(node)) {
        blank.set_free(map.cell(wall), true).expect("a cell of the map");
    }
    blank
}

/// Every node of a map, row by row.
fn nodes(map: &Grid) -> impl Iterator<Item = NodeId> {
    let cells = (0..map.height()).flat_map(move |y| (0..map.width()).map(move |x| Cell::new(x, y)));
    cells.map(|cell| map.node(cell).expect("a cell of the map"))
}

/// Frees or blocks a node; returns whether its state changed. A node outside the map never changes.
fn set(grid: &mut Layered<Grid>, node: NodeId, free: bool) -> bool {
    grid.set_free(grid.cell(node), free).unwrap_or(false)
}

/// Cells that are blocked although the map shows them as free.
#[derive(Debug)]
struct Clutter {
    /// The map with the first cells of the order blocked, for every problem.
    truth: Layered<Grid>,
    /// The next two of the order: they replace a start and a goal.
    spare: Vec<NodeId>,
}

impl Clutter {
    fn new(map: &Grid, percent: Ratio, seed: u64) -> Clutter {
        let free: Vec<NodeId> = nodes(map).filter(|&node| map.contains(node)).collect();
        let count = (percent.times(free.len() as u64) / 100) as usize;
        let mut order = Dice::keyed(seed, [CLUTTER, 0, 0, 0, 0, 0]).choose(free, count + 2);
        let spare = order.split_off(count.min(order.len()));
        let mut truth = Layered::flat(map.clone());
        for node in order {
            set(&mut truth, node, false);
        }
        Clutter { truth, spare }
    }

    /// The true map for a problem with these ends.
    fn truth(&self, map: &Grid, ends: [NodeId; 2]) -> Layered<Grid> {
        let mut truth = self.truth.clone();
        let mut spare = self.spare.iter().filter(|node| !ends.contains(node));
        for end in ends {
            let was_taken = map.contains(end) && set(&mut truth, end, true);
            if was_taken && let Some(&other) = spare.next() {
                set(&mut truth, other, false);
            }
        }
        truth
    }
}

/// The true map. It is not a [`Space`], so no agent can search it: an agent is ticked with
/// what it knows,
///
/// ```
/// # use tickstar::{Agent, Grid, NodeId, Seen, Slice, TimeBounded, TimeBoundedConfig};
/// # let map = Grid::new(4, 4)?;
/// # let arena = tickstar_lab::Arena::new(&"unknown".parse()?, &map, 7)?;
/// let world = arena.world(NodeId(0), NodeId(5));
/// let config = TimeBoundedConfig::default();
/// let mut agent = TimeBounded::new(world.known(), config, NodeId(0), NodeId(5))?;
/// agent.tick(world.known(), NodeId(0), Seen::default(), &mut Slice::new(10));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// and with the truth it does not compile:
///
/// ```compile_fail,E0277
/// # use tickstar::{Agent, Grid, NodeId, Seen, Slice, TimeBounded, TimeBoundedConfig};
/// # let map = Grid::new(4, 4)?;
/// # let arena = tickstar_lab::Arena::new(&"unknown".parse()?, &map, 7)?;
/// let world = arena.world(NodeId(0), NodeId(5));
/// let config = TimeBoundedConfig::default();
/// let mut agent = TimeBounded::new(world.known(), config, NodeId(0), NodeId(5))?;
/// agent.tick(world.truth(), NodeId(0), Seen::default(), &mut Slice::new(10));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Truth(Layered<Grid>);

impl Truth {
    /// Whether the cell is on the map and truly free.
    pub fn is_free(&self, cell: Cell) -> bool {
        self.0.is_free(cell)
    }

    /// The cost of a step from one node to another, if it can truly be taken.
    pub fn edge(&self, from: NodeId, to: NodeId) -> Option<Cost> {
        self.0.edge(from, to)
    }

    /// The cost of a walk over these nodes, if it can truly be taken.
    pub fn cost(&self, walk: &[NodeId]) -> Option<Cost> {
        walk.windows(2).map(|step| self.edge(step[0], step[1])).sum()
    }

    /// A copy of the true map, to be drawn.
    pub fn picture(&self) -> Grid {
        self.0.space().clone()
    }

    /// The true map, for code that evaluates a walk.
    pub(crate) fn grid(&self) -> &Layered<Grid> {
        &self.0
    }
}

/// One world: the true map, and what the agent knows of it.
///
/// An interval is [`begin`](World::begin), the agent's tick with [`known`](World::known) and
/// [`changed`](World::changed), [`reported`](World::reported), and [`moved`](World::moved) if it took a step.
#[derive(Debug)]
pub struct World {
    truth: Truth,
    /// Where the agent stands.
    position: NodeId,
    changes: Changes,
    dynamics: Dynamics,
    /// Whether somebody has edited the map.
    edited: bool,
    /// Whether an edit is to block the agent's cell once it has left it.
    held: bool,
}

/// How the true map and the known map change. The agent knows the true map except with [`Sight`].
#[derive(Debug)]
enum Dynamics {
    Known,
    Sight(Box<Sight>),
    Drift(Box<Drift>),
    Replay(Replay),
}

impl World {
    /// What the agent knows: the map it searches.
    pub fn known(&self) -> &Layered<Grid> {
        match &self.dynamics {
            Dynamics::Sight(sight) => &sight.known,
            _ => self.truth.grid(),
        }
    }

    /// The true map.
    pub fn truth(&self) -> &Truth {
        &self.truth
    }

    /// Begins an interval, numbered from one: the changes that a script schedules for it are made. Call it once
    /// before each tick.
    pub fn begin(&mut self, interval: u64) {
        let known = match &mut self.dynamics {
            Dynamics::Sight(sight) => &mut sight.known,
            _ => &mut self.truth.0,
        };
        known.tend(&mut Slice::new(CARE));
        if let Dynamics::Replay(replay) = &mut self.dynamics {
            while let Some(change) = replay.next(interval, self.position) {
                self.changes.set(&mut self.truth.0, change.node, change.free);
            }
            self.changes.settle();
        }
    }

    /// The nodes whose state in [`known`](World::known) has changed since the last call of
    /// [`reported`](World::reported): each once, ordered by id.
    pub fn changed(&self) -> &[NodeId] {
        &self.changes.0
    }

    /// Records that the changes have been reported to the agent.
    pub fn reported(&mut self) {
        self.changes.0.clear();
    }

    /// Records that the agent has moved to this node: it observes its surroundings, and the world may change.
    pub fn moved(&mut self, to: NodeId) {
        let from = std::mem::replace(&mut self.position, to);
        if from == to {
            return;
        }
        if std::mem::take(&mut self.held) {
            self.set(&[from], false);
        }
        match &mut self.dynamics {
            Dynamics::Known => {}
            Dynamics::Sight(_) => self.look(),
            Dynamics::Drift(drift) => drift.moved(&mut self.truth.0, &mut self.changes, to),
            Dynamics::Replay(replay) => {
                if replay.leave() {
                    self.changes.set(&mut self.truth.0, from, false);
                }
            }
        }
        self.changes.settle();
    }

    /// Frees or blocks cells of the true map, as somebody would who draws on it. The agent learns of it as it does of
    /// all changes in its world: at once, or by sight. A cell on which it stands is blocked once it has left it.
    pub fn edit(&mut self, nodes: &[NodeId], free: bool) {
        self.edited = true;
        let here = self.position;
        if nodes.contains(&here) {
            self.held = !free;
        }
        let others: Vec<NodeId> =
            nodes.iter().copied().filter(|&node| free || node != here).collect();
        self.set(&others, free);
        self.look();
        self.changes.settle();
    }

    /// Moves the goal to a cell that is truly free: the agent knows that it is.
    pub fn aim(&mut self, goal: NodeId) {
        match &mut self.dynamics {
            Dynamics::Known | Dynamics::Replay(_) => {}
            Dynamics::Sight(sight) => {
                self.changes.set(&mut sight.known, goal, true);
                if let Some(unseen) = &mut sight.unseen {
                    set(unseen, goal, false);
                }
            }
            Dynamics::Drift(drift) => drift.aim(goal),
        }
        self.changes.settle();
    }

    fn set(&mut self, nodes: &[NodeId], free: bool) {
        let truth = &mut self.truth.0;
        match &mut self.dynamics {
            Dynamics::Drift(drift) => {
                drift.edit(truth, &mut self.changes, self.position, (nodes, free));
            }
            Dynamics::Sight(_) => {
                for &node in nodes {
                    set(truth, node, free);
                }
            }
            Dynamics::Known | Dynamics::Replay(_) => {
                for &node in nodes {
                    self.changes.set(truth, node, free);
                }
            }
        }
    }

    /// Whether more changes will come even if the agent does not move: a script has lines left. A postponed
    /// block does not count, since it waits for the agent.
    pub fn expects_more(&self) -> bool {
        matches!(&self.dynamics, Dynamics::Replay(replay) if replay.has_more())
    }

    /// Whether the true map can change at all.
    pub fn changes(&self) -> bool {
        self.edited || matches!(self.dynamics, Dynamics::Drift(_) | Dynamics::Replay(_))
    }

    /// The cells whose state the agent does not know, row by row: in an unknown world those it has not seen,
    /// except its goal, which it knows to be free; in a partial one, where the map is wrong about some cells
    /// only, the hidden blocked cells it has not seen.
    pub fn fog(&self) -> Vec<Cell> {
        if let Dynamics::Sight(sight) = &self.dynamics
            && let Some(unseen) = &sight.unseen
        {
            return unseen.free_cells().collect();
        }
        self.hidden()
    }

    /// The blocked cells that the agent assumes to be free, row by row.
    pub fn hidden(&self) -> Vec<Cell> {
        match &self.dynamics {
            Dynamics::Sight(sight) => {
                sight.known.free_cells().filter(|&cell| !self.truth.is_free(cell)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn look(&mut self) {
        if let Dynamics::Sight(sight) = &mut self.dynamics {
            sight.look(&self.truth.0, self.position, &mut self.changes);
        }
    }
}

/// Changes of the known map that have not been reported.
#[derive(Default, Debug)]
struct Changes(Vec<NodeId>);

impl Changes {
    /// Frees or blocks a node, and records it if its state changed.
    fn set(&mut self, grid: &mut Layered<Grid>, node: NodeId, free: bool) {
        if set(grid, node, free) {
            self.0.push(node);
        }
    }

    /// Sorts and deduplicates the records. There is one for each time a node changed, so a node recorded an
    /// even number of times is back in its former state, and is dropped.
    fn settle(&mut self) {
        self.0.sort_unstable();
        let times = self.0.chunk_by(|a, b| a == b);
        self.0 = times.filter(|same| same.len() % 2 == 1).map(|same| same[0]).collect();
    }
}

/// The knowledge of an agent that must see the map for itself.
#[derive(Debug)]
struct Sight {
    known: Layered<Grid>,
    /// The cells not yet seen, as free cells, where the agent starts without a map.
    unseen: Option<Layered<Grid>>,
}

impl Sight {
    /// Observes a cell and those around it.
    fn look(&mut self, truth: &Grid, from: NodeId, changes: &mut Changes) {
        let Cell { x, y } = truth.cell(from);
        let is_near = |cell: Cell| match truth.neighbors() {
            Neighbors::Four => cell.x == x || cell.y == y,
            Neighbors::Eight => true,
        };
        for row in y.saturating_sub(1)..=y + 1 {
            for column in x.saturating_sub(1)..=x + 1 {
                let cell = Cell::new(column, row);
                let Some(node) = truth.node(cell).filter(|_| is_near(cell)) else { continue };
                changes.set(&mut self.known, node, truth.is_free(cell));
                if let Some(unseen) = &mut self.unseen {
                    set(unseen, node, false);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use tickstar::space::Corners;

    use super::*;
    use crate::generate::{Kind, generate};

    pub(super) fn node(grid: &Grid, x: u32, y: u32) -> NodeId {
        grid.node(Cell::new(x, y)).unwrap()
    }

    fn arena(kind: &str, map: &Grid, seed: u64) -> Arena {
        Arena::new(&kind.parse().unwrap(), map, seed).unwrap()
    }

    fn map() -> Grid {
        generate(Kind::Random, 40, 30, 3).unwrap()
    }

    /// The cells in which two maps of the same size differ.
    pub(super) fn differences(a: &Grid, b: &Grid) -> Vec<NodeId> {
        let mut nodes: Vec<_> =
            nodes(a).filter(|&node| a.contains(node) != b.contains(node)).collect();
        nodes.sort_unstable();
        nodes
    }

    /// The world of a script with this text, on a map of 6 by 4 free cells.
    fn scripted(name: &str, text: &str) -> World {
        let path = std::env::temp_dir().join(format!("tickstar-{name}-{}", std::process::id()));
        fs::write(&path, text).unwrap();
        let map = Grid::new(6, 4).unwrap();
        let arena = Arena::new(&WorldKind::Script(path.clone()), &map, 1).unwrap();
        fs::remove_file(&path).unwrap();
        arena.world(node(&map, 0, 0), node(&map, 5, 3))
    }

    /// Takes a random walk over true edges, and calls `each` after every move.
    fn wander(world: &mut World, moves: usize, mut each: impl FnMut(&mut World, NodeId)) {
        let mut dice = Dice::keyed(1, [9; 6]);
        for _ in 0..moves {
            let mut ways = Vec::new();
            world.truth.0.for_each_edge(world.position, |to, _| ways.push(to));
            let to = if ways.is_empty() { world.position } else { ways[dice.below(ways.len())] };
            world.moved(to);
            each(world, to);
        }
    }

    #[test]
    fn a_known_world_reports_no_changes() {
        let map = map();
        let arena = arena("known", &map, 1);
        assert_eq!(arena.kind(), &WorldKind::Known);
        assert_eq!(differences(arena.map(), &map), []);
        let start = map.free_cells().next().unwrap();
        let mut world = arena.world(map.node(start).unwrap(), NodeId(9));
        wander(&mut world, 50, |world, _| {
            world.begin(1);
            assert_eq!(world.changed(), []);
            assert_eq!(differences(world.known(), &map), []);
            assert_eq!(differences(world.truth().grid(), &map), []);
            assert!(world.fog().is_empty() && world.hidden().is_empty());
            assert!(!world.changes() && !world.expects_more());
        });
    }

    #[test]
    fn an_unknown_world_is_seen_step_by_step() {
        let map = Grid::from_rows([".....", ".##..", ".#...", "....."]).unwrap();
        let arena = arena("unknown", &map, 1);
        let mut world = arena.world(node(&map, 0, 0), node(&map, 4, 3));
        assert_eq!(world.changed(), [], "what is seen at the start is known, and not reported");
        assert_eq!(differences(world.known(), &Grid::new(5, 4).unwrap()), [node(&map, 1, 1)]);
        assert_eq!(world.hidden(), [Cell::new(2, 1), Cell::new(1, 2)]);
        assert_eq!(world.fog().len(), 20 - 4 - 1, "all but four cells around and the goal");
        assert!(!world.fog().contains(&Cell::new(4, 3)), "a goal is known to be free");

        world.moved(node(&map, 1, 0));
        assert_eq!(world.changed(), [node(&map, 2, 1)], "of two new cells, only one is blocked");
        assert_eq!(world.hidden(), [Cell::new(1, 2)]);
        assert_eq!(world.fog().len(), 13);
        world.reported();
        assert_eq!(world.changed(), []);

        world.moved(node(&map, 0, 0));
        assert_eq!(world.changed(), [], "everything here has been seen");
        world.moved(node(&map, 0, 1));
        assert_eq!(world.changed(), [node(&map, 1, 2)]);
        assert_eq!(world.hidden(), []);
        assert_eq!(differences(world.known(), &map), []);
        assert_eq!(world.fog().len(), 11);
        assert!(!world.changes() && !world.expects_more());
    }

    #[test]
    fn with_four_neighbors_an_agent_does_not_see_across_corners() {
        let map = Grid::from_rows(["##.", "#..", "..."]).unwrap().with_neighbors(Neighbors::Four);
        let world = arena("unknown", &map, 1).world(node(&map, 1, 1), node(&map, 2, 2));
        assert_eq!(world.known().neighbors(), Neighbors::Four);
        assert_eq!(world.hidden(), [Cell::new(0, 0)]);
        assert_eq!(world.fog(), [Cell::new(0, 0), Cell::new(2, 0), Cell::new(0, 2)]);
        let corners = map.with_neighbors(Neighbors::Eight).with_corners(Corners::Allowed);
        let world = arena("unknown", &corners, 1).world(node(&corners, 1, 1), NodeId(0));
        assert_eq!(world.known().corners(), Corners::Allowed);
        assert_eq!((world.hidden(), world.fog()), (vec![], vec![]));
    }

    /// In worlds that are discovered by sight, every known edge from the agent's position is a true edge, no
    /// truly free cell is known as blocked, and the fog never grows.
    #[test]
    fn an_agent_knows_all_it_could_bump_into() {
        let map = map();
        let ends: Vec<_> = map.free_cells().map(|cell| map.node(cell).unwrap()).collect();
        for kind in ["unknown", "partial:20"] {
            let mut world = arena(kind, &map, 5).world(ends[100], ends[400]);
            let mut fog: BTreeSet<Cell> = world.fog().into_iter().collect();
            let (mut known, mut count) = (world.known().clone(), 0);
            wander(&mut world, 500, |world, at| {
                world.known().for_each_edge(at, |to, cost| {
                    assert_eq!(world.truth().edge(at, to), Some(cost), "{kind}");
                });
                for cell in map.free_cells().filter(|&cell| world.truth().is_free(cell)) {
                    assert!(world.known().is_free(cell), "{kind}");
                }
                assert_eq!(world.changed(), differences(&known, world.known()), "{kind}");
                count += world.changed().len();
                known = world.known().clone();
                world.reported();
                let less: BTreeSet<Cell> = world.fog().into_iter().collect();
                assert!(less.is_subset(&fog), "{kind}");
                fog = less;
            });
            assert!(count > 10, "{kind}: {count}");
        }
    }

    #[test]
    fn a_partial_world_hides_exactly_its_share() {
        let map = map();
        let free: Vec<_> = map.free_cells().map(|cell| map.node(cell).unwrap()).collect();
        for (percent, count) in [
            ("0", 0),
            ("0.1", free.len() / 1000),
            ("15", free.len() * 15 / 100),
            ("100", free.len() - 2),
        ] {
            let arena = arena(&format!("partial:{percent}"), &map, 5);
            for ends in free.windows(2).step_by(7) {
                let world = arena.world(ends[0], ends[1]);
                let blocked = differences(&map, world.truth().grid());
                assert_eq!(blocked.len(), count, "{percent} % of {}", free.len());
                assert!(ends.iter().all(|&end| world.truth().grid().contains(end)));
                assert!(blocked.iter().all(|&node| map.contains(node)), "never opens a wall");
                assert_eq!(world.fog(), world.hidden());
                let seen = differences(&map, world.known());
                assert_eq!(world.hidden().len() + seen.len(), count, "hidden, or seen at once");
                assert_eq!(world.changed(), []);
            }
        }
        let strip = Grid::new(3, 1).unwrap();
        let world = arena("partial:100", &strip, 1).world(node(&strip, 0, 0), node(&strip, 0, 0));
        assert_eq!(differences(&strip, world.truth().grid()).len(), 2, "only one end to spare");
    }

    #[test]
    fn the_hidden_cells_of_a_partial_world_depend_on_map_and_seed_alone() {
        let map = map();
        let free: Vec<_> = map.free_cells().map(|cell| map.node(cell).unwrap()).collect();
        let hidden = |kind: &str, seed, start: usize, goal: usize| {
            let world = arena(kind, &map, seed).world(free[start], free[goal]);
            differences(&map, world.truth().grid()).into_iter().collect::<BTreeSet<_>>()
        };
        assert_eq!(hidden("partial", 5, 1, 2), hidden("partial", 5, 1, 2));
        assert_ne!(hidden("partial", 5, 1, 2), hidden("partial", 6, 1, 2));
        assert!(hidden("partial:15", 5, 1, 2).is_superset(&hidden("partial:10", 5, 1, 2)));
        // One order for all problems: two of them differ at most by the ends of either.
        let first = hidden("partial", 5, 1, 2);
        for other in 3..free.len() {
            let second = hidden("partial", 5, other, 0);
            let ends = [free[1], free[2], free[other], free[0]];
            assert!(first.difference(&second).count() <= 2);
            let order = Dice::keyed(5, [CLUTTER, 0, 0, 0, 0, 0]).choose(free.clone(), free.len());
            let expected = order.into_iter().filter(|node| !ends[2..].contains(node));
            assert_eq!(second, expected.take(first.len()).collect(), "the first of the order");
        }
    }

    #[test]
    fn a_dynamic_world_changes_at_every_tenth_move() {
        let map = generate(Kind::Random, 200, 200, 3).unwrap();
        let free = map.free_cells().count();
        let (shut, opened) = (free * 5 / 100, (40_000 - free) * 5 / 100);
        let ends: Vec<_> = map.free_cells().map(|cell| map.node(cell).unwrap()).collect();
        let mut world = arena("dynamic:10", &map, 1).world(ends[1000], ends[9]);
        assert!(world.changes() && !world.expects_more());
        let (mut known, mut moves) = (Layered::flat(map.clone()), 0);
        wander(&mut world, 100, |world, _| {
            moves += 1;
            world.begin(moves);
            assert_eq!(world.changed(), differences(&known, world.known()));
            assert_eq!(world.changed().is_empty(), moves % 10 != 0, "at move {moves}");
            assert_eq!(differences(world.known(), world.truth().grid()), []);
            assert!(world.hidden().is_empty() && world.fog().is_empty());
            if moves % 10 == 0 {
                let changed = differences(&map, world.known());
                let blocked = changed.iter().filter(|&&node| map.contains(node)).count();
                assert_eq!((blocked, changed.len() - blocked), (shut, opened), "at move {moves}");
            }
            known = world.known().clone();
            world.reported();
        });
    }

    #[test]
    fn a_move_to_the_same_cell_does_not_count() {
        let map = Grid::new(20, 20).unwrap();
        let mut world = arena("dynamic:50", &map, 5).world(node(&map, 5, 5), node(&map, 0, 0));
        for _ in 0..50 {
            world.moved(node(&map, 5, 5));
        }
        assert_eq!(world.changed(), []);
    }

    /// With every second cell drawn, the agent and the goal are hit repeatedly, and the agent often stands
    /// in a former wall.
    #[test]
    fn neither_the_agents_cell_nor_the_goal_is_ever_blocked() {
        let map = generate(Kind::Random, 16, 16, 3).unwrap();
        let free: Vec<_> = map.free_cells().map(|cell| map.node(cell).unwrap()).collect();
        let (shut, opened) = (free.len() / 2, (256 - free.len()) / 2);
        let goal = free[90];
        let mut world = arena("dynamic:100", &map, 5).world(free[50], goal);
        let mut known = Layered::flat(map.clone());
        let (mut moves, mut in_wall, mut spared) = (0, 0, 0);
        let mut hit = BTreeSet::new();
        wander(&mut world, 5000, |world, at| {
            moves += 1;
            assert!(world.known().contains(at) && world.known().contains(goal));
            assert_eq!(world.changed(), differences(&known, world.known()));
            known = world.known().clone();
            if moves % 10 == 0 {
                // Only these two can be spared by a draw, and the agent can hold one wall open.
                let changed = differences(&map, world.known());
                let (blocked, open): (Vec<_>, Vec<_>) =
                    changed.iter().copied().partition(|&node| map.contains(node));
                assert!((shut - 2..=shut).contains(&blocked.len()), "{}", blocked.len());
                assert!((opened..=opened + 1).contains(&open.len()), "{}", open.len());
                spared += shut - blocked.len();
                in_wall += open.len() - opened;
                hit.extend(changed);
            }
            world.reported();
        });
        assert!(spared > 100 && in_wall > 5, "{spared} {in_wall}");
        assert_eq!(hit.len(), 255, "every cell except the goal");
    }

    /// The draws are part of every published result in these worlds.
    #[test]
    fn the_cells_that_are_drawn_do_not_change() {
        let map = Grid::new(10, 10).unwrap();
        let (start, goal) = (node(&map, 1, 2), node(&map, 8, 9));
        let changed = |mut world: World| {
            for i in 0..10 {
                world.moved(node(&map, 1 + i % 2, 3));
            }
            let cell = |node| (map.cell(node).x, map.cell(node).y);
            differences(&map, world.truth().grid()).into_iter().map(cell).collect::<Vec<_>>()
        };
        let why = "every result in such a world changes with this";
        let partial = changed(arena("partial:4", &map, 7).world(start, goal));
        assert_eq!(partial, [(2, 0), (6, 0), (1, 6), (6, 8)], "{why}");
        let dynamic = changed(arena("dynamic:8", &map, 7).world(start, goal));
        assert_eq!(dynamic, [(2, 0), (3, 6), (4, 6), (5, 8)], "{why}");
    }

    #[test]
    fn a_dynamic_world_depends_on_seed_and_problem_alone() {
        let map = Grid::new(30, 30).unwrap();
        let after = |seed, start: (u32, u32), goal: (u32, u32)| {
            let (start, goal) = (node(&map, start.0, start.1), node(&map, goal.0, goal.1));
            let arena = arena("dynamic:20", &map, seed);
            arena.world(goal, start).moved(node(&map, 9, 9));
            let mut world = arena.world(start, goal);
            for i in 1..=20 {
                world.moved(node(&map, 10 + i % 2, 10));
            }
            differences(&map, world.known())
        };
        let one = after(5, (1, 2), (3, 4));
        assert_eq!(one, after(5, (1, 2), (3, 4)));
        let others = [after(6, (1, 2), (3, 4)), after(5, (2, 1), (3, 4)), after(5, (1, 2), (4, 3))];
        assert!(others.iter().all(|other| *other != one));
    }

    #[test]
    fn scripted_changes_are_made_and_reported_at_their_interval() {
        let mut world = scripted("timing", "2 1 1 blocked\n2 2 2 blocked\n4 1 1 free\nend\n");
        let at = |x, y| node(&Grid::new(6, 4).unwrap(), x, y);
        assert!(world.changes() && world.expects_more());
        world.begin(1);
        assert_eq!(world.changed(), []);
        world.reported();
        world.begin(2);
        assert_eq!(world.changed(), [at(1, 1), at(2, 2)]);
        assert!(!world.known().contains(at(1, 1)) && !world.truth().is_free(Cell::new(2, 2)));
        world.reported();
        assert_eq!(world.changed(), [], "reported once");
        world.begin(3);
        world.moved(at(0, 1));
        assert_eq!(world.changed(), []);
        assert!(world.expects_more());
        world.begin(4);
        assert_eq!(world.changed(), [at(1, 1)]);
        assert!(world.known().contains(at(1, 1)) && !world.expects_more());
        assert!(world.hidden().is_empty() && world.fog().is_empty());
    }

    #[test]
    fn a_cell_that_changes_back_is_not_reported() {
        let text = "1 1 1 blocked\n1 1 1 free\n1 2 2 free\n2 3 3 blocked\n3 3 3 free\n\
                    4 3 3 blocked\nend\n";
        let mut world = scripted("back", text);
        let at = |x, y| node(&Grid::new(6, 4).unwrap(), x, y);
        world.begin(1);
        assert_eq!(world.changed(), [], "blocked and freed again");
        world.begin(2);
        world.begin(3);
        assert_eq!(world.changed(), [], "not reported in between");
        world.begin(4);
        assert_eq!(world.changed(), [at(3, 3)]);
    }

    #[test]
    fn an_agent_in_a_doorway_holds_the_door_open() {
        let text = "1 0 0 blocked\n3 1 0 blocked\n4 1 0 free\nend\n";
        let mut world = scripted("door", text);
        let at = |x, y| node(&Grid::new(6, 4).unwrap(), x, y);
        world.begin(1);
        assert_eq!(world.changed(), []);
        assert!(world.known().contains(at(0, 0)), "the start is blocked when the agent leaves it");
        world.begin(2);
        world.moved(at(0, 0));
        assert_eq!(world.changed(), [], "it has not left");
        world.moved(at(1, 0));
        assert_eq!(world.changed(), [at(0, 0)]);
        assert!(!world.known().contains(at(0, 0)));
        world.reported();
        world.begin(3);
        assert!(world.known().contains(at(1, 0)) && world.changed().is_empty());
        world.begin(4);
        assert!(!world.expects_more());
        world.moved(at(2, 0));
        assert!(world.known().contains(at(1, 0)), "freed by a later line");
        assert_eq!(world.changed(), []);
    }

    #[test]
    fn scripts_that_cannot_be_used_are_named() {
        let folder = std::env::temp_dir().join(format!("tickstar-world-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.script");
        let kind = WorldKind::Script(path.clone());
        let map = Grid::new(6, 4).unwrap();
        let new = || Arena::new(&kind, &map, 1).map_err(|error| error.to_string());
        let named = |end: &str| format!("{}: {end}", path.display());
        assert_eq!(new().unwrap_err(), named("there is no such file"));
        fs::write(&path, "1 6 0 free\nend\n").unwrap();
        let outside = "line 1: the cell (6, 0) is outside the map, which is 6 wide and 4 high";
        assert_eq!(new().unwrap_err(), named(outside));
        fs::write(&path, "1 3 2 free\n2 3 2 blocked\nend\n").unwrap();
        let arena = new().unwrap();
        assert!(arena.check(Cell::new(2, 3)).is_ok());
        let blocks = "line 2: this blocks the goal (3, 2), which a script must never do";
        assert_eq!(arena.check(Cell::new(3, 2)).unwrap_err().to_string(), named(blocks));
        fs::remove_dir_all(&folder).unwrap();
    }
}
