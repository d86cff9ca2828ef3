//! The parts in which the records of an experiment are kept on disk: files that are there as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::text;

/// A folder of records: a folder per experiment, with a file in Parquet per block of problems.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// A file that cannot be written or read.
#[derive(Debug, Error)]
#[error("{}: cannot be {action}: {}", text::path(path), text::refusal(reason))]
pub struct StoreError {
    path: PathBuf,
    action: &'static str,
    reason: io::Error,
}

/// The place of a part: the numbers of its course, and of its block there.
pub(super) type Place = (usize, usize);

impl Store {
    /// The records in this folder, which need not be there yet.
    pub fn new(folder: impl Into<PathBuf>) -> Store {
        Store { folder: folder.into() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of a part.
    pub(super) fn path(&self, experiment: &str, (course, block): Place) -> PathBuf {
        self.folder.join(experiment).join(format!("{course:03}-{block:03}.parquet"))
    }

    pub(super) fn has(&self, experiment: &str, place: Place) -> bool {
        self.path(experiment, place).is_file()
    }

    pub(super) fn read(&self, experiment: &str, place: Place) -> Result<Vec<u8>, StoreError> {
        let path = self.path(experiment, place);
        fs::read(&path).map_err(|reason| StoreError { path, action: "read", reason })
    }

    /// Adds the parts of an experiment that another store has. Parts that both have must be the same.
    ///
    /// # Errors
    /// When a part cannot be read or written, or differs.
    pub(super) fn take(
        &self,
        experiment: &str,
        other: &Store,
        place: Place,
    ) -> Result<(), StoreError> {
        if !other.has(experiment, place) {
            return Ok(());
        }
        let bytes = other.read(experiment, place)?;
        if !self.has(experiment, place) {
            return self.write(experiment, place, &bytes);
        }
        if self.read(experiment, place)? == bytes {
            return Ok(());
        }
        let path = other.path(experiment, place);
        let reason = io::Error::other("its records differ from those of another folder");
        Err(StoreError { path, action: "merged", reason })
    }

    pub(super) fn write(
        &self,
        experiment: &str,
        place: Place,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        write_whole(&self.path(experiment, place), bytes)
    }
}

/// Writes a file so that it is there as a whole or not at all, whenever the program or the machine ends. Folders
/// that are missing are made.
///
/// # Errors
/// When it cannot be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // Several processes may write the same part at the same time.
    let half = path.with_file_name(format!(".{name}.{}.half", std::process::id()));
    let write = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = File::create(&half)?;
        file.write_all(bytes)?;
        // Before the name changes: after a loss of power there is otherwise a name without a content.
        file.sync_all()?;
        fs::rename(&half, path)
    };
    write().map_err(|reason| {
        let _ = fs::remove_file(&half);
        StoreError { path: path.to_path_buf(), action: "written", reason }
    })
}

/// Removes what a process that was killed has left half written in a folder.
///
/// # Errors
/// When a file cannot be removed.
pub fn remove_halves(folder: &Path) -> Result<(), StoreError> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_half = name.starts_with('.') && name.ends_with(".half");
        if path.is_dir() {
            remove_halves(&path)?;
        } else if is_half && let Err(reason) = fs::remove_file(&path) {
            return Err(StoreError { path, action: "removed", reason });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_whole_and_halves_are_removed() {
        let folder = std::env::temp_dir().join(format!("tickstar-store-{}", std::process::id()));
        let store = Store::new(&folder);
        store.write("trial", (1, 2), b"part").unwrap();
        assert!(store.has("trial", (1, 2)) && !store.has("trial", (1, 3)));
        assert_eq!(store.read("trial", (1, 2)).unwrap(), b"part");
        let half = folder.join("trial").join(".001-003.parquet.77.half");
        fs::write(&half, b"pa").unwrap();
        remove_halves(&folder).unwrap();
        assert!(!half.exists() && store.has("trial", (1, 2)));
        // A folder where the file should be.
        fs::create_dir_all(store.path("trial", (0, 0))).unwrap();
        let error = store.write("trial", (0, 0), b"part").unwrap_err().to_string();
        assert!(error.contains("000-000.parquet: cannot be written: "), "{error}");
        assert_eq!(fs::read_dir(folder.join("trial")).unwrap().count(), 2, "no half is left");
        fs::remove_dir_all(&folder).unwrap();
    }
}
