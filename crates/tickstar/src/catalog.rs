//! The one list of algorithms: the command line's help, the docs' table and the conformance suite all
//! read it.
//!
//! ```
//! use tickstar::{Agent, Cell, Grid, Seen, Slice, Step, catalog};
//! let grid = Grid::from_rows(["....", ".##.", "...."])?;
//! let [start, goal] = [(0, 1), (3, 1)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
//! let config = catalog::find("tba")?.configure(&[("switch", "true")])?;
//! config.check_budget(10)?;
//! let mut agent = config.agent(&grid, start, goal)?;
//! while agent.tick(&grid, agent.position(), Seen::default(), &mut Slice::new(10)) != Step::Arrived {}
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod entries;

use std::str::FromStr;

use thiserror::Error;

use crate::{
    Agent, AgentError, Commitment, DLrta, DLrtaConfig, DStarLite, DStarLiteConfig, Local,
    LocalConfig, Lookahead, Map, NodeId, OpenList, PrLrta, PrLrtaConfig, Pra, PraConfig, Priority,
    QuickPath, Ratio, RatioError, Restart, StartLevel, Ties, TimeBounded, TimeBoundedConfig,
    Tracing, WeightError,
};

/// An algorithm that can be asked for by name.
#[derive(Debug)]
pub struct Entry {
    /// The name it is asked for by.
    pub name: &'static str,
    /// What it is called in the literature.
    pub title: &'static str,
    /// What it does, in a sentence or two.
    pub summary: &'static str,
    /// Where it was published.
    pub paper: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// What it promises and needs.
    pub guarantees: Guarantees,
    /// The budget a tick it is run with if none is given; none means no limit.
    pub default_budget: Option<u64>,
    /// The configuration its parameters are applied to.
    base: fn() -> Family,
}

/// The configuration of one family of agents.
#[derive(Clone, Copy, Debug)]
enum Family {
    TimeBounded(TimeBoundedConfig),
    Local(LocalConfig),
    DStarLite(DStarLiteConfig),
    Pra(PraConfig),
    QuickPath,
    PrLrta(PrLrtaConfig),
    DLrta(DLrtaConfig),
}

/// A parameter of an algorithm.
#[derive(Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// The value it has if none is given.
    pub default: &'static str,
    /// What it means, and what it may be.
    pub meaning: &'static str,
}

/// What an algorithm promises and needs.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)] // a list of yes-or-no facts is what it is
pub struct Guarantees {
    /// It arrives exactly when the goal can be reached, and says so when it cannot, as long as the
    /// map, known to it or not, stays as it is.
    pub complete: bool,
    /// It moves in the first tick, before it knows a whole path.
    pub acts_at_once: bool,
    /// All its work in a tick is bounded by the budget, tracing included (with its defaults).
    pub bounded_tick: bool,
    /// It walks back along edges, so every edge needs its reverse at the same cost.
    pub needs_reversible_edges: bool,
    /// It plans on an abstraction of the map, a [`Hierarchy`](crate::Hierarchy), so the map needs one.
    pub needs_hierarchy: bool,
    /// It may take as many moves as the square of what can be reached to find out that the goal cannot
    /// be; a caller will want to give up before that.
    pub slow_to_give_up: bool,
    /// Why it is not for maps on which anything opens or grows cheaper, if it is not.
    pub no_openings: Option<&'static str>,
    /// What is known of the cost of the walk.
    pub cost: &'static str,
    /// What it does when the map turns out to be another, or changes.
    pub changes: &'static str,
}

/// Every algorithm there is.
pub fn all() -> &'static [Entry] {
    &entries::ENTRIES
}

/// No algorithm has this name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("there is no algorithm `{name}`; there are: {known}")]
pub struct UnknownAlgorithm {
    name: String,
    known: String,
}

/// The algorithm with this name.
///
/// # Errors
/// When there is none.
pub fn find(name: &str) -> Result<&'static Entry, UnknownAlgorithm> {
    all().iter().find(|entry| entry.name == name).ok_or_else(|| {
        let known: Vec<_> = all().iter().map(|entry| entry.name).collect();
        UnknownAlgorithm { name: name.to_string(), known: known.join(", ") }
    })
}

/// Why a parameter cannot be set like that.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SettingError {
    /// The algorithm has no such parameter.
    #[error("`{algorithm}` has no parameter `{name}`; it has: {known}")]
    Unknown {
        /// The algorithm.
        algorithm: &'static str,
        /// The parameter asked for.
        name: String,
        /// Those it has.
        known: String,
    },
    /// Not one of the values it can have.
    #[error("{name}={value}: must be {expected}")]
    Choice {
        /// The parameter.
        name: &'static str,
        /// The value given.
        value: String,
        /// What it may be.
        expected: String,
    },
    /// Not a number.
    #[error("{name}: {error}")]
    Number {
        /// The parameter.
        name: &'static str,
        /// What is wrong with it.
        error: RatioError,
    },
    /// A weight below one.
    #[error(transparent)]
    Weight(#[from] WeightError),
}

/// A budget of nothing.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("a budget of 0 leaves nothing to think with: give each tick at least 1")]
pub struct BudgetError;

/// An algorithm with its parameters set.
#[derive(Clone, Debug)]
pub struct Config {
    entry: &'static Entry,
    family: Family,
    /// Every parameter with the value it has.
    parameters: Vec<(&'static str, String)>,
}

impl Entry {
    /// The algorithm with these parameters; those not named have their defaults.
    ///
    /// # Errors
    /// When a parameter does not exist or cannot have that value.
    pub fn configure<N: AsRef<str>, V: AsRef<str>>(
        &'static self,
        settings: &[(N, V)],
    ) -> Result<Config, SettingError> {
        for (name, _) in settings {
            if !self.parameters.iter().any(|parameter| parameter.name == name.as_ref()) {
                let known: Vec<_> = self.parameters.iter().map(|known| known.name).collect();
                return Err(SettingError::Unknown {
                    algorithm: self.name,
                    name: name.as_ref().to_string(),
                    known: known.join(", "),
                });
            }
        }
        let parameters: Vec<_> = self
            .parameters
            .iter()
            .map(|parameter| {
                let named = |(name, _): &&(N, V)| name.as_ref() == parameter.name;
                let value = settings.iter().rev().find(named).map(|(_, value)| value.as_ref());
                (parameter.name, value.unwrap_or(parameter.default).trim().to_string())
            })
            .collect();
        let mut family = (self.base)();
        family.set(&parameters)?;
        Ok(Config { entry: self, family, parameters })
    }
}

impl Family {
    /// Gives all parameters of an algorithm of this family their values.
    fn set(&mut self, parameters: &[(&'static str, String)]) -> Result<(), SettingError> {
        match self {
            Family::TimeBounded(config) => set_time_bounded(config, parameters),
            Family::Local(config) => set_local(config, parameters),
            Family::DStarLite(config) => set_dstar_lite(config, parameters),
            Family::Pra(config) => set_pra(config, parameters),
            Family::QuickPath => Ok(()),
            Family::PrLrta(config) => set_pr_lrta(config, parameters),
            Family::DLrta(config) => set_d_lrta(config, parameters),
        }
    }
}

fn set_time_bounded(
    config: &mut TimeBoundedConfig,
    parameters: &[(&'static str, String)],
) -> Result<(), SettingError> {
    // `r` and `c` are kept aside, as `trace` decides whether they are used.
    let (mut r, mut c, mut bounded) = (Ratio::ONE, Ratio::ONE, None);
    for (name, value) in parameters {
        match *name {
            "r" => {
                let within = |r: Ratio| r.num() > 0 && r < Ratio::ONE;
                r = ratio(name, value, "above 0 and below 1", within)?;
            }
            "c" => c = ratio(name, value, "above 0", |c| c.num() > 0)?,
            "trace" => bounded = Some(choice(name, value, ["bounded", "free"])? == 0),
            "shortcut" => config.shortcut = flag(name, value)?,
            "switch" => config.switch = flag(name, value)?,
            "reopen" => config.search.reopen = flag(name, value)?,
            "open" => config.search.open = open_list(name, value)?,
            "restart" => {
                let rules = [Restart::Lazy, Restart::Eager];
                config.restart = rules[choice(name, value, ["lazy", "eager"])?];
            }
            "weight" => config.search.priority = Priority::weighted(number(name, value)?)?,
            other => unreachable!("the parameter {other} is in a list but means nothing"),
        }
    }
    config.tracing = match bounded {
        Some(true) => Tracing::Bounded { r, c },
        Some(false) => Tracing::Free,
        None => config.tracing,
    };
    Ok(())
}

fn set_local(
    config: &mut LocalConfig,
    parameters: &[(&'static str, String)],
) -> Result<(), SettingError> {
    for (name, value) in parameters {
        match (*name, &mut config.lookahead) {
            ("open", _) => config.open = open_list(name, value)?,
            ("depth", Lookahead::Ball { depth }) => *depth = whole(name, value, 1, MAX_DEPTH)?,
            ("queue", Lookahead::Queue { length }) => *length = whole(name, value, 0, MAX_QUEUE)?,
            ("moves", Lookahead::Astar { commitment, .. }) => {
                let rules = [Commitment::Step, Commitment::Target];
                *commitment = rules[choice(name, value, ["one", "all"])?];
            }
            (other, _) => unreachable!("the parameter {other} is in a list but means nothing"),
        }
    }
    Ok(())
}

fn set_dstar_lite(
    config: &mut DStarLiteConfig,
    parameters: &[(&'static str, String)],
) -> Result<(), SettingError> {
    for (name, value) in parameters {
        match *name {
            "open" => config.open = open_list(name, value)?,
            "ties" => {
                let rules = [Ties::Far, Ties::Near];
                config.ties = rules[choice(name, value, ["far", "near"])?];
            }
            other => unreachable!("the parameter {other} is in a list but means nothing"),
        }
    }
    Ok(())
}

fn set_pra(
    config: &mut PraConfig,
    parameters: &[(&'static str, String)],
) -> Result<(), SettingError> {
    for (name, value) in parameters {
        match *name {
            "open" => config.open = open_list(name, value)?,
            "k" => {
                let or_inf = "a whole number from 1 to 1000000, or inf";
                config.k = match value.as_str() {
                    "inf" => None,
                    number => Some(whole_or(name, number, 1, MAX_DEPTH, or_inf)?),
                };
            }
            "level" => {
                let or_word = "auto, half, top or a whole number from 0 to 100";
                config.start = match value.as_str() {
                    "auto" => StartLevel::Bounded,
                    "half" => StartLevel::Half,
                    "top" => StartLevel::Top,
                    number => StartLevel::Fixed(whole_or(name, number, 0, MAX_LEVEL, or_word)?),
                };
            }
            "corridor" => config.wide = choice(name, value, ["0", "1"])? == 1,
            "keep" => config.keep = flag(name, value)?,
            other => unreachable!("the parameter {other} is in a list but means nothing"),
        }
    }
    Ok(())
}

fn set_pr_lrta(
    config: &mut PrLrtaConfig,
    parameters: &[(&'static str, String)],
) -> Result<(), SettingError> {
    for (name, value) in parameters {
        match *name {
            "level" => config.level = whole(name, value, 1, MAX_LEVEL)?,
            "depth" => config.depth = whole(name, value, 1, MAX_DEPTH)?,
            "gamma" => {
                let expected = "above 0 and at most 1, with two decimals at most";
                let fits = |g: Ratio| g.num() > 0 && g <= Ratio::ONE && g.den() <= FINEST;
                config.gamma = ratio(name, value, expected, fits)?;
            }
            other => unreachable!("the parameter {other} is in a list but means nothing"),
        }
    }
    Ok(())
}

fn set_d_lrta(
    config: &mut DLrtaConfig,
    parameters: &[(&'static str, String)],
) -> Result<(), SettingError> {
    for (name, value) in parameters {
        match *name {
            "level" => config.level = whole(name, value, 1, MAX_LEVEL)?,
            "depth" => config.depth = whole(name, value, 1, MAX_DEPTH)?,
            other => unreachable!("the parameter {other} is in a list but means nothing"),
        }
    }
    Ok(())
}

/// The largest denominator of a weight that costs are multiplied by.
const FINEST: u32 = 100;
/// No map has so many levels.
const MAX_LEVEL: u32 = 100;
/// No map is so large that a ball of this depth does not hold all of it.
const MAX_DEPTH: u32 = 1_000_000;
/// A longer queue would take too much time for each entry.
const MAX_QUEUE: u32 = 10_000;

/// A whole number from here to there.
fn whole(name: &'static str, value: &str, least: u32, most: u32) -> Result<u32, SettingError> {
    whole_or(name, value, least, most, &format!("a whole number from {least} to {most}"))
}

/// The same, where something else was possible too: says what is.
fn whole_or(
    name: &'static str,
    value: &str,
    least: u32,
    most: u32,
    expected: &str,
) -> Result<u32, SettingError> {
    let number = value.parse().ok().filter(|number| (least..=most).contains(number));
    let (value, expected) = (value.to_string(), expected.to_string());
    number.ok_or(SettingError::Choice { name, value, expected })
}

fn number(name: &'static str, value: &str) -> Result<Ratio, SettingError> {
    Ratio::from_str(value).map_err(|error| SettingError::Number { name, error })
}

fn ratio(
    name: &'static str,
    value: &str,
    expected: &'static str,
    fits: impl Fn(Ratio) -> bool,
) -> Result<Ratio, SettingError> {
    match number(name, value) {
        Ok(ratio) if fits(ratio) => Ok(ratio),
        Ok(_) | Err(SettingError::Number { error: RatioError::Negative(_), .. }) => {
            let (value, expected) = (value.to_string(), expected.to_string());
            Err(SettingError::Choice { name, value, expected })
        }
        Err(error) => Err(error),
    }
}

/// Which of some words the value is.
fn choice<const N: usize>(
    name: &'static str,
    value: &str,
    words: [&'static str; N],
) -> Result<usize, SettingError> {
    words.iter().position(|&word| word == value).ok_or_else(|| SettingError::Choice {
        name,
        value: value.to_string(),
        expected: words.join(" or "),
    })
}

fn flag(name: &'static str, value: &str) -> Result<bool, SettingError> {
    Ok(choice(name, value, ["true", "false"])? == 0)
}

fn open_list(name: &'static str, value: &str) -> Result<OpenList, SettingError> {
    let lists = [OpenList::Buckets, OpenList::Heap];
    Ok(lists[choice(name, value, ["buckets", "heap"])?])
}

impl Config {
    /// The catalogue's entry.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// Every parameter with the value it has, in the catalogue's order.
    pub fn parameters(&self) -> &[(&'static str, String)] {
        &self.parameters
    }

    /// The level of which it wants the [`Subgoals`](crate::Subgoals), if it makes use of any.
    pub fn subgoal_level(&self) -> Option<usize> {
        match self.family {
            Family::DLrta(config) => Some(config.level as usize),
            _ => None,
        }
    }

    /// Checks that each tick can do something with this budget.
    ///
    /// # Errors
    /// When it is zero.
    pub fn check_budget(&self, budget: u64) -> Result<(), BudgetError> {
        if budget == 0 { Err(BudgetError) } else { Ok(()) }
    }

    /// An agent at `start`, to go to `goal`.
    ///
    /// # Errors
    /// When the start or goal cannot be stood on, or the space is not fit for the algorithm.
    pub fn agent<S: Map>(
        &self,
        space: &S,
        start: NodeId,
        goal: NodeId,
    ) -> Result<Box<dyn Agent<S> + Send>, AgentError> {
        Ok(match self.family {
            Family::TimeBounded(config) => Box::new(TimeBounded::new(space, config, start, goal)?),
            Family::Local(config) => Box::new(Local::new(space, config, start, goal)?),
            Family::DStarLite(config) => Box::new(DStarLite::new(space, config, start, goal)?),
            Family::Pra(config) => Box::new(Pra::new(space, config, start, goal)?),
            Family::QuickPath => Box::new(QuickPath::new(space, start, goal)?),
            Family::PrLrta(config) => Box::new(PrLrta::new(space, config, start, goal)?),
            Family::DLrta(config) => Box::new(DLrta::new(space, config, start, goal)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str, settings: &[(&str, &str)]) -> String {
        find(name).unwrap().configure(settings).unwrap_err().to_string()
    }

    #[test]
    fn names_are_unique_and_defaults_are_valid() {
        for (i, entry) in all().iter().enumerate() {
            assert!(all()[..i].iter().all(|other| other.name != entry.name));
            let config = entry.configure::<&str, &str>(&[]).unwrap();
            assert_eq!(config.parameters().len(), entry.parameters.len());
            config.check_budget(entry.default_budget.unwrap_or(u64::MAX)).unwrap();
        }
        let error = find("tbaa-star").unwrap_err().to_string();
        assert!(error.starts_with("there is no algorithm `tbaa-star`; there are: astar, "));
    }

    #[test]
    fn bad_parameters_are_named() {
        assert!(refused("tba", &[("weight", "2")]).contains("`tba` has no parameter `weight`"));
        for r in ["1.5", "-0.1", "2", "0", "1", "1.0"] {
            let expected = format!("r={r}: must be above 0 and below 1");
            assert_eq!(refused("tba", &[("r", r)]), expected);
        }
        for c in ["0", "-1", "0.0"] {
            assert_eq!(refused("tba", &[("c", c)]), format!("c={c}: must be above 0"));
        }
        assert!(refused("tba", &[("r", "NaN")]).starts_with("r: `NaN` is not a number"));
        assert!(refused("tba", &[("c", "inf")]).contains("not a number"));
        assert!(refused("wastar", &[("weight", "NaN")]).contains("not a number"));
        assert!(refused("wastar", &[("weight", "0.5")]).contains("below one"));
        assert!(refused("wastar", &[("weight", "-2")]).contains("negative"));
        assert_eq!(refused("tba", &[("trace", "x")]), "trace=x: must be bounded or free");
        assert_eq!(refused("tba", &[("switch", "1")]), "switch=1: must be true or false");
        assert_eq!(refused("astar", &[("open", "")]), "open=: must be buckets or heap");
        for gamma in ["0", "-0.2", "1.01", "2", "0.333", "1/101"] {
            let expected =
                format!("gamma={gamma}: must be above 0 and at most 1, with two decimals at most");
            assert_eq!(refused("pr-lrta", &[("gamma", gamma)]), expected);
        }
        for (name, most) in [("level", 100), ("depth", 1_000_000)] {
            for algorithm in ["pr-lrta", "d-lrta"] {
                let expected = format!("{name}=0: must be a whole number from 1 to {most}");
                assert_eq!(refused(algorithm, &[(name, "0")]), expected);
            }
        }
    }
}
