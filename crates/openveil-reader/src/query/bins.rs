//! Bins: intervals of numbers that stand for values.

use super::scale::number;
use openveil_io::load::MISSING_LABEL;

/// `< 300`, `<= 2`, `[300, 410)`, `[3, 9]`, `>= 410` or a single number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bin {
    pub(super) low: f64,
    pub(super) high: f64,
    /// Whether its high end is excluded.
    pub(super) is_open: bool,
}

impl Bin {
    pub(super) fn read(text: &str) -> Option<Self> {
        let bin = |low, high, is_open| Self { low, high, is_open };
        if let Some(high) = text.strip_prefix("< ") {
            return Some(bin(f64::NEG_INFINITY, number(high)?, true));
        }
        if let Some(high) = text.strip_prefix("<= ") {
            return Some(bin(f64::NEG_INFINITY, number(high)?, false));
        }
        if let Some(low) = text.strip_prefix(">= ") {
            return Some(bin(number(low)?, f64::INFINITY, false));
        }
        let Some(inside) = text.strip_prefix('[') else {
            let only = number(text)?;
            return Some(bin(only, only, false));
        };
        let (low, high) = inside.strip_suffix([')', ']'])?.split_once(", ")?;
        let (low, high) = (number(low)?, number(high)?);
        let is_interval = low < high && (high - low).is_finite();
        is_interval.then(|| bin(low, high, inside.ends_with(')')))
    }

    /// Whether texts are bins (except for a missing value), and not all are single numbers.
    pub(super) fn are_all(texts: &[String]) -> bool {
        let mut present = texts.iter().filter(|text| *text != MISSING_LABEL);
        present.clone().any(|text| Self::read(text).is_some_and(|bin| bin.low < bin.high))
            && present.all(|text| Self::read(text).is_some())
    }

    /// The share of the bin between two bounds, with its numbers spread evenly. It is one half if
    /// the bin is open-ended and a bound cuts it. Each bound states whether it is included.
    pub(super) fn share(self, above: &[(f64, bool)], below: &[(f64, bool)]) -> f64 {
        let first = above.iter().map(|bound| bound.0).fold(self.low, f64::max);
        let last = below.iter().map(|bound| bound.0).fold(self.high, f64::min);
        if above.iter().all(|&(bound, is_in)| bound < self.low || is_in && bound == self.low)
            && below.iter().all(|&(bound, is_in)| {
                bound > self.high || (is_in || self.is_open) && bound == self.high
            })
        {
            1.0
        } else if first >= last {
            0.0
        } else if (self.high - self.low).is_finite() {
            (last - first) / (self.high - self.low)
        } else {
            0.5
        }
    }
}
