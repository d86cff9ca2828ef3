//! Verdicts as badges and counts, and the overview of all papers.

use super::super::report::{Claim, Counts, Report, Verdict};
use super::markup::{Html, Text};

/// The style class of a verdict.
fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::InShape => "in-shape",
        Verdict::DoesNotHold => "does-not-hold",
        Verdict::NotCompared => "not-compared",
    }
}

/// A verdict's sign, drawn: not every font has the characters.
fn sign(verdict: Verdict) -> String {
    let path = match verdict {
        Verdict::Holds => "M3 8.6 6.4 12 13 4.4",
        Verdict::InShape => {
            "M2.5 6.4c1.8-2.4 3.7-2.4 5.5-.6s3.7 1.8 5.5-.6M2.5 11.2c1.8-2.4 3.7-2.4 5.5-.6s3.7 1.8 5.5-.6"
        }
        Verdict::DoesNotHold => "M4 4l8 8M12 4l-8 8",
        Verdict::NotCompared => "M3 8h10",
    };
    format!(
        "<svg class=\"sign\" viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"{path}\"/></svg>"
    )
}

/// A verdict as a badge: its sign and its words.
pub(super) fn badge(verdict: Verdict) -> String {
    format!("<span class=\"badge {}\">{}{}</span>", class(verdict), sign(verdict), verdict.words())
}

/// The counts as a bar of signs and numbers that leads to an anchor. The overview has the legend.
pub(super) fn add_tally(page: &mut Html, counts: Counts, anchor: &str) {
    if counts.total() == 0 {
        return;
    }
    page.add(format_args!(
        "<a class=\"tally\" href=\"#{}\" aria-label=\"{}\">",
        Text(anchor),
        counts.words()
    ));
    for (verdict, count) in counts.present() {
        page.add(format_args!(
            "<span class=\"{}\" style=\"flex-grow:{count}\" title=\"{}\">{}{count}</span>",
            class(verdict),
            verdict.counted(count),
            sign(verdict)
        ));
    }
    page.add(format_args!("</a>\n"));
}

pub(super) fn add_overview(page: &mut Html, report: &Report) {
    page.add(format_args!(
        "<section id=\"overview\" aria-labelledby=\"overview-title\">\n\
         <h2 id=\"overview-title\">Overview</h2>\n"
    ));
    let all: Vec<Claim> = report.papers.iter().flat_map(|paper| paper.claims.clone()).collect();
    page.add(format_args!("<p>{}.</p>\n<ul class=\"overview\">\n", Counts::of(&all).words()));
    for paper in &report.papers {
        page.add(format_args!(
            "<li><div><a href=\"#{}\">{}</a>\n<span class=\"citation\">{}</span></div>\n",
            Text(paper.key),
            Text(paper.name),
            Text(paper.citation)
        ));
        add_tally(page, Counts::of(&paper.claims), &format!("{}-claims", paper.key));
        page.add(format_args!("</li>\n"));
    }
    page.add(format_args!("</ul>\n<dl class=\"legend\">\n"));
    for verdict in Verdict::ALL {
        page.add(format_args!(
            "<div><dt>{}</dt><dd>{}</dd></div>\n",
            badge(verdict),
            verdict.meaning()
        ));
    }
    page.add(format_args!("</dl>\n</section>\n"));
}
