//! Grids with `serde`: size, rules, and one bit per cell as [`Grid::from_bits`] reads them; with terrain, also the
//! multipliers, and one class per cell, row by row.

use serde::de::Error as _;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Cell, Corners, Grid, Neighbors, Terrain};

/// The serialized form of a grid.
#[derive(Deserialize)]
#[serde(rename = "Grid", deny_unknown_fields)]
struct Stored {
    width: u32,
    height: u32,
    #[serde(default)]
    neighbors: Neighbors,
    #[serde(default)]
    corners: Corners,
    bits: Vec<u64>,
    #[serde(default)]
    terrain: Option<StoredTerrain>,
}

/// The serialized form of a grid's terrain.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Terrain", deny_unknown_fields)]
struct StoredTerrain {
    multipliers: Vec<f64>,
    classes: Vec<u8>,
}

impl Serialize for Grid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (neighbors, corners) = (self.neighbors(), self.corners());
        let (width, height, bits) = (self.width(), self.height(), self.to_bits());
        let terrain = self.terrain().map(|terrain| StoredTerrain {
            multipliers: terrain.multipliers().collect(),
            classes: self.classes().collect(),
        });
        // Text names its fields, so that of a map without terrain is as before there was any; binary formats need all.
        let has_terrain = terrain.is_some() || !serializer.is_human_readable();
        let mut stored = serializer.serialize_struct("Grid", 5 + usize::from(has_terrain))?;
        stored.serialize_field("width", &width)?;
        stored.serialize_field("height", &height)?;
        stored.serialize_field("neighbors", &neighbors)?;
        stored.serialize_field("corners", &corners)?;
        stored.serialize_field("bits", &bits)?;
        if has_terrain {
            stored.serialize_field("terrain", &terrain)?;
        }
        stored.end()
    }
}

impl<'de> Deserialize<'de> for Grid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Grid, D::Error> {
        let stored = Stored::deserialize(deserializer)?;
        let grid = Grid::from_bits(stored.width, stored.height, &stored.bits);
        let grid = grid.map_err(D::Error::custom)?;
        let grid = grid.with_neighbors(stored.neighbors).with_corners(stored.corners);
        let Some(StoredTerrain { multipliers, classes }) = stored.terrain else { return Ok(grid) };
        let terrain = Terrain::new(&multipliers).map_err(D::Error::custom)?;
        let (width, height) = (grid.width(), grid.height());
        let cells = u64::from(width) * u64::from(height);
        Grid::check_length(width, height, "classes", cells, classes.len())
            .map_err(D::Error::custom)?;
        let class = |Cell { x, y }| classes[y as usize * width as usize + x as usize];
        grid.with_terrain(terrain, class).map_err(D::Error::custom)
    }
}
