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
fn lines_are_counted_whatever_ends_them() {
    for (text, line) in [
        ("a,b\n1,2\n1,2,3\n", 3),
        ("a,b\r\n1,2\r\n1,2,3\r\n", 3),
        ("a,b\r\n\"1\r\n1\",2\r\n1,2,3", 4),
        ("a,b\r\n\r\n1,2\r\n\r\n1,2,3\r\n", 5),
        ("\n\na,b\n\n1,2,3\n", 5),
    ] {
        let (_folder, path) = file("t.csv", text.as_bytes());
        let message = read(&Source::new(path)).unwrap_err().to_string();
        let place = format!("t.csv, line {line}: has 3 fields where 2");
        assert!(message.contains(&place), "{text:?}: {message}");
    }
    let (_folder, path) = file("t.csv", b"a,b\r\n1,2\r\n3,4\r\n");
    let table = read(&Source::new(path)).unwrap();
    let lines = [0, 1].map(|code| table.columns[0].values.first_seen(code).line);
    assert_eq!(lines, [2, 3]);
}

#[test]
fn records_of_small_files_may_differ_in_width() {
    let records = |bytes: &[u8]| {
        let (_folder, path) = file("h.csv", bytes);
        split::records(&path, "read the hierarchy", b';').map_err(|error| error.to_string())
    };
    let found = records(b"a; x;*\r\n\r\n\"b\nc\";*\r\nd").unwrap();
    let lines: Vec<u64> = found.iter().map(|(line, _)| *line).collect();
    let fields: Vec<&[String]> = found.iter().map(|(_, fields)| &fields[..]).collect();
    assert_eq!(lines, [1, 3, 5]);
    assert_eq!(fields, [&["a", "x", "*"][..], &["b\nc", "*"], &["d"]]);
    let refused = records(b"a;*\nb\xff;*\n").unwrap_err();
    assert!(
        refused.contains("h.csv, line 2: is not UTF-8 text"),
        "{refused}"
    );
    let refused = records(b"a;*\nb;\"*\n").unwrap_err();
    assert!(
        refused.contains("h.csv, line 2: opens a quotation mark"),
        "{refused}"
    );
    let gone = split::records(Path::new("no/h.csv"), "read the hierarchy", b';').unwrap_err();
    assert!(
        gone.to_string()
            .contains("h.csv: cannot read the hierarchy: there is no such")
    );
}

#[test]
fn files_that_are_not_text_are_named_for_what_they_are() {
    let utf_16: Vec<u8> = "a,b\n1,2\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    // A mark says what it is, and it is read.
    let marked = [b"\xff\xfe", &utf_16[..]].concat();
    let (_folder, path) = file("t.csv", &marked);
    assert_eq!(cells(&read(&Source::new(path)).unwrap()), [["1", "2"]]);
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(b"a,b\n1,2\n").unwrap();
    let workbook = b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0[Content_Types].xml \xa2";
    let sheet = b"PK\x03\x04\x14\0mimetypeapplication/vnd.oasis.opendocument.spreadsheet";
    let cases: [(&[u8], &str, &str); 7] = [
        (
            &utf_16,
            "is UTF-16 text without a mark",
            "encoding = \"utf-16le\"",
        ),
        (
            &gz.finish().unwrap(),
            "holds data compressed by gzip",
            "end in `.gz`",
        ),
        (
            &zstd::encode_all(&b"a,b"[..], 1).unwrap(),
            "compressed by zstd",
            "end in `.zst`",
        ),
        (workbook, "is an Excel workbook (.xlsx)", "end in `.xlsx`"),
        (
            sheet,
            "is an OpenDocument spreadsheet",
            "format = \"excel\"",
        ),
        (
            b"PK\x03\x04\x14\0\0\0t.csv",
            "is a ZIP archive",
            "unpack it first",
        ),
        (b"PAR1\x15\x04", "is a Parquet file", "end in `.parquet`"),
    ];
    for (bytes, what, remedy) in cases {
        let (_folder, path) = file("t.csv", bytes);
        let message = read(&Source::new(path)).unwrap_err().to_string();
        assert!(
            message.contains("t.csv: ") && message.contains(what),
            "{message}"
        );
        assert!(message.contains(remedy), "{message}");
    }
    let (_folder, path) = file("t.csv", b"a,b\nZo\xeb,2\n");
    let latin = read(&Source::new(path)).unwrap_err().to_string();
    assert!(
        latin.contains("line 2, column `a`: is not UTF-8") && latin.contains("encoding = "),
        "{latin}"
    );
}

#[test]
fn texts_in_other_encodings_are_read() {
    let (_folder, path) = file("t.csv", b"na\xefve,b\nZo\xeb,2\n");
    let source = Source {
        encoding: Encoding::named("latin1").unwrap(),
        ..Source::new(path)
    };
    let table = read(&source).unwrap();
    assert_eq!(table.columns[0].name, "naïve");
    assert_eq!(cells(&table), [["Zoë", "2"]]);
}

#[test]
fn folders_are_tables_of_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::create_dir(&path).unwrap();
    let message = read(&Source::new(&path)).unwrap_err().to_string();
    assert!(message.contains("is a folder without tables"), "{message}");
    for (name, text) in [
        ("part-2.csv", "a,b\n3,4\n"),
        ("part-1.csv", "a,b\n1,2\n"),
        ("_SUCCESS", ""),
        (".hidden.csv", "x"),
    ] {
        std::fs::write(path.join(name), text).unwrap();
    }
    assert_eq!(
        cells(&read(&Source::new(&path)).unwrap()),
        [["1", "2"], ["3", "4"]]
    );
    std::fs::write(path.join("other.parquet"), "").unwrap();
    let message = read(&Source::new(&path)).unwrap_err().to_string();
    assert!(message.contains("files of several formats"), "{message}");
    let one_format = Source {
        format: Some(Format::Csv),
        ..Source::new(&path)
    };
    assert_eq!(read(&one_format).unwrap().rows, 2);
}

#[test]
fn blanks_of_every_script_are_cut() {
    let text = "\u{a0}name ,age\n Ann\u{a0},\u{200b}32\u{feff}\nZo\u{eb}\u{3000},\u{a0} \n";
    let (_folder, path) = file("t.csv", text.as_bytes());
    let source = Source {
        trim: true,
        ..Source::new(&path)
    };
    let table = read(&source).unwrap();
    assert_eq!(table.columns[0].name, "name");
    assert_eq!(cells(&table), [["Ann", "32"], ["Zo\u{eb}", ""]]);
    let as_written = read(&Source::new(&path)).unwrap();
    assert_eq!(cells(&as_written)[0], [" Ann\u{a0}", "\u{200b}32\u{feff}"]);
    std::fs::write(&path, b"a,b\n\xa0 1,2\n").unwrap();
    let refused = read(&source).unwrap_err().to_string();
    assert!(
        refused.contains("line 2, column `a`: is not UTF-8"),
        "{refused}"
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
            .contains("is not compressed by gzip")
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

/// A Parquet file with columns of a text, of days, of milliseconds and of 96 bits, and a
/// nested one.
pub(crate) fn odd_parquet(path: &Path, days: [i32; 2], text: [&str; 2]) {
    use ::parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type, Int96, Int96Type};
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;
    let schema = "message t {
        required binary word (STRING);
        required int32 born (DATE);
        required int64 seen (TIMESTAMP(MILLIS, true));
        required int96 stamp;
        repeated int32 visits;
    }";
    let schema = std::sync::Arc::new(parse_message_type(schema).unwrap());
    let file = std::fs::File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Default::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    macro_rules! column {
        ($type:ty, $values:expr, $levels:expr) => {
            let mut column = group.next_column().unwrap().unwrap();
            let typed = column.typed::<$type>();
            typed.write_batch($values, $levels, $levels).unwrap();
            column.close().unwrap();
        };
    }
    column!(ByteArrayType, &text.map(ByteArray::from), None);
    column!(Int32Type, &days, None);
    column!(Int64Type, &[i64::MAX, i64::MIN], None);
    column!(Int96Type, &[Int96::new(), Int96::new()], None);
    column!(Int32Type, &[], Some(&[0, 0]));
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
    let found: Vec<(&str, &str)> = unusable.iter().map(|c| (&*c.column, &*c.reason)).collect();
    let nested = "is nested; only flat columns can be read";
    let stamp = "has the type INT96, which has no text form here";
    assert_eq!(found, [("stamp", stamp), ("visits", nested)]);
    let message = read(&source).unwrap_err().to_string();
    assert!(
        message.contains("t.parquet, column `stamp`: has the type INT96"),
        "{message}"
    );
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
        let source = Source {
            trim,
            ..Source::new(&path)
        };
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

/// A table with every type that has a text form, in two batches.
fn typed_batches() -> Batches {
    use arrow_array::builder::{StringDictionaryBuilder, StringViewBuilder};
    use arrow_array::*;
    use arrow_schema::{DataType, Field, Schema};
    use std::sync::Arc;
    let mut kinds = StringDictionaryBuilder::<types::Int8Type>::new();
    kinds.extend([Some("b"), Some("a")]);
    kinds.append_null();
    let mut views = StringViewBuilder::new();
    views.extend([
        Some("Zoë"),
        None,
        Some("a text that is too long to lie in a view"),
    ]);
    let decimals = Decimal128Array::from(vec![1250, -5, 0]).with_precision_and_scale(10, 2);
    let columns: Vec<(&str, ArrayRef)> = vec![
        (
            "whole",
            Arc::new(Int16Array::from(vec![Some(3), None, Some(3)])),
        ),
        ("large", Arc::new(UInt64Array::from(vec![u64::MAX, 7, 7]))),
        ("part", Arc::new(Float64Array::from(vec![1.5, 32.0, -0.25]))),
        (
            "yes",
            Arc::new(BooleanArray::from(vec![Some(true), Some(false), None])),
        ),
        (
            "day",
            Arc::new(Date32Array::from(vec![18262, -1, i32::MAX])),
        ),
        (
            "stamp",
            Arc::new(TimestampMicrosecondArray::from(vec![0, 1_500_000, -1]).with_timezone("UTC")),
        ),
        ("price", Arc::new(decimals.unwrap())),
        ("kind", Arc::new(kinds.finish())),
        ("word", Arc::new(views.finish())),
        (
            "long",
            Arc::new(LargeStringArray::from(vec![" a", "b", "b"])),
        ),
        ("nothing", Arc::new(NullArray::new(3))),
    ];
    let fields = columns.iter();
    let fields = fields.map(|(name, array)| Field::new(*name, array.data_type().clone(), true));
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
        "1970-01-01T00:00:00",
        "12.50",
        "b",
        "Zoë",
        " a",
        "",
    ],
    [
        "",
        "7",
        "32",
        "false",
        "1969-12-31",
        "1970-01-01T00:00:01.5",
        "-0.05",
        "a",
        "",
        "b",
        "",
    ],
    [
        "3",
        "7",
        "-0.25",
        "",
        "2147483647",
        "1969-12-31T23:59:59.999999",
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
        assert_eq!(
            cells(&read(&Source::new(path(name))).unwrap()),
            TYPED,
            "{name}"
        );
        let bytes = std::fs::read(path(name)).unwrap();
        std::fs::write(path(name), &bytes[..bytes.len() / 2]).unwrap();
        let refused = read(&Source::new(path(name))).unwrap_err().to_string();
        assert!(
            refused.contains("is not a readable file of Arrow"),
            "{refused}"
        );
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
    assert!(
        refused.contains("people, column `tests`: is nested"),
        "{refused}"
    );
    assert_eq!(source.unusable().unwrap()[0].column, "tests");
    let empty = Batches::new(batch.schema(), Vec::new()).unwrap();
    let refused = read(&Source::of_memory("people", empty))
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("people: the table has no rows"),
        "{refused}"
    );
}

/// A workbook made by XlsxWriter: dates, formulas, truths, lines with nothing but a format.
const WORKBOOK: &[u8] = include_bytes!("tests/people.xlsx");

#[test]
fn sheets_are_read_as_they_are_meant() {
    let (_folder, path) = file("t.xlsx", WORKBOOK);
    let table = read(&Source::new(&path)).unwrap();
    let names: Vec<&str> = table.columns.iter().map(|column| &*column.name).collect();
    assert_eq!(names, ["name", "age", "born", "seen", "size", "married"]);
    let expected = [
        [
            "Zoë",
            "31",
            "1990-03-14",
            "2021-05-06T07:08:00",
            "1.75",
            "true",
        ],
        [" Ann", "32", "", "", "2", "false"],
    ];
    assert_eq!(cells(&table), expected);
    assert_eq!(table.place_of(&table.columns[0], 1).line, Some(3));
    let sheet = |name: &str| Source {
        sheet: Some(name.to_owned()),
        trim: true,
        ..Source::new(&path)
    };
    assert_eq!(
        read(&sheet("people")).unwrap().columns[0].values.get(1),
        "Ann"
    );
    assert_eq!(
        sheet("people").sheets().unwrap(),
        ["people", "faulty", "empty", "nameless"]
    );
    for (name, what) in [
        (
            "peopel",
            "has no sheet `peopel`\n  help: did you mean `people`?",
        ),
        (
            "faulty",
            "line 2, column `b`: the cell holds the error #DIV/0!",
        ),
        ("empty", "the table has no rows"),
        ("nameless", "line 1: column 2 of the sheet has no name"),
    ] {
        let refused = read(&sheet(name)).unwrap_err().to_string();
        assert!(refused.contains(what), "{refused}");
    }
    let (_folder, cut) = file("cut.xlsx", &WORKBOOK[..WORKBOOK.len() / 2]);
    let refused = read(&Source::new(cut)).unwrap_err().to_string();
    assert!(refused.contains("is not a readable workbook"), "{refused}");
}
