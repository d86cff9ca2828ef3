//! Sets the cfg `benchmark_maps` if the folders `shared/maps` and `shared/problems` lie beside the
//! repository. Tests that need them are ignored, and reported as such, where the cfg is not set.
//!
//! Absent folders are not watched, because Cargo takes a missing file for a changed one and would
//! compile the crate anew on every call. If they are added later, a test in `tests/digests.rs` fails
//! and says what to do.

use std::path::Path;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(benchmark_maps)");
    println!("cargo::rerun-if-changed=build.rs");
    let folders = ["../../../shared/maps", "../../../shared/problems"];
    if folders.iter().all(|folder| Path::new(folder).is_dir()) {
        println!("cargo::rustc-cfg=benchmark_maps");
        for folder in folders {
            println!("cargo::rerun-if-changed={folder}");
        }
    }
}
