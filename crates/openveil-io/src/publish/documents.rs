//! What is written beside the tables: for the reader, and for the owner.

use super::{Options, promise};
use crate::load::{Loaded, Omitted};
use crate::policy::{Column, Policy, ValueType};
use crate::release_dir::write::manifest::{ColumnEntry, OmittedEntry, QueryError, Utility};
use crate::release_dir::write::{Manifest, Owner};
use openveil::algorithm::{Adversary, Algorithm};
use openveil::release::{Cells, Release, Style};
use openveil::table::{Domain, Generalization, View};
use openveil::utility::{Summary, Workload};
use std::collections::{BTreeMap, BTreeSet};

/// For each of several columns protected as one, how far the combination's
/// protection falls short of its own: the highest share of one of its values in
/// a group. A function of the release.
fn combination_notes(table: &View, release: &Release) -> Vec<String> {
    let sensitive = table.secret();
    if sensitive.columns().len() < 2 {
        return Vec::new();
    }
    let highest = |part: usize| {
        let share = |group: usize| {
            let mut labels: Vec<&str> = release
                .values(group)
                .iter()
                .map(|&value| sensitive.part(value, part))
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

/// The published columns and what they are; `release` is there once it is made.
pub(super) fn columns(
    policy: &Policy,
    loaded: &Loaded,
    table: &View,
    release: Option<&Release>,
) -> Vec<ColumnEntry> {
    let entry = |name: &String| {
        let mut quasi = table.known().iter().enumerate();
        let quasi = quasi.find(|(_, column)| column.name() == name);
        let covers = quasi
            .zip(release)
            .map(|((axis, column), release)| covered(column.domain(), &release.cells()[axis]));
        let order = match quasi {
            Some((_, column)) => order(&policy.columns[name], column.domain()),
            None => Vec::new(),
        };
        ColumnEntry {
            name: name.clone(),
            role: policy.columns[name].role.name().to_owned(),
            value_type: value_type(&policy.columns[name]),
            order,
            covers: covers.unwrap_or_default(),
        }
    };
    loaded.names.names().iter().map(entry).collect()
}

/// The type of a column's published values, if it is not text.
pub(super) fn value_type(column: &Column) -> Option<String> {
    let name = match column.value_type {
        ValueType::Text => return None,
        ValueType::Integer => "integer",
        ValueType::Number => "number",
        ValueType::Date => "date",
    };
    column.coarsening.is_none().then(|| name.to_owned())
}

/// The order of texts that have one: as in the policy, or that of bins.
pub(super) fn order(column: &Column, domain: &Domain) -> Vec<String> {
    let ordered = matches!(domain.generalization(), Generalization::Interval);
    match ordered && value_type(column).is_none() {
        true => domain.labels().map(str::to_owned).collect(),
        false => Vec::new(),
    }
}

/// The labels of a tree that cells show, with what they cover.
pub(super) fn covered(domain: &Domain, cells: &Cells) -> BTreeMap<String, Vec<String>> {
    let (Some(tree), Cells::Nodes(nodes)) = (domain.hierarchy(), cells) else {
        return BTreeMap::new();
    };
    let wide = nodes.iter().filter(|((low, high), _)| low < high);
    let wide: BTreeSet<_> = wide.collect();
    let entry = |&((low, high), node): &((u32, u32), u32)| {
        let leaves = (low..=high).map(|code| domain.label(code).to_owned());
        (tree.label(node).to_owned(), leaves.collect())
    };
    wide.into_iter().map(entry).collect()
}

/// The style's name in policies and manifests.
pub(super) fn style(policy: &Policy) -> &'static str {
    match policy.style {
        Style::Generalize => "generalize",
        Style::Anatomy => "anatomy",
    }
}

/// What the owner should think about before the release goes out: functions of the
/// manifest.
pub(super) fn remarks(manifest: &Manifest) -> Vec<String> {
    let mut remarks = Vec::new();
    let (largest, rows) = (manifest.utility.largest_group as usize, manifest.rows);
    if 2 * largest > rows && manifest.algorithm != Algorithm::Cover.name() {
        remarks.push(format!(
            "one group holds {largest} of {rows} rows, and says little about them; `cover` makes small groups of every table"
        ));
    }
    if manifest.guarantee.max_posterior.as_deref() == Some("1") {
        remarks.push("the privacy model allows values to become certain; to exclude that, ask for l-diversity as well: `all = [ { … }, { model = \"l-diversity\", l = … } ]`".to_owned());
    }
    remarks
}

/// What every reader of a release should know.
pub(super) fn notes(policy: &Policy, options: Options, omitted: &Omitted) -> Vec<String> {
    let mut notes = vec![
        "Another release of the same table is a second release: the guarantee covers one."
            .to_owned(),
    ];
    if options.test_seed.is_some() {
        notes.push("Made with a test seed: whoever knows the seed undoes the release. InvalidModel for publication.".to_owned());
    }
    if policy.algorithm.adversary() == Adversary::SeesRelease {
        notes.push(format!(
            "The owner accepted that `{}` discloses people to a reader who re-runs it.",
            policy.algorithm.name()
        ));
    }
    for column in &omitted.repeated_identifiers {
        notes.push(format!(
            "The identifier `{column}` repeats: rows may share a person, and the guarantee is about rows."
        ));
    }
    notes
}

pub(super) fn manifest(
    policy: &Policy,
    options: Options,
    loaded: &Loaded,
    table: &View,
    release: &Release,
    files: Vec<String>,
    least_size: u32,
) -> Manifest {
    let summary = Summary::of(release, table, least_size);
    let mut notes = notes(policy, options, &loaded.omitted);
    notes.extend(combination_notes(table, release));
    let means = summary
        .mean_extents
        .iter()
        .map(|extent| (extent.column.clone(), extent.mean));
    Manifest {
        openveil: env!("CARGO_PKG_VERSION").to_owned(),
        rows: release.rows(),
        groups: release.group_count(),
        algorithm: policy.algorithm.name().to_owned(),
        model: promise::model_entry(policy, table),
        style: style(policy).to_owned(),
        guarantee: promise::guarantee(policy, table, Some(release)),
        utility: Utility {
            groups: summary.groups,
            smallest_group: summary.smallest,
            largest_group: summary.largest,
            dm: summary.dm,
            dm_optimal: summary.dm_optimal,
            cavg: summary.cavg,
            mean_extent: means.collect(),
        },
        columns: columns(policy, loaded, table, Some(release)),
        omitted: OmittedEntry::of(&loaded.omitted),
        files,
        delimiter: char::from(policy.output.delimiter),
        decomposition: None,
        tables: Vec::new(),
        rules: Vec::new(),
        dependencies: Vec::new(),
        fit_for_publication: options.test_seed.is_none(),
        notes,
    }
}

/// Queries of each kind that are measured.
const MEASURED_QUERIES: usize = 1_000;

/// The mean error of count queries on each quasi-identifier, on all of them, and
/// on all of them with the sensitive column.
pub(super) fn query_errors(table: &View, release: &Release) -> Vec<QueryError> {
    let columns = table.known();
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
    omitted: &Omitted,
    warnings: Vec<String>,
    timings_ms: BTreeMap<String, f64>,
) -> Owner {
    let missing = omitted
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
        input_rows: omitted.input_rows,
        missing: missing.collect(),
        warnings,
        timings_ms,
        test_seed: options.test_seed,
        query_errors: Vec::new(),
        certificate: None,
    }
}
