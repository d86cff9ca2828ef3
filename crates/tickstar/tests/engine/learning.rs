//! Agents that look ahead locally and learn: LRTA*, P LRTA*, LSS-LRTA*, RTAA*, aRTAA* and daRTAA*; and Adaptive A*
//! compared with Repeated A*.
//!
//! The algorithms are implemented here as plainly as possible, with tables as long as the map and lists that are
//! searched linearly, followed by properties of all of them and of their learned heuristics.

use std::cmp::Reverse;

use crate::kit::{
    Kind, LayeredGraph, LayeredGrid, OnPanic, Oracle, Problem, Random, Tick, TickLimit, Walk,
    World, discover, distance_on_empty_map, max_moves, tick, walk_within,
};
use tickstar::agent::local::{Avoid, Commitment, Local, LocalConfig, Lookahead, Update};
use tickstar::agent::time_bounded::{Acting, Restart, Tracing};
use tickstar::search::{OpenList, SearchConfig};
use tickstar::space::{Corners, Neighbors};
use tickstar::{
    Agent, Cell, Cost, Event, Grid, Map, NodeId, Seen, Slice, Space, Step, TimeBoundedConfig,
};

const UNLIMITED: u64 = u64::MAX;

fn local(lookahead: Lookahead) -> LocalConfig {
    LocalConfig { lookahead, open: OpenList::default() }
}

fn lrta(depth: u32) -> LocalConfig {
    local(Lookahead::Ball { depth })
}

fn p_lrta(length: u32) -> LocalConfig {
    local(Lookahead::Queue { length })
}

fn astar_shaped(update: Update, avoid: Avoid, commitment: Commitment) -> LocalConfig {
    local(Lookahead::Astar { update, avoid, commitment })
}

fn rtaa() -> LocalConfig {
    astar_shaped(Update::Uniform, Avoid::Nothing, Commitment::Step)
}

fn lss_lrta() -> LocalConfig {
    astar_shaped(Update::Region, Avoid::Nothing, Commitment::Step)
}

fn a_rtaa() -> LocalConfig {
    astar_shaped(Update::Uniform, Avoid::Raised, Commitment::Step)
}

fn da_rtaa() -> LocalConfig {
    astar_shaped(Update::Uniform, Avoid::MostRaised, Commitment::Step)
}

/// The same, but it walks to its target before the next lookahead.
fn all_the_way(config: LocalConfig) -> LocalConfig {
    let Lookahead::Astar { update, avoid, .. } = config.lookahead else {
        panic!("only an A* lookahead has a target")
    };
    LocalConfig { open: config.open, ..astar_shaped(update, avoid, Commitment::Target) }
}

/// Each of the six, those with an A* lookahead with one move per search and with all, and both open lists.
fn all() -> Vec<LocalConfig> {
    let shaped = [rtaa(), lss_lrta(), a_rtaa(), da_rtaa()];
    let balls = [1, 2, 3, 5].map(lrta);
    let queues = [0, 1, 7, 40].map(p_lrta);
    let mut configs = [&shaped[..], &shaped.map(all_the_way), &balls, &queues].concat();
    for (i, config) in configs.iter_mut().enumerate() {
        config.open = [OpenList::Buckets, OpenList::Heap][i / 2 % 2];
    }
    configs
}

/// Where an agent walks: a map as it is known so far.
trait Terrain: Clone + std::fmt::Debug {
    type Space: Map;
    fn space(&self) -> &Self::Space;
    /// The edges of the known map, in visiting order.
    fn edges(&self) -> &Oracle;
    fn ends(&self) -> (NodeId, NodeId);
    /// The heuristic of the space.
    fn plain(&self, node: NodeId) -> Cost;
    /// The cells seen since the last call.
    fn take_changes(&mut self) -> Vec<NodeId>;
    /// Sees the cells around a node.
    fn look(&mut self, at: NodeId);
    /// Whether a path exists on the true map.
    fn has_path(&self) -> bool;

    fn learner(&self, config: LocalConfig) -> Local {
        let (start, goal) = self.ends();
        Local::new(self.space(), config, start, goal).unwrap()
    }

    /// The nodes that may be free.
    fn nodes(&self) -> Vec<NodeId> {
        let nodes = (0..self.space().size() as u32).map(NodeId);
        nodes.filter(|&node| self.space().contains(node)).collect()
    }

    /// The maximum number of moves of an agent: see [`max_moves`].
    fn max_moves(&self) -> usize {
        max_moves(self.space(), self.edges(), self.ends()).unwrap_or(usize::MAX)
    }
}

impl Terrain for World {
    type Space = LayeredGrid;

    fn space(&self) -> &LayeredGrid {
        &self.known
    }

    fn edges(&self) -> &Oracle {
        &self.belief
    }

    fn ends(&self) -> (NodeId, NodeId) {
        (self.truth.start, self.truth.goal)
    }

    fn plain(&self, node: NodeId) -> Cost {
        distance_on_empty_map(&self.known, node, self.truth.goal)
    }

    fn take_changes(&mut self) -> Vec<NodeId> {
        std::mem::take(&mut self.unreported)
    }

    fn look(&mut self, at: NodeId) {
        World::look(self, at);
    }

    fn has_path(&self) -> bool {
        self.truth.optimum.is_some()
    }
}

/// A graph, known from the start.
impl Terrain for Problem<LayeredGraph> {
    type Space = LayeredGraph;

    fn space(&self) -> &LayeredGraph {
        &self.space
    }

    fn edges(&self) -> &Oracle {
        &self.oracle
    }

    fn ends(&self) -> (NodeId, NodeId) {
        (self.start, self.goal)
    }

    fn plain(&self, node: NodeId) -> Cost {
        self.space.estimate(node, self.goal)
    }

    fn take_changes(&mut self) -> Vec<NodeId> {
        Vec::new()
    }

    fn look(&mut self, _at: NodeId) {}

    fn has_path(&self) -> bool {
        self.optimum.is_some()
    }
}

/// A map that is known, or is to be discovered partly or completely, at most `side` wide and high.
fn any_world(random: &mut Random, side: u64) -> World {
    let world = World::random(random, side);
    if random.chance(30) { known(&world.truth) } else { world }
}

fn known(problem: &Problem<LayeredGrid>) -> World {
    World::partial(problem, &[])
}

/// A graph on which no edge is so much more expensive than another that learning would take forever.
fn any_graph(random: &mut Random) -> Problem<LayeredGraph> {
    loop {
        let kind = random.pick(&[Kind::Undirected, Kind::Positioned]);
        let nodes = 1 + random.below(25);
        let mut problem = Problem::<LayeredGraph>::random_of(random, kind, nodes, 20);
        problem.oracle = Oracle::in_visit_order(&problem.space);
        if problem.max_moves() < 30_000 {
            return problem;
        }
    }
}

/// Like [`any_graph`], with no two edges between the same nodes: of two that are equally good, an open list keeps the
/// first, and a scan of the neighbors the last.
fn any_simple_graph(random: &mut Random) -> Problem<LayeredGraph> {
    loop {
        let problem = any_graph(random);
        let is_simple = |node| {
            let mut to: Vec<_> = problem.oracle.edges_of(node).iter().map(|edge| edge.0).collect();
            to.sort_unstable();
            to.is_sorted_by(|a, b| a < b)
        };
        if problem.nodes().into_iter().all(is_simple) {
            return problem;
        }
    }
}

/// An algorithm of the family, as described in a textbook.
struct Listing {
    lookahead: Lookahead,
    /// Expansions per A* search.
    k: u64,
    goal: NodeId,
    at: NodeId,
    h: Vec<u64>,
    plain: Vec<u64>,
    /// The heuristic shown by an agent that applies the update from its last search when the next one starts.
    shown: Vec<u64>,
    /// The nodes that any lookahead has generated, and the most expensive edge: the rule for giving up is based on
    /// them.
    generated: Vec<bool>,
    max_edge: u64,
    /// The nodes expanded in this tick.
    expanded: Vec<NodeId>,
    target: Option<NodeId>,
    /// The rest of the path to the target.
    path: Vec<NodeId>,
    /// The priority, the insertion count, and the node.
    queue: Vec<(u64, usize, NodeId)>,
    queued: usize,
    /// How often the heuristic of the agent's node was raised, and how often a target was not the best node.
    raised: usize,
    avoided: usize,
}

const INFINITE: u64 = u64::MAX;

impl Listing {
    fn new(terrain: &impl Terrain, lookahead: Lookahead, k: u64) -> Listing {
        let size = terrain.edges().size();
        let (start, goal) = terrain.ends();
        let mut plain = vec![0; size];
        for node in terrain.nodes() {
            plain[node.index()] = terrain.plain(node).0;
        }
        Listing {
            lookahead,
            k,
            goal,
            at: start,
            h: plain.clone(),
            shown: plain.clone(),
            plain,
            generated: vec![false; size],
            max_edge: terrain.space().max_edge_cost().0,
            expanded: Vec::new(),
            target: None,
            path: Vec::new(),
            queue: Vec::new(),
            queued: 0,
            raised: 0,
            avoided: 0,
        }
    }

    /// Whether a heuristic is larger than any could be if something were left to explore.
    fn proves_no_path(&self, estimate: u64) -> bool {
        let generated = self.generated.iter().filter(|&&generated| generated).count() as u64;
        let far = self.plain.iter().zip(&self.generated).filter(|(_, generated)| **generated);
        let farthest = far.map(|(&plain, _)| plain).max().unwrap_or(0);
        estimate > generated * self.max_edge + farthest
    }

    fn tick(&mut self, map: &Oracle) -> Step {
        self.expanded.clear();
        if self.at == self.goal {
            return Step::Arrived;
        }
        let next = match self.lookahead {
            Lookahead::Astar { update, avoid, commitment } => {
                let ahead: Vec<_> = [&[self.at], &self.path[..]].concat();
                let gone = |edge: &[NodeId]| map.edge(edge[0], edge[1]).is_none();
                let whole = !self.path.is_empty() && !ahead.windows(2).any(gone);
                if whole || self.search(map, update, avoid) {
                    let next = self.path.remove(0);
                    if commitment == Commitment::Step {
                        self.path.clear();
                    }
                    Some(next)
                } else {
                    None
                }
            }
            Lookahead::Ball { depth } => self.ball(map, depth),
            Lookahead::Queue { length } => self.prioritized(map, length as usize),
        };
        let Some(next) = next else { return Step::Unreachable };
        self.at = next;
        Step::Move(next)
    }

    /// A* from the agent's position, and the update from it. Returns whether a path may exist.
    fn search(&mut self, map: &Oracle, update: Update, avoid: Avoid) -> bool {
        let size = map.size();
        let (mut g, mut parent) = (vec![INFINITE; size], vec![self.at; size]);
        let mut closed = vec![false; size];
        // In insertion order.
        let mut open = vec![self.at];
        g[self.at.index()] = 0;
        self.generated[self.at.index()] = true;
        let (goal, start) = (self.goal, self.at);
        let (best, f) = loop {
            let f = |s: NodeId| g[s.index()] + self.h[s.index()];
            let rank = |&(i, &s): &(usize, &NodeId)| (f(s), Reverse(g[s.index()]), Reverse(i));
            let Some((_, &s)) = open.iter().enumerate().min_by_key(rank) else { return false };
            if g[goal.index()] != INFINITE && f(goal) <= f(s) {
                break (goal, f(goal));
            }
            if self.expanded.len() as u64 == self.k {
                break (s, f(s));
            }
            open.retain(|&other| other != s);
            closed[s.index()] = true;
            self.expanded.push(s);
            for &(t, cost) in map.edges_of(s) {
                self.generated[t.index()] = true;
                let through = g[s.index()] + cost.0;
                if through < g[t.index()] {
                    assert!(!closed[t.index()], "a consistent heuristic closes no node too early");
                    g[t.index()] = through;
                    parent[t.index()] = s;
                    open.retain(|&other| other != t);
                    open.push(t);
                }
            }
        };
        if self.proves_no_path(f) {
            return false;
        }
        self.raised += usize::from(f > self.h[start.index()]);
        let delta = |s: NodeId| match avoid {
            Avoid::Nothing => 0,
            Avoid::Raised => u64::from(self.h[s.index()] > self.plain[s.index()]),
            Avoid::MostRaised => self.h[s.index()] - self.plain[s.index()],
        };
        let mut target = best;
        if best != goal {
            let rank = |&(i, &s): &(usize, &NodeId)| {
                let (g, h) = (g[s.index()], self.h[s.index()]);
                (delta(s), g + h, Reverse(g), Reverse(i))
            };
            target = *open.iter().enumerate().min_by_key(rank).expect("at least the best one").1;
        }
        self.avoided += usize::from(target != best);
        self.target = Some(target);
        self.path = vec![target];
        while parent[self.path[0].index()] != start {
            self.path.insert(0, parent[self.path[0].index()]);
        }
        match update {
            Update::Uniform => {
                self.shown = self.h.clone();
                for &s in &self.expanded {
                    self.h[s.index()] = f - g[s.index()];
                }
            }
            Update::Region => {
                self.dijkstra(map, &mut closed, open);
                self.shown = self.h.clone();
            }
        }
        true
    }

    /// The largest heuristics of the closed nodes that are consistent with those of the open ones.
    fn dijkstra(&mut self, map: &Oracle, closed: &mut [bool], mut open: Vec<NodeId>) {
        for s in self.expanded.clone() {
            self.h[s.index()] = INFINITE;
        }
        while let Some(&s) = open.iter().min_by_key(|s| self.h[s.index()]) {
            open.retain(|&other| other != s);
            closed[s.index()] = false;
            for &(p, cost) in map.edges_of(s) {
                let through = cost.0 + self.h[s.index()];
                if closed[p.index()] && self.h[p.index()] > through {
                    self.h[p.index()] = through;
                    if !open.contains(&p) {
                        open.push(p);
                    }
                }
            }
        }
        assert!(!closed.contains(&true));
    }

    /// LRTA*, with a lookahead of `depth` steps.
    fn ball(&mut self, map: &Oracle, depth: u32) -> Option<NodeId> {
        let mut steps = vec![u32::MAX; map.size()];
        steps[self.at.index()] = 0;
        let mut ball = vec![self.at];
        let mut i = 0;
        while let Some(&s) = ball.get(i) {
            i += 1;
            if s == self.goal || steps[s.index()] == depth {
                continue;
            }
            self.expanded.push(s);
            for &(t, _) in map.edges_of(s) {
                if steps[t.index()] == u32::MAX {
                    steps[t.index()] = steps[s.index()] + 1;
                    ball.push(t);
                }
            }
        }
        let inside = |s: NodeId| s != self.goal && steps[s.index()] < depth;
        if ball.iter().all(|&s| inside(s)) {
            return None;
        }
        for &s in &ball {
            self.generated[s.index()] = true;
        }
        let mut v = self.h.clone();
        for &s in ball.iter().filter(|&&s| inside(s)) {
            v[s.index()] = INFINITE;
        }
        loop {
            let before = v.clone();
            for &s in ball.iter().filter(|&&s| inside(s)) {
                let ways = map.edges_of(s).iter();
                let least = ways.map(|&(t, cost)| v[t.index()].saturating_add(cost.0)).min();
                v[s.index()] = self.h[s.index()].max(least.unwrap_or(INFINITE));
            }
            if v == before {
                break;
            }
        }
        let (next, least) = self.best_neighbor(map, &v)?;
        self.raised += usize::from(least > self.h[self.at.index()]);
        self.h[self.at.index()] = self.h[self.at.index()].max(least);
        self.shown = self.h.clone();
        (!self.proves_no_path(least)).then_some(next)
    }

    /// Ties: the goal, then the more expensive step, then the last.
    fn best_neighbor(&self, map: &Oracle, v: &[u64]) -> Option<(NodeId, u64)> {
        let others = map.edges_of(self.at).iter().enumerate().filter(|(_, edge)| edge.0 != self.at);
        let rank = |&(i, &(t, cost)): &(usize, &(NodeId, Cost))| {
            let total = v[t.index()].saturating_add(cost.0);
            (total, t != self.goal, Reverse(cost), Reverse(i))
        };
        let (_, &(t, cost)) = others.min_by_key(rank)?;
        Some((t, v[t.index()].saturating_add(cost.0)))
    }

    /// P LRTA*.
    fn prioritized(&mut self, map: &Oracle, length: usize) -> Option<NodeId> {
        self.raised += usize::from(self.update(map, self.at, length));
        for _ in 0..length {
            let largest = self.queue.iter().copied().max();
            let Some(entry) = largest.filter(|_| (self.expanded.len() as u64) < self.k) else {
                break;
            };
            self.queue.retain(|&other| other != entry);
            self.update(map, entry.2, length);
        }
        self.shown = self.h.clone();
        let (next, least) = self.best_neighbor(map, &self.h)?;
        (!self.proves_no_path(least)).then_some(next)
    }

    fn update(&mut self, map: &Oracle, s: NodeId, length: usize) -> bool {
        self.expanded.push(s);
        self.generated[s.index()] = true;
        for &(t, _) in map.edges_of(s) {
            self.generated[t.index()] = true;
        }
        // A self-loop leads nowhere.
        let edges: Vec<_> = map.edges_of(s).iter().filter(|edge| edge.0 != s).collect();
        let ways = edges.iter().map(|&&(t, cost)| self.h[t.index()] + cost.0);
        let Some(least) = ways.min() else { return false };
        let more = least.saturating_sub(self.h[s.index()]);
        if more == 0 {
            return false;
        }
        self.h[s.index()] = least;
        for &&(t, _) in edges.iter().filter(|edge| edge.0 != self.goal) {
            self.queued += 1;
            let entry = (more, self.queued, t);
            if let Some(place) = self.queue.iter_mut().find(|other| other.2 == t) {
                if more > place.0 {
                    *place = entry;
                }
            } else if self.queue.len() < length {
                self.queue.push(entry);
            } else if let Some(place) = self.queue.iter_mut().min().filter(|place| place.0 < more) {
                *place = entry;
            }
        }
        true
    }
}

/// More moves than an agent of this kind needs. Those that avoid depressions take steps that do not lower the heuristic
/// by their cost, and it is only known that they visit no node twice without learning.
fn max_moves_of(terrain: &impl Terrain, lookahead: Lookahead) -> usize {
    match lookahead {
        Lookahead::Astar { avoid: Avoid::Raised | Avoid::MostRaised, .. } => {
            5 * terrain.max_moves()
        }
        _ => terrain.max_moves(),
    }
}

/// What happened in many walks, to verify that they were not all easy.
#[derive(Default, Debug)]
struct Coverage {
    arrived: usize,
    unreachable: usize,
    moves: usize,
    raised: usize,
    avoided: usize,
}

/// Checks that a walk equals that of the listing: the same steps, targets and expansions, tick by tick, and the same
/// heuristics after each. A tick in which the agent waits, because its lookahead exceeds the budget, is counted with
/// the next one.
fn check_against_listing<T: Terrain>(
    terrain: &mut T,
    config: LocalConfig,
    k: u64,
    coverage: &mut Coverage,
) {
    let _context = OnPanic((terrain.clone(), config, k));
    let most = max_moves_of(terrain, config.lookahead);
    let mut agent = terrain.learner(config);
    let mut listing = Listing::new(terrain, config.lookahead, k);
    let nodes = terrain.nodes();
    let mut moves = 0;
    let mut expanded = Vec::new();
    loop {
        assert!(moves <= most, "both walk forever");
        let seen = terrain.take_changes();
        let tick = tick(&mut agent, terrain.space(), Seen { changed: &seen }, k, u64::MAX);
        expanded.extend_from_slice(&tick.expanded);
        if tick.step == Step::Wait {
            let is_ball = matches!(config.lookahead, Lookahead::Ball { .. });
            assert!(is_ball && tick.expanded.len().max(tick.updates as usize) as u64 >= k);
            continue;
        }
        let raised = listing.raised;
        let step = listing.tick(terrain.edges());
        assert_eq!((tick.step, &expanded), (step, &listing.expanded), "move {moves}");
        expanded.clear();
        if let Step::Move(to) = step {
            moves += 1;
            assert_eq!(tick.target, listing.target, "move {moves}");
            assert_eq!(tick.has(Event::Learned), listing.raised > raised, "move {moves}");
            for &node in &nodes {
                let shown = agent.estimate(terrain.space(), node);
                assert_eq!(shown, Cost(listing.shown[node.index()]), "move {moves}: {node}");
            }
            terrain.look(to);
            continue;
        }
        assert_eq!(step == Step::Arrived, terrain.has_path());
        coverage.arrived += usize::from(step == Step::Arrived);
        coverage.unreachable += usize::from(step == Step::Unreachable);
        coverage.moves += moves;
        coverage.raised += listing.raised;
        coverage.avoided += listing.avoided;
        return;
    }
}

/// Runs the listing and the engine side by side on known and unknown maps, and on graphs.
fn check_all_against_listing(
    seed: u64,
    configs: &[LocalConfig],
    budgets: &[u64],
    worlds: usize,
) -> Coverage {
    let mut random = Random::new(seed);
    let mut coverage = Coverage::default();
    for (&config, &k) in configs.iter().flat_map(|config| budgets.iter().map(move |k| (config, k)))
    {
        for _ in 0..worlds {
            check_against_listing(&mut any_world(&mut random, 11), config, k, &mut coverage);
        }
        for _ in 0..worlds / 3 {
            check_against_listing(&mut any_graph(&mut random), config, k, &mut coverage);
        }
    }
    assert!(
        coverage.arrived > 100 && coverage.unreachable > 50 && coverage.raised > 5000,
        "{coverage:?}"
    );
    coverage
}

/// Eager and lazy updates give the same walks.
#[test]
fn rtaa_matches_the_listing() {
    let coverage = check_all_against_listing(1, &[rtaa(), all_the_way(rtaa())], &[1, 2, 5, 30], 60);
    assert_eq!(coverage.avoided, 0);
}

#[test]
fn depression_avoidance_matches_the_listing() {
    for config in [a_rtaa(), da_rtaa()] {
        let coverage =
            check_all_against_listing(2, &[config, all_the_way(config)], &[1, 2, 5, 30], 60);
        assert!(coverage.avoided > 300, "{coverage:?}");
    }
}

#[test]
fn lss_lrta_matches_the_listing() {
    check_all_against_listing(3, &[lss_lrta(), all_the_way(lss_lrta())], &[1, 2, 5, 30], 60);
}

#[test]
fn lrta_matches_the_listing() {
    check_all_against_listing(4, &[1, 2, 3, 4, 7].map(lrta), &[3, UNLIMITED], 50);
}

#[test]
fn p_lrta_matches_the_listing() {
    check_all_against_listing(5, &[0, 1, 2, 5, 20, 60].map(p_lrta), &[1, 4, UNLIMITED], 40);
}

/// Walks to the end, with a callback after each tick; some ticks are cut short.
fn walk_cut_short<T: Terrain>(
    terrain: &mut T,
    agent: &mut Local,
    budget: u64,
    mut patience: impl FnMut() -> u64,
    mut pause: impl FnMut(&Local, &T, &Tick),
) -> Vec<Tick> {
    // If ticks are cut short, a move may take as many ticks as there are nodes, and more.
    let waits = 50 * (terrain.space().size() + 10);
    let most = TickLimit { waits, ..TickLimit::ticks(5 * terrain.max_moves()) };
    let mut so_far = TickLimit::ticks(0);
    let mut ticks = Vec::new();
    loop {
        let seen = terrain.take_changes();
        let seen = Seen { changed: &seen };
        let tick = tick(agent, terrain.space(), seen, budget, patience());
        pause(agent, terrain, &tick);
        let step = tick.step;
        most.count(step, &mut so_far);
        ticks.push(tick);
        match step {
            Step::Move(to) => terrain.look(to),
            Step::Wait => {}
            Step::Arrived | Step::Unreachable => {
                assert_eq!(step == Step::Arrived, terrain.has_path());
                return ticks;
            }
        }
    }
}

/// Like [`walk_cut_short`], but no tick is cut short.
fn walk_in<T: Terrain>(
    terrain: &mut T,
    agent: &mut Local,
    budget: u64,
    pause: impl FnMut(&Local, &T, &Tick),
) -> Vec<Tick> {
    walk_cut_short(terrain, agent, budget, || u64::MAX, pause)
}

/// Like [`walk_in`], with a new agent and without a callback.
fn walk_of(terrain: &impl Terrain, config: LocalConfig, budget: u64) -> Vec<Tick> {
    walk_in(&mut terrain.clone(), &mut terrain.learner(config), budget, |_, _, _| ())
}

/// Only the steps, without waits.
fn steps(ticks: &[Tick]) -> Vec<Step> {
    ticks.iter().map(|tick| tick.step).filter(|&step| step != Step::Wait).collect()
}

/// Whether the learned heuristic of an algorithm is consistent, rather than only admissible.
fn is_consistent(config: LocalConfig) -> bool {
    !matches!(config.lookahead, Lookahead::Ball { depth } if depth > 1)
}

/// Checks all heuristics on a map: between the space's and the true distance, and consistent if so declared. Returns
/// how many are above the space's.
fn check_estimates<S: Map>(
    agent: &Local,
    (space, map): (&S, &Oracle),
    to_goal: &[Option<Cost>],
    nodes: impl Iterator<Item = (NodeId, Cost)>,
    consistent: bool,
) -> usize {
    let mut raised = 0;
    for (node, plain) in nodes {
        let estimate = agent.estimate(space, node);
        assert!(estimate >= plain, "{node}: {estimate:?} is below {plain:?}");
        raised += usize::from(estimate > plain);
        if let Some(distance) = to_goal[node.index()] {
            assert!(estimate <= distance, "{node}: {estimate:?} exceeds {distance:?}");
        }
        for &(to, cost) in map.edges_of(node).iter().filter(|_| consistent) {
            let there = agent.estimate(space, to);
            assert!(estimate <= cost + there, "{node} {estimate:?}, {to} {there:?}: {cost:?}");
        }
    }
    raised
}

/// Checks the heuristics after every tick, even if ticks are cut short; and that they never decrease, as nothing is
/// opened.
fn check_learning<T: Terrain>(
    terrain: &mut T,
    config: LocalConfig,
    budget: u64,
    cut: bool,
) -> usize {
    let _context = OnPanic((terrain.clone(), config, budget, cut));
    let goal = terrain.ends().1;
    let (mut edges, mut to_goal) = (usize::MAX, Vec::new());
    let (mut before, mut raised) = (vec![Cost::ZERO; terrain.space().size()], 0);
    let mut random = Random::new(budget);
    let patience = || if cut && random.chance(60) { random.below(12) } else { u64::MAX };
    let mut agent = terrain.learner(config);
    walk_cut_short(terrain, &mut agent, budget, patience, |agent, terrain, _| {
        let (space, map) = (terrain.space(), terrain.edges());
        let count = terrain.nodes().iter().map(|&node| map.edges_of(node).len()).sum();
        if edges != count {
            edges = count;
            to_goal = map.distances(goal);
        }
        let nodes = terrain.nodes().into_iter().map(|node| (node, terrain.plain(node)));
        raised = check_estimates(agent, (space, map), &to_goal, nodes, is_consistent(config));
        for node in terrain.nodes() {
            let now = agent.estimate(space, node);
            assert!(now >= before[node.index()], "{node} decreases to {now:?}");
            before[node.index()] = now;
        }
        assert_eq!(agent.estimate(space, goal), Cost::ZERO);
    });
    raised
}

#[test]
fn learned_heuristics_increase_and_never_exceed_the_true_distance() {
    let mut random = Random::new(6);
    for config in all() {
        let mut raised = 0;
        for (budget, cut) in [1, 2, 5, 30].into_iter().flat_map(|k| [(k, false), (k, true)]) {
            for _ in 0..10 {
                raised += check_learning(&mut any_world(&mut random, 9), config, budget, cut);
            }
            for _ in 0..5 {
                raised += check_learning(&mut any_graph(&mut random), config, budget, cut);
            }
        }
        assert!(raised > 200, "{config:?}: only {raised} raised estimates");
    }
}

/// A tick that is cut short is resumed: the walk and the learned heuristic are the same.
#[test]
fn ticks_cut_short_while_learning_change_nothing() {
    let mut random = Random::new(7);
    for config in [lss_lrta(), lrta(1), lrta(3), lrta(6)] {
        let mut cut_short = 0;
        for _ in 0..150 {
            let world = any_world(&mut random, 9);
            let budget = random.pick(&[3, 10, 50]);
            let _context = OnPanic((world.clone(), config, budget));
            let mut whole = world.learner(config);
            let once = walk_in(&mut world.clone(), &mut whole, budget, |_, _, _| ());
            // No expansion is refused; otherwise the search would differ.
            let mut agent = world.learner(config);
            let mut cut = world.clone();
            let mut walked = Vec::new();
            for _ in 0..40 * (once.len() + 10) * cut.space().size() {
                let seen = cut.take_changes();
                let mut updates = random.below(6);
                let mut watch = |work| {
                    let refused = matches!(work, tickstar::budget::Work::Update(_)) && updates == 0;
                    updates = updates.saturating_sub(1);
                    !refused
                };
                let mut slice = Slice::watched(budget, &mut watch);
                let step =
                    agent.tick(cut.space(), agent.position(), Seen { changed: &seen }, &mut slice);
                match step {
                    Step::Wait => cut_short += 1,
                    Step::Move(to) => cut.look(to),
                    Step::Arrived | Step::Unreachable => {}
                }
                walked.push(step);
                if matches!(step, Step::Arrived | Step::Unreachable) {
                    break;
                }
            }
            walked.retain(|&step| step != Step::Wait);
            assert_eq!(walked, steps(&once));
            for node in cut.nodes() {
                let [a, b] = [&whole, &agent].map(|agent| agent.estimate(cut.space(), node));
                assert_eq!(a, b, "{node}");
            }
        }
        assert!(cut_short > 1000, "{config:?}: {cut_short}");
    }
}

/// Whatever is opened, and whenever: the learned heuristic is admissible on the current map, and no step is illegal.
#[test]
fn learned_heuristics_stay_admissible_when_cells_are_opened() {
    let mut random = Random::new(8);
    for config in all() {
        let (mut raised, mut openings) = (0, 0);
        for budget in [1, 2, 5, 30].repeat(25) {
            let mut problem = Problem::hard(&mut random, 10);
            let [width, height] = [problem.space.width(), problem.space.height()];
            let mut agent =
                Local::new(&problem.space, config, problem.start, problem.goal).unwrap();
            let often = random.pick(&[5, 20, 60]);
            let _context = OnPanic((problem.clone(), config, budget, often));
            for _ in 0..60 {
                let at = agent.position();
                let mut changed = Vec::new();
                if random.chance(often) {
                    let cell = Cell::new(
                        random.below(width.into()) as u32,
                        random.below(height.into()) as u32,
                    );
                    let node = problem.space.node(cell).unwrap();
                    let free = random.chance(60);
                    if node != at
                        && node != problem.goal
                        && problem.space.set_free(cell, free).unwrap()
                    {
                        changed.push(node);
                        openings += usize::from(free);
                    }
                    problem.oracle.update(&problem.space, &changed);
                }
                let patience = if random.chance(20) { random.below(9) } else { u64::MAX };
                let seen = Seen { changed: &changed };
                let tick = tick(&mut agent, &problem.space, seen, budget, patience);
                let to_goal = problem.oracle.distances(problem.goal);
                match tick.step {
                    Step::Move(to) => assert!(problem.oracle.edge(at, to).is_some()),
                    Step::Wait => {}
                    Step::Arrived => break,
                    Step::Unreachable => {
                        assert_eq!(to_goal[at.index()], None, "it gave up although a path exists");
                    }
                }
                let grid = &problem.space;
                let free = grid.free_cells().map(|cell| grid.node(cell).unwrap());
                let nodes =
                    free.map(|node| (node, distance_on_empty_map(grid, node, problem.goal)));
                let map = (grid, &problem.oracle);
                raised += check_estimates(&agent, map, &to_goal, nodes, is_consistent(config));
            }
        }
        assert!(raised > 500 && openings > 50, "{config:?}: {raised} raised, {openings} opened");
    }
}

/// Every step, and the tick in which it gives up.
#[test]
fn rtaa_with_one_expansion_is_lrta_with_one_step() {
    fn check<T: Terrain>(terrain: &T) -> Vec<Step> {
        let _context = OnPanic(terrain.clone());
        let steps = |config| walk_of(terrain, config, 1).iter().map(|tick| tick.step).collect();
        let [one, other, third]: [Vec<Step>; 3] = [rtaa(), lrta(1), p_lrta(0)].map(steps);
        assert_eq!(one, other);
        assert_eq!(one, third, "and so is P LRTA* without a queue");
        one
    }
    let mut random = Random::new(9);
    let (mut moves, mut unreachable) = (0, 0);
    for i in 0..600 {
        let walk = match i % 3 {
            0 => check(&any_simple_graph(&mut random)),
            _ => check(&any_world(&mut random, 11)),
        };
        moves += walk.len();
        unreachable += usize::from(walk.last() == Some(&Step::Unreachable));
    }
    assert!(moves > 20_000 && unreachable > 100, "{moves}, {unreachable}");
}

fn cost_of(problem: &Problem<impl Map>, ticks: &[Tick]) -> Cost {
    let moves = ticks.iter().filter_map(|tick| match tick.step {
        Step::Move(to) => Some(to),
        _ => None,
    });
    let path: Vec<_> = [problem.start].into_iter().chain(moves).collect();
    problem.oracle.path_cost(&path)
}

#[test]
fn with_an_unlimited_budget_the_walk_is_optimal() {
    let mut random = Random::new(10);
    for config in [rtaa(), lss_lrta(), a_rtaa(), da_rtaa()] {
        for config in [config, all_the_way(config)] {
            for _ in 0..150 {
                let world = known(&Problem::<LayeredGrid>::random(&mut random));
                let graph = any_graph(&mut random);
                let _context = OnPanic((world.clone(), graph.clone(), config));
                if let Some(optimum) = world.truth.optimum {
                    let ticks = walk_of(&world, config, UNLIMITED);
                    assert_eq!(cost_of(&world.truth, &ticks), optimum);
                }
                if let Some(optimum) = graph.optimum {
                    let ticks = walk_of(&graph, config, UNLIMITED);
                    assert_eq!(cost_of(&graph, &ticks), optimum);
                }
            }
        }
    }
}

/// Repeated from the same start, with the learned heuristic, the walk becomes optimal.
#[test]
fn repeated_trials_converge_to_an_optimal_path() {
    fn check<T: Terrain>(terrain: &T, config: LocalConfig, budget: u64) -> usize {
        let _context = OnPanic((terrain.clone(), config, budget));
        let mut terrain = terrain.clone();
        let (start, goal) = terrain.ends();
        let mut agent = terrain.learner(config);
        let estimates = |agent: &Local, terrain: &T| {
            let nodes = terrain.nodes().into_iter();
            nodes.map(|node| agent.estimate(terrain.space(), node)).collect::<Vec<_>>()
        };
        for trial in 1..=20 + terrain.nodes().len() {
            let before = estimates(&agent, &terrain);
            let mut moves = vec![start];
            let ticks = walk_in(&mut terrain, &mut agent, budget, |_, _, tick| {
                moves.extend(match tick.step {
                    Step::Move(to) => Some(to),
                    _ => None,
                });
            });
            let learned = ticks.iter().any(|tick| tick.has(Event::Learned));
            // P LRTA* also updates other nodes. RTAA* may apply the updates of the previous trial in this one.
            let is_queue = matches!(config.lookahead, Lookahead::Queue { .. });
            let elsewhere = is_queue && estimates(&agent, &terrain) != before;
            if !learned && !elsewhere {
                let optimum = terrain.edges().distance(start, goal).expect("a path exists");
                assert_eq!(terrain.edges().path_cost(&moves), optimum, "trial {trial}");
                return trial;
            }
            agent.restart(terrain.space(), start).unwrap();
        }
        panic!("learning does not terminate");
    }
    let mut random = Random::new(11);
    for config in [lrta(1), lrta(3), p_lrta(0), p_lrta(5), lss_lrta(), rtaa()] {
        let (mut trials, mut most) = (0, 0);
        for budget in [1, 2, 5, 20].repeat(30) {
            let world = any_world(&mut random, 12);
            let graph = any_graph(&mut random);
            if world.has_path() {
                let after = check(&world, config, budget);
                (trials, most) = (trials + after, most.max(after));
            }
            if graph.has_path() {
                trials += check(&graph, config, budget);
            }
        }
        assert!(trials > 200 && most > 5, "{config:?}: {trials} trials, {most} at most");
    }
}

/// Dead ends in which the heuristic must be raised a lot before other nodes are generated, and the same without an
/// exit.
fn traps() -> Vec<(World, bool)> {
    let spiral: &[&str] = &[
        "...........",
        ".#########.",
        ".#.......#.",
        ".#.#####.#.",
        ".#.#...#.#.",
        ".#.#S#.#.#.",
        ".#.###.#.#.",
        ".#.....#.#.",
        ".#######.#.",
        ".........#G",
    ];
    let comb: &[&str] = &[
        "...........",
        "##########.",
        "...........",
        ".##########",
        "...........",
        "##########.",
        "S..........",
        "##########.",
        "G..........",
    ];
    let pocket: &[&str] = &[
        "..............",
        ".############.",
        "............#.",
        "S...........#G",
        "............#.",
        ".############.",
        "..............",
    ];
    let dead_end: &[&str] =
        &["....................", ".##################.", "S.................#G"];
    let mut traps = Vec::new();
    for rows in [spiral, comb, pocket, dead_end] {
        for (neighbors, corners) in [
            (Neighbors::Four, Corners::Never),
            (Neighbors::Eight, Corners::Never),
            (Neighbors::Eight, Corners::Allowed),
        ] {
            let place = |symbol: char| {
                let find = |(y, row): (usize, &&str)| Some((row.find(symbol)? as u32, y as u32));
                rows.iter().enumerate().find_map(find).expect("a start and a goal")
            };
            let grid = Grid::from_rows(rows).unwrap();
            let grid = grid.with_neighbors(neighbors).with_corners(corners);
            let open = Problem::on(&grid, place('S'), place('G'));
            let around = open.oracle.edges_of(open.goal).to_vec();
            let mut shut = grid.clone();
            for (node, _) in around {
                shut.set_free(grid.cell(node), false).unwrap();
            }
            let shut = Problem::on(&shut, place('S'), place('G'));
            assert!(open.optimum.is_some() && shut.optimum.is_none());
            traps.push((known(&shut), false));
            traps.push((World::unknown(shut), false));
            traps.push((World::unknown(open.clone()), true));
            traps.push((known(&open), true));
        }
    }
    traps
}

/// If no path exists, each of them reports that after a number of moves at most quadratic in the number of reachable
/// nodes, and if one exists, none of them does, however deep the trap.
#[test]
fn it_gives_up_within_its_bound_and_never_too_early() {
    let mut longest = 0.0_f64;
    for (trap, has_path) in traps() {
        for config in all() {
            for budget in [1, 4, 25, UNLIMITED] {
                let _context = OnPanic((trap.clone(), config, budget));
                let ticks = walk_of(&trap, config, budget);
                let moves = steps(&ticks).len();
                assert!(moves <= max_moves_of(&trap, config.lookahead));
                let last = if has_path { Step::Arrived } else { Step::Unreachable };
                assert_eq!(ticks.last().map(|tick| tick.step), Some(last));
                longest = longest.max(moves as f64 / trap.max_moves() as f64);
            }
        }
    }
    assert!(longest > 0.1, "the bound on moves means little: {longest} of it was used");
}

/// Repeated A* and Adaptive A*.
fn replanning(learn: bool) -> TimeBoundedConfig {
    TimeBoundedConfig {
        search: SearchConfig { learn, ..SearchConfig::default() },
        acting: Acting::Wait,
        tracing: Tracing::Free,
        restart: Restart::Path,
        ..TimeBoundedConfig::default()
    }
}

/// Both plan a cheapest path on the known map, each time; and the learning one expands no more nodes, except for ties.
#[test]
fn adaptive_astar_plans_as_repeated_astar_with_fewer_expansions() {
    let mut random = Random::new(12);
    let (mut plans, mut fewer) = (0, 0);
    let mut expansions = [0, 0];
    for _ in 0..1500 {
        let world = World::random(&mut random, 20);
        let goal = world.truth.goal;
        let budget = random.pick(&[1, 7, 50, UNLIMITED]);
        let mut of_world = [0, 0];
        for (learn, sum) in [false, true].into_iter().zip(&mut of_world) {
            let _context = OnPanic((world.clone(), learn, budget));
            let mut agent = world.time_bounded(replanning(learn));
            let walk: Walk =
                discover(&mut agent, &mut world.clone(), budget, |agent, world, tick| {
                    if !tick.has(Event::Found) {
                        return;
                    }
                    plans += 1;
                    let plan = agent.plan().expect("it was found");
                    assert_eq!(plan.last(), Some(&goal));
                    let cost = world.belief.path_cost(&plan);
                    assert_eq!(Some(cost), world.belief.distance(plan[0], goal));
                });
            *sum = walk.expanded().count();
        }
        fewer += usize::from(of_world[1] < of_world[0]);
        for (all, one) in expansions.iter_mut().zip(of_world) {
            *all += one;
        }
    }
    assert!(plans > 5000 && fewer > 300, "{plans} plans, {fewer} with fewer expansions");
    let [repeated, adaptive] = expansions;
    assert!(adaptive * 10 < repeated * 9, "{adaptive} expansions of {repeated}");
}

/// An agent that walks all the way looks ahead again only at the target, or when it sees a wall across the path.
#[test]
fn full_commitment_walks_to_the_target_without_another_lookahead() {
    let mut random = Random::new(13);
    for config in [rtaa(), lss_lrta(), a_rtaa(), da_rtaa()].map(all_the_way) {
        let (mut walked_on, mut cut, mut passed_by) = (0, 0, 0);
        for budget in [1, 3, 10, 40].repeat(40) {
            let mut world = any_world(&mut random, 11);
            let _context = OnPanic((world.clone(), config, budget));
            let mut agent = world.learner(config);
            let mut at = world.truth.start;
            let (mut target, mut hidden) = (None, world.hidden);
            walk_in(&mut world, &mut agent, budget, |_, world, tick| {
                let Step::Move(to) = tick.step else { return };
                let arrived = target.is_none_or(|target| target == at);
                if arrived {
                    assert_eq!(tick.expanded.first(), Some(&at));
                } else if tick.expanded.is_empty() {
                    assert_eq!(tick.target, target, "it keeps walking to its target");
                    assert_eq!((tick.updates, tick.has(Event::Learned)), (0, false));
                    walked_on += 1;
                    passed_by += usize::from(tick.traces > 0);
                } else {
                    cut += 1;
                    assert!(world.hidden < hidden, "it has seen something");
                }
                (target, at, hidden) = (tick.target, to, world.hidden);
            });
        }
        assert!(walked_on > 500, "{config:?}: {walked_on}");
        assert!(cut > 20 && passed_by > 20, "{config:?}: {cut} cut, {passed_by} not");
    }
}

/// A wall across the path is seen two steps before it, and one beside the path is ignored.
#[test]
fn a_wall_across_the_path_drops_the_path() {
    let open = Grid::from_rows(["........", "........", "........"]).unwrap();
    let open = open.with_neighbors(Neighbors::Four);
    for (x, y, searches) in [(4, 1, 2), (4, 0, 1)] {
        let problem = Problem::on(&open, (0, 1), (7, 1));
        let mut space = problem.space.clone();
        let wall = space.node(Cell::new(x, y)).unwrap();
        for config in [rtaa(), lss_lrta(), a_rtaa(), da_rtaa()].map(all_the_way) {
            let mut agent = Local::new(&space, config, problem.start, problem.goal).unwrap();
            let mut looks = 0;
            for i in 0..20 {
                let changed: &[NodeId] = if i == 2 { &[wall] } else { &[] };
                let free = i < 2;
                space.set_free(Cell::new(x, y), free).unwrap();
                let tick = tick(&mut agent, &space, Seen { changed }, 100, u64::MAX);
                looks += usize::from(!tick.expanded.is_empty());
                assert_eq!(
                    i == 0 || searches == 2 && i == 2,
                    !tick.expanded.is_empty(),
                    "tick {i}"
                );
                if tick.step == Step::Arrived {
                    break;
                }
                assert!(matches!(tick.step, Step::Move(to) if to != wall));
            }
            assert_eq!(looks, searches);
            assert_eq!(agent.position(), problem.goal);
        }
        space.set_free(Cell::new(x, y), true).unwrap();
    }
}

/// One update to read the edges of each expanded node and one when its value is final, if that is learned; else none.
#[test]
fn there_are_at_most_two_updates_per_expansion() {
    let mut random = Random::new(14);
    let mut updates = 0;
    for config in all() {
        for budget in [1, 3, 10, 60].repeat(8) {
            let mut world = any_world(&mut random, 11);
            let _context = OnPanic((world.clone(), config, budget));
            let mut agent = world.learner(config);
            walk_in(&mut world, &mut agent, budget, |_, _, tick| {
                let expansions = tick.expanded.len() as u64;
                match config.lookahead {
                    Lookahead::Astar { update: Update::Region, .. } => {
                        let gave_up = tick.step == Step::Unreachable;
                        assert!(tick.updates == 2 * expansions || gave_up && tick.updates == 0);
                        updates += tick.updates;
                    }
                    Lookahead::Ball { .. } => assert!(tick.updates <= 10 * budget),
                    _ => assert_eq!(tick.updates, 0),
                }
            });
        }
    }
    assert!(updates > 10_000);
}

/// The same walk in a corner of a small map and of a large one.
#[test]
fn memory_is_proportional_to_the_touched_nodes() {
    let map = |side: u32| {
        let mut grid = Grid::new(side, side).unwrap();
        for along in 0..18 {
            for (x, y) in [(20, 4 + along), (4 + along.min(16), 4), (4 + along.min(16), 21)] {
                grid.set_free(Cell::new(x, y), false).unwrap();
            }
        }
        Problem::on(&grid, (10, 12), (28, 12))
    };
    let [small, large] = [200, 1000].map(map);
    for config in all() {
        for budget in [1, 10, 60] {
            let _context = OnPanic((config, budget));
            let bytes = |problem: &Problem<LayeredGrid>| {
                let (start, goal) = (problem.start, problem.goal);
                let mut agent = Local::new(&problem.space, config, start, goal).unwrap();
                let empty = agent.bytes();
                tick(&mut agent, &problem.space, Seen::default(), budget, u64::MAX);
                let first = agent.bytes();
                let walk =
                    walk_within(TickLimit::ticks(100_000), &mut agent, problem, budget, || {
                        u64::MAX
                    });
                assert!(walk.arrived());
                let last = agent.bytes();
                assert!(empty < first && first < last, "{empty}, {first}, {last}");
                (walk.ticks.len(), last)
            };
            let (a, b) = (bytes(&small), bytes(&large));
            assert_eq!(a.0, b.0, "the same walk");
            // At most three tables, with a pointer for every 1024 nodes.
            let more = large.space.size() - small.space.size();
            let directory = 3 * more.div_ceil(1024) * size_of::<usize>();
            assert!(b.1 >= a.1 && b.1 - a.1 <= directory, "{a:?}, {b:?}: more than {directory}");
            assert!(a.1 < 1_000_000, "{a:?}");
        }
    }
}

/// A wall that separates the agent from its whole lookahead, while it is learning, and that is not reported.
#[test]
fn unreported_changes_during_learning_do_no_lasting_harm() {
    for units in 1..12 {
        let mut grid = Grid::new(5, 1).unwrap();
        let node = |x| Grid::new(5, 1).unwrap().node(Cell::new(x, 0)).unwrap();
        let mut agent = Local::new(&grid, lss_lrta(), node(0), node(4)).unwrap();
        let first = tick(&mut agent, &grid, Seen::default(), 1, units);
        let ahead = if let Step::Move(_) = first.step { 2 } else { 1 };
        grid.set_free(Cell::new(ahead, 0), false).unwrap();
        let mut steps = (0..20)
            .map(|_| agent.tick(&grid, agent.position(), Seen::default(), &mut Slice::new(9)));
        assert!(steps.any(|step| step == Step::Unreachable), "{units}");
    }
}

/// A new task or a new position discards the old plan.
#[test]
fn a_new_task_or_a_restart_drops_the_plan() {
    for config in [lss_lrta(), rtaa(), a_rtaa(), da_rtaa()] {
        let grid = Grid::new(10, 10).unwrap();
        let node = |x, y| grid.node(Cell::new(x, y)).unwrap();
        let mut agent = Local::new(&grid, config, node(0, 0), node(4, 4)).unwrap();
        let plan = |agent: &Local| agent.plan();
        agent.tick(&grid, agent.position(), Seen::default(), &mut Slice::unlimited());
        assert_eq!(plan(&agent).unwrap().len(), 5);
        agent.restart(&grid, node(0, 0)).unwrap();
        assert_eq!(plan(&agent), None);
        agent.tick(&grid, agent.position(), Seen::default(), &mut Slice::unlimited());
        agent.assign(&grid, node(9, 9), node(9, 0)).unwrap();
        assert_eq!(plan(&agent), None);
    }
}
