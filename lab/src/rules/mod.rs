//! Parts of the figures on several rules at once: data, random rules, ways to publish, and the
//! quality of the result.

pub mod data;
pub mod measure;
pub mod one_per_row;
pub mod texas;
pub mod ways;

use openveil_core::table::{ColumnSet, PeopleTable};
use openveil_rules::{Rule, is_irreducible};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// A table of codes, with the names and sizes of its domains.
#[derive(Debug)]
pub struct Dataset {
    /// The columns' names.
    pub names: Vec<String>,
    /// Number of values per column.
    pub domains: Vec<u32>,
    /// The rows.
    pub records: PeopleTable,
}

/// Returns `count` random rules, none implied by another. Each has `lhs` given columns and one
/// protected column, whose own histogram allows ratio `l`-diversity. `None` if there are not so
/// many.
pub fn random_rules(
    data: &Dataset,
    count: usize,
    lhs: usize,
    l: u32,
    seed: u64,
) -> Option<Vec<Rule>> {
    let columns = data.names.len();
    let possible: Vec<usize> = (0..columns).filter(|&column| allows(data, column, l)).collect();
    let mut generator = StdRng::seed_from_u64(seed);
    let mut rules: Vec<Rule> = Vec::new();
    for _ in 0..10_000 {
        if rules.len() == count {
            return Some(rules);
        }
        let protect = *possible.get(generator.random_range(0..possible.len().max(1)))?;
        let mut given = ColumnSet::EMPTY;
        while given.len() < lhs.min(columns - 1) {
            let column = generator.random_range(0..columns);
            if column != protect {
                given = given | ColumnSet::one(column);
            }
        }
        rules.extend(Rule::new(given, ColumnSet::one(protect)).ok());
        if !is_irreducible(&rules) {
            rules.pop();
        }
    }
    None
}

/// Returns one set of rules per seed for a whole curve over l, and an l: the largest of the curve's
/// `l` for which every seed has a set. The curve ends there.
pub fn rules_of_curve(
    data: &Dataset,
    count: usize,
    lhs: usize,
    curve: &[u32],
    seeds: std::ops::Range<u64>,
) -> Option<(u32, Vec<Vec<Rule>>)> {
    let mut largest_first = curve.to_vec();
    largest_first.sort_unstable_by(|a, b| b.cmp(a));
    largest_first.into_iter().find_map(|l| {
        let seeds = seeds.clone();
        let sets = seeds.map(|seed| random_rules(data, count, lhs, l, seed));
        Some((l, sets.collect::<Option<Vec<_>>>()?))
    })
}

/// Returns whether no value of a column occurs in more than 1/`l` of the rows.
fn allows(data: &Dataset, column: usize, l: u32) -> bool {
    let mut counts = vec![0u32; data.domains[column] as usize];
    for &code in data.records.codes(column) {
        counts[code as usize] += 1;
    }
    let most = counts.into_iter().max().unwrap_or(0);
    most as usize <= data.records.rows() / l as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns columns of which the first allows l = 2, the next two l = 4 and the last three l =
    /// 8.
    fn dataset() -> Dataset {
        let domains = [2, 4, 4, 8, 8, 8];
        let column = |&size: &u32| (0..64).map(|row| row % size).collect();
        Dataset {
            names: domains.iter().map(|size| format!("of {size}")).collect(),
            domains: domains.to_vec(),
            records: PeopleTable::of_codes(domains.iter().map(column).collect()).unwrap(),
        }
    }

    #[test]
    fn a_curve_over_l_has_one_set_of_rules() {
        let data = dataset();
        let (l, sets) = rules_of_curve(&data, 3, 2, &[2, 4, 8, 16], 0..5).unwrap();
        assert_eq!((l, sets.len()), (8, 5));
        for (set, seed) in sets.iter().zip(0..) {
            assert_eq!(Some(set), random_rules(&data, 3, 2, 8, seed).as_ref());
            let last_three = |rule: &Rule| (3..6).any(|column| rule.protect().contains(column));
            assert!(set.iter().all(last_three), "{set:?}");
        }
        let alone = rules_of_curve(&data, 3, 2, &[8], 0..5).unwrap();
        assert_eq!(alone.1, sets, "other points of the curve change nothing");
        assert!(rules_of_curve(&data, 3, 2, &[16, 32], 0..5).is_none());
    }
}
