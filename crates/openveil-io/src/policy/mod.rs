//! Policies: what each column is, which model the release has to satisfy, and where it is written.
//!
//! A policy is a TOML file. [`Policy::parse`] reads it into unchecked sections and checks them at
//! once, so the returned policy is consistent by itself. [`crate::load`] checks whether it fits a
//! table.

mod check;
mod column;
mod columns;
mod document;
mod each;
pub mod errors;
mod extra;
mod floor;
mod forms;
mod grammar;
mod history;
mod input;
mod kind;
mod model;
pub mod persons;
mod purpose;
mod reader;
mod rules;
mod sample;
mod shape;
mod sizes;
mod strata;
mod ties;
mod trials;
mod written;

pub use column::ColumnPolicy;
pub use document::{
    DateCut, HierarchyBuilder, HierarchySection, Missing, Role, ValueType, Varying,
};
pub use each::EachPolicy;
pub use extra::Extra;
pub use floor::{Floor, Period, us_zip_area};
pub use history::HistoryPolicy;
pub use kind::{KindName, PublicationKind};
pub use persons::{Persons, ROWS as ROWS_OF_PERSON};
pub use purpose::{Decision, Purpose, RISKS};
pub use rules::{DecompositionChoice, NamedDependency, NamedRule, Rules};
pub use sample::{ReadRows, Sample};
pub use shape::Shape;
pub use ties::TiesPolicy;

use crate::source::{Format, Source};
use crate::{Error, ErrorKind, spelling};
use document::Document;
use openveil_core::algorithm::{Algorithm, Inside, Settings, Trials};
use openveil_core::model::{Model, Parameters};
use openveil_core::release::{CLASS_SIZE, Style};
use openveil_papers::algorithm;
use openveil_text::text;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use toml::Spanned;
use written::WrittenPolicy;

/// A checked policy: what the owner states about a table and its release.
#[derive(Debug, Clone)]
pub struct Policy {
    /// The file it was read from; relative paths start at its folder.
    pub path: PathBuf,
    /// The table and its reading.
    pub input: InputPolicy,
    /// The columns by name.
    pub columns: BTreeMap<String, ColumnPolicy>,
    /// The kind of publication: one table or several, once or repeatedly, people with one row or
    /// several.
    pub kind: PublicationKind,
    /// The promise that the owner asks for.
    pub privacy: PrivacyPolicy,
    /// How groups are made.
    pub method: MethodPolicy,
    /// How and where the release is written.
    pub output: OutputPolicy,
    /// The purpose and the recipients, for the evidence of the release; without influence on it.
    pub purpose: Option<Purpose>,
}

/// The table of a policy, and how its rows are read.
#[derive(Debug, Clone)]
pub struct InputPolicy {
    /// The table.
    pub source: Source,
    /// The rows that are read; a policy file itself always means all.
    pub part: ReadRows,
    /// Treatment of missing values.
    pub missing: Missing,
    /// Texts that stand for a missing value, besides the empty text.
    pub missing_values: Vec<String>,
    /// The column that tells people apart, if the owner named one: no two rows have the same
    /// person.
    pub person: Option<String>,
    /// Whether every row is a different person, although an identifier repeats.
    pub rows_are_people: bool,
}

/// The promise that the owner asks for, and the readers against whom it holds.
#[derive(Debug, Clone)]
pub struct PrivacyPolicy {
    /// The privacy model; with rules, the model of the first rule.
    pub model: Model,
    /// Sensitive columns that are protected as one, if there are several.
    pub combine: Vec<String>,
    /// Quasi-identifiers that fix strata; the model holds in each stratum by itself. With rules,
    /// each rule has its own strata.
    pub strata: Vec<String>,
    /// Whether the owner is told what readers who know correlations can guess.
    pub measures: bool,
    /// The public table that those readers know; if none is named, half of the owner's table.
    pub public: Option<PathBuf>,
}

/// How groups are made.
#[derive(Debug, Clone)]
pub struct MethodPolicy {
    /// The algorithm.
    pub algorithm: &'static dyn Algorithm,
    /// The fewest rows of a group, if the owner named a number.
    pub smallest_group: Option<NonZeroU32>,
    /// How people of a stratum are put into groups.
    pub inside: Inside,
    /// Groupings to try in turn, for an algorithm that does so.
    pub trials: Trials,
}

/// How and where a release is written.
#[derive(Debug, Clone)]
pub struct OutputPolicy {
    /// How quasi-identifiers are published.
    pub style: Style,
    /// The fewest rows of a class, if the owner named a number.
    pub class: Option<NonZeroU32>,
    /// The folder of the release.
    pub dir: PathBuf,
    /// The folder of the owner's records about the table, wherever a release is written: the
    /// `owner` folder of the policy's own output.
    pub records: PathBuf,
    /// The format of its files.
    pub format: OutputFormat,
}

/// A decision about cells that read alike: `Flu` and `flu`, `7` and `007`
/// ([`crate::load::readings`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alike {
    /// They are spellings of one value.
    Merge,
    /// They are different values.
    Distinct,
}

/// How sensitive values are coarsened.
#[derive(Debug, Clone, PartialEq)]
pub enum Coarsening {
    /// The first characters of a text.
    Prefix(usize),
    /// Numbers by half-open intervals between these borders.
    Bins(Vec<f64>),
    /// Numbers by intervals that hold about equally many rows.
    Quantiles(u32),
}

/// How a release is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputFormat {
    /// CSV or Parquet.
    pub format: Format,
    /// Compression of CSV.
    pub compression: Compression,
    /// Separator of fields in CSV.
    pub delimiter: u8,
    /// Whether CSV texts that spreadsheets would run as formulas begin with an apostrophe.
    pub spreadsheet_safe: bool,
}

/// Compression of a CSV file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// None.
    Plain,
    /// `.gz`
    Gzip,
    /// `.zst`
    Zstd,
}

impl Policy {
    /// Reads a policy; `input` replaces its table if given.
    ///
    /// # Errors
    /// As [`Policy::read`].
    pub fn read_with(path: &Path, input: Option<&Path>) -> Result<Self, Error> {
        let mut policy = Self::read(path)?;
        if let Some(input) = input {
            policy.input.source.turn_to(input);
        }
        Ok(policy)
    }

    /// Reads a policy file.
    ///
    /// # Errors
    /// A file that cannot be read, unknown keys, contradictions.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path)
            .map_err(|cause| Error::io(path, "read the policy", &cause))?;
        Self::parse(&text, path)
    }

    /// Reads a policy from text; `path` names it in messages, and relative paths start at its
    /// folder.
    ///
    /// # Errors
    /// Unknown keys, contradictions.
    pub fn parse(text: &str, path: &Path) -> Result<Self, Error> {
        let document = toml::from_str(text);
        document
            .map_err(|cause| errors::toml_error(text, path, &cause))
            .and_then(|document: Document| WrittenPolicy { path, text }.policy(document))
            .map_err(|error| error.of_kind(ErrorKind::Policy))
    }

    /// Returns the column that says whose a row is, for a history, people with several rows, or
    /// ties.
    pub(crate) fn identity(&self) -> Option<&str> {
        match &self.kind {
            PublicationKind::Single | PublicationKind::Rules(_) | PublicationKind::Each(_) => None,
            PublicationKind::History(history) => Some(&history.person),
            PublicationKind::Persons(persons) => Some(&persons.id),
            PublicationKind::Ties(ties) => Some(&ties.id),
        }
    }

    /// Returns the column that names the episode of a row's person.
    pub(crate) fn episode(&self) -> Option<&str> {
        self.history()?.episode.as_deref()
    }

    /// Returns the columns that tell people apart and in which no two rows are equal.
    pub(crate) fn people(&self) -> impl Iterator<Item = &str> {
        let remembered = self.history().map(|history| &*history.person);
        self.input
            .person
            .as_deref()
            .filter(|&own| Some(own) != remembered)
            .into_iter()
            .chain(remembered)
    }

    /// Returns whether a column is sensitive, or protected by a rule.
    pub fn protects(&self, name: &str) -> bool {
        let is_named = self
            .rules()
            .into_iter()
            .flat_map(|rules| &rules.rules)
            .any(|rule| rule.protect.iter().any(|own| own == name));
        self.columns[name].role == Role::Sensitive || is_named
    }

    /// Returns the algorithm's settings for arranging groups.
    pub fn settings(&self) -> Settings {
        Settings {
            keeps_marginals: self.publishes_ranges(),
            inside: self.method.inside,
            trials: self.method.trials.clone(),
            smallest_group: self.method.smallest_group,
            ..Settings::default()
        }
    }

    /// Returns the fewest rows of a class for a model: rows of a group that are shown alike.
    pub fn class_size(&self, model: &Model) -> NonZeroU32 {
        let asked = self.output.class.map_or(CLASS_SIZE, NonZeroU32::get);
        NonZeroU32::new(asked.max(model.least_class())).unwrap_or(NonZeroU32::MIN)
    }

    /// Returns whether any known column is published as a range, so that a reader has to guess
    /// where in it a value lies.
    fn publishes_ranges(&self) -> bool {
        let known =
            |column: &&ColumnPolicy| matches!(column.role, Role::QuasiIdentifier | Role::Attribute);
        self.columns.values().filter(known).any(|column| self.output.style.is_range(column.form))
    }

    /// Returns a path of the policy, relative to the folder that the program runs in.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        resolve(&self.path, path)
    }
}

/// Returns the privacy model of parameters written as in the section `[privacy]` of a policy, with
/// commas between them: `model = "t-closeness", t = 0.3`.
///
/// # Errors
/// Unknown keys, parameters that are missing, superfluous or out of range.
pub fn privacy(parameters: &str) -> Result<Model, Error> {
    let path = Path::new("--privacy");
    let text = format!("privacy = {{ {parameters} }}");
    let mut sections: BTreeMap<String, Spanned<Parameters>> =
        toml::from_str(&text).map_err(|cause| errors::toml_error(&text, path, &cause))?;
    let check = WrittenPolicy { path, text: &text };
    match sections.remove("privacy") {
        Some(section) if section.get_ref().get("strata").is_some() => Err(check
            .error("`strata` is not a parameter of a model")
            .help(text!("use the option `--strata`"))),
        Some(section) => model::model(&check, &section),
        None => Err(check.error("names no `model`")),
    }
}

/// Returns the style of this name, or an error with a suggestion.
///
/// # Errors
/// If there is no such style.
pub fn style(name: &str) -> Result<Style, Error> {
    Style::ALL
        .into_iter()
        .find(|style| style.name() == name)
        .ok_or_else(|| spelling::unknown("style", name, &Style::ALL.map(Style::name)))
}

/// Returns the algorithm of this name, or an error with a suggestion.
///
/// # Errors
/// If there is no such algorithm.
pub fn algorithm(name: &str) -> Result<&'static dyn Algorithm, Error> {
    algorithm::named(name).ok_or_else(|| {
        let names: Vec<&str> = algorithm::all().map(|known| known.name()).collect();
        spelling::unknown("algorithm", name, &names)
    })
}

fn resolve(policy: &Path, path: &Path) -> PathBuf {
    let place = match policy.parent() {
        Some(folder) if path.as_os_str() != "-" => folder.join(path),
        _ => path.to_owned(),
    };
    // An empty path does not exist as a folder, so `.` stands for the folder that the program runs
    // in.
    if place.as_os_str().is_empty() { PathBuf::from(".") } else { place }
}

#[cfg(test)]
mod tests;
