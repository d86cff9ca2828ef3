//! Courses as data: which map, which problems and which world, opened only when they are run.

use std::fmt::{self, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use thiserror::Error;
use tickstar::Grid;
use tickstar::space::Corners;

use super::Course;
use crate::buckets::{Buckets, by_length};
use crate::files::{self, FileError};
use crate::generate::{Kind, generate, random_cells, random_problems};
use crate::{Arena, WorldKind, text};

/// A map, the problems to solve on it, and the world, as data.
#[derive(Clone, PartialEq, Debug)]
pub struct CoursePlan {
    /// The map.
    pub map: MapSource,
    /// Whether a diagonal step may pass the corner of a blocked cell.
    pub corners: Corners,
    /// The problems.
    pub problems: ProblemSource,
    /// What the agent knows of the map, and how it changes.
    pub world: WorldKind,
    /// The seed of the world.
    pub seed: u64,
}

/// Where a map comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MapSource {
    /// A file.
    File(PathBuf),
    /// Made from a seed.
    Generated {
        /// What kind of map.
        kind: Kind,
        /// Its width and height.
        side: u32,
        /// The seed.
        seed: u64,
    },
    /// Single cells blocked at random.
    Random {
        /// How many of a hundred.
        percent: u32,
        /// Its width and height.
        side: u32,
        /// The seed.
        seed: u64,
    },
}

/// Where the problems on a map come from.
#[derive(Clone, PartialEq, Debug)]
pub enum ProblemSource {
    /// The first lines of a list of problems.
    List {
        /// The list, as text.
        text: &'static str,
        /// Its name, for messages.
        name: &'static str,
        /// How many.
        take: usize,
    },
    /// Pairs of cells drawn at random.
    Random {
        /// How many.
        count: usize,
        /// The seed.
        seed: u64,
    },
    /// The same number for each length of a shortest path.
    ByLength(Buckets),
}

impl MapSource {
    /// What the map is called in records: neither its folder nor its kind of file.
    pub fn name(&self) -> String {
        match self {
            MapSource::File(path) => {
                let stem = path.file_stem().unwrap_or(path.as_os_str());
                text::escaped(&stem.to_string_lossy())
            }
            MapSource::Generated { kind, side, seed } => format!("{kind}-{side}-{seed}"),
            MapSource::Random { percent, side, seed } => format!("random{side}-{percent}-{seed}"),
        }
    }

    /// The map, and the SHA-256 of its file, or of the file it would have.
    fn open(&self) -> Result<(Grid, String), OpenError> {
        Ok(match *self {
            MapSource::File(ref path) => {
                let grid = files::read_map(path)?;
                (grid, hash(&files::read(path)?))
            }
            MapSource::Generated { kind, side, seed } => {
                with_hash(generate(kind, side, side, seed)?)
            }
            MapSource::Random { percent, side, seed } => {
                with_hash(random_cells(side, side, percent, seed)?)
            }
        })
    }
}

fn with_hash(grid: Grid) -> (Grid, String) {
    let hash = hash(grid.to_map().as_bytes());
    (grid, hash)
}

/// The SHA-256 of bytes, as hexadecimal digits.
pub fn hash(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

impl ProblemSource {
    /// The most problems there can be.
    pub fn most(&self) -> usize {
        match self {
            ProblemSource::List { take: count, .. } | ProblemSource::Random { count, .. } => *count,
            ProblemSource::ByLength(buckets) => buckets.count * buckets.each,
        }
    }
}

/// Why a course cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Its map or its list of problems cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Its map cannot be made.
    #[error(transparent)]
    Generate(#[from] crate::generate::GenerateError),
}

impl CoursePlan {
    /// Its name: the map's.
    pub fn name(&self) -> String {
        self.map.name()
    }

    /// Reads or makes the map, and its problems.
    ///
    /// # Errors
    /// When a file cannot be read, or a map of this size cannot be made.
    pub fn open(&self) -> Result<Course, OpenError> {
        let (grid, map_hash) = self.map.open()?;
        let grid = grid.with_corners(self.corners);
        let problems = match &self.problems {
            ProblemSource::List { text, name, take } => {
                let mut all = files::parse_problems(Path::new(name), text.as_bytes(), &grid)?;
                all.truncate(*take);
                all
            }
            ProblemSource::Random { count, seed } => random_problems(&grid, *count, *seed),
            ProblemSource::ByLength(buckets) => by_length(&grid, *buckets),
        };
        let arena = Arena::new(&self.world, &grid, self.seed)?;
        Ok(Course { name: self.name(), map_hash, arena, problems })
    }
}

/// In words, as far as it is the same on every machine: without the map's folder.
impl fmt::Display for CoursePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let corners = if self.corners == Corners::Never { "never" } else { "allowed" };
        let CoursePlan { world, seed, .. } = self;
        write!(f, "{} {world} seed {seed} corners {corners}, ", self.name())?;
        match &self.problems {
            ProblemSource::List { name, take, .. } => write!(f, "{take} of the list {name}"),
            ProblemSource::Random { count, seed } => write!(f, "{count} random, seed {seed}"),
            ProblemSource::ByLength(Buckets { from, width, count, each, seed }) => {
                write!(f, "{each} for each of {count} lengths of {width} from {from}, seed {seed}")
            }
        }
    }
}
