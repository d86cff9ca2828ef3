//! Sets the cfg `benchmark_maps` if the folder `shared/maps` lies beside the repository, as in `tickstar-lab`: tests that
//! need it are ignored, and reported as such, where the cfg is not set. An absent folder is not watched, because Cargo
//! takes a missing file for a changed one.

use std::path::Path;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(benchmark_maps)");
    println!("cargo::rerun-if-changed=build.rs");
    // A new file of the page is embedded, too.
    println!("cargo::rerun-if-changed=assets");
    let folder = "../../../shared/maps";
    if Path::new(folder).is_dir() {
        println!("cargo::rustc-cfg=benchmark_maps");
        println!("cargo::rerun-if-changed={folder}");
    }
}
