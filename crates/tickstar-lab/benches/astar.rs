//! A* beside the crate `pathfinding`, both open lists, and the sliced agent loop, in one run.
//!
//! `cargo bench` prints a table. It uses the three benchmark maps and 300 problems of the 2009 paper's
//! kind if a folder `shared` with them lies beside the repository, else generated maps of the same
//! size. Ratios within one run are what counts; times differ from machine to machine.

mod courses;

use std::hint::black_box;
use std::time::{Duration, Instant};

use pathfinding::prelude::astar;
use tickstar::agent::time_bounded::Tracing;
use tickstar::search::{BestFirst, OpenList, SearchConfig};
use tickstar::{Agent, Cell, Cost, Event, Seen, Slice, Step, TimeBounded, TimeBoundedConfig};

use courses::{Course, courses};

/// How often each contestant is timed.
const ROUNDS: usize = 9;

/// The time of one pass, and the expansions it did.
fn timed(pass: impl FnOnce() -> u64) -> (Duration, u64) {
    let begin = Instant::now();
    let expansions = pass();
    (begin.elapsed(), expansions)
}

/// The search keeps its memory from problem to problem and from round to round, as a game would.
fn bare(courses: &[Course], search: &mut BestFirst) -> (Duration, u64) {
    timed(|| {
        let mut expansions = 0;
        for course in courses {
            for (start, goal) in course.nodes() {
                search.start(&course.grid, start, goal);
                let mut slice = Slice::unlimited();
                search.run(&course.grid, &mut slice);
                black_box(search.path_to(goal));
                expansions += slice.expansions();
            }
        }
        expansions
    })
}

fn sliced(courses: &[Course], agent: &mut TimeBounded, budget: u64) -> (Duration, u64) {
    timed(|| {
        let mut expansions = 0;
        for course in courses {
            for (start, goal) in course.nodes() {
                agent.assign(&course.grid, start, goal).expect("a fit problem");
                loop {
                    let mut slice = Slice::new(budget);
                    let step =
                        agent.tick(&course.grid, agent.position(), Seen::default(), &mut slice);
                    expansions += slice.expansions();
                    // From here on the agent only walks.
                    if slice.has(Event::Found) || step == Step::Arrived {
                        break;
                    }
                }
            }
        }
        expansions
    })
}

/// The peer as its documentation shows it: positions as nodes, successors as a vector; with the same
/// exact costs, moves and estimate.
fn peer(courses: &[Course]) -> (Duration, u64) {
    let passable: Vec<Vec<bool>> = courses
        .iter()
        .map(|course| {
            let (width, height) = (course.grid.width(), course.grid.height());
            let cells = (0..height).flat_map(|y| (0..width).map(move |x| Cell::new(x, y)));
            cells.map(|cell| course.grid.is_free(cell)).collect()
        })
        .collect();
    let directions = [(0, -1), (1, 0), (0, 1), (-1, 0), (1, -1), (1, 1), (-1, 1), (-1, -1_i32)];
    let pass = || {
        for (course, free) in courses.iter().zip(&passable) {
            let (width, height) = (course.grid.width() as i32, course.grid.height() as i32);
            let is_free = |x: i32, y: i32| {
                (0..width).contains(&x)
                    && (0..height).contains(&y)
                    && free[(y * width + x) as usize]
            };
            for &(start, goal) in &course.ends {
                let goal = (goal.x as i32, goal.y as i32);
                let path = astar(
                    &(start.x as i32, start.y as i32),
                    |&(x, y)| {
                        let mut next = Vec::with_capacity(8);
                        for (dx, dy) in directions {
                            let straight = dx == 0 || dy == 0;
                            if is_free(x + dx, y + dy)
                                && (straight || is_free(x + dx, y) && is_free(x, y + dy))
                            {
                                let cost =
                                    if straight { Cost::STRAIGHT.0 } else { Cost::DIAGONAL.0 };
                                next.push(((x + dx, y + dy), cost));
                            }
                        }
                        next
                    },
                    |&(x, y)| {
                        let (dx, dy) = (x.abs_diff(goal.0), y.abs_diff(goal.1));
                        let (long, short) = (u64::from(dx.max(dy)), u64::from(dx.min(dy)));
                        long * Cost::STRAIGHT.0 + short * (Cost::DIAGONAL.0 - Cost::STRAIGHT.0)
                    },
                    |&place| place == goal,
                );
                black_box(path);
            }
        }
        0
    };
    timed(pass)
}

fn main() {
    let courses = courses();
    let problems: usize = courses.iter().map(|course| course.ends.len()).sum();
    let names: Vec<_> = courses.iter().map(|course| course.name.as_str()).collect();
    println!("A*, {problems} problems on {} (512x512)\n", names.join(", "));
    println!("{:<44} {:>12} {:>14} {:>8}", "", "ms/problem", "ns/expansion", "times");
    let row = |name: &str, time: Duration, expansions: Option<u64>, against: Duration| {
        let per_expansion = expansions
            .map_or(String::new(), |n| format!("{:.1}", time.as_nanos() as f64 / n as f64));
        println!(
            "{name:<44} {:>12.4} {per_expansion:>14} {:>8.2}",
            time.as_secs_f64() * 1000.0 / problems as f64,
            against.as_secs_f64() / time.as_secs_f64(),
        );
    };
    // Taking turns, and the best of several rounds each: the least disturbed one.
    let search = |open| BestFirst::new(SearchConfig { open, ..SearchConfig::default() });
    let (mut by_buckets, mut by_heap) = (search(OpenList::Buckets), search(OpenList::Heap));
    let agent = |tracing| {
        let config = TimeBoundedConfig { tracing, ..TimeBoundedConfig::default() };
        let (start, goal) = courses[0].nodes().next().expect("a problem");
        TimeBounded::new(&courses[0].grid, config, start, goal).expect("a fit map")
    };
    let (mut by_free, mut by_bounded) = (agent(Tracing::Free), agent(Tracing::default()));
    let mut contestants: [&mut dyn FnMut() -> (Duration, u64); 5] = [
        &mut || peer(&courses),
        &mut || bare(&courses, &mut by_buckets),
        &mut || bare(&courses, &mut by_heap),
        &mut || sliced(&courses, &mut by_free, 100),
        &mut || sliced(&courses, &mut by_bounded, 111),
    ];
    let mut best = [(Duration::MAX, 0); 5];
    for _ in 0..ROUNDS {
        for (best, contestant) in best.iter_mut().zip(&mut contestants) {
            *best = contestant().min(*best);
        }
    }
    let [peer, buckets, heap, free, bounded] = best;
    row("pathfinding 4 astar()", peer.0, None, peer.0);
    row("tickstar A*, buckets (the default)", buckets.0, Some(buckets.1), peer.0);
    row("tickstar A*, heap", heap.0, Some(heap.1), peer.0);
    println!(
        "\nThe ticks of a TBA* agent until its path is found, against the bare search with buckets:"
    );
    row("tba, k = 100, trace=free", free.0, Some(free.1), buckets.0);
    row("tba, R = 111 (N_E = 99), trace=bounded", bounded.0, Some(bounded.1), buckets.0);
    println!("\n`times`: how many times faster than the first row (below: than the bare search).");
}
