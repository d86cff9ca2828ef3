//! A target that runs away: the agent keeps its search when the goal moves, and catches it.
//!
//! `cargo run --release -p tickstar --example chase`

use std::error::Error;

use tickstar::{
    Agent, Cell, Grid, Map, NodeId, Seen, Slice, Space, Step, TimeBounded, TimeBoundedConfig,
};

fn main() {
    if let Err(error) = run() {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let grid = Grid::from_rows([
        "............#...........",
        "............#...........",
        "....####....#....####...",
        ".......#.........#......",
        ".......#....#....#......",
        "....####....#....####...",
        "............#...........",
        "............#...........",
    ])?;
    let mut at = node(&grid, 1, 3)?;
    let mut target = node(&grid, 16, 3)?;
    let mut unit = TimeBounded::new(&grid, TimeBoundedConfig::default(), at, target)?;

    for tick in 1..=1000 {
        // Five expansions per tick: far too few for the whole path, but enough to move in each of them.
        match unit.tick(&grid, at, Seen::default(), &mut Slice::new(5)) {
            Step::Move(to) => at = to,
            Step::Wait => {}
            Step::Arrived => {
                println!("caught in tick {tick} at {}", grid.cell(target));
                return Ok(());
            }
            Step::Unreachable => return Err("there is no way to the target".into()),
        }
        // The target moves in every second tick, away from the agent. `assign` would start a new search each time.
        if tick % 2 == 0 && at != target {
            target = flee(&grid, target, at);
            unit.retarget(&grid, target)?;
        }
        if tick % 10 == 0 {
            draw(&grid, tick, at, target);
        }
    }
    Err("the target escaped".into())
}

fn node(grid: &Grid, x: u32, y: u32) -> Result<NodeId, String> {
    grid.node(Cell::new(x, y)).ok_or_else(|| format!("({x}, {y}) is outside the map"))
}

/// The neighbor that is farthest from the agent.
fn flee(grid: &Grid, target: NodeId, from: NodeId) -> NodeId {
    let mut best = (grid.estimate(target, from), target);
    grid.for_each_edge(target, |to, _| best = best.max((grid.estimate(to, from), to)));
    best.1
}

fn draw(grid: &Grid, tick: u32, agent: NodeId, target: NodeId) {
    println!("tick {tick}: the agent A, the target T");
    for y in 0..grid.height() {
        let symbol = |x| match Cell::new(x, y) {
            cell if cell == grid.cell(agent) => 'A',
            cell if cell == grid.cell(target) => 'T',
            cell if grid.is_free(cell) => '.',
            _ => '#',
        };
        println!("{}", (0..grid.width()).map(symbol).collect::<String>());
    }
}

#[test]
fn runs() {
    run().unwrap();
}
