//! Markup as it grows, and what is put into it.

use std::fmt::{self, Write};

/// The text of a page as it grows.
#[derive(Default)]
pub(super) struct Html(String);

impl Html {
    pub(super) fn add(&mut self, text: fmt::Arguments<'_>) {
        self.0.write_fmt(text).expect("a String takes any text");
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}

/// Text escaped for use between tags and in quoted attributes. Lines are not broken within `R = 10`, `5 %` and
/// `[1.02, 1.07]`.
pub(super) struct Text<'a>(pub(super) &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut last, mut in_brackets) = (' ', false);
        let mut rest = self.0.chars();
        while let Some(c) = rest.next() {
            let next = rest.as_str().chars().next().unwrap_or(' ');
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                ' ' if in_brackets || matches!(next, '=' | '%') || last == '=' => {
                    f.write_char('\u{a0}')?;
                }
                // HTML does not allow these.
                c if c.is_control() => f.write_char(' ')?,
                c => f.write_char(c)?,
            }
            in_brackets = c == '[' || in_brackets && c != ']';
            last = c;
        }
        Ok(())
    }
}

/// An SVG as the address of an image, for a quoted attribute.
///
/// As an image it is a document of its own, so that its ids need not differ from those of others.
pub(super) struct Image<'a>(pub(super) &'a str);

impl fmt::Display for Image<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("data:image/svg+xml,")?;
        for c in self.0.chars() {
            match c {
                '"' | '%' | '#' | '<' | '>' | '\n' | '\r' | '\t' => {
                    write!(f, "%{:02X}", u32::from(c))?;
                }
                '&' => f.write_str("&amp;")?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// The size of an SVG as its view box says: width and height.
pub(super) fn view_size(svg: &str) -> Option<(f64, f64)> {
    let head = svg.split_once("<svg")?.1.split_once('>')?.0;
    let list = head.split_once("viewBox=\"")?.1.split_once('"')?.0;
    let numbers: Vec<f64> = list
        .split([' ', ','])
        .filter(|part| !part.is_empty())
        .map_while(|part| part.parse().ok())
        .collect();
    match numbers[..] {
        [_, _, width, height] if width >= 1.0 && height >= 1.0 => Some((width, height)),
        _ => None,
    }
}
