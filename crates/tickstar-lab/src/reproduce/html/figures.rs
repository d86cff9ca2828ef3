//! Figures, which follow the theme of the page, and pictures, which do not.

use super::super::report::{Figure, PaperReport, Picture};
use super::markup::{Html, Image, Text, view_size};
use super::{Anchors, begin_part};

pub(super) fn add_figures(page: &mut Html, anchors: &Anchors<'_>, paper: &PaperReport) {
    if paper.figures.is_empty() {
        return;
    }
    begin_part(page, paper, "figures", "Figures");
    for figure in &paper.figures {
        add_figure(page, &anchors.other(figure.key, "figure"), figure);
    }
    page.add(format_args!("</section>\n"));
}

fn add_figure(page: &mut Html, anchor: &str, figure: &Figure) {
    let id = Text(anchor);
    page.add(format_args!("<figure class=\"chart\" id=\"{id}\">\n"));
    page.add(format_args!("<div class=\"drawing\">\n{}\n</div>\n", figure.chart.html().trim()));
    page.add(format_args!("<figcaption id=\"{id}-caption\"><p>{}</p>\n", Text(&figure.caption)));
    add_files(page, figure.key, &["svg", "png", "csv"]);
    page.add(format_args!("</figcaption>\n</figure>\n"));
}

pub(super) fn add_pictures(page: &mut Html, anchors: &Anchors<'_>, paper: &PaperReport) {
    if paper.pictures.is_empty() {
        return;
    }
    begin_part(page, paper, "pictures", "Pictures of walks");
    page.add(format_args!("<div class=\"pictures\">\n"));
    for picture in &paper.pictures {
        add_picture(page, &anchors.other(picture.key, "picture"), picture);
    }
    page.add(format_args!("</div>\n</section>\n"));
}

fn add_picture(page: &mut Html, anchor: &str, picture: &Picture) {
    let id = Text(anchor);
    let (natural, size) = match view_size(&picture.svg) {
        Some((width, height)) => (
            format!(" style=\"--natural:{width}px\""),
            format!(" width=\"{width:.0}\" height=\"{height:.0}\""),
        ),
        None => (String::new(), String::new()),
    };
    // The caption says what is to be seen, so the image says no more than what it is.
    page.add(format_args!(
        "<figure class=\"picture\" id=\"{id}\"{natural}>\n<div class=\"ground\">\
         <img alt=\"A walk on a map\" aria-describedby=\"{id}-caption\"{size} src=\"{}\"></div>\n\
         <figcaption id=\"{id}-caption\"><p>{}</p>\n",
        Image(&picture.svg),
        Text(&picture.caption)
    ));
    add_files(page, picture.key, &["svg", "png"]);
    page.add(format_args!("</figcaption>\n</figure>\n"));
}

/// Links to the files beside the page.
fn add_files(page: &mut Html, key: &str, endings: &[&str]) {
    let key = Text(key);
    page.add(format_args!("<p class=\"files\">Files:"));
    for ending in endings {
        page.add(format_args!(" <a href=\"figures/{key}.{ending}\">{}</a>", ending.to_uppercase()));
    }
    page.add(format_args!("</p>\n"));
}
