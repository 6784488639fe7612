//! Parquet: every column as text, whatever its type.

use super::pages::{Bounded, Pages, too_long};
use super::sink::BLOCK;
use super::text::{DROP, display, push_date, push_decimal, push_instant};
use super::{FirstSeen, Progress, RawColumn, Sink, Unusable, blanks, untrusted};
use crate::{Error, Location};
use jiff::SignedDuration;
use parquet::basic::{LogicalType, TimeUnit, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, ByteArrayType, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

/// Values read at a time.
const BATCH: usize = 1 << 15;

pub(super) fn read(
    file: &Path,
    style: Style,
    sink: &mut Sink<'_>,
    progress: Progress<'_>,
) -> Result<(), Error> {
    let reader = open(file)?;
    let bytes = std::fs::metadata(file).map_or(0, |metadata| metadata.len());
    let rows = reader.metadata().file_metadata().num_rows().max(0) as u64;
    if rows == 0 {
        return Err(Error::new(Location::file(file), "the table has no rows"));
    }
    untrusted::check_rows(file, rows, bytes)?;
    let fields = fields(&reader);
    let wanted = sink.header(&names(fields, style))?;
    let forms = forms(file, fields, &wanted, style)?;
    for group in 0..reader.num_row_groups() {
        let group = guarded(|| reader.get_row_group(group));
        let group = group.map_err(|cause| malformed(file, cause))?;
        let group_rows = group.metadata().num_rows().max(0) as usize;
        let column = |(index, _): &(usize, Form)| {
            let pages = guarded(|| group.get_column_page_reader(*index))?;
            let field = fields[*index].clone();
            guarded(|| Ok(get_column_reader(field, Box::new(Pages::of(pages)))))
        };
        let readers = forms.iter().map(column).collect::<Result<Vec<_>, _>>();
        let mut readers = readers.map_err(|cause| malformed(file, cause))?;
        // Columns side by side, so that a row group of any size comes in blocks.
        for start in (0..group_rows).step_by(BLOCK) {
            let wanted = BLOCK.min(group_rows - start);
            for ((index, form), reader) in forms.iter().zip(&mut readers) {
                let store = Store {
                    place: Location::file(file).column(&sink.columns[*index].name),
                    column: &mut sink.columns[*index],
                    field: &fields[*index],
                    trim: style.trim,
                    seen: FirstSeen {
                        file: sink.index as u32,
                        line: 0,
                    },
                };
                store.column(reader, form, wanted)?;
            }
            progress(bytes * wanted as u64 / rows);
            sink.offer()?;
        }
    }
    Ok(())
}

/// How many rows a file says that it has.
pub(super) fn rows(file: &Path) -> Result<u64, Error> {
    let reader = open(file)?;
    Ok(reader.metadata().file_metadata().num_rows().max(0) as u64)
}

/// The columns of a file that cannot be read.
pub(super) fn unusable(file: &Path, style: Style) -> Result<Vec<Unusable>, Error> {
    let reader = open(file)?;
    let fields = fields(&reader);
    let columns = names(fields, style).into_iter().zip(fields);
    let unusable = columns.filter_map(|(column, field)| {
        let reason = form(field, style).err()?;
        Some(Unusable { column, reason })
    });
    Ok(unusable.collect())
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
        let problem = "is not a readable Parquet file: it does not begin as one does";
        return Err(Error::new(Location::file(file), problem).help(
            "if it is CSV, say `format = \"csv\"` under [input], or let its name end in `.csv`",
        ));
    }
    let read = || guarded(|| SerializedFileReader::new(Bounded(opened)));
    let reader = untrusted::in_time(patience, read).unwrap_or_else(|| Err(too_long()));
    reader.map_err(|cause| malformed(file, cause))
}

/// What the library says, or that it panicked.
pub(super) fn guarded<T>(
    read: impl FnOnce() -> Result<T, ParquetError>,
) -> Result<T, ParquetError> {
    untrusted::guarded(read, || {
        ParquetError::General("the file is damaged".to_owned())
    })
}

fn malformed(file: &Path, cause: ParquetError) -> Error {
    if is_other_compression(&cause) {
        return unreadable(Location::file(file), &cause);
    }
    let problem = "is not a readable Parquet file: it is damaged, or was not written to its end";
    Error::new(Location::file(file), problem)
        .help("copy or write it once more")
        .because(cause)
}

/// Whether a file is compressed in a way that is not built in.
fn is_other_compression(cause: &ParquetError) -> bool {
    cause.to_string().contains(OTHER_COMPRESSION)
}

/// How the library begins to say so; the name follows.
const OTHER_COMPRESSION: &str = "Disabled feature at compile time: ";

/// A column whose values the library cannot read.
fn unreadable(place: Location, cause: &ParquetError) -> Error {
    let cause = cause.to_string();
    match cause.split_once(OTHER_COMPRESSION) {
        Some((_, name)) => {
            let problem = format!("is compressed by {name}, which is not read here");
            Error::new(place, problem).help("write it once more with zstd, snappy or gzip")
        }
        None => Error::new(place, format!("cannot be read: {cause}")),
    }
}

fn fields(reader: &SerializedFileReader<Bounded>) -> &[ColumnDescPtr] {
    reader.metadata().file_metadata().schema_descr().columns()
}

fn names(fields: &[ColumnDescPtr], style: Style) -> Vec<String> {
    let name = |field: &ColumnDescPtr| {
        let name = match style.lists && is_list(field) {
            true => field.path().parts()[0].clone(),
            false => field.path().string(),
        };
        if style.trim {
            blanks::trim_text(&name).to_owned()
        } else {
            name
        }
    };
    fields.iter().map(name).collect()
}

/// The wanted columns, and how each becomes text.
fn forms(
    file: &Path,
    fields: &[ColumnDescPtr],
    wanted: &[bool],
    style: Style,
) -> Result<Vec<(usize, Form)>, Error> {
    let names = names(fields, style);
    let wanted = (0..fields.len()).filter(|&index| wanted[index]);
    let form = |index: usize| {
        let place = Location::file(file).column(&names[index]);
        let form = form(&fields[index], style);
        let form = form.map_err(|reason| Error::new(place, reason).help(DROP))?;
        Ok((index, form))
    };
    wanted.map(form).collect()
}

/// What a reader wants of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// Whether blanks around texts are cut off.
    pub(super) trim: bool,
    /// Whether lists of texts are read.
    pub(super) lists: bool,
}

/// How values become text.
#[derive(Debug, Clone, Copy)]
enum Form {
    /// As they are.
    Plain,
    /// Whole numbers without a sign.
    Unsigned,
    /// Whole numbers of units of 10^-scale.
    Decimal(i32),
    /// Days since 1970-01-01.
    Date,
    /// Ticks since 1970.
    Timestamp(TimeUnit),
    /// Lists of texts, as the sets `{a|b}`.
    List,
}

/// Whether a column holds a list of texts in every row, none of them missing.
pub(crate) fn is_list(field: &ColumnDescriptor) -> bool {
    let is_text = matches!(field.logical_type_ref(), Some(LogicalType::String));
    let levels = (field.max_rep_level(), field.max_def_level());
    is_text && levels == (1, 1) && field.path().parts().len() == 3
}

/// The form of a column, or why there is none.
fn form(field: &ColumnDescriptor, style: Style) -> Result<Form, String> {
    if style.lists && is_list(field) {
        return Ok(Form::List);
    }
    if field.max_rep_level() > 0 || field.max_def_level() > 1 {
        return Err("is nested; only flat columns can be read".to_owned());
    }
    let logical = field.logical_type_ref();
    let physical = field.physical_type();
    match (physical, logical) {
        (Type::BOOLEAN | Type::FLOAT | Type::DOUBLE, _) => Ok(Form::Plain),
        (Type::INT32, Some(LogicalType::Date)) => Ok(Form::Date),
        (Type::INT64, Some(LogicalType::Timestamp(timestamp))) => {
            Ok(Form::Timestamp(timestamp.unit))
        }
        (Type::INT32 | Type::INT64, Some(LogicalType::Decimal(decimal))) => {
            Ok(Form::Decimal(decimal.scale))
        }
        (Type::FIXED_LEN_BYTE_ARRAY, Some(LogicalType::Decimal(decimal)))
            if field.type_length() <= 16 =>
        {
            Ok(Form::Decimal(decimal.scale))
        }
        (Type::INT32 | Type::INT64, Some(LogicalType::Integer(integer))) if !integer.is_signed => {
            Ok(Form::Unsigned)
        }
        (Type::INT32 | Type::INT64, None | Some(LogicalType::Integer(_))) => Ok(Form::Plain),
        (
            Type::BYTE_ARRAY,
            None | Some(LogicalType::String | LogicalType::Enum | LogicalType::Json),
        ) => Ok(Form::Plain),
        (_, logical) => {
            let kind = logical.map_or_else(|| format!("{physical:?}"), |kind| format!("{kind:?}"));
            Err(format!("has the type {kind}, which has no text form here"))
        }
    }
}

/// Stores one chunk of a column.
struct Store<'a> {
    column: &'a mut RawColumn,
    field: &'a ColumnDescriptor,
    trim: bool,
    seen: FirstSeen,
    place: Location,
}

impl Store<'_> {
    fn column(self, reader: &mut ColumnReader, form: &Form, rows: usize) -> Result<(), Error> {
        match (reader, *form) {
            (ColumnReader::BoolColumnReader(reader), _) => self.texts(reader, rows, display),
            (ColumnReader::FloatColumnReader(reader), _) => self.texts(reader, rows, display),
            (ColumnReader::DoubleColumnReader(reader), _) => self.texts(reader, rows, display),
            (ColumnReader::Int32ColumnReader(reader), form) => {
                self.texts(reader, rows, move |&number, text| match form {
                    Form::Unsigned => display(&(number as u32), text),
                    _ => push_number(text, i64::from(number), form),
                })
            }
            (ColumnReader::Int64ColumnReader(reader), form) => {
                self.texts(reader, rows, move |&number, text| match form {
                    Form::Unsigned => display(&(number as u64), text),
                    _ => push_number(text, number, form),
                })
            }
            (ColumnReader::FixedLenByteArrayColumnReader(reader), Form::Decimal(scale)) => self
                .texts(reader, rows, move |value, text| {
                    push_decimal(text, big_endian(value.data()), scale);
                }),
            (ColumnReader::ByteArrayColumnReader(reader), Form::List) => self.lists(reader, rows),
            (ColumnReader::ByteArrayColumnReader(reader), _) => self.bytes(reader, rows),
            _ => Err(Error::new(self.place, "does not hold values of its type").help(DROP)),
        }
    }

    /// Stores values that a function writes as text.
    fn texts<T: DataType>(
        self,
        reader: &mut ColumnReaderImpl<T>,
        rows: usize,
        write: impl Fn(&T::T, &mut String),
    ) -> Result<(), Error> {
        let mut text = String::new();
        self.each(reader, rows, |value, intern| {
            text.clear();
            write(value, &mut text);
            intern(text.as_bytes())
        })
    }

    /// Stores values that are text already.
    fn bytes(self, reader: &mut ColumnReaderImpl<ByteArrayType>, rows: usize) -> Result<(), Error> {
        let trim = self.trim;
        self.each(reader, rows, |value, intern| {
            let bytes = value.data();
            intern(if trim { blanks::trim(bytes) } else { bytes })
        })
    }

    /// Stores lists of texts, each as a set; a single text as it is.
    fn lists(self, reader: &mut ColumnReaderImpl<ByteArrayType>, rows: usize) -> Result<(), Error> {
        let Self {
            column,
            seen,
            place,
            ..
        } = self;
        let refuse = |problem: String| Error::new(place.clone(), problem);
        let mut left = rows;
        while left > 0 {
            let (mut values, mut present, mut starts) = (Vec::new(), Vec::new(), Vec::new());
            let wanted = left.min(BATCH);
            let read = guarded(|| {
                reader.read_records(wanted, Some(&mut present), Some(&mut starts), &mut values)
            });
            let (read, ..) = read.map_err(|cause| unreadable(place.clone(), &cause))?;
            if read == 0 {
                return Err(refuse("has fewer values than the file has rows".to_owned()));
            }
            if present.contains(&0) {
                return Err(refuse("has an empty list".to_owned()));
            }
            let mut members: &[ByteArray] = &values;
            for (start, next) in starts_of(&starts) {
                let (own, after) = members.split_at(next - start);
                members = after;
                let own: Vec<&[u8]> = own.iter().map(ByteArray::data).collect();
                let text = match own[..] {
                    [only] => only.to_vec(),
                    _ => [&b"{"[..], &own.join(&b'|'), b"}"].concat(),
                };
                let code = column.values.intern(&text, || seen);
                column
                    .codes
                    .push(code.map_err(|_| refuse("is not UTF-8 text".to_owned()))?);
            }
            left -= read;
        }
        Ok(())
    }

    /// Reads `rows` values, missing ones as empty text.
    fn each<T: DataType>(
        self,
        reader: &mut ColumnReaderImpl<T>,
        rows: usize,
        mut store: impl FnMut(&T::T, &mut dyn FnMut(&[u8]) -> Option<u32>) -> Option<u32>,
    ) -> Result<(), Error> {
        let Self {
            column,
            field,
            seen,
            place,
            ..
        } = self;
        let RawColumn {
            codes,
            values: dictionary,
            ..
        } = column;
        let mut intern = |bytes: &[u8]| dictionary.intern(bytes, || seen).ok();
        let (mut values, mut levels) = (Vec::with_capacity(BATCH), Vec::with_capacity(BATCH));
        codes.reserve(rows.min(BATCH));
        let mut left = rows;
        while left > 0 {
            values.clear();
            levels.clear();
            let optional = (field.max_def_level() > 0).then_some(&mut levels);
            let read =
                guarded(|| reader.read_records(left.min(BATCH), optional, None, &mut values));
            let (read, ..) = read.map_err(|cause| unreadable(place.clone(), &cause))?;
            if read == 0 {
                return Err(Error::new(place, "has fewer values than the file has rows"));
            }
            let mut present = values.iter();
            for record in 0..read {
                let missing = levels.get(record).is_some_and(|&level| level == 0);
                let code = match present.as_slice().first() {
                    Some(value) if !missing => {
                        present.next();
                        store(value, &mut intern)
                    }
                    _ => intern(b""),
                };
                codes.push(code.ok_or_else(|| Error::new(place.clone(), "is not UTF-8 text"))?);
            }
            left -= read;
        }
        Ok(())
    }
}

/// Where each list starts, and where the next one does.
fn starts_of(levels: &[i16]) -> impl Iterator<Item = (usize, usize)> {
    let starts = levels.iter().enumerate().filter(|&(_, &level)| level == 0);
    let starts: Vec<usize> = starts.map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([levels.len()]);
    let pairs: Vec<(usize, usize)> = starts.iter().copied().zip(ends).collect();
    pairs.into_iter()
}

fn push_number(text: &mut String, number: i64, form: Form) {
    match form {
        Form::Date => push_date(text, number),
        Form::Timestamp(unit) => push_instant(text, number, since_1970(number, unit)),
        Form::Decimal(scale) => push_decimal(text, i128::from(number), scale),
        Form::Plain | Form::Unsigned | Form::List => display(&number, text),
    }
}

fn since_1970(ticks: i64, unit: TimeUnit) -> SignedDuration {
    match unit {
        TimeUnit::MILLIS => SignedDuration::from_millis(ticks),
        TimeUnit::MICROS => SignedDuration::from_micros(ticks),
        TimeUnit::NANOS => SignedDuration::from_nanos(ticks),
    }
}

/// A signed number of at most 16 bytes, the highest first.
fn big_endian(bytes: &[u8]) -> i128 {
    let sign = if bytes.first().is_some_and(|&byte| byte >= 0x80) {
        -1
    } else {
        0
    };
    bytes
        .iter()
        .fold(sign, |number, &byte| (number << 8) | i128::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use std::sync::Arc;

    /// Its end says that there follow lists of truth values, in a part that nobody knows: 2³¹ − 1 in
    /// each, none of which takes a byte.
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
}
