//! Where the maps of the public benchmark are.

use std::path::{Path, PathBuf};

/// The folder `shared/maps` beside the repository, if there is one.
pub fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/maps");
    folder.is_dir().then_some(folder)
}
