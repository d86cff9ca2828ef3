//! One agent of Tick*, driven through whatever can happen to it.

use crate::kit::{LayeredGrid, Problem, Random};
use tickstar::catalog::{self, Config};
use tickstar::{Agent, Cell, Cost, NodeId, Seen, Slice, Step};

/// How its ticks are paid for.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    pub budget: u64,
    pub metered: bool,
}

/// Tick* with random values of all its parameters.
pub fn random_config(random: &mut Random) -> Config {
    let entry = catalog::find("tick").unwrap();
    let parameters = entry.parameters();
    let chosen: Vec<(&str, String)> = parameters
        .iter()
        .map(|parameter| {
            let any = match parameter.name {
                "look" | "first-look" => (1 + random.below(6)).to_string(),
                "ahead" => (1 + random.below(40)).to_string(),
                "coarse-weight" | "leg-weight" => {
                    format!("{}.{}", 1 + random.below(4), random.below(10))
                }
                _ => random.pick(parameter.values).to_string(),
            };
            let listed = random.chance(50);
            (parameter.name, if listed { random.pick(parameter.values).to_string() } else { any })
        })
        .collect();
    entry.configure(&chosen).unwrap()
}

/// An agent on its way.
pub struct Course {
    pub problem: Problem<LayeredGrid>,
    agent: Box<dyn Agent<LayeredGrid>>,
    rules: Rules,
    pub at: NodeId,
    pub cost: Cost,
    /// What has changed since the last tick.
    changed: Vec<NodeId>,
    /// A cell was opened, and the agent has not been told.
    secret: Vec<NodeId>,
}

impl Course {
    pub fn new(problem: Problem<LayeredGrid>, config: &Config, rules: Rules) -> Course {
        let agent = config.agent(&problem.space, problem.start, problem.goal).unwrap();
        let (at, changed, secret) = (problem.start, Vec::new(), Vec::new());
        Course { problem, agent, rules, at, cost: Cost::ZERO, changed, secret }
    }

    pub fn goal(&self) -> NodeId {
        self.agent.goal()
    }

    /// The cost of a cheapest path from where the agent is.
    pub fn distance(&self) -> Option<Cost> {
        self.problem.oracle.distance(self.at, self.goal())
    }

    /// A tick, with the properties of each.
    fn tick(&mut self) -> Step {
        let Rules { budget, metered } = self.rules;
        let mut slice = if metered { Slice::metered(budget) } else { Slice::new(budget) };
        let changed = std::mem::take(&mut self.changed);
        let seen = Seen { changed: &changed };
        let step = self.agent.tick(&self.problem.space, self.at, seen, &mut slice);
        // Reported changes cannot be refused.
        let reported = if metered { (changed.len() as u64).div_ceil(4) } else { 0 };
        let most = budget.saturating_add(reported);
        assert!(slice.units() <= most, "{} units of {budget}, {reported}", slice.units());
        match step {
            Step::Move(to) => {
                let edge = self.problem.oracle.edge(self.at, to);
                assert!(edge.is_some(), "no edge leads from {} to {to}", self.at);
                assert_eq!(self.agent.position(), to);
            }
            Step::Wait => {}
            Step::Arrived => assert_eq!(self.at, self.goal()),
            Step::Unreachable if self.secret.is_empty() => {
                assert_eq!(self.distance(), None, "it gave up although a path exists");
            }
            Step::Unreachable => {}
        }
        step
    }

    /// A tick in which the agent is not allowed to move.
    pub fn stay(&mut self) -> Step {
        self.tick()
    }

    /// A tick, and its step.
    pub fn go(&mut self) -> Step {
        let step = self.tick();
        if let Step::Move(to) = step {
            self.cost = self.cost + self.problem.oracle.path_cost(&[self.at, to]);
            self.at = to;
        }
        step
    }

    /// Lets the agent walk until it arrives or gives up, which it must do in time.
    pub fn finish(&mut self) {
        self.problem.space.build_regions();
        self.changed.append(&mut self.secret);
        let size = self.problem.oracle.size() as u64;
        let most = 500 + 5 * size + 40 * size / self.rules.budget;
        for _ in 0..most {
            match self.go() {
                Step::Arrived => return assert_eq!(self.at, self.goal()),
                Step::Unreachable => return assert_eq!(self.distance(), None),
                Step::Move(_) | Step::Wait => {}
            }
        }
        panic!("the agent walks forever: it is at {}", self.problem.space.cell(self.at));
    }

    /// Blocks or opens cells.
    pub fn set_free(&mut self, cells: &[Cell], free: bool, reported: bool) {
        let edits: Vec<_> = cells.iter().map(|&cell| (cell, free)).collect();
        self.problem.space.edit(&edits).unwrap();
        self.changed_at(cells, reported);
    }

    fn changed_at(&mut self, cells: &[Cell], reported: bool) {
        let grid = self.problem.space.space();
        let nodes: Vec<_> = cells.iter().map(|&cell| grid.node(cell).unwrap()).collect();
        self.problem.oracle.update(grid, &nodes);
        if reported { self.changed.extend(nodes) } else { self.secret.extend(nodes) }
    }

    /// An edit of one cell, or of many: walls, openings, or terrain.
    pub fn edit(&mut self, random: &mut Random, reported: bool) {
        let (width, height) = (self.problem.space.width(), self.problem.space.height());
        let cell = |random: &mut Random| {
            Cell::new(random.below(width.into()) as u32, random.below(height.into()) as u32)
        };
        let mut cells = vec![cell(random)];
        match random.below(6) {
            // Scattered cells.
            0 => cells.extend((0..random.below(60)).map(|_| cell(random))),
            // A wall, or a passage through walls.
            1 | 2 => {
                let (first, across) = (cells[0], random.chance(50));
                let length = 2 + random.below(40) as u32;
                let place =
                    |i| if across { (first.x + i, first.y) } else { (first.x, first.y + i) };
                let inside = |&(x, y): &(u32, u32)| x < width && y < height;
                cells.extend((1..length).map(place).filter(inside).map(|(x, y)| Cell::new(x, y)));
            }
            // In front of the agent.
            3 | 4 => {
                let plan = self.agent.plan().unwrap_or_default();
                let ahead = plan.get(1 + random.below(12) as usize);
                cells.extend(ahead.map(|&node| self.problem.space.cell(node)));
                cells.remove(0);
            }
            _ => {}
        }
        let classes = self.problem.space.terrain().map_or(0, |terrain| terrain.multipliers().len());
        if classes > 1 && random.chance(30) {
            let class = random.below(classes as u64) as u8;
            let edits: Vec<_> = cells.iter().map(|&cell| (cell, class)).collect();
            self.problem.space.edit_classes(&edits).unwrap();
            return self.changed_at(&cells, reported);
        }
        let own = self.problem.space.cell(self.at);
        cells.retain(|&cell| cell != own || random.chance(10));
        let free = random.chance(50);
        self.set_free(&cells, free, reported);
    }

    /// A number of ticks, between which anything may happen.
    pub fn disturb(&mut self, random: &mut Random) {
        let often = random.pick(&[2, 10, 30]);
        for _ in 0..random.below(120) {
            if random.chance(often) {
                let reported = random.chance(60);
                self.edit(random, reported);
            }
            if random.chance(often / 2) {
                self.push(random);
            }
            if random.chance(often) {
                self.retarget(random);
            }
            if random.chance(often / 2) {
                let regions = self.problem.space.regions().is_some();
                if regions {
                    self.problem.space.drop_regions()
                } else {
                    self.problem.space.build_regions()
                }
            }
            if random.chance(often) {
                self.stay()
            } else {
                self.go()
            };
        }
    }

    /// Puts the agent somewhere else.
    fn push(&mut self, random: &mut Random) {
        let near: Vec<_> =
            self.problem.oracle.edges_of(self.at).iter().map(|&(to, _)| to).collect();
        if !near.is_empty() && random.chance(70) {
            self.at = random.pick(&near);
        } else if let Some(to) = self.anywhere(random) {
            self.at = to;
        }
    }

    fn anywhere(&self, random: &mut Random) -> Option<NodeId> {
        let free: Vec<Cell> = self.problem.space.free_cells().collect();
        (!free.is_empty()).then(|| self.problem.space.node(random.pick(&free)).unwrap())
    }

    /// Moves the goal: a few steps, or far away.
    fn retarget(&mut self, random: &mut Random) {
        if random.chance(15) {
            if let Some(goal) = self.anywhere(random) {
                self.agent.retarget(&self.problem.space, goal).unwrap();
            }
            return;
        }
        for _ in 0..random.below(4) {
            let near: Vec<_> =
                self.problem.oracle.edges_of(self.goal()).iter().map(|&(to, _)| to).collect();
            if !near.is_empty() {
                self.agent.retarget(&self.problem.space, random.pick(&near)).unwrap();
            }
        }
    }
}
