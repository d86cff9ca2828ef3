//! The levels of a map, and what can be asked of them.

use std::collections::{HashMap, VecDeque};

use thiserror::Error;

use super::layer::{Ground, Group, Layer, Link};
use super::lists::Lists;
use super::repair::{Edit, Repairer};
use super::store::Store;
use crate::space::Sealed;
use crate::{Cost, Map, NodeId, Slice, Space};

/// No node.
pub(super) const NONE: u32 = u32::MAX;
/// The level whose nodes are the regions that wear out and are regrouped.
const REGION: usize = 4;
/// The wear of a region that waits to be regrouped.
const QUEUED: u32 = u32::MAX;
/// A repair takes as long per node whose edges may change as a build for so many visits, by measurement.
const REPAIR_PRICE: u64 = 7;
/// So many of them are always repaired.
const SMALL_EDIT: u64 = 1000;
/// Parts of a cell in which positions are known to searches.
const PARTS: i64 = 64;
/// What a straight and a diagonal way of one such part costs: close to one and the root of two, and small, so
/// that the cost of an edge across any map is below 2^32.
const STRAIGHT: u64 = 70;
const DIAGONAL: u64 = 99;
/// Parts of a quarter in which the mean multiplier of a node is known to searches.
pub(super) const GROUND_PARTS: u64 = 64;

/// Why a space can have no hierarchy.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum HierarchyError {
    /// Groups are joined by edges that lead both ways.
    #[error(
        "a map with edges that cannot be walked back at the same cost can have no hierarchy: its parts are \
         not connected in both directions"
    )]
    NotReversible,
    /// The nodes and edges are more than the 32-bit ids of a level can name.
    #[error(
        "a map of {ids} ids, {nodes} nodes and {edges} edges is too large for a hierarchy: there may be \
         {} ids, and eight times the nodes and four times the edges may come to {}", u32::MAX, Lists::<Link>::ROOM
    )]
    TooLarge {
        /// The ids of the space.
        ids: usize,
        /// How many of them are nodes; not counted if there are too many ids.
        nodes: u64,
        /// The edges, each direction counted; likewise.
        edges: u64,
    },
}

/// A map at many scales: each level has a node for a small group of nodes of the level below. Groups are
/// cliques as far as possible, built in time linear in the map, and repaired where it changes.
///
/// It says at once whether there is a way between two places, and PRA* plans on it, coarsely far away and
/// exactly near by. Agents only read it, so one can be shared by all of them, on any number of threads.
///
/// A [`Layered`](crate::Layered) map keeps its own in step with its cells:
///
/// ```
/// use tickstar::{Cell, Grid, Layered};
/// let mut grid = Layered::new(Grid::from_rows(["..#..", "..#..", "....."])?)?;
/// let [left, right] = [(0, 0), (4, 0)].map(|(x, y)| grid.node(Cell::new(x, y)).unwrap());
/// assert!(grid.hierarchy().unwrap().reachable(left, right));
/// grid.set_free(Cell::new(2, 2), false)?;
/// assert!(!grid.hierarchy().unwrap().reachable(left, right));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Hierarchy {
    /// The parent of each node of the space.
    pub(super) ground: Store<u32>,
    /// The levels from 1 up.
    pub(super) layers: Vec<Layer>,
    /// Nodes have positions.
    pub(super) placed: bool,
    /// The smallest and the largest multiplier of the terrain, in quarters, if the map has any.
    pub(super) terrain: Option<(u16, u16)>,
    /// Bits that positions are cut by, where a map is too large for 64ths of a cell.
    coarse: u32,
    /// Nodes visited so far, by building and repairs.
    pub(super) visited: u64,
    /// How many of them by the last build.
    built: u64,
    /// Changes that went through each region since it was made, where there were any.
    wear: HashMap<u32, u32>,
    /// Regions that are worn, and how much of the work on the first of them has been paid for.
    worn: VecDeque<u32>,
    paid: u64,
}

impl Hierarchy {
    /// The levels of a space, in time linear in its nodes and edges.
    ///
    /// # Errors
    /// When edges cannot be walked back, or the space is too large.
    pub fn new(space: &impl Map) -> Result<Hierarchy, HierarchyError> {
        if !space.is_reversible() {
            return Err(HierarchyError::NotReversible);
        }
        let size = check_size(space)?;
        let nodes = || (0..size).map(NodeId).filter(|&node| space.contains(node));
        let far = |node| space.position(node).map(|(x, y)| x.unsigned_abs().max(y.unsigned_abs()));
        let extent = nodes().map(far).try_fold(0, |most, far| far.map(|far: u32| far.max(most)));
        let terrain = space.quarters_range(Sealed);
        let dearest = terrain.map_or(1, |(least, most)| u64::from(most.div_ceil(least)));
        // From one end to the other, times the dearest way to go.
        let most =
            extent.map_or(0, |far| 2 * u64::from(far) * PARTS as u64 * 2 * STRAIGHT * dearest);
        let mut hierarchy = Hierarchy {
            ground: Store::Plain(vec![NONE; space.size()]),
            layers: Vec::new(),
            placed: extent.is_some(),
            terrain,
            coarse: (most >> 31).checked_ilog2().map_or(0, |bits| bits + 1),
            visited: 0,
            built: 0,
            wear: HashMap::new(),
            worn: VecDeque::new(),
            paid: 0,
        };
        let all = nodes().map(|node| node.0).collect();
        Repairer::new(&mut hierarchy, space).build(all);
        hierarchy.share();
        hierarchy.built = hierarchy.visited;
        Ok(hierarchy)
    }

    /// Whether a rebuild takes less time than a repair after which the edges of so many nodes may differ. On 21
    /// benchmark maps that the price was not chosen on, edits of 1 to 20 % of the cells took 0.4 % longer in all
    /// than with the better choice each time; without rebuilds, 33 %.
    pub(crate) fn prefers_rebuild(&self, around: usize) -> bool {
        around as u64 > (self.built / REPAIR_PRICE).max(SMALL_EDIT)
    }

    /// Rebuilds the levels.
    ///
    /// # Errors
    /// When the space can have no hierarchy any more.
    pub(crate) fn rebuilt(&self, space: &impl Map) -> Result<Hierarchy, HierarchyError> {
        let mut hierarchy = Hierarchy::new(space)?;
        hierarchy.visited += self.visited;
        Ok(hierarchy)
    }

    /// How many ids the space had when the levels were built.
    pub(crate) fn size(&self) -> usize {
        self.ground.len()
    }

    /// Whether the levels can be those of this space: it has as many ids as when they were built, and the same
    /// multipliers.
    pub(crate) fn fits(&self, space: &impl Map) -> bool {
        self.size() == space.size() && self.terrain == space.quarters_range(Sealed)
    }

    /// Updates the levels after the multipliers of some nodes have changed, and nothing else.
    pub(crate) fn reweigh(&mut self, space: &impl Map, changed: &[NodeId]) {
        Repairer::new(self, space).reweigh(changed);
        self.share();
    }

    /// Updates the levels after a change of the space, given what was noted before it.
    pub(crate) fn repair(&mut self, space: &impl Map, edit: &Edit) {
        Repairer::new(self, space).repair(edit);
        for &node in edit.changed() {
            self.wear_out(space, node);
        }
        self.share();
    }

    /// Makes copies cheap: they share what neither of them has changed.
    fn share(&mut self) {
        self.ground.share(&[]);
        self.layers.iter_mut().for_each(Layer::share);
    }

    /// Counts a change of a node against its region.
    fn wear_out(&mut self, space: &impl Map, node: NodeId) {
        // A node that was blocked belongs nowhere: its neighbors' region has changed.
        let mut region = self.ancestor(node, REGION);
        if region.is_none() {
            space.for_each_dependent(node, |near| {
                region = region.or_else(|| self.ancestor(near, REGION));
            });
        }
        let Some(region) = region else { return };
        let wear = self.wear.entry(region.0).or_default();
        if *wear == QUEUED {
            return;
        }
        *wear += 1;
        let cells = self.layers[REGION - 1].groups[region.index()].cells;
        if *wear >= cells.div_ceil(2) {
            *wear = QUEUED;
            self.worn.push_back(region.0);
        }
    }

    /// Regroups worn regions as far as the slice goes: it is charged one update per cell. A region is regrouped
    /// at once when it has been paid for, over as many slices as that takes. Returns how many were, and whether
    /// none is left.
    pub(crate) fn tend(&mut self, space: &impl Map, slice: &mut Slice<'_>) -> (usize, bool) {
        let mut regrouped = 0;
        while let Some(&region) = self.worn.front() {
            let layer = self.layers.get(REGION - 1);
            let cells =
                layer.and_then(|layer| layer.groups.get(region as usize)).map_or(0, |n| n.cells);
            while self.paid < u64::from(cells) {
                if !slice.update(NodeId(region)) {
                    return (regrouped, false);
                }
                self.paid += 1;
            }
            self.worn.pop_front();
            self.wear.remove(&region);
            self.paid = 0;
            if cells > 0 {
                regrouped += 1;
                let below = self.cells(REGION, NodeId(region));
                let below = below.into_iter().map(|node| node.0).collect();
                Repairer::new(self, space).renew(REGION, region, below);
                self.share();
            }
        }
        (regrouped, true)
    }

    /// How many regions are worn: see [`Layered::tend`](crate::Layered::tend).
    pub fn worn_regions(&self) -> usize {
        self.worn.len()
    }

    /// The id of a node is not used any more.
    pub(super) fn retired(&mut self, level: usize, node: u32) {
        if level == REGION {
            self.wear.remove(&node);
        }
    }

    /// The levels there are, the space itself not counted.
    pub fn height(&self) -> usize {
        self.layers.len()
    }

    /// The nodes of a level above the space.
    pub fn count(&self, level: usize) -> usize {
        self.layer(level).map_or(0, |layer| layer.live)
    }

    /// Nodes visited so far, by building and repairs: a measure of work that is the same on every machine.
    pub fn nodes_visited(&self) -> u64 {
        self.visited
    }

    fn layer(&self, level: usize) -> Option<&Layer> {
        self.layers.get(level.checked_sub(1)?)
    }

    /// A level above the space and what a node of it stands for, if the id is used.
    fn group(&self, level: usize, node: NodeId) -> Option<(&Layer, &Group)> {
        let layer = self.layer(level)?;
        let group = layer.groups.get(node.index()).filter(|group| group.cells > 0)?;
        Some((layer, group))
    }

    /// The node of the next level that a node of this one belongs to. None if it has no edges.
    #[inline]
    pub fn parent(&self, level: usize, node: NodeId) -> Option<NodeId> {
        self.parents(level)?.of(node)
    }

    /// The parents of the nodes of a level.
    #[inline]
    pub(crate) fn parents(&self, level: usize) -> Option<Parents<'_>> {
        match level.checked_sub(1) {
            None => Some(Parents(&self.ground)),
            Some(layer) => self.layers.get(layer).map(|layer| Parents(&layer.parents)),
        }
    }

    /// The node of a level that a node of the space belongs to; none if all that can be reached from there is
    /// one node further down already.
    pub fn ancestor(&self, node: NodeId, level: usize) -> Option<NodeId> {
        (0..level).try_fold(node, |node, below| self.parent(below, node))
    }

    /// The node that stands for all that can be reached from a node of the space, and its level.
    pub fn root(&self, mut node: NodeId) -> (usize, NodeId) {
        let mut level = 0;
        while let Some(parent) = self.parent(level, node) {
            (level, node) = (level + 1, parent);
        }
        (level, node)
    }

    /// Whether there is a way between two nodes of the space that can be stood on, by as many look-ups as
    /// there are levels.
    ///
    /// ```
    /// use tickstar::{Cell, Grid, Hierarchy};
    /// let grid = Grid::from_rows(["..#.", "..#.", "..#."])?;
    /// let node = |x, y| grid.node(Cell::new(x, y)).unwrap();
    /// let hierarchy = Hierarchy::new(&grid)?;
    /// assert!(hierarchy.reachable(node(0, 0), node(1, 2)));
    /// assert!(!hierarchy.reachable(node(0, 0), node(3, 0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reachable(&self, a: NodeId, b: NodeId) -> bool {
        let (mut a, mut b) = (a, b);
        let mut level = 0;
        while a != b {
            let (Some(over_a), Some(over_b)) = (self.parent(level, a), self.parent(level, b))
            else {
                return false;
            };
            (a, b, level) = (over_a, over_b, level + 1);
        }
        true
    }

    /// The nodes of the level below that a node stands for.
    pub fn children(
        &self,
        level: usize,
        node: NodeId,
    ) -> impl ExactSizeIterator<Item = NodeId> + '_ {
        let group = self.group(level, node);
        let children = group.map_or(&[][..], |(layer, group)| layer.children.get(group.children));
        children.iter().copied().map(NodeId)
    }

    /// The nodes of the space that a node stands for.
    pub fn cells(&self, level: usize, node: NodeId) -> Vec<NodeId> {
        let mut nodes = vec![node];
        for level in (1..=level).rev() {
            nodes = nodes.iter().flat_map(|&node| self.children(level, node)).collect();
        }
        nodes
    }

    /// A node of the space in the middle of what a node stands for, or close to it: down the levels, each
    /// time to the child that is closest to its mean position. None if the id is not used.
    pub(crate) fn middle(&self, space: &impl Map, level: usize, node: NodeId) -> Option<NodeId> {
        let mean_of =
            |level, node: NodeId| self.group(level, node).map(|(layer, _)| layer.at[node.index()]);
        let mean = mean_of(level, node)?;
        (1..=level).rev().try_fold(node, |node, level| {
            self.children(level, node).min_by_key(|&child| {
                let (x, y) = space.position(child).unwrap_or_default();
                let cell = || (self.mean(x.into(), 1), self.mean(y.into(), 1));
                distance(mean, mean_of(level - 1, child).unwrap_or_else(cell))
            })
        })
    }

    /// How many nodes of the space a node stands for.
    pub fn cell_count(&self, level: usize, node: NodeId) -> u32 {
        self.group(level, node).map_or(0, |(_, group)| group.cells)
    }

    /// The mean position of the nodes of the space below a node, as exact sums of columns and rows and
    /// their number; none where they have no positions.
    pub fn position(&self, level: usize, node: NodeId) -> Option<(i64, i64, u32)> {
        let (layer, group) = self.group(level, node).filter(|_| self.placed)?;
        let (x, y) = layer.sums[node.index()];
        Some((x, y, group.cells))
    }

    /// The neighbors of a node on its level, which must be above the space, and how many edges of the level
    /// below lead to each.
    pub fn links(
        &self,
        level: usize,
        node: NodeId,
    ) -> impl ExactSizeIterator<Item = (NodeId, u32)> + '_ {
        self.links_of(level, node).iter().map(|link| (NodeId(link.to), link.count))
    }

    fn links_of(&self, level: usize, node: NodeId) -> &[Link] {
        self.group(level, node).map_or(&[], |(layer, _)| layer.links_of(node.0))
    }

    /// Whether two nodes of a level above the space are joined.
    pub fn linked(&self, level: usize, a: NodeId, b: NodeId) -> bool {
        let Some(layer) = self.layer(level) else { return false };
        let edges = |node: NodeId| layer.edges.get(node.index()).map(|span| span.len());
        match (edges(a), edges(b)) {
            (Some(first), Some(second)) if first <= second => layer.find_link(a.0, b.0).is_some(),
            (Some(_), Some(_)) => layer.find_link(b.0, a.0).is_some(),
            _ => false,
        }
    }

    /// A level above the space, to be searched like any other space.
    pub fn level(&self, level: usize) -> Level<'_> {
        static EMPTY: std::sync::LazyLock<Layer> = std::sync::LazyLock::new(Layer::default);
        Level { layer: self.layer(level).unwrap_or(&EMPTY), placed: self.placed }
    }

    /// The mean of a sum of positions, in parts of a cell.
    pub(super) fn mean(&self, sum: i64, cells: u32) -> i32 {
        let cells = i64::from(cells.max(1));
        // In 64 bits if possible: a division takes a fraction of the time.
        let mean = match sum.checked_mul(PARTS) {
            Some(parts) => i128::from(parts.div_euclid(cells)),
            None => (i128::from(sum) * i128::from(PARTS)).div_euclid(i128::from(cells)),
        };
        // Fits, by the choice of `coarse`, unless a position has been added far outside.
        let limit = i128::from(i32::MAX) / 2;
        (mean >> self.coarse).clamp(-limit, limit) as i32
    }

    /// Heap memory in bytes: 60 to 75 per free cell of most grids.
    pub fn bytes(&self) -> usize {
        self.count_bytes(None).0
    }

    /// How many of these bytes another hierarchy shares: most, if one was copied from the other and neither
    /// has changed much since.
    pub fn shared_bytes(&self, other: &Hierarchy) -> usize {
        self.count_bytes(Some(other)).1
    }

    fn count_bytes(&self, other: Option<&Hierarchy>) -> (usize, usize) {
        let mut sum = self.ground.bytes(other.map(|other| &other.ground));
        for (at, layer) in self.layers.iter().enumerate() {
            let bytes = layer.bytes(other.and_then(|other| other.layers.get(at)));
            sum = (sum.0 + bytes.0, sum.1 + bytes.1);
        }
        sum
    }
}

/// The ids of a space, if a hierarchy of it can name all its nodes and edges.
///
/// A list of `n` entries has room for the next power of two, four at least; and the rooms it had before, half as
/// large and less, may all be left over. So there are at most eight places per node and four per edge.
fn check_size<S: Map>(space: &S) -> Result<u32, HierarchyError> {
    let ids = space.size();
    let too_large = |nodes, edges| HierarchyError::TooLarge { ids, nodes, edges };
    // The last id is left over, for none.
    let size = u32::try_from(ids).map_err(|_| too_large(0, 0))?;
    let places =
        |nodes: u64, edges: u64| nodes.saturating_mul(8).saturating_add(edges.saturating_mul(4));
    let fits = |nodes, edges| places(nodes, edges) <= Lists::<Link>::ROOM;
    // Most are small enough whatever they are like, and are not counted.
    if S::MAX_EDGES <= 64 && fits(size.into(), u64::from(size) * S::MAX_EDGES as u64) {
        return Ok(size);
    }
    let (mut nodes, mut edges) = (0, 0);
    for node in (0..size).map(NodeId).filter(|&node| space.contains(node)) {
        nodes += 1;
        space.for_each_edge(node, |_, _| edges += 1);
    }
    if fits(nodes, edges) { Ok(size) } else { Err(too_large(nodes, edges)) }
}

/// One level of a [`Hierarchy`] as a [`Space`]: edges cost the distance between mean positions, and estimates
/// are the same. On terrain, an edge costs as much more as the mean multiplier of both its ends exceeds that of the
/// cheapest class.
#[derive(Clone, Copy, Debug)]
pub struct Level<'h> {
    layer: &'h Layer,
    placed: bool,
}

/// The cost of a way between two mean positions.
#[inline]
pub(super) fn distance(a: (i32, i32), b: (i32, i32)) -> u64 {
    let (x, y) = (u64::from(a.0.abs_diff(b.0)), u64::from(a.1.abs_diff(b.1)));
    (2 * STRAIGHT - DIAGONAL) * x.max(y) + (DIAGONAL - STRAIGHT) * (x + y)
}

/// The cost of a way of this length between the terrain of its ends. Never less than the length.
pub(super) fn weigh(length: u64, a: Ground, b: Ground, cheapest: u16) -> u64 {
    let least = 2 * GROUND_PARTS * u64::from(cheapest.max(1));
    (length * (u64::from(a.mean) + u64::from(b.mean)) / least).max(length)
}

/// The parents of the nodes of one level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parents<'h>(&'h Store<u32>);

impl Parents<'_> {
    /// The parent of a node of the level: see [`Hierarchy::parent`].
    #[inline]
    pub fn of(self, node: NodeId) -> Option<NodeId> {
        self.0.get(node.index()).filter(|&&parent| parent != NONE).map(|&parent| NodeId(parent))
    }
}

impl Level<'_> {
    /// The mean position of the nodes of the space below a node, in parts of a cell.
    #[inline]
    pub(crate) fn mean_position(&self, node: NodeId) -> Option<(i32, i32)> {
        self.layer.at.get(node.index()).copied().filter(|_| self.placed)
    }

    /// The estimate from a node to a mean position.
    #[inline(always)]
    pub(crate) fn estimate_to(&self, node: NodeId, goal: (i32, i32)) -> Cost {
        let at = self.layer.at.get(node.index());
        Cost(at.map_or(0, |&at| distance(at, goal)))
    }
}

impl Space for Level<'_> {
    fn size(&self) -> usize {
        self.layer.size()
    }

    fn contains(&self, node: NodeId) -> bool {
        self.layer.groups.get(node.index()).is_some_and(|group| group.cells > 0)
    }

    #[inline]
    fn for_each_edge(&self, from: NodeId, mut visit: impl FnMut(NodeId, Cost)) {
        if from.index() < self.layer.edges.len() {
            for link in self.layer.links_of(from.0) {
                visit(NodeId(link.to), Cost(link.cost.into()));
            }
        }
    }

    fn max_edge_cost(&self) -> Cost {
        Cost(self.layer.longest.max(1))
    }

    fn is_reversible(&self) -> bool {
        true
    }
}

impl Map for Level<'_> {
    #[inline]
    fn estimate(&self, from: NodeId, to: NodeId) -> Cost {
        self.mean_position(to).map_or(Cost::ZERO, |to| self.estimate_to(from, to))
    }
}
