//! What a comparison shows, in a sentence or two, and the problem on which it shows best.

use tickstar_lab::{Contestant, Outcome, Record};

/// What is seen, and where to look at it.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    pub sentence: String,
    pub contrast: Contrast,
}

/// Two contestants on a problem on which they differ much, or one alone on a problem that takes it long.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contrast {
    /// Their places in the list of all.
    pub places: Vec<usize>,
    /// The place of the problem among those of all maps.
    pub problem: usize,
}

/// One contestant with what it did on each problem.
pub struct Entrant {
    /// Its place in the list of all.
    pub place: usize,
    name: String,
    title: String,
    budget: Option<u64>,
    runs: Vec<Run>,
}

/// A run on one problem.
#[derive(Clone, Copy)]
struct Run {
    reached: bool,
    /// Ticks before the first move; none if there was no move.
    wait: Option<u64>,
    ticks: u64,
    /// The length walked, and that of a shortest path.
    length: f64,
    optimal: Option<f64>,
}

impl Entrant {
    pub fn new(place: usize, contestant: &Contestant, records: &[Record]) -> Entrant {
        let run = |record: &Record| Run {
            reached: record.outcome == Outcome::Reached,
            wait: record.tally.first_move_interval.map(|first| first - 1),
            ticks: record.tally.intervals,
            length: record.tally.cost.in_cells(),
            optimal: record.optimal,
        };
        Entrant {
            place,
            name: contestant.name.clone(),
            title: contestant.title(),
            budget: contestant.budget,
            runs: records.iter().map(run).collect(),
        }
    }

    fn reached(&self) -> usize {
        self.runs.iter().filter(|run| run.reached).count()
    }
}

/// The problems on which all of them moved and arrived.
fn solved_by_all(entrants: &[&Entrant]) -> Vec<usize> {
    let problems = entrants.iter().map(|entrant| entrant.runs.len()).min().unwrap_or(0);
    let is_solved = |&problem: &usize| {
        let mut runs = entrants.iter().map(|entrant| entrant.runs[problem]);
        runs.all(|run| run.reached && run.wait.is_some())
    };
    (0..problems).filter(is_solved).collect()
}

/// Sums over some of the problems.
struct Sums {
    wait: u64,
    ticks: u64,
    /// Of the lengths walked over the shortest, as in the table; or of the lengths walked, where there was no
    /// path at first.
    length: f64,
}

fn sums(entrant: &Entrant, problems: &[usize]) -> Sums {
    let runs = || problems.iter().map(|&problem| entrant.runs[problem]);
    let ratio = |run: Run| Some(run.length / run.optimal.filter(|&optimal| optimal > 0.0)?);
    let ratios: Vec<f64> = runs().filter_map(ratio).collect();
    Sums {
        wait: runs().filter_map(|run| run.wait).sum(),
        ticks: runs().map(|run| run.ticks).sum(),
        length: match ratios.as_slice() {
            [] => runs().map(|run| run.length).sum(),
            ratios => ratios.iter().sum(),
        },
    }
}

/// What is seen; nothing if there is nobody. The sentence is empty if there is nothing to say.
pub fn finding(entrants: &[Entrant]) -> Option<Finding> {
    let all: Vec<&Entrant> = entrants.iter().collect();
    let (shared, group) = group(&all);
    let named = |entrant: &Entrant| {
        if shared { entrant.name.clone() } else { entrant.title.clone() }
    };
    let problems = solved_by_all(&group);
    let contrast = match group.as_slice() {
        [] => None,
        [alone] => alone_sentence(alone, &problems).map(|sentence| {
            let longest = problems.iter().rev().max_by_key(|&&problem| alone.runs[problem].ticks);
            let seen = longest.map(|&problem| Contrast { places: vec![alone.place], problem });
            (sentence, seen)
        }),
        _ if problems.is_empty() => None,
        _ => Some(contrast(&group, &problems, &named)),
    };
    let begin = match group.first().and_then(|entrant| entrant.budget) {
        Some(budget) if shared => format!("With a budget of {budget}, "),
        _ => String::new(),
    };
    let mut sentences = Vec::new();
    let mut found = None;
    if let Some((sentence, where_seen)) = contrast {
        sentences.push(format!("{}.", capitalized(&(begin + &sentence))));
        found = where_seen;
    }
    sentences.extend(failures(&all));
    let contrast = found.or_else(|| beginning(&group));
    contrast.map(|contrast| Finding { sentence: sentences.join(" "), contrast })
}

/// Where to look if there is nothing to compare: the first two of different names, on the first problem.
fn beginning(group: &[&Entrant]) -> Option<Contrast> {
    let first = group.first()?;
    let second = group.iter().find(|other| other.name != first.name);
    let places = [Some(first), second].into_iter().flatten().map(|entrant| entrant.place);
    (!first.runs.is_empty()).then(|| Contrast { places: places.collect(), problem: 0 })
}

/// Those with the smallest budget that several have, as a small budget shows most; or all, if they have
/// different ones. Also returns whether their budget is the same.
fn group<'e>(all: &[&'e Entrant]) -> (bool, Vec<&'e Entrant>) {
    // No limit is the largest.
    let mut budgets: Vec<_> = all.iter().map(|entrant| entrant.budget).collect();
    budgets.sort_by_key(|budget| budget.unwrap_or(u64::MAX));
    for budget in budgets {
        let group: Vec<_> = all.iter().copied().filter(|other| other.budget == budget).collect();
        if group.len() > 1 || all.len() == 1 {
            return (true, group);
        }
    }
    (false, all.to_vec())
}

/// What one contestant alone did.
fn alone_sentence(entrant: &Entrant, problems: &[usize]) -> Option<String> {
    let known: Vec<_> = problems
        .iter()
        .copied()
        .filter(|&problem| entrant.runs[problem].optimal.is_some())
        .collect();
    if known.is_empty() {
        return None;
    }
    let Sums { wait, length, .. } = sums(entrant, &known);
    let begin = match wait {
        0 => "moves in the first tick".to_string(),
        wait => format!("stands still for {}", ticks(wait, known.len())),
    };
    let far = match change(length, known.len() as f64) {
        0 => "walks a shortest path".to_string(),
        more @ 1.. => format!("walks {more} % farther than a shortest path"),
        less => format!("walks {} % less than the shortest path at first", -less),
    };
    Some(format!("{} {begin} and {far}", entrant.name))
}

/// The sentence on two of several contestants, and where they can be seen.
fn contrast(
    group: &[&Entrant],
    problems: &[usize],
    named: &dyn Fn(&Entrant) -> String,
) -> (String, Option<Contrast>) {
    let sums: Vec<_> = group.iter().map(|entrant| sums(entrant, problems)).collect();
    let places = 0..group.len();
    // The first of those that are equal.
    let slow = places.clone().rev().max_by_key(|&i| sums[i].wait).unwrap_or(0);
    let quick = places.clone().min_by_key(|&i| (sums[i].wait, sums[i].ticks)).unwrap_or(0);
    let difference = (sums[slow].wait - sums[quick].wait) as f64 / problems.len() as f64;
    let seen = |pair: [usize; 2], by: &dyn Fn(Run, Run) -> f64| {
        let [a, b] = pair.map(|i| group[i]);
        let contrast = |&&problem: &&usize| by(a.runs[problem], b.runs[problem]);
        let order = |a: &&usize, b: &&usize| contrast(a).total_cmp(&contrast(b));
        let problem = *problems.iter().rev().max_by(order)?;
        // Equal ones are seen in another pair.
        (a.place != b.place).then(|| Contrast { places: vec![a.place, b.place], problem })
    };
    if difference >= 0.5 {
        let (waiting, moving) = (named(group[slow]), named(group[quick]));
        let still = ticks(sums[slow].wait, problems.len());
        let first = match sums[quick].wait {
            0 => "moves in the first".to_string(),
            wait => format!("for {}", ticks(wait, problems.len())),
        };
        let far = match change(sums[quick].length, sums[slow].length) {
            0 => "walks as far".to_string(),
            more @ 1.. => format!("walks {more} % farther"),
            less => format!("walks {} % less", -less),
        };
        let (joint, soon) = match change(sums[quick].ticks as f64, sums[slow].ticks as f64) {
            0 => ("and", "arrives at the same time".to_string()),
            later @ 1.. => ("and", format!("arrives {later} % later")),
            sooner => ("but", format!("arrives {} % sooner", -sooner)),
        };
        let sentence =
            format!("{waiting} stands still for {still}; {moving} {first}, {far} {joint} {soon}");
        let waits =
            |slow: Run, quick: Run| slow.wait.unwrap_or(0) as f64 - quick.wait.unwrap_or(0) as f64;
        return (sentence, seen([slow, quick], &waits));
    }
    let order = |&a: &usize, &b: &usize| sums[a].length.total_cmp(&sums[b].length);
    let shortest = places.clone().min_by(order).unwrap_or(0);
    let longest = places.rev().max_by(order).unwrap_or(0);
    let begin = if sums.iter().all(|sums| sums.wait == 0) {
        if group.len() == 2 {
            "both move in the first tick; "
        } else {
            "all move in the first tick; "
        }
    } else {
        ""
    };
    let less = -change(sums[shortest].length, sums[longest].length);
    let (least, most) = (named(group[shortest]), named(group[longest]));
    let end = match less {
        0 => "the lengths walked are the same, within 1 %".to_string(),
        less => format!("{least} walks {less} % less than {most}"),
    };
    let lengths = |short: Run, long: Run| long.length - short.length;
    (format!("{begin}{end}"), seen([shortest, longest], &lengths))
}

/// Who did not reach all goals.
fn failures(all: &[&Entrant]) -> Option<String> {
    let problems = all.first()?.runs.len();
    let worst = all.iter().rev().min_by_key(|entrant| entrant.reached())?;
    let best = all.iter().map(|entrant| entrant.reached()).max()?;
    let (least, goals) = (worst.reached(), if problems == 1 { "goal" } else { "goals" });
    if least == problems {
        None
    } else if least == best {
        Some(match (all, least) {
            ([_], 0) => "It reaches no goal.".to_string(),
            ([_], least) => format!("It reaches {least} of {problems} {goals}."),
            (_, 0) => "None of them reaches a goal.".to_string(),
            (_, least) => format!("Each reaches {least} of {problems} {goals}."),
        })
    } else {
        Some(format!("{} reaches {least} of {problems} {goals}, the best {best}.", worst.title))
    }
}

/// The text with a capital letter at its beginning, if it begins with a word of ours and not with a name.
fn capitalized(text: &str) -> String {
    let words = [("both ", "Both "), ("all ", "All "), ("the ", "The ")];
    let found = words
        .into_iter()
        .find_map(|(small, large)| Some(format!("{large}{}", text.strip_prefix(small)?)));
    found.unwrap_or_else(|| text.to_string())
}

/// A mean number of ticks.
fn ticks(sum: u64, problems: usize) -> String {
    let mean = sum as f64 / problems as f64;
    let number =
        if problems == 1 || mean >= 9.95 { format!("{mean:.0}") } else { format!("{mean:.1}") };
    let noun = if number == "1" { "tick" } else { "ticks" };
    let average = if problems == 1 { "" } else { " on average" };
    format!("{number} {noun}{average}")
}

/// The change from a value to another, in whole percent.
fn change(to: f64, from: f64) -> i64 {
    if from > 0.0 { (100.0 * (to / from - 1.0)).round() as i64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entrant with runs of these waits, ticks and lengths; no wait: not reached.
    fn entrant(place: usize, name: &str, budget: u64, runs: &[(Option<u64>, u64, f64)]) -> Entrant {
        let run = |&(wait, ticks, length): &(Option<u64>, u64, f64)| Run {
            reached: wait.is_some(),
            wait,
            ticks,
            length,
            optimal: Some(10.0),
        };
        Entrant {
            place,
            name: name.to_string(),
            title: format!("{name} (budget {budget})"),
            budget: Some(budget),
            runs: runs.iter().map(run).collect(),
        }
    }

    fn sentence(entrants: &[Entrant]) -> String {
        finding(entrants).map_or(String::new(), |finding| finding.sentence)
    }

    #[test]
    fn waiting_is_told_first_with_its_price() {
        let slow = entrant(0, "slow", 5, &[(Some(9), 20, 10.0), (Some(31), 42, 10.0)]);
        let quick = entrant(1, "quick", 5, &[(Some(0), 15, 15.0), (Some(0), 31, 15.0)]);
        let quicker = entrant(2, "quicker", 5, &[(Some(0), 14, 16.0), (Some(0), 31, 16.0)]);
        let other = entrant(3, "other", 9, &[(Some(90), 99, 10.0), (Some(90), 99, 10.0)]);
        let found = finding(&[slow, quick, quicker, other]).unwrap();
        assert_eq!(
            found.sentence,
            "With a budget of 5, slow stands still for 20 ticks on average; quicker moves in the first, \
             walks 60 % farther but arrives 27 % sooner."
        );
        assert_eq!(found.contrast, Contrast { places: vec![0, 2], problem: 1 });
    }

    #[test]
    fn only_problems_that_both_solved_are_compared() {
        let slow = entrant(0, "slow", 5, &[(Some(1), 11, 10.0), (Some(99), 109, 10.0)]);
        let quick = entrant(1, "quick", 5, &[(Some(0), 11, 10.0), (None, 500, 400.0)]);
        assert_eq!(
            sentence(&[slow, quick]),
            "With a budget of 5, slow stands still for 1 tick; quick moves in the first, walks as far and \
             arrives at the same time. quick (budget 5) reaches 1 of 2 goals, the best 2."
        );
    }

    #[test]
    fn without_waiting_lengths_are_compared() {
        let long = entrant(0, "long", 5, &[(Some(0), 20, 20.0), (Some(0), 10, 10.0)]);
        let short = entrant(1, "short", 5, &[(Some(0), 11, 11.0), (Some(0), 10, 10.0)]);
        let found = finding(&[long, short]).unwrap();
        assert_eq!(
            found.sentence,
            "With a budget of 5, both move in the first tick; short walks 30 % less than long."
        );
        assert_eq!(found.contrast, Contrast { places: vec![1, 0], problem: 0 });
        let even = |place| entrant(place, "even", 5, &[(Some(0), 10, 10.0)]);
        let text = sentence(&[even(0), even(1), even(2)]);
        assert!(
            text.ends_with(
                "all move in the first tick; the lengths walked are the same, within 1 %."
            )
        );
    }

    #[test]
    fn different_budgets_are_named() {
        let small = entrant(0, "tba", 5, &[(Some(0), 20, 20.0)]);
        let large = entrant(1, "tba", 50, &[(Some(0), 10, 10.0)]);
        assert_eq!(
            sentence(&[small, large]),
            "Both move in the first tick; tba (budget 50) walks 50 % less than tba (budget 5)."
        );
    }

    #[test]
    fn one_alone_is_compared_with_the_optimum() {
        let runs = [(Some(0), 12, 12.0), (None, 99, 50.0)];
        assert_eq!(
            sentence(&[entrant(0, "tba", 5, &runs)]),
            "With a budget of 5, tba moves in the first tick and walks 20 % farther than a shortest path. It \
             reaches 1 of 2 goals."
        );
        let runs = [(Some(7), 17, 10.0)];
        let text = sentence(&[entrant(0, "astar", 5, &runs)]);
        assert!(
            text.ends_with("astar stands still for 7 ticks and walks a shortest path."),
            "{text}"
        );
    }

    #[test]
    fn where_nothing_was_reached_nothing_else_is_said() {
        let lost = |place| entrant(place, "lost", 5, &[(None, 20, 3.0)]);
        assert_eq!(sentence(&[lost(0), lost(1)]), "None of them reaches a goal.");
        assert_eq!(sentence(&[lost(0)]), "It reaches no goal.");
        let other = entrant(2, "other", 5, &[(None, 20, 3.0)]);
        let seen = finding(&[lost(0), lost(1), other]).unwrap().contrast;
        assert_eq!(seen, Contrast { places: vec![0, 2], problem: 0 });
        assert_eq!(finding(&[]), None);
    }
}
