//! What is true of an algorithm, as data: the lab, the command line, the docs and the conformance suite
//! decide by these facts and never by an algorithm's name.

/// What an algorithm guarantees, needs and does, with its default parameters.
///
/// The conformance suite checks a member for exactly what its facts declare. A row outside this crate starts
/// from [`Facts::NONE`], which declares as little as possible:
///
/// ```
/// use tickstar::catalog::{Facts, FirstMove};
/// const FACTS: Facts = {
///     let mut facts = Facts::NONE;
///     facts.first_move = FirstMove::AtOnce;
///     facts.cost = "no bound";
///     facts
/// };
/// assert!(FACTS.acts_at_once() && !FACTS.complete);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // a list of yes-or-no facts is what it is
pub struct Facts {
    /// It arrives exactly when the goal can be reached, and reports that it cannot otherwise, as long as
    /// the map, known to it or not, does not change.
    pub complete: bool,
    /// When it first moves.
    pub first_move: FirstMove,
    /// The search method.
    pub method: Method,
    /// It plans in segments, each reported by [`Event::Refined`](crate::Event::Refined), and every step is part
    /// of one.
    pub refines: bool,
    /// The work it may do per tick.
    pub work: WorkBound,
    /// The nodes it visits do not depend on the budget, on a known map that does not change: a larger
    /// budget only shortens the waits.
    pub same_walk: bool,
    /// The bound on the cost of the walk, on a known map that does not change.
    pub cost_bound: CostBound,
    /// What is known of the cost of the walk, in a sentence.
    pub cost: &'static str,
    /// How it detects that there is no path.
    pub gives_up: GivesUp,
    /// It walks or searches backwards along edges, so every edge needs a reverse edge of the same cost.
    pub needs_reversible_edges: bool,
    /// It plans on the levels of the map's [`Hierarchy`](crate::Hierarchy), so the map needs one.
    pub needs_hierarchy: bool,
    /// It plans on the map's [`Regions`](crate::regions::Regions), so the map must be a grid that has them.
    pub needs_regions: bool,
    /// What happens to its search when the map changes.
    pub on_change: OnChange,
    /// What it does when the map changes or turns out to differ, in a sentence.
    pub changes: &'static str,
    /// It catches a goal that moves along edges of the map, and less often than the agent can, whatever the
    /// budget.
    pub catches: bool,
    /// What it does when the goal moves, in a sentence.
    pub retargets: &'static str,
    /// Why it is not defined on maps where anything opens or becomes cheaper, if it is not.
    pub no_openings: Option<&'static str>,
}

impl Facts {
    /// Declares as little as possible: the base for facts built outside this crate.
    pub const NONE: Facts = Facts {
        complete: false,
        first_move: FirstMove::Undeclared,
        method: Method::Other,
        refines: false,
        work: WorkBound::ExpansionsOnly,
        same_walk: false,
        cost_bound: CostBound::None,
        cost: "",
        gives_up: GivesUp::Never,
        needs_reversible_edges: false,
        needs_hierarchy: false,
        needs_regions: false,
        on_change: OnChange::NoSearchKept,
        changes: "",
        catches: false,
        retargets: "starts again",
        no_openings: None,
    };

    /// Whether it moves in the first tick, before it knows a whole path.
    pub const fn acts_at_once(&self) -> bool {
        matches!(
            self.first_move,
            FirstMove::AtOnce | FirstMove::AtOnceThenCarefully | FirstMove::AfterLookahead
        )
    }

    /// Whether all its work per tick is bounded by the budget, tracing included.
    pub const fn bounded_tick(&self) -> bool {
        !matches!(self.work, WorkBound::ExpansionsOnly)
    }

    /// Whether it walks exactly what it has planned, and plans ahead while it walks.
    pub const fn walks_its_plan(&self) -> bool {
        matches!(self.first_move, FirstMove::AfterSegment | FirstMove::AfterPath)
    }

    /// Whether detecting that the goal is unreachable may take a number of moves quadratic in the number of
    /// reachable nodes, or never happen: a caller should limit the ticks.
    pub const fn slow_to_give_up(&self) -> bool {
        !self.complete || matches!(self.gives_up, GivesUp::Slowly | GivesUp::Never)
    }
}

/// When an algorithm first moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FirstMove {
    /// In the first tick, at any budget; it hardly ever waits later.
    AtOnce,
    /// In the first tick, at any budget; then only where its search makes the direction likely, until it has a path.
    AtOnceThenCarefully,
    /// In the first tick, if the budget covers a lookahead of fixed size; otherwise once the lookahead is complete.
    AfterLookahead,
    /// In the first tick, but back and forth next to the start until it knows a whole path.
    BackAndForth,
    /// Once the first segment of the path is planned.
    AfterSegment,
    /// Once the whole path is planned.
    AfterPath,
    /// Nothing is declared.
    Undeclared,
}

impl FirstMove {
    /// The text in the column "acts at once" of the docs' tables.
    pub const fn in_tables(self) -> &'static str {
        match self {
            FirstMove::AtOnce | FirstMove::AtOnceThenCarefully | FirstMove::AfterLookahead => "yes",
            FirstMove::BackAndForth => "(back and forth)",
            FirstMove::AfterSegment => "after its first segment",
            FirstMove::AfterPath | FirstMove::Undeclared => "no",
        }
    }
}

/// The search method of an algorithm, which determines the order of its expansions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Method {
    /// One A* search from the start, sliced into ticks; its estimate is multiplied by the parameter `weight`,
    /// if there is one.
    Astar,
    /// Like `Astar`, ordered by the estimate alone.
    Greedy,
    /// Before a move, A* from its position, for the whole budget of a tick; then it learns.
    AstarLookahead,
    /// Before a move, all nodes fewer than `depth` steps away; then it learns.
    BallLookahead,
    /// In each tick its position, and up to `queue` nodes whose estimates may have to be raised.
    QueueLookahead,
    /// Something else; nothing is declared about the order of its expansions.
    Other,
}

/// The work an algorithm may do per tick. Expansions never exceed the budget.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WorkBound {
    /// At most this much work per unit of the budget.
    PerUnit {
        /// Expansions, at most one.
        expansions: u64,
        /// Trace steps.
        traces: u64,
        /// Updates.
        updates: u64,
    },
    /// The budget is shared by the parameters `r` (the share of expansions) and `c` (trace steps per remaining
    /// unit), unless `trace` is `free`.
    Shared,
    /// One expansion per unit and no updates; trace steps are not bounded.
    ExpansionsOnly,
}

/// A bound on the cost of a walk on a known map that does not change. `w` is the parameter `weight`, one if
/// there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CostBound {
    /// The optimum.
    Optimal,
    /// The optimum, if the budget is unlimited; otherwise none.
    OptimalIfUnlimited,
    /// The optimum plus one step for every tick spent searching.
    OptimalPlusSearch,
    /// `w` times the optimum.
    Weighted,
    /// `2w` times the optimum from the tick on in which the path to the goal is followed; `w` times the
    /// optimum if the budget is unlimited.
    TwiceWeightedOnceFollowed,
    /// None.
    None,
}

/// How an algorithm detects that there is no path to the goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GivesUp {
    /// At once, without any work: the hierarchy knows.
    AtOnce,
    /// When its search has exhausted all reachable nodes.
    AfterSearch,
    /// When its learned estimates exceed any possible cost, which may take a number of moves quadratic in the
    /// number of reachable nodes.
    Slowly,
    /// Not at all.
    Never,
}

/// What happens to a search when the map changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OnChange {
    /// No search is kept that would have to restart: each plan starts from the map as it is.
    NoSearchKept,
    /// It restarts when the next step is blocked.
    RestartWhenBlocked,
    /// It restarts when the path ahead is cut.
    RestartWhenCut,
    /// It is repaired.
    Repair,
}
