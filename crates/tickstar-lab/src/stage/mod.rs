//! A stage: agents in their worlds, shown tick by tick, and changed while they walk.
//!
//! A [`Stage`] has no transport, no clock and no threads. It is sent a [`Request`] and returns a reply, and sends nothing
//! by itself: who asks decides how fast time passes. A session is the list of its requests, and the same list gives the
//! same replies, bit for bit (but for fields named `measured`).
//!
//! A reply is the length of its JSON as four bytes (little-endian), the JSON, padded with blanks to a multiple of four
//! bytes, and numbers of four bytes each. In the JSON a list of such numbers is `[offset, length]`. A cell is the number
//! `y * width + x`.
//!
//! ```
//! use tickstar_lab::stage::Stage;
//! let mut stage = Stage::new();
//! stage.handle(r#"{"open": {"map": {"builtin": "rooms-64"}, "contestants": ["tba", "tick"]}}"#);
//! stage.handle(r#"{"tick": {"count": 1000}}"#);
//! let records = stage.records().unwrap();
//! assert_eq!(records.len(), 2);
//! assert_eq!(records[0]["outcome"], "reached");
//! ```

mod catalog;
mod crowd;
mod message;
mod player;
mod scene;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

pub use message::{Change, CrowdSpec, MapSpec, Refusal, Replay, Request, SceneSpec};
use message::{Payload, encode};
use scene::Scene;

/// What a session may be: more is refused, with a sentence that says so.
pub mod limits {
    /// The most cells of a map.
    pub const CELLS: u64 = 1024 * 1024;
    /// The largest width or height.
    pub const SIDE: u32 = 4096;
    /// The most contestants.
    pub const CONTESTANTS: usize = 3;
    /// The largest budget of a tick.
    pub const BUDGET: u64 = 100_000;
    /// The largest budget of a frame of a crowd.
    pub const FRAME_BUDGET: u64 = 10_000_000;
    /// The most agents of a crowd.
    pub const AGENTS: usize = 10_000;
    /// The most agents of a crowd that have a search of their own.
    pub const SEARCHES: usize = 1000;
    /// The most bytes of a message.
    pub const MESSAGE: usize = 4 * 1024 * 1024;
    /// The most ticks of a message.
    pub const TICKS: u64 = 1000;
    /// The most cells of an edit.
    pub const EDIT: usize = 65_536;
    /// The most entries of a session's history: edits, moved goals, changed budgets.
    pub const HISTORY: usize = 100_000;
    /// The most cells of all edits of a session.
    pub const EDITED: usize = 4_000_000;
    /// The largest map for which tables of subgoals are made.
    pub const SUBGOAL_CELLS: u64 = 128 * 128;
}

/// Expansions after which a message ends early.
const WORK: u64 = 400_000;
/// Numbers after which a message ends early.
const NUMBERS: usize = 500_000;

/// A session.
#[derive(Debug, Default)]
pub struct Stage {
    scene: Option<Scene>,
}

impl Stage {
    /// A session without a map.
    pub fn new() -> Stage {
        Stage::default()
    }

    /// Handles a request in JSON, and returns the encoded reply. What cannot be met is a reply of the kind `error`.
    pub fn handle(&mut self, request: &str) -> Vec<u8> {
        let request = if request.len() > limits::MESSAGE {
            Err(Refusal::new(format!(
                "a message has at most {} bytes, this one has {}",
                limits::MESSAGE,
                request.len()
            )))
        } else {
            serde_json::from_str::<Request>(request)
                .map_err(|error| Refusal::new(format!("not a request: {}", safe(&error))))
        };
        let mut payload = Payload::default();
        match request.and_then(|request| self.meet(request, &mut payload)) {
            Ok(head) => encode(&head, &payload.0),
            Err(refusal) => refusal.encoded(),
        }
    }

    /// Plays a whole session.
    ///
    /// # Errors
    /// When one of its requests cannot be met: its number, and why.
    pub fn replay(&mut self, replay: &Replay) -> Result<(), Refusal> {
        for (nth, request) in replay.messages.iter().enumerate() {
            let numbered = |refusal: Refusal| Refusal {
                message: format!("message {}: {}", nth + 1, refusal.message),
                ..refusal
            };
            if let Request::Tick { count } = request {
                self.play(*count).map_err(numbered)?;
            } else {
                self.meet(request.clone(), &mut Payload::default()).map_err(numbered)?;
            }
        }
        Ok(())
    }

    /// All these ticks, however much work they are.
    fn play(&mut self, count: u64) -> Result<(), Refusal> {
        let mut left = count;
        while left > 0 {
            let scene = self.scene()?;
            let before = scene.tick();
            scene.tick_at_most(left.min(limits::TICKS), &mut Payload::default())?;
            let done = scene.tick() - before;
            if done == 0 {
                break;
            }
            left -= done;
        }
        Ok(())
    }

    /// The records of all contestants, as `tickstar run --json` prints them.
    ///
    /// # Errors
    /// When nothing is open.
    pub fn records(&mut self) -> Result<Vec<Value>, Refusal> {
        self.scene()?.records()
    }

    /// Heap memory in bytes, about.
    pub fn bytes(&self) -> usize {
        self.scene.as_ref().map_or(0, Scene::bytes)
    }

    fn scene(&mut self) -> Result<&mut Scene, Refusal> {
        self.scene.as_mut().ok_or_else(|| Refusal::new("nothing is open: open a map first"))
    }

    fn meet(&mut self, request: Request, payload: &mut Payload) -> Result<Value, Refusal> {
        match request {
            Request::Catalog {} => Ok(catalog::catalog()),
            Request::Open(spec) => {
                let mut scene = Scene::open(*spec)?;
                let reply = scene.describe(payload)?;
                self.scene = Some(scene);
                Ok(reply)
            }
            Request::Restart(change) => {
                let mut scene = self.scene()?.restarted(*change)?;
                let reply = scene.describe(payload)?;
                self.scene = Some(scene);
                Ok(reply)
            }
            Request::Edit { cells, free } => self.scene()?.edit(&cells, free, payload),
            Request::Goal(goal) => self.scene()?.aim(goal),
            Request::Budget(budget) => self.scene()?.set_budget(budget),
            Request::Tick { count } => {
                if !(1..=limits::TICKS).contains(&count) {
                    let most = limits::TICKS;
                    return Err(Refusal::about("count", format!("expected 1 to {most} ticks")));
                }
                self.scene()?.tick_at_most(count, payload)
            }
            Request::Rewind { tick } => self.scene()?.rewind(tick),
            Request::Save {} => {
                let replay = self.scene()?.replay();
                Ok(json!({ "kind": "saved", "replay": replay }))
            }
            Request::Records {} => {
                Ok(json!({ "kind": "records", "records": self.scene()?.records()? }))
            }
        }
    }
}

/// An error about foreign text, as it can be shown.
fn safe(error: &dyn std::fmt::Display) -> String {
    let text: String = error.to_string().chars().take(300).collect();
    crate::text::escaped(&text)
}
