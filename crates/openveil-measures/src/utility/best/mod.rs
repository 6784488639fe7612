//! The strongest links with the sensitive column that a release can show. They are known before a
//! coin is tossed, from the model and the histogram.

use super::association::{StrengthMeasure, numbers};
use openveil_core::exact::approximate;
use openveil_core::model::{Criteria, GroundDistance, Requirement};
use openveil_core::table::View;

/// Bounds on links that hold for any data.
///
/// A reader relates a known column X and the sensitive column S only through groups: X shows no
/// more about S than the group does. So Pearson's φ²(X, S) is at most φ²(G, S), the mean over
/// people of χ²(m ‖ p), where m is the distribution of values in a person's group and p the whole
/// table's; and the correlation ratio is at most that of the groups' means. Each bound below bounds
/// these for every grouping that the model allows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestLinks {
    phi_squared: f64,
    eta_squared: f64,
    values: usize,
}

impl BestLinks {
    /// The bound that the model implies for any algorithm. O(values · log values).
    pub fn of_model(view: &View, criteria: &Criteria) -> Self {
        let shares = shares(view);
        let values = shares.iter().filter(|&&share| share > 0.0).count();
        let mut best =
            Self { phi_squared: values.saturating_sub(1) as f64, eta_squared: 1.0, values };
        let highest = criteria.max_posterior().map_or(1.0, |bound| approximate(&bound));
        let exempt = view.secret().exempt();
        best.bound_shares(&shares, |value, _| if exempt[value] { 1.0 } else { highest });
        for requirement in criteria.model().requirements() {
            match requirement {
                Requirement::Closeness(closeness) => {
                    let t = approximate(&closeness.t);
                    match closeness.ground {
                        GroundDistance::Equal => best.bound_variation(&shares, t),
                        GroundDistance::Ordered => best.bound_places(view, &shares, t),
                        GroundDistance::Hierarchical => {}
                    }
                }
                Requirement::Likeness(likeness) => {
                    let factor = 1.0 + approximate(&likeness.beta);
                    let bound =
                        |value: usize, share| if exempt[value] { 1.0 } else { factor * share };
                    best.bound_shares(&shares, bound);
                }
                Requirement::DeltaDisclosure(disclosure) => {
                    let factor = approximate(&disclosure.delta).exp();
                    let bound =
                        |value: usize, share| if exempt[value] { 1.0 } else { factor * share };
                    best.bound_shares(&shares, bound);
                }
                _ => {}
            }
        }
        best
    }

    /// The greatest strength that the release can show of a link with a known column of this many
    /// values; 1 is the greatest strength of any link.
    pub fn strength(&self, measure: StrengthMeasure, known_values: usize) -> f64 {
        let squared = match measure {
            StrengthMeasure::CorrelationRatio => self.eta_squared,
            StrengthMeasure::CramersV => {
                let degrees = self.values.min(known_values).saturating_sub(1);
                if degrees == 0 { 0.0 } else { self.phi_squared / degrees as f64 }
            }
        };
        squared.clamp(0.0, 1.0).sqrt()
    }

    /// For a bound b on each value's share in a group: Σ m²/p is at most Σ m·b/p, whose mean is Σ
    /// b.
    fn bound_shares(&mut self, shares: &[f64], bound: impl Fn(usize, f64) -> f64) {
        let sum: f64 = shares
            .iter()
            .enumerate()
            .filter(|(_, share)| **share > 0.0)
            .map(|(value, &share)| bound(value, share).min(1.0))
            .sum();
        self.tighten(sum - 1.0);
    }

    /// No group is farther than `t` from the whole table in total variation; d is a value's
    /// difference in share. For values that are rarer in a group, |d| is at most p, so d²/p is at
    /// most |d|: `t` in all. A value is more frequent by at most `t`. On average it is more
    /// frequent by e ≤ t·p/(t + p), since it is rarer elsewhere by at most p, and all e together
    /// are at most `t`. So d²/p is t·e/p on average, which is largest for the rarest values.
    fn bound_variation(&mut self, shares: &[f64], t: f64) {
        let mut present: Vec<f64> = shares.iter().copied().filter(|&share| share > 0.0).collect();
        present.sort_by(f64::total_cmp);
        let (mut left, mut sum) = (t, t);
        for share in present {
            let excess = (t * share / (t + share)).min(left);
            left -= excess;
            sum += t * excess / share;
        }
        self.tighten(sum);
    }

    /// No group's distribution over places in the order is farther than `t`, as a share of the
    /// greatest distance, from the whole table's. So its mean place is not farther either.
    fn bound_places(&mut self, view: &View, shares: &[f64], t: f64) {
        if self.values < shares.len()
            || !numbers(view).is_some_and(|numbers: Vec<f64>| {
                (0..).zip(numbers).all(|(place, number)| f64::from(place) == number)
            })
        {
            return;
        }
        let places = shares.iter().zip(0..).map(|(&share, place)| (share, f64::from(place)));
        let (_, variance) = moments(places);
        if variance > 0.0 {
            let farthest = t * (self.values - 1) as f64;
            self.eta_squared = self.eta_squared.min(farthest.powi(2) / variance);
        }
    }

    /// (mean of a number − its mean)² is at most its variance times χ².
    fn tighten(&mut self, phi_squared: f64) {
        self.phi_squared = self.phi_squared.min(phi_squared.max(0.0));
        self.eta_squared = self.eta_squared.min(self.phi_squared);
    }
}

/// The share of each value in the table.
fn shares(view: &View) -> Vec<f64> {
    let rows = view.rows() as f64;
    let histogram = view.histogram();
    histogram.counts().iter().map(|&count| f64::from(count) / rows).collect()
}

/// Mean and variance of numbers with shares that add up to 1.
fn moments(numbers: impl Iterator<Item = (f64, f64)> + Clone) -> (f64, f64) {
    let mean: f64 = numbers.clone().map(|(share, number)| share * number).sum();
    let squares = numbers.map(|(share, number)| share * (number - mean).powi(2));
    (mean, squares.sum())
}

#[cfg(test)]
mod tests;
