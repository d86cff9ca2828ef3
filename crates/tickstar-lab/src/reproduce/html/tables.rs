//! Tables in the papers' layout.

use super::super::report::{PaperReport, ReportTable};
use super::markup::{Html, Text};
use super::{Anchors, begin_part};

pub(super) fn add_tables(page: &mut Html, anchors: &Anchors<'_>, paper: &PaperReport) {
    if paper.tables.is_empty() {
        return;
    }
    begin_part(page, paper, "tables", "Tables");
    if paper.tables.iter().flat_map(|table| &table.rows).any(|row| row.of_paper) {
        page.add(format_args!(
            "<p class=\"key\">The paper's numbers are in <em>italics</em> on a tinted ground.</p>\n"
        ));
    }
    for table in &paper.tables {
        add_table(page, &anchors.other(table.key, "table"), table);
    }
    page.add(format_args!("</section>\n"));
}

fn add_table(page: &mut Html, anchor: &str, table: &ReportTable) {
    let id = Text(anchor);
    // The table scrolls in a box of its own, which must be within reach of the keyboard.
    page.add(format_args!(
        "<div class=\"table\" id=\"{id}\">\n<h4 id=\"{id}-title\">{}</h4>\n\
         <div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-labelledby=\"{id}-title\">\n\
         <table aria-labelledby=\"{id}-title\">\n<thead>\n<tr>",
        Text(&table.title)
    ));
    let width = table.rows.iter().map(|row| row.cells.len() + 1).max().unwrap_or(0);
    let width = width.max(table.columns.len());
    let of_text: Vec<bool> = (0..width).map(|column| is_text(table, column)).collect();
    for (column, text) in of_text.iter().enumerate() {
        let heading = table.columns.get(column).map_or("", String::as_str);
        let class = if *text { " class=\"text\"" } else { "" };
        if heading.is_empty() {
            page.add(format_args!("<td{class}></td>"));
        } else {
            page.add(format_args!("<th scope=\"col\"{class}>{}</th>", Text(heading)));
        }
    }
    page.add(format_args!("</tr>\n</thead>\n<tbody>\n"));
    let mut above = true;
    for row in &table.rows {
        // A line above each group that begins with the paper's numbers.
        let class = match (row.of_paper, above) {
            (true, true) => " class=\"of-paper\"",
            (true, false) => " class=\"of-paper group\"",
            (false, _) => "",
        };
        above = row.of_paper;
        let name = Text(&row.name);
        page.add(format_args!("<tr{class}><th scope=\"row\">{name}"));
        if row.of_paper && !row.name.to_lowercase().contains("paper") {
            page.add(format_args!("<span class=\"unseen\"> (the paper)</span>"));
        }
        page.add(format_args!("</th>"));
        for (column, text) in of_text.iter().enumerate().skip(1) {
            let class = if *text { " class=\"text\"" } else { "" };
            let cell = row.cells.get(column - 1).map_or("", String::as_str);
            page.add(format_args!("<td{class}>{}</td>", Text(cell)));
        }
        page.add(format_args!("</tr>\n"));
    }
    page.add(format_args!("</tbody>\n</table>\n</div>\n"));
    if !table.note.is_empty() {
        page.add(format_args!("<p class=\"note\">{}</p>\n", Text(&table.note)));
    }
    page.add(format_args!("</div>\n"));
}

/// Whether a column is aligned as text: the rows' names, and where most cells begin with a letter.
fn is_text(table: &ReportTable, column: usize) -> bool {
    if column == 0 {
        return true;
    }
    let cells = table.rows.iter().filter_map(|row| row.cells.get(column - 1));
    let firsts: Vec<char> = cells.filter_map(|cell| cell.chars().next()).collect();
    2 * firsts.iter().filter(|first| first.is_alphabetic()).count() > firsts.len()
}
