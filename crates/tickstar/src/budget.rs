//! The budget of one tick: the single gate every unit of work passes.

use std::fmt;

use crate::NodeId;

/// One unit of work about to be done, as shown to a [`Slice`]'s watcher.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// A node is taken from the open list and all its neighbours are looked at.
    Expand(NodeId),
    /// The same for a node of a level above the map, which stands for many nodes of it.
    ExpandAbove {
        /// The level, from one.
        level: usize,
        /// The node of that level.
        node: NodeId,
    },
    /// One parent pointer is followed.
    Trace(NodeId),
    /// What is known of a node is brought up to date, by a look at its neighbours or at its place on
    /// the open list, after the search and not as a part of it.
    Update(NodeId),
}

/// Something worth telling about a tick, beside the step itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The search knows a whole path to the goal.
    Found,
    /// A newly traced path is now the one to follow.
    Adopted,
    /// A newly traced path was refused, because it reaches less far than the one being followed.
    Kept,
    /// The step goes back along the branch the agent came by.
    Backtrack,
    /// There was nothing to follow at the root, so the agent stepped away from it and will return.
    Bounce,
    /// A shortcut to the known path was found while backtracking.
    Shortcut,
    /// The search began again from where the agent stands.
    Restart,
    /// The estimate of where the agent stands was raised.
    Learned,
    /// A further stretch of the way was worked out down to single steps; `plan` has it.
    Refined,
}

impl Event {
    /// Every event, in the order of their declaration.
    pub const ALL: [Event; 9] = [
        Event::Found,
        Event::Adopted,
        Event::Kept,
        Event::Backtrack,
        Event::Bounce,
        Event::Shortcut,
        Event::Restart,
        Event::Learned,
        Event::Refined,
    ];

    /// The event's name in traces.
    pub fn name(self) -> &'static str {
        match self {
            Event::Found => "found",
            Event::Adopted => "adopted",
            Event::Kept => "kept",
            Event::Backtrack => "backtrack",
            Event::Bounce => "bounce",
            Event::Shortcut => "shortcut",
            Event::Restart => "restart",
            Event::Learned => "learned",
            Event::Refined => "refined",
        }
    }
}

/// The most one tick may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Expansions.
    pub expansions: u64,
    /// Trace steps.
    pub traces: u64,
    /// Updates.
    pub updates: u64,
}

/// What one tick may spend, and what it has spent.
///
/// A slice begins with a budget of `R` units. A plain search spends them all on expansions; an
/// agent may split them into expansions and trace steps first. Nothing works past it.
///
/// ```
/// use tickstar::{NodeId, Slice};
/// let mut slice = Slice::new(2);
/// assert!(slice.expand(NodeId(7)) && slice.expand(NodeId(8)));
/// assert!(!slice.expand(NodeId(9)), "the budget is spent");
/// assert_eq!(slice.expansions(), 2);
/// ```
///
/// A limit in wall-clock time comes from outside, as a watcher that says when to stop:
///
/// ```
/// use std::time::{Duration, Instant};
/// use tickstar::Slice;
/// let deadline = Instant::now() + Duration::from_millis(1);
/// let mut in_time = |_work| Instant::now() < deadline;
/// let slice = Slice::watched(10_000, &mut in_time);
/// # drop(slice);
/// ```
pub struct Slice<'w> {
    budget: u64,
    /// How many expansions may have been done in all.
    expansion_limit: u64,
    trace_limit: u64,
    expansions: u64,
    traces: u64,
    updates: u64,
    events: u16,
    /// The level whose nodes are expanded.
    level: usize,
    /// The watcher has refused: no share gives the tick more to do.
    stopped: bool,
    watch: Option<&'w mut dyn FnMut(Work) -> bool>,
}

impl<'w> Slice<'w> {
    /// A budget of so many units, each good for one expansion.
    pub fn new(budget: u64) -> Slice<'w> {
        Slice {
            budget,
            expansion_limit: budget,
            trace_limit: u64::MAX,
            expansions: 0,
            traces: 0,
            updates: 0,
            events: 0,
            level: 0,
            stopped: false,
            watch: None,
        }
    }

    /// No limit.
    pub fn unlimited() -> Slice<'w> {
        Slice::new(u64::MAX)
    }

    /// As [`Slice::new`], with a watcher that sees each unit of work before it is done and may
    /// refuse it by answering `false`; the tick then does no more work.
    pub fn watched(budget: u64, watch: &'w mut dyn FnMut(Work) -> bool) -> Slice<'w> {
        Slice { watch: Some(watch), ..Slice::new(budget) }
    }

    /// The units this slice began with.
    pub fn budget(&self) -> u64 {
        self.budget
    }

    /// Splits the budget: from here on so many expansions and so many trace steps may be done.
    pub fn share(&mut self, expansions: u64, traces: u64) {
        if self.stopped {
            return;
        }
        self.expansion_limit = self.expansions.saturating_add(expansions).min(self.budget);
        self.trace_limit = self.traces.saturating_add(traces);
    }

    /// From here on nodes of this level are expanded: zero is the map itself, others are above it.
    pub fn on_level(&mut self, level: usize) {
        self.level = level;
    }

    /// Asks to expand a node; `false` means the budget is spent.
    #[inline]
    pub fn expand(&mut self, node: NodeId) -> bool {
        let work = match self.level {
            0 => Work::Expand(node),
            level => Work::ExpandAbove { level, node },
        };
        if self.expansions >= self.expansion_limit || !self.agreed(work) {
            return false;
        }
        self.expansions += 1;
        true
    }

    /// Asks to follow a parent pointer to this node; `false` means the budget is spent.
    #[inline]
    pub fn trace(&mut self, node: NodeId) -> bool {
        if self.traces >= self.trace_limit || !self.agreed(Work::Trace(node)) {
            return false;
        }
        self.traces += 1;
        true
    }

    /// Asks to bring a node up to date; `false` means the tick is over. How many updates a tick may do
    /// is for the agent to bound: see [`Agent::limits`](crate::Agent::limits).
    #[inline]
    pub fn update(&mut self, node: NodeId) -> bool {
        if self.stopped || !self.agreed(Work::Update(node)) {
            return false;
        }
        self.updates += 1;
        true
    }

    #[inline]
    fn agreed(&mut self, work: Work) -> bool {
        match &mut self.watch {
            None => true,
            Some(watch) => {
                let go_on = watch(work);
                if !go_on {
                    self.expansion_limit = 0;
                    self.trace_limit = 0;
                    self.stopped = true;
                    self.watch = None;
                }
                go_on
            }
        }
    }

    /// Notes an event of this tick.
    pub fn note(&mut self, event: Event) {
        self.events |= 1 << event as u16;
    }

    /// Expansions done so far.
    pub fn expansions(&self) -> u64 {
        self.expansions
    }

    /// Trace steps done so far.
    pub fn traces(&self) -> u64 {
        self.traces
    }

    /// Updates done so far.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// Whether this event was noted.
    pub fn has(&self, event: Event) -> bool {
        self.events & (1 << event as u16) != 0
    }

    /// The events noted, in a fixed order.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        let events = self.events;
        Event::ALL.into_iter().filter(move |&event| events & (1 << event as u16) != 0)
    }
}

impl fmt::Debug for Slice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slice")
            .field("budget", &self.budget)
            .field("expansions", &self.expansions)
            .field("traces", &self.traces)
            .field("updates", &self.updates)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_bound_each_kind_of_work_and_never_exceed_the_budget() {
        let mut slice = Slice::new(10);
        slice.share(100, 3);
        assert_eq!((0..50).filter(|&n| slice.expand(NodeId(n))).count(), 10);
        assert_eq!((0..50).filter(|&n| slice.trace(NodeId(n))).count(), 3);
    }

    #[test]
    fn a_watcher_that_refuses_ends_the_tick() {
        let mut seen = 0;
        let mut watch = |_| {
            seen += 1;
            seen <= 4
        };
        let mut slice = Slice::watched(100, &mut watch);
        assert_eq!((0..50).filter(|&n| slice.expand(NodeId(n))).count(), 4);
        assert!(!slice.trace(NodeId(0)) && !slice.update(NodeId(0)));
        slice.share(50, 50);
        assert!(!slice.trace(NodeId(0)) && !slice.expand(NodeId(0)), "whatever it is given");
        assert_eq!(slice.expansions(), 4);
    }
}
