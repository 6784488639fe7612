//! A plan over a whole multiset: its releases, and what releasing nothing discloses.

use super::plan::JumpPlan;
use super::reader::{Output, PlanReader, Releases, too_many_cases};
use crate::disclosure::{Census, ContingencyTables, Functions, Predicate, TableSpace};
use openveil_core::Error;
use openveil_core::table::Worlds;

/// The conclusions of readers from the outputs of a plan, or of a secret choice among plans, over
/// all tables of a multiset.
///
/// Releasing nothing is an output, too. Two kinds of readers draw different conclusions from this
/// silence, and a plan that is safe against one may not be against the other. Each therefore has
/// its own field, and there is no combined verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JumpReport {
    /// The releases. A release shows the multiset, so both readers draw the same conclusions from
    /// it.
    pub releases: Releases,
    /// The conclusion from silence of a reader who knows the multiset of values; `None` if
    /// something is always released.
    pub silence_with_multiset: Option<Silence>,
    /// The conclusion from silence of a reader who knows the counts of the multiset and the domain,
    /// but not which value has which count; `None` if something is always released.
    pub silence_without_multiset: Option<Silence>,
}

/// A reader's conclusion when nothing is released.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Silence {
    /// The tables for which nothing is released, weighted by the number of plans that release
    /// nothing for them.
    pub census: Census,
    /// Whether the property holds for everybody.
    pub holds: bool,
}

impl Silence {
    fn new(census: Census, predicate: &(impl Predicate + ?Sized)) -> Option<Self> {
        let holds = census.satisfies(predicate);
        (census.tables() > 0).then_some(Self { census, holds })
    }
}

/// The limits of a report's enumeration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportLimits {
    /// Number of contingency tables of one multiset.
    pub classes: u64,
    /// Number of multisets that differ only in the names of the values.
    pub renamings: u64,
}

impl Default for ReportLimits {
    fn default() -> Self {
        Self { classes: 10_000_000, renamings: 1_000 }
    }
}

/// Evaluates plans for every table of a multiset, given as a count per value of the domain, and
/// reports the readers' conclusions. One of the plans is chosen uniformly at random and kept
/// secret.
///
/// Time: the time of [`super::evaluate`] for every plan and every renaming of the multiset.
///
/// # Errors
/// As for [`ContingencyTables::new`] and [`PlanReader::new`]; [`Error::BeyondLimit`] if there are
/// more renamings than the limit.
pub fn report(
    functions: &Functions,
    counts: &[u32],
    predicate: &(impl Predicate + ?Sized),
    plans: &[JumpPlan],
    limits: ReportLimits,
) -> Result<JumpReport, Error> {
    let space = ContingencyTables::new(functions, counts, limits.classes)?;
    let reader = PlanReader::new(&space, predicate, plans)?;
    let silence = reader.conclusion(Output::Nothing);
    let known = |counts: &[u32]| -> Result<Census, Error> {
        let space = ContingencyTables::new(functions, counts, limits.classes)?;
        Ok(PlanReader::new(&space, predicate, plans)?.conclusion(Output::Nothing))
    };
    let cases = space.tables() * plans.len() as u128;
    let mut all = space.counter();
    for renamed in renamings(counts, cases, limits.renamings)? {
        if renamed == counts { all.add_census(&silence) } else { all.add_census(&known(&renamed)?) }
    }
    Ok(JumpReport {
        releases: reader.releases(predicate),
        silence_with_multiset: Silence::new(silence, predicate),
        silence_without_multiset: Silence::new(all.census(), predicate),
    })
}

/// Returns the multisets that arise by renaming values: every distinct order of the counts.
fn renamings(counts: &[u32], cases: u128, limit: u64) -> Result<Vec<Vec<u32>>, Error> {
    let mut orders = Worlds::new(counts);
    let count = orders.count();
    if count.is_none_or(|count| count > limit.into()) {
        let digits = count.map(|count| count.to_string());
        return Err(Error::BeyondLimit {
            what: "renamings of the values",
            needed: digits.unwrap_or_else(|| "more than 2^128".to_owned()),
            limit,
        });
    }
    let all = count.and_then(|count| count.checked_mul(cases));
    all.ok_or_else(too_many_cases)?;
    let mut renamings = Vec::new();
    while let Some(order) = orders.next_world() {
        renamings.push(order.to_vec());
    }
    Ok(renamings)
}
