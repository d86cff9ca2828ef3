//! Text for a terminal: tables without a frame, and lines that are broken between words.

use comfy_table::Table;

/// The most characters of a line.
pub const WIDTH: usize = 80;

/// The lines of a table without the blanks around it.
pub fn lines(table: &Table) -> Vec<String> {
    let line = |line: String| line.strip_prefix(' ').unwrap_or(&line).trim_end().to_string();
    table.lines().map(line).collect()
}

/// The text with its lines broken between words, so that none is too long if it can be helped.
pub fn wrapped(text: &str) -> String {
    hanging(text, 0)
}

/// The same, with blanks before what is left of a line.
pub fn hanging(text: &str, blanks: usize) -> String {
    let mut whole = Vec::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        let mut begun = words.next().unwrap_or_default().to_string();
        for word in words {
            let length = begun.chars().count() + 1 + word.chars().count();
            if length > WIDTH && !begun.trim().is_empty() {
                whole.push(std::mem::replace(&mut begun, " ".repeat(blanks)));
            } else {
                begun.push(' ');
            }
            begun += word;
        }
        whole.push(begun);
    }
    whole.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        let long = "word ".repeat(40);
        let text = wrapped(&format!("short\n{}\n\n{}", long.trim(), "x".repeat(90)));
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "short");
        assert!(lines[1..4].iter().all(|line| line.len() < 80 && line.len() > 30), "{text}");
        assert_eq!(lines.last().unwrap().len(), 90);
        assert_eq!(text.split_whitespace().count(), 42);
        assert!(text.contains("\n\n"));
        let text = hanging(&format!("    name: {}", long.trim()), 6);
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].starts_with("    name: word word"), "{text}");
        assert!(lines[1..].iter().all(|line| line.starts_with("      word")), "{text}");
        assert!(lines.len() == 3 && lines.iter().all(|line| line.len() <= WIDTH), "{text}");
    }
}
