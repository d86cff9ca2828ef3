//! Experiments with [`tickstar`]: files and generators of maps, the game-time simulator, records and
//! metrics, and pictures.
//!
//! ```
//! use tickstar_lab::{Job, Arena, builtin};
//! let map = builtin::find("rooms-64").unwrap();
//! let grid = map.grid();
//! let problem = map.problems(&grid, 1, 7)[0];
//! let config = tickstar::catalog::find("tba")?.configure(&[("switch", "true")])?;
//! let arena = Arena::new(&"unknown".parse()?, &grid, 7)?;
//! let job = Job::new(map.name, &arena, &config, Some(50));
//! let record = job.record(&problem)?;
//! println!("{} moves, {:?} times the optimum", record.tally.moves, record.suboptimality());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(missing_docs)]

pub mod bench;
pub mod benchmark;
mod buckets;
pub mod builtin;
pub mod chase;
pub mod check;
mod clock;
pub mod crowd;
pub mod draw;
pub mod experiment;
pub mod files;
pub mod generate;
pub mod levels;
mod metric;
mod record;
mod reference;
pub mod reproduce;
mod sim;
mod spread;
pub mod stage;
pub mod statistics;
pub mod text;
mod world;

pub use buckets::{Buckets, by_length};
pub use clock::{Clock, ClockError, Clocked, Pace, Segment, Untimed};
pub use experiment::{Contestant, Course, Experiment, ExperimentError, Instead, Judging};
pub use files::Problem;
pub use metric::{Comparison, METRICS, Metric, Number, Row, Section, Spread, Summary};
pub use record::{FailedProblem, Job, Outcome, PlannedPath, ProblemError, Record};
pub use reference::Reference;
pub use sim::{Interval, Journey, Observer, Sim, SimAgent, Tally, Timing, Walk};
pub use spread::{ByLength, LengthRow, PERCENTILES, PercentileColumn, Ranked, Sample};
pub use world::{Arena, PrepareError, Truth, Undefined, World, WorldKind, WorldKindError};
