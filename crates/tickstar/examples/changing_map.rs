//! A map that changes under way: a door closes, and another one opens.
//!
//! `cargo run -p tickstar --example changing_map`

use std::error::Error;

use tickstar::agent::time_bounded::Restart;
use tickstar::{Agent, Cell, Event, Grid, Seen, Slice, Step, TimeBounded, TimeBoundedConfig};

fn main() {
    if let Err(error) = run() {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    // A wall with a door at the bottom.
    let mut grid = Grid::from_rows([
        ".......#........", //
        ".......#........",
        ".......#........",
        ".......#........",
        "................",
    ])?;
    let start = grid.node(Cell::new(0, 2)).ok_or("the start is outside the map")?;
    let goal = grid.node(Cell::new(15, 2)).ok_or("the goal is outside the map")?;
    // `Lazy` searches again if the path is cut, or if a change may have opened a better one.
    let config = TimeBoundedConfig { restart: Restart::Lazy, ..TimeBoundedConfig::default() };
    let mut unit = TimeBounded::new(&grid, config, start, goal)?;

    let mut at = start;
    let mut changed = Vec::new();
    for frame in 1.. {
        // The map is yours: edit it between ticks, and report the cells that changed.
        changed.clear();
        for (when, cell, free) in [(5, Cell::new(7, 4), false), (9, Cell::new(7, 0), true)] {
            if frame == when {
                grid.set_free(cell, free)?;
                changed.extend(grid.node(cell));
                println!("frame {frame}: {cell} is {} now", if free { "free" } else { "blocked" });
            }
        }
        let mut slice = Slice::new(20);
        let step = unit.tick(&grid, at, Seen { changed: &changed }, &mut slice);
        if slice.has(Event::Restart) {
            println!("frame {frame}: a new search, from {}", grid.cell(at));
        }
        match step {
            Step::Move(to) => at = to,
            Step::Wait => {}
            // While both doors are closed there is no path. Ask again: a change may open one.
            Step::Unreachable => println!("frame {frame}: no path, so it waits"),
            Step::Arrived => {
                println!("frame {frame}: arrived at {}", grid.cell(at));
                break;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
#[test]
fn runs() -> Result<(), Box<dyn Error>> {
    run()
}
