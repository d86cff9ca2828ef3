//! Experiments with [`tickstar`]: files and generators of maps, the game-time simulator, records and
//! metrics, and pictures.
//!
//! ```
//! use tickstar_lab::{Job, Terrain, builtin};
//! let map = builtin::find("rooms-64").unwrap();
//! let grid = map.grid();
//! let problem = map.problems(&grid, 1, 7)[0];
//! let config = tickstar::catalog::find("tba")?.configure(&[("switch", "true")])?;
//! let terrain = Terrain::new(&"unknown".parse()?, &grid, 7)?;
//! let job = Job::new(map.name, &terrain, &config, Some(50));
//! let record = job.record(&problem)?;
//! println!("{} moves, {:?} times the optimum", record.moves, record.suboptimality);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]

pub mod builtin;
pub mod check;
mod clock;
pub mod draw;
pub mod files;
pub mod generate;
pub mod layers;
mod record;
mod reference;
mod sim;
mod spread;
mod world;

pub use clock::{Clock, ClockError, Clocked, Pace, Stage, Untimed};
pub use files::Problem;
pub use record::{Job, Outcome, Plan, ProblemError, Record, Summary};
pub use reference::Reference;
pub use sim::{Interval, Journey, Observer, Sim};
pub use spread::{Ranked, Sample, Spread};
pub use world::{
    Preparation, PrepareError, Terrain, Truth, Undefined, World, WorldKind, WorldKindError,
};
