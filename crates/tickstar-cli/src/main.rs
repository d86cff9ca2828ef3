//! The command line of tickstar: run, compare and draw real-time searches.
//!
//! Exit codes: 0 ran, 2 wrong usage, 3 bad input, 130 stopped by Ctrl-C. One file per subcommand.

mod abstraction;
mod algorithms;
mod bench;
mod compare;
mod contestants;
mod crowd;
mod draw;
mod failure;
mod interrupt;
mod layout;
mod maps;
mod number;
mod output;
mod play;
mod reproduce;
mod run;
mod source;

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};
use tickstar_lab::text;

use failure::Failure;

/// Real-time pathfinding: act every tick, never exceed the budget, still arrive.
#[derive(Parser)]
#[command(
    name = "tickstar",
    version,
    max_term_width = 100,
    after_help = "Try:\n  \
        tickstar compare                       what acting at once is worth, on built-in maps\n  \
        tickstar draw                          a picture of one run, as tickstar.png\n  \
        tickstar run                           ten walks on one map, one by one\n  \
        tickstar play                          agents in the browser, and you draw the walls\n  \
        tickstar crowd                         a thousand agents with one budget per frame\n  \
        tickstar abstraction draw              the same map at many scales, as abstraction.png\n  \
        tickstar algorithms                    the algorithms and their guarantees\n  \
        tickstar reproduce --quick             the experiments of four papers, and a report\n  \
        tickstar bench paths --quick           how fast paths are found, beside other crates\n\n\
        Exit codes: 0 ran, 2 wrong usage, 3 bad input, 130 stopped by Ctrl-C."
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
    Crowd(crowd::CrowdCommand),
    Play(play::Play),
    #[command(subcommand)]
    Abstraction(abstraction::Abstraction),
    #[command(subcommand)]
    Bench(bench::Bench),
    #[command(subcommand)]
    Maps(maps::Maps),
    Reproduce(reproduce::Reproduce),
    Report(reproduce::MakeReport),
}

/// The arguments. Where they are wrong they are parsed once more as quoted, for an error that quotes them so.
fn parse() -> Result<Args, Failure> {
    Args::try_parse().or_else(|error| {
        let mut arguments = std::env::args_os();
        let program = arguments.next().unwrap_or_default();
        let arguments: Vec<_> = arguments.collect();
        let foreign = arguments.iter().find(|argument| argument.to_str().is_none());
        if let (ErrorKind::InvalidUtf8, Some(foreign)) = (error.kind(), foreign) {
            return Err(Failure::usage(
                "this is not UTF-8, which only the name of a file need not be",
            )
            .about(&foreign.to_string_lossy()));
        }
        let arguments = arguments.iter().map(|argument| quoted(argument));
        Args::try_parse_from([program].into_iter().chain(arguments)).err().unwrap_or(error).exit()
    })
}

/// An argument as messages may show it. In a list each item may be as long as one quoted text.
fn quoted(argument: &OsStr) -> OsString {
    let argument = argument.to_string_lossy();
    argument.split(',').map(text::quoted).collect::<Vec<_>>().join(",").into()
}

fn main() -> ExitCode {
    let result = parse().and_then(|Args { command }| match command {
        Command::Run(run) => run.execute(),
        Command::Compare(compare) => compare.execute(),
        Command::Algorithms(algorithms) => algorithms.execute(),
        Command::Draw(draw) => draw.execute(),
        Command::Crowd(crowd) => crowd.execute(),
        Command::Play(play) => play.execute(),
        Command::Abstraction(abstraction) => abstraction.execute(),
        Command::Bench(bench) => bench.execute(),
        Command::Maps(maps) => maps.execute(),
        Command::Reproduce(reproduce) => reproduce.execute(),
        Command::Report(report) => report.execute(),
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// Every command with its name, those of the subcommands included.
    fn commands(command: &clap::Command, name: &str) -> Vec<(String, clap::Command)> {
        let below = command.get_subcommands().flat_map(|below| {
            let name = format!("{name} {}", below.get_name());
            commands(below, &name)
        });
        [(name.to_string(), command.clone())].into_iter().chain(below).collect()
    }

    #[test]
    fn the_definitions_are_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn every_help_has_examples_and_each_can_be_parsed() {
        let commands = commands(&Args::command(), "tickstar");
        assert!(commands.len() > 12);
        for (name, command) in commands {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let examples: Vec<_> =
                help.lines().map(str::trim).filter(|line| line.starts_with("tickstar")).collect();
            assert!(!examples.is_empty(), "{name}: no example in its help");
            for example in examples {
                // A comment stands apart.
                let example = example.split("   ").next().unwrap_or_default();
                assert!(example.starts_with(&name), "{name}: the example `{example}`");
                // It can be copied.
                let shown = command.clone().term_width(100).render_long_help().to_string();
                let is_whole = shown.lines().any(|line| line.trim().starts_with(example));
                assert!(is_whole, "{name}: `{example}` is broken into lines");
                let parsed = Args::try_parse_from(example.split_whitespace());
                assert!(parsed.is_ok(), "{name}: `{example}`: {}", parsed.err().unwrap());
            }
        }
    }

    #[test]
    fn commands_of_the_readme_can_be_parsed() {
        let readme = include_str!("../../../README.md");
        let mut count = 0;
        for line in readme.lines() {
            let run = line.strip_prefix("cargo run --release -p tickstar-cli -- ");
            let Some(rest) = run.or_else(|| line.strip_prefix("tickstar ")) else { continue };
            // Without a comment, and the first of several subcommands.
            let command = rest.split(" #").next().and_then(|rest| rest.split(" |").next());
            let words = ["tickstar"].into_iter().chain(command.unwrap_or("").split_whitespace());
            let parsed = Args::try_parse_from(words);
            assert!(parsed.is_ok(), "`{line}`: {}", parsed.err().unwrap());
            count += 1;
        }
        assert!(count > 10, "{count}");
    }

    /// No number is read by the standard library's parser, whose messages say nothing, and each may be given a
    /// minus sign to be told what is expected.
    #[test]
    fn numbers_are_refused_in_words() {
        for (name, command) in commands(&Args::command(), "tickstar") {
            for argument in command.get_arguments() {
                let kind = argument.get_value_parser().type_id();
                let number = [
                    std::any::TypeId::of::<u64>(),
                    std::any::TypeId::of::<u32>(),
                    std::any::TypeId::of::<usize>(),
                    std::any::TypeId::of::<f64>(),
                ];
                if !number.iter().any(|number| kind == *number) || argument.is_positional() {
                    continue;
                }
                let flag = format!("--{}", argument.get_long().unwrap_or_default());
                let words: Vec<_> = name.split(' ').chain([flag.as_str(), "x1"]).collect();
                let error = Args::try_parse_from(words).err().unwrap().to_string();
                let words: Vec<_> = name.split(' ').chain([flag.as_str(), "-3"]).collect();
                let negative = Args::try_parse_from(words).err().map(|error| error.to_string());
                assert!(!error.contains("invalid digit"), "{name} {flag}: {error}");
                let negative = negative.unwrap_or_default();
                assert!(!negative.contains("unexpected argument"), "{name} {flag}: {negative}");
            }
        }
    }
}
