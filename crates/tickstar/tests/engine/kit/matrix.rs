//! Every algorithm of the catalog with many settings of its parameters.

use tickstar::catalog::{self, Config, Entry};

use super::{Member, Random};

/// The maximum number of combinations of values tried per algorithm.
const MOST: usize = 48;

/// All members of the conformance suite: the catalog, and the members that only tests know.
pub fn members() -> Vec<Box<dyn Member>> {
    let boxed = |config| Box::new(config) as Box<dyn Member>;
    let mut members: Vec<_> = all_configs().map(boxed).collect();
    members.push(Box::new(crate::toy::HONEST));
    members
}

/// The complete algorithms of the catalog, for suites about arrival.
pub fn configs() -> Vec<Config> {
    all_configs().filter(|config| config.entry().facts.complete).collect()
}

/// Every algorithm of the catalog: with its defaults, and with combinations of its parameters' values: all of them, or
/// a sample if there are too many.
fn all_configs() -> impl Iterator<Item = Config> {
    let defaults = catalog::all().iter().map(default_of);
    defaults.chain(catalog::all().iter().flat_map(combinations))
}

fn default_of(entry: &'static Entry) -> Config {
    entry.configure::<&str, &str>(&[]).unwrap()
}

fn combinations(entry: &'static Entry) -> Vec<Config> {
    let parameters = entry.parameters();
    let mut settings: Vec<Vec<(&str, &str)>> = vec![Vec::new()];
    for parameter in &parameters {
        let with = |value| {
            let set = |set: &Vec<_>| [&set[..], &[(parameter.name, value)]].concat();
            settings.iter().map(set).collect::<Vec<_>>()
        };
        settings = parameter.values.iter().flat_map(|&value| with(value)).collect();
    }
    // If tracing is free, the budget is not shared, and the default shares represent all.
    let shares: Vec<_> = parameters.iter().filter(|p| ["r", "c"].contains(&p.name)).collect();
    settings.retain(|set| {
        let usual = shares.iter().all(|share| set.contains(&(share.name, &share.default)));
        usual || !set.contains(&("trace", "free"))
    });
    let mut random = Random::new(settings.len() as u64);
    while settings.len() > MOST {
        settings.swap_remove(random.below(settings.len() as u64) as usize);
    }
    settings.iter().map(|set| entry.configure(set).unwrap()).collect()
}
