//! The times of ticks, as `tickstar bench latency` measures them, and what they allocate: `cargo bench --bench latency`
//! prints a row per map, algorithm and budget.

mod maps;

use tickstar_lab::bench::Control;
use tickstar_lab::bench::latency::{Extent, contestants, measure};

fn main() {
    let extent = Extent::FULL;
    let sets = extent.problem_sets(maps::folder().as_deref()).expect("the maps and their problems");
    let count = |tick: &mut dyn FnMut()| allocation_counter::measure(tick).count_total;
    let report =
        measure(&sets, &contestants(), &[10, 100, 1000], extent, Some(&count), Control::none());
    println!(
        "{:<16} {:<30} {:>6} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7} {:>6} {:>5} {:>5}",
        "map",
        "algorithm",
        "budget",
        "ticks",
        "median",
        "p99",
        "p99.9",
        "max",
        "full",
        "p99.9/f",
        "max/f",
        "new",
        "warm"
    );
    for row in report.expect("episodes that repeat").rows {
        let micros = |ns: Option<u64>| ns.map_or(f64::NAN, |ns| ns as f64 / 1e3);
        let allocations = row.allocations.expect("counted");
        println!(
            "{:<16} {:<30} {:>6} {:>8} {:>8.2} {:>8.2} {:>8.2} {:>8.2} {:>8.2} {:>7.1} {:>6.1} {:>5} {:>5}",
            row.map,
            row.algorithm,
            row.budget,
            row.ticks,
            micros(row.median_ns),
            micros(row.p99_ns),
            micros(row.p999_ns),
            micros(Some(row.max_ns)),
            micros(row.full_ns),
            row.p999_over_full.unwrap_or(f64::NAN),
            row.max_over_full.unwrap_or(f64::NAN),
            allocations.new,
            allocations.warm
        );
    }
    println!(
        "\nTimes in microseconds; `full`: the median of ticks that spent half of their budget or more; `new`, `warm`: the most allocations in one tick."
    );
}
