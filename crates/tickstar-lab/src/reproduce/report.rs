//! What a reproduction has to say, as data: for each paper its claims with both numbers and verdicts, its tables and
//! figures, and pictures of walks. HTML and Markdown are made from this.

use crate::draw::Chart;
use crate::text::counted;

/// A whole report.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// What it is called.
    pub title: &'static str,
    /// What was run: the size, the maps, the version. One sentence each.
    pub about: Vec<String>,
    /// The papers, oldest first.
    pub papers: Vec<PaperReport>,
}

/// What was found about one paper.
#[derive(Clone, PartialEq, Debug)]
pub struct PaperReport {
    /// Its short name on the command line: `tba`.
    pub key: &'static str,
    /// What its algorithm is called: `TBA*`.
    pub name: &'static str,
    /// Authors, title, venue and year.
    pub citation: &'static str,
    /// What was run for it and what differs from the paper, a sentence or two each.
    pub setup: Vec<String>,
    /// Its claims, in the paper's order.
    pub claims: Vec<Claim>,
    /// Its tables.
    pub tables: Vec<ReportTable>,
    /// Its figures.
    pub figures: Vec<Figure>,
    /// Pictures of walks that explain something.
    pub pictures: Vec<Picture>,
}

/// What was found about a claim.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// All of it, beyond chance.
    Holds,
    /// The direction and the order, but not the numbers, or not everywhere.
    InShape,
    /// Something of it is contradicted, or cannot be told from chance.
    DoesNotHold,
    /// The maps are not the paper's, and the claim is about numbers.
    NotCompared,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Verdict; 4] =
        [Verdict::Holds, Verdict::InShape, Verdict::DoesNotHold, Verdict::NotCompared];

    /// The verdict in words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::InShape => "holds in shape",
            Verdict::DoesNotHold => "does not hold",
            Verdict::NotCompared => "not compared",
        }
    }

    /// So many claims with this verdict, in words: `1 holds`, `2 hold`.
    pub fn counted(self, count: usize) -> String {
        let words = match (self, count) {
            (_, 1) | (Verdict::NotCompared, _) => self.words(),
            (Verdict::Holds, _) => "hold",
            (Verdict::InShape, _) => "hold in shape",
            (Verdict::DoesNotHold, _) => "do not hold",
        };
        format!("{count} {words}")
    }

    /// The verdict as a sign; the words stand beside it, or in a legend.
    pub fn sign(self) -> &'static str {
        match self {
            Verdict::Holds => "✓",
            Verdict::InShape => "≈",
            Verdict::DoesNotHold => "✗",
            Verdict::NotCompared => "–",
        }
    }

    /// What the verdict means, for legends.
    pub fn meaning(self) -> &'static str {
        match self {
            Verdict::Holds => "All of it, beyond chance.",
            Verdict::InShape => {
                "The direction and the order, but not the numbers, or not everywhere."
            }
            Verdict::DoesNotHold => {
                "Something of it is contradicted, or cannot be told from chance."
            }
            Verdict::NotCompared => "The maps are not the paper's, and the claim is about numbers.",
        }
    }
}

/// How many claims have each verdict, in the order of [`Verdict::ALL`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts([usize; 4]);

impl Counts {
    /// The verdicts of claims, counted.
    pub fn of(claims: &[Claim]) -> Counts {
        let count = |verdict| claims.iter().filter(|claim| claim.verdict == verdict).count();
        Counts(Verdict::ALL.map(count))
    }

    /// How many claims there are.
    pub fn total(self) -> usize {
        self.0.iter().sum()
    }

    /// The verdicts that occur, with their numbers.
    pub fn present(self) -> impl Iterator<Item = (Verdict, usize)> {
        Verdict::ALL.into_iter().zip(self.0).filter(|&(_, count)| count > 0)
    }

    /// The counts as a sentence: `3 claims: 2 hold, 1 does not hold`.
    pub fn words(self) -> String {
        let parts = self.present().map(|(verdict, count)| verdict.counted(count));
        format!("{}: {}", counted(self.total(), "claim"), parts.collect::<Vec<_>>().join(", "))
    }
}

/// A claim of a paper, and what was found about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Its name, unique among all papers: `tba-table-1`.
    pub key: &'static str,
    /// The claim, in our words.
    pub words: String,
    /// Where the paper says it: `table 1`.
    pub place: &'static str,
    /// The paper's number.
    pub paper: String,
    /// Ours.
    pub ours: String,
    /// What follows.
    pub verdict: Verdict,
    /// Why: which comparisons decided.
    pub why: String,
    /// The rule, written before the numbers were known.
    pub rule: String,
    /// What is known about a difference; may be empty.
    pub note: &'static str,
}

/// A table in the paper's layout, with both numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReportTable {
    /// Its name for links: `tba-table-1`.
    pub key: &'static str,
    /// What it shows.
    pub title: String,
    /// The headings; the first one is that of the rows' names.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<TableRow>,
    /// What has to be said below; may be empty.
    pub note: String,
}

/// A row of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableRow {
    /// Its name.
    pub name: String,
    /// Whether its numbers are the paper's.
    pub of_paper: bool,
    /// The values; empty where there is none.
    pub cells: Vec<String>,
}

/// A figure.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// Its name for files and links: `tba-figure-3`.
    pub key: &'static str,
    /// What it shows and how to read it.
    pub caption: String,
    /// The figure.
    pub chart: Chart,
}

/// A picture of a walk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// Its name for files and links.
    pub key: &'static str,
    /// What it shows and how to read it.
    pub caption: String,
    /// The picture.
    pub svg: String,
}
