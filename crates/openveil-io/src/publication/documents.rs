//! What is written beside the tables: for the reader, and for the owner.

use super::{Options, promise};
use crate::load::Loaded;
use crate::output::manifest::{ColumnEntry, OmittedEntry, QueryError, Utility};
use crate::output::{Manifest, Owner};
use crate::policy::Policy;
use openveil::algorithm::Adversary;
use openveil::release::{Release, Style};
use openveil::table::Table;
use openveil::utility::{Summary, Workload};
use std::collections::BTreeMap;

/// For each of several columns protected as one, how far the combination's
/// protection falls short of its own: the highest share of one of its values in
/// a group. A function of the release.
fn combination_notes(table: &Table, release: &Release) -> Vec<String> {
    let sensitive = table.sensitive();
    if sensitive.columns().len() < 2 {
        return Vec::new();
    }
    let highest = |part: usize| {
        let share = |group: usize| {
            let mut labels: Vec<&str> = release
                .values(group)
                .iter()
                .map(|&value| &*sensitive.parts(value)[part])
                .collect();
            labels.sort_unstable();
            let longest = labels
                .chunk_by(|a, b| a == b)
                .map(<[&str]>::len)
                .max()
                .unwrap_or(0);
            longest as f64 / labels.len() as f64
        };
        (0..release.group_count()).map(share).fold(0.0, f64::max)
    };
    let note = |(part, column): (usize, &String)| {
        format!(
            "The combination is protected, not each column: of `{column}` by itself, one value makes up to {:.0} % of a group.",
            100.0 * highest(part)
        )
    };
    sensitive.columns().iter().enumerate().map(note).collect()
}

/// The published columns and what they are.
pub(super) fn columns(policy: &Policy, loaded: &Loaded) -> Vec<ColumnEntry> {
    let entry = |name: &String| ColumnEntry {
        name: name.clone(),
        role: policy.columns[name].role.name().to_owned(),
    };
    loaded.published.iter().map(entry).collect()
}

pub(super) fn manifest(
    policy: &Policy,
    options: Options,
    loaded: &Loaded,
    release: &Release,
    files: Vec<String>,
    least_size: u32,
) -> Manifest {
    let summary = Summary::of(release, &loaded.table, least_size);
    let mut notes = vec![
        "Another release of the same table is a second release: the guarantee covers one."
            .to_owned(),
    ];
    if options.test_seed.is_some() {
        notes.push("Made with a test seed: whoever knows the seed undoes the release. Unfit for publication.".to_owned());
    }
    if policy.algorithm.adversary() == Adversary::SeesRelease {
        notes.push(format!(
            "The owner accepted that `{}` discloses people to a reader who re-runs it.",
            policy.algorithm.name()
        ));
    }
    notes.extend(combination_notes(&loaded.table, release));
    for column in &loaded.omitted.repeated_identifiers {
        notes.push(format!(
            "The identifier `{column}` repeats: rows may share a person, and the guarantee is about rows."
        ));
    }
    let means = summary
        .mean_extents
        .iter()
        .map(|extent| (extent.column.clone(), extent.mean));
    Manifest {
        openveil: env!("CARGO_PKG_VERSION").to_owned(),
        rows: release.rows(),
        groups: release.group_count(),
        algorithm: policy.algorithm.name().to_owned(),
        model: promise::model_entry(policy, &loaded.table),
        style: match policy.style {
            Style::Generalize => "generalize",
            Style::Anatomy => "anatomy",
        }
        .to_owned(),
        guarantee: promise::guarantee(policy, &loaded.table, Some(release)),
        utility: Utility {
            groups: summary.groups,
            smallest_group: summary.smallest,
            largest_group: summary.largest,
            dm: summary.dm,
            dm_optimal: summary.dm_optimal,
            cavg: summary.cavg,
            mean_extent: means.collect(),
        },
        columns: columns(policy, loaded),
        omitted: OmittedEntry::of(&loaded.omitted),
        files,
        fit_for_publication: options.test_seed.is_none(),
        notes,
    }
}

/// Queries of each kind that are measured.
const MEASURED_QUERIES: usize = 1_000;

/// The mean error of count queries on each quasi-identifier, on all of them, and
/// on all of them with the sensitive column.
pub(super) fn query_errors(table: &Table, release: &Release) -> Vec<QueryError> {
    let columns = table.quasi_identifiers();
    let all: Vec<usize> = (0..columns.len()).collect();
    let mut kinds: Vec<(String, Vec<usize>, bool)> = columns
        .iter()
        .enumerate()
        .map(|(axis, c)| (c.name().to_owned(), vec![axis], false))
        .collect();
    if columns.len() > 1 {
        kinds.push(("all quasi-identifiers".to_owned(), all.clone(), false));
    }
    kinds.push(("all columns".to_owned(), all, true));
    let measure = |(predicate, axes, with_sensitive): (String, Vec<usize>, bool)| {
        let workload = Workload::random(table, &axes, with_sensitive, MEASURED_QUERIES, 0);
        QueryError {
            predicate,
            mean: workload.mean_error(table, release),
        }
    };
    kinds.into_iter().map(measure).collect()
}

pub(super) fn owner(
    policy: &Policy,
    options: Options,
    loaded: &Loaded,
    timings_ms: BTreeMap<String, f64>,
) -> Owner {
    let missing = loaded
        .omitted
        .missing
        .iter()
        .map(|count| (count.column.clone(), count.rows));
    let files = policy.source.files().unwrap_or_default();
    Owner {
        warning: "Not for publication: this folder was made with knowledge of the true values."
            .to_owned(),
        policy: policy.path.display().to_string(),
        input: files
            .iter()
            .map(|file| file.display().to_string())
            .collect(),
        input_rows: loaded.omitted.input_rows,
        missing: missing.collect(),
        warnings: loaded.warnings.clone(),
        timings_ms,
        test_seed: options.test_seed,
        query_errors: Vec::new(),
        certificate: None,
    }
}
