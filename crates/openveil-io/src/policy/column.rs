//! A column in a policy.

use super::{Alike, Coarsening, Floor, HierarchyBuilder, HierarchySection, Role, ValueType};
use crate::source::Codebook;
use jiff::tz::TimeZone;
use openveil_core::table::Form;

/// The role of a column and how its values are read.
#[derive(Debug, Clone)]
pub struct ColumnPolicy {
    /// Its role: what readers know of it, and whether it is published.
    pub role: Role,
    /// How its text is read.
    pub value_type: ValueType,
    /// The format of dates, if it is not `YYYY-MM-DD`.
    pub date_format: Option<String>,
    /// How much the precision of a quasi-identifier matters.
    pub weight: u32,
    /// The order of a column's values, least first.
    pub order: Option<Vec<String>>,
    /// The generalisation tree of a quasi-identifier; of a sensitive column, how its
    /// values are related.
    pub hierarchy: Option<HierarchySection>,
    /// Sensitive values that need no protection.
    pub exempt: Vec<String>,
    /// The decision about protected values that look alike; none if the policy does not make one.
    pub alike: Option<Alike>,
    /// Texts that stand for a missing value in this column, besides those of all columns.
    pub missing_values: Vec<String>,
    /// The codebook, if values are codes.
    pub codes: Option<Codebook>,
    /// How sensitive values are coarsened before anything else.
    pub coarsening: Option<Coarsening>,
    /// How the column is published if it is known, regardless of the style.
    pub form: Option<Form>,
    /// Numbers from here on count as one value, and no greater number is published.
    pub top: Option<f64>,
    /// Numbers up to here count as one value, and no lesser number is published.
    pub bottom: Option<f64>,
    /// The finest form in which its values are published.
    pub floor: Option<Floor>,
    /// The sign between thousands of its numbers, if there is one.
    pub thousands: Option<char>,
    /// Whether its numbers are written like `1.234,5` where the input is text.
    pub decimal_comma: bool,
    /// The time zone that decides on which day a moment falls.
    pub timezone: Option<TimeZone>,
    /// Whether its texts are moments in UTC, as files with types have them.
    pub is_zoned: bool,
    /// Whether the values of a person's rows are published as a set.
    pub is_set: bool,
    /// Whether its intervals are published as two columns, the least and the greatest
    /// value, instead of as a text.
    pub bounds: bool,
}

impl ColumnPolicy {
    /// Makes a column of a role and a type, with defaults for all other settings.
    pub fn new(role: Role, value_type: ValueType) -> Self {
        Self {
            role,
            value_type,
            date_format: None,
            weight: 1,
            order: None,
            hierarchy: None,
            exempt: Vec::new(),
            missing_values: Vec::new(),
            codes: None,
            alike: None,
            coarsening: None,
            top: None,
            bottom: None,
            floor: None,
            thousands: None,
            decimal_comma: false,
            timezone: None,
            is_zoned: false,
            is_set: false,
            form: None,
            bounds: false,
        }
    }

    /// Sets how a known column is published, regardless of the style.
    #[must_use]
    pub fn with_form(mut self, form: Form) -> Self {
        self.form = Some(form);
        self
    }

    /// Publishes intervals as two columns, the least and the greatest value.
    #[must_use]
    pub fn with_bounds(mut self) -> Self {
        self.bounds = true;
        self
    }

    /// Sets the values that need no protection if the column is secret.
    #[must_use]
    pub fn with_exempt<V: Into<String>>(mut self, values: impl IntoIterator<Item = V>) -> Self {
        self.exempt = values.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the decision about secret values that look alike, such as `flu` and `Flu`.
    #[must_use]
    pub fn with_alike(mut self, alike: Alike) -> Self {
        self.alike = Some(alike);
        self
    }

    /// Sets the finest form in which values are published.
    #[must_use]
    pub fn with_floor(mut self, floor: Floor) -> Self {
        self.floor = Some(floor);
        self
    }

    /// Sets the order of the values, least first.
    #[must_use]
    pub fn with_order<V: Into<String>>(mut self, values: impl IntoIterator<Item = V>) -> Self {
        self.order = Some(values.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the tree by which a known column is generalised.
    #[must_use]
    pub fn with_hierarchy(mut self, hierarchy: HierarchySection) -> Self {
        self.hierarchy = Some(hierarchy);
        self
    }

    /// Returns the type of the published values: coarsened values are text.
    pub fn published_type(&self) -> ValueType {
        match (&self.coarsening, &self.floor) {
            (Some(_), _) => ValueType::Text,
            _ if self.is_set => ValueType::Text,
            (None, Some(floor)) => floor.published_type(self.value_type),
            (None, None) => self.value_type,
        }
    }

    /// Returns whether the policy lists a value as possible, even if no row holds it: in an order,
    /// or in a tree that no rule builds from the values that occur.
    pub fn gives(&self, value: &str) -> bool {
        let is_in_tree = match &self.hierarchy {
            // The tree of sensitive values states how they are related, not which values exist.
            _ if self.role == Role::Sensitive => false,
            None => false,
            Some(HierarchySection::Path(_)) => true,
            Some(HierarchySection::Built(builder)) => {
                matches!(builder, HierarchyBuilder::File { .. } | HierarchyBuilder::Tree(_))
            }
        };
        is_in_tree || self.order.as_ref().is_some_and(|order| order.iter().any(|own| own == value))
    }
}
