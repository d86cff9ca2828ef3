//! Agents that chase a target which moves once in two ticks. To see the table of ticks:
//! `cargo test --release --test chase -- --nocapture`.

mod common;

use tickstar::catalog::{self, Config};
use tickstar_lab::chase::{Chase, Chased, Flight};
use tickstar_lab::files::{read_map, read_scen};
use tickstar_lab::{Arena, Problem, WorldKind, builtin};

use common::{in_parallel, shared};

fn config(name: &str) -> Config {
    catalog::find(name).unwrap().configure::<&str, &str>(&[]).unwrap()
}

/// The ticks in which A*, without a limit, walks to a target that stays.
fn ticks_to_a_target_that_stays(arena: &Arena, problem: &Problem) -> u64 {
    let chase = Chase {
        flight: Flight::Away,
        rest: u64::MAX,
        budget: u64::MAX,
        max_ticks: u64::MAX,
        seed: 0,
    };
    chase.run(arena, &config("astar"), problem).unwrap().ticks
}

/// Lets each of the algorithms chase a target on each of the problems, which must be caught, and prints a row of the
/// table for each budget: the mean number of ticks, the mean ratio to what a target that stays would take, and the means
/// of expansions and restarts.
fn all_catch(name: &str, arena: &mut Arena, problems: &[Problem], algorithms: &[&str]) {
    let still = in_parallel(problems, |problem| ticks_to_a_target_that_stays(arena, problem));
    println!("\n{name}, {} problems", problems.len());
    println!(
        "{:12} {:>6} {:>7} {:>7} {:>6} {:>10} {:>8}",
        "algorithm", "budget", "flight", "ticks", "ratio", "expansions", "restarts"
    );
    for &algorithm in algorithms {
        let config = config(algorithm);
        arena.prepare(&config, |_| ()).unwrap();
        for budget in [25, 100, 1000] {
            for flight in Flight::ALL {
                let numbered: Vec<_> = (0..).zip(problems).collect();
                let chased = in_parallel(&numbered, |&(seed, problem)| {
                    let chase = Chase { flight, rest: 2, budget, max_ticks: 1_000_000, seed };
                    chase.run(arena, &config, problem).unwrap()
                });
                let mean = |of: &dyn Fn(&Chased) -> u64| {
                    chased.iter().map(|chased| of(chased) as f64).sum::<f64>() / chased.len() as f64
                };
                let ratio =
                    chased.iter().zip(&still).map(|(run, &still)| run.ticks as f64 / still as f64);
                println!(
                    "{algorithm:12} {budget:6} {:>7} {:7.0} {:6.2} {:10.0} {:8.1}",
                    flight.name(),
                    mean(&|run| run.ticks),
                    ratio.sum::<f64>() / problems.len() as f64,
                    mean(&|run| run.expansions),
                    mean(&|run| run.restarts),
                );
                let missed = chased.iter().filter(|run| !run.caught).count();
                assert_eq!(missed, 0, "{algorithm} on {name}, budget {budget}, {flight:?}");
            }
        }
    }
}

const CATCHERS: [&str; 6] = ["tba", "tb-wastar", "tb-gbfs", "tbaa", "pra", "dstar-lite"];

#[test]
fn on_built_in_maps_all_catch() {
    for name in ["caves-128", "islands-128", "rooms-64"] {
        let map = builtin::find(name).unwrap();
        let grid = map.grid();
        let mut arena = Arena::new(&WorldKind::Known, &grid, 1).unwrap();
        all_catch(name, &mut arena, &map.problems(&grid, 10, 1), &CATCHERS);
    }
}

fn on_benchmark_map(folder: &str, name: &str) {
    let path = shared().join(format!("maps/{folder}/{name}.map"));
    let grid = read_map(&path).unwrap();
    let scen = path.with_extension("map.scen");
    let problems = read_scen(&scen, &format!("{name}.map"), &grid).unwrap();
    let step = problems.len() / 20;
    let problems: Vec<_> = problems.into_iter().skip(step - 1).step_by(step).take(20).collect();
    let mut arena = Arena::new(&WorldKind::Known, &grid, 1).unwrap();
    all_catch(name, &mut arena, &problems, &CATCHERS);
}

#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn on_duskwood_all_catch() {
    on_benchmark_map("wc3-512", "duskwood");
}

#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn on_ar0300sr_all_catch() {
    on_benchmark_map("bg-512", "AR0300SR");
}

#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn on_a_maze_all_catch() {
    on_benchmark_map("maze", "maze512-4-1");
}

#[test]
#[cfg_attr(not(benchmark_maps), ignore = "needs the benchmark maps in ../shared")]
fn on_rooms_all_catch() {
    on_benchmark_map("rooms", "16room_000");
}
