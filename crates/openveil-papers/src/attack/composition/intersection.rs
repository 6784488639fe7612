use crate::attack::beliefs::PersonBeliefs;
use openveil_core::table::{Histogram, Secret};

/// The conclusions from several releases of the same people together.
#[derive(Debug, Clone, PartialEq)]
pub struct Intersection {
    /// Number of releases.
    pub releases: usize,
    /// People for whom a single value is possible in all of them, and needs protection: rows, from
    /// 0.
    pub certain: Vec<u32>,
    /// Number of other people with a single possible value, which needs no protection.
    pub certain_exempt: usize,
    /// People for whom no value is possible, or only a value that is not theirs: some release is
    /// not about them.
    pub contradicted: Vec<u32>,
    /// Number of values that a person may have, on average.
    pub mean_values: f64,
    /// The highest combined probability of any protected value of any person.
    pub highest: f64,
    /// The highest probability of a protected value of each person, on average.
    pub mean_highest: f64,
    /// Number of people for whom a protected value is above the bound.
    pub above_bound: usize,
}

/// Intersects, for every person, the values possible in each release, and combines the
/// probabilities: the product of all, divided for each release but one by the value's share in the
/// whole table. This is the posterior of a reader for whom, given a person's value, the statements
/// of different releases about the person are independent.
///
/// `bound` is the highest probability that one release guarantees; exempt values are not bounded.
/// O(releases · rows · possible values).
///
/// # Panics
/// If there are no beliefs, or if they are about different numbers of people.
pub fn intersection(beliefs: &[PersonBeliefs], secret: &Secret, bound: f64) -> Intersection {
    let people = beliefs[0].people();
    let histogram = &Histogram::new(secret.codes(), secret.values());
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
            // The value is impossible in some release that covers the person.
            [(value, _)] if value != codes[row as usize] => {
                found.contradicted.push(row);
                continue;
            }
            [(value, _)] if exempt[value as usize] => found.certain_exempt += 1,
            [_] => found.certain.push(row),
            _ => {}
        }
        let total: f64 = combined.iter().map(|&(_, weight)| weight).sum();
        let highest = combined
            .iter()
            .filter(|(value, _)| !exempt[*value as usize])
            .map(|&(_, weight)| weight / total)
            .fold(0.0, f64::max);
        found.mean_values += combined.len() as f64 / people as f64;
        found.mean_highest += highest / people as f64;
        found.highest = found.highest.max(highest);
        // A float above the bound only by rounding does not count as above.
        found.above_bound += usize::from(highest > bound * (1.0 + 1e-9));
    }
    found
}

/// Returns the values possible in all releases, with their weights.
fn combined(beliefs: &[PersonBeliefs], histogram: &Histogram, row: u32) -> Vec<(u32, f64)> {
    let mut combined: Vec<(u32, f64)> = beliefs[0].chances(row).collect();
    for other in &beliefs[1..] {
        let mut theirs = other.chances(row).peekable();
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
