//! The published tables of a release as text, and their answers.

use super::matcher::Matcher;
use super::scale::Scale;
use openveil_core::release::Style;
use openveil_core::table::ColumnSet;
use openveil_io::policy::Role;
use openveil_io::release_dir::ReleasePlace;
use openveil_io::release_dir::read::{ReleaseFolder, ReleasedTable};
use openveil_io::release_dir::write::Manifest;
use openveil_io::release_dir::write::manifest::{CellKind, ColumnEntry};
use openveil_io::{Error, Location};
use openveil_rules::ColumnNames;
use openveil_rules::estimate::SparseMarginal;
use openveil_rules::worlds::PublishedTable;
use openveil_text::text;
use std::collections::HashMap;

/// The most pairs of a row and a value of its group in a joint distribution.
const MOST_PAIRS: u64 = 1 << 26;

/// A release, and the meaning of its texts.
#[derive(Debug)]
pub(super) struct TextTables {
    folder: ReleaseFolder,
    pub(super) columns: ColumnNames,
    /// The numbered texts of every column, as cells show them.
    pub(super) dictionaries: Vec<TextNumbers>,
    pub(super) scales: Vec<Scale>,
}

impl TextTables {
    /// Reads a release.
    pub(super) fn read(place: &ReleasePlace) -> Result<Self, Error> {
        let folder = ReleaseFolder::read(place)?;
        let entries = &folder.manifest.columns;
        let columns = ColumnNames::new(entries.iter().map(|entry| entry.name.clone()))
            .map_err(|cause| failed(&folder, &cause))?;
        let mut dictionaries = vec![TextNumbers::default(); columns.len()];
        for (_, column) in folder.tables.iter().flat_map(ReleasedTable::columns) {
            let number = columns.number(&column.name).map_err(|cause| failed(&folder, &cause))?;
            for text in column.values.iter() {
                dictionaries[number].add(text);
            }
        }
        let shown = entries.iter().zip(&dictionaries);
        let scales = shown.map(|(entry, shown)| Scale::new(entry, &shown.texts));
        Ok(Self { scales: scales.collect(), columns, dictionaries, folder })
    }

    /// The release.
    pub(super) fn folder(&self) -> &ReleaseFolder {
        &self.folder
    }

    pub(super) fn into_folder(self) -> ReleaseFolder {
        self.folder
    }

    /// Returns the meaning of the texts of a column.
    pub(super) fn scale(&self, name: &str) -> Option<&Scale> {
        self.scales.get(self.columns.number(name).ok()?)
    }

    pub(super) fn manifest(&self) -> &Manifest {
        &self.folder.manifest
    }

    /// Whether known columns are published exactly, in whole rows.
    pub(super) fn have_exact_rows(&self) -> bool {
        let kind = |column: &ColumnEntry| column.cell_kind(self.folder.style);
        let mut columns = self.manifest().columns.iter();
        self.folder.style == Style::Anatomy && columns.all(|column| !kind(column).is_range())
    }

    /// Returns the error for something that cannot be computed from the tables.
    pub(super) fn failed(&self, cause: &openveil_rules::RulesError) -> Error {
        failed(&self.folder, cause)
    }

    /// Whether no two tables share a column. Nothing is then known about dependencies between their
    /// columns, and counts are products.
    pub(super) fn are_disjoint(&self) -> bool {
        self.folder.tables.iter().map(|table| table.entry.columns.len()).sum::<usize>()
            == self.in_tables()
    }

    /// Returns the number of columns that are in some table.
    fn in_tables(&self) -> usize {
        let shown = self.dictionaries.iter();
        shown.filter(|shown| !shown.texts.is_empty()).count()
    }

    /// Returns the numbers of the tables that have some of the requested columns.
    pub(super) fn asked(
        &self,
        matchers: &HashMap<String, Matcher<'_>>,
    ) -> impl Iterator<Item = usize> {
        let is_asked = |table: &ReleasedTable| {
            table.entry.columns.iter().any(|name| matchers.contains_key(name))
        };
        self.folder
            .tables
            .iter()
            .enumerate()
            .filter(move |(_, table)| is_asked(table))
            .map(|(number, _)| number)
    }

    /// Whether a column is for analysis, neither known nor secret.
    pub(super) fn is_other(&self, name: &str) -> bool {
        self.manifest()
            .columns
            .iter()
            .any(|entry| entry.name == name && entry.role == Role::Other.name())
    }

    /// Returns the least and the greatest count of rows that meet conditions, in a table without
    /// groups. Rows that meet them in part count in neither or in the greatest.
    pub(super) fn open_bounds(
        &self,
        number: usize,
        matchers: &HashMap<String, Matcher<'_>>,
    ) -> [f64; 2] {
        let table = &self.folder.tables[number];
        let mut met = vec![[true, true]; table.main.rows];
        for (_, column) in table.columns() {
            if let Some(matcher) = matchers.get(&column.name) {
                let shares: Vec<f64> =
                    column.values.iter().map(|text| matcher.share_of(text)).collect();
                for (met, &code) in met.iter_mut().zip(&column.codes) {
                    let share = shares[code as usize];
                    *met = [met[0] && share >= 1.0, met[1] && share > 0.0];
                }
            }
        }
        [0, 1].map(|end| met.iter().filter(|met| met[end]).count() as f64)
    }

    /// Returns the estimated number of `people` who meet conditions, from disjoint tables in which
    /// values are spread evenly over their groups.
    pub(super) fn product(&self, matchers: &HashMap<String, Matcher<'_>>, people: f64) -> f64 {
        let counts = self.asked(matchers);
        independent(counts.map(|number| self.evenly(number, matchers)), people)
    }

    /// Returns the estimated number in one table, with values spread evenly over its groups.
    pub(super) fn evenly(&self, number: usize, matchers: &HashMap<String, Matcher<'_>>) -> f64 {
        count(&self.folder.tables[number], matchers)
    }

    /// Returns the least and the greatest count in one table, by columns whose dependency is
    /// unknown.
    pub(super) fn certain_apart(
        &self,
        number: usize,
        matchers: &HashMap<String, Matcher<'_>>,
    ) -> [f64; 2] {
        certain(&self.folder.tables[number], matchers)
    }

    /// Returns the secret columns that are published apart, each shuffled separately. None if there
    /// is one column, or if rows show which values belong together.
    pub(super) fn apart(&self) -> impl Iterator<Item = &String> + Clone {
        let each = self.manifest().each.as_ref().filter(|each| !each.linked);
        each.into_iter().flat_map(|each| each.l.keys())
    }

    /// Returns the form of the cells of a column.
    pub(super) fn cell_kind(&self, name: &str) -> CellKind {
        self.manifest()
            .columns
            .iter()
            .find(|column| column.name == name)
            .map_or(CellKind::Value, |column| column.cell_kind(self.folder.style))
    }

    /// Returns the tables as sparse marginals over the texts of their cells.
    pub(super) fn marginals(&self) -> Result<Vec<SparseMarginal>, Error> {
        let code = |number: usize, text: &str| self.dictionaries[number].codes.get(text).copied();
        let marginals = self.folder.tables.iter().map(|table| {
            let pairs: u64 = table.values.as_ref().map_or(0, |values| {
                table
                    .groups
                    .iter()
                    .flat_map(|groups| groups.rows.iter())
                    .zip(values.groups.rows.iter())
                    .map(|(rows, lines)| rows.len() as u64 * lines.len() as u64)
                    .sum()
            });
            if pairs > MOST_PAIRS {
                let problem = "has groups too large to be joined with their values";
                return Err(Error::new(Location::file(&table.main.files[0]), problem));
            }
            let grouped = grouped(table, &self.columns, &code)?;
            let marginal = if table.values.is_none() {
                let rows = grouped.groups.into_iter().flat_map(|(rows, _)| rows);
                SparseMarginal::new(grouped.known, rows.map(|row| (row, 1.0)))
            } else {
                SparseMarginal::from_groups(grouped.known, grouped.secret, grouped.groups)
            };
            marginal.map_err(|cause| self.failed(&cause))
        });
        marginals.collect()
    }

    /// Returns the tables as a reader sees them, in the codes of the owner's columns.
    pub(super) fn published(
        &self,
        columns: &ColumnNames,
        code: &dyn Fn(usize, &str) -> Option<u32>,
    ) -> Result<Vec<PublishedTable>, Error> {
        self.folder
            .tables
            .iter()
            .map(|table| {
                let Grouped { known, secret, groups } = grouped(table, columns, code)?;
                let table = PublishedTable::from_groups(known, secret, groups);
                table.map_err(|cause| self.failed(&cause))
            })
            .collect()
    }
}

/// Returns how many of `people` are in all of several counts, if the counts are independent.
pub(super) fn independent(mut counts: impl Iterator<Item = f64>, people: f64) -> f64 {
    // The first count stays exact: for a single table it is the answer.
    let first = counts.next().unwrap_or(people);
    counts.fold(first, |estimate, count| estimate * (count / people))
}

fn failed(folder: &ReleaseFolder, cause: &openveil_rules::RulesError) -> Error {
    let error = Error::new(Location::file(&folder.path), cause.to_string());
    match cause {
        openveil_rules::RulesError::BeyondLimit { .. } => error
            .help(text!("publish with `decomposition = \"uad\"`, whose tables share no columns")),
        openveil_rules::RulesError::Inconsistent if folder.style != Style::Anatomy => {
            error.help("tables that share columns can be joined in the style anatomy only")
        }
        _ => error,
    }
}

/// The texts of a column, numbered in the order of their first appearance.
#[derive(Debug, Clone, Default)]
pub(super) struct TextNumbers {
    codes: HashMap<String, u32>,
    pub(super) texts: Vec<String>,
}

impl TextNumbers {
    pub(super) fn add(&mut self, text: &str) -> u32 {
        if let Some(&code) = self.codes.get(text) {
            return code;
        }
        let code = self.texts.len() as u32;
        self.codes.insert(text.to_owned(), code);
        self.texts.push(text.to_owned());
        code
    }
}

/// Returns the estimated number of rows that meet the conditions on a table's columns. Cells are
/// spread evenly. Columns that are shuffled separately are independent inside a class, and secret
/// ones inside a group.
fn count(table: &ReleasedTable, matchers: &HashMap<String, Matcher<'_>>) -> f64 {
    let met = met(table, matchers, &|share| share);
    let Some(groups) = &table.groups else {
        return met.shown.iter().flatten().sum(); // rows as they are: one part
    };
    let together = |parts: &[Vec<f64>], of: usize, first: f64, size: usize| {
        // Multiply before dividing, so that whole numbers stay whole.
        parts.iter().map(|part| part[of]).fold(first, |count, meet| count * meet / size as f64)
    };
    groups
        .rows
        .iter()
        .enumerate()
        .map(|(group, rows)| {
            let known = groups.classes_of(group).map(|class| {
                let size = groups.classes().get(class).len();
                together(&met.shown, class, size as f64, size)
            });
            let count = together(&met.hidden, group, known.sum(), rows.len());
            match table.people_share(group, rows.len()) {
                1.0 => count,
                share => count * share,
            }
        })
        .sum()
}

/// Returns the least and the greatest number of rows that meet conditions on columns that are
/// shuffled separately, class by class and group by group (Fréchet).
fn certain(table: &ReleasedTable, matchers: &HashMap<String, Matcher<'_>>) -> [f64; 2] {
    let Some(groups) = &table.groups else {
        return [0.0, 0.0];
    };
    let least = met(table, matchers, &|share| f64::from(u8::from(share >= 1.0)));
    let most = met(table, matchers, &|share| f64::from(u8::from(share > 0.0)));
    let bounds = |least: &[Vec<f64>], most: &[Vec<f64>], of: usize, size: f64| {
        let others = least.iter().map(|part| part[of] - size).sum::<f64>();
        let at_most = most.iter().map(|part| part[of]).fold(size, f64::min);
        [(size + others).max(0.0), at_most]
    };
    let add = |[low, high]: [f64; 2], own: [f64; 2]| [low + own[0], high + own[1]];
    groups
        .rows
        .iter()
        .enumerate()
        .map(|(group, rows)| {
            let classes = groups.classes_of(group).map(|class| {
                let size = groups.classes().get(class).len() as f64;
                bounds(&least.shown, &most.shown, class, size)
            });
            let [low, high] = classes.fold([0.0, 0.0], add);
            let size = rows.len() as f64;
            let [hidden_low, hidden_high] = bounds(&least.hidden, &most.hidden, group, size);
            [(low + hidden_low - size).max(0.0), high.min(hidden_high)]
        })
        .fold([0.0, 0.0], add)
}

/// Rows that meet conditions, by parts of a table whose columns belong together row by row.
struct Met {
    /// For each part of other columns than secret ones, the rows of each class; without groups,
    /// every row.
    shown: Vec<Vec<f64>>,
    /// For each part of secret columns, the rows of each group.
    hidden: Vec<Vec<f64>>,
}

/// Returns the rows that meet the conditions. `counts` maps the share of a row that meets them to its
/// weight.
fn met(
    table: &ReleasedTable,
    matchers: &HashMap<String, Matcher<'_>>,
    counts: &dyn Fn(f64) -> f64,
) -> Met {
    // If the values of groups are in a separate file, its columns form parts as they are combined
    // there.
    let lines = table.values.as_ref().map_or(0, |values| values.lines.rows);
    let are_lines: Vec<bool> = table
        .together
        .iter()
        .map(|part| {
            table.columns().any(|(raw, column)| !table.is_main(raw) && part.contains(&column.name))
        })
        .collect();
    let rows_of = |&of_lines: &bool| if of_lines { lines } else { table.main.rows };
    let mut weights: Vec<Vec<f64>> = are_lines.iter().map(|own| vec![1.0; rows_of(own)]).collect();
    for (_, column) in table.columns() {
        let Some(matcher) = matchers.get(&column.name) else {
            continue;
        };
        let shares: Vec<f64> = column.values.iter().map(|cell| matcher.share_of(cell)).collect();
        let part = table
            .together
            .iter()
            .position(|names| names.contains(&column.name))
            .expect("every column stands with some");
        for (weight, &code) in weights[part].iter_mut().zip(&column.codes) {
            *weight *= shares[code as usize];
        }
    }
    let mut met = Met { shown: Vec::new(), hidden: Vec::new() };
    let Some(groups) = &table.groups else {
        met.shown = weights;
        return met;
    };
    for ((weights, &of_lines), names) in weights.iter().zip(&are_lines).zip(&table.together) {
        let of_rows = |rows: &[u32]| rows.iter().map(|&row| counts(weights[row as usize])).sum();
        match table.values.as_ref().filter(|_| of_lines) {
            Some(values) => {
                met.hidden.push(
                    values
                        .groups
                        .rows
                        .iter()
                        .map(|lines| {
                            lines
                                .iter()
                                .map(|&line: &u32| {
                                    f64::from(values.counts[line as usize])
                                        * counts(weights[line as usize])
                                })
                                .sum()
                        })
                        .collect(),
                );
            }
            None if names.iter().all(|name| table.is_secret(name)) => {
                met.hidden.push(groups.rows.iter().map(of_rows).collect());
            }
            None => met.shown.push(groups.classes().iter().map(of_rows).collect()),
        }
    }
    met
}

/// Rows and values by group.
struct Grouped {
    known: ColumnSet,
    secret: ColumnSet,
    groups: Vec<ReadGroup>,
}

/// The known parts of a group's rows, and its values with their counts.
type ReadGroup = (Vec<Vec<u32>>, Vec<(Vec<u32>, u32)>);

/// A column by its number, with the code of each row.
type CodedColumn = (usize, Vec<u32>);

/// Returns rows and values by group, in codes; without groups, all rows are one group.
fn grouped(
    table: &ReleasedTable,
    columns: &ColumnNames,
    code: &dyn Fn(usize, &str) -> Option<u32>,
) -> Result<Grouped, Error> {
    let (mut known, mut secret): (Vec<CodedColumn>, Vec<CodedColumn>) = Default::default();
    for (raw, column) in table.columns() {
        let number = columns
            .number(&column.name)
            .map_err(|cause| Error::new(Location::file(&raw.files[0]), cause.to_string()))?;
        let codes = column
            .values
            .iter()
            .zip(0..)
            .map(|(text, seen)| {
                code(number, text).ok_or_else(|| {
                    let problem = text!("`{text}` is not a value of the table");
                    Error::new(raw.place_of(column, seen), problem)
                })
            })
            .collect::<Result<Vec<u32>, Error>>()?;
        let rows = column.codes.iter().map(|&seen| codes[seen as usize]);
        let list = if table.is_main(raw) { &mut known } else { &mut secret };
        list.push((number, rows.collect()));
    }
    // Tuples are in the order of the columns' numbers.
    known.sort_by_key(|(number, _)| *number);
    secret.sort_by_key(|(number, _)| *number);
    let set = |list: &[CodedColumn]| list.iter().map(|(number, _)| *number).collect();
    let tuple = |list: &[CodedColumn], row: usize| -> Vec<u32> {
        list.iter().map(|(_, codes)| codes[row]).collect()
    };
    let counted = table.groups.as_ref().zip(table.values.as_ref());
    let mut groups = vec![ReadGroup::default(); counted.map_or(1, |(groups, _)| groups.rows.len())];
    for row in 0..table.main.rows {
        let group = counted.map_or(0, |(groups, _)| groups.of_row[row]);
        groups[group as usize].0.push(tuple(&known, row));
    }
    if let Some(values) = &table.values {
        for (line, &group) in values.groups.of_row.iter().enumerate() {
            let value = (tuple(&secret, line), values.counts[line]);
            groups[group as usize].1.push(value);
        }
    }
    Ok(Grouped { known: set(&known), secret: set(&secret), groups })
}
