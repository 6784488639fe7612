//! The names of columns.

use super::RulesError;
use openveil_core::table::{ColumnSet, MAX_COLUMNS};

/// The names of a table's columns. Rules are written with names; code that reasons about rules uses
/// numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnNames {
    names: Vec<String>,
}

impl ColumnNames {
    /// Numbers columns in the order of their names.
    ///
    /// # Errors
    /// [`RulesError::TooManyColumns`], [`RulesError::DuplicateColumn`].
    pub fn new<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Result<Self, RulesError> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        if names.len() > MAX_COLUMNS {
            return Err(RulesError::TooManyColumns { found: names.len() });
        }
        if let Some(twice) = (1..names.len()).find(|&i| names[..i].contains(&names[i])) {
            return Err(RulesError::DuplicateColumn { column: names[twice].clone() });
        }
        Ok(Self { names })
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no columns.
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
    /// [`RulesError::UnknownColumn`].
    pub fn number(&self, name: &str) -> Result<usize, RulesError> {
        self.names
            .iter()
            .position(|known| known == name)
            .ok_or_else(|| RulesError::UnknownColumn { column: name.to_owned() })
    }

    /// The set of some names.
    ///
    /// # Errors
    /// [`RulesError::UnknownColumn`].
    pub fn set<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<ColumnSet, RulesError> {
        names.into_iter().map(|name| self.number(name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        let columns = ColumnNames::new(["age", "race"]).unwrap();
        assert_eq!(columns.set(["race"]), Ok(ColumnSet::one(1)));
        let unknown = columns.set(["rase"]).unwrap_err();
        assert_eq!(unknown.to_string(), "unknown column `rase`");
        assert!(ColumnNames::new(["a", "b", "a"]).is_err());
        let many = (0..=MAX_COLUMNS).map(|i| i.to_string());
        let message = ColumnNames::new(many).unwrap_err().to_string();
        assert!(message.contains("129 columns") && message.contains("128"), "{message}");
    }
}
