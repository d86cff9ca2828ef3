//! Drawing for two looks: with the colors of a page and real text, or with fixed colors and lettering as strokes.

use std::fmt;
use std::fmt::Write;

use super::super::lettering::{SPACING, draw_text, text_width};
use super::super::{Escaped, Page, Point, Px};

/// What something is drawn in: its name in the style sheet, its color on light and on dark ground.
type Color = (&'static str, &'static str, &'static str);

const PAGE: Color = ("page", "#ffffff", "#14181f");
const INK: Color = ("ink", "#1b2430", "#eef2f7");
const SOFT: Color = ("soft", "#4a5566", "#aab4c2");
const RULE: Color = ("rule", "#d5dae2", "#3a4350");
const FAINT: Color = ("faint", "#eceff3", "#242b35");

/// The colors of series, from those of Okabe and Ito. They were moved until any two differ clearly with any kind of
/// color vision (by 0.12 in the color space Oklab, where their own differ by 0.035), and from their ground.
const SERIES: [Color; 8] = [
    ("1", "#34559f", "#6065ef"),
    ("2", "#c9450b", "#fb7c0e"),
    ("3", "#228c76", "#72b289"),
    ("4", "#ee58bd", "#d282e8"),
    ("5", "#bc9a01", "#fccb07"),
    ("6", "#5a9dff", "#b2cfff"),
    ("7", "#1b2430", "#f2f5fa"),
    ("8", "#862c12", "#db4131"),
];

/// How much wider text may be in the font of a page than as strokes.
pub(super) const SLACK: f64 = 1.08;

/// What a chart is drawn for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Look {
    /// Pages with a light and a dark theme: real text, colors by the style sheet.
    Themed,
    /// Programs without style sheets or fonts.
    Plain,
}

/// What something is drawn in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tone {
    Ink,
    Soft,
    Rule,
    Faint,
    Series(usize),
}

impl Tone {
    fn color(self) -> Color {
        match self {
            Tone::Ink => INK,
            Tone::Soft => SOFT,
            Tone::Rule => RULE,
            Tone::Faint => FAINT,
            Tone::Series(nth) => SERIES[nth % SERIES.len()],
        }
    }
}

/// Which part of a text is at its point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The width that is reserved for a text.
pub(super) fn width(text: &str, size: f64) -> f64 {
    SLACK * text_width(text, size)
}

/// The style sheet: classes for the colors, and the arrangement of panels in a page.
pub(super) fn css() -> String {
    let all = || [INK, SOFT, RULE, FAINT, PAGE].into_iter().chain(SERIES);
    let mut dark = String::new();
    for (name, _, color) in all() {
        write!(dark, "--chart-{name}:{color};").expect("a String takes any text");
    }
    let mut css = String::new();
    for (name, light, _) in all() {
        let rule = format!(".chart-svg .k-{name}{{color:var(--chart-{name},{light})}}\n");
        css.push_str(&rule);
    }
    let (name, light, _) = PAGE;
    for (class, property) in [("pf", "fill"), ("ps", "stroke")] {
        let rule = format!(".chart-svg .{class}{{{property}:var(--chart-{name},{light})}}\n");
        css.push_str(&rule);
    }
    // Without weight, so that a page can set the same properties; light on paper.
    let rules = format!(
        ".chart-svg{{max-width:100%;height:auto}}\n\
         @media screen{{:where(:root[data-theme=dark]){{{dark}}}}}\n\
         @media screen and (prefers-color-scheme:dark)\
         {{:where(:root:not([data-theme=light])){{{dark}}}}}\n"
    );
    css + &rules
}

/// An SVG as it grows.
pub(super) struct Canvas {
    page: Page,
    look: Look,
}

impl Canvas {
    /// Begins a picture of a whole file, with a ground and its style sheet, if it is not `bare`.
    pub(super) fn begin(look: Look, size: Point, zoom: f64, bare: bool) -> Canvas {
        let mut canvas = Canvas { page: Page::default(), look };
        let Point { x, y } = size;
        canvas.add(format_args!("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart-svg\" "));
        if !bare {
            canvas.add(format_args!("width=\"{}\" height=\"{}\" ", Px(x * zoom), Px(y * zoom)));
        }
        canvas.add(format_args!("viewBox=\"0 0 {} {}\" role=\"img\"", Px(x), Px(y)));
        if look == Look::Themed && !bare {
            canvas.add(format_args!(" font-family=\"system-ui,'Segoe UI',Helvetica,sans-serif\""));
        }
        canvas.add(format_args!(">\n"));
        canvas
    }

    /// Begins a picture for a legend in a page. What it shows is said beside it.
    pub(super) fn sample(size: Point) -> Canvas {
        let mut canvas = Canvas { page: Page::default(), look: Look::Themed };
        canvas.add(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart-svg\" viewBox=\"0 0 {} {}\" aria-hidden=\"true\">\n",
            Px(size.x),
            Px(size.y)
        ));
        canvas
    }

    /// What the picture is, for readers who do not see it, and its ground.
    pub(super) fn about(&mut self, title: &str, description: &str, bare: bool) {
        let (title, description) = (Escaped(title), Escaped(description));
        self.add(format_args!("<title>{title}</title>\n<desc>{description}</desc>\n"));
        if bare {
            return;
        }
        if self.look == Look::Themed {
            self.add(format_args!("<style>\n{}</style>\n", css()));
        }
        let page = self.page_class("pf");
        self.add(format_args!(
            "<rect width=\"100%\" height=\"100%\"{page} fill=\"{}\"/>\n",
            PAGE.1
        ));
    }

    pub(super) fn finish(self) -> String {
        self.page.finish()
    }

    pub(super) fn add(&mut self, text: fmt::Arguments<'_>) {
        self.page.add(text);
    }

    /// Begins a group whose current color is this.
    pub(super) fn begin_tone(&mut self, tone: Tone) {
        let (name, light, _) = tone.color();
        match self.look {
            Look::Themed => self.add(format_args!("<g class=\"k-{name}\" color=\"{light}\">\n")),
            Look::Plain => self.add(format_args!("<g color=\"{light}\">\n")),
        }
    }

    /// Begins a group that is moved.
    pub(super) fn begin_at(&mut self, at: Point) {
        self.add(format_args!("<g transform=\"translate({} {})\">\n", Px(at.x), Px(at.y)));
    }

    pub(super) fn end(&mut self) {
        self.add(format_args!("</g>\n"));
    }

    /// An attribute for what has the color of the page as its fill (`pf`) or stroke (`ps`), besides the color itself.
    pub(super) fn page_class(&self, class: &str) -> String {
        match self.look {
            Look::Themed => format!(" class=\"{class}\""),
            Look::Plain => String::new(),
        }
    }

    /// A path in the current color.
    pub(super) fn path(&mut self, d: &str, width: f64, more: &str) {
        self.add(format_args!(
            "<path d=\"{d}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"{width}\"{more}/>\n"
        ));
    }

    /// A line of text.
    pub(super) fn text(&mut self, text: &str, at: Point, size: f64, anchor: Anchor, tone: Tone) {
        self.lettered(text, at, size, anchor, tone, "");
    }

    /// A line of bold text, where there are fonts.
    pub(super) fn title(&mut self, text: &str, at: Point, size: f64) {
        self.lettered(text, at, size, Anchor::Start, Tone::Ink, " font-weight=\"600\"");
    }

    fn lettered(
        &mut self,
        text: &str,
        at: Point,
        size: f64,
        anchor: Anchor,
        tone: Tone,
        more: &str,
    ) {
        let (name, light, _) = tone.color();
        if self.look == Look::Plain {
            let inked = text_width(text, size) - SPACING * size / 10.0;
            let before = match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => inked / 2.0,
                Anchor::End => inked,
            };
            draw_text(&mut self.page, text, Point { x: at.x - before, y: at.y }, size, light);
            return;
        }
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        self.add(format_args!(
            "<text x=\"{}\" y=\"{}\" font-size=\"{size}\"{anchor}{more} class=\"k-{name}\" \
             color=\"{light}\" fill=\"currentColor\">{}</text>\n",
            Px(at.x),
            Px(at.y),
            Escaped(text)
        ));
    }
}

/// A path through points.
pub(super) fn path_through(points: &[Point]) -> String {
    let mut d = String::new();
    for (nth, point) in points.iter().enumerate() {
        let letter = if nth == 0 { 'M' } else { 'L' };
        write!(d, "{letter}{} {}", Px(point.x), Px(point.y)).expect("a String takes any text");
    }
    d
}
