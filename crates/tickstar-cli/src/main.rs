//! The command line of tickstar: run, compare and draw real-time searches.
//!
//! Exit codes: 0 ran, 2 wrong usage, 3 bad input. One file per subcommand.

mod abstraction;
mod algorithms;
mod compare;
mod contestants;
mod draw;
mod failure;
mod maps;
mod run;
mod source;

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tickstar_lab::text;

/// Real-time pathfinding: act every tick, never think past the budget, still arrive.
#[derive(Parser)]
#[command(
    name = "tickstar",
    version,
    max_term_width = 100,
    after_help = "Try:\n  \
        tickstar compare                       what acting at once is worth, on built-in maps\n  \
        tickstar draw                          a picture of one run, as tickstar.png\n  \
        tickstar run --map builtin:caves-128 --algorithm tba --budget 50\n  \
        tickstar abstraction draw              the same map at many scales, as abstraction.png\n  \
        tickstar algorithms                    the algorithms and their guarantees\n\n\
        Exit codes: 0 ran, 2 wrong usage, 3 bad input."
)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Run),
    Compare(compare::Compare),
    Algorithms(algorithms::Algorithms),
    Draw(draw::Draw),
    #[command(subcommand)]
    Abstraction(abstraction::Abstraction),
    #[command(subcommand)]
    Maps(maps::Maps),
}

/// The arguments. Where they are wrong they are parsed once more as quoted, for an error that quotes them so.
fn parse() -> Args {
    Args::try_parse().unwrap_or_else(|error| {
        let mut arguments = std::env::args_os();
        let program = arguments.next().unwrap_or_default();
        let arguments = arguments.map(|argument| quoted(&argument));
        Args::try_parse_from([program].into_iter().chain(arguments)).err().unwrap_or(error).exit()
    })
}

/// An argument as messages may show it. In a list each item may be as long as one quoted text.
fn quoted(argument: &OsStr) -> OsString {
    let argument = argument.to_string_lossy();
    argument.split(',').map(text::quoted).collect::<Vec<_>>().join(",").into()
}

fn main() -> ExitCode {
    let result = match parse().command {
        Command::Run(run) => run.execute(),
        Command::Compare(compare) => compare.execute(),
        Command::Algorithms(algorithms) => algorithms.execute(),
        Command::Draw(draw) => draw.execute(),
        Command::Abstraction(abstraction) => abstraction.execute(),
        Command::Maps(maps) => maps.execute(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
