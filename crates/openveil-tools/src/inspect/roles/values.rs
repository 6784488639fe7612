//! Guesses the role of a column from its values.

use super::{Guess, LookedAtColumn, MANY, NO_HINT, may_be_secret};
use crate::inspect::is_missing;
use crate::inspect::names::{parts, speaks_of};
use crate::inspect::words::{KNOWN_VALUES, PLAIN_VALUES, SECRET_VALUES};
use openveil_io::policy::Role;
use openveil_text::{Text, text};

/// Number of columns with numbered names from which they are answers to many questions, or measurements.
const SERIES: usize = 4;

/// Whether a value says nothing about the subject of its column.
fn is_plain(text: &str) -> bool {
    is_missing(text) || speaks_of(&parts(text), &PLAIN_VALUES).is_some()
}

impl LookedAtColumn<'_> {
    /// Whether it says if a row is of a year: `y94`.
    pub(super) fn is_year(&self) -> bool {
        let name = self.column.name.to_lowercase();
        let year = name.strip_prefix("yr").or_else(|| name.strip_prefix('y')).unwrap_or_default();
        let are_digits = year.bytes().all(|byte| byte.is_ascii_digit());
        let says_whether = |text: &str| ["0", "1", "true", "false"].contains(&text);
        are_digits && [2, 4].contains(&year.len()) && self.raw.values.iter().all(says_whether)
    }

    /// A grade is a year of school or a mark; the values show which.
    pub(super) fn grade(&self) -> Option<Guess> {
        if !self.parts.iter().any(|part| part == "grade") || self.parts.len() > 2 {
            return None;
        }
        let present = || self.raw.values.iter().filter(|text| !is_plain(text));
        let year = |text: &str| text.parse::<u8>().ok().filter(|year| *year <= 13);
        // From 1 to 4, it may be a grade of a tumour.
        let is_year = present().all(|text| year(text).is_some())
            && present().filter_map(year).any(|year| year > 4);
        let is_letter = present()
            .all(|text| text.starts_with(|c: char| "ABCDEF".contains(c)) && text.len() <= 2);
        if is_year {
            return Some((Role::QuasiIdentifier, text!("a year of school, by its values")));
        }
        is_letter.then(|| (Role::Sensitive, text!("a mark, by its values")))
    }

    /// Guesses from values that show their meaning, whatever the name.
    pub(super) fn by_values(&self) -> Option<Guess> {
        if self.is_called_age() && self.are_ages() {
            return Some((
                Role::QuasiIdentifier,
                text!("its values can be ages, as its name suggests"),
            ));
        }
        let telling = || self.raw.values.iter().filter(|text| !is_plain(text)).map(parts);
        let first = telling().next().filter(|_| telling().nth(1).is_some() && !self.is_wide())?;
        let about = |subjects| {
            let what = speaks_of(&first, subjects)?;
            let suggests = |value: Vec<String>| speaks_of(&value, subjects) == Some(what);
            telling().all(suggests).then_some(Text::from(what))
        };
        if let Some(what) = about(&KNOWN_VALUES) {
            return Some((Role::QuasiIdentifier, text!("its values are {what:text}")));
        }
        let what = about(&SECRET_VALUES)?;
        Some((Role::Sensitive, text!("its values are {what:text}")))
    }

    /// Whether its name is that of an age with an abbreviation, as `agefm`: `agent` is none.
    fn is_called_age(&self) -> bool {
        let name = self.column.name.to_lowercase();
        name.strip_prefix("age").is_some_and(|rest| {
            !rest.starts_with('n') && !rest.contains(['a', 'e', 'i', 'o', 'u', 'y'])
        })
    }

    /// Whether all values are numbers of years that people live.
    fn are_ages(&self) -> bool {
        let values = || self.raw.values.iter().filter(|text| !is_missing(text));
        let is_age = |text: &str| text.parse::<f64>().is_ok_and(|age| (0.0..=120.0).contains(&age));
        self.column.distinct > 2 && values().all(is_age)
    }

    fn is_wide(&self) -> bool {
        self.column.distinct > MANY
    }

    /// Guesses if neither name nor values say of what the column is. Others hardly know a measurement, or
    /// an answer to one of many questions, but it may be a secret. Everything else is asked about.
    pub(super) fn by_content(&self) -> Guess {
        let secret = |why: Text| (Role::Sensitive, may_be_secret(why));
        match self.column.value_type {
            "text" if 2 * self.column.distinct > self.rows && self.rows > MANY => {
                (Role::Drop, text!("nearly every row has a different text"))
            }
            _ if self.of_series >= SERIES => {
                secret(text!("is one of {} columns with numbered names", self.of_series))
            }
            "number" => secret(text!("is a measurement, and its name does not say of what")),
            "integer" if !self.is_few() => {
                secret(text!("is a count or measurement, and its name does not say of what"))
            }
            _ => (Role::Undecided, NO_HINT.into()),
        }
    }
}
