//! Published tables as weighted rows.

use crate::{RulesError, check_columns};
use openveil_core::table::{ColumnSet, Groups, PeopleTable};

/// A published table as a sparse marginal: the weight, in rows, of each combination of values that
/// occurs. Sorted, with each combination once.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseMarginal {
    columns: ColumnSet,
    width: usize,
    codes: Vec<u32>,
    weights: Vec<f64>,
}

impl SparseMarginal {
    /// Builds a marginal from rows of codes, in the order of the columns' numbers, and their
    /// weights. The weights of equal rows are added up. O(rows · columns · log rows).
    ///
    /// # Errors
    /// [`RulesError::BadMarginal`] if there are no rows or columns, a row does not have
    /// one code per column, or a weight is not positive and finite.
    pub fn new(
        columns: ColumnSet,
        rows: impl IntoIterator<Item = (Vec<u32>, f64)>,
    ) -> Result<Self, RulesError> {
        let (mut codes, mut weights) = (Vec::new(), Vec::new());
        for (row, weight) in rows {
            if row.len() != columns.len() {
                return Err(RulesError::BadMarginal);
            }
            codes.extend(row);
            weights.push(weight);
        }
        Self::from_flat(columns, codes, weights)
    }

    /// The exact marginal of a table that is published unchanged. O(n · columns + cells · log
    /// cells).
    ///
    /// # Errors
    /// [`RulesError::UnequalColumns`] if there is no such column;
    /// [`RulesError::BadMarginal`] without columns.
    pub fn exact(records: &PeopleTable, columns: ColumnSet) -> Result<Self, RulesError> {
        check_columns(records, columns)?;
        let (classes, count) = records.classes(columns);
        let mut first = vec![usize::MAX; count];
        let mut weights = vec![0.0; count];
        for (row, &class) in classes.iter().enumerate() {
            let class = class as usize;
            first[class] = first[class].min(row);
            weights[class] += 1.0;
        }
        let rows = first.iter().map(|&row| records.tuple(row, columns));
        Self::new(columns, rows.zip(weights))
    }

    /// The marginal of an anonymised table: in each group, the protected values are spread evenly
    /// over the group's rows. O(cells · columns · log cells) where the number of cells is Σ rows ·
    /// distinct protected values over the groups.
    ///
    /// # Errors
    /// [`RulesError::UnequalColumns`], [`RulesError::BadMarginal`]; [`RulesError::BadGroups`] if
    /// the groups are not a partition of the rows.
    pub fn bucketised(
        records: &PeopleTable,
        given: ColumnSet,
        protect: ColumnSet,
        groups: &Groups,
    ) -> Result<Self, RulesError> {
        check_columns(records, given | protect)?;
        groups.check_partition(records.rows()).map_err(|_| RulesError::BadGroups)?;
        let known = |row: &u32| records.tuple(*row as usize, given);
        let secret = |row: &u32| (records.tuple(*row as usize, protect), 1);
        let groups = groups.iter().map(|group| {
            let known: Vec<_> = group.iter().map(known).collect();
            let secret: Vec<_> = group.iter().map(secret).collect();
            (known, secret)
        });
        Self::from_groups(given, protect, groups)
    }

    /// The marginal of an anonymised table that was read from a release: per group the known parts
    /// of its rows, and the protected values with their counts. Costs as much as
    /// [`Self::bucketised`].
    ///
    /// # Errors
    /// [`RulesError::BadMarginal`]; [`RulesError::BadGroups`] if a group's counts do not add
    /// up to its rows.
    pub fn from_groups(
        given: ColumnSet,
        protect: ColumnSet,
        groups: impl IntoIterator<Item = (Vec<Vec<u32>>, Vec<(Vec<u32>, u32)>)>,
    ) -> Result<Self, RulesError> {
        let (mut codes, mut weights) = (Vec::new(), Vec::new());
        for (known, mut secret) in groups {
            secret.sort_unstable();
            let counted: u64 = secret.iter().map(|(_, count)| u64::from(*count)).sum();
            if counted != known.len() as u64 {
                return Err(RulesError::BadGroups);
            }
            for values in secret.chunk_by(|a, b| a.0 == b.0) {
                let count: u32 = values.iter().map(|(_, count)| count).sum();
                let share = f64::from(count) / known.len() as f64;
                for row in &known {
                    push_merged(&mut codes, (given, row), (protect, &values[0].0))?;
                    weights.push(share);
                }
            }
        }
        Self::from_flat(given | protect, codes, weights)
    }

    /// Sorts, adds up and checks.
    pub(super) fn from_flat(
        columns: ColumnSet,
        codes: Vec<u32>,
        weights: Vec<f64>,
    ) -> Result<Self, RulesError> {
        let width = columns.len();
        if width == 0
            || weights.is_empty()
            || !weights.iter().all(|weight| weight.is_finite() && *weight > 0.0)
        {
            return Err(RulesError::BadMarginal);
        }
        let row = |index: u32| &codes[index as usize * width..][..width];
        let mut order: Vec<u32> = (0..weights.len() as u32).collect();
        let weight = |index: u32| &weights[index as usize];
        // Sorts equal rows by weight, so that their sum does not depend on the order of rows.
        order.sort_unstable_by(|&a, &b| {
            let rows = row(a).cmp(row(b));
            rows.then_with(|| weight(a).total_cmp(weight(b)))
        });
        let mut marginal = Self { columns, width, codes: Vec::new(), weights: Vec::new() };
        for index in order {
            let weight = *weight(index);
            match marginal.weights.last_mut() {
                Some(last) if marginal.codes.ends_with(row(index)) => *last += weight,
                _ => {
                    marginal.codes.extend_from_slice(row(index));
                    marginal.weights.push(weight);
                }
            }
        }
        Ok(marginal)
    }

    /// The columns of the marginal.
    pub fn columns(&self) -> ColumnSet {
        self.columns
    }

    /// Number of combinations that occur.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Always false, because a marginal has rows.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The codes of a combination, in the order of the columns' numbers.
    pub fn row(&self, index: usize) -> &[u32] {
        &self.codes[index * self.width..][..self.width]
    }

    /// The weights of the combinations, in rows.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Number of rows: the sum of the weights.
    pub fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Returns these combinations with other weights.
    pub(super) fn reweighted(mut self, weights: Vec<f64>) -> Self {
        self.weights = weights;
        self
    }

    /// The position of a combination, by binary search; `None` if it does not occur.
    pub(super) fn find(&self, codes: impl Fn(usize) -> u32) -> Option<usize> {
        let wanted: Vec<u32> = self.columns.iter().map(codes).collect();
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.row(middle).cmp(&wanted) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    /// The positions of some of the columns in a row, in the order of their numbers.
    pub(super) fn positions(&self, columns: ColumnSet) -> Vec<usize> {
        self.columns
            .iter()
            .enumerate()
            .filter(|(_, column)| columns.contains(*column))
            .map(|(position, _)| position)
            .collect()
    }
}

/// Adds a row made of two parts, in the order of the columns' numbers.
fn push_merged(
    codes: &mut Vec<u32>,
    known: (ColumnSet, &[u32]),
    secret: (ColumnSet, &[u32]),
) -> Result<(), RulesError> {
    let fits = |(columns, codes): (ColumnSet, &[u32])| columns.len() == codes.len();
    if !fits(known) || !fits(secret) || known.0.meets(secret.0) {
        return Err(RulesError::BadMarginal);
    }
    let (mut from_known, mut from_secret) = (known.1.iter(), secret.1.iter());
    codes.extend((known.0 | secret.0).iter().filter_map(|column| {
        if known.0.contains(column) { from_known.next() } else { from_secret.next() }
    }));
    Ok(())
}
