//! Downloads that continue where they broke off.
//!
//! The bytes are written to a file as they come, and what the server said of them lies beside it. So nothing that
//! has arrived is lost, however the program ends. The next run asks for the rest, on the condition that the archive
//! is still the same one; a server that does not answer to that sends the whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tickstar_lab::text;
use ureq::http::{HeaderMap, Response};
use ureq::{Agent, Body};

/// No archive of the benchmark is nearly as large.
const MAX_BYTES: u64 = 200 << 20;
/// Looking up the server's name and connecting to it take ten seconds at most.
const LOOKING_UP: Duration = Duration::from_secs(4);
const CONNECTING: Duration = Duration::from_secs(6);
const MAX_REDIRECTS: u32 = 5;

/// Why an archive is not there.
#[derive(Debug, Error)]
pub enum DownloadError {
    #[error("{}: the server cannot be reached (is there a network?): {reason}", shown(address))]
    Unreachable { address: String, reason: String },
    #[error("{}: there is no such archive (the server answered {status})", shown(address))]
    Missing { address: String, status: u16 },
    #[error("{}: expected the archive, but the server answered {status}", shown(address))]
    Refused { address: String, status: u16 },
    #[error("{}: the server did not answer as it should: {reason}", shown(address))]
    Answer { address: String, reason: String },
    #[error(
        "{}: the download broke off after {bytes} bytes: {reason}; they are kept, and the same command continues",
        shown(address)
    )]
    BrokenOff { address: String, bytes: u64, reason: String },
    #[error("{}: this is larger than {} MB, which no archive of maps should be", shown(address), MAX_BYTES >> 20)]
    TooLarge { address: String },
    /// This is about our own disk.
    #[error("{}: cannot be written: {}", text::path(path), text::refusal(reason))]
    Writing { path: PathBuf, reason: io::Error },
}

/// An address as messages show it.
pub fn shown(address: &str) -> String {
    text::path(Path::new(address))
}

/// A download in progress: its bytes so far, and what the server said of it.
pub struct Part {
    pub bytes: PathBuf,
    facts: PathBuf,
}

/// What the server said of an archive: enough to see whether it is still the same.
#[derive(Serialize, Deserialize, Default)]
struct Facts {
    address: String,
    size: Option<u64>,
    etag: Option<String>,
    modified: Option<String>,
}

impl Part {
    pub fn new(folder: &Path, archive: &str) -> Part {
        let beside = |end| folder.join(format!("{archive}.{end}"));
        Part { bytes: beside("part"), facts: beside("part.json") }
    }

    /// How many bytes are there, with what is known of the archive, if there are any of this address.
    fn begun(&self, address: &str) -> Option<(u64, Facts)> {
        let bytes = fs::metadata(&self.bytes).ok()?.len();
        let facts: Facts = serde_json::from_slice(&fs::read(&self.facts).ok()?).ok()?;
        let fits = bytes > 0 && facts.size.is_none_or(|size| bytes <= size);
        (fits && facts.address == address).then_some((bytes, facts))
    }

    /// An empty file for an archive of which this is known.
    fn begin(&self, facts: &Facts) -> Result<File, DownloadError> {
        // The bytes first: facts of one archive must never lie beside bytes of another.
        let file = File::create(&self.bytes).map_err(failed(&self.bytes))?;
        let json = serde_json::to_vec(facts).map_err(io::Error::from);
        json.and_then(|json| fs::write(&self.facts, json)).map_err(failed(&self.facts))?;
        Ok(file)
    }

    fn resume(&self) -> Result<File, DownloadError> {
        OpenOptions::new().append(true).open(&self.bytes).map_err(failed(&self.bytes))
    }

    pub fn discard(&self) {
        for path in [&self.bytes, &self.facts] {
            let _ = fs::remove_file(path);
        }
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> DownloadError {
    move |reason| DownloadError::Writing { path: path.into(), reason }
}

impl Facts {
    fn new(address: &str, headers: &HeaderMap) -> Result<Facts, DownloadError> {
        let text = |name| header(headers, name).map(str::to_string);
        let size = text("content-length").and_then(|size| size.parse().ok());
        if size > Some(MAX_BYTES) {
            return Err(DownloadError::TooLarge { address: address.into() });
        }
        let (etag, modified) = (text("etag"), text("last-modified"));
        Ok(Facts { address: address.to_string(), size, etag, modified })
    }

    /// What the server can compare to see whether the archive is still the same. Weak tags do not vouch for bytes.
    fn validator(&self) -> Option<&str> {
        let strong = self.etag.as_deref().filter(|tag| !tag.starts_with("W/"));
        strong.or(self.modified.as_deref())
    }

    /// Whether an answer is the rest of this archive from this byte on.
    fn is_continued_by(&self, begun: u64, headers: &HeaderMap) -> bool {
        let range = header(headers, "content-range").and_then(|range| range.strip_prefix("bytes "));
        let Some((span, size)) = range.and_then(|range| range.split_once('/')) else {
            return false;
        };
        let same = |known: &Option<String>, name| match (known, header(headers, name)) {
            (Some(known), Some(now)) => known == now,
            _ => true,
        };
        let size = size.parse().ok();
        span.split_once('-').and_then(|(first, _)| first.parse().ok()) == Some(begun)
            && (self.size.is_none() || size.is_none() || self.size == size)
            && same(&self.etag, "etag")
            && same(&self.modified, "last-modified")
    }
}

fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// Asks servers for archives.
pub struct Client {
    agent: Agent,
}

impl Client {
    /// One that gives up when nothing arrives for so long.
    pub fn new(patience: Duration) -> Client {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(MAX_REDIRECTS)
            .user_agent(concat!("tickstar/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(LOOKING_UP))
            .timeout_connect(Some(CONNECTING))
            .timeout_recv_response(Some(patience))
            .timeout_per_read(Some(patience))
            .build();
        Client { agent: config.into() }
    }

    /// Downloads an archive, or the rest of it. Returns whether a part of it is from an earlier run.
    pub fn fetch(
        &self,
        address: &str,
        part: &Part,
        bar: &ProgressBar,
    ) -> Result<bool, DownloadError> {
        let begun = part.begun(address);
        if begun.as_ref().is_some_and(|(bytes, facts)| facts.size == Some(*bytes)) {
            return Ok(true);
        }
        let mut answer = self.ask(address, begun.as_ref())?;
        let continued = |(bytes, facts): &(u64, Facts)| {
            answer.status() == 206 && facts.is_continued_by(*bytes, answer.headers())
        };
        let resumed = begun.filter(continued);
        if resumed.is_none() && [206, 416].contains(&answer.status().as_u16()) {
            // The rest of another archive, or of none.
            answer = self.ask(address, None)?;
        }
        let status = answer.status().as_u16();
        let file = match (&resumed, status) {
            (Some(_), _) => part.resume()?,
            (None, 200) => part.begin(&Facts::new(address, answer.headers())?)?,
            (None, 404 | 410) => {
                return Err(DownloadError::Missing { address: address.into(), status });
            }
            (None, _) => return Err(DownloadError::Refused { address: address.into(), status }),
        };
        let was_resumed = resumed.is_some();
        let (begun, size) = resumed.map_or((0, None), |(bytes, facts)| (bytes, facts.size));
        let size = size.or_else(|| answer.body().content_length().map(|rest| begun + rest));
        bar.set_length(size.unwrap_or(0) >> 10);
        let mut receiver = Receiver { file, bytes: begun, part, address, bar };
        receiver.receive(answer.body_mut().as_reader())?;
        if size.is_some_and(|size| receiver.bytes < size) {
            return Err(receiver.broken_off("the server closed the connection"));
        }
        Ok(was_resumed)
    }

    /// Asks for an archive, or for the rest of it if it is still the same.
    fn ask(
        &self,
        address: &str,
        begun: Option<&(u64, Facts)>,
    ) -> Result<Response<Body>, DownloadError> {
        let mut request = self.agent.get(address);
        if let Some((bytes, facts)) = begun {
            request = request.header("Range", format!("bytes={bytes}-"));
            if let Some(validator) = facts.validator() {
                request = request.header("If-Range", validator);
            }
        }
        request.call().map_err(|error| {
            let address = address.to_string();
            let reason = reason(&error);
            if is_unreachable(&error) {
                DownloadError::Unreachable { address, reason }
            } else {
                DownloadError::Answer { address, reason }
            }
        })
    }
}

/// Writes what arrives to a file.
struct Receiver<'a> {
    file: File,
    /// How many are in the file.
    bytes: u64,
    part: &'a Part,
    address: &'a str,
    bar: &'a ProgressBar,
}

impl Receiver<'_> {
    fn receive(&mut self, mut from: impl Read) -> Result<(), DownloadError> {
        let mut buffer = vec![0; 1 << 16];
        loop {
            self.bar.set_position(self.bytes >> 10);
            match from.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(count) => self.write(&buffer[..count])?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.broken_off(&reason(&ureq::Error::from(error)))),
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), DownloadError> {
        self.bytes += bytes.len() as u64;
        if self.bytes > MAX_BYTES {
            self.part.discard();
            return Err(DownloadError::TooLarge { address: self.address.into() });
        }
        self.file.write_all(bytes).map_err(failed(&self.part.bytes))
    }

    fn broken_off(&self, reason: &str) -> DownloadError {
        let (address, bytes) = (self.address.to_string(), self.bytes);
        DownloadError::BrokenOff { address, bytes, reason: reason.to_string() }
    }
}

/// Whether no server was there to answer.
fn is_unreachable(error: &ureq::Error) -> bool {
    use io::ErrorKind as Kind;
    match error {
        ureq::Error::HostNotFound
        | ureq::Error::ConnectionFailed
        | ureq::Error::ConnectProxyFailed(_)
        | ureq::Error::Timeout(ureq::Timeout::Resolve | ureq::Timeout::Connect) => true,
        // A name that cannot be looked up has no kind of its own; a server that hangs up has.
        ureq::Error::Io(error) => !matches!(
            error.kind(),
            Kind::UnexpectedEof
                | Kind::ConnectionReset
                | Kind::ConnectionAborted
                | Kind::BrokenPipe
                | Kind::InvalidData
        ),
        _ => false,
    }
}

/// What went wrong, in words.
fn reason(error: &ureq::Error) -> String {
    use ureq::Timeout;
    let text = match error {
        ureq::Error::HostNotFound => "its name is not known",
        ureq::Error::Timeout(Timeout::Resolve) => "its name could not be looked up in time",
        ureq::Error::Timeout(Timeout::Connect) => "it did not accept a connection in time",
        ureq::Error::Timeout(_) => "nothing arrived for too long",
        ureq::Error::TooManyRedirects => "it redirects too often",
        ureq::Error::Io(error) => match error.kind() {
            io::ErrorKind::ConnectionRefused => "it refuses connections",
            io::ErrorKind::UnexpectedEof => "the server closed the connection",
            io::ErrorKind::ConnectionReset => "the server reset the connection",
            _ => return text::refusal(error),
        },
        error => return text::escaped(&error.to_string()).chars().take(200).collect(),
    };
    text.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn only_the_rest_of_the_same_archive_is_appended() {
        let facts = Facts {
            size: Some(100),
            etag: Some("\"a\"".into()),
            modified: Some("Monday".into()),
            ..Facts::default()
        };
        let continued = |pairs: &[(&'static str, &str)]| facts.is_continued_by(40, &headers(pairs));
        assert!(continued(&[("content-range", "bytes 40-99/100")]));
        assert!(continued(&[("content-range", "bytes 40-99/*"), ("etag", "\"a\"")]));
        assert!(!continued(&[]));
        for range in ["bytes 0-99/100", "bytes 40-98/99", "bytes */100", "40-99/100", "bytes"] {
            assert!(!continued(&[("content-range", range)]), "{range}");
        }
        for (name, value) in [("etag", "\"b\""), ("last-modified", "Tuesday")] {
            assert!(!continued(&[("content-range", "bytes 40-99/100"), (name, value)]), "{name}");
        }
    }

    #[test]
    fn weak_tags_are_not_sent() {
        let facts = |etag: &str, modified: Option<&str>| Facts {
            etag: Some(etag.into()),
            modified: modified.map(str::to_string),
            ..Facts::default()
        };
        assert_eq!(facts("\"a\"", Some("Monday")).validator(), Some("\"a\""));
        assert_eq!(facts("W/\"a\"", Some("Monday")).validator(), Some("Monday"));
        assert_eq!(facts("W/\"a\"", None).validator(), None);
    }
}
