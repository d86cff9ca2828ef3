//! Sessions of stages that do what real ones never should: panic, grow, take long.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use tungstenite::client::IntoClientRequest;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Error, Message, WebSocket};

use super::guard::{Guard, Token};
use super::server::Server;
use super::session::{Limits, Simulator};

/// What is known of the stages of each test.
static BUSY: [Figures; 16] = [const { Figures::new() }; 16];

struct Figures {
    alive: AtomicUsize,
    handled: AtomicUsize,
}

impl Figures {
    const fn new() -> Figures {
        Figures { alive: AtomicUsize::new(0), handled: AtomicUsize::new(0) }
    }

    fn alive(&self) -> usize {
        self.alive.load(Ordering::SeqCst)
    }

    fn handled(&self) -> usize {
        self.handled.load(Ordering::SeqCst)
    }
}

/// A stage of the test with this number.
struct Fake<const TEST: usize> {
    bytes: usize,
}

impl<const TEST: usize> Simulator for Fake<TEST> {
    fn begin() -> Fake<TEST> {
        BUSY[TEST].alive.fetch_add(1, Ordering::SeqCst);
        Fake { bytes: 0 }
    }

    /// Does as it is told: `panic`, `grow`, `sleep MILLISECONDS`, or `reply BYTES`.
    fn handle(&mut self, request: &str) -> Vec<u8> {
        BUSY[TEST].handled.fetch_add(1, Ordering::SeqCst);
        let (word, number) = request.split_once(' ').unwrap_or((request, "0"));
        let number = number.trim().parse().unwrap();
        match word {
            // Without a message on the terminal.
            "panic" => resume_unwind(Box::new("as told")),
            "grow" => self.bytes = usize::MAX,
            "sleep" => thread::sleep(Duration::from_millis(number)),
            _ => {}
        }
        let size = if word == "reply" { number as usize } else { 0 };
        let mut reply = request.trim().as_bytes().to_vec();
        reply.resize(reply.len().max(size), b'.');
        reply
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}

impl<const TEST: usize> Drop for Fake<TEST> {
    fn drop(&mut self) {
        BUSY[TEST].alive.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Serves stages of a test until the tests end.
struct Served {
    address: SocketAddr,
    token: String,
}

impl Served {
    fn new<const TEST: usize>(limits: Limits) -> Served {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let (address, token) = (listener.local_addr().unwrap(), Token::new().unwrap());
        let place = Served { address, token: token.text().to_string() };
        let server = Server::new(Guard::new(address, None, token), "{}".into(), limits);
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                server.serve::<Fake<TEST>>(listener, std::future::pending()).await
            })
        });
        place
    }

    fn open(&self) -> Tab {
        let Served { address, token } = self;
        let request = format!("ws://{address}/stage?token={token}");
        let mut request = request.into_client_request().unwrap();
        let origin = format!("http://{address}").parse().unwrap();
        request.headers_mut().insert("Origin", origin);
        let stream = TcpStream::connect(address).unwrap();
        // Longer than any of these tests takes.
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        Tab(tungstenite::client(request, stream).unwrap().0)
    }
}

struct Tab(WebSocket<TcpStream>);

impl Tab {
    fn send(&mut self, request: impl Into<String>) {
        self.0.send(Message::text::<String>(request.into())).unwrap();
    }

    fn receive(&mut self) -> Vec<u8> {
        match self.0.read().unwrap() {
            Message::Binary(reply) => reply.to_vec(),
            other => panic!("not a reply: {other:?}"),
        }
    }

    fn ask(&mut self, request: &str) -> String {
        self.send(request);
        String::from_utf8(self.receive()).unwrap()
    }

    /// The message of a reply that must be an error.
    fn error(&mut self) -> String {
        let reply = self.receive();
        assert_eq!(reply.len() % 4, 0);
        let length = u32::from_le_bytes(reply[..4].try_into().unwrap()) as usize;
        assert_eq!(reply.len(), 4 + length);
        let reply: Value = serde_json::from_slice(&reply[4..]).unwrap();
        assert_eq!(reply["kind"], "error");
        reply["message"].as_str().unwrap().to_string()
    }

    /// How the server ends the session.
    fn end(&mut self) -> (CloseCode, String) {
        match self.0.read().unwrap() {
            Message::Close(Some(frame)) => (frame.code, frame.reason.to_string()),
            other => panic!("not the end: {other:?}"),
        }
    }
}

fn limits() -> Limits {
    Limits { message: 1000, ..Limits::default() }
}

/// Waits until something holds.
fn until(what: impl Fn() -> bool) {
    while !what() {
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_panic_ends_its_session_only() {
    let served = Served::new::<0>(limits());
    let (mut good, mut bad) = (served.open(), served.open());
    assert_eq!(good.ask("one"), "one");
    assert_eq!(bad.ask("one"), "one");
    bad.send("panic");
    assert!(bad.error().contains("internal error"));
    assert_eq!(bad.end().0, CloseCode::Error);
    until(|| BUSY[0].alive() == 1);
    assert_eq!(good.ask("two"), "two");
    assert_eq!(served.open().ask("three"), "three");
}

#[test]
fn a_session_that_grows_is_told_and_ended() {
    let served = Served::new::<1>(limits());
    let mut tab = served.open();
    tab.send("grow");
    assert!(tab.error().contains("512 MB"));
    assert_eq!(tab.end().0, CloseCode::Policy);
    until(|| BUSY[1].alive() == 0);
}

#[test]
fn a_session_without_requests_is_ended() {
    let idle = Duration::from_millis(200);
    let served = Served::new::<2>(Limits { idle, ..limits() });
    let mut tab = served.open();
    assert_eq!(tab.ask("one"), "one");
    let (code, reason) = tab.end();
    assert_eq!(code, CloseCode::Normal);
    assert!(reason.contains("long time"), "{reason}");
    until(|| BUSY[2].alive() == 0);
    // Also one that does not read.
    let mut deaf = served.open();
    for _ in 0..100 {
        deaf.send("reply 1000000");
    }
    until(|| BUSY[2].alive() == 1);
    until(|| BUSY[2].alive() == 0);
}

#[test]
fn errors_are_replies_in_order() {
    let served = Served::new::<3>(limits());
    let mut tab = served.open();
    tab.send("sleep 100");
    tab.0.send(Message::binary(vec![1, 2, 3])).unwrap();
    tab.send("x".repeat(1001));
    tab.send(format!("reply 7{}", " ".repeat(993)));
    assert_eq!(tab.receive(), b"sleep 100");
    assert!(tab.error().contains("binary"));
    assert!(tab.error().contains("1001 bytes; the largest may have 1000"));
    assert_eq!(tab.receive(), b"reply 7");
    tab.0.send(Message::Ping("x".into())).unwrap();
    assert!(matches!(tab.0.read().unwrap(), Message::Pong(_)));
    // What is much longer is not even read.
    let large = tab.0.send(Message::text("x".repeat(1 << 20)));
    match large {
        Ok(()) => assert_eq!(tab.end().0, CloseCode::Size),
        // The server may have hung up before all was sent.
        Err(error) => assert!(matches!(error, Error::Io(_)), "{error}"),
    }
    until(|| BUSY[3].alive() == 0);
    assert_eq!(served.open().ask("one"), "one");
}

/// What is handled stays what fits into the queues and into the buffers of the system, whose size differs, until the
/// browser reads.
#[test]
fn a_browser_that_does_not_read_stops_its_stage() {
    let served = Served::new::<4>(limits());
    let mut tab = served.open();
    for _ in 0..200 {
        tab.send("reply 1000000");
    }
    let (mut before, mut now) = (usize::MAX, 0);
    while before != now {
        thread::sleep(Duration::from_millis(500));
        (before, now) = (now, BUSY[4].handled());
    }
    assert!((3..100).contains(&now), "{now}");
    assert_eq!(served.open().ask("one"), "one");
    for _ in 0..200 {
        assert_eq!(tab.receive().len(), 1_000_000);
    }
    assert_eq!(BUSY[4].handled(), 201);
}

#[test]
fn a_closed_tab_frees_its_place_when_its_request_is_done() {
    let served = Served::new::<5>(Limits { sessions: 1, ..limits() });
    let mut tab = served.open();
    tab.send("sleep 1000");
    tab.send("sleep 1000000");
    until(|| BUSY[5].handled() == 1);
    tab.0.close(None).unwrap();
    drop(tab);
    let mut refused = 0;
    loop {
        let mut tab = served.open();
        tab.send("one");
        let reply = tab.0.read().unwrap().into_data();
        if reply.as_ref() == b"one" {
            break;
        }
        assert!(String::from_utf8_lossy(&reply).contains("close another tab"));
        assert_eq!(tab.end().0, CloseCode::Again);
        refused += 1;
    }
    assert!(refused > 0, "the place was free while the request was handled");
    // The second one was not begun.
    assert_eq!(BUSY[5].handled(), 2);
}

#[test]
fn a_connection_that_is_cut_frees_its_place() {
    let served = Served::new::<6>(Limits { sessions: 8, ..limits() });
    for _ in 0..20 {
        let mut tabs: Vec<_> = (0..4).map(|_| served.open()).collect();
        for tab in &mut tabs {
            tab.send("reply 5000000");
            tab.send("reply 5000000");
        }
        until(|| BUSY[6].alive() == 4);
        // In the middle of a reply, and without a word.
        drop(tabs);
        until(|| BUSY[6].alive() == 0);
    }
}

#[test]
fn a_server_that_ends_tells_its_sessions() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let (address, token) = (listener.local_addr().unwrap(), Token::new().unwrap());
    let place = Served { address, token: token.text().to_string() };
    let server = Server::new(Guard::new(address, None, token), "{}".into(), limits());
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let running = thread::spawn(move || -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let result = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let end = async {
                let _ = ended.await;
            };
            server.serve::<Fake<7>>(listener, end).await
        });
        runtime.shutdown_background();
        result
    });
    let mut tabs: Vec<_> = (0..3).map(|_| place.open()).collect();
    assert_eq!(tabs[0].ask("one"), "one");
    // One is at work, and one does not read.
    tabs[1].send("sleep 3000");
    for _ in 0..50 {
        tabs[2].send("reply 1000000");
    }
    end.send(()).unwrap();
    assert_eq!(tabs[0].end().0, CloseCode::Away);
    assert_eq!(tabs[1].end().0, CloseCode::Away);
    running.join().unwrap().unwrap();
    assert!(TcpStream::connect(address).is_err());
}
