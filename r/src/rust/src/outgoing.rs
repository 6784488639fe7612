//! Conversion of tables to R.

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_schema::DataType;
use extendr_api::prelude::*;
use foldhash::fast::FixedState;
use openveil_bindings::input;
use openveil_bindings::work::Failure;
use openveil_io::source::Batches;
use std::collections::HashMap;

/// Returns a table as a list of columns of the same length. Integers too large for R's integers
/// become doubles, or texts if a double is not exact. Lists of texts become lists of character
/// vectors, and texts become `codes` and `values`.
pub(crate) fn columns_of(table: &Batches) -> Result<Robj, Failure> {
    let mut pairs = Vec::new();
    for (at, field) in table.schema().fields().iter().enumerate() {
        let arrays: Vec<&ArrayRef> = table.batches().iter().map(|batch| batch.column(at)).collect();
        let column = column_of(field.data_type(), &arrays)
            .ok_or_else(|| input(format!("column `{}` has no counterpart in R", field.name())))?;
        pairs.push((field.name().clone(), column));
    }
    Ok(crate::documents::named(pairs))
}

fn column_of(kind: &DataType, arrays: &[&ArrayRef]) -> Option<Robj> {
    let each = || arrays.iter();
    Some(match kind {
        DataType::Int32 => integers(&primitives::<Int32Type, _>(arrays, Some)),
        DataType::Int64 => {
            let numbers = primitives::<Int64Type, _>(arrays, Some);
            let largest = numbers.iter().flatten().map(|own| own.unsigned_abs()).max();
            let largest = largest.unwrap_or(0);
            if largest <= i32::MAX as u64 {
                integers(&primitives::<Int64Type, _>(arrays, |own| Some(own as i32)))
            } else if largest <= 1 << 53 {
                doubles(&primitives::<Int64Type, _>(arrays, |own| Some(own as f64)))
            } else {
                let text = |own: &Option<i64>| own.map(|own| own.to_string());
                let texts: Vec<Option<String>> = numbers.iter().map(text).collect();
                numbered(texts.iter().map(Option::as_deref))
            }
        }
        DataType::Float64 => doubles(&primitives::<Float64Type, _>(arrays, Some)),
        DataType::Date32 => {
            let mut days =
                doubles(&primitives::<Date32Type, _>(arrays, |day| Some(f64::from(day))));
            days.set_class(["Date"]).ok()?;
            days
        }
        DataType::Boolean => {
            let own = each().flat_map(|array| array.as_boolean().iter());
            own.map(Rbool::from).collect::<Logicals>().into()
        }
        DataType::Utf8 => numbered(each().flat_map(|array| array.as_string::<i32>().iter())),
        DataType::LargeUtf8 => numbered(each().flat_map(|array| array.as_string::<i64>().iter())),
        DataType::Utf8View => numbered(each().flat_map(|array| array.as_string_view().iter())),
        DataType::List(_) => {
            let lists = each().flat_map(|array| array.as_list::<i32>().iter());
            let list = |own: Option<ArrayRef>| match own {
                Some(own) => own.as_string::<i32>().iter().collect::<Vec<_>>().into(),
                None => ().into(),
            };
            List::from_values(lists.map(list).collect::<Vec<Robj>>()).into()
        }
        _ => return None,
    })
}

/// Returns the concatenated values of arrays.
fn primitives<T: ArrowPrimitiveType, V>(
    arrays: &[&ArrayRef],
    value: impl Fn(T::Native) -> Option<V>,
) -> Vec<Option<V>> {
    let mut values = Vec::with_capacity(arrays.iter().map(|array| array.len()).sum());
    for array in arrays.iter().map(|array| array.as_primitive::<T>()) {
        if array.null_count() == 0 {
            values.extend(array.values().iter().map(|&own| value(own)));
        } else {
            values.extend(array.iter().map(|own| own.and_then(&value)));
        }
    }
    values
}

fn integers(values: &[Option<i32>]) -> Robj {
    Integers::from_values(values.iter().map(|&own| Rint::from(own))).into()
}

fn doubles(values: &[Option<f64>]) -> Robj {
    Doubles::from_values(values.iter().map(|&own| Rfloat::from(own))).into()
}

/// Returns texts as numbers from 1 and their values: looking them up in R is faster than passing
/// every text.
fn numbered<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> Robj {
    let mut known: HashMap<&str, i32, FixedState> = HashMap::default();
    let mut values: Vec<&str> = Vec::new();
    let mut before: Option<(&str, i32)> = None;
    let number = |text: Option<&'a str>| {
        let text = text?;
        let code = match before {
            Some((same, code)) if same == text => code,
            _ => *known.entry(text).or_insert_with(|| {
                values.push(text);
                values.len() as i32
            }),
        };
        before = Some((text, code));
        Some(code)
    };
    let codes: Vec<Rint> = texts.map(number).map(Rint::from).collect();
    list!(codes = Integers::from_values(codes), values = values).into()
}
