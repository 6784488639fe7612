use super::{CountedGroup, GroupCounts};

/// How much a value's share in a group differs from its share in the whole table.
#[derive(Debug, Clone, PartialEq)]
pub struct LikenessFound {
    /// The largest (p − q)/q where a share p in a group is above the share q in
    /// the table: the least β of basic β-likeness. J. Cao, P. Karras (2012).
    pub beta_basic: f64,
    exceeds_log: bool,
    lowest: f64,
    highest: f64,
    absent: bool,
}

/// The shares of the whole table.
pub(super) struct TableShares<'a> {
    whole: &'a [u32],
    rows: u64,
    /// −ln q of each value.
    surprise: Vec<f64>,
    distinct: usize,
}

impl<'a> TableShares<'a> {
    pub(super) fn new(counts: &'a GroupCounts) -> Self {
        let (whole, rows) = (counts.whole(), counts.rows());
        Self {
            whole,
            rows,
            surprise: whole.iter().map(|&count| (rows as f64 / f64::from(count)).ln()).collect(),
            distinct: whole.iter().filter(|&&count| count > 0).count(),
        }
    }
}

impl LikenessFound {
    /// The likeness of no groups.
    pub(super) fn none() -> Self {
        Self { beta_basic: 0.0, exceeds_log: false, lowest: 1.0, highest: 1.0, absent: false }
    }

    /// Adds a group.
    pub(super) fn see(&mut self, group: &CountedGroup<'_>, shares: &TableShares<'_>) {
        self.absent |= group.entries().len() < shares.distinct;
        for &(value, count) in group.entries() {
            let found = u64::from(count) * shares.rows;
            let expected = u64::from(shares.whole[value as usize]) * u64::from(group.size());
            let ratio = found as f64 / expected as f64;
            self.lowest = self.lowest.min(ratio);
            self.highest = self.highest.max(ratio);
            if found > expected {
                let gain = (found - expected) as f64 / expected as f64;
                self.beta_basic = self.beta_basic.max(gain);
                self.exceeds_log |= gain > shares.surprise[value as usize];
            }
        }
    }

    /// The worse of both.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            beta_basic: self.beta_basic.max(other.beta_basic),
            exceeds_log: self.exceeds_log || other.exceeds_log,
            lowest: self.lowest.min(other.lowest),
            highest: self.highest.max(other.highest),
            absent: self.absent || other.absent,
        }
    }

    /// The least β of enhanced β-likeness, (p − q)/q ≤ min(β, −ln q). It equals the β of the basic
    /// variant, or is `None` (infinite) if a gain is above −ln q, so that no β helps.
    pub fn beta_enhanced(&self) -> Option<f64> {
        (!self.exceeds_log).then_some(self.beta_basic)
    }

    /// The largest |ln(p/q)|: the infimum of δ of δ-disclosure privacy, which is strict; `None`
    /// (infinite) if a group lacks a value of the table. J. Brickell, V. Shmatikov (2008).
    pub fn delta(&self) -> Option<f64> {
        (!self.absent).then(|| self.highest.ln().max(-self.lowest.ln()))
    }
}
