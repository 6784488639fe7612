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
