//! Nearest records by Gower's distance.

use super::{Feature, Records};
use openveil_core::coins::{Coins, SecretCoins};
use rayon::prelude::*;

/// Two tables on a common scale.
pub(super) struct CommonScale {
    queries: Vec<ScaledFeature>,
    candidates: Vec<ScaledFeature>,
    rows: usize,
}

/// A feature; numbers are divided by their range in both tables together.
enum ScaledFeature {
    Numbers(Vec<f64>),
    Codes(Vec<u32>),
}

impl CommonScale {
    pub(super) fn new(queries: &Records, candidates: &Records) -> Self {
        let pairs = queries.features.iter().zip(&candidates.features);
        let (queries, scaled) = pairs.map(|(one, two)| both(one, two)).unzip();
        Self { queries, candidates: scaled, rows: candidates.rows }
    }

    /// The distances of all candidates from a record: the sum over features of the difference of
    /// numbers, or of 1 if values differ or both are missing.
    fn distances(&self, query: usize, distances: &mut [f64]) {
        distances.fill(0.0);
        for (own, others) in self.queries.iter().zip(&self.candidates) {
            match (own, others) {
                (ScaledFeature::Numbers(own), ScaledFeature::Numbers(others)) => {
                    let own = own[query];
                    for (distance, other) in distances.iter_mut().zip(others) {
                        let apart = (own - other).abs();
                        *distance += if apart.is_nan() { 1.0 } else { apart };
                    }
                }
                (ScaledFeature::Codes(own), ScaledFeature::Codes(others)) => {
                    let own = own[query];
                    for (distance, other) in distances.iter_mut().zip(others) {
                        *distance += f64::from(u8::from(own != *other));
                    }
                }
                _ => unreachable!("both tables have the same features"),
            }
        }
    }
}

fn both(one: &Feature, two: &Feature) -> (ScaledFeature, ScaledFeature) {
    match (one, two) {
        (Feature::Numbers(one), Feature::Numbers(two)) => {
            let numbers = || one.iter().chain(two).copied().filter(|number| !number.is_nan());
            let least = numbers().fold(f64::INFINITY, f64::min);
            let most = numbers().fold(f64::NEG_INFINITY, f64::max);
            let range = if most > least { most - least } else { 1.0 };
            let scaled = |numbers: &[f64]| {
                ScaledFeature::Numbers(numbers.iter().map(|number| number / range).collect())
            };
            (scaled(one), scaled(two))
        }
        (Feature::Codes(one), Feature::Codes(two)) => {
            (ScaledFeature::Codes(one.clone()), ScaledFeature::Codes(two.clone()))
        }
        _ => unreachable!("both tables have the same features"),
    }
}

/// The nearest candidates of each query, nearest first; equally near ones in random order.
pub(super) fn nearest(
    scale: &CommonScale,
    queries: &[u32],
    neighbours: usize,
    coins: &mut dyn Coins,
) -> Vec<Vec<u32>> {
    // Every query gets its own coins, so that the result does not depend on threads.
    let keyed: Vec<SecretCoins> = queries.iter().map(|_| SecretCoins::keyed_by(coins)).collect();
    queries
        .par_iter()
        .zip(keyed)
        .map_init(
            || vec![0.0; scale.rows],
            |distances, (&query, mut coins)| {
                scale.distances(query as usize, distances);
                least(distances, neighbours.min(scale.rows), &mut coins)
            },
        )
        .collect()
}

/// The positions of the least values, least first, with ties in random order.
fn least(values: &[f64], count: usize, coins: &mut dyn Coins) -> Vec<u32> {
    if count == 1 {
        // One pass: the i-th of equal values replaces the earlier one with a chance of 1/i.
        let (mut best, mut place, mut equal) = (f64::INFINITY, 0, 0);
        for (at, &value) in (0..).zip(values) {
            if value < best {
                (best, place, equal) = (value, at, 1);
            } else if value == best {
                equal += 1;
                if coins.below(equal) == 0 {
                    place = at;
                }
            }
        }
        return vec![place];
    }
    let mut order: Vec<(u32, u32)> =
        (0..values.len() as u32).map(|at| (at, coins.below(u32::MAX))).collect();
    let by_value = |one: &(u32, u32), two: &(u32, u32)| {
        let (a, b) = (values[one.0 as usize], values[two.0 as usize]);
        a.total_cmp(&b).then(one.1.cmp(&two.1))
    };
    if count < order.len() {
        order.select_nth_unstable_by(count, by_value);
        order.truncate(count);
    }
    order.sort_by(by_value);
    order.into_iter().map(|(at, _)| at).collect()
}
