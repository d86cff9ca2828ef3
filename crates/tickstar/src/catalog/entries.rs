//! The list itself: one row per algorithm.

use super::family::{Base, Family};
use super::settings::Setting;
use super::settings::time_bounded::{
    C, R, REOPEN, RESTART, SHORTCUT, SUCCESSORS, SWITCH, TRACE, WEIGHT,
};
use super::settings::{d_lrta, dstar_lite, local, open, pr_lrta, pra, tick};
use super::{CostBound, Entry, Facts, FirstMove, GivesUp, Method, OnChange, WorkBound};
use crate::{
    Acting, Avoid, Commitment, DLrtaConfig, DStarLiteConfig, LocalConfig, Lookahead, PrLrtaConfig,
    PraConfig, Priority, Ratio, Restart, SearchConfig, TickConfig, TimeBoundedConfig, Tracing,
    Update,
};

const STURTEVANT: &str = "Sturtevant, Buro, \"Partial Pathfinding Using Map Abstraction and Refinement\", \
                         AAAI 2005";
const BJORNSSON: &str = "Björnsson, Bulitko, Sturtevant, \"TBA*: Time-Bounded A*\", IJCAI 2009";
const HERNANDEZ_2012: &str =
    "Hernández, Baier, Uras, Koenig, \"Time-Bounded Adaptive A*\", AAMAS 2012";
const HERNANDEZ_2014: &str = "Hernández, Asín, Baier, \"Time-Bounded Best-First Search\", 2014";

/// What people also call an algorithm, or ask for in its place.
pub(super) const OTHER_NAMES: &[(&str, &str)] = &[
    ("dijkstra", "astar"),
    ("weighted", "wastar"),
    ("greedy", "gbfs"),
    ("time-bounded a*", "tba"),
    ("dstar", "dstar-lite"),
    ("k lrta*", "lss-lrta"),
    ("tickstar", "tick"),
];

pub(super) static ENTRIES: &[Entry] = &[
    Entry {
        name: "astar",
        title: "A*",
        summary: "Searches for a cheapest path, over as many ticks as needed, while the agent waits; then \
                  walks it.",
        paper: "Hart, Nilsson, Raphael 1968; as the complete search of Hernández et al. 2012",
        facts: Facts { cost_bound: CostBound::Optimal, cost: "optimal", ..WAITING },
        default_budget: None,
        family: time_bounded(|| complete(Priority::ASTAR), &[SUCCESSORS, open()]),
    },
    Entry {
        name: "wastar",
        title: "Weighted A*",
        summary: "Like astar, with a weighted estimate: fewer expansions, and a path of at most w times the \
                  optimal cost.",
        paper: "Pohl 1970",
        facts: Facts {
            cost_bound: CostBound::Weighted,
            cost: "at most w times the optimum",
            ..WAITING
        },
        default_budget: None,
        family: time_bounded(|| complete(weighted(3, 2)), &[WEIGHT, REOPEN, open()]),
    },
    Entry {
        name: "gbfs",
        title: "Greedy best-first search",
        summary: "Like astar, ordered by the estimate alone: fast, without any bound on the path.",
        paper: "Pearl 1984",
        facts: Facts { method: Method::Greedy, cost: "no bound", ..WAITING },
        default_budget: None,
        family: time_bounded(|| complete(Priority::GREEDY), &[open()]),
    },
    Entry {
        name: "late-astar",
        title: "Late-acting A*",
        summary: "A time-sliced A* that steps back and forth at the start until it knows the path: the \
                  baseline in table 1 of the TBA* paper.",
        paper: BJORNSSON,
        facts: Facts {
            first_move: FirstMove::BackAndForth,
            cost_bound: CostBound::OptimalPlusSearch,
            cost: "the optimum plus one step for every tick spent searching",
            ..TIME_BOUNDED
        },
        default_budget: Some(100),
        family: time_bounded(
            || TimeBoundedConfig { acting: Acting::Late, ..TimeBoundedConfig::default() },
            &[R, C, TRACE, SUCCESSORS, open()],
        ),
    },
    Entry {
        name: "tba",
        title: "TBA* (Time-Bounded A*)",
        summary: "One A* search over all ticks; in each tick the agent steps along the best path known so \
                  far, or back towards it.",
        paper: BJORNSSON,
        facts: Facts {
            cost: "at most twice the optimum once the path to the goal is being followed",
            ..TIME_BOUNDED
        },
        default_budget: Some(100),
        family: time_bounded(
            TimeBoundedConfig::default,
            &[R, C, TRACE, SHORTCUT, SWITCH, SUCCESSORS, open()],
        ),
    },
    Entry {
        name: "tba-jps",
        title: "TBA* by jump points",
        summary: "Like tba, with a search that jumps from one possible turn to the next: paths are found in a \
                  fraction of the time. It applies to grids with eight neighbors and without terrain; on other \
                  maps it is tba. A unit is a jump point expanded, two generated, or 8 words \
                  of 64 cells scanned.",
        paper: "TBA* of Björnsson et al. 2009 with the search of Harabor, Grastien, \"Improving Jump Point Search\", \
                ICAPS 2014; the combination is ours",
        facts: Facts {
            method: Method::Other,
            cost: "at most twice the optimum once the path to the goal is being followed",
            ..TIME_BOUNDED
        },
        default_budget: Some(100),
        family: time_bounded(
            || TimeBoundedConfig { jump: true, ..TimeBoundedConfig::default() },
            &[R, C, TRACE, SWITCH],
        ),
    },
    Entry {
        name: "tb-wastar",
        title: "TB-WA* (Time-Bounded Weighted A*)",
        summary: "Like tba, with a weighted estimate: it finds a path sooner, so it makes fewer detours, and \
                  the whole walk is often shorter.",
        paper: HERNANDEZ_2014,
        facts: Facts {
            cost: "at most 2w times the optimum once the path to the goal is being followed; with \
                   trace=free, at most 2w times the optimum plus one step for every k expansions",
            ..TIME_BOUNDED
        },
        default_budget: Some(100),
        family: time_bounded(
            || searching(weighted(3, 1)),
            &[WEIGHT, REOPEN, R, C, TRACE, SHORTCUT, SWITCH, open()],
        ),
    },
    Entry {
        name: "tb-gbfs",
        title: "TB-GBFS (Time-Bounded Greedy Best-First Search)",
        summary: "Like tba, ordered by the estimate alone: the fewest steps back with small budgets, without \
                  any bound on the path.",
        paper: HERNANDEZ_2014,
        facts: Facts {
            method: Method::Greedy,
            cost_bound: CostBound::None,
            cost: "no bound",
            ..TIME_BOUNDED
        },
        default_budget: Some(100),
        family: time_bounded(
            || searching(Priority::GREEDY),
            &[R, C, TRACE, SHORTCUT, SWITCH, open()],
        ),
    },
    Entry {
        name: "rtba",
        title: "RTBA* (Restarting Time-Bounded A*)",
        summary: "TBA* for terrain that is discovered on the way: when a wall is seen across the path, the \
                  search restarts from the agent's position.",
        paper: HERNANDEZ_2012,
        facts: Facts {
            cost: "as tba where no restart is needed; run repeatedly from the same start (with \
                   shortcut=false) it converges to an optimal path",
            on_change: OnChange::RestartWhenCut,
            changes: "restarts its search when the path to the most promising node is cut: arrives in \
                      unknown terrain exactly when there is a path",
            ..TIME_BOUNDED
        },
        default_budget: Some(100),
        family: time_bounded(
            || restarting(Restart::Path, Priority::ASTAR),
            &[R, C, TRACE, SHORTCUT, SWITCH, open()],
        ),
    },
    Entry {
        name: "tbaa",
        title: "TBAA* (Time-Bounded Adaptive A*)",
        summary: "RTBA* that learns: each search raises the estimates of the nodes it expanded, which leads \
                  the next search around dead ends.",
        paper: HERNANDEZ_2012,
        facts: Facts {
            cost: "as tba (with a weight: tb-wastar) where no restart is needed; run repeatedly from the \
                   same start (with shortcut=false, reopen=false) it converges to a path of at most w \
                   times the optimum",
            on_change: OnChange::RestartWhenCut,
            changes: "as rtba; when something opens, the learned estimates are discarded, as they may be \
                      too high",
            retargets: "as tba; if it restarts, the learned estimates are kept, lowered by that of the new goal \
                        (Moving Target Adaptive A*)",
            ..TIME_BOUNDED
        },
        default_budget: Some(100),
        family: time_bounded(
            || learning(restarting(Restart::Path, Priority::ASTAR)),
            &[WEIGHT, REOPEN, R, C, TRACE, SHORTCUT, SWITCH, open()],
        ),
    },
    Entry {
        name: "rtb-wastar",
        title: "Repeated TB-WA*",
        summary: "TB-WA* for maps that change during the walk: the search restarts when the path ahead is \
                  cut, or a better one may have opened.",
        paper: HERNANDEZ_2014,
        facts: Facts {
            cost: "a path found while nothing changes is at most w times the optimum from where the \
                   search started",
            on_change: OnChange::RestartWhenCut,
            changes: "restarts its search when the path ahead is cut or a better one may have opened \
                      (restart=lazy), or whenever anything changed (restart=eager)",
            ..TIME_BOUNDED
        },
        default_budget: Some(100),
        family: time_bounded(
            || restarting(Restart::Lazy, weighted(3, 1)),
            &[WEIGHT, REOPEN, RESTART, R, C, TRACE, SHORTCUT, SWITCH, open()],
        ),
    },
    Entry {
        name: "rtb-gbfs",
        title: "Repeated TB-GBFS",
        summary: "TB-GBFS for maps that change during the walk: the search restarts when the path ahead is \
                  cut.",
        paper: HERNANDEZ_2014,
        facts: Facts {
            method: Method::Greedy,
            cost_bound: CostBound::None,
            cost: "no bound",
            on_change: OnChange::RestartWhenCut,
            changes: "as rtb-wastar, but a newly opened path is no reason to restart (restart=lazy), as \
                      no cost is guaranteed",
            ..TIME_BOUNDED
        },
        default_budget: Some(100),
        family: time_bounded(
            || restarting(Restart::Lazy, Priority::GREEDY),
            &[RESTART, R, C, TRACE, SHORTCUT, SWITCH, open()],
        ),
    },
    Entry {
        name: "lrta",
        title: "LRTA* (Learning Real-Time A*)",
        summary: "Looks ahead to a fixed depth in all directions, raises the estimate of its position, and \
                  steps towards the best node. If the budget does not cover the lookahead, it waits until it \
                  is complete.",
        paper: "Korf, \"Real-Time Heuristic Search\", 1990; as run by Björnsson et al. 2009",
        facts: Facts {
            first_move: FirstMove::AfterLookahead,
            method: Method::BallLookahead,
            retargets: "looks ahead again, and lowers its learned estimates by the cost of the goal's step; may \
                        never catch a goal that keeps moving",
            same_walk: true,
            cost_bound: CostBound::None,
            ..LEARNING
        },
        default_budget: None,
        family: Family::Local(Base {
            config: || looking(Lookahead::Ball { depth: 4 }),
            parameters: &[local::DEPTH],
        }),
    },
    Entry {
        name: "p-lrta",
        title: "P LRTA* (Prioritized LRTA*)",
        summary: "Looks one step ahead, and spends the rest of its budget on raising estimates: first that of \
                  its position, then those of the neighbors of the nodes raised most.",
        paper: "Rayner et al. 2007; as outlined by Björnsson et al. 2009",
        facts: Facts { method: Method::QueueLookahead, cost_bound: CostBound::None, ..LEARNING },
        default_budget: None,
        family: Family::Local(Base {
            config: || looking(Lookahead::Queue { length: 40 }),
            parameters: &[local::QUEUE],
        }),
    },
    Entry {
        name: "lss-lrta",
        title: "LSS-LRTA* (K LRTA*)",
        summary: "Looks ahead by A* for the whole budget, raises the estimates of all expanded nodes as far \
                  as the lookahead justifies, and steps towards the best open node.",
        paper: "Koenig 2004; Koenig, Sun 2009; as K LRTA* in Björnsson et al. 2009",
        facts: LEARNING,
        default_budget: Some(100),
        family: astar_shaped(|| by_astar(Update::Region, Avoid::Nothing)),
    },
    Entry {
        name: "rtaa",
        title: "RTAA* (Real-Time Adaptive A*)",
        summary: "Like lss-lrta, with a cheaper update: the estimates of all expanded nodes are raised using \
                  one number.",
        paper: "Koenig, Likhachev, \"Real-Time Adaptive A*\", AAMAS 2006; as run by Hernández et al. 2012",
        facts: LEARNING,
        default_budget: Some(100),
        family: astar_shaped(|| by_astar(Update::Uniform, Avoid::Nothing)),
    },
    Entry {
        name: "a-rtaa",
        title: "aRTAA* (RTAA* that marks and avoids)",
        summary: "Like rtaa, but walks towards an open node whose estimate was never raised, if there is one.",
        paper: "Hernández, Baier, \"Real-Time Adaptive A* with Depression Avoidance\", AIIDE 2011",
        facts: Facts { cost: "no bound", ..LEARNING },
        default_budget: Some(100),
        family: astar_shaped(|| by_astar(Update::Uniform, Avoid::Raised)),
    },
    Entry {
        name: "da-rtaa",
        title: "daRTAA* (RTAA* that moves to the border)",
        summary: "Like rtaa, but walks towards the open nodes whose estimates were raised least: out of the \
                  heuristic depression.",
        paper: "Hernández, Baier, \"Real-Time Adaptive A* with Depression Avoidance\", AIIDE 2011; \
                as run by Hernández et al. 2012",
        facts: Facts { cost: "no bound", ..LEARNING },
        default_budget: Some(100),
        family: astar_shaped(|| by_astar(Update::Uniform, Avoid::MostRaised)),
    },
    Entry {
        name: "repeated-astar",
        title: "Repeated A*",
        summary: "Like astar, for terrain that is discovered on the way: when a wall is seen across the path, \
                  the agent waits for a new search from its position.",
        paper: "as the complete search of Hernández et al. 2012",
        facts: REPLANNING,
        default_budget: None,
        family: time_bounded(replanning, &[open()]),
    },
    Entry {
        name: "adaptive-astar",
        title: "Adaptive A* (lazy)",
        summary: "Repeated A* that learns: each search raises the estimates of the nodes it expanded.",
        paper: "Koenig, Likhachev, \"A New Principle for Incremental Heuristic Search\", ICAPS 2006; as \
                run by Hernández et al. 2012",
        facts: Facts {
            changes: "as repeated-astar; when something opens, the learned estimates are discarded, as \
                      they may be too high",
            retargets: "as repeated-astar; if it restarts, the learned estimates are kept, lowered by that of the new goal \
                        (Moving Target Adaptive A*)",
            ..REPLANNING
        },
        default_budget: None,
        family: time_bounded(|| learning(replanning()), &[open()]),
    },
    Entry {
        name: "dstar-lite",
        title: "D* Lite",
        summary: "One search from the goal that is repaired where the map turns out to differ, instead of \
                  restarted; the agent waits for the repair.",
        paper: "Koenig, Likhachev, \"D* Lite\", AAAI 2002; as run by Hernández et al. 2012",
        facts: Facts {
            method: Method::Other,
            work: WorkBound::PerUnit { expansions: 1, traces: 0, updates: 10 },
            needs_reversible_edges: true,
            cost: "optimal on the map as it is known",
            on_change: OnChange::Repair,
            changes: "repairs its search for whatever was blocked or opened: always a shortest path on \
                      the map as it is known",
            retargets: "walks to where the goal was, and then along its trail; restarts its search, whose root is \
                        the goal, if it jumps, or when the trail is longer than the last search took in ticks",
            ..REPLANNING
        },
        default_budget: None,
        family: Family::DStarLite(Base {
            config: DStarLiteConfig::default,
            parameters: &[dstar_lite::TIES, open()],
        }),
    },
    Entry {
        name: "quickpath",
        title: "QuickPath",
        summary: "Descends the levels of the map's hierarchy without any search: any path, at once. If a step \
                  needs more than ten groups of nodes and the budget is 1, it waits for one tick.",
        paper: STURTEVANT,
        facts: Facts {
            first_move: FirstMove::AtOnce,
            work: WorkBound::PerUnit { expansions: 0, traces: 10, updates: 0 },
            cost: "no bound: the path is not searched for",
            changes: "the map repairs its hierarchy; climbs again from its position when its path is cut, \
                      and detects at once that there is no path",
            retargets: "drops the part of its path inside the smallest group that contains the agent and both \
                        goals",
            ..PLANNING
        },
        default_budget: Some(1),
        family: Family::QuickPath(Base { config: || (), parameters: &[] }),
    },
    Entry {
        name: "pra",
        title: "PRA* (Path-Refinement A*)",
        summary: "Plans coarsely on the levels of the map's hierarchy, and refines one segment at a time down \
                  to single steps while it walks the previous one; with k=inf, the whole path before the \
                  first step.",
        paper: STURTEVANT,
        facts: Facts {
            first_move: FirstMove::AfterSegment,
            refines: true,
            work: WorkBound::PerUnit { expansions: 1, traces: 10, updates: 0 },
            cost: "no bound; most walks are within 2 % of the optimum, with k=inf within 1 %",
            changes: "the map repairs its hierarchy; a segment that is cut is planned again; detects \
                      at once that there is no path",
            catches: true,
            retargets: "walks its segment, and plans the next one again below the lowest level on which the goal's \
                        node is the same; from a segment that leads to the goal, it follows the goal's trail",
            ..PLANNING
        },
        default_budget: Some(100),
        family: Family::Pra(Base {
            config: PraConfig::default,
            parameters: &[pra::K, pra::LEVEL, pra::CORRIDOR, pra::KEEP, open()],
        }),
    },
    Entry {
        name: "pr-lrta",
        title: "PR LRTA* (Path-Refinement LRTA*), our reconstruction",
        summary: "LRTA* on one level of the map's hierarchy; each of its steps is refined on the map by A* \
                  inside a corridor, and walked. Reconstructed from an outline: the original was not \
                  available.",
        paper: "Bulitko, Sturtevant, Lu, Yau, \"Graph Abstraction in Real-time Heuristic Search\", JAIR \
                2007; as outlined by Björnsson et al. 2009",
        facts: Facts {
            refines: true,
            no_openings: Some(ESTIMATES),
            cost: "no bound on the first walk",
            changes: "the map repairs its hierarchy; a path that is cut is planned again, and the \
                      learned estimates are kept; detects at once that there is no path",
            retargets: "walks its path to the end; keeps its learned estimates while the goal stays in its node of \
                        the level",
            ..PLANNING
        },
        default_budget: None,
        family: Family::PrLrta(Base {
            config: PrLrtaConfig::default,
            parameters: &[pr_lrta::LEVEL, pr_lrta::DEPTH, pr_lrta::GAMMA],
        }),
    },
    Entry {
        name: "d-lrta",
        title: "D LRTA* (LRTA* with dynamic control), our reconstruction",
        summary: "LRTA* from subgoal to subgoal, with a lookahead as deep as each subgoal needs. Uses tables of \
                  subgoals precomputed for the map (`Subgoals`, given to the map by `set_subgoals`); \
                  without them it is LRTA*. Reconstructed from an outline: the original was not \
                  available.",
        paper: "Bulitko, Luštrek, Schaeffer, Björnsson, Sigmundarson, \"Dynamic Control in Real-Time \
                Heuristic Search\", JAIR 2008; as outlined by Björnsson et al. 2009",
        facts: Facts {
            no_openings: Some(ESTIMATES),
            cost: "no bound; with tables for level 3 most walks are within 10 % of the optimum",
            changes: "any change invalidates the tables, and it continues as lrta; detects at once that \
                      there is no path",
            retargets: "keeps its subgoal while the goal stays in its node of the level; otherwise as lrta",
            ..PLANNING
        },
        default_budget: None,
        family: Family::DLrta(Base {
            config: DLrtaConfig::default,
            parameters: &[d_lrta::LEVEL, d_lrta::DEPTH],
        }),
    },
    Entry {
        name: "tick",
        title: "Tick*",
        summary: "Plans over regions of the map to the goal, and cell by cell a few regions at a time; what is \
                  left of each tick improves the path. Walks nearly shortest paths with ten units per tick.",
        paper: "this project: papers/tick-star.md",
        facts: Facts {
            complete: true,
            first_move: FirstMove::AtOnceThenCarefully,
            work: WorkBound::PerUnit { expansions: 1, traces: 10, updates: 2 },
            cost: "no bound; on game maps within 1 % of the optimum on average with ten units per tick, and \
                   optimal from where improving the path ends",
            gives_up: GivesUp::AfterSearch,
            needs_reversible_edges: true,
            needs_regions: true,
            on_change: OnChange::Repair,
            changes: "repairs its search over regions; a path that is cut is planned again from there: arrives \
                      in unknown terrain exactly when there is a path",
            catches: true,
            retargets: "extends its path by the goal's trail; restarts its search if the goal jumps, or the trail \
                        becomes long",
            ..Facts::NONE
        },
        default_budget: Some(10),
        family: Family::Tick(Base {
            config: TickConfig::default,
            parameters: &[
                tick::EARLY,
                tick::LOOK,
                tick::FIRST_LOOK,
                tick::AHEAD,
                tick::COARSE_WEIGHT,
                tick::LEG_WEIGHT,
                tick::POLISH,
                open(),
            ],
        }),
    },
];

/// Common to those that wait for a whole path on a known map.
const WAITING: Facts = Facts {
    complete: true,
    first_move: FirstMove::AfterPath,
    method: Method::Astar,
    work: WorkBound::ExpansionsOnly,
    same_walk: true,
    gives_up: GivesUp::AfterSearch,
    on_change: OnChange::RestartWhenBlocked,
    changes: STOPPED,
    catches: true,
    retargets: TRAIL,
    ..Facts::NONE
};

/// Common to those that search again when their path is cut.
const REPLANNING: Facts = Facts {
    cost_bound: CostBound::Optimal,
    cost: "each path is optimal on the map as it was known when it was searched",
    on_change: OnChange::RestartWhenCut,
    changes: "waits for a new search when the path is cut: arrives in unknown terrain exactly when there \
              is a path",
    ..WAITING
};

/// Common to the members of the time-bounded family that walk while they search.
const TIME_BOUNDED: Facts = Facts {
    complete: true,
    first_move: FirstMove::AtOnce,
    method: Method::Astar,
    work: WorkBound::Shared,
    cost_bound: CostBound::TwiceWeightedOnceFollowed,
    gives_up: GivesUp::AfterSearch,
    needs_reversible_edges: true,
    on_change: OnChange::RestartWhenBlocked,
    changes: STOPPED,
    catches: true,
    retargets: TRAIL,
    ..Facts::NONE
};

/// Common to the members of the learning family.
const LEARNING: Facts = Facts {
    complete: true,
    first_move: FirstMove::AtOnce,
    method: Method::AstarLookahead,
    work: WorkBound::PerUnit { expansions: 1, traces: 1, updates: 10 },
    cost_bound: CostBound::OptimalIfUnlimited,
    cost: "no bound on the first walk; walked repeatedly from the same start, it converges to an optimal \
           path",
    gives_up: GivesUp::Slowly,
    needs_reversible_edges: true,
    changes: "looks ahead on the map as it is known, and so walks around what it has seen: arrives in \
              unknown terrain if there is a path",
    no_openings: Some(ESTIMATES),
    retargets: "looks ahead again, and lowers its learned estimates by that of the new goal; may never catch a \
                goal that keeps moving",
    ..Facts::NONE
};

/// Common to those that plan on a hierarchy.
const PLANNING: Facts = Facts {
    complete: true,
    first_move: FirstMove::AfterLookahead,
    work: WorkBound::PerUnit { expansions: 1, traces: 10, updates: 10 },
    same_walk: true,
    gives_up: GivesUp::AtOnce,
    needs_reversible_edges: true,
    needs_hierarchy: true,
    ..Facts::NONE
};

/// The behavior of an agent that does not expect changes.
const STOPPED: &str =
    "restarts its search when its next step is blocked, or when it finds no path after a change";

/// What a search that is kept does about a goal that moves.
const TRAIL: &str = "keeps its search, walks to where the goal was, and then along its trail; ends the search early \
                     if the goal moves to a node it has generated; restarts it if the goal jumps far";

/// Why the learning family is not defined on maps where cells become free.
const ESTIMATES: &str = "it arrives by raising its estimates, which may be too high once something opens; \
                         it would have to discard them each time, and could walk back and forth forever";

const fn time_bounded(
    config: fn() -> TimeBoundedConfig,
    parameters: &'static [Setting<TimeBoundedConfig>],
) -> Family {
    Family::TimeBounded(Base { config, parameters })
}

/// Those of the learning family that look ahead by A*.
const fn astar_shaped(config: fn() -> LocalConfig) -> Family {
    const PARAMETERS: &[Setting<LocalConfig>] = &[local::MOVES, open()];
    Family::Local(Base { config, parameters: PARAMETERS })
}

fn looking(lookahead: Lookahead) -> LocalConfig {
    LocalConfig { lookahead, ..LocalConfig::default() }
}

fn by_astar(update: Update, avoid: Avoid) -> LocalConfig {
    looking(Lookahead::Astar { update, avoid, commitment: Commitment::Step })
}

fn weighted(num: u64, den: u64) -> Priority {
    let weight = Ratio::new(num, den).expect("a constant in range");
    Priority::weighted(weight).expect("a constant of at least one")
}

fn searching(priority: Priority) -> TimeBoundedConfig {
    let search = SearchConfig { priority, ..SearchConfig::default() };
    TimeBoundedConfig { search, ..TimeBoundedConfig::default() }
}

fn restarting(restart: Restart, priority: Priority) -> TimeBoundedConfig {
    TimeBoundedConfig { restart, ..searching(priority) }
}

fn learning(config: TimeBoundedConfig) -> TimeBoundedConfig {
    TimeBoundedConfig { search: SearchConfig { learn: true, ..config.search }, ..config }
}

/// A search that waits for its whole path.
fn complete(priority: Priority) -> TimeBoundedConfig {
    TimeBoundedConfig { acting: Acting::Wait, tracing: Tracing::Free, ..searching(priority) }
}

/// A* that searches again when its path is cut.
fn replanning() -> TimeBoundedConfig {
    TimeBoundedConfig { restart: Restart::Path, ..complete(Priority::ASTAR) }
}
