//! The text form of a column's values.

use super::super::text::{display, push_date, push_decimal, push_instant, push_time};
use super::FileForm;
use jiff::SignedDuration;
use openveil_text::{Text, text};
use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::schema::types::ColumnDescriptor;

/// The text form of values.
#[derive(Debug, Clone, Copy)]
pub(super) enum TextForm {
    /// Unchanged.
    Plain,
    /// Unsigned whole numbers.
    Unsigned,
    /// Whole numbers of units of 10^-scale.
    Decimal(i32),
    /// Days since 1970-01-01.
    Date,
    /// Ticks since 1970, and whether they are a moment in UTC rather than a local time.
    Timestamp(TimeUnit, bool),
    /// Ticks since midnight.
    Time(TimeUnit),
    /// 16-bit floating-point numbers.
    Half,
    /// Nanoseconds of a Julian day, in which older programs write moments.
    Julian,
    /// Lists of texts, as the sets `{a|b}`.
    List,
}

/// Returns whether a column holds a list of texts in every row, with no text missing.
pub(crate) fn is_list(field: &ColumnDescriptor) -> bool {
    let is_text = matches!(logical(field), Some(LogicalType::String));
    let levels = (field.max_rep_level(), field.max_def_level());
    is_text && levels == (1, 1) && field.path().parts().len() == 3
}

/// Returns the logical type of a column. Older writers, and some of today's, leave only the
/// *converted* type, which means the same (Parquet's LogicalTypes.md, compatibility).
fn logical(field: &ColumnDescriptor) -> Option<LogicalType> {
    let whole = |bits, is_signed| LogicalType::integer(bits, is_signed);
    Some(match (field.logical_type_ref(), field.converted_type()) {
        (Some(known), _) => known.clone(),
        (None, ConvertedType::UTF8) => LogicalType::String,
        (None, ConvertedType::ENUM) => LogicalType::Enum,
        (None, ConvertedType::JSON) => LogicalType::Json,
        (None, ConvertedType::DATE) => LogicalType::Date,
        (None, ConvertedType::TIME_MILLIS) => LogicalType::time(true, TimeUnit::MILLIS),
        (None, ConvertedType::TIME_MICROS) => LogicalType::time(true, TimeUnit::MICROS),
        (None, ConvertedType::TIMESTAMP_MILLIS) => LogicalType::timestamp(true, TimeUnit::MILLIS),
        (None, ConvertedType::TIMESTAMP_MICROS) => LogicalType::timestamp(true, TimeUnit::MICROS),
        (None, ConvertedType::DECIMAL) => {
            LogicalType::decimal(field.type_scale(), field.type_precision())
        }
        (None, ConvertedType::UINT_8) => whole(8, false),
        (None, ConvertedType::UINT_16) => whole(16, false),
        (None, ConvertedType::UINT_32) => whole(32, false),
        (None, ConvertedType::UINT_64) => whole(64, false),
        (None, ConvertedType::INT_8) => whole(8, true),
        (None, ConvertedType::INT_16) => whole(16, true),
        (None, ConvertedType::INT_32) => whole(32, true),
        (None, ConvertedType::INT_64) => whole(64, true),
        (None, _) => return None,
    })
}

/// Returns the text form of a column; the error is the reason why there is none.
pub(super) fn form(field: &ColumnDescriptor, style: FileForm) -> Result<TextForm, Text> {
    if style.lists && is_list(field) {
        return Ok(TextForm::List);
    }
    if field.max_rep_level() > 0 || field.max_def_level() > 1 {
        return Err("is nested; only flat columns can be read".into());
    }
    let converted = field.converted_type();
    if matches!(converted, ConvertedType::INTERVAL | ConvertedType::BSON) {
        return Err(text!("has the type {converted}, which has no text form here"));
    }
    let logical = logical(field);
    let physical = field.physical_type();
    match (physical, logical.as_ref()) {
        (Type::BOOLEAN | Type::FLOAT | Type::DOUBLE, _) => Ok(TextForm::Plain),
        // A column without a type has missing values only.
        (Type::INT32, Some(LogicalType::Unknown)) => Ok(TextForm::Plain),
        (Type::INT32, Some(LogicalType::Date)) => Ok(TextForm::Date),
        (Type::INT64, Some(LogicalType::Timestamp(timestamp))) => {
            let is_moment = timestamp.is_adjusted_to_u_t_c;
            Ok(TextForm::Timestamp(timestamp.unit, is_moment))
        }
        (Type::INT32 | Type::INT64, Some(LogicalType::Time(time))) => Ok(TextForm::Time(time.unit)),
        (Type::FIXED_LEN_BYTE_ARRAY, Some(LogicalType::Float16)) => Ok(TextForm::Half),
        (Type::INT96, _) => Ok(TextForm::Julian),
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
            Err(text!("has the type {kind}, which has no text form here"))
        }
    }
}

/// Returns the type of a column as policies name it; `text` if it cannot be read.
pub(super) fn type_of(field: &ColumnDescriptor, style: FileForm) -> &'static str {
    match (form(field, style), field.physical_type()) {
        (Ok(TextForm::List), _) => "list",
        (Ok(TextForm::Date | TextForm::Timestamp(..) | TextForm::Julian), _) => "date",
        (Ok(TextForm::Decimal(_) | TextForm::Half), _) => "number",
        (Ok(TextForm::Plain), Type::BOOLEAN) => "boolean",
        (Ok(TextForm::Plain), Type::FLOAT | Type::DOUBLE) => "number",
        (Ok(TextForm::Plain | TextForm::Unsigned), Type::INT32 | Type::INT64) => "integer",
        _ => "text",
    }
}

/// Appends a whole number in its text form.
pub(super) fn push_number(text: &mut String, number: i64, form: TextForm) {
    match form {
        TextForm::Date => push_date(text, number),
        TextForm::Timestamp(unit, is_moment) => {
            push_instant(text, number, since_1970(number, unit), is_moment);
        }
        TextForm::Time(unit) => push_time(text, number, since_1970(number, unit)),
        TextForm::Decimal(scale) => push_decimal(text, i128::from(number), scale),
        TextForm::Plain
        | TextForm::Unsigned
        | TextForm::List
        | TextForm::Half
        | TextForm::Julian => {
            display(&number, text);
        }
    }
}

fn since_1970(ticks: i64, unit: TimeUnit) -> SignedDuration {
    match unit {
        TimeUnit::MILLIS => SignedDuration::from_millis(ticks),
        TimeUnit::MICROS => SignedDuration::from_micros(ticks),
        TimeUnit::NANOS => SignedDuration::from_nanos(ticks),
    }
}

/// Reads a 16-bit number, lowest byte first: a sign, five bits of exponent, ten of fraction (IEEE
/// 754).
pub(super) fn half(bytes: &[u8]) -> Option<f32> {
    let bits = u16::from_le_bytes(bytes.try_into().ok()?);
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff));
    Some(
        sign * match exponent {
            0 => fraction * 2f32.powi(-24),
            0x1f if fraction == 0.0 => f32::INFINITY,
            0x1f => f32::NAN,
            _ => (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15),
        },
    )
}

/// Reads a signed number of at most 16 bytes, highest byte first.
pub(super) fn big_endian(bytes: &[u8]) -> i128 {
    let sign = if bytes.first().is_some_and(|&byte| byte >= 0x80) { -1 } else { 0 };
    bytes.iter().fold(sign, |number, &byte| (number << 8) | i128::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::schema::types::{ColumnPath, Type as SchemaType};
    use std::sync::Arc;

    /// Each converted type without a logical one, and the type that policies get. DuckDB writes
    /// such files.
    #[test]
    fn converted_types_mean_what_logical_types_mean() {
        let style = FileForm { trim: false, lists: false };
        let type_by = |physical: Type, converted: ConvertedType| {
            let field = SchemaType::primitive_type_builder("a", physical)
                .with_converted_type(converted)
                .with_precision(9)
                .with_scale(2)
                .build()
                .unwrap();
            let path = ColumnPath::from("a");
            let field = ColumnDescriptor::new(Arc::new(field), 0, 0, path);
            form(&field, style).map(|_| type_of(&field, style))
        };
        for (physical, converted, expected) in [
            (Type::INT32, ConvertedType::NONE, "integer"),
            (Type::INT32, ConvertedType::DATE, "date"),
            (Type::INT32, ConvertedType::DECIMAL, "number"),
            (Type::INT64, ConvertedType::DECIMAL, "number"),
            (Type::INT32, ConvertedType::UINT_8, "integer"),
            (Type::INT32, ConvertedType::UINT_32, "integer"),
            (Type::INT64, ConvertedType::UINT_64, "integer"),
            (Type::INT32, ConvertedType::INT_16, "integer"),
            (Type::INT32, ConvertedType::TIME_MILLIS, "text"),
            (Type::INT64, ConvertedType::TIME_MICROS, "text"),
            (Type::INT64, ConvertedType::TIMESTAMP_MILLIS, "date"),
            (Type::INT64, ConvertedType::TIMESTAMP_MICROS, "date"),
            (Type::BYTE_ARRAY, ConvertedType::UTF8, "text"),
            (Type::BYTE_ARRAY, ConvertedType::ENUM, "text"),
            (Type::BYTE_ARRAY, ConvertedType::JSON, "text"),
        ] {
            assert_eq!(type_by(physical, converted), Ok(expected), "{physical} {converted}");
        }
        let refused = type_by(Type::BYTE_ARRAY, ConvertedType::BSON).unwrap_err();
        assert!(refused.to_string().contains("BSON"), "{refused}");
    }
}
