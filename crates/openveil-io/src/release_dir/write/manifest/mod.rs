//! The two documents beside a release: what the reader gets, and the owner.

mod columns;
mod correlations;
mod guarantee;
mod layout;
mod owner;
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
pub use layout::{LayoutEntry, ParametersEntry, UnitEntry};
pub use owner::Owner;
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

/// The words of every note about an output of an earlier run that the promise does not cover.
pub const NOT_COVERED: &str = "may learn more than is promised";

/// The algorithm of a release without groups.
pub const NO_ALGORITHM: &str = "none";

/// The note of a release by an algorithm that discloses people.
pub fn accepted(algorithm: &str) -> String {
    format!("The owner accepted that `{algorithm}` discloses people to a reader who re-runs it.")
}

/// The format of manifests and of the tables beside them. It grows where a program that reads this one
/// would misread the next; new fields alone do not count, since readers pass over what they do not know.
pub const FORMAT: u32 = 1;

/// Description published beside the table: a function of the release and of public facts, nothing
/// else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The program and its version.
    pub openveil: String,
    /// The number of the format ([`FORMAT`]); 0 before there was one.
    #[serde(default)]
    pub format: u32,
    /// Rows of the release.
    pub rows: usize,
    /// Groups of the release.
    pub groups: usize,
    /// The algorithm's name.
    pub algorithm: String,
    /// Which algorithm chose it by public facts, if one did: `auto`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen_by: Option<String>,
    /// Its other parameters, if it arranges groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<ParametersEntry>,
    /// Groupings that it tried in each block, if it tried one after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trials: Option<TrialsEntry>,
    /// The privacy model with its parameters.
    pub model: ModelEntry,
    /// For which readers the model was kept, if they know more than what is known of all,
    /// and how groups came about for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<ReaderEntry>,
    /// `generalize`, `slice` or `anatomy`.
    pub style: String,
    /// The promise, and against whom it holds.
    pub guarantee: GuaranteeEntry,
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
    /// How several sensitive columns are protected, if each is by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each: Option<EachEntry>,
    /// Which release of a history it is, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<HistoryEntry>,
    /// The strata and their histograms, if the table was published in strata.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strata: Option<StrataEntry>,
    /// Which values share a column, unit by unit, if several do; with rules, every table has
    /// its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<LayoutEntry>,
    /// The files of the release.
    pub files: Vec<String>,
    /// Separator of the fields of CSV files.
    #[serde(default = "comma", skip_serializing_if = "is_comma")]
    pub delimiter: char,
    /// Whether texts of CSV files that begin like a formula, or with an apostrophe, have an
    /// apostrophe before them: spreadsheets do not run them, and whoever reads them takes
    /// it off.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spreadsheet_safe: bool,
    /// With rules: how columns were split over tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decomposition: Option<String>,
    /// With rules: the tables, each with its files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableEntry>,
    /// The rules that the tables keep together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleEntry>,
    /// Dependencies between columns that the reader is taken to know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<DependencyEntry>,
    /// Whether the release may be published at all.
    pub fit_for_publication: bool,
    /// Why not, or what else a reader should know.
    pub notes: Vec<String>,
}

impl Manifest {
    /// The manifest without what names values (layouts of columns, strongest associations): for what is printed.
    #[must_use]
    pub fn without_layouts(&self) -> Self {
        let mut manifest = self.clone();
        manifest.layout = None;
        let learned = manifest.utility.learned.iter_mut();
        let columns = learned.flat_map(|learned| &mut learned.columns);
        columns.for_each(|column| column.strongest = None);
        manifest
            .tables
            .iter_mut()
            .for_each(|table| table.layout = None);
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
