//! Building and repairing the levels, one above the other.
//!
//! # Invariants, before and after
//! * A node has a parent exactly if it has edges. The children of a parent are connected inside it.
//! * An edge between two nodes counts the edges between their children; there is none that counts nothing.
//! * Parent and children agree; sums of positions and cells are those of all nodes of the space below.
//! * A node two levels up has two grandchildren at least.

use super::group::sort_ids;
use super::layer::{Ground, HUB, Layer, Link};
use super::levels::{GROUND_PARTS, Hierarchy, NONE};
use super::whole::{Packed, Whole};
use crate::space::Sealed;
use crate::{Map, NodeId};

/// The edges around some nodes of a space that are about to change.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    changed: Vec<NodeId>,
    /// The nodes whose edges may change.
    around: Vec<NodeId>,
    edges: Vec<(u32, u32)>,
}

impl Edit {
    /// Finds the nodes around some that are about to be blocked, opened or changed in the space.
    pub fn new(space: &impl Map, changed: &[NodeId]) -> Edit {
        let mut edit = Edit { changed: changed.to_vec(), around: Vec::new(), edges: Vec::new() };
        edit.look_around(space);
        edit
    }

    /// Notes the edges as they are.
    pub fn note(&mut self, space: &impl Map) {
        self.edges = self.edges_around(space);
    }

    /// How many nodes may have other edges after the change.
    pub fn around(&self) -> usize {
        self.around.len()
    }

    /// The nodes that change.
    pub fn changed(&self) -> &[NodeId] {
        &self.changed
    }

    fn look_around(&mut self, space: &impl Map) {
        for &node in &self.changed {
            space.for_each_dependent(node, |near| self.around.push(near));
        }
        self.around.sort_unstable();
        self.around.dedup();
    }

    /// The edges around, each once, with the smaller end first.
    fn edges_around(&self, space: &impl Map) -> Vec<(u32, u32)> {
        let mut edges = Vec::new();
        for &node in &self.around {
            space.for_each_edge(node, |to, _| {
                if to != node {
                    edges.push((node.0.min(to.0), node.0.max(to.0)));
                }
            });
        }
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}

/// Puts a hierarchy right, level by level. What is in these lists concerns the level at hand, or, if
/// it says so, the next.
pub(super) struct Repairer<'h, S> {
    pub h: &'h mut Hierarchy,
    space: &'h S,
    /// Edges that have come or gone.
    came: Vec<(u32, u32)>,
    went: Vec<(u32, u32)>,
    /// Nodes that have edges and no parent.
    loose: Vec<u32>,
    /// Nodes that have lost all their children, and are to be removed.
    empty: Vec<u32>,
    /// Nodes whose children, cells or edges have changed.
    touched: Vec<u32>,
    /// The same for the next level.
    pub next_loose: Vec<u32>,
    next_empty: Vec<u32>,
    next_touched: Vec<u32>,
    /// Edges of the next level that came (true) or went, between nodes that have parents.
    log: Vec<((u32, u32), bool)>,
    /// The node that takes in whatever has no parent on the level below it, if only what is below it is
    /// regrouped.
    stays: Option<(usize, u32)>,
    /// Ids that can be used again when all is done.
    retired: Vec<(usize, u32)>,
    /// Lists of neighbors that are not in use, for their memory.
    spare: Vec<Vec<u32>>,
    /// The groups beside a new one and how many edges lead to each; kept for its memory.
    pub beside: Vec<(u32, u32)>,
    pub whole: Whole,
    /// The neighbors of the nodes of the level at hand, if it is new as a whole; and those of the level before, for
    /// their memory.
    pub packed: Packed,
    pub packed_before: Packed,
}

impl<'h, S: Map> Repairer<'h, S> {
    pub fn new(h: &'h mut Hierarchy, space: &'h S) -> Repairer<'h, S> {
        Repairer {
            h,
            space,
            came: Vec::new(),
            went: Vec::new(),
            loose: Vec::new(),
            empty: Vec::new(),
            touched: Vec::new(),
            next_loose: Vec::new(),
            next_empty: Vec::new(),
            next_touched: Vec::new(),
            log: Vec::new(),
            stays: None,
            retired: Vec::new(),
            spare: Vec::new(),
            beside: Vec::new(),
            whole: Whole::default(),
            packed: Packed::default(),
            packed_before: Packed::default(),
        }
    }

    /// Makes the levels above these nodes of the space.
    pub fn build(mut self, all: Vec<u32>) {
        self.loose = all;
        self.settle();
    }

    /// Takes in a change of the space.
    pub fn repair(&mut self, edit: &Edit) {
        let mut after = edit.clone();
        after.look_around(self.space);
        let edges = after.edges_around(self.space);
        let without = |edges: &[(u32, u32)], others: &[(u32, u32)]| {
            let is_new = |edge: &&(u32, u32)| others.binary_search(edge).is_err();
            edges.iter().filter(is_new).copied().collect::<Vec<_>>()
        };
        self.went = without(&edit.edges, &edges);
        self.came = without(&edges, &edit.edges);
        self.touch_ground(edit.changed());
        self.settle();
    }

    /// Takes in that the multipliers of these nodes of the space have changed.
    pub fn reweigh(&mut self, changed: &[NodeId]) {
        self.touch_ground(changed);
        self.settle();
    }

    /// Where there is terrain, changed nodes may have another multiplier.
    fn touch_ground(&mut self, changed: &[NodeId]) {
        if self.h.terrain.is_some() {
            let known = changed.iter().filter(|node| node.index() < self.h.size());
            self.touched = known.map(|node| node.0).collect();
        }
    }

    /// Regroups these nodes of the space: all that are below this node of a level, which stays, and so does
    /// all above it.
    pub fn renew(&mut self, level: usize, node: u32, cells: Vec<u32>) {
        for &cell in &cells {
            self.detach(0, cell);
        }
        self.loose = cells;
        self.stays = Some((level, node));
        self.settle();
    }

    /// Works upwards until nothing is left to do.
    fn settle(&mut self) {
        let mut level = 0;
        loop {
            self.settle_level(level);
            level += 1;
            self.loose = std::mem::take(&mut self.next_loose);
            self.empty = std::mem::take(&mut self.next_empty);
            self.touched = std::mem::take(&mut self.next_touched);
            self.sum_log();
            let still = self.loose.is_empty() && self.empty.is_empty() && self.touched.is_empty();
            if still && self.came.is_empty() && self.went.is_empty() {
                break;
            }
        }
        for (level, node) in std::mem::take(&mut self.retired) {
            self.h.retired(level, node);
            self.h.layers[level - 1].free.push(node);
        }
        while self.h.layers.last().is_some_and(|layer| layer.live == 0) {
            self.h.layers.pop();
        }
    }

    /// What the log of edges comes to.
    fn sum_log(&mut self) {
        self.came.clear();
        self.went.clear();
        self.log.sort_unstable();
        for edge in self.log.chunk_by(|a, b| a.0 == b.0) {
            let came = edge.iter().filter(|(_, came)| *came).count();
            match (2 * came).cmp(&edge.len()) {
                std::cmp::Ordering::Greater => self.came.push(edge[0].0),
                std::cmp::Ordering::Less => self.went.push(edge[0].0),
                std::cmp::Ordering::Equal => {}
            }
        }
        self.log.clear();
    }

    /// Puts the groups of one level right.
    fn settle_level(&mut self, level: usize) {
        let mut loose = std::mem::take(&mut self.loose);
        let mut suspects = Vec::new();
        let mut bare = Vec::new();
        for (u, v) in std::mem::take(&mut self.went) {
            let (p, q) = (self.parent(level, u), self.parent(level, v));
            if p != NONE && p == q {
                suspects.push(p);
            } else if p != NONE && q != NONE {
                self.unlink(level + 1, p, q);
            }
            bare.extend([u, v]);
        }
        for (u, v) in std::mem::take(&mut self.came) {
            let (p, q) = (self.parent(level, u), self.parent(level, v));
            if p != NONE && q != NONE && p != q {
                self.link(level + 1, p, q);
            }
            loose.extend([(p, u), (q, v)].into_iter().filter(|&(p, _)| p == NONE).map(|(_, u)| u));
        }
        let mut empty = std::mem::take(&mut self.empty);
        empty.sort_unstable();
        empty.dedup();
        for node in empty {
            if !self.is_live(level, node) {
                self.leave(level, node);
                self.remove(level, node);
            }
        }
        for node in bare {
            if self.parent(level, node) != NONE && self.degree(level, node) == 0 {
                self.leave(level, node);
            }
        }
        suspects.sort_unstable();
        suspects.dedup();
        for group in suspects {
            self.split(level, group, &mut loose);
        }
        for node in std::mem::take(&mut self.touched) {
            let parent = self.parent(level, node);
            if parent != NONE {
                self.next_touched.push(parent);
            }
        }
        if let Some((_, node)) = self.stays.filter(|&(above, _)| above == level + 1) {
            for child in std::mem::take(&mut loose) {
                if self.is_live(level, child) && self.parent(level, child) == NONE {
                    self.attach(level, child, node);
                }
            }
            self.split(level, node, &mut loose);
        }
        self.free_lonely(level, &mut loose);
        self.begin_whole(level, loose.len());
        self.group(level, loose);
        if self.whole.active {
            self.finish_whole(level);
            return;
        }
        self.packed.clear(0);
        let mut touched = std::mem::take(&mut self.next_touched);
        sort_ids(&mut touched, self.size(level + 1));
        touched.retain(|&group| !self.children(level + 1, group).is_empty());
        for &group in &touched {
            self.sum(level + 1, group);
        }
        let all = touched.len() == self.h.count(level + 1);
        for &group in &touched {
            self.measure(level + 1, group, !all);
        }
        self.next_touched = touched;
    }

    /// Lets a node that has become alone on two levels go, to look for company.
    fn free_lonely(&mut self, level: usize, loose: &mut Vec<u32>) {
        if level == 0 {
            return;
        }
        self.next_touched.sort_unstable();
        self.next_touched.dedup();
        for group in self.next_touched.clone() {
            if let &[child] = self.children(level + 1, group)
                && self.children(level, child).len() == 1
                && self.degree(level, child) > 0
            {
                self.detach(level, child);
                loose.push(child);
            }
        }
    }

    /// Lets all but the largest part of a group go, if it is not connected inside.
    fn split(&mut self, level: usize, group: u32, loose: &mut Vec<u32>) {
        let members = self.children(level + 1, group).to_vec();
        let mut sorted = members.clone();
        sorted.sort_unstable();
        let mut part = vec![usize::MAX; members.len()];
        let mut sizes = Vec::new();
        let mut stack = Vec::new();
        let place = |node: u32| sorted.binary_search(&node).ok();
        for &member in &members {
            let Some(first) = place(member).filter(|&at| part[at] == usize::MAX) else { continue };
            part[first] = sizes.len();
            sizes.push(0);
            stack.push(first);
            while let Some(at) = stack.pop() {
                *sizes.last_mut().expect("pushed above") += 1;
                let near = self.neighbors(level, sorted[at]);
                for to in near.iter().filter_map(|&node| place(node)) {
                    if part[to] == usize::MAX {
                        part[to] = part[first];
                        stack.push(to);
                    }
                }
                self.give_back(near);
            }
        }
        // The first of the largest.
        let Some(kept) = (0..sizes.len()).rev().max_by_key(|&part| sizes[part]) else { return };
        for member in members {
            if place(member).is_some_and(|at| part[at] != kept) {
                self.detach(level, member);
                loose.push(member);
            }
        }
    }

    /// The parent of a node.
    pub fn parent(&self, level: usize, node: u32) -> u32 {
        match level {
            0 => self.h.ground[node as usize],
            _ => self.layer(level).parents[node as usize],
        }
    }

    fn set_parent(&mut self, level: usize, node: u32, parent: u32) {
        match level {
            0 => self.h.ground[node as usize] = parent,
            _ => self.layer_mut(level).parents[node as usize] = parent,
        }
    }

    fn layer(&self, level: usize) -> &Layer {
        &self.h.layers[level - 1]
    }

    fn layer_mut(&mut self, level: usize) -> &mut Layer {
        &mut self.h.layers[level - 1]
    }

    /// How many ids a level has, used or not.
    pub fn size(&self, level: usize) -> usize {
        match level {
            0 => self.h.size(),
            _ => self.h.layers.get(level - 1).map_or(0, Layer::size),
        }
    }

    /// Whether the id of a node is in use.
    pub fn is_live(&self, level: usize, node: u32) -> bool {
        match level {
            0 => self.space.contains(NodeId(node)),
            _ => self.layer(level).groups[node as usize].children.len() > 0,
        }
    }

    /// The children of a node of a level above the space.
    pub fn children(&self, level: usize, node: u32) -> &[u32] {
        self.layer(level).children_of(node)
    }

    /// How many children a node of a level above the space has.
    pub fn member_count(&self, level: usize, node: u32) -> usize {
        self.layer(level).groups[node as usize].children.len()
    }

    /// The edges of a node of a level above the space.
    pub fn links(&self, level: usize, node: u32) -> &[Link] {
        self.layer(level).links_of(node)
    }

    /// The neighbors of a node, each once. To be given back when done with.
    pub fn neighbors(&mut self, level: usize, node: u32) -> Vec<u32> {
        self.h.visited += 1;
        let mut near = self.spare.pop().unwrap_or_default();
        if level == 0 {
            self.space.for_each_edge(NodeId(node), |to, _| {
                if to.0 != node {
                    near.push(to.0);
                }
            });
            if S::MAX_EDGES > 8 {
                near.sort_unstable();
                near.dedup();
            }
        } else if let Some(packed) = self.packed.of(level, node) {
            near.extend_from_slice(packed);
        } else {
            near.extend(self.links(level, node).iter().map(|link| link.to));
        }
        near
    }

    /// Takes back a list of neighbors, for its memory.
    pub fn give_back(&mut self, mut near: Vec<u32>) {
        near.clear();
        self.spare.push(near);
    }

    fn degree(&self, level: usize, node: u32) -> usize {
        match level {
            0 => {
                let mut count = 0;
                self.space.for_each_edge(NodeId(node), |to, _| count += usize::from(to.0 != node));
                count
            }
            _ => self.layer(level).edges[node as usize].len(),
        }
    }

    /// Whether an edge joins two nodes.
    pub fn joined(&self, level: usize, a: u32, b: u32) -> bool {
        match level {
            0 => self.space.edge(NodeId(a), NodeId(b)).is_some(),
            _ => match (self.packed.of(level, a), self.packed.of(level, b)) {
                (Some(near), Some(other)) if near.len().min(other.len()) <= HUB => {
                    if near.len() <= other.len() { near.contains(&b) } else { other.contains(&a) }
                }
                _ => self.h.linked(level, NodeId(a), NodeId(b)),
            },
        }
    }

    /// A new node, without children.
    pub fn create(&mut self, level: usize) -> u32 {
        if self.h.layers.len() < level {
            self.h.layers.push(Layer::default());
        }
        let terrain = self.h.terrain.is_some();
        self.layer_mut(level).create(terrain)
    }

    /// Removes a node that has neither children nor edges.
    fn remove(&mut self, level: usize, node: u32) {
        let layer = self.layer_mut(level);
        let group = &mut layer.groups[node as usize];
        debug_assert!(group.children.len() == 0 && layer.edges[node as usize].len() == 0, "in use");
        group.cells = 0;
        layer.live -= 1;
        self.retired.push((level, node));
    }

    /// Puts a node without a parent into a group, without its edges.
    pub fn adopt(&mut self, level: usize, node: u32, group: u32) {
        self.set_parent(level, node, group);
        let layer = self.layer_mut(level + 1);
        layer.children.push(&mut layer.groups[group as usize].children, node);
        if self.whole.active {
            self.whole.adopted(node);
        } else if self.next_touched.last() != Some(&group) {
            self.next_touched.push(group);
        }
    }

    /// Puts a node without a parent into a group, with its edges.
    pub fn attach(&mut self, level: usize, node: u32, group: u32) {
        self.adopt(level, node, group);
        if self.whole.active {
            self.whole.complete();
            return;
        }
        let near = self.neighbors(level, node);
        for &other in &near {
            let beside = self.parent(level, other);
            if beside != NONE && beside != group {
                self.link(level + 1, group, beside);
            }
        }
        self.give_back(near);
    }

    /// Takes a node out of its group, with its edges.
    fn detach(&mut self, level: usize, node: u32) {
        let group = self.parent(level, node);
        if group == NONE {
            return;
        }
        let near = self.neighbors(level, node);
        for &other in &near {
            let beside = self.parent(level, other);
            if beside != NONE && beside != group {
                self.unlink(level + 1, group, beside);
            }
        }
        self.give_back(near);
        self.leave(level, node);
    }

    /// Takes a node without edges out of its group.
    fn leave(&mut self, level: usize, node: u32) {
        let group = self.parent(level, node);
        if group == NONE {
            return;
        }
        self.set_parent(level, node, NONE);
        let layer = self.layer_mut(level + 1);
        let children = &mut layer.groups[group as usize].children;
        let at = layer.children.get(*children).iter().position(|&child| child == node);
        layer.children.remove(children, at.expect("a parent knows its children"));
        if children.len() == 0 {
            self.next_empty.push(group);
        }
        self.next_touched.push(group);
    }

    /// Counts one more edge between the children of two nodes.
    pub fn link(&mut self, level: usize, a: u32, b: u32) {
        let layer = self.layer_mut(level);
        let (known, _) = layer.count_link(a, b, true);
        layer.count_link(b, a, true);
        if !known {
            self.note_link(level, a, b);
        }
    }

    /// Adds edges from a node to others that it is not joined to yet, each standing for so many, and empties the list.
    pub fn add_links(&mut self, level: usize, node: u32, beside: &mut Vec<(u32, u32)>) {
        for (other, count) in beside.drain(..) {
            let layer = self.layer_mut(level);
            layer.push_link(node, other, count);
            layer.push_link(other, node, count);
            self.note_link(level, node, other);
        }
    }

    /// Takes in that two nodes have been joined.
    fn note_link(&mut self, level: usize, a: u32, b: u32) {
        let layer = self.layer(level);
        let [over_a, over_b] = [a, b].map(|node| layer.parents[node as usize]);
        if over_a != NONE && over_b != NONE {
            self.log.push(((a.min(b), a.max(b)), true));
            self.next_touched.push(a);
        } else {
            let first_edge = [a, b].map(|node| layer.edges[node as usize].len() == 1);
            for (node, parent, first_edge) in
                [(a, over_a, first_edge[0]), (b, over_b, first_edge[1])]
            {
                if parent == NONE && first_edge {
                    self.next_loose.push(node);
                    self.next_touched.push(node);
                }
            }
        }
    }

    /// Counts one edge less between the children of two nodes.
    fn unlink(&mut self, level: usize, a: u32, b: u32) {
        let layer = self.layer_mut(level);
        let gone = layer.count_link(a, b, false) == (true, false);
        layer.count_link(b, a, false);
        let parented = [a, b].iter().all(|&node| layer.parents[node as usize] != NONE);
        if gone && parented {
            self.log.push(((a.min(b), a.max(b)), false));
        }
    }

    /// Sums up a node from its children.
    pub fn sum(&mut self, level: usize, node: u32) {
        self.h.visited += 1;
        let (mut cells, mut x, mut y) = (0, 0, 0);
        for &child in self.children(level, node) {
            let (n, dx, dy) = if level == 1 {
                let (x, y) = self.space.position(NodeId(child)).unwrap_or_default();
                (1, x.into(), y.into())
            } else {
                let below = self.layer(level - 1);
                let (x, y) = below.sums[child as usize];
                (below.groups[child as usize].cells, x, y)
            };
            (cells, x, y) = (cells + n, x + dx, y + dy);
        }
        let at =
            if self.h.placed { (self.h.mean(x, cells), self.h.mean(y, cells)) } else { (0, 0) };
        let layer = self.layer_mut(level);
        layer.groups[node as usize].cells = cells;
        (layer.sums[node as usize], layer.at[node as usize]) = ((x, y), at);
        if self.h.terrain.is_some() {
            self.sum_ground(level, node, cells);
        }
    }

    /// Sums up the terrain below a node from its children.
    fn sum_ground(&mut self, level: usize, node: u32, cells: u32) {
        let children = self.children(level, node).iter();
        let sum = if level == 1 {
            children.map(|&child| u64::from(self.space.quarters(NodeId(child), Sealed))).sum()
        } else {
            children.map(|&child| self.layer(level - 1).ground[child as usize].sum).sum()
        };
        let mean = (GROUND_PARTS * sum / u64::from(cells.max(1))) as u32;
        self.layer_mut(level).ground[node as usize] = Ground { sum, mean };
    }

    /// Computes the costs of the edges of a node and, if `both`, of those that lead to it.
    fn measure(&mut self, level: usize, node: u32, both: bool) {
        let (placed, terrain) = (self.h.placed, self.h.terrain);
        let layer = self.layer_mut(level);
        for at in 0..layer.edges[node as usize].len() {
            let Link { to, cost: old, .. } = layer.links_of(node)[at];
            let cost = layer.cost(node, to, placed, terrain);
            if cost == old {
                continue; // nor has the other direction changed
            }
            layer.links_of_mut(node)[at].cost = cost;
            layer.longest = layer.longest.max(cost.into());
            if both && let Some(back) = layer.find_link(to, node) {
                layer.links_of_mut(to)[back].cost = cost;
            }
        }
    }
}
