//! The query workload error (QWE): how well a reader of the release answers
//! count queries.

mod estimate;
mod kind;
mod truth;

pub use kind::Kind;

use crate::release::Content;
use crate::table::View;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rayon::prelude::*;
use std::ops::RangeInclusive;

/// Smaller true counts than this share of the rows are taken for it, so that a
/// query which almost nobody meets does not decide the mean: one in 200.
const LEAST_SHARE: f64 = 0.005;

/// The codes of one quasi-identifier that a query asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AxisRange {
    /// Which quasi-identifier, by position in the table.
    pub axis: usize,
    /// The codes, in the order of the column's domain.
    pub codes: RangeInclusive<u32>,
}

/// A count query: how many people lie in all of the ranges and, where values are
/// given, carry one of these sensitive values?
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// Ranges on quasi-identifiers, at most one per axis.
    pub ranges: Vec<AxisRange>,
    /// The sensitive values, in the order of their codes.
    pub values: Option<RangeInclusive<u32>>,
}

/// Count queries of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workload {
    queries: Vec<Query>,
}

impl Workload {
    /// A workload of given queries.
    pub fn new(queries: Vec<Query>) -> Self {
        Self { queries }
    }

    /// Random queries of a kind. The same seed gives the same queries; of the table
    /// only domains are read.
    ///
    /// A predicate is a range of codes: its length is drawn uniformly between
    /// 10 % and 50 % of the domain (at least one value) unless the kind says how much
    /// is selected, then its place. On a domain of at most two values it is a single
    /// one, and so is a sensitive value without an order. Codes of unordered domains
    /// count in the order they are listed in. The Privacy Streamliner paper (section
    /// 4.2) names the kinds but does not say how predicates are drawn.
    ///
    /// # Panics
    /// If the kind names an axis that the table does not have.
    pub fn random(table: &View, kind: &Kind, queries: usize, seed: u64) -> Self {
        let mut generator = StdRng::seed_from_u64(seed);
        Self::new(
            (0..queries)
                .map(|_| kind.draw(table, &mut generator))
                .collect(),
        )
    }

    /// The queries.
    pub fn queries(&self) -> &[Query] {
        &self.queries
    }

    /// The true answers, one per query. They belong to the owner of the table.
    ///
    /// Scans the columns in parallel, O(queries · rows · axes).
    ///
    /// # Panics
    /// If a query names an axis that the table does not have.
    pub fn true_counts(&self, table: &View) -> Vec<u64> {
        truth::counts(&self.queries, table)
    }

    /// What a reader of the release answers, one number per query: the rows of
    /// a group are spread evenly over its published box, and sensitive values
    /// are independent of quasi-identifiers inside it.
    ///
    /// In parallel, O(queries · groups · axes); exact cells cost their rows.
    ///
    /// # Panics
    /// If a query names an axis that the release does not have.
    pub fn estimates(&self, release: &Content) -> Vec<f64> {
        self.queries
            .par_iter()
            .map(|query| estimate::count(query, release))
            .collect()
    }

    /// The mean over the queries of |true − estimated| / max(true, 0.5 % of the
    /// rows); 0 without queries. It is measured with true values: not for
    /// publication.
    ///
    /// As fast as [`Workload::true_counts`] and [`Workload::estimates`].
    ///
    /// # Panics
    /// If a query names an axis that the table or the release does not have.
    pub fn mean_error(&self, table: &View, release: &Content) -> f64 {
        let least = LEAST_SHARE * table.rows() as f64;
        let estimates = self.estimates(release);
        let answers = self.true_counts(table).into_iter().zip(estimates);
        let errors = answers.map(|(count, estimate)| {
            let count = count as f64;
            (count - estimate).abs() / count.max(least)
        });
        errors.sum::<f64>() / self.queries.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests;
