//! Where agents are, to see that no two collide: a check of its own, which knows nothing of the crowd.

use tickstar::{Cell, Grid};

/// The occupants of all cells, and the steps of the current frame.
#[derive(Debug)]
pub(super) struct Places {
    width: u32,
    /// The agent on each cell plus one; zero if there is none.
    occupant: Vec<u32>,
    /// The last frame in which an agent stepped on each cell, and from where.
    came: Vec<(u64, Cell)>,
    frame: u64,
}

impl Places {
    pub fn new(grid: &Grid) -> Places {
        let cells = grid.width() as usize * grid.height() as usize;
        Places {
            width: grid.width(),
            occupant: vec![0; cells],
            came: vec![(0, Cell::default()); cells],
            frame: 0,
        }
    }

    fn index(&self, cell: Cell) -> usize {
        cell.y as usize * self.width as usize + cell.x as usize
    }

    /// A new agent. The crowd has refused it if the cell was taken, so this cannot fail without a step to follow.
    pub fn add(&mut self, agent: usize, at: Cell) {
        let index = self.index(at);
        self.occupant[index] = agent as u32 + 1;
    }

    pub fn begin(&mut self, frame: u64) {
        self.frame = frame;
    }

    /// An agent that takes a step leaves its cell. All leave before the first one enters another cell.
    pub fn leave(&mut self, from: Cell) {
        let index = self.index(from);
        self.occupant[index] = 0;
    }

    /// An agent takes its step; with whom and where it collides, if it does.
    pub fn enter(&mut self, agent: usize, from: Cell, to: Cell) -> Result<(), (usize, Cell)> {
        let index = self.index(to);
        if let Some(other) = self.occupant[index].checked_sub(1) {
            return Err((other as usize, to));
        }
        // Whoever went the other way, or from one of the cells beside a diagonal step to the other, is in the way.
        let beside = [Cell::new(from.x, to.y), Cell::new(to.x, from.y)];
        let crossing = [[to, from], beside, [beside[1], beside[0]]];
        for [start, end] in crossing {
            let end_index = self.index(end);
            if start != end && self.came[end_index] == (self.frame, start) {
                let other = self.occupant[end_index].saturating_sub(1);
                return Err((other as usize, end));
            }
        }
        self.occupant[index] = agent as u32 + 1;
        self.came[index] = (self.frame, from);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Column and row.
    type Place = (u32, u32);

    /// The result of steps in one frame.
    fn steps(steps: &[(Place, Place)]) -> Result<(), (usize, Cell)> {
        let mut places = Places::new(&Grid::new(4, 4).unwrap());
        let cell = |(x, y)| Cell::new(x, y);
        for (agent, &(from, _)) in steps.iter().enumerate() {
            places.add(agent, cell(from));
        }
        places.begin(7);
        let moving = || steps.iter().enumerate().filter(|(_, (from, to))| from != to);
        moving().for_each(|(_, &(from, _))| places.leave(cell(from)));
        for (agent, &(from, to)) in moving() {
            places.enter(agent, cell(from), cell(to))?;
        }
        Ok(())
    }

    #[test]
    fn collisions_are_seen() {
        let same = steps(&[((0, 0), (1, 0)), ((2, 0), (1, 0))]);
        assert_eq!(same, Err((0, Cell::new(1, 0))));
        let occupied = steps(&[((0, 0), (0, 0)), ((1, 0), (0, 0))]);
        assert_eq!(occupied, Err((0, Cell::new(0, 0))));
        let swapped = steps(&[((0, 0), (1, 0)), ((1, 0), (0, 0))]);
        assert!(swapped.is_err());
        let diagonally = steps(&[((0, 0), (1, 1)), ((1, 1), (0, 0))]);
        assert!(diagonally.is_err());
        for other in [((1, 0), (0, 1)), ((0, 1), (1, 0))] {
            assert!(steps(&[((0, 0), (1, 1)), other]).is_err(), "they cross: {other:?}");
            assert!(steps(&[other, ((0, 0), (1, 1))]).is_err(), "they cross: {other:?}");
        }
    }

    #[test]
    fn steps_that_do_not_collide_are_allowed() {
        // In a row, in a circle, and side by side.
        assert_eq!(steps(&[((0, 0), (1, 0)), ((1, 0), (2, 0)), ((2, 0), (3, 0))]), Ok(()));
        let circle = [((0, 0), (1, 0)), ((1, 0), (1, 1)), ((1, 1), (0, 1)), ((0, 1), (0, 0))];
        assert_eq!(steps(&circle), Ok(()));
        assert_eq!(steps(&[((0, 0), (1, 1)), ((1, 0), (2, 1)), ((0, 1), (1, 2))]), Ok(()));
    }
}
