//! Algorithms as they are named on the command line: `NAME[:KEY=VALUE[+VALUE…]…]`.

use tickstar_lab::Contestant;
use tickstar_lab::text::quoted;

use crate::failure::Failure;
use crate::number::from_one;
use crate::source::{Setting, configure};

/// The contestants that a text names: one for each combination of the values given. `settings` apply to all of
/// them. Each is run with each of the `budgets`, unless the text has its own; if there are none, with the
/// budget that suits the algorithm.
pub fn contestants(
    text: &str,
    settings: &[Setting],
    budgets: &[Option<u64>],
) -> Result<Vec<Contestant>, Failure> {
    let wrong = |error: String| Failure::usage(error).about(text);
    let named = |name: &str, failure: Failure| {
        if text == name { failure } else { failure.about(text) }
    };
    if text.contains(',') {
        return Err(wrong("a list is for `tickstar compare`: name one algorithm here".to_string()));
    }
    let mut parts = text.split(':');
    let name = parts.next().unwrap_or_default();
    let mut budgets = budgets.to_vec();
    let mut keys: Vec<String> = settings.iter().map(|Setting(key, _)| key.clone()).collect();
    let mut combinations: Vec<Vec<Setting>> = vec![settings.to_vec()];
    for part in parts {
        let Setting(key, values) = part.parse().map_err(wrong)?;
        if keys.contains(&key) {
            let key = quoted(&key);
            return Err(wrong(format!("`{key}` is given twice: separate several values with +")));
        }
        keys.push(key.clone());
        if key == "budget" {
            budgets = values.split('+').map(budget).collect::<Result<_, _>>().map_err(wrong)?;
            continue;
        }
        // Every combination so far with every value.
        let with = |value: &str| Setting(key.clone(), value.trim().to_string());
        let values: Vec<Setting> = values.split('+').map(with).collect();
        let each = |set: &Vec<Setting>| {
            let set = set.clone();
            values.clone().into_iter().map(move |value| [&set[..], &[value]].concat())
        };
        combinations = combinations.iter().flat_map(each).collect();
    }
    let mut contestants = Vec::new();
    for set in &combinations {
        let pairs = set.iter().map(|Setting(key, value)| format!(":{key}={value}"));
        let full = format!("{name}{}", pairs.collect::<String>());
        if budgets.is_empty() {
            let (config, budget) =
                configure(name, set, None).map_err(|failure| named(name, failure))?;
            contestants.push(Contestant { name: full, config, budget });
            continue;
        }
        for &budget in &budgets {
            let (config, _) =
                configure(name, set, budget).map_err(|failure| named(name, failure))?;
            contestants.push(Contestant { name: full.clone(), config, budget });
        }
    }
    Ok(contestants)
}

/// Refuses different tables of subgoals: a map has those of one level at a time.
pub fn check_one_level(contestants: &[Contestant]) -> Result<(), Failure> {
    let mut levels: Vec<_> =
        contestants.iter().filter_map(|who| who.config.subgoal_level()).collect();
    levels.dedup();
    if levels.len() > 1 {
        return Err(Failure::usage(
            "d-lrta with several levels: there are tables of one level at a time, so try them one by one",
        ));
    }
    Ok(())
}

/// A budget, or `none`.
fn budget(text: &str) -> Result<Option<u64>, String> {
    match text.trim() {
        "none" => Ok(None),
        number => from_one(number)
            .map(Some)
            .map_err(|expected| format!("budget `{}`: {expected}, or none", quoted(number))),
    }
}
