//! The game-time simulator: one interval is planning, then at most one move.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use std::fmt;
use std::time::{Duration, Instant};

use tickstar::budget::{Limits, Work};
use tickstar::catalog::{Config, Entry};
use tickstar::{
    Agent, AgentError, AgentState, Cost, Event, Grid, Layered, NodeId, Seen, Slice, Space, Step,
};

use crate::reference::{Moment, Reference};
use crate::{Arena, Outcome, Segment, World};

/// What happened in one interval, as an observer sees it.
#[allow(missing_debug_implementations)] // an agent has none
pub struct Interval<'a> {
    /// Its number, from one.
    pub number: u64,
    /// Where the agent stands after its move.
    pub position: NodeId,
    /// The nodes expanded, in order.
    pub expanded: &'a [NodeId],
    /// The nodes of levels above the map that were expanded, each with its level, in order.
    pub expanded_above: &'a [(usize, NodeId)],
    /// The node the agent is heading for.
    pub target: Option<NodeId>,
    /// What the agent reported, by name.
    pub events: &'a [&'static str],
    /// The map as the agent knew it.
    pub known: &'a Layered<Grid>,
    /// The nodes that changed on that map since the last interval.
    pub changed: &'a [NodeId],
    /// The agent after its tick.
    pub agent: &'a dyn AgentState,
}

/// Called after each interval.
pub type Observer<'o> = Option<&'o mut dyn FnMut(&Interval<'_>)>;

/// A whole run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Journey {
    /// How it ended.
    pub outcome: Outcome,
    /// Every position in order, start first; waiting is not repeated.
    pub path: Vec<NodeId>,
    /// For each move, whether it went back along the branch the agent came by.
    pub back: Vec<bool>,
    /// What was counted on the way.
    pub tally: Tally,
    /// The segments that were planned, in order, if requested.
    pub segments: Option<Vec<Segment>>,
}

/// What is counted in a run. To measure something more, count it here and add a row to
/// [`METRICS`](crate::METRICS).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// The cost walked.
    pub cost: Cost,
    /// Moves made.
    pub moves: u64,
    /// Moves back along the branch the agent came by.
    pub back_moves: u64,
    /// Those made once the search had found the goal: none if the agent stood on the path that was found.
    pub late_back_moves: u64,
    /// Moves that lie on no shortest path from where they begin, on the true map at that moment; none: not
    /// counted.
    pub non_optimal_moves: Option<u64>,
    /// Intervals it took.
    pub intervals: u64,
    /// The first interval with a move.
    pub first_move_interval: Option<u64>,
    /// The interval in which the search found the goal; the last search, if there were several.
    pub found_interval: Option<u64>,
    /// Nodes expanded in total.
    pub expansions: u64,
    /// The most expansions in one interval.
    pub max_expansions_per_interval: u64,
    /// Parent pointers followed in total.
    pub trace_steps: u64,
    /// The most trace steps in one interval.
    pub max_trace_steps_per_interval: u64,
    /// Updates in total: nodes whose values were changed after a search.
    pub updates: u64,
    /// The most updates in one interval.
    pub max_updates_per_interval: u64,
    /// Searches begun again.
    pub restarts: u64,
    /// Intervals in which the heuristic value of the agent's position was raised.
    pub raising_intervals: u64,
    /// The most heap memory the agent had, in bytes, the map not counted.
    pub peak_bytes: usize,
    /// The nanoseconds that its ticks took, if they were measured.
    pub nanos: Option<u64>,
}

/// A walk under way: see [`Sim::begin`].
#[derive(Debug)]
pub struct Walk {
    /// What has been walked so far.
    pub journey: Journey,
    /// Whether the agent has arrived, or reported that there is no path.
    pub is_over: bool,
    limits: Limits,
    moment: Option<Moment>,
    /// What the last tick expanded, if it was observed.
    expanded: Vec<NodeId>,
    above: Vec<(usize, NodeId)>,
    /// Expansions that belong to no segment yet.
    unassigned: u64,
    /// Whether the search has found the goal.
    found: bool,
}

/// What a tick has led to.
struct Done {
    step: Step,
    events: Vec<&'static str>,
    /// Whether the step goes back along the branch the agent came by.
    back: bool,
}

/// How the time of an agent is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Timing {
    /// In work: each interval has a budget of work.
    #[default]
    Counted,
    /// The same, and the time that ticks take is measured too.
    Timed,
    /// By the clock: the budget of an interval is that many microseconds.
    Clocked,
}

/// An agent as the simulator drives it.
pub type SimAgent = Box<dyn Agent<Layered<Grid>> + Send>;

/// An agent in its world, on its way from start to goal.
pub struct Sim {
    world: World,
    agent: SimAgent,
    algorithm: &'static Entry,
    budget: u64,
    start: NodeId,
    goal: NodeId,
    /// Where the agent stands.
    at: NodeId,
    /// The path of the last search that found one.
    plan: Option<Vec<NodeId>>,
    /// Whether journeys have their segments.
    segmented: bool,
    /// Whether moves on no shortest path are counted where the map changes.
    detours: bool,
    /// How time is measured.
    timing: Timing,
    /// Ends a run early once it is set.
    stop: Option<Arc<AtomicBool>>,
}

impl Sim {
    /// An agent at the start, which has observed its surroundings.
    ///
    /// # Errors
    /// When the agent cannot take the task.
    pub fn new(
        arena: &Arena,
        config: &Config,
        budget: u64,
        (start, goal): (NodeId, NodeId),
    ) -> Result<Sim, AgentError> {
        let world = arena.world(start, goal);
        let agent = config.agent(world.known(), start, goal)?;
        let (algorithm, at, plan, segmented) = (config.entry(), start, None, false);
        let (detours, timing, stop) = (true, Timing::Counted, None);
        Ok(Sim {
            world,
            agent,
            algorithm,
            budget,
            start,
            goal,
            at,
            plan,
            segmented,
            detours,
            timing,
            stop,
        })
    }

    /// The same, with time measured in another way. What is measured differs from run to run.
    #[must_use]
    pub fn with_timing(self, timing: Timing) -> Sim {
        Sim { timing, ..self }
    }

    /// The same, with another agent, made from the one it has.
    #[must_use]
    pub fn with_agent(self, make: impl FnOnce(SimAgent) -> SimAgent) -> Sim {
        Sim { agent: make(self.agent), ..self }
    }

    /// The same, where the map changes without counting the moves that lie on no shortest path: judging them takes a
    /// search after every change.
    #[must_use]
    pub fn without_detours(self) -> Sim {
        Sim { detours: false, ..self }
    }

    /// The same, with the segments that are planned recorded, which takes memory for each.
    #[must_use]
    pub fn with_segments(self) -> Sim {
        Sim { segmented: true, ..self }
    }

    /// The same, to be stopped before its next interval once this is set: the journey then ends where it is.
    #[must_use]
    pub fn with_stop(self, stop: Arc<AtomicBool>) -> Sim {
        Sim { stop: Some(stop), ..self }
    }

    /// The world as it is now.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The whole path the agent's last search has found, from where that search began.
    pub fn plan(&self) -> Option<Vec<NodeId>> {
        self.plan.clone().or_else(|| self.agent.plan())
    }

    /// Puts the agent back to the start, with all it knows of the map and has learned.
    ///
    /// # Errors
    /// When it cannot stand there any more.
    pub fn put_back(&mut self) -> Result<(), AgentError> {
        self.agent.restart(self.world.known(), self.start)?;
        (self.at, self.plan) = (self.start, None);
        self.world.moved(self.start);
        Ok(())
    }

    /// Runs the agent until it arrives or gives up, or for at most this many intervals.
    ///
    /// # Panics
    /// When an agent takes a step that is not an edge of the true map, exceeds its budget, or never ends:
    /// these would be bugs of the engine, and no experiment should continue after them.
    pub fn run(&mut self, max_intervals: Option<u64>, mut observe: Observer<'_>) -> Journey {
        let most = max_intervals.unwrap_or(u64::MAX);
        let sound = self.max_sound_intervals();
        let mut walk = self.begin();
        while !walk.is_over {
            let stopped = self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
            if stopped || walk.journey.tally.intervals == most {
                walk.journey.outcome = Outcome::GaveUp;
                break;
            }
            match &mut observe {
                Some(observe) => self.step(&mut walk, Some(&mut **observe)),
                None => self.step(&mut walk, None),
            }
            let intervals = walk.journey.tally.intervals;
            assert!(intervals < sound, "bug: {} never ends", self.algorithm.name);
        }
        walk.journey
    }

    /// A walk that begins where the agent is.
    pub fn begin(&self) -> Walk {
        let budget = if self.timing == Timing::Clocked { u64::MAX } else { self.budget };
        let mut journey = Journey::at(self.at);
        journey.tally.peak_bytes = self.agent.bytes();
        journey.segments = self.segmented.then(Vec::new);
        let judged = self.detours && self.world.changes();
        Walk {
            journey,
            is_over: self.at == self.goal,
            limits: self.agent.limits(budget),
            moment: judged.then(|| Moment::new(self.goal)),
            expanded: Vec::new(),
            above: Vec::new(),
            unassigned: 0,
            found: false,
        }
    }

    /// One interval of a walk: a tick of the agent, and the move that it asks for.
    ///
    /// # Panics
    /// When the agent exceeds its budget, or takes a step that is not an edge of the true map.
    pub fn step(&mut self, walk: &mut Walk, observe: Observer<'_>) {
        walk.journey.tally.intervals += 1;
        self.world.begin(walk.journey.tally.intervals);
        if let Some(moment) = walk.moment.as_mut().filter(|_| !self.world.changed().is_empty()) {
            moment.pass();
        }
        let at = self.at;
        let Done { step, events, back } = self.tick(walk, at, observe.is_some());
        if let Step::Move(to) = step {
            self.at = to;
        }
        if let Some(observe) = observe {
            observe(&Interval {
                number: walk.journey.tally.intervals,
                position: self.at,
                expanded: &walk.expanded,
                expanded_above: &walk.above,
                target: self.agent.target(),
                events: &events,
                known: self.world.known(),
                changed: self.world.changed(),
                agent: &*self.agent,
            });
        }
        self.world.reported();
        match step {
            Step::Move(to) => {
                let truth = self.world.truth();
                let edge = truth.edge(at, to).expect("bug: a step that is not an edge");
                let detour = walk.moment.as_mut().map(|moment| moment.is_detour(truth, at, to));
                walk.journey.step(to, edge, back, detour);
                walk.journey.tally.late_back_moves += u64::from(back && walk.found);
                self.world.moved(to);
            }
            Step::Unreachable if !self.world.expects_more() => {
                walk.journey.outcome = Outcome::Unreachable;
                walk.is_over = true;
            }
            Step::Unreachable | Step::Wait | Step::Arrived => {}
        }
        walk.is_over |= self.at == self.goal;
    }

    /// Frees or blocks cells of the true map while the agent is under way: see [`World::edit`].
    pub fn edit(&mut self, walk: &mut Walk, nodes: &[NodeId], free: bool) {
        self.judge_so_far(walk);
        self.world.edit(nodes, free);
        if let Some(moment) = &mut walk.moment {
            moment.pass();
        }
        if walk.journey.outcome == Outcome::Unreachable {
            walk.journey.outcome = Outcome::Reached;
            walk.is_over = false;
        }
    }

    /// Moves the goal, to a cell that is truly free, while the agent is under way.
    ///
    /// # Errors
    /// When the agent cannot accept it.
    pub fn retarget(&mut self, walk: &mut Walk, goal: NodeId) -> Result<(), AgentError> {
        self.judge_so_far(walk);
        self.world.aim(goal);
        self.agent.retarget(self.world.known(), goal)?;
        self.goal = goal;
        walk.moment = self.detours.then(|| Moment::new(goal));
        walk.journey.outcome = Outcome::Reached;
        walk.is_over = self.at == goal;
        Ok(())
    }

    /// Changes the budget of the intervals that follow.
    pub fn set_budget(&mut self, walk: &mut Walk, budget: u64) {
        self.budget = budget;
        walk.limits = self.agent.limits(budget);
    }

    /// The agent, as far as it can be asked without its map.
    pub fn agent(&self) -> &dyn AgentState {
        &*self.agent
    }

    /// Where the agent stands.
    pub fn position(&self) -> NodeId {
        self.at
    }

    /// Counts the moves on no shortest path so far, before the map or the goal changes.
    fn judge_so_far(&self, walk: &mut Walk) {
        if self.detours && walk.moment.is_none() {
            let mut reference = Reference::new(self.world.truth(), self.goal);
            let count = reference.non_optimal_moves(&walk.journey.path);
            walk.journey.tally.non_optimal_moves = Some(count);
            walk.moment = Some(Moment::new(self.goal));
        }
    }

    /// The agent's tick in an interval, with its work counted.
    fn tick(&mut self, walk: &mut Walk, at: NodeId, is_watched: bool) -> Done {
        let Walk { journey, expanded, above, .. } = walk;
        expanded.clear();
        above.clear();
        let mut note = |work| {
            match work {
                Work::Expand { level: 0, node } => expanded.push(node),
                Work::Expand { level, node } => above.push((level, node)),
                _ => {}
            }
            true
        };
        let begin = (self.timing != Timing::Counted).then(Instant::now);
        let end = begin.map(|begin| begin + Duration::from_micros(self.budget));
        let mut in_time = || end.is_none_or(|end| Instant::now() < end);
        let mut slice = match self.timing {
            Timing::Clocked => Slice::deadline(&mut in_time),
            _ if is_watched => Slice::watched(self.budget, &mut note),
            _ => Slice::new(self.budget),
        };
        let seen = Seen { changed: self.world.changed() };
        let step = self.agent.tick(self.world.known(), at, seen, &mut slice);
        if let Some(begin) = begin {
            let nanos = begin.elapsed().as_nanos() as u64;
            *journey.tally.nanos.get_or_insert(0) += nanos;
        }
        let within = slice.expansions() <= walk.limits.expansions
            && slice.traces() <= walk.limits.traces
            && slice.updates() <= walk.limits.updates;
        assert!(within, "bug: {} exceeds its budget", self.algorithm.name);
        journey.tally.work(&slice);
        journey.tally.peak_bytes = journey.tally.peak_bytes.max(self.agent.bytes());
        if slice.has(Event::Found) || slice.has(Event::Restart) {
            walk.found = slice.has(Event::Found);
            let tally = &mut journey.tally;
            if slice.has(Event::Restart) {
                tally.found_interval = None;
            }
            if walk.found {
                tally.found_interval.get_or_insert(tally.intervals);
            }
            // Once the path is followed, an agent may keep what lies ahead alone.
            self.plan = self.agent.plan().filter(|_| slice.has(Event::Found));
        }
        if let Some(segments) = &mut journey.segments {
            walk.unassigned += slice.expansions();
            if let Some(length) = self.planned(at, &slice) {
                let expansions = std::mem::take(&mut walk.unassigned);
                segments.push(Segment { expansions, length });
            }
        }
        let events = slice.events().map(Event::name).collect();
        Done { step, events, back: slice.has(Event::Backtrack) }
    }

    /// The length of the segment that was planned in a tick that began here, if one was: a part of the path
    /// by agents that refine, and all of it by those that wait for a whole path.
    fn planned(&self, at: NodeId, slice: &Slice<'_>) -> Option<Cost> {
        let refined = slice.has(Event::Refined);
        let whole = !self.algorithm.facts.acts_at_once() && slice.has(Event::Found);
        if !refined && !whole {
            return None;
        }
        let mut plan = self.agent.plan()?;
        // A whole path begins where the agent stood; D* Lite returns what is left of it after its step.
        if !refined && plan.first() != Some(&at) {
            plan.insert(0, at);
        }
        self.world.truth().cost(&plan)
    }

    /// More intervals than any sound agent needs: on a known map it searches once and walks the tree of
    /// that search; where walls are discovered, again for each of them. One that is slow to give up may
    /// need any number.
    fn max_sound_intervals(&self) -> u64 {
        let size = self.world.known().size() as u64;
        let searches = 1 + self.world.hidden().len() as u64;
        let any = self.world.changes() || self.algorithm.facts.slow_to_give_up();
        if any { u64::MAX } else { searches.saturating_mul(1000 + 100 * size) }
    }
}

impl fmt::Debug for Sim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.world.known().cell(self.at);
        f.debug_struct("Sim")
            .field("name", &self.algorithm.name)
            .field("at", &at)
            .finish_non_exhaustive()
    }
}

impl Journey {
    /// One that has not begun.
    fn at(start: NodeId) -> Journey {
        let (outcome, tally) = (Outcome::Reached, Tally::default());
        Journey { outcome, path: vec![start], back: Vec::new(), tally, segments: None }
    }

    /// Adds a move; `detour` says whether it lies on no shortest path, where that must be judged at once.
    fn step(&mut self, to: NodeId, edge: Cost, back: bool, detour: Option<bool>) {
        self.path.push(to);
        self.back.push(back);
        self.tally.step(edge, back, detour);
    }
}

impl Tally {
    /// Adds the work of an interval.
    fn work(&mut self, slice: &Slice<'_>) {
        let (expansions, traces, updates) = (slice.expansions(), slice.traces(), slice.updates());
        self.expansions += expansions;
        self.max_expansions_per_interval = self.max_expansions_per_interval.max(expansions);
        self.trace_steps += traces;
        self.max_trace_steps_per_interval = self.max_trace_steps_per_interval.max(traces);
        self.updates += updates;
        self.max_updates_per_interval = self.max_updates_per_interval.max(updates);
        self.restarts += u64::from(slice.has(Event::Restart));
        self.raising_intervals += u64::from(slice.has(Event::Learned));
    }

    /// Adds a move of the current interval.
    fn step(&mut self, edge: Cost, back: bool, detour: Option<bool>) {
        self.cost = self.cost + edge;
        self.moves += 1;
        self.back_moves += u64::from(back);
        self.first_move_interval.get_or_insert(self.intervals);
        if let Some(detour) = detour {
            *self.non_optimal_moves.get_or_insert(0) += u64::from(detour);
        }
    }
}

#[cfg(test)]
mod tests {
    use tickstar::{Cell, catalog};

    use super::*;

    /// Walks along a row in segments of two cells, and plans the next one while it does.
    struct Segments {
        row: Vec<NodeId>,
        at: usize,
        ticks: usize,
    }

    impl Agent<Layered<Grid>> for Segments {
        fn tick(
            &mut self,
            _: &Layered<Grid>,
            _: NodeId,
            _: Seen<'_>,
            slice: &mut Slice<'_>,
        ) -> Step {
            // Two ticks of planning per segment, and more work in each.
            let work = self.ticks + 1;
            assert!((0..work).all(|_| slice.expand(self.row[0])));
            if self.ticks % 2 == 1 && self.ticks < 6 {
                slice.note(Event::Refined);
            }
            slice.note(Event::Found);
            self.ticks += 1;
            if self.ticks <= 2 {
                return Step::Wait;
            }
            self.at += 1;
            Step::Move(self.row[self.at])
        }

        fn assign(&mut self, _: &Layered<Grid>, _: NodeId, _: NodeId) -> Result<(), AgentError> {
            unreachable!("it has one task")
        }

        fn retarget(&mut self, _: &Layered<Grid>, _: NodeId) -> Result<(), AgentError> {
            unreachable!("not called here")
        }

        fn restart(&mut self, _: &Layered<Grid>, _: NodeId) -> Result<(), AgentError> {
            unreachable!("it is left alone")
        }
    }

    impl tickstar::AgentState for Segments {
        fn goal(&self) -> NodeId {
            self.row[5]
        }

        fn position(&self) -> NodeId {
            self.row[self.at]
        }

        fn target(&self) -> Option<NodeId> {
            None
        }

        fn plan(&self) -> Option<Vec<NodeId>> {
            let begin = self.ticks.checked_sub(2)?;
            Some(self.row[begin..].iter().copied().take(3).collect())
        }

        fn limits(&self, budget: u64) -> Limits {
            Limits { expansions: budget, traces: 0, updates: 0 }
        }

        fn bytes(&self) -> usize {
            0
        }
    }

    #[test]
    fn each_refinement_is_a_segment() {
        // A diagonal step at the end.
        let map = Grid::from_rows(["......", "......"]).unwrap();
        let cells = [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 1)];
        let row: Vec<_> = cells.iter().map(|&(x, y)| map.node(Cell::new(x, y)).unwrap()).collect();
        let (start, goal) = (row[0], row[5]);
        let arena = Arena::new(&"known".parse().unwrap(), &map, 1).unwrap();
        let journey = |segmented| {
            let config = catalog::find("tba").unwrap().configure::<&str, &str>(&[]).unwrap();
            let sim = Sim::new(&arena, &config, 100, (start, goal)).unwrap();
            let agent = Segments { row: row.clone(), at: 0, ticks: 0 };
            Sim { agent: Box::new(agent), segmented, ..sim }.run(None, None)
        };
        assert_eq!(journey(false).segments, None);
        let segment = |expansions, straight, diagonal| Segment {
            expansions,
            length: Cost::of_steps(straight, diagonal),
        };
        let expected = vec![segment(1 + 2, 2, 0), segment(3 + 4, 2, 0), segment(5 + 6, 0, 1)];
        assert_eq!(journey(true).segments, Some(expected));
        assert_eq!(journey(true).tally.cost, Cost::of_steps(4, 1));
    }
}
