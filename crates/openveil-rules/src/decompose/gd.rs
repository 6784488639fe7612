//! Guardian decomposition (Algorithm 1).

use super::Score;
use super::problem::DecompositionProblem;
use crate::normal_form::{Schema, SubTable};
use crate::{Dependency, Rule, RulesError, connected};
use openveil_core::table::ColumnSet;

/// Guardian decomposition (the paper's Algorithm 1): splits tables until every rule holds
/// ([`gd_skeleton`]), then adds columns to tables as long as the schema stays in normal form. Each
/// step adds the column to the table that gives the best score. Ties go to the first table, then to
/// the first column.
///
/// Unlike the paper, it stops if every addition makes the score worse. If the score uses the true
/// columns, the schema discloses something about them, and the release has to be marked unsafe.
/// With shuffled columns or a public sample the schema discloses nothing (see the proof).
///
/// Computes at most O(columns² · tables²) scores.
///
/// # Errors
/// The errors of [`gd_skeleton`] and of the score.
pub fn gd(
    columns: ColumnSet,
    rules: &[Rule],
    dependencies: &[Dependency],
    score: &mut Score,
) -> Result<Schema, RulesError> {
    let problem = DecompositionProblem::new(columns, rules, dependencies)?;
    let mut schema = skeleton(&problem)?;
    let mut best = score(&schema)?;
    loop {
        let mut next: Option<(f64, Schema)> = None;
        for candidate in additions(&problem, &schema) {
            let found = score(&candidate)?;
            if found <= best && next.as_ref().is_none_or(|(least, _)| found < *least) {
                next = Some((found, candidate));
            }
        }
        match next {
            Some((found, better)) => (best, schema) = (found, better),
            None => return problem.verified(problem.tidied(schema)),
        }
    }
}

/// Algorithm 1, steps 1 to 4. It starts with one table that guards the first rule. While a rule may
/// be violated, it removes the rule's protected columns from all tables and publishes them in a
/// separate guarded table, together with the rule's left side.
///
/// The paper always adds the whole left side, which need not end (with a → b and b → a each repair
/// undoes the other). Here a column of the left side is left out if it would break another rule, so
/// every step repairs a rule permanently. Uses only the rules. O(rules² · columns · check).
///
/// # Errors
/// [`RulesError::Determined`] or [`RulesError::LinkedByDependencies`] if no decomposition can
/// satisfy a rule; [`RulesError::NotNormalForm`] if the result failed its check.
pub fn gd_skeleton(
    columns: ColumnSet,
    rules: &[Rule],
    dependencies: &[Dependency],
) -> Result<Schema, RulesError> {
    skeleton(&DecompositionProblem::new(columns, rules, dependencies)?)
}

fn skeleton(problem: &DecompositionProblem) -> Result<Schema, RulesError> {
    let protect = problem
        .targets
        .first()
        .copied()
        .filter(|&column| problem.columns.contains(column))
        .map_or(ColumnSet::EMPTY, ColumnSet::one);
    let whole = SubTable::guarding(problem.columns, protect)
        .or_else(|_| SubTable::open(problem.columns))?;
    let mut schema = Schema::new(vec![whole]);
    let mut broken = violations(problem, &schema);
    while let Some(&rule) = broken.first() {
        schema = mended(problem, &schema, rule)?;
        let now = violations(problem, &schema);
        // By construction a strict subset; otherwise the loop would not end.
        if now.len() >= broken.len() {
            return Err(RulesError::NotNormalForm { rule });
        }
        broken = now;
    }
    problem.verified(problem.tidied(schema))
}

fn violations(problem: &DecompositionProblem, schema: &Schema) -> Vec<usize> {
    let report = problem.check(schema);
    report
        .verdicts()
        .iter()
        .enumerate()
        .filter(|(_, verdict)| !verdict.holds())
        .map(|(rule, _)| rule)
        .collect()
}

/// Steps 3 and 4 for a single rule.
fn mended(
    problem: &DecompositionProblem,
    schema: &Schema,
    rule: usize,
) -> Result<Schema, RulesError> {
    let target = ColumnSet::one(problem.targets[rule]);
    // Columns that dependencies connect with the protected column are moved with it.
    let moved = connected(target, problem.dependencies) & problem.columns;
    let mut base = schema.map(|table| table.reshaped(table.columns() - moved));
    if let Ok(companions) = SubTable::open(moved - target) {
        base = base.with(companions);
    }
    let mut table = SubTable::open(target)?;
    let broken = violations(problem, &base.clone().with(table));
    let left_side = problem.rules[rule].given() & problem.columns;
    for column in left_side.iter() {
        let wider = SubTable::guarding(table.columns() | ColumnSet::one(column), target)?;
        let after = violations(problem, &base.clone().with(wider));
        if after.iter().all(|other| broken.contains(other)) {
            table = wider;
        }
    }
    Ok(base.with(table))
}

/// Steps 5 and 6: every schema in normal form with one more column in one table.
fn additions(problem: &DecompositionProblem, schema: &Schema) -> Vec<Schema> {
    let mut found = Vec::new();
    for (index, table) in schema.tables().iter().enumerate() {
        for column in (problem.columns - table.columns()).iter() {
            let wider = table.reshaped(table.columns() | ColumnSet::one(column));
            let candidate = wider.map(|wider| schema.replaced(index, wider));
            found.extend(candidate.filter(|candidate| problem.is_kept(candidate)));
        }
    }
    found
}
