//! Worlds: what the agent knows of the map, and how the map changes. Every walk is followed through
//! its trace with a model of the world that is the tests' own.

use serde_json::Value;
use tickstar::catalog::{CostBound, Method};

use crate::support::{
    Cell, Folder, INPUT, MOVEMENTS, Movement, NO_OPENINGS, TestMap, USAGE, algorithms, cell, cells,
    facts, is_learning, json_lines, learning, length, map, most_updates, number, raises, refused,
    same,
};

/// Pseudo-random numbers: xorshift.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % end
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// A map with a quarter of its cells blocked.
fn noise(width: usize, height: usize, seed: u64) -> String {
    let mut numbers = Numbers(seed);
    let row = |_| (0..width).map(|_| if numbers.below(4) == 0 { '@' } else { '.' }).collect();
    let rows: Vec<String> = (0..height).map(row).collect();
    map(&rows.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Corridors with one path between any two of their cells.
fn maze(width: i64, height: i64, seed: u64) -> String {
    let mut numbers = Numbers(seed);
    let mut rows = vec![vec![b'@'; width as usize]; height as usize];
    let mut dig = |(x, y): Cell| rows[y as usize][x as usize] = b'.';
    dig((1, 1));
    let (mut dug, mut branch) = (vec![(1, 1)], vec![(1, 1)]);
    while let Some(&(x, y)) = branch.last() {
        let rock = |&(dx, dy): &Cell| {
            let inside = (1..width).contains(&(x + 2 * dx)) && (1..height).contains(&(y + 2 * dy));
            inside && !dug.contains(&(x + 2 * dx, y + 2 * dy))
        };
        let ways: Vec<Cell> = [(1, 0), (-1, 0), (0, 1), (0, -1)].into_iter().filter(rock).collect();
        if ways.is_empty() {
            branch.pop();
            continue;
        }
        let (dx, dy) = numbers.pick(&ways);
        let to = (x + 2 * dx, y + 2 * dy);
        dig((x + dx, y + dy));
        dig(to);
        dug.push(to);
        branch.push(to);
    }
    map(&rows.iter().map(|row| std::str::from_utf8(row).unwrap()).collect::<Vec<_>>())
}

/// A room without a door in the middle of open ground, with a few walls.
fn closed() -> String {
    map(&[
        "................",
        "..@@@@....@.....",
        "....@.....@..@..",
        "....@@@@@@@..@..",
        ".....@....@.@@..",
        "..@..@....@.....",
        "..@..@..@.@..@..",
        "..@@.@@@@@@.@...",
        "........@...@...",
        "...@@@......@...",
        "................",
    ])
}

/// A line of a script.
#[derive(Clone, Copy)]
struct Change {
    interval: u64,
    cell: Cell,
    free: bool,
}

/// The file that makes these changes.
fn script(changes: &[Change]) -> String {
    let line = |Change { interval, cell: (x, y), free }: &Change| {
        format!("{interval} {x} {y} {}\n", if *free { "free" } else { "blocked" })
    };
    changes.iter().map(line).collect::<String>() + "end\n"
}

/// How the agent learns of the world.
#[derive(Clone)]
enum Sort {
    /// It knows all, and nothing changes.
    Known,
    /// It sees what is next to it.
    Seen,
    /// The map changes at random, at this rate, and changes are reported.
    Dynamic(f64),
    /// The map changes as written, and changes are reported.
    Script(Vec<Change>),
}

/// A world as its description has it.
struct Model {
    /// The map file.
    map: TestMap,
    sort: Sort,
    /// How things are.
    truth: TestMap,
    /// As the agent has seen it or had it reported.
    known: TestMap,
    /// How they were for it at its last tick.
    before: TestMap,
    goal: Cell,
    at: Cell,
    moves: u64,
    /// Lines of the script that have been read.
    read: usize,
    /// Whether the agent keeps its own cell from being blocked.
    held: bool,
}

impl Model {
    fn new(
        map: TestMap,
        sort: &Sort,
        world: &str,
        hidden: &[Cell],
        (at, goal): (Cell, Cell),
    ) -> Model {
        let (mut truth, mut known) = (map.clone(), map.clone());
        if world == "unknown" {
            for cell in known.cells() {
                known.set(cell, true);
            }
        }
        for &cell in hidden {
            truth.set(cell, false);
        }
        let (sort, moves, read, held) = (sort.clone(), 0, 0, false);
        let before = known.clone();
        let mut model = Model { map, sort, truth, known, before, goal, at, moves, read, held };
        // What is seen at the start is not reported as a change.
        model.look();
        model.before = model.known.clone();
        model
    }

    /// Puts the agent back to its start, with all it has seen up to its arrival.
    fn put_back(&mut self, start: Cell) {
        self.look();
        (self.at, self.moves) = (start, 0);
    }

    /// Whether the map changes.
    fn changes(&self) -> bool {
        matches!(self.sort, Sort::Dynamic(_) | Sort::Script(_))
    }

    /// Makes known what is next to the agent.
    fn look(&mut self) {
        if matches!(self.sort, Sort::Seen) {
            for cell in self.truth.around(self.at) {
                // What is known already stays as the file has it.
                if self.known.free(cell) != self.truth.free(cell) {
                    self.known.set(cell, self.truth.free(cell));
                }
            }
        }
    }

    /// Begins an interval: checks that exactly the changes it must know are reported.
    fn begin(&mut self, line: &Value, has_moved: bool) {
        match &self.sort {
            Sort::Known => {}
            Sort::Seen => self.look(),
            Sort::Dynamic(rate) => {
                let due = has_moved && self.moves.is_multiple_of(10);
                assert!(due || !has_changes(line), "no change is due: {line}");
                for (name, free) in [("blocked", false), ("freed", true)] {
                    for cell in cells(&line[name]) {
                        self.truth.set(cell, free);
                    }
                }
                if due {
                    self.judge_change(*rate);
                }
                if has_changes(line) {
                    self.known = self.truth.clone();
                }
            }
            Sort::Script(changes) => {
                let due = |change: &&Change| change.interval <= number(line, "interval");
                for change in changes[self.read..].iter().take_while(due) {
                    self.read += 1;
                    if change.cell == self.at {
                        self.held = !change.free;
                    } else {
                        self.truth.set(change.cell, change.free);
                    }
                }
                self.known = self.truth.clone();
            }
        }
        // Learning agents take many intervals in which nothing is new.
        if self.known.is_like(&self.before) {
            assert!(!has_changes(line), "{line}");
            return;
        }
        let change = |from: &TestMap, to: &TestMap| -> Vec<Cell> {
            to.cells().filter(|&cell| from.free(cell) && !to.free(cell)).collect()
        };
        assert_eq!(in_rows(&line["blocked"]), change(&self.before, &self.known), "{line}");
        assert_eq!(in_rows(&line["freed"]), change(&self.known, &self.before), "{line}");
        self.before = self.known.clone();
    }

    /// Each change draws afresh from the map: half the rate of the free cells and of the blocked
    /// ones. The cells of the agent and of the goal may be left out, or stay open.
    fn judge_change(&self, rate: f64) {
        let (free, blocked): (Vec<_>, Vec<_>) =
            self.map.cells().partition(|&cell| self.map.free(cell));
        let half = |count: usize| (rate * count as f64 / 200.0 + 1e-9) as usize;
        let (shut, opened) = (half(free.len()), half(blocked.len()));
        let is_shut = free.iter().filter(|&&cell| !self.truth.free(cell)).count();
        let is_open = blocked.iter().filter(|&&cell| self.truth.free(cell)).count();
        assert!(is_shut <= shut && shut <= is_shut + 2, "{is_shut} of {shut}");
        assert!(opened <= is_open && is_open <= opened + 1, "{is_open} of {opened}");
        assert!(self.truth.free(self.at) && self.truth.free(self.goal));
    }

    /// The length of the step to this cell, which must be legal now.
    fn step(&mut self, to: Cell) -> f64 {
        let step = self.truth.step(self.at, to);
        let step = step.unwrap_or_else(|| panic!("no legal step: {:?} to {to:?}", self.at));
        if std::mem::take(&mut self.held) {
            self.truth.set(self.at, false);
        }
        self.at = to;
        self.moves += 1;
        step
    }
}

/// Whether any change was reported to the agent before this interval.
fn has_changes(line: &Value) -> bool {
    ["blocked", "freed"].iter().any(|&name| !cells(&line[name]).is_empty())
}

/// Cells in the order of rows.
fn in_rows(value: &Value) -> Vec<Cell> {
    let mut cells = cells(value);
    cells.sort_unstable_by_key(|&(x, y)| (y, x));
    cells
}

const LINE: [&str; 9] = [
    "problem",
    "interval",
    "position",
    "expanded",
    "expanded_above",
    "target",
    "events",
    "blocked",
    "freed",
];

/// Checks a run by its trace: what was reported to the agent, where it went, and what the record says.
/// `most` intervals were allowed.
fn judge(model: &mut Model, record: &Value, lines: &[Value], most: u64) {
    let (start, goal) = (model.at, model.goal);
    let path = cells(&record["path"]);
    let mut distance = model.truth.distances(goal);
    let optimal = Some(distance(start)).filter(|length| length.is_finite());
    assert_eq!(record["optimal"].is_null(), optimal.is_none(), "{record}");
    assert!(optimal.is_none_or(|optimal| same(optimal, length(record, "optimal"))), "{record}");
    assert_eq!(path[0], start, "{record}");
    assert_eq!(lines.len() as u64, number(record, "intervals"), "{record}");
    let (mut cost, mut detours, mut back, mut restarts, mut lessons) = (0.0, 0, 0, 0, 0);
    let (mut first, mut has_moved) = (None, false);
    let mut expansions = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let fields: Vec<_> = line.as_object().unwrap().keys().filter(|&key| key != "run").collect();
        assert_eq!(fields, LINE);
        assert_eq!(line.get("run"), record.get("run"));
        assert_eq!(number(line, "interval"), index as u64 + 1);
        assert_ne!(model.at, goal, "{line}");
        model.begin(line, has_moved);
        if model.changes() && has_changes(line) {
            distance = model.truth.distances(goal);
        }
        assert!(model.truth.free(model.at) && model.truth.free(goal), "{line}");
        let above = line["expanded_above"].as_array().unwrap().len();
        expansions.push((cells(&line["expanded"]).len() + above) as u64);
        let events: Vec<_> = line["events"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| event.as_str().unwrap())
            .collect();
        restarts += u64::from(events.contains(&"restart"));
        lessons += u64::from(events.contains(&"learned"));
        let position = cell(&line["position"]);
        has_moved = position != model.at;
        if has_moved {
            first.get_or_insert(index as u64 + 1);
            let (here, there) = (distance(model.at), distance(position));
            let step = model.step(position);
            cost += step;
            // On no shortest path, if there is any.
            detours += u64::from(here.is_finite() && step + there > here + 1e-9);
            back += u64::from(events.contains(&"backtrack"));
            assert_eq!(Some(&position), path.get(model.moves as usize), "{line}");
        }
    }
    assert_eq!(model.moves as usize + 1, path.len(), "{record}");
    assert_eq!(model.moves, number(record, "moves"), "{record}");
    assert!(same(cost, length(record, "cost")), "{cost}: {record}");
    assert_eq!(first, record["first_move_interval"].as_u64(), "{record}");
    assert_eq!(detours, number(record, "non_optimal_moves"), "{record}");
    assert_eq!(back, number(record, "back_moves"), "{record}");
    assert_eq!(restarts, number(record, "restarts"), "{record}");
    assert_eq!(lessons, number(record, "lessons"), "{record}");
    let algorithm = record["algorithm"].as_str().unwrap();
    assert!(lessons == 0 || raises(algorithm), "{record}");
    let (updates, worst) = (number(record, "updates"), number(record, "max_updates_per_interval"));
    assert!(worst <= most_updates(algorithm, record["budget"].as_u64()), "{record}");
    assert!(worst <= updates && updates <= worst * lines.len() as u64, "{record}");
    assert_eq!(expansions.iter().sum::<u64>(), number(record, "expansions"), "{record}");
    let worst = expansions.iter().max().copied().unwrap_or(0);
    assert_eq!(worst, number(record, "max_expansions_per_interval"), "{record}");
    assert!(record["budget"].as_u64().is_none_or(|budget| worst <= budget), "{record}");
    let ratio = record["suboptimality"].as_f64();
    match record["outcome"].as_str().unwrap() {
        "reached" => {
            assert_eq!(model.at, goal, "{record}");
            let expected = optimal.map(|optimal| if start == goal { 1.0 } else { cost / optimal });
            assert_eq!(ratio.is_some(), expected.is_some(), "{record}");
            assert!(ratio.zip(expected).is_none_or(|(a, b)| same(a, b)), "{record}");
        }
        "unreachable" => {
            assert_eq!(model.truth.shortest(model.at, goal), None, "{record}");
            assert_eq!(ratio, None, "{record}");
            if let Sort::Script(changes) = &model.sort {
                assert_eq!(model.read, changes.len(), "something might open: {record}");
            }
        }
        "gave_up" => {
            assert_eq!((number(record, "intervals"), ratio), (most, None), "{record}");
            assert_ne!(model.at, goal, "{record}");
        }
        other => panic!("{other}: {record}"),
    }
}

/// Whether the last search of a run is the one that began at the start: the learning ones begin one with
/// every step, D* Lite repairs its own, and those that plan on a hierarchy do so one segment at a time.
fn plans_from_start(algorithm: &str) -> bool {
    matches!(facts(algorithm).method, Method::Astar | Method::Greedy)
}

/// The default limit of intervals of a learning search with these flags, per column and row of the map.
fn intervals_per_side(flags: &str) -> u64 {
    let budget = flags.split_once("--budget ").map(|(_, rest)| rest.split(' ').next().unwrap());
    match budget.map(|budget| budget.parse::<u64>().unwrap()) {
        Some(budget) => (50_000 / budget).max(200),
        None if flags.contains("lrta") && !flags.contains("lss-lrta") => 2000,
        None => 500,
    }
}

/// A map file with problems, and the seed of its worlds.
struct Course {
    name: &'static str,
    map: String,
    movement: Movement,
    problems: Vec<(Cell, Cell)>,
    script: Vec<Change>,
    seed: u64,
}

impl Course {
    fn plan(&self) -> TestMap {
        TestMap::new(&self.map, self.movement)
    }

    /// How many cells are free.
    fn free(&self) -> usize {
        let test_map = self.plan();
        test_map.cells().filter(|&cell| test_map.free(cell)).count()
    }

    fn write(&self, folder: &Folder) {
        folder.write(&format!("{}.map", self.name), &self.map);
        folder.write(&format!("{}.script", self.name), script(&self.script));
        let line = |((sx, sy), (gx, gy)): &(Cell, Cell)| format!("{sx} {sy} {gx} {gy}\n");
        let lines: String = self.problems.iter().map(line).collect();
        folder.write(&format!("{}.txt", self.name), lines);
    }

    /// Whether blocked cells become free in a world.
    fn opens(&self, world: &str) -> bool {
        world.starts_with("dynamic") || world == "script" && self.script.iter().any(|c| c.free)
    }

    /// Checks that an algorithm is refused in a world, by name and with the reason.
    fn refuse(&self, folder: &Folder, world: &str, algorithm: &str) {
        let name = self.name;
        let world =
            if world == "script" { format!("script:{name}.script") } else { world.to_string() };
        let flags = format!(
            "--map {name}.map --problems {name}.txt --world {world} --json --trace refused.jsonl"
        );
        let named =
            format!("`{algorithm}` cannot be run in the world {world}, where blocked cells");
        let run = format!("run {flags} --algorithm {algorithm}");
        refused(folder, &run, USAGE, &[&named, NO_OPENINGS]);
        assert!(!folder.path("refused.jsonl").exists(), "{run}");
    }

    /// Runs the problems in a world with these flags, and judges every run. The usual limit of
    /// intervals holds, unless the last flag says otherwise.
    fn run(&self, folder: &Folder, world: &str, flags: &str) -> Vec<Value> {
        let (name, seed, movement) = (self.name, self.seed, self.movement.flags);
        let (world, sort) = match world.split_once(':') {
            Some(("dynamic", rate)) => (world.to_string(), Sort::Dynamic(rate.parse().unwrap())),
            _ if world == "script" => {
                (format!("script:{name}.script"), Sort::Script(self.script.clone()))
            }
            _ if world == "known" => (world.to_string(), Sort::Known),
            _ => (world.to_string(), Sort::Seen),
        };
        let run = format!(
            "run --map {name}.map --problems {name}.txt --world {world} --seed {seed} {movement} {flags} \
             --json --path --trace {name}.jsonl"
        );
        let records = folder.run(&run).json();
        let lines = json_lines(&folder.text(&format!("{name}.jsonl")));
        let (right, bottom) = self.plan().cells().last().unwrap();
        let (_, algorithm) = flags.split_once("--algorithm ").unwrap();
        let intervals_per_side = if raises(algorithm) { intervals_per_side(flags) } else { 20 };
        let usual = intervals_per_side * (right + 1 + bottom + 1) as u64;
        let most = flags.split_once("--max-intervals ").map_or(usual, |(_, n)| n.parse().unwrap());
        // With --repeat, a problem has several.
        let again = |_: &Value, next: &Value| next["run"].as_u64().is_some_and(|run| run > 1);
        let problems: Vec<_> = records.chunk_by(again).collect();
        assert_eq!(problems.len(), self.problems.len(), "{run}");
        let mut rest = lines.as_slice();
        for (index, (records, &(start, goal))) in problems.iter().zip(&self.problems).enumerate() {
            let hidden = match rest.split_first() {
                Some((line, others)) if line["hidden"].is_array() => {
                    rest = others;
                    assert_eq!(number(line, "problem"), index as u64 + 1, "{run}");
                    cells(&line["hidden"])
                }
                _ => Vec::new(),
            };
            let share =
                world.strip_prefix("partial:").map_or(0, |percent| percent.parse().unwrap());
            assert_eq!(hidden.len(), self.free() * share / 100, "{run}");
            let mut model = Model::new(self.plan(), &sort, &world, &hidden, (start, goal));
            for record in *records {
                assert_eq!(record["world"], world);
                assert_eq!(record["seed"], seed);
                assert_eq!((cell(&record["start"]), cell(&record["goal"])), (start, goal), "{run}");
                let (own, others) = rest.split_at(number(record, "intervals") as usize);
                rest = others;
                assert!(
                    own.iter().all(|line| number(line, "problem") == index as u64 + 1),
                    "{run}"
                );
                model.put_back(start);
                judge(&mut model, record, own, most);
                if let Some(test_map) = record.get("plan") {
                    let path = cells(&test_map["path"]);
                    assert_eq!((path[0], path[path.len() - 1]), (start, goal), "{record}");
                    assert!(same(model.truth.walk(&path), length(test_map, "cost")), "{record}");
                }
                let no_way = || model.truth.shortest(model.at, goal).is_none();
                let may_give_up =
                    matches!(sort, Sort::Dynamic(_)) || is_learning(algorithm) && no_way();
                assert!(record["outcome"] != "gave_up" || may_give_up, "{run}: {record}");
            }
        }
        assert!(rest.is_empty(), "{run}");
        records
    }
}

/// A script that blocks and frees cells here and there, but for the goals; also where the agent may
/// stand, and the first start at once.
fn bustle(map: &str, problems: &[(Cell, Cell)]) -> Vec<Change> {
    let is_goal = |cell: &Cell| problems.iter().any(|(_, goal)| goal == cell);
    let cells: Vec<_> =
        TestMap::new(map, MOVEMENTS[0]).cells().filter(|cell| !is_goal(cell)).collect();
    let mut numbers = Numbers(9);
    let mut changes = vec![Change { interval: 1, cell: problems[0].0, free: false }];
    for number in 0..120 {
        let (cell, free) = (numbers.pick(&cells), numbers.below(2) == 0);
        changes.push(Change { interval: 1 + number / 2, cell, free });
    }
    changes
}

/// Small maps of several kinds, one of them by several rules, written to a folder. The seeds are such
/// that no start of a partial world has a hidden cell next to it.
fn courses(folder: &Folder) -> Vec<Course> {
    let still = ((5, 5), (5, 5));
    let mazy = vec![((1, 1), (19, 11)), ((19, 1), (1, 11)), still];
    let shut = vec![((0, 0), (7, 5)), ((7, 5), (15, 10)), ((0, 10), (15, 0))];
    // The cell (1, 12) can only be left past a corner.
    let noisy = vec![((0, 0), (21, 13)), ((20, 1), (1, 12)), ((12, 7), (3, 2)), still];
    let courses = [
        ("maze", maze(21, 13, 5), MOVEMENTS[0], mazy, 6),
        ("closed", closed(), MOVEMENTS[0], shut, 13),
        ("noise", noise(22, 14, 3), MOVEMENTS[0], noisy.clone(), 28),
        ("corners", noise(22, 14, 3), MOVEMENTS[2], noisy.clone(), 28),
        ("four", noise(22, 14, 3), MOVEMENTS[3], noisy, 28),
    ];
    let courses = courses.map(|(name, map, movement, problems, seed)| {
        let script = bustle(&map, &problems);
        Course { name, map, movement, problems, script, seed }
    });
    for course in &courses {
        course.write(folder);
    }
    courses.into()
}

/// Algorithms with settings that make them walk otherwise.
const VARIANTS: [&str; 15] = [
    "astar",
    "tba --set shortcut=true --set switch=true --budget 3",
    "late-astar --set trace=free --budget 1",
    "rtba --set trace=free --set shortcut=true --budget 1",
    "tbaa --set trace=free --set shortcut=true --budget 2",
    "tbaa --weight 2 --set reopen=true --set switch=true --budget 7",
    "rtb-wastar --set restart=eager --set shortcut=true --budget 5",
    "rtb-gbfs --set restart=eager --set switch=true --budget 5",
    "lrta --set depth=1",
    "lrta --set depth=3 --budget 4",
    "p-lrta --set queue=0",
    "lss-lrta --set moves=all --set open=heap --budget 9",
    "rtaa --set moves=all --budget 5",
    "da-rtaa --set moves=all --budget 20",
    "dstar-lite --set ties=near --set open=heap --budget 4",
];

/// Every algorithm with every budget.
fn contestants(folder: &Folder) -> Vec<(String, u64)> {
    let algorithms = algorithms(folder);
    assert!(algorithms.len() >= 20);
    let budgets = |name: String| [1, 10, 100, 1000].map(|budget| (name.clone(), budget));
    algorithms.into_iter().flat_map(budgets).collect()
}

/// Runs everything there is in a world, and checks that what is not for it is refused.
fn sweep(folder: &str, world: &str) -> Vec<Value> {
    let folder = Folder::new(folder);
    let courses = courses(&folder);
    sweep_over(&folder, &courses, world)
}

fn sweep_over(folder: &Folder, courses: &[Course], world: &str) -> Vec<Value> {
    let contestants = contestants(folder);
    let mut records = Vec::new();
    for course in courses {
        let admits = |algorithm: &str| !raises(algorithm) || !course.opens(world);
        let mut run = |flags: &str| {
            let limit = if is_learning(flags) { PATIENCE } else { "" };
            let flags = format!("--algorithm {flags} {limit}");
            records.extend(course.run(folder, world, flags.trim_end()));
        };
        for (algorithm, budget) in contestants.iter().filter(|(name, _)| admits(name)) {
            if *budget == 10 || course.movement.flags.is_empty() {
                run(&format!("{algorithm} --budget {budget}"));
            }
        }
        for variant in VARIANTS.into_iter().filter(|name| admits(name)) {
            run(variant);
        }
        for algorithm in learning().filter(|name| !admits(name)) {
            course.refuse(folder, world, algorithm);
        }
    }
    records
}

/// More intervals than a learning agent needs to arrive on these maps, and fewer than most need to find
/// out that they cannot.
const PATIENCE: &str = "--max-intervals 2500";

/// How many of the records end so.
fn ended(records: &[Value], outcome: &str) -> usize {
    records.iter().filter(|record| record["outcome"] == outcome).count()
}

/// Checks that the goal was reached exactly where there is a path, and that both cases occur.
fn judge_outcomes(records: &[Value]) {
    for record in records {
        // The model has found the optimum to be right.
        assert_eq!(record["outcome"] == "reached", !record["optimal"].is_null(), "{record}");
        let may_give_up = is_learning(record["algorithm"].as_str().unwrap());
        assert!(record["outcome"] != "gave_up" || may_give_up, "{record}");
    }
    let learned = |record: &&Value| is_learning(record["algorithm"].as_str().unwrap());
    assert!(records.iter().filter(learned).count() > 300);
    let (reached, unreachable) = (ended(records, "reached"), ended(records, "unreachable"));
    assert!(reached > 100 && unreachable > 100, "{reached} {unreachable}");
}

#[test]
fn every_algorithm_ends_correctly_in_a_known_world() {
    let records = sweep("world-known", "known");
    judge_outcomes(&records);
    for record in &records {
        let astray = (number(record, "back_moves"), number(record, "non_optimal_moves"));
        let bound = facts(record["algorithm"].as_str().unwrap()).cost_bound;
        let is_optimal = bound == CostBound::Optimal;
        assert!(!is_optimal || astray == (0, 0), "{record}");
    }
    assert!(records.iter().all(|record| record["restarts"] == 0));
    let astray = records.iter().filter(|record| number(record, "non_optimal_moves") > 0);
    assert!(astray.count() > 100);
}

#[test]
fn every_algorithm_ends_correctly_in_an_unknown_world() {
    judge_outcomes(&sweep("world-unknown", "unknown"));
}

#[test]
fn every_algorithm_ends_correctly_in_a_partial_world() {
    judge_outcomes(&sweep("world-partial", "partial:15"));
    judge_outcomes(&sweep("world-partial", "partial:5"));
}

#[test]
fn every_algorithm_walks_legally_in_a_dynamic_world() {
    let records = sweep("world-dynamic", "dynamic:10");
    let reached = ended(&records, "reached");
    assert!(reached > records.len() / 2, "{reached} of {}", records.len());
}

#[test]
fn every_algorithm_walks_legally_in_a_scripted_world() {
    let records = sweep("world-script", "script");
    let (reached, unreachable) = (ended(&records, "reached"), ended(&records, "unreachable"));
    assert!(reached > 50 && unreachable > 50, "{reached} {unreachable}");
}

/// Where cells are only blocked, those that learn take part too, and arrive if there is a path until the end.
#[test]
fn every_algorithm_walks_legally_where_nothing_opens() {
    let folder = Folder::new("world-shut");
    let mut courses = courses(&folder);
    for course in &mut courses {
        course.script.retain(|change| !change.free);
        course.write(&folder);
        assert!(!course.opens("script") && course.script.len() > 40);
    }
    let records = sweep_over(&folder, &courses, "script");
    for learning in [true, false] {
        let own = |record: &&Value| is_learning(record["algorithm"].as_str().unwrap()) == learning;
        let own: Vec<_> = records.iter().filter(own).cloned().collect();
        let (reached, gave_up) = (ended(&own, "reached"), ended(&own, "gave_up"));
        let lost = own.len() - reached;
        assert!(reached > 50 && lost > 50, "{reached} {lost}");
        assert!(learning || gave_up == 0, "{gave_up}");
    }
}

/// What a traced run leaves: its output and its trace.
fn bytes(folder: &Folder, run: &str) -> (String, String) {
    let out = folder.run(&format!("{run} --trace t.jsonl")).good();
    (out, folder.text("t.jsonl"))
}

#[test]
fn the_same_seed_gives_the_same_bytes_in_every_world() {
    let folder = Folder::new("world-bytes");
    courses(&folder);
    for world in ["known", "unknown", "partial", "dynamic:8", "script:noise.script"] {
        let run = format!(
            "run --map noise.map --problems noise.txt --algorithm tbaa --budget 20 --json --path \
             --world {world}"
        );
        let first = bytes(&folder, &run);
        assert_eq!(first, bytes(&folder, &run), "{world}");
        assert_eq!(first, bytes(&folder, &format!("{run} --seed 1")), "{world}");
        for threads in [1, 2] {
            let untraced = folder.run_with_threads(&run, threads).good();
            assert_eq!(first.0, untraced, "{world}: watching changes nothing");
        }
        let other = bytes(&folder, &format!("{run} --seed 2"));
        let is_random = world.starts_with("partial") || world.starts_with("dynamic");
        assert_eq!(first.1 != other.1, is_random, "{world}");
        let blind = |text: &str| text.replace("\"seed\":2", "\"seed\":1");
        assert_eq!(first.0 != blind(&other.0), is_random, "{world}");
    }
}

/// The cells that each problem of a partial world hides.
fn hidden(folder: &Folder, run: &str) -> Vec<Vec<Cell>> {
    let records = folder.run(&format!("{run} --json --trace t.jsonl")).json();
    let mut hidden = vec![Vec::new(); records.len()];
    let lines = json_lines(&folder.text("t.jsonl"));
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| line["hidden"].is_array()) {
        assert_eq!(line.as_object().unwrap().keys().collect::<Vec<_>>(), ["problem", "hidden"]);
        let problem = number(line, "problem");
        assert!(lines[..index].iter().all(|line| number(line, "problem") < problem), "{line}");
        hidden[problem as usize - 1] = cells(&line["hidden"]);
    }
    hidden
}

#[test]
fn a_partial_world_hides_its_share_of_the_free_cells() {
    let folder = Folder::new("partial-share");
    // Both starts are walled in, so nothing next to them can be hidden.
    let rows = map(&[
        ".@........@.",
        "@@...@@...@@",
        ".....@......",
        "..@.....@...",
        "..@@...@@...",
        "............",
    ]);
    folder.write("a.map", &rows);
    let problems = [((0, 0), (9, 5)), ((11, 0), (0, 5)), ((0, 0), (11, 0)), ((0, 0), (0, 0))];
    folder.write("p.txt", "0 0 9 5\n11 0 0 5\n0 0 11 0\n0 0 0 0\n");
    let test_map = TestMap::new(&rows, MOVEMENTS[0]);
    let free = test_map.cells().filter(|&cell| test_map.free(cell)).count();
    assert_eq!(free, 57);
    let run = "run --map a.map --problems p.txt --world";
    for (percent, count) in [("0", 0), ("1.7", 0), ("1.76", 1), ("15", 8), ("33.3", 18), ("90", 51)]
    {
        let mut worlds = Vec::new();
        for seed in 1..=5 {
            let hidden = hidden(&folder, &format!("{run} partial:{percent} --seed {seed}"));
            for (cells, (start, goal)) in hidden.iter().zip(problems) {
                assert_eq!(cells.len(), count, "{percent} % of {free}");
                assert!(cells.iter().all(|&cell| test_map.free(cell)), "{cells:?}");
                assert!(!cells.contains(&start) && !cells.contains(&goal), "{cells:?}");
                let once = |pair: &[Cell]| (pair[0].1, pair[0].0) < (pair[1].1, pair[1].0);
                assert!(cells.windows(2).all(once), "row by row, each once: {cells:?}");
            }
            worlds.push(hidden);
        }
        let all_same = worlds.windows(2).all(|pair| pair[0] == pair[1]);
        assert_eq!(all_same, count == 0, "{percent}");
    }
    // All but the ends.
    let all = hidden(&folder, &format!("{run} partial:100"));
    assert_eq!(all.iter().map(Vec::len).collect::<Vec<_>>(), [55, 55, 55, 56]);
    assert_eq!(
        hidden(&folder, &format!("{run} partial")),
        hidden(&folder, &format!("{run} partial:15"))
    );
    let records = folder.run(&format!("{run} partial --json")).json();
    assert!(records.iter().all(|record| record["world"] == "partial:15"));
}

#[test]
fn hidden_cells_next_to_the_start_are_listed_too() {
    let folder = Folder::new("partial-start");
    folder.write("a.map", map(&["....."; 4]));
    for (percent, count) in [(40, 8), (100, 18)] {
        for seed in 1..=5 {
            let run = format!(
                "run --map a.map --from 2,1 --to 4,3 --world partial:{percent} --seed {seed}"
            );
            assert_eq!(hidden(&folder, &run)[0].len(), count, "{run}");
        }
    }
}

#[test]
fn a_dynamic_world_changes_at_every_tenth_move_by_its_rate() {
    let folder = Folder::new("dynamic-rates");
    let problems = vec![((0, 0), (39, 23)), ((39, 0), (0, 22)), ((1, 12), (38, 12))];
    let course = Course {
        name: "wide",
        map: noise(40, 24, 8),
        movement: MOVEMENTS[2],
        problems,
        script: Vec::new(),
        seed: 1,
    };
    course.write(&folder);
    let changes = |rate: &str| {
        let records =
            course.run(&folder, &format!("dynamic:{rate}"), "--algorithm rtba --budget 15");
        assert!(records.iter().all(|record| number(record, "moves") > 20), "{records:?}");
        let lines = json_lines(&folder.text("wide.jsonl"));
        lines.iter().filter(|line| has_changes(line)).count()
    };
    for rate in ["0.5", "5", "12.5", "33.3"] {
        assert!(changes(rate) >= 6, "{rate}");
    }
    // An empty change is none: less than a cell, or no rate at all.
    assert_eq!(changes("0.1"), 0);
    assert_eq!(changes("0"), 0);
    let known = course.run(&folder, "known", "--algorithm rtba --budget 15");
    let still = course.run(&folder, "dynamic:0", "--algorithm rtba --budget 15");
    for (known, mut still) in known.into_iter().zip(still) {
        still["world"] = "known".into();
        assert_eq!(known, still);
    }
}

#[test]
fn a_run_ends_after_the_most_intervals() {
    let folder = Folder::new("world-limit");
    courses(&folder);
    let worlds = ["known", "unknown", "partial:5", "dynamic:5", "script:noise.script"];
    for world in worlds {
        let chosen =
            ["astar", "late-astar", "tba", "tbaa", "rtb-gbfs", "dstar-lite", "lrta", "rtaa"];
        // Where the map changes, the last two are refused, and the one before is shut in.
        let changes = world.starts_with("dynamic") || world.starts_with("script");
        for &algorithm in &chosen[..if changes { 5 } else { 8 }] {
            let run = format!(
                "run --map noise.map --from 0,0 --to 21,13 --world {world} --seed 28 --budget 10 \
                 --algorithm {algorithm}"
            );
            let limited = |most: u64| {
                let run = format!("{run} --max-intervals {most} --json --path");
                let record = folder.run(&run).json().remove(0);
                assert_eq!(cells(&record["path"]).len() as u64 - 1, number(&record, "moves"));
                assert!(number(&record, "back_moves") <= number(&record, "moves"), "{record}");
                assert!(number(&record, "non_optimal_moves") <= number(&record, "moves"));
                record
            };
            let whole = limited(1_000_000);
            assert_eq!(whole["outcome"], "reached", "{run}");
            let needed = number(&whole, "intervals");
            assert_eq!(limited(needed), whole, "{run}");
            for most in [1, 3, needed - 1] {
                let record = limited(most);
                assert_eq!(record["outcome"], "gave_up", "{record}");
                assert_eq!(number(&record, "intervals"), most, "{record}");
                assert!(record["suboptimality"].is_null(), "{record}");
                assert_eq!(record["optimal"], whole["optimal"], "{record}");
                let (part, all) = (cells(&record["path"]), cells(&whole["path"]));
                assert!(all.starts_with(&part), "{record}");
            }
            let text = folder.run(&format!("{run} --max-intervals 3")).good();
            assert!(text.starts_with("(0, 0) to (21, 13): gave up after 3 ticks, "), "{text}");
        }
        let still =
            format!("--map noise.map --from 5,5 --to 5,5 --world {world} --max-intervals 1");
        assert_eq!(folder.run(&format!("run {still} --json")).json()[0]["outcome"], "reached");
        let compare =
            "compare --map noise.map --from 0,0 --to 21,13 --max-intervals 3 --budgets 10";
        let table = folder.run(&format!("{compare} --world {world}")).good();
        assert_eq!(table.matches(" 0/1 ").count(), 4, "{table}");
        let draw = "draw --map noise.map --from 0,0 --to 21,13 --max-intervals 3 --out a.svg";
        let text = folder.run(&format!("{draw} --world {world}")).good();
        assert!(text.contains(" · gave up after 3 ticks"), "{text}");
    }
    for most in ["-1", "x", "1.5", ""] {
        let run = format!("run --map noise.map --from 0,0 --to 5,5 --max-intervals={most}");
        refused(&folder, &run, USAGE, &["--max-intervals"]);
    }
}

/// Two corridors with a door between them at (3, 1).
const CORRIDORS: [&str; 3] = [".......", "@@@.@@@", "......."];

fn door(interval: u64, free: bool) -> Change {
    Change { interval, cell: (3, 1), free }
}

/// The walk from one corridor to the other, with these changes.
fn corridors(script: &[Change]) -> Course {
    let (map, script) = (map(&CORRIDORS), script.to_vec());
    let problems = vec![((0, 0), (0, 2))];
    Course { name: "corridors", map, movement: MOVEMENTS[0], problems, script, seed: 1 }
}

#[test]
fn an_agent_waits_at_a_door_that_opens_later() {
    let folder = Folder::new("script-door");
    for shut in [1, 2, 3] {
        let course = corridors(&[door(shut, false), door(40, true)]);
        course.write(&folder);
        for algorithm in learning() {
            course.refuse(&folder, "script", algorithm);
        }
        for (algorithm, budget) in contestants(&folder) {
            if raises(&algorithm) {
                continue;
            }
            let flags = format!("--algorithm {algorithm} --budget {budget}");
            let record = &course.run(&folder, "script", &flags)[0];
            assert_eq!(record["outcome"], "reached", "{record}");
            assert!(number(record, "intervals") > 40, "{record}");
            assert!(same(length(record, "optimal"), 8.0), "{record}");
            let lines = json_lines(&folder.text("corridors.jsonl"));
            assert!(lines[..39].iter().all(|line| cell(&line["position"]).1 == 0), "{record}");
            // Nothing changes for a long time.
            assert!(lines[30..39].iter().all(|line| cells(&line["expanded"]).is_empty()));
            assert_eq!(cells(&lines[39]["freed"]), [(3, 1)]);
        }
    }
    let run = "run --map corridors.map --problems corridors.txt --json --path --world";
    let first = bytes(&folder, &format!("{run} script:corridors.script"));
    assert_eq!(first, bytes(&folder, &format!("{run} script:corridors.script")));
}

#[test]
fn an_agent_gives_up_when_nothing_more_can_open() {
    let folder = Folder::new("script-shut");
    let elsewhere = |interval| Change { interval, cell: (6, 2), free: true };
    for (script, outcome, least) in [
        (vec![door(2, false)], "unreachable", 2),
        (vec![door(2, false), elsewhere(60)], "unreachable", 60),
        (vec![door(2, false), door(50, true), door(51, false), elsewhere(70)], "unreachable", 70),
        (vec![door(2, false), door(2, true)], "reached", 8),
        (vec![], "reached", 8),
    ] {
        let course = corridors(&script);
        course.write(&folder);
        for algorithm in algorithms(&folder) {
            if raises(&algorithm) && course.opens("script") {
                course.refuse(&folder, "script", &algorithm);
                continue;
            }
            let flags = format!("--algorithm {algorithm} --budget 5");
            let record = &course.run(&folder, "script", &flags)[0];
            assert_eq!(record["outcome"], outcome, "{record}");
            let intervals = number(record, "intervals");
            // Estimates must first outgrow the corridor.
            let slack = if is_learning(&algorithm) { 200 } else { 10 };
            assert!((least..least + slack).contains(&intervals), "{record}");
        }
    }
}

#[test]
fn a_path_that_was_not_there_at_first_has_no_optimum() {
    let folder = Folder::new("script-opens");
    let mut course = corridors(&[door(20, true)]);
    course.map = course.map.replace("@@@.@@@", "@@@@@@@");
    course.write(&folder);
    for algorithm in algorithms(&folder) {
        if raises(&algorithm) {
            course.refuse(&folder, "script", &algorithm);
            continue;
        }
        let flags = format!("--algorithm {algorithm} --budget 5");
        let record = &course.run(&folder, "script", &flags)[0];
        assert_eq!(record["outcome"], "reached", "{record}");
        assert!(record["optimal"].is_null() && record["suboptimality"].is_null(), "{record}");
    }
    let flags = "--map corridors.map --problems corridors.txt --world script:corridors.script";
    let text = folder.run(&format!("run {flags}")).good();
    assert!(text.contains("moves of length 8.00 (there was no path at first), "), "{text}");
    let text = folder.run(&format!("draw {flags} --out a.svg")).good();
    assert!(text.contains("length 8.0 in 2"), "{text}");
    let table = folder.run(&format!("compare {flags} --budgets 10")).good();
    assert_eq!(table.matches(" 1/1 ").count(), 4, "{table}");
}

#[test]
fn an_agent_in_the_door_keeps_it_open() {
    let folder = Folder::new("script-held");
    // It stands in the door in interval 5, which is then blocked behind it.
    for (interval, moves) in [(4, 3), (5, 8), (6, 8)] {
        let course = corridors(&[door(interval, false)]);
        course.write(&folder);
        let record = &course.run(&folder, "script", "--algorithm tba --budget 100")[0];
        assert_eq!(record["outcome"], if moves == 8 { "reached" } else { "unreachable" });
        assert_eq!(number(record, "moves"), moves, "{record}");
        let lines = json_lines(&folder.text("corridors.jsonl"));
        let reported =
            lines.iter().find(|line| line["blocked"] == serde_json::json!([[3, 1]])).unwrap();
        let expected = if interval == 5 { 6 } else { interval };
        assert_eq!(number(reported, "interval"), expected, "{lines:?}");
    }
}

/// The commands with a world, each with a file that must not be written when they refuse.
const COMMANDS: [(&str, Option<&str>); 5] = [
    ("run --json", None),
    ("run --trace t.jsonl", Some("t.jsonl")),
    ("compare", None),
    ("compare --csv c.csv", Some("c.csv")),
    ("draw --out a.svg", Some("a.svg")),
];

/// Checks that every command refuses these flags, with nothing printed and nothing written.
fn all_refuse(folder: &Folder, flags: &str, code: i32, named: &[&str]) {
    for (command, file) in COMMANDS {
        refused(folder, &format!("{command} {flags}"), code, named);
        assert!(file.is_none_or(|file| !folder.path(file).exists()), "{command} {flags}");
    }
}

#[test]
fn bad_scripts_are_refused_before_anything_is_run() {
    let folder = Folder::new("bad-scripts");
    folder.write("a.map", map(&CORRIDORS));
    let flags = "--map a.map --from 0,0 --to 6,2 --world script:bad.script";
    let missing = ["bad.script: there is no such file"];
    all_refuse(&folder, flags, INPUT, &missing);
    let cases: [(&[u8], &[&str]); 17] = [
        (b"", &["empty"]),
        (b"\n \n", &["empty"]),
        (b"1 3 1 blocked\n9 6 2 blocked\nend\n", &["line 2", "blocks the goal (6, 2)"]),
        (b"1 6 2 blocked\n1 6 2 free\nend\n", &["line 1", "blocks the goal (6, 2)"]),
        (b"1 3 1 free\n2 7 2 free\nend\n", &["line 2", "the cell (7, 2) is outside", "7 wide"]),
        (b"1 3 3 blocked\nend\n", &["line 1", "the cell (3, 3) is outside", "3 high"]),
        (b"# so\n5 3 1 free\n4 3 1 free\nend\n", &["line 3", "out of order", "4 after 5"]),
        (b"0 3 1 free\nend\n", &["line 1", "tick 0: ticks count from 1"]),
        (b"1 3 1 blocked\n", &["line 1", "no `end`", "cut short"]),
        (b"1 3 1 blocked\n2 3 1 fr", &["line 2", "`fr`"]),
        (b"1 3 1 blocked\n2 3", &["line 2", "4 fields", "found 2"]),
        (b"one 3 1 blocked\nend\n", &["line 1", "tick: expected a whole number", "`one`"]),
        (b"1 -3 1 blocked\nend\n", &["line 1", "x: ", "`-3`"]),
        (b"1 3 1.5 blocked\nend\n", &["line 1", "y: ", "`1.5`"]),
        (b"1 3 1 shut\nend\n", &["line 1", "`blocked` or `free`", "`shut`"]),
        (b"1 3 1 free\nend\n2 3 1 free\n", &["line 3", "after `end`"]),
        (b"1 3 1 free\n\xff\nend\n", &["line 2", "not UTF-8"]),
    ];
    for (bytes, named) in cases {
        folder.write("bad.script", bytes);
        all_refuse(&folder, flags, INPUT, &[&["bad.script: "], named].concat());
    }
    let folder_flags = flags.replace("bad.script", ".");
    all_refuse(&folder, &folder_flags, INPUT, &["this is a directory"]);
}

#[test]
fn a_script_cut_short_anywhere_is_refused() {
    let folder = Folder::new("cut-scripts");
    folder.write("a.map", map(&CORRIDORS));
    let whole = "# a door\n2 3 1 blocked\n10 3 1 free\nend\n";
    let run = "run --map a.map --from 0,0 --to 6,2 --world script:cut.script";
    for end in 0..whole.len() - 1 {
        folder.write("cut.script", &whole[..end]);
        let line = format!("line {}", whole[..end].trim_end().lines().count());
        let line = if end == 0 { "empty" } else { line.as_str() };
        refused(&folder, run, INPUT, &["cut.script: ", line]);
    }
    // Only the last line's end is not missed.
    for end in [whole.len() - 1, whole.len()] {
        folder.write("cut.script", &whole[..end]);
        folder.run(run).good();
    }
}

#[test]
fn the_problem_whose_goal_a_script_blocks_is_named() {
    let folder = Folder::new("script-goals");
    folder.write("a.map", map(&CORRIDORS));
    folder.write("p.txt", "0 0 6 2\n0 0 6 0\n6 0 0 2\n");
    folder.write("a.scen", "version 1\n0 a.map 7 3 0 0 6 2 8\n0 a.map 7 3 0 0 6 0 6\n");
    folder.write("a.script", "5 3 1 blocked\n7 6 0 blocked\nend\n");
    let flags = "--map a.map --world script:a.script";
    let named = ["p.txt: problem 2: a.script: line 2: ", "blocks the goal (6, 0)"];
    all_refuse(&folder, &format!("{flags} --problems p.txt"), INPUT, &named);
    let named = ["a.scen: problem 2: a.script: line 2: ", "blocks the goal (6, 0)"];
    all_refuse(&folder, &format!("{flags} --scen a.scen"), INPUT, &named);
    let alone = ["error: a.script: line 2: this blocks the goal (6, 0)"];
    all_refuse(&folder, &format!("{flags} --from 0,0 --to 6,0"), INPUT, &alone);
    let first = folder.run(&format!("run {flags} --problems p.txt --take 1 --json")).json();
    assert_eq!(first[0]["outcome"], "reached");
    // A script for one map may be invalid for another, and neither is run.
    folder.write("b.map", map(&["..", ".."]));
    let both = "compare --map a.map --map b.map --from 0,0 --to 1,0 --world script:a.script";
    refused(&folder, both, INPUT, &["a.script: line 1: ", "(3, 1) is outside", "2 wide"]);
}

#[test]
fn invalid_worlds_are_refused() {
    let folder = Folder::new("bad-worlds");
    folder.write("a.map", map(&CORRIDORS));
    let share = "the share of blocked cells must be 0 to 100 percent";
    let rate = "the rate of change must be 0 to 100 percent";
    for (world, named) in [
        ("partial:150", share),
        ("partial:100.001", share),
        ("partial:-1", share),
        ("partial:x", "`x` is not a number"),
        ("partial:NaN", "`NaN` is not a number"),
        ("partial:inf", "`inf` is not a number"),
        ("partial:", "`` is not a number"),
        ("partial:1/2", "`1/2` is not a number"),
        ("dynamic", "a rate of change in percent is needed, such as dynamic:5"),
        ("dynamic:", "a rate of change in percent is needed"),
        ("dynamic:-3", rate),
        ("dynamic:101", rate),
        ("dynamic:five", "`five` is not a number"),
        ("known:5", "the world `known` takes nothing after its name"),
        ("unknown:5", "the world `unknown` takes nothing after its name"),
        ("script", "a file is needed"),
        ("script:", "a file is needed, as in script:FILE"),
        (
            "nonsense",
            "`nonsense` is not a world: expected one of known, unknown, partial[:PERCENT]",
        ),
        ("Unknown", "`Unknown` is not a world"),
    ] {
        let flags = format!("--map a.map --from 0,0 --to 6,2 --world {world}");
        all_refuse(&folder, &flags, USAGE, &["--world", world, named]);
    }
}

/// Runs the problems of all maps repeatedly; returns the records, problem by problem.
fn repeated(folder: &Folder, courses: &[Course], world: &str, flags: &str) -> Vec<Vec<Value>> {
    let mut problems = Vec::new();
    for course in courses {
        let records = course.run(folder, world, &format!("{flags} --repeat"));
        let again = |_: &Value, next: &Value| next["run"] != 1;
        problems.extend(records.chunk_by(again).map(<[Value]>::to_vec));
    }
    for runs in &problems {
        for (index, record) in runs.iter().enumerate() {
            assert_eq!(record["run"], index + 1, "{record}");
            let is_last = index + 1 == runs.len();
            let is_settled = record["restarts"] == 0 && record["lessons"] == 0;
            assert_eq!(is_last, is_settled || record["outcome"] != "reached", "{record}");
            let has_plan = is_last && record["outcome"] == "reached";
            let plans = plans_from_start(record["algorithm"].as_str().unwrap());
            assert!(!plans || record.get("plan").is_some() == has_plan, "{record}");
        }
    }
    problems
}

#[test]
fn in_repeated_runs_an_agent_plans_a_shortest_path() {
    let folder = Folder::new("repeat");
    let courses = courses(&folder);
    for world in ["unknown", "partial:15", "partial:5"] {
        for algorithm in ["rtba", "tbaa"] {
            let mut most = 0;
            for flags in [
                "--budget 1",
                "--budget 10",
                "--budget 1000",
                "--budget 1 --set trace=free",
                "--budget 5 --set shortcut=true --set switch=true",
            ] {
                let flags = format!("--algorithm {algorithm} {flags}");
                for runs in repeated(&folder, &courses, world, &flags) {
                    let last = runs.last().unwrap();
                    most = most.max(runs.len());
                    if let Some(test_map) = last.get("plan") {
                        assert!(same(length(test_map, "cost"), length(last, "optimal")), "{last}");
                    }
                    let no_way = last["outcome"] == "unreachable";
                    assert!(!no_way || runs.len() == 1, "it is known after one run: {last}");
                }
            }
            assert!(most >= 2, "{algorithm} in {world}: {most}");
        }
    }
}

#[test]
fn every_algorithm_comes_to_a_run_without_a_new_search() {
    let folder = Folder::new("repeat-all");
    let courses = courses(&folder);
    for algorithm in algorithms(&folder) {
        for world in ["known", "unknown", "partial:5"] {
            let flags = format!("--algorithm {algorithm} --budget 7");
            let problems = repeated(&folder, &courses[1..], world, &flags);
            let once = problems.iter().all(|runs| runs.len() == 1);
            // On a level above there may be nothing to learn.
            let any = raises(&algorithm) && !is_learning(&algorithm);
            assert!(world != "known" || any || once != is_learning(&algorithm), "{flags}");
        }
    }
}

#[test]
fn runs_are_repeated_only_if_requested_and_where_nothing_changes() {
    let folder = Folder::new("repeat-flags");
    folder.write("a.map", map(&CORRIDORS));
    folder.write("wall.map", map(&[".......", "@@@@@@@", "......."]));
    folder.write("a.script", "2 3 1 blocked\nend\n");
    let flags = "--from 0,0 --to 6,2 --algorithm rtba";
    for world in ["dynamic:5", "script:a.script"] {
        let run = format!("run --map a.map {flags} --world {world} --repeat --trace t.jsonl");
        let why = ["--repeat needs a map that does not change", world];
        refused(&folder, &run, USAGE, &why);
        assert!(!folder.path("t.jsonl").exists());
    }
    for command in ["compare", "draw"] {
        let arguments = format!("{command} --map a.map --from 0,0 --to 6,2 --repeat");
        refused(&folder, &arguments, USAGE, &["--repeat"]);
    }
    for world in ["known", "unknown", "partial", "dynamic:5", "script:a.script"] {
        let run = format!("run --map a.map {flags} --world {world} --json");
        let record = &folder.run(&run).json()[0];
        assert!(record.get("run").is_none() && record.get("plan").is_none(), "{record}");
    }
    let text = folder.run(&format!("run --map a.map {flags} --world unknown --repeat")).good();
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("(0, 0) to (6, 2): run 1: reached in "), "{text}");
    assert!(lines[1].starts_with("(0, 0) to (6, 2): run 2: reached in "), "{text}");
    let planned = "planned a path of length 8.00: 0,0 1,0 2,0 3,0 3,1 3,2 4,2 5,2 6,2";
    assert!(lines[2].contains("no new search") && lines[2].ends_with(planned), "{text}");
    let text = folder.run(&format!("run --map wall.map {flags} --world unknown --repeat")).good();
    assert!(text.starts_with("(0, 0) to (6, 2): run 1: unreachable, "), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    let stopped =
        format!("run --map a.map {flags} --world unknown --repeat --max-intervals 9 --json");
    let records = folder.run(&stopped).json();
    assert_eq!(records.len(), 1, "{records:?}");
    assert_eq!(records[0]["outcome"], "gave_up");
    assert!(records[0].get("plan").is_none());
}

#[test]
fn algorithms_are_compared_in_every_world() {
    let folder = Folder::new("compare-worlds");
    courses(&folder);
    let worlds = [
        ("known", "known"),
        ("unknown", "unknown"),
        ("partial", "partial:15"),
        ("partial:5.50", "partial:5.5"),
        ("dynamic:5", "dynamic:5"),
        ("script:noise.script", "script:noise.script"),
    ];
    let contestants = ["astar", "tba", "rtba", "tbaa:weight=2", "rtb-wastar:restart=eager"];
    for (world, name) in worlds {
        let flags = format!("--map noise.map --problems noise.txt --seed 5 --world {world}");
        let compare =
            format!("compare {flags} --budgets 12 --algorithms {}", contestants.join(","));
        let table = folder.run(&format!("{compare} --columns all --csv c.csv")).good();
        assert!(table.starts_with(&format!("noise.map (22x14, {name}): 4 problems\n")), "{table}");
        let header = table.lines().find(|line| line.trim().starts_with("algorithm")).unwrap();
        for column in ["back-moves", "non-optimal", "restarts"] {
            assert!(header.contains(column), "{header}");
        }
        let csv = folder.text("c.csv");
        let rows: Vec<Vec<_>> = csv.lines().map(|line| line.split(',').collect()).collect();
        for (row, contestant) in rows[1..].iter().zip(contestants) {
            let (algorithm, setting) = contestant.split_once(':').unwrap_or((contestant, ""));
            let setting =
                if setting.is_empty() { String::new() } else { format!("--set {setting}") };
            let run = format!("run {flags} --budget 12 --algorithm {algorithm} {setting} --json");
            let mut records = folder.run(&run).json();
            records.retain(|record| record["outcome"] == "reached");
            let value = |name: &str| -> f64 {
                row[rows[0].iter().position(|&column| column == name).unwrap()].parse().unwrap()
            };
            assert_eq!((row[0], row[1], row[2]), (contestant, "12", "4"), "{world}");
            assert!(same(value("reached"), records.len() as f64), "{world}: {row:?}");
            for name in ["cost", "moves", "intervals", "expansions", "back_moves"]
                .into_iter()
                .chain(["non_optimal_moves", "restarts"])
            {
                let sum: f64 = records.iter().map(|record| length(record, name)).sum();
                let mean = sum / records.len() as f64;
                assert!(same(value(name), mean), "{world}: {name}: {mean}: {row:?}");
            }
            assert!(name != "known" || same(value("restarts"), 0.0), "{row:?}");
            assert!(name != "unknown" || value("restarts") >= 1.0, "{row:?}");
        }
        assert_eq!(rows.len(), contestants.len() + 1);
    }
    let table = folder.run("compare --world unknown --take 2 --budgets 25").good();
    for name in
        ["rooms-64 (64x64", "caves-128 (128x128", "islands-128 (128x128", "random-64 (64x64"]
    {
        assert!(table.contains(&format!("builtin:{name}, unknown): 2 problems\n")), "{table}");
    }
}

/// The group of an SVG that shows what the agent does not know.
fn fog(svg: &str) -> &str {
    let (_, rest) = svg.split_once("<g id=\"fog\"").expect("the group is there");
    let (fog, _) = rest.split_once("</g>").expect("the group ends");
    fog.split_once('>').expect("the tag ends").1.trim()
}

#[test]
fn what_is_not_known_is_drawn_as_fog() {
    let folder = Folder::new("draw-worlds");
    courses(&folder);
    let draw = "draw --map noise.map --from 0,0 --to 21,13 --seed 28 --algorithm rtba";
    let mut pictures = Vec::new();
    for (world, foggy) in [
        ("known", false),
        ("unknown", true),
        ("partial:5", true),
        ("dynamic:5", false),
        ("script:noise.script", false),
    ] {
        let text = folder.run(&format!("{draw} --world {world} --out a.svg")).good();
        let caption = if world == "known" { String::new() } else { format!("{world} · ") };
        assert!(text.starts_with(&format!("a.svg: noise · {caption}rtba · ")), "{text}");
        assert_eq!(!fog(&folder.text("a.svg")).is_empty(), foggy, "{world}");
        folder.run(&format!("{draw} --world {world} --out a.png")).good();
        let png = folder.read("a.png");
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"), "{world}");
        assert!(!pictures.contains(&png), "{world}");
        pictures.push(png);
    }
}

/// Where closed nodes are reopened, the branch to the agent may get a new beginning that it has never seen.
#[test]
fn a_plan_through_a_wall_that_was_never_seen_is_not_printed() {
    let folder = Folder::new("repeat-reopen");
    let run = "run --map builtin:random-64 --seed 8 --take 10 --world unknown --algorithm tbaa \
               --budget 3 --repeat --set reopen=true --weight 2 --json";
    let records = folder.run(run).json();
    let done: Vec<_> = records.iter().filter(|record| record["restarts"] == 0).collect();
    assert_eq!(done.len(), 10, "each problem comes to an end");
    let without = done.iter().filter(|record| record.get("plan").is_none()).count();
    assert_eq!(without, 1, "this one was found to be such a case");
    for record in done {
        if let Some(test_map) = record.get("plan") {
            assert!(length(test_map, "cost") < 1000.0, "{record}");
        }
    }
}

/// A problem that had no path at first has no shortest length, and does not count as a perfect walk.
#[test]
fn the_mean_is_over_those_that_had_a_path_at_first() {
    let folder = Folder::new("mean-of-some");
    folder.write("a.map", map(&["..@....", "..@.@@.", "..@...."]));
    folder.write("s.txt", "4 2 0 free\nend\n");
    folder.write("p.txt", "0 0 6 0\n3 0 6 2\n");
    let flags = "--map a.map --problems p.txt --world script:s.txt";
    let records =
        folder.run(&format!("run {flags} --algorithm late-astar --budget 2 --json")).json();
    assert!(records[0]["suboptimality"].is_null() && records[0]["outcome"] == "reached");
    let other = records[1]["suboptimality"].as_f64().unwrap();
    assert!(other > 1.1, "{other}");
    let csv =
        folder.run(&format!("compare {flags} --algorithms late-astar --budgets 2 --csv")).good();
    let mut lines = csv.lines();
    let column = lines.next().unwrap().split(',').position(|name| name == "suboptimality").unwrap();
    let mean: f64 = lines.next().unwrap().split(',').nth(column).unwrap().parse().unwrap();
    assert!(same(mean, other), "{mean}");
}
