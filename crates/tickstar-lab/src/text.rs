//! Text from outside, made safe to show: file contents, file names and arguments may hold characters that
//! move a terminal's cursor, change its colors or reorder a line, and may be of any length.

use std::fmt::{Display, Write};
use std::io;
use std::path::Path;

use tickstar::catalog::closest;

/// The most characters of a quoted text.
const MAX_TEXT: usize = 40;
/// The most characters of a path.
const MAX_PATH: usize = 120;
/// The characters kept at the beginning of a path that is too long. Its end says more.
const PATH_HEAD: usize = 30;

/// The text with control characters and bidirectional controls escaped, of any length. Escaping twice is
/// the same as once.
///
/// ```
/// use tickstar_lab::text::escaped;
/// assert_eq!(escaped("a\x1b[31mb"), r"a\u{1b}[31mb");
/// assert_eq!(escaped("naïve"), "naïve");
/// ```
pub fn escaped(text: &str) -> String {
    escape(text.chars())
}

/// At most 40 characters of the text, escaped, with an ellipsis if there are more: enough to recognize it in
/// a message.
///
/// ```
/// use tickstar_lab::text::quoted;
/// assert_eq!(quoted("tba"), "tba");
/// assert_eq!(quoted(&"x".repeat(10_000)), "x".repeat(40) + "…");
/// ```
pub fn quoted(text: &str) -> String {
    let mut short = String::new();
    let mut length = 0;
    for char in text.chars() {
        let shown = escape(std::iter::once(char));
        length += shown.chars().count();
        if length > MAX_TEXT {
            short.push('…');
            break;
        }
        short += &shown;
    }
    short
}

/// A number of things, such as `1 interval` or `2 intervals`.
///
/// ```
/// use tickstar_lab::text::counted;
/// assert_eq!((counted(1, "move"), counted(0, "move")), ("1 move".into(), "0 moves".into()));
/// ```
pub fn counted(count: impl TryInto<u64> + Copy + Display, noun: &str) -> String {
    let one = count.try_into().is_ok_and(|count| count == 1);
    format!("{count} {noun}{}", if one { "" } else { "s" })
}

/// What to say after a name that does not exist: the known one that is probably meant, or all of them.
///
/// ```
/// use tickstar_lab::text::hint;
/// assert_eq!(hint("Rooms", ["rooms", "maze"]), "did you mean `rooms`?");
/// assert_eq!(hint("lava", ["rooms", "maze"]), "expected one of rooms, maze");
/// ```
pub fn hint<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    let known: Vec<_> = known.into_iter().collect();
    match closest(name, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("expected one of {}", known.join(", ")),
    }
}

/// A path, escaped, with an ellipsis in its middle if it has more than 120 characters.
pub fn path(path: &Path) -> String {
    let whole = escaped(&path.to_string_lossy());
    let length = whole.chars().count();
    if length <= MAX_PATH {
        return whole;
    }
    let head = whole.chars().take(PATH_HEAD);
    let tail = whole.chars().skip(length - (MAX_PATH - PATH_HEAD - 1));
    head.chain(['…']).chain(tail).collect()
}

/// Why the system refused to read or write a file.
///
/// ```
/// use std::io::{Error, ErrorKind};
/// use tickstar_lab::text::refusal;
/// assert_eq!(refusal(&Error::from(ErrorKind::IsADirectory)), "this is a directory");
/// ```
pub fn refusal(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such folder".into(),
        io::ErrorKind::NotADirectory => "a part of the path is not a folder".into(),
        io::ErrorKind::IsADirectory => "this is a directory".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::ReadOnlyFilesystem => "the disk is read-only".into(),
        io::ErrorKind::StorageFull => "the disk is full".into(),
        io::ErrorKind::InvalidFilename => "the name is too long, or not allowed".into(),
        _ => {
            // Without the number of the error.
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default();
            escaped(text)
        }
    }
}

fn escape(text: impl Iterator<Item = char>) -> String {
    let mut shown = String::new();
    for char in text {
        if is_unsafe(char) {
            write!(shown, "{}", char.escape_unicode()).expect("a string takes any text");
        } else {
            shown.push(char);
        }
    }
    shown
}

/// Control characters, line separators, and characters that reorder or hide what stands beside them.
fn is_unsafe(char: char) -> bool {
    char.is_control()
        || matches!(char,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_unsafe_is_left_and_all_else_is() {
        let hostile =
            "\0\u{7}\u{8}\t\n\r\x1b]0;x\u{7}\u{7f}\u{9b}31m\u{202e}\u{2066}\u{200f}\u{feff}";
        let shown = escaped(hostile);
        assert!(shown.bytes().all(|byte| (0x20..0x7f).contains(&byte)), "{shown}");
        assert_eq!(escaped(&shown), shown);
        let harmless = r"rooms/a map-1.5 (é, 地図, \n, …).map";
        assert_eq!(escaped(harmless), harmless);
    }

    #[test]
    fn long_texts_are_cut() {
        for (text, characters) in [("a", 40), ("é", 40), ("\x1b", 36)] {
            let short = quoted(&text.repeat(10_000));
            assert!(short.ends_with('…'), "{short}");
            assert_eq!(short.chars().count(), characters + 1, "{short}");
        }
        assert_eq!(quoted(&"a".repeat(40)), "a".repeat(40));
    }

    #[test]
    fn a_long_path_keeps_its_end() {
        let long = format!("/maps/{}/arena.map", "deep/".repeat(1000));
        let shown = path(Path::new(&long));
        assert_eq!(shown.chars().count(), MAX_PATH);
        assert!(shown.starts_with("/maps/deep/") && shown.ends_with("/arena.map"), "{shown}");
        assert_eq!(path(Path::new("a\x1b.map")), r"a\u{1b}.map");
    }
}
