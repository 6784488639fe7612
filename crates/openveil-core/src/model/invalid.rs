/// Why a requirement is invalid, by itself or for a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidModel {
    /// A parameter out of its range.
    #[error("{model}: `{parameter} = {found}` must be {expected}")]
    Parameter {
        /// The model's name in policies.
        model: &'static str,
        /// The parameter's name in policies.
        parameter: &'static str,
        /// The value given.
        found: String,
        /// The condition on it, in words.
        expected: &'static str,
    },
    /// Categories name a value that the sensitive column does not have.
    #[error("`categories` name `{value}`, which no row has")]
    UnknownValue {
        /// The name.
        value: String,
    },
    /// A value of the sensitive column is in no category.
    #[error("the value `{value}` is in none of the `categories`")]
    NoCategory {
        /// The value.
        value: String,
    },
    /// A value is in two categories.
    #[error("the value `{value}` is in two of the `categories`")]
    TwoCategories {
        /// The value.
        value: String,
    },
    /// A hierarchical distance without a hierarchy.
    #[error("the sensitive column `{column}` has no hierarchy for measuring distances")]
    NoHierarchy {
        /// The column.
        column: String,
    },
    /// The hierarchy lacks a value of the sensitive column.
    #[error("the value `{value}` is missing in the hierarchy of the sensitive column")]
    OutsideHierarchy {
        /// The value.
        value: String,
    },
    /// Too many values: deciding whether a property holds for informed readers needs all sets of
    /// values.
    #[error(
        "{property} can be decided exactly for informed readers with up to {most} sensitive values only, and {values} occur"
    )]
    TooManyValues {
        /// The property with its parameters.
        property: String,
        /// Values that occur.
        values: usize,
        /// The most values that there may be.
        most: usize,
    },
}
