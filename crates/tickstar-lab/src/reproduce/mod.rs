//! The experiments of four papers, and what they show: `tickstar reproduce`.

pub mod html;
pub mod pages;
pub mod report;
