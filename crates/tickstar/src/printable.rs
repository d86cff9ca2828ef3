//! Foreign text made safe to print.

/// The most characters of it that are repeated.
const MOST: usize = 40;

/// The text with control characters escaped, cut after 40 characters: for names and values that error
/// messages repeat.
pub(crate) fn printable(text: &str) -> String {
    let mut safe = String::new();
    for (i, c) in text.chars().enumerate() {
        if i == MOST {
            safe.push('…');
            break;
        }
        if c.is_control() || is_invisible(c) {
            safe.extend(c.escape_default());
        } else {
            safe.push(c);
        }
    }
    safe
}

/// Marks that turn the direction of writing, break lines or take no space.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_long_text_is_cut() {
        assert_eq!(printable("Luštrek 7/5 `x`"), "Luštrek 7/5 `x`");
        assert_eq!(printable("\u{1b}[31m\n\u{7f}"), "\\u{1b}[31m\\n\\u{7f}");
        assert_eq!(printable("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(printable(&"é".repeat(40)), "é".repeat(40));
        assert_eq!(printable(&"é".repeat(41)), "é".repeat(40) + "…");
    }
}
