//! Data frames that come from R.

use crate::answer::answer;
use crate::policy::element;
use arrow_array::{
    new_null_array, ArrayRef, BooleanArray, Date32Array, Float64Array, Int32Array, Int64Array,
    TimestampMicrosecondArray,
};
use arrow_schema::{DataType, Field};
use extendr_api::prelude::*;
use foldhash::fast::FixedState;
use openveil_bindings::work::Failure;
use openveil_bindings::{input, table};
use openveil_io::source::Batches;
use openveil_io::source::Codebook;
use std::collections::HashMap;
use std::sync::Arc;

/// Returns a table from the columns of a data frame, which R has converted to vectors, factors,
/// dates and points in local time of their zone. `labels` are the codebook's labels of columns, and
/// `codes` by column the codes, their labels, those that stand for a missing answer, and whether they are texts.
#[extendr]
fn table_of(columns: List, labels: List, codes: List) -> Robj {
    answer(|| {
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for (name, column) in columns.iter() {
            let array = array_of(&column)
                .map_err(|problem| input(format!("column `{name}`: {problem}")))?;
            let field = Field::new(name, array.data_type().clone(), true);
            #[expect(
                deprecated,
                reason = "the engine reads orders of categories where this sets them"
            )]
            let field = match column.inherits("ordered") {
                true => Field::new_dict(name, array.data_type().clone(), true, 0, true),
                false => field,
            };
            fields.push(field);
            arrays.push(array);
        }
        let labels: HashMap<String, String> = labels
            .iter()
            .filter_map(|(name, label)| Some((name.to_owned(), label.as_str()?.to_owned())))
            .collect();
        let codes = codes.iter().filter_map(|(name, own)| Some((name.to_owned(), codebook(&own)?)));
        let batches = table::of_arrays(fields, arrays)?.with_codebooks(&labels, &codes.collect());
        Ok::<_, Failure>(ExternalPtr::new(batches))
    })
}

fn codebook(given: &Robj) -> Option<Codebook> {
    let given = given.as_list()?;
    let texts = |name| element(&given, name).and_then(|own| own.as_string_vector());
    Some(Codebook {
        label: None,
        labels: texts("codes")?.into_iter().zip(texts("labels")?).collect(),
        missing: texts("missing").unwrap_or_default().into_iter().collect(),
        text: element(&given, "text").and_then(|own| own.as_bool()).unwrap_or(false),
    })
}

/// Returns the names of a table's columns, and their types by the names in policies.
#[extendr]
fn table_types(table: Robj) -> Robj {
    answer(|| {
        let table = given_table(&table)?;
        let (names, types): (Vec<String>, Vec<String>) = table::types(table).into_iter().unzip();
        Ok::<_, Failure>(list!(names = names, types = types))
    })
}

/// Returns a table that R holds.
pub(crate) fn given_table(given: &Robj) -> Result<&Batches, Failure> {
    let table: Result<&ExternalPtr<Batches>, _> = given.try_into();
    Ok(table.map_err(|_| input("the table is gone: it does not outlive the session"))?.addr())
}

fn array_of(column: &Robj) -> Result<ArrayRef, String> {
    let class = |name| column.inherits(name);
    if class("factor") {
        let codes = column.as_integer_slice().ok_or("is a factor without codes")?;
        let levels = column.get_attrib("levels").and_then(|own| own.as_string_vector());
        // R counts from 1, and its NA is the least number.
        let codes = codes.iter().map(|code| code.saturating_sub(1)).collect();
        return numbered(codes, &levels.unwrap_or_default());
    }
    if class("Date") {
        return Ok(Arc::new(match (column.as_integer_slice(), column.as_real_slice()) {
            (Some(days), _) => {
                days.iter().map(|day| (!day.is_na()).then_some(*day)).collect::<Date32Array>()
            }
            (_, Some(days)) => {
                days.iter().map(|day| day.is_finite().then(|| day.floor() as i32)).collect()
            }
            _ => return Err("is a date without days".to_owned()),
        }));
    }
    if class("POSIXct") {
        let seconds = column.as_real_slice().ok_or("is a point in time without seconds")?;
        let microseconds = |own: &f64| own.is_finite().then(|| (own * 1e6).round() as i64);
        return Ok(Arc::new(
            seconds.iter().map(microseconds).collect::<TimestampMicrosecondArray>(),
        ));
    }
    if class("integer64") {
        let bits = column.as_real_slice().ok_or("has no numbers")?;
        let number = |own: &f64| Some(own.to_bits() as i64).filter(|own| *own != i64::MIN);
        return Ok(Arc::new(bits.iter().map(number).collect::<Int64Array>()));
    }
    if class("difftime") {
        return Ok(new_null_array(
            &DataType::Duration(arrow_schema::TimeUnit::Second),
            column.len(),
        ));
    }
    if column.is_string() {
        return texts(column);
    }
    if let Some(truths) = column.as_logical_slice() {
        let truth = |own: &Rbool| (!own.is_na()).then(|| own.to_bool());
        return Ok(Arc::new(truths.iter().map(truth).collect::<BooleanArray>()));
    }
    if let Some(numbers) = column.as_integer_slice() {
        let number = |own: &i32| (!own.is_na()).then_some(*own);
        return Ok(Arc::new(numbers.iter().map(number).collect::<Int32Array>()));
    }
    if let Some(numbers) = column.as_real_slice() {
        return Ok(doubles(numbers));
    }
    // Neither type can be published, but dropped columns may have any type.
    let kind = if column.is_list() {
        DataType::List(Arc::new(Field::new("item", DataType::Int32, true)))
    } else {
        DataType::Binary
    };
    Ok(new_null_array(&kind, column.len()))
}

/// Returns doubles; whole numbers become integers, because 31 is a double in R.
fn doubles(numbers: &[f64]) -> ArrayRef {
    let is_whole = |own: &f64| own.is_nan() || own.fract() == 0.0 && own.abs() < 9e15;
    if numbers.iter().all(is_whole) {
        let number = |own: &f64| (!own.is_nan()).then_some(*own as i64);
        return Arc::new(numbers.iter().map(number).collect::<Int64Array>());
    }
    let number = |own: &f64| (!own.is_nan()).then_some(*own);
    Arc::new(numbers.iter().map(number).collect::<Float64Array>())
}

/// Returns numbered texts, by address: R stores each text once.
fn texts(column: &Robj) -> Result<ArrayRef, String> {
    let texts: Strings =
        column.clone().try_into().map_err(|_| "is no column of texts".to_owned())?;
    let mut known: HashMap<*const u8, i32, FixedState> = HashMap::default();
    let mut values: Vec<String> = Vec::new();
    let mut codes: Vec<i32> = Vec::with_capacity(texts.len());
    let mut before: Option<(*const u8, i32)> = None;
    for text in texts.as_slice() {
        if text.is_na() {
            codes.push(-1);
            continue;
        }
        let text: &str = text.as_ref();
        let code = match before {
            Some((address, code)) if address == text.as_ptr() => code,
            _ => *known.entry(text.as_ptr()).or_insert_with(|| {
                values.push(text.to_owned());
                values.len() as i32 - 1
            }),
        };
        before = Some((text.as_ptr(), code));
        codes.push(code);
    }
    numbered(codes, &values)
}

/// Returns numbered texts; a negative number is a missing value.
fn numbered(codes: Vec<i32>, values: &[String]) -> Result<ArrayRef, String> {
    table::numbered("text", codes, values).map_err(|cause| cause.to_string())
}

extendr_module! {
    mod incoming;
    fn table_of;
    fn table_types;
}
