use super::*;

/// Returns a table with every type that has a text form, in two batches.
fn typed_batches() -> Batches {
    use arrow_array::builder::{StringDictionaryBuilder, StringViewBuilder};
    use arrow_array::*;
    use arrow_schema::{DataType, Field, Schema};
    use std::sync::Arc;
    let mut kinds = StringDictionaryBuilder::<types::Int8Type>::new();
    kinds.extend([Some("b"), Some("a")]);
    kinds.append_null();
    let mut views = StringViewBuilder::new();
    views.extend([Some("Zoë"), None, Some("a text that is too long to lie in a view")]);
    let decimals = Decimal128Array::from(vec![1250, -5, 0]).with_precision_and_scale(10, 2);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("whole", Arc::new(Int16Array::from(vec![Some(3), None, Some(3)]))),
        ("large", Arc::new(UInt64Array::from(vec![u64::MAX, 7, 7]))),
        ("part", Arc::new(Float64Array::from(vec![1.5, 32.0, -0.25]))),
        ("yes", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None]))),
        ("day", Arc::new(Date32Array::from(vec![18262, -1, i32::MAX]))),
        (
            "stamp",
            Arc::new(TimestampMicrosecondArray::from(vec![0, 1_500_000, -1]).with_timezone("UTC")),
        ),
        ("price", Arc::new(decimals.unwrap())),
        ("kind", Arc::new(kinds.finish())),
        ("word", Arc::new(views.finish())),
        ("long", Arc::new(LargeStringArray::from(vec![" a", "b", "b"]))),
        ("nothing", Arc::new(NullArray::new(3))),
    ];
    let fields =
        columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    let batch = RecordBatch::try_new(schema.clone(), arrays).unwrap();
    assert_eq!(schema.field(9).data_type(), &DataType::LargeUtf8);
    Batches::new(schema, vec![batch.slice(0, 1), batch.slice(1, 2)]).unwrap()
}

const TYPED: [[&str; 11]; 3] = [
    [
        "3",
        "18446744073709551615",
        "1.5",
        "true",
        "2020-01-01",
        "1970-01-01T00:00:00Z",
        "12.50",
        "b",
        "Zoë",
        " a",
        "",
    ],
    ["", "7", "32", "false", "1969-12-31", "1970-01-01T00:00:01.5Z", "-0.05", "a", "", "b", ""],
    [
        "3",
        "7",
        "-0.25",
        "",
        "2147483647",
        "1969-12-31T23:59:59.999999Z",
        "0.00",
        "",
        "a text that is too long to lie in a view",
        "b",
        "",
    ],
];

#[test]
fn arrow_columns_become_text() {
    let table = read(&Source::of_memory("people", typed_batches())).unwrap();
    assert_eq!(cells(&table), TYPED);
    let choose = |names: &[String]| Ok(names.iter().map(|name| name == "word").collect());
    let source = Source::of_memory("people", typed_batches());
    let some = source.read(&choose, &|_| {}).unwrap();
    assert_eq!((some.rows, some.columns[0].codes.len()), (3, 0));
}

#[test]
fn arrow_streams_and_files_hold_the_same() {
    use arrow_ipc::writer::{FileWriter, StreamWriter};
    let (folder, table) = (tempfile::tempdir().unwrap(), typed_batches());
    let path = |name: &str| folder.path().join(name);
    let file = std::fs::File::create(path("t.feather")).unwrap();
    let mut writer = FileWriter::try_new(file, table.schema()).unwrap();
    let stream = std::fs::File::create(path("t.arrows")).unwrap();
    let mut other = StreamWriter::try_new(stream, table.schema()).unwrap();
    for batch in table.batches() {
        writer.write(batch).unwrap();
        other.write(batch).unwrap();
    }
    writer.finish().unwrap();
    other.finish().unwrap();
    for name in ["t.feather", "t.arrows"] {
        assert_eq!(cells(&read(&Source::new(path(name))).unwrap()), TYPED, "{name}");
        let bytes = std::fs::read(path(name)).unwrap();
        std::fs::write(path(name), &bytes[..bytes.len() / 2]).unwrap();
        let refused = read(&Source::new(path(name))).unwrap_err().to_string();
        assert!(refused.contains("is not a readable Arrow file"), "{refused}");
    }
}

#[test]
fn arrow_columns_that_cannot_be_read_are_named() {
    use arrow_array::{ListArray, RecordBatch, StringArray, types::Int64Type};
    use arrow_schema::{Field, Schema};
    use std::sync::Arc;
    let lists = ListArray::from_iter_primitive::<Int64Type, _, _>([Some(vec![Some(1)])]);
    let fields = vec![
        Field::new("tests", arrow_array::Array::data_type(&lists).clone(), true),
        Field::new("job", arrow_schema::DataType::Utf8, true),
    ];
    let schema = Arc::new(Schema::new(fields));
    let columns: Vec<arrow_array::ArrayRef> =
        vec![Arc::new(lists), Arc::new(StringArray::from(vec!["nurse"]))];
    let batch = RecordBatch::try_new(schema.clone(), columns).unwrap();
    let source = Source::of_memory("people", Batches::new(schema, vec![batch.clone()]).unwrap());
    let refused = read(&source).unwrap_err().to_string();
    assert!(refused.contains("people, column `tests`: is nested"), "{refused}");
    assert_eq!(source.unusable().unwrap()[0].column, "tests");
    let empty = Batches::new(batch.schema(), Vec::new()).unwrap();
    let refused = read(&Source::of_memory("people", empty)).unwrap_err().to_string();
    assert!(refused.contains("people: the table has no rows"), "{refused}");
}
