//! The table of `compare --by-length`: percentiles by the length of the shortest path.

use comfy_table::{Table, presets};
use tickstar_lab::{Sample, Spread};

use super::{Contestant, Report, align, budget_name};

/// A column of percentiles or shares.
struct Column {
    /// Its name in CSV, and in the table.
    names: (&'static str, &'static str),
    value: fn(&Spread) -> Option<f64>,
    /// How many digits the table has; none: a share, in percent.
    digits: Option<usize>,
    /// Whether it is about frames.
    timed: bool,
}

const fn column(
    names: (&'static str, &'static str),
    digits: usize,
    value: fn(&Spread) -> Option<f64>,
) -> Column {
    Column { names, value, digits: Some(digits), timed: false }
}

/// The share of problems whose walk is within a percentage of the shortest.
const fn share(names: (&'static str, &'static str), value: fn(&Spread) -> Option<f64>) -> Column {
    Column { names, value, digits: None, timed: false }
}

const fn timed(names: (&'static str, &'static str), value: fn(&Spread) -> Option<f64>) -> Column {
    Column { names, value, digits: Some(3), timed: true }
}

const COLUMNS: [Column; 17] = [
    column(("suboptimality_p50", "length p50"), 4, |s| s.suboptimality.percentile(50)),
    column(("suboptimality_p95", "p95"), 4, |s| s.suboptimality.percentile(95)),
    column(("suboptimality_p98", "p98"), 4, |s| s.suboptimality.percentile(98)),
    column(("suboptimality_max", "max"), 4, |s| s.suboptimality.percentile(100)),
    share(("within_half_percent", "within 0.5 %"), |s| s.suboptimality.share_up_to(1.005)),
    share(("within_1_percent", "1 %"), |s| s.suboptimality.share_up_to(1.01)),
    share(("within_10_percent", "10 %"), |s| s.suboptimality.share_up_to(1.1)),
    column(("expansions_p5", "expansions p5"), 0, |s| s.expansions.percentile(5)),
    column(("expansions_p50", "p50"), 0, |s| s.expansions.percentile(50)),
    column(("expansions_p95", "p95"), 0, |s| s.expansions.percentile(95)),
    column(("gain_p5", "gain p5"), 2, |s| s.gain.percentile(5)),
    column(("gain_p50", "p50"), 2, |s| s.gain.percentile(50)),
    column(("gain_p95", "p95"), 2, |s| s.gain.percentile(95)),
    timed(("slowdown_p50", "slowdown p50"), |s| s.slowdown.percentile(50)),
    timed(("slowdown_p98", "p98"), |s| s.slowdown.percentile(98)),
    timed(("over_optimal_p50", "over optimal p50"), |s| s.over_optimal.percentile(50)),
    timed(("over_optimal_p98", "p98"), |s| s.over_optimal.percentile(98)),
];

/// The spread of each contestant's samples in each bucket of so many cells, and of all of them.
pub fn report(
    contestants: &[(&Contestant, Vec<Sample>)],
    problems: usize,
    width: u64,
    timed: bool,
) -> Report {
    let columns: Vec<_> = COLUMNS.iter().filter(|column| timed || !column.timed).collect();
    let mut csv = String::from("algorithm,budget,from,to,problems");
    let mut header: Vec<_> = ["algorithm", "budget", "lengths", "problems"].into();
    for Column { names: (name, title), .. } in &columns {
        csv = csv + "," + name;
        header.push(title);
    }
    csv.push('\n');
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    for (who, samples) in contestants {
        let buckets = Spread::by_length(samples, width).into_iter().map(|(nth, spread)| {
            let (from, to) = ((nth * width).to_string(), ((nth + 1) * width).to_string());
            (format!("{from} to {to}"), [from, to], spread)
        });
        let all = ("all".to_string(), ["all", "all"].map(String::from), Spread::of(samples));
        for (lengths, [from, to], spread) in buckets.chain([all]) {
            let (name, count) = (who.name.clone(), spread.problems.to_string());
            let budget = who.budget.map_or(String::new(), |budget| budget.to_string());
            let mut fields = vec![name.clone(), budget, from, to, count.clone()];
            let mut cells = vec![name, budget_name(who.budget), lengths, count];
            for column in &columns {
                let value = (column.value)(&spread);
                fields.push(value.map_or(String::new(), |value| value.to_string()));
                cells.push(value.map_or(String::new(), |value| match column.digits {
                    Some(digits) => format!("{value:.digits$}"),
                    None => format!("{:.1} %", 100.0 * value),
                }));
            }
            csv = csv + &fields.join(",") + "\n";
            table.add_row(cells);
        }
    }
    align(&mut table);
    let frames = "\nslowdown: frames over those without thinking · over optimal: frames over those of \
                  a shortest path";
    let legend = format!(
        "lengths: of the shortest path, in cells, the second not included · length: walked, over the \
         shortest · within: the share of walks at most so much longer than it · gain: the expansions of \
         {} over these on the same problem · p50: half of the values are not above it, and so on{}",
        contestants[0].0.title(),
        if timed { frames } else { "" }
    );
    Report { csv, table, legend, missing: missing(contestants, problems) }
}

/// Who did not reach all goals, as those problems are in no row.
fn missing(contestants: &[(&Contestant, Vec<Sample>)], problems: usize) -> Option<String> {
    let lost = contestants.iter().filter(|(_, samples)| samples.len() < problems);
    let lost = lost.map(|(who, samples)| {
        format!("{} of {problems} by {}", problems - samples.len(), who.title())
    });
    let lost: Vec<_> = lost.collect();
    (!lost.is_empty()).then(|| format!("not reached, and in no row: {}", lost.join(", ")))
}
