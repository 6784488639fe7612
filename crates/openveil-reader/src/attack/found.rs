//! Attacks the release of a policy, whether it is one table or several.

use super::{
    AttackOptions, AttackReport, EachReport, RulesReport, TiesReport, run, run_each, run_rules,
    run_ties,
};
use openveil_io::policy::{KindName, Policy};
use openveil_io::progress::Observer;
use openveil_io::release_dir::ReleasePlace;
use openveil_io::{Error, Location};
use openveil_text::text;

/// The findings of an attack.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum AttackFindings {
    /// On a single table, maybe published several times.
    Single(Box<AttackReport>),
    /// On the tables that satisfy rules together.
    Several(RulesReport),
    /// On several sensitive columns, each of which is protected by itself.
    Each(EachReport),
    /// On rows that share their value.
    Ties(TiesReport),
}

impl AttackFindings {
    /// The findings about single sensitive columns, with the column's name if there are several.
    pub fn of_columns(&self) -> Vec<(Option<&str>, &AttackReport)> {
        match self {
            Self::Single(report) => vec![(None, report)],
            Self::Each(report) => {
                report.columns.iter().map(|(name, report)| (Some(&**name), report)).collect()
            }
            Self::Several(_) | Self::Ties(_) => Vec::new(),
        }
    }

    /// Whether something was found that the release promised would not be.
    pub fn promise_broken(&self) -> bool {
        match self {
            Self::Single(report) => report.promise_broken,
            Self::Several(report) => report.promise_broken,
            Self::Each(report) => report.promise_broken,
            Self::Ties(report) => report.promise_broken,
        }
    }
}

/// Refuses attacks that make other releases of a table by themselves.
fn refuse_other_runs(policy: &Policy, options: &AttackOptions) -> Result<(), Error> {
    let section = policy.kind.name().section();
    let (what, help) = if options.correlations {
        (text!("`--correlations`"), "leave it out")
    } else if options.independent > 0 {
        (text!("`--independent`"), "leave it out")
    } else if options.categories.is_some() && policy.each().is_some() {
        (text!("`--categories`"), "attack a release that protects one column")
    } else {
        return Ok(());
    };
    let problem = text!(
        "{what:text} works with one row per person and one sensitive column, but the policy has {section:text}"
    );
    Err(Error::new(Location::file(&policy.path), problem).help(help))
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
            let problem = text!("`--ties` works with one release only");
            return Err(Error::new(Location::default(), problem).help("name one"));
        };
        let report = run_ties(policy, column.as_deref(), release, observer)?;
        return Ok(AttackFindings::Ties(report));
    }
    if policy.rules().is_none() && policy.kind.name() != KindName::Single {
        refuse_other_runs(policy, options)?;
    }
    if policy.each().is_some() {
        let report = run_each(policy, releases, options, observer)?;
        return Ok(AttackFindings::Each(report));
    }
    let Some(rules) = policy.rules() else {
        let report = run(policy, releases, options, observer)?;
        return Ok(AttackFindings::Single(Box::new(report)));
    };
    let [release] = releases else {
        let problem = text!(
            "the policy has [[rules]]: only the tables of one release can be intersected, not several releases"
        );
        return Err(Error::new(Location::default(), problem));
    };
    if options.categories.is_some() {
        let problem =
            text!("`--categories` work with one sensitive column, but the policy has [[rules]]");
        return Err(Error::new(Location::default(), problem));
    }
    if options.correlations || options.independent > 0 {
        let problem = text!(
            "`--correlations` and `--independent` work with a single table, but the policy has [[rules]]"
        );
        return Err(Error::new(Location::default(), problem));
    }
    let report = run_rules(policy, rules, release.clone(), options, observer)?;
    Ok(AttackFindings::Several(report))
}
