//! Real-time pathfinding: an agent acts every tick, never exceeds its search budget, and still arrives.
//!
//! A game or a robot must act every tick, and each tick leaves only a small amount of time for search. A conventional
//! search either makes the agent wait or exceeds the frame time. The agents in this crate search for one slice per
//! tick, take a step immediately along the best path known so far, and continue to search while they walk.
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
//!     // Once per frame: at most 10 units of search, and one step.
//!     match unit.tick(&grid, unit.position(), Seen::default(), &mut Slice::new(10)) {
//!         Step::Move(to) => println!("step to {}", grid.cell(to)),
//!         Step::Wait => {}
//!         Step::Arrived => break,
//!         Step::Unreachable => break, // no path exists
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Which algorithm should I use?
//!
//! | you want | use | what it promises |
//! |---|---|---|
//! | a complete path in one call | [`find_path`] | optimal with the defaults; no time limit |
//! | many complete paths | [`PathFinder`] | the same, and no new memory for each; by jump points on uniform grids |
//! | a complete path, computed in slices | [`BestFirst`] | the same path for any slicing |
//! | nearly shortest walks with very small budgets, on a grid, known or not | [`Tick`] (Tick*), on a [`Grid::with_regions`] | bounded work per tick; acts at once; arrives if and only if a path exists; repaired when the map changes |
//! | hundreds or thousands of units with one budget per frame | [`Crowd`](crowd::Crowd) | every unit with a plan walks in every frame; no frame over its budget; told at once if there is no path |
//! | a step every tick, starting with the first | [`TimeBounded`] with its defaults (TBA*) | bounded work per tick; arrives if and only if a path exists; at most twice the optimum once the path is followed |
//! | the same, with less walking back and forth | [`TimeBoundedConfig::switch`] | as above; usually shorter, best for budgets up to 100 |
//! | an optimal path in much less time, on a uniform grid | [`TimeBoundedConfig::jump`] | as above, but the first step comes when a first path is traced |
//! | no long walks back past an opening | [`TimeBoundedConfig::shortcut`] | as above; never costlier than walking back |
//! | a path sooner, and fewer steps back | a [`Priority::weighted`] search (TB-WA*) | as above, with the bound multiplied by the weight |
//! | to walk on a map that is discovered on the way | [`Restart::Path`] (RTBA*), with [`SearchConfig::learn`] TBAA* | arrives if and only if a path exists |
//! | to walk on a map that changes | [`Restart::Lazy`] (Repeated TB-BFS) | steps that are legal at that moment; restarts the search only when necessary |
//! | only cheapest paths, on a map that changes or is discovered | [`DStarLite`] | bounded work per tick; waits until its path is known, then repairs it where the map changes |
//! | long paths on large maps, with little work each | [`Pra`] (PRA*), on a map with its [`Hierarchy`] | bounded work per tick; starts to walk once a short segment is planned; nearly always within 2 % of the shortest path; repaired when the map changes |
//! | a limit in wall-clock time | [`Slice::deadline`] | what acts at once with a budget does so with a deadline |
//! | to follow a target that moves | [`Agent::retarget`] | caught by every search that is kept, if the target moves less often than the agent |
//! | to know immediately whether a path exists | [`Hierarchy::reachable`] | exact; as many lookups as the map has levels |
//! | the same without a hierarchy, now and then | [`Regions::reachable`](regions::Regions::reachable) | exact; a search over regions |
//! | any path, without a search | [`QuickPath`] | acts at once; no guarantee about the length |
//! | an agent that waits until its path is complete | [`Acting::Wait`] | an optimal walk, a late start |
//! | to compare with learning real-time search | [`Local`] (RTAA*, LSS-LRTA*, LRTA*, …) | bounded work per tick; arrives if a path exists |
//! | the same on a map with its hierarchy | [`PrLrta`] (PR LRTA*), [`DLrta`] (D LRTA*) | bounded work per tick; arrives if a path exists |
//!
//! [`catalog`] lists all of them by name, with their papers and parameters.
//!
//! # Examples
//!
//! In the folder `examples`, each to be run by `cargo run --example NAME`: `whole_path`, `one_agent`, `thousand_units`
//! (a crowd with one budget per frame), `deadline` (a time limit per tick), `chase` (a goal that moves),
//! `changing_map`, `terrain`, `size_two` (units larger than a cell) and `by_name` (the catalog).
//!
//! # Guarantees
//!
//! * **Exact.** Costs are integers ([`Cost`]); no floating-point value decides an order. Ties are broken in favor of
//!   the larger cost so far, then of the node inserted last. The same input gives bit-identical results on every
//!   machine, with either open list and with any slicing.
//! * **Bounded.** Every expansion, trace step and update passes one gate, the [`Slice`] of the tick. No
//!   expansion sorts more than a few dozen entries of the open list (see [`OpenList::Buckets`]). Node records and
//!   entries are stored in small pages that never move.
//! * **Legal.** A step is an edge of the space at that moment, even if the map was edited in between.
//! * **Small.** The memory of an agent is proportional to the nodes its search has touched, not to the map.
//!
//! The engine has no I/O, no clock and no randomness, and forbids unsafe code; all that outlives a call is the memory
//! that [`find_path`] keeps per thread. Maps are [`Grid`]s (bits, edited in place), [`Graph`]s, or your own [`Space`]. A
//! grid can have [`Terrain`](space::Terrain), on which cells cost more or less to cross, and [`Grid::for_size`] gives the
//! map for units larger than a cell.
#![deny(missing_docs)]

pub mod agent;
pub mod budget;
pub mod catalog;
mod cost;
pub mod crowd;
mod find;
pub mod hierarchy;
mod id;
mod printable;
mod ratio;
pub mod regions;
pub mod search;
pub mod space;
mod walker;

pub use agent::pra::{Pra, PraConfig};
pub use agent::tick::{Tick, TickConfig};
pub use agent::time_bounded::{TimeBounded, TimeBoundedConfig};
pub use agent::{Agent, AgentError, AgentState, Seen, Step};
pub use budget::{Event, Slice};
pub use cost::Cost;
pub use find::{Path, PathFinder, find_path};
pub use hierarchy::Hierarchy;
pub use id::NodeId;
pub use search::Pool;
pub use space::{Cell, Graph, Grid, Layered, Map, Space};

// Short paths for use inside the crate.
pub(crate) use agent::d_lrta::{DLrta, DLrtaConfig};
pub(crate) use agent::dstar_lite::{DStarLite, DStarLiteConfig, Ties};
pub(crate) use agent::local::{Avoid, Commitment, Local, LocalConfig, Lookahead, Update};
pub(crate) use agent::pr_lrta::{PrLrta, PrLrtaConfig};
pub(crate) use agent::pra::StartLevel;
pub(crate) use agent::quickpath::QuickPath;
pub(crate) use agent::time_bounded::{Acting, Restart, Tracing};
pub(crate) use budget::{Limits, Work};
pub(crate) use find::EndpointError;
pub(crate) use hierarchy::{HierarchyError, Level, Subgoals};
pub(crate) use ratio::{Ratio, RatioError};
pub(crate) use search::{
    BestFirst, OpenList, Priority, SearchConfig, Status, Successors, WeightError,
};
pub(crate) use space::Skip;

/// The README's example is compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// So are those of the page on crowds.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/crowds.md")]
struct Crowds;
