//! Form of the cells of a column.

use crate::policy::{Floor, Role};
use openveil_core::release::Style;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A published column.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnEntry {
    /// Its name: in the files, that of the column, unless there are `names`.
    pub name: String,
    /// Names of its columns in the files, where it has several: the least and the greatest value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// `quasi-identifier`, `sensitive` or `other`; with rules `attribute`.
    pub role: String,
    /// `integer`, `number` or `date`; text without.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub value_type: Option<String>,
    /// Form of its cells: in tables with groups, where it is known if it is known anywhere. Rows of
    /// a table without groups show values. Releases of earlier versions do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<CellKind>,
    /// Whether a value is a set of values, all of which the person has: `{a|b}`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sets: bool,
    /// The text that stands for a missing value, if values may be missing. Bounds, and
    /// numbers and dates in Parquet, are left empty instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// This number stands for all from it on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<String>,
    /// This number stands for all up to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bottom: Option<String>,
    /// The finest form in which its values are published, whatever the table has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<Floor>,
    /// Texts that have an order, least first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<String>,
    /// The rule that made the labels of its hierarchy, which say themselves what they stand for:
    /// `intervals`, `dates` or `prefixes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The values that labels of a hierarchy in the release stand for, where the policy lists
    /// them, whoever has them: a label of a rule says itself what it stands for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub covers: BTreeMap<String, Vec<String>>,
}

/// The rule that cuts texts to their beginnings.
pub const PREFIXES: &str = "prefixes";

/// Form of a published cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellKind {
    /// One per group: a closed interval as a text, `[17, 24]`, or a single value.
    Interval,
    /// One per group: a closed interval as two columns.
    Bounds,
    /// One per group: the values that occur, `{a|b}`, or a single one; in Parquet a list.
    Set,
    /// One per group: a label of a hierarchy.
    Label,
    /// One per group: labels of a hierarchy that lie apart, like a set.
    Labels,
    /// The row's own value.
    Value,
    /// A value of the group: every such column is shuffled inside of it by itself.
    Sliced,
    /// Values with their counts per group, in a file of their own.
    Counted,
}

impl ColumnEntry {
    /// Returns the form of the column's cells; for a release that does not say it, that of its
    /// style.
    pub fn cell_kind(&self, style: Style) -> CellKind {
        self.cells.unwrap_or(match style {
            Style::Generalize if self.role == Role::Sensitive.name() => CellKind::Sliced,
            // Any kind of range.
            Style::Generalize => CellKind::Interval,
            Style::Slice => CellKind::Sliced,
            Style::Anatomy => CellKind::Value,
        })
    }
}

impl CellKind {
    /// The name in manifests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Interval => "interval",
            Self::Bounds => "bounds",
            Self::Set => "set",
            Self::Label => "label",
            Self::Labels => "labels",
            Self::Value => "value",
            Self::Sliced => "sliced",
            Self::Counted => "counted",
        }
    }

    /// Whether all rows of a group show the same.
    pub fn is_range(self) -> bool {
        !matches!(self, Self::Value | Self::Sliced | Self::Counted)
    }
}
