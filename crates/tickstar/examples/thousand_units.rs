//! A thousand units with one budget per frame, on a map that changes. In a terminal, they are shown as they walk.
//!
//! `cargo run --release -p tickstar --example thousand_units`

use std::error::Error;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use tickstar::crowd::{AgentId, Crowd, CrowdConfig};
use tickstar::{Cell, Grid, Layered, Slice};

const WIDTH: u32 = 180;
const HEIGHT: u32 = 112;
const UNITS: u32 = 1000;
/// What all units together may think in a frame.
const BUDGET: Duration = Duration::from_millis(2);

fn main() {
    if let Err(error) = run() {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    // Three walls with two gaps each; one of the gaps will be closed for a while.
    let is_wall =
        |Cell { x, y }| x % 45 == 44 && x < 150 && !(18..24).contains(&y) && !(80..84).contains(&y);
    let grid = Grid::from_fn(WIDTH, HEIGHT, |cell| !is_wall(cell))?;
    let mut map = Layered::flat(grid.with_crowd_regions());
    let gate: Vec<Cell> = (18..24).map(|y| Cell::new(89, y)).collect();

    let config = CrowdConfig { avoid_collisions: true, ..CrowdConfig::default() };
    let mut crowd = Crowd::new(&map, config)?;
    let mut units: Vec<AgentId> = Vec::new();
    for n in 0..UNITS {
        // In rows at the western border.
        let at = Cell::new(2 + n % 20, 6 + 2 * (n / 20));
        units.push(crowd.spawn(&map, at, at)?);
    }
    // An order to all: goals around one point, one for each unit.
    crowd.order(&map, &units, Cell::new(160, 55))?;

    let is_shown = std::io::stdout().is_terminal();
    let (mut arrived, mut frames, mut slowest) = (0, 0, Duration::ZERO);
    while arrived < units.len() {
        frames += 1;
        if frames == 60 || frames == 160 {
            // A gate closes, and opens again. Nobody has to be told.
            for &cell in &gate {
                let is_free = crowd.occupant(cell).is_none();
                map.set_free(cell, frames == 160 || !is_free)?;
            }
        }
        let end = Instant::now() + BUDGET;
        let mut is_in_time = || Instant::now() < end;
        let begin = Instant::now();
        let frame = crowd.frame(&map, &mut Slice::deadline(&mut is_in_time));
        slowest = slowest.max(begin.elapsed());
        arrived += frame.arrived.len();
        // A game would now move its units: to `cell` for each `(unit, cell)` of `frame.steps`.
        let status = format!(
            "frame {frames}: {arrived} arrived, {} walked, {} stood; slowest frame {:.1} ms",
            frame.stats.walked,
            frame.stats.stood,
            slowest.as_secs_f64() * 1e3
        );
        if is_shown {
            show(&map, &crowd, &units, &status)?;
            std::thread::sleep(Duration::from_millis(30));
        } else if frames % 50 == 0 {
            println!("{status}");
        }
        if frames > 5000 {
            return Err("somebody has not arrived".into());
        }
    }
    println!("all arrived after {frames} frames");
    Ok(())
}

/// Draws the map with eight cells per character: units as dots, walls in gray.
fn show(map: &Grid, crowd: &Crowd, units: &[AgentId], status: &str) -> std::io::Result<()> {
    let columns = WIDTH.div_ceil(2);
    let mut dots = vec![0_u8; (columns * HEIGHT.div_ceil(4)) as usize];
    for cell in units.iter().filter_map(|&unit| crowd.position(unit)) {
        // The dots of a character are numbered down its columns; the lowest two came later.
        let bit = [[0, 3], [1, 4], [2, 5], [6, 7]][(cell.y % 4) as usize][(cell.x % 2) as usize];
        dots[(cell.y / 4 * columns + cell.x / 2) as usize] |= 1 << bit;
    }
    let mut text = String::from("\x1b[H\x1b[2J");
    for row in 0..HEIGHT.div_ceil(4) {
        for column in 0..columns {
            let dots = dots[(row * columns + column) as usize];
            let is_free = |(dx, dy)| map.is_free(Cell::new(2 * column + dx, 4 * row + dy));
            let mut inside = (0..2).flat_map(|dx| (0..4).map(move |dy| (dx, dy)));
            let dotted = char::from_u32(0x2800 + u32::from(dots)).unwrap_or(' ');
            match (dots, inside.all(is_free)) {
                (0, true) => text.push(' '),
                (0, false) => text.push_str("\x1b[90m#\x1b[0m"),
                _ => text.extend(["\x1b[33m", dotted.encode_utf8(&mut [0; 4]), "\x1b[0m"]),
            }
        }
        text.push('\n');
    }
    let mut out = std::io::stdout().lock();
    write!(out, "{text}{status}\r\n")?;
    out.flush()
}

#[cfg(test)]
#[test]
fn runs() -> Result<(), Box<dyn Error>> {
    run()
}
