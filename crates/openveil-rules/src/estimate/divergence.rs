//! The distance of an estimate from the data.

use super::Estimate;
use crate::{RulesError, check_columns};
use openveil_core::table::{ColumnSet, PeopleTable};

/// The Kullback–Leibler divergence of an estimate from the data, in nats (the
/// paper's equation 3): 0 if they agree, infinite if the estimate rules out a
/// row. Summed over the rows that occur, O(n · columns · log cells).
///
/// If measured on the true data, it must stay with the owner.
///
/// # Errors
/// [`RulesError::NotPublished`] if the estimate lacks a column of the data,
/// [`RulesError::UnequalColumns`] if the data lack a column of the estimate.
pub fn divergence(records: &PeopleTable, estimate: &Estimate) -> Result<f64, RulesError> {
    check_columns(records, estimate.columns())?;
    if let Some(column) = (records.all() - estimate.columns()).least() {
        return Err(RulesError::NotPublished { column });
    }
    let rows = records.rows() as f64;
    let terms = distinct(records, records.all()).into_iter().map(|(row, count)| {
        let share = count / rows;
        let estimated = estimate.probability(|column| records.codes(column)[row]);
        share * (share / estimated).ln()
    });
    Ok(sum_of(terms.collect()))
}

/// The Shannon entropy of the data on some columns, in nats. O(n · columns).
///
/// # Errors
/// [`RulesError::UnequalColumns`] if there is no such column.
pub fn entropy(records: &PeopleTable, columns: ColumnSet) -> Result<f64, RulesError> {
    check_columns(records, columns)?;
    let rows = records.rows() as f64;
    let terms =
        distinct(records, columns).into_iter().map(|(_, count)| count / rows * (rows / count).ln());
    Ok(sum_of(terms.collect()))
}

/// Adds terms from the least to the greatest, so that rounding does not depend on the order of
/// rows.
fn sum_of(mut terms: Vec<f64>) -> f64 {
    terms.sort_unstable_by(f64::total_cmp);
    terms.into_iter().sum()
}

/// The first row of every combination of values, and the number of rows with it.
fn distinct(records: &PeopleTable, columns: ColumnSet) -> Vec<(usize, f64)> {
    let (classes, count) = records.classes(columns);
    let mut found: Vec<(usize, f64)> = vec![(usize::MAX, 0.0); count];
    for (row, &class) in classes.iter().enumerate() {
        let (first, count) = &mut found[class as usize];
        *first = row.min(*first);
        *count += 1.0;
    }
    found
}
