//! A schema on a few people: the reader of each rule, and all columns in one table for comparison.

use super::SchemaFile;
use openveil_core::coins::SecretCoins;
use openveil_core::exact::fraction;
use openveil_core::table::{ColumnSet, Groups, PeopleTable};
use openveil_io::source::Source;
use openveil_io::{Error, Location};
use openveil_rules::baseline::multi_sa;
use openveil_rules::worlds::{Posteriors, PublicationReader, PublishedTable, candidates};
use openveil_rules::{ColumnNames, Dependency, Rule, RulesError};
use openveil_text::{Text, text};
use serde::Serialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The most people whose worlds are enumerated, and the most partial arrangements.
const EXACT_ROWS: usize = 12;
const WORLDS: usize = 1_000_000;

/// The most people on whom a reader is played: the time grows with their square.
const MOST_PEOPLE: usize = 5_000;

/// The time that the integer program of the one table may take.
const TIME: Duration = Duration::from_secs(10);

/// The people of a schema, and the groups of its tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaPeople {
    /// The file with everybody's columns.
    pub path: PathBuf,
    /// For each table that enforces a rule, the column with the numbers of its groups.
    pub groups: Vec<Option<String>>,
    /// The l of the one table.
    pub l: u32,
}

/// A reader of all tables who knows a rule's given columns of everybody.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReaderFound {
    /// `worlds`: all tables that fit were enumerated. `candidates`: values were ruled out person by
    /// person, so that the reader may know more.
    pub method: &'static str,
    /// Number of people.
    pub people: usize,
    /// The number of people of whom the combination of protected columns is certain.
    pub certain: usize,
    /// The highest chance of any combination of protected values of anybody; only by `worlds`.
    pub highest: Option<String>,
}

/// One table with several sensitive columns (multi-SA, the versatile paper's Algorithm 3).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OneTable {
    /// The sensitive columns: those that rules protect.
    pub sensitive: Vec<String>,
    /// No value has a share above 1/l.
    pub l: u32,
    /// Rows of the largest group.
    pub rows: usize,
    /// Rows that fit into no group.
    pub suppressed: usize,
    /// Whether the solver's time ran out, so that a larger group may exist.
    pub timed_out: bool,
}

/// Everybody's columns, and the tables as a reader sees them.
pub(super) struct Played<'a> {
    file: &'a SchemaFile,
    records: PeopleTable,
    tables: Vec<PublishedTable>,
    l: u32,
}

impl<'a> Played<'a> {
    /// Reads the people of a schema, if it names any.
    pub(super) fn read(file: &'a SchemaFile) -> Result<Option<Self>, Error> {
        let Some(people) = &file.people else {
            return Ok(None);
        };
        let path = file.path.parent().unwrap_or(&file.path).join(&people.path);
        let mut wanted: Vec<&str> = file.columns.names().iter().map(|name| &**name).collect();
        wanted.extend(people.groups.iter().flatten().map(String::as_str));
        let choose = |names: &[String]| match wanted
            .iter()
            .find(|own| !names.iter().any(|name| name == **own))
        {
            None => Ok(names.iter().map(|name| wanted.contains(&name.as_str())).collect()),
            Some(name) => Err(Error::new(Location::file(&path), text!("has no column `{name}`"))
                .help(text!("it has {}", names.join(", ")))),
        };
        let raw = Source::new(&path).read(&choose, &|_| {})?;
        if raw.rows > MOST_PEOPLE {
            let problem = text!("has {} rows, more than {}", raw.rows, MOST_PEOPLE);
            return Err(Error::new(Location::file(&path), problem)
                .help("a schema is tried on a few people: name a smaller file"));
        }
        let codes = |name: &str| -> Vec<u32> {
            let own = raw.columns.iter().find(|column| &*column.name == name);
            own.map(|column| column.codes.to_vec()).unwrap_or_default()
        };
        let columns = file.columns.names().iter().map(|name| codes(name)).collect();
        let records = PeopleTable::of_codes(columns)
            .map_err(|cause| Error::new(Location::file(&path), cause.in_words()))?;
        for known in &file.dependencies {
            obeyed(&records, known, &file.columns).map_err(|problem| {
                Error::new(Location::file(&path), problem)
                    .help(text!("correct the file, or leave the dependency out of the schema"))
            })?;
        }
        let tables = file.schema.tables().iter().zip(&people.groups).map(|(table, groups)| {
            let Some(groups) = groups else {
                return PublishedTable::open(&records, table.columns());
            };
            let labels = codes(groups);
            let most = labels.iter().max().map_or(0, |&last| last as usize + 1);
            let known = table.columns() - table.protects();
            PublishedTable::bucketised(
                &records,
                known,
                table.protects(),
                &Groups::from_labels(&labels, most),
            )
        });
        let tables = tables.collect::<Result<_, _>>().map_err(|cause| failed(&path, &cause))?;
        Ok(Some(Self { file, records, tables, l: people.l }))
    }

    /// Returns the conclusions of a rule's reader.
    pub(super) fn reader(&self, rule: Rule) -> Result<ReaderFound, Error> {
        let rows = self.records.rows();
        let failed = |cause| failed(&self.file.path, &cause);
        if rows <= EXACT_ROWS {
            let reader = PublicationReader::new(&self.records, &self.tables, rule.given())
                .map_err(failed)?
                .knowing(&self.file.dependencies);
            match Posteriors::new(&reader, rule.protect(), WORLDS) {
                Ok(found) => {
                    let is_certain = |&row: &usize| found.likeliest(row).1 == fraction(1, 1);
                    return Ok(ReaderFound {
                        method: "worlds",
                        people: rows,
                        certain: (0..rows).filter(is_certain).count(),
                        highest: Some(found.highest().to_string()),
                    });
                }
                Err(RulesError::BeyondLimit { .. }) => {}
                Err(cause) => return Err(failed(cause)),
            }
        }
        let is_certain = |&row: &usize| {
            let code = |column: usize| self.records.codes(column)[row];
            rule.protect().iter().all(|column| {
                candidates(&self.tables, rule.given(), code, column)
                    .is_some_and(|left| left.len() == 1)
            })
        };
        Ok(ReaderFound {
            method: "candidates",
            people: rows,
            certain: (0..rows).filter(is_certain).count(),
            highest: None,
        })
    }

    /// Publishes all columns in one table.
    pub(super) fn one_table(&self) -> Result<OneTable, Error> {
        let sensitive = self.file.rules.iter().map(|rule| rule.protect()).reduce(|a, b| a | b);
        let sensitive = sensitive.unwrap_or_default();
        let coins = &mut SecretCoins::from_os();
        let found = multi_sa(&self.records, sensitive, self.l, TIME, coins)
            .map_err(|cause| failed(&self.file.path, &cause))?;
        Ok(OneTable {
            sensitive: sensitive
                .iter()
                .map(|column| self.file.columns.name(column).to_owned())
                .collect(),
            l: self.l,
            rows: found.group.len(),
            suppressed: found.suppressed.len(),
            timed_out: found.timed_out,
        })
    }
}

fn failed(path: &Path, cause: &RulesError) -> Error {
    Error::new(Location::file(path), cause.to_string())
}

/// Checks that people who are alike on the left side of a dependency are alike on the right.
fn obeyed(records: &PeopleTable, known: &Dependency, columns: &ColumnNames) -> Result<(), Text> {
    let codes = |row: usize, of: ColumnSet| -> Vec<u32> {
        of.iter().map(|column| records.codes(column)[row]).collect()
    };
    let named = |of: ColumnSet| {
        of.iter().map(|column| columns.name(column).to_owned()).collect::<Vec<_>>().join(", ")
    };
    let mut first_of: HashMap<Vec<u32>, usize> = HashMap::new();
    for row in 0..records.rows() {
        let first = *first_of.entry(codes(row, known.given())).or_insert(row);
        if codes(first, known.determines()) != codes(row, known.determines()) {
            return Err(text!(
                "the rows {} and {} break the dependency of `{}` on `{}`",
                first + 1,
                row + 1,
                named(known.determines()),
                named(known.given())
            ));
        }
    }
    Ok(())
}
