//! Combines several releases of the same people, or of some of them.

use super::AttackOptions;
use super::subject::{AttackedRelease, refused};
use openveil_core::algorithm::Algorithm;
use openveil_core::coins::SecretCoins;
use openveil_core::exact::{Fraction, approximate, fraction, number, widen};
use openveil_core::release::{Content, publish_in_classes};
use openveil_core::table::View;
use openveil_io::policy::{KindName, Policy};
use openveil_io::release_dir::ReleasePlace;
use openveil_io::release_dir::read::foreign;
use openveil_io::source::Source;
use openveil_io::{Error, Location};
use openveil_papers::attack;
use openveil_papers::attack::Progress;
use openveil_papers::attack::beliefs::PersonBeliefs;
use openveil_papers::attack::composition;
use openveil_papers::attack::composition::{Exact, Exchanges, ReleaseRun, exact, twins};
use serde::Serialize;
use std::path::PathBuf;

/// The most people for whom all tables are enumerated.
const EXACT_PEOPLE: usize = 10;

/// A release of other people than the table's, or by another program. Every person of the table
/// whom its cells cover is assumed to be in it.
pub(super) struct Other {
    pub(super) path: PathBuf,
    pub(super) release: Content,
}

impl Other {
    /// Reads a table that another program made: a file, in which rows that read alike are a
    /// group.
    pub(super) fn read(path: &PathBuf, table: &View) -> Result<Self, Error> {
        let raw = Source::new(path).read_all()?;
        Ok(Self { path: path.clone(), release: foreign(&raw, table)? })
    }

    /// Whether a place is a file and no release of ours.
    pub(super) fn is_at(place: &ReleasePlace) -> Option<&PathBuf> {
        match place {
            ReleasePlace::Folder(path) if path.is_file() => Some(path),
            _ => None,
        }
    }
}

/// The findings on several releases together.
pub(super) struct TogetherFindings {
    pub(super) found: attack::Intersection,
    /// Releases of other people, or by other programs.
    pub(super) others: usize,
    /// People whose value is certain, and people for whom this could not be ruled out.
    pub(super) at_most: usize,
    /// The exact findings, if they could be computed.
    pub(super) exact: Option<Exact>,
}

/// Combines the releases.
pub(super) fn together(
    policy: &Policy,
    subjects: &[AttackedRelease<'_>],
    others: usize,
    beliefs: &[Result<PersonBeliefs, String>],
) -> Result<Option<Result<TogetherFindings, String>>, Error> {
    if beliefs.len() < 2 {
        return Ok(None);
    }
    if policy.kind.name() == KindName::History {
        let why = "people of a history stay in their group, so that later releases say nothing new about them";
        return Ok(Some(Err(why.to_owned())));
    }
    let beliefs = beliefs.iter().cloned();
    let beliefs = match beliefs.collect::<Result<Vec<PersonBeliefs>, String>>() {
        Ok(beliefs) => beliefs,
        Err(why) => return Ok(Some(Err(why))),
    };
    let first = &subjects[0];
    let table = first.of.table;
    let promised =
        first.released.manifest.guarantee.max_posterior.as_deref().and_then(number::parse);
    let bound = promised.map_or(fraction(1, 1), widen);
    let found = attack::intersection(&beliefs, table.secret(), approximate(&bound));
    let exact = match others {
        0 => all_tables(policy, subjects, &bound)?,
        _ => None,
    };
    let at_most = match &exact {
        Some(exact) => exact.certain.len(),
        // If more groups are assumed to be known than can be, more people may seem certain.
        None => protected(table, &twins(table)).max(found.certain.len()),
    };
    Ok(Some(Ok(TogetherFindings { found, others, at_most, exact })))
}

/// How many of some people have a value that needs protection.
fn protected(table: &View, rows: &[u32]) -> usize {
    let (codes, exempt) = (table.secret().codes(), table.secret().exempt());
    rows.iter().filter(|&&row| !exempt[codes[row as usize] as usize]).count()
}

/// Weighs every possible table, if there are few and all releases were made by the policy.
fn all_tables(
    policy: &Policy,
    subjects: &[AttackedRelease<'_>],
    bound: &Fraction,
) -> Result<Option<Exact>, Error> {
    let table = subjects[0].of.table;
    // Tables are counted one by one for a single secret and one row per person.
    let is_single = policy.kind.name() == KindName::Single;
    if !is_single
        || table.rows() > EXACT_PEOPLE
        || !subjects
            .iter()
            .all(|subject: &AttackedRelease<'_>| subject.check_repeats(policy).is_ok())
    {
        return Ok(None);
    }
    let made: Vec<ReleaseRun<'_>> = subjects
        .iter()
        .map(|subject| ReleaseRun {
            release: &subject.released.release,
            algorithm: subject.algorithm,
            model: &policy.privacy.model,
            settings: policy.settings(),
            style: subject.released.style,
        })
        .collect();
    match exact(table, &made, bound) {
        // If this version would make another release, there is nothing to conclude.
        Ok(Some(found)) if found.tables == 0 => Ok(None),
        Ok(found) => Ok(found),
        Err(openveil_core::Error::BeyondLimit { .. }) => Ok(None),
        Err(cause) => Err(refused(policy, &cause)),
    }
}

/// The combined knowledge from several independently made releases.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Independent {
    /// Releases.
    pub releases: usize,
    /// People with a single value left: at least so many are certain.
    pub certain: usize,
    /// People for whom no exchange of values inside all their groups was found. At most so many are
    /// certain to a reader who uses the groups alone; a reader who runs the algorithm may know
    /// more.
    pub certain_at_most: usize,
    /// Values left, on average.
    pub mean_values: f64,
    /// The highest combined probability of a protected value of each person, on average.
    pub mean_highest_posterior: f64,
}

/// Makes releases of the policy's table with random draws from seeds, one after the other, for a
/// reader who knows everybody's group in all of them.
pub(super) fn independent(
    policy: &Policy,
    algorithm: &dyn Algorithm,
    table: &View,
    options: &AttackOptions,
    progress: Progress<'_>,
) -> Result<Vec<Independent>, Error> {
    let Some(mut exchanges) = Exchanges::new(table) else {
        let problem = "has too many people and values to put several releases together";
        return Err(Error::new(Location::file(&policy.input.source.path), problem));
    };
    let mut beliefs = Vec::new();
    let mut found = Vec::new();
    for number in 0..options.independent {
        let mut coins = SecretCoins::from_test_seed(options.seed.wrapping_add(number as u64));
        let groups = algorithm
            .partition_with(table, &policy.privacy.model, &policy.settings(), &mut coins)
            .map_err(|cause| refused(policy, &cause))?;
        exchanges.add(&groups);
        let least = Some(policy.class_size(&policy.privacy.model));
        let (release, membership) = publish_in_classes(table, &groups, policy.output.style, least);
        beliefs.push(PersonBeliefs::of_members(&release, &membership));
        let together = composition::intersection(&beliefs, table.secret(), 1.0);
        found.push(Independent {
            releases: number + 1,
            certain: together.certain.len(),
            certain_at_most: protected(table, &exchanges.stuck()),
            mean_values: together.mean_values,
            mean_highest_posterior: together.mean_highest,
        });
        progress(1);
    }
    Ok(found)
}
