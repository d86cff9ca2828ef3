//! Every algorithm of the catalogue with many settings of its parameters.

use tickstar::catalog::{self, Config, Entry, Parameter};

use super::Random;

/// The values of a parameter the suites try.
fn values(parameter: &Parameter) -> &'static [&'static str] {
    match parameter.name {
        "trace" => &["bounded", "free"],
        "r" => &["0.1", "0.5", "0.9"],
        "c" => &["0.5", "1", "10"],
        "shortcut" | "switch" | "reopen" => &["false", "true"],
        "weight" => &["1", "1.4", "3"],
        "open" => &["buckets", "heap"],
        "restart" => &["lazy", "eager"],
        "depth" => &["1", "2", "4", "7"],
        "queue" => &["0", "1", "10", "60"],
        "moves" => &["one", "all"],
        "ties" => &["far", "near"],
        "k" => &["1", "2", "5", "16", "inf"],
        "level" if parameter.default == "auto" => &["auto", "half", "top", "0", "1", "2"],
        "level" => &["1", "2", "3", "9"],
        "gamma" => &["0.2", "0.6", "1"],
        "corridor" => &["0", "1"],
        "keep" => &["true", "false"],
        other => panic!("tell the tests which values to try for `{other}`"),
    }
}

pub fn default_of(entry: &'static Entry) -> Config {
    entry.configure::<&str, &str>(&[]).unwrap()
}

/// The most combinations of values tried of one algorithm.
const MOST: usize = 48;

/// Every algorithm of the catalogue: as it is, and with combinations of its parameters' values: all of
/// them, or if they are too many a sample.
pub fn configs() -> Vec<Config> {
    let defaults = catalog::all().iter().map(default_of);
    defaults.chain(catalog::all().iter().flat_map(combinations)).collect()
}

fn combinations(entry: &'static Entry) -> Vec<Config> {
    let mut settings: Vec<Vec<(&str, &str)>> = vec![Vec::new()];
    for parameter in entry.parameters {
        let with = |value| {
            let set = |set: &Vec<_>| [&set[..], &[(parameter.name, value)]].concat();
            settings.iter().map(set).collect::<Vec<_>>()
        };
        settings = values(parameter).iter().flat_map(|&value| with(value)).collect();
    }
    // Where tracing is free the budget is not shared, and one of the shares stands for all.
    settings.retain(|set| {
        let shared = set.contains(&("r", "0.9")) && set.contains(&("c", "10"));
        shared || !set.contains(&("trace", "free"))
    });
    let mut random = Random::new(settings.len() as u64);
    while settings.len() > MOST {
        settings.swap_remove(random.below(settings.len() as u64) as usize);
    }
    settings.iter().map(|set| entry.configure(set).unwrap()).collect()
}
