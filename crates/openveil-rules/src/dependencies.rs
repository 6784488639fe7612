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
    /// A dependency of column sets; columns on both sides are trivial and left
    /// out on the right.
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

    /// The columns that determine.
    pub fn given(self) -> ColumnSet {
        self.given
    }

    /// The columns that are determined.
    pub fn determines(self) -> ColumnSet {
        self.determines
    }

    /// All columns it speaks of: they are as good as published together.
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

/// Refuses rules that no publication can keep, because the left side determines
/// all that is protected: S in the *closure* of Q (the paper refuses only a
/// listed dependency Q → S). O(rules · dependencies²).
///
/// # Errors
/// [`RulesError::Determined`] with the first such rule.
pub fn refuse_determined(rules: &[Rule], dependencies: &[Dependency]) -> Result<(), RulesError> {
    let hopeless = |rule: &Rule| {
        rule.protect()
            .is_subset(closure(rule.given(), dependencies))
    };
    match rules.iter().position(hopeless) {
        Some(rule) => Err(RulesError::Determined { rule }),
        None => Ok(()),
    }
}

/// The rules that a rule asks for besides itself if dependencies are known
/// (Theorem 3.2): where X determines what is protected, X has to be protected as
/// well. Follows chains of dependencies, leaves out what is implied, and takes
/// what the left side determines for known.
///
/// These are *necessary* conditions, as the theorem says. It is sufficient
/// to count dependencies as tables when a schema is checked
/// ([`super::normal_form::check()`]), and where that succeeds, these rules are kept as
/// well.
///
/// Exponentially many sets can determine a column; each is met once.
///
/// # Errors
/// [`RulesError::Determined`] (with rule 0) if nothing is left to protect;
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
    let minimal = |set: &ColumnSet| {
        !sets
            .iter()
            .any(|other| other != set && other.is_subset(*set))
    };
    let derived = sets.iter().filter(|set| minimal(set));
    let derived: Result<Vec<Rule>, RulesError> =
        derived.map(|&set| Rule::new(given, set)).collect();
    Ok(derived?
        .into_iter()
        .filter(|&derived| derived != rule)
        .collect())
}

/// The columns that dependencies connect with `columns`, directly or over
/// others, `columns` included. O(dependencies²).
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
