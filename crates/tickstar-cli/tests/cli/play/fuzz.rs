//! Random and mutated messages: each is answered, and neither the server nor another session notices.
//!
//! `TICKSTAR_FUZZ=100000` tries that many.

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;

use tungstenite::protocol::frame::coding::CloseCode;

use super::tab::{Playing, Sent, Tab};
use crate::support::Folder;

/// Whole requests, so that what is mutated goes deeper than the parser.
const REQUESTS: &[&str] = &[
    r#"{"catalog":{}}"#,
    r#"{"open":{"map":{"builtin":"rooms-64"}}}"#,
    r#"{"open":{"map":{"generated":{"kind":"rooms","side":64,"seed":3}},"world":"unknown","seed":1,"budget":100,"contestants":["tba","tbaa:trace=free","tick"]}}"#,
    r#"{"open":{"map":{"file":{"name":"a.map","text":"type octile\nheight 3\nwidth 4\nmap\n....\n.@..\n....\n"}},"corners":true,"start":[0,0],"goal":[3,2],"contestants":["astar"],"edits":[[5],[]]}}"#,
    r#"{"open":{"map":{"builtin":"caves-128"},"crowd":{"agents":100,"planner":"crowd","apart":true,"one_goal":false},"budget":6000}}"#,
    r#"{"restart":{"start":[1,1],"goal":[30,30],"contestants":["lrta"],"budget":7,"world":"partial:15","seed":2}}"#,
    r#"{"restart":{}}"#,
    r#"{"edit":{"cells":[1,2,3,64,65,66],"free":false}}"#,
    r#"{"edit":{"cells":[1,2,3,64,65,66],"free":true}}"#,
    r#"{"goal":[10,10]}"#,
    r#"{"budget":50}"#,
    r#"{"tick":{"count":5}}"#,
    r#"{"tick":{"count":20}}"#,
    r#"{"rewind":{"tick":3}}"#,
    r#"{"save":{}}"#,
    r#"{"records":{}}"#,
];

/// What stands where a number was.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "3",
    "64",
    "1000",
    "1001",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "1e308",
    "0.5",
    "1e999",
    "null",
    "\"1\"",
    "[]",
    "{}",
    "true",
];

/// Random numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    fn one<'i>(&mut self, items: &[&'i str]) -> &'i str {
        items[self.below(items.len())]
    }

    fn bytes(&mut self, most: usize) -> Vec<u8> {
        let length = self.below(most + 1);
        (0..length).map(|_| self.next() as u8).collect()
    }
}

/// A request, more or less.
fn request(dice: &mut Dice) -> String {
    if dice.below(10) == 0 {
        return String::from_utf8_lossy(&dice.bytes(300)).into_owned();
    }
    let mut request = dice.one(REQUESTS).as_bytes().to_vec();
    for _ in 0..[0, 0, 1, 1, 2, 5][dice.below(6)] {
        let at = dice.below(request.len().max(1));
        match dice.below(6) {
            0 => request.truncate(at),
            1 if !request.is_empty() => request[at] = dice.next() as u8,
            2 => drop(request.splice(at..at, *b"\"")),
            3 => {
                // A part of another one.
                let other = dice.one(REQUESTS).as_bytes();
                let from = dice.below(other.len());
                let to = from + dice.below(other.len() - from);
                drop(request.splice(at..at, other[from..to].iter().copied()));
            }
            _ => {
                let digits: Vec<_> = (0..request.len())
                    .filter(|&at| {
                        let before = at.checked_sub(1).map(|at| request[at]);
                        request[at].is_ascii_digit()
                            && before.is_none_or(|byte| !byte.is_ascii_digit())
                    })
                    .collect();
                if digits.is_empty() {
                    continue;
                }
                let from = digits[dice.below(digits.len())];
                let rest = request[from..].iter();
                let to = from + rest.take_while(|byte| byte.is_ascii_digit()).count();
                drop(request.splice(from..to, dice.one(NUMBERS).bytes()));
            }
        }
    }
    String::from_utf8_lossy(&request).into_owned()
}

fn rounds() -> usize {
    std::env::var("TICKSTAR_FUZZ").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(400)
}

/// Asks another session now and then.
fn check(playing: &mut Playing, witness: &mut Tab) {
    assert!(playing.is_running());
    witness.works();
    assert_eq!(playing.get("/").status, 200);
}

#[test]
fn every_message_is_answered() {
    let folder = Folder::new("play-fuzz");
    let mut playing = Playing::new(&folder, "");
    let mut witness = playing.tab();
    let mut dice = Dice(1);
    let mut tab = playing.tab();
    for round in 0..rounds() {
        let request = request(&mut dice);
        tab.send(request.as_str());
        match tab.receive() {
            Sent::Reply(reply) => {
                let error = reply["kind"] == "error";
                assert_eq!(error, reply["message"].is_string(), "{request}: {reply}");
                let ended = reply["message"].as_str().filter(|words| words.contains("internal"));
                assert_eq!(ended, None, "message {round}: {request}");
                if reply["message"].as_str().is_some_and(|words| words.contains("has been ended")) {
                    assert!(matches!(tab.receive(), Sent::End(CloseCode::Policy, _)));
                    tab = playing.tab();
                }
            }
            end @ Sent::End(..) => panic!("message {round}: {request}: {end:?}"),
        }
        if round % 100 == 0 {
            check(&mut playing, &mut witness);
            tab = playing.tab();
        }
    }
    check(&mut playing, &mut witness);
}

#[test]
fn bytes_that_are_no_messages_end_their_connection_only() {
    let folder = Folder::new("play-bytes");
    let mut playing = Playing::new(&folder, "");
    let mut witness = playing.tab();
    let mut dice = Dice(2);
    let (address, token) = (playing.address, playing.token.clone());
    let upgrade = format!(
        "GET /stage?token={token} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nConnection: Upgrade\r\n\
         Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    for round in 0..rounds() / 4 {
        let mut stream = playing.connect();
        let mut bytes = match round % 3 {
            0 => upgrade.clone().into_bytes(),
            // A request that is broken somewhere.
            1 => {
                let mut bytes = upgrade.clone().into_bytes();
                for _ in 0..=dice.below(3) {
                    let at = dice.below(bytes.len());
                    bytes[at] = dice.next() as u8;
                }
                bytes
            }
            _ => Vec::new(),
        };
        bytes.extend(dice.bytes(2000));
        // The server may hang up at any time.
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        if let Err(error) = stream.read_to_end(&mut answer) {
            assert_ne!(error.kind(), ErrorKind::WouldBlock, "round {round}: it hangs");
        }
        if round % 20 == 0 {
            check(&mut playing, &mut witness);
        }
    }
    check(&mut playing, &mut witness);
}
