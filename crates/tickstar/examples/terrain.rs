//! Terrain: a unit prefers the road, and finds another way when the road is flooded.
//!
//! `cargo run -p tickstar --example terrain`

use tickstar::agent::time_bounded::Restart;
use tickstar::search::SearchConfig;
use tickstar::{
    Agent, Cell, Grid, NodeId, Seen, Slice, Step, TimeBounded, TimeBoundedConfig, find_path,
};

/// A map file with a legend: a road costs 1, a meadow 1.5, and a swamp 6 times the length of a step.
const MAP: &str = "\
type octile
height 5
width 12
terrain . 1
terrain m 1.5
terrain s 6
map
mmmm@@mmmmmm
............
mmsssssssmmm
mmsssssssmmm
mmmmmmmmmmmm
";

fn main() {
    if let Err(error) = run() {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut grid = Grid::from_map(MAP.as_bytes())?;
    let node = |cell: Cell| grid.node(cell).ok_or("outside the map");
    let (start, goal) = (node(Cell::new(0, 1))?, node(Cell::new(11, 1))?);

    // A whole path: along the road.
    let path = find_path(&grid, start, goal, SearchConfig::default())?.ok_or("no path")?;
    println!("by road, the way costs {}:", path.cost.in_cells());
    print(&grid, &path.nodes);

    // An agent sets out, and in the third frame the road is flooded.
    let config = TimeBoundedConfig { restart: Restart::Lazy, ..Default::default() };
    let mut unit = TimeBounded::new(&grid, config, start, goal)?;
    let mut walk = vec![start];
    let mut changed = vec![];
    for frame in 0.. {
        let at = walk[walk.len() - 1];
        match unit.tick(&grid, at, Seen { changed: &changed }, &mut Slice::new(50)) {
            Step::Move(to) => walk.push(to),
            Step::Wait => {}
            Step::Arrived | Step::Unreachable => break,
        }
        changed.clear();
        if frame == 2 {
            for cell in (4..9).map(|x| Cell::new(x, 1)) {
                grid.set_class(cell, 2)?; // the third class of the legend: swamp
                changed.extend(grid.node(cell)); // agents are told, as of a blocked cell
            }
        }
    }
    println!("the road is flooded, and the unit goes around the swamp:");
    print(&grid, &walk);
    assert_eq!(walk.last(), Some(&goal));
    assert!(walk.iter().all(|&node| grid.class(grid.cell(node)) != Some(2)));
    Ok(())
}

/// Prints the map with a walk on it.
fn print(grid: &Grid, walk: &[NodeId]) {
    for y in 0..grid.height() {
        let symbol = |x| match grid.node(Cell::new(x, y)) {
            Some(node) if walk.contains(&node) => '*',
            _ if !grid.is_free(Cell::new(x, y)) => '#',
            _ => ['.', 'm', 's'][usize::from(grid.class(Cell::new(x, y)).unwrap_or(0))],
        };
        println!("  {}", (0..grid.width()).map(symbol).collect::<String>());
    }
}

#[cfg(test)]
#[test]
fn runs() -> Result<(), Box<dyn std::error::Error>> {
    run()
}
