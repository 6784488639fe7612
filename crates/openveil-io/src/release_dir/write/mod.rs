//! Writing: a checked release becomes two folders, complete or not at all.
//!
//! `release/` holds what may be published; `owner/` what may not.

mod arrow;
mod csv;
mod disk;
mod folder;
mod leftover;
pub mod manifest;
mod parquet;
mod slices;
mod text;
mod typed;
mod whole;

pub(crate) use arrow::write_stream;
pub use csv::quoted;
pub use disk::{keep_private, lock, make_folder, parent, sync};
pub use folder::{Held, OWNER_FILE, refuse_link, refuse_part};
pub use folder::{Staging, check_apart, check_beside, check_folder, real_place};
pub use leftover::hidden;
pub use manifest::{Manifest, Owner};
pub use whole::{Viewer, write_found, write_new, write_whole};
pub use whole::{write_private, write_private_new};

use crate::policy::{Compression, OutputFormat, Shape};
use crate::release_dir::{Texts, UNFINISHED};
use crate::source::{Batches, Format};
use crate::{Error, Location};
use openveil_core::coins::{Coins, SecretCoins};
use openveil_core::release::{Content, Style};
use openveil_core::table::{Domain, View};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use text::TextColumns;

/// Receives the number of rows written since the last call.
pub type RowsWritten<'a> = &'a (dyn Fn(u64) + Sync);

/// Where a table goes, and how it is written.
#[derive(Debug, Clone, Copy)]
pub struct WriteTarget<'a> {
    /// A folder, or memory.
    pub place: WritePlace<'a>,
    /// Name of its files, without ending.
    pub name: &'a str,
    /// How it is written into a folder.
    pub output: OutputFormat,
}

/// Where tables go.
#[derive(Debug, Clone, Copy)]
pub enum WritePlace<'a> {
    /// Files in a folder.
    Folder(&'a Path),
    /// Tables by the name that their files would have.
    Memory(&'a RefCell<BTreeMap<String, Batches>>, Texts),
}

impl WriteTarget<'_> {
    /// Writes one file, `suffix` behind the name, and says what it is called.
    fn write(
        &self,
        suffix: &str,
        columns: &TextColumns<'_>,
        coins: &mut dyn Coins,
        progress: RowsWritten<'_>,
    ) -> Result<String, Error> {
        let name = format!("{}{suffix}.{}", self.name, ending(self.output));
        let path = match self.place {
            WritePlace::Folder(folder) => folder.join(&name),
            WritePlace::Memory(tables, texts) => {
                let table = arrow::batches(columns, texts, coins, progress)?;
                tables.borrow_mut().insert(name.clone(), table);
                return Ok(name);
            }
        };
        let mut file = table_writer(&path, self.output)?;
        file.append(columns, coins, progress)?;
        file.finish()?;
        Ok(name)
    }
}

/// A file of a published table, which may come in parts.
trait TableWriter {
    /// Adds rows in groups, of the same columns as before.
    fn append(
        &mut self,
        columns: &TextColumns<'_>,
        coins: &mut dyn Coins,
        progress: RowsWritten<'_>,
    ) -> Result<(), Error>;

    /// Ends the file.
    fn finish(self: Box<Self>) -> Result<(), Error>;
}

/// The writer of a new file, in the format that is asked for.
fn table_writer(path: &Path, output: OutputFormat) -> Result<Box<dyn TableWriter>, Error> {
    Ok(match output.format {
        Format::Csv => Box::new(csv::CsvWriter::create(path, output)?),
        Format::Parquet => Box::new(parquet::ParquetWriter::create(path)?),
        Format::Arrow => Box::new(arrow::ArrowWriter::create(path)?),
        Format::Excel => {
            let problem = "releases cannot be written as workbooks";
            return Err(Error::new(Location::file(path), problem)
                .help("write CSV, which spreadsheets can open"));
        }
    })
}

/// The files of a release that is written part by part.
pub struct PartwiseFiles {
    style: Style,
    shapes: Vec<Shape>,
    table: (String, Box<dyn TableWriter>),
    /// In the anatomy style.
    values: Option<(String, Box<dyn TableWriter>)>,
    groups: u64,
}

impl PartwiseFiles {
    /// Empty files in a folder.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub fn create(
        folder: &Path,
        name: &str,
        output: OutputFormat,
        style: Style,
        shapes: Vec<Shape>,
    ) -> Result<Self, Error> {
        let file = |suffix: &str| {
            let name = format!("{name}{suffix}.{}", ending(output));
            let file = table_writer(&folder.join(&name), output)?;
            Ok::<_, Error>((name, file))
        };
        Ok(Self {
            style,
            shapes,
            table: file("")?,
            values: (style == Style::Anatomy)
                .then(|| file(VALUES))
                .transpose()?,
            groups: 0,
        })
    }

    /// Writes the next part, its groups numbered behind those before.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn append(
        &mut self,
        (table, release): (&View, &Content),
        coins: &mut dyn Coins,
        progress: RowsWritten<'_>,
    ) -> Result<(), Error> {
        let columns = TextColumns::of(table, release, self.style, &self.shapes, self.groups);
        self.table.1.append(&columns, coins, progress)?;
        if let Some((_, file)) = &mut self.values {
            let values = TextColumns::anatomy_values(table, release, &self.shapes, self.groups);
            file.append(&values, coins, &|_| {})?;
        }
        self.groups += release.group_count() as u64;
        Ok(())
    }

    /// Ends all files, and says what they are called.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(self) -> Result<Vec<String>, Error> {
        let files = [Some(self.table), self.values].into_iter().flatten();
        let finish = |(name, file): (String, Box<dyn TableWriter>)| file.finish().map(|()| name);
        files.map(finish).collect()
    }
}

/// A part of a release as a table in memory, its groups numbered from 1. In the anatomy
/// style with the values of each group in any order, which are then a table of their own.
///
/// # Errors
/// None that a checked part can have.
pub fn batches(
    table: &View,
    release: &Content,
    style: Style,
    published: &[Shape],
    coins: &mut dyn Coins,
) -> Result<Batches, Error> {
    let mut columns = TextColumns::of(table, release, style, published, 0);
    if style == Style::Anatomy {
        columns.push_values(table, release, published);
    }
    arrow::batches(&columns, Texts::Plain, coins, &|_| {})
}

/// Ending of the name of the second file in the anatomy style.
const VALUES: &str = "-values";

/// Writes a release, in the anatomy style with the values of its groups in a file of
/// their own, and says what the files are called. The coins put sliced columns into an
/// order; they are not those that made the groups.
///
/// # Errors
/// A file that cannot be written.
pub fn write_release(
    target: &WriteTarget<'_>,
    style: Style,
    (table, release): (&View, &Content),
    published: &[Shape],
    coins: &mut dyn Coins,
    progress: RowsWritten<'_>,
) -> Result<Vec<String>, Error> {
    let columns = TextColumns::of(table, release, style, published, 0);
    let mut files = vec![target.write("", &columns, coins, progress)?];
    if style == Style::Anatomy {
        let values = TextColumns::anatomy_values(table, release, published, 0);
        files.push(target.write(VALUES, &values, coins, &|_| {})?);
    }
    Ok(files)
}

/// Writes rows as they are, in the order given: per column the codes and what they
/// stand for. Says what the file is called.
///
/// # Errors
/// A file that cannot be written.
pub fn write_rows(
    target: &WriteTarget<'_>,
    published: &[Shape],
    columns: Vec<(Vec<u32>, &Domain)>,
    progress: RowsWritten<'_>,
) -> Result<Vec<String>, Error> {
    let columns = TextColumns::open(published, columns);
    Ok(vec![target.write(
        "",
        &columns,
        &mut SecretCoins::from_os(),
        progress,
    )?])
}

/// How [`write_file`] writes a file of some name: Parquet or CSV.
///
/// # Errors
/// A name that promises another format, or a place where no file of ours goes.
pub fn format_of_file(path: &Path) -> Result<Format, Error> {
    check_beside(path)?;
    match Format::by_name(path) {
        format @ (Format::Parquet | Format::Csv) if !path.is_dir() => Ok(format),
        _ => {
            let problem = "has a name of neither CSV nor Parquet";
            Err(Error::new(Location::file(path), problem)
                .help("name a file that ends in .csv, .csv.gz, .csv.zst or .parquet"))
        }
    }
}

/// Writes rows of text to a file: Parquet by its ending, CSV otherwise.
///
/// # Errors
/// A name that promises another format; a file that cannot be written.
pub fn write_file(
    path: &Path,
    names: &[&str],
    columns: Vec<(Vec<u32>, &Domain)>,
) -> Result<(), Error> {
    let shapes: Vec<Shape> = names.iter().map(|&name| Shape::text(name)).collect();
    let columns = TextColumns::open(&shapes, columns);
    let ends = |ending: &str| path.extension().is_some_and(|own| own == ending);
    let output = OutputFormat {
        format: format_of_file(path)?,
        compression: match (ends("gz"), ends("zst")) {
            (true, _) => Compression::Gzip,
            (_, true) => Compression::Zstd,
            _ => Compression::Plain,
        },
        delimiter: b',',
        spreadsheet_safe: false,
    };
    let write = |place: &Path| {
        let mut file = table_writer(place, output)?;
        file.append(&columns, &mut SecretCoins::from_os(), &|_| {})?;
        file.finish()
    };
    let before = std::fs::symlink_metadata(path).ok();
    if before.as_ref().is_some_and(|before| !before.is_file()) {
        // A pipe, a device or a link is written to; another file in its place would be none.
        return write(path).map(drop);
    }
    // Complete or not at all, and what was there before is there until then.
    let failed = |cause: &std::io::Error| Error::io(path, "write the file", cause);
    let folder = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempdir_in(parent(path));
    let folder = folder.map_err(|cause| failed(&cause))?;
    let unfinished = folder.path().join(path.file_name().unwrap_or_default());
    write(&unfinished)?;
    // Who may read it is for its owner to say.
    let as_before =
        before.map(|before| std::fs::set_permissions(&unfinished, before.permissions()));
    as_before
        .unwrap_or(Ok(()))
        .and_then(|()| sync(&unfinished))
        .and_then(|()| std::fs::rename(&unfinished, path))
        .and_then(|()| sync(parent(path)))
        .map_err(|cause| failed(&cause))
}

fn ending(output: OutputFormat) -> &'static str {
    match (output.format, output.compression) {
        (Format::Parquet, _) => "parquet",
        (Format::Arrow, _) => "arrow",
        (Format::Excel, _) => "xlsx",
        (Format::Csv, Compression::Plain) => "csv",
        (Format::Csv, Compression::Gzip) => "csv.gz",
        (Format::Csv, Compression::Zstd) => "csv.zst",
    }
}

/// Writes a JSON document, indented, with a line break at the end.
///
/// # Errors
/// A file that cannot be written.
pub fn write_json(path: &Path, document: &impl serde::Serialize) -> Result<(), Error> {
    let failed = |cause: &std::io::Error| Error::io(path, "write the file", cause);
    let text = json_text(document).map_err(|cause| failed(&cause.into()))?;
    std::fs::write(path, text).map_err(|cause| failed(&cause))
}

/// A JSON document as it is written.
pub fn json_text(document: &impl serde::Serialize) -> serde_json::Result<String> {
    serde_json::to_string_pretty(document).map(|text| text + "\n")
}

/// The file that holds the l-cover of a table.
const CERTIFICATE_FILE: &str = "l-cover.csv";

/// Writes, for every row of the table that was published, the rows that could stand for it:
/// `images` of a row, counted from 0, are one for each of the `covers`, or none. Files count from 1,
/// after the rows left out.
///
/// # Errors
/// A file that cannot be written.
pub fn write_certificate<'a>(
    folder: &Path,
    rows: u32,
    covers: usize,
    images: impl Fn(u32) -> &'a [u32],
) -> Result<(), Error> {
    let path = folder.join(CERTIFICATE_FILE);
    let written = std::fs::File::create(&path).and_then(|file| {
        let mut file = std::io::BufWriter::new(file);
        let names: Vec<String> = (1..=covers).map(|n| format!("cover_{n}")).collect();
        writeln!(file, "row,{}", names.join(","))?;
        let mut line = String::new();
        for row in 0..rows {
            line.clear();
            text::push_number(&mut line, u64::from(row) + 1);
            let images = images(row);
            for cover in 0..covers {
                line.push(',');
                // A value that needs no protection has no covers.
                if let Some(&image) = images.get(cover) {
                    text::push_number(&mut line, u64::from(image) + 1);
                }
            }
            writeln!(file, "{line}")?;
        }
        file.flush()
    });
    written.map_err(|cause| Error::io(&path, "write the file", &cause))
}

/// Where the parts of a release lie.
#[derive(Debug, Clone)]
pub struct WrittenRelease {
    /// The folder that may be published.
    pub release: PathBuf,
    /// The folder that may not.
    pub owner: PathBuf,
    /// Whether an earlier release was replaced.
    pub replaced: bool,
}

#[cfg(test)]
mod tests;
