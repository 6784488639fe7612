//! The sections of a policy as they are written, unchecked.

use crate::source::Codebook;
use openveil_core::model::Parameters;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub(super) input: InputSection,
    pub(super) columns: BTreeMap<String, ColumnSection>,
    pub(super) privacy: Option<Spanned<Parameters>>,
    pub(super) reader: Option<Spanned<Parameters>>,
    pub(super) history: Option<Spanned<HistorySection>>,
    pub(super) persons: Option<Spanned<PersonsSection>>,
    pub(super) ties: Option<Spanned<TiesSection>>,
    pub(super) algorithm: Option<AlgorithmSection>,
    pub(super) output: Option<OutputSection>,
    pub(super) rules: Option<Vec<Spanned<toml::Table>>>,
    pub(super) dependencies: Option<Vec<Spanned<DependencySection>>>,
    pub(super) purpose: Option<Spanned<super::Purpose>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InputSection {
    pub(super) path: PathBuf,
    pub(super) format: Option<String>,
    pub(super) delimiter: Option<String>,
    /// The sign before a quotation mark inside of a field.
    pub(super) escape: Option<Spanned<String>>,
    /// How texts are encoded; UTF-8 if not said.
    pub(super) encoding: Option<Spanned<String>>,
    /// `.` or `,`.
    pub(super) decimal: Option<Spanned<String>>,
    /// The time zone that decides on which day a moment falls.
    pub(super) timezone: Option<Spanned<String>>,
    /// The sheet of a workbook.
    pub(super) sheet: Option<String>,
    /// The column that tells people apart: each row has a different person.
    pub(super) person: Option<Spanned<String>>,
    /// Whether every row is a different person, although an identifier repeats.
    #[serde(default, rename = "rows-are-people")]
    pub(super) rows_are_people: bool,
    pub(super) names: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    pub(super) trim: bool,
    #[serde(default)]
    pub(super) missing: Missing,
    #[serde(default)]
    pub(super) missing_values: Vec<String>,
}

/// Treatment of rows with a missing value in a published column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// Missing values are an error that states the number per column.
    #[default]
    Error,
    /// The rows are left out, and the manifest states how many.
    DropRows,
    /// A missing value is a value of its own.
    Keep,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ColumnSection {
    pub(super) role: Option<Role>,
    #[serde(default, rename = "type")]
    pub(super) value_type: ValueType,
    pub(super) format: Option<String>,
    /// The sign between thousands.
    pub(super) thousands: Option<String>,
    pub(super) weight: Option<u32>,
    pub(super) order: Option<Vec<String>>,
    pub(super) hierarchy: Option<HierarchySection>,
    pub(super) exempt: Option<Vec<String>>,
    /// Texts that stand for a missing value in this column.
    #[serde(default)]
    pub(super) missing_values: Vec<String>,
    /// The codebook, if values are codes.
    pub(super) codes: Option<Codebook>,
    /// Whether values that look alike count as one value.
    #[serde(default)]
    pub(super) merge: bool,
    /// Whether values that look alike count as different values.
    #[serde(default)]
    pub(super) distinct: bool,
    pub(super) prefix: Option<usize>,
    pub(super) bins: Option<Vec<f64>>,
    pub(super) quantiles: Option<u32>,
    /// Numbers from here on count as one value.
    pub(super) top: Option<Spanned<f64>>,
    /// Numbers up to here count as one value.
    pub(super) bottom: Option<Spanned<f64>>,
    /// The l of the column, if each column is protected by itself.
    pub(super) l: Option<Spanned<u32>>,
    /// The finest form in which its values are published.
    pub(super) floor: Option<Spanned<toml::Value>>,
    /// `range` or `values`.
    pub(super) publish: Option<Spanned<String>>,
    /// `text` or `bounds`.
    pub(super) cells: Option<Spanned<String>>,
    #[serde(rename = "lowest-common-ancestor")]
    pub(super) lowest_common_ancestor: Option<Spanned<bool>>,
}

/// The role of a column: what readers know of it, and whether it is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Names a person; never published.
    Identifier,
    /// Known to readers, with the person it belongs to.
    QuasiIdentifier,
    /// Secret.
    Sensitive,
    /// Known to some readers and secret from others, as rules state.
    Attribute,
    /// For analysis: neither secret nor known to others.
    #[serde(alias = "insensitive")]
    Other,
    /// Not needed; never published.
    Drop,
    /// Not decided by the owner yet. A policy with such a column is not run.
    Undecided,
}

impl Role {
    /// Another name of [`Role::Other`] in policies.
    pub(super) const INSENSITIVE: &str = "insensitive";

    /// Returns the name in policies.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identifier => "identifier",
            Self::QuasiIdentifier => "quasi-identifier",
            Self::Sensitive => "sensitive",
            Self::Attribute => "attribute",
            Self::Other => "other",
            Self::Drop => "drop",
            Self::Undecided => "undecided",
        }
    }

    /// Returns whether the column's values are published.
    pub fn is_published(self) -> bool {
        !matches!(self, Self::Identifier | Self::Drop | Self::Undecided)
    }
}

/// How a column's text is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueType {
    /// Unchanged text.
    #[default]
    Text,
    /// A whole number, such as `32` or `32.0`.
    Integer,
    /// A decimal number.
    Number,
    /// A calendar date.
    Date,
    /// `true` or `false`.
    Boolean,
}

impl ValueType {
    /// Returns whether the values have an order of their own.
    pub fn is_ordered(self) -> bool {
        !matches!(self, Self::Text | Self::Boolean)
    }

    /// Returns its name in policies.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Date => "date",
            Self::Boolean => "boolean",
        }
    }
}

/// Where a generalisation tree comes from.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum HierarchySection {
    /// A CSV file: `leaf;level1;…;*`.
    Path(PathBuf),
    /// A file with another delimiter, a tree, or a rule.
    Built(HierarchyBuilder),
}

/// A tree written in the policy, or a rule that makes one.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum HierarchyBuilder {
    /// A CSV file and what separates its fields.
    File {
        /// The file.
        path: PathBuf,
        /// One ASCII character.
        #[serde(default = "semicolon")]
        delimiter: String,
        /// The encoding, if not UTF-8.
        encoding: Option<String>,
        /// The contents of the file, for a machine that does not have the file.
        #[serde(skip)]
        text: Option<String>,
    },
    /// Nested tables of labels; the innermost level lists values.
    Tree(toml::Table),
    /// Intervals of these widths over numbers.
    Intervals(Vec<f64>),
    /// Truncation of dates to any of `day`, `month`, `year`.
    Dates(Vec<DateCut>),
    /// Prefixes of these lengths.
    Prefixes(Vec<usize>),
}

/// A level to which dates are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateCut {
    /// The date itself.
    Day,
    /// `YYYY-MM`.
    Month,
    /// `YYYY`.
    Year,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AlgorithmSection {
    pub(super) name: Option<String>,
    /// People in a block.
    pub(super) block: Option<usize>,
    /// Functions to try in a block, the finest first.
    pub(super) functions: Option<Vec<ColumnLevels>>,
    /// How far to jump after each function.
    pub(super) jump: Option<Vec<u32>>,
    /// With rules: how columns are split over tables.
    pub(super) decomposition: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OutputSection {
    pub(super) dir: Option<PathBuf>,
    pub(super) format: Option<String>,
    pub(super) delimiter: Option<String>,
    /// Whether texts that spreadsheets would run as formulas are written with a mark.
    #[serde(rename = "spreadsheet-safe")]
    pub(super) spreadsheet_safe: Option<bool>,
    pub(super) style: Option<Spanned<String>>,
    /// The fewest rows of a class.
    pub(super) class: Option<Spanned<i64>>,
    /// `text` or `bounds`, for every column that can have bounds.
    pub(super) cells: Option<Spanned<String>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DependencySection {
    /// A name or a list of names.
    pub(super) given: toml::Value,
    /// A name or a list of names.
    pub(super) determines: toml::Value,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HistorySection {
    pub(super) state: PathBuf,
    pub(super) person: Spanned<String>,
    #[serde(default)]
    pub(super) changes: Changes,
    pub(super) episode: Option<Spanned<String>>,
    pub(super) key: Option<PathBuf>,
}

/// Treatment of people whose value differs from the last release.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Changes {
    /// They are an error that states their number.
    #[default]
    Refuse,
    /// Values may change from one episode to the next, and everybody gets a new place for each
    /// episode. This assumes readers for whom values of different episodes are independent.
    NewEpisode,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TiesSection {
    pub(super) id: Spanned<String>,
    pub(super) largest: Option<Spanned<u32>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PersonsSection {
    pub(super) id: Spanned<String>,
    pub(super) rows: Option<Spanned<u32>>,
    #[serde(default)]
    pub(super) varying: Varying,
}

/// Treatment of people whose rows differ on a quasi-identifier.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Varying {
    /// They are an error that names the column.
    #[default]
    Refuse,
    /// One of the person's rows is drawn at random and published for all of them.
    Draw,
}

/// A level of a hierarchy in `functions`, as it is written.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum Level {
    Number(u32),
    Name(String),
}

/// Columns that tell people apart, and the level at which they do.
pub(super) type ColumnLevels = BTreeMap<String, Level>;

/// The delimiter of ARX.
fn semicolon() -> String {
    ";".to_owned()
}

impl HierarchySection {
    /// Returns the file that holds the tree, and its delimiter; none if the tree is written in the
    /// policy.
    pub fn file(&self) -> Option<(&Path, &str)> {
        match self {
            Self::Path(path) => Some((path, ";")),
            Self::Built(HierarchyBuilder::File { path, delimiter, .. }) => Some((path, delimiter)),
            Self::Built(_) => None,
        }
    }

    /// Returns the name of its file's encoding, if the policy states one.
    pub fn encoding(&self) -> Option<&str> {
        match self {
            Self::Built(HierarchyBuilder::File { encoding, .. }) => encoding.as_deref(),
            _ => None,
        }
    }

    /// Returns the tree with `text`, decoded, as the contents of its file.
    pub fn with_text(&self, text: &str) -> Self {
        match self.file() {
            None => self.clone(),
            Some((path, delimiter)) => Self::Built(HierarchyBuilder::File {
                path: path.to_owned(),
                delimiter: delimiter.to_owned(),
                encoding: None,
                text: Some(text.to_owned()),
            }),
        }
    }
}
