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

/// The rivals of TBA* and TBAA*; TBA* is compared with the last two.
const RIVALS: [(&str, &str); 4] = [
    ("repeated-astar", "Repeated A*"),
    ("adaptive-astar", "Adaptive A*"),
    ("rtaa", "RTAA*"),
    ("da-rtaa", "daRTAA*"),
];

fn tbaa_report(settings: &Settings, e: &mut Evidence<'_>) -> PaperReport {
    let lengths = micros(settings);
    let mut claims = Vec::new();
    for (key, experiment, words, first, others) in [
        (
            "tbaa-clock-known",
            "tbaa-known",
            "By the clock, in known terrain TBA* needs fewer intervals than RTAA* and daRTAA*.",
            "tba:trace=free",
            &RIVALS[2..],
        ),
        (
            "tbaa-clock-unknown",
            "tbaa-unknown",
            "By the clock, in unknown terrain TBAA* needs fewer intervals than Repeated A*, Adaptive A*, RTAA* and daRTAA*.",
            "tbaa:trace=free",
            &RIVALS[..],
        ),
        (
            "tbaa-clock-partial",
            "tbaa-partial",
            "By the clock, in partially unknown terrain TBAA* needs fewer intervals than those.",
            "tbaa:trace=free",
            &RIVALS[..],
        ),
    ] {
        let draft = Draft::new(e, |e| {
            let (checks, ours) = fewer_intervals(e, experiment, first, others, lengths);
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
    PaperReport {
        key: "tbaa",
        name: "TBAA*",
        citation: tbaa::CITATION,
        setup: vec!["Each interval ends when its milliseconds are over; all work counts.".into()],
        claims,
        tables: tbaa::tables().map(|table| intervals_table(e, table, lengths)).into(),
        figures: Vec::new(),
        pictures: Vec::new(),
    }
}

/// Intervals of one algorithm over those of others, for each length.
fn fewer_intervals(
    e: &mut Evidence<'_>,
    experiment: &str,
    first: &str,
    others: &[(&str, &str)],
    lengths: [u64; 3],
) -> (Vec<Check>, String) {
    let (mut checks, mut ours) = (Vec::new(), Vec::new());
    for (other, name) in others {
        let ratios = lengths.map(|micros| {
            let (over, under) = (at(first, micros), at(other, micros));
            let ratio = e.ratio(&tbaa::by_clock(experiment), "intervals", &over, &under);
            checks.push(Check::less(format!("{name}, {} ms", millis(micros)), ratio));
            ratio.value
        });
        ours.push(format!("{name}: {} to {}", short(ratios[0]), short(ratios[2])));
    }
    (checks, ours.join("; "))
}

fn intervals_table(
    e: &mut Evidence<'_>,
    table: &tbaa::PaperTable,
    lengths: [u64; 3],
) -> ReportTable {
    let mut rows = Vec::new();
    for column in table.columns {
        let paper = [0, 2, 4].map(|nth| short(column.intervals[nth]));
        let name = format!("{}, paper", column.name);
        rows.push(TableRow { name, of_paper: true, cells: paper.into() });
        let experiment = tbaa::by_clock(table.experiment);
        let mean = |micros| short(e.mean(&experiment, "intervals", &at(column.text, micros)).value);
        let cells = lengths.map(mean).into();
        rows.push(TableRow { name: column.name.into(), of_paper: false, cells });
    }
    let lengths = lengths.map(|micros| format!("{} ms", millis(micros)));
    ReportTable {
        key: match table.key {
            "tbaa-table-1" => "tbaa-clock-table-1",
            "tbaa-table-2" => "tbaa-clock-table-2",
            _ => "tbaa-clock-table-3",
        },
        title: format!("{}, intervals by the clock", table.title),
        columns: std::iter::once(String::new()).chain(lengths).collect(),
        rows,
        note: String::new(),
    }
}

fn millis(micros: u64) -> String {
    (micros as f64 / 1000.0).to_string()
}

/// The comparisons of a claim, and what is told of them.
#[derive(Default)]
struct Compared {
    checks: Vec<Check>,
    ours: Vec<String>,
}

impl Compared {
    fn add(&mut self, check: Check) {
        self.checks.push(check);
    }

    fn tell(&mut self, what: &str, ratio: Estimate) {
        self.ours.push(format!("{what}: {}", short(ratio.value)));
    }

    fn draft(
        self,
        (key, words): (&'static str, &'static str),
        (place, paper): (&'static str, &'static str),
        what: &str,
        note: &'static str,
    ) -> Draft {
        let ours = format!("{what}: {}", self.ours.join("; "));
        Draft { key, words, place, paper, ours, note, checks: self.checks }
    }
}

fn tbbfs_report(settings: &Settings, e: &mut Evidence<'_>) -> PaperReport {
    let mut drafts: Vec<Draft> = static_times(e).into();
    drafts.extend(changing_times(e));
    PaperReport {
        key: "tbbfs",
        name: "TB-WA* and TB-GBFS",
        citation: tbbfs::CITATION,
        setup: vec![
            "The time of all ticks of an agent, without that of the world around it.".into(),
        ],
        claims: drafts.into_iter().map(|draft| draft.judge(settings.papers_maps())).collect(),
        tables: vec![milliseconds_table(e)],
        figures: Vec::new(),
        pictures: Vec::new(),
    }
}

/// Why a comparison of times may not be decided.
const FEW: &str =
    "Times of so few problems differ too much to tell some of the comparisons from chance.";

/// On maps that do not change.
fn static_times(e: &mut Evidence<'_>) -> [Draft; 4] {
    let mut ratio = |experiment: &str, over: &str, under: &str, k: u64| {
        e.ratio(&tbbfs::by_clock(experiment), "milliseconds", &at(over, k), &at(under, k))
    };
    let [mut falls, mut greedy, mut weighted, mut six] = [(); 4].map(|()| Compared::default());
    let (mut faster, mut all) = (0, 0);
    for (experiment, name, ks) in tbbfs::classes() {
        for &k in ks {
            let what = format!("{name}, k = {k}");
            let less = [
                ratio(experiment, tbbfs::W3, tbbfs::TBA, k),
                ratio(experiment, tbbfs::GREEDY, tbbfs::TBA, k),
                ratio(experiment, tbbfs::W3, tbbfs::GREEDY, k),
            ];
            falls.add(Check::less(what.clone(), less[0]));
            greedy.add(Check::less(what, less[1]));
            all += 1;
            faster += usize::from(less[2].high < 1.0);
            if k == 1 {
                falls.tell(name, less[0]);
                greedy.tell(name, less[1]);
                weighted.tell(name, less[2]);
            }
            if ks.contains(&512) && k > 128 {
                for (text, who) in [(tbbfs::W3, "w = 3"), (tbbfs::GREEDY, "TB-GBFS")] {
                    let factor = ratio(experiment, tbbfs::TBA, text, k);
                    six.add(Check::factor(format!("k = {k}, {who}"), factor, 6.0));
                    six.ours.push(format!("{who}, k = {k}: {}", interval(factor)));
                }
            }
        }
    }
    weighted.add(Check::most("comparisons", faster, all));
    [
        falls.draft(
            ("tbbfs-clock-falls", "With w = 3 searching takes less time than with w = 1."),
            ("figure 2", "less"),
            "milliseconds, w = 3 over TBA*, k = 1",
            FEW,
        ),
        greedy.draft(
            ("tbbfs-clock-greedy", "TB-GBFS is faster than TBA*."),
            ("search time", "faster"),
            "milliseconds, TB-GBFS over TBA*, k = 1",
            FEW,
        ),
        weighted.draft(
            ("tbbfs-clock-weighted", "In most cases TB-WA* is faster than TB-GBFS."),
            ("search time", "faster in most cases"),
            &format!(
                "faster in {faster} of {all} comparisons; milliseconds, w = 3 over TB-GBFS, k = 1"
            ),
            "TB-GBFS expands fewer nodes here, and walks farther with larger lookahead values: as many problems as were \
             timed do not tell which of them is faster.",
        ),
        six.draft(
            (
                "tbbfs-clock-six-times",
                "On large maps, also with high lookahead values, w = 3 and TB-GBFS are at least six times faster than TBA*.",
            ),
            ("search time", "6 times"),
            "milliseconds of TBA* over those of the others",
            FEW,
        ),
    ]
}

/// On maps that change.
fn changing_times(e: &mut Evidence<'_>) -> [Draft; 2] {
    let [mut best, mut lazy] = [(); 2].map(|()| Compared::default());
    for rate in tbbfs::RATES {
        let experiment = tbbfs::by_clock(&tbbfs::restarting(rate));
        for weight in tbbfs::WEIGHTS {
            let [first, second] =
                ["lazy", "eager"].map(|restart| at(&tbbfs::repeated(weight, restart), 0));
            let less = e.ratio(&experiment, "milliseconds", &first, &second);
            let what = format!("cr = {rate}, w = {weight}");
            if ["1", "3"].contains(&weight) {
                lazy.tell(&what, less);
            }
            lazy.add(Check::less(what, less));
        }
        let experiment = tbbfs::by_clock(&tbbfs::moving(rate));
        for weight in tbbfs::WEIGHTS {
            let k_best = if weight == "1" { 4 } else { 1 };
            for k in tbbfs::MOVING_K.into_iter().filter(|&k| k != k_best) {
                let who = tbbfs::repeated(weight, "lazy");
                let less = e.ratio(&experiment, "milliseconds", &at(&who, k_best), &at(&who, k));
                if k == 256 && ["1", "3"].contains(&weight) {
                    best.tell(&format!("cr = {rate}, w = {weight}"), less);
                }
                best.add(Check::less(
                    format!("cr = {rate}, w = {weight}, k = {k_best} / {k}"),
                    less,
                ));
            }
        }
    }
    [
        best.draft(
            (
                "tbbfs-clock-best",
                "On changing maps the running time is best with lookahead 4 for w = 1, and with 1 for w > 1.",
            ),
            ("figure 5", "4 and 1"),
            "milliseconds with that lookahead over those with 256",
            "A change concerns up to 100,000 cells here, and to compare them with a path takes longer than a search. With a \
             larger lookahead the path is longer, so that nearly every change cuts it, and a search begins without more \
             comparisons; with a small one it is seldom cut.",
        ),
        lazy.draft(
            ("tbbfs-clock-lazy", "Lazy restarts are substantially faster than eager ones."),
            ("figure 6", "substantially faster"),
            "milliseconds, lazy over eager",
            "Lazy restarts search far less (see the report of what is counted). But a change concerns up to 100,000 cells, \
             which a lazy agent has to compare with its path, and a search on so open a map takes less time than that. The \
             paper's searches took longer.",
        ),
    ]
}

fn milliseconds_table(e: &mut Evidence<'_>) -> ReportTable {
    let mut rows = Vec::new();
    for (experiment, name, ks) in tbbfs::classes() {
        for &k in ks {
            let mean = |text: &str| {
                short(e.mean(&tbbfs::by_clock(experiment), "milliseconds", &at(text, k)).value)
            };
            let cells = tbbfs::STATIC.map(mean).into();
            rows.push(TableRow { name: format!("{name}, k = {k}"), of_paper: false, cells });
        }
    }
    ReportTable {
        key: "tbbfs-clock-table",
        title: "Milliseconds of all ticks of a walk (figure 2)".into(),
        columns: std::iter::once(String::new()).chain(tbbfs::NAMES.map(String::from)).collect(),
        rows,
        note: String::new(),
    }
}

/// An experiment whose times are measured.
pub(super) fn timed(experiment: Experiment, name: String, timing: Timing) -> Experiment {
    Experiment { name, timing, block: 1, ..experiment }
}
