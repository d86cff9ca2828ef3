//! Running times on this machine: what the papers measured with a clock. They differ from run to run, so they have
//! records and a report of their own, apart from what is counted.

use super::claim::{Check, Draft, interval, short};
use super::evidence::{Evidence, Kept};
use super::report::{PaperReport, Report, ReportTable, TableRow};
use super::setup::at;
use super::{Paper, Settings, Size, tbaa, tbbfs};
use crate::Timing;
use crate::experiment::Experiment;
use crate::statistics::Estimate;

/// The lengths of intervals in microseconds: the paper's 0.3, 0.9 and 1.5 ms.
const MICROS: [u64; 3] = [300, 900, 1500];

/// The lengths that are run. Quick maps are smaller, and so are their searches.
fn micros(settings: &Settings) -> [u64; 3] {
    let quick = !settings.papers_maps() && settings.size == Size::Quick;
    if quick { MICROS.map(|micros| micros / 10) } else { MICROS }
}

/// What is run, one problem at a time.
pub fn experiments(settings: &Settings) -> Vec<Experiment> {
    let mut all = Vec::new();
    if settings.papers.contains(&Paper::Tbaa) {
        all.extend(tbaa::clocked(settings, &micros(settings)));
    }
    if settings.papers.contains(&Paper::Tbbfs) {
        all.extend(tbbfs::timed_experiments(settings));
    }
    all
}

/// What they show.
pub fn report(settings: &Settings, e: &mut Evidence<'_>) -> Report {
    let mut papers = Vec::new();
    if settings.papers.contains(&Paper::Tbaa) {
        papers.push(tbaa_report(settings, e));
    }
    if settings.papers.contains(&Paper::Tbbfs) {
        papers.push(tbbfs_report(settings, e));
    }
    let about = vec![
        "Running times on one machine, one problem at a time. They differ from run to run and from machine to machine."
            .to_string(),
        super::claim::VERDICTS.to_string(),
        format!("tickstar {}.", env!("CARGO_PKG_VERSION")),
    ];
    Report { title: "tickstar: running times", about, papers }
}

/// The report that kept evidence gives.
///
/// # Errors
/// When the evidence does not say what was run, or lacks something: the names.
pub fn report_of_kept(kept: &Kept) -> Result<Report, Vec<String>> {
    let settings =
        super::folder::settings(&kept.run).ok_or_else(|| vec!["what was run".to_string()])?;
    let mut evidence = Evidence::of_kept(kept);
    let report = report(&settings, &mut evidence);
    let missing = evidence.missing().to_vec();
    if missing.is_empty() { Ok(report) } else { Err(missing) }
}

fn tbaa_report(settings: &Settings, e: &mut Evidence<'_>) -> PaperReport {
    let (tables, lengths) = (tbaa::tables(), micros(settings));
    let mut claims = Vec::new();
    // Intervals of one algorithm over those of another, for each length.
    let ahead = |e: &mut Evidence<'_>, experiment: &str, first: &str, others: &[(&str, &str)]| {
        let (mut checks, mut ours) = (Vec::new(), Vec::new());
        for (other, name) in others {
            let mut ratios: Vec<Estimate> = Vec::new();
            for micros in lengths {
                let (over, under) = (at(first, micros), at(other, micros));
                let ratio = e.ratio(&tbaa::by_clock(experiment), "intervals", &over, &under);
                checks.push(Check::less(format!("{name}, {} ms", millis(micros)), ratio));
                ratios.push(ratio);
            }
            ours.push(format!("{name}: {} to {}", short(ratios[0].value), short(ratios[2].value)));
        }
        (checks, ours.join("; "))
    };
    let rivals = [
        ("repeated-astar", "Repeated A*"),
        ("adaptive-astar", "Adaptive A*"),
        ("rtaa", "RTAA*"),
        ("da-rtaa", "daRTAA*"),
    ];
    for (key, experiment, words, first, others) in [
        (
            "tbaa-clock-known",
            "tbaa-known",
            "By the clock, in known terrain TBA* needs fewer intervals than RTAA* and daRTAA*.",
            "tba:trace=free",
            &rivals[2..],
        ),
        (
            "tbaa-clock-unknown",
            "tbaa-unknown",
            "By the clock, in unknown terrain TBAA* needs fewer intervals than Repeated A*, Adaptive A*, RTAA* and daRTAA*.",
            "tbaa:trace=free",
            &rivals[..],
        ),
        (
            "tbaa-clock-partial",
            "tbaa-partial",
            "By the clock, in partially unknown terrain TBAA* needs fewer intervals than those.",
            "tbaa:trace=free",
            &rivals[..],
        ),
    ] {
        let draft = Draft::new(e, |e| {
            let (checks, ours) = ahead(e, experiment, first, others);
            let (least, most) = (millis(lengths[0]), millis(lengths[2]));
            Draft {
                key,
                words,
                place: "tables 1 to 3, by milliseconds",
                paper: "fewer, for each length",
                ours: format!("ratios for {least} to {most} ms: {ours}"),
                note: "Today's machines search several times as much in a millisecond as the paper's, so complete \
                    searches end sooner.",
                checks,
            }
        });
        claims.push(draft.judge(settings.papers_maps()));
    }
    let tables = tables.map(|table| {
        let mut rows = Vec::new();
        for column in table.columns {
            let paper = [0, 2, 4].map(|nth| short(column.intervals[nth]));
            rows.push(TableRow {
                name: format!("{}, paper", column.name),
                of_paper: true,
                cells: paper.into(),
            });
            let experiment = tbaa::by_clock(table.experiment);
            let mean =
                |micros| short(e.mean(&experiment, "intervals", &at(column.text, micros)).value);
            rows.push(TableRow {
                name: column.name.into(),
                of_paper: false,
                cells: lengths.map(mean).into(),
            });
        }
        ReportTable {
            key: match table.key {
                "tbaa-table-1" => "tbaa-clock-table-1",
                "tbaa-table-2" => "tbaa-clock-table-2",
                _ => "tbaa-clock-table-3",
            },
            title: format!("{}, intervals by the clock", table.title),
            columns: std::iter::once(String::new())
                .chain(lengths.map(|micros| format!("{} ms", millis(micros))))
                .collect(),
            rows,
            note: String::new(),
        }
    });
    PaperReport {
        key: "tbaa",
        name: "TBAA*",
        citation: tbaa::CITATION,
        setup: vec!["Each interval ends when its milliseconds are over; all work counts.".into()],
        claims,
        tables: tables.into(),
        figures: Vec::new(),
        pictures: Vec::new(),
    }
}

fn millis(micros: u64) -> String {
    (micros as f64 / 1000.0).to_string()
}

fn tbbfs_report(settings: &Settings, e: &mut Evidence<'_>) -> PaperReport {
    let classes = tbbfs::classes();
    let ratio = |e: &mut Evidence<'_>, experiment: &str, over: &str, under: &str, k: u64| {
        e.ratio(&tbbfs::by_clock(experiment), "milliseconds", &at(over, k), &at(under, k))
    };
    let mut falls = (Vec::new(), Vec::new());
    let mut greedy = (Vec::new(), Vec::new());
    let mut weighted = (Vec::new(), Vec::new());
    let mut six = (Vec::new(), Vec::new());
    for (experiment, name, ks) in classes {
        for &k in ks {
            let less = ratio(e, experiment, tbbfs::W3, tbbfs::TBA, k);
            falls.0.push(Check::less(format!("{name}, k = {k}"), less));
            falls.1.push((k == 1).then(|| format!("{name}: {}", short(less.value))));
            let less = ratio(e, experiment, tbbfs::GREEDY, tbbfs::TBA, k);
            greedy.0.push(Check::less(format!("{name}, k = {k}"), less));
            greedy.1.push((k == 1).then(|| format!("{name}: {}", short(less.value))));
            let less = ratio(e, experiment, tbbfs::W3, tbbfs::GREEDY, k);
            weighted.0.push(Check::less(format!("{name}, k = {k}"), less));
            weighted.1.push((k == 1).then(|| format!("{name}: {}", short(less.value))));
            if ks.contains(&512) && k > 128 {
                for (text, who) in [(tbbfs::W3, "w = 3"), (tbbfs::GREEDY, "TB-GBFS")] {
                    let factor = ratio(e, experiment, tbbfs::TBA, text, k);
                    six.0.push(Check::factor(format!("k = {k}, {who}"), factor, 6.0));
                    six.1.push(Some(format!("{who}, k = {k}: {}", interval(factor))));
                }
            }
        }
    }
    let mut lazy = (Vec::new(), Vec::new());
    let mut best = (Vec::new(), Vec::new());
    for rate in tbbfs::RATES {
        for weight in tbbfs::WEIGHTS {
            let experiment = tbbfs::by_clock(&tbbfs::restarting(rate));
            let [first, second] =
                ["lazy", "eager"].map(|restart| at(&tbbfs::repeated(weight, restart), 0));
            let less = e.ratio(&experiment, "milliseconds", &first, &second);
            lazy.0.push(Check::less(format!("cr = {rate}, w = {weight}"), less));
            let told = ["1", "3"].contains(&weight);
            lazy.1.push(told.then(|| format!("cr = {rate}, w = {weight}: {}", short(less.value))));
        }
        let experiment = tbbfs::by_clock(&tbbfs::moving(rate));
        for (weight, k_best) in [("1", 4), ("3", 1)] {
            for k in tbbfs::MOVING_K.into_iter().filter(|&k| k != k_best) {
                let who = tbbfs::repeated(weight, "lazy");
                let less = e.ratio(&experiment, "milliseconds", &at(&who, k_best), &at(&who, k));
                best.0.push(Check::less(
                    format!("cr = {rate}, w = {weight}, k = {k_best} / {k}"),
                    less,
                ));
                let told = k == 256;
                best.1.push(
                    told.then(|| format!("cr = {rate}, w = {weight}: {}", short(less.value))),
                );
            }
        }
    }
    let draft = |key,
                 words,
                 place,
                 paper,
                 (checks, ours): (Vec<Check>, Vec<Option<String>>),
                 what: &str| {
        let ours = ours.into_iter().flatten().collect::<Vec<_>>().join("; ");
        Draft { key, words, place, paper, ours: format!("{what}: {ours}"), note: "", checks }
    };
    let drafts = [
        draft(
            "tbbfs-clock-falls",
            "With w = 3 searching takes less time than with w = 1.",
            "figure 2",
            "less",
            falls,
            "milliseconds, w = 3 over TBA*, k = 1",
        ),
        draft(
            "tbbfs-clock-greedy",
            "TB-GBFS is faster than TBA*.",
            "search time",
            "faster",
            greedy,
            "milliseconds, TB-GBFS over TBA*, k = 1",
        ),
        draft(
            "tbbfs-clock-weighted",
            "In most cases TB-WA* is faster than TB-GBFS.",
            "search time",
            "faster in most cases",
            weighted,
            "milliseconds, w = 3 over TB-GBFS, k = 1",
        ),
        draft(
            "tbbfs-clock-six-times",
            "On large maps, also with high lookahead values, w = 3 and TB-GBFS are at least six times faster than TBA*.",
            "search time",
            "6 times",
            six,
            "milliseconds of TBA* over those of the others",
        ),
        draft(
            "tbbfs-clock-best",
            "On changing maps the running time is best with lookahead 4 for w = 1, and with 1 for w > 1.",
            "figure 5",
            "4 and 1",
            best,
            "milliseconds with that lookahead over those with 256",
        ),
        draft(
            "tbbfs-clock-lazy",
            "Lazy restarts are substantially faster than eager ones.",
            "figure 6",
            "substantially faster",
            lazy,
            "milliseconds, lazy over eager",
        ),
    ];
    let claims = drafts.into_iter().map(|draft| draft.judge(settings.papers_maps())).collect();
    let mut rows = Vec::new();
    for (experiment, name, ks) in classes {
        for &k in ks {
            let mean = |text: &str| {
                short(e.mean(&tbbfs::by_clock(experiment), "milliseconds", &at(text, k)).value)
            };
            let cells = tbbfs::STATIC.map(mean).into();
            rows.push(TableRow { name: format!("{name}, k = {k}"), of_paper: false, cells });
        }
    }
    let table = ReportTable {
        key: "tbbfs-clock-table",
        title: "Milliseconds of all ticks of a walk (figure 2)".into(),
        columns: std::iter::once(String::new()).chain(tbbfs::NAMES.map(String::from)).collect(),
        rows,
        note: String::new(),
    };
    PaperReport {
        key: "tbbfs",
        name: "TB-WA* and TB-GBFS",
        citation: tbbfs::CITATION,
        setup: vec![
            "The time of all ticks of an agent, without that of the world around it.".into(),
        ],
        claims,
        tables: vec![table],
        figures: Vec::new(),
        pictures: Vec::new(),
    }
}

/// An experiment whose times are measured.
pub(super) fn timed(experiment: Experiment, name: String, timing: Timing) -> Experiment {
    Experiment { name, timing, block: 1, ..experiment }
}
