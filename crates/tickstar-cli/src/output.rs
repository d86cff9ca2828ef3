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

/// Refuses to write two things to one file.
pub fn refuse_twice(a: Option<&Path>, b: Option<&Path>) -> Result<(), Failure> {
    let (Some(a), Some(b)) = (a, b) else { return Ok(()) };
    // The folder is there, even if the file is not yet.
    let place = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    };
    if is_same_file(a, b) || place(a).is_some_and(|a| place(b) == Some(a)) {
        return Err(Failure::usage(format!(
            "{}: this is named twice as the file to write: name another one",
            text::path(a)
        )));
    }
    Ok(())
}

/// Writes a file, all of it or none.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(|error| {
        // Half of it would be worse than nothing.
        if path.symlink_metadata().is_ok_and(|facts| facts.is_file()) {
            let _ = std::fs::remove_file(path);
        }
        Failure::writing(path, &error)
    })
}

/// Checks that a file can be written before the work begins, and leaves everything as it was.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    let is_new = path.symlink_metadata().is_err();
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.map_err(|error| Failure::writing(path, &error))?;
    if is_new {
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

/// A file of lines. Only whole lines are handed to the system, so that it has no half of one whenever the
/// program ends.
pub struct Lines {
    path: PathBuf,
    file: File,
    pending: Vec<u8>,
    /// The bytes handed over so far.
    written: u64,
}

impl Lines {
    /// The bytes that are written at once.
    const CHUNK: usize = 1 << 16;

    pub fn create(path: &Path) -> Result<Lines, Failure> {
        let file = File::create(path).map_err(|error| Failure::writing(path, &error))?;
        Ok(Lines { path: path.into(), file, pending: Vec::new(), written: 0 })
    }

    pub fn push(&mut self, line: impl std::fmt::Display) -> io::Result<()> {
        writeln!(self.pending, "{line}")?;
        if self.pending.len() >= Lines::CHUNK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Err(error) = self.file.write_all(&self.pending) {
            // A disk that is full may have taken half a line.
            let _ = self.file.set_len(self.written);
            return Err(error);
        }
        self.written += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }

    /// Writes what is left, and reports what went wrong before if something did.
    pub fn finish(mut self, written: io::Result<()>) -> Result<(), Failure> {
        let written = written.and_then(|()| self.flush());
        written.map_err(|error| Failure::writing(&self.path, &error))
    }
}
