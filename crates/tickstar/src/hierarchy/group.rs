//! Which nodes make a group: cliques first, then pairs and orphans.

use super::levels::NONE;
use super::repair::Repairer;
use crate::Map;

/// A node with more neighbors than this is not searched for cliques, so that the search takes constant time.
const HUB: usize = 32;
/// The largest clique that is looked for.
const CLIQUE: usize = 4;

impl<S: Map> Repairer<'_, S> {
    /// Gives every one of these nodes of a level a parent, if it has edges and no parent.
    pub(super) fn group(&mut self, level: usize, mut loose: Vec<u32>) {
        loose.sort_unstable();
        loose.dedup();
        let mut aside = Vec::new();
        for size in [4, 3] {
            loose.retain(|&node| self.seek(level, node, size, &mut aside));
        }
        aside.append(&mut loose);
        while let Some(node) = aside.pop() {
            if self.parent(level, node) == NONE {
                self.place(level, node);
            }
        }
    }

    /// Makes a group of a node without a parent and others, if it is in a clique of this size. Those in which
    /// no clique is to be looked for are put aside. Returns whether to look again for a smaller one.
    fn seek(&mut self, level: usize, node: u32, size: usize, aside: &mut Vec<u32>) -> bool {
        if self.parent(level, node) != NONE || !self.is_live(level, node) {
            return false;
        }
        let near = self.neighbors(level, node);
        let mut again = false;
        match near.len() {
            0 => {}
            2..=HUB => {
                let others = self.clique(level, &near);
                again = 1 + others.iter().flatten().count() < size;
                if !again {
                    self.found(level, [Some(node)].into_iter().chain(others).flatten());
                }
            }
            _ => aside.push(node),
        }
        self.give_back(near);
        again
    }

    /// Three or two of these neighbors of a node that have no parent and are all joined: the first such in
    /// their order, three before two.
    fn clique(&self, level: usize, near: &[u32]) -> [Option<u32>; 3] {
        let mut open = [0; HUB];
        let mut count = 0;
        for &node in near {
            if self.parent(level, node) == NONE {
                open[count] = node;
                count += 1;
            }
        }
        let open = &open[..count];
        let mut pair = None;
        for (i, &x) in open.iter().enumerate() {
            for (j, &y) in open.iter().enumerate().skip(i + 1) {
                if !self.joined(level, x, y) {
                    continue;
                }
                pair = pair.or(Some((x, y)));
                let both = |&&z: &&u32| self.joined(level, x, z) && self.joined(level, y, z);
                if let Some(&z) = open[j + 1..].iter().find(both) {
                    return [Some(x), Some(y), Some(z)];
                }
            }
        }
        match pair {
            Some((x, y)) => [Some(x), Some(y), None],
            None => [None; 3],
        }
    }

    /// Finds a parent for a node that is in no clique of such as have none.
    fn place(&mut self, level: usize, node: u32) {
        let near = self.neighbors(level, node);
        if let Some(group) = self.clique_to_join(level, &near) {
            self.attach(level, node, group);
        } else if let Some(&other) = near.iter().find(|&&other| self.parent(level, other) == NONE) {
            self.found(level, [node, other].into_iter());
        } else if near.len() == 1 || level > 0 && self.children(level, node).len() == 1 {
            // An orphan; or a node that was alone on the level below and is not to be so again.
            let groups = near.iter().map(|&other| self.parent(level, other));
            let smallest = groups.min_by_key(|&group| self.children(level + 1, group).len());
            if let Some(group) = smallest {
                self.attach(level, node, group);
            }
        } else if !near.is_empty() {
            self.found(level, [node].into_iter());
        }
        self.give_back(near);
    }

    /// The first group of neighbors that is smaller than the largest clique, and with the node would be one.
    fn clique_to_join(&self, level: usize, near: &[u32]) -> Option<u32> {
        if near.len() > HUB {
            return None;
        }
        let groups = near.iter().map(|&other| self.parent(level, other));
        groups.filter(|&group| group != NONE).find(|&group| {
            let members = self.children(level + 1, group);
            let among = |members: &[u32]| {
                members.iter().enumerate().all(|(i, &a)| {
                    near.contains(&a) && members[i + 1..].iter().all(|&b| self.joined(level, a, b))
                })
            };
            members.len() < CLIQUE && among(members)
        })
    }

    /// Makes a group of nodes.
    fn found(&mut self, level: usize, members: impl Iterator<Item = u32>) {
        let group = self.create(level + 1);
        for member in members {
            self.attach(level, member, group);
        }
    }
}
