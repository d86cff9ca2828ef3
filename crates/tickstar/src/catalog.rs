//! The one list of algorithms: the command line's help, the tables of the docs and the conformance suite all
//! follow it.
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
//!
//! Inside: `entries` has one row per algorithm, `settings` one constant per parameter, `family` one line per family
//! of agents, `facts` what a row can declare.

mod closest;
mod entries;
mod facts;
mod family;
mod settings;

pub use closest::closest;
pub use facts::{CostBound, Facts, FirstMove, GivesUp, Method, OnChange, WorkBound};

use thiserror::Error;

use crate::printable::printable;
use crate::{Agent, AgentError, Map, NodeId, Pool, RatioError, WeightError};
use family::{AgentConfig, Family};

/// An algorithm that can be asked for by name.
#[derive(Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The name it is asked for by.
    pub name: &'static str,
    /// What it is called in the literature.
    pub title: &'static str,
    /// What it does, in a sentence or two.
    pub summary: &'static str,
    /// Where it was published.
    pub paper: &'static str,
    /// What it guarantees, needs and does.
    pub facts: Facts,
    /// The budget per tick it is run with if none is given; none means no limit.
    pub default_budget: Option<u64>,
    /// Its configuration and parameters.
    family: Family,
}

/// A parameter of an algorithm.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// The value it has if none is given.
    pub default: String,
    /// What it means, and what it may be.
    pub meaning: &'static str,
    /// Values worth trying, in tests and experiments.
    pub values: &'static [&'static str],
}

/// All algorithms.
pub fn all() -> &'static [Entry] {
    entries::ENTRIES
}

/// No algorithm has this name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}", self.message())]
pub struct UnknownAlgorithm {
    name: String,
    /// The algorithm that is probably meant, if one is.
    pub meant: Option<&'static str>,
}

impl UnknownAlgorithm {
    fn message(&self) -> String {
        let UnknownAlgorithm { name, meant } = self;
        let names = || all().iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ");
        match meant {
            Some(meant) => format!("there is no algorithm `{name}`; did you mean `{meant}`?"),
            None if name.trim().is_empty() => {
                format!("the name of an algorithm is missing; there are: {}", names())
            }
            None => format!("there is no algorithm `{name}`; there are: {}", names()),
        }
    }
}

/// The algorithm with this name.
///
/// # Errors
/// When there is none. The error names the one that is probably meant.
pub fn find(name: &str) -> Result<&'static Entry, UnknownAlgorithm> {
    all().iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names = all().iter().map(|entry| (entry.name, entry.name));
        let titles = all().iter().map(|entry| (entry.title, entry.name));
        let names: Vec<_> =
            names.chain(titles).chain(entries::OTHER_NAMES.iter().copied()).collect();
        let close = closest(name, names.iter().map(|(known, _)| *known));
        let meant = names.iter().find(|(known, _)| Some(*known) == close).map(|(_, entry)| *entry);
        UnknownAlgorithm { name: printable(name), meant }
    })
}

/// Why a parameter cannot be set like that. Names and values are made safe to print: control characters
/// escaped, and cut after 40 characters.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum SettingError {
    /// The algorithm has no such parameter.
    #[error("`{algorithm}` has no parameter `{name}`; {hint}")]
    Unknown {
        /// The algorithm.
        algorithm: &'static str,
        /// The parameter asked for.
        name: String,
        /// The one that is probably meant, or those it has.
        hint: String,
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
    agent: AgentConfig,
    /// Every parameter with the value it has.
    parameters: Vec<(&'static str, String)>,
}

impl Entry {
    /// Its parameters, with their defaults.
    pub fn parameters(&self) -> Vec<Parameter> {
        self.family.parameters()
    }

    /// The algorithm with these parameters; those not named have their defaults.
    ///
    /// # Errors
    /// When a parameter does not exist or cannot have that value.
    pub fn configure<N: AsRef<str>, V: AsRef<str>>(
        &'static self,
        settings: &[(N, V)],
    ) -> Result<Config, SettingError> {
        let parameters = self.parameters();
        for (name, _) in settings {
            if !parameters.iter().any(|parameter| parameter.name == name.as_ref()) {
                let known: Vec<_> = parameters.iter().map(|known| known.name).collect();
                let hint = match closest(name.as_ref(), known.iter().copied()) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None if known.is_empty() => "it has none".to_string(),
                    None => format!("it has: {}", known.join(", ")),
                };
                let name = printable(name.as_ref());
                return Err(SettingError::Unknown { algorithm: self.name, name, hint });
            }
        }
        let given = |parameter: &Parameter| {
            let named = |(name, _): &&(N, V)| name.as_ref() == parameter.name;
            settings.iter().rev().find(named).map(|(_, value)| value.as_ref().trim())
        };
        let values: Vec<_> = parameters.iter().map(given).collect();
        let agent = self.family.configure(&values)?;
        let parameters = parameters.into_iter().zip(values).map(|(parameter, value)| {
            (parameter.name, value.map_or(parameter.default, str::to_string))
        });
        Ok(Config { entry: self, agent, parameters: parameters.collect() })
    }
}

impl Config {
    /// The catalog's entry.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// Every parameter with the value it has, in the catalog's order.
    pub fn parameters(&self) -> &[(&'static str, String)] {
        &self.parameters
    }

    /// The level whose [`Subgoals`](crate::Subgoals) it uses, if it uses any.
    pub fn subgoal_level(&self) -> Option<usize> {
        match self.agent {
            AgentConfig::DLrta(config) => Some(config.level as usize),
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
    ) -> Result<Box<dyn Agent<S>>, AgentError> {
        self.agent.agent(space, start, goal)
    }

    /// The same, with its search memory from a pool.
    ///
    /// # Errors
    /// As above.
    pub fn agent_with_pool<S: Map>(
        &self,
        space: &S,
        start: NodeId,
        goal: NodeId,
        pool: &Pool,
    ) -> Result<Box<dyn Agent<S>>, AgentError> {
        self.agent.agent_with_pool(space, start, goal, pool)
    }
}

#[cfg(test)]
mod docs;

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
            assert_eq!(config.parameters().len(), entry.parameters().len());
            config.check_budget(entry.default_budget.unwrap_or(u64::MAX)).unwrap();
        }
        let error = find("theta").unwrap_err().to_string();
        assert!(error.starts_with("there is no algorithm `theta`; there are: astar, "), "{error}");
        let error = find(" ").unwrap_err().to_string();
        assert!(error.starts_with("the name of an algorithm is missing; there are: astar, "));
    }

    #[test]
    fn names_as_people_write_them_lead_to_the_algorithm() {
        for (name, meant) in [
            ("A*", "astar"),
            ("a-star", "astar"),
            ("Dijkstra", "astar"),
            ("dikjstra", "astar"),
            ("WA*", "wastar"),
            ("Weighted A*", "wastar"),
            ("greedy", "gbfs"),
            ("TBA*", "tba"),
            ("TBA", "tba"),
            ("tba-star", "tba"),
            ("TBA* (Time-Bounded A*)", "tba"),
            ("Time-Bounded A*", "tba"),
            ("TBAA*", "tbaa"),
            ("RTBA*", "rtba"),
            ("TB-WA*", "tb-wastar"),
            ("RTB-WA*", "rtb-wastar"),
            ("tbwastar", "tb-wastar"),
            ("D*", "dstar-lite"),
            ("dstar", "dstar-lite"),
            ("d*lite", "dstar-lite"),
            ("D* Lite", "dstar-lite"),
            ("dstar_lite", "dstar-lite"),
            ("LRTA*", "lrta"),
            ("lrta*(7)", "lrta"),
            ("lss-lrta*", "lss-lrta"),
            ("LSS LRTA", "lss-lrta"),
            ("K LRTA*", "lss-lrta"),
            ("rtaa*", "rtaa"),
            ("daRTAA*", "da-rtaa"),
            ("PRA*", "pra"),
            ("pra*(16)", "pra"),
            ("PRA*(∞)", "pra"),
            ("quick-path", "quickpath"),
            ("quckpath", "quickpath"),
            ("adaptive a*", "adaptive-astar"),
            ("Repeated A*", "repeated-astar"),
            ("late astar", "late-astar"),
            ("D LRTA*", "d-lrta"),
            ("P LRTA*", "p-lrta"),
        ] {
            let expected = format!("there is no algorithm `{name}`; did you mean `{meant}`?");
            assert_eq!(find(name).unwrap_err().to_string(), expected);
        }
        for name in ["jps", "rrt", "x", "theta", "hpa", "🦀", "----"] {
            let error = find(name).unwrap_err();
            assert_eq!(error.meant, None, "{error}");
        }
        // Every title leads to its own row, and a mistake in a name back to it.
        for entry in all() {
            for name in [entry.title.to_string(), entry.name.to_uppercase() + " "] {
                assert_eq!(find(&name).unwrap_err().meant, Some(entry.name), "{name}");
            }
        }
    }

    #[test]
    fn bad_parameters_are_named() {
        assert!(refused("tba", &[("weight", "2")]).contains("`tba` has no parameter `weight`"));
        for (name, hint) in
            [("Switch", "did you mean `switch`?"), ("swich", "did you mean `switch`?")]
        {
            assert_eq!(
                refused("tba", &[(name, "true")]),
                format!("`tba` has no parameter `{name}`; {hint}")
            );
        }
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
        let expected = "switch=True: must be true or false; did you mean `true`?";
        assert_eq!(refused("tba", &[("switch", "True")]), expected);
        let expected = "open=bucket: must be buckets or heap; did you mean `buckets`?";
        assert_eq!(refused("astar", &[("open", "bucket")]), expected);
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

    /// Each value worth trying is taken, and is then the value in the agent's configuration; the defaults
    /// are among what a configuration can be given.
    #[test]
    fn every_parameter_reaches_the_configuration() {
        for entry in all() {
            let base = entry.configure::<&str, &str>(&[]).unwrap();
            for (i, parameter) in entry.parameters().iter().enumerate() {
                assert!(!parameter.default.is_empty() && parameter.values.len() > 1);
                let told = entry.configure(&[(parameter.name, &parameter.default)]).unwrap();
                assert_eq!(told.agent, base.agent, "{}: {}", entry.name, parameter.name);
                for &value in parameter.values {
                    let config = entry.configure(&[(parameter.name, value)]).unwrap();
                    let shown = &entry.family.values(&config.agent)[i];
                    assert_eq!(shown, value, "{}: {}", entry.name, parameter.name);
                    assert_eq!(config.parameters()[i], (parameter.name, value.to_string()));
                    assert_eq!(config.agent == base.agent, value == parameter.default);
                }
            }
        }
    }

    #[test]
    fn the_shares_of_a_trace_that_is_free_are_checked_and_not_used() {
        let tba = find("tba").unwrap();
        let free = tba.configure(&[("trace", "free")]).unwrap();
        let shared = tba.configure(&[("trace", "free"), ("r", "0.5"), ("c", "3")]).unwrap();
        assert_eq!(free.agent, shared.agent);
        let bounded = tba.configure(&[("trace", "bounded"), ("r", "0.5")]).unwrap();
        assert_eq!(bounded.agent, tba.configure(&[("r", "1/2")]).unwrap().agent);
        assert_eq!(
            refused("tba", &[("trace", "free"), ("r", "2")]),
            "r=2: must be above 0 and below 1"
        );
    }

    #[test]
    fn what_errors_repeat_is_safe_to_print() {
        let (escape, long) = ("\u{1b}[2J", "x".repeat(100_000));
        let cut = format!("{}…", "x".repeat(40));
        for (raw, safe) in [(escape, "\\u{1b}[2J"), (&long, &cut)] {
            let unknown = find(raw).unwrap_err().to_string();
            assert!(unknown.starts_with(&format!("there is no algorithm `{safe}`; ")), "{unknown}");
            let parameter = refused("tba", &[(raw, "1")]);
            assert!(parameter.starts_with(&format!("`tba` has no parameter `{safe}`; ")));
            assert_eq!(
                refused("tba", &[("switch", raw)]),
                format!("switch={safe}: must be true or false")
            );
            let number = refused("tba", &[("r", raw)]);
            assert!(number.starts_with(&format!("r: `{safe}` is not a number")), "{number}");
        }
    }

    #[test]
    fn facts_do_not_contradict_each_other() {
        for Entry { name, facts, .. } in all() {
            let says = [facts.cost, facts.changes, facts.no_openings.unwrap_or("-")];
            assert!(says.iter().all(|text| !text.trim().is_empty()), "{name}");
            assert!(!facts.complete || facts.gives_up != GivesUp::Never, "{name}");
            assert!(facts.gives_up != GivesUp::AtOnce || facts.needs_hierarchy, "{name}");
        }
    }
}
