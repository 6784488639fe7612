//! Multi-SA as printed in the paper: a binary variable for each row.

use microlp::{ComparisonOp, OptimizationDirection, Problem, SolutionStatus, Variable};
use openveil_core::table::{ColumnSet, PeopleTable};
use std::collections::BTreeMap;
use std::time::Duration;

/// Returns the number of rows of the largest group. In it, among rows that agree on all sensitive
/// columns but one, no value of that one has a share above 1/`l`. None if the time ran out before
/// it was known to be the largest.
///
/// Solves the program of [`openveil_rules::baseline::multi_sa`] without combining rows with equal
/// values. Such rows are interchangeable, so a branching solver meets every solution once for each
/// choice of them.
pub fn largest_group(
    records: &PeopleTable,
    sensitive: ColumnSet,
    l: u32,
    limit: Duration,
) -> Option<usize> {
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    problem.set_time_limit(limit);
    let rows = 0..records.rows();
    let taken: Vec<Variable> = rows.clone().map(|_| problem.add_binary_var(1.0)).collect();
    for (place, _) in sensitive.iter().enumerate() {
        // Rows that agree on all other sensitive columns, with their values.
        let mut alike: BTreeMap<Vec<u32>, Vec<(u32, Variable)>> = BTreeMap::new();
        for row in rows.clone() {
            let mut others = records.tuple(row, sensitive);
            let value = others.remove(place);
            alike.entry(others).or_default().push((value, taken[row]));
        }
        for rows in alike.values() {
            let mut values: Vec<u32> = rows.iter().map(|(value, _)| *value).collect();
            values.sort_unstable();
            values.dedup();
            for own in values {
                // l · (rows with the value) ≤ rows.
                let term = |&(value, variable): &(u32, Variable)| {
                    if value == own { (variable, f64::from(l) - 1.0) } else { (variable, -1.0) }
                };
                let terms: Vec<(Variable, f64)> = rows.iter().map(term).collect();
                problem.add_constraint(&terms[..], ComparisonOp::Le, 0.0);
            }
        }
    }
    let outcome = problem.solve().ok()?;
    let solution = outcome.solution()?;
    let is_best = solution.status() == SolutionStatus::Optimal;
    let chosen = taken.iter().filter(|&&row| solution.var_value(row) > 0.5).count();
    is_best.then_some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::coins::{Coins, SecretCoins};
    use openveil_rules::baseline::multi_sa;

    #[test]
    fn both_programs_find_groups_of_one_size() {
        let mut coins = SecretCoins::from_test_seed(7);
        for _ in 0..20 {
            let mut column = |values: u32| (0..12).map(|_| coins.below(values)).collect();
            let records = PeopleTable::of_codes(vec![column(5), column(2), column(3)]).unwrap();
            let sensitive: ColumnSet = [1, 2].into_iter().collect();
            let limit = Duration::from_secs(20);
            let mut own = SecretCoins::from_test_seed(1);
            let found = multi_sa(&records, sensitive, 2, limit, &mut own).unwrap();
            let largest = largest_group(&records, sensitive, 2, limit);
            assert_eq!(largest, Some(found.group.len()));
        }
    }
}
