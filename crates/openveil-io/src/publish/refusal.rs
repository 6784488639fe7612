//! What is refused before anything is read.

use super::Options;
use crate::policy::Policy;
use crate::{Error, ErrorKind, Location};
use openveil::algorithm::{self, Algorithm, Auto, Inside};
use openveil::release::Style;

/// Refuses what cannot be done, or needs consent, before anything is read: an algorithm
/// that gives people away, a certificate of one whose promise does not rest on exchanges
/// inside groups, and for several tables what is of one.
pub(super) fn refuse_options(policy: &Policy, options: Options) -> Result<(), Error> {
    let (profile, name) = (policy.algorithm.profile(), policy.algorithm.name());
    let error =
        |problem: String| Error::new(Location::default(), problem).of_kind(ErrorKind::Refused);
    if policy.rules.is_some() {
        refuse_for_several(policy, options)?;
    }
    policy.check_history()?;
    policy.check_persons()?;
    if policy.inside != Inside::Arranged && !profile.takes_inside {
        let problem = format!("`inside` under [reader] means nothing to `{name}`");
        return Err(error(problem).help("use `cover`, or leave the algorithm out"));
    }
    if policy.persons.is_some() && options.certify {
        let problem = "there are certificates for rows, not for people with several: there is no `--certify` with [persons]";
        return Err(error(problem.to_owned()).help("leave `--certify` out"));
    }
    if policy.history.is_some() && options.certify {
        let problem = "a certificate is of one release: there is no `--certify` with [history]";
        return Err(error(problem.to_owned()).help("leave `--certify` out"));
    }
    if !profile.is_safe() && !options.accept_algorithm_disclosure {
        let problem = format!(
            "`{name}` gives people away to a reader who re-runs it; it is here for comparison"
        );
        let help = "use `cover`, or accept the disclosure with `--i-accept-algorithm-disclosure`";
        return Err(error(problem).help(help));
    }
    // What an algorithm will choose is not known before a table is read.
    let is_open = name == Auto.name() && policy.chosen_by.is_none();
    if !options.certify {
        return Ok(());
    }
    if policy.rules.is_none() && policy.model.ratio().is_none() {
        let problem = format!(
            "there are certificates for ratio l-diversity, not for {}",
            policy.model
        );
        return Err(error(problem).help("leave `--certify` out"));
    }
    if profile.is_certifiable || is_open {
        return Ok(());
    }
    if !profile.is_safe() {
        let problem = format!("`{name}` promises nothing that could be certified");
        return Err(error(problem));
    }
    let certifiable = algorithm::ALL.iter().map(|algorithm| algorithm.profile());
    let certifiable = certifiable.filter(|profile| profile.is_certifiable);
    let names: Vec<String> = certifiable
        .map(|known| format!("`{}`", known.name))
        .collect();
    let problem = format!(
        "the promise of `{name}` does not rest on exchanges inside groups, which is what a certificate shows"
    );
    Err(error(problem).help(format!("{} can be certified", names.join(", "))))
}

/// What makes sense for a single table only, or for several with exact rows.
fn refuse_for_several(policy: &Policy, options: Options) -> Result<(), Error> {
    let refused = |stray: &str| {
        let problem = format!("the policy has [[rules]]; {stray}");
        Error::new(Location::default(), problem)
    };
    let mut columns = policy.columns.values();
    let is_exact = policy.style == Style::Anatomy && columns.all(|own| own.form.is_none());
    if options.certify {
        let stray = "an l-cover is of one table: there is no `--certify` for several tables";
        return Err(refused(stray));
    }
    if options.measure && !is_exact {
        let stray = "what several tables say together is measured where their rows are exact";
        return Err(refused(stray).help(
            "leave `--measure` out, or write `style = \"anatomy\"` and no `publish`; `openveil query` with `--policy` shows estimates beside true counts",
        ));
    }
    Ok(())
}
