//! The one resumable best-first search, and the parts it is made of.
//!
//! For a whole path in one call there is [`find_path`](crate::find_path); [`BestFirst`] finds the same path a slice
//! at a time.

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
