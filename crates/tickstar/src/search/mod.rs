//! The single resumable best-first search, and its components.
//!
//! [`find_path`](crate::find_path) computes a complete path in one call; [`BestFirst`] finds the same path in slices.

mod best_first;
mod learned;
mod open;
mod pool;
mod priority;
mod problem;
mod table;
mod trail;

pub use crate::ratio::{Ratio, RatioError};
pub use best_first::{BestFirst, SearchConfig, Status};
pub(crate) use learned::Learned;
pub use open::OpenList;
pub(crate) use open::{Entry, List, Open};
pub use pool::Pool;
pub use priority::{Priority, WeightError};
pub(crate) use problem::{Problem, Toward};
pub(crate) use table::{Stamp, Stamped};
pub(crate) use trail::{Trails, Which};
