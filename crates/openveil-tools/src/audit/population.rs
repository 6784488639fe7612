//! The chances of finding people in the table, and in a population.

use super::cells::AlikeRows;
use super::report::RiskReport;
use super::target::AuditTarget;
use super::{AuditRequest, GroupedTable};
use openveil_io::source::{RawColumn, RawTable, Source};
use openveil_io::{Error, Location};
use openveil_measures::audit::{CombinedColumns, Reidentification, combine};
use openveil_text::{Text, text};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The population of which a table is a sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Population {
    /// A number of people, distributed over groups as in the table.
    People(u64),
    /// A table of the population, with the same quasi-identifiers, generalised in the same way.
    Table(PathBuf),
}

/// Compares people of a population with rows of a table.
pub(super) struct Crowds {
    /// Rows and people for each combination of known values in the table.
    pairs: Vec<(u64, u64)>,
    /// All people of the population.
    pub(super) people: u64,
    /// The number of combinations with fewer people in the population than rows in the table, and
    /// their rows.
    lacking: (usize, u64),
}

impl Crowds {
    /// k-map (Sweeney 2001): the least number of people who match a row of the table. If the
    /// population lacks people, the table's own rows count.
    pub(super) fn k_map(&self) -> u64 {
        self.pairs.iter().map(|&(rows, people)| people.max(rows)).min().unwrap_or(0)
    }

    /// δ-presence (Nergiz, Atzori and Clifton 2007): the least and the greatest share of a
    /// combination's people who are in the table.
    pub(super) fn presence(&self) -> [f64; 2] {
        let shares =
            self.pairs.iter().map(|&(rows, people)| rows as f64 / people.max(rows).max(1) as f64);
        let found: u64 = self.pairs.iter().map(|&(_, people)| people).sum();
        // People with other combinations are certainly not in the table.
        let least = if found < self.people { 0.0 } else { 1.0 };
        shares
            .fold([least, 0.0], |[low, high], share| [f64::min(low, share), f64::max(high, share)])
    }

    /// A note about combinations that the population lacks, if there are any.
    pub(super) fn note(&self, population: &Path) -> Option<Text> {
        let (classes, rows) = self.lacking;
        (classes > 0).then(|| {
            text!(
                "{}: has fewer people than the table has rows for {classes} combinations of known values ({rows} rows); for these, the rows of the table are counted instead. A population must contain the people of the table, with cells generalised in the same way",
                population.display()
            )
        })
    }
}

/// Computes all risks of the groups of a table, and compares it with a table of the population, if
/// there is one.
pub(super) fn risks(
    request: &AuditRequest,
    target: &AuditTarget,
    grouped: &GroupedTable,
    sizes: &AlikeRows,
) -> Result<(RiskReport, Option<Crowds>), Error> {
    let threshold = request.risk_threshold;
    let crowds_in_table = |scale: f64| {
        sizes
            .rows
            .iter()
            .zip(&sizes.alike)
            .map(move |(&rows, &alike)| (u64::from(rows), f64::from(alike) * scale))
    };
    let mut found = None;
    let journalist = match &request.population {
        None => None,
        Some(Population::People(people)) => {
            let own = sizes.rows.iter().copied().map(u64::from).sum();
            let scale = scale(target, *people, own)?;
            let crowds = crowds_in_table(scale);
            Some(Reidentification::journalist(crowds, threshold))
        }
        Some(Population::Table(path)) if request.wildcard => {
            let problem = "is a table of a population, in which suppressed cells cannot be matched";
            return Err(Error::new(Location::file(path), problem).help(text!(
                "leave `--wildcard` out, or give the number of people: `--population 1000000`"
            )));
        }
        Some(Population::Table(path)) => {
            let crowds = crowds(request, target, grouped, &sizes.rows, path)?;
            let people = crowds.pairs.iter().map(|&(rows, people)| (rows, people.max(rows) as f64));
            let journalist = Reidentification::journalist(people, threshold);
            found = Some(crowds);
            Some(journalist)
        }
    };
    let prosecutor = if request.wildcard {
        Reidentification::journalist(crowds_in_table(1.0), threshold)
    } else {
        Reidentification::prosecutor(&sizes.rows, threshold)
    };
    Ok((RiskReport::new(threshold, prosecutor, journalist), found))
}

fn scale(target: &AuditTarget, people: u64, rows: u64) -> Result<f64, Error> {
    if people >= rows {
        Ok(people as f64 / rows as f64)
    } else {
        Err(Error::new(
            Location::file(&target.path),
            text!("has {rows} rows, but the population has only {people} people"),
        )
        .help(text!("`--population` is the number of people from which the table is a sample")))
    }
}

/// Compares the combinations of quasi-identifiers of a table and a population.
fn crowds(
    request: &AuditRequest,
    target: &AuditTarget,
    grouped: &GroupedTable,
    sizes: &[u32],
    path: &Path,
) -> Result<Crowds, Error> {
    let ours = quasi_identifiers(target, grouped)?;
    let people = read(request, target, &ours, path)?;
    // View and population concatenated, in the table's codes.
    let known = known_rows(&people, &ours);
    let stacked: Vec<Vec<u32>> = ours
        .iter()
        .zip(&known.codes)
        .map(|(column, codes)| [&column.codes[..], codes].concat())
        .collect();
    let coded: Vec<_> = stacked
        .iter()
        .zip(&ours)
        .map(|(codes, column)| (&codes[..], column.values.len() as u64))
        .collect();
    let rows = grouped.raw.rows;
    let CombinedColumns { ids, first_rows } = combine(&coded, rows + known.rows);
    let mut crowds = vec![(0u64, 0u64); first_rows.len()];
    for (group, members) in grouped.groups.iter().enumerate() {
        // Filler rows look like the other rows of their group.
        let people = sizes[group] as usize;
        for &row in &members[..people.min(members.len())] {
            crowds[ids[row as usize] as usize].0 += 1;
        }
    }
    for &id in &ids[rows..] {
        crowds[id as usize].1 += 1;
    }
    crowds.retain(|(rows, _)| *rows > 0);
    let lacking = crowds
        .iter()
        .filter(|(rows, people)| people < rows)
        .fold((0, 0), |(classes, all), (rows, _)| (classes + 1, all + rows));
    Ok(Crowds { pairs: crowds, people: people.rows as u64, lacking })
}

fn quasi_identifiers<'a>(
    target: &AuditTarget,
    grouped: &'a GroupedTable,
) -> Result<Vec<&'a RawColumn>, Error> {
    let columns: Vec<&RawColumn> =
        grouped.roles.quasi_identifiers.iter().map(|&index| &grouped.raw.columns[index]).collect();
    if let Some(sliced) = columns.iter().find(|column| target.is_sliced(&column.name)) {
        let place = Location::file(&target.path).column(&sliced.name);
        let problem = "is sliced: no row has the quasi-identifiers of one person, so it cannot be compared with a population";
        let help = text!("give the number of people: `--population 1000000`");
        return Err(Error::new(place, problem).help(help));
    }
    if columns.is_empty() {
        Err(Error::new(
            Location::file(&target.path),
            "has no quasi-identifiers to compare with a population",
        )
        .help(text!("name them with `--qi`, or give the number of people: `--population 1000000`")))
    } else {
        Ok(columns)
    }
}

fn read(
    request: &AuditRequest,
    target: &AuditTarget,
    ours: &[&RawColumn],
    path: &Path,
) -> Result<RawTable, Error> {
    let source =
        Source { delimiter: target.source.delimiter, trim: request.trim, ..Source::new(path) };
    let source = Source { encoding: source.guessed_encoding()?, ..source };
    let choose = |names: &[String]| {
        if let Some(lacking) = ours.iter().find(|column| !names.contains(&column.name)) {
            return Err(Error::new(
                Location::file(path),
                text!("has no column `{}`, which the table has", lacking.name),
            )
            .help(text!("the population has {}", names.join(", "))));
        }
        Ok(names.iter().map(|name| ours.iter().any(|column| column.name == *name)).collect())
    };
    source.read(&choose, &|_| {})
}

/// The people whose cells all occur in the table, in the table's codes.
struct KnownPeople {
    codes: Vec<Vec<u32>>,
    rows: usize,
}

fn known_rows(people: &RawTable, ours: &[&RawColumn]) -> KnownPeople {
    let translated: Vec<(&RawColumn, Vec<Option<u32>>)> = ours
        .iter()
        .filter_map(|column| {
            let theirs = people.columns.iter().find(|c| c.name == column.name)?;
            let code_of: HashMap<&str, u32> = column.values.iter().zip(0..).collect();
            let values = theirs.values.iter();
            Some((theirs, values.map(|text| code_of.get(text).copied()).collect()))
        })
        .collect();
    let mut known = KnownPeople { codes: vec![Vec::new(); ours.len()], rows: 0 };
    for row in 0..people.rows {
        let cells = translated.iter().map(|(column, code_of)| code_of[column.codes[row] as usize]);
        if let Some(cells) = cells.collect::<Option<Vec<u32>>>() {
            known.rows += 1;
            for (codes, cell) in known.codes.iter_mut().zip(cells) {
                codes.push(cell);
            }
        }
    }
    known
}
