//! What the suites test: anything with a name, facts and agents.

use std::fmt;

use tickstar::catalog::{Config, Facts};
use tickstar::{Agent, AgentError, Map, NodeId};

use super::{Draw, LayeredGraph, LayeredGrid};

pub type Made<S> = Result<Box<dyn Agent<S>>, AgentError>;

/// A configured algorithm: one of the catalog, or one that only tests know.
pub trait Member: fmt::Debug {
    fn name(&self) -> &str;

    /// Its declared properties, which are checked.
    fn facts(&self) -> &Facts;

    /// The value of a parameter, if it has that parameter.
    fn value(&self, parameter: &str) -> Option<&str>;

    fn on_grid(&self, grid: &LayeredGrid, start: NodeId, goal: NodeId) -> Made<LayeredGrid>;

    fn on_graph(&self, graph: &LayeredGraph, start: NodeId, goal: NodeId) -> Made<LayeredGraph>;
}

impl Member for Config {
    fn name(&self) -> &str {
        self.entry().name
    }

    fn facts(&self) -> &Facts {
        &self.entry().facts
    }

    fn value(&self, parameter: &str) -> Option<&str> {
        let mut parameters = self.parameters().iter();
        parameters.find(|(known, _)| *known == parameter).map(|(_, value)| value.as_str())
    }

    fn on_grid(&self, grid: &LayeredGrid, start: NodeId, goal: NodeId) -> Made<LayeredGrid> {
        self.agent(grid, start, goal)
    }

    fn on_graph(&self, graph: &LayeredGraph, start: NodeId, goal: NodeId) -> Made<LayeredGraph> {
        self.agent(graph, start, goal)
    }
}

/// A map on which every member can be tested.
pub trait Terrain: Map + Draw + Sized {
    /// An agent of this member at `start` that walks to `goal`.
    fn agent(&self, member: &dyn Member, start: NodeId, goal: NodeId) -> Made<Self>;
}

impl Terrain for LayeredGrid {
    fn agent(&self, member: &dyn Member, start: NodeId, goal: NodeId) -> Made<LayeredGrid> {
        member.on_grid(self, start, goal)
    }
}

impl Terrain for LayeredGraph {
    fn agent(&self, member: &dyn Member, start: NodeId, goal: NodeId) -> Made<LayeredGraph> {
        member.on_graph(self, start, goal)
    }
}
