//! The list itself: a row an algorithm.

use super::{Entry, Family, Guarantees, Parameter};
use crate::{
    Acting, Avoid, Commitment, DLrtaConfig, DStarLiteConfig, Lesson, LocalConfig, Lookahead,
    PrLrtaConfig, PraConfig, Priority, Restart, SearchConfig, TimeBoundedConfig, Tracing,
};

const OPEN: Parameter = Parameter {
    name: "open",
    default: "buckets",
    meaning: "the open list: buckets or heap; the walk is the same with both",
};
const R: Parameter = Parameter {
    name: "r",
    default: "0.9",
    meaning: "share of the budget that goes to expansions, above 0 and below 1 (with trace=bounded)",
};
const C: Parameter = Parameter {
    name: "c",
    default: "10",
    meaning: "trace steps for the price of one expansion, above 0 (with trace=bounded)",
};
const TRACE: Parameter = Parameter {
    name: "trace",
    default: "bounded",
    meaning: "bounded: tracing is paid from the budget (2009); \
              free: the budget is k expansions and tracing is not counted (2012)",
};

const SHORTCUT: Parameter = Parameter {
    name: "shortcut",
    default: "false",
    meaning: "enhancement 1: look for a shortcut to the known path while walking back",
};
const SWITCH: Parameter = Parameter {
    name: "switch",
    default: "false",
    meaning: "enhancement 2: do not leave a path for one that reaches less far",
};
const REOPEN: Parameter = Parameter {
    name: "reopen",
    default: "false",
    meaning: "open a closed node again when a cheaper way to it is found",
};
const RESTART: Parameter = Parameter {
    name: "restart",
    default: "lazy",
    meaning: "lazy: search anew when the way ahead is cut, or a way that has opened may be better by \
              more than the weight; eager: whenever anything has changed",
};

const fn weight(default: &'static str) -> Parameter {
    Parameter {
        name: "weight",
        default,
        meaning: "the weight w, 1 or more; a decimal or a fraction such as 7/5",
    }
}

/// What an agent does that does not expect changes.
const STOPPED: &str =
    "searches anew when its next step is blocked, or it finds no way after a change";

/// Of RTBA* and TBAA*.
const PATH: &str = "searches anew when the path to the most promising node is cut: arrives in unknown \
                    terrain exactly when there is a way";

/// Of repeated time-bounded searches.
const REPEATED: &str = "searches anew when the way ahead is cut, or may be bettered by one that has \
                        opened (restart=lazy), or whenever anything has changed (restart=eager)";

/// Of those that stand until they have a whole path, and search anew when it is cut.
const REPLANS: &str = "searches anew, standing, when the path is cut: arrives in unknown terrain exactly \
                       when there is a way";

/// Why the learning ones are not for maps that open.
const ESTIMATES: &str = "it arrives by raising its estimates, which may be too large once something opens; \
                         it would have to forget them each time, and could walk to and fro for ever";

const MOVES: Parameter = Parameter {
    name: "moves",
    default: "one",
    meaning: "one: a step for each search (2012); all: to the target of the search, then the next",
};

const STURTEVANT: &str = "Sturtevant, Buro, \"Partial Pathfinding Using Map Abstraction and Refinement\", \
                         AAAI 2005";
const BJORNSSON: &str = "Björnsson, Bulitko, Sturtevant, \"TBA*: Time-Bounded A*\", IJCAI 2009";
const HERNANDEZ_2012: &str =
    "Hernández, Baier, Uras, Koenig, \"Time-Bounded Adaptive A*\", AAMAS 2012";
const HERNANDEZ_2014: &str = "Hernández, Asín, Baier, \"Time-Bounded Best-First Search\", 2014";

pub(super) static ENTRIES: [Entry; 24] = [
    Entry {
        name: "astar",
        title: "A*",
        summary: "Searches for a cheapest path, over as many ticks as it needs, while the agent \
                  stands and waits; then walks it.",
        paper: "Hart, Nilsson, Raphael 1968; as the complete search of Hernández et al. 2012",
        parameters: &[OPEN],
        guarantees: Guarantees {
            complete: true,
            acts_at_once: false,
            bounded_tick: false,
            needs_reversible_edges: false,
            needs_hierarchy: false,
            slow_to_give_up: false,
            no_openings: None,
            cost: "optimal",
            changes: STOPPED,
        },
        default_budget: None,
        base: || time_bounded(complete(Priority::ASTAR)),
    },
    Entry {
        name: "wastar",
        title: "Weighted A*",
        summary: "As astar, with the estimate weighted: fewer expansions, a path at most w times \
                  the cheapest.",
        paper: "Pohl 1970",
        parameters: &[weight("1.5"), REOPEN, OPEN],
        guarantees: Guarantees {
            complete: true,
            acts_at_once: false,
            bounded_tick: false,
            needs_reversible_edges: false,
            needs_hierarchy: false,
            slow_to_give_up: false,
            no_openings: None,
            cost: "at most w times the optimum",
            changes: STOPPED,
        },
        default_budget: None,
        base: || time_bounded(complete(Priority::ASTAR)),
    },
    Entry {
        name: "gbfs",
        title: "Greedy best-first search",
        summary: "As astar, by the estimate alone: fast, and no promise about the path.",
        paper: "Pearl 1984",
        parameters: &[OPEN],
        guarantees: Guarantees {
            complete: true,
            acts_at_once: false,
            bounded_tick: false,
            needs_reversible_edges: false,
            needs_hierarchy: false,
            slow_to_give_up: false,
            no_openings: None,
            cost: "no bound",
            changes: STOPPED,
        },
        default_budget: None,
        base: || time_bounded(complete(Priority::GREEDY)),
    },
    Entry {
        name: "late-astar",
        title: "Late-acting A*",
        summary: "A time-sliced A* that steps to and fro at the start until it knows the path: \
                  the comparison in table 1 of the TBA* paper.",
        paper: BJORNSSON,
        parameters: &[R, C, TRACE, OPEN],
        guarantees: Guarantees {
            complete: true,
            acts_at_once: false,
            bounded_tick: true,
            needs_reversible_edges: true,
            needs_hierarchy: false,
            slow_to_give_up: false,
            no_openings: None,
            cost: "the optimum, and a step for every tick spent searching",
            changes: STOPPED,
        },
        default_budget: Some(100),
        base: || {
            let late = TimeBoundedConfig::default();
            time_bounded(TimeBoundedConfig { acting: Acting::Late, ..late })
        },
    },
    Entry {
        name: "tba",
        title: "TBA* (Time-Bounded A*)",
        summary: "One A* search over all ticks; each tick the agent steps along the best path known \
                  so far, or back towards it.",
        paper: BJORNSSON,
        parameters: &[R, C, TRACE, SHORTCUT, SWITCH, OPEN],
        guarantees: Guarantees {
            cost: "at most twice the optimum once the path to the goal is being followed",
            ..TIME_BOUNDED
        },
        default_budget: Some(100),
        base: || time_bounded(TimeBoundedConfig::default()),
    },
    Entry {
        name: "tb-wastar",
        title: "TB-WA* (Time-Bounded Weighted A*)",
        summary: "As tba, with the estimate weighted: it knows a path sooner, and so walks astray \
                  less, and often even shorter.",
        paper: HERNANDEZ_2014,
        parameters: &[weight("3"), REOPEN, R, C, TRACE, SHORTCUT, SWITCH, OPEN],
        guarantees: Guarantees {
            cost: "at most 2w times the optimum once the path to the goal is being followed; with \
                   trace=free, at most 2w times the optimum and a step for each k expansions in all",
            ..TIME_BOUNDED
        },
        default_budget: Some(100),
        base: || time_bounded(TimeBoundedConfig::default()),
    },
    Entry {
        name: "tb-gbfs",
        title: "TB-GBFS (Time-Bounded Greedy Best-First Search)",
        summary: "As tba, by the estimate alone: the fewest steps back with small budgets, and no \
                  promise about the path.",
        paper: HERNANDEZ_2014,
        parameters: &[R, C, TRACE, SHORTCUT, SWITCH, OPEN],
        guarantees: Guarantees { cost: "no bound", ..TIME_BOUNDED },
        default_budget: Some(100),
        base: || time_bounded(greedy()),
    },
    Entry {
        name: "rtba",
        title: "RTBA* (Restarting Time-Bounded A*)",
        summary: "TBA* for terrain that is discovered on the way: when a wall is seen across the \
                  path, the search begins again from where the agent stands.",
        paper: HERNANDEZ_2012,
        parameters: &[R, C, TRACE, SHORTCUT, SWITCH, OPEN],
        guarantees: Guarantees {
            cost: "as tba where no restart is needed; run again and again from the same start (with \
                   shortcut=false) it ends on an optimal path",
            changes: PATH,
            ..TIME_BOUNDED
        },
        default_budget: Some(100),
        base: || time_bounded(restarting(Restart::Path)),
    },
    Entry {
        name: "tbaa",
        title: "TBAA* (Time-Bounded Adaptive A*)",
        summary: "RTBA* that learns: each search raises the estimates of what it has expanded, and the \
                  next is led round the dead ends.",
        paper: HERNANDEZ_2012,
        parameters: &[weight("1"), REOPEN, R, C, TRACE, SHORTCUT, SWITCH, OPEN],
        guarantees: Guarantees {
            cost: "as tba (with a weight: tb-wastar) where no restart is needed; run again and again \
                   from the same start (with shortcut=false, reopen=false) it ends on a path of at \
                   most w times the optimum",
            changes: "as rtba; when something opens, what was learned is forgotten, as it may be wrong",
            ..TIME_BOUNDED
        },
        default_budget: Some(100),
        base: || time_bounded(learning(restarting(Restart::Path))),
    },
    Entry {
        name: "rtb-wastar",
        title: "Repeated TB-WA*",
        summary: "TB-WA* for maps that change under its feet: the search begins again when the way \
                  ahead is cut, or a better one may have opened.",
        paper: HERNANDEZ_2014,
        parameters: &[weight("3"), REOPEN, RESTART, R, C, TRACE, SHORTCUT, SWITCH, OPEN],
        guarantees: Guarantees {
            cost: "a path found while nothing changes is at most w times the optimum from where the \
                   search began",
            changes: REPEATED,
            ..TIME_BOUNDED
        },
        default_budget: Some(100),
        base: || time_bounded(restarting(Restart::Lazy)),
    },
    Entry {
        name: "rtb-gbfs",
        title: "Repeated TB-GBFS",
        summary: "TB-GBFS for maps that change under its feet.",
        paper: HERNANDEZ_2014,
        parameters: &[RESTART, R, C, TRACE, SHORTCUT, SWITCH, OPEN],
        guarantees: Guarantees {
            cost: "no bound",
            changes: "as rtb-wastar, but a way that has opened is no reason: it promises no cost",
            ..TIME_BOUNDED
        },
        default_budget: Some(100),
        base: || time_bounded(TimeBoundedConfig { restart: Restart::Lazy, ..greedy() }),
    },
    Entry {
        name: "lrta",
        title: "LRTA* (Learning Real-Time A*)",
        summary: "Looks so many steps ahead in all directions, raises the estimate of where it stands, \
                  and steps towards the best. Where the budget is too small for that, it waits until \
                  it has looked.",
        paper: "Korf, \"Real-Time Heuristic Search\", 1990; as run by Björnsson et al. 2009",
        parameters: &[Parameter {
            name: "depth",
            default: "4",
            meaning: "the steps it looks ahead, 1 or more (the 2009 paper: 4 to 16)",
        }],
        guarantees: LEARNING,
        default_budget: None,
        base: || local(Lookahead::Ball { depth: 4 }),
    },
    Entry {
        name: "p-lrta",
        title: "P LRTA* (Prioritized LRTA*)",
        summary: "Looks one step ahead, and then spends its thinking on raising estimates: of where \
                  it stands first, then of those beside the ones raised most.",
        paper: "Rayner et al. 2007; as outlined by Björnsson et al. 2009",
        parameters: &[Parameter {
            name: "queue",
            default: "40",
            meaning: "the longest the queue may be, and the most updates of it a tick, 0 to 10000 \
                      (the 2009 paper: 10 to 250)",
        }],
        guarantees: LEARNING,
        default_budget: None,
        base: || local(Lookahead::Queue { length: 40 }),
    },
    Entry {
        name: "lss-lrta",
        title: "LSS-LRTA* (K LRTA*)",
        summary: "Looks ahead by A* for the whole budget, raises the estimates of all it has expanded as \
                  far as can be known, and steps towards the best open node.",
        paper: "Koenig 2004; Koenig, Sun 2009; as K LRTA* in Björnsson et al. 2009",
        parameters: &[MOVES, OPEN],
        guarantees: LEARNING,
        default_budget: Some(100),
        base: || astar_shaped(Lesson::Region, Avoid::Nothing),
    },
    Entry {
        name: "rtaa",
        title: "RTAA* (Real-Time Adaptive A*)",
        summary: "As lss-lrta, with a quicker lesson: all it has expanded is raised by one number.",
        paper: "Koenig, Likhachev, \"Real-Time Adaptive A*\", AAMAS 2006; as run by Hernández et al. 2012",
        parameters: &[MOVES, OPEN],
        guarantees: LEARNING,
        default_budget: Some(100),
        base: || astar_shaped(Lesson::Uniform, Avoid::Nothing),
    },
    Entry {
        name: "a-rtaa",
        title: "aRTAA* (RTAA* that marks and avoids)",
        summary: "As rtaa, but walks towards an open node whose estimate was never raised, if there \
                  is one.",
        paper: "Hernández, Baier, \"Real-Time Adaptive A* with Depression Avoidance\", AIIDE 2011",
        parameters: &[MOVES, OPEN],
        guarantees: Guarantees { cost: "no bound", ..LEARNING },
        default_budget: Some(100),
        base: || astar_shaped(Lesson::Uniform, Avoid::Raised),
    },
    Entry {
        name: "da-rtaa",
        title: "daRTAA* (RTAA* that moves to the border)",
        summary: "As rtaa, but walks towards the open nodes whose estimates were raised least: out of \
                  the depression.",
        paper: "Hernández, Baier, \"Real-Time Adaptive A* with Depression Avoidance\", AIIDE 2011; \
                as run by Hernández et al. 2012",
        parameters: &[MOVES, OPEN],
        guarantees: Guarantees { cost: "no bound", ..LEARNING },
        default_budget: Some(100),
        base: || astar_shaped(Lesson::Uniform, Avoid::MostRaised),
    },
    Entry {
        name: "repeated-astar",
        title: "Repeated A*",
        summary: "As astar, for terrain that is discovered on the way: when a wall is seen across the \
                  path, it stands and searches again from there.",
        paper: "as the complete search of Hernández et al. 2012",
        parameters: &[OPEN],
        guarantees: Guarantees {
            cost: "each path is optimal on the map as it was known when it was searched",
            ..REPLANNING
        },
        default_budget: None,
        base: || time_bounded(replanning()),
    },
    Entry {
        name: "adaptive-astar",
        title: "Adaptive A* (lazy)",
        summary: "Repeated A* that learns: each search raises the estimates of what it has expanded.",
        paper: "Koenig, Likhachev, \"A New Principle for Incremental Heuristic Search\", ICAPS 2006; as \
                run by Hernández et al. 2012",
        parameters: &[OPEN],
        guarantees: Guarantees {
            cost: "each path is optimal on the map as it was known when it was searched",
            changes: "as repeated-astar; when something opens, what was learned is forgotten, as it \
                      may be wrong",
            ..REPLANNING
        },
        default_budget: None,
        base: || time_bounded(learning(replanning())),
    },
    Entry {
        name: "dstar-lite",
        title: "D* Lite",
        summary: "One search from the goal that is mended where the map turns out to be another, instead \
                  of begun again; the agent stands until it is.",
        paper: "Koenig, Likhachev, \"D* Lite\", AAAI 2002; as run by Hernández et al. 2012",
        parameters: &[
            Parameter {
                name: "ties",
                default: "far",
                meaning: "of equally good nodes, far: the one nearest to the agent first (2012); near: \
                          the one nearest to the goal (2002)",
            },
            OPEN,
        ],
        guarantees: Guarantees {
            bounded_tick: true,
            needs_reversible_edges: true,
            cost: "optimal on the map as it is known",
            changes: "mends its search for whatever has been blocked or opened: always a shortest way on \
                      the map as it is known",
            ..REPLANNING
        },
        default_budget: None,
        base: || Family::DStarLite(DStarLiteConfig::default()),
    },
    Entry {
        name: "quickpath",
        title: "QuickPath",
        summary: "Walks down the levels of an abstraction of the map without any search: any way, at once. \
                  Where it needs more than ten groups of nodes for a step and has a budget of one, it \
                  waits a tick.",
        paper: STURTEVANT,
        parameters: &[],
        guarantees: Guarantees {
            acts_at_once: true,
            cost: "no bound: a way that was not looked for",
            changes: "the map mends its abstraction; climbs again from where it stands when its way is \
                      cut, and knows at once that there is none",
            ..PLANNING
        },
        default_budget: Some(1),
        base: || Family::QuickPath,
    },
    Entry {
        name: "pra",
        title: "PRA* (Path-Refinement A*)",
        summary: "Plans coarsely on an abstraction of the map, and refines a stretch at a time down to \
                  single steps while it walks the one before; with k=inf the whole path, before the \
                  first step.",
        paper: STURTEVANT,
        parameters: &[
            Parameter {
                name: "k",
                default: "16",
                meaning: "the steps after which a path is cut, on every level, 1 or more, or inf (the \
                          paper: 2, 4, 8, 16, inf)",
            },
            Parameter {
                name: "level",
                default: "auto",
                meaning: "where planning begins, given the level on which start and goal are one node or \
                          joined. half: half as high, as in the paper; top: there; a number: on that \
                          level, if it is below; auto: as half, and so low that the next level has \
                          four times as many nodes as the root of all cells",
            },
            Parameter {
                name: "corridor",
                default: "1",
                meaning: "how wide the corridor of a path is. 0: its nodes; 1: also their neighbours",
            },
            Parameter {
                name: "keep",
                default: "true",
                meaning: "keep the paths of the levels above from one stretch to the next",
            },
            OPEN,
        ],
        guarantees: Guarantees {
            cost: "no bound; most walks are within 2 % of the optimum, with k=inf within 1 %",
            changes: "the map mends its abstraction; a stretch that was cut is planned anew, and that \
                      there is no way is known at once",
            ..PLANNING
        },
        default_budget: Some(100),
        base: || Family::Pra(PraConfig::default()),
    },
    Entry {
        name: "pr-lrta",
        title: "PR LRTA* (Path-Refinement LRTA*), our reconstruction",
        summary: "LRTA* on a level of an abstraction of the map; each step of it is worked out on the map \
                  by A* inside a corridor, and walked. Made after an outline: the original was not at \
                  hand.",
        paper: "Bulitko, Sturtevant, Lu, Yau, \"Graph Abstraction in Real-time Heuristic Search\", JAIR \
                2007; as outlined by Björnsson et al. 2009",
        parameters: &[
            Parameter {
                name: "level",
                default: "4",
                meaning: "the level on which it looks ahead and learns, 1 or more; where the map has \
                          fewer levels, the highest (the 2009 paper: 3 to 7)",
            },
            Parameter {
                name: "depth",
                default: "3",
                meaning: "the steps it looks ahead on that level, 1 or more (the 2009 paper: 1, 3, 5, \
                          10, 15)",
            },
            Parameter {
                name: "gamma",
                default: "1",
                meaning: "the weight of costs against estimates, above 0 and at most 1, with two \
                          decimals at most (the 2009 paper: 0.2, 0.4, 0.6, 1)",
            },
        ],
        guarantees: Guarantees {
            acts_at_once: true,
            no_openings: Some(ESTIMATES),
            cost: "no bound on the first walk",
            changes: "the map mends its abstraction; a path that is cut is planned anew, what was learned \
                      is kept, and that there is no way is known at once",
            ..PLANNING
        },
        default_budget: None,
        base: || Family::PrLrta(PrLrtaConfig::default()),
    },
    Entry {
        name: "d-lrta",
        title: "D LRTA* (LRTA* with dynamic control), our reconstruction",
        summary: "LRTA* from subgoal to subgoal, looking as far ahead as each of them needs. Wants tables \
                  of subgoals that were made for the map beforehand (`Subgoals`, given to the map by \
                  `set_subgoals`); without them it is LRTA*. Made after an outline: the original was \
                  not at hand.",
        paper: "Bulitko, Luštrek, Schaeffer, Björnsson, Sigmundarson, \"Dynamic Control in Real-Time \
                Heuristic Search\", JAIR 2008; as outlined by Björnsson et al. 2009",
        parameters: &[
            Parameter {
                name: "level",
                default: "3",
                meaning: "the level of the tables, 1 or more; those of another level are not used (the \
                          2009 paper: 3)",
            },
            Parameter {
                name: "depth",
                default: "4",
                meaning: "the steps it looks ahead where there is no subgoal, 1 or more",
            },
        ],
        guarantees: Guarantees {
            acts_at_once: true,
            no_openings: Some(ESTIMATES),
            cost: "no bound; with tables for level 3 most walks are within 10 % of the optimum",
            changes: "any change makes the tables useless, and it goes on as lrta; that there is no way is \
                      known at once",
            ..PLANNING
        },
        default_budget: None,
        base: || Family::DLrta(DLrtaConfig::default()),
    },
];

/// What all that plan on a hierarchy have in common.
const PLANNING: Guarantees = Guarantees {
    complete: true,
    acts_at_once: false,
    bounded_tick: true,
    needs_reversible_edges: true,
    needs_hierarchy: true,
    slow_to_give_up: false,
    no_openings: None,
    cost: "",
    changes: "",
};

/// What all members of the time-bounded family have in common.
const TIME_BOUNDED: Guarantees = Guarantees {
    complete: true,
    acts_at_once: true,
    bounded_tick: true,
    needs_reversible_edges: true,
    needs_hierarchy: false,
    slow_to_give_up: false,
    no_openings: None,
    cost: "",
    changes: STOPPED,
};

/// What all members of the learning family have in common.
const LEARNING: Guarantees = Guarantees {
    complete: true,
    acts_at_once: true,
    bounded_tick: true,
    needs_reversible_edges: true,
    needs_hierarchy: false,
    slow_to_give_up: true,
    no_openings: Some(ESTIMATES),
    cost: "no bound on the first walk; walked again and again from the same start, what is learned leads \
           it to an optimal path",
    changes: "looks ahead on the map as it is known, and so walks round what it has seen: arrives in \
              unknown terrain if there is a way",
};

/// What those have in common that stand until they have a whole path.
const REPLANNING: Guarantees = Guarantees {
    complete: true,
    acts_at_once: false,
    bounded_tick: false,
    needs_reversible_edges: false,
    needs_hierarchy: false,
    slow_to_give_up: false,
    no_openings: None,
    cost: "",
    changes: REPLANS,
};

fn local(lookahead: Lookahead) -> Family {
    Family::Local(LocalConfig { lookahead, ..LocalConfig::default() })
}

fn astar_shaped(lesson: Lesson, avoid: Avoid) -> Family {
    local(Lookahead::Astar { lesson, avoid, commitment: Commitment::Step })
}

/// A* that searches anew when its path is cut.
fn replanning() -> TimeBoundedConfig {
    TimeBoundedConfig { restart: Restart::Path, ..complete(Priority::ASTAR) }
}

fn time_bounded(config: TimeBoundedConfig) -> Family {
    Family::TimeBounded(config)
}

fn learning(config: TimeBoundedConfig) -> TimeBoundedConfig {
    TimeBoundedConfig { search: SearchConfig { learn: true, ..config.search }, ..config }
}

fn greedy() -> TimeBoundedConfig {
    let search = SearchConfig { priority: Priority::GREEDY, ..SearchConfig::default() };
    TimeBoundedConfig { search, ..TimeBoundedConfig::default() }
}

fn restarting(restart: Restart) -> TimeBoundedConfig {
    TimeBoundedConfig { restart, ..TimeBoundedConfig::default() }
}

/// A search that waits for its whole path.
fn complete(priority: Priority) -> TimeBoundedConfig {
    TimeBoundedConfig {
        search: SearchConfig { priority, ..SearchConfig::default() },
        acting: Acting::Wait,
        tracing: Tracing::Free,
        ..TimeBoundedConfig::default()
    }
}
