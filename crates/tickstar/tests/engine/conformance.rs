//! One suite that every algorithm of the catalogue passes, with many settings of its parameters.
//!
//! What holds for all is checked for all; what an algorithm promises beyond that is checked by
//! name, or where its entry says so.

use crate::kit::{
    Draw, Kind, LayeredGraph, LayeredGrid, Most, Problem, Random, Telling, Tick, Walk, explore,
    is_slow, most_moves, ratio, useless_nodes, walk_of, walk_within,
};
use tickstar::catalog::{self, Config};
use tickstar::{
    Agent, AgentError, BestFirst, Cell, Cost, EndpointError, Event, Graph, Grid, Layered, Limits,
    Map, NodeId, OpenList, Priority, Ratio, SearchConfig, Seen, Slice, Space, Step,
};

const UNLIMITED: u64 = u64::MAX;
const BUDGETS: [u64; 9] = [1, 2, 3, 5, 10, 37, 100, 1000, UNLIMITED];

/// An algorithm with its parameters set, and what the settings mean as the tests understand them.
#[derive(Debug)]
struct Setup {
    config: Config,
}

impl Setup {
    fn value(&self, name: &str) -> Option<&str> {
        let mut parameters = self.config.parameters().iter();
        parameters.find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    fn is(&self, name: &str, value: &str) -> bool {
        self.value(name) == Some(value)
    }

    fn name(&self) -> &'static str {
        self.config.entry().name
    }

    fn weight(&self) -> Ratio {
        self.value("weight").map_or(ratio(1, 1), |weight| weight.parse().unwrap())
    }

    /// The settings of the search underneath.
    fn search(&self) -> SearchConfig {
        let priority = match self.name() {
            "gbfs" | "tb-gbfs" | "rtb-gbfs" => Priority::GREEDY,
            _ => Priority::weighted(self.weight()).unwrap(),
        };
        let open = if self.is("open", "heap") { OpenList::Heap } else { OpenList::Buckets };
        let reopen = self.is("reopen", "true");
        SearchConfig { priority, open, reopen, ..SearchConfig::default() }
    }

    /// `N_E`, `N_T`, and `N_T` once the solution is found.
    fn shares(&self, budget: u64) -> (u64, u64, u64) {
        if !self.is("trace", "bounded") {
            return (budget, u64::MAX, u64::MAX);
        }
        let share = |name, units: u64| {
            let of: Ratio = self.value(name).unwrap().parse().unwrap();
            let product = u128::from(units) * u128::from(of.num()) / u128::from(of.den());
            product.min(u64::MAX.into()) as u64
        };
        let expansions = share("r", budget).max(1);
        (expansions, share("c", budget - expansions).max(1), share("c", budget).max(1))
    }

    fn agent<S: Map>(&self, problem: &Problem<S>) -> Box<dyn Agent<S> + Send> {
        self.config.agent(&problem.space, problem.start, problem.goal).unwrap()
    }

    fn walk<S: Map>(&self, problem: &Problem<S>, budget: u64) -> Walk {
        walk_of(&self.config, self.agent(problem).as_mut(), problem, budget)
    }

    /// Whether it is of the family that looks a little way ahead, and learns.
    fn is_local(&self) -> bool {
        ["lrta", "p-lrta", "lss-lrta", "rtaa", "a-rtaa", "da-rtaa"].contains(&self.name())
    }

    /// Whether it plans on an abstraction of the map.
    fn plans(&self) -> bool {
        self.config.entry().guarantees.needs_hierarchy
    }

    /// A grid it can be expected to walk on to the end.
    fn grid(&self, random: &mut Random) -> Problem<LayeredGrid> {
        if !is_slow(&self.config) {
            return Problem::<LayeredGrid>::random(random);
        }
        let [width, height] = [(); 2].map(|()| 1 + random.below(10) as u32);
        Problem::random_of_size(random, width, height)
    }

    /// A graph it can be expected to walk on to the end. One that is slow to give up walks to and fro on an
    /// edge that costs nearly nothing until that adds up to the dearest there is.
    fn graph(&self, random: &mut Random, kind: Kind) -> Problem<LayeredGraph> {
        loop {
            let problem = Problem::<LayeredGraph>::random(random, kind);
            let ends = (problem.start, problem.goal);
            let most = most_moves(&problem.space, &problem.oracle, ends);
            if !is_slow(&self.config) || most.is_some_and(|most| most < 20_000) {
                return problem;
            }
        }
    }
}

fn defaults() -> impl Iterator<Item = Setup> {
    catalog::all().iter().map(|entry| Setup { config: crate::kit::default_of(entry) })
}

fn setups() -> impl Iterator<Item = Setup> {
    crate::kit::configs().into_iter().map(|config| Setup { config })
}

/// Runs a check with every setup and budget on random grids and graphs, other ones each time.
macro_rules! on_random_problems {
    ($seed:expr, $grids:expr, $graphs:expr, $check:ident) => {
        let mut random = Random::new($seed);
        for setup in setups() {
            for budget in BUDGETS {
                for _ in 0..$grids {
                    $check(&setup, &setup.grid(&mut random), budget);
                }
                for kind in [Kind::Undirected, Kind::Positioned].repeat($graphs) {
                    $check(&setup, &setup.graph(&mut random, kind), budget);
                }
                if !setup.config.entry().guarantees.needs_reversible_edges {
                    $check(
                        &setup,
                        &Problem::<LayeredGraph>::random(&mut random, Kind::Directed),
                        budget,
                    );
                }
            }
        }
    };
}

#[test]
fn every_walk_keeps_what_is_promised() {
    fn check<S: Map + Draw>(setup: &Setup, problem: &Problem<S>, budget: u64) {
        let _context = Telling((problem, setup, budget));
        // The steps are checked to be edges, and to come to an end, while it walks.
        let walk = setup.walk(problem, budget);
        assert_eq!(walk.arrived(), problem.optimum.is_some(), "arrives exactly when it can");
        check_budgets(setup, problem, budget, &walk);
        check_expansions(setup, problem, budget, &walk);
        if let Some(optimum) = problem.optimum {
            check_cost(setup, problem, budget, &walk, optimum);
        }
    }
    on_random_problems!(1, 30, 6, check);
}

/// No tick works past its budget.
fn check_budgets<S: Map>(setup: &Setup, problem: &Problem<S>, budget: u64, walk: &Walk) {
    let (expansions, traces, traces_after) = setup.shares(budget);
    let limits = setup.agent(problem).limits(budget);
    let updates = budget.saturating_mul(10);
    if setup.is_local() {
        assert_eq!(limits, Limits { expansions: budget, traces: budget, updates });
    } else if setup.name() == "dstar-lite" {
        assert_eq!(limits, Limits { expansions: budget, traces: 0, updates });
    } else if setup.plans() {
        let (expansions, traces, updates) = match setup.name() {
            "quickpath" => (0, budget.saturating_mul(10), 0),
            "pra" => (budget, budget.saturating_mul(10), 0),
            _ => (budget, budget.saturating_mul(10), updates),
        };
        assert_eq!(limits, Limits { expansions, traces, updates });
    } else {
        let traces = traces.max(traces_after);
        assert_eq!(limits, Limits { expansions, traces, updates: 0 });
    }
    let mut found = false;
    for (i, tick) in walk.ticks.iter().enumerate() {
        let first = if i == 0 { traces } else { u64::MAX };
        let all = (tick.expanded.len() + tick.above.len()) as u64;
        assert!(all <= limits.expansions, "tick {i}: {tick:?}");
        assert!(all <= expansions.min(first), "tick {i}: {tick:?}");
        let allowed = if found { traces_after } else { traces };
        assert!(tick.traces <= allowed.min(limits.traces), "tick {i}: {tick:?}");
        assert!(tick.updates <= limits.updates, "tick {i}: {tick:?}");
        found |= tick.has(Event::Found);
    }
}

/// The search is the plain one, cut into ticks; or there are many, each from where the agent stands.
fn check_expansions<S: Map>(setup: &Setup, problem: &Problem<S>, budget: u64, walk: &Walk) {
    if setup.is_local() {
        check_lookaheads(setup, problem, budget, walk);
        return;
    }
    // D* Lite searches the other way round, and others plan on levels above: see the tests of their own.
    if setup.is("shortcut", "true") || setup.name() == "dstar-lite" || setup.plans() {
        return;
    }
    let mut search = BestFirst::new(setup.search());
    let whole = explore(&mut search, &problem.space, (problem.start, problem.goal));
    // An agent that comes by the goal on its way need not finish the search.
    let found = walk.ticks.iter().any(|tick| tick.has(Event::Found));
    let arrived_early = walk.arrived() && !found;
    let done = walk.expanded().count();
    assert!(walk.expanded().eq(whole.order.iter().copied().take(done)), "in the same order");
    assert!(done == whole.order.len() || arrived_early, "{done} of {}", whole.order.len());
}

/// What is expanded before each step lies round the agent, and is as much as is asked for.
fn check_lookaheads<S: Map>(setup: &Setup, problem: &Problem<S>, budget: u64, walk: &Walk) {
    let mut at = problem.start;
    let mut expanded: Vec<NodeId> = Vec::new();
    // It is on its way to the target of an earlier tick, and does not look.
    let mut walking = false;
    for (i, tick) in walk.ticks.iter().enumerate() {
        let _context = Telling((i, tick, at));
        expanded.extend(&tick.expanded);
        match setup.name() {
            "lrta" => check_ball(setup, problem, at, &expanded, tick),
            "p-lrta" => {
                let most = 1 + setup.value("queue").unwrap().parse::<u64>().unwrap();
                assert!(tick.expanded.len() as u64 <= most.min(budget));
                assert_eq!(tick.expanded.first().copied(), Some(at).filter(|_| at != problem.goal));
            }
            _ => {
                assert!(walking == tick.expanded.is_empty() || tick.step == Step::Arrived);
                if !walking {
                    check_tree(problem, budget, at, tick);
                }
                walking = setup.is("moves", "all")
                    && matches!(tick.step, Step::Move(to) if Some(to) != tick.target);
            }
        }
        if let Step::Move(to) = tick.step {
            at = to;
            expanded.clear();
        }
    }
}

/// A search from where the agent stands: as many nodes as the tick has, each met from one before it.
fn check_tree<S: Map>(problem: &Problem<S>, budget: u64, at: NodeId, tick: &Tick) {
    let Some((first, others)) = tick.expanded.split_first() else { return };
    assert_eq!(*first, at);
    for (before, node) in (1..).zip(others) {
        let mut met = tick.expanded[..before].iter();
        assert!(!met.clone().any(|other| other == node), "{node} is expanded twice");
        assert!(met.any(|&from| problem.oracle.edge(from, *node).is_some()), "{node} was not met");
    }
    assert!(!tick.expanded.contains(&problem.goal));
    // It stops before that only if it has found the goal, or there is nothing left.
    let done = tick.target == Some(problem.goal) || tick.step == Step::Unreachable;
    assert!(tick.expanded.len() as u64 == budget || done, "{tick:?}");
}

/// All nodes that are fewer than so many steps away, the nearest first; not the goal, and none to which
/// every way of so few steps leads over it.
fn check_ball<S: Map>(
    setup: &Setup,
    problem: &Problem<S>,
    at: NodeId,
    expanded: &[NodeId],
    tick: &Tick,
) {
    let depth: u32 = setup.value("depth").unwrap().parse().unwrap();
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

fn check_cost<S: Map>(
    setup: &Setup,
    problem: &Problem<S>,
    budget: u64,
    walk: &Walk,
    optimum: Cost,
) {
    let expansions = walk.expanded().count() as u64;
    let weight = setup.weight();
    match setup.name() {
        "astar" | "repeated-astar" | "adaptive-astar" | "dstar-lite" => {
            assert_eq!(walk.cost, optimum);
        }
        // The goal is reached by the first search.
        "lss-lrta" | "rtaa" | "a-rtaa" | "da-rtaa" if budget == UNLIMITED => {
            assert_eq!(walk.cost, optimum);
        }
        "wastar" => {
            let (num, den) = (u64::from(weight.num()), u64::from(weight.den()));
            assert!(walk.cost.0 * den <= optimum.0 * num);
        }
        "late-astar" => {
            // A step for every tick that had no path to follow, and one to come back to the start.
            let bounces = walk.ticks.iter().filter(|tick| tick.target != Some(problem.goal));
            let dearest = problem.space.max_edge_cost().0;
            assert!(walk.cost.0 <= optimum.0 + (bounces.count() as u64 + 1) * dearest);
        }
        "tba" | "rtba" | "tbaa" | "tb-wastar" | "rtb-wastar" => {
            // All costs times the weight's denominator, so that they stay whole.
            let (num, den) = (u64::from(weight.num()), u64::from(weight.den()));
            let bound = optimum.0 * num;
            // From the tick on that finds the path, or with a bounded trace has it traced.
            let free = setup.is("trace", "free");
            let known = walk.ticks.iter().position(|tick| {
                if free { tick.has(Event::Found) } else { tick.target == Some(problem.goal) }
            });
            if let Some(known) = known {
                assert!(walk.cost_from(known).0 * den <= 2 * bound);
            }
            if budget == UNLIMITED {
                assert!(walk.cost.0 * den <= bound);
            }
            if free && setup.is("shortcut", "false") {
                // Theorem 2 of the 2014 paper.
                let steps = expansions / budget * problem.space.max_edge_cost().0;
                assert!(walk.cost.0 * den <= steps * den + 2 * bound);
            }
        }
        _ => {}
    }
}

#[test]
fn a_walk_is_the_same_every_time_and_after_any_other() {
    fn check<S: Map + Draw>(setup: &Setup, problem: &Problem<S>, budget: u64) {
        let _context = Telling((problem, setup, budget));
        let once = setup.walk(problem, budget);
        assert_eq!(setup.walk(problem, budget), once, "run twice");

        let space = &problem.space;
        let mut agent = setup.config.agent(space, problem.goal, problem.start).unwrap();
        let mut again = |when: &str| {
            agent.assign(space, problem.start, problem.goal).unwrap();
            assert_eq!(walk_of(&setup.config, agent.as_mut(), problem, budget), once, "{when}");
            agent.assign(space, problem.goal, problem.start).unwrap();
            for _ in 0..once.ticks.len() / 2 {
                agent.tick(space, agent.position(), Seen::default(), &mut Slice::new(budget));
            }
        };
        again("with an agent that was given another task first");
        again("with an agent that was half-way to elsewhere");
        again("and once more");
    }
    on_random_problems!(2, 3, 1, check);
}

#[test]
fn both_open_lists_lead_to_the_same_walk() {
    fn check<S: Map + Draw>(setup: &Setup, problem: &Problem<S>, budget: u64) {
        if !setup.is("open", "buckets") {
            return;
        }
        let _context = Telling((problem, setup, budget));
        let parameters = setup.config.parameters().iter();
        let settings: Vec<_> = parameters
            .map(|(name, value)| (*name, if *name == "open" { "heap" } else { value.as_str() }))
            .collect();
        let heap = Setup { config: setup.config.entry().configure(&settings).unwrap() };
        assert_eq!(heap.walk(problem, budget), setup.walk(problem, budget));
    }
    on_random_problems!(11, 3, 1, check);
}

#[test]
fn ticks_that_are_cut_short_do_no_harm() {
    fn check<S: Map + Draw>(setup: &Setup, problem: &Problem<S>, budget: u64) {
        let mut random = Random::new(budget);
        let most = Most::of(&setup.config, problem, budget);
        for (name, idle, units) in [("often nothing", 75, 9), ("one unit", 0, 1), ("any", 20, 200)]
        {
            let _context = Telling((problem, setup, budget, name));
            let mut agent = setup.agent(problem);
            let patience = || if random.chance(idle) { 0 } else { 1 + random.below(units) };
            let walk = walk_within(most, agent.as_mut(), problem, budget, patience);
            assert_eq!(walk.arrived(), problem.optimum.is_some());
        }
        let _context = Telling((problem, setup, budget, "work in every fifth tick"));
        let mut ticks = 0;
        let walk = walk_within(most, setup.agent(problem).as_mut(), problem, budget, || {
            ticks += 1;
            if ticks % 5 == 0 { u64::MAX } else { 0 }
        });
        assert_eq!(walk.arrived(), problem.optimum.is_some());
    }
    on_random_problems!(3, 3, 1, check);
}

#[test]
fn without_any_work_an_agent_stays_put() {
    let mut random = Random::new(4);
    for setup in setups() {
        let problem = Problem::<LayeredGrid>::random(&mut random);
        let _context = Telling((&problem, &setup));
        let mut agent = setup.agent(&problem);
        for _ in 0..20 {
            let step =
                agent.tick(&problem.space, agent.position(), Seen::default(), &mut Slice::new(0));
            let expected = match problem.optimum {
                Some(Cost::ZERO) => Step::Arrived,
                None if setup.plans() => Step::Unreachable, // it needs no work to know
                _ => Step::Wait,
            };
            assert_eq!(step, expected);
        }
    }
}

#[test]
fn an_end_is_an_end() {
    fn check<S: Map + Draw>(setup: &Setup, problem: &Problem<S>, budget: u64) {
        let _context = Telling((problem, setup, budget));
        let mut agent = setup.agent(problem);
        let walk = walk_of(&setup.config, agent.as_mut(), problem, budget);
        let last = walk.ticks.last().unwrap().step;
        for _ in 0..3 {
            let mut slice = Slice::new(budget);
            assert_eq!(
                agent.tick(&problem.space, agent.position(), Seen::default(), &mut slice),
                last
            );
            assert_eq!((slice.expansions(), slice.traces(), slice.updates()), (0, 0, 0));
        }
    }
    on_random_problems!(5, 5, 2, check);
}

#[test]
fn at_the_goal_there_is_nothing_to_do() {
    let mut random = Random::new(6);
    for setup in setups() {
        let mut problem = Problem::<LayeredGrid>::random(&mut random);
        problem.goal = problem.start;
        let mut slice = Slice::new(100);
        let step =
            setup.agent(&problem).tick(&problem.space, problem.start, Seen::default(), &mut slice);
        assert_eq!(step, Step::Arrived);
        assert_eq!((slice.expansions(), slice.traces(), slice.updates()), (0, 0, 0));
    }
}

#[test]
fn bad_ends_are_refused() {
    let grid = Layered::new(Grid::from_rows(["..#", "..."]).unwrap()).unwrap();
    let node = |x, y| grid.node(Cell::new(x, y)).unwrap();
    let good = node(0, 0);
    for setup in setups() {
        for bad in useless_nodes(&grid) {
            let refused = |start, goal| {
                let mut agent = setup.config.agent(&grid, good, node(1, 1)).unwrap();
                let error = agent.assign(&grid, start, goal).unwrap_err();
                assert_eq!(setup.config.agent(&grid, start, goal).err(), Some(error.clone()));
                error
            };
            assert_eq!(refused(bad, good), AgentError::Endpoint(EndpointError::Start(bad)));
            assert_eq!(refused(good, bad), AgentError::Endpoint(EndpointError::Goal(bad)));
        }
    }
}

#[test]
fn who_walks_back_needs_edges_that_lead_back() {
    let edges = [(NodeId(0), NodeId(1), Cost(3)), (NodeId(1), NodeId(2), Cost(4))];
    let graph = Graph::directed(3, edges).unwrap();
    for setup in setups() {
        let agent = setup.config.agent(&graph, NodeId(0), NodeId(2));
        let needed = setup.config.entry().guarantees.needs_reversible_edges;
        // Those that need none are run on directed graphs by the checks above.
        assert_eq!(agent.err(), needed.then_some(AgentError::NeedsReversibleEdges));
    }
}

#[test]
fn who_plans_on_an_abstraction_needs_one() {
    let grid = Grid::new(3, 3).unwrap();
    let [start, goal] = [(0, 0), (2, 2)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
    for setup in setups() {
        let agent = setup.config.agent(&grid, start, goal);
        assert_eq!(agent.err(), setup.plans().then_some(AgentError::NeedsHierarchy));
    }
}

#[test]
fn who_acts_at_once_moves_in_the_first_tick() {
    fn check<S: Map + Draw>(setup: &Setup, problem: &Problem<S>, budget: u64) {
        let _context = Telling((problem, setup, budget));
        let walk = setup.walk(problem, budget);
        let moves = matches!(walk.ticks[0].step, Step::Move(_));
        let can = problem.start != problem.goal && problem.optimum.is_some();
        // LRTA* waits until it has looked as far as it is told to.
        let looks_far = ["lrta", "pr-lrta", "d-lrta"].contains(&setup.name());
        let sees_all = !looks_far || budget >= 10 * problem.oracle.size() as u64;
        if can && setup.config.entry().guarantees.acts_at_once && sees_all {
            assert!(moves, "{:?}", walk.ticks[0]);
            // Where nodes are reopened, the most promising one may be that on which the agent stands.
            let waits = walk.ticks.iter().filter(|tick| tick.step == Step::Wait).count();
            assert!(waits == 0 || setup.is("reopen", "true"), "and never waits");
        }
    }
    on_random_problems!(7, 2, 1, check);
}

/// The same algorithm with and without its shortcut: the same walk until the path is known, and from
/// there a cheaper one exactly where a shortcut was taken.
#[test]
fn a_shortcut_is_cheaper_than_walking_back() {
    let tba = |c, switch, shortcut| {
        let settings = [("r", "0.5"), ("c", c), ("switch", switch), ("shortcut", shortcut)];
        Setup { config: catalog::find("tba").unwrap().configure(&settings).unwrap() }
    };
    let mut random = Random::new(8);
    let mut shortcuts = 0;
    for _ in 0..12_000 {
        let problem = Problem::<LayeredGrid>::random(&mut random);
        let (c, switch) = (random.pick(&["0.5", "1", "10"]), random.pick(&["false", "true"]));
        let budget = random.pick(&[4, 10, 20, 40]);
        let _context = Telling((&problem, c, switch, budget));
        let plain = tba(c, switch, "false").walk(&problem, budget);
        let shorter = tba(c, switch, "true").walk(&problem, budget);
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

/// The random problems are hard enough for everything to happen.
#[test]
fn every_event_is_met() {
    let mut random = Random::new(9);
    let mut met = Vec::new();
    let never = Event::Restart; // see the tests of maps that change
    let expected: Vec<_> = Event::ALL.iter().copied().filter(|&event| event != never).collect();
    for setup in setups() {
        for budget in BUDGETS.into_iter().flat_map(|budget| [budget; 8]) {
            let walk = setup.walk(&setup.grid(&mut random), budget);
            met.extend(walk.ticks.into_iter().flat_map(|tick| tick.events));
        }
    }
    met.sort_by_key(|&event| event as u8);
    met.dedup();
    assert_eq!(met, expected);
}

#[test]
fn the_bound_on_ticks_is_generous() {
    // The hang detector must not be what makes a slow walk fail.
    let mut random = Random::new(10);
    for setup in defaults() {
        for _ in 0..50 {
            let problem = setup.grid(&mut random);
            let ticks = setup.walk(&problem, 2).ticks.len();
            assert!(ticks * 10 < Most::of(&setup.config, &problem, 2).moves);
        }
    }
}
