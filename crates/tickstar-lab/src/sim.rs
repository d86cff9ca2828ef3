//! The game-time simulator: one interval is planning, then at most one move.

use tickstar::catalog::Config;
use tickstar::{AgentError, Cost, Event, Grid, NodeId, Seen, Slice, Space, Step, Work};

use crate::Outcome;

/// What happened in one interval, as an observer sees it.
#[derive(Debug)]
pub struct Interval<'a> {
    /// Its number, from one.
    pub number: u64,
    /// Where the agent stands after its move.
    pub position: NodeId,
    /// The nodes expanded, in order.
    pub expanded: &'a [NodeId],
    /// The node the agent is heading for.
    pub target: Option<NodeId>,
    /// What the agent reported, by name.
    pub events: &'a [&'static str],
}

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
    /// Searches begun anew.
    pub restarts: u64,
    /// The most heap memory the agent had, in bytes, the map not counted.
    pub peak_bytes: usize,
}

/// Lets an agent walk from start to goal and tells the observer about each interval.
///
/// # Errors
/// When the agent cannot take the task.
///
/// # Panics
/// When an agent takes a step that is not an edge, works past its budget, or never ends: these would be
/// bugs of the engine, and no experiment should go on over them.
pub fn simulate(
    grid: &Grid,
    config: &Config,
    budget: u64,
    start: NodeId,
    goal: NodeId,
    mut observe: Option<&mut dyn FnMut(&Interval<'_>)>,
) -> Result<Journey, AgentError> {
    let mut agent = config.agent(grid, start, goal)?;
    let limits = agent.limits(budget);
    let mut journey = Journey {
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
        restarts: 0,
        peak_bytes: agent.bytes(),
    };
    let patience = 1000 + 100 * grid.size() as u64;
    let mut expanded = Vec::new();
    while agent.position() != goal {
        journey.intervals += 1;
        assert!(journey.intervals < patience, "bug: {} never ends", config.entry().name);
        let at = agent.position();
        expanded.clear();
        let mut note = |work| {
            if let Work::Expand(node) = work {
                expanded.push(node);
            }
            true
        };
        let mut slice = match observe {
            Some(_) => Slice::watched(budget, &mut note),
            None => Slice::new(budget),
        };
        let step = agent.tick(grid, Seen::default(), &mut slice);
        let (expansions, traces) = (slice.expansions(), slice.traces());
        assert!(expansions <= limits.0 && traces <= limits.1, "bug: worked past the budget");
        journey.expansions += expansions;
        journey.max_expansions_per_interval = journey.max_expansions_per_interval.max(expansions);
        journey.trace_steps += traces;
        journey.max_trace_steps_per_interval = journey.max_trace_steps_per_interval.max(traces);
        journey.restarts += u64::from(slice.has(Event::Restart));
        let back = slice.has(Event::Backtrack);
        let events: Vec<_> = slice.events().map(Event::name).collect();
        if let Step::Move(to) = step {
            let edge = grid.edge(at, to).expect("bug: a step that is not an edge");
            journey.cost = journey.cost + edge;
            journey.path.push(to);
            journey.back.push(back);
            journey.first_move_interval.get_or_insert(journey.intervals);
        }
        if let Some(observe) = &mut observe {
            observe(&Interval {
                number: journey.intervals,
                position: agent.position(),
                expanded: &expanded,
                target: agent.target(),
                events: &events,
            });
        }
        if step == Step::Unreachable {
            journey.outcome = Outcome::Unreachable;
            break;
        }
    }
    // Agents keep what they have allocated, so the end is the peak.
    journey.peak_bytes = journey.peak_bytes.max(agent.bytes());
    Ok(journey)
}
