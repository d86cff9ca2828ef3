//! What is written with `serde` is read again; what makes no sense is refused.

use serde_json::{Value, from_str, from_value, json, to_string, to_value};
use tickstar::space::{Corners, Neighbors, Terrain};
use tickstar::{Cell, Cost, Grid, NodeId};

#[test]
fn a_grid_is_what_it_was() {
    for neighbors in [Neighbors::Four, Neighbors::Eight] {
        for corners in [Corners::Never, Corners::Allowed] {
            let grid = Grid::from_fn(67, 9, |cell| (cell.x * 3 + cell.y * 5) % 7 != 2).unwrap();
            let grid = grid.with_neighbors(neighbors).with_corners(corners);
            let read: Grid = from_str(&to_string(&grid).unwrap()).unwrap();
            assert!(read.to_rows().eq(grid.to_rows()));
            assert_eq!((read.width(), read.height()), (67, 9));
            assert_eq!((read.neighbors(), read.corners()), (neighbors, corners));
        }
    }
}

#[test]
fn terrain_is_what_it_was() {
    let terrain = Terrain::new(&[1.0, 2.25, 100.0]).unwrap();
    let grid = Grid::from_fn(67, 9, |cell| (cell.x * 3 + cell.y * 5) % 7 != 2).unwrap();
    let grid = grid.with_terrain(terrain, |cell| ((cell.x + cell.y) % 3) as u8).unwrap();
    let read: Grid = from_str(&to_string(&grid).unwrap()).unwrap();
    assert_eq!(read.to_map(), grid.to_map());
    assert_eq!(read.terrain(), grid.terrain());
    assert!(read.classes().eq(grid.classes()), "also under blocked cells");
}

#[test]
fn the_format_is_plain() {
    let grid = Grid::from_rows([".#.", "..#"]).unwrap();
    let stored = json!({
        "width": 3, "height": 2, "neighbors": "eight", "corners": "never", "bits": [0b011_101],
    });
    assert_eq!(to_value(&grid).unwrap(), stored);
    assert_eq!(
        to_value((NodeId(7), Cost(9), Cell::new(1, 2))).unwrap(),
        json!([7, 9, {"x": 1, "y": 2}])
    );
    assert_eq!(from_value::<(NodeId, Cost)>(json!([7, 9])).unwrap(), (NodeId(7), Cost(9)));
    let short: Grid = from_value(json!({"width": 1, "height": 1, "bits": [1]})).unwrap();
    assert_eq!((short.neighbors(), short.corners()), (Neighbors::Eight, Corners::Never));
}

fn with_terrain(multipliers: &Value, classes: &Value) -> Value {
    let terrain = json!({"multipliers": multipliers, "classes": classes});
    json!({"width": 1, "height": 1, "bits": [1], "terrain": terrain})
}

#[test]
fn grids_that_cannot_be_are_refused() {
    for (stored, named) in [
        (json!({"width": 3, "height": 2, "bits": []}), "0 words for a map of 3 by 2"),
        (json!({"width": 65_528, "height": 65_528, "bits": [1]}), "1 words for a map"),
        (json!({"width": 0, "height": 2, "bits": []}), "cannot create"),
        (json!({"width": 70_000, "height": 70_000, "bits": [0]}), "cannot create"),
        (json!({"width": -1, "height": 2, "bits": []}), "invalid value"),
        (json!({"width": 1, "height": 1, "bits": [1], "corners": "cut"}), "unknown variant"),
        (json!({"width": 1, "height": 1, "bits": [1], "depth": 1}), "unknown field"),
        (with_terrain(&json!([0.5]), &json!([0])), "class 0 of the terrain has the multiplier 0.5"),
        (with_terrain(&json!([]), &json!([0])), "terrain has 1 to 64 classes, not 0"),
        (with_terrain(&json!([1.0]), &json!([1])), "cell (0, 0) cannot have class 1"),
        (with_terrain(&json!([1.0]), &json!([])), "0 classes for a map of 1 by 1 cells"),
        (with_terrain(&json!([1.0]), &json!([256])), "invalid value"),
    ] {
        let error = from_value::<Grid>(stored).unwrap_err().to_string();
        assert!(error.contains(named), "{error}");
    }
}
