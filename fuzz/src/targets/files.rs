//! Tables in files.

use crate::{in_folder, write};
use openveil_io::Policy;
use openveil_io::source::{Encoding, Format, RawTable, Source};
use openveil_tools::inspect;
use openveil_tools::inspect::{Said, StarterWish};
use std::path::Path;

/// Reads all columns of a file that holds these bytes.
fn read(name: &str, data: &[u8]) {
    in_folder(|folder| {
        let source = Source::new(write(folder, name, data));
        let _ = source.workbooks();
        let Ok(unusable) = source.unusable() else {
            return;
        };
        let is_usable = |name: &String| unusable.iter().all(|column| column.column != *name);
        let usable = |names: &[String]| Ok(names.iter().map(is_usable).collect());
        if let Ok(table) = source.read(&usable, &|_| {}) {
            assert_lengths(&table);
        }
    });
}

/// Checks that every column that was read has a value in every row.
fn assert_lengths(table: &RawTable) {
    for column in &table.columns {
        let has_codes = column.codes.len() == table.rows || column.codes.is_empty();
        assert!(has_codes, "{} of {} rows", column.codes.len(), table.rows);
        let values = column.values.len() as u32;
        assert!(column.codes.iter().all(|&code| code < values));
    }
}

pub(super) fn gzip(data: &[u8]) {
    read("table.csv.gz", data);
}

pub(super) fn zstd(data: &[u8]) {
    read("table.csv.zst", data);
}

pub(super) fn parquet(data: &[u8]) {
    read("table.parquet", data);
}

pub(super) fn arrow(data: &[u8]) {
    read("table.arrow", data);
}

pub(super) fn excel(data: &[u8]) {
    read("table.xlsx", data);
}

/// The first byte determines how the rest is read.
pub(super) fn csv(data: &[u8]) {
    let Some((&how, text)) = data.split_first() else {
        return;
    };
    in_folder(|folder| {
        let mut source = Source::new(write(folder, "table.csv", text));
        source.delimiter = b",;\t|"[how as usize % 4];
        source.trim = how & 4 > 0;
        let names = ["utf-16", "windows-1252", "shift_jis"];
        let encoding = names.get((how >> 3) as usize);
        source.encoding = encoding.and_then(|name| Encoding::named(name).expect("an encoding"));
        let Ok(table) = source.read_all() else {
            return;
        };
        assert_lengths(&table);
        // Our definition of blanks differs from the csv crate's. UTF-16 is recognised by its mark,
        // which the csv crate does not know.
        if !source.trim
            && source.encoding.is_none()
            && !text.starts_with(b"\xff\xfe")
            && !text.starts_with(b"\xfe\xff")
        {
            assert_same(&table, text, &source);
        }
    });
}

/// Checks that the result equals that of the csv crate.
fn assert_same(table: &RawTable, text: &[u8], source: &Source) {
    let mut reader = csv::ReaderBuilder::new().delimiter(source.delimiter).from_reader(text);
    let names = reader.headers().expect("a header that was read").clone();
    let own = table.columns.iter().map(|column| &*column.name);
    assert!(names.iter().eq(own), "{names:?}");
    let mut rows = 0;
    for (row, record) in reader.records().enumerate() {
        let record = record.expect("a record that was read");
        let own = table.columns.iter();
        let own = own.map(|column| column.values.get(column.codes[row]));
        assert!(record.iter().eq(own), "row {row}: {record:?}");
        rows += 1;
    }
    assert_eq!(rows, table.rows);
}

pub(super) fn inspect(data: &[u8]) {
    in_folder(|folder| {
        let mut source = Source::new(write(folder, "table.csv", data));
        source.format = Some(Format::Csv);
        let Ok(found) = inspect::inspect(&source, &Said::default(), &|_| {}) else {
            return;
        };
        let path = folder.join("policy.toml");
        if let Ok(text) = found.starter_policy(&path, StarterWish::default()) {
            assert_readable(&text, &path);
        }
    });
}

/// A starter policy may ask the user to choose, but is never malformed.
fn assert_readable(text: &str, path: &Path) {
    if let Err(error) = Policy::parse(text, path) {
        assert!(!error.to_string().contains("TOML"), "{error}\n{text}");
    }
}
