//! Real-time pathfinding: act every tick, never think past the budget, still arrive.
//!
//! A game or a robot must act every tick, and a tick leaves a sliver of time to think. A plain search
//! makes the agent stand and wait, or blows the frame. The agents here search a slice each tick, take a
//! step at once along the best path known so far, and go on searching while they walk.
//!
//! # Ten lines
//!
//! ```
//! use tickstar::{Agent, Cell, Grid, Seen, Slice, Step, TimeBounded, TimeBoundedConfig};
//!
//! let grid = Grid::from_rows(["......#...", "####..#.#.", "......#.#.", "..###...#.", "........#."])?;
//! let (start, goal) = (grid.node(Cell::new(0, 0)).unwrap(), grid.node(Cell::new(9, 4)).unwrap());
//! let mut unit = TimeBounded::new(&grid, TimeBoundedConfig::default(), start, goal)?;
//! loop {
//!     // Once a frame: at most 10 units of thinking, and one step.
//!     match unit.tick(&grid, unit.position(), Seen::default(), &mut Slice::new(10)) {
//!         Step::Move(to) => println!("step to {}", grid.cell(to)),
//!         Step::Wait => {}
//!         Step::Arrived => break,
//!         Step::Unreachable => break, // there is no way, and now you know
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Which algorithm should I use?
//!
//! | you want | use | what it promises |
//! |---|---|---|
//! | a whole path, now | [`find_path`] | optimal with its defaults; no limit on the time |
//! | a whole path, a slice at a time | [`BestFirst`] | the same path, however it is sliced |
//! | a step every tick, from the first on | [`TimeBounded`] with its defaults (TBA*) | bounded work per tick; arrives exactly when there is a way; at most twice the optimum once the path is followed |
//! | the same, walking to and fro less | [`TimeBoundedConfig::switch`] | as above; usually shorter, best for budgets up to 100 |
//! | no long walks back past an opening | [`TimeBoundedConfig::shortcut`] | as above; never costlier than walking back |
//! | a path sooner, and fewer steps back | a [`Priority::weighted`] search (TB-WA*) | as above, with the bound times the weight |
//! | to walk where the map is discovered on the way | [`Restart::Path`] (RTBA*), with [`SearchConfig::learn`] TBAA* | arrives exactly when there is a way |
//! | to walk on a map that changes | [`Restart::Lazy`] (Repeated TB-BFS) | steps that are legal at that moment; begins again only when it must |
//! | cheapest ways only, on a map that changes or is discovered | [`DStarLite`] | bounded work per tick; stands until its path is known, then mends it where the map changes |
//! | long ways on large maps, for little work each | [`Pra`] (PRA*), on a map with its [`Hierarchy`] | bounded work per tick; begins to walk after a short stretch is planned; nearly always within 2 % of the shortest; mended when the map changes |
//! | to know at once whether there is a way | [`Hierarchy::reachable`] | exact, by as many look-ups as the map has levels |
//! | any way, without thinking | [`QuickPath`] | acts at once, no search; no promise about the length |
//! | an agent that stands until its path is whole | [`Acting::Wait`] | an optimal walk, a late start |
//! | to compare with learning real-time search | [`Local`] (RTAA*, LSS-LRTA*, LRTA*, …) | bounded work per tick; arrives if there is a way |
//! | the same on a map with its hierarchy | [`PrLrta`] (PR LRTA*), [`DLrta`] (D LRTA*) | bounded work per tick; arrives if there is a way |
//!
//! All of them by name, with their papers and parameters: [`catalog`].
//!
//! # What holds
//!
//! * **Exact.** Costs are integers ([`Cost`]); no floating point decides an order. Ties go to the
//!   larger cost so far, then to the node inserted last. The same input gives the same bits on every
//!   machine, with either open list and with any slicing.
//! * **Bounded.** Every expansion, trace step and update passes one gate, the [`Slice`] of the tick. An
//!   expansion takes constant time amortised; a single one can be dearer on maps of millions of cells
//!   (see [`OpenList::Buckets`]). Node records live in small pages that never move.
//! * **Legal.** A step is an edge of the space at that moment, also when the map was edited in between.
//! * **Small.** The memory of an agent follows the nodes its search has touched, not the map.
//!
//! The engine has no I/O, no clock and no randomness, and forbids unsafe code. Maps are [`Grid`]s (one
//! bit a cell, edited in place), [`Graph`]s, or your own [`Space`].
#![deny(missing_docs)]

pub mod agent;
pub mod budget;
pub mod catalog;
mod cost;
mod find;
pub mod hierarchy;
mod id;
mod printable;
mod ratio;
pub mod search;
pub mod space;

pub use agent::pra::{Pra, PraConfig};
pub use agent::time_bounded::{TimeBounded, TimeBoundedConfig};
pub use agent::{Agent, AgentError, AgentState, Seen, Step};
pub use budget::{Event, Slice};
pub use cost::Cost;
pub use find::{Path, find_path};
pub use hierarchy::Hierarchy;
pub use id::NodeId;
pub use search::Pool;
pub use space::{Cell, Graph, Grid, Layered, Map, Space};

// Inside the crate everything has a short path.
pub(crate) use agent::d_lrta::{DLrta, DLrtaConfig};
pub(crate) use agent::dstar_lite::{DStarLite, DStarLiteConfig, Ties};
pub(crate) use agent::local::{Avoid, Commitment, Lesson, Local, LocalConfig, Lookahead};
pub(crate) use agent::pr_lrta::{PrLrta, PrLrtaConfig};
pub(crate) use agent::pra::StartLevel;
pub(crate) use agent::quickpath::QuickPath;
pub(crate) use agent::time_bounded::{Acting, Restart, Tracing};
pub(crate) use budget::{Limits, Work};
pub(crate) use find::EndpointError;
pub(crate) use hierarchy::{HierarchyError, Level, Subgoals};
pub(crate) use ratio::{Ratio, RatioError};
pub(crate) use search::{BestFirst, OpenList, Priority, SearchConfig, Status, WeightError};
pub(crate) use space::Skip;

/// The README's example is compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
