//! The names of columns.

use super::Error;
use openveil_core::table::{ColumnSet, MAX_COLUMNS};

/// The names of a table's columns: where rules are written, columns have names;
/// where they are reasoned about, numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    names: Vec<String>,
}

impl Columns {
    /// Numbers columns in the order of their names.
    ///
    /// # Errors
    /// [`Error::TooManyColumns`], [`Error::DuplicateColumn`].
    pub fn new<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Result<Self, Error> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        if names.len() > MAX_COLUMNS {
            return Err(Error::TooManyColumns { found: names.len() });
        }
        if let Some(twice) = (1..names.len()).find(|&i| names[..i].contains(&names[i])) {
            return Err(Error::DuplicateColumn {
                column: names[twice].clone(),
            });
        }
        Ok(Self { names })
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// All columns.
    pub fn all(&self) -> ColumnSet {
        ColumnSet::first(self.len())
    }

    /// The name of a column.
    ///
    /// # Panics
    /// If there is no column of this number.
    pub fn name(&self, column: usize) -> &str {
        &self.names[column]
    }

    /// The names in the order of their numbers.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The names of a set's columns, in the order of their numbers.
    pub fn names_of(&self, set: ColumnSet) -> Vec<&str> {
        set.iter().map(|column| self.name(column)).collect()
    }

    /// The number of a column.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`].
    pub fn number(&self, name: &str) -> Result<usize, Error> {
        self.names
            .iter()
            .position(|known| known == name)
            .ok_or_else(|| Error::UnknownColumn {
                column: name.to_owned(),
            })
    }

    /// The set of some names.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`].
    pub fn set<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<ColumnSet, Error> {
        names.into_iter().map(|name| self.number(name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        let columns = Columns::new(["age", "race"]).unwrap();
        assert_eq!(columns.set(["race"]), Ok(ColumnSet::one(1)));
        let unknown = columns.set(["rase"]).unwrap_err();
        assert_eq!(unknown.to_string(), "there is no column `rase`");
        assert!(Columns::new(["a", "b", "a"]).is_err());
        let many = (0..=MAX_COLUMNS).map(|i| i.to_string());
        let message = Columns::new(many).unwrap_err().to_string();
        assert!(
            message.contains("129 columns") && message.contains("128"),
            "{message}"
        );
    }
}
