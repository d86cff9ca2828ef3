//! The budget of one tick: the single gate that every unit of work passes.

use std::fmt;

use crate::NodeId;

/// One unit of work about to be done, as passed to the watcher of a [`Slice`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Work {
    /// A node is taken from the open list and its neighbors are generated.
    Expand {
        /// Zero for the map itself; otherwise the index of the hierarchy level.
        level: usize,
        /// The node of that level.
        node: NodeId,
    },
    /// One parent pointer is followed, or an equivalent amount of work is done.
    Trace(NodeId),
    /// A node's values are updated from its neighbors or from its entry on the open list, after the search rather than
    /// as part of it.
    Update(NodeId),
}

/// Something worth reporting about a tick, besides the step itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Event {
    /// The search knows a complete path to the goal.
    Found,
    /// A newly traced path is now the path to follow.
    Adopted,
    /// A newly traced path was rejected because it reaches less far than the path being followed.
    Kept,
    /// The step goes back along the branch by which the agent came.
    Backtrack,
    /// There was nothing to follow at the root, so the agent stepped away from it and will return.
    Bounce,
    /// A shortcut to the known path was found while backtracking.
    Shortcut,
    /// The search restarted from the agent's position.
    Restart,
    /// The learned heuristic at the agent's position was raised.
    Learned,
    /// A further segment of the path was refined down to single steps; `plan` returns it.
    Refined,
}

impl Event {
    /// Every event, in declaration order.
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

/// The maximum amount of each kind of work.
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
    /// LSS-LRTA* needs two updates per expansion to complete its update in the same tick as its search. With ten, even
    /// the smallest budget lets D* Lite process one changed cell of a grid, which affects nine nodes, in a single tick.
    pub fn per_unit(units: u64) -> Limits {
        let ten = units.saturating_mul(10);
        Limits { expansions: units, traces: ten, updates: ten }
    }
}

/// The price of each kind of work, in fractions of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Prices {
    trace: u64,
    update: u64,
    change: u64,
    /// Per list entry visited.
    entry: u64,
}

/// The number of fractions in one unit; an expansion costs one unit.
pub(crate) const UNIT: u64 = 80;

impl Prices {
    /// The papers' way of counting: only expansions have a cost.
    const PAPERS: Prices = Prices { trace: 0, update: 0, change: 0, entry: 0 };
    /// Measured and rounded: see `cargo bench --bench rivals`. An expansion takes 50 to 60 ns, a trace step a tenth of
    /// that, an update about half, a change one or two lookups, and a list entry about 3 ns.
    const METERED: Prices =
        Prices { trace: UNIT / 10, update: UNIT / 2, change: UNIT / 4, entry: UNIT / 20 };
    /// What the steps of Tick* take: see `cargo bench --bench tick`.
    const TICK: Prices = Prices { trace: UNIT / 4, update: UNIT, ..Prices::METERED };
}

/// Work that has been done: see [`Slice::take`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Spending {
    paid: u64,
    expansions: u64,
    traces: u64,
    updates: u64,
    entries: u64,
}

impl Spending {
    /// What it takes, in parts of a unit.
    pub fn total(&self) -> u64 {
        self.paid.saturating_add(self.expansions.saturating_mul(UNIT))
    }
}

/// Units of work between two looks at the clock of a [deadline](Slice::deadline). Reading a clock takes as long as one or
/// two expansions.
const CLOCK_INTERVAL: u64 = 32 * UNIT;

/// What may be spent on trace steps and updates after the deadline has passed.
const GRACE: u64 = 24 * UNIT;

/// What one tick may spend and what it has spent: the single gate that all work passes.
///
/// A slice starts with a budget in units; an expansion costs one unit. There are three kinds of budget:
///
/// * [`Slice::new`] counts as the papers do. Only expansions are charged; trace steps and updates are free, but each
///   agent also limits their number ([`AgentState::limits`](crate::AgentState::limits)).
/// * [`Slice::metered`] uses one currency for everything. A trace step costs a tenth of a unit, an update half a unit,
///   and work that cannot be refused (processing reported changes, scanning an open list) is deducted from the
///   remainder. The time per tick is therefore proportional to its budget, whatever the agent does.
/// * [`Slice::deadline`] counts in the same way, but ends when the caller's clock says so.
///
/// ```
/// use tickstar::{NodeId, Slice};
/// let mut slice = Slice::new(2);
/// assert!(slice.expand(NodeId(7)) && slice.expand(NodeId(8)));
/// assert!(!slice.expand(NodeId(9)), "the budget is spent");
/// assert_eq!(slice.expansions(), 2);
/// ```
///
/// A part of a slice can be lent. Whatever is not spent remains available afterwards:
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
/// A limit in wall-clock time is a deadline, with a clock supplied by the caller:
///
/// ```
/// use std::time::{Duration, Instant};
/// use tickstar::Slice;
/// let end = Instant::now() + Duration::from_millis(1);
/// let mut in_time = || Instant::now() < end;
/// let slice = Slice::deadline(&mut in_time);
/// # drop(slice);
/// ```
pub struct Slice<'w> {
    budget: u64,
    /// What may be spent in total, and what was spent on everything but expansions, in parts of a unit.
    limit: u64,
    paid: u64,
    /// The number of expansions that may have been done in total, or until the clock is asked. It follows from all
    /// limits, so that the innermost loop of a search compares one number.
    allowed: u64,
    prices: Prices,
    /// The totals that each kind of work may reach.
    max: Limits,
    expansions: u64,
    traces: u64,
    updates: u64,
    entries: u64,
    events: u16,
    /// The level whose nodes are being expanded.
    level: usize,
    /// The watcher has refused: no more work is done in this tick.
    stopped: bool,
    watch: Option<&'w mut dyn FnMut(Work) -> bool>,
    /// Returns whether the deadline has not passed yet.
    clock: Option<&'w mut dyn FnMut() -> bool>,
    /// The clock has been asked.
    asked: bool,
    /// The deadline has passed: no more nodes are expanded in this tick.
    over: bool,
    /// When this much has been spent, in parts of a unit, the clock is asked again or, if the deadline has passed, all
    /// work ends.
    ask_at: u64,
}

impl<'w> Slice<'w> {
    /// A budget of `budget` expansions, counted as the papers do.
    pub fn new(budget: u64) -> Slice<'w> {
        Slice {
            budget,
            limit: budget.saturating_mul(UNIT),
            paid: 0,
            allowed: budget,
            prices: Prices::PAPERS,
            max: Limits::NONE,
            expansions: 0,
            traces: 0,
            updates: 0,
            entries: 0,
            events: 0,
            level: 0,
            stopped: false,
            watch: None,
            clock: None,
            asked: false,
            over: false,
            ask_at: u64::MAX,
        }
    }

    /// A budget of `budget` units, from which all work is paid.
    pub fn metered(budget: u64) -> Slice<'w> {
        Slice { prices: Prices::METERED, ..Slice::new(budget) }
    }

    /// A budget that ends when the clock returns `false`. All work is counted as in [`Slice::metered`].
    ///
    /// The clock is asked every 32 units. When it returns `false`, no more nodes are expanded, and at most 24 units are
    /// spent on trace steps and updates, so that the agent can still decide on a step. The tick therefore exceeds the
    /// deadline by at most 56 units, some 4 µs, or about twice that if it ends among stale entries of a large open list.
    /// Only the reported changes, which cannot be refused, may add to that.
    ///
    /// An agent under a deadline cannot know how much it will be able to afford. It therefore decides with 32 units,
    /// before the clock is asked for the first time, then with 64 more, and so on, and takes the last step it has
    /// decided on. So an agent that moves in the first tick with any number of units does so with any deadline.
    pub fn deadline(clock: &'w mut dyn FnMut() -> bool) -> Slice<'w> {
        let unlimited = Slice::metered(u64::MAX);
        let mut slice = Slice { clock: Some(clock), ask_at: CLOCK_INTERVAL, ..unlimited };
        slice.renew();
        slice
    }

    /// No limit.
    pub fn unlimited() -> Slice<'w> {
        Slice::new(u64::MAX)
    }

    /// Like [`Slice::new`], with a watcher that sees each unit of work before it is done and may refuse it by returning
    /// `false`; the tick then does no more work, and an agent that has not decided on a step waits. For a limit in
    /// wall-clock time, use [`Slice::deadline`].
    pub fn watched(budget: u64, watch: &'w mut dyn FnMut(Work) -> bool) -> Slice<'w> {
        Slice::new(budget).with_watcher(watch)
    }

    /// The same slice with a watcher: see [`Slice::watched`].
    #[must_use]
    pub fn with_watcher(self, watch: &'w mut dyn FnMut(Work) -> bool) -> Slice<'w> {
        Slice { watch: Some(watch), ..self }
    }

    /// The number of units this slice started with.
    pub fn budget(&self) -> u64 {
        self.budget
    }

    /// The number of expansions that can still be paid for.
    pub fn remaining(&self) -> u64 {
        if self.stopped || self.over {
            return 0;
        }
        (self.left() / UNIT).min(self.max.expansions.saturating_sub(self.expansions))
    }

    /// Whether it ends at a deadline.
    pub(crate) fn has_deadline(&self) -> bool {
        self.clock.is_some()
    }

    /// What has been spent, in parts of a unit.
    pub(crate) fn spent(&self) -> u64 {
        self.paid.saturating_add(self.expansions.saturating_mul(UNIT))
    }

    /// What is left of the budget, in parts of a unit.
    fn left(&self) -> u64 {
        self.limit.saturating_sub(self.spent())
    }

    /// Computes how many expansions are allowed.
    fn renew(&mut self) {
        let until_asked = self.ask_at.saturating_sub(self.spent()).div_ceil(UNIT);
        self.allowed = self.expansions.saturating_add(self.remaining().min(until_asked));
    }

    /// Deducts the price of work that cannot be refused.
    fn charge(&mut self, price: u64) {
        if price > 0 {
            self.paid = self.paid.saturating_add(price);
            if self.clock.is_some() {
                // The agent must still be able to decide on a step: before the clock is asked for the first time, and
                // with what is left after the deadline.
                self.limit = self.limit.saturating_add(price);
                if self.over || !self.asked {
                    self.ask_at = self.ask_at.saturating_add(price);
                }
            }
            self.renew();
        }
    }

    /// Asks the clock.
    #[cold]
    fn ask(&mut self) {
        let Some(clock) = &mut self.clock else { return };
        self.over |= !clock();
        self.asked = true;
        let next = if self.over { GRACE } else { CLOCK_INTERVAL };
        self.ask_at = self.spent().saturating_add(next);
        self.renew();
    }

    /// Whether another expansion is allowed although all that were allowed have been done: it may be time to ask the
    /// clock.
    #[cold]
    fn allows_more(&mut self) -> bool {
        if self.remaining() == 0 || self.clock.is_none() {
            return false;
        }
        self.ask();
        self.expansions < self.allowed
    }

    /// Whether a trace step or an update can be paid for.
    #[inline]
    fn affords(&mut self, price: u64) -> bool {
        if price > 0 {
            if self.spent() >= self.ask_at {
                if self.over {
                    return false;
                }
                self.ask();
            }
            if self.left() < price {
                return false;
            }
        }
        !self.stopped
    }

    /// The number of expansions that can be done if each of them must also pay for the given numbers of updates and
    /// trace steps; at least one, if a single expansion can be paid for.
    pub fn remaining_with(&self, updates: u64, traces: u64) -> u64 {
        let updates = updates.saturating_mul(self.prices.update);
        let traces = traces.saturating_mul(self.prices.trace);
        let price = UNIT.saturating_add(updates).saturating_add(traces);
        (self.left() / price).max(1).min(self.remaining())
    }

    /// Lends a part of the slice. For `work` it is a slice of at most `units` units that has not been used yet, with as
    /// many trace steps and updates as [`Limits::per_unit`] allows.
    pub fn part<T>(&mut self, units: u64, work: impl FnOnce(&mut Slice<'w>) -> T) -> T {
        let outer = (self.budget, self.limit, self.max);
        let done = (self.paid, self.expansions, self.traces, self.updates);
        let spent = self.spent();
        let most = Limits::per_unit(units);
        self.max = Limits {
            expansions: most.expansions.min(self.max.expansions.saturating_sub(self.expansions)),
            traces: most.traces.min(self.max.traces.saturating_sub(self.traces)),
            updates: most.updates.min(self.max.updates.saturating_sub(self.updates)),
        };
        self.limit = self.left().min(units.saturating_mul(UNIT));
        self.budget = units.min(self.limit / UNIT);
        (self.paid, self.expansions, self.traces, self.updates) = (0, 0, 0, 0);
        if self.clock.is_some() {
            self.ask_at = self.ask_at.saturating_sub(spent);
        }
        self.renew();
        let result = work(self);
        (self.budget, self.limit, self.max) = outer;
        self.paid = self.paid.saturating_add(done.0);
        self.expansions = self.expansions.saturating_add(done.1);
        self.traces = self.traces.saturating_add(done.2);
        self.updates = self.updates.saturating_add(done.3);
        if self.clock.is_some() {
            self.ask_at = self.ask_at.saturating_add(spent);
        }
        self.renew();
        result
    }

    /// Lets `work` do at most `limits` of each kind, in addition to the limits already in force.
    pub fn within<T>(&mut self, limits: Limits, work: impl FnOnce(&mut Slice<'w>) -> T) -> T {
        let outer = self.max;
        self.max = Limits {
            expansions: self.expansions.saturating_add(limits.expansions).min(outer.expansions),
            traces: self.traces.saturating_add(limits.traces).min(outer.traces),
            updates: self.updates.saturating_add(limits.updates).min(outer.updates),
        };
        self.renew();
        let result = work(self);
        self.max = outer;
        self.renew();
        result
    }

    /// Lets `work` expand nodes of this level: zero is the map itself, higher numbers are levels of its hierarchy.
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

    /// Requests the expansion of a node; `false` means that the budget is spent.
    #[inline]
    pub fn expand(&mut self, node: NodeId) -> bool {
        if self.expansions >= self.allowed && !self.allows_more() {
            return false;
        }
        if !self.is_permitted(Work::Expand { level: self.level, node }) {
            return false;
        }
        self.expansions += 1;
        true
    }

    /// Requests to follow a parent pointer to this node; `false` means that the budget is spent.
    #[inline]
    pub fn trace(&mut self, node: NodeId) -> bool {
        let price = self.prices.trace;
        let payable = self.traces < self.max.traces && self.affords(price);
        if !payable || !self.is_permitted(Work::Trace(node)) {
            return false;
        }
        self.pay(price);
        self.traces += 1;
        true
    }

    /// Requests an update of a node's values; `false` means that the budget is spent.
    #[inline]
    pub fn update(&mut self, node: NodeId) -> bool {
        let price = self.prices.update;
        let payable = self.updates < self.max.updates && self.affords(price);
        if !payable || !self.is_permitted(Work::Update(node)) {
            return false;
        }
        self.pay(price);
        self.updates += 1;
        true
    }

    /// Pays for this many stale entries of an open list that have been dropped in a row, and requests to drop as many
    /// more; `false` means that the budget is spent. Where only expansions are counted, it is free.
    #[cold]
    pub(crate) fn drop_stale(&mut self, count: usize) -> bool {
        if self.prices.entry == 0 {
            return true;
        }
        let price = (count as u64).saturating_mul(self.prices.entry);
        self.pay(price.min(self.left()));
        self.expansions < self.allowed || self.allows_more()
    }

    /// Requests to visit an entry of a list; `false` means that the budget is spent. Where only expansions are counted,
    /// it is free.
    #[inline]
    pub(crate) fn scan(&mut self) -> bool {
        let price = self.prices.entry;
        let payable = self.affords(price);
        if payable {
            self.pay(price);
            self.entries += 1;
        }
        payable
    }

    /// Lets `work` pay for everything it does, as [`Slice::metered`] does, also where only expansions are counted.
    pub(crate) fn metering<T>(&mut self, work: impl FnOnce(&mut Slice<'w>) -> T) -> T {
        self.at_prices(Prices::METERED, work)
    }

    /// The same at the prices of Tick*: an update costs a unit, a trace step a quarter of one.
    pub(crate) fn metering_tick<T>(&mut self, work: impl FnOnce(&mut Slice<'w>) -> T) -> T {
        self.at_prices(Prices::TICK, work)
    }

    fn at_prices<T>(&mut self, prices: Prices, work: impl FnOnce(&mut Slice<'w>) -> T) -> T {
        let outer = std::mem::replace(&mut self.prices, prices);
        let result = work(self);
        self.prices = outer;
        result
    }

    /// Deducts the price of a trace step or an update.
    #[inline]
    fn pay(&mut self, price: u64) {
        if price > 0 {
            self.paid += price;
            self.renew();
        }
    }

    /// Charges for processing `count` reported changes, which cannot be refused.
    pub fn charge_changes(&mut self, count: usize) {
        self.charge((count as u64).saturating_mul(self.prices.change));
    }

    /// Charges for `count` visits to entries of a list, which cannot be refused.
    #[inline]
    pub(crate) fn charge_entries(&mut self, count: u64) {
        self.entries = self.entries.saturating_add(count);
        self.charge(count.saturating_mul(self.prices.entry));
    }

    /// Like [`charge_entries`](Slice::charge_entries), but no more than is left of the budget. Returns how many visits
    /// have yet to be charged.
    pub(crate) fn settle_entries(&mut self, count: u64) -> u64 {
        let payable = match self.prices.entry {
            0 => count,
            _ if self.clock.is_some() => count,
            price => count.min(self.left() / price),
        };
        self.charge_entries(payable);
        count - payable
    }

    /// Visits to list entries so far.
    pub(crate) fn entries(&self) -> u64 {
        self.entries
    }

    /// The number of released blocks that a tick may return to the allocator: about as long as the expansions that it
    /// does not need any more.
    pub(crate) fn blocks_to_free(&self) -> u64 {
        (self.remaining() / 8).saturating_add(2).min(256)
    }

    /// Charges for returning this many blocks to the allocator.
    pub(crate) fn charge_freed_blocks(&mut self, blocks: u64) {
        self.charge_entries(blocks.saturating_mul(60));
    }

    #[inline]
    fn is_permitted(&mut self, work: Work) -> bool {
        match &mut self.watch {
            None => true,
            Some(watch) => {
                let go_on = watch(work);
                if !go_on {
                    (self.stopped, self.allowed) = (true, 0);
                }
                go_on
            }
        }
    }

    /// Whether a watcher sees each unit of work.
    pub(crate) fn is_watched(&self) -> bool {
        self.watch.is_some()
    }

    /// What has been done so far.
    pub(crate) fn spending(&self) -> Spending {
        let Slice { paid, expansions, traces, updates, entries, .. } = *self;
        Spending { paid, expansions, traces, updates, entries }
    }

    /// Pays for work that was done elsewhere, if the budget suffices for all of it: then, and only then, it would have been
    /// done with this slice without a stop.
    pub(crate) fn take(&mut self, work: &Spending) -> bool {
        if self.spent() >= self.ask_at && !self.over {
            self.ask();
        }
        let fits = |done: u64, more: u64, most: u64| done.saturating_add(more) <= most;
        let is_payable = !self.stopped
            && !self.over
            && work.total() <= self.left()
            && fits(self.expansions, work.expansions, self.max.expansions)
            && fits(self.traces, work.traces, self.max.traces)
            && fits(self.updates, work.updates, self.max.updates);
        if is_payable {
            self.paid += work.paid;
            self.expansions += work.expansions;
            self.traces += work.traces;
            self.updates += work.updates;
            self.entries += work.entries;
            self.renew();
        }
        is_payable
    }

    /// Whether the deadline has passed.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    /// Drops what was recorded about the step, as the agent decides again.
    pub(crate) fn forget_step(&mut self) {
        self.events &= !(1 << Event::Backtrack as u16 | 1 << Event::Bounce as u16);
    }

    /// Records an event of this tick.
    pub fn note(&mut self, event: Event) {
        self.events |= 1 << event as u16;
    }

    /// The number of expansions done so far.
    pub fn expansions(&self) -> u64 {
        self.expansions
    }

    /// The number of units spent so far, rounded up. For an agent that pays for all its work it never exceeds the
    /// budget; others spend units on expansions alone if the slice counts as the papers do.
    pub fn units(&self) -> u64 {
        self.spent().div_ceil(UNIT)
    }

    /// The number of trace steps done so far.
    pub fn traces(&self) -> u64 {
        self.traces
    }

    /// The number of updates done so far.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// Whether this event was recorded.
    pub fn has(&self, event: Event) -> bool {
        self.events & (1 << event as u16) != 0
    }

    /// The recorded events, in a fixed order.
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
        assert!(slice.trace(NodeId(0)), "the limit applies to the closure only");
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
    fn a_part_limits_work_and_returns_what_is_unused() {
        for slice in [Slice::new(10), Slice::metered(10)] {
            let mut slice = slice;
            let spent =
                |slice: &mut Slice<'_>| (0..50).filter(|&n| slice.expand(NodeId(n))).count();
            assert_eq!(slice.part(4, spent), 4);
            assert_eq!(slice.part(4, |slice| slice.part(100, spent)), 4, "nested parts");
            assert_eq!((slice.part(100, spent), slice.remaining()), (2, 0));
        }
    }

    /// An agent that gets a part cannot tell it from a slice of its own.
    #[test]
    fn a_part_counts_from_zero() {
        for mut slice in [Slice::new(100), Slice::metered(100)] {
            assert!((0..20).all(|n| slice.expand(NodeId(n)) && slice.trace(NodeId(n))));
            slice.part(10, |part| {
                assert_eq!((part.budget(), part.remaining()), (10, 10));
                assert_eq!((part.expansions(), part.traces(), part.updates()), (0, 0, 0));
                assert!(part.expand(NodeId(0)) && part.trace(NodeId(0)) && part.update(NodeId(0)));
                assert_eq!(part.within(tracing(3), |part| part.traces()), 1);
            });
            assert_eq!(slice.budget(), 100);
            assert_eq!((slice.expansions(), slice.traces(), slice.updates()), (21, 21, 1));
            slice.part(1000, |part| assert!(part.budget() <= 79 && part.remaining() <= 79));
        }
    }

    #[test]
    fn after_a_deadline_only_a_little_tracing_and_updating_is_done() {
        let mut asked = 0;
        let mut clock = || {
            asked += 1;
            asked < 4
        };
        let mut slice = Slice::deadline(&mut clock);
        let expand = |slice: &mut Slice<'_>| (0..999).filter(|&n| slice.expand(NodeId(n))).count();
        assert_eq!(slice.part(50, expand), 50, "the clock is asked in parts too");
        assert_eq!(expand(&mut slice), 4 * 32 - 50);
        assert!(slice.is_over() && slice.remaining() == 0 && slice.part(9, expand) == 0);
        slice.charge_entries(10_000);
        let traced = (0..999).filter(|&n| slice.trace(NodeId(n))).count();
        assert_eq!(traced, 240, "24 units, whatever cannot be refused");
        assert!(!slice.update(NodeId(0)));
        assert_eq!(asked, 4, "and not asked again");
    }

    /// What cannot be refused leaves a round, and the time before the clock is asked for the first time, as they are.
    #[test]
    fn before_the_clock_is_asked_an_agent_can_always_decide() {
        let mut asked = 0;
        let mut clock = || {
            asked += 1;
            false
        };
        let mut slice = Slice::deadline(&mut clock);
        slice.part(40, |slice| {
            slice.charge_changes(1_000);
            assert_eq!((0..999).filter(|&n| slice.expand(NodeId(n))).count(), 32);
            slice.charge_entries(10_000);
            assert_eq!((0..999).filter(|&n| slice.trace(NodeId(n))).count(), 80, "of 240");
        });
        assert_eq!((0..999).filter(|&n| slice.trace(NodeId(n))).count(), 160);
        assert!(!slice.expand(NodeId(0)) && asked == 1);
    }

    #[test]
    fn a_deadline_also_ends_tracing_and_updates() {
        let mut clock = || false;
        let mut slice = Slice::deadline(&mut clock);
        assert_eq!((0..999).filter(|&n| slice.trace(NodeId(n))).count(), 320 + 240);
        let mut clock = || false;
        let mut slice = Slice::deadline(&mut clock);
        assert_eq!((0..999).filter(|&n| slice.update(NodeId(n))).count(), 64 + 48);
    }

    #[test]
    fn a_watcher_that_refuses_ends_the_tick() {
        let mut seen = 0;
        let mut watch = |_| {
            seen += 1;
            seen <= 4
        };
        let mut slice = Slice::watched(100, &mut watch);
        let spend = |slice: &mut Slice<'_>| (0..50).filter(|&n| slice.expand(NodeId(n))).count();
        assert_eq!(slice.part(50, spend), 4);
        assert!(!slice.trace(NodeId(0)) && !slice.update(NodeId(0)));
        assert_eq!((slice.part(50, spend), slice.remaining()), (0, 0), "for any part");
        assert_eq!(slice.expansions(), 4);
    }
}
