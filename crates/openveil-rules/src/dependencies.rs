//! Functional dependencies that the reader knows.

use super::{Rule, RulesError};
use openveil_core::table::ColumnSet;

/// A functional dependency known to the reader: rows that agree on `given` agree
/// on `determines`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dependency {
    given: ColumnSet,
    determines: ColumnSet,
}

impl Dependency {
    /// Builds a dependency between column sets. Columns on both sides are trivial and are left out
    /// on the right.
    ///
    /// # Errors
    /// [`RulesError::EmptyDependency`] if a side is empty.
    pub fn new(given: ColumnSet, determines: ColumnSet) -> Result<Self, RulesError> {
        let determines = determines - given;
        if given.is_empty() || determines.is_empty() {
            Err(RulesError::EmptyDependency)
        } else {
            Ok(Self { given, determines })
        }
    }

    /// The columns on the left side, which determine the others.
    pub fn given(self) -> ColumnSet {
        self.given
    }

    /// The columns on the right side, which are determined.
    pub fn determines(self) -> ColumnSet {
        self.determines
    }

    /// All columns of both sides. For the reader they are as good as published together.
    pub fn columns(self) -> ColumnSet {
        self.given | self.determines
    }
}

/// All columns that `given` determines, itself included. O(dependencies²).
pub fn closure(given: ColumnSet, dependencies: &[Dependency]) -> ColumnSet {
    let mut known = given;
    loop {
        let before = known;
        for dependency in dependencies {
            if dependency.given.is_subset(known) {
                known = known | dependency.determines;
            }
        }
        if known == before {
            return known;
        }
    }
}

/// Refuses rules that no publication can satisfy, because the left side determines all protected
/// columns: S is in the *closure* of Q (the paper refuses only a listed dependency Q → S). O(rules
/// · dependencies²).
///
/// # Errors
/// [`RulesError::Determined`] with the first such rule.
pub fn refuse_determined(rules: &[Rule], dependencies: &[Dependency]) -> Result<(), RulesError> {
    match rules
        .iter()
        .position(|rule| rule.protect().is_subset(closure(rule.given(), dependencies)))
    {
        Some(rule) => Err(RulesError::Determined { rule }),
        None => Ok(()),
    }
}

/// Returns the rules that are needed in addition to a rule if dependencies are known (Theorem 3.2):
/// if X determines the protected columns, X must be protected as well. Follows chains of
/// dependencies, leaves out implied rules, and counts the columns that the left side determines as
/// known.
///
/// These conditions are *necessary*, as the theorem says. Counting dependencies as tables when a
/// schema is checked ([`super::normal_form::check()`]) is sufficient; if that check succeeds, these
/// rules hold as well.
///
/// Exponentially many sets can determine a column; each is visited once.
///
/// # Errors
/// [`RulesError::Determined`] (with rule 0) if no column is left to protect;
/// [`RulesError::BeyondLimit`] if more than `limit` sets determine the columns.
pub fn expansion(
    rule: Rule,
    dependencies: &[Dependency],
    limit: usize,
) -> Result<Vec<Rule>, RulesError> {
    let given = closure(rule.given(), dependencies);
    let mut sets = vec![rule.protect() - given];
    let mut next = 0;
    while let Some(&set) = sets.get(next) {
        if set.is_empty() {
            return Err(RulesError::Determined { rule: 0 });
        }
        next += 1;
        for dependency in dependencies.iter().filter(|d| d.determines.meets(set)) {
            let determining = ((set - dependency.determines) | dependency.given) - given;
            if !sets.iter().any(|known| known.is_subset(determining)) {
                sets.push(determining);
            }
        }
        if sets.len() > limit {
            let what = "sets of columns that determine what a rule protects";
            return Err(RulesError::BeyondLimit { what, limit });
        }
    }
    let minimal = |set: &ColumnSet| !sets.iter().any(|other| other != set && other.is_subset(*set));
    let derived = sets.iter().filter(|set| minimal(set));
    let derived: Result<Vec<Rule>, RulesError> =
        derived.map(|&set| Rule::new(given, set)).collect();
    Ok(derived?.into_iter().filter(|&derived| derived != rule).collect())
}

/// The columns that dependencies connect with `columns`, directly or through others, including
/// `columns`. O(dependencies²).
pub fn connected(columns: ColumnSet, dependencies: &[Dependency]) -> ColumnSet {
    let mut found = columns;
    loop {
        let before = found;
        for dependency in dependencies {
            if dependency.columns().meets(found) {
                found = found | dependency.columns();
            }
        }
        if found == before {
            return found;
        }
    }
}
