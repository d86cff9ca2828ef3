//! Random runs of crowds, with all that must hold in each of them.

use tickstar::catalog;
use tickstar::crowd::{Activity, AgentId, Crowd, CrowdConfig, CrowdError};
use tickstar::space::{Corners, Neighbors};
use tickstar::{Cell, Grid};
use tickstar_lab::generate::{Kind, generate, with_hills};

use crate::driver::{Driver, Ground, Pay, node};

/// A small deterministic generator (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// What happened in a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    pub frames: u64,
    pub arrivals: u64,
    pub told: u64,
    pub hash: u64,
}

impl Report {
    pub fn add(&mut self, other: &Report) {
        self.frames += other.frames;
        self.arrivals += other.arrivals;
        self.told += other.told;
    }
}

/// The run of a seed. Some of them are repeated on several threads, and must be the same then.
pub fn run(seed: u64) -> Report {
    let is_repeated = seed % 3 == 1;
    let report = Run::new(seed, is_repeated).run();
    if is_repeated {
        let mut again = Run::new(seed, is_repeated);
        again.driver.run_frame = Crowd::par_frame;
        assert_eq!(again.run(), report, "the same run is not the same on several threads");
    }
    report
}

/// How often something happens: once in so many frames.
#[derive(Clone, Copy, Debug)]
struct Often {
    spawn: usize,
    remove: usize,
    retarget: usize,
    order: usize,
    refuse: usize,
    displace: usize,
    edit: usize,
}

/// Stands for never.
const NEVER: usize = 1 << 40;

struct Run {
    dice: Dice,
    driver: Driver,
    /// Whether the map has what agents of the catalog plan on.
    is_complete: bool,
    /// It must be the same on any number of threads, so there are no deadlines.
    is_repeated: bool,
    most_agents: usize,
    told: u64,
    _about: About,
}

/// Prints what a run was about if it fails.
struct About(String);

impl Drop for About {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("failed with {}", self.0);
        }
    }
}

impl Run {
    fn new(seed: u64, is_repeated: bool) -> Run {
        let mut dice = Dice(seed);
        let grid = map(&mut dice);
        let config = CrowdConfig {
            share: !dice.once_in(4),
            refine: dice.once_in(2),
            avoid_collisions: dice.once_in(3),
            max_bytes: None,
        };
        let is_complete = dice.once_in(4);
        let ground = if is_complete {
            Ground::complete(grid)
        } else {
            let size = if dice.once_in(6) { 2 + dice.below(2) as u32 } else { 1 };
            Ground::new(grid, size)
        };
        let mut driver = Driver::new(ground, config);
        if dice.once_in(6) {
            let max_bytes = Some(driver.crowd.bytes() + 20_000 + dice.below(200_000));
            driver = Driver::new(driver.ground, CrowdConfig { max_bytes, ..config });
        }
        let (config, size) = (driver.crowd.config(), (driver.map().width(), driver.map().height()));
        let about = About(format!("{config:?}, {size:?}, complete: {is_complete}"));
        Run { dice, driver, is_complete, is_repeated, most_agents: 0, told: 0, _about: about }
    }

    fn run(mut self) -> Report {
        if self.driver.map().free_cells().next().is_none() {
            return Report::default();
        }
        for _ in 0..=self.dice.below(3) {
            self.phase();
            self.settle();
            if self.dice.once_in(2) {
                self.driver.clear(self.most_agents);
            }
        }
        self.driver.clear(self.most_agents);
        let Driver { frames, arrivals, hash, .. } = self.driver;
        Report { frames, arrivals, told: self.told, hash }
    }

    fn pay(&mut self) -> Pay {
        let units = self.dice.pick(&[0, 1, 2, 3, 5, 10, 30, 100, 300, 1000, 5000]);
        match self.dice.below(8) {
            0 if !self.is_repeated => Pay::Deadline(1 + units / 32),
            1 => Pay::Papers(units),
            _ => Pay::Metered(units),
        }
    }

    /// Everything happens, with frequencies of its own, for some hundred frames.
    fn phase(&mut self) {
        let mut often = |most: usize| match self.dice.below(3) {
            0 => NEVER,
            _ => 1 + self.dice.below(most),
        };
        let often = Often {
            spawn: often(40),
            remove: often(100),
            retarget: often(60),
            order: often(150),
            refuse: often(30),
            displace: often(100),
            edit: often(60),
        };
        for _ in 0..=self.dice.below(60) {
            self.spawn();
        }
        let mut pay = self.pay();
        for _ in 0..self.dice.below(500) {
            if self.dice.once_in(40) {
                pay = self.pay();
            }
            self.disturb(often);
            let happened = self.driver.frame(pay);
            self.told += happened.unreachable.len() as u64;
            for (id, _) in happened.steps {
                // The agent may have been sent back with another one.
                if self.dice.once_in(often.refuse.saturating_mul(4)) {
                    self.driver.refuse(id);
                }
            }
        }
    }

    fn disturb(&mut self, often: Often) {
        if self.dice.once_in(often.spawn) {
            for _ in 0..=self.dice.below(4) {
                self.spawn();
            }
        }
        if self.dice.once_in(often.edit) {
            self.edit();
        }
        if self.driver.units.is_empty() {
            return;
        }
        if self.dice.once_in(often.remove) {
            let id = self.any();
            self.driver.remove(id);
        }
        if self.driver.units.is_empty() {
            return;
        }
        if self.dice.once_in(often.retarget) {
            let (id, goal) = (self.any(), self.anywhere());
            let _ = self.driver.retarget(id, goal);
        }
        if self.dice.once_in(often.displace) {
            self.displace();
        }
        if self.dice.once_in(often.order) {
            self.order();
        }
    }

    fn any(&mut self) -> AgentId {
        let nth = self.dice.below(self.driver.units.len());
        *self.driver.units.keys().nth(nth).expect("there are so many")
    }

    /// Any cell, also a blocked one.
    fn anywhere(&mut self) -> Cell {
        let (width, height) = (self.driver.map().width(), self.driver.map().height());
        Cell::new(self.dice.below(width as usize) as u32, self.dice.below(height as usize) as u32)
    }

    /// A free cell, if there are some.
    fn free(&mut self) -> Option<Cell> {
        let cells: Vec<Cell> = self.driver.map().free_cells().collect();
        (!cells.is_empty()).then(|| self.dice.pick(&cells))
    }

    fn spawn(&mut self) {
        let Some((at, mut goal)) = self.free().zip(self.free()) else { return };
        // Some have the same goal.
        if !self.driver.units.is_empty() && self.dice.once_in(2) {
            let other = self.any();
            let of_other = self.driver.units[&other].goal;
            goal = if self.driver.map().is_free(of_other) { of_other } else { goal };
        }
        let result = if self.is_complete && self.dice.once_in(5) {
            let (name, set) = self.dice.pick(&[
                ("tba", None),
                ("pra", Some(("k", "16"))),
                ("tick", None),
                ("rtaa", None),
                ("dstar-lite", None),
            ]);
            let config = catalog::find(name).expect("in the catalog").configure(set.as_slice());
            let map = self.driver.map();
            let (start, goal) = (node(map, at), node(map, goal));
            let agent = config.expect("valid").agent(map, start, goal).expect("both are free");
            let units = 1 + self.dice.below(200) as u64;
            self.driver.spawn_agent(agent, units)
        } else {
            self.driver.spawn(at, goal)
        };
        let config = self.driver.crowd.config();
        match result {
            Ok(_) => {}
            Err(CrowdError::Full { .. }) => assert!(config.max_bytes.is_some()),
            Err(CrowdError::Occupied { .. }) => assert!(config.avoid_collisions),
            Err(error) => panic!("{error}"),
        }
        self.most_agents = self.most_agents.max(self.driver.units.len());
    }

    fn displace(&mut self) {
        let (id, to) = (self.any(), self.anywhere());
        let is_free = self.driver.map().is_free(to);
        let is_taken = self.driver.units.iter().any(|(&other, unit)| other != id && unit.at == to);
        let fits = is_free && !(is_taken && self.driver.crowd.config().avoid_collisions);
        assert_eq!(self.driver.displace(id, to).is_ok(), fits);
    }

    fn order(&mut self) {
        let Some(point) = self.free() else { return };
        let count = 1 + self.dice.below(12);
        let group: Vec<AgentId> = (0..count).map(|_| self.any()).collect();
        self.driver.order(&group, point);
    }

    /// Blocks or opens single cells, a wall across the map, or the cell of an agent or its goal.
    fn edit(&mut self) {
        let free = self.dice.once_in(2);
        let (width, height) = (self.driver.map().width(), self.driver.map().height());
        let mut cells = Vec::new();
        match self.dice.below(5) {
            0 => {
                let gap = self.dice.below(3 * height as usize) as u32;
                let x = self.anywhere().x;
                cells.extend((0..height).filter(|&y| y != gap).map(|y| Cell::new(x, y)));
            }
            1 => {
                let gap = self.dice.below(3 * width as usize) as u32;
                let y = self.anywhere().y;
                cells.extend((0..width).filter(|&x| x != gap).map(|x| Cell::new(x, y)));
            }
            2 if !self.driver.units.is_empty() => {
                let id = self.any();
                let unit = &self.driver.units[&id];
                cells.push(if self.dice.once_in(2) { unit.at } else { unit.goal });
            }
            _ => {
                let count = 1 + self.dice.below(6);
                cells.extend((0..count).map(|_| self.anywhere()));
            }
        }
        let cells: Vec<_> = cells.into_iter().map(|cell| (cell, free)).collect();
        self.driver.edit(&cells);
    }

    /// Nobody disturbs anybody any more: everyone arrives or is told.
    fn settle(&mut self) {
        if self.dice.once_in(4) {
            // The goals may have been opened again.
            let cells = self.driver.units.values().flat_map(|unit| [unit.at, unit.goal]);
            let cells: Vec<_> = cells.map(|cell| (cell, true)).collect();
            self.driver.edit(&cells);
        }
        let size = u64::from(self.driver.map().width()) * u64::from(self.driver.map().height());
        let most = 2000 + 20 * size + 200 * self.driver.units.len() as u64;
        let config = self.driver.crowd.config();
        let pay = self.dice.pick(&[Pay::Metered(300), Pay::Metered(3000), Pay::Papers(1000)]);
        if !config.avoid_collisions {
            return self.driver.settle(pay, most);
        }
        // Not everyone can arrive, but everyone knows whether there is a way.
        let agents = self.driver.units.len() as u64;
        for _ in 0..300 {
            // Every step takes some units, also that of an agent which has arrived.
            self.driver.frame(Pay::Metered(5000 + 10 * agents));
        }
        let ids: Vec<AgentId> = self.driver.units.keys().copied().collect();
        for id in ids {
            let unit = self.driver.units[&id].clone();
            let is_joined = self.driver.is_joined(unit.at, unit.goal);
            let is_told = self.driver.crowd.activity(id) == Some(Activity::Unreachable);
            // An agent whose goal is blocked notices that when it gets there, if others let it.
            let is_open = self.driver.map().is_free(unit.goal);
            if !unit.is_guest && unit.at != unit.goal && is_open {
                assert_eq!(is_told, !is_joined, "{id:?} {unit:?}");
            }
        }
    }
}

/// A small map of any kind, with any rules.
fn map(dice: &mut Dice) -> Grid {
    let most = dice.pick(&[40, 40, 40, 100]);
    let [width, height] = [(); 2].map(|()| 16 + dice.below(most) as u32);
    let seed = dice.below(1 << 30) as u64;
    let mut grid = match dice.below(10) {
        0 => Grid::new(width, height).expect("a possible size"),
        1 => {
            let (width, height) = (1 + dice.below(12) as u32, 1 + dice.below(70) as u32);
            Grid::from_fn(width, height, |_| !dice.once_in(6)).expect("a possible size")
        }
        _ => generate(dice.pick(&Kind::ALL), width, height, seed).expect("a possible size"),
    };
    if dice.once_in(3) {
        grid = grid.with_neighbors(Neighbors::Four);
    }
    if dice.once_in(2) {
        grid = grid.with_corners(Corners::Allowed);
    }
    if dice.once_in(4) { with_hills(grid, seed) } else { grid }
}
