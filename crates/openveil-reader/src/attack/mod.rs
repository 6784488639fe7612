//! Attacks a release, end to end: reads it, attacks it, reports.

mod composition;
mod found;
mod learner;
mod lines;
mod measured;
mod pictures;
mod report;
mod rules;
mod ties;

pub use composition::Independent;
pub use found::{AttackFindings, of_policy};
pub use lines::{AttackLine, counted_people};
pub use pictures::pictures;
pub use report::{
    AttackReport, BackgroundEntry, EachReport, ExactlyKnown, HomogeneityFound, IntersectionEntry,
    Learner, LearningEntry, Measurement, MembersKnown, MinimalityEntry, OwnerRows, Rerun,
    SimilarityEntry,
};
pub use rules::{RuleFound, RulesReport, run_rules};
pub use ties::{TiesOfSize, TiesReport, run_ties};

use crate::correlations::{self, KnownTable};
use crate::people;
use composition::Other;
use learner::FittedRelease;
use measured::AttackMeasures;
use openveil_core::algorithm::{Adversary, Algorithm};
use openveil_core::coins::SecretCoins;
use openveil_core::exact::{approximate, number};
use openveil_core::release::{Content, publish_in_classes};
use openveil_core::table::{Groups, View};
use openveil_io::policy::Policy;
use openveil_io::progress::{Observer, Stage};
use openveil_io::release_dir::ReleasePlace;
use openveil_io::release_dir::read::{self, OWNERS, Released};
use openveil_io::release_dir::write::manifest::{
    GuaranteeEntry, MeasuredCorrelations, ModelEntry, ReaderEntry,
};
use openveil_io::{Error, Location};
use openveil_papers::algorithm;
use openveil_papers::attack::beliefs::{BeliefError, PersonBeliefs, Uncovered};
use openveil_papers::attack::{self, Progress, invariance, learning, minimality, rerun};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The user's choices for an attack.
#[derive(Debug, Clone)]
pub struct AttackOptions {
    /// People who are attacked by re-running.
    pub sample: usize,
    /// Seed of the sample, and of the random draws that check an algorithm's invariance.
    pub seed: u64,
    /// The category of each value.
    pub categories: Option<PathBuf>,
    /// Whether to name the rows of the people found.
    pub owner: bool,
    /// Whether to measure the guesses of readers who know correlations. The policy may ask for this
    /// too.
    pub correlations: bool,
    /// Number of independently made releases that are combined: none or several.
    pub independent: usize,
    /// The public table that these readers know; by default the policy's.
    pub public: Option<PathBuf>,
    /// Whether the reader knows which rows share their value, and by which column; by default the
    /// column of the policy's section `[ties]`. The other attacks are then left out.
    pub ties: Option<Option<String>>,
}

/// The command's defaults: 200 people by the seed 0, and nothing more.
impl Default for AttackOptions {
    fn default() -> Self {
        Self {
            sample: 200,
            seed: 0,
            categories: None,
            owner: false,
            correlations: false,
            independent: 0,
            public: None,
            ties: None,
        }
    }
}

/// Attacks the first of several releases of the table that a policy describes, and
/// intersects all of them.
///
/// # Errors
/// Bad input; releases of another table; a release by an algorithm without random draws that the
/// algorithm does not reproduce.
pub fn run(
    policy: &Policy,
    releases: &[ReleasePlace],
    options: &AttackOptions,
    observer: &dyn Observer,
) -> Result<AttackReport, Error> {
    observer.begin(Stage::Read, policy.source.total_bytes());
    let people = people::loaded(policy, &|bytes| observer.advance(bytes))?;
    let whole = &people.view(policy)?;
    let attacked = AttackedTable { whole, table: whole, column: None };
    // A file states which values are similar; the categories of (l, α)-diversity are not used.
    let categories = options.categories.as_deref();
    let categories = categories.map(|path| read::categories(path, whole.secret())).transpose()?;
    observer.begin(Stage::ReadBack, None);
    let releases = AttackedReleases::read(policy, attacked, releases)?;
    let rerun = releases.rerun(policy, options, observer)?;
    let mut report = releases.report(policy, (rerun, categories), options, observer)?;
    if policy.ties().is_some() {
        let first = &releases.subjects[0].released;
        let ties = ties::of_release(policy, policy.ties(), &people, (whole, first))?;
        report.promise_broken |= ties.promise_broken;
        report.ties = Some(ties);
    }
    Ok(report)
}

/// Attacks the releases of a table, column by column, if each of its sensitive columns is protected
/// by itself. The algorithm is run again once, with all columns.
///
/// # Errors
/// As [`run`].
pub fn run_each(
    policy: &Policy,
    releases: &[ReleasePlace],
    options: &AttackOptions,
    observer: &dyn Observer,
) -> Result<EachReport, Error> {
    observer.begin(Stage::Read, policy.source.total_bytes());
    let people = people::loaded(policy, &|bytes| observer.advance(bytes))?;
    let whole = &people.view(policy)?;
    let mut rerun = None;
    let mut columns = BTreeMap::new();
    for (number, table) in people.by_column(whole).into_iter().enumerate() {
        let attacked = AttackedTable { whole, table: &table, column: Some(number) };
        observer.begin(Stage::ReadBack, None);
        let releases = AttackedReleases::read(policy, attacked, releases)?;
        let again = match &rerun {
            Some(found) => RerunFound::clone(found),
            None => releases.rerun(policy, options, observer)?,
        };
        rerun = Some(again.clone());
        let report = releases.report(policy, (again, None), options, observer)?;
        columns.insert(table.secret().name().to_owned(), report);
    }
    Ok(EachReport { columns })
}

/// The table that a reader attacks.
#[derive(Clone, Copy)]
struct AttackedTable<'a> {
    /// With everything that the algorithm works on.
    whole: &'a View,
    /// With the secret that is attacked.
    table: &'a View,
    /// Its number, if it is one of several that are each protected by itself.
    column: Option<usize>,
}

/// Releases of the policy's table, and releases of other people or by other programs.
struct AttackedReleases<'a> {
    subjects: Vec<AttackedRelease<'a>>,
    others: Vec<Other>,
}

impl<'a> AttackedReleases<'a> {
    /// Reads the releases, the first of which is of the policy's table.
    fn read(
        policy: &Policy,
        attacked: AttackedTable<'a>,
        releases: &[ReleasePlace],
    ) -> Result<Self, Error> {
        let (subjects, others) = sorted(policy, attacked, releases)?;
        let Some(first) = subjects.first() else {
            let problem = "there is no release to attack";
            return Err(Error::new(Location::default(), problem)
                .help("name a release of the policy's table first"));
        };
        first.check_repeats(policy)?;
        check_different(&subjects, &others)?;
        Ok(Self { subjects, others })
    }

    /// Runs the algorithm of the first release again.
    fn rerun(
        &self,
        policy: &Policy,
        options: &AttackOptions,
        observer: &dyn Observer,
    ) -> Result<RerunFound, Error> {
        let first = &self.subjects[0];
        if let Some(why) = first.is_not_rerun() {
            return Ok(RerunFound::NotRun(why));
        }
        let sample = attack::sample(first.whole.rows(), options.sample, options.seed);
        observer.begin(Stage::Rerun, Some(sample.len() as u64));
        first.rerun(policy, &sample, options.seed, &|n| observer.advance(n))
    }

    /// Measures the first release, and all of them together.
    fn report(
        &self,
        policy: &Policy,
        (rerun, categories): (RerunFound, Option<Vec<u32>>),
        options: &AttackOptions,
        observer: &dyn Observer,
    ) -> Result<AttackReport, Error> {
        let Self { subjects, others } = self;
        let first = &subjects[0];
        let table = first.table;
        observer.begin(Stage::Learn, None);
        let beliefs = subjects.iter().map(AttackedRelease::beliefs);
        let of_others = others.iter().map(|other| {
            let (release, path) = (&other.release, &other.path);
            by_cells(release, table, path, Uncovered::NothingSaid)
        });
        let beliefs: Vec<Result<PersonBeliefs, String>> =
            beliefs.chain(of_others).collect::<Result<_, Error>>()?;
        let release = &first.released.release;
        let members = first.made_like_it(policy, options.seed)?;
        let measured = AttackMeasures {
            manifest: &first.released.manifest,
            table,
            rerun,
            minimality: minimality::applicability(first.algorithm),
            homogeneity: attack::homogeneity(release, table.secret().exempt()),
            similarity: categories.as_deref().map(|of| attack::similarity(release, of)),
            background: attack::background(release),
            learned: match &beliefs[0] {
                Ok(beliefs) => learning::learning(table, beliefs),
                Err(_) => None,
            },
            members_known: members.as_ref().and_then(|(release, groups)| {
                learning::learning(table, &PersonBeliefs::of_members(release, groups))
            }),
            learner: first.learner(members.as_ref(), beliefs[0].as_ref().ok(), options.seed),
            together: composition::together(policy, subjects, others.len(), &beliefs)?,
            independent: first.independent(policy, options, observer)?,
            beliefs: &beliefs[0],
            categories: categories.as_deref(),
            correlations: first.correlations(policy, options, observer)?,
        };
        Ok(measured.report(options.owner))
    }
}

/// Separates releases of the policy's table from releases of other people or by other programs.
fn sorted<'a>(
    policy: &Policy,
    attacked: AttackedTable<'a>,
    releases: &[ReleasePlace],
) -> Result<(Vec<AttackedRelease<'a>>, Vec<Other>), Error> {
    let table = attacked.table;
    let (mut subjects, mut others) = (Vec::new(), Vec::new());
    for place in releases {
        if let Some(path) = Other::is_at(place) {
            others.push(Other::read(path, table)?);
            continue;
        }
        let released = Released::read(place, table)?;
        if subjects.is_empty() || released.manifest.rows == table.rows() {
            subjects.push(AttackedRelease::new(policy, attacked, released)?)
        } else {
            others.push(Other { path: released.folder, release: released.release })
        }
    }
    Ok((subjects, others))
}

/// Refuses a release that is listed twice, because it adds nothing.
fn check_different(subjects: &[AttackedRelease<'_>], others: &[Other]) -> Result<(), Error> {
    let ours = subjects.iter().map(|subject| (&subject.released.release, &subject.released.folder));
    let theirs = others.iter().map(|other| (&other.release, &other.path));
    let all: Vec<(&Content, &PathBuf)> = ours.chain(theirs).collect();
    for (index, (release, place)) in all.iter().enumerate() {
        if let Some((_, twin)) = all[..index].iter().find(|(other, _)| other == release) {
            let problem = format!("is the same release as {}", twin.display());
            return Err(Error::new(Location::file(place), problem).help("name every release once"));
        }
    }
    Ok(())
}

/// Returns the beliefs about everybody that follow from a release's cells, or why they take too
/// much memory.
fn by_cells(
    release: &Content,
    table: &View,
    place: &Path,
    uncovered: Uncovered,
) -> Result<Result<PersonBeliefs, String>, Error> {
    match PersonBeliefs::by_cells(release, table, uncovered) {
        Ok(beliefs) => Ok(Ok(beliefs)),
        Err(cause @ BeliefError::TooLarge { .. }) => Ok(Err(cause.to_string())),
        Err(cause) => Err(Error::new(Location::file(place), cause.to_string()).help(OWNERS)),
    }
}

/// A release with everything needed to make it again.
struct AttackedRelease<'a> {
    /// The table as the algorithm sees it.
    whole: &'a View,
    /// The table with the secret that is attacked.
    table: &'a View,
    /// Its number, if it is one of several that are each protected by itself.
    column: Option<usize>,
    released: Released,
    algorithm: &'static dyn Algorithm,
    /// The rows of each group, if running the algorithm again reproduces the release.
    membership: Option<Groups>,
}

/// The findings of the attack by re-running.
#[derive(Clone)]
enum RerunFound {
    /// The algorithm alone does not make such groups: the reason in words.
    NotRun(&'static str),
    /// For an algorithm without random draws.
    People(Vec<rerun::RerunFinding>),
    /// For an algorithm with random draws.
    Invariance(invariance::Invariance),
}

impl<'a> AttackedRelease<'a> {
    fn new(
        policy: &Policy,
        attacked: AttackedTable<'a>,
        mut released: Released,
    ) -> Result<Self, Error> {
        let AttackedTable { whole, table, column } = attacked;
        if let Some((own, each)) = column.zip(policy.each()) {
            let l = each.l[&whole.secret().columns()[own]];
            released.manifest.guarantee.max_posterior = Some(format!("1/{l}"));
        }
        let (manifest, path) = (&released.manifest, released.folder.join("manifest.json"));
        let name = &manifest.algorithm;
        let algorithm = algorithm::named(name).ok_or_else(|| {
            Error::new(
                Location::file(&path),
                format!("this version does not know the algorithm `{name}`"),
            )
        })?;
        // In a history, some rows are fillers, and some people are held back.
        if manifest.rows != table.rows() && manifest.history.is_none() {
            let problem =
                format!("has {} rows, but the policy's table has {}", manifest.rows, table.rows());
            return Err(Error::new(Location::file(&path), problem).help(OWNERS));
        }
        let mut subject = Self { whole, table, column, released, algorithm, membership: None };
        if !algorithm.profile().is_randomized() {
            subject.membership = subject.made_again(policy);
        }
        Ok(subject)
    }

    /// The groups of a release made without random draws, if the algorithm reproduces them.
    fn made_again(&self, policy: &Policy) -> Option<Groups> {
        // An algorithm without random draws never uses them.
        let mut no_coins = SecretCoins::from_test_seed(0);
        let groups = self.algorithm.partition(self.table, &policy.model, &mut no_coins).ok()?;
        let (release, membership) =
            publish_in_classes(self.table, &groups, self.released.style, self.released.class());
        (release == self.released.release).then_some(membership)
    }

    /// Checks that a release to be attacked by re-running was made as the policy says.
    fn check_repeats(&self, policy: &Policy) -> Result<(), Error> {
        let manifest = &self.released.manifest;
        let place = || Location::file(&self.released.folder.join("manifest.json"));
        let expected = ModelEntry::new(&policy.model, self.whole.secret());
        if manifest.model != expected {
            let problem = format!(
                "belongs to a release with {}, but the policy asks for {expected}",
                manifest.model
            );
            return Err(Error::new(place(), problem)
                .help("attack a release with the policy that it was made with"));
        }
        if manifest.reader != ReaderEntry::new(&policy.model, policy.inside) {
            let problem = "belongs to a release for other readers than the policy's [reader]";
            return Err(Error::new(place(), problem)
                .help("attack a release with the policy that it was made with"));
        }
        let strata = manifest.strata.as_ref().map_or(&[][..], |strata| &strata.columns);
        let wanted = self.table.strata_columns().map(|column| column.name());
        if !wanted.eq(strata.iter().map(String::as_str)) {
            let problem = format!(
                "belongs to a release with the strata [{}], but the policy asks for [{}]",
                strata.join(", "),
                policy.strata.join(", ")
            );
            return Err(Error::new(place(), problem)
                .help("attack a release with the policy that it was made with"));
        }
        if !self.algorithm.profile().is_randomized() && self.membership.is_none() {
            let problem =
                format!("`{}` makes another release of this table", self.algorithm.name());
            return Err(Error::new(place(), problem).help(
                "the table, the policy (weights, orders, types) or the release has changed since",
            ));
        }
        Ok(())
    }

    /// Why the algorithm alone does not make such groups; none if it does.
    fn is_not_rerun(&self) -> Option<&'static str> {
        let manifest = &self.released.manifest;
        if manifest.history.is_some() {
            return Some(
                "not run: the groups come from all releases of the history, and stay as they are",
            );
        }
        let ties = "not run: the groups were made of ties, not of rows; below is a reader who knows the ties";
        manifest.ties.is_some().then_some(ties)
    }

    fn rerun(
        &self,
        policy: &Policy,
        sample: &[u32],
        seed: u64,
        progress: Progress<'_>,
    ) -> Result<RerunFound, Error> {
        let model = &policy.model;
        let style = self.released.style;
        let Some(membership) = &self.membership else {
            let run = invariance::ReleaseMaking {
                algorithm: self.algorithm,
                table: self.whole,
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
            table: self.table,
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
    /// algorithms without random draws, and if the algorithm alone does not make such groups.
    fn made_like_it(&self, policy: &Policy, seed: u64) -> Result<Option<(Content, Groups)>, Error> {
        if self.membership.is_some() || self.is_not_rerun().is_some() {
            return Ok(None);
        }
        let mut coins = SecretCoins::from_test_seed(seed);
        let (model, settings) = (&policy.model, policy.settings());
        let groups = self.algorithm.partition_with(self.whole, model, &settings, &mut coins);
        let groups = groups.map_err(|cause| refused(policy, &cause))?;
        let (release, groups) =
            publish_in_classes(self.whole, &groups, self.released.style, self.released.class());
        let codes = self.column.map(|own| self.whole.secret().codes_in(own));
        let release = codes.map_or(release.clone(), |codes| release.of_part(&codes));
        Ok(Some((release, groups)))
    }

    /// Measures how much a reader learns by the fit that analysts use.
    fn learner(
        &self,
        like: Option<&(Content, Groups)>,
        beliefs: Option<&PersonBeliefs>,
        seed: u64,
    ) -> Measurement<Learner> {
        if self.table.known().is_empty() {
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
        let of = |release: &Content| FittedRelease::new(release, self.table, seed);
        let Some(learned) = of(release) else {
            return Measurement::not_measured("there are too few groups");
        };
        let like = like.and_then(|(release, groups)| Some((of(release)?, groups)));
        let members = match (&self.membership, &like) {
            (Some(groups), _) => Some((&learned, groups)),
            (None, Some((learned, groups))) => Some((learned, *groups)),
            (None, None) => None,
        };
        Measurement::Measured(learned.report(self.table, beliefs, bound, members))
    }

    /// Measures releases made one after the other, taken together, if that is asked for.
    fn independent(
        &self,
        policy: &Policy,
        options: &AttackOptions,
        observer: &dyn Observer,
    ) -> Result<Vec<Independent>, Error> {
        if options.independent > 0 {
            observer.begin(Stage::Independent, Some(options.independent as u64));
        }
        let progress = |releases| observer.advance(releases);
        composition::independent(policy, self.algorithm, self.table, options, &progress)
    }

    /// Measures the guesses of readers who know correlations, if that is asked for.
    fn correlations(
        &self,
        policy: &Policy,
        options: &AttackOptions,
        observer: &dyn Observer,
    ) -> Result<Option<MeasuredCorrelations>, Error> {
        if !options.correlations && !policy.measures {
            return Ok(None);
        }
        let public = KnownTable::new(options.public.as_ref().or(policy.public.as_ref()));
        observer.begin(Stage::Correlate, Some(correlations::STEPS));
        let (seed, table) = (options.seed, self.table);
        let progress = |steps| observer.advance(steps);
        correlations::measure(policy, self.algorithm, table, &public, seed, &progress).map(Some)
    }

    /// Returns the beliefs about everybody that follow from the groups, or why they take too much
    /// memory.
    fn beliefs(&self) -> Result<Result<PersonBeliefs, String>, Error> {
        let release = &self.released.release;
        if let Some(membership) = &self.membership {
            return Ok(Ok(PersonBeliefs::of_members(release, membership)));
        }
        by_cells(
            release,
            self.table,
            &self.released.folder,
            match self.released.manifest.history {
                Some(_) => Uncovered::NothingSaid,
                None => Uncovered::Refused,
            },
        )
    }
}

/// The error for a table that the algorithm refuses.
fn refused(policy: &Policy, cause: &openveil_core::Error) -> Error {
    Error::new(Location::file(&policy.source.path), cause.to_string())
}

/// Whether a manifest promises that something stays uncertain to a reader who re-runs.
fn promises(guarantee: &GuaranteeEntry) -> bool {
    guarantee.adversary == Adversary::KnowsAlgorithm.name()
        && guarantee.max_posterior.as_deref() != Some("1")
}
