//! The resumable best-first search, jump point search, and their components.
//!
//! [`find_path`](crate::find_path) computes a complete path in one call, by jump points where the map allows it;
//! [`BestFirst`] finds one as cheap in slices.

mod backup;
mod ball;
mod best_first;
mod coarse;
mod corridor;
pub(crate) mod incremental;
mod jump;
mod learned;
mod main_search;
mod open;
#[allow(clippy::unnecessary_box_returns)] // pages are boxed where they live
mod pool;
mod priority;
mod problem;
mod refine;
mod route;
mod shortcut;
#[allow(clippy::unnecessary_box_returns)] // as above
mod table;
mod trail;

pub use crate::ratio::{Ratio, RatioError};
pub(crate) use backup::Backup;
pub(crate) use ball::{Ball, Neighbor, proves_no_path};
pub use best_first::{BestFirst, SearchConfig, Status, Successors};
pub(crate) use coarse::{Coarse, Found};
pub(crate) use incremental::Incremental;
pub(crate) use jump::JumpSearch;
pub(crate) use learned::Learned;
pub(crate) use main_search::{MainSearch, Retrace};
pub use open::OpenList;
pub use pool::Pool;
pub use priority::{Priority, WeightError};
pub(crate) use problem::{Problem, Toward};
pub(crate) use refine::{AnyLevel, Progress, Refiner, Target};
pub(crate) use route::Route;
pub(crate) use shortcut::Shortcut;
pub(crate) use table::{Stamp, Stamped};
pub(crate) use trail::{Trails, Which};
