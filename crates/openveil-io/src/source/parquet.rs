//! Parquet: every column as text, whatever its type.

use super::{FirstSeen, Progress, RawColumn, Sink};
use crate::{Error, Location};
use jiff::civil::Date;
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp, ToSpan};
use parquet::basic::{LogicalType, TimeUnit};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use std::fmt::{Display, Write};
use std::fs::File;
use std::path::Path;

/// Values read at a time.
const BATCH: usize = 1 << 15;

pub(super) fn read(file: &Path, sink: &mut Sink<'_>, progress: Progress<'_>) -> Result<(), Error> {
    let opened = File::open(file).map_err(|cause| Error::io(file, "open the file", &cause))?;
    let bytes = opened.metadata().map_or(0, |metadata| metadata.len());
    let malformed = |cause: &dyn Display| {
        Error::new(
            Location::file(file),
            format!("is not a readable Parquet file: {cause}"),
        )
    };
    let reader = SerializedFileReader::new(opened).map_err(|cause| malformed(&cause))?;
    let metadata = reader.metadata().file_metadata();
    let rows = metadata.num_rows().max(0) as u64;
    if rows == 0 {
        return Err(Error::new(Location::file(file), "the table has no rows"));
    }
    let fields = metadata.schema_descr().columns();
    let names: Vec<String> = fields.iter().map(|field| field.path().string()).collect();
    let wanted = sink.header(&names)?;
    for group in 0..reader.num_row_groups() {
        let group = reader
            .get_row_group(group)
            .map_err(|cause| malformed(&cause))?;
        let group_rows = group.metadata().num_rows().max(0) as usize;
        for (index, field) in fields
            .iter()
            .enumerate()
            .filter(|(index, _)| wanted[*index])
        {
            let place = Location::file(file).column(&names[index]);
            if field.max_rep_level() > 0 || field.max_def_level() > 1 {
                return Err(
                    Error::new(place, "is nested; only flat columns can be read").help(DROP),
                );
            }
            let column = group
                .get_column_reader(index)
                .map_err(|cause| malformed(&cause))?;
            let seen = FirstSeen {
                file: sink.index as u32,
                line: 0,
            };
            let store = Store {
                column: &mut sink.columns[index],
                field,
                seen,
                place,
            };
            store.column(column, group_rows)?;
        }
        progress(bytes * group_rows as u64 / rows);
    }
    Ok(())
}

const DROP: &str = "give the column the role `drop`, or convert it first";

/// Stores one chunk of a column.
struct Store<'a> {
    column: &'a mut RawColumn,
    field: &'a ColumnDescriptor,
    seen: FirstSeen,
    place: Location,
}

impl Store<'_> {
    fn column(self, reader: ColumnReader, rows: usize) -> Result<(), Error> {
        let logical = self.field.logical_type_ref().cloned();
        match (reader, logical) {
            (ColumnReader::BoolColumnReader(reader), _) => self.texts(reader, rows, display),
            (ColumnReader::Int32ColumnReader(reader), Some(LogicalType::Date)) => {
                self.texts(reader, rows, |&days, text| push_date(text, i64::from(days)))
            }
            (ColumnReader::Int32ColumnReader(reader), Some(LogicalType::Decimal(decimal))) => self
                .texts(reader, rows, move |&units, text| {
                    push_decimal(text, i128::from(units), decimal.scale);
                }),
            (ColumnReader::Int32ColumnReader(reader), Some(LogicalType::Integer(integer)))
                if !integer.is_signed =>
            {
                self.texts(reader, rows, |&number, text| {
                    display(&(number as u32), text)
                })
            }
            (ColumnReader::Int32ColumnReader(reader), None | Some(LogicalType::Integer(_))) => {
                self.texts(reader, rows, display)
            }
            (ColumnReader::Int64ColumnReader(reader), Some(LogicalType::Timestamp(timestamp))) => {
                self.texts(reader, rows, move |&ticks, text| {
                    push_timestamp(text, ticks, &timestamp.unit);
                })
            }
            (ColumnReader::Int64ColumnReader(reader), Some(LogicalType::Decimal(decimal))) => self
                .texts(reader, rows, move |&units, text| {
                    push_decimal(text, i128::from(units), decimal.scale);
                }),
            (ColumnReader::Int64ColumnReader(reader), Some(LogicalType::Integer(integer)))
                if !integer.is_signed =>
            {
                self.texts(reader, rows, |&number, text| {
                    display(&(number as u64), text)
                })
            }
            (ColumnReader::Int64ColumnReader(reader), None | Some(LogicalType::Integer(_))) => {
                self.texts(reader, rows, display)
            }
            (ColumnReader::FloatColumnReader(reader), _) => self.texts(reader, rows, display),
            (ColumnReader::DoubleColumnReader(reader), _) => self.texts(reader, rows, display),
            (
                ColumnReader::ByteArrayColumnReader(reader),
                None | Some(LogicalType::String | LogicalType::Enum | LogicalType::Json),
            ) => self.bytes(reader, rows, |value| value.data()),
            (
                ColumnReader::FixedLenByteArrayColumnReader(reader),
                Some(LogicalType::Decimal(decimal)),
            ) if self.field.type_length() <= 16 => self.texts(reader, rows, move |value, text| {
                push_decimal(text, big_endian(value.data()), decimal.scale);
            }),
            (_, logical) => {
                let kind = logical.map_or_else(
                    || format!("{:?}", self.field.physical_type()),
                    |logical| format!("{logical:?}"),
                );
                Err(Error::new(
                    self.place,
                    format!("has the type {kind}, which has no text form here"),
                )
                .help(DROP))
            }
        }
    }

    /// Stores values that a function writes as text.
    fn texts<T: DataType>(
        self,
        reader: ColumnReaderImpl<T>,
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
    fn bytes<T: DataType>(
        self,
        reader: ColumnReaderImpl<T>,
        rows: usize,
        bytes: impl Fn(&T::T) -> &[u8],
    ) -> Result<(), Error> {
        self.each(reader, rows, |value, intern| intern(bytes(value)))
    }

    /// Reads `rows` values, missing ones as empty text.
    fn each<T: DataType>(
        self,
        mut reader: ColumnReaderImpl<T>,
        rows: usize,
        mut store: impl FnMut(&T::T, &mut dyn FnMut(&[u8]) -> Option<u32>) -> Option<u32>,
    ) -> Result<(), Error> {
        let Self {
            column,
            field,
            seen,
            place,
        } = self;
        let RawColumn {
            codes,
            values: dictionary,
            ..
        } = column;
        let mut intern = |bytes: &[u8]| dictionary.intern(bytes, || seen).ok();
        let (mut values, mut levels) = (Vec::with_capacity(BATCH), Vec::with_capacity(BATCH));
        codes.reserve(rows);
        let mut left = rows;
        while left > 0 {
            values.clear();
            levels.clear();
            let optional = (field.max_def_level() > 0).then_some(&mut levels);
            let (read, ..) = reader
                .read_records(left.min(BATCH), optional, None, &mut values)
                .map_err(|cause| Error::new(place.clone(), format!("cannot be read: {cause}")))?;
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

fn display(value: &impl Display, text: &mut String) {
    write!(text, "{value}").expect("writing to a string does not fail");
}

/// Days since 1970-01-01; a day beyond the calendar stays a number.
fn push_date(text: &mut String, days: i64) {
    match Date::constant(1970, 1, 1).checked_add(days.days()) {
        Ok(date) => display(&date, text),
        Err(_) => display(&days, text),
    }
}

/// Ticks since 1970, as date and time in UTC.
fn push_timestamp(text: &mut String, ticks: i64, unit: &TimeUnit) {
    let duration = match unit {
        TimeUnit::MILLIS => SignedDuration::from_millis(ticks),
        TimeUnit::MICROS => SignedDuration::from_micros(ticks),
        TimeUnit::NANOS => SignedDuration::from_nanos(ticks),
    };
    match Timestamp::from_duration(duration) {
        Ok(timestamp) => display(&Offset::UTC.to_datetime(timestamp), text),
        Err(_) => display(&ticks, text),
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

/// A whole number of units of 10^-scale.
fn push_decimal(text: &mut String, units: i128, scale: i32) {
    let scale = scale.max(0) as usize;
    let digits = format!("{:0>width$}", units.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    text.push_str(if units < 0 { "-" } else { "" });
    text.push_str(whole);
    if scale > 0 {
        text.push('.');
        text.push_str(fraction);
    }
}
