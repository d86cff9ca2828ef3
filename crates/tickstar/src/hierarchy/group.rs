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
        let size = self.size(level);
        sort_ids(&mut loose, size);
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
                    let members = [Some(node), others[0], others[1], others[2]];
                    self.found(level, members.into_iter().flatten());
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
        let mut rows = Rows::default();
        let mut pair = None;
        for (i, &x) in open.iter().enumerate() {
            for (j, &y) in open.iter().enumerate().skip(i + 1) {
                if !self.joined_among(level, open, &mut rows, (i, j)) {
                    continue;
                }
                pair = pair.or(Some((x, y)));
                for (k, &z) in open.iter().enumerate().skip(j + 1) {
                    if self.joined_among(level, open, &mut rows, (i, k))
                        && self.joined_among(level, open, &mut rows, (j, k))
                    {
                        return [Some(x), Some(y), Some(z)];
                    }
                }
            }
        }
        match pair {
            Some((x, y)) => [Some(x), Some(y), None],
            None => [None; 3],
        }
    }

    /// Whether an edge joins two of these nodes. On a level above the space, the edges of the first of them are looked
    /// through once.
    fn joined_among(
        &self,
        level: usize,
        open: &[u32],
        rows: &mut Rows,
        (i, j): (usize, usize),
    ) -> bool {
        if level == 0 {
            return self.joined(level, open[i], open[j]);
        }
        if rows.known & 1 << i == 0 {
            rows.known |= 1 << i;
            rows.joined[i] = self.row(level, open, open[i]);
        }
        rows.joined[i] >> j & 1 == 1
    }

    /// Which of these nodes of a level above the space are joined to one, a bit for each.
    fn row(&self, level: usize, open: &[u32], node: u32) -> u32 {
        let bit = |to| {
            let same = |(at, &other): (usize, &u32)| u32::from(to == other) << at;
            open.iter().enumerate().map(same).fold(0, |row, bit| row | bit)
        };
        if let Some(near) = self.packed.of(level, node)
            && near.len() <= 2 * HUB
        {
            return near.iter().fold(0, |row, &to| row | bit(to));
        }
        let links = self.links(level, node);
        if links.len() > 2 * HUB {
            let joined = |(at, &other)| u32::from(self.joined(level, node, other)) << at;
            open.iter().enumerate().map(joined).fold(0, |row, bit| row | bit)
        } else {
            links.iter().fold(0, |row, link| row | bit(link.to))
        }
    }

    /// Finds a parent for a node that is in no clique of such as have none.
    fn place(&mut self, level: usize, node: u32) {
        let near = self.neighbors(level, node);
        if let Some(group) = self.clique_to_join(level, &near) {
            self.attach(level, node, group);
        } else if let Some(&other) = near.iter().find(|&&other| self.parent(level, other) == NONE) {
            self.found(level, [node, other].into_iter());
        } else if near.len() == 1 || level > 0 && self.member_count(level, node) == 1 {
            // An orphan; or a node that was alone on the level below and is not to be so again.
            let groups = near.iter().map(|&other| self.parent(level, other));
            let smallest = groups.min_by_key(|&group| self.member_count(level + 1, group));
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
            let count = self.member_count(level + 1, group);
            if count >= CLIQUE {
                return false;
            }
            // Those of its members that are neighbors: they must be all, and joined.
            let mut members = near.iter().filter(|&&other| self.parent(level, other) == group);
            let mut known = [NONE; CLIQUE];
            let among = |known: &[u32], a: u32| known.iter().all(|&b| self.joined(level, a, b));
            (0..count).all(|at| {
                let next = members.next().filter(|&&member| among(&known[..at], member));
                next.is_some_and(|&member| {
                    known[at] = member;
                    true
                })
            })
        })
    }

    /// Makes a group of nodes.
    fn found(&mut self, level: usize, members: impl Iterator<Item = u32> + Clone) {
        let group = self.create(level + 1);
        for member in members.clone() {
            self.adopt(level, member, group);
        }
        if self.whole.active {
            self.whole.complete();
            return;
        }
        // The group has no edges yet, so those to each other group are counted first and added at once.
        let mut beside = std::mem::take(&mut self.beside);
        let mut many = false;
        for member in members {
            let near = self.neighbors(level, member);
            for &other in &near {
                let other = self.parent(level, other);
                if other == NONE || other == group {
                    continue;
                }
                if many {
                    self.link(level + 1, group, other);
                } else if let Some((_, count)) =
                    beside.iter_mut().find(|(known, _)| *known == other)
                {
                    *count += 1;
                } else {
                    beside.push((other, 1));
                    if beside.len() > HUB {
                        many = true;
                        self.add_links(level + 1, group, &mut beside);
                    }
                }
            }
            self.give_back(near);
        }
        self.add_links(level + 1, group, &mut beside);
        self.beside = beside;
    }
}

/// Which of up to [`HUB`] nodes are joined to each other, as far as it has been looked up.
#[derive(Default)]
struct Rows {
    known: u32,
    joined: [u32; HUB],
}

/// Sorts ids of a level, each once: in linear time if they are many of all there are.
pub(super) fn sort_ids(ids: &mut Vec<u32>, size: usize) {
    if ids.len() < size / 16 {
        ids.sort_unstable();
        ids.dedup();
    } else if !ids.is_sorted_by(|a, b| a < b) {
        let mut words = vec![0_u64; size.div_ceil(64)];
        for &id in ids.iter() {
            words[id as usize / 64] |= 1 << (id % 64);
        }
        ids.clear();
        for (at, mut word) in (0_u32..).zip(words) {
            while word != 0 {
                ids.push(at * 64 + word.trailing_zeros());
                word &= word - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Few or many, ids come out in order, each once.
        #[test]
        fn ids_are_sorted(mut ids in prop::collection::vec(0_u32..1000, 0..400), more in 0_usize..9000) {
            let model: std::collections::BTreeSet<u32> = ids.iter().copied().collect();
            sort_ids(&mut ids, 1000 + more);
            prop_assert!(ids.into_iter().eq(model));
        }
    }
}
