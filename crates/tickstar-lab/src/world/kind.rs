//! The names of worlds: what `--world` is given.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use thiserror::Error;
use tickstar::catalog::Entry;
use tickstar::search::{Ratio, RatioError};

use crate::text::{hint, quoted};

/// Which world, as the command line names it.
///
/// ```
/// use tickstar_lab::WorldKind;
/// let kind: WorldKind = "partial".parse()?;
/// assert_eq!(kind.to_string(), "partial:15");
/// assert!("partial:150".parse::<WorldKind>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum WorldKind {
    /// `known`: the agent knows the map.
    Known,
    /// `unknown`: the agent assumes every cell is free until it sees it. It sees, at the start and
    /// after each move, the cells around it that it could step to on an empty map: all eight, or
    /// the four that share a side.
    Unknown,
    /// `partial[:PERCENT]`: the agent knows the map, but this percentage of its free cells is
    /// truly blocked, never the start or the goal. It sees as in an unknown world.
    ///
    /// A seed puts the free cells of a map in one order, from which the first are blocked: a larger
    /// share adds to a smaller one, and all problems have the same cells but for their own ends.
    Partial(Ratio),
    /// `dynamic:RATE`: the map changes after every 10 moves of the agent, and all of it is reported in `Seen`.
    ///
    /// This is the experiment of Hernández, Asín and Baier, *Time-Bounded Best-First Search*
    /// (2014): half of the rate, in percent, of the originally free cells are blocked, and as large
    /// a share of the originally blocked ones are free. We read it so that each change draws afresh
    /// from the original map, and the cells of the change before become again what the map says:
    /// were they to stay, a rate of 10 would block 92 % of the free cells within 50 changes.
    ///
    /// The cell the agent stands on and the goal never become blocked: a draw that hits them leaves
    /// them alone. If the agent stands where a wall was opened, that stays open until a later
    /// change.
    Dynamic(Ratio),
    /// `script:FILE`: the changes in a text file are made, and reported in `Seen`.
    ///
    /// A line is `INTERVAL X Y blocked` or `INTERVAL X Y free`, with blanks in between. Intervals
    /// count from 1 and never fall from line to line; a change is made before the agent's tick of
    /// its interval. Empty lines and those that begin with `#` are skipped. The last line is the
    /// word `end`, so that a file cut short is noticed.
    ///
    /// A line that blocks the cell the agent stands on waits until the agent has left it (a unit in
    /// a doorway holds the door open), and is dropped if a later line frees the cell.
    Script(PathBuf),
}

/// The text names no world.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum WorldKindError {
    /// No world of this name.
    #[error("`{}` is not a world: {}", quoted(text), hint(text, WORLDS))]
    Name {
        /// What was asked for.
        text: String,
    },
    /// Text after a colon where none is expected.
    #[error("the world `{name}` takes nothing after its name")]
    TakesNothing {
        /// What was asked for.
        text: String,
        /// The world's name.
        name: &'static str,
    },
    /// A dynamic world without its rate.
    #[error("a rate of change in percent is needed, such as dynamic:5")]
    NoRate {
        /// What was asked for.
        text: String,
    },
    /// A script without its file.
    #[error("a file is needed, as in script:FILE")]
    NoFile {
        /// What was asked for.
        text: String,
    },
    /// A percentage that is not a decimal number.
    #[error("`{}` is not a number: write a decimal such as 12.5", quoted(found))]
    NotANumber {
        /// What was asked for.
        text: String,
        /// What should be a number.
        found: String,
    },
    /// A percentage with more digits than the exact arithmetic keeps.
    #[error("`{}` has too many digits: use fewer", quoted(found))]
    TooFine {
        /// What was asked for.
        text: String,
        /// The number.
        found: String,
    },
    /// A percentage below 0 or above 100.
    #[error("{what} must be 0 to 100 percent")]
    Range {
        /// What was asked for.
        text: String,
        /// The meaning of the number.
        what: &'static str,
    },
}

/// How worlds are written.
const WORLDS: [&str; 5] = ["known", "unknown", "partial[:PERCENT]", "dynamic:RATE", "script:FILE"];

impl WorldKind {
    /// The name of each kind.
    pub const NAMES: [&str; 5] = ["known", "unknown", "partial", "dynamic", "script"];

    /// The names of the worlds an algorithm is defined in. One that does not support openings can be run
    /// with scripts that make none.
    pub fn names_for(algorithm: &Entry) -> Vec<&'static str> {
        let defined = |name: &&str| algorithm.facts.no_openings.is_none() || *name != "dynamic";
        WorldKind::NAMES.into_iter().filter(defined).collect()
    }
}

impl FromStr for WorldKind {
    type Err = WorldKindError;

    fn from_str(name: &str) -> Result<WorldKind, WorldKindError> {
        let text = name.to_owned();
        let (name, rest) = name.split_once(':').map_or((name, None), |(a, b)| (a, Some(b)));
        match (name, rest) {
            ("known", None) => Ok(WorldKind::Known),
            ("known", Some(_)) => Err(WorldKindError::TakesNothing { text, name: "known" }),
            ("unknown", None) => Ok(WorldKind::Unknown),
            ("unknown", Some(_)) => Err(WorldKindError::TakesNothing { text, name: "unknown" }),
            ("partial", rest) => {
                let share = percent(text, rest.unwrap_or("15"), "the share of blocked cells")?;
                Ok(WorldKind::Partial(share))
            }
            ("dynamic", None | Some("")) => Err(WorldKindError::NoRate { text }),
            ("dynamic", Some(rate)) => {
                Ok(WorldKind::Dynamic(percent(text, rate, "the rate of change")?))
            }
            ("script", None | Some("")) => Err(WorldKindError::NoFile { text }),
            ("script", Some(file)) => Ok(WorldKind::Script(file.into())),
            _ => Err(WorldKindError::Name { text }),
        }
    }
}

fn percent(text: String, field: &str, what: &'static str) -> Result<Ratio, WorldKindError> {
    let found = field.to_owned();
    // A fraction could not be printed as a decimal again.
    if field.contains('/') {
        return Err(WorldKindError::NotANumber { text, found });
    }
    let is_decimal = field.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_large = || is_decimal && field.parse::<f64>().is_ok_and(|number| number > 100.0);
    match field.parse::<Ratio>() {
        Ok(ratio) if ratio.num() <= 100 * ratio.den() => Ok(ratio),
        Ok(_) | Err(RatioError::Negative(_)) => Err(WorldKindError::Range { text, what }),
        Err(_) if is_large() => Err(WorldKindError::Range { text, what }),
        Err(RatioError::TooFine(_)) => Err(WorldKindError::TooFine { text, found }),
        Err(_) => Err(WorldKindError::NotANumber { text, found }),
    }
}

impl fmt::Display for WorldKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorldKind::Known => f.write_str("known"),
            WorldKind::Unknown => f.write_str("unknown"),
            WorldKind::Partial(percent) => write!(f, "partial:{percent}"),
            WorldKind::Dynamic(rate) => write!(f, "dynamic:{rate}"),
            WorldKind::Script(file) => write!(f, "script:{}", file.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worlds_print_as_they_are_written() {
        for text in [
            "known",
            "unknown",
            "partial:15",
            "partial:0",
            "partial:12.5",
            "partial:100",
            "dynamic:0.001",
            "dynamic:99.99",
            "script:a folder/b:c.script",
        ] {
            assert_eq!(text.parse::<WorldKind>().unwrap().to_string(), text);
        }
        assert_eq!("partial".parse(), Ok(WorldKind::Partial(Ratio::new(15, 1).unwrap())));
        assert_eq!("partial".parse::<WorldKind>().unwrap().to_string(), "partial:15");
        assert_eq!("dynamic:05.10".parse::<WorldKind>().unwrap().to_string(), "dynamic:5.1");
    }

    #[test]
    fn invalid_worlds_are_refused_with_the_reason() {
        let share = "the share of blocked cells must be 0 to 100 percent";
        let rate = "the rate of change must be 0 to 100 percent";
        let number =
            |found: &str| format!("`{found}` is not a number: write a decimal such as 12.5");
        let cases = [
            ("partial:150", share.to_string()),
            ("partial:100.01", share.to_string()),
            ("partial:-0.5", share.to_string()),
            ("partial:", number("")),
            ("partial:1/3", number("1/3")),
            ("partial:few", number("few")),
            ("partial:0.0000001", "`0.0000001` has too many digits: use fewer".to_string()),
            ("dynamic", "a rate of change in percent is needed, such as dynamic:5".to_string()),
            ("dynamic:", "a rate of change in percent is needed, such as dynamic:5".to_string()),
            ("dynamic:-3", rate.to_string()),
            ("dynamic:1000001", rate.to_string()),
            (&format!("dynamic:{}", "9".repeat(400)), rate.to_string()),
            ("dynamic:NaN", number("NaN")),
            ("dynamic:inf", number("inf")),
            ("dynamic:5:5", number("5:5")),
            ("script", "a file is needed, as in script:FILE".to_string()),
            ("script:", "a file is needed, as in script:FILE".to_string()),
            ("known:5", "the world `known` takes nothing after its name".to_string()),
            ("unknown:", "the world `unknown` takes nothing after its name".to_string()),
        ];
        for (text, why) in cases {
            let error = text.parse::<WorldKind>().unwrap_err();
            assert_eq!(error.to_string(), why, "{text}");
        }
        for (text, meant) in [("Known", "known"), ("parital:5", "partial[:PERCENT]")] {
            let error = text.parse::<WorldKind>().unwrap_err();
            let expected = format!("`{text}` is not a world: did you mean `{meant}`?");
            assert_eq!(error.to_string(), expected);
        }
        for text in ["", "fog", ":5"] {
            let why = "is not a world: expected one of known, unknown, partial[:PERCENT], \
                       dynamic:RATE, script:FILE";
            let error = text.parse::<WorldKind>().unwrap_err();
            assert_eq!(error.to_string(), format!("`{text}` {why}"));
        }
    }
}
