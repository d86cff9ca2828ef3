//! All integration tests of the engine, in one binary: `cargo test -p tickstar --test engine NAME`.

mod kit;

mod changing;
mod chase;
mod conformance;
mod crowd;
mod defects;
mod driver;
mod dstar_lite;
mod edits;
mod golden;
mod hierarchy;
mod jump;
mod learning;
mod lrta_on_levels;
mod pseudo_code;
mod regions;
mod search;
mod sizes;
mod subgoals;
mod terrain;
mod tick;
mod toy;
mod unknown;
