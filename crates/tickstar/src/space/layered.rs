//! A map together with its hierarchy, kept in step.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use super::grid::{Cell, Grid, GridError};
use super::{Map, Sealed, Skip, Space};
use crate::hierarchy::Edit;
use crate::regions::Regions;
use crate::{Cost, Hierarchy, HierarchyError, Limits, NodeId, Slice, Subgoals};

/// A space with its [`Hierarchy`], for the searches that plan on one and to know at once whether there is a
/// way. Every change of the space updates the hierarchy, in microseconds for a cell of a grid.
///
/// It can be searched like the space itself, and derefs to it for reading. All changes pass through this type:
/// [`set_free`](Layered::set_free) and [`edit`](Layered::edit) for a [`Grid`], [`change`](Layered::change) for
/// any space. Copies share the hierarchy and the tables until one of them changes.
///
/// ```
/// use tickstar::{Cell, Grid, Layered};
/// let mut map = Layered::new(Grid::from_rows(["..#..", "..#..", "....."])?)?;
/// let [left, right] = [(0, 0), (4, 0)].map(|(x, y)| map.node(Cell::new(x, y)).unwrap());
/// assert!(map.hierarchy().is_some_and(|levels| levels.reachable(left, right)));
/// map.set_free(Cell::new(2, 2), false)?;
/// assert!(!map.hierarchy().is_some_and(|levels| levels.reachable(left, right)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Layered<S> {
    space: S,
    hierarchy: Option<Arc<Hierarchy>>,
    subgoals: Option<Arc<Subgoals>>,
    version: u64,
}

impl<S: Map> Layered<S> {
    /// A space with its hierarchy, built in time linear in its nodes and edges.
    ///
    /// # Errors
    /// When the space can have no hierarchy.
    pub fn new(space: S) -> Result<Layered<S>, HierarchyError> {
        let hierarchy = Some(Arc::new(Hierarchy::new(&space)?));
        Ok(Layered { space, hierarchy, subgoals: None, version: 0 })
    }

    /// A space without a hierarchy, for code that may or may not need one: see [`build`](Layered::build).
    pub fn flat(space: S) -> Layered<S> {
        Layered { space, hierarchy: None, subgoals: None, version: 0 }
    }

    /// Builds the hierarchy, if there is none.
    ///
    /// # Errors
    /// When the space can have no hierarchy.
    pub fn build(&mut self) -> Result<(), HierarchyError> {
        if self.hierarchy.is_none() {
            self.hierarchy = Some(Arc::new(Hierarchy::new(&self.space)?));
            self.version += 1;
        }
        Ok(())
    }

    /// Drops the hierarchy and the tables made for it.
    pub fn flatten(&mut self) {
        if self.hierarchy.take().is_some() {
            self.subgoals = None;
            self.version += 1;
        }
    }

    /// The space itself.
    pub fn space(&self) -> &S {
        &self.space
    }

    /// The space itself, without its hierarchy.
    pub fn into_space(self) -> S {
        self.space
    }

    /// The hierarchy, unless the space is flat.
    pub fn hierarchy(&self) -> Option<&Hierarchy> {
        self.hierarchy.as_deref()
    }

    /// A number that grows with every change of the space or its hierarchy. Copies count on from the number
    /// of the original, each for itself.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Changes the space and updates the hierarchy: `edit` may block, open or change these nodes and no others.
    ///
    /// Many nodes at once are less work than one by one, and make better groups. Where that is less work still,
    /// as for 4 % of the cells of a map, spread over it, the hierarchy is rebuilt. It is dropped if the space
    /// can have none any more.
    ///
    /// ```
    /// use tickstar::{Cell, Grid, Layered};
    /// let mut map = Layered::new(Grid::new(8, 8)?)?;
    /// let door = map.node(Cell::new(4, 4)).unwrap();
    /// let changed = map.change(&[door], |grid| grid.set_free(Cell::new(4, 4), false))?;
    /// assert!(changed && map.version() == 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn change<T>(&mut self, nodes: &[NodeId], edit: impl FnOnce(&mut S) -> T) -> T {
        self.subgoals = None;
        self.version += 1;
        let Some(hierarchy) = &mut self.hierarchy else { return edit(&mut self.space) };
        let mut before = Edit::new(&self.space, nodes);
        let rebuild = hierarchy.prefers_rebuild(before.around());
        if !rebuild {
            before.note(&self.space);
        }
        let result = edit(&mut self.space);
        if rebuild || !hierarchy.fits(&self.space) {
            self.hierarchy = hierarchy.rebuilt(&self.space).ok().map(Arc::new);
        } else {
            Arc::make_mut(hierarchy).repair(&self.space, &before);
        }
        result
    }

    /// Regroups regions that are worn by many changes, as far as the slice goes: it is charged one update per
    /// cell. Worth calling once per frame where the map changes a lot. Returns whether none is left.
    ///
    /// A region is regrouped at once when it has been paid for, over as many slices as that takes; the tables
    /// of subgoals are then dropped.
    pub fn tend(&mut self, slice: &mut Slice<'_>) -> bool {
        let Some(hierarchy) = self.hierarchy.as_mut().filter(|levels| levels.worn_regions() > 0)
        else {
            return true;
        };
        debug_assert_eq!(hierarchy.size(), self.space.size(), "sizes change by `change` only");
        let limits = Limits { updates: slice.budget(), ..Limits::NONE };
        let tend = |slice: &mut Slice<'_>| Arc::make_mut(hierarchy).tend(&self.space, slice);
        let (regrouped, done) = slice.within(limits, tend);
        if regrouped > 0 {
            self.subgoals = None;
            self.version += 1;
        }
        done
    }

    /// The tables of subgoals for D LRTA*, if some were made for the map as it is.
    pub fn subgoals(&self) -> Option<&Subgoals> {
        self.subgoals.as_deref()
    }

    /// Takes in tables of subgoals that were made for the map as it is; any change drops them. Without a
    /// hierarchy nothing happens.
    pub fn set_subgoals(&mut self, subgoals: impl Into<Arc<Subgoals>>) {
        if self.hierarchy.is_some() {
            self.subgoals = Some(subgoals.into());
        }
    }
}

impl Layered<Grid> {
    /// Builds the regions of the grid, if there are none: see [`Grid::with_regions`].
    pub fn build_regions(&mut self) {
        if self.space.regions().is_none() {
            self.space.build_regions();
            self.version += 1;
        }
    }

    /// Drops the regions of the grid.
    pub fn drop_regions(&mut self) {
        if self.space.regions().is_some() {
            self.space.set_regions(None);
            self.version += 1;
        }
    }

    /// Frees or blocks a cell; returns whether that changed it.
    ///
    /// Agents that walk on the map want the change reported: see [`Seen`](crate::Seen).
    ///
    /// # Errors
    /// When the cell is outside the map.
    pub fn set_free(&mut self, cell: Cell, free: bool) -> Result<bool, GridError> {
        if self.hierarchy.is_some() {
            return self.edit(&[(cell, free)]).map(|changed| changed > 0);
        }
        let changed = self.space.set_free(cell, free)?;
        self.version += u64::from(changed);
        Ok(changed)
    }

    /// Frees (`true`) or blocks many cells at once; returns how many cells changed. If a cell is named
    /// twice, the last entry counts.
    ///
    /// # Errors
    /// When a cell is outside the map; then nothing is changed.
    pub fn edit(&mut self, cells: &[(Cell, bool)]) -> Result<usize, GridError> {
        let changes = self.space.changes(cells)?;
        if changes.is_empty() {
            return Ok(0);
        }
        let nodes: Vec<_> = changes.iter().map(|&(cell, _)| self.space.id(cell)).collect();
        self.change(&nodes, |grid| grid.apply(&changes));
        Ok(changes.len())
    }

    /// Changes the class of terrain of a cell, blocked or not; returns whether that changed it.
    ///
    /// Agents that walk on the map want the change reported: see [`Seen`](crate::Seen).
    ///
    /// # Errors
    /// When the cell is outside the map, the map has no terrain, or the class is not in its table.
    pub fn set_class(&mut self, cell: Cell, class: u8) -> Result<bool, GridError> {
        self.edit_classes(&[(cell, class)]).map(|changed| changed > 0)
    }

    /// Changes the classes of many cells at once; returns how many cells changed. If a cell is named twice, the
    /// last entry counts.
    ///
    /// # Errors
    /// When one of the entries is not possible; then nothing is changed.
    pub fn edit_classes(&mut self, cells: &[(Cell, u8)]) -> Result<usize, GridError> {
        for &(cell, class) in cells {
            self.space.check_class(cell, class)?;
        }
        let last: BTreeMap<Cell, u8> = cells.iter().copied().collect();
        let mut nodes = Vec::new();
        for (cell, class) in last {
            if self.space.set_class(cell, class)? {
                nodes.push(self.space.id(cell));
            }
        }
        if nodes.is_empty() {
            return Ok(0);
        }
        self.subgoals = None;
        self.version += 1;
        if let Some(hierarchy) = &mut self.hierarchy {
            // No edge appears or disappears, so all groups stay.
            Arc::make_mut(hierarchy).reweigh(&self.space, &nodes);
        }
        Ok(nodes.len())
    }
}

impl<S> Deref for Layered<S> {
    type Target = S;

    #[inline]
    fn deref(&self) -> &S {
        &self.space
    }
}

impl<S: fmt::Debug> fmt::Debug for Layered<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let height = self.hierarchy.as_ref().map(|levels| levels.height());
        f.debug_struct("Layered")
            .field("space", &self.space)
            .field("height", &height)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

impl<S: Map> Space for Layered<S> {
    const MAX_EDGES: usize = S::MAX_EDGES;

    #[inline]
    fn size(&self) -> usize {
        self.space.size()
    }

    #[inline]
    fn contains(&self, node: NodeId) -> bool {
        self.space.contains(node)
    }

    #[inline]
    fn for_each_edge(&self, from: NodeId, visit: impl FnMut(NodeId, Cost)) {
        self.space.for_each_edge(from, visit);
    }

    #[inline]
    fn max_edge_cost(&self) -> Cost {
        self.space.max_edge_cost()
    }

    #[inline]
    fn is_reversible(&self) -> bool {
        self.space.is_reversible()
    }

    #[inline]
    fn edge(&self, from: NodeId, to: NodeId) -> Option<Cost> {
        self.space.edge(from, to)
    }
}

impl<S: Map> Map for Layered<S> {
    #[inline]
    fn for_each_successor(
        &self,
        from: NodeId,
        parent: NodeId,
        goal: NodeId,
        skip: Skip,
        visit: impl FnMut(NodeId, Cost, Cost),
        sealed: Sealed,
    ) {
        self.space.for_each_successor(from, parent, goal, skip, visit, sealed);
    }

    #[inline]
    fn estimate(&self, from: NodeId, to: NodeId) -> Cost {
        self.space.estimate(from, to)
    }

    #[inline]
    fn for_each_affected(&self, changed: NodeId, visit: impl FnMut(NodeId)) {
        self.space.for_each_affected(changed, visit);
    }

    #[inline]
    fn for_each_dependent(&self, changed: NodeId, visit: impl FnMut(NodeId)) {
        self.space.for_each_dependent(changed, visit);
    }

    #[inline]
    fn jump_grid(&self, sealed: Sealed) -> Option<&Grid> {
        self.space.jump_grid(sealed)
    }

    fn quarters(&self, node: NodeId, sealed: Sealed) -> u16 {
        self.space.quarters(node, sealed)
    }

    fn quarters_range(&self, sealed: Sealed) -> Option<(u16, u16)> {
        self.space.quarters_range(sealed)
    }

    #[inline]
    fn estimate_through(&self, from: NodeId, changed: NodeId, to: NodeId) -> Cost {
        self.space.estimate_through(from, changed, to)
    }

    #[inline]
    fn position(&self, node: NodeId) -> Option<(i32, i32)> {
        self.space.position(node)
    }

    fn describe(&self, node: NodeId) -> String {
        self.space.describe(node)
    }

    #[inline]
    fn hierarchy(&self) -> Option<&Hierarchy> {
        self.hierarchy.as_deref()
    }

    #[inline]
    fn regions(&self) -> Option<&Regions> {
        self.space.regions()
    }

    #[inline]
    fn subgoals(&self) -> Option<&Subgoals> {
        self.subgoals.as_deref()
    }
}
