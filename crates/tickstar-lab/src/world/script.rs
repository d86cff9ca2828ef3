//! Scripts: the changes of a map, interval by interval, in a text file that replays a session. The
//! format is described at [`WorldKind::Script`](crate::WorldKind::Script).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tickstar::{Cell, Grid, NodeId};

use crate::files::{self, FileError, LineError};
use crate::text::quoted;

/// One line of a script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Change {
    /// The line, from one.
    line: usize,
    /// The interval that begins with the change, from one.
    interval: u64,
    /// The cell that changes.
    pub(super) node: NodeId,
    /// What it becomes.
    pub(super) free: bool,
}

/// A script for one map.
#[derive(Debug)]
pub(super) struct Script {
    path: PathBuf,
    /// Ordered by interval.
    changes: Vec<Change>,
}

impl Script {
    /// Reads a script for this map.
    pub(super) fn read(path: &Path, map: &Grid) -> Result<Script, FileError> {
        Script::parse(path, &files::read(path)?, map)
    }

    fn parse(path: &Path, text: &[u8], map: &Grid) -> Result<Script, FileError> {
        let mut reader = Reader { map, interval: 1, line: 0, ended: false };
        let changes = files::parse(path, text, |line, text| reader.read(line, text))?;
        let script = Script { path: path.into(), changes };
        if !reader.ended {
            return Err(script.error(reader.line, LineError::NoEnd));
        }
        Ok(script)
    }

    /// Checks that the script never blocks this goal.
    pub(super) fn check(&self, map: &Grid, goal: Cell) -> Result<(), FileError> {
        let blocks = |change: &&Change| !change.free && map.cell(change.node) == goal;
        match self.changes.iter().find(blocks) {
            Some(change) => Err(self.error(change.line, LineError::BlocksGoal { goal })),
            None => Ok(()),
        }
    }

    /// Whether any cell is freed.
    pub(super) fn frees(&self) -> bool {
        self.changes.iter().any(|change| change.free)
    }

    fn error(&self, line: usize, reason: LineError) -> FileError {
        FileError::Line { path: self.path.clone(), line, reason }
    }
}

/// State kept from line to line.
struct Reader<'a> {
    map: &'a Grid,
    /// The interval of the previous change.
    interval: u64,
    /// The previous line.
    line: usize,
    /// Whether `end` has been read.
    ended: bool,
}

impl Reader<'_> {
    fn read(&mut self, line: usize, text: &str) -> Result<Option<Change>, LineError> {
        self.line = line;
        if text.starts_with('#') {
            return Ok(None);
        }
        if self.ended {
            return Err(LineError::AfterEnd { found: quoted(text) });
        }
        if text == "end" {
            self.ended = true;
            return Ok(None);
        }
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [interval, x, y, state] = fields[..] else {
            return Err(LineError::Change { found: fields.len() });
        };
        let interval = self.interval(interval)?;
        let node = self.node(x, y)?;
        let free = match state {
            "free" => true,
            "blocked" => false,
            _ => return Err(LineError::State { found: quoted(state) }),
        };
        Ok(Some(Change { line, interval, node, free }))
    }

    fn interval(&mut self, field: &str) -> Result<u64, LineError> {
        let (interval, previous) = (files::number("tick", field)?, self.interval);
        if interval == 0 {
            return Err(LineError::IntervalZero);
        }
        if interval < previous {
            return Err(LineError::OutOfOrder { interval, previous });
        }
        self.interval = interval;
        Ok(interval)
    }

    fn node(&self, x: &str, y: &str) -> Result<NodeId, LineError> {
        let cell = Cell::new(files::number("x", x)?, files::number("y", y)?);
        let cell = files::on_map("cell", cell, self.map)?;
        Ok(self.map.node(cell).expect("the cell is on the map"))
    }
}

/// A script being played.
#[derive(Debug)]
pub(super) struct Replay {
    script: Arc<Script>,
    /// The first change not yet made.
    next: usize,
    /// Whether a block of the agent's own cell is postponed. There is at most one, since it is made as soon as
    /// the agent has left.
    held: bool,
}

impl Replay {
    /// From the beginning.
    pub(super) fn new(script: Arc<Script>) -> Replay {
        Replay { script, next: 0, held: false }
    }

    /// The next change due by this interval, if any. A block of the agent's own cell is postponed until the
    /// agent leaves it or a later line frees it.
    pub(super) fn next(&mut self, interval: u64, agent: NodeId) -> Option<Change> {
        while let Some(&change) = self.script.changes.get(self.next) {
            if change.interval > interval {
                break;
            }
            self.next += 1;
            if change.node != agent {
                return Some(change);
            }
            self.held = !change.free;
        }
        None
    }

    /// Records that the agent leaves its cell; returns whether the cell is now to be blocked.
    pub(super) fn leave(&mut self) -> bool {
        std::mem::take(&mut self.held)
    }

    /// Whether there are lines left.
    pub(super) fn has_more(&self) -> bool {
        self.next < self.script.changes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "# a door\n1 2 1 blocked\n\n3\t2 1  free\r\n 3 0 0 blocked\nend\n";

    fn map() -> Grid {
        Grid::new(8, 4).unwrap()
    }

    fn script(text: &[u8]) -> Result<Script, FileError> {
        Script::parse(Path::new("a.script"), text, &map())
    }

    fn error(text: &str) -> String {
        script(text.as_bytes()).unwrap_err().to_string()
    }

    fn change(line: usize, interval: u64, (x, y): (u32, u32), free: bool) -> Change {
        Change { line, interval, node: map().node(Cell::new(x, y)).unwrap(), free }
    }

    #[test]
    fn a_script_is_read_line_by_line() {
        let expected =
            [change(2, 1, (2, 1), false), change(4, 3, (2, 1), true), change(5, 3, (0, 0), false)];
        assert_eq!(script(SAMPLE.as_bytes()).unwrap().changes, expected);
        let windows = SAMPLE.replace("\r\n", "\n").replace('\n', "\r\n");
        assert_eq!(script(windows.as_bytes()).unwrap().changes, expected);
        assert_eq!(script(b"end").unwrap().changes, []);
        assert_eq!(
            script(b"18446744073709551615 0 0 free\nend\n# over\n\n").unwrap().changes[0].interval,
            u64::MAX
        );
    }

    #[test]
    fn bad_scripts_are_named_with_their_line() {
        let fails = |text: &str, expected: &str| {
            assert_eq!(error(text), format!("a.script: {expected}"), "{text:?}");
        };
        let fields = "4 fields (tick, x, y, and `blocked` or `free`), or the word `end`";
        fails("1 2 3\nend\n", &format!("line 1: expected {fields}, found 3"));
        fails("\n1 2 3 free now\nend\n", &format!("line 2: expected {fields}, found 5"));
        fails("1 2 3 free\nend 1\n", &format!("line 2: expected {fields}, found 2"));
        let number = "expected a whole number from 0, found";
        fails("# so\n\none 2 3 free\nend\n", &format!("line 3: tick: {number} `one`"));
        fails("1 -2 3 free\nend\n", &format!("line 1: x: {number} `-2`"));
        fails("1 2 3.5 free\nend\n", &format!("line 1: y: {number} `3.5`"));
        fails("0 2 3 free\nend\n", "line 1: tick 0: ticks count from 1");
        let order = "9 2 3 free\n9 2 3 free\n5 2 3 free\nend\n";
        fails(order, "line 3: out of order: tick 5 after 9");
        let outside = "is outside the map, which is 8 wide and 4 high";
        fails("1 8 3 free\nend\n", &format!("line 1: the cell (8, 3) {outside}"));
        fails("1 7 4 free\nend\n", &format!("line 1: the cell (7, 4) {outside}"));
        fails("1 2 3 shut\nend\n", "line 1: expected `blocked` or `free`, found `shut`");
        let after = "expected nothing after `end`, found";
        fails("1 2 3 free\nend\n\n2 2 3 free\n", &format!("line 4: {after} `2 2 3 free`"));
        fails("end\nend\n", &format!("line 2: {after} `end`"));
        let cut = "the script has no `end` line: it was cut short, or the line is missing";
        fails("1 2 3 free\n\n", &format!("line 1: {cut}"));
        fails("# so\n# end\n", &format!("line 2: {cut}"));
        fails("", "the file is empty");
        fails(" \r\n\n", "the file is empty");
        let bytes = script(b"1 2 3 free\n1 2 3 \xff\nend\n").unwrap_err().to_string();
        assert_eq!(bytes, "a.script: line 2: expected text, found bytes that are not UTF-8");
        let long = error(&format!("1 2 3 {}\nend\n", "é".repeat(10_000)));
        assert!(long.chars().count() < 200, "{long}");
    }

    #[test]
    fn a_script_cut_short_anywhere_is_an_error() {
        for text in [SAMPLE, "1 2 1 blocked\n12 2 1 free\n# é\nend\n"] {
            let whole = text.trim_end().len();
            for cut in 0..text.len() {
                let read = script(&text.as_bytes()[..cut]);
                assert_eq!(read.is_ok(), cut >= whole, "{:?}", &text.as_bytes()[..cut]);
            }
        }
    }

    #[test]
    fn only_a_script_that_blocks_the_goal_is_refused() {
        let text =
            b"1 3 3 blocked\n2 5 3 free\n# now\n2 5 3 blocked\n3 5 3 free\n4 5 3 blocked\nend\n";
        let script = script(text).unwrap();
        let check = |x, y| script.check(&map(), Cell::new(x, y)).map_err(|error| error.to_string());
        let refused = "a.script: line 4: this blocks the goal (5, 3), which a script must never do";
        assert_eq!(check(5, 3), Err(refused.to_string()));
        assert_eq!(check(3, 5), Ok(()));
        assert_eq!(check(2, 2), Ok(()));
        assert_eq!(check(90, 90), Ok(()), "no such cell, and so no change of it");
    }

    #[test]
    fn changes_come_at_their_interval() {
        let script = Arc::new(script(b"2 1 1 blocked\n2 2 2 blocked\n5 1 1 free\nend\n").unwrap());
        let mut replay = Replay::new(script.clone());
        let nowhere = map().node(Cell::new(7, 3)).unwrap();
        let mut due = |interval| {
            let mut changes = Vec::new();
            while let Some(change) = replay.next(interval, nowhere) {
                changes.push(change);
            }
            (changes, replay.has_more())
        };
        let changes = &script.changes;
        assert_eq!(due(1), (vec![], true));
        assert_eq!(due(2), (changes[..2].to_vec(), true));
        assert_eq!(due(2), (vec![], true), "once only");
        assert_eq!(due(9), (changes[2..].to_vec(), false), "nothing is lost if one is skipped");
    }

    #[test]
    fn a_block_of_the_agents_cell_waits_until_it_leaves() {
        let text = b"1 1 1 blocked\n2 1 1 free\n3 1 1 blocked\nend\n";
        let mut replay = Replay::new(Arc::new(script(text).unwrap()));
        let here = map().node(Cell::new(1, 1)).unwrap();
        assert_eq!(replay.next(1, here), None);
        assert!(replay.held);
        assert_eq!(replay.next(2, here), None);
        assert!(!replay.leave(), "a later line has freed the cell");
        assert_eq!(replay.next(3, here), None);
        assert!(replay.leave(), "the door shuts");
        assert!(!replay.leave(), "once");
    }
}
