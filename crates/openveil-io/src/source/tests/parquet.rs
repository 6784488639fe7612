use super::*;
use crate::source::testing::odd_parquet;

/// Writes a Parquet file with one column of each type that has a text form.
fn typed_parquet(path: &Path) {
    use ::parquet::basic::{LogicalType, Repetition, TimeUnit, Type as Physical};
    use ::parquet::data_type::{
        BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type,
    };
    use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
    use ::parquet::schema::types::Type;
    use std::sync::Arc;

    let field = |name: &str, physical, logical, repetition| {
        let builder = Type::primitive_type_builder(name, physical).with_repetition(repetition);
        Arc::new(
            builder.with_logical_type(logical).with_precision(9).with_scale(2).build().unwrap(),
        )
    };
    let required = Repetition::REQUIRED;
    let fields = vec![
        field("date", Physical::INT32, Some(LogicalType::Date), required),
        field("price", Physical::INT32, Some(LogicalType::decimal(2, 9)), required),
        field(
            "when",
            Physical::INT64,
            Some(LogicalType::timestamp(true, TimeUnit::MILLIS)),
            required,
        ),
        field("big", Physical::INT64, Some(LogicalType::integer(64, false)), required),
        field("score", Physical::DOUBLE, None, required),
        field("flag", Physical::BOOLEAN, None, required),
        field("word", Physical::BYTE_ARRAY, Some(LogicalType::String), Repetition::OPTIONAL),
    ];
    let schema = Type::group_type_builder("t").with_fields(fields).build().unwrap();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Default::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    fn column<T: DataType>(
        group: &mut SerializedRowGroupWriter<'_, std::fs::File>,
        values: &[T::T],
        levels: Option<&[i16]>,
    ) {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<T>().write_batch(values, levels, None).unwrap();
        column.close().unwrap();
    }
    column::<Int32Type>(&mut group, &[18_262, -1], None);
    column::<Int32Type>(&mut group, &[1_250, -5], None);
    column::<Int64Type>(&mut group, &[1_577_836_800_000, 0], None);
    column::<Int64Type>(&mut group, &[-1, 7], None);
    column::<DoubleType>(&mut group, &[1.5, 32.0], None);
    column::<BoolType>(&mut group, &[true, false], None);
    column::<ByteArrayType>(&mut group, &[ByteArray::from("Zoë")], Some(&[0, 1]));
    group.close().unwrap();
    writer.close().unwrap();
}

#[test]
fn days_that_no_calendar_has_stay_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    odd_parquet(&path, [i32::MAX, i32::MIN], ["a", "b"]);
    let flat = |names: &[String]| {
        let flat = |name: &String| ["word", "born", "seen"].contains(&&**name);
        Ok(names.iter().map(flat).collect())
    };
    let table = Source::new(&path).read(&flat, &|_| {}).unwrap();
    let values = |column: usize| table.columns[column].values.iter().collect::<Vec<_>>();
    assert_eq!(values(1), ["2147483647", "-2147483648"]);
    assert_eq!(values(2), ["9223372036854775807", "-9223372036854775808"]);
}

#[test]
fn parquet_columns_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    odd_parquet(&path, [0, 1], ["a", "b"]);
    let source = Source::new(&path);
    let unusable = source.unusable().unwrap();
    let found: Vec<(&str, String)> =
        unusable.iter().map(|c| (&*c.column, c.reason.to_string())).collect();
    let nested = "is nested; only flat columns can be read";
    assert_eq!(found, [("visits", nested.to_owned())]);
    let message = read(&source).unwrap_err().to_string();
    assert!(message.contains("column `visits`: is nested"), "{message}");
    assert!(message.contains("the role `drop`"), "{message}");
    let (_folder, csv) = file("t.csv", b"a\n1\n");
    assert_eq!(Source::new(csv).unusable().unwrap(), []);
}

#[test]
fn parquet_texts_are_trimmed_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    odd_parquet(&path, [0, 1], [" a\u{a0}", "\u{200b}a"]);
    let word = |names: &[String]| Ok(names.iter().map(|name| name == "word").collect());
    let distinct = |trim: bool| {
        let source = Source { trim, ..Source::new(&path) };
        let table = source.read(&word, &|_| {}).unwrap();
        table.columns[0].values.len()
    };
    assert_eq!((distinct(false), distinct(true)), (2, 1));
}

#[test]
fn parquet_columns_become_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    typed_parquet(&path);
    let table = read(&Source::new(&path)).unwrap();
    assert_eq!(
        cells(&table),
        [
            [
                "2020-01-01",
                "12.50",
                "2020-01-01T00:00:00Z",
                "18446744073709551615",
                "1.5",
                "true",
                ""
            ],
            ["1969-12-31", "-0.05", "1970-01-01T00:00:00Z", "7", "32", "false", "Zoë"],
        ]
    );
    let choose = |names: &[String]| Ok(names.iter().map(|name| name == "word").collect());
    let some = Source::new(&path).read(&choose, &|_| {}).unwrap();
    assert_eq!((some.rows, some.columns[0].codes.len()), (2, 0));
    std::fs::write(&path, "no parquet").unwrap();
    let refused = read(&Source::new(&path)).unwrap_err().to_string();
    assert!(refused.contains("is not a readable Parquet file"), "{refused}");
}
