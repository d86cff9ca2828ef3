//! A chart as a figure of a page.

use super::super::{Escaped, Page, Point};
use super::Chart;
use super::canvas::{Canvas, Look, css};
use super::panel::Layout;

/// The style sheet of charts in a page, for its head.
pub fn chart_css() -> String {
    const PAGE: &str = "\
.chart-figure{margin:1.5rem 0}
.chart-figure figcaption{font-weight:600;margin-bottom:.4rem;break-after:avoid}
.chart-figure ul{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;list-style:none;margin:0 0 .8rem;padding:0;font-size:.875rem;break-after:avoid}
.chart-figure li{display:flex;align-items:center;gap:.4rem;margin:0}
.chart-figure li svg{width:30px;height:14px;flex:none}
.chart-panels{display:grid;gap:1.2rem 1.6rem;max-width:calc(var(--columns)*29.6rem - 1.6rem);grid-template-columns:repeat(auto-fit,minmax(min(100%,max(18rem,(100% - 1.6rem*(var(--columns) - 1))/var(--columns))),1fr))}
.chart-panels svg{display:block;width:100%;break-inside:avoid}
.chart-one{max-width:36rem}
.chart-figure p{font-size:.8125rem;margin:.5rem 0 0;color:var(--chart-soft,#4a5566)}
";
    css() + PAGE
}

impl Chart {
    /// A figure for a page that has [`chart_css`]: title, legend, one picture per panel, note.
    pub fn html(&self) -> String {
        let layout = Layout::new(self);
        let mut page = Page::default();
        page.add(format_args!(
            "<figure class=\"chart-figure\">\n<figcaption>{}</figcaption>\n",
            Escaped(&self.title)
        ));
        let samples = layout.keys.samples();
        if !samples.is_empty() {
            page.add(format_args!("<ul>\n"));
            for (svg, name) in samples {
                page.add(format_args!(
                    "<li>{}<span>{}</span></li>\n",
                    svg.trim_end(),
                    Escaped(name)
                ));
            }
            page.add(format_args!("</ul>\n"));
        }
        let (one, columns) =
            if self.panels.len() > 1 { ("", self.columns()) } else { (" chart-one", 1) };
        page.add(format_args!("<div class=\"chart-panels{one}\" style=\"--columns:{columns}\">\n"));
        for (nth, panel) in self.panels.iter().enumerate() {
            let size = Point { x: layout.width, y: layout.height };
            let title = match (self.title.as_str(), panel.title.as_str()) {
                (title, "") => title.to_string(),
                ("", panel) => panel.to_string(),
                (title, panel) => format!("{title}: {panel}"),
            };
            let about = format!("{} {}", self.about_axes(), layout.about(nth));
            let mut canvas = Canvas::begin(Look::Themed, size, 1.0, true);
            canvas.about(&title, &about, true);
            layout.draw(&mut canvas, nth);
            page.add(format_args!("{}", canvas.finish()));
        }
        page.add(format_args!("</div>\n"));
        for note in self.notes() {
            page.add(format_args!("<p>{}</p>\n", Escaped(&note)));
        }
        page.add(format_args!("</figure>\n"));
        page.0
    }
}
