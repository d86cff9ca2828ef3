//! Experiments with [`tickstar`]: files and generators of maps, the game-time simulator, records and
//! metrics, and pictures.
//!
//! ```
//! use tickstar_lab::{builtin, Job};
//! let map = builtin::find("rooms-64").unwrap();
//! let grid = map.grid();
//! let problem = map.problems(&grid, 1, 7)[0];
//! let config = tickstar::catalog::find("tba")?.configure(&[("switch", "true")])?;
//! let job = Job { map: map.name, grid: &grid, config: &config, budget: Some(50), seed: 7 };
//! let record = job.record(&problem)?;
//! println!("{} moves, {:?} times the optimum", record.moves, record.suboptimality);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]

pub mod builtin;
pub mod check;
pub mod draw;
pub mod files;
pub mod generate;
mod record;
mod reference;
mod sim;

pub use files::Problem;
pub use record::{Job, Outcome, ProblemError, Record, Summary};
pub use reference::Reference;
pub use sim::{Interval, Journey, simulate};
