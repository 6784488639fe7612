//! The two documents beside a release: what the reader gets, and the owner.

use crate::correlations::Measured;
use crate::load::Omitted;
use crate::policy::Role;
use crate::report::sha256;
use openveil::algorithm::{Algorithm, Function, Inside, Trials};
use openveil::exact::text;
use openveil::model::{About, Model};
use openveil::release::{Promise, Reader, Style};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// What is published beside the table: a function of the release and of public
/// facts, nothing else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The program and its version.
    pub openveil: String,
    /// Rows of the release.
    pub rows: usize,
    /// Groups of the release.
    pub groups: usize,
    /// The algorithm's name.
    pub algorithm: String,
    /// Which algorithm chose it by public facts, if one did: `auto`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen_by: Option<String>,
    /// What it tried in each block, if it tried one grouping after the other.
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
    /// What is promised, and against whom.
    pub guarantee: GuaranteeEntry,
    /// How useful the release is, measured on the release.
    pub utility: Utility,
    /// The published columns, in the order of the input.
    pub columns: Vec<ColumnEntry>,
    /// What was left out.
    pub omitted: OmittedEntry,
    /// How rows became people, if people have several rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persons: Option<PersonsEntry>,
    /// Which release of a history it is, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<HistoryEntry>,
    /// The strata and their histograms, if the table was published in strata.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strata: Option<StrataEntry>,
    /// The files of the release.
    pub files: Vec<String>,
    /// What separates the fields of CSV files.
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
    /// What the reader is taken to know about how columns determine one another.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<DependencyEntry>,
    /// Whether the release may be published at all.
    pub fit_for_publication: bool,
    /// Why not, or what else a reader should know.
    pub notes: Vec<String>,
}

fn comma() -> char {
    ','
}

fn is_comma(delimiter: &char) -> bool {
    *delimiter == ','
}

/// A published column.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnEntry {
    /// Its name: in the files, that of the column, unless there are `names`.
    pub name: String,
    /// What its columns are called in the files, where it has several: the least and
    /// the greatest value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// `quasi-identifier`, `sensitive` or `other`; with rules `attribute`.
    pub role: String,
    /// `integer`, `number` or `date`; text without.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub value_type: Option<String>,
    /// What its cells are: in tables with groups, where it is known if it is known
    /// anywhere. Rows of a table without groups show values. Releases of earlier versions
    /// do not say it.
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
    /// Texts that have an order, least first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<String>,
    /// What the labels of a hierarchy that occur in the release stand for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub covers: BTreeMap<String, Vec<String>>,
}

/// What a published cell is.
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
    /// What the cells of the column are; of a release that does not say it, as its style
    /// had it.
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

/// One of several tables that keep rules together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableEntry {
    /// Its name, as in the names of its files.
    pub name: String,
    /// Its columns.
    pub columns: Vec<String>,
    /// What its anonymisation enforces; nothing if it is published as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enforces: Option<Enforced>,
    /// The strata and their histograms, if the table was published in strata.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strata: Option<StrataEntry>,
    /// Rows of the table.
    pub rows: usize,
    /// Groups of the table; 0 if it is published as it is.
    pub groups: usize,
    /// Its files; in the anatomy style the second holds the values of each group.
    pub files: Vec<String>,
}

/// The strata of a table: cells fixed by known columns, in each of which the model is kept
/// by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrataEntry {
    /// The columns that fix them.
    pub columns: Vec<String>,
    /// The strata, in the order of their values.
    pub strata: Vec<StratumEntry>,
}

/// A stratum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StratumEntry {
    /// What its people have in common: a value of each of the columns.
    pub values: Vec<String>,
    /// How many they are.
    pub rows: u32,
    /// How many of them have each sensitive value.
    pub histogram: BTreeMap<String, u32>,
}

/// What the anonymisation of a table enforces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enforced {
    /// The columns counted as known: all others of the table.
    pub given: Vec<String>,
    /// The protected column.
    pub protect: Vec<String>,
    /// What must hold in every group, in words.
    pub model: String,
}

/// A rule that tables keep together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RuleEntry {
    /// What the reader knows of everybody.
    pub given: Vec<String>,
    /// What must not be inferred; several columns as a combination.
    pub protect: Vec<String>,
    /// The privacy model of the rule.
    pub model: ModelEntry,
    /// What keeps it: `unreachable`, or the name of the table that guards it.
    pub by: String,
    /// The highest chance with which what is protected can be guessed.
    pub max_posterior: Option<String>,
}

/// A dependency between columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DependencyEntry {
    /// The columns that determine.
    pub given: Vec<String>,
    /// The columns that are determined.
    pub determines: Vec<String>,
}

/// A privacy model with its parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelEntry {
    /// `l-diversity`; `all` for several models at once.
    pub name: String,
    /// `ratio`, where the model has variants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The parameters, as in the policy.
    #[serde(flatten)]
    pub parameters: BTreeMap<String, serde_json::Value>,
    /// Values that need no protection.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exempt: Vec<String>,
}

impl fmt::Display for ModelEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |(name, value): (&String, &serde_json::Value)| format!("{name} = {value}");
        let parameters = self.parameters.iter().map(named);
        let said: Vec<String> = self.variant.iter().cloned().chain(parameters).collect();
        write!(f, "{} ({})", self.name, said.join(", "))
    }
}

/// A row of the release is a person, whose rows were several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonsEntry {
    /// How many rows of a person count; all without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u32>,
    /// The column that says how many they are, and fixes strata.
    pub column: String,
}

/// Which release of a history this is: facts that a reader knows who knows who was in the
/// table when, and what the program adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// The history's name: releases of one history have the same.
    pub id: String,
    /// Its number, from 1 on.
    pub release: usize,
    /// People in this release.
    pub people: usize,
    /// Those of them who were given a place at this release.
    pub arrived: usize,
    /// People of the release before who are not in this one.
    pub left: usize,
    /// People of the table who are not in this release: their values together allow none,
    /// and they wait for others.
    #[serde(default, skip_serializing_if = "is_none")]
    pub waiting: usize,
    /// Whether groups are those of the release before.
    pub same_groups: bool,
    /// Whether the state of an earlier history was not there: together with its releases,
    /// nothing is promised.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
    /// Rows that are nobody's.
    pub fakes: FakesEntry,
}

/// Rows with values that nobody in their group has any more.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FakesEntry {
    /// How many there are.
    pub rows: usize,
    /// How many in each group that has any, by its number in the release.
    pub groups: BTreeMap<usize, usize>,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// Readers who know more than what is known of all, as in the policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReaderEntry {
    /// By what odds their beliefs differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub odds: Option<String>,
    /// About how many people: a number, or `everybody`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub people: Option<String>,
    /// `arranged` or `random`.
    pub inside: String,
    /// How strongly positions were blurred before people were arranged, if they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<String>,
}

impl ReaderEntry {
    /// What is said of a model, and of how groups come about; nothing of readers who know
    /// what is known of all.
    pub fn of(model: &Model, inside: Inside) -> Option<Self> {
        let informed = model.informed();
        if informed.is_none() && inside == Inside::Arranged {
            return None;
        }
        Some(Self {
            odds: informed.map(|informed| text(informed.odds())),
            people: informed.map(|informed| people(informed.about())),
            inside: inside.name().to_owned(),
            jitter: match inside {
                Inside::Jittered(jitter) => Some(jitter.to_string()),
                Inside::Arranged | Inside::Random => None,
            },
        })
    }
}

fn people(about: About) -> String {
    match about {
        About::Few(people) => people.to_string(),
        _ => "everybody".to_owned(),
    }
}

/// What is promised to a reader who knows more than what is known of all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReaderPromise {
    /// `informed`, `informed-about-everybody`, or `face-value`: who takes the groups as
    /// given.
    pub reader: String,
    /// By what odds beliefs about people differ.
    pub odds: String,
    /// About how many people: a number, or `everybody`.
    pub people: String,
    /// As that of the guarantee.
    pub max_posterior: Option<String>,
    /// The promise in words.
    pub statement: String,
}

impl ReaderPromise {
    fn of(promise: &Promise) -> Self {
        let about = match promise.reader {
            Reader::Informed => promise.informed.about(),
            _ => About::Everybody,
        };
        Self {
            reader: promise.reader.name().to_owned(),
            odds: text(promise.informed.odds()),
            people: people(about),
            max_posterior: promise.chance.bound().map(|bound| bound.to_string()),
            statement: promise.to_string(),
        }
    }
}

/// What is promised, and against whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuaranteeEntry {
    /// `knows-algorithm` or `sees-release`.
    pub adversary: String,
    /// The highest chance with which anybody's protected value can be guessed, as
    /// a fraction; 1 where values may become certain, none where they may not but no
    /// bound is promised.
    pub max_posterior: Option<String>,
    /// What the bound is about: the sensitive column, or a combination of several;
    /// nothing where values may become certain.
    pub protects: Vec<String>,
    /// The promise in words.
    pub statement: String,
    /// What is promised to readers who know more than what is known of all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readers: Vec<ReaderPromise>,
}

impl GuaranteeEntry {
    /// A guarantee as it is written.
    pub fn of(guarantee: &openveil::release::Guarantee) -> Self {
        Self {
            adversary: guarantee.adversary.name().to_owned(),
            max_posterior: guarantee.chance.bound().map(|bound| bound.to_string()),
            protects: guarantee.protects.clone(),
            statement: guarantee.statement.clone(),
            readers: guarantee.readers.iter().map(ReaderPromise::of).collect(),
        }
    }
}

/// How useful a release is: functions of the release and public facts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Utility {
    /// Number of groups.
    pub groups: usize,
    /// Rows of the smallest group.
    pub smallest_group: u32,
    /// Rows of the largest group.
    pub largest_group: u32,
    /// Discernability: the sum of squared group sizes.
    pub dm: u64,
    /// What the discernability of no release with this model can be below.
    #[serde(default)]
    pub dm_lower_bound: u64,
    /// The least discernability that any release with this model can have, where it
    /// is known for certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dm_optimal: Option<u64>,
    /// Rows per group over l.
    pub cavg: f64,
    /// Per quasi-identifier, the mean share of the domain that a cell spans.
    pub mean_extent: BTreeMap<String, f64>,
    /// What the release still shows of how known columns go with each sensitive one;
    /// nothing beyond a million rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub association: Vec<Association>,
}

/// How strongly known columns go with a sensitive one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Association {
    /// The sensitive column; several are joined by ` + `.
    pub sensitive: String,
    /// `cramers-v`, or `correlation-ratio` where sensitive values have an order.
    pub measure: String,
    /// Per known column, 0 for no link to 1 for the closest there is.
    pub strength: BTreeMap<String, f64>,
}

/// What was left out of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OmittedEntry {
    /// Columns that identify people.
    pub identifiers: Vec<String>,
    /// Columns that were not wanted.
    pub dropped: Vec<String>,
    /// Rows left out, for missing values or because they are in a sample.
    pub rows: usize,
    /// Why rows were left out.
    pub reasons: Vec<String>,
}

impl OmittedEntry {
    /// Words for what was left out. Counts per column are the owner's.
    pub fn of(omitted: &Omitted) -> Self {
        let mut reasons = Vec::new();
        if omitted.beyond_rows > 0 {
            let rows = omitted.beyond_rows;
            reasons.push(format!("{rows} rows are of people with more rows than count: those that count were drawn by coins"));
        }
        if omitted.sampled > 0 {
            let rows = omitted.sampled;
            reasons.push(format!("{rows} rows are a sample drawn by coins, of which nothing is published: algorithm and parameters could be chosen on it"));
        }
        if omitted.rows > 0 {
            let names = |sensitive: bool| -> Vec<&str> {
                let counts = omitted
                    .missing
                    .iter()
                    .filter(|count| count.sensitive == sensitive);
                counts.map(|count| &*count.column).collect()
            };
            let (known, secret) = (names(false), names(true));
            if !known.is_empty() {
                reasons.push(format!("a value of {} was missing", known.join(" or ")));
            }
            if !secret.is_empty() {
                reasons.push(format!(
                    "the sensitive value ({}) was missing: whoever knows that a person was in the input and is not among the rows released learns that the person's value was missing",
                    secret.join(" or ")
                ));
            }
        }
        Self {
            identifiers: omitted.identifiers.clone(),
            dropped: omitted.dropped.clone(),
            rows: omitted.rows + omitted.sampled + omitted.beyond_rows,
            reasons,
        }
    }
}

/// What stays with the owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Owner {
    /// Why this file must not be published.
    pub warning: String,
    /// The files of the release that this belongs to, each with its SHA-256; none in a folder that
    /// was written before this was said.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub release: BTreeMap<String, String>,
    /// The policy that was followed.
    pub policy: String,
    /// The input files.
    pub input: Vec<String>,
    /// Rows of the input before any were left out.
    pub input_rows: usize,
    /// Per column, rows without a value.
    pub missing: BTreeMap<String, usize>,
    /// Things about the input that the owner should know.
    pub warnings: Vec<String>,
    /// Milliseconds per stage.
    pub timings_ms: BTreeMap<String, f64>,
    /// Whether coins came from the operating system; if not, the seed.
    pub test_seed: Option<u64>,
    /// The error of count queries, measured with the true values if asked for.
    pub query_errors: Vec<QueryError>,
    /// With rules: how far a reader's estimate of the joint distribution is from the table
    /// (Kullback–Leibler, in nats), measured with the true values if asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub divergence: Option<f64>,
    /// How much of the links with each sensitive column the release keeps; measured with
    /// the true values up to a million rows, or if asked for.
    pub association: Vec<AssociationKept>,
    /// The columns of the table beside those of the release; none without a report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub distributions: Vec<TrueCounts>,
    /// What readers guess who know correlations, if it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlations: Option<Measured>,
    /// What `l-cover.csv` in the same folder is, if it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
}

impl Owner {
    /// Whether the files in a folder are those that it belongs to, as far as it says.
    pub(crate) fn belongs_to(&self, release: &Path) -> bool {
        let mut files = self.release.iter();
        files.all(|(name, hash)| sha256(&release.join(name)).is_ok_and(|own| own == *hash))
    }
}

/// Groupings that were tried one after the other, as in the policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialsEntry {
    /// People in a block.
    pub block: usize,
    /// By function the columns with their levels; runs, if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<BTreeMap<String, u32>>,
    /// How far to jump after each function; what suits a block, if nothing was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jump: Option<Vec<u32>>,
}

impl TrialsEntry {
    /// What an algorithm tries, if it tries anything.
    pub(crate) fn of(algorithm: &dyn Algorithm, trials: &Trials) -> Option<Self> {
        let functions = trials.functions.iter();
        algorithm.profile().takes_trials.then(|| Self {
            block: trials.block,
            functions: functions
                .map(|Function(levels)| levels.iter().cloned().collect())
                .collect(),
            jump: trials.jump.clone(),
        })
    }
}

/// The mean error of random count queries of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueryError {
    /// What the queries ask about.
    pub predicate: String,
    /// Mean of |true − estimated| / max(true, 0.5 % of the rows).
    pub mean: f64,
}

/// How much of the links with a sensitive column a release keeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AssociationKept {
    /// What the figures are not good for.
    pub note: String,
    /// The sensitive column; several are joined by ` + `.
    pub sensitive: String,
    /// `cramers-v`, or `correlation-ratio` where sensitive values have an order.
    pub measure: String,
    /// Each known column.
    pub columns: Vec<LinkKept>,
    /// Each pair of known columns; none if there are many.
    pub pairs: Vec<LinkKept>,
    /// The mean error of queries on one known column and the sensitive one: |true −
    /// estimated| / max(true, 0.5 % of the rows).
    pub query_error: f64,
}

/// The strength of a link in a table and in its release, 0 to 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkKept {
    /// The known columns.
    pub columns: Vec<String>,
    /// In the owner's table.
    pub table: f64,
    /// In the release, as its reader estimates it.
    pub release: f64,
}

/// How many rows of the owner's table fall into each part of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrueCounts {
    /// The column.
    pub column: String,
    /// What each part is, as on the public page.
    pub parts: Vec<String>,
    /// Rows of the owner's table.
    pub table: Vec<f64>,
    /// Rows, as the release's reader estimates them.
    pub release: Vec<f64>,
}
