//! A session of `tickstar play`, without any transport, clock or thread: a stand-in, until the real one is here.

use serde_json::{Value, json};

/// A session.
#[derive(Debug, Default)]
pub struct Stage {
    requests: u64,
}

impl Stage {
    /// A session without a map.
    pub fn new() -> Stage {
        Stage::default()
    }

    /// Handles one request (JSON text) and returns the encoded reply.
    pub fn handle(&mut self, request: &str) -> Vec<u8> {
        self.requests += 1;
        let object = serde_json::from_str::<Value>(request).unwrap_or_default();
        let key = object.as_object().filter(|object| object.len() == 1);
        match key.and_then(|object| object.keys().next()).map(String::as_str) {
            Some("catalog") => encode(&json!({ "kind": "catalog", "list": [0, 16_384] }), 16_384),
            Some("open") => encode(&json!({ "kind": "scene", "tick": 0 }), 0),
            Some("tick") => encode(&json!({ "kind": "ticks", "frames": [], "over": false }), 0),
            _ => encode(&json!({ "kind": "error", "message": "not a request" }), 0),
        }
    }

    /// Heap memory in bytes, about.
    pub fn bytes(&self) -> usize {
        0
    }
}

fn encode(value: &Value, numbers: usize) -> Vec<u8> {
    let mut text = value.to_string();
    text.extend(std::iter::repeat_n(' ', text.len().next_multiple_of(4) - text.len()));
    let mut bytes = (text.len() as u32).to_le_bytes().to_vec();
    bytes.extend(text.as_bytes());
    bytes.resize(bytes.len() + 4 * numbers, 0);
    bytes
}
