//! Ctrl-C: runs stop, and what is done is kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::SIGINT;
use signal_hook::flag;

/// The exit code of a command that was stopped.
pub const STOPPED: u8 = 130;

/// Watches for Ctrl-C. Before the runs begin there is nothing to keep, and it ends the program; then it stops
/// the runs, and a second one ends the program.
pub struct Interrupt {
    idle: Arc<AtomicBool>,
    stop: Arc<AtomicBool>,
}

impl Interrupt {
    pub fn watch() -> Interrupt {
        let (idle, stop) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicBool::new(false)));
        let code = i32::from(STOPPED);
        // In this order, so that the first Ctrl-C does not count as the second. Where the system refuses, Ctrl-C
        // ends the program as usual.
        let _ = flag::register_conditional_shutdown(SIGINT, code, idle.clone())
            .and_then(|_| flag::register_conditional_shutdown(SIGINT, code, stop.clone()))
            .and_then(|_| flag::register(SIGINT, stop.clone()));
        Interrupt { idle, stop }
    }

    /// The runs begin: they end when this is set.
    pub fn begin(&self) -> &Arc<AtomicBool> {
        self.idle.store(false, Ordering::SeqCst);
        &self.stop
    }
}
