//! D* Lite: a search that is mended where the map changes, instead of begun again.
//!
//! # Sources
//! * S. Koenig, M. Likhachev, "D* Lite", AAAI 2002: the algorithm, in its second and optimised form
//!   with the key modifier `km`; and their "Fast Replanning for Navigation in Unknown Terrain",
//!   IEEE Transactions on Robotics 21(3), 2005, which proves it.
//!
//! # One tick
//! The search runs from the goal to the agent. Of each node it keeps `g`, the cost to the goal as it was
//! when the node was last expanded, and `rhs`, the cost as its neighbours would have it now: the least
//! `c + g` over its edges. A node is on the open list exactly while the two differ, with the key
//! `min(g, rhs) + h + km`, where `h` is the estimate between the node and the agent. Ties are broken by
//! [`Ties`].
//!
//! 1. Every node whose edges may have changed has its `rhs` computed anew. If that alters any,
//!    `km` first grows by the estimate of how far the agent has walked since it last grew: so the keys
//!    on the list stay lower bounds, and none has to be touched because the agent has moved.
//! 2. Nodes are taken from the open list until no key is below that of the agent's place, and `rhs`
//!    there does not exceed `g`. A node whose key on the list is too small by now is put back with its
//!    key of today. Otherwise, where `g > rhs`, `g` becomes `rhs`, which neighbours may profit from;
//!    where `g < rhs`, `g` becomes infinite, and neighbours that relied on it look for another way.
//! 3. If all that is done within the tick, the agent steps to the neighbour with the least `c + g`. It
//!    waits if the work is not done, and says so if `rhs` is infinite: there is no way.
//!
//! # Deviations
//! * Steps 1 and 2 are cut into ticks. What is told while they are under way is taken in before they go
//!   on; the agent stands until both are done.
//! * The paper recomputes every neighbour whose `rhs` equals `c + g` of a node that has become infinite.
//!   Here each node remembers which neighbour its `rhs` came from, and only those that relied on the node
//!   are recomputed. The values are the same. It also gives [`AgentState::plan`](crate::AgentState::plan); of several cheapest ways the
//!   agent may walk another than the one planned.
//! * A node whose `g` has fallen need not show that to those which can get to the neighbour it came from
//!   as cheaply without it: their own `rhs` is no greater already.
//! * The paper computes the key of a neighbour again even if its `rhs` stays the same. Here its key is
//!   left as it is, and checked like all others when its turn comes.
//! * `km` does not grow if the changes turn out to alter no `rhs`.
//! * In the paper the key has a second part, `min(g, rhs)`, and the smaller goes first: [`Ties::Near`]. On
//!   open ground, where many ways are equally good, all of them are then explored: a first search on an
//!   empty map of 512 by 512 may expand 40,000 nodes where A* expands 500. The 2012 paper breaks all ties
//!   towards larger costs, and says that D* Lite often finds its first path in unknown terrain within one
//!   interval, so it cannot have run it like that. [`Ties::Far`], the default, goes first to the nodes with
//!   `g < rhs`, and then to those farthest from the goal. That is as sound: the costs of nodes with
//!   `g > rhs` are final when they have the least key, as in A*, if all those with `g < rhs` and a key that is no
//!   greater are out of the way; and such a node, when it is expanded, disturbs only nodes with keys that are
//!   no less. For the same reason the search may end when only nodes with `g > rhs` have the key of the agent's
//!   place.
//! * A step that is no longer legal is never taken. If the least `c + g` of the agent's edges is not its
//!   `rhs`, the caller has not told of a change: the edges around the agent are then taken as changed, and
//!   the agent waits for one tick.
//!
//! # What it asks of the space
//! Edges that can be walked back, as the search runs against the agent's way. And beyond what
//! [`Space`](crate::Space) promises, the estimate must obey the triangle inequality, as those of [`Grid`](crate::Grid)
//! and [`Graph`](crate::Graph) do, and stay consistent whatever opens; or else paths may be longer than
//! need be.
//!
//! # Invariants
//! * Every step is an edge of the space at that moment.
//! * While no change is waiting to be taken in, every `rhs` but the goal's is the least `c + g` over the
//!   node's edges as the agent was told of them, given by the neighbour remembered.
//! * A node is on the open list, ranked among equal keys by its current values, exactly if `g` and `rhs`
//!   differ.
//! * When step 2 is done, the agent's `rhs` is the cost of a cheapest way on the map it was told of, and
//!   the remembered neighbours lead along such a way to the goal.
//! * However the work is sliced, the same nodes are expanded in the same order.
//!
//! # Real-time bound
//! At most as many expansions a tick as the budget, and ten times as many updates: nodes recomputed in
//! step 1 or put back in step 2. (On an open grid of 512 by 512 an expansion took about 130 ns, a node
//! recomputed 30, and one put back on the open list 110.) Beside them a constant number of look-ups, one look at the agent's own
//! edges, and for each change told a look at which nodes depend on it. An expansion takes constant time
//! amortised, as in [`BestFirst`](crate::BestFirst); one that makes `g` infinite looks at the neighbours
//! of neighbours too. Stale entries are cleared from the open list at times, in one go: constant time
//! amortised.

use super::{AgentError, Cx, Decision, Keep, Needs, Policy, Walker};
use crate::search::{Entry, List, Open, Problem, Stamp, Stamped, Toward};
use crate::{Cost, Event, Limits, Map, NodeId, OpenList, Pool, Priority, Skip, Slice};

/// The insertions after which it is worth looking for stale entries in a short open list.
const TIDY: usize = 1024;

/// Neighbours that are taken in together.
const BATCH: usize = 8;

/// What the search knows of a node.
#[derive(Clone, Copy, Debug)]
struct Record {
    g: Cost,
    rhs: Cost,
    /// The key it has on the open list, if it is there.
    key: u64,
    /// The neighbour `rhs` came from; the node itself for the goal, and if `rhs` is infinite.
    next: NodeId,
    /// The epoch of the search that met it.
    stamp: u32,
}

impl Stamp for Record {
    #[inline]
    fn stamp(&self) -> u32 {
        self.stamp
    }
}

impl Default for Record {
    /// A node no search has met.
    fn default() -> Record {
        let next = NodeId::default();
        Record { g: Cost::INFINITE, rhs: Cost::INFINITE, key: 0, next, stamp: 0 }
    }
}

impl Record {
    #[inline]
    fn least(&self) -> Cost {
        self.g.min(self.rhs)
    }

    #[inline]
    fn is_open(&self) -> bool {
        self.g != self.rhs
    }

    /// Whether the entry is that with which the node was last put on the open list. Its rank is known
    /// from the values, which never change without it.
    #[inline]
    fn is_entry(&self, entry: &Entry, ties: Ties) -> bool {
        self.is_open() && self.key == entry.key && ties.rank(self) == entry.g
    }
}

/// Which of several nodes with the same key is expanded first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ties {
    /// The one that is farthest from the goal, but those with `g < rhs` before all others: as the 2012 paper
    /// breaks ties.
    #[default]
    Far,
    /// The one that is nearest to the goal: as in the paper on D* Lite.
    Near,
}

/// Above all costs of paths.
const BEFORE_ALL: u64 = 1 << 63;

impl Ties {
    /// The rank of an open node; the larger goes first.
    #[inline]
    fn rank(self, record: &Record) -> Cost {
        match self {
            Ties::Far if record.g < record.rhs => Cost(record.g.0 | BEFORE_ALL),
            Ties::Far => record.rhs,
            Ties::Near => Cost(!record.least().0),
        }
    }

    /// A node with the key of the agent's place must be expanded if it has a larger rank than this.
    #[inline]
    fn enough(self, agent: &Record) -> Cost {
        match self {
            Ties::Far => Cost(BEFORE_ALL - 1),
            Ties::Near => Cost(!agent.least().0),
        }
    }
}

/// How [`DStarLite`] works.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DStarLiteConfig {
    /// Which open list it uses.
    pub open: OpenList,
    /// Which of several equally good nodes goes first.
    pub ties: Ties,
}

/// An agent that stands until it knows a cheapest path, walks it, and repairs it where the map changes.
///
/// ```
/// use tickstar::agent::dstar_lite::{DStarLite, DStarLiteConfig};
/// use tickstar::{Agent, Cell, Grid, Seen, Slice, Step};
/// let mut grid = Grid::from_rows(["....#...", "..#...#.", "..#.#.#.", "....#..."])?;
/// let [start, goal] = [(0, 0), (7, 3)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
/// let mut unit = DStarLite::new(&grid, DStarLiteConfig::default(), start, goal)?;
/// // All at once. Then a door shuts, and the rest of the way is repaired.
/// let Step::Move(at) = unit.tick(&grid, start, Seen::default(), &mut Slice::unlimited()) else {
///     panic!("there is a way");
/// };
/// let door = Cell::new(5, 1);
/// grid.set_free(door, false)?;
/// let seen = Seen { changed: &[grid.node(door).unwrap()] };
/// assert_eq!(unit.tick(&grid, at, seen, &mut Slice::unlimited()), Step::Unreachable);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type DStarLite = Walker<DStarLitePolicy>;

/// The policy of [`DStarLite`].
#[derive(Clone, Debug)]
pub struct DStarLitePolicy {
    open: List,
    core: Core,
}

/// The part of the agent that does not depend on the kind of open list.
#[derive(Clone, Debug)]
struct Core {
    ties: Ties,
    nodes: Stamped<Record>,
    goal: NodeId,
    at: NodeId,
    /// The search has not been begun yet.
    fresh: bool,
    /// Where the agent was when `km` last grew.
    last: NodeId,
    km: Cost,
    /// Nodes whose edges may have changed since their `rhs` was computed. Some may be named twice; so many are
    /// different ones.
    pending: Vec<NodeId>,
    waiting: Stamped<Waiting>,
    distinct: usize,
    /// Room for the nodes that one tick's changes concern.
    concerned: Vec<NodeId>,
    /// The search is finished for the map as it was told of.
    done: bool,
    /// The search was finished, and changes have been told since that no expansion was done for yet.
    disturbed: bool,
    /// Room for the neighbours of a node that has more of them than a batch holds.
    more: Vec<Candidate>,
    /// Neighbours that have lost their way by the expansion of a node.
    bereft: Vec<NodeId>,
    /// Insertions into the open list since it was last tidied, and after how many it will be.
    pushes: usize,
    tidy_after: usize,
}

/// A cheaper way from a node: its new `rhs`, and the estimate from there to the agent.
#[derive(Clone, Copy, Debug, Default)]
struct Candidate {
    to: NodeId,
    rhs: Cost,
    h: Cost,
}

/// A node is pending: how often it is named.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    stamp: u32,
    times: u32,
}

impl Stamp for Waiting {
    fn stamp(&self) -> u32 {
        self.stamp
    }
}

impl DStarLite {
    /// An agent at `start`, to go to `goal`.
    ///
    /// # Errors
    /// When the start or goal cannot be stood on, or the map has edges that cannot be walked back.
    pub fn new(
        map: &impl Map,
        config: DStarLiteConfig,
        start: NodeId,
        goal: NodeId,
    ) -> Result<DStarLite, AgentError> {
        let core = Core {
            ties: config.ties,
            nodes: Stamped::default(),
            goal,
            at: start,
            fresh: true,
            last: start,
            km: Cost::ZERO,
            pending: Vec::new(),
            waiting: Stamped::default(),
            distinct: 0,
            concerned: Vec::new(),
            done: false,
            disturbed: false,
            more: Vec::new(),
            bereft: Vec::new(),
            pushes: 0,
            tidy_after: TIDY,
        };
        let policy = DStarLitePolicy { open: List::new(config.open), core };
        Walker::with_policy(policy, map, start, goal)
    }

    /// The cost of a cheapest way from where the agent stands to the goal, once it is known; none if
    /// there is no way.
    pub fn cost_to_go(&self) -> Option<Cost> {
        self.policy.core.cost_to_go(self.position())
    }
}

impl DStarLitePolicy {
    /// Begins the search if it has not been.
    fn ensure_started(&mut self, map: &impl Map) {
        if !std::mem::take(&mut self.core.fresh) {
            return;
        }
        self.open.clear(key_range(map));
        match &mut self.open {
            List::Heap(open) => self.core.begin(open, map),
            List::Buckets(open) => self.core.begin(open, map),
        }
    }

    /// Steps 1 and 2, as far as the slice reaches. Returns whether both are done.
    fn think(&mut self, map: &impl Map, slice: &mut Slice<'_>) -> bool {
        let done = match &mut self.open {
            List::Heap(open) => self.core.think(open, map, slice),
            List::Buckets(open) => self.core.think(open, map, slice),
        };
        slice.charge_entries(self.open.take_visited());
        done
    }

    /// Drops stale entries from the open list. Most are dropped when they come to its top, but where
    /// the map changes for ever, ever more would lie further down.
    fn tidy(&mut self, map: &impl Map, slice: &mut Slice<'_>) {
        let core = &mut self.core;
        if core.pushes < core.tidy_after {
            return;
        }
        let live = |entry: &Entry| core.record(entry.node()).is_entry(entry, core.ties);
        // After several times as many insertions as entries are left.
        let left = self.open.tidy(key_range(map), live);
        // Each entry is visited, and those that are left are sorted twice.
        slice.charge_entries((core.pushes + 8 * left) as u64);
        (core.tidy_after, core.pushes) = (TIDY + 4 * left, 0);
    }
}

/// How far apart the keys of open nodes are: those of A*, while the agent stands. Where it moves they
/// spread further, which costs the buckets some of their speed.
fn key_range(map: &impl Map) -> u64 {
    Priority::ASTAR.key_range(map.max_edge_cost(), Cost::ZERO)
}

impl Core {
    /// Begins a search from the goal. Constant time: nothing of the search before is touched.
    fn begin(&mut self, open: &mut impl Open, map: &impl Map) {
        self.nodes.begin();
        self.waiting.begin();
        self.pending.clear();
        self.distinct = 0;
        self.last = self.at;
        self.km = Cost::ZERO;
        self.done = false;
        self.disturbed = false;
        let unmet = Record::default();
        let first = Record { rhs: Cost::ZERO, next: self.goal, ..unmet };
        self.put(open, self.goal, unmet, first, map.estimate(self.goal, self.at));
    }

    /// What is known of a node; nothing if the current search has not met it.
    #[inline]
    fn record(&self, node: NodeId) -> Record {
        self.met(node).unwrap_or_default()
    }

    #[inline]
    fn met(&self, node: NodeId) -> Option<Record> {
        self.nodes.find(node).copied()
    }

    /// Replaces what is known of a node, and puts it on the open list if it belongs there and is not
    /// there with the same key already.
    ///
    /// Sums saturate, and none can make an infinite value finite.
    #[inline(always)]
    fn put(&mut self, open: &mut impl Open, node: NodeId, old: Record, new: Record, h: Cost) {
        let key = (new.least() + h + self.km).0;
        let (before, rank) = (self.ties.rank(&old), self.ties.rank(&new));
        let same = old.is_open() && old.key == key && before == rank;
        if new.is_open() && !same {
            open.push(key, rank, node);
            self.pushes += 1;
        }
        self.nodes.set(node, Record { key, stamp: self.nodes.now(), ..new });
    }

    /// Takes in which nodes have changed. Nothing is computed yet.
    fn note(&mut self, map: &impl Map, changed: &[NodeId]) {
        let size = map.size();
        let concerned = &mut self.concerned;
        concerned.clear();
        for &node in changed {
            let inside = |node: &NodeId| node.index() < size;
            map.for_each_dependent(node, |node| concerned.extend(Some(node).filter(inside)));
        }
        // Changes come in clusters, and most of the nodes around them are named several times.
        concerned.sort_unstable();
        concerned.dedup();
        for &node in &self.concerned {
            let times = self.waiting.find(node).map_or(0, |waiting| waiting.times);
            self.distinct += usize::from(times == 0);
            self.waiting.set(node, Waiting { stamp: self.waiting.now(), times: times + 1 });
            self.pending.push(node);
        }
        if self.pending.len() > 2 * self.distinct + TIDY {
            self.drop_older();
        }
        self.disturbed |= self.done;
        self.done = false;
    }

    /// Of pending nodes that are named several times, keeps the last, which is taken up first.
    fn drop_older(&mut self) {
        let waiting = &mut self.waiting;
        self.pending.retain(|&node| {
            let Some(known) = waiting.find_mut(node) else { return false };
            known.times -= 1;
            known.times == 0
        });
        for &node in &self.pending {
            if let Some(known) = self.waiting.find_mut(node) {
                known.times = 1;
            }
        }
    }

    fn think(&mut self, open: &mut impl Open, map: &impl Map, slice: &mut Slice<'_>) -> bool {
        if !self.repair(open, map, slice) {
            return false;
        }
        self.compute(open, map, slice)
    }

    /// Step 1: brings every node whose edges may have changed up to date. Answers whether all are.
    fn repair(&mut self, open: &mut impl Open, map: &impl Map, slice: &mut Slice<'_>) -> bool {
        while let Some(&node) = self.pending.last() {
            if !slice.update(node) {
                return false;
            }
            self.pending.pop();
            if let Some(known) = self.waiting.find_mut(node) {
                known.times -= 1;
                self.distinct -= usize::from(known.times == 0);
            }
            if node != self.goal {
                self.recompute(open, map, node);
            }
        }
        true
    }

    /// Computes a node's `rhs` from all its edges.
    fn recompute(&mut self, open: &mut impl Open, map: &impl Map, node: NodeId) {
        let (mut rhs, mut next) = (Cost::INFINITE, node);
        map.for_each_edge(node, |to, cost| {
            let way = cost + self.record(to).g;
            if way < rhs {
                (rhs, next) = (way, to);
            }
        });
        let old = self.record(node);
        if rhs != old.rhs {
            self.grow_km(map);
            let h = map.estimate(node, self.at);
            self.put(open, node, old, Record { rhs, next, ..old }, h);
        } else if rhs != Cost::INFINITE
            && let Some(record) = self.nodes.find_mut(node)
        {
            record.next = next;
        }
    }

    /// Accounts for the way the agent has come since keys were last computed. The estimate from any node
    /// to the agent has fallen by no more than this.
    fn grow_km(&mut self, map: &impl Map) {
        if self.at != self.last {
            self.km = self.km + map.estimate(self.at, self.last);
            self.last = self.at;
        }
    }

    /// Step 2: expands nodes until the agent's cost to the goal is known. Answers whether it is.
    #[inline(never)]
    fn compute(&mut self, open: &mut impl Open, map: &impl Map, slice: &mut Slice<'_>) -> bool {
        while let Some(top) = self.top(open) {
            // Where a step was taken after the search was done, `km` and the keys are those of the
            // place before; they all exceed that of the next place, which is nearer to the goal.
            let agent = self.record(self.at);
            let key = (agent.least() + self.km).0;
            let before = top.key < key || top.key == key && top.g > self.ties.enough(&agent);
            if !before && agent.rhs <= agent.g {
                break;
            }
            self.grow_km(map);
            let node = top.node();
            let record = self.record(node);
            let h = map.estimate(node, self.at);
            if top.key < (record.least() + h + self.km).0 {
                if !slice.update(node) {
                    return false;
                }
                open.pop();
                self.put(open, node, record, record, h);
                continue;
            }
            if !slice.expand(node) {
                return false;
            }
            if std::mem::take(&mut self.disturbed) {
                slice.note(Event::Restart);
            }
            open.pop();
            if record.g > record.rhs {
                self.lower(open, map, node, record);
            } else {
                self.raise(open, map, node, record, h);
            }
        }
        self.disturbed = false;
        if !self.done {
            self.done = true;
            if self.record(self.at).rhs != Cost::INFINITE {
                slice.note(Event::Found);
            }
        }
        true
    }

    /// The best entry of the open list.
    #[inline]
    fn top(&self, open: &mut impl Open) -> Option<Entry> {
        open.best(|entry| self.record(entry.node()).is_entry(entry, self.ties))
    }

    /// Expands a node with `g > rhs`: neighbours may go over it now.
    ///
    /// As in [`BestFirst`](crate::BestFirst), those that profit are gathered first, in an array where that
    /// is enough: the code in the loop stands there once for each direction and must be small.
    #[inline(always)]
    fn lower<M: Map>(&mut self, open: &mut impl Open, map: &M, node: NodeId, record: Record) {
        let g = record.rhs;
        if let Some(slot) = self.nodes.find_mut(node) {
            slot.g = g;
        }
        let mut candidates = [Candidate::default(); BATCH];
        let mut count = 0;
        let (nodes, more) = (&self.nodes, &mut self.more);
        let toward = Toward { map, goal: self.at };
        toward.for_each_successor(node, record.next, Skip::Seen, |to, cost, h| {
            let rhs = g + cost;
            if nodes.find(to).is_none_or(|known| rhs < known.rhs) {
                if M::MAX_EDGES > BATCH && count == BATCH {
                    spill(more, Candidate { to, rhs, h });
                } else {
                    candidates[count % BATCH] = Candidate { to, rhs, h };
                    count += 1;
                }
            }
        });
        for &candidate in &candidates[..count.min(BATCH)] {
            self.offer(open, node, candidate);
        }
        while let Some(candidate) = self.more.pop() {
            self.offer(open, node, candidate);
        }
    }

    /// Takes in a way over a neighbour. It is no news any more if two edges lead there.
    #[inline(always)]
    fn offer(&mut self, open: &mut impl Open, next: NodeId, Candidate { to, rhs, h }: Candidate) {
        let old = self.record(to);
        if rhs < old.rhs {
            self.put(open, to, old, Record { rhs, next, ..old }, h);
        }
    }

    /// Expands a node with `g < rhs`: neighbours that went over it must look for another way, and it may
    /// itself be expanded again, with the cost it has now.
    fn raise(
        &mut self,
        open: &mut impl Open,
        map: &impl Map,
        node: NodeId,
        record: Record,
        h: Cost,
    ) {
        self.put(open, node, record, Record { g: Cost::INFINITE, ..record }, h);
        let mut bereft = std::mem::take(&mut self.bereft);
        map.for_each_edge(node, |to, _| {
            if to != self.goal && self.met(to).is_some_and(|known| known.next == node) {
                bereft.push(to);
            }
        });
        for to in bereft.drain(..) {
            self.recompute(open, map, to);
        }
        self.bereft = bereft;
    }

    /// Step 3: the neighbour to step to; none if the edges here are not those the search knows.
    ///
    /// Of equally good ones the dearest edge is taken, then the last. Any fixed rule would do; this one goes
    /// diagonally while it can, and where walls come into sight on the way, on random grids, that was up to
    /// 8 % cheaper than to follow the neighbours remembered.
    fn choose(&self, map: &impl Map) -> Option<NodeId> {
        let mut best = (Cost::INFINITE, Cost::ZERO, self.at);
        map.for_each_edge(self.at, |to, cost| {
            let way = cost + self.record(to).g;
            if way < best.0 || way == best.0 && cost >= best.1 {
                best = (way, cost, to);
            }
        });
        (best.0 == self.record(self.at).rhs).then_some(best.2)
    }

    fn cost_to_go(&self, from: NodeId) -> Option<Cost> {
        if from == self.goal {
            return Some(Cost::ZERO);
        }
        // Not `g`: the search is done as soon as the agent's place is the best that is left to expand.
        let rhs = self.record(from).rhs;
        (self.done && rhs != Cost::INFINITE).then_some(rhs)
    }

    /// The way along the remembered neighbors, which comes nearer to the goal with each.
    fn plan(&self, from: NodeId) -> Option<Vec<NodeId>> {
        let mut left = self.cost_to_go(from)?;
        let mut path = vec![from];
        let mut node = from;
        while node != self.goal {
            node = self.record(node).next;
            let g = self.record(node).g;
            // Only changes that were not reported can have turned the way round.
            if g >= left {
                return None;
            }
            left = g;
            path.push(node);
        }
        Some(path)
    }

    fn bytes(&self) -> usize {
        self.nodes.bytes()
            + self.waiting.bytes()
            + (self.pending.capacity() + self.concerned.capacity()) * size_of::<NodeId>()
            + self.more.capacity() * size_of::<Candidate>()
            + self.bereft.capacity() * size_of::<NodeId>()
    }
}

#[cold]
#[inline(never)]
fn spill(more: &mut Vec<Candidate>, candidate: Candidate) {
    more.push(candidate);
}

impl Policy for DStarLitePolicy {
    fn needs(&self) -> Needs {
        Needs { reversible_edges: true, ..Needs::default() }
    }

    fn limits(&self, budget: u64) -> Limits {
        Limits { traces: 0, ..Limits::per_unit(budget) }
    }

    fn begin<M: Map>(&mut self, map: &M, start: NodeId, goal: NodeId, keep: Keep) {
        self.core.at = start;
        if keep == Keep::Nothing {
            (self.core.goal, self.core.fresh) = (goal, true);
        } else if !self.core.fresh {
            self.core.grow_km(map);
            self.core.done = false;
        }
    }

    fn moved(&mut self, _: NodeId, to: NodeId) {
        self.core.at = to;
    }

    fn heed<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>, changed: &[NodeId]) {
        // An agent that rests begins anew when it is sent elsewhere.
        if cx.at != cx.goal {
            self.ensure_started(cx.map);
            self.core.note(cx.map, changed);
        }
    }

    fn decide<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) -> Decision {
        self.ensure_started(cx.map);
        self.tidy(cx.map, cx.slice);
        if !self.think(cx.map, cx.slice) {
            return Decision::Wait;
        }
        if self.core.record(cx.at).rhs == Cost::INFINITE {
            return Decision::NoWay;
        }
        self.core.choose(cx.map).map_or(Decision::Stale, Decision::Go)
    }

    /// Where it would have gone has most likely been blocked, and others must know that too.
    fn replan<M: Map>(&mut self, cx: &mut Cx<'_, '_, M>) {
        let next = self.core.record(cx.at).next;
        self.core.note(cx.map, &[cx.at, next]);
    }

    fn rest(&mut self) {
        let core = &mut self.core;
        if !std::mem::replace(&mut core.fresh, true) {
            core.nodes.pages_mut().release();
            core.waiting.pages_mut().release();
            self.open.release();
            (core.pending, core.concerned) = (Vec::new(), Vec::new());
        }
        core.nodes.pages_mut().reclaim(8);
        core.waiting.pages_mut().reclaim(8);
    }

    fn target(&self, goal: NodeId) -> Option<NodeId> {
        self.core.cost_to_go(self.core.at).map(|_| goal)
    }

    fn plan(&self, at: NodeId) -> Option<Vec<NodeId>> {
        self.core.plan(at)
    }

    fn set_pool(&mut self, pool: &Pool) {
        self.core.nodes.pages_mut().set_pool(pool);
        self.core.waiting.pages_mut().set_pool(pool);
    }

    fn bytes(&self) -> usize {
        self.core.bytes() + self.open.bytes()
    }
}
