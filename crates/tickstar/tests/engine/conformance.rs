//! One suite that every member passes: the catalog with many settings of its parameters, and members that only tests
//! know.
//!
//! General properties are checked for all members, and beyond that exactly what a member's facts declare.

use std::cell::Cell as Counter;

use crate::kit::{
    Kind, LayeredGraph, LayeredGrid, Member, OnPanic, Problem, Random, Terrain, Tick, TickLimit,
    Walk, configs, explore, invalid_nodes, is_slow, layered, max_moves, members, ratio,
    too_many_ticks, walk_of, walk_within,
};
use tickstar::budget::{Limits, Work};
use tickstar::catalog::{self, Config, CostBound, FirstMove, GivesUp, Method, WorkBound};
use tickstar::search::{BestFirst, OpenList, Priority, Ratio, SearchConfig, Successors};
use tickstar::space::EndpointError;
use tickstar::{
    Agent, AgentError, Cell, Cost, Event, Graph, Grid, Layered, Map, NodeId, Seen, Slice, Step,
};

const UNLIMITED: u64 = u64::MAX;
const BUDGETS: [u64; 9] = [1, 2, 3, 5, 10, 37, 100, 1000, UNLIMITED];

/// The meaning of a member's settings, as the tests understand them.
impl dyn Member + '_ {
    fn is(&self, parameter: &str, value: &str) -> bool {
        self.value(parameter) == Some(value)
    }

    fn weight(&self) -> Ratio {
        self.value("weight").map_or(ratio(1, 1), |weight| weight.parse().unwrap())
    }

    /// The settings of the underlying search, if there is exactly one.
    fn search(&self) -> Option<SearchConfig> {
        let priority = match self.facts().method {
            Method::Astar => Priority::weighted(self.weight()).unwrap(),
            Method::Greedy => Priority::GREEDY,
            _ => return None,
        };
        let open = if self.is("open", "heap") { OpenList::Heap } else { OpenList::Buckets };
        let reopen = self.is("reopen", "true");
        let canonical = self.is("successors", "canonical");
        let successors = if canonical { Successors::Canonical } else { Successors::All };
        Some(SearchConfig { priority, open, reopen, successors, ..SearchConfig::default() })
    }

    /// The maximum work per tick before the path is found, and after.
    fn limits(&self, budget: u64) -> [Limits; 2] {
        let shared = self.facts().work == WorkBound::Shared && !self.is("trace", "free");
        if shared {
            let share = |name, units: u64| {
                let of: Ratio = self.value(name).unwrap().parse().unwrap();
                let product = u128::from(units) * u128::from(of.num()) / u128::from(of.den());
                (product.min(u64::MAX.into()) as u64).max(1)
            };
            let expansions = share("r", budget);
            let traces = [share("c", budget - expansions), share("c", budget)];
            return traces.map(|traces| Limits { expansions, traces, updates: 0 });
        }
        let limits = match self.facts().work {
            WorkBound::PerUnit { expansions, traces, updates } => Limits {
                expansions: budget.saturating_mul(expansions),
                traces: budget.saturating_mul(traces),
                updates: budget.saturating_mul(updates),
            },
            _ => Limits { expansions: budget, traces: u64::MAX, updates: 0 },
        };
        [limits; 2]
    }

    /// A grid on which it can be expected to finish its walk: one in three has terrain.
    fn grid(&self, random: &mut Random) -> Problem<LayeredGrid> {
        if !is_slow(self) {
            let problem = Problem::<LayeredGrid>::random(random);
            return if random.chance(33) { problem.on_terrain(random) } else { problem };
        }
        let [width, height] = [(); 2].map(|()| 1 + random.below(10) as u32);
        let problem = Problem::random_of_size(random, width, height);
        if !random.chance(33) {
            return problem;
        }
        // It walks back and forth on cheap ground until that adds up to the cost of the most expensive step.
        let is_mild = |problem: &Problem<LayeredGrid>| {
            let most = max_moves(&problem.space, &problem.oracle, (problem.start, problem.goal));
            most.is_some_and(|most| most < 30_000)
        };
        let mut weighted = std::iter::repeat_with(|| problem.clone().on_terrain(random)).take(20);
        weighted.find(is_mild).unwrap_or(problem)
    }

    /// A graph on which it can be expected to finish its walk. A member that is slow to give up walks back and forth on
    /// an edge that costs nearly nothing until that adds up to the cost of the most expensive edge.
    fn graph(&self, random: &mut Random, kind: Kind) -> Problem<LayeredGraph> {
        loop {
            let problem = Problem::<LayeredGraph>::random(random, kind);
            let ends = (problem.start, problem.goal);
            let most = max_moves(&problem.space, &problem.oracle, ends);
            if !is_slow(self) || most.is_some_and(|most| most < 20_000) {
                return problem;
            }
        }
    }
}

fn agent<S: Terrain>(member: &dyn Member, problem: &Problem<S>) -> Box<dyn Agent<S>> {
    problem.space.agent(member, problem.start, problem.goal).unwrap()
}

fn walk<S: Terrain>(member: &dyn Member, problem: &Problem<S>, budget: u64) -> Walk {
    walk_of(member, agent(member, problem).as_mut(), problem, budget)
}

/// A check of one member on its own problems.
type Check = fn(&dyn Member, &mut Random);

/// The checks for every member, each run by one test.
const CHECKS: [Check; 13] = [
    check_walks,
    check_repeats,
    check_budget_independence,
    check_short_ticks,
    check_no_work,
    check_ends,
    check_arrival_at_once,
    check_bad_ends,
    check_reversible_edges,
    check_plan,
    check_first_move,
    check_chase,
    check_deadline,
];

/// Checks everything that is declared for a member.
pub fn conform(member: &dyn Member) {
    for (seed, check) in (1..).zip(CHECKS) {
        check(member, &mut Random::new(seed));
    }
}

fn check_all(check: Check, seed: u64) {
    assert!(
        CHECKS.iter().any(|&known| std::ptr::fn_addr_eq(known, check)),
        "the check is missing from `CHECKS`"
    );
    let mut random = Random::new(seed);
    for member in members() {
        let _context = OnPanic(member.name().to_string());
        check(member.as_ref(), &mut random);
    }
}

/// Runs a check with every budget on random grids and graphs, different ones each time.
macro_rules! on_random_problems {
    ($member:expr, $random:expr, $grids:expr, $graphs:expr, $check:ident) => {
        let facts = $member.facts();
        for budget in BUDGETS {
            for _ in 0..$grids {
                $check($member, &$member.grid($random), budget);
            }
            // Only grids have regions.
            let graphs = if facts.needs_regions { 0 } else { $graphs };
            for kind in [Kind::Undirected, Kind::Positioned].repeat(graphs) {
                $check($member, &$member.graph($random, kind), budget);
            }
            if !facts.needs_reversible_edges && !facts.needs_hierarchy && graphs > 0 {
                $check($member, &Problem::<LayeredGraph>::random($random, Kind::Directed), budget);
            }
        }
    };
}

fn check_walks(member: &dyn Member, random: &mut Random) {
    fn check<S: Terrain>(member: &dyn Member, problem: &Problem<S>, budget: u64) {
        let _context = OnPanic((problem, member, budget));
        // During the walk it is checked that the steps are edges, that the walk ends, and that the agent gives up only
        // if no path exists.
        let walk = walk(member, problem, budget);
        check_arrival(member, problem, &walk);
        check_budgets(member, problem, budget, &walk);
        check_expansions(member, problem, budget, &walk);
        if let Some(optimum) = problem.optimum.filter(|_| walk.arrived()) {
            check_cost(member, problem, budget, &walk, optimum);
        }
        let refined = walk.ticks.iter().any(|tick| tick.has(Event::Refined));
        assert!(!refined || member.facts().refines, "it refines");
        assert!(refined || !member.facts().refines || walk.moves().next().is_none());
    }
    on_random_problems!(member, random, 30, 6, check);
}

#[test]
fn every_walk_matches_the_declared_facts() {
    check_all(check_walks, 1);
}

/// A complete member arrives if and only if a path exists.
fn check_arrival<S>(member: &dyn Member, problem: &Problem<S>, walk: &Walk) {
    let facts = member.facts();
    if facts.complete {
        assert_eq!(
            walk.arrived(),
            problem.optimum.is_some(),
            "arrives if and only if a path exists"
        );
    }
    let gave_up = walk.ticks.iter().any(|tick| tick.step == Step::Unreachable);
    assert!(!gave_up || facts.gives_up != GivesUp::Never, "it gives up");
}

/// No tick exceeds its budget.
fn check_budgets<S: Terrain>(member: &dyn Member, problem: &Problem<S>, budget: u64, walk: &Walk) {
    let limits = member.limits(budget);
    let declared = Limits { traces: limits[0].traces.max(limits[1].traces), ..limits[0] };
    assert_eq!(agent(member, problem).limits(budget), declared);
    let mut found = false;
    for (i, tick) in walk.ticks.iter().enumerate() {
        let Limits { expansions, traces, updates } = limits[usize::from(found)];
        let all = (tick.expanded.len() + tick.above.len()) as u64;
        assert!(all <= expansions.min(budget), "tick {i}: {tick:?}");
        assert!(tick.traces <= traces, "tick {i}: {tick:?}");
        assert!(tick.updates <= updates, "tick {i}: {tick:?}");
        // If the budget is shared, everything expanded in the first tick can be traced in it.
        let shared = member.facts().work == WorkBound::Shared;
        assert!(i > 0 || !shared || all <= traces, "tick {i}: {tick:?}");
        found |= tick.has(Event::Found);
    }
}

/// The search is the plain one, divided into ticks; or there are many searches, each from the agent's position.
fn check_expansions<S: Terrain>(
    member: &dyn Member,
    problem: &Problem<S>,
    budget: u64,
    walk: &Walk,
) {
    let Some(search) = member.search() else {
        check_lookaheads(member, problem, budget, walk);
        return;
    };
    if member.is("shortcut", "true") {
        return;
    }
    let mut search = BestFirst::new(search);
    let whole = explore(&mut search, &problem.space, (problem.start, problem.goal));
    // An agent that passes the goal on its way need not finish the search.
    let found = walk.ticks.iter().any(|tick| tick.has(Event::Found));
    let arrived_early = walk.arrived() && !found;
    let done = walk.expanded().count();
    assert!(walk.expanded().eq(whole.order.iter().copied().take(done)), "in the same order");
    assert!(done == whole.order.len() || arrived_early, "{done} of {}", whole.order.len());
}

/// The nodes expanded before each step lie around the agent, and there are as many as required.
fn check_lookaheads<S: Terrain>(
    member: &dyn Member,
    problem: &Problem<S>,
    budget: u64,
    walk: &Walk,
) {
    let mut at = problem.start;
    let mut expanded: Vec<NodeId> = Vec::new();
    // It is on its way to the target of an earlier tick, and does not look ahead.
    let mut walking = false;
    for (i, tick) in walk.ticks.iter().enumerate() {
        let _context = OnPanic((i, tick, at));
        expanded.extend(&tick.expanded);
        match member.facts().method {
            Method::BallLookahead => check_ball(member, problem, at, &expanded, tick),
            Method::QueueLookahead => {
                let most = 1 + member.value("queue").unwrap().parse::<u64>().unwrap();
                assert!(tick.expanded.len() as u64 <= most.min(budget));
                assert_eq!(tick.expanded.first().copied(), Some(at).filter(|_| at != problem.goal));
            }
            Method::AstarLookahead => {
                assert!(walking == tick.expanded.is_empty() || tick.step == Step::Arrived);
                if !walking {
                    check_tree(problem, budget, at, tick);
                }
                walking = member.is("moves", "all")
                    && matches!(tick.step, Step::Move(to) if Some(to) != tick.target);
            }
            _ => return, // nothing is declared; see the member's own tests
        }
        if let Step::Move(to) = tick.step {
            at = to;
            expanded.clear();
        }
    }
}

/// A search from the agent's position: as many nodes as the tick allows, each generated by an earlier one.
fn check_tree<S: Terrain>(problem: &Problem<S>, budget: u64, at: NodeId, tick: &Tick) {
    let Some((first, others)) = tick.expanded.split_first() else { return };
    assert_eq!(*first, at);
    for (before, node) in (1..).zip(others) {
        let mut earlier = tick.expanded[..before].iter();
        assert!(!earlier.clone().any(|other| other == node), "{node} is expanded twice");
        assert!(
            earlier.any(|&from| problem.oracle.edge(from, *node).is_some()),
            "{node} was not generated"
        );
    }
    assert!(!tick.expanded.contains(&problem.goal));
    // It stops earlier only if it has found the goal, or nothing is left.
    let done = tick.target == Some(problem.goal) || tick.step == Step::Unreachable;
    assert!(tick.expanded.len() as u64 == budget || done, "{tick:?}");
}

/// All nodes fewer than `depth` steps away, the nearest first; not the goal, and no node that can be reached in that
/// many steps only over the goal.
fn check_ball<S: Terrain>(
    member: &dyn Member,
    problem: &Problem<S>,
    at: NodeId,
    expanded: &[NodeId],
    tick: &Tick,
) {
    let depth: u32 = member.value("depth").unwrap().parse().unwrap();
    let mut steps = vec![u32::MAX; problem.oracle.size()];
    steps[at.index()] = 0;
    let mut ball = vec![at];
    for i in 0.. {
        let Some(&node) = ball.get(i) else { break };
        if node == problem.goal || steps[node.index()] == depth {
            continue;
        }
        for &(to, _) in problem.oracle.edges_of(node) {
            if steps[to.index()] == u32::MAX {
                steps[to.index()] = steps[node.index()] + 1;
                ball.push(to);
            }
        }
    }
    ball.retain(|&node| node != problem.goal && steps[node.index()] < depth);
    let away = |nodes: &[NodeId]| nodes.iter().map(|node| steps[node.index()]).collect::<Vec<_>>();
    assert!(away(expanded).is_sorted());
    let mut sorted = expanded.to_vec();
    sorted.sort_unstable();
    assert!(sorted.iter().all(|node| ball.contains(node)), "beyond {ball:?}");
    if tick.step != Step::Wait && tick.step != Step::Arrived {
        ball.sort_unstable();
        assert_eq!(sorted, ball);
    }
}

/// Bounds on the cost of a walk that arrived.
fn check_cost<S: Terrain>(
    member: &dyn Member,
    problem: &Problem<S>,
    budget: u64,
    walk: &Walk,
    optimum: Cost,
) {
    // All costs are multiplied by the weight's denominator, so that they stay integers.
    let weight = member.weight();
    let (num, den) = (u64::from(weight.num()), u64::from(weight.den()));
    let bound = optimum.0 * num;
    let max_edge = problem.space.max_edge_cost().0;
    match member.facts().cost_bound {
        CostBound::Optimal => assert_eq!(walk.cost, optimum),
        // The goal is reached by the first search.
        CostBound::OptimalIfUnlimited => assert!(budget < UNLIMITED || walk.cost == optimum),
        CostBound::OptimalPlusSearch => {
            // One step per tick without a path to follow, and one to return to the start.
            let bounces = walk.ticks.iter().filter(|tick| tick.target != Some(problem.goal));
            assert!(walk.cost.0 <= optimum.0 + (bounces.count() as u64 + 1) * max_edge);
        }
        CostBound::Weighted => assert!(walk.cost.0 * den <= bound),
        CostBound::TwiceWeightedOnceFollowed => {
            // From the tick that finds the path or, with bounded tracing, has it traced.
            let free = member.is("trace", "free");
            let known = walk.ticks.iter().position(|tick| {
                if free { tick.has(Event::Found) } else { tick.target == Some(problem.goal) }
            });
            if let Some(known) = known {
                assert!(walk.cost_from(known).0 * den <= 2 * bound);
            }
            if budget == UNLIMITED {
                assert!(walk.cost.0 * den <= bound);
            }
            if free && member.is("shortcut", "false") {
                // Theorem 2 of the 2014 paper.
                let steps = walk.expanded().count() as u64 / budget * max_edge;
                assert!(walk.cost.0 * den <= steps * den + 2 * bound);
            }
        }
        CostBound::None => {}
        bound => panic!("the suite has no check for {bound:?}"),
    }
}

fn check_repeats(member: &dyn Member, random: &mut Random) {
    fn check<S: Terrain>(member: &dyn Member, problem: &Problem<S>, budget: u64) {
        let _context = OnPanic((problem, member, budget));
        let once = walk(member, problem, budget);
        assert_eq!(walk(member, problem, budget), once, "run twice");

        let space = &problem.space;
        let mut agent = space.agent(member, problem.goal, problem.start).unwrap();
        let mut again = |when: &str| {
            agent.assign(space, problem.start, problem.goal).unwrap();
            assert_eq!(walk_of(member, agent.as_mut(), problem, budget), once, "{when}");
            agent.assign(space, problem.goal, problem.start).unwrap();
            for _ in 0..once.ticks.len() / 2 {
                agent.tick(space, agent.position(), Seen::default(), &mut Slice::new(budget));
            }
        };
        again("with an agent that had a different task before");
        again("with an agent that was interrupted on the way elsewhere");
        again("repeated once more");
    }
    on_random_problems!(member, random, 3, 1, check);
}

#[test]
fn a_walk_repeats_exactly_also_after_other_tasks() {
    check_all(check_repeats, 2);
}

fn check_budget_independence(member: &dyn Member, random: &mut Random) {
    fn check<S: Terrain>(member: &dyn Member, problem: &Problem<S>, budget: u64) {
        let _context = OnPanic((problem, member, budget));
        let moves = |budget| walk(member, problem, budget).moves().collect::<Vec<_>>();
        assert_eq!(moves(budget), moves(UNLIMITED));
    }
    if member.facts().same_walk {
        on_random_problems!(member, random, 3, 1, check);
    }
}

#[test]
fn a_walk_declared_budget_independent_is_the_same_for_all_budgets() {
    check_all(check_budget_independence, 12);
}

#[test]
fn both_open_lists_give_the_same_walk() {
    fn check<S: Terrain>(config: &Config, problem: &Problem<S>, budget: u64) {
        let _context = OnPanic((problem, config, budget));
        let parameters = config.parameters().iter();
        let settings: Vec<_> = parameters
            .map(|(name, value)| (*name, if *name == "open" { "heap" } else { value.as_str() }))
            .collect();
        let heap = config.entry().configure(&settings).unwrap();
        assert_eq!(walk(&heap, problem, budget), walk(config, problem, budget));
    }
    let mut random = Random::new(11);
    for config in configs() {
        let member: &dyn Member = &config;
        if !member.is("open", "buckets") {
            continue;
        }
        for budget in BUDGETS {
            for _ in 0..3 {
                check(&config, &member.grid(&mut random), budget);
            }
            for kind in [Kind::Undirected, Kind::Positioned] {
                if member.facts().needs_regions {
                    continue;
                }
                check(&config, &member.graph(&mut random, kind), budget);
            }
        }
    }
}

fn check_short_ticks(member: &dyn Member, random: &mut Random) {
    fn check<S: Terrain>(member: &dyn Member, problem: &Problem<S>, budget: u64) {
        let mut random = Random::new(budget);
        let most = TickLimit::of(member, problem, budget);
        for (name, idle, units) in [("often nothing", 75, 9), ("one unit", 0, 1), ("any", 20, 200)]
        {
            let _context = OnPanic((problem, member, budget, name));
            let patience = || if random.chance(idle) { 0 } else { 1 + random.below(units) };
            let mut agent = agent(member, problem);
            let walk = walk_within(most, agent.as_mut(), problem, budget, patience);
            check_arrival(member, problem, &walk);
        }
        let _context = OnPanic((problem, member, budget, "work in every fifth tick"));
        let mut ticks = 0;
        let walk = walk_within(most, agent(member, problem).as_mut(), problem, budget, || {
            ticks += 1;
            if ticks % 5 == 0 { u64::MAX } else { 0 }
        });
        check_arrival(member, problem, &walk);
    }
    on_random_problems!(member, random, 3, 1, check);
}

#[test]
fn ticks_cut_short_do_not_prevent_arrival() {
    check_all(check_short_ticks, 3);
}

fn check_no_work(member: &dyn Member, random: &mut Random) {
    let cut = Problem::on(&Grid::from_rows([".#."]).unwrap(), (0, 0), (2, 0));
    for problem in
        [cut, Problem::<LayeredGrid>::random(random), Problem::<LayeredGrid>::random(random)]
    {
        let _context = OnPanic((&problem, member));
        let mut agent = agent(member, &problem);
        for _ in 0..20 {
            let step =
                agent.tick(&problem.space, agent.position(), Seen::default(), &mut Slice::new(0));
            let expected = match problem.optimum {
                Some(Cost::ZERO) => Step::Arrived,
                None if member.facts().gives_up == GivesUp::AtOnce => Step::Unreachable,
                _ => Step::Wait,
            };
            assert_eq!(step, expected);
        }
    }
}

#[test]
fn an_agent_without_a_budget_does_no_work() {
    check_all(check_no_work, 4);
}

fn check_ends(member: &dyn Member, random: &mut Random) {
    fn check<S: Terrain>(member: &dyn Member, problem: &Problem<S>, budget: u64) {
        let _context = OnPanic((problem, member, budget));
        let mut agent = agent(member, problem);
        let walk = walk_of(member, agent.as_mut(), problem, budget);
        let last = walk.ticks.last().unwrap().step;
        if !matches!(last, Step::Arrived | Step::Unreachable) {
            return;
        }
        for _ in 0..3 {
            let mut slice = Slice::new(budget);
            assert_eq!(
                agent.tick(&problem.space, agent.position(), Seen::default(), &mut slice),
                last
            );
            assert_eq!((slice.expansions(), slice.traces(), slice.updates()), (0, 0, 0));
        }
    }
    on_random_problems!(member, random, 5, 2, check);
}

#[test]
fn arrival_and_unreachability_are_final() {
    check_all(check_ends, 5);
}

fn check_arrival_at_once(member: &dyn Member, random: &mut Random) {
    let mut problem = Problem::<LayeredGrid>::random(random);
    problem.goal = problem.start;
    let _context = OnPanic((&problem, member));
    let mut slice = Slice::new(100);
    let step =
        agent(member, &problem).tick(&problem.space, problem.start, Seen::default(), &mut slice);
    assert_eq!(step, Step::Arrived);
    assert_eq!((slice.expansions(), slice.traces(), slice.updates()), (0, 0, 0));
}

#[test]
fn an_agent_at_its_goal_arrives_in_the_first_tick() {
    check_all(check_arrival_at_once, 6);
}

fn check_bad_ends(member: &dyn Member, _: &mut Random) {
    let grid = layered(Grid::from_rows(["..#", "..."]).unwrap());
    let node = |x, y| grid.node(Cell::new(x, y)).unwrap();
    let good = node(0, 0);
    let _context = OnPanic(member);
    for bad in invalid_nodes(&grid) {
        let refused = |start, goal| {
            let mut agent = member.on_grid(&grid, good, node(1, 1)).unwrap();
            let error = agent.assign(&grid, start, goal).unwrap_err();
            assert_eq!(member.on_grid(&grid, start, goal).err(), Some(error.clone()));
            error
        };
        let (node, place) = (bad, grid.describe(bad));
        let start = EndpointError::Start { node, place: place.clone() };
        assert_eq!(refused(bad, good), AgentError::Endpoint(start));
        let goal = EndpointError::Goal { node, place };
        assert_eq!(refused(good, bad), AgentError::Endpoint(goal));
    }
}

#[test]
fn invalid_endpoints_are_rejected() {
    check_all(check_bad_ends, 0);
}

fn check_reversible_edges(member: &dyn Member, _: &mut Random) {
    let edges = [(NodeId(0), NodeId(1), Cost(3)), (NodeId(1), NodeId(2), Cost(4))];
    let graph = Graph::directed(3, edges).unwrap();
    let _context = OnPanic(member);
    // Members that do not need them run on directed graphs in the other checks.
    let needed = member.facts().needs_reversible_edges;
    let agent = member.on_graph(&Layered::flat(graph), NodeId(0), NodeId(2));
    assert_eq!(agent.err(), needed.then_some(AgentError::NeedsReversibleEdges));
}

#[test]
fn agents_that_walk_back_reject_irreversible_edges() {
    check_all(check_reversible_edges, 0);
}

fn check_plan(member: &dyn Member, _: &mut Random) {
    let grid = Grid::new(3, 3).unwrap();
    let [start, goal] = [(0, 0), (2, 2)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
    let _context = OnPanic(member);
    let facts = member.facts();
    let levels = facts.needs_hierarchy.then_some(AgentError::NeedsHierarchy);
    let missing = levels.or(facts.needs_regions.then_some(AgentError::NeedsRegions));
    assert_eq!(member.on_grid(&Layered::flat(grid), start, goal).err(), missing);
    if facts.needs_regions {
        let graph = Graph::undirected(2, [(NodeId(0), NodeId(1), Cost(1))]).unwrap();
        let agent = member.on_graph(&Layered::new(graph).unwrap(), NodeId(0), NodeId(1));
        assert_eq!(agent.err(), Some(AgentError::NeedsRegions));
    }
}

#[test]
fn agents_reject_maps_without_what_they_plan_on() {
    check_all(check_plan, 0);
}

fn check_first_move(member: &dyn Member, random: &mut Random) {
    fn check<S: Terrain>(member: &dyn Member, problem: &Problem<S>, budget: u64) {
        let _context = OnPanic((problem, member, budget));
        let walk = walk(member, problem, budget);
        if problem.start == problem.goal || problem.optimum.is_none() {
            return;
        }
        let moves_at_once = matches!(walk.ticks[0].step, Step::Move(_));
        let moved = |tick: &Tick| matches!(tick.step, Step::Move(_));
        let first = walk.ticks.iter().position(moved).unwrap_or(walk.ticks.len() - 1);
        let before = |event| walk.ticks[..=first].iter().any(|tick| tick.has(event));
        match member.facts().first_move {
            _ if member.is("early", "false") => {}
            FirstMove::AfterLookahead if budget < 10 * problem.oracle.size() as u64 => {}
            FirstMove::AtOnce | FirstMove::AfterLookahead => {
                assert!(moves_at_once, "{:?}", walk.ticks[0]);
                // With reopening, the agent may be at the most promising node itself.
                let waits = walk.ticks.iter().filter(|tick| tick.step == Step::Wait).count();
                assert!(waits == 0 || member.is("reopen", "true"), "it never waits");
            }
            FirstMove::AtOnceThenCarefully => {
                assert!(moves_at_once, "{:?}", walk.ticks[0]);
                // Once it follows a path, it does not wait any more.
                let known = walk.ticks.iter().skip_while(|tick| !tick.has(Event::Found));
                assert!(known.skip(1).all(|tick| tick.step != Step::Wait), "it waits");
            }
            FirstMove::BackAndForth => {
                assert!(moves_at_once, "{:?}", walk.ticks[0]);
                let mut at = problem.start;
                let searching = |tick: &&Tick| tick.target != Some(problem.goal);
                for tick in walk.ticks.iter().take_while(searching) {
                    if tick.step == Step::Arrived {
                        break; // by chance
                    }
                    let Step::Move(to) = tick.step else { panic!("it stands: {tick:?}") };
                    // Away from the start, or back to it along the known path.
                    let away = at == problem.start && tick.has(Event::Bounce);
                    assert!(away || tick.has(Event::Backtrack), "it leaves: {tick:?}");
                    at = to;
                }
            }
            FirstMove::AfterSegment => assert!(before(Event::Refined)),
            FirstMove::AfterPath => assert!(before(Event::Found)),
            FirstMove::Undeclared => {}
            other => panic!("the suite has no check for {other:?}"),
        }
    }
    on_random_problems!(member, random, 2, 1, check);
}

#[test]
fn the_first_move_comes_when_declared() {
    check_all(check_first_move, 7);
}

/// A goal that moves once in two ticks, to a random neighbor.
fn check_chase(member: &dyn Member, random: &mut Random) {
    fn check<S: Terrain>(member: &dyn Member, problem: &Problem<S>, budget: u64) {
        let _context = OnPanic((problem, member, budget));
        let mut random = Random::new(budget ^ u64::from(problem.start.0));
        let map = &problem.space;
        let (mut at, mut goal) = (problem.start, problem.goal);
        let mut agent = map.agent(member, at, goal).unwrap();
        let ticks = 20 * too_many_ticks(problem.oracle.size(), budget);
        for tick in 0..ticks {
            match agent.tick(map, at, Seen::default(), &mut Slice::new(budget)) {
                Step::Move(to) => {
                    assert!(map.edge(at, to).is_some(), "an illegal step");
                    at = to;
                }
                Step::Wait => {}
                Step::Arrived => {
                    assert_eq!(at, goal);
                    return;
                }
                Step::Unreachable => {
                    assert!(problem.oracle.distances(at)[goal.index()].is_none());
                    return;
                }
            }
            if at != goal && tick % 2 == 1 {
                let mut neighbors = vec![];
                map.for_each_edge(goal, |to, _| neighbors.push(to));
                if !neighbors.is_empty() {
                    goal = random.pick(&neighbors);
                    agent.retarget(map, goal).unwrap();
                    assert_eq!(agent.goal(), goal);
                }
            }
        }
        panic!("never caught");
    }
    // On graphs with edges of one direction, the target could leave for where no path leads.
    if member.facts().catches {
        for budget in BUDGETS.into_iter().flat_map(|budget| [budget; 3]) {
            check(member, &member.grid(random), budget);
        }
    }
}

#[test]
fn a_slower_goal_is_caught_where_declared() {
    check_all(check_chase, 12);
}

/// A clock that allows a number of units of work, counted independently of the slice.
fn check_deadline(member: &dyn Member, random: &mut Random) {
    /// The price of each unit of work in twentieths of a unit, as `Slice::metered` documents.
    fn price(work: Work) -> u64 {
        match work {
            Work::Expand { .. } => 20,
            Work::Trace(_) => 2,
            Work::Update(_) => 10,
            other => panic!("the suite has no price for {other:?}"),
        }
    }
    fn check<S: Terrain>(member: &dyn Member, problem: &Problem<S>, allowed: u64, ticks: usize) {
        let _context = OnPanic((problem, member, allowed));
        let map = &problem.space;
        let mut agent = map.agent(member, problem.start, problem.goal).unwrap();
        let mut at = problem.start;
        let limit = TickLimit::of(member, problem, 1);
        let mut so_far = TickLimit { moves: 0, waits: 0, may_stop: false };
        for tick in 0..ticks {
            let spent = Counter::new(0);
            let mut clock = || spent.get() < 20 * allowed;
            let mut watch = |work| {
                spent.set(spent.get() + price(work));
                true
            };
            let mut slice = Slice::deadline(&mut clock).with_watcher(&mut watch);
            let step = agent.tick(map, at, Seen::default(), &mut slice);
            assert!(spent.get() <= 20 * (allowed + 64), "{} of {allowed}", spent.get() / 20);
            let first = tick == 0 && problem.start != problem.goal && problem.optimum.is_some();
            let careful = member.facts().first_move == FirstMove::AtOnceThenCarefully;
            let at_once = match member.facts().first_move {
                _ if member.is("early", "false") => false,
                FirstMove::AtOnceThenCarefully | FirstMove::AtOnce | FirstMove::BackAndForth => {
                    true
                }
                FirstMove::AfterLookahead => allowed >= 20 * problem.oracle.size() as u64,
                _ => false,
            };
            let moves = matches!(step, Step::Move(_));
            assert!(moves || !first || !at_once, "it does not move at once");
            // With reopening, the agent may be at the most promising node itself.
            let waits = step == Step::Wait && !member.is("reopen", "true");
            assert!(!waits || !at_once || careful, "it waits");
            match step {
                Step::Move(to) => {
                    assert!(map.edge(at, to).is_some(), "an illegal step");
                    assert_eq!(agent.position(), to, "it expects to be elsewhere");
                    at = to;
                }
                Step::Wait => {}
                Step::Arrived => return assert_eq!(at, problem.goal),
                Step::Unreachable => return assert!(problem.optimum.is_none()),
            }
            if limit.count(step, &mut so_far) {
                return;
            }
        }
    }
    for allowed in [0, 1, 10, 100, 1000, 100_000] {
        check(member, &member.grid(random), allowed, usize::MAX);
        if !member.facts().needs_regions {
            check(member, &member.graph(random, Kind::Undirected), allowed, usize::MAX);
        }
    }
    // Large enough for a lookahead to be ended by the clock.
    if member.facts().first_move == FirstMove::AtOnce {
        let problem = Problem::<LayeredGrid>::hard(random, 60);
        for allowed in [50, 200, 700] {
            check(member, &problem, allowed, 15);
        }
    }
}

#[test]
fn a_deadline_is_kept_and_acted_on_at_once() {
    check_all(check_deadline, 13);
}

/// The same algorithm with and without its shortcut: the same walk until the path is known, and afterwards a cheaper
/// one exactly where a shortcut was taken.
#[test]
fn a_shortcut_is_cheaper_than_walking_back() {
    let tba = |c, switch, shortcut| {
        let settings = [("r", "0.5"), ("c", c), ("switch", switch), ("shortcut", shortcut)];
        catalog::find("tba").unwrap().configure(&settings).unwrap()
    };
    let mut random = Random::new(8);
    let mut shortcuts = 0;
    for _ in 0..12_000 {
        let problem = Problem::<LayeredGrid>::random(&mut random);
        let (c, switch) = (random.pick(&["0.5", "1", "10"]), random.pick(&["false", "true"]));
        let budget = random.pick(&[4, 10, 20, 40]);
        let _context = OnPanic((&problem, c, switch, budget));
        let plain = walk(&tba(c, switch, "false"), &problem, budget);
        let shorter = walk(&tba(c, switch, "true"), &problem, budget);
        let known = plain.ticks.iter().position(|tick| tick.target == Some(problem.goal));
        let searching = known.unwrap_or(plain.ticks.len());
        assert_eq!(plain.ticks[..searching], shorter.ticks[..searching]);
        if shorter.ticks.iter().any(|tick| tick.has(Event::Shortcut)) {
            assert!(shorter.cost < plain.cost);
            shortcuts += 1;
        } else {
            assert_eq!(shorter.cost, plain.cost);
        }
    }
    assert!(shortcuts > 20, "only {shortcuts} shortcuts");
}

/// The random problems are hard enough for every event to occur.
#[test]
fn every_event_occurs() {
    let mut random = Random::new(9);
    let mut occurred = Vec::new();
    let never = Event::Restart; // covered by the tests of changing maps
    let expected: Vec<_> = Event::ALL.iter().copied().filter(|&event| event != never).collect();
    for member in members() {
        for budget in BUDGETS.into_iter().flat_map(|budget| [budget; 8]) {
            let walk = walk(member.as_ref(), &member.grid(&mut random), budget);
            occurred.extend(walk.ticks.into_iter().flat_map(|tick| tick.events));
        }
    }
    occurred.sort_by_key(|&event| event as u8);
    occurred.dedup();
    assert_eq!(occurred, expected);
}

#[test]
fn the_tick_limit_is_generous() {
    // The hang detector must not make a slow walk fail.
    let mut random = Random::new(10);
    let mut names = Vec::new();
    for config in configs() {
        // The first of each has its defaults.
        if names.contains(&config.entry().name) {
            continue;
        }
        names.push(config.entry().name);
        for _ in 0..50 {
            let problem = <dyn Member>::grid(&config, &mut random);
            let ticks = walk(&config, &problem, 2).ticks.len();
            assert!(ticks * 10 < TickLimit::of(&config, &problem, 2).moves);
        }
    }
}
