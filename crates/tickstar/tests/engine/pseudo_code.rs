//! The listings of the papers, implemented as plainly as possible, compared with the engine: the same move in every
//! tick, and the same expanded nodes.
//!
//! Everything here is naive on purpose. Lists are searched linearly and paths are copied.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet, VecDeque};

use crate::kit::{
    LayeredGrid, OnPanic, Oracle, Problem, Random, Tick, ratio, tick, too_many_ticks, walk,
};
use tickstar::agent::time_bounded::{Acting, Tracing};
use tickstar::search::Ratio;
use tickstar::space::Neighbors;
use tickstar::{Grid, NodeId, Seen, Step, TimeBounded, TimeBoundedConfig};

/// The lists of an A* search. Smaller f first, then larger g, then last in first out.
struct Lists<'p> {
    oracle: &'p Oracle,
    grid: &'p Grid,
    start: NodeId,
    goal: NodeId,
    g: HashMap<NodeId, u64>,
    parent: HashMap<NodeId, NodeId>,
    open: Vec<(NodeId, usize)>,
    closed: HashSet<NodeId>,
    insertions: usize,
}

impl Lists<'_> {
    fn new(problem: &Problem<LayeredGrid>) -> Lists<'_> {
        let (start, goal) = (problem.start, problem.goal);
        Lists {
            oracle: &problem.oracle,
            grid: &problem.space,
            start,
            goal,
            g: HashMap::from([(start, 0)]),
            parent: HashMap::new(),
            open: vec![(start, 0)],
            closed: HashSet::new(),
            insertions: 0,
        }
    }

    fn h(&self, node: NodeId) -> u64 {
        let [a, b] = [node, self.goal].map(|node| self.grid.cell(node));
        let (dx, dy) = (u64::from(a.x.abs_diff(b.x)), u64::from(a.y.abs_diff(b.y)));
        match self.grid.neighbors() {
            Neighbors::Four => (dx + dy) * 3_766_656,
            Neighbors::Eight => dx.min(dy) * 5_326_856 + dx.abs_diff(dy) * 3_766_656,
        }
    }

    fn most_promising(&self) -> Option<NodeId> {
        let rank = |&&(node, number): &&(NodeId, usize)| {
            (self.g[&node] + self.h(node), Reverse(self.g[&node]), Reverse(number))
        };
        self.open.iter().min_by_key(rank).map(|&(node, _)| node)
    }

    fn solution_found(&self) -> bool {
        self.most_promising() == Some(self.goal)
    }

    /// Up to `limit` expansions, until the goal is the most promising node.
    fn astar(&mut self, limit: u64) -> Vec<NodeId> {
        let mut expanded = Vec::new();
        while (expanded.len() as u64) < limit && !self.solution_found() {
            let Some(node) = self.most_promising() else { break };
            self.open.retain(|&(open, _)| open != node);
            self.closed.insert(node);
            expanded.push(node);
            for &(to, cost) in self.oracle.edges_of(node) {
                let g = self.g[&node] + cost.0;
                if !self.closed.contains(&to) && self.g.get(&to).is_none_or(|&known| g < known) {
                    self.g.insert(to, g);
                    self.parent.insert(to, node);
                    self.open.retain(|&(open, _)| open != to);
                    self.insertions += 1;
                    self.open.push((to, self.insertions));
                }
            }
        }
        expanded
    }
}

/// One tick of an oracle, to be compared with one of the engine.
#[derive(PartialEq, Eq, Debug)]
struct Move {
    step: Step,
    expanded: Vec<NodeId>,
}

impl From<Tick> for Move {
    fn from(tick: Tick) -> Move {
        Move { step: tick.step, expanded: tick.expanded }
    }
}

impl Move {
    fn without_work(step: Step) -> Move {
        Move { step, expanded: Vec::new() }
    }
}

/// Algorithm 1 of the 2009 paper with its names, and with the corrections that the engine lists.
#[allow(clippy::struct_excessive_bools)] // as in the paper
struct Algorithm1<'p> {
    lists: Lists<'p>,
    budget: u64,
    r: Ratio,
    c: Ratio,
    switch: bool,
    /// Table 1's row L instead of row E.
    late: bool,
    first: bool,
    solution_found: bool,
    solution_found_and_traced: bool,
    done_trace: bool,
    loc: NodeId,
    loc_last: Option<NodeId>,
    path_new: VecDeque<NodeId>,
    path_follow: VecDeque<NodeId>,
    /// The cost from the start to the end of the followed path.
    follow_cost: u64,
    bounces: usize,
}

impl<'p> Algorithm1<'p> {
    fn new(
        problem: &'p Problem<LayeredGrid>,
        budget: u64,
        config: TimeBoundedConfig,
    ) -> Algorithm1<'p> {
        let Tracing::Bounded { r, c } = config.tracing else { panic!("not the 2009 form") };
        Algorithm1 {
            lists: Lists::new(problem),
            budget,
            r,
            c,
            switch: config.switch,
            late: config.acting == Acting::Late,
            first: true,
            solution_found: false,
            solution_found_and_traced: false,
            done_trace: true,
            loc: problem.start,
            loc_last: None,
            path_new: VecDeque::new(),
            path_follow: VecDeque::new(),
            follow_cost: 0,
            bounces: 0,
        }
    }

    fn tick(&mut self) -> Move {
        if self.loc == self.lists.goal {
            return Move::without_work(Step::Arrived);
        }
        // Section 3.3: the budget is shared, and after the search all of it goes to tracing. At least one of each,
        // which the paper does not say.
        let n_e = (self.budget * u64::from(self.r.num()) / u64::from(self.r.den())).max(1);
        let n_t = |units: u64| units * u64::from(self.c.num()) / u64::from(self.c.den());
        let (searching, after) = (n_t(self.budget - n_e).max(1), n_t(self.budget).max(1));
        let traces = if self.solution_found { after } else { searching };
        // Lines 6 to 8.
        let mut expanded = Vec::new();
        if !self.solution_found {
            let limit = if self.first { n_e.min(searching) } else { n_e };
            self.first = false;
            expanded = self.lists.astar(limit);
            if self.lists.open.is_empty() {
                return Move { step: Step::Unreachable, expanded };
            }
            self.solution_found = self.lists.solution_found();
        }
        // Lines 9 to 20. Late acting uses only the complete path.
        if !self.solution_found_and_traced && (self.solution_found || !self.late) {
            if self.done_trace {
                self.path_new = VecDeque::from([self.lists.most_promising().unwrap()]);
            }
            self.done_trace = self.trace_back(traces);
            if self.done_trace {
                self.adopt();
            }
        }
        // Lines 21 to 31.
        let to = self.next();
        if self.path_follow.contains(&to) {
            while self.path_follow.front() != Some(&to) {
                self.path_follow.pop_front();
            }
        }
        self.loc_last = Some(self.loc);
        self.loc = to;
        Move { step: Step::Move(to), expanded }
    }

    fn trace_back(&mut self, n_t: u64) -> bool {
        if self.path_new.contains(&self.loc) {
            return true;
        }
        for _ in 0..n_t {
            let front = self.path_new[0];
            if front == self.loc || front == self.lists.start {
                return true;
            }
            self.path_new.push_front(self.lists.parent[&front]);
        }
        self.path_new[0] == self.loc || self.path_new[0] == self.lists.start
    }

    /// Lines 15 to 18, and the switching rule of section 3.4.
    fn adopt(&mut self) {
        let back = *self.path_new.back().unwrap();
        let cost = self.lists.g[&back];
        let leads_to_goal = back == self.lists.goal;
        if self.switch && self.on_path() && cost < self.follow_cost && !leads_to_goal {
            return;
        }
        self.path_follow = self.path_new.clone();
        self.follow_cost = cost;
        self.solution_found_and_traced = leads_to_goal;
    }

    /// Whether there is a next node on the path for the agent: it is on the remaining path, and not at its end.
    fn on_path(&self) -> bool {
        self.path_follow.contains(&self.loc) && self.path_follow.back() != Some(&self.loc)
    }

    fn next(&mut self) -> NodeId {
        if self.on_path() {
            let at = self.path_follow.iter().position(|&node| node == self.loc).unwrap();
            return self.path_follow[at + 1];
        }
        if self.loc != self.lists.start {
            return self.lists.parent[&self.loc];
        }
        if self.late {
            let neighbors = self.lists.oracle.edges_of(self.loc);
            self.bounces += 1;
            return neighbors[(self.bounces - 1) % neighbors.len()].0;
        }
        self.loc_last.expect("the first path is traced in the first tick")
    }
}

/// The loop of the 2012 paper: k expansions, then the whole path to the best node, then a step.
struct Interval<'p> {
    lists: Lists<'p>,
    k: u64,
    current: NodeId,
    goal_found: bool,
    path: Vec<NodeId>,
}

impl<'p> Interval<'p> {
    fn new(problem: &'p Problem<LayeredGrid>, k: u64) -> Interval<'p> {
        let lists = Lists::new(problem);
        Interval { lists, k, current: problem.start, goal_found: false, path: Vec::new() }
    }

    fn tick(&mut self) -> Move {
        if self.current == self.lists.goal {
            return Move::without_work(Step::Arrived);
        }
        let mut expanded = Vec::new();
        if !self.goal_found {
            expanded = self.lists.astar(self.k);
            let Some(best) = self.lists.most_promising() else {
                return Move { step: Step::Unreachable, expanded };
            };
            self.goal_found = best == self.lists.goal;
            let parent = |node: &NodeId| self.lists.parent.get(node).copied();
            self.path = std::iter::successors(Some(best), parent).collect();
        }
        let on_path = self.path.iter().position(|&node| node == self.current);
        self.current = match on_path {
            Some(at) => self.path[at - 1],
            None => self.lists.parent[&self.current],
        };
        Move { step: Step::Move(self.current), expanded }
    }
}

/// Runs both side by side.
fn same_walk(
    problem: &Problem<LayeredGrid>,
    config: TimeBoundedConfig,
    budget: u64,
    mut listing: impl FnMut() -> Move,
) {
    let _context = OnPanic((problem, config, budget));
    let mut agent = TimeBounded::new(&problem.space, config, problem.start, problem.goal).unwrap();
    for i in 0..too_many_ticks(problem.oracle.size(), budget) {
        let tick = tick(&mut agent, &problem.space, Seen::default(), budget, u64::MAX);
        let (ours, papers) = (Move::from(tick), listing());
        assert_eq!(ours, papers, "tick {i}");
        if matches!(ours.step, Step::Arrived | Step::Unreachable) {
            return;
        }
    }
    panic!("both walk forever");
}

fn shares() -> impl Iterator<Item = Tracing> {
    let r = [ratio(1, 10), ratio(1, 2), ratio(9, 10)];
    let c = [ratio(1, 2), ratio(1, 1), ratio(10, 1)];
    r.into_iter().flat_map(move |r| c.map(|c| Tracing::Bounded { r, c }))
}

/// Runs the 2009 listing and the engine on random grids, with every share of several budgets.
fn check_against_2009_listing(seed: u64, problems: usize, config: TimeBoundedConfig) {
    let mut random = Random::new(seed);
    for _ in 0..problems {
        let problem = Problem::<LayeredGrid>::random(&mut random);
        for tracing in shares() {
            let budget = random.pick(&[1, 2, 3, 5, 10, 12, 20, 37, 100, 1000]);
            let config = TimeBoundedConfig { tracing, ..config };
            let mut listing = Algorithm1::new(&problem, budget, config);
            same_walk(&problem, config, budget, || listing.tick());
        }
    }
}

#[test]
fn the_engine_matches_the_2009_listing() {
    check_against_2009_listing(1, 1500, TimeBoundedConfig::default());
}

#[test]
fn the_engine_matches_the_2009_listing_with_its_switching_rule() {
    let config = TimeBoundedConfig { switch: true, ..TimeBoundedConfig::default() };
    check_against_2009_listing(2, 1500, config);
}

#[test]
fn late_acting_matches_the_2009_listing() {
    let config = TimeBoundedConfig { acting: Acting::Late, ..TimeBoundedConfig::default() };
    check_against_2009_listing(3, 1500, config);
}

/// A small map on which a late-acting agent reaches the most promising node: it has gone north when the path to the
/// east, which looked better, turns out to be a dead end.
#[test]
fn late_acting_never_waits() {
    let grid = Grid::from_rows(["....", ".##.", "..#."]).unwrap().with_neighbors(Neighbors::Four);
    let problem = Problem::on(&grid, (0, 2), (3, 2));
    let tracing = Tracing::Bounded { r: ratio(1, 2), c: ratio(1, 1) };
    let config = TimeBoundedConfig { acting: Acting::Late, tracing, ..Default::default() };
    let mut agent = TimeBounded::new(&grid, config, problem.start, problem.goal).unwrap();
    let walk = walk(&mut agent, &problem, 2);
    let waits = walk.ticks.iter().filter(|tick| tick.step == Step::Wait).count();
    assert_eq!(waits, 0, "the agent must act in every tick");
}

#[test]
fn the_engine_matches_the_2012_loop() {
    let mut random = Random::new(4);
    let config = TimeBoundedConfig { tracing: Tracing::Free, ..TimeBoundedConfig::default() };
    for _ in 0..1500 {
        let problem = Problem::<LayeredGrid>::random(&mut random);
        for k in [1, 2, 3, 7, 30, 1000] {
            let mut listing = Interval::new(&problem, k);
            same_walk(&problem, config, k, || listing.tick());
        }
    }
}
