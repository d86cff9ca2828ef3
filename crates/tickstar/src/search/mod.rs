//! The single resumable best-first search, and its components.
//!
//! [`find_path`](crate::find_path) computes a complete path in one call; [`BestFirst`] finds the same path in slices.

mod backup;
mod best_first;
mod corridor;
mod learned;
mod open;
#[allow(clippy::unnecessary_box_returns)] // pages are boxed where they live
mod pool;
mod priority;
mod problem;
mod refine;
mod route;
#[allow(clippy::unnecessary_box_returns)] // as above
mod table;
mod trail;

pub use crate::ratio::{Ratio, RatioError};
pub(crate) use backup::Backup;
pub use best_first::{BestFirst, SearchConfig, Status};
pub(crate) use learned::Learned;
pub use open::OpenList;
pub(crate) use open::{List, Open, OpenEntry};
pub use pool::Pool;
pub use priority::{Priority, WeightError};
pub(crate) use problem::{Problem, Toward};
pub(crate) use refine::{AnyLevel, Progress, Refiner, Target};
pub(crate) use route::Route;
pub(crate) use table::{Stamp, Stamped};
pub(crate) use trail::{Trails, Which};
