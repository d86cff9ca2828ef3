//! A path traced back from its tip along parent pointers, a few steps at a time.

use super::paged::Paged;
use crate::NodeId;

/// What the trail knows of a node on it.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    /// The trail it belongs to; older numbers are void.
    number: u32,
    /// Steps from here to the tip.
    to_tip: u32,
    /// The next node towards the tip.
    next: NodeId,
}

/// A path from somewhere to a tip, as a chain of marks on its nodes: whether a node is on it, and
/// which comes next, are answered in constant time, and extending it moves no memory.
///
/// If parents change while a trace is under way (only when closed nodes are reopened), the trace
/// may meet a node it has marked already. It then goes on from that node's present parent. The nodes
/// it had marked beyond keep their marks; each still leads along real edges to the tip.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trail {
    marks: Paged<Mark>,
    /// Zero: no trail.
    number: u32,
    last_number: u32,
    tip: NodeId,
    front: NodeId,
}

impl Trail {
    /// Begins a new trail that is its tip alone.
    pub fn begin(&mut self, tip: NodeId) {
        self.last_number = self.last_number.wrapping_add(1);
        if self.last_number == 0 {
            self.marks.clear();
            self.last_number = 1;
        }
        self.number = self.last_number;
        self.tip = tip;
        self.front = tip;
        *self.marks.get_mut(tip) = Mark { number: self.number, to_tip: 0, next: tip };
    }

    /// Drops the trail.
    pub fn drop_all(&mut self) {
        self.number = 0;
    }

    /// Whether there is no trail.
    pub fn is_empty(&self) -> bool {
        self.number == 0
    }

    /// The node the trail leads to.
    pub fn tip(&self) -> NodeId {
        self.tip
    }

    /// The node it has been traced back to so far.
    pub fn front(&self) -> NodeId {
        self.front
    }

    /// Extends the trail by the parent of its front.
    pub fn extend(&mut self, parent: NodeId) {
        let to_tip = self.marks.get(self.front).to_tip + 1;
        let mark = self.marks.get_mut(parent);
        if mark.number != self.number {
            *mark = Mark { number: self.number, to_tip, next: self.front };
        }
        self.front = parent;
    }

    /// Steps from a node to the tip, if the node is on the trail.
    pub fn to_tip(&self, node: NodeId) -> Option<u32> {
        self.mark(node).map(|mark| mark.to_tip)
    }

    /// The next node towards the tip, if the node is on the trail and not its tip.
    pub fn next(&self, node: NodeId) -> Option<NodeId> {
        self.mark(node).map(|mark| mark.next).filter(|_| node != self.tip)
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        self.marks.bytes()
    }

    fn mark(&self, node: NodeId) -> Option<Mark> {
        let mark = self.marks.get(node);
        (mark.number == self.number && !self.is_empty()).then_some(mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trail_is_walked_from_front_to_tip() {
        let mut trail = Trail::default();
        assert!(trail.is_empty() && trail.next(NodeId(0)).is_none());
        trail.begin(NodeId(5));
        trail.extend(NodeId(4));
        trail.extend(NodeId(2));
        assert_eq!(trail.to_tip(NodeId(2)), Some(2));
        assert_eq!(trail.next(NodeId(2)), Some(NodeId(4)));
        assert_eq!(trail.next(NodeId(4)), Some(NodeId(5)));
        assert_eq!(trail.next(NodeId(5)), None);
        assert_eq!(trail.to_tip(NodeId(3)), None);
        trail.begin(NodeId(3));
        assert_eq!(trail.to_tip(NodeId(5)), None, "marks of an older trail are void");
        trail.drop_all();
        assert_eq!(trail.to_tip(NodeId(3)), None);
    }

    #[test]
    fn meeting_a_marked_node_cuts_the_trail_back_to_it() {
        let mut trail = Trail::default();
        trail.begin(NodeId(5));
        trail.extend(NodeId(4));
        trail.extend(NodeId(3));
        trail.extend(NodeId(4)); // the parent of 3 is now 4, which the trail holds already
        trail.extend(NodeId(1));
        assert_eq!(trail.next(NodeId(1)), Some(NodeId(4)));
        assert_eq!(trail.to_tip(NodeId(1)), Some(2));
        assert_eq!(trail.next(NodeId(3)), Some(NodeId(4)), "still a way to the tip");
    }
}
