//! What can go wrong, and the exit code that says so.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use tickstar_lab::text::{self, quoted};

use crate::interrupt::STOPPED;

/// Why the command did not run to its end.
#[derive(Debug)]
pub enum Failure {
    /// The flags name something that does not exist or contradict each other: exit code 2.
    Usage(String),
    /// A file or a problem in it is bad: exit code 3.
    Input(String),
    /// Ctrl-C, with what was done until then: exit code 130.
    Stopped(String),
    /// The reader of our output has closed it.
    Closed,
}

impl Failure {
    pub fn usage(reason: impl Display) -> Failure {
        Failure::Usage(reason.to_string())
    }

    pub fn input(reason: impl Display) -> Failure {
        Failure::Input(reason.to_string())
    }

    /// The same, prefixed with what it is about.
    pub fn about(self, what: &str) -> Failure {
        match self {
            Failure::Usage(message) => Failure::Usage(format!("`{}`: {message}", quoted(what))),
            Failure::Input(message) => Failure::Input(format!("`{}`: {message}", quoted(what))),
            other @ (Failure::Stopped(_) | Failure::Closed) => other,
        }
    }

    /// The same, prefixed with the map it is about.
    pub fn on_map(self, map: &Path) -> Failure {
        let name = text::path(map);
        match self {
            Failure::Usage(message) => Failure::Usage(format!("{name}: {message}")),
            Failure::Input(message) => Failure::Input(format!("{name}: {message}")),
            other @ (Failure::Stopped(_) | Failure::Closed) => other,
        }
    }

    /// Ctrl-C before all problems were done.
    pub fn stopped(done: usize, problems: usize) -> Failure {
        Failure::stopped_at(done, problems, "problem")
    }

    /// Ctrl-C before all of something were done.
    pub fn stopped_at(done: usize, all: usize, what: &str) -> Failure {
        Failure::Stopped(format!("stopped: {done} of {} done, and kept", text::counted(all, what)))
    }

    /// A file that cannot be written.
    pub fn writing(path: &Path, error: &io::Error) -> Failure {
        let refusal = text::refusal(error);
        Failure::Input(format!("{}: cannot be written: {refusal}", text::path(path)))
    }

    pub fn report(self) -> ExitCode {
        let (message, code) = match self {
            Failure::Usage(message) => (message, 2),
            Failure::Input(message) => (message, 3),
            Failure::Stopped(message) => {
                say(&message);
                return ExitCode::from(STOPPED);
            }
            Failure::Closed => return ExitCode::SUCCESS,
        };
        // Quoted text is safe already; this is for what other libraries quote.
        say(&format!("error: {}", text::escaped(&message)));
        if code == 2 {
            say("See `tickstar --help` and `tickstar COMMAND --help`.");
        }
        ExitCode::from(code)
    }
}

/// Prints a line to standard error. If nobody can read it there is nothing to be done.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// An error while writing to standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Input(format!("cannot write the output: {}", text::refusal(&error))),
        }
    }
}
