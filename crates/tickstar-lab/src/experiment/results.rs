//! The records of an experiment in memory: the values of each metric, problem by problem.

use std::collections::BTreeMap;

use thiserror::Error;

use super::store::Place;
use super::{Experiment, RecordTable, Store, StoreError, TableError, table};
use crate::text;

/// The values of an experiment: for each metric a number per problem and contestant.
#[derive(Clone, PartialEq, Debug)]
pub struct Results {
    /// The experiment's name.
    pub experiment: String,
    /// The course of each problem.
    courses: Vec<usize>,
    contestants: usize,
    /// By metric; by problem, and for each in the order of contestants. Not a number: no value.
    values: BTreeMap<String, Vec<f64>>,
}

/// Why results cannot be read.
#[derive(Debug, Error)]
pub enum ResultsError {
    /// Parts are missing.
    #[error(
        "{missing} of {} of the records of {experiment} are missing: run the same command with the same folder to \
         continue",
        text::counted(*all, "part")
    )]
    Incomplete {
        /// The experiment.
        experiment: String,
        /// How many parts are missing.
        missing: usize,
        /// How many there are.
        all: usize,
    },
    /// A part cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A part is not what it should be.
    #[error("{path}: {reason}")]
    Table {
        /// The file.
        path: String,
        /// What is wrong.
        reason: TableError,
    },
    /// A part is of another experiment.
    #[error("{path}: the records of another experiment; use a folder of its own for each run")]
    Other {
        /// The file.
        path: String,
    },
}

impl Experiment {
    /// All stored records as CSV.
    ///
    /// # Errors
    /// When a part is missing, or cannot be read.
    pub fn csv(&self, store: &Store) -> Result<String, ResultsError> {
        let mut text = RecordTable::default().csv();
        for place in self.complete(store)? {
            let lines = table::csv_lines(store.read(&self.name, place)?);
            let path = text::path(&store.path(&self.name, place));
            text += &lines.map_err(|reason| ResultsError::Table { path, reason })?;
        }
        Ok(text)
    }

    /// The places of all parts, if they are stored.
    fn complete(&self, store: &Store) -> Result<Vec<Place>, ResultsError> {
        let all: Vec<_> = self.places().collect();
        let missing = all.iter().filter(|&&place| !store.has(&self.name, place)).count();
        if missing == 0 {
            return Ok(all);
        }
        Err(ResultsError::Incomplete { experiment: self.name.clone(), missing, all: all.len() })
    }
}

impl Results {
    /// Reads these metrics of all records of an experiment from several stores, which together have all of its
    /// parts.
    ///
    /// # Errors
    /// When a part is missing, or is not of this experiment.
    pub fn read(
        experiment: &Experiment,
        store: &Store,
        metrics: &[&str],
    ) -> Result<Results, ResultsError> {
        let name = &experiment.name;
        let all = experiment.complete(store)?;
        let contestants = experiment.contestants().len();
        let keys = ["course", "problem", "contestant"];
        let names: Vec<&str> = keys.into_iter().chain(metrics.iter().copied()).collect();
        let mut results = Results {
            experiment: name.clone(),
            courses: Vec::new(),
            contestants,
            values: metrics.iter().map(|metric| ((*metric).to_string(), Vec::new())).collect(),
        };
        for place in all {
            let path = || text::path(&store.path(name, place));
            let read = table::read(store.read(name, place)?, &names);
            let columns = read.map_err(|reason| ResultsError::Table { path: path(), reason })?;
            let expected = |row: usize| (place.0, row % contestants.max(1));
            let fits = |row| (columns[0][row], columns[2][row]) == pair(expected(row));
            let rows = columns[0].len();
            if rows % contestants.max(1) != 0 || !(0..rows).all(fits) {
                return Err(ResultsError::Other { path: path() });
            }
            results.courses.extend(std::iter::repeat_n(place.0, rows / contestants.max(1)));
            for (name, column) in names.iter().zip(columns).skip(keys.len()) {
                results.values.get_mut(*name).into_iter().for_each(|all| all.extend(&column));
            }
        }
        Ok(results)
    }

    /// The number of problems.
    pub fn problems(&self) -> usize {
        self.courses.len()
    }

    /// The course of each problem.
    pub fn courses(&self) -> &[usize] {
        &self.courses
    }

    /// The values of a metric for one contestant, by problem. Not a number: no value.
    ///
    /// # Panics
    /// When the metric was not read.
    pub fn values(&self, metric: &str, contestant: usize) -> Vec<f64> {
        let values = self.values.get(metric).unwrap_or_else(|| panic!("`{metric}` was not read"));
        values.iter().skip(contestant).step_by(self.contestants.max(1)).copied().collect()
    }
}

fn pair((a, b): (usize, usize)) -> (f64, f64) {
    (a as f64, b as f64)
}
