mod arrow;
mod excel;
mod parquet;

use super::*;
use std::io::Write;

fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn read(source: &Source) -> Result<RawTable, Error> {
    source.read_all()
}

fn cells(table: &RawTable) -> Vec<Vec<&str>> {
    let text = |column: &'_ RawColumn, row: usize| column.codes[row];
    (0..table.rows)
        .map(|row| table.columns.iter().map(|c| c.values.get(text(c, row))).collect())
        .collect()
}

const TEXT: &str = "\u{feff}name,age\n\"Smith, Ann\",32\n\"O\"\"Neil\nBob\",\n\nZoë,32\n";

fn expected() -> Vec<Vec<&'static str>> {
    vec![vec!["Smith, Ann", "32"], vec!["O\"Neil\nBob", ""], vec!["Zoë", "32"]]
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
    let source = Source { delimiter: b';', names, trim: true, ..Source::new(path) };
    assert_eq!(cells(&read(&source).unwrap()), [["39", "x"], ["40", "y"]]);
    std::fs::write(&source.path, "age;job\n39;x\n").unwrap();
    let refused = read(&source).unwrap_err().to_string();
    assert!(refused.contains("line 1: is equal to the names in `names`"), "{refused}");
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
    assert_eq!(table.columns[1].values.get(table.columns[1].codes[39_999]).len(), 98);
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
        split::records(&path, "read the hierarchy", b';', None, &"".into())
            .map_err(|error| error.to_string())
    };
    let found = records(b"a; x;*\r\n\r\n\"b\nc\";*\r\nd").unwrap();
    let lines: Vec<u64> = found.iter().map(|(line, _)| *line).collect();
    let fields: Vec<&[String]> = found.iter().map(|(_, fields)| &fields[..]).collect();
    assert_eq!(lines, [1, 3, 5]);
    assert_eq!(fields, [&["a", "x", "*"][..], &["b\nc", "*"], &["d"]]);
    let refused = records(b"a;*\nb\xff;*\n").unwrap_err();
    assert!(refused.contains("h.csv, line 2: is not UTF-8 text"), "{refused}");
    let refused = records(b"a;*\nb;\"*\n").unwrap_err();
    assert!(refused.contains("h.csv, line 2: opens a quotation mark"), "{refused}");
    let gone = split::records(Path::new("no/h.csv"), "read the hierarchy", b';', None, &"".into())
        .unwrap_err();
    assert!(gone.to_string().contains("h.csv: cannot read the hierarchy: there is no such"));
}

#[test]
fn tables_of_others_need_not_have_the_encoding() {
    let latin = Encoding::named("latin1").unwrap();
    for (text, said, expected) in [
        (&b"a\nMu\xc3\xb1oz\n"[..], latin, "Mu\u{f1}oz"),
        (b"a\nMu\xf1oz\n", latin, "Mu\u{f1}oz"),
        (b"a\nMu\xf1oz\n", None, "Mu\u{f1}oz"),
        (b"a\nMu\xb1oz\n", Encoding::named("iso-8859-2").unwrap(), "Mu\u{105}oz"),
        (b"a\nMunoz\n", latin, "Munoz"),
    ] {
        let (_folder, path) = file("t.csv", text);
        let mut source = Source { encoding: said, ..Source::new("own.csv") };
        source.turn_to_others(&path).unwrap();
        let table = read(&source).unwrap();
        assert_eq!(table.columns[0].values.iter().collect::<Vec<_>>(), [expected]);
    }
}

#[test]
fn files_that_are_not_text_are_named_for_what_they_are() {
    let utf_16: Vec<u8> = "a,b\n1,2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    // A text with a byte order mark is recognised and read.
    let marked = [b"\xff\xfe", &utf_16[..]].concat();
    let (_folder, path) = file("t.csv", &marked);
    assert_eq!(cells(&read(&Source::new(path)).unwrap()), [["1", "2"]]);
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(b"a,b\n1,2\n").unwrap();
    let workbook = b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0[Content_Types].xml \xa2";
    let sheet = b"PK\x03\x04\x14\0mimetypeapplication/vnd.oasis.opendocument.spreadsheet";
    let cases: [(&[u8], &str, &str); 7] = [
        (&utf_16, "is UTF-16 text without a byte order mark", "encoding = \"utf-16le\""),
        (&gz.finish().unwrap(), "contains data compressed by gzip", "ends in `.gz`"),
        (&zstd::encode_all(&b"a,b"[..], 1).unwrap(), "compressed by zstd", "ends in `.zst`"),
        (workbook, "is an Excel workbook (.xlsx)", "ends in `.xlsx`"),
        (sheet, "is an OpenDocument spreadsheet", "format = \"excel\""),
        (b"PK\x03\x04\x14\0\0\0t.csv", "is a ZIP archive", "unpack it first"),
        (b"PAR1\x15\x04", "is a Parquet file", "ends in `.parquet`"),
    ];
    for (bytes, what, remedy) in cases {
        let (_folder, path) = file("t.csv", bytes);
        let message = read(&Source::new(path)).unwrap_err().to_string();
        assert!(message.contains("t.csv: ") && message.contains(what), "{message}");
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
    let source = Source { encoding: Encoding::named("latin1").unwrap(), ..Source::new(path) };
    let table = read(&source).unwrap();
    assert_eq!(table.columns[0].name, "naïve");
    assert_eq!(cells(&table), [["Zoë", "2"]]);
    // Bytes that the encoding does not have are not replaced.
    let (_folder, path) = file("t.csv", b"a,b\n\x82\xa0,1\n2,\x81\xff\n");
    let source = Source { encoding: Encoding::named("shift_jis").unwrap(), ..Source::new(path) };
    let refused = read(&source).unwrap_err().to_string();
    assert!(refused.contains("t.csv, line 3, column `b`: is not text in `shift_jis`"), "{refused}");
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
    assert_eq!(cells(&read(&Source::new(&path)).unwrap()), [["1", "2"], ["3", "4"]]);
    std::fs::write(path.join("other.parquet"), "").unwrap();
    let message = read(&Source::new(&path)).unwrap_err().to_string();
    assert!(message.contains("files of several formats"), "{message}");
    let one_format = Source { format: Some(Format::Csv), ..Source::new(&path) };
    assert_eq!(read(&one_format).unwrap().rows, 2);
}

#[test]
fn blanks_of_every_script_are_cut() {
    let text = "\u{a0}name ,age\n Ann\u{a0},\u{200b}32\u{feff}\nZo\u{eb}\u{3000},\u{a0} \n";
    let (_folder, path) = file("t.csv", text.as_bytes());
    let source = Source { trim: true, ..Source::new(&path) };
    let table = read(&source).unwrap();
    assert_eq!(table.columns[0].name, "name");
    assert_eq!(cells(&table), [["Ann", "32"], ["Zo\u{eb}", ""]]);
    let as_written = read(&Source::new(&path)).unwrap();
    assert_eq!(cells(&as_written)[0], [" Ann\u{a0}", "\u{200b}32\u{feff}"]);
    std::fs::write(&path, b"a,b\n\xa0 1,2\n").unwrap();
    let refused = read(&source).unwrap_err().to_string();
    assert!(refused.contains("line 2, column `a`: is not UTF-8"), "{refused}");
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
            .contains("part-2.csv: has the columns a, b, but the files before it have a, c")
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
    assert!(message(b"a,b,a\n1,2,3\n").contains("the column `a` appears in the header twice"));
    // Titles that spreadsheets write above a table.
    assert!(message(b"sep=;\na;b\n1;2\n").contains("instead of column names"));
    assert!(message(b"People of 2020,,\na,b,c\n1,2,3\n").contains("have no name"));
    assert!(message(b"a,b\n").contains("the table has no rows"));
    assert!(message(b"").contains("the table has no rows"));
    let missing = read(&Source::new("no/such.csv")).unwrap_err().to_string();
    assert!(missing.contains("no/such.csv: cannot open the file: there is no such file"));
    let (_folder, path) = file("t.csv.gz", b"not compressed");
    assert!(
        read(&Source::new(path)).unwrap_err().to_string().contains("is not compressed by gzip")
    );
}
