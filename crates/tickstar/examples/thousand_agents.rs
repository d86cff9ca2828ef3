//! A thousand agents with one budget per frame, and one pool of memory for all.
//!
//! `cargo run --release -p tickstar --example thousand_agents`

use std::error::Error;

use tickstar::{Agent, Cell, Grid, Pool, Seen, Slice, Step, TimeBounded, TimeBoundedConfig};

const AGENTS: u32 = 1000;
/// What all agents together may spend in a frame, and what one of them may at most. A unit is the work of an
/// expansion, about 50 ns.
const FRAME: u64 = 20_000;
const SHARE: u64 = 100;

fn main() {
    if let Err(error) = run() {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    // Pillars in rows.
    let grid = Grid::from_fn(256, 256, |Cell { x, y }| x % 8 > 3 || y % 8 > 3 || x % 5 == 0)?;
    let free: Vec<Cell> = grid.free_cells().collect();
    let place = |n: u32| free[n as usize % free.len()];
    let node = |cell| grid.node(cell).ok_or("a cell outside the map");
    let pool = Pool::new();
    let mut units = Vec::new();
    for n in 0..AGENTS {
        let (start, goal) = (node(place(n * 7919))?, node(place(n * 104_729 + 31_337))?);
        let unit = TimeBounded::new(&grid, TimeBoundedConfig::default(), start, goal)?;
        units.push((unit.with_pool(&pool), start));
    }

    let mut next = 0; // whose turn it is first: where the last frame's budget ended
    let (mut walking, mut frames, mut most) = (AGENTS as usize, 0, 0);
    while walking > 0 {
        frames += 1;
        walking = 0;
        // One budget for the frame, in which all work has a price; each agent borrows a part of it.
        let mut frame = Slice::metered(FRAME);
        let mut first_without = None;
        for turn in 0..units.len() {
            let nth = (next + turn) % units.len();
            if frame.remaining() == 0 {
                // The others wait, and come first in the next frame.
                first_without.get_or_insert(nth);
                walking += 1;
                continue;
            }
            let (unit, at) = &mut units[nth];
            match frame.part(SHARE, |part| unit.tick(&grid, *at, Seen::default(), part)) {
                Step::Move(to) => (*at, walking) = (to, walking + 1),
                Step::Wait => walking += 1,
                Step::Arrived | Step::Unreachable => {}
            }
        }
        next = first_without.unwrap_or(next);
        most = most.max(frame.expansions());
        if frames % 100 == 0 {
            println!("frame {frames}: {walking} agents are on their way");
        }
    }
    println!("all arrived after {frames} frames; at most {most} expansions in one of them");
    println!("blocks of memory: {} lent, {} kept for the next", pool.lent(), pool.spare());
    Ok(())
}

#[cfg(test)]
#[test]
fn runs() -> Result<(), Box<dyn Error>> {
    run()
}
