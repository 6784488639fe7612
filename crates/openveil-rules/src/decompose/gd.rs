//! Guardian decomposition (Algorithm 1).

use super::Score;
use super::problem::DecompositionProblem;
use crate::normal_form::{Schema, SubTable};
use crate::{Dependency, Rule, RulesError, connected};
use openveil_core::table::ColumnSet;

/// Guardian decomposition (the paper's Algorithm 1): splits tables until every
/// rule holds ([`gd_skeleton`]), then adds columns to tables, always the pair
/// whose schema scores best, as long as normal form stays; of equal ones the first,
/// by the table's number, then by the column's.
///
/// Departs from the paper where no addition is better than or as good as none:
/// it stops. If the score looks at the true columns, the schema tells something
/// about them, and the release has to be marked unsafe; on shuffled columns or a
/// public sample it does not (see the proof).
///
/// O(columns² · tables²) scores at most.
///
/// # Errors
/// As [`gd_skeleton`], and what the score returns.
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

/// Algorithm 1, steps 1 to 4: starts with one table that guards the first rule;
/// while a rule may be violated, takes what it protects out of all tables and
/// publishes it in a table of its own, guarded, with the rule's left side.
///
/// Departs from the paper, which adds the left side whole: that need not end
/// (with a → b and b → a each repair undoes the other). Here a column of the left
/// side is left out if with it another rule would break, so every step mends a
/// rule for good. Reads rules only. O(rules² · columns · check).
///
/// # Errors
/// [`RulesError::Determined`] or [`RulesError::LinkedByDependencies`] if no decomposition
/// can keep a rule; [`RulesError::NotNormalForm`] if the result failed its check.
pub fn gd_skeleton(
    columns: ColumnSet,
    rules: &[Rule],
    dependencies: &[Dependency],
) -> Result<Schema, RulesError> {
    skeleton(&DecompositionProblem::new(columns, rules, dependencies)?)
}

fn skeleton(problem: &DecompositionProblem) -> Result<Schema, RulesError> {
    let protect = problem.targets.first().copied();
    let protect = protect.filter(|&column| problem.columns.contains(column));
    let protect = protect.map_or(ColumnSet::EMPTY, ColumnSet::one);
    let whole = SubTable::guarding(problem.columns, protect)
        .or_else(|_| SubTable::open(problem.columns))?;
    let mut schema = Schema::new(vec![whole]);
    let mut broken = violations(problem, &schema);
    while let Some(&rule) = broken.first() {
        schema = mended(problem, &schema, rule)?;
        let now = violations(problem, &schema);
        // By construction a strict subset; anything else would not end.
        if now.len() >= broken.len() {
            return Err(RulesError::NotNormalForm { rule });
        }
        broken = now;
    }
    problem.verified(problem.tidied(schema))
}

fn violations(problem: &DecompositionProblem, schema: &Schema) -> Vec<usize> {
    let report = problem.check(schema);
    let verdicts = report.verdicts().iter().enumerate();
    verdicts
        .filter(|(_, verdict)| !verdict.holds())
        .map(|(rule, _)| rule)
        .collect()
}

/// Steps 3 and 4 for one rule.
fn mended(
    problem: &DecompositionProblem,
    schema: &Schema,
    rule: usize,
) -> Result<Schema, RulesError> {
    let target = ColumnSet::one(problem.targets[rule]);
    // What dependencies connect with the protected column goes with it.
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

/// Steps 5 and 6: every schema with one column more in one table that stays in
/// normal form.
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
