//! Earlier outputs that depended on who has which value: measures of true values, measures of a
//! sample, errors, plans and comparisons. Readers who know of them may know more than a release
//! shows.

use super::look::Look;
use super::{document, folder, key};
use crate::load::Loaded;
use crate::policy::{Policy, Sample};
use crate::prints::Watched;
use crate::release_dir::write::{Held, parent, write_private};
use crate::release_dir::{LOOKS_FILE, SAMPLES_FILE, TRUE_VALUES_FILE};
use crate::sight::{Seen, Sight};
use crate::{Error, Location};
use openveil_core::table::View;
use openveil_text::{Text, text};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Words in every note about an output that the guarantee does not cover.
const NOT_COVERED: &str = "may learn more than is promised";

/// Outputs of earlier runs that the guarantee of a release does not cover.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Looks {
    /// Whether parameters were compared on the true values.
    true_values: bool,
    /// Number of samples on which parameters were compared and whose rows are not left out.
    samples: usize,
    /// Looks at rows, or at histograms, that the release does not show.
    looks: Vec<Look>,
    /// Number of refused runs of the history.
    refused_runs: usize,
}

/// The format of records. Records of 1.0 name none.
const VERSION: u32 = 2;

/// A record of looks of one kind, as stored.
#[derive(Debug, Serialize, Deserialize)]
struct LookRecord<T> {
    warning: String,
    #[serde(default)]
    version: u32,
    #[serde(alias = "tables")]
    entries: Vec<T>,
}

/// What a record is called in errors, and what to do if it cannot be read.
const RECORD: &str = "a record of what depended on values";
const RESTORE: &str = "restore it: readers must be told what it records";

/// The version of a record, whatever else is in it.
#[derive(Deserialize)]
struct RecordVersion {
    #[serde(default)]
    version: u32,
}

impl Looks {
    /// Returns the outputs recorded for a policy that a release of this table does not cover.
    ///
    /// # Errors
    /// A record that cannot be read.
    pub fn new<'a>(
        policy: &Policy,
        loaded: &Loaded,
        views: impl Iterator<Item = &'a View> + Clone,
    ) -> Result<Self, Error> {
        let left_out = policy.input.part.left_out();
        let samples = read::<Sample>(policy, SAMPLES_FILE)?.into_iter();
        let mut looks = read::<Look>(policy, LOOKS_FILE)?;
        looks.retain(|look| {
            let is_counted = look.is_counted_by(policy);
            !is_counted && !look.is_shown(policy, loaded, views.clone())
        });
        Ok(Self {
            true_values: !read::<PathBuf>(policy, TRUE_VALUES_FILE)?.is_empty(),
            samples: samples.filter(|sample| !left_out.contains(sample)).count(),
            looks,
            refused_runs: 0,
        })
    }

    /// Adds the refused runs of a history.
    pub fn with_refused_runs(self, refused_runs: usize) -> Self {
        Self { refused_runs, ..self }
    }

    /// Returns whether the release covers every output so far.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the readers that the guarantee does not cover, one sentence for each kind of look.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.true_values {
            notes.push(format!("Before this release, algorithms and parameters were compared by measures on the true values: a reader who knows how they were chosen {NOT_COVERED}."));
        }
        if self.samples > 0 {
            notes.push(format!(
                "Parameters were compared on {} of true values, and this release contains people of {}: a reader who knows how the parameters were chosen {NOT_COVERED}.",
                counted(self.samples, "sample"),
                if self.samples == 1 { "it" } else { "them" }
            ));
        }
        for look in &self.looks {
            let (what, them) = look.in_words();
            let note = format!(
                "{what}, and this release does not show how often each value occurs in {them}: a reader who knows of it {NOT_COVERED}."
            );
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        if self.refused_runs > 0 {
            notes.push(format!(
                "{} of this history {} refused because of the values of the people in the table. A reader who knows this, and who was in the table then, {NOT_COVERED}, up to certainty.",
                counted(self.refused_runs, "run"),
                if self.refused_runs == 1 { "was" } else { "were" }
            ));
        }
        notes
    }

    /// Returns the consequences for the owner, each with the file that records it.
    pub fn warnings(&self, policy: &Policy) -> Vec<Text> {
        let file = |name: &str| policy.output.records.join(name).display().to_string();
        let mut warnings = Vec::new();
        if self.true_values {
            warnings.push(text!(
                "no guarantee against a reader who knows how this release was made: {} records that parameters were compared on true values (`openveil compare --true-values`) for a policy that writes there. A policy that was not compared can write to another folder (`dir` under [output])",
                file(TRUE_VALUES_FILE)
            ));
        }
        if self.samples > 0 {
            warnings.push(text!(
                "no guarantee against a reader who knows how this release was made: {} lists {} that parameters were compared on (`openveil compare --sample`) and that this release does not leave out. Leave out every sample with `--without-sample FILE`",
                file(SAMPLES_FILE),
                counted(self.samples, "sample")
            ));
        }
        if let Some(look) = self.looks.first() {
            let (what, _) = look.in_words();
            warnings.push(text!(
                "no guarantee against a reader who knows how this release was made: {} records: {what}. Publish the same rows in the same strata, so that the release shows how often each value occurs in them. If that run was about other people, publish into another folder (`dir` under [output])",
                file(LOOKS_FILE)
            ));
        }
        if self.refused_runs > 0 {
            warnings.push(text!(
                "no guarantee against a reader who knows that {} of this history {} refused; the state records it. Begin a new history with other people, or tell the readers",
                counted(self.refused_runs, "run"),
                if self.refused_runs == 1 { "was" } else { "were" }
            ));
        }
        warnings
    }
}

/// Records that a policy's table was measured with its true values.
///
/// # Errors
/// A folder that cannot be written to.
pub fn remember_true_values(policy: &Policy) -> Result<(), Error> {
    let warning = "Algorithms and parameters were compared by measures on the true values (`openveil compare --true-values`). While this file is here, releases say so and have no guarantee against a reader who knows how they were made.";
    remember(policy, TRUE_VALUES_FILE, warning, policy.input.source.path.clone())
}

/// Records that parameters were compared on the true values of a sample.
///
/// # Errors
/// A folder that cannot be written to.
pub fn remember_sample(policy: &Policy, sample: &Sample) -> Result<(), Error> {
    let warning = "Not for publication: parameters were compared on the true values of these samples (`openveil compare --sample`). While this file is here, releases that do not leave out all of these samples say so and have no guarantee against a reader who knows how they were made.";
    remember(policy, SAMPLES_FILE, warning, sample.clone())
}

/// Returns the error of a run; records it first if it depends on who has which value. Returns the
/// error of writing if that fails.
pub fn recorded(policy: &Policy, error: Error) -> Error {
    let Some(seen) = error.seen() else {
        return error;
    };
    match look_at(policy, seen) {
        // The state of a history says so itself.
        Ok(()) if seen.history.is_some() => error,
        Ok(()) => error.and_help("The refusal is recorded: releases that do not show the same rows in the same strata mention it"),
        Err(unwritten) => unwritten.help("the run was refused, and later releases must mention it: make the folder writable, and run again"),
    }
}

/// Records an output that depends on who has which value: later releases that do not show the same
/// rows, or the same histograms, mention it.
///
/// # Errors
/// A folder that cannot be written to.
pub fn look_at(policy: &Policy, seen: &Seen) -> Result<(), Error> {
    let warning = "Outputs of runs depended on who has which value. While this file is here, releases that do not show the same rows and counts say so and have no guarantee against a reader who knows how they were made. As secret as the table.";
    remember(policy, LOOKS_FILE, warning, Look::new(policy, seen))?;
    match &seen.prints {
        Some(prints) => key::keep(policy, &prints.key),
        None => Ok(()),
    }
}

/// Removes the plans and comparisons that a release shows, once it is written: that it is there tells
/// as much. Refusals stay.
///
/// # Errors
/// A folder that cannot be written to.
pub fn forget_shown<'a>(
    policy: &Policy,
    loaded: &Loaded,
    views: impl Iterator<Item = &'a View> + Clone,
) -> Result<(), Error> {
    let path = policy.output.records.join(LOOKS_FILE);
    if !path.exists() {
        return Ok(());
    }
    let _held = held(parent(&policy.output.records))?;
    let record = document::<LookRecord<Look>>(&path, RECORD, RESTORE)?;
    let Some(mut record) = record else {
        return Ok(());
    };
    let before = record.entries.len();
    record.entries.retain(|look| !look.ends() || !look.is_shown(policy, loaded, views.clone()));
    match record.entries.len() {
        after if after == before => Ok(()),
        0 => std::fs::remove_file(&path)
            .map_err(|cause| Error::io(&path, "update the owner's records", &cause)),
        _ => write_private(&path, &record),
    }
}

/// Returns what a run of a policy has to take fingerprints of.
///
/// # Errors
/// Records that cannot be read.
pub fn watched(policy: &Policy) -> Result<Watched, Error> {
    let looks = read::<Look>(policy, LOOKS_FILE)?;
    let sets = looks.iter().map(|look| look.columns.clone());
    Ok(Watched {
        key: key::print_key(policy)?,
        columns: sets.filter(|set| !set.is_empty()).collect(),
        has_missing: looks.iter().any(|look| look.sight == Sight::Missing),
    })
}

fn counted(number: usize, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

/// Locks a folder. Another run that records something locks it only briefly.
fn held(out: &Path) -> Result<Held, Error> {
    for _ in 0..10 {
        match Held::new(out) {
            Ok(held) => return Ok(held),
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    }
    Held::new(out)
}

/// Adds an entry to a record, unless it is there already.
fn remember<T>(policy: &Policy, file: &str, warning: &str, entry: T) -> Result<(), Error>
where
    T: PartialEq + Serialize + DeserializeOwned,
{
    // Without the lock, a release made in the meantime would remove the earlier record.
    let _held = held(parent(&policy.output.records))?;
    let folder = folder(policy)?;
    let mut entries = read::<T>(policy, file)?;
    if !entries.contains(&entry) {
        entries.push(entry);
    }
    let record = LookRecord { warning: warning.to_owned(), version: VERSION, entries };
    write_private(&folder.join(file), &record)
}

/// Returns the entries of a record; none if there is no such file.
fn read<T: DeserializeOwned>(policy: &Policy, file: &str) -> Result<Vec<T>, Error> {
    let path = policy.output.records.join(file);
    match document::<RecordVersion>(&path, RECORD, RESTORE)? {
        None => return Ok(Vec::new()),
        Some(RecordVersion { version }) if version > VERSION => {
            let problem = "was written by a later version of openveil";
            return Err(Error::new(Location::file(&path), problem).help(
                "publish with that version, or a later one: readers must be told what it records",
            ));
        }
        Some(_) => {}
    }
    let record = document::<LookRecord<T>>(&path, RECORD, RESTORE)?;
    Ok(record.map_or(Vec::new(), |record| record.entries))
}
