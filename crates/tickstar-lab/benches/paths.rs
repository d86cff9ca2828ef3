//! Whole paths, as `tickstar bench paths` measures them: `cargo bench --bench paths` prints a row per solver. The other
//! crates take part with `--features peers`.

mod maps;

use tickstar_lab::bench::Control;
use tickstar_lab::bench::paths::{BASELINE, Extent, measure, solvers};

fn main() {
    let extent = Extent::FULL;
    let sets = extent.problem_sets(maps::folder().as_deref()).expect("the maps and their problems");
    let report = measure(&sets, &mut solvers(), extent.rounds, Control::none());
    let report = report.expect("every path is right");
    println!("{} problems on {}\n", report.problems, report.maps.join(", "));
    println!(
        "{:<30} {:>8} {:>10} {:>13} {:>7} {:>8}",
        "", "corners", "ms/problem", "ns/expansion", "times", "length"
    );
    for row in &report.rows {
        let number = |value: Option<f64>| value.map_or(String::new(), |n| format!("{n:.2}"));
        println!(
            "{:<30} {:>8} {:>10.4} {:>13} {:>7} {:>8.4}",
            row.solver,
            if row.corners { "allowed" } else { "never" },
            row.ms_per_problem,
            number(row.ns_per_expansion),
            number(row.times_as_fast),
            row.suboptimality
        );
    }
    println!("\n`times`: how many times as fast as {BASELINE}; `length`: over the shortest.");
}
