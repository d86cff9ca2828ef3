//! What to try after a comparison: command lines that work as they are.

use tickstar_lab::{Contestant, WorldKind};

use super::Compare;
use super::finding::Contrast;

impl Compare {
    /// The commands: one that draws what was found, and one for something else.
    pub(super) fn next(
        &self,
        contestants: &[Contestant],
        contrast: Option<(&Contrast, &str, [String; 2])>,
        world: &WorldKind,
    ) -> Vec<String> {
        let draw = contrast.and_then(|(contrast, map, ends)| {
            let who: Vec<_> = contrast.places.iter().map(|&place| &contestants[place]).collect();
            self.draw_command(&who, map, &ends)
        });
        let other = match world {
            WorldKind::Known => "compare --world unknown --algorithms rtba,tbaa --budgets 10,100",
            _ => "compare --algorithms tba,pra,lss-lrta --budgets 10,100",
        };
        let program = program();
        let commands = draw.into_iter().chain([other.to_string()]);
        commands.map(|command| format!("{program} {command}")).collect()
    }

    /// Draws some contestants on a problem; none if a name cannot be typed.
    fn draw_command(&self, who: &[&Contestant], map: &str, ends: &[String; 2]) -> Option<String> {
        if self.tables.files().next().is_some() {
            return None;
        }
        let mut words = vec!["draw".to_string()];
        let [from, to] = ends;
        for (flag, value) in [("--map", map), ("--from", from), ("--to", to)] {
            words.extend([flag.to_string(), value.to_string()]);
        }
        let same = who.first().and_then(|first| first.budget);
        let shared = same.filter(|_| who.iter().all(|other| other.budget == same));
        if let Some(budget) = shared {
            words.extend(["--budget".to_string(), budget.to_string()]);
        }
        for Contestant { name, budget, .. } in who {
            let budget = budget.map_or("none".to_string(), |budget| budget.to_string());
            let own = if shared.is_some() { String::new() } else { format!(":budget={budget}") };
            words.extend(["--algorithm".to_string(), format!("{name}{own}")]);
        }
        words.extend(self.movement.flags());
        words.extend(self.worlds.flags());
        let words: Option<Vec<_>> = words.iter().map(|word| typed(word)).collect();
        Some(words?.join(" "))
    }
}

/// The program as it was called, so that the commands work the same way.
fn program() -> String {
    let called = std::env::args_os().next().and_then(|name| typed(name.to_str()?));
    called.filter(|name| !name.is_empty()).unwrap_or_else(|| "tickstar".to_string())
}

/// A word as it is typed into a shell; none if it has characters that cannot be.
fn typed(word: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,+@%\\".contains(c);
    if word.chars().any(|c| c.is_control() || c == char::REPLACEMENT_CHARACTER) {
        None
    } else if word.chars().all(is_plain) && (cfg!(windows) || !word.contains('\\')) {
        Some(word.to_string())
    } else {
        Some(format!("'{}'", word.replace('\'', r"'\''")))
    }
}

#[cfg(test)]
mod tests {
    use super::typed;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        for (word, expected) in [
            ("builtin:caves-128", Some("builtin:caves-128")),
            ("my map.map", Some("'my map.map'")),
            ("it's", Some(r"'it'\''s'")),
            ("$HOME", Some("'$HOME'")),
            ("bell\u{7}", None),
            ("lost\u{fffd}", None),
        ] {
            assert_eq!(typed(word).as_deref(), expected, "{word}");
        }
    }
}
