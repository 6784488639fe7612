//! Reads cells as other tools write them.

use openveil_core::hierarchy::ROOT;
use openveil_core::table::{Domain, Generalization};

/// Codes that a cell covers: the first and the last code, the members of a set, or the nodes of a
/// tree.
pub(super) struct Covered(pub(super) Vec<u32>);

/// Reads a text that is no cell of ours: `*`, or an interval of numbers.
pub(super) fn read(domain: &Domain, text: &str) -> Option<Covered> {
    let last = domain.len().checked_sub(1)? as u32;
    match (domain.generalization(), text == ROOT) {
        (Generalization::Interval, true) => Some(Covered(vec![0, last])),
        (Generalization::Set, true) => Some(Covered((0..=last).collect())),
        // The root of a tree is its first node, whatever its label.
        (Generalization::Tree(_), true) => Some(Covered(vec![0])),
        (Generalization::Interval, false) => Interval::read(text)?.covered(domain),
        (Generalization::Set | Generalization::Tree(_), false) => None,
    }
}

/// An interval of numbers, and whether its ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    low: (f64, bool),
    high: (f64, bool),
}

impl Interval {
    /// Reads `[20, 30]`, `[20, 30[`, `[20, 30)`, `]20, 30]`, `(20, 30]` or `20-29`.
    pub fn read(text: &str) -> Option<Self> {
        let opens = text.starts_with(['[', '(', ']']);
        let inside = text.strip_prefix(['[', '(', ']']).unwrap_or(text);
        let closes = inside.ends_with([']', ')', '[']);
        let inside = inside.strip_suffix([']', ')', '[']).unwrap_or(inside);
        if opens != closes {
            return None;
        }
        let number = |text: &str| text.trim().parse().ok().filter(|n: &f64| n.is_finite());
        // A minus sign does not separate: each position is tried.
        let mut places = inside.match_indices(',').chain(inside.match_indices('-'));
        let (low, high) = places.find_map(|(at, sign)| {
            Some((number(&inside[..at])?, number(&inside[at + sign.len()..])?))
        })?;
        Some(Self {
            low: (low, !opens || text.starts_with('[')),
            high: (high, !closes || text.ends_with(']')),
        })
    }

    /// Returns whether a number lies inside.
    pub fn contains(self, number: f64) -> bool {
        let above = number > self.low.0 || self.low.1 && number == self.low.0;
        above && (number < self.high.0 || self.high.1 && number == self.high.0)
    }

    /// Returns the codes of the numbers inside, which are consecutive.
    fn covered(self, domain: &Domain) -> Option<Covered> {
        let is_inside = |label: &str| label.parse().is_ok_and(|number| self.contains(number));
        let mut inside = (0..).zip(domain.labels()).filter(|(_, label)| is_inside(label));
        let (first, _) = inside.next()?;
        let last = inside.last().map_or(first, |(code, _)| code);
        Some(Covered(vec![first, last]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::hierarchy::{Hierarchy, intervals};

    #[test]
    fn intervals_of_other_tools_are_read() {
        let domain = Domain::integers([-5, 20, 25, 29, 30, 41]);
        let read = |text: &str| read(&domain, text).map(|covered| covered.0);
        for (text, covered) in [
            ("*", vec![0, 5]),
            ("[20, 30]", vec![1, 4]),
            ("[20, 30[", vec![1, 3]),
            ("[20,30)", vec![1, 3]),
            ("]20, 30]", vec![2, 4]),
            ("(20, 29)", vec![2, 2]),
            ("20-29", vec![1, 3]),
            ("-10--1", vec![0, 0]),
        ] {
            assert_eq!(read(text), Some(covered), "{text}");
        }
        for text in ["[42, 50]", "[20, 30", "20", "young", "[a, b]", ""] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_star_is_everything() {
        let set = Domain::unordered(["a", "b"]);
        assert_eq!(read(&set, "*").map(|covered| covered.0), Some(vec![0, 1]));
        let tree = Hierarchy::from_paths(intervals(&[1, 2], &[5])).unwrap();
        let tree = Domain::tree(tree);
        assert_eq!(read(&tree, "*").map(|covered| covered.0), Some(vec![0]));
        assert!(read(&tree, "[1, 2]").is_none());
    }
}
