//! The rest of a path at once: a search from a cell of the path, some steps ahead of the agent, to the goal.
//!
//! On most maps a search by jump points takes a small multiple of the path's length in units, so it pays to try it before
//! the path is improved window by window. It begins as far ahead of the agent as the agent will walk meanwhile, which is
//! guessed: if the agent passes that cell before the search is complete, the next one begins farther ahead. When one is
//! complete, the path is optimal from there on, and its work is the guess for the next one, which begins nearer to the
//! agent. Where the work exceeds a larger multiple of the length, as on random obstacles, it is left to the windows. (Where
//! the map offers no jump points, the search is A*.)

use super::polish::START;
use crate::search::{MainSearch, Retrace, Route};
use crate::{Cost, Event, Map, OpenList, Pool, SearchConfig, Slice, Status};

/// The first guess of the work of a search, in units per step of the path.
const FIRST: u64 = 4;
/// Nothing more is tried if a search takes more units per step than this.
const MOST: u64 = 16;
/// A search must cover at least this fraction of the rest of the path: one half.
const LEAST_SHARE: usize = 2;

/// The state of the improvement of the rest of one path.
#[derive(Clone, Debug)]
pub(super) struct Whole {
    search: MainSearch,
    attempt: Option<Attempt>,
    /// The work of the next search, in units.
    guess: Option<u64>,
    /// From this index on the path is optimal.
    optimal_from: Option<usize>,
    /// Nothing more is tried.
    is_done: bool,
    /// A cheaper rest, while it is traced.
    rest: Retrace,
}

#[derive(Clone, Copy, Debug)]
struct Attempt {
    /// The index of the cell from which it searches.
    first: usize,
    /// The cost of the path from there.
    bound: Cost,
    /// Expansions so far.
    work: u64,
    /// Cells were blocked meanwhile: jump points prove nothing then.
    is_disturbed: bool,
    phase: Phase,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The cost of the path is being added up, as far as this index.
    Adding(usize),
    /// The cost is known, and the search has yet to begin; so many units have been paid for that.
    Starting(u32),
    Searching,
    /// The cheaper rest is being traced.
    Tracing,
}

impl Whole {
    pub fn new(open: OpenList) -> Whole {
        let config = SearchConfig { open, ..SearchConfig::default() };
        Whole {
            search: MainSearch::new(config, true),
            attempt: None,
            guess: None,
            optimal_from: None,
            is_done: false,
            rest: Retrace::default(),
        }
    }

    /// The path or the map has changed.
    pub fn reset(&mut self) {
        (self.attempt, self.guess, self.optimal_from, self.is_done) = (None, None, None, false);
    }

    /// Cells have been blocked.
    pub fn disturb(&mut self) {
        if let Some(attempt) = &mut self.attempt {
            attempt.is_disturbed = true;
        }
    }

    /// A part of the path has been replaced otherwise: what is known of its steps by their indices no longer holds.
    pub fn forget_proof(&mut self) {
        self.optimal_from = None;
    }

    /// Whether there is nothing more to try.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// Whether the path is optimal from here on.
    pub fn is_optimal(&self, path: &Route) -> bool {
        self.optimal_from.is_some_and(|from| from <= path.walked() + 1)
    }

    /// Improves the rest of a path that leads to the goal, as far as the slice allows. Returns whether the path
    /// has changed.
    pub fn run<M: Map>(&mut self, map: &M, path: &mut Route, slice: &mut Slice<'_>) -> bool {
        let mut has_changed = false;
        while !self.is_done {
            let Some(mut attempt) = self.attempt.or_else(|| self.open(path, slice)) else {
                self.is_done = true;
                break;
            };
            if attempt.first < path.walked() {
                // The agent has passed it.
                self.attempt = None;
                self.guess = self.guess.map(|guess| guess.saturating_mul(2));
                if !slice.scan() {
                    break;
                }
                continue;
            }
            let before = slice.expansions();
            let result = self.work(map, path, &mut attempt, slice);
            attempt.work += slice.expansions() - before;
            self.attempt = Some(attempt).filter(|_| result.is_none());
            let Some(replaced) = result else { break };
            has_changed |= replaced;
            self.guess = Some(attempt.work);
        }
        has_changed
    }

    /// The next search, if there is anything to gain by it.
    fn open(&mut self, path: &Route, slice: &Slice<'_>) -> Option<Attempt> {
        let (here, end) = (path.walked(), path.nodes().len().saturating_sub(1));
        let steps = end.saturating_sub(here);
        let guess = self.guess.unwrap_or(steps as u64 * FIRST);
        // It begins at the agent if this tick will do.
        let ticks = guess / slice.budget().max(1) + u64::from(guess > slice.remaining());
        let first = here.saturating_add(usize::try_from(ticks).unwrap_or(usize::MAX));
        let limit = self.optimal_from.unwrap_or(here + steps / LEAST_SHARE);
        if first >= limit || guess > steps as u64 * MOST || self.is_optimal(path) {
            return None;
        }
        self.guess = Some(guess);
        let phase = Phase::Adding(first);
        Some(Attempt { first, bound: Cost::ZERO, work: 0, is_disturbed: false, phase })
    }

    /// Continues with a search. Returns whether it has replaced the rest of the path, if it has ended.
    fn work<M: Map>(
        &mut self,
        map: &M,
        path: &mut Route,
        attempt: &mut Attempt,
        slice: &mut Slice<'_>,
    ) -> Option<bool> {
        let nodes = path.nodes();
        let (from, to) = (nodes[attempt.first], nodes[nodes.len() - 1]);
        if let Phase::Adding(added) = attempt.phase {
            let end = nodes.len() - 1;
            let added = path.add_costs(map, added, end, &mut attempt.bound, slice);
            if added < end {
                attempt.phase = Phase::Adding(added);
                return None;
            }
            if map.estimate(from, to) >= attempt.bound {
                self.optimal_from = Some(attempt.first);
                return Some(false);
            }
            attempt.phase = Phase::Starting(0);
        }
        while let Phase::Starting(paid) = attempt.phase {
            if !slice.update(from) {
                return None;
            }
            attempt.phase = Phase::Starting(paid + 1);
            if paid + 1 == START {
                self.search.begin(map, to, Cost::ZERO);
                self.search.add_root(map, from);
                attempt.phase = Phase::Searching;
            }
        }
        if let Phase::Searching = attempt.phase {
            match self.search.run(map, slice) {
                Status::Working => return None,
                Status::Exhausted => {
                    self.is_done = true;
                    return Some(false);
                }
                Status::Reached => {}
            }
            let is_cheaper = self.search.cost_to(to).is_some_and(|cost| cost < attempt.bound);
            if !is_cheaper {
                self.prove(attempt);
                return Some(false);
            }
            self.rest.begin(to);
            attempt.phase = Phase::Tracing;
        }
        if !self.rest.run(&self.search, slice) {
            return None;
        }
        path.replace(attempt.first, path.nodes().len() - 1, &self.rest.cells);
        path.recheck();
        slice.note(Event::Adopted);
        self.prove(attempt);
        Some(true)
    }

    /// A search has found nothing cheaper, or what it has found has been adopted: from where it began, the path is optimal.
    fn prove(&mut self, attempt: &Attempt) {
        if !attempt.is_disturbed {
            self.optimal_from = Some(attempt.first);
        }
    }

    pub fn set_pool(&mut self, pool: &Pool) {
        self.reset();
        self.search.set_pool(pool);
    }

    /// Returns all memory.
    pub fn release(&mut self) {
        self.reset();
        self.search.release();
        self.rest = Retrace::default();
    }

    /// Returns released blocks to the allocator, at most this many. Returns how many.
    pub fn reclaim(&mut self, blocks: u64) -> u64 {
        self.search.reclaim(blocks)
    }

    pub fn bytes(&self) -> usize {
        self.search.bytes() + self.rest.bytes()
    }
}
