//! Taking files out of an archive: each one whole and as it should be, or not at all.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use thiserror::Error;
use tickstar_lab::text;
use zip::ZipArchive;
use zip::result::ZipError;

use super::list::Wanted;

/// No file of the benchmark is nearly as large: what is larger was made to fill the disk.
const MAX_BYTES: u64 = 64 << 20;

/// Why a file did not come out of an archive.
#[derive(Debug, Error)]
pub enum UnpackError {
    #[error("{archive}: this is not a sound zip archive: {reason}")]
    NotAnArchive { archive: String, reason: String },
    #[error("{archive}: there is no {name} in it")]
    Missing { archive: String, name: String },
    #[error("{archive}: {name} cannot be unpacked: {reason}")]
    Damaged { archive: String, name: String, reason: String },
    #[error("{archive}: {name} is larger than {} MB, which no map should be", MAX_BYTES >> 20)]
    TooLarge { archive: String, name: String },
    #[error(
        "{archive}: {name} is another file than the list's: expected SHA-256 {expected}, found {found}"
    )]
    OtherHash { archive: String, name: String, expected: String, found: String },
    /// This is about our own disk.
    #[error("{}: cannot be written: {}", text::path(path), text::refusal(reason))]
    Writing { path: PathBuf, reason: io::Error },
}

/// The SHA-256 of a file, in hexadecimal digits; none if it cannot be read.
pub fn hash(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let mut digest = Digesting { digest: Sha256::new(), to: io::sink() };
    io::copy(&mut file, &mut digest).ok()?;
    Some(digest.finish())
}

/// Takes files out of an archive, called so in messages, and puts them below a folder. Returns what became of each,
/// in order.
pub fn unpack(
    archive: &Path,
    name: &str,
    files: &[&Wanted],
    folder: &Path,
) -> Result<Vec<Result<(), UnpackError>>, UnpackError> {
    let broken = |error: &ZipError| UnpackError::NotAnArchive {
        archive: name.to_string(),
        reason: reason(error),
    };
    let opened = File::open(archive).map_err(|error| broken(&ZipError::Io(error)))?;
    let mut archive = ZipArchive::new(BufReader::new(opened)).map_err(|error| broken(&error))?;
    let members = members(&archive);
    let unpack = |file: &&Wanted| {
        let members = members.get(&file.name).map_or(&[][..], Vec::as_slice);
        unpack_one(&mut archive, name, members, file, folder)
    };
    Ok(files.iter().map(unpack).collect())
}

/// Where in the archive the files of each name are. Folders do not count, so nothing can be put outside of ours.
fn members<R: Read + io::Seek>(archive: &ZipArchive<R>) -> HashMap<String, Vec<usize>> {
    let mut members: HashMap<_, Vec<_>> = HashMap::new();
    for index in 0..archive.len() {
        let Some(Ok(name)) = archive.name_for_index(index) else { continue };
        let base = name.rsplit(['/', '\\']).next().unwrap_or_default();
        members.entry(base.to_string()).or_default().push(index);
    }
    members
}

/// Takes one file out: the first of these members that is what it should be.
fn unpack_one<R: Read + io::Seek>(
    archive: &mut ZipArchive<R>,
    archive_name: &str,
    members: &[usize],
    file: &Wanted,
    folder: &Path,
) -> Result<(), UnpackError> {
    let (place, name) = (folder.join(&file.folder), file.name.clone());
    // The same name each time: what a run that was killed left behind is overwritten.
    let new = place.join(format!("{name}.new"));
    let mut result = Err(UnpackError::Missing { archive: archive_name.to_string(), name });
    for &index in members {
        result = write_member(archive, archive_name, index, file, &new);
        match result {
            Ok(()) => {
                let path = place.join(&file.name);
                result =
                    fs::rename(&new, &path).map_err(|reason| UnpackError::Writing { path, reason });
                break;
            }
            Err(UnpackError::Writing { .. }) => break,
            Err(_) => {}
        }
    }
    if result.is_err() {
        let _ = fs::remove_file(&new);
    }
    result
}

/// Writes a member to a file, if it is what it should be; else what is written is to be removed.
fn write_member<R: Read + io::Seek>(
    archive: &mut ZipArchive<R>,
    archive_name: &str,
    index: usize,
    file: &Wanted,
    to: &Path,
) -> Result<(), UnpackError> {
    let (archive_name, name) = (archive_name.to_string(), file.name.clone());
    let writing = |reason| UnpackError::Writing { path: to.into(), reason };
    let member = match archive.by_index(index) {
        Ok(member) => member,
        Err(error) => {
            let reason = reason(&error);
            return Err(UnpackError::Damaged { archive: archive_name, name, reason });
        }
    };
    // What an archive says of its sizes need not be true.
    let mut member = member.take(MAX_BYTES + 1);
    let folder = to.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .map_err(|reason| UnpackError::Writing { path: folder.into(), reason })?;
    let mut out = Digesting { digest: Sha256::new(), to: File::create(to).map_err(writing)? };
    let mut bytes = 0;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match member.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => {
                bytes += count as u64;
                out.write_all(&buffer[..count]).map_err(writing)?;
            }
            Err(error) => {
                let reason = text::refusal(&error);
                return Err(UnpackError::Damaged { archive: archive_name, name, reason });
            }
        }
    }
    if bytes > MAX_BYTES {
        return Err(UnpackError::TooLarge { archive: archive_name, name });
    }
    // On the disk before it has its name: a machine that loses power keeps no half of it.
    out.to.sync_all().map_err(writing)?;
    let found = out.finish();
    match &file.hash {
        Some(expected) if *expected != found => {
            let expected = expected.clone();
            Err(UnpackError::OtherHash { archive: archive_name, name, expected, found })
        }
        _ => Ok(()),
    }
}

/// Hashes what is written.
struct Digesting<W> {
    digest: Sha256,
    to: W,
}

impl<W> Digesting<W> {
    fn finish(self) -> String {
        self.digest.finalize().iter().fold(String::new(), |mut hash, byte| {
            let _ = write!(hash, "{byte:02x}");
            hash
        })
    }
}

impl<W: Write> Write for Digesting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.to.write(bytes)?;
        self.digest.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

fn reason(error: &ZipError) -> String {
    match error {
        ZipError::Io(error) => text::refusal(error),
        error => text::escaped(&error.to_string()).chars().take(200).collect(),
    }
}
