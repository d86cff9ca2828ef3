//! The experiments of four papers, and what they show: `tickstar reproduce`. For each paper a file says what is run
//! and how its claims are judged; the rules are in `claim`, and what was measured in `evidence`.

mod claim;
mod evidence;
mod figures;
mod folder;
pub mod html;
pub mod pages;
mod pra;
pub mod report;
mod setup;
mod tba;
mod tbaa;
mod tbbfs;
pub mod times;
mod write;

use std::fmt;
use std::str::FromStr;

pub use self::evidence::{Evidence, Kept};
pub use self::folder::{Folder, FolderError, report_of_kept};
use self::report::{PaperReport, Report};
pub use self::setup::{Maps, MapsError, Settings, Size, check_maps};
pub use self::write::Written;
use crate::experiment::Experiment;
use crate::text::{hint, quoted};

/// A paper whose experiments can be run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Paper {
    /// Sturtevant and Buro, 2005.
    Pra,
    /// Björnsson, Bulitko and Sturtevant, 2009.
    Tba,
    /// Hernández, Baier, Uras and Koenig, 2012.
    Tbaa,
    /// Hernández, Asín and Baier, 2014.
    Tbbfs,
}

impl Paper {
    /// Every paper, oldest first.
    pub const ALL: [Paper; 4] = [Paper::Pra, Paper::Tba, Paper::Tbaa, Paper::Tbbfs];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Paper::Pra => "pra",
            Paper::Tba => "tba",
            Paper::Tbaa => "tbaa",
            Paper::Tbbfs => "tbbfs",
        }
    }

    /// Its page in the folder `papers`.
    pub fn page(self) -> &'static str {
        match self {
            Paper::Pra => "2005-pra-star.md",
            Paper::Tba => "2009-tba-star.md",
            Paper::Tbaa => "2012-tbaa-star.md",
            Paper::Tbbfs => "2014-time-bounded-best-first.md",
        }
    }

    fn experiments(self, settings: &Settings) -> Vec<Experiment> {
        match self {
            Paper::Pra => pra::experiments(settings),
            Paper::Tba => tba::experiments(settings),
            Paper::Tbaa => tbaa::experiments(settings),
            Paper::Tbbfs => tbbfs::experiments(settings),
        }
    }

    fn report(self, settings: &Settings, evidence: &mut Evidence<'_>) -> PaperReport {
        match self {
            Paper::Pra => pra::report(settings, evidence),
            Paper::Tba => tba::report(settings, evidence),
            Paper::Tbaa => tbaa::report(settings, evidence),
            Paper::Tbbfs => tbbfs::report(settings, evidence),
        }
    }
}

impl fmt::Display for Paper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Paper {
    type Err = String;

    fn from_str(text: &str) -> Result<Paper, String> {
        let found = Paper::ALL.into_iter().find(|paper| paper.name() == text);
        let names = ["all"].into_iter().chain(Paper::ALL.map(Paper::name));
        found.ok_or_else(|| format!("there is no paper `{}`: {}", quoted(text), hint(text, names)))
    }
}

/// All experiments of the papers, in the order in which they are run.
pub fn experiments(settings: &Settings) -> Vec<Experiment> {
    settings.papers.iter().flat_map(|paper| paper.experiments(settings)).collect()
}

/// What the evidence shows.
pub fn report(settings: &Settings, evidence: &mut Evidence<'_>) -> Report {
    let papers: Vec<_> =
        settings.papers.iter().map(|paper| paper.report(settings, evidence)).collect();
    let title = match papers.len() {
        1 => "tickstar: a paper reproduced",
        2 => "tickstar: two papers reproduced",
        3 => "tickstar: three papers reproduced",
        _ => "tickstar: four papers reproduced",
    };
    Report { title, about: settings.about(), papers }
}
