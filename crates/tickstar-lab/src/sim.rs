//! The game-time simulator: one interval is planning, then at most one move.

use std::fmt;

use tickstar::catalog::{Config, Entry};
use tickstar::{Agent, AgentError, Cost, Event, Grid, NodeId, Seen, Slice, Space, Step, Work};

use crate::reference::Moment;
use crate::{Outcome, Stage, Terrain, World};

/// What happened in one interval, as an observer sees it.
#[derive(Debug)]
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
    pub known: &'a Grid,
    /// The nodes that were news on that map.
    pub news: &'a [NodeId],
}

/// Who is told about each interval.
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
    /// The cost walked.
    pub cost: Cost,
    /// Intervals it took.
    pub intervals: u64,
    /// The first interval with a move.
    pub first_move_interval: Option<u64>,
    /// Nodes expanded in all.
    pub expansions: u64,
    /// The most in one interval.
    pub max_expansions_per_interval: u64,
    /// Parent pointers followed in all.
    pub trace_steps: u64,
    /// The most in one interval.
    pub max_trace_steps_per_interval: u64,
    /// Updates done in all.
    pub updates: u64,
    /// The most in one interval.
    pub max_updates_per_interval: u64,
    /// Searches begun anew.
    pub restarts: u64,
    /// Intervals in which the estimate of where the agent stood was raised.
    pub lessons: u64,
    /// Moves that lay on no shortest path when they were made, if the map changed on the way.
    pub non_optimal_moves: Option<u64>,
    /// The most heap memory the agent had, in bytes, the map not counted.
    pub peak_bytes: usize,
    /// The stretches that were planned, in order, if asked for.
    pub stages: Option<Vec<Stage>>,
}

/// An agent in its world, on its way from start to goal.
pub struct Sim {
    world: World,
    agent: Box<dyn Agent<Grid> + Send>,
    algorithm: &'static Entry,
    budget: u64,
    start: NodeId,
    goal: NodeId,
    /// Whether journeys have their stages.
    staged: bool,
}

impl Sim {
    /// An agent at the start, which has looked around.
    ///
    /// # Errors
    /// When the agent cannot take the task.
    pub fn new(
        terrain: &Terrain,
        config: &Config,
        budget: u64,
        (start, goal): (NodeId, NodeId),
    ) -> Result<Sim, AgentError> {
        let world = terrain.world(start, goal);
        let agent = config.agent(world.known(), start, goal)?;
        let algorithm = config.entry();
        Ok(Sim { world, agent, algorithm, budget, start, goal, staged: false })
    }

    /// The same, with the stretches that are planned recorded, which takes memory for each.
    #[must_use]
    pub fn with_stages(self) -> Sim {
        Sim { staged: true, ..self }
    }

    /// The world as it is now.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The whole path the agent's last search has found.
    pub fn plan(&self) -> Option<Vec<NodeId>> {
        self.agent.plan()
    }

    /// Puts the agent back to the start, with all it knows of the map and has learned.
    ///
    /// # Errors
    /// When it cannot stand there any more.
    pub fn put_back(&mut self) -> Result<(), AgentError> {
        self.agent.place(self.world.known(), self.start)?;
        self.world.moved(self.start);
        Ok(())
    }

    /// Lets the agent walk until it arrives or gives up, or so many intervals have passed.
    ///
    /// # Panics
    /// When an agent takes a step that is not an edge of the true map, works past its budget, or never
    /// ends: these would be bugs of the engine, and no experiment should go on over them.
    pub fn run(&mut self, most_intervals: Option<u64>, mut observe: Observer<'_>) -> Journey {
        let limits = self.agent.limits(self.budget);
        let mut journey = Journey::at(self.agent.position());
        let mut moment = self.world.changes().then(|| Moment::new(self.goal));
        let (most, patience) = (most_intervals.unwrap_or(u64::MAX), self.patience());
        let (mut expanded, mut above) = (Vec::new(), Vec::new());
        journey.stages = self.staged.then(Vec::new);
        let mut unstaged = 0;
        while self.agent.position() != self.goal {
            if journey.intervals == most {
                journey.outcome = Outcome::GaveUp;
                break;
            }
            journey.intervals += 1;
            assert!(journey.intervals < patience, "bug: {} never ends", self.algorithm.name);
            self.world.begin(journey.intervals);
            if let Some(moment) = moment.as_mut().filter(|_| !self.world.news().is_empty()) {
                moment.pass();
            }
            let at = self.agent.position();
            expanded.clear();
            above.clear();
            let mut note = |work| {
                match work {
                    Work::Expand(node) => expanded.push(node),
                    Work::ExpandAbove { level, node } => above.push((level, node)),
                    Work::Trace(_) | Work::Update(_) => {}
                }
                true
            };
            let mut slice = match observe {
                Some(_) => Slice::watched(self.budget, &mut note),
                None => Slice::new(self.budget),
            };
            let seen = Seen { changed: self.world.news() };
            let step = self.agent.tick(self.world.known(), self.agent.position(), seen, &mut slice);
            let within = slice.expansions() <= limits.expansions
                && slice.traces() <= limits.traces
                && slice.updates() <= limits.updates;
            assert!(within, "bug: worked past the budget");
            journey.count(&slice);
            if let Some(stages) = &mut journey.stages {
                unstaged += slice.expansions();
                if let Some(length) = self.planned(at, &slice) {
                    stages.push(Stage { expansions: std::mem::take(&mut unstaged), length });
                }
            }
            let back = slice.has(Event::Backtrack);
            let events: Vec<_> = slice.events().map(Event::name).collect();
            if let Some(observe) = &mut observe {
                observe(&Interval {
                    number: journey.intervals,
                    position: self.agent.position(),
                    expanded: &expanded,
                    expanded_above: &above,
                    target: self.agent.target(),
                    events: &events,
                    known: self.world.known(),
                    news: self.world.news(),
                });
            }
            self.world.told();
            match step {
                Step::Move(to) => {
                    let edge = self.world.truth().edge(at, to);
                    let detour = moment.as_mut().map(|m| m.is_detour(self.world.truth(), at, to));
                    let edge = edge.expect("bug: a step that is not an edge");
                    journey.step(to, edge, back, detour);
                    self.world.moved(to);
                }
                Step::Unreachable if !self.world.expects_more() => {
                    journey.outcome = Outcome::Unreachable;
                    break;
                }
                Step::Unreachable | Step::Wait | Step::Arrived => {}
            }
        }
        // Agents keep what they have allocated, so the end is the peak.
        journey.peak_bytes = self.agent.bytes();
        journey
    }

    /// The length of the stretch that was planned in a tick that began here, if one was: a part of the
    /// way by those that refine, and the whole of it by those that wait for it.
    fn planned(&self, at: NodeId, slice: &Slice<'_>) -> Option<Cost> {
        let refined = slice.has(Event::Refined);
        let whole = !self.algorithm.facts.acts_at_once() && slice.has(Event::Found);
        if !refined && !whole {
            return None;
        }
        let mut plan = self.agent.plan()?;
        // A whole path begins where the agent stood; D* Lite tells what is left of it after its step.
        if !refined && plan.first() != Some(&at) {
            plan.insert(0, at);
        }
        self.world.truth().cost(&plan)
    }

    /// More intervals than any sound agent needs: on a known map it searches once and walks the tree of
    /// that search; where walls are discovered, again for each of them. One that is slow to give up may
    /// need any number.
    fn patience(&self) -> u64 {
        let size = self.world.known().size() as u64;
        let searches = 1 + self.world.hidden().len() as u64;
        let any = self.world.changes() || self.algorithm.facts.slow_to_give_up();
        if any { u64::MAX } else { searches.saturating_mul(1000 + 100 * size) }
    }
}

impl fmt::Debug for Sim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.world.known().cell(self.agent.position());
        f.debug_struct("Sim")
            .field("name", &self.algorithm.name)
            .field("at", &at)
            .finish_non_exhaustive()
    }
}

impl Journey {
    /// One that has not begun.
    fn at(start: NodeId) -> Journey {
        Journey {
            outcome: Outcome::Reached,
            path: vec![start],
            back: Vec::new(),
            cost: Cost::ZERO,
            intervals: 0,
            first_move_interval: None,
            expansions: 0,
            max_expansions_per_interval: 0,
            trace_steps: 0,
            max_trace_steps_per_interval: 0,
            updates: 0,
            max_updates_per_interval: 0,
            restarts: 0,
            lessons: 0,
            non_optimal_moves: None,
            peak_bytes: 0,
            stages: None,
        }
    }

    /// Adds the work of an interval.
    fn count(&mut self, slice: &Slice<'_>) {
        let (expansions, traces) = (slice.expansions(), slice.traces());
        self.expansions += expansions;
        self.max_expansions_per_interval = self.max_expansions_per_interval.max(expansions);
        self.trace_steps += traces;
        self.max_trace_steps_per_interval = self.max_trace_steps_per_interval.max(traces);
        self.updates += slice.updates();
        self.max_updates_per_interval = self.max_updates_per_interval.max(slice.updates());
        self.restarts += u64::from(slice.has(Event::Restart));
        self.lessons += u64::from(slice.has(Event::Learned));
    }

    /// Adds a move, and whether it is a detour where that must be judged at once.
    fn step(&mut self, to: NodeId, edge: Cost, back: bool, detour: Option<bool>) {
        self.cost = self.cost + edge;
        self.path.push(to);
        self.back.push(back);
        self.first_move_interval.get_or_insert(self.intervals);
        if let Some(detour) = detour {
            *self.non_optimal_moves.get_or_insert(0) += u64::from(detour);
        }
    }
}

#[cfg(test)]
mod tests {
    use tickstar::{Cell, Limits, catalog};

    use super::*;

    /// Walks along a row in stretches of two cells, and plans the next one while it does.
    struct Stretches {
        row: Vec<NodeId>,
        at: usize,
        ticks: usize,
    }

    impl Agent<Grid> for Stretches {
        fn tick(&mut self, _: &Grid, _: NodeId, _: Seen<'_>, slice: &mut Slice<'_>) -> Step {
            // Two ticks of thinking for each stretch, and more of it for each.
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

        fn assign(&mut self, _: &Grid, _: NodeId, _: NodeId) -> Result<(), AgentError> {
            unreachable!("it has one task")
        }

        fn place(&mut self, _: &Grid, _: NodeId) -> Result<(), AgentError> {
            unreachable!("it is left alone")
        }
    }

    impl tickstar::AgentState for Stretches {
        fn position(&self) -> NodeId {
            self.row[self.at]
        }

        fn target(&self) -> Option<NodeId> {
            None
        }

        fn plan(&self) -> Option<Vec<NodeId>> {
            Some(self.row[self.ticks - 2..].iter().copied().take(3).collect())
        }

        fn limits(&self, budget: u64) -> Limits {
            Limits { expansions: budget, traces: 0, updates: 0 }
        }

        fn bytes(&self) -> usize {
            0
        }
    }

    #[test]
    fn each_stretch_that_is_refined_is_a_stage() {
        // A diagonal step at the end.
        let map = Grid::from_rows(["......", "......"]).unwrap();
        let cells = [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 1)];
        let row: Vec<_> = cells.iter().map(|&(x, y)| map.node(Cell::new(x, y)).unwrap()).collect();
        let (start, goal) = (row[0], row[5]);
        let terrain = Terrain::new(&"known".parse().unwrap(), &map, 1).unwrap();
        let journey = |staged| {
            let config = catalog::find("tba").unwrap().configure::<&str, &str>(&[]).unwrap();
            let sim = Sim::new(&terrain, &config, 100, (start, goal)).unwrap();
            let agent = Stretches { row: row.clone(), at: 0, ticks: 0 };
            Sim { agent: Box::new(agent), staged, ..sim }.run(None, None)
        };
        assert_eq!(journey(false).stages, None);
        let stage = |expansions, straight, diagonal| Stage {
            expansions,
            length: Cost::of_steps(straight, diagonal),
        };
        let expected = vec![stage(1 + 2, 2, 0), stage(3 + 4, 2, 0), stage(5 + 6, 0, 1)];
        assert_eq!(journey(true).stages, Some(expected));
        assert_eq!(journey(true).cost, Cost::of_steps(4, 1));
    }
}
