//! The problem of the specification on which an agent that plans over regions may walk in circles.

mod common;

use tickstar::{Cell, catalog};
use tickstar_lab::files::read_map;
use tickstar_lab::{Arena, Outcome, Sim};

use common::{in_parallel, shared};

#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn an_unknown_maze_is_crossed() {
    let grid = read_map(&shared().join("maps/maze/maze512-8-0.map")).unwrap();
    let ends = [(5, 431), (289, 484)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
    let runs: Vec<_> = ["1", "2", "4"]
        .iter()
        .flat_map(|&look| [1, 3, 10, 30, 100, 1000].map(|budget| (look, budget)))
        .collect();
    let found = in_parallel(&runs, |&(look, budget)| {
        let config = catalog::find("tick").unwrap().configure(&[("first-look", look)]).unwrap();
        let mut arena = Arena::new(&"unknown".parse().unwrap(), &grid, 1).unwrap();
        arena.prepare(&config, |_| ()).unwrap();
        let mut sim = Sim::new(&arena, &config, budget, (ends[0], ends[1])).unwrap();
        let journey = sim.run(Some(2_000_000), None);
        (journey.outcome, journey.tally.moves, journey.tally.intervals)
    });
    for (run, (outcome, moves, intervals)) in runs.iter().zip(found) {
        println!(
            "first-look and budget {run:?}: {outcome:?}, {moves} moves, {intervals} intervals"
        );
        assert_eq!(outcome, Outcome::Reached, "{run:?}");
    }
}
