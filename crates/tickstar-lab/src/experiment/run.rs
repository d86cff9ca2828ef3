//! Running what is missing of an experiment, and storing it block by block.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use rayon::prelude::*;
use thiserror::Error;

use super::store::Place;
use super::{
    Course, Experiment, ExperimentError, OpenError, RecordTable, Store, StoreError, TableError,
};
use crate::{FailedProblem, ProblemError, Record, Timing, text};

/// A part of the work: every `of`-th block, from the one of this number on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    number: usize,
    of: usize,
}

impl Shard {
    /// All of the work.
    pub const WHOLE: Shard = Shard { number: 0, of: 1 };

    fn has(self, nth: usize) -> bool {
        nth % self.of == self.number
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number + 1, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').map(|(nth, of)| (nth.parse::<usize>(), of.parse()));
        match parts {
            Some((Ok(nth), Ok(of))) if (1..=of).contains(&nth) && of <= 1000 => {
                Ok(Shard { number: nth - 1, of })
            }
            _ => {
                Err("expected I/N, such as 1/4 for the first of four parts (N at most 1000)".into())
            }
        }
    }
}

/// Why an experiment did not run to its end.
#[derive(Debug, Error)]
pub enum RunError {
    /// A course cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A contestant cannot be run.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    /// Records cannot be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Records cannot be encoded.
    #[error(transparent)]
    Table(#[from] TableError),
    /// It was stopped.
    #[error("stopped")]
    Stopped,
}

/// A block under way: the records of its problems as far as they are done.
type Pending = BTreeMap<Place, Vec<(usize, Vec<Record>)>>;

impl Experiment {
    /// The number of blocks of a course.
    fn blocks(&self, course: usize) -> usize {
        self.courses[course].problems.most().div_ceil(self.block).max(1)
    }

    /// The places of all parts, in order.
    pub(super) fn places(&self) -> impl Iterator<Item = Place> + '_ {
        let of = |course| (0..self.blocks(course)).map(move |block| (course, block));
        (0..self.courses.len()).flat_map(of)
    }

    /// The parts of a shard that are not stored yet.
    fn missing(&self, store: &Store, shard: Shard) -> Vec<Place> {
        let mine = self.places().enumerate().filter(|&(nth, _)| shard.has(nth));
        mine.map(|(_, place)| place).filter(|&place| !store.has(&self.name, place)).collect()
    }

    /// The problems of a block.
    fn problems(&self, (course, block): Place) -> Range<usize> {
        let most = self.courses[course].problems.most();
        (block * self.block).min(most)..((block + 1) * self.block).min(most)
    }

    /// Adds the parts that another store has to this one.
    ///
    /// # Errors
    /// When a part cannot be read or written, or both stores have it with different records.
    pub fn merge(&self, store: &Store, other: &Store) -> Result<(), StoreError> {
        self.places().try_for_each(|place| store.take(&self.name, other, place))
    }

    /// The number of problems that a shard has still to solve.
    pub fn problems_missing(&self, store: &Store, shard: Shard) -> usize {
        self.missing(store, shard).into_iter().map(|place| self.problems(place).len()).sum()
    }

    /// Runs the problems of a shard whose records are not stored yet, in parallel, and stores each block when it is
    /// complete. `progress` is called with the number of problems done since the last call, from any thread. What
    /// is stored does not depend on when it was stopped before, or on the number of threads.
    ///
    /// The cut-off is not applied: a contestant that exceeds it has records like any other.
    ///
    /// # Errors
    /// When it was stopped, or something cannot be run or stored. The blocks that are complete are kept.
    pub fn run_missing(
        &self,
        store: &Store,
        shard: Shard,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<(), RunError> {
        let missing = self.missing(store, shard);
        for nth in 0..self.courses.len() {
            let places: Vec<Place> =
                missing.iter().copied().filter(|&(course, _)| course == nth).collect();
            if !places.is_empty() {
                self.run_blocks(&places, store, progress)?;
            }
        }
        Ok(())
    }

    /// Runs blocks of one course.
    fn run_blocks(
        &self,
        places: &[Place],
        store: &Store,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<(), RunError> {
        let nth = places[0].0;
        let mut course = self.courses[nth].open()?;
        self.admit(&course)?;
        for contestant in self.contestants() {
            let prepared = course.arena.prepare(&contestant.config, |_| ());
            prepared.map_err(ExperimentError::from)?;
        }
        // A map may have fewer problems than were asked for.
        let has = |&problem: &usize| problem < course.problems.len();
        let lists = places.iter().map(|&place| (place, self.problems(place).filter(has).count()));
        let counts: BTreeMap<Place, usize> = lists.collect();
        for place in counts.iter().filter(|(_, count)| **count == 0).map(|(&place, _)| place) {
            store.write(&self.name, place, &RecordTable::default().parquet()?)?;
            progress(self.problems(place).len());
        }
        let work: Vec<(Place, usize)> = places
            .iter()
            .flat_map(|&place| self.problems(place).filter(has).map(move |nth| (place, nth)))
            .collect();
        let pending: Mutex<Pending> = Mutex::default();
        let solve = |&(place, problem): &(Place, usize)| {
            let records = self.records(&course, problem)?;
            let mut open = pending.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let block = open.entry(place).or_default();
            block.push((problem, records));
            if block.len() == counts[&place] {
                let block = open.remove(&place).unwrap_or_default();
                drop(open);
                let table = self.table((nth, &course), block);
                store.write(&self.name, place, &table.parquet()?)?;
            }
            progress(1);
            Ok(())
        };
        // Two problems at the same time would disturb the time of each other.
        let alone = self.timing != Timing::Counted;
        if alone { work.iter().try_for_each(solve) } else { work.par_iter().try_for_each(solve) }
    }

    /// The records of all contestants on a problem of a course.
    fn records(&self, course: &Course, problem: usize) -> Result<Vec<Record>, RunError> {
        let failed = |reason: ProblemError| {
            let failed = FailedProblem { index: problem, reason };
            let course = text::escaped(&course.name);
            RunError::Experiment(ExperimentError::Problem { course, failed })
        };
        let is_stopped = self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        if is_stopped {
            return Err(RunError::Stopped);
        }
        let records = self.solve(course, &course.problems[problem], &[]).map_err(failed)?;
        Ok(records.ok_or(RunError::Stopped)?.into_iter().flatten().collect())
    }

    /// A block as a table, in the order of its problems.
    fn table(&self, course: (usize, &Course), mut block: Vec<(usize, Vec<Record>)>) -> RecordTable {
        block.sort_by_key(|&(problem, _)| problem);
        let mut table = RecordTable::default();
        for (problem, records) in block {
            for (who, record) in self.contestants().iter().enumerate().zip(records) {
                table.push(&self.name, course, problem, who, record);
            }
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_read_and_printed() {
        assert_eq!("1/1".parse(), Ok(Shard::WHOLE));
        let shard: Shard = "2/3".parse().unwrap();
        assert_eq!(shard.to_string(), "2/3");
        assert_eq!((0..7).filter(|&nth| shard.has(nth)).collect::<Vec<_>>(), [1, 4]);
        for wrong in ["", "0/3", "4/3", "1", "1/0", "a/b", "-1/3", "1/3/5", "1/1001"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
