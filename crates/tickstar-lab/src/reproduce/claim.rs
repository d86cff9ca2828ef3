//! How claims are judged: comparisons with rules that are fixed before anything is measured, and the verdict that
//! follows from them.

use super::evidence::Evidence;
use super::report::{Claim, Verdict};
use crate::statistics::Estimate;

/// What a comparison has shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Finding {
    /// What the rule asks for, beyond chance.
    Holds,
    /// The same direction beyond chance, but not the size.
    Shape,
    /// The interval allows both.
    Undecided,
    /// The opposite, beyond chance.
    Contradicted,
}

/// A comparison, by its rule.
#[derive(Clone, PartialEq, Debug)]
pub struct Check {
    what: String,
    ours: String,
    value: f64,
    rule: Rule,
    finding: Finding,
}

/// The kinds of comparison.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Rule {
    Less,
    Falls,
    Factor(f64),
    Near(f64),
    Between(f64, f64),
    Share(f64),
    Order,
    AtMost(f64),
    Most,
    Arrives,
}

impl Rule {
    /// The rule in words; none for the one that is common to all claims.
    fn words(self) -> String {
        match self {
            Rule::Less => "The first is smaller than the second if the 95 % interval of the ratio of their means, \
                paired by problem, lies below 1; it is contradicted if the interval lies above 1."
                .into(),
            Rule::Falls => "A value does not rise from one step to the next if the paired 95 % interval of their ratio \
                lies below 1.02, and it rises if the interval lies above; from the first to the last step it falls."
                .into(),
            Rule::Factor(factor) => format!(
                "The ratio of means reaches {factor} if its paired 95 % interval does, and lies above {}; it has the \
                 same direction if the interval lies above 1, and is contradicted if it lies below 1.",
                factor / 2.0
            ),
            Rule::Near(within) => format!(
                "A number agrees if it is within {:.0} % of the paper's; it has about the size within {:.0} %. \
                 One whose 95 % interval is wider than that on both sides together does not count.",
                100.0 * within,
                300.0 * within
            ),
            Rule::Between(low, high) => format!(
                "A ratio of means agrees if its paired 95 % interval lies within {low} to {high}; it has the same \
                 direction if it lies on the same side of 1 as that range."
            ),
            Rule::Share(share) => format!(
                "A share agrees if its 95 % interval reaches {:.1} %; it has about the size if it is less than five \
                 points below, or twenty on other maps than the paper's.",
                100.0 * share
            ),
            Rule::Order => "The first is smaller than the second if their 95 % intervals do not overlap, and \
                contradicted if they do not overlap the other way round."
                .into(),
            Rule::AtMost(most) => {
                format!("A value is small enough if its 95 % interval lies at or below {most}, and contradicted if it \
                         lies above.")
            }
            Rule::Most => "Most means more than half of the comparisons, each with a paired 95 % interval of the ratio \
                below 1; it is contradicted if it is a quarter or less."
                .into(),
            Rule::Arrives => String::new(),
        }
    }
}

impl Check {
    fn new(what: impl Into<String>, rule: Rule, ours: String, finding: Finding) -> Check {
        Check { what: what.into(), ours, value: f64::NAN, rule, finding }
    }

    /// A share is not so close to the paper's on other maps.
    fn on_other_maps(&mut self) {
        if let Rule::Share(paper) = self.rule {
            let close = self.value > paper - 0.2;
            self.finding = if close { Finding::Shape } else { Finding::Contradicted };
        }
    }

    /// A paired ratio of means that should be below 1.
    pub fn less(what: impl Into<String>, ratio: Estimate) -> Check {
        let finding = match ratio {
            r if r.high < 1.0 => Finding::Holds,
            r if r.low > 1.0 => Finding::Contradicted,
            _ => Finding::Undecided,
        };
        Check::new(what, Rule::Less, interval(ratio), finding)
    }

    /// A paired ratio of means from one step of a trend to the next, which should not be above 1.
    pub fn falls(what: impl Into<String>, ratio: Estimate) -> Check {
        let finding = match ratio {
            r if r.high < 1.02 => Finding::Holds,
            r if r.low > 1.02 => Finding::Contradicted,
            _ => Finding::Undecided,
        };
        Check::new(what, Rule::Falls, interval(ratio), finding)
    }

    /// A paired ratio of means that should be at least about `factor`.
    pub fn factor(what: impl Into<String>, ratio: Estimate, factor: f64) -> Check {
        let finding = match ratio {
            r if r.high >= factor && r.low > factor / 2.0 => Finding::Holds,
            r if r.low > 1.0 => Finding::Shape,
            r if r.high < 1.0 => Finding::Contradicted,
            _ => Finding::Undecided,
        };
        Check::new(what, Rule::Factor(factor), interval(ratio), finding)
    }

    /// A number that should be the paper's.
    pub fn near(what: impl Into<String>, ours: Estimate, paper: f64, within: f64) -> Check {
        let off = (ours.value / paper - 1.0).abs();
        let wide = (ours.high - ours.low) / paper > 6.0 * within;
        let finding = match off {
            _ if wide || !ours.exists() => Finding::Undecided,
            off if off <= within => Finding::Holds,
            off if off <= 3.0 * within => Finding::Shape,
            _ => Finding::Contradicted,
        };
        let text = format!("{} (paper: {})", short(ours.value), short(paper));
        Check::new(what, Rule::Near(within), text, finding)
    }

    /// A paired ratio of means that should lie in a range.
    pub fn between(what: impl Into<String>, ratio: Estimate, low: f64, high: f64) -> Check {
        let (below, above) = (high < 1.0, low > 1.0);
        let finding = match ratio {
            r if r.low >= low && r.high <= high => Finding::Holds,
            r if below && r.high < 1.0 || above && r.low > 1.0 => Finding::Shape,
            r if below && r.low > 1.0 || above && r.high < 1.0 => Finding::Contradicted,
            r if r.low > high || r.high < low => Finding::Contradicted,
            _ => Finding::Undecided,
        };
        Check::new(what, Rule::Between(low, high), interval(ratio), finding)
    }

    /// A share that should be at least the paper's.
    pub fn share(what: impl Into<String>, ours: Estimate, paper: f64) -> Check {
        let finding = match ours {
            s if s.high >= paper => Finding::Holds,
            s if s.value > paper - 0.05 => Finding::Shape,
            _ => Finding::Contradicted,
        };
        let text = format!("{} (paper: {})", percent(ours.value), percent(paper));
        Check { value: ours.value, ..Check::new(what, Rule::Share(paper), text, finding) }
    }

    /// Two values, of which the first should be smaller.
    pub fn order(what: impl Into<String>, first: Estimate, second: Estimate) -> Check {
        let finding = match (first, second) {
            (a, b) if a.high < b.low => Finding::Holds,
            (a, b) if a.low > b.high => Finding::Contradicted,
            _ => Finding::Undecided,
        };
        let text = format!("{} and {}", interval(first), interval(second));
        Check::new(what, Rule::Order, text, finding)
    }

    /// A value that should not exceed a limit.
    pub fn at_most(what: impl Into<String>, ours: Estimate, most: f64) -> Check {
        let finding = match ours {
            a if a.high <= most => Finding::Holds,
            a if a.low > most => Finding::Contradicted,
            _ => Finding::Undecided,
        };
        Check::new(what, Rule::AtMost(most), interval(ours), finding)
    }

    /// A number of comparisons in which something is beyond chance, which should be most of them.
    pub fn most(what: impl Into<String>, count: usize, of: usize) -> Check {
        let finding = match count {
            count if 2 * count > of => Finding::Holds,
            count if 4 * count > of => Finding::Undecided,
            _ => Finding::Contradicted,
        };
        Check::new(what, Rule::Most, format!("{count} of {of}"), finding)
    }

    /// The share of walks that did not arrive, which should be none.
    pub fn arrives(who: &str, failures: Estimate) -> Option<Check> {
        let what = format!("{who} arrives");
        let text = format!("{} did not", percent(failures.value));
        let check = Check::new(what, Rule::Arrives, text, Finding::Contradicted);
        (failures.value > 0.02).then_some(check)
    }
}

/// A claim before it is judged.
#[derive(Clone, PartialEq, Debug)]
pub struct Draft {
    /// Its name.
    pub key: &'static str,
    /// The claim, in our words.
    pub words: &'static str,
    /// Where the paper says it.
    pub place: &'static str,
    /// The paper's number.
    pub paper: &'static str,
    /// Ours.
    pub ours: String,
    /// What is known about a difference.
    pub note: &'static str,
    /// The comparisons that decide.
    pub checks: Vec<Check>,
}

/// How many comparisons are told of.
const TOLD: usize = 4;

impl Draft {
    /// A claim by what was measured. It is contradicted if one of the algorithms that it asks about does not arrive.
    pub fn new(e: &mut Evidence<'_>, make: impl FnOnce(&mut Evidence<'_>) -> Draft) -> Draft {
        e.take_failures();
        let mut draft = make(e);
        let failures = e.take_failures();
        draft.checks.extend(failures.iter().filter_map(|(who, share)| Check::arrives(who, *share)));
        draft
    }

    /// The claim with its verdict. Where the maps are not the paper's, its numbers are not compared.
    pub fn judge(self, papers_maps: bool) -> Claim {
        let Draft { key, words, place, paper, ours, note, mut checks } = self;
        let mut rules: Vec<String> = Vec::new();
        for check in checks.iter().filter(|check| check.rule != Rule::Arrives) {
            let words = check.rule.words();
            if !rules.contains(&words) {
                rules.push(words);
            }
        }
        if !papers_maps {
            checks.retain(|check| !matches!(check.rule, Rule::Near(_) | Rule::AtMost(_)));
            checks.iter_mut().for_each(Check::on_other_maps);
        }
        let (verdict, why) = (verdict(&checks), why(&checks));
        let words = words.to_string();
        let paper = paper.to_string();
        Claim { key, words, place, paper, ours, verdict, why, rule: rules.join(" "), note }
    }
}

/// How the verdict follows from the comparisons, in words.
pub const VERDICTS: &str = "A claim holds if all of its comparisons hold; it holds in shape if none is contradicted \
    and at least one shows the same direction beyond chance; otherwise it does not hold: one is contradicted, or none \
    can be told from chance. A claim is also contradicted if an algorithm that it is about does not arrive on more than \
    2 % of the problems that have a path.";

fn verdict(checks: &[Check]) -> Verdict {
    let has = |finding| checks.iter().any(|check| check.finding == finding);
    if checks.is_empty() {
        Verdict::NotCompared
    } else if has(Finding::Contradicted) {
        Verdict::DoesNotHold
    } else if checks.iter().all(|check| check.finding == Finding::Holds) {
        Verdict::Holds
    } else if has(Finding::Holds) || has(Finding::Shape) {
        Verdict::InShape
    } else {
        Verdict::DoesNotHold
    }
}

/// Which comparisons decided.
fn why(checks: &[Check]) -> String {
    let count = |finding| checks.iter().filter(|check| check.finding == finding).count();
    if checks.is_empty() {
        return "These maps are not the paper's, so its numbers are not compared.".into();
    }
    let tell = |finding: Finding, words: &str| -> Option<String> {
        let all: Vec<&Check> = checks.iter().filter(|check| check.finding == finding).collect();
        let told = all.iter().take(TOLD).map(|check| format!("{}: {}", check.what, check.ours));
        let mut told: Vec<String> = told.collect();
        if all.len() > TOLD {
            told.push(format!("and {} more", all.len() - TOLD));
        }
        (!all.is_empty()).then(|| format!("{words}: {}.", told.join("; ")))
    };
    let holding = count(Finding::Holds);
    let all = checks.len();
    let first = match (holding, all) {
        (holding, all) if holding == all => {
            return tell(Finding::Holds, "Holds").unwrap_or_default();
        }
        (0, 1) => String::new(),
        (holding, all) => format!("{holding} of {all} comparisons hold."),
    };
    let rest = [
        tell(Finding::Contradicted, "Contradicted"),
        tell(Finding::Shape, "Not of that size"),
        tell(Finding::Undecided, "Cannot be told from chance"),
    ];
    let parts = std::iter::once(first).filter(|first| !first.is_empty());
    parts.chain(rest.into_iter().flatten()).collect::<Vec<_>>().join(" ")
}

/// A value with its interval.
pub fn interval(estimate: Estimate) -> String {
    let Estimate { value, low, high, .. } = estimate;
    if !estimate.exists() {
        return "no value".into();
    }
    format!("{} [{}, {}]", short(value), short(low), short(high))
}

/// A number with the digits that matter, and commas between thousands.
pub fn short(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if !value.is_finite() => "–".into(),
        0.0 => "0".into(),
        size if size >= 1000.0 => {
            let digits = format!("{size:.0}");
            let mut text = String::new();
            for (nth, digit) in digits.chars().enumerate() {
                if nth > 0 && (digits.len() - nth) % 3 == 0 {
                    text.push(',');
                }
                text.push(digit);
            }
            if value < 0.0 { format!("-{text}") } else { text }
        }
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 2.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// A share in percent.
pub fn percent(share: f64) -> String {
    if share.is_finite() { format!("{:.1} %", 100.0 * share) } else { "–".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(value: f64, low: f64, high: f64) -> Estimate {
        Estimate { value, low, high, count: 100 }
    }

    fn draft(checks: Vec<Check>) -> Draft {
        let (key, words, place, paper) = ("trial", "It is less.", "table 1", "0.9");
        Draft { key, words, place, paper, ours: String::new(), note: "", checks }
    }

    #[test]
    fn verdicts_follow_from_the_comparisons() {
        let less = || Check::less("a", estimate(0.8, 0.7, 0.9));
        let noise = || Check::less("b", estimate(0.99, 0.9, 1.1));
        let more = || Check::less("c", estimate(1.2, 1.1, 1.3));
        for (checks, expected) in [
            (vec![less()], Verdict::Holds),
            (vec![less(), noise()], Verdict::InShape),
            (vec![noise()], Verdict::DoesNotHold),
            (vec![less(), less(), more()], Verdict::DoesNotHold),
            (vec![], Verdict::NotCompared),
        ] {
            assert_eq!(draft(checks).judge(true).verdict, expected);
        }
        let claim = draft(vec![less(), noise(), more()]).judge(true);
        assert_eq!(
            claim.why,
            "1 of 3 comparisons hold. Contradicted: c: 1.200 [1.100, 1.300]. Cannot be told from chance: b: 0.990 \
             [0.900, 1.100]."
        );
    }

    #[test]
    fn each_rule_has_its_limits() {
        use Finding::{Contradicted, Holds, Shape, Undecided};
        let wide = |value: f64| estimate(value, 0.9 * value, 1.1 * value);
        for (check, expected) in [
            (Check::falls("", wide(0.8)), Holds),
            (Check::falls("", wide(1.0)), Undecided),
            (Check::falls("", wide(1.2)), Contradicted),
            (Check::factor("", wide(9.5), 10.0), Holds),
            (Check::factor("", wide(23.0), 10.0), Holds),
            (Check::factor("", wide(5.0), 10.0), Shape),
            (Check::factor("", wide(1.05), 10.0), Undecided),
            (Check::factor("", wide(0.5), 10.0), Contradicted),
            (Check::near("", wide(104.0), 100.0, 0.05), Holds),
            (Check::near("", wide(114.0), 100.0, 0.05), Shape),
            (Check::near("", wide(116.0), 100.0, 0.05), Contradicted),
            (Check::near("", estimate(100.0, 80.0, 120.0), 100.0, 0.05), Undecided),
            (Check::between("", wide(1.2), 1.05, 1.5), Holds),
            (Check::between("", wide(1.2), 1.05, 1.15), Shape),
            (Check::between("", wide(0.5), 1.05, 1.15), Contradicted),
            (Check::between("", wide(1.0), 1.05, 1.15), Undecided),
            (Check::between("", wide(1.0), 0.8, 1.2), Holds),
            (Check::between("", wide(2.0), 0.8, 1.2), Contradicted),
            (Check::share("", estimate(0.97, 0.96, 0.985), 0.98), Holds),
            (Check::share("", estimate(0.96, 0.95, 0.97), 0.98), Shape),
            (Check::share("", estimate(0.39, 0.38, 0.4), 0.98), Contradicted),
            (Check::order("", wide(1.0), wide(2.0)), Holds),
            (Check::order("", wide(1.0), wide(1.1)), Undecided),
            (Check::at_most("", wide(1.0), 1.1), Holds),
            (Check::at_most("", wide(2.0), 1.1), Contradicted),
            (Check::most("", 5, 9), Holds),
            (Check::most("", 4, 8), Undecided),
            (Check::most("", 2, 8), Contradicted),
        ] {
            assert_eq!(check.finding, expected, "{check:?}");
        }
        assert_eq!(Check::arrives("tba", estimate(0.02, 0.0, 0.1)), None);
        assert!(Check::arrives("tba", estimate(0.5, 0.4, 0.6)).is_some());
        // No value is never enough.
        let none = Estimate::mean(&[]);
        for check in [Check::less("", none), Check::near("", none, 1.0, 0.1)] {
            assert_eq!(draft(vec![check]).judge(true).verdict, Verdict::DoesNotHold);
        }
        assert_eq!(
            draft(vec![Check::near("", wide(1.0), 1.0, 0.1)]).judge(false).verdict,
            Verdict::NotCompared
        );
    }

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (1.2345, "1.234"),
            (12.34, "12.3"),
            (123.4, "123"),
            (6447.2, "6,447"),
            (-1e6, "-1,000,000"),
        ] {
            assert_eq!(short(value), text);
        }
    }
}
