//! Dynamic worlds: a map that changes at random while the agent walks.

use std::sync::Arc;

use tickstar::search::Ratio;
use tickstar::{Grid, Layered, NodeId, Space};

use super::{Changes, nodes, set};
use crate::generate::Dice;

/// The agent's moves between two changes of a dynamic world, as in the paper.
const MOVES_PER_CHANGE: u64 = 10;

/// The cells that a dynamic world draws from.
#[derive(Debug)]
pub(super) struct Ground {
    rate: Ratio,
    /// The free cells of the map.
    free: Vec<NodeId>,
    /// The blocked cells of the map.
    blocked: Vec<NodeId>,
    /// How many free cells each change blocks.
    shut: usize,
    /// How many blocked cells each change frees.
    opened: usize,
}

impl Ground {
    pub(super) fn new(map: &Grid, rate: Ratio) -> Ground {
        let (free, blocked): (Vec<_>, Vec<_>) = nodes(map).partition(|&node| map.contains(node));
        let half = |cells: usize| (rate.times(cells as u64) / 200).min(cells as u64) as usize;
        let (shut, opened) = (half(free.len()), half(blocked.len()));
        Ground { rate, free, blocked, shut, opened }
    }

    /// Whether anything changes at all. Cells that were blocked are freed at the next change.
    pub(super) fn moves(&self) -> bool {
        self.shut + self.opened > 0
    }
}

/// The changes of a dynamic world.
#[derive(Debug)]
pub(super) struct Drift {
    ground: Arc<Ground>,
    goal: NodeId,
    dice: Dice,
    /// Moves of the agent so far.
    moves: u64,
    /// Free cells of the map that the last change blocked.
    shut: Vec<NodeId>,
    /// Blocked cells of the map that are free, or may be.
    opened: Vec<NodeId>,
}

impl Drift {
    pub(super) fn new(ground: Arc<Ground>, goal: NodeId, dice: Dice) -> Drift {
        Drift { ground, goal, dice, moves: 0, shut: Vec::new(), opened: Vec::new() }
    }

    pub(super) fn moved(&mut self, grid: &mut Layered<Grid>, changes: &mut Changes, agent: NodeId) {
        self.moves += 1;
        if self.moves.is_multiple_of(MOVES_PER_CHANGE) {
            self.change(grid, changes, agent);
        }
    }

    /// Edits the map itself: what the last change has drawn is restored, and later ones draw from the edited map. The
    /// cell of the agent and the goal stay free.
    pub(super) fn edit(
        &mut self,
        grid: &mut Layered<Grid>,
        changes: &mut Changes,
        agent: NodeId,
        (nodes, free): (&[NodeId], bool),
    ) {
        let held = [agent, self.goal].map(|node| (node, grid.contains(node)));
        self.restore(grid, changes);
        for &node in nodes {
            changes.set(grid, node, free);
        }
        self.ground = Arc::new(Ground::new(grid, self.ground.rate));
        for (node, was_free) in held {
            if was_free && !grid.contains(node) {
                changes.set(grid, node, true);
                self.opened.push(node);
            }
        }
    }

    /// Moves the goal, which is never blocked.
    pub(super) fn aim(&mut self, goal: NodeId) {
        self.goal = goal;
    }

    fn restore(&mut self, grid: &mut Layered<Grid>, changes: &mut Changes) {
        for node in self.shut.drain(..) {
            changes.set(grid, node, true);
        }
        for node in self.opened.drain(..) {
            changes.set(grid, node, false);
        }
    }

    /// Restores the map and draws again, in time linear in the cells that change.
    fn change(&mut self, grid: &mut Layered<Grid>, changes: &mut Changes, agent: NodeId) {
        let held = [agent, self.goal].map(|node| (node, grid.contains(node)));
        self.restore(grid, changes);
        let Ground { free, blocked, shut, opened, .. } = &*self.ground;
        self.shut = draw(&mut self.dice, free, *shut, grid);
        self.opened = draw(&mut self.dice, blocked, *opened, grid);
        changes.0.extend(self.shut.iter().chain(&self.opened));
        for (node, was_free) in held {
            if was_free && !grid.contains(node) {
                changes.set(grid, node, true);
                // Not blocked by the draw: a wall of the map that an earlier change freed.
                if !self.shut.contains(&node) {
                    self.opened.push(node);
                }
            }
        }
    }
}

/// Inverts `count` of the nodes, which are all free or all blocked.
///
/// They are drawn without replacement by Floyd's method, which leaves the list unchanged: the grid
/// itself shows what has been drawn.
fn draw(dice: &mut Dice, nodes: &[NodeId], count: usize, grid: &mut Layered<Grid>) -> Vec<NodeId> {
    let turn = |last: usize| {
        let drawn = nodes[dice.below(last + 1)];
        // The last cannot have been drawn before: it was not among those to draw from.
        let node =
            if grid.contains(drawn) == grid.contains(nodes[last]) { drawn } else { nodes[last] };
        let free = !grid.contains(node);
        set(grid, node, free);
        node
    };
    (nodes.len() - count..nodes.len()).map(turn).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::tests::{differences, node};
    use super::*;

    #[test]
    fn a_wall_held_open_is_shut_later() {
        let map = Grid::from_rows(["..", "##"]).unwrap();
        let ground = Arc::new(Ground::new(&map, Ratio::new(0, 1).unwrap()));
        let mut drift = Drift::new(ground, node(&map, 1, 0), Dice::keyed(1, [0; 6]));
        let (mut grid, mut changes) = (Layered::flat(map.clone()), Changes::default());
        let wall = node(&map, 0, 1);
        set(&mut grid, wall, true);
        drift.opened.push(wall);
        for _ in 0..3 {
            drift.change(&mut grid, &mut changes, wall);
            changes.settle();
            assert!(grid.contains(wall) && changes.0.is_empty());
        }
        drift.change(&mut grid, &mut changes, node(&map, 0, 0));
        changes.settle();
        assert_eq!(changes.0, [wall]);
        assert_eq!(differences(&grid, &map), []);
    }

    #[test]
    fn every_draw_is_as_likely_as_any_other() {
        let map = Grid::new(5, 1).unwrap();
        let nodes: Vec<_> = nodes(&map).collect();
        let mut dice = Dice::keyed(1, [0; 6]);
        let mut times = BTreeMap::new();
        for _ in 0..10_000 {
            let mut drawn = draw(&mut dice, &nodes, 2, &mut Layered::flat(map.clone()));
            drawn.sort_unstable();
            *times.entry(drawn).or_insert(0) += 1;
        }
        assert_eq!(times.len(), 10, "every pair");
        assert!(times.values().all(|times| (900..1100).contains(times)), "{times:?}");
    }
}
