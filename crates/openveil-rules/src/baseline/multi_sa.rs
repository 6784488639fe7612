//! One table with several sensitive columns (the paper's Algorithm 3).

use crate::{RulesError, check_columns};
use microlp::{ComparisonOp, OptimizationDirection, Problem, SolutionStatus, Variable};
use openveil_core::coins::{Coins, shuffle};
use openveil_core::table::{ColumnSet, PeopleTable};
use std::collections::BTreeMap;
use std::time::Duration;

/// A group of rows that protects every sensitive column from a reader who knows all other columns,
/// and the rows that fit into no such group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MultiSa {
    /// The rows of the group; empty if there is no such group.
    pub group: Vec<u32>,
    /// The rows whose sensitive columns are suppressed.
    pub suppressed: Vec<u32>,
    /// Whether the solver's time ran out. Then the group may not be the largest.
    pub timed_out: bool,
}

/// The rows of each combination of sensitive values.
type Combinations = BTreeMap<Vec<u32>, Vec<u32>>;

/// Finds the largest group in which, among rows that agree on all sensitive columns but one, no
/// value of that one has a share above 1/`l`. All other rows are suppressed.
///
/// The integer program has one variable per *combination of values* (how many of its rows are
/// taken). The paper has one per row, but rows of one combination are interchangeable. The paper
/// repeats the program on the remaining rows. This is not needed: a second group could be added to
/// the first, so the largest group leaves no rows that could form another. `coins` decide which
/// rows of a combination are taken.
///
/// For comparison only: solvers compute in floats and stop by the clock, and there is no guarantee
/// against a reader who knows the algorithm.
///
/// # Errors
/// [`RulesError::UnequalColumns`] if there is no such column.
pub fn multi_sa(
    records: &PeopleTable,
    sensitive: ColumnSet,
    l: u32,
    limit: Duration,
    coins: &mut dyn Coins,
) -> Result<MultiSa, RulesError> {
    check_columns(records, sensitive)?;
    let mut rows = Combinations::new();
    for row in 0..records.rows() {
        let combination = records.tuple(row, sensitive);
        rows.entry(combination).or_default().push(row as u32);
    }
    let (taken, timed_out) = largest(&rows, sensitive.len(), l, limit);
    let mut found = MultiSa { group: Vec::new(), suppressed: Vec::new(), timed_out };
    for (mut rows, taken) in rows.into_values().zip(taken) {
        shuffle(&mut rows, coins);
        found.suppressed.extend(rows.drain(taken..));
        found.group.extend(rows);
    }
    Ok(found)
}

/// How many rows of every combination are taken, and whether the time ran out.
fn largest(rows: &Combinations, columns: usize, l: u32, limit: Duration) -> (Vec<usize>, bool) {
    let none = vec![0; rows.len()];
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    problem.set_time_limit(limit);
    let taken: Vec<Variable> =
        rows.values().map(|rows| problem.add_integer_var(1.0, (0, rows.len() as i32))).collect();
    for column in 0..columns {
        // Combinations that agree on all other columns.
        let mut alike: BTreeMap<Vec<u32>, Vec<Variable>> = BTreeMap::new();
        for (combination, &variable) in rows.keys().zip(&taken) {
            let mut others = combination.clone();
            others.remove(column);
            alike.entry(others).or_default().push(variable);
        }
        for variables in alike.values() {
            for &one in variables {
                // l · x ≤ Σ x, without a term on the right.
                let terms: Vec<(Variable, f64)> = variables
                    .iter()
                    .map(
                        |&other| {
                            if other == one { (other, f64::from(l) - 1.0) } else { (other, -1.0) }
                        },
                    )
                    .collect();
                problem.add_constraint(&terms[..], ComparisonOp::Le, 0.0);
            }
        }
    }
    let Ok(outcome) = problem.solve() else {
        return (none, true);
    };
    let Some(solution) = outcome.solution() else {
        return (none, true);
    };
    let counts: Vec<usize> = taken
        .iter()
        .map(|&variable| {
            let count = solution.var_value(variable).round();
            if count > 0.0 { count as usize } else { 0 }
        })
        .collect();
    let timed_out = solution.status() != SolutionStatus::Optimal;
    if keeps(rows, &counts, columns, l) { (counts, timed_out) } else { (none, true) }
}

/// Checks the solver's result in integers.
fn keeps(rows: &Combinations, counts: &[usize], columns: usize, l: u32) -> bool {
    (0..columns).all(|column| {
        let mut totals: BTreeMap<Vec<u32>, (usize, usize)> = BTreeMap::new();
        for (combination, &count) in rows.keys().zip(counts) {
            let mut others = combination.clone();
            others.remove(column);
            let (most, total) = totals.entry(others).or_default();
            *most = count.max(*most);
            *total += count;
        }
        totals.values().all(|(most, total)| most * l as usize <= *total)
    }) && rows.values().zip(counts).all(|(rows, &count)| count <= rows.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use openveil_core::coins::SecretCoins;

    /// The largest group by trying all counts.
    fn by_trying(rows: &Combinations, columns: usize, l: u32) -> usize {
        let most: Vec<usize> = rows.values().map(Vec::len).collect();
        let mut counts = vec![0; most.len()];
        let mut best = 0;
        loop {
            if keeps(rows, &counts, columns, l) {
                best = best.max(counts.iter().sum());
            }
            let Some(place) = (0..counts.len()).find(|&place| counts[place] < most[place]) else {
                return best;
            };
            counts[place] += 1;
            counts[..place].fill(0);
        }
    }

    #[test]
    fn groups_are_as_large_as_can_be() {
        let mut coins = SecretCoins::from_test_seed(3);
        for trial in 0..30 {
            let mut column = |values: u32| (0..9).map(|_| coins.below(values)).collect();
            let records = PeopleTable::of_codes(vec![column(5), column(2), column(3)]).unwrap();
            let sensitive: ColumnSet = [1, 2].into_iter().collect();
            let limit = Duration::from_secs(10);
            let mut own = SecretCoins::from_test_seed(trial);
            let found = multi_sa(&records, sensitive, 2, limit, &mut own).unwrap();
            let mut rows = Combinations::new();
            for row in 0..9 {
                let combination = records.tuple(row, sensitive);
                rows.entry(combination).or_default().push(row as u32);
            }
            assert!(!found.timed_out);
            assert_eq!(found.group.len(), by_trying(&rows, 2, 2), "trial {trial}");
            let mut all = [found.group, found.suppressed].concat();
            all.sort_unstable();
            assert_eq!(all, (0..9).collect::<Vec<u32>>());
        }
    }
}
