//! Algorithms by name, with settings as text: for a configuration file, a menu, or an experiment.
//!
//! `cargo run -p tickstar --example by_name`, or with names:
//! `cargo run -p tickstar --example by_name tba:switch=true wastar:weight=3`.

use std::error::Error;

use tickstar::{Cell, Grid, Layered, Seen, Slice, Step, catalog};

const DEFAULTS: [&str; 5] = ["astar", "tba", "tba:switch=true", "tb-wastar:weight=2", "pra"];

fn main() {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names = DEFAULTS.map(Into::into).into();
    }
    if let Err(error) = run(&names) {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn run(names: &[String]) -> Result<(), Box<dyn Error>> {
    // Some algorithms plan on a hierarchy of the map: `Layered` is the map with its hierarchy.
    let comb = |Cell { x, y }| x % 6 != 3 || (x % 12 == 3 && y > 36) || (x % 12 == 9 && y < 4);
    let map = Layered::new(Grid::from_fn(60, 40, comb)?)?;
    let start = map.node(Cell::new(0, 20)).ok_or("the start is outside the map")?;
    let goal = map.node(Cell::new(59, 20)).ok_or("the goal is outside the map")?;

    println!("{:24} {:>10} {:>6} {:>6}", "50 expansions per tick", "first move", "ticks", "moves");
    for name in names {
        // `name:key=value:key=value`
        let mut parts = name.split(':');
        let entry = catalog::find(parts.next().unwrap_or_default())?;
        let settings: Vec<_> = parts.filter_map(|setting| setting.split_once('=')).collect();
        let mut unit = entry.configure(&settings)?.agent(&map, start, goal)?;

        let (mut at, mut first, mut ticks, mut moves) = (start, None, 0, 0);
        loop {
            ticks += 1;
            match unit.tick(&map, at, Seen::default(), &mut Slice::new(50)) {
                Step::Move(to) => {
                    first.get_or_insert(ticks);
                    (at, moves) = (to, moves + 1);
                }
                Step::Wait => {}
                Step::Arrived => break,
                Step::Unreachable => return Err("there is no path to the goal".into()),
            }
        }
        println!("{name:24} {:>10} {ticks:>6} {moves:>6}", first.unwrap_or(0));
    }
    Ok(())
}

#[cfg(test)]
#[test]
fn runs() -> Result<(), Box<dyn Error>> {
    assert!(run(&["nothing".into()]).is_err());
    run(&DEFAULTS.map(Into::into))
}
