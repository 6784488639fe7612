//! Queries of a release: counts with conditions, and synthetic rows.
//!
//! Answers use the release alone. A model of the secret given the known columns is fitted to the
//! groups. Completed tables that are published and fitted again give bias and errors (`fitted`, and
//! the crate `openveil-analysis`). Without a fit, answers are certain bounds. Several tables are
//! combined by the most likely joint distribution.
//!
//! In a column of type `number` an interval is spread over the numbers that the column's cells
//! show, if each occurs at least twice on average: these are then taken as all values. Otherwise,
//! if all are whole, it is spread over the whole numbers inside. Otherwise it is spread over a
//! continuum, in which a single number has no share. Bins are spread evenly like intervals. If a
//! bound cuts an open-ended bin, such as `< 300`, half of it is counted.

mod apart;
mod bins;
mod complete;
mod conditions;
mod distribution;
mod fitted;
mod limits;
mod matcher;
mod own;
mod parse;
mod printed;
mod reader;
mod rounded;
mod scale;
mod shares;
mod tables;
mod truth;
mod unpack;

pub use complete::complete;
pub use distribution::ColumnDistribution;
pub use fitted::{
    Cell, CheckEntry, CoefficientEntry, Completed, CrossTable, Effort, FigureEntry,
    IndependenceEntry, LevelsEntry, Metadata, Regression, Request, Statistic, Weights,
};
pub use openveil_analysis::Verdict;
pub use parse::{Condition, Test, parse};
pub use reader::Reader;
pub use rounded::{RoundedCell, RoundedTable, Rounding};
pub use unpack::CellsGiven;

use openveil_core::table::Domain;
use openveil_io::load::Loaded;
use openveil_io::policy::Policy;
use openveil_io::release_dir::{ReleasePlace, write};
use openveil_io::source::RawColumn;
use openveil_io::{Error, Location};
use openveil_rules::worlds::PublishedTable;
use openveil_text::Text;
use serde::Serialize;
use std::collections::HashMap;
use std::path::Path;
use tables::TextTables;

/// A count, estimated from a release.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// The conditions, as they were asked.
    #[serde(rename = "where")]
    pub conditions: String,
    /// Rows of the release; in a history, without filler rows.
    pub rows: usize,
    /// How many of them meet the conditions, with an interval.
    #[serde(flatten)]
    pub figure: FigureEntry,
    /// The estimate with the values of every group spread evenly over its people.
    pub estimate_evenly: f64,
    /// How many rows of the owner's table meet the conditions; only with a policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub true_count: Option<u64>,
    /// |true − estimated| / true, if the true count is not 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative_error: Option<f64>,
    /// Notes on possible misunderstandings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Text>,
}

/// Answers a count from a release. With the policy that the release was made with, it also counts
/// the owner's table. The true count is the owner's secret.
///
/// # Errors
/// Conditions that cannot be read, columns that were not published, files that do
/// not fit their manifest, tables that form a cycle too large to be put together.
pub fn count(
    release: impl Into<ReleasePlace>,
    conditions: &str,
    policy: Option<&Policy>,
) -> Result<Answer, Error> {
    // Reports invalid conditions before the release is read.
    parse(conditions)?;
    Reader::open(release)?.count(conditions, policy)
}

/// Returns the tables of a release as a reader sees them, in the codes of the owner's table.
///
/// # Errors
/// Files that do not fit their manifest, values that the owner's table does not
/// have, and generalised tables.
pub(crate) fn published(
    place: &ReleasePlace,
    table: &Loaded,
) -> Result<Vec<PublishedTable>, Error> {
    let tables = TextTables::read(place)?;
    if !tables.have_exact_rows() {
        let problem = "the tables are generalised or sliced; only those in the anatomy style can be intersected";
        return Err(Error::new(Location::file(place.path()), problem));
    }
    let labels: Vec<HashMap<&str, u32>> = table
        .table
        .columns()
        .iter()
        .map(|column| column.domain().labels().zip(0..).collect::<HashMap<&str, u32>>())
        .collect();
    tables.published(&table.names, &|column: usize, text: &str| labels[column].get(text).copied())
}

/// Draws synthetic rows from a release and writes them to a file (CSV, or Parquet by its ending).
/// They disclose nothing beyond the release. Random draws come from the operating system, or from a
/// seed.
///
/// # Errors
/// As [`count()`], and a file that cannot be written.
pub fn sample(
    release: impl Into<ReleasePlace>,
    rows: usize,
    out: &Path,
    seed: Option<u64>,
) -> Result<(), Error> {
    // Checked before rows are drawn, which may take long.
    write::format_of_file(out)?;
    let reader = Reader::open(release)?;
    write_columns(out, &reader.sample(rows, seed)?)
}

/// Writes columns of text to a file.
fn write_columns(out: &Path, columns: &[RawColumn]) -> Result<(), Error> {
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let domains: Vec<Domain> =
        columns.iter().map(|column| Domain::unordered(column.values.iter())).collect();
    let codes = columns.iter().map(|column| column.codes.clone());
    write::write_file(out, &names, codes.zip(&domains).collect())
}
