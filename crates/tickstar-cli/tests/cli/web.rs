//! A server of archives for tests, which may do whatever servers do: cut connections, know no ranges, stall.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What the server has at an address, and how it answers.
#[derive(Clone)]
pub struct Page {
    pub bytes: Vec<u8>,
    /// The status of a whole answer; with a redirect, `bytes` are the address.
    pub status: u16,
    /// Whether it knows ranges.
    pub ranges: bool,
    /// Whether it compares `If-Range` with its tag.
    pub compares: bool,
    pub etag: Option<&'static str>,
    /// The length it states, if not the true one.
    pub states: Option<u64>,
    /// How many bytes it sends before it closes the connection.
    pub cut: Option<usize>,
    /// How many bytes it sends before it sends nothing more, for a long time.
    pub stall: Option<usize>,
}

impl Page {
    pub fn new(bytes: Vec<u8>) -> Page {
        Page {
            bytes,
            status: 200,
            ranges: true,
            compares: true,
            etag: Some("\"one\""),
            states: None,
            cut: None,
            stall: None,
        }
    }

    pub fn status(status: u16, text: &str) -> Page {
        Page { status, ..Page::new(text.as_bytes().to_vec()) }
    }
}

/// A request as it came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    pub path: String,
    /// The first byte of the range.
    pub range: Option<usize>,
    pub if_range: Option<String>,
}

#[derive(Default)]
struct State {
    pages: HashMap<String, Page>,
    requests: Vec<Request>,
    /// Bytes of archives, in whole.
    sent: usize,
}

/// A server on this machine. It ends with the tests.
pub struct Server {
    pub address: String,
    state: Arc<Mutex<State>>,
}

impl Server {
    pub fn new() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::<Mutex<State>>::default();
        let shared = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = shared.clone();
                thread::spawn(move || answer(stream, &state));
            }
        });
        Server { address, state }
    }

    /// What is at this place from now on.
    pub fn put(&self, path: &str, page: Page) {
        self.state.lock().unwrap().pages.insert(path.to_string(), page);
    }

    /// The requests since this was asked last.
    pub fn requests(&self) -> Vec<Request> {
        std::mem::take(&mut self.state.lock().unwrap().requests)
    }

    /// The bytes sent since this was asked last, headers apart.
    pub fn sent(&self) -> usize {
        std::mem::take(&mut self.state.lock().unwrap().sent)
    }
}

/// Answers one request. The other side may hang up at any time.
fn answer(stream: TcpStream, state: &Mutex<State>) -> Option<()> {
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    let first = lines.next()?.ok()?;
    let path = first.split(' ').nth(1)?.to_string();
    let mut headers = HashMap::new();
    for line in lines {
        let line = line.ok()?;
        let Some((name, value)) = line.split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_string());
    }
    let range = headers
        .get("range")
        .and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse::<usize>().ok());
    let if_range = headers.get("if-range").cloned();
    let page = {
        let mut state = state.lock().unwrap();
        state.requests.push(Request { path: path.clone(), range, if_range: if_range.clone() });
        state.pages.get(&path).cloned()
    };
    let page = page.unwrap_or_else(|| Page::status(404, "not here"));
    let is_other =
        page.compares && if_range.is_some_and(|tag| page.etag.is_none_or(|etag| etag != tag));
    let range = range.filter(|_| page.ranges && !is_other);
    send(stream, &page, range, state)
}

fn send(
    mut stream: TcpStream,
    page: &Page,
    range: Option<usize>,
    state: &Mutex<State>,
) -> Option<()> {
    let all = page.bytes.len();
    let (status, first) = match range {
        Some(first) if first >= all => (416, all),
        Some(first) => (206, first),
        None => (page.status, 0),
    };
    let body = &page.bytes[first..];
    let length = page.states.unwrap_or(body.len() as u64);
    let mut head =
        format!("HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {length}\r\n");
    if status == 206 {
        write!(head, "Content-Range: bytes {first}-{}/{all}\r\n", all - 1).ok()?;
    }
    if let Some(etag) = page.etag {
        write!(head, "ETag: {etag}\r\n").ok()?;
    }
    if (300..400).contains(&page.status) {
        write!(head, "Location: {}\r\n", String::from_utf8_lossy(&page.bytes)).ok()?;
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).ok()?;
    let count = page.cut.or(page.stall).unwrap_or(body.len()).min(body.len());
    for chunk in body[..count].chunks(1 << 12) {
        stream.write_all(chunk).ok()?;
        state.lock().unwrap().sent += chunk.len();
    }
    if page.stall.is_some() {
        thread::sleep(Duration::from_secs(60));
    }
    Some(())
}
