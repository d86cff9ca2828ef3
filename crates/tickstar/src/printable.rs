//! Makes untrusted text safe to print.

/// The maximum number of characters that are printed.
const MAX_CHARS: usize = 40;

/// Returns the text with control characters escaped, truncated to 40 characters with an ellipsis. Used for names and
/// values that are quoted in error messages.
pub(crate) fn printable(text: &str) -> String {
    let mut safe = String::new();
    let mut length = 0;
    for c in text.chars() {
        let shown: String = if is_unsafe(c) { c.escape_default().collect() } else { c.into() };
        length += shown.chars().count();
        if length > MAX_CHARS {
            safe.push('…');
            break;
        }
        safe += &shown;
    }
    safe
}

/// Control characters, line separators, and characters that reorder or hide what stands beside them.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
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
        assert_eq!(printable(&"\u{1b}".repeat(9)), "\\u{1b}".repeat(6) + "…");
    }
}
