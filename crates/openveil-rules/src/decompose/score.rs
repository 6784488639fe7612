//! Scores of schemas: how much information about the data they lose.
//!
//! Every score is a function of the multiset of rows, never of their order, and a whole number of
//! steps of 2⁻³⁴. Sums and differences of such numbers are exact, so schemas that lose equally much
//! tie instead of differing by rounding.

use crate::RulesError;
use crate::estimate::{
    Estimate, EstimateLimits, SparseMarginal, divergence, entropy, is_acyclic, join_forest,
};
use crate::normal_form::{Schema, SubTable};
use openveil_core::table::{ColumnSet, Groups, PeopleTable};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Rounds to the nearest whole number of steps; infinity stays.
fn stepped(nats: f64) -> f64 {
    const STEPS: f64 = (1u64 << 34) as f64;
    (nats * STEPS).round() / STEPS
}

/// The paper's score: the divergence of the estimate from the data, where every guarded table is
/// anonymised by `group`. `group` is called once per table with the table's known and protected
/// columns. Schemas with cycles beyond the limits score infinity. Suitable for small data, because
/// each score reads all tables.
///
/// The choice by such a score discloses something about the records: see
/// [`super::gd()`].
pub fn estimated_divergence<'a>(
    records: &'a PeopleTable,
    limits: EstimateLimits,
    mut group: impl FnMut(ColumnSet, ColumnSet) -> Result<Groups, RulesError> + 'a,
) -> impl FnMut(&Schema) -> Result<f64, RulesError> + 'a {
    let mut known: HashMap<SubTable, SparseMarginal> = HashMap::new();
    move |schema| {
        for &table in schema.tables() {
            if let Entry::Vacant(unknown) = known.entry(table) {
                let protect = table.protects();
                let given = table.columns() - protect;
                unknown.insert(if protect.is_empty() {
                    SparseMarginal::exact(records, given)?
                } else {
                    let groups = group(given, protect)?;
                    SparseMarginal::bucketised(records, given, protect, &groups)?
                });
            }
        }
        let marginals: Vec<SparseMarginal> =
            schema.tables().iter().map(|table| known[table].clone()).collect();
        match Estimate::new(&marginals, limits) {
            Ok(estimate) => divergence(records, &estimate).map(stepped),
            Err(RulesError::BeyondLimit { .. } | RulesError::Inconsistent) => Ok(f64::INFINITY),
            Err(error) => Err(error),
        }
    }
}

/// A cheaper score for larger data: a lower bound of the divergence, from
/// entropies of column sets alone, each computed once, O(n · columns).
///
/// Over a join forest, the loss of the estimate is at least Σ H(node) − Σ H(separator) − H(all
/// columns), with equality for an acyclic schema without anonymisation; tables that form a cycle
/// count as one node. If no protected value has a share above 1/`l` in any group, a guarded table
/// costs at least ln `l` per row for its protected columns, however much other tables show about
/// them. `l` = 1 ignores anonymisation.
///
/// # Errors (of the score)
/// [`RulesError::UnequalColumns`] if the schema names a column that the data lack.
pub fn entropy_bound(
    records: &PeopleTable,
    l: u32,
) -> impl FnMut(&Schema) -> Result<f64, RulesError> + '_ {
    let mut known: HashMap<ColumnSet, f64> = HashMap::new();
    let uncertain = stepped(f64::from(l.max(1)).ln());
    move |schema| {
        let mut of = |columns: ColumnSet| -> Result<f64, RulesError> {
            match known.get(&columns) {
                Some(&entropy) => Ok(entropy),
                None => {
                    let found = stepped(entropy(records, columns)?);
                    known.insert(columns, found);
                    Ok(found)
                }
            }
        };
        let sets: Vec<ColumnSet> = schema.tables().iter().map(|table| table.columns()).collect();
        let mut bound = -of(records.all())?;
        for node in join_forest(&sets) {
            let protect = match node.tables[..] {
                [table] => schema.tables()[table].protects(),
                _ => ColumnSet::EMPTY,
            };
            let given = of(node.columns - protect)?;
            let mut secret = of(node.columns)? - given;
            if !protect.is_empty() {
                secret = secret.max(uncertain);
            }
            bound += given + secret - of(node.separator)?;
        }
        Ok(bound)
    }
}

/// A score from public facts only: how much tables *can* show of the associations between columns,
/// negated.
///
/// Two columns share at most the smaller of their entropies (`entropies`, one per column, in nats,
/// from the columns' histograms). If one of them is guarded with `l`, its value is hidden among at
/// least l values, and ln `l` less is shared. A pair counts once, in the table that shows most of
/// it. Schemas that form a cycle score infinity, because their estimate has no closed form.
/// O(tables · columns²).
pub fn potential(entropies: &[f64], l: u32) -> impl FnMut(&Schema) -> Result<f64, RulesError> + '_ {
    let hidden = stepped(f64::from(l.max(1)).ln());
    move |schema| {
        let tables = schema.tables();
        let sets: Vec<ColumnSet> = tables.iter().map(|table| table.columns()).collect();
        if !is_acyclic(&sets) {
            return Ok(f64::INFINITY);
        }
        let entropy = |column: usize| {
            let rows = 0;
            let missing = RulesError::UnequalColumns { column, rows };
            entropies.get(column).copied().map(stepped).ok_or(missing)
        };
        let mut shown: HashMap<(usize, usize), f64> = HashMap::new();
        for table in tables {
            for first in table.columns().iter() {
                for second in table.columns().iter().filter(|&second| second > first) {
                    let least = entropy(first)?.min(entropy(second)?);
                    let pair: ColumnSet = [first, second].into_iter().collect();
                    let shared = if table.protects().meets(pair) {
                        (least - hidden).max(0.0)
                    } else {
                        least
                    };
                    let most = shown.entry((first, second)).or_default();
                    *most = most.max(shared);
                }
            }
        }
        Ok(-shown.values().sum::<f64>())
    }
}
