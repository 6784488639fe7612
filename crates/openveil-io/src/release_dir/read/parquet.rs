//! Limits on the contents of a release's Parquet files.

use crate::source::is_list;
use crate::{Error, Location};
use parquet::basic::{LogicalType, Type as Physical};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use std::fs::File;
use std::path::Path;

/// Checks that a file holds only values and sets of texts, and no more rows than its manifest
/// states.
pub(super) fn check(path: &Path, most: usize) -> Result<(), Error> {
    let misfit = |problem: String| Error::new(Location::file(path), problem);
    let file = File::open(path).map_err(|cause| Error::io(path, "open the file", &cause))?;
    let reader = SerializedFileReader::new(file)
        .map_err(|cause| misfit(format!("is not a readable Parquet file: {cause}")))?;
    let metadata = reader.metadata();
    let mut rows = metadata
        .row_groups()
        .iter()
        .map(|group| group.num_rows())
        .chain([metadata.file_metadata().num_rows()]);
    if let Some(rows) = rows.find(|&rows| usize::try_from(rows).map_or(true, |rows| rows > most)) {
        return Err(misfit(format!("has {rows} rows, but its manifest says {most}")));
    }
    let fields = metadata.file_metadata().schema_descr().columns();
    match fields.iter().find(|field| !is_released(field)) {
        None => Ok(()),
        Some(field) => Err(Error::new(
            Location::file(path).column(&field.path().string()),
            "has a type that no column of a release has: text, lists of text, numbers, dates and booleans are possible",
        )),
    }
}

fn is_released(field: &ColumnDescriptor) -> bool {
    let is_flat = field.max_rep_level() == 0 && field.max_def_level() <= 1;
    let logical = field.logical_type_ref();
    let is_value = match field.physical_type() {
        Physical::BYTE_ARRAY => matches!(logical, Some(LogicalType::String)),
        Physical::INT64 | Physical::DOUBLE | Physical::BOOLEAN => logical.is_none(),
        Physical::INT32 => matches!(logical, Some(LogicalType::Date)),
        _ => false,
    };
    is_list(field) || is_flat && is_value
}
