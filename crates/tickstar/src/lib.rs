//! doc todo
#![deny(missing_docs)]

mod agent;
mod budget;
pub mod catalog;
mod cost;
mod find;
mod id;
mod ratio;
mod search;
mod space;

pub use agent::{Acting, Agent, AgentError, Seen, Step, TimeBounded, TimeBoundedConfig, Tracing};
pub use budget::{Event, Slice, Work};
pub use cost::Cost;
pub use find::{EndpointError, Path, find_path};
pub use id::NodeId;
pub use ratio::{Ratio, RatioError};
pub use search::{BestFirst, OpenList, Priority, SearchConfig, Status, WeightError};
pub use space::{Cell, Corners, Graph, GraphError, Grid, GridError, MapError, Neighbors, Space};
