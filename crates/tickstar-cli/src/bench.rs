//! `tickstar bench`: how fast paths are found, how long ticks take, how both grow with the map, and how crowds do.

mod crowd;
mod growth;
mod latency;
mod paths;

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use clap::{Args, Subcommand};
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use serde_json::Value;
use tickstar_lab::bench::Control;

use crate::draw::Format;
use crate::failure::Failure;
use crate::layout::lines;
use crate::output::{check_writable, refuse_overwriting};
use crate::source::progress;

/// Measure speed: whole paths beside other crates, the times of ticks, growth with the map, and crowds
///
/// Ratios within one run are what counts: times differ from machine to machine, and other programs disturb them. What
/// repeats is therefore done several times, and the least time is taken.
#[derive(Subcommand)]
#[command(after_help = "Examples:\n  \
    tickstar bench paths --quick\n  \
    tickstar bench latency --quick\n  \
    tickstar bench growth --plot growth.svg\n  \
    tickstar bench crowd --quick")]
pub enum Bench {
    Paths(paths::Paths),
    Latency(latency::Latency),
    Growth(growth::Growth),
    Crowd(crowd::CrowdBench),
}

impl Bench {
    pub fn execute(&self) -> Result<(), Failure> {
        match self {
            Bench::Paths(paths) => paths.execute(),
            Bench::Latency(latency) => latency.execute(),
            Bench::Growth(growth) => growth.execute(),
            Bench::Crowd(crowd) => crowd.execute(),
        }
    }
}

/// How measurements are shown.
#[derive(Args)]
struct Shown {
    /// One JSON object per row of the table
    #[arg(long, help_heading = "Output")]
    json: bool,
    /// Also draw a plot; the name ends in .svg or .png
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    plot: Option<PathBuf>,
}

impl Shown {
    /// Refuses a plot that cannot be written, or would overwrite a file that is read, before anything is measured.
    fn check(&self, inputs: impl IntoIterator<Item = PathBuf>) -> Result<(), Failure> {
        let Some(path) = &self.plot else { return Ok(()) };
        Format::of(path)?;
        refuse_overwriting(path, inputs)?;
        check_writable(path)
    }

    /// Prints rows as JSON, each with what is common to all; or else the text.
    fn print<R: Serialize>(
        &self,
        rows: &[R],
        common: &Value,
        text: impl FnOnce() -> Vec<String>,
    ) -> Result<(), Failure> {
        let mut out = BufWriter::new(io::stdout().lock());
        if self.json {
            for row in rows {
                let mut row = serde_json::to_value(row).expect("rows are plain data");
                if let (Value::Object(row), Value::Object(common)) = (&mut row, common) {
                    row.extend(common.clone());
                }
                writeln!(out, "{row}")?;
            }
        } else {
            writeln!(out, "{}", text().join("\n\n"))?;
        }
        Ok(out.flush()?)
    }

    /// Writes the plot, if one is asked for.
    fn draw(&self, svg: impl FnOnce() -> String) -> Result<(), Failure> {
        let Some(path) = &self.plot else { return Ok(()) };
        Format::of(path)?.write(svg(), path)
    }
}

/// Measures with a progress bar, until it is done or stopped.
fn watched<T>(
    steps: usize,
    what: &'static str,
    stop: &AtomicBool,
    measure: impl FnOnce(Control<'_>) -> T,
) -> T {
    let bar = progress(steps as u64, what);
    bar.tick();
    let measured = measure(Control { stop, step: &|| bar.inc(1) });
    bar.finish_and_clear();
    measured
}

/// A table without a frame: the first columns to the left, the others to the right.
fn table(header: &[&str], left: usize, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header);
    table.add_rows(rows);
    for column in table.column_iter_mut().skip(left) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    lines(&table).join("\n")
}

/// A number, or nothing.
fn optional(value: Option<f64>, digits: usize) -> String {
    value.map_or(String::new(), |value| format!("{value:.digits$}"))
}

/// The folder of maps, which must be one.
fn folder(maps: Option<&Path>) -> Result<Option<&Path>, Failure> {
    match maps {
        Some(folder) if !folder.is_dir() => {
            let fault =
                if folder.exists() { "this is not a folder" } else { "there is no such folder" };
            Err(Failure::input(format!("{}: {fault}", tickstar_lab::text::path(folder))))
        }
        maps => Ok(maps),
    }
}
