//! Measures how well count queries can be answered from several tables.

use super::{Estimate, EstimateQuery};
use crate::RulesError;
use openveil_core::table::PeopleTable;
use openveil_measures::utility::Errors;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

/// How often a query that nobody matches is drawn again.
const MOST_DRAWS: usize = 100;

/// Random count queries on a table, with their true answers, which must stay with the owner.
#[derive(Debug)]
pub struct OwnerQueries {
    queries: Vec<(EstimateQuery, u64)>,
}

impl OwnerQueries {
    /// Draws `count` queries on `dimension` random columns each (or on all, if there are fewer). On
    /// each column a query asks for a random set of values: the share `share` of its domain, at
    /// least one value. `domains` has the number of values of each column. Queries without a
    /// matching row are drawn again, up to a hundred times. O(count · rows).
    pub fn random(
        table: &PeopleTable,
        domains: &[u32],
        (dimension, share): (usize, f64),
        count: usize,
        seed: u64,
    ) -> Self {
        let draw = |number: u64| {
            let mut generator = StdRng::seed_from_u64(seed.wrapping_mul(1 << 20) + number);
            let mut drawn = || {
                let query = random(domains, dimension, share, &mut generator);
                let rows = 0..table.rows();
                let answer =
                    rows.filter(|&row| query.matches(|c| table.codes(c)[row])).count() as u64;
                (query, answer)
            };
            let mut last = drawn();
            for _ in 1..MOST_DRAWS {
                if last.1 > 0 {
                    break;
                }
                last = drawn();
            }
            last
        };
        Self { queries: (0..count as u64).into_par_iter().map(draw).collect() }
    }

    /// The errors of an estimate.
    ///
    /// # Errors
    /// [`RulesError::NotPublished`] if the estimate lacks a column.
    pub fn errors(&self, estimate: &Estimate) -> Result<Errors, RulesError> {
        let counts: Vec<u64> = self.queries.iter().map(|(_, count)| *count).collect();
        let estimates: Vec<f64> = self
            .queries
            .par_iter()
            .map(|(query, _)| estimate.count(query))
            .collect::<Result<_, RulesError>>()?;
        Ok(Errors::new(&counts, &estimates, estimate.rows() as usize))
    }
}

fn random(domains: &[u32], dimension: usize, share: f64, generator: &mut StdRng) -> EstimateQuery {
    let mut columns: Vec<usize> = (0..domains.len()).collect();
    let mut query = EstimateQuery::new();
    for _ in 0..dimension.min(columns.len()) {
        let column = columns.swap_remove(generator.random_range(0..columns.len()));
        let size = domains[column];
        let wanted = ((f64::from(size) * share).round() as usize).max(1);
        let mut values: Vec<u32> = (0..size).collect();
        let chosen: Vec<u32> = (0..wanted)
            .map(|_| {
                let at = generator.random_range(0..values.len());
                values.swap_remove(at)
            })
            .collect();
        query = query.among(column, chosen);
    }
    query
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::{EstimateLimits, SparseMarginal};

    /// An estimate from the whole table has no error. An estimate from single columns has one if
    /// columns are associated.
    #[test]
    fn what_is_published_whole_has_no_error() {
        let first: Vec<u32> = (0..60).map(|row| row % 3).collect();
        let second: Vec<u32> = first.iter().map(|code| code * 2 % 3).collect();
        let table = PeopleTable::of_codes(vec![first, second]).unwrap();
        let workload = OwnerQueries::random(&table, &[3, 3], (2, 0.4), 50, 1);
        let errors = |sets: &[&[usize]]| {
            let marginals: Vec<SparseMarginal> = sets
                .iter()
                .map(|columns| {
                    SparseMarginal::exact(&table, columns.iter().copied().collect()).unwrap()
                })
                .collect();
            let estimate = Estimate::new(&marginals, EstimateLimits::default()).unwrap();
            workload.errors(&estimate).unwrap()
        };
        let whole = errors(&[&[0, 1]]);
        assert!(whole.relative.unwrap() < 1e-9 && whole.floored < 1e-9, "{whole:?}");
        // 20 rows each; independence expects 20/3.
        let apart = errors(&[&[0], &[1]]);
        assert!((apart.floored - 2.0 / 3.0).abs() < 1e-9, "{apart:?}");
        assert_eq!(apart.relative, Some(apart.floored));
    }
}
