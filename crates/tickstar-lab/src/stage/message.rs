//! What a stage is asked, and how its replies are encoded.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tickstar::catalog::Config;

use crate::experiment;

/// A request: one JSON object with one key.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// What can be chosen: algorithms, maps, worlds, presets, limits.
    Catalog {},
    /// Another map, and other contestants.
    Open(Box<SceneSpec>),
    /// Back to tick 0 on the map with all that was drawn on it; only the fields given change.
    Restart(Box<Change>),
    /// Blocks or frees cells of the true map.
    Edit {
        /// Cells, as `y * width + x`.
        cells: Vec<u32>,
        /// What they become.
        free: bool,
    },
    /// Moves the goal.
    Goal([u32; 2]),
    /// The budget of each tick from now on.
    Budget(u64),
    /// Runs ticks.
    Tick {
        /// How many, at most.
        count: u64,
    },
    /// Back to the moment after this tick.
    Rewind {
        /// The tick; 0: before the first.
        tick: u64,
    },
    /// The session as a replay.
    Save {},
    /// The records of all contestants.
    Records {},
}

/// What is shown.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneSpec {
    /// The map.
    pub map: MapSpec,
    /// The world, as on the command line, but no script.
    #[serde(default = "known")]
    pub world: String,
    /// The seed of all that is random.
    #[serde(default = "one")]
    pub seed: u64,
    /// Whether diagonal steps may cut corners.
    #[serde(default)]
    pub corners: bool,
    /// Column and row of the start; chosen by the seed if it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<[u32; 2]>,
    /// Column and row of the goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<[u32; 2]>,
    /// The budget of each tick.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// The algorithms, as on the command line.
    #[serde(default)]
    pub contestants: Vec<String>,
    /// Cells that are drawn before tick 0: those blocked, and those freed.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub edits: [Vec<u32>; 2],
    /// A crowd instead of contestants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crowd: Option<CrowdSpec>,
}

/// A map.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum MapSpec {
    /// A built-in one.
    Builtin(String),
    /// One made from a seed.
    Generated {
        /// Its kind.
        kind: String,
        /// Its width and height.
        side: u32,
        /// The seed.
        seed: u64,
    },
    /// One in the benchmark's format.
    File {
        /// Its name.
        name: String,
        /// All of its text.
        text: String,
    },
}

/// A crowd.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrowdSpec {
    /// How many agents.
    pub agents: usize,
    /// `crowd`, or an algorithm.
    #[serde(default = "crowd")]
    pub planner: String,
    /// Whether agents avoid each other.
    #[serde(default)]
    pub apart: bool,
    /// Whether all have the same goal.
    #[serde(default)]
    pub one_goal: bool,
}

/// What changes of a scene when it is started again.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Change {
    /// See [`SceneSpec::start`].
    pub start: Option<[u32; 2]>,
    /// See [`SceneSpec::goal`].
    pub goal: Option<[u32; 2]>,
    /// See [`SceneSpec::contestants`].
    pub contestants: Option<Vec<String>>,
    /// See [`SceneSpec::budget`].
    pub budget: Option<u64>,
    /// See [`SceneSpec::world`].
    pub world: Option<String>,
    /// See [`SceneSpec::seed`].
    pub seed: Option<u64>,
}

/// A session that can be played again: the requests that change anything.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// The version that wrote it.
    pub tickstar: String,
    /// The requests.
    pub messages: Vec<Request>,
}

fn known() -> String {
    "known".into()
}

fn one() -> u64 {
    1
}

fn crowd() -> String {
    "crowd".into()
}

fn is_empty(edits: &[Vec<u32>; 2]) -> bool {
    edits.iter().all(Vec::is_empty)
}

/// A request that cannot be met: the session stays as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// A sentence for the user.
    pub message: String,
    /// The field it is about.
    pub field: Option<&'static str>,
}

impl Refusal {
    /// About a field.
    pub fn about(field: &'static str, message: impl fmt::Display) -> Refusal {
        Refusal { message: format!("{message}"), field: Some(field) }
    }

    /// About the request as a whole, or about something else than one.
    pub fn new(message: impl fmt::Display) -> Refusal {
        Refusal { message: format!("{message}"), field: None }
    }

    /// As a reply.
    pub fn encoded(&self) -> Vec<u8> {
        let mut head = json!({ "kind": "error", "message": self.message });
        if let Some(field) = self.field {
            head["field"] = field.into();
        }
        encode(&head, &[])
    }
}

/// The algorithm that a text names, as on the command line.
pub(super) fn configured(field: &'static str, text: &str) -> Result<Config, Refusal> {
    experiment::configured(text).map_err(|message| Refusal::about(field, message))
}

/// The numbers of a reply, which are kept apart from its JSON.
#[derive(Default, Debug)]
pub(super) struct Payload(pub Vec<u32>);

impl Payload {
    /// Adds a list, and returns what stands for it in the JSON: where it begins, and its length.
    pub fn list(&mut self, numbers: impl IntoIterator<Item = u32>) -> Value {
        let begin = self.0.len();
        self.0.extend(numbers);
        json!([begin, self.0.len() - begin])
    }
}

/// A reply as bytes: the length of its JSON, the JSON, padded to whole numbers, and the numbers, all little-endian.
pub(super) fn encode(head: &Value, payload: &[u32]) -> Vec<u8> {
    let mut text = head.to_string();
    while !text.len().is_multiple_of(4) {
        text.push(' ');
    }
    let mut bytes = Vec::with_capacity(4 + text.len() + 4 * payload.len());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(payload.iter().flat_map(|number| number.to_le_bytes()));
    bytes
}
