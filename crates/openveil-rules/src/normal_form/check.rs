//! Guardian normal form (Definitions 4 and 5), with reasons.

use super::Schema;
use super::reach::{ColumnLink, ConnectingSets, Hop, Path, links, reach, shortest};
use crate::{Dependency, Rule, RulesError};
use openveil_core::table::ColumnSet;

/// The verdict of a schema on one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleVerdict {
    /// It holds: no published table connects the left side with these protected columns. The
    /// histogram of one of them must itself satisfy the rule's property (Lemma 1).
    Unreachable {
        /// The protected columns that cannot be reached from the left side.
        columns: ColumnSet,
    },
    /// It holds: every way to the protected columns leads through one table, whose anonymisation
    /// must satisfy the rule's property (Lemma 2).
    Guarded {
        /// The number of the guardian table.
        table: usize,
    },
    /// It may be violated.
    Leaks(Leak),
}

impl RuleVerdict {
    /// Whether the rule holds.
    pub fn holds(&self) -> bool {
        !matches!(self, Self::Leaks(_))
    }
}

/// How a rule may be violated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leak {
    /// A way from a known to a protected column that is not guarded.
    pub path: Path,
    /// Why no table is the rule's guardian.
    pub cause: Cause,
}

/// Why no table is the guardian of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// No table protects the rule's protected columns (condition i).
    Unprotected,
    /// A table protects them, but not from a reader who knows these of its columns, and the rule's
    /// reader can know them (condition ii).
    KnowsMore {
        /// The table.
        table: usize,
        /// The columns that its rule does not count as known.
        columns: ColumnSet,
    },
    /// A table protects them, but there is a way around the table (condition iii).
    WayAround {
        /// The table.
        table: usize,
    },
    /// A table protects them, but other tables or dependencies show how these of its columns, which
    /// its rule does not count as known, are connected with others of its columns. This is our own
    /// condition; the paper's three do not suffice.
    Entangled {
        /// The table.
        table: usize,
        /// The columns.
        columns: ColumnSet,
    },
}

/// The verdicts on all rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NormalFormReport {
    verdicts: Vec<RuleVerdict>,
}

impl NormalFormReport {
    /// One verdict per rule, in their order.
    pub fn verdicts(&self) -> &[RuleVerdict] {
        &self.verdicts
    }

    /// Whether every rule holds (Definition 5).
    pub fn normal_form(&self) -> bool {
        self.verdicts.iter().all(RuleVerdict::holds)
    }

    /// The rules whose guardian is this table. Its anonymisation must satisfy the properties of all
    /// of them.
    pub fn guarded_by(&self, table: usize) -> Vec<usize> {
        let guarded = RuleVerdict::Guarded { table };
        self.verdicts
            .iter()
            .enumerate()
            .filter(|(_, verdict)| **verdict == guarded)
            .map(|(rule, _)| rule)
            .collect()
    }

    /// Returns the report if every rule holds.
    ///
    /// # Errors
    /// [`RulesError::NotNormalForm`] names the first rule that may be violated.
    pub fn require(self) -> Result<Self, RulesError> {
        match self.verdicts.iter().position(|verdict| !verdict.holds()) {
            Some(rule) => Err(RulesError::NotNormalForm { rule }),
            None => Ok(self),
        }
    }
}

/// Tests a schema for guardian normal form, rule by rule (Definition 5).
///
/// Departs from the paper in three ways. Dependencies known to the reader connect their columns
/// like tables (the paper leaves them open). A rule with several protected columns holds if it
/// holds for some of them (Corollary 3.1.1). A guardian that does not count all its other columns
/// as known must satisfy a fourth condition ([`Cause::Entangled`]; the proof has a
/// counter-example).
///
/// O(rules · tables · (tables + dependencies)²).
pub fn check(schema: &Schema, rules: &[Rule], dependencies: &[Dependency]) -> NormalFormReport {
    let links = links(schema, dependencies);
    let verdicts = rules.iter().map(|&rule| verdict(schema, rule, &links));
    NormalFormReport { verdicts: verdicts.collect() }
}

fn verdict(schema: &Schema, rule: Rule, links: &ConnectingSets) -> RuleVerdict {
    let columns = rule.protect() - reach(rule.given(), links);
    if !columns.is_empty() {
        return RuleVerdict::Unreachable { columns };
    }
    let mut leak = None;
    for (table, own) in candidates(schema, rule) {
        match refusal(table, own, rule, links) {
            None => return RuleVerdict::Guarded { table },
            Some(found) => leak = leak.or(Some(found)),
        }
    }
    RuleVerdict::Leaks(leak.unwrap_or_else(|| unprotected(rule, links)))
}

/// The tables that enforce a rule on some of the protected columns (condition i), with that rule.
fn candidates(schema: &Schema, rule: Rule) -> impl Iterator<Item = (usize, Rule)> {
    schema
        .tables()
        .iter()
        .map(|table| table.enforces())
        .enumerate()
        .filter_map(|(table, own)| Some((table, own?)))
        .filter(move |(_, own)| own.protect().is_subset(rule.protect()))
}

/// Why a table that enforces `own` is not the guardian of `rule`; `None` if it is. Tests conditions
/// (ii) and (iii) of Definition 4, and the fourth.
fn refusal(table: usize, own: Rule, rule: Rule, links: &ConnectingSets) -> Option<Leak> {
    let (_, all) = links[table];
    let others = all - own.protect();
    let mut without_protected = links.clone();
    without_protected[table].1 = others;
    // (iii) without its protected columns, the table must not offer a way
    if let Some(path) = shortest(rule.given(), own.protect(), &without_protected) {
        let cause = Cause::WayAround { table };
        return Some(Leak { path, cause });
    }
    let mut without_table = links.clone();
    without_table[table].1 = ColumnSet::EMPTY;
    let over_table = |mut path: Path, cause| {
        path.hops
            .extend(own.protect().least().map(|to| Hop { over: ColumnLink::Table(table), to }));
        Leak { path, cause }
    };
    // (ii) the reader may know given columns, and columns reachable without the table
    let columns = (reach(rule.given(), &without_table) & others) - own.given();
    if let Some(path) = shortest(rule.given(), columns, &without_table) {
        return Some(over_table(path, Cause::KnowsMore { table, columns }));
    }
    // (iv) no other table or dependency shows how columns that are not counted as known are
    // connected
    let columns: ColumnSet = (others - own.given())
        .iter()
        .filter(|&column| {
            let one = ColumnSet::one(column);
            (reach(one, &without_table) - one).meets(all)
        })
        .collect();
    let path = shortest(rule.given(), columns, &without_protected)?;
    Some(over_table(path, Cause::Entangled { table, columns }))
}

/// The leak if no table protects the columns. All protected columns are reachable here, so there is
/// a path; an empty one would mean a column on both sides.
fn unprotected(rule: Rule, links: &ConnectingSets) -> Leak {
    let nowhere = Path { start: rule.given().least().unwrap_or_default(), hops: Vec::new() };
    Leak {
        path: shortest(rule.given(), rule.protect(), links).unwrap_or(nowhere),
        cause: Cause::Unprotected,
    }
}
