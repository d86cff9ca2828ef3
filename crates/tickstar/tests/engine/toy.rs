//! A toy agent in one file with one catalog-like row, as a newcomer might add it; and the same with false facts, which
//! the conformance suite must detect.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tickstar::budget::Limits;
use tickstar::catalog::{CostBound, Facts, FirstMove, GivesUp, Method, WorkBound};
use tickstar::space::EndpointError;
use tickstar::{Agent, AgentError, AgentState, Cost, Map, NodeId, Seen, Slice, Step};

use crate::conformance::conform;
use crate::kit::{LayeredGraph, LayeredGrid, Made, Member};

/// Steps to the neighbor with the smallest heuristic, and stops where no neighbor has a smaller one.
#[derive(Debug)]
struct HillClimber {
    at: NodeId,
    goal: NodeId,
}

impl HillClimber {
    fn new<S: Map>(space: &S, start: NodeId, goal: NodeId) -> Result<HillClimber, AgentError> {
        if !space.contains(start) {
            return Err(EndpointError::Start(start).into());
        }
        if !space.contains(goal) {
            return Err(EndpointError::Goal(goal).into());
        }
        Ok(HillClimber { at: start, goal })
    }
}

impl AgentState for HillClimber {
    fn position(&self) -> NodeId {
        self.at
    }

    fn goal(&self) -> NodeId {
        self.goal
    }

    fn target(&self) -> Option<NodeId> {
        None
    }

    fn plan(&self) -> Option<Vec<NodeId>> {
        None
    }

    fn limits(&self, budget: u64) -> Limits {
        Limits { expansions: budget, traces: 0, updates: 0 }
    }

    fn bytes(&self) -> usize {
        size_of::<HillClimber>()
    }
}

impl<S: Map> Agent<S> for HillClimber {
    fn tick(&mut self, space: &S, at: NodeId, _seen: Seen<'_>, slice: &mut Slice<'_>) -> Step {
        self.at = at;
        if at == self.goal {
            return Step::Arrived;
        }
        if !slice.expand(at) {
            return Step::Wait;
        }
        let estimate = |node| space.estimate(node, self.goal);
        let mut best: (Cost, NodeId) = (estimate(at), at);
        space.for_each_edge(at, |to, _| best = best.min((estimate(to), to)));
        if best.0 >= estimate(at) {
            return Step::Wait;
        }
        self.at = best.1;
        Step::Move(best.1)
    }

    fn assign(&mut self, space: &S, start: NodeId, goal: NodeId) -> Result<(), AgentError> {
        *self = HillClimber::new(space, start, goal)?;
        Ok(())
    }

    fn restart(&mut self, space: &S, at: NodeId) -> Result<(), AgentError> {
        self.assign(space, at, self.goal)
    }
}

/// The toy as a member of the suite.
#[derive(Clone, Copy, Debug)]
pub struct Toy {
    name: &'static str,
    facts: Facts,
}

/// The member, registered in `kit/matrix.rs`.
pub const HONEST: Toy = Toy {
    name: "hill-climber",
    facts: {
        let mut facts = Facts::NONE;
        facts.work = WorkBound::PerUnit { expansions: 1, traces: 0, updates: 0 };
        facts.same_walk = true;
        facts.cost = "no bound";
        facts.changes = "reads the current map in every tick";
        facts
    },
};

impl Member for Toy {
    fn name(&self) -> &str {
        self.name
    }

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn value(&self, _parameter: &str) -> Option<&str> {
        None
    }

    fn on_grid(&self, grid: &LayeredGrid, start: NodeId, goal: NodeId) -> Made<LayeredGrid> {
        Ok(Box::new(HillClimber::new(grid, start, goal)?))
    }

    fn on_graph(&self, graph: &LayeredGraph, start: NodeId, goal: NodeId) -> Made<LayeredGraph> {
        Ok(Box::new(HillClimber::new(graph, start, goal)?))
    }
}

#[test]
fn a_toy_with_true_facts_conforms() {
    conform(&HONEST);
}

/// A false claim, and the change of the facts that makes it.
type Lie = (&'static str, fn(&mut Facts));

#[test]
fn every_false_fact_is_detected() {
    let lies: [Lie; 14] = [
        ("complete", |facts| {
            facts.complete = true;
            facts.gives_up = GivesUp::AfterSearch;
        }),
        ("acts at once", |facts| facts.first_move = FirstMove::AtOnce),
        ("acts after a lookahead", |facts| facts.first_move = FirstMove::AfterLookahead),
        ("acts back and forth", |facts| facts.first_move = FirstMove::BackAndForth),
        ("acts after a segment", |facts| facts.first_move = FirstMove::AfterSegment),
        ("acts after the whole path", |facts| facts.first_move = FirstMove::AfterPath),
        ("is an A* search", |facts| facts.method = Method::Astar),
        ("looks ahead by A*", |facts| facts.method = Method::AstarLookahead),
        ("refines", |facts| facts.refines = true),
        ("expands nothing", |facts| {
            facts.work = WorkBound::PerUnit { expansions: 0, traces: 0, updates: 0 };
        }),
        ("is optimal", |facts| facts.cost_bound = CostBound::Optimal),
        ("detects an unreachable goal immediately", |facts| facts.gives_up = GivesUp::AtOnce),
        ("needs reversible edges", |facts| facts.needs_reversible_edges = true),
        ("needs a hierarchy", |facts| facts.needs_hierarchy = true),
    ];
    for (name, lie) in lies {
        let mut toy = Toy { name, ..HONEST };
        lie(&mut toy.facts);
        let judged = catch_unwind(AssertUnwindSafe(|| conform(&toy)));
        assert!(judged.is_err(), "not detected: the toy {name}");
    }
}
