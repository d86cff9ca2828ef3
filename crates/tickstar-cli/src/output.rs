//! Writing files: never over a file that is read, and whole lines only.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tickstar_lab::text;

use crate::failure::Failure;

/// Refuses to write over a file that the command reads, by whatever name.
pub fn refuse_overwriting<P: AsRef<Path>>(
    out: &Path,
    inputs: impl IntoIterator<Item = P>,
) -> Result<(), Failure> {
    let same = inputs.into_iter().find(|input| is_same_file(out, input.as_ref()));
    let Some(input) = same else { return Ok(()) };
    let (out, input) = (text::path(out), text::path(input.as_ref()));
    Err(Failure::usage(format!(
        "{out}: this would overwrite {input}, which is read: name another file"
    )))
}

/// Whether both are the same existing file, also through links.
#[cfg(unix)]
fn is_same_file(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |path: &Path| path.metadata().ok().map(|facts| (facts.dev(), facts.ino()));
    id(a).is_some() && id(a) == id(b)
}

/// Whether both are the same existing file, also through symbolic links.
#[cfg(not(unix))]
fn is_same_file(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(a).is_some() && real(a) == real(b)
}

/// Writes a file.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(|error| Failure::writing(path, &error))
}

/// Checks that a file can be written before the work begins. It is made if there is none, and not changed.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.map(|_| ()).map_err(|error| Failure::writing(path, &error))
}

/// A file of lines. Only whole lines are handed to the system, so that it has no half of one whenever the
/// program ends.
pub struct Lines {
    path: PathBuf,
    file: File,
    pending: Vec<u8>,
}

impl Lines {
    /// The bytes that are written at once.
    const CHUNK: usize = 1 << 16;

    pub fn create(path: &Path) -> Result<Lines, Failure> {
        let file = File::create(path).map_err(|error| Failure::writing(path, &error))?;
        Ok(Lines { path: path.into(), file, pending: Vec::new() })
    }

    pub fn push(&mut self, line: impl std::fmt::Display) -> io::Result<()> {
        writeln!(self.pending, "{line}")?;
        if self.pending.len() >= Lines::CHUNK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.pending)?;
        self.pending.clear();
        Ok(())
    }

    /// Writes what is left, and reports what went wrong before if something did.
    pub fn finish(mut self, written: io::Result<()>) -> Result<(), Failure> {
        let written = written.and_then(|()| self.flush());
        written.map_err(|error| Failure::writing(&self.path, &error))
    }
}
