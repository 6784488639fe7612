//! Minimality: the conclusions from an algorithm's first success about the attempts before it.
//!
//! Take an algorithm that tries finer groups first and stops as soon as the privacy model holds.
//! With its groups, it publishes that all finer attempts failed. Values for which one of these
//! would have passed are ruled out.
//!
//! For an algorithm without coins, these values are among those that [`rerun`](super::rerun) finds
//! impossible: on a table in which the finer attempt passes, the algorithm releases it. The attack
//! is therefore measured by re-running.

use super::rerun::RerunFinding;
use openveil_core::algorithm::Algorithm;

/// Whether the attack applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applicability {
    /// The algorithm stops at the first of several attempts that satisfies the
    /// model.
    StopsAtFirstSuccess,
    /// It does not.
    DoesNotApply {
        /// Why not.
        reason: &'static str,
    },
}

/// Returns whether an algorithm stops at the first success.
pub fn applicability(algorithm: &dyn Algorithm) -> Applicability {
    match algorithm.profile().never_stops_early {
        None => Applicability::StopsAtFirstSuccess,
        Some(reason) => Applicability::DoesNotApply { reason },
    }
}

/// The values that a stop at the first success rules out, over a sample of people.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Minimality {
    /// Number of people examined.
    pub people: usize,
    /// Number of people for whom some value of their group is ruled out.
    pub affected: usize,
    /// Number of values in the people's groups, on average.
    pub mean_values: f64,
    /// Number of values that they may still have, on average.
    pub mean_possible: f64,
}

/// Summarises a re-run of an algorithm that stops at the first success. People who remained
/// undecided are left out. O(people).
pub fn minimality(rerun: &[RerunFinding]) -> Minimality {
    let decided = || rerun.iter().filter(|person| person.is_decided);
    let people = decided().count();
    let mean = |of: fn(&RerunFinding) -> u32| {
        decided().map(|person| f64::from(of(person))).sum::<f64>() / people.max(1) as f64
    };
    Minimality {
        people,
        affected: decided().filter(|p| p.possible < p.values).count(),
        mean_values: mean(|person| person.values),
        mean_possible: mean(|person| person.possible),
    }
}
