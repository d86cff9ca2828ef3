//! Plain text as Markdown.

use std::fmt::{self, Write};

/// Text within a line or a cell.
pub(super) struct Inline<'a>(pub(super) &'a str);

impl fmt::Display for Inline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                // A backslash before `<` is not enough for every program that reads Markdown.
                '<' => f.write_str("&lt;")?,
                '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '~' | '$' => {
                    f.write_char('\\')?;
                    f.write_char(c)?;
                }
                c if c.is_control() => f.write_char(' ')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// Text that begins a paragraph, where some characters would make it a list or a heading.
pub(super) struct Prose<'a>(pub(super) &'a str);

impl fmt::Display for Prose<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.trim();
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, rest) = text.split_at(digits);
        if (digits == 0 && text.starts_with(['#', '+', '-', '=', '>']))
            || (digits > 0 && rest.starts_with(['.', ')']))
        {
            write!(f, "{number}\\{}", Inline(rest))
        } else {
            Inline(text).fmt(f)
        }
    }
}
