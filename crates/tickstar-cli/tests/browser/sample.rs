//! A report as large and as awkward as real ones: long words, wide tables, many claims, every verdict.

use std::fs;
use std::path::Path;
use std::process::Command;

use tickstar_lab::draw::{Chart, ChartAxis, ChartPanel, ChartPoint, ChartSeries};
use tickstar_lab::reproduce::report::{
    Claim, Figure, PaperReport, Picture, Report, ReportTable, TableRow, Verdict,
};

/// What a paper is called: its key, its algorithm, and where it appeared. Keys are made from the first.
const PAPERS: [[&str; 3]; 4] = [
    [
        "pra",
        "PRA*",
        "N. Sturtevant, M. Buro: Partial Pathfinding Using Map Abstraction and Refinement. AAAI 2005.",
    ],
    ["tba", "TBA*", "Y. Björnsson, V. Bulitko, N. Sturtevant: TBA*: Time-Bounded A*. IJCAI 2009."],
    [
        "tbaa",
        "TBAA*",
        "C. Hernández, J. Baier, T. Uras, S. Koenig: Time-Bounded Adaptive A*. AAMAS 2012.",
    ],
    [
        "tbbfs",
        "TB-WA* and TB-GBFS",
        "C. Hernández, R. Asín, J. Baier: Time-Bounded Best-First Search for Reversible and Non-reversible Search Graphs. 2014.",
    ],
];

/// Claims: words, place, the paper's number, ours, why.
const CLAIMS: [[&str; 5]; 8] = [
    [
        "Acting early is better than acting late, by about a tenth for small budgets.",
        "table 1",
        "10 %",
        "7.6 %",
        "All of 8 budgets have the sign, each beyond chance (95 % intervals over 300 problems); the difference at R = 10 is 7.6 % (7.1 to 8.2).",
    ],
    [
        "The effect disappears for large budgets.",
        "section 4.2",
        "1.01",
        "1.01",
        "Within 1 % at R = 1000.",
    ],
    [
        "TBA* reaches the quality of LRTA* with 100 times less computation per move, and no setting of LRTA* with a lookahead between 4 and 16 is on the other side of its curve, whatever the map.",
        "figure 3",
        "100 times",
        "104 times, at half the length",
        "LRTA* is best at 7.60 with 737 expansions per move; TBA* has 3.83 with 7.1.",
    ],
    [
        "The longest search fits into a megabyte.",
        "abstract",
        "1 MB",
        "",
        "The paper's records are not ours.",
    ],
    [
        "Shortcuts while backtracking do not matter on average.",
        "section 3.3, enhancement 1",
        "“insignificant on average”",
        "3.82, 2.12, 1.52, 1.33, 1.23, 1.10, 1.03 and 1.01 for R = 10, 25, 50, 75, 100, 200, 500 and 1000",
        "Every interval includes zero.",
    ],
    [
        "The smaller k, the longer it takes in total.",
        "figure 6",
        "2 ≻ 4 ≻ 8 ≻ 16",
        "16 ≻ 8 ≻ 4 ≻ 2",
        "Contradicted: the order is the reverse one, p < 0.001.",
    ],
    [
        "98 % of the paths are within 1 % of the optimum, and more than 10 % above it are <very> rare & hard to find.",
        "page 1394",
        "98 %",
        "96.7 %",
        "The distribution has the shape; the 98th percentile is 1.4 % above.",
    ],
    [
        "A worst-case_identifier_that_is_as_long_as_some_names_of_maps_in_the_benchmark/AR0300SR-wheelofwar-divideandconquer stays readable.",
        "footnote 3",
        "",
        "",
        "It has neither number.",
    ],
];

const NOTE: &str = "The paper does not name its maps. Ours have 300 problems on battleground, divideandconquer and duskwood, with optimal lengths of 230 to 320.";
const RULE: &str = "Holds if the interval of the mean of paired differences excludes zero at every budget and the paper's number lies in it; in shape if only the first; otherwise it does not hold.";

/// A report with every kind of part. Its pictures are drawn in this folder.
pub fn report(folder: &Path) -> Result<Report, String> {
    let pictures = [
        picture(folder, "one", &["--algorithm", "tba"])?,
        picture(folder, "two", &["--algorithm", "astar", "--algorithm", "tba"])?,
    ];
    let papers = (0..PAPERS.len()).map(|nth| paper(nth, &pictures)).collect();
    let about = vec![
        "A quick run: 24 maps of 4 classes, 10 problems each, generated from seeds; the papers' own maps are not part of it.".into(),
        "tickstar 0.1.0.".into(),
        "Intervals are 95 % bootstrap intervals over problems, in blocks of one map.".into(),
    ];
    Ok(Report { title: "tickstar: four papers reproduced", about, papers })
}

/// A text that lives as long as the program, as keys do.
fn kept(text: String) -> &'static str {
    text.leak()
}

fn picture(folder: &Path, name: &str, flags: &[&str]) -> Result<String, String> {
    let path = folder.join(format!("{name}.svg"));
    let drawn = Command::new(env!("CARGO_BIN_EXE_tickstar"))
        .args(["draw", "--map", "builtin:two-corridors", "--budget", "30", "--out"])
        .arg(&path)
        .args(flags)
        .output()
        .map_err(|error| format!("tickstar draw: {error}"))?;
    if !drawn.status.success() {
        return Err(String::from_utf8_lossy(&drawn.stderr).into_owned());
    }
    fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
}

fn paper(nth: usize, pictures: &[String]) -> PaperReport {
    let [key, name, citation] = PAPERS[nth];
    let claims =
        CLAIMS.iter().enumerate().map(|(number, &[words, place, paper, ours, why])| Claim {
            key: kept(format!("{key}-claim-{number}")),
            words: words.into(),
            place,
            paper: paper.into(),
            ours: ours.into(),
            verdict: Verdict::ALL[[0, 0, 0, 3, 1, 2, 1, 0][(number + 3 * nth) % 8]],
            why: why.into(),
            rule: RULE.into(),
            note: if number % 3 == 0 { NOTE } else { "" },
        });
    let tables = [(8, 2), (14, 4), (3, 1)];
    let tables = tables.iter().enumerate().map(|(number, &(columns, pairs))| {
        table(kept(format!("{key}-table-{number}")), columns, pairs)
    });
    let figures = vec![
        chart(kept(format!("{key}-figure-1")), 1),
        chart(kept(format!("{key}-figure-2")), 3),
        chart(kept(format!("{key}-figure-3")), 1),
    ];
    let pictures = pictures.iter().enumerate().map(|(number, svg)| Picture {
        key: kept(format!("{key}-walk-{number}")),
        caption: "Where the agent walked, and what was searched when: from pale yellow (early) to deep blue (late). Dashed lines are moves back to where the path was left.".into(),
        svg: svg.clone(),
    });
    PaperReport {
        key,
        name,
        citation,
        setup: vec![
            "Twelve maps of 128×128 cells, ten problems each; the paper has three maps of 512×512 cells that it does not name.".into(),
            "Corners may not be cut, as in the paper. A tick is R expansions; tracing is charged at a tenth of one.".into(),
        ],
        claims: claims.collect(),
        tables: tables.collect(),
        figures,
        pictures: pictures.collect(),
    }
}

fn table(key: &'static str, columns: usize, pairs: usize) -> ReportTable {
    let mut rows = Vec::new();
    for pair in 0..pairs {
        for of_paper in [true, false] {
            let name = ["Early", "Late acting", "With a name of several words", "w = 3"][pair];
            let cell = |column: usize| match (column, of_paper) {
                (5, true) => String::new(),
                (6, false) => "12,345.6 (±0.4)".into(),
                _ => format!("{:.2}", 4.21 / (1.0 + 0.3 * column as f64) + 0.01 * pair as f64),
            };
            rows.push(TableRow {
                name: if of_paper { format!("{name}, paper") } else { name.into() },
                of_paper,
                cells: (0..columns).map(cell).collect(),
            });
        }
    }
    let headings = (0..columns).map(|column| match column {
        2 => "median of the worst tenth".into(),
        _ => (10 * (column + 1)).to_string(),
    });
    ReportTable {
        key,
        title: format!("Length walked divided by the shortest, for {columns} budgets"),
        columns: ["R".to_string()].into_iter().chain(headings).collect(),
        rows,
        note: "Means over all problems; intervals are within 0.02.".into(),
    }
}

/// A chart as the report has them.
fn chart(key: &'static str, panels: usize) -> Figure {
    let series = |nth: usize, of_paper: bool| ChartSeries {
        name: ["TBA*", "LRTA*", "LSS-LRTA*", "P LRTA* with a longer name"][nth].into(),
        of_paper,
        points: (0..8)
            .map(|place| {
                let x = 10.0 * f64::from(1 << place);
                let y = 1.0 + (nth + 1) as f64 * 30.0 / (x + if of_paper { 9.0 } else { 0.0 });
                ChartPoint { x, y, band: (!of_paper).then_some([0.95 * y, 1.06 * y]) }
            })
            .collect(),
        ..ChartSeries::default()
    };
    let panel = |nth: usize| ChartPanel {
        title: ["Baldur's Gate", "Rooms of 16×16 cells", "Random obstacles"][nth].into(),
        series: (0..4).flat_map(|name| [series(name, true), series(name, false)]).collect(),
    };
    let chart = Chart {
        title: "Length walked divided by the shortest, against the budget".into(),
        note: "Bands are 95 % intervals.".into(),
        x: ChartAxis::log("expansions per tick"),
        y: ChartAxis::linear("length"),
        reference: Some(1.0),
        panels: (0..panels).map(panel).collect(),
        columns: panels,
    };
    let caption = "Lower is better; every curve falls. The paper's curves are dotted.".into();
    Figure { key, caption, chart }
}
