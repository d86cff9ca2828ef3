//! The PRA* paper: Sturtevant and Buro, AAAI 2005.

use tickstar::space::Corners;

use super::Settings;
use super::claim::{Check, Draft, interval, percent, short};
use super::evidence::{ANY, Evidence, Lengths};
use super::figures::{figure, line, panel, walks};
use super::report::{Figure, PaperReport, Picture, ReportTable, TableRow};
use super::setup::{course, experiment, with_budgets};
use crate::buckets::Buckets;
use crate::draw::ChartAxis;
use crate::experiment::{CoursePlan, Experiment, ProblemSource};
use crate::generate::Kind;
use crate::statistics::Estimate;
use crate::{Clock, Pace, WorldKind};

const ASTAR: &str = "astar";
const WHOLE: &str = "pra:k=inf";
/// Partial refinement, by k.
const PARTIAL: [(u32, &str); 4] =
    [(16, "pra:k=16"), (8, "pra:k=8"), (4, "pra:k=4"), (2, "pra:k=2")];
/// Other readings of the paper: where planning starts, and how wide corridors are.
const READINGS: [(&str, &str); 3] = [
    ("pra:k=inf:level=half", "start level half-way, as in the text"),
    ("pra:k=inf:level=1", "start level 1"),
    ("pra:k=inf:corridor=0", "corridors of the path's nodes alone"),
];
/// Milliseconds of planning in each frame: figure 7.
const CLOCKS: [u32; 3] = [1, 2, 10];
const PATHS: &str = "pra-paths";

/// The longest length.
const LONGEST: u32 = 512;

fn clocked(ms: u32) -> String {
    if ms == 1 { PATHS.into() } else { format!("pra-clock-{ms}") }
}

fn clock(ms: u32) -> Clock {
    let pace = Pace { think_ms: f64::from(ms), ..Pace::default() };
    Clock::new(pace).expect("a valid pace")
}

/// A contestant as it runs with this clock: its budget is what can be expanded in a frame.
fn at(text: &str, ms: u32) -> String {
    format!("{text}@{}", clock(ms).expansions_per_frame())
}

/// All maps of both games, with problems of all lengths.
fn courses(settings: &Settings, (maps, buckets, each): (usize, usize, usize)) -> Vec<CoursePlan> {
    let of = |folder, kind, most| settings.maps(folder, kind, most);
    let (games, warcraft) = if settings.papers_maps() { (maps, maps.div_ceil(2)) } else { (3, 3) };
    let maps = of("bg-512", Kind::Caves, games).into_iter();
    let maps = maps.chain(of("wc3-512", Kind::Islands, warcraft));
    let longest = longest(settings);
    let width = longest / buckets as u32;
    let problems = Buckets { from: 0, width, count: buckets, each, seed: 1 };
    let each =
        |map| course(map, ProblemSource::ByLength(problems), &WorldKind::Known, Corners::Never);
    maps.map(each).collect()
}

/// Quick maps are smaller.
fn longest(settings: &Settings) -> u32 {
    if settings.papers_maps() { LONGEST } else { settings.size.of(LONGEST / 2, LONGEST, LONGEST) }
}

/// What is run.
pub fn experiments(settings: &Settings) -> Vec<Experiment> {
    let size = settings.size;
    let mut all = Vec::new();
    for ms in CLOCKS {
        let mut texts = vec![ASTAR, WHOLE];
        texts.extend(PARTIAL.map(|(_, text)| text));
        if ms == 1 {
            texts.extend(READINGS.map(|(text, _)| text));
        }
        let budget = clock(ms).expansions_per_frame();
        let contestants =
            texts.into_iter().flat_map(|text| with_budgets(text, &[budget])).collect();
        let amount = match ms {
            1 => size.of((8, 64, 2), (63, 128, 5), (63, 128, 10)),
            _ => size.of((8, 32, 1), (63, 128, 1), (63, 128, 10)),
        };
        let found =
            experiment(&clocked(ms), courses(settings, amount), contestants, size.of(32, 128, 128));
        all.push(Experiment { clock: Some(clock(ms)), ..found });
    }
    all
}

/// The ranges of lengths of tables and claims.
fn ranges(settings: &Settings, count: u32) -> Vec<Lengths> {
    let width = longest(settings) / count;
    (0..count).map(|nth| (nth * width, (nth + 1) * width)).collect()
}

/// What it shows.
pub fn report(settings: &Settings, e: &mut Evidence<'_>) -> PaperReport {
    type Make = fn(&mut Evidence<'_>, &[Lengths]) -> Draft;
    let ranges = ranges(settings, 8);
    let all: [Make; 15] = [
        within_one_percent,
        within_half,
        rare,
        skewed,
        slower_growth,
        gain,
        longer,
        super_linear,
        same_time,
        larger_k,
        clocked_better,
        five_percent,
        spread,
        price,
        short_paths,
    ];
    let judge = |make: Make| Draft::new(e, |e| make(e, &ranges)).judge(settings.papers_maps());
    let claims = all.map(judge).into();
    let count = e.mean(PATHS, "cost", &at(ASTAR, 1)).count;
    PaperReport {
        key: "pra",
        name: "PRA*",
        citation: "N. Sturtevant, M. Buro: Partial Pathfinding Using Map Abstraction and Refinement. AAAI 2005, pages \
            1392–1397.",
        setup: vec![
            format!(
                "{count} problems of lengths 0 to {} on {}, the same number for each length (the paper: 148,480 on 116 \
                 maps of Baldur's Gate and Warcraft III, of which 93 are public). Corners are not cut.",
                longest(settings),
                if settings.papers_maps() {
                    "maps of both games"
                } else {
                    "generated caves and islands"
                }
            ),
            "Time is counted in expansions: 2.2 of them per microsecond, as on the paper's machine.".into(),
        ],
        claims,
        tables: vec![quality_table(e), effort_table(e, &ranges), clock_table(e, &ranges)],
        figures: figures(e, settings),
        pictures: corridor().into_iter().collect(),
    }
}

fn within_one_percent(e: &mut Evidence<'_>, _: &[Lengths]) -> Draft {
    let words = "98 % of the paths of PRA*(∞) are within 1 % of optimal.";
    within(e, "pra-within-1", words, 1.01, 0.98, "98 %")
}

fn within_half(e: &mut Evidence<'_>, _: &[Lengths]) -> Draft {
    let words = "95 % are within 0.5 % of optimal.";
    within(e, "pra-within-half", words, 1.005, 0.95, "95 %")
}

fn within(
    e: &mut Evidence<'_>,
    key: &'static str,
    words: &'static str,
    limit: f64,
    paper: f64,
    told: &'static str,
) -> Draft {
    let share = e.share(PATHS, "suboptimality", &at(WHOLE, 1), (0.0, limit));
    let first = e.share(PATHS, "suboptimality", &at(READINGS[1].0, 1), (0.0, limit));
    Draft {
        key,
        words,
        place: "figure 6a",
        paper: told,
        ours: format!(
            "{} [{}, {}]; with start level 1: {}",
            percent(share.value),
            percent(share.low),
            percent(share.high),
            percent(first.value)
        ),
        note: "The paper does not say how its levels are built or how wide its corridors are.",
        checks: vec![Check::share("all lengths", share, paper)],
    }
}

fn rare(e: &mut Evidence<'_>, _: &[Lengths]) -> Draft {
    let share = e.share(PATHS, "suboptimality", &at(WHOLE, 1), (0.0, 1.1));
    let most = e.most(PATHS, "suboptimality", &at(WHOLE, 1));
    Draft {
        key: "pra-rare",
        words: "Paths more than 10 % above optimal are very rare.",
        place: "figure 6a",
        paper: "very rare",
        ours: format!(
            "{:.3} % of the paths; the worst is {}",
            100.0 * (1.0 - share.value),
            short(most)
        ),
        note: "",
        checks: vec![Check::share("within 10 %", share, 0.999)],
    }
}

fn skewed(e: &mut Evidence<'_>, ranges: &[Lengths]) -> Draft {
    let mut checks = Vec::new();
    let mut ours = Vec::new();
    for &lengths in &ranges[2..] {
        let mut at_percent =
            |percent| e.percentile(PATHS, "expansions", &at(ASTAR, 1), percent, lengths);
        let [low, mid, high] = [5, 50, 95].map(&mut at_percent);
        let mut middle = high;
        (middle.value, middle.low, middle.high) = (
            f64::midpoint(low.value, high.value),
            f64::midpoint(low.low, high.low),
            f64::midpoint(low.high, high.high),
        );
        checks.push(Check::order(
            format!("median and middle, lengths {}", told(lengths)),
            mid,
            middle,
        ));
        ours = vec![format!(
            "expansions for lengths {}: {}, {}, {} (5th, 50th, 95th percentile)",
            told(lengths),
            short(low.value),
            short(mid.value),
            short(high.value)
        )];
    }
    Draft {
        key: "pra-skewed",
        words: "A*'s running time is skewed: its median lies below the middle of its 5th and 95th percentiles.",
        place: "figure 5a",
        paper: "median not centered",
        ours: ours.concat(),
        note: "",
        checks,
    }
}

fn told((from, to): Lengths) -> String {
    format!("{from} to {to}")
}

fn slower_growth(e: &mut Evidence<'_>, ranges: &[Lengths]) -> Draft {
    let mut checks = Vec::new();
    let mut ours = String::new();
    for &lengths in &ranges[ranges.len() - 4..] {
        for percent in [50, 95] {
            let mut of = |text| e.percentile(PATHS, "expansions", &at(text, 1), percent, lengths);
            let (pra, astar) = (of(WHOLE), of(ASTAR));
            ours = format!(
                "p{percent} for lengths {}: {} and {}",
                told(lengths),
                short(pra.value),
                short(astar.value)
            );
            checks.push(Check::order(format!("p{percent}, lengths {}", told(lengths)), pra, astar));
        }
    }
    Draft {
        key: "pra-slower-growth",
        words: "PRA*'s running time grows more slowly with the length than A*'s, with much smaller variance.",
        place: "figures 5a and 5b",
        paper: "slower, smaller",
        ours,
        note: "On short paths PRA* expands more than A*.",
        checks,
    }
}

fn gain(e: &mut Evidence<'_>, ranges: &[Lengths]) -> Draft {
    let (astar, pra) = (at(ASTAR, 1), at(WHOLE, 1));
    let gains: Vec<_> =
        ranges.iter().map(|&range| e.gain(PATHS, (&astar, &pra), 50, range)).collect();
    let mut checks = Vec::new();
    for nth in 2..gains.len() {
        let what = format!("lengths {} and {}", told(ranges[nth - 2]), told(ranges[nth]));
        checks.push(Check::order(what, gains[nth - 2], gains[nth]));
    }
    let medians = gains.iter().map(|gain| short(gain.value)).collect::<Vec<_>>().join(", ");
    Draft {
        key: "pra-gain",
        words: "The gain of PRA*(∞) over A* increases about linearly with the length.",
        place: "figure 5c",
        paper: "about linearly",
        ours: format!("median gain in expansions: {medians}"),
        note: "An expansion of PRA* takes two to three times as long as one of A* here.",
        checks,
    }
}

fn longer(e: &mut Evidence<'_>, _: &[Lengths]) -> Draft {
    let mut p98 = |text| e.percentile(PATHS, "suboptimality", &at(text, 1), 98, ANY);
    let whole = p98(WHOLE);
    let parts = PARTIAL.map(|(k, text)| (k, p98(text)));
    let mut checks = vec![Check::order("k = ∞ and 16", whole, parts[0].1)];
    for pair in parts.windows(2) {
        checks.push(Check::order(
            format!("k = {} and {}", pair[0].0, pair[1].0),
            pair[0].1,
            pair[1].1,
        ));
    }
    for (k, value) in parts {
        checks.push(Check::at_most(format!("k = {k}"), value, 1.1));
    }
    let values = parts.map(|(k, value)| format!("{} (k = {k})", short(value.value)));
    Draft {
        key: "pra-k-quality",
        words: "Paths of PRA*(k) are longer than those of PRA*(∞), the more the smaller k, but short enough.",
        place: "figure 6b",
        paper: "acceptable",
        ours: format!("98th percentile: {} (∞), {}", short(whole.value), values.join(", ")),
        note: "",
        checks,
    }
}

/// The 95th percentile of all expansions of a walk.
fn p95(e: &mut Evidence<'_>, text: &str, lengths: Lengths) -> Estimate {
    e.percentile(PATHS, "expansions", &at(text, 1), 95, lengths)
}

/// An estimate in another unit.
fn scaled(estimate: Estimate, factor: f64) -> Estimate {
    let Estimate { value, low, high, count } = estimate;
    Estimate { value: factor * value, low: factor * low, high: factor * high, count }
}

fn super_linear(e: &mut Evidence<'_>, ranges: &[Lengths]) -> Draft {
    let (middle, last) = (ranges[ranges.len() / 2], ranges[ranges.len() - 1]);
    let mut checks = Vec::new();
    let mut ours = Vec::new();
    for (k, text) in PARTIAL {
        // Per step of a shortest path.
        let mut each = |lengths: Lengths| {
            scaled(p95(e, text, lengths), 2.0 / f64::from(lengths.0 + lengths.1))
        };
        let (less, more) = (each(middle), each(last));
        checks.push(Check::order(format!("k = {k}"), less, more));
        ours.push(format!("k = {k}: {} and {}", short(less.value), short(more.value)));
    }
    Draft {
        key: "pra-super-linear",
        words: "The total running time of PRA*(k) is super-linear in the length of the path.",
        place: "figure 6c",
        paper: "super-linear",
        ours: format!(
            "95th percentile of the expansions per step, for lengths {} and {}: {}",
            told(middle),
            told(last),
            ours.join("; ")
        ),
        note: "",
        checks,
    }
}

fn same_time(e: &mut Evidence<'_>, ranges: &[Lengths]) -> Draft {
    let last = ranges[ranges.len() - 1];
    let (part, whole) = (at(PARTIAL[0].1, 1), at(WHOLE, 1));
    let ratio = e.gain(PATHS, (&part, &whole), 50, last);
    let millis = scaled(p95(e, PARTIAL[0].1, last), 1.0 / 2200.0);
    Draft {
        key: "pra-same-time",
        words: "In total PRA*(16) takes about as long as PRA*(∞) for the longest paths.",
        place: "figure 6c",
        paper: "roughly equal for lengths 508 to 512, at most 60 ms in 95 % of the cases",
        ours: format!(
            "median ratio {} for lengths {}; at most {} ms in 95 % of the cases",
            interval(ratio),
            told(last),
            short(millis.value)
        ),
        note: "",
        checks: vec![
            Check::between(format!("lengths {}", told(last)), ratio, 0.75, 1.33),
            Check::at_most("milliseconds, at 2,200 expansions each", millis, 60.0),
        ],
    }
}

fn larger_k(e: &mut Evidence<'_>, ranges: &[Lengths]) -> Draft {
    let last = ranges[ranges.len() - 1];
    let mut checks = Vec::new();
    let mut ours = Vec::new();
    for pair in PARTIAL.windows(2) {
        let (large, small) = (at(pair[0].1, 1), at(pair[1].1, 1));
        let ratio = e.gain(PATHS, (&large, &small), 50, last);
        checks.push(Check::less(format!("k = {} / {}", pair[0].0, pair[1].0), ratio));
        ours.push(format!("k = {} / {}: {}", pair[0].0, pair[1].0, short(ratio.value)));
    }
    Draft {
        key: "pra-larger-k",
        words: "Increasing k reduces the total running time considerably.",
        place: "figure 6c",
        paper: "considerably",
        ours: format!("median ratio for lengths {}: {}", told(last), ours.join(", ")),
        note: "Smaller k is slightly cheaper here, as the paths of all levels are kept and each is searched only as far \
            as needed.",
        checks,
    }
}

/// The 98th percentile of the slowdown.
fn slowdown(e: &mut Evidence<'_>, ms: u32, text: &str, lengths: Lengths) -> Estimate {
    e.percentile(&clocked(ms), "slowdown", &at(text, ms), 98, lengths)
}

fn clocked_better(e: &mut Evidence<'_>, ranges: &[Lengths]) -> Draft {
    let last = ranges[ranges.len() - 1];
    let mut checks = Vec::new();
    let mut ours = Vec::new();
    for ms in CLOCKS {
        let part = slowdown(e, ms, PARTIAL[0].1, last);
        for (text, name) in [(ASTAR, "s-A*"), (WHOLE, "s-PRA*")] {
            let other = slowdown(e, ms, text, last);
            checks.push(Check::order(format!("{ms} ms, PRA*(16) and {name}"), part, other));
            ours.push(format!(
                "{ms} ms: {} and {} ({name})",
                short(part.value),
                short(other.value)
            ));
        }
    }
    Draft {
        key: "pra-clocked",
        words: "On long paths PRA*(16) executes faster than s-A* and s-PRA*.",
        place: "figure 7",
        paper: "better",
        ours: format!(
            "98th percentile of the slowdown for lengths {}: {}",
            told(last),
            ours.join("; ")
        ),
        note: "",
        checks,
    }
}

fn five_percent(e: &mut Evidence<'_>, ranges: &[Lengths]) -> Draft {
    let mut checks = Vec::new();
    let half = &ranges[ranges.len() / 2..];
    let mut ours = Vec::new();
    for &lengths in half {
        let value = slowdown(e, 1, PARTIAL[0].1, lengths);
        checks.push(Check::at_most(format!("lengths {}", told(lengths)), value, 1.05));
        let over = e.percentile(PATHS, "frames_over_optimal", &at(PARTIAL[0].1, 1), 98, lengths);
        ours = vec![format!(
            "98th percentile for lengths {}: {} over its own walk, {} over a shortest one",
            told(lengths),
            short(value.value),
            short(over.value)
        )];
    }
    Draft {
        key: "pra-5-percent",
        words: "With 1 ms of planning per frame, long paths of PRA*(16) are less than 5 % away in 98 % of the cases.",
        place: "figure 7",
        paper: "5 %",
        ours: ours.concat(),
        note: "Equation (1) rounds each segment of sixteen steps up to whole frames, which is in the second number.",
        checks,
    }
}

fn spread(e: &mut Evidence<'_>, ranges: &[Lengths]) -> Draft {
    let mut checks = Vec::new();
    let mut ours = Vec::new();
    for (text, name) in [(ASTAR, "s-A*"), (WHOLE, "s-PRA*")] {
        let middle = slowdown(e, 1, text, ranges[ranges.len() / 2]);
        let last = slowdown(e, 1, text, ranges[ranges.len() - 1]);
        checks.push(Check::order(format!("{name}, middle and longest"), middle, last));
        ours.push(format!("{name}: {} to {}", short(middle.value), short(last.value)));
    }
    Draft {
        key: "pra-spread",
        words: "Spreading one search over frames gets worse with the length: s-A* and s-PRA* are super-linear.",
        place: "figure 7",
        paper: "worse",
        ours: format!("1 ms, 98th percentile: {}", ours.join("; ")),
        note: "",
        checks,
    }
}

fn price(e: &mut Evidence<'_>, ranges: &[Lengths]) -> Draft {
    let last = ranges[ranges.len() - 1];
    let base = slowdown(e, 1, PARTIAL[0].1, last);
    let mut checks = Vec::new();
    let mut ours = vec![format!("{} (k = 16)", short(base.value))];
    for (k, text) in &PARTIAL[2..] {
        let other = slowdown(e, 1, text, last);
        checks.push(Check::order(format!("k = 16 and {k}"), base, other));
        ours.push(format!("{} (k = {k})", short(other.value)));
    }
    Draft {
        key: "pra-price",
        words: "Frequent refinement comes at a price on long paths.",
        place: "figure 7",
        paper: "slower for small k",
        ours: format!("1 ms, 98th percentile for lengths {}: {}", told(last), ours.join(", ")),
        note: "It costs less here, as for the total running time.",
        checks,
    }
}

fn short_paths(e: &mut Evidence<'_>, ranges: &[Lengths]) -> Draft {
    let mut checks = Vec::new();
    let mut ours = Vec::new();
    for (text, name) in [(ASTAR, "s-A*"), (WHOLE, "s-PRA*"), (PARTIAL[0].1, "PRA*(16)")] {
        let (first, second) = (slowdown(e, 1, text, ranges[0]), slowdown(e, 1, text, ranges[1]));
        checks.push(Check::order(
            format!("{name}, lengths {} and {}", told(ranges[1]), told(ranges[0])),
            second,
            first,
        ));
        ours.push(format!("{name}: {} and {}", short(first.value), short(second.value)));
    }
    Draft {
        key: "pra-short-paths",
        words: "On very short paths the first frame of planning outweighs the walk.",
        place: "figure 7",
        paper: "a singularity around 0",
        ours: format!("1 ms, 98th percentile in the first two ranges: {}", ours.join("; ")),
        note: "",
        checks,
    }
}

fn figures(e: &mut Evidence<'_>, settings: &Settings) -> Vec<Figure> {
    let ranges = ranges(settings, 16);
    let middle = |(from, to): Lengths| f64::from(from + to) / 2.0;
    let length = || ChartAxis::from_zero("length of a shortest path");
    // A percentile by length, for one contestant.
    let by_length = |e: &mut Evidence<'_>, experiment: &str, metric: &str, who: &str, p: usize| {
        let at =
            |&range: &Lengths| (middle(range), e.percentile(experiment, metric, who, p, range));
        ranges.iter().map(at).collect::<Vec<_>>()
    };
    let three = |e: &mut Evidence<'_>, text: &str| {
        let each = [95, 50, 5].map(|p| (p, by_length(e, PATHS, "expansions", &at(text, 1), p)));
        each.map(|(p, points)| line(format!("{p}th percentile"), points)).to_vec()
    };
    let (astar, pra) = (at(ASTAR, 1), at(WHOLE, 1));
    let gains = [95, 50, 5].map(|p| {
        let gain = |&range: &Lengths| (middle(range), e.gain(PATHS, (&astar, &pra), p, range));
        line(format!("{p}th percentile"), ranges.iter().map(gain).collect::<Vec<_>>())
    });
    let fifth = vec![panel("a) A*", three(e, ASTAR)), panel("b) PRA*(∞)", three(e, WHOLE))];
    let quality = [100, 98, 95, 50].map(|p| {
        let name = if p == 100 { "maximum".into() } else { format!("{p}th percentile") };
        line(name, by_length(e, PATHS, "suboptimality", &pra, p))
    });
    let partial = |e: &mut Evidence<'_>, metric: &str, p: usize| {
        let all = std::iter::once((WHOLE, "k = ∞".to_string()))
            .chain(PARTIAL.iter().map(|(k, text)| (*text, format!("k = {k}"))));
        all.map(|(text, name)| line(name, by_length(e, PATHS, metric, &at(text, 1), p)))
            .collect::<Vec<_>>()
    };
    let (sixth, effort) = (partial(e, "suboptimality", 98), partial(e, "expansions", 95));
    let mut seventh = Vec::new();
    for ms in CLOCKS.into_iter().rev() {
        let all = [(ASTAR, "s-A*".to_string()), (WHOLE, "s-PRA*".into())]
            .into_iter()
            .chain(PARTIAL.iter().map(|(k, text)| (*text, format!("PRA*({k})"))));
        let series = all
            .map(|(text, name)| {
                // In the first range the first frame of planning outweighs the walk.
                let points = by_length(e, &clocked(ms), "slowdown", &at(text, ms), 98);
                line(name, points.into_iter().skip(1))
            })
            .collect();
        seventh.push(panel(format!("{ms} ms"), series));
    }
    vec![
        figure(
            "pra-figure-5ab",
            "Expansions of A* and PRA*(∞)",
            "Figures 5a and 5b: the paper has milliseconds, at 2,200 expansions each.",
            (length(), ChartAxis::from_zero("expansions")),
            fifth,
        ),
        figure(
            "pra-figure-5c",
            "Gain of PRA*(∞) over A*",
            "Figure 5c: expansions of A* over those of PRA*(∞) on the same problem.",
            (length(), ChartAxis::from_zero("gain")),
            vec![panel("", gains.into())],
        ),
        figure(
            "pra-figure-6a",
            "Quality of the paths of PRA*(∞)",
            "Figure 6a: the length of the path over that of a shortest one.",
            (length(), ChartAxis::linear("length over the shortest")),
            vec![panel("", quality.into())],
        ),
        figure(
            "pra-figure-6b",
            "Quality of the paths of PRA*(k)",
            "Figure 6b: 98th percentile of the length over that of a shortest path.",
            (length(), ChartAxis::linear("length over the shortest")),
            vec![panel("", sixth)],
        ),
        figure(
            "pra-figure-6c",
            "Total effort of PRA*(k)",
            "Figure 6c: 95th percentile of all expansions of a walk.",
            (length(), ChartAxis::from_zero("expansions")),
            vec![panel("", effort)],
        ),
        figure(
            "pra-figure-7",
            "A clocked game",
            "Figure 7: 98th percentile of the frames of a walk over the least possible, with 10, 2 and 1 ms of planning in \
             each frame of 100 ms. The first range of lengths is left out, where one frame of planning outweighs the walk.",
            (length(), ChartAxis::linear("frames over the least")),
            seventh,
        ),
    ]
}

fn corridor() -> Option<Picture> {
    walks(
        "pra-corridor",
        "A* and PRA*(16) on the same problem. PRA* plans on a coarse level first, and then searches only the cells of that \
         path, sixteen steps at a time.",
        ("caves-128", 1),
        &WorldKind::Known,
        &[(ASTAR, 0, "A*"), (PARTIAL[0].1, 0, "PRA*(16)")],
    )
}

/// All contestants with their names.
fn named() -> Vec<(&'static str, String)> {
    let parts = PARTIAL.iter().map(|(k, text)| (*text, format!("PRA*({k})")));
    let readings = READINGS.iter().map(|(text, name)| (*text, format!("PRA*(∞), {name}")));
    std::iter::once((WHOLE, "PRA*(∞)".to_string())).chain(parts).chain(readings).collect()
}

fn quality_table(e: &mut Evidence<'_>) -> ReportTable {
    let mut rows = vec![TableRow {
        name: "PRA*(∞), paper".into(),
        of_paper: true,
        cells: ["95 %", "98 %", "", "", "", "", ""].map(String::from).into(),
    }];
    for (text, name) in named() {
        let who = at(text, 1);
        let mut within = |limit| percent(e.share(PATHS, "suboptimality", &who, (0.0, limit)).value);
        let mut cells = vec![within(1.005), within(1.01), within(1.1)];
        for p in [95, 98] {
            cells.push(short(e.percentile(PATHS, "suboptimality", &who, p, ANY).value));
        }
        cells.push(short(e.most(PATHS, "suboptimality", &who)));
        let gain = e.gain(PATHS, (&at(ASTAR, 1), &who), 50, ANY);
        cells.push(short(gain.value));
        rows.push(TableRow { name, of_paper: false, cells });
    }
    ReportTable {
        key: "pra-table-quality",
        title: "Length of the path divided by the shortest, all lengths (figures 6a and 6b)".into(),
        columns: [
            "",
            "within 0.5 %",
            "within 1 %",
            "within 10 %",
            "p95",
            "p98",
            "max",
            "median gain",
        ]
        .map(String::from)
        .into(),
        rows,
        note: String::new(),
    }
}

fn effort_table(e: &mut Evidence<'_>, ranges: &[Lengths]) -> ReportTable {
    let mut rows = Vec::new();
    for &lengths in ranges {
        let mut three = |text: &str| {
            [5, 50, 95]
                .map(|p| short(e.percentile(PATHS, "expansions", &at(text, 1), p, lengths).value))
                .join(" / ")
        };
        let mut cells = vec![three(ASTAR), three(WHOLE), three(PARTIAL[0].1)];
        let gains = [5, 50, 95]
            .map(|p| short(e.gain(PATHS, (&at(ASTAR, 1), &at(WHOLE, 1)), p, lengths).value));
        cells.push(gains.join(" / "));
        rows.push(TableRow { name: told(lengths), of_paper: false, cells });
    }
    ReportTable {
        key: "pra-table-effort",
        title: "Expansions by length: 5th, 50th and 95th percentile (figures 5a to 5c and 6c)"
            .into(),
        columns: ["length", "A*", "PRA*(∞)", "PRA*(16)", "A* over PRA*(∞)"]
            .map(String::from)
            .into(),
        rows,
        note: "The paper has these as curves without numbers.".into(),
    }
}

fn clock_table(e: &mut Evidence<'_>, ranges: &[Lengths]) -> ReportTable {
    let texts: Vec<(&str, String)> = [(ASTAR, "s-A*".to_string()), (WHOLE, "s-PRA*".into())]
        .into_iter()
        .chain(PARTIAL.iter().map(|(k, text)| (*text, format!("PRA*({k})"))))
        .collect();
    let mut rows = Vec::new();
    for ms in CLOCKS {
        for &lengths in ranges {
            let cells =
                texts.iter().map(|(text, _)| short(slowdown(e, ms, text, lengths).value)).collect();
            rows.push(TableRow {
                name: format!("{ms} ms, {}", told(lengths)),
                of_paper: false,
                cells,
            });
        }
    }
    ReportTable {
        key: "pra-table-clock",
        title: "Figure 7 in numbers: 98th percentile of the frames over the least possible".into(),
        columns: std::iter::once("planning, length".into())
            .chain(texts.into_iter().map(|(_, name)| name))
            .collect(),
        rows,
        note: String::new(),
    }
}
