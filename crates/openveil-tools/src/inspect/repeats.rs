//! The question about a column that names people and repeats.

use super::starter::quoted;
use super::{ColumnProfile, Inspection, is_missing};
use openveil_io::policy::Role;
use openveil_io::source::{RawColumn, RawTable};
use std::fmt::Write;

/// Returns the comment that asks if rows of one value are one person's, if a column repeats. It depends
/// on known columns only: an answer that is not offered because values do not allow it would be a refusal
/// that nobody records.
pub(super) fn question(inspection: &Inspection, raw: &RawTable) -> String {
    let is_named = |column: &&ColumnProfile| column.guessed_role == Role::Identifier.name();
    let repeats = |column: &&ColumnProfile| column.distinct + column.missing < inspection.rows;
    let Some(column) = inspection.columns.iter().filter(is_named).find(repeats) else {
        return String::new();
    };
    let name = quoted(&column.name);
    let mut question = format!(
        "# DECIDE: {name} repeats, and nothing is published before you choose one of these.\n"
    );
    if column.missing == 0 {
        let varying = if varies(inspection, raw, &column.name) {
            " and varying = \"draw\" (one of the person's rows, drawn at random)"
        } else {
            ""
        };
        let _ = write!(
            question,
            "# A person has several rows: write [persons] with id = {name}{varying}; columns with the role other must go.\n# Its rows are people who share the secret, as in a household: write [ties] with id = {name}.\n"
        );
    }
    question.push_str("# Every row is another person:\n# rows-are-people = true\n");
    question
}

/// Whether the rows of one name differ in a known column. O(rows · columns).
fn varies(inspection: &Inspection, raw: &RawTable, name: &str) -> bool {
    let Some(id) = raw.columns.iter().find(|own| own.name == name) else {
        return false;
    };
    let columns = inspection.columns.iter().zip(&raw.columns);
    let mut known = columns.filter(|(own, _)| own.guessed_role == Role::QuasiIdentifier.name());
    known.any(|(_, column)| differs_within(id, column))
}

fn differs_within(id: &RawColumn, column: &RawColumn) -> bool {
    let missing: Vec<bool> = id.values.iter().map(is_missing).collect();
    let mut first: Vec<Option<u32>> = vec![None; id.values.len()];
    id.codes.iter().zip(&column.codes).any(|(&own, &code)| {
        !missing[own as usize] && *first[own as usize].get_or_insert(code) != code
    })
}
