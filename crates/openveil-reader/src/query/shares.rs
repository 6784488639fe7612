//! The extent of a cell in its column, and values drawn from it.

use super::scale::{CoveredValues, NumberSpread, Scale, TextComparison};
use openveil_core::coins::Coins;
use openveil_core::hierarchy::ROOT;
use openveil_io::load::MISSING_LABEL;

impl Scale {
    /// Returns the extent from one position to another, both included: the number of positions if
    /// they can be counted, otherwise the distance.
    pub(super) fn extent(&self, low: f64, high: f64) -> f64 {
        match &self.kind {
            TextComparison::Real(NumberSpread::Known(points)) => {
                let (from, to) = between(points, low, high);
                (to - from) as f64
            }
            TextComparison::Real(NumberSpread::Even) => high - low,
            _ => (high - low + 1.0).max(0.0),
        }
    }

    /// Returns the share of a missing value in a cell that also covers an interval. It counts like
    /// one position, if positions can be counted.
    pub(super) fn missing_share(&self, low: f64, high: f64) -> f64 {
        match self.kind {
            TextComparison::Real(NumberSpread::Even) => 0.5,
            _ => 1.0 / (self.extent(low, high) + 1.0),
        }
    }

    /// Draws one of the values that a published cell covers, each equally likely.
    pub(super) fn draw(&self, cell: &str, coins: &mut dyn Coins) -> String {
        let mut below =
            |count: f64| f64::from(coins.below(count.clamp(1.0, f64::from(u32::MAX)) as u32));
        match (self.read(cell), &self.kind) {
            (CoveredValues::Value | CoveredValues::Begins(_), _) => match self.span() {
                // Any value, each equally likely.
                Some((low, high)) if cell == ROOT && low < high => {
                    self.draw(&format!("[{}, {}]", self.text(low), self.text(high)), coins)
                }
                _ => cell.to_owned(),
            },
            (CoveredValues::Members(members), _) => {
                members[below(members.len() as f64) as usize].to_owned()
            }
            (CoveredValues::UpTo(low, high), _) => {
                let parts = f64::from(u32::MAX);
                if below(parts) < parts * self.missing_share(low, high) {
                    MISSING_LABEL.to_owned()
                } else {
                    self.draw(&format!("[{}, {}]", self.text(low), self.text(high)), coins)
                }
            }
            (
                CoveredValues::Interval(low, high),
                TextComparison::Real(NumberSpread::Known(points)),
            ) => {
                let (from, to) = between(points, low, high);
                self.text(points[from + below((to - from) as f64) as usize])
            }
            (CoveredValues::Interval(low, high), TextComparison::Real(NumberSpread::Even)) => {
                let parts = f64::from(u32::MAX);
                self.text(low + below(parts) / parts * (high - low))
            }
            (CoveredValues::Interval(low, high), _) => self.text(low + below(high - low + 1.0)),
        }
    }
}

/// Returns the range of indices of the points between two values, both included.
pub(super) fn between(points: &[f64], low: f64, high: f64) -> (usize, usize) {
    let from = points.partition_point(|&point| point < low);
    (from, points.partition_point(|&point| point <= high))
}
