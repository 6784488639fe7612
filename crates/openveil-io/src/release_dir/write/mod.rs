//! Writes a checked release as two folders, complete or not at all.
//!
//! `release/` holds the files that may be published; `owner/` holds those that may not.

mod arrow;
mod csv;
mod disk;
mod folder;
mod leftover;
mod lists;
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
pub use whole::{Viewer, check_found, write_found, write_new, write_whole};
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

/// The destination of a table, and its format.
#[derive(Debug, Clone, Copy)]
pub struct WriteTarget<'a> {
    /// A folder, or memory.
    pub place: WritePlace<'a>,
    /// Name of its files, without the extension.
    pub name: &'a str,
    /// The format for a folder.
    pub output: OutputFormat,
}

/// The destination of tables.
#[derive(Debug, Clone, Copy)]
pub enum WritePlace<'a> {
    /// Files in a folder.
    Folder(&'a Path),
    /// Tables by the name that their files would have.
    Memory(&'a RefCell<BTreeMap<String, Batches>>, Texts),
}

impl WriteTarget<'_> {
    /// Writes one file, with `suffix` after the name; returns the file's name.
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

/// A file of a published table that can be written in parts.
trait TableWriter: Send {
    /// Appends rows in groups, with the columns of the earlier parts.
    fn append(
        &mut self,
        columns: &TextColumns<'_>,
        coins: &mut dyn Coins,
        progress: RowsWritten<'_>,
    ) -> Result<(), Error>;

    /// Ends the file.
    fn finish(self: Box<Self>) -> Result<(), Error>;
}

/// Returns the writer of a new file in the requested format.
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

/// The files of a release that is written in parts.
pub struct PartwiseFiles {
    style: Style,
    /// Whether rows show the number of their class.
    numbers_classes: bool,
    shapes: Vec<Shape>,
    table: (String, Box<dyn TableWriter>),
    /// Only in the anatomy style.
    values: Option<(String, Box<dyn TableWriter>)>,
    groups: u64,
}

impl PartwiseFiles {
    /// Makes empty files in a folder.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub fn create(
        folder: &Path,
        name: &str,
        output: OutputFormat,
        (style, numbers_classes): (Style, bool),
        shapes: Vec<Shape>,
    ) -> Result<Self, Error> {
        let file = |suffix: &str| {
            let name = format!("{name}{suffix}.{}", ending(output));
            let file = table_writer(&folder.join(&name), output)?;
            Ok::<_, Error>((name, file))
        };
        Ok(Self {
            style,
            numbers_classes,
            shapes,
            table: file("")?,
            values: (style == Style::Anatomy).then(|| file(VALUES)).transpose()?,
            groups: 0,
        })
    }

    /// Writes the next part; its group numbers continue those of earlier parts.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn append(
        &mut self,
        (table, release): (&View, &Content),
        coins: &mut dyn Coins,
        progress: RowsWritten<'_>,
    ) -> Result<(), Error> {
        let shown = (self.style, self.numbers_classes);
        let columns = TextColumns::new(table, release, shown, &self.shapes, self.groups);
        self.table.1.append(&columns, coins, progress)?;
        if let Some((_, file)) = &mut self.values {
            let values = TextColumns::anatomy_values(table, release, &self.shapes, self.groups);
            file.append(&values, coins, &|_| {})?;
        }
        self.groups += release.group_count() as u64;
        Ok(())
    }

    /// Ends all files; returns their names.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(self) -> Result<Vec<String>, Error> {
        let files = [Some(self.table), self.values].into_iter().flatten();
        files
            .map(|(name, file): (String, Box<dyn TableWriter>)| file.finish().map(|()| name))
            .collect()
    }
}

/// Returns a part of a release as a table in memory, with groups numbered from 1, and with the
/// numbers of classes in their groups if `numbers_classes`. In the anatomy
/// style, the values of each group form a second table, in any order within the group.
///
/// # Errors
/// None, if the part was checked.
pub fn batches(
    table: &View,
    release: &Content,
    (style, numbers_classes): (Style, bool),
    published: &[Shape],
    coins: &mut dyn Coins,
) -> Result<Batches, Error> {
    let shown = (style, numbers_classes);
    let mut columns = TextColumns::new(table, release, shown, published, 0);
    if style == Style::Anatomy {
        columns.push_values(table, release, published);
    }
    arrow::batches(&columns, Texts::Plain, coins, &|_| {})
}

/// The ending of the name of the second file in the anatomy style.
const VALUES: &str = "-values";

/// Writes a release; in the anatomy style, the values of its groups go into a second file. Returns
/// the names of the files. `coins` order the sliced columns; they are not the coins that made the
/// groups.
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
    let shown = (style, release.numbers_classes());
    let columns = TextColumns::new(table, release, shown, published, 0);
    let mut files = vec![target.write("", &columns, coins, progress)?];
    if style == Style::Anatomy {
        let values = TextColumns::anatomy_values(table, release, published, 0);
        files.push(target.write(VALUES, &values, coins, &|_| {})?);
    }
    Ok(files)
}

/// Writes rows unchanged, in the given order: for each column, its codes and their domain. Returns
/// the name of the file.
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
    Ok(vec![target.write("", &columns, &mut SecretCoins::from_os(), progress)?])
}

/// Returns the format in which [`write_file`] writes a file of this name: Parquet or CSV.
///
/// # Errors
/// A name of another format, or a path inside a release.
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

/// Writes rows of text to a file: Parquet if its name says so, CSV otherwise.
///
/// # Errors
/// A name of another format; a file that cannot be written.
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
        // A pipe, a device or a link is written to, because replacing it by a file would destroy
        // it.
        return write(path).map(drop);
    }
    // The file is complete or absent, and the earlier file stays until the new one is complete.
    let failed = |cause: &std::io::Error| Error::io(path, "write the file", cause);
    let folder = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempdir_in(parent(path))
        .map_err(|cause| failed(&cause))?;
    let unfinished = folder.path().join(path.file_name().unwrap_or_default());
    write(&unfinished)?;
    // Keep the permissions that the owner of the earlier file chose.
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

/// Writes a JSON document, indented, with a final line break.
///
/// # Errors
/// A file that cannot be written.
pub fn write_json(path: &Path, document: &impl serde::Serialize) -> Result<(), Error> {
    let failed = |cause: &std::io::Error| Error::io(path, "write the file", cause);
    let text = json_text(document).map_err(|cause| failed(&cause.into()))?;
    std::fs::write(path, text).map_err(|cause| failed(&cause))
}

/// Returns a JSON document as it is written.
pub fn json_text(document: &impl serde::Serialize) -> serde_json::Result<String> {
    serde_json::to_string_pretty(document).map(|text| text + "\n")
}

/// The name of the file that holds the l-cover of a table.
const CERTIFICATE_FILE: &str = "l-cover.csv";

/// Writes, for every row of the published table, the rows that could stand for it: `images` of a
/// row, counted from 0, hold one for each of the `covers`, or none. The file counts rows from 1,
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
    std::fs::File::create(&path)
        .and_then(|file| {
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
        })
        .map_err(|cause| Error::io(&path, "write the file", &cause))
}

/// The folders of a written release.
#[derive(Debug, Clone)]
pub struct WrittenRelease {
    /// The folder that may be published.
    pub release: PathBuf,
    /// The folder that may not be published.
    pub owner: PathBuf,
    /// Whether an earlier release was replaced.
    pub replaced: bool,
}

#[cfg(test)]
mod tests;
