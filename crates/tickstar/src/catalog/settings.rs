//! The parameters: one constant each, with the function that applies it to the family's configuration.

use std::str::FromStr;

use super::{SettingError, closest};
use crate::printable::printable;
use crate::{
    Commitment, DLrtaConfig, DStarLiteConfig, LocalConfig, Lookahead, OpenList, PrLrtaConfig,
    PraConfig, Priority, Ratio, RatioError, Restart, StartLevel, Successors, TickConfig, Ties,
    TimeBoundedConfig, Tracing, WeightError,
};

/// A parameter of the algorithms that are configured by a `C`.
#[derive(Debug)]
pub(super) struct Setting<C> {
    pub name: &'static str,
    pub meaning: &'static str,
    /// The values tests try.
    pub values: &'static [&'static str],
    /// The value in a configuration, as it would be written.
    pub show: fn(&C) -> String,
    /// Gives it a value.
    pub apply: fn(&mut C, &str) -> Result<(), Refused>,
}

/// Why a value is refused, before parameter and value are named.
#[derive(Debug)]
pub(super) enum Refused {
    Expected(String),
    Number(RatioError),
    Weight(WeightError),
}

impl Refused {
    pub fn about(self, name: &'static str, value: &str) -> SettingError {
        match self {
            Refused::Expected(expected) => {
                SettingError::Choice { name, value: printable(value), expected }
            }
            Refused::Number(error) => SettingError::Number { name, error },
            Refused::Weight(error) => SettingError::Weight(error),
        }
    }
}

/// The words for the values of a parameter.
struct Words<T: 'static>(&'static [(&'static str, T)]);

impl<T: Copy + PartialEq> Words<T> {
    fn parse(&self, text: &str) -> Result<T, Refused> {
        let known = self.0.iter().find(|(word, _)| *word == text);
        known.map(|&(_, value)| value).ok_or_else(|| {
            let words: Vec<_> = self.0.iter().map(|(word, _)| *word).collect();
            let meant = closest(text, words.iter().copied());
            let hint = meant.map_or(String::new(), |meant| format!("; did you mean `{meant}`?"));
            Refused::Expected(words.join(" or ") + &hint)
        })
    }

    fn show(&self, value: T) -> String {
        let known = self.0.iter().find(|(_, known)| *known == value);
        known.map_or(String::new(), |(word, _)| (*word).to_string())
    }
}

/// The whole numbers from the first to the last.
struct Whole(u32, u32);

impl Whole {
    fn parse(&self, text: &str) -> Result<u32, Refused> {
        let Whole(least, most) = *self;
        self.parse_or(text, || format!("a whole number from {least} to {most}"))
    }

    /// Like [`parse`](Whole::parse), where other values are allowed too: `expected` describes all of them.
    fn parse_or(&self, text: &str, expected: impl Fn() -> String) -> Result<u32, Refused> {
        let Whole(least, most) = *self;
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| Refused::Expected(expected()))
    }

    #[allow(clippy::unused_self)] // as `Words::show`
    fn show(&self, value: u32) -> String {
        value.to_string()
    }
}

fn number(text: &str) -> Result<Ratio, Refused> {
    Ratio::from_str(text).map_err(Refused::Number)
}

/// A number within a range that is described.
fn ratio(text: &str, expected: &str, fits: impl Fn(Ratio) -> bool) -> Result<Ratio, Refused> {
    match number(text) {
        Ok(ratio) if fits(ratio) => Ok(ratio),
        Ok(_) | Err(Refused::Number(RatioError::Negative(_))) => {
            Err(Refused::Expected(expected.to_string()))
        }
        Err(error) => Err(error),
    }
}

/// A parameter that is one field of the configuration.
macro_rules! field {
    ($config:ty: $($field:ident).+ as $kind:ident, $name:literal, $values:expr, $meaning:expr $(,)?) => {
        Setting::<$config> {
            name: $name,
            meaning: $meaning,
            values: &$values,
            show: |config| $kind.show(config.$($field).+),
            apply: |config, text| {
                config.$($field).+ = $kind.parse(text)?;
                Ok(())
            },
        }
    };
}

const FLAG: Words<bool> = Words(&[("true", true), ("false", false)]);
const FLAGS: [&str; 2] = ["false", "true"];
const OPEN_LIST: Words<OpenList> =
    Words(&[("buckets", OpenList::Buckets), ("heap", OpenList::Heap)]);

/// More levels than any map has.
const MAX_LEVEL: u32 = 100;
/// A lookahead of this depth covers any map.
const MAX_DEPTH: u32 = 1_000_000;
/// A longer queue would take too much time per entry.
const MAX_QUEUE: u32 = 10_000;
/// The largest denominator of a weight that costs are multiplied by.
const FINEST: u32 = 100;

/// The open list of a configuration.
trait HasOpen {
    fn open(&mut self) -> &mut OpenList;
}

impl HasOpen for TimeBoundedConfig {
    fn open(&mut self) -> &mut OpenList {
        &mut self.search.open
    }
}

impl HasOpen for LocalConfig {
    fn open(&mut self) -> &mut OpenList {
        &mut self.open
    }
}

impl HasOpen for DStarLiteConfig {
    fn open(&mut self) -> &mut OpenList {
        &mut self.open
    }
}

impl HasOpen for PraConfig {
    fn open(&mut self) -> &mut OpenList {
        &mut self.open
    }
}

impl HasOpen for TickConfig {
    fn open(&mut self) -> &mut OpenList {
        &mut self.open
    }
}

#[allow(private_bounds)]
pub(super) const fn open<C: HasOpen + Copy>() -> Setting<C> {
    Setting {
        name: "open",
        meaning: "the open list: buckets or heap; the walk is the same with both",
        values: &["buckets", "heap"],
        show: |config| OPEN_LIST.show(*{ *config }.open()),
        apply: |config, text| {
            *config.open() = OPEN_LIST.parse(text)?;
            Ok(())
        },
    }
}

/// The time-bounded family.
pub(super) mod time_bounded {
    use super::{
        FLAG, FLAGS, Priority, Ratio, Refused, Restart, Setting, Successors, TimeBoundedConfig,
        Tracing, Words, number, ratio,
    };

    /// `r` and `c` come before `trace` in a row: with `trace=free` they are checked but not used.
    pub const R: Setting<TimeBoundedConfig> = Setting {
        name: "r",
        meaning: "share of the budget for expansions, above 0 and below 1 (with trace=bounded)",
        values: &["0.1", "0.5", "0.9"],
        show: |config| match config.tracing {
            Tracing::Bounded { r, .. } => r.to_string(),
            Tracing::Free => String::new(),
        },
        apply: |config, text| {
            let within = |r: Ratio| r.num() > 0 && r < Ratio::ONE;
            let share = ratio(text, "above 0 and below 1", within)?;
            if let Tracing::Bounded { r, .. } = &mut config.tracing {
                *r = share;
            }
            Ok(())
        },
    };

    pub const C: Setting<TimeBoundedConfig> = Setting {
        name: "c",
        meaning: "trace steps for the price of one expansion, above 0 (with trace=bounded)",
        values: &["0.5", "1", "10"],
        show: |config| match config.tracing {
            Tracing::Bounded { c, .. } => c.to_string(),
            Tracing::Free => String::new(),
        },
        apply: |config, text| {
            let steps = ratio(text, "above 0", |c| c.num() > 0)?;
            if let Tracing::Bounded { c, .. } = &mut config.tracing {
                *c = steps;
            }
            Ok(())
        },
    };

    const TRACES: Words<bool> = Words(&[("bounded", true), ("free", false)]);

    pub const TRACE: Setting<TimeBoundedConfig> = Setting {
        name: "trace",
        meaning: "bounded: tracing is paid from the budget (2009); \
                  free: the budget is k expansions and tracing is not counted (2012)",
        values: &["bounded", "free"],
        show: |config| TRACES.show(config.tracing != Tracing::Free),
        apply: |config, text| {
            let bounded = TRACES.parse(text)?;
            config.tracing = match config.tracing {
                _ if !bounded => Tracing::Free,
                Tracing::Free => Tracing::default(),
                shared @ Tracing::Bounded { .. } => shared,
            };
            Ok(())
        },
    };

    pub const SHORTCUT: Setting<TimeBoundedConfig> = field!(
        TimeBoundedConfig: shortcut as FLAG, "shortcut", FLAGS,
        "enhancement 1: look for a shortcut to the known path while walking back",
    );

    pub const SWITCH: Setting<TimeBoundedConfig> = field!(
        TimeBoundedConfig: switch as FLAG, "switch", FLAGS,
        "enhancement 2: do not switch to a path with a lower g",
    );

    pub const REOPEN: Setting<TimeBoundedConfig> = field!(
        TimeBoundedConfig: search.reopen as FLAG, "reopen", FLAGS,
        "reopen a closed node when a cheaper path to it is found",
    );

    const SUCCESSOR_SETS: Words<Successors> =
        Words(&[("all", Successors::All), ("canonical", Successors::Canonical)]);

    pub const SUCCESSORS: Setting<TimeBoundedConfig> = field!(
        TimeBoundedConfig: search.successors as SUCCESSOR_SETS, "successors", ["all", "canonical"],
        "canonical: of equally cheap paths, search only for those with diagonal steps first: faster, on grids \
         without terrain",
    );

    const RESTARTS: Words<Restart> = Words(&[("lazy", Restart::Lazy), ("eager", Restart::Eager)]);

    pub const RESTART: Setting<TimeBoundedConfig> = field!(
        TimeBoundedConfig: restart as RESTARTS, "restart", ["lazy", "eager"],
        "lazy: restart the search when the path ahead is cut, or when a newly opened path may be better by \
         more than the weight; eager: whenever anything changed",
    );

    pub const WEIGHT: Setting<TimeBoundedConfig> = Setting {
        name: "weight",
        meaning: "the weight w, 1 or more; a decimal or a fraction such as 7/5",
        values: &["1", "1.4", "3"],
        show: |config| {
            config.search.priority.weight().map_or(String::new(), |weight| weight.to_string())
        },
        apply: |config, text| {
            config.search.priority = Priority::weighted(number(text)?).map_err(Refused::Weight)?;
            Ok(())
        },
    };
}

/// The learning family.
pub(super) mod local {
    use super::{Commitment, LocalConfig, Lookahead, MAX_DEPTH, MAX_QUEUE, Setting, Whole, Words};

    pub const DEPTH: Setting<LocalConfig> = Setting {
        name: "depth",
        meaning: "the depth of the lookahead in steps, 1 or more (the 2009 paper: 4 to 16)",
        values: &["1", "2", "4", "7"],
        show: |config| match config.lookahead {
            Lookahead::Ball { depth } => depth.to_string(),
            _ => String::new(),
        },
        apply: |config, text| {
            let steps = Whole(1, MAX_DEPTH).parse(text)?;
            if let Lookahead::Ball { depth } = &mut config.lookahead {
                *depth = steps;
            }
            Ok(())
        },
    };

    pub const QUEUE: Setting<LocalConfig> = Setting {
        name: "queue",
        meaning: "the maximum length of the queue, and the maximum number of updates from it per tick, \
                  0 to 10000 (the 2009 paper: 10 to 250)",
        values: &["0", "1", "10", "60"],
        show: |config| match config.lookahead {
            Lookahead::Queue { length } => length.to_string(),
            _ => String::new(),
        },
        apply: |config, text| {
            let longest = Whole(0, MAX_QUEUE).parse(text)?;
            if let Lookahead::Queue { length } = &mut config.lookahead {
                *length = longest;
            }
            Ok(())
        },
    };

    const COMMITMENTS: Words<Commitment> =
        Words(&[("one", Commitment::Step), ("all", Commitment::Target)]);

    pub const MOVES: Setting<LocalConfig> = Setting {
        name: "moves",
        meaning: "one: one step per search (2012); all: walk to the target of the search, then search \
                  again",
        values: &["one", "all"],
        show: |config| match config.lookahead {
            Lookahead::Astar { commitment, .. } => COMMITMENTS.show(commitment),
            _ => String::new(),
        },
        apply: |config, text| {
            let rule = COMMITMENTS.parse(text)?;
            if let Lookahead::Astar { commitment, .. } = &mut config.lookahead {
                *commitment = rule;
            }
            Ok(())
        },
    };
}

/// D* Lite.
pub(super) mod dstar_lite {
    use super::{DStarLiteConfig, Setting, Ties, Words};

    const RULES: Words<Ties> = Words(&[("far", Ties::Far), ("near", Ties::Near)]);

    pub const TIES: Setting<DStarLiteConfig> = field!(
        DStarLiteConfig: ties as RULES, "ties", ["far", "near"],
        "which of several equally good nodes is expanded first. far: the one nearest to the agent \
         (2012); near: the one nearest to the goal (2002)",
    );
}

/// PRA*.
pub(super) mod pra {
    use super::{FLAG, MAX_DEPTH, MAX_LEVEL, PraConfig, Setting, StartLevel, Whole, Words};

    pub const K: Setting<PraConfig> = Setting {
        name: "k",
        meaning: "the number of steps to which a path is truncated, on every level, 1 or more, or inf \
                  (the paper: 2, 4, 8, 16, inf)",
        values: &["1", "2", "5", "16", "inf"],
        show: |config| config.k.map_or("inf".to_string(), |k| k.to_string()),
        apply: |config, text| {
            let or_inf = || format!("a whole number from 1 to {MAX_DEPTH}, or inf");
            config.k = match text {
                "inf" => None,
                number => Some(Whole(1, MAX_DEPTH).parse_or(number, or_inf)?),
            };
            Ok(())
        },
    };

    pub const LEVEL: Setting<PraConfig> = Setting {
        name: "level",
        meaning: "where planning starts, relative to the level on which start and goal are one node or \
                  adjacent. half: half as high, as in the paper; top: on that level; a number: on this \
                  level, if it is lower; auto: as half, but low enough that the next level has at least \
                  four times as many nodes as the square root of the number of cells",
        values: &["auto", "half", "top", "0", "1", "2"],
        show: |config| match config.start {
            StartLevel::Bounded => "auto".to_string(),
            StartLevel::Half => "half".to_string(),
            StartLevel::Top => "top".to_string(),
            StartLevel::Fixed(level) => level.to_string(),
        },
        apply: |config, text| {
            let or_word = || format!("auto, half, top or a whole number from 0 to {MAX_LEVEL}");
            config.start = match text {
                "auto" => StartLevel::Bounded,
                "half" => StartLevel::Half,
                "top" => StartLevel::Top,
                number => StartLevel::Fixed(Whole(0, MAX_LEVEL).parse_or(number, or_word)?),
            };
            Ok(())
        },
    };

    const WIDTHS: Words<bool> = Words(&[("0", false), ("1", true)]);

    pub const CORRIDOR: Setting<PraConfig> = field!(
        PraConfig: wide as WIDTHS, "corridor", ["0", "1"],
        "the width of the corridor around a path. 0: its nodes; 1: also their neighbors",
    );

    pub const KEEP: Setting<PraConfig> = field!(
        PraConfig: keep as FLAG, "keep", ["true", "false"],
        "keep the paths of the upper levels from one segment to the next",
    );
}

/// PR LRTA*.
pub(super) mod pr_lrta {
    use super::{FINEST, MAX_DEPTH, MAX_LEVEL, PrLrtaConfig, Ratio, Setting, Whole, ratio};

    const LEVELS: Whole = Whole(1, MAX_LEVEL);
    const STEPS: Whole = Whole(1, MAX_DEPTH);

    pub const LEVEL: Setting<PrLrtaConfig> = field!(
        PrLrtaConfig: level as LEVELS, "level", ["1", "2", "3", "9"],
        "the level on which it looks ahead and learns, 1 or more; where the map has fewer levels, the \
         highest (the 2009 paper: 3 to 7)",
    );

    pub const DEPTH: Setting<PrLrtaConfig> = field!(
        PrLrtaConfig: depth as STEPS, "depth", ["1", "2", "4", "7"],
        "the depth of the lookahead on that level in steps, 1 or more (the 2009 paper: 1, 3, 5, 10, 15)",
    );

    pub const GAMMA: Setting<PrLrtaConfig> = Setting {
        name: "gamma",
        meaning: "the weight of costs relative to estimates, above 0 and at most 1, with two decimals \
                  at most (the 2009 paper: 0.2, 0.4, 0.6, 1)",
        values: &["0.2", "0.6", "1"],
        show: |config| config.gamma.to_string(),
        apply: |config, text| {
            let expected = "above 0 and at most 1, with two decimals at most";
            let fits = |g: Ratio| g.num() > 0 && g <= Ratio::ONE && g.den() <= FINEST;
            config.gamma = ratio(text, expected, fits)?;
            Ok(())
        },
    };
}

/// D LRTA*.
pub(super) mod d_lrta {
    use super::{DLrtaConfig, MAX_DEPTH, MAX_LEVEL, Setting, Whole};

    const LEVELS: Whole = Whole(1, MAX_LEVEL);
    const STEPS: Whole = Whole(1, MAX_DEPTH);

    pub const LEVEL: Setting<DLrtaConfig> = field!(
        DLrtaConfig: level as LEVELS, "level", ["1", "2", "3", "9"],
        "the level of the tables, 1 or more; tables for other levels are not used (the 2009 paper: 3)",
    );

    pub const DEPTH: Setting<DLrtaConfig> = field!(
        DLrtaConfig: depth as STEPS, "depth", ["1", "2", "4", "7"],
        "the depth of the lookahead in steps where there is no subgoal, 1 or more",
    );
}

/// Tick*.
pub(super) mod tick {
    use super::{
        FLAG, FLAGS, MAX_DEPTH, Ratio, Refused, Setting, TickConfig, WeightError, Whole, number,
    };

    /// A longer leg would be a search of the whole map.
    const REGIONS: Whole = Whole(1, 64);

    pub const EARLY: Setting<TickConfig> = field!(
        TickConfig: early as FLAG, "early", ["true", "false"],
        "true: act in every tick, also before a path is planned; false: wait for the first segment, and arrive \
         in the fewest ticks",
    );

    pub const LOOK: Setting<TickConfig> = field!(
        TickConfig: look as REGIONS, "look", ["1", "2", "4"],
        "the number of regions that a segment of the path leads through, 1 to 64",
    );

    pub const FIRST_LOOK: Setting<TickConfig> = field!(
        TickConfig: first_look as REGIONS, "first-look", ["1", "2"],
        "the same for a segment that begins within a few steps of the agent",
    );

    pub const AHEAD: Setting<TickConfig> = Setting {
        name: "ahead",
        meaning: "the number of steps that are planned ahead, at least, 1 or more, or inf: as far as the goal",
        values: &["inf", "1", "96"],
        show: |config| config.ahead.map_or("inf".to_string(), |steps| steps.to_string()),
        apply: |config, text| {
            let or_inf = || format!("a whole number from 1 to {MAX_DEPTH}, or inf");
            config.ahead = match text {
                "inf" => None,
                number => Some(Whole(1, MAX_DEPTH).parse_or(number, or_inf)?),
            };
            Ok(())
        },
    };

    fn weight(text: &str) -> Result<Ratio, Refused> {
        let weight = number(text)?;
        if weight < Ratio::ONE { Err(Refused::Weight(WeightError(weight))) } else { Ok(weight) }
    }

    pub const COARSE_WEIGHT: Setting<TickConfig> = Setting {
        name: "coarse-weight",
        meaning: "the weight of the heuristic in the search over regions, 1 or more, or auto: 1.05, and from 64 \
                  units per tick on 1",
        values: &["auto", "1.05", "1", "2"],
        show: |config| config.weight.map_or("auto".to_string(), |weight| weight.to_string()),
        apply: |config, text| {
            config.weight = match text {
                "auto" => None,
                number => Some(weight(number)?),
            };
            Ok(())
        },
    };

    pub const LEG_WEIGHT: Setting<TickConfig> = Setting {
        name: "leg-weight",
        meaning: "the weight of the heuristic in the search for a segment, 1 or more",
        values: &["1.05", "1", "2"],
        show: |config| config.leg_weight.to_string(),
        apply: |config, text| {
            config.leg_weight = weight(text)?;
            Ok(())
        },
    };

    pub const POLISH: Setting<TickConfig> = field!(
        TickConfig: polish as FLAG, "polish", FLAGS,
        "improve the path with what is left of each tick, until it is optimal",
    );
}
