//! Infers from groups which values share a column: two values of one column never occur in the same
//! group.

use crate::evidence::Evidence;

/// Two values are taken to be in one column if they occur together less often than this share of
/// the number expected by chance. It is above 0 because small units of a release have other
/// columns.
const RARELY: f64 = 0.05;

/// The share of groups that must fit the columns.
const MOST: f64 = 0.8;

/// Returns the columns of most groups; `None` if none are found, or no column has several values.
pub(crate) fn read(evidence: &Evidence, values: usize) -> Option<Vec<Vec<u32>>> {
    let groups = evidence.groups();
    let mut sizes = std::collections::BTreeMap::new();
    let mut meet = vec![0.0; values * values];
    let mut counts = vec![0.0; values];
    for group in 0..groups {
        let own = &evidence.values()[evidence.rows_of(group)];
        *sizes.entry(own.len()).or_insert(0usize) += 1;
        for (at, &a) in own.iter().enumerate() {
            counts[a as usize] += 1.0;
            for &b in &own[..at] {
                meet[a as usize * values + b as usize] += 1.0;
                meet[b as usize * values + a as usize] += 1.0;
            }
        }
    }
    let size = sizes.into_iter().max_by_key(|&(_, groups)| groups)?.0;
    let rarely = |a: usize, b: usize| {
        // By chance, a group with one value has the other as often as its remaining members have
        // it.
        let expected = counts[a] * counts[b] / groups as f64;
        expected > 0.0 && meet[a * values + b] <= RARELY * expected
    };
    let mut columns: Vec<Vec<u32>> = Vec::new();
    let mut order: Vec<usize> = (0..values).filter(|&value| counts[value] > 0.0).collect();
    order.sort_by(|&a, &b| counts[b].total_cmp(&counts[a]).then(a.cmp(&b)));
    for value in order {
        let fits = |column: &&mut Vec<u32>| column.iter().all(|&own| rarely(own as usize, value));
        match columns.iter_mut().find(fits) {
            Some(column) => column.push(value as u32),
            None => columns.push(vec![value as u32]),
        }
    }
    let fitting =
        (0..groups).filter(|&group| fits(&columns, &evidence.values()[evidence.rows_of(group)]));
    let is_found = columns.len() == size && columns.iter().any(|column| column.len() > 1);
    (is_found && fitting.count() as f64 >= MOST * groups as f64).then_some(columns)
}

/// Whether the values are one from each column.
pub(crate) fn fits(columns: &[Vec<u32>], values: &[u32]) -> bool {
    let has_one =
        |column: &Vec<u32>| values.iter().filter(|value| column.contains(value)).count() == 1;
    values.len() == columns.len() && columns.iter().all(has_one)
}
