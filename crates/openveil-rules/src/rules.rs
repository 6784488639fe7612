//! Privacy rules, and the rules that they imply.

use super::{ColumnNames, RulesError};
use openveil_core::table::ColumnSet;

/// A rule: a reader who knows everybody's `given` columns must not infer
/// anybody's `protect` columns. The paper writes it with a struck arrow.
///
/// With several protected columns the rule protects their *combination*, which
/// is weaker than protecting one of them (the paper, section 2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rule {
    given: ColumnSet,
    protect: ColumnSet,
}

impl Rule {
    /// A rule of column sets.
    ///
    /// # Errors
    /// [`RulesError::EmptyGiven`], [`RulesError::EmptyProtect`], [`RulesError::BothSides`].
    pub fn new(given: ColumnSet, protect: ColumnSet) -> Result<Self, RulesError> {
        if given.is_empty() {
            return Err(RulesError::EmptyGiven);
        }
        if protect.is_empty() {
            return Err(RulesError::EmptyProtect);
        }
        match (given & protect).least() {
            Some(column) => Err(RulesError::BothSides { column }),
            None => Ok(Self { given, protect }),
        }
    }

    /// The columns that the reader knows of everybody.
    pub fn given(self) -> ColumnSet {
        self.given
    }

    /// The columns that stay protected.
    pub fn protect(self) -> ColumnSet {
        self.protect
    }

    /// Whether every publication that satisfies this rule satisfies the other one, by Theorem 3.1
    /// and Corollary 3.1.1: the other reader knows no more, and the other combination contains all
    /// columns protected here. O(1).
    ///
    /// Complete for one column on the right side, and for several if *finer* distributions also
    /// satisfy the property, which is true of ratio, distinct and entropy diversity. For closeness
    /// to a distribution the second half is not valid: see the proof.
    pub fn implies(self, other: Self) -> bool {
        other.given.is_subset(self.given) && self.protect.is_subset(other.protect)
    }

    /// The rule in words: `age, race → zipcode`.
    pub fn describe(self, columns: &ColumnNames) -> String {
        let side = |set| columns.names_of(set).join(", ");
        format!("{} → {}", side(self.given), side(self.protect))
    }
}

/// The first of `rules` that implies `rule`, if any. By Theorem 3.1 a rule can be inferred from
/// rules only if one of them implies it. O(rules).
pub fn inferred_from(rule: Rule, rules: &[Rule]) -> Option<usize> {
    rules.iter().position(|known| known.implies(rule))
}

/// Whether no rule is implied by another (Definition 2). O(rules²).
pub fn is_irreducible(rules: &[Rule]) -> bool {
    irreducible(rules).len() == rules.len()
}

/// The rules that no other rule implies, and the first of equal ones, in their order (Definition
/// 2). O(rules²).
///
/// All rules must ask for the same property: a rule with a stricter bound is not implied by one
/// with a laxer bound.
pub fn irreducible(rules: &[Rule]) -> Vec<Rule> {
    (0..rules.len())
        .filter(|&number| implying(rules, number).is_none())
        .map(|number| rules[number])
        .collect()
}

/// The number of another rule that implies a rule; of equal rules, the first implies the others.
/// O(rules).
///
/// # Panics
/// If there is no rule of this number.
pub fn implying(rules: &[Rule], number: usize) -> Option<usize> {
    let rule = rules[number];
    (0..rules.len()).find(|&other| {
        let first_of_equals = rules[other] != rule || other < number;
        other != number && first_of_equals && rules[other].implies(rule)
    })
}
