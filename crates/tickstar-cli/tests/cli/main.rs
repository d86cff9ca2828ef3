//! The command line from outside: the program is run, and its output, files and exit code are read.

mod abstraction;
mod bad_input;
mod bench;
mod by_length;
mod catalog;
mod clock;
mod compare;
mod crowd;
mod draw;
mod hostile;
#[cfg(unix)]
mod interrupts;
mod invented;
mod learning;
mod maps;
mod maps_get;
#[cfg(unix)]
mod mistakes;
mod output;
#[cfg(unix)]
mod play;
#[cfg(unix)]
mod reproduce;
mod run;
mod support;
mod terrain;
mod web;
mod worlds;
#[cfg(unix)]
mod written;
