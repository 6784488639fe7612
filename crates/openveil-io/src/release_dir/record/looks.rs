//! Earlier outputs that depended on who has which value: measures of true values, measures of a
//! sample, refusals. Readers who saw them may know more than a release shows.

use super::{document, folder};
use crate::Error;
use crate::policy::{Missing, Policy, ReadRows, Sample};
use crate::release_dir::write::manifest::NOT_COVERED;
use crate::release_dir::write::{Held, parent, write_private};
use crate::release_dir::{REFUSALS_FILE, SAMPLES_FILE, TRUE_VALUES_FILE};
use openveil_core::table::View;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Outputs of earlier runs that the guarantee of a release does not cover.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Looks {
    /// Whether parameters were compared on the true values.
    true_values: bool,
    /// Number of samples on which parameters were compared and whose rows are not left out.
    samples: usize,
    /// Refused runs that depended on histograms that the release does not show.
    refusals: Vec<RefusedRun>,
    /// Number of refused runs of the history.
    refused_runs: usize,
}

/// A record of looks of one kind, as stored.
#[derive(Debug, Serialize, Deserialize)]
struct LookRecord<T> {
    warning: String,
    #[serde(alias = "tables")]
    entries: Vec<T>,
}

/// A run that was refused because of how often values occur.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RefusedRun {
    /// The protected columns; several count as one.
    protects: Vec<String>,
    /// The columns that fix the strata, sorted.
    strata: Vec<String>,
    /// The number of rows of a person that count, if the number of a person's rows fixes strata.
    rows: Option<u32>,
    /// The fingerprint of the table; empty if it can be read only once.
    table: String,
    /// A description of the rows that were read.
    part: String,
}

impl RefusedRun {
    /// Describes a run by a policy, without its protected columns.
    fn by(policy: &Policy) -> Self {
        let left_out: usize = policy.part.left_out().iter().map(Sample::rows).sum();
        Self {
            protects: Vec::new(),
            strata: Vec::new(),
            rows: policy.persons().and_then(|persons| persons.rows),
            table: policy.source.fingerprint().unwrap_or_default(),
            part: format!(
                "{:?} {:?} {left_out}",
                policy.missing, policy.missing_values
            ),
        }
    }

    /// Returns the run in words, and the people whose histogram it was refused for.
    fn in_words(&self) -> (String, &'static str) {
        if self.strata.is_empty() {
            (String::new(), "the rows that it read")
        } else {
            (format!(" in strata by {}", self.strata.join(", ")), "them")
        }
    }

    /// Returns whether another run reads the same people and publishes the histograms that this run
    /// was refused for. The refusal depends on them alone, so it then discloses nothing more.
    fn is_shown(&self, now: &Self, view: &View) -> bool {
        let fixes = |name: &String| view.strata_columns().any(|own| own.name() == name);
        let protects = |name: &String| view.secret().columns().contains(name);
        // A run on another table is another release, which every manifest mentions anyway.
        let are_same_rows = self.table != now.table || self.part == now.part;
        are_same_rows
            && self.rows == now.rows
            && self.strata.iter().all(fixes)
            && self
                .protects
                .iter()
                .all(|name| protects(name) || fixes(name))
    }
}

impl Looks {
    /// Returns the outputs recorded for a policy that a release of these tables does not cover.
    ///
    /// # Errors
    /// A record that cannot be read.
    pub fn of<'a>(
        policy: &Policy,
        views: impl Iterator<Item = &'a View> + Clone,
    ) -> Result<Self, Error> {
        let left_out = policy.part.left_out();
        let samples = read::<Sample>(policy, SAMPLES_FILE)?.into_iter();
        let mut refusals = read::<RefusedRun>(policy, REFUSALS_FILE)?;
        if !refusals.is_empty() && policy.history().is_none() {
            let now = RefusedRun::by(policy);
            refusals.retain(|refused| !views.clone().any(|view| refused.is_shown(&now, view)));
        }
        Ok(Self {
            true_values: !read::<PathBuf>(policy, TRUE_VALUES_FILE)?.is_empty(),
            samples: samples.filter(|sample| !left_out.contains(sample)).count(),
            refusals,
            refused_runs: 0,
        })
    }

    /// Adds the refused runs of a history.
    pub fn with_refused_runs(self, refused_runs: usize) -> Self {
        Self {
            refused_runs,
            ..self
        }
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
        for refused in &self.refusals {
            let (run, them) = refused.in_words();
            notes.push(format!(
                "An earlier run{run} was refused, and this release does not show how often each value occurs in {them}: a reader who knows of the refusal {NOT_COVERED}."
            ));
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
    pub fn warnings(&self, policy: &Policy) -> Vec<String> {
        let file = |name: &str| policy.records.join(name).display().to_string();
        let mut warnings = Vec::new();
        if self.true_values {
            warnings.push(format!(
                "no guarantee against a reader who knows how this release was made: {} records that parameters were compared on true values (`openveil compare --true-values`) for a policy that writes there. A policy that was not compared can write to another folder (`dir` under [output])",
                file(TRUE_VALUES_FILE)
            ));
        }
        if self.samples > 0 {
            warnings.push(format!(
                "no guarantee against a reader who knows how this release was made: {} lists {} that parameters were compared on (`openveil compare --sample`) and that this release does not leave out. Leave out every sample with `--without-sample FILE`",
                file(SAMPLES_FILE),
                counted(self.samples, "sample")
            ));
        }
        if let Some(refused) = self.refusals.first() {
            let (run, _) = refused.in_words();
            warnings.push(format!(
                "no guarantee against a reader who knows that an earlier run{run} was refused; the refusal is recorded in {}. Publish the same rows in the same strata, so that the release shows their histograms. If that run was about other people, publish into another folder (`dir` under [output])",
                file(REFUSALS_FILE)
            ));
        }
        if self.refused_runs > 0 {
            warnings.push(format!(
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
    remember(
        policy,
        TRUE_VALUES_FILE,
        warning,
        policy.source.path.clone(),
    )
}

/// Records that parameters were compared on the true values of a sample.
///
/// # Errors
/// A folder that cannot be written to.
pub fn remember_sample(policy: &Policy, sample: &Sample) -> Result<(), Error> {
    let warning = "Not for publication: parameters were compared on the true values of these samples (`openveil compare --sample`). While this file is here, releases that do not leave out all of these samples say so and have no guarantee against a reader who knows how they were made.";
    remember(policy, SAMPLES_FILE, warning, sample.clone())
}

/// Returns the error of a run. If [`remember_refusal`] finds that the error has to be recorded,
/// records it first; returns the error of writing if that fails.
pub fn recorded(policy: &Policy, error: Error) -> Error {
    // A history keeps its own record.
    if policy.history().is_some() {
        return error;
    }
    match remember_refusal(policy, &error) {
        Ok(true) => error.and_help("The refusal is recorded: releases that do not show the same rows in the same strata mention it"),
        Ok(false) => error,
        Err(unwritten) => unwritten.help("the run was refused, and later releases must mention it: make the folder writable, and run again"),
    }
}

/// Records a refusal that depends on histograms that a later release may not show: histograms of
/// strata, of the rows without missing values, of a combination, and all histograms of a history.
/// Returns whether the error was such a refusal.
///
/// # Errors
/// A folder that cannot be written to.
pub fn remember_refusal(policy: &Policy, error: &Error) -> Result<bool, Error> {
    let Some(refusal) = error.refusal().filter(|refusal| refusal.is_of_values) else {
        return Ok(false);
    };
    let may_be_hidden = !refusal.strata.is_empty()
        || policy.history().is_some()
        || policy.missing == Missing::DropRows
        || policy.part != ReadRows::Everybody
        || !policy.combine.is_empty();
    if !may_be_hidden {
        return Ok(false);
    }
    let mut strata = refusal.strata.clone();
    strata.sort_unstable();
    let refused = RefusedRun {
        protects: refusal.protects.clone(),
        strata,
        ..RefusedRun::by(policy)
    };
    let warning = "A run was refused because of how often values occur in the rows that it read, or in strata of them. While this file is here, releases that do not show these counts say so and have no guarantee against a reader who knows how they were made.";
    remember(policy, REFUSALS_FILE, warning, refused)?;
    Ok(true)
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
        match Held::of(out) {
            Ok(held) => return Ok(held),
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    }
    Held::of(out)
}

/// Adds an entry to a record, unless it is there already.
fn remember<T>(policy: &Policy, file: &str, warning: &str, entry: T) -> Result<(), Error>
where
    T: PartialEq + Serialize + DeserializeOwned,
{
    // Without the lock, a release made in the meantime would remove the earlier record.
    let _held = held(parent(&policy.records))?;
    let folder = folder(policy)?;
    let mut entries = read::<T>(policy, file)?;
    if !entries.contains(&entry) {
        entries.push(entry);
    }
    let record = LookRecord {
        warning: warning.to_owned(),
        entries,
    };
    write_private(&folder.join(file), &record)
}

/// Returns the entries of a record; none if there is no such file.
fn read<T: DeserializeOwned>(policy: &Policy, file: &str) -> Result<Vec<T>, Error> {
    let path = policy.records.join(file);
    let help = "restore it: readers must be told what it records";
    let record = document::<LookRecord<T>>(&path, "a record of comparisons on true values", help)?;
    Ok(record.map_or(Vec::new(), |record| record.entries))
}
