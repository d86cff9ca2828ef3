//! A unit of two by two cells: it takes the wide gap, and another one when somebody builds a wall there.
//!
//! `cargo run -p tickstar --example size_two`

use tickstar::agent::time_bounded::Restart;
use tickstar::space::Clearance;
use tickstar::{Agent, Cell, Grid, Seen, Slice, Step, TimeBounded, TimeBoundedConfig};

fn main() {
    if let Err(error) = run() {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut grid = Grid::from_rows([
        ".....#.....",
        "...........", // a gap of one cell: too narrow
        ".....#.....",
        "...........", // a gap of two cells
        "...........",
        ".....#.....",
        ".....#.....",
        "...........", // and another
        "...........",
    ])?;

    // The map for units of two by two cells. Agents walk on it like on any other; a unit's position is that of its top
    // left cell.
    let mut carts = grid.for_size(2)?;
    let node = |x, y| carts.map().node(Cell::new(x, y)).ok_or("outside the map");
    let (start, goal) = (node(0, 0)?, node(9, 0)?);

    let config = TimeBoundedConfig { restart: Restart::Lazy, ..Default::default() };
    let mut unit = TimeBounded::new(carts.map(), config, start, goal)?;
    let mut at = start;
    let mut changed = vec![];
    for frame in 0.. {
        match unit.tick(carts.map(), at, Seen { changed: &changed }, &mut Slice::new(20)) {
            Step::Move(to) => at = to,
            Step::Wait => {}
            Step::Arrived | Step::Unreachable => break,
        }
        let here = carts.map().cell(at);
        assert!(carts.covered(here).all(|cell| grid.is_free(cell)), "it stands on free cells only");

        changed.clear();
        if frame == 1 {
            println!("In frame {frame}, with the unit at {here}, a wall is built:");
            // Edit the grid, and let the map for larger units follow. It says what to report.
            let wall = Cell::new(5, 4);
            grid.set_free(wall, false)?;
            changed = carts.update(&grid, &[wall])?;
            print(&grid, &carts, here);
        }
    }
    println!("The unit has gone around by the other gap:");
    print(&grid, &carts, carts.map().cell(at));
    assert_eq!(at, goal);
    Ok(())
}

/// Prints the map with the unit on it.
fn print(grid: &Grid, carts: &Clearance, unit: Cell) {
    for y in 0..grid.height() {
        let symbol = |x| match Cell::new(x, y) {
            cell if carts.covered(unit).any(|under| under == cell) => 'U',
            cell if grid.is_free(cell) => '.',
            _ => '#',
        };
        println!("  {}", (0..grid.width()).map(symbol).collect::<String>());
    }
}

#[cfg(test)]
#[test]
fn runs() -> Result<(), Box<dyn std::error::Error>> {
    run()
}
