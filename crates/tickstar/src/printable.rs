//! Makes untrusted text safe to print.

/// The maximum number of characters that are printed.
const MAX_CHARS: usize = 40;

/// Returns the text with control characters escaped, truncated to 40 characters. Used for names and values that are
/// quoted in error messages.
pub(crate) fn printable(text: &str) -> String {
    let mut safe = String::new();
    for (i, c) in text.chars().enumerate() {
        if i == MAX_CHARS {
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

/// Characters that change the writing direction, break lines or have no width.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_long_text_is_truncated() {
        assert_eq!(printable("Luštrek 7/5 `x`"), "Luštrek 7/5 `x`");
        assert_eq!(printable("\u{1b}[31m\n\u{7f}"), "\\u{1b}[31m\\n\\u{7f}");
        assert_eq!(printable("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(printable(&"é".repeat(40)), "é".repeat(40));
        assert_eq!(printable(&"é".repeat(41)), "é".repeat(40) + "…");
    }
}
