//! Arrow: reads every column as text, whatever its type; writes each distinct value of a column
//! only once.

use super::text::{display, drop_it, push_date, push_decimal, push_instant, push_time};
use super::{Batches, BytesRead, Dictionary, FirstSeen, RawColumn, Sink, Unusable, blanks};
use crate::{Error, Location};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use jiff::SignedDuration;
use openveil_text::{Text, text};
use rayon::prelude::*;
use std::hash::Hash;

/// Stores the wanted columns, in parallel.
pub(super) fn read(
    batches: &Batches,
    trim: bool,
    lists: bool,
    sink: &mut Sink<'_>,
    progress: BytesRead<'_>,
) -> Result<(), Error> {
    let rows = batches.rows();
    if rows == 0 {
        return Err(Error::new(Location::file(sink.file), "the table has no rows"));
    }
    let wanted = sink.header(&batches.names(trim))?;
    let (file, seen) = (sink.file, FirstSeen { file: sink.index as u32, line: 0 });
    let store = |(index, column): (usize, &mut RawColumn)| {
        if !wanted[index] {
            return Ok(());
        }
        let data_type = batches.schema().field(index).data_type();
        if let Err(reason) = check(data_type, lists) {
            return Err(
                Error::new(Location::file(file).column(&column.name), reason).help(drop_it())
            );
        }
        column.codes.reserve(rows);
        let arrays = batches.batches().iter().map(|batch| batch.column(index));
        let mut store =
            ColumnStore { codes: &mut column.codes, values: &mut column.values, trim, seen };
        arrays.fold((), |(), array| store.array(array));
        progress(1);
        Ok(())
    };
    sink.columns.par_iter_mut().enumerate().map(store).collect()
}

/// Returns the type of a column as policies name it; `list` for lists of any kind, which policies
/// have no name for, and `text` for everything else.
#[must_use]
pub fn type_of(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Dictionary(_, values) => type_of(values),
        number if number.is_integer() => "integer",
        number if number.is_floating() => "number",
        DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) => "number",
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => "date",
        DataType::Boolean => "boolean",
        DataType::List(_) => "list",
        _ => "text",
    }
}

/// Returns the columns that cannot be read.
pub(super) fn unusable(batches: &Batches, trim: bool, lists: bool) -> Vec<Unusable> {
    batches
        .schema()
        .fields()
        .iter()
        .zip(batches.names(trim))
        .filter_map(|(field, column)| {
            let reason = check(field.data_type(), lists).err()?;
            Some(Unusable { column, reason })
        })
        .collect()
}

/// Checks that values of a type have a text form; the error is the reason why not.
fn check(data_type: &DataType, lists: bool) -> Result<(), Text> {
    match data_type {
        DataType::List(field) if lists && field.data_type() == &DataType::Utf8 => Ok(()),
        DataType::List(_)
        | DataType::LargeList(_)
        | DataType::ListView(_)
        | DataType::LargeListView(_)
        | DataType::FixedSizeList(..)
        | DataType::Struct(_)
        | DataType::Map(..)
        | DataType::Union(..) => Err("is nested; only flat columns can be read".into()),
        DataType::Dictionary(_, values) => check(values, false),
        DataType::Null
        | DataType::Boolean
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Date32
        | DataType::Date64
        | DataType::Timestamp(..)
        | DataType::Time32(_)
        | DataType::Time64(_)
        | DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..) => Ok(()),
        number if number.is_integer() || number.is_floating() => Ok(()),
        other => Err(text!("has the type {other}, which has no text form here")),
    }
}

/// The destination of one column.
struct ColumnStore<'a> {
    codes: &'a mut Vec<u32>,
    values: &'a mut Dictionary,
    trim: bool,
    seen: FirstSeen,
}

impl ColumnStore<'_> {
    /// Stores the values of an array, missing ones as empty text.
    fn array(&mut self, array: &ArrayRef) {
        match array.data_type() {
            DataType::Dictionary(..) => self.dictionary(array),
            DataType::Null => {
                let code = self.intern("");
                self.codes.extend(std::iter::repeat_n(code, array.len()));
            }
            DataType::Boolean => {
                let known = ["false", "true"];
                self.texts(
                    array
                        .as_boolean()
                        .iter()
                        .map(|value| value.map(|value| known[usize::from(value)])),
                );
            }
            DataType::Utf8 => self.texts(array.as_string::<i32>().iter()),
            DataType::LargeUtf8 => self.texts(array.as_string::<i64>().iter()),
            DataType::Utf8View => self.texts(array.as_string_view().iter()),
            DataType::List(_) => self.lists(array),
            DataType::Int8 => self.numbers::<Int8Type>(array),
            DataType::Int16 => self.numbers::<Int16Type>(array),
            DataType::Int32 => self.numbers::<Int32Type>(array),
            DataType::Int64 => self.numbers::<Int64Type>(array),
            DataType::UInt8 => self.numbers::<UInt8Type>(array),
            DataType::UInt16 => self.numbers::<UInt16Type>(array),
            DataType::UInt32 => self.numbers::<UInt32Type>(array),
            DataType::UInt64 => self.numbers::<UInt64Type>(array),
            DataType::Float16 => self.of_key(
                array.as_primitive::<Float16Type>(),
                |number| number.to_bits(),
                |number, text| display(&number.to_f32(), text),
            ),
            DataType::Float32 => {
                self.of_key(
                    array.as_primitive::<Float32Type>(),
                    |number| number.to_bits(),
                    |number, text| display(&number, text),
                );
            }
            DataType::Float64 => {
                self.of_key(
                    array.as_primitive::<Float64Type>(),
                    |number| number.to_bits(),
                    |number, text| display(&number, text),
                );
            }
            DataType::Date32 => self.of_key(
                array.as_primitive::<Date32Type>(),
                |days| days,
                |days, text| push_date(text, i64::from(days)),
            ),
            DataType::Date64 => self.of_key(
                array.as_primitive::<Date64Type>(),
                |ms| ms,
                |ms, text| push_date(text, ms.div_euclid(86_400_000)),
            ),
            DataType::Time32(TimeUnit::Second) => {
                self.times::<Time32SecondType>(array, SignedDuration::from_secs);
            }
            DataType::Time32(_) => {
                self.times::<Time32MillisecondType>(array, SignedDuration::from_millis);
            }
            DataType::Time64(TimeUnit::Microsecond) => {
                self.times::<Time64MicrosecondType>(array, SignedDuration::from_micros);
            }
            DataType::Time64(_) => {
                self.times::<Time64NanosecondType>(array, SignedDuration::from_nanos);
            }
            DataType::Timestamp(TimeUnit::Second, zone) => self.instants::<TimestampSecondType>(
                array,
                SignedDuration::from_secs,
                zone.is_some(),
            ),
            DataType::Timestamp(TimeUnit::Millisecond, zone) => self
                .instants::<TimestampMillisecondType>(
                    array,
                    SignedDuration::from_millis,
                    zone.is_some(),
                ),
            DataType::Timestamp(TimeUnit::Microsecond, zone) => self
                .instants::<TimestampMicrosecondType>(
                    array,
                    SignedDuration::from_micros,
                    zone.is_some(),
                ),
            DataType::Timestamp(TimeUnit::Nanosecond, zone) => self
                .instants::<TimestampNanosecondType>(
                    array,
                    SignedDuration::from_nanos,
                    zone.is_some(),
                ),
            DataType::Decimal32(_, scale) => {
                self.decimals::<Decimal32Type>(array, *scale, i128::from)
            }
            DataType::Decimal64(_, scale) => {
                self.decimals::<Decimal64Type>(array, *scale, i128::from)
            }
            DataType::Decimal128(_, scale) => {
                self.decimals::<Decimal128Type>(array, *scale, |units| units)
            }
            _ => unreachable!("columns are read whose type has a text form"),
        }
    }

    fn intern(&mut self, text: &str) -> u32 {
        let (values, seen) = (&mut self.values, self.seen);
        let text = if self.trim { blanks::trim_text(text) } else { text };
        values.intern(text.as_bytes(), || seen).expect("texts are UTF-8")
    }

    fn texts<'t>(&mut self, texts: impl Iterator<Item = Option<&'t str>>) {
        for text in texts {
            let code = self.intern(text.unwrap_or(""));
            self.codes.push(code);
        }
    }

    /// Stores the values of a dictionary-coded array, in the order in which rows first hold them.
    fn dictionary(&mut self, array: &ArrayRef) {
        let array = array.as_any_dictionary();
        if array.values().is_empty() {
            return self.texts((0..array.len()).map(|_| None));
        }
        // Read the values as a column of their own first: their order differs from the order of the
        // rows.
        let (mut codes, mut values) = (Vec::new(), Dictionary::default());
        let mut own = ColumnStore {
            codes: &mut codes,
            values: &mut values,
            trim: self.trim,
            seen: self.seen,
        };
        own.array(array.values());
        let keys = array.normalized_keys();
        let mut known: Vec<Option<u32>> = vec![None; values.len()];
        let mut missing = None;
        for (row, key) in keys.into_iter().enumerate() {
            let code = if array.keys().is_null(row) {
                *missing.get_or_insert_with(|| self.intern(""))
            } else {
                let own = codes[key] as usize;
                *known[own].get_or_insert_with(|| self.intern(values.get(own as u32)))
            };
            self.codes.push(code);
        }
    }

    /// Stores lists of texts, each as a set; a list of one text as that text.
    fn lists(&mut self, array: &ArrayRef) {
        let lists = array.as_list::<i32>();
        for list in lists.iter() {
            let text = list.map(|members| {
                let members: Vec<&str> = members.as_string::<i32>().iter().flatten().collect();
                match members[..] {
                    [only] => only.to_owned(),
                    _ => format!("{{{}}}", members.join("|")),
                }
            });
            let code = self.intern(text.as_deref().unwrap_or(""));
            self.codes.push(code);
        }
    }

    fn numbers<T: ArrowPrimitiveType>(&mut self, array: &ArrayRef)
    where
        T::Native: Hash + Eq + std::fmt::Display,
    {
        self.of_key(
            array.as_primitive::<T>(),
            |number| number,
            |number, text| display(&number, text),
        );
    }

    fn instants<T: ArrowPrimitiveType<Native = i64>>(
        &mut self,
        array: &ArrayRef,
        since_1970: fn(i64) -> SignedDuration,
        is_moment: bool,
    ) {
        self.of_key(
            array.as_primitive::<T>(),
            |ticks| ticks,
            |ticks, text| push_instant(text, ticks, since_1970(ticks), is_moment),
        );
    }

    fn times<T: ArrowPrimitiveType>(
        &mut self,
        array: &ArrayRef,
        since_midnight: fn(i64) -> SignedDuration,
    ) where
        T::Native: Hash + Eq + Into<i64>,
    {
        self.of_key(
            array.as_primitive::<T>(),
            |ticks| ticks,
            |ticks, text| push_time(text, ticks.into(), since_midnight(ticks.into())),
        );
    }

    fn decimals<T: ArrowPrimitiveType>(
        &mut self,
        array: &ArrayRef,
        scale: i8,
        units: fn(T::Native) -> i128,
    ) where
        T::Native: Hash + Eq,
    {
        self.of_key(
            array.as_primitive::<T>(),
            |number| number,
            |number, text| push_decimal(text, units(number), i32::from(scale)),
        );
    }

    /// Stores numbers, and writes each distinct one as text only once. Keys tell them apart.
    fn of_key<T: ArrowPrimitiveType, K: Hash + Eq>(
        &mut self,
        array: &PrimitiveArray<T>,
        key: impl Fn(T::Native) -> K,
        write: impl Fn(T::Native, &mut String),
    ) {
        let mut known: HashMap<K, u32, FixedState> = HashMap::default();
        let mut missing = None;
        let mut text = String::new();
        // Rows of a group are consecutive, so equal numbers often are, too.
        let mut before: Option<(K, u32)> = None;
        for (row, &number) in array.values().iter().enumerate() {
            let is_null = array.is_null(row);
            match &before {
                Some((same, code)) if !is_null && *same == key(number) => {
                    self.codes.push(*code);
                    continue;
                }
                _ => {}
            }
            let code = if is_null {
                *missing.get_or_insert_with(|| self.intern(""))
            } else {
                *known.entry(key(number)).or_insert_with(|| {
                    text.clear();
                    write(number, &mut text);
                    self.intern(&text)
                })
            };
            before = (!is_null).then(|| (key(number), code));
            self.codes.push(code);
        }
    }
}
