//! Attacks the release of a policy, whether it is one table or several.

use super::{AttackOptions, AttackReport, RulesReport, TiesReport, run, run_rules, run_ties};
use openveil_io::policy::Policy;
use openveil_io::progress::Observer;
use openveil_io::release_dir::ReleasePlace;
use openveil_io::{Error, Location};

/// The findings of an attack.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum AttackFindings {
    /// On a single table, maybe published several times.
    Single(Box<AttackReport>),
    /// On the tables that satisfy rules together.
    Several(RulesReport),
    /// On rows that share their value.
    Ties(TiesReport),
}

impl AttackFindings {
    /// Whether something was found that the release promised would not be.
    pub fn promise_broken(&self) -> bool {
        match self {
            Self::Single(report) => report.promise_broken,
            Self::Several(report) => report.promise_broken,
            Self::Ties(report) => report.promise_broken,
        }
    }
}

/// Attacks the release of a policy: one table, maybe published several times, as [`run`] does, or
/// the tables of its rules, as [`run_rules`] does.
///
/// # Errors
/// As [`run`] and [`run_rules`], and options for a single table if there are several.
pub fn of_policy(
    policy: &Policy,
    releases: &[ReleasePlace],
    options: &AttackOptions,
    observer: &dyn Observer,
) -> Result<AttackFindings, Error> {
    if let Some(column) = &options.ties {
        let [release] = releases else {
            let problem = "`--ties` works with one release only";
            return Err(Error::new(Location::default(), problem).help("name one"));
        };
        let report = run_ties(policy, column.as_deref(), release, observer)?;
        return Ok(AttackFindings::Ties(report));
    }
    let Some(rules) = policy.rules() else {
        let report = run(policy, releases, options, observer)?;
        return Ok(AttackFindings::Single(Box::new(report)));
    };
    let [release] = releases else {
        let problem = "the policy has [[rules]]: only the tables of one release can be intersected, not several releases";
        return Err(Error::new(Location::default(), problem));
    };
    if options.categories.is_some() {
        let problem = "`--categories` work with one sensitive column, but the policy has [[rules]]";
        return Err(Error::new(Location::default(), problem));
    }
    if options.correlations || options.independent > 0 {
        let problem = "`--correlations` and `--independent` work with a single table, but the policy has [[rules]]";
        return Err(Error::new(Location::default(), problem));
    }
    let report = run_rules(policy, rules, release.clone(), options, observer)?;
    Ok(AttackFindings::Several(report))
}
