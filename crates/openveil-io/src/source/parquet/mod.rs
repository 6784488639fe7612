//! Parquet: reads every column as text, whatever its type.

mod form;
mod pages;
mod values;

pub(crate) use form::is_list;

use super::sink::BLOCK;
use super::text::drop_it;
use super::{BytesRead, FirstSeen, Sink, Unusable, blanks, untrusted};
use crate::{Error, Location};
use form::{TextForm, form};
use openveil_text::text;
use pages::{Bounded, Pages, Patience, too_long};
use parquet::column::reader::get_column_reader;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescPtr;
use rayon::prelude::*;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;
use values::Store;

/// The settings for reading a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileForm {
    /// Whether blanks around texts are removed.
    pub(super) trim: bool,
    /// Whether lists of texts are read.
    pub(super) lists: bool,
}

pub(super) fn read(
    file: &Path,
    style: FileForm,
    sink: &mut Sink<'_>,
    progress: BytesRead<'_>,
) -> Result<(), Error> {
    let reader = open(file)?;
    let bytes = std::fs::metadata(file).map_or(0, |metadata| metadata.len());
    let rows = reader.metadata().file_metadata().num_rows().max(0) as u64;
    if rows == 0 {
        return Err(Error::new(Location::file(file), "the table has no rows"));
    }
    untrusted::check_rows(file, rows, bytes)?;
    let groups = reader.metadata().row_groups().iter();
    check_groups(file, rows, groups.map(|group| group.num_rows()))?;
    let fields = fields(&reader);
    let chosen = sink.header(&names(fields, style))?;
    let forms = forms(file, fields, &chosen, style)?;
    let patience = Patience::with(bytes);
    for group in 0..reader.num_row_groups() {
        let group =
            guarded(|| reader.get_row_group(group)).map_err(|cause| malformed(file, cause))?;
        let group_rows = group.metadata().num_rows().max(0) as usize;
        let column = |(index, _): &(usize, TextForm)| {
            let pages = guarded(|| group.get_column_page_reader(*index))?;
            let field = fields[*index].clone();
            guarded(|| Ok(get_column_reader(field, Box::new(Pages::new(pages, patience.clone())))))
        };
        let mut readers = forms
            .iter()
            .map(column)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|cause| malformed(file, cause))?;
        // Columns are read in parallel and in blocks, so that row groups may have any size.
        for start in (0..group_rows).step_by(BLOCK) {
            let wanted = BLOCK.min(group_rows - start);
            let columns = sink.columns.iter_mut().zip(fields).zip(&chosen);
            let columns: Vec<_> =
                columns.filter(|(_, is_chosen)| **is_chosen).map(|(column, _)| column).collect();
            let read = columns.into_par_iter().zip(&forms).zip(&mut readers).map(
                |(((column, field), (_, form)), reader)| {
                    let place = Location::file(file).column(&column.name);
                    let seen = FirstSeen { file: sink.index as u32, line: 0 };
                    Store { place, column, field, trim: style.trim, seen }
                        .column(reader, form, wanted)
                },
            );
            // The error of the first column, whichever is read first.
            read.collect::<Vec<_>>().into_iter().collect::<Result<(), Error>>()?;
            progress(bytes * wanted as u64 / rows);
            sink.offer()?;
        }
    }
    Ok(())
}

/// Checks that the row groups of a file add up to the file's number of rows: the library trusts
/// each group's number when it reads.
fn check_groups(file: &Path, rows: u64, groups: impl Iterator<Item = i64>) -> Result<(), Error> {
    let in_groups: i128 = groups.map(|rows| i128::from(rows.max(0))).sum();
    if in_groups == i128::from(rows) {
        Ok(())
    } else {
        let problem = text!("states that it has {rows} rows, but its parts have {in_groups}");
        Err(Error::new(Location::file(file), problem).help("write the file again"))
    }
}

/// Returns the number of rows that a file claims.
pub(super) fn rows(file: &Path) -> Result<u64, Error> {
    let reader = open(file)?;
    Ok(reader.metadata().file_metadata().num_rows().max(0) as u64)
}

/// Returns the columns of a file, and their types as policies name them.
pub(super) fn types(file: &Path, style: FileForm) -> Result<Vec<(String, &'static str)>, Error> {
    let reader = open(file)?;
    let fields = fields(&reader);
    let types = fields.iter().map(|field| form::type_of(field, style));
    Ok(names(fields, style).into_iter().zip(types).collect())
}

/// Returns the columns of a file that cannot be read.
pub(super) fn unusable(file: &Path, style: FileForm) -> Result<Vec<Unusable>, Error> {
    let reader = open(file)?;
    let fields = fields(&reader);
    Ok(names(fields, style)
        .into_iter()
        .zip(fields)
        .filter_map(|(column, field)| {
            let reason = form(field, style).err()?;
            Some(Unusable { column, reason })
        })
        .collect())
}

fn open(file: &Path) -> Result<SerializedFileReader<Bounded>, Error> {
    open_within(file, untrusted::PATIENCE)
}

fn open_within(file: &Path, patience: Duration) -> Result<SerializedFileReader<Bounded>, Error> {
    let opened = File::open(file).map_err(|cause| Error::io(file, "open the file", &cause))?;
    if opened.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        let cause = std::io::Error::from(std::io::ErrorKind::IsADirectory);
        return Err(Error::io(file, "read the file", &cause));
    }
    let mut start = Vec::new();
    let read = (&opened).take(4).read_to_end(&mut start);
    read.map_err(|cause| Error::io(file, "read the file", &cause))?;
    if start != *b"PAR1" {
        let problem = "is not a readable Parquet file: its first bytes are wrong";
        return Err(Error::new(Location::file(file), problem).help(
            text!("if it is CSV, set `format = \"csv\"` under [input], or give it a name that ends in `.csv`"),
        ));
    }
    let reader = untrusted::in_time(patience, || {
        guarded(|| SerializedFileReader::new(Bounded::new(opened)))
    })
    .unwrap_or_else(|| Err(too_long()));
    reader.map_err(|cause| malformed(file, cause))
}

/// Returns the library's answer, or an error if it panicked.
pub(super) fn guarded<T>(
    read: impl FnOnce() -> Result<T, ParquetError>,
) -> Result<T, ParquetError> {
    untrusted::guarded(read, || ParquetError::General("the file is damaged".to_owned()))
}

fn malformed(file: &Path, cause: ParquetError) -> Error {
    if is_other_compression(&cause) {
        return unreadable(Location::file(file), &cause);
    }
    let problem = "is not a readable Parquet file: it is damaged or incomplete";
    Error::new(Location::file(file), problem).help("copy or write it again").because(cause)
}

/// Returns whether a file uses a compression that is not built in.
fn is_other_compression(cause: &ParquetError) -> bool {
    cause.to_string().contains(OTHER_COMPRESSION)
}

/// The start of the library's message about it; the name follows.
const OTHER_COMPRESSION: &str = "Disabled feature at compile time: ";

/// Returns the error for a column whose values the library cannot read.
fn unreadable(place: Location, cause: &ParquetError) -> Error {
    let cause = cause.to_string();
    match cause.split_once(OTHER_COMPRESSION) {
        Some((_, name)) => {
            let problem = text!("is compressed by {name}, which cannot be read");
            Error::new(place, problem).help("write it again with zstd, snappy or gzip")
        }
        None => Error::new(place, text!("cannot be read: {cause}")),
    }
}

fn fields(reader: &SerializedFileReader<Bounded>) -> &[ColumnDescPtr] {
    reader.metadata().file_metadata().schema_descr().columns()
}

fn names(fields: &[ColumnDescPtr], style: FileForm) -> Vec<String> {
    fields
        .iter()
        .map(|field| {
            let name = if style.lists && is_list(field) {
                field.path().parts()[0].clone()
            } else {
                field.path().string()
            };
            if style.trim { blanks::trim_text(&name).to_owned() } else { name }
        })
        .collect()
}

/// Returns the wanted columns, and the text form of each.
fn forms(
    file: &Path,
    fields: &[ColumnDescPtr],
    wanted: &[bool],
    style: FileForm,
) -> Result<Vec<(usize, TextForm)>, Error> {
    let names = names(fields, style);
    (0..fields.len())
        .filter(|&index| wanted[index])
        .map(|index: usize| {
            let place = Location::file(file).column(&names[index]);
            let form = form(&fields[index], style)
                .map_err(|reason| Error::new(place, reason).help(drop_it()))?;
            Ok((index, form))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use std::sync::Arc;

    /// The footer claims lists of truth values in an unknown field: 2³¹ − 1 in each, which take no
    /// bytes.
    #[test]
    fn a_file_whose_end_does_not_end_is_refused() {
        const LIST: [u8; 9] = [0x09, 0xc8, 0x01, 0xf1, 0xff, 0xff, 0xff, 0xff, 0x07];
        let schema = Arc::new(parse_message_type("message t { required int32 a; }").unwrap());
        let mut bytes = Vec::new();
        let writer = SerializedFileWriter::new(&mut bytes, schema, Default::default());
        writer.unwrap().close().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let opened = |lists: usize| {
            let end = bytes.len() - 8;
            let length = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap());
            let length = length + (lists * LIST.len()) as u32;
            let mut changed = bytes[..end - 1].to_vec();
            (0..lists).for_each(|_| changed.extend(LIST));
            changed.push(0);
            changed.extend(length.to_le_bytes());
            changed.extend(b"PAR1");
            std::fs::write(&path, changed).unwrap();
            open_within(&path, Duration::from_millis(200)).map(drop)
        };
        assert!(opened(0).is_ok());
        let refused = opened(2).unwrap_err();
        assert!(refused.to_string().contains("is damaged"), "{refused}");
        let cause = std::error::Error::source(&refused).unwrap().to_string();
        assert!(cause.contains("longer than a minute"), "{cause}");
    }

    #[test]
    fn parts_have_as_many_rows_as_the_file() {
        let checked = |rows, groups: &[i64]| {
            let groups = groups.iter().copied();
            check_groups(Path::new("t.parquet"), rows, groups).map_err(|error| error.to_string())
        };
        assert_eq!(checked(5, &[2, 3]), Ok(()));
        let refused = checked(1, &[1 << 31, -3]).unwrap_err();
        assert!(refused.contains("1 rows, but its parts have 2147483648"), "{refused}");
        assert!(checked(7, &[i64::MAX; 600]).is_err());
    }
}
