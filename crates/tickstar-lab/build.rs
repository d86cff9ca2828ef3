//! Sets the cfg `benchmark_maps` if the folder `shared/maps` lies beside the repository. Tests that need it are
//! ignored, and reported as such, where the cfg is not set.
//!
//! An absent folder is not watched, because Cargo takes a missing file for a changed one and would
//! compile the crate anew on every call. If it is added later, a test in `tests/digests.rs` fails
//! and says what to do.

use std::path::Path;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(benchmark_maps)");
    println!("cargo::rerun-if-changed=build.rs");
    let folder = "../../../shared/maps";
    if Path::new(folder).is_dir() {
        println!("cargo::rustc-cfg=benchmark_maps");
        println!("cargo::rerun-if-changed={folder}");
    }
}
