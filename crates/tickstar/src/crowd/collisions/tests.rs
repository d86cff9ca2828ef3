//! The rules on random maps, and crowds that arrive.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{Collisions, NOWHERE, Wish};
use crate::crowd::runs::Spot;
use crate::space::{Corners, DIRECTIONS, Neighbors};
use crate::{Cell, Grid};

/// A small deterministic generator (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as u32 % n
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

fn step_from(cell: Cell, direction: u8) -> Cell {
    let (column, row) = DIRECTIONS[usize::from(direction)];
    Cell { x: cell.x + column as u32 - 1, y: cell.y + row as u32 - 1 }
}

/// A crowd without plans: where everybody stands, and the rules.
struct World {
    grid: Grid,
    collisions: Collisions,
    at: Vec<Option<Cell>>,
}

impl World {
    fn new(grid: Grid) -> World {
        let collisions = Collisions::new(grid.width(), grid.height());
        World { grid, collisions, at: Vec::new() }
    }

    fn enter(&mut self, slot: usize, at: Cell) {
        self.at.resize(self.at.len().max(slot + 1), None);
        assert!(self.collisions.enter(slot as u32, Spot::of(at)));
        self.at[slot] = Some(at);
    }

    /// Resolves a frame and checks the rules.
    fn frame(&mut self, order: &[u32], wishes: &[Wish]) {
        self.collisions.resolve(&self.grid, order, |slot| wishes[slot as usize]);
        let mut middles = BTreeMap::new();
        let mut taken = BTreeMap::new();
        for (slot, at) in self.at.iter_mut().enumerate() {
            let direction = self.collisions.step(slot as u32);
            let Some(from) = *at else {
                assert_eq!(direction, NOWHERE, "{slot} is not there");
                continue;
            };
            let to = if direction == NOWHERE { from } else { step_from(from, direction) };
            if to != from {
                assert!(is_legal(&self.grid, from, to), "{slot} goes from {from} to {to}");
                // Two steps meet halfway if they are the reverse of each other, or cross.
                let middle = (from.x + to.x, from.y + to.y);
                let other = middles.insert(middle, slot);
                assert_eq!(other, None, "meets {slot} on its way from {from} to {to}");
            }
            assert_eq!(taken.insert(to, slot), None, "is on {to} with {slot}");
            *at = Some(to);
        }
        for y in 0..self.grid.height() {
            for x in 0..self.grid.width() {
                let cell = Cell { x, y };
                let occupant = self.collisions.occupant(Spot::of(cell)).map(|slot| slot as usize);
                assert_eq!(occupant, taken.get(&cell).copied(), "on {cell}");
            }
        }
    }
}

fn is_legal(grid: &Grid, from: Cell, to: Cell) -> bool {
    let is_diagonal = from.x != to.x && from.y != to.y;
    let beside = [Cell { x: from.x, y: to.y }, Cell { x: to.x, y: from.y }];
    let may_cut =
        grid.corners() == Corners::Allowed || beside.iter().all(|&cell| grid.is_free(cell));
    let is_adjacent = from.x.abs_diff(to.x).max(from.y.abs_diff(to.y)) == 1;
    let is_diagonal_legal = grid.neighbors() == Neighbors::Eight && may_cut;
    is_adjacent && grid.is_free(from) && grid.is_free(to) && (!is_diagonal || is_diagonal_legal)
}

#[test]
fn random_crowds_keep_the_rules() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut moved = 0;
    for round in 0..150 {
        let (width, height) = (1 + random.below(9), 1 + random.below(9));
        let density = random.below(50);
        let neighbors = if round % 3 == 0 { Neighbors::Four } else { Neighbors::Eight };
        let corners = if round % 2 == 0 { Corners::Never } else { Corners::Allowed };
        let grid = Grid::from_fn(width, height, |_| random.below(100) >= density).unwrap();
        let mut world = World::new(grid.with_neighbors(neighbors).with_corners(corners));
        let cell = |random: &mut Random| Cell { x: random.below(width), y: random.below(height) };
        let agents = random.below(width * height + 1);
        for _ in 0..200 {
            for _ in 0..2 {
                // Agents come and go; cells are blocked and freed.
                let (slot, at) = (random.below(agents + 1) as usize, cell(&mut random));
                let is_present = world.at.get(slot).is_some_and(Option::is_some);
                let is_open = world.grid.is_free(at) && !world.at.contains(&Some(at));
                if !is_present && is_open {
                    world.enter(slot, at);
                } else if random.below(8) == 0 && world.at.contains(&Some(at)) {
                    world.collisions.leave(Spot::of(at));
                    world
                        .at
                        .iter_mut()
                        .filter(|place| **place == Some(at))
                        .for_each(|place| *place = None);
                }
            }
            if random.below(10) == 0 {
                let is_free = random.below(100) >= density;
                world.grid.set_free(cell(&mut random), is_free).unwrap();
            }
            let wish = |_| Wish {
                next: (random.below(12) as u8).min(NOWHERE),
                toward: Spot::of(cell(&mut random)),
            };
            let wishes: Vec<Wish> = (0..=agents).map(wish).collect();
            let mut order: Vec<u32> = (0..=agents).collect();
            random.shuffle(&mut order);
            if random.below(4) == 0 {
                order.truncate(random.below(agents + 1) as usize);
            }
            let before = world.at.clone();
            world.frame(&order, &wishes);
            moved += before.iter().zip(&world.at).filter(|(a, b)| a != b).count();
        }
    }
    assert!(moved > 100_000, "{moved} steps");
}

#[test]
fn the_first_agent_gets_its_wish_where_others_can_give_way() {
    // It pushes three agents that would rather stay; the last one can only go around the corner.
    let grid = Grid::from_rows(["....", "###."]).unwrap();
    let mut world = World::new(grid);
    (0..4).for_each(|slot| world.enter(slot, Cell::new(slot as u32, 0)));
    let wish = |slot| Wish {
        next: if slot == 0 { 1 } else { NOWHERE },
        toward: Spot::of(Cell::new(3, 0)),
    };
    let wishes: Vec<Wish> = (0..4).map(wish).collect();
    // They need not be in the list.
    world.frame(&[0], &wishes);
    let cells = [(1, 0), (2, 0), (3, 0), (3, 1)].map(|(x, y)| Some(Cell::new(x, y)));
    assert_eq!(world.at, cells);
    // Now nobody can give way.
    world.frame(&[0, 1, 2, 3], &wishes);
    assert_eq!(world.at, cells);
}

#[test]
fn agents_follow_each_other_in_a_circle() {
    let mut world = World::new(Grid::new(2, 2).unwrap());
    let cells = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(x, y)| Cell::new(x, y));
    let steps = [1, 2, 3, 0];
    cells.into_iter().enumerate().for_each(|(slot, cell)| world.enter(slot, cell));
    let wishes = steps.map(|next| Wish { next, toward: Spot::default() });
    world.frame(&[0, 1, 2, 3], &wishes);
    assert_eq!(world.at, [1, 2, 3, 0].map(|slot: usize| Some(cells[slot])));
}

#[test]
fn agents_enter_only_empty_cells_on_the_map() {
    let mut collisions = Collisions::new(3, 2);
    let spot = |x, y| Spot::of(Cell::new(x, y));
    assert!(collisions.enter(5, spot(2, 1)));
    assert!(!collisions.enter(5, spot(0, 0)), "it is already there");
    assert!(!collisions.enter(6, spot(2, 1)), "occupied");
    assert!(!collisions.enter(6, spot(3, 0)) && !collisions.enter(6, spot(0, 2)), "outside");
    assert_eq!((collisions.step(5), collisions.step(4), collisions.step(9)), (8, 8, 8));
    collisions.leave(spot(0, 0));
    collisions.leave(spot(9, 9));
    assert_eq!(collisions.occupant(spot(2, 1)), Some(5));
    assert_eq!(collisions.occupant(spot(9, 9)), None);
    collisions.leave(spot(2, 1));
    assert!(collisions.enter(6, spot(2, 1)));
    // On a map of another size nobody moves.
    let wish = |_| Wish { next: 0, toward: spot(0, 0) };
    collisions.resolve(&Grid::new(4, 2).unwrap(), &[6], wish);
    assert_eq!(collisions.step(6), NOWHERE);
    collisions.resolve(&Grid::new(3, 2).unwrap(), &[6], wish);
    assert_eq!(collisions.step(6), 0);
    assert_eq!(collisions.occupant(spot(2, 0)), Some(6));
}

#[test]
fn frames_may_be_counted_around() {
    let grid = Grid::new(5, 1).unwrap();
    let mut world = World::new(grid);
    world.collisions.frame = u32::MAX - 2;
    world.enter(0, Cell::new(0, 0));
    world.enter(1, Cell::new(1, 0));
    for next in [1, 1, 3, 3, 1, 1] {
        let wish = Wish { next, toward: Spot::default() };
        world.frame(&[0, 1], &[wish, wish]);
    }
    assert_eq!(world.at, [2, 3].map(|x| Some(Cell::new(x, 0))));
}

#[test]
fn a_chain_of_thousands_needs_no_deep_stack() {
    let agents: u32 = 5_000;
    let run = move || {
        let grid = Grid::new(agents + 1, 1).unwrap();
        let mut collisions = Collisions::new(agents + 1, 1);
        for slot in 0..agents {
            collisions.enter(slot, Spot::of(Cell::new(slot, 0)));
        }
        let order: Vec<u32> = (0..agents).collect();
        let end = Spot::of(Cell::new(agents, 0));
        let wish = |slot| Wish { next: if slot == 0 { 1 } else { NOWHERE }, toward: end };
        collisions.resolve(&grid, &order, wish);
        let moved = (0..agents).filter(|&slot| collisions.step(slot) == 1).count();
        // Now the last one cannot give way.
        collisions.resolve(&grid, &order, wish);
        let stayed = (0..agents).filter(|&slot| collisions.step(slot) == NOWHERE).count();
        (moved, stayed)
    };
    let thread = std::thread::Builder::new().stack_size(64 << 10).spawn(run).unwrap();
    assert_eq!(thread.join().unwrap(), (agents as usize, agents as usize));
}

/// A crowd with a goal for everybody.
struct Travelers {
    world: World,
    goals: Vec<Cell>,
    /// The moves to each agent's goal, per cell.
    moves: Vec<Vec<u32>>,
    arrived: Vec<bool>,
}

impl Travelers {
    fn new(grid: Grid, pairs: &[(Cell, Cell)]) -> Travelers {
        let mut world = World::new(grid);
        pairs.iter().enumerate().for_each(|(slot, &(from, _))| world.enter(slot, from));
        let goals: Vec<Cell> = pairs.iter().map(|&(_, goal)| goal).collect();
        let moves = goals.iter().map(|&goal| moves_to(&world.grid, goal)).collect();
        Travelers { world, goals, moves, arrived: vec![false; pairs.len()] }
    }

    /// The next step of an agent from a cell to its goal.
    fn next(&self, slot: usize, at: Cell) -> u8 {
        let grid = &self.world.grid;
        let moves = |cell: Cell| self.moves[slot][(cell.y * grid.width() + cell.x) as usize];
        let steps = grid.steps_from(at);
        let leads = |&d: &u8| steps >> d & 1 == 1 && moves(step_from(at, d)) < moves(at);
        (0..NOWHERE).find(leads).unwrap_or(NOWHERE)
    }

    fn wish(&self, slot: usize) -> Wish {
        let Some(at) = self.world.at[slot] else { unreachable!("nobody leaves") };
        let mut toward = at;
        for _ in 0..8 {
            match self.next(slot, toward) {
                NOWHERE => break,
                direction => toward = step_from(toward, direction),
            }
        }
        Wish { next: self.next(slot, at), toward: Spot::of(toward) }
    }

    /// Lets everybody walk until all have been at their goals, for this many frames at most.
    fn walk(&mut self, most: u32) {
        let bytes = self.world.collisions.bytes();
        for _ in 0..=most {
            for (slot, arrived) in self.arrived.iter_mut().enumerate() {
                *arrived |= self.world.at[slot] == Some(self.goals[slot]);
            }
            let (done, mut order): (Vec<u32>, Vec<u32>) =
                (0..self.goals.len() as u32).partition(|&slot| self.arrived[slot as usize]);
            if order.is_empty() {
                return;
            }
            order.extend(done);
            let wishes: Vec<Wish> = (0..self.goals.len()).map(|slot| self.wish(slot)).collect();
            self.world.frame(&order, &wishes);
            assert_eq!(self.world.collisions.bytes(), bytes, "no frame needs memory");
        }
        let left = self.arrived.iter().filter(|&&arrived| !arrived).count();
        panic!("{left} agents have not arrived after {most} frames");
    }
}

/// The number of moves from every cell to a goal.
fn moves_to(grid: &Grid, goal: Cell) -> Vec<u32> {
    let index = |cell: Cell| (cell.y * grid.width() + cell.x) as usize;
    let mut moves = vec![u32::MAX; (grid.width() * grid.height()) as usize];
    moves[index(goal)] = 0;
    let mut queue = VecDeque::from([goal]);
    while let Some(cell) = queue.pop_front() {
        let steps = grid.steps_from(cell);
        for direction in (0..8).filter(|d| steps >> d & 1 == 1) {
            let to = step_from(cell, direction);
            if moves[index(to)] == u32::MAX {
                moves[index(to)] = moves[index(cell)] + 1;
                queue.push_back(to);
            }
        }
    }
    moves
}

/// Random cells of a part of the map, all of them different.
fn choose(random: &mut Random, grid: &Grid, n: usize, is_in: impl Fn(Cell) -> bool) -> Vec<Cell> {
    let mut cells: Vec<Cell> = grid.free_cells().filter(|&cell| is_in(cell)).collect();
    random.shuffle(&mut cells);
    cells.truncate(n);
    assert_eq!(cells.iter().collect::<BTreeSet<_>>().len(), n);
    cells
}

/// 500 agents from random cells of an open map to others.
fn crossing(seed: u64, neighbors: Neighbors) -> Travelers {
    let random = &mut Random(seed);
    let grid = Grid::new(100, 100).unwrap().with_neighbors(neighbors);
    let from = choose(random, &grid, 500, |_| true);
    let to = choose(random, &grid, 500, |_| true);
    let pairs: Vec<_> = from.into_iter().zip(to).collect();
    Travelers::new(grid, &pairs)
}

/// 250 agents from each side of a wall to the other.
fn gate(seed: u64, neighbors: Neighbors, width: u32, thickness: u32) -> Travelers {
    let random = &mut Random(seed);
    let wall = 30..30 + thickness;
    let in_gate = |cell: Cell| (29..29 + width).contains(&cell.y);
    let free = |cell: Cell| !wall.contains(&cell.x) || in_gate(cell);
    let grid = Grid::from_fn(60, 60, free).unwrap().with_neighbors(neighbors);
    let (left, right) = (|cell: Cell| cell.x < 30, |cell: Cell| cell.x >= 30 + thickness);
    let mut from = choose(random, &grid, 250, left);
    from.extend(choose(random, &grid, 250, right));
    let mut to = choose(random, &grid, 250, right);
    to.extend(choose(random, &grid, 250, left));
    let mut pairs: Vec<_> = from.into_iter().zip(to).collect();
    random.shuffle(&mut pairs);
    Travelers::new(grid, &pairs)
}

#[test]
fn hundreds_cross_an_open_map() {
    for (neighbors, most) in [(Neighbors::Eight, 120), (Neighbors::Four, 300)] {
        crossing(1, neighbors).walk(most);
    }
}

#[test]
fn opposing_streams_pass_a_gate() {
    for (width, most) in [(1, 900), (2, 650), (3, 500)] {
        for neighbors in [Neighbors::Eight, Neighbors::Four] {
            gate(2, neighbors, width, 1).walk(most);
        }
    }
}

#[test]
fn opposing_streams_pass_a_corridor_of_width_1() {
    for neighbors in [Neighbors::Eight, Neighbors::Four] {
        gate(3, neighbors, 1, 5).walk(2_000);
    }
}
