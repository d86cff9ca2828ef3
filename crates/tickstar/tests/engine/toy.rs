//! A toy agent in one file with one catalog-like row, as a newcomer might add it; and the same with false facts, which
//! the conformance suite must detect.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tickstar::agent::{Cx, Decision, Keep, Needs, Policy, Walker};
use tickstar::budget::Limits;
use tickstar::catalog::{CostBound, Facts, FirstMove, GivesUp, Method, WorkBound};
use tickstar::{Cost, Map, NodeId, Pool};

use crate::conformance::conform;
use crate::kit::{LayeredGraph, LayeredGrid, Made, Member};

/// Steps to the neighbor with the smallest heuristic, and stops where no neighbor has a smaller one.
#[derive(Clone, Copy, Debug)]
struct HillClimber;

impl Policy for HillClimber {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn limits(&self, budget: u64) -> Limits {
        Limits { expansions: budget, traces: 0, updates: 0 }
    }

    fn begin<M: Map>(&mut self, _: &M, _: NodeId, _: NodeId, _: Keep) {}

    fn heed<M: Map>(&mut self, _: &mut Cx<'_, '_, M>, _: &[NodeId]) {}

    fn decide<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) -> Decision {
        if !cx.slice.expand(cx.at) {
            return Decision::Wait;
        }
        let estimate = |node| cx.map.estimate(node, cx.goal);
        let mut best: (Cost, NodeId) = (estimate(cx.at), cx.at);
        cx.map.for_each_edge(cx.at, |to, _| best = best.min((estimate(to), to)));
        if best.0 < estimate(cx.at) { Decision::Go(best.1) } else { Decision::Wait }
    }

    fn target(&self, _: NodeId) -> Option<NodeId> {
        None
    }

    fn plan(&self, _: NodeId) -> Option<Vec<NodeId>> {
        None
    }

    fn set_pool(&mut self, _: &Pool) {}

    fn bytes(&self) -> usize {
        0
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
        Ok(Box::new(Walker::with_policy(HillClimber, grid, start, goal)?))
    }

    fn on_graph(&self, graph: &LayeredGraph, start: NodeId, goal: NodeId) -> Made<LayeredGraph> {
        Ok(Box::new(Walker::with_policy(HillClimber, graph, start, goal)?))
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
    let lies: [Lie; 15] = [
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
        ("catches a slower goal", |facts| facts.catches = true),
        ("needs a hierarchy", |facts| facts.needs_hierarchy = true),
    ];
    for (name, lie) in lies {
        let mut toy = Toy { name, ..HONEST };
        lie(&mut toy.facts);
        let judged = catch_unwind(AssertUnwindSafe(|| conform(&toy)));
        assert!(judged.is_err(), "not detected: the toy {name}");
    }
}
