//! Inspects a table, and proposes a starter policy.

mod aim;
mod choice;
mod names;
mod presets;
mod profile;
mod reading;
mod repeats;
mod roles;
mod starter;
mod types;
mod words;

pub use aim::{Aim, costs};
pub use choice::Choice;
pub use presets::Preset;
pub use profile::ColumnProfile;
pub use reading::Said;
pub use starter::{StarterWish, with_costs};

use openveil_io::load::tied::is_shared;
use openveil_io::source::{
    BytesRead, RawColumn, RawTable, Source, Unusable, likely_delimiter, shown_delimiter,
};
use openveil_io::{Error, Location};
use openveil_text::{Text, text};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;

/// Texts that often stand for a missing value.
const MISSING_TOKENS: [&str; 20] = [
    "?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "k.A.", "#N/A", "#NULL!", ".",
    "..", "<NA>", "NaT", "-", "--", "\\N", "n.a.",
];

/// The most rows per value, on average, of a column that identifies people.
const MOST_ROWS: usize = 100;

/// Whether a text probably stands for a missing value.
fn is_missing(text: &str) -> bool {
    text.is_empty() || MISSING_TOKENS.contains(&text)
}

/// The findings about a table.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Inspection {
    /// The path that was read.
    pub path: String,
    /// Number of rows.
    pub rows: usize,
    /// The delimiter of the fields of a text.
    pub delimiter: char,
    /// The encoding of a text file, if not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Whether numbers are written with a decimal comma.
    pub decimal_comma: bool,
    /// Notes on guesses and oddities.
    pub notes: Vec<Text>,
    /// One entry per column, in the order of the file.
    pub columns: Vec<ColumnProfile>,
    /// The choice of a starter policy, if some column can be protected.
    pub starter: Option<Choice>,
}

/// An inspected table.
#[derive(Debug)]
pub struct Inspected {
    /// The findings.
    pub inspection: Inspection,
    /// The table, with the guessed form of its file.
    pub source: Source,
    raw: RawTable,
}

/// Inspects a table: guesses the form of its file, as far as it was not stated, and the roles of
/// its columns with reasons. Reads the whole table once.
///
/// # Errors
/// A file that cannot be read or is malformed.
pub fn inspect(source: &Source, said: &Said, progress: BytesRead<'_>) -> Result<Inspected, Error> {
    let (source, mut notes) = reading::settled(source.clone(), said)?;
    let mut unusable = source.unusable()?;
    let raw = loop {
        let choose = |names: &[String]| {
            several_fields(&source, names)?;
            Ok(names.iter().map(|name| !unusable.iter().any(|own| own.column == *name)).collect())
        };
        match source.read(&choose, progress) {
            Ok(raw) => break raw,
            // A column of bytes whose declared type is text.
            Err(error) => match &error.location().column {
                Some(column) if error.is_about_text() => unusable.push(Unusable {
                    column: column.clone(),
                    reason: "contains bytes that are not text".into(),
                }),
                _ => return Err(error),
            },
        }
    };
    let why = |name: &str| unusable.iter().find(|column| column.column == name);
    let mut columns: Vec<ColumnProfile> = raw
        .columns
        .par_iter()
        .map(|column| match why(&column.name) {
            None => profile::profile(column),
            Some(unusable) => profile::unread(unusable),
        })
        .collect();
    one_decimal_sign(&mut columns, &raw.columns, &mut notes);
    for column in &mut columns {
        // In a text file, the written day counts.
        column.are_moments &= !source.is_text();
        let label = source.memory.as_ref().and_then(|table| table.label(&column.name));
        column.label = label.map(str::to_owned);
    }
    roles::guess(&mut columns, &raw.columns, raw.rows);
    let starter = choice::choose(&mut columns, &raw);
    let decimal_comma = source.is_text() && columns.iter().any(|column| column.decimal_comma);
    notes.extend(empty_rows(&raw));
    notes.extend(oddities(&columns, raw.rows, decimal_comma));
    notes.extend(shared(&columns, &raw, starter.as_ref()));
    notes.extend(missing_texts(&columns));
    notes.extend(slips(&columns, &raw));
    notes.extend(thousands(&columns, &raw));
    notes.extend(blanks_around(&raw));
    notes.extend(unusable.iter().map(|Unusable { column, reason }| {
        text!("the column `{column}` {reason:text}; it can only be dropped")
    }));
    let inspection = Inspection {
        path: source.path.display().to_string(),
        rows: raw.rows,
        delimiter: char::from(source.delimiter),
        encoding: source.encoding.map(|encoding| encoding.name()),
        decimal_comma,
        notes,
        columns,
        starter,
    };
    Ok(Inspected { inspection, source, raw })
}

impl Inspected {
    /// Sets the l for an aim.
    #[must_use]
    pub fn for_aim(mut self, aim: Aim) -> Self {
        if let Some(choice) = &mut self.inspection.starter {
            choice.l = aim.l(choice.l, choice.largest_l);
        }
        self
    }

    /// Returns the first rows as they were read, cell by cell; cells of unreadable columns are
    /// empty.
    pub fn first_rows(&self, rows: usize) -> Vec<Vec<String>> {
        let cell = |column: &RawColumn, row: usize| {
            let code = column.codes.get(row);
            code.map_or_else(String::new, |&code| column.values.get(code).to_owned())
        };
        (0..rows.min(self.raw.rows))
            .map(|row| self.raw.columns.iter().map(|column| cell(column, row)).collect())
            .collect()
    }

    /// Returns the role of each column in the starter policy, with the reason.
    pub fn starter_roles(&self, wish: StarterWish) -> Vec<(&'static str, Text)> {
        starter::roles(&self.inspection, wish)
    }

    /// Returns a commented policy for the table, with guessed roles. `path` is the table's path in
    /// it. The policy was tried: the table can be published with it, once every `undecided` is
    /// decided.
    ///
    /// # Errors
    /// A table without a column that can be protected.
    pub fn starter_policy(self, path: &Path, wish: StarterWish) -> Result<String, Error> {
        starter::tried(self, path, wish)
    }
}

/// Decides on one decimal sign for a table: if some columns have points, columns with commas are
/// text.
fn one_decimal_sign(columns: &mut [ColumnProfile], raw: &[RawColumn], notes: &mut Vec<Text>) {
    let has_point = columns.iter().zip(raw).any(|(column, raw)| {
        let is_number = ["integer", "number"].contains(&column.value_type) && !column.decimal_comma;
        is_number && raw.values.iter().any(|text| text.contains('.'))
    });
    if !has_point {
        return;
    }
    for column in columns.iter_mut().filter(|column| column.decimal_comma) {
        column.decimal_comma = false;
        column.value_type = "text";
        notes.push(text!(
            "`{}` has decimal commas, but other columns have decimal points: it is read as text; write all numbers in the same way",
            column.name
        ));
    }
}

/// Returns a note about empty rows, which would count as people.
fn empty_rows(raw: &RawTable) -> Option<Text> {
    let columns = raw.columns.iter().filter(|column| !column.codes.is_empty());
    let mut empty: Option<Vec<u32>> = None;
    for column in columns {
        let missing: Vec<bool> = column.values.iter().map(is_missing).collect();
        let is_empty = |&row: &u32| missing[column.codes[row as usize] as usize];
        empty = Some(match empty {
            None if missing.contains(&true) => (0..raw.rows as u32).filter(is_empty).collect(),
            None => return None,
            Some(rows) => rows.into_iter().filter(is_empty).collect(),
        });
    }
    match empty?.len() {
        0 => None,
        1 => Some(text!("one row is empty and counts as a person: remove it from the file")),
        rows => Some(text!(
            "{rows} rows are empty, and each counts as a person: remove them from the file"
        )),
    }
}

/// Returns a note about the texts that count as missing values.
fn missing_texts(columns: &[ColumnProfile]) -> Option<Text> {
    let texts: BTreeSet<String> = columns
        .iter()
        .flat_map(|column| &column.missing_values)
        .map(|text| format!("`{text}`"))
        .collect();
    let texts: Vec<String> = texts.into_iter().collect();
    let texts = texts.join(", ");
    (!texts.is_empty()).then(|| {
        text!("read as missing values: {texts} (change this with `missing_values` under [input])")
    })
}

/// Returns notes about columns that have another type except for a few slips.
fn slips(columns: &[ColumnProfile], raw: &RawTable) -> Vec<Text> {
    columns.iter().zip(&raw.columns).filter(|(column, _)| column.value_type == "text").filter_map(|(column, own)| {
        let (what, code) = types::nearly(own, &own.counts())?;
        let (name, slip) = (&column.name, own.values.get(code));
        let place = raw.place_of(own, code);
        Some(text!("nearly all values of `{name}` are {what}, but it is read as text because of `{slip}` ({place}): correct this value, or add it to `missing_values` under [input]"))
    }).collect()
}

/// Returns notes about columns whose numbers may be a thousand times larger than read.
fn thousands(columns: &[ColumnProfile], raw: &RawTable) -> Vec<Text> {
    let is_read =
        |(column, _): &(&ColumnProfile, _)| ["number", "text"].contains(&column.value_type);
    columns.iter().zip(&raw.columns).filter(is_read).filter_map(|(column, own)| {
        let (sign, value) = types::thousands(own)?;
        let name = &column.name;
        let read = match column.value_type {
            "number" => "decimals",
            other => other,
        };
        Some(text!("all values of `{name}` could be whole numbers with `{sign}` between thousands, such as `{value}`, but are read as {read}: if they are whole numbers, write `type = \"integer\", thousands = \"{sign}\"` for the column"))
    }).collect()
}

/// Returns a note about columns whose values have blanks around them.
fn blanks_around(raw: &RawTable) -> Option<Text> {
    let names: Vec<String> = raw
        .columns
        .iter()
        .filter(|column| column.values.iter().any(|text| text != text.trim()))
        .map(|column| format!("`{}`", column.name))
        .collect();
    (!names.is_empty()).then(|| {
        let names = names.join(", ");
        text!("values start or end with blanks in {names}; `--trim` removes them")
    })
}

/// Returns notes about values that were possibly misread, or should be corrected first.
fn oddities(columns: &[ColumnProfile], rows: usize, decimal_comma: bool) -> Vec<Text> {
    let mut notes = Vec::new();
    if decimal_comma {
        notes.push(text!("numbers are written with a decimal comma"));
    }
    if columns.iter().any(|column| column.name.trim() != column.name) {
        notes.push(text!("column names start or end with blanks; `--trim` removes them"));
    }
    if columns.iter().any(|column| column.name.trim().parse::<f64>().is_ok()) {
        notes.push(text!("the first line looks like data, not like a header; if it is data, list column names as `names = [...]` under [input]"));
    }
    for column in columns {
        let name = &column.name;
        if let (Some(format), true) = (column.date_format, column.is_ambiguous) {
            notes.push(text!(
                "days and months of `{name}` could be swapped; read as `{format}` (change this with `format` of the column)"
            ));
        } else if let Some(format) = column.date_format {
            notes.push(text!("dates of `{name}` are written as `{format}`"));
        }
        if let Some(format) = column.may_be_dates {
            notes.push(text!(
                "numbers of `{name}` may be dates: then write `type = \"date\", format = \"{format}\"` for the column"
            ));
        }
        if column.are_moments {
            notes.push(text!(
                "`{name}` contains points in time in UTC, whose dates depend on the time zone. Set `timezone` under [input]"
            ));
        }
        if column.date_format.is_some_and(|format| format.contains("%y")) {
            notes.push(text!(
                "years of `{name}` have two digits: 69 to 99 are read as 1969 to 1999, and 00 to 68 as 2000 to 2068; if other years are meant (people born before 1969), write years of four digits"
            ));
        }
        let repeats = column.distinct + column.missing < rows;
        // A value in so many rows does not identify a person.
        let repeats = repeats && rows <= MOST_ROWS * column.distinct;
        if column.guessed_role == "identifier" && repeats {
            let (values, about) = (column.distinct, &column.reason);
            notes.push(if column.is_household {
                text!(
                    "`{name}` {about:text}: {values} in {rows} rows. A reader who knows who lives together can intersect their groups. If household members share the secret, write `[ties] id = {name:?}` in the policy; if not, `rows-are-people = true` under [input]"
                )
            } else {
                text!(
                    "`{name}` has {values} values in {rows} rows. If the rows of one value are one person's, write `[persons] id = {name:?}` in the policy; if they are people who share the secret, as in a household, `[ties] id = {name:?}`; or reduce the table to one row per person (`person = {name:?}` under [input] then checks it)"
                )
            });
        }
    }
    notes
}

/// Returns notes about columns within whose values the secret hardly varies, whatever their names.
fn shared(columns: &[ColumnProfile], raw: &RawTable, starter: Option<&Choice>) -> Vec<Text> {
    let secret = starter
        .and_then(|choice| raw.columns.iter().find(|column| column.name == choice.sensitive));
    let Some(secret) = secret else {
        return Vec::new();
    };
    columns
        .iter()
        .zip(&raw.columns)
        .filter(|(column, own)| {
            let repeats = column.distinct + column.missing < raw.rows && own.name != secret.name;
            repeats && 10 * column.distinct > raw.rows && column.unusable.is_none()
        })
        .filter(|(_, own)| is_shared(own, secret, &|text| !is_missing(text))).map(|(column, _)| {
        text!(
            "rows with the same value of `{}` nearly always have the same value of `{}`: if readers know which rows belong together, write `[ties] id = {:?}` in the policy",
            column.name, secret.name, column.name
        )
    }).collect()
}

/// Refuses a table with a single column that seems to hold several fields.
fn several_fields(source: &Source, names: &[String]) -> Result<(), Error> {
    let [name] = names else { return Ok(()) };
    let Some(likely) = likely_delimiter(name) else {
        return Ok(());
    };
    let problem = text!(
        "has one column only, `{name}`; its fields seem to be separated by `{}`",
        shown_delimiter(likely)
    );
    let help = text!("use `--delimiter '{}'`", shown_delimiter(likely));
    Err(Error::new(Location::file(&source.path), problem).help(help))
}

#[cfg(test)]
mod tests;
