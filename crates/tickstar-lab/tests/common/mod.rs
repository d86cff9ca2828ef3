//! What the tests on the public benchmark's maps share.

use std::path::{Path, PathBuf};
use std::thread;

/// The folder with the maps and problems; prints a message if there is none.
pub fn shared() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    if folder.is_dir() {
        return Some(folder);
    }
    // Straight to standard error: the test runner keeps what `println!` prints to itself.
    let message = "skipped: no shared maps beside the repository\n";
    std::io::Write::write_all(&mut std::io::stderr(), message.as_bytes()).ok();
    None
}

/// Maps items in parallel and keeps their order.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = items.len().div_ceil(threads).max(1);
    let work = &work;
    thread::scope(|scope| {
        let run = |part: &'_ [T]| part.iter().map(work).collect::<Vec<R>>();
        let parts: Vec<_> =
            items.chunks(share).map(|part| scope.spawn(move || run(part))).collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    })
}
