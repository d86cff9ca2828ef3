//! What a stage shows: a map, and contestants or a crowd on it, with all that was done to them.

use serde_json::{Value, json};
use tickstar::catalog::Config;
use tickstar::search::SearchConfig;
use tickstar::space::Corners;
use tickstar::{Cell, Cost, Grid, NodeId, find_path};

use super::crowd::CrowdPlayer;
use super::limits;
use super::message::{Change, MapSpec, Payload, Refusal, Replay, Request, SceneSpec, configured};
use super::player::Player;
use super::{NUMBERS, WORK};
use crate::generate::{Kind, generate, random_problems};
use crate::text::{hint, quoted};
use crate::{Arena, Problem, WorldKind, builtin};

/// A map with contestants, at some tick.
#[derive(Debug)]
pub(super) struct Scene {
    spec: SceneSpec,
    name: String,
    world: WorldKind,
    configs: Vec<Config>,
    /// The map as it was opened, before anything was drawn.
    opened: Grid,
    /// The map at tick 0,
    base: Grid,
    /// and as it is now, but for what a world changes by itself.
    map: Grid,
    start: Cell,
    goal: Cell,
    budget: u64,
    /// What was done, in order; at tick 0 the map, the goal and the budget are changed instead.
    log: Vec<Act>,
    /// The cells of all edits in the log.
    edited: usize,
    tick: u64,
    /// Nobody yet, if anything was changed at tick 0.
    cast: Option<Cast>,
    /// Ticks that a crowd gets at least, as an edit may have opened a way.
    unsettled: u64,
}

/// Something that was done to a scene.
#[derive(Clone, Debug)]
enum Act {
    Ticks(u64),
    Edit(Vec<u32>, bool),
    Goal(Cell),
    Budget(u64),
}

/// Who acts.
#[derive(Debug)]
enum Cast {
    Players { arena: Box<Arena>, players: Vec<Player> },
    Crowd(Box<CrowdPlayer>),
}

/// Frames that a crowd gets after an edit, even if nobody is on the way.
const SETTLING: u64 = 60;

impl Scene {
    /// Opens a map.
    pub fn open(spec: SceneSpec) -> Result<Scene, Refusal> {
        let corners = if spec.corners { Corners::Allowed } else { Corners::Never };
        let (name, opened) = map(&spec.map)?;
        let opened = opened.with_corners(corners);
        Scene::on(spec, name, opened)
    }

    /// Opens a scene on a map that is there already.
    fn on(spec: SceneSpec, name: String, opened: Grid) -> Result<Scene, Refusal> {
        let mut base = opened.clone();
        for (cells, free) in spec.edits.iter().zip([false, true]) {
            for &cell in cells {
                set(&mut base, cell, free)?;
            }
        }
        let world = world(&spec.world)?;
        let budget = spec.budget.unwrap_or(if spec.crowd.is_some() { 60_000 } else { 100 });
        check_budget(&spec, budget)?;
        let mut configs = Vec::new();
        let mut spec = spec;
        if let Some(crowd) = &spec.crowd {
            CrowdPlayer::check(crowd, &world)?;
            spec.contestants.clear();
        } else {
            if spec.contestants.is_empty() {
                spec.contestants.push("tba".into());
            }
            let most = limits::CONTESTANTS;
            if spec.contestants.len() > most {
                let message = format!("at most {most} contestants can be shown side by side");
                return Err(Refusal::about("contestants", message));
            }
            for text in &spec.contestants {
                configs.push(configured("contestants", text)?);
            }
            check_subgoals(&configs, &base)?;
        }
        let (start, goal) = ends(&spec, &base)?;
        if spec.crowd.is_none() {
            // From now on they are as they are.
            (spec.start, spec.goal) = (Some([start.x, start.y]), Some([goal.x, goal.y]));
        }
        spec.budget = Some(budget);
        let (map, log) = (base.clone(), Vec::new());
        let mut scene = Scene {
            spec,
            name,
            world,
            configs,
            opened,
            base,
            map,
            start,
            goal,
            budget,
            log,
            edited: 0,
            tick: 0,
            cast: None,
            unsettled: 0,
        };
        scene.cast()?;
        Ok(scene)
    }

    /// The same map, with all that was drawn on it, at tick 0.
    pub fn restarted(&self, change: Change) -> Result<Scene, Refusal> {
        let Change { start, goal, contestants, budget, world, seed } = change;
        let mut spec = self.spec.clone();
        spec.edits = differences(&self.opened, &self.map);
        let now = [self.goal.x, self.goal.y];
        spec.goal = goal.or(spec.goal.map(|_| now));
        spec.start = start.or(spec.start);
        spec.budget = Some(budget.unwrap_or(self.budget));
        spec.contestants = contestants.unwrap_or(spec.contestants);
        spec.world = world.unwrap_or(spec.world);
        spec.seed = seed.unwrap_or(spec.seed);
        Scene::on(spec, self.name.clone(), self.opened.clone())
    }

    pub fn tick(&self) -> u64 {
        self.tick
    }

    pub fn bytes(&self) -> usize {
        let cast = match &self.cast {
            Some(Cast::Players { players, arena }) => {
                let agents: usize = players.iter().map(Player::bytes).sum();
                agents + 3 * arena.map().space().bytes()
            }
            Some(Cast::Crowd(crowd)) => crowd.bytes(),
            None => 0,
        };
        3 * self.map.bytes() + 4 * self.edited + 48 * self.log.len() + cast
    }

    fn problem(&self) -> Problem {
        Problem { start: self.start, goal: self.goal, optimal: None }
    }

    /// Puts the contestants to the start, if they are not on their way.
    fn cast(&mut self) -> Result<&mut Cast, Refusal> {
        if self.cast.is_none() {
            self.cast = Some(self.new_cast()?);
        }
        Ok(self.cast.as_mut().expect("bug: it was just made"))
    }

    fn new_cast(&self) -> Result<Cast, Refusal> {
        if let Some(crowd) = &self.spec.crowd {
            let found = CrowdPlayer::new(&self.base, crowd, self.spec.seed, self.budget)?;
            return Ok(Cast::Crowd(Box::new(found)));
        }
        let arena = Arena::new(&self.world, &self.base, self.spec.seed).map_err(Refusal::new)?;
        let mut arena = Box::new(arena);
        for config in &self.configs {
            arena.prepare(config, |_| ()).map_err(Refusal::new)?;
        }
        let problem = self.problem();
        let each = self.configs.iter();
        let each = each.map(|config| Player::new(&arena, config, self.budget, &problem));
        let players = each.collect::<Result<_, _>>()?;
        Ok(Cast::Players { arena, players })
    }

    /// The scene as the reply to `open`.
    pub fn describe(&mut self, payload: &mut Payload) -> Result<Value, Refusal> {
        let (width, height) = (self.map.width(), self.map.height());
        let mut bits = vec![0; (width as usize * height as usize).div_ceil(32)];
        for cell in self.map.free_cells() {
            let number = cell.y * width + cell.x;
            bits[number as usize / 32] |= 1 << (number % 32);
        }
        let map = payload.list(bits);
        let terrain = self.terrain().map(|classes| payload.list(classes));
        let optimal = self.optimal()?;
        let is_unknown = self.world == WorldKind::Unknown;
        self.cast()?;
        let (mut hidden, mut contestants, mut crowd) = (Vec::new(), Vec::new(), Value::Null);
        match self.cast.as_ref() {
            Some(Cast::Players { players, .. }) => {
                if !is_unknown {
                    hidden = players.first().map(Player::hidden).unwrap_or_default();
                }
                for ((player, text), config) in
                    players.iter().zip(&self.spec.contestants).zip(&self.configs)
                {
                    let entry = config.entry();
                    contestants.push(json!({
                        "name": text, "title": entry.title, "paper": entry.paper, "bytes": player.agent_bytes(),
                    }));
                }
            }
            Some(Cast::Crowd(found)) => crowd = found.describe(payload),
            None => {}
        }
        Ok(json!({
            "kind": "scene", "tick": self.tick, "name": self.name, "width": width, "height": height,
            "map": map, "hidden": payload.list(hidden), "fog": is_unknown, "terrain": terrain,
            "world": self.spec.world, "seed": self.spec.seed, "corners": self.spec.corners,
            "budget": self.budget, "start": [self.start.x, self.start.y],
            "goal": [self.goal.x, self.goal.y], "optimal": optimal, "contestants": contestants, "crowd": crowd,
        }))
    }

    /// The class of each cell, four to a number, if the map has terrain.
    fn terrain(&self) -> Option<Vec<u32>> {
        self.map.terrain()?;
        let (width, height) = (self.map.width() as usize, self.map.height() as usize);
        let mut classes = vec![0; (width * height).div_ceil(4)];
        for (number, y, x) in
            (0..height).flat_map(|y| (0..width).map(move |x| (y * width + x, y, x)))
        {
            let class = self.map.class(Cell::new(x as u32, y as u32)).unwrap_or(0);
            classes[number / 4] |= u32::from(class) << (8 * (number % 4));
        }
        Some(classes)
    }

    /// The length of a shortest path from the start to the goal on the true map, but for what a world changes by itself.
    fn optimal(&mut self) -> Result<Option<f64>, Refusal> {
        if self.spec.crowd.is_some() {
            return Ok(None);
        }
        let (start, goal) = (self.map.node(self.start), self.map.node(self.goal));
        let Some((start, goal)) = start.zip(goal) else { return Ok(None) };
        let has_hidden_walls = matches!(self.world, WorldKind::Partial(_));
        let path = match self.cast()? {
            Cast::Players { players, .. } if has_hidden_walls => {
                players.first().and_then(|player| player.shortest(start, goal))
            }
            _ => find_path(&self.map, start, goal, SearchConfig::default()).ok().flatten(),
        };
        Ok(path.map(|path| Cost::in_cells(path.cost)))
    }

    /// Blocks or frees cells.
    pub fn edit(
        &mut self,
        cells: &[u32],
        free: bool,
        payload: &mut Payload,
    ) -> Result<Value, Refusal> {
        let most = limits::EDIT;
        if cells.len() > most {
            return Err(Refusal::about("cells", format!("at most {most} cells at once")));
        }
        self.check_history(cells.len())?;
        let changed = self.changed(cells, free)?;
        let stopped = self.apply_edit(&changed, free)?;
        let stopped: Vec<Value> = stopped
            .into_iter()
            .map(|(nth, reason)| json!({ "contestant": nth, "reason": reason }))
            .collect();
        Ok(json!({
            "kind": "edited", "tick": self.tick, "cells": payload.list(changed), "free": free,
            "optimal": self.optimal()?, "stopped": stopped,
        }))
    }

    /// The cells that such an edit changes.
    fn changed(&self, cells: &[u32], free: bool) -> Result<Vec<u32>, Refusal> {
        let mut changed = Vec::new();
        let is_crowd = self.spec.crowd.is_some();
        for &number in cells {
            let cell = cell(&self.map, number)?;
            let is_end = cell == self.goal || self.tick == 0 && cell == self.start;
            let is_kept = !free && is_end && !is_crowd;
            let is_taken = match &self.cast {
                Some(Cast::Crowd(crowd)) => !free && crowd.needs(cell),
                _ => false,
            };
            if self.map.is_free(cell) != free && !is_kept && !is_taken {
                changed.push(number);
            }
        }
        changed.sort_unstable();
        changed.dedup();
        Ok(changed)
    }

    /// Makes an edit. Returns the contestants that had to stop, with the reasons.
    fn apply_edit(
        &mut self,
        changed: &[u32],
        free: bool,
    ) -> Result<Vec<(usize, &'static str)>, Refusal> {
        if changed.is_empty() {
            return Ok(Vec::new());
        }
        for &number in changed {
            set(&mut self.map, number, free)?;
        }
        if self.tick == 0 && self.spec.crowd.is_none() {
            for &number in changed {
                set(&mut self.base, number, free)?;
            }
            self.cast = None;
            return Ok(Vec::new());
        }
        let cells: Vec<Cell> =
            changed.iter().map(|&number| cell(&self.map, number)).collect::<Result<_, _>>()?;
        let nodes: Vec<NodeId> = cells.iter().filter_map(|&cell| self.map.node(cell)).collect();
        let mut stopped = Vec::new();
        match self.cast()? {
            Cast::Players { players, .. } => {
                for (nth, player) in players.iter_mut().enumerate() {
                    stopped.extend(player.edit(&nodes, free).map(|reason| (nth, reason)));
                }
            }
            Cast::Crowd(crowd) => crowd.edit(&cells, free),
        }
        self.edited += changed.len();
        self.unsettled = SETTLING;
        self.log.push(Act::Edit(changed.to_vec(), free));
        Ok(stopped)
    }

    /// Moves the goal.
    pub fn aim(&mut self, goal: [u32; 2]) -> Result<Value, Refusal> {
        self.check_history(0)?;
        if self.spec.crowd.is_some() {
            return Err(Refusal::about("goal", "the agents of a crowd have goals of their own"));
        }
        let goal = Cell::new(goal[0], goal[1]);
        self.apply_goal(goal)?;
        let (at, optimal) = ([goal.x, goal.y], self.optimal()?);
        Ok(json!({ "kind": "goal", "tick": self.tick, "goal": at, "optimal": optimal }))
    }

    fn apply_goal(&mut self, goal: Cell) -> Result<(), Refusal> {
        check_end("goal", &self.map, goal)?;
        if self.tick == 0 {
            let before = std::mem::replace(&mut self.goal, goal);
            let old = self.cast.take();
            if let Err(refusal) = self.cast() {
                (self.goal, self.cast) = (before, old);
                return Err(refusal);
            }
            self.spec.goal = Some([goal.x, goal.y]);
            return Ok(());
        }
        let node = self.map.node(goal).ok_or_else(|| Refusal::about("goal", "outside the map"))?;
        if let Cast::Players { players, .. } = self.cast()? {
            if players.iter().any(|player| !player.can_aim(node)) {
                let message = format!("the cell {goal} is blocked at the moment");
                return Err(Refusal::about("goal", message));
            }
            for player in players {
                player.retarget(node)?;
            }
        }
        self.goal = goal;
        self.log.push(Act::Goal(goal));
        Ok(())
    }

    /// Changes the budget of the ticks to come.
    pub fn set_budget(&mut self, budget: u64) -> Result<Value, Refusal> {
        self.check_history(0)?;
        check_budget(&self.spec, budget)?;
        self.apply_budget(budget)?;
        Ok(json!({ "kind": "budget", "budget": budget }))
    }

    fn apply_budget(&mut self, budget: u64) -> Result<(), Refusal> {
        self.budget = budget;
        if self.tick == 0 {
            self.spec.budget = Some(budget);
            self.cast = None;
            return Ok(());
        }
        match self.cast()? {
            Cast::Players { players, .. } => {
                for player in players {
                    player.set_budget(budget);
                }
            }
            Cast::Crowd(crowd) => crowd.set_budget(budget),
        }
        // Of several changes without a tick in between, the last one counts.
        if let Some(Act::Budget(last)) = self.log.last_mut() {
            *last = budget;
        } else {
            self.log.push(Act::Budget(budget));
        }
        Ok(())
    }

    /// Runs so many ticks, or fewer, if they are much work.
    pub fn tick_at_most(&mut self, count: u64, payload: &mut Payload) -> Result<Value, Refusal> {
        let mut frames = Vec::new();
        let mut work = 0;
        let begin = payload.0.len();
        self.cast()?;
        let mut over = self.is_over();
        while !over
            && (frames.len() as u64) < count
            && work < WORK
            && payload.0.len() - begin < NUMBERS
        {
            let before = self.work();
            frames.push(self.one_tick(payload)?);
            work += self.work() - before;
            over = self.is_over();
        }
        let done = frames.len() as u64;
        match self.log.last_mut() {
            Some(Act::Ticks(ticks)) => *ticks += done,
            _ if done > 0 => self.log.push(Act::Ticks(done)),
            _ => {}
        }
        Ok(json!({ "kind": "ticks", "frames": frames, "over": over }))
    }

    fn one_tick(&mut self, payload: &mut Payload) -> Result<Value, Refusal> {
        self.tick += 1;
        self.unsettled = self.unsettled.saturating_sub(1);
        let tick = self.tick;
        Ok(match self.cast()? {
            Cast::Players { players, .. } => {
                let agents: Vec<Value> =
                    players.iter_mut().map(|player| player.tick(payload)).collect();
                json!({ "tick": tick, "agents": agents })
            }
            Cast::Crowd(crowd) => json!({ "tick": tick, "crowd": crowd.frame(payload)? }),
        })
    }

    /// Whether further ticks change nothing.
    fn is_over(&self) -> bool {
        match &self.cast {
            Some(Cast::Players { players, .. }) => players.iter().all(Player::is_over),
            Some(Cast::Crowd(crowd)) => crowd.is_over() && self.unsettled == 0,
            None => false,
        }
    }

    fn work(&self) -> u64 {
        match &self.cast {
            Some(Cast::Players { players, .. }) => players.iter().map(Player::work).sum(),
            Some(Cast::Crowd(crowd)) => crowd.work(),
            None => 0,
        }
    }

    /// Goes back to the moment after a tick, by doing again what came before.
    pub fn rewind(&mut self, tick: u64) -> Result<Value, Refusal> {
        if tick > self.tick {
            let message = format!("tick {tick} has not been yet: this is tick {}", self.tick);
            return Err(Refusal::about("tick", message));
        }
        if tick < self.tick {
            let log = std::mem::take(&mut self.log);
            self.map = self.base.clone();
            self.budget = self.spec.budget.unwrap_or(self.budget);
            if let Some([x, y]) = self.spec.goal {
                self.goal = Cell::new(x, y);
            }
            (self.tick, self.edited, self.unsettled, self.cast) = (0, 0, 0, None);
            for act in log {
                match act {
                    Act::Ticks(count) => {
                        let count = count.min(tick - self.tick);
                        self.repeat(count)?;
                        if self.tick == tick {
                            // What was done at this moment stays; the next ticks do not.
                            if count == 0 {
                                break;
                            }
                        }
                    }
                    Act::Edit(cells, free) => _ = self.apply_edit(&cells, free)?,
                    Act::Goal(goal) => self.apply_goal(goal)?,
                    Act::Budget(budget) => self.apply_budget(budget)?,
                }
            }
            self.cast()?;
        }
        Ok(json!({ "kind": "rewound", "tick": tick }))
    }

    /// These ticks once more, without a report of them.
    fn repeat(&mut self, count: u64) -> Result<(), Refusal> {
        let end = self.tick + count;
        while self.tick < end {
            let before = self.tick;
            let left = end - self.tick;
            self.tick_at_most(left, &mut Payload::default())?;
            if self.tick == before {
                return Err(Refusal::new("bug: a session does not repeat itself"));
            }
        }
        Ok(())
    }

    /// The session as requests.
    pub fn replay(&self) -> Replay {
        let mut spec = self.spec.clone();
        spec.edits = differences(&self.opened, &self.base);
        let mut messages = vec![Request::Open(Box::new(spec))];
        messages.extend(self.log.iter().map(|act| match act {
            Act::Ticks(count) => Request::Tick { count: *count },
            Act::Edit(cells, free) => Request::Edit { cells: cells.clone(), free: *free },
            Act::Goal(goal) => Request::Goal([goal.x, goal.y]),
            Act::Budget(budget) => Request::Budget(*budget),
        }));
        Replay { tickstar: env!("CARGO_PKG_VERSION").into(), messages }
    }

    /// The records of all contestants.
    pub fn records(&mut self) -> Result<Vec<Value>, Refusal> {
        // As the command line names it.
        let name = match &self.spec.map {
            MapSpec::Builtin(name) => format!("builtin:{name}"),
            _ => self.name.clone(),
        };
        let (budget, problem) = (self.budget, self.problem());
        match self.cast()? {
            Cast::Players { arena, players } => {
                players.iter().map(|player| player.record(&name, arena, budget, &problem)).collect()
            }
            Cast::Crowd(crowd) => Ok(vec![crowd.record(&name)]),
        }
    }

    fn check_history(&self, cells: usize) -> Result<(), Refusal> {
        let is_full = self.log.len() >= limits::HISTORY || self.edited + cells > limits::EDITED;
        let message = "this session has as much history as can be kept: start again from here";
        if is_full { Err(Refusal::new(message)) } else { Ok(()) }
    }
}

/// The cells that are blocked on the second map alone, and those that are free on it alone.
fn differences(before: &Grid, after: &Grid) -> [Vec<u32>; 2] {
    let of = |from: &Grid, other: &Grid| -> Vec<u32> {
        let gone = from.free_cells().filter(|&cell| !other.is_free(cell));
        gone.map(|cell| cell.y * from.width() + cell.x).collect()
    };
    [of(before, after), of(after, before)]
}

/// A cell by its number.
fn cell(grid: &Grid, number: u32) -> Result<Cell, Refusal> {
    let cell = Cell::new(number % grid.width(), number / grid.width());
    if grid.is_inside(cell) {
        return Ok(cell);
    }
    let (width, height) = (grid.width(), grid.height());
    let cells = u64::from(width) * u64::from(height);
    let message =
        format!("there is no cell {number}: the map is {width} by {height}, {cells} cells");
    Err(Refusal::about("cells", message))
}

fn set(grid: &mut Grid, number: u32, free: bool) -> Result<(), Refusal> {
    let cell = cell(grid, number)?;
    grid.set_free(cell, free).map(|_| ()).map_err(Refusal::new)
}

/// The map that is asked for, and its name.
fn map(spec: &MapSpec) -> Result<(String, Grid), Refusal> {
    let refused = |message: String| Refusal::about("map", message);
    let check = |width: u32, height: u32| {
        let is_large = u64::from(width) * u64::from(height) > limits::CELLS
            || width.max(height) > limits::SIDE;
        let message = format!(
            "the map is {width} by {height}: at most {} cells can be shown, such as 1024 by 1024",
            limits::CELLS
        );
        if is_large { Err(refused(message)) } else { Ok(()) }
    };
    match spec {
        MapSpec::Builtin(name) => {
            let found = builtin::find(name).ok_or_else(|| {
                let names = builtin::all().iter().map(|map| map.name);
                let hint = hint(name, names);
                refused(format!("there is no built-in map `{}`: {hint}", quoted(name)))
            })?;
            let (width, height) = found.size();
            check(width, height)?;
            Ok((name.clone(), found.grid()))
        }
        MapSpec::Generated { kind, side, seed } => {
            let parsed: Kind = kind.parse().map_err(|error| refused(format!("{error}")))?;
            check(*side, *side)?;
            let grid = generate(parsed, *side, *side, *seed);
            let grid = grid.map_err(|error| refused(error.to_string()))?;
            Ok((format!("{kind}-{side}, seed {seed}"), grid))
        }
        MapSpec::File { name, text } => {
            let grid = Grid::from_map(text.as_bytes())
                .map_err(|error| refused(format!("{}: {error}", quoted(name))))?;
            check(grid.width(), grid.height())?;
            Ok((quoted(name), grid))
        }
    }
}

/// The world that is asked for.
fn world(text: &str) -> Result<WorldKind, Refusal> {
    match text.parse() {
        Ok(WorldKind::Script(_)) => {
            Err(Refusal::about("world", "scripts are files: draw on the map instead"))
        }
        Ok(kind) => Ok(kind),
        Err(error) => Err(Refusal::about("world", error)),
    }
}

fn check_budget(spec: &SceneSpec, budget: u64) -> Result<(), Refusal> {
    let most = if spec.crowd.is_some() { limits::FRAME_BUDGET } else { limits::BUDGET };
    let message = format!("a tick has a budget of 1 to {most}, not {budget}");
    if (1..=most).contains(&budget) { Ok(()) } else { Err(Refusal::about("budget", message)) }
}

/// Tables of subgoals take long to make.
fn check_subgoals(configs: &[Config], map: &Grid) -> Result<(), Refusal> {
    let mut levels: Vec<usize> = configs.iter().filter_map(Config::subgoal_level).collect();
    levels.dedup();
    let cells = u64::from(map.width()) * u64::from(map.height());
    let most = limits::SUBGOAL_CELLS;
    if !levels.is_empty() && cells > most {
        let message = format!(
            "D LRTA* makes tables for the whole map before it starts: here on maps of at most {most} cells, this one \
             has {cells}"
        );
        return Err(Refusal::about("contestants", message));
    }
    if levels.len() > 1 {
        let message = "D LRTA* with several levels: there are tables of one level at a time";
        return Err(Refusal::about("contestants", message));
    }
    Ok(())
}

fn check_end(what: &'static str, map: &Grid, cell: Cell) -> Result<(), Refusal> {
    let (width, height) = (map.width(), map.height());
    if !map.is_inside(cell) {
        let message = format!(
            "the {what} {cell} is outside the map, which is {width} wide and {height} high"
        );
        return Err(Refusal::about(what, message));
    }
    if !map.is_free(cell) {
        return Err(Refusal::about(what, format!("the {what} {cell} is blocked")));
    }
    Ok(())
}

/// Start and goal: those given, the map's own ones, or ones chosen by the seed.
fn ends(spec: &SceneSpec, map: &Grid) -> Result<(Cell, Cell), Refusal> {
    let given = |end: Option<[u32; 2]>| end.map(|[x, y]| Cell::new(x, y));
    let (start, goal) = (given(spec.start), given(spec.goal));
    for (what, end) in [("start", start), ("goal", goal)] {
        if let Some(cell) = end {
            check_end(what, map, cell)?;
        }
    }
    if let (Some(start), Some(goal)) = (start, goal) {
        return Ok((start, goal));
    }
    let chosen = match &spec.map {
        MapSpec::Builtin(name) => {
            builtin::find(name).and_then(|found| found.problems(map, 1, spec.seed).first().copied())
        }
        _ => random_problems(map, 1, spec.seed).first().copied(),
    };
    let is_possible = |problem: &Problem| map.is_free(problem.start) && map.is_free(problem.goal);
    let chosen = chosen.filter(is_possible).or_else(|| {
        let mut free = map.free_cells();
        let first = free.next()?;
        Some(Problem { start: first, goal: free.last().unwrap_or(first), optimal: None })
    });
    let nothing = || Refusal::about("map", "the map has no free cell to stand on");
    let chosen = chosen.ok_or_else(nothing)?;
    Ok((start.unwrap_or(chosen.start), goal.unwrap_or(chosen.goal)))
}
