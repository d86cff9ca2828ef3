//! How well a deadline of one millisecond per tick is kept: `cargo bench --bench deadline` prints a table.
//!
//! For each algorithm that acts at once, the times of all ticks in which it does any work, on the map Expedition if a
//! folder `shared` with it lies beside the repository, else on a generated map of 1024 by 1024.

use std::path::Path;
use std::time::{Duration, Instant};

use tickstar::catalog;
use tickstar::{Seen, Slice, Step};
use tickstar_lab::{Arena, Problem, WorldKind, files, generate};

const DEADLINE: Duration = Duration::from_millis(1);
const PROBLEMS: usize = 30;
/// An agent that learns may walk for a long time.
const MAX_TICKS: usize = 2000;

fn course() -> (String, tickstar::Grid, Vec<Problem>) {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/maps/starcraft");
    if let Ok(grid) = files::read_map(&shared.join("Expedition.map")) {
        let scen = shared.join("Expedition.map.scen");
        let mut problems = files::read_scen(&scen, "Expedition.map", &grid).expect("its problems");
        let step = problems.len() / PROBLEMS;
        problems = problems.into_iter().skip(step - 1).step_by(step).collect();
        return ("Expedition".to_string(), grid, problems);
    }
    let grid =
        generate::generate(generate::Kind::Islands, 1024, 1024, 1).expect("a map of this size");
    let problems = generate::random_problems(&grid, PROBLEMS, 1);
    ("islands, 1024 by 1024".to_string(), grid, problems)
}

fn main() {
    let (name, grid, problems) = course();
    let mut arena = Arena::new(&WorldKind::Known, &grid, 1).expect("a known map");
    println!("{name}, {} problems, 1 ms per tick; times in ms", problems.len().min(PROBLEMS));
    println!(
        "{:12} {:>7} {:>8} {:>8} {:>8} {:>8} {:>12}",
        "algorithm", "ticks", "median", "99%", "99.9%", "longest", "within 1.1"
    );
    for entry in catalog::all().iter().filter(|entry| entry.facts.acts_at_once()) {
        let config = entry.configure::<&str, &str>(&[]).expect("the defaults");
        if let Err(error) = arena.prepare(&config, |_| ()) {
            println!("{:12} not run: {error}", entry.name);
            continue;
        }
        let mut times = Vec::new();
        for problem in problems.iter().take(PROBLEMS) {
            let map = arena.map();
            let node = |cell| map.node(cell).expect("a cell of the map");
            let (mut at, goal) = (node(problem.start), node(problem.goal));
            let mut agent = config.agent(map, at, goal).expect("a fit problem");
            for _ in 0..MAX_TICKS {
                let begin = Instant::now();
                let mut in_time = || begin.elapsed() < DEADLINE;
                let mut slice = Slice::deadline(&mut in_time);
                let step = agent.tick(map, at, Seen::default(), &mut slice);
                let time = begin.elapsed();
                if slice.expansions() + slice.traces() + slice.updates() > 0 {
                    times.push(time);
                }
                match step {
                    Step::Move(to) => at = to,
                    Step::Wait => {}
                    Step::Arrived | Step::Unreachable => break,
                }
            }
        }
        times.sort_unstable();
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let at = |share: f64| ms(times[((times.len() - 1) as f64 * share) as usize]);
        let within = times.iter().filter(|time| ms(**time) <= 1.1).count();
        println!(
            "{:12} {:7} {:8.3} {:8.3} {:8.3} {:8.3} {:11.2}%",
            entry.name,
            times.len(),
            at(0.5),
            at(0.99),
            at(0.999),
            at(1.0),
            100.0 * within as f64 / times.len() as f64
        );
    }
}
