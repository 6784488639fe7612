//! Tables that go to R.

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::ArrayRef;
use arrow_schema::DataType;
use extendr_api::prelude::*;
use openveil_bindings::input;
use openveil_bindings::work::Failure;
use openveil_io::source::Batches;
use std::collections::HashMap;

/// Returns a table as a list of columns of the same length. Integers that R's do not hold are doubles,
/// or texts where those do not hold them either; lists of texts are lists of character vectors, and texts are `codes` and `values`.
pub(crate) fn columns_of(table: &Batches) -> Result<Robj, Failure> {
    let mut pairs = Vec::new();
    for (at, field) in table.schema().fields().iter().enumerate() {
        let arrays: Vec<&ArrayRef> = table
            .batches()
            .iter()
            .map(|batch| batch.column(at))
            .collect();
        let column = column_of(field.data_type(), &arrays)
            .ok_or_else(|| input(format!("column `{}` has no counterpart in R", field.name())))?;
        pairs.push((field.name().clone(), column));
    }
    Ok(crate::documents::named(pairs))
}

fn column_of(kind: &DataType, arrays: &[&ArrayRef]) -> Option<Robj> {
    let each = || arrays.iter();
    Some(match kind {
        DataType::Int32 => {
            let own = each().flat_map(|array| array.as_primitive::<Int32Type>().iter());
            own.map(Rint::from).collect::<Integers>().into()
        }
        DataType::Int64 => {
            let own = || each().flat_map(|array| array.as_primitive::<Int64Type>().iter());
            let fits = |number: i64| i32::try_from(number).is_ok_and(|own| own != i32::MIN);
            let is_exact = |number: i64| number.unsigned_abs() <= 1 << 53;
            if !own().flatten().all(is_exact) {
                let texts: Vec<Option<String>> =
                    own().map(|own| own.map(|own| own.to_string())).collect();
                return Some(numbered(texts.iter().map(Option::as_deref)));
            }
            if own().flatten().all(fits) {
                own()
                    .map(|number| Rint::from(number.map(|own| own as i32)))
                    .collect::<Integers>()
                    .into()
            } else {
                own()
                    .map(|number| Rfloat::from(number.map(|own| own as f64)))
                    .collect::<Doubles>()
                    .into()
            }
        }
        DataType::Float64 => {
            let own = each().flat_map(|array| array.as_primitive::<Float64Type>().iter());
            own.map(Rfloat::from).collect::<Doubles>().into()
        }
        DataType::Date32 => {
            let own = each().flat_map(|array| array.as_primitive::<Date32Type>().iter());
            let days: Doubles = own.map(|day| Rfloat::from(day.map(f64::from))).collect();
            let mut days = Robj::from(days);
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

/// Texts as their numbers, from 1 on, and the values that these stand for: R looks them up faster than
/// it is given them.
fn numbered<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> Robj {
    let mut known: HashMap<&str, i32> = HashMap::new();
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
