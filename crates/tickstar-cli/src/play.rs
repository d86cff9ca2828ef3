//! `tickstar play`: searches in the browser, as they are run.

mod assets;
mod guard;
mod server;
mod session;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};
use tickstar_lab::stage::Stage;
use tickstar_lab::text::{self, quoted};
use tokio::time::sleep;

use crate::failure::{Failure, say};
use crate::interrupt::Interrupt;
use crate::number::whole;
use crate::run::read_replay;
use crate::source::{Map, Movement, map_file};

use guard::{Guard, Token};
use server::Server;
use session::Limits;

/// The port that is taken if none is given and it is free.
const USUAL_PORT: u16 = 7878;

/// How often it is asked whether Ctrl-C was pressed.
const WATCH: Duration = Duration::from_millis(50);

/// Open a page in the browser, on which agents walk while you draw walls and move their goals
///
/// The page and all it needs are a part of this program, which runs the searches and is reached by this machine only.
/// The address that is printed has a token in it: whoever has the address can use the program while it runs. Each tab
/// has a session of its own. Ctrl-C ends the program.
///
/// To run it on a machine without a screen, use --no-open there, forward its port (`ssh -L 7878:127.0.0.1:7878 NAME`),
/// and open the address that it prints.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tickstar play\n  \
    tickstar play --map builtin:rooms-64\n  \
    tickstar play --map a.map --port 8000\n  \
    tickstar play --replay walk.json\n  \
    tickstar play --no-open")]
pub struct Play {
    /// The map that the page begins with: a file in the benchmark's format, rows of # and . in a .txt, or builtin:NAME
    /// (see `tickstar maps list`)
    #[arg(long, value_name = "FILE|builtin:NAME", conflicts_with = "replay")]
    map: Option<PathBuf>,
    /// A session to show again: a file that the page has saved
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// The port; 0 is any that is free [default: 7878, or any other if that is taken]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(0..=65_535), allow_negative_numbers = true,
        help_heading = "Server")]
    port: Option<u16>,
    /// The address or name of this machine to listen on, such as 192.168.1.2, or 0.0.0.0 for all of its addresses.
    /// Other machines may then reach it, and what is sent can be read on the way [default: 127.0.0.1, which only this
    /// machine reaches]
    #[arg(long, value_name = "ADDRESS", help_heading = "Server")]
    host: Option<String>,
    /// Print the address only, and open no browser
    #[arg(long, help_heading = "Server")]
    no_open: bool,
}

impl Play {
    pub fn execute(&self) -> Result<(), Failure> {
        let interrupt = Interrupt::watch();
        let start = self.start()?;
        let listener = self.listen()?;
        let token =
            Token::new().map_err(|error| Failure::input(format!("no random numbers: {error}")))?;
        let unusable = |error: &io::Error| {
            Failure::input(format!("the server cannot be started: {}", text::refusal(error)))
        };
        let address = listener.local_addr().map_err(|error| unusable(&error))?;
        let page = format!("http://{}/?token={}", self.shown(address), token.text());
        let guard = Guard::new(address, self.host.as_deref().map(bare), token);
        let server = Server::new(guard, start.to_string(), Limits::default());
        // The sessions have their own threads: what remains is to wait.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| unusable(&error))?;
        // From here on Ctrl-C ends the sessions first, and a second one everything at once.
        let stop = interrupt.begin();
        // Who asks before the server answers waits.
        self.announce(address, &page)?;
        let result = runtime.block_on(async {
            listener.set_nonblocking(true)?;
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let stopped = async {
                while !stop.load(Ordering::Relaxed) {
                    sleep(WATCH).await;
                }
            };
            server.serve::<Stage>(listener, stopped).await
        });
        // Threads that are at work end with the program.
        runtime.shutdown_background();
        result.map_err(|error| unusable(&error))?;
        Err(Failure::Stopped("stopped".into()))
    }

    /// Says where the page is, and opens it.
    fn announce(&self, address: SocketAddr, page: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        writeln!(out, "{page}")?;
        out.flush()?;
        if !address.ip().is_loopback() {
            say("note: other machines may reach this address; who has it can use the program");
        }
        if !self.no_open && open::that_detached(page).is_err() {
            say("note: no browser was found: open this address in one");
        }
        say("Ctrl-C ends the program.");
        Ok(())
    }

    fn listen(&self) -> Result<TcpListener, Failure> {
        let host = self.host.as_deref();
        let listen = |port: u16| match host {
            None => TcpListener::bind((Ipv4Addr::LOCALHOST, port)),
            Some(host) => TcpListener::bind((bare(host), port)),
        };
        if let Some(host) = host {
            let named = (bare(host), 0).to_socket_addrs().is_ok_and(|mut all| all.next().is_some());
            if !named {
                let host = quoted(host);
                return Err(Failure::usage(format!(
                    "--host: `{host}` is not an address or name of this machine, such as 127.0.0.1"
                )));
            }
        }
        let listener = match self.port {
            Some(port) => listen(port),
            None => listen(USUAL_PORT).or_else(|_| listen(0)),
        };
        listener.map_err(|error| {
            let port = self.port.unwrap_or(USUAL_PORT);
            Failure::input(match error.kind() {
                io::ErrorKind::AddrInUse => format!(
                    "port {port} is in use: name another one by --port, or 0 for any that is free"
                ),
                io::ErrorKind::PermissionDenied => {
                    format!("port {port} is not for everyone: name one from 1024 by --port")
                }
                io::ErrorKind::AddrNotAvailable => {
                    format!("`{}` is no address of this machine", quoted(host.unwrap_or_default()))
                }
                _ => format!("cannot listen on port {port}: {}", text::refusal(&error)),
            })
        })
    }

    /// The address as a browser on this machine opens it.
    fn shown(&self, address: SocketAddr) -> String {
        let port = address.port();
        match (self.host.as_deref().map(bare), address.ip()) {
            (_, ip) if ip.is_unspecified() => format!("127.0.0.1:{port}"),
            (Some(name), _) if name.parse::<IpAddr>().is_err() => format!("{name}:{port}"),
            _ => address.to_string(),
        }
    }

    /// What the page begins with.
    fn start(&self) -> Result<Value, Failure> {
        if let Some(map) = &self.map {
            return scene(map);
        }
        let Some(path) = &self.replay else { return Ok(json!({})) };
        Ok(json!({ "replay": read_replay(path)? }))
    }
}

/// The scene with a map. What a session would refuse is refused here, before there is a page.
fn scene(source: &Path) -> Result<Value, Failure> {
    let map = Map::load(source, Movement::default())?;
    let description = match map_file(source) {
        None => json!({ "builtin": map.title() }),
        Some(path) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            json!({ "file": { "name": text::escaped(&name), "text": map.grid.to_map() } })
        }
    };
    let open = json!({ "open": { "map": description } });
    let request = open.to_string();
    let most = Limits::default().message;
    if request.len() > most {
        return Err(Failure::input(format!(
            "the map is too large for a page of at most {most} bytes"
        ))
        .on_map(source));
    }
    match refusal(&Stage::new().handle(&request)) {
        None => Ok(open),
        Some(reason) => Err(Failure::input(reason).on_map(source)),
    }
}

/// What a reply says is wrong, if it does.
fn refusal(reply: &[u8]) -> Option<String> {
    let (length, rest) = reply.split_first_chunk()?;
    let text = rest.get(..u32::from_le_bytes(*length) as usize)?;
    let reply = serde_json::from_slice::<Value>(text).ok()?;
    let message = reply["message"].as_str().filter(|_| reply["kind"] == "error");
    message.map(str::to_string)
}

/// An address without the brackets that it has within others.
fn bare(host: &str) -> &str {
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}
