//! Claims: words, both numbers, the verdict and its reasons.

use super::super::report::{Claim, PaperReport};
use super::markup::{Html, Text};
use super::overview::badge;
use super::{Anchors, begin_part};

/// More letters than this have no room beside others.
const LONG: usize = 36;

pub(super) fn add_claims(page: &mut Html, anchors: &Anchors<'_>, paper: &PaperReport) {
    if paper.claims.is_empty() {
        return;
    }
    begin_part(page, paper, "claims", "Claims");
    for claim in &paper.claims {
        add_claim(page, anchors, claim);
    }
    page.add(format_args!("</section>\n"));
}

fn add_claim(page: &mut Html, anchors: &Anchors<'_>, claim: &Claim) {
    let key = Text(claim.key);
    page.add(format_args!(
        "<article class=\"claim\" id=\"{key}\" aria-labelledby=\"{key}-title\">\n\
         <p class=\"head\">{} ",
        badge(claim.verdict)
    ));
    let place = Text(claim.place);
    if let Some(anchor) = anchors.beside(claim.key) {
        let anchor = Text(&anchor);
        page.add(format_args!("<a class=\"place\" href=\"#{anchor}\">{place}</a>"));
    } else {
        page.add(format_args!("<span class=\"place\">{place}</span>"));
    }
    page.add(format_args!(
        "\n<a class=\"self\" href=\"#{key}\" aria-label=\"Link to this claim\">#</a></p>\n\
         <h4 id=\"{key}-title\">{}</h4>\n",
        Text(&claim.words)
    ));
    if !(claim.paper.is_empty() && claim.ours.is_empty()) {
        // Long ones stand below each other.
        let is_long = [&claim.paper, &claim.ours].iter().any(|text| text.chars().count() > LONG);
        let long = if is_long { " long" } else { "" };
        page.add(format_args!("<dl class=\"numbers{long}\">\n"));
        for (class, name, number) in
            [("of-paper", "The paper", &claim.paper), ("ours", "Here", &claim.ours)]
        {
            if !number.is_empty() {
                let number = Text(number);
                page.add(format_args!(
                    "<div class=\"{class}\"><dt>{name}</dt><dd>{number}</dd></div>\n"
                ));
            }
        }
        page.add(format_args!("</dl>\n"));
    }
    page.add(format_args!("<div class=\"why\">\n"));
    if !claim.why.is_empty() {
        page.add(format_args!("<p>{}</p>\n", Text(&claim.why)));
    }
    if !claim.note.is_empty() {
        page.add(format_args!("<p class=\"note\">{}</p>\n", Text(claim.note)));
    }
    if !claim.rule.is_empty() {
        page.add(format_args!(
            "<details><summary>The rule for this verdict</summary>\n<p>{}</p></details>\n",
            Text(&claim.rule)
        ));
    }
    page.add(format_args!("</div>\n</article>\n"));
}
