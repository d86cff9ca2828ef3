//! No two agents on one cell: PIBT (priority inheritance with backtracking).
//!
//! # Source
//! K. Okumura, M. Machida, X. Défago, Y. Tamura, "Priority Inheritance with Backtracking for Iterative Multi-agent Path
//! Finding", Artificial Intelligence 310, 2022, algorithm 1.
//!
//! # Steps
//! 1. Agents decide one after the other, highest priority first. Each has a list of candidates for where it will be in
//!    the next frame: the cells around it, and its own.
//! 2. An agent claims the first candidate that is legal, not claimed and in no conflict with a step decided before.
//! 3. If another agent stands there that has not decided, it decides next, whatever its own priority is (*priority
//!    inheritance*). Its own cell is claimed, so it has to leave.
//! 4. If it has no candidate left, it stays and keeps its cell, and the one that pushed it tries its next candidate
//!    (*backtracking*).
//!
//! # Deviations
//! * The paper orders candidates by exact distances to the goal. Here the step on the agent's own path comes first, then
//!   the others by the distance on an empty map to a cell a few steps ahead on that path. No table per goal is needed,
//!   and every legal step remains a candidate, so that an agent that is pushed back in a corridor goes back.
//! * The paper raises the priority of an agent with every frame on its way. Here the order is up to the caller. Whoever
//!   is first in the order is never pushed.
//! * Two diagonal steps that cross each other are a conflict, like two agents that change places.
//! * An agent without a step to take prefers to stay.
//! * The recursion is a list, as long as the number of agents that push one another.
//!
//! # Invariants
//! * The cell of an agent that has not decided is claimed only by the one that waits for its decision. So whoever is
//!   not pushed can stay.
//! * An agent that cannot give way is not asked again in the same frame.
//!
//! # What it does not promise
//! That everybody arrives. Where every edge is part of a cycle of three or more cells, the first of the order always
//! gets the step that it wants. In a dead end it may meet an agent that has nowhere to go.
//!
//! # Real-time bound
//! Each agent decides once per frame and has nine candidates at most: time proportional to the number of agents, without
//! allocation. Claims carry the number of their frame, so nothing is cleared.

#[cfg(test)]
mod tests;

use super::NOWHERE;
use super::runs::Spot;
use crate::Grid;
use crate::space::DIRECTIONS;

/// What an agent would like to do in a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Wish {
    /// The direction of the next step on its path; [`NOWHERE`] to stay.
    pub next: u8,
    /// If that is not possible, cells near this one are preferred: some steps ahead on the path, or the agent's goal.
    pub toward: Spot,
}

/// Where the agents stand, and where they go in the current frame.
#[derive(Clone, Debug)]
pub(super) struct Collisions {
    width: u32,
    height: u32,
    /// From the number of a cell to that of its neighbor in each direction.
    offsets: [isize; 8],
    /// Per cell: the slot of its occupant plus one, or zero; the last frame in which it was claimed. Zeros, so that the
    /// system provides memory only where agents have been.
    cells: Vec<[u32; 2]>,
    /// Per slot.
    places: Vec<Place>,
    /// The number of the frame; zero is never used.
    frame: u32,
    /// Agents that are deciding: each has pushed the next one.
    turns: Vec<Turn>,
    /// Agents that take a step.
    movers: Vec<u32>,
}

/// Where an agent stands, and where it goes.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    at: Spot,
    /// The last frame in which it decided.
    frame: u32,
    step: u8,
    is_present: bool,
}

/// The candidates of an agent that is deciding.
#[derive(Clone, Copy, Debug)]
struct Turn {
    slot: u32,
    toward: Spot,
    /// The directions of the legal steps, one bit each.
    legal: u8,
    first: u8,
    /// Whether the candidates after the first have been listed.
    is_listed: bool,
    /// The candidates left: directions, or [`NOWHERE`] for staying, plus one, in four bits each.
    left: u64,
}

/// What an agent has claimed.
enum Claim {
    /// A cell that is empty, will be, or is its own.
    Open,
    /// The cell of an agent that has not decided.
    Pushing(u32),
    /// Nothing: no candidate is left.
    Nothing,
}

impl Collisions {
    /// A map of this size without agents.
    pub fn new(width: u32, height: u32) -> Collisions {
        let offset = |(column, row): (usize, usize)| {
            (row as isize - 1) * width as isize + column as isize - 1
        };
        Collisions {
            width,
            height,
            offsets: DIRECTIONS.map(offset),
            cells: vec![[0; 2]; width as usize * height as usize],
            places: Vec::new(),
            frame: 1,
            turns: Vec::new(),
            movers: Vec::new(),
        }
    }

    /// The agent on a cell.
    pub fn occupant(&self, at: Spot) -> Option<u32> {
        let index = self.index(at);
        index.and_then(|index| self.cells[index][0].checked_sub(1))
    }

    /// An agent appears, unless the cell is occupied or outside the map, or the agent is already there. Returns whether
    /// it does.
    pub fn enter(&mut self, slot: u32, at: Spot) -> bool {
        let index = slot as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, Place::default());
            self.turns.reserve(index + 1);
            self.movers.reserve(index + 1);
        }
        let Some(cell) = self.index(at) else { return false };
        if self.cells[cell][0] != 0 || self.places[index].is_present {
            return false;
        }
        self.cells[cell][0] = slot + 1;
        self.places[index] = Place { at, frame: 0, step: NOWHERE, is_present: true };
        true
    }

    /// The agent on a cell disappears, if there is one.
    pub fn leave(&mut self, at: Spot) {
        if let Some((slot, index)) = self.occupant(at).zip(self.index(at)) {
            self.places[slot as usize] = Place::default();
            self.cells[index][0] = 0;
        }
    }

    /// Decides the next step of all agents, and moves them.
    ///
    /// In `order` are slots, highest priority first. Agents that have not entered are ignored. Agents that have entered
    /// but are not in the list stay, unless they are pushed. The wish of an agent is asked for once at most, when it
    /// decides. If the map is not of the right size, nobody moves.
    pub fn resolve(&mut self, grid: &Grid, order: &[u32], wish: impl Fn(u32) -> Wish) {
        self.next_frame();
        if (grid.width(), grid.height()) != (self.width, self.height) {
            return;
        }
        for &slot in order {
            let is_next = |place: &Place| place.is_present && place.frame != self.frame;
            if self.places.get(slot as usize).is_some_and(is_next) {
                self.decide(grid, slot, &wish);
            }
        }
        for &slot in &self.movers {
            let from = self.number(self.places[slot as usize].at);
            self.cells[from][0] = 0;
        }
        for &slot in &self.movers {
            let place = &mut self.places[slot as usize];
            place.at = place.at.after(place.step.into(), 1);
            let to = place.at;
            let to = self.number(to);
            self.cells[to][0] = slot + 1;
        }
        self.movers.clear();
    }

    /// The direction in which an agent went when the last frame was resolved; [`NOWHERE`] if it stayed.
    #[inline]
    pub fn step(&self, slot: u32) -> u8 {
        let decided = |place: &&Place| place.frame == self.frame;
        self.places.get(slot as usize).filter(decided).map_or(NOWHERE, |place| place.step)
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        size_of::<Collisions>()
            + self.cells.capacity() * size_of::<[u32; 2]>()
            + self.places.capacity() * size_of::<Place>()
            + self.turns.capacity() * size_of::<Turn>()
            + self.movers.capacity() * size_of::<u32>()
    }

    /// The number of a cell, if it is on the map.
    fn index(&self, at: Spot) -> Option<usize> {
        let cell = at.cell();
        (cell.x < self.width && cell.y < self.height).then(|| self.number(at))
    }

    /// The number of a cell on the map.
    #[inline]
    fn number(&self, at: Spot) -> usize {
        let cell = at.cell();
        cell.y as usize * self.width as usize + cell.x as usize
    }

    fn next_frame(&mut self) {
        self.frame = self.frame.wrapping_add(1);
        if self.frame == 0 {
            // Every four billion frames.
            self.cells.iter_mut().for_each(|cell| cell[1] = 0);
            self.places.iter_mut().for_each(|place| place.frame = 0);
            self.frame = 1;
        }
    }

    /// Decides where an agent goes, and all those that it pushes.
    fn decide(&mut self, grid: &Grid, slot: u32, wish: &impl Fn(u32) -> Wish) {
        let turn = self.begin(grid, slot, wish);
        self.turns.push(turn);
        while let Some(mut turn) = self.turns.pop() {
            match self.claim(grid, &mut turn) {
                Claim::Pushing(other) => {
                    self.turns.push(turn);
                    let turn = self.begin(grid, other, wish);
                    self.turns.push(turn);
                }
                Claim::Open => {
                    self.turns.push(turn);
                    break;
                }
                // It was pushed, so its cell is claimed already.
                Claim::Nothing => self.places[turn.slot as usize].step = NOWHERE,
            }
        }
        // What those that are left have claimed is theirs.
        for turn in self.turns.drain(..) {
            if self.places[turn.slot as usize].step != NOWHERE {
                self.movers.push(turn.slot);
            }
        }
    }

    /// An agent begins to decide.
    #[inline]
    fn begin(&mut self, grid: &Grid, slot: u32, wish: &impl Fn(u32) -> Wish) -> Turn {
        let Wish { next, toward } = wish(slot);
        let place = &mut self.places[slot as usize];
        (place.frame, place.step) = (self.frame, NOWHERE);
        let (first, legal) = (next.min(NOWHERE), grid.steps_from(place.at.cell()));
        Turn { slot, toward, legal, first, is_listed: false, left: u64::from(first) + 1 }
    }

    /// Claims the best candidate left of an agent.
    #[inline]
    fn claim(&mut self, grid: &Grid, turn: &mut Turn) -> Claim {
        let at = self.places[turn.slot as usize].at;
        let own = self.number(at);
        loop {
            if turn.left == 0 {
                if turn.is_listed {
                    return Claim::Nothing;
                }
                turn.is_listed = true;
                turn.left = self.others(grid, turn, at, own);
                continue;
            }
            let candidate = (turn.left & 15) as u8 - 1;
            turn.left >>= 4;
            if candidate == NOWHERE {
                if self.cells[own][1] == self.frame {
                    continue;
                }
                self.places[turn.slot as usize].step = NOWHERE;
                self.cells[own][1] = self.frame;
                return Claim::Open;
            }
            if turn.legal >> candidate & 1 == 0 {
                continue;
            }
            let to = self.neighbor(own, candidate);
            let [occupant, claimed] = self.cells[to];
            if claimed == self.frame || self.is_conflict(own, to, candidate) {
                continue;
            }
            self.places[turn.slot as usize].step = candidate;
            self.cells[to][1] = self.frame;
            return match occupant.checked_sub(1) {
                Some(other) if self.places[other as usize].frame != self.frame => {
                    Claim::Pushing(other)
                }
                _ => Claim::Open,
            };
        }
    }

    /// The candidates of an agent after the first one.
    #[cold]
    fn others(&self, grid: &Grid, turn: &Turn, at: Spot, own: usize) -> u64 {
        let geometry = grid.geometry();
        let mut keys = [u64::MAX; 9];
        let mut count = 0;
        for candidate in (0..=NOWHERE).filter(|&candidate| candidate != turn.first) {
            let stays = candidate == NOWHERE;
            if !stays && turn.legal >> candidate & 1 == 0 {
                continue;
            }
            let to = if stays { at } else { at.after(candidate.into(), 1) };
            let is_occupied = !stays && self.cells[self.neighbor(own, candidate)][0] != 0;
            let far = geometry.apart(to.cell(), turn.toward.cell()).0;
            keys[count] = far << 8 | u64::from(is_occupied) << 4 | u64::from(candidate);
            count += 1;
        }
        let keys = &mut keys[..count];
        keys.sort_unstable();
        keys.iter().rev().fold(0, |left, key| left << 4 | ((key & 15) + 1))
    }

    /// Whether a step would be in conflict with one that is decided: the reverse, or a diagonal one that crosses it.
    #[inline]
    fn is_conflict(&self, own: usize, to: usize, direction: u8) -> bool {
        let reverse = direction ^ 2;
        if direction < 4 {
            return self.is_leaving(to, reverse);
        }
        // The cells beside the step, before and after it clockwise.
        let (before, after) = (direction - 4, (direction - 3) & 3);
        self.is_leaving(to, reverse)
            || self.is_leaving(self.neighbor(own, before), 4 + after)
            || self.is_leaving(self.neighbor(own, after), 4 + ((direction - 1) & 3))
    }

    /// Whether the occupant of a cell has decided to leave it in this direction.
    #[inline]
    fn is_leaving(&self, from: usize, direction: u8) -> bool {
        let Some(slot) = self.cells[from][0].checked_sub(1) else { return false };
        let place = &self.places[slot as usize];
        place.frame == self.frame && place.step == direction
    }

    /// The number of the cell a step away, which must be on the map.
    #[inline]
    fn neighbor(&self, from: usize, direction: u8) -> usize {
        from.wrapping_add_signed(self.offsets[usize::from(direction & 7)])
    }
}
