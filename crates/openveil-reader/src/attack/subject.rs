//! A release that is attacked, with everything needed to make it again.

use super::AttackOptions;
use super::composition::{self, Independent};
use super::learner::FittedRelease;
use super::report::{Learner, Measurement};
use crate::correlations::{self, KnownTable};
use openveil_core::algorithm::{Adversary, Algorithm};
use openveil_core::coins::SecretCoins;
use openveil_core::exact::{approximate, number};
use openveil_core::release::{Content, publish_in_classes};
use openveil_core::table::{Groups, View};
use openveil_io::policy::Policy;
use openveil_io::progress::{Observer, Stage};
use openveil_io::release_dir::read::{Released, needs_owners};
use openveil_io::release_dir::write::manifest::{
    GuaranteeEntry, MeasuredCorrelations, ModelEntry, ReaderEntry,
};
use openveil_io::{Error, Location};
use openveil_papers::algorithm;
use openveil_papers::attack::beliefs::{BeliefError, PersonBeliefs, Uncovered};
use openveil_papers::attack::{Progress, invariance, rerun};
use openveil_text::text;
use std::borrow::Cow;
use std::path::Path;

/// The table that a reader attacks.
#[derive(Clone, Copy)]
pub(super) struct AttackedTable<'a> {
    /// With everything that the algorithm works on.
    pub(super) whole: &'a View,
    /// With the secret that is attacked.
    pub(super) table: &'a View,
    /// Its number, if it is one of several that are each protected by itself.
    pub(super) column: Option<usize>,
}

impl AttackedTable<'_> {
    /// Returns the part of a release of the whole table that shows the secret.
    pub(super) fn own<'c>(&self, release: &'c Content) -> Cow<'c, Content> {
        match self.column {
            None => Cow::Borrowed(release),
            Some(own) => Cow::Owned(release.of_part(&self.whole.secret().codes_in(own))),
        }
    }
}

/// The first release's algorithm, run again.
pub(super) struct RunAgain {
    pub(super) rerun: RerunFound,
    /// Another release of the same kind, with the rows of its groups.
    pub(super) like: Option<(Content, Groups)>,
}

/// Returns the beliefs about everybody that follow from a release's cells, or why they take too
/// much memory.
pub(super) fn by_cells(
    release: &Content,
    table: &View,
    place: &Path,
    uncovered: Uncovered,
) -> Result<Result<PersonBeliefs, String>, Error> {
    match PersonBeliefs::by_cells(release, table, uncovered) {
        Ok(beliefs) => Ok(Ok(beliefs)),
        Err(cause @ BeliefError::TooLarge { .. }) => Ok(Err(cause.to_string())),
        Err(cause) => {
            Err(Error::new(Location::file(place), cause.to_string()).help(needs_owners()))
        }
    }
}

/// A release with everything needed to make it again.
pub(super) struct AttackedRelease<'a> {
    pub(super) of: AttackedTable<'a>,
    pub(super) released: Released,
    pub(super) algorithm: &'static dyn Algorithm,
    /// The rows of each group, if running the algorithm again reproduces the release.
    membership: Option<Groups>,
}

/// The findings of the attack by re-running.
pub(super) enum RerunFound {
    /// The algorithm alone does not make such groups: the reason in words.
    NotRun(&'static str),
    /// For an algorithm without random draws.
    People(Vec<rerun::RerunFinding>),
    /// For an algorithm with random draws.
    Invariance(invariance::Invariance),
}

impl<'a> AttackedRelease<'a> {
    pub(super) fn new(
        policy: &Policy,
        of: AttackedTable<'a>,
        mut released: Released,
    ) -> Result<Self, Error> {
        let table = of.table;
        if let Some((own, each)) = of.column.zip(policy.each()) {
            let l = each.l[&of.whole.secret().columns()[own]];
            released.manifest.guarantee.max_posterior = Some(format!("1/{l}"));
        }
        let (manifest, path) = (&released.manifest, released.folder.join("manifest.json"));
        let name = &manifest.algorithm;
        let algorithm = algorithm::named(name).ok_or_else(|| {
            Error::new(
                Location::file(&path),
                text!("this version does not know the algorithm `{name}`"),
            )
        })?;
        // In a history, some rows are fillers, and some people are held back.
        if manifest.rows != table.rows() && manifest.history.is_none() {
            let problem =
                text!("has {} rows, but the policy's table has {}", manifest.rows, table.rows());
            return Err(Error::new(Location::file(&path), problem).help(needs_owners()));
        }
        let mut subject = Self { of, released, algorithm, membership: None };
        if !algorithm.profile().is_randomized() && subject.is_not_run_again().is_none() {
            subject.membership = subject.made_again(policy);
        }
        Ok(subject)
    }

    /// The groups of a release made without random draws, if the algorithm reproduces them.
    fn made_again(&self, policy: &Policy) -> Option<Groups> {
        // An algorithm without random draws never uses them.
        let mut no_coins = SecretCoins::from_test_seed(0);
        let groups =
            self.algorithm.partition(self.of.table, &policy.privacy.model, &mut no_coins).ok()?;
        let (release, membership) =
            publish_in_classes(self.of.table, &groups, self.released.style, self.released.class());
        (release == self.released.release).then_some(membership)
    }

    /// Checks that a release to be attacked by re-running was made as the policy says.
    pub(super) fn check_repeats(&self, policy: &Policy) -> Result<(), Error> {
        let manifest = &self.released.manifest;
        let place = || Location::file(&self.released.folder.join("manifest.json"));
        let expected = ModelEntry::new(&policy.privacy.model, self.of.whole.secret());
        if manifest.model != expected {
            let problem = text!(
                "belongs to a release with {}, but the policy asks for {expected}",
                manifest.model
            );
            return Err(Error::new(place(), problem)
                .help("attack a release with the policy that it was made with"));
        }
        if manifest.reader != ReaderEntry::new(&policy.privacy.model, policy.method.inside) {
            let problem =
                text!("belongs to a release for other readers than the policy's [reader]");
            return Err(Error::new(place(), problem)
                .help("attack a release with the policy that it was made with"));
        }
        let strata = manifest.strata.as_ref().map_or(&[][..], |strata| &strata.columns);
        let wanted = self.of.table.strata_columns().map(|column| column.name());
        if !wanted.eq(strata.iter().map(String::as_str)) {
            let problem = text!(
                "belongs to a release with the strata [{}], but the policy asks for [{}]",
                strata.join(", "),
                policy.privacy.strata.join(", ")
            );
            return Err(Error::new(place(), problem)
                .help("attack a release with the policy that it was made with"));
        }
        let is_run_again = self.is_not_run_again().is_none();
        if is_run_again && !self.algorithm.profile().is_randomized() && self.membership.is_none() {
            let problem = text!("`{}` makes another release of this table", self.algorithm.name());
            return Err(Error::new(place(), problem).help(
                "the table, the policy (weights, orders, types) or the release has changed since",
            ));
        }
        Ok(())
    }

    /// Why the algorithm alone does not make such groups; none if it does.
    pub(super) fn is_not_run_again(&self) -> Option<&'static str> {
        let manifest = &self.released.manifest;
        if manifest.history.is_some() {
            return Some(
                "not run: the groups come from all releases of the history, and stay as they are",
            );
        }
        if manifest.ties.is_some() {
            return Some(
                "not run: the groups were made of ties, not of rows; below is a reader who knows the ties",
            );
        }
        // Without random draws, values of one column would be exchanged.
        let is_of_all = self.of.column.is_some() && !self.algorithm.profile().is_randomized();
        is_of_all.then_some("not run: the algorithm went by several sensitive columns at once")
    }

    pub(super) fn rerun(
        &self,
        policy: &Policy,
        sample: &[u32],
        seed: u64,
        progress: Progress<'_>,
    ) -> Result<RerunFound, Error> {
        let model = &policy.privacy.model;
        let style = self.released.style;
        let Some(membership) = &self.membership else {
            let run = invariance::ReleaseMaking {
                algorithm: self.algorithm,
                table: self.of.whole,
                style,
                model,
                settings: &policy.settings(),
            };
            return invariance::invariance(&run, sample, seed, progress)
                .map(RerunFound::Invariance)
                .map_err(|cause| refused(policy, &cause));
        };
        let partition = |table: &View| {
            let mut no_coins = SecretCoins::from_test_seed(0);
            self.algorithm.partition_with(table, model, &policy.settings(), &mut no_coins)
        };
        let target = rerun::RerunTarget {
            table: self.of.table,
            release: &self.released.release,
            membership,
            partition: &partition,
            style,
        };
        rerun::rerun(&target, sample, progress)
            .map(RerunFound::People)
            .map_err(|cause| refused(policy, &cause))
    }

    /// Another release of the same kind, made with random draws of our own, and the rows of its
    /// groups. For the release itself, running the algorithm again does not show these. None for
    /// algorithms without random draws.
    pub(super) fn made_like_it(
        &self,
        policy: &Policy,
        seed: u64,
    ) -> Result<Option<(Content, Groups)>, Error> {
        if self.membership.is_some() {
            return Ok(None);
        }
        let mut coins = SecretCoins::from_test_seed(seed);
        let (model, settings) = (&policy.privacy.model, policy.settings());
        let groups = self
            .algorithm
            .partition_with(self.of.whole, model, &settings, &mut coins)
            .map_err(|cause| refused(policy, &cause))?;
        Ok(Some(publish_in_classes(
            self.of.whole,
            &groups,
            self.released.style,
            self.released.class(),
        )))
    }

    /// Measures how much a reader learns by the fit that analysts use.
    pub(super) fn learner(
        &self,
        like: Option<&(Cow<'_, Content>, &Groups)>,
        beliefs: Option<&PersonBeliefs>,
        seed: u64,
    ) -> Measurement<Learner> {
        if self.of.table.known().is_empty() {
            return Measurement::not_measured("the release shows no known column");
        }
        if self.released.manifest.is_matched() {
            return Measurement::not_measured(
                "`cover` matched people who are alike, so no model says how values came into groups",
            );
        }
        let release = &self.released.release;
        let bound = self.released.manifest.guarantee.max_posterior.as_deref();
        let bound = bound.and_then(number::parse).map(|bound| approximate(&bound));
        let of = |release: &Content| FittedRelease::new(release, self.of.table, seed);
        let Some(learned) = of(release) else {
            return Measurement::not_measured("there are too few groups");
        };
        let like = like.and_then(|(release, groups)| Some((of(release)?, *groups)));
        let members = match (&self.membership, &like) {
            (Some(groups), _) => Some((&learned, groups)),
            (None, Some((learned, groups))) => Some((learned, *groups)),
            (None, None) => None,
        };
        Measurement::Measured(learned.report(self.of.table, beliefs, bound, members))
    }

    /// Measures releases made one after the other, taken together, if that is asked for.
    pub(super) fn independent(
        &self,
        policy: &Policy,
        options: &AttackOptions,
        observer: &dyn Observer,
    ) -> Result<Vec<Independent>, Error> {
        if options.independent > 0 {
            observer.begin(Stage::Independent, Some(options.independent as u64));
        }
        let progress = |releases| observer.advance(releases);
        composition::independent(policy, self.algorithm, self.of.table, options, &progress)
    }

    /// Measures the guesses of readers who know correlations, if that is asked for.
    pub(super) fn correlations(
        &self,
        policy: &Policy,
        options: &AttackOptions,
        observer: &dyn Observer,
    ) -> Result<Option<MeasuredCorrelations>, Error> {
        if !options.correlations && !policy.privacy.measures {
            return Ok(None);
        }
        let public = KnownTable::new(options.public.as_ref().or(policy.privacy.public.as_ref()));
        observer.begin(Stage::Correlate, Some(correlations::STEPS));
        let (seed, table) = (options.seed, self.of.table);
        let progress = |steps| observer.advance(steps);
        correlations::measure(policy, self.algorithm, table, &public, seed, &progress).map(Some)
    }

    /// Returns the beliefs about everybody that follow from the groups, or why they take too much
    /// memory.
    pub(super) fn beliefs(&self) -> Result<Result<PersonBeliefs, String>, Error> {
        let release = &self.released.release;
        if let Some(membership) = &self.membership {
            return Ok(Ok(PersonBeliefs::of_members(release, membership)));
        }
        by_cells(
            release,
            self.of.table,
            &self.released.folder,
            match self.released.manifest.history {
                Some(_) => Uncovered::NothingSaid,
                None => Uncovered::Refused,
            },
        )
    }
}

/// The error for a table that the algorithm refuses.
pub(super) fn refused(policy: &Policy, cause: &openveil_core::Error) -> Error {
    Error::new(Location::file(&policy.input.source.path), cause.in_words())
}

/// Whether a manifest promises that something stays uncertain to a reader who re-runs.
pub(super) fn promises(guarantee: &GuaranteeEntry) -> bool {
    guarantee.adversary == Adversary::KnowsAlgorithm.name()
        && guarantee.max_posterior.as_deref() != Some("1")
}
