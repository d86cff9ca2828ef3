//! The clocked game of Sturtevant and Buro, *Partial Pathfinding Using Map Abstraction and Refinement*
//! (AAAI 2005): each frame has a little time for planning, and a unit walks what it has planned
//! while it plans the next segment.
//!
//! With `t_i` the time for planning segment `i` of the path and `l_i` its length, `t_m` the planning time
//! per frame, `t_f` the time of a frame and `s` the speed, the frames are, by equation (1),
//!
//! ```text
//! ceil(t_1 / t_m) + Σ_{i = 2..n} max(ceil(t_i / t_m), ceil(l_{i-1} / (s·t_f))) + ceil(l_n / (s·t_f))
//! ```
//!
//! Time is counted in expansions, so that the frames are the same on every machine.

use std::iter;
use std::ops::RangeInclusive;

use serde::Serialize;
use thiserror::Error;
use tickstar::Cost;
use tickstar::catalog::{self, Entry};

use crate::text::quoted;
use crate::{Arena, Journey, Outcome, WorldKind};

/// The speed of the game, of planning and of walking. The defaults are the paper's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pace {
    /// Milliseconds per frame, `t_f`.
    pub frame_ms: f64,
    /// Milliseconds of planning per frame, `t_m`.
    pub think_ms: f64,
    /// Cells a unit walks per second, `s`.
    pub speed: f64,
    /// Expansions per microsecond.
    pub rate: f64,
}

impl Pace {
    /// What each value may be. No product or sum of such overflows.
    pub const RANGE: RangeInclusive<f64> = 0.001..=1_000_000.0;
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { frame_ms: 100.0, think_ms: 1.0, speed: 10.0, rate: 2.2 }
    }
}

/// A part of the path that was planned at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Nodes expanded for it.
    pub expansions: u64,
    /// Its length.
    pub length: Cost,
}

/// Counts the frames of a journey.
///
/// ```
/// use tickstar::Cost;
/// use tickstar_lab::{Clock, Pace, Segment};
/// let clock = Clock::new(Pace { think_ms: 2.0, ..Pace::default() })?;
/// assert_eq!(clock.expansions_per_frame(), 4_400);
/// // Two frames of planning and sixteen of walking.
/// let segment = Segment { expansions: 5_000, length: Cost::of_steps(16, 0) };
/// assert_eq!((clock.frames(&[segment]), clock.least_frames(&[segment])), (18, 16));
/// # Ok::<(), tickstar_lab::ClockError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Clock {
    expansions: u64,
    cells: f64,
}

/// An invalid pace.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum ClockError {
    /// A value that is too small or too large, or not a number.
    #[error("{what} must be from {} to {}", Pace::RANGE.start(), Pace::RANGE.end())]
    Range {
        /// What it is.
        what: &'static str,
        /// The value.
        value: f64,
    },
    /// Nothing can be expanded in a frame.
    #[error(
        "{think_ms} ms per frame at {rate} expansions per microsecond are less than one expansion per frame"
    )]
    NoExpansions {
        /// Milliseconds of planning.
        think_ms: f64,
        /// Expansions per microsecond.
        rate: f64,
    },
}

/// Frames cannot be counted.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Untimed {
    /// The algorithm does not walk what it has planned.
    #[error(
        "frames cannot be counted for `{algorithm}`: it takes steps that are not part of a plan. They can \
         be for {timed}"
    )]
    Algorithm {
        /// The algorithm.
        algorithm: &'static str,
        /// Those that do.
        timed: String,
    },
    /// Plans may have to be given up.
    #[error(
        "frames cannot be counted in the world {}, where a plan may turn out to be wrong: they can be in \
         the world known",
        quoted(world)
    )]
    World {
        /// The world.
        world: String,
    },
}

/// The frames of one journey.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Clocked {
    /// Expansions per frame.
    pub expansions_per_frame: u64,
    /// Cells walked per frame.
    pub cells_per_frame: f64,
    /// The segments in which the path was planned; `stages` in JSON.
    #[serde(rename = "stages")]
    pub segments: usize,
    /// Frames in total.
    pub frames: u64,
    /// Frames if planning took no time.
    pub least_frames: u64,
    /// Frames over the least.
    pub slowdown: f64,
    /// Frames over those that it takes to walk a shortest path, if there is one.
    pub over_optimal: Option<f64>,
}

/// A fraction of a frame below this is rounding error, and begins no frame.
const ROUNDING: f64 = 1e-9;

impl Clock {
    /// A clock of this pace.
    ///
    /// # Errors
    /// When a value of it is too small or too large.
    pub fn new(pace: Pace) -> Result<Clock, ClockError> {
        let Pace { frame_ms, think_ms, speed, rate } = pace;
        for (what, value) in [
            ("milliseconds of planning", think_ms),
            ("milliseconds per frame", frame_ms),
            ("cells per second", speed),
            ("expansions per microsecond", rate),
        ] {
            if !Pace::RANGE.contains(&value) {
                return Err(ClockError::Range { what, value });
            }
        }
        let expansions = (think_ms * 1000.0 * rate).round() as u64;
        if expansions == 0 {
            return Err(ClockError::NoExpansions { think_ms, rate });
        }
        Ok(Clock { expansions, cells: speed * frame_ms / 1000.0 })
    }

    /// Whether the model holds for an algorithm: every step it takes is part of a segment that was
    /// planned before, and everything planned is walked.
    pub fn applies(algorithm: &Entry) -> bool {
        algorithm.facts.walks_its_plan()
    }

    /// Whether frames can be counted for an algorithm in a world.
    ///
    /// # Errors
    /// When they cannot be, with the reason.
    pub fn admit(arena: &Arena, algorithm: &Entry) -> Result<(), Untimed> {
        if !Clock::applies(algorithm) {
            let timed = catalog::all().iter().filter(|entry| Clock::applies(entry));
            let timed: Vec<_> = timed.map(|entry| entry.name).collect();
            let timed = timed.join(", ");
            return Err(Untimed::Algorithm { algorithm: algorithm.name, timed });
        }
        match arena.kind() {
            WorldKind::Known => Ok(()),
            other => Err(Untimed::World { world: other.to_string() }),
        }
    }

    /// The expansions that are done in one frame.
    pub fn expansions_per_frame(&self) -> u64 {
        self.expansions
    }

    /// The frames it takes to do these expansions.
    fn planning(&self, expansions: u64) -> u64 {
        expansions.div_ceil(self.expansions)
    }

    /// The frames it takes to walk this length.
    pub fn walking(&self, cells: f64) -> u64 {
        (cells / self.cells - ROUNDING).ceil() as u64
    }

    /// Equation (1): the frames of a journey in these segments.
    pub fn frames(&self, segments: &[Segment]) -> u64 {
        let planning = segments.iter().map(|segment| self.planning(segment.expansions)).chain([0]);
        let walking = segments.iter().map(|segment| self.walking(segment.length.in_cells()));
        // Nothing is walked before the first, and nothing is planned after the last.
        planning.zip(iter::once(0).chain(walking)).map(|(plan, walk)| plan.max(walk)).sum()
    }

    /// The frames if planning took no time.
    pub fn least_frames(&self, segments: &[Segment]) -> u64 {
        segments.iter().map(|segment| self.walking(segment.length.in_cells())).sum()
    }

    /// The frames of a journey that has its segments and reached its goal. The length of a shortest path is
    /// in cells.
    ///
    /// # Panics
    /// When the segments are not what was walked, which would be a bug: the model would not hold.
    pub fn time(&self, journey: &Journey, optimal: Option<f64>) -> Option<Clocked> {
        let segments = journey.segments.as_ref().filter(|_| journey.outcome == Outcome::Reached)?;
        let planned: Cost = segments.iter().map(|segment| segment.length).sum();
        assert_eq!(planned, journey.tally.cost, "bug: what was planned is not what was walked");
        let (frames, least_frames) = (self.frames(segments), self.least_frames(segments));
        // Start and goal are the same: there is no frame.
        let over = |least: u64| if least == 0 { 1.0 } else { frames as f64 / least as f64 };
        Some(Clocked {
            expansions_per_frame: self.expansions,
            cells_per_frame: self.cells,
            segments: segments.len(),
            frames,
            least_frames,
            slowdown: over(least_frames),
            over_optimal: optimal.map(|optimal| over(self.walking(optimal))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Kind, generate};
    use crate::{Job, Problem};

    fn clock(think_ms: f64) -> Clock {
        Clock::new(Pace { think_ms, ..Pace::default() }).unwrap()
    }

    fn segment(expansions: u64, straight: u64, diagonal: u64) -> Segment {
        Segment { expansions, length: Cost::of_steps(straight, diagonal) }
    }

    #[test]
    fn the_frames_are_those_of_equation_1() {
        let (clock, quick) = (clock(1.0), clock(10.0));
        assert_eq!(clock.expansions_per_frame(), 2200);
        let three = [segment(5000, 3, 2), segment(4401, 10, 0), segment(30_000, 0, 2)];
        for (segments, frames, least) in [
            (&[] as &[Segment], 0, 0),
            (&[segment(2200, 16, 0)], 17, 16),
            (&[segment(2201, 16, 0)], 18, 16),
            (&[segment(0, 0, 1)], 2, 2),
            (&[segment(1, 0, 0)], 1, 0),
            // 3 + max(3, 6) + max(14, 10) + 3, of walks of 5.8, 10 and 2.8 cells.
            (&three, 26, 19),
        ] {
            assert_eq!((clock.frames(segments), clock.least_frames(segments)), (frames, least));
        }
        // 1 + max(1, 6) + max(2, 10) + 3: all but the first is planned on the way.
        assert_eq!(quick.frames(&three), 20);
        // Half a cell a frame, and 1100 expansions: 5 + max(5, 12) + max(28, 20) + 6.
        let slow = Pace { frame_ms: 50.0, rate: 1.1, ..Pace::default() };
        let slow = Clock::new(slow).unwrap();
        assert_eq!((slow.frames(&three), slow.least_frames(&three)), (51, 12 + 20 + 6));
    }

    #[test]
    fn rounding_begins_no_frame() {
        for speed in [0.1, 0.3, 0.7, 1.1, 3.3, 7.7] {
            let clock = Clock::new(Pace { speed, ..Pace::default() }).unwrap();
            for frames in 1..3000_u64 {
                let cells = speed * frames as f64 / 10.0;
                assert_eq!(clock.walking(cells), frames, "{cells} cells at {speed} a second");
                assert_eq!(clock.walking(cells + 1e-6), frames + 1);
            }
        }
        assert_eq!(clock(1.0).walking(16.000_000_000_1), 16);
        assert_eq!(clock(1.0).walking(0.0), 0);
        // 2.2 is not quite 2.2, and expansions are counted in whole ones all the same.
        for think_ms in 1..2000 {
            let clock = clock(f64::from(think_ms));
            assert_eq!(clock.expansions_per_frame(), 2200 * think_ms as u64);
        }
    }

    #[test]
    fn invalid_values_are_refused() {
        let pace = Pace::default();
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0009, 1e7] {
            for (pace, what) in [
                (Pace { think_ms: value, ..pace }, "milliseconds of planning"),
                (Pace { frame_ms: value, ..pace }, "milliseconds per frame"),
                (Pace { speed: value, ..pace }, "cells per second"),
                (Pace { rate: value, ..pace }, "expansions per microsecond"),
            ] {
                let error = Clock::new(pace).unwrap_err().to_string();
                let expected = format!("{what} must be from 0.001 to 1000000");
                assert_eq!(error, expected);
            }
        }
        let least = Pace { think_ms: 0.01, rate: 0.05, ..pace };
        assert_eq!(Clock::new(least).unwrap().expansions_per_frame(), 1);
        let error = Clock::new(Pace { rate: 0.04, ..least }).unwrap_err().to_string();
        assert!(error.ends_with("are less than one expansion per frame"), "{error}");
    }

    /// It applies where each journey is the sum of its segments, and nowhere else.
    #[test]
    fn it_applies_to_those_that_walk_what_they_have_planned() {
        let map = generate(Kind::Rooms, 48, 48, 5).unwrap();
        let mut arena = Arena::new(&WorldKind::Known, &map, 1).unwrap();
        let free: Vec<_> = map.free_cells().collect();
        let ends = (0..free.len()).step_by(97).map(|i| (free[i], free[free.len() - 1 - i]));
        let problems: Vec<_> =
            ends.map(|(start, goal)| Problem { start, goal, optimal: None }).collect();
        for entry in catalog::all() {
            let config = entry.configure::<&str, &str>(&[]).unwrap();
            arena.prepare(&config, |_| ()).unwrap();
            let (mut planned, mut walked) = (Vec::new(), Vec::new());
            for problem in &problems {
                for budget in [Some(7), Some(100), None] {
                    let job = Job::new("rooms", &arena, &config, budget);
                    let mut sim = job.sim(problem).unwrap().with_segments();
                    let journey = sim.run(job.max_intervals, None);
                    assert_eq!(journey.outcome, Outcome::Reached);
                    let segments = journey.segments.unwrap();
                    planned.push(segments.iter().map(|segment| segment.length).sum::<Cost>());
                    walked.push(journey.tally.cost);
                    if Clock::applies(entry) {
                        let expansions: u64 =
                            segments.iter().map(|segment| segment.expansions).sum();
                        assert_eq!(expansions, journey.tally.expansions, "{}", entry.name);
                    }
                }
            }
            // One that refines and acts at once walks what it planned too, but does not plan ahead.
            let applies = Clock::applies(entry) || entry.facts.refines;
            assert_eq!(planned == walked, applies, "{}", entry.name);
        }
    }

    #[test]
    fn a_record_has_frames_where_they_can_be_counted() {
        let map = generate(Kind::Rooms, 48, 48, 5).unwrap();
        let free: Vec<_> = map.free_cells().collect();
        let (start, goal) = (free[0], free[free.len() - 1]);
        let problem = Problem { start, goal, optimal: None };
        let record = |world: &str, name: &str, budget, clock, problem| {
            let arena = Arena::new(&world.parse().unwrap(), &map, 1).unwrap();
            let config = catalog::find(name).unwrap().configure::<&str, &str>(&[]).unwrap();
            let job = Job { clock, ..Job::new("rooms", &arena, &config, budget) };
            job.record(problem).unwrap()
        };
        let slow = Clock::new(Pace { think_ms: 0.01, ..Pace::default() }).unwrap();
        let astar = record("known", "astar", Some(22), Some(slow), &problem);
        let timed = astar.clock.unwrap();
        let least = astar.tally.cost.in_cells().ceil() as u64;
        let expected = Clocked {
            expansions_per_frame: 22,
            cells_per_frame: 1.0,
            segments: 1,
            frames: astar.tally.expansions.div_ceil(22) + least,
            least_frames: least,
            slowdown: timed.frames as f64 / least as f64,
            over_optimal: Some(timed.slowdown),
        };
        assert_eq!(timed, expected);
        assert!(timed.slowdown > 1.4, "{timed:?}");
        assert_eq!(record("known", "astar", None, Some(slow), &problem).clock, Some(timed));
        let greedy = record("known", "gbfs", None, Some(slow), &problem);
        let (timed, shortest) = (greedy.clock.unwrap(), greedy.optimal.unwrap().ceil());
        assert!(timed.least_frames as f64 > shortest, "{timed:?}");
        assert_eq!(timed.over_optimal, Some(timed.frames as f64 / shortest));
        assert_eq!(record("known", "astar", None, None, &problem).clock, None);
        assert_eq!(record("known", "tba", None, Some(slow), &problem).clock, None);
        assert_eq!(record("unknown", "astar", None, Some(slow), &problem).clock, None);
        let here = Problem { goal: start, ..problem };
        let nothing = record("known", "astar", None, Some(slow), &here).clock.unwrap();
        assert_eq!((nothing.segments, nothing.frames, nothing.least_frames), (0, 0, 0));
        assert_eq!((nothing.slowdown, nothing.over_optimal), (1.0, Some(1.0)));
    }
}
