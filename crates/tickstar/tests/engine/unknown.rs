//! Agents in terrain that they discover on the way: cells that they have not seen are assumed to be free.
//!
//! The listings of the 2012 paper are implemented here as plainly as possible, followed by properties of every
//! algorithm and of the learned heuristic.

use std::cmp::Reverse;

use crate::kit::{
    LayeredGrid, OnPanic, Problem, Random, Walk, World, check_branch, check_estimates, configs,
    discover, discover_within, distance_on_empty_map, is_slow, ratio, tick, too_many_ticks, walk,
    weighted,
};
use tickstar::agent::time_bounded::{Restart, Tracing};
use tickstar::budget::Limits;
use tickstar::catalog::{self, Config};
use tickstar::search::{Priority, SearchConfig};
use tickstar::space::Neighbors;
use tickstar::{Agent, Cell, Cost, Event, Grid, NodeId, Seen, Step, TimeBoundedConfig};

fn configured(name: &str, settings: &[(&str, &str)]) -> Config {
    catalog::find(name).unwrap().configure(settings).unwrap()
}

/// How a search of the listing updates the heuristic for later ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Updates {
    /// Nothing: RTBA*.
    None,
    /// `h(s)` is raised when a later search generates `s`: TBAA* as listed.
    Lazy,
    /// `h(s)` is raised for all states the search has generated as soon as it ends, as the text says.
    Eager,
}

/// Algorithms 1 to 3 of the 2012 paper with their names. Lists are searched linearly.
///
/// Beyond the paper, the heuristic may be weighted in the order of expansion, without reopening. The update is then
/// based on the smallest f without the weight, including that of cheaper paths which were found to closed states and
/// not followed.
struct Listing {
    k: u64,
    updates: Updates,
    weight: (u64, u64),
    /// In this search, the smallest f of a path that was not followed.
    passed_over: u64,
    search_number: usize,
    search: Vec<usize>,
    h: Vec<u64>,
    g: Vec<u64>,
    parent: Vec<NodeId>,
    /// Indexed by the number of the search.
    pathcost: Vec<u64>,
    /// In insertion order.
    open: Vec<NodeId>,
    root: NodeId,
    current: NodeId,
    goal: NodeId,
    goal_found: bool,
    /// From the root to the best state of the open list.
    path: Vec<NodeId>,
    /// The states expanded in this interval.
    expanded: Vec<NodeId>,
    restarts: usize,
}

const INFINITE: u64 = u64::MAX;

impl Listing {
    /// Lines 14 and 15 of algorithm 2; the world has already been observed (line 16).
    fn new(world: &World, k: u64, updates: Updates, weight: (u64, u64)) -> Listing {
        let size = world.belief.size();
        let (start, goal) = (world.truth.start, world.truth.goal);
        let mut listing = Listing {
            k,
            updates,
            weight,
            passed_over: INFINITE,
            search_number: 0,
            search: vec![0; size],
            h: vec![0; size],
            g: vec![INFINITE; size],
            parent: vec![start; size],
            pathcost: vec![0],
            open: Vec::new(),
            root: start,
            current: start,
            goal,
            goal_found: false,
            path: Vec::new(),
            expanded: Vec::new(),
            restarts: 0,
        };
        listing.initialize_search(world);
        listing
    }

    /// The current h-value: that of the user for a state that no search has generated.
    fn h(&self, world: &World, s: NodeId) -> u64 {
        match self.search[s.index()] {
            0 => distance_on_empty_map(&world.known, s, self.goal).0,
            _ => self.h[s.index()],
        }
    }

    fn f(&self, s: NodeId) -> u64 {
        self.g[s.index()].saturating_add(self.h[s.index()])
    }

    /// The key of the open list: f, if the heuristic is not weighted.
    fn key(&self, s: NodeId) -> u64 {
        let (num, den) = self.weight;
        self.g[s.index()].saturating_mul(den).saturating_add(self.h[s.index()] * num)
    }

    /// Lines 1 to 9 of algorithm 3.
    fn initialize_state(&mut self, world: &World, s: NodeId) {
        let generated_in = self.search[s.index()];
        if generated_in == 0 {
            self.h[s.index()] = self.h(world, s);
            self.g[s.index()] = INFINITE;
        } else if generated_in != self.search_number {
            if self.updates == Updates::Lazy {
                let value = self.pathcost[generated_in].saturating_sub(self.g[s.index()]);
                self.h[s.index()] = self.h[s.index()].max(value);
            }
            self.g[s.index()] = INFINITE;
        }
        self.search[s.index()] = self.search_number;
    }

    /// Lines 6 to 14 of algorithm 1.
    fn initialize_search(&mut self, world: &World) {
        self.search_number += 1;
        self.root = self.current;
        self.initialize_state(world, self.root);
        self.g[self.root.index()] = 0;
        self.open = vec![self.root];
        self.initialize_state(world, self.goal);
        self.goal_found = false;
        self.passed_over = INFINITE;
    }

    /// Smaller key first, then larger g, then last in first out.
    fn best(&self) -> Option<NodeId> {
        let rank =
            |&(at, &s): &(usize, &NodeId)| (self.key(s), Reverse(self.g[s.index()]), Reverse(at));
        self.open.iter().enumerate().min_by_key(rank).map(|(_, &s)| s)
    }

    /// Lines 15 to 34 of algorithm 1.
    fn search(&mut self, world: &World) -> bool {
        while let Some(s) = self.best() {
            if self.expanded.len() as u64 >= self.k || self.key(self.goal) <= self.key(s) {
                break;
            }
            self.open.retain(|&open| open != s);
            for &(t, cost) in world.belief.edges_of(s) {
                self.initialize_state(world, t);
                let g = self.g[s.index()] + cost.0;
                let closed = self.g[t.index()] != INFINITE && !self.open.contains(&t);
                if self.g[t.index()] > g && closed && self.weight != (1, 1) {
                    self.passed_over = self.passed_over.min(g + self.h[t.index()]);
                } else if self.g[t.index()] > g {
                    self.g[t.index()] = g;
                    self.parent[t.index()] = s;
                    self.open.retain(|&open| open != t);
                    self.open.push(t);
                }
            }
            self.expanded.push(s);
        }
        let Some(best) = self.best() else { return false };
        self.goal_found = best == self.goal;
        self.path = vec![best];
        while self.path[0] != self.root {
            self.path.insert(0, self.parent[self.path[0].index()]);
        }
        true
    }

    /// Lines 10 to 15 of algorithm 3. It checks all edges from the root on.
    fn start_new_search(&mut self, world: &World) {
        let gone = |edge: &[NodeId]| world.belief.edge(edge[0], edge[1]).is_none();
        if !self.path.windows(2).any(gone) {
            return;
        }
        let f = self.open.iter().map(|&s| self.f(s)).min().unwrap_or(0).min(self.passed_over);
        self.pathcost.push(f);
        if self.updates == Updates::Eager {
            for s in 0..self.search.len() {
                if self.search[s] == self.search_number {
                    self.h[s] = self.h[s].max(f.saturating_sub(self.g[s]));
                }
            }
        }
        self.initialize_search(world);
        self.path.clear();
        self.restarts += 1;
    }

    /// Lines 17 to 28 of algorithm 2. The rest of the interval, observing the world and line 30, is done by the caller.
    fn interval(&mut self, world: &World) -> Step {
        self.expanded.clear();
        if self.current == self.goal {
            return Step::Arrived;
        }
        if !self.goal_found {
            if !self.search(world) {
                return Step::Unreachable;
            }
            self.start_new_search(world);
        }
        if self.path.is_empty() {
            return Step::Wait;
        }
        self.current = match self.path.iter().position(|&s| s == self.current) {
            Some(at) => self.path[at + 1],
            None => self.parent[self.current.index()],
        };
        Step::Move(self.current)
    }
}

/// What happened in many runs, to verify that they were not all easy.
#[derive(Default, Debug)]
struct Coverage {
    restarts: usize,
    waits: usize,
    backtracks: usize,
    arrived: usize,
    unreachable: usize,
}

impl Coverage {
    fn enough(&self) {
        assert!(self.restarts > 20_000 && self.waits > 200 && self.backtracks > 5000, "{self:?}");
        assert!(self.arrived > 2000 && self.unreachable > 1000, "{self:?}");
    }
}

/// Runs the listing and the engine side by side.
fn check_against_listing<A: Agent<LayeredGrid> + ?Sized>(
    world: &mut World,
    agent: &mut A,
    (k, updates, weight): (u64, Updates, (u64, u64)),
    coverage: &mut Coverage,
    mut pause: impl FnMut(&A, &Listing, &World),
) {
    let mut listing = Listing::new(world, k, updates, weight);
    let most = too_many_ticks(world.belief.size(), k) * (1 + world.hidden);
    let mut restarts = 0;
    for i in 0..most {
        let changed = std::mem::take(&mut world.unreported);
        let tick = tick(agent, &world.known, Seen { changed: &changed }, k, u64::MAX);
        let step = listing.interval(world);
        assert_eq!((tick.step, &tick.expanded), (step, &listing.expanded), "tick {i}");
        // The engine processes what was seen after a step at the start of the next tick.
        restarts += usize::from(tick.has(Event::Restart));
        coverage.backtracks += usize::from(tick.has(Event::Backtrack));
        match step {
            Step::Move(to) => {
                assert_eq!(tick.target, listing.path.last().copied(), "tick {i}");
                assert_eq!(restarts, listing.restarts, "tick {i}");
                pause(agent, &listing, world);
                world.look(to);
                if to != listing.goal {
                    listing.start_new_search(world);
                }
            }
            Step::Wait => {
                assert_eq!((tick.target, restarts), (None, listing.restarts), "tick {i}");
                coverage.waits += 1;
                pause(agent, &listing, world);
            }
            Step::Arrived => {
                coverage.arrived += 1;
                coverage.restarts += restarts;
                return;
            }
            Step::Unreachable => {
                coverage.unreachable += 1;
                coverage.restarts += restarts;
                return;
            }
        }
    }
    panic!("both walk forever");
}

const INTERVALS: [u64; 8] = [1, 2, 3, 5, 10, 37, 100, 1000];

#[test]
fn rtba_matches_the_listing() {
    let rtba = configured("rtba", &[("trace", "free")]);
    let mut random = Random::new(1);
    let mut coverage = Coverage::default();
    for _ in 0..3000 {
        let world = World::random(&mut random, 24);
        for k in [(); 2].map(|()| random.pick(&INTERVALS)) {
            let _context = OnPanic((&world, k));
            let mut agent = world.agent(&rtba);
            let listed = (k, Updates::None, (1, 1));
            check_against_listing(
                &mut world.clone(),
                agent.as_mut(),
                listed,
                &mut coverage,
                |_, _, _| (),
            );
        }
    }
    coverage.enough();
}

/// Lazy and eager updates give the same walks.
#[test]
fn tbaa_matches_the_listing() {
    let tbaa = configured("tbaa", &[("trace", "free")]);
    let mut random = Random::new(2);
    let mut coverage = Coverage::default();
    for _ in 0..3000 {
        let world = World::random(&mut random, 24);
        for updates in [Updates::Lazy, Updates::Eager] {
            let k = random.pick(&INTERVALS);
            let _context = OnPanic((&world, k, updates));
            let mut agent = world.agent(&tbaa);
            let listed = (k, updates, (1, 1));
            check_against_listing(
                &mut world.clone(),
                agent.as_mut(),
                listed,
                &mut coverage,
                |_, _, _| (),
            );
        }
    }
    coverage.enough();
}

/// Not only the walks: the heuristics themselves are equal, with weights too.
#[test]
fn lazy_updates_give_the_heuristic_of_eager_updates() {
    let mut random = Random::new(3);
    for (num, den) in [(1, 1), (7, 5), (3, 1)] {
        let config = tbaa(weighted(num, den), false);
        let config = TimeBoundedConfig { tracing: Tracing::Free, ..config };
        let (mut coverage, mut raised, mut passed_over) = (Coverage::default(), 0, 0);
        for _ in 0..700 {
            let mut world = World::random(&mut random, 20);
            let k = random.pick(&INTERVALS);
            let _context = OnPanic((world.clone(), k, num, den));
            let mut agent = world.time_bounded(config);
            let listed = (k, Updates::Eager, (num, den));
            check_against_listing(
                &mut world,
                &mut agent,
                listed,
                &mut coverage,
                |agent, listing, world| {
                    for cell in world.known.free_cells() {
                        let node = world.known.node(cell).unwrap();
                        let h = agent.search().estimate(&world.known, node);
                        assert_eq!(h, Cost(listing.h(world, node)), "{cell}");
                        let plain = distance_on_empty_map(&world.known, node, listing.goal);
                        raised += usize::from(h > plain);
                    }
                    passed_over += usize::from(listing.passed_over != INFINITE);
                },
            );
        }
        let _context = OnPanic((num, den, raised, passed_over, &coverage));
        assert!(coverage.restarts > 1000 && raised > 100_000);
        assert_eq!(passed_over > 100, num > den);
    }
}

/// TBAA*, or with a different priority the corresponding member of the catalog.
fn tbaa(priority: Priority, reopen: bool) -> TimeBoundedConfig {
    let search = SearchConfig { priority, reopen, learn: true, ..SearchConfig::default() };
    TimeBoundedConfig { search, restart: Restart::Path, ..TimeBoundedConfig::default() }
}

/// As many trace steps per tick as expansions, with a budget of twice their number; or free tracing.
fn tracings() -> [Tracing; 2] {
    [Tracing::Bounded { r: ratio(1, 2), c: ratio(1, 1) }, Tracing::Free]
}

/// The budget that buys this many expansions per tick.
fn budget_for(k: u64, tracing: Tracing) -> u64 {
    if tracing == Tracing::Free { k } else { 2 * k }
}

fn value<'c>(config: &'c Config, name: &str) -> Option<&'c str> {
    let mut parameters = config.parameters().iter();
    parameters.find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
}

/// Every algorithm is complete in terrain that does not change, known to it or not.
///
/// Why the ticks are bounded. Let `n` be the number of cells that may be free at first.
/// * A search restarts only because something its tree was built on has disappeared, or because it found no path after
///   a change. So each search but the last has seen a new cell, and a cell is seen once.
/// * A tick of a search that has not found the goal expands at least one of `n` nodes, unless the cells seen in that
///   tick used all its trace steps.
/// * Once the goal is found, at most `2n` steps remain to be traced (those of a trace in progress, and of the path), at
///   least one per tick, again unless a cell was seen.
/// * Once the path is known, at most `3n` steps remain to be walked: back to it, or over a shortcut, and along it.
/// * One tick of each search may only restart, and one may only detect the end.
#[test]
fn every_algorithm_arrives_in_unknown_terrain() {
    let mut random = Random::new(4);
    let (mut arrived, mut restarts_in_all, mut longest) = (0, 0, 0.0_f64);
    let plans = |config: &Config| {
        config.entry().facts.needs_hierarchy || config.entry().facts.needs_regions
    };
    for config in configs().into_iter().filter(|config| !is_slow(config) && !plans(config)) {
        for budget in [1, 2, 5, 10, 37, 100, 1000] {
            for _ in 0..4 {
                let mut world = World::random(&mut random, 16);
                let _context = OnPanic((world.clone(), &config, budget));
                let mut agent = world.agent(&config);
                let limits = agent.limits(budget);
                let (cells, hidden) = (world.known.free_cells().count(), world.hidden);
                let again = ["reopen", "shortcut"].map(|name| value(&config, name) == Some("true"));
                let (mut ticks, mut expansions, mut of_search) = (0, 0, 0);
                let (mut restarts, mut with_changes) = (0, 0);
                let stands = !config.entry().facts.acts_at_once();
                let walk = discover(agent.as_mut(), &mut world, budget, |_, world, tick| {
                    assert!(tick.expanded.len() as u64 <= limits.expansions, "{tick:?}");
                    assert!(tick.traces <= limits.traces, "{tick:?}");
                    let seen = hidden - world.hidden;
                    if tick.has(Event::Restart) {
                        restarts += 1;
                        // An agent that restarted after its work waits; one that waits while it searches may have done
                        // so before.
                        let after = tick.step == Step::Wait && !stands;
                        of_search = if after { of_search } else { 0 };
                    }
                    of_search += tick.expanded.len();
                    assert!(of_search <= cells || again != [false; 2], "{of_search} expansions");
                    if tick.has(Event::Restart) && tick.step == Step::Wait {
                        of_search = 0;
                    }
                    ticks += 1;
                    expansions += tick.expanded.len();
                    with_changes = with_changes.max(seen); // at least one cell in each of them
                    assert!(restarts <= seen, "{restarts} restarts, {seen} cells seen");
                    let idle = (restarts + 1) * (5 * cells + 2) + with_changes;
                    assert!(ticks <= expansions + idle, "{ticks} ticks, {expansions} expansions");
                });
                assert_eq!(walk.arrived(), world.truth.optimum.is_some());
                arrived += usize::from(walk.arrived());
                restarts_in_all += restarts;
                let bound = expansions + (restarts + 1) * (5 * cells + 2) + with_changes;
                longest = longest.max(ticks as f64 / bound as f64);
            }
        }
    }
    assert!(arrived > 3000 && restarts_in_all > 10_000, "{arrived}, {restarts_in_all}");
    assert!(longest > 0.1, "the bound on ticks means little: {longest} of it was used");
}

/// Like [`every_algorithm_arrives_in_unknown_terrain`], for those that arrive and give up by raising their heuristic.
#[test]
fn algorithms_that_are_slow_to_give_up_arrive_in_unknown_terrain() {
    let mut random = Random::new(10);
    let (mut arrived, mut unreachable, mut seen) = (0, 0, 0);
    let plans = |config: &Config| {
        config.entry().facts.needs_hierarchy || config.entry().facts.needs_regions
    };
    for config in configs().into_iter().filter(|config| is_slow(config) && !plans(config)) {
        for budget in [1, 2, 5, 10, 37, 100, 1000] {
            for _ in 0..8 {
                let mut world = World::random(&mut random, 12);
                let _context = OnPanic((world.clone(), &config, budget));
                let most = world.tick_limit(&config, budget);
                let (mut agent, hidden) = (world.agent(&config), world.hidden);
                let Limits { expansions, traces, updates } = agent.limits(budget);
                // Every step is an edge of the true map, and it gives up only if no path exists.
                let walk =
                    discover_within(most, agent.as_mut(), &mut world, budget, |_, _, tick| {
                        assert!(tick.expanded.len() as u64 <= expansions, "{tick:?}");
                        assert!(tick.traces <= traces && tick.updates <= updates, "{tick:?}");
                        assert!(!tick.has(Event::Restart));
                    });
                assert_eq!(walk.arrived(), world.truth.optimum.is_some());
                arrived += usize::from(walk.arrived());
                unreachable += usize::from(!walk.arrived());
                seen += hidden - world.hidden;
            }
        }
    }
    assert!(arrived > 700 && unreachable > 300 && seen > 5000, "{arrived}, {unreachable}, {seen}");
}

/// After every tick: consistent, zero at the goal, between the space's own heuristic and the true distance on the known
/// map, and never lower than before, as cells are only discovered to be blocked.
#[test]
fn learned_heuristics_only_increase_and_stay_consistent() {
    let mut random = Random::new(5);
    for (num, den) in [(1, 1), (7, 5), (3, 1)] {
        let (mut restarts, mut raised_at_last) = (0, 0);
        for (reopen, tracing) in [false, true].into_iter().flat_map(|r| tracings().map(|t| (r, t)))
        {
            let config = TimeBoundedConfig { tracing, ..tbaa(weighted(num, den), reopen) };
            for k in [1, 3, 10, 50].repeat(30) {
                let mut world = World::random(&mut random, 16);
                let _context = OnPanic((world.clone(), config, k));
                let mut agent = world.time_bounded(config);
                let goal = world.truth.goal;
                let (mut blocked, mut to_goal) = (usize::MAX, Vec::new());
                let (mut before, mut raised) = (vec![Cost::ZERO; world.belief.size()], 0);
                let budget = budget_for(k, tracing);
                let walk = discover(&mut agent, &mut world, budget, |agent, world, _| {
                    if blocked != world.hidden {
                        blocked = world.hidden;
                        to_goal = world.belief.distances(goal);
                    }
                    let search = agent.search();
                    raised = check_estimates(search, &world.known, &world.belief, &to_goal);
                    for (node, before) in (0..).map(NodeId).zip(&mut before) {
                        let now = search.estimate(&world.known, node);
                        assert!(now >= *before, "{node} decreases from {before:?} to {now:?}");
                        *before = now;
                    }
                });
                let began_again = |tick: &&crate::kit::Tick| tick.has(Event::Restart);
                restarts += walk.ticks.iter().filter(began_again).count();
                raised_at_last += raised;
            }
        }
        assert!(restarts > 1000, "weight {num}/{den}: {restarts} restarts");
        assert!(raised_at_last > 2000, "weight {num}/{den}: {raised_at_last} raised estimates");
    }
}

#[test]
fn parent_pointers_lead_to_the_root_in_unknown_terrain() {
    let mut random = Random::new(6);
    let priorities =
        [Priority::ASTAR, weighted(7, 5), weighted(3, 1), weighted(10, 1), Priority::GREEDY];
    let mut off_path = 0;
    for (priority, reopen) in priorities.into_iter().flat_map(|p| [(p, false), (p, true)]) {
        for restart in [Restart::Stopped, Restart::Path, Restart::Lazy, Restart::Eager] {
            for (learn, tracing) in [false, true].into_iter().zip(tracings()) {
                let search = SearchConfig { priority, reopen, learn, ..SearchConfig::default() };
                let config = TimeBoundedConfig { search, tracing, restart, ..Default::default() };
                for k in [1, 2, 4, 20].repeat(8) {
                    let mut world = World::random(&mut random, 20);
                    if random.chance(30) {
                        world = World::partial(&world.truth, &[]); // known from the start
                    }
                    let _context = OnPanic((world.clone(), config, k));
                    let mut agent = world.time_bounded(config);
                    discover(
                        &mut agent,
                        &mut world,
                        budget_for(k, tracing),
                        |agent, world, tick| {
                            check_branch(agent.search(), &world.known, agent.position());
                            off_path += usize::from(tick.has(Event::Backtrack));
                        },
                    );
                }
            }
        }
    }
    assert!(off_path > 10_000, "only {off_path} steps back");
}

/// Algorithm 4 of the 2012 paper. Returns the path of the last run and the number of runs.
fn repeat_until_nothing_is_discovered(
    agent: &mut dyn Agent<LayeredGrid>,
    world: &mut World,
    budget: u64,
) -> Option<(Vec<NodeId>, usize)> {
    let (hidden, start) = (world.hidden, world.truth.start);
    for run in 1..=hidden + 1 {
        let mut plan = None;
        let walk = discover(agent, world, budget, |agent, _, tick| {
            if tick.has(Event::Found) {
                plan = agent.plan();
            }
        });
        if !walk.arrived() {
            assert_eq!(run, 1, "an earlier run arrived");
            return None;
        }
        if !walk.ticks.iter().any(|tick| tick.has(Event::Restart)) {
            return Some((plan.expect("it arrived"), run));
        }
        agent.restart(&world.known, start).unwrap();
    }
    panic!("more runs than cells to discover");
}

#[test]
fn repeated_runs_converge_to_an_optimal_path() {
    let mut random = Random::new(7);
    let (mut most_runs, mut runs_in_all, mut unreachable) = (0, 0, 0);
    for (name, weight, reopen) in [
        ("rtba", None, None),
        ("tbaa", None, None),
        ("tbaa", Some((7, 5)), Some("false")),
        ("tbaa", Some((3, 1)), Some("false")),
    ] {
        for (trace, switch) in [("bounded", "false"), ("free", "false"), ("free", "true")] {
            let text = weight.map(|(num, den)| format!("{num}/{den}"));
            let mut settings = vec![("trace", trace), ("switch", switch)];
            settings.extend(text.as_deref().map(|weight| ("weight", weight)));
            settings.extend(reopen.map(|reopen| ("reopen", reopen)));
            let config = configured(name, &settings);
            for budget in [2, 5, 20, 200].repeat(40) {
                let mut world = World::random(&mut random, 18);
                let _context = OnPanic((world.clone(), &config, budget));
                if world.truth.start == world.truth.goal {
                    continue; // nothing is planned
                }
                let mut agent = world.agent(&config);
                let ended = repeat_until_nothing_is_discovered(agent.as_mut(), &mut world, budget);
                assert_eq!(ended.is_some(), world.truth.optimum.is_some());
                let Some(((path, runs), optimum)) = ended.zip(world.truth.optimum) else {
                    unreachable += 1;
                    continue;
                };
                assert_eq!(path.first(), Some(&world.truth.start));
                assert_eq!(path.last(), Some(&world.truth.goal));
                let cost = world.truth.oracle.path_cost(&path);
                let (num, den) = weight.unwrap_or((1, 1));
                assert!(cost.0 * den <= optimum.0 * num, "{cost:?}, and the optimum {optimum:?}");
                most_runs = most_runs.max(runs);
                runs_in_all += runs;
            }
        }
    }
    assert!(most_runs > 4 && runs_in_all > 1500 && unreachable > 300);
}

/// If there is nothing to discover, all these are the same algorithm.
#[test]
fn in_known_terrain_all_variants_equal_tba() {
    let mut random = Random::new(8);
    let weighted = [("weight", "1")];
    let others: [(&str, &[(&str, &str)]); 9] = [
        ("rtba", &[]),
        ("tbaa", &weighted),
        ("tbaa", &[("weight", "1"), ("reopen", "true")]),
        ("tb-wastar", &weighted),
        ("tb-wastar", &[("weight", "1"), ("reopen", "true")]),
        ("rtb-wastar", &[("weight", "1"), ("restart", "lazy")]),
        ("rtb-wastar", &[("weight", "1"), ("restart", "eager")]),
        ("rtb-wastar", &[("weight", "1"), ("restart", "lazy"), ("reopen", "true")]),
        ("rtb-wastar", &[("weight", "1"), ("restart", "eager"), ("reopen", "true")]),
    ];
    for _ in 0..1500 {
        let problem = Problem::<LayeredGrid>::random(&mut random);
        let [shortcut, switch] = [(); 2].map(|()| random.pick(&["false", "true"]));
        let trace = random.pick(&["bounded", "free"]);
        let common = [("trace", trace), ("shortcut", shortcut), ("switch", switch), ("r", "0.5")];
        let budget = random.pick(&[2, 3, 5, 10, 37, 100, 1000]);
        let walk_of = |name, settings: &[_]| {
            let config = configured(name, &[&common, settings].concat());
            let mut agent = config.agent(&problem.space, problem.start, problem.goal).unwrap();
            walk(agent.as_mut(), &problem, budget)
        };
        let tba = walk_of("tba", &[]);
        for (name, settings) in others {
            let _context = OnPanic((&problem, common, budget, name, settings));
            // Every step, expansion, trace step, event and target of every tick.
            assert_eq!(walk_of(name, settings), tba);
        }
    }
}

/// Expansions of a whole walk.
fn expansions(walk: &Walk) -> usize {
    walk.expanded().count()
}

#[test]
fn a_new_task_discards_the_learned_heuristic_and_a_restart_keeps_it() {
    let mut random = Random::new(9);
    let (mut fresh_in_all, mut placed_in_all, mut other_walks) = (0, 0, 0);
    for name in ["rtba", "tbaa"] {
        for trace in tracings() {
            let config = match name {
                "rtba" => TimeBoundedConfig { restart: Restart::Path, ..Default::default() },
                _ => tbaa(Priority::ASTAR, false),
            };
            let config = TimeBoundedConfig { tracing: trace, ..config };
            for k in [1, 3, 10, 50].repeat(60) {
                let mut world = World::random(&mut random, 18);
                let _context = OnPanic((world.clone(), config, k));
                let budget = budget_for(k, trace);
                let mut agent = world.time_bounded(config);
                if !discover(&mut agent, &mut world, budget, |_, _, _| ()).arrived() {
                    continue;
                }
                // From here on with the map as far as it is known, which is not reported to the agent.
                world.unreported.clear();
                let (start, goal) = (world.truth.start, world.truth.goal);
                let fresh = discover(
                    &mut world.time_bounded(config),
                    &mut world.clone(),
                    budget,
                    |_, _, _| (),
                );
                let mut placed = agent.clone();
                placed.restart(&world.known, start).unwrap();
                let placed = discover(&mut placed, &mut world.clone(), budget, |_, _, _| ());
                agent.assign(&world.known, start, goal).unwrap();
                let assigned = discover(&mut agent, &mut world.clone(), budget, |_, _, _| ());
                assert_eq!(assigned, fresh, "after a new task it behaves like a new agent");
                if name == "rtba" {
                    assert_eq!(placed, fresh, "without learning there is nothing to keep");
                } else {
                    fresh_in_all += expansions(&fresh);
                    placed_in_all += expansions(&placed);
                    other_walks += usize::from(placed != fresh);
                }
            }
        }
    }
    assert!(other_walks > 100, "the learned heuristic changed only {other_walks} walks");
    assert!(placed_in_all < fresh_in_all, "{placed_in_all} of {fresh_in_all} expansions");
}

/// A pocket that opens toward the start: an agent that has been in it does not enter it again.
#[test]
fn a_learning_agent_enters_a_pocket_once() {
    let rows = ["..........", ".....###..", ".......#..", ".......#..", ".....###..", ".........."];
    let map = Grid::from_rows(rows).unwrap().with_neighbors(Neighbors::Four);
    let mut world = World::unknown(Problem::on(&map, (1, 2), (9, 2)));
    let config = TimeBoundedConfig { tracing: Tracing::Free, ..tbaa(Priority::ASTAR, false) };
    let mut agent = world.time_bounded(config);
    assert!(discover(&mut agent, &mut world, 5, |_, _, _| ()).arrived());
    world.unreported.clear();
    let (start, goal) = (world.truth.start, world.truth.goal);
    let deep = world.known.node(Cell::new(6, 2)).unwrap();
    let plain = distance_on_empty_map(&map, deep, goal);
    assert!(agent.search().estimate(&world.known, deep) > plain);

    let mut placed = agent.clone();
    placed.restart(&world.known, start).unwrap();
    assert!(placed.search().estimate(&world.known, deep) > plain, "the learned heuristic is kept");
    let again = discover(&mut placed, &mut world.clone(), 5, |_, _, _| ());
    assert!(!again.expanded().any(|node| node == deep));

    agent.assign(&world.known, start, goal).unwrap();
    assert_eq!(
        agent.search().estimate(&world.known, deep),
        plain,
        "the learned heuristic is discarded"
    );
    let anew = discover(&mut agent, &mut world.clone(), 5, |_, _, _| ());
    assert!(anew.expanded().any(|node| node == deep));
    assert!(expansions(&again) < expansions(&anew));
}

/// The guarantee of algorithm 4 relies on walking the whole path. A shortcut skips a part of it, which may contain a
/// blocked cell that the agent never sees: here the second cell of the lower row. The agent arrives without a restart,
/// and the path it returns is not passable.
#[test]
fn a_shortcut_can_leave_a_part_of_the_path_unseen() {
    let wall = "........#.";
    let rows = [&[wall; 7][..], &[".##.#####.", ".........."]].concat();
    let map = Grid::from_rows(rows).unwrap().with_neighbors(Neighbors::Four);
    let map = Problem::on(&map, (0, 7), (9, 0));
    let blocked = map.space.node(Cell::new(1, 8)).unwrap();
    for (shortcut, is_seen) in [("true", false), ("false", true)] {
        let config = configured("rtba", &[("trace", "free"), ("shortcut", shortcut)]);
        let mut world = World::partial(&map, &[blocked]);
        let mut agent = world.agent(&config);
        let ended = repeat_until_nothing_is_discovered(agent.as_mut(), &mut world, 19);
        let (path, runs) = ended.expect("a path exists");
        assert_eq!(runs > 1, is_seen);
        assert_eq!(path.contains(&blocked), !is_seen);
        assert_eq!(world.hidden == 0, is_seen);
    }
}

/// The same for algorithms that plan on a hierarchy, which is repaired with every cell they see.
#[test]
fn agents_that_plan_on_a_hierarchy_arrive_in_unknown_terrain() {
    let mut random = Random::new(14);
    let mut arrived = 0;
    let plans = |config: &Config| {
        config.entry().facts.needs_hierarchy || config.entry().facts.needs_regions
    };
    for config in configs().into_iter().filter(plans) {
        for budget in [1, 2, 5, 37, 1000] {
            for _ in 0..4 {
                let mut world = World::random(&mut random, 14);
                let _context = OnPanic((world.clone(), &config, budget));
                let mut agent = world.agent(&config);
                let limits = agent.limits(budget);
                let most = world.tick_limit(&config, budget);
                let walk =
                    discover_within(most, agent.as_mut(), &mut world, budget, |_, _, tick| {
                        let all = (tick.expanded.len() + tick.above.len()) as u64;
                        assert!(all <= limits.expansions, "{tick:?}");
                        assert!(tick.traces <= limits.traces && tick.updates <= limits.updates);
                    });
                assert_eq!(walk.arrived(), world.truth.optimum.is_some());
                arrived += usize::from(walk.arrived());
            }
        }
    }
    assert!(arrived > 500, "{arrived}");
}
