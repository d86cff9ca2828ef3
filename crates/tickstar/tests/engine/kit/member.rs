//! What the suites judge: anything with a name, facts and agents.

use std::fmt;

use tickstar::catalog::{Config, Facts};
use tickstar::{Agent, AgentError, Graph, Grid, NodeId, Space};

use super::Draw;

pub type Made<S> = Result<Box<dyn Agent<S> + Send>, AgentError>;

/// A configured algorithm: of the catalog, or one that only tests know.
pub trait Member: fmt::Debug {
    fn name(&self) -> &str;

    /// What is declared of it, and checked.
    fn facts(&self) -> &Facts;

    /// The value of a parameter, if it has that parameter.
    fn value(&self, parameter: &str) -> Option<&str>;

    fn on_grid(&self, grid: &Grid, start: NodeId, goal: NodeId) -> Made<Grid>;

    fn on_graph(&self, graph: &Graph, start: NodeId, goal: NodeId) -> Made<Graph>;
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

    fn on_grid(&self, grid: &Grid, start: NodeId, goal: NodeId) -> Made<Grid> {
        self.agent(grid, start, goal)
    }

    fn on_graph(&self, graph: &Graph, start: NodeId, goal: NodeId) -> Made<Graph> {
        self.agent(graph, start, goal)
    }
}

/// A map on which every member can be tried.
pub trait Map: Space + Draw + Sized {
    /// An agent of this member at `start`, to go to `goal`.
    fn agent(&self, member: &dyn Member, start: NodeId, goal: NodeId) -> Made<Self>;
}

impl Map for Grid {
    fn agent(&self, member: &dyn Member, start: NodeId, goal: NodeId) -> Made<Grid> {
        member.on_grid(self, start, goal)
    }
}

impl Map for Graph {
    fn agent(&self, member: &dyn Member, start: NodeId, goal: NodeId) -> Made<Graph> {
        member.on_graph(self, start, goal)
    }
}
