//! What a unit of work costs on larger and larger maps: it should cost the same.
//!
//! The maps of a kind take turns, round after round, so that a machine that is slower for a while is slower for all of
//! them.

use std::time::{Duration, Instant};

use serde::Serialize;
use tickstar::search::{BestFirst, SearchConfig};
use tickstar::{Agent, Event, Hierarchy, Pool, Seen, Slice, Step, TimeBounded, TimeBoundedConfig};

use super::{Control, ProblemSet};
use crate::generate::Kind;

/// The kinds of maps.
const KINDS: [Kind; 2] = [Kind::Caves, Kind::Islands];

/// The budget of a tick of TBA*.
const BUDGET: u64 = 100;

/// How much is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The side of the largest maps.
    pub largest: u32,
    /// How often each problem is solved; the least time counts.
    pub rounds: usize,
    /// How often each hierarchy is built; the least time counts.
    pub builds: usize,
}

impl Extent {
    /// What a published number should come from.
    pub const FULL: Extent = Extent { largest: 4096, rounds: 6, builds: 4 };
    /// A first impression, in seconds.
    pub const QUICK: Extent = Extent { largest: 512, rounds: 2, builds: 1 };

    /// The sides of the maps, each twice the one before.
    pub fn sides(self) -> Vec<u32> {
        let doubled = |side: &u32| Some(2 * side);
        std::iter::successors(Some(SMALLEST), doubled)
            .take_while(|&side| side <= self.largest)
            .collect()
    }

    /// The number of maps.
    pub fn maps(self) -> usize {
        KINDS.len() * self.sides().len()
    }

    /// The number of steps that [`measure`] reports.
    pub fn steps(self) -> usize {
        self.maps() * self.rounds.max(self.builds)
    }
}

const SMALLEST: u32 = 256;

/// Problems per map: fewer on large ones, where each takes longer.
fn problems(side: u32) -> usize {
    (40 * SMALLEST as usize / side as usize).max(3)
}

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// A* alone, per expansion.
    Astar,
    /// The ticks of a TBA* agent until it has found its path, with bounded tracing, per expansion.
    Tba,
    /// Building the hierarchy, per free cell.
    Hierarchy,
}

impl Subject {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Subject::Astar => "A*",
            Subject::Tba => "TBA*",
            Subject::Hierarchy => "hierarchy",
        }
    }

    /// What its time is divided by.
    pub fn unit(self) -> &'static str {
        match self {
            Subject::Astar | Subject::Tba => "expansion",
            Subject::Hierarchy => "cell",
        }
    }
}

/// One measurement.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Row {
    /// What was measured.
    pub subject: Subject,
    /// The kind of map.
    pub kind: String,
    /// The side of the map.
    pub side: u32,
    /// Expansions, or free cells.
    pub units: u64,
    /// Nanoseconds per unit.
    pub ns_per_unit: f64,
    /// The same over that of the smallest map of this kind.
    pub over_smallest: f64,
}

/// What was measured: rows ordered by subject, kind and side.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// How many maps are complete.
    pub maps: usize,
    /// Their rows.
    pub rows: Vec<Row>,
}

/// Measures every subject on maps of every kind and side.
///
/// # Panics
/// Never: generated maps are within the limits of all subjects.
pub fn measure(extent: Extent, control: Control<'_>) -> Report {
    let (mut rows, mut maps) = (Vec::new(), 0);
    for kind in KINDS {
        let mut all: Vec<_> =
            extent.sides().into_iter().map(|side| Measurement::new(kind, side)).collect();
        'rounds: for round in 0..extent.rounds.max(extent.builds) {
            for map in &mut all {
                if control.stopped() || !map.round(round, extent, control) {
                    break 'rounds;
                }
                (control.step)();
            }
        }
        for map in all.iter().filter(|map| map.is_complete(extent)) {
            maps += 1;
            rows.extend(map.results().into_iter().map(|(subject, units, time)| Row {
                subject,
                kind: kind.name().into(),
                side: map.side,
                units,
                ns_per_unit: time.as_nanos() as f64 / units.max(1) as f64,
                over_smallest: 1.0,
            }));
        }
    }
    let of_kind = |kind: &str| KINDS.iter().position(|other| other.name() == kind);
    rows.sort_by_key(|row| (row.subject, of_kind(&row.kind), row.side));
    // The first of each group is that of the smallest map.
    for group in rows.chunk_by_mut(|a, b| (a.subject, &a.kind) == (b.subject, &b.kind)) {
        let smallest = group[0].ns_per_unit;
        for row in group {
            row.over_smallest = row.ns_per_unit / smallest;
        }
    }
    Report { maps, rows }
}

/// What is known of one map: the least times so far.
struct Measurement {
    set: ProblemSet,
    side: u32,
    search: BestFirst,
    agent: Option<TimeBounded>,
    /// The number of complete rounds.
    rounds: usize,
    /// Per problem, with the number of expansions.
    bare: Vec<(Duration, u64)>,
    sliced: Vec<(Duration, u64)>,
    build: Duration,
}

impl Measurement {
    fn new(kind: Kind, side: u32) -> Measurement {
        let set = ProblemSet::generated(kind, side, 1, problems(side));
        let agent = set.nodes().next().map(|(start, goal)| {
            // Its memory is reused, like that of the bare search.
            TimeBounded::new(&set.grid, TimeBoundedConfig::default(), start, goal)
                .expect("a grid")
                .with_pool(&Pool::new())
        });
        let search = BestFirst::new(SearchConfig::default());
        let none = vec![(Duration::MAX, 0); set.ends.len()];
        let (bare, sliced) = (none.clone(), none);
        Measurement { set, side, search, agent, rounds: 0, bare, sliced, build: Duration::MAX }
    }

    fn is_complete(&self, extent: Extent) -> bool {
        self.rounds == extent.rounds.max(extent.builds)
    }

    /// On a smaller map, building the hierarchy is over before anything can be told.
    fn is_built(&self) -> bool {
        self.side > SMALLEST
    }

    /// Measures once more, as far as the extent asks for it. Returns whether it was not stopped.
    fn round(&mut self, round: usize, extent: Extent, control: Control<'_>) -> bool {
        let searches = round < extent.rounds;
        for (nth, (start, goal)) in self.set.nodes().enumerate().filter(|_| searches) {
            if control.stopped() {
                return false;
            }
            let begin = Instant::now();
            self.search.start(&self.set.grid, start, goal);
            let mut slice = Slice::unlimited();
            self.search.run(&self.set.grid, &mut slice);
            self.bare[nth] = (begin.elapsed(), slice.expansions()).min(self.bare[nth]);
        }
        for (nth, (start, goal)) in self.set.nodes().enumerate().filter(|_| searches) {
            let Some(agent) = self.agent.as_mut().filter(|_| !control.stopped()) else {
                return false;
            };
            let begin = Instant::now();
            agent.assign(&self.set.grid, start, goal).expect("free ends");
            let (mut at, mut expansions) = (start, 0);
            loop {
                let mut slice = Slice::new(BUDGET);
                let step = agent.tick(&self.set.grid, at, Seen::default(), &mut slice);
                expansions += slice.expansions();
                if let Step::Move(to) = step {
                    at = to;
                }
                // From here on the agent only walks.
                if slice.has(Event::Found) || matches!(step, Step::Arrived | Step::Unreachable) {
                    break;
                }
            }
            self.sliced[nth] = (begin.elapsed(), expansions).min(self.sliced[nth]);
        }
        if round < extent.builds && self.is_built() {
            if control.stopped() {
                return false;
            }
            let begin = Instant::now();
            let hierarchy = Hierarchy::new(&self.set.grid).expect("within the limits");
            self.build = begin.elapsed().min(self.build);
            drop(hierarchy);
        }
        self.rounds += 1;
        true
    }

    /// What was measured, with its units.
    fn results(&self) -> Vec<(Subject, u64, Duration)> {
        let sum = |subject, all: &[(Duration, u64)]| {
            (subject, all.iter().map(|one| one.1).sum(), all.iter().map(|one| one.0).sum())
        };
        let mut results = vec![sum(Subject::Astar, &self.bare), sum(Subject::Tba, &self.sliced)];
        if self.is_built() {
            let cells = self.set.grid.free_cells().count() as u64;
            results.push((Subject::Hierarchy, cells, self.build));
        }
        results
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // exact ratios
mod tests {
    use super::*;

    #[test]
    fn ratios_are_to_the_smallest_map() {
        let report = measure(Extent { largest: 512, rounds: 1, builds: 1 }, Control::none());
        let found: Vec<_> =
            report.rows.iter().map(|row| (row.subject, row.kind.as_str(), row.side)).collect();
        let mut expected = Vec::new();
        for subject in [Subject::Astar, Subject::Tba] {
            for kind in ["caves", "islands"] {
                expected.extend([(subject, kind, 256), (subject, kind, 512)]);
            }
        }
        expected.extend(["caves", "islands"].map(|kind| (Subject::Hierarchy, kind, 512)));
        assert_eq!(found, expected);
        for pair in report.rows[..8].chunks(2) {
            assert_eq!(pair[0].over_smallest, 1.0);
            assert_eq!(pair[1].over_smallest, pair[1].ns_per_unit / pair[0].ns_per_unit);
            assert!(pair[1].units > pair[0].units);
        }
        assert!(report.rows[8..].iter().all(|row| row.over_smallest == 1.0 && row.units > 10_000));
    }

    #[test]
    fn sides_are_doubled() {
        assert_eq!(Extent::FULL.sides(), [256, 512, 1024, 2048, 4096]);
        assert_eq!(Extent::QUICK.sides(), [256, 512]);
        assert_eq!((problems(256), problems(1024), problems(4096)), (40, 10, 3));
    }

    #[test]
    fn a_stopped_measurement_keeps_complete_maps() {
        let flag = std::sync::atomic::AtomicBool::new(false);
        let step = || flag.store(true, std::sync::atomic::Ordering::Relaxed);
        let control = Control { stop: &flag, step: &step };
        let report = measure(Extent { largest: 512, rounds: 1, builds: 1 }, control);
        assert!(report.rows.iter().all(|row| row.kind == "caves" && row.side == 256));
        assert_eq!((report.maps, report.rows.len()), (1, 2));
    }
}
