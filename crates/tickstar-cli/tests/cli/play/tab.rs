//! `tickstar play` as a browser sees it, and browsers that misbehave.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tungstenite::client::IntoClientRequest;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Message, WebSocket};

use crate::support::{Folder, Ran, read, wait};

/// Longer than anything here takes.
const HANGS: Duration = Duration::from_secs(120);

/// The program while it runs. It ends with the test.
pub struct Playing {
    child: Option<Child>,
    /// Open, as the program may write to it.
    _out: BufReader<ChildStdout>,
    /// What it has printed.
    pub page: String,
    /// Where it listens.
    pub address: SocketAddr,
    pub token: String,
}

impl Playing {
    /// Without a browser, and on any port.
    pub fn new(folder: &Folder, arguments: &str) -> Playing {
        Playing::on_port(folder, &format!("--port 0 {arguments}"))
    }

    pub fn on_port(folder: &Folder, arguments: &str) -> Playing {
        let arguments = format!("play --no-open {arguments}");
        let mut command = folder.command(arguments.split_whitespace());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let (page, child) = (line.trim_end().to_string(), Some(child));
        let rest = page.strip_prefix("http://").unwrap_or_else(|| panic!("no address: {line:?}"));
        let (address, token) = rest.split_once("/?token=").unwrap();
        let (address, token) = (address.parse().unwrap(), token.to_string());
        Playing { child, _out: out, page, address, token }
    }

    /// Sends Ctrl-C, and waits for the end.
    pub fn interrupt(mut self) -> Ran {
        let child = self.child.take().unwrap();
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        read(&wait(child, "play"), "play")
    }

    /// The memory of the program in bytes.
    #[cfg(target_os = "linux")]
    pub fn memory(&self) -> usize {
        let pid = self.child.as_ref().unwrap().id();
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().strip_suffix(" kB").unwrap().parse::<usize>().unwrap() << 10
    }

    pub fn is_running(&mut self) -> bool {
        self.child.as_mut().unwrap().try_wait().unwrap().is_none()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(HANGS)).unwrap();
        stream.set_write_timeout(Some(HANGS)).unwrap();
        stream
    }

    /// The answer to a request as a browser makes it, but for what is given.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let host = self.address.to_string();
        let mut all = vec![("Connection", "close")];
        if !headers.iter().any(|(name, _)| *name == "Host") {
            all.push(("Host", &host));
        }
        let lines = all.iter().chain(headers).filter(|(_, value)| *value != "-");
        let lines: Vec<_> = lines.map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let lines = lines.concat();
        let mut stream = self.connect();
        stream.write_all(format!("{method} {path} HTTP/1.1\r\n{lines}\r\n").as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        Answer::new(&bytes)
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[])
    }

    pub fn tab(&self) -> Tab {
        let path = format!("/stage?token={}", self.token);
        self.open(&path, Some(&format!("http://{}", self.address))).unwrap()
    }

    /// Asks for a session; the status if it is refused.
    pub fn open(&self, path: &str, origin: Option<&str>) -> Result<Tab, u16> {
        let mut request = format!("ws://{}{path}", self.address).into_client_request().unwrap();
        if let Some(origin) = origin {
            request.headers_mut().insert("Origin", origin.parse().unwrap());
        }
        match tungstenite::client(request, self.connect()) {
            Ok((socket, _)) => Ok(Tab(socket)),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(answer))) => {
                Err(answer.status().as_u16())
            }
            Err(error) => panic!("{error}"),
        }
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// An answer of the server.
pub struct Answer {
    pub status: u16,
    headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

impl Answer {
    fn new(bytes: &[u8]) -> Answer {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap();
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_lowercase(), value.to_string())
        });
        Answer {
            status: status.parse().unwrap(),
            headers: headers.collect(),
            body: bytes[end + 4..].to_vec(),
        }
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub fn json(&self) -> Value {
        assert_eq!((self.status, self.header("content-type")), (200, "application/json"));
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// A session.
pub struct Tab(pub WebSocket<TcpStream>);

/// What the server sends.
#[derive(Debug)]
pub enum Sent {
    Reply(Value),
    End(CloseCode, String),
}

impl Tab {
    pub fn send(&mut self, request: impl Into<String>) {
        self.0.send(Message::text::<String>(request.into())).unwrap();
    }

    pub fn receive(&mut self) -> Sent {
        match self.0.read().unwrap() {
            Message::Binary(bytes) => Sent::Reply(reply(&bytes)),
            Message::Close(Some(frame)) => Sent::End(frame.code, frame.reason.to_string()),
            other => panic!("neither a reply nor the end: {other:?}"),
        }
    }

    pub fn reply(&mut self) -> Value {
        match self.receive() {
            Sent::Reply(reply) => reply,
            end @ Sent::End(..) => panic!("not a reply: {end:?}"),
        }
    }

    pub fn ask(&mut self, request: impl Into<String>) -> Value {
        self.send(request);
        self.reply()
    }

    /// Checks that it still works.
    pub fn works(&mut self) {
        assert_eq!(self.ask(r#"{"catalog":{}}"#)["kind"], "catalog");
    }
}

/// The JSON of a reply, which must be well-formed.
fn reply(bytes: &[u8]) -> Value {
    assert!(bytes.len().is_multiple_of(4) && bytes.len() > 4, "{} bytes", bytes.len());
    let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
    assert!(length.is_multiple_of(4) && 4 + length <= bytes.len(), "{length} of {}", bytes.len());
    let reply: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
    assert!(reply["kind"].is_string(), "{reply}");
    reply
}
