//! Finds columns of a file by name.

use crate::source::{RawColumn, RawTable};
use crate::{Error, Location};
use openveil_text::text;

/// Returns a column that the file must have.
pub(super) fn column<'a>(raw: &'a RawTable, name: &str) -> Result<&'a RawColumn, Error> {
    raw.columns.iter().find(|column| column.name == name).ok_or_else(|| {
        let problem = text!("has no column `{name}`");
        Error::new(Location::file(&raw.files[0]), problem)
    })
}

/// Reads a column of whole numbers from 1 to `most`.
pub(super) fn numbers(raw: &RawTable, name: &str, most: u32) -> Result<Vec<u32>, Error> {
    let column = column(raw, name)?;
    let number = |(code, text): (u32, &str)| match text.parse::<u32>() {
        Ok(number) if (1..=most).contains(&number) => Ok(number),
        Ok(number) => {
            let problem = text!("`{number}` is not a number from 1 to {most}");
            Err(Error::new(raw.place_of(column, code), problem))
        }
        Err(_) => {
            let problem = text!("`{text}` is not a whole number");
            Err(Error::new(raw.place_of(column, code), problem))
        }
    };
    let numbers: Vec<u32> =
        (0..).zip(column.values.iter()).map(number).collect::<Result<_, Error>>()?;
    Ok(column.codes.iter().map(|&code| numbers[code as usize]).collect())
}
