use super::*;
use std::io::Write;

fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn read(source: &Source) -> Result<RawTable, Error> {
    source.read(&|names| Ok(vec![true; names.len()]), &|_| {})
}

fn cells(table: &RawTable) -> Vec<Vec<&str>> {
    let text = |column: &'_ RawColumn, row: usize| column.codes[row];
    (0..table.rows)
        .map(|row| {
            table
                .columns
                .iter()
                .map(|c| c.values.get(text(c, row)))
                .collect()
        })
        .collect()
}

const TEXT: &str = "\u{feff}name,age\n\"Smith, Ann\",32\n\"O\"\"Neil\nBob\",\n\nZoë,32\n";

fn expected() -> Vec<Vec<&'static str>> {
    vec![
        vec!["Smith, Ann", "32"],
        vec!["O\"Neil\nBob", ""],
        vec!["Zoë", "32"],
    ]
}

#[test]
fn quotes_line_breaks_and_byte_order_marks() {
    let (_folder, path) = file("a.csv", TEXT.as_bytes());
    let table = read(&Source::new(path)).unwrap();
    assert_eq!(table.columns[0].name, "name");
    assert_eq!(cells(&table), expected());
}

#[test]
fn a_quotation_mark_that_is_never_closed_is_an_error() {
    for (text, line) in [
        ("name,age\nAnn,\"32\nBob,33\n", 2),
        ("name,age\nAnn,32\nBob,\"33", 3),
        ("name,age\n\"Ann,32\nBob,33\n", 2),
    ] {
        let (_folder, path) = file("a.csv", text.as_bytes());
        let message = read(&Source::new(&path)).unwrap_err().to_string();
        let place = format!("a.csv, line {line}: opens a quotation mark that is never closed");
        assert!(message.contains(&place), "{message}");
    }
    for text in [
        "name,age\nAnn 5\",32\nBob,33",
        "name,age\nAnn,32\nBob,\"33\"",
        "name,age\nAnn,32\n\"B\nob\",33\n\n",
    ] {
        let (_folder, path) = file("a.csv", text.as_bytes());
        assert_eq!(read(&Source::new(&path)).unwrap().rows, 2, "{text}");
    }
}

#[test]
fn compressed_files_and_other_delimiters() {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(TEXT.as_bytes()).unwrap();
    let (_folder, path) = file("a.csv.gz", &gz.finish().unwrap());
    assert_eq!(cells(&read(&Source::new(path)).unwrap()), expected());

    let zst = zstd::encode_all(TEXT.as_bytes(), 1).unwrap();
    let (_folder, path) = file("a.csv.zst", &zst);
    assert_eq!(cells(&read(&Source::new(path)).unwrap()), expected());

    let (_folder, path) = file("a.csv", b"39; x\r\n40; y");
    let names = Some(vec!["age".to_owned(), "job".to_owned()]);
    let source = Source {
        delimiter: b';',
        names,
        trim: true,
        ..Source::new(path)
    };
    assert_eq!(cells(&read(&source).unwrap()), [["39", "x"], ["40", "y"]]);
}

#[test]
fn large_files_are_read_in_batches() {
    let mut text = String::from("id,long\n");
    for row in 0..40_000 {
        text.push_str(&format!("{row},\"{}\"\n", "x\n".repeat(row % 50)));
    }
    let (_folder, path) = file("a.csv", text.as_bytes());
    let table = read(&Source::new(path)).unwrap();
    assert_eq!(table.rows, 40_000);
    assert_eq!(table.columns[0].values.len(), 40_000);
    assert_eq!(
        table.columns[1]
            .values
            .get(table.columns[1].codes[39_999])
            .len(),
        98
    );
}

#[test]
fn several_files_are_one_table() {
    let (folder, path) = file("part-1.csv", b"a,b\n1,2\n");
    std::fs::write(folder.path().join("part-2.csv"), "a,b\n3,4\n").unwrap();
    let table = read(&Source::new(folder.path().join("part-*.csv"))).unwrap();
    assert_eq!(cells(&table), [["1", "2"], ["3", "4"]]);
    std::fs::write(&path, "a,c\n1,2\n").unwrap();
    let refused = read(&Source::new(folder.path().join("part-*.csv"))).unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("part-2.csv: has the columns a, b, the files before it a, c")
    );
}

#[test]
fn trouble_is_named_with_file_and_line() {
    let message = |bytes: &[u8]| {
        let (_folder, path) = file("t.csv", bytes);
        read(&Source::new(path)).unwrap_err().to_string()
    };
    assert!(
        message(b"a,b\n1,2\n\"x\ny\",2\n1,2,3\n").contains("t.csv, line 5: has 3 fields where 2")
    );
    assert!(message(b"a,b\n1,2\n1,\xff\n").contains("t.csv, line 3, column `b`: is not UTF-8"));
    assert!(message(b"a,b,a\n1,2,3\n").contains("the column `a` stands in the header twice"));
    assert!(message(b"a,b\n").contains("the table has no rows"));
    assert!(message(b"").contains("the table has no rows"));
    let missing = read(&Source::new("no/such.csv")).unwrap_err().to_string();
    assert!(missing.contains("no/such.csv: cannot open the file: there is no such file"));
    let (_folder, path) = file("t.csv.gz", b"not compressed");
    assert!(
        read(&Source::new(path))
            .unwrap_err()
            .to_string()
            .contains("cannot read the file")
    );
}

/// A Parquet file with one column of each type that has a text form.
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
            builder
                .with_logical_type(logical)
                .with_precision(9)
                .with_scale(2)
                .build()
                .unwrap(),
        )
    };
    let required = Repetition::REQUIRED;
    let fields = vec![
        field("date", Physical::INT32, Some(LogicalType::Date), required),
        field(
            "price",
            Physical::INT32,
            Some(LogicalType::decimal(2, 9)),
            required,
        ),
        field(
            "when",
            Physical::INT64,
            Some(LogicalType::timestamp(true, TimeUnit::MILLIS)),
            required,
        ),
        field(
            "big",
            Physical::INT64,
            Some(LogicalType::integer(64, false)),
            required,
        ),
        field("score", Physical::DOUBLE, None, required),
        field("flag", Physical::BOOLEAN, None, required),
        field(
            "word",
            Physical::BYTE_ARRAY,
            Some(LogicalType::String),
            Repetition::OPTIONAL,
        ),
    ];
    let schema = Type::group_type_builder("t")
        .with_fields(fields)
        .build()
        .unwrap();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Default::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    fn column<T: DataType>(
        group: &mut SerializedRowGroupWriter<'_, std::fs::File>,
        values: &[T::T],
        levels: Option<&[i16]>,
    ) {
        let mut column = group.next_column().unwrap().unwrap();
        column
            .typed::<T>()
            .write_batch(values, levels, None)
            .unwrap();
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
                "2020-01-01T00:00:00",
                "18446744073709551615",
                "1.5",
                "true",
                ""
            ],
            [
                "1969-12-31",
                "-0.05",
                "1970-01-01T00:00:00",
                "7",
                "32",
                "false",
                "Zoë"
            ],
        ]
    );
    let choose = |names: &[String]| Ok(names.iter().map(|name| name == "word").collect());
    let some = Source::new(&path).read(&choose, &|_| {}).unwrap();
    assert_eq!((some.rows, some.columns[0].codes.len()), (2, 0));
    std::fs::write(&path, "no parquet").unwrap();
    let refused = read(&Source::new(&path)).unwrap_err().to_string();
    assert!(
        refused.contains("is not a readable Parquet file"),
        "{refused}"
    );
}
