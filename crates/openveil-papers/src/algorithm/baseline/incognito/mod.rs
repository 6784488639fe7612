#![doc = include_str!("proof.md")]

mod frequencies;
mod search;

use super::check_whole;
use crate::algorithm::taxonomy::Taxonomy;
use frequencies::number_rows;
use openveil_core::Error;
use openveil_core::model::{Criteria, Property};
use openveil_core::release::{Style, publish};
use openveil_core::table::{Groups, View};
use openveil_measures::utility::mean_extents;

/// A full-domain generalisation: one level per column.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FullDomain {
    /// The level of each quasi-identifier, in the table's order: 0 is exact, the greatest covers
    /// all values.
    pub levels: Vec<u32>,
}

/// The measure by which minimal generalisations are compared; lower is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IncognitoScore {
    /// The sum of squared group sizes.
    #[default]
    Discernability,
    /// The mean number of rows per group (CAVG gives the same order).
    AverageSize,
    /// The mean over the columns of the published [`mean_extents`].
    Loss,
}

/// Divides a table into groups by Incognito: the groups of the minimal generalisation with the best
/// score (ties: the least sum of levels, then lower levels in the first columns). **Unsafe**
/// against a reader who knows it: which generalisations hold depends on values.
///
/// As fast as [`minimal_generalizations`], plus O(n · columns) for each of them.
///
/// # Errors
/// As for [`minimal_generalizations`].
pub fn incognito(
    table: &View,
    criteria: &Criteria,
    score: IncognitoScore,
) -> Result<Groups, Error> {
    let taxonomies = taxonomies(table);
    let best = minimal_generalizations(table, criteria)?
        .into_iter()
        .map(|found| {
            let groups = groups(table, &taxonomies, &found);
            let ties = (found.levels.iter().sum::<u32>(), found);
            (cost(table, &groups, score), ties, groups)
        })
        .min_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    let (_, _, groups) = best.expect("the most general generalisation holds");
    Ok(groups)
}

/// Returns all minimal full-domain generalisations that satisfy a model, ascending.
///
/// Examines generalisations of every subset of the columns, unless pruning rules them out:
/// exponential in the number of columns in the worst case; O(n · columns) time for each, in
/// parallel, and O(n) memory per subset.
///
/// # Errors
/// [`Error::NotMonotone`]; [`Error::Unsatisfiable`] or [`Error::Ineligible`] if the
/// table as one group does not satisfy the model; [`Error::BeyondLimit`] if there are more than 2^26
/// generalisations of subsets of the columns.
pub fn minimal_generalizations(
    table: &View,
    criteria: &Criteria,
) -> Result<Vec<FullDomain>, Error> {
    if !criteria.is_monotone() {
        let names: Vec<String> = criteria.properties().map(Property::name).collect();
        return Err(Error::NotMonotone { algorithm: "incognito", model: names.join(" and ") });
    }
    check_whole(table, criteria)?;
    let mut found = search::minimal(table, &taxonomies(table), criteria)?;
    found.sort_unstable();
    Ok(found)
}

fn taxonomies(table: &View) -> Vec<Taxonomy> {
    table.known().iter().map(|column| Taxonomy::by_height(column.domain())).collect()
}

/// Returns the groups of rows that look alike.
fn groups(table: &View, taxonomies: &[Taxonomy], generalization: &FullDomain) -> Groups {
    let levels: Vec<(usize, u32)> = (0..).zip(generalization.levels.iter().copied()).collect();
    let rows: Vec<u32> = (0..table.rows() as u32).collect();
    let (group_of, groups) = number_rows(table, taxonomies, &levels, &rows);
    Groups::from_labels(&group_of, groups)
}

fn cost(table: &View, groups: &Groups, score: IncognitoScore) -> f64 {
    match score {
        IncognitoScore::Discernability => {
            groups.iter().map(|rows| (rows.len() as f64).powi(2)).sum()
        }
        IncognitoScore::AverageSize => table.rows() as f64 / groups.len() as f64,
        IncognitoScore::Loss => {
            let (release, _) = publish(table, groups, Style::Generalize);
            let extents = mean_extents(&release, table);
            extents.iter().map(|column| column.mean).sum()
        }
    }
}

#[cfg(test)]
mod tests;
