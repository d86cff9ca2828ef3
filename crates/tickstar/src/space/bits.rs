//! Free cells as bits, row by row, read one neighborhood or 64 cells at a time.

/// Bytes before the first and after the last row, so that eight bytes can be read around any cell.
const PAD: usize = 8;

/// One set bit per free cell, row by row, with a blocked border of one cell on all sides: the neighborhood of any cell is
/// read without checks for the edges of the map, and no scan leaves its row.
///
/// Columns and rows are counted from the border: the first cell of the map is in column 1 of row 1.
#[derive(Clone)]
pub(crate) struct Bits {
    /// Bytes in a row.
    stride: usize,
    bytes: Vec<u8>,
}

/// How a scan along a row ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scan {
    /// At this free cell, where a shortest path may turn off.
    Turn(u32),
    /// Before this blocked cell; no shortest path turns off before it.
    Wall(u32),
    /// At this free cell, as enough words have been read. A scan from there ends as this one would have ended.
    Pause(u32),
}

impl Bits {
    /// All cells blocked.
    pub fn new(width: u32, height: u32) -> Bits {
        let stride = (width as usize + 2).div_ceil(8) + 1;
        Bits { stride, bytes: vec![0; stride * (height as usize + 2) + 2 * PAD] }
    }

    /// The same cells with rows as columns.
    pub fn transposed(&self, width: u32, height: u32) -> Bits {
        let mut turned = Bits::new(height, width);
        let (columns, rows) = (width as usize + 2, height as usize + 2);
        for top in (0..rows).step_by(8) {
            for left in (0..columns).step_by(8) {
                let mut square = [0; 8];
                for (byte, row) in square.iter_mut().zip(top..rows) {
                    *byte = self.bytes[PAD + row * self.stride + left / 8];
                }
                let square = transpose(u64::from_le_bytes(square)).to_le_bytes();
                for (byte, row) in square.into_iter().zip(left..columns) {
                    turned.bytes[PAD + row * turned.stride + top / 8] = byte;
                }
            }
        }
        turned
    }

    /// Heap memory in bytes.
    pub fn heap_bytes(&self) -> usize {
        self.bytes.capacity()
    }

    /// The byte and bit of a cell.
    #[inline]
    fn locate(&self, column: u32, row: u32) -> (usize, u8) {
        (PAD + row as usize * self.stride + column as usize / 8, 1 << (column % 8))
    }

    /// Whether a cell is free.
    #[inline]
    pub fn is_free(&self, column: u32, row: u32) -> bool {
        let (byte, mask) = self.locate(column, row);
        self.bytes[byte] & mask != 0
    }

    /// Frees or blocks a cell.
    #[inline]
    pub fn put(&mut self, column: u32, row: u32, free: bool) {
        let (byte, mask) = self.locate(column, row);
        if free {
            self.bytes[byte] |= mask;
        } else {
            self.bytes[byte] &= !mask;
        }
    }

    /// The nine bits around a cell inside the border: row by row from the south, west in the lowest bit of a row.
    #[inline(always)]
    pub fn around(&self, column: u32, row: u32) -> usize {
        let (stride, west) = (self.stride, column as usize - 1);
        let first = PAD + (row as usize - 1) * stride + west / 8;
        // Three rows, two bytes of each; sliced once, so that there is a single bounds check.
        let rows = &self.bytes[first..][..2 * stride + 2];
        let three = |at: usize| {
            let pair = rows[at..at + 2].try_into().expect("a slice of two bytes");
            usize::from(u16::from_le_bytes(pair) >> (west % 8)) & 7
        };
        three(0) << 6 | three(stride) << 3 | three(2 * stride)
    }

    /// Six cells of a row, the first in the lowest bit. Cells beyond the border of the row may be any.
    #[inline]
    pub fn six(&self, column: u32, row: u32) -> u16 {
        let (byte, _) = self.locate(column, row);
        let pair = self.bytes[byte..byte + 2].try_into().expect("a slice of two bytes");
        u16::from_le_bytes(pair) >> (column % 8) & 0x3f
    }

    /// 32 cells of a row that is not the last one, the first in the lowest bit. Cells beyond the border of the row may be
    /// any.
    #[inline]
    pub fn thirty_two(&self, column: u32, row: u32) -> u32 {
        let (byte, _) = self.locate(column, row);
        let eight = self.bytes[byte..byte + 8].try_into().expect("a slice of eight bytes");
        (u64::from_le_bytes(eight) >> (column % 8)) as u32
    }

    /// Eight bytes each of the row before, of a row and of the row after, from this byte of the row on.
    #[inline(always)]
    fn words(&self, byte: usize) -> [u64; 3] {
        let rows = &self.bytes[byte - self.stride..][..2 * self.stride + 8];
        let word = |at: usize| {
            u64::from_le_bytes(rows[at..at + 8].try_into().expect("a slice of eight bytes"))
        };
        [word(0), word(self.stride), word(2 * self.stride)]
    }

    /// Follows a row from a cell inside the border, to higher columns if `UP`, else to lower ones, up to the first
    /// blocked cell or the first free one where a shortest path may turn off: if corners are cut (`CUT`), where a cell
    /// beside is blocked and the next one beside is free; else, where a cell beside is free and the previous one beside is
    /// blocked.
    ///
    /// At most `words` words of 64 cells are read, but at least one; it is reduced by what was read.
    #[inline(always)]
    pub fn scan<const UP: bool, const CUT: bool>(
        &self,
        column: u32,
        row: u32,
        words: &mut u32,
    ) -> Scan {
        let (start, from) = (PAD + row as usize * self.stride, column as usize);
        // The word that has the cell in its first byte, or in its last, and the bits after the cell.
        let mut byte = start + from / 8 - if UP { 0 } else { 7 };
        let mut fresh =
            if UP { u64::MAX << (from % 8) << 1 } else { !(u64::MAX << (56 + from % 8)) };
        loop {
            let [before, here, after] = self.words(byte);
            // Whether a path may turn off at a cell depends on its neighbor in the row, so consecutive words overlap.
            let turns = |beside: u64| match (UP, CUT) {
                (true, true) => !beside & beside >> 1,
                (true, false) => beside & !(beside << 1),
                (false, true) => !beside & beside << 1,
                (false, false) => beside & !(beside >> 1),
            };
            let stops = (turns(before) | turns(after) | !here) & fresh;
            let column = |bit: u32| (8 * byte + bit as usize - 8 * start) as u32;
            *words = words.saturating_sub(1);
            if stops != 0 {
                let bit = if UP { stops.trailing_zeros() } else { stops.ilog2() };
                let is_free = here >> bit & 1 == 1;
                return if is_free { Scan::Turn(column(bit)) } else { Scan::Wall(column(bit)) };
            }
            let overlap = if CUT { 7 } else { 8 };
            if *words == 0 {
                return Scan::Pause(column(if UP { 55 + overlap } else { 8 - overlap }));
            }
            fresh = if UP { u64::MAX << overlap } else { u64::MAX >> overlap };
            byte = if UP { byte + 7 } else { byte - 7 };
        }
    }
}

/// Transposes a square of 8 by 8 bits, a row per byte.
fn transpose(mut bits: u64) -> u64 {
    for (shift, mask) in
        [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)]
    {
        let swap = (bits ^ bits >> shift) & mask;
        bits ^= swap ^ swap << shift;
    }
    bits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bits(width: u32, height: u32, free: impl Fn(u32, u32) -> bool) -> Bits {
        let mut bits = Bits::new(width, height);
        for row in 1..=height {
            for column in 1..=width {
                bits.put(column, row, free(column, row));
            }
        }
        bits
    }

    /// One cell at a time, from the definition.
    fn walk(bits: &Bits, column: u32, row: u32, up: bool, cut: bool) -> Scan {
        let mut at = column;
        let step = |at: u32| if up { at + 1 } else { at - 1 };
        loop {
            let last = at;
            at = step(at);
            if !bits.is_free(at, row) {
                return Scan::Wall(at);
            }
            let turn = |beside: u32| {
                let free = |column| bits.is_free(column, beside);
                if cut { !free(at) && free(step(at)) } else { free(at) && !free(last) }
            };
            if turn(row - 1) || turn(row + 1) {
                return Scan::Turn(at);
            }
        }
    }

    fn scan(bits: &Bits, column: u32, row: u32, up: bool, cut: bool, mut words: u32) -> Scan {
        let words = &mut words;
        match (up, cut) {
            (true, true) => bits.scan::<true, true>(column, row, words),
            (true, false) => bits.scan::<true, false>(column, row, words),
            (false, true) => bits.scan::<false, true>(column, row, words),
            (false, false) => bits.scan::<false, false>(column, row, words),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn a_scan_ends_where_a_walk_cell_by_cell_does(
            width in 1_u32..300, height in 1_u32..4, blocked in 0_u32..60, seed: u32,
        ) {
            // Sparse blocks, so that scans are long.
            let free = |column: u32, row: u32| {
                let mix = (column * 31 + row * 17 + 1).wrapping_mul(seed | 1).wrapping_mul(2_654_435_761);
                (mix >> 16) % 1000 >= blocked
            };
            let bits = bits(width, height, free);
            for row in 1..=height {
                for column in 1..=width {
                    for (up, cut) in [(true, true), (true, false), (false, true), (false, false)] {
                        let expected = walk(&bits, column, row, up, cut);
                        prop_assert_eq!(scan(&bits, column, row, up, cut, u32::MAX), expected);
                        let mut at = column;
                        let paused = loop {
                            match scan(&bits, at, row, up, cut, 1) {
                                Scan::Pause(to) => at = to,
                                end => break end,
                            }
                        };
                        prop_assert_eq!(paused, expected);
                    }
                }
            }
        }

        #[test]
        fn a_transposed_copy_has_the_same_cells(width in 1_u32..70, height in 1_u32..70, seed: u32) {
            let free = |column: u32, row: u32| {
                (column * 31 + row * 17 + 1).wrapping_mul(seed | 1) >> 13 & 1 == 0
            };
            let turned = bits(width, height, free).transposed(width, height);
            let expected = bits(height, width, |column, row| free(row, column));
            prop_assert!(turned.bytes == expected.bytes);
        }
    }
}
