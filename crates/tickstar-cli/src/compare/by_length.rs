//! The table of `compare --by-length`: percentiles by the length of the shortest path.

use comfy_table::{Table, presets};
use tickstar_lab::{ByLength, Contestant, LengthRow, Sample};

use super::{Report, align, budget_name};

/// The table of all contestants' samples.
pub fn report(
    contestants: &[(&Contestant, Vec<Sample>)],
    problems: usize,
    by_length: &ByLength,
) -> Report {
    let mut header = vec!["algorithm", "budget", "lengths", "problems"];
    header.extend(by_length.columns.iter().map(|column| column.title));
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    for LengthRow { name, budget, lengths, problems, values } in &by_length.rows {
        let lengths = lengths.map_or("all".to_string(), |(from, to)| format!("{from} to {to}"));
        let mut row = vec![name.clone(), budget_name(*budget), lengths, problems.to_string()];
        row.extend(
            by_length
                .columns
                .iter()
                .zip(values)
                .map(|(column, value)| value.map_or(String::new(), |value| column.show(value))),
        );
        table.add_row(row);
    }
    align(&mut table);
    let frames = "\nslowdown: frames over those without planning time · over optimal: frames over those \
                  of a shortest path";
    let timed = by_length.columns.iter().any(|column| column.timed);
    let legend = format!(
        "lengths: of the shortest path in cells, from the first up to but without the second · length: walked, over the \
         shortest · within: the share of walks longer by at most this · gain: the expansions of {} over \
         these on the same problem · p50: half of the values are at most this, and so on{}",
        contestants[0].0.title(),
        if timed { frames } else { "" }
    );
    Report {
        csv: by_length.csv(),
        table,
        legend,
        missing: missing(contestants, problems),
        finding: None,
    }
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
