//! What holds for every chart.

use resvg::usvg::roxmltree::{Document, Node};

use super::panel::{NUMBER, TEXT, TITLE};
use super::*;

fn series(name: &str, points: &[(f64, f64)]) -> ChartSeries {
    let points = points
        .iter()
        .map(|&(x, y)| ChartPoint { band: Some([0.95 * y, 1.1 * y]), ..ChartPoint::new(x, y) });
    ChartSeries { name: name.into(), points: points.collect(), ..ChartSeries::default() }
}

fn panel(title: &str, series: Vec<ChartSeries>) -> ChartPanel {
    ChartPanel { title: title.into(), series }
}

/// So many series of eight points, below each other.
fn scatter(names: usize) -> Vec<ChartSeries> {
    let points = |nth: f64| -> Vec<_> {
        (0..8).map(|k| (9.0 * 2.2_f64.powi(k), 1.0 + 30.0 / (1.0 + nth + f64::from(k)))).collect()
    };
    (0..names).map(|nth| series(&format!("algorithm {nth}"), &points(nth as f64))).collect()
}

/// Charts as a report has them.
fn realistic() -> [Chart; 4] {
    let mut with_paper = scatter(4);
    with_paper.push(ChartSeries { of_paper: true, ..with_paper[1].clone() });
    let narrow = [(0.0, 1.003), (1.0, 1.011), (2.0, 1.018), (3.0, 1.057)];
    let narrow = narrow.map(|(x, y)| ChartPoint { x, y, band: Some([y - 0.002, y + 0.002]) });
    let narrow = ChartSeries { name: "tick".into(), points: narrow.into(), ..series("", &[]) };
    let lines = |times: f64| -> Vec<_> {
        let line = |nth: i32| {
            let points: Vec<_> = (1..=24)
                .map(|k| (20.0 * f64::from(k), times * f64::from(k * k * (nth + 1))))
                .collect();
            ChartSeries { style: SeriesStyle::LineOnly, ..series(&format!("p{nth}"), &points) }
        };
        (0..7).map(line).collect()
    };
    [
        Chart {
            title: "Suboptimality against mean expansions per move".into(),
            note: "Bands: 95 % intervals".into(),
            x: ChartAxis::log("mean expansions per move"),
            y: ChartAxis::log("suboptimality"),
            reference: Some(1.0),
            panels: vec![panel("", with_paper)],
            columns: 1,
        },
        Chart {
            title: "Expansions against the length of shortest paths".into(),
            x: ChartAxis::from_zero("length, in cells"),
            y: ChartAxis::log("expansions"),
            panels: vec![panel("first", lines(1.0)), panel("second", lines(70.0))],
            columns: 2,
            ..Chart::default()
        },
        Chart {
            title: "Cost against lookahead".into(),
            x: ChartAxis::log("lookahead"),
            y: ChartAxis { shared: false, ..ChartAxis::from_zero("cost") },
            panels: vec![panel("A", scatter(7)), panel("B", scatter(8)), panel("C", scatter(1))],
            columns: 2,
            ..Chart::default()
        },
        Chart {
            title: "Length of paths over the shortest".into(),
            x: ChartAxis::places("change rate", ["1", "5", "10", "more than any other rate"]),
            y: ChartAxis::linear("ratio"),
            panels: vec![panel("", vec![narrow])],
            ..Chart::default()
        },
    ]
}

fn strange() -> Vec<Chart> {
    let values = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0, 1.0, f64::MAX, 5e-324];
    let points = values
        .iter()
        .flat_map(|&x| values.iter().map(move |&y| ChartPoint { x, y, band: Some([y * 0.5, x]) }));
    let all: Vec<_> = points.collect();
    let long = "<&>\"\u{0}é".repeat(80);
    let styles =
        [SeriesStyle::Line, SeriesStyle::LineOnly, SeriesStyle::Dashed, SeriesStyle::Points];
    let mut charts = vec![Chart::default()];
    for scale in [PlotScale::Linear, PlotScale::Log] {
        let axis = |name: &str, ticks: &[f64]| ChartAxis {
            name: name.into(),
            scale,
            includes: vec![f64::NAN, -3.0],
            ticks: ticks.iter().map(|&value| (value, long.clone())).collect(),
            shared: false,
        };
        for points in [&[][..], &all[..1], &all[27..28], &all[45..46], &all] {
            for style in styles {
                let name = long.clone();
                let one = ChartSeries {
                    name,
                    style,
                    of_paper: scale == PlotScale::Log,
                    points: points.into(),
                };
                charts.push(Chart {
                    title: long.clone(),
                    note: long.clone(),
                    x: axis("", if style == SeriesStyle::Line { &values } else { &[] }),
                    y: axis(&long, if style == SeriesStyle::Dashed { &values } else { &[] }),
                    reference: points.first().map(|point| point.y),
                    panels: vec![panel(&long, vec![one.clone(); 3]), panel("", Vec::new())],
                    columns: points.len(),
                });
            }
        }
    }
    charts
}

/// All pictures and pages that are made of a chart.
fn texts(chart: &Chart) -> [String; 3] {
    [chart.svg(), chart.plain_svg(), chart.html()]
}

#[test]
fn all_charts_are_well_formed_the_same_each_time_and_drawable() {
    for chart in realistic().iter().chain(&strange()) {
        for (first, second) in texts(chart).iter().zip(texts(&chart.clone())) {
            assert_eq!(*first, second);
            let document = Document::parse(first).unwrap();
            for node in document.descendants() {
                assert!(
                    node.attribute("id").is_none(),
                    "ids of two charts in a page would collide"
                );
                for attribute in node.attributes() {
                    let value = attribute.value();
                    assert!(!value.contains("NaN") && !value.contains("inf"), "{value}");
                }
            }
        }
        png(&chart.plain_svg()).unwrap();
        assert!(!chart.plain_svg().contains("<text"), "letters are strokes");
        assert!(!chart.plain_svg().contains("class=\"k") && !chart.plain_svg().contains("var("));
    }
    assert!(realistic()[0].png().unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn a_picture_says_what_it_is() {
    let [chart, ..] = realistic();
    let svg = chart.svg();
    let document = Document::parse(&svg).unwrap();
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    let text =
        |name| root.children().find(|node| node.has_tag_name(name)).and_then(|node| node.text());
    assert_eq!(text("title"), Some(chart.title.as_str()));
    let about = text("desc").unwrap();
    assert!(about.contains("mean expansions per move, logarithmic"), "{about}");
    assert!(about.contains("algorithm 1 (printed in the paper): 4.3333 to 16 at 8"), "{about}");
}

/// Texts of a picture with their extents, in the order of the file.
fn extents(svg: &str) -> Vec<(String, [f64; 4])> {
    let document = Document::parse(svg).unwrap();
    let number = |node: Node<'_, '_>, name: &str| -> f64 {
        node.attribute(name).and_then(|value| value.parse().ok()).unwrap_or(0.0)
    };
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts
        .map(|node| {
            let (mut x, mut y) = (number(node, "x"), number(node, "y"));
            for group in node.ancestors() {
                let Some(moved) = group.attribute("transform") else { continue };
                let moved = moved.trim_start_matches("translate(").trim_end_matches(')');
                let (right, down) = moved.split_once(' ').unwrap();
                x += right.parse::<f64>().unwrap();
                y += down.parse::<f64>().unwrap();
            }
            let size = number(node, "font-size");
            let text = node.text().unwrap_or_default();
            let width = canvas::width(text, size);
            x -= match node.attribute("text-anchor") {
                Some("middle") => width / 2.0,
                Some("end") => width,
                _ => 0.0,
            };
            (text.into(), [x, y - 0.75 * size, x + width, y + 0.25 * size])
        })
        .collect()
}

#[test]
fn letters_stay_in_the_picture_and_never_overlap() {
    for chart in realistic() {
        let svg = chart.svg();
        let document = Document::parse(&svg).unwrap();
        let side = |name| document.root_element().attribute(name).unwrap().parse::<f64>().unwrap();
        let all = extents(&svg);
        assert!(all.len() > 10);
        for (nth, (text, [left, top, right, bottom])) in all.iter().enumerate() {
            assert!(*left >= 0.0 && *right <= side("width"), "{text}: {left} to {right}");
            assert!(*top >= 0.0 && *bottom <= side("height"), "{text}: {top} to {bottom}");
            for (other, extent) in &all[nth + 1..] {
                let apart = right <= &extent[0]
                    || &extent[2] <= left
                    || bottom <= &extent[1]
                    || &extent[3] <= top;
                assert!(apart, "{text} and {other} in {}", chart.title);
            }
        }
    }
}

#[test]
fn letters_are_large_enough_on_a_phone() {
    let room = 358.0;
    for chart in realistic() {
        let layout = panel::Layout::new(&chart);
        for size in [NUMBER, TEXT, TITLE] {
            assert!(size * room / layout.width >= 9.0, "{}", layout.width);
        }
    }
}

/// The places of polygons and circles with a tip.
fn tips(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).unwrap();
    let marker = |node: &Node<'_, '_>| node.has_tag_name("polygon") || node.has_tag_name("circle");
    let tips = document.descendants().filter(marker).filter_map(|node| node.first_element_child());
    tips.map(|tip| tip.text().unwrap().to_string()).collect()
}

#[test]
fn every_series_is_visible_in_its_own_color_and_shape() {
    let chart = Chart {
        panels: vec![panel("a", scatter(8)), panel("b", scatter(3))],
        columns: 2,
        ..Chart::default()
    };
    let svg = chart.svg();
    assert_eq!(tips(&svg).len(), 8 * 11);
    assert_eq!(tips(&svg)[0], "algorithm 0: 31 at 9 (29.45 to 34.1)");
    for nth in 0..8 {
        let class = format!("<g class=\"k-{}\"", nth + 1);
        // Its sample, and a band and a line in each panel that has it.
        assert_eq!(svg.matches(&class).count(), if nth < 3 { 5 } else { 3 }, "{nth}");
        assert!(extents(&svg).iter().any(|(text, _)| *text == format!("algorithm {nth}")));
    }
    let shapes = |name: &str| svg.matches(&format!("<{name} ")).count();
    assert_eq!(shapes("circle"), 17, "those of the first series, and its sample");
}

#[test]
fn printed_numbers_are_hollow_and_below_in_the_color_of_measured_ones() {
    let [chart, ..] = realistic();
    let svg = chart.svg();
    assert_eq!(svg.matches("stroke-dasharray=\"2 3.5\"").count(), 2, "the line and its sample");
    let hollow = "class=\"pf\" fill=\"#ffffff\" stroke=\"currentColor\"";
    assert_eq!(svg.matches(hollow).count(), 9);
    assert!(svg.find("printed in the paper: 1").unwrap() < svg.find("<title>algorithm 0").unwrap());
    let alone = |of_paper| Chart {
        panels: vec![panel("", vec![ChartSeries { of_paper, ..scatter(1).remove(0) }])],
        ..Chart::default()
    };
    assert!(alone(true).svg().contains("<g class=\"k-1\""), "a figure of printed numbers alone");
    let mut both = alone(false);
    both.panels[0].series.push(ChartSeries { of_paper: true, ..series("other", &[(1.0, 1.0)]) });
    assert!(both.svg().contains("<g class=\"k-soft\" color=\"#4a5566\">\n<polygon"));
}

/// How many pieces of lines a picture has, and how many bands.
fn pieces(chart: &Chart) -> (usize, usize) {
    let svg = chart.plain_svg();
    (svg.matches("stroke-width=\"2\"").count(), svg.matches("fill-opacity").count())
}

#[test]
fn a_line_is_broken_where_there_is_no_value() {
    let chart = |values: &[f64]| Chart {
        y: ChartAxis::log(""),
        panels: vec![panel(
            "",
            vec![series("", &values.iter().map(|&y| (y.abs() + 1.0, y)).collect::<Vec<_>>())],
        )],
        ..Chart::default()
    };
    assert_eq!(pieces(&chart(&[1.0, 5.0, 2.0])), (1, 1));
    assert_eq!(pieces(&chart(&[1.0, 2.0, f64::NAN, 3.0, 4.0])), (2, 2));
    assert_eq!(pieces(&chart(&[1.0, f64::NAN, 3.0])), (0, 0), "bars where a band has one place");
    let lost = chart(&[1.0, 0.0, -3.0, f64::NAN, 3.0]);
    assert_eq!(pieces(&lost), (0, 0));
    assert_eq!(tips(&lost.svg()).len(), 2);
    assert!(lost.svg().contains("2 values that are not positive have no place"));
    assert!(lost.html().contains("<p>2 values that are not positive"));
}

#[test]
fn pages_have_one_picture_per_panel_and_share_a_style_sheet() {
    let [_, chart, ..] = realistic();
    let html = chart.html();
    assert_eq!(html.matches("role=\"img\"").count(), 2);
    assert_eq!(html.matches("<li>").count(), 7);
    assert!(
        html.contains("<title>Expansions against the length of shortest paths: second</title>")
    );
    assert!(!html.contains("<style"));
    let css = chart_css();
    assert_eq!(css.matches("--chart-8:#db4131").count(), 2, "by the system and by the page");
    for (open, close) in [('{', '}'), ('(', ')')] {
        assert_eq!(css.matches(open).count(), css.matches(close).count());
    }
    // Every class that is used has a rule.
    let document = Document::parse(&html).unwrap();
    for class in document.descendants().filter_map(|node| node.attribute("class")) {
        for class in class.split_whitespace() {
            assert!(css.contains(&format!(".{class}")), "{class}");
        }
    }
}

#[test]
fn numbers_can_be_read_back() {
    let [.., chart] = realistic();
    let csv = chart.csv();
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!(lines[0], "panel,series,source,x,y,low,high");
    assert_eq!(lines[1], ",tick,measured,1,1.003,1.001,1.005");
    assert!(lines[4].starts_with(",tick,measured,more than any other rate,1.057,"));
    let point = ChartPoint { x: 1e-9, y: f64::NAN, band: Some([2.0, 1.0]) };
    let paper = ChartSeries { of_paper: true, points: vec![point], ..series("a, \"b\"", &[]) };
    let chart = Chart { panels: vec![panel("p", vec![paper])], ..Chart::default() };
    assert_eq!(chart.csv().lines().nth(1), Some("p,\"a, \"\"b\"\"\",paper,1e-9,,1,2"));
}
