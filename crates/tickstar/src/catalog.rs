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
//! while agent.tick(&grid, Seen::default(), &mut Slice::new(10)) != Step::Arrived {}
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::str::FromStr;

use thiserror::Error;

use crate::{
    Acting, Agent, AgentError, NodeId, OpenList, Priority, Ratio, RatioError, Restart,
    SearchConfig, Space, TimeBounded, TimeBoundedConfig, Tracing, WeightError,
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
    base: fn() -> TimeBoundedConfig,
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
    /// It moves before it knows a whole path.
    pub acts_at_once: bool,
    /// All its work in a tick is bounded by the budget, tracing included (with its defaults).
    pub bounded_tick: bool,
    /// It walks back along edges, so every edge needs its reverse at the same cost.
    pub needs_reversible_edges: bool,
    /// What is known of the cost of the walk.
    pub cost: &'static str,
    /// What it does when the map turns out to be another, or changes.
    pub changes: &'static str,
}

const OPEN: Parameter = Parameter {
    name: "open",
    default: "buckets",
    meaning: "the open list: buckets or heap; the walk is the same with both",
};
const R: Parameter = Parameter {
    name: "r",
    default: "0.9",
    meaning: "share of the budget that goes to expansions, above 0 and below 1 (with trace=bounded)",
};
const C: Parameter = Parameter {
    name: "c",
    default: "10",
    meaning: "trace steps for the price of one expansion, above 0 (with trace=bounded)",
};
const TRACE: Parameter = Parameter {
    name: "trace",
    default: "bounded",
    meaning: "bounded: tracing is paid from the budget (2009); \
              free: the budget is k expansions and tracing is not counted (2012)",
};

const SHORTCUT: Parameter = Parameter {
    name: "shortcut",
    default: "false",
    meaning: "enhancement 1: look for a shortcut to the known path while walking back",
};
const SWITCH: Parameter = Parameter {
    name: "switch",
    default: "false",
    meaning: "enhancement 2: do not leave a path for one that reaches less far",
};
const REOPEN: Parameter = Parameter {
    name: "reopen",
    default: "false",
    meaning: "open a closed node again when a cheaper way to it is found",
};
const RESTART: Parameter = Parameter {
    name: "restart",
    default: "lazy",
    meaning: "lazy: search anew when the way ahead is cut, or a way that has opened may be better by \
              more than the weight; eager: whenever anything has changed",
};

const fn weight(default: &'static str) -> Parameter {
    Parameter {
        name: "weight",
        default,
        meaning: "the weight w, 1 or more; a decimal or a fraction such as 7/5",
    }
}

/// What an agent does that does not expect changes.
const STOPPED: &str =
    "searches anew when its next step is blocked, or it finds no way after a change";

/// Of RTBA* and TBAA*.
const PATH: &str = "searches anew when the path to the most promising node is cut: arrives in unknown \
                    terrain exactly when there is a way";

/// Of repeated time-bounded searches.
const REPEATED: &str = "searches anew when the way ahead is cut, or may be bettered by one that has \
                        opened (restart=lazy), or whenever anything has changed (restart=eager)";

const BJORNSSON: &str = "Björnsson, Bulitko, Sturtevant, \"TBA*: Time-Bounded A*\", IJCAI 2009";
const HERNANDEZ_2012: &str =
    "Hernández, Baier, Uras, Koenig, \"Time-Bounded Adaptive A*\", AAMAS 2012";
const HERNANDEZ_2014: &str = "Hernández, Asín, Baier, \"Time-Bounded Best-First Search\", 2014";

static ENTRIES: [Entry; 11] = [
    Entry {
        name: "astar",
        title: "A*",
        summary: "Searches for a cheapest path, over as many ticks as it needs, while the agent \
                  stands and waits; then walks it.",
        paper: "Hart, Nilsson, Raphael 1968; as the complete search of Hernández et al. 2012",
        parameters: &[OPEN],
        guarantees: Guarantees {
            complete: true,
            acts_at_once: false,
            bounded_tick: false,
            needs_reversible_edges: false,
            cost: "optimal",
            changes: STOPPED,
        },
        default_budget: None,
        base: || complete(Priority::ASTAR),
    },
    Entry {
        name: "wastar",
        title: "Weighted A*",
        summary: "As astar, with the estimate weighted: fewer expansions, a path at most w times \
                  the cheapest.",
        paper: "Pohl 1970",
        parameters: &[weight("1.5"), REOPEN, OPEN],
        guarantees: Guarantees {
            complete: true,
            acts_at_once: false,
            bounded_tick: false,
            needs_reversible_edges: false,
            cost: "at most w times the optimum",
            changes: STOPPED,
        },
        default_budget: None,
        base: || complete(Priority::ASTAR),
    },
    Entry {
        name: "gbfs",
        title: "Greedy best-first search",
        summary: "As astar, by the estimate alone: fast, and no promise about the path.",
        paper: "Pearl 1984",
        parameters: &[OPEN],
        guarantees: Guarantees {
            complete: true,
            acts_at_once: false,
            bounded_tick: false,
            needs_reversible_edges: false,
            cost: "no bound",
            changes: STOPPED,
        },
        default_budget: None,
        base: || complete(Priority::GREEDY),
    },
    Entry {
        name: "late-astar",
        title: "Late-acting A*",
        summary: "A time-sliced A* that steps to and fro at the start until it knows the path: \
                  the comparison in table 1 of the TBA* paper.",
        paper: BJORNSSON,
        parameters: &[R, C, TRACE, OPEN],
        guarantees: Guarantees {
            complete: true,
            acts_at_once: false,
            bounded_tick: true,
            needs_reversible_edges: true,
            cost: "the optimum, and a step for every tick spent searching",
            changes: STOPPED,
        },
        default_budget: Some(100),
        base: || TimeBoundedConfig { acting: Acting::Late, ..TimeBoundedConfig::default() },
    },
    Entry {
        name: "tba",
        title: "TBA* (Time-Bounded A*)",
        summary: "One A* search over all ticks; each tick the agent steps along the best path known \
                  so far, or back towards it.",
        paper: BJORNSSON,
        parameters: &[R, C, TRACE, SHORTCUT, SWITCH, OPEN],
        guarantees: Guarantees {
            cost: "at most twice the optimum once the path to the goal is being followed",
            ..TIME_BOUNDED
        },
        default_budget: Some(100),
        base: TimeBoundedConfig::default,
    },
    Entry {
        name: "tb-wastar",
        title: "TB-WA* (Time-Bounded Weighted A*)",
        summary: "As tba, with the estimate weighted: it knows a path sooner, and so walks astray \
                  less, and often even shorter.",
        paper: HERNANDEZ_2014,
        parameters: &[weight("3"), REOPEN, R, C, TRACE, SHORTCUT, SWITCH, OPEN],
        guarantees: Guarantees {
            cost: "at most 2w times the optimum once the path to the goal is being followed; with \
                   trace=free, at most 2w times the optimum and a step for each k expansions in all",
            ..TIME_BOUNDED
        },
        default_budget: Some(100),
        base: TimeBoundedConfig::default,
    },
    Entry {
        name: "tb-gbfs",
        title: "TB-GBFS (Time-Bounded Greedy Best-First Search)",
        summary: "As tba, by the estimate alone: the fewest steps back with small budgets, and no \
                  promise about the path.",
        paper: HERNANDEZ_2014,
        parameters: &[R, C, TRACE, SHORTCUT, SWITCH, OPEN],
        guarantees: Guarantees { cost: "no bound", ..TIME_BOUNDED },
        default_budget: Some(100),
        base: greedy,
    },
    Entry {
        name: "rtba",
        title: "RTBA* (Restarting Time-Bounded A*)",
        summary: "TBA* for terrain that is discovered on the way: when a wall is seen across the \
                  path, the search begins again from where the agent stands.",
        paper: HERNANDEZ_2012,
        parameters: &[R, C, TRACE, SHORTCUT, SWITCH, OPEN],
        guarantees: Guarantees {
            cost: "as tba where no restart is needed; run again and again from the same start (with \
                   shortcut=false) it ends on an optimal path",
            changes: PATH,
            ..TIME_BOUNDED
        },
        default_budget: Some(100),
        base: || restarting(Restart::Path),
    },
    Entry {
        name: "tbaa",
        title: "TBAA* (Time-Bounded Adaptive A*)",
        summary: "RTBA* that learns: each search raises the estimates of what it has expanded, and the \
                  next is led round the dead ends.",
        paper: HERNANDEZ_2012,
        parameters: &[weight("1"), REOPEN, R, C, TRACE, SHORTCUT, SWITCH, OPEN],
        guarantees: Guarantees {
            cost: "as tba (with a weight: tb-wastar) where no restart is needed; run again and again \
                   from the same start (with shortcut=false, reopen=false) it ends on a path of at \
                   most w times the optimum",
            changes: "as rtba; when something opens, what was learned is forgotten, as it may be wrong",
            ..TIME_BOUNDED
        },
        default_budget: Some(100),
        base: || {
            let base = restarting(Restart::Path);
            TimeBoundedConfig { search: SearchConfig { learn: true, ..base.search }, ..base }
        },
    },
    Entry {
        name: "rtb-wastar",
        title: "Repeated TB-WA*",
        summary: "TB-WA* for maps that change under its feet: the search begins again when the way \
                  ahead is cut, or a better one may have opened.",
        paper: HERNANDEZ_2014,
        parameters: &[weight("3"), REOPEN, RESTART, R, C, TRACE, SHORTCUT, SWITCH, OPEN],
        guarantees: Guarantees {
            cost: "a path found while nothing changes is at most w times the optimum from where the \
                   search began",
            changes: REPEATED,
            ..TIME_BOUNDED
        },
        default_budget: Some(100),
        base: || restarting(Restart::Lazy),
    },
    Entry {
        name: "rtb-gbfs",
        title: "Repeated TB-GBFS",
        summary: "TB-GBFS for maps that change under its feet.",
        paper: HERNANDEZ_2014,
        parameters: &[RESTART, R, C, TRACE, SHORTCUT, SWITCH, OPEN],
        guarantees: Guarantees {
            cost: "no bound",
            changes: "as rtb-wastar, but a way that has opened is no reason: it promises no cost",
            ..TIME_BOUNDED
        },
        default_budget: Some(100),
        base: || TimeBoundedConfig { restart: Restart::Lazy, ..greedy() },
    },
];

/// What all members of the time-bounded family have in common.
const TIME_BOUNDED: Guarantees = Guarantees {
    complete: true,
    acts_at_once: true,
    bounded_tick: true,
    needs_reversible_edges: true,
    cost: "",
    changes: STOPPED,
};

fn greedy() -> TimeBoundedConfig {
    let search = SearchConfig { priority: Priority::GREEDY, ..SearchConfig::default() };
    TimeBoundedConfig { search, ..TimeBoundedConfig::default() }
}

fn restarting(restart: Restart) -> TimeBoundedConfig {
    TimeBoundedConfig { restart, ..TimeBoundedConfig::default() }
}

/// A search that waits for its whole path.
fn complete(priority: Priority) -> TimeBoundedConfig {
    TimeBoundedConfig {
        search: SearchConfig { priority, ..SearchConfig::default() },
        acting: Acting::Wait,
        tracing: Tracing::Free,
        ..TimeBoundedConfig::default()
    }
}

/// Every algorithm there is.
pub fn all() -> &'static [Entry] {
    &ENTRIES
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
        expected: &'static str,
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
    family: TimeBoundedConfig,
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
        let mut config = (self.base)();
        // `r` and `c` are kept aside, as `trace` decides whether they are used.
        let (mut r, mut c, mut bounded) = (Ratio::ONE, Ratio::ONE, None);
        for (name, value) in &parameters {
            match *name {
                "r" => {
                    let within = |r: Ratio| r.num() > 0 && r < Ratio::ONE;
                    r = ratio(name, value, "above 0 and below 1", within)?;
                }
                "c" => c = ratio(name, value, "above 0", |c| c.num() > 0)?,
                "trace" => bounded = Some(choice(name, value, ["free", "bounded"])? == 1),
                "shortcut" => config.shortcut = choice(name, value, ["false", "true"])? == 1,
                "switch" => config.switch = choice(name, value, ["false", "true"])? == 1,
                "reopen" => config.search.reopen = choice(name, value, ["false", "true"])? == 1,
                "open" => {
                    let lists = [OpenList::Buckets, OpenList::Heap];
                    config.search.open = lists[choice(name, value, ["buckets", "heap"])?];
                }
                "restart" => {
                    let rules = [Restart::Lazy, Restart::Eager];
                    config.restart = rules[choice(name, value, ["lazy", "eager"])?];
                }
                "weight" => {
                    config.search.priority = Priority::weighted(number(name, value)?)?;
                }
                other => unreachable!("the parameter {other} is in a list but means nothing"),
            }
        }
        config.tracing = match bounded {
            Some(true) => Tracing::Bounded { r, c },
            Some(false) => Tracing::Free,
            None => config.tracing,
        };
        Ok(Config { entry: self, family: config, parameters })
    }
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
            Err(SettingError::Choice { name, value: value.to_string(), expected })
        }
        Err(error) => Err(error),
    }
}

/// Which of two words the value is.
fn choice(
    name: &'static str,
    value: &str,
    words: [&'static str; 2],
) -> Result<usize, SettingError> {
    words.iter().position(|&word| word == value).ok_or_else(|| SettingError::Choice {
        name,
        value: value.to_string(),
        expected: match words {
            ["free", _] => "bounded or free",
            ["buckets", _] => "buckets or heap",
            ["lazy", _] => "lazy or eager",
            _ => "true or false",
        },
    })
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
    pub fn agent<S: Space>(
        &self,
        space: &S,
        start: NodeId,
        goal: NodeId,
    ) -> Result<Box<dyn Agent<S> + Send>, AgentError> {
        Ok(Box::new(TimeBounded::new(space, self.family, start, goal)?))
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
    }
}
