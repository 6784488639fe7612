//! Policies: what each column is, what must hold, and where things go.
//!
//! A policy is a TOML file. [`Policy::parse`] reads it into unchecked sections
//! and checks them at once; what comes out is consistent by itself. Whether it
//! fits a table is found out by [`crate::load`].

mod document;
mod suggest;

pub use document::{DateCut, HierarchyBuilder, HierarchySection, Missing, Role, ValueType};
pub use suggest::did_you_mean;

use crate::source::{Format, Source};
use crate::{Error, Place};
use document::{ColumnSection, Document};
use openveil::algorithm::Algorithm;
use openveil::privacy::RatioDiversity;
use openveil::release::Style;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A checked policy.
#[derive(Debug, Clone)]
pub struct Policy {
    /// The file it was read from: its folder is where relative paths start.
    pub path: PathBuf,
    /// The table.
    pub source: Source,
    /// What happens to missing values.
    pub missing: Missing,
    /// Texts that stand for a missing value, besides the empty one.
    pub missing_values: Vec<String>,
    /// What each column is.
    pub columns: BTreeMap<String, Column>,
    /// Sensitive columns that are protected as one, if there are several.
    pub combine: Vec<String>,
    /// The privacy model.
    pub model: RatioDiversity,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// How quasi-identifiers are published.
    pub style: Style,
    /// Where the release goes.
    pub out: PathBuf,
    /// How the release is written.
    pub output: OutputFormat,
}

/// What a column is and how its values are read.
#[derive(Debug, Clone)]
pub struct Column {
    /// What the adversary and the release have to do with it.
    pub role: Role,
    /// How its text is read.
    pub value_type: ValueType,
    /// Pattern of dates that are not `YYYY-MM-DD`.
    pub date_format: Option<String>,
    /// How much the precision of a quasi-identifier matters.
    pub weight: u32,
    /// The order of a quasi-identifier's values, least first.
    pub order: Option<Vec<String>>,
    /// The generalisation tree of a quasi-identifier.
    pub hierarchy: Option<HierarchySection>,
    /// Sensitive values that need no protection.
    pub exempt: Vec<String>,
    /// How sensitive values are coarsened before anything else.
    pub coarsening: Option<Coarsening>,
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
    /// What separates the fields of CSV.
    pub delimiter: u8,
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
    /// Reads a policy file.
    ///
    /// # Errors
    /// A file that cannot be read, unknown keys, contradictions.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path)
            .map_err(|cause| Error::io(path, "read the policy", &cause))?;
        Self::parse(&text, path)
    }

    /// Reads a policy from text; `path` names it in messages, and its folder is
    /// where relative paths start.
    ///
    /// # Errors
    /// Unknown keys, contradictions.
    pub fn parse(text: &str, path: &Path) -> Result<Self, Error> {
        let document: Document =
            toml::from_str(text).map_err(|cause| suggest::toml_error(text, path, &cause))?;
        Check { path }.policy(document)
    }

    /// A path as written in the policy, seen from where the program runs.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        resolve(&self.path, path)
    }
}

fn resolve(policy: &Path, path: &Path) -> PathBuf {
    match policy.parent() {
        Some(folder) if path.as_os_str() != "-" => folder.join(path),
        _ => path.to_owned(),
    }
}

/// Turns unchecked sections into a policy.
struct Check<'a> {
    path: &'a Path,
}

impl Check<'_> {
    fn error(&self, problem: impl Into<String>) -> Error {
        Error::new(Place::file(self.path), problem)
    }

    fn policy(&self, document: Document) -> Result<Policy, Error> {
        if document.rules.is_some() {
            return Err(self
                .error("`[[rules]]` are not supported by this version")
                .help(
                    "describe one table with `quasi-identifier` and `sensitive` columns instead",
                ));
        }
        let mut columns = BTreeMap::new();
        for (name, section) in document.columns {
            let column = self.column(&name, section)?;
            columns.insert(name, column);
        }
        let combine = document.privacy.combine.unwrap_or_default();
        self.sensitive_columns(&columns, &combine)?;
        if document.privacy.model != "l-diversity" {
            return Err(self.unknown("privacy model", &document.privacy.model, &["l-diversity"]));
        }
        if document
            .privacy
            .variant
            .as_deref()
            .is_some_and(|variant| variant != "ratio")
        {
            let variant = document.privacy.variant.unwrap_or_default();
            return Err(self.unknown("variant of l-diversity", &variant, &["ratio"]));
        }
        let model = RatioDiversity::new(document.privacy.l)
            .map_err(|cause| self.error(cause.to_string()))?;
        let output = document.output.unwrap_or_default();
        Ok(Policy {
            path: self.path.to_owned(),
            missing: document.input.missing,
            missing_values: document.input.missing_values.clone(),
            source: self.source(document.input)?,
            columns,
            combine,
            model,
            algorithm: self.algorithm(document.algorithm.and_then(|section| section.name))?,
            style: self.style(output.style.as_deref())?,
            out: resolve(self.path, output.dir.as_deref().unwrap_or(Path::new("out"))),
            output: self.output_format(output.format.as_deref(), output.delimiter.as_deref())?,
        })
    }

    fn source(&self, input: document::InputSection) -> Result<Source, Error> {
        let format = match input.format.as_deref() {
            None => None,
            Some("csv") => Some(Format::Csv),
            Some("parquet") => Some(Format::Parquet),
            Some(other) => return Err(self.unknown("input format", other, &["csv", "parquet"])),
        };
        Ok(Source {
            path: resolve(self.path, &input.path),
            format,
            delimiter: self.delimiter(input.delimiter.as_deref())?,
            names: input.names,
            trim: input.trim,
        })
    }

    fn delimiter(&self, text: Option<&str>) -> Result<u8, Error> {
        match text.unwrap_or(",").as_bytes() {
            [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
            _ => Err(self
                .error(format!(
                    "`delimiter = {:?}` is not one ASCII character",
                    text.unwrap_or("")
                ))
                .help("usual ones are \",\", \";\", \"|\" and \"\\t\"")),
        }
    }

    fn algorithm(&self, name: Option<String>) -> Result<Algorithm, Error> {
        let Some(name) = name else {
            return Ok(Algorithm::Cover);
        };
        algorithm(&name).map_err(|error| error.at(self.path))
    }

    fn style(&self, name: Option<&str>) -> Result<Style, Error> {
        match name {
            None | Some("generalize") => Ok(Style::Generalize),
            Some("anatomy") => Ok(Style::Anatomy),
            Some(other) => Err(self.unknown("style", other, &["generalize", "anatomy"])),
        }
    }

    fn output_format(
        &self,
        name: Option<&str>,
        delimiter: Option<&str>,
    ) -> Result<OutputFormat, Error> {
        let names = ["csv", "csv.gz", "csv.zst", "parquet"];
        let (format, compression) = match name.unwrap_or("csv") {
            "csv" => (Format::Csv, Compression::Plain),
            "csv.gz" => (Format::Csv, Compression::Gzip),
            "csv.zst" => (Format::Csv, Compression::Zstd),
            "parquet" => (Format::Parquet, Compression::Plain),
            other => return Err(self.unknown("output format", other, &names)),
        };
        Ok(OutputFormat {
            format,
            compression,
            delimiter: self.delimiter(delimiter)?,
        })
    }

    fn unknown(&self, what: &str, found: &str, known: &[&str]) -> Error {
        suggest::unknown(what, found, known).at(self.path)
    }

    fn sensitive_columns(
        &self,
        columns: &BTreeMap<String, Column>,
        combine: &[String],
    ) -> Result<(), Error> {
        let sensitive: Vec<&str> = columns
            .iter()
            .filter(|(_, column)| column.role == Role::Sensitive)
            .map(|(name, _)| &**name)
            .collect();
        if let Some(stranger) = combine
            .iter()
            .find(|name| !sensitive.contains(&name.as_str()))
        {
            return Err(self
                .error(format!(
                    "`combine` names `{stranger}`, which is not a sensitive column"
                ))
                .help("give the column `role = \"sensitive\"` under [columns]"));
        }
        match sensitive.len() {
            0 => Err(self
                .error("no column has the role `sensitive`; there is nothing to protect")
                .help("give the column that must stay secret `role = \"sensitive\"`")),
            1 => Ok(()),
            several if combine.len() == several => Ok(()),
            _ => Err(self
                .error(format!("the columns {} are all sensitive", sensitive.join(", ")))
                .help(format!(
                    "to protect them as one, say `combine = [{}]` under [privacy]; the guarantee then bounds the combination, not each column",
                    sensitive.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
                ))),
        }
    }

    fn column(&self, name: &str, section: ColumnSection) -> Result<Column, Error> {
        let place = Place::file(self.path).column(name);
        let role = section.role.ok_or_else(|| {
            Error::new(place.clone(), "has no role; nothing is published by oversight")
                .help("say `role = \"quasi-identifier\"`, `\"sensitive\"`, `\"identifier\"` or `\"drop\"`")
        })?;
        let only = |what: &str, needed: Role, given: bool| match given && role != needed {
            true => Err(Error::new(
                place.clone(),
                format!("`{what}` is for columns with the role `{}`", needed.name()),
            )),
            false => Ok(()),
        };
        only("weight", Role::QuasiIdentifier, section.weight.is_some())?;
        only("order", Role::QuasiIdentifier, section.order.is_some())?;
        only(
            "hierarchy",
            Role::QuasiIdentifier,
            section.hierarchy.is_some(),
        )?;
        only("exempt", Role::Sensitive, section.exempt.is_some())?;
        only("prefix", Role::Sensitive, section.prefix.is_some())?;
        only("bins", Role::Sensitive, section.bins.is_some())?;
        only("quantiles", Role::Sensitive, section.quantiles.is_some())?;
        if section.order.is_some() && section.hierarchy.is_some() {
            return Err(Error::new(
                place,
                "has both an `order` and a `hierarchy`; choose one",
            ));
        }
        if section.format.is_some() && section.value_type != ValueType::Date {
            return Err(Error::new(
                place,
                "`format` is for columns with `type = \"date\"`",
            ));
        }
        Ok(Column {
            role,
            value_type: section.value_type,
            date_format: section.format,
            weight: section.weight.unwrap_or(1),
            order: section.order,
            hierarchy: section.hierarchy,
            exempt: section.exempt.unwrap_or_default(),
            coarsening: coarsening(&place, section.prefix, section.bins, section.quantiles)?,
        })
    }
}

fn coarsening(
    place: &Place,
    prefix: Option<usize>,
    bins: Option<Vec<f64>>,
    quantiles: Option<u32>,
) -> Result<Option<Coarsening>, Error> {
    let error = |problem: &str| Err(Error::new(place.clone(), problem));
    match (prefix, bins, quantiles) {
        (None, None, None) => Ok(None),
        (Some(0), None, None) => error("`prefix = 0` would make all values one"),
        (Some(length), None, None) => Ok(Some(Coarsening::Prefix(length))),
        (None, Some(borders), None) => {
            let ascending = borders.windows(2).all(|pair| pair[0] < pair[1]);
            match ascending && !borders.is_empty() && borders.iter().all(|b| b.is_finite()) {
                true => Ok(Some(Coarsening::Bins(borders))),
                false => error("`bins` needs at least one border, in ascending order"),
            }
        }
        (None, None, Some(0 | 1)) => error("`quantiles` needs at least 2"),
        (None, None, Some(parts)) => Ok(Some(Coarsening::Quantiles(parts))),
        _ => error("has several of `prefix`, `bins` and `quantiles`; choose one"),
    }
}

/// The algorithm of a name, or an error with a suggestion.
///
/// # Errors
/// If there is no such algorithm.
pub fn algorithm(name: &str) -> Result<Algorithm, Error> {
    let names = Algorithm::ALL.map(Algorithm::name);
    Algorithm::from_name(name).ok_or_else(|| suggest::unknown("algorithm", name, &names))
}

#[cfg(test)]
mod tests;
