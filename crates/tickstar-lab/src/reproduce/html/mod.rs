//! A report as one HTML file that needs nothing else: no network, no script, no fonts.
//!
//! Everything has an anchor: papers and claims by their keys, and so have tables, figures and pictures, except that
//! one with the key of a claim is `KEY-table`, `KEY-figure` or `KEY-picture`. Figures are what
//! [`Chart::html`](crate::draw::Chart::html) makes, or any SVG; they may use the custom properties at the head of
//! `report.css`, and no ids, as a page is one space of names.

use std::collections::BTreeSet;

use super::report::{Counts, PaperReport, Report};
use crate::draw::chart_css;
use crate::text::counted;
use claims::add_claims;
use figures::{add_figures, add_pictures};
use markup::{Html, Text};
use overview::{add_overview, add_tally};
use tables::add_tables;

mod claims;
mod figures;
mod markup;
mod overview;
mod tables;
#[cfg(test)]
mod tests;

const CSS: &str = include_str!("../report.css");

/// Nothing but the file itself may be loaded, whatever figures contain.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// The report as a page. The same report gives the same bytes. Links lead to the files of figures and pictures in
/// the folder `figures` beside the page: `KEY.svg` and `KEY.png`, and `KEY.csv` for figures.
pub fn html(report: &Report) -> String {
    let mut page = Html::default();
    let title = Text(report.title);
    page.add(format_args!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n\
         <style>\n{}{CSS}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#overview\">To the report</a>\n\
         <header class=\"top\">\n<h1>{title}</h1>\n",
        chart_css()
    ));
    add_about(&mut page, &report.about);
    page.add(format_args!("</header>\n"));
    add_contents(&mut page, report);
    page.add(format_args!("<main>\n"));
    add_overview(&mut page, report);
    let anchors = Anchors::of(report);
    for paper in &report.papers {
        add_paper(&mut page, &anchors, paper);
    }
    page.add(format_args!("</main>\n</body>\n</html>\n"));
    page.finish()
}

/// What was run, or how: one item per entry if there are several.
fn add_about(page: &mut Html, entries: &[String]) {
    match entries {
        [] => {}
        [one] => page.add(format_args!("<p class=\"about\">{}</p>\n", Text(one))),
        all => {
            page.add(format_args!("<ul class=\"about\">\n"));
            for entry in all {
                page.add(format_args!("<li>{}</li>\n", Text(entry)));
            }
            page.add(format_args!("</ul>\n"));
        }
    }
}

/// The parts of a paper that are there: the end of their anchors, what they are called, and how many there are.
fn parts(paper: &PaperReport) -> impl Iterator<Item = (&'static str, &'static str, usize)> {
    [
        ("claims", "claim", paper.claims.len()),
        ("tables", "table", paper.tables.len()),
        ("figures", "figure", paper.figures.len()),
        ("pictures", "picture", paper.pictures.len()),
    ]
    .into_iter()
    .filter(|&(.., count)| count > 0)
}

/// A bar of papers on phones, where the parts are hidden; beside the page where there is room.
fn add_contents(page: &mut Html, report: &Report) {
    page.add(format_args!(
        "<nav class=\"contents\" aria-label=\"Contents\">\n<ol>\n\
         <li><a href=\"#overview\">Overview</a></li>\n"
    ));
    for paper in &report.papers {
        let key = Text(paper.key);
        page.add(format_args!("<li><a href=\"#{key}\">{}</a>\n<ol>\n", Text(paper.name)));
        for (end, name, count) in parts(paper) {
            let words = counted(count, name);
            page.add(format_args!("<li><a href=\"#{key}-{end}\">{words}</a></li>\n"));
        }
        page.add(format_args!("</ol></li>\n"));
    }
    page.add(format_args!("</ol>\n</nav>\n"));
}

fn add_paper(page: &mut Html, anchors: &Anchors<'_>, paper: &PaperReport) {
    let key = Text(paper.key);
    page.add(format_args!(
        "<section class=\"paper\" id=\"{key}\" aria-labelledby=\"{key}-title\">\n\
         <header>\n<h2 id=\"{key}-title\">{}</h2>\n<p class=\"citation\">{}</p>\n",
        Text(paper.name),
        Text(paper.citation)
    ));
    add_tally(page, Counts::of(&paper.claims), &format!("{}-claims", paper.key));
    let links: Vec<String> = parts(paper)
        .map(|(end, name, count)| format!("<a href=\"#{key}-{end}\">{}</a>", counted(count, name)))
        .collect();
    page.add(format_args!("<p class=\"parts\">{}</p>\n</header>\n", links.join(" ")));
    if !paper.setup.is_empty() {
        page.add(format_args!("<div class=\"setup\">\n<h3>What was run</h3>\n"));
        for sentences in &paper.setup {
            page.add(format_args!("<p>{}</p>\n", Text(sentences)));
        }
        page.add(format_args!("</div>\n"));
    }
    add_claims(page, anchors, paper);
    add_tables(page, anchors, paper);
    add_figures(page, anchors, paper);
    add_pictures(page, anchors, paper);
    page.add(format_args!("</section>\n"));
}

/// Begins a part of a paper that has an anchor.
fn begin_part(page: &mut Html, paper: &PaperReport, end: &str, title: &str) {
    let key = Text(paper.key);
    page.add(format_args!(
        "<section class=\"part\" id=\"{key}-{end}\" aria-labelledby=\"{key}-{end}-title\">\n\
         <h3 id=\"{key}-{end}-title\">{title}</h3>\n"
    ));
}

/// Which anchors there are. A claim often has the key of the table or figure it is about.
struct Anchors<'a> {
    claims: BTreeSet<&'a str>,
    /// Tables, figures and pictures by key, with what they are.
    others: BTreeSet<(&'a str, &'static str)>,
}

impl<'a> Anchors<'a> {
    fn of(report: &'a Report) -> Anchors<'a> {
        let mut anchors = Anchors { claims: BTreeSet::new(), others: BTreeSet::new() };
        for paper in &report.papers {
            anchors.claims.extend(paper.claims.iter().map(|claim| claim.key));
            anchors.others.extend(paper.tables.iter().map(|table| (table.key, "table")));
            anchors.others.extend(paper.figures.iter().map(|figure| (figure.key, "figure")));
            anchors.others.extend(paper.pictures.iter().map(|picture| (picture.key, "picture")));
        }
        anchors
    }

    /// The anchor of something that is not a claim: `table`, `figure` or `picture`.
    fn other(&self, key: &str, kind: &str) -> String {
        let taken = self.claims.contains(key)
            || self.others.range((key, "")..).take_while(|(other, _)| *other == key).count() > 1;
        if taken { format!("{key}-{kind}") } else { key.into() }
    }

    /// The anchor of what has the key of a claim.
    fn beside(&self, claim: &str) -> Option<String> {
        let (key, kind) = self.others.range((claim, "")..).next()?;
        (*key == claim).then(|| self.other(key, kind))
    }
}
