//! How the values of a column become text.

use super::super::text::{display, push_date, push_decimal, push_instant};
use super::FileForm;
use jiff::SignedDuration;
use parquet::basic::{LogicalType, TimeUnit, Type};
use parquet::schema::types::ColumnDescriptor;

/// How values become text.
#[derive(Debug, Clone, Copy)]
pub(super) enum TextForm {
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
pub(super) fn form(field: &ColumnDescriptor, style: FileForm) -> Result<TextForm, String> {
    if style.lists && is_list(field) {
        return Ok(TextForm::List);
    }
    if field.max_rep_level() > 0 || field.max_def_level() > 1 {
        return Err("is nested; only flat columns can be read".to_owned());
    }
    let logical = field.logical_type_ref();
    let physical = field.physical_type();
    match (physical, logical) {
        (Type::BOOLEAN | Type::FLOAT | Type::DOUBLE, _) => Ok(TextForm::Plain),
        (Type::INT32, Some(LogicalType::Date)) => Ok(TextForm::Date),
        (Type::INT64, Some(LogicalType::Timestamp(timestamp))) => {
            Ok(TextForm::Timestamp(timestamp.unit))
        }
        (Type::INT32 | Type::INT64, Some(LogicalType::Decimal(decimal))) => {
            Ok(TextForm::Decimal(decimal.scale))
        }
        (Type::FIXED_LEN_BYTE_ARRAY, Some(LogicalType::Decimal(decimal)))
            if field.type_length() <= 16 =>
        {
            Ok(TextForm::Decimal(decimal.scale))
        }
        (Type::INT32 | Type::INT64, Some(LogicalType::Integer(integer))) if !integer.is_signed => {
            Ok(TextForm::Unsigned)
        }
        (Type::INT32 | Type::INT64, None | Some(LogicalType::Integer(_))) => Ok(TextForm::Plain),
        (
            Type::BYTE_ARRAY,
            None | Some(LogicalType::String | LogicalType::Enum | LogicalType::Json),
        ) => Ok(TextForm::Plain),
        (_, logical) => {
            let kind = logical.map_or_else(|| format!("{physical:?}"), |kind| format!("{kind:?}"));
            Err(format!("has the type {kind}, which has no text form here"))
        }
    }
}

/// Writes a whole number as its form has it.
pub(super) fn push_number(text: &mut String, number: i64, form: TextForm) {
    match form {
        TextForm::Date => push_date(text, number),
        TextForm::Timestamp(unit) => push_instant(text, number, since_1970(number, unit)),
        TextForm::Decimal(scale) => push_decimal(text, i128::from(number), scale),
        TextForm::Plain | TextForm::Unsigned | TextForm::List => display(&number, text),
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
pub(super) fn big_endian(bytes: &[u8]) -> i128 {
    let sign = if bytes.first().is_some_and(|&byte| byte >= 0x80) {
        -1
    } else {
        0
    };
    bytes
        .iter()
        .fold(sign, |number, &byte| (number << 8) | i128::from(byte))
}
