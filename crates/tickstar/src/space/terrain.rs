//! Terrain: cells of a grid that cost more to cross than others.
//!
//! Each cell has a class, and each class a multiplier. A step costs the mean of the multipliers of both its cells, times
//! its length. Multipliers are whole numbers of quarters, so the mean of two is a whole number of eighths, and a step is
//! made of eight parts (see [`Cost`]): every step is exact, and a search needs one multiplication and no rounding.

use std::fmt;

use thiserror::Error;

use super::{Cell, Grid, GridError};
use crate::cost::PARTS;
use crate::{Cost, NodeId};

/// The maximum number of classes: each has a letter in the text format.
pub(super) const MAX_CLASSES: usize = 64;
/// The largest multiplier. The most expensive step then costs less than 2^32 by far, as every edge must.
const MAX_MULTIPLIER: u16 = 100;
/// The quarters of plain ground.
const PLAIN: u16 = 4;

/// The classes of terrain of a [`Grid`], each with a multiplier: 1 is plain ground, and to cross a cell of multiplier 3
/// costs three times as much.
///
/// Multipliers are from 1 to 100 in steps of 0.25, so that all costs stay exact. There are at most 64 classes.
///
/// ```
/// use tickstar::{Cell, Grid, find_path, space::Terrain};
/// let terrain = Terrain::new(&[1.0, 9.0])?; // class 0 is road, class 1 is swamp
/// let swamp = |cell: Cell| u8::from(cell.x == 2 && cell.y < 2);
/// let mut grid = Grid::new(5, 3)?.with_terrain(terrain, swamp)?;
/// let [from, to] = [(0, 0), (4, 0)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
/// let around = find_path(&grid, from, to, Default::default())?.expect("a path exists");
/// assert!(around.nodes.iter().all(|&node| grid.class(grid.cell(node)) == Some(0)));
/// grid.set_class(Cell::new(2, 0), 0)?; // a bridge
/// let across = find_path(&grid, from, to, Default::default())?.expect("a path exists");
/// assert_eq!(across.cost.in_cells(), 4.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Terrain {
    /// The multiplier of each class, in quarters.
    quarters: Vec<u16>,
}

/// Why a list of multipliers is not a [`Terrain`].
#[derive(Clone, PartialEq, Debug, Error)]
#[non_exhaustive]
pub enum TerrainError {
    /// There are no classes, or too many.
    #[error("terrain has 1 to {MAX_CLASSES} classes, not {0}")]
    Count(usize),
    /// A multiplier cannot be used.
    #[error(
        "class {class} of the terrain has the multiplier {multiplier}: multipliers are from 1 to {MAX_MULTIPLIER}, \
         in steps of 0.25"
    )]
    Multiplier {
        /// The class.
        class: usize,
        /// Its multiplier.
        multiplier: f64,
    },
}

impl Terrain {
    /// The classes 0, 1, 2, … with these multipliers.
    ///
    /// # Errors
    /// If there is no class or more than 64, or a multiplier is not one of 1, 1.25, 1.5, … 100.
    pub fn new(multipliers: &[f64]) -> Result<Terrain, TerrainError> {
        if !(1..=MAX_CLASSES).contains(&multipliers.len()) {
            return Err(TerrainError::Count(multipliers.len()));
        }
        let quarters = multipliers.iter().enumerate().map(|(class, &multiplier)| {
            let quarters = multiplier * f64::from(PLAIN);
            let allowed = (1.0..=f64::from(MAX_MULTIPLIER)).contains(&multiplier);
            if !allowed || quarters.fract() != 0.0 {
                return Err(TerrainError::Multiplier { class, multiplier });
            }
            Ok(quarters as u16)
        });
        Ok(Terrain { quarters: quarters.collect::<Result<_, _>>()? })
    }

    /// The multiplier of each class.
    pub fn multipliers(&self) -> impl ExactSizeIterator<Item = f64> + '_ {
        self.quarters.iter().map(|&quarters| f64::from(quarters) / f64::from(PLAIN))
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.quarters.len()
    }

    /// The multiplier of a class, if there is such a class.
    pub fn multiplier(&self, class: u8) -> Option<f64> {
        self.multipliers().nth(class.into())
    }
}

impl fmt::Debug for Terrain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.multipliers()).finish()
    }
}

/// The terrain of a grid: the class of each cell, blocked or not.
#[derive(Clone)]
pub(super) struct Ground {
    terrain: Terrain,
    /// By the id of the cell.
    classes: Vec<u8>,
    /// The quarters of each class, in an array that needs no bounds checks.
    quarters: [u16; MAX_CLASSES],
    cheapest: u16,
    dearest: u16,
}

impl Ground {
    /// Ground for this many ids, all of class 0.
    fn new(terrain: Terrain, ids: usize) -> Ground {
        let mut quarters = [PLAIN; MAX_CLASSES];
        quarters[..terrain.classes()].copy_from_slice(&terrain.quarters);
        let cheapest = terrain.quarters.iter().copied().min().unwrap_or(PLAIN);
        let dearest = terrain.quarters.iter().copied().max().unwrap_or(PLAIN);
        Ground { terrain, classes: vec![0; ids], quarters, cheapest, dearest }
    }

    /// The multiplier of a cell, in quarters.
    #[inline]
    pub fn quarters(&self, node: NodeId) -> u16 {
        self.quarters[usize::from(self.classes[node.index()]) % MAX_CLASSES]
    }

    /// The cost of a step between two cells, given the cost on plain ground.
    #[inline]
    pub fn step(&self, plain: Cost, from: NodeId, to: NodeId) -> Cost {
        Cost(plain.0 / PARTS * u64::from(self.quarters(from) + self.quarters(to)))
    }

    /// The cost of a path on the cheapest class, given its cost on plain ground: a lower bound on any terrain.
    #[inline]
    pub fn at_least(&self, plain: Cost) -> Cost {
        Cost(plain.0 / u64::from(PLAIN) * u64::from(self.cheapest))
    }

    /// The cost of a step on the dearest class, given its cost on plain ground.
    pub fn at_most(&self, plain: Cost) -> Cost {
        Cost(plain.0 / u64::from(PLAIN) * u64::from(self.dearest))
    }

    /// The multipliers of the cheapest and the dearest class, in quarters.
    pub fn range(&self) -> (u16, u16) {
        (self.cheapest, self.dearest)
    }

    /// Returns an error for a class that is not in the table.
    fn check(&self, cell: Cell, class: u8) -> Result<(), GridError> {
        let classes = self.terrain.classes();
        let known = usize::from(class) < classes;
        if known { Ok(()) } else { Err(GridError::Class { cell, class, classes }) }
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        self.classes.capacity() + self.terrain.quarters.capacity() * size_of::<u16>()
    }
}

impl Grid {
    /// The same map with terrain: `class` returns the class of each cell, blocked or not; it is called row by row.
    ///
    /// Searches then find the cheapest paths: a step costs the mean of both cells' multipliers times its length.
    /// Heuristics assume the cheapest class of the table, so they are better if its smallest multiplier is in use.
    ///
    /// # Errors
    /// If a class is not in the table.
    pub fn with_terrain(
        mut self,
        terrain: Terrain,
        mut class: impl FnMut(Cell) -> u8,
    ) -> Result<Grid, GridError> {
        let mut ground = Ground::new(terrain, crate::Space::size(&self));
        for y in 0..self.height() {
            for x in 0..self.width() {
                let cell = Cell { x, y };
                let class = class(cell);
                ground.check(cell, class)?;
                ground.classes[self.id(cell).index()] = class;
            }
        }
        self.ground = Some(Box::new(ground));
        Ok(self.rebuild_regions())
    }

    /// The same map with plain ground everywhere.
    #[must_use]
    pub fn without_terrain(mut self) -> Grid {
        self.ground = None;
        self.rebuild_regions()
    }

    /// The classes of terrain and their multipliers, if the map has terrain.
    pub fn terrain(&self) -> Option<&Terrain> {
        self.ground.as_ref().map(|ground| &ground.terrain)
    }

    /// The class of a cell, blocked or not: `None` if the map has no terrain, or the cell is not on it.
    pub fn class(&self, cell: Cell) -> Option<u8> {
        let node = self.node(cell)?;
        self.ground.as_ref().map(|ground| ground.classes[node.index()])
    }

    /// The class of every cell, blocked or not, row by row: as many as the map has cells, or none if it has no terrain.
    pub fn classes(&self) -> impl Iterator<Item = u8> + '_ {
        let all = (0..self.height()).flat_map(|y| (0..self.width()).map(move |x| Cell { x, y }));
        all.filter_map(|cell| self.class(cell))
    }

    /// The multiplier of a cell, blocked or not: 1 without terrain and outside the map.
    pub fn multiplier(&self, cell: Cell) -> f64 {
        let quarters = self.node(cell).map_or(PLAIN, |node| self.quarters_of(node));
        f64::from(quarters) / f64::from(PLAIN)
    }

    /// Changes the class of a cell, blocked or not; returns whether that changed it.
    ///
    /// Report the change to agents that walk on the map like that of a blocked cell: see [`Seen`](crate::Seen).
    ///
    /// # Errors
    /// If the cell is outside the map, the map has no terrain, or the class is not in its table.
    pub fn set_class(&mut self, cell: Cell, class: u8) -> Result<bool, GridError> {
        self.check_class(cell, class)?;
        let node = self.id(cell);
        let ground = self.ground.as_mut().ok_or(GridError::NoTerrain { cell })?;
        let before = std::mem::replace(&mut ground.classes[node.index()], class);
        if before != class {
            self.update_regions(&[cell]);
        }
        Ok(before != class)
    }

    /// Returns an error if a class cannot be given to a cell.
    pub(super) fn check_class(&self, cell: Cell, class: u8) -> Result<(), GridError> {
        self.check(cell)?;
        let ground = self.ground.as_ref().ok_or(GridError::NoTerrain { cell })?;
        ground.check(cell, class)
    }

    /// The multiplier of a cell on the map, in quarters.
    #[inline]
    pub(super) fn quarters_of(&self, node: NodeId) -> u16 {
        self.ground.as_ref().map_or(PLAIN, |ground| ground.quarters(node))
    }
}
