//! Kinds of queries, and how queries are drawn.

use super::{AxisRange, Query};
use openveil_core::table::View;
use rand::RngExt;
use rand::rngs::StdRng;
use std::ops::RangeInclusive;

/// A kind of queries in a workload.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryKind {
    axes: Axes,
    with_sensitive: bool,
    selectivity: Option<f64>,
}

#[derive(Debug, Clone, PartialEq)]
enum Axes {
    /// These in every query.
    These(Vec<usize>),
    /// This many of all, drawn anew for every query.
    Any(usize),
}

impl QueryKind {
    /// Queries on these quasi-identifiers, by position in the table.
    pub fn on(axes: impl Into<Vec<usize>>) -> Self {
        Self { axes: Axes::These(axes.into()), with_sensitive: false, selectivity: None }
    }

    /// Queries on `dimension` quasi-identifiers each, drawn anew for every query; on all if there
    /// are fewer.
    pub fn of_dimension(dimension: usize) -> Self {
        Self { axes: Axes::Any(dimension), ..Self::on([]) }
    }

    /// Returns this kind, with sensitive values in the queries as well.
    #[must_use]
    pub fn with_sensitive(self) -> Self {
        Self { with_sensitive: true, ..self }
    }

    /// Returns this kind with queries that would match the share `share` of the rows, above 0 and
    /// at most 1, if columns were independent and their values equally frequent. With d predicates,
    /// each spans the d-th root of the share. Without a share, a range spans 10 % to 50 % of its
    /// domain.
    #[must_use]
    pub fn selecting(self, share: f64) -> Self {
        Self { selectivity: Some(share), ..self }
    }

    /// Draws a query. Only the domains of the table are read.
    ///
    /// # Panics
    /// If the table does not have an axis.
    pub(super) fn draw(&self, table: &View, generator: &mut StdRng) -> Query {
        let axes = self.axes(table.known().len(), generator);
        let predicates = axes.len() + usize::from(self.with_sensitive);
        let span = self.selectivity.map(|share| share.powf(1.0 / predicates.max(1) as f64));
        let ranges = axes
            .into_iter()
            .map(|axis: usize| AxisRange {
                axis,
                codes: range_of(table.known()[axis].domain().len() as u32, span, generator),
            })
            .collect();
        let values = self.with_sensitive.then(|| {
            let (secret, size) = (table.secret(), table.secret().values() as u32);
            if secret.is_ordered() || span.is_some() {
                range_of(size, span, generator)
            } else {
                let value = generator.random_range(0..size);
                value..=value
            }
        });
        Query { ranges, values }
    }

    fn axes(&self, all: usize, generator: &mut StdRng) -> Vec<usize> {
        match &self.axes {
            Axes::These(axes) => axes.clone(),
            Axes::Any(wanted) => {
                let mut left: Vec<usize> = (0..all).collect();
                (0..*wanted.min(&all))
                    .map(|_| left.swap_remove(generator.random_range(0..left.len())))
                    .collect()
            }
        }
    }
}

/// Draws a uniformly placed range of codes of a domain of `size` values that spans the given share
/// of it, or 10 % to 50 %. A single code if the domain has at most two values.
pub(super) fn range_of(
    size: u32,
    span: Option<f64>,
    generator: &mut StdRng,
) -> RangeInclusive<u32> {
    let length = match (span, size) {
        (Some(span), _) => ((f64::from(size) * span).round() as u32).clamp(1, size),
        (None, 0..=2) => 1,
        (None, _) => generator.random_range(size.div_ceil(10)..=size / 2),
    };
    let first = generator.random_range(0..=size - length);
    first..=first + length - 1
}
