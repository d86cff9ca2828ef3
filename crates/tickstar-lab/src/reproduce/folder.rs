//! The folder of a reproduction: what is run (`run.json`), the records (`records`), and the report made from them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use thiserror::Error;

use super::report::Report;
use super::{Evidence, Kept, Maps, Paper, Settings, Size, experiments, report};
use crate::experiment::{
    Contestant, Experiment, ResultsError, Store, StoreError, remove_halves, write_whole,
};
use crate::text;

/// A folder with what a reproduction has run and found.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    settings: Settings,
    experiments: Vec<Experiment>,
}

/// Why a folder cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// A file cannot be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Records are missing or wrong.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// Nothing was run there.
    #[error(
        "{}: there is no `run.json`: this is not a folder of `tickstar reproduce`",
        text::path(path)
    )]
    NotOne {
        /// The folder.
        path: PathBuf,
    },
    /// Something else was run there.
    #[error(
        "{}: this folder has another run ({found}): name another folder, or delete this one",
        text::path(path)
    )]
    Other {
        /// The folder.
        path: PathBuf,
        /// What was run.
        found: String,
    },
    /// It was run by another version.
    #[error(
        "{}: these records are of version {found}, this is {}: use the same version for all of a run",
        text::path(path),
        env!("CARGO_PKG_VERSION")
    )]
    Version {
        /// The folder.
        path: PathBuf,
        /// The version.
        found: String,
    },
    /// A figure cannot be drawn.
    #[error("a figure cannot be drawn: {0}")]
    Draw(String),
}

impl Folder {
    /// The folder for a run with these settings: a new one, or one in which the same run was stopped.
    ///
    /// # Errors
    /// When it has another run, or cannot be written.
    pub fn create(path: &Path, settings: Settings) -> Result<Folder, FolderError> {
        let experiments = experiments(&settings);
        let folder = Folder { path: path.into(), settings, experiments };
        if let Some(found) = folder.found()? {
            folder.check(&found)?;
        } else {
            let text = format!("{:#}\n", folder.description());
            write_whole(&folder.run_file(), text.as_bytes())?;
        }
        remove_halves(path)?;
        Ok(folder)
    }

    /// A folder in which something was run.
    ///
    /// # Errors
    /// When nothing was, or by another version.
    pub fn open(path: &Path) -> Result<Folder, FolderError> {
        let file = path.join("run.json");
        let not_one = || FolderError::NotOne { path: path.into() };
        let text = fs::read_to_string(&file).map_err(|_| not_one())?;
        let found: Value = serde_json::from_str(&text).map_err(|_| not_one())?;
        let settings = settings(&found).ok_or_else(not_one)?;
        let experiments = experiments(&settings);
        let folder = Folder { path: path.into(), settings, experiments };
        folder.check(&found)?;
        Ok(folder)
    }

    fn run_file(&self) -> PathBuf {
        self.path.join("run.json")
    }

    /// What is said of the run that was begun there, if one was.
    fn found(&self) -> Result<Option<Value>, FolderError> {
        let path = self.path.clone();
        match fs::read_to_string(self.run_file()) {
            Ok(text) => match serde_json::from_str(&text) {
                Ok(found) => Ok(Some(found)),
                Err(_) => Err(FolderError::Other { path, found: "unreadable".into() }),
            },
            Err(_) => Ok(None),
        }
    }

    /// Checks that what is there is this run.
    fn check(&self, found: &Value) -> Result<(), FolderError> {
        let path = self.path.clone();
        let version = found["version"].as_str().unwrap_or_default();
        if version != env!("CARGO_PKG_VERSION") {
            return Err(FolderError::Version { path, found: text::quoted(version) });
        }
        if *found == self.description() {
            return Ok(());
        }
        let papers = found["papers"].as_array().map(Vec::as_slice).unwrap_or_default();
        let papers: Vec<_> = papers.iter().filter_map(Value::as_str).map(text::quoted).collect();
        let word = |key: &str| text::quoted(found[key].as_str().unwrap_or("unknown"));
        let found = format!("{}, {}, {} maps", papers.join(" "), word("size"), word("maps"));
        Err(FolderError::Other { path, found })
    }

    /// What is run, as data: two folders can be merged, and a run be continued, if this is the same.
    fn description(&self) -> Value {
        let each = self.experiments.iter().map(|experiment| {
            let courses: Vec<_> = experiment.courses.iter().map(ToString::to_string).collect();
            let contestants: Vec<_> =
                experiment.contestants().iter().map(Contestant::key).collect();
            let (name, block) = (&experiment.name, experiment.block);
            json!({ "name": name, "block": block, "courses": courses, "contestants": contestants })
        });
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "papers": self.settings.papers.iter().map(|paper| paper.name()).collect::<Vec<_>>(),
            "size": self.settings.size.name(),
            "maps": self.settings.maps.name(),
            "experiments": each.collect::<Vec<_>>(),
        })
    }

    /// The experiments.
    pub fn experiments(&self) -> &[Experiment] {
        &self.experiments
    }

    /// The experiments, to be changed before they are run.
    pub fn experiments_mut(&mut self) -> &mut [Experiment] {
        &mut self.experiments
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The records.
    pub fn store(&self) -> Store {
        Store::new(self.path.join("records"))
    }

    /// A folder for the records of several others, which are parts of the same run.
    ///
    /// # Errors
    /// When they are of different runs, or a part is in several of them with different records.
    pub fn merge(folders: &[Folder], path: &Path) -> Result<Folder, FolderError> {
        let first = &folders[0];
        for other in folders {
            other.check(&first.description())?;
        }
        let merged = Folder::create(path, first.settings.clone())?;
        for other in folders {
            for experiment in &merged.experiments {
                experiment.merge(&merged.store(), &other.store())?;
            }
        }
        Ok(merged)
    }

    /// What the records show, with the evidence for it.
    ///
    /// # Errors
    /// When records are missing.
    pub fn report(&self) -> Result<(Report, Kept), FolderError> {
        let store = self.store();
        let mut evidence = Evidence::of_records(&self.experiments, &store);
        let report = report(&self.settings, &mut evidence);
        let kept = evidence.keep(self.summary());
        evidence.check()?;
        Ok((report, kept))
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What was run, without the lists of contestants and courses.
    pub(super) fn summary(&self) -> Value {
        let mut summary = self.description();
        if let Some(keys) = summary.as_object_mut() {
            keys.shift_remove("experiments");
        }
        summary
    }
}

/// The settings of a run as they are described. The folder of the benchmark's maps is not known.
pub(super) fn settings(found: &Value) -> Option<Settings> {
    let papers = found["papers"].as_array()?.iter();
    let papers = papers.map(|name| name.as_str()?.parse::<Paper>().ok()).collect::<Option<_>>()?;
    let sizes = [Size::Quick, Size::Sample, Size::Full];
    let size = sizes.into_iter().find(|size| found["size"] == size.name())?;
    let maps = [Maps::Generated, Maps::Benchmark(PathBuf::new())];
    let maps = maps.into_iter().find(|maps| found["maps"] == maps.name())?;
    Some(Settings { papers, size, maps })
}

/// The report that kept evidence gives.
///
/// Returns what is missing in it, if anything is.
///
/// # Errors
/// When the evidence does not say what was run, or lacks something: the names.
pub fn report_of_kept(kept: &Kept) -> Result<(Settings, Report), Vec<String>> {
    let settings = settings(&kept.run).ok_or_else(|| vec!["what was run".to_string()])?;
    let mut evidence = Evidence::of_kept(kept);
    let report = report(&settings, &mut evidence);
    let missing = evidence.missing().to_vec();
    if missing.is_empty() { Ok((settings, report)) } else { Err(missing) }
}
