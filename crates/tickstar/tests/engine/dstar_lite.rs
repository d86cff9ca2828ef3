//! D* Lite compared with plain searches of the current map at each moment.

use std::fmt;

use crate::kit::{Draw, LayeredGrid, OnPanic, Oracle, Problem, Random, World, discover, walk};
use tickstar::agent::dstar_lite::{DStarLite, DStarLiteConfig, Ties};
use tickstar::budget::Work;
use tickstar::search::{BestFirst, OpenList, SearchConfig};
use tickstar::space::EndpointError;
use tickstar::{
    Agent, AgentError, Cell, Cost, Event, Graph, Grid, Map, NodeId, Seen, Slice, Space, Step,
};

/// Both open lists with either rule for ties.
const CONFIGS: [DStarLiteConfig; 4] = [
    DStarLiteConfig { open: OpenList::Buckets, ties: Ties::Far },
    DStarLiteConfig { open: OpenList::Heap, ties: Ties::Far },
    DStarLiteConfig { open: OpenList::Buckets, ties: Ties::Near },
    DStarLiteConfig { open: OpenList::Heap, ties: Ties::Near },
];
const BUDGETS: [u64; 5] = [1, 2, 7, 100, u64::MAX];

/// A map that can be edited at random, and its edges as the tests understand them.
trait Changing: Clone {
    type Map: Map + Draw;
    fn map(&self) -> &Self::Map;
    fn oracle(&self) -> &Oracle;
    /// Edits the map, often near this node. Returns what to report to an agent.
    fn edit(&mut self, random: &mut Random, near: NodeId) -> Vec<NodeId>;
}

/// A grid whose cells are blocked and opened.
#[derive(Clone)]
struct Cells {
    grid: Grid,
    oracle: Oracle,
}

impl Cells {
    fn new(problem: &Problem<LayeredGrid>) -> Cells {
        Cells { grid: problem.space.space().clone(), oracle: problem.oracle.clone() }
    }

    fn set(&mut self, cell: Cell, free: bool) -> Option<NodeId> {
        let node = self.grid.node(cell)?;
        self.grid.set_free(cell, free).unwrap();
        self.oracle.update(&self.grid, &[node]);
        Some(node)
    }

    /// A cell anywhere, or a few steps from this one.
    fn pick(&self, random: &mut Random, near: NodeId) -> Cell {
        if random.chance(50) {
            let sides = [self.grid.width(), self.grid.height()];
            let [x, y] = sides.map(|side| random.below(side.into()) as u32);
            return Cell::new(x, y);
        }
        let Cell { x, y } = self.grid.cell(near);
        let [x, y] = [x, y].map(|side| (side + random.below(5) as u32).saturating_sub(2));
        Cell::new(x, y)
    }
}

impl Changing for Cells {
    type Map = Grid;

    fn map(&self) -> &Grid {
        &self.grid
    }

    fn oracle(&self) -> &Oracle {
        &self.oracle
    }

    fn edit(&mut self, random: &mut Random, near: NodeId) -> Vec<NodeId> {
        let mut reported = Vec::new();
        let share = random.pick(&[10, 50, 90]);
        for _ in 0..random.pick(&[0, 1, 1, 2, 5, 20]) {
            let cell = self.pick(random, near);
            reported.extend(self.set(cell, random.chance(share)));
        }
        // Cells that did not change, duplicate cells, and no cells at all.
        for _ in 0..random.below(3) {
            let unchanged = self.grid.node(self.pick(random, near));
            reported.extend(unchanged);
            reported.extend(reported.first().copied());
        }
        if random.chance(20) {
            reported.extend([NodeId(u32::MAX), NodeId(self.grid.size() as u32)]);
        }
        reported
    }
}

/// An undirected graph whose edges appear, disappear and change their cost.
#[derive(Clone)]
struct Edges {
    nodes: usize,
    positions: Option<Vec<(i32, i32)>>,
    list: Vec<(NodeId, NodeId, Cost)>,
    max_cost: u64,
    graph: Graph,
    oracle: Oracle,
}

impl Edges {
    fn random(random: &mut Random) -> Edges {
        let nodes = 1 + random.below(30) as usize;
        let place = |random: &mut Random| [(); 2].map(|()| random.below(20) as i32 - 10).into();
        let positions =
            random.chance(50).then(|| (0..nodes).map(|_| place(random)).collect::<Vec<_>>());
        let mut edges = Edges {
            nodes,
            positions,
            list: Vec::new(),
            max_cost: random.pick(&[1, 3, 1000, 2_000_000_000]),
            graph: Graph::undirected(0, []).unwrap(),
            oracle: Oracle::of_edges(nodes, &[], false),
        };
        edges.build();
        for _ in 0..random.below(3 * nodes as u64 + 1) {
            edges.add(random);
        }
        edges.build();
        edges
    }

    fn build(&mut self) {
        self.graph = Graph::undirected(self.nodes, self.list.clone()).unwrap();
        if let Some(positions) = &self.positions {
            self.graph = self.graph.clone().with_positions(positions.clone()).unwrap();
        }
        self.oracle = Oracle::of_edges(self.nodes, &self.list, false);
    }

    fn add(&mut self, random: &mut Random) -> [NodeId; 2] {
        let [from, to] = [(); 2].map(|()| NodeId(random.below(self.nodes as u64) as u32));
        let least = self.graph.estimate(from, to).0;
        self.list.push((from, to, Cost((least + random.below(self.max_cost)).max(1))));
        [from, to]
    }
}

impl Changing for Edges {
    type Map = Graph;

    fn map(&self) -> &Graph {
        &self.graph
    }

    fn oracle(&self) -> &Oracle {
        &self.oracle
    }

    fn edit(&mut self, random: &mut Random, _near: NodeId) -> Vec<NodeId> {
        let mut reported = Vec::new();
        for _ in 0..random.below(4) {
            if random.chance(50) && !self.list.is_empty() {
                let at = random.below(self.list.len() as u64) as usize;
                let (from, to, _) = self.list.swap_remove(at);
                reported.extend([from, to]);
            }
            if random.chance(50) {
                reported.extend(self.add(random));
            }
        }
        self.build();
        reported
    }
}

/// A changing map with an agent on it.
struct Scene<C: Changing> {
    map: C,
    agent: DStarLite,
    goal: NodeId,
}

impl<C: Changing> fmt::Debug for Scene<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.agent.position();
        write!(f, "{}", self.map.map().draw(at, self.goal))
    }
}

/// What happened in a tick.
struct Done {
    step: Step,
    work: Vec<Work>,
    events: Vec<Event>,
}

impl Done {
    fn expansions(&self) -> usize {
        self.work.iter().filter(|work| matches!(work, Work::Expand { .. })).count()
    }
}

impl Scene<Cells> {
    fn random(random: &mut Random, side: u64) -> Scene<Cells> {
        let [width, height] = [(); 2].map(|()| 1 + random.below(side) as u32);
        let problem = Problem::random_of_size(random, width, height);
        Scene::of(&problem, random.pick(&CONFIGS))
    }

    fn of(problem: &Problem<LayeredGrid>, config: DStarLiteConfig) -> Scene<Cells> {
        let agent = DStarLite::new(&problem.space, config, problem.start, problem.goal).unwrap();
        Scene { map: Cells::new(problem), agent, goal: problem.goal }
    }
}

impl Scene<Edges> {
    fn random(random: &mut Random) -> Scene<Edges> {
        let map = Edges::random(random);
        let [start, goal] = [(); 2].map(|()| NodeId(random.below(map.nodes as u64) as u32));
        let agent = DStarLite::new(map.map(), random.pick(&CONFIGS), start, goal).unwrap();
        Scene { map, agent, goal }
    }
}

impl<C: Changing> Scene<C> {
    fn at(&self) -> NodeId {
        self.agent.position()
    }

    /// One tick with at most `patience` units of work, in which only the bound is checked.
    fn bare_tick(&mut self, reported: &[NodeId], budget: u64, mut patience: u64) -> Done {
        let mut work = Vec::new();
        let mut watch = |unit| {
            let allowed = patience > 0;
            patience = patience.saturating_sub(1);
            work.extend(Some(unit).filter(|_| allowed));
            allowed
        };
        let mut slice = Slice::watched(budget, &mut watch);
        let step = self.agent.tick(
            self.map.map(),
            self.agent.position(),
            Seen { changed: reported },
            &mut slice,
        );
        let limits = self.agent.limits(budget);
        assert!(slice.expansions() <= limits.expansions && slice.expansions() <= budget);
        assert!(slice.updates() <= limits.updates && slice.traces() <= limits.traces);
        let events = slice.events().collect();
        Done { step, work, events }
    }

    /// One tick with all checks.
    fn tick(&mut self, reported: &[NodeId], budget: u64, patience: u64) -> Done {
        let from = self.at();
        let distances = self.map.oracle().distances(self.goal);
        let before = distances[from.index()];
        let done = self.bare_tick(reported, budget, patience);
        let at = self.at();
        match done.step {
            Step::Move(to) => {
                assert_eq!(at, to);
                let cost = self.map.oracle().path_cost(&[from, to]);
                let after = distances[to.index()].expect("a path from the next node");
                assert_eq!(before, Some(cost + after), "the step is on a cheapest path");
            }
            Step::Wait => {
                assert_eq!(at, from);
                assert!(budget < u64::MAX || patience < u64::MAX, "it waits without a reason");
            }
            Step::Arrived => assert_eq!((from, at), (self.goal, self.goal)),
            Step::Unreachable => assert_eq!((at, before), (from, None)),
        }
        let known = matches!(done.step, Step::Move(_) | Step::Arrived);
        assert_eq!(self.agent.cost_to_go().is_some(), known);
        assert_eq!(self.agent.target(), known.then_some(self.goal));
        let plan = self.agent.plan();
        assert_eq!(plan.is_some(), known);
        if let Some(plan) = plan {
            assert_eq!(self.agent.cost_to_go(), distances[at.index()]);
            assert_eq!((plan[0], plan.last()), (at, Some(&self.goal)));
            assert_eq!(Some(self.map.oracle().path_cost(&plan)), distances[at.index()]);
        }
        done
    }

    /// Lets the agent walk while the map changes, with ticks cut short at random.
    fn walk_among_edits(&mut self, random: &mut Random, ticks: u64) -> usize {
        let mut edits = 0;
        let often = random.pick(&[5, 30, 100]);
        let budget = random.pick(&BUDGETS);
        for _ in 0..ticks {
            let at = self.at();
            let reported =
                if random.chance(often) { self.map.edit(random, at) } else { Vec::new() };
            edits += usize::from(!reported.is_empty());
            let patience = if random.chance(20) { random.below(12) } else { u64::MAX };
            self.tick(&reported, budget, patience);
        }
        edits
    }

    /// From here on the map does not change.
    fn walk_to_the_end(&mut self, budget: u64) -> Step {
        let way = self.map.oracle().distance(self.at(), self.goal);
        for _ in 0..2000 {
            let step = self.tick(&[], budget, u64::MAX).step;
            if matches!(step, Step::Arrived | Step::Unreachable) {
                assert_eq!(step == Step::Arrived, way.is_some() || self.at() == self.goal);
                return step;
            }
        }
        panic!("it walks forever")
    }
}

#[test]
fn its_cost_equals_that_of_a_new_search_after_any_edit_of_a_grid() {
    let mut edits = 0;
    for seed in 0..1500 {
        let random = &mut Random::new(seed);
        let mut scene = Scene::<Cells>::random(random, 18);
        let _context = OnPanic(("the first map", seed, format!("{scene:?}")));
        let ticks = random.below(60);
        edits += scene.walk_among_edits(random, ticks);
        scene.walk_to_the_end(random.pick(&BUDGETS));
    }
    assert!(edits > 5000, "only {edits} edits");
}

#[test]
fn its_cost_equals_that_of_a_new_search_after_any_edit_of_a_graph() {
    let mut edits = 0;
    for seed in 0..1500 {
        let random = &mut Random::new(seed);
        let mut scene = Scene::<Edges>::random(random);
        let _context = OnPanic(("the first map", seed, format!("{scene:?}")));
        let ticks = random.below(60);
        edits += scene.walk_among_edits(random, ticks);
        scene.walk_to_the_end(random.pick(&BUDGETS));
    }
    assert!(edits > 5000, "only {edits} edits");
}

#[test]
fn an_opened_door_makes_the_goal_reachable_again() {
    for config in CONFIGS {
        let grid = Grid::from_rows(["..#..", "..#..", "..#.."]).unwrap();
        let mut scene = Scene::of(&Problem::on(&grid, (0, 0), (4, 0)), config);
        for _ in 0..3 {
            let shut = scene.tick(&[], 100, u64::MAX);
            assert_eq!(shut.step, Step::Unreachable);
            assert!(shut.events.is_empty());
        }
        let door = Cell::new(2, 2);
        let reported = scene.map.set(door, true).unwrap();
        let open = scene.tick(&[reported], 100, u64::MAX);
        assert!(matches!(open.step, Step::Move(_)));
        assert_eq!(open.events, [Event::Found, Event::Restart]);
        scene.map.set(door, false).unwrap();
        assert_eq!(scene.tick(&[reported], 100, u64::MAX).step, Step::Unreachable);
        scene.map.set(door, true).unwrap();
        assert_eq!(scene.tick(&[reported], 0, u64::MAX).step, Step::Wait);
        assert_eq!(scene.walk_to_the_end(1), Step::Arrived);
    }
}

#[test]
fn the_agents_own_node_is_not_expanded() {
    for config in CONFIGS {
        let grid = Grid::new(12, 1).unwrap();
        let problem = Problem::on(&grid, (0, 0), (11, 0));
        let done = Scene::of(&problem, config).tick(&[], u64::MAX, u64::MAX);
        assert_eq!(done.expansions(), 11);
        assert_eq!(
            done.work.last(),
            grid.node(Cell::new(1, 0)).map(|node| Work::Expand { level: 0, node }).as_ref()
        );
    }
}

#[test]
fn an_irrelevant_change_costs_no_expansion() {
    let grid = Grid::new(30, 30).unwrap();
    let mut scene = Scene::of(&Problem::on(&grid, (3, 3), (20, 3)), DStarLiteConfig::default());
    assert!(scene.tick(&[], u64::MAX, u64::MAX).events.contains(&Event::Found));
    let reported = scene.map.set(Cell::new(28, 28), false).unwrap();
    let after = scene.tick(&[reported], u64::MAX, u64::MAX);
    assert_eq!((after.expansions(), after.events), (0, vec![Event::Found]));
    assert!(after.work.len() <= 9);
}

/// Everything that is done and walked from here to the end, in order, however it is sliced. After a given number of
/// moves, or when no path exists, the map changes, as long as edits are left.
fn history<C: Changing>(
    mut scene: Scene<C>,
    mut random: Random,
    budget: u64,
    mut patience: impl FnMut() -> u64,
) -> Vec<(Option<Work>, Option<Step>, Option<Cost>)> {
    let (mut story, mut moves, mut edits) = (Vec::new(), 0, 6);
    let mut reported = Vec::new();
    for _ in 0..100_000 {
        let done = scene.bare_tick(&std::mem::take(&mut reported), budget, patience());
        story.extend(done.work.into_iter().map(|work| (Some(work), None, None)));
        if done.step == Step::Wait {
            continue;
        }
        story.push((None, Some(done.step), scene.agent.cost_to_go()));
        moves += 1;
        let stuck = done.step == Step::Unreachable;
        if done.step == Step::Arrived || stuck && edits == 0 {
            return story;
        }
        if edits > 0 && scene.at() != scene.goal && (stuck || moves % 4 == 0) {
            edits -= 1;
            let at = scene.at();
            reported = scene.map.edit(&mut random, at);
        }
    }
    panic!("it walks forever")
}

#[test]
fn slicing_and_the_kind_of_open_list_do_not_change_the_search() {
    for seed in 0..300 {
        let problem = Problem::<LayeredGrid>::random(&mut Random::new(seed));
        let _context = OnPanic((seed, &problem));
        let run = |config, budget| {
            history(Scene::of(&problem, config), Random::new(seed), budget, || u64::MAX)
        };
        for config in CONFIGS {
            let other = DStarLiteConfig { open: OpenList::Buckets, ..config };
            let whole = run(other, u64::MAX);
            for budget in [1, 2, 7, u64::MAX] {
                assert!(run(config, budget) == whole, "{config:?}, {budget}");
            }
            let mut mood = Random::new(seed + 1);
            let scene = Scene::of(&problem, config);
            let moody = history(scene, Random::new(seed), 50, || mood.below(20));
            assert!(moody == whole, "{config:?}, refused at random");
        }
    }
}

#[test]
fn slicing_does_not_change_the_search_on_graphs() {
    for seed in 0..300 {
        let run = |config, budget| {
            let random = &mut Random::new(seed);
            let mut scene = Scene::<Edges>::random(random);
            let start = scene.at();
            scene.agent = DStarLite::new(scene.map.map(), config, start, scene.goal).unwrap();
            history(scene, Random::new(seed), budget, || u64::MAX)
        };
        for config in CONFIGS {
            let other = DStarLiteConfig { open: OpenList::Heap, ..config };
            let whole = run(other, u64::MAX);
            for budget in [1, 3, 20] {
                assert!(run(config, budget) == whole, "{seed}, {budget}, {config:?}");
            }
        }
    }
}

#[test]
fn it_walks_cheapest_paths_of_the_known_map() {
    let mut discovered = 0;
    for seed in 0..400 {
        let random = &mut Random::new(seed);
        let mut world = World::random(random, 25);
        let _context = OnPanic((seed, format!("{world:?}")));
        let (start, goal) = (world.truth.start, world.truth.goal);
        let mut agent = DStarLite::new(&world.known, random.pick(&CONFIGS), start, goal).unwrap();
        let hidden = world.hidden;
        let mut from = start;
        let run = discover(&mut agent, &mut world, random.pick(&BUDGETS), |agent, world, tick| {
            let believed = world.belief.distances(goal);
            if let Step::Move(to) = tick.step {
                let cost = world.belief.path_cost(&[from, to]);
                assert_eq!(agent.cost_to_go(), believed[to.index()]);
                let left = agent.cost_to_go().map(|left| cost + left);
                assert_eq!(left, believed[from.index()]);
                from = to;
            }
        });
        assert_eq!(run.arrived(), world.truth.optimum.is_some());
        discovered += hidden - world.hidden;
    }
    assert!(discovered > 2000, "it discovered only {discovered} walls");
}

#[test]
fn an_agent_with_a_new_task_behaves_like_a_new_agent() {
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let problem = Problem::<LayeredGrid>::random(random);
        let config = random.pick(&CONFIGS);
        let fresh = history(Scene::of(&problem, config), Random::new(seed), u64::MAX, || u64::MAX);
        let mut used = Scene::of(&problem, config);
        let ticks = random.below(30);
        used.walk_among_edits(random, ticks);
        if random.chance(50) {
            // With changes that have not been processed yet.
            let at = used.at();
            let reported = used.map.edit(random, at);
            used.tick(&reported, 1, random.below(5));
        }
        used.map = Cells::new(&problem);
        used.agent.assign(&problem.space, problem.start, problem.goal).unwrap();
        let again = history(used, Random::new(seed), u64::MAX, || u64::MAX);
        assert!(again == fresh, "{seed}");
    }
}

#[test]
fn it_can_be_moved_anywhere_at_any_time() {
    for seed in 0..400 {
        let random = &mut Random::new(seed);
        let mut scene = Scene::<Cells>::random(random, 18);
        for _ in 0..8 {
            let ticks = random.below(12);
            scene.walk_among_edits(random, ticks);
            let free: Vec<_> = scene.map.grid.free_cells().collect();
            let goal_free = scene.map.grid.contains(scene.goal);
            let Some(at) = (!free.is_empty()).then(|| random.pick(&free)) else { continue };
            let (at, before) = (scene.map.grid.node(at).unwrap(), scene.at());
            let placed = scene.agent.restart(&scene.map.grid, at);
            assert_eq!(placed.is_ok(), goal_free);
            assert_eq!(scene.at(), if goal_free { at } else { before });
        }
        scene.walk_to_the_end(random.pick(&BUDGETS));
    }
}

#[test]
fn changes_reported_at_the_goal_are_remembered() {
    for config in CONFIGS {
        let grid = Grid::from_rows(["......", ".####.", "......"]).unwrap();
        let mut scene = Scene::of(&Problem::on(&grid, (0, 0), (5, 0)), config);
        assert_eq!(scene.walk_to_the_end(3), Step::Arrived);
        let reported = scene.map.set(Cell::new(3, 0), false).unwrap();
        assert_eq!(scene.tick(&[reported], 0, u64::MAX).step, Step::Arrived);
        let start = grid.node(Cell::new(0, 0)).unwrap();
        scene.agent.restart(&scene.map.grid, start).unwrap();
        assert_eq!(scene.walk_to_the_end(3), Step::Arrived);
    }
}

#[test]
fn without_a_budget_it_waits() {
    for seed in 0..50 {
        let random = &mut Random::new(seed);
        let mut scene = Scene::<Cells>::random(random, 18);
        let start = scene.at();
        for turn in 0..10 {
            let reported = scene.map.edit(random, start);
            let (budget, patience) = if turn % 2 == 0 { (0, u64::MAX) } else { (100, 0) };
            let done = scene.tick(&reported, budget, patience);
            assert_eq!((done.work.len(), scene.at()), (0, start));
            // From a blocked cell no step is possible, which needs no search.
            let expected = match scene.map.grid.contains(start) {
                _ if start == scene.goal => Step::Arrived,
                true => Step::Wait,
                false => Step::Unreachable,
            };
            assert_eq!(done.step, expected);
        }
        scene.walk_to_the_end(u64::MAX);
    }
}

#[test]
fn invalid_tasks_are_errors() {
    let grid = Grid::from_rows([".#.", "..."]).unwrap();
    let [free, blocked] = [(0, 0), (1, 0)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
    for bad in [blocked, NodeId(u32::MAX)] {
        let start = DStarLite::new(&grid, DStarLiteConfig::default(), bad, free).unwrap_err();
        let (node, place) = (bad, grid.describe(bad));
        let expected = EndpointError::Start { node, place: place.clone() };
        assert_eq!(start, AgentError::Endpoint(expected));
        let mut agent = DStarLite::new(&grid, DStarLiteConfig::default(), free, free).unwrap();
        let goal = AgentError::Endpoint(EndpointError::Goal { node, place });
        assert_eq!(agent.assign(&grid, free, bad).unwrap_err(), goal);
        assert_eq!(agent.restart(&grid, bad).unwrap_err(), start);
        // It continues as if the rejected call had not been made.
        let step = agent.tick(&grid, agent.position(), Seen::default(), &mut Slice::unlimited());
        assert_eq!(step, Step::Arrived);
    }
    let one_way = Graph::directed(2, [(NodeId(0), NodeId(1), Cost(1))]).unwrap();
    let refused = DStarLite::new(&one_way, DStarLiteConfig::default(), NodeId(0), NodeId(1));
    assert_eq!(refused.unwrap_err(), AgentError::NeedsReversibleEdges);
}

/// Whatever is not reported, its steps are legal; and once it is reported, the result is correct again.
#[test]
fn unreported_changes_do_no_lasting_harm() {
    let mut surprised = 0;
    for seed in 0..500 {
        let random = &mut Random::new(seed);
        let mut scene = Scene::<Cells>::random(random, 18);
        let _context = OnPanic((seed, format!("{scene:?}")));
        let all: Vec<_> = (0..scene.map.grid.size() as u32).map(NodeId).collect();
        for _ in 0..random.below(60) {
            let from = scene.at();
            let reported =
                if random.chance(30) { scene.map.edit(random, from) } else { Vec::new() };
            let reported = if random.chance(50) { reported } else { Vec::new() };
            let done = scene.bare_tick(&reported, random.pick(&BUDGETS), u64::MAX);
            if let Step::Move(to) = done.step {
                scene.map.oracle().path_cost(&[from, to]);
            }
            surprised += usize::from(done.step == Step::Wait);
            let _ = scene.agent.plan(); // may be outdated, but is finite
        }
        scene.tick(&all, u64::MAX, u64::MAX);
        scene.walk_to_the_end(random.pick(&BUDGETS));
    }
    assert!(surprised > 100);
}

/// The number of nodes that A* expands from here to the goal.
fn new_search(search: &mut BestFirst, grid: &Grid, from: NodeId, goal: NodeId) -> u64 {
    let mut slice = Slice::unlimited();
    search.start(grid, from, goal);
    search.run(grid, &mut slice);
    slice.expansions()
}

#[test]
fn repairing_is_cheaper_than_a_new_search() {
    let (mut repaired, mut searched, mut first) = (0, 0, 0);
    for seed in 0..60 {
        let random = &mut Random::new(seed);
        let problem = Problem::hard(random, 60);
        let mut scene = Scene::of(&problem, DStarLiteConfig::default());
        let mut search = BestFirst::new(SearchConfig::default());
        first += scene.bare_tick(&[], u64::MAX, u64::MAX).expansions();
        for _ in 0..20 {
            let at = scene.at();
            let side = [scene.map.grid.width(), scene.map.grid.height()];
            let [x, y] = side.map(|side| random.below(side.into()) as u32);
            let cell = Cell::new(x, y);
            let free = !scene.map.grid.is_free(cell);
            let reported = scene.map.set(cell, free).unwrap();
            if at == scene.goal || reported == at || reported == scene.goal {
                break;
            }
            searched += new_search(&mut search, &scene.map.grid, at, scene.goal) as usize;
            repaired += scene.bare_tick(&[reported], u64::MAX, u64::MAX).expansions();
        }
    }
    assert!(first > 1000);
    assert!(3 * repaired < searched, "{repaired} to repair, {searched} to search again");
}

/// It arrives early and stays at its goal, so the keys of its node never grow, and stale entries of the open list never
/// reach the top.
#[test]
fn a_door_that_opens_and_closes_forever_needs_bounded_memory() {
    for config in CONFIGS {
        let grid = Grid::new(40, 40).unwrap();
        let mut scene = Scene::of(&Problem::on(&grid, (5, 5), (5, 20)), config);
        let mut early = 0;
        for turn in 0..40_000 {
            let reported = scene.map.set(Cell::new(6, 10), turn % 2 == 1).unwrap();
            scene.bare_tick(&[reported], u64::MAX, u64::MAX);
            early = if turn == 5000 { scene.agent.bytes() } else { early };
        }
        let late = scene.agent.bytes();
        assert!(late <= early * 11 / 10, "{late} bytes, from {early}");
        scene.agent.restart(&scene.map.grid, grid.node(Cell::new(39, 2)).unwrap()).unwrap();
        scene.walk_to_the_end(u64::MAX);
    }
}

#[test]
fn its_walk_is_optimal_on_a_known_map() {
    for seed in 0..300 {
        let random = &mut Random::new(seed);
        let problem = Problem::<LayeredGrid>::random(random);
        let config = random.pick(&CONFIGS);
        let mut agent =
            DStarLite::new(&problem.space, config, problem.start, problem.goal).unwrap();
        let run = walk(&mut agent, &problem, random.pick(&[1, 10, 1000]));
        assert_eq!(run.arrived().then_some(run.cost), problem.optimum);
    }
}
