//! Reads releases of other tools in the codes of the owner's view.

use super::codes::value_codes;
use super::{cells, columns::column};
use crate::source::RawTable;
use crate::{Error, Location};
use openveil_core::release::Content;
use openveil_core::table::{Groups, View};
use std::collections::HashMap;

/// Help for a table that does not fit.
pub(super) const MEASURED: &str =
    "measure a release with the policy of the table that it was made from";

/// Reads a generalised table: rows with equal cells in the known columns form a group. Cells are
/// written as in our releases, or are labels of the policy's hierarchies, `*`, or intervals of
/// numbers such as `[20, 30[` or `20-29`. O(rows · columns).
///
/// # Errors
/// A missing column; a cell or value that has no meaning in the owner's table.
pub fn foreign(raw: &RawTable, view: &View) -> Result<Content, Error> {
    let known = view
        .known()
        .iter()
        .map(|known| column(raw, known.name()).map_err(|error| error.help(MEASURED)))
        .collect::<Result<Vec<_>, Error>>()?;
    let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
    let group = |row: usize| {
        let key: Vec<u32> = known.iter().map(|column| column.codes[row]).collect();
        let next = numbers.len() as u32;
        *numbers.entry(key).or_insert(next)
    };
    let of_row: Vec<u32> = (0..raw.rows).map(group).collect();
    let groups = Groups::from_labels(&of_row, numbers.len());
    let cells = view
        .known()
        .iter()
        .zip(&known)
        .map(|(domain, column)| {
            cells::foreign(raw, column, domain, &groups).map_err(|error| error.help(MEASURED))
        })
        .collect::<Result<_, Error>>()?;
    let codes = value_codes(raw, view.secret()).map_err(|error| error.help(MEASURED))?;
    let values = groups.iter().flatten().map(|&row| codes[row as usize]);
    let mut end = 0;
    let ends = groups.iter().map(|rows| {
        end += rows.len() as u32;
        end
    });
    Content::from_parts(ends.collect(), values.collect(), cells)
        .map_err(|cause| Error::new(Location::file(&raw.files[0]), cause.to_string()))
}
