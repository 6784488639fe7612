//! Attacks a release, end to end: reads it, attacks it, reports.

mod composition;
mod found;
mod learner;
mod lines;
mod measured;
mod pictures;
mod report;
mod rules;
mod subject;
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

use crate::people;
use composition::Other;
use measured::AttackMeasures;
use openveil_core::release::Content;
use openveil_io::policy::Policy;
use openveil_io::progress::{Observer, Stage};
use openveil_io::release_dir::ReleasePlace;
use openveil_io::release_dir::read::{self, Released};
use openveil_io::{Error, Location};
use openveil_papers::attack::beliefs::{PersonBeliefs, Uncovered};
use openveil_papers::attack::{self, learning, minimality};
use openveil_text::text;
use std::path::PathBuf;
use subject::{AttackedRelease, AttackedTable, RerunFound, RunAgain, by_cells};

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
    observer.begin(Stage::Read, policy.input.source.total_bytes());
    let people = people::loaded(policy, &|bytes| observer.advance(bytes))?;
    let whole = &people.view(policy)?;
    let attacked = AttackedTable { whole, table: whole, column: None };
    // A file states which values are similar; the categories of (l, α)-diversity are not used.
    let categories = options.categories.as_deref();
    let categories = categories.map(|path| read::categories(path, whole.secret())).transpose()?;
    observer.begin(Stage::ReadBack, None);
    let releases = AttackedReleases::read(policy, attacked, releases)?;
    let again = releases.run_again(policy, options, observer)?;
    let mut report = releases.report(policy, (&again, categories), options, observer)?;
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
    observer.begin(Stage::Read, policy.input.source.total_bytes());
    let people = people::loaded(policy, &|bytes| observer.advance(bytes))?;
    let whole = &people.view(policy)?;
    let mut first = None;
    let mut report = EachReport::default();
    for (number, table) in people.by_column(whole).into_iter().enumerate() {
        let attacked = AttackedTable { whole, table: &table, column: Some(number) };
        observer.begin(Stage::ReadBack, None);
        let releases = AttackedReleases::read(policy, attacked, releases)?;
        let again = match first.take() {
            Some(again) => again,
            None => releases.run_again(policy, options, observer)?,
        };
        let found = releases.report(policy, (&again, None), options, observer)?;
        first = Some(again);
        report.promise_broken |= found.promise_broken;
        report.columns.insert(table.secret().name().to_owned(), found);
    }
    Ok(report)
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

    /// Runs the algorithm of the first release again, with all that it works on.
    fn run_again(
        &self,
        policy: &Policy,
        options: &AttackOptions,
        observer: &dyn Observer,
    ) -> Result<RunAgain, Error> {
        let first = &self.subjects[0];
        if let Some(why) = first.is_not_run_again() {
            return Ok(RunAgain { rerun: RerunFound::NotRun(why), like: None });
        }
        let sample = attack::sample(first.of.whole.rows(), options.sample, options.seed);
        observer.begin(Stage::Rerun, Some(sample.len() as u64));
        let rerun = first.rerun(policy, &sample, options.seed, &|n| observer.advance(n))?;
        Ok(RunAgain { rerun, like: first.made_like_it(policy, options.seed)? })
    }

    /// Measures the first release, and all of them together.
    fn report(
        &self,
        policy: &Policy,
        (again, categories): (&RunAgain, Option<Vec<u32>>),
        options: &AttackOptions,
        observer: &dyn Observer,
    ) -> Result<AttackReport, Error> {
        let Self { subjects, others } = self;
        let first = &subjects[0];
        let table = first.of.table;
        observer.begin(Stage::Learn, None);
        let beliefs = subjects.iter().map(AttackedRelease::beliefs);
        let of_others = others.iter().map(|other| {
            let (release, path) = (&other.release, &other.path);
            by_cells(release, table, path, Uncovered::NothingSaid)
        });
        let beliefs: Vec<Result<PersonBeliefs, String>> =
            beliefs.chain(of_others).collect::<Result<_, Error>>()?;
        let release = &first.released.release;
        let members = again.like.as_ref().map(|(release, groups)| (first.of.own(release), groups));
        Ok(AttackMeasures {
            manifest: &first.released.manifest,
            table,
            rerun: &again.rerun,
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
        }
        .report(options.owner))
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
            let problem = text!("is the same release as {}", twin.display());
            return Err(Error::new(Location::file(place), problem).help("name every release once"));
        }
    }
    Ok(())
}
