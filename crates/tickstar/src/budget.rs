//! The budget of one tick: the single gate every unit of work passes.

use std::fmt;

use crate::NodeId;

/// One unit of work about to be done, as shown to a [`Slice`]'s watcher.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Work {
    /// A node is taken from the open list and its neighbors are generated.
    Expand {
        /// Zero for the map itself, and the number of the level for one of its hierarchy.
        level: usize,
        /// The node of that level.
        node: NodeId,
    },
    /// One parent pointer is followed, or as much is done as that takes.
    Trace(NodeId),
    /// What is known of a node is updated, by a look at its neighbors or at its place on the open list, after
    /// the search and not as a part of it.
    Update(NodeId),
}

/// Something worth reporting about a tick, beside the step itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
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
    /// The learned heuristic of where the agent stands was raised.
    Learned,
    /// A further segment of the path was refined down to single steps; `plan` returns it.
    Refined,
}

impl Event {
    /// Every event, in the order of their declaration.
    pub const ALL: &'static [Event] = &[
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

/// At most so many of each kind of work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Expansions.
    pub expansions: u64,
    /// Trace steps.
    pub traces: u64,
    /// Updates.
    pub updates: u64,
}

impl Limits {
    /// No limit.
    pub const NONE: Limits = Limits { expansions: u64::MAX, traces: u64::MAX, updates: u64::MAX };

    /// One expansion, ten trace steps and ten updates per unit.
    ///
    /// LSS-LRTA* needs two updates per expansion, to learn all it can in the tick in which it has searched; and
    /// with ten, the smallest budget takes in a changed cell of a grid, which concerns nine nodes, in one tick
    /// of D* Lite.
    pub fn per_unit(units: u64) -> Limits {
        let ten = units.saturating_mul(10);
        Limits { expansions: units, traces: ten, updates: ten }
    }
}

/// What a kind of work costs, in parts of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Prices {
    trace: u64,
    update: u64,
    change: u64,
    /// Per entry of an open list that is visited to put it in order.
    entry: u64,
}

/// The parts of a unit; an expansion costs one unit.
const UNIT: u64 = 80;

impl Prices {
    /// As the papers count: only expansions cost anything.
    const PAPERS: Prices = Prices { trace: 0, update: 0, change: 0, entry: 0 };
    /// As measured, rounded: see `cargo bench --bench rivals`. An expansion takes 50 to 60 ns, a trace step a
    /// tenth of that, an update about half, a change a look-up or two, and an entry of a bucket some 3 ns.
    const METERED: Prices =
        Prices { trace: UNIT / 10, update: UNIT / 2, change: UNIT / 4, entry: UNIT / 20 };
}

/// What one tick may spend, and what it has spent: the one gate that all work passes.
///
/// A slice begins with a budget of some units; an expansion costs one unit. There are two ways to count the
/// rest:
///
/// * [`Slice::new`] counts as the papers do. Only expansions are paid for; trace steps and updates are free, but
///   an agent has a limit on each of them too ([`AgentState::limits`](crate::AgentState::limits)).
/// * [`Slice::metered`] is one currency for everything. A trace step costs a tenth of a unit, an update half of
///   one, and what cannot be refused (taking in reported changes, sorting a bucket of the open list) is deducted
///   from what is left. So the time a tick takes follows its budget, whatever the agent does.
///
/// ```
/// use tickstar::{NodeId, Slice};
/// let mut slice = Slice::new(2);
/// assert!(slice.expand(NodeId(7)) && slice.expand(NodeId(8)));
/// assert!(!slice.expand(NodeId(9)), "the budget is spent");
/// assert_eq!(slice.expansions(), 2);
/// ```
///
/// A part of a slice can be lent. What is not used of it is still there afterwards:
///
/// ```
/// use tickstar::{NodeId, Slice};
/// let mut slice = Slice::metered(10);
/// let done = slice.part(4, |part| (0..).take_while(|&n| part.expand(NodeId(n))).count());
/// assert_eq!((done, slice.remaining()), (4, 6));
/// slice.part(4, |part| part.trace(NodeId(3)));
/// assert_eq!(slice.remaining(), 5);
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
    /// What is left of it, in parts of a unit.
    left: u64,
    prices: Prices,
    /// How much of each kind of work may have been done in all.
    most: Limits,
    expansions: u64,
    traces: u64,
    updates: u64,
    events: u16,
    /// The level whose nodes are expanded.
    level: usize,
    /// The watcher has refused: nothing more is done in this tick.
    stopped: bool,
    watch: Option<&'w mut dyn FnMut(Work) -> bool>,
}

impl<'w> Slice<'w> {
    /// A budget of so many expansions, counted as the papers do.
    pub fn new(budget: u64) -> Slice<'w> {
        Slice {
            budget,
            left: budget.saturating_mul(UNIT),
            prices: Prices::PAPERS,
            most: Limits::NONE,
            expansions: 0,
            traces: 0,
            updates: 0,
            events: 0,
            level: 0,
            stopped: false,
            watch: None,
        }
    }

    /// A budget of so many units, from which all work is paid.
    pub fn metered(budget: u64) -> Slice<'w> {
        Slice { prices: Prices::METERED, ..Slice::new(budget) }
    }

    /// No limit.
    pub fn unlimited() -> Slice<'w> {
        Slice::new(u64::MAX)
    }

    /// As [`Slice::new`], with a watcher that sees each unit of work before it is done and may
    /// refuse it by returning `false`; the tick then does no more work.
    pub fn watched(budget: u64, watch: &'w mut dyn FnMut(Work) -> bool) -> Slice<'w> {
        Slice::new(budget).with_watcher(watch)
    }

    /// The same slice with a watcher: see [`Slice::watched`].
    #[must_use]
    pub fn with_watcher(self, watch: &'w mut dyn FnMut(Work) -> bool) -> Slice<'w> {
        Slice { watch: Some(watch), ..self }
    }

    /// The units this slice began with.
    pub fn budget(&self) -> u64 {
        self.budget
    }

    /// The expansions that can still be paid for.
    pub fn remaining(&self) -> u64 {
        let allowed = self.most.expansions.saturating_sub(self.expansions);
        if self.stopped { 0 } else { allowed.min(self.left / UNIT) }
    }

    /// The expansions that can be done so that so many updates and trace steps for each of them can still be
    /// paid for; at least one, if one can be paid for.
    pub fn remaining_with(&self, updates: u64, traces: u64) -> u64 {
        let price = UNIT + updates * self.prices.update + traces * self.prices.trace;
        (self.left / price).max(1).min(self.remaining())
    }

    /// Lends a part: `work` can spend at most so many units, and as much on trace steps and updates as
    /// [`Limits::per_unit`] allows for them.
    pub fn part<T>(&mut self, units: u64, work: impl FnOnce(&mut Slice<'w>) -> T) -> T {
        let lent = self.left.min(units.saturating_mul(UNIT));
        let kept = self.left - lent;
        self.left = lent;
        let result = self.within(Limits::per_unit(units), work);
        self.left += kept;
        result
    }

    /// Lets `work` do at most so much of each kind, and no more than it could anyway.
    pub fn within<T>(&mut self, limits: Limits, work: impl FnOnce(&mut Slice<'w>) -> T) -> T {
        let outer = self.most;
        self.most = Limits {
            expansions: self.expansions.saturating_add(limits.expansions).min(outer.expansions),
            traces: self.traces.saturating_add(limits.traces).min(outer.traces),
            updates: self.updates.saturating_add(limits.updates).min(outer.updates),
        };
        let result = work(self);
        self.most = outer;
        result
    }

    /// Lets `work` expand nodes of this level: zero is the map itself, others are levels of its hierarchy.
    pub(crate) fn on_level<T>(
        &mut self,
        level: usize,
        work: impl FnOnce(&mut Slice<'w>) -> T,
    ) -> T {
        let outer = std::mem::replace(&mut self.level, level);
        let result = work(self);
        self.level = outer;
        result
    }

    /// Asks to expand a node; `false` means the budget is spent.
    #[inline]
    pub fn expand(&mut self, node: NodeId) -> bool {
        let payable = self.expansions < self.most.expansions && self.left >= UNIT && !self.stopped;
        if !payable || !self.agreed(Work::Expand { level: self.level, node }) {
            return false;
        }
        self.left -= UNIT;
        self.expansions += 1;
        true
    }

    /// Asks to follow a parent pointer to this node; `false` means the budget is spent.
    #[inline]
    pub fn trace(&mut self, node: NodeId) -> bool {
        let price = self.prices.trace;
        let payable = self.traces < self.most.traces && self.left >= price && !self.stopped;
        if !payable || !self.agreed(Work::Trace(node)) {
            return false;
        }
        self.left -= price;
        self.traces += 1;
        true
    }

    /// Asks to update what is known of a node; `false` means the budget is spent.
    #[inline]
    pub fn update(&mut self, node: NodeId) -> bool {
        let price = self.prices.update;
        let payable = self.updates < self.most.updates && self.left >= price && !self.stopped;
        if !payable || !self.agreed(Work::Update(node)) {
            return false;
        }
        self.left -= price;
        self.updates += 1;
        true
    }

    /// Pays for taking in so many reported changes, which cannot be refused.
    pub fn charge_changes(&mut self, count: usize) {
        self.left = self.left.saturating_sub((count as u64).saturating_mul(self.prices.change));
    }

    /// Pays for putting an open list in order, by so many visits to its entries, which cannot be refused.
    #[inline]
    pub(crate) fn charge_entries(&mut self, count: u64) {
        self.left = self.left.saturating_sub(count.saturating_mul(self.prices.entry));
    }

    #[inline]
    fn agreed(&mut self, work: Work) -> bool {
        match &mut self.watch {
            None => true,
            Some(watch) => {
                let go_on = watch(work);
                self.stopped = !go_on;
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
        Event::ALL.iter().copied().filter(move |&event| events & (1 << event as u16) != 0)
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

    fn tracing(traces: u64) -> Limits {
        Limits { traces, ..Limits::NONE }
    }

    #[test]
    fn limits_bound_each_kind_of_work_and_never_exceed_the_budget() {
        let mut slice = Slice::new(10);
        slice.within(tracing(3), |slice| {
            assert_eq!((0..50).filter(|&n| slice.expand(NodeId(n))).count(), 10);
            assert_eq!((0..50).filter(|&n| slice.trace(NodeId(n))).count(), 3);
            let inner = slice.within(tracing(9), |slice| slice.trace(NodeId(1)));
            assert!(!inner, "an inner limit does not lift the outer one");
        });
        assert!(slice.trace(NodeId(0)), "afterwards the limit is lifted");
    }

    #[test]
    fn a_metered_slice_pays_for_everything() {
        let mut slice = Slice::metered(10);
        assert_eq!((0..50).filter(|&n| slice.trace(NodeId(n))).count(), 50);
        assert_eq!(slice.remaining(), 5);
        assert_eq!((0..6).filter(|&n| slice.update(NodeId(n))).count(), 6);
        assert_eq!((slice.remaining(), slice.remaining_with(2, 0)), (2, 1));
        slice.charge_changes(4);
        assert_eq!(slice.remaining(), 1);
        slice.charge_entries(1_000_000);
        assert!(slice.remaining() == 0 && !slice.expand(NodeId(0)) && !slice.trace(NodeId(0)));
        assert_eq!(slice.remaining_with(2, 0), 0);
    }

    #[test]
    fn a_part_is_a_limit_and_what_is_not_used_is_kept() {
        for slice in [Slice::new(10), Slice::metered(10)] {
            let mut slice = slice;
            let spent =
                |slice: &mut Slice<'_>| (0..50).filter(|&n| slice.expand(NodeId(n))).count();
            assert_eq!(slice.part(4, spent), 4);
            assert_eq!(slice.part(4, |slice| slice.part(100, spent)), 4, "parts of parts");
            assert_eq!((slice.part(100, spent), slice.remaining()), (2, 0));
        }
    }

    #[test]
    fn a_watcher_that_refuses_ends_the_tick() {
        let mut seen = 0;
        let mut watch = |_| {
            seen += 1;
            seen <= 4
        };
        let mut slice = Slice::watched(100, &mut watch);
        let mut spend =
            |slice: &mut Slice<'_>| (0..50).filter(|&n| slice.expand(NodeId(n))).count();
        assert_eq!(slice.part(50, &mut spend), 4);
        assert!(!slice.trace(NodeId(0)) && !slice.update(NodeId(0)));
        assert_eq!((slice.part(50, &mut spend), slice.remaining()), (0, 0), "whatever it is given");
        assert_eq!(slice.expansions(), 4);
    }
}
