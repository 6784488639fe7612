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

/// Smaller true counts than this share of the rows are taken for it, so that a
/// query which almost nobody meets does not decide the mean: one in 200.
const LEAST_SHARE: f64 = 0.005;

/// How often queries that nobody meets are drawn anew.
pub const MOST_DRAWS: usize = 100;

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
    pub fn random(table: &View, kind: &QueryKind, queries: usize, seed: u64) -> Self {
        let mut generator = StdRng::seed_from_u64(seed);
        Self::new(
            (0..queries)
                .map(|_| kind.draw(table, &mut generator))
                .collect(),
        )
    }

    /// Like [`Workload::random`], but queries that nobody in the table meets are drawn anew, as
    /// the versatile publishing paper does: not for publication. Fewer queries where hardly any
    /// are met. O(draws · rows · axes), in parallel, for at most 100 times as many draws.
    ///
    /// # Panics
    /// As [`Workload::random`].
    pub fn random_met(table: &View, kind: &QueryKind, queries: usize, seed: u64) -> Self {
        let mut generator = StdRng::seed_from_u64(seed);
        let mut met: Vec<Query> = Vec::with_capacity(queries);
        for _ in 0..MOST_DRAWS {
            let draw = |_| kind.draw(table, &mut generator);
            let drawn = Self::new((met.len()..queries).map(draw).collect());
            let counts = drawn.true_counts(table);
            let found = drawn.queries.into_iter().zip(counts);
            met.extend(
                found
                    .filter(|(_, count)| *count > 0)
                    .map(|(query, _)| query),
            );
        }
        Self::new(met)
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

    /// The answers of a reader of the release, one per query. In parallel, as fast
    /// as [`Index::count`].
    ///
    /// # Panics
    /// If a query names an axis that the release does not have.
    pub fn estimates(&self, release: &Index<'_>) -> Vec<f64> {
        self.queries
            .par_iter()
            .map(|query| release.count(query))
            .collect()
    }

    /// How far a reader's answers are off, on average. It is measured with true values:
    /// not for publication.
    ///
    /// As fast as [`Workload::true_counts`] and [`Workload::estimates`].
    ///
    /// # Panics
    /// If a query names an axis that the table or the release does not have.
    pub fn errors(&self, table: &View, release: &Index<'_>) -> Errors {
        Errors::of(
            &self.true_counts(table),
            &self.estimates(release),
            table.rows(),
        )
    }

    /// [`Errors::floored`] of a release that is asked one workload.
    ///
    /// # Panics
    /// As [`Workload::errors`].
    pub fn mean_error(&self, table: &View, release: &Content) -> f64 {
        self.errors(table, &Index::of(release)).floored
    }
}

/// Mean errors of the answers to count queries, by the definitions of two papers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Errors {
    /// The mean over the queries of |true − estimated| / max(true, 0.5 % of the rows); 0
    /// without queries. Privacy Streamliner paper, section 4.2.
    pub floored: f64,
    /// The mean of |true − estimated| / true over the queries that somebody meets; none
    /// if nobody meets any. Versatile publishing paper.
    pub relative: Option<f64>,
}

impl Errors {
    /// The errors of estimates of true counts in a table of so many rows. O(queries).
    pub fn of(counts: &[u64], estimates: &[f64], rows: usize) -> Self {
        let least = LEAST_SHARE * rows as f64;
        let pairs = counts.iter().zip(estimates);
        let off = pairs.map(|(&count, estimate)| (count as f64, (count as f64 - estimate).abs()));
        let floored: f64 = off.clone().map(|(count, off)| off / count.max(least)).sum();
        let met = off.filter(|(count, _)| *count > 0.0);
        let relative: Vec<f64> = met.map(|(count, off)| off / count).collect();
        Self {
            floored: floored / counts.len().max(1) as f64,
            relative: (!relative.is_empty())
                .then(|| relative.iter().sum::<f64>() / relative.len() as f64),
        }
    }
}

#[cfg(test)]
mod tests;
