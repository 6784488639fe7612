//! The query workload error (QWE): how well a reader of the release answers
//! count queries.

mod index;
mod kind;
mod truth;

pub use index::Index;
pub use kind::QueryKind;

use openveil_core::release::Content;
use openveil_core::table::View;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rayon::prelude::*;
use std::ops::RangeInclusive;

/// True counts below this share of the rows are raised to it, so that a query that hardly anybody
/// matches does not dominate the mean: one in 200.
const LEAST_SHARE: f64 = 0.005;

/// The codes of one quasi-identifier that a query asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AxisRange {
    /// The quasi-identifier, by position in the table.
    pub axis: usize,
    /// The codes, in the order of the column's domain.
    pub codes: RangeInclusive<u32>,
}

/// A count query: how many people are in all of the ranges and, if `values` are given, have one of
/// these sensitive values?
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
    /// A workload of the given queries.
    pub fn new(queries: Vec<Query>) -> Self {
        Self { queries }
    }

    /// Draws random queries of a kind. Equal seeds give equal queries. Only the domains of the
    /// table are read.
    ///
    /// A predicate is a range of codes. Its length is drawn uniformly between 10 % and 50 % of the
    /// domain (at least one value), unless the kind sets the selected share; then its place is
    /// drawn. On a domain of at most two values it is a single value, and so is a sensitive value
    /// without an order. Codes of unordered domains are in the order of the domain. The Privacy
    /// Streamliner paper (section 4.2) names the kinds but does not say how predicates are drawn.
    ///
    /// # Panics
    /// If the kind names an axis that the table does not have.
    pub fn random(table: &View, kind: &QueryKind, queries: usize, seed: u64) -> Self {
        let mut generator = StdRng::seed_from_u64(seed);
        Self::new((0..queries).map(|_| kind.draw(table, &mut generator)).collect())
    }

    /// The queries.
    pub fn queries(&self) -> &[Query] {
        &self.queries
    }

    /// The true answers, one per query. They must stay with the owner of the table.
    ///
    /// Scans the columns in parallel, O(queries · rows · axes).
    ///
    /// # Panics
    /// If a query names an axis that the table does not have.
    pub fn true_counts(&self, table: &View) -> Vec<u64> {
        truth::counts(&self.queries, table)
    }

    /// The answers of a reader of the release, one per query. In parallel; each costs as much as
    /// [`Index::count`].
    ///
    /// # Panics
    /// If a query names an axis that the release does not have.
    pub fn estimates(&self, release: &Index<'_>) -> Vec<f64> {
        self.queries.par_iter().map(|query| release.count(query)).collect()
    }

    /// The mean errors of a reader's answers. They use true values, so they are not for
    /// publication.
    ///
    /// Costs as much as [`Workload::true_counts`] and [`Workload::estimates`].
    ///
    /// # Panics
    /// If a query names an axis that the table or the release does not have.
    pub fn errors(&self, table: &View, release: &Index<'_>) -> Errors {
        Errors::new(&self.true_counts(table), &self.estimates(release), table.rows())
    }

    /// [`Errors::floored`] of a release for this workload.
    ///
    /// # Panics
    /// The panics of [`Workload::errors`].
    pub fn mean_error(&self, table: &View, release: &Content) -> f64 {
        self.errors(table, &Index::new(release)).floored
    }
}

/// Mean errors of the answers to count queries, by the definitions of two papers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Errors {
    /// The mean over the queries of |true − estimated| / max(true, 0.5 % of the rows); 0
    /// without queries. Privacy Streamliner paper, section 4.2.
    pub floored: f64,
    /// The mean of |true − estimated| / true over the queries that somebody matches; `None` if
    /// nobody matches any. Versatile publishing paper.
    pub relative: Option<f64>,
}

impl Errors {
    /// The errors of estimates of true counts in a table of `rows` rows. O(queries).
    pub fn new(counts: &[u64], estimates: &[f64], rows: usize) -> Self {
        let least = LEAST_SHARE * rows as f64;
        let off = counts
            .iter()
            .zip(estimates)
            .map(|(&count, estimate)| (count as f64, (count as f64 - estimate).abs()));
        let floored: f64 = off.clone().map(|(count, off)| off / count.max(least)).sum();
        let relative: Vec<f64> =
            off.filter(|(count, _)| *count > 0.0).map(|(count, off)| off / count).collect();
        Self {
            floored: floored / counts.len().max(1) as f64,
            relative: (!relative.is_empty())
                .then(|| relative.iter().sum::<f64>() / relative.len() as f64),
        }
    }
}

#[cfg(test)]
mod tests;
