//! The one resumable best-first search, and the parts it is made of.

mod best_first;
mod learned;
mod open;
mod paged;
mod priority;
mod trail;

pub use best_first::{BestFirst, SearchConfig, Status};
pub(crate) use learned::Learned;
pub use open::OpenList;
pub(crate) use open::{Entry, List, Open};
pub(crate) use paged::Paged;
pub use priority::{Priority, WeightError};
pub(crate) use trail::{Trails, Which};
