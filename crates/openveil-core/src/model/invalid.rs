use openveil_text::{Text, text};
use std::fmt;

/// Why a requirement is invalid, by itself or for a table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidModel {
    /// A parameter out of its range.
    Parameter {
        /// The model's name in policies.
        model: &'static str,
        /// The parameter's name in policies.
        parameter: &'static str,
        /// The value given.
        found: String,
        /// The condition on it, in words.
        expected: Text,
    },
    /// Categories name a value that the sensitive column does not have.
    UnknownValue {
        /// The name.
        value: String,
    },
    /// A value of the sensitive column is in no category.
    NoCategory {
        /// The value.
        value: String,
    },
    /// A value is in two categories.
    TwoCategories {
        /// The value.
        value: String,
    },
    /// A hierarchical distance without a hierarchy.
    NoHierarchy {
        /// The column.
        column: String,
    },
    /// The hierarchy lacks a value of the sensitive column.
    OutsideHierarchy {
        /// The value.
        value: String,
    },
    /// Too many values: deciding whether a property holds for informed readers needs all sets of
    /// values.
    TooManyValues {
        /// The property with its parameters.
        property: String,
        /// Values that occur.
        values: usize,
        /// The most values that there may be.
        most: usize,
    },
}

impl InvalidModel {
    /// The problem in words.
    pub fn in_words(&self) -> Text {
        match self {
            Self::Parameter { model, parameter, found, expected } => {
                text!("{model}: `{parameter} = {found}` must be {expected:text}")
            }
            Self::UnknownValue { value } => {
                text!("`categories` name `{value}`, which no row has")
            }
            Self::NoCategory { value } => {
                text!("the value `{value}` is in none of the `categories`")
            }
            Self::TwoCategories { value } => {
                text!("the value `{value}` is in two of the `categories`")
            }
            Self::NoHierarchy { column } => {
                text!("the sensitive column `{column}` has no hierarchy for measuring distances")
            }
            Self::OutsideHierarchy { value } => {
                text!("the value `{value}` is missing in the hierarchy of the sensitive column")
            }
            Self::TooManyValues { property, values, most } => text!(
                "{property} can be decided exactly for informed readers with up to {most} sensitive values only, and {values} occur"
            ),
        }
    }
}

impl fmt::Display for InvalidModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.in_words().fmt(f)
    }
}

impl std::error::Error for InvalidModel {}
