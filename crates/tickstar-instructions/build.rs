//! Sets the cfg `valgrind` if it can be run, and the environment variable `TICKSTAR_RUSTC` to the compiler's version and
//! the machine it is for.

use std::process::Command;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(valgrind)");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PATH");
    let has = Command::new("valgrind").arg("--version").output();
    if has.is_ok_and(|output| output.status.success()) {
        println!("cargo::rustc-cfg=valgrind");
    }
    let variable = |name| std::env::var(name).unwrap_or_default();
    let version = Command::new(variable("RUSTC")).arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let version = version.unwrap_or_default();
    // `rustc 1.95.0 (…)`
    let number = version.split_whitespace().nth(1).unwrap_or("unknown");
    println!("cargo::rustc-env=TICKSTAR_RUSTC=rustc {number} {}", variable("TARGET"));
}
