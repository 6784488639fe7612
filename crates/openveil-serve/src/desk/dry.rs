//! A dry run: publishes a copy of the table with shuffled secrets, and shows both side by side.
//!
//! The result is a function of random draws, of columns that are not secret, and of how often each
//! secret occurs. It discloses nothing about who has which secret, so the owner may choose other
//! settings by it.

use openveil_core::coins::{SecretCoins, shuffle};
use openveil_io::policy::{Policy, ReadRows, Role};
use openveil_io::release_dir::Texts;
use openveil_io::source::{Format, RawColumn, RawTable, Source};
use openveil_io::{Error, Location};
use openveil_publication::{Options, Release};
use openveil_text::text;
use std::fmt::Write;
use std::path::Path;

use super::Watch;

/// Rows that are shown.
const SHOWN: usize = 20;

/// The first rows of a table.
#[derive(Debug, Clone)]
pub(crate) struct FirstRows {
    /// The file's name.
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

/// A table and its release, side by side.
#[derive(Debug, Clone)]
pub(crate) struct BesideItself {
    pub(crate) before: FirstRows,
    /// The files of the release.
    pub(crate) after: Vec<FirstRows>,
    /// Whether the table is a shuffled copy.
    pub(crate) is_dry: bool,
}

impl FirstRows {
    /// Returns the first rows of a table that was read.
    fn new(name: &str, raw: &RawTable) -> Self {
        let columns: Vec<&RawColumn> =
            raw.columns.iter().filter(|own| !own.codes.is_empty()).collect();
        let row = |row: usize| {
            columns.iter().map(|own| own.values.get(own.codes[row]).to_owned()).collect()
        };
        Self {
            name: name.to_owned(),
            columns: columns.iter().map(|own| own.name.clone()).collect(),
            rows: (0..raw.rows.min(SHOWN)).map(row).collect(),
        }
    }

    /// Returns the first rows of a file or a table in memory.
    pub(crate) fn read(name: &str, source: &Source) -> Result<Self, Error> {
        Ok(Self::new(name, &source.read(&|names: &[String]| Ok(vec![true; names.len()]), &|_| {})?))
    }
}

/// Publishes a shuffled copy of a policy's table in memory; meanwhile the copy is stored in
/// `folder`.
///
/// # Errors
/// As in a publication; with [[rules]], also a column that is known to some readers and secret from
/// others.
pub(crate) fn run(mut policy: Policy, folder: &Path, watch: &Watch) -> Result<BesideItself, Error> {
    if policy.rules().is_some() {
        let problem = text!(
            "has [[rules]]: no column is known to all or secret from all, so none can be shuffled"
        );
        return Err(Error::new(Location::file(&policy.path), problem)
            .help("look ahead by another table, or publish"));
    }
    if policy.ties().is_some() {
        let problem =
            text!("has [ties]: rows that share their secret would not share it in a shuffled copy");
        return Err(Error::new(Location::file(&policy.path), problem)
            .help("publish without a look at a copy"));
    }
    let published =
        |name: &String| policy.columns.get(name).is_some_and(|own| own.role != Role::Drop);
    let choose = |names: &[String]| Ok(names.iter().map(published).collect());
    watch.begin("read", policy.input.source.total_bytes());
    let mut raw = policy.input.source.read(&choose, &|bytes| watch.advance(bytes))?;
    let mut order: Vec<u32> = (0..raw.rows as u32).collect();
    shuffle(&mut order, &mut SecretCoins::from_os());
    for column in &mut raw.columns {
        let role = policy.columns.get(&column.name).map(|own| own.role);
        if role == Some(Role::Sensitive) {
            column.codes = order.iter().map(|&row| column.codes[row as usize]).collect();
        }
    }
    let path = folder.join("shuffled.csv");
    std::fs::write(&path, csv(&raw)).map_err(|cause| Error::io(&path, "write the copy", &cause))?;
    policy.input.source = Source {
        path: path.clone(),
        memory: None,
        format: Some(Format::Csv),
        delimiter: b',',
        escape: None,
        encoding: None,
        sheet: None,
        names: None,
        ..policy.input.source
    };
    // The copy has no dropped columns.
    policy.columns.retain(|_, column| column.role != Role::Drop);
    policy.input.part = ReadRows::default();
    policy.output.records = folder.join("dry");
    let options = Options { no_report: true, ..Options::default() };
    let release =
        Release::new(&policy, options, watch).and_then(|made| made.in_memory(Texts::Plain));
    let removed = std::fs::remove_file(&path);
    let release = release?;
    removed.map_err(|cause| Error::io(&path, "remove the copy", &cause))?;
    let after = release.tables.iter();
    let after =
        after.map(|(name, table)| FirstRows::read(name, &Source::of_memory(name, table.clone())));
    Ok(BesideItself {
        before: FirstRows::new("", &raw),
        after: after.collect::<Result<_, Error>>()?,
        is_dry: true,
    })
}

/// Returns a table as CSV, with every cell in quotes.
fn csv(raw: &RawTable) -> String {
    let columns: Vec<&RawColumn> = raw.columns.iter().filter(|own| !own.codes.is_empty()).collect();
    let mut text = String::new();
    let mut line = |cells: &mut dyn Iterator<Item = &str>| {
        for (number, cell) in cells.enumerate() {
            let comma = if number > 0 { "," } else { "" };
            let _ = write!(text, "{comma}\"{}\"", cell.replace('"', "\"\""));
        }
        text.push('\n');
    };
    line(&mut columns.iter().map(|own| own.name.as_str()));
    for row in 0..raw.rows {
        line(&mut columns.iter().map(|own| own.values.get(own.codes[row])));
    }
    text
}
