//! What the tests on the public benchmark's maps have in common.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

/// The folder with the benchmark's maps. Tests that read it carry the attribute
/// `#[cfg_attr(not(benchmark_maps), ignore = "…")]`, so that they are reported as ignored where it
/// is absent.
pub fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared")
}

/// A list of problems of this repository.
#[allow(dead_code)]
pub fn list(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems").join(name)
}

/// Applies `work` to every item on all processors. The results are in the order of the items.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    items.par_iter().map(work).collect()
}
