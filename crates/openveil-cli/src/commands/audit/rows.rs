//! Writes the risks of each row as CSV.

use openveil_io::Error;
use openveil_io::release_dir::write::{Viewer, write_found};
use openveil_tools::audit::RowRisk;
use std::fmt::Write;
use std::path::Path;

/// The beginning of every file that this module writes. It identifies files that may be replaced.
pub(super) const BEGINS: &str = "row,alike";

/// Writes a line per row, in the order of the table: the row number from 1, the number of rows
/// that look alike, and the requested figures.
pub(super) fn write(path: &Path, rows: &[RowRisk]) -> Result<(), Error> {
    let there = RowRisk::measured(rows);
    let mut text = BEGINS.to_owned();
    there.iter().for_each(|(name, _)| text.extend([",", name]));
    text.push('\n');
    for (number, row) in rows.iter().enumerate() {
        let _ = write!(text, "{},{}", number + 1, row.alike);
        for (_, figure) in &there {
            let _ = write!(text, ",{}", figure(row).unwrap_or_default());
        }
        text.push('\n');
    }
    write_found(path, text.as_bytes(), Viewer::Owner)
}
