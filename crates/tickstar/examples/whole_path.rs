//! A whole path in one call, drawn as text.
//!
//! `cargo run -p tickstar --example whole_path`

use std::error::Error;

use tickstar::search::SearchConfig;
use tickstar::{Cell, Grid, find_path};

fn main() {
    if let Err(error) = run() {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    // One string per row: `#` is blocked, everything else is free.
    let rows = [
        "..........", //
        ".########.",
        ".#......#.",
        ".#.####.#.",
        "...#......",
    ];
    let grid = Grid::from_rows(rows)?;
    let node = |x, y| grid.node(Cell::new(x, y)).ok_or("a cell outside the map");
    let (start, goal) = (node(2, 2)?, node(9, 0)?);

    // The defaults are A* with exact costs: a shortest path, or `None` if there is no path at all.
    let path = find_path(&grid, start, goal, SearchConfig::default())?.ok_or("there is no path")?;
    println!("{} steps, {:.2} cells long:", path.nodes.len() - 1, path.cost.in_cells());

    let mut picture = rows.map(|row| row.as_bytes().to_vec());
    for &node in &path.nodes {
        let cell = grid.cell(node);
        picture[cell.y as usize][cell.x as usize] = b'*';
    }
    for row in picture {
        println!("  {}", String::from_utf8_lossy(&row));
    }
    Ok(())
}

#[cfg(test)]
#[test]
fn runs() -> Result<(), Box<dyn Error>> {
    run()
}
