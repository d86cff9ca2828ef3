//! What an expansion costs in each algorithm of the catalog, in one run.
//!
//! `cargo bench --bench rivals` prints a table: the time of all ticks of an agent over all expansions it did,
//! learning, tracing and walking included, with a budget of 100 per tick (lrta and p-lrta: their own
//! lookahead). The ratio to the bare A* loop on the same problems is what counts.

use std::path::Path;
use std::time::{Duration, Instant};

use tickstar::catalog::{self, Config, WorkBound};
use tickstar::search::{BestFirst, SearchConfig};
use tickstar::{Cell, Grid, Layered, NodeId, Seen, Slice, Step};
use tickstar_lab::{Arena, builtin, files, generate};

/// How often each contestant is timed.
const ROUNDS: usize = 5;
/// How many problems of each map.
const PROBLEMS: usize = 20;
/// The budget of a tick.
const BUDGET: u64 = 100;

/// A map with its problems.
struct Course {
    name: String,
    grid: Grid,
    ends: Vec<(Cell, Cell)>,
}

impl Course {
    /// The problems' ends as nodes.
    fn nodes(&self) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        let node = |cell| self.grid.node(cell).expect("a problem on its map");
        self.ends.iter().map(move |&(start, goal)| (node(start), node(goal)))
    }
}

/// Three benchmark maps with 300 problems of the 2009 paper's kind if a folder `shared` with them lies beside the
/// repository, else generated maps of the same size.
fn courses() -> Vec<Course> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = root.join("../shared");
    let read = |name: &str| {
        let grid = files::read_map(&shared.join(format!("maps/wc3-512/{name}.map"))).ok()?;
        let list = root.join(format!("problems/tba-2009/{name}.txt"));
        let problems = files::read_problems(&list, &grid).ok()?;
        let ends = problems.iter().map(|problem| (problem.start, problem.goal)).collect();
        Some(Course { name: name.to_string(), grid, ends })
    };
    let found: Option<Vec<_>> =
        ["battleground", "divideandconquer", "duskwood"].into_iter().map(read).collect();
    found.unwrap_or_else(|| {
        let names = ["caves-512", "islands-512", "rooms-512"];
        names
            .map(|name| {
                let grid = builtin::find(name).expect("a built-in map").grid();
                let problems = generate::random_problems(&grid, 100, 1);
                let ends = problems.iter().map(|problem| (problem.start, problem.goal)).collect();
                Course { name: name.to_string(), grid, ends }
            })
            .into()
    })
}

/// Time spent, and expansions and updates done.
#[derive(Clone, Copy, Default)]
struct Work {
    time: Duration,
    expansions: u64,
    updates: u64,
}

impl Work {
    /// For each expansion, and for each node expanded or updated.
    fn ns(&self) -> (f64, f64) {
        let (time, expansions) = (self.time.as_nanos() as f64, self.expansions as f64);
        (time / expansions, time / (expansions + self.updates as f64))
    }

    fn keep_better(&mut self, other: Work) {
        if self.expansions == 0 || other.time < self.time {
            *self = other;
        }
    }
}

/// A*, whole searches, with nothing around them.
fn bare(courses: &[Course]) -> Work {
    let mut search = BestFirst::new(SearchConfig::default());
    let mut work = Work::default();
    for course in courses {
        for (start, goal) in course.nodes().take(PROBLEMS) {
            let begin = Instant::now();
            search.start(&course.grid, start, goal);
            let mut slice = Slice::unlimited();
            search.run(&course.grid, &mut slice);
            work.time += begin.elapsed();
            work.expansions += slice.expansions();
        }
    }
    work
}

/// An agent on all problems, in a known or an unknown world. It keeps its memory from problem to problem.
fn walk(courses: &[Course], arenas: &[Arena], config: &Config) -> Work {
    let budget = if config.entry().parameters().iter().any(|p| ["depth", "queue"].contains(&p.name))
    {
        u64::MAX
    } else {
        BUDGET
    };
    let mut work = Work::default();
    for (course, arena) in courses.iter().zip(arenas) {
        let mut agent = None;
        for (start, goal) in course.nodes().take(PROBLEMS) {
            let mut world = arena.world(start, goal);
            let agent = match &mut agent {
                None => {
                    agent.insert(config.agent(world.known(), start, goal).expect("a fit problem"))
                }
                Some(agent) => {
                    agent.assign(world.known(), start, goal).expect("a fit problem");
                    agent
                }
            };
            run(agent.as_mut(), &mut world, budget, goal, &mut work);
        }
    }
    work
}

fn run(
    agent: &mut dyn tickstar::Agent<Layered<Grid>>,
    world: &mut tickstar_lab::World,
    budget: u64,
    goal: NodeId,
    work: &mut Work,
) {
    while agent.position() != goal {
        let mut slice = Slice::new(budget);
        let begin = Instant::now();
        let step = agent.tick(
            world.known(),
            agent.position(),
            Seen { changed: world.changed() },
            &mut slice,
        );
        work.time += begin.elapsed();
        work.expansions += slice.expansions();
        work.updates += slice.updates();
        world.reported();
        match step {
            Step::Move(to) => world.moved(to),
            Step::Unreachable => break,
            Step::Wait | Step::Arrived => {}
        }
    }
}

/// Every algorithm with its defaults, except those that expand nothing.
fn configs() -> Vec<Config> {
    let idle = |work| matches!(work, WorkBound::PerUnit { expansions: 0, .. });
    let entries = catalog::all().iter().filter(|entry| !idle(entry.facts.work));
    entries.map(|entry| entry.configure::<&str, &str>(&[]).expect("defaults are valid")).collect()
}

fn main() {
    let courses = courses();
    let names: Vec<_> = courses.iter().map(|course| course.name.as_str()).collect();
    println!(
        "{PROBLEMS} problems each on {} (512x512), best of {ROUNDS} rounds\n",
        names.join(", ")
    );
    let arenas = ["known", "unknown"].map(|kind| {
        let kind = kind.parse().expect("a world");
        let arena = |course: &Course| {
            let mut arena = Arena::new(&kind, &course.grid, 1).expect("no script");
            for config in configs() {
                arena.prepare(&config, |_| ()).expect("tables of level 3");
            }
            arena
        };
        courses.iter().map(arena).collect::<Vec<_>>()
    });
    let configs = configs();
    // Taking turns, and the best of several rounds each: the least disturbed one.
    let mut loop_alone = Work::default();
    let mut best = vec![[Work::default(); 2]; configs.len()];
    for _ in 0..ROUNDS {
        loop_alone.keep_better(bare(&courses));
        for (config, best) in configs.iter().zip(&mut best) {
            for (arenas, best) in arenas.iter().zip(best) {
                best.keep_better(walk(&courses, arenas, config));
            }
        }
    }
    let (alone, _) = loop_alone.ns();
    println!("{:<16} {:^38} {:^38}", "", "known", "unknown");
    let head = format!(
        "{:>11} {:>5} {:>7} {:>6} {:>5}",
        "ns/expansion", "times", "updates", "each", "times"
    );
    println!("{:<16} {head} {head}", "");
    println!("{:<16} {alone:>12.1} {:>5.2}", "the A* loop", 1.0);
    for (config, best) in configs.iter().zip(&best) {
        print!("{:<16}", config.entry().name);
        for work in best {
            let (expansion, each) = work.ns();
            let updates = work.updates as f64 / work.expansions as f64;
            let (times, of_each) = (expansion / alone, each / alone);
            print!(" {expansion:>12.1} {times:>5.2} {updates:>7.2} {each:>6.1} {of_each:>5.2}");
        }
        println!();
    }
    println!(
        "\ntimes: the bare loop's · updates: for each expansion · each: ns per node expanded or updated, \
         expanded or updated"
    );
}
