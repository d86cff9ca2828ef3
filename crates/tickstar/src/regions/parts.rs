//! The connected parts of one tile, found by bit operations.

/// Cells of a tile: one bit per cell, one word per row, west in the lowest bit.
pub(crate) type Rows<const SIDE: usize> = [u32; SIDE];

/// How cells of a tile are connected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Links {
    /// Over their sides: also where diagonal steps need both cells beside them to be free.
    Sides,
    /// Over their corners too.
    Corners,
}

impl Links {
    /// The cells of a row that are connected to these cells of the row before or after it.
    #[inline]
    pub fn across(self, row: u32) -> u32 {
        match self {
            Links::Sides => row,
            Links::Corners => row | row << 1 | row >> 1,
        }
    }
}

/// Calls `visit` with each connected part of the free cells, in the order of their first cells.
pub(super) fn for_each_part<const SIDE: usize>(
    free: &Rows<SIDE>,
    links: Links,
    mut visit: impl FnMut(Rows<SIDE>),
) {
    let mut left = *free;
    for first in 0..left.len() {
        while left[first] != 0 {
            let seed = left[first] & left[first].wrapping_neg();
            let part = fill(&left, first, seed, links);
            for (row, part) in left.iter_mut().zip(part) {
                *row &= !part;
            }
            visit(part);
        }
    }
}

/// The part that contains a cell. No cell of it is above this row.
fn fill<const SIDE: usize>(free: &Rows<SIDE>, first: usize, seed: u32, links: Links) -> Rows<SIDE> {
    let mut part = [0; SIDE];
    part[first] = spread::<SIDE>(seed, free[first]);
    // Down and up again, until a pass adds nothing. A spiral takes a pass per turn.
    loop {
        let before = part;
        for row in first + 1..part.len() {
            let reached = (part[row] | links.across(part[row - 1])) & free[row];
            part[row] = spread::<SIDE>(reached, free[row]);
        }
        for row in (first..part.len() - 1).rev() {
            let reached = (part[row] | links.across(part[row + 1])) & free[row];
            part[row] = spread::<SIDE>(reached, free[row]);
        }
        if part == before {
            return part;
        }
    }
}

/// The cells of a row that can be reached from these along free cells: in steps of 1, 2, 4, 8 and, in a longer row, 16.
#[inline]
fn spread<const SIDE: usize>(from: u32, free: u32) -> u32 {
    let (mut up, mut down) = (from, from);
    let (mut open_up, mut open_down) = (free, free);
    for step in [1, 2, 4, 8, 16].into_iter().take_while(|&step| step < SIDE) {
        up |= open_up & up << step;
        open_up &= open_up << step;
        down |= open_down & down >> step;
        open_down &= open_down >> step;
    }
    up | down
}

/// The first and the last bit of the longest run of bits.
#[inline]
pub(super) fn longest_run(bits: u32) -> (u32, u32) {
    let (mut ends, mut length) = (bits, 0);
    while ends & ends << 1 != 0 {
        ends &= ends << 1;
        length += 1;
    }
    let last = ends.trailing_zeros();
    (last - length, last)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flood fill cell by cell.
    fn parts_by_hand<const SIDE: usize>(free: &Rows<SIDE>, links: Links) -> Vec<Rows<SIDE>> {
        let side = i32::from(u8::try_from(free.len()).unwrap());
        let mut left = *free;
        let mut parts = Vec::new();
        for (x, y) in (0..side).flat_map(|y| (0..side).map(move |x| (x, y))) {
            let mut part = [0; SIDE];
            let mut stack = vec![(x, y)];
            while let Some((x, y)) = stack.pop() {
                let inside = (0..side).contains(&x) && (0..side).contains(&y);
                if !inside || left[y as usize] >> x & 1 == 0 {
                    continue;
                }
                left[y as usize] &= !(1 << x);
                part[y as usize] |= 1 << x;
                stack.extend([(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]);
                if links == Links::Corners {
                    stack.extend([(x + 1, y + 1), (x - 1, y - 1), (x - 1, y + 1), (x + 1, y - 1)]);
                }
            }
            parts.extend(Some(part).filter(|part| *part != [0; SIDE]));
        }
        parts
    }

    #[test]
    fn parts_are_those_of_a_flood_fill() {
        compare_with_flood_fill::<16>(4000);
        compare_with_flood_fill::<32>(2000);
    }

    fn compare_with_flood_fill<const SIDE: usize>(rounds: u32) {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        let in_row = u32::MAX >> (32 - SIDE);
        for round in 0..rounds {
            let mut free: Rows<SIDE> = [0; SIDE];
            for row in &mut free {
                *row = random() as u32 & in_row;
                for _ in 0..round % 4 {
                    *row |= random() as u32 & in_row;
                }
            }
            for links in [Links::Sides, Links::Corners] {
                let mut parts = Vec::new();
                for_each_part(&free, links, |part| parts.push(part));
                assert_eq!(parts, parts_by_hand(&free, links), "{free:?}");
            }
        }
    }

    #[test]
    fn the_longest_run_is_found() {
        assert_eq!(longest_run(0b1), (0, 0));
        assert_eq!(longest_run(0xffff), (0, 15));
        assert_eq!(longest_run(u32::MAX), (0, 31));
        assert_eq!(longest_run(0b111_0110), (4, 6));
        assert_eq!(longest_run(0b1000_0000_0000_0000), (15, 15));
        for bits in 1..=0xffff {
            let (first, last) = longest_run(bits);
            assert!((first..=last).all(|bit| bits >> bit & 1 == 1), "{bits:b}");
        }
    }
}
