//! A first look at a table, and a starter policy for it.

mod starter;

pub use starter::starter_policy;

use crate::load::iso_date;
use crate::policy::{Role, ValueType};
use crate::source::{Progress, RawColumn, Source, Unusable, likely_delimiter, shown_delimiter};
use crate::{Error, Location};
use openveil::algorithm::cover::MAX_QUASI_IDENTIFIERS;
use rayon::prelude::*;

/// Texts that often stand for a missing value.
const MISSING_TOKENS: [&str; 8] = ["?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL"];

/// What a look at a table found.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Inspection {
    /// The path that was read.
    pub path: String,
    /// Number of rows.
    pub rows: usize,
    /// One entry per column, in the order of the file.
    pub columns: Vec<ColumnProfile>,
}

/// What a look at a column found.
#[derive(Debug, Clone, serde::Serialize)]
pub struct ColumnProfile {
    /// The column's name.
    pub name: String,
    /// The guessed type: `integer`, `number`, `date` or `text`; or `unusable`.
    #[serde(rename = "type")]
    pub value_type: &'static str,
    /// Distinct values, missing ones not counted.
    pub distinct: usize,
    /// Share of the rows whose value no other row has.
    pub unique_share: f64,
    /// Rows without a value.
    pub missing: usize,
    /// Texts that seem to stand for a missing value.
    pub missing_values: Vec<String>,
    /// The most frequent value.
    pub top_value: String,
    /// Its share of the rows that have a value.
    pub top_share: f64,
    /// The largest l that the column allows as sensitive column, if any.
    pub largest_l: Option<u32>,
    /// The guessed role, for the user to correct.
    pub guessed_role: &'static str,
    /// Why the column cannot be read, if it cannot; it can only be dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unusable: Option<String>,
}

/// Looks at a table. Reads all of it once.
///
/// # Errors
/// A file that cannot be read or is malformed, or whose fields are separated by another
/// delimiter.
pub fn inspect(source: &Source, progress: Progress<'_>) -> Result<Inspection, Error> {
    let unusable = source.unusable()?;
    let why = |name: &str| unusable.iter().find(|column| column.column == name);
    let choose = |names: &[String]| {
        several_fields(source, names)?;
        Ok(names.iter().map(|name| why(name).is_none()).collect())
    };
    let raw = source.read(&choose, progress)?;
    let columns = raw.columns.par_iter();
    let mut columns: Vec<ColumnProfile> = columns
        .map(|column| match why(&column.name) {
            None => profile(column),
            Some(unusable) => unread(unusable),
        })
        .collect();
    guess_roles(&mut columns, raw.rows);
    Ok(Inspection {
        path: source.path.display().to_string(),
        rows: raw.rows,
        columns,
    })
}

/// Refuses a table of one column that seems to be several.
fn several_fields(source: &Source, names: &[String]) -> Result<(), Error> {
    let [name] = names else { return Ok(()) };
    let Some(likely) = likely_delimiter(name) else {
        return Ok(());
    };
    let problem = format!(
        "has one column only, `{name}`; its fields seem to be separated by `{}`",
        shown_delimiter(likely)
    );
    let help = format!("say `--delimiter '{}'`", shown_delimiter(likely));
    Err(Error::new(Location::file(&source.path), problem).help(help))
}

/// What is known of a column that cannot be read.
fn unread(column: &Unusable) -> ColumnProfile {
    ColumnProfile {
        name: column.column.clone(),
        value_type: "unusable",
        distinct: 0,
        unique_share: 0.0,
        missing: 0,
        missing_values: Vec::new(),
        top_value: String::new(),
        top_share: 0.0,
        largest_l: None,
        guessed_role: Role::Drop.name(),
        unusable: Some(column.reason.clone()),
    }
}

fn profile(column: &RawColumn) -> ColumnProfile {
    let mut counts = vec![0usize; column.values.len()];
    column
        .codes
        .iter()
        .for_each(|&code| counts[code as usize] += 1);
    let value_type = guess_type(column);
    let is_missing = |text: &str| text.is_empty() || MISSING_TOKENS.contains(&text);
    let texts = || column.values.iter().zip(&counts);
    let present = || texts().filter(|(text, _)| !is_missing(text));
    let rows: usize = present().map(|(_, &count)| count).sum();
    let top = present().max_by_key(|(_, count)| **count);
    let (top_value, top_count) = top.map_or((String::new(), 0), |(text, &count)| {
        (text.to_owned(), count)
    });
    let unique = present().filter(|(_, count)| **count == 1).count();
    let distinct = present().count();
    // A missing value of the sensitive column is kept as one value more.
    let missing = column.codes.len() - rows;
    let values = distinct + usize::from(missing > 0);
    let most = top_count.max(missing);
    let largest_l = column
        .codes
        .len()
        .checked_div(most)
        .unwrap_or(0)
        .min(values) as u32;
    ColumnProfile {
        name: column.name.clone(),
        value_type: type_name(value_type),
        distinct,
        unique_share: unique as f64 / column.codes.len().max(1) as f64,
        missing,
        missing_values: texts()
            .map(|(text, _)| text.to_owned())
            .filter(|text| is_missing(text) && !text.is_empty())
            .collect(),
        top_value,
        top_share: top_count as f64 / rows.max(1) as f64,
        largest_l: (largest_l >= 2).then_some(largest_l),
        guessed_role: Role::Drop.name(),
        unusable: None,
    }
}

fn guess_type(column: &RawColumn) -> ValueType {
    let present = || {
        column
            .values
            .iter()
            .filter(|text| !text.is_empty() && !MISSING_TOKENS.contains(text))
    };
    let all = |fits: fn(&str) -> bool| present().next().is_some() && present().all(fits);
    let whole = |text: &str| {
        let digits = text.strip_suffix(".0").unwrap_or(text);
        // Codes such as `00123` lose their zeros as numbers.
        digits
            .parse::<i64>()
            .is_ok_and(|number| number.to_string() == digits)
    };
    if all(whole) {
        ValueType::Integer
    } else if all(|text| {
        text.parse::<f64>().is_ok_and(f64::is_finite) && !text.starts_with('0')
            || text.starts_with("0.")
    }) {
        ValueType::Number
    } else if all(|text| iso_date(text).is_some()) {
        ValueType::Date
    } else {
        ValueType::Text
    }
}

fn type_name(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Text => "text",
        ValueType::Integer => "integer",
        ValueType::Number => "number",
        ValueType::Date => "date",
    }
}

/// Parts of names that speak of an identifier, and of a secret.
const IDENTIFIER_WORDS: [&str; 10] = [
    "id", "name", "ssn", "nbr", "number", "email", "phone", "address", "passport", "uuid",
];
const SENSITIVE_WORDS: [&str; 18] = [
    "diag",
    "disease",
    "illness",
    "condition",
    "icd",
    "drug",
    "treatment",
    "result",
    "salary",
    "income",
    "wage",
    "rinc",
    "occupation",
    "occ",
    "religion",
    "vote",
    "crime",
    "debt",
];

/// Guesses what columns are. One becomes sensitive: the first whose name speaks
/// of a secret and that allows an l, or else the last text column that allows
/// the largest.
fn guess_roles(columns: &mut [ColumnProfile], rows: usize) {
    let words = |name: &str| -> Vec<String> {
        name.to_lowercase()
            .split(|c: char| !c.is_alphanumeric())
            .map(str::to_owned)
            .collect()
    };
    let speaks_of = |name: &str, known: &[&str]| {
        words(name).iter().any(|word| {
            known
                .iter()
                .any(|k| word == k || (k.len() > 3 && word.contains(k)))
        })
    };
    for column in columns.iter_mut() {
        let many = column.distinct * 2 > rows && rows > 50;
        let names_people = many && speaks_of(&column.name, &IDENTIFIER_WORDS);
        column.guessed_role = if names_people || column.unique_share > 0.95 {
            Role::Identifier.name()
        } else if many || column.distinct < 2 || column.missing * 2 > rows {
            Role::Drop.name()
        } else {
            Role::QuasiIdentifier.name()
        };
    }
    let eligible = |column: &ColumnProfile| {
        column.guessed_role == Role::QuasiIdentifier.name() && column.largest_l.is_some()
    };
    let named = columns.iter().position(|column| {
        let words = words(&column.name);
        let secret = speaks_of(&column.name, &SENSITIVE_WORDS)
            || words
                .iter()
                .any(|word| word.starts_with("occ") || word.ends_with("inc"));
        eligible(column)
            && secret
            && column.distinct <= 1_000
            && column.largest_l.is_some_and(|l| l >= 3)
    });
    let widest = || {
        let texts = columns
            .iter()
            .enumerate()
            .filter(|(_, c)| eligible(c) && c.value_type == "text");
        texts
            .max_by_key(|(_, column)| column.largest_l)
            .map(|(index, _)| index)
    };
    if let Some(index) = named.or_else(widest) {
        columns[index].guessed_role = Role::Sensitive.name();
    }
    // The rest is for the owner to choose from.
    let quasi_identifiers = columns
        .iter_mut()
        .filter(|column| column.guessed_role == Role::QuasiIdentifier.name());
    for column in quasi_identifiers.skip(MAX_QUASI_IDENTIFIERS) {
        column.guessed_role = Role::Drop.name();
    }
}

#[cfg(test)]
mod tests;
