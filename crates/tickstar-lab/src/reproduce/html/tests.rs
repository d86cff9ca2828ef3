use crate::draw::Chart;

use super::super::report::{Claim, Figure, Picture, ReportTable, TableRow, Verdict};
use super::markup::{Image, view_size};
use super::*;

const EVIL: &str = "A* <script>alert(\"1\")</script> & 'more'";
const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 40 20\"><path id=\"p\" fill=\"#fff\"/></svg>";

fn report() -> Report {
    let claim = |key, verdict| Claim {
        key,
        words: EVIL.into(),
        place: "table 1",
        paper: EVIL.into(),
        ours: EVIL.into(),
        verdict,
        why: EVIL.into(),
        rule: EVIL.into(),
        note: EVIL,
    };
    let row = |name: &str, of_paper| TableRow {
        name: name.into(),
        of_paper,
        cells: [EVIL, "", "3.5"].map(String::from).into(),
    };
    let paper = PaperReport {
        key: "tba",
        name: EVIL,
        citation: EVIL,
        setup: vec![EVIL.into()],
        claims: vec![claim("tba-1", Verdict::Holds), claim("tba-2", Verdict::DoesNotHold)],
        tables: vec![ReportTable {
            key: "tba-1",
            title: EVIL.into(),
            columns: vec![EVIL.into(); 2],
            rows: vec![row(EVIL, true), row("E, Paper", true), row("ours", false)],
            note: EVIL.into(),
        }],
        figures: vec![Figure {
            key: "tba-3",
            caption: EVIL.into(),
            chart: Chart { title: EVIL.into(), note: EVIL.into(), ..Chart::default() },
        }],
        pictures: vec![Picture { key: "tba-4", caption: EVIL.into(), svg: SVG.into() }],
    };
    Report { title: EVIL, about: vec![EVIL.into()], papers: vec![paper] }
}

/// What follows each occurrence of a text up to a quote.
fn values<'a>(page: &'a str, before: &str) -> Vec<&'a str> {
    page.split(before).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn all_text_is_escaped_and_nothing_is_loaded() {
    let page = html(&report());
    assert!(!page.contains("<script"));
    assert!(page.contains("A* &lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; 'more'"));
    let figures = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!figures.contains("http:") && !figures.contains("https:") && !page.contains("url("));
    assert!(values(&page, " src=\"").iter().all(|source| source.starts_with("data:")));
}

#[test]
fn anchors_are_unique_and_links_lead_to_them() {
    let page = html(&report());
    let ids = values(&page, " id=\"");
    let unique: BTreeSet<_> = ids.iter().collect();
    assert_eq!(ids.len(), unique.len(), "{ids:?}");
    for anchor in ["tba", "tba-1", "tba-2", "tba-1-table", "tba-3", "tba-4", "tba-claims"] {
        assert!(unique.contains(&anchor), "{anchor}");
    }
    for link in values(&page, "href=\"#") {
        assert!(unique.contains(&link), "{link}");
    }
    assert!(page.contains("<a class=\"place\" href=\"#tba-1-table\">"), "to its table");
    for file in ["tba-3.svg", "tba-3.png", "tba-3.csv", "tba-4.svg", "tba-4.png"] {
        assert!(page.contains(&format!("href=\"figures/{file}\"")), "{file}");
    }
}

#[test]
fn verdicts_are_counted_and_said_in_words() {
    let page = html(&report());
    assert!(page.contains("<p>2 claims: 1 holds, 1 does not hold.</p>"), "{page}");
    assert_eq!(page.matches("<article class=\"claim\"").count(), 2);
    for verdict in Verdict::ALL {
        let badges = page.matches(&format!("</svg>{}</span>", verdict.words())).count();
        let claims = usize::from(matches!(verdict, Verdict::Holds | Verdict::DoesNotHold));
        assert_eq!(badges, 1 + claims, "{verdict:?} in the legend and at its claims");
    }
}

#[test]
fn tables_have_as_many_columns_as_their_widest_row() {
    let page = html(&report());
    let table = page.split_once("<table").unwrap().1.split_once("</table>").unwrap().0;
    for row in table.split("<tr").skip(1) {
        assert_eq!(row.matches("<th").count() + row.matches("<td").count(), 4, "{row}");
    }
    assert_eq!(table.matches("(the paper)").count(), 1, "said where the name does not say it");
}

#[test]
fn an_empty_report_is_a_page() {
    let page = html(&Report { title: "no papers", about: Vec::new(), papers: Vec::new() });
    assert!(page.contains("<h1>no papers</h1>"));
    assert!(page.ends_with("</html>\n"));
    let mut bare = report();
    let paper = &mut bare.papers[0];
    (paper.claims, paper.tables) = (Vec::new(), Vec::new());
    (paper.figures, paper.pictures) = (Vec::new(), Vec::new());
    assert!(!html(&bare).contains("<section class=\"part\""));
}

#[test]
fn sizes_are_read_from_view_boxes() {
    assert_eq!(view_size(SVG), Some((40.0, 20.0)));
    assert_eq!(view_size("<svg viewBox=\"0,0,7.5,3\">"), Some((7.5, 3.0)));
    for other in ["", "<svg", "<svg>", "<svg viewBox=\"0 0 9\">", "<svg viewBox=\"0 0 x 4\">"] {
        assert_eq!(view_size(other), None, "{other}");
    }
}

#[test]
fn numbers_stay_with_their_signs() {
    let text = Text("at R = 10: 5 % [1.0, 1.1] or so").to_string();
    assert_eq!(text, "at R\u{a0}=\u{a0}10: 5\u{a0}% [1.0,\u{a0}1.1] or so");
}

#[test]
fn images_are_addresses() {
    let address = Image("<svg a=\"#1\">100%\n&amp;'é'</svg>").to_string();
    let expected = "data:image/svg+xml,%3Csvg a=%22%231%22%3E100%25%0A&amp;amp;'é'%3C/svg%3E";
    assert_eq!(address, expected);
}
