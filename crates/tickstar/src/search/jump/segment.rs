//! The cells of a jump: a diagonal run, then a straight one; either may be missing.

use crate::space::{Ids, octile};
use crate::{Cell, Cost, NodeId};

/// A jump between two nodes, of which neither it nor anyone else stores the cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    ids: Ids,
    begin: Cell,
    end: Cell,
}

impl Segment {
    pub fn new(ids: Ids, begin: NodeId, end: NodeId) -> Segment {
        Segment { ids, begin: ids.cell(begin), end: ids.cell(end) }
    }

    /// Columns and rows from its beginning to its end.
    fn extent(&self) -> (u32, u32) {
        (self.begin.x.abs_diff(self.end.x), self.begin.y.abs_diff(self.end.y))
    }

    /// The number of its steps.
    pub fn steps(&self) -> usize {
        let (dx, dy) = self.extent();
        dx.max(dy) as usize
    }

    /// The cost of its steps.
    pub fn cost(&self) -> Cost {
        let (dx, dy) = self.extent();
        octile(dx.into(), dy.into())
    }

    /// The cell this many steps before its end; its beginning if it has fewer steps.
    pub fn before_end(&self, steps: usize) -> NodeId {
        let (dx, dy) = self.extent();
        let steps = steps.min(dx.max(dy) as usize) as u32;
        // Going back, the straight run comes first: only the longer side shrinks until both are equal.
        let straight = dx.abs_diff(dy);
        let both = steps.saturating_sub(straight);
        let (columns, rows) = if dx >= dy { (steps, both) } else { (both, steps) };
        let toward = |from: u32, to: u32, by: u32| if to > from { from + by } else { from - by };
        self.ids.node(Cell {
            x: toward(self.end.x, self.begin.x, columns),
            y: toward(self.end.y, self.begin.y, rows),
        })
    }

    /// The number of steps from a cell to its end, if the cell is on it.
    pub fn steps_from(&self, node: NodeId) -> Option<usize> {
        let cell = self.ids.cell(node);
        let steps = cell.x.abs_diff(self.end.x).max(cell.y.abs_diff(self.end.y)) as usize;
        (steps <= self.steps() && self.before_end(steps) == node).then_some(steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid;

    #[test]
    fn a_segment_is_a_diagonal_and_a_straight_run() {
        let grid = Grid::new(40, 40).unwrap();
        let node = |x, y| grid.node(Cell::new(x, y)).unwrap();
        for (end_x, end_y) in (0..40).flat_map(|x| (0..40).map(move |y| (x, y))) {
            let (begin, end) = (node(20, 17), node(end_x, end_y));
            let segment = Segment::new(grid.ids(), begin, end);
            // The same cells, one step at a time from the beginning.
            let (mut x, mut y) = (20, 17);
            let mut cells = vec![begin];
            while (x, y) != (end_x, end_y) {
                let (dx, dy) = (x.abs_diff(end_x), y.abs_diff(end_y));
                let (was_x, was_y) = (x, y);
                if dx > 0 && (dy > 0 || dx > dy) {
                    x = if end_x > x { x + 1 } else { x - 1 };
                }
                if dy > 0 && (dx > 0 || dy > dx) {
                    y = if end_y > y { y + 1 } else { y - 1 };
                }
                assert!((x, y) != (was_x, was_y));
                cells.push(node(x, y));
            }
            assert_eq!(segment.steps(), cells.len() - 1);
            for (place, &cell) in cells.iter().rev().enumerate() {
                assert_eq!(segment.before_end(place), cell);
                assert_eq!(segment.steps_from(cell), Some(place));
            }
            assert_eq!(segment.before_end(1000), begin);
            let all = grid.free_cells().map(|cell| grid.node(cell).unwrap());
            let on = all.filter(|&cell| segment.steps_from(cell).is_some()).count();
            assert_eq!(on, cells.len(), "no other cell is on it");
            let steps = cells.windows(2).map(|step| {
                let [a, b] = [step[0], step[1]].map(|node| grid.cell(node));
                if a.x == b.x || a.y == b.y { Cost::STRAIGHT } else { Cost::DIAGONAL }
            });
            assert_eq!(segment.cost(), steps.sum());
        }
    }
}
