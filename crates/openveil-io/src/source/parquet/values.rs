//! Stores the values of a column.

use super::super::text::{display, drop_it, push_decimal, push_instant};
use super::super::{FirstSeen, RawColumn, blanks};
use super::form::{TextForm, big_endian, half, push_number};
use super::{guarded, unreadable};
use crate::error::NotText;
use crate::{Error, Location};
use jiff::SignedDuration;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DataType};
use parquet::schema::types::ColumnDescriptor;

/// The number of values read at a time.
const BATCH: usize = 1 << 15;

/// Stores one chunk of a column.
pub(super) struct Store<'a> {
    pub(super) column: &'a mut RawColumn,
    pub(super) field: &'a ColumnDescriptor,
    pub(super) trim: bool,
    pub(super) seen: FirstSeen,
    pub(super) place: Location,
}

impl Store<'_> {
    /// Reads so many rows.
    pub(super) fn column(
        self,
        reader: &mut ColumnReader,
        form: &TextForm,
        rows: usize,
    ) -> Result<(), Error> {
        match (reader, *form) {
            (ColumnReader::BoolColumnReader(reader), _) => self.texts(reader, rows, display),
            (ColumnReader::FloatColumnReader(reader), _) => self.texts(reader, rows, display),
            (ColumnReader::DoubleColumnReader(reader), _) => self.texts(reader, rows, display),
            (ColumnReader::Int32ColumnReader(reader), form) => {
                self.texts(reader, rows, move |&number, text| match form {
                    TextForm::Unsigned => display(&(number as u32), text),
                    _ => push_number(text, i64::from(number), form),
                })
            }
            (ColumnReader::Int64ColumnReader(reader), form) => {
                self.texts(reader, rows, move |&number, text| match form {
                    TextForm::Unsigned => display(&(number as u64), text),
                    _ => push_number(text, number, form),
                })
            }
            (ColumnReader::FixedLenByteArrayColumnReader(reader), TextForm::Half) => {
                self.texts(reader, rows, |value, text| {
                    if let Some(number) = half(value.data()) {
                        display(&number, text);
                    }
                })
            }
            (ColumnReader::Int96ColumnReader(reader), TextForm::Julian) => {
                self.texts(reader, rows, |value, text| {
                    let nanoseconds = value.to_nanos();
                    let since_1970 = SignedDuration::from_nanos(nanoseconds);
                    push_instant(text, nanoseconds, since_1970, true);
                })
            }
            (ColumnReader::FixedLenByteArrayColumnReader(reader), TextForm::Decimal(scale)) => self
                .texts(reader, rows, move |value, text| {
                    push_decimal(text, big_endian(value.data()), scale);
                }),
            (ColumnReader::ByteArrayColumnReader(reader), TextForm::List) => {
                self.lists(reader, rows)
            }
            (ColumnReader::ByteArrayColumnReader(reader), _) => self.bytes(reader, rows),
            _ => Err(Error::new(self.place, "does not hold values of its type").help(drop_it())),
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

    /// Stores lists of texts, each as a set; a list of one text as that text.
    fn lists(self, reader: &mut ColumnReaderImpl<ByteArrayType>, rows: usize) -> Result<(), Error> {
        let Self { column, seen, place, .. } = self;
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
                column.codes.push(code.map_err(|_| no_text(&place))?);
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
        let Self { column, field, seen, place, .. } = self;
        let RawColumn { codes, values: dictionary, .. } = column;
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
                codes.push(code.ok_or_else(|| no_text(&place))?);
            }
            left -= read;
        }
        Ok(())
    }
}

/// Returns the start and the end of each list.
fn starts_of(levels: &[i16]) -> impl Iterator<Item = (usize, usize)> {
    let starts: Vec<usize> =
        levels.iter().enumerate().filter(|&(_, &level)| level == 0).map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([levels.len()]);
    let pairs: Vec<(usize, usize)> = starts.iter().copied().zip(ends).collect();
    pairs.into_iter()
}

/// Refuses a column of bytes whose declared type is text.
fn no_text(place: &Location) -> Error {
    Error::new(place.clone(), "is not UTF-8 text").because(NotText)
}
