//! How a column is written.

use super::{ColumnPolicy, ValueType};

/// A published column in its written form.
#[derive(Debug, Clone)]
pub struct Shape {
    /// Its name.
    pub name: String,
    /// The type of its published values.
    pub value_type: ValueType,
    /// Whether its intervals are two columns.
    pub bounds: bool,
}

impl Shape {
    /// Makes a column of text.
    pub fn text(name: impl Into<String>) -> Self {
        Self { name: name.into(), value_type: ValueType::Text, bounds: false }
    }

    /// Returns the names of the columns of its bounds, the least first.
    pub fn bound_names(&self) -> [String; 2] {
        ["min", "max"].map(|end| format!("{}_{end}", self.name))
    }
}

impl ColumnPolicy {
    /// Returns how the column of this name is written.
    pub fn shape(&self, name: &str) -> Shape {
        Shape { name: name.to_owned(), value_type: self.published_type(), bounds: self.bounds }
    }
}
