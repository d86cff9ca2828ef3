//! Agents under a deadline, with a clock that allows a number of units of work.

mod common;

use std::cell::Cell;

use tickstar::budget::Work;
use tickstar::catalog::{self, FirstMove};
use tickstar::{Grid, Seen, Slice, Space, Step};
use tickstar_lab::files::{read_map, read_problems};
use tickstar_lab::{Arena, Problem, WorldKind, builtin};

use common::{in_parallel, list, shared};

/// The price of each unit of work in twentieths of a unit, as `Slice::metered` documents.
fn price(work: Work) -> u64 {
    match work {
        Work::Expand { .. } => 20,
        Work::Trace(_) => 2,
        Work::Update(_) => 10,
        other => panic!("no price is known for {other:?}"),
    }
}

/// Every agent moves in the first tick and from then on in nearly every tick, if it acts at once, and no tick does more
/// than 64 units of work after the clock has run out.
fn all_act_at_once(grid: &Grid, problems: &[Problem], allowed: u64) {
    let mut arena = Arena::new(&WorldKind::Known, grid, 1).unwrap();
    for entry in catalog::all() {
        let config = entry.configure::<&str, &str>(&[]).unwrap();
        arena.prepare(&config, |_| ()).unwrap();
        in_parallel(problems, |problem| {
            let map = arena.map();
            let [start, goal] = [problem.start, problem.goal].map(|cell| map.node(cell).unwrap());
            let mut agent = config.agent(map, start, goal).unwrap();
            let (mut at, mut waits) = (start, 0);
            for tick in 0..100 {
                let spent = Cell::new(0);
                let mut clock = || spent.get() < 20 * allowed;
                let mut watch = |work| {
                    spent.set(spent.get() + price(work));
                    true
                };
                let mut slice = Slice::deadline(&mut clock).with_watcher(&mut watch);
                let step = agent.tick(map, at, Seen::default(), &mut slice);
                assert!(spent.get() <= 20 * (allowed + 64), "{}: too much work", entry.name);
                match step {
                    Step::Move(to) => {
                        assert!(map.edge(at, to).is_some(), "{}: an illegal step", entry.name);
                        at = to;
                    }
                    Step::Wait => {
                        assert!(tick > 0 || !entry.facts.acts_at_once(), "{} waits", entry.name);
                        waits += 1;
                    }
                    Step::Arrived => break,
                    Step::Unreachable => panic!("{}: a path exists", entry.name),
                }
            }
            let never_waits = entry.facts.first_move == FirstMove::AtOnce;
            assert!(waits == 0 || !never_waits, "{} waits in {waits} ticks", entry.name);
        });
    }
}

#[test]
fn on_built_in_maps_all_act_at_once() {
    for (name, allowed) in [("caves-128", 100), ("islands-128", 1000), ("rooms-64", 10_000)] {
        let map = builtin::find(name).unwrap();
        let grid = map.grid();
        all_act_at_once(&grid, &map.problems(&grid, 6, 1), allowed);
    }
}

#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn on_duskwood_all_act_at_once() {
    let grid = read_map(&shared().join("maps/wc3-512/duskwood.map")).unwrap();
    let problems = read_problems(&list("tba-2009/duskwood.txt"), &grid).unwrap();
    all_act_at_once(&grid, &problems[..10], 100);
}
