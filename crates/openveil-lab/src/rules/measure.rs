//! How good an estimate is.

use super::Dataset;
use openveil::schema::Error;
use openveil::schema::estimate::{Estimate, Query, divergence};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

/// Random count queries with their true answers.
#[derive(Debug)]
pub struct Workload {
    queries: Vec<(Query, u64)>,
}

impl Workload {
    /// `count` queries on `dimension` random columns each; on each a random set of
    /// values, the share `p` of its domain. Queries that nobody meets are drawn anew.
    /// O(count · rows).
    pub fn random(data: &Dataset, dimension: usize, p: f64, count: usize, seed: u64) -> Self {
        let draw = |number: u64| {
            let mut generator = StdRng::seed_from_u64(seed.wrapping_mul(1 << 20) + number);
            loop {
                let query = random(data, dimension, p, &mut generator);
                let rows = 0..data.records.rows();
                let meets = rows.filter(|&row| query.matches(|c| data.records.codes(c)[row]));
                let answer = meets.count() as u64;
                if answer > 0 {
                    return (query, answer);
                }
            }
        };
        Self {
            queries: (0..count as u64).into_par_iter().map(draw).collect(),
        }
    }

    /// The mean of |true − estimated| / true.
    ///
    /// # Errors
    /// If the estimate lacks a column.
    pub fn relative_error(&self, estimate: &Estimate) -> Result<f64, Error> {
        let errors = self.queries.par_iter().map(|(query, answer)| {
            let answer = *answer as f64;
            Ok((answer - estimate.count(query)?).abs() / answer)
        });
        let errors: Vec<f64> = errors.collect::<Result<_, Error>>()?;
        Ok(errors.iter().sum::<f64>() / errors.len().max(1) as f64)
    }
}

fn random(data: &Dataset, dimension: usize, p: f64, generator: &mut StdRng) -> Query {
    let mut columns: Vec<usize> = (0..data.domains.len()).collect();
    let mut query = Query::new();
    for _ in 0..dimension.min(columns.len()) {
        let column = columns.swap_remove(generator.random_range(0..columns.len()));
        let size = data.domains[column];
        let wanted = ((f64::from(size) * p).round() as usize).max(1);
        let mut values: Vec<u32> = (0..size).collect();
        let chosen = (0..wanted).map(|_| {
            let at = generator.random_range(0..values.len());
            values.swap_remove(at)
        });
        let chosen: Vec<u32> = chosen.collect();
        query = query.among(column, chosen);
    }
    query
}

/// Divergence and mean relative error.
///
/// # Errors
/// If the estimate lacks a column.
pub fn quality(
    data: &Dataset,
    estimate: &Estimate,
    workload: &Workload,
) -> Result<(f64, f64), Error> {
    let divergence = divergence(&data.records, estimate)?;
    Ok((divergence, workload.relative_error(estimate)?))
}
