//! The terrain of a map in a picture: a shade over the cells that cost more to cross than the cheapest.

use tickstar::Grid;

use super::cells::Runs;
use super::{Page, Point, Px};

/// The shade, and its opacity on the most expensive cells.
const SHADE: &str = "#5b3716";
const DARKEST: f64 = 0.4;
/// The steps of the sample in the legend.
const STEPS: u32 = 4;

/// Draws the terrain below walls and fog, and over searched cells, which show through.
pub(super) fn draw_terrain(page: &mut Page, grid: &Grid) {
    let Some(terrain) = grid.terrain() else { return };
    let multipliers: Vec<f64> = terrain.multipliers().collect();
    let mut levels = multipliers.clone();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    page.add(format_args!("<g id=\"terrain\" fill=\"{SHADE}\">\n"));
    for (level, &multiplier) in levels.iter().enumerate().skip(1) {
        let mut runs = Runs::default();
        for cell in grid.free_cells() {
            let class = usize::from(grid.class(cell).unwrap_or(0));
            if multipliers[class].total_cmp(&multiplier).is_eq() {
                runs.push(cell.x, cell.y);
            }
        }
        let path = runs.finish();
        if !path.is_empty() {
            let opacity = opacity(level, levels.len() - 1);
            page.add(format_args!("<path fill-opacity=\"{opacity}\" d=\"{path}\"/>\n"));
        }
    }
    page.add(format_args!("</g>\n"));
}

/// The sample in the legend: from the cheapest to the most expensive.
pub(super) fn draw_terrain_sample(page: &mut Page, middle: Point, width: f64, height: f64) {
    page.add(format_args!("<g fill=\"{SHADE}\" shape-rendering=\"crispEdges\">\n"));
    let step = width / f64::from(STEPS);
    for i in 0..STEPS {
        page.add(format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill-opacity=\"{}\"/>\n",
            Px(middle.x - width / 2.0 + step * f64::from(i)),
            Px(middle.y - height / 2.0),
            Px(step),
            Px(height),
            opacity(i as usize + 1, STEPS as usize)
        ));
    }
    page.add(format_args!("</g>\n"));
}

/// The opacity of a level of terrain.
fn opacity(level: usize, last: usize) -> Px {
    Px(DARKEST * level as f64 / last.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use tickstar::space::Terrain;

    use super::super::map_svg;
    use super::*;

    #[test]
    fn cells_are_darker_the_more_they_cost() {
        let plain = Grid::from_rows(["....", "#..."]).unwrap();
        assert!(!map_svg(&plain, 8).contains("terrain"));
        // The order of the classes does not matter, and those of equal cost look the same.
        let terrain = Terrain::new(&[5.0, 1.0, 2.0, 2.0]).unwrap();
        let grid = plain.with_terrain(terrain, |cell| cell.x as u8).unwrap();
        let svg = map_svg(&grid, 8);
        let (_, group) = svg.split_once("<g id=\"terrain\"").unwrap();
        let (group, _) = group.split_once("</g>").unwrap();
        let paths: Vec<_> = group.lines().filter(|line| line.starts_with("<path")).collect();
        let expected = [
            "<path fill-opacity=\"0.2\" d=\"M2 0h2v1h-2zM2 1h2v1h-2z\"/>",
            "<path fill-opacity=\"0.4\" d=\"M0 0h1v1h-1z\"/>",
        ];
        assert_eq!(paths, expected, "not the wall");
    }
}
