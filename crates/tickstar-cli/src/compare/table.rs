//! The table of `compare`: which columns it has, what is in them, and what they mean.

use comfy_table::{Table, presets};
use tickstar_lab::text::{hint, quoted};
use tickstar_lab::{Comparison, Metric, Row, Section, Spread};

use super::{align, budget_name};
use crate::failure::Failure;
use crate::layout::{WIDTH, lines};

/// The columns that are shown unless others are requested, the most important ones first: those at the end are
/// left out where the table would be too wide.
const USUAL: [&str; 7] = [
    "suboptimality",
    "first_move_interval",
    "intervals",
    "slowdown",
    PREPARED,
    "expansions",
    "peak_bytes",
];

/// The column, named as in CSV, of what is made before a run.
const PREPARED: &str = "bytes_before";

/// A column besides those that every table has.
#[derive(Clone, Copy)]
enum Column {
    Metric(&'static Metric),
    /// What was made before, time and size.
    Prepared,
}

impl Column {
    fn name(self) -> &'static str {
        match self {
            Column::Metric(metric) => metric.name,
            Column::Prepared => PREPARED,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Column::Metric(metric) => metric.title().unwrap_or(metric.name),
            Column::Prepared => "made before",
        }
    }

    /// Whether this is what somebody means who names a column, as in CSV or as in the table.
    fn is_meant(self, text: &str) -> bool {
        let plain = |text: &str| text.trim().to_lowercase().replace(['-', ' '], "_");
        plain(text) == self.name() || plain(text) == plain(self.title())
    }

    fn value(self, Row { summary, .. }: &Row, needed: Option<(f64, f64)>) -> String {
        match self {
            Column::Metric(metric) => {
                summary.get(metric.name).map_or(String::new(), |value| metric.show(value))
            }
            Column::Prepared => match needed {
                Some((seconds, bytes)) => format!("{}, {:.1} MB", time(seconds), bytes / 1e6),
                None => "nothing".into(),
            },
        }
    }
}

/// Every column there can be, in the order of CSV.
fn all() -> Vec<Column> {
    let summary = Comparison { rows: Vec::new(), timed: true };
    let metrics = summary.metrics().map(Column::Metric);
    let frames = summary.frame_metrics().map(Column::Metric);
    metrics.chain([Column::Prepared]).chain(frames).collect()
}

/// Which columns are requested.
pub enum Choice {
    /// Those that matter most.
    Usual,
    All,
    Named(Vec<&'static str>),
}

impl Choice {
    /// Reads a list of names.
    pub fn of(names: &[String], timed: bool) -> Result<Choice, Failure> {
        match names {
            [] => return Ok(Choice::Usual),
            [name] if name == "all" => return Ok(Choice::All),
            _ => {}
        }
        let mut chosen = Vec::new();
        for name in names {
            let wrong = |why: &str| Err(Failure::usage(format!("--columns: {why}")));
            match name.trim() {
                "" => return wrong("the name of a column is missing"),
                "all" => return wrong("`all` stands alone, without other names"),
                always @ ("algorithm" | "budget" | "problems" | "reached") => {
                    return wrong(&format!("`{always}` is always there"));
                }
                _ => {}
            }
            let found =
                all().into_iter().find(|column| column.is_meant(name)).ok_or_else(|| {
                    let names = ["all"].into_iter().chain(all().into_iter().map(Column::name));
                    Failure::usage(format!(
                        "--columns: there is no column `{}`; {}",
                        quoted(name),
                        hint(name, names)
                    ))
                })?;
            if found.name() == "slowdown" && !timed {
                return Err(Failure::usage("--columns slowdown: frames are counted with --clock"));
            }
            if chosen.contains(&found.name()) {
                let name = quoted(name);
                return Err(Failure::usage(format!("--columns: `{name}` is given twice")));
            }
            chosen.push(found.name());
        }
        Ok(Choice::Named(chosen))
    }

    /// These columns of a comparison, in order, and whether some may be left out from the end.
    fn columns(&self, comparison: &Comparison) -> (Vec<Column>, bool) {
        let made = |column: &Column| match column {
            Column::Prepared => comparison.has_prepared(),
            Column::Metric(metric) => metric.section() != Some(Section::Frames) || comparison.timed,
        };
        let find = |name: &&str| all().into_iter().find(|column| column.name() == *name);
        match self {
            Choice::All => (all().into_iter().filter(made).collect(), false),
            Choice::Named(names) => (names.iter().filter_map(find).collect(), false),
            Choice::Usual => (USUAL.iter().filter_map(find).filter(made).collect(), true),
        }
    }
}

/// The table and what its columns mean, with the seconds and bytes that each contestant needed before. The
/// times are shown here alone, so that CSV is the same each time.
pub fn table(
    comparison: &Comparison,
    needs: &[Option<(f64, f64)>],
    choice: &Choice,
) -> (Table, String) {
    let (mut columns, may_shrink) = choice.columns(comparison);
    // What is asked for is shown.
    let spread = comparison.rows.first().map(|row| row.spread.as_slice()).unwrap_or_default();
    if may_shrink && !spread.is_empty() {
        columns = spread.iter().map(|spread| Column::Metric(spread.metric)).collect();
    }
    let mut table = drawn(comparison, needs, &columns);
    while may_shrink && spread.is_empty() && columns.len() > 1 && width(&table) > WIDTH {
        columns.pop();
        table = drawn(comparison, needs, &columns);
    }
    let mut legend = legend(&columns);
    if !spread.is_empty() {
        legend.push_str(
            "\n95 %: the confidence interval of the mean, by bootstrap over the problems",
        );
    }
    if may_shrink {
        legend.push_str("\nmore columns: --columns all");
    }
    (table, legend)
}

fn drawn(comparison: &Comparison, needs: &[Option<(f64, f64)>], columns: &[Column]) -> Table {
    let mut table = Table::new();
    let header = ["algorithm", "budget", "reached"].into_iter();
    table.load_style(presets::NOTHING);
    let spread = comparison.rows.first().map(|row| row.spread.as_slice()).unwrap_or_default();
    let titles = header.chain(columns.iter().map(|column| column.title())).map(str::to_string);
    let more = spread.iter().flat_map(|Spread { metric, .. }| {
        let title = metric.title().unwrap_or(metric.name);
        [format!("{title}, 95 %"), "median".to_string()]
    });
    table.set_header(titles.chain(more));
    for (row, &needed) in comparison.rows.iter().zip(needs) {
        let reached = format!("{}/{}", row.summary.reached, row.summary.problems);
        let first = [row.name.clone(), budget_name(row.budget), reached].into_iter();
        let values = first.chain(columns.iter().map(|column| column.value(row, needed)));
        let more = row.spread.iter().flat_map(|Spread { metric, mean, median }| {
            let show =
                |value: f64| if value.is_finite() { metric.show(value) } else { String::new() };
            let ends = if mean.exists() {
                format!("{} to {}", show(mean.low), show(mean.high))
            } else {
                String::new()
            };
            [ends, show(*median)]
        });
        table.add_row(values.chain(more));
    }
    align(&mut table);
    table
}

/// The characters of the longest line.
fn width(table: &Table) -> usize {
    lines(table).iter().map(|line| line.chars().count()).max().unwrap_or(0)
}

/// What the columns mean: a line of means, one of maxima, and one of the rest.
fn legend(columns: &[Column]) -> String {
    let (mut means, mut maxima, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for column in columns {
        match column {
            Column::Prepared => rest.push("made before: per map, mean".to_string()),
            Column::Metric(metric) => {
                let list = match metric.section() {
                    Some(Section::Worst) => &mut maxima,
                    Some(Section::Frames) => &mut rest,
                    _ => &mut means,
                };
                list.push(format!("{}: {}", column.title(), metric.meaning));
            }
        }
    }
    let lines = [("means — ", means), ("maxima — ", maxima), ("", rest)].into_iter();
    let lines = lines.filter(|(_, list)| !list.is_empty());
    let lines = lines.map(|(begin, list)| format!("{begin}{}", list.join(" · ")));
    lines.collect::<Vec<_>>().join("\n")
}

/// A time with a unit that suits it.
fn time(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.0} ms", 1e3 * seconds) } else { format!("{seconds:.1} s") }
}

#[cfg(test)]
mod tests {
    use tickstar_lab::METRICS;

    use super::*;

    #[test]
    fn usual_columns_exist() {
        for name in USUAL {
            assert!(all().iter().any(|column| column.name() == name), "{name}");
        }
        assert!(
            METRICS.iter().all(|metric| metric.section().is_none() || metric.title().is_some())
        );
    }
}
