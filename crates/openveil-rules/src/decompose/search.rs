//! Local search over decompositions that stay in normal form.

use super::problem::DecompositionProblem;
use super::{Score, gd_skeleton, uad};
use crate::normal_form::{Schema, SubTable};
use crate::{Dependency, Rule, RulesError};
use openveil_core::table::ColumnSet;
use std::collections::HashMap;

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult {
    /// The best schema, in normal form.
    pub schema: Schema,
    /// Its score.
    pub score: f64,
    /// How many schemas were scored.
    pub scored: usize,
}

/// Local search: starting from UAD's and GD's decompositions and the schemas in `starts`, applies
/// the best of all small changes until no change is better or `budget` schemas have been scored.
/// Changes are: add, remove or move a column, merge tables, start a table of two columns, guard
/// another column or none. All stay in normal form. Ties go to the first table, then to the first
/// column.
///
/// The result is at least as good as every start, by the score. The caveat of [`super::gd()`] about
/// scores that use true columns applies here too. Deterministic: it uses neither a clock nor coins.
/// A step scores O(columns · tables + columns² + tables²) schemas.
///
/// # Errors
/// [`RulesError::Determined`] or [`RulesError::LinkedByDependencies`] if no decomposition can
/// satisfy a rule; [`RulesError::NotNormalForm`] or [`RulesError::NotPublished`] if a start is not
/// in normal form or lacks a column; the errors of the score.
pub fn search(
    columns: ColumnSet,
    rules: &[Rule],
    dependencies: &[Dependency],
    starts: Vec<Schema>,
    budget: usize,
    score: &mut Score,
) -> Result<SearchResult, RulesError> {
    let problem = DecompositionProblem::new(columns, rules, dependencies)?;
    let mut all =
        vec![uad(columns, rules, dependencies)?, gd_skeleton(columns, rules, dependencies)?];
    all.extend(starts);
    let mut scores = SchemaScores { known: HashMap::new(), score };
    let mut best: Option<(f64, Schema)> = None;
    for start in all {
        let start = problem.verified(start)?;
        let (score, schema) = climb(&problem, start, budget, &mut scores)?;
        if best.as_ref().is_none_or(|(least, _)| score < *least) {
            best = Some((score, schema));
        }
    }
    let (score, schema) = best.ok_or(RulesError::EmptyTable)?;
    Ok(SearchResult { schema: problem.verified(schema)?, score, scored: scores.known.len() })
}

/// Scores by schema, so that none is computed twice.
struct SchemaScores<'a, 'b> {
    known: HashMap<Vec<SubTable>, f64>,
    score: &'a mut Score<'b>,
}

impl SchemaScores<'_, '_> {
    fn scored(&mut self, schema: &Schema) -> Result<f64, RulesError> {
        let mut key = schema.tables().to_vec();
        key.sort_unstable();
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let score = (self.score)(schema)?;
        self.known.insert(key, score);
        Ok(score)
    }
}

/// Steepest descent from one schema.
fn climb(
    problem: &DecompositionProblem,
    start: Schema,
    budget: usize,
    scores: &mut SchemaScores,
) -> Result<(f64, Schema), RulesError> {
    let mut best = (scores.scored(&start)?, start);
    loop {
        let mut next: Option<(f64, Schema)> = None;
        for candidate in changes(problem, &best.1) {
            if scores.known.len() >= budget {
                break;
            }
            let score = scores.scored(&candidate)?;
            let least = next.as_ref().map_or(best.0, |(least, _)| *least);
            if score < least {
                next = Some((score, candidate));
            }
        }
        match next {
            Some(better) => best = better,
            None => return Ok(best),
        }
    }
}

/// All small changes of a schema that publish every column and satisfy every rule.
fn changes(problem: &DecompositionProblem, schema: &Schema) -> Vec<Schema> {
    let mut found = Vec::new();
    for (index, &table) in schema.tables().iter().enumerate() {
        let variants = wider(problem.columns, table);
        for (column, table) in variants {
            let added = schema.replaced(index, table);
            found.extend(without(&added, index, column));
            found.push(added);
        }
        found.extend(guards(table).map(|table| schema.replaced(index, table)));
        for column in table.columns().iter() {
            let narrower = table.reshaped(table.columns() - ColumnSet::one(column));
            found.extend(narrower.map(|narrower| schema.replaced(index, narrower)));
        }
        found.extend((0..index).flat_map(|other| merged(schema, other, index)));
    }
    found.extend(pairs(problem.columns, schema));
    found.retain(|candidate| {
        problem.columns.is_subset(candidate.columns()) && problem.is_kept(candidate)
    });
    found.into_iter().map(|kept| problem.tidied(kept)).collect()
}

/// A table with one more column, guarding the same columns as before, or the new column.
fn wider(columns: ColumnSet, table: SubTable) -> Vec<(usize, SubTable)> {
    let mut found = Vec::new();
    for column in (columns - table.columns()).iter() {
        let one = ColumnSet::one(column);
        let all = table.columns() | one;
        let variants = [table.reshaped(all), SubTable::guarding(all, one).ok()];
        found.extend(variants.into_iter().flatten().map(|table| (column, table)));
    }
    found
}

/// The schema without a column in all tables but one.
fn without(schema: &Schema, keep: usize, column: usize) -> Option<Schema> {
    let elsewhere =
        |(index, table): (usize, &SubTable)| index != keep && table.columns().contains(column);
    schema.tables().iter().enumerate().any(elsewhere).then(|| {
        let mut index = 0;
        schema.map(|table| {
            let keeps = index == keep;
            index += 1;
            if keeps {
                Some(*table)
            } else {
                table.reshaped(table.columns() - ColumnSet::one(column))
            }
        })
    })
}

/// The table guarding each of its columns in turn, and none.
fn guards(table: SubTable) -> impl Iterator<Item = SubTable> {
    let guarding = move |column| SubTable::guarding(table.columns(), ColumnSet::one(column)).ok();
    let open = SubTable::open(table.columns()).ok();
    table.columns().iter().filter_map(guarding).chain(open).filter(move |variant| *variant != table)
}

/// Two tables merged into one that guards the columns of either, or none.
fn merged(schema: &Schema, one: usize, other: usize) -> Vec<Schema> {
    let (first, second) = (schema.tables()[one], schema.tables()[other]);
    let columns = first.columns() | second.columns();
    let guarding = |table: SubTable| SubTable::guarding(columns, table.protects()).ok();
    let variants = [guarding(first), guarding(second), SubTable::open(columns).ok()];
    variants
        .into_iter()
        .flatten()
        .map(|table: SubTable| {
            let mut tables = schema.tables().to_vec();
            tables[one] = table;
            tables.remove(other);
            Schema::new(tables)
        })
        .collect()
}

/// The schema with one more table, of two columns that no table has together.
fn pairs(columns: ColumnSet, schema: &Schema) -> Vec<Schema> {
    let mut found = Vec::new();
    for first in columns.iter() {
        for second in columns.iter().filter(|&second| second > first) {
            let pair: ColumnSet = [first, second].into_iter().collect();
            let tables = schema.tables();
            if tables.iter().any(|table| pair.is_subset(table.columns())) {
                continue;
            }
            let open = SubTable::open(pair).into_iter();
            let table = open.flat_map(|open| guards(open).chain([open]));
            found.extend(table.map(|table| schema.clone().with(table)));
        }
    }
    found
}
