//! A fuzzer of crowds, for long runs:
//! `TICKSTAR_FUZZ_SECONDS=1800 cargo test --release -p tickstar-lab --test crowd_fuzz -- --ignored --nocapture`.
//!
//! Each run has a seed, which is printed if it fails; `TICKSTAR_FUZZ_SEED=17` repeats that run alone. With
//! `TICKSTAR_FUZZ_THREADS` there are more or fewer than two threads.

#[path = "../../../tickstar/tests/engine/crowd/driver.rs"]
mod driver;
mod runs;

use std::panic::catch_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use runs::{Report, run};

/// Runs that take longer are reported.
const LONG: Duration = Duration::from_secs(60);

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a whole number"))
}

#[test]
#[ignore = "runs for as long as TICKSTAR_FUZZ_SECONDS says"]
fn fuzz() {
    if let Some(seed) = number("TICKSTAR_FUZZ_SEED") {
        return println!("{:?}", run(seed));
    }
    let end = Instant::now() + Duration::from_secs(number("TICKSTAR_FUZZ_SECONDS").unwrap_or(60));
    let next = AtomicU64::new(number("TICKSTAR_FUZZ_FIRST").unwrap_or(0));
    let totals = Mutex::new((Report::default(), 0_u64, Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..number("TICKSTAR_FUZZ_THREADS").unwrap_or(2) {
            scope.spawn(|| {
                while Instant::now() < end {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    let begin = Instant::now();
                    let done = catch_unwind(|| run(seed));
                    if begin.elapsed() > LONG {
                        eprintln!("seed {seed} took {} s: {done:?}", begin.elapsed().as_secs());
                    }
                    let mut totals = totals.lock().expect("no thread panics with it");
                    totals.1 += 1;
                    if let Ok(report) = done {
                        totals.0.add(&report);
                    } else {
                        eprintln!("TICKSTAR_FUZZ_SEED={seed} fails");
                        totals.2.push(seed);
                    }
                }
            });
        }
    });
    let (total, runs, failed) = totals.into_inner().expect("all threads have ended");
    println!("{runs} runs, {} frames, {} arrivals", total.frames, total.arrivals);
    assert!(failed.is_empty(), "seeds that fail: {failed:?}");
}

#[test]
fn some_runs() {
    let mut total = Report::default();
    for seed in 0..50 {
        let done = catch_unwind(|| run(seed));
        let Ok(report) = done else { panic!("TICKSTAR_FUZZ_SEED={seed} fails") };
        total.add(&report);
    }
    assert!(total.arrivals > 500 && total.told > 20, "{total:?}");
}
