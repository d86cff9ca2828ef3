//! The maps of the public benchmark (N. Sturtevant, *Benchmarks for Grid-Based Pathfinding*, 2012).

/// A line per map: its folder, its file, its width and height, and the SHA-256 of the map and of its scenario file,
/// or `-` where that is not known.
pub const LIST: &str = include_str!("../maps/benchmark.tsv");

/// The names of the maps in a folder, without their kind of file.
pub(crate) fn names(folder: &str) -> Vec<&'static str> {
    let fields = LIST.lines().filter_map(|line| line.split_once('\t'));
    let here = fields.filter(|(kind, _)| *kind == folder);
    here.filter_map(|(_, rest)| rest.split('\t').next()?.strip_suffix(".map")).collect()
}

/// The SHA-256 that the map of this file name should have, if it is one of the benchmark's.
pub fn hash_of(file: &str) -> Option<&'static str> {
    let lines = LIST.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    lines.filter(|fields| fields.get(1) == Some(&file)).find_map(|fields| fields.get(4).copied())
}
