//! Distances and edges computed independently of the engine's code.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tickstar::space::{Corners, Neighbors, Terrain};
use tickstar::{Cell, Cost, Grid, Map, NodeId, Space};

/// The edges of a map as the tests understand them.
#[derive(Clone)]
pub struct Oracle {
    edges: Vec<Vec<(NodeId, Cost)>>,
}

/// N, E, S, W, NE, SE, SW, NW.
pub(super) const DIRECTIONS: [(i64, i64); 8] =
    [(0, -1), (1, 0), (0, 1), (-1, 0), (1, -1), (1, 1), (-1, 1), (-1, -1)];

impl Oracle {
    /// Computed from the free cells and the rules of the grid, not from its edges.
    pub fn of_grid(grid: &Grid) -> Oracle {
        let mut edges = vec![Vec::new(); grid.size()];
        for (x, y) in (0..grid.height()).flat_map(|y| (0..grid.width()).map(move |x| (x, y))) {
            let cell = Cell::new(x, y);
            edges[grid.node(cell).expect("a cell of the map").index()] = edges_from(grid, cell);
        }
        Oracle { edges }
    }

    /// Processes that these cells of the grid were blocked or opened, or have other terrain.
    pub fn update(&mut self, grid: &Grid, changed: &[NodeId]) {
        for &node in changed {
            for near in [node].into_iter().chain(around(grid, node, &DIRECTIONS)) {
                self.edges[near.index()] = edges_from(grid, grid.cell(near));
            }
        }
    }

    pub fn of_edges(nodes: usize, list: &[(NodeId, NodeId, Cost)], directed: bool) -> Oracle {
        let mut edges = vec![Vec::new(); nodes];
        for &(from, to, cost) in list {
            edges[from.index()].push((to, cost));
            if !directed {
                edges[to.index()].push((from, cost));
            }
        }
        Oracle { edges }
    }

    /// The edges of a space in its visiting order, for listings that depend on that order.
    pub fn in_visit_order(space: &impl Map) -> Oracle {
        let mut edges = vec![Vec::new(); space.size()];
        for (from, edges) in (0..).map(NodeId).zip(&mut edges) {
            space.for_each_edge(from, |to, cost| edges.push((to, cost)));
        }
        Oracle { edges }
    }

    /// The number of nodes, including blocked ones.
    pub fn size(&self) -> usize {
        self.edges.len()
    }

    pub fn edges_of(&self, from: NodeId) -> &[(NodeId, Cost)] {
        &self.edges[from.index()]
    }

    pub fn edge(&self, from: NodeId, to: NodeId) -> Option<Cost> {
        let between = self.edges_of(from).iter().filter(|&&(node, _)| node == to);
        between.map(|&(_, cost)| cost).min()
    }

    /// Dijkstra's algorithm from one node to all.
    pub fn distances(&self, from: NodeId) -> Vec<Option<Cost>> {
        let mut distances = vec![None; self.size()];
        let mut open = BinaryHeap::from([Reverse((0, from))]);
        while let Some(Reverse((distance, node))) = open.pop() {
            if distances[node.index()].is_none() {
                distances[node.index()] = Some(Cost(distance));
                let ways = self.edges_of(node).iter().map(|&(to, cost)| (distance + cost.0, to));
                open.extend(ways.map(Reverse));
            }
        }
        distances
    }

    pub fn distance(&self, from: NodeId, to: NodeId) -> Option<Cost> {
        self.distances(from)[to.index()]
    }

    /// The cost of a path, every step of which must be an edge.
    pub fn path_cost(&self, path: &[NodeId]) -> Cost {
        let cost = |step: &[NodeId]| {
            let edge = self.edge(step[0], step[1]);
            edge.unwrap_or_else(|| panic!("there is no edge from {} to {}", step[0], step[1]))
        };
        path.windows(2).map(cost).sum()
    }
}

/// The edges from a cell: to the free cells around it that the rules of the grid allow.
fn edges_from(grid: &Grid, cell: Cell) -> Vec<(NodeId, Cost)> {
    let (x, y) = (i64::from(cell.x), i64::from(cell.y));
    let (width, height) = (i64::from(grid.width()), i64::from(grid.height()));
    let inside = |x: i64, y: i64| (0..width).contains(&x) && (0..height).contains(&y);
    let free = |x: i64, y: i64| inside(x, y) && grid.is_free(Cell::new(x as u32, y as u32));
    let mut edges = Vec::new();
    for (dx, dy) in DIRECTIONS {
        let diagonal = dx != 0 && dy != 0;
        let turn = grid.neighbors() == Neighbors::Eight
            && (grid.corners() == Corners::Allowed || free(x + dx, y) && free(x, y + dy));
        if free(x, y) && free(x + dx, y + dy) && (!diagonal || turn) {
            let to = Cell::new((x + dx) as u32, (y + dy) as u32);
            // An eighth of a step for each quarter of either multiplier.
            let part = if diagonal { 665_857 } else { 470_832 };
            let quarters = 4.0 * (grid.multiplier(cell) + grid.multiplier(to));
            edges.push((grid.node(to).expect("a cell of the map"), Cost(part * quarters as u64)));
        }
    }
    edges
}

/// The cells on the map in these directions, free or not.
pub(super) fn around(grid: &Grid, node: NodeId, directions: &[(i64, i64)]) -> Vec<NodeId> {
    let Cell { x, y } = grid.cell(node);
    let beside = directions.iter().filter_map(|&(dx, dy)| {
        let x = u32::try_from(i64::from(x) + dx).ok()?;
        let y = u32::try_from(i64::from(y) + dy).ok()?;
        grid.node(Cell::new(x, y))
    });
    beside.collect()
}

/// The distance between two cells on an empty map of the cheapest class: octile, or Manhattan with four neighbors.
pub fn distance_on_empty_map(grid: &Grid, from: NodeId, to: NodeId) -> Cost {
    let [from, to] = [from, to].map(|node| grid.cell(node));
    let plain = match grid.neighbors() {
        Neighbors::Four => 3_766_656 * u64::from(from.x.abs_diff(to.x) + from.y.abs_diff(to.y)),
        Neighbors::Eight => {
            let place = |cell: Cell| (cell.x as i32, cell.y as i32);
            octile(place(from), place(to))
        }
    };
    let multipliers = grid.terrain().map(Terrain::multipliers);
    let cheapest = multipliers.into_iter().flatten().reduce(f64::min).unwrap_or(1.0);
    Cost(plain / 4 * (4.0 * cheapest) as u64)
}

pub(super) fn octile(a: (i32, i32), b: (i32, i32)) -> u64 {
    let (dx, dy) = (u64::from(a.0.abs_diff(b.0)), u64::from(a.1.abs_diff(b.1)));
    5_326_856 * dx.min(dy) + 3_766_656 * dx.abs_diff(dy)
}
