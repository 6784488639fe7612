//! Missing values: refused, dropped with their rows, or kept as a value.

use super::omitted::{MissingCount, Omitted};
use crate::policy::{Missing, Policy, Role};
use crate::source::{RawColumn, RawTable};
use crate::{Error, Location, Seen, Sight};
use openveil_text::text;
use rayon::prelude::*;

/// The label of missing values that are kept.
pub const MISSING_LABEL: &str = "(missing)";

/// Returns whether a text of a column stands for a missing value: a code of one column may be a
/// value of another.
pub fn is_missing(policy: &Policy, column: &str, text: &str) -> bool {
    let own = policy.columns.get(column).map_or(&[][..], |column| &column.missing_values);
    text.is_empty() || policy.input.missing_values.iter().chain(own).any(|missing| missing == text)
}

/// Returns whether a text of a column, or of its release, stands for a missing value.
pub fn reads_missing(policy: &Policy, column: &str, text: &str) -> bool {
    text == MISSING_LABEL || is_missing(policy, column, text)
}

/// For some columns, by number, whether each of their texts stands for a missing value.
pub type MissingTexts = Vec<(usize, Vec<bool>)>;

/// Returns for each text of a column whether it stands for a missing value; none if no row holds
/// such a text. The dictionary still has the texts of rows that were left out, such as the rows of
/// a sample.
fn missing_texts(policy: &Policy, column: &RawColumn) -> Option<Vec<bool>> {
    let mut missing: Vec<bool> =
        column.values.iter().map(|text| is_missing(policy, &column.name, text)).collect();
    if missing.contains(&true) {
        let counts = column.counts();
        missing.iter_mut().zip(&*counts).for_each(|(missing, &rows)| *missing &= rows > 0);
    }
    missing.contains(&true).then_some(missing)
}

/// Treats missing values as the policy says; `drop_rows` removes the rows that have one.
pub(super) fn handle(
    policy: &Policy,
    raw: &mut RawTable,
    omitted: &mut Omitted,
    drop_rows: impl FnOnce(&mut RawTable, &MissingTexts) -> Result<(), Error>,
) -> Result<(), Error> {
    let missing: MissingTexts = (0..raw.columns.len())
        .filter(|&index| policy.columns[&raw.columns[index].name].role.is_published())
        .filter_map(|index| Some((index, missing_texts(policy, &raw.columns[index])?)))
        .collect();
    for (index, missing) in &missing {
        let column = &raw.columns[*index];
        let counts = column.counts();
        let rows = counts
            .iter()
            .zip(missing)
            .filter(|(_, missing)| **missing)
            .map(|(&rows, _)| rows as usize)
            .sum();
        let is_merged = column
            .values
            .iter()
            .zip(&*counts)
            .any(|(text, &rows)| rows > 0 && text == MISSING_LABEL);
        if policy.input.missing == Missing::Keep && is_merged {
            omitted.merged.push(column.name.clone());
        }
        omitted.missing.push(MissingCount {
            column: column.name.clone(),
            sensitive: matches!(
                policy.columns[&column.name].role,
                Role::Sensitive | Role::Attribute
            ),
            rows,
        });
    }
    match policy.input.missing {
        _ if missing.is_empty() => Ok(()),
        Missing::Keep => refuse_in_strata(policy, raw, &missing),
        Missing::Error => {
            let error = refuse(policy, raw, &missing, &omitted.missing);
            Err(if lacks_protected(policy, raw, &missing) {
                error.of_values(Seen::new(Sight::Missing))
            } else {
                error
            })
        }
        Missing::DropRows => {
            let before = raw.rows;
            let depends_on_values = lacks_protected(policy, raw, &missing);
            drop_rows(raw, &missing)?;
            omitted.rows = before - raw.rows;
            match raw.rows {
                0 => {
                    let error = Error::new(
                        Location::file(&policy.input.source.path),
                        "every row lacks a value in some published column, so no rows would be left",
                    )
                    .help(text!("give columns that are mostly missing the role `drop`"));
                    Err(if depends_on_values {
                        error.of_values(Seen::new(Sight::Missing))
                    } else {
                        error
                    })
                }
                _ => Ok(()),
            }
        }
    }
}

/// Returns whether a protected column lacks values.
fn lacks_protected(policy: &Policy, raw: &RawTable, missing: &MissingTexts) -> bool {
    missing.iter().map(|(index, _)| &raw.columns[*index]).any(|own| policy.protects(&own.name))
}

fn refuse(
    policy: &Policy,
    raw: &RawTable,
    missing: &[(usize, Vec<bool>)],
    counts: &[MissingCount],
) -> Error {
    let counts: Vec<String> =
        counts.iter().map(|count| format!("`{}` in {} rows", count.column, count.rows)).collect();
    let (index, flags) = &missing[0];
    let column: &RawColumn = &raw.columns[*index];
    let first = flags.iter().position(|&missing| missing).unwrap_or(0) as u32;
    let seen = raw.place_of(column, first);
    let mut rows: Vec<usize> = missing
        .iter()
        .flat_map(|(index, flags)| raw.rows_with(&raw.columns[*index], |code| flags[code as usize]))
        .collect();
    rows.sort_unstable();
    rows.dedup();
    Error::new(
        Location::file(&policy.input.source.path),
        text!("values are missing: {} (first seen in {seen})", counts.join(", ")),
    )
    .with_rows(rows)
    .help(text!(
        "under [input], set `missing = \"drop-rows\"` to leave such rows out, or `missing = \"keep\"` to publish them as `{MISSING_LABEL}`"
    ))
}

/// Refuses missing values in columns that fix strata: people without a value have nothing in common
/// that others know.
fn refuse_in_strata(
    policy: &Policy,
    raw: &RawTable,
    missing: &[(usize, Vec<bool>)],
) -> Result<(), Error> {
    let of_rules =
        policy.rules().into_iter().flat_map(|rules| &rules.rules).flat_map(|rule| &rule.strata);
    let strata: Vec<&String> = policy.privacy.strata.iter().chain(of_rules).collect();
    let fixes = |(index, _): &&(usize, Vec<bool>)| strata.contains(&&raw.columns[*index].name);
    let Some((index, flags)) = missing.iter().find(fixes) else {
        return Ok(());
    };
    let column = &raw.columns[*index];
    let first = flags.iter().position(|&missing| missing).unwrap_or(0) as u32;
    let problem = "is empty here, but every row needs a value in a column that fixes strata";
    let rows = raw.rows_with(column, |code| flags[code as usize]);
    Err(Error::new(raw.place_of(column, first), problem).with_rows(rows).help(
        text!("set `missing = \"drop-rows\"` under [input] to leave such rows out, or remove the column from `strata`"),
    ))
}

/// Removes the rows of a table in memory that have a missing value.
pub(super) fn drop_rows(raw: &mut RawTable, missing: &MissingTexts) -> Result<(), Error> {
    let mut keep = vec![true; raw.rows];
    for (index, missing) in missing {
        let codes = &raw.columns[*index].codes;
        keep.par_iter_mut().zip(codes).for_each(|(keep, &code)| *keep &= !missing[code as usize]);
    }
    raw.keep(&keep);
    Ok(())
}
