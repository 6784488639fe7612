//! The section `[persons]`: people with several rows.

use super::document::{PersonsSection, Role, ValueType, Varying};
use super::written::WrittenPolicy;
use super::{ColumnPolicy, Policy};
use crate::{Error, Location};
use openveil_text::text;
use std::collections::BTreeMap;
use toml::Spanned;

/// The column that a release adds: the number of the person's rows that it covers.
pub const ROWS: &str = "rows_of_person";

/// People with several rows.
#[derive(Debug, Clone)]
pub struct Persons {
    /// The column that says whose a row is.
    pub id: String,
    /// The largest number of rows of a person that count; all rows if none is given.
    pub rows: Option<u32>,
    /// Treatment of a person whose rows differ.
    pub varying: Varying,
}

impl WrittenPolicy<'_> {
    /// Reads the section, and adds the column of numbers of rows, which fixes strata.
    pub(super) fn persons(
        &self,
        section: Option<Spanned<PersonsSection>>,
        columns: &mut BTreeMap<String, ColumnPolicy>,
        strata: &mut Vec<String>,
    ) -> Result<Option<Persons>, Error> {
        let Some(section) = section else {
            return Ok(None);
        };
        let PersonsSection { id, rows, varying } = section.into_inner();
        let name = self.identity(columns, text!("`id` under [persons]"), id)?;
        if let Some(none) = rows.as_ref().filter(|rows| *rows.get_ref() == 0) {
            let place = self.start_of(&none.span());
            return Err(Error::new(place, text!("`rows = 0` under [persons] leaves no rows"))
                .help("write how many rows of a person count, at least 1"));
        }
        let added = ColumnPolicy::new(Role::QuasiIdentifier, ValueType::Integer);
        if columns.insert(ROWS.to_owned(), added).is_some() {
            let place = Location::file(self.path).column(ROWS);
            return Err(Error::new(
                place,
                text!("has the same name as the column that [persons] adds"),
            )
            .help("rename the column in the table"));
        }
        strata.push(ROWS.to_owned());
        columns
            .values_mut()
            .filter(|column| column.role == Role::Sensitive)
            .for_each(|column| column.is_set = true);
        Ok(Some(Persons { id: name, rows: rows.map(Spanned::into_inner), varying }))
    }
}

impl Policy {
    /// Returns whether rows of a person are drawn at random.
    pub fn draws(&self) -> bool {
        self.persons()
            .is_some_and(|persons| persons.rows.is_some() || persons.varying == Varying::Draw)
    }
}
