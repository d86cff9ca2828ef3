//! Grids with `serde`: size, rules, and one bit per cell as [`Grid::from_bits`] reads them.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Corners, Grid, Neighbors};

/// The serialized form of a grid.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Grid", deny_unknown_fields)]
struct Stored {
    width: u32,
    height: u32,
    #[serde(default)]
    neighbors: Neighbors,
    #[serde(default)]
    corners: Corners,
    bits: Vec<u64>,
}

impl Serialize for Grid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (neighbors, corners) = (self.neighbors(), self.corners());
        let (width, height, bits) = (self.width(), self.height(), self.to_bits());
        Stored { width, height, neighbors, corners, bits }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Grid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Grid, D::Error> {
        let stored = Stored::deserialize(deserializer)?;
        let grid = Grid::from_bits(stored.width, stored.height, &stored.bits);
        let grid = grid.map_err(D::Error::custom)?;
        Ok(grid.with_neighbors(stored.neighbors).with_corners(stored.corners))
    }
}
