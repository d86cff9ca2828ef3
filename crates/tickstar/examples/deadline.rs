//! A wall-clock limit per tick: the agent thinks for at most a millisecond, and moves in every tick.
//!
//! `cargo run --release -p tickstar --example deadline`

use std::error::Error;
use std::time::{Duration, Instant};

use tickstar::{Agent, Cell, Grid, Seen, Slice, Step, TimeBounded, TimeBoundedConfig};

fn main() {
    if let Err(error) = run() {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    // A trap that is open to the west: the search has to fill it before it finds the way around.
    let grid = Grid::from_fn(1024, 1024, |Cell { x, y }| {
        let back = x == 900 && (10..=1013).contains(&y);
        let sides = (y == 10 || y == 1013) && (100..=900).contains(&x);
        !back && !sides
    })?;
    let start = grid.node(Cell::new(500, 512)).ok_or("the start is outside the map")?;
    let goal = grid.node(Cell::new(1000, 512)).ok_or("the goal is outside the map")?;
    let mut unit = TimeBounded::new(&grid, TimeBoundedConfig::default(), start, goal)?;

    let limit = Duration::from_millis(1);
    let (mut at, mut moves, mut waits, mut times) = (start, 0, 0, Vec::new());
    loop {
        let begin = Instant::now();
        // The clock is yours. It is asked every few dozen units of work, and shortly after it returns `false`, the tick
        // ends, with a step.
        let mut in_time = || begin.elapsed() < limit;
        let mut slice = Slice::deadline(&mut in_time);
        let step = unit.tick(&grid, at, Seen::default(), &mut slice);
        times.push(begin.elapsed());
        match step {
            Step::Move(to) => (at, moves) = (to, moves + 1),
            Step::Wait => waits += 1,
            Step::Arrived => break,
            Step::Unreachable => return Err("there is no way to the goal".into()),
        }
    }
    times.sort_unstable();
    println!("arrived after {moves} moves and {waits} ticks of waiting");
    let busy = times.iter().filter(|&&time| time > limit / 2).count();
    println!("it thought for about a millisecond in {busy} ticks, and hardly at all in the others");
    println!("the longest tick took {:.2} ms", times[times.len() - 1].as_secs_f64() * 1e3);
    Ok(())
}

#[test]
fn runs() {
    run().unwrap();
}
