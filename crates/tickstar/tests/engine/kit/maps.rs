//! Random maps with a task on them.

use std::fmt;

use tickstar::space::{Corners, Neighbors, Terrain};
use tickstar::{Cell, Cost, Graph, Grid, Layered, NodeId, Space};

use super::oracle::{DIRECTIONS, distance_on_empty_map, octile};
use super::{Oracle, Random};

/// A grid, and a graph, with their hierarchies.
pub type LayeredGrid = Layered<Grid>;
pub type LayeredGraph = Layered<Graph>;

/// A grid with all that agents plan on: its hierarchy and its regions.
pub fn layered(grid: Grid) -> LayeredGrid {
    Layered::new(grid.with_regions()).unwrap()
}

/// A map that can draw itself with a task on it.
pub trait Draw {
    fn draw(&self, start: NodeId, goal: NodeId) -> String;
}

impl Draw for Grid {
    fn draw(&self, start: NodeId, goal: NodeId) -> String {
        let [start, goal] = [start, goal].map(|node| self.cell(node));
        format!("{self:?}from {start} to {goal}")
    }
}

impl<S: Draw> Draw for Layered<S> {
    fn draw(&self, start: NodeId, goal: NodeId) -> String {
        (**self).draw(start, goal)
    }
}

impl Draw for Graph {
    fn draw(&self, start: NodeId, goal: NodeId) -> String {
        format!("{self:?} from {start} to {goal}")
    }
}

/// A map, a task on it, and the oracle's result for it.
#[derive(Clone)]
pub struct Problem<S> {
    pub space: S,
    pub oracle: Oracle,
    pub start: NodeId,
    pub goal: NodeId,
    /// The cost of a cheapest path, if one exists.
    pub optimum: Option<Cost>,
}

impl<S> Problem<S> {
    pub fn new(space: S, oracle: Oracle, start: NodeId, goal: NodeId) -> Problem<S> {
        let optimum = oracle.distance(start, goal);
        Problem { space, oracle, start, goal, optimum }
    }
}

impl<S: Draw> fmt::Debug for Problem<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let task = self.space.draw(self.start, self.goal);
        write!(f, "{task}, cheapest {:?}", self.optimum)
    }
}

impl Problem<LayeredGrid> {
    /// A problem on a hand-drawn map.
    pub fn on(grid: &Grid, start: (u32, u32), goal: (u32, u32)) -> Problem<LayeredGrid> {
        let [start, goal] = [start, goal].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
        let space = layered(grid.clone());
        Problem::new(space, Oracle::of_grid(grid), start, goal)
    }

    pub fn random(random: &mut Random) -> Problem<LayeredGrid> {
        let [width, height] = [(); 2].map(|()| 1 + random.below(24) as u32);
        Problem::random_of_size(random, width, height)
    }

    /// Noise, an empty map, a maze or a comb, with either corner rule, four or eight neighbors, and endpoints that are
    /// not always connected.
    pub fn random_of_size(random: &mut Random, width: u32, height: u32) -> Problem<LayeredGrid> {
        let mut grid = match random.below(8) {
            0 => Grid::new(width, height).unwrap(),
            1 => maze(random, width, height),
            2 => comb(random, width, height),
            _ => noise(random, width, height),
        };
        if random.chance(30) {
            grid = grid.with_neighbors(Neighbors::Four);
        }
        if random.chance(50) {
            grid = grid.with_corners(Corners::Allowed);
        }
        let mut free: Vec<Cell> = grid.free_cells().collect();
        if free.is_empty() {
            free.push(Cell::new(random.below(width.into()) as u32, 0));
            grid.set_free(free[0], true).unwrap();
        }
        let [start, goal] = [(); 2].map(|()| grid.node(random.pick(&free)).unwrap());
        let oracle = Oracle::of_grid(&grid);
        Problem::new(layered(grid), oracle, start, goal)
    }
}

impl Problem<LayeredGrid> {
    /// The same task on a map with terrain: patches, noise or stripes of up to five classes.
    pub fn on_terrain(self, random: &mut Random) -> Problem<LayeredGrid> {
        let most = random.pick(&[4, 9, 40, 397]);
        self.on_terrain_up_to(random, most)
    }

    /// Like [`Problem::on_terrain`], with multipliers up to so many quarters more than one.
    pub fn on_terrain_up_to(self, random: &mut Random, most: u64) -> Problem<LayeredGrid> {
        let grid = with_terrain(self.space.into_space(), random, most);
        let oracle = Oracle::of_grid(&grid);
        Problem::new(layered(grid), oracle, self.start, self.goal)
    }

    /// A long path on a map full of dead ends, at most `side` wide and high.
    pub fn hard(random: &mut Random, side: u64) -> Problem<LayeredGrid> {
        let [width, height] = [(); 2].map(|()| (side - random.below(side / 2)) as u32);
        let mut grid = match random.below(4) {
            0 => maze(random, width, height),
            1 => comb(random, width, height),
            2 => pockets(random, width, height),
            _ => noise_of(random, width, height, 25, 45),
        };
        if random.chance(30) {
            grid = grid.with_neighbors(Neighbors::Four);
        }
        if random.chance(50) {
            grid = grid.with_corners(Corners::Allowed);
        }
        let free: Vec<Cell> = grid.free_cells().collect();
        let mut pair = || [(); 2].map(|()| grid.node(random.pick(&free)).unwrap());
        let pairs = [(); 4].map(|()| pair());
        let apart = |&[start, goal]: &[NodeId; 2]| distance_on_empty_map(&grid, start, goal);
        let [start, goal] = pairs.into_iter().max_by_key(apart).expect("four of them");
        let oracle = Oracle::of_grid(&grid);
        Problem::new(layered(grid), oracle, start, goal)
    }
}

/// The same map with random terrain. Multipliers may all be above one, all be the same, or be very different.
pub fn with_terrain(grid: Grid, random: &mut Random, most: u64) -> Grid {
    let classes = 1 + random.below(5);
    let quarters: Vec<_> = (0..classes).map(|_| 4 + random.below(most)).collect();
    let multipliers: Vec<_> = quarters.iter().map(|&quarters| quarters as f64 / 4.0).collect();
    let terrain = Terrain::new(&multipliers).unwrap();
    let side = 1 + random.below(6) as u32;
    let mut patches: Vec<u8> = (0..97).map(|_| random.below(classes) as u8).collect();
    if random.chance(20) {
        patches.sort_unstable();
    }
    let noise = random.chance(30);
    let class = |Cell { x, y }| {
        if noise {
            return random.below(classes) as u8;
        }
        patches[((x / side) * 31 + (y / side) * 17) as usize % patches.len()]
    };
    grid.with_terrain(terrain, class).unwrap()
}

/// Ids that are not free cells of the grid: blocked, beyond its end, or otherwise unused.
pub fn invalid_nodes(grid: &Grid) -> Vec<NodeId> {
    let free: Vec<_> = grid.free_cells().map(|cell| grid.node(cell).unwrap()).collect();
    let ids = (0..grid.size() as u32 + 40).chain([u32::MAX - 1, u32::MAX]).map(NodeId);
    ids.filter(|node| !free.contains(node)).collect()
}

fn noise(random: &mut Random, width: u32, height: u32) -> Grid {
    noise_of(random, width, height, 0, 61)
}

/// At least `least` percent of the cells are blocked, and fewer than `most`.
fn noise_of(random: &mut Random, width: u32, height: u32, least: u64, most: u64) -> Grid {
    let density = least + random.below(most - least);
    let mut grid = Grid::new(width, height).unwrap();
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        grid.set_free(Cell::new(x, y), !random.chance(density)).unwrap();
    }
    grid
}

/// Corridors dug from the top left, with a few walls broken.
fn maze(random: &mut Random, width: u32, height: u32) -> Grid {
    let mut grid = Grid::new_blocked(width, height).unwrap();
    let mut dig = |x, y| grid.set_free(Cell::new(x, y), true).unwrap();
    dig(0, 0);
    let mut branch = vec![(0, 0)];
    while let Some(&(x, y)) = branch.last() {
        let (dx, dy) = random.pick(&DIRECTIONS[..4]);
        let (to_x, to_y) = (i64::from(x) + 2 * dx, i64::from(y) + 2 * dy);
        let inside =
            (0..i64::from(width)).contains(&to_x) && (0..i64::from(height)).contains(&to_y);
        if inside && dig(to_x as u32, to_y as u32) {
            dig((i64::from(x) + dx) as u32, (i64::from(y) + dy) as u32);
            branch.push((to_x as u32, to_y as u32));
        } else if random.chance(20) {
            branch.pop();
        }
    }
    for _ in 0..random.below(6) {
        dig(random.below(width.into()) as u32, random.below(height.into()) as u32);
    }
    grid
}

/// Walls with one gap each, mostly at the far end: the heuristic is misleading.
fn comb(random: &mut Random, width: u32, height: u32) -> Grid {
    let mut grid = Grid::new(width, height).unwrap();
    for y in (1..height).step_by(2) {
        let end = if y % 4 == 1 { width - 1 } else { 0 };
        let gap = if random.chance(80) { end } else { random.below(width.into()) as u32 };
        for x in (0..width).filter(|&x| x != gap) {
            grid.set_free(Cell::new(x, y), false).unwrap();
        }
    }
    grid
}

/// Rooms with three walls, open to any side, that may overlap.
fn pockets(random: &mut Random, width: u32, height: u32) -> Grid {
    let mut grid = Grid::new(width, height).unwrap();
    for _ in 0..=random.below(6) {
        let [x, y] = [width, height].map(|side| random.below(side.into()) as u32);
        let [wide, high] = [width, height].map(|side| 2 + random.below(side.into()) as u32 / 2);
        let open = random.below(4);
        let (right, bottom) = (x + wide, y + high);
        for along in 0..=wide.max(high) {
            let (across, down) = ((x + along).min(right), (y + along).min(bottom));
            let walls = [(across, y), (right, down), (across, bottom), (x, down)];
            for (_, (x, y)) in (0..).zip(walls).filter(|&(side, _)| side != open) {
                let _ = grid.set_free(Cell::new(x, y), false); // unless it is outside the map
            }
        }
    }
    // At least one free cell.
    grid.set_free(Cell::new(width / 2, height / 2), true).unwrap();
    grid
}

/// The kind of a random graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Undirected,
    /// Undirected, with a heuristic from positions.
    Positioned,
    Directed,
}

impl Problem<LayeredGraph> {
    pub fn random(random: &mut Random, kind: Kind) -> Problem<LayeredGraph> {
        let nodes = 1 + random.below(40);
        Problem::random_of(random, kind, nodes, 20)
    }

    /// A graph with the given number of nodes; positions lie in a square with the given side.
    pub fn random_of(
        random: &mut Random,
        kind: Kind,
        nodes: u64,
        side: u64,
    ) -> Problem<LayeredGraph> {
        let positions: Vec<_> =
            (0..nodes).map(|_| [(); 2].map(|()| random.below(side) as i32 - 10).into()).collect();
        // Small costs create ties; a hub has more neighbors than any cell.
        let dearest = random.pick(&[1, 3, 1000, 4_000_000_000]);
        let hub = random.chance(30).then(|| random.below(nodes));
        let count = random.below(3 * nodes + 1);
        let directed = kind == Kind::Directed;
        let list: Vec<_> = (0..count)
            .map(|_| {
                let [from, to] = [(); 2].map(|()| random.below(nodes) as usize);
                let from = hub.filter(|_| random.chance(40)).map_or(from, |hub| hub as usize);
                let least = match kind {
                    Kind::Positioned => octile(positions[from], positions[to]),
                    _ => 0,
                };
                let cost = Cost((least + random.below(dearest)).max(1));
                (NodeId(from as u32), NodeId(to as u32), cost)
            })
            .collect();
        let oracle = Oracle::of_edges(nodes as usize, &list, directed);
        let mut graph = if directed {
            Graph::directed(nodes as usize, list).unwrap()
        } else {
            Graph::undirected(nodes as usize, list).unwrap()
        };
        if kind == Kind::Positioned {
            graph = graph.with_positions(positions).unwrap();
        }
        let [start, goal] = [(); 2].map(|()| NodeId(random.below(nodes) as u32));
        let graph = Layered::new(graph.clone()).unwrap_or_else(|_| Layered::flat(graph));
        Problem::new(graph, oracle, start, goal)
    }
}
