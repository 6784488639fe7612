//! Refusals before anything is read.

use super::{Job, Options, check_state};
use openveil_core::algorithm::{Algorithm, Inside, Trials};
use openveil_core::release::Style;
use openveil_io::policy::{Extra, KindName, Policy};
use openveil_io::{Error, ErrorKind, Location};
use openveil_papers::algorithm::{self, Auto, KJump};
use openveil_text::{Text, text};

impl Job {
    /// Makes the job of a policy, and checks that it can be run.
    ///
    /// # Errors
    /// Settings that cannot be combined, or that need consent.
    pub(crate) fn checked(policy: &Policy, options: Options) -> Result<Self, Error> {
        let job = Self::new(policy, options);
        job.check()?;
        Ok(job)
    }

    /// Checks that it can be run: before anything is read, and again once an engine was chosen.
    ///
    /// # Errors
    /// Settings that cannot be combined, or that need consent.
    pub(crate) fn check(&self) -> Result<(), Error> {
        refuse(self)
    }
}

/// Refuses jobs that are impossible or need consent, before anything is read. These are algorithms
/// that disclose people's values, certificates for algorithms whose guarantee does not rest on
/// exchanges within groups, and, for several tables, options that need a single one.
fn refuse(job: &Job) -> Result<(), Error> {
    let Job { policy, options, .. } = job;
    let (profile, name) = (job.algorithm.profile(), job.algorithm.name());
    let error =
        |problem: Text| Error::new(Location::default(), problem).of_kind(ErrorKind::Refused);
    if options.certify {
        policy.allow(Extra::Certificate)?;
    }
    // Several tables can be measured together if their rows are exact.
    let mut columns = policy.columns.values();
    let is_exact = policy.output.style == Style::Anatomy && columns.all(|own| own.form.is_none());
    if options.measure && !is_exact {
        policy.allow(Extra::Measure)?;
    }
    policy.allow_all()?;
    refuse_model(policy)?;
    check_state(policy)?;
    refuse_without_effect(policy, job.algorithm)?;
    if !profile.is_safe() && !options.accept_algorithm_disclosure {
        let problem = text!(
            "`{name}` discloses people's values to a reader who re-runs it; it is included for comparison only"
        );
        let help =
            text!("use `cover`, or accept the disclosure with `--i-accept-algorithm-disclosure`");
        return Err(error(problem).help(help));
    }
    // It is not known which engine an algorithm will choose before a table is read.
    let is_open = name == Auto.name() && job.chosen_by.is_none();
    if !options.certify {
        return Ok(());
    }
    if policy.rules().is_none() && policy.privacy.model.ratio().is_none() {
        let problem =
            text!("`--certify` works with ratio l-diversity, not with {}", policy.privacy.model);
        return Err(error(problem).help(text!("leave `--certify` out")));
    }
    if profile.is_certifiable || is_open {
        return Ok(());
    }
    if !profile.is_safe() {
        let problem = text!("`{name}` has no guarantee that could be certified");
        return Err(error(problem));
    }
    let names: Vec<String> = algorithm::all()
        .map(|algorithm| algorithm.profile())
        .filter(|profile| profile.is_certifiable)
        .map(|known| format!("`{}`", known.name))
        .collect();
    let problem = text!(
        "the guarantee of `{name}` does not rest on exchanges within groups, which is what a certificate shows"
    );
    Err(error(problem).help(text!("only {} can be certified", names.join(", "))))
}

/// Refuses settings of the policy's algorithm that another one, asked for in its place or chosen by
/// `auto`, would drop without a word.
fn refuse_without_effect(policy: &Policy, algorithm: &dyn Algorithm) -> Result<(), Error> {
    let (method, profile, name) = (&policy.method, algorithm.profile(), algorithm.name());
    let (inside, smallest) = (method.inside != Inside::Arranged, method.smallest_group.is_some());
    let usual = Trials::default();
    let tried = [
        ("block", method.trials.block != usual.block, profile.takes_trials),
        ("functions", !method.trials.functions.is_empty(), profile.takes_trials),
        ("jump", method.trials.jump.is_some(), name == KJump.name()),
    ];
    let (setting, help) = if inside && !profile.takes_inside {
        (text!("`inside` under [reader]"), "use `cover`, or leave the algorithm out")
    } else if smallest && !profile.takes_smallest_group {
        (text!("`smallest-group` under [privacy]"), "use `halving`, or leave it out")
    } else if let Some((key, ..)) = tried.iter().find(|(_, is_set, is_taken)| *is_set && !is_taken)
    {
        (text!("`{key}` under [algorithm]"), "leave it out; `k-jump` uses it")
    } else {
        return Ok(());
    };
    let problem = text!("{setting:text} has no effect on `{name}`");
    Err(Error::new(Location::default(), problem).of_kind(ErrorKind::Refused).help(help))
}

/// Refuses a model that would compare groups with other rows than those that they were made of.
fn refuse_model(policy: &Policy) -> Result<(), Error> {
    let model = &policy.privacy.model;
    let why = match policy.kind.name() {
        KindName::Ties if model.compares_with_table() => {
            "groups of ties of one size are compared with ties of that size, not with the table"
        }
        KindName::History if model.compares_with_table() => {
            "groups of people who came together are compared with these people, not with the table"
        }
        KindName::History if model.least_class() > 1 => {
            "people leave, and those who stay may be fewer than the model allows"
        }
        _ => return Ok(()),
    };
    let problem =
        text!("{:text} is not possible with {model}: {why}", policy.kind.name().section());
    Err(Error::new(Location::file(&policy.path), problem)
        .help(text!("write `model = \"l-diversity\"` and `l`"))
        .of_kind(ErrorKind::Refused))
}
