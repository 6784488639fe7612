use crate::attack::beliefs::PersonBeliefs;
use openveil_core::table::{Histogram, Secret};

/// The conclusions from several releases of the same people together.
#[derive(Debug, Clone, PartialEq)]
pub struct Intersection {
    /// Releases.
    pub releases: usize,
    /// People for whom a single value is possible in all of them, and needs
    /// protection: rows, from 0.
    pub certain: Vec<u32>,
    /// How many others have a single value left that needs none.
    pub certain_exempt: usize,
    /// People for whom no value is, or only one that is not theirs: some release is not of
    /// them.
    pub contradicted: Vec<u32>,
    /// Values that a person may have, on average.
    pub mean_values: f64,
    /// The highest combined probability of any protected value of any person.
    pub highest: f64,
    /// The highest of a protected value for each person, on average.
    pub mean_highest: f64,
    /// People for whom a protected value is above the bound.
    pub above_bound: usize,
}

/// Intersects, for everybody, the values possible in each release, and combines
/// the probabilities: their product, each divided by the value's share in the
/// whole table but once. That is the posterior of a reader to whom what is said
/// of a person by one release and by another is independent given the value.
///
/// `bound` is the highest probability promised by one release; values that
/// the secret exempts are not bounded. O(releases · rows · possible values).
///
/// # Panics
/// Without beliefs, or if they are about different numbers of people.
pub fn intersection(beliefs: &[PersonBeliefs], secret: &Secret, bound: f64) -> Intersection {
    let people = beliefs[0].people();
    let histogram = &Histogram::of(secret.codes(), secret.values());
    let (codes, exempt) = (secret.codes(), secret.exempt());
    let mut found = Intersection {
        releases: beliefs.len(),
        certain: Vec::new(),
        certain_exempt: 0,
        contradicted: Vec::new(),
        mean_values: 0.0,
        highest: 0.0,
        mean_highest: 0.0,
        above_bound: 0,
    };
    for row in 0..people as u32 {
        let combined = combined(beliefs, histogram, row);
        match combined[..] {
            [] => found.contradicted.push(row),
            // Not in some release that covers the person.
            [(value, _)] if value != codes[row as usize] => {
                found.contradicted.push(row);
                continue;
            }
            [(value, _)] if exempt[value as usize] => found.certain_exempt += 1,
            [_] => found.certain.push(row),
            _ => {}
        }
        let total: f64 = combined.iter().map(|&(_, weight)| weight).sum();
        let protected = combined
            .iter()
            .filter(|(value, _)| !exempt[*value as usize]);
        let highest = protected.map(|&(_, weight)| weight / total);
        let highest = highest.fold(0.0, f64::max);
        found.mean_values += combined.len() as f64 / people as f64;
        found.mean_highest += highest / people as f64;
        found.highest = found.highest.max(highest);
        // A float that only rounds above the bound is not above it.
        found.above_bound += usize::from(highest > bound * (1.0 + 1e-9));
    }
    found
}

/// The values possible in all releases, with their weights.
fn combined(beliefs: &[PersonBeliefs], histogram: &Histogram, row: u32) -> Vec<(u32, f64)> {
    let mut combined: Vec<(u32, f64)> = beliefs[0].of(row).collect();
    for other in &beliefs[1..] {
        let mut theirs = other.of(row).peekable();
        combined.retain_mut(|(value, weight)| {
            while theirs.next_if(|(other, _)| other < value).is_some() {}
            let Some((_, share)) = theirs.next_if(|(other, _)| other == value) else {
                return false;
            };
            let prior =
                f64::from(histogram.counts()[*value as usize]) / f64::from(histogram.rows());
            *weight *= share / prior;
            true
        });
    }
    combined
}
