//! One agent that acts in every tick, while it is still searching.
//!
//! `cargo run -p tickstar --example one_agent`

use std::error::Error;

use tickstar::{Agent, Cell, Event, Grid, Seen, Slice, Step, TimeBounded, TimeBoundedConfig};

fn main() {
    if let Err(error) = run() {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    // A dead end between the start and the goal: what looks best at first is wrong.
    let grid = Grid::from_rows([
        "....................", //
        "..###############...",
        "................#...",
        "................#...",
        "................#...",
        "..###############...",
        "....................",
    ])?;
    let start = grid.node(Cell::new(4, 3)).ok_or("the start is outside the map")?;
    let goal = grid.node(Cell::new(19, 3)).ok_or("the goal is outside the map")?;
    let mut unit = TimeBounded::new(&grid, TimeBoundedConfig::default(), start, goal)?;

    let mut at = start; // the position is yours
    for tick in 1.. {
        // At most 8 expansions in this tick, and then a step along the best path known so far.
        let mut slice = Slice::new(8);
        let step = unit.tick(&grid, at, Seen::default(), &mut slice);
        let mut note = String::new();
        if slice.has(Event::Found) {
            note += ", and the path to the goal is known now";
        }
        if slice.has(Event::Backtrack) {
            note += ", back along the way it came";
        }
        match step {
            Step::Move(to) => {
                at = to;
                println!("tick {tick:2}: to {}{note}", grid.cell(at));
            }
            Step::Wait => println!("tick {tick:2}: waits{note}"),
            Step::Arrived => {
                println!("tick {tick:2}: arrived");
                break;
            }
            Step::Unreachable => return Err("there is no path to the goal".into()),
        }
    }
    Ok(())
}

#[cfg(test)]
#[test]
fn runs() -> Result<(), Box<dyn Error>> {
    run()
}
