//! One session: a stage on a thread of its own, and the connection that it belongs to.
//!
//! A stage computes and never waits, so it has a thread. Between it and the connection are two short queues, and the
//! connection is read no further while the first is full: a browser that does not read its replies stops its stage,
//! and nothing grows. The thread ends when the connection does, after the request that it is working on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use tickstar_lab::stage::{self, Refusal, Stage};
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};
use tokio::time::timeout;

/// What the server needs of a stage; tests have others.
pub trait Simulator: Sized + 'static {
    fn begin() -> Self;
    fn handle(&mut self, request: &str) -> Vec<u8>;
    fn bytes(&self) -> usize;
}

impl Simulator for Stage {
    fn begin() -> Stage {
        Stage::new()
    }

    fn handle(&mut self, request: &str) -> Vec<u8> {
        Stage::handle(self, request)
    }

    fn bytes(&self) -> usize {
        Stage::bytes(self)
    }
}

/// How much is kept for browsers.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many sessions there are at a time.
    pub sessions: usize,
    /// The longest request in bytes. One of up to twice that is answered by an error, and a longer one, which is not
    /// read, by the end of the session.
    pub message: usize,
    /// The most memory of a session in bytes.
    pub bytes: usize,
    /// How many requests wait for the stage, and how many replies for the browser.
    pub waiting: usize,
    /// A session without a request for so long is ended.
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            sessions: 32,
            message: stage::limits::MESSAGE,
            bytes: 512 << 20,
            waiting: 2,
            idle: Duration::from_secs(60 * 60),
        }
    }
}

/// How long the server waits for the browser to take note of the end.
const PARTING: Duration = Duration::from_secs(1);

/// The memory of a thread for calls: as much as that of the program usually has.
const STACK: usize = 8 << 20;

/// A request, as far as the connection knows.
enum Request {
    Text(Utf8Bytes),
    /// It is not one, for this reason.
    Unfit(String),
}

struct Reply {
    bytes: Vec<u8>,
    /// Why it is the last one.
    end: Option<Farewell>,
}

/// Why a session ends, as the browser is told.
struct Farewell {
    code: u16,
    reason: &'static str,
}

impl Farewell {
    const STOPPED: Farewell =
        Farewell { code: close_code::AWAY, reason: "The program has been ended." };
    const FAILED: Farewell =
        Farewell { code: close_code::ERROR, reason: "An internal error has ended this session." };
    const LARGE: Farewell =
        Farewell { code: close_code::POLICY, reason: "This session has taken too much memory." };
    const IDLE: Farewell =
        Farewell { code: close_code::NORMAL, reason: "Nothing has been asked for a long time." };
    const UNREADABLE: Farewell = Farewell {
        code: close_code::SIZE,
        reason: "A message is too large, or not one of this protocol.",
    };
    const FULL: Farewell = Farewell {
        code: close_code::AGAIN,
        reason: "There are as many sessions as there can be: close another tab.",
    };

    fn message(self) -> Message {
        Message::Close(Some(CloseFrame { code: self.code, reason: self.reason.into() }))
    }
}

/// A reply that tells what is wrong, encoded as those of stages.
fn error(message: &str) -> Vec<u8> {
    Refusal::new(message).encoded()
}

/// Tells a browser that there is no place for it.
pub async fn refuse(mut socket: WebSocket, limits: Limits) {
    let words = format!(
        "There are {} sessions, as many as there can be: close another tab, then reload this page.",
        limits.sessions
    );
    if socket.send(Message::Binary(error(&words).into())).await.is_ok() {
        let (mut sink, mut stream) = socket.split();
        part(&mut sink, &mut stream, Farewell::FULL).await;
    }
}

/// Connects a browser with a stage until either of them ends, or the server does.
pub async fn connect<S: Simulator>(
    socket: WebSocket,
    place: OwnedSemaphorePermit,
    limits: Limits,
    mut stop: watch::Receiver<bool>,
) {
    let (mut sink, mut stream) = socket.split();
    let end = {
        let (ask, requests) = mpsc::channel(limits.waiting);
        let (answer, replies) = mpsc::channel(limits.waiting);
        let work = move || work::<S>(requests, &answer, place, limits);
        let thread = thread::Builder::new().name("session".into()).stack_size(STACK);
        if thread.spawn(work).is_ok() {
            tokio::select! {
                end = read(&mut stream, ask, limits) => end,
                end = write(&mut sink, replies) => end,
                _ = stop.changed() => Some(Farewell::STOPPED),
            }
        } else {
            Some(Farewell::FAILED)
        }
        // The queues are gone here, which ends the thread.
    };
    if let Some(end) = end {
        part(&mut sink, &mut stream, end).await;
    }
}

/// Passes requests on until the browser ends the session or has to be told that it ends.
async fn read(
    stream: &mut SplitStream<WebSocket>,
    ask: mpsc::Sender<Request>,
    limits: Limits,
) -> Option<Farewell> {
    loop {
        let next = async {
            let place = ask.reserve().await.ok()?;
            Some((place, stream.next().await))
        };
        let (place, message) = match timeout(limits.idle, next).await {
            Err(_) => return Some(Farewell::IDLE),
            // The stage has ended: its last reply says why.
            Ok(None) => std::future::pending().await,
            Ok(Some(next)) => next,
        };
        match message {
            None | Some(Ok(Message::Close(_))) => return None,
            Some(Err(_)) => return Some(Farewell::UNREADABLE),
            Some(Ok(Message::Text(text))) if text.len() > limits.message => {
                place.send(Request::Unfit(format!(
                    "This request has {} bytes; the largest may have {}.",
                    text.len(),
                    limits.message
                )));
            }
            Some(Ok(Message::Text(text))) => place.send(Request::Text(text)),
            Some(Ok(Message::Binary(_))) => {
                place.send(Request::Unfit("A request is a text, not a binary message.".into()));
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
        }
    }
}

/// Passes replies on until the last one.
async fn write(
    sink: &mut SplitSink<WebSocket, Message>,
    mut replies: mpsc::Receiver<Reply>,
) -> Option<Farewell> {
    while let Some(reply) = replies.recv().await {
        sink.send(Message::Binary(reply.bytes.into())).await.ok()?;
        if reply.end.is_some() {
            return reply.end;
        }
    }
    Some(Farewell::FAILED)
}

/// Ends a connection, but not before the browser has read why, if it reads.
async fn part(
    sink: &mut SplitSink<WebSocket, Message>,
    stream: &mut SplitStream<WebSocket>,
    end: Farewell,
) {
    let parting = async {
        if sink.send(end.message()).await.is_err() {
            return;
        }
        while let Some(message) = stream.next().await {
            if message.is_err() {
                // If the connection were closed with something in it that was not read, what was sent last could be
                // lost.
                std::future::pending::<()>().await;
            }
        }
    };
    let _ = timeout(PARTING, parting).await;
}

/// The thread of a session: its stage handles one request after the other.
fn work<S: Simulator>(
    mut requests: mpsc::Receiver<Request>,
    replies: &mpsc::Sender<Reply>,
    place: OwnedSemaphorePermit,
    limits: Limits,
) {
    let mut stage = S::begin();
    while let Some(request) = requests.blocking_recv() {
        let reply = match request {
            Request::Unfit(reason) => Reply { bytes: error(&reason), end: None },
            Request::Text(text) => answer(&mut stage, &text, limits),
        };
        let is_last = reply.end.is_some();
        if replies.blocking_send(reply).is_err() || is_last {
            break;
        }
    }
    // There is a place when there is memory.
    drop(stage);
    drop(place);
}

fn answer<S: Simulator>(stage: &mut S, request: &str, limits: Limits) -> Reply {
    let handled = catch_unwind(AssertUnwindSafe(|| {
        let bytes = stage.handle(request);
        (bytes, stage.bytes())
    }));
    match handled {
        Ok((bytes, memory)) if memory <= limits.bytes => Reply { bytes, end: None },
        Ok(_) => {
            let megabytes = limits.bytes >> 20;
            let words = format!(
                "This session takes more than {megabytes} MB of memory and has been ended: reload the page, and \
                 choose a smaller map, fewer agents or a smaller budget."
            );
            Reply { bytes: error(&words), end: Some(Farewell::LARGE) }
        }
        // The stage may be in any state.
        Err(_) => {
            let words = "An internal error has ended this session; the terminal shows where it was. Reload the page \
                         to begin another one.";
            Reply { bytes: error(words), end: Some(Farewell::FAILED) }
        }
    }
}
