//! How regions are built, and kept up to date when cells change: one algorithm for both.

use super::parts::{Links, Rows, for_each_part, longest_run};
use super::{Contact, NEAR, NONE, PLAIN, Region, RegionId, Regions};
use crate::space::Neighbors;
use crate::{Cell, Grid};

/// The least number of changes that the log keeps.
const LOG: usize = 1024;

/// The sides of a tile: the column and row of the tile beyond.
const SIDES: [(i8, i8); 4] = [(0, -1), (1, 0), (0, 1), (-1, 0)];
/// Its corners.
const CORNERS: [(i8, i8); 4] = [(1, -1), (1, 1), (-1, 1), (-1, -1)];

impl Links {
    fn of(grid: &Grid) -> Links {
        let cuts = grid.corners() == crate::space::Corners::Allowed;
        if cuts && grid.neighbors() == Neighbors::Eight { Links::Corners } else { Links::Sides }
    }

    /// The tiles that can have contacts with a tile.
    fn around(self) -> impl Iterator<Item = (i8, i8)> {
        let corners = if self == Links::Corners { &CORNERS[..] } else { &[] };
        SIDES.iter().chain(corners).copied()
    }

    /// The cells along the border toward a tile from which a step leads to the cells of a region there.
    pub(super) fn touching<const SIDE: usize>(
        self,
        own: &Rows<SIDE>,
        other: &Rows<SIDE>,
        toward: (i8, i8),
    ) -> u32 {
        border(own, toward) & self.across(border(other, (-toward.0, -toward.1)))
    }
}

/// The cells of a region along the border toward a tile: one bit each, from north to south or from west to east. At a
/// corner, it is one cell, the first bit.
fn border<const SIDE: usize>(cells: &Rows<SIDE>, (column, row): (i8, i8)) -> u32 {
    let last = SIDE - 1;
    let own = if row > 0 { cells[last] } else { cells[0] };
    let at = if column > 0 { last } else { 0 };
    match (column, row) {
        (0, _) => own,
        (_, 0) => (0..).zip(cells).fold(0, |bits, (row, cells)| bits | (cells >> at & 1) << row),
        _ => own >> at & 1,
    }
}

/// The column and row in the tile of a bit of a border.
pub(super) fn border_cell<const SIDE: usize>((column, row): (i8, i8), along: u32) -> (u32, u32) {
    let edge = |toward: i8| if toward > 0 { SIDE as u32 - 1 } else { 0 };
    match (column, row) {
        (0, _) => (along, edge(row)),
        (_, 0) => (edge(column), along),
        _ => (edge(column), edge(row)),
    }
}

/// The contact with a region of another tile, along this part of the border. The cells on the other side are farther
/// along the border by `shift`, which is not zero only past corners.
fn contact<const SIDE: usize>(
    to: RegionId,
    toward: (i8, i8),
    [first, last]: [u32; 2],
    shift: i8,
) -> Contact {
    let (x, y) = border_cell::<SIDE>(toward, first);
    let is_column = toward.0 != 0 && toward.1 == 0;
    let over = if is_column { (toward.0, shift) } else { (toward.0 + shift, toward.1) };
    Contact { to, start: (x as u8, y as u8), length: (last - first) as u8, is_column, over }
}

impl<const SIDE: usize> Regions<SIDE> {
    pub(super) fn of(grid: &Grid) -> Regions<SIDE> {
        let side = SIDE as u32;
        let (columns, rows) = (grid.width().div_ceil(side), grid.height().div_ceil(side));
        let count = (columns * rows) as usize;
        let row_shift = columns.next_power_of_two().trailing_zeros();
        let mut regions = Regions {
            columns,
            rows,
            row_shift,
            links: Links::of(grid),
            geometry: grid.geometry(),
            tiles: vec![NONE; (rows as usize) << row_shift],
            regions: Vec::with_capacity(count + count / 4),
            len: 0,
            spare: std::collections::VecDeque::new(),
            log: Vec::new(),
            logged: 0,
            log_start: 0,
            logged_before: 0,
            cleared: Vec::new(),
            edits: 0,
        };
        // Squares of 4 by 4 tiles one after the other, so that regions near each other have ids near each other, and
        // the records of a search share pages.
        let mut tiles = Vec::with_capacity(count);
        for (y, x) in
            (0..rows).step_by(4).flat_map(|y| (0..columns).step_by(4).map(move |x| (y, x)))
        {
            for row in y..rows.min(y + 4) {
                tiles.extend((x..columns.min(x + 4)).map(|column| regions.tile(column, row)));
            }
        }
        for &tile in &tiles {
            regions.label(grid, tile);
        }
        for &tile in &tiles {
            regions.join(tile);
        }
        let all: Vec<RegionId> = regions.ids().collect();
        for region in all {
            regions.mark_dead_ends(region);
        }
        regions.lengthen_log();
        regions.regions.shrink_to(regions.len + regions.len / 16);
        regions
    }

    /// The map has changed at these cells: updates their regions, and what depends on them.
    pub(crate) fn update(&mut self, grid: &Grid, cells: &[Cell]) {
        self.edits += 1;
        self.logged_before = self.logged;
        let tile_of = |cell: &Cell| self.tile(cell.x >> Self::SHIFT, cell.y >> Self::SHIFT);
        if let [cell] = cells {
            // Most edits are of one cell, and need no lists.
            let tile = tile_of(cell);
            if self.label(grid, tile) {
                let near: [Option<u32>; 9] = self.tiles_around(tile);
                self.connect(near.into_iter().flatten());
            }
            return;
        }
        let mut tiles: Vec<u32> = cells.iter().map(tile_of).collect();
        tiles.sort_unstable();
        tiles.dedup();
        tiles.retain(|&tile| self.label(grid, tile));
        let mut near: Vec<u32> =
            tiles.iter().flat_map(|&tile| self.tiles_around(tile)).flatten().collect();
        near.sort_unstable();
        near.dedup();
        self.connect(near.into_iter());
    }

    /// Finds the contacts of the regions of these tiles, then the dead ends.
    fn connect(&mut self, tiles: impl Iterator<Item = u32> + Clone) {
        tiles.clone().for_each(|tile| self.join(tile));
        tiles.for_each(|tile| self.mark_tile(tile));
        // Where a way out ended, perhaps far away, the way may now lead in the other direction.
        while let Some(id) = self.cleared.pop() {
            self.mark_dead_ends(RegionId(id));
        }
    }

    /// A tile and those that can have contacts with it.
    fn tiles_around(&self, tile: u32) -> [Option<u32>; 9] {
        let mut tiles = [None; 9];
        tiles[8] = Some(tile);
        for (slot, toward) in tiles.iter_mut().zip(self.links.around()) {
            *slot = self.tile_beside(tile, toward);
        }
        tiles
    }

    fn tile_beside(&self, tile: u32, (column, row): (i8, i8)) -> Option<u32> {
        let place = self.place(tile);
        let column = place.0.checked_add_signed(column.into())?;
        let row = place.1.checked_add_signed(row.into())?;
        (column < self.columns && row < self.rows).then(|| self.tile(column, row))
    }

    /// The regions of a tile.
    fn in_tile(&self, tile: u32) -> impl Iterator<Item = u32> + '_ {
        let next = |&id: &u32| Some(self.regions[id as usize].next).filter(|&next| next != NONE);
        std::iter::successors(Some(self.tiles[tile as usize]).filter(|&id| id != NONE), next)
    }

    /// Finds the parts of a tile. Returns whether contacts have to be found again.
    ///
    /// A part keeps the id of the region with which it has the most cells in common, if the same is true the other way
    /// around: so what agents know of it stays true.
    fn label(&mut self, grid: &Grid, tile: u32) -> bool {
        let corner = self.corner(tile);
        let free = grid.tile(corner);
        let mut parts: Vec<(Rows<SIDE>, u32)> = Vec::new();
        for_each_part(&free, self.links, |part| parts.push((part, NONE)));
        let old: Vec<(u32, Rows<SIDE>)> =
            self.in_tile(tile).map(|id| (id, self.regions[id as usize].cells)).collect();
        let common = |a: &Rows<SIDE>, b: &Rows<SIDE>| {
            a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum()
        };
        let best = |counts: &mut dyn Iterator<Item = u32>| {
            let most =
                (0..).zip(counts).max_by_key(|&(nth, count)| (count, std::cmp::Reverse(nth)));
            most.filter(|&(_, count)| count > 0).map(|(nth, _): (usize, u32)| nth)
        };
        let mut kept = 0;
        for nth in 0..parts.len() {
            let part = parts[nth].0;
            let Some(from) = best(&mut old.iter().map(|(_, cells)| common(&part, cells))) else {
                continue;
            };
            let (id, cells) = &old[from];
            if best(&mut parts.iter().map(|(part, _)| common(part, cells))) == Some(nth) {
                parts[nth].1 = *id;
                kept += 1;
            }
        }
        let same_border = |a: &Rows<SIDE>, b: &Rows<SIDE>| {
            SIDES.into_iter().all(|side| border(a, side) == border(b, side))
        };
        let mut changed = kept != parts.len() || kept != old.len();
        for &(id, cells) in &old {
            match parts.iter().find(|part| part.1 == id) {
                Some((part, _)) => changed |= !same_border(part, &cells),
                None => self.remove(id),
            }
        }
        let mut next = NONE;
        for &(cells, id) in parts.iter().rev() {
            let weight = weight(grid, corner, &cells);
            let id = if id == NONE { self.add(tile) } else { id };
            let region = &mut self.regions[id as usize];
            (region.cells, region.next) = (cells, next);
            if std::mem::replace(&mut region.weight, weight) != weight {
                self.note(id);
            }
            next = id;
        }
        self.tiles[tile as usize] = next;
        changed
    }

    /// A new region of a tile, without cells yet.
    fn add(&mut self, tile: u32) -> u32 {
        self.len += 1;
        let region = Region {
            cells: [0; SIDE],
            tile,
            next: NONE,
            out: NONE,
            weight: PLAIN,
            contacts: 0,
            near: [Contact::default(); NEAR],
            more: Vec::new(),
        };
        // The log must have forgotten the region that had the id before. In one edit, which may be more than the log can
        // hold, neighbors may still have that region among their contacts.
        let is_forgotten = |&(_, logged): &(u32, u64)| {
            logged <= self.logged_before && self.changes_since(logged).is_none()
        };
        let id = if self.spare.front().is_some_and(is_forgotten)
            && let Some((id, _)) = self.spare.pop_front()
        {
            self.regions[id as usize] = region;
            id
        } else {
            self.regions.push(region);
            (self.regions.len() - 1) as u32
        };
        self.note(id);
        id
    }

    fn remove(&mut self, id: u32) {
        self.note(id);
        self.len -= 1;
        let region = &mut self.regions[id as usize];
        (region.tile, region.contacts, region.cells) = (NONE, 0, [0; SIDE]);
        region.more = Vec::new();
        self.clear_dead_end(id);
        self.spare.push_back((id, self.logged));
    }

    /// Appends a change to the log.
    fn note(&mut self, id: u32) {
        if self.edits == 0 {
            return; // they are being built
        }
        if self.log.len() < self.regions.len() {
            self.lengthen_log();
        }
        let slot = self.logged % self.log.len() as u64;
        self.log[slot as usize] = RegionId(id);
        self.logged += 1;
    }

    /// Makes room for as many changes as there are regions, and more.
    fn lengthen_log(&mut self) {
        let mut longer = vec![RegionId::NONE; LOG + 2 * self.regions.len()];
        let known = self.logged.min(self.log.len() as u64);
        for number in self.logged - known..self.logged {
            let slot = number % longer.len() as u64;
            longer[slot as usize] = self.change(number);
        }
        self.log_start = self.log_start.max(self.logged - known);
        self.log = longer;
    }

    /// Finds the contacts of the regions of a tile.
    fn join(&mut self, tile: u32) {
        let mut id = self.tiles[tile as usize];
        while id != NONE {
            self.join_region(tile, id);
            id = self.regions[id as usize].next;
        }
    }

    fn join_region(&mut self, tile: u32, id: u32) {
        let own = &self.regions[id as usize];
        let mut near = [Contact::default(); NEAR];
        let mut more = Vec::new();
        let mut count = 0;
        for toward in self.links.around() {
            let edge = border(&own.cells, toward);
            let Some(beside) = self.tile_beside(tile, toward).filter(|_| edge != 0) else {
                continue;
            };
            for to in self.in_tile(beside) {
                let other = border(&self.regions[to as usize].cells, (-toward.0, -toward.1));
                let reached = edge & self.links.across(other);
                if reached == 0 {
                    continue;
                }
                let straight = edge & other;
                let (mut first, mut last) = longest_run(straight);
                let mut shift = 0;
                if straight == 0 {
                    // Past a corner only: one step will do.
                    first = reached.trailing_zeros();
                    last = first;
                    shift = if other >> 1 >> first & 1 == 1 { 1 } else { -1 };
                }
                let contact = contact::<SIDE>(RegionId(to), toward, [first, last], shift);
                if let Some(slot) = near.get_mut(count) {
                    *slot = contact;
                } else {
                    more.push(contact);
                }
                count += 1;
            }
        }
        let same = usize::from(own.contacts) == count && own.near == near && own.more == more;
        if same {
            return;
        }
        let known: Vec<RegionId> = own.contacts().map(|contact| contact.to).collect();
        let is_new = |contact: &Contact| !known.contains(&contact.to);
        let contacts = || near[..NEAR.min(count)].iter().chain(&more);
        let has_new = contacts().any(is_new);
        let leads_out = contacts().any(|contact| contact.to.0 == own.out);
        let region = &mut self.regions[id as usize];
        (region.near, region.more, region.contacts) = (near, more, count as u16);
        self.note(id);
        if has_new {
            self.clear_dead_end(id);
        } else if !leads_out {
            self.regions[id as usize].out = NONE;
        }
    }

    /// A region has a new contact, or no longer exists: it is no dead end any more, nor are those on its way out.
    fn clear_dead_end(&mut self, id: u32) {
        let mut end = id;
        loop {
            let out = std::mem::replace(&mut self.regions[end as usize].out, NONE);
            if out == NONE {
                break;
            }
            self.note(end);
            end = out;
        }
        if end != id {
            self.cleared.push(end);
        }
    }

    fn mark_tile(&mut self, tile: u32) {
        let mut id = self.tiles[tile as usize];
        while id != NONE {
            self.mark_dead_ends(RegionId(id));
            id = self.regions[id as usize].next;
        }
    }

    /// Marks a region as a dead end if it is one, then the region that it leads to, and so on.
    fn mark_dead_ends(&mut self, region: RegionId) {
        let mut id = region.0;
        while self.regions[id as usize].out == NONE {
            let mut out = None;
            for contact in self.regions[id as usize].contacts() {
                let is_behind = self.regions[contact.to.0 as usize].out == id;
                if !is_behind && out.is_some_and(|known| known != contact.to) {
                    return;
                }
                out = if is_behind { out } else { Some(contact.to) };
            }
            let Some(out) = out else { return };
            self.regions[id as usize].out = out.0;
            self.note(id);
            id = out.0;
        }
    }
}

/// The mean multiplier of some cells of a tile.
fn weight<const SIDE: usize>(grid: &Grid, corner: Cell, cells: &Rows<SIDE>) -> u16 {
    if grid.terrain().is_none() {
        return PLAIN;
    }
    let (mut sum, mut count) = (0, 0);
    for (y, row) in (0..).zip(cells) {
        for x in (0..SIDE as u32).filter(|x| row >> x & 1 == 1) {
            sum += u32::from(grid.quarters_at(Cell { x: corner.x + x, y: corner.y + y }));
            count += 1;
        }
    }
    // A multiplier is in quarters.
    (sum * (u32::from(PLAIN) / 4) / count.max(1)) as u16
}

#[cfg(test)]
mod tests;
