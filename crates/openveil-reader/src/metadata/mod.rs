//! Metadata of a release for archives and catalogues: functions of the files of `release/` alone.
//!
//! Columns and values come from the headers of published files and the entries of published
//! columns, never from the list of omitted columns. Describing a withheld column would publish
//! facts about it.

mod croissant;
mod ddi;
mod frictionless;

use crate::certify::CertifiedRelease;
use crate::query::Reader;
use crate::report::words;
use openveil_io::load::CLASS_COLUMN;
use openveil_io::policy::ROWS_OF_PERSON;
use openveil_io::release_dir::read::ReleasedTable;
use openveil_io::release_dir::write::manifest::{CellKind, ColumnEntry};
use openveil_io::release_dir::write::{Viewer, write_whole};
use openveil_io::release_dir::{METADATA_FILES, ReleasePlace, regular, sha256};
use openveil_io::source::Codebook;
use openveil_io::source::Source;
use openveil_io::{Error, Location};
use openveil_text::text;
use std::path::{Path, PathBuf};

/// The name of the column that numbers groups.
const GROUP: &str = "group";

/// The name of the column of counts in a file of values.
const COUNT: &str = "count";

/// A standard of metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetadataKind {
    /// A Data Package, `datapackage.json`: version 2 of the standard of Frictionless Data.
    Frictionless,
    /// Croissant 1.1 of MLCommons, `croissant.json`.
    Croissant,
    /// DDI Codebook 2.5, `ddi.xml`.
    Ddi,
}

impl MetadataKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Frictionless, Self::Croissant, Self::Ddi];

    /// Its name in options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Frictionless => "frictionless",
            Self::Croissant => "croissant",
            Self::Ddi => "ddi",
        }
    }

    /// The name of its file in the folder of a release.
    pub fn file(self) -> &'static str {
        METADATA_FILES[self as usize]
    }
}

/// The type of a column in the terms of the standards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FieldKind {
    Integer,
    Number,
    Date,
    Text,
    /// A list of texts, in Parquet.
    List,
}

/// A column of a file.
struct Field {
    name: String,
    kind: FieldKind,
    words: String,
    /// The text that stands for a missing value.
    missing: Option<String>,
    /// Its codebook, if values are codes.
    codes: Codebook,
}

/// A file of a release.
struct DescribedFile {
    name: String,
    bytes: u64,
    sha256: String,
    rows: usize,
    fields: Vec<Field>,
}

impl DescribedFile {
    fn is_csv(&self) -> bool {
        self.name.contains(".csv")
    }

    /// Its name without the ending.
    fn stem(&self) -> &str {
        self.name.split('.').next().unwrap_or(&self.name)
    }
}

/// The facts of a release that metadata contain.
struct DescribedRelease {
    files: Vec<DescribedFile>,
    title: String,
    /// The promise, how to read it, and notes of the manifest.
    description: String,
    delimiter: char,
    program: String,
}

/// Writes documents of metadata beside the tables that they describe; returns their paths. O(bytes
/// of the release).
///
/// # Errors
/// Files that cannot be read or written; a table that is a folder of files.
pub fn write(reader: &Reader, kinds: &[MetadataKind]) -> Result<Vec<PathBuf>, Error> {
    let folder = &reader.release().path;
    let release = DescribedRelease::new(reader)?;
    let zstd = release.files.iter().find(|file| file.name.ends_with(".zst"));
    if let Some(file) = zstd.filter(|_| *kinds != [MetadataKind::Ddi]) {
        let problem =
            "is compressed with zstd, which loaders of Croissant and Data Package cannot read";
        return Err(Error::new(Location::file(&folder.join(&file.name)), problem)
            .help("publish as `csv`, `csv.gz` or `parquet`; or write only `ddi`"));
    }
    let has_csv = release.files.iter().any(DescribedFile::is_csv);
    if kinds.contains(&MetadataKind::Croissant)
        && has_csv
        && !matches!(release.delimiter, ',' | '\t')
    {
        let problem = text!(
            "Croissant has no word for the delimiter `{}`, and its loaders would read other columns",
            release.delimiter
        );
        return Err(Error::new(Location::file(folder), problem)
            .help("publish with commas, tabs or as Parquet; or leave `croissant` out"));
    }
    kinds
        .iter()
        .map(|kind| {
            let path = folder.join(kind.file());
            write_whole(&path, release.text(*kind).as_bytes(), Viewer::Everybody)?;
            Ok(path)
        })
        .collect()
}

/// Makes the documents of metadata in a folder again, if there are any, and reports which differ.
///
/// # Errors
/// Documents that cannot be read.
pub fn check(
    reader: &Reader,
    place: &ReleasePlace,
    checked: &mut CertifiedRelease,
) -> Result<(), Error> {
    let folder = &reader.release().path;
    if matches!(place, ReleasePlace::Memory(_)) {
        return Ok(());
    }
    let is_own = reader.release().manifest.openveil == env!("CARGO_PKG_VERSION");
    let there: Vec<_> = MetadataKind::ALL
        .map(|kind| (kind, folder.join(kind.file())))
        .into_iter()
        .filter(|(_, path)| path.exists())
        .collect();
    let release = match there.is_empty() || !is_own {
        true => None,
        false => Some(DescribedRelease::new(reader)?),
    };
    for (kind, path) in there {
        let Some(release) = &release else {
            let words = format!("{}: another version made it", kind.file());
            checked.not_checked.push(words.into());
            continue;
        };
        let said =
            regular::read(&path).map_err(|cause| Error::io(&path, "read metadata", &cause))?;
        if release.text(kind).as_bytes() != said {
            let problem = text!(
                "is not what `openveil report --metadata {}` makes of these files",
                kind.name()
            );
            checked.of_file(kind.file(), problem);
        }
    }
    Ok(())
}

impl DescribedRelease {
    fn new(reader: &Reader) -> Result<Self, Error> {
        let release = reader.release();
        let manifest = &release.manifest;
        let mut files = Vec::new();
        for table in &release.tables {
            for (number, name) in table.entry.files.iter().enumerate() {
                files.push(Self::file(reader, table, name, number > 0)?);
            }
        }
        let protected = manifest.guarantee.protects.join(", ");
        let rows = words::thousands(manifest.rows);
        let notes = manifest.notes.iter().map(String::as_str);
        let said = [manifest.guarantee.statement.as_str()];
        // The name of an identifier that ties rows occurs in sentences, but the column is withheld.
        let omitted = &manifest.omitted;
        let quoted: Vec<String> = omitted
            .identifiers
            .iter()
            .chain(&omitted.dropped)
            .map(|name| format!("`{name}`"))
            .collect();
        let silent = |words: &str| {
            let mut words = words.to_owned();
            for name in &quoted {
                words = words.replace(name, "a withheld column");
            }
            words
        };
        let sentences: Vec<String> = said
            .into_iter()
            .chain(notes)
            .filter(|words| !words.is_empty())
            .map(|words| sentence(&silent(words)))
            .collect();
        Ok(Self {
            files,
            title: format!("Anonymised microdata: {rows} rows, protected: {protected}"),
            description: sentences.join(" "),
            delimiter: manifest.delimiter,
            program: format!("openveil {}", manifest.openveil),
        })
    }

    fn text(&self, kind: MetadataKind) -> String {
        match kind {
            MetadataKind::Frictionless => frictionless::text(self),
            MetadataKind::Croissant => croissant::text(self),
            MetadataKind::Ddi => ddi::text(self),
        }
    }

    fn file(
        reader: &Reader,
        table: &ReleasedTable,
        name: &str,
        has_counts: bool,
    ) -> Result<DescribedFile, Error> {
        let release = reader.release();
        let path = release.path.join(name);
        if path.is_dir() {
            let problem = "is a folder of files, which metadata do not describe";
            return Err(
                Error::new(Location::file(&path), problem).help("publish the table as one file")
            );
        }
        let bytes = std::fs::metadata(&path)
            .map_err(|cause| Error::io(&path, "read the size of a file", &cause))?
            .len();
        let (header, rows) = header(&path, release.manifest.delimiter)?;
        // Parquet names the values of a list, which is the column here.
        let is_parquet = name.ends_with(".parquet");
        let is_list = |name: &str| {
            name.strip_suffix(".list.element").filter(|_| is_parquet).map(str::to_owned)
        };
        Ok(DescribedFile {
            name: name.to_owned(),
            bytes,
            sha256: sha256(&path)?,
            rows,
            fields: header
                .into_iter()
                .map(|name: String| {
                    let list = is_list(&name);
                    let is_list = list.is_some();
                    let name = list.unwrap_or(name);
                    let entry = release
                        .manifest
                        .columns
                        .iter()
                        .filter(|_| name != GROUP || table.groups.is_none())
                        .find(|own| own.name == name || own.names.contains(&name));
                    match entry {
                        Some(entry) => {
                            let field = Field::new(name, entry, entry.cell_kind(release.style));
                            Field {
                                kind: if is_list { FieldKind::List } else { field.kind },
                                ..field
                            }
                        }
                        None => Field::added(name, has_counts),
                    }
                })
                .collect(),
        })
    }
}

impl Field {
    fn new(name: String, entry: &ColumnEntry, cells: CellKind) -> Self {
        let is_value = matches!(
            cells,
            CellKind::Value | CellKind::Sliced | CellKind::Counted | CellKind::Bounds
        );
        // Floors of dates and limits produce texts that are not of the column's type.
        let is_plain = is_value && !entry.sets && entry.floor.is_none();
        let kind = match entry.value_type.as_deref().filter(|_| is_plain) {
            Some("integer") => FieldKind::Integer,
            Some("number") => FieldKind::Number,
            Some("date") => FieldKind::Date,
            _ => FieldKind::Text,
        };
        Self {
            name,
            kind,
            words: format!(
                "{}. {}.",
                words::role(&entry.role).into_sentence(),
                words::cells(cells).into_sentence()
            ),
            missing: entry.missing.clone(),
            codes: entry.codes.clone().unwrap_or_default(),
        }
    }

    /// Its description, with its label and those of its codes.
    fn described(&self) -> String {
        let labels = self.codes.labels.iter().map(|(code, label)| format!("{code}: {label}"));
        let labels = labels.collect::<Vec<_>>().join("; ");
        let said = [&self.words, self.codes.label.as_ref().unwrap_or(&labels), &labels];
        let mut sentences: Vec<String> = said
            .into_iter()
            .filter(|words| !words.is_empty())
            .map(|words| sentence(words))
            .collect();
        sentences.dedup();
        sentences.join(" ")
    }

    /// A column that `publish` adds.
    fn added(name: String, has_counts: bool) -> Self {
        let words = match name.as_str() {
            GROUP => "The number of the group.",
            CLASS_COLUMN => "The number of the class, a part of the group.",
            ROWS_OF_PERSON => "How many rows of the person the row stands for.",
            COUNT if has_counts => "How many people of the group have the value.",
            _ => "",
        };
        let kind = if words.is_empty() { FieldKind::Text } else { FieldKind::Integer };
        Self { name, kind, words: words.to_owned(), missing: None, codes: Codebook::default() }
    }
}

/// The names of the columns of a file, and its rows.
fn header(path: &Path, delimiter: char) -> Result<(Vec<String>, usize), Error> {
    let source = Source { delimiter: delimiter as u8, ..Source::new(path) };
    let names = std::cell::RefCell::new(Vec::new());
    let choose = |header: &[String]| {
        *names.borrow_mut() = header.to_vec();
        // Reading no columns would count no rows.
        Ok((0..header.len()).map(|at| at == 0).collect())
    };
    let raw = source.read(&choose, &|_| {})?;
    Ok((names.into_inner(), raw.rows))
}

/// Returns words as a sentence, with a capital and a full stop.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let text: String =
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    if text.ends_with('.') { text } else { text + "." }
}

/// Returns a name that is an identifier in the standards (small letters, digits and hyphens),
/// different from all in `taken`.
fn identifier(name: &str, taken: &mut Vec<String>) -> String {
    let slug: String = name
        .chars()
        .flat_map(char::to_lowercase)
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let mut own = slug.clone();
    let mut number = 2;
    while taken.contains(&own) || own.is_empty() {
        own = format!("{slug}-{number}");
        number += 1;
    }
    taken.push(own.clone());
    own
}
