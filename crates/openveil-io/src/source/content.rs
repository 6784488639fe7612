//! Recognises by its first bytes a file that is not text.

use super::Encoding;
use crate::{Error, Location};
use openveil_text::{Text, text};
use std::path::Path;

/// The first bytes of a kind of file, its name, and what to do with it.
struct FileKind {
    start: &'static [u8],
    what: &'static str,
    help: fn() -> Text,
}

const UNPACK: fn() -> Text = || text!("unpack it first");
const WORKBOOK: fn() -> Text = || {
    text!(
        "give it a name that ends in `.xlsx`, `.xls` or `.ods`, or set `format = \"excel\"` under [input]"
    )
};

const STATISTICS: fn() -> Text =
    || text!("export it as CSV or Parquet, or read it with the Python package (`openveil.read`)");
const NO_TABLE: fn() -> Text = || text!("look for the same table as CSV");

/// Longer signatures stand before shorter ones that they start with.
const KINDS: [FileKind; 17] = [
    kind(b"\x1f\x8b", "contains data compressed by gzip, not text", || {
        text!("give it a name that ends in `.gz`, or unpack it first with `gunzip`")
    }),
    kind(b"\x28\xb5\x2f\xfd", "contains data compressed by zstd, not text", || {
        text!("give it a name that ends in `.zst`, or unpack it first with `unzstd`")
    }),
    kind(b"BZh", "contains data compressed by bzip2, not text", UNPACK),
    kind(b"\xfd7zXZ\0", "contains data compressed by xz, not text", UNPACK),
    kind(b"7z\xbc\xaf\x27\x1c", "is a 7z archive, not text", UNPACK),
    kind(b"PAR1", "is a Parquet file, not text", || {
        text!("give it a name that ends in `.parquet`, or set `format = \"parquet\"` under [input]")
    }),
    kind(b"PK\x03\x04", "is a ZIP archive, not text", UNPACK),
    kind(
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "is an old Excel workbook (.xls), not text",
        WORKBOOK,
    ),
    kind(b"$FL2@(#)", "is an SPSS file, not text", STATISTICS),
    kind(b"$FL3@(#)", "is an SPSS file, not text", STATISTICS),
    kind(b"<stata_dta>", "is a Stata file, not text", STATISTICS),
    kind(b"\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60", "is a SAS file, not text", STATISTICS),
    kind(b"SQLite format 3\0", "is an SQLite database, not text", || {
        text!("export the table as CSV, or read the database with the Python package")
    }),
    kind(b"RDX", "is an R file, not text", || {
        text!("in R, run `write.csv(table, \"table.csv\", row.names = FALSE)`")
    }),
    kind(b"FEA1", "is a Feather file of version 1, which cannot be read", || {
        text!("write it again with a newer pyarrow or arrow, or as Parquet")
    }),
    kind(b"%PDF-", "is a PDF document, not a table", NO_TABLE),
    kind(b"\xff\xfe\0\0", "is UTF-32 text, which cannot be read", || {
        text!("save it as UTF-8, for example with `iconv -f utf-32 -t utf-8`")
    }),
];

const fn kind(start: &'static [u8], what: &'static str, help: fn() -> Text) -> FileKind {
    FileKind { start, what, help }
}

/// Refuses a file that does not start like text in its encoding: UTF-8, or UTF-16 with a byte order
/// mark, unless an encoding is named.
pub(super) fn check(file: &Path, head: &[u8], encoding: Option<Encoding>) -> Result<(), Error> {
    let known = KINDS.iter().find(|kind| head.starts_with(kind.start));
    let (what, help) = match known {
        _ if is_page(head) => (
            "is a web page, not a table",
            text!("open it in a browser: it may ask you to sign in, or link to the table"),
        ),
        _ if head.starts_with(b"[{") || head.starts_with(b"{\"") => {
            ("is JSON, not a table", text!("convert it to CSV or Parquet first"))
        }
        None if is_old_stata(head) => ("is a Stata file, not text", STATISTICS()),
        Some(kind) if kind.start.starts_with(b"PK") => in_archive(head, kind),
        Some(kind) => (kind.what, (kind.help)()),
        None if encoding.is_none() && is_utf_16(head) => (
            "is UTF-16 text without a byte order mark",
            text!("set `encoding = \"utf-16le\"` under [input], or \"utf-16be\""),
        ),
        None if encoding.is_none() && !has_mark(head) && head.contains(&0) => (
            "contains zero bytes, so it is not text",
            text!(
                "check that this is the right file; for text in another encoding, set `encoding` under [input]"
            ),
        ),
        None => return Ok(()),
    };
    Err(Error::new(Location::file(file), what).help(help))
}

/// Returns whether a file is of a Stata before version 13 (formats 104 to 115): the format, the order
/// of bytes, the type of the file, and an unused byte.
fn is_old_stata(head: &[u8]) -> bool {
    matches!(head, [104..=115, 1 | 2, 1, 0, ..])
}

/// Returns whether a text is HTML or another markup language.
fn is_page(head: &[u8]) -> bool {
    let start: Vec<u8> = head.iter().take(15).map(u8::to_ascii_lowercase).collect();
    let begins = |with: &[u8]| start.starts_with(with);
    begins(b"<!doctype html") || begins(b"<html") || begins(b"<?xml")
}

/// Tells workbooks, which are ZIP archives, from other archives.
fn in_archive(head: &[u8], archive: &FileKind) -> (&'static str, Text) {
    let holds = |name: &[u8]| head.windows(name.len()).any(|part| part == name);
    if holds(b"[Content_Types].xml") || holds(b"xl/") {
        ("is an Excel workbook (.xlsx), not text", WORKBOOK())
    } else if holds(b"opendocument.spreadsheet") {
        ("is an OpenDocument spreadsheet (.ods), not text", WORKBOOK())
    } else {
        (archive.what, (archive.help)())
    }
}

/// Returns whether a text starts with the byte order mark of UTF-16.
pub(super) fn has_mark(head: &[u8]) -> bool {
    head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff")
}

/// Returns whether nearly every second byte is zero, as in UTF-16 of Latin letters without a byte
/// order mark.
pub(super) fn is_utf_16(head: &[u8]) -> bool {
    if has_mark(head) {
        return false;
    }
    let zeros =
        |first: usize| head.iter().skip(first).step_by(2).filter(|&&byte| byte == 0).count();
    let (even, odd, pairs) = (zeros(0), zeros(1), head.len() / 2);
    pairs > 0 && even.min(odd) == 0 && even.max(odd) * 4 > pairs * 3
}
