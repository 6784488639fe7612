//! The published columns and the form of their cells.

use crate::policy::{Floor, Role};
use crate::source::Codebook;
use openveil_core::release::Style;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A published column.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnEntry {
    /// Its name. The files use it too, unless there are `names`.
    pub name: String,
    /// Names of its columns in the files, if it has several: the least and the greatest value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// `quasi-identifier`, `sensitive` or `other`; with rules `attribute`.
    pub role: String,
    /// `integer`, `number` or `date`; absent for text.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub value_type: Option<String>,
    /// Form of its cells in tables with groups. If the column is known in any of them, the form in
    /// those tables. Rows of a table without groups show values. Absent in releases of earlier
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<CellKind>,
    /// Whether a value is a set of values, all of which the person has: `{a|b}`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sets: bool,
    /// The text that stands for a missing value, if values may be missing. Bounds, and numbers and
    /// dates in Parquet, are empty instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// This number stands for itself and all greater ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<String>,
    /// This number stands for itself and all lesser ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bottom: Option<String>,
    /// The finest form in which its values are published, whatever the table holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<Floor>,
    /// Texts that have an order, least first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<String>,
    /// The rule that made the labels of its hierarchy: `intervals`, `dates` or `prefixes`. These
    /// labels show by themselves which values they stand for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// For each label of a hierarchy in the release, the values that it stands for according to the
    /// policy, whether or not a row holds them. Labels made by a rule are not listed: they show by
    /// themselves which values they stand for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub covers: BTreeMap<String, Vec<String>>,
    /// Labels of the codes that its cells show, and of those listed in `order` and `covers`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codes: Option<Codebook>,
}

/// The rule that cuts texts to prefixes.
pub const PREFIXES: &str = "prefixes";

/// The form of a published cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellKind {
    /// One per group: a closed interval as a text, `[17, 24]`, or a single value.
    Interval,
    /// One per group: a closed interval as two columns.
    Bounds,
    /// One per group: the set of values that occur, `{a|b}`, or a single value; in Parquet a list.
    Set,
    /// One per group: a label of a hierarchy.
    Label,
    /// One per group: a set of labels of a hierarchy that do not overlap.
    Labels,
    /// The row's own value.
    Value,
    /// A value of the group: each such column is shuffled within the group by itself.
    Sliced,
    /// Values with their counts per group, in a file of their own.
    Counted,
}

impl ColumnEntry {
    /// Returns the form of the column's cells; if the release does not state it, the form of its
    /// style.
    pub fn cell_kind(&self, style: Style) -> CellKind {
        self.cells.unwrap_or(match style {
            Style::Generalize if self.role == Role::Sensitive.name() => CellKind::Sliced,
            // Any of the range forms.
            Style::Generalize => CellKind::Interval,
            Style::Slice => CellKind::Sliced,
            Style::Anatomy => CellKind::Value,
        })
    }
}

impl CellKind {
    /// Returns the name in manifests.
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

    /// Returns whether all rows of a group show the same cell.
    pub fn is_range(self) -> bool {
        !matches!(self, Self::Value | Self::Sliced | Self::Counted)
    }
}
