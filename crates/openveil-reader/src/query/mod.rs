//! Asking a release: counts with conditions, and synthetic rows.
//!
//! Answers are those of a reader who has nothing but the release. A model of the secret given the known
//! columns is fitted to the groups; completed tables that are published and fitted again give
//! bias and errors (`fitted`, and the crate `openveil-analysis`). Where there is no fit, answers are
//! bounds that are certain. Tables are put together by the likeliest joint distribution.
//!
//! In a column of type `number` an interval is spread over the numbers that the
//! column's cells show, if each comes up twice or more on average: then they are all
//! there are. Otherwise, if all are whole, over the whole numbers inside; otherwise
//! over a continuum, of which a single number has no share. Bins are spread evenly as
//! intervals; of one without an end, such as `< 300`, half is counted if a bound cuts it.

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
    Cell, CoefficientEntry, Completed, CrossTable, Effort, FigureEntry, LevelsEntry, Metadata,
    Regression, Request, Statistic, Weights,
};
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
    /// Rows of the release; of a history, those that are somebody's.
    pub rows: usize,
    /// How many of them meet the conditions, with an interval.
    #[serde(flatten)]
    pub figure: FigureEntry,
    /// The estimate with the values of every group spread evenly over its people.
    pub estimate_evenly: f64,
    /// How many rows of the owner's table do; only with a policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub true_count: Option<u64>,
    /// |true − estimated| / true, if the true count is not 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative_error: Option<f64>,
    /// Notes on what may have been meant otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Answers a count from a release; with the policy that it was made by, counts the
/// owner's table beside it. The true count is the owner's secret.
///
/// # Errors
/// Conditions that cannot be read, columns that were not published, files that do
/// not fit their manifest, tables that form a cycle too large to be put together.
pub fn count(
    release: impl Into<ReleasePlace>,
    conditions: &str,
    policy: Option<&Policy>,
) -> Result<Answer, Error> {
    // What cannot be asked is said before the release is read.
    parse(conditions)?;
    Reader::open(release)?.count(conditions, policy)
}

/// The tables of a release as their reader sees them, in the codes of the owner's
/// table.
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
    let labels = table.table.columns().iter().map(|column| {
        let labels = column.domain().labels().zip(0..);
        labels.collect::<HashMap<&str, u32>>()
    });
    let labels: Vec<HashMap<&str, u32>> = labels.collect();
    let code = |column: usize, text: &str| labels[column].get(text).copied();
    tables.published(&table.names, &code)
}

/// Draws synthetic rows from what a release says and writes them to a file (CSV, or
/// Parquet by its ending). All that they tell is in the release. Coins come from the
/// operating system, or from a seed.
///
/// # Errors
/// As [`count()`], and a file that cannot be written.
pub fn sample(
    release: impl Into<ReleasePlace>,
    rows: usize,
    out: &Path,
    seed: Option<u64>,
) -> Result<(), Error> {
    // Said before rows are drawn, which may take long.
    write::format_of_file(out)?;
    let reader = Reader::open(release)?;
    write_columns(out, &reader.sample(rows, seed)?)
}

/// Writes columns of text to a file.
fn write_columns(out: &Path, columns: &[RawColumn]) -> Result<(), Error> {
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let domains: Vec<Domain> = columns
        .iter()
        .map(|column| Domain::unordered(column.values.iter()))
        .collect();
    let codes = columns.iter().map(|column| column.codes.clone());
    write::write_file(out, &names, codes.zip(&domains).collect())
}
