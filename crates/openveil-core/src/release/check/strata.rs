//! Checks that every group lies in one stratum.

use super::Violation;
use crate::table::{Column, Groups, Histogram, View};
use std::collections::BTreeMap;

/// The groups of each stratum, ascending, by the text in the columns that fix strata; without such
/// columns, all groups together.
pub(super) fn groups(table: &View, membership: &Groups) -> Result<Vec<Vec<usize>>, Violation> {
    if table.strata_columns().next().is_none() && !membership.is_empty() {
        return Ok(vec![(0..membership.len()).collect()]);
    }
    let mut of_stratum: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
    for (group, rows) in membership.iter().enumerate() {
        let mut stratum = Vec::new();
        for column in table.strata_columns() {
            let text = |row: u32| column.domain().label(column.codes()[row as usize]);
            if rows.iter().any(|&row| text(row) != text(rows[0])) {
                return Err(Violation::Strata {
                    group: group + 1,
                    column: column.name().to_owned(),
                });
            }
            stratum.push(text(rows[0]));
        }
        of_stratum.entry(stratum).or_default().push(group);
    }
    Ok(of_stratum.into_values().collect())
}

/// The histogram of the stratum of some people of a part, by the text in the columns that fix
/// strata.
pub(super) fn histogram(whole: &View, part: &View, people: &[u32]) -> Option<Histogram> {
    let own = part.strata_columns();
    let own: Vec<&str> =
        own.map(|column| column.domain().label(column.codes()[people[0] as usize])).collect();
    let columns: Vec<&Column> = whole.strata_columns().collect();
    let strata = whole.strata();
    strata
        .iter()
        .find(|stratum| {
            let codes = columns.iter().zip(stratum.codes());
            own.iter().copied().eq(codes.map(|(column, &code)| column.domain().label(code)))
        })
        .map(|stratum| stratum.view(whole).histogram())
}
