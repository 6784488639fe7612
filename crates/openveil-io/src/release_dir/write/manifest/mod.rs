//! The two documents beside a release: the reader's manifest, and the owner's record.

mod columns;
mod correlations;
mod guarantee;
mod owner;
mod parameters;
mod people;
mod tables;
mod utility;

pub use columns::PREFIXES;
pub use columns::{CellKind, ColumnEntry};
pub use correlations::{
    Correlations, MeasuredCorrelations, NotMeasured, PublicTable, ReadingEntry, SliceEntry,
};
pub use guarantee::is_within;
pub use guarantee::{
    GuaranteeEntry, ModelEntry, ReaderEntry, ReaderPromise, TrialsEntry, UnknownReader,
};
pub use owner::Owner;
pub use parameters::ParametersEntry;
pub use people::{
    EachEntry, FakesEntry, HistoryEntry, OmittedEntry, PersonsEntry, TieSizeEntry, TiesEntry,
};
pub use tables::{DependencyEntry, Enforced, RuleEntry, StrataEntry, StratumEntry, TableEntry};
pub use utility::{
    Association, AssociationKept, LearnedColumn, LearnedEntry, LinkKept, QueryError, Strongest,
    TrueCounts, Utility,
};

use serde::{Deserialize, Serialize};

/// The note of a release that was made with a test seed.
pub const SEEDED: &str =
    "Made with a test seed: whoever knows the seed undoes the release. Unfit for publication.";

/// The algorithm of a release without groups.
pub const NO_ALGORITHM: &str = "none";

/// Returns the note of a release by an algorithm that discloses people's values.
pub fn accepted(algorithm: &str) -> String {
    format!("The owner accepted that `{algorithm}` discloses people to a reader who re-runs it.")
}

/// The version of the format of manifests and of the tables beside them. It increases if a program
/// for this version would misread the next. New fields alone do not count, since readers skip
/// unknown fields.
pub const FORMAT: u32 = 2;

/// The description published beside the table. It depends on the release and on public facts only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The program and its version.
    pub openveil: String,
    /// The version of the format ([`FORMAT`]); 0 in releases from before versions were counted.
    #[serde(default)]
    pub format: u32,
    /// Number of rows of the release.
    pub rows: usize,
    /// Number of groups of the release.
    pub groups: usize,
    /// Number of classes: rows of a group that are shown alike. Absent if groups are not divided,
    /// and with rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<usize>,
    /// The algorithm's name.
    pub algorithm: String,
    /// The algorithm that chose it by public facts, if one did: `auto`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen_by: Option<String>,
    /// Its other parameters, if it arranges groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<ParametersEntry>,
    /// Groupings that it tried in each block, if it tries groupings in turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trials: Option<TrialsEntry>,
    /// The privacy model with its parameters.
    pub model: ModelEntry,
    /// The readers with inside knowledge against whom the model holds, and how groups were formed
    /// for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<ReaderEntry>,
    /// `generalize`, `slice` or `anatomy`.
    pub style: String,
    /// The guarantee, and against which readers it holds.
    pub guarantee: GuaranteeEntry,
    /// Number of rows in groups above which no cut was refused, if the algorithm refuses cuts: what
    /// a reader believes about the people of such a group stays as it was, beside what the group's
    /// values say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unrefused: Option<u64>,
    /// How useful the release is, measured on the release.
    pub utility: Utility,
    /// The published columns, in the order of the input.
    pub columns: Vec<ColumnEntry>,
    /// Columns and rows that were left out.
    pub omitted: OmittedEntry,
    /// How rows became people, if people have several rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persons: Option<PersonsEntry>,
    /// Rows that share their sensitive value, if some do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ties: Option<TiesEntry>,
    /// How several sensitive columns are protected, if each is protected by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each: Option<EachEntry>,
    /// The number and facts of a release in its history, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<HistoryEntry>,
    /// The strata and their histograms, if the table was published in strata.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strata: Option<StrataEntry>,
    /// The files of the release.
    pub files: Vec<String>,
    /// Separator of the fields of CSV files.
    #[serde(default = "comma", skip_serializing_if = "is_comma")]
    pub delimiter: char,
    /// Whether texts of CSV files that start like a formula, or with an apostrophe, are written
    /// with an apostrophe in front. Spreadsheets then do not run them, and readers remove it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spreadsheet_safe: bool,
    /// With rules: how columns were split over tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decomposition: Option<String>,
    /// With rules: the tables, each with its files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableEntry>,
    /// The rules that the tables satisfy together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleEntry>,
    /// Dependencies between columns that the reader is assumed to know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<DependencyEntry>,
    /// Whether some readers know of earlier outputs that the guarantee does not cover; the notes say
    /// which.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncovered_outputs: bool,
    /// Whether the release may be published at all.
    pub fit_for_publication: bool,
    /// The reasons why not, or other facts that a reader should know.
    pub notes: Vec<String>,
}

/// The subject of a guarantee's bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protected<'a> {
    /// Values may become certain.
    Nothing,
    /// The values of a column.
    One(&'a str),
    /// The values of several columns, each by itself.
    Each(&'a [String]),
    /// The combinations of several columns' values, and not each value by itself.
    Together(&'a [String]),
    /// The columns that rules protect, against readers who know the rules' other columns.
    ByRules(&'a [String]),
}

impl Manifest {
    /// Whether groups were made by matching people who are alike, as `cover` does. No model then says
    /// how values came into groups.
    pub fn is_matched(&self) -> bool {
        self.algorithm == "cover"
    }

    /// Whether people, and not rows, are counted, several columns are protected, or there are
    /// several releases.
    pub fn is_of_sets(&self) -> bool {
        self.persons.is_some()
            || self.ties.is_some()
            || self.each.is_some()
            || self.history.is_some()
    }

    /// Returns the subject of the guarantee's bound.
    pub fn protected(&self) -> Protected<'_> {
        match self.guarantee.protects.as_slice() {
            [] => Protected::Nothing,
            columns if !self.rules.is_empty() => Protected::ByRules(columns),
            [column] => Protected::One(column),
            columns if self.each.is_some() => Protected::Each(columns),
            columns => Protected::Together(columns),
        }
    }

    /// Returns the manifest without the strongest associations, which name values, to be printed.
    #[must_use]
    pub fn without_values(&self) -> Self {
        let mut manifest = self.clone();
        let learned = manifest.utility.learned.iter_mut();
        learned.flat_map(|learned| &mut learned.columns).for_each(|column| column.strongest = None);
        manifest
    }
}

fn comma() -> char {
    ','
}

fn is_comma(delimiter: &char) -> bool {
    *delimiter == ','
}

#[cfg(test)]
mod tests;
